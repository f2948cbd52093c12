"Curves: scikit-learn and brute force as oracles, properties, degenerate and bad input"
import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given, settings, strategies as st

from mic_eval.core.metric import Metric
from mic_eval.metrics import (Ranking, ScoreHistogram, average_precision, best_threshold, bootstrap_many, brier,
                              delong_test, ece, accuracy, f1, f1_max, partial_auc, pr_curve, roc_auc, roc_curve,
                              threshold_at)
from mic_eval.metrics.ranking import newcombe_auc
from mic_eval.metrics.multiclass import over_classes
from mic_eval.metrics.streams import stream_metrics
from mic_eval.metrics.evaluate import joint_replicates, _read
from mic_eval.metrics.ranking import Draws, SortedRows
from mic_eval.core.resample import draw_counts
from every import every


def data(seed=0, n=400, digits=1):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return y, np.round(y+rng.normal(0, 1, n), digits), rng


@pytest.mark.parametrize("digits", [0, 1, 8])
def test_values_against_sklearn(digits):
    y, s, rng = data(1, 500, digits)
    w = rng.random(500)
    for ours, theirs in ((roc_auc, sk.roc_auc_score), (average_precision, sk.average_precision_score)):
        assert float(ours(y, s, ci=None)) == pytest.approx(theirs(y, s), abs=1e-12)
        assert float(ours(y, s, ci=None, sample_weight=w)) == pytest.approx(theirs(y, s, sample_weight=w), abs=1e-12)
    p, r, _ = sk.precision_recall_curve(y, s)
    assert float(f1_max(y, s, ci=None)) == pytest.approx(np.max(2*p*r/np.maximum(p+r, 1e-12)), abs=1e-12)
    for m in (.05, .3):
        assert float(partial_auc(y, s, fpr=(0, m), ci=None)) == pytest.approx(sk.roc_auc_score(y, s, max_fpr=m),
            abs=1e-12)


def test_curves_against_sklearn():
    y, s, _ = data(2)
    f, t, _ = sk.roc_curve(y, s, drop_intermediate=False)
    c = roc_curve(y, s, max_points=10**6)
    assert set(zip(c.x.round(9), c.y.round(9))) <= set(zip(f.round(9), t.round(9)))
    assert np.trapezoid(c.y, c.x) == pytest.approx(sk.roc_auc_score(y, s), abs=1e-12)
    p, r, _ = sk.precision_recall_curve(y, s)
    c = pr_curve(y, s, max_points=10**6)
    assert np.allclose(c.x, r[:-1]) and np.allclose(c.y, p[:-1])
    assert (c.lo <= c.y).all() and (c.y <= c.hi).all()


def test_thinned_curves_keep_the_ends():
    y, s, _ = data(3, 5000, 8)
    c = roc_curve(y, s, max_points=50)
    assert len(c) <= 50 and (c.x[0], c.y[0], c.x[-1], c.y[-1]) == (0, 0, 1, 1)
    assert np.trapezoid(c.y, c.x) == pytest.approx(float(roc_auc(y, s)), abs=.01)


@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("scheme", ["ovr", "ovo"])
def test_several_classes_against_sklearn(average, scheme):
    rng = np.random.default_rng(4)
    p = rng.dirichlet([1, 2, 1], 300)
    y = np.array([rng.choice(3, p=q) for q in p])
    s = roc_auc(y, p, average=average, scheme=scheme)
    assert float(s) == pytest.approx(sk.roc_auc_score(y, p, average=average, multi_class=scheme), abs=1e-12)
    assert s.lo < s < s.hi
    assert roc_auc(y, p, average=average, scheme=scheme, groups=np.arange(300)//10).groups == 30


def delong_by_hand(y, a, b):
    "Every pair, no sorting"
    psi = lambda s: (s[y == 1][:, None] > s[y == 0])+.5*(s[y == 1][:, None] == s[y == 0])
    A, B = psi(a), psi(b)
    S = np.cov(A.mean(1), B.mean(1))/len(A)+np.cov(A.mean(0), B.mean(0))/A.shape[1]
    return A.mean(), B.mean(), S


def test_delong_against_all_pairs():
    y, s, rng = data(5, 120)
    t = np.round(s+rng.normal(0, 1, 120), 1)
    a, b, S = delong_by_hand(y, s, t)
    out = delong_test(y, s, t)
    assert float(out.difference) == pytest.approx(a-b, abs=1e-12)
    assert out.statistic == pytest.approx((a-b)/np.sqrt(S[0, 0]+S[1, 1]-2*S[0, 1]), abs=1e-9)
    logit = np.log(a/(1-a))+np.array([-1, 1])*1.959963985*np.sqrt(S[0, 0])/(a*(1-a))
    assert [roc_auc(y, s).lo, roc_auc(y, s).hi] == pytest.approx(list(1/(1+np.exp(-logit))), abs=1e-9)


def test_identical_scores_are_equal():
    y, s, rng = data(6)
    for t in (s, 3*s-1, np.exp(s)): assert float(delong_test(y, s, t).p) == 1
    three = delong_test(y, s, s, s)
    assert float(three.p) == 1 and all(float(o.p) == 1 for o in three.pairs.values())
    assert float(delong_test(y, s, s, rng.normal(size=400)).p) < 1e-6


def test_groups_of_one_are_rows_and_copies_are_groups():
    y, s, _ = data(7, 100, 8)
    one, all_ = roc_auc(y, s, groups=np.arange(100)), roc_auc(y, s)
    assert [one.lo, one.hi] == pytest.approx([all_.lo, all_.hi], abs=.005)
    twice = roc_auc(np.tile(y, 3), np.tile(s, 3), groups=np.tile(np.arange(100), 3))
    assert [twice.lo, twice.hi] == pytest.approx([one.lo, one.hi], abs=.005)
    assert "too few groups" in roc_auc(y, s, groups=np.arange(100) % 4).reason
    assert "too few groups" in delong_test(y, s, -s, groups=np.arange(100) % 4).p.reason
    assert roc_curve(y, s, groups=np.arange(100) % 3).lo is None


def test_the_ends():
    y = np.array([0]*30+[1]*20)
    perfect = roc_auc(y, y)
    assert perfect.hi == 1 and .8 < perfect.lo < 1 and perfect.method == "Newcombe score"
    worst = roc_auc(y, 1-y)
    assert worst.lo == 0 and worst.hi == pytest.approx(1-perfect.lo)
    constant = roc_auc(y, np.ones(50))
    assert float(constant) == .5 and constant.lo < .4 and constant.hi > .6
    lo, hi = newcombe_auc(.8, 30, 40)
    assert lo < .8 < hi
    assert average_precision(y, y).lo < 1 and average_precision(y, y).hi == 1
    assert roc_auc([1, 1], [.1, .2]).reason == "a class is absent" and np.isnan(roc_auc([0, 0], [.1, .2]))
    assert average_precision([0, 0], [.1, .2]).reason == "no positives"
    assert not roc_curve([1, 1], [.1, .2]) and not pr_curve([0, 0], [.1, .2])


def test_thresholds():
    y, s, _ = data(8)
    for by in ("youden", "closest", "f1"): assert np.isfinite(best_threshold(y, s, by=by, ci=None))
    assert np.isfinite(best_threshold([0, 1], [1., 0.], ci=None))
    assert np.isfinite(best_threshold([0, 1], [2., 2.], ci=None))
    t = threshold_at(y, s, sensitivity=.9)
    called = s >= float(t.threshold)
    assert called[y == 1].mean() >= .9
    assert float(t.sensitivity) == called[y == 1].mean() and float(t.specificity) == 1-called[y == 0].mean()
    assert (s > float(t.threshold))[y == 1].mean() < .9
    t = threshold_at(y, s, specificity=.9)
    assert (s < float(t.threshold))[y == 0].mean() >= .9
    assert threshold_at(y, s, sensitivity=.9, on="lo").threshold <= threshold_at(y, s, sensitivity=.9).threshold
    assert threshold_at([0, 0], [1, 2], sensitivity=.9).threshold.reason == "no positives"
    with pytest.raises(ValueError, match="one target"): threshold_at(y, s)
    with pytest.raises(ValueError, match="by must be"): best_threshold(y, s, by="luck")
    with pytest.raises(ValueError, match="range"): partial_auc(y, s, fpr=(.2, .1))


scores = st.lists(st.tuples(st.integers(0, 1), st.integers(-5, 5), st.integers(1, 3)), min_size=4,
                  max_size=40).filter(lambda r: {o[0] for o in r} == {0, 1})


@pytest.mark.later
@settings(max_examples=60, deadline=None)
@given(scores, st.randoms())
def test_properties(rows, random):
    y, s, w = (np.array(o) for o in zip(*rows))
    order = list(range(len(y)))
    random.shuffle(order)
    for m in (roc_auc, average_precision, f1_max):
        v = m(y, s, ci=None)
        assert 0 <= v <= 1
        # order
        assert float(m(y[order], s[order], ci=None)) == pytest.approx(v, abs=1e-12)
        # frequency
        assert float(m(y, s, ci=None, sample_weight=w)) == pytest.approx(m(np.repeat(y, w), np.repeat(s, w), ci=None),
            abs=1e-12)
        # monotone
        assert float(m(y, np.exp(s/3), ci=None)) == pytest.approx(v, abs=1e-12)
    assert float(roc_auc(y, -s, ci=None)) == pytest.approx(1-roc_auc(y, s, ci=None), abs=1e-12)
    a, r, k = Ranking.of(y, s, weight=w), Ranking.of(y[:2], s[:2], weight=w[:2])+Ranking.of(y[2:], s[2:],
        weight=w[2:]), Ranking.of(y, s)
    assert (a.score == r.score).all() and (a.pos == r.pos).all() and (a.neg == r.neg).all()
    full = roc_auc(y, s, sample_weight=w, frequency=True)
    again = roc_auc(np.repeat(y, w), np.repeat(s, w))
    assert [full.lo, full.hi, full.n] == pytest.approx([again.lo, again.hi, again.n], abs=1e-9)
    h = ScoreHistogram.of(y, s, size=16)
    g = ScoreHistogram.of(y[:2], s[:2], size=16)+ScoreHistogram.of(y[2:], s[2:], size=16)
    assert (h.exponent, h.first) == (g.exponent, g.first) and (h.pos == g.pos).all()
    b = stream_metrics(h)
    for m in (roc_auc, average_precision): assert b[m.name].lo-1e-12 <= m(y, s, ci=None) <= b[m.name].hi+1e-12


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 1), st.floats(-1e6, 1e6, allow_nan=False)), min_size=3, max_size=60),
       st.integers(1, 2), st.sampled_from([4, 16, 1024]))
def test_histogram_does_not_see_batches(rows, cut, size):
    y, s = (np.array(o) for o in zip(*rows))
    make = lambda a, b: ScoreHistogram.of(y[a:b], s[a:b], size=size)
    h, g = make(0, None), make(cut, None)+make(0, cut)
    assert (h.exponent, h.first) == (g.exponent, g.first)
    assert (h.pos == g.pos).all() and (h.neg == g.neg).all() and len(h.pos) <= size


def test_a_histogram_of_the_least_numbers_there_are():
    y, s = np.array([0, 1, 1]), np.array([0., 5e-324, 5e-324])
    whole = ScoreHistogram.of(y, s, size=4)
    parts = ScoreHistogram.of(y[:1], s[:1], size=4)+ScoreHistogram.of(y[1:], s[1:], size=4)
    assert (whole.exponent, whole.first) == (parts.exponent, parts.first)


def test_draws_read_like_rankings():
    y, s, _ = data(9, 300, 2)
    p = 1/(1+np.exp(-s))
    for q in (p, p+1e-9*np.arange(300)):
        quick = Draws(SortedRows(y, np.clip(q, 0, 1)), draw_counts(300, 5, np.random.default_rng(1)))
        slow = Ranking(quick.score, quick.pos, quick.neg)
        for m in (accuracy, f1, roc_auc, average_precision, brier, ece, f1_max):
            assert np.allclose(_read(m, quick, .5), _read(m, slow, .5), atol=1e-12)


def test_joint_intervals_are_the_single_ones():
    y, s, _ = data(10, 300)
    p = 1/(1+np.exp(-s))
    many = bootstrap_many([accuracy, roc_auc, average_precision, brier], y, p, n_resamples=2000)
    for m, pred in ((accuracy, p >= .5), (roc_auc, p), (average_precision, p), (brier, p)):
        one = m(y, pred, method="bootstrap", n_resamples=2000, seed=3)
        assert [many[m.name].lo, many[m.name].hi] == pytest.approx([one.lo, one.hi], abs=.012)
    assert bootstrap_many([roc_auc], y, p, seed=5).roc_auc.lo == bootstrap_many([roc_auc], y, p, seed=5).roc_auc.lo
    with pytest.raises(ValueError, match="cannot be had from scores"): bootstrap_many([Metric(len, list, "odd")], y, p)


@every("call, words", [
    (lambda: roc_auc([0, 1, 1], [.1, .2]), "y_true 3, y_score 2"),
    (lambda: roc_auc([], []), "is empty"),
    (lambda: roc_auc([0, 1], [.1, np.nan]), "y_score is nan or infinite in row 1"),
    (lambda: roc_auc([0, .5], [.1, .2]), "0.5 in row 1"),
    (lambda: roc_auc([0, 1], ["a", "b"]), "y_score must be numbers"),
    (lambda: roc_auc([0, 1, 2], [.1, .2, .3]), "y_true holds class 2"),
    (lambda: roc_auc([0, 1, 2], np.eye(3)), "say average="),
    (lambda: roc_auc([0, 1, 3], np.eye(3), average="macro"), "y_true holds class 3"),
    (lambda: roc_auc([0, 1], [.1, .2], sample_weight=[0, 0]), "0 in every row"),
    (lambda: roc_auc([0, 1], [.1, .2], sample_weight=[-1, 1]), "sample_weight must lie"),
    (lambda: roc_auc(["S", "R"], [.1, .2]), "say labels="),
    (lambda: delong_test([0, 1], [.1, .2], [.3]), "score_b 1"),
])
def test_bad_input(call, words):
    with pytest.raises(ValueError, match=words.replace("+", r"\+")): call()


def test_labels_and_tensors():
    import torch
    assert float(roc_auc(["S", "R", "R"], [.1, .2, .05], labels=["S", "R"])) == .5
    assert float(roc_auc(torch.tensor([0, 1]), torch.tensor([.1, .9]))) == 1
    assert float(roc_auc([False, True], np.array([[.9, .1], [.2, .8]]))) == 1


@every("kind", [float, np.float32])
@every("scores", [lambda r, n: r.random(n), lambda r, n: r.normal(size=n), lambda r,
                  n: np.round(r.normal(size=n), 1), lambda r, n: r.normal(size=n)*1e9, lambda r,
                  n: np.round(r.random(n), 2)])
def test_a_bare_area_of_many_rows(scores, kind):
    from mic_eval.metrics.roc_and_pr import area_of_rows
    r = np.random.default_rng(0)
    y, s = r.integers(0, 2, 4000), scores(r, 4000).astype(kind)
    assert area_of_rows(y, s) == pytest.approx(sk.roc_auc_score(y, s), abs=1e-12)
    many, wide = np.tile(y, 15), np.tile(s, 15)
    assert float(roc_auc(many, wide, ci=None)) == pytest.approx(float(roc_auc(many, wide)), abs=1e-12)
    none = roc_auc(np.ones(60_000, int), wide, ci=None)
    assert np.isnan(none) and none.reason == "a class is absent"
    assert area_of_rows([0, 1], np.array([-1e40, 1.])) is None


def test_single_precision_is_precise_enough():
    r = np.random.default_rng(1)
    y = r.integers(0, 2, 6000)
    s = r.normal(y, 1)
    quick = Draws(SortedRows(y, s), draw_counts(6000, 8, r))
    slow = Ranking(quick.score, quick.pos, quick.neg)
    assert np.allclose(average_precision.of(quick), average_precision.of(slow), atol=1e-6)
    assert np.allclose(roc_auc.of(quick), roc_auc.of(slow), atol=1e-12)


@pytest.mark.parametrize("curve, metric", [(roc_curve, roc_auc), (pr_curve, average_precision)])
def test_an_area_that_is_known_is_the_one_that_would_be_computed(curve, metric):
    y, s, rng = data(3, 600)
    for how in (dict(), dict(groups=np.arange(600)//30), dict(sample_weight=rng.random(600)), dict(ci=.8)):
        area = metric(y, s, **how)
        assert curve(y, s, **how).area.as_dict() == area.as_dict() and curve(y, s, **how, area=area).area is area
    assert curve(y, s, ci=None, area=area).area is None
