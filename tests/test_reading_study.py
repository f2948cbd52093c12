"A reading study: blind to names and machine, finished or refused, nothing left out."
import json

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from typer.testing import CliRunner

from mic_eval.cli.app import app
from mic_eval.mic.dilutions import dilution_index
from mic_eval.mic.study import arbitration_sheet, draw_study, next_study, study_agreement, study_pairs, study_readings

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
    assert row.split()[-3:] == ["4", "8", "50.0"], r.stdout
    sheets = pd.read_excel("study/study.xlsx", sheet_name=None)
    assert set(sheets) == {"agreement", "pairs", "minutes", "next_study", "kappa"}
    assert said("report", "photos").exit_code == 2 and said("draw", "photos", "--out", "other").exit_code == 2
