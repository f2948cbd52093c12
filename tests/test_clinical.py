"The clinical report as a reader gets it, from pairs alone and from wells."
import os
import re
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from PIL import Image

from mic_eval.core.results import NotApplicable
from mic_eval.core.tables import read_predictions
from mic_eval.mic.breakpoints import Breakpoints
from mic_eval.mic.readings import compare_experts, compare_readings
from mic_eval.mic import show as clinical, show as supplements
from mic_eval.run.evaluation import make_run
from mic_eval.mic.command import mics_run
from mic_eval.report.render import find_report, report, report_parameters

HOSTILE = "<script>alert(1)</script>"


def plates(n=3, wrong=1):
    "Plates of two drugs in four dilutions with a control; on the first plate `wrong` drugs are read as clear"
    rows = []
    for p in range(n):
        rows.append(dict(sample_id=f"P{p}-K", path=f"P{p}-K.png", plate=f"P{p}", well="A1", isolate=f"I{p}",
                         series="", drug="", role="control", concentration=np.nan, growth=1, expert_mic="",
                         expert_1=1, expert_2=1))
        for d, drug in enumerate((HOSTILE, "CIP")):
            for k in range(4):
                rows.append(dict(sample_id=f"P{p}-{d}{k}", path=f"P{p}-{d}{k}.png", plate=f"P{p}",
                                 well=f"{'BC'[d]}{k+1}", isolate=f"I{p}", series=f"P{p}-{d}", drug=drug, role="test",
                                 concentration=2.**k,
                                 growth=int(k < 3), expert_mic="8", expert_1=int(k < 3), expert_2=int(k < 2)))
    t = pd.DataFrame(rows)
    return t.assign(y_prob=np.where((t.growth == 1) & ~((t.plate
                                                         == "P0") & t.series.isin([f"P0-{d}" for d in range(wrong)])),
                                    .95, .05))


BP = Breakpoints(pd.DataFrame(dict(drug=[HOSTILE, "CIP"], S=[2, 2], R=[4, 4])))


def listed(drug): return [dict(drug=drug, mic=m, category=c) for m, c in zip(("<=1", "2", "4", "8", ">8"), "SSIRR")]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    "A run on pictures with one very major error, and its clinical report: `(run, page, path)`"
    place = tmp_path_factory.mktemp("machine")
    t = plates()
    (place/"wells").mkdir()
    for r in t.itertuples():
        Image.fromarray(np.full((12, 12), 40 if r.y_prob > .5 else 220, np.uint8)).save(place/"wells"/r.path)
    t.drop(columns="y_prob").to_csv(place/"wells"/"manifest.csv", index=False)
    pd.DataFrame(listed(HOSTILE)+listed("CIP")).to_csv(place/"wells"/"categories.csv", index=False)
    r = make_run(lambda x: np.clip(1.1-x.mean((1, 2, 3)), 0, 1), place/"wells", out=place/"runs", version="1",
                 profile="fda-2009")
    path = report(r, "clinical")
    return r, BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser"), path


@pytest.mark.full   # a report in a kernel
def test_breakpoints_beside_the_wells_are_found(made):
    o = made[0].result.mics.overall
    assert (o.very_major.k, o.very_major.n, o.n) == (1, 6, 6)
    assert made[0].result.settings.breakpoints.startswith("categories.csv (")
    assert {c["status"] for c in made[0].result.verdict.criteria if c["metric"] == "very_major"} <= {"fail",
        "insufficient n", "pass"}


@pytest.mark.full
def test_numbers_profile_and_policies_stand_in_the_report(made):
    text = made[1].get_text(" ", strip=True).replace("\u00a0", " ")
    for said in ("1/6", "FDA class II", "limits of 2026-", "lenient: two MICs agree", "one skipped well is tolerated",
                 "1 to 8 mg/L", "categories.csv", "for a person to state", "no column 'criticality'",
                 "fewer than 48", "All pairs come from 3 isolates and 3 plates", "P(very major)",
                 "Among the experts"): assert said in text, said


@pytest.mark.later
def test_every_very_major_error_is_listed_with_its_wells(made):
    head = [p for p in made[1].find_all("p") if p.b and p.b.text == "very major"]
    assert len(head) == 1 and "series P0-0" in head[0].text
    wells = head[0].find_next_sibling("div")
    assert len(wells.find_all("img")) == 4 and [f.text for f in wells.find_all("figcaption")][0].startswith("1 mg/L")


@pytest.mark.later
def test_every_figure_has_words_and_nothing_is_loaded(made):
    page = made[1]
    assert len(page.select("figure.plot")) >= 9
    assert all(i.get("alt", "").strip() not in ("", "figure") for i in page.find_all("img"))
    assert all(f.figcaption for f in page.select("figure.plot"))
    assert not page.find_all(["iframe", "link"])
    assert not re.search(r"https?://|url\(|@import", made[2].read_text(encoding="utf-8"))
    assert made[2].stat().st_size < 3_000_000


@pytest.mark.later
def test_text_from_data_is_text(made):
    assert HOSTILE not in made[2].read_text(encoding="utf-8")
    assert "&lt;script&gt;alert(1)" in made[2].read_text(encoding="utf-8")


def test_nothing_of_this_machine(made):
    for p in made[2], made[2].with_suffix(".ipynb"):
        for trace in str(made[0].folder.parents[4]), str(Path.home())+"/", os.getcwd()+"/":
            assert trace not in p.read_text(encoding="utf-8")


def test_the_notebook_is_short_and_has_parameters():
    nb = nbformat.read(find_report("clinical"), 4)
    lines = [line for c in nb.cells if c.cell_type == "code" and "parameters" not in c.metadata.get("tags", ())
             for line in c.source.splitlines() if line.strip()
             and not line.startswith(("#|", "from ", "import ", "      "))]
    assert len(lines) <= 40 and report_parameters("clinical")["run"] == ""


@pytest.mark.full
def test_pairs_alone_say_what_they_lack(tmp_path):
    pd.DataFrame(dict(drug="A", ref=["1", "2", ">8"], new=["1", "", ">8"])).to_csv(tmp_path/"p.csv", index=False)
    r = mics_run(tmp_path/"p.csv", "ref", "new", out=tmp_path/"out")
    s = clinical.study(r)
    assert len(s.pairs) == 3
    assert s.those(error=True).reason == "no breakpoints" and s.get("risk").reason == "only MICs were given, no wells"
    assert "Not applicable: no breakpoints" in clinical.grave_errors(s).html and "1/3" in clinical.no_results(s).html
    page = report(r, "clinical").read_text(encoding="utf-8")
    for said in ("no wells", "no breakpoints", "Essential agreement", "as seen"): assert said in page
    there = {p.name for p in (tmp_path/"out").iterdir()}
    assert there == {"clinical.html", "clinical.ipynb", "results.json", "run.json", "pairs.csv", "pairs.parquet",
                     "worklist.csv", "worklist.xlsx", "tables.xlsx", "drugs.csv", "antibiogram.csv",
                     "distributions.csv"}
    drugs = pd.read_csv(tmp_path/"out"/"drugs.csv")
    assert drugs.essential_agreement_k.tolist() == [2] and drugs.bias_lo[0] < 0, "numbers, not sentences"
    pd.testing.assert_frame_equal(pd.read_excel(tmp_path/"out"/"tables.xlsx", "drugs"), drugs, check_dtype=False)


def test_a_run_without_series_has_no_comparison(tmp_path):
    pd.DataFrame(dict(sample_id=range(40), growth=[0, 1]*20, y_prob=[.1, .9]*20)).to_csv(tmp_path/"t.csv", index=False)
    s = clinical.study(make_run(predictions=tmp_path/"t.csv", out=tmp_path/"runs"))
    assert isinstance(s.mics, NotApplicable) and "no column" in clinical.setup(s).html
    for view in (clinical.first_sight, clinical.notes, clinical.apart, clinical.grave_errors, clinical.no_results,
                 supplements.publication_items):
        assert view(s).html
    assert "no column" in clinical.first_sight(s).html


def test_readings_by_hand():
    m = compare_readings(read_predictions(plates()), by=("drug", "plate"), breakpoints=BP)
    assert m.overall.exact.k == 5
    assert m.overall.very_major.k == 1
    assert m.by.plate.P0.essential_agreement.k == 1 and m.zones.above.very_major.n == 6-m.zones.near.very_major.n
    # sure and wrong: no posterior can tell
    assert m.risk.p_very_major.iloc[0] < .01 and m.referral.y[0] == pytest.approx(1/6)
    bare = compare_readings(read_predictions(plates().drop(columns="drug")))
    assert isinstance(bare.risk, NotApplicable) and bare.overall.n == 6


def test_readings_without_probabilities():
    t = plates().assign(y_pred=lambda t: (t.y_prob > .5).astype(int)).drop(columns="y_prob")
    m = compare_readings(read_predictions(t), breakpoints=BP)
    assert m.overall.very_major.k == 1
    assert m.risk.reason == "no probabilities" and m.referral.reason == "no probabilities" and m.about.threshold is None


def test_expert_layers_that_are_not_there_are_said():
    e = compare_experts(read_predictions(plates()), breakpoints=BP)
    assert e.growth.model.stands and e.mic.reason == "no columns expert_<k>_mic" == e.category.reason
    t = plates().assign(expert_1_mic=lambda t: t.expert_mic,
                        expert_2_mic=lambda t: np.where(t.plate == "P1", np.where(t.role == "test", "4", ""),
                                                        t.expert_mic))
    e = compare_experts(read_predictions(t), breakpoints=BP)
    assert e.mic.rate["1"].k == 1
    assert e.category.rate["2"].k == 3
    assert isinstance(compare_experts(read_predictions(plates().drop(columns=["expert_1", "expert_2"]))), NotApplicable)


def test_a_dead_control_takes_its_plate():
    t = plates().assign(y_prob=lambda t: np.where(t.sample_id == "P1-K", .1, t.y_prob))
    m = compare_readings(read_predictions(t), breakpoints=BP)
    assert m.overall.no_result.k == 2
    assert set(m.pairs[m.pairs.plate == "P1"].reason) == {"growth control did not grow"}
    assert m.overall.intention_to_diagnose.n == 6


def test_real_plates(real_wells):
    from mic_eval.mic.breakpoints import read_breakpoints
    t = pd.read_csv(real_wells/"manifest.csv")
    m = compare_readings(read_predictions(t.assign(y_prob=t.growth.fillna(0)*.98+.01)),
                         breakpoints=read_breakpoints(real_wells/"categories.csv"))
    assert (m.overall.exact.k, m.overall.n, m.overall.very_major.n, m.overall.categorical_agreement.k) == (26, 26, 3,
        26) and m.about.breakpoints.without == ["PAS"]
