"""The inference loop: the same table whatever the batch size, nothing lost in a crash, every fault of a model named;
and models that cannot run code by being opened."""
import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st
from PIL import Image
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.svm import LinearSVC

from mic_eval.data.manifest import data_set, read_manifest
from mic_eval.model.predict import PredictError, clear_parts, prediction_identity, predict
from mic_eval.model.load import fingerprint, load_model
from every import every

rng = np.random.default_rng(0)
X, Y = rng.random((20, 1, 6, 6), np.float32), np.arange(20) % 2


def wells(n=20, **facts): return data_set(X[:n], Y[:n], dict(sample_id=[f"w{i}" for i in range(n)]) | facts)


def mean(x): return x.mean((1, 2, 3))


def net(outputs=2, seed=0):
    torch.manual_seed(seed)
    return torch.nn.Sequential(torch.nn.Conv2d(1, 3, 3), torch.nn.BatchNorm2d(3), torch.nn.ReLU(),
                               torch.nn.Dropout(.5), torch.nn.Flatten(), torch.nn.Linear(48, outputs))


class Answers(torch.nn.Module):
    def __init__(self, f): super().__init__(); self.f = f
    def forward(self, x): return self.f(x)


class Heads(torch.nn.Module):
    def forward(self, x):
        m = x.mean((1, 2, 3))
        return dict(main_logits=torch.stack([-m, m], 1), confidence=m[:, None], uncertainty=dict(total=m, data=2*m),
                    bubble_confidence=m, features=x.flatten(1), attention=None)


# ---- any model, any batch size -------------------------------------------------------------------------------------

@pytest.mark.later
@settings(max_examples=15, deadline=None)
@given(st.integers(1, 25), st.sampled_from([1, 2]))
def test_a_network_does_not_see_the_batch_size(size, outputs):
    a, b = predict(net(outputs), wells(), batch_size=size, kind="logit"), predict(net(outputs), wells(), kind="logit")
    assert np.abs(a.prob - b.prob).max() < 1e-5
    assert a.kind == "logit" and a.sample_id.tolist() == [f"w{i}" for i in range(20)]


def test_probabilities_of_a_network_are_its_softmax():
    m = net().eval()
    with torch.no_grad(): want = m(torch.from_numpy(X)).softmax(1).numpy()
    assert np.allclose(predict(net(), wells()).prob, want, atol=1e-6)
    with torch.no_grad(): one = net(1).eval()(torch.from_numpy(X)).sigmoid().numpy()[:, 0]
    assert np.allclose(predict(net(1), wells(), kind="logit").prob, one, atol=1e-6)


def test_the_network_is_handed_back_as_it_was():
    m = net().train()
    m[1].eval()
    m[0].weight.requires_grad_(True)
    before = {k: v.clone() for k, v in m.state_dict().items()}
    predict(m, wells())
    assert m.training
    assert not m[1].training and m[3].training and all(torch.equal(v, before[k]) for k, v in m.state_dict().items())
    with pytest.raises(PredictError): predict(Answers(lambda x: 1/0).train(), wells())


def test_double_and_half_networks():
    assert np.allclose(predict(net().double(), wells()).prob, predict(net(), wells()).prob, atol=1e-6)
    assert predict(net().bfloat16(), wells()).scores.dtype == np.float32


def test_named_outputs_are_carried():
    ps = predict(Heads(), wells(), batch_size=7)
    assert set(ps.outputs) == {"confidence", "uncertainty", "uncertainty_data", "bubble_confidence", "features"}
    assert np.allclose(ps.outputs["uncertainty_data"], 2*ps.outputs["uncertainty"])
    assert ps.outputs["features"].shape == (20, 36) and ps.outputs["confidence"].shape == (20,)


def test_estimators():
    flat = X.reshape(20, -1)
    lr = LogisticRegression().fit(flat, Y)
    assert np.allclose(predict(lr, wells(), batch_size=3).prob, lr.predict_proba(flat))
    assert np.allclose(predict(lr, wells(), kind="logit").prob[:], lr.predict_proba(flat)[:, 1])
    backwards = LogisticRegression().fit(flat, 1 - Y); backwards.classes_ = np.array([1, 0])
    assert np.allclose(predict(backwards, wells()).prob[:, 1], backwards.predict_proba(flat)[:, 0])
    few = LogisticRegression().fit(mean(X)[:, None], Y)
    assert np.allclose(predict(few, wells(), features=lambda x: mean(x)[:, None]).prob,
                       few.predict_proba(mean(X)[:, None]))
    svc = LinearSVC().fit(flat, Y)
    assert predict(svc, wells(), kind="score").prob is None


@pytest.mark.parametrize("make, text", [
    (lambda: LinearSVC().fit(X.reshape(20, -1), Y), "model LinearSVC has no predict_proba; kind='score'"),
    (lambda: LogisticRegression().fit(X.reshape(20, -1)[:, :9], Y),
     "expects 9 features, and these pictures (1x6x6) give 36"),
    (lambda: LogisticRegression().fit(X.reshape(20, -1), np.where(Y, "cat", "dog")),
     "has the classes cat, dog, not the"),
], ids=["no proba", "features", "text classes"])
def test_estimators_that_do_not_fit(make, text):
    with pytest.raises(ValueError) as e: predict(make(), wells())
    assert text in str(e.value)


def test_what_is_no_model():
    with pytest.raises(ValueError, match="a Ridge is no model"): predict(Ridge(), wells())
    with pytest.raises(ValueError, match="a str|no model 'x'"): predict("x", wells())


# ---- data ----------------------------------------------------------------------------------------------------------

def folder(tmp_path, n=6):
    d = tmp_path / "set"; d.mkdir()
    for i in range(n): Image.fromarray(rng.integers(0, 255, (6, 6), np.uint8)).save(d / f"{i}.png")
    rows = [f"w{i},{i}.png,{['1', '0', ''][i % 3]},INH,{'test' if i % 2 else 'train'}" for i in range(n)]
    (d / "manifest.csv").write_text("\n".join(["sample_id,path,growth,drug,split", *rows]))
    return d


def test_a_folder_its_splits_and_facts(tmp_path):
    d = folder(tmp_path)
    ps = predict(mean, d)
    assert ps.y_true.tolist() == [1, 0, -1]*2
    assert list(ps.facts) == ["path", "drug", "split"] and ps.classes == ("no growth", "growth")
    assert predict(mean, d, split="test").sample_id.tolist() == ["w1", "w3", "w5"]
    with pytest.raises(ValueError, match="are for folders"): predict(mean, wells(), split="test")


def test_arrays_and_many_classes():
    ps = predict(lambda x: np.full((len(x), 3), 1/3), (X, Y + 1), classes=("a", "b", "c"))
    assert ps.y_true.max() == 2 and ps.classes == ("a", "b", "c")
    with pytest.raises(PredictError, match="in another form than 2 classes"):
        predict(lambda x: np.full((len(x), 3), 1/3), (X, Y), classes=("a", "b"))
    with pytest.raises(ValueError, match="labels must be class numbers"): predict(mean, (X, Y - .5))
    assert predict(mean, torch.from_numpy(X)).y_true.tolist() == [-1]*20


def test_rendered_wells_go_in_as_they_are():
    from mic_eval.data.wells import render_wells
    w = render_wells(5, seed=1)
    ps = predict(mean, w)
    assert ps.y_true.tolist() == w.growth.tolist() and np.allclose(ps.prob, w.images.reshape(5, -1).mean(1)/255)


# ---- faults of a model ---------------------------------------------------------------------------------------------

def late(bad, batch=3):
    "A model that is well until a batch"
    calls = []
    def model(x):
        calls.append(1)
        return bad(x) if len(calls) == batch + 1 else mean(x)
    return model


FAULTS = {
    "raises": (late(lambda x: 1/0, 7), dict(batch_size=2),
               "raised on batch 7 (w14 ... w15): ZeroDivisionError: division by zero; 14 of 20 wells are done"),
    "many lines": (late(lambda x: (_ for _ in ()).throw(RuntimeError("one\ntwo"))), dict(batch_size=2),
                   "RuntimeError: one; 6 of 20"),
    "nan": (late(lambda x: np.where(np.arange(len(x)) == 1, np.nan, mean(x))), dict(batch_size=4),
            "failed on batch 3 (w12 ... w15): it returned nan or infinity for 1 of 4 wells (w13)"),
    "rows": (late(lambda x: mean(x)[:-1]), dict(batch_size=4),
             "it returned shape (3,) for 4 wells, not (4,), (4, 1) or (4, C)"),
    "axes": (lambda x: x, {}, "it returned shape (20, 1, 6, 6) for 20 wells"),
    "logits": (lambda x: 5*mean(x), {}, "it returned probabilities outside 0-1 (say kind='logit'"),
    "no sum": (lambda x: np.ones((len(x), 2))*.9, {}, "do not sum to 1"),
    "text": (lambda x: ["growth"]*len(x), {}, "not numbers"),
    "no scores": (lambda x: dict(p=mean(x)), {}, "it returned p, but none of main_logits, logits, prob, score"),
    "other kind": (lambda x: dict(logits=mean(x)), dict(kind="prob"), "kind='prob', but it returned 'logits'"),
    "no total": (lambda x: dict(prob=mean(x), uncertainty=dict(data=mean(x))), {}, "its uncertainty has no 'total'"),
    "nan head": (lambda x: dict(prob=mean(x), confidence=mean(x)*np.nan), {},
                 "nan or infinity as 'confidence' for 20 of 20"),
    "short head": (lambda x: dict(prob=mean(x), confidence=mean(x)[:3]), {},
                   "its 'confidence' has shape (3,) for 20 wells"),
    "changes form": (late(lambda x: np.stack([1 - mean(x), mean(x)], 1)), dict(batch_size=4),
                     "answered batch 3 in another form than batch 0; 12 of 20"),
    "moved": (mean, dict(device="cuda"), "cannot be moved to 'cuda': only torch modules can"),
    "device": (Answers(lambda x: x.mean((1, 2, 3))), dict(device="nowhere"), "cannot run on 'nowhere'"),
}


@every("model, kw, text", FAULTS.values(), ids=FAULTS)
def test_a_fault_is_one_line_that_names_model_batch_and_wells(model, kw, text):
    with pytest.raises(ValueError) as e: predict(model, wells(), name="mine", **kw)
    assert text in str(e.value) and "\n" not in str(e.value) and str(e.value).startswith("model mine ")


def test_the_error_holds_what_was_done():
    with pytest.raises(PredictError) as e: predict(late(lambda x: 1/0, 7), wells(), batch_size=2)
    assert e.value.batch == 7 and len(e.value.done) == 14 and np.allclose(e.value.done.prob, mean(X[:14]))


def test_a_broken_picture_is_not_the_models_fault(tmp_path):
    d = folder(tmp_path)
    (d / "4.png").write_bytes((d / "4.png").read_bytes()[:-25])
    with pytest.raises(PredictError, match=r"^4.png: broken picture .*; 4 of 6 wells are done$"):
        predict(mean, d, batch_size=2)


def test_a_last_batch_of_one_that_was_squeezed():
    assert len(predict(Answers(lambda x: x.mean((1, 2, 3)).squeeze()), wells(), batch_size=19, kind="prob")) == 20


@pytest.mark.parametrize("kw, text", [(dict(kind="odds"), "kind must be one of"),
                                      (dict(batch_size=0), "batch_size must be at least 1"),
                                      (dict(features=mean), "features= is for estimators")])
def test_bad_settings(kw, text):
    with pytest.raises(ValueError, match=text): predict(mean, wells(), **kw)


# ---- crashes and reuse ---------------------------------------------------------------------------------------------

def counting(model=mean):
    calls = []
    def f(x):
        calls.append(len(x))
        return model(x)
    return f, calls


def test_resumes_on_the_same_boundaries(tmp_path):
    whole = predict(mean, wells(), batch_size=3)
    f, calls = counting()
    for p in range(3):
        with pytest.raises(PredictError, match="are done and kept"):
            predict(late(lambda x: 1/0, 2), wells(), batch_size=3, out=tmp_path, model_version="a")
    assert len(list(tmp_path.glob(".parts/*/*.npz"))) == 4, "two, then one of them asked again and one more, twice"
    again = predict(f, wells(), batch_size=3, out=tmp_path, model_version="a")
    assert calls == [3, 3, 3, 2] and again.frame().equals(whole.frame())
    calls.clear()
    assert predict(f, wells(), batch_size=3, out=tmp_path, model_version="a").frame().equals(whole.frame())
    assert len(calls) == 1
    clear_parts(tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("change", ["version", "data", "labels", "batch_size", "seed"])
def test_anything_else_is_computed_again(tmp_path, change):
    f, calls = counting()
    kw = dict(batch_size=10, model_version="a", seed=0, out=tmp_path)
    predict(f, wells(), **kw)
    data = dict(data=wells()[::-1], labels=data_set(X, 1 - Y,
                                                    dict(sample_id=[f"w{i}" for i in range(20)]))).get(change, wells())
    predict(f, data, **kw | dict(version=dict(model_version="b"), batch_size=dict(batch_size=5),
                                 seed=dict(seed=1)).get(change, {}))
    assert sum(calls) == 40


def test_a_function_without_a_version_is_never_reused(tmp_path):
    f, calls = counting()
    for _ in range(2): predict(f, wells(), out=tmp_path)
    assert sum(calls) == 40 and fingerprint(f) is None and prediction_identity(f, wells()) is None


def test_networks_are_reused_by_their_weights(tmp_path, caplog):
    caplog.set_level("INFO", "mic_eval")
    a = predict(net(), wells(), out=tmp_path, batch_size=8)
    assert not caplog.messages
    assert predict(net(), wells(), out=tmp_path, batch_size=8).frame().equals(a.frame())
    assert caplog.messages == ["Sequential: 3 of 3 batches reused"]
    predict(net(seed=1), wells(), out=tmp_path, batch_size=8)
    assert len(caplog.messages) == 1


def test_a_damaged_part_is_computed_again(tmp_path):
    a = predict(net(), wells(), out=tmp_path, batch_size=8)
    parts = sorted(tmp_path.glob(".parts/*/*.npz"))
    parts[1].write_bytes(parts[1].read_bytes()[:100]); parts[2].write_bytes(b"")
    assert predict(net(), wells(), out=tmp_path, batch_size=8).frame().equals(a.frame())


@pytest.mark.full   # three processes, each with PyTorch
def test_a_kill_in_mid_run_loses_and_repeats_nothing(tmp_path):
    code = textwrap.dedent(f"""
        import sys, time, numpy as np
        from mic_eval.model.predict import predict
        def slow(x):
            print(len(x), flush=True); time.sleep(.03)
            return x.mean((1, 2, 3)) + np.random.rand(len(x))*1e-3
        ps = predict(slow, np.linspace(0, .9, 60).reshape(60, 1, 1, 1).astype("f4"), batch_size=2, 
                     out=sys.argv[1], model_version="1", seed=3)
        ps.save(sys.argv[1] + "/p.parquet")
        """)
    start = lambda d: subprocess.Popen([sys.executable, "-c", code, str(d)], stdout=subprocess.PIPE, text=True)
    for name in ("whole", "cut"): (tmp_path / name).mkdir()
    whole = start(tmp_path / "whole").communicate()[0].split()
    calls = []
    for _ in range(2):                                       # two real kills
        p = start(tmp_path / "cut")
        for _ in range(8): calls.append(p.stdout.readline())
        os.kill(p.pid, signal.SIGKILL); calls += p.communicate()[0].split()
    done = len(list((tmp_path / "cut").glob(".parts/*/*.npz")))
    assert 0 < done < 30 and not (tmp_path / "cut" / "p.parquet").exists()
    rest = start(tmp_path / "cut").communicate()[0].split()
    # the batch at hand, and one that is asked again, are repeated
    assert len(whole) == 30 and len(rest) == 30 - done + 1 and len(calls) + len(rest) <= 34
    assert (tmp_path / "cut" / "p.parquet").read_bytes() == (tmp_path / "whole" / "p.parquet").read_bytes()


def test_random_models_do_not_depend_on_the_interruption_nor_disturb_others(tmp_path):
    noisy = Answers(lambda x: torch.rand(len(x)))
    np.random.seed(5); torch.manual_seed(5)
    a = predict(noisy, wells(), batch_size=4, seed=1, kind="prob")
    b, c = np.random.rand(), torch.rand(1)
    np.random.seed(5); torch.manual_seed(5)
    assert np.random.rand() == b and torch.rand(1) == c
    assert predict(noisy, wells(), batch_size=4, seed=1, kind="prob").frame().equals(a.frame())
    assert not predict(noisy, wells(), batch_size=4, seed=2, kind="prob").frame().equals(a.frame())


def test_an_unwritable_folder_is_named_before_anything_is_computed(tmp_path):
    (tmp_path / "file").write_text("")
    f, calls = counting()
    with pytest.raises(ValueError, match="cannot make .*file/x: Not a directory"):
        predict(f, wells(), out=tmp_path / "file" / "x")
    assert not calls


@pytest.mark.later
def test_torch_is_not_imported_for_a_function():
    code = ("import sys, numpy as np; from mic_eval.model.predict import predict; predict(lambda x: "
            "x.mean((1,2,3)), np.zeros((3,4,4))); print('torch' in sys.modules, 'sklearn' in sys.modules)")
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          check=True).stdout.strip() == "False False"


# ---- opening models ------------------------------------------------------------------------------------------------

MODULE = """
import numpy as np, torch
def score(images): return images.mean((1, 2, 3))
def build(outputs=2): return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(36, outputs))
def broken(): raise KeyError("no weights here")
def three(): return 3
class Net(torch.nn.Module):
    def __init__(self): super().__init__(); self.l = torch.nn.Linear(36, 1)
    def forward(self, x): return self.l(x.flatten(1))
ready = Net()
number = 3
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "lab_models.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path); monkeypatch.delitem(sys.modules, "lab_models", raising=False)
    yield tmp_path
    sys.modules.pop("lab_models", None)


def test_references_to_code(here):
    paths = list(sys.path)
    for ref in ("score", "build", "Net", "ready"): assert len(predict(f"lab_models:{ref}", wells())) == 20
    assert sys.path == paths


@every("ref, text", [
    ("lab_models:nothing", "'lab_models' has no 'nothing'"), ("lab_models:broken", "cannot be built: KeyError"),
                     ("lab_models:three", "a int is no model"),
    ("lab_models:number", "is neither a model nor builds one"),
                     ("no_such:f", "'no_such' cannot be imported: ModuleNotFoundError"),
                     ("resnet", "no model 'resnet': it is none of wellnet"),
    ("gone.pt2", "no model file gone.pt2"), ("p.csv", "no model file p.csv"), ("w.safetensors", "no model file"),
])
def test_bad_references(here, ref, text):
    with pytest.raises(ValueError) as e: load_model(ref)
    assert text in str(e.value) and "\n" not in str(e.value)


def test_weights_with_a_builder(here):
    from safetensors.torch import save_file
    m = load_model("lab_models:build")
    save_file(m.state_dict(), "w.safetensors")
    torch.save(m.state_dict(), "w.pt"); torch.save(dict(state_dict=m.state_dict()), "c.ckpt")
    want = predict(m, wells()).prob
    for f in ("w.safetensors", "w.pt", "c.ckpt"):
        assert np.allclose(predict(f"{f}@lab_models:build", wells()).prob, want)
    for ref, text in {"w.safetensors": "say who builds the network",
                      "w.safetensors@lab_models:Net": "do not fit lab_models:Net",
                      "w.safetensors@lab_models:score": "only fill a torch module"}.items():
        with pytest.raises(ValueError, match=text): load_model(ref)
    (here / "bad.safetensors").write_bytes(b"garbage")
    with pytest.raises(ValueError, match="bad.safetensors: the weights cannot be read"):
        load_model("bad.safetensors@lab_models:build")
    (here / "p.csv").write_text("a")
    with pytest.raises(ValueError, match="is a table of predictions, not a model"): load_model("p.csv")


class Bomb:
    def __reduce__(self): return os.system, ("touch exploded",)


def test_pickles_stay_closed_without_trust(here):
    import joblib
    import pickle
    lr = LogisticRegression().fit(X.reshape(20, -1), Y)
    joblib.dump(lr, "m.joblib"); torch.save(net(), "m.pt")
    for f in ("m.joblib", "m.pt"):
        with pytest.raises(ValueError, match="is a pickle, and opening it can run code"): load_model(f)
        assert len(predict(f, wells(), trust=True)) == 20
    (here / "b.pkl").write_bytes(pickle.dumps(Bomb())); torch.save(dict(a=Bomb()), "b.pt")
    for ref in ("b.pkl", "b.pt", "b.pt@lab_models:build"):
        with pytest.raises(ValueError): load_model(ref)
    assert not (here / "exploded").exists()


def exported(path, dynamic=True):
    shapes = ({0: torch.export.Dim("batch", min=1)},) if dynamic else None
    torch.export.save(torch.export.export(net().eval(), (torch.zeros(4, 1, 6, 6),), dynamic_shapes=shapes), path)
    return path


@pytest.mark.full
@pytest.mark.parametrize("dynamic", [True, False])
def test_exported_programs(tmp_path, dynamic):
    p = exported(tmp_path / "m.pt2", dynamic)
    opened, want = load_model(str(p), trust=True), predict(net(), wells()).prob
    for size in (1, 3, 20): assert np.allclose(predict(opened, wells(), batch_size=size).prob, want, atol=1e-5)
    assert opened.batch == (None if dynamic else 4)
    assert fingerprint(opened) == fingerprint(load_model(str(p), trust=True))


def test_an_exported_program_stays_closed_without_trust(tmp_path, monkeypatch):
    def opened(*a, **k): raise AssertionError("it was opened")
    monkeypatch.setattr(torch.export, "load", opened)
    for name in ("m.pt2", "M.PT2"):
        (tmp_path / name).write_bytes(b"PK\3\4")
        with pytest.raises(
            ValueError, match="is a torch.export program, and opening it can run code: "
                              ".*safetensors.*onnx.*--trust"): load_model(str(tmp_path / name))


def test_an_openvino_program_needs_its_weights_and_its_package(tmp_path, monkeypatch):
    (tmp_path/"m.xml").write_text("<net/>")
    with pytest.raises(ValueError, match="m.xml: no m.bin beside it"): load_model(str(tmp_path/"m.xml"))
    (tmp_path/"m.bin").write_bytes(b"")
    monkeypatch.setitem(sys.modules, "openvino", None)   # as if it were not installed
    with pytest.raises(ValueError, match="m.xml needs openvino: pip install openvino"):
        load_model(str(tmp_path/"m.xml"))


def test_an_openvino_program_is_known_by_both_of_its_files(tmp_path):
    ov = pytest.importorskip("openvino")
    class Largest(torch.nn.Module):
        def forward(self, x): return x.amax((1, 2, 3))
    def kept(name, net):
        ov.save_model(ov.convert_model(net, example_input=torch.rand(1, 1, 8, 8)), tmp_path/name)
        return load_model(str(tmp_path/name))
    m, x = kept("m.xml", Largest()), np.random.default_rng(0).random((3, 1, 8, 8), dtype=np.float32)
    assert np.abs(np.asarray(m(x)) - x.max((1, 2, 3))).max() == 0
    before = m.fingerprint
    (tmp_path/"m.bin").write_bytes((tmp_path/"m.bin").read_bytes() + b"\0")
    assert load_model(str(tmp_path/"m.xml")).fingerprint != before


def test_onnx_names_its_extra(tmp_path):
    try:
        import onnxruntime
        pytest.skip(f"onnxruntime {onnxruntime.__version__} is here")
    except ImportError: pass
    (tmp_path / "m.onnx").write_bytes(b"")
    with pytest.raises(ValueError, match=r"needs onnxruntime, .* pip install 'mic-eval\[onnx\]'"):
        load_model(str(tmp_path / "m.onnx"))


@pytest.mark.full
@pytest.mark.parametrize("dynamic", [True, False])
def test_onnx(tmp_path, dynamic):
    pytest.importorskip("onnxruntime"); pytest.importorskip("onnx")
    p = str(tmp_path / "m.onnx")
    torch.onnx.export(net().eval(), (torch.zeros(4, 1, 6, 6),), p, dynamo=False, input_names=["x"],
                      dynamic_axes={"x": {0: "n"}} if dynamic else None)
    assert np.allclose(predict(p, wells(), batch_size=3).prob, predict(net(), wells()).prob, atol=1e-5)


# ---- fingerprints --------------------------------------------------------------------------------------------------

@pytest.mark.later
def test_fingerprints():
    class Scaled(torch.nn.Module):
        def __init__(self, t): super().__init__(); self.t, self.l = t, torch.nn.Linear(2, 2)
        def forward(self, x): return self.l(x)*self.t
    class Rewritten(torch.nn.Module):
        def __init__(self, t): super().__init__(); self.t, self.l = t, torch.nn.Linear(2, 2)
        def forward(self, x): return self.l(x)/self.t
    Rewritten.__qualname__ = Scaled.__qualname__
    made = lambda c, t: (torch.manual_seed(0), c(t))[1]
    assert fingerprint(made(Scaled, 2.)) == fingerprint(made(Scaled, 2.))
    assert len({fingerprint(made(Scaled, 2.)), fingerprint(made(Scaled, 3.)), fingerprint(made(Rewritten, 2.))}) == 3
    assert fingerprint(Answers(open(os.devnull))) is None
    a, b = (LogisticRegression(C=c).fit(X.reshape(20, -1), Y) for c in (1, 2))
    assert fingerprint(a) == fingerprint(LogisticRegression(C=1).fit(X.reshape(20, -1), Y)) != fingerprint(b)


@pytest.mark.later
def test_a_fingerprint_is_the_same_in_another_process():
    make = lambda: (torch.manual_seed(0), torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2)))[1]
    code = ("from mic_eval.model.load import fingerprint; import torch; torch.manual_seed(0); "
            "print(fingerprint(torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2))))")
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                          env=os.environ | dict(PYTHONHASHSEED="7")).stdout.strip() == fingerprint(make())


def odd_on(answer, which=(5,)):
    "A function that answers otherwise wherever one of some wells is in the batch"
    marks = {X[i].sum() for i in which}
    def model(x):
        here = np.array([v.sum() in marks for v in x])
        return answer(x, here) if here.any() else np.stack([1-mean(x), mean(x)], 1)
    return model

def raises(x, here): raise RuntimeError("too bright")
def wider(x, here): return np.full((len(x), 3), 1/3)
def ragged(x, here): return [[.2, .3, .5] if odd else [.5, .5] for odd in here]


@every("answer, which, text", [
    (raises, [5], "raised on w5 (batch 0): RuntimeError: too bright"),
    (raises, [5, 9], "raised on w5, w9 (batch 0): RuntimeError: too bright"),
    (raises, [13], "raised on w13 (batch 1): RuntimeError: too bright; 10 of 20 wells are done"),
    (wider, [5], "answers w5 (batch 0) in another form than the other items"),
    (wider, [13], "answers w13 (batch 1) in another form than the other items; 10 of 20 wells are done"),
    (ragged, [5], "answers w5 (batch 0) in another form than the other items"),
    (raises, range(20), "raised on batch 0 (w0 ... w9): RuntimeError: too bright")])
def test_the_item_is_named_that_a_model_cannot_answer(answer, which, text):
    with pytest.raises(PredictError) as e:
        predict(odd_on(answer, which), wells(), name="mine", batch_size=10, classes=["a", "b"])
    assert str(e.value) == f"model mine {text}"
