"Turbidity: the psychometric curve against scikit-learn and scipy, ordered levels, what is absent"
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mic_eval.core.results import Curve, NotApplicable, Result, from_json, to_json
from mic_eval.core.tables import Predictions
from mic_eval.data.scenes import TURBIDITY
from mic_eval.mic.turbidity import (LEVELS, evaluate_turbidity, growth_detection, level_recognition, plot_detection,
                                    psychometric, true_levels)
from every import every


def drawn(n=600, floor=0., middle=1., slope=2., seed=0):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-3, 5, n)
    return x, (rng.uniform(size=n) < floor+(1-floor)/(1+np.exp(-slope*(x-middle)))).astype(int)


def table(n=240, seed=0, level=True, **more):
    rng = np.random.default_rng(seed)
    od = np.where(np.arange(n) % 4 == 0, 0, np.exp(rng.uniform(np.log(.01), np.log(.7), n)))
    called = np.where(od > 0, 1/(1+np.exp(-3*(np.log10(np.maximum(od, 1e-9))+1)))+rng.normal(0, .2, n),
                      rng.uniform(0, .55, n))
    outputs = dict(turbidity_level=np.clip(np.searchsorted(list(TURBIDITY.values()), od, "right")-1
                                           +rng.integers(-1, 2, n), 0, 5)) if level else {}
    return Predictions(np.arange(n).astype(str), (od > 0).astype(int), np.clip(called, 0, 1), outputs=outputs,
                       facts=pd.DataFrame(dict(optical_density=od) | more))


def test_fit_is_logistic_regression():
    from sklearn.linear_model import LogisticRegression
    x, y = drawn()
    f, o = psychometric(x, y, floor=0.), LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(x[:, None], y)
    assert f.beta == pytest.approx([o.intercept_[0], o.coef_[0, 0]], rel=1e-3)
    p = f.rate(x)
    X = np.stack([np.ones(len(x)), x], 1)
    assert f.cov == pytest.approx(np.linalg.inv((X*(p*(1-p))[:, None]).T @ X), rel=1e-6)


def test_fit_above_a_floor_is_the_maximum_of_the_likelihood():
    from scipy.optimize import minimize
    x, y = drawn(floor=.15, n=900)
    def loss(b):
        p = np.clip(.15+.85/(1+np.exp(-(b[0]+b[1]*x))), 1e-12, 1-1e-12)
        return -(y*np.log(p)+(1-y)*np.log1p(-p)).sum()
    assert psychometric(x, y, floor=.15).beta == pytest.approx(minimize(loss, [0, 1], method="Nelder-Mead",
        options=dict(xatol=1e-8, fatol=1e-10, maxiter=4000)).x, rel=1e-3)
    assert psychometric(x, y).floor == pytest.approx(.15, abs=.07) and psychometric(*drawn()).floor == 0


def test_limits_of_fiellers_interval_solve_their_equation():
    f = psychometric(*drawn(), floor=0.)
    for share in (.5, .95):
        s, eta = f.limit(share), np.log(share/(1-share))
        assert f.rate(s) == pytest.approx(share)
        for end in (s.lo, s.hi):
            v = np.array([1, end])
            assert (f.beta @ v-eta)**2 == pytest.approx(f.z**2*(v @ f.cov @ v))


def test_detection_limit_covers_the_truth():
    hits = []
    for seed in range(200):
        s = psychometric(*drawn(150, seed=seed), floor=0.).limit(.95)
        hits.append(s.lo <= 1+np.log(19)/2 <= s.hi)
    assert np.mean(hits) >= .91


def test_groups_widen_the_interval():
    x, y = drawn(40)
    x, y, g = np.repeat(x, 5), np.repeat(y, 5), np.repeat(np.arange(40), 5)
    alone, together = psychometric(x, y, floor=0.).limit(.5), psychometric(x, y, floor=0., groups=g).limit(.5)
    assert together.hi-together.lo > 1.7*(alone.hi-alone.lo) and together.groups == 40
    few = psychometric(x, y, floor=0., groups=np.arange(200) % 3).limit(.5)
    assert few.defined and few.reason == "too few groups (3) for an interval"


@every("x, y, says", [([1, 2, 3], [1, 1, 1], "every well is called, down to 1"),
                      ([1, 2, 3], [0, 0, 0], "no well is called, up to 3"),
                      ([1, 2, 3, 4], [0, 0, 1, 1], "no overlap: missed up to 2, called from 3"),
                      ([1, 1], [0, 1], "fewer than two"),
                      ([1, 2, 3, 4, 5, 6], [1, 1, 0, 1, 0, 0], "do not rise"),
                      ([1, 2, 2, 3], [0, 0, 1, 1], "no finite slope")])
def test_no_curve_is_no_number(x, y, says):
    f = psychometric(x, y)
    assert says in f.reason and not f.limit(.5).defined and says in f.limit(.5).reason


def test_a_flat_curve_has_no_bounds():
    rng = np.random.default_rng(3)
    f = psychometric(np.arange(60.), np.r_[rng.integers(0, 2, 58), 0, 1], floor=0.)
    if not f.reason: assert not np.isfinite(f.limit(.95).hi) and "no bounds" in f.limit(.95).reason


@pytest.mark.parametrize("bad", [dict(x=[1, np.nan], called=[0, 1]), dict(x=[1, 2], called=[0, 2]),
                                 dict(x=[1, 2], called=[0, 1], floor=1.)])
def test_bad_input(bad):
    with pytest.raises(ValueError): psychometric(**bad)


def test_growth_detection_speaks_in_densities():
    p = table()
    d = growth_detection(p)
    assert d.limit_50.lo < d.limit_50 < d.limit_50.hi < .7
    assert d.limit_95 > d.limit_50 and d.false_calls.n == (p.y_true == 0).sum()
    assert d.points.extra["n"].sum() == (p.y_true == 1).sum()
    assert (np.diff(d.curve.y) >= 0).all() and (d.curve.lo <= d.curve.y+1e-9).all()
    assert plot_detection(d).get_xscale() == "log"
    sharp = replace(p, scores=None, y_pred=(p.fact("optical_density") > .1).astype(int))
    r = growth_detection(sharp)
    assert "no overlap: missed up to 0.0" in r.limit_50.reason
    assert isinstance(r.curve, NotApplicable) and plot_detection(r) is not None


def test_detection_says_what_is_missing():
    p = table()
    assert "no column" in growth_detection(replace(p, facts=p.facts[[]])).reason
    assert growth_detection(p[p.y_true == 0]).reason.startswith("no growing wells")
    assert growth_detection(p[p.y_true == 1]).false_calls.reason == "no wells without growth"
    with pytest.raises(ValueError, match="negative in row 0"):
        growth_detection(replace(p, facts=p.facts.assign(optical_density=[-1.]+[.1]*239)))


def test_levels_agree_with_scikit_learn():
    from sklearn.metrics import balanced_accuracy_score, cohen_kappa_score
    p = table()
    t, c, r = true_levels(p).astype(int), p.outputs["turbidity_level"], level_recognition(p)
    assert r.quadratic_kappa == pytest.approx(cohen_kappa_score(t, c, weights="quadratic", labels=range(6)))
    assert r.macro_recall == pytest.approx(balanced_accuracy_score(t, c))
    assert r.mae == pytest.approx(abs(t-c).mean())
    assert r.bias == pytest.approx((c-t).mean()) and r.adjacent == 1 and r.adjacent.n == len(p)


def test_level_head_in_either_form():
    p = table(60)
    wide = np.eye(6)[p.outputs["turbidity_level"]]
    assert level_recognition(replace(p, outputs=dict(turbidity_level=wide))).accuracy == level_recognition(p).accuracy
    for bad in (wide[:, :4], np.full(60, 7), np.full(60, 1.5)):
        with pytest.raises(ValueError, match="turbidity_level"):
            level_recognition(replace(p, outputs=dict(turbidity_level=bad)))


def test_a_constant_model_recognises_nothing():
    p = table()
    r = level_recognition(replace(p, outputs=dict(turbidity_level=np.full(len(p), 4))))
    assert r.quadratic_kappa == pytest.approx(0, abs=1e-9) and r.accuracy < .5


def test_levels_by_name_or_density():
    p = Predictions(["a", "b", "c"], [0, 1, 1], [.1, .9, .9],
                    facts=pd.DataFrame(dict(turbidity=["clear", " Dense ", None])))
    assert true_levels(p)[:2].tolist() == [0, 5] and np.isnan(true_levels(p)[2])
    with pytest.raises(ValueError, match="'milky' in row 1"):
        true_levels(replace(p, facts=pd.DataFrame(dict(turbidity=["clear", "milky", None]))))


def test_an_absent_level_is_said_and_the_rest_goes_on():
    p = table(level=False)
    r = evaluate_turbidity(p[true_levels(p) != 3])
    assert r.levels.moderate.reason == "absent: no wells of this level" and r.levels["heavy"].called_growth.defined
    assert r.recognition.reason == "the model names no turbidity_level"
    assert isinstance(r.detection, Result) and list(r.levels) == list(LEVELS)
    assert evaluate_turbidity(replace(p, facts=p.facts[[]])).reason.startswith("no column")


def test_confidence_histograms_share_their_range():
    p = table()
    r = evaluate_turbidity(replace(p, outputs=dict(confidence=np.full(len(p), .9))))
    h = r.levels["clear"].confidence_histogram
    assert h.x.tolist() == pytest.approx(np.arange(.05, 1, .1).tolist())
    assert h.y[8]+h.y[9] == h.y.sum() == r.levels["clear"].n and h.note == "the model's confidence"
    assert evaluate_turbidity(p).levels["clear"].confidence_histogram.note == "top probability"
    bare = evaluate_turbidity(replace(p, scores=None)).levels["clear"]
    assert isinstance(bare.mean_confidence, NotApplicable) and bare.growth_accuracy.defined
    assert repr(from_json(to_json(r))) == repr(r) and isinstance(r.detection.points, Curve)


@settings(max_examples=40, deadline=None)
@given(st.floats(-4, 4), st.floats(.2, 5), st.integers(0, 10**6))
def test_the_fit_moves_and_stretches_with_the_stimulus(shift, stretch, seed):
    x, y = drawn(120, slope=1., seed=seed)
    a, b = psychometric(x, y, floor=0.), psychometric(x*stretch+shift, y, floor=0.)
    if not a.reason: assert b.limit(.5) == pytest.approx(a.limit(.5)*stretch+shift, abs=1e-4)
