"Method comparison of MICs: the truth tables of the field, denominators, clustering, bad input, profiles."
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from mic_eval.core import judge, proportion, read_profile
from mic_eval.core.results import Result
from mic_eval.mic.comparison import POLICIES, accept, agreement, bias, category_error, compare_mics, pair_mics
from mic_eval.mic.dilutions import dilution_label
from every import every

# reference, test -> agrees when lenient / when strict
TRUTH = [("2", "4", 1, 1), ("2", "8", 0, 0), ("2", ">2", 1, 0), ("2", ">4", 0, 0), ("<=2", "4", 1, 0),
         ("<=0.5", "2", 0, 0), ("<0.5", "1", 0, 0), (">=4", "2", 1, 0),
         (">32", ">16", 1, 0), ("<=2", ".002", 1, 0), (">4", "<=0.5", 0, 0), (">4", "<=4", 1, 0), (">32", "32", 1, 0),
         ("<=2", "<=2", 1, 1), (">8", ">8", 1, 1)]


@every("r,t,lenient,strict", TRUTH)
def test_truth_table(r, t, lenient, strict):
    one = {p: tuple(bool(x[0]) for x in agreement([r], [t], p)) for p in POLICIES}
    assert one["lenient"] == (bool(lenient), True) and one["strict"] == (bool(strict), True)
    assert one["exclude"] == ((bool(lenient), True) if lenient == strict else (False, False))
    assert one["evaluable"][1] == (not set("<>") & set(r+t))
    assert (not one["evaluable"][1] or one["evaluable"][0] == bool(strict))


def test_recode_and_missing():
    assert agreement([">8", ">8", "<=0.5", "<0.5"], ["16", "64", "0.5", "0.5"], "recode")[0].tolist() == [True, False,
        True, True]
    assert not any(x[0] for p in POLICIES for x in agreement(["1"], [""], p))
    with pytest.raises(ValueError, match="policy must be one of"): agreement(["1"], ["1"], "kind")


def test_evaluable_needs_a_reference_within_the_range_of_the_test():
    assert agreement(["8", "1"], ["4", "1"], "evaluable", lowest=-2, highest=2)[1].tolist() == [False, True]


@every("r,t,kind", [("R", "S", "very major"), ("S", "R", "major"), ("S", "I", "minor"),
                    ("R", "I", "minor"), ("I", "SDD", "minor"), ("SDD", "R", "minor"),
                    ("S", "S", "agrees"), ("NI", "S", "undecidable"), ("R", "NI", "undecidable"),
                    (None, "S", ""), ("S", "", "")])
def test_error_kinds(r, t, kind): assert category_error([r], [t]).tolist() == [kind]


def study(n=300, seed=0, drugs=3):
    rng = np.random.default_rng(seed)
    k = rng.integers(-3, 4, n); t = k+rng.integers(-2, 3, n)
    text = lambda r: np.where(r < -3, "<=0.06", np.where(r > 3, ">8", dilution_label(np.clip(r, -3, 3))))
    cat = lambda r: np.select([r <= -1, r <= 1], ["S", "I"], "R")
    df = pd.DataFrame(dict(isolate=np.arange(n)//drugs, drug=[f"D{i}" for i in np.arange(n) % drugs], ref=text(k),
                           new=text(t)))
    return df, (cat(k), cat(t))


def test_denominators_are_resistant_susceptible_and_all():
    df, cats = study()
    o, a = compare_mics("ref", "new", data=df, categories=cats).overall, compare_mics("ref", "new", data=df,
        categories=cats, denominator="all").overall
    assert (o.very_major.n, o.major.n, o.minor.n) == ((cats[0] == "R").sum(), (cats[0] == "S").sum(), 300)
    assert a.very_major.n == a.major.n == 300
    assert o.very_major.k == ((cats[0] == "R") & (cats[1] == "S")).sum() == a.very_major.k
    assert o.categorical_agreement.k+o.very_major.k+o.major.k+o.minor.k == 300
    assert o.very_major_adjusted.k <= o.very_major.k and o.major_adjusted.k <= o.major.k
    with pytest.raises(ValueError, match="denominator must be"): compare_mics("ref", "new", data=df, denominator="some")


def test_one_very_major_error_of_four_resistant_is_25_percent():
    o = compare_mics(["8"]*4+["1"]*6, ["1"]+["8"]*3+["1"]*6,
                     categories=(["R"]*4+["S"]*6, ["S"]+["R"]*3+["S"]*6)).overall
    assert (o.very_major.k, o.very_major.n, float(o.very_major)) == (1, 4, .25)


def test_groups_are_parts_of_the_whole_and_each_has_its_own_bias():
    df, cats = study()
    c = compare_mics("ref", "new", data=df, categories=cats)
    for name in ("exact", "essential_agreement", "categorical_agreement", "very_major"):
        assert sum(c.by.drug[d][name].k for d in c.by.drug) == c.overall[name].k
        assert sum(c.by.drug[d][name].n for d in c.by.drug) == c.overall[name].n
    alone = compare_mics("ref", "new", data=df[df.drug == "D1"].reset_index(drop=True)).overall.bias
    assert float(c.by.drug.D1.bias) == float(alone) != float(c.overall.bias)


def test_repeated_isolates_widen_the_interval():
    rng = np.random.default_rng(0)
    wrong = np.repeat(rng.random(40) < .2, 10)
    df = pd.DataFrame(dict(isolate=np.repeat(np.arange(40), 10), drug=[f"D{i}" for i in range(10)]*40, ref="1",
                           new=np.where(wrong, "8", "1")))
    o, i = compare_mics("ref", "new", data=df).overall, compare_mics("ref", "new", data=df, groups=None).overall
    assert o.essential_agreement.groups == 40
    assert o.essential_agreement.hi-o.essential_agreement.lo > 2*(i.essential_agreement.hi-i.essential_agreement.lo)
    assert o.bias.groups == 40 and o.bias.hi-o.bias.lo > 2*(i.bias.hi-i.bias.lo)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 40))
def test_bias_is_antisymmetric(a, b, c):
    if a+b+c == 0: return
    up, down = np.repeat([True, False, False], [a, b, c]), np.repeat([False, True, False], [a, b, c])
    s, o = bias(up, down), bias(down, up)
    assert np.isclose(s, (a-b)/(a+b+c)) and np.allclose([s.lo, s.hi], [-o.hi, -o.lo]) and s.lo <= s <= s.hi


def test_no_result_counts_against_intention_to_diagnose():
    o = compare_mics(["1"]*10, ["1"]*8+["", None]).overall
    assert (o.n, o.n_reference, o.no_result.k, o.intention_to_diagnose.k, o.intention_to_diagnose.n,
            o.essential_agreement.n) == (8, 10, 2, 8, 10, 8)


def test_under_calls_look_at_references_above_the_panel():
    o = compare_mics([">8", ">8", "8"], ["2", "8", "1"]).overall
    assert (o.under_call.k, o.under_call.n) == (1, 2)


@every("kw,says", [
    (dict(reference=["1", "R"], test=["1", "1"]), r"'R' \(row 1\)"),
                   (dict(reference=["1"], test=["1", "2"]), "reference 1, test 2"),
                   (dict(reference=[], test=[]), "no pairs"),
    (dict(reference="a", test="b"), "no data were given"),
                   (dict(reference=["1", "1"], test=["1", "1"], isolate=["i", "i"],
                         drug=["D", "D"]), "i stands with D more than once, in rows 0, 1"),
    (dict(reference=["1"], test=["64"], drug=["D"], panel=dict(D=(.5, 8))), "64 lies outside the panel of D")])
def test_bad_pairs_are_named(kw, says):
    with pytest.raises(ValueError, match=says): pair_mics(**kw)


def test_unreadable_values_can_be_counted_instead():
    with pytest.warns(UserWarning, match="1 of 2 MICs cannot be read"):
        assert compare_mics(["1", "1"], ["1", "R"], errors="coerce").overall.no_result.k == 1


def test_different_dilution_series_are_said():
    with pytest.warns(UserWarning, match="different dilution series"): pair_mics(["0.5", "1"], ["0.4", "0.8"])


def test_limits_are_compared_exactly():
    o = Result(essential_agreement=proportion(2249, 2500), evaluable=proportion(1999, 2250),
               bias=bias(np.zeros(2500, bool), np.zeros(2500, bool)))
    assert accept(o).judged[0].status == "fail"
    assert accept(o | dict(essential_agreement=proportion(2250, 2500))).status == "pass"


@every("x,n,status", [(0, 30, "insufficient n"), (0, 48, "pass"), (0, 47, "insufficient n"),
                      (2, 94, "pass"), (2, 93, "insufficient n"), (5, 153, "pass"),
                      (5, 109, "fail"), (10, 100, "fail")])
def test_fda_rule_for_very_major_errors(x, n, status):
    v = judge(Result(very_major=proportion(x, n)), "fda-2009")
    rule = {j.status for j in v.judged if j.criterion.metric == "very_major"}
    assert ("fail" if "fail" in rule else "insufficient n" if "insufficient n" in rule else "pass") == status


def test_standards_carry_date_source_and_a_warning():
    for name in ("iso-20776-2-2021", "iso-20776-2-2007", "fda-2009", "clsi-m52"):
        p = read_profile(name)
        assert p.date and p.source and "no claim of compliance" in p.note and "erify against" in p.note


@pytest.mark.parametrize("name", ["iso-20776-2-2021", "iso-20776-2-2007", "fda-2009", "clsi-m52"])
def test_a_handful_that_agrees_passes_no_standard(name):
    "One pair of one was 100 % for categories under two profiles, and for evaluable pairs under one"
    agreement = {"essential_agreement", "evaluable", "categorical_agreement", "bias"}
    for n, status in ((1, "insufficient n"), (29, "insufficient n"), (30, "pass")):
        perfect = Result(bias=proportion(0, n), **{m: proportion(n, n) for m in agreement - {"bias"}})
        asked = {j.criterion.metric: j.status for j in judge(perfect, name).judged if j.criterion.metric in agreement}
        assert set(asked.values()) == {status}, (n, asked)
    none = Result(**{m: proportion(0, 30) for m in agreement - {"bias"}})
    assert all(j.status == "fail" for j in judge(none, name).judged if j.criterion.metric in agreement - {"bias"})
    assert [j.status for j in judge(Result(major=proportion(2, 10)), "fda-2009").judged
            if j.criterion.metric == "major"] == ["fail"]   # errors count however few there are


def test_nothing_resistant_is_not_zero_errors():
    o = compare_mics(["1"]*5, ["1"]*5, categories=(["S"]*5, ["S"]*5)).overall
    assert math.isnan(o.very_major) and o.very_major.reason == "no resistant isolates"


# R isolates for 0..10 very major errors
FEWEST = {"hi": [48, 72, 94, 114, 134, 153, 171, 189, 207, 224, 241],
          "lo": [1, 2, 17, 42, 74, 110, 149, 190, 233, 277, 322]}


@pytest.mark.later
@every("x", range(11))
def test_fewest_resistant_isolates_of_the_fda_rule(x):
    for (on, ns), limit in zip(FEWEST.items(), (.075, .015)):
        n = ns[x]
        of = {m: [j.status for j in judge(Result(very_major=proportion(x, m)), "fda-2009").judged
                  if j.criterion.metric == "very_major" and j.criterion.on == on][0] for m in (n, n-1)
              if m >= max(x, 1)}
        assert of[n] == "pass" and (n-1 < max(x, 1) or of[n-1] != "pass"), (x, on)


@every("r,t,kind", [("NS", "S", "very major"), ("S", "NS", "major"), ("NS", "NS", "agrees"),
                    ("NWT", "WT", "false wild type"), ("WT", "NWT", "false non-wild type"),
                    ("WT", "WT", "agrees")])
def test_other_vocabularies(r, t, kind): assert category_error([r], [t]).tolist() == [kind]


def test_wild_types_are_no_very_major_errors():
    o = compare_mics(["1", "8"], ["8", "1"], categories=(["WT", "NWT"], ["NWT", "WT"])).overall
    assert math.isnan(o.very_major) and (o.false_wild_type.k, o.false_wild_type.n, o.false_non_wild_type.n) == (1, 1, 1)


def test_breakpoints_name_drugs_zones_and_technical_uncertainty():
    from mic_eval.mic.breakpoints import Breakpoints
    bp = Breakpoints(pd.DataFrame(dict(drug=["A"], S=[1], R=[2], atu=["2"], guideline="X", year=2024)))
    df = pd.DataFrame(dict(drug=["A", "A", "B"], ref=["1", "2", "1"], new=["4", "2", "1"]))
    with pytest.warns(UserWarning, match="no breakpoint for 1 of 3 MICs: B") as said:
        c = compare_mics("ref", "new", data=df, breakpoints=bp)
    assert len(said) == 1
    assert c.about.breakpoints.without == ["B"]
    assert c.about.breakpoints.source == "X 2024" and c.pairs.k_S.tolist()[:2] == [0, 0]
    assert {k: v.n for k, v in c.by["technical uncertainty"].items()} == {"outside": 2, "reference within the ATU": 1}
    assert c.overall.major.k == 1 and c.by.drug.B.very_major.reason == "no breakpoints for these pairs"


def test_the_range_of_a_test_follows_from_its_panel_or_its_censored_values():
    ref, new = ["8", "1", "0.06"], ["1", "1", "1"]
    # values seen do not excuse: 8 against 1 counts
    assert compare_mics(ref, new).overall.evaluable.n == 3
    assert compare_mics(ref, new, drug=["D"]*3, panel=dict(D=(.25, 4))).overall.evaluable.n == 1
    # 8 lies above the panel, `>2` is not on scale
    assert compare_mics([*ref, "1"], [*new, ">2"]).overall.evaluable.n == 2
    assert compare_mics(ref, new, drug=["D"]*3, panel=dict(D=(.25, 4))).about.panel.D == "0.25 to 4 mg/L"
    assert compare_mics(ref, new).about.panel[""] == "1 to 1 mg/L, as seen"


def test_what_makes_a_comparison_weak_is_said():
    notes = " ".join(compare_mics(["1"]*6, ["1"]*6, isolate=list("aabbcc"), drug=list("xyxyxy"),
                                  categories=(["R"]*6, ["R"]*6)).about.notes)
    assert "Only 6 pairs" in notes and "Only 6 resistant" in notes and "Isolates repeat" in notes


def test_missing_isolates_and_drugs():
    c = compare_mics(["1"]*4, ["1"]*4, isolate=["a", None, None, "b"], drug=["x", "x", "x", None])
    assert c.pairs.isolate.tolist() == ["a", "row 1", "row 2", "b"] and list(c.by.drug) == ["not stated", "x"]
