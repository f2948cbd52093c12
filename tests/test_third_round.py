"""Issue 12, third look: classes by their names, groups wherever rows belong together, harm, and help that helps"""
import importlib
import inspect

import numpy as np
import pytest

import mic_eval.metrics as M
from mic_eval.metrics.agreement import kappa_standard_error
from mic_eval.metrics.utility import less_harm, standardized_net_benefit
from mic_eval.core.results import to_json
from mic_eval.core.rooms import room
from every import every

ROOMS = "core metrics data model mic robust trust anomaly domain noise tcm run report gate".split()
r = np.random.default_rng(5)
n = 96
prob = r.random(n)
truth = (r.random(n) < prob)*1
other = np.clip(prob+r.normal(0, .1, n), 0, 1)
called = (other > .5)*1
group = np.arange(n)//6
said = lambda v: np.array(["S", "R"])[v]
given = dict(y_true=truth, y_a=truth, y_b=truth, y_pred=called, y_score=prob, y_prob=prob, score_a=prob, prob_a=prob,
             score_b=other, prob_b=other, threshold=.3)


@every("name", ROOMS)
def test_help_says_what_each_parameter_is(name):
    here = importlib.import_module(f"mic_eval.{name}")
    for k in here.__all__:
        f = getattr(here, k)
        if not inspect.isfunction(f): continue
        doc = inspect.getdoc(f)
        assert doc.split("\n")[0] not in ("", k), k
        lines = dict(o[2:].split(": ", 1) for o in doc.split("Parameters:")[-1].splitlines() if o.startswith("- "))
        assert not [p for p in inspect.signature(f).parameters if not lines.get(p)], k
        assert getattr(here, k) is f and inspect.getdoc(f).count("Parameters:") == (1 if lines else 0)


functions = {k: getattr(M, k) for k in M.__all__ if inspect.isfunction(getattr(M, k))}
TWO = [k for k, f in functions.items() if "pos_label" in inspect.signature(f).parameters]


def test_curves_take_a_positive_class():
    assert {"roc_curve", "pr_curve", "decision_curve", "reliability_curve", "threshold_at", "delong_test"} <= set(TWO)
    assert len(TWO) > 20


def asked(name, words):
    "The call of a function with classes as numbers, or as words"
    f = getattr(M, name)
    params = inspect.signature(f).parameters
    how = {k: v for k, v in given.items() if k in params}
    if words: how |= {k: said(how[k]) for k in ("y_true", "y_a", "y_b", "y_pred") if k in how} | dict(pos_label="R")
    if name == "threshold_at": how["sensitivity"] = .8
    if params.get("prevalence", inspect.Parameter).default is inspect.Parameter.empty: how["prevalence"] = .3
    if "metrics" in params: how["metrics"] = [M.roc_auc, M.f1]
    if "n_resamples" in params: how["n_resamples"] = 30
    return f(**how)


@every("name", TWO)
def test_a_positive_class_by_name(name):
    one, two = asked(name, False), asked(name, True)
    if name == "joint_replicates": assert all((one[k] == two[k]).all() for k in one)
    elif name in ("fit_calibrator", "fit_temperature"): assert vars(one) == vars(two)
    else: assert to_json(one) == to_json(two)


@every("name", ["det_curve", "equal_error_rate", "roc_auc", "brier", "ece", "net_benefit"])
def test_a_positive_class_of_metrics(name):
    f, how = getattr(M, name), dict(threshold=.3) if name == "net_benefit" else {}
    assert to_json(f(truth, prob, **how)) == to_json(f(said(truth), prob, pos_label="R", **how))
    both = np.stack([prob, 1-prob], 1)   # a column for each class, the positive one first
    if name in ("roc_auc", "brier", "ece"):
        assert float(f(said(truth), both, pos_label="R", labels=["R", "S"])) == float(f(truth, prob))


def test_a_positive_class_that_is_not_there():
    with pytest.raises(ValueError, match="'r' is not among"): M.roc_curve(said(truth), prob, pos_label="r")
    with pytest.raises(ValueError, match="missing in row 3"):
        M.roc_auc([1., 0., 1., np.nan], [.1, .2, .3, .4], pos_label=1)


GROUPED = {
    "bowker": lambda g: M.bowker(truth, called, groups=g).p,
    "stuart_maxwell": lambda g: M.stuart_maxwell(truth, called, groups=g).p,
    "kappa_standard_error": lambda g: kappa_standard_error(truth, called, groups=g).p,
    "likelihood_ratios": lambda g: M.likelihood_ratios(truth, called, groups=g).positive.hi,
    "passing_bablok": lambda g: M.passing_bablok(prob, other, groups=g).slope.hi,
    "delong_unpaired": lambda g: M.delong_unpaired(truth, prob, truth[::-1], other[::-1], groups_a=g,
                                                   groups_b=[f"b{o}" for o in g]).p}


@every("name", GROUPED)
def test_groups_have_names_and_enough_of_them(name):
    f = GROUPED[name]
    assert np.isfinite(f(group))
    assert f(group) == pytest.approx(f([f"plate {(7*o) % 16}" for o in group]))
    assert np.isnan(f(np.arange(n) % 3))
    assert f(np.arange(n)) != f(group)


def test_single_rows_as_groups_are_near_to_rows():
    alone, each = kappa_standard_error(truth, called), kappa_standard_error(truth, called, groups=np.arange(n))
    assert each.se == pytest.approx(alone.se, rel=.02) and each.se_null == pytest.approx(alone.se_null, rel=.1)
    alone, each = M.likelihood_ratios(truth, called), M.likelihood_ratios(truth, called, groups=np.arange(n))
    assert np.log(each.positive.hi/each.positive) == pytest.approx(np.log(alone.positive.hi/alone.positive), rel=.05)
    alone, each = M.passing_bablok(prob, other), M.passing_bablok(prob, other, groups=np.arange(n))
    assert each.slope.hi-each.slope.lo == pytest.approx(alone.slope.hi-alone.slope.lo, rel=.2)


def test_groups_lie_in_one_set():
    with pytest.raises(ValueError, match="rows in both sets"):
        M.delong_unpaired(truth, prob, truth, other, groups_a=group, groups_b=group)


@pytest.mark.parametrize("prevalence", [None, .2])
def test_harm_is_taken_off(prevalence):
    how = dict(threshold=.3, prevalence=prevalence)
    free, costly = M.net_benefit(truth, prob, **how), M.net_benefit(truth, prob, harm=.02, **how)
    later = less_harm(free, .02)
    assert (costly, costly.lo, costly.hi) == pytest.approx((later, later.lo, later.hi))
    share = standardized_net_benefit(truth, prob, harm=.02, **how)
    assert float(share) == pytest.approx(costly/(prevalence or truth.mean())) and share.lo < share < share.hi
    less = M.interventions_avoided(truth, prob, **how)-M.interventions_avoided(truth, prob, harm=.02, **how)
    assert less == pytest.approx(.02*.7/.3)
    curve = M.decision_curve(truth, prob, harm=.02, prevalence=prevalence, thresholds=[.3])
    assert (curve.y[0], curve.lo[0]) == pytest.approx((costly, costly.lo))
    with pytest.raises(ValueError, match="harm must lie"): M.net_benefit(truth, prob, threshold=.3, harm=1.)


def test_a_room_is_helpful_when_asked():
    look, names, public = room("mic_eval.metrics", M.__file__)
    assert "threshold" in look("pr_curve").__doc__ and "pr_curve" in public and public[0] in names()


def test_frequency_is_repetition_where_bins_hold_equally_many_rows():
    k = r.integers(0, 4, n)
    y, p = np.repeat(truth, k), np.repeat(prob, k)
    for m in (M.ece, M.mce, M.adaptive_calibration_error):
        how = {} if m is M.adaptive_calibration_error else dict(binning="mass")
        assert to_json(m(truth, prob, sample_weight=k, frequency=True, **how)) == to_json(m(y, p, **how))


def test_an_infinite_loss_that_counts_for_nothing():
    s = M.log_loss([1, 0, 1, 0], [0., .2, .7, .4], sample_weight=[0, 2, 1, 1], frequency=True)
    assert (s, s.lo) == pytest.approx((lambda t: (t, t.lo))(M.log_loss([0, 0, 1, 0], [.2, .2, .7, .4])))


@pytest.mark.parametrize("seed", range(4))
def test_rounding_errors_of_weights_are_no_groups(seed):
    g = np.random.default_rng(seed)
    y, s, w, where = g.integers(0, 2, 150), np.round(g.random(150), 2), g.exponential(size=150), g.integers(0, 37, 150)
    i = g.permutation(150)
    one = M.roc_curve(y, s, groups=where, sample_weight=w)
    two = M.roc_curve(y[i], s[i], groups=where[i], sample_weight=w[i]*.37)
    assert one.lo == pytest.approx(two.lo) and one.hi == pytest.approx(two.hi)
    same = M.roc_curve(y, s, sample_weight=np.full(150, .37))
    assert same.x == pytest.approx(M.roc_curve(y, s).x)
    p = np.where(y == 1, .9, .1)   # every residual is a rounding error
    one = M.ece(y, p, groups=where, sample_weight=w)
    two = M.ece(y[i], p[i], groups=where[i], sample_weight=w[i])
    assert (one.lo, one.hi) == pytest.approx((two.lo, two.hi))


def test_the_spread_of_rounding_errors_is_none():
    y = np.r_[np.ones(8), np.zeros(12)]
    assert "same" in M.mean_error(y+.1*np.arange(20), y+.1*np.arange(20)-.85).reason
    assert "same" in M.brier([1, 0], [.7, .3]).reason
    assert "same" in M.log_loss(np.r_[1, 0, 1, 0, 0], np.full(5, .5)).reason


def test_lines_that_fall_with_a_sample():
    upright = M.deming([1, 1, 1, 1, 2], [1, 2, 3, 4, 5])
    assert np.isfinite(upright.slope) and upright.slope.reason and np.isnan(upright.slope.lo)
    x = np.r_[0, 0, 0, 1, 1, 1, 1, 2.]
    y = x+np.arange(8)/9
    assert M.passing_bablok(x, y, ci=.5).slope == M.passing_bablok(x, y).slope == M.passing_bablok(x, y, ci=None).slope


@pytest.mark.parametrize("seed", range(5))
def test_limits_hold_their_estimate(seed):
    g = np.random.default_rng(seed)
    y = np.r_[1, g.integers(0, 2, 18), 0]
    for f, how in ((M.fpr_at, {}), (M.specificity_at, dict(sensitivity=.8)), (M.f1_max, {})):
        s = f(y, np.round(g.random(20), 1), ci=.5, n_resamples=50, **how)
        assert np.isnan(s.lo) or s.lo <= s <= s.hi


def test_weights_with_a_positive_class():
    w = np.linspace(.5, 2, n)
    for m in (M.brier, M.ece, M.log_loss):
        assert to_json(m(said(truth), prob, pos_label="R", sample_weight=w)) == to_json(m(truth, prob, sample_weight=w))


def test_wide_and_complex_numbers():
    assert M.brier(truth, prob.astype(np.longdouble)) == M.brier(truth, prob)
    with pytest.raises(ValueError, match="must be numbers, not complex"): M.brier(truth, prob+0j)
    with pytest.raises(TypeError, match="no option 'sample_weight'"):
        M.fleiss_kappa([[0, 1], [1, 1]], sample_weight=[1, 2])
