"""Everything exported that answers with numbers and their doubt, found in the package itself: weights, order,
groups, forms of numbers, levels, degenerate input, another process, a file"""
import inspect
import math
import pickle
from functools import partial

import numpy as np
import pytest

import mic_eval.metrics as M
import mic_eval.metrics.localisation
from mic_eval.metrics.agreement import among_experts, model_among_experts
from mic_eval.metrics.conformal import interval_coverage, risk_control
from mic_eval.metrics.multiclass import over_labels
from mic_eval.metrics.noninferiority import (bayesian_signed_rank, cohens_g, five_by_two_cv, five_by_two_f,
                                             paired_odds_ratio)
from mic_eval.metrics.ranks import against
from mic_eval.metrics.raters import (compare_over_readers, corrected_mean, corrected_share, drift, judge_summary,
                                    leave_one_reader_out, model_against_panel, pair_scores, panel_agreement,
                                    readers_mean, self_agreement, set_alpha)
from mic_eval.metrics.text_overlap import bleu, chrf, embedding_f1, points_score, rouge_l, rouge_n
from mic_eval.core.results import Result, Score, from_json, to_json
from every import every
from test_bad_input import (CASES, MULTI, answer, loss, loss_b, n, panel, plain, prob, prob3, prob_b, refused, rng,
                            three, truth, calls, words)
from test_properties import attempt, same, values

ANSWERS = {"Score", "Result", "HypothesisTest", "Distance", "Curve"}
labels_true, labels_called = panel, np.where(rng.random(panel.shape) < .2, 1-panel, panel)
folds_a, folds_b = rng.random((5, 2)), rng.random((5, 2))
models = rng.normal(size=(n, 3))+[0, .5, 1]
marks, marks_b = rng.integers(0, 4, (3, n))*1., rng.integers(0, 4, (3, n))*1.
maps, masks = rng.random((n, 5, 5)), rng.random((n, 5, 5)) > .6
texts, answered = ["发热 咳嗽 三日", "舌红 苔黄"]*12, ["发热 三日", "舌红 苔白", "舌淡 苔黄"]*8
features = [dict(tongue="red", coat=c) for c in ("thin", "thick")*12]
vectors = [rng.normal(size=(3, 4)) for _ in range(n)]
human = np.where(np.arange(n) % 2, prob, np.nan)
verdicts, verdicts_back = (np.array(["first", "second", "tie"])[rng.integers(0, 3, n)] for _ in range(2))
bits = np.where(np.arange(n) % 2, truth, np.nan)
sets_given = np.empty((n, 2), object)
sets_given[:] = [[frozenset(a), frozenset(b)] for a, b in zip(words, words[1:]+words[:1])]
quick = dict(n_resamples=20)

# name -> (call, {argument: value}, the arguments whose rows belong together)
MORE = {
    "delong_unpaired": (M.delong_unpaired, dict(y_a=truth, score_a=prob, y_b=truth, score_b=prob_b),
                        ("y_a", "score_a")),
    "disparity": (partial(M.disparity, M.sensitivity, n_permutations=19),
                  dict(y_true=truth, y_pred=calls, subgroup=np.arange(n) // 2 % 2), ("y_true", "y_pred", "subgroup")),
    "risk_comparison": (M.risk_comparison, dict(k1=7, n1=20, k2=3, n2=25), ()),
    "cohens_g": (cohens_g, dict(b=7, c=3), ()),
    "paired_odds_ratio": (paired_odds_ratio, dict(b=7, c=3), ()),
    "five_by_two_cv": (five_by_two_cv, dict(a=folds_a, b=folds_b), ()),
    "five_by_two_f": (five_by_two_f, dict(a=folds_a, b=folds_b), ("a", "b")),
    "bayesian_signed_rank": (partial(bayesian_signed_rank, n_draws=200), dict(a=loss, b=loss_b), ("a", "b")),
    "friedman": (M.friedman, dict(scores=models), ("scores",)),
    "nemenyi": (M.nemenyi, dict(scores=models), ("scores",)),
    "against": (partial(against, reference=0), dict(scores=models), ("scores",)),
    "hamming_loss": (M.hamming_loss, dict(y_true=labels_true, y_pred=labels_called), ("y_true", "y_pred")),
    "subset_accuracy": (M.subset_accuracy, dict(y_true=labels_true, y_pred=labels_called), ("y_true", "y_pred")),
    "over_labels": (partial(over_labels, M.f1), dict(y_true=labels_true, y_pred=labels_called), ("y_true", "y_pred")),
    "top_k_accuracy": (M.top_k_accuracy, dict(y_true=three, y_score=prob3), ("y_true", "y_score")),
    "ece_if_calibrated": (partial(M.ece_if_calibrated, **quick), dict(y_prob=prob), ("y_prob",)),
    "interval_coverage": (interval_coverage, dict(y_true=loss, lower=loss_b-.5, upper=loss_b+.5),
                          ("y_true", "lower", "upper")),
    "risk_control": (partial(risk_control, settings=[.1, .5, .9], alpha=.4),
                     dict(losses=np.sort(rng.random((n, 3)))[:, ::-1]*[1., .5, .1]), ("losses",)),
    "corrected_mean": (corrected_mean, dict(judge=prob_b, human=human), ("judge", "human")),
    "corrected_share": (corrected_share, dict(judge=calls*1., human=bits), ("judge", "human")),
    "judge_summary": (judge_summary, dict(judge=prob_b, human=human), ("judge", "human")),
    "pair_scores": (pair_scores, dict(forward=verdicts, backward=verdicts_back), ("forward", "backward")),
    "points_score": (points_score, dict(points=prob), ("points",)),
    "compare_over_readers": (partial(compare_over_readers, **quick), dict(a=marks, b=marks_b), ()),
    "readers_mean": (partial(readers_mean, **quick), dict(ratings=marks), ()),
    "panel_agreement": (panel_agreement, dict(ratings=marks), ()),
    "leave_one_reader_out": (leave_one_reader_out, dict(ratings=marks), ()),
    "model_against_panel": (partial(model_against_panel, **quick), dict(ratings=marks, model=marks_b[0]), ()),
    "among_experts": (among_experts, dict(ratings=panel), ("ratings",)),
    "model_among_experts": (model_among_experts, dict(ratings=panel, model=calls), ("ratings", "model")),
    "drift": (drift, dict(marks=marks[0], panel=marks[1:].mean(0)), ()),
    "self_agreement": (self_agreement, dict(first=marks[0], again=marks_b[0]), ("first", "again")),
    "set_alpha": (set_alpha, dict(ratings=sets_given), ("ratings",)),
    "bleu": (partial(bleu, order=2, **quick), dict(references=texts, candidates=answered),
             ("references", "candidates")),
    "chrf": (partial(chrf, order=2, **quick), dict(references=texts, candidates=answered),
             ("references", "candidates")),
    "rouge_l": (rouge_l, dict(references=texts, candidates=answered), ("references", "candidates")),
    "rouge_n": (rouge_n, dict(references=texts, candidates=answered), ("references", "candidates")),
    "embedding_f1": (embedding_f1, dict(references=vectors, candidates=vectors[1:]+vectors[:1]),
                     ("references", "candidates")),
    "aspect_coverage": (partial(M.aspect_coverage, ["发热", "咳嗽"]), dict(answers=texts), ("answers",)),
    "feature_match": (M.feature_match, dict(y_true=features, y_pred=features[1:]+features[:1]), ("y_true", "y_pred")),
    "weighted_composite": (M.weighted_composite, dict(scores=dict(a=.5, b=.75), weights=dict(a=1, b=3)), ()),
    **{name: (getattr(M.localisation, name), dict(maps=maps, masks=masks), ("maps", "masks"))
       for name in "localisation auroc_inside iou_at mass_inside pointing_game rank_inside".split()},
}
ELSEWHERE = dict(evaluate="a table", evaluate_shards="files", score_of_groups="a sum of shards", scores="a table",
                 per_class="a table", standard_curves="a table", pooled_result="a sum of shards",
                 stream_metrics="a histogram",
                 domain_distances="all distances at once", subsample="any distance",
                 coefficient_score="inside of kappas", row_contest="tables of a run")
DRAWN = {"bayesian_signed_rank", "bleu", "chrf", "ece_if_calibrated", "disparity"}   # their limits depend on the draws
WITH_OPTIONS = {k: set(inspect.signature(call).parameters) for k, (call, *_) in MORE.items()}
def having(option): return [k for k, known in WITH_OPTIONS.items() if option in known]
def numeric(v): return isinstance(v, np.ndarray) and v.dtype.kind in "fi"


def answers_with(name):
    "The kind of answer that a public function promises"
    o = getattr(M, name)
    given = inspect.signature(o).return_annotation if inspect.isfunction(o) else None
    return getattr(given, "__name__", given)


def test_nothing_that_answers_is_forgotten():
    "A new function that gives a `Score`, a `Result` or a test must stand in one of the tables of cases"
    asked = {k.split()[0] for k in CASES | MULTI | MORE} | set(ELSEWHERE)
    # sizes of studies: no data
    planning = {k for k in M.__all__ if getattr(getattr(M, k), "__module__", "").endswith("power")}
    assert not (found := {k for k in M.__all__ if answers_with(k) in ANSWERS}-asked-planning), found
    metrics = {k for k in M.__all__ if hasattr(getattr(M, k), "kernel")}
    assert not metrics-set(CASES), metrics-set(CASES)


@every("name", MORE)
def test_an_answer_survives(name):
    "It is given without a warning, goes to another process, and comes back out of a file"
    call, args, _ = MORE[name]
    out = answer(call, args)
    assert same(values(pickle.loads(pickle.dumps(out))), values(out))
    assert same(values(from_json(to_json(Result(it=out)))), values(Result(it=out)))


@every("name", [k for k, (*_, rows) in MORE.items() if rows])
def test_order_does_not_matter(name):
    call, args, rows = MORE[name]
    size = len(args[rows[0]])
    order = np.random.default_rng(1).permutation(size)
    mixed = {k: ([v[i] for i in order] if isinstance(v, list) else np.asarray(v)[order]) if k in rows else v
             for k, v in args.items()}
    one, two = attempt(call, **args), attempt(call, **mixed)
    if name in DRAWN: one, two = one[:1], two[:1]
    assert same(one, two, .1 if name == "bayesian_signed_rank" else 1e-9), (one, two)


@every("name", having("ci"))
def test_levels(name):
    "Wider at a higher level, none without one, and no level that is none"
    call, args, _ = MORE[name]
    limits = [[(s.lo, s.hi) for s in scores_in(call(**args, ci=level))] for level in (.5, .99)]
    for (a, b), (c, d) in zip(*limits):
        if a == a and c == c: assert c <= a+1e-9 and b <= d+1e-9, (limits)
    for s in scores_in(call(**args, ci=None)): assert math.isnan(s.lo) and math.isnan(s.hi), s
    for level in (0, 95, math.nan): refused(call, args, "ci", "level", ci=level)


def scores_in(o):
    if isinstance(o, Score): yield o
    elif isinstance(o, dict):
        for v in o.values(): yield from scores_in(v)


@every("name,option", [(k, o) for k, (call, *_) in (CASES | MORE).items()
                       for o in ("n_resamples", "n_permutations", "n_draws")
                       if o in inspect.signature(call).parameters])
def test_draws_are_whole_and_enough(name, option):
    "Half a draw is none; no draws are asked for as no permutations only"
    call, args = (CASES | MORE)[name][:2]
    args = plain(args) if name in CASES else args
    try: assert same(values(call(**args, **{option: -1})), values(call(**args)))   # a closed form draws nothing
    except ValueError as e: assert option in str(e), e


@pytest.mark.parametrize("name", having("sample_weight"))
def test_only_proportions_of_weights_matter(name):
    call, args, _ = MORE[name]
    w = rng.random(n)+.1
    assert same(attempt(call, **args, sample_weight=w), attempt(call, **args, sample_weight=100*w), 1e-7)
    assert same(attempt(call, **args), attempt(call, **args, sample_weight=np.full(n, 7.)))
    refused(call, args, "sample_weight", sample_weight=np.ones(n-1))


@every("name", having("groups"))
def test_groups(name):
    "Their names do not matter, their number must fit, and few of them give no interval"
    call, args, _ = MORE[name]
    g = np.arange(n)//3 if name != "disparity" else np.arange(n)//2
    one, two = attempt(call, **args, groups=g), attempt(call, **args, groups=np.array([f"g{i:02}" for i in g]))
    assert same(one, two), (one, two)
    refused(call, args, "groups", "length", groups=np.zeros(n-1))
    if name == "disparity": return   # a group lies within a subgroup
    for s in scores_in(answer(call, args, groups=np.arange(n)//12)):
        if not math.isnan(s) and s.n != 0: assert math.isnan(s.lo) and s.reason, (name, s)


@every("name", [k for k, (_, args, _) in MORE.items() if any(map(numeric, args.values()))])
def test_forms_of_numbers(name):
    import pandas as pd
    import pyarrow as pa
    import torch
    call, args, _ = MORE[name]
    want = values(call(**args))
    flat = all(v.ndim == 1 for v in args.values() if numeric(v))
    forms = (torch.tensor, np.ndarray.tolist)+((pd.Series, pa.array) if flat else (pd.DataFrame,)
                                               if all(v.ndim == 2 for v in args.values() if numeric(v)) else ())
    for form in forms:
        assert same(values(call(**{k: form(v) if numeric(v) else v for k, v in args.items()})), want), form
    half = {k: torch.tensor(v).to(torch.bfloat16) if numeric(v) and v.dtype.kind == "f" else v for k, v in args.items()}
    single = {k: v.float().numpy() if isinstance(v, torch.Tensor) else v for k, v in half.items()}
    double = {k: v.astype(float) if numeric(v) and v.dtype.kind == "f" else v for k, v in single.items()}
    assert same(attempt(call, **half), attempt(call, **single))
    assert same(attempt(call, **single), attempt(call, **double), 2e-4)


@every("name", [k for k, (*_, rows) in MORE.items() if len(rows) > 1])
def test_unequal_lengths_and_nothing(name):
    call, args, rows = MORE[name]
    refused(call, args | {rows[0]: args[rows[0]][:-1]}, "length", "shape", *rows)
    nothing = args | {k: args[k][:0] for k in rows}
    try: assert np.isnan(values(answer(call, nothing))).all()   # with their reason
    except ValueError: refused(call, nothing, "empty", "no rows", "at least", "shape", *rows)


@every("name", [k for k, (_, args, _) in MORE.items() if any(map(numeric, args.values()))])
def test_constants(name):
    "Where everything is the same there is a number, or a reason"
    call, args, _ = MORE[name]
    flat = {k: np.full_like(v, 1 if v.dtype.kind == "i" else .5) if numeric(v) else v for k, v in args.items()}
    try: answer(call, flat)
    except ValueError as e: assert "\n" not in str(e), e
