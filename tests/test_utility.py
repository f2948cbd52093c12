"Net benefit and expected cost: beside dcurves (stored values), brute force, and data that should not pass"
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mic_eval.metrics.utility import (Decisions, decision_curve, expected_cost, interventions_avoided, net_benefit,
                                      net_benefit_difference, standardized_net_benefit, threshold_of_costs, treat_all)
from every import every

T = np.array([.05, .1, .2, .35, .5, .7])


def wells(seed=7, n=200):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < .3).astype(int)
    return y, np.round(1/(1+np.exp(-(-1+1.5*(y-.3)+rng.normal(0, 1, n)))), 2)


def brute(y, p, t): return ((p >= t) & (y == 1)).mean()-((p >= t) & (y == 0)).mean()*t/(1-t)


# dcurves 1.1.7, tests/oracles/dcurves_values.py
DCURVES = {None: ([0.249736842105, 0.218333333333, 0.18875, 0.145, 0.085, 0.065],
                  [0.045, 0.115, 0.33, 0.455, 0.515, 0.620714285714]),
           .1: ([0.055612808244, 0.020623236413, -0.007535885167, -0.012673291621, -0.029186602871, 0.022807017544],
                [0.056643356643, 0.185609127714, 0.46985645933, 0.690749601276, 0.770813397129, 0.866917293233])}


@pytest.mark.parametrize("prevalence", [None, .1])
def test_dcurves(prevalence):
    y, p = wells()
    nb, avoided = DCURVES[prevalence]
    c = Decisions.of(y, p, threshold=T, prevalence=prevalence)
    np.testing.assert_allclose(net_benefit.of(c), nb, atol=1e-11)
    np.testing.assert_allclose(interventions_avoided.of(c), avoided, atol=1e-11)


labelled = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 20), st.integers(1, 4)), min_size=2,
                    max_size=40).filter(lambda r: len({y for y, *_ in r}) == 2)


@given(labelled)
@settings(max_examples=80, deadline=None)
def test_properties(rows):
    y, p, w = (np.array(o) for o in zip(*rows))
    p = p/20
    grid = np.array([0., .05, .3, .5, .95])   # p often equals a threshold: >= counts
    c = Decisions.of(y, p, threshold=grid)
    np.testing.assert_allclose(net_benefit.of(c), [brute(y, p, t) for t in grid], atol=1e-12)
    assert (net_benefit.of(c) <= y.mean()+1e-12).all()
    half = len(y) // 2
    if half:
        s = Decisions.of(y[:half], p[:half], threshold=grid)+Decisions.of(y[half:], p[half:], threshold=grid)
        assert (s.tp == c.tp).all() and (s.fp == c.fp).all() and (s.n == c.n).all()
    counted = Decisions.of(y, p, weight=w, threshold=grid)
    repeated = Decisions.of(np.repeat(y, w), np.repeat(p, w), threshold=grid)
    np.testing.assert_allclose(net_benefit.of(counted), net_benefit.of(repeated), atol=1e-12)
    order = np.random.default_rng(0).permutation(len(y))
    assert (Decisions.of(y[order], p[order], threshold=grid).tp == c.tp).all()
    score = net_benefit(y, p, threshold=.3)
    assert score.lo <= score <= score.hi
    assert repr(net_benefit(y, p, threshold=.3, sample_weight=w, frequency=True)) == repr(net_benefit(np.repeat(y, w),
        np.repeat(p, w), threshold=.3))
    both = np.stack([np.ones(len(y)), w])
    np.testing.assert_allclose(net_benefit.of(Decisions.of(y, p, weight=both, threshold=grid)),
                               [net_benefit.of(c), net_benefit.of(counted)], atol=1e-12)


def test_scales_agree():
    y, p = wells()
    for t in T:
        nb, all_ = float(net_benefit(y, p, threshold=t)), treat_all(y.mean(), t)
        assert math.isclose(interventions_avoided(y, p, threshold=t), (nb-all_)*(1-t)/t, abs_tol=1e-12)
        assert math.isclose(standardized_net_benefit(y, p, threshold=t), nb/y.mean(), abs_tol=1e-12)
    assert math.isclose(net_benefit(y, p, threshold=.2, prevalence=float(y.mean())), net_benefit(y, p, threshold=.2),
                        abs_tol=1e-12)
    assert math.isclose(net_benefit(y, y.astype(float), threshold=.5), y.mean())


def test_curve_is_the_scores():
    y, p = wells()
    c = decision_curve(y, p, thresholds=T)
    scores = [net_benefit(y, p, threshold=t) for t in T]
    for a, k in [(c.y, "value"), (c.lo, "lo"), (c.hi, "hi")]:
        np.testing.assert_allclose(a, [getattr(s, k) for s in scores], atol=1e-12)
    boot = decision_curve(y, p, thresholds=T, method="bootstrap", n_resamples=4000)
    np.testing.assert_allclose((boot.hi-boot.lo)[:5], (c.hi-c.lo)[:5], rtol=.1)
    assert (boot.hi-boot.lo)[5] < .8*(c.hi-c.lo)[5]   # no false alarm at .7: the bootstrap believes there can be none
    assert decision_curve(y, p, ci=None).lo is None
    again = decision_curve(y, p, thresholds=T, method="bootstrap", n_resamples=4000)
    assert (again.lo == boot.lo).all()


@pytest.mark.full   # a simulation
def test_interval_covers():
    rng, hit, hit2, hit_d = np.random.default_rng(0), 0, 0, 0
    m, rate, tpr, fpr, t = 1000, .3, .95, .05, .2
    truth = rate*tpr-(1-rate)*fpr*.25
    at = .1*tpr-.9*fpr*.25
    for _ in range(m):
        y = (rng.random(150) < rate).astype(int)
        a = (rng.random(150) < np.where(y == 1, tpr, fpr))*.9
        b = (rng.random(150) < np.where(y == 1, tpr, fpr))*.9
        s, q, d = net_benefit(y, a, threshold=t), net_benefit(y, a, threshold=t,
                                                              prevalence=.1), net_benefit_difference(y, a, b,
                                                                  threshold=t)
        hit += s.lo <= truth <= s.hi; hit2 += q.lo <= at <= q.hi; hit_d += d.lo <= 0 <= d.hi
    assert hit/m > .925 and hit2/m > .925 and hit_d/m > .925


def test_groups():
    y, p = wells()
    plate = np.arange(200) // 20
    c, alone = decision_curve(y, p, thresholds=T, groups=plate), decision_curve(y, p, thresholds=T)
    assert "10 groups" in c.note and (c.lo < c.y).all()
    # copies are no new information
    copies = decision_curve(np.tile(y, 5), np.tile(p, 5), thresholds=T, groups=np.tile(np.arange(200), 5))
    np.testing.assert_allclose((copies.hi-copies.lo)[:5], (alone.hi-alone.lo)[:5], rtol=.1)
    assert decision_curve(y, p, groups=plate % 4).lo is None
    s = net_benefit_difference(y, p, 1-p, threshold=.2, groups=plate % 4)
    assert "too few groups" in s.reason and math.isnan(s.lo) and not math.isnan(s)
    w = decision_curve(y, p, thresholds=T, sample_weight=np.full(200, 7.))
    np.testing.assert_allclose(w.lo, alone.lo, atol=1e-12)   # weights never change n


def test_paired_difference_is_narrower():
    y, p = wells(n=400)
    q = np.clip(p+np.where(np.arange(400) % 20 == 0, .1, 0), 0, 1)
    d = net_benefit_difference(y, p, q, threshold=.35)
    a, b = net_benefit(y, p, threshold=.35), net_benefit(y, q, threshold=.35)
    assert math.isclose(d, a-b, abs_tol=1e-12) and d.hi-d.lo < (a.hi-a.lo)/2
    swap = net_benefit_difference(y, q, p, threshold=.35)
    assert math.isclose(swap.lo, -d.hi, abs_tol=1e-12)
    c = net_benefit_difference(y, p, q, threshold=T)
    np.testing.assert_allclose(c.y[3], d)
    rng = np.random.default_rng(1)
    far, z = np.clip(p+rng.normal(0, .2, 400), 0, 1), (p >= .35)*(y-.35/.65*(1-y))
    e = net_benefit_difference(y, p, far, threshold=.35)
    se = np.std(z-(far >= .35)*(y-.35/.65*(1-y)))/20
    assert abs(se*3.92/(e.hi-e.lo)-1) < .1
    at = net_benefit_difference(y, p, q, threshold=.35, prevalence=.1)
    assert at.lo <= at <= at.hi


def test_expected_cost():
    y, c = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 1, 1, 1, 0, 2])
    m = np.array([[0, 1, 2], [3, 0, 4], [5, 6, 0]])
    assert math.isclose(expected_cost(y, c, costs=m, ci=None), (1+5)/6)
    assert math.isclose(expected_cost(y, c, costs=m, prevalence=[.5, .3, .2], ci=None), .5*.5*1+.2*.5*5)
    assert math.isclose(expected_cost(y, np.zeros(6, int), costs=m, normalised=True,
                                      ci=None)*min(m[:, j].mean() for j in range(3)), m[:, 0].mean())
    assert math.isnan(expected_cost([0, 0], [0, 1], costs=np.eye(2), prevalence=[.5, .5], ci=None))
    assert expected_cost(["S", "R"], ["R", "R"], labels=["S", "R"], costs=dict(fp=2), ci=None) == 1
    s = expected_cost(np.repeat(y, 20), np.repeat(c, 20), costs=m)
    assert s.lo < s < s.hi
    assert threshold_of_costs(dict(fn=3, fp=1)) == .25
    for bad in (dict(fx=1), [[0, 1]], [[0, 1, 2], [0, 0, 0]]):
        with pytest.raises(ValueError, match="costs"): expected_cost(y, c, costs=bad)
    with pytest.raises(ValueError, match="dearer"): threshold_of_costs(dict(tp=3, fp=1))


@every("args, kw, words", [
    (([0, 1], [.1]), {}, "lengths"), (([], []), {}, "empty"),
                           (([0, 1], [.1, np.nan]), {}, "y_prob is nan or infinite in row 1"),
    (([0, 1], [.1, 1.2]), {}, "between 0 and 1"), (([0, .5], [.1, .2]), {}, "row 1"),
                           (([0, 2], [.1, .2]), {}, "3 classes"),
    ((["a", "b"], [.1, .2]), {}, "labels"), (([0, 1], ["x", "y"]), {}, "y_prob must be numbers"),
                           (([0, 1], [.1, .2]), dict(threshold=1), "below 1"),
    (([0, 1], [.1, .2]), dict(threshold=-.1), "threshold must lie"),
                           (([0, 1], [.1, .2]), dict(prevalence=0), "prevalence"),
    (([0, 1], [.1, .2]), dict(sample_weight=[-1, 1]), "sample_weight"),
                           (([0, 1], [.1, .2]), dict(sample_weight=[0, 0]), "sample_weight")])
def test_bad_input(args, kw, words):
    with pytest.raises(ValueError, match=words): net_benefit(*args, **dict(threshold=.2) | kw)


def test_undefined_is_nan_with_a_reason():
    for y in ([0, 0, 0], [1, 1, 1]):
        for f in (net_benefit, standardized_net_benefit, interventions_avoided):
            s = f(y, [.1, .2, .3], threshold=.2)
            assert math.isnan(s) and "one class" in s.reason
        assert np.isnan(decision_curve(y, [.1, .2, .3]).y).all()
        assert "one class" in net_benefit_difference(y, [.1, .2, .3], [.1, .2, .2], threshold=.2).reason
    assert math.isnan(interventions_avoided([0, 1], [.1, .2], threshold=0))
    with pytest.raises(ValueError, match="increase"): decision_curve([0, 1], [.1, .2], thresholds=[.3, .2])
    with pytest.raises(ValueError, match="do not add"):
        Decisions.of([0, 1], [.1, .2], threshold=.2)+Decisions.of([0, 1], [.1, .2], threshold=.3)
