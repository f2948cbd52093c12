"What the room of trust computes, against values found another way: brute force, closed forms, limits met exactly"
import math

import numpy as np
import pytest
import torch
from torch import nn

from mic_eval.core.results import Curve, NotApplicable, Result, Score
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


@pytest.mark.later
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


@pytest.mark.later
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
    from mic_eval.trust.show_explanations import plot_cascade, plot_removal
    x, some = np.linspace(0, 1, 3), [f"method_{i}" for i in range(12)]
    ax = plot_removal({k: Curve(x, x*i, x*i-.1, x*i+.1, "x", "y") for i, k in enumerate(some)})
    assert [o.get_text() for o in ax.get_legend().get_texts()] == [k.replace("_", " ") for k in some]
    steps = Result(last=Result(cascade=Score(.5, .4, .7), alone=Score(.6, .5, .7)))
    ax = plot_cascade({k: Result(steps=steps) for k in some})
    assert len(ax.get_legend().get_texts()) == 12
    plt.close("all")


# what attacks left, and pictures of it

def attacked_table(calls, truth, radii=(0., .01, .05), K=2, **facts):
    "Calls of shape (radii, n), as `attacked_predictions` stores them; scores say the call"
    import pandas as pd
    from mic_eval.core.tables import Predictions
    calls, (R, n) = np.asarray(calls), np.shape(calls)
    more = dict(radius=np.repeat(radii, n), norm="inf", budget="quick", allows="gradient",
                attack=["as it is" if c != t else "" for row in calls[:1] for c, t in zip(row, truth)] + [
                    "apgd" if c != t else "" for row in calls[1:] for c, t in zip(row, truth)],
                evaluations=np.tile(np.arange(n), R), broken_by="")
    facts = {k: np.tile(v, R) if len(v) == n else v for k, v in facts.items()}
    return Predictions(np.tile([f"w{i}" for i in range(n)], R), np.tile(truth, R), np.eye(K)[calls.ravel()], "prob",
                       variant=[f"inf {r:g}" if r else "clean" for r in more["radius"]],
                       classes=("no growth", "growth") if K == 2 else tuple("abc"), facts=pd.DataFrame(more | facts))


TRUTH = np.array([1, 1, 1, 0, 0, 0, 0, 1])
CALLS = np.array([[1, 1, 0, 0, 0, 0, 1, 1], [1, 0, 0, 0, 1, 0, 1, 1], [0, 0, 0, 1, 1, 0, 1, 1]])


def test_what_an_attack_costs_is_counted_among_those_that_were_right():
    from mic_eval.trust.survival import at_radius, by_radius, evaluate_attacks
    p = attacked_table(CALLS, TRUTH, call_8bit=[*CALLS[0], *CALLS[0], *CALLS[1]])
    found = evaluate_attacks(p, by=(), groups=None)
    assert found.clean == 6/8 and found.about.radii == [.01, .05] and found.about.samples == 8
    assert found.about.evaluations_per_sample == 3.5 and dict(found.about.broke_at_the_largest) == dict(apgd=6)
    one, two = found.radius["0.01"], found.radius["0.05"]
    assert (one.robust_accuracy, two.robust_accuracy) == (4/8, 2/8) and one.robust_accuracy_8bit == 6/8
    assert (one.attack_success, two.attack_success) == (2/6, 4/6) and one.attack_success.n == 6
    assert (one.missed_growth, one.false_growth) == (2/4, 2/4) and (two.missed_growth, two.false_growth) == (3/4, 3/4)
    assert found.adversarial_robustness == pytest.approx((4+2)/16)
    assert float(two["drop"]) in (pytest.approx(.5), pytest.approx(-.5))
    growth = found.by["class"].growth
    assert growth.robust_accuracy["0"] == 3/4 and growth.robust_accuracy["0.05"] == 1/4
    assert set(growth.missed_growth) == {"0.01", "0.05"} and growth.missed_growth["0.01"] == 2/4
    assert growth.adversarial_robustness == pytest.approx((2+1)/8)
    assert found.curve.x.tolist() == [0, .01, .05] and found.curve.y.tolist() == [6/8, 4/8, 2/8]
    told = np.array([*["as it is"]*8, *["pgd apgd"]*8, *["square", "nan"]*4])
    named = evaluate_attacks(with_fact(p, "broken_by", told), by=(), groups=None)
    assert named.about.attacks == ["apgd", "pgd", "square"]
    far = evaluate_attacks(with_fact(p, "flip_distance", np.tile(np.arange(8.), 3)), by=(), groups=None)
    assert far.flip_distance == 3 and far.by["class"].growth.flip_distance == 1   # the lower of the middle two
    single = evaluate_attacks(p[np.asarray(p.fact("radius")) < .05], by=(), groups=None)   # one radius is enough
    assert list(single.radius) == ["0.01"] and single.adversarial_robustness == .5
    with pytest.raises(ValueError, match="above 0"): evaluate_attacks(p[np.asarray(p.fact("radius")) == 0])
    wrong = attacked_table(1-np.tile(TRUTH, (2, 1)), TRUTH, (0., .01))
    parts = by_radius(wrong)[1]
    none = at_radius(*parts).attack_success
    assert math.isnan(none) and none.n == 0 and "right to begin with" in none.reason
    where = np.repeat(["p", "q"], 4)
    grouped = at_radius(*by_radius(p)[1][:2], groups=where).attack_success
    assert grouped == 2/6 and grouped.groups == 2


def test_radii_hold_the_same_samples_or_nothing_is_said():
    from mic_eval.trust.survival import by_radius, evaluate_attacks
    p = attacked_table(CALLS, TRUTH)
    radii, parts = by_radius(p[np.random.default_rng(0).permutation(len(p))])
    assert radii.tolist() == [0, .01, .05] and all((o.y_pred == c).all() for o, c in zip(parts, CALLS))
    with pytest.raises(ValueError, match="not every sample"): by_radius(p[1:])
    with pytest.raises(ValueError, match="no rows of radius 0"): by_radius(p[8:])
    three = attacked_table(CALLS, np.where(TRUTH, 2, 0), K=3)
    found = evaluate_attacks(three, by=(), groups=None)
    assert isinstance(found.radius["0.01"].missed_growth, NotApplicable)
    assert "missed_growth" not in found.by["class"]["a"]


@pytest.mark.parametrize("n", [5, 6, 20, 21])
def test_the_median_of_distances_and_its_limits_are_samples(n):
    "Woodruff: the lower median, and the order statistics at Wilson's limits of one half, with Student's t"
    from scipy.stats import t
    from mic_eval.trust.survival import median_distance
    d = np.random.default_rng(n).permutation(np.arange(1., n+1))
    s, z = median_distance(d), t.ppf(.975, n-1)
    middle, half = .5, z/(1+z*z/n)*math.sqrt(.25/n+z*z/(4*n*n))   # Wilson's interval is symmetric about one half
    assert s == math.ceil(n/2) and s.n == n
    assert s.lo == max(1, math.ceil(n*(middle-half))) and s.hi == math.ceil(n*(middle+half))
    far = np.where(d > math.ceil(n/2), np.inf, d)
    assert median_distance(far) == math.ceil(n/2) and math.isinf(median_distance(far).hi)
    gone = median_distance(np.where(d >= math.ceil(n/2), np.inf, d))
    assert math.isnan(gone) and "hold at every distance" in gone.reason
    few = median_distance(d, np.arange(n) % 4)
    assert few == math.ceil(n/2) and math.isnan(few.lo) and few.groups == 4
    assert median_distance(np.zeros(n)).hi == 0 and median_distance([]).n == 0 and median_distance([]).reason


def test_shares_of_nobody_have_a_reason_and_those_of_some_their_mean():
    from mic_eval.trust.survival import adversarial_robustness, mean_share
    assert mean_share([]).n == 0 and "no samples" in mean_share([]).reason
    s = mean_share([1, 0, .5, .5, 1, 0, 1])
    assert s == pytest.approx(4/7) and s.lo < s < s.hi and s.groups is None and s.n == 7
    assert adversarial_robustness([[1, 0], [1, 1], [0, 0], [1, 0], [1, 1]]) == pytest.approx(.6)


def worst(broken, start, images=None, radii=(.01, .05), **more):
    from mic_eval.trust.worst_case import WorstCase
    broken, n = np.asarray(broken), len(start)
    return WorstCase(radii, "inf", "quick", np.array([f"w{i}" for i in range(n)]), np.ones(n, int), np.asarray(start),
                     broken, np.where(broken, "apgd", ""), np.where(broken, -1., 2.), images, np.full(n, np.inf),
                     np.zeros(n, int), **more)


def test_both_sides_of_the_truth_are_counted_and_drawn():
    import matplotlib.pyplot as plt
    from mic_eval.trust.certificates import plot_sandwich, sandwich, is_proved
    w = worst([[0, 1], [0, 0], [0, 0], [1, 1]], [1., 1., 1., -1.])
    held = np.array([[1, 0], [1, 1], [0, 0], [1, 0]], bool)   # the last is wrong as it is
    s = sandwich(replaced(w, broken=w.broken.astype(bool)), held)
    assert [float(o.attacked) for o in s.radius.values()] == [3/4, 2/4]
    assert [float(o.certified) for o in s.radius.values()] == [2/4, 1/4] and s.gap == [1/4, 1/4]
    assert list(s.table) == ["radius", "certified", "attacked"] and s.table.radius.tolist() == [.01, .05]
    lines = {o.get_label(): (o.get_xdata().tolist(), o.get_ydata().tolist()) for o in plot_sandwich(s).lines}
    assert lines == {"left by the attacks": ([.01, .05], [75, 50]), "certified": ([.01, .05], [50, 25])}
    alone = sandwich(replaced(w, broken=w.broken.astype(bool)), NotApplicable("no layers"))
    assert [o.get_label() for o in plot_sandwich(alone).lines] == ["left by the attacks"]
    plt.close("all")
    assert is_proved(Result(samples=4, open=[0, 0]), 4) and not is_proved(Result(samples=4, open=[0, 1]), 4)
    assert not is_proved(Result(samples=3, open=[0, 0]), 4) and not is_proved(NotApplicable("why"), 4)


def replaced(w, **how):
    from dataclasses import replace
    return replace(w, **how)


def test_lines_of_survivors_stand_where_the_shares_are():
    import matplotlib.pyplot as plt
    from mic_eval.trust.show_attacks import plot_survivors
    broken = np.array([[0, 1], [1, 1], [0, 0], [1, 1]], bool)
    alone = dict(square=broken, apgd=broken, fgsm=broken & [True, False], uniform_noise=np.zeros((4, 2), bool))
    w = worst(broken, [1., 1., 1., -1.], alone=alone)
    x, y = np.array([0, .01, .05]), np.array([.75, .5, .25])
    ax = plot_survivors(w, Curve(x, y, y-.1, y+.1, "r", "s"), certified=[.25, 0])
    lines = {o.get_label(): o.get_ydata() for o in ax.lines}
    assert list(lines["fgsm"]) == [50, 100] and list(lines["uniform noise"]) == [100, 100]
    assert list(lines["worst case\n= apgd"]) == [50, 25] and list(lines["certified"]) == [25, 0]
    assert set(lines["as they are"]) == {75} and not any("square" in k for k in lines)
    assert ax.get_xscale() == "log" and [t.get_text() for t in ax.get_xticklabels()] == ["0.01", "0.05"]
    corners = ax.collections[0].get_paths()[0].vertices
    assert {tuple(np.round(v, 6)) for v in corners} >= {(.01, 40), (.01, 60), (.05, 15), (.05, 35)}
    assert corners[:, 0].min() == .01
    many = {f"attack_{i}": np.arange(8).reshape(4, 2) < i for i in range(9)}
    ax = plot_survivors(worst(np.ones((4, 2), bool), [1.]*4, alone=many))
    named = " ".join(t.get_text() for t in ax.get_legend().get_texts())
    assert all(k.replace("_", " ") in named for k in many)
    plt.close("all")


def test_distances_rise_by_one_sample_at_a_time_to_the_share_that_turns():
    import matplotlib.pyplot as plt
    from mic_eval.trust.show_attacks import plot_distances, plot_harm
    from mic_eval.trust.survival import evaluate_attacks
    far = np.array([.04, .01, 0, .03, .02, np.inf, 0, np.inf])
    p = attacked_table(CALLS, TRUTH, flip_distance=far)
    ax = plot_distances(p)
    lines = {o.get_label(): (o.get_xdata().tolist(), o.get_ydata().tolist()) for o in ax.lines}
    end = pytest.approx(.044)
    assert lines["growth, n=4"] == ([0, 0, .01, .04, end], [0, 25, 50, 75, 75])
    assert lines["no growth, n=4"] == ([0, 0, .02, .03, end], [0, 25, 50, 75, 75])
    assert ax.get_xlim() == (0, end) and all(o.get_drawstyle() == "steps-post" for o in ax.lines)
    found = evaluate_attacks(p, by=(), groups=None)
    lines = {o.get_label(): o.get_ydata() for o in plot_harm(found).lines}
    assert [list(v) for v in lines.values()] == [[75, 50, 25], [50, 75], [50, 75]] and list(lines) == [
        "still right", "missed growth", "false growth"]
    plt.close("all")


def test_two_models_under_attack_are_paired_sample_by_sample():
    "The mean over samples of the difference of two shares of radii; what is doubted loses the end that may move"
    from mic_eval.trust.show_attacks import compare_attacks
    a, b = attacked_table(CALLS, TRUTH), attacked_table(np.tile(TRUTH, (3, 1)), TRUTH)
    found = compare_attacks(a, b, groups=None)
    assert (float(found.a), float(found.b), float(found.difference)) == pytest.approx((3/8, 1, -5/8))
    turned = compare_attacks(b, a, groups=None)
    assert (turned.difference.lo, turned.difference.hi) == pytest.approx((-found.difference.hi, -found.difference.lo))
    assert [float(o) for o in found.radius.values()] == pytest.approx([-2/8, -4/8, -6/8])
    same = compare_attacks(b, b, groups=None).difference
    assert same == 0 and same.lo == pytest.approx(-same.hi) and same.hi < 1
    first = compare_attacks(a, b, groups=None, doubts=("its gradients vanish", ""))
    second = compare_attacks(a, b, groups=None, doubts=("", "its gradients vanish"))
    assert math.isnan(first.difference) and math.isnan(first.difference.lo) and first.difference.hi < 0
    assert math.isnan(second.difference.hi) and second.difference.lo > -1 and not first.radius["0"].reason
    for other, says in ((b[:16], "different samples or radii"), (attacked_table(CALLS, TRUTH, (0., .01, .04)), "radii"),
                        (with_fact(b, "budget", "thorough"), "budget differs: quick and thorough")):
        with pytest.raises(ValueError, match=says): compare_attacks(a, other)


def with_fact(p, name, value): return replaced(p, facts=p.facts.assign(**{name: value}))


# on the way between samples

def one_dimensional():
    "A network of two pixels whose margin of class 1 is 4 (a + b) - 4"
    net = nn.Sequential(nn.Flatten(), nn.Linear(2, 2)).double().eval()
    with torch.no_grad():
        net[1].weight.copy_(torch.tensor([[-2., -2.], [2., 2.]]))
        net[1].bias.copy_(torch.tensor([2., -2.]))
    return net


def test_where_a_call_turns_on_a_line_and_on_a_plane():
    from mic_eval.trust.minimal import boundary_distance, crossing, plane, turning
    for where in (0., .3, .5, 2/3, 1.):
        assert turning(lambda v, where=where: v >= where, 3, 12) == pytest.approx([where]*3, abs=2**-12)
    net, at = one_dimensional(), np.array([[0., 0], [.5, .5], [0., .25], [.5, .5]]).reshape(4, 1, 1, 2)
    to = np.array([[1., 1], [1, 1], [.25, .25], [0, 0]]).reshape(4, 1, 1, 2)
    found = crossing(net, at, to)
    assert found[0] == pytest.approx(.5, abs=1e-5) and np.isnan(found[1:]).all()   # a tie calls class 1 already
    three = np.array([[0., 0], [1, 0], [0, .5]]).reshape(3, 1, 1, 2)
    p = plane(net, three, points=5, margin=.5)
    assert p.u.tolist() == p.v.tolist() == [-.5, 0, .5, 1, 1.5]
    for i, v in enumerate(p.v):   # pixels stay between 0 and 1
        for j, u in enumerate(p.u):
            assert p.margin[i, j] == pytest.approx(4*(np.clip(u, 0, 1)+np.clip(v/2, 0, 1))-4)
    found = boundary_distance(net, at, "2")
    assert found.margin == pytest.approx([4, 0, 3, 0], abs=1e-12) and found.slope == pytest.approx([4*math.sqrt(2)]*4)
    assert boundary_distance(net, at, "inf").distance == pytest.approx([.5, 0, .375, 0])
    with pytest.raises(ValueError, match="norm must be"): boundary_distance(net, at, "1")


def test_the_least_density_of_models_that_always_and_never_call_growth():
    from mic_eval.trust.minimal import growth_threshold
    class Says(nn.Module):
        def __init__(self, v): super().__init__(); self.v = nn.Parameter(torch.tensor(v))
        def forward(self, x): return self.v*torch.tensor([-1., 1.]).expand(len(x), 2)+0*x.flatten(1)[:, :2]
    always, never = (growth_threshold(Says(v), 5, size=32, steps=2) for v in (1., -1.))
    assert (always.density == 0).all() and always.called_without_growth == 5
    assert np.isinf(never.density).all() and never.called_without_growth == 0 and math.isnan(never.median)


def test_steps_shrink_along_a_half_cosine():
    from mic_eval.trust.minimal import _cosine
    assert [_cosine(k, 4, 1., .2) for k in (0, 2, 4)] == pytest.approx([1., .6, .2])
    assert _cosine(1, 3, 1., 0.) == pytest.approx(.75)


def test_rounding_lets_gradients_through_and_softmax_is_ten_times_softer_while_it_lasts():
    from mic_eval.trust.decision_attacks import SoftCopy, Softened
    x = torch.tensor([.2, 1.7, -2.4], dtype=torch.float64, requires_grad=True)
    for f in (torch.round, torch.floor, torch.ceil, torch.trunc, torch.sign, torch.Tensor.round):
        with Softened(): y = f(x)
        assert torch.equal(y, f(x)) and torch.autograd.grad(y.sum(), x)[0].tolist() == [1, 1, 1]
    for f in (torch.softmax, torch.nn.functional.softmax, torch.Tensor.softmax):
        with Softened(): soft = f(x, -1)
        assert torch.allclose(soft, torch.softmax(x/10, -1)) and torch.allclose(f(x, -1), torch.softmax(x, -1))
    class Rounds(nn.Module):
        def forward(self, x): return 3*torch.floor(x)
    assert torch.autograd.grad(SoftCopy(Rounds())(x).sum(), x)[0].tolist() == [3, 3, 3]


def test_a_file_of_256_grey_levels_gives_back_what_it_held():
    from mic_eval.trust.worst_case import eight_bit
    levels = np.arange(256, dtype=np.float32)/np.float32(255)
    assert np.array_equal(eight_bit(levels), levels) and eight_bit(levels).dtype == np.float32
    assert eight_bit(np.array([.5])) == 128/255 and eight_bit(np.array([.4999/255])) == 0


def test_a_search_between_radii_asks_about_the_logarithm_of_their_number():
    "Samples of class 1 that break from known radii on: each is found, with at most four questions for eight radii"
    from types import SimpleNamespace
    from mic_eval.trust.worst_case import _bisected, _nothing_yet
    n, radii = 9, tuple(.01*2**i for i in range(8))
    as_is = SimpleNamespace(start=np.array([1.]*8+[-1.]), images=np.zeros((n, 1)))
    w = _nothing_yet(as_is, [], radii, "inf", {}, np.arange(n).astype(str), np.ones(n, int), "gradient")
    assert w.budget == "own" and w.broken.sum(1).tolist() == [0]*8+[8] and w.distance.tolist() == [np.inf]*8+[0]
    def attack(rows, r):
        broken = r >= np.asarray(radii)[rows]
        return SimpleNamespace(name="apgd", broken=broken, evaluations=np.ones(len(rows), int), distance=r,
                               margin=np.where(broken, -r, 1-r), images=r[:, None])
    high = np.full(n, 8)
    _bisected(w, attack, w.start >= 0, high, half=9)
    assert high[:8].tolist() == list(range(8)) and (w.broken[:8] == (np.arange(8)[:, None] <= np.arange(8))).all()
    assert w.evaluations.max() <= 4 and w.evaluations[8] == 0 and not w.late.any()
    assert w.distance[:8] == pytest.approx(radii) and set(w.by[3]) == {"", "apgd"} and set(w.by[8]) == {"as it is"}
    for i in range(8):   # the lowest margin within each radius, and the picture where that was
        for c in range(8):
            assert w.margin[i, c] == (-w.images[c, i, 0] if w.broken[i, c] else 1-w.images[c, i, 0])


def test_lost_answers_count_as_lost_everywhere():
    from types import SimpleNamespace
    from mic_eval.trust.worst_case import NO_ANSWER, _nothing_yet
    as_is = SimpleNamespace(start=np.array([1., 2., -1.]), images=np.zeros((3, 1)))
    w = _nothing_yet(as_is, [1], (.01, .02), "2", "quick", np.array(list("abc")), np.ones(3, int), "calls")
    assert w.broken.tolist() == [[False]*2, [True]*2, [True]*2] and w.by[1].tolist() == [NO_ANSWER]*2
    assert w.distance.tolist() == [np.inf, .01, 0] and (w.margin[1] < 0).all() and w.margin[0].tolist() == [1, 1]
    assert w.to_attack.tolist() == [True, False, False] and w.images.shape == (2, 3, 1) and w.budget == "quick"


# explanations

def test_wrong_calls_come_first_and_are_a_quarter():
    from mic_eval.trust.explanations import chosen_rows
    p = attacked_table([np.repeat([1, 0], [12, 20])], np.zeros(32, int), (0,))
    for wells in (1, 2, 8, 16, 40):
        rows = chosen_rows(p, wells, 0)
        wrong = p.y_pred[rows] != p.y_true[rows]
        few = min(12, max(1, wells//4))
        assert len(rows) == min(wells, few+20) == len(set(rows.tolist()))
        assert wrong[:few].all() and not wrong[few:].any()
    assert chosen_rows(p, 8, 0).tolist() == chosen_rows(p, 8, 0).tolist() != chosen_rows(p, 8, 1).tolist()
    unknown = replaced(p, y_true=np.full(32, -1))
    assert not len(chosen_rows(unknown, 8, 0))


def test_facts_that_do_not_divide_are_no_facts():
    from mic_eval.trust.explanations import facts_apart
    n = 26
    p = attacked_table(np.zeros((1, n), int), np.arange(n) % 2, (0,), plate=["x"]*n, bubble=np.arange(n) % 12,
                       bubble_type=list(range(13))*2)
    found = facts_apart(p)
    assert set(found) == {"call", "bubble"} and found["call"].tolist() == ["right", "wrong"]*13
    assert set(facts_apart(p, most=11)) == {"call"} and set(facts_apart(p, ("radius",))) == {"call"}


def test_sums_are_kept_up_to_a_hundredth():
    from mic_eval.trust.attribution import Attributions
    from mic_eval.trust.explanations import kept_sums
    a = Attributions(np.zeros((4, 1, 2, 2)), np.array([.01, .0101, np.nan, 0]), np.ones(4, int),
                     np.array([True, False, False, False]), np.array([1., 2, 3, 4]), {})
    found = kept_sums(a)
    assert found.sums == 2/3 and found.largest_gap == .0101 and found.no_map == 1/4 and found.evaluations == 2.5
    none = kept_sums(replaced(a, gap=np.full(4, np.nan)))
    assert isinstance(none.sums, NotApplicable) and isinstance(none.largest_gap, NotApplicable)


def test_mean_maps_weigh_each_map_alike_and_count_the_empty():
    import matplotlib.pyplot as plt
    from mic_eval.trust.show_explanations import mean_maps, plot_mean_maps
    maps = np.array([[[2., -2]], [[30., 10]], [[0, 0]], [[0, 0]], [[0, 8.]]])
    found = mean_maps(maps, ["a", "a", "a", "b", "c"])
    assert found.a.map.tolist() == [[.625, -.125]] and (found.a.n, found.a.empty) == (2, 1)
    assert found.b.map.tolist() == [[0, 0]] and (found.b.n, found.b.empty) == (0, 1)
    assert found.c.map.tolist() == [[0, 1]]
    many = mean_maps(np.ones((7, 1, 2))*np.arange(1, 8)[:, None, None], np.arange(7))
    fig = plot_mean_maps(dict(grad_cam=found, other=many))
    shown = [a for a in fig.axes if a.images]
    assert [a.get_title() for a in shown[:3]] == ["a, n=2", "b, n=0", "c, n=1"] and len(shown) == 10
    assert shown[0].images[0].get_clim() == (-1, 1) and shown[3].images[0].get_clim() == (-.5, .5)
    assert shown[0].get_ylabel() == "grad cam"
    plt.close("all")


def test_a_gallery_draws_each_method_on_its_own_scale_with_what_is_true_and_called():
    import matplotlib.pyplot as plt
    from mic_eval.trust.show_explanations import first_wells, plot_explained, with_wells
    g = np.random.default_rng(0)
    maps = g.normal(size=(2, 3, 6, 6))*np.array([1, 50])[:, None, None, None]
    maps[1, 2] = 0
    one = dict(methods=np.array(["saliency", "grad_cam"]), forgotten=np.array([.25, np.nan]),
               names=np.array(list("abc")), images=g.random((3, 6, 6)), maps=maps, gap=np.array([[.012, np.nan, 0]]*2),
               probability=np.array([.9, np.nan, .51]), truth=np.array(["yes", "no", "no"]), called=np.array(["yes"]*3))
    fig = plot_explained(one, np.array([np.eye(6) > 0, np.zeros((6, 6)) > 0, np.eye(6) > 0]))
    axs = np.array([a for a in fig.axes if a.images and a.get_label() != "<colorbar>"]).reshape(3, 3)
    assert [a.get_title(loc="left") for a in axs[0]] == [
        "a\nyes 0.90\ntruth: yes", "b\nyes\ntruth: no", "c\nyes 0.51\ntruth: no"]
    assert axs[1, 0].get_xlabel() == "gap 1.2 %" and axs[1, 1].get_xlabel() == "" and axs[2, 2].get_xlabel() == "No map"
    for i in (0, 1):
        top = np.quantile(np.abs(maps[i]), .995)
        assert all(a.images[0].get_clim() == pytest.approx((-top, top)) for a in axs[1+i])
    assert "r = 0.25" in axs[1, 0].get_ylabel() and "fresh" not in axs[2, 0].get_ylabel()
    two = first_wells(one, 2)
    assert two["maps"].shape[:2] == (2, 2) and two["gap"].shape == (2, 2) and list(two["names"]) == ["a", "b"]
    assert list(two["methods"]) == ["saliency", "grad_cam"]
    both = with_wells(two, one)
    assert list(both["names"]) == list("ababc") and both["gap"].shape == (2, 5)
    assert np.array_equal(both["maps"][:, 2:], maps)
    with pytest.raises(ValueError, match="different methods"): with_wells(one, one | dict(methods=np.array(["x", "y"])))
    plt.close("all")


def test_a_cascade_begins_at_one_and_shows_its_intervals():
    import matplotlib.pyplot as plt
    from mic_eval.trust.show_explanations import plot_cascade
    steps = Result(last=Result(cascade=Score(.5, .4, .7), alone=Score(.6)),
                   first=Result(cascade=Score(.1), alone=Score(.2)))
    ax = plot_cascade(dict(grad_cam=Result(steps=steps)))
    path, = (o for o in ax.lines if len(o.get_xdata()) == 3 and o.get_marker() == "o")
    assert path.get_xdata().tolist() == [0, 1, 2] and path.get_ydata().tolist() == [1, .5, .1]
    bars = sorted(tuple(np.round(s[:, 1], 6)) for c in ax.collections for s in c.get_segments())
    assert bars == [(.1, .1), (.4, .7), (1, 1)]
    crosses, = (o for o in ax.lines if o.get_marker() == "x")
    assert crosses.get_ydata().tolist() == [.6, .2]
    assert [t.get_text() for t in ax.get_xticklabels()] == ["trained", "last", "first"]
    plt.close("all")


# faithfulness

def test_what_is_removed_first_and_how_the_area_is_counted():
    "A straight model of four pixels, by hand: the answer 10 - what is left of 1, 2, 3, 4, black behind"
    from mic_eval.trust.faithfulness import removal, sensitivity_n, part_infidelity, infidelity
    net = nn.Sequential(nn.Flatten(), nn.Linear(4, 2)).double().eval()
    with torch.no_grad():
        net[1].weight.copy_(torch.tensor([[0., 0, 0, 0], [1, 2, 3, 4]]))
        net[1].bias.zero_()
    x = np.ones((1, 1, 2, 2))
    order = np.array([[[1., 2], [3, 4]]])
    down = removal(net, x, order, baseline="black", steps=4)
    assert down.curve.y == pytest.approx([1, .6, .3, .1, 0]) and down.area == pytest.approx([(.5+.6+.3+.1)/4])
    assert down.curve.x.tolist() == [0, .25, .5, .75, 1] and down.name == "deletion, black, 4 steps"
    up = removal(net, x, order, baseline="black", insert=True, steps=4)
    assert up.curve.y == pytest.approx([0, .4, .7, .9, 1]) and up.name == "insertion, black, 4 steps"
    coarse = removal(net, x, np.zeros((1, 2, 2)), baseline=np.zeros((1, 2, 2)), steps=2)   # ties: from the first on
    assert coarse.curve.y == pytest.approx([1, .7, 0]) and "given" in coarse.name
    small = removal(net, x*.099, order, baseline="black", steps=4)   # less than one logit: nothing to take away
    enough = removal(net, x*.1001, order, baseline="black", steps=4)
    assert np.isnan(small.area).all() and np.isfinite(enough.area).all()
    assert sensitivity_n(net, x, order, share=.5, draws=9, baseline="black") == pytest.approx([1])
    assert sensitivity_n(net, x, -order, share=.25, draws=9, baseline="black") == pytest.approx([-1])
    assert np.isnan(sensitivity_n(net, x, np.ones((1, 2, 2)), share=.5, baseline="black")).all()
    assert part_infidelity(net, x, 7*order, baseline="black", share=.5) == pytest.approx([0], abs=1e-12)
    assert part_infidelity(net, x, 0*order, baseline="black", share=.5) == [1]
    assert np.isnan(part_infidelity(net, x, order, baseline=np.ones((1, 2, 2)), share=.5)).all()
    assert infidelity(net, x, order[:, None], draws=4) == pytest.approx([0], abs=1e-12)
    off = infidelity(net, x, order[:, None]+[[[[1., 0], [0, 0]]]], sd=.5, draws=4000)
    assert off == pytest.approx([.25], rel=.1)   # one gradient too large by 1: the variance of its noise


def test_a_hole_is_filled_with_the_mean_of_what_is_around_weighed_by_nearness():
    "Rong et al.: 1/6 for the four beside, 1/12 for the four at the corners; outside the picture there is nothing"
    from mic_eval.trust.faithfulness import filled
    v = np.arange(16.).reshape(1, 4, 4)**2
    gone = np.zeros((4, 4), bool)
    gone[1, 2] = True
    beside, corners = v[0][[0, 2, 1, 1], [2, 2, 1, 3]], v[0][[0, 0, 2, 2], [1, 3, 1, 3]]
    out = filled(v, gone)
    assert out[0, 1, 2] == pytest.approx(beside.sum()/6+corners.sum()/12) and (out[:, ~gone] == v[:, ~gone]).all()
    gone[:] = False
    gone[0, 0] = True
    assert filled(v, gone)[0, 0, 0] == pytest.approx((v[0, 0, 1]+v[0, 1, 0]+v[0, 1, 1]/2)/2.5)
    assert filled(v, gone, 3.)[0, 0, 0] == pytest.approx((v[0, 0, 1]+v[0, 1, 0]+v[0, 1, 1]/2)/2.5+3)
    whole = filled(np.stack([v[0], -v[0]]), np.ones((4, 4), bool))
    assert np.allclose(whole, v.mean()*np.array([1, -1])[:, None, None])
    none = filled(v, np.zeros((4, 4), bool))
    assert np.array_equal(none, v) and none is not v
