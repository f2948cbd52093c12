"""Files whole or not at all, one writer a folder, older files brought up to date, an index that no broken run can
hide, and nothing removed that somebody may need."""
import csv
import errno
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from datetime import datetime, timedelta, timezone
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from typer.testing import CliRunner

import mic_eval.core.files as files
import mic_eval.core.results as results
import mic_eval.run.store as store
from mic_eval.core.files import locked, whole, write_whole, writer
from mic_eval.core.results import NotApplicable, Result, Score, from_json, migrated, to_json
from mic_eval.core.tables import read_predictions
from mic_eval.cli.app import app
from mic_eval.run.listing import (
    leftovers, remove, as_csv, as_rows, as_text, described_run, entries, entry, find_run, run_folders, unchanged)
from mic_eval.report.compare_page import index_page, write_index
from mic_eval.run.store import Run, open_run, run_folder, save_run, set_latest, summary_of

PS = read_predictions(pd.DataFrame(dict(sample_id=["a", "b"], growth=[1, 0], y_prob=[.9, .2])))
FOUND = Result(model=dict(name="net", hash="m1"), data=dict(name="plates", hash="d1", rows=2),
               wells=Result(overall=Result(sensitivity=Score(.9, .8, .95, k=9, n=10),
                                           specificity=NotApplicable("none"))),
               verdict=dict(status="fail", profile="p", counts={}))


def stored(runs, hash="a", started="2026-01-01", model="net", latest=False):
    run = save_run(run_folder(runs, model, "plates", hash*64), FOUND, PS,
                   dict(started=f"{started}T00:00:00+00:00", identity=hash*64))
    if latest: set_latest(run, runs)
    return run.folder


def cli(*args):
    r = CliRunner().invoke(app, ["runs", *map(str, args)])
    assert "Traceback" not in r.output and r.exception is None or isinstance(r.exception, SystemExit), r.exception
    return r


# --- whole files

@given(st.binary(max_size=300), st.integers(0, 300))
@settings(max_examples=40, deadline=None)
def test_a_reader_sees_the_old_file_or_the_new_one(tmp_path_factory, content, stop):
    place = tmp_path_factory.mktemp("w")
    path = write_whole(place / "f", b"old")
    try:
        with whole(path) as part:
            part.write_bytes(content[:stop])
            assert path.read_bytes() == b"old"
            if stop < len(content): raise KeyboardInterrupt
    except KeyboardInterrupt: pass
    assert path.read_bytes() == (content if stop >= len(content) else b"old")
    assert [p.name for p in place.iterdir()] == ["f"]


def test_a_full_disk_is_named_and_leaves_the_old_file(tmp_path, monkeypatch):
    path = write_whole(tmp_path / "f", "old")
    write = Path.write_bytes
    def full(self, b):
        write(self, b[:1])
        raise OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(ValueError, match=r"cannot write .*/f: No space left on device$"): write_whole(path, "new")
    monkeypatch.undo()
    assert path.read_text() == "old" and len(list(tmp_path.iterdir())) == 1


def test_an_error_that_comes_only_when_the_disk_is_asked_counts_too(tmp_path, monkeypatch):
    def fails(fd): raise OSError(errno.EIO, "late")
    monkeypatch.setattr(files.os, "fsync", fails)
    with pytest.raises(ValueError, match="cannot write .*f: Input/output error"): write_whole(tmp_path / "f", "x")
    assert not list(tmp_path.iterdir())
    write_whole(tmp_path / "f", "x", durable=False)


def test_content_reaches_the_disk_before_its_name(tmp_path, monkeypatch):
    did, sync, replace = [], os.fsync, Path.replace
    monkeypatch.setattr(
        files.os, "fsync", lambda fd: (did.append(os.path.basename(os.readlink(f"/proc/self/fd/{fd}"))
                                                  if os.path.isdir("/proc/self/fd") else "?"), sync(fd))[1])
    monkeypatch.setattr(Path, "replace", lambda self, to: (did.append("rename"), replace(self, to))[1])
    write_whole(tmp_path / "f", "x")
    assert len(did) == 3
    assert did[1] == "rename" and (did[0] == "?" or did[0].startswith("f.") and did[2] == tmp_path.name)


def test_threads_that_write_one_file(tmp_path):
    texts = [str(k)*5000 for k in range(8)]
    ts = [threading.Thread(target=lambda t: [write_whole(tmp_path / "f", t, durable=False) for _ in range(20)],
                           args=(t,)) for t in texts]
    for t in ts: t.start()
    for t in ts: t.join()
    assert (tmp_path / "f").read_text() in texts and len(list(tmp_path.iterdir())) == 1


# --- locks

def test_who_may_still_be_at_work(monkeypatch):
    "A process of another user cannot be asked; one of another machine cannot be seen"
    import mic_eval.core.files as files
    here = dict(host=files.socket.gethostname(), pid=1234)
    for answer, alive in ((None, True), (ProcessLookupError, False), (PermissionError, True)):
        def kill(pid, sign):
            assert (pid, sign) == (1234, 0)
            if answer: raise answer
        monkeypatch.setattr(files.os, "kill", kill)
        assert files._alive(here) == alive
        assert files._alive(here | dict(host="elsewhere")) and not files._alive(None)


def test_one_writer_and_a_name_for_the_next(tmp_path):
    with locked(tmp_path):
        who = json.loads((tmp_path / ".lock").read_text())
        assert who["pid"] == os.getpid()
        assert writer(tmp_path).startswith(f"process {os.getpid()} on {who['host']} since ")
        with pytest.raises(ValueError) as e: locked(tmp_path).__enter__()
        assert str(tmp_path) in str(e.value)
        assert f"process {os.getpid()} on" in str(e.value) and "\n" not in str(e.value)
    assert not writer(tmp_path) and not list(tmp_path.iterdir())
    with pytest.raises(KeyError), locked(tmp_path): raise KeyError
    assert not list(tmp_path.iterdir()), "released whatever happened inside"


@pytest.mark.parametrize("left", ["", "{", '{"pid": 1, "host": "elsewhere"}', '{"pid": %d}' % os.getpid(), "[]",
                                  "x"*5000], ids=list("abcdef"))
def test_a_lock_file_that_nobody_holds_stops_nobody(tmp_path, left):
    (tmp_path / ".lock").write_text(left)
    assert not writer(tmp_path)
    with locked(tmp_path): assert json.loads((tmp_path / ".lock").read_text())["pid"] == os.getpid()


def test_waiting_for_the_other(tmp_path):
    order, ready = [], threading.Event()
    def first():
        with locked(tmp_path):
            ready.set()
            time.sleep(.3)
            order.append("first")
    t = threading.Thread(target=first)
    t.start()
    ready.wait()
    with locked(tmp_path, wait=True): order.append("second")
    t.join()
    assert order == ["first", "second"]


def test_many_writers_never_meet(tmp_path):
    inside, met, done = [], [], []
    def work():
        for _ in range(10):
            with locked(tmp_path, wait=True):
                inside.append(1)
                if len(inside) > 1: met.append(1)
                time.sleep(.001)
                inside.pop()
            done.append(1)
    ts = [threading.Thread(target=work) for _ in range(4)]
    for t in ts: t.start()
    for t in ts: t.join()
    assert not met and len(done) == 40 and not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="flock")
def test_where_the_file_system_knows_no_locks_the_name_serves(tmp_path, monkeypatch):
    import fcntl
    import socket
    def unknown(*_): raise OSError(errno.ENOLCK, "No locks available")
    monkeypatch.setattr(fcntl, "flock", unknown)
    name = lambda pid, host=socket.gethostname(): (tmp_path / ".lock").write_text(json.dumps(dict(pid=pid, host=host,
        since="today")))
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    name(dead.pid)
    with locked(tmp_path): assert writer(tmp_path)
    for args in (os.getppid(),), (dead.pid, "elsewhere"):
        name(*args)
        with pytest.raises(ValueError, match=f"process {args[0]} on"): locked(tmp_path).__enter__()


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(ValueError, match="cannot write into .*gone: No such file"):
        locked(tmp_path / "gone").__enter__()
    assert writer(tmp_path / "gone") == ""


# --- schemas

def test_an_older_file_is_brought_up_to_date_and_stays_as_it_is(tmp_path, monkeypatch):
    folder = stored(tmp_path)
    new = json.loads((folder / "results.json").read_text())
    old = new | dict(schema=-1, scores=new["wells"])
    del old["wells"]
    text = json.dumps(old)
    (folder / "results.json").write_text(text)
    with pytest.raises(
        ValueError, match=r"results.json: results of schema -1, this version reads 2, and nothing leads from -1 "
                          r"to 0"): open_run(folder)
    def first(d): return {"wells" if k == "scores" else k: v for k, v in d.items()}
    monkeypatch.setattr(results, "MIGRATIONS", {1: dict, -1: first, 0: lambda d: d | dict(note="brought up")})
    r = open_run(folder).result
    assert r.wells.overall.sensitivity == .9
    assert r.note == "brought up" and (folder / "results.json").read_text() == text
    notes = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({k: v for k, v in notes.items() if k != "started"}
                                                | dict(schema=0, begun=notes["started"])))
    monkeypatch.setattr(store, "RUN_MIGRATIONS", {1: dict, 0: lambda d: d | dict(started=d["begun"])})
    assert Run(folder).about["started"] == notes["started"] and Run(folder).about["schema"] == 2


@pytest.mark.later
@pytest.mark.parametrize("text, said", [
    ('{"schema": 3}', "results of schema 3, this version reads 2: a newer mic-eval wrote them"),
                                        ('{"schema": "1"}', "schema 1: a whole number"), ("{}", "schema None"),
                                        ('{"schema": true}', "schema True"),
    ("", "not JSON"), ("[1]", "must be a JSON object, not a list"),
                                        ('{"schema": 1, "x": {"type": "curve"}}', "damaged results"),
                                        ('{"schema": 1, "x": {"type": "table"}}', "damaged results"),
                                        ("\xff", "not JSON"),
])
def test_what_cannot_be_read_is_refused_in_one_line(tmp_path, text, said):
    folder = stored(tmp_path)
    (folder / "results.json").write_text(text)
    with pytest.raises(ValueError) as e: open_run(folder)
    assert said in str(e.value) and "results.json: " in str(e.value) and "\n" not in str(e.value)
    assert entry(folder, tmp_path).outcome == "broken" and said in entry(folder, tmp_path).why
    r = CliRunner().invoke(app, ["compare", str(folder), str(stored(tmp_path, "b")), "--report", "none", "--out",
                                 str(tmp_path / "c")])
    assert r.exit_code == 2 and r.stderr.startswith(
        "error: ") and said in r.stderr and r.stderr.count("\n") == 1, "a baseline that cannot be read"


@given(st.integers(0, 5), st.integers(0, 5))
def test_steps_are_taken_in_order(a, b):
    steps = {k: (lambda k: lambda d: d | dict(seen=[*d["seen"], k]))(k) for k in range(5)}
    if a > b:
        with pytest.raises(ValueError, match="a newer mic-eval"): migrated(dict(schema=a, seen=[]), b, steps)
    else: assert migrated(dict(schema=a, seen=[]), b, steps) == dict(seen=list(range(a, b)))


# --- what run.json remembers

def test_hashes_of_environment_data_model_and_code(tmp_path):
    about = Run(stored(tmp_path)).about
    assert about["hashes"] == dict(model="m1", data="d1", environment=store.identity(**store.environment()),
                                   code=store.code_hash())
    assert set(about["files"]) == {"predictions.parquet", "results.json"} and about["environment"]["packages"]["numpy"]


def test_a_run_that_was_just_stored_is_not_read_again(tmp_path, monkeypatch):
    run = save_run(run_folder(tmp_path, "net", "plates", "a"*64), FOUND, PS)
    read = open_run(run.folder).result
    monkeypatch.setattr(store, "from_json", lambda path: pytest.fail("results.json was read"))
    assert repr(run.result) == repr(read) and type(run.result.model) is type(read.model) and not run.changed()


def test_a_summary_is_believed_only_while_the_results_are_the_same(tmp_path):
    folder = stored(tmp_path)
    assert Run(folder).summary.verdict == "fail" and Run(folder).summary.figures["wells.overall.sensitivity"].lo == .8
    assert to_json(Run(folder).summary) == to_json(summary_of(FOUND))
    write_whole(folder / "results.json", to_json(FOUND | dict(verdict=FOUND["verdict"] | dict(status="pass"))))
    assert Run(folder).summary.verdict == "pass"
    assert unchanged(Run(folder)) == {"predictions.parquet": "unchanged", "results.json": "changed"}


# --- the index

@pytest.fixture
def runs(tmp_path):
    "Two runs, one stopped, four broken, and what does not belong"
    out = tmp_path / "runs"
    a = stored(out, "a", latest=True)
    stored(out, "b", "2026-02-01")
    (out / "net" / "plates" / "cccccccc" / ".parts" / "k").mkdir(parents=True)
    (out / "net" / "plates" / "cccccccc" / ".parts" / "k" / "000000.npz").touch()
    for k, (name, text) in enumerate([("results.json", ""), ("run.json", "{"),
                                      ("run.json", '{"schema": 1, "started": 7}'),
                                      ("run.json", '{"schema": 1, "started": "soon"}')]):
        shutil.copytree(a, out / "bad" / "plates" / (f"{k}"*8))
        (out / "bad" / "plates" / (f"{k}"*8) / name).write_text(text)
    (out / "photos" / "2024" / "deep" / "deeper").mkdir(parents=True)
    (out / "photos" / "2024" / "deep" / "deeper" / "results.json").write_text("{}")
    (out / "notes.txt").write_text("mine")
    (out / "elsewhere").symlink_to(tmp_path / "outside")
    (tmp_path / "outside").mkdir()
    shutil.copytree(a, tmp_path / "outside" / "dddddddd")
    return out


def test_no_broken_run_hides_another(runs):
    e = {o.name: o for o in entries(runs)}
    assert sorted(o.outcome for o in e.values()) == ["broken"]*4 + ["fail"]*2 + ["unfinished"]
    assert e["net/plates/cccccccc"].why == "1 batches are there"
    assert all(o.why and "\n" not in o.why for o in e.values() if o.state == "broken")
    assert not [n for n in e if "elsewhere" in n or "photos" in n]
    with locked(runs / "net" / "plates" / "aaaaaaaa"):
        assert entry(runs / "net" / "plates" / "aaaaaaaa", runs).outcome == "running"
    rows = json.loads(cli("list", "--json", "--out", runs).stdout)
    own = next(r for r in rows if r["run"].endswith("aaaaaaaa"))
    assert [own[f"wells.overall.sensitivity{k}"] for k in ("", ".lo", ".hi", ".n")] == [.9, .8, .95, 10]
    assert own["started"] == "2026-01-01T00:00:00+00:00" and len(rows) == 7
    assert [r["run"] for r in csv.DictReader(cli("list", "--csv", "--out",
                                                 runs).stdout.splitlines())] == [r["run"] for r in rows]
    assert "90.0 % (80.0 to 95.0)" in cli("list", "--out", runs).stdout
    assert "no folder" in cli("list", "--out", runs / "gone").stderr
    assert as_text([]) == "no runs"
    assert cli("list", "--out", runs / "photos" / "2024" / "deep" / "deeper").stdout == "no runs\n"


class Links(HTMLParser):
    def __init__(self): super().__init__(); self.links, self.tags = [], set()
    def handle_starttag(self, tag, attrs): self.tags.add(tag); self.links += [v for k, v in attrs if k == "href"]


def test_the_page_leads_to_files_and_runs_nothing_that_a_name_says(runs):
    odd = runs / "<script>alert(1)</script>".replace("/", "_") / "a&b 'c'" / "eeeeeeee"
    shutil.copytree(runs / "net" / "plates" / "aaaaaaaa", odd)
    for name in "technical.html", "clinical.failed.ipynb": (odd / name).touch()
    page = write_index(runs).read_text()
    p = Links()
    p.feed(page)
    from urllib.parse import unquote
    assert page.count("<script") <= 1
    assert "<script>alert" not in page
    assert len(p.links) == len(set(p.links)) and all((runs / unquote(o)).is_file() for o in p.links)
    assert {"technical.html", "clinical.failed.ipynb"} <= {unquote(o).rsplit("/", 1)[1] for o in p.links}
    assert write_index(runs)
    assert (runs / "index.html").write_text("mine")
    assert write_index(runs) is None and (runs / "index.html").read_text() == "mine"


def test_names_with_control_characters_and_formulas(tmp_path):
    folder = stored(tmp_path)
    odd = tmp_path / "\x1b[31mred" / "=1+1" / "ffffffff"
    shutil.copytree(folder, odd)
    found = entries(tmp_path)
    assert "\x1b" not in as_text(found) + as_csv(as_rows(found)) + index_page(found)
    shutil.move(odd, tmp_path / "=cmd()" )
    assert "'=cmd()" in as_csv(as_rows(entries(tmp_path)))


def test_a_run_is_found_by_what_one_would_type(runs, monkeypatch):
    a = runs / "net" / "plates" / "aaaaaaaa"
    for ref in (a, f"{a}/", "latest", "net/plates", "net/plates/aaaaaaaa", "net/plates/aa", "aaa", "a"*64):
        assert find_run(ref, runs).samefile(a), ref
    for ref, said in {"net": "may be any of 3", "": "which run?", "zzz": "no run 'zzz'",
                      "aaaaaaab": "did you mean 'aaaaaaaa'?", "photos": "no run 'photos'"}.items():
        with pytest.raises(ValueError, match=said.replace("?", r"\?")) as e: find_run(ref, runs)
        assert "\n" not in str(e.value)


def test_show_says_what_changed_and_opens_no_model(tmp_path, monkeypatch):
    runs, net = tmp_path / "runs", tmp_path / "net.pt2"
    net.write_text("not a model at all")
    folder = stored(runs, latest=True)
    notes = json.loads((folder / "run.json").read_text())
    notes |= dict(sources=dict(model=dict(path="../../../../net.pt2", hash=store.file_hash(net))), code="0"*64)
    notes["environment"]["packages"] |= dict(numpy="0.1")
    write_whole(folder / "run.json", json.dumps(notes))
    shown = described_run(folder, runs)
    assert shown["content"]["model (net.pt2)"] == "unchanged"
    assert [d.split(",")[0] for d in shown["environment"]] == ["numpy: 0.1 then", "the code of mic-eval is another"]
    net.write_text("retrained")
    assert described_run(folder, runs)["content"]["model (net.pt2)"] == "changed"
    net.unlink()
    assert described_run(folder, runs)["content"]["model (net.pt2)"] == "gone"
    said = cli("show", "latest", "--out", runs).stdout
    assert "verdict: fail" in said
    assert "90.0 % (80.0 to 95.0) 9/10" in said
    assert json.loads(cli("show", "--json", "--out", runs).stdout)["run"] == "net/plates/aaaaaaaa"
    write_whole(folder / "run.json", "{")
    assert "why: " in cli("show", "latest", "--out", runs).stdout


# --- gc

def aged(path, seconds=2*3600):
    os.utime(path, (time.time() - seconds,)*2)
    return path


def test_what_was_left_behind_goes_and_nothing_else(runs, tmp_path):
    a, c = (runs / "net" / "plates" / (k*8) for k in "ac")
    (a / ".parts" / "k").mkdir(parents=True)
    gone = [aged(write_whole(a / "x.part", "")), aged(write_whole(a / ".technical.12.ipynb", "")),
            aged(write_whole(runs / "latest.3-1.part", "")), write_whole(a / "technical.failed.ipynb", ""),
            a / ".parts"]
    stays = [write_whole(a / "fresh.part", ""), aged(write_whole(a / "notes.md", "")),
             c / ".parts" / "k" / "000000.npz", runs / "notes.txt", a / "results.json",
             runs / "bad" / "plates" / "00000000"]
    outside = aged(write_whole(tmp_path / "outside" / "x.part", ""))
    (a / "link.part").symlink_to(outside)
    before = sorted(runs.rglob("*"))
    said = cli("gc", "--out", runs)
    assert said.exit_code == 0 and sorted(
        runs.rglob("*")) == before and said.stdout.count("would remove") == len(gone), said.stdout
    assert cli("gc", "--out", runs, "--yes").exit_code == 0
    assert not [p for p in gone if p.exists()]
    assert all(p.exists() for p in stays) and outside.exists() and (a / "link.part").is_symlink()
    assert "0 things" in cli("gc", "--out", runs).stdout


def test_runs_go_by_age_and_number_and_never_the_latest(tmp_path):
    out, now = tmp_path / "runs", datetime.now(timezone.utc)
    for k, days in zip("abcd", (40, 30, 20, 10)):
        stored(out, k, (now - timedelta(days=days)).strftime("%Y-%m-%d"), latest=k == "a")
    stored(out, "e", (now - timedelta(days=90)).strftime("%Y-%m-%d"), model="other")
    goes = lambda **how: "".join(sorted(o.path.name[0] for o in leftovers(out, **how)))
    assert (goes(), goes(older_than=15), goes(keep=1), goes(older_than=25, keep=2), goes(older_than=0, keep=0),
            goes(older_than=100)) == ("", "bce", "bc", "b", "bcde", "")
    for bad in dict(older_than=-1), dict(keep=-1):
        with pytest.raises(ValueError, match="cannot be negative"): leftovers(out, **bad)
    assert "cannot be negative" in cli("gc", "--keep", "-1", "--out", out).stderr
    with locked(out / "net" / "plates" / "bbbbbbbb"): assert goes(older_than=15) == "ce"
    found = leftovers(out, older_than=15)
    with locked(out / "net" / "plates" / "cccccccc"): said = [remove(o, out) for o in found]
    assert [bool(s) for s in said] == [o.path.name[0] == "c" for o in found]
    assert "is being written by process" in "".join(said)
    assert sorted(p.parent.name[0] for p in out.rglob("results.json")) == ["a", "c",
        "d"] and not (out / "other").exists(), "an emptied folder goes too"
    o = next(o for o in leftovers(out, older_than=15))
    set_latest(Run(o.path), out)
    assert remove(o, out) == "the latest run" and o.path.exists()


def test_a_stopped_run_goes_by_age_only(runs):
    c = runs / "net" / "plates" / "cccccccc"
    assert c not in [o.path for o in leftovers(runs, keep=0)]
    assert c not in [o.path for o in leftovers(runs, older_than=1)]
    for p in c, c / ".parts": aged(p, 3*86400)
    assert c in [o.path for o in leftovers(runs, older_than=1)]
    assert not [o for o in leftovers(runs, older_than=0, keep=0)
                if "bad" in o.path.parts], "what cannot be read may be another version's"


def test_rendered_wells_go_when_no_run_refers_to_them(tmp_path):
    out = tmp_path / "runs"
    folder = stored(out, latest=True)
    used, unused = (out / ".data" / f"{n}-plates-seed-0" for n in (1, 2))
    for d in used, unused:
        (d / "demo").mkdir(parents=True)
        aged(d, 2*86400)
    notes = json.loads(
        (folder / "run.json").read_text()) | dict(data=dict(folder="../../../.data/1-plates-seed-0/demo"))
    write_whole(folder / "run.json", json.dumps(notes))
    assert [o.path for o in leftovers(out)] == [unused]
    with locked(folder): assert not leftovers(out)
    with locked(unused):
        aged(unused, 2*86400)
        assert not leftovers(out)
    aged(unused, 2*86400)
    shutil.copytree(folder, out / "net" / "plates" / "bbbbbbbb")
    (out / "net" / "plates" / "bbbbbbbb" / "run.json").write_text("{")
    assert not leftovers(out), "a run that cannot be read may refer to them"
    shutil.rmtree(out / "net" / "plates" / "bbbbbbbb")
    assert not remove(leftovers(out)[0], out) and used.exists() and not unused.exists()


def test_nothing_outside_is_removed(tmp_path):
    out, other = tmp_path / "runs", tmp_path / "other"
    stored(out, latest=True)
    folder = stored(other, started="2020-01-01")
    o = leftovers(other, older_than=1)[0]
    assert remove(o, out) == "outside the folder of runs" and (folder / "results.json").exists()
    (out / "net" / "linked").symlink_to(other / "net" / "plates")
    assert not leftovers(out, older_than=1)
