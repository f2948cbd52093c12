"What the room of trust computes, against values found another way: brute force, closed forms, limits met exactly"
import math

import numpy as np
import pytest
import torch
from torch import nn

from mic_eval.core.results import NotApplicable
from mic_eval.model.wellnet import WellNet
from mic_eval.trust.access import Space
from mic_eval.trust.certificates import (
    estimator_certificate, interval_certificate, linear_certificate, network_certificate, network_layers,
    smoothing_radius)

ANYWHERE = Space(-np.inf, np.inf)


def turns_at(model, rows, calls):
    "Two neighbouring distances along the first value, of each row: where it is called the same, and where no longer"
    near, far = np.zeros(len(rows)), np.ones(len(rows))
    for _ in range(60):
        middle, moved = (near+far)/2, rows.copy()
        moved[:, 0] += (1-2*calls)*middle
        turned = model.predict(moved) != calls
        near, far = np.where(turned, near, middle), np.where(turned, middle, far)
    return near, far


@pytest.mark.parametrize("scaler", ["", "StandardScaler", "MinMaxScaler", "RobustScaler", "MaxAbsScaler"])
@pytest.mark.parametrize("kind", ["DecisionTreeClassifier", "GradientBoostingClassifier"])
def test_a_tree_is_certified_up_to_the_last_digit_at_which_it_turns(scaler, kind):
    "Trees compare in single precision, so a split of .15 may be met by .1 and a radius of .05"
    from sklearn import ensemble, preprocessing, tree
    from sklearn.pipeline import make_pipeline
    g = np.random.default_rng(0)
    X = 1000*bool(scaler)+g.random((12, 2)).round(1)+[0., .01]
    y = (X[:, 0] > X[:, 0].mean()).astype(int)
    how = dict(n_estimators=2, learning_rate=1.) if kind[0] == "G" else {}
    last = getattr(ensemble if how else tree, kind)(random_state=0, max_depth=1, **how)
    scalers = [getattr(preprocessing, scaler)()] if scaler else []
    model = make_pipeline(*scalers, last).fit(X, y)
    assert (model.predict(X) == y).all()
    for row, call, near, far in zip(X[::4], y[::4], *turns_at(model, X[::4], y[::4])):
        assert not estimator_certificate(model, row[None], [call], far, ANYWHERE).held[0]
        found = estimator_certificate(model, row[None], [call], far*1.001, ANYWHERE)
        assert found.broken[0] and model.predict(found.images)[0] != call
        assert np.abs(found.images-row).max() <= far*1.001+1e-12
        assert estimator_certificate(model, row[None], [call], near*.999, ANYWHERE).held[0]


STRAIGHT = [dict(padding=1, padding_mode=k) for k in ("zeros", "reflect", "replicate", "circular")] + [
    dict(stride=2), dict(dilation=2), dict(groups=2), dict(padding="same"), dict(bias=False)]


@pytest.mark.parametrize("how", STRAIGHT)
def test_the_bound_of_a_network_without_bends_is_its_lowest_margin(how):
    "A straight network loses at most the radius times the absolute slope of each margin"
    torch.manual_seed(1)
    layers = [nn.Conv2d(2, 4, 3, **how), nn.BatchNorm2d(4), nn.AvgPool2d(2), nn.Identity(), nn.Flatten()]
    x = .3+.4*torch.rand(3, 2, 8, 8, dtype=torch.float64)
    body = nn.Sequential(*layers).double().eval()
    body[1].running_mean.uniform_(-1, 1)
    body[1].running_var.uniform_(.5, 2)
    with torch.no_grad(): body[1].weight.copy_(torch.tensor([1., -2., .5, -.1]))
    net = nn.Sequential(*body, nn.Linear(body(x).shape[1], 3)).double().eval()
    y = net(x).argmax(1)
    J = torch.autograd.functional.jacobian(lambda v: net(v).sum(0), x).movedim(1, 0)   # (n, K, C, H, W)
    for r in (.001, .1):
        margins = []
        for i, own in enumerate(y):
            others = [k for k in range(3) if k != own]
            z = net(x[i:i+1])[0].detach()
            margins.append(min(float(z[own]-z[k]-r*(J[i, own]-J[i, k]).abs().sum()) for k in others))
        found = network_certificate(net, x.numpy(), y.numpy(), r)
        np.testing.assert_allclose(found.least, margins, atol=1e-9)
        assert (found.held == (np.array(margins) > 1e-6)).all()
        assert (interval_certificate(net, x.numpy(), y.numpy(), r) <= (np.array(margins) > 0)).all()


class Residual(nn.Sequential):
    def forward(self, x): return 5*x-super().forward(x)

class Noisy(nn.Dropout):
    def forward(self, x): return nn.functional.dropout(x, self.p, True)

class Turned(WellNet):
    def forward(self, x): return super().forward(1-x)


@pytest.mark.parametrize("layer", [Residual(nn.Linear(4, 4)), Noisy(), nn.BatchNorm1d(4, track_running_stats=False),
                                   nn.Sequential(nn.ReLU(), Residual(nn.Linear(4, 4)))])
def test_a_layer_that_does_more_than_its_parent_is_not_taken_for_it(layer):
    net, x = nn.Sequential(layer, nn.Linear(4, 2)).eval(), np.full((2, 4), .5, np.float32)
    for ask in (interval_certificate, network_certificate):
        found = ask(net, x, [0, 1], .1)
        assert isinstance(found, NotApplicable) and "know no layer" in found.reason


def test_a_wellnet_that_does_more_than_wellnet_has_no_layers_that_are_known():
    with torch.random.fork_rng(): assert isinstance(network_layers(Turned()), NotApplicable)
    with torch.random.fork_rng(): assert len(network_layers(WellNet())) > 4


@pytest.mark.parametrize("norm", ["inf", "2"])
def test_a_margin_of_nothing_calls_the_second_class(norm):
    "w x + b reaches 0 exactly at a radius of .25: a tie is class 1, so class 0 is lost there and class 1 is not"
    rows = np.array([[.75], [.25]])
    assert linear_certificate([2.], -1., rows, [1, 0], .25, norm).tolist() == [True, False]
    assert linear_certificate([2.], -1., rows, [1, 0], .26, norm).tolist() == [False, False]
    assert linear_certificate([2.], -1., rows, [1, 0], .24, norm).tolist() == [True, True]
    net = nn.Linear(1, 2)
    with torch.no_grad():
        net.weight.zero_()
        net.bias.zero_()
    assert not interval_certificate(nn.Sequential(net), rows.astype(np.float32), [0, 0], .1).any()


def test_bounds_in_single_precision_promise_nothing_that_rounding_takes():
    "A straight network of 4,096 values turns at a radius that doubles know; a ten-millionth more is not held"
    g = np.random.default_rng(0)
    for seed in range(10):
        torch.manual_seed(seed)
        net, x = nn.Sequential(nn.Linear(4096, 2)), (.2+.6*g.random((1, 4096))).astype(np.float32)
        own = int(net(torch.from_numpy(x)).argmax())
        w, b = (v[own].detach().double()-v[1-own].detach().double() for v in (net[0].weight, net[0].bias))
        r = float((torch.from_numpy(x[0]).double() @ w+b)/w.abs().sum())
        assert not interval_certificate(net, x, [own], r*(1+1e-7)).any()
        assert interval_certificate(net, x, [own], r*.99).all()


def test_the_radius_of_smoothing_where_every_draw_agrees_and_where_half_do():
    "With k = n the exact lower limit of one side is alpha**(1/n); Cohen, Rosenfeld and Kolter, section 3.2.2"
    from statistics import NormalDist
    for n, alpha, sigma in ((100, .001, .25), (1000, .05, .1), (1, .4, 2.)):
        r = smoothing_radius(n, n, sigma, alpha)
        assert r == pytest.approx(sigma*NormalDist().inv_cdf(alpha**(1/n))) if alpha**(1/n) > .5 else math.isnan(r)
    assert math.isnan(smoothing_radius(50, 100, 1.)) and math.isnan(smoothing_radius(0, 10, 1.))
    assert math.isnan(smoothing_radius(1, 1, 1., .5))   # a lower limit of one half certifies nothing


def pictures_in(folder, size, *names):
    from PIL import Image
    from mic_eval.data.class_sets import class_set
    for name in names:
        (folder/name).parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(np.full(size, 9, np.uint8)).save(folder/name)
    return class_set(folder)


def test_a_mask_that_may_be_of_several_pictures_is_nobodys(tmp_path):
    "Both folders of defects count from 000, as benchmark sets do; the pictures lie one folder deeper"
    from PIL import Image
    from mic_eval.trust.explanations import given_masks
    data = pictures_in(tmp_path/"p", (8, 8), "broken/000.png", "cut/000.png")
    for i, name in enumerate(("broken", "cut")):
        (tmp_path/"m"/name).mkdir(parents=True)
        Image.fromarray((np.arange(64).reshape(8, 8) < 8*(1+i)).astype(np.uint8)*255).save(
            tmp_path/"m"/name/"000_mask.png")
    found = dict(zip(data.facts["path"], given_masks(data, tmp_path/"m")))
    assert {k.split("/")[0]: int(v.sum()) for k, v in found.items()} == dict(broken=8, cut=16)
    (tmp_path/"m"/"cut").rename(tmp_path/"m"/"scratch")
    with pytest.raises(ValueError, match="its mask may be broken/000_mask.png or scratch/000_mask.png"):
        given_masks(data, tmp_path/"m")


@pytest.mark.parametrize("tall", [8, 25, 30, 100])
def test_a_box_covers_each_row_that_it_touches_and_no_other(tall, tmp_path):
    "In whole numbers: rows y*H // tall up to, and without, the next whole one above (y+height)*H / tall"
    from types import SimpleNamespace
    import pandas as pd
    from PIL import Image
    from mic_eval.trust.explanations import given_masks
    Image.fromarray(np.zeros((tall, 2*tall), np.uint8)).save(tmp_path/"a.png")
    class Data(SimpleNamespace):
        def __len__(self): return 1
    for H in (7, 8, 70):
        data = Data(root=tmp_path, size=(H, H), facts=pd.DataFrame(dict(path=["a.png"])))
        for y, height in ((0, tall), (tall-2, 2), (tall//2, tall//4), (tall*9//10-1, 1), (3, 4)):
            pd.DataFrame(dict(path=["a.png"], x=[2*y], y=[y], width=[2*height], height=[height])).to_csv(
                tmp_path/"b.csv", index=False)
            want = np.zeros(H, bool)
            want[y*H//tall:-(-(y+height)*H//tall)] = True
            assert np.array_equal(given_masks(data, tmp_path/"b.csv")[0], want[:, None] & want)


def test_methods_that_nobody_could_ask_stand_in_no_order():
    "Deletion is undefined where the baseline is like the pictures; the first that was named is not the best there"
    from mic_eval.core.results import Result
    from mic_eval.trust.explanations import order_under
    from mic_eval.trust.faithfulness import over_baselines
    from mic_eval.trust.references import skill
    def one(a, b): return Result(faithfulness=Result(baseline="median", deletion=skill(a, {}),
                                                     under=Result(white=skill(b, {}))))
    found = order_under(dict(a=one([.5, .7], [np.nan, np.nan]), b=one([.2, .3], [np.nan, np.nan])), ["median", "white"])
    assert dict(found) == dict(median=["b", "a"], white=[])
    net = nn.Sequential(nn.Flatten(), nn.Linear(16, 2)).eval()
    with torch.no_grad():
        net[1].weight.copy_(torch.stack([torch.zeros(16), torch.arange(16.)]))
        net[1].bias.zero_()
    x = np.ones((6, 1, 4, 4), np.float32)
    up = np.broadcast_to(np.arange(16.).reshape(4, 4), (6, 4, 4))
    for insert in (False, True):
        of = over_baselines(net, x, dict(worst=-up, best=up), baselines=("white", "black"), insert=insert, steps=16)
        assert of.order == dict(white=[], black=["best", "worst"]) and of.turns is False
        assert not of.scores.white.best.defined


def test_every_method_is_drawn_however_many_there_are():
    "There are seven colours and a dozen methods"
    import matplotlib.pyplot as plt
    from mic_eval.core.results import Curve, Result, Score
    from mic_eval.trust.show_explanations import plot_cascade, plot_removal
    x, some = np.linspace(0, 1, 3), [f"method_{i}" for i in range(12)]
    ax = plot_removal({k: Curve(x, x*i, x*i-.1, x*i+.1, "x", "y") for i, k in enumerate(some)})
    assert [o.get_text() for o in ax.get_legend().get_texts()] == [k.replace("_", " ") for k in some]
    steps = Result(last=Result(cascade=Score(.5, .4, .7), alone=Score(.6, .5, .7)))
    ax = plot_cascade({k: Result(steps=steps) for k in some})
    assert len(ax.get_legend().get_texts()) == 12
    plt.close("all")
