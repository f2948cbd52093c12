"Explanations against closed forms, axioms and captum; nothing may change by company, and the model stays as it was"
import warnings

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st
from torch import nn

from mic_eval.core.results import NotApplicable
from mic_eval.metrics.localisation import inside_values, localisation, mass_inside
from mic_eval.mic.bubbles import bubble_localisation
from mic_eval.model.load import fingerprint
from mic_eval.trust import attribute
from mic_eval.trust.references import skill, untrained
from mic_eval.trust.shapley import shapley_values
from mic_eval.trust.faithfulness import deletion, insertion
from every import every


def small(seed=0):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Conv2d(4, 6, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(2),
                         nn.Flatten(), nn.Linear(24, 3)).double().eval()


X = np.random.default_rng(0).random((5, 1, 12, 12))


# --- captum as oracle

@pytest.mark.full
def test_captum_says_the_same_of_gradients_and_occlusion():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from captum.attr import InputXGradient, IntegratedGradients, Occlusion, Saliency
    net, x, c = small(), torch.from_numpy(X), [0, 1, 2, 0, 1]
    zero = dict(target=c, baseline="black")
    assert np.allclose(attribute(net, X, "saliency", c).values,
                       Saliency(net).attribute(x.clone().requires_grad_(), target=c).detach(), atol=1e-10)
    assert np.allclose(attribute(net, X, "input_x_gradient", **zero).values,
                       InputXGradient(net).attribute(x.clone().requires_grad_(), target=c).detach(), atol=1e-10)
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
    theirs = LayerAttribution.interpolate(LayerGradCam(net, net[2]).attribute(x, target=1, relu_attributions=False),
                                          (12, 12), "bilinear").relu()
    ours = attribute(net, X, "grad_cam", 1, layer="2")
    assert np.allclose(ours.values, nn.functional.interpolate(LayerGradCam(net, net[2]).attribute(x, target=1).relu(),
                                                              (12, 12), mode="bilinear").detach(), atol=1e-9)
    assert theirs.shape == ours.values.shape


# --- company, state, targets

@every("method", ["saliency", "integrated_gradients", "grad_cam", "occlusion", "shapley",
                  "expected_gradients"])
def test_company_and_order_change_nothing_and_the_model_stays(method):
    net = small().train()
    before, more = fingerprint(net), dict(background=X[:2], draws=20) if method == "expected_gradients" else {}
    a = attribute(net, X, method, "call", **more)
    b = attribute(net, X[[3, 1]], method, "call", **more)
    assert np.allclose(a.values[[3, 1]], b.values, atol=1e-9) and fingerprint(net) == before and net.training
    assert all(p.grad is None and p.requires_grad for p in net.parameters())
    assert not any(m._forward_hooks for m in net.modules())


def test_hooks_go_after_an_error():
    net = small()
    with pytest.raises(ValueError, match="no layer '22'"): attribute(net, X, "grad_cam", layer="22")
    with pytest.raises(ValueError, match="no rows and columns"): attribute(net, X, "grad_cam", layer="6")
    assert not any(m._forward_hooks for m in net.modules())


def test_bad_input_is_one_line():
    net = small()
    for how, said in ((dict(target=3), "class 3 is outside the 3 outputs"),
                      (dict(baseline=np.zeros((2, 2))), "baseline of shape"),
                      (dict(method="ocllusion"), "did you mean 'occlusion'"),
                      (dict(target="truth", y=[0, 1, np.nan, 0, 0]), "row 2 has no known class"),
                      (dict(method="shapley", cells=np.zeros((3, 3))), "cells of shape")):
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
    assert np.isclose(a.sum(), table[-1]-table[0])
    assert np.allclose(shapley_values(lambda z: f(z)+2*g(z), n)["values"], a+2*b)
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


def test_the_overlap_of_a_map_is_that_of_what_reaches_a_share_of_its_maximum():
    "By hand; a map that is nowhere above 0 points at nothing"
    mask = np.array([[1, 1], [0, 0]], bool)
    for level, iou in ((.5, 1/3), (.51, 0), (.25, 2/3), (.2, .5)):   # .5 reaches one half of 1
        assert inside_values([[[.5, .25], [1, .2]]], [mask], ("iou_at",), level=level)["iou_at"] == pytest.approx(iou)
    lows = np.array([[[0, -1], [-1, -1]], [[-.5, -1], [-1, -1]], [[1e-9, 0], [0, 0]]])
    assert np.array_equal(inside_values(lows, [mask]*3, ("iou_at",))["iou_at"], [np.nan, np.nan, .5], equal_nan=True)


def test_auroc_inside_is_scikits():
    from sklearn.metrics import roc_auc_score
    rng = np.random.default_rng(3)
    maps, masks = rng.integers(0, 5, (6, 9, 9)).astype(float), rng.random((6, 9, 9)) < .4
    assert np.allclose(inside_values(maps, masks)["auroc_inside"],
                       [roc_auc_score(m.ravel(), s.ravel()) for s, m in zip(maps, masks)])


def test_bubbles_are_measured_by_the_same_numbers():
    rng = np.random.default_rng(0)
    maps, masks = rng.random((30, 8, 8)), rng.random((30, 8, 8)) < .2
    a, b = bubble_localisation(maps, masks), localisation(maps, masks)
    assert a.mass_inside.as_dict() == b.mass_inside.as_dict() == mass_inside(maps, masks).as_dict()
    assert a.pointing_game.as_dict() == b.pointing_game.as_dict()


def test_skill_is_against_the_best_reference():
    rng = np.random.default_rng(0)
    v, w = rng.random((2, 40))
    s = skill(v+.2, dict(a=v, b=v-.3))
    assert s.best == "a"
    assert np.isclose(float(s.skill), .2)
    assert skill(v, dict(a=w+1)).verdict == "no skill" and skill(v, dict(a=w+1), better="lower").verdict == "skill"


def test_an_untrained_copy_starts_anew_from_its_top_and_leaves_the_rest():
    net = small()
    twin = untrained(net, only=["6"])
    assert torch.equal(twin[0].weight, net[0].weight) and not torch.equal(twin[6].weight, net[6].weight)


def test_deletion_and_insertion_of_a_straight_model():
    line, one, w = nn.Linear(4, 2).double(), np.ones((1, 4)), np.array([[4., 3, 2, 1]])
    with torch.no_grad(): line.weight.copy_(torch.tensor([[0.]*4, [4, 3, 2, 1.]])); line.bias.fill_(.7)
    how = dict(baseline=np.zeros(4), steps=4)
    assert np.isclose(deletion(line, one, w, **how).area, .375)
    assert np.isclose(insertion(line, one, w, **how).area, .625)
    assert np.isclose(deletion(line, one, -w, **how).area, .625)
    assert np.isclose(deletion(line, one, w*0, **how).area, .375)


# --- filled in, stable, left out, attended

def test_a_hole_in_a_ramp_comes_back_and_known_pixels_stay():
    from mic_eval.trust.faithfulness import filled
    rng = np.random.default_rng(0)
    ramp, hole = np.add.outer(np.arange(9.), -3*np.arange(9.))[None].repeat(2, 0), np.zeros((9, 9), bool)
    hole[2:6, 3:7] = True
    assert np.allclose(filled(ramp, hole), ramp)
    any_picture, gone = rng.random((1, 9, 9)), rng.random((9, 9)) < .6
    out = filled(any_picture, gone)
    assert (out[:, ~gone] == any_picture[:, ~gone]).all()
    assert out.min() >= any_picture.min()-1e-9 and out.max() <= any_picture.max()+1e-9


def test_road_turns_with_the_sign_of_the_map():
    from mic_eval.trust.faithfulness import over_baselines
    from mic_eval.trust import road
    net, maps = small(), attribute(small(), X, "input_x_gradient", 1).maps
    a, b = road(net, X, maps, sd=0), road(net, X, -maps, sd=0)
    assert np.allclose(a.gain, -b.gain) and a.name.startswith("road")
    with pytest.raises(ValueError, match="maps of"): road(net, X, maps[:, :4])
    assert set(over_baselines(net, X, dict(one=maps), steps=4).order) == {"median", "blur", "white", "black"}


def test_stability_of_what_cannot_move():
    from mic_eval.trust import local_lipschitz, seed_agreement
    from mic_eval.trust.sanity import map_entropy, maps_under
    line = nn.Sequential(nn.Flatten(), nn.Linear(144, 2)).double()
    assert np.allclose(local_lipschitz(line, X, "saliency", draws=2), 0)
    assert np.allclose(seed_agreement(line, X, "saliency").each, 1)
    mild = maps_under(line, X, "saliency", disturbances=dict(brightness=1))
    assert mild.brightness.signed > .999 or np.isnan(mild.brightness.signed)
    with pytest.raises(ValueError, match="needs two of them"): seed_agreement(line, X, seeds=[0])
    assert np.isnan(map_entropy(np.zeros((1, 3, 3)))).all() and np.isclose(map_entropy(np.ones((1, 3, 3))), 1).all()


@given(st.integers(0, 100))
@settings(max_examples=15, deadline=None)
def test_shuffles_keep_groups_whole_and_strata_closed(seed):
    from mic_eval.trust.shapley import shuffled_rows
    rng = np.random.default_rng(seed)
    g, s = rng.integers(0, 4, 30), rng.integers(0, 3, 30)
    assert sorted(shuffled_rows(30, rng)) == list(range(30)) and (s[shuffled_rows(30, rng, within=s)] == s).all()
    taken = g[shuffled_rows(30, rng, g)]
    assert all(len(set(taken[g == k])) == 1 for k in set(g))


def test_placements_give_the_auroc_and_its_delong_variance():
    from sklearn.metrics import roc_auc_score
    from mic_eval.trust.shapley import permutation_importance, placements
    rng = np.random.default_rng(0)
    y, s = rng.integers(0, 2, 80), rng.integers(0, 9, 80)/8
    p = placements(y, s)
    assert np.isclose(p[y == 1].mean(), roc_auc_score(y, s)) and np.isclose(p[y == 0].mean(), roc_auc_score(y, s))
    ask = lambda Z: np.stack([1-Z[:, 0], Z[:, 0]], 1)
    found = permutation_importance(ask, np.stack([s, rng.random(80)], 1), y, repeats=3)
    assert found["1"].auroc == 0 and found["0"].auroc.n == 80
    with pytest.raises(ValueError, match="no column 7"): permutation_importance(ask, np.ones((80, 2)), y, dict(all=[7]))


class Attends(nn.Module):
    "Nine patches, attention inside a transformer layer's fast path"
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.patch = nn.Conv2d(1, 8, 4, 4)
        self.body = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, 0., batch_first=True), 2,
                                          enable_nested_tensor=False)
        self.head = nn.Linear(8, 3)
    def forward(self, x): return self.head(self.body(self.patch(x).flatten(2).transpose(1, 2)).mean(1))


@pytest.mark.later
def test_attention_is_seen_in_the_fast_path_and_nothing_stays_behind():
    from mic_eval.core.results import NotApplicable
    from mic_eval.trust.attention import attention_by_head
    from mic_eval.trust import attention_weights
    net = Attends().double().eval()
    before, fast = fingerprint(net), torch.backends.mha.get_fastpath_enabled()
    w = attention_weights(net, X)
    assert [v.shape for v in w.values()] == [(5, 2, 9, 9)]*2 and all(np.allclose(v.sum(-1), 1) for v in w.values())
    assert len(attention_by_head(w)) == 4 and torch.backends.mha.get_fastpath_enabled() == fast
    for k in ("attention_rollout", "gradient_rollout"):
        a, b = attribute(net, X, k, 1), attribute(net, X[[3, 1]], k, 1)
        assert a.maps.shape == (5, 12, 12) and np.allclose(a.maps[[3, 1]], b.maps) and np.isfinite(a.maps).all()
    assert fingerprint(net) == before and not any(m._forward_hooks or m._forward_pre_hooks for m in net.modules())
    assert isinstance(attention_weights(small(), X), NotApplicable)


def test_maps_go_to_a_file_in_blocks_and_join_their_rows(tmp_path):
    from mic_eval.core.tables import Predictions
    from mic_eval.trust.attribution import with_maps
    net = small()
    a, b = attribute(net, X, "integrated_gradients", 1, out=tmp_path / "m.npy", block=2), attribute(net, X,
        "integrated_gradients", 1)
    assert isinstance(a.values, np.memmap)
    assert np.allclose(a.values, b.values) and np.allclose(a.gap, b.gap) and (a.evaluations == b.evaluations).all()
    p = Predictions(list("abcdef"), [0, 1, 0, 1, 0, 1], [.1, .9, .2, .8, .3, .7])
    q = with_maps(p, a, list("fbdca"))
    assert np.allclose(q.outputs["saliency"][5], a.maps[0], atol=1e-6) and np.isnan(q.outputs["saliency"][4]).all()


def test_the_example_of_integrated_gradients_paper():
    "min(x1, x2) = x1 - relu(x1 - x2), written as f = relu(relu(x1) - 1 - relu(x2)): at (3, 1) it says 1.5 and -.5"
    class Paper(nn.Module):
        def forward(self, x): f = torch.relu(torch.relu(x[:, 0])-1-torch.relu(x[:, 1])); return torch.stack([0*f, f], 1)
    a = attribute(Paper(), np.array([[3., 1.]]), "integrated_gradients", 1, baseline=np.zeros(2), tolerance=0.,
                  most=2187)
    assert np.allclose(a.values, [[1.5, -.5]], atol=2e-3)


class Bent(nn.Module):
    "Two inputs, each of which counts from a place on"
    def __init__(self, *places): super().__init__(); self.places = torch.tensor(places, dtype=torch.float64)
    def forward(self, X):
        s = (X-self.places).relu().sum(1)
        return torch.stack([-s/2, s/2], 1)


@pytest.mark.parametrize("places, points", [((.111, .666), 41), ((.501, .502), 42), ((.001, .9999), 41)])
def test_a_slope_that_turns_between_two_points_is_integrated_exactly(places, points):
    a = attribute(Bent(*places), np.array([[1., 1.]]), "integrated_gradients", 1, baseline=np.zeros(2))
    assert np.allclose(a.values[0], (1-np.array(places))/2, atol=2e-3 if points > 41 else 1e-12)
    assert a.gap[0] <= .01 and a.evaluations[0] <= 41+10
    few = attribute(Bent(*places), np.array([[1., 1.]]), "integrated_gradients", 1, baseline=np.zeros(2), first=3,
                    tolerance=1e-6, most=300)
    assert np.allclose(few.values[0], (1-np.array(places))/2, atol=1e-3) and few.evaluations[0] < 60
    held = attribute(Bent(*places), np.array([[1., 1.]]), "integrated_gradients", 1, baseline=np.zeros(2), first=3,
                     tolerance=0., most=7)
    assert held.evaluations[0] <= 7


def test_maps_are_held_against_those_of_fresh_weights():
    from scipy.stats import spearmanr
    from mic_eval.trust.explanations import faithful
    net, c = small(), [0, 1, 2, 0, 1]
    a = attribute(net, X, "saliency", c)
    fresh = attribute(untrained(net, 3), X, "saliency", c).maps
    each = [spearmanr(u.ravel(), v.ravel())[0] for u, v in zip(a.maps, fresh)]
    s = faithful(net, X, a, seed=3).forgotten
    assert float(s) == pytest.approx(np.mean(each), abs=1e-6) and s.lo < s < s.hi
    def scores(x): return net(torch.from_numpy(np.asarray(x, float))).softmax(1).detach().numpy()
    assert "forgotten" not in faithful(scores, X, attribute(scores, X, "occlusion", c))


@pytest.mark.later
def test_a_model_without_gradients_is_explained_without_being_told_how(tmp_path, monkeypatch):
    import json
    from pathlib import Path
    import joblib
    from sklearn.ensemble import ExtraTreesClassifier
    from mic_eval.trust.command import explain_command
    monkeypatch.chdir(tmp_path)
    rng, y = np.random.default_rng(0), np.arange(60) % 2
    images = rng.random((60, 1, 8, 8), np.float32)
    images[y == 1, :, :4] *= .2
    joblib.dump(ExtraTreesClassifier(20, random_state=0).fit(images.reshape(60, -1), y), "trees.joblib")
    np.savez("d.npz", images=images, labels=y)
    explain_command("trees.joblib", Path("d.npz"), wells=6, trust=True)
    assert list(json.load(open("explained/explanations.json"))["methods"]) == ["occlusion", "shapley"]


def test_a_method_that_the_model_does_not_answer_names_the_picture_and_costs_the_others_nothing():
    from mic_eval.core.questions import Subject
    from mic_eval.core.results import NotApplicable
    from mic_eval.model.predict import predict
    from mic_eval.data.manifest import data_set
    from mic_eval.trust.explanations import evaluate_explanations
    class Fussy(nn.Module):
        "Fine on pictures as they are; not where the corner of the fourth is neither white nor whole"
        def __init__(self): super().__init__(); self.net = small()
        def forward(self, v):
            corner, rest = v[:, 0, 0, 0], v[:, 0, -1, -1]
            if ((corner > .6) & (corner < .999) & (rest > .4)).any(): raise RuntimeError("half a corner")
            return self.net(v)
    pictures = (X*255).astype(np.uint8)[:, 0]//2
    pictures[3, 0, 0] = 255
    pictures[3, -1, -1] = 127
    data = data_set(pictures, [0, 1, 0, 1, 0], dict(sample_id=list("abcde")))
    net = Fussy()
    p = predict(nn.Sequential(net, nn.Linear(3, 2).double()), data, kind="logit")
    model = nn.Sequential(net, nn.Linear(3, 2).double())
    found = evaluate_explanations(p, Subject(model, data), ("integrated_gradients", "occlusion"), rendered=0,
                                  baselines=("black",))
    lost = found.methods.integrated_gradients
    assert isinstance(lost, NotApplicable) and lost.reason == (
        "row d: the model raised RuntimeError: half a corner; leave out what has no answer, or mend the model")
    assert not isinstance(found.methods.occlusion, NotApplicable)


def spotted(n, seed=0):
    "Pictures whose class is a bright corner"
    rng = np.random.default_rng(seed)
    y, x = np.arange(n) % 2, rng.random((n, 1, 12, 12)).astype(np.float32)*.4
    x[y == 1, :, :4, :4] += .5
    return x, y


class OneAnswer(torch.nn.Module):
    "A network of one answer for the second class, or a mapping of it, as logit or probability"
    def __init__(self, kind, named=False):
        super().__init__()
        self.body, self.kind, self.named = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(144, 1)), kind, named

    def forward(self, x):
        z = self.body(x)
        z = torch.sigmoid(z) if self.kind == "prob" else z
        return dict(logits=z[:, 0]) if self.named else z


@pytest.mark.later
@pytest.mark.parametrize("kind,named", [("logit", False), ("prob", False), ("logit", True)])
def test_a_twin_is_trained_whatever_its_answers_are_and_the_network_stays(kind, named):
    from mic_eval.trust.access import access
    from mic_eval.trust.sanity import label_shuffle_test, trained_anew
    (x, y), net = spotted(96), OneAnswer(kind, named)
    a, before = access(net, kind=kind), [w.clone() for w in net.parameters()]
    twin = trained_anew(a, x, y, steps=80)
    with twin.opened() as asked: called = asked.all_logits(asked.tensor(x)).argmax(1).numpy()
    assert (called == y).mean() > .95 and all(torch.equal(v, w) for v, w in zip(before, net.parameters()))
    found = label_shuffle_test(lambda labels: trained_anew(a, x, labels, steps=80), y, x[:8], "input_x_gradient")
    assert found.verdict == "passes" and found.signed.n == 8


def asked_of(name, net, labels, **settings):
    import pandas as pd
    from mic_eval.core.questions import Subject, applied
    from mic_eval.core.tables import Predictions
    from mic_eval.trust import questions as _   # registers them
    from mic_eval.trust.worst_case import data_set
    x, _ = spotted(len(labels))
    p = Predictions([f"s{i}" for i in range(len(x))], labels, np.full(len(x), .5))
    data = data_set(x, labels.astype(float), pd.DataFrame(dict(sample_id=p.sample_id)))
    return applied(name, p, (), 0, subject=Subject(net, data, None), settings=settings)


def test_a_twin_that_learned_nothing_says_nothing():
    _, y = spotted(60)
    coin = np.random.default_rng(3).integers(0, 2, 60)
    found = asked_of("label_shuffle", OneAnswer("logit"), y, methods=["input_x_gradient"], wells=4, steps=80)
    assert found.learned > .9 and found.input_x_gradient.verdict == "passes"
    found = asked_of("label_shuffle", OneAnswer("logit"), coin, methods=["saliency"], wells=4, steps=1)
    assert isinstance(found, NotApplicable) and "the twin learned nothing of its true labels in 1 steps" in found.reason


def test_the_map_of_a_straight_network_moves_not_at_all():
    _, y = spotted(60)
    found = asked_of("map_stability", OneAnswer("logit"), y, methods=["saliency"], wells=6).saliency
    assert found.max_sensitivity == 0 and found.lipschitz == 0 and found.under.shift.signed.n <= 6


@pytest.mark.later
def test_a_run_explains_a_classifier_of_any_pictures_and_renders_no_wells_for_it(tmp_path):
    from PIL import Image
    from mic_eval.run.evaluation import make_run
    g = np.random.default_rng(0)
    for name, grey in (("cell", 90), ("worm", 160)):
        (tmp_path/"set"/name).mkdir(parents=True)
        for i in range(10):
            picture = np.clip(g.normal(grey, 20, (16, 16)), 0, 255).astype(np.uint8)
            Image.fromarray(picture).save(tmp_path/"set"/name/f"{i}.png")
    class Light(nn.Module):
        def __init__(self): super().__init__(); self.layer, self.last = nn.Conv2d(1, 2, 3, padding=1), nn.Linear(2, 2)
        def forward(self, x): return self.last(torch.relu(self.layer(x)).mean((2, 3)))
    torch.manual_seed(0)
    asked = dict(explanations=dict(wells=4), sanity=dict(wells=3), twins={}, decision_boundary={})
    suite = dict(title="t", layers=dict(interpretability=asked))
    found = make_run(Light().eval(), tmp_path/"set", suite=suite, out=tmp_path/"runs").result
    assert set(found.explanations.methods) == {"integrated_gradients", "grad_cam"}
    assert list(found.sanity.integrated_gradients.steps) and "bubbles" not in found.explanations
    for k in ("twins", "decision_boundary"): assert "rendered wells say nothing" in str(found[k].reason)


@pytest.mark.later
def test_a_network_without_rows_and_columns_is_tested_by_the_other_methods(tmp_path, monkeypatch):
    "Sanity, stability and shuffled labels were refused whole, since Grad-CAM wants a layer with rows and columns"
    from mic_eval.run.evaluation import make_run
    torch.manual_seed(0)
    net = nn.Sequential(nn.Flatten(), nn.Linear(64, 8), nn.ReLU(), nn.Linear(8, 2)).eval()
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    np.savez(tmp_path/"dark.npz", images=(rng.random((40, 8, 8))*.4+y[:, None, None]*.5).astype("f4"), labels=y)
    asks = dict(sanity={"wells": 4, "steps": 1}, map_stability=dict(wells=4, draws=1), label_shuffle=dict(wells=4))
    suite = dict(title="maps", layers=dict(basic={}, interpretability=asks))
    r = make_run(net, str(tmp_path/"dark.npz"), suite=suite, profile="none", version="1", out=tmp_path/"runs")
    for k in asks: assert [m for m in r.result[k] if m != "learned"] == ["integrated_gradients"], r.result[k]
    asks["sanity"]["methods"] = ["grad_cam"]
    r = make_run(net, str(tmp_path/"dark.npz"), suite=suite, profile="none", version="1", out=tmp_path/"runs")
    assert "rows and columns" in str(r.result["sanity"])
