"""A model that was edited between two runs is never answered for by the old one: its fingerprint differs, or what is
stored is not reused."""
import functools
import json
import os
import subprocess
import sys
import zipfile

import numpy as np
import pytest
import torch

from mic_eval.data.manifest import data_set
from mic_eval.model.code import digest, environment_read, own_sources
from mic_eval.model.predict import predict, still_answers
from mic_eval.model.load import external_files, fingerprint, load_model
from every import every

X = np.random.default_rng(0).random((12, 1, 4, 4), np.float32)


def wells(): return data_set(X, np.arange(12) % 2, dict(sample_id=[f"w{i}" for i in range(12)]))


HEAD = "import functools, os\nimport numpy as np\nimport torch\n"
NET = """
class Net(torch.nn.Module):
    def forward(self, x):
        return x.mean((1, 2, 3)) + {}
"""


def reading(value, expression="V"): return HEAD + f"V = {value}\n" + NET.format(expression)


# name: (files before, files after), of a module `lab` with a class `Net`
CHANGES = {k: ({"lab.py": reading(a, e)}, {"lab.py": reading(b, e)}) for k, a, b, e in (
    ("int", 1, 2, "V"), ("float", 1., 2., "V"), ("str", "'1'", "'2'", "float(V)"), ("list", [1], [2], "V[0]"),
    ("tuple", (1,), (2,), "V[0]"),
    ("dict", dict(a=1), dict(a=2), "V['a']"), ("set", {1}, {2}, "sum(V)"),
    ("tensor", "torch.tensor(1.)", "torch.tensor(2.)", "V"),
    ("array", "np.array([1.])", "np.array([2.])", "V[0]"),
    ("object", "type('O', (), dict(__init__=lambda s, v: setattr(s, 'v', v)))(1)",
     "type('O', (), dict(__init__=lambda s, v: setattr(s, 'v', v)))(2)", "V.v"),
    ("partial", "functools.partial(pow, 1)", "functools.partial(pow, 2)", "V(2)"),
    ("lambda", "lambda: 1", "lambda: 2", "V()"), ("default argument", "None\ndef f(a=1): return a",
                                                  "None\ndef f(a=2): return a", "f()"),
    ("closure", "(lambda a: lambda: a)(1)", "(lambda a: lambda: a)(2)", "V()"),
    ("function", "None\ndef f(): return 1", "None\ndef f(): return 2", "f()"),
)}


def in_class(line):
    return {"lab.py": HEAD + "class Base(torch.nn.Module):\n    def g(self): return 0\nclass Net(Base):\n    "
            + line.replace("; ", "\n    ")
                            + "\n    def forward(self, x): return x.mean((1, 2, 3)) + self.v()\n"}


IN_CLASS = {"class attribute": "a = {}; v = lambda self: self.a",
            "static method": "@staticmethod; def v(): return {}", "class method": "@classmethod; def v(cls): return {}",
            "property": "@property; def p(self): return {}; def v(self): return self.p",
            "cached property": "@functools.cached_property; def p(self): return {}; def v(self): return self.p",
            "instance attribute":
                "def __init__(self):; super().__init__(); self.a = [{}]; def v(self): return self.a[0]"}
IN_CLASS["instance attribute"] = ("def __init__(self): torch.nn.Module.__init__(self) or setattr(self, 'a', [{}])#"
                                  "self.a = [{}]; def v(self): return self.a[0]")
CHANGES |= {k: (in_class(s.replace("{}", "1")), in_class(s.replace("{}", "2"))) for k, s in IN_CLASS.items()}


def helped(one, two, imports="from helper import f"):
    return {"lab.py": HEAD + imports + "\n" + NET.format("f()"), "helper.py": one, "deep/__init__.py": "",
            "deep/helper2.py": two}


PLAIN, DEEP = "from deep.helper2 import g\ndef f(): return g()", "def g(): return {}"
CHANGES |= {
    "base class": tuple(
        {"lab.py": HEAD + f"class Base(torch.nn.Module):\n    def v(self): return {i}\nclass Net(Base):\n    def "
                          f"forward(self, x): return x.mean((1, 2, 3)) + self.v()\n"} for i in (1, 2)),
    "helper module": tuple(helped(f"def f(): return {i}", "") for i in (1, 2)),
    "helper of a helper": tuple(helped(PLAIN, DEEP.format(i)) for i in (1, 2)),
    "value in a helper": tuple(helped("import deep.helper2 as h\ndef f(): return h.V[0]", f"V = [{i}]")
                               for i in (1, 2)),
    "import within a function": tuple(helped("def f():\n    from deep import helper2\n    return helper2.g()",
                                             DEEP.format(i)) for i in (1, 2)),
    "relative import": tuple({"lab.py": HEAD + "from deep.helper import f\n" + NET.format("f()"),
                              "deep/__init__.py": "",
                              "deep/helper.py": "from . import helper2\ndef f(): return helper2.g()",
                              "deep/helper2.py": DEEP.format(i)} for i in (1, 2)),
    "environment": tuple({"lab.py": HEAD + NET.format("float(os.environ['LAB_T'])"), "env": str(i)} for i in (1, 2)),
    "environment of a helper": tuple(helped("import os\ndef f(): return float(os.getenv('LAB_' + 'T'))", "")
                                     | {"env": str(i)} for i in (1, 2)),
    "file": tuple({"lab.py": HEAD + NET.format("float(open('v.txt').read())"), "v.txt": str(i)} for i in (1, 2)),
    "environment as bytes": tuple({"lab.py": HEAD + NET.format("float(os.environb[b'LAB_T'])"), "env": str(i)}
                                  for i in (1, 2)),
    "environment by another way": tuple({"lab.py": HEAD
                                         + NET.format(
                                             "float(os.path.expandvars('$LAB_T')) + 0*float(getattr(os, "
                                             "'environ')['LAB_T'])"), "env": str(i)} for i in (1, 2)),
    "module without a place": tuple({"lab.py": HEAD
                                     + "import importlib.util as u\ns = u.spec_from_file_location('odd', "
                                       "os.path.join(os.path.dirname(__file__), 'deep', 'code.py'))\n"
                                     "M = u.module_from_spec(s); s.loader.exec_module(M)\n" + NET.format("M.f()"),
                                     "deep/code.py": f"def f(): return {i}"} for i in (1, 2)),
    "value asked for by its name": tuple({"lab.py": HEAD
                                          + "V = float(open(os.path.join('deep', 'v' + '.txt')).read())\n"
                                          + NET.format("globals()['V']"), "deep/v.txt": str(i)} for i in (1, 2)),
    "value within a decorated method": tuple({"lab.py": HEAD
                                              + "V = float(open(os.path.join('deep', 'v' + '.txt')).read())\n"
                                              + NET.format("V").replace("    def", "    @torch.no_grad()\n    def"),
                                              "deep/v.txt": str(i)} for i in (1, 2)),
}


CHANGES |= {k: tuple({"lab.py": HEAD + before.replace("VALUE", str(i)) + "\n" + NET.format(e)} for i in (1, 2))
            for k, before, e in (
    ("enum", "import enum\nclass E(enum.Enum):\n    A = VALUE", "E.A.value"),
    ("dataclass", "from dataclasses import dataclass\n@dataclass\nclass D:\n    a: int = 0 + VALUE", "D().a"),
    ("metaclass", "class M(type):\n    def v(cls): return VALUE\nclass D(metaclass=M): pass", "D.v()"),
    ("descriptor", "class D:\n    def __get__(s, o, t): return VALUE\nclass Q:\n    v = D()", "Q.v"),
    ("generated code", "N = {}\nexec('def f(): return ' + 'VALUE', N)\nf = N['f']", "f()"))}


@pytest.fixture
def lab(tmp_path, monkeypatch):
    "A function that writes some files and gives what a new process would find in them"
    monkeypatch.chdir(tmp_path); monkeypatch.syspath_prepend(str(tmp_path))
    # Python takes kept bytecode for a file of the same size and second
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    def opened(files, name="Net"):
        for k in [k for k in sys.modules if k.split(".")[0] in ("lab", "helper", "deep", "build")]: del sys.modules[k]
        for k, v in files.items():
            if k == "env":
                monkeypatch.setenv("LAB_T", v)
                continue
            (tmp_path / k).parent.mkdir(exist_ok=True)
            (tmp_path / k).write_text(v)
        import importlib
        importlib.invalidate_caches()
        return load_model(f"lab:{name}")
    yield opened
    for k in [k for k in sys.modules if k.split(".")[0] in ("lab", "helper", "deep", "build")]: del sys.modules[k]


@pytest.mark.later
@pytest.mark.parametrize("before, after", CHANGES.values(), ids=CHANGES)
def test_a_change_of_code_is_another_model(lab, before, after):
    a, then = (net := lab(before)) and fingerprint(net), predict(net, wells(), kind="score", batch_size=5)
    assert a == fingerprint(
        net) == fingerprint(
            lab(before)), "what is the same has the same fingerprint, also after it was called and in a new process"
    edited = lab(after)
    assert a is not None and fingerprint(edited) not in (a, None)
    assert "was stored as" in still_answers(edited, wells(), then, kind="score", batch_size=5)
    assert not np.allclose(predict(edited, wells(), kind="score").scores, then.scores)


MUTATIONS = {"list": ("[1]", "V[0]", lambda m: m.V.append(m.V.pop() + 1)),
             "dict": ("dict(a=1)", "V['a']", lambda m: m.V.update(a=2)),
             "array": ("np.array([1.])", "V[0]", lambda m: m.V.__setitem__(0, 2)),
             "tensor": ("torch.ones(1)", "V[0]", lambda m: m.V.add_(1)),
             "number": ("1", "V", lambda m: setattr(m, "V", 2)),
             "class": ("1", "self.training*0 + self.w", lambda m: setattr(m.Net, "w", 2)),
             "method": ("1", "1", lambda m: setattr(m.Net, "forward", lambda self, x: x.sum((1, 2, 3))))}


@pytest.mark.parametrize("value, expression, change", MUTATIONS.values(), ids=MUTATIONS)
def test_a_change_of_a_value_in_this_process_is_another_model(lab, value, expression, change):
    source = reading(value, expression).replace("Module):", "Module):\n    w = 1")
    net = lab({"lab.py": source})
    a = fingerprint(net)
    change(sys.modules["lab"])
    assert a and fingerprint(net) not in (a, None)


def test_a_value_in_a_helper_module_that_is_changed_in_this_process(lab):
    net = lab(helped("import deep.helper2 as h\ndef f(): return h.V[0]", "V = [1]"))
    a = fingerprint(net)
    sys.modules["deep.helper2"].V[0] = 2
    assert fingerprint(net) not in (a, None)


ESTIMATOR = """
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
def helper(m): return m*{0}
class Own(ClassifierMixin, BaseEstimator):
    classes_ = np.array([0, 1])
    def predict_proba(self, X):
        m = helper(X.mean(1))
        return np.stack([1 - m, m], 1)
    def fit(self, X, y): return self
"""


def test_code_of_ones_own_estimator(lab):
    nets = [lab({"lab.py": ESTIMATOR.format(f)}, "Own") for f in (.5, .5, .6)]
    a, b, c = [fingerprint(lab({"lab.py": ESTIMATOR.format(f)}, "Own")) for f in (.5, .5, .6)]
    assert a == b is not None and c not in (a, None) and len(nets) == 3


def test_weights_and_who_builds_the_network(lab, tmp_path):
    from safetensors.torch import save_file
    build = ("import torch\ndef build():\n    m = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(16, 1))\n  "
             "  m.eps = {}\n    return m\n")
    lab({"lab.py": build.format(1)}, "build")
    state = lambda v: {"1.weight": torch.full((1, 16), v), "1.bias": torch.zeros(1)}
    def opened(weights, code):
        save_file(state(weights), tmp_path / "w.safetensors")
        lab({"lab.py": code}, "build")
        return fingerprint(load_model("w.safetensors@lab:build"))
    a = opened(1., build.format(1))
    assert a == opened(1., build.format(1)) is not None
    assert len({a, opened(2., build.format(1)), opened(1., build.format(1) + "# edited\n"),
                opened(1., build.format(2))}) == 4


def test_tensors_of_an_onnx_file_that_lie_beside_it(tmp_path):
    "Written as a protobuf writes it, so that neither onnx nor onnxruntime is needed"
    from mic_eval.model.load import _onnx_fingerprint
    long = "w" * 200 + ".data"
    entry = lambda name: b"\n\x08location\x12" + (bytes([len(name)]) if len(name) < 128
                                                  else bytes([len(name) % 128 + 128, len(name)//128])) + name.encode()
    model = tmp_path / "m.onnx"
    model.write_bytes(b"\x08\x07" + entry("m.onnx.data") + b"\x12\x06offset" + entry(long) + entry("gone.data"))
    for name in ("m.onnx.data", long): (tmp_path / name).write_bytes(b"1")
    assert {p.name for p in external_files(model)} == {"m.onnx.data", long}
    seen = {_onnx_fingerprint(model)}
    for name in ("m.onnx.data", long):
        (tmp_path / name).write_bytes(b"2")
        seen.add(_onnx_fingerprint(model))
    assert len(seen) == 3


@pytest.mark.later
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_scripted_network_is_known_by_its_program():
    class A(torch.nn.Module):
        def forward(self, x): return x + 1
    class B(torch.nn.Module):
        def forward(self, x): return x + 2
    a, b = (torch.jit.trace(c(), torch.zeros(1)) for c in (A, B))
    assert fingerprint(a) not in (None, fingerprint(b))
    a, b = (torch.fx.symbolic_trace(c()) for c in (A, B))
    assert fingerprint(a) not in (None, fingerprint(b))


def test_a_module_in_an_archive_is_known_by_the_archive(lab, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend("kept.zip")
    def packed(value):
        with zipfile.ZipFile(tmp_path/"kept.zip", "w") as z: z.writestr("inzip.py", f"def f(): return {value}")
        sys.modules.pop("inzip", None)
        return fingerprint(lab({"lab.py": HEAD + "import inzip\n" + NET.format("inzip.f()")}))
    assert packed(1) == packed(1) not in (None, packed(2))
    sys.modules.pop("inzip")


@pytest.mark.full   # two processes, each with PyTorch
def test_the_same_in_another_process(lab, tmp_path):
    files = CHANGES["value in a helper"][0]
    here = fingerprint(lab(files))
    code = "from mic_eval.model.load import *; print(fingerprint(load_model('lab:Net')))"
    run = lambda **env: subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                                       cwd=tmp_path, env=os.environ | env).stdout.strip()
    assert run(PYTHONHASHSEED="1") == here == run(PYTHONHASHSEED="7")


def test_the_environment_is_read_from_the_source():
    import ast
    read = lambda source: environment_read(ast.parse(source))
    assert read("x = 1") == {} and list(read("os.environ['A']; environ.get('B', 1); os.getenv('C')")) == ["A", "B", "C"]
    for source in ("os.environ[a]", "dict(os.environ)", "from os import environ as e", "getenv('A' + b)"):
        assert read(source) == dict(os.environ)


@pytest.mark.parametrize("value", [open(os.devnull), (i for i in range(2)), {"a": [__import__("threading").Lock()]}])
def test_what_has_no_lasting_content_has_no_fingerprint(value):
    class Holder(torch.nn.Module):
        def __init__(self): super().__init__(); self.v = value
    assert fingerprint(Holder()) is None
    with pytest.raises(TypeError): digest(value)


def test_recursion_and_objects_that_hold_themselves():
    def f(n): return n and g(n - 1)
    def g(n): return n and f(n - 1)
    a = []; a.append(a)
    assert digest(f) == digest(f) != digest(g) and digest(a) == digest(a) != digest([[]])
    assert own_sources("json") == own_sources("no_such_module") == {}


class Session:
    def __init__(self, k): self.k = k
    def __getstate__(self): return {}


class Marked(np.ndarray): pass


def marked(x, k):
    x.k = k
    return x


@pytest.mark.filterwarnings("ignore")
@every("made", [
    Session, lambda k: marked(np.ones(2).view(Marked), k), lambda k: marked(torch.nn.Parameter(torch.ones(2)), k),
                lambda k: functools.singledispatch(lambda x: (lambda: k)()),
    lambda k: torch.quantize_per_tensor(torch.arange(4.)*k, k, 0, torch.quint8),
                lambda k: torch.tensor([1 + 1j]).imag if k == 1
                else torch.tensor([1 + 1j]).conj().imag],
    ids=["what a pickle leaves out", "attribute of an array", "attribute of a parameter",
         "what an installed function holds", "scale of a quantized tensor", "view with a sign"])
def test_what_stands_beside_the_bytes_counts(made): assert digest(made(1.)) == digest(made(1.)) != digest(made(2.))


def test_hooks_of_all_networks_have_no_lasting_content():
    hook = torch.nn.modules.module.register_module_forward_hook(lambda m, i, o: o)
    try: assert fingerprint(torch.nn.Flatten()) is None
    finally: hook.remove()


def test_a_package_that_came_from_a_folder_is_own_code(tmp_path, monkeypatch):
    from mic_eval.model import code as sources
    for name, archive in ("lab_folder", None), ("lab_file", dict(hash="sha256=1")):
        (note := tmp_path / f"{name}-1.dist-info").mkdir()
        (note / "direct_url.json").write_text(json.dumps(dict(url="file:///x")
                                                         | (dict(archive_info=archive) if archive
                                                            else dict(dir_info={}))))
        (note / "RECORD").write_text(f"{name}/__init__.py,sha256=x,1\n{note.name}/RECORD,,\n../../bin/x,,\n")
    monkeypatch.setattr(sources, "_homes", lambda: (tmp_path,))
    cleared = [f.cache_clear for f in (sources._put_here, sources.is_installed)]
    for clear in cleared: clear()
    assert [sources.is_installed(str(tmp_path / o / "a.py")) for o in ("lab_folder", "lab_file", "other")] == [False,
        True, True]
    assert [bool(sources.archive_hash(tmp_path / o / "a.py")) for o in ("lab_folder", "lab_file", "other")] == [False,
        True, False]
    for clear in cleared: clear()


def test_a_file_that_no_source_names_is_a_reason_to_ask_all_again(lab):
    files = {"lab.py": HEAD + NET.format("float(open(os.path.join('deep', 'v' + '.txt')).read())"), "deep/v.txt": "1"}
    then = predict(lab(files), wells(), kind="score", batch_size=5)
    assert "reads v.txt, which no fingerprint covers" in still_answers(lab(files), wells(), then, kind="score",
        batch_size=5)
    known = lab(CHANGES["file"][0])
    assert still_answers(known, wells(), predict(known, wells(), kind="score", batch_size=5), kind="score",
                         batch_size=5) is None


# ---- stored predictions are asked again ----------------------------------------------------------------------------

def mean(x): return x.mean((1, 2, 3))
def other(x): return np.sqrt(mean(x))


def test_stored_predictions_are_asked_again():
    then = predict(mean, wells(), batch_size=5)
    for seed in range(4):
        assert still_answers(mean, wells(), then, draw=seed, batch_size=5) is None
        assert "'scores' for w" in (said := still_answers(other, wells(), then, draw=seed, batch_size=5))
        assert "was stored as" in said
    assert still_answers(mean, wells(), then[[3, 7]], batch_size=5) is None, "a part of the rows, in any order"
    assert "none of the stored rows" in still_answers(mean, data_set(X), then)
    assert "cannot be asked again" in still_answers(lambda x: 1/0, wells(), then)
    assert "another form" in still_answers(lambda x: np.stack([mean(x)/2]*2 + [1 - mean(x)], 1), wells(), then)


def test_one_batch_is_asked_and_random_models_agree_with_themselves():
    calls = []
    noisy = lambda x: calls.append(len(x)) or np.random.rand(len(x))
    then = predict(noisy, wells(), batch_size=5, seed=3)
    calls.clear()
    assert still_answers(noisy, wells(), then, 3, batch_size=5) is None and len(calls) == 1
    assert still_answers(noisy, wells(), then, 4, batch_size=5)


def test_a_killed_run_goes_on_only_with_the_model_that_began_it(tmp_path):
    calls, said = [], []
    def dies(x):
        calls.append(1)
        if len(calls) == 3: raise RuntimeError
        return mean(x)
    with pytest.raises(ValueError): predict(dies, wells(), batch_size=3, out=tmp_path, model_version="1")
    mixed = predict(other, wells(), batch_size=3, out=tmp_path, model_version="1", tell=said.append)
    assert np.allclose(mixed.prob, other(X)) and "all are computed anew" in said[0] and "was stored as" in said[0]
    assert predict(other, wells(), batch_size=3, out=tmp_path, model_version="1",
                   tell=said.append).frame().equals(mixed.frame()) and len(said) == 1


# ---- answers under conditions are kept too -------------------------------------------------------------------------

def test_answers_under_conditions_are_asked_again(tmp_path):
    from mic_eval.core.questions import Subject
    from mic_eval.robust.questions import condition_metrics
    said, calls = [], []
    (folder := tmp_path / "run").mkdir()
    large = data_set(np.kron(X, np.ones((3, 3), np.float32)), np.arange(12) % 2)
    def asked(model):
        p = predict(model, large)
        how = dict(model_version="1", batch_size=5, tell=said.append)
        return condition_metrics(p, (), 0, Subject(lambda x: calls.append(1) or model(x), large, folder, how),
                                 conditions=("dim",), severities=(1, 3))
    a = asked(mean)
    calls.clear()
    assert asked(
        mean).overall.accuracy_std == a.overall.accuracy_std and len(
            calls) == 1 and not said, "one batch is asked again"
    brighter = lambda x: 1 - mean(x)
    b = asked(brighter)
    assert len(said) == 1
    assert "answers under conditions are computed anew: its 'scores'" in said[0]
    assert b.table["accuracy"].tolist() != a.table["accuracy"].tolist()
