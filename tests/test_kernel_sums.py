"Sums over pairs in tiles and by the series, against the kernel matrix in double precision"
import math
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from mic_eval.metrics import mmd2
from mic_eval.metrics.distances import gaussian_kernel as gaussian, gaussian_sums, kernel_sums, series_sum


def wanted(rows, n):
    "z'Kz, z'K1 and 1'K1 without the diagonal, from differences"
    K = np.zeros((len(rows), len(rows)))
    for i, r in enumerate(rows): K[i] = np.exp(-((rows-r)**2).sum(1)/2)
    np.fill_diagonal(K, 0)
    return K[:n, :n].sum(), K[:n].sum(), K.sum()


@pytest.mark.full
@given(st.integers(2, 700), st.integers(2, 700), st.integers(1, 40), st.floats(.01, 3), st.sampled_from(
    ["normal", "binary", "tails", "one far away", "in order", "equal"]), st.integers(0, 9))
@settings(max_examples=40, deadline=None)
def test_both_sums_are_those_of_the_matrix(n, m, d, width, kind, seed):
    rng = np.random.default_rng(seed)
    rows = dict(normal=lambda: rng.normal(size=(n+m, d)), binary=lambda: (rng.random((n+m, d)) < .3)*1.,
                tails=lambda: rng.standard_t(3, (n+m, d)), equal=lambda: np.ones((n+m, d)))
    x = rows.get(kind, rows["normal"])()*width/math.sqrt(d)
    if kind == "one far away": x[rng.integers(n+m)] += 40
    if kind == "in order": x = x[np.argsort(x[:, 0])]
    want = wanted(x, n)
    some = kernel_sums(gaussian, x, (np.arange(n+m) < n)[:, None])
    np.testing.assert_allclose(np.ravel(some[0]), want[0], rtol=1e-9, atol=1e-9)
    for got in (gaussian_sums(x, (np.arange(n+m) < n)[:, None]), some):
        np.testing.assert_allclose([*got[0], *got[1], got[2]], want, rtol=1.2e-7, atol=1e-9)


@given(st.integers(0, 9), st.floats(.001, .6), st.floats(0, 2))
@settings(max_examples=60, deadline=None)
def test_the_bound_of_the_series_holds(seed, spread, skew):
    "What is returned is right to single precision's rounding; what is not said to be so is nan"
    rng = np.random.default_rng(seed)
    t = np.concatenate([rng.normal(0, spread, 500), rng.exponential(skew*spread+1e-9, 100)])
    t = (t-t.mean()).reshape(20, 30)
    got = series_sum(t.copy(), float((t*t).sum()), -t.min(), t.max(), np.empty_like(t))
    want = np.exp(t).sum()
    assert math.isnan(got) or abs(got/want-1) < 6.1e-8
    if spread < .05 and skew < .5: assert not math.isnan(got)
    if spread > .5: assert math.isnan(got)


@pytest.mark.parametrize("d", [3, 64])
def test_single_precision_and_shuffles_say_the_same(d):
    rng = np.random.default_rng(d)
    x, y = rng.normal(size=(3000, d)), rng.normal(.1, 1.1, (2600, d))
    alone, shuffled = mmd2(x, y, gamma=1/(4*d)), mmd2(x, y, gamma=1/(4*d), n_permutations=3)
    few = mmd2(x[:2400], y[:2500], gamma=1/(4*d)), mmd2(x[:2400], y[:2500], gamma=1/(4*d), n_permutations=3)
    assert abs(alone-shuffled) < 2e-8 and abs(few[0]-few[1]) < 1e-14
    assert abs(mmd2(y, x, gamma=1/(4*d))-alone) < 2e-8


def test_rows_very_far_away_are_no_overflow():
    rng = np.random.default_rng(0)
    Z = (np.arange(5200) < 2600)[:, None]
    for far in (1e2, 1e4, 1e8, 1e15):
        x = rng.normal(size=(5200, 8))/4
        x[2600:2700] += far
        x[0] -= far
        with np.errstate(all="raise", under="ignore"): quad, row, total = gaussian_sums(x, Z)
        want = kernel_sums(gaussian, x, Z, 14.)
        np.testing.assert_allclose([*quad, *row, total], [*want[0], *want[1], want[2]], rtol=3e-7)
