"A model is asked as it was trained: size, channels, mean and spread of pictures, through run, gate, sweep and compare"
import numpy as np
import pytest
from mic_eval.core.results import from_json
from mic_eval.data.wells import render_plates, write_wells
from mic_eval.gate.gate import gate
from mic_eval.run.evaluation import make_run
from mic_eval.run.listing import unchanged
from mic_eval.run.sweep import read_sweep


class Small:
    "Reads grey squares of 12 pixels around 0, and nothing else"
    fingerprint = "small-1"

    def __call__(self, x):
        if x.shape[1:] != (1, 12, 12): raise ValueError(f"shape {x.shape}")
        if x.min() >= 0: raise ValueError("the mean was not taken off")
        return np.clip(.5 - x.mean((1, 2, 3)), .01, .99)


LOOK = dict(size=12, channels=1, mean=.5)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    place = tmp_path_factory.mktemp("looks")
    write_wells(render_plates(1, size=24, seed=5), place/"plate")
    return place


@pytest.fixture(scope="module")
def run(place): return make_run(Small(), place/"plate", out=place/"runs", **LOOK)


@pytest.mark.later
def test_a_run_remembers_how_pictures_were_seen(run, place):
    assert dict(from_json(run.folder/"results.json").data["seen"]) == LOOK
    with pytest.raises(ValueError, match="10, 10"):
        make_run(Small(), place/"plate", out=place/"runs", size=10, channels=1)
    other = make_run(Small(), place/"plate", out=place/"runs", **LOOK | dict(mean=.4))
    assert other.folder != run.folder and other.result.data.hash == run.result.data.hash
    assert set(unchanged(run).values()) == {"unchanged"}


@pytest.mark.later
def test_the_gate_asks_in_the_same_way(run, place):
    said = gate(run, model=Small(), data=place/"plate", profile="none", report="none", repeats=1)
    assert {o.status for o in said.outcomes if o.suite == "smoke"} == {"pass"}, said.outcomes
    assert said.exit_code == 4, "no limit was asked for: what was asked in the same way decides nothing yet"


def test_a_sweep_says_it_for_each_model(place):
    data = [dict(name="plate", folder=str(place/"plate"))]
    (pair,) = read_sweep([dict(name="a", model="wellnet", size=[12, 12], mean=.5)], data)
    assert (pair.how["size"], pair.how["mean"]) == ([12, 12], .5)
    with pytest.raises(ValueError, match="size takes one value"):
        read_sweep([dict(name="a", model="wellnet", size=["a", 2])], data)


def test_files_have_no_pictures(tmp_path):
    from typer.testing import CliRunner
    from mic_eval.cli.app import app
    said = CliRunner().invoke(app, ["run", "--predictions", str(tmp_path/"a.csv"), "--size", "4"])
    assert said.exit_code == 2 and "--size is about the pictures" in said.stderr
