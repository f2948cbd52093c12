"""scikit-learn's metrics by their own names and signatures, answered by this package: an adapter for their own tests.

Strict: what this package refuses stays refused, what it calls undefined becomes what scikit-learn was asked to
return for it (`zero_division`, with its warning), and nothing is computed here that the package does not compute.
Used as a pytest plugin (`-p peers.scikit_learn`), it takes the place of the functions before their tests import them.
"""
import math
import os
import re
import warnings

import numpy as np
import pytest

from mic_eval import metrics as M
from mic_eval.core.results import NotApplicable, Result
from mic_eval.metrics.confusion import f_beta_metric, jaccard
from mic_eval.metrics.multiclass import (
    coverage_error as coverage, label_ranking_average_precision, label_ranking_loss as ranking_loss, over_label_scores)
from mic_eval.metrics.regression import (
    explained_variance, mean_absolute_percentage_error as mape, pinball_loss)

ASKED = []   # names of what the test that is running has asked of this package


class Unknown(Exception):
    "Something that cannot be said to this package: the test is not expressed"


def plain(y):
    "Classes as an array; a sparse table is written out, since only its form differs"
    return y.toarray() if hasattr(y, "toarray") else np.asarray(y)


def several(*arrays): return any(np.ndim(a) == 2 and np.shape(a)[1] > 1 for a in arrays)


def known_classes(y, p):
    a, b = np.asarray(y), np.asarray(p)
    kinds = {"text" if o.dtype.kind in "USO" else "number" for o in (a, b)}
    if len(kinds) > 1: raise ValueError("labels of different kinds")
    out = np.unique(np.concatenate([a.ravel(), b.ravel()])).tolist()
    return out if len(out) > 1 else out+[o for o in (0, 1, 2) if o not in out][:1] if kinds == {"number"} else out+["~"]


def undefined(name, value, zero):
    "What a caller who asked for `zero_division` gets for an undefined number"
    if not math.isnan(value): return value
    if zero == "warn":
        from sklearn.exceptions import UndefinedMetricWarning
        warnings.warn(f"{name} is undefined", UndefinedMetricWarning, stacklevel=4)
        return 0.
    return float(zero)


def checked_average(average, zero):
    if average not in ("binary", "micro", "macro", "weighted", "samples", None):
        raise ValueError(f"average has to be one of: {average}")
    if zero != "warn" and not (zero in (0, 1) or zero != zero): raise ValueError("zero_division")


def shown(metric, y_true, y_pred, labels, pos_label, average, sample_weight, zero):
    "Precision, recall, F and Jaccard in scikit-learn's words"
    checked_average(average, zero)
    y, p = plain(y_true), plain(y_pred)
    if len(y) != len(p): raise ValueError("different lengths")
    w = None if sample_weight is None else np.asarray(sample_weight, float)
    if several(y, p):
        if average == "binary": raise ValueError("Target is multilabel-indicator but average='binary'")
        if labels is not None and (max(labels) >= y.shape[1] or min(labels) < 0): raise ValueError("labels outside")
        if labels is not None: y, p = y[:, list(labels)], p[:, list(labels)]
        if average == "samples":
            v = [float(metric(a, b, ci=None)) for a, b in zip(y, p)]
            return float(np.average([undefined(metric.name, o, zero) for o in v], weights=w))
        tables = [M.Confusion.of(y[:, j], p[:, j], weight=w, labels=[0, 1]) for j in range(y.shape[1])]
        if average == "micro":
            return undefined(metric.name, float(metric.of(sum(tables[1:], tables[0]))), zero)
        v = np.array([undefined(metric.name, float(metric.of(t)), zero) for t in tables])
        weight = np.array([float(t.positives) for t in tables])
    else:
        if average == "samples": raise ValueError("Samplewise metrics are not available outside of multilabel")
        y, p = y.ravel(), p.ravel()
        known = known_classes(y, p)
        if average == "binary":
            if len(set(y.tolist()) | set(p.tolist())) > 2: raise ValueError("Target is multiclass but average='binary'")
            if pos_label not in known and len(np.unique(np.r_[y, p])) == 2:
                raise ValueError(f"pos_label={pos_label} is not a valid label: {known}")
            return undefined(metric.name, float(metric((y == pos_label)*1, (p == pos_label)*1, labels=[0, 1],
                                                       sample_weight=w, ci=None)), zero)
        wanted = known if labels is None else list(labels)
        if labels is None: wanted = np.unique(np.concatenate([y, p])).tolist()
        every = list(dict.fromkeys([*wanted, *known]))
        table = M.Confusion.of(y, p, labels=every, weight=w).one_vs_rest().m[:len(wanted)]
        if average == "micro":
            return undefined(metric.name, float(metric.of(M.Confusion(table.sum(0)))), zero)
        v = np.array([undefined(metric.name, float(o), zero) for o in metric.of(M.Confusion(table))])
        weight = table[:, 1].sum(1).astype(float)
    if average is None: return v
    return averaged(v, weight if average == "weighted" else None, zero)


def averaged(v, weight, zero):
    known = ~np.isnan(v)
    if not known.any(): return math.nan
    if weight is not None and weight[known].sum() == 0: return undefined("average", math.nan, zero)
    return float(np.average(v[known], weights=None if weight is None else weight[known]))


def calls(metric):
    def f(y_true, y_pred, *, labels=None, pos_label=1, average="binary", sample_weight=None, zero_division="warn"):
        return shown(metric, y_true, y_pred, labels, pos_label, average, sample_weight, zero_division)
    return f


def fbeta_score(y_true, y_pred, *, beta, labels=None, pos_label=1, average="binary", sample_weight=None,
                zero_division="warn"):
    metric = f_beta_metric(beta)
    return shown(metric, y_true, y_pred, labels, pos_label, average, sample_weight, zero_division)


def jaccard_score(y_true, y_pred, *, labels=None, pos_label=1, average="binary", sample_weight=None,
                  zero_division="warn"):
    return shown(jaccard, y_true, y_pred, labels, pos_label, average, sample_weight, zero_division)


def precision_recall_fscore_support(y_true, y_pred, *, beta=1.0, labels=None, pos_label=1, average=None,
                                    warn_for=("precision", "recall", "f-score"), sample_weight=None,
                                    zero_division="warn"):
    how = dict(labels=labels, pos_label=pos_label, average=average, sample_weight=sample_weight)
    def one(metric, name):
        quiet = zero_division == "warn" and name not in warn_for
        return shown(metric, y_true, y_pred, *how.values(), 0. if quiet else zero_division)
    three = [one(M.ppv, "precision"), one(M.sensitivity, "recall"), one(f_beta_metric(beta), "f-score")]
    if average is not None: return *three, None
    y, w = plain(y_true), 1. if sample_weight is None else np.asarray(sample_weight, float)
    if several(y): return *three, (np.asarray(w)*y.T).T.sum(0).astype(int)
    wanted = np.unique(np.concatenate([y, plain(y_pred)])).tolist() if labels is None else list(labels)
    return *three, np.array([((y == c)*w).sum() for c in wanted]).astype(int)


def accuracy_score(y_true, y_pred, *, normalize=True, sample_weight=None):
    y, p = plain(y_true), plain(y_pred)
    if several(y, p): s = M.subset_accuracy(y, p, sample_weight=sample_weight, ci=None)
    else:
        s = M.accuracy(y.ravel(), p.ravel(), labels=known_classes(y, p), sample_weight=sample_weight, ci=None)
    if normalize: return float(s)
    return float(s)*(len(y) if sample_weight is None else np.sum(sample_weight))


def zero_one_loss(y_true, y_pred, *, normalize=True, sample_weight=None):
    all_ = len(y_true) if sample_weight is None else np.sum(sample_weight)
    if normalize: return 1-accuracy_score(y_true, y_pred, sample_weight=sample_weight)
    return all_-accuracy_score(y_true, y_pred, normalize=False, sample_weight=sample_weight)


def hamming_loss(y_true, y_pred, *, sample_weight=None):
    y, p = plain(y_true), plain(y_pred)
    if several(y, p): return float(M.hamming_loss(y, p, sample_weight=sample_weight, ci=None))
    return 1-accuracy_score(y, p, sample_weight=sample_weight)


def balanced_accuracy_score(y_true, y_pred, *, sample_weight=None, adjusted=False):
    y, p = plain(y_true), plain(y_pred)
    if not set(p.tolist()) <= set(y.tolist()): raise Unknown("calls of a class that is not there")
    known = known_classes(y, p)
    v = float(M.balanced_accuracy(y, p, labels=known, sample_weight=sample_weight, ci=None))
    return (v-1/len(known))/(1-1/len(known)) if adjusted else v


def confusion_matrix(y_true, y_pred, *, labels=None, sample_weight=None, normalize=None):
    if normalize not in (None, "true", "pred", "all"): raise ValueError("normalize")
    y, p = plain(y_true), plain(y_pred)
    if several(y, p): raise ValueError("multilabel-indicator is not supported")
    if labels is not None:
        if not len(labels): raise ValueError("'labels' should contain at least one label.")
        if len(y) and not np.isin(y, labels).any(): raise ValueError("At least one label specified must be in y_true")
    if not len(y): raise Unknown("no rows")
    known = list(dict.fromkeys([*(labels if labels is not None else []), *known_classes(y, p)]))
    many = len(labels) if labels is not None else len(np.unique(np.concatenate([y, p])))
    m = M.Confusion.of(y, p, labels=known, weight=sample_weight).m[:many, :many]
    if many < 2 and labels is None: warnings.warn("A single label was found", UserWarning, stacklevel=2)
    whole_numbers = sample_weight is None or np.asarray(sample_weight).dtype.kind in "iub"
    if normalize is None: return m.astype(np.int64) if whole_numbers else m
    whole = dict(true=m.sum(1, keepdims=True), pred=m.sum(0, keepdims=True), all=m.sum())[normalize]
    with np.errstate(all="ignore"): return np.nan_to_num(m/whole)


def multilabel_confusion_matrix(y_true, y_pred, *, sample_weight=None, labels=None, samplewise=False):
    y, p = plain(y_true), plain(y_pred)
    if several(y, p):
        if y.shape != p.shape: raise ValueError("different shapes")
        if labels is not None and (max(labels) >= y.shape[1] or min(labels) < 0): raise ValueError("labels outside")
        if labels is not None: y, p = y[:, list(labels)], p[:, list(labels)]
        if sample_weight is not None and np.ndim(sample_weight) != 1: raise ValueError("sample_weight")
        if samplewise:
            w = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight)
            m = np.array([M.Confusion.of(a, b, labels=[0, 1]).m*c for a, b, c in zip(y, p, w)])
        else: m = np.array([M.Confusion.of(a, b, labels=[0, 1], weight=sample_weight).m for a, b in zip(y.T, p.T)])
        return m.astype(np.int64) if sample_weight is None else m
    if samplewise: raise ValueError("Samplewise metrics are not available outside of multilabel")
    wanted = np.unique(np.concatenate([y, p])).tolist() if labels is None else list(labels)
    known = list(dict.fromkeys([*wanted, *known_classes(y, p)]))
    m = M.Confusion.of(y, p, labels=known, weight=sample_weight).one_vs_rest().m[:len(wanted)]
    return m.astype(np.int64) if sample_weight is None else m


def matthews_corrcoef(y_true, y_pred, *, sample_weight=None):
    y, p = plain(y_true), plain(y_pred)
    if several(y, p): raise ValueError("multilabel-indicator is not supported")
    y, p = y.ravel(), p.ravel()
    v = float(M.mcc(y, p, labels=known_classes(y, p), sample_weight=sample_weight, ci=None))
    return 0. if math.isnan(v) else v


def cohen_kappa_score(y1, y2, *, labels=None, weights=None, sample_weight=None, replace_undefined_by=np.nan):
    if sample_weight is not None: raise Unknown("an option")
    a, b = plain(y1), plain(y2)
    if labels is not None and not set(labels) & set(a.tolist()): raise ValueError("no label is in y1")
    known = known_classes(a, b) if labels is None else list(labels)
    both = np.isin(a, known) & np.isin(b, known)   # rows of other classes are not asked about
    v = float(M.cohen_kappa(a[both], b[both], labels=known, weights=weights, ci=None)) if both.any() else math.nan
    return warned("kappa is undefined", replace_undefined_by) if math.isnan(v) else v


def log_loss(y_true, y_pred, *, normalize=True, sample_weight=None, labels=None):
    y = plain(y_true)
    known = sorted(set(y.tolist())) if labels is None else sorted(labels)
    if len(known) < 2: raise ValueError("y_true contains only one label; labels= is needed")
    if several(y): raise Unknown("indicators")
    p = np.asarray(y_pred)
    if p.ndim == 2 and p.shape[1] != len(known): raise ValueError("another number of classes")
    v = float(M.log_loss(y, p, labels=known, sample_weight=sample_weight, ci=None))
    return v if normalize else v*(len(y) if sample_weight is None else np.sum(sample_weight))


def brier_score_loss(y_true, y_proba, *, sample_weight=None, pos_label=None, labels=None, scale_by_half="auto"):
    y, p = plain(y_true), np.asarray(y_proba)
    if labels is not None or p.ndim == 2 or scale_by_half != "auto": raise Unknown("several classes")
    known = np.unique(y).tolist()
    if len(known) > 2: raise ValueError("Only binary classification is supported")
    if pos_label is None:
        if not set(known) <= {0, 1} and not set(known) <= {-1, 1}: raise ValueError("pos_label is not specified")
        pos_label = 1
    return float(M.brier((y == pos_label)*1, p, sample_weight=sample_weight, ci=None))


def one_of_two(y, pos_label):
    known = np.unique(y).tolist()
    if len(known) > 2: raise ValueError("multiclass format is not supported")
    if pos_label is None:
        if not (set(known) <= {0, 1} or set(known) <= {-1, 1}): raise ValueError("pos_label is not specified")
        pos_label = 1
    return (y == pos_label)*1


def roc_auc_score(y_true, y_score, *, average="macro", sample_weight=None, max_fpr=None, multi_class="raise",
                  labels=None):
    y, s = plain(y_true), np.asarray(y_score)
    if several(y):
        if max_fpr not in (None, 1): raise ValueError("max_fpr")
        return scored_labels(M.roc_auc, y, s, average, sample_weight)
    y = y.ravel()
    if len(np.unique(y)) > 2 or s.ndim == 2 and s.shape[1] > 2:
        if max_fpr not in (None, 1): raise ValueError("Partial AUC computation not available in multiclass setting")
        if multi_class == "raise": raise ValueError("multi_class must be in ('ovo', 'ovr')")
        if average == "samples" or multi_class == "ovo" and average not in ("macro", "weighted"):
            raise ValueError("average must be one of ('macro', 'weighted')")
        if average == "micro" and multi_class == "ovo" or multi_class == "ovo" and sample_weight is not None:
            raise ValueError("sample_weight is not supported for multiclass one-vs-one ROC AUC")
        if s.ndim != 2 or not np.allclose(s.sum(1), 1): raise ValueError("Target scores need to be probabilities")
        known = sorted(set(y.tolist())) if labels is None else list(labels)
        if known != sorted(known): raise ValueError("Parameter 'labels' must be ordered")
        out = M.roc_auc(y, s, average=average, scheme=multi_class, labels=known, sample_weight=sample_weight, ci=None)
        return np.array([float(v) for v in out.values()]) if isinstance(out, Result) else float(out)
    if s.ndim == 2 and multi_class == "raise": raise ValueError("y_score of two columns")
    if s.ndim == 2: s = s[:, -1]
    known = np.unique(y).tolist()
    y = (y == known[-1])*1 if len(known) == 2 else y
    if len(known) < 2: return warned("ROC AUC is not defined")
    if max_fpr in (None, 1): return float(M.roc_auc(y, s, sample_weight=sample_weight, ci=None))
    if not 0 < max_fpr < 1: raise ValueError("max_fpr")
    return float(M.partial_auc(y, s, fpr=(0, max_fpr), sample_weight=sample_weight, ci=None))


def warned(text, value=math.nan):
    from sklearn.exceptions import UndefinedMetricWarning
    warnings.warn(text, UndefinedMetricWarning, stacklevel=3)
    return value


def scored_labels(metric, y, s, average, w):
    how = dict(sample_weight=w, ci=None)
    if average is None:
        return np.array([float(v) for v in over_label_scores(metric, y, s, average=None, **how).values()])
    return float(over_label_scores(metric, y, s, average=average, **how))


def average_precision_score(y_true, y_score, *, average="macro", pos_label=1, sample_weight=None):
    y, s = plain(y_true), np.asarray(y_score)
    if several(y):
        if pos_label != 1: raise ValueError("Parameter pos_label is fixed to 1 for multilabel-indicator y_true")
        return scored_labels(M.average_precision, y, s, average, sample_weight)
    known = np.unique(y).tolist()
    if len(known) > 2:
        if pos_label != 1: raise ValueError("Parameter pos_label is fixed to 1 for multiclass y_true")
        hot = (y[:, None] == known)*1
        if hot.shape != s.shape: raise ValueError("y_score needs as many columns as classes")
        return scored_labels(M.average_precision, hot, s, average, sample_weight)
    if len(known) == 2 and pos_label not in known: raise ValueError(f"pos_label={pos_label} is not a valid label")
    v = float(M.average_precision((y == pos_label)*1, s.ravel(), sample_weight=sample_weight, ci=None))
    return warned("no positive class found in y_true", 0.) if math.isnan(v) else v


def at_every_score(y, s, w):
    "Thresholds falling from infinity, and the weight of positives and of negatives at or above each"
    r = M.Ranking.of(y, s, weight=None if w is None else np.asarray(w, float))
    some = np.flatnonzero(r.pos+r.neg > 0)[::-1]
    return np.r_[np.inf, r.score[some]], np.r_[0., r.tp[some]], np.r_[0., r.fp[some]]


def without_flat_parts(tp, *others):
    "A curve without the points that lie between two others of the same number of hits"
    kept = np.r_[True, (np.diff(tp[:-1]) != 0) | (np.diff(tp[1:]) != 0), True] if len(tp) > 1 else np.array([True])
    return tp[kept], *(o[kept] for o in others)


def roc_curve(y_true, y_score, *, pos_label=None, sample_weight=None, drop_intermediate=True):
    y, s = one_of_two(plain(y_true), pos_label), np.asarray(y_score)
    if drop_intermediate and len(np.unique(y)) == 2:
        c = M.roc_curve(y, s, sample_weight=sample_weight, ci=None, max_points=10**9)
        return c.x, c.y, c.extra["threshold"]
    t, tp, fp = at_every_score(y, s, sample_weight)
    if drop_intermediate: t, tp, fp = (o[[0, -1]] if len(o) > 3 else o for o in (t, tp, fp))
    with np.errstate(all="ignore"): out = fp/fp[-1], tp/tp[-1], t
    if fp[-1] <= 0: warned("No negative samples in y_true")
    if tp[-1] <= 0: warned("No positive samples in y_true")
    return out


def precision_recall_curve(y_true, y_score, *, pos_label=None, sample_weight=None, drop_intermediate=False):
    y = one_of_two(plain(y_true), pos_label)
    if drop_intermediate and y.any():
        t, tp, fp = at_every_score(y, np.asarray(y_score), sample_weight)
        tp, fp, t = without_flat_parts(tp[1:], fp[1:], t[1:])
        return np.r_[(tp/(tp+fp))[::-1], 1.], np.r_[tp[::-1]/tp[-1], 0.], t[::-1]
    c = M.pr_curve(y, np.asarray(y_score), sample_weight=sample_weight, ci=None, max_points=10**9)
    if isinstance(c, NotApplicable): raise Unknown("a curve without positives")
    order = np.argsort(c.extra["threshold"], kind="stable")
    return np.r_[c.y[order], 1.], np.r_[c.x[order], 0.], c.extra["threshold"][order]


def det_curve(y_true, y_score, pos_label=None, sample_weight=None, drop_intermediate=False):
    y = one_of_two(plain(y_true), pos_label)
    if len(np.unique(y)) < 2: raise ValueError("Only one class is present in y_true")
    t, tp, fp = at_every_score(y, np.asarray(y_score), sample_weight)
    if drop_intermediate: tp, fp, t = without_flat_parts(tp, fp, t)
    kept = slice(np.flatnonzero(fp == 0)[-1], np.flatnonzero(tp == tp[-1])[0]+1)   # from no false alarm to no miss
    return fp[kept][::-1]/fp[-1], 1-tp[kept][::-1]/tp[-1], t[kept][::-1]


def class_likelihood_ratios(y_true, y_pred, *, labels=None, sample_weight=None, replace_undefined_by=np.nan):
    y, p = plain(y_true), plain(y_pred)
    if several(y, p): raise ValueError("multilabel-indicator is not supported")
    given = np.unique(np.concatenate([y, p])) if labels is None else labels
    if len(given) != 2: raise ValueError(f"only supports binary classification, not {len(given)} classes")
    by = replace_undefined_by
    if isinstance(by, dict):
        if set(by) != {"LR+", "LR-"}: raise ValueError("replace_undefined_by")
        if not (by["LR+"] >= 1 or by["LR+"] != by["LR+"]) or not (0 <= by["LR-"] <= 1 or by["LR-"] != by["LR-"]):
            raise ValueError("replace_undefined_by")
    elif isinstance(by, str):
        if by != "worst": raise ValueError("replace_undefined_by")
        by = {"LR+": 1., "LR-": 1.}
    elif by in (0, 1) or by == by: by = {"LR+": by, "LR-": by}
    else: by = {"LR+": np.nan, "LR-": np.nan}
    how, out = dict(labels=list(given), sample_weight=sample_weight, ci=None), []
    none = not (y == list(given)[1]).any()
    for name, m in (("LR+", M.lr_positive), ("LR-", M.lr_negative)):
        v = float(m(y, p, **how))
        out.append(v if not math.isnan(v) else warned(f"{name} is undefined", np.nan if none else by[name]))
    return tuple(map(float, out))


def top_k_accuracy_score(y_true, y_score, *, k=2, normalize=True, sample_weight=None, labels=None):
    y, s = plain(y_true), np.asarray(y_score)
    known = sorted(set(y.tolist())) if labels is None else list(labels)
    if labels is not None and known != sorted(set(known)): raise ValueError("labels must be unique and ordered")
    if s.ndim == 1:
        if len(known) > 2: raise ValueError("y_score has one column")
        s = np.stack([(s < (.5 if s.min() >= 0 and s.max() <= 1 else 0))*1., (s >= (.5 if s.min() >= 0 and s.max() <= 1
                                                                                    else 0))*1.], 1)
    if k >= s.shape[1]: return warned("a perfect score and is therefore meaningless", 1. if normalize else len(y))
    v = float(M.top_k_accuracy(y, s, k=k, labels=known, sample_weight=sample_weight, ci=None))
    return v if normalize else v*(len(y) if sample_weight is None else np.sum(sample_weight))


def by_rows(f):
    def g(y_true, y_score, *, sample_weight=None):
        y = plain(y_true)
        if y.ndim != 2: raise ValueError(f"{y.ndim} axes: a table of labels is needed")
        if not set(np.unique(y).tolist()) <= {0, 1}: raise ValueError("not a table of 0 and 1")
        return float(f(y, np.asarray(y_score, float), sample_weight=sample_weight, ci=None))
    return g


def of_values(f):
    def g(y_true, y_pred, *, sample_weight=None, multioutput="uniform_average", **options):
        y, p = np.asarray(y_true, float), np.asarray(y_pred, float)
        if y.shape[0] != p.shape[0]: raise ValueError("different lengths")
        y, p = (o.reshape(len(o), -1) for o in (y, p))
        if y.shape[1] != p.shape[1]: raise ValueError("y_true and y_pred have different number of output")
        if isinstance(multioutput, str) and multioutput not in ("uniform_average", "raw_values", "variance_weighted"):
            raise ValueError("multioutput")
        if options.pop("force_finite", True) is False or multioutput == "variance_weighted": raise Unknown("an option")
        if not isinstance(multioutput, str) and len(multioutput) != y.shape[1]: raise ValueError("custom weights")
        v = [float(f(a, b, sample_weight=sample_weight, ci=None, **options)) for a, b in zip(y.T, p.T)]
        if isinstance(multioutput, str) and multioutput == "raw_values": return np.array(v)
        return float(np.average(v, weights=None if isinstance(multioutput, str) else multioutput))
    return g


def squared(y, p, **options): return float(M.root_mean_squared_error(y, p, **options))**2


OURS = dict(
    accuracy_score=accuracy_score, balanced_accuracy_score=balanced_accuracy_score, brier_score_loss=brier_score_loss,
    cohen_kappa_score=cohen_kappa_score, confusion_matrix=confusion_matrix, f1_score=calls(M.f1),
    fbeta_score=fbeta_score, hamming_loss=hamming_loss, jaccard_score=jaccard_score, log_loss=log_loss,
    matthews_corrcoef=matthews_corrcoef, multilabel_confusion_matrix=multilabel_confusion_matrix,
    precision_recall_fscore_support=precision_recall_fscore_support, precision_score=calls(M.ppv),
    recall_score=calls(M.sensitivity), zero_one_loss=zero_one_loss, average_precision_score=average_precision_score,
    class_likelihood_ratios=class_likelihood_ratios, coverage_error=by_rows(coverage), det_curve=det_curve,
    label_ranking_loss=by_rows(ranking_loss),
    label_ranking_average_precision_score=by_rows(label_ranking_average_precision),
    precision_recall_curve=precision_recall_curve, roc_auc_score=roc_auc_score, roc_curve=roc_curve,
    top_k_accuracy_score=top_k_accuracy_score, mean_absolute_error=of_values(M.mean_absolute_error),
    mean_squared_error=of_values(squared), root_mean_squared_error=of_values(M.root_mean_squared_error),
    r2_score=of_values(M.r_squared), explained_variance_score=of_values(explained_variance),
    mean_absolute_percentage_error=of_values(mape), mean_pinball_loss=of_values(pinball_loss))


def noted(name, f):
    "The same function; that it was asked is noted"
    def g(*args, **options):
        ASKED.append(name)
        return f(*args, **options)
    g.__name__ = name
    return g


# the plugin

REPORT = dict(passed=[], failed=[], silent=[], not_expressed=[])
_raises, _warns = pytest.raises, pytest.warns


class _Refused:
    "As `pytest.raises`; where this package was asked, its own words will do"
    def __init__(self, kinds, match): self.kinds, self.match, self.value = kinds, match, None
    def __enter__(self):
        self.before = len(ASKED)
        return self
    def __exit__(self, kind, value, _):
        asked = len(ASKED) > self.before
        if kind is None: pytest.fail("DID NOT RAISE, asked: "+", ".join(ASKED[self.before:]))
        if issubclass(kind, Unknown): return False
        if asked and issubclass(kind, (ValueError, TypeError)): return True
        if not issubclass(kind, self.kinds): return False
        self.value = value
        return not self.match or re.search(self.match, str(value)) is not None


def raises(kinds, *args, match=None, **options):
    return _raises(kinds, *args, match=match, **options) if args else _Refused(kinds, match)


def warns(kinds=Warning, *args, match=None, **options):
    return _warns(kinds, *args, **options)


def pytest_configure(config):
    import sklearn.metrics as sk
    import sklearn.metrics._classification
    import sklearn.metrics._ranking
    import sklearn.metrics._regression
    for name, f in OURS.items(): setattr(sk, name, noted(name, f))
    pytest.raises, pytest.warns = raises, warns


def pytest_runtest_setup(item): ASKED.clear()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    result = (yield).get_result()
    if call.when != "call": return
    name = item.nodeid.split("/")[-1]
    failed = call.excinfo is not None
    if failed and call.excinfo.errisinstance(Unknown) or not ASKED: kind = "not_expressed"
    elif not failed: kind = "passed"
    else: kind = "silent" if "DID NOT RAISE" in str(call.excinfo.value) else "failed"
    REPORT[kind].append(name)


def pytest_sessionfinish(session):
    import json
    from pathlib import Path
    if path := os.environ.get("PEERS_REPORT"): Path(path).write_text(json.dumps(REPORT), encoding="utf-8")
