"Explanations against closed forms, axioms and captum; nothing may change by company, and the model stays as it was"
import warnings

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st
from torch import nn

from mic_eval.metrics.localisation import inside_values, localisation, mass_inside
from mic_eval.mic.bubbles import bubble_localisation
from mic_eval.model.load import fingerprint
from mic_eval.trust import attribute, skill, untrained
from mic_eval.trust.coalitions import shapley_values
from mic_eval.trust.faithfulness import deletion, insertion


def small(seed=0):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Conv2d(4, 6, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(24, 3)).double().eval()


X = np.random.default_rng(0).random((5, 1, 12, 12))


# --- captum as oracle

def test_captum_says_the_same_of_gradients_and_occlusion():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from captum.attr import InputXGradient, IntegratedGradients, Occlusion, Saliency
    net, x, c = small(), torch.from_numpy(X), [0, 1, 2, 0, 1]
    zero = dict(target=c, baseline="black")
    assert np.allclose(attribute(net, X, "saliency", c).values, Saliency(net).attribute(x.clone().requires_grad_(), target=c).detach(), atol=1e-10)
    assert np.allclose(attribute(net, X, "input_x_gradient", **zero).values, InputXGradient(net).attribute(x.clone().requires_grad_(), target=c).detach(), atol=1e-10)
    exact = IntegratedGradients(net).attribute(x, torch.zeros_like(x), target=c, n_steps=2000).numpy()
    ours = attribute(net, X, "integrated_gradients", **zero, tolerance=0., most=729)
    assert np.abs(ours.values-exact).max() < 2e-2*np.abs(exact).max() and ours.gap.max() <= 1e-3
    theirs = Occlusion(net).attribute(x, sliding_window_shapes=(1, 3, 3), strides=(1, 3, 3), baselines=0, target=c)
    assert np.allclose(attribute(net, X, "occlusion", **zero, window=3, stride=3).values, theirs, atol=1e-10)


def test_grad_cam_is_captums_layer_grad_cam():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from captum.attr import LayerAttribution, LayerGradCam
    net, x = small(), torch.from_numpy(X)
    theirs = LayerAttribution.interpolate(LayerGradCam(net, net[2]).attribute(x, target=1, relu_attributions=False), (12, 12), "bilinear").relu()
    ours = attribute(net, X, "grad_cam", 1, layer="2")
    assert np.allclose(ours.values, nn.functional.interpolate(LayerGradCam(net, net[2]).attribute(x, target=1).relu(), (12, 12), mode="bilinear").detach(), atol=1e-9)
    assert theirs.shape == ours.values.shape


# --- company, state, targets

@pytest.mark.parametrize("method", ["saliency", "integrated_gradients", "grad_cam", "occlusion", "shapley", "expected_gradients"])
def test_company_and_order_change_nothing_and_the_model_stays(method):
    net = small().train()
    before, more = fingerprint(net), dict(background=X[:2], draws=20) if method == "expected_gradients" else {}
    a = attribute(net, X, method, "call", **more)
    b = attribute(net, X[[3, 1]], method, "call", **more)
    assert np.allclose(a.values[[3, 1]], b.values, atol=1e-9) and fingerprint(net) == before and net.training
    assert all(p.grad is None and p.requires_grad for p in net.parameters()) and not any(m._forward_hooks for m in net.modules())


def test_hooks_go_after_an_error():
    net = small()
    with pytest.raises(ValueError, match="no layer '22'"): attribute(net, X, "grad_cam", layer="22")
    with pytest.raises(ValueError, match="no rows and columns"): attribute(net, X, "grad_cam", layer="6")
    assert not any(m._forward_hooks for m in net.modules())


def test_bad_input_is_one_line():
    net = small()
    for how, said in ((dict(target=3), "class 3 is outside the 3 outputs"), (dict(baseline=np.zeros((2, 2))), "baseline of shape"), (dict(method="ocllusion"), "did you mean 'occlusion'"),
                      (dict(target="truth", y=[0, 1, np.nan, 0, 0]), "row 2 has no known class"), (dict(method="shapley", cells=np.zeros((3, 3))), "cells of shape")):
        with pytest.raises(ValueError, match=said) as e: attribute(net, X, **how)
        assert "\n" not in str(e.value)
    with pytest.raises(ValueError, match="finite"): attribute(net, X*np.nan)
    assert attribute(net, np.full((1, 1, 12, 12), .3)).degenerate.all()


# --- Shapley

@given(st.integers(2, 6), st.integers(0, 50))
@settings(max_examples=20, deadline=None)
def test_shapley_keeps_its_axioms(n, seed):
    rng = np.random.default_rng(seed)
    table, other = rng.normal(size=2**n), rng.normal(size=2**n)
    at = lambda z: (z*2**np.arange(z.shape[1])).sum(1)
    f, g = lambda z: table[at(z)], lambda z: other[at(z)]
    a, b = (shapley_values(o, n)["values"] for o in (f, g))
    assert np.isclose(a.sum(), table[-1]-table[0]) and np.allclose(shapley_values(lambda z: f(z)+2*g(z), n)["values"], a+2*b)
    dummy = shapley_values(lambda z: table[at(z[:, :n])], n+1)["values"]
    assert np.isclose(dummy[-1], 0) and np.allclose(dummy[:-1], a)
    same = shapley_values(lambda z: z[:, 0]*1.*z[:, 1], n)["values"]
    assert np.allclose(same[:2], .5)


def test_draws_come_near_the_exact_values_and_know_by_how_much():
    rng = np.random.default_rng(1)
    w = rng.normal(size=(12, 6))
    game = lambda z: np.tanh(z @ w).sum(1)
    exact = shapley_values(game, 12)["values"]
    off = np.array([np.abs(shapley_values(game, 12, 200, seed)["values"]-exact) for seed in range(5)])
    said = shapley_values(game, 12, 200)["error"].mean()
    assert off.mean() < .1*np.abs(exact).mean() and .3 < said/np.sqrt((off**2).mean()) < 3
    assert np.isclose(shapley_values(game, 12, 200)["values"].sum(), exact.sum())


# --- localisation, skill, faithfulness

def test_random_maps_have_the_area_and_one_half():
    rng = np.random.default_rng(0)
    maps, masks = rng.random((200, 16, 16)), rng.random((200, 16, 16)) < .3
    found = localisation(maps, masks, groups=np.arange(200)//10)
    assert abs(found.mass_inside-found.area) < .01 and abs(found.auroc_inside-.5) < .01 and found.left_out == 0
    assert np.allclose(inside_values(maps*7+2, masks)["auroc_inside"], inside_values(maps, masks)["auroc_inside"])


def test_auroc_inside_is_scikits():
    from sklearn.metrics import roc_auc_score
    rng = np.random.default_rng(3)
    maps, masks = rng.integers(0, 5, (6, 9, 9)).astype(float), rng.random((6, 9, 9)) < .4
    assert np.allclose(inside_values(maps, masks)["auroc_inside"], [roc_auc_score(m.ravel(), s.ravel()) for s, m in zip(maps, masks)])


def test_bubbles_are_measured_by_the_same_numbers():
    rng = np.random.default_rng(0)
    maps, masks = rng.random((30, 8, 8)), rng.random((30, 8, 8)) < .2
    a, b = bubble_localisation(maps, masks), localisation(maps, masks)
    assert a.mass_inside.as_dict() == b.mass_inside.as_dict() == mass_inside(maps, masks).as_dict() and a.pointing_game.as_dict() == b.pointing_game.as_dict()


def test_skill_is_against_the_best_reference():
    rng = np.random.default_rng(0)
    v, w = rng.random((2, 40))
    s = skill(v+.2, dict(a=v, b=v-.3))
    assert s.best == "a" and np.isclose(float(s.skill), .2) and skill(v, dict(a=w+1)).verdict == "no skill" and skill(v, dict(a=w+1), better="lower").verdict == "skill"


def test_an_untrained_copy_starts_anew_from_its_top_and_leaves_the_rest():
    net = small()
    twin = untrained(net, only=["6"])
    assert torch.equal(twin[0].weight, net[0].weight) and not torch.equal(twin[6].weight, net[6].weight)


def test_deletion_and_insertion_of_a_straight_model():
    line, one, w = nn.Linear(4, 2).double(), np.ones((1, 4)), np.array([[4., 3, 2, 1]])
    with torch.no_grad(): line.weight.copy_(torch.tensor([[0.]*4, [4, 3, 2, 1.]])); line.bias.fill_(.7)
    how = dict(baseline=np.zeros(4), steps=4)
    assert np.isclose(deletion(line, one, w, **how).area, .375) and np.isclose(insertion(line, one, w, **how).area, .625)
    assert np.isclose(deletion(line, one, -w, **how).area, .625) and np.isclose(deletion(line, one, w*0, **how).area, .375)
