"Selective prediction and conformal coverage: beside brute force, scipy, scikit-learn and MAPIE (stored values)"
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score

from mic_eval.metrics.uncertainty import (Selective, augrc, aurc, confidence_kendall, confidence_pearson,
                                          confidence_spearman,
                                          conformal_coverage, conformal_quantile, coverage_band, e_aurc, entropy,
                                          error_auroc, margin,
                                          prediction_sets, risk_coverage, selective_risk, top_probability)
from every import every


def mean_risk(loss): return (np.cumsum(loss)/np.arange(1, len(loss)+1)).mean()


def over_orders(loss, conf, f):
    "Mean of f over every order of the tied rows"
    blocks = [loss[conf == c] for c in np.unique(conf)[::-1]]
    return np.mean([f(np.concatenate(o)) for o in itertools.product(*(list(itertools.permutations(b))
        for b in blocks))])


small = st.lists(st.tuples(st.sampled_from([0, 1, .3]), st.integers(0, 3)), min_size=1, max_size=7)
binary = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 8), st.integers(1, 4)), min_size=3,
                  max_size=40).filter(lambda r: len({e for e, *_ in r}) == 2 and len({c for _, c, _ in r}) > 1)


@given(small)
@settings(max_examples=60, deadline=None)
def test_areas_by_brute_force(rows):
    loss, conf = (np.array(o, float) for o in zip(*rows))
    assert math.isclose(aurc(loss, conf), over_orders(loss, conf, mean_risk), abs_tol=1e-10)
    assert math.isclose(e_aurc(loss, conf), aurc(loss, conf)-mean_risk(np.sort(loss)), abs_tol=1e-10)
    trapezoid = lambda o: (np.cumsum(o)-np.asarray(o)/2).mean()/len(o)
    assert math.isclose(augrc(loss, conf), over_orders(loss, conf, trapezoid), abs_tol=1e-10)
    assert e_aurc(loss, conf) >= -1e-12


@pytest.mark.later
@given(binary)
@settings(max_examples=60, deadline=None)
def test_against_scipy_and_sklearn(rows):
    e, c, w = (np.array(o, float) for o in zip(*rows))
    assert math.isclose(confidence_spearman(e, c), stats.spearmanr(c, 1-e).statistic, abs_tol=1e-9)
    assert math.isclose(confidence_kendall(e, c), stats.kendalltau(c, 1-e).statistic, abs_tol=1e-9)
    assert math.isclose(confidence_pearson(e, c), stats.pearsonr(c, 1-e).statistic, abs_tol=1e-9)
    a = error_auroc(e, c, ci=None)
    assert math.isclose(a, roc_auc_score(e, -c), abs_tol=1e-12)
    acc = 1-e.mean()
    assert math.isclose(augrc(e, c), (1-a)*acc*(1-acc)+(1-acc)**2/2, abs_tol=1e-12)
    E, C, k = np.repeat(e, w.astype(int)), np.repeat(c, w.astype(int)), dict(sample_weight=w, frequency=True)
    order = np.random.default_rng(0).permutation(len(e))
    for f in (aurc, e_aurc, augrc, confidence_spearman, confidence_kendall, confidence_pearson):
        assert math.isclose(f(e, c, **k), f(E, C), abs_tol=1e-9)                     # weights = repetition
        assert math.isclose(f(e[order], c[order]), f(e, c), abs_tol=1e-9)            # the order of the rows
        assert math.isclose(f(e, 3*c+1), f(e, c), abs_tol=1e-9)                      # scale of the confidence
        two = f.of(Selective.of(e, c, weight=np.stack([np.ones(len(e)), w])))        # leading axes
        np.testing.assert_allclose(two, [f(e, c), f(E, C)], atol=1e-9)


@pytest.mark.later
def test_bootstrap_of_areas():
    rng = np.random.default_rng(0)
    c = rng.random(300); e = (rng.random(300) > .6+.4*c).astype(int)
    s = aurc(e, c, ci=.95)
    reps = [aurc(e[i], c[i]) for i in rng.integers(0, 300, (400, 300))]
    assert s.lo < s < s.hi and abs(np.std(reps)*3.92/(s.hi-s.lo)-1) < .2
    g = aurc(e, c, ci=.95, groups=np.arange(300) // 10)
    assert g.groups == 30 and g.lo < g < g.hi


def test_risk_coverage():
    e, c = [0, 1, 0, 0, 1], [.9, .9, .5, .4, .4]
    r = risk_coverage(e, c)
    np.testing.assert_allclose(r.x, [.4, .6, 1]); np.testing.assert_allclose(r.y, [.5, 1/3, .4])
    assert (r.extra["threshold"] == [.9, .5, .4]).all() and (r.lo < r.y).all()
    assert risk_coverage(np.linspace(0, 1, 5), c).lo is None
    big = risk_coverage(np.zeros(5000), np.arange(5000.), max_points=100)
    assert len(big) == 100 and big.x[-1] == 1
    assert selective_risk(e, c, coverage=.3).k == 1 and selective_risk(e, c, coverage=.3).n == 2   # ties are kept whole
    assert selective_risk(e, c, coverage=.5).n == 3 and selective_risk(e, c, coverage=1).n == 5
    s = selective_risk([.1, .5, .2, .9, .4, .3], range(6))
    assert s.lo < s < s.hi
    w = risk_coverage(e, c, sample_weight=[2]*5)
    # weights never change n
    np.testing.assert_allclose(w.lo, r.lo)


@pytest.mark.parametrize("level, total, coverage, width",
                         [(.9, 327, 0.8930817610062893, 2.056603773584906),
                          (.75, 222, 0.7610062893081762, 1.3962264150943395)])
def test_mapie(level, total, coverage, width):   # MAPIE 1.6.0, tests/oracles/mapie_values.py
    rng = np.random.default_rng(3)
    p = rng.dirichlet([1, 1, 1], 260)
    y = np.array([rng.choice(3, p=o) for o in p])
    q = conformal_quantile(1-p[np.arange(101), y[:101]], 1-level)
    sets = prediction_sets(p[101:], q)
    r = conformal_coverage(y[101:], sets, alpha=1-level, n_cal=101)
    assert sets.sum() == total and math.isclose(r.marginal, coverage) and math.isclose(r.mean_size, width)
    assert r.expected.lo <= r.marginal <= r.expected.hi


def test_conformal_promise():
    rng, n, m = np.random.default_rng(1), 49, 60
    covered = np.array([(rng.random(m) <= conformal_quantile(rng.random(n), .1)).mean() for _ in range(3000)])
    assert abs(covered.mean()-.9) < .004
    lo, hi = coverage_band(n, m, .1)
    assert .95 <= ((covered >= lo) & (covered <= hi)).mean() < .985
    for a in (n, m, .1, .9), (200, 1000, .05, .95), (30, 7, .2, .5):
        k, n2, alpha, level = a
        l = math.floor((k+1)*alpha+1e-9)
        np.testing.assert_allclose(np.array(coverage_band(*a))*n2,
                                   stats.betabinom(n2, k+1-l, l).ppf([(1-level)/2, (1+level)/2]))
    assert coverage_band(5, 10) == (1, 1)


def test_conformal_tables():
    y, sets = ["a", "b", "a", "b"], np.array([[1, 0], [1, 0], [1, 1], [0, 1]], bool)
    r = conformal_coverage(y, sets, labels=["a", "b"], by=[1, 1, 2, 2], n_cal=[20, 30])
    assert r.marginal.k == 3 and r.per_class.b.coverage.k == 1 and r.per_group["2"].k == 2 and r.mean_size == 1.25
    assert r.per_class.a.expected.hi == 1 and r.empty == 0 and r.single == .75
    r = conformal_coverage(np.tile([0, 1], 50), np.ones((100, 2)), groups=np.arange(100) // 5)
    assert r.marginal.groups == 20
    assert conformal_coverage([0, 0], np.ones((2, 2))).per_class["1"].reason == "no rows"


def test_doubt():
    rng = np.random.default_rng(0)
    p = rng.dirichlet([1]*4, 50)
    np.testing.assert_allclose(entropy(p), stats.entropy(p, axis=1)/math.log(4))
    s = np.sort(p, 1)
    np.testing.assert_allclose(margin(p), s[:, -1]-s[:, -2]); np.testing.assert_allclose(top_probability(p), s[:, -1])


@every("call, words", [
    (lambda: aurc([0, 1], [.5]), "lengths"), (lambda: aurc([], []), "empty"),
                       (lambda: aurc([0, np.nan], [.5, .6]), "error is nan or infinite in row 1"),
    (lambda: aurc([0, 1], ["a", "b"]), "confidence must be numbers"),
                       (lambda: error_auroc([0, .5], [.5, .6]), "row 1"),
                       (lambda: error_auroc([0, 2], [.5, .6]), "0 or 1"),
    (lambda: confidence_spearman([.2, 1], [.5, .6]), "0 or 1"),
                       (lambda: aurc([0, 1], [.5, .6], sample_weight=[0, 0]), "sample_weight"),
    (lambda: selective_risk([0, 1], [.5, .6], coverage=0), "coverage"), (lambda: conformal_quantile([.1], 0), "alpha"),
    (lambda: prediction_sets([[.5, .5]], [.1, .2, .3]), "2 classes"),
                       (lambda: conformal_coverage([0, 2], np.ones((2, 2))), "beyond the 2 columns"),
    (lambda: conformal_coverage([0, 1], np.full((2, 2), .5)), "true or false"),
                       (lambda: conformal_coverage([0, 1], np.ones((2, 2)), n_cal=[3]), "n_cal"),
    (lambda: margin([[.9, .9]]), "sum to 1")])
def test_bad_input(call, words):
    with pytest.raises(ValueError, match=words): call()


def test_undefined_is_nan_with_a_reason():
    assert error_auroc([0, 0], [.5, .6]).reason == "no errors"
    assert error_auroc([1, 1], [.5, .6]).reason == "nothing but errors"
    for f in (confidence_spearman, confidence_kendall, confidence_pearson):
        for e, c in (([0, 0], [.5, .6]), ([0, 1], [.5, .5])):
            assert math.isnan(f(e, c)) and f(e, c).reason
    assert aurc([0, 0], [.5, .5]) == 0 and math.isclose(aurc([1, 1], [.5, .5]), 1)
    best = aurc([0]*30, np.arange(30), ci=.95)
    assert best.lo == 0 and .05 < best.hi < .2 and "too few rows (3)" in aurc([0, 0, 0], [.1, .2, .3], ci=.95).reason


@pytest.mark.later
def test_weights_are_shares_of_the_coverage():
    "Whatever their unit they change no n; over many rows the area is the weighted mean of the risk at each row"
    rng = np.random.default_rng(8)
    p = rng.random(4000)
    e, w = (rng.random(4000) > p).astype(int), rng.gamma(.7, 1, 4000)
    order = np.argsort(-p)
    W, L = np.cumsum(w[order]), np.cumsum((w*e)[order])
    s = aurc(e, p, sample_weight=w)
    assert s.n == 4000 and math.isclose(s, (w[order]*L/W).sum()/w.sum(), rel_tol=.01)
    for f in (aurc, e_aurc, augrc):
        assert math.isclose(f(e, p, sample_weight=w), f(e, p, sample_weight=1000*w), rel_tol=1e-9)
        assert math.isclose(f(e, p, sample_weight=np.full(4000, 7.)), f(e, p), rel_tol=1e-9)
        assert math.isclose(f(e, p, sample_weight=w*(p > .3)), f(e[p > .3], p[p > .3], sample_weight=w[p > .3]),
                            rel_tol=1e-9)
    k = rng.integers(0, 4, 4000)
    for f in (aurc, e_aurc, augrc):
        assert math.isclose(f(e, p, sample_weight=k, frequency=True), f(np.repeat(e, k), np.repeat(p, k)), rel_tol=1e-9)


def test_every_metric_has_its_interval_unless_told_otherwise():
    import inspect
    import mic_eval.metrics as M
    asked = {n: p["ci"].default for n in M.__all__ if callable(o := getattr(M, n)) and not inspect.isclass(o)
             and "ci" in (p := inspect.signature(o).parameters)}
    assert len(asked) > 80 and set(asked.values()) == {.95}, {n: ci for n, ci in asked.items() if ci != .95}
    rng = np.random.default_rng(0)
    error, sure = rng.integers(0, 2, 200), rng.random(200)
    for m in (M.aurc, M.e_aurc, M.augrc): assert m(error, sure).lo < m(error, sure) < m(error, sure).hi
