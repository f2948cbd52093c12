"Scores, intervals, resampling, metrics, tables and criteria against independent oracles, properties and bad input."
import copy
import inspect
import json
import math
import pickle
import pydoc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from mic_eval.core import (Criterion, Curve, Metric, NotApplicable, Predictions, Result, Score, bootstrap,
                           class_codes, clopper_pearson, clustered, effective_n,
                           from_json, jackknife, judge, judge_one, kish, mover, newcombe, newcombe_paired, numbers,
                           probabilities, proportion, tango,
                           profiles, read_predictions, read_profile, replicates, to_json, wilson)
from mic_eval.core.checks import group_codes
from mic_eval.core.predictions import column_text
from mic_eval.metrics import Confusion, accuracy, balanced_accuracy, f1, mcc, sensitivity
from every import every

counts = st.integers(0, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


# --- results

def test_score_is_a_float_that_cannot_change():
    s = Score(.5, .4, .6, k=5, n=10, method="wilson")
    assert isinstance(s, float) and s + 1 == 1.5 and f"{s:.2f}" == "0.50" and s > .4 and np.mean([s, s]) == .5
    assert pickle.loads(pickle.dumps(s)).as_dict() == s.as_dict() == copy.deepcopy(s).as_dict()
    for name in ("lo", "k", "value", "new"):
        with pytest.raises(AttributeError): setattr(s, name, 1)


@pytest.mark.parametrize("score,text", [
    (Score(345/378, .8802, .9372, k=345, n=378), "345/378 = 91.3 % (88.0-93.7)"),
    (Score(.912, .873, .944, n=378), "0.912 (0.873-0.944), n=378"),
    (Score(-.1, -.2, .05, n=9), "-0.100 (-0.200 to 0.050), n=9"),
    (Score(reason="no positives", n=4), "nan (no positives), n=4"),
    (Score(.5, k=1, n=2, groups=2, reason="too few groups (2) for an "
                                          "interval"), "1/2 = 50.0 % (too few groups (2) for an interval) in 2 "
                                                       "groups")])
def test_score_shows_itself(score, text): assert str(score) == text


def test_results_survive_a_file(tmp_path):
    r = Result(a=proportion(3, 4), nan=Score(reason="no positives", n=3),
               c=Curve(np.array([0, 1.]), np.array([math.nan, 1]), extra=dict(n=np.array([3, 4]))),
               na=NotApplicable("no column 'plate'"), t=pd.DataFrame(dict(x=[1, 2], y=["a", None])),
               deep=Result(v=1.5, s="中文", none=None, flags=[True, False]))
    text = to_json(r, tmp_path / "r.json")
    assert to_json(from_json(tmp_path / "r.json")) == text and [p.name for p in tmp_path.iterdir()] == ["r.json"]
    d = json.loads(text)
    assert d["schema"] == 2
    assert d["nan"]["value"] is None and d["nan"]["reason"] == "no positives" and d["a"]["numerator"] == 3
    assert list(r.frame().metric) == ["a", "nan"]


@pytest.mark.parametrize("text,says", [('{"schema": 3}', "schema 3"), ("{", "not JSON"), ('{"a": 1}', "schema None")])
def test_foreign_results_are_refused(text, says):
    with pytest.raises(ValueError, match=says): from_json(text)


def test_results_escape_what_data_say():
    assert "<script>" not in Result({"<script>": "<script>alert(1)</script>",
                                     "t": pd.DataFrame({"<script>": ["<script>"]})})._repr_html_()


def test_a_grid_of_groups_is_empty_where_a_group_lacks_a_metric_and_says_why_one_is_undefined():
    by = Result(a=Result(x=Score(.5), y=Score(reason="no <rows>")), b=Result(y=NotApplicable("one class")))
    page = Result(by=by)._repr_html_() + by._repr_html_()
    assert page.count("0.5") and "no &lt;rows&gt;" in page and "one class" in page and "None" not in page


# --- intervals

@given(counts, st.sampled_from([.8, .95, .99]))
def test_share_intervals_agree_with_scipy(kn, level):
    k, n = kn
    if n == 0:
        assert all(map(math.isnan, [*wilson(k, n, level), *clopper_pearson(k, n, level)])); return
    b = stats.binomtest(k, n)
    assert np.allclose(wilson(k, n, level), b.proportion_ci(level, "wilson"), atol=1e-10)
    assert np.allclose(clopper_pearson(k, n, level), b.proportion_ci(level, "exact"), atol=1e-10)


@given(counts)
def test_shares_lie_in_their_interval(kn):
    s = proportion(*kn)
    assert s.reason == "no trials" if kn[1] == 0 else 0 <= s.lo <= s <= s.hi <= 1 and s.lo < s.hi


def test_one_sided_clopper_pearson_needs_299():
    assert clopper_pearson(0, 299, sides=1)[1] <= .01 < clopper_pearson(0, 298, sides=1)[1]
    # fewest resistant isolates for an upper bound <= 7.5 % with 0..10 errors, and for a lower bound <= 1.5 %
    upper = [next(n for n in range(x+1, 400) if clopper_pearson(x, n)[1] <= .075) for x in range(11)]
    lower = [next(n for n in range(max(x, 1), 400) if clopper_pearson(x, n)[0] <= .015) for x in range(11)]
    assert upper == [48, 72, 94, 114, 134, 153, 171, 189, 207, 224, 241]
    assert lower == [1, 2, 17, 42, 74, 110, 149, 190, 233, 277, 322]


@pytest.mark.parametrize("cells,limits", [((56, 70, 48, 80), (.0524, .3339)), ((9, 10, 3, 10), (.1705, .8090)),
                                          ((10, 10, 0, 10), (.6075, 1)), ((0, 10, 0, 10), (-.2775, .2775))])
def test_newcombe_published(cells, limits): assert np.allclose(newcombe(*cells), limits, atol=5e-4)


@given(*[st.integers(0, 30)]*4)
def test_paired_difference_is_antisymmetric(e, f, g, h):
    if e+f+g+h == 0: return
    lo, hi = newcombe_paired(e, f, g, h)
    assert -1-1e-12 <= lo <= (f-g)/(e+f+g+h) <= hi <= 1+1e-12
    assert np.allclose(newcombe_paired(e, g, f, h), (-hi, -lo))


def test_tango_is_the_duality_of_mcnemar():
    """Published limits; 0 is outside exactly when McNemar's statistic passes; symmetric; the limits solve the score
    equation, by brute force"""
    assert np.allclose(tango(1, 7, 21), (-.5172, -.0260), atol=1e-4)
    b, c = np.meshgrid(np.arange(25), np.arange(25))
    lo, hi = tango(b, c, 60)
    assert (((lo > 0) | (hi < 0)) == ((b-c)**2 > 1.959963984540054**2*(b+c))).all()
    assert np.allclose(tango(c, b, 60), (-hi, -lo), atol=1e-9)
    assert (lo <= (b-c)/60).all()
    assert (hi >= (b-c)/60).all() and tango(5, 0, 5)[1] == 1 and np.isnan(tango(0, 0, 0)).all()
    q = np.linspace(0, 1, 20001)
    for d in tango(6, 2, 40):
        p1 = q+d
        ok = (p1 >= 0) & (p1+q <= 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            like = np.where(ok, 6*np.log(p1)+2*np.log(q)+32*np.log(1-p1-q), -np.inf)
        best = q[np.nanargmax(like)]
        assert abs(6-2-40*d)/math.sqrt(40*(2*best+d-d*d)) == pytest.approx(1.96, abs=2e-3)


@given(st.lists(st.integers(1, 9), min_size=2, max_size=12))
def test_kish_is_at_most_n(w): assert kish(w) <= len(w)+1e-9 and kish(np.ones(len(w))) == len(w)


def test_groups_that_agree_count_as_rows_and_groups_that_differ_do_not():
    assert effective_n([4]*10, [8]*10, prior=0) == 80 and 68 < effective_n([4]*10, [8]*10) < 69
    # every group all or nothing: one row a group, less the one for the mean
    assert np.isclose(effective_n([0]*5+[8]*5, [8]*10), 9)
    assert "too few groups (4)" in clustered([1]*4, [2]*4).reason and not math.isnan(clustered([1]*5, [2]*5).lo)
    assert clustered([], []).reason == "no trials"


def test_mover_of_a_mean():
    lo, hi = mover(.8, .7, .9, .6, .5, .7, weights=(.5, .5))
    assert np.allclose([lo, hi], [.7-.5*math.sqrt(.02), .7+.5*math.sqrt(.02)])


# --- resampling

rng = np.random.default_rng(0)
Y, P = rng.integers(0, 2, 500), rng.integers(0, 2, 500)


def test_bootstrap_agrees_with_scipy_and_with_the_slow_path():
    ours = bootstrap(accuracy, Y, P, n_resamples=4000, method="bca")
    theirs = stats.bootstrap(((Y == P).astype(float),), np.mean, n_resamples=4000, method="BCa",
                             rng=1).confidence_interval
    slow = bootstrap(lambda a, b: (a == b).mean(), Y, P, n_resamples=2000)
    assert np.allclose([ours.lo, ours.hi], theirs, atol=.006)
    assert np.allclose([ours.lo, ours.hi], [slow.lo, slow.hi], atol=.008)


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_bootstrap_is_seeded_and_blind_to_row_order(method):
    order = np.random.default_rng(3).permutation(500)
    a, b = bootstrap(f1, Y, P, method=method), bootstrap(f1, Y[order], P[order], method=method)
    assert a.as_dict() == bootstrap(f1, Y, P, method=method).as_dict()
    assert np.isclose(a.lo, b.lo, atol=1e-12 if method != "bca" else 5e-3)
    assert a.as_dict() != bootstrap(f1, Y, P, method=method, seed=1).as_dict()


def test_groups_are_drawn_whole():
    g = np.arange(500)//10
    blocks = np.concatenate([s.m for s in replicates(Confusion, Y, Y, groups=g, n_resamples=50)])
    assert (blocks.sum((1, 2)) == 500).all()
    assert "too few groups" in bootstrap(f1, Y, P, groups=np.arange(500) % 3).reason
    assert "t(9)" in bootstrap(f1, Y, P, groups=np.arange(500) % 10).method


def test_strata_keep_their_size():
    for s in replicates(Confusion, Y, P, strata=Y, n_resamples=20): assert (s.positives == Y.sum()).all()


def test_degenerate_bootstraps_say_so():
    assert "degenerate" in bootstrap(f1, Y, Y).reason
    assert "no positives" in bootstrap(sensitivity, [0, 0, 0], [0, 1, 0]).reason


def test_jackknife_leaves_out_rows():
    want = [np.delete(Y == P, i).mean() for i in range(20)]
    assert np.allclose(jackknife(accuracy, Y, P, blocks=500)[:20], want)
    assert np.allclose(jackknife(lambda a, b: (a == b).mean(), Y, P, blocks=500)[:20], want)


@pytest.mark.parametrize("bad,says", [(dict(method="bco"), "percentile, basic or bca"), (dict(groups=[1, 2]), "."), ])
def test_bootstrap_refuses(bad, says):
    with pytest.raises((ValueError, IndexError), match=says): bootstrap(accuracy, Y, P, **bad)


# --- checks at the door

@every("y,kw,says", [
    ([0, .5, 1], {}, "0.5 in row 1"), (["S", "R"], {}, "say labels="), ([0, -1, 1], {}, "in row 1"),
                     (["S", "X"], dict(labels=["S", "R"]), "'X', not among"),
    ([], {}, "empty"), ([[0, 1]], {}, "one class a row"), ([0, math.nan], {}, "nan or infinite in row 1"),
                     ([0, 1], dict(labels=["a"]), "at least two")])
def test_class_codes_refuses(y, kw, says):
    with pytest.raises(ValueError, match=says): class_codes(y, **kw)


def test_class_codes_takes_many_forms():
    import torch
    for y in ([0, 1], [0., 1.], [False, True], np.array([0, 1], "i1"), torch.tensor([0, 1]),
              pd.Series([0, 1], index=[7, 9])): assert class_codes(y).tolist() == [0, 1]
    assert class_codes(np.array(["R", "S"], object), ["S", "R"]).tolist() == [1, 0]


@every("x,kw,says", [([1, "a"], {}, "must be numbers"), ([.1, math.inf], {}, "row 1"),
                     ([2, .1], dict(hi=1), "row 0"), ([], {}, "empty"), ([[1]], {}, "1 axes"),
                     ([math.nan]*9, {}, "rows 0, 1, 2 and 6 more")])
def test_numbers_refuses(x, kw, says):
    with pytest.raises(ValueError, match=says): numbers(x, "x", **kw)


# --- predictions

def preds(n=4, **kw):
    return Predictions(**dict(sample_id=[f"w{i}" for i in range(n)], y_true=np.arange(n) % 2,
                              scores=np.linspace(.1, .9, n)) | kw)


def test_tables_index_join_and_split():
    p = preds(6, facts=pd.DataFrame(dict(drug=list("aabbcc"))), outputs=dict(f=np.arange(12).reshape(6, 2)),
              weight=np.ones(6))
    assert len(p[1:3]) == 2
    assert len(p[p.y_true == 1]) == 3 and len(p[0]) == 1 and p[[3]].outputs["f"].tolist() == [[6, 7]]
    assert (p[:2]+p[2:]).frame().equals(p.frame()) and list(p.by("drug")) == ["a", "b", "c"]


@every("kw,says", [
    (dict(y_true=[0, 1]), "rows differ"), (dict(scores=[.1, .2, .3, 1.1]), "row 3"),
                   (dict(scores=[.1, math.nan, .3, .4]), "row 1"),
                   (dict(y_true=[0, 1, 2, 0]), "2 classes in row 2"),
    (dict(sample_id=["a", "a", "b", "b"]), "2 sample"), (dict(kind="p"), "kind must be"),
                   (dict(scores=np.ones((4, 3))/3), "3 columns for 2 classes"),
    (dict(scores=np.ones((4, 2))), "sum to 1"), (dict(outputs=dict(f=[1])), "output f 1"),
                   (dict(weight=[1, -1, 1, 1]), "row 1"), (dict(y_pred=[1]), "y_pred 1")])
def test_tables_refuse(kw, says):
    with pytest.raises(ValueError, match=says): preds(**kw)


def test_a_sample_may_stand_in_several_variants():
    assert len(preds(sample_id=["a", "a", "b", "b"], variant=["x", "y", "x", "y"])) == 4


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=20))
def test_logits_are_probabilities(x):
    one, two = probabilities(x, "logit"), probabilities(np.c_[np.zeros(len(x)), x], "logit")
    assert np.allclose(one, two[:, 1]) and np.allclose(two.sum(1), 1)


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_predictions_survive_a_file(tmp_path, suffix):
    p = preds(5, y_true=[0, 1, -1, 1, 0], facts=pd.DataFrame(dict(drug=list("aabbc"), well=["A01"]*5)))
    q = read_predictions(p.save(tmp_path / f"p{suffix}"))
    assert q.y_true.tolist() == [0, 1, -1, 1, 0]
    assert q.y_pred.tolist() == p.y_pred.tolist()
    assert np.allclose(q.scores, p.scores) and list(q.facts) == ["drug", "well"]
    wide = Predictions(["a", "b"], [0, 2], np.array([[.2, .3, .5], [.1, .1, .8]]), classes=("S", "I", "R"))
    assert read_predictions(wide.save(tmp_path / f"w{suffix}")).classes == ("S", "I", "R")


def test_same_predictions_give_the_same_bytes(tmp_path):
    a, b = preds().save(tmp_path / "a.parquet"), preds().save(tmp_path / "b.parquet")
    assert a.read_bytes() == b.read_bytes()


sheet = pd.DataFrame(dict(sample_id=["a", "b", "c"], growth=[1, 0, None], y_prob=[.9, .2, .4]))


@every("df,kw,says", [
    (sheet.assign(growth=[1, 2, 0]), {}, "growth must be 0 or 1, or empty; it is 2"),
                      (sheet.drop(columns="growth"), {}, "no column 'y_true'"),
    (sheet.drop(columns="y_prob"), {}, "needs one of y_prob"), (sheet[:0], {}, "empty"),
                      (sheet.assign(y_score=1), {}, "compete"),
                      (sheet.assign(growth=["R", "S", "S"]), {}, "say classes="),
    (sheet, dict(y_score="y_prob"), "say what 'y_prob' holds"), (sheet, dict(y_true="truth"), "no column 'truth'"),
                      (sheet.assign(y_prob=["a", "b", "c"]), {}, "must be numbers"),
    (sheet.assign(sample_id=["a", None, "c"]), {}, "sample_id is empty in row 1"),
                      (sheet, dict(kind="chance"), "kind must be")])
def test_bad_sheets_are_refused(df, kw, says):
    with pytest.raises(ValueError, match=says): read_predictions(df, **kw)


def test_broken_files_are_named(tmp_path):
    (tmp_path / "p.parquet").write_text("no parquet")
    with pytest.raises(ValueError, match="p.parquet cannot be read"): read_predictions(tmp_path / "p.parquet")
    with pytest.raises(FileNotFoundError, match="none.csv"): read_predictions(tmp_path / "none.csv")
    (tmp_path / "p.json").write_text("{}")
    with pytest.raises(ValueError, match="p.json"): read_predictions(tmp_path / "p.json")


# --- criteria

def test_shipped_profiles_read_and_dimension_weights_sum_to_one():
    assert {"mic-release", "mic-clinical"} <= set(profiles())
    w = {}
    for c in read_profile("mic-release").criteria: w[c.dimension] = w.get(c.dimension, 0)+c.weight
    assert len(w) == 4 and all(np.isclose(v, 1) for v in w.values())


@every("on,score,status", [
    ("value", proportion(9, 10), "pass"), ("value", proportion(89, 100), "fail"), ("lo", proportion(99, 100), "pass"),
                           ("lo", proportion(95, 100), "insufficient n"),
    ("lo", proportion(50, 100), "fail"), ("hi", proportion(50, 100), "fail"),
                           ("lo", Score(.95, n=3, reason="too few groups"), "insufficient n"),
                           ("value", None, "not evaluated"),
    ("value", NotApplicable("no heads"), "not applicable"), ("value", Score(reason="no positives"), "insufficient n"),
                           ("value", .95, "pass")])
def test_outcomes(on, score, status): assert judge_one(Criterion("m", .9, "min", on=on), score).status == status


def test_a_verdict_is_as_bad_as_its_worst_criterion():
    r = Result(overall=Result(false_negative_rate=proportion(0, 400), false_positive_rate=proportion(40, 400)))
    v = judge(r, "mic-clinical")
    assert v.status == "fail"
    assert not v.passed and v.count()["pass"] == 1 and from_json(to_json(v.result())).status == "fail"
    assert judge(Result(), "mic-clinical").status == "not evaluated"


@pytest.mark.parametrize("text,says", [
    ("criteria: []", "needs a list"), ("criteria: [{metric: a, limit: 1}]", "lacks direction"),
                                       ("criteria: [{metric: a, limit: x, direction: min}]", "limit must be a number"),
    ("criteria: [{metric: a, limit: 1, direction: min, wieght: 2}]", "did you mean 'weight'"),
                                       ("a: [", "profile p.yml"), ("criteria: [3]", "no mapping")])
def test_bad_profiles_are_refused(tmp_path, text, says):
    (tmp_path / "p.yml").write_text(text)
    with pytest.raises(ValueError, match=says): read_profile(tmp_path / "p.yml")


# --- the metric's surroundings

@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(1, 4)), min_size=1, max_size=30))
def test_frequency_weights_are_repetition(rows):
    y, p, w = map(np.array, zip(*rows))
    for m in (accuracy, sensitivity, f1, mcc, balanced_accuracy):
        a, b = m(y, p, sample_weight=w, frequency=True, n_resamples=20), m(y.repeat(w), p.repeat(w), n_resamples=20)
        assert a.n == b.n
        assert np.allclose([a], [b], equal_nan=True)
        assert (m in (mcc,) or np.allclose([a.lo, a.hi], [b.lo, b.hi], equal_nan=True))


def test_weights_never_change_n():
    s = sensitivity(Y, P, sample_weight=np.full(500, 1000.))
    assert s.n == Y.sum() and np.isclose(s.lo, sensitivity(Y, P).lo) and s.method == "wilson"   # equal weights are none


def test_unknown_things_are_refused():
    with pytest.raises(ValueError, match="unknown interval method 'jeffreys'"): f1(Y, P, method="jeffreys")
    with pytest.raises(ValueError, match="for shares"): f1(Y, P, method="clopper-pearson")
    with pytest.raises(ValueError, match="y_true 500, y_pred 2"): f1(Y, P[:2])
    with pytest.raises(ValueError, match="average must be"): f1(Y, P, average="most")
    assert isinstance(f1, Metric) and "y_pred" in str(__import__("inspect").signature(f1))


def test_help_of_every_metric_names_its_parameters():
    from mic_eval import metrics as M
    from mic_eval.core.rooms import PARAMETERS
    from mic_eval.core.metric import Metric
    found = {n: o for n in dir(M) if isinstance(o := getattr(M, n), Metric)}
    assert {"sensitivity", "recall", "roc_auc", "ece", "net_benefit"} <= set(found)
    for name, m in found.items():
        shown = pydoc.render_doc(m, renderer=pydoc.plaintext)
        assert f"`{name}({next(iter(inspect.signature(m).parameters))}, " in shown
        for p in inspect.signature(m).parameters: assert f"- {p}: {PARAMETERS[p]}" in shown


def test_files_are_written_as_json_writes_them():
    scalars = [1, 2.5, None, True, False, "x\n\"é汉\u2028\x07", 1e-320, 1e22, -0., 10**30]
    v = dict(a={}, b=[], c=scalars, d=dict(e=[dict(f={}), [[]]]))
    assert to_json(Result(v)) == json.dumps({"schema": 2, **v}, ensure_ascii=False, indent=1)+"\n"
    whole = Score(.25, .1, .5, k=5, n=20, groups=7, method="Wilson \"é\"", level=.9)
    for s in (whole, Score(), Score(-0., n=2.5), Score(.5, .4, k=1.5, n=3, reason="x\n")):
        one, d = dict(deep=dict(one=[s, s], two=s)), s.as_dict()
        plain = dict(deep=dict(one=[d, d], two=d))
        assert to_json(Result(one)) == json.dumps({"schema": 2, **plain}, ensure_ascii=False, indent=1)+"\n"


@every("groups", [list("bbaac"), list("babca"), [2, 2, 0, 5], [1.5, 1.5, -1.], ["x"], [], list("aaaa"),
                  pd.Series(["b", "b", "é", "b"]), np.array(["10", "9", "9"], object)])
def test_groups_are_numbered_as_their_names_sort(groups):
    "Whether their rows lie together or not"
    codes, G = group_codes(groups)
    names, expected = np.unique(np.asarray(groups), return_inverse=True)
    assert codes.tolist() == expected.reshape(-1).tolist() and G == len(names)


def test_a_column_of_words_is_text_whether_they_repeat_or_not():
    for words in (["a", "éé", "a", "a", "b"], ["a", "b", "c"], [], ["nan", None, "nan", None, "x"]):
        for kind in (object, "str"):
            column = pd.Series(words, dtype=kind)
            expected = np.array([str(o) for o in column.astype(object)], str)
            assert column_text(column).tolist() == expected.tolist() and column_text(column).dtype.kind == "U"


def test_a_signature_shows_who_hears_nothing_by_name():
    import importlib
    import inspect
    import pickle
    import pkgutil
    import mic_eval
    from mic_eval.core.progress import unheard
    seen = 0
    for found in pkgutil.walk_packages(mic_eval.__path__, "mic_eval."):
        if found.name.endswith("__main__"): continue
        module = importlib.import_module(found.name)
        for name in getattr(module, "__all__", ()):
            o = getattr(module, name)
            if not callable(o): continue
            try: parameters = inspect.signature(o).parameters
            except (TypeError, ValueError): continue   # a property that says it
            for p in ("tell", "step", "stop", "ready"):
                if p not in parameters: continue
                seen += parameters[p].default is unheard
                assert "0x" not in str(parameters[p]), f"{found.name}.{name}: {parameters[p]}"
    assert seen > 20
    assert repr(unheard) == "unheard" and unheard("said", 3) is None and pickle.loads(pickle.dumps(unheard)) is unheard
