"""What torchmetrics and this package call by the same words, over averages, thresholds, ties and rare classes.

Each row is a name, their number and ours, as functions without arguments; nothing is computed here.
"""
import numpy as np
import torch
import torchmetrics.functional as T
import torchmetrics.functional.classification as C

from mic_eval import metrics as M
from mic_eval.metrics.multiclass import over_labels
from mic_eval.metrics.confusion import f_beta_metric, jaccard
from mic_eval.metrics.multiclass import (
    coverage_error, label_ranking_average_precision, label_ranking_loss, over_label_scores)
from mic_eval.metrics.regression import explained_variance, mean_absolute_percentage_error, rank_correlation

AVERAGES = "micro", "macro", "weighted", None


def two_classes(seed, share, decimals):
    rng = np.random.default_rng(seed)
    y = (rng.uniform(size=400) < share).astype(int)
    return y, np.round(np.clip(.25*y+.35+.2*rng.normal(size=400), 0, 1), decimals)


def many_classes(seed, shares, decimals):
    rng = np.random.default_rng(seed)
    y = rng.choice(len(shares), 400, p=shares)
    z = np.eye(len(shares))[y]*1.2+rng.normal(size=(400, len(shares)))
    p = np.exp(np.round(z, decimals))
    return y, p/p.sum(1, keepdims=True)


def some_labels(seed, decimals):
    rng = np.random.default_rng(seed)
    y = (rng.uniform(size=(200, 4)) < (.5, .3, .2, .1)).astype(int)
    y[0] = 1
    y[1:3, 0] = 1                          # each row has a label, for the ranking of labels
    y[~y.any(1), 1] = 1
    return y, np.round(np.clip(.2*y+.4+.2*rng.normal(size=y.shape), .001, .999), decimals)


def values(o): return np.array([float(v) for v in o.values()]) if isinstance(o, dict) else np.asarray(o, float)


def binary(kind, y, s):
    t, p = torch.as_tensor(y), torch.as_tensor(s)
    for at in (.3, .5, .7):
        c, how = (s > at).astype(int), dict(threshold=at)
        counted = dict(accuracy=M.accuracy, precision=M.precision, recall=M.recall, specificity=M.specificity,
                       negative_predictive_value=M.npv, f1_score=M.f1, matthews_corrcoef=M.mcc, jaccard_index=jaccard)
        for name, ours in counted.items():
            yield f"binary {name} {kind} at {at}", lambda n=name, how=how: getattr(C, f"binary_{n}")(p, t, **how), \
                lambda ours=ours, c=c: ours(y, c)
        for beta in (.5, 2.):
            yield f"binary F{beta:g} {kind} at {at}", lambda b=beta, how=how: C.binary_fbeta_score(p, t, b, **how), \
                lambda b=beta, c=c: f_beta_metric(b)(y, c)
        yield f"binary hamming {kind} at {at}", lambda how=how: C.binary_hamming_distance(p, t, **how), \
            lambda c=c: 1-M.accuracy(y, c)
        for weights in (None, "linear", "quadratic"):
            yield f"binary kappa {weights} {kind} at {at}", \
                lambda w=weights, how=how: C.binary_cohen_kappa(p, t, weights=w, **how), \
                lambda w=weights, c=c: M.cohen_kappa(y, c, weights=w, labels=[0, 1])
    yield f"binary AUROC {kind}", lambda: C.binary_auroc(p, t), lambda: M.roc_auc(y, s)
    for most in (.1, .3, .7):
        yield f"binary AUROC to {most} {kind}", lambda m=most: C.binary_auroc(p, t, max_fpr=m), \
            lambda m=most: M.partial_auc(y, s, fpr=(0, m))
    yield f"binary AP {kind}", lambda: C.binary_average_precision(p, t), lambda: M.average_precision(y, s)
    for bins in (5, 10, 15):
        for norm, ours in (("l1", M.ece), ("l2", M.rms_calibration_error), ("max", M.mce)):
            yield f"binary calibration {norm} {bins} {kind}", \
                lambda b=bins, n=norm: C.binary_calibration_error(p, t, n_bins=b, norm=n), \
                lambda b=bins, f=ours: f(y, s, n_bins=b, binning="width")


def classes(kind, y, p):
    t, q, K = torch.as_tensor(y), torch.as_tensor(p), p.shape[1]
    call = p.argmax(1)
    counted = dict(precision=M.precision, recall=M.recall, specificity=M.specificity, f1_score=M.f1,
                   negative_predictive_value=M.npv, jaccard_index=jaccard)
    for name, ours in counted.items():
        for average in AVERAGES:
            yield f"classes {name} {average} {kind}", \
                lambda n=name, a=average: getattr(C, f"multiclass_{n}")(q, t, K, average=a or "none"), \
                lambda f=ours, a=average: f(y, call, average=a, labels=range(K))
    for average in AVERAGES:
        for beta in (.5, 2.):
            yield f"classes F{beta:g} {average} {kind}", \
                lambda b=beta, a=average: C.multiclass_fbeta_score(q, t, b, K, average=a or "none"), \
                lambda b=beta, a=average: f_beta_metric(b)(y, call, average=a, labels=range(K))
    yield f"classes accuracy {kind}", lambda: C.multiclass_accuracy(q, t, K, average="micro"), \
        lambda: M.accuracy(y, call)
    yield f"classes balanced accuracy {kind}", lambda: C.multiclass_accuracy(q, t, K), \
        lambda: M.balanced_accuracy(y, call)
    for k in (2, 3):
        yield f"classes top {k} {kind}", lambda k=k: C.multiclass_accuracy(q, t, K, average="micro", top_k=k), \
            lambda k=k: M.top_k_accuracy(y, p, k=k)
    yield f"classes mcc {kind}", lambda: C.multiclass_matthews_corrcoef(q, t, K), lambda: M.mcc(y, call)
    for weights in (None, "linear", "quadratic"):
        yield f"classes kappa {weights} {kind}", lambda w=weights: C.multiclass_cohen_kappa(q, t, K, weights=w), \
            lambda w=weights: M.cohen_kappa(y, call, weights=w, labels=range(K))
    for name, ours in (("auroc", M.roc_auc), ("average_precision", M.average_precision)):
        for average in ("macro", "weighted", None):
            yield f"classes {name} {average} {kind}", \
                lambda n=name, a=average: getattr(C, f"multiclass_{n}")(q, t, K, average=a or "none"), \
                lambda f=ours, a=average: f(y, p, average=a)
    for bins in (10, 15):
        for norm, ours in (("l1", M.ece), ("l2", M.rms_calibration_error), ("max", M.mce)):
            yield f"classes calibration {norm} {bins} {kind}", \
                lambda b=bins, n=norm: C.multiclass_calibration_error(q, t, K, n_bins=b, norm=n), \
                lambda b=bins, f=ours: f(y, p, n_bins=b, binning="width")


def labels(kind, y, s):
    t, q, L = torch.as_tensor(y), torch.as_tensor(s), y.shape[1]
    c = (s > .5).astype(int)
    counted = dict(precision=M.precision, recall=M.recall, f1_score=M.f1, specificity=M.specificity,
                   jaccard_index=jaccard)
    for name, ours in counted.items():
        for average in AVERAGES:
            yield f"labels {name} {average} {kind}", \
                lambda n=name, a=average: getattr(C, f"multilabel_{n}")(q, t, L, average=a or "none"), \
                lambda f=ours, a=average: over_labels(f, y, c, average=a)
    for name, ours in (("auroc", M.roc_auc), ("average_precision", M.average_precision)):
        for average in AVERAGES:
            yield f"labels {name} {average} {kind}", \
                lambda n=name, a=average: getattr(C, f"multilabel_{n}")(q, t, L, average=a or "none"), \
                lambda f=ours, a=average: over_label_scores(f, y, s, average=a)
    yield f"labels exact match {kind}", lambda: C.multilabel_exact_match(q, t, L), lambda: M.subset_accuracy(y, c)
    yield f"labels hamming {kind}", lambda: C.multilabel_hamming_distance(q, t, L), lambda: M.hamming_loss(y, c)
    ranked = dict(ranking_loss=label_ranking_loss, coverage_error=coverage_error,
                  ranking_average_precision=label_ranking_average_precision)
    for name, ours in ranked.items():
        yield f"labels {name} {kind}", lambda n=name: getattr(C, f"multilabel_{n}")(q, t, L), lambda f=ours: f(y, s)


def numbers(seed):
    rng = np.random.default_rng(seed)
    y = rng.normal(3, 1, 200)
    x = y+.4*rng.normal(size=200)
    p, t = torch.as_tensor(x), torch.as_tensor(y)
    yield f"numbers MAE {seed}", lambda: T.mean_absolute_error(p, t), lambda: M.mean_absolute_error(y, x)
    yield f"numbers RMSE {seed}", lambda: T.mean_squared_error(p, t, squared=False), \
        lambda: M.root_mean_squared_error(y, x)
    yield f"numbers R2 {seed}", lambda: T.r2_score(p, t), lambda: M.r_squared(y, x)
    yield f"numbers MAPE {seed}", lambda: T.mean_absolute_percentage_error(p, t), \
        lambda: mean_absolute_percentage_error(y, x)
    yield f"numbers explained variance {seed}", lambda: T.explained_variance(p, t), lambda: explained_variance(y, x)
    yield f"numbers Pearson {seed}", lambda: T.pearson_corrcoef(p, t), lambda: M.correlation(y, x)
    yield f"numbers Spearman {seed}", lambda: T.spearman_corrcoef(p, t), lambda: rank_correlation(y, x)
    yield f"numbers Kendall {seed}", lambda: T.kendall_rank_corrcoef(p, t), \
        lambda: rank_correlation(y, x, method="kendall")
    counts = rng.multinomial(6, (.5, .3, .2), 40)
    yield f"numbers Fleiss {seed}", lambda: T.fleiss_kappa(torch.as_tensor(counts)), \
        lambda: M.fleiss_kappa([np.repeat(range(3), row) for row in counts])


def comparisons():
    for kind, share, decimals in (("drawn", .4, 9), ("ties", .4, 1), ("rare", .05, 2)):
        yield from binary(kind, *two_classes(1, share, decimals))
    for kind, shares, decimals in (("drawn", (.3, .3, .4), 9), ("ties", (.25, .25, .25, .25), 0),
                                   ("rare", (.6, .36, .04), 2)):
        yield from classes(kind, *many_classes(2, shares, decimals))
    for kind, decimals in (("drawn", 9), ("ties", 1)): yield from labels(kind, *some_labels(3, decimals))
    for seed in (0, 1): yield from numbers(seed)
