"A reading study: blind to names and machine, finished or refused, nothing left out."
import json
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from typer.testing import CliRunner

from mic_eval.cli.app import app
from mic_eval.data.real import shipped
from mic_eval.mic.devices import reader_study
from mic_eval.mic.dilutions import dilution_index
from mic_eval.mic.study import (
    amygda_readings, arbitration_sheet, draw_study, next_study, study_agreement, study_pairs, study_readings)

PANEL = pd.DataFrame(dict(well=[f"A{i}" for i in range(1, 8)], drug=["AMI"]*3 + ["RIF"]*3 + [""],
                          concentration=[1, 2, 4]*2 + [np.nan], role=["test"]*6 + ["control"]))


@pytest.fixture
def drawn(tmp_path):
    (tmp_path/"photos").mkdir()
    for i in range(6):
        photo = Image.fromarray(np.full((8, 12), i, np.uint8))
        exif = photo.getexif()
        exif[0x010E] = "Mrs Smith"   # what a camera or a person wrote into the file
        photo.save(tmp_path/"photos"/f"smith-{i}.jpg", exif=exif)
    PANEL.to_csv(tmp_path/"panel.csv", index=False)
    return draw_study(tmp_path/"photos", tmp_path/"study", layout=tmp_path/"panel.csv", plates=4, seed=2)


def fill(file, reading):
    sheets = pd.read_excel(file, sheet_name=None, dtype=str)
    t = sheets["readings"]
    sheets["readings"] = t.assign(mic=[reading(p, d) for p, d in zip(t.plate, t.drug)])
    with pd.ExcelWriter(file) as book:
        for name, s in sheets.items(): s.to_excel(book, sheet_name=name, index=False)


def test_nothing_tells_the_isolate(drawn):
    "No byte that a reader gets holds a name; each has another order; the same seed draws the same"
    given = [p for p in drawn.rglob("*") if p.is_file() and p.name != "key.json"]
    assert len(given) == 2 + 8 and not [p for p in given if b"mith" in p.read_bytes() or "mith" in p.name]
    orders = [pd.read_excel(drawn/f"reader_{r}.xlsx", dtype=str).plate.tolist() for r in (1, 2)]
    assert sorted(orders[0]) == sorted(orders[1]) and orders[0] != orders[1]
    key = json.loads((drawn/"key.json").read_text())
    assert len({o["plate"] for o in key["plates"]}) == 4
    again = draw_study(drawn.parent/"photos", drawn.parent/"again", layout=drawn.parent/"panel.csv", plates=4, seed=2)
    assert json.loads((again/"key.json").read_text())["plates"] == key["plates"]


@pytest.mark.later
def test_what_is_not_finished_is_refused(drawn):
    with pytest.raises(ValueError, match="8 of 8 readings are empty"): study_readings(drawn)
    fill(drawn/"reader_1.xlsx", lambda p, d: "2")
    fill(drawn/"reader_2.xlsx", lambda p, d: "2" if d == "AMI" else "4")
    with pytest.raises(ValueError, match="no file"): study_pairs(drawn)   # differences that nobody decided
    arbitration_sheet(drawn)
    with pytest.raises(ValueError, match="4 of 4 readings are empty"): study_pairs(drawn)
    fill(drawn/"arbitration.xlsx", lambda p, d: "no result")
    assert study_pairs(drawn).consensus.tolist() == ["2", ""]*4
    fill(drawn/"reader_1.xlsx", lambda p, d: "two")
    with pytest.raises(ValueError, match="reader_1.xlsx: .*two"): study_readings(drawn)


@pytest.mark.later
def test_the_third_reader_sees_every_reading_and_no_name(drawn):
    "Readings of people and machines, each once; what only a machine differs on is looked at and changes no consensus"
    fill(drawn/"reader_1.xlsx", lambda p, d: "2")
    fill(drawn/"reader_2.xlsx", lambda p, d: "4" if (p, d) == ("P01", "AMI") else "2.0")
    places = [(f"P{i:02}", d) for i in range(1, 5) for d in ("AMI", "RIF")]
    machine = pd.DataFrame([(p, d, {"P01": "1", "P02": "2"}.get(p, ""), "") for p, d in places],
                           columns=["code", "drug", "mic", "flags"])
    other = machine.assign(mic=[">4" if p == "P02" else "2" for p, _ in places])
    t = pd.read_excel(arbitration_sheet(drawn), dtype=str)
    assert t[["plate", "drug"]].values.tolist() == [["P01", "AMI"]] and set(t.readings[0].split(" | ")) == {"2", "4"}
    file = arbitration_sheet(drawn, 1, machine, other)
    shown = pd.read_excel(file, dtype=str).set_index(["plate", "drug"]).readings.str.split(" | ", regex=False)
    assert sorted(shown["P01", "AMI"]) == ["1", "2", "4"] and sorted(shown["P02", "RIF"]) == ["2", ">4"]
    assert sorted(shown["P03", "RIF"]) == ["2", "no result"] and len(shown) == 8
    assert {tuple(o) for o in shown if len(o) == 2} >= {("2", "no result"), ("no result", "2")}   # no order to go by
    assert not {"machine", "beside", "reader", "flag"} & set(" ".join(pd.read_excel(file).columns).split("_"))
    fill(file, lambda p, d: "4" if (p, d) == ("P01", "AMI") else "1")
    t = study_pairs(drawn, machine).set_index(["code", "drug"])
    assert t.consensus["P01", "AMI"] == "4" and (t.consensus.drop(("P01", "AMI")) == "2").all()
    assert t.arbitration["P02", "RIF"] == "1"


def test_a_third_of_three_readers_is_shown_too(drawn):
    study = draw_study(drawn.parent/"photos", drawn.parent/"three", layout=drawn.parent/"panel.csv", readers=3)
    for r in (1, 2, 3): fill(study/f"reader_{r}.xlsx", lambda p, d: str(2**r) if (p, d) == ("P01", "AMI") else "2")
    assert sorted(pd.read_excel(arbitration_sheet(study), dtype=str).readings[0].split(" | ")) == ["2", "4", "8"]


def test_agreement_against_counting(drawn):
    "Each share, counted one by one; a refused plate is no result and not left out"
    rng = np.random.default_rng(0)
    mics = {(f"P{i:02}", d): f"{2.**rng.integers(0, 3):g}" for i in range(1, 5) for d in ("AMI", "RIF")}
    fill(drawn/"reader_1.xlsx", lambda p, d: mics[p, d])
    fill(drawn/"reader_2.xlsx", lambda p, d: mics[p, d])
    rows = [(p, d, "" if p == "P01" else f"{2.**(dilution_index([m])[0] + (2 if p == 'P02' else 0)):g}")
            for (p, d), m in mics.items()]
    flags = ["x" if r[0] == "P02" else "" for r in rows]
    machine = pd.DataFrame(rows, columns=["code", "drug", "mic"]).assign(flags=flags)
    t = study_agreement(study_pairs(drawn, machine)).set_index(["compared", "unit", "name", "metric"])

    def of(compared, metric, unit="all", name=""): return tuple(t.loc[(compared, unit, name, metric), ["k", "n"]])
    assert of("reader_1 and reader_2", "exact") == (8, 8)
    assert of("consensus and machine", "essential_agreement") == (4, 6)
    assert of("consensus and machine", "no_result") == (2, 8)
    assert of("consensus and machine, without a flag", "essential_agreement") == (4, 4)
    assert of("consensus and machine", "exact", "drug", "AMI") == (2, 3)


def test_kappa_is_scikit_learns_and_beyond_the_panel_is_another_reading(drawn):
    from sklearn.metrics import cohen_kappa_score
    rng = np.random.default_rng(1)
    one = {(f"P{i:02}", d): k for i in range(1, 5) for d in ("AMI", "RIF") for k in [int(rng.integers(0, 4))]}
    other = {o: min(k + int(rng.integers(0, 2)), 3) for o, k in one.items()}

    def write(k): return ["1", "2", "4", ">4"][k]
    fill(drawn/"reader_1.xlsx", lambda p, d: write(one[p, d]))
    fill(drawn/"reader_2.xlsx", lambda p, d: write(other[p, d]))
    arbitration_sheet(drawn)
    fill(drawn/"arbitration.xlsx", lambda p, d: write(one[p, d]))
    t = study_agreement(study_pairs(drawn))
    found = t[(t.compared == "reader_1 and reader_2") & (t.metric == "kappa")].iloc[0]
    expected = cohen_kappa_score(list(one.values()), [other[o] for o in one], weights="quadratic", labels=range(4))
    assert found.value == pytest.approx(expected) and found.n == 8
    assert found.reason == "too few groups (4) for an interval" and found.lo != found.lo
    among = reader_study(pd.DataFrame(dict(r=["4", "2"]*2, a=["4", "2"]*2, b=[">4", "2"]*2)), "r", ["a", "b"]).among
    assert float(among.conger) < 1   # 4 and >4 differ


@pytest.mark.parametrize("one, other, alike", [("NS", "R", True), ("SDD", "I", True), ("NS", "I", False),
                                               ("SDD", "R", False), ("S", "I", False), ("R", "I", False)])
def test_readers_agree_on_categories_of_one_rank(one, other, alike):
    "What is not susceptible stands where resistant does, what is susceptible to a higher dose where intermediate does"
    table = pd.DataFrame(dict(r=["S", "R"]*6, a=["S", one]*6, b=["S", other]*6))
    assert (float(reader_study(table, "r", ["a", "b"]).among.percent) == 1) == alike


AMYGDA = """
import json
from pathlib import Path
import numpy as np

class PlateMeasurement:
    def __init__(self): self.categories = {}
    def initialize_plate_layout(self): raise RuntimeError("a panel that AMyGDA knows")
"""
COMMAND = """
from . import *
from pathlib import Path

def main(words):
    "AMyGDA's rules on growth that a file tells, wells in its order: from the last to the first, `dilution[i]` as i-th"
    image, plate = Path(words[1]), PlateMeasurement()
    assert words[0] == "run" and image.is_file()
    grown = json.loads(Path(__file__).with_name("grown.json").read_text())[image.stem]
    if grown is None: raise RuntimeError("Failed to identify the expected set of wells.")
    plate.initialize_plate_layout()
    print("noise")
    g = np.zeros((8, 12), bool)
    for r, c in grown: g[r, c] = True
    controls = all(g[o] for o in plate.well_positive_controls)
    for d in plate.drug_names:
        at = plate.well_drug_name == d
        order = plate.well_drug_dilution[at][::-1] - 1
        grew, conc = g[at][::-1][order], plate.well_drug_conc[at][::-1][order]
        n = int(grew.sum())
        mic = conc[n] if n < len(conc) else 2*conc.max()
        plate.categories[f"IM_{d}MIC"] = -2. if not controls else float(mic) if grew[:n].all() else -1.
"""


@pytest.mark.later
def test_amygda_reads_every_panel_in_the_order_of_its_concentrations(drawn, monkeypatch):
    "Drugs that turn, wells in any place; a skip, a clear control and a plate it cannot read are no result"
    home = drawn.parent/"site"
    (home/"amygda").mkdir(parents=True)
    (home/"amygda"/"__init__.py").write_text(AMYGDA)
    (home/"amygda-2.9.dist-info").mkdir()
    (home/"amygda-2.9.dist-info"/"METADATA").write_text("Metadata-Version: 2.1\nName: amygda\nVersion: 2.9\n")
    with pytest.raises(ValueError, match="no-python is no Python: .*pip install amygda"):
        amygda_readings(drawn, "no-python")
    monkeypatch.setenv("PYTHONPATH", str(home))
    with pytest.raises(ValueError, match="has no AMyGDA 2: .*academic"): amygda_readings(drawn, sys.executable)
    (home/"amygda"/"cli.py").write_text(COMMAND)
    turned = pd.DataFrame(dict(
        well="A1 A2 B1 B2 C1 C2 D5 D6 E5 H12".split(), drug=["RIF"]*6 + ["AMI"]*3 + [""],
        concentration=[1, 4, .5, 8, .25, 2, 1, 2, 4, np.nan], role=["test"]*9 + ["control"]))
    wells = {(w["drug"], w["concentration"]): ("ABCDEFGH".index(w["well"][0]), int(w["well"][1:]) - 1)
             for w in turned.to_dict("records")}
    for i in range(1, 5): turned.to_csv(drawn/"pictures"/f"P{i:02}_layout.csv", index=False)
    grew = {"P01": [(r, c) for (d, v), (r, c) in wells.items() if not v >= (2 if d == "RIF" else 99)],
            "P02": [wells["RIF", .25]], "P04": None,
            "P03": [(7, 11), wells["RIF", 2]]}
    (home/"amygda"/"grown.json").write_text(json.dumps(grew))
    t = amygda_readings(drawn, sys.executable).set_index(["code", "drug"])
    assert (t.mic["P01", "RIF"], t.mic["P01", "AMI"], t.mic["P03", "AMI"]) == ("2", ">4", "<=1")
    why = t["flags"]
    assert "control" in why["P02", "RIF"] and "above a well without growth" in why["P03", "RIF"]
    assert why["P04", "AMI"] == "refused: Failed to identify the expected set of wells."
    assert t.mic[["P02", "P04"]].tolist() == [""]*4 and t.mic["P03", "RIF"] == ""
    for r in (1, 2): fill(drawn/f"reader_{r}.xlsx", lambda p, d: "2")
    r = CliRunner().invoke(app, ["mic", "study", "report", str(drawn), "--model", "none", "--amygda", sys.executable])
    row = next(o for o in r.stdout.splitlines() if o.startswith("consensus and AMyGDA") and "no result" in o)
    assert row.split("result")[1].split()[:2] == ["5", "8"], r.stdout   # P02 and P04 whole, and the skip
    assert "AMyGDA 2.9:" in r.stderr
    r = CliRunner().invoke(app, ["mic", "study", "report", str(drawn), "--amygda", "x", "--beside", "y.csv"])
    assert r.exit_code == 2 and "--beside" in r.stderr


@pytest.mark.full
@pytest.mark.skipif("AMYGDA_PYTHON" not in os.environ, reason="AMYGDA_PYTHON names no Python that has AMyGDA")
def test_amygda_itself_on_the_shipped_plates(tmp_path):
    "Every MIC within a dilution of the laboratory's"
    from mic_eval.data.real import shipped
    from mic_eval.mic.dilutions import agreement
    study = draw_study(shipped("plates"), tmp_path/"study", seed=3)
    t = amygda_readings(study, os.environ["AMYGDA_PYTHON"])
    plate = {o["code"]: o["plate"] for o in json.loads((study/"key.json").read_text())["plates"]}
    wells = pd.read_csv(shipped("plates")/"manifest.csv", dtype=str)
    expert = wells[wells.role == "test"].groupby(["plate", "drug"]).expert_mic.first()
    lab = [expert[plate[c], d] for c, d in zip(t.code, t.drug)]
    known = np.array([o == o for o in lab])
    agrees, counted = agreement([o if o == o else None for o in lab], t.mic, "recode")
    assert len(t) == 27 and counted.sum() == known.sum() == 26 and agrees.sum() == 26


def test_the_next_study_is_not_planned_on_luck():
    def seen(k, n): return pd.DataFrame([dict(compared="consensus and machine", unit="all", name="", k=k, n=n,
                                              metric="essential_agreement")])
    assert next_study(seen(26, 26), 13).plates > next_study(seen(260, 260), 13).plates
    assert next_study(seen(80, 100), 13).plates is None   # below the limit no number of plates shows it
    assert next_study(seen(26, 26), 13).resistant == 48


@pytest.mark.later
def test_the_commands(drawn, monkeypatch):
    monkeypatch.chdir(drawn.parent)

    def said(*args): return CliRunner().invoke(app, ["mic", "study", *args])
    for r in (1, 2): fill(drawn/f"reader_{r}.xlsx", lambda p, d: "2")
    assert "0 readings differ" in said("arbitrate", "study").stderr
    r = said("report", "study", "--model", "none")
    assert r.exit_code == 0 and "reader_1 and reader_2" in r.stdout, r.stderr
    key = json.loads((drawn/"key.json").read_text())
    other = [dict(plate=o["plate"], drug=d, mic="2" if d == "AMI" else "4") for o in key["plates"] for d in o["drugs"]]
    pd.DataFrame(other).to_csv("other.csv", index=False)
    r = said("report", "study", "--model", "none", "--beside", "other.csv")
    row = next(o for o in r.stdout.splitlines() if o.startswith("consensus and the other") and "exact" in o)
    assert row.split("exact")[1].split()[:3] == ["4", "8", "50.0"], r.stdout
    sheets = pd.read_excel("study/study.xlsx", sheet_name=None)
    assert set(sheets) == {"agreement", "pairs", "minutes", "next_study", "kappa"}
    assert said("report", "photos").exit_code == 2 and said("draw", "photos", "--out", "other").exit_code == 2


@pytest.mark.later
def test_the_shipped_plates_from_the_lot_to_the_page(tmp_path, monkeypatch):
    "Sheets as the laboratory read them; a third reading of what the machine differs on stands on the page"
    monkeypatch.chdir(tmp_path)

    def said(*args): return CliRunner().invoke(app, ["mic", "study", *args])
    assert said("draw", str(shipped("plates")), "--out", "study").exit_code == 0
    plates = {o["code"]: o["plate"] for o in json.loads(Path("study/key.json").read_text())["plates"]}
    m = pd.read_csv(shipped("plates")/"manifest.csv", dtype=str)
    read = {(p, d): v for p, d, v in zip(m.plate, m.drug, m.expert_mic) if isinstance(v, str)}

    def expert(code, drug): return read.get((plates[code], drug), "no result")
    for r in (1, 2): fill(Path(f"study/reader_{r}.xlsx"), expert)
    assert "5 readings differ" in said("arbitrate", "study", "--model", "wellnet").stderr
    fill(Path("study/arbitration.xlsx"), expert)
    r = said("report", "study")
    assert "consensus and machine" in r.stdout and Path("study/run/clinical.html").is_file(), r.output
    t = pd.read_csv("study/pairs.csv", dtype=str).fillna("")
    assert (t.consensus == t.reader_1).all() and (t.arbitration != "").sum() == 4   # the fifth: no result, again


@pytest.mark.later
@pytest.mark.parametrize("slip", ["20", "0.2", ">20", "3"])
def test_a_slip_of_the_pen_is_no_reading(drawn, slip):
    fill(drawn/"reader_1.xlsx", lambda p, d: ">4" if d == "AMI" else "<=1")
    fill(drawn/"reader_2.xlsx", lambda p, d: ">=8" if d == "AMI" else "4")
    assert len(study_readings(drawn)) == 8                  # what lies below, on and above the panel may be written
    fill(drawn/"reader_2.xlsx", lambda p, d: slip if (p, d) == ("P02", "RIF") else "2")
    with pytest.raises(ValueError, match=f"reader_2.xlsx: 1 of 8 readings are no step .*P02 RIF: {slip}, of 1 to 4"):
        study_readings(drawn)


def test_a_place_that_stands_twice_is_refused(drawn):
    for r in (1, 2): fill(drawn/f"reader_{r}.xlsx", lambda p, d: "2")
    t = pd.read_excel(drawn/"reader_2.xlsx", sheet_name="readings", dtype=str)
    pd.concat([t, t[:1].assign(mic="4")]).to_excel(drawn/"reader_2.xlsx", sheet_name="readings", index=False)
    with pytest.raises(ValueError, match=f"reader_2.xlsx: {t.plate[0]} {t.drug[0]} stands there more than once"):
        study_readings(drawn)


@pytest.mark.later
@pytest.mark.parametrize("said", ["12:30", "ten", "-3"])
def test_minutes_that_are_none_are_not_left_out_in_silence(drawn, said):
    from mic_eval.mic.study import reading_minutes
    def write(first):
        sheets = pd.read_excel(drawn/"reader_2.xlsx", sheet_name=None, dtype=str)
        sheets["times"] = sheets["times"].assign(minutes=[first, "12,5", "", "3"])
        with pd.ExcelWriter(drawn/"reader_2.xlsx") as book:
            for name, s in sheets.items(): s.to_excel(book, sheet_name=name, index=False)
    write("10")
    assert reading_minutes(drawn)["median"].iloc[1] == 10 and reading_minutes(drawn)["most"].iloc[1] == 12.5
    write(said)
    with pytest.raises(ValueError, match=f"reader_2.xlsx: minutes must be a number, such as 12.5, not '{said}'"):
        reading_minutes(drawn)
