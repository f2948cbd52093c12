"""Models that say little: calls alone, rounded inputs, random answers; and what a limit makes of them"""
import numpy as np
import pytest
import torch
from torch import nn

from mic_eval.core.criteria import Criterion, Profile, judge, judge_one
from mic_eval.core.results import Score
from mic_eval.data.manifest import data_set
from mic_eval.trust import Space, access, attacked_predictions, evaluate_attacks, worst_case
from mic_eval.trust.attack_checks import CHECKS, attack_checks, doubted, doubted_attacks
from mic_eval.trust.command import attack_verdict
from mic_eval.trust.decision_attacks import hop_skip, rays, stand_in, transferred
from mic_eval.trust.worst_case import worst_case_of

w = np.array([1., -2., .5, .5, 1.5, -.5])
x, y = np.random.default_rng(0).uniform(.3, .7, (20, 6)), None
m = x @ w-.5
y = (m > 0).astype(int)
called = access(lambda X: np.eye(2)[(X @ w-.5 > 0).astype(int)], allows="calls")


@pytest.mark.later
def test_calls_alone_find_the_nearest_harm_of_a_straight_model():
    by_signs, by_slope = rays(called, x, y, calls=400), hop_skip(called, x, y, calls=1500)
    assert np.allclose(by_signs.distance, np.abs(m)/np.abs(w).sum(), atol=3e-3)
    exact = np.abs(m)/np.linalg.norm(w)
    assert (by_slope.distance >= exact-1e-6).all() and np.median(by_slope.distance/exact) < 1.05
    for found in (by_signs, by_slope):
        assert (found.images >= 0).all() and (found.images <= 1).all()
        assert ((found.images @ w-.5 > 0) != (y == 1)).all()


def test_held_columns_and_the_budget_of_calls_are_kept():
    space = Space(scale=np.array([1., 0, 1, 1, 1, 1]))
    for attack in (rays, hop_skip):
        found = attack(called, x, y, "inf", calls=90, space=space)
        assert (found.images[:, 1] == x[:, 1]).all()
        assert (found.evaluations <= 90+45).all()   # a walk that has begun is finished


@pytest.mark.later
def test_a_stand_in_of_a_straight_model_points_its_way():
    net = stand_in(called, x, rounds=4)
    right = (net(torch.tensor(x)).argmax(1).numpy() == y).mean()
    found = transferred(called, x, y, .3, other=net)
    assert right > .8 and found.broken.mean() > .7
    again = transferred(called, x, y, .3, other=stand_in(called, x, rounds=4))
    assert (again.images == found.images).all()


class Named:
    def predict(self, X): return (X @ w-.5 > 0).astype(int)


class Shaky(nn.Module):
    def forward(self, X):
        s = X.float() @ torch.tensor(w, dtype=torch.float32)-.5+.1*torch.randn(len(X))
        return torch.stack([-s/2, s/2], 1)


class Rounded(nn.Module):
    def forward(self, X):
        s = (X*8).round()/8 @ torch.tensor(w, dtype=X.dtype)-.5
        return torch.stack([-s/2, s/2], 1)


@pytest.mark.later
def test_an_object_that_only_predicts_is_attacked():
    found = worst_case(Named(), (x, y), (.05, .1), budget="quick")
    exact = (np.abs(m)[:, None] <= np.array([.05, .1])*np.abs(w).sum())
    assert found.allows == "calls" and (found.broken == exact).mean() > .95


@pytest.mark.later
def test_the_number_of_a_random_model_is_a_share_of_draws():
    found = worst_case(Shaky(), (x, y), (.03,), budget="quick")
    torch.manual_seed(9)
    fresh = [(Shaky()(torch.tensor(found.images[0])).argmax(1).numpy() == y).mean() for _ in range(200)]
    assert abs(found.held[:, 1].mean()-np.mean(fresh)) < .03
    state = attack_checks(Shaky(), (x, y), found, samples=8).checks.set_index("check").verdict
    assert state["random_answers"] == "fine"


@pytest.mark.later
def test_rounding_hides_nothing():
    found = worst_case(Rounded(), (x, y), (.1, .2), budget="quick")
    plain = (np.abs(m)[:, None] > np.array([.1, .2])*np.abs(w).sum()).mean(0)
    assert ((~found.broken).mean(0) <= plain+.1).all(), (found, plain)


@pytest.mark.parametrize("score, status", [(Score(.97, .95, .99, n=60), "insufficient n"),
                                           (Score(.05, .02, .12, n=60), "fail")])
def test_what_is_withheld_can_fail_and_never_pass(score, status):
    kept = doubted(score, "the model gives calls alone")
    for on in ("value", "lo", "hi", "bound"):
        assert judge_one(Criterion("adversarial_robustness", .9, "min", on=on), kept).status == status


@pytest.mark.later
def test_no_number_of_attacks_that_cannot_be_believed_meets_a_limit():
    p = attacked_predictions(called, (x, y), (.001, .002), budget="quick")
    p.facts["site"] = np.where(np.arange(len(p)) % 20 < 10, "a", "b")
    found, why = evaluate_attacks(p, by=("site",)), "the model gives calls alone"
    asked = [Criterion(k, .1, "min", on="value") for k in ("adversarial_robustness", "robust_accuracy",
                                                           "robust_accuracy_8bit")]
    asked += [Criterion(k, .9, "max", on="value") for k in ("attack_success", "missed_growth", "false_growth", "drop")]
    asked.append(Criterion("adversarial_robustness", .1, "min", on="worst", by="site"))
    limits = Profile("p", tuple(asked))
    assert [j.status for j in judge(found, limits).judged] == ["pass"]*8
    assert [j.status for j in judge(doubted_attacks(found, why), limits).judged] == ["insufficient n"]*8
    strict = Profile("p", (Criterion("robust_accuracy", 1.5, "min", on="value"),))
    assert judge(doubted_attacks(found, why), strict).status == "fail"
    robust = Profile("p", (Criterion("robust_accuracy", .1, "min", on="value"),), pooled=True)
    assert [attack_verdict(p, doubt, robust).status for doubt in ("", why)] == ["pass", "insufficient n"]


class TwoSizes(nn.Module):
    "Reads a whole batch at one of two sizes, drawn anew each time"
    def forward(self, X):
        X = X.float() if torch.rand(()) < .5 else X.float().view(-1, 3, 2).mean(2).repeat_interleave(2, 1)
        s = X @ torch.tensor(w, dtype=torch.float32)-.5
        return torch.stack([-s/2, s/2], 1)


@pytest.mark.later
@pytest.mark.parametrize("seed", range(4))   # two answers alone are alike for two of these seeds
def test_a_model_that_draws_one_of_two_sizes_is_random(seed):
    found = worst_case(TwoSizes(), (x, y), (.03,), budget="quick", seed=seed)
    torch.manual_seed(9)
    fresh = [(TwoSizes()(torch.tensor(found.images[0])).argmax(1).numpy() == y).mean() for _ in range(400)]
    assert found.held is not None and abs(found.held[:, 1].mean()-np.mean(fresh)) < .075   # 3 standard deviations


class Saturated(Shaky):
    "Random, and behind a softmax that leaves no gradient"
    def forward(self, X): return (200*super().forward(X)).softmax(1).round()


@pytest.mark.later
def test_of_a_random_model_luck_is_no_alarm_and_a_mask_is_one():
    found = worst_case(TwoSizes(), (x, y), (.03, .1), budget="quick")
    checks = attack_checks(TwoSizes(), (x, y), found, samples=8)
    assert checks.checks.set_index("check").verdict["black_box_wins"] == "cannot tell" and not checks.fired
    masked = access(Saturated(), kind="prob")
    assert "zero_gradients" in attack_checks(masked, (x, y), worst_case(masked, (x, y), (.03,), budget="quick")).fired


def test_answers_of_another_width_are_no_random_model():
    asked = []
    def grows(X):
        asked.append(1)
        return np.tile([.4, .6] if len(asked) < 3 else [.2, .3, .5], (len(X), 1))
    with pytest.raises(ValueError, match="the model returned 2 scores a sample, then 3"):
        worst_case(grows, (x, y), (.03,), budget="quick")


@pytest.mark.parametrize("width", [1, 4])
def test_an_estimator_whose_columns_are_not_its_classes_is_named(width):
    class Odd:
        classes_ = np.arange(3)
        def predict_proba(self, X): return np.full((len(X), width), .25)
    with pytest.raises(ValueError, match=rf"the model has 3 classes, and predict_proba gave shape \(6, {width}\)"):
        with access(Odd()).opened() as asked: asked.all_logits(torch.zeros(6, 6))


def test_an_estimator_that_names_no_classes_has_as_many_as_its_columns():
    class Plain:
        def predict_proba(self, X): return np.tile([.2, .3, .5], (len(X), 1))
    with access(Plain()).opened() as asked: assert asked.all_logits(torch.zeros(2, 6)).argmax(1).tolist() == [2, 2]


net = nn.Linear(6, 3)
with torch.no_grad():
    net.weight.copy_(torch.randn(3, 6, generator=torch.Generator().manual_seed(1)))
    net.bias.zero_()
called_now = net(torch.tensor(x, dtype=torch.float32)).argmax(1).numpy()


class Spoilt(nn.Module):
    "A network that has no answer, or no gradient, for samples near to the eighth and the twelfth"
    def __init__(self, how, near, far):
        super().__init__()
        self.net, self.how, self.near, self.far = net, how, near, far
    def forward(self, X):
        d = torch.cdist(X, torch.tensor(x[[7, 11]], dtype=X.dtype), p=float("inf"))
        bad = ((d >= self.near) & (d <= self.far)).any(1)
        if self.how == "raises" and bad.any(): raise RuntimeError("no such picture\nsecond line")
        if self.how == "nan": return torch.where(bad[:, None], torch.nan, self.net(X))
        if self.how == "gradient": return self.net(X)+(0*torch.where(bad, X[:, 0]-X[:, 0].detach(), 1.).sqrt())[:, None]
        return self.net(X)


@pytest.mark.parametrize("how, says", [("raises", "the model raised RuntimeError: no such picture"),
    ("nan", "the model returned nan or infinity"), ("gradient", "the model's gradient is nan or infinite")])
@pytest.mark.parametrize("search", [worst_case, attacked_predictions])
def test_samples_without_an_answer_are_named_before_anything_is_searched(how, says, search):
    model = Spoilt(how, 0, 1e-6)
    asked = access(model)
    with pytest.raises(ValueError) as e: search(asked, (x.astype(np.float32), called_now), (.05,), budget="quick")
    assert str(e.value) == f"rows 7, 11: {says}; leave out what has no answer, or mend the model"
    data = data_set(np.zeros((2, 4, 4), np.uint8), [0, 1], dict(sample_id=["w1", "w2"]))
    numb = lambda v: np.where(np.arange(len(v))[:, None] == 1, np.nan, [[.4, .6]]) if len(v) > 1 else [[np.nan]*2]
    with pytest.raises(ValueError, match=r"row 1 \(w2\)|returned nan"): search(numb, data, (.05,), budget="quick")


@pytest.mark.later
@pytest.mark.parametrize("how", ["raises", "nan"])
def test_a_sample_without_an_answer_under_attack_counts_as_lost_and_costs_the_others_nothing(how):
    samples, radii = x.astype(np.float32), (.005, .02)
    clean = worst_case(net, (samples, called_now), radii, budget="quick")
    with pytest.warns(UserWarning, match=r"row (7|11): the model .*; its call counts as lost") as told:
        found = worst_case(Spoilt(how, 1e-6, .03), (samples, called_now), radii, budget="quick")
    assert len(told) == 2 and all("\n" not in str(o.message) for o in told)
    others = np.setdiff1d(np.arange(20), [7, 11])
    assert found.broken[[7, 11]].all() and (found.by[[7, 11]] == "no answer").all() and (found.start >= 0).all()
    for part in ("broken", "by", "margin", "distance", "evaluations"):
        assert np.array_equal(getattr(found, part)[others], getattr(clean, part)[others]), part
    with pytest.warns(UserWarning): table = attacked_predictions(Spoilt(how, 1e-6, .03), (samples, called_now), radii,
                                                                 budget="quick", block=8)
    lost = table[np.isin(table.sample_id, ["000007", "000011"])]
    assert (lost.y_pred[lost.fact("radius") > 0] != lost.y_true[lost.fact("radius") > 0]).all()
    right = evaluate_attacks(table, by=()).radius["0.005"].robust_accuracy
    assert float(right) == 1-found.broken[:, 0].mean() == float(evaluate_attacks(
        attacked_predictions(net, (samples, called_now), radii, budget="quick"), by=()).radius["0.005"]
        .robust_accuracy)-.1
    assert worst_case_of(table).to_attack.sum() == 18
    attack_checks(Spoilt(how, 1e-6, .03), (samples, called_now), found, samples=4)   # the two are not asked again


@pytest.mark.parametrize("how, says", [("raises", "raised RuntimeError"), ("nan", "nan or infinity")])
def test_checks_that_the_model_does_not_answer_cost_no_attack_and_leave_no_trust(how, says):
    class Edge(Spoilt):
        "No answer at the bounds, where the attacks have not been, and the checks go"
        def forward(self, X):
            bad = (X <= .001).any(1) | (X >= .999).any(1)
            if self.how == "raises" and bad.any(): raise RuntimeError("no such picture")
            return torch.where(bad[:, None], torch.nan, self.net(X))
    inside = np.clip(x, .1, .9).astype(np.float32)
    data = inside, net(torch.from_numpy(inside)).argmax(1).numpy()
    far = Edge(how, 0, 0)
    found = worst_case(far, data, (.005, .02), budget="quick")
    told = attack_checks(far, data, found)
    assert told.warning.startswith("the attacks cannot be checked: row") and says in told.warning
    assert list(told.checks["check"]) == list(CHECKS) and not told.fired
    asked_again = told.checks.set_index("check").loc[["far_survivors", "softened_breaks", "random_answers"]]
    assert (asked_again["verdict"] == "cannot tell").all()


def test_one_sample_of_another_width_is_named():
    data = data_set((x[:, None, None, :]*255).round().astype(np.uint8), called_now % 2,
                    dict(sample_id=[f"w{i}" for i in range(len(x))]))
    marked = data.images()[7].astype(np.float32)
    def wide(v): return np.full((len(v), 2+(np.abs(v-marked).reshape(len(v), -1).max(1) < 1e-6).any()), .3)
    for search in (worst_case, attacked_predictions):
        with pytest.raises(ValueError, match=r"row 7 \(w7\): the model returned"):
            search(wide, data, (.05,), budget="quick")


def test_radius_0_stands_in_every_table_once():
    data = x.astype(np.float32), called_now
    p = attacked_predictions(net, data, (0, .02, .02), budget="quick")
    assert np.unique(p.fact("radius")).tolist() == [0, .02] and len(p) == 2*len(x)
    with pytest.raises(ValueError, match="no radius above 0"): attacked_predictions(net, data, 0, budget="quick")
    assert not worst_case(net, data, 0, budget="quick").broken.any()


def test_where_no_sample_has_an_answer_the_model_is_at_fault():
    def broken(v): raise KeyError("weights")
    def ragged(v): return [[.1, .9]]*(len(v)-1)+[[.2, .3, .5]] if len(v) > 1 else [[.1, .9]]
    for model, says in ((broken, "the model raised KeyError: 'weights'"), (ragged, "expected sequence of length 2"),
                        (lambda v: "text", "the model ")):
        with pytest.raises(ValueError, match=says) as e: worst_case(model, (x, y), (.05,), budget="quick")
        assert "row" not in str(e.value) and "\n" not in str(e.value)


@pytest.mark.later
def test_what_fails_midway_keeps_the_finished_blocks_and_goes_on_from_them(tmp_path):
    data = data_set((x[:, None, None, :]*255).round().astype(np.uint8), called_now % 2,
                    dict(sample_id=[f"w{i}" for i in range(len(x))]))
    class Tired(nn.Module):
        "A network that gives up once two blocks are kept"
        fingerprint, tired, asked = "tired", True, 0
        def forward(self, X):
            Tired.asked += len(X)
            if self.tired and len(list(tmp_path.glob(".attacks/*/*.npz"))) > 1: raise RuntimeError("out of memory")
            return net(X.flatten(1))[:, :2]
    how = dict(radii=(.02,), budget="quick", block=8)
    with pytest.raises(ValueError) as e: attacked_predictions(Tired(), data, out=tmp_path, **how)
    assert str(e.value) == ("the model raised RuntimeError: out of memory (16 of 20 samples are attacked and kept: "
                            "the same call goes on from there)")
    rested, Tired.tired, Tired.asked = Tired(), False, 0
    goes_on, few = attacked_predictions(rested, data, out=tmp_path, **how), Tired.asked
    anew = attacked_predictions(rested, data, **how)
    assert few < (Tired.asked-few)/2
    assert (goes_on.prob == anew.prob).all() and goes_on.facts.drop(columns="evaluations").equals(
        anew.facts.drop(columns="evaluations"))


@pytest.mark.parametrize("wide, names, says", [
    (2, None, "the model answers 2 classes, too few for class 2 of row 4: are these its classes?"),
    (4, ("a", "b", "c"), r"the model answers 4 classes, and 3 have names \(a, b, c\): name all of them")])
def test_a_width_that_is_not_that_of_the_classes_is_said_of_the_model_before_a_search(wide, names, says):
    asked, classes = [], np.where(np.arange(20) == 4, 2, 0)
    def narrow(v): asked.append(len(v)); return np.full((len(v), wide), 1/wide)
    with pytest.raises(ValueError, match=says):
        attacked_predictions(narrow, (x, classes), (.05,), classes=names, budget="quick")
    assert sum(asked) == 20


@pytest.mark.later
def test_what_predicts_says_numbers_or_known_words_and_is_named_where_it_does_not():
    class Says:
        "Words, or whatever `odd` holds"
        def __init__(self, odd=None): self.odd = odd
        def predict(self, X):
            return np.array(["no", "yes"])[(X @ w-.5 > 0).astype(int)] if self.odd is None else self.odd
    found = worst_case(Says(), (x, y), (.2,), classes=("no", "yes"), budget="quick")
    assert found.allows == "calls" and found.broken.any() and (found.start >= 0).all()
    for odd, says in ((None, r"the model calls 'yes': say what its classes are called, in order \(classes=\)"),
                      (np.full(20, .37), "predict gave 0.37, which is no number of a class"),
                      (np.full(20, np.nan), "predict gave nan"),
                      (np.zeros((20, 2)), r"predict gave shape \(20, 2\)"),
                      (np.full(20, -1), "predict gave -1")):
        with pytest.raises(ValueError, match="^"+says) as e: worst_case(Says(odd), (x, y), (.2,), budget="quick")
        assert "\n" not in str(e.value)
    with pytest.raises(ValueError, match="the model calls 'yes', which is none of the classes a, b"):
        worst_case(Says(), (x, y), (.2,), classes=("a", "b"), budget="quick")
    for allows in ("scores", "gradient"):
        with pytest.raises(ValueError, match="has predict alone: say allows='calls' .--access labels."):
            worst_case(Says(), (x, y), (.2,), allows=allows, budget="quick")


def test_what_calls_no_classes_is_no_model_to_attack():
    from sklearn.cluster import KMeans
    from sklearn.linear_model import LinearRegression
    for other in (LinearRegression().fit(x, m), KMeans(2, n_init=1, random_state=0).fit(x)):
        with pytest.raises(ValueError, match=f"a {type(other).__name__} is no model"): access(other)


@pytest.mark.parametrize("radius, norm, says", [
    (8, "inf", "grey levels"), (3, "2", "longer than any change of 6 values in 0-1: stay below 2.45"),
    ([], "inf", "no radius"), ("wide", "inf", "from 0 upwards"), ([.1, np.nan], "inf", "from 0 upwards")])
def test_a_radius_outside_the_range_of_pixels_is_one_line(radius, norm, says):
    for search in (worst_case, attacked_predictions):
        with pytest.raises(ValueError, match=says) as e: search(net, (x, called_now), radius, norm, budget="quick")
        assert "\n" not in str(e.value)


def test_the_last_row_is_looked_at_before_the_first_is_searched():
    for bad, says in ((np.nan, "row 19 holds nan or infinity"), (1.5, "row 19 lies outside its bounds")):
        samples, asked = x.copy(), []
        samples[19, 2] = bad
        def counted(v): asked.append(len(v)); return np.tile([.4, .6], (len(v), 1))
        with pytest.raises(ValueError, match=says): attacked_predictions(counted, (samples, y), (.05,), block=4)
        assert not asked
    unlabelled = np.where(np.arange(20) < 3, np.nan, y)   # rows are numbered as they came
    with pytest.raises(ValueError, match="row 19 lies outside"): worst_case(counted, (samples, unlabelled), (.05,))
