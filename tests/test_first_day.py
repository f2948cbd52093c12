"""What people type on their first day, and what they must see: foreign spreadsheets accepted, or answered with the
right question."""
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from mic_eval.cli.app import app
from mic_eval.core.criteria import read_profile
from mic_eval.core.fields import Field
from mic_eval.core.tables import read_predictions
from mic_eval.core.text import plural, singular
from mic_eval.data.wells import render_plates, write_wells
from mic_eval.report.views import headline
from mic_eval.run.store import open_run, stored_limits

TRUTH, PROB = [0, 1]*20, [.2, .9]*20


def typed(*arguments): return CliRunner().invoke(app, [str(a) for a in arguments])


def test_facts_are_found_without_regard_to_case_and_blanks():
    "Wells of one plate belong together, also where the column is called ` Plate`"
    rows, said = dict(y_true=TRUTH, y_prob=PROB), []
    p = read_predictions(pd.DataFrame(rows | {" Plate": np.repeat(range(10), 4), "Batch": 1}), field="mic",
                         tell=said.append)
    assert list(p.facts) == ["plate", "Batch"] and len(set(p.groups)) == 10
    assert "' Plate' as plate" in said[0]
    both = read_predictions(pd.DataFrame(rows | dict(plate=np.repeat(range(10), 4), Plate=1)), field="mic")
    assert list(both.facts) == ["plate", "Plate"] and len(set(both.groups)) == 10


@pytest.mark.parametrize(("column", "role"), [("菌株", "isolate"), ("板号", "plate"), ("患者编号", "patient")])
def test_chinese_columns_of_what_belongs_together(column, role):
    "Rows of one isolate are relatives, whatever language names them"
    said = []
    p = read_predictions(pd.DataFrame(dict(真值=TRUTH, 概率=PROB) | {column: np.repeat(range(10), 4)}), tell=said.append,
                         y_true="真值", y_score="概率", kind="prob")
    assert list(p.facts) == [role] and f"{column!r} as {role}" in said[0]


def test_a_german_spreadsheet(tmp_path):
    "Semicolons, decimal commas, a byte order mark, words for classes, column names of one's own: asked, answered, run"
    table = pd.DataFrame({"Probe": [f"{i:03}" for i in range(40)], "Expert": ["no growth", "growth"]*20, "Model": PROB,
                          "Plate": np.repeat(range(1, 11), 4)})
    file = tmp_path / "readings.csv"
    table.to_csv(file, sep=";", decimal=",", index=False, encoding="utf-8-sig")
    shown = typed("columns", file)
    assert shown.exit_code == 0 and "separated by semicolons, decimal commas" in shown.stdout
    proposed = next(line for line in shown.stdout.splitlines() if line.strip().startswith("mic-eval run"))
    arguments = proposed.split()[1:]
    assert arguments[3:] == ["--y-true", "Expert", "--y-score", "Model", "--kind", "prob", "--sample-id", "Probe"]
    done = typed("run", "--predictions", file, *arguments[3:], "--report", "none", "--out", tmp_path / "runs")
    assert done.exit_code == 0, done.output
    assert "'Expert' as y_true" in done.stderr and "'Plate' as plate" in done.stderr


FILES = {
    "y_true,y_prob": dict(y_true=TRUTH, y_prob=PROB),
    "label,score of prob": dict(label=TRUTH, probability=PROB),
    "truth and call": dict(truth=TRUTH, prediction=TRUTH),
    "words": dict(label=["neg", "pos"]*20, pred=["neg", "pos"]*20),
    "yes and no": dict(actual=["no", "yes"]*20, predicted=["no", "yes"]*20, probability=PROB),
    "Capitals": dict(Label=TRUTH, Probability=PROB),
    "blanks": {" y_true ": TRUTH, " y_prob ": PROB},
    "booleans": dict(y_true=[False, True]*20, y_prob=PROB),
    "text booleans": dict(y_true=["FALSE", "TRUE"]*20, y_prob=PROB),
    "floats": dict(y_true=[0., 1.]*20, y_prob=PROB),
    "three classes": dict(label=["a", "b", "c", "a"]*10, pred=["a", "b", "c", "a"]*10),
    "a column a class": dict(y_true=["cat", "dog"]*20, prob_cat=[.8, .1]*20, prob_dog=[.2, .9]*20),
    "logits": dict(y_true=TRUTH, y_logit=[-2., 2.]*20),
    "some unlabelled": dict(y_true=[0, 1, None, 1]*10, y_prob=PROB),
    "wells": dict(sample_id=range(40), growth=TRUTH, y_prob=PROB, plate=1),
    "Chinese": {"真值": TRUTH, "预测": TRUTH},
    "numbers beside truth values": dict(y_true=TRUTH, y_prob=PROB, y_pred=[False, True]*20),
    "words beside numbers": dict(y_true=["no", "yes"]*20, y_pred=TRUTH),
    "an index": {"Unnamed: 0": range(40), "y_true": TRUTH, "y_prob": PROB},
}
QUESTIONS = {
    "percent": (dict(y_true=TRUTH, y_prob=[20., 90.]*20), "0 and 1|0 to 1"),
    "no truth": (dict(id=range(40), y_prob=PROB), "no column 'y_true'.*--y-true"),
    "no prediction": (dict(y_true=TRUTH), "no predictions: needs one of"),
    "two words for a class": (
        dict(y_true=["cat", "dog"]*20, y_pred=["Katze", "Hund"]*20),
                              "no value of the one occurs in the other.*--classes"),
    "a class it never names": (dict(label=["a"]*40, pred=["a"]*40), "one value only"),
}


@pytest.mark.later
@pytest.mark.parametrize("name", FILES)
def test_first_files_are_read(name, tmp_path):
    pd.DataFrame(FILES[name]).to_csv(tmp_path / "first.csv", index=False)
    done = typed("run", "--predictions", tmp_path / "first.csv", "--report", "none", "--out", tmp_path / "runs")
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("name", QUESTIONS)
def test_first_files_are_answered_with_a_question(name, tmp_path):
    columns, question = QUESTIONS[name]
    pd.DataFrame(columns).to_csv(tmp_path / "first.csv", index=False)
    done = typed("run", "--predictions", tmp_path / "first.csv", "--report", "none", "--out", tmp_path / "runs")
    import re
    assert done.exit_code == 2 and re.search(question, done.stderr), done.output
    said = done.stderr.splitlines()
    assert all(o.startswith("  --") for o in said[1:]) and "Traceback" not in done.output   # ways to answer


def test_numbers_beside_truth_values_are_two_classes(tmp_path):
    "Taken by their letters, 0 and 1 beside True and False would be four classes and every call wrong"
    from mic_eval.metrics.confusion import accuracy
    for truth, calls in ((TRUTH, [False, True]*20), ([False, True]*20, TRUTH), (["no", "yes"]*20, TRUTH),
                         (TRUTH, ["FALSE", "TRUE"]*20)):
        pd.DataFrame(dict(y_true=truth, y_pred=calls)).to_csv(tmp_path / "calls.csv", index=False)
        p = read_predictions(tmp_path / "calls.csv")
        assert len(p.classes) == 2 and float(accuracy(p.y_true, p.y_pred)) == 1


def test_a_picture_of_a_telephone_is_read_or_answered_with_what_to_do(tmp_path, monkeypatch):
    import sys
    from types import SimpleNamespace
    from mic_eval.data.pictures import load_image
    (tmp_path / "IMG_0001.HEIC").write_bytes(b"\0\0\0\x18ftypheic" + bytes(40))
    monkeypatch.setitem(sys.modules, "pillow_heif", None)
    with pytest.raises(ValueError, match="pip install pillow-heif .*or save it as JPEG"):
        load_image(tmp_path / "IMG_0001.HEIC")
    asked = []
    monkeypatch.setitem(sys.modules, "pillow_heif", SimpleNamespace(register_heif_opener=lambda: asked.append(1)))
    # these bytes hold no picture
    with pytest.raises(ValueError, match="broken"): load_image(tmp_path / "IMG_0001.HEIC")
    assert asked


@pytest.mark.later
def test_a_table_and_its_curves_show_themselves(tmp_path):
    "What a researcher sees when the last line of a cell is a table or a curve; nothing stays open in pyplot"
    import matplotlib.pyplot as plt
    from mic_eval.metrics.calibration import reliability_curve
    from mic_eval.metrics.roc_and_pr import pr_curve, roc_curve
    from mic_eval.metrics.utility import decision_curve
    open_figures = plt.get_fignums()
    p = read_predictions(pd.DataFrame(dict(y_true=TRUTH, y_prob=PROB, note="<b>")))
    assert "<img" in p._repr_html_()
    assert "40 rows" in p._repr_html_() and "<b>" not in p._repr_html_().replace("&lt;b&gt;", "")
    expected = {roc_curve: "chance", pr_curve: "every row positive (50%)", decision_curve: "act on none",
                reliability_curve: "perfectly calibrated"}
    for make, line in expected.items():
        c = make(p.y_true, p.prob)
        assert "<img" in c._repr_html_(), make
        ax = c.plot()
        assert line in [o.get_label() for o in ax.lines], make
        plt.close(ax.figure)
    assert plt.get_fignums() == open_figures


def test_models_as_people_write_them(tmp_path, monkeypatch):
    "Estimators with class names, sizes with an x, kinds in words; a tuple and a file name are answered with what to do"
    from mic_eval.cli.options import look_option
    from mic_eval.data.manifest import data_set
    from mic_eval.model.predict import PredictError, predict
    from mic_eval.model.load import load_model
    assert look_option(size="32x40") == dict(size=[32, 40]) and look_option(size="32") == dict(size=32)
    x = data_set(np.random.default_rng(0).random((12, 8, 8), np.float32), name="x")

    class Words:
        classes_ = ["growth", "no growth"]
        def predict_proba(self, X): return np.c_[X.mean(1), 1-X.mean(1)]
    shares = predict(Words(), x, progress=False).positive
    assert len(shares) == 12
    assert .4 < shares.mean() < .6
    said = []
    as_said = predict(lambda b: b.mean((1, 2, 3)), x, kind="probability", progress=False)
    np.testing.assert_allclose(as_said.positive, shares, atol=1e-6)
    predict(lambda b: b.mean((1, 2, 3)), x, kind="logit", progress=False, tell=said.append)
    assert "taken for logits, as was said" in said[0]
    with pytest.raises(PredictError, match="it returned 2 things: return the scores alone"):
        predict(lambda b: (b.mean((1, 2, 3)), b), x, progress=False)
    with pytest.raises(ValueError, match="say mine:net, without .py"): load_model("mine.py:net")


def test_folders_of_pictures_in_any_names(tmp_path, monkeypatch):
    from PIL import Image
    monkeypatch.chdir(tmp_path)
    for name in ("cat", "dog"):
        (tmp_path / "my plates" / name).mkdir(parents=True)
        for i in range(2): Image.new("L", (40, 40), 40*i).save(tmp_path / "my plates" / name / f"{name}{i}.png")
    asked = typed("run", "--model", "wellnet", "--data", "my plates", "--report", "none")
    assert asked.exit_code == 2 and "cat" in asked.stderr and not Path("runs").exists()   # it reads growth, no cats
    first = typed("manifest", "my plates")
    assert "--growth NAME --clear NAME" in first.stderr and "cat 2 (50%), dog 2 (50%)" in first.stderr
    (tmp_path / "my plates" / "metadata.csv").unlink()
    again = typed("manifest", "my plates", "--growth", "dog", "--clear", "cat")
    assert again.exit_code == 0 and "2 with growth, 2 without, 0 without a label" in again.stderr
    assert typed("manifest", "my plates", "--growth", "cat").exit_code == 2


def test_runs_of_categories_are_compared_by_their_agreement(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    truth = rng.choice(list("SIR"), 40)
    pd.DataFrame(dict(Isolate=[f"I{i}" for i in range(40)], Ref=truth, A=np.where(rng.random(40) < .9, truth, "S"),
                      B=np.where(rng.random(40) < .6, truth, "R"))).to_csv("c.csv", index=False)
    runs = [typed("mics", "c.csv", "--reference", "Ref", "--test", t, "--report", "none").stdout.split()[-1]
            for t in "AB"]
    said = typed("compare", *runs, "--report", "none")
    assert said.exit_code == 0 and "Categorical agreement" in said.stderr, said.output
    gated = typed("gate", "runs", "--report", "none")   # two profiles judged it: the first is the verdict
    assert "does not ship" not in gated.stderr and gated.exit_code == 4, gated.output   # nothing to compare


def test_a_table_of_scores_alone_and_limits_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 80)
    score = np.clip(.25 + .5*truth + rng.normal(0, .2, 80), 0, 1).round(3)
    pd.DataFrame(dict(sample_id=range(80), y_true=truth, y_score=score)).to_csv("s.csv", index=False)
    pd.DataFrame(dict(sample_id=range(80), y_true=truth, y_score=7*score)).to_csv("far.csv", index=False)
    limits = "title: Mine\ncriteria:\n- {metric: roc_auc, limit: 0.5, direction: min, on: lo, level: 0.9, least: 50}\n"
    Path("lim.yml").write_text(limits)
    said = typed("run", "--predictions", "far.csv", "--kind", "prob")
    assert said.exit_code == 2 and "far.csv: y_score must lie between 0 and 1" in said.stderr, said.stderr
    said = typed("run", "--predictions", "s.csv", "--kind", "prob", "--report", "none")
    assert "'y_score' as y_prob" in said.stderr and "No calls" not in said.stderr

    said = typed("run", "--predictions", "s.csv", "--profile", "lim.yml", "--report", "none", "--out", "alone")
    assert said.stderr.splitlines()[1].startswith("No calls: ") and "--y-pred" in said.stderr.splitlines()[1]
    run = open_run("alone")
    assert run.result.data.no_calls and "No calls: " in headline(run).html
    assert stored_limits(run) == read_profile("lim.yml")
    Path("lim.yml").unlink()
    gated = typed("gate", "alone", "--report", "none")
    assert gated.exit_code == 0 and "does not ship" not in gated.stderr, gated.stderr
    assert "roc_auc" in Path(run.folder/"gate.json").read_text()


def test_what_rows_are_has_one_plural():
    known = dict(biopsy="biopsies", well="wells", series="series", assay="assays", box="boxes")
    for unit, several in known.items():
        assert Field("f", "F", unit=unit).units_of_rows == plural(unit) == several
        assert singular(several) == unit


@pytest.mark.later
@pytest.mark.parametrize("line, meant", [
    ("pairs isolates.xlsx --reference BMD", "Did you mean 'mic pairs'?"),
    ("report executive", "mic-eval report runs --name executive"),
    ("run --predictions calls.csv --y-true y --y-score p --kind prob --profile iso", "mean 'iso-20776-2-2021'?"),
    ("mic pairs pairs.csv --reference a --test b --breakpoints eucast", "have a year, as eucast-2025"),
    ("compare calls.csv calls.csv", "make a run of each file"),
    ("run --predictions pairs.csv", "mic-eval check pairs.csv says what the table may be"),
    ("run --model mine.py --data wells", "say mine:NAME"),
    ("run --model mine.net --data wells", "say mine:net"),
    ("run --model mine:nte --data wells", "did you mean 'net'?")])
def test_what_a_stranger_types_next_is_answered_with_what_to_type(line, meant, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    Path("mine.py").write_text("def net(x): return x.mean((1, 2, 3))\n")
    Path("calls.csv").write_text("y,p\n" + "1,0.9\n0,0.2\n"*20)
    Path("pairs.csv").write_text("a,b\n" + "1,2\n2,2\n4,8\n"*10)
    write_wells(render_plates(1, size=24, seed=1), "wells")
    said = typed(*line.split())
    assert said.exit_code == 2 and said.stderr.count("\n") == 1 and meant in said.stderr, said.stderr


def test_check_names_the_command_for_questions_responses_and_samples(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(dict(id=["q1", "q2"], question="?", A="a", B="b", answer=["A", "B"])).to_csv("items.csv", index=False)
    pd.DataFrame(dict(id=["q1", "q2"], response="The answer is A.", model="m")).to_csv("said.csv", index=False)
    Path("samples.jsonl").write_text('{"doc_id": 0, "doc": {"question": "?", "choices": ["a", "b"]}, "target": 0, '
                                     '"filter": "none", "resps": [[["-1.0", "False"]]]}\n')
    # the calls of a classifier are no responses, whatever their columns are called
    calls = ["cat", "dog"]*20
    pd.DataFrame(dict(id=range(40), prediction=calls, target=calls)).to_csv("c.csv", index=False)
    found = {name: typed("check", name) for name in ("items.csv", "said.csv", "samples.jsonl", "c.csv")}
    assert [o.exit_code for o in found.values()][:3] == [0, 0, 0], found["samples.jsonl"].output
    assert "mic-eval tcm score items.csv RESPONSES" in found["items.csv"].stdout
    assert "mic-eval tcm score QUESTIONS said.csv" in found["said.csv"].stdout
    assert "mic-eval tcm score samples.jsonl" in found["samples.jsonl"].stdout
    assert "tcm" not in found["c.csv"].stdout


@pytest.mark.parametrize("heading", ["outcome", "Outcome", "结局"])
def test_an_outcome_is_a_truth_unless_something_else_is(heading):
    table = pd.DataFrame({heading: TRUTH, "y_prob": PROB})
    assert read_predictions(table).y_true.tolist() == TRUTH
    other = read_predictions(table.assign(y_true=TRUTH[::-1]))
    assert other.y_true.tolist() == TRUTH[::-1] and heading in other.facts


def test_two_models_of_lm_eval_are_told_apart_by_their_folders(tmp_path, monkeypatch):
    "As --output_path writes them: the samples of every model have one name"
    from mic_eval.tcm.answers import read_answers
    monkeypatch.chdir(tmp_path)
    for model, right in dict(large=.8, small=.3).items():
        (tmp_path / model).mkdir()
        rows = [dict(doc_id=i, target=i % 2, doc=dict(question=f"Q{i}", choices=["a", "b"]), filter="none", resps=[
                    [[f"{-1. if (k == i % 2) == (i < 40*right) else -3.}", "False"]] for k in (0, 1)])
                for i in range(40)]
        (tmp_path / model / "samples_x.jsonl").write_text("\n".join(map(json.dumps, rows)))
        (tmp_path / model / "results_x.json").write_text(json.dumps(dict(results=dict(x={"acc,none": right}))))
    said = typed(*"tcm compare large/samples_x.jsonl large/samples_x.jsonl small/samples_x.jsonl".split())
    assert said.exit_code == 0 and "large: rank 1, score 80.0 %" in said.stderr, said.output
    for line, told in (("tcm score large", "is a folder"), ("tcm score large/results_x.json", "--log_samples"),
                       ("tcm compare large/samples_x.jsonl large/samples_x.jsonl", "one model only, large")):
        said = typed(*line.split())
        assert said.exit_code == 2 and told in said.stderr, (line, said.stderr)
    (tmp_path / "small" / "results_x.json").unlink()   # alone, a file is called by its own name
    assert read_answers("small/samples_x.jsonl").models == ["samples_x"]
