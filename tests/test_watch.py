"""A model in use: quiet stays quiet, a change rings, late truths count once, and a restart goes on where it stopped."""
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from mic_eval.cli.app import app
from mic_eval.core.tables import Predictions
from mic_eval.robust.watch import BETS, Bet, Watch, watch_junit, watch_page, watched


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


def evaluated(place, table, **reading):
    from mic_eval.run.evaluation import make_run
    table.to_csv(place/"base.csv", index=False)
    return make_run(predictions=place/"base.csv", profile=None, out=place/"runs", reading=reading)


def of_wells(n, seed):
    p = rows(n, seed)
    names = np.array(["clear", "growth"])
    return pd.DataFrame(dict(id=[f"w{seed}-{i}" for i in range(n)], truth=names[p.y_true], p=(100*p.prob).round(2),
                             light=p.facts["light"]))


SAID = dict(y_score="p", kind="percent", classes=["clear", "growth"])


def test_a_batch_is_read_as_the_baseline_was_and_may_lack_the_truth(tmp_path):
    run = evaluated(tmp_path, of_wells(400, 0), **SAID)
    (tmp_path/"in").mkdir()
    for day in (2, 10, 1): of_wells(60, day).drop(columns="truth").to_csv(tmp_path/"in"/f"day{day}.csv", index=False)
    w, new = watched(tmp_path/"in", run, tmp_path/"seen")
    assert [o["name"] for o in new if o["watched"] == "scores"] == ["day1.csv", "day2.csv", "day10.csv"]
    assert not w.unread and not w.alarms and all((p.y_true < 0).all() for p in w.kept)
    assert all(p.classes == ("clear", "growth") and p.prob.max() <= 1 for p in w.kept)
    assert [str(line) for line in w.said] == ["inputs that are watched: light"]


def test_what_cannot_be_looked_at_is_named_and_the_others_are(tmp_path):
    run = evaluated(tmp_path, of_wells(400, 0), **SAID)
    place = tmp_path/"in"
    place.mkdir()
    def put(name, table): table.to_csv(place/f"{name}.csv", index=False)
    put("1", of_wells(60, 1).drop(columns="truth"))
    put("2 words", of_wells(60, 2).replace("growth", "wuchs"))
    put("3 empty", of_wells(60, 3)[:0])
    put("4 no light", of_wells(60, 4).drop(columns="light"))
    put("5 copied", of_wells(60, 1))
    put("6 of the baseline", of_wells(400, 0)[:60])
    put("7 gap", of_wells(60, 7).assign(p=np.nan))
    (place/"8 zero.csv").write_text("")
    put("9", of_wells(60, 9).drop(columns="truth"))
    w, new = watched(place, run, tmp_path/"seen")
    assert {o["name"] for o in new} == {"1.csv", "9.csv"}
    why = {name.split(" ", 1)[1]: str(said) for name, said in w.unread}
    assert "wuchs" in why["words.csv"] and "no rows" in why["empty.csv"]
    assert "'light' is not there" in why["no light.csv"]
    assert "60 of 60 rows came before, with the same scores, most of them in 1.csv" in why["copied.csv"]
    assert "most of them in the baseline" in why["of the baseline.csv"] and "empty" in why["gap.csv"]
    assert "empty" in why["zero.csv"] and len(why) == 7
    put("1", of_wells(80, 1).drop(columns="truth"))      # more rows under a name that was looked at
    w, new = watched(place, run, tmp_path/"seen")
    assert new == [] and w.unread[0][0] == "1.csv" and "no longer what was looked at" in w.unread[0][1]
    page = watch_page(w, tmp_path/"w.html").read_text()
    assert 'errors="8"' in watch_junit(w) and "no longer what was looked at" in page


@pytest.mark.later
def test_not_looked_at_is_not_quiet(tmp_path):
    run = evaluated(tmp_path, of_wells(400, 0), **SAID)
    (tmp_path/"in").mkdir()
    of_wells(60, 1).to_csv(tmp_path/"in"/"1.csv", index=False)
    said = ["watch", str(tmp_path/"in"), "--baseline", str(run.folder), "--out", str(tmp_path/"seen")]
    assert CliRunner().invoke(app, said).exit_code == 0
    of_wells(60, 1).to_csv(tmp_path/"in"/"2.csv", index=False)
    again = CliRunner().invoke(app, said)
    assert again.exit_code == 2 and "not looked at: 2.csv: 60 of 60 rows came before" in again.stderr
    assert json.loads(again.stdout)["event"] == "unread"


def test_a_log_that_grows_is_not_cut_in_silence(tmp_path):
    run = evaluated(tmp_path, of_wells(400, 0), **SAID)
    def log(rows_of):
        days = [of_wells(n, day).assign(day=day) for day, n in rows_of.items()]
        pd.concat(days).to_csv(tmp_path/"log.csv")
    log({1: 60, 2: 60, 10: 30})
    w, new = watched(tmp_path/"log.csv", run, tmp_path/"seen", column="day")
    assert [o["name"] for o in new if o["watched"] == "inputs"] == ["1", "2", "10"] and w.columns == ["light"]
    log({1: 60, 2: 60, 10: 45, 11: 60})
    w, new = watched(tmp_path/"log.csv", run, tmp_path/"seen", column="day")
    assert {o["name"] for o in new} == {"11"} and [name for name, _ in w.unread] == ["10"]


def test_truths_may_come_first_in_other_words_and_are_not_lost(tmp_path):
    run = evaluated(tmp_path, of_wells(400, 0), **SAID)
    (tmp_path/"in").mkdir()
    batch = of_wells(60, 1)
    truth = pd.DataFrame({"编号": batch["id"], "真值": (batch["truth"] == "growth").astype(int)})
    def told(name, table):
        table.to_csv(tmp_path/name, index=False)
        return watched(tmp_path/"in", run, tmp_path/"seen", truths=[tmp_path/name])
    w, new = told("early.csv", truth)
    assert new == [] and "60 of 60 samples are in no batch so far" in str(w.said[0])
    batch.drop(columns="truth").to_csv(tmp_path/"in"/"1.csv", index=False)
    w, new = told("early.csv", truth)
    assert {o["watched"]: o["n"] for o in new}["errors"] == 60
    w, new = told("other.csv", truth.assign(真值=1-truth["真值"]))
    assert new == [] and "60 samples were judged with another truth, which stays" in str(w.said[0])
    w, new = told("two.csv", pd.concat([truth, truth.assign(真值=1-truth["真值"])]))
    assert new == [] and "has two truths" in w.unread[0][1]


def test_class_numbers_of_truths_are_names_where_the_classes_are_numbers(tmp_path):
    from mic_eval.robust.watch import _truths_of
    pd.DataFrame(dict(sample_id=["a", "b"], y_true=[1, 2])).to_csv(tmp_path/"t.csv", index=False)
    assert _truths_of(tmp_path/"t.csv", ("1", "2")) == dict(a=0, b=1)     # '1' was class 1


def test_past_its_horizon_a_watch_says_so():
    w = Watch(rows(400, 0), horizon=2)
    for day in range(3): w.add(rows(50, day+1), f"day {day}")
    assert "day 2 is batch 3 of a horizon of 2" in str(w.said[-1])


def test_check_takes_calls_for_no_truth_and_names_the_watch(tmp_path):
    table = of_wells(40, 1).rename(columns=dict(id="sample_id", p="y_prob")).assign(y_prob=lambda t: t.y_prob/100)
    calls = np.where(table.y_prob > .5, "growth", "clear")
    table.drop(columns="truth").assign(y_pred=calls).to_csv(tmp_path/"calls.csv", index=False)
    table.rename(columns=dict(truth="what the eye saw")).assign(y_pred=calls).to_csv(tmp_path/"eye.csv", index=False)
    table.drop(columns="truth").to_csv(tmp_path/"scores.csv", index=False)
    def said(name): return CliRunner().invoke(app, ["check", str(tmp_path/name)]).output
    assert "--y-true y_pred" not in said("calls.csv") and "mic-eval watch calls.csv --baseline RUN" in said("calls.csv")
    assert "--y-true 'what the eye saw'" in said("eye.csv") and "mic-eval watch" not in said("eye.csv")
    assert "mic-eval watch scores.csv --baseline RUN" in said("scores.csv")
