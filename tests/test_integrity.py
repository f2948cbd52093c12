"""Every reader of a run, times every way in which its files are edited: it says so, or refuses, and is never silent.

Each edit is a whole row of the matrix: one copied run, asked by every reader."""
import json
import shutil
from contextlib import redirect_stderr, redirect_stdout
from hashlib import sha256
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mic_eval.cli.app import app
from mic_eval.mic.plate_page import reading_sight
from mic_eval.report.trackers import upload_of
from mic_eval.report.views import headline
from mic_eval.run.evaluation import make_run
from mic_eval.run.store import Run, open_run, sealed

SAID = "changed since it was written"
PAGES = Path(__file__).parent.parent/"nbs"/"reports"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    "Two runs of two files"
    place, n = tmp_path_factory.mktemp("integrity"), 60
    def made(k):
        table = pd.DataFrame(dict(sample_id=range(n), growth=[0, 1]*(n//2), plate=[f"P{i%6}" for i in range(n)],
                                  y_prob=np.linspace(.05, .95, n) if k else [.1, .9]*(n//2)))
        table.to_csv(place/f"p{k}.csv", index=False)
        return make_run(predictions=place/f"p{k}.csv", out=place/"runs", profile="mic-clinical")
    return made(0), made(1)


def replaced(file, a, b):
    text = file.read_text(encoding="utf-8")
    assert a in text
    file.write_text(text.replace(a, b, 1), encoding="utf-8")


def results(f, other): replaced(f/"results.json", "\"level\": 0.95", "\"level\": 0.9")
def notes(f, other): replaced(f/"run.json", '"python": "', '"python": "4')
def summary(f, other): replaced(f/"run.json", '"verdict": "', '"verdict": "p')
def table(f, other):
    t = pd.read_parquet(f/"predictions.parquet")
    t[::-1].to_parquet(f/"predictions.parquet")


def both(f, other):
    results(f, other)
    about = json.loads((f/"run.json").read_text(encoding="utf-8"))
    about["files"]["results.json"] = sha256((f/"results.json").read_bytes()).hexdigest()
    (f/"run.json").write_text(json.dumps(about, indent=1), encoding="utf-8")


def status(f, other): replaced(f/"results.json", '"status": "', '"status": "p')
def no_notes(f, other): (f/"run.json").unlink()
def no_table(f, other): (f/"predictions.parquet").unlink()
def one_more(f, other): shutil.copy(f/"predictions.parquet", f/"trials.parquet")
def their_results(f, other): shutil.copy(other/"results.json", f)
def their_notes(f, other): shutil.copy(other/"run.json", f)
def their_table(f, other): shutil.move(shutil.copy2(other/"predictions.parquet", f/"x"), f/"predictions.parquet")
def damaged_notes(f, other): (f/"run.json").write_text('{"schema": 2')
def no_results(f, other): (f/"results.json").unlink()


EDITS = (results, notes, status, summary, table, both, no_notes, no_table, one_more, their_results, their_notes,
         their_table, damaged_notes, no_results)


def typed(*args):
    "What a command says, and its exit code"
    said, code = StringIO(), 0
    with redirect_stdout(said), redirect_stderr(said):
        try: app([str(a) for a in args])
        except SystemExit as e: code = e.code
    return said.getvalue(), code


def loud(text, code): return SAID in text.lower() or code == 2


READERS = dict(
    list=lambda f, o: typed("runs", "list", "--out", f.parents[2]),
    show=lambda f, o: typed("runs", "show", f),
    card=lambda f, o: typed("card", f, "--out", f.parents[2]/"cards"),
    tex=lambda f, o: typed("export", f, "--to", "tex", "--out", f.parents[2]/"tex"),
    json=lambda f, o: typed("export", f, "--to", "json,csv", "--out", f.parents[2]/"json"),
    compare=lambda f, o: typed("compare", f, o, "--report", "none", "--out", f.parents[2]/"compare"),
    page=lambda f, o: (str(headline(open_run(f))), 0),
    tracker=lambda f, o: (f"{SAID}: {named}" if (named := upload_of(f).tags.get("changed")) else "", 0))
ENDED = "broken", "unfinished"   # what a list says of a run that cannot be read


def copied(run, to):
    folder = to/"runs"/"m"/"d"/run.folder.name
    shutil.copytree(run.folder, folder)
    return folder


def asked(reader, f, other):
    try: return READERS[reader](f, other)
    except ValueError as e: return str(e), 2


@pytest.mark.later
@pytest.mark.parametrize("edit", EDITS, ids=lambda e: e.__name__)
def test_nobody_uses_an_edited_run_in_silence(runs, edit, tmp_path):
    f = copied(runs[0], tmp_path)
    edit(f, runs[1].folder)
    silent = []
    for reader in READERS:
        text, code = asked(reader, f, runs[1].folder)
        assert "Traceback" not in text
        also = ENDED if edit in (damaged_notes, no_results, status) else ()
        if reader == "show": also = *also, ": gone", ": changed"
        if not loud(text, code) and not any(o in text for o in also): silent.append((reader, text))
    assert silent == []


def test_a_whole_run_is_called_nothing_of_the_kind(runs, tmp_path):
    f = copied(runs[0], tmp_path)
    assert [r for r in READERS if loud(*asked(r, f, runs[1].folder))] == []


@pytest.mark.later
@pytest.mark.parametrize("edit", (results, summary, both, their_table), ids=lambda e: e.__name__)
def test_the_same_question_is_answered_anew(runs, edit, tmp_path):
    whole, f = (runs[0].folder/"results.json").read_bytes(), copied(runs[0], tmp_path)
    source = runs[0].folder.parents[2].parent/"p0.csv"
    f = make_run(predictions=source, out=tmp_path/"again", profile="mic-clinical").folder
    edit(f, runs[1].folder)
    again = make_run(predictions=source, out=tmp_path/"again", profile="mic-clinical")
    assert again.folder == f and Run(f).changed() == []
    assert (f/"results.json").read_bytes() == whole


@pytest.mark.later
@pytest.mark.parametrize("edit", (results, notes, table), ids=lambda e: e.__name__)
def test_the_gate_fails_on_a_run_and_on_a_baseline(runs, edit, tmp_path):
    f = copied(runs[0], tmp_path)
    how = "--profile", "none", "--report", "none"
    assert typed("gate", runs[0].folder, "--baseline", f, *how)[1] == 4   # a copy of itself is no evidence
    edit(f, runs[1].folder)
    for args in (f,), (runs[0].folder, "--baseline", f):
        said, code = typed("gate", *args, *how)
        assert code == 1 and "files are whole" in said, said


def test_a_table_that_lies_in_a_run_is_known(runs, tmp_path):
    f = copied(runs[0], tmp_path)
    tables = f/"predictions.parquet", runs[1].folder/"predictions.parquet"
    how = "--report", "none", "--out"
    assert SAID not in typed("compare", *tables, *how, tmp_path/"a")[0]
    table(f, None)
    assert SAID in typed("compare", *tables, *how, tmp_path/"b")[0]
    assert SAID in typed("run", "--predictions", tables[0], *how, tmp_path/"c")[0]


def test_a_remade_seal_is_the_only_way_round(runs, tmp_path):
    "Hashes are no signatures: the gate therefore asks the model again"
    f = copied(runs[0], tmp_path)
    both(f, None)
    assert Run(f).changed() == ["run.json"]
    (f/"run.json").write_text(sealed(json.loads((f/"run.json").read_text(encoding="utf-8"))), encoding="utf-8")
    assert Run(f).changed() == []


def test_every_report_begins_with_what_was_edited(runs, tmp_path):
    first = "headline(", "comparison_verdict(", "first_sight(", "reading_sight("
    for page in PAGES.glob("*.ipynb"):
        cells = [c for c in json.loads(page.read_text(encoding="utf-8"))["cells"] if c["cell_type"] == "code"]
        assert any(o in "".join("".join(c["source"]) for c in cells[:5]) for o in first), page.name
    f = copied(runs[0], tmp_path)
    results(f, None)
    run = open_run(f)
    assert SAID in str(headline(run)).lower()
    vars(run)["result"] = run.result | dict(plate=dict(flagged_drugs=0, rims_seen=1, wells=1, flags=[]), posterior={},
                                            mics=pd.DataFrame(dict(drug=["CIP"], mic=["1"], flags=[""])))
    vars(run)["result"]["plate"] = type(run.result)(vars(run)["result"]["plate"])
    assert SAID in str(reading_sight(run)).lower()
