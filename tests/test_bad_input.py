"""Every public metric on input that people do send: an error that names the argument and rows, or nan with a reason.
Never a silent number, a warning or a stranger's traceback."""
import inspect
import math
import warnings
from functools import partial

import numpy as np
import pytest
from mic_eval.core.readers import read_table

import mic_eval.metrics as M
from mic_eval.metrics.agreement import confidence_weighted_agreement
from mic_eval.metrics.roc_and_pr import compare_at
from mic_eval.metrics.recalibration import calibration_index
from mic_eval.metrics.utility import standardized_net_benefit
from mic_eval.core.results import Curve, Result, Score
from every import every

n = 24
rng = np.random.default_rng(0)
truth = np.arange(n) % 2
calls, other, third = (np.where(rng.random(n) < miss, 1-truth, truth) for miss in (.2, .3, .4))
prob = np.clip(.5+.3*(2*truth-1)*rng.random(n)+.15*rng.normal(size=n), .01, .99)
prob_b = np.clip(prob+.1*rng.normal(size=n), .01, .99)
three, calls3 = np.arange(n) % 3, np.where(rng.random(n) < .2, (np.arange(n)+1) % 3, np.arange(n) % 3)
prob3 = rng.dirichlet([1, 1, 1], n)*.5+.5*np.eye(3)[three]
loss, loss_b = rng.gamma(1, 1, n), rng.gamma(1, 1.2, n)
error, sure = (calls != truth)*1, rng.random(n)
x, y = rng.normal(size=(n, 2)), rng.normal(.5, 1, size=(n, 2))
panel = np.stack([calls, other, third], 1)
numbers3 = panel+rng.normal(size=(n, 3))
words = [["dry"], ["red", "thin"], ["yellow"]]*8

# name -> (call, {argument: (good value, what it is)}); what it is decides what may be sent instead
def calls_of(names, **kind): return {name: (getattr(M, name), kind) for name in names.split()}
K = dict(y_true=(truth, "class"))
two_classes = ("recall precision sensitivity specificity ppv npv false_negative_rate false_positive_rate accuracy "
               "prevalence balanced_accuracy youden f1 f_beta mcc lr_positive lr_negative likelihood_ratios "
               "diagnostic_odds_ratio class_balance")
several = ("recall precision sensitivity specificity ppv npv false_negative_rate false_positive_rate prevalence "
           "youden f1 f_beta lr_positive lr_negative diagnostic_odds_ratio")
probabilities = ("ece brier mce log_loss adaptive_calibration_error rms_calibration_error ece_debiased ece_smooth "
                 "ece_sweep calibration_intercept calibration_slope observed_expected spiegelhalter brier_skill "
                 "brier_decomposition reliability_curve decision_curve fit_temperature")
CASES = {
    **calls_of(two_classes, **K, y_pred=(calls, "class")),
    **calls_of("roc_auc average_precision f1_max partial_auc roc_curve pr_curve best_threshold", **K,
               y_score=(prob, "score")),
    **calls_of(probabilities, **K, y_prob=(prob, "prob")),
    **calls_of(
        "aurc e_aurc augrc confidence_spearman confidence_kendall confidence_pearson error_auroc risk_coverage "
        "selective_risk", error=(error, "number"), confidence=(sure, "score")),
    **calls_of("mcnemar accuracy_difference kappa_difference", **K, pred_a=(calls, "class"), pred_b=(other, "class")),
    **calls_of("delong_test", **K, score_a=(prob, "score"), score_b=(prob_b, "score")),
    **calls_of("paired_t wilcoxon paired_permutation cohens_d cohens_dz", a=(loss, "number"), b=(loss_b, "number")),
    **calls_of("mean_absolute_error root_mean_squared_error mean_error r_squared concordance_correlation correlation",
               y_true=(loss, "number"), y_pred=(loss_b, "number")),
    **calls_of("concordance_index", y_true=(loss, "number"), y_score=(loss_b, "number")),
    **calls_of("bland_altman", a=(loss, "number"), b=(loss_b, "number")),
         **calls_of("deming passing_bablok", x=(loss, "number"), y=(loss_b, "number")),
    **calls_of("stuart_maxwell bowker", a=(calls, "class"), b=(other, "class")),
    **calls_of("cohen_kappa kappa_standard_error", a=(calls, "class"), b=(other, "class")),
    **calls_of(
        "percent_agreement fleiss_kappa conger_kappa gwet_ac brennan_prediger krippendorff_alpha "
        "leave_one_rater_out pairwise", ratings=(panel, "ratings")),
    **calls_of("icc", ratings=(numbers3, "table")),
    **calls_of(
        "wasserstein sliced_wasserstein symmetric_kl jensen_shannon psi ks mmd2 energy_distance domain_auc "
        "proxy_a_distance", x=(x, "sample"), y=(y, "sample")),
    **calls_of("set_precision set_recall set_f1 set_jaccard set_overlap", y_true=(words, "sets"),
               y_pred=(words[1:]+words[:1], "sets")),
    **{name: (partial(getattr(M, name), n_resamples=5), dict(**K, y_prob=(prob, "prob")))
       for name in ("ece_smooth", "ece_sweep")},
    "sensitivity_at": (partial(M.sensitivity_at, specificity=.8, n_resamples=50), dict(**K, y_score=(prob, "score"))),
    "specificity_at": (partial(M.specificity_at, sensitivity=.8, n_resamples=50), dict(**K, y_score=(prob, "score"))),
    "fpr_at": (partial(M.fpr_at, n_resamples=50), dict(**K, y_score=(prob, "score"))),
    "equal_error_rate": (partial(M.equal_error_rate, n_resamples=50), dict(**K, y_score=(prob, "score"))),
    "det_curve": (M.det_curve, dict(**K, y_score=(prob, "score"))),
    "compare_at": (partial(compare_at, specificity=.8, n_resamples=50),
                   dict(**K, score_a=(prob, "score"), score_b=(prob_b, "score"))),
    "predictive_values": (partial(M.predictive_values, prevalence=.1), dict(**K, y_pred=(calls, "class"))),
    "threshold_at": (partial(M.threshold_at, sensitivity=.9), dict(**K, y_score=(prob, "score"))),
    "net_benefit": (partial(M.net_benefit, threshold=.3), dict(**K, y_prob=(prob, "prob"))),
    "standardized_net_benefit": (partial(standardized_net_benefit, threshold=.3), dict(**K, y_prob=(prob, "prob"))),
    "interventions_avoided": (partial(M.interventions_avoided, threshold=.3), dict(**K, y_prob=(prob, "prob"))),
    "net_benefit_difference": (partial(M.net_benefit_difference, threshold=.3),
                               dict(**K, prob_a=(prob, "prob"), prob_b=(prob_b, "prob"))),
    "expected_cost": (partial(M.expected_cost, costs=[[0, 1], [5, 0]]), dict(**K, y_pred=(calls, "class"))),
    "non_inferiority": (partial(M.non_inferiority, margin=.1),
                        dict(**K, pred_a=(calls, "class"), pred_b=(other, "class"))),
    "equivalence": (partial(M.equivalence, margin=.1), dict(**K, pred_a=(calls, "class"), pred_b=(other, "class"))),
    "bootstrap_difference": (partial(M.bootstrap_difference, M.f1, n_resamples=50),
                             dict(**K, a=(calls, "class"), b=(other, "class"))),
    "bootstrap_many": (partial(M.bootstrap_many, [M.accuracy, M.roc_auc, M.brier], n_resamples=50),
                       dict(**K, y_score=(prob, "prob"))),
    "cochran_q": (lambda y_true, groups=None, labels=None,
                  **models: M.cochran_q(y_true, *models.values(), groups=groups, labels=labels),
                  {"y_true": (truth, "class"), "predictions[0]": (calls, "class"), "predictions[1]": (other, "class"),
                   "predictions[2]": (third, "class")}),
    "confidence_weighted_agreement": (confidence_weighted_agreement,
                                      dict(expert=(truth, "class"), called=(calls, "class"),
                                           confidence=(sure, "weight"))),
    "tolerance_score": (M.tolerance_score, dict(y_true=(loss, "number"), y_pred=(loss_b, "number"))),
    "label_accuracy": (M.label_accuracy, dict(y_true=(["a", "b"]*12, "words"), y_pred=(["a", "b", "b"]*8, "words"))),
    "calibration_index": (partial(calibration_index, n_resamples=10), dict(**K, y_prob=(prob, "prob"))),
    "hosmer_lemeshow": (M.hosmer_lemeshow, dict(**K, y_prob=(prob, "prob"))),
    "conformal_coverage": (M.conformal_coverage, dict(**K, sets=(np.c_[1-calls, calls] > 0, "sets of classes"))),
    "nadeau_bengio": (partial(M.nadeau_bengio, train=90, test=10), dict(a=(loss, "number"), b=(loss_b, "number"))),
}
MULTI = {f"{name} of three": (partial(getattr(M, name), average="macro"),
                              dict(y_true=(three, "class"), y_pred=(calls3, "class"))) for name in several.split()} | {
    f"{name} of three": (getattr(M, name), dict(y_true=(three, "class"), y_prob=(prob3, "prob")))
                                  for name in "ece brier mce log_loss ece_classwise ece_debiased".split()} | {
    f"{name} of three": (partial(getattr(M, name), average="macro"),
                         dict(y_true=(three, "class"), y_score=(prob3, "score")))
                                      for name in "roc_auc average_precision".split()}
ALL = CASES | MULTI

def numbers_in(o):
    "Every number of an answer, with the reason that stands beside it"
    if isinstance(o, Score):
        yield float(o), o.reason
        # one limit alone needs a reason
        if not math.isnan(o) and (o.lo == o.lo or o.hi == o.hi or "interval" in o.reason):
            yield from ((v, o.reason) for v in (o.lo, o.hi))
    elif isinstance(o, Curve): yield from ((float(v), True) for v in np.r_[o.y])
    elif isinstance(o, dict):
        told = " ".join(v.reason for v in o.values()
                        if isinstance(v, Score))+str(o.get("reason", ""))+str(o.get("note", ""))
        for v in o.values(): yield from ((a, b or told) for a, b in numbers_in(v))
    elif isinstance(o, float): yield o, False


def answer(call, args, **options):
    "What a call gives, provided it warns of nothing, and every nan has its reason and nothing is infinite"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        out = call(**args, **options)
    for v, reason in numbers_in(out):
        assert not math.isinf(v), f"infinite: {out}"
        assert not math.isnan(v) or reason, f"nan without a reason: {out}"
    return out


def refused(call, args, *names, **options):
    "The call must end in a ValueError that says one of the names"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError) as e: out = call(**args, **options); pytest.fail(f"no error, but {out}")
    said = str(e.value)
    assert "\n" not in said and any(name in said for name in names), f"{said!r} names none of {names}"
    return said


def swapped(args, name, value): return {k: value if k == name else v for k, (v, _) in args.items()}
def plain(args): return {k: v for k, (v, _) in args.items()}
def each(*kinds):
    return [pytest.param(name, arg, id=f"{name}-{arg}") for name, (_, args) in ALL.items()
            for arg, (_, kind) in args.items() if kind in kinds]


@every("name", ALL)
def test_good_input_is_answered(name): answer(ALL[name][0], plain(ALL[name][1]))


@every("name,arg", each("class", "score", "prob", "number", "ratings", "table", "sample", "sets",
                        "words", "weight", "sets of classes"))
def test_empty_is_refused(name, arg):
    call, args = ALL[name]
    good = args[arg][0]
    nothing = [] if isinstance(good, list) else good[:0]
    said = refused(call, {k: v[:0] for k, v in plain(args).items()}, *args, "empty", "no rows")
    assert "empty" in said or "at least" in said or "no " in said, said


@every("name,arg", [p for p in each("class", "score", "prob", "number", "sets", "words", "weight",
                                    "sets of classes") if len(ALL[p.values[0]][1]) > 1])
def test_unequal_lengths_are_refused(name, arg):
    call, args = ALL[name]
    said = refused(call, swapped(args, arg, args[arg][0][:-1]), "length")
    assert str(n) in said and str(n-1) in said, said


@every("name,arg", each("score", "prob", "number", "table", "sample", "weight", "class"))
@every("what", [math.nan, -math.inf])
def test_nan_and_infinities_are_refused(name, arg, what):
    call, args = ALL[name]
    if (name, arg) == ("tolerance_score", "y_pred") and math.isnan(what): return   # there, nan is no answer
    bad = np.array(args[arg][0], float)
    bad[(3,)+(0,)*(bad.ndim-1)] = what
    said = refused(call, swapped(args, arg, bad), arg)
    assert "row 3" in said and any(o in said for o in ("nan", "inf", "must lie between", "must hold")), said


@every("name,arg", each("score", "prob", "number", "table", "sample", "weight", "class"))
def test_text_is_refused(name, arg):
    call, args = ALL[name]
    bad = np.full(np.shape(args[arg][0]), "low")
    refused(call, swapped(args, arg, bad), arg)


@every("name,arg", each("class"))
def test_halves_are_no_classes(name, arg):
    call, args = ALL[name]
    bad = args[arg][0]*1.
    bad[[2, 5]] = .5
    said = refused(call, swapped(args, arg, bad), arg)
    assert "rows 2, 5" in said and ".5" in said, said


@every("name,arg", each("class"))
def test_negative_classes_are_refused(name, arg):
    call, args = ALL[name]
    bad = args[arg][0].copy()
    bad[4] = -1
    assert "row 4" in refused(call, swapped(args, arg, bad), arg)


@every("name,arg", each("prob"))
@every("what", [1.5, -.1])
def test_probabilities_stay_between_0_and_1(name, arg, what):
    call, args = ALL[name]
    bad = args[arg][0].copy()
    bad[(3,)+(0,)*(bad.ndim-1)] = what
    assert "row 3" in refused(call, swapped(args, arg, bad), arg)


LABELLED = [p for p in each("class") if p.values[0] in CASES]

@pytest.mark.later
@every("name,arg", LABELLED)
def test_labels_outside_labels_are_refused(name, arg):
    call, args = CASES[name]
    named = {k: np.array(["no", "yes"])[v] if kind == "class" else v for k, (v, kind) in args.items()}
    out = answer(call, named, labels=["no", "yes"])
    assert type(out) is type(answer(call, plain(args)))
    if isinstance(out, float): assert np.isclose(out, answer(call, plain(args)), equal_nan=True)
    odd = named | {arg: np.where(np.arange(n) == 7, "maybe", named[arg])}
    said = refused(call, odd, arg, labels=["no", "yes"])
    assert "row 7" in said and "maybe" in said and "labels" in said, said


@every("name,arg", each("class"))
@pytest.mark.later
def test_other_forms_of_the_same_classes(name, arg):
    import pandas as pd
    import torch
    call, args = ALL[name]
    whole = lambda o: [float(v) for v, _ in numbers_in(o)]
    want = whole(answer(call, plain(args)))
    forms = [args[arg][0]*1., args[arg][0].tolist(), pd.Series(args[arg][0], index=np.arange(n)[::-1]),
             torch.tensor(args[arg][0])] + ([args[arg][0].astype(bool)] if args[arg][0].max() == 1 else [])
    for form in forms:
        assert np.allclose(whole(answer(call, swapped(args, arg, form))), want, equal_nan=True), type(form)


@pytest.mark.later
@every("name", CASES)
def test_one_class_gives_nan_and_a_reason_or_a_number(name):
    call, args = CASES[name]
    for c in (0, 1):
        one = {k: np.full(n, c) if k in ("y_true", "expert") and kind == "class" else v
               for k, (v, kind) in args.items()}
        try: answer(call, one)
        except ValueError as e: assert "class" in str(e) or "y_true" in str(e) or "positive" in str(e), e
        same = {k: np.full(n, c) if kind == "class" else v for k, (v, kind) in args.items()}
        try: answer(call, same)
        except ValueError as e: assert "class" in str(e) or "y_true" in str(e) or "positive" in str(e), e


@pytest.mark.later
@every("name", CASES)
@every("constant", [0., .5, 1.])
def test_constant_scores_and_ties(name, constant):
    call, args = CASES[name]
    flat = {k: np.full(np.shape(v), constant) if kind in ("score", "prob", "number", "table", "sample")
            else np.ones_like(v) if kind == "ratings" else v for k, (v, kind) in args.items()}
    try: answer(call, flat)
    except ValueError as e:
        assert any(
            k in str(e) for k in args) or "label" in str(
                e) or "score" in str(e) or "feature" in str(e) or "temperature" in str(e), e


@every("name", ["roc_auc of three", "average_precision of three", "ece of three", "brier of three",
                "mce of three", "log_loss of three", "ece_classwise of three"])
def test_more_classes_than_columns(name):
    call, args = ALL[name]
    (a, (good, _)), (b, (p, _)) = args.items()
    assert "column" in refused(call, {a: np.where(np.arange(n) == 5, 3, good), b: p}, a, b)


@every("name", several.split())
def test_several_classes_need_average(name):
    assert "average" in refused(getattr(M, name), dict(y_true=three, y_pred=calls3), "average")
    refused(getattr(M, name), dict(y_true=three, y_pred=calls3), "average", average="most")


def takes_weights(call):
    return "sample_weight" in inspect.signature(call).parameters


@every("name", [k for k, (call, _) in CASES.items() if takes_weights(call)])
def test_weights(name):
    call, args = CASES[name]
    at = lambda v: np.where(np.arange(n) == 6, v, 1.)
    refused(call, plain(args), "sample_weight", sample_weight=np.zeros(n))
    refused(call, plain(args), "sample_weight", sample_weight=np.ones(n-1))
    refused(call, plain(args), "sample_weight", sample_weight=["heavy"]*n)
    for v in (-1, math.nan, math.inf):
        assert "row 6" in refused(call, plain(args), "sample_weight", sample_weight=at(v))
    if "frequency" in inspect.signature(call).parameters:
        assert "row 6" in refused(call, plain(args), "sample_weight", sample_weight=at(.5), frequency=True)
    answer(call, plain(args), sample_weight=rng.random(n))


@every("name", [k for k, (call, _) in CASES.items()
                if "groups" in inspect.signature(call).parameters])
def test_groups(name):
    call, args = CASES[name]
    # two samples: groups of both, tested with the distances
    if "sample" in [kind for _, kind in args.values()]: return
    refused(call, plain(args), "groups", groups=np.zeros(n-1))
    answer(call, plain(args), groups=np.arange(n)//4)
    few = answer(call, plain(args), groups=np.arange(n)//12,
                 **dict(ci=.95) if "ci" in inspect.signature(call).parameters else {})
    if isinstance(few, Score) and not math.isnan(few): assert math.isnan(few.lo) and "few" in few.reason, few


@every("name", [k for k, (call, _) in ALL.items() if "ci" in inspect.signature(call).parameters])
@every("level", [0, 1, 95, math.nan])
def test_levels_are_shares(name, level): refused(ALL[name][0], plain(ALL[name][1]), "ci", "level", ci=level)


def test_scores_that_are_no_numbers_name_the_remedy_and_one_class_alone_is_read(tmp_path):
    import pandas as pd
    from mic_eval.core.tables import read_predictions
    n = np.arange(60)
    def read(y, p):
        pd.DataFrame(dict(sample_id=[f"s{i}" for i in n], y_true=y, y_prob=p)).to_csv(tmp_path/"t.csv", index=False)
        return read_predictions(tmp_path/"t.csv")
    score = .1+.8*(n % 2)
    with pytest.raises(ValueError, match="in row 5; fill in numbers, or leave these rows out"):
        read(n % 2, [v if i != 3 else "n/a" for i, v in enumerate(score)])
    with pytest.raises(ValueError, match="write all of them with % or none"):
        read(n % 2, [v if i % 2 else f"{100*v:.0f}%" for i, v in enumerate(score)])
    calls = read(n*0+1, score)   # as many calls of each kind in turn, and one truth: no rows of classes
    assert len(read_predictions(calls.save(tmp_path/"kept.parquet"))) == 60


def written_as(path, encoding, text="编号,真值,概率\n样本,0,0.1\n样本二,1,0.9\n"):
    path.write_bytes(text.encode(encoding))
    return path


def test_old_encodings_are_said_and_not_misread(tmp_path):
    "EBCDIC was one heading without rows, and UTF-7 names such as +fxZT9w"
    plain = "sample_id,y_true,y_prob\na,0,0.1\nb,1,0.9\n"
    for page in ("cp037", "cp500", "cp273"):
        with pytest.raises(ValueError, match="old.csv.*EBCDIC"): read_table(written_as(tmp_path/"old.csv", page, plain))
    with pytest.raises(ValueError, match="old.csv.*UTF-7"): read_table(written_as(tmp_path/"old.csv", "utf-7"))
    for sound in ("a+b,c\n1+-,2\n+AGE-x,3\n", "cells,n\nCD3+CD4-,1\nCD8+CD25+,2\n", "phone,n\n+49-30,1\n+86-10,2\n"):
        assert len(read_table(written_as(tmp_path/"sound.csv", "utf-8", sound)).frame) == 2
