"The jobs of the page on gates, taken from it and run command by command in a shell that knows nothing but its path."
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from PIL import Image

from mic_eval.run.evaluation import make_run

ROOT = Path(__file__).parent.parent
NAMES = ("keratosis", "melanoma", "naevus")
LIMITS = """\
title: Ours
groups: [class]
criteria:
  - {metric: sensitivity, direction: min, limit: 0.6, on: lo}
  - {metric: dangerous_sensitivity, direction: min, limit: 0.6, on: lo, optional: true}
"""


def jobs():
    "The two YAML blocks of the page: that of GitHub, that of GitLab"
    page = json.loads((ROOT/"nbs/how_to/04_gate_a_release.ipynb").read_text(encoding="utf-8"))
    text = "\n".join("".join(c["source"]) for c in page["cells"] if c["cell_type"] == "markdown")
    return [yaml.safe_load(o) for o in re.findall(r"```yaml\n(.*?)```", text, re.S)]


def bare(place, programs):
    "A folder of programs in which `pip` and `gh` write down what they were asked, and the surroundings of a shell"
    own = place/"bin"
    own.mkdir()
    for name in ("mic-eval", "python"): (own/name).symlink_to(programs/name)
    for name in ("pip", "gh"):
        (own/name).write_text(f'#!/bin/sh\necho {name} "$@" >> "$HOME/asked"\n')
        (own/name).chmod(0o755)
    return dict(PATH=f"{own}:/usr/bin:/bin", HOME=str(place))


def ran(lines, place, env, **more):
    "Exit code and words of commands; the shell stops at the first that fails"
    script = "\n".join(["set -eo pipefail", *lines])
    done = subprocess.run(["bash", "-c", script], cwd=place, env=env | more, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def table(lose=0, seed=0, n=300, rare=30):
    rng = np.random.default_rng(seed)
    y = np.r_[np.ones(rare, int), np.arange(n-rare) % 2*2]
    call = np.where(rng.random(n) < .02, (y+1) % 3, y)
    call[:rare] = 1
    call[:lose] = 2
    prob = np.eye(3)[call]*(.9+.08*rng.random((n, 1)))
    prob += (1-prob.sum(1, keepdims=True))/3
    return pd.DataFrame(dict(sample_id=[f"L{i}" for i in range(n)], y_true=np.array(NAMES)[y])
                        | {f"prob_{c}": prob[:, i] for i, c in enumerate(NAMES)})


@pytest.mark.parametrize("lose, strict, code, said", [
    (0, "", 0, "Open: "), (30, "", 1, "melanoma: 0/30 against 30/30"),
    pytest.param(0, "--strict", 4, "Not enough evidence", marks=pytest.mark.full)])
@pytest.mark.later
def test_the_job_of_gitlab(tmp_path, lose, strict, code, said):
    job = jobs()[1]["gate"]
    table().to_csv(tmp_path/"before.csv", index=False)
    make_run(predictions=tmp_path/"before.csv", out=tmp_path/"baseline")
    table(lose, seed=1).to_csv(tmp_path/"predictions.csv", index=False)
    (tmp_path/"limits.yml").write_text(LIMITS)
    env = bare(tmp_path, Path(sys.executable).parent)
    found, told = ran(job["script"], tmp_path, env, STRICT=strict)
    assert found == code, told
    assert (tmp_path/"asked").read_text() == "pip install mic-eval\n"
    after, summary = ran(job["after_script"], tmp_path, env)
    assert after == 0 and said in told + summary and "| Outcome |" in summary
    suites = ET.parse(tmp_path/job["artifacts"]["reports"]["junit"]).getroot()
    assert int(suites.get("tests")) > 8 and (int(suites.get("failures")) > 0) == (code != 0)
    assert [v["variables"]["STRICT"] for v in job["rules"] if "variables" in v] == ["--strict"]


def steps(job, ref):
    "Name, commands and surroundings of each step, its expressions put in"
    strict = "--strict" if ref.startswith("refs/tags/") else ""
    for step in job["jobs"]["gate"]["steps"]:
        if "run" not in step: continue
        text = re.sub(r"\$\{\{ startsWith.*?\}\}", strict, step["run"])
        text = text.replace("${{ github.event.number }}", "7")
        assert "${{" not in text, text
        yield step.get("name", ""), text, "always()" in step.get("if", "")


MODEL = """
import numpy as np
class Net:
    class_names = "keratosis melanoma naevus".split()
    def __call__(self, x):
        m = x.mean((1, 2, 3))*255
        near = np.abs(m[:, None]-np.array([20, 120, 220])).argmin(1)
        {spoiled}
        return np.eye(3)[near]*.9+.1/3
net = Net()
"""


@pytest.mark.full
@pytest.mark.parametrize("spoiled, ref, code", [("", "refs/heads/main", 0), ("near[near == 1] = 2", "refs/pull/7", 1),
                                                ("", "refs/tags/v2", 4)])
def test_the_job_of_github(tmp_path, spoiled, ref, code):
    job = jobs()[0]
    shades = dict(keratosis=20, melanoma=120, naevus=220)
    rng = np.random.default_rng(0)
    for name, grey in shades.items():
        (tmp_path/job["env"]["DATA"]/"test"/name).mkdir(parents=True)
        for i in range(30):
            noise = grey+rng.integers(-9, 10, (8, 8))
            Image.fromarray(noise.astype(np.uint8)).save(tmp_path/job["env"]["DATA"]/"test"/name/f"{i}.png")
    (tmp_path/"limits.yml").write_text(LIMITS)
    (tmp_path/"my_code.py").write_text(MODEL.format(spoiled="near[:1] = 0"))   # the one in use errs now and then
    env = bare(tmp_path, Path(sys.executable).parent) | job["env"]
    env["GITHUB_STEP_SUMMARY"] = str(tmp_path/"summary.md")
    line = 'mic-eval run --model "$MODEL" --data "$DATA" --split test --out baseline --report none && ' \
           "tar czf kept.tar.gz baseline && rm -r baseline"
    assert ran([line], tmp_path, env)[0] == 0
    (tmp_path/"bin"/"gh").write_text('#!/bin/sh\necho gh "$@" >> "$HOME/asked"\n'
                                     'test "$2" != download || mv "$HOME/kept.tar.gz" baseline.tar.gz\n')
    (tmp_path/"my_code.py").write_text(MODEL.format(spoiled=spoiled or "near[1:2] = 0"))
    failed, told = 0, ""
    for name, text, always in steps(job, ref):
        if failed and not always: continue
        found, said = ran([text], tmp_path, env)
        told += said
        if name in ("Summary", "On the pull request"): assert found == 0, said
        failed = failed or found
    assert failed == code, told
    asked = (tmp_path/"asked").read_text().splitlines()
    assert asked == ["pip install mic-eval[torch]", "gh release download --pattern baseline.tar.gz",
                     "gh pr comment 7 --body-file gate/gate.md"]
    summary = (tmp_path/"summary.md").read_text()
    assert ("melanoma: 0/30" in summary) == (code == 1) and summary.startswith("## ")
    assert len(list((tmp_path/"runs").rglob("technical.html"))) and ET.parse(tmp_path/"gate"/"gate.xml")
