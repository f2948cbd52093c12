"One pass over the rows says what five passes say"
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import mic_eval.metrics as M

row = st.tuples(st.integers(0, 1), st.one_of(st.integers(0, 30).map(lambda i: i/30), st.floats(0, 1), st.floats(.3, .30001), st.floats(0, 1e-5)))


@settings(max_examples=60, deadline=None)
@given(rows=st.lists(row, min_size=1, max_size=60), kind=st.sampled_from([np.float64, np.float32]), t=st.sampled_from([.5, .3, .75, 0., 1.]), size=st.sampled_from([1 << 16, 64, 4]))
def test_every_row_is_in_its_bin(rows, kind, t, size):
    y, p = np.array([a for a, _ in rows]), np.array([b for _, b in rows]).astype(kind)
    out = M.summed_at_once(y, p, t, size)
    if out is None: return
    table, scores, bins, brier, log = out
    plain, h = M.Bins.of(y, p), M.ScoreHistogram.of(y, p, size=size)
    assert np.array_equal(table.m, M.Confusion.of(y, (p >= kind(t))*1, labels=[0, 1]).m)
    assert np.array_equal([bins.n, bins.y], [plain.n, plain.y]) and np.allclose(bins.p, plain.p, atol=1e-6) and np.array_equal(bins.edges, plain.edges)
    assert (scores.exponent, scores.first) == (h.exponent, h.first) and np.array_equal([scores.pos, scores.neg], [h.pos, h.neg])
    q = p.astype(float)
    for ours, theirs in ((brier, M.BrierLosses.of(y, q)), (log, M.LogLosses.of(y, q))):
        assert np.allclose([ours.n, ours.s, ours.q], [theirs.n, theirs.s, theirs.q], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("y, p", [([0, 2], [.1, .2]), ([0, 1], [.1, 1.2]), ([0, 1], [np.nan, .2]), ([0, -1], [.1, .2]), (["a", "b"], [.1, .2])])
def test_what_is_not_plain_is_handed_back(y, p):
    assert M.summed_at_once(np.array(y), np.array(p)) is None
    with pytest.raises(ValueError): M.SiteStatistic.of(np.array(y), np.array(p))
