"""What must hold for every metric, whatever the data: bounds, order, weights, parts and wholes, symmetries, the
small tests that peers fail."""
import inspect
import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import mic_eval.metrics as M
from mic_eval.metrics.distances import energy_distance
from mic_eval.metrics.marginals import symmetric_kl
from mic_eval.metrics.paired import paired_permutation
from mic_eval.core.metric import Metric
from mic_eval.core.resample import bootstrap, jackknife
from mic_eval.core.results import Score
from every import every
from test_bad_input import CASES, numbers_in

METRICS = {k: call for k, (call, _) in CASES.items() if isinstance(getattr(call, "func", call), Metric)}
ROWS = [k for k, (_, args) in CASES.items() if all(kind in ("class", "score", "prob", "number", "weight")
                                                   for _, kind in args.values())]
# their limits depend on the draws
DRAWN = {"compare_at", "sensitivity_at", "specificity_at", "fpr_at", "equal_error_rate", "bootstrap_difference",
         "bootstrap_many", "paired_permutation", "selective_risk", "calibration_index"}
IN_ORDER = {"nadeau_bengio"}

row = st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(0, 1), st.integers(0, 20), st.integers(0, 20),
                st.integers(1, 3))
tables = st.lists(row, min_size=4, max_size=30).map(np.array)
few = settings(max_examples=8, deadline=None)


def arrays(name, t):
    "The arguments of a metric out of random rows"
    out, class_of, number_of = {}, iter((0, 1, 2, 1)), iter((3, 4))
    for arg, (_, kind) in CASES[name][1].items():
        out[arg] = t[:, next(class_of)] if kind == "class" or arg == "error" else t[:, next(number_of)]/20
    return out


def values(out): return np.array([v for v, _ in numbers_in(out)])
def attempt(call, *args, **options):
    "Its numbers, or the error's first words: the same data must end the same way"
    try: return values(call(*args, **options))
    except ValueError as e: return str(e)[:20]
def same(a, b, tol=1e-9):
    return a == b if isinstance(a, str) or isinstance(b, str) else len(a) == len(b) and np.allclose(a, b, rtol=tol,
        atol=tol, equal_nan=True)


@pytest.mark.later
@every("name", METRICS)
@few
@given(t=tables)
def test_bounds(name, t):
    call, m = METRICS[name], getattr(METRICS[name], "func", METRICS[name])
    s, (lo, hi) = call(*arrays(name, t).values()), m.range
    if math.isnan(s): assert s.reason and math.isnan(s.lo); return
    assert lo-1e-9 <= s <= hi+1e-9
    if s.lo == s.lo: assert lo-1e-9 <= s.lo <= s+1e-9 and s-1e-9 <= s.hi <= hi+1e-9, repr(s)
    bare = call(*arrays(name, t).values(), ci=None)
    assert float(bare) == float(s) and math.isnan(bare.lo)


@every("name", ROWS)
@few
@given(t=tables, seed=st.integers(0, 9))
@pytest.mark.later
def test_order_of_rows_does_not_matter(name, t, seed):
    a, call = arrays(name, t), CASES[name][0]
    mixed = {k: v[np.random.default_rng(seed).permutation(len(t))] for k, v in a.items()}
    quiet = dict(ci=None) if "ci" in inspect.signature(call).parameters and name in METRICS else {}
    one, two = attempt(call, **a, **quiet), attempt(call, **mixed, **quiet)
    if name in DRAWN and not isinstance(one, str): one, two = one[:1], two[:1]
    assert same(one, two, 1e-6 if name in IN_ORDER else 1e-9), (one, two)


@every("name", [k for k in ROWS if "frequency" in inspect.signature(CASES[k][0]).parameters])
@few
@given(t=tables)
@pytest.mark.later
def test_frequency_weights_are_repetition(name, t):
    a, call, w = arrays(name, t), CASES[name][0], t[:, 5]
    again = {k: np.repeat(v, w, 0) for k, v in a.items()}
    drawn = name in METRICS and not getattr(METRICS[name], "func",
                                            METRICS[name]).interval and not getattr(METRICS[name], "func",
                                                METRICS[name]).share
    options = dict(ci=None) if drawn else {}
    assert same(attempt(call, **a, sample_weight=w, frequency=True, **options), attempt(call, **again, **options))


# AURC takes weights as rows
@every("name", [k for k in ROWS if "sample_weight" in inspect.signature(CASES[k][0]).parameters
                and not k.endswith("aurc")])
@few
@given(t=tables)
@pytest.mark.later
def test_only_the_proportions_of_weights_matter(name, t):
    a, call, w = arrays(name, t), CASES[name][0], t[:, 5]/2
    options = dict(n_resamples=20) if "n_resamples" in inspect.signature(call).parameters else {}
    assert same(attempt(call, **a, sample_weight=w, **options), attempt(call, **a, sample_weight=8*w, **options), 1e-7)


STATISTICS = {k: m for k, m in METRICS.items() if hasattr(getattr(m, "func", m).statistic, "__add__")}

@pytest.mark.later
@every("name", STATISTICS)
@few
@given(t=tables, cut=st.floats(.2, .8))
def test_parts_make_the_whole_and_batches_the_rows(name, t, cut):
    m = getattr(STATISTICS[name], "func", STATISTICS[name])
    fixed = getattr(STATISTICS[name], "keywords", {})
    of = lambda rows, **more: m.statistic.of(*arrays(name, rows).values(), **fixed, **more)
    i = max(1, int(cut*len(t)))
    whole = m.of(of(t))
    assert np.allclose(m.of(of(t[:i])+of(t[i:])), whole, equal_nan=True)
    w = np.random.default_rng(0).integers(0, 4, (2, 3, len(t)))*1.
    w[..., 0] += 1
    # bins take one weight a row
    if "groups" in inspect.signature(m.statistic.of).parameters and m.statistic is M.Bins: w = w.reshape(6, -1)[:0]
    batch = m.of(of(t, weight=w)) if w.size else np.empty(0)
    for j in np.ndindex(*batch.shape): assert np.isclose(batch[j], m.of(of(t, weight=w[j])), equal_nan=True)


@few
@given(t=tables)
def test_symmetries(t):
    y, p, q, s, r = t[:, 0], t[:, 1], t[:, 2], t[:, 3]/20, t[:, 4]/20
    eq = lambda a, b: np.allclose(values(a), values(b), atol=1e-9, equal_nan=True)
    assert eq(M.sensitivity(y, p), M.specificity(1-y, 1-p))
    assert eq(M.ppv(y, p), M.npv(1-y, 1-p)) and eq(M.mcc(y, p, ci=None), M.mcc(1-y, 1-p, ci=None))
    assert eq(M.mcc(y, p, ci=None), M.mcc(p, y, ci=None))
    assert eq(M.cohen_kappa(y, p), M.cohen_kappa(p, y)) and eq(M.f1(y, p), M.f1(p, y))
    assert eq(M.roc_auc(y, s), M.roc_auc(1-y, -s))
    assert eq(M.roc_auc(y, s), M.roc_auc(y, np.exp(9*s)-3))
    assert eq(M.average_precision(y, s), M.average_precision(y, np.exp(9*s)))
    assert eq(M.brier(y, s), M.brier(1-y, 1-s)) and eq(M.brier(y, s), M.brier(y, np.c_[1-s, s]))
    assert M.mcnemar(y, p, q).p == M.mcnemar(y, q, p).p
    assert math.isclose(M.accuracy_difference(y, p, q), -M.accuracy_difference(y, q, p), abs_tol=1e-12)
    x, z = np.c_[s, r], np.c_[r, s][::-1]+.1
    for d in (M.wasserstein, M.ks, M.jensen_shannon, symmetric_kl, energy_distance, M.mmd2):
        try: assert eq(d(x, z), d(z, x)), d.__name__
        except ValueError as e: assert "constant" in str(e) or "same" in str(e) or "vary" in str(e), e
    panel = t[:, :3]
    for f in (M.fleiss_kappa, M.conger_kappa, M.krippendorff_alpha, M.gwet_ac, M.brennan_prediger, M.percent_agreement):
        assert eq(f(panel), f(panel[:, ::-1]))


@few
@given(t=tables, seed=st.integers(0, 5))
def test_resampling(t, seed):
    y, p, g = t[:, 0], t[:, 1], t[:, 3] % 7
    assert repr(bootstrap(M.accuracy, y, p, n_resamples=50, seed=seed)) == repr(bootstrap(M.accuracy, y, p,
        n_resamples=50, seed=seed))
    slow = jackknife(lambda a, b: (a == b).mean(), y, p, groups=g) if len(set(g)) > 1 else []
    if len(slow): assert np.allclose(slow, jackknife(M.accuracy, y, p, groups=g))
    s = bootstrap(M.accuracy, y, p, n_resamples=50, strata=y, seed=seed)
    assert math.isnan(s.lo) or s.lo <= s.hi


def test_names_of_groups_do_not_matter():
    from test_bad_input import calls, n, prob, truth
    g = np.arange(n)//4
    for m, x in ((M.accuracy, calls), (M.f1, calls), (M.roc_auc, prob), (M.brier, prob), (M.ece, prob),
                 (M.average_precision, prob)):
        assert np.allclose(values(m(truth, x, groups=g)),
                           values(m(truth, x, groups=np.array(list("fedcba"))[g]))), m.name


def test_the_small_tests_that_peers_fail():
    assert math.isclose(M.ece([1, 0], [.95, 1], n_bins=10), .475)
    rng = np.random.default_rng(0)
    y, s = rng.integers(0, 2, 60), rng.normal(size=60)
    assert M.delong_test(y, s, s).p == 1 and M.delong_test(y, s, s, s).p == 1
    assert M.mcnemar([0, 1], [0, 1], [0, 1]).p == 1 and M.mcnemar([0, 1, 1], [1, 1, 1], [0, 1, 0], "corrected").p == 1
    for how in ("exact", "midp", "corrected", "asymptotic"): assert M.mcnemar([0, 1], [0, 1], [0, 1], how).p == 1
    r = lambda i: M.Ranking.of(y[i], s[i])
    for size in (1, 7, 60):
        parts = [r(slice(i, i+size)) for i in range(0, 60, size)]
        assert math.isclose(M.roc_auc.of(sum(parts[1:], parts[0])), M.roc_auc(y, s)), size
    assert paired_permutation(np.arange(30.), np.arange(30.)+1, n_resamples=99).p >= 1/100
    assert M.mmd2(rng.normal(size=(20, 2)), rng.normal(9, 1, (20, 2)), n_permutations=49).p >= 1/50
    found = M.Confusion(np.array([[970, 10], [10, 10]]))
    assert M.ppv.of(found) == M.sensitivity.of(found) == .5 and math.isclose(M.false_positive_rate.of(found), 10/980)
    none = M.false_negative_rate([0, 0, 0], [0, 1, 0])
    assert math.isnan(none) and none.reason == "no positives"
    whole = M.sensitivity([1]*200, [1]*200)
    assert whole.lo < .99 and whole.hi == 1 and "wilson" in whole.method.lower()
    perfect = M.roc_auc([0]*10+[1]*10, np.arange(20))
    assert perfect == 1 and .7 < perfect.lo < 1
    assert math.isfinite(M.best_threshold(y, s)) and math.isfinite(M.best_threshold([0, 1], [1., 0.]))
    for same in (M.paired_t, M.wilcoxon, paired_permutation): assert same(s, s).p == 1
    assert math.isnan(bootstrap(np.mean, np.ones(9), method="bca").lo) and M.mcnemar(y, y, 1-y).p > 0
    assert M.set_f1([["a", "b"]], [["a", "b"]]) == 1
    assert isinstance(M.accuracy(y, y)+1, float)
    assert f"{M.accuracy(y, y):.2f}" == "1.00" and isinstance(M.accuracy(y, y), Score)


@every("name", ROWS)
@pytest.mark.later
def test_forms_of_numbers_and_a_file(name):
    """pandas, Arrow, tensors and float32 give the same answer; the answer survives a file; without a level there is
    no interval"""
    import pandas as pd
    import pyarrow as pa
    import torch
    from mic_eval.core.results import Result, from_json, to_json
    call, args = CASES[name]
    given = {k: np.asarray(v) for k, (v, _) in args.items()}
    want = values(call(**given))
    for form in (pd.Series, pa.array, torch.tensor, np.ndarray.tolist):
        assert same(values(call(**{k: form(v) for k, v in given.items()})), want), form
    single = {k: v.astype(np.float32) if v.dtype.kind == "f" else v for k, v in given.items()}
    double = {k: v.astype(float) if v.dtype.kind == "f" else v for k, v in single.items()}
    # there a written .01 is a threshold
    if name != "decision_curve": assert same(values(call(**single)), values(call(**double)), 2e-4)
    out = call(**given)
    if name != "fit_temperature": assert same(values(from_json(to_json(Result(it=out)))), values(Result(it=out)))


GROUPED = [k for k in ROWS if "groups" in inspect.signature(CASES[k][0]).parameters]

@pytest.mark.later
@every("name", GROUPED)
@settings(max_examples=2, deadline=None)
@given(seed=st.integers(0, 99))
def test_rows_and_names_of_groups_do_not_matter(name, seed):
    "Neither the order of rows nor what a group is called changes a number or its limits"
    call, args = CASES[name]
    r = np.random.default_rng(seed)
    given, g, order = {k: np.asarray(v) for k, (v, _) in args.items()}, r.integers(0, 7, 24), r.permutation(24)
    one = attempt(call, **given, groups=g)
    two = attempt(call, **{k: v[order] for k, v in given.items()}, groups=np.array(list("gfaecbd"))[g][order])
    if name in DRAWN and not isinstance(one, str): one, two = one[:1], two[:1]
    assert same(one, two, 1e-6), (one, two)


@every("name", [k for k in METRICS if k not in DRAWN])
def test_a_higher_level_is_wider(name):
    call, args = CASES[name]
    given = [np.asarray(v) for v, _ in args.values()]
    for more in ({}, dict(groups=np.arange(24)//3), dict(sample_weight=np.arange(24) % 3+1)):
        if not set(more) <= set(inspect.signature(call).parameters): continue
        limits = [(s.lo, s.hi) for s in (call(*given, ci=level, **more) for level in (.5, .9, .99))]
        for (a, b), (c, d) in zip(limits, limits[1:]):
            if a == a and c == c: assert c <= a+1e-9 and b <= d+1e-9, (more, limits)


@pytest.mark.later
@every("name", ROWS)
def test_half_precision_is_what_it_rounds_to(name):
    import torch
    call, args = CASES[name]
    given = {k: np.asarray(v) for k, (v, _) in args.items()}
    half = {k: torch.tensor(v).to(torch.bfloat16) if v.dtype.kind == "f" else v for k, v in given.items()}
    single = {k: v.float().numpy() if isinstance(v, torch.Tensor) else v for k, v in half.items()}
    assert same(attempt(call, **half), attempt(call, **single))


@every("name", ROWS)
def test_an_answer_can_be_sent_to_another_process(name):
    import pickle
    call, args = CASES[name]
    out = call(**{k: np.asarray(v) for k, (v, _) in args.items()})
    if name != "fit_temperature": assert same(values(pickle.loads(pickle.dumps(out))), values(out))
