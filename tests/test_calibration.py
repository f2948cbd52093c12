"""Calibration: scikit-learn and brute force as oracles, stored values of netcal and relplot
(oracles/calibration_values.py), properties, bad input"""
import math

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given, settings, strategies as st
from sklearn.calibration import calibration_curve
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from mic_eval.metrics import (Bins, brier, brier_decomposition, calibration_intercept, calibration_slope,
                              delong_test, ece, ece_classwise, ece_debiased, ece_if_calibrated, ece_smooth,
                              fit_temperature, isotonic, log_loss, mce, observed_expected, reliability_curve,
                              spiegelhalter)
from mic_eval.metrics.calibration import calibrated_band
from mic_eval.metrics.calibration_errors import ece_sweep
from every import every


def stored():
    "The data of oracles/calibration_values.py"
    rng = np.random.default_rng(11)
    p = np.round(1/(1+np.exp(-rng.normal(0, 2, 300))), 6)
    y = (rng.random(300) < p**1.5).astype(int)
    return y, p, np.round(np.clip(p+rng.normal(0, .2, 300), 0, 1), 6)


def drawn(seed=0, n=400, sd=2.):
    rng = np.random.default_rng(seed)
    p = 1/(1+np.exp(-rng.normal(0, sd, n)))
    return (rng.random(n) < p).astype(int), p, rng


def test_against_netcal_relplot_mlstatkit():
    y, p, b = stored()
    for n, e, m in ((10, .09111028999999997, .21777718181818193), (15, .09675979, .27441976923076933)):
        assert float(ece(y, p, n_bins=n)) == pytest.approx(e, abs=1e-12)
        assert float(mce(y, p, n_bins=n)) == pytest.approx(m, abs=1e-12)
    assert float(ece_smooth(y, p)) == pytest.approx(.09094338196650949, abs=5e-4)
    out = delong_test(y, p, b)   # MLstatkit takes the difference the other way round
    assert out.statistic == pytest.approx(4.788540815018776, abs=1e-9)
    assert float(out.p) == pytest.approx(1.6799839810276444e-06, rel=1e-6)


def test_edges():
    assert float(ece([1, 0], [.95, 1.], n_bins=10)) == pytest.approx(.475)
    assert Bins.of([0, 1], [0., 1.], n_bins=10).n.tolist() == [1]+[0]*8+[1]
    for dtype in (np.float64, np.float32):
        for K in (3, 7, 10, 15, 49, 100):
            assert (Bins.of(np.zeros(K+1, int), (np.arange(K+1)/K).astype(dtype), n_bins=K).n == [1]*(K-1)+[2]).all()


@pytest.mark.later
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_many_rows_are_binned_like_few(dtype):
    """The block-wise path against the plain one (which weights of one take): ties, edges, saturated and constant
    probabilities"""
    rng, n = np.random.default_rng(12), 100_003
    u = rng.random(n)
    for p in (u, u.round(2), (u > .5)*1., np.zeros(n), np.ones(n), u**20, 1-u**20, np.r_[0., np.full(n-1, .3)],
              np.where(u < .4, -0., u)):
        p = p.astype(dtype)
        y = rng.random(n) < p
        for n_bins, binning in ((1, "mass"), (2, "mass"), (15, "mass"), (700, "mass"), (15, "width")):
            a, b = (Bins.of(y*1, p, w, n_bins=n_bins, binning=binning) for w in (None, np.ones(n)))
            assert (a.edges == b.edges).all()
            assert (a.n == b.n).all() and (a.y == b.y).all() and np.allclose(a.p, b.p, rtol=1e-9, atol=0)


def test_many_rows_are_checked():
    n = 100_000
    y, p = np.zeros(n, int), np.full(n, .5)
    for at, value, words in ((77_777, 1.2, "between 0 and 1, but does not in row 77777"),
                             (5, np.nan, "nan or infinite in row 5"), (99_999, -.1, "in row 99999")):
        for binning in ("width", "mass"):
            with pytest.raises(ValueError, match=words): ece(y, np.where(np.arange(n) == at, value, p), binning=binning)
    for value, words in ((-1, "-1 in row 3"), (2, "class 2")):
        with pytest.raises(ValueError, match=words): ece(np.where(np.arange(n) == 3, value, y), p)


def test_reliability_against_sklearn():
    y, p, _ = drawn(1)
    rate, mean = calibration_curve(y, p, n_bins=15)
    c = reliability_curve(y, p)
    assert np.allclose(c.x, mean) and np.allclose(c.y, rate) and c.extra["n"].sum() == 400
    assert (c.lo <= c.y).all() and (c.y <= c.hi).all() and (c.extra["calibrated_lo"] <= c.extra["calibrated_hi"]).all()
    g = reliability_curve(y, p, groups=np.arange(400)//4)
    assert np.allclose(g.y, c.y) and np.nanmean(g.hi-g.lo) > np.mean(c.hi-c.lo)
    w = reliability_curve(y, p, sample_weight=np.full(400, 3.))
    assert np.allclose(w.lo, c.lo) and np.allclose(w.x, c.x)


def test_the_calibrated_band_is_binomial():
    from scipy.stats import binom
    for n, p in ((20, .3), (7, .02), (500, .9)):
        lo, hi = calibrated_band([p], [n])
        assert lo[0]*n == pytest.approx(binom.ppf(.025, n, p)) and hi[0]*n == pytest.approx(binom.ppf(.975, n, p))
    lo, hi = calibrated_band([0., 1.], [5, 5])
    assert lo.tolist() == hi.tolist() == [0, 1]


def test_losses_against_sklearn():
    y, p, rng = drawn(2)
    w = rng.random(400)
    q = rng.dirichlet([1, 1, 1], 400)
    k = rng.integers(0, 3, 400)
    for ours, theirs in ((brier, sk.brier_score_loss), (log_loss, sk.log_loss)):
        assert float(ours(y, p)) == pytest.approx(theirs(y, p), abs=1e-12)
        assert float(ours(y, p, sample_weight=w)) == pytest.approx(theirs(y, p, sample_weight=w), abs=1e-12)
        assert float(ours(y, p, sample_weight=w)) == pytest.approx(float(ours(y, p, sample_weight=w,
            method="bootstrap", n_resamples=50)), abs=1e-12)
    assert float(brier(k, q)) == pytest.approx(((q - np.eye(3)[k])**2).sum(1).mean()/2, abs=1e-12)
    assert float(log_loss(k, q)) == pytest.approx(sk.log_loss(k, q), abs=1e-12)
    for m in (brier, log_loss):
        closed, boot, alone = m(y, p), m(y, p, method="bca"), m(y, p, groups=np.arange(400))
        assert [closed.lo, closed.hi] == pytest.approx([boot.lo, boot.hi], rel=.06)
        assert [alone.lo, alone.hi] == pytest.approx([closed.lo, closed.hi], rel=.02)


@pytest.mark.later
def test_the_interval_of_the_ece_covers():
    """Of a calibrated model it starts at 0; of a miscalibrated one it holds the true value; at the sizes a
    laboratory has"""
    rng = np.random.default_rng(3)
    for n, scale, shift in ((100, 1, 0), (1000, 1, 0), (200, 2, 0), (1000, 1, .7)):
        def draw(m):
            x = rng.normal(0, 2, m)
            return (rng.random(m) < 1/(1+np.exp(-x))).astype(int), 1/(1+np.exp(-scale*x-shift)), 1/(1+np.exp(-x))
        _, p, t = draw(300_000)
        b = Bins.of(np.zeros(len(p), int), p)
        i = np.minimum((p*15).astype(int), 14)
        true = np.abs(np.bincount(i, t-p, 15)).sum()/len(p) if scale != 1 or shift else 0.
        inside = [s.lo <= true+1e-12 and true <= s.hi for s in (ece(*draw(n)[:2]) for _ in range(150))]
        assert np.mean(inside) > .89, (n, scale, shift, np.mean(inside))
        assert b.n.sum() == 300_000


def test_certainty_is_not_claimed():
    assert ece([1, 1], [1., 1.]).hi > .4 and ece([0]*20, [0.]*20).hi > .03 and ece([1, 1], [.9999, .9999]).hi > .4
    assert brier([1, 1], [1., 1.]).hi > .4 and brier([0, 1], [.5, .5]).reason == "every row has the same loss"
    assert mce([1, 1], [1., 1.]).hi > .4


def test_groups_widen():
    y, p, _ = drawn(4, 300)
    q, g = np.clip(p+.15, 0, 1), np.repeat(np.arange(300), 5)
    for m in (ece, brier, log_loss):
        u = np.clip(q, .01, .99)
        five, one = m(np.repeat(y, 5), np.repeat(u, 5), groups=g), m(y, u)
        assert five.hi-five.lo > .7*(one.hi-one.lo) and five.groups == 300
        assert "too few groups" in m(y, u, groups=np.arange(300) % 4).reason
    assert calibration_slope(np.repeat(y, 5), np.repeat(p, 5), groups=g).hi-calibration_slope(np.repeat(y, 5),
        np.repeat(p, 5)).hi > 0


def test_debiased_sweep_smooth_and_chance():
    y, p, rng = drawn(5, 500)
    off = np.clip(p+.2, 0, 1)
    assert ece_debiased(y, p) <= ece(y, p, binning="mass") and ece_debiased(y, p, norm=2) < .06
    for f in (ece_debiased, ece_sweep, ece_smooth): assert f(y, off) > .1 > f(y, p)
    order = rng.permutation(500)
    r = p.round(2)
    for f in (ece_sweep, ece_smooth, ece_debiased):
        assert float(f(y[order], r[order])) == pytest.approx(float(f(y, r)), abs=1e-12)
    chance = ece_if_calibrated(p)
    assert chance.lo < chance < chance.hi < .12 and ece(y, off) > chance.hi
    assert ece_if_calibrated(p, seed=1).lo == ece_if_calibrated(p, seed=1).lo


@pytest.mark.later
def test_biased_errors_have_intervals():
    """They start at 0 for a calibrated model, lie above it for another, hold the value, repeat with the seed and
    claim no certainty"""
    y, p, _ = drawn(13, 400)
    sure = 1/(1+((1-p)/p)**2.5)
    two = lambda y, p, **o: ece_debiased(y, p, norm=2, **o)
    for f in (ece_debiased, two, ece_sweep, ece_smooth):
        a, b = f(y, p), f(y, sure)
        assert a.lo == 0 < a.hi < .2
        assert 0 < b.lo <= b <= b.hi < .4 and math.isnan(f(y, p, ci=None).lo) and float(f(y, p, ci=None)) == float(a)
        assert f(y, p).hi == a.hi and f(y, sure, ci=.8).lo >= b.lo
        assert (f is two or f([0, 1], [0., 1.]).hi > .1) and f([1, 1], [1., 1.]).hi > .1
    assert two([0, 1], [0., 1.]).reason == "no bin has two rows"


def test_sweep_by_hand():
    "Three rising bins (0, 1/2, 1); four would fall"
    p, y = np.array([.1, .2, .3, .4, .6, .7]), np.array([0, 0, 1, 0, 1, 1])
    s = ece_sweep(y, p)
    assert s.method.startswith("3 bins") and float(s) == pytest.approx((.3+.3+.7)/6)


def test_logistic_against_sklearn():
    y, p, _ = drawn(6, 600)
    q = 1/(1+((1-p)/p)**1.7*math.exp(.4))
    x = np.log(q/(1-q))
    fit = LogisticRegression(C=1e9, tol=1e-10, max_iter=1000).fit(x[:, None], y)
    s, i = calibration_slope(y, q), calibration_intercept(y, q)
    assert float(s) == pytest.approx(fit.coef_[0, 0], abs=1e-4) and s.lo < s < s.hi < 1
    assert (1/(1+np.exp(-x-float(i)))).mean() == pytest.approx(y.mean(), abs=1e-9)
    assert float(calibration_slope(y, q, sample_weight=np.full(600, 2.))) == pytest.approx(float(s), abs=1e-9)
    assert calibration_slope([0, 0, 1, 1], [.1, .2, .8, .9]).reason.startswith("the probabilities separate")
    assert calibration_slope([0, 1], [0., .5]).reason.startswith("a probability is exactly")
    assert calibration_slope([1, 1], [.4, .5]).reason == "a class is absent"
    assert calibration_slope([1, 0], [.5, .5]).reason == "all probabilities are equal"


def test_observed_expected_and_spiegelhalter():
    y, p, _ = drawn(7)
    o = observed_expected(y, p)
    assert float(o) == pytest.approx(y.sum()/p.sum()) and o.lo < o < o.hi
    assert observed_expected([0, 0], [0., 0.]).reason == "nothing was expected"
    z = ((y-p)*(1-2*p)).sum()/np.sqrt(((1-2*p)**2*p*(1-p)).sum())
    assert float(spiegelhalter(y, p).z) == pytest.approx(z, abs=1e-12)
    assert np.isnan(spiegelhalter([1, 0], [1., 0.]).p)


def test_decomposition():
    y, p, _ = drawn(8)
    assert np.allclose(isotonic(p, y), IsotonicRegression().fit_transform(p, y))
    d = brier_decomposition(y, p)
    assert d.brier == pytest.approx(d.miscalibration-d.discrimination+d.uncertainty, abs=1e-12)
    assert min(d.values()) >= -1e-12
    r = np.round(p, 1)*.98+.01    # one value a bin: Murphy's parts add up
    d = brier_decomposition(y, r, method="bins", n_bins=11)
    assert abs(d.within) < 1e-12 and d.brier == pytest.approx(float(brier(y, r)), abs=1e-12)


def test_temperature():
    y, p, rng = drawn(9, 3000)
    z = np.log(p/(1-p))*2.5
    T = fit_temperature(y, z, kind="logit")
    assert T.t == pytest.approx(2.5, rel=.15) and T(z) == pytest.approx(1/(1+np.exp(-z/T.t)))
    assert fit_temperature(y, 1/(1+np.exp(-z))).t == pytest.approx(T.t, rel=1e-6)
    losses = [float(log_loss(y, 1/(1+np.exp(-z/t)))) for t in (T.t*.98, T.t, T.t*1.02)]
    assert losses[1] == min(losses)
    k = np.stack([-z, z], 1)/2
    two = fit_temperature(y, k, kind="logit")
    assert two.t == pytest.approx(T.t, rel=1e-6) and two(k)[:, 1] == pytest.approx(T(z), abs=1e-6)
    both = fit_temperature(y, two(k))   # probabilities of both classes: what is left is a temperature of 1
    assert both.t == pytest.approx(1, rel=1e-6) and both(two(k)) == pytest.approx(two(k), abs=1e-6)
    with pytest.raises(ValueError, match="separate"): fit_temperature([0, 1], [-1., 1.], kind="logit")
    with pytest.raises(ValueError, match="backwards"): fit_temperature([0, 1], [1., -1.], kind="logit")
    with pytest.raises(ValueError, match="one class only"): fit_temperature([1, 1], [.2, .3])
    with pytest.raises(ValueError, match="between 0 and 1"): fit_temperature([0, 1], [-1., 2.])


rows = st.lists(st.tuples(st.integers(0, 1), st.floats(0, 1), st.integers(1, 3)), min_size=2, max_size=40)


@settings(max_examples=25, deadline=None)
@given(rows, st.sampled_from(["width", "mass"]), st.integers(1, 12))
@pytest.mark.later
def test_properties(data, binning, n_bins):
    y, p, w = (np.array(o) for o in zip(*data))
    how = dict(binning=binning, n_bins=n_bins)
    e = ece(y, p, **how)
    assert 0 <= e.lo <= e <= e.hi <= 1 and e <= mce(y, p, **how)+1e-12
    assert float(ece(y[::-1], p[::-1], ci=None, **how)) == pytest.approx(e, abs=1e-12)
    assert Bins.of(y, p, **how).n.sum() == len(y)
    for m in (brier, *([ece] if binning == "width" else [])):
        o = how if m is ece else {}
        a, b = m(y, p, sample_weight=w, frequency=True, **o), m(np.repeat(y, w), np.repeat(p, w), **o)
        assert [float(a), a.n] == pytest.approx([float(b), b.n], abs=1e-9)
    if binning == "width":
        a, b = Bins.of(y[:1], p[:1], **how)+Bins.of(y[1:], p[1:], **how), Bins.of(y, p, **how)
        assert np.allclose(a.p, b.p) and (a.n == b.n).all()
    c = Bins.cells(y, p, **how)
    assert np.allclose(c.build(c.count()).p, Bins.of(y, p, **how).p) and 0 <= ece_smooth(y, p) <= 1


def test_classwise_and_top_label():
    rng = np.random.default_rng(10)
    q = rng.dirichlet([1, 1, 1], 300)
    k = np.array([rng.choice(3, p=o) for o in q])
    assert float(ece(k, q)) == pytest.approx(float(ece((q.argmax(1) == k).astype(int), q.max(1))), abs=1e-12)
    assert float(ece_classwise(k, q)) == pytest.approx(np.mean([float(ece((k == c).astype(int), q[:, c]))
                                                                for c in range(3)]), abs=1e-12)
    assert reliability_curve(k, q).xlabel == "confidence in the top label"
    names = np.array(["a", "b", "c"])
    assert float(ece(names[k], q, labels=["a", "b", "c"])) == float(ece(k, q))


@every("call, words", [
    (lambda: ece([0, 1], [.1, 1.2]), "y_prob must lie between 0 and 1"),
    (lambda: ece([0, 1], [.1, np.nan]), "nan or infinite in row 1"),
    (lambda: ece([0, 1], [.1]), "y_true 2, y_prob 1"),
    (lambda: ece([], []), "empty"),
    (lambda: ece([0, 2], [.1, .2]), "y_true holds class 2"),
    (lambda: ece([0, 1], [[.5, .4], [.5, .5]]), "does not sum to 1 in row 0"),
    (lambda: ece([0, 1], [[.5], [.4]]), "give the column itself"),
    (lambda: ece([0, 1], [.1, .2], n_bins=0), "n_bins must be"),
    (lambda: ece([0, 1], [.1, .2], binning="quantile"), "binning must be"),
    (lambda: ece([0, 1], ["a", "b"]), "y_prob must be numbers"),
    (lambda: ece_classwise([0, 1], [.1, .2]), "one column a class"),
    (lambda: Bins.of([0, 1], [.1, .2])+Bins.of([0, 1], [.1, .2], n_bins=3), "different edges"),
    (lambda: brier([0, 1], [.1, .2], sample_weight=[1, -1]), "sample_weight must lie"),
])
def test_bad_input(call, words):
    with pytest.raises(ValueError, match=words): call()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31), st.integers(1, 19), st.integers(0, 4), st.booleans())
def test_bins_of_many_parts_are_those_of_each_part(seed, n_bins, digits, single):
    rng = np.random.default_rng(seed)
    first = np.r_[0, np.cumsum(rng.integers(1, rng.integers(2, 150), size=rng.integers(1, 9)))]
    y, p = rng.integers(0, 2, first[-1]), rng.random(first[-1]).round(digits)
    if single: p = p.astype(np.float32)
    together = Bins.of_parts(y, p, first, n_bins)
    for i, (a, b) in enumerate(zip(first, first[1:])):
        alone = Bins.of(y[a:b], p[a:b], n_bins=n_bins, binning="mass")
        for own, one in ((together.n, alone.n), (together.p, alone.p), (together.y, alone.y)):   # to the last digit
            assert np.array_equal(own[i, :len(one)], one) and not own[i, len(one):].any()


@pytest.mark.parametrize("error", [ece_sweep, ece_smooth])
def test_rows_in_another_order_have_the_same_limits(error):
    "Rows of two classes tie: in another order a rounding let the upper limit be .619 for .607"
    y, p = np.array([0, 0, 0, 0, 1, 1, 1, 1]), np.array([1, 2, 3, 8, 0, 0, 1, 8])/20
    orders = [np.random.default_rng(seed).permutation(8) for seed in range(9)]
    found = [error(y[i], p[i], n_resamples=5) for i in orders]
    assert len({(float(s), s.lo, s.hi) for s in found}) == 1
