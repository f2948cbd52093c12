"The clinical file: what an assessor sent back once, each as a test."
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from mic_eval.core.criteria import Criterion, Profile, judge
from mic_eval.core.fields import field_named
from mic_eval.core.results import Result
from mic_eval.mic.approval import approval, chance_of_at_least, error_concentration, profile_list, verdicts
from mic_eval.mic.breakpoints import Breakpoints
from mic_eval.mic.categories import category_error, read_categories
from mic_eval.mic.comparison import accept, compare_mics
from mic_eval.mic.dilutions import written_label
from mic_eval.mic.findings import first_readings, mic_findings, pairs_csv
from mic_eval.mic.pair_tables import renamed
from mic_eval.mic.plots import mic_axis, mic_grid
from mic_eval.mic.precision import qc_study, read_qc_ranges, reproducibility_by
from mic_eval.report.views import methods
from mic_eval.report.words import speaking


def test_a_very_major_error_does_not_hide_behind_its_spelling():
    o = compare_mics(["8", "8"], ["1", "1"], categories=(["R", " R "], ["s", "susceptible"])).overall
    assert (o.very_major.k, o.very_major.n, o.minor.k) == (2, 2, 0)
    assert category_error(["resistant", "Sensitive"], ["S", "r"]).tolist() == ["very major", "major"]


@pytest.mark.parametrize("bad", ["x", "SR", "4-8", "S?", 1])
def test_an_unknown_category_names_its_row(bad):
    with pytest.raises(ValueError, match=r"\(row 1\) is no category"):
        compare_mics(["8", "8"], ["1", "1"], categories=(["R", bad], ["S", "S"]))
    with pytest.raises(ValueError, match=r"test category.*\(row 1\)"): category_error(["S", "S"], ["S", bad])


def fda_pairs(denominator):
    "113 resistant isolates, 8 of them called S, and 187 susceptible ones"
    ref, new = np.repeat(["R", "S"], [113, 187]), np.r_[np.repeat(["S", "R"], [8, 105]), np.repeat("S", 187)]
    return compare_mics(["1"]*300, ["1"]*300, categories=(ref, new), denominator=denominator)


def test_a_limit_refuses_another_denominator():
    rule = lambda c: {j.status for j in accept(c, "fda-2009").judged if j.criterion.metric == "very_major"}
    assert "fail" in rule(fda_pairs("standard")) and rule(fda_pairs("all")) == {"not evaluated"}
    why = [j.why for j in accept(fda_pairs("all"), "fda-2009").judged if j.criterion.metric == "very_major"][0]
    assert why == "the rate is over all pairs, the limit over resistant isolates"


def test_the_standards_own_bound_is_judged_and_the_clustered_one_said():
    iso = np.arange(120)//3
    new = np.where(iso < 2, "S", "R")
    c = compare_mics(["1"]*120, ["1"]*120, isolate=iso, drug=[f"D{i % 3}" for i in range(120)],
                     categories=(["R"]*120, new))
    low = [j for j in accept(c, "fda-2009").judged if j.criterion.metric == "very_major" and j.criterion.on == "lo"][0]
    assert round(low.bound*100, 2) == 1.86
    assert low.status == "fail" and "clustered by 40 groups" in low.why and c.overall.very_major.groups == 40
    own = judge(Result(very_major=c.overall.very_major),
                Profile("own", (Criterion("very_major", .015, "max", on="lo", interval="clopper-pearson"),))).judged[0]
    assert own.bound == c.overall.very_major.lo != low.bound


def test_axes_show_the_panels_own_labels():
    tenth = ["0.025", "0.05", "0.1", "0.2", "0.4", "0.8", "1.6", ">1.6"]
    assert mic_axis(tenth)[1] == ["0.025", "0.05", "0.1", "0.2", "0.4", "0.8", "1.6", ">1.6"]
    ax = mic_grid(compare_mics(tenth, tenth).pairs)
    assert [t.get_text() for t in ax.get_xticklabels()] == tenth
    with pytest.warns(UserWarning, match="different dilution series"):
        pairs = compare_mics(["0.1", "0.2"], ["0.12", "0.25"]).pairs
    ax = mic_grid(pairs)
    assert [t.get_text() for t in ax.get_xticklabels()] == ["0.1", "0.2"]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["0.12", "0.25"]
    assert written_label([0, 1]).tolist() == ["1", "2"]


def clustered(n=60, drugs=3, seed=0):
    rng = np.random.default_rng(seed)
    k = np.repeat(rng.integers(-3, 4, n), drugs)
    t = k + np.repeat(rng.choice([-1, 0, 2], n), drugs)
    return pd.DataFrame(dict(isolate=np.repeat(np.arange(n), drugs), drug=[f"D{i}" for i in range(drugs)]*n,
                             ref=2.**k, new=2.**t)).astype(dict(ref=str, new=str))


def test_one_quantity_has_one_interval():
    from mic_eval.mic.breakpoints import Breakpoints
    bp = Breakpoints(pd.DataFrame(dict(drug=["D0", "D1", "D2"], S=1, R=2)))
    c = mic_findings(clustered(), "ref", "new", breakpoints=bp)
    assert c.trend.difference is c.overall.bias and c.overall.bias.groups == 60
    zones = [c.zones[z][k] for z in ("above", "near", "below") for k in ("very_major", "major", "minor")]
    assert {s.groups is not None for s in zones if s.defined and s.n} == {True}


def test_a_pass_says_what_it_does_not_judge():
    n = 51
    ref, new = ["R"]*n + ["S"]*n, ["S"]*32 + ["R"]*(n - 32) + ["S"]*n
    mics = [f"{2.**k:g}" for k in np.arange(2*n) % 7 - 3]
    t = pd.DataFrame(dict(ref=mics, new=mics))
    c = compare_mics("ref", "new", data=t, categories=(ref, new))
    v = verdicts(c.result, "iso-20776-2-2021")["iso-20776-2-2021"]
    assert v.status == "pass"
    assert "very major errors 32/51 = 62.7 %" in v.caution and list(v.unjudged) == ["very_major", "major"]
    both = mic_findings(t, "ref", "new", by=()).result.verdicts
    assert list(both) == ["iso-20776-2-2021", "fda-2009"]
    assert [p.name for p in profile_list("clsi-m52, fda-2009")] == ["clsi-m52", "fda-2009"] and profile_list(None) == []


def test_a_column_in_the_way_steps_aside():
    t = pd.DataFrame(dict(isolate=[1, 2], STRAIN=["a", "b"], ref=["1", "2"], new=["1", "2"]))
    assert list(renamed(t, dict(isolate="STRAIN"))) == ["isolate (in the file)", "isolate", "ref", "new"]
    assert mic_findings(t, "ref", "new", by=(), names=dict(isolate="STRAIN")).pairs.isolate.tolist() == ["a", "b"]


WHONET = pd.DataFrame(dict(GUIDELINE="CLSI", YEAR=[2013, 2024, 2013, 2013], STRAIN="atcc25922", REFERENCE_TABLE="4A",
                           WHONET_ORG_CODE="eco",
                           ANTIBIOTIC=["Gentamicin", "Gentamicin", "Amikacin", "Gentamicin"],
                           ABX_TEST=["GEN_NM", "GEN_NM", "AMK_NM", "GEN_ND10"],
                           WHONET_ABX_CODE=["GEN", "GEN", "AMK", "GEN"], METHOD=["MIC", "MIC", "MIC", "Disk"],
                           MEDIUM="MH",
                           MINIMUM=[.25, .5, .5, 19], MAXIMUM=[1, 2, 4, 26]))


def test_whonet_qc_file_and_ranges_by_year():
    r = read_qc_ranges(WHONET)
    assert list(r.columns).count("strain") == 1
    assert r.drug.tolist() == ["GEN", "GEN", "AMK"] and r.strain.unique().tolist() == ["atcc25922"]
    now = pd.DataFrame(dict(strain="ATCC 25922", drug=["GEN", "gentamicin", "AMK"], mic=["0.25", "2", "8"]))
    assert qc_study(now, WHONET).outcome == ["out", "in", "out"]
    assert qc_study(now.assign(year=2015), WHONET).outcome == ["in", "out", "out"]
    with pytest.raises(ValueError, match="QC readings lack mic"): qc_study(now.drop(columns="mic"), WHONET)
    with pytest.raises(ValueError, match="2 different rows fit"): qc_study(now, WHONET.assign(YEAR=2024))
    none = WHONET.drop(columns="MINIMUM").assign(MINIMUM="NA")   # an IndexError before
    with pytest.raises(ValueError, match="the table has no row of MICs with both ends"): qc_study(now, none)


def test_repeats_are_a_reproducibility_study():
    rng = np.random.default_rng(0)
    base = clustered(20, 1).drop(columns="drug")
    again = pd.concat([base.assign(site=s, new=np.where(rng.random(20) < .1, "64", base.new)) for s in "ABC"])
    c = mic_findings(again, "ref", "new", by=())
    assert c.overall.n == 20 and c.reproducibility.readings == 60 and set(c.reproducibility.by.site) == set("ABC")
    assert any("20 isolates were read more than once" in n for n in c.about.notes)
    assert c.sizes.reproducibility_isolates == 20
    assert {j["metric"] for j in c.verdicts["fda-2009"].criteria
            if j["status"] in ("pass", "fail", "insufficient n")} >= {"reproducibility_best", "reproducibility_worst"}
    one, rest = first_readings(pd.DataFrame(dict(isolate=["a", "a", None, None], r=["1", "1", "1", "1"],
                                                 t=[None, "2", "1", "1"])), "r", "t")
    assert one.t.tolist() == ["2", "1", "1"] and len(rest) == 2


def test_each_drug_is_approved_by_itself_and_groups_can_be_named():
    t = clustered().assign(site=lambda d: np.where(d.isolate % 2, "A", "B"))
    c = mic_findings(t, "ref", "new", groups="site")
    assert list(c.approval.by) == ["D0", "D1", "D2"]
    assert set(c.approval.by.D0.verdicts) == {"iso-20776-2-2021", "fda-2009"}
    assert c.about.clustered_by == "site" and c.overall.exact.groups == 2
    assert mic_findings(t, "ref", "new", by=("drug+site",)).result.get("approval") is None
    with pytest.raises(ValueError, match="no breakdown by 'plate'"): approval(c, unit="plate")


def test_concentration_knows_its_search():
    rng = np.random.default_rng(1)
    pairs = pd.DataFrame(dict(reference_category="R", error=np.where(np.arange(400) < 40, "very major", "agrees"),
                              lab=np.where(np.arange(400) < 30, "one", rng.choice(list("abcdefgh"), 400))))
    found = error_concentration(pairs, ["lab"])
    assert found.value == "one" and found.p <= .01 and "lab one holds 30 of 40" in found.note
    p = [error_concentration(pairs.assign(lab=rng.choice(list("abcdefgh"), 400)), ["lab"], n_draws=99, seed=i).p
         for i in range(40)]
    assert np.mean(np.array(p) <= .05) <= .15
    grouped = error_concentration(pairs, ["lab"], groups=np.r_[np.zeros(40, int), np.arange(1, 361)])
    assert "fewer than three" in grouped.reason   # forty errors of one isolate are one


def test_the_chance_of_errors_in_a_stratum_is_scipys():
    from scipy.stats import hypergeom
    size = np.array([1, 5, 40, 7899, 100_000])
    ours = chance_of_at_least(size, 205_406, 60)
    theirs = hypergeom.sf(np.arange(61) - 1, 205_406, size[:, None], 60)
    np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=1e-300)
    assert (chance_of_at_least([4], 4, 4) == 1).all() and chance_of_at_least([1], 9, 3)[0].tolist()[2:] == [0, 0]


def test_pairs_csv_is_small():
    t = clustered(300)
    assert len(pairs_csv(mic_findings(t, "ref", "new").pairs)) <= 2*len(t.to_csv(index=False))


def test_categories_are_read_once_and_missing_stays_missing():
    assert read_categories(["Non-Susceptible", None, float("nan"), "-", "SDD", "wt"]).tolist() == ["NS", "", "", "",
        "SDD", "WT"]


def sited(n=60):
    "Isolates of three sites on two drugs; every second resistant isolate of site B is missed by the second drug"
    i, drug = np.repeat(np.arange(n), 2), np.tile(["CIP", "MEM"], n)
    site, resists = np.array(list("ABC"))[i % 3], i % 2 == 0
    missed = resists & (site == "B") & (drug == "MEM") & (i % 4 == 0)
    ref, new = np.where(resists, "R", "S"), np.where(resists & ~missed, "R", "S")
    return pd.DataFrame(dict(isolate=[f"i{o}" for o in i], drug=drug, site=site, lot=i % 5, bmd=ref, new=new))


def test_strata_that_are_searched_twice_are_one_and_the_worst_is_named():
    r = mic_findings(sited(), "bmd", "new", by=("drug", "site", "lot")).result
    assert r.worst.site.very_major == "B" and r.worst.drug.very_major == "MEM" and r.concentration.errors == 5
    assert r.concentration.searched == ["drug", "site", "lot"]


def test_a_drug_that_holds_all_errors_is_found_though_isolates_stand_with_every_drug():
    t = sited(120).assign(site="A", lot=0)
    t.loc[(t["bmd"] == "R") & (t["drug"] == "MEM") & (np.arange(240) % 12 < 6), "new"] = "S"
    found = mic_findings(t, "bmd", "new").result.concentration
    assert (found.column, found.value, found.errors, found.of) == ("drug", "MEM", found.of, found.of) and found.p < .01
    assert "results" in found.note


def test_the_drug_that_fails_is_the_first_of_the_table():
    from types import SimpleNamespace
    from mic_eval.mic.show_drugs import approval_view
    def drug(status): return Result(n=60, n_evaluable=60, verdicts={"fda-2009": status}, trend="")
    found = Result(unit="drug", profiles=["fda-2009"], by={n: drug("fail" if n == "colistin" else "pass")
                                                           for n in ("CIP", "GEN", "colistin", "mupirocin")})
    page = str(approval_view(SimpleNamespace(get=lambda part: found)).html)
    at = [page.index(f">{name}<") for name in ("colistin", "CIP", "GEN", "mupirocin")]
    assert at == sorted(at)


def test_the_report_shows_the_criteria_of_both_standards_and_the_strata():
    from types import SimpleNamespace
    from mic_eval.mic.show import Study
    from mic_eval.mic.show_drugs import other_criteria, strata_view
    t = sited()
    t[["bmd", "new"]] = t[["bmd", "new"]].map(dict(R="16", S="1").get)
    c = mic_findings(t, "bmd", "new", by=("drug", "site"),
                     breakpoints=Breakpoints(pd.DataFrame(dict(drug=["CIP", "MEM"], S=2, R=2))))
    s = Study(SimpleNamespace(result=c.result), c.result, c.pairs)
    assert "MEM: 5/30" in other_criteria(s).html   # the graver of two drugs
    assert "most frequent in B: 5/20" in strata_view(s).html and "By site" in strata_view(s).html


def test_control_results_are_counted_for_each_strain_drug_and_site():
    from mic_eval.mic.precision import qc_study
    rows = [("25922", d, "0.03", s) for d, n in dict(MEM=20, CTX=5).items() for s in "AB" for _ in range(n)]
    t = pd.DataFrame(rows, columns=["Control strain", "Antibiotikum", "Result", "Standort"])
    assert qc_study(t).per_site == 5 and qc_study(t[t["Antibiotikum"] == "MEM"]).per_site == 20
    with pytest.raises(ValueError, match="QC readings lack mic"): qc_study(t.drop(columns="Result"))


def test_a_drug_under_an_unknown_name_is_a_question_not_a_repeat():
    t = clustered(12).rename(columns=dict(drug="Wirkung"))
    with pytest.raises(ValueError, match=r"is it the drug\? Say drug='Wirkung' \(--drug 'Wirkung'\), or drug='none'"):
        mic_findings(t, "ref", "new", by=())
    assert mic_findings(t, "ref", "new", names=dict(drug="Wirkung")).overall.n == 36
    assert mic_findings(t, "ref", "new", by=(), names=dict(drug="none")).overall.n == 12
    for known in ("run", "reader"):
        assert mic_findings(t.rename(columns=dict(Wirkung=known)), "ref", "new", by=()).overall.n == 12


@pytest.mark.later
def test_ten_isolates_three_by_three_stand_for_twenty_five_at_each_site():
    def study(n, sites="ABC"):
        rows = [(f"i{i}", s, d, "1", "1") for i in range(n) for s in sites for d in range(3) for _ in range(3)]
        return mic_findings(pd.DataFrame(rows, columns=["isolate", "site", "day", "ref", "new"]), "ref", "new", by=())
    said = lambda c: {
        j["metric"]: j["status"] for j in c.verdicts["fda-2009"].criteria}["mics.sizes.reproducibility_isolates"]
    assert (said(study(10)), said(study(9)), said(study(25))) == ("not applicable", "fail", "pass")
    thirty = pd.DataFrame([(f"i{i}", "ABC"[i % 3], "1", "1") for i in range(30) for _ in range(2)],
                          columns=["isolate", "site", "ref", "new"])
    # thirty in all, ten at each site
    assert mic_findings(thirty, "ref", "new", by=()).sizes.reproducibility_isolates == 10


def test_controls_in_an_export_count_as_quality_control():
    t = clustered(12).assign(SPEC_TYPE="ur").rename(columns=dict(new="mic test"))
    control = pd.DataFrame(dict(isolate=["ATCC 25922", "QC-7"], drug="ciprofloxacin", SPEC_TYPE=["ur", "qc"],
                                organism=["E. coli", "E. coli ATCC25922"], **{"mic test": ["0.008", "8"]}))
    c = mic_findings(pd.concat([t.assign(organism="E. coli"), control]), "ref", "mic test")
    assert (c.overall.n, len(c.pairs), c.qc.qc_in_range.k, c.qc.qc_in_range.n) == (36, 36, 1, 2)
    assert any("2 rows of control strains (ATCC 25922, E. coli ATCC25922)" in n for n in c.about.notes)
    with pytest.raises(ValueError, match=r"4-8.*row 38 of the file"):
        mic_findings(pd.concat([control, t.assign(ref=["4-8" if i == 35 else "1" for i in range(36)])][::-1]
                               + [t.iloc[:0]]).iloc[[36, *range(36), 37]], "ref", "mic test")
    assert mic_findings(t.assign(QC="yes"), "ref", "mic test").overall.n == 36


def test_a_work_list_says_how_far_apart_what_is_off_the_scale_must_be():
    from mic_eval.mic.precision import work_list
    todo = work_list(compare_mics(["1", "16", "8", "2"], [">8", "<=1", "1", ""], isolate=list("abcd"),
                                  drug=["CIP"]*4).pairs)
    said = dict(zip(todo.isolate, todo.distance_note))
    assert said == dict(a="off scale: at least 4 dilutions higher", b="off scale: at least 4 dilutions lower", c="",
                        d="not both MICs are known")
    assert todo.distance.notna().tolist() == [o == "c" for o in todo.isolate]


def test_a_narrow_table_grows_to_twice_its_size_at_most_and_a_crossed_column_is_not_stored():
    n = 400
    t = pd.DataFrame(dict(isolate=[f"I{i:03d}" for i in range(n)], organism="Escherichia coli", drug="amikacin",
                          bmd=np.resize(["1", "8", ">16"], n)))
    t["new"] = np.resize(["1", "2", "8", "8", ">16"], n)
    points = Breakpoints(pd.DataFrame(dict(drug=["amikacin"], S=[2], R=[4])))
    p = mic_findings(t, "bmd", "new", by=("drug", "drug+organism"), breakpoints=points).pairs
    assert "drug+organism" in p and "drug+organism" not in pairs_csv(p).splitlines()[0]
    assert len(pairs_csv(p)) <= 2*len(t.to_csv(index=False))


def test_major_errors_are_searched_for_too_and_said():
    t = sited()
    t["bmd"], t["new"] = (t[k].map(dict(S="R", R="S")) for k in ("bmd", "new"))
    r = mic_findings(t, "bmd", "new", by=("site",)).result
    assert r.concentration_major.value == "B"
    assert r.concentration_major.p < .05 and "major" in r.concentration_major.note


def test_runs_of_categories_are_compared_by_their_categories():
    from mic_eval.core.kinds import Pairs
    from mic_eval.mic.contest import PAIR_CONTEST, pair_read
    ref, right = ["R", "S"]*20, ["S", "S"]*5 + ["R", "S"]*15
    table = lambda test: Pairs([str(i) for i in range(40)], ref, test, field="mic",
                               facts=pd.DataFrame(dict(reference_category=ref, test_category=test)))
    a, b = table(ref), table(right)
    assert PAIR_CONTEST.score("categorical_agreement",
                              b).k == 35 or round(float(PAIR_CONTEST.score("categorical_agreement", b)), 3) == .875
    assert round(float(PAIR_CONTEST.test("categorical_agreement", a, b)["effect"]), 3) == .125
    assert pair_read(b).sum() == 40
    assert "0 rows" in PAIR_CONTEST.test("essential_agreement", a, b).reason


def test_pairs_are_called_pairs():
    "205,406 pairs are no wells, in the methods of their report"
    run = SimpleNamespace(about={}, result=dict(data=dict(name="p", pairs=205406, rows=205406, labelled=205406)))
    with speaking("en", field_named("mic")):
        assert "<dt>Pairs</dt><dd>205,406</dd>" in methods(run).html and "Wells" not in methods(run).html
        run.result["data"].pop("pairs")
        assert "<dt>Wells</dt><dd>205406 rows, 205406 labelled</dd>" in methods(run).html


def test_breakpoints_stand_beside_stored_pairs_where_rows_and_table_are_known():
    from mic_eval.mic.show import decided
    pairs = pd.DataFrame(dict(reference=["1", "4", "2"], test=["1", "2", ""], breakpoint=[7, 3, ""]))
    used = pd.DataFrame(dict(row=[3, 7], k_S=[1, 0], k_R=[2, ""]))
    both = decided(pairs, used)
    assert both.k_S.tolist()[:2] == [0, 1] and np.isnan(both.k_S[2]) and both.k_R[1] == 2 and both.k_R.isna().sum() == 2
    for alone in (decided(pairs), decided(pairs, "not kept"), decided(pairs.drop(columns="breakpoint"), used)):
        assert "k_S" not in alone and alone.has_both.tolist() == [True, True, False]
