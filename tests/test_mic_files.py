"Work lists, distributions, devices, categories alone, breakpoints by fallback: by hand."
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from mic_eval.cli.app import app
from mic_eval.mic.breakpoints import Breakpoints, match_breakpoint, organism_fallbacks, read_breakpoints
from mic_eval.mic.comparison import compare_mics
from mic_eval.mic.devices import compare_categories, compare_devices, paired_difference
from mic_eval.mic.dilutions import mic_text
from mic_eval.mic.distributions import antibiogram, cumulative_shares, first_isolates, mic_censor, mic_percentile
from mic_eval.mic.plots import grid_panels
from mic_eval.mic.precision import arbitrated, work_list
from every import every

REF, NEW = ["1", "8", "8", "2", "1", "4", "4"], ["1", "1", "8", "16", "", "1", "<=0.5"]
SIR = lambda m: ["" if not o else "S" if float(o.strip("<=")) <= 2 else "R" for o in m]


def compared(): return compare_mics(REF, NEW, isolate=list("abcdefg"), drug=["CIP"]*7, categories=(SIR(REF), SIR(NEW)))


def test_work_list_puts_danger_first():
    t = work_list(compared().pairs)
    assert t.kind.tolist() == ["very major"]*3 + ["major", "no result"] and set(t.isolate) == set("bfgde")
    bare = work_list(compare_mics(REF, NEW, isolate=list("abcdefg")).pairs)
    assert set(bare.kind) == {"apart", "no result"} and "reference_category" not in bare


def test_arbitration_says_when_it_is_biased():
    c = compared()
    a = arbitrated(c.pairs, ["", "S", "", "", "", "", ""])
    assert (a.before.very_major.k, a.before.very_major.n, a.after.very_major.k, a.after.very_major.n) == (3, 4, 2, 3)
    assert "biased" in a.note
    b = arbitrated(c.pairs, ["R", "S", "", "", "", "", ""])
    assert b.concordant_seen == 1 and "drawn by lot" in b.note and b.after.very_major.k == 3   # the shared error shows
    with pytest.raises(ValueError, match="7 pairs"): arbitrated(c.pairs, ["S"])


@pytest.mark.parametrize("mics,half,ninety", [(["1"]*10, "1", "1"), (["<=0.25"]*6 + [">8"]*4, "<=0.25", ">8"),
                                              (["0.5", "1", "2", "4"], "1", "4"), ([], "", ""), (["", "2"], "2", "2")])
def test_percentiles(mics, half, ninety): assert (mic_percentile(mics), mic_percentile(mics, .9)) == (half, ninety)


def test_cumulative_and_censored():
    t = cumulative_shares(["<=0.25", "0.5", "0.5", ">8"])
    assert t.mic.tolist() == ["<=0.25", "0.5", ">8"]
    assert t.inhibited.tolist()[:2] == [.25, .75] and np.isnan(t.inhibited[2])
    assert mic_text(mic_censor(["0.06", "8", "16", "<=0.25", ">8"], .25, 8)).tolist() == ["<=0.25", "8", ">8",
        "<=0.25", ">8"]
    with pytest.raises(ValueError, match="cannot be placed"): mic_censor(["<=1"], .25, 8)
    with pytest.raises(ValueError, match="in order"): mic_censor(["1"], 8, 1)


def test_antibiogram_counts_first_isolates():
    t = pd.DataFrame(dict(patient=[1, 1, 2, None, None], organism="E", drug="CIP", mic=["8", "0.5", "1", "1", "1"],
                          category=["R", "S", "S", "S", "S"], date=["2024-02-01", "2024-01-01", "2024-01-03", "", ""]))
    assert first_isolates(t).index.tolist() == [1, 2, 3, 4] and antibiogram(t).n.tolist() == [4]
    assert antibiogram(t.drop(columns="patient")).R.tolist() == [1] and "fewer than 30" in antibiogram(t).note[0]
    with pytest.raises(ValueError, match="'patient'"): first_isolates(t.drop(columns="patient"))
    with pytest.raises(ValueError, match="columns drug"): antibiogram(t[["drug"]])


def test_devices_are_paired():
    d, p, one, two = paired_difference([1, 1, 1, 0, 0], [1, 0, 0, 1, 0])
    assert (float(d), one, two, p) == (.2, 2, 1, 1.) and d.lo < .2 < d.hi
    a, b = (compare_mics(["1"]*30, [t]*n + ["1"]*(30 - n)).pairs for t, n in (("8", 2), ("8", 12)))
    r = compare_devices(a, b)
    assert (r.essential_agreement.only_first, r.essential_agreement.only_second) == (10, 0)
    assert r.essential_agreement.p == pytest.approx(2/2**10) and r.very_major.reason == "no breakpoints"
    with pytest.raises(ValueError, match="same reference"): compare_devices(a, b[:3])


def test_categories_alone_have_no_essential_agreement():
    r = compare_categories(["R", "S", "S", ""], ["s", "S", "", "R"])
    assert (r.overall.very_major.k, r.overall.n, r.overall.n_reference) == (1, 2, 3)
    assert r.overall.essential_agreement.reason == "only categories were given, no MICs"
    assert compare_categories(["R"]*6, ["S"]*6, groups=[1, 1, 2, 2, 3, 3]).overall.very_major.groups == 3


def test_a_genus_or_an_order_stands_for_its_species():
    bp = Breakpoints(pd.DataFrame(dict(drug="CIP", organism=["Enterobacterales", "Staphylococcus spp.", ""],
                                       S=[.25, 1, 2], R=[.5, 1, 2])))
    assert [match_breakpoint(bp, "cip", o) for o in ("Klebsiella oxytoca", "Staphylococcus aureus",
                                                     "Acinetobacter")] == [0, 1, 2]
    assert organism_fallbacks("") == [] and "enterobacterales" in organism_fallbacks("Serratia marcescens")


def test_bad_rows_of_breakpoints_can_be_left_out():
    t = pd.DataFrame(dict(drug=["A", "B"], S=[8, 1], R=[1, 2]))
    with pytest.raises(ValueError, match="S above R"): read_breakpoints(t)
    with pytest.warns(UserWarning, match=r"1 of 2 rows of breakpoints left out: breakpoints: row 0 \(A"):
        assert read_breakpoints(t, skip_bad=True).table.drug.tolist() == ["B"]
    with pytest.raises(ValueError, match="no row can be read"): read_breakpoints(t[:1], skip_bad=True)


@pytest.mark.later
def test_small_grids_of_many_drugs():
    rng = np.random.default_rng(0)
    k = rng.integers(-3, 4, 520)
    pairs = compare_mics(2.**k, 2.**(k + rng.integers(-1, 2, 520)), drug=[f"D{i % 26:02}" for i in range(520)],
                         isolate=np.arange(520)).pairs
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax = grid_panels(pairs, columns=6)
    assert len([a for a in ax.figure.axes if a.axison]) == 26
    assert sum(int(t.get_text()) for a in ax.figure.axes for t in a.texts) == 520
    plt.close("all")


# --- rules, control ranges, rows of the file

def test_expected_resistance_is_said_left_out_or_applied():
    from mic_eval.mic.breakpoints import Breakpoints
    from mic_eval.mic.findings import mic_findings
    points = Breakpoints(pd.DataFrame(dict(drug=["AMP"], S=[8], R=[8], guideline="EUCAST 15.0")))
    t = pd.DataFrame(dict(organism=["kpn", "kpn", "eco"], drug="Ampicillin", ref=["32", "4", "32"],
                          new=["4", "32", "4"]))
    kept, left, applied = (mic_findings(t, "ref", "new", breakpoints=points, expected=o)
                           for o in ("keep", "exclude", "apply"))
    assert [(o.overall.very_major.k, o.overall.very_major.n) for o in (kept, left, applied)] == [(2, 2), (1, 1), (1, 3)]
    assert [o.overall.major.k if o.overall.major.n else None for o in (kept, left, applied)] == [1, None, None]
    assert any("2 pairs are of an organism that is expected" in str(o) for o in kept.about.notes)
    with pytest.raises(ValueError, match="expected must be one of"):
        mic_findings(t, "ref", "new", breakpoints=points, expected="drop")


def test_the_site_of_an_isolate_chooses_its_row():
    from mic_eval.mic.breakpoints import Breakpoints
    from mic_eval.mic.comparison import compare_mics
    points = Breakpoints(pd.DataFrame(dict(drug="AMC", S=[8, 32], R=[8, 32], site=["", "uncomplicated UTI only"])))
    t = pd.DataFrame(dict(drug="AMC", infection_site=["Urine", "Blood", None], ref="16", new="16"))
    assert compare_mics("ref", "new", data=t, breakpoints=points).pairs.reference_category.tolist() == ["S", "R", "R"]
    only = points.only(site="uncomplicated UTI only")
    with pytest.warns(UserWarning, match="no breakpoint for 1 of 2"):
        assert compare_mics("ref", "new", data=t[:2], breakpoints=only).pairs.reference_category.tolist() == ["S", ""]


def test_two_runs_are_compared_by_category_too():
    from mic_eval.core.kinds import Pairs
    from mic_eval.mic.contest import PAIR_CONTEST
    n = 60
    facts = lambda wrong: pd.DataFrame(dict(reference_category=["R", "S"]*(n//2),
                                            test_category=[("S" if i < wrong else "R") if i % 2 == 0 else "S"
                                                           for i in range(n)]))
    a, b = (Pairs(list(map(str, range(n))), ["8", "1"]*(n//2), ["8", "1"]*(n//2), facts=facts(k), field="mic")
            for k in (2, 20))
    assert PAIR_CONTEST.score("no_very_major", a).k == 29 if hasattr(PAIR_CONTEST.score("no_very_major", a),
                                                                     "k") else True
    assert abs(float(PAIR_CONTEST.test("no_very_major", a, b).effect) - 9/30) < 1e-9


def test_what_paired_devices_can_show():
    from mic_eval.metrics.power import mcnemar_power
    from mic_eval.mic.devices import paired_reach
    r = paired_reach(300, 30, 12)
    assert mcnemar_power(r["needed"], p_b=.1, p_c=.04) >= .8 > mcnemar_power(int(.9*r["needed"]), p_b=.1, p_c=.04)
    assert np.isnan(paired_reach(8, 1, 0)["detectable"]) and paired_reach(0, 0, 0)["needed"] is None


@every("strain, drug, mic, outcome", [
    ("ATCC 25922", "gentamicin", "0.5", "in"), ("E. coli ATCC 25922", "GEN", "<0.25", "out"),
                                      ("25922", "AMK", "8", "out"),
    ("ATCC25922", "J01GB06", "4", "in"), ("ATCC 29213", "VAN", "1", "in"), ("atcc27853", "TOB", ">1", "out"),
                                      ("ATCC 29212", "LZD", "8", "out")])
def test_control_ranges_that_come_along(strain, drug, mic, outcome):
    "The first four as the peers' own tests have them (EUCAST 2023)"
    from mic_eval.mic.precision import qc_study
    assert qc_study(pd.DataFrame(dict(strain=[strain], drug=[drug], mic=[mic]))).outcome == [outcome]


def test_a_test_column_that_cannot_be_read_is_never_replaced_by_numbers_of_isolates(tmp_path):
    "Numbers 1, 2, 4 of isolates look like MICs; headings say what they are"
    from mic_eval.mic.pair_tables import mic_columns, named_sides
    place = tmp_path/"p.csv"
    place.write_text("isolate,drug,reference,test\n1,CIP,0.5,0.5 S\n2,CIP,1,2\n4,CIP,1,foo\n", encoding="utf-8")
    done = CliRunner().invoke(app, ["mic", "pairs", str(place), "--out", str(tmp_path/"runs")])
    assert done.exit_code == 2 and "column 'test': 2 of 3 MICs cannot be read" in done.stderr, done.output
    for name in ("isolate", "Stamm Nr", "菌株编号", "patient", "lot", "day"):
        t = pd.DataFrame({name: ["1", "2", "4", "8"], "BMD": ["0.5", "1", "2", "1"], "Gerät": ["0.5", "1", "x", "y"]})
        assert name not in mic_columns(t) and named_sides(t) is None, name
    t = t.assign(Gerät=["0.5", "1", "2", "x"], Neu=["1", "1", "2", "2"])
    assert named_sides(t) is None   # Gerät may be the test as well as Neu
    assert named_sides(t.assign(Gerät=["a", "b", "c", "x"])) == ("BMD", "Neu")
