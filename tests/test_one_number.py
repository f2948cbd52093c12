"""One number has one interval, wherever it is asked, and an interval knows how few rows it rests on"""
import warnings

import numpy as np
import pytest

import mic_eval.metrics as M
from mic_eval.core.intervals import mean_of_shares
from mic_eval.core.metric import Metric
from mic_eval.metrics.ranking import area_limits
from mic_eval.metrics.delong import delong_test
from mic_eval.metrics.multiclass import over_labels

r = np.random.default_rng(7)
n = 240
YES = (r.random(n) < .4)*1
SCORE = r.normal(YES*1.2, 1).round(2)
CALLED = (SCORE > .5)*1
CLASS = r.choice(4, n, p=[.1, .2, .3, .4])
SEEN = np.where(r.random(n) < .7, CLASS, r.integers(0, 4, n))
COLUMNS = np.eye(4)[CLASS]+r.normal(0, .8, (n, 4))
GROUP = np.arange(n)//8
WEIGHT = r.uniform(.5, 2, n)
BINARY = "sensitivity specificity ppv npv recall precision f1 false_negative_rate false_positive_rate".split()


def every_number(groups=None, weight=None):
    "Every metric of the room that reads these rows, by every average"
    how, of = dict(groups=groups, sample_weight=weight), {}
    tables = [m for m in (getattr(M, k) for k in M.__all__) if isinstance(m, Metric)]
    for m in {m.name: m for m in tables}.values():
        calls, two = m.statistic.__name__ == "Confusion", dict(y=YES, p=CALLED)
        if m.statistic.__name__ == "Ranking": two["p"] = SCORE
        elif not calls: continue
        of[m.name] = m(two["y"], two["p"], **how)
        if not calls: continue
        asked = [("", {})] if not m.binary else [(a, dict(average=a)) for a in ("macro", "micro", "weighted")]
        for name, average in asked: of[f"{name} {m.name} of 4"] = m(CLASS, SEEN, **average, **how)
        if m.binary: of |= {f"{m.name} of {k}": v for k, v in m(CLASS, SEEN, average=None, **how).items()}
    for k in "01": of[f"class {k} alone"] = M.sensitivity((CLASS == int(k))*1, (SEEN == int(k))*1, **how)
    if weight is None: of["AUROC beside another"] = delong_test(YES, SCORE, SCORE[::-1], groups=groups).auc.a
    of["AUROC of class 2"] = M.roc_auc((CLASS == 2)*1, COLUMNS[:, 2], **how)
    of["AUROC of four, 2"] = M.roc_auc(CLASS, COLUMNS, average=None, **how)["2"]
    of["AP of class 2"] = M.average_precision((CLASS == 2)*1, COLUMNS[:, 2], **how)
    of["AP of four, 2"] = M.average_precision(CLASS, COLUMNS, average=None, **how)["2"]
    return of


@pytest.mark.parametrize("rows", ["plain", "groups", "weights"])
def test_one_number_has_one_interval(rows):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        of = every_number(GROUP if rows == "groups" else None, WEIGHT if rows == "weights" else None)
    names, wrong = [k for k, s in of.items() if s == s], []
    for i, a in enumerate(names):
        for b in names[:i]:
            if abs(of[a]-of[b]) > 1e-12: continue
            if not np.allclose([of[a].lo, of[a].hi], [of[b].lo, of[b].hi], atol=1e-9, equal_nan=True):
                wrong.append(f"{a} {of[a]} {of[a].method} | {b} {of[b]} {of[b].method}")
    assert len(names) > 30 and not wrong, "\n".join(wrong)


def test_names_that_are_functions_of_each_other_have_limits_that_are_too():
    y, p = YES, CALLED
    balanced, j = M.balanced_accuracy(y, p), M.youden(y, p)
    assert np.allclose([2*balanced.lo-1, 2*balanced.hi-1], [j.lo, j.hi])
    for a, b in ((M.sensitivity, M.false_negative_rate), (M.specificity, M.false_positive_rate)):
        s, t = a(y, p), b(y, p)
        assert np.allclose([1-s.lo, 1-s.hi], [t.hi, t.lo])
    right = M.accuracy(CLASS, SEEN)
    for m in (M.f1, M.precision, M.recall):
        s = m(CLASS, SEEN, average="micro")
        assert np.allclose([s, s.lo, s.hi], [right, right.lo, right.hi])
    table = (CLASS[:, None] == np.arange(4))*1, (SEEN[:, None] == np.arange(4))*1
    loss, exact = M.hamming_loss(*table), M.subset_accuracy(*table)
    assert np.allclose(float(loss), (1-exact)/2) and np.allclose([exact.lo, exact.hi], [right.lo, right.hi])
    assert np.isclose(float(over_labels(M.f1, *table, average="micro")), float(right))


def tails(limits, truth):
    lo, hi = np.array(limits).T[:2].astype(float)
    return (lo > truth).mean(), (hi < truth).mean()


# positives, negatives, area, draws of normal scores
AREAS = [(3, 300, .9, 400), (5, 1000, .8, 300), (5, 1000, .95, 300), (10, 300, .9, 400), (20, 20, .95, 400)]


@pytest.mark.parametrize("P, N, area, draws", AREAS)
def test_an_area_knows_how_few_rows_it_rests_on(P, N, area, draws):
    from scipy.special import ndtri
    rng, out = np.random.default_rng(P+N), []
    for _ in range(draws):
        s, t = rng.normal(2**.5*ndtri(area), 1, P), np.sort(rng.normal(size=N))
        below = np.searchsorted(t, s)/N
        above = 1-np.searchsorted(np.sort(s), t)/P
        out.append(area_limits(float(below.mean()), (below, above), (np.ones(P), np.ones(N))))
    high, low = tails(out, area)
    assert high < .06 and low < .06 and high+low < .08, (high, low)   # .04 and .07, and what 300-400 draws leave


def test_a_mean_of_shares_is_covered_where_one_class_is_rare():
    rng = np.random.default_rng(0)
    rows, share = rng.multinomial(300, [.04, .24, .24, .24, .24], 4000), np.array([.6, .9, .95, .99, .8])
    some = (rows > 0).all(1)
    lo, hi = mean_of_shares(rng.binomial(rows, share)[some], rows[some])
    high, low = (lo > share.mean()).mean(), (hi < share.mean()).mean()
    assert high < .04 and low < .045 and high+low < .07, (high, low)


def test_where_a_hundred_rows_speak_the_area_is_delong_s():
    from scipy.special import ndtri
    y, s = np.arange(600) % 2, np.random.default_rng(1).normal(size=600)+np.arange(600) % 2
    a = M.roc_auc(y, s)
    p, q = s[y == 1], s[y == 0]
    win = (p[:, None] > q)*1.
    se = (win.mean(1).var(ddof=1)/300+win.mean(0).var(ddof=1)/300)**.5
    x, half = np.log(a/(1-a)), ndtri(.975)*se/(a*(1-a))
    assert a.method == "logit-DeLong" and np.allclose([a.lo, a.hi], 1/(1+np.exp(-np.array([x-half, x+half]))))
