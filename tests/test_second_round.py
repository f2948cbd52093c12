"Statistics where options meet: the examples that went wrong, each as a test; coverage where it was lost"
import inspect
import math
import pickle

import numpy as np
import pytest
import sklearn.metrics as sk

import mic_eval.metrics as M
from mic_eval.metrics.confusion import class_balance
from mic_eval.metrics.ratings import expand_counts
from mic_eval.metrics.utility import Decisions, standardized_net_benefit
from mic_eval.core.checks import as_stored
from mic_eval.core.criteria import NOT_EVALUATED, PASS, Criterion, Profile, Verdict, judge_one
from mic_eval.core.intervals import proportion
from mic_eval.core.metric import Metric
from mic_eval.core.resample import bootstrap
from mic_eval.core.results import Score
from mic_eval.core.tables import Predictions
from every import every
from test_bad_input import CASES, plain

rng = np.random.default_rng(0)


def limits(s): return [float(s), s.lo, s.hi]


# ---- many models, groups

def test_joint_delong_over_groups_keeps_its_level():
    r, rejected, told = np.random.default_rng(1), 0, 0
    for _ in range(150):
        y, g = r.integers(0, 2, 100), np.repeat(np.arange(5), 20)
        base = r.normal(size=5)[g]+y
        p = M.delong_test(y, *(base+r.normal(size=5)[g]+r.normal(size=100) for _ in range(3)), groups=g).p
        rejected, told = rejected+(p < .05), told+(p == p)
    assert told > 140 and rejected < 18      # chi-square: 39


def test_pairs_without_a_p_are_not_counted():
    from mic_eval.metrics.delong import _with_holm
    from mic_eval.core.results import Result
    out = _with_holm(Result(a=Result(p=Score(.01, n=9)), b=Result(p=Score(n=9, reason="none")),
                            c=Result(p=Score(.03, n=9))))
    assert out.a.p_holm == .02 and out.c.p_holm == .03 and math.isnan(out.b.p_holm) and out.b.p_holm.reason == "none"


# ---- calibration errors

def calibrated(seed, n=2000):
    r = np.random.default_rng(seed)
    p = r.beta(.6, .6, n)
    return (r.random(n) < p)*1, p, np.arange(n)//10


@every("how", [dict(), dict(sample_weight=np.ones(2000)),
               dict(sample_weight=np.ones(2000), frequency=True),
               dict(sample_weight=1+np.arange(2000) % 2)])
@every("m", [M.ece, M.mce])
def test_a_calibrated_model_may_be_calibrated(m, how):
    covered = 0
    for seed in range(12):
        y, p, g = calibrated(seed)
        covered += m(y, p, groups=g, **how).lo == 0
    assert covered >= 11


def test_two_calibrated_models_do_not_differ():
    told = 0
    for seed in range(12):
        y, p, g = calibrated(seed, 500)
        q = np.clip(np.where(np.arange(500) % 2, p, p.mean()), .01, .99)   # says less, and is calibrated too
        d = M.bootstrap_difference(M.ece, y, p, q)
        told += d.lo > 0 or d.hi < 0
    assert told <= 1
    y, p, _ = calibrated(0, 500)
    many = M.bootstrap_many([M.ece, M.brier], y, p, n_resamples=50)
    assert limits(many.ece) == limits(M.ece(y, p))
    for m in (M.ece, M.mce):   # nor are they drawn by themselves
        assert limits(bootstrap(m, y, p)) == limits(m(y, p))
        assert limits(bootstrap(m, y, p, groups=np.arange(500)//5)) == limits(m(y, p, groups=np.arange(500)//5))
        for call in (lambda: m(y, p, method="bootstrap"), lambda: bootstrap(m, y, p, method="bca"),
                     lambda: bootstrap(m, y, p, strata=y)):
            with pytest.raises(ValueError, match="biased upwards"): call()


# ---- weights

y2, p2, g2 = rng.integers(0, 2, 120), rng.integers(0, 2, 120), np.arange(120)//6
s2 = np.clip(.5+.2*(2*y2-1)+.25*rng.normal(size=120), .01, .99)
w2 = rng.random(120)+.1

@every("groups", [None, g2])
@every("m", [M.sensitivity, M.f1, M.balanced_accuracy, M.mcc, M.accuracy])
def test_only_proportions_of_weights_matter(m, groups):
    one, *more = [limits(m(y2, p2, sample_weight=w2*f, groups=groups, n_resamples=40)) for f in (1, .01, 100)]
    for o in more: assert np.allclose(o, one)
    same = [limits(m(y2, p2, sample_weight=w, groups=groups)) for w in (None, np.ones(120), np.full(120, 7.))]
    assert np.allclose(same[0], same[1]) and np.allclose(same[0], same[2])


@every("average", ["positive", "macro", "micro", "weighted", None])
@every("groups", [None, g2])
def test_frequency_is_repetition_everywhere(average, groups):
    w = rng.integers(0, 4, 120)
    again = None if groups is None else groups.repeat(w)
    for m in (M.sensitivity, M.f1):
        a, b = m(y2, p2, sample_weight=w, frequency=True, average=average, groups=groups), m(y2.repeat(w),
            p2.repeat(w), average=average, groups=again)
        for a, b in zip(a.values(), b.values()) if average is None else [(a, b)]:
            assert np.allclose(limits(a), limits(b)) and a.n == b.n


def test_standardized_net_benefit_counts_the_prevalence():
    r, covered = np.random.default_rng(2), 0
    y, p = (lambda p: ((r.random(len(p)) < p)*1, p))(r.beta(.5, 2, 200_000))
    true = float(standardized_net_benefit(y, p, threshold=.1, ci=None))
    for _ in range(300):
        p = r.beta(.5, 2, 200)
        s = standardized_net_benefit((r.random(200) < p)*1, p, threshold=.1)
        covered += s.lo <= true <= s.hi
    assert covered/300 > .91


# ---- one rule for thresholds

@pytest.mark.parametrize("kind", [np.float32, np.float16, np.float64])
def test_a_written_number_reaches_itself(kind):
    t = np.round(np.arange(1, 100)/100, 2)
    s, y = np.repeat(t, 2).astype(kind), np.tile([0, 1], 99)
    want = [(np.repeat(t, 2) >= c).sum() for c in t]      # of the written numbers
    assert [(s >= as_stored(np.float64(c), s)).sum() for c in t] == want
    assert [int(M.Ranking.of(y, s).at(c).m[:, 1].sum()) for c in t] == want
    d = Decisions.of(y, s, threshold=t)
    assert (d.tp+d.fp).tolist() == want == [int(Decisions.of(y, s, threshold=c).tp
                                                +Decisions.of(y, s, threshold=c).fp) for c in t]
    w = Decisions.of(y, s, threshold=t, weight=np.ones(len(s)))
    assert (w.tp+w.fp).tolist() == want
    called = [Predictions(np.arange(len(s)), y, s, threshold=float(c)).y_pred.sum() for c in t]
    assert called == want
    many = M.bootstrap_many([M.sensitivity], y, s, threshold=.7, n_resamples=20, groups=np.arange(len(s))//6)
    assert many.sensitivity.k == int(M.Ranking.of(y, s).at(.7).tp)


# ---- averages

def test_each_class_has_its_column():
    y, s = [1, 0, 0, 0], [[.2, .8], [.3, .7], [.6, .4], [.05, .95]]
    assert M.average_precision(y, s, average="macro") == pytest.approx(.708, abs=1e-3)
    assert list(M.average_precision(y, s, average=None)) == ["0", "1"]
    r = np.random.default_rng(0)
    t = r.integers(0, 3, 80)
    q = r.dirichlet([1, 1, 1], 80)*.6+.4*np.eye(3)[t]
    for m in (M.roc_auc, M.average_precision, M.f1_max, M.partial_auc):
        for average in ("macro", "weighted", "micro", None): m(t, q, average=average, n_resamples=20, seed=1)
    assert float(M.roc_auc(t, q, average="micro")) == pytest.approx(sk.roc_auc_score(np.eye(3)[t], q, average="micro"))
    calls = q.argmax(1)
    for ours, theirs in ((M.f1, sk.f1_score), (M.ppv, sk.precision_score), (M.sensitivity, sk.recall_score)):
        assert float(ours(t, calls, average="micro")) == pytest.approx(theirs(t, calls, average="micro"))
        assert float(ours(t, calls, pos_label=2)) == pytest.approx(theirs(t == 2, calls == 2))


# ---- criteria

def test_a_criterion_means_its_level():
    assert judge_one(Criterion("s", .80, "min", on="lo", level=.99), proportion(90, 100)).status == "insufficient n"
    other = judge_one(Criterion("s", .80, "min", on="lo", level=.99), Score(.9, .85, .95, n=100))
    assert other.status == NOT_EVALUATED and "99 %" in other.why and "ci=0.99" in other.why
    wider = judge_one(Criterion("s", .80, "min", on="lo", sides=1), Score(.9, .85, .95, n=100))
    assert wider.status == PASS      # a two-sided 95 % limit holds at 97.5 % alone
    empty = Verdict(Profile("none", ()), ())
    assert not empty.passed and empty.status == NOT_EVALUATED


# ---- refused or defined, never silent

def test_never_silent():
    for call, words in ((lambda: M.nemenyi(rng.random((5, 3)), alpha=5), "alpha"),
                        (lambda: expand_counts([[1.5, 2]]), "counts"),
                        (lambda: M.roc_auc(y2, np.ma.array(s2, mask=np.arange(120) == 3)), "masked in row 3"),
                        (lambda: M.sensitivity(np.ma.array(y2, mask=np.arange(120) == 4), p2), "masked in row 4"),
                        (lambda: M.sensitivity(y2, p2, groups=[None, *g2[1:]]), "groups is missing in row 0"),
                        (lambda: M.roc_auc(y2, s2, groups=np.where(np.arange(120) == 2, np.nan, g2)),
                         "groups is missing in row 2"),
                        (lambda: M.f_beta(y2, p2, method="bootstrap", n_resamples=0), "n_resamples"),
                        (lambda: M.accuracy([0, 49_999], [1, 49_999]), "50000 classes")):
        with pytest.raises(ValueError, match=words): call()
    with pytest.raises(TypeError, match="f1 has no option 'weights'"): M.f1(y2, p2, weights=w2)


def test_labels_as_an_array():
    names = np.array(["no", "yes"])
    for m in (M.f1, M.sensitivity): m(names[y2], names[p2], labels=names, average=None)
    class_balance(names[y2], names[p2], labels=names)
    M.roc_auc(names[y2], s2, labels=names)
    assert "yes" in M.conformal_coverage(names[y2], np.c_[1-p2, p2] > 0, labels=names).per_class


def test_other_dtypes():
    import torch
    t = torch.tensor(s2, requires_grad=True)
    assert M.roc_auc(torch.tensor(y2), t) == M.roc_auc(y2, s2)
    half = torch.tensor(s2).to(torch.bfloat16)
    assert M.roc_auc(y2, half) == M.roc_auc(y2, half.float().numpy())
    assert M.sensitivity(y2.astype(object), p2.astype(object)) == M.sensitivity(y2, p2)


@pytest.mark.later
def test_margins_on_the_estimate():
    told = 0
    for seed in range(16):
        r = np.random.default_rng(seed)
        y, a, b = (r.integers(0, 2, 40) for _ in range(3))
        margin = float((b == y).mean()-(a == y).mean())
        if margin <= 0: continue
        told += 1
        assert M.non_inferiority(y, a, b, margin=margin, groups=np.arange(40)//4).p == pytest.approx(.5, abs=1e-6)
        M.equivalence(y, a, b, margin=margin, groups=np.arange(40)//4)
    assert told > 4


@every("name", [k for k in M.__all__ if isinstance(getattr(M, k), Metric)])
def test_metrics_can_be_pickled(name): assert pickle.loads(pickle.dumps(getattr(M, name))) is getattr(M, name)


def scores_in(o):
    if isinstance(o, Score): yield o
    elif isinstance(o, dict):
        for v in o.values(): yield from scores_in(v)


@every("name", [k for k, (call, _) in CASES.items() if "ci" in inspect.signature(call).parameters])
def test_no_level_no_interval(name):
    call, args = CASES[name]
    for s in scores_in(call(**plain(args), ci=None)): assert math.isnan(s.lo) and math.isnan(s.hi), s


# ---- a perfect model can pass

def test_the_best_value_has_an_interval():
    y = np.tile([0, 1], 5000)
    t = np.arange(9999) % 3
    best = [M.f1(t, t, average="macro"), M.f1(t, t, average="weighted"), M.f_beta(y, y), M.partial_auc(y, y),
            M.brier(y, y*1.), M.f1_max(y, y),
            M.roc_auc(y, y), M.average_precision(y, y), M.f_beta(t, t, average="macro"),
            M.brier(y, y*1., groups=np.arange(10_000)//10)]
    for s in best:
        assert not s.reason and s.hi-s.lo < .02, s
        assert s.lo <= float(s) <= s.hi
    few = M.f1([0]*50+[1]*3, [0]*50+[1]*3, average="macro")
    assert few.lo < .85      # three rows of a class are three rows


# ---- coverage

def coverage(draw, metric, true, times=150):
    inside = [s.lo <= true <= s.hi for s in (metric(*draw()) for _ in range(times))]
    return np.mean(inside)


def test_the_largest_f1_is_held():
    r = np.random.default_rng(3)
    def draw(n=100):
        y = (r.random(n) < .3)*1
        return y, r.normal(size=n)+1.5*y
    true = float(M.f1_max(*draw(200_000), ci=None))
    assert coverage(draw, M.f1_max, true) > .89


def test_unequal_groups():
    r = np.random.default_rng(4)
    sizes = np.array([40, 20, 10, 10, 5, 5, 5, 3, 2, 2])
    def rows():
        g = np.repeat(np.arange(10), sizes)
        shift = r.normal(0, .7, 10)[g]
        p = 1/(1+np.exp(-r.normal(0, 1.5, len(g))))
        y = (r.random(len(g)) < 1/(1+np.exp(-np.log(p/(1-p))-shift)))*1
        return y, p, g
    many = [rows() for _ in range(400)]
    true = {m: np.mean([float(m(y, p, ci=None)) for y, p, _ in many]) for m in (M.brier, M.average_precision)}
    for m, t in true.items():
        assert np.mean([s.lo <= t <= s.hi for s in (m(y, p, groups=g) for y, p, g in many[:150])]) > .9, m
