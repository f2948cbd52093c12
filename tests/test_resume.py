"""A run that is stopped, at any point and however roughly, becomes the same bytes when the same command is given
again, and computes no batch twice but the one it asks again."""
import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
import pytest
from PIL import Image
from typer.testing import CliRunner

import mic_eval.core.files as files
import mic_eval.core.predictions as tables
from importlib import import_module

inference = import_module("mic_eval.model.predict")
import mic_eval.run.evaluation as evaluation
import mic_eval.run.store as store
from mic_eval.core.criteria import Criterion, Profile
from mic_eval.cli.app import app
from mic_eval.run.evaluation import make_run
from mic_eval.run.listing import entries
from mic_eval.run.store import open_run

resource = pytest.importorskip("resource", reason="the faults are those of a POSIX system")
BATCHES, SIZE = 6, 4
AGAIN = 1   # before kept batches are used, one of them is predicted again
EASY = Profile("easy", (Criterion("accuracy", .5, "min"),))


def draw(folder):
    "24 wells of 8x8 pixels on six plates"
    (folder / "images").mkdir(parents=True)
    rows = ["sample_id,path,plate,growth"]
    for i in range(BATCHES*SIZE):
        Image.fromarray(np.full((8, 8), 60 + i if i % 2 else 200 - i, np.uint8)).save(folder / "images" / f"{i}.png")
        rows.append(f"w{i},images/{i}.png,P{i % 6},{i % 2}")
    (folder / "manifest.csv").write_text("\n".join(rows) + "\n")
    return folder


class Killed(BaseException):
    "As a kill: no `except Exception` stops it"


class Darkness:
    "A model that counts its calls and may stop at one of them"
    fingerprint = "darkness-1"
    def __init__(self, stop=None): self.calls, self.stop = 0, stop
    def __call__(self, x):
        if self.calls == self.stop: raise Killed
        self.calls += 1
        return np.clip(1.6 - 1.6*x.mean((1, 2, 3)), 0, 1)


def run(wells, out, model=None):
    return make_run(model or Darkness(), wells, out=out, profile=EASY, by=(), batch_size=SIZE)


def content(folder): return [(folder / f).read_bytes() for f in ("predictions.parquet", "results.json")]


@pytest.fixture(scope="module")
def wells(tmp_path_factory): return draw(tmp_path_factory.mktemp("data") / "wells")


@pytest.fixture(scope="module")
def whole(wells, tmp_path_factory): return run(wells, tmp_path_factory.mktemp("whole") / "runs").folder


def folder_in(out):
    return next(p.parent for p in out.rglob(".parts" if not list(out.rglob("run.json")) else "run.json"))


def goes_on(wells, out, whole, calls):
    "The same command again: the same bytes, that many calls of the model, and nothing left over"
    model = Darkness()
    r = run(wells, out, model)
    assert content(r.folder) == content(whole) and r.folder.name == whole.name and model.calls == calls
    assert sorted(p.name for p in r.folder.iterdir()) == ["predictions.parquet", "results.json",
                                                          "run.json"], "nothing half-written stays"
    assert open_run(out).folder.samefile(r.folder) and [e.state for e in entries(out)] == ["done"]


# --- eight faults

def test_stopped_between_batches(wells, whole, tmp_path):
    with pytest.raises(Killed): run(wells, tmp_path, Darkness(stop=3))
    assert [e.why for e in entries(tmp_path)] == ["3 batches are there"]
    goes_on(wells, tmp_path, whole, BATCHES - 3 + AGAIN)


def test_stopped_while_a_batch_is_written(wells, whole, tmp_path, monkeypatch):
    save, n = np.savez, []
    def half(f, **arrays):
        n.append(1)
        if len(n) == 3:
            f.write(b"PK half a batch")
            raise Killed
        return save(f, **arrays)
    monkeypatch.setattr(inference.np, "savez", half)
    with pytest.raises(Killed): run(wells, tmp_path)
    monkeypatch.undo()
    # a kill would have left it
    next(tmp_path.rglob("*.npz")).with_name("000002.npz.123-4.part").write_bytes(b"PK half a batch")
    goes_on(wells, tmp_path, whole, BATCHES - 2 + AGAIN)


@contextmanager
def no_file_beyond(size):
    "The kernel ends every write beyond that many bytes, as a quota does"
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, old[1]))
    try: yield
    finally: resource.setrlimit(resource.RLIMIT_FSIZE, old)


def test_a_quota_that_is_reached(wells, whole, tmp_path):
    "Batches fit, the table does not: the truncated file never gets its name"
    size = (whole / "predictions.parquet").stat().st_size
    with no_file_beyond(size - 100), pytest.raises(ValueError,
                                                   match=r"cannot write .*predictions\.parquet: File too "
                                                         r"large$"): run(wells, tmp_path)
    assert not list(tmp_path.rglob("predictions.parquet*")) and len(list(tmp_path.rglob("*.npz"))) == BATCHES
    goes_on(wells, tmp_path, whole, AGAIN)


def test_a_disk_that_is_full(wells, whole, tmp_path, monkeypatch):
    write = files._write_parquet
    def full(frame, path, about):
        write(frame, path, about)
        os.truncate(path, 500)
        raise OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(files, "_write_parquet", full)
    with pytest.raises(ValueError, match=r"cannot write .*predictions\.parquet: No space left on device$"):
        run(wells, tmp_path)
    assert not list(tmp_path.rglob("predictions.parquet*")) and len(list(tmp_path.rglob("*.npz"))) == BATCHES
    monkeypatch.undo()
    goes_on(wells, tmp_path, whole, AGAIN)


# one batch shows that the model still answers as stored
@pytest.mark.parametrize("name, calls", [("run.json", AGAIN), ("results.json", 1)])
def test_stopped_between_and_while_the_last_files_are_written(wells, whole, tmp_path, monkeypatch, name, calls):
    "After the table and before the notes; in the middle of the results"
    def dies(path, content, **how):
        if Path(path).name != name: return files.write_whole(path, content, **how)
        Path(path).with_name(f"{name}.99-0.part").write_bytes(content.encode()[:50])
        raise Killed
    for m in evaluation, store: monkeypatch.setattr(m, "write_whole", dies)
    with pytest.raises(Killed): run(wells, tmp_path)
    monkeypatch.undo()
    assert [e.state for e in entries(tmp_path)] == ["unfinished"] and list(tmp_path.rglob("predictions.parquet"))
    for p in tmp_path.rglob("*.part"): p.unlink()   # `runs gc` would, after an hour
    goes_on(wells, tmp_path, whole, calls)


def test_damaged_and_empty_batches_are_computed_again_and_no_others(wells, whole, tmp_path):
    with pytest.raises(Killed): run(wells, tmp_path, Darkness(stop=5))
    a, b, c, *_ = sorted(tmp_path.rglob("*.npz"))
    a.write_bytes(a.read_bytes()[:100])
    b.write_bytes(b"")
    bits = bytearray(c.read_bytes())
    at = bits.index(b"out_scores.npy") + 166   # inside the numbers
    bits[at] ^= 16
    c.write_bytes(bits)
    goes_on(wells, tmp_path, whole, 3 + BATCHES - 5 + AGAIN)


@pytest.mark.later
@pytest.mark.parametrize("lost", [("predictions.parquet",), ("run.json",),
                                  ("run.json", "results.json", "predictions.parquet")])
def test_a_power_cut_that_leaves_empty_files(wells, whole, tmp_path, lost):
    folder = run(wells, tmp_path).folder
    for name in lost: (folder / name).write_bytes(b"")
    goes_on(wells, tmp_path, whole, BATCHES)


def test_predictions_that_somebody_changed_are_not_used(wells, whole, tmp_path):
    folder = run(wells, tmp_path).folder
    table = open_run(folder).predictions
    table.at(.9).save(folder / "predictions.parquet")
    goes_on(wells, tmp_path, whole, BATCHES)


@contextmanager
def without_rights():
    "As somebody who may not write everywhere; root may. Who that is must be able to read this clone"
    if os.geteuid(): yield; return
    os.seteuid(65534)
    if not os.access(__file__, os.R_OK, effective_ids=True):
        os.seteuid(0)
        pytest.skip("nobody but root may read this clone")
    try: yield
    finally: os.seteuid(0)


def test_a_folder_that_became_read_only(wells, whole):
    place = Path(tempfile.mkdtemp())
    try:
        place.chmod(0o755)
        mine = Path(shutil.copytree(wells, place / "wells"))
        with pytest.raises(Killed): run(mine, place / "runs", Darkness(stop=2))
        folder = folder_in(place / "runs")
        folder.chmod(0o555)
        model = Darkness()
        with without_rights(), pytest.raises(ValueError,
                                             match=rf"cannot write into .*{folder.name}: Permission denied$"): run(
                                                 mine, place / "runs", model)
        assert model.calls == 0, "found before anything is computed"
        folder.chmod(0o755)
        goes_on(mine, place / "runs", whole, BATCHES - 2 + AGAIN)
    finally: shutil.rmtree(place)


# --- the command line: a report that fails, two writers, two real kills

@pytest.fixture
def here(wells, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(wells, "wells")
    Path("stop_models.py").write_text("import time, numpy as np\n"
        "def model(x):\n    open('calls', 'a').write('.')\n    time.sleep(.5)\n    return np.clip(1.6 - "
        "1.6*x.mean((1, 2, 3)), 0, 1)\n")
    sys.modules.pop("stop_models", None)
    yield tmp_path
    sys.modules.pop("stop_models", None)


COMMAND = ["run", "--data", "wells", "--model", "stop_models:model", "--model-version", "1", "--batch-size",
           str(SIZE), "--profile", "mic-clinical", "--by", "", "--report"]


def command(*args): return CliRunner().invoke(app, [*COMMAND, *map(str, args)])


def calls(): return len(Path("calls").read_text()) if Path("calls").exists() else 0


def notebook(path, *cells):
    import nbformat.v4 as v4
    tagged = v4.new_code_cell('run = ""', metadata=dict(tags=["parameters"]))
    path.write_text(json.dumps(v4.new_notebook(cells=[v4.new_markdown_cell("# Short"), tagged,
                                                      v4.new_markdown_cell("## Numbers"),
                                                      *map(v4.new_code_cell, cells)])))
    return path


@pytest.mark.full
def test_a_report_that_fails_keeps_what_ran_and_is_linked(here):
    r = command(notebook(here / "short.ipynb", "print('this ran')", "1/0"))
    assert r.exit_code == 2
    assert "failed in section 'Numbers'" in r.stderr and "short.failed.ipynb" in r.stderr.splitlines()[-1]
    folder = open_run("runs").folder
    before, n = content(folder), calls()
    assert "this ran" in (folder / "short.failed.ipynb").read_text()
    assert f"{folder.name}/short.failed.ipynb'" in Path("runs/index.html").read_text()
    assert command("none").exit_code == 0 and content(folder) == before and (calls(), n) == (BATCHES + AGAIN, BATCHES)


def started():
    return subprocess.Popen([sys.executable, "-c", "from mic_eval.cli.app import app; app()", *COMMAND, "none"],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


@pytest.mark.later
def test_two_writers_and_two_kills(here):
    p = started()
    end = time.time() + 120
    while len(list(Path("runs").rglob("*.npz"))) < 2 and p.poll() is None and time.time() < end: time.sleep(.01)
    at_work = psutil.Process(p.pid).children()[0].pid          # the first process only watches
    r = command("none")                                        # while the first one is at work
    p.send_signal(signal.SIGKILL)                              # at a batch
    p.communicate()
    assert p.returncode == -signal.SIGKILL
    said = r.stderr.splitlines()[-1]
    assert r.exit_code == 2
    assert f"is being written by process {at_work} on " in said and str(folder_in(Path("runs"))) in said
    kept = len(list(Path("runs").rglob("*.npz")))
    assert 2 <= kept and (folder_in(Path("runs")) / ".lock").exists() and calls() <= kept + 1

    p = started()                                              # takes over the lock of the dead
    for line in p.stderr:
        if line.startswith("evaluating"): break
    p.send_signal(signal.SIGKILL)                              # in the evaluation
    p.communicate()
    folder = folder_in(Path("runs"))
    assert p.returncode == -signal.SIGKILL and not (folder / "results.json").exists() and calls() <= BATCHES + 1 + AGAIN

    n = calls()
    assert command("none").exit_code == 0 and calls() == n + 1, "all batches were there, and one was asked again"
    assert command("none", "--out", "clean").exit_code == 0 and calls() == n + 1 + BATCHES
    assert content(folder) == content(open_run("clean").folder) and folder.name == open_run("clean").folder.name
    assert not (folder / ".lock").exists() and not list(folder.rglob("*.part"))


def test_half_a_table_that_a_killed_run_left_goes_when_it_is_run_again(tmp_path):
    rows = pd.DataFrame(dict(sample_id=[f"r{i}" for i in range(40)], y_true=[0, 1]*20,
                             y_prob=np.linspace(.1, .9, 40)))
    rows.to_csv(tmp_path/"rows.csv", index=False)
    run = make_run(predictions=tmp_path/"rows.csv", out=tmp_path/"runs")
    half = run.folder/"predictions.parquet.4711-1.part"
    half.write_bytes(b"half")
    make_run(predictions=tmp_path/"rows.csv", out=tmp_path/"runs")
    assert not half.exists()
