"""A model in use: quiet stays quiet, a change rings, late truths count once, and a restart goes on where it stopped."""
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from mic_eval.cli.app import app
from mic_eval.core.tables import Predictions
from mic_eval.robust.watch import BETS, Bet, Watch


def rows(n, seed, moved=0., roles=False):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < .5).astype(int)
    z = 2*(2*y-1) + rng.normal(0, 1.5, n) + moved
    facts = dict(light=rng.normal(100, 3, n))
    if roles: facts["role"] = np.where(np.arange(n) % 10 == 0, "sterile", "test")
    return Predictions([f"{seed}-{i}" for i in range(n)], y, 1/(1+np.exp(-z)), facts=pd.DataFrame(facts))


def csv(p, path, truth=True):
    t = pd.DataFrame(dict(sample_id=p.sample_id, y_true=p.y_true, y_prob=p.prob, light=p.facts["light"]))
    if not truth: t["y_true"] = None
    t.to_csv(path, index=False)


def test_a_bet_keeps_its_level_however_often_one_looks():
    def rings(seed):
        bet = Bet(.05, .05)
        return any(bet.add([x]) >= np.log10(20) for x in np.random.default_rng(seed).random(150) < .05)
    assert sum(map(rings, range(120))) <= 14      # at most 6 are expected; 14 or more have a chance of .3 %


def test_quiet_months_are_quiet():
    base, alarms = rows(400, 0), 0
    for month in range(8):
        w = Watch(base)
        for day in range(10): w.add(rows(50, 1000*month+day+1))
        alarms += bool(w.alarms)
    assert alarms <= 2


def test_sterile_wells_that_grow_ring():
    base = rows(600, 0, roles=True)
    sterile = (base.facts["role"] == "sterile").to_numpy()
    base = replace(base, scores=np.where(sterile, .01, base.scores), y_pred=None)
    grown = rows(100, 5, roles=True)
    wells = (grown.facts["role"] == "sterile").to_numpy()
    grown = replace(grown, scores=np.where(wells, .99, grown.scores), y_pred=None)
    w = Watch(base)
    w.add(grown, "monday")
    assert "controls" in {o["watched"] for o in w.alarms}


def test_a_late_truth_counts_once():
    w = Watch(rows(400, 0))
    p = rows(60, 3)
    w.add(replace(p, y_true=np.full(60, -1)))
    truths = dict(zip(p.sample_id, p.y_true))
    assert [o["n"] for o in w.late(truths)] == [60, 60] and w.late(truths) == []
    assert w.errors.n == 60


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    from mic_eval.run.evaluation import make_run
    place = tmp_path_factory.mktemp("watch")
    csv(rows(400, 0), place/"base.csv")
    (place/"in").mkdir()
    return place, make_run(predictions=place/"base.csv", profile=None, out=place/"runs").folder


@pytest.mark.later
def test_the_command_goes_on_where_it_stopped(place):
    place, run = place
    def typed(*more):
        said = ["watch", place/"in", "--baseline", run, "--out", place/"seen", "--junit", place/"watch.xml", *more]
        return CliRunner().invoke(app, list(map(str, said)))
    assert typed().exit_code == 4
    csv(rows(80, 1), place/"in"/"1.csv", truth=False)
    first = typed()
    assert first.exit_code == 0, first.stderr
    events = [json.loads(line) for line in first.stdout.splitlines()]
    assert {(o["name"], o["event"]) for o in events} == {("1.csv", "quiet")}
    assert typed().stdout == ""                                       # nothing is new
    truth = rows(80, 1)
    pd.DataFrame(dict(sample_id=truth.sample_id, y_true=truth.y_true)).to_csv(place/"truth.csv", index=False)
    late = [json.loads(line)["watched"] for line in typed("--truth", str(place/"truth.csv")).stdout.splitlines()]
    assert late == ["errors", "calibration"]
    csv(rows(80, 2, moved=3), place/"in"/"2.csv", truth=False)
    rang = typed("--truth", str(place/"truth.csv"))
    assert rang.exit_code == 1 and "alarm: scores in 2.csv" in rang.stderr
    assert 'failures="1"' in (place/"watch.xml").read_text() and "2.csv" in (place/"seen"/"watch.html").read_text()
    again = typed("--lang", "zh")
    assert again.exit_code == 1 and again.stdout == "" and "报警" in again.stderr
    assert typed("--alpha", "0.01").exit_code == 2
