"What a verdict must know of a table (`core.evidence`), against loops, enumerations and edges by hand"
import itertools
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from mic_eval.core import evidence
from mic_eval.core.evidence import (
    alike_names, copies_of, first_of_each, known_again, missing_in, named_again, pasted_again, scored_again,
    shared_rows)
from mic_eval.core.predictions import Predictions

every = pytest.mark.parametrize


def rows(s, y, names=None, **more):
    names = [f"a{chr(97+i % 26)}{i*7919 % 10007}x" for i in range(len(y))] if names is None else names
    return Predictions(np.array(names), np.array(y), np.array(s, float), **more)


def drawn(n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.uniform(.01, .99, n).round(4)+rng.uniform(1e-5, 9e-5, n), rng.integers(0, 2, n)    # many digits


# --- rows that stand twice

@every("length, found", [(8, True), (7, False)])
@every("at", [30, 52])
def test_a_block_that_was_pasted_has_eight_rows_at_least(length, found, at):
    codes = [*range(60-8)]
    codes = codes[:at]+codes[10:10+length]+codes[at:]
    expected = list(range(len(codes)))
    if found: expected[at:at+length] = range(10, 10+length)
    assert pasted_again(codes).tolist() == expected


def test_a_copy_of_a_copy_is_one_of_the_first():
    block = [*range(100, 112)]
    codes = block+[*range(20)]+block+[*range(30, 40)]+block
    at = {c: i for i, c in reversed([*enumerate(codes)])}
    assert pasted_again(codes).tolist() == [at[c] for c in codes]


def test_few_values_repeat_by_chance():
    "64 rows of two values hold no stretch that could be told from a cycle"
    assert pasted_again([0, 1]*32).tolist() == list(range(64))
    assert pasted_again([*range(8)]).tolist() == list(range(8)) == pasted_again(list("aaaaaaaa")).tolist()


@every("order", ["below", "shuffled"])
@every("times", [2, 3])
def test_a_table_that_was_pasted_whole_keeps_one_of_each_row_and_a_pair_that_stood_in_it(order, times):
    s, y = drawn(20)
    s, y = np.r_[s, s[3]], np.r_[y, y[3]]
    at = np.tile(np.arange(21), times)
    if order == "shuffled": at = np.random.default_rng(1).permutation(at)
    p = rows(s[at], y[at])
    kept = first_of_each(p)
    assert sorted(s[at][kept]) == sorted(s)
    places = copies_of(p)
    assert (s[at][places] == s[at]).all() and (places <= np.arange(len(p))).all() and (places[places] == places).all()


def test_rows_that_were_copied_here_and_there_copy_the_first_like_them():
    s, y = drawn(200)
    rng = np.random.default_rng(5)
    at = rng.permutation(np.r_[np.arange(200), rng.choice(200, 30, replace=False)])
    first = {}
    expected = [first.setdefault(o, i) for i, o in enumerate(at)]
    assert copies_of(rows(s[at], y[at])).tolist() == expected
    mixed = y[at].copy()
    mixed[[i for i, o in enumerate(expected) if i != o]] ^= 1      # the same score, the other truth: those of a tree
    assert copies_of(rows(s[at], mixed)).tolist() == list(range(230))


@every("copies, more", [(14, False), (15, True)])
def test_meeting_more_often_than_neighbours_do(copies, more):
    "15 pairs are more than ten and three tenths of the 15 pairs that meet in one digit less; 14 are not"
    s = np.linspace(.0123456789, .98, 120)
    assert evidence._more_than_chance(np.r_[s, s[40:40+copies]]) == more
    assert not evidence._more_than_chance(np.r_[s, np.repeat([.001, .999], 40)])      # near 0 and 1 many are alike


@every("k, clipped", [(3, 0), (4, 4)])
@every("end", [0., 1.])
def test_rows_at_an_end_are_clipped_where_more_than_three_times_as_many_stand_there(k, clipped, end):
    s = np.r_[np.full(k, end), np.linspace(.1, .9, 20)]
    assert evidence._clipped(s).sum() == clipped and not evidence._clipped(s)[k:].any()


def rounded16(s): return (s.astype(np.float32).view(np.uint32) & 0xFFFF0000).view(np.float32).astype(float)


@every("s, grid", [
    (np.arange(1, 40)/41, True), (1/(1+np.exp(-np.arange(-15, 15)*.37)), True), (np.arange(1, 40)/100, False),
    (np.r_[0, np.arange(1, 41)/41], True), (np.random.default_rng(0).uniform(size=60), False),
    (np.random.default_rng(0).uniform(size=60).astype(np.float16), True),
    (rounded16(np.random.default_rng(0).uniform(size=60)), True),
    (np.random.default_rng(0).uniform(size=60).astype(np.float32), False)])
def test_scores_that_only_steps_or_sixteen_bits_can_have(s, grid):
    assert evidence._on_a_grid(np.unique(np.asarray(s, float))) == grid


@every("pure, one", [(7, False), (8, True)])
def test_most_scores_of_copies_go_with_one_truth(pure, one):
    s = np.repeat(np.arange(10.), 2)
    y = np.array([(0, 0) if i < pure else (0, 1) for i in range(10)]).ravel()
    assert evidence._of_one_truth(np.r_[s, 50, 51], np.r_[y, 0, 1]) == one


# --- what is missing, what is called alike

def test_rows_without_a_truth_are_counted_in_each_group():
    rng = np.random.default_rng(3)
    facts = pd.DataFrame(dict(site=rng.choice(["B", "A", None], 60), lot=rng.integers(8, 12, 60)))
    known = rng.random(60) < .7
    m = missing_in(SimpleNamespace(facts=facts), known, ["lot", "site", "ward"])
    assert (m.k, m.n, list(m.by)) == ((~known).sum(), 60, ["lot", "site"])
    for fact, groups in m.by.items():
        assert list(groups) == sorted(map(str, facts[fact].dropna().unique()))
        for g, o in groups.items():
            at = facts[fact].map(str, na_action="ignore") == g
            assert (o.k, o.n) == ((at & ~known).sum(), at.sum())
    assert missing_in(None, np.ones(3, bool)) == missing_in(None, np.zeros(3, bool)) == {}


def test_names_that_differ_in_case_width_or_blanks_are_told_once_a_column():
    facts = pd.DataFrame(dict(a=["ICU", "icu", "Ｉ C U", None], b=["x", "y", "xy", "z"], c=[1, 2, 3, 4]))
    assert alike_names(facts, ["b", "a", None, "none", "a", "c"]) == [["a", "ICU", "icu"], ["a", "ICU", "Ｉ C U"]]


# --- why a table decides nothing

@every("seed", range(4))
def test_by_how_many_standard_errors_wrong_rows_are_heavy_is_that_of_every_deal(seed):
    "The mean and the variance of the weight of the wrong rows over all ways to deal them within their part"
    rng = np.random.default_rng(seed)
    part, w = np.array([0]*5+[1]*4+[2]), rng.integers(1, 9, 10).astype(float)
    wrong = np.array([1, 1, 0, 0, 0, 0, 1, 0, 0, 1], bool)
    sums = []
    for a, b in itertools.product(itertools.combinations(w[:5], 2), itertools.combinations(w[5:9], 1)):
        sums.append(sum(a)+sum(b))
    seen = w[wrong].sum()-w[9]
    assert evidence._differs(w, wrong, part) == pytest.approx((seen-np.mean(sums))/np.std(sums))
    assert np.isnan(evidence._differs(w, part == 0, part))            # each part all right or all wrong
    assert evidence._differs(np.ones(10), wrong, part) == 0


def weighed(wrong, light, n=60, **facts):
    y = np.tile([0, 1], n//2)
    calls, w = y.copy(), np.linspace(1, 1.001, n)
    calls[:wrong] ^= 1
    w[:wrong] = light
    facts = pd.DataFrame(facts) if facts else None
    return Predictions(np.arange(n).astype(str), y, y_pred=calls, weight=w, facts=facts)


@every("wrong, light, told", [(10, .1, True), (9, .1, False), (50, .1, True), (51, .1, False), (10, 2, False)])
def test_weights_that_know_the_errors_decide_nothing(wrong, light, told):
    p = weighed(wrong, light)
    why = evidence._weighed_down(p, np.ones(60, bool))
    assert bool(why) == told
    if told: assert str(why).startswith(f"the {wrong} rows that are called wrongly weigh 0.1 on average")


def test_weights_of_strata_that_were_sampled_unequally_are_no_lie():
    rare = np.r_[["rare"]*12, ["common"]*48]
    w = np.where(rare == "rare", .1, 1.)
    p = weighed(10, .1, stratum=rare)
    p = Predictions(p.sample_id, p.y_true, y_pred=p.y_pred, weight=w, facts=p.facts)
    assert evidence._weighed_down(p, np.ones(60, bool)) == ""
    without = Predictions(p.sample_id, p.y_true, y_pred=p.y_pred, weight=w)
    assert evidence._weighed_down(without, np.ones(60, bool)) != ""


@every("units, each, mixed, told", [(8, 3, 0, True), (7, 4, 0, False), (29, 3, 0, True), (30, 3, 0, False),
                                    (10, 3, 1, False), (10, 2, 0, False)])
def test_rows_that_are_few_units_by_their_names(units, each, mixed, told):
    y = np.repeat(np.arange(units) % 2, each)
    y[:mixed] ^= 1
    names = [f"P{i}_{j}" for i in range(units) for j in range(each)]
    p = rows(np.linspace(.1, .9, len(y)), y, names)
    why = evidence._few_by_name(p, np.ones(len(y), bool))
    assert isinstance(why, str) and bool(why) == told
    if told: assert f"{units*each} rows are those of {units} units, such as 'P0'" in str(why)
    names[-1] = "control"
    assert evidence._few_by_name(rows(np.linspace(.1, .9, len(y)), y, names), np.ones(len(y), bool)) == ""


def trials(values, sets=3, seeds=2):
    at = [(f"set{i}", k) for i in range(sets) for k in range(seeds)]
    return SimpleNamespace(method=["m"]*len(at), data=[a for a, _ in at], setting=["s"]*len(at),
                           seed=[k for _, k in at], values=values(at))


@every("values, sets, told", [
    (lambda at: [dict(acc=i, f1=2) for i, _ in at], 3, True), (lambda at: [dict(acc=i, f1=2) for i, _ in at], 2, False),
    (lambda at: [dict(acc=i, f1=k) for i, k in at], 3, False),
    (lambda at: [dict([("acc", i), ("f1", 2)][::1-2*k]) for i, k in at], 3, True)])
def test_seeds_that_change_no_digit_are_one_trial(values, sets, told):
    said = evidence._seeds_alike(trials(values, sets))
    assert bool(said) == told and (not told or "all 2 seeds of a method" in str(said))


@every("facts, n, name", [
    (dict(Split=["train", " TRAIN ", "test", "val"]), 2, "'train'"),
    (dict(划分=["训练集", "训练集", "测试", "测试"]), 2, "'训练集'"),
    (dict(is_train=[1, 0, 1, 1]), 2, "'is_train'"), (dict(Trained_On=["Yes", "y", "no", "yes"]), 2, "'Trained_On'"),
    (dict(split=["test"]*4, is_train=[0]*4), 0, ""), (dict(site=["train"]*4), 0, ""),
    (dict(split=["test", "test", "test", "train"]), 0, "")])
def test_rows_from_which_models_learn_are_counted_among_those_that_are_judged(facts, n, name):
    said = evidence._learned_from(SimpleNamespace(facts=pd.DataFrame(facts)), np.array([1, 1, 1, 0], bool))
    assert str(said).startswith(f"{n} of 3 judged rows are of the split {name}") if n else said == ""


# --- rows that were seen before

@every("shared, found", [(5, 0), (6, 6), (20, 20)])
@every("turn", [False, True])
def test_rows_are_known_again_by_six_scores_at_least_with_their_truths(shared, found, turn):
    s, y = drawn(60)
    t, z = drawn(60, 1)
    t[10:10+shared], z[10:10+shared] = s[:shared], y[:shared]
    if turn: z[10:10+shared] ^= 1                                    # the same score of the other truth is no copy
    p, q = rows(s, y, [f"p{i}" for i in range(60)]), rows(t, z, [f"q{i}" for i in range(60)])
    at = scored_again(q, p)
    assert np.flatnonzero(at).tolist() == ([] if turn else list(range(10, 10+found)))
    assert shared_rows(p, q) == (0 if turn else found)
    assert scored_again(q, rows(s.round(2), y)) is None


def test_few_of_many_rows_are_no_second_showing():
    "6 of 120 are a twentieth, and 7 are more"
    (s, y), (t, z) = drawn(120), drawn(120, 1)
    for k, n in ((6, 0), (7, 7)):
        t[:k], z[:k] = s[:k], y[:k]
        assert scored_again(rows(t, z), rows(s, y)).sum() == n


def test_names_count_before_scores():
    (s, y), (t, z) = drawn(30), drawn(40, 1)
    p = rows(s, y, [f"x{i}" for i in range(30)])
    q = rows(t, z, [f"x{i}" for i in range(28, 68)])
    assert shared_rows(p, q) == shared_rows(q, p) == 2
    q = rows(t, z, [f"x{i}" for i in range(28, 68)], variant=np.full(40, "later"))
    assert shared_rows(p, q) == 0


@every("names, counts", [
    (["IMG_01.png", "IMG_02.png"], True), (["IMG_9.png", "IMG_10.png", "IMG_8.png"], True), (["a1", "a2", "a4"], False),
    (["a1", "b2", "a3"], False), (["1", "2", "x"], False), (["4", "17"], True), (["a1b", "a2b", "a3c"], False)])
def test_names_that_only_count(names, counts):
    assert evidence._counts(pd.Series(names)) == counts


def test_names_are_known_again_where_they_say_more_than_a_number():
    assert named_again(["k7q", "z3", " b4"], ["b4", "k7q", "k9"]).tolist() == [True, False, True]
    assert named_again(["1", "2", "3"], ["k7", "b4", "z3"]) is None
    assert named_again(["k7", "b4"], ["1", "2", "3"]) is None


def test_how_often_rows_of_one_table_meet_is_counted_over_all_pairs():
    a, b = pd.Series(list("aabbbc")), pd.Series(list("abcdee"))
    def share(c): return (sum(x == y for x, y in itertools.combinations(c, 2))+3)/15
    assert evidence._meet(a) == pytest.approx(share(a)) and evidence._meet(a, b) == pytest.approx(share(b))
    assert evidence._meet(pd.Series(["a", "a"])) == 1


def test_rows_are_known_again_by_what_they_hold_and_not_by_what_is_said_of_them():
    rng = np.random.default_rng(2)
    old = pd.DataFrame(dict(id=range(50), age=rng.normal(60, 9, 50).round(3), ph=rng.normal(7, 1, 50).round(3),
                            truth=rng.integers(0, 2, 50)))
    new = pd.concat([old[:4], pd.DataFrame(dict(id=range(26), age=rng.normal(60, 9, 26), ph=rng.normal(7, 1, 26),
                                                truth=0))], ignore_index=True)
    assert known_again(new, old, ["truth"]).tolist() == [True]*4+[False]*26
    kept = new.assign(age=new.age.astype(np.float32))                 # as a file may keep it
    assert known_again(kept, old, ["truth"]).sum() == 4
    assert known_again(new[["id", "truth"]], old, ["truth"]) is None
    assert known_again(new[["truth"]], old) is None and known_again(new[:0], old) is None
