"Power and sample size: stored statsmodels, brute force, simulation of the tests themselves."
import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from mic_eval.core.intervals import clopper_pearson, newcombe_paired
from mic_eval.metrics.paired import _mcnemar_p
from mic_eval.metrics.power import (cochran_q_power, design_effect, equivalence_power, five_by_two_cv_power,
                                    friedman_power, grouped_size, mcnemar_power,
                                    nadeau_bengio_power, non_inferiority_power, paired_t_power, precision_size,
                                    rate_power, sample_size, trials_for_limit,
                                    wilcoxon_power)
from every import every

oracle = json.loads((Path(__file__).parent / "oracles" / "paired.json").read_text())


def test_t_like_statsmodels():
    for (d, n), p in zip(((.2, 50), (.5, 30), (.3, 120)), oracle["t power"]):
        assert paired_t_power(n, dz=d) == pytest.approx(p, abs=1e-6)
    assert [sample_size(paired_t_power, dz=d) for d in (.2, .5, .8)] == [math.ceil(n) for n in oracle["t size"]]
    # where the normal takes over
    assert paired_t_power(2001, dz=.05) == pytest.approx(paired_t_power(2002, dz=.05), abs=5e-4)
    assert paired_t_power(30, dz=-.5) == paired_t_power(30, dz=.5) and paired_t_power(30, dz=0) == pytest.approx(.05)


@pytest.mark.parametrize("limit, misses, sides", [(.01, 0, 1), (.01, 2, 1), (.03, 0, 2), (.075, 3, 2)])
def test_trials_for_limit_is_the_first(limit, misses, sides):
    n = trials_for_limit(limit, misses, sides=sides)
    assert clopper_pearson(misses, n, sides=sides)[1] <= limit < clopper_pearson(misses, n-1, sides=sides)[1]


def test_published_sizes():
    assert trials_for_limit(.01) == 299 and trials_for_limit(.03) == 99 and trials_for_limit(.03, sides=2) == 122
    assert trials_for_limit(.05, method="wilson", sides=1) < trials_for_limit(.05)


def test_rate_power_by_brute_force():
    for n, rate, limit in ((400, .003, .01), (120, .01, .05), (50, .2, .4)):
        k = np.arange(n+1)
        brute = stats.binom.pmf(k, n, rate)[clopper_pearson(k, n, sides=1)[1] <= limit].sum()
        assert rate_power(n, rate=rate, limit=limit) == pytest.approx(brute)
        assert rate_power(n, rate=1-rate, limit=1-limit, at_least=True) == pytest.approx(brute)


@pytest.mark.later
@pytest.mark.parametrize("n, p_b, p_c", [(60, .1, .02), (200, .06, .02), (30, .3, .3), (10, .05, .0)])
def test_mcnemar_power_by_brute_force(n, p_b, p_c):
    brute = sum(stats.multinomial.pmf([b, c, n-b-c], n, [p_b, p_c, 1-p_b-p_c]) for b in range(n+1)
                for c in range(n+1-b) if _reject(b, c))
    assert mcnemar_power(n, p_b=p_b, p_c=p_c) == pytest.approx(brute, abs=1e-9)


def _reject(b, c, memo={}):
    if (b, c) not in memo: memo[b, c] = _mcnemar_p(b, c, "exact")[1] <= .05
    return memo[b, c]


def test_mcnemar_edges():
    assert mcnemar_power(100, p_b=0, p_c=0) == 0 and mcnemar_power(100, p_b=1, p_c=0) == pytest.approx(1)
    assert mcnemar_power(100_000, p_b=.03, p_c=.03) == pytest.approx(.05, abs=.005)


@pytest.mark.parametrize("n, p_b, p_c, margin", [(300, .04, .04, .04), (150, .05, .03, .05), (500, .02, .03, .03)])
def test_margins_by_simulation(n, p_b, p_c, margin):
    rng = np.random.default_rng(0)
    x = rng.multinomial(n, [.9-p_b-p_c, p_b, p_c, .1], 4000)
    lo, hi = newcombe_paired(*x.T)
    assert non_inferiority_power(n, p_b=p_b, p_c=p_c, margin=margin) == pytest.approx((lo > -margin).mean(), abs=.03)
    for level, alpha in ((.95, .025), (.9, .05)):
        lo, hi = newcombe_paired(*x.T, level)
        shown = ((lo > -margin) & (hi < margin)).mean()
        power = equivalence_power(n, p_b=p_b, p_c=p_c, margin=margin, alpha=alpha)
        assert power == pytest.approx(shown, abs=.04)


def test_wilcoxon_by_simulation():
    rng = np.random.default_rng(0)
    x = rng.normal(.4, 1, (1500, 50))
    assert wilcoxon_power(50, dz=.4) == pytest.approx((stats.wilcoxon(x, axis=1,
        method="asymptotic").pvalue < .05).mean(), abs=.03)


def test_cochran_and_friedman_by_simulation():
    rng = np.random.default_rng(0)
    shares, n = np.array([.9, .85, .8]), 150
    right = rng.random((2000, n, 3)) < shares
    col, row = right.sum(1), right.sum(2)
    q = 2*(3*(col**2).sum(1)-col.sum(1)**2)/(row*(3-row)).sum(1)
    differ = np.mean([p*(1-o)+o*(1-p) for p, o in ((.9, .85), (.9, .8), (.85, .8))])
    assert cochran_q_power(n, accuracies=shares, discordance=differ) == pytest.approx((q > stats.chi2.ppf(.95,
        2)).mean(), abs=.05)
    assert cochran_q_power(n, accuracies=[.9, .9], discordance=.1) == pytest.approx(.05)
    assert friedman_power(20, models=4, w=0) == pytest.approx(.05)
    assert friedman_power(20, models=4, w=.3) > friedman_power(10, models=4, w=.3)


def test_cross_validation_by_simulation():
    rng, n, rho = np.random.default_rng(0), 10, 1/10   # folds correlated as Nadeau and Bengio suppose
    d = 1.2+math.sqrt(rho)*rng.normal(size=(4000, 1))+math.sqrt(1-rho)*rng.normal(size=(4000, n))
    t = d.mean(1)/np.sqrt((1/n+1/9)*d.var(1, ddof=1))
    assert nadeau_bengio_power(n, dz=1.2, train=900,
                               test=100) == pytest.approx((np.abs(t) > stats.t.ppf(.975, 9)).mean(), abs=.06)
    assert five_by_two_cv_power(dz=0) == pytest.approx(.05)


@every("f, design", [(paired_t_power, dict(dz=.3)), (mcnemar_power, dict(p_b=.08, p_c=.03)),
                     (rate_power, dict(rate=.002, limit=.01)),
                     (friedman_power, dict(models=4, w=.3)),
                     (non_inferiority_power, dict(p_b=.03, p_c=.03, margin=.03))])
@every("target", [.5, .8, .95])
def test_sample_size_is_reached_and_kept(f, design, target):
    n = sample_size(f, target, **design)
    assert f(n, **design) >= target and all(f(m, **design) >= target for m in range(n, n+n//10, max(1, n//200)))
    assert f is mcnemar_power or f is rate_power or f(n-1, **design) < target


def test_groups():
    assert design_effect(8, .2) == pytest.approx(2.4) and design_effect(1, .9) == 1
    assert grouped_size(100, 10, 0) == dict(rows=100, groups=10) and grouped_size(100, 10, 1)["groups"] == 100
    assert precision_size(.9, .03) == sample_size(lambda n: float(np.diff(_wilson(.9*n, n))[0]/2 <= .03), least=1)


def _wilson(k, n):
    from mic_eval.core.intervals import wilson
    return wilson(k, n)


@every("call, words", [
    (lambda: trials_for_limit(0), "limit must lie between"),
    (lambda: trials_for_limit(.1, bound="middle"), "bound must be"),
    (lambda: trials_for_limit(.1, method="wald"), "method must be"),
    (lambda: rate_power(10, rate=1.2, limit=.1), "rate must lie between"),
    (lambda: mcnemar_power(10, p_b=.7, p_c=.6), "p_b_plus_p_c"),
    (lambda: cochran_q_power(10, accuracies=[.9, .5], discordance=.1), "differ on more than"),
    (lambda: non_inferiority_power(10, p_b=.1, p_c=.1, margin=0), "margin must be"),
    (lambda: sample_size(paired_t_power, 1, dz=.1), "target must lie"),
    (lambda: sample_size(paired_t_power, dz=0), "not reached"),
    (lambda: design_effect(.5, .1), "group_size"),
    (lambda: friedman_power(5, models=1, w=.2), "two models"),
])
def test_bad_input(call, words):
    with pytest.raises(ValueError, match=words): call()


def test_a_solved_argument_lies_between_one_that_is_too_weak_and_one_that_is_strong_enough():
    from mic_eval.metrics.power import solved_for
    def rising(v): return v
    assert solved_for("v", rising, between=(.5, .9), target=.9) == pytest.approx(.9)   # the strong end may be it
    for a, b in ((.5, .9), (.9, .5)):
        assert solved_for("v", rising, between=(a, b), target=.8) == pytest.approx(.8)
        assert solved_for("v", lambda v: 1-v, between=(a, b), target=.3) == pytest.approx(.7)
    for ends in ((.8, .9), (.9, .95), (.1, .5)):   # the weak one is strong enough; or both; or neither
        with pytest.raises(ValueError, match="does not lie between"): solved_for("v", rising, between=ends, target=.8)


@pytest.mark.parametrize("alpha", [.2, .05, .01, 1e-4])
def test_as_few_rows_as_mcnemar_tolerates(alpha):
    "Two-sided binomial tails by scipy: one more would not be rejected, nor would it lie in the smaller half"
    from mic_eval.metrics.power import _most_tolerated
    m = np.arange(3000)
    k = _most_tolerated(m, alpha)
    def tail(k): return np.where(k < 0, 0, 2*stats.binom.cdf(k, m, .5))
    assert (tail(k) <= alpha).all() and (2*k <= m).all() and ((tail(k+1) > alpha) | (2*k+2 > m)).all() and k.min() == -1


def test_auroc_sizes():
    from scipy.special import ndtri
    from mic_eval.metrics.power import auc_power, auc_size
    from mic_eval.metrics import roc_auc
    rng, n = np.random.default_rng(0), 200
    y = np.arange(n) % 2
    shown = np.mean([roc_auc(y, rng.normal(size=n)+y*np.sqrt(2)*ndtri(.95)).lo > .9 for _ in range(300)])
    assert auc_power(n, auc=.95, limit=.9) == pytest.approx(shown, abs=.08)
    assert auc_size(.9, .05) < auc_size(.9, .03)
    assert auc_power(100, auc=.95, limit=.9) < auc_power(400, auc=.95, limit=.9)
    for bad in (dict(auc=1.), dict(auc=.95, limit=.97), dict(auc=.95, limit=.9, prevalence=0)):
        with pytest.raises(ValueError): auc_power(n, **dict(limit=.9) | bad)
    with pytest.raises(ValueError, match="half_width"): auc_size(.9, .6)


def test_power_of_two_aurocs():
    "Owen's T against scipy's bivariate normal; monotone; no difference has the level"
    from scipy.stats import multivariate_normal
    from mic_eval.metrics.power import auc_difference_power
    from mic_eval.metrics.power import _both_below
    for h, k, r in ((.5, 1.2, .3), (1.8, 1.1, .5), (0, .7, .2), (1, 1, .45)):
        assert _both_below(h, k, r) == pytest.approx(multivariate_normal.cdf([h, k], cov=[[1, r], [r, 1]]), abs=1e-6)
    design = dict(auc_a=.9, auc_b=.85)
    assert auc_difference_power(300, **design, correlation=.8) > auc_difference_power(300, **design,
        correlation=.2) > auc_difference_power(150, **design, correlation=.2)
    assert auc_difference_power(300, **design) == pytest.approx(auc_difference_power(300, auc_a=.85, auc_b=.9),
                                                                abs=1e-12)
    assert auc_difference_power(300, auc_a=.9, auc_b=.9) == pytest.approx(.05, abs=1e-9)
    with pytest.raises(ValueError, match="correlation"): auc_difference_power(300, **design, correlation=1)
    with pytest.raises(ValueError, match="auc must be"): auc_difference_power(300, auc_a=.9, auc_b=.4)
