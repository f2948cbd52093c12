"What `core` computes, each against a value worked out another way: a loop, another formula, an edge, a symmetry"
import math
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mic_eval.core import criteria, sheets
from mic_eval.core.criteria import Criterion, Judged, Profile, judge, judge_one, read_profile, units_needed
from mic_eval.core.files import budget, budget_from, within_budget
from mic_eval.core.intervals import proportion
from mic_eval.core.results import NotApplicable, Result, Score

nan, every = math.nan, pytest.mark.parametrize


# --- limits and verdicts

@every("direction, lo, hi, status", [
    ("min", .3, nan, "insufficient n"), ("min", .5, nan, "pass"), ("min", .3, .4, "fail"),
    ("min", .3, .5, "insufficient n"), ("max", .3, nan, "insufficient n"), ("max", nan, .7, "insufficient n"),
    ("max", .6, .7, "fail"),
    ("max", nan, .5, "pass"), ("max", .5, .7, "insufficient n")])
def test_a_limit_is_missed_for_certain_only_where_both_ends_are_known_to_miss_it(direction, lo, hi, status):
    "An open end (too few rows for an upper limit) may lie on the good side"
    assert judge_one(Criterion("m", .5, direction, on="bound"), Score(.6, lo, hi, reason="few")).status == status


def test_groups_without_a_number_of_rows_are_judged():
    assert judge_one(Criterion("m", .5, "min", on="bound"), Score(.6, .55, .8, groups=5)).status == "pass"
    assert judge_one(Criterion("m", .5, "min", on="bound", least=1), Score(.6, .55, .8, groups=5)).status != "pass"


@every("score, status", [(Score(.6), "pass"), (.6, "pass"), (Score(.6, k=6, n=10), "insufficient n"),
                         (Score(.9, .6, .98, k=9, n=10), "pass"), (Score(.6, reason="few"), "insufficient n")])
def test_a_number_that_no_sample_estimates_is_judged_by_itself(score, status):
    "Six of ten reach one half, and their lower limit does not"
    assert judge_one(Criterion("m", .5, "min", on="bound"), score).status == status


@every("different, taken", [(1, False), (2, True), (50, True), (51, False)])
def test_groups_are_required_from_two_to_fifty(different, taken):
    word = next(o for o in criteria.field_named("classification").required if o != "class")
    t = SimpleNamespace(facts=pd.DataFrame({word: [f"s{i % different}" for i in range(102)]}), classes=("a", "b"))
    assert criteria.required_groups("classification", t) == (word,)*taken


def binomial(ks, n, p): return sum(math.comb(n, k)*p**k*(1-p)**(n-k) for k in ks)


@every("direction", ["min", "max"])
@every("k", [0, 1, 5, 19, 20])
def test_how_probable_a_count_is_where_the_limit_is_just_met(direction, k):
    ks = range(k+1) if direction == "min" else range(k, 21)
    p = criteria._p_met(Criterion("m", .3, direction), proportion(k, 20))
    assert p == pytest.approx(binomial(ks, 20, .3))


@every("level", [.9, .95])
@every("direction, limit, half", [("min", .8, .12), ("max", .5, .1)])
def test_how_probable_a_number_is_where_the_limit_is_just_met(direction, limit, half, level):
    "By the half of its interval that points to the limit"
    error = half/stats.norm.isf((1-level)/2)
    for counts in ({}, dict(k=13.5, n=20), dict(k=13, n=20, groups=9)):
        s = Score(.68, .58, .80, level=level, **counts)
        p = criteria._p_met(Criterion("m", limit, direction), s)
        assert p == pytest.approx(stats.norm.sf(abs(.68-limit)/error))
    assert criteria._p_met(Criterion("m", limit, direction), Score(.68, .68, .68)) == 0


@every("ps", [(.001, .02, .2), (.02, .001, .03), (.0124, .0166, .02), (.013, .013, .001), (.04,),
              (.011, .011, .011, .4)])
@every("silent", [0, 1, 4])
def test_failures_of_several_groups_stand_by_holm(ps, silent):
    "Step down by hand: the smallest p against .05 / m, the next against .05 / (m-1) ... until one is larger"
    c = Criterion("m", .5, "min", on="bound")
    def failed(p):
        value = .5-.1*stats.norm.isf(p)
        return Judged(c, "fail", Score(value, value-.3, value+.1*stats.norm.isf(.025)))
    js = [failed(p) for p in ps]+[Judged(c, "pass", Score(.9, .8, .95))]*silent+[Judged(c, "not evaluated")]
    js.append(Judged(c, "insufficient n", Score(reason="undefined")))
    m, stand = len(ps)+silent, set()
    for rank, i in enumerate(np.argsort(ps, kind="stable")):
        if ps[i] > .05/(m-rank): break
        stand.add(i)
    out = criteria._claimed(js)
    assert {i for i, j in enumerate(out) if j.status == "fail"} == stand
    assert {j.status for i, j in enumerate(out[:len(ps)]) if i not in stand} <= {"insufficient n"}
    assert out[len(ps):] == js[len(ps):]
    sure = [criteria.replace(j, criterion=criteria.replace(c, on="value")) for j in js]
    assert criteria._claimed(sure) == sure


@every("direction", ["min", "max"])
def test_an_exact_limit_is_decided_as_the_binomial_test_decides(direction):
    c = Criterion("m", .8, direction, on="bound", interval="clopper-pearson", sides=1)
    good, bad = ("greater", "less") if direction == "min" else ("less", "greater")
    seen = set()
    for n in (5, 20, 60):
        for k in range(n+1):
            p = {way: stats.binomtest(k, n, .8, alternative=way).pvalue for way in ("greater", "less")}
            expected = "pass" if p[good] <= .05 else "fail" if p[bad] <= .05 else "insufficient n"
            seen.add(expected)
            assert judge_one(c, proportion(k, n)).status == expected
    assert len(seen) == 3


@every("held, asked, known", [(.95, .95, True), (.99, .95, True), (.95, .99, False), (.9, .95, False)])
def test_limits_that_cannot_be_computed_anew_hold_at_their_level_and_below(held, asked, known):
    s, c = Score(.7, .6, .8, level=held), Criterion("m", .5, "min", on="lo", level=asked)
    assert judge_one(c, s).status == ("pass" if known else "not evaluated")
    one_sided = criteria.replace(c, level=(1+asked)/2, sides=1)     # 97.5 % on one side are 95 % on two
    assert judge_one(one_sided, s).status == ("pass" if known else "not evaluated")


@every("k, n, missing", [(95, 100, 10), (8, 10, 3), (0, 5, 1)])
@every("direction", ["min", "max"])
def test_rows_that_are_missing_count_as_gone_wrong(k, n, missing, direction):
    bad = missing if direction == "max" else 0
    s = criteria._gone_wrong(Criterion("m", .5, direction), proportion(k, n), missing, None)
    whole = proportion(k+bad, n+missing)
    assert (float(s), s.lo, s.hi, s.k, s.n) == (float(whole), whole.lo, whole.hi, whole.k, whole.n)
    grouped = Score(k/n, max(k/n-.1, 0), min(k/n+.05, 1), k=k, n=n, groups=4, level=.9)
    t = criteria._gone_wrong(Criterion("m", .5, direction), grouped, missing, None)
    move = float(whole)-k/n
    assert (float(t), t.lo, t.hi) == pytest.approx((float(whole), grouped.lo+move, grouped.hi+move))
    assert (t.k, t.n, t.groups, t.level) == (whole.k, whole.n, 4, .9)


@every("direction, limit, value", [("min", -.1, (2-10-5)/105), ("max", .1, (2-10+5)/105)])
def test_a_difference_of_shares_is_missing_on_its_bad_side(direction, limit, value):
    whole = Score(-.08, -.15, -.01, k=-8, n=100, level=.9)
    s = criteria._gone_wrong(Criterion("bias", limit, direction), whole, 5, None)
    assert (float(s), s.lo, s.hi, s.n) == pytest.approx((value, -.15+value+.08, -.01+value+.08, 105))


@every("least, n", [(None, 40), (30, 30), (50, 40)])
def test_a_mean_is_missing_over_the_fewest_rows_that_it_may_rest_on(least, n):
    for direction, bad in (("min", 0), ("max", 5)):
        s = criteria._gone_wrong(Criterion("roc_auc", .5, direction), Score(.8, .7, .9, n=40), 5, least)
        value = (.8*n+bad)/(n+5)
        assert (float(s), s.lo, s.hi, s.n) == pytest.approx((value, value-.1, value+.1, n+5))
    assert criteria._gone_wrong(Criterion("nobody_knows", 3, "max"), Score(.8, .7, .9, n=40), 5, None) is None


@every("parts, said", [(2, "a: x; likewise b"), (4, "a: x; likewise b, c, d"), (5, "a: x; likewise b, c, d and 1 more"),
                       (1, "a: x")])
def test_the_gravest_group_names_three_like_it(parts, said):
    js = [Judged(Criterion("m", .5, "min"), "fail", why="x", group=g) for g in "abcde"[:parts]]
    assert str(criteria._named([*js, Judged(js[0].criterion, "insufficient n", why="y", group="z")]).why) == said


@every("n, groups, alone", [(5, "", True), (6, "", False), (5, "a / ", True), (5, "a", False), (0, "", True)])
def test_a_few_rows_without_a_group_are_judged_with_the_whole(n, groups, alone):
    "5 of 100 are a twentieth"
    whole, j = (SimpleNamespace(score=Score(.5, n=n), group=groups) for n in (100, n))
    assert criteria._nameless(j, whole) == alone


def test_as_many_units_as_decide_are_the_first_of_a_row_that_grows_by_a_quarter():
    c = Criterion("m", .9, "min", on="lo", interval="clopper-pearson", sides=1)
    s = proportion(19, 20)
    n = units_needed(c, s)
    sizes = [math.ceil(20*1.25**i) for i in range(1, 50)]
    def decided(n): return judge_one(c, proportion(round(.95*n), n)).status != "insufficient n"
    assert decided(n) and not any(map(decided, sizes[:sizes.index(n)])) and judge_one(c, s).status == "insufficient n"
    assert units_needed(Criterion("m", .95, "min", on="lo"), s) is None     # no number of them shows what is just met
    assert units_needed(Criterion("m", .9, "min", on="lo", least=30), Score(.5)) == 30
    assert units_needed(Criterion("m", .9, "min", on="lo"), Score(.5)) is None


def per_class(**sensitivity):
    classes = Result((k, Result(sensitivity=s)) for k, s in sensitivity.items())
    return Result(report=Result(per_class=Result(classes=classes)))


@every("k, n, status", [(50, 100, "fail"), (75, 100, "pass"), (9, 10, "pass"), (8, 9, "insufficient n"),
                          (95, 100, "pass")])
def test_a_class_fails_accuracy_only_where_it_is_surely_lost(k, n, status):
    "Accuracy is no number of one class: 75 of 100 may lie below .8, and 9 of 9 classes do not show it"
    c = Criterion("accuracy", .8, "min", on="bound")
    found = {j.group: j.status for j in criteria._in_classes(c, per_class(a=proportion(k, n), b=proportion(300, 300)))}
    assert found == dict(a=status, b="pass")


def table(**facts): return SimpleNamespace(facts=pd.DataFrame(facts), classes=("a", "b"))


@every("different, taken", [(1, False), (2, True), (50, True), (51, False)])
def test_groups_are_watched_from_two_to_fifty(different, taken):
    t = table(ward=[f"w{i % different}" for i in range(102)], notes=[f"n{i % 2}" for i in range(102)])
    p = Profile("p", (Criterion("accuracy", .5, "min"),), watched=("ward",)*0)
    assert criteria.with_groups(p, "classification", t).watched == ("ward",)*taken
    for kept in (None, criteria.replace(p, groups=("drug",)), criteria.replace(p, pooled=True)):
        assert criteria.with_groups(kept, "classification", t) is kept


def test_a_column_that_is_watched_by_name_is_watched_once():
    p = Profile("p", (Criterion("accuracy", .5, "min"),), watched=("shift", "ward"))
    t = table(ward=["a", "b"], year=[1, 2])
    assert criteria.with_groups(p, "classification", t).watched == ("shift", "ward", "year")


def test_a_group_that_could_not_be_computed_is_not_evaluated_and_one_without_a_truth_is_undecided():
    c = Criterion("accuracy", .5, "min", on="bound")
    site = Result(A=Result(accuracy=proportion(99, 100)), B=Result(accuracy=NotApplicable("no heads")))
    missing = Result(k=9, n=209, by=Result(site=Result(A=Result(k=1, n=101), C=Result(k=8, n=8))))
    r = Result(overall=Result(accuracy=proportion(199, 200)), by=Result(site=site),
               data=Result(evidence=Result(missing=missing)))
    v = judge(r, Profile("p", (c,), groups=("site",)))
    assert {p.group: p.status for p in v.judged[0].parts} == dict(A="pass", B="not evaluated", C="insufficient n")
    assert v.status == "insufficient n"
    del r["by"]
    assert judge(r, Profile("p", (c,), groups=("site",))).judged[0].parts == ()


def test_a_profile_is_read_as_it_is_written(tmp_path):
    (tmp_path/"p.yml").write_text("title: T\nsource: S\ndate: 2024-01-02\ngroups: []\ncriteria:\n"
                                  "- {metric: accuracy, limit: 1, direction: min, on: hi, date: 2020-02-03}\n"
                                  "- {metric: accuracy, limit: 0, direction: max, note: 7}\n")
    p = read_profile(tmp_path/"p.yml")
    assert [(c.on, c.source, c.date, c.note) for c in p.criteria] == [("hi", "S", "2020-02-03", ""),
                                                                      ("bound", "S", "2024-01-02", "7")]
    assert (p.name, p.title, p.date, p.pooled, p.groups) == ("p", "T", "2024-01-02", True, ())
    for limit in ("1.01", "-0.01"):
        (tmp_path/"q.yml").write_text(f"criteria: [{{metric: accuracy, limit: {limit}, direction: min}}]")
        with pytest.raises(ValueError, match="lies outside 0 to 1; shares"): read_profile(tmp_path/"q.yml")
    (tmp_path/"q.yml").write_text("criteria: [{metric: accuracy, limit: 1, direction: min, note: [a]}]")
    with pytest.raises(ValueError, match="note must be text"): read_profile(tmp_path/"q.yml")


def test_a_rate_over_another_denominator_is_refused():
    r = Result(overall=Result(vme=proportion(0, 300), denominators=Result(vme="all isolates")))
    c = Criterion("vme", .1, "max", of="resistant isolates")
    j = judge(r, Profile("p", (c,))).judged[0]
    assert j.status == "not evaluated" and j.score is None
    assert str(j.why) == "the rate is over all isolates, the limit over resistant isolates"
    del r["overall"]["denominators"]
    assert judge(r, Profile("p", (c,))).status == "pass"


# --- a table for a paper

@every("score, cell", [
    (Score(-.2, -.3, -.1), "-0.200 (-0.300 to -0.100)"), (Score(.1, -.1, .3), "0.100 (-0.100 to 0.300)"),
    (Score(.2, .1, .3), "0.200 (0.100-0.300)"), (Score(.9, .5), "0.900 (≥ 0.500)"), (Score(.9), "0.900"),
    (Score(.25, 0, .5, k=5, n=20), "25.0 (0.0-50.0)")])
def test_limits_below_zero_keep_their_sign_in_print(score, cell):
    "In LaTeX two hyphens are one dash: a second minus behind it is lost"
    assert sheets.paper_cell(score) == cell
    line = sheets.paper_latex(pd.DataFrame(dict(x=[cell]), index=["g"])).splitlines()[6]
    numbers = [float(o) for o in re.findall(r"(?<!-)-?\d+\.\d+", line.replace("--", "|"))]
    of = 100 if score.k is not None else 1
    assert numbers == pytest.approx([of*o for o in (score, score.lo, score.hi) if o == o], abs=1e-3)


def test_a_group_of_which_nothing_is_known_has_a_row_of_dashes():
    groups = Result(A=Result(f1=Score(.5), auc=Score(.7, n=3)), B=NotApplicable("one class"), C=Result(f1=Score(.2)))
    t = sheets.paper_table(Result(by=Result(drug=groups)), "drug", ["f1", "auc"])
    assert t.n.tolist() == [3, 0, 0]
    assert t.iloc[:, :2].to_numpy().tolist() == [["0.500", "0.700"], ["–", "–"], ["0.200", "–"]]


@every("score, shown", [(Score(.9, .5, n=9), "≥&nbsp;0.500"), (Score(.9, .5, k=9, n=10), "≥&nbsp;50.0"),
                        (Score(.9, .5, .95, n=9), "0.500&nbsp;to&nbsp;0.950"),
                        (Score(.9, n=9, reason="few"), "few")])
def test_a_cell_of_a_grid_says_an_open_limit(score, shown):
    r = Result(a=Result(x=score), b=Result(x=score))
    assert r._repr_html_().count(f"<small>{shown}</small>") == 2 and "nan" not in r._repr_html_()


# --- what a file may ask for

@every("n, said", [(999_499_999, "999 MB"), (999_500_000, "1 GB"), (1_234_567, "1.23 MB"), (999_499_999_999, "999 GB"),
                   (999_500_000_000, "1000 GB"), (12_345_678_901_234, "12346 GB")])
def test_a_size_is_said_without_powers_of_ten(n, said):
    with budget(unpacked=1), pytest.raises(ValueError, match=f": {said} unpacked"): within_budget("unpacked", n)


@every("n", [257e6, 999.7e6, 1e9+1, 5.5e9, 123e9, 4.04e12])
def test_the_option_that_an_error_names_is_understood_and_is_enough(n):
    with pytest.raises(ValueError) as e: within_budget("unpacked", n)
    more = budget_from(str(e.value).rpartition("--budget ")[2]).unpacked
    assert n <= more <= 1.12*n
