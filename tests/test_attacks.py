"""Attacks against closed forms: straight models whose worst case is known exactly, scales, bounds, company, and bad
input"""
import numpy as np
import pytest
import torch
from torch import nn

from mic_eval.trust import Space, access, apgd, cw, ddn, fgsm, fmn, pgd, square, uniform_noise, worst_case
from mic_eval.trust.access import table_space
from mic_eval.model.load import fingerprint
from every import every


def straight(w, b):
    "A torch model with logits (-s/2, s/2), s = w x + b"
    net = nn.Linear(len(w), 2).double()
    with torch.no_grad():
        net.weight.copy_(torch.tensor(np.stack([-w/2, w/2])))
        net.bias.copy_(torch.tensor([-b/2, b/2]))
    return net


@pytest.fixture(scope="module")
def cancer():
    "A logistic regression on breast cancer data: rows, truths, weights of the raw columns, intercept, the estimator"
    from sklearn.datasets import load_breast_cancer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(X[:400], y[:400])
    scale, line = model[0], model[1]
    w = line.coef_[0]/scale.scale_
    return X, y, w, float(line.intercept_[0]-w @ scale.mean_), model, table_space(X[:400], held=[0, 3])


def exact(X, y, w, b, space, r):
    """Which rows can be broken within radius r (norm inf), bounds and held columns included: a straight model in
    closed form"""
    sign = np.where(y == 1, 1, -1)
    harm = -sign[:, None]*np.sign(w)   # direction that lowers the margin
    room = np.where(harm > 0, space.high-X, X-space.low)
    return sign*(X @ w+b)-(np.abs(w)*np.minimum(r*space.scale, room)).sum(1) < 0


@pytest.mark.later
@pytest.mark.parametrize("r", [0, .05, .2, .5])
def test_straight_model_with_binding_bounds_is_broken_exactly_where_it_must(cancer, r):
    X, y, w, b, _, space = cancer
    inside = ((X >= space.low) & (X <= space.high)).all(1)
    X, y = X[inside][:200], y[inside][:200]
    want = exact(X, y, w, b, space, r)
    for found in (fgsm(straight(w, b), X, y, r, space=space),
                  pgd(straight(w, b), X, y, r, space=space, steps=10, step=.5),
                  apgd(straight(w, b), X, y, r, space=space, steps=20)):
        assert found.broken.tolist() == want.tolist()
        assert (found.images >= space.low).all()
        assert (found.images <= space.high).all() and (found.images[:, [0, 3]] == X[:, [0, 3]]).all()


def test_heart_data_in_closed_form():
    "UCI heart data, logistic regression on six columns, sex held"
    import pandas as pd
    from sklearn.linear_model import LogisticRegression
    from mic_eval.data.real import shipped
    d = pd.read_csv(shipped("heart"), na_values="?").query("hospital == 'cleveland'").drop(columns="hospital").dropna()
    X, y = d.iloc[:, [0, 1, 3, 4, 7, 9]].to_numpy(float), (d.iloc[:, 13] > 0).to_numpy(int)
    space = table_space(X, held=[1])
    Z = (X-X.mean(0))/X.std(0)
    line = LogisticRegression().fit(Z, y)
    w = line.coef_[0]/X.std(0)
    b = float(line.intercept_[0]-w @ X.mean(0))
    for r in (.1, .3):
        assert apgd(straight(w, b), X, y, r, space=space, steps=10).broken.sum() == exact(X, y, w, b, space, r).sum()


@pytest.mark.later
def test_distances_of_a_straight_model():
    g = np.random.default_rng(0)
    w, X = g.normal(size=6), .3+.4*g.random((30, 6))
    y = (X @ w-.1 >= 0).astype(int)
    m = np.abs(X @ w-.1)
    near = m/np.abs(w).sum() < .2   # far from every bound
    assert np.allclose(fmn(straight(w, -.1), X, y, steps=60).distance[near], (m/np.abs(w).sum())[near], atol=1e-3)
    close = m/np.linalg.norm(w) < .2
    for attack in (ddn, cw):
        assert np.allclose(attack(straight(w, -.1), X, y, steps=100).distance[close], (m/np.linalg.norm(w))[close],
                           atol=2e-3)
    r = .05
    assert (fgsm(straight(w, -.1), X, y, r, "2").broken == (m < r*np.linalg.norm(w))).all()


class Small(nn.Module):
    def __init__(self, k=1., classes=2, seed=0):
        super().__init__()
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.net, self.k = nn.Sequential(nn.Flatten(), nn.Linear(25, 16), nn.Tanh(), nn.Linear(16, classes)), k
    def forward(self, x): return self.net(x)*self.k


x = np.random.default_rng(3).random((40, 1, 5, 5)).astype(np.float32)
def calls(net): return access(net) and net(torch.from_numpy(x)).argmax(1).numpy()


@pytest.mark.later
@every("attack", [fgsm, pgd, apgd, uniform_noise, square])
@every("norm", ["inf", "2"])
def test_logits_times_128_change_nothing(attack, norm):
    one, loud, y = Small(), Small(128.), calls(Small())
    a, b = attack(one, x, y, .1, norm), attack(loud, x, y, .1, norm)
    assert (a.images == b.images).all() and (a.broken == b.broken).all() and (b.margin == 128*a.margin).all()


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_two_three_and_more_classes(classes):
    net = Small(classes=classes)
    y = calls(net)
    w = worst_case(net, (x, y), (.02, .1, .3), budget=dict(steps=10, minimal=10, queries=20, draws=1))
    assert (w.start >= 0).all() and (np.diff(w.broken.astype(int), axis=1) >= 0).all() and w.broken[:, 2].sum() > 0
    for kind in ("margin", "dlr", "targeted"): assert apgd(net, x, y, 0., loss=kind, steps=3).broken.sum() == 0


def test_more_radius_restarts_and_steps_never_leave_more():
    net, y = Small(), calls(Small())
    broken = lambda **how: pgd(net, x, y, how.pop("radius", .08), **how).broken
    assert (broken(restarts=1, steps=5) <= broken(restarts=3, steps=5)).all()
    assert apgd(net, x, y, .05, steps=20).broken.sum() <= apgd(net, x, y, .1, steps=20).broken.sum()
    assert worst_case(net, (x, y), (.1,), budget=dict(steps=5, queries=5, draws=1)).broken.sum() <= worst_case(net,
        (x, y), (.1,), budget=dict(steps=30, queries=60, draws=1)).broken.sum()


@pytest.mark.later
@pytest.mark.parametrize("attack", [pgd, apgd, uniform_noise, square, fmn])
def test_company_and_order_change_nothing(attack):
    net, y, g = Small(), calls(Small()), np.random.default_rng(0).permutation(40)
    how = {} if attack is fmn else dict(radius=.08)
    a = attack(net, x, y, **how)
    b = attack(net, x[g], y[g], **how, batch_size=7)
    c = attack(net, x[:3], y[:3], **how)
    assert np.allclose(a.images[g], b.images, atol=1e-5)
    assert np.allclose(a.images[:3], c.images, atol=1e-5) and (a.broken[g] == b.broken).all()


def test_the_model_is_left_as_it_was_also_after_an_error():
    class Breaks(Small):
        def forward(self, x):
            if len(x) == 3: raise RuntimeError("no")
            return super().forward(x)
    net = Breaks().train()
    net.net.append(nn.Dropout(.5))
    net.net[1].eval()
    net.net[1].weight.requires_grad_(False)
    before = fingerprint(net), [m.training for m in net.modules()], [p.requires_grad
                                                                     for p in net.parameters(
                                                                         )], torch.random.get_rng_state(
                                                                             ).tolist(), np.random.get_state(
                                                                                 )[1].tolist()
    pgd(net, x[:4], calls(Small())[:4], .01, steps=2)
    with pytest.raises(ValueError, match="the model raised RuntimeError: no"): pgd(net, x[:3], [0, 0, 0], .01)
    assert before == (fingerprint(net), [m.training for m in net.modules()],
                      [p.requires_grad for p in net.parameters()], torch.random.get_rng_state().tolist(),
                      np.random.get_state()[1].tolist())


def test_direction_touches_only_the_other_class():
    net = Small()
    y = calls(net)
    to = pgd(net, x, y, .3, direction="growth", steps=10)
    assert not to.broken[y == 1].any()
    assert (to.images[y == 1] == x[y == 1]).all() and (to.broken == pgd(net, x, y, .3, steps=10).broken)[y == 0].all()


@pytest.mark.later
def test_estimators_functions_and_thresholds(cancer):
    X, y, w, b, model, space = cancer
    inside = ((X >= space.low) & (X <= space.high)).all(1)
    X, y = X[inside][:30], y[inside][:30]
    found = worst_case(model, (X, y), (.1, .5), space=space, budget=dict(queries=80, draws=3))
    assert found.allows == "scores" and (found.broken <= exact(X, y, w, b, space, .5)[:, None]).all()
    assert ((found.start < 0) == (model.predict(X) != y)).all()
    strict = access(model, threshold=.9)
    assert ((uniform_noise(strict, X, y, 0., space=space).start < 0)
            == ((model.predict_proba(X)[:, 1] >= .9) != y)).all()


class Numb(nn.Module):
    def forward(self, x): return x.flatten(1)[:, :2]*float("nan")
class Drops(Small):
    def __init__(self): super().__init__(); self.drop = nn.Dropout(.5)
    def train(self, mode=True): super().train(mode); self.drop.training = True; return self
    def forward(self, x): return super().forward(self.drop(x))


@every("call, says", [
    (lambda: pgd(Small(), x, [0]*40, -.1), "from 0 upwards"),
                      (lambda: pgd(Small(), x, [0]*40, float("nan")), "from 0 upwards"),
    (lambda: pgd(Small(), x, [0]*40, 8), "grey levels"), (lambda: pgd(Small(), x*2, [0]*40, .1), "outside its bounds"),
    (lambda: pgd(Small(), x, [7]*40, .1), "2 classes"), (lambda: pgd(Numb(), x, [0]*40, .1), "nan or infinity"),
    (lambda: pgd(Drops(), x, [0]*40, .1), "dropout is still active in 'drop'"),
                      (lambda: pgd(Small(), x, [0]*39, .1), "different lengths"),
    (lambda: pgd(Small(), x, [0]*40, .1, "1"), "norm must be"),
                      (lambda: pgd(Small(), x, [0]*40, .1, steps=0), "at least 1"),
    (lambda: access(3), "is no model"), (lambda: pgd(Small(), x, [0]*40, .1, kind="score"), "have no call"),
    (lambda: ddn(Small(), x, [0]*40, "inf"), "norm '2'")])
def test_bad_input_is_one_line(call, says):
    with pytest.raises(ValueError, match=says) as e: call()
    assert "\n" not in str(e.value)


def test_attacks_of_least_change_walk_as_far_as_each_other_where_nothing_is_said():
    "And each asks for as many gradients as it says"
    from mic_eval.trust.minimal import ddn, fmn
    x = np.random.default_rng(0).random((3, 1, 4, 4), np.float32)
    net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(16, 2))
    y = net(torch.from_numpy(x)).argmax(1).numpy()
    asked = [f(net, x, y, norm="2").evaluations for f in (ddn, fmn)]
    few = [f(net, x, y, norm="2", steps=60).evaluations for f in (ddn, fmn)]
    assert (asked[0]-few[0]).tolist() == (asked[1]-few[1]).tolist() == [40]*3
