"One pass over the rows says what five passes say"
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import mic_eval.metrics as M
from mic_eval.metrics.calibration import BrierLosses
from mic_eval.metrics.recalibration import LogLosses
from mic_eval.metrics.shards import SiteStatistic
from mic_eval.metrics.streams import OnePass, summed_at_once
from every import every

row = st.tuples(st.integers(0, 1), st.one_of(st.integers(0, 30).map(lambda i: i/30), st.floats(0, 1),
                                             st.floats(.3, .30001), st.floats(0, 1e-5)))


def same(out, y, p, t, size=1 << 16, near=1e-7):
    "Counts to the last bit, sums to rounding"
    table, scores, bins, brier, log = out
    plain, h = M.Bins.of(y, p), M.ScoreHistogram.of(y, p, size=size)
    assert np.array_equal(table.m, M.Confusion.of(y, (p >= p.dtype.type(t))*1, labels=[0, 1]).m)
    assert np.array_equal([bins.n, bins.y], [plain.n, plain.y])
    assert np.allclose(bins.p, plain.p, rtol=1e-6) and np.array_equal(bins.edges, plain.edges)
    assert (scores.exponent, scores.first, scores.size) == (h.exponent, h.first, h.size)
    assert np.array_equal([scores.pos, scores.neg], [h.pos, h.neg])
    q = p.astype(float)
    for ours, theirs in ((brier, BrierLosses.of(y, q)), (log, LogLosses.of(y, q))):
        assert ours.n == theirs.n and np.allclose([ours.s, ours.q], [theirs.s, theirs.q], rtol=near, atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(rows=st.lists(row, min_size=1, max_size=60), kind=st.sampled_from([np.float64, np.float32]),
       t=st.sampled_from([.5, .3, .75, 0., 1.]), size=st.sampled_from([1 << 16, 64, 4]), cut=st.integers(0, 60))
def test_every_row_is_in_its_bin(rows, kind, t, size, cut):
    y, p = np.array([a for a, _ in rows]), np.array([b for _, b in rows]).astype(kind)
    one, parts = OnePass(t, size), [(y[:cut], p[:cut]), (y[cut:], p[cut:])]
    if all(one.take(*o) for o in parts if len(o[0])): same(one.parts(), y, p, t, size)


@every("draw", [lambda r, n: r.random(n)**2, lambda r, n: 1e-3*r.random(n), lambda r,
                n: .4+.01*r.random(n), lambda r, n: np.round(r.beta(.3, .3, n), 3), lambda r,
                n: np.where(r.random(n) < .5, 1e-4, 1-1e-4)*(1-1e-5*r.random(n))])
@every("kind", [np.float64, np.float32])
def test_many_rows(draw, kind):
    "Also where blocks need grids of their own, and where a model is nearly perfect"
    r = np.random.default_rng(1)
    p = draw(r, 60_000).astype(kind)
    y = (r.random(len(p)) < p)*1
    one = OnePass(.3)
    assert all(one.take(y[i:i+13_000], p[i:i+13_000]) for i in range(0, len(p), 13_000))
    same(one.parts(), y, p, .3, near=1e-6)


def test_a_bin_that_overflows_its_digit():
    "More rows in one bin than one sum can tell: they are parted on the way"
    n = 1_300_000
    y, p = np.arange(n) % 3 == 0, np.full(n, .7)
    p[0] = .2
    table, scores, bins, brier, log = summed_at_once(y, p)
    assert np.array_equal(table.m, [[0, 866_666], [1, 433_333]])
    assert (scores.pos[-1], scores.neg[-1], scores.pos[0]) == (433_333, 866_666, 1)
    assert np.allclose([brier.s, log.s], [.64+433_333*.09+866_666*.49,
                                          -np.log(.2)-433_333*np.log(.7)-866_666*np.log(.3)], rtol=1e-9)


@pytest.mark.parametrize("y, p", [([0, 2], [.1, .2]), ([0, 1], [.1, 1.2]), ([0, 1], [np.nan, .2]),
                                  ([0, -1], [.1, .2]), (["a", "b"], [.1, .2])])
def test_what_is_not_plain_is_handed_back(y, p):
    assert summed_at_once(np.array(y), np.array(p)) is None
    with pytest.raises(ValueError): SiteStatistic.of(np.array(y), np.array(p))
