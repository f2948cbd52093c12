"A hostile user of the metrics: wrong names, wrong options, subgroups that are numbers, perfect and degenerate data"
import math

import numpy as np
import pytest
import sklearn.metrics as sk

import mic_eval.metrics as M
from mic_eval.metrics.calibration_errors import ece_smooth, ece_sweep
from mic_eval.metrics.conformal import cqr_margin, interval_coverage
from mic_eval.metrics.roc_and_pr import compare_at
from mic_eval.metrics.evaluate import CALLS, SCORED
from mic_eval.metrics.names import OTHER_NAMES
from mic_eval.metrics.noninferiority import bayesian_signed_rank
from mic_eval.metrics.overlap import mentioned
from mic_eval.metrics.recalibration import calibration_index
from mic_eval.metrics.utility import harm_of, less_harm
from every import every

rng = np.random.default_rng(0)
n = 200
p = rng.beta(.6, .6, n)
y = (rng.random(n) < p)*1
called = np.where(rng.random(n) < .8, y, 1-y)
other = np.where(rng.random(n) < .7, y, 1-y)
w, g = rng.random(n)+.1, np.arange(n)//10


def limits(s): return [float(s), s.lo, s.hi]


def test_a_subgroup_keeps_its_own_name():
    ages = np.array([5, 10, 40, 100])[rng.integers(0, 4, n)]
    # 8, 9, 10, 11: not in the order of text
    for kind in (ages, ages*1., ages.astype(object), np.unique(ages, return_inverse=True)[1]+8):
        o = M.disparity(M.sensitivity, y, called, kind, n_permutations=0)
        for k in np.unique(kind):
            assert limits(o.by[str(k)]) == limits(M.sensitivity(y[kind == k], called[kind == k])), k
    a, b = o.largest.pair.split(" - ")
    assert float(o.largest.difference) == pytest.approx(float(o.by[a])-float(o.by[b]))


def test_subgroups_of_any_metric():
    site = np.array(["A", "B", "C"])[rng.integers(0, 3, n)]
    for m, x in ((M.roc_auc, p), (M.brier, p), (M.f1, called)):
        o = M.disparity(m, y, x, site)
        assert float(o.by.B) == pytest.approx(float(m(y[site == "B"], x[site == "B"]))) and "p" not in o
        assert o.pairs["B - A"].lo < float(o.by.B)-float(o.by.A) < o.pairs["B - A"].hi
    with pytest.raises(ValueError, match="must be a metric"): M.disparity("sensitivity", y, called, site)
    with pytest.raises(ValueError, match="subgroup is missing in row 3"):
        M.disparity(M.f1, y, called, np.where(np.arange(n) == 3, None, site))


def test_an_average_that_means_nothing_is_refused():
    for m, x in ((M.brier, p), (M.cohen_kappa, called), (M.accuracy, called), (M.mcc, called), (M.log_loss, p)):
        with pytest.raises(ValueError, match="has no average"): m(y, x, average="macro")
    for call in (lambda: M.f1(y, called, average="samples"), lambda: M.f1(np.c_[y, called], np.c_[y, other])):
        with pytest.raises(ValueError, match="over_labels"): call()


@every("call,name", [
    (lambda v: M.predictive_values(y, called, prevalence=v), "prevalence"),
                     (lambda v: M.sensitivity_at(y, p, specificity=v), "specificity"),
    (lambda v: M.fpr_at(y, p, tpr=v), "tpr"), (lambda v: M.brier_skill(y, p, reference=v), "reference"),
                     (lambda v: M.bland_altman(p, p+y, span=v), "span"),
    (lambda v: M.deming(p, p+y, ratio=v), "ratio"), (lambda v: harm_of(v), "tests"),
                     (lambda v: less_harm(M.net_benefit(y, p, threshold=.2), v), "harm"),
    (lambda v: interval_coverage(p, p-.1, p+.1, alpha=v), "alpha"),
                     (lambda v: bayesian_signed_rank(p, y, region=v), "region"),
                     (lambda v: M.roc_auc(y, p, ci=v), "ci"),
    (lambda v: M.f_beta(y, called, method="bootstrap", n_resamples=v), "n_resamples"),
                     (lambda v: M.ece(y, p, n_bins=v), "n_bins"),
                     (lambda v: M.f_beta(y, called, beta=v), "beta"),
    (lambda v: M.nemenyi(rng.random((6, 3)), alpha=v), "alpha"),
                     (lambda v: M.non_inferiority(y, called, other, margin=v), "margin"),
                     (lambda v: M.threshold_at(y, p, sensitivity=v), "sensitivity"),
    (lambda v: M.net_benefit(y, p, threshold=.2, prevalence=v), "prevalence"),
                     (lambda v: M.bootstrap_many([M.f1], y, p, threshold=v), "threshold")])
def test_one_number_is_asked_for_by_name(call, name):
    for v in ("x", math.nan, [1, 2]):
        with pytest.raises(ValueError, match=name): call(v)


def test_counts_are_whole_and_reasons_say_which():
    with pytest.raises(ValueError, match="whole numbers"): M.risk_comparison(1.5, 60, 2, 55)
    assert "every row of the first" in M.risk_comparison(60, 60, 30, 55).odds_ratio.reason
    assert "second group has no events" in M.risk_comparison(6, 60, 0, 55).ratio.reason
    with pytest.raises(ValueError, match="lower lies above upper"): cqr_margin(p, p+.1, p-.1)


def test_what_is_degenerate_is_not_certain():
    for s in (*(M.bland_altman(p, p+1)[k] for k in ("bias", "lower", "upper")), *M.deming(p, 2*p+1).values(),
              *calibration_index(y, y*1.).values(), *calibration_index([1], [.4]).values(),
              *M.passing_bablok([1., 2, 3], [2., 3, 3.5]).values()):
        assert math.isnan(s.lo) and s.reason, s
    falling = M.passing_bablok(p, -p)
    assert math.isnan(falling.slope) and "rise" in falling.slope.reason
    assert float(M.bland_altman(p, p+1).bias) == pytest.approx(-1)
    assert float(M.deming(p, 2*p+1).slope) == pytest.approx(2)


def test_skill_with_weights_and_at_its_best():
    of = lambda w=None: 1-sk.brier_score_loss(y, p, sample_weight=w)/(lambda m: m*(1-m))(np.average(y, weights=w))
    assert float(M.brier_skill(y, p)) == pytest.approx(of())
    assert float(M.brier_skill(y, p, sample_weight=w)) == pytest.approx(of(w))
    assert float(M.brier_skill(y, np.c_[1-p, p], groups=g)) == pytest.approx(of())
    best = M.brier_skill(y, y*1.)
    assert best == 1 == best.hi and .8 < best.lo < 1
    r, held = np.random.default_rng(3), 0
    q = r.beta(.6, .6, 100_000)
    true = float(M.brier_skill((r.random(100_000) < q)*1, q, ci=None))
    for _ in range(200):
        q = r.beta(.6, .6, 80)
        s = M.brier_skill((r.random(80) < q)*1, q)
        held += s.lo <= true <= s.hi
    assert held > 180


@pytest.mark.parametrize("error", [ece_smooth, ece_sweep])
@pytest.mark.parametrize("called", [0, 1])
def test_what_never_failed_may_be_wrong_as_often_as_the_rule_of_three_says(error, called):
    for rows in (100, 1000):
        s = error(np.full(rows, called), np.full(rows, float(called)))
        assert s == s.lo == 0 and 1.5/rows < s.hi < 4.5/rows


def test_calibration_errors_know_weights_and_groups():
    for m in (M.rms_calibration_error, M.ece_debiased):
        assert np.allclose(limits(m(y, p, sample_weight=np.full(n, 7.))), limits(m(y, p)))
        assert np.allclose(limits(m(y, p, sample_weight=w)), limits(m(y, p, sample_weight=100*w)))
        one = m(y, p, groups=g)
        assert float(one) == float(m(y, p))
        assert one.groups == 20 and m(y, p, groups=np.arange(n)//100).reason.startswith("too few groups")
    bins = np.array_split(np.argsort(p, kind="stable"), 10)
    assert float(M.rms_calibration_error(y, p, n_bins=10)) == pytest.approx(math.sqrt(sum(len(i)/n*(y[i].mean()
        -p[i].mean())**2 for i in bins)))


def test_differences_take_weights_averages_and_names():
    assert float(M.bootstrap_difference(M.f1, y, called, other, sample_weight=w,
                                        n_resamples=50)) == pytest.approx(sk.f1_score(y, called, sample_weight=w)
                                            -sk.f1_score(y, other, sample_weight=w))
    three = rng.integers(0, 3, n)
    a, b = (np.where(rng.random(n) < c, three, rng.integers(0, 3, n)) for c in (.8, .5))
    d = M.bootstrap_difference(M.f1, three, a, b, average="macro", n_resamples=50)
    assert float(d) == pytest.approx(sk.f1_score(three, a, average="macro")-sk.f1_score(three, b, average="macro"))
    assert d.lo < d < d.hi
    words = np.array(["no", "yes"])
    named = M.bootstrap_difference(M.f1, words[y], words[called], words[other], pos_label="no", n_resamples=50)
    assert float(named) == pytest.approx(sk.f1_score(1-y, 1-called)-sk.f1_score(1-y, 1-other))
    s = compare_at(y, p, p*rng.random(n), specificity=.8, sample_weight=w, n_resamples=50)
    assert s.lo < s < s.hi
    with pytest.raises(TypeError, match="no option 'foo'"): M.bootstrap_difference(M.f1, y, called, other, foo=1)


def test_other_names_lead_to_ours():
    for name in ("mae", "auc", "nll", "eer", "alpha"):
        with pytest.raises(AttributeError, match="it is called"): getattr(M, name)
    with pytest.raises(AttributeError, match="did you mean 'roc_auc'"): M.roc_au
    assert not set(OTHER_NAMES) & set(M.__all__)


@every("text,said", [("不能排除肺炎", {"肺炎"}), ("不除外肺炎", {"肺炎"}), ("暂不考虑肺炎", set()), ("无发热 咳嗽 胸痛", set()),
                     ("无发热，咳嗽", {"咳嗽"}), ("排除肺炎、胸痛", set())])
def test_what_is_left_open(text, said):
    assert mentioned(text, {o: o for o in ("发热", "咳嗽", "胸痛", "肺炎")}) == said


def test_evaluate_says_what_each_metric_says():
    import pandas as pd
    from mic_eval.core.tables import Predictions
    for weight in (None, w):
        rows = Predictions(np.arange(n).astype(str), y, p, weight=weight, facts=pd.DataFrame(dict(plate=g.astype(str))))
        for groups in (None, "plate"):
            o = M.evaluate(rows, groups=groups, by=(), n_resamples=20).overall
            how = dict(sample_weight=weight, groups=g if groups else None, n_resamples=20)
            for m in (*CALLS, *SCORED):
                assert np.allclose(limits(m(y, (p >= .5)*1 if m in CALLS else p, **how)), limits(o[m.name]),
                                   equal_nan=True), m.name
            assert float(o.roc_auc) == pytest.approx(sk.roc_auc_score(y, p, sample_weight=weight))
            assert float(o.log_loss) == pytest.approx(sk.log_loss(y, p, sample_weight=weight))
