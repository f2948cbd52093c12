"Detectors of our own: fitted in batches, laid on a template, over a network's features, and their images remembered."
import sys
from copy import deepcopy

import numpy as np
import pytest

from mic_eval.anomaly import PatchGaussian, PixelGaussian, load_detector
from mic_eval.anomaly.gaussian import FeatureGaussian, Moments, fit_detector, laid_on, template_of
from mic_eval.metrics.roc_and_pr import roc_auc


def parts(n, seed, off=6, bad=0., side=64, defect=.18):
    "A structured part that lies up to `off` pixels off; some have a scratch"
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:side+2*off, :side+2*off]
    part = .5+.2*((np.hypot(y-side/2-off, x-side/2-off) < side/4))+.12*(np.abs(x-side/2-off) < 4)
    images, label = [], np.arange(n) < n*bad
    for k in range(n):
        a = part.copy()
        if label[k]:
            r, c = rng.integers(off+side//4, off+side*3//4-6, 2)
            a[r:r+2, c:c+6] += defect
        dy, dx = rng.integers(0, 2*off+1, 2)
        images.append(a[dy:dy+side, dx:dx+side]+rng.normal(0, .02, (side, side)))
    return np.array(images, np.float32), label.astype(int)


def test_moments_in_batches_are_those_of_numpy():
    x = np.random.default_rng(0).normal(5, 2, (40, 7, 3)).astype(np.float32)
    m, v = Moments(), Moments(False)
    for k in range(0, 40, 9): m.add(x[k:k+9]); v.add(x[k:k+9])
    np.testing.assert_allclose(m.mean, x.mean(0), rtol=1e-5)
    np.testing.assert_allclose(m.covariance(), [np.cov(x[:, p].T) for p in range(7)], rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(v.covariance(), x.var(0), rtol=1e-3)


def test_parts_that_lie_off_are_laid_on_each_other():
    normal, _ = parts(60, 1)
    images, label = parts(120, 2, bad=.5)
    bare, laid = PatchGaussian.fit(normal), PatchGaussian.fit(normal, template=template_of(normal))
    areas = [float(roc_auc(label, d(images)["score"], ci=None)) for d in (bare, laid)]
    assert areas[1] >= .95 > areas[0], areas
    assert np.abs(laid_on(images, laid.template)[1]).max() > 3


@pytest.mark.parametrize("cls", [PatchGaussian, PixelGaussian])
def test_batches_of_a_function_give_the_detector_of_an_array(cls, tmp_path):
    normal, _ = parts(50, 3, off=0)
    whole = cls.fit(normal)
    lots = cls.fit(lambda: (normal[k:k+7] for k in range(0, 50, 7)), learned=["a"*64])
    np.testing.assert_allclose(whole(normal[:3])["map"], lots(normal[:3])["map"], rtol=2e-3, atol=2e-3)
    again = load_detector(lots.save(tmp_path/"d.npz"))
    assert list(again.learned) == ["a"*64] and not again.template.size
    np.testing.assert_array_equal(again(normal[:2])["map"], lots(normal[:2])["map"])


@pytest.fixture
def tree(tmp_path):
    from PIL import Image
    normal, (images, label) = parts(40, 4)[0], parts(40, 5, bad=.5)
    def put(a, *place):
        path = tmp_path.joinpath("d", "part", *place)
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(np.clip(a*255, 0, 255).astype(np.uint8)).save(path)
    for k, a in enumerate(normal): put(a, "train", "good", f"{k:03}.png")
    for k, a in enumerate(images): put(a, "test", "scratch" if label[k] else "good", f"{k:03}.png")
    return tmp_path


def cli(*args):
    from typer.testing import CliRunner
    from mic_eval.cli.app import app
    r = CliRunner().invoke(app, list(map(str, args)))
    return r.exit_code, r.stdout+r.stderr


@pytest.mark.later
def test_fit_score_and_a_threshold_from_what_was_held_back(tree):
    code, said = cli("anomaly", "fit", tree/"d", "--register", "--save", tree/"p.npz", "--hold-out", ".4")
    assert code == 0 and "fitted on 24 images" in said, said
    for split in ("train", "test"):
        code, said = cli("anomaly", "score", tree/"p.npz", tree/"d", "--maps", tree/"m", "--channels", "1", "--split",
                         split)
        assert code == 0, said
    code, said = cli("anomaly", "evaluate", tree/"d", tree/"m", "--tune-on", "train", "--target", ".1", "--report",
                     "none", "--profile", "none", "--out", tree/"runs")
    assert code == 0, said
    from mic_eval.run.store import open_run
    found = open_run(tree/"runs").result.anomaly
    assert "24 of 40 learning images were left out" in " ".join(map(str, found.warnings.warning))
    assert found.by.object.part.decisions.image.target == .1
    code, said = cli("anomaly", "fit", tree/"d", "--save", tree/"all.npz", "--hold-out", "0")
    assert code == 0
    code, said = cli("anomaly", "evaluate", tree/"d", tree/"m", "--tune-on", "train", "--fitted", tree/"all.npz",
                     "--report", "none", "--out", tree/"runs")
    assert code == 2 and "fitted on all 40 images" in said
    assert cli("anomaly", "fit", tree/"d", "--detector", "pach")[0] == 2


@pytest.mark.full   # imports torch
def test_features_of_a_network_behind_the_same_gaussian(tree, monkeypatch):
    torch = pytest.importorskip("torch")
    (tree/"little_net.py").write_text(
        "import torch\n\nclass Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        torch.manual_seed(0)\n        self.a = torch.nn.Conv2d(3, 8, 5, 2, 2)\n"
        "        self.b = torch.nn.Conv2d(8, 16, 5, 2, 2)\n    def forward(self, x):\n"
        "        a = self.a(x).relu()\n        return [a, self.b(a)]\n\ndef net(): return Net()\n")
    monkeypatch.syspath_prepend(tree)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    import little_net
    torch.save(little_net.net().state_dict(), tree/"w.pt")
    torch.save({k: v+.1 for k, v in little_net.net().state_dict().items()}, tree/"other.pt")
    how = ["--backbone", "little_net:net", "--weights", tree/"w.pt"]
    code, said = cli("anomaly", "fit", tree/"d", *how, "--save", tree/"f.npz")
    assert code == 0, said
    kept = load_detector(tree/"f.npz")
    assert isinstance(kept, FeatureGaussian) and kept.backbone[0] == "little_net:net" and len(kept.channels) == 24
    code, said = cli("anomaly", "score", tree/"f.npz", tree/"d", *how, "--maps", tree/"fm")
    assert code == 0 and "40 maps" in said, said
    code, said = cli("anomaly", "score", tree/"f.npz", tree/"d", *how[:3], tree/"other.pt", "--maps", tree/"fo")
    assert code == 2 and "fitted over other weights" in said
    with pytest.raises(ValueError, match="needs its network"): kept(np.zeros((1, 3, 64, 64)))


def test_what_does_not_fit_is_one_line(tree):
    with pytest.raises(ValueError, match="no object 'prt'; did you mean 'part'"): fit_detector(tree/"d", object="prt")
    with pytest.raises(ValueError, match="share to hold out"): fit_detector(tree/"d", hold_out=1.)
    with pytest.raises(ValueError, match="at least 10 normal images"): fit_detector(tree/"d", hold_out=.9)


@pytest.mark.full   # imports torch
def test_a_network_is_asked_in_the_numbers_of_its_weights(tree, tmp_path):
    "Weights of 16, 32 and 64 bits, with mean and SD taken off; weights that are not loaded are one line"
    torch = pytest.importorskip("torch")
    from mic_eval.anomaly import score_images
    from mic_eval.anomaly.datasets import data_images
    from mic_eval.anomaly.gaussian import network_features
    from mic_eval.data.pictures import load_image

    class Net(torch.nn.Module):
        def __init__(self, **where):
            super().__init__()
            self.a = torch.nn.Conv2d(1, 1, 1, **where)
        def forward(self, x): return dict(map=self.a(x)[:, 0])
    t = data_images(tree/"d")[:3]
    x = np.stack([load_image(p, 1) for p in t.path])[:, 0]
    net = Net()
    w, b = float(net.a.weight), float(net.a.bias)
    wanted = w*(x-.4)/.2+b
    for k, (kind, off) in enumerate(((torch.float32, 1e-5), (torch.float16, 2e-3), (torch.bfloat16, 2e-2),
                                     (torch.float64, 1e-5))):
        found = score_images(deepcopy(net).to(kind), t, tmp_path/str(k), mean=.4, std=.2)
        maps = np.concatenate([np.load(p) for p in sorted((tmp_path/str(k)).glob("*.npy"))])
        assert len(found.names) == 3 and np.abs(maps-wanted).max() < off*np.abs(wanted).max()
    with pytest.raises(ValueError, match="64 bits alone"):
        score_images(net.double(), t, tmp_path/"short", precision="float16")
    for ask in (lambda m: score_images(m, t, tmp_path/"meta"), network_features):
        with pytest.raises(ValueError, match=r"weights of the model are not loaded \(device meta\)"):
            ask(Net(device="meta"))


@pytest.mark.later
@pytest.mark.parametrize("detector", ["patch", "pixel"])
def test_four_times_as_many_images_need_no_more_memory(detector, tmp_path):
    import tracemalloc
    import pandas as pd
    from PIL import Image
    rng = np.random.default_rng(0)
    for i in range(128): Image.fromarray(rng.integers(0, 255, (96, 96), dtype=np.uint8)).save(tmp_path/f"{i}.png")
    def peak(n):
        t = pd.DataFrame(dict(path=[tmp_path/f"{i}.png" for i in range(n)], label=0, object="part"))
        tracemalloc.start()
        try:
            fit_detector(t, detector=detector, hold_out=0)
            return tracemalloc.get_traced_memory()[1]
        finally: tracemalloc.stop()
    peak(32)   # what is imported once
    assert peak(128) < 1.1*peak(32)
