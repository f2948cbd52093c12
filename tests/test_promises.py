"What the package promises about faults and hostile code: nobody gets exit code 0 without an answer."
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from mic_eval.run.evaluation import make_run

MODELS = '''
import os, sys, time
import numpy as np
HOW = os.environ.get("LEAVE", "")
def leave():
    if HOW == "exit": sys.exit(0)
    if HOW == "_exit": os._exit(0)
    if HOW == "kill": os.kill(os.getpid(), 9)
    if HOW == "typer":
        import typer
        raise typer.Exit(0)
    if HOW == "base": raise type("Odd", (BaseException,), {})("odd")
    if HOW == "atexit":
        import atexit
        atexit.register(os._exit, 0)
if os.environ.get("WHEN") == "import": leave()
class Dark:
    fingerprint = "dark"
    def __call__(self, x):
        if os.environ.get("WHEN") != "import": leave()
        if HOW == "slow": time.sleep(.1)
        return np.clip(1.6 - 1.6*x.mean((1, 2, 3)), .01, .99)
model = Dark()
'''


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    "A folder with a module of models, a run of a sound one, and the lists of a sweep"
    place = tmp_path_factory.mktemp("promises")
    (place / "leaving.py").write_text(MODELS)
    done = program(place, "run", "--model", "leaving:model", "--data", "demo:1", "--report", "none", "--profile", "mic-clinical", "--out", "runs")
    assert done.returncode == 0, done.stderr
    data = next((place / "runs" / ".data").rglob("manifest.csv")).parent
    (place / "models.yaml").write_text(yaml.safe_dump([dict(name="dark", model="leaving:model")]))
    (place / "data.yaml").write_text(yaml.safe_dump([dict(name="plates", folder=str(data))]))
    return place


def unignored(): signal.signal(signal.SIGINT, signal.SIG_DFL)   # a background job may have it ignored


def program(place, *args, background=False, **env):
    "`python -m mic_eval` as a shell starts it"
    how = dict(cwd=place, env=os.environ | env, text=True, preexec_fn=unignored)
    command = [sys.executable, "-m", "mic_eval", *args]
    if background: return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)
    return subprocess.run(command, capture_output=True, **how)


def commands(place, out):
    run = (place / "runs" / (place / "runs" / "latest").read_text().strip()).as_posix()
    data = next((place / "runs" / ".data").rglob("manifest.csv")).parent.as_posix()
    return dict(run=["run", "--model", "leaving:model", "--data", data, "--profile", "mic-clinical", "--report", "none", "--out", out],
                gate=["gate", run, "--strict", "--model", "leaving:model", "--profile", "none", "--report", "none", "--out", out],
                sweep=["sweep", "models.yaml", "data.yaml", "--report", "none", "--by", "", "--jobs", "1", "--out", out])


@pytest.mark.parametrize("how", ["exit", "_exit", "kill", "base"])
@pytest.mark.parametrize("name", ["run", "gate", "sweep"])
def test_nobody_leaves_with_0(place, name, how, tmp_path):
    done = program(place, *commands(place, str(tmp_path))[name], LEAVE=how, WHEN="call")
    said = done.stderr.splitlines()
    assert done.returncode == 2, done.stderr
    assert said[-1].startswith("error: ") or name == "sweep", done.stderr
    assert "Traceback" not in done.stderr and not (tmp_path / "gate.json").exists()


@pytest.mark.parametrize("how", ["exit", "_exit", "typer", "atexit"])
def test_nor_while_a_module_is_imported(place, how, tmp_path):
    done = program(place, *commands(place, str(tmp_path))["gate"], LEAVE=how, WHEN="import")
    assert done.returncode in (1, 2), done.stderr   # 1: a verdict was written, and it is closed


def test_a_sound_model_opens_the_gate(place, tmp_path):
    done = program(place, *commands(place, str(tmp_path))["gate"][:-1], str(tmp_path))
    assert done.returncode == 0 and (tmp_path / "gate.json").is_file(), done.stderr
