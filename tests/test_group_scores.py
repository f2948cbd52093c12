"Scores of groups that lie in many files: the interval of the rows, within what the bins can hide"
import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import mic_eval.metrics as M
from mic_eval.metrics.shards import (GroupScores, SiteStatistic, hidden_error, pooled_result, score_of_groups,
                                     site_from_json, site_to_json)
import mic_eval.metrics.shards as shards
from mic_eval.metrics.ranking import delong_covariance, placement_deviations

r = np.random.default_rng(3)
N = 3000


def made(G, digits=None, power=1.):
    "Rows of G groups that err together; with `power`, of unequal size"
    g = (G*r.random(N)**power).astype(int)
    p = np.clip(r.beta(.7, .7, N)+r.normal(0, .1, G)[g], 0, 1)
    return (r.random(N) < p)*1, np.round(p, digits) if digits else p, g


def total(y, p, g, most=1 << 22, parts=5, seed=0):
    rows = np.array_split(np.random.default_rng(seed).permutation(len(y)), parts)
    tables = [GroupScores.of(y[i], p[i], g[i], most) for i in rows]
    return sum(tables[1:], tables[0])


@pytest.mark.parametrize("G, power", [(20, 1), (200, 1), (40, 3), (900, 1), (4, 1)])
def test_the_interval_of_the_rows(G, power):
    y, p, g = made(G, 2, power)
    for m in (M.roc_auc, M.average_precision):
        one, many = m(y, p, groups=g), score_of_groups(m, float(m(y, p, ci=None)), total(y, p, g))
        assert np.allclose([many.lo, many.hi], [one.lo, one.hi], rtol=1e-9, equal_nan=True)
        assert (many.groups, many.n, many.reason) == (one.groups, one.n, one.reason)
        assert many.method == one.method


@pytest.mark.parametrize("most", [1 << 22, 2950, 2850])
def test_the_bound_holds(most):
    "The standard error over groups differs from that of the rows by less than is said"
    y, p, g = made(50)
    t = total(y, p, g, most)
    assert not t.bundled
    rows, growth, rank, cells = M.group_scores._by_group(t)
    a, b = M.group_scores._deviations(rank, cells, 50)
    coarse = math.sqrt(M.areas.grouped_covariance(a, b, rank.positives*1., rank.negatives*1.,
                                                  np.count_nonzero(growth), np.count_nonzero(rows > growth))[0, 0])
    _, up, d = placement_deviations(y, p)
    exact = math.sqrt(delong_covariance(up, d[None], g, 50)[0][0, 0])
    assert abs(coarse-exact) <= hidden_error(t) < .05*exact


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 99), parts=st.integers(1, 12), G=st.sampled_from([3, 50, 700]),
       most=st.sampled_from([1 << 22, 2800, 1500, 900]))
def test_neither_order_nor_cut_matters(seed, parts, G, most):
    y, p, g = made(G)
    a, b = total(y, p, g, most, parts, seed), GroupScores.of(y, p, g, most)
    assert (a.exponent, bool(a.bundled), len(a.cell)) == (b.exponent, bool(b.bundled), len(b.cell))
    for k in ("names", "cell", "count"): assert np.array_equal(getattr(a, k), getattr(b, k))


def test_many_groups_are_bundled():
    y, p, g = made(2500)
    t = total(y, p, g, 1000)
    assert t.bundled and len(t.names) > 390 and t.count.sum() == N
    s, one = score_of_groups(M.roc_auc, float(M.roc_auc(y, p, ci=None)), t, groups=2500), M.roc_auc(y, p, groups=g)
    assert "bundles" in s.method and s.groups == 2500 and s.hi-s.lo == pytest.approx(one.hi-one.lo, rel=.2)


def test_calls_of_more_rows_than_can_be_spelled_out(monkeypatch):
    y, p, g = made(40)
    s = SiteStatistic.of(y, p, groups=g)
    want = pooled_result(s).overall
    monkeypatch.setattr(shards, "_MOST_ROWS", 0)
    got = pooled_result(s).overall
    for k in ("f1", "mcc", "balanced_accuracy"):
        assert [got[k].lo, got[k].hi] == pytest.approx([want[k].lo, want[k].hi], abs=.004)
    for k in ("accuracy", "sensitivity", "specificity", "ppv", "npv"):   # a share needs no row spelled out
        assert got[k] == want[k] and got[k].as_dict() == want[k].as_dict()
    assert [got[k].groups for k in ("f1", "mcc")] == [40, 40] and pooled_result(s, ci=None).overall.f1.reason == ""


def test_a_damaged_file_is_refused():
    y, p, g = made(20)
    text = site_to_json(SiteStatistic.of(y, p, groups=g, scores=True))
    assert site_from_json(text).ranks.names.tolist() == sorted(map(str, range(20)))
    with pytest.raises(ValueError, match="scores of the groups"):
        site_from_json(text.replace('"names": ["0", ', '"names": ['))
