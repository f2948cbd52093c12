"What small functions say, value by value at their edges: each of these could be turned round and no page would notice."
import os

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mic_eval.core.predictions import Predictions
from mic_eval.core.tables import read_predictions
from mic_eval.metrics.roc_and_pr import even_groups, roc_auc
from mic_eval.metrics.power import wilcoxon_power
from mic_eval.mic.approval import approval
from mic_eval.mic.comparison import compare_mics
from mic_eval.mic.experts import disagreement_kind
from mic_eval.mic.pair_tables import mic_columns, proposed_sides
from mic_eval.mic.safety import clinical_safety
from mic_eval.run.listing import size_of


@pytest.mark.parametrize("order", [("a", "b", "c"), ("c", "a", "b"), ("b", "c", "a"), ("c", "b", "a")])
def test_columns_of_scores_go_to_the_classes_they_name(order):
    "However the columns stand, and with `classes` in an order of its own"
    share = dict(a=[.7, .1, .1], b=[.2, .8, .3], c=[.1, .1, .6])
    table = pd.DataFrame(dict(sample_id=list("xyz"), y_true=list("abc")) | {f"prob_{k}": share[k] for k in order})
    for classes in (("a", "b", "c"), ("b", "c", "a")):
        p = read_predictions(table, classes=classes)
        assert p.classes == classes
        np.testing.assert_array_equal(p.scores, np.column_stack([share[k] for k in classes]))
        assert [p.classes[i] for i in p.y_pred] == list("abc")


@pytest.mark.parametrize("rows,growth,even", [
    ([10, 10, 10, 10], [5, 5, 5, 5], True),
    ([2, 2, 2, 0], [1, 1, 1, 0], True),        # Kish 3 of 4 groups: three quarters are enough
    ([8, 8, 8, 1], [4, 4, 4, 0], True),        # Kish 3.24
    ([9, 4, 4, 1], [4, 2, 2, 0], False),       # Kish 2.84
    ([100, 1, 1, 1], [50, 1, 0, 1], False),
    ([10, 10, 10, 10], [5, 5, 0, 10], True),   # half of the groups hold both classes
    ([10, 10, 10, 10], [5, 0, 0, 10], False),
    ([10, 10, 10, 10], [1, 9, 0, 0], True),
    ([10, 10, 10, 10], [10, 10, 0, 0], False)])
def test_even_groups(rows, growth, even): assert even_groups(np.array(rows), np.array(growth)) == even


def test_the_interval_follows_the_groups():
    "Groups of like size that hold both classes take Obuchowski's; others are left out in turn"
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 60)
    s = y+rng.normal(size=120)
    assert roc_auc(y, s, groups=np.repeat(np.arange(12), 10)).method == "logit-Obuchowski, t(11)"
    uneven = np.r_[np.zeros(98), np.repeat(np.arange(1, 12), 2)]
    assert "Obuchowski" not in roc_auc(y, s, groups=uneven).method
    pure = np.repeat(np.arange(6), 10)*2   # each group of one class
    assert "Obuchowski" not in roc_auc(y, s, groups=np.tile([0, 1], 60)+np.r_[pure, pure]).method


def test_sides_of_a_comparison():
    "The column whose name says reference, else the first; then the next that holds MICs; others in their order"
    mics = ["0.25", "0.5", "1", "2"]*3
    table = lambda *names: pd.DataFrame({n: mics for n in names} | dict(isolate=[f"i{k}" for k in range(12)]))
    assert mic_columns(table("new", "BMD")) == ["new", "BMD"]
    assert proposed_sides(table("new", "BMD")) == [("BMD", "new", [])]
    assert proposed_sides(table("模型MIC", "微量肉汤稀释法MIC")) == [("微量肉汤稀释法MIC", "模型MIC", [])]
    assert proposed_sides(table("人工智能", "人工判读")) == [("人工判读", "人工智能", [])]
    assert proposed_sides(table("one", "two", "three")) == [("one", "two", ["three"])]
    assert proposed_sides(table("a", "b", "the reference", "c")) == [("the reference", "a", ["b", "c"])]
    assert proposed_sides(table("reference", "gold")) == [("reference", "gold", [])]   # the first of two
    assert proposed_sides(table("MIC")) == proposed_sides(table()) == []
    one_drug = table("BMD", "meropenem new")   # a drug that one heading names is that of the other too
    assert proposed_sides(one_drug) == [("BMD", "meropenem new", [])]


def wells(truth, called, **facts):
    return Predictions([f"w{i}" for i in range(len(truth))], truth, y_pred=called, classes=("no growth", "growth"),
                       facts=pd.DataFrame(facts) if facts else None)


def test_critical_wells():
    "Those above 0; the most critical errors first, then by name; what is not said is not critical"
    p = wells([1, 0, 1, 1, 0, 1, 0, 1], [0, 1, 0, 1, 0, 0, 1, 0], criticality=[1, 2, 0, 2, 1, 2, .5, np.nan])
    found = clinical_safety(p, groups=None).critical
    assert (found.errors, found.wells, found.rate.k, found.rate.n) == (4, 6, 4, 6)
    assert found.listed.to_dict("list") == dict(sample_id=["w1", "w5", "w0", "w6"], criticality=[2., 2., 1., .5],
        truth=["no growth", "growth", "growth", "no growth"], called=["growth", "no growth", "no growth", "growth"])
    assert list(found.listed.index) == [0, 1, 2, 3]
    none = clinical_safety(wells([0, 1], [1, 1], criticality=[0, 0]), groups=None).critical
    assert (none.errors, none.wells, len(none.listed), none.rate.reason) == (0, 0, 0, "no critical wells")
    assert clinical_safety(wells([0, 1], [1, 1]), groups=None).critical.reason == "no column 'criticality'"


def test_critical_wells_of_groups():
    "Counts of a plate stay together: six plates of ten wells, in two of which every critical well is wrong"
    plate = np.repeat([f"P{i}" for i in range(6)], 10)
    truth = np.tile([0, 1], 30)
    wrong = np.isin(plate, ["P0", "P1"])
    p = wells(truth, np.where(wrong, 1-truth, truth), criticality=np.tile([1, 0, 0, 0, 0], 12), plate=plate)
    rate = clinical_safety(p, groups="plate").critical.rate
    alone = clinical_safety(p, groups=None).critical.rate
    assert (rate.k, rate.n, rate.groups, alone.groups) == (4, 12, 6, None)
    assert rate.hi-rate.lo > alone.hi-alone.lo   # plates that are wholly wrong say less than twelve single wells


def test_drugs_with_most_very_major_errors_come_first():
    "Drugs with 0, 1, 3 and 0; of equals the order of the data stays"
    wrong = dict(CIP=0, AMP=1, MEM=3, GEN=0)
    drug, ref, new = np.repeat(list(wrong), 8), [], []
    for n in wrong.values():
        ref += ["8"]*4+["1"]*4
        new += ["1"]*n+["8"]*(4-n)+["1"]*4
    sir = lambda m: np.where(np.array(m, float) <= 2, "S", "R")
    found = approval(compare_mics(ref, new, drug=drug, categories=(sir(ref), sir(new))))
    assert [(k, o.very_major.k) for k, o in found.by.items()] == [("MEM", 3), ("AMP", 1), ("CIP", 0), ("GEN", 0)]
    plain = approval(compare_mics(ref, new, drug=drug))
    assert sorted(plain.by) == ["AMP", "CIP", "GEN", "MEM"]


def test_a_link_is_not_what_it_points_to(tmp_path):
    "Bytes below a folder: a link counts its own few, also where it leads back or nowhere"
    out = tmp_path/"out"
    (out/"a"/"b").mkdir(parents=True)
    (out/"a"/"one").write_bytes(b"x"*1000)
    (out/"a"/"b"/"two").write_bytes(b"x"*234)
    (tmp_path/"far").mkdir()
    (tmp_path/"far"/"big").write_bytes(b"x"*500_000)
    assert (size_of(out/"a"/"one"), size_of(out), size_of(tmp_path/"far")) == (1000, 1234, 500_000)
    links = [("to_file", tmp_path/"far"/"big"), ("to_folder", tmp_path/"far"), ("round", out), ("nowhere", out/"gone")]
    for name, target in links: os.symlink(target, out/name)
    own = sum(os.lstat(out/name).st_size for name, _ in links)
    assert size_of(out) == 1234+own < 10_000
    assert size_of(out/"to_folder") == os.lstat(out/"to_folder").st_size


@pytest.mark.parametrize("n,dz", [(20, .5), (50, .3), (200, .1)])
def test_wilcoxon_has_the_power_of_fewer_pairs(n, dz):
    "Under normal differences it is worth 3/pi of the pairs of a t test (Lehmann 1975), whose power is noncentral t"
    m = n*3/np.pi
    limit = stats.t.isf(.025, m-1)
    power = stats.nct.sf(limit, m-1, dz*np.sqrt(m))+stats.nct.cdf(-limit, m-1, dz*np.sqrt(m))
    assert wilcoxon_power(n, dz=dz) == pytest.approx(power, abs=1e-6)


def test_one_pair_has_no_power(): assert wilcoxon_power(1, dz=2.) == 0


def test_kinds_of_disagreement():
    "Growth that the model does not see is missed; steps go from the expert to the model; nothing without both readings"
    expert, model = [1, 0, 1, 0, np.nan, 1], [0, 1, 1, 0, 1, np.nan]
    assert list(disagreement_kind(expert, model)) == ["missed growth", "false growth", "", "", "", ""]
    steps = disagreement_kind([0, 3, 1, 0, 2, np.nan], [-1, 5, 1, 1, 0, 1], growth=False)
    assert list(steps) == ["1 step low", "2 steps high", "", "1 step high", "2 steps low", ""]
