"A run whose files were edited by hand is refused in one line, or read; nothing else escapes, whoever reads it."
import copy
import json
import random
import shutil
import traceback
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mic_eval.gate.gate import gate
from mic_eval.report.cards import known_answers
from mic_eval.report.exports import latex_tables
from mic_eval.report.trackers import upload_of
from mic_eval.run.compare import compare
from mic_eval.run.evaluation import make_run
from mic_eval.run.listing import as_csv, as_rows, as_text, described_lines, described_run, entries
from mic_eval.run.store import Run, open_run

ODD = [None, True, 0, -1, 1e308, float("nan"), "", "x", "‮", [], [1], [[]], {}, {"a": 1}, {"type": "score"},
       {"type": "score", "value": "x"},
       {"type": "not applicable"}, {"type": "table", "columns": 3}, {"code": "{n}", "values": {}}, {"type": ["x"]},
       "../../x", 10**400]


def places(d, at=()):
    "Every place in nested lists and dictionaries"
    items = d.items() if isinstance(d, dict) else enumerate(d) if isinstance(d, list) else ()
    for k, v in items:
        yield (*at, k)
        yield from places(v, (*at, k))


def edited(d, rng):
    "The same with one place removed, replaced, or moved elsewhere"
    d = copy.deepcopy(d)
    *at, k = rng.choice(list(places(d)))
    o = d
    for step in at: o = o[step]
    if rng.random() < .25: del o[k]
    elif rng.random() < .2 and isinstance(o, dict):
        o[rng.choice(["type", "value", "lo", "name", "status", "x.y"])] = o.pop(k)
    else: o[k] = rng.choice(ODD)
    return d


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    place, n = tmp_path_factory.mktemp("damaged"), 40
    table = pd.DataFrame(dict(sample_id=range(n), growth=[0, 1]*(n//2), y_prob=np.linspace(.05, .95, n),
                              plate=["P1"]*20 + ["P2"]*20))
    table.to_csv(place / "theirs.csv", index=False)
    return make_run(predictions=place / "theirs.csv", out=place / "runs", profile="mic-clinical")


def lists(run):
    found = entries(run.folder.parent.parent.parent)
    assert len(found) == 1, "a damaged run is a line of the list"
    as_text(found), as_csv(as_rows(found))


READERS = dict(
    store=lambda r: (open_run(r.folder), r.about, r.summary, r.changed(), repr(r)),
    list=lists,
    show=lambda r: list(described_lines(described_run(r.folder, r.folder.parent.parent.parent))),
    gate=lambda r: gate(open_run(r.folder), profile="none", report="none"),
    compare=lambda r: compare(open_run(r.folder), open_run(r.folder)),
    card=lambda r: known_answers(open_run(r.folder)),
    latex=lambda r: list(latex_tables(open_run(r.folder).result)),
    track=lambda r: upload_of(open_run(r.folder)))
QUICK = "store", "list", "show", "card", "latex"


def damaged(run, name, seed, to):
    rng = random.Random(seed)
    if to.exists(): shutil.rmtree(to)
    folder = to / "model" / "data" / "00000000"
    shutil.copytree(run.folder, folder)
    for _ in range(rng.choice([1, 1, 2])):
        (folder / name).write_text(json.dumps(edited(json.loads((folder / name).read_text()), rng)))
    if name == "results.json" and rng.random() < .5:   # whoever edits results may edit the hash too
        about = json.loads((folder / "run.json").read_text())
        about["files"]["results.json"] = sha256((folder / name).read_bytes()).hexdigest()
        (folder / "run.json").write_text(json.dumps(about))
    return Run(folder)


def escapes(run, name, reader, seeds, to):
    "What got out that is neither an answer nor a refusal"
    out = {}
    for seed in seeds:
        r = damaged(run, name, seed, to)
        try: READERS[reader](r)
        except (ValueError, OSError) as e: assert str(e).strip()
        except Exception as e:
            at = traceback.extract_tb(e.__traceback__)[-1]
            out.setdefault(f"{type(e).__name__} {Path(at.filename).name}:{at.name}: {e}"[:150], seed)
    return out


@pytest.mark.later
@pytest.mark.parametrize("name", ["run.json", "results.json"])
@pytest.mark.parametrize("reader", QUICK)
def test_quick_readers(run, name, reader, tmp_path): assert not escapes(run, name, reader, range(30), tmp_path / "runs")


@pytest.mark.full
@pytest.mark.parametrize("name", ["run.json", "results.json"])
@pytest.mark.parametrize("reader", READERS)
def test_every_reader(run, name, reader, tmp_path): assert not escapes(run, name, reader, range(400), tmp_path / "runs")


def test_a_hundred_thousand_brackets(run, tmp_path):
    r = damaged(run, "run.json", 0, tmp_path / "runs")
    (r.folder / "run.json").write_text("["*100_000)
    lists(r)
    (r.folder / "results.json").write_text("["*100_000)
    lists(r)
    with pytest.raises(ValueError): open_run(r.folder)


def test_a_list_and_a_comparison_say_what_was_edited(run, tmp_path):
    from mic_eval.report.compare_page import comparison_verdict, edited_files
    shutil.copytree(run.folder, tmp_path/"m"/"d"/"aaaaaaaa")
    then = entries(tmp_path)[0]
    text = (tmp_path/"m"/"d"/"aaaaaaaa"/"results.json").read_text(encoding="utf-8")
    (tmp_path/"m"/"d"/"aaaaaaaa"/"results.json").write_text(text.replace('"status"', ' "status"', 1), encoding="utf-8")
    now, again = entries(tmp_path)[0], open_run(tmp_path/"m"/"d"/"aaaaaaaa")
    assert then.outcome != "changed"
    assert now.outcome == "changed" and "changed since it was written: results.json" in as_text([now])
    assert edited_files([run, again], ["a", "b"]) == ["b: results.json"]
    with pytest.raises(ValueError, match="a and b are one and the same"): compare(run, again, names=["a", "b"])
    other = replace(run.predictions, scores=1-run.predictions.scores, y_pred=None)
    found = compare(run.predictions, other, names=["a", "b"])
    assert "Changed since it was written" not in str(comparison_verdict(found))
    assert "b: results.json" in str(comparison_verdict(found | dict(changed=["b: results.json"])))


def test_files_of_holes_are_not_read_to_their_end(run, tmp_path):
    for name in "results.json", "run.json":
        shutil.copytree(run.folder, tmp_path/name/"m"/"d"/"aaaaaaaa")
        with open(tmp_path/name/"m"/"d"/"aaaaaaaa"/name, "wb") as f: f.truncate(30 << 30)
        assert entries(tmp_path/name)[0].state == "broken"
        with pytest.raises(ValueError, match="which no run does"):
            (r := open_run(tmp_path/name/"m"/"d"/"aaaaaaaa")).about, r.result
