"""What a weight of 0 may change (nothing), what weights that count rows say (what repeated rows say), and that neither
the names of groups nor the order of rows can change a draw."""
import inspect
import math
from functools import partial

import numpy as np
import pytest

import mic_eval.metrics as M
from mic_eval.metrics.agreement import confidence_weighted_agreement
from mic_eval.metrics.multiclass import over_classes, over_labels
from mic_eval.metrics.overlap import encode_sets
from mic_eval.metrics.uncertainty import selective_risk
from mic_eval.core.metric import Metric
from mic_eval.core.resample import bootstrap
from mic_eval.core.results import Curve, Score
from every import every
from test_bad_input import ALL, CASES, n, prob3, three

rng = np.random.default_rng(5)
labels, label_scores = rng.integers(0, 2, (n, 3)), rng.random((n, 3))
MORE = {name: (getattr(M, name), dict(y_true=labels, y_pred=(label_scores > .5)*1))
        for name in ("hamming_loss", "subset_accuracy")} | {
    "over_labels": (partial(over_labels, M.f1), dict(y_true=labels, y_pred=(label_scores > .5)*1)),
    "top_k_accuracy": (partial(M.top_k_accuracy, k=2), dict(y_true=three, y_score=prob3)),
    "over_classes": (partial(over_classes, M.roc_auc), dict(y_true=three, y_score=prob3))}
CALLS = {k: (call, {a: v for a, (v, _) in args.items()}) for k, (call, args) in ALL.items()} | MORE


def takes(call, name):
    "Whether a call has an option, by its own name or handed on to a metric"
    p = inspect.signature(call).parameters
    return name in p


WEIGHED = [k for k, (call, _) in CALLS.items() if takes(call, "sample_weight")] + [
    "best_threshold", "sensitivity_at", "specificity_at", "fpr_at", "equal_error_rate", "compare_at", "det_curve",
    "expected_cost", "ece_classwise of three", "partial_auc", "f_beta", "adaptive_calibration_error", "cohen_kappa"]


def facts(o):
    "Everything an answer says, with numbers to nine digits"
    if isinstance(o, Curve):
        told = [v for v in (o.x, o.y, o.lo, o.hi, *o.extra.values()) if v is not None]
        return [(np.round(np.asarray(v, float), 9)+0.).tolist() for v in told], o.note
    if isinstance(o, dict): return {k: facts(v) for k, v in o.items()}
    if isinstance(o, Score):
        return *(float(f"{v:.8g}") for v in (float(o), o.lo, o.hi)), o.n, o.groups, o.method, str(o.reason)
    return float(f"{o:.8g}") if isinstance(o, float) else o


def same(a, b): return str(a) == str(b)
def picked(v, rows): return [v[i] for i in rows] if isinstance(v, list) else np.asarray(v)[rows]


@every("name", sorted(WEIGHED))
@every("groups", [None, np.arange(n)//4, np.arange(n)], ids=["rows", "6 groups", "24 groups"])
@pytest.mark.later
def test_rows_of_weight_0_are_not_there(name, groups):
    call, args = CALLS[name]
    if groups is not None and name in ("class_balance", "risk_coverage"): return
    rows, w = np.r_[np.arange(n), 3, 4, 5, 10], rng.integers(1, 4, n)
    one = {} if groups is None else dict(groups=groups)
    two = {} if groups is None else dict(groups=np.r_[groups, groups[3], 90, 91, 92])
    more = {k: picked(v, rows) for k, v in args.items()}
    for style in ({}, dict(frequency=True)):
        assert same(facts(call(**args, sample_weight=w, **one, **style)),
                    facts(call(**more, sample_weight=np.r_[w, 0, 0, 0, 0], **two, **style)))


@every("name", sorted(set(WEIGHED)-{"class_balance", "risk_coverage"}))
@every("groups", [None, np.arange(n)//4], ids=["rows", "6 groups"])
def test_counts_are_repeated_rows_with_and_without_groups(name, groups):
    call, args = CALLS[name]
    w = rng.integers(0, 4, n)
    w[:12] += 1
    again, grouped = np.repeat(np.arange(n), w), {} if groups is None else dict(groups=groups)
    one = call(**args, sample_weight=w, frequency=True, **grouped)
    two = call(**{k: picked(v, again) for k, v in args.items()}, **{k: v[again] for k, v in grouped.items()})
    assert same(facts(one), facts(two))


def test_evaluate_leaves_rows_of_weight_0_out_and_says_so():
    import pandas as pd
    from mic_eval.core.predictions import Predictions
    r = np.random.default_rng(1)
    y, s, plate = r.integers(0, 2, 70), r.random(70), np.repeat(np.arange(7), 10)
    w = np.where(plate == 6, 0., r.integers(1, 4, 70))
    table = lambda rows: Predictions(np.arange(70)[rows], y[rows], s[rows], weight=w[rows],
                                     facts=pd.DataFrame(dict(plate=plate[rows])))
    whole, part = (M.evaluate(table(rows), n_resamples=20) for rows in (np.arange(70), np.arange(60)))
    assert whole["n"].pop("weightless") == 10 and str(facts(whole)) == str(facts(part))
    assert whole["groups"].n == 6


def test_a_class_only_among_rows_of_weight_0_is_no_class():
    y, p, w = [0, 1, 0, 1, 1, 2], [0, 1, 1, 1, 1, 2], [1, 2, 1, 1, 1, 0]
    assert facts(M.f1(y, p, sample_weight=w)) == facts(M.f1(y[:-1], p[:-1], sample_weight=w[:-1]))


def test_sets_that_are_encoded_already():
    a, b, w = [["x"], ["y", "z"], [], ["x", "z"]], [["x"], ["y"], ["z"], []], [1, 2, 3, 0]
    for style in ({}, dict(frequency=True)):
        assert facts(M.set_f1(*encode_sets(a, b), sample_weight=w, **style)) == facts(
            M.set_f1(a, b, sample_weight=w, **style)) == facts(M.set_f1(a[:3], b[:3], sample_weight=w[:3], **style))


def test_errors_name_the_rows_that_were_sent():
    y, p = np.tile([0, 1], 6), np.linspace(.1, .9, 12)
    w, bad = np.r_[0, 0, np.ones(10)], np.where(np.arange(12) == 7, np.nan, p)
    for call in (M.roc_auc, M.roc_curve, M.brier, M.calibration_slope, M.decision_curve):
        with pytest.raises(ValueError, match="row 7"): call(y, bad, sample_weight=w)
    with pytest.raises(ValueError, match="different lengths"): M.roc_curve(y, p, sample_weight=w[1:])
    with pytest.raises(ValueError, match="0.5 in row 3"):
        M.roc_curve(y, p, sample_weight=np.where(np.arange(12) == 3, .5, 1), frequency=True)


@pytest.mark.later
@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e200, 1e300])
def test_weights_of_any_size_count_by_their_proportions(scale):
    w = np.linspace(.5, 2, n)
    for name in set(WEIGHED)-{"over_labels"}:
        call, args = CALLS[name]
        assert same(facts(call(**args, sample_weight=w)), facts(call(**args, sample_weight=w*scale))), name


def test_a_missing_group_is_refused_with_and_without_an_interval():
    y, p = np.tile([0, 1], 12), np.linspace(.1, .9, 24)
    bad = ["a", "b"]*11+[float("nan"), "a"]
    for call in (M.roc_auc, M.accuracy, M.ece, M.aurc, M.f1, M.concordance_index, M.roc_curve, M.brier):
        second = (p > .5)*1 if call in (M.accuracy, M.f1) else p
        with pytest.raises(ValueError, match="groups is missing in row 22"): call(y, second, groups=bad, ci=None)
    with pytest.raises(ValueError, match="groups is missing in row 22"): selective_risk(y, 1-p, groups=bad)
    with pytest.raises(ValueError, match="groups is missing in row 22"):
        M.conformal_coverage(y, np.c_[p < .6, p > .4], groups=bad)


def test_more_rows_than_fit_are_refused_in_one_line():
    y, p, many = np.tile([0, 1], 12), np.linspace(.1, .9, 24), np.full(24, 10**10)
    for call in (M.calibration_slope, M.best_threshold, M.ece_debiased, partial(M.brier, groups=np.arange(24)//4)):
        with pytest.raises(ValueError, match="counts 2.4e\\+11 rows, more than can be spelled out"):
            call(y, p, sample_weight=many, frequency=True)
    assert M.roc_curve(y, p, sample_weight=many, frequency=True).y[-1] == 1
    assert M.accuracy(y, (p > .5)*1, sample_weight=many, frequency=True).n == 24*10**10


GROUPED = [k for k, (call, args) in CASES.items()
           if takes(call, "groups") and not {"ratings", "table", "sample"} & {kind for _, kind in args.values()}]


def scores_in(o, path=""):
    if isinstance(o, Score): yield path, o
    if isinstance(o, dict):
        for k, v in o.items(): yield from scores_in(v, f"{path} {k}")


@every("name", [k for k in GROUPED if k != "fit_temperature"])
def test_every_number_of_an_answer_knows_its_groups(name):
    "Also those that stand beside the main one: no interval over rows where groups were given"
    call, args = CALLS[name]
    for k, s in scores_in(call(**args, groups=np.arange(n)//4)):
        if not np.isnan(s.lo): assert (s.groups or 0) > 4, (k, s, s.method)


def test_what_cannot_vary_has_no_width_of_nothing():
    y = np.tile([0, 1, 2], 10)
    for average in ("macro", "micro"):
        s = M.prevalence(y, y, average=average)
        assert s.hi-s.lo > .1, (s, s.method)
    one = M.stuart_maxwell([0, 1], [1, 1], groups=[3, 3])
    assert np.isnan(one.p) and "few groups" in one.p.reason


def test_an_unknown_option_blames_the_function_that_was_called():
    y, p = np.tile([0, 1], 6), np.linspace(.1, .9, 12)
    with pytest.raises(TypeError, match="^det_curve has no option 'weights'"): M.det_curve(y, p, weights=p)
    with pytest.raises(TypeError, match="^confidence_weighted_agreement has no option 'sample_weight'"):
        confidence_weighted_agreement(y, y, p, sample_weight=p)


@pytest.mark.later
@every("name", GROUPED+["f1 by draws", "roc_auc by draws", "aurc by draws"])
def test_names_of_24_groups_do_not_matter(name):
    "From 20 groups on limits may be drawn: the draws are the same whatever groups are called, in any order of rows"
    call, args = CASES[name.split()[0]]
    if "draws" in name: call = partial(call, method="percentile", n_resamples=60, ci=.95)
    given = {k: picked(v, np.tile(np.arange(n), 3)) for k, (v, _) in args.items()}
    for k, (_, kind) in args.items():
        if kind == "number" and k != "error": given[k] = given[k]+np.arange(3*n)/500
    g, order, names = rng.integers(0, 24, 3*n), rng.permutation(3*n), rng.permutation(99)
    g[:24] = np.arange(24)
    one = call(**given, groups=g)
    two = call(**{k: picked(v, order) for k, v in given.items()}, groups=[f"plate {i}" for i in names[g][order]])
    assert close(facts(one), facts(two))


def close(a, b):
    if isinstance(a, dict): return a.keys() == b.keys() and all(close(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)): return len(a) == len(b) and all(map(close, a, b))
    if isinstance(a, float): return np.isclose(a, b, rtol=1e-6, atol=1e-7, equal_nan=True)
    return str(a) == str(b)


def test_a_decision_curve_of_renamed_groups():
    r = np.random.default_rng(3)
    y, p, g = r.integers(0, 2, 300), r.random(300), r.integers(0, 30, 300)
    names, order, w = r.permutation(30), r.permutation(300), r.integers(0, 3, 300)/2
    a = M.decision_curve(y, p, groups=g, sample_weight=w)
    b = M.decision_curve(y[order], p[order], groups=names[g][order], sample_weight=w[order])
    assert np.allclose(a.lo, b.lo) and np.allclose(a.hi, b.hi) and "30 groups" in a.note
    many = [bootstrap(lambda u, v: np.median(u-v), *rows, groups=h, n_resamples=50)
            for rows, h in (((p, y), g), ((p[order], y[order]), names[g][order]))]
    assert np.isclose(many[0].lo, many[1].lo) and np.isclose(many[0].hi, many[1].hi)


@every("kind", [float, np.float32])
@every("off", [.1, .3, 1e-3])
def test_a_constant_error_has_no_interval_in_any_precision(kind, off):
    x = np.linspace(0, 10, 40).astype(kind)
    y, turned = x+kind(off), x+kind(off)*(np.arange(40) % 2*2-1).astype(kind)
    for g in (None, np.arange(40)//4):
        for m in (M.root_mean_squared_error, M.mean_absolute_error, M.mean_error):
            s = m(x, y, groups=g)
            assert np.isnan(s.lo) and "says the same" in s.reason and np.isclose(s, off, rtol=1e-3), s
        assert np.isnan(M.root_mean_squared_error(x, turned, groups=g).lo)
        assert np.isnan(M.bland_altman(x, y, groups=g).bias.lo)
        for line in (M.deming, M.passing_bablok):
            s = line(x, (x*kind(1.1)+kind(off)).astype(kind), groups=g).slope
            assert np.isnan(s.lo) and s.reason == "all points lie on the line", s


def test_a_probability_of_0_that_did_not_happen_is_no_loss_in_any_draw():
    y, p, g = np.array([0, 1, 0, 1, 1, 0]*8), np.array([0, .9, .2, 1., .7, .4]*8), np.arange(48)//4
    plain = float(M.log_loss(y, p))
    with np.errstate(all="raise"):
        drawn = [M.bootstrap_many([M.log_loss, M.roc_auc], y, p, n_resamples=50, **o).log_loss
                 for o in ({}, dict(groups=g), dict(sample_weight=np.ones(48)+(np.arange(48) % 2)))]
        drawn.append(M.log_loss(y, p, method="bootstrap", n_resamples=50))
    assert all(s.defined and s.lo < s < s.hi for s in drawn) and float(drawn[0]) == pytest.approx(plain, abs=1e-12)
    p[1] = 0
    assert math.isnan(M.bootstrap_many([M.log_loss], y, p, n_resamples=50).log_loss)
