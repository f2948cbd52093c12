"What `make` says where a machine lacks something: one line, with the command that would mend it"
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import ready

root = Path(__file__).parent.parent
script = root / "nbs" / "_site" / "ready.py"


def line(text, *parts):
    assert text and "\n" not in text and all(p in text for p in parts), text
    assert re.search(r": (sudo|make|rm|behind|export)", text), text


def test_an_old_python(): line(ready.lacking("report", (3, 9)), "3.9 is too old", "make report PYTHON=python3.12")


def test_an_environment_that_is_there_needs_nothing(tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "pip").touch()
    assert ready.lacking("test", there=tmp_path) == ""


def test_no_ensurepip(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    line(ready.lacking("report", there=tmp_path), "sudo apt install python3-venv")


def test_no_git(tmp_path):
    env = dict(os.environ, PATH=str(tmp_path))
    said = subprocess.run([sys.executable, script, "test"], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert said.returncode == 1
    line(said.stderr.strip(), "sudo apt install git")


def test_a_report_needs_no_git(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(ready, "free", lambda: 9e9)
    assert ready.lacking("report", there=tmp_path) == ""


def test_no_room(monkeypatch, tmp_path):
    monkeypatch.setattr(ready, "free", lambda: 1.2e9)
    line(ready.lacking("report", there=tmp_path), "only 1.2 GB are free", "3 GB are needed")


@pytest.mark.parametrize("log, said", [
    ("OSError: [Errno 28] No space left on device", "no room is left"),
    ("WARNING: Retrying (Retry(total=4)) after NewConnectionError('...')", "cannot reach the network")])
def test_why_pip_failed(log, said): line(ready.why("report", log), said)


def test_other_faults_are_told_in_pips_own_words(tmp_path):
    (tmp_path / "log").write_text("ERROR: ResolutionImpossible")
    out = subprocess.run([sys.executable, script, "report", tmp_path / "log"], capture_output=True, text=True)
    assert (out.returncode, out.stderr.strip()) == (1, "ERROR: ResolutionImpossible")


def test_no_python_at_all():
    make = subprocess.run(["make", "--no-print-directory", "-C", root, "-W", "setup.py", "report",
                           "PYTHON=no-such-python"],
                          capture_output=True, text=True)
    line(make.stderr.splitlines()[0], "no-such-python is not installed", "make report PYTHON=python3")
