"Any classifier: data of any classes, models that name their outputs or not, and what is refused."
import json
import os
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch
from PIL import Image
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from typer.testing import CliRunner

from mic_eval.cli.app import app
from mic_eval.core.tables import Predictions
from mic_eval.data.class_sets import check_classes, class_set, holds_classes, open_classes, set_doubts, write_metadata
from mic_eval.data.real import shipped
from mic_eval.metrics.evaluate import per_class
from mic_eval.model.load import carried_classes, listed_names, load_model
from mic_eval.model.predict import PredictError, inputs_for, predict, still_answers
from mic_eval.run.evaluation import make_run
from mic_eval.trust.access import table_space
from mic_eval.trust.command import opened_access
from mic_eval.trust.explanations import given_masks
from mic_eval.trust.worst_case import attacked_predictions

GREY = dict(ash=10, elm=120, oak=240)   # each class is a shade


def paint(path, grey, size=8):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("L", (size, size), grey).save(path)


@pytest.fixture
def leaves(tmp_path):
    for i in range(8):
        part = tmp_path/"leaves"/("test" if i > 3 else "train")
        for name, grey in GREY.items(): paint(part/name/f"{i}.png", grey + i)
    return tmp_path/"leaves"


def shades(images):
    "Probabilities of ash, elm, oak, in this order"
    apart = -80*abs(images.mean((1, 2, 3))[:, None] - np.array(list(GREY.values()))/255)
    e = np.exp(apart - apart.max(1, keepdims=True))
    return e/e.sum(1, keepdims=True)


def turned(images): return shades(images)[:, ::-1]


class Calls(LogisticRegression):
    "An estimator that gives calls and nothing else"
    predict_proba = decision_function = property()
    def predict(self, X): return self.classes_[(np.asarray(X) @ self.coef_.T + self.intercept_).argmax(1)]


def rows(folder, n=60):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, n)
    X = rng.normal(0, .3, (n, 2)) + np.array([[0, 0], [3, 0], [0, 3]])[y]
    names, split = np.array(["wolf", "cat", "emu"])[y], np.where(np.arange(n) % 2, "test", "train")
    frame = pd.DataFrame(dict(id=range(n), patient_id=np.arange(n)//2, width=X[:, 0], height=X[:, 1], species=names,
                              split=split))
    frame.to_csv(folder/"animals.csv", index=False)
    frame.to_parquet(folder/"animals.parquet")
    return frame


def test_class_folders_are_judged_under_names_in_any_order(leaves, tmp_path):
    told = []
    run = make_run(shades, leaves, split="test", out=tmp_path/"runs", tell=told.append, version="1")
    p = run.predictions
    assert run.field.name == "classification" and p.classes == ("ash", "elm", "oak") and (p.y_pred == p.y_true).all()
    assert any("takes" in o or "order ash, elm, oak" in o for o in told) and p.facts["path"][0].startswith("test/ash")
    other = make_run(turned, leaves, split="test", out=tmp_path/"runs", classes=["oak", "elm", "ash"], version="1")
    assert (other.predictions.y_pred == other.predictions.y_true).all()
    told.clear()
    make_run(turned, leaves, out=tmp_path/"runs", classes=["ash", "oak", "elm"], version="2", tell=told.append,
             layers=["basic"])
    assert any("would be with the outputs in the order oak,elm,ash" in o for o in told)


@pytest.mark.parametrize("change, model, how, said", [
    (None, shades, dict(classes=["ash", "elm"]), "label 'oak' of 8 pictures (test-oak-4) is no class of the model"),
    (None, shades, dict(classes=["ash", "elm", "oak", "fir"]), "gives 3 numbers for each item, and there are 4"),
    (None, lambda x: np.full((len(x), 2), .5), {}, "gives 2 numbers for each item, and there are 3"),
    (None, lambda x: np.full((len(x), 3), np.nan), {}, "it returned nan or infinity for 24 of 24 wells"),
    ("size", shades, {}, "pictures differ in size"),
    ("level", shades, {}, "two levels of folders could be the classes"),
    ("broken", shades, {}, "broken, or not one of"),
    ("outside", shades, {}, "lies outside the data set's folder"),
    ("gone", shades, {}, "names a file that is not there"),
    ("two", shades, {}, "columns 'label' and 'species' compete for 'class': name one (--y-true label or --y-true "),
    ("none", shades, {}, "no column of classes; there is file_name"),
    ("split", shades, dict(split="tset"), "no rows of split 'tset'; did you mean 'test'"),
])
def test_what_cannot_be_judged_is_one_line(leaves, tmp_path, change, model, how, said):
    names = sorted(p.relative_to(leaves).as_posix() for p in leaves.rglob("*.png"))
    table = pd.DataFrame(dict(file_name=names, label=[o.split("/")[1] for o in names]))
    if change == "size": paint(leaves/"test"/"ash"/"big.png", 3, 16)
    if change == "level":
        for name in GREY: paint(leaves/"train"/name/"near"/"1.png", 1), paint(leaves/"train"/name/"far"/"1.png", 1)
    if change == "broken": (leaves/"test"/"ash"/"bad.png").write_bytes(b"no picture")
    if change == "outside": table.loc[3, "file_name"] = "../../x.png"
    if change == "gone": table.loc[3, "file_name"] = "test/ash/none.png"
    if change == "two": table["species"] = table["label"]
    if change == "none": table = table.drop(columns="label")
    if change in ("outside", "gone", "two", "none"): table.to_csv(leaves/"metadata.csv", index=False)
    if change == "level":
        for p in leaves.rglob("*.png"):
            if len(p.relative_to(leaves).parts) == 3: p.unlink()
    with pytest.raises(ValueError) as e: make_run(model, leaves, field="classification", out=tmp_path/"runs", **how)
    assert said in str(e.value) and "\n" not in str(e.value)


@pytest.mark.parametrize("coloured, channels", [((), 1), ((1,), 3), ((0, 1), 3)])
def test_one_coloured_picture_makes_a_table_of_pictures_coloured(tmp_path, coloured, channels):
    for i in range(2): Image.new("RGB" if i in coloured else "L", (9, 8)).save(tmp_path/f"{i}.png")
    pd.DataFrame(dict(path=["0.png", "1.png"], label=["a", "b"])).to_csv(tmp_path/"set.csv", index=False)
    held = class_set(tmp_path/"set.csv")
    assert held.channels == channels and next(iter(held.batches(2)))[1].shape == (2, channels, 8, 9)


def test_samples_without_a_class_and_classes_without_a_sample(leaves, tmp_path):
    paint(leaves/"stray.png", 9)
    data = class_set(leaves)   # a picture beside train and test has neither split nor class
    assert data.classes == tuple(GREY) and data.facts["split"].isna().sum() == 1
    with pytest.raises(ValueError, match="did you mean 'test'"): open_classes(leaves, ["tset"])
    (leaves/"stray.png").unlink()
    write_metadata(leaves)
    table = pd.read_csv(leaves/"metadata.csv")
    table.loc[0, "label"] = ""
    table.to_csv(leaves/"metadata.csv", index=False)
    data = class_set(leaves).for_model(None, ["ash", "elm", "oak", "fir"])
    said = " | ".join(set_doubts(data))
    assert "1 of 24 have no class (test/ash/4.png): they are predicted and not judged" in said
    assert "classes without a sample: fir" in said
    p = predict(lambda x: np.c_[shades(x), np.zeros(len(x))], data)
    assert (p.y_true < 0).sum() == 1 and p.classes[3] == "fir"
    with pytest.raises(ValueError, match="is there already"): write_metadata(leaves)


def test_doubts_of_splits_are_said(tmp_path):
    for part in ("train", "test"):
        for name, grey in GREY.items(): paint(tmp_path/"d"/part/name/"1.png", grey)
    assert "3 stand in more than one split" in " ".join(set_doubts(class_set(tmp_path/"d")))
    frame = rows(tmp_path)
    assert "patient_id stands in more than one split" in " ".join(set_doubts(class_set(tmp_path/"animals.csv")))
    found = check_classes(tmp_path/"animals.csv")
    assert found.ok and "patient_id 30" in found.uses["grouped intervals"] and len(frame) == 60


@pytest.mark.later
@pytest.mark.parametrize("file", ["animals.csv", "animals.parquet"])
@pytest.mark.parametrize("by_name", [False, True])
@pytest.mark.parametrize("make, how", [(LogisticRegression, {}), (Calls, {}), (LinearSVC, dict(kind="score"))])
def test_an_estimator_of_names(tmp_path, file, by_name, make, how):
    frame = rows(tmp_path)
    X = frame[["height", "width"] if by_name else ["width", "height"]]
    model = make().fit(X if by_name else X.to_numpy(), frame["species"])
    p = predict(model, class_set(tmp_path/file), **how)
    assert p.classes == ("cat", "emu", "wolf") and (np.array(p.classes)[p.y_pred] == frame["species"]).all()
    assert set(p.facts) == {"patient_id", "split"} and (p.scores is None) == (make is Calls)
    assert still_answers(model, class_set(tmp_path/file), p, **how) is None


def test_a_model_reads_the_columns_that_it_names(tmp_path):
    frame = rows(tmp_path)
    model = LogisticRegression().fit(frame[["width", "height"]], frame["species"])
    frame.drop(columns="height").assign(heigth=1.).to_csv(tmp_path/"other.csv", index=False)
    with pytest.raises(ValueError, match="reads a column 'height' that other lacks; did you mean 'heigth'"):
        predict(model, class_set(tmp_path/"other.csv"))


@pytest.mark.parametrize("said, names", [
    ('["a", "b"]', ("a", "b")), ("{0: 'a', 1: 'b'}", ("a", "b")), ("a,b", ("a", "b")),
    ({"1": "b", "0": "a"}, ("a", "b")),
    ("a", ()), (["a", "a"], ()), ({"x": "a"}, ()), (3, ())])
def test_names_that_a_model_carries(said, names):
    assert listed_names(said) == names
    net = torch.nn.Linear(2, 2)
    net.config = SimpleNamespace(id2label={0: "LABEL_0", 1: "LABEL_1"})
    assert carried_classes(net) == ()   # what nobody named
    net.config = SimpleNamespace(id2label={0: "no", 1: "yes"})
    assert carried_classes(net) == ("no", "yes")


def test_arrays_tables_and_references(tmp_path):
    images = np.zeros((4, 8, 8), np.uint8)
    np.save(tmp_path/"x.npy", images)
    np.save(tmp_path/"x_labels.npy", np.array(["a", "b", "a", "c"]))
    assert class_set(tmp_path/"x.npy").classes == ("a", "b", "c")
    np.savez(tmp_path/"bad.npz", stuff=images)
    with pytest.raises(ValueError, match="no array images or x or data or features; there is stuff"):
        class_set(tmp_path/"bad.npz")
    np.savez(tmp_path/"short.npz", x=images, y=[0, 1])
    with pytest.raises(ValueError, match="different lengths: values 4, labels 2"): class_set(tmp_path/"short.npz")
    rng = np.random.default_rng(0).normal(size=(3, 2, 5, 5))
    np.savez(tmp_path/"waves.npz", x=rng, y=[0, 1, 1])
    assert len(class_set(tmp_path/"waves.npz")) == 3   # neither pictures nor rows
    assert len(class_set("sklearn.datasets:load_wine").classes) == 3
    for name in ("0", "1", "10", "2"): paint(tmp_path/"numbers"/name/"1.png", 1)
    assert class_set(tmp_path/"numbers").classes == ("0", "1", "2", "10") and holds_classes(tmp_path/"numbers")
    for name in ("growth", "nogrowth"): paint(tmp_path/"wells"/name/"1.png", 1)
    assert not holds_classes(tmp_path/"wells")
    (tmp_path/"jsonl").mkdir()
    paint(tmp_path/"jsonl"/"a.png", 1)
    (tmp_path/"jsonl"/"metadata.jsonl").write_text(json.dumps(dict(file_name="a.png", label="a")) + "\n")
    assert open_classes(tmp_path/"jsonl").inputs[None].classes == ("a",)


def test_a_helper_is_imported_while_the_model_runs(leaves, tmp_path, monkeypatch):
    (tmp_path/"late_net.py").write_text("def answer(x):\n    import late_helper\n    return late_helper.shades(x)\n")
    (tmp_path/"late_helper.py").write_text("def shades(x): return [[.2, .3, .5]]*len(x)\n")
    monkeypatch.chdir(tmp_path)
    before = list(sys.path)
    model = load_model("late_net:answer")
    monkeypatch.chdir("/")
    assert predict(model, class_set(leaves)).y_pred.tolist() == [2]*24 and sys.path == before


def test_a_batch_that_fails_late_loses_nothing(leaves, tmp_path):
    def broken(images, seen=[]):
        seen.append(1)
        if len(seen) > 3: raise RuntimeError("no memory")
        return shades(images)
    with pytest.raises(PredictError, match="raised on batch 3 .*no memory; 18 of 24 pictures are done") as e:
        predict(broken, class_set(leaves), batch_size=6, out=tmp_path/"kept", model_version="1")
    assert len(e.value.done) == 18 and len(list((tmp_path/"kept").rglob("*.npz"))) == 3


class Shades(torch.nn.Module):
    "A network that tells shades apart"
    def __init__(self):
        super().__init__()
        self.line = torch.nn.Linear(64, 3)
        with torch.no_grad():
            self.line.weight.copy_(torch.tensor([-40., 0, 40])[:, None].expand(3, 64)/64)
            self.line.bias.copy_(torch.tensor([10., 6, -18.]))
    def forward(self, x): return self.line(x.flatten(1))


@pytest.mark.full
def test_attack_explain_and_suspects_of_three_classes(leaves, tmp_path, monkeypatch):
    (tmp_path/"shade_net.py").write_text("from test_class_sets import Shades\nnet = Shades()\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(os.path.dirname(__file__))
    monkeypatch.syspath_prepend(tmp_path)
    run = CliRunner().invoke
    ask = ["--model", "shade_net:net", "--data", str(leaves), "--split", "test"]
    done = run(app, ["trust", "attack", *ask, "--radii", "0.1,0.5", "--budget", "quick", "--wells", "6", "--out", "a"])
    assert done.exit_code == 0, done.output
    page = (tmp_path/"a"/"attacks.html").read_text()
    assert done.exit_code == 0 and "elm alone" in page and "right within 0.5" in page, done.output
    done = run(app, ["trust", "attack", *ask, "--radii", "0.1", "--budget", "quick", "--wells", "3", "--out", "b",
                     "--access", "labels"])
    assert "cannot tell: the model gives calls alone" in (tmp_path/"b"/"attacks.html").read_text(), done.output
    odd = run(app, ["trust", "attack", *ask, "--access", "x"]).stderr
    assert "--access must be one of gradient, scores, labels: 'x'" in odd
    few = ["--methods", "integrated_gradients", "--wells", "6"]
    done = run(app, ["trust", "explain", *ask, *few, "--out", "e"])
    assert done.exit_code == 0 and "no masks or boxes say where the cause lies" in done.output, done.output
    for p in leaves.rglob("*.png"):
        (tmp_path/"m").mkdir(exist_ok=True)
        Image.fromarray(np.pad(np.full((4, 4), 255, np.uint8), 2)).save(tmp_path/"m"/f"{p.stem}.png")
    done = run(app, ["trust", "explain", *ask, *few, "--masks", "m", "--out", "f"])
    assert done.exit_code == 0 and "mass on the cause" in done.output, done.output
    pd.DataFrame(dict(path=["test/ash/4.png"], x=[1], y=[1], width=[3], height=[3])).to_csv("boxes.csv", index=False)
    boxes = given_masks(class_set(leaves), "boxes.csv")
    assert boxes.sum() == 9 and boxes[0, 1:4, 1:4].all()
    for place, said in ((dict(x=[-3], y=[1], width=[3], height=[3]), "does not lie in its picture"),   # the right end
                        (dict(x=[1], y=[1], width=[300], height=[3]), "the box 1, 1, 300, 3 of test/ash/4.png"),
                        (dict(x=[2], y=[1], width=[0], height=[3]), "does not lie"),
                        (dict(x=[2], y=[None], width=[3], height=[3]), "nan"),
                        (dict(x=[.1], y=[.1], width=[.4], height=[.5]), "shares of the picture")):
        pd.DataFrame(dict(path=["test/ash/4.png"]) | place).to_csv("odd.csv", index=False)
        with pytest.raises(ValueError, match=said): given_masks(class_set(leaves), "odd.csv")
    paint(tmp_path/"m"/"4.png", 255, 16)
    wrong = run(app, ["trust", "explain", *ask, *few, "--masks", "m", "--out", "g"])
    assert "4.png: the mask has 16x16 pixels and its picture 8x8" in wrong.stderr
    done = run(app, ["noise", "suspects", "--data", str(leaves), "--out", "s"])
    assert done.exit_code == 0 and "Labels to read again" in (tmp_path/"s"/"suspects.html").read_text(), done.output


@pytest.mark.parametrize("access, kind, said", [
    (None, None, "a LinearSVC has no predict_proba: say kind='logit'"), (None, "logit", ""), ("labels", None, "")])
@pytest.mark.later
def test_an_estimator_of_names_is_attacked(tmp_path, access, kind, said):
    frame = rows(tmp_path)
    model = LinearSVC().fit(frame[["width", "height"]].to_numpy(), frame["species"])
    data = class_set(tmp_path/"animals.csv").for_model(model, carried_classes(model))
    def ask():
        a = opened_access(model, kind, access, True)
        how = dict(space=table_space(data.values), classes=data.classes)
        return attacked_predictions(a, data[:6], [.1], "2", "quick", **how)
    if said:
        with pytest.raises(ValueError, match=re.escape(said)): ask()
        return
    p = ask()
    assert (p.y_pred[p.variant == "clean"] == data.y_true[:6]).all() and p.classes == ("cat", "emu", "wolf")


@pytest.mark.full
def test_every_number_of_a_class_is_that_of_scikit_learn():
    "200 tables of 2 to 7 classes, by class name; probabilities have no ties"
    from sklearn import metrics as sk
    rng = np.random.default_rng(0)
    for i in range(200):
        K, n = int(rng.integers(2, 8)), int(rng.integers(30, 120))
        names = np.array([f"class {c}" for c in "gfedcba"[:K]])
        y = np.concatenate([np.arange(K), np.arange(K), rng.integers(0, K, n - 2*K)])
        seen = np.where(rng.random(n) < .6, y, rng.integers(0, K, n))
        prob = rng.dirichlet(np.full(K, .7), n)*.6 + .4*np.eye(K)[seen]
        prob /= prob.sum(1, keepdims=True)
        p = Predictions([f"s{j}" for j in range(n)], y, prob, classes=tuple(names))
        found = per_class(p, ci=None)
        how = dict(labels=list(names), output_dict=True, zero_division=np.nan)
        told = sk.classification_report(names[y], names[p.y_pred], **how)
        for k, name in enumerate(names):
            own = found.classes[name]
            theirs = dict(sensitivity=told[name]["recall"], ppv=told[name]["precision"], f1=told[name]["f1-score"],
                          roc_auc=sk.roc_auc_score(y == k, prob[:, k]))
            for metric, value in theirs.items():
                assert np.isclose(float(own[metric].value), value, equal_nan=True), (i, name, metric)


def test_the_shipped_plates_are_wells():
    "Their folder holds `images` and `plates`, and the manifest a column `y`, which is no class"
    plates = shipped("plates")
    assert not holds_classes(plates)
    inputs = inputs_for(load_model("wellnet"), plates)
    assert np.isfinite(inputs.y_true).sum() == 186


def test_what_ships_is_found_by_its_name(tmp_path, monkeypatch):
    "`run --data plates` read the shipped plates; check, suspects, attack and explain knew no folder of that name"
    monkeypatch.chdir(tmp_path)
    assert "192" in CliRunner().invoke(app, ["check", "plates"]).output
    assert len(inputs_for(None, "plates")) == len(inputs_for(None, Path("plates"))) == 192
    (tmp_path/"plates").mkdir()   # a folder of one's own comes first
    with pytest.raises(ValueError, match="no manifest.csv"): inputs_for(None, "plates")


@pytest.mark.later
def test_a_page_that_shows_what_ships_says_whose_it_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["noise", "suspects", "--data", "plates", "--k", "2", "--out", "out"])
    assert done.exit_code == 0, done.output
    assert "CC BY 4.0" in (tmp_path/"out/suspects.html").read_text(encoding="utf-8")
