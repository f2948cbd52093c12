"Paired tests: scipy live, stored statsmodels and mlxtend, properties, bad input."
import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from mic_eval.core.results import Score, from_json, to_json
from mic_eval.metrics.confusion import accuracy, f1
from mic_eval.metrics.noninferiority import (
    benjamini_hochberg, cohens_d, cohens_dz, cohens_g, equivalence, five_by_two_cv, holm, margin_verdict,
    nadeau_bengio, non_inferiority, paired_odds_ratio)
from mic_eval.metrics.paired import (HypothesisTest, _flip_sums, _mcnemar_p, accuracy_difference,
                                     bootstrap_difference, cochran_q, mcnemar, paired_permutation,
                                     paired_t, wilcoxon)

here = Path(__file__).parent / "oracles"
sys.path.insert(0, str(here))
from paired import readings
from every import every

oracle = json.loads((here / "paired.json").read_text())
y, a, b, c = readings()
rng = np.random.default_rng(1)
la, lb = rng.gamma(1, 1, 60), rng.gamma(1.3, 1, 60)


@pytest.mark.parametrize("method", ["exact", "corrected", "asymptotic"])
def test_mcnemar_like_statsmodels(method):
    t = mcnemar(y, a, b, method)
    assert [t.statistic, t.p] == pytest.approx(oracle[method])
    assert t.effect == pytest.approx(accuracy(y, a, ci=None)-accuracy(y, b, ci=None))


@pytest.mark.parametrize("method", ["exact", "midp", "corrected", "asymptotic"])
def test_mcnemar_small(method):
    for d in (0, 1, 2, 9):   # mid-p at b = c: 1 less half of the outcome seen, Fagerland et al. 2013
        half = stats.binom.pmf(d, 2*d, .5)/2 if method == "midp" and d else 0
        assert _mcnemar_p(d, d, method)[1] == pytest.approx(1-half)
    assert _mcnemar_p(1, 1, "midp")[1] == .75
    for m, k in ((9, 2), (3, 0), (40, 11)):
        assert _mcnemar_p(m, k, method) == _mcnemar_p(k, m, method)
        assert 0 < _mcnemar_p(m, k, method)[1] <= 1
    assert _mcnemar_p(400, 4000, method)[1] < 1e-300 or method == "exact" or method == "midp"


def test_midp_is_the_mean_of_both_sides():
    exact = stats.binomtest(3, 14, .5).pvalue
    assert _mcnemar_p(3, 11, "midp")[1] == pytest.approx(exact-stats.binom.pmf(3, 14, .5))


def test_a_list_is_as_good_as_an_array():
    assert mcnemar(y.tolist(), a.tolist(), b.tolist()) == mcnemar(y, a, b)
    names = np.array(["no growth", "growth"])
    assert mcnemar(names[y], names[a], names[b], labels=list(names)).p == mcnemar(y, a, b).p


def test_mcnemar_grouped_is_the_t_test_of_group_sums():
    g = np.arange(300)//10
    s = np.bincount(g, (a == y)*1.-(b == y))
    assert mcnemar(y, a, b, groups=g).p == pytest.approx(stats.ttest_1samp(s, 0).pvalue)
    single = accuracy_difference(y, a, b, groups=np.arange(300))
    plain = accuracy_difference(y, a, b)
    assert (single.lo, single.hi) == pytest.approx((plain.lo, plain.hi), abs=1e-3)
    wide = accuracy_difference(np.repeat(y, 5), np.repeat(a, 5), np.repeat(b, 5), groups=np.repeat(np.arange(300), 5))
    assert (wide.lo, wide.hi) == pytest.approx((plain.lo, plain.hi), abs=2e-3)


def test_cochran():
    t = cochran_q(y, a, b, c)
    assert [t.statistic, t.p] == pytest.approx(oracle["cochran"])
    for same in (cochran_q(y, a, a, a), cochran_q(y, a, a, a, groups=np.arange(len(y)) % 9)):
        assert (same.statistic, same.p) == (0, 1)
    assert t.accuracy["model 0"] == accuracy(y, a)


def test_t_like_scipy():
    t, r = paired_t(la, lb), stats.ttest_rel(la, lb)
    assert (t.statistic, t.p) == pytest.approx((r.statistic, r.pvalue))
    assert (t.effect.lo, t.effect.hi) == pytest.approx(tuple(r.confidence_interval()))
    g = np.repeat(np.arange(12), 5)
    assert paired_t(la, lb, groups=g).p == pytest.approx(stats.ttest_1samp(np.bincount(g, la-lb), 0).pvalue)
    assert paired_t(la, la).p == 1 and math.isnan(paired_t(la, la-1).p) and "same" in paired_t(la, la-1).reason


def test_wilcoxon_like_scipy():
    d = np.round(la-lb, 1)
    t, r = wilcoxon(d, np.zeros(60)), stats.wilcoxon(d, zero_method="pratt")
    assert (t.statistic, t.p) == (float(r.statistic), float(r.pvalue))
    t = wilcoxon(la, lb)
    walsh = np.add.outer(la-lb, la-lb)[np.triu_indices(60)]/2
    assert t.effect == pytest.approx(np.median(walsh), abs=1e-6) and t.effect.lo < t.effect < t.effect.hi
    low, high = np.sort(walsh)[[int(round(915-1.96*math.sqrt(60*61*121/24))),
                                int(round(915+1.96*math.sqrt(60*61*121/24)))]]
    assert (t.effect.lo, t.effect.hi) == pytest.approx((low, high), abs=.02)
    assert wilcoxon(la, la).p == 1


@pytest.mark.parametrize("side", ["two-sided", "less", "greater"])
def test_directions_like_scipy(side):
    assert paired_t(la, lb, alternative=side).p == pytest.approx(stats.ttest_rel(la, lb, alternative=side).pvalue)
    signed = stats.wilcoxon(la, lb, zero_method="pratt", alternative=side)
    assert wilcoxon(la, lb, alternative=side).p == pytest.approx(signed.pvalue)
    g = np.arange(60)//4
    few, many = wilcoxon(la, lb, groups=g, alternative="less").p, wilcoxon(la, lb, groups=g, alternative="greater").p
    assert few+many == pytest.approx(1) and 2*min(few, many) == pytest.approx(wilcoxon(la, lb, groups=g).p)
    for f in (paired_t, wilcoxon):
        with pytest.raises(ValueError, match="alternative must be"): f(la, lb, alternative="smaller")


def test_permutation_like_scipy():
    d = la-lb
    r = stats.permutation_test((d,), lambda x, axis: x.mean(axis), permutation_type="samples", n_resamples=20000,
                               vectorized=True, rng=np.random.default_rng(0))
    assert paired_permutation(la, lb, n_resamples=20000).p == pytest.approx(r.pvalue, abs=.01)
    d = d[:8]
    exact = stats.permutation_test((d,), lambda x, axis: x.mean(axis), permutation_type="samples", n_resamples=np.inf,
                                   vectorized=True)
    assert paired_permutation(d, np.zeros(8)).p == pytest.approx(exact.pvalue)
    assert paired_permutation(d, np.zeros(8), alternative="less").p+paired_permutation(d, np.zeros(8),
        alternative="greater").p >= 1
    assert paired_permutation(la, la).p == 1
    assert paired_permutation(la, lb+50, n_resamples=99).p == .01
    assert paired_permutation(la, lb, seed=3).p == paired_permutation(la, lb, seed=3).p


def test_flips_have_the_right_spread():
    d = np.random.default_rng(0).normal(size=1003)
    f = _flip_sums(d, 20000, np.random.default_rng(1))
    assert f.mean() == pytest.approx(0, abs=1) and f.std() == pytest.approx(math.sqrt(d @ d), rel=.02)
    assert set(np.unique(_flip_sums(np.ones(3), 200, np.random.default_rng(1)))) == {-3., -1., 1., 3.}


def test_bootstrap_difference():
    d = bootstrap_difference(accuracy, y, a, b, n_resamples=4000)
    n = accuracy_difference(y, a, b)
    assert d == pytest.approx(n) and (d.lo, d.hi) == pytest.approx((n.lo, n.hi), abs=.01)
    slow = bootstrap_difference(f1, y, a, b, groups=np.arange(300)//10)
    assert slow.groups == 30 and slow.lo < slow < slow.hi
    assert "degenerate" in bootstrap_difference(f1, y, a, a).reason
    with pytest.raises(ValueError, match="average="): bootstrap_difference(f1, [0, 1, 2], [0, 1, 2], [0, 1, 1])


def test_bootstrap_difference_without_cells():
    class Mean:
        @staticmethod
        def of(y_true, y_pred, weight=None):
            w = np.ones(len(y_pred)) if weight is None else weight
            return (w*np.asarray(y_pred)).sum(-1)/w.sum(-1)
    from mic_eval.core.metric import metric
    @metric(Mean, name="mean")
    def mean(s):
        "Mean score"
        return s
    d, t = bootstrap_difference(mean, np.zeros(60), la, lb, n_resamples=3000), paired_t(la, lb).effect
    assert d == pytest.approx(t) and (d.lo, d.hi) == pytest.approx((t.lo, t.hi), abs=.06)


def test_cross_validation():
    x, z = rng.normal(.9, .02, 10), rng.normal(.88, .02, 10)
    t, plain = nadeau_bengio(x, z, train=900, test=100), stats.ttest_rel(x, z)
    assert t.statistic == pytest.approx(plain.statistic*math.sqrt((1/10)/(1/10+1/9)))
    assert nadeau_bengio(x, x, train=9, test=1).p == 1
    d = (x-z).reshape(5, 2)
    s2 = ((d-d.mean(1, keepdims=True))**2).sum(1)
    assert five_by_two_cv(x.reshape(5, 2), z.reshape(5, 2)).statistic == pytest.approx(d[0, 0]/math.sqrt(s2.mean()))
    assert five_by_two_cv(np.ones((5, 2)), np.ones((5, 2))).p == 1


def test_margins():
    e = accuracy_difference(y, a, b)
    for margin in (.001, .02, .1):
        t = non_inferiority(y, b, a, margin=margin)
        assert (t.p < .025) == (t.effect.lo > -margin) and t.verdict == margin_verdict(t.effect, margin)
    words = {margin_verdict(Score(0, lo, hi), .05)
             for lo, hi in ((.01, .1), (-.01, .01), (-.04, .2), (-.2, -.1), (-.2, .2))}
    assert words == {"superior", "equivalent", "non-inferior", "inferior", "inconclusive"}
    assert margin_verdict(Score(0, -.2, -.1), .05, better="lower") == "superior"
    assert margin_verdict(Score(), .05) == "not evaluated"
    q = equivalence(y, a, b, margin=.12)
    assert (q.p < .025) == (q.verdict == "equivalent") and q.effect.level == e.level == .95
    at90 = equivalence(y, a, b, margin=.12, ci=.9)
    assert (at90.p < .05) == (at90.verdict == "equivalent") and at90.p == q.p
    assert non_inferiority(y, a, a, margin=.05).p < .01
    assert math.isnan(non_inferiority(y, a, b, margin=.05, groups=np.arange(300)//100).p) and e.lo < e < e.hi


def test_adjusted_p():
    assert holm(oracle["p"]) == pytest.approx(oracle["holm"])
    assert benjamini_hochberg(oracle["p"]) == pytest.approx(oracle["fdr_bh"])
    assert benjamini_hochberg(oracle["p"]) == pytest.approx(stats.false_discovery_control(oracle["p"]))
    assert len(holm([])) == 0 and np.isnan(holm([np.nan])).all()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(st.floats(0, 1), st.just(math.nan)), max_size=8), st.randoms())
def test_adjusted_p_properties(p, r):
    for f in (holm, benjamini_hochberg):
        q = f(p)
        for u, v in zip(p, q): assert math.isnan(u) and math.isnan(v) or u <= v+1e-15 and v <= 1
        order = list(range(len(p)))
        r.shuffle(order)
        assert f([p[i] for i in order]) == pytest.approx(q[order], nan_ok=True)


@settings(max_examples=25, deadline=None)
@given(st.integers(5, 60), st.integers(0, 10**6))
def test_swapping_the_models_turns_the_sign(n, seed):
    r = np.random.default_rng(seed)
    u, v, w = r.integers(0, 2, n), r.integers(0, 2, n), r.integers(0, 2, n)
    x, z = accuracy_difference(u, v, w), accuracy_difference(u, w, v)
    assert (x, x.lo, x.hi) == pytest.approx((-z, -z.hi, -z.lo), abs=1e-12) and -1 <= x.lo <= x <= x.hi <= 1
    assert mcnemar(u, v, w).p == mcnemar(u, w, v).p
    order = r.permutation(n)
    assert mcnemar(u[order], v[order], w[order]).p == mcnemar(u, v, w).p
    p, q = r.normal(size=n), r.normal(size=n)
    assert paired_t(p, q).p == pytest.approx(paired_t(q, p).p)
    assert wilcoxon(p, q).effect == pytest.approx(-wilcoxon(q, p).effect, abs=1e-6)


def test_effect_sizes():
    assert paired_odds_ratio(12, 3) == 4 and cohens_g(12, 3) == pytest.approx(.3)
    assert "only B" in paired_odds_ratio(3, 0).reason and "discordant" in cohens_g(0, 0).reason
    t = paired_t(la, lb)
    assert cohens_dz(la, lb) == pytest.approx(t.statistic/math.sqrt(60))
    assert cohens_d(la, lb) == pytest.approx((la-lb).mean()/math.sqrt((la.var(ddof=1)+lb.var(ddof=1))/2))
    assert "same" in cohens_dz(la, la).reason and "vary" in cohens_d(np.ones(3), np.ones(3)).reason


def test_a_test_survives_a_file():
    t = mcnemar(y, a, b)
    back = from_json(to_json(t))
    assert back.p == t.p and back.effect.as_dict() == t.effect.as_dict() and "\n" not in repr(t)
    assert HypothesisTest(method="<b>", p=.5)._repr_html_().startswith("&lt;b&gt;")


@every("call, words", [
    (lambda: mcnemar([0, 1], [0, 1], [0]), "pred_b 1"),
    (lambda: mcnemar([0, 1], [0, 1], [0, .5]), "pred_b must be class numbers"),
    (lambda: mcnemar([0, 1], [0, 1], [0, 1], "chi"), "method must be"),
    (lambda: mcnemar(["S"], ["S"], ["R"]), "y_true is text"),
    (lambda: mcnemar([], [], []), "empty"),
    (lambda: cochran_q([0, 1], [0, 1]), "at least two models"),
    (lambda: paired_t([.1, np.inf], [.2, .3]), "a is nan or infinite in row 1"),
    (lambda: paired_t([.1], [.2]), "at least two rows"),
    (lambda: paired_t([.1, .2], [.2, .1], groups=[1]), "groups 1"),
    (lambda: paired_permutation([.1, .2], [.2, .1], alternative="up"), "alternative must be"),
    (lambda: five_by_two_cv(np.ones((2, 5)), np.ones((2, 5))), "five rows"),
    (lambda: nadeau_bengio([1, 2], [1, 2], train=0, test=1), "positive"),
    (lambda: non_inferiority([0, 1], [0, 1], [0, 1], margin=0), "margin must be above 0"),
    (lambda: holm([.1, 1.5]), "row 1"),
])
def test_bad_input(call, words):
    with pytest.raises(ValueError, match=words): call()


def plates(seed, G=40, rows=6, shift=.25):
    "Losses of two models whose difference is shared by the rows of a plate"
    r = np.random.default_rng(seed)
    g = np.repeat(np.arange(G), rows)
    return r.normal(shift, 1, G)[g]+r.normal(0, .7, G*rows), g


def test_grouped_wilcoxon_against_flips_of_whole_groups():
    "Under the null a plate's differences change sign as one: all 2^12 ways, then 20,000 of them"
    from itertools import product
    for seed, G, ways, eps in ((1, 12, "all", .03), (2, 40, 20000, .015)):
        d, g = plates(seed, G)
        s = np.array([(np.sign(d)*stats.rankdata(np.abs(d)))[g == i].sum() for i in range(G)])
        signs = np.array(list(product((-1, 1), repeat=G))) if ways == "all" else np.random.default_rng(0).choice([-1,
            1], (ways, G))
        p = (np.abs(signs @ s) >= abs(s.sum())-1e-9).mean()
        assert wilcoxon(d, np.zeros(len(d)), groups=g).p == pytest.approx(p, abs=eps)
        assert wilcoxon(d, np.zeros(len(d))).p < p/2   # the rows by themselves claim more


def test_grouped_wilcoxon_of_single_rows_is_the_usual_one():
    d = np.random.default_rng(3).normal(.2, 1, 80).round(1)
    d = d[d != 0]
    ours, theirs = wilcoxon(d, np.zeros(len(d)), groups=np.arange(len(d))), stats.wilcoxon(d, correction=False,
        method="approx")
    assert ours.p == pytest.approx(theirs.pvalue, abs=1e-9)
    assert abs(ours.statistic) == pytest.approx(abs(theirs.zstatistic), abs=1e-9)


def grouped_readings(seed, G=50, rows=5, better=.04):
    "Three models; a hard plate is hard for all of them, and each has plates of its own that it misses"
    r = np.random.default_rng(seed)
    g = np.repeat(np.arange(G), rows)
    chance = np.clip(r.beta(8, 2, (G, 1))+r.normal(0, .1, (G, 3))+better*np.arange(3), 0, 1)[g]
    return (r.random((G*rows, 3)) < chance).astype(int), g


@pytest.mark.full
def test_grouped_cochran_is_hotellings_test_of_the_groups():
    x, g = grouped_readings(4)
    out = cochran_q(np.ones(len(x), int), *x.T, groups=g)
    sums = np.array([x[g == i].sum(0) for i in range(50)])
    d = sums[:, 1:]-sums[:, :1]
    t2 = 50*d.mean(0) @ np.linalg.solve(np.cov(d.T), d.mean(0))
    f = t2*(50-2)/(2*49)
    assert out.statistic == pytest.approx(f, rel=1e-9) and out.p == pytest.approx(stats.f.sf(f, 2, 48), rel=1e-9)
    multivariate = pytest.importorskip("statsmodels.stats.multivariate")
    theirs = multivariate.test_mvmean(d)
    assert out.statistic == pytest.approx(theirs.statistic, rel=1e-9)
    assert out.p == pytest.approx(theirs.pvalue, rel=1e-9)


def test_grouped_cochran_against_models_that_change_names_in_whole_groups():
    "Under the null the names of the models may be shuffled plate by plate"
    r = np.random.default_rng(0)
    for seed, better in ((5, 0.), (6, .03)):
        x, g = grouped_readings(seed, better=better)
        sums = np.array([x[g == i].sum(0) for i in range(50)]).astype(float)
        spread = lambda s: ((s.sum(0)-s.sum()/3)**2).sum()
        null = [spread(r.permuted(sums, axis=1)) for _ in range(4000)]
        p = (1+sum(o >= spread(sums)-1e-9 for o in null))/4001
        assert cochran_q(np.ones(len(x), int), *x.T, groups=g).p == pytest.approx(p, abs=.06)
