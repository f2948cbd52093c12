"A package from outside the repository brings a field of its own, and every command knows it."
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

outside = Path(__file__).parent / "outside"


def pictures(seed, missed):
    "120 pictures of six moulds, of which a model misses some cracks"
    rng = np.random.default_rng(seed)
    cracked = np.tile([0, 1], 60)
    p = np.clip(.15 + .7*cracked + rng.normal(0, .08, 120), 0, 1)
    p[np.flatnonzero(cracked)[:missed]] = .1
    return pd.DataFrame(dict(sample_id=[f"{i:03d}" for i in range(120)], y_true=cracked, y_prob=p,
                             alloy=["AlSi", "AlCu", "Mg"]*40,
                             mould=[f"M{i % 24}" for i in range(120)]))


@pytest.fixture(scope="module")
def foundry(tmp_path_factory):
    "A folder with two tables, and `mic-eval` in an environment into which the package was installed"
    place = tmp_path_factory.mktemp("foundry")
    for name, missed in ("old", 6), ("new", 1): pictures(3, missed).to_csv(place / f"{name}.csv", index=False)
    # what building leaves behind stays there
    site, source = place / "site", shutil.copytree(outside, place / "source")
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation",
                    "--disable-pip-version-check",
                    "--target", site, source], check=True, capture_output=True)
    tool = Path(sysconfig.get_path("scripts")) / "mic-eval"
    paths = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])

    def call(*args, code=0, path=paths):
        done = subprocess.run([tool, *map(str, args)], cwd=place, env=os.environ | dict(PYTHONPATH=path),
                              capture_output=True, text=True)
        assert done.returncode == code, done.stderr + done.stdout
        return done
    return place, call


def results(place, run): return json.loads((place / run / "results.json").read_text(encoding="utf-8"))


@pytest.mark.full   # six commands, each with a network
def test_run_sweep_gate_and_compare(foundry):
    place, call = foundry
    runs = {}
    for name in "old", "new":
        done = call("run", "--predictions", f"{name}.csv", "--out", f"{name}-runs")
        page = Path(done.stdout.strip().splitlines()[-1])
        runs[name] = page.parent
        found = results(place, page.parent)
        assert "X-ray pictures of castings" in done.stderr and found["field"] == "castings"
        assert found["cracks"]["overall"]["sensitivity"]["denominator"] == 60 and "wells" not in found
        assert page.name.startswith("cracks") and "Cracks found" in (place / page).read_text(encoding="utf-8")
    call("compare", runs["old"], runs["new"], "--out", "compared")
    gated = call("gate", runs["new"], "--baseline", runs["old"], "--report", "none")
    assert "sensitivity" in gated.stdout + gated.stderr
    (place / "models.yaml").write_text("- {name: old, predictions: old.csv}\n- {name: new, predictions: new.csv}\n")
    (place / "data.yaml").write_text("- name: foundry\n")
    call("sweep", "models.yaml", "data.yaml", "--jobs", "2", "--report", "none", "--out", "swept")
    swept = json.loads((place / "swept" / "sweep.json").read_text(encoding="utf-8"))
    for row in swept["pairs"].values():
        assert results(place / "swept", row["run"])["cracks"]["overall"]["sensitivity"]["numerator"] in (54, 59)


@pytest.mark.full   # three commands in processes of their own
def test_a_file_that_is_not_installed_comes_with_with(foundry):
    place, call = foundry
    done = call("--with", "castings", "run", "--predictions", "new.csv", "--report", "none", "--out", "with",
                path=str(outside))
    assert results(place, done.stdout.strip().splitlines()[-1])["field"] == "castings"
    assert "castings" in call("--with", "castings", "list", path=str(outside)).stdout


@pytest.mark.full
def test_without_it_the_table_is_any_classification(foundry):
    place, call = foundry
    done = call("run", "--predictions", "new.csv", "--report", "none", "--out", "plain",
                path=os.environ.get("PYTHONPATH", ""))
    found = results(place, done.stdout.strip().splitlines()[-1])
    assert found["field"] == "classification" and found["verdict"]["reason"]["code"] == "no limits were set"
