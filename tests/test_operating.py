"Points on the curve, rates elsewhere, subgroups: brute force, scikit-learn and scipy as oracles; coverage"
import numpy as np
import pytest
import sklearn.metrics as sk
from scipy.stats import contingency

import mic_eval.metrics as M
from mic_eval.metrics.roc_and_pr import compare_at


def test_a_point_of_a_curve_without_one_of_its_rates_is_none():
    "By hand: sensitivities and false alarms from none called to all called, in draws side by side"
    from mic_eval.metrics.roc_and_pr import _best_within
    nan = np.nan
    hits = np.array([[0, .5, 1], [0, nan, nan], [0, .5, 1], [0, .7, 1]])
    false = np.array([[0, .1, 1], [0, .2, 1], [0, nan, nan], [0, .2, .2]])
    assert np.array_equal(_best_within(hits, false, .1), [.5, nan, nan, 0], equal_nan=True)
    assert np.array_equal(_best_within(hits, false, .2), [.5, nan, nan, 1], equal_nan=True)

rng = np.random.default_rng(0)
y = rng.integers(0, 2, 150)
s = (rng.normal(size=150)+1.3*y).round(1)


@pytest.mark.parametrize("target", [.5, .8, .95, 1.])
def test_points_by_brute_force(target):
    cuts = [*np.unique(s), np.inf]
    rates = [((s[y == 1] >= t).mean(), (s[y == 0] >= t).mean()) for t in cuts]
    assert float(M.sensitivity_at(y, s, specificity=target, ci=None)) == max(a for a, b in rates if b <= 1-target+1e-12)
    assert float(M.fpr_at(y, s, tpr=target, ci=None)) == min(b for a, b in rates if a >= target-1e-12)
    assert float(M.specificity_at(y, s, sensitivity=target, ci=None)) == pytest.approx(1
        -M.fpr_at(y, s, tpr=target, ci=None))


def test_equal_errors():
    fpr, tpr, _ = sk.roc_curve(y, s, drop_intermediate=False)
    gap = fpr-(1-tpr)
    i = np.argmax(gap >= 0)
    w = -gap[i-1]/(gap[i]-gap[i-1])
    e = M.equal_error_rate(y, s)
    assert float(e) == pytest.approx(fpr[i-1]+w*(fpr[i]-fpr[i-1])) and e.lo < e < e.hi
    assert float(M.equal_error_rate(y, -s, ci=None)) == pytest.approx(1-float(e)) and M.equal_error_rate(y, y).hi < .1
    x, misses, _ = sk.det_curve(y, s)
    d = M.det_curve(y, s)
    for a, b in zip(d.x[1:-1], d.y[1:-1]): assert np.min(np.hypot(x-a, misses-b)) < 1e-9 or b in (0, 1) or a in (0, 1)


def test_the_point_is_covered():
    r = np.random.default_rng(1)
    def draw(n):
        t = r.integers(0, 2, n)
        return t, r.normal(size=n)+1.5*t
    true = float(M.sensitivity_at(*draw(300_000), specificity=.9, ci=None))
    inside = [o.lo <= true <= o.hi for o in (M.sensitivity_at(*draw(150), specificity=.9, n_resamples=200)
                                             for _ in range(150))]
    assert np.mean(inside) > .89


def test_two_models():
    d = compare_at(y, s, s+rng.normal(0, 2, 150), specificity=.8, n_resamples=200)
    assert d.lo < d < d.hi and float(compare_at(y, s, s, sensitivity=.8, n_resamples=50)) == 0
    with pytest.raises(ValueError, match="one target"): compare_at(y, s, s)


def test_risks_against_scipy():
    o = M.risk_comparison(12, 60, 6, 55)
    r, q = contingency.relative_risk(12, 60, 6, 55), contingency.odds_ratio([[12, 48], [6, 49]], kind="sample")
    assert float(o.ratio) == pytest.approx(r.relative_risk)
    assert [o.ratio.lo, o.ratio.hi] == pytest.approx(r.confidence_interval())
    assert float(o.odds_ratio) == pytest.approx(q.statistic)
    assert [o.odds_ratio.lo, o.odds_ratio.hi] == pytest.approx(q.confidence_interval())
    none = M.risk_comparison(0, 30, 4, 30).ratio
    assert float(none) == 0 == none.lo and none.hi > .5 and M.risk_comparison(3, 30, 0, 30).ratio.reason


def test_predictive_values():
    p = np.where(rng.random(150) < .85, y, 1-y)
    own = M.predictive_values(y, p, prevalence=y.mean())
    assert float(own.ppv) == pytest.approx(float(M.ppv(y, p))) and float(own.npv) == pytest.approx(float(M.npv(y, p)))
    assert own.ppv.lo < own.ppv < own.ppv.hi and M.predictive_values(y, p, prevalence=.01).ppv < .2
    assert M.predictive_values(y, y, prevalence=.1).ppv.lo > .5 and M.predictive_values(y, y, prevalence=.1).ppv.hi == 1


def test_equal_subgroups_are_not_told_apart():
    told, told_p = 0, 0
    r = np.random.default_rng(2)
    for _ in range(60):
        t = r.integers(0, 2, 200)
        p = np.where(r.random(200) < .8, t, 1-t)
        o = M.disparity(M.sensitivity, t, p, r.integers(0, 4, 200), n_permutations=99)
        told += any(v.lo > 0 or v.hi < 0 for v in o.pairs.values()); told_p += o.p <= .05
    assert told <= 7 and told_p <= 8


def test_likelihood_ratios_where_a_cell_is_empty():
    r = np.random.default_rng(2)
    y = r.integers(0, 2, 80)
    p = np.where(r.random(80) < .2, 1-y, y)
    both = M.likelihood_ratios(y, p)
    for ours, theirs in ((both.positive, M.lr_positive(y, p)), (both.negative, M.lr_negative(y, p))):
        assert [float(ours), ours.lo, ours.hi] == pytest.approx([float(theirs), theirs.lo, theirs.hi])
    tp, fp, P, N = 9.5, .5, 11, 21      # by hand: 9 of 10, 0 of 20, half a row more in every cell
    s = M.likelihood_ratios([1]*10+[0]*20, [1]*9+[0]*21).positive
    half = 1.959964*np.sqrt(1/tp-1/P+1/fp-1/N)
    assert [float(s), s.lo, s.hi] == pytest.approx([tp/P/(fp/N), tp/P/(fp/N)*np.exp(-half), tp/P/(fp/N)*np.exp(half)],
                                                   rel=1e-5)
    assert "half a row" in s.method and np.isnan(M.likelihood_ratios([1, 1], [0, 1]).positive)
