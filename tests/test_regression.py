"Numbers against numbers: scikit-learn, scipy and brute force as oracles; coverage"
import math
from decimal import Decimal, getcontext

import numpy as np
import pytest
import sklearn.metrics as sk
from scipy import odr, stats

import mic_eval.metrics as M
from mic_eval.metrics.regression import _concordant

rng = np.random.default_rng(0)
t = rng.gamma(3, 2, 200)
p = t+.3+rng.normal(0, .7, 200)
w = rng.random(200)


def test_errors_against_sklearn():
    for ours, theirs in ((M.mean_absolute_error, sk.mean_absolute_error),
                         (M.root_mean_squared_error, sk.root_mean_squared_error), (M.r_squared, sk.r2_score)):
        assert float(ours(t, p)) == pytest.approx(theirs(t, p))
        assert float(ours(t, p, sample_weight=w, n_resamples=20)) == pytest.approx(theirs(t, p, sample_weight=w))
        assert float(ours(t+1e6, p+1e6)) == pytest.approx(theirs(t, p), rel=1e-6)
    r = stats.pearsonr(t, p)
    ours, theirs = M.correlation(t, p), r.confidence_interval()
    assert float(ours) == pytest.approx(r.statistic) and ours.lo == pytest.approx(theirs.low, abs=.01)
    assert float(M.mean_error(t, p)) == pytest.approx((p-t).mean())
    s = M.mean_error(t, p)
    assert [s.lo, s.hi] == pytest.approx(stats.ttest_1samp(p-t, 0).confidence_interval(), abs=1e-4)


def test_lin_by_hand():
    sxy, sx, sy = np.cov(t, p, ddof=0)[0, 1], t.var(), p.var()
    assert float(M.concordance_correlation(t, p)) == pytest.approx(2*sxy/(sx+sy+(t.mean()-p.mean())**2))
    assert float(M.concordance_correlation(t, t)) == 1
    assert M.r_squared(np.ones(9), t[:9]).reason == "the true values do not vary"


def test_lines():
    fit = odr.ODR(odr.RealData(t, p), odr.Model(lambda b, x: b[0]*x+b[1]), beta0=[1, 0]).run()
    d = M.deming(t, p)
    assert [float(d.slope), float(d.intercept)] == pytest.approx(fit.beta, rel=1e-4)
    assert d.slope.hi-d.slope.lo == pytest.approx(4*fit.sd_beta[0], rel=.4)
    pb = M.passing_bablok(t, p)
    turned = M.passing_bablok(p, t)
    assert float(pb.slope) == pytest.approx(1/float(turned.slope), rel=1e-6) and pb.slope.lo < d.slope < pb.slope.hi
    assert float(M.passing_bablok([1, 2, 3, 4], [3, 5, 7, 9]).slope) == 2


def test_limits_of_agreement_with_repeats():
    g = np.repeat(np.arange(50), 4)
    plain, grouped = M.bland_altman(p, t), M.bland_altman(p, t, groups=g)
    assert float(plain.bias) == pytest.approx(float(grouped.bias)) and grouped.sd == pytest.approx(plain.sd, rel=.1)
    alone = M.bland_altman(p, t, groups=np.arange(200))
    assert alone.sd == pytest.approx(plain.sd) and alone.upper.lo == pytest.approx(plain.upper.lo, abs=.05)


def test_concordance():
    y, s, e = rng.integers(0, 20, 60), rng.normal(size=60).round(1), rng.integers(0, 2, 60)
    ok = [(i, j) for i in range(60) for j in range(60) if y[i] < y[j] and e[i]]
    want = np.mean([(s[i] < s[j])+.5*(s[i] == s[j]) for i, j in ok])
    assert float(M.concordance_index(y, s, event=e)) == pytest.approx(want)
    b = rng.integers(0, 2, 60)
    a = M.concordance_index(b, s)
    assert float(a) == pytest.approx(float(M.roc_auc(b, s))) and a.lo == pytest.approx(M.roc_auc(b, s).lo, abs=.03)


@pytest.mark.later
@pytest.mark.parametrize("m", [M.mean_absolute_error, M.root_mean_squared_error, M.r_squared,
                               M.concordance_correlation, M.correlation])
def test_the_intervals_cover(m):
    r = np.random.default_rng(1)
    def draw(n):
        a = r.normal(size=n)
        return a, .8*a+.2+r.normal(0, .5, n)
    true = float(m(*draw(500_000), ci=None))
    inside = [s.lo <= true <= s.hi for s in (m(*draw(40)) for _ in range(300))]
    assert np.mean(inside) > .905


def test_values_that_do_not_vary_together_have_no_line_in_any_order():
    "Their covariance is 0, or a rounding error of 0, as the order of rows has it"
    x, y = np.array([.1, .1, .3, .3]*3), np.array([.7, .2, .7, .2]*3)
    for order in [np.arange(12), *map(np.random.default_rng(0).permutation, [12]*20)]:
        assert np.isnan(float(M.deming(x[order], y[order]).slope))


def exact_line(x, y, ratio):
    "Deming's line in fifty digits"
    getcontext().prec = 50
    x, y, n, ratio = [Decimal(float(v)) for v in x], [Decimal(float(v)) for v in y], len(x), Decimal(ratio)
    mx, my = sum(x)/n, sum(y)/n
    sx, sy = sum((a-mx)**2 for a in x)/n, sum((b-my)**2 for b in y)/n
    sxy = sum((a-mx)*(b-my) for a, b in zip(x, y))/n
    u = sy-ratio*sx
    slope = (u+(u*u+4*ratio*sxy*sxy).sqrt())/(2*sxy)
    return slope, my-slope*mx


@pytest.mark.parametrize("outlier, groups, ratio", [(1, 1, 1.), (1, 3, .5), (1e6, 1, 1.), (1e6, 2, 4.), (-1e5, 1, 1.)])
def test_deming_and_its_jackknife_in_fifty_digits(outlier, groups, ratio):
    "One reading written in another unit holds nearly all of the spread: no digit may be lost by it"
    r = np.random.default_rng(3)
    x = r.normal(10, 2, 24)
    y = .7*x+r.normal(0, .4, 24)
    x[5] *= outlier
    g = np.arange(24)//groups
    left = np.array([exact_line(x[g != i], y[g != i], ratio) for i in range(g[-1]+1)], dtype=float)
    half = stats.t(g[-1]).ppf(.975)*np.sqrt(g[-1]/(g[-1]+1)*((left-left.mean(0))**2).sum(0))
    found = M.deming(x, y, ratio=ratio, groups=g)
    for s, want, h in zip(found.values(), exact_line(x, y, ratio), half):
        assert float(s) == pytest.approx(float(want), rel=1e-9)
        assert [s.lo, s.hi] == pytest.approx([float(want)-h, float(want)+h], rel=1e-7)


def agreement_by_formula(d, g):
    "Bias and standard deviation of differences with repeats, one-way analysis of variance"
    groups = [d[g == i] for i in np.unique(g)]
    n, k, size = len(d), len(groups), np.array([len(o) for o in groups])
    within = sum(((o-o.mean())**2).sum() for o in groups)/(n-k) if n > k else 0
    between = sum(len(o)*(o.mean()-d.mean())**2 for o in groups)/(k-1)
    each = (n-(size**2).sum()/n)/(k-1)
    return d.mean(), math.sqrt(within+max(between-within, 0)/each)


@pytest.mark.parametrize("seed", range(6))
def test_limits_of_agreement_without_each_group(seed):
    r = np.random.default_rng(seed)
    g = r.permutation(np.repeat(np.arange(12), [1, 1, 2, 3, 5, 8, 1, 1, 2, 2, 1, 1] if seed % 2 else [1]*11+[2]))
    d = r.normal(3, 1, 12)[g]+r.normal(0, .5, len(g))
    if seed > 3: d[g == 4] += 10.**(3*seed-7)                        # one group holds nearly all of the spread
    q, t = stats.norm.ppf(.975), stats.t(11).ppf(.975)
    limits = lambda d, g: np.array([agreement_by_formula(d, g)]) @ [[1, 1, 1], [0, -q, q]]
    left = np.concatenate([limits(d[g != i], g[g != i]) for i in range(12)])
    half = t*np.sqrt(11/12*((left-left.mean(0))**2).sum(0))
    found = M.bland_altman(d, np.zeros(len(d)), groups=g)
    for k, want, h in zip(("bias", "lower", "upper"), limits(d, g)[0], half):
        assert [float(found[k]), found[k].lo, found[k].hi] == pytest.approx([want, want-h, want+h], rel=1e-8)


@pytest.mark.parametrize("shift", [.1, -.1, 1e6, -1e6, 3e9, -3e9])
@pytest.mark.parametrize("scale", [1e-6, 1, 1e5])
def test_a_shift_of_every_row_has_no_interval_up_or_down(shift, scale):
    x = np.random.default_rng(0).normal(size=50)*scale
    for m in (M.mean_error, M.mean_absolute_error, M.root_mean_squared_error):
        s = m(x, x+shift*scale)
        assert math.isnan(s.lo) and s.reason == "every row says the same"


@pytest.mark.parametrize("grades", [1, 2, 7, 1000])
@pytest.mark.parametrize("times", [1, 3, 1000])
def test_every_row_has_its_own_comparisons(times, grades):
    r = np.random.default_rng([times, grades])
    y, s, e = r.integers(0, times, 67), r.integers(0, grades, 67), r.integers(0, 2, 67) > 0
    before = (y[:, None] < y) & e[:, None]
    won = before*((s[:, None] < s)+.5*(s[:, None] == s))
    right, pairs = _concordant(y, s, e)
    assert (right == won.sum(1)+won.sum(0)).all() and (pairs == before.sum(1)+before.sum(0)).all()
