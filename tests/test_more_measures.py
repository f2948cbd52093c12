"""Several labels a row, adaptive sets, kappas compared, repeated splits, negated lists: against other
implementations and by hand"""
import math

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given, settings, strategies as st

import mic_eval.metrics as M
from mic_eval.metrics.agreement import kappa_difference, kappa_standard_error
from mic_eval.metrics.conformal import conformal_scores, fit_sets, interval_coverage, risk_control
from mic_eval.metrics.multiclass import over_labels
from mic_eval.metrics.noninferiority import bayesian_signed_rank, five_by_two_f
from mic_eval.metrics.overlap import mentioned
from every import every

rng = np.random.default_rng(0)
Y = rng.random((60, 4)) < [.5, .3, .4, .2]
P = np.where(rng.random((60, 4)) < .2, ~Y, Y)*1
Y = Y*1


# ---- several labels

@pytest.mark.parametrize("ours,theirs", [(M.f1, sk.f1_score), (M.ppv, sk.precision_score),
                                         (M.sensitivity, sk.recall_score)])
def test_averages_over_labels(ours, theirs):
    some = (Y.sum(1) > 0) & (P.sum(1) > 0)     # where scikit-learn does not put a 0 for what is undefined
    for average in ("samples", "macro", "micro"):
        assert float(over_labels(ours, Y[some], P[some], average=average)) == pytest.approx(theirs(Y[some], P[some],
            average=average))
    each = over_labels(ours, Y, P, average=None, labels="abcd")
    assert np.allclose(list(each.values()), theirs(Y, P, average=None)) and list(each) == list("abcd")


def test_wrong_decisions_and_exact_rows():
    assert float(M.hamming_loss(Y, P)) == pytest.approx(sk.hamming_loss(Y, P))
    assert float(M.subset_accuracy(Y, P)) == pytest.approx(sk.accuracy_score(Y, P))
    s = rng.random((60, 5))
    y = rng.integers(0, 5, 60)
    for k in (1, 2, 4): assert float(M.top_k_accuracy(y, s, k=k)) == pytest.approx(sk.top_k_accuracy_score(y, s, k=k))
    w, g = rng.random(60), np.arange(60)//6
    assert float(M.top_k_accuracy(y, s, k=2, sample_weight=w)) == pytest.approx(sk.top_k_accuracy_score(y, s, k=2,
        sample_weight=w))
    for m in (M.hamming_loss, M.subset_accuracy): assert m(Y, P, groups=g).groups == 10
    for bad, words in (((Y, P*.5), "0 or 1"), ((Y, P[:, :2]), "labels"), ((Y[:5], P), "length"),
                       ((Y[:, 0], P[:, 0]), "axes")):
        with pytest.raises(ValueError, match=words): M.hamming_loss(*bad)
    with pytest.raises(ValueError, match="two-class calls"): over_labels(M.roc_auc, Y, P)


def test_the_mean_over_labels_is_held_and_knows_its_rows():
    r = np.random.default_rng(1)
    def draw(n=80):
        hard = r.random((n, 1)) < .3                      # whole rows go wrong together
        y = (r.random((n, 6)) < .4)*1
        return y, np.where(r.random((n, 6)) < np.where(hard, .5, .05), 1-y, y)
    for average in ("macro", "micro", "samples"):
        true = float(over_labels(M.f1, *draw(100_000), average=average, ci=None))
        inside = [s.lo <= true <= s.hi for s in (over_labels(M.f1, *draw(), average=average) for _ in range(120))]
        assert np.mean(inside) > .89, average
    g = np.arange(80)//4
    y, p = draw()
    again = over_labels(M.f1, y[g], p[g], average="macro", groups=g)      # 20 rows, four times each
    assert again.hi-again.lo > (lambda s: s.hi-s.lo)(over_labels(M.f1, y[g], p[g], average="macro"))


# ---- sets

@settings(max_examples=30, deadline=None)
@given(st.integers(2, 6), st.integers(0, 99))
def test_strangeness_by_hand(K, seed):
    p = np.random.default_rng(seed).dirichlet(np.ones(K), 4)
    for method, cost in (("aps", 0), ("raps", .05)):
        got = conformal_scores(p, method=method, penalty=.05, free=1, randomised=False)
        for row, out in zip(p, got):
            for k in range(K):
                above = [o for o in row if o >= row[k]]
                assert out[k] == pytest.approx(sum(above)+cost*max(len(above)-1, 0))


@every("method", ["lac", "aps", "raps"])
@every("by_class", [False, True])
def test_the_promise_is_kept(method, by_class):
    r, kept = np.random.default_rng(2), []
    for _ in range(25):
        y = r.integers(0, 3, 600)
        x = r.normal(size=(600, 3))+1.5*np.eye(3)[y]
        p = np.exp(x)/np.exp(x).sum(1, keepdims=True)
        sets = fit_sets(y[:200], p[:200], method=method, by_class=by_class, alpha=.2).sets(p[200:])
        hit = sets[np.arange(400), y[200:]]
        kept.append(min(hit[y[200:] == k].mean() for k in range(3)) if by_class else hit.mean())
    assert np.mean(kept) > (.73 if by_class else .785) and np.mean(kept) < .83


def test_a_rare_class_joins_every_set():
    y, p = np.r_[np.zeros(50, int), 1], np.c_[np.full(51, .9), np.full(51, .1)]
    model = fit_sets(y, p, by_class=True)
    assert math.isinf(model.threshold[1]) and model.sets([[.99, .01]])[0, 1]
    with pytest.raises(ValueError, match="3 classes"): model.sets([[.2, .3, .5]])


def test_risk_control_and_intervals():
    losses = np.r_[np.tile([1., 1, 0, 0], (10, 1)), np.tile([1., 0, 0, 0], (90, 1))]
    out = risk_control(losses, [1, 2, 3, 4], alpha=.2)
    assert out.setting == 2 and out.risk.k == 10
    assert risk_control(losses, [1, 2, 3, 4], alpha=.11).setting == 3
    assert risk_control(losses, [1, 2, 3, 4], alpha=.11, method="expected").setting == 2
    assert risk_control(losses[:, :1], [1], alpha=.2).setting is None
    with pytest.raises(ValueError, match="after setting 3"): risk_control(losses[:, ::-1], [4, 3, 1, 2])
    seen = interval_coverage([1, 2, 3, 9.], [0, 0, 4, 0], [2, 3, 5, 5])
    assert (seen.coverage.k, seen.below.k, seen.above.k) == (2, 1, 1) and seen.mean_width == 2.75


# ---- kappas

def test_kappa_against_another_and_by_the_jackknife():
    y, a, b = (rng.integers(0, 3, 90) for _ in range(3))
    a, b = np.where(rng.random(90) < .7, y, a), np.where(rng.random(90) < .5, y, b)
    assert kappa_standard_error(y, a).kappa == pytest.approx(sk.cohen_kappa_score(y, a))
    assert float(M.cohen_kappa(y, a, weights="quadratic")) == pytest.approx(sk.cohen_kappa_score(y, a,
        weights="quadratic"))
    d = kappa_difference(y, a, b)
    left = np.array([float(M.cohen_kappa(*(np.delete(v, i) for v in (y, a)), ci=None))
                     -float(M.cohen_kappa(*(np.delete(v, i) for v in (y, b)), ci=None)) for i in range(90)])
    se = math.sqrt(89/90*((left-left.mean())**2).sum())
    assert abs(float(d.effect)/d.statistic/se-1) < .06 and d.effect.lo < d.effect < d.effect.hi
    back = kappa_difference(y, b, a)
    assert back.p == d.p and back.effect.lo == pytest.approx(-d.effect.hi)
    names = np.array(["x", "y", "z"])
    named = kappa_difference(names[y], names[a], names[b], labels=names, weights="ordinal")
    assert float(named.effect) == pytest.approx(float(kappa_difference(y, a, b, weights="ordinal").effect))


# ---- splits

def test_all_ten_differences():
    a, b = rng.normal(.8, .02, (5, 2)), rng.normal(.78, .02, (5, 2))
    d = a-b
    s2 = ((d-d.mean(1, keepdims=True))**2).sum(1)
    out = five_by_two_f(a, b)
    from scipy.stats import f
    assert out.statistic == pytest.approx((d**2).sum()/(2*s2.sum()))
    assert out.p == pytest.approx(f.sf(out.statistic, 10, 5))
    assert five_by_two_f(a, a).p == 1


def test_three_answers_by_brute_force():
    d = np.array([.04, -.02, .03, .005, .06])
    z, r, count = np.r_[0, d], np.random.default_rng(5), np.zeros(3)
    for _ in range(3000):
        w = r.dirichlet(np.ones(6))
        mass = np.zeros(3)
        for i in range(6):
            for j in range(6): mass[0 if z[i]+z[j] > .02 else 2 if z[i]+z[j] < -.02 else 1] += w[i]*w[j]
        count[mass.argmax()] += 1
    out = bayesian_signed_rank(d, np.zeros(5))
    assert np.allclose([out.a_better, out.same, out.b_better], count/3000, atol=.03)
    assert bayesian_signed_rank(d, np.zeros(5), better="lower").b_better == out.a_better
    with pytest.raises(ValueError, match="region"): bayesian_signed_rank(d, d, region=-1)


# ---- negations

@every("text", ["无发热、咳嗽、胸痛", "未见发热、咳嗽及胸痛", "否认发热、咳嗽、胸痛", "排除发热、咳嗽", "未发热", "没有咳嗽和胸痛",
                "no 发热, 咳嗽 or 胸痛"])
def test_a_negation_reaches_over_its_list(text):
    assert mentioned(text, {o: o for o in ("发热", "咳嗽", "胸痛")}) == set()
