"Count metrics against scikit-learn, by properties, and on the values that peers and seeds get wrong."
import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn import metrics as sk

from mic_eval.metrics import (Confusion, accuracy, balanced_accuracy, f1, f_beta, false_negative_rate,
                              false_positive_rate, lr_negative, lr_positive, mcc, npv, ppv, prevalence, sensitivity,
                              specificity, youden)
from mic_eval.metrics.confusion import class_balance, diagnostic_odds_ratio

binary = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=40)
ours = dict(accuracy=accuracy, balanced=balanced_accuracy, sens=sensitivity, ppv=ppv, spec=specificity, npv=npv,
            f1=f1, f2=lambda *a, **k: f_beta(*a, beta=2, **k), mcc=mcc)
theirs = dict(accuracy=sk.accuracy_score, balanced=lambda y,
              p: np.mean([(p[y == c] == c).mean() if (y == c).any() else np.nan for c in (0, 1)]),
              sens=lambda y, p: sk.recall_score(y, p, zero_division=np.nan), ppv=lambda y,
              p: sk.precision_score(y, p, zero_division=np.nan),
              spec=lambda y, p: sk.recall_score(y, p, pos_label=0, zero_division=np.nan), npv=lambda y,
              p: sk.precision_score(y, p, pos_label=0, zero_division=np.nan),
              f1=lambda y, p: sk.f1_score(y, p, zero_division=np.nan), f2=lambda y,
              p: sk.fbeta_score(y, p, beta=2, zero_division=np.nan),
              mcc=lambda y, p: sk.matthews_corrcoef(y, p) if np.ptp(y) and np.ptp(p) else np.nan)


@pytest.mark.later
@settings(max_examples=60, deadline=None)
@given(binary)
def test_agrees_with_sklearn(rows):
    y, p = map(np.array, zip(*rows))
    for name, m in ours.items(): assert np.allclose([m(y, p, ci=None)], [theirs[name](y, p)], equal_nan=True), name


@settings(max_examples=40, deadline=None)
@given(binary)
def test_complements_bounds_and_reasons(rows):
    y, p = map(np.array, zip(*rows))
    for a, b in [(sensitivity, false_negative_rate), (specificity, false_positive_rate)]:
        u, v = a(y, p), b(y, p)
        assert np.allclose([u], [1-v], equal_nan=True) and np.allclose([u.lo, u.hi], [1-v.hi, 1-v.lo], equal_nan=True)
    for m in (accuracy, sensitivity, specificity, ppv, npv, f1, balanced_accuracy, youden, lr_positive, lr_negative,
              diagnostic_odds_ratio, prevalence):
        s = m(y, p)
        if math.isnan(s): assert s.reason
        elif not math.isnan(s.lo):
            assert m.range[0]-1e-9 <= s.lo <= s+1e-9 and s <= s.hi+1e-9 and s.hi <= m.range[1]+1e-9


@pytest.mark.later
@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=60))
def test_multiclass_agrees_with_sklearn(rows):
    y, p = map(np.array, zip(*rows))
    K = range(4)
    assert np.isclose(mcc(y, p, ci=None, labels=K),
                      sk.matthews_corrcoef(y, p)) or math.isnan(mcc(y, p, ci=None, labels=K))
    for m, f in [(sensitivity, sk.recall_score), (ppv, sk.precision_score), (f1, sk.f1_score)]:
        for how in ("macro", "weighted"):
            got, want = m(y, p, average=how, ci=None, labels=K), f(y, p, average=how, labels=K, zero_division=np.nan)
            per = f(y, p, average=None, labels=K, zero_division=np.nan)
            assert math.isnan(got) if np.isnan(per).any() else np.isclose(got, want)


def test_parts_add_up_and_leading_axes_hold():
    rng = np.random.default_rng(0)
    y, p, g = rng.integers(0, 2, 300), rng.integers(0, 2, 300), rng.integers(0, 7, 300)
    per = Confusion.of(y, p, groups=(g, 7))
    assert per.m.shape == (7, 2, 2) and (per.m.sum(0) == Confusion.of(y, p).m).all()
    assert np.allclose(sensitivity.of(per), [float(sensitivity(y[g == i], p[g == i])) for i in range(7)])
    assert (Confusion.of(y, p, weight=np.ones((3, 300))).m == Confusion.of(y, p).m).all()
    assert Confusion.of(y, p).one_vs_rest().m[1].tolist() == Confusion.of(y, p).m.tolist()


def test_the_seeds_bubble_table():
    "10 true, 970 true negative, 10 false, 10 missed: precision and recall are one half, not 0.99"
    y, p = np.repeat([1, 0, 0, 1], [10, 970, 10, 10]), np.repeat([1, 0, 1, 0], [10, 970, 10, 10])
    assert ppv(y, p) == .5
    assert sensitivity(y, p) == .5 and false_negative_rate(y, p) == .5 and np.isclose(false_positive_rate(y, p), 10/980)
    y, p = np.repeat([1, 1, 0, 0], [1, 1, 2, 6]), np.repeat([1, 0, 1, 0], [1, 1, 2, 6])
    assert np.isclose(ppv(y, p), 1/3)
    assert sensitivity(y, p) == .5 and np.isclose(f1(y, p), .4) and false_positive_rate(y, p) == .25


def test_weighted_recall_is_no_second_opinion():
    y, p = np.repeat([0, 1], [90, 10]), np.zeros(100, int); p[-1] = 1
    assert np.isclose(accuracy(y, p), .91)
    assert np.isclose(sensitivity(y, p), .10) and np.isclose(sensitivity(y, p, average="weighted", ci=None), .91)


def test_undefined_is_never_zero_or_one():
    s = sensitivity([0, 0, 0], [0, 0, 0])
    assert math.isnan(s) and s.reason == "no positives" and math.isnan(s.lo)
    assert math.isnan(lr_positive([1, 0], [1, 0])) and "no false positives" in lr_positive([1, 0], [1, 0]).reason


def test_labels_and_more_than_two_classes():
    assert sensitivity(["S", "R"], ["S", "S"], labels=["S", "R"]) == 0
    with pytest.raises(ValueError, match="needs average="): sensitivity([0, 1, 2], [0, 1, 2])
    with pytest.raises(ValueError, match="not among"): accuracy(["S", "X"], ["S", "S"], labels=["S", "R"])
    each = sensitivity([0, 1, 2, 2], [0, 1, 2, 0], average=None)
    assert list(each) == ["0", "1", "2"] and each["2"].k == 1 and each["2"].n == 2


def test_class_balance_can_be_bad():
    y, p = np.repeat([0, 1], [50, 50]), np.zeros(100, int); p[-1] = 1
    b = class_balance(y, p)
    assert np.isclose(b.sensitivity.range, .98) and np.isclose(b.sensitivity.ratio, .02) and b.variance_score >= .75


def test_the_interval_of_mcc():
    """Like the bootstrap's where there are many rows, any number of classes; wide where one class is rare; inside
    [-1, 1]"""
    rng = np.random.default_rng(3)
    for K in (2, 4):
        y = rng.integers(0, K, 4000)
        p = np.where(rng.random(4000) < .7, y, rng.integers(0, K, 4000))
        a, b = mcc(y, p), mcc(y, p, method="bootstrap", n_resamples=2000)
        assert [a.lo, a.hi] == pytest.approx([b.lo, b.hi], abs=3e-3) and a.lo < a < a.hi
        w = mcc(y, p, sample_weight=np.ones(4000), frequency=True)
        assert [w.lo, w.hi] == pytest.approx([a.lo, a.hi])
    for y, p in (([0, 1], [0, 1]), ([0, 1], [1, 0]), ([0]*28+[1]*2, [0]*28+[1]*2)):
        s = mcc(y, p)
        assert -1 <= s.lo <= s <= s.hi <= 1 and s.hi-s.lo > .1
    assert mcc([0]*28+[1]*2, [0]*28+[1]*2).lo < .65
