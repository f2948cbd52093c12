"""A person's calls move MICs and never the model's posterior; kept readings come back, whoever wrote last."""
import random
import threading
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from mic_eval.core.record import Record
from mic_eval.data.plates import Plate
from mic_eval.core.tables import Predictions
from mic_eval.mic.corrections import MEANINGS, Outdated, new_version, say_of_run, sign_reading, withheld
from mic_eval.mic.photograph import PlateReading, settled_mics
from mic_eval.mic.readings import CALLS, plate_mics

ROWS, COLUMNS = "ABCD", range(1, 7)


@pytest.fixture(scope="module")
def reading():
    "Four drugs in six wells, one of them the controls, without a model"
    rng = np.random.default_rng(0)
    rows = [dict(well=f"{r}{c}", drug=f"D{r}" if r != "D" else "", concentration=2.**(c-3) if r != "D" else np.nan,
                 role="test" if r != "D" else "control" if c < 4 else "sterile") for r in ROWS for c in COLUMNS]
    t = pd.DataFrame(rows)
    p = np.where(t.concentration < 1.5, .95, .08)
    p = np.where(t.role == "control", .98, np.where(t.role == "sterile", .02, p))
    xy = np.stack(np.meshgrid(np.arange(6)*40+30, np.arange(4)*40+30), -1).astype(float)
    plate = Plate(xy, xy, np.ones((4, 6), bool), 15., 40., 0., 0.)
    t = t.assign(x=xy[..., 0].ravel(), y=xy[..., 1].ravel(), seen=True, growth=p + rng.uniform(-.01, .01, len(t)),
                 glare=False)
    ps = Predictions(t.well.to_numpy(), y_true=np.full(len(t), -1), scores=t.growth.to_numpy(), kind="prob",
                     facts=t[["drug"]].assign(well=t.well), classes=("no growth", "growth"), field="mic")
    bare = PlateReading(rng.integers(0, 255, (190, 270), np.uint8), plate, t, None, {}, None, ps, (),
                        np.zeros((24, 20, 20), np.uint8), dict(threshold=.5, skip="eucast", level=.95))
    return settled_mics(bare)


def by_hand(reading, calls):
    "MICs from scratch, with the calls put in as wells that are certain"
    t = reading.wells.assign(growth=[{**CALLS, "": p}.get(calls.get(w, ""), p) for w, p in
                                     zip(reading.wells.well, reading.wells.growth)])
    return plate_mics(t, **reading.settings)[0]["mic"].tolist()


@pytest.mark.full
def test_hundred_random_corrections_give_the_mics_of_these_wells(reading, tmp_path):
    draw, now, calls = random.Random(3), reading, {}
    for i in range(100):
        well, call = draw.choice(reading.wells.well.tolist()), draw.choice([*CALLS, "model"])
        now = now.corrected(well, call, draw.choice(["Li", "王"]))
        calls[well] = "" if call == "model" else call
        if i % 10 == 9: assert now.mics["mic"].tolist() == by_hand(reading, calls)
    folder = now.save(tmp_path/"r")
    assert PlateReading.open(folder).mics.equals(now.mics) and len(Record(folder/"record.jsonl")) == 100
    for drug, t in reading.posterior.items():   # what the model holds probable, no person moved
        assert t.equals(now.posterior[drug])
    for c in ("likely_mic", "probability", "credible", "confidence"): assert now.mics[c].equals(reading.mics[c])


def test_one_well_moves_one_mic(reading):
    well = "A4"   # 2 mg/L, the first clear well of DA
    assert reading.mics.set_index("drug").mic["DA"] == "2"
    m = reading.corrected("a4", True, "Li").mics.set_index("drug")
    assert (m.mic["DA"], m.by["DA"], m.mic["DB"], m.by["DB"]) == ("4", "Li", "2", "model")
    assert "wells read by Li" in m["flags"]["DA"] and "the most probable MIC is 2" in m["flags"]["DA"]
    assert reading.corrected(well, None, "Li").mics.set_index("drug").unreadable["DA"] == 1


def test_controls_let_mics_out_and_keep_them_in(reading):
    dead = reading
    for w in ("D1", "D2", "D3"): dead = dead.corrected(w, False, "Li")
    assert set(dead.mics.mic) == {""} and set(dead.mics.by) == {"Li"}
    alive = dead
    for w in ("D1", "D2", "D3"): alive = alive.corrected(w, "growth", "Anna")
    assert alive.mics.mic.tolist() == reading.mics.mic.tolist() and set(alive.mics.by) == {"Anna"}


@pytest.mark.later
@pytest.mark.parametrize("meaning", MEANINGS)
def test_a_signed_reading_is_closed(reading, tmp_path, meaning):
    folder = reading.corrected("A4", True, "Li").save(tmp_path/"r")
    say_of_run(folder, lambda r: sign_reading(r, "Anna", meaning))
    for change in (lambda r: r.corrected("A1", True, "Li"), lambda r: withheld(r, "Li"),
                   lambda r: sign_reading(r, "Li", "read")):
        with pytest.raises(ValueError, match="signed by Anna"): say_of_run(folder, change)
    assert len(Record(folder/"record.jsonl")) == 2
    again = PlateReading.open(new_version(folder, tmp_path/"v2"))
    assert again.corrected("A1", True, "Li").said
    assert again.mics.mic.tolist() == PlateReading.open(folder).mics.mic.tolist()
    with pytest.raises(ValueError, match="there already"): new_version(folder, tmp_path/"v2")


def test_six_writers_on_one_version(reading, tmp_path):
    folder, said = reading.save(tmp_path/"r"), []
    def one(i):
        try: say_of_run(folder, lambda r: r.corrected(f"A{i+1}", True, f"reader {i}"), seen=0); said.append("kept")
        except Outdated as e: said.append(str(e))
    threads = [threading.Thread(target=one, args=[i]) for i in range(6)]
    for t in threads: t.start()
    for t in threads: t.join()
    assert said.count("kept") == 1 and sum("meanwhile: reader" in o for o in said) == 5
    assert len(Record(folder/"record.jsonl")) == 1 and Record(folder/"record.jsonl").check() == []


def test_what_is_damaged_is_said(reading, tmp_path):
    folder = reading.corrected("A4", True, "Li").save(tmp_path/"r")
    whole = {p.name: p.read_bytes() for p in folder.iterdir()}
    for name, change, said in (("record.jsonl", lambda b: b.replace(b"A4", b"A5"), "line 1 was edited"),
                               ("reading.json", lambda b: b[:-40], "reading.json|JSON|line"),
                               ("reading.json", lambda b: b.replace(b'"wells"', b'"well"'), "damaged: KeyError"),
                               ("photo.png", lambda b: b[:90], "damaged")):
        (folder/name).write_bytes(change(whole[name]))
        with pytest.raises(ValueError, match=said): PlateReading.open(folder)
        (folder/name).write_bytes(whole[name])
    with pytest.raises(ValueError, match="holds no reading"): PlateReading.open(tmp_path)
    with pytest.raises(ValueError, match="holds another reading"):
        settled_mics(replace(reading, wells=reading.wells.assign(growth=.5))).save(
            reading.save(tmp_path/"other"))


@pytest.mark.parametrize("well, growth, who", [("Z1", True, "Li"), ("A1", "maybe", "Li"), ("A1", True, " "),
                                               ("", True, "Li")])
def test_what_may_not_be_said(reading, well, growth, who):
    with pytest.raises(ValueError): reading.corrected(well, growth, who)
