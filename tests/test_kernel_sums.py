"Sums over pairs in tiles, against the kernel matrix in double precision"
import math
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from mic_eval.metrics import mmd2
from mic_eval.metrics.distances import gaussian_kernel as gaussian, kernel_sums


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
def test_sums_are_those_of_the_matrix(n, m, d, width, kind, seed):
    rng = np.random.default_rng(seed)
    rows = dict(normal=lambda: rng.normal(size=(n+m, d)), binary=lambda: (rng.random((n+m, d)) < .3)*1.,
                tails=lambda: rng.standard_t(3, (n+m, d)), equal=lambda: np.ones((n+m, d)))
    x = rows.get(kind, rows["normal"])()*width/math.sqrt(d)
    if kind == "one far away": x[rng.integers(n+m)] += 40
    if kind == "in order": x = x[np.argsort(x[:, 0])]
    want = wanted(x, n)
    got = kernel_sums(gaussian, x, (np.arange(n+m) < n)[:, None])
    np.testing.assert_allclose([*got[0], *got[1], got[2]], want, rtol=1e-9, atol=1e-9)


@pytest.mark.later
@pytest.mark.parametrize("d", [3, 48])
def test_single_precision_keeps_seven_digits(d):
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(size=(2700, d)), rng.normal(.1, 1.1, (2900, d))])/math.sqrt(2*d)
    x[:20] = x[0]
    quad, row, total = kernel_sums(gaussian, x, (np.arange(5600) < 2700)[:, None], 14.)
    np.testing.assert_allclose([*quad, *row, total], wanted(x, 2700), rtol=1e-7)


@pytest.mark.parametrize("d", [3, 64])
def test_single_precision_and_shuffles_say_the_same(d):
    rng = np.random.default_rng(d)
    x, y = rng.normal(size=(3000, d)), rng.normal(.1, 1.1, (2600, d))
    alone, shuffled = mmd2(x, y, gamma=1/(4*d)), mmd2(x, y, gamma=1/(4*d), n_permutations=3)
    few = mmd2(x[:2400], y[:2500], gamma=1/(4*d)), mmd2(x[:2400], y[:2500], gamma=1/(4*d), n_permutations=3)
    assert abs(alone-shuffled) < 2e-8 and abs(few[0]-few[1]) < 1e-14
    assert abs(mmd2(y, x, gamma=1/(4*d))-alone) < 2e-8


@pytest.mark.later
def test_rows_very_far_away_are_no_overflow():
    rng = np.random.default_rng(0)
    Z = (np.arange(5200) < 2600)[:, None]
    for far in (1e2, 1e4, 1e8, 1e15):
        x = rng.normal(size=(5200, 8))/4
        x[2600:2700] += far
        x[0] -= far
        with np.errstate(all="raise", under="ignore"): quad, row, total = kernel_sums(gaussian, x, Z, 14.)
        sums = np.array([*quad, *row, total])
        assert np.isfinite(sums).all() and (sums >= 0).all()
        if far < 1e5: np.testing.assert_allclose(sums, wanted(x, 2600), rtol=3e-7)   # above, rows are alike to rounding
