"""What a model reads, what it may answer, and what is refused: inputs of any kind, pictures as the model was trained
to read them, undeclared probabilities, programs that end the program."""
import sys

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st
from PIL import Image
from sklearn.linear_model import LogisticRegression

from mic_eval.data.inputs import inputs_of, is_inputs, items, truth_of
from mic_eval.data.manifest import data_set, read_manifest
from mic_eval.data.pictures import seen_as
from mic_eval.model.ask import batch_answer
from mic_eval.model.predict import PredictError, predict
from mic_eval.model.load import load_model
from every import every

rng = np.random.default_rng(0)
X, Y = rng.random((40, 1, 6, 6), np.float32), np.arange(40) % 2


def mean(x): return x.reshape(len(x), -1).mean(1)


class Answers(torch.nn.Module):
    def __init__(self, f): super().__init__(); self.f = f
    def forward(self, x): return self.f(x)


# ---- inputs --------------------------------------------------------------------------------------------------------

class Opened:
    "Four things and nothing else; counts what it opens"
    def __init__(self, n, log=None):
        self.n, self.log = list(range(n)) if isinstance(n, int) else n, [] if log is None else log
    def __len__(self): return len(self.n)
    def __getitem__(self, rows):
        return Opened([self.n[i] for i in np.atleast_1d(np.arange(len(self.n))[rows])], self.log)
    @property
    def content_hash(self): return f"{self.n}"
    def batches(self, size=64):
        for i in range(0, len(self.n), size):
            self.log.append(len(self.n[i:i + size]))
            yield slice(i, i + size), np.array(self.n[i:i + size], np.float32)[:, None]/100


@pytest.mark.parametrize("n, size", [(7, 3), (6, 3), (1, 5)])
def test_an_object_of_ones_own_is_opened_batch_by_batch(tmp_path, n, size):
    data = Opened(n)
    p = predict(mean, data, batch_size=size, out=tmp_path, model_version="1")
    assert is_inputs(data)
    assert np.allclose(p.prob, np.arange(n)/100)
    assert p.sample_id[0] == "000000" and (p.y_true == -1).all() and p.classes == ("0", "1")
    assert sum(data.log) == n and max(data.log) <= size
    data.log.clear()
    assert predict(mean, data, batch_size=size, out=tmp_path,
                   model_version="1").frame().equals(p.frame()) and len(data.log) == 1, "one batch is asked again"


def test_pictures_of_a_folder_are_opened_batch_by_batch(tmp_path, monkeypatch):
    import mic_eval.data.pictures as pictures
    for i in range(6): Image.fromarray(np.full((6, 6), 40*i, np.uint8)).save(tmp_path / f"{i}.png")
    (tmp_path / "manifest.csv").write_text("\n".join(["sample_id,path", *(f"w{i},{i}.png" for i in range(6))]))
    opened, load, seen = [], pictures.load_image, []
    monkeypatch.setattr(pictures, "load_image", lambda *a: opened.append(1) or load(*a))
    predict(lambda x: seen.append(len(opened)) or mean(x), tmp_path, batch_size=2)
    assert seen == [2, 4, 6]


def test_features_are_rows(tmp_path):
    flat = X.reshape(40, -1)
    lr = LogisticRegression().fit(flat, Y)
    a, b = predict(lr, (flat, Y)), predict(lr, (X, Y))
    assert np.allclose(a.prob, b.prob)
    assert a.y_true.tolist() == b.y_true.tolist() and a.classes == ("0", "1") and b.classes == ("no growth", "growth")
    net = torch.nn.Linear(36, 3)
    p = predict(net, items(flat, Y + 1, dict(drug=["INH"]*40), classes=("a", "b", "c")))
    assert p.classes == ("a", "b", "c") and list(p.facts) == ["drug"] and p.scores.shape == (40, 3)
    with pytest.raises(ValueError, match="expects 36 features, and these rows give 30"): predict(lr, flat[:, :30])


@pytest.mark.parametrize("kw, said", [(dict(y_true=[1]), "different lengths"),
                                      (dict(y_true=[.5, 1]),
                                       "labels must be class numbers or nan, but are 0.5 in row 0"),
                                      (dict(facts=dict(sample_id=["a", "a"])), "sample_id stands twice: 'a'"),
                                      (dict(facts=dict(x=[1])), "different lengths: values 2, facts 1")])
def test_bad_items(kw, said):
    with pytest.raises(ValueError, match=said): items(np.zeros((2, 3)), **kw)


def test_content_decides_the_hash():
    a = items(np.arange(6.).reshape(3, 2))
    assert a.content_hash == items(np.arange(6.).reshape(3, 2)).content_hash != items(np.arange(6.).reshape(3, 2)
        + 1).content_hash
    assert a[[1]].values.tolist() == [[2, 3]] and len(a[1]) == 1 and truth_of(a).tolist() == [-1]*3


# ---- how a model was trained to read pictures ----------------------------------------------------------------------

@settings(max_examples=20, deadline=None)
@given(st.sampled_from([None, 4, 9, (5, 7)]), st.sampled_from([None, 1, 3]), st.sampled_from([None, .5, .1]),
       st.sampled_from([None, .25, 2.]))
def test_pictures_as_the_model_was_trained(size, channels, mean, std):
    wells, got = data_set(X), []
    predict(lambda x: got.append(x) or x.mean((1, 2, 3))*0, wells, size=size, channels=channels, mean=mean, std=std,
            batch_size=100)
    h, w = (size, size) if isinstance(size, int) else size or (6, 6)
    plain = seen_as(wells, size, channels).images()
    assert got[0].shape == (40, channels or 1, h, w)
    assert np.allclose(got[0], (plain - (mean or 0))/(std or 1), atol=1e-5) and got[0].dtype == np.float32
    assert plain.min() >= 0 and plain.max() <= 1 and np.allclose(plain.mean(), X.mean(), atol=.05)


def test_folders_and_arrays_are_read_alike(tmp_path):
    a = np.uint8(255*X[:4, 0])
    for i, p in enumerate(a): Image.fromarray(p).save(tmp_path / f"{i}.png")
    (tmp_path / "manifest.csv").write_text("\n".join(["sample_id,path", *(f"w{i},{i}.png" for i in range(4))]))
    look = dict(size=9, channels=3, mean=[.1, .2, .3], std=.5)
    from_folder, from_array = (next(iter(inputs_of(d, **look).batches(9)))[1] for d in (tmp_path, a))
    assert np.allclose(from_folder, from_array, atol=1e-5) and from_folder.shape == (4, 3, 9, 9)
    assert inputs_of(
        tmp_path, **look).content_hash != inputs_of(tmp_path).content_hash == read_manifest(tmp_path).content_hash


@every("kw, said", [(dict(size=(1, 2, 3)), "size must be one number of pixels"),
                    (dict(size=0), "size must be"), (dict(channels=2), "channels must be 1 or 3"),
                    (dict(mean=[
                        1, 2]), "mean must be one number, or one a channel: 2 numbers for 1 "
                                "channels"), (dict(std=0), "std must be above 0"),
                    (dict(std=np.nan), "std must be")])
def test_bad_settings_of_pictures(kw, said):
    with pytest.raises(ValueError, match=said): predict(mean, X, **kw)


def conv(channels, size):
    return torch.nn.Sequential(torch.nn.Conv2d(channels, 2, 3), torch.nn.Flatten(), torch.nn.Linear(2*(size - 2)**2, 2))


@pytest.mark.parametrize("model, said", [(conv(3, 6),
                                          "it takes pictures with 3 channels, and these have 1: say channels=3 "
                                          "(--channels 3)"),
                                         (conv(1, 9), "it does not take pictures of 6x6 pixels with 1 channel (mat1 "
                                                      "and mat2 shapes"), (torch.nn.Linear(5, 2),
                                                          "say the size it was trained on"),
                                         (torch.nn.Conv2d(1, 1, 9), "does not take pictures of 6x6 pixels")])
def test_a_wrong_shape_is_a_sentence(model, said):
    with pytest.raises(PredictError) as e: predict(model, X, name="mine")
    assert said in str(
        e.value) and "\n" not in str(e.value) and "(--size)" in str(e.value) or "--channels" in str(e.value)


def test_the_advice_helps():
    assert len(predict(conv(3, 9), X, channels=3, size=9)) == 40


# ---- undeclared probabilities --------------------------------------------------------------------------------------

def head(last, outputs): return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(36, outputs), *last)


@pytest.mark.later
@every("model", [head([torch.nn.Sigmoid()], 1), head([torch.nn.Softmax(1)], 2),
                 head([torch.nn.Softmax(1)], 5)])
@every("size", [1, 7, 64])
def test_a_network_that_ends_in_a_sigmoid_is_asked_what_it_means(model, size):
    with pytest.raises(PredictError, match="nobody said what they are: say kind='prob' .*kind='logit'") as e:
        predict(model, X, batch_size=size)
    assert e.value.done is None
    with torch.no_grad(): want = model(torch.from_numpy(X)).numpy()
    assert np.allclose(predict(model, X, kind="prob", batch_size=size).prob, want.squeeze(), atol=1e-6)
    assert predict(model, X, kind="logit").kind == "logit"


@pytest.mark.full   # torch.export; tests/test_predict.py has another
def test_probabilities_of_an_exported_program_too(tmp_path):
    torch.export.save(torch.export.export(head([torch.nn.Sigmoid()], 1).eval(), (torch.zeros(4, 1, 6, 6),)),
                      tmp_path / "m.pt2")
    with pytest.raises(PredictError, match="nobody said what they are"): predict(str(tmp_path / "m.pt2"), X, trust=True)
    assert predict(str(tmp_path / "m.pt2"), X, trust=True, kind="prob").kind == "prob"


@pytest.mark.parametrize("model", [lambda x: x.mean((1, 2, 3)), Answers(lambda x: dict(logits=x.mean((1, 2, 3)))),
                                   Answers(lambda x: x.mean((1, 2, 3))*9 - 4.5),
                                   Answers(lambda x: torch.stack([x.mean((1, 2, 3))]*2, 1))])
def test_what_was_declared_or_cannot_be_probabilities_passes(model): assert len(predict(model, X)) == 40


def test_a_few_rows_say_nothing(): assert len(predict(Answers(lambda x: x.mean((1, 2, 3))), X[:7])) == 7


def test_the_question_does_not_depend_on_where_a_run_was_stopped(tmp_path):
    model, n = head([torch.nn.Sigmoid()], 1), []
    for _ in range(2):
        with pytest.raises(PredictError, match="nobody said"):
            predict(model, X, out=tmp_path, batch_size=5, tell=n.append)
    assert not n


# ---- what a model says beside its scores ---------------------------------------------------------------------------

def test_unknown_answers_are_carried_or_named():
    said = []
    def model(x):
        return dict(prob=mean(x), where=x[:, 0], second=mean(x)[:, None], drug=mean(x), loss=.1, names=["a"]*len(x),
                    more=dict(a=1), nothing=None, odd=np.arange(len(x) + 1))
    p = predict(model, data_set(X, Y, dict(drug=["INH"]*40)), batch_size=7, tell=said.append)
    assert p.outputs["where"].shape == (40, 6, 6)
    assert p.outputs["second"].shape == (40,)
    assert np.allclose(p.outputs["model_drug"], p.prob) and set(p.fact("drug")) == {"INH"}
    assert set(p.outputs) == {"where", "second", "model_drug"}
    assert sorted(s.split("'")[1] for s in said) == ["loss", "more", "names", "odd"]


def test_an_answer_that_changes_its_form_is_left_out():
    said = []
    def model(x):
        return dict(prob=mean(x), grid=np.zeros((len(x), len(x)))) | (dict(late=mean(x)) if len(x) == 5 else {})
    p = predict(model, X[:12], batch_size=7, tell=said.append)
    assert not p.outputs and [s.split("'")[1] for s in said] == ["grid", "late"]


def test_two_scores_are_both_there():
    a = batch_answer(dict(logits=[1., 2.], prob=[.7, .9]), 2, None, "prob")
    assert a.kind == "logit" and a.found["prob"].tolist() == [.7, .9]


# ---- a model that ends the program ---------------------------------------------------------------------------------

@pytest.fixture
def quits(tmp_path, monkeypatch):
    (tmp_path / "quits_at_import.py").write_text("import sys\nsys.exit(0)\n")
    (tmp_path / "quits_later.py").write_text(
        "import sys\ndef build(): sys.exit(0)\ndef call(x): sys.exit()\nclass Odd:\n    def __reduce__(self): "
        "return sys.exit, (0,)\n")
    monkeypatch.chdir(tmp_path); monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for k in ("quits_at_import", "quits_later"): sys.modules.pop(k, None)


@pytest.mark.parametrize("ref, said", [("quits_at_import:f",
                                        "'quits_at_import' cannot be imported: it ends the program (sys.exit(0))"),
                                       ("quits_later:build", "cannot be built: it ends the program"),
                                       ("m.pkl", "cannot be opened as a model: it ends the program")])
def test_a_model_that_ends_the_program_is_an_error(quits, ref, said):
    import pickle
    import quits_later
    (quits / "m.pkl").write_bytes(pickle.dumps(quits_later.Odd()))
    with pytest.raises(ValueError) as e: load_model(ref, trust=True)
    assert said in str(e.value)


def test_a_call_that_ends_the_program_is_an_error(quits):
    with pytest.raises(PredictError, match=r"model call ends the program \(sys.exit\(None\)\) on batch 0"):
        predict("quits_later:call", X, name="call")


@pytest.mark.parametrize("color", [False, True])
def test_rendered_wells_are_pictures_with_colours_first(color):
    from mic_eval.data.wells import render_wells
    wells = render_wells(3, size=16, color=color, seed=1)
    held = inputs_of(wells)
    seen = np.concatenate([x for _, x in held.batches(2)])
    want = np.moveaxis(wells.images, -1, 1) if color else wells.images[:, None]
    assert seen.shape == (3, 3 if color else 1, 16, 16) and np.allclose(seen, want/255)
    assert held.facts["bubble"].tolist() == wells.bubble.tolist() and (truth_of(held) == wells.growth).all()
