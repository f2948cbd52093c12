"Runs: the same question lands in the same folder with the same bytes; another question does not."
import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from mic_eval.core.criteria import Criterion, Profile
from mic_eval.core.results import NotApplicable, Result
from mic_eval.core.tables import read_predictions
from mic_eval.data.wells import render_wells, write_wells
from mic_eval.core import questions
from mic_eval.run import evaluation
from mic_eval.mic.open_wells import wells_folder
from mic_eval.run.evaluation import findings, make_run, opened
from mic_eval.core.questions import QUESTIONS, applied, offered, question
from mic_eval.mic.questions import mic_metrics
from mic_eval.run.store import Run, folder_name, identity, open_run, run_folder, set_latest, write_whole

FILES = "predictions.parquet", "results.json"


def content(run): return [(run.folder / f).read_bytes() for f in FILES]


@pytest.fixture(scope="module")
def plates(tmp_path_factory): return wells_folder("demo:2", tmp_path_factory.mktemp("demo"))[0]


@pytest.fixture(scope="module")
def plain(plates, tmp_path_factory): return make_run(Darkness(), plates, out=tmp_path_factory.mktemp("plain"))


class Darkness:
    "A model that counts its calls"
    fingerprint = "darkness-1"
    def __init__(self): self.calls, self.turn = 0, 0
    def __call__(self, x):
        self.calls += 1
        return np.clip(1.6 + self.turn - 1.6*x.mean((1, 2, 3)), 0, 1)


# --- folders

@given(st.text(min_size=1, max_size=90))
@settings(max_examples=60, deadline=None)
def test_no_name_climbs_out_of_its_folder(name):
    n = folder_name(name)
    assert n and len(n) <= 60 and "/" not in n and "\\" not in n and n.strip(".") == n and Path("a", n).name == n


@given(st.dictionaries(st.text(max_size=5), st.one_of(st.integers(), st.floats(allow_nan=False), st.text(max_size=5),
                                                      st.none()), max_size=4))
@settings(max_examples=50, deadline=None)
def test_identity_knows_what_is_said_and_not_in_which_order(d):
    assert identity(parts=d) == identity(parts=dict(reversed(list(d.items())))) != identity(parts=d, more=1)


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    p = write_whole(tmp_path / "a.txt", "old")
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(ValueError, match=r"cannot write .*a\.txt: No space left on device"): write_whole(p, "new")
    assert p.read_text() == "old" and [o.name for o in tmp_path.iterdir()] == ["a.txt"]


def test_latest_never_leads_out_and_damaged_runs_are_refused(tmp_path):
    folder = run_folder(tmp_path, "m", "d", "a"*64)
    with pytest.raises(ValueError, match="no run in"): open_run(tmp_path)
    write_whole(folder / "results.json", "{")
    with pytest.raises(ValueError, match="results.json: not JSON"): open_run(folder)
    write_whole(folder / "results.json", '{"schema": 3}')
    with pytest.raises(ValueError, match="schema 3"): open_run(folder)
    write_whole(folder / "results.json", '{"schema": 1}')
    set_latest(Run(folder), tmp_path)
    assert open_run(tmp_path).folder.samefile(folder) and open_run(folder / "results.json").folder == folder
    for step in "../x", "/etc":
        write_whole(tmp_path / "latest", step)
        with pytest.raises(ValueError, match="points outside"): open_run(tmp_path)


# --- reuse

@pytest.mark.later
def test_same_weights_data_and_settings_reuse_predictions_and_say_so(plates, tmp_path):
    model, said = Darkness(), []
    a = make_run(model, plates, out=tmp_path, tell=said.append)
    calls, before = model.calls, content(a)
    assert a.about["predictions"] == "computed"
    b = make_run(model, plates, out=tmp_path, tell=said.append)
    # one batch shows that it still answers so
    assert model.calls == calls + 1 and content(b) == before and b.folder == a.folder
    assert [s for s in said if "reused" in s] and b.about == a.about
    c = make_run(model, plates, out=tmp_path, fresh=True)
    assert model.calls >= 2*calls
    assert content(c) == before and c.folder == a.folder and c.about["predictions"] == "computed"
    model.turn = .3                                            # another answer under the same fingerprint
    d = make_run(model, plates, out=tmp_path, tell=said.append)
    assert content(d) != before
    assert [s for s in said if "stored predictions are not used" in s] and d.about["predictions_why"]
    model.turn = 0
    model.fingerprint = "darkness-2"
    c = make_run(model, plates, out=tmp_path)
    assert model.calls > calls and c.folder != a.folder and open_run(tmp_path).folder.samefile(c.folder)


@pytest.mark.later
@pytest.mark.parametrize("change", [dict(threshold=.4), dict(seed=1), dict(by=("drug",)),
                                    dict(profile="mic-clinical"), dict(batch_size=50), dict(version="2")])
def test_other_settings_are_another_run(plates, plain, tmp_path, change):
    shutil.copytree(plain.folder.parents[1], tmp_path, dirs_exist_ok=True)
    assert make_run(Darkness(), plates, out=tmp_path, **change).folder.name != plain.folder.name


@pytest.mark.parametrize("change", [dict(threshold=.4), dict(by=("drug",)), dict(profile="mic-clinical")])
@pytest.mark.later
def test_another_question_about_the_same_predictions_computes_none(plates, tmp_path, change):
    first = make_run(Darkness(), plates, out=tmp_path / "a", threshold=.7)
    model, said = Darkness(), []
    lent = make_run(model, plates, out=tmp_path / "a", tell=said.append, **change)
    assert model.calls == 1
    assert "reused from " + str(first.folder) in "".join(said) and lent.about["predictions"] == "reused"
    assert content(lent) == content(make_run(Darkness(), plates, out=tmp_path / "b", **change))
    model = Darkness()
    make_run(model, plates, out=tmp_path / "a", batch_size=50)
    assert model.calls


def test_one_corrected_label_is_another_run(tmp_path):
    w = render_wells(12, [0, 1]*6, size=40, seed=0)
    w.facts["sample_id"] = np.array([f"w{i}" for i in range(12)])
    folder = write_wells(w, tmp_path / "wells")
    a = make_run(Darkness(), folder, out=tmp_path / "runs")
    text = (folder / "manifest.csv").read_text()
    t = pd.read_csv(folder / "manifest.csv")
    t.loc[0, "growth"] = 1 - t.loc[0, "growth"]
    t.to_csv(folder / "manifest.csv", index=False)
    assert make_run(Darkness(), folder, out=tmp_path / "runs").folder != a.folder
    (folder / "manifest.csv").write_text(text)
    assert make_run(Darkness(), folder, out=tmp_path / "runs").folder == a.folder


@pytest.mark.later
def test_what_cannot_be_hashed_is_never_reused_without_a_version(plates, tmp_path):
    calls = []
    def model(x):
        calls.append(1)
        return np.full(len(x), .5)
    a, b = (make_run(model, plates, out=tmp_path) for _ in "ab")
    assert a.folder != b.folder and (n := len(calls))
    c, d = (make_run(model, plates, out=tmp_path, version="7") for _ in "cd")
    assert c.folder == d.folder and n + n//2 < len(calls) <= n + n//2 + 1


@pytest.mark.later
def test_bytes_do_not_depend_on_the_place(plates, tmp_path):
    a, b = (make_run(Darkness(), plates, out=tmp_path / o) for o in "ab")
    assert content(a) == content(b) and a.folder.relative_to(tmp_path / "a") == b.folder.relative_to(tmp_path / "b")
    for f in FILES: assert str(tmp_path).encode() not in (a.folder / f).read_bytes()


@pytest.mark.later
def test_wellnet_on_rendered_plates(tmp_path):
    r = make_run("wellnet", "demo:2", out=tmp_path / "a")
    assert content(make_run("wellnet", "demo:2", out=tmp_path / "b")) == content(r)
    o = r.result
    assert o.wells.overall.accuracy > .9 and o.mics.overall.n == 26 and o.data.rendered and o.data.groups.plate == 2
    assert o.verdict.status in ("fail", "insufficient n", "pass", "not evaluated")
    assert (r.folder / r.about["data"]["folder"] / "manifest.csv").is_file()
    assert not Path(r.about["data"]["folder"]).is_absolute()


# --- what is judged

ROWS = pd.DataFrame([dict(sample_id=f"P{p}-{k}", plate=f"P{p}", series=None if k == 0 else f"P{p}-CIP",
                          drug=None if k == 0 else "CIP", role="control" if k == 0 else "test",
                          concentration=None if k == 0 else 2.**(k-3), growth=int(k < 3),
                          expert_mic=None if k == 0 else "1", y_prob=.9 if k < 3 else .1,
                          split="tune" if p < 2 else "test")
                     for p in range(4) for k in range(7)])


@pytest.mark.later
def test_the_tuning_split_is_left_out_of_the_judgement(tmp_path):
    t = ROWS.assign(y_prob=np.where(ROWS["growth"] == 1, .3, .2))
    t.to_csv(tmp_path / "t.csv", index=False)
    r = make_run(predictions=tmp_path / "t.csv", tune_on="tune", out=tmp_path / "runs")
    assert r.result.settings.threshold == .3 and r.result.data.rows == 14 and r.result.wells.overall.sensitivity == 1
    assert "split 'tune'" in r.result.settings.threshold_from and set(r.predictions.facts["split"]) == {"test"}
    t.loc[t["split"] == "tune", "growth"] = 1
    t.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ValueError, match="'tune' has one class only"):
        make_run(predictions=tmp_path / "t.csv", tune_on="tune", out=tmp_path / "runs")


def test_a_failed_control_has_no_mic_and_is_counted():
    t = ROWS.copy()
    t.loc[t["sample_id"] == "P0-0", "y_prob"] = .1
    m = mic_metrics(read_predictions(t), ("drug",), 0)
    assert m.overall.no_result.k == 1 and m.overall.exact.k == m.overall.exact.n == 3
    assert m.pairs.set_index("series").loc["P0-CIP", "reason"] == "growth control did not grow"


def test_mics_of_called_wells_without_scores_and_of_replicated_isolates():
    t = ROWS.assign(y_pred=(ROWS["y_prob"] > .5).astype(int), isolate="I1").drop(columns="y_prob")
    m = mic_metrics(read_predictions(t), ("drug", "plate"), 0)
    assert m.overall.exact.k == 4 and list(m.by.drug) == ["CIP"] and m.about.threshold is None


def test_a_fault_that_one_evaluator_meets_stops_no_other():
    t = ROWS.copy()
    t.loc[3, "concentration"] = t.loc[2, "concentration"]
    r = findings(read_predictions(t), profile="mic-clinical")
    assert isinstance(r.mics, NotApplicable) and "twice" in r.mics.reason and r.wells.overall.accuracy == 1
    for column in "series", "concentration", "expert_mic":
        assert column in applied("mics", read_predictions(ROWS.drop(columns=column)), (), 0).reason


def test_a_new_evaluator_is_a_function(monkeypatch):
    mine = offered("mic")
    for module in ("core.questions", "run.suite", "run.evaluation", "run.plan"):
        monkeypatch.setattr(f"mic_eval.{module}.QUESTIONS", mine)
    @question("bubbles", "bubble")
    def bubbles(p, by, seed):
        "Wells with bubbles"
        return Result(n=len(p))
    ps = read_predictions(ROWS)
    assert findings(ps, profile=None).bubbles.reason == "no column 'bubble'"
    assert "verdict" not in findings(ps, profile=None)
    assert findings(read_predictions(ROWS.assign(bubble=1)), profile=None).bubbles.n == 28


def test_scores_that_are_no_probabilities(tmp_path):
    t = ROWS.rename(columns=dict(y_prob="y_score"))
    t.to_csv(tmp_path / "t.csv", index=False)
    r = make_run(predictions=tmp_path / "t.csv", out=tmp_path / "runs").result
    assert r.wells.overall.roc_auc == 1
    assert isinstance(r.wells.overall.sensitivity, NotApplicable) and "need y_pred" in r.mics.reason
    with pytest.raises(ValueError, match="needs probabilities or logits"):
        make_run(predictions=tmp_path / "t.csv", threshold=.4, out=tmp_path / "runs")


def test_the_verdict_and_passing(tmp_path):
    ROWS.to_csv(tmp_path / "t.csv", index=False)
    easy = Profile("easy", (Criterion("accuracy", .9, "min"), Criterion("mics.overall.exact", .9, "min")))
    assert make_run(predictions=tmp_path / "t.csv", profile=easy, out=tmp_path / "runs").passed
    hard = Profile("easy", (Criterion("accuracy", .9, "min", on="lo"),))
    r = make_run(predictions=tmp_path / "t.csv", profile=hard, out=tmp_path / "runs")
    assert not r.passed and len(
        list((tmp_path / "runs" / "t" / "predictions").iterdir(
            ))) == 3, "two runs and latest: criteria count, not their name"


def test_opened_takes_a_run_or_makes_one(tmp_path):
    ROWS.to_csv(tmp_path / "t.csv", index=False)
    r = opened(predictions=tmp_path / "t.csv", model="wellnet", data="demo", split="", out=tmp_path / "runs")
    assert opened(r.folder).folder == r.folder
    assert json.loads((r.folder / "run.json").read_text())["identity"][:8] == r.folder.name
