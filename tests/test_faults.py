"A fault of the disk, the clock or another process: one line, and the folder as it was or finished"
import os
import subprocess
import sys
from pathlib import Path

import faults
import pytest

ROOT = Path(__file__).parent
needs_shim = pytest.mark.skipif(sys.platform != "linux" or not faults.compiler(), reason="needs Linux and a compiler")


def tried(*names, most=""):
    done = subprocess.run([sys.executable, ROOT/"faults.py", *names], capture_output=True, text=True,
                          env=os.environ | dict(FAULTS_MOST=str(most)))
    assert done.returncode == 0, done.stdout+done.stderr
    return done.stdout


@needs_shim
@pytest.mark.later
def test_some_faults_of_one_command():
    assert "0 wrong" in tried("check", most=3)


@needs_shim
@pytest.mark.full   # `make faults` lets every call fail, in a quarter of an hour
@pytest.mark.parametrize("name", faults.COMMANDS)
def test_some_faults_of_every_command(name):
    assert " 0 wrong" in tried(name, most=3)


def program(*args, **env):
    return subprocess.Popen([sys.executable, "-m", "mic_eval", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, env=os.environ | env)


@pytest.mark.full   # four processes
def test_two_processes_give_one_run(tmp_path, monkeypatch):
    "Whoever comes second waits, is told who writes, or finds the run there; both end in the same files"
    monkeypatch.chdir(tmp_path)
    faults.tables(tmp_path)
    line = ["run", "--predictions", "rows.csv", "--report", "none"]
    alone = program(*line, "--out", "alone")
    assert alone.wait() == 0
    both = [program(*line, "--out", "shared") for _ in range(3)]
    said = [p.communicate() + (p.returncode,) for p in both]
    assert {code for *_, code in said} <= {0, 2} and any(code == 0 for *_, code in said)
    for _, err, code in said: assert code == 0 or "is being written by" in err.splitlines()[-1]
    one, other = (faults.made(tmp_path/name, {}) for name in ("alone", "shared"))
    assert one == other and not list(tmp_path.rglob("*.part*"))


@needs_shim
@pytest.mark.full   # a sweep in two processes
def test_without_shared_memory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    faults.tables(tmp_path)
    library = faults.shim(tmp_path)
    (tmp_path/"models.yaml").write_text("- {name: a, predictions: rows.csv}\n- {name: b, predictions: other.csv}\n")
    line = ["sweep", "models.yaml", "--report", "none", "--jobs", "2"]
    done = program(*line, LD_PRELOAD=str(library), FAULT_NO_SHM="1")
    out, err = done.communicate(timeout=300)
    assert done.returncode in (0, 2) and "Traceback" not in err, err
    if done.returncode: assert len([o for o in err.splitlines() if o.startswith("error:")]) == 1
