"Peers: scikit-learn's own tests as they are installed, answered by this package; what R's pROC expects; torchmetrics."
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mic_eval.metrics import partial_auc
from mic_eval.metrics.delong import delong_test, delong_unpaired

here = Path(__file__).parent


@pytest.mark.full
def test_scikit_learn_s_own_tests(tmp_path):
    import sklearn.metrics.tests as theirs
    folder = Path(theirs.__file__).parent
    files = [folder/f"test_{k}.py" for k in ("ranking", "classification", "regression")]
    report = tmp_path/"report.json"
    path = os.pathsep.join([str(here), *sys.path])
    env = os.environ | dict(PYTHONPATH=path, PEERS_REPORT=str(report), OMP_NUM_THREADS="1")
    plugins = ["-p", "peers.scikit_learn", "-p", "no:cacheprovider"]
    subprocess.run([sys.executable, "-m", "pytest", "-q", *plugins, "-c", os.devnull, "--rootdir", str(tmp_path),
                    *map(str, files)], env=env, capture_output=True, timeout=900)
    found = json.loads(report.read_text(encoding="utf-8"))
    counts = {k: len(v) for k, v in found.items()}
    assert not found["silent"], f"accepted, and scikit-learn refuses: {found['silent']}"
    assert counts["passed"] >= 400 and counts["passed"]+counts["failed"]+counts["not_expressed"] >= 500, counts
    # each that differs has its reason: what it is about stands here, and nothing else may differ
    known = {"top_k_accuracy_score_ties": "ties by lot", "log_loss": "a certain miss is infinite, and is not clipped",
             "warn": "texts of warnings", "regression": "no error is a share of a truth of 0",
             "multioutput_regression": "the same", "d2_": "built on log_loss with clipping",
             "roc_curve": "which points of a straight line go", "precision_recall_curve": "a curve without positives",
             "pinball": "equal to the last digit but one", "hamming": "the same", "confusion_matrix_dtype": "objects",
             "brier": "other words", "balanced_accuracy_score_unseen": "texts of warnings",
             "multiclass_ovo": "two classes by pairs", "multilabel_unordered": "labels in another order",
             "unused_pos_label": "texts of warnings", "binary_single_class": "one class is no two-class problem",
             "jaccard_score_validation": "texts of warnings", "cohen_kappa": "undefined", "matthews": "one class"}
    strange = [t for t in found["failed"] if not any(k in t for k in known)]
    assert not strange, strange


# R's pROC: the values that its own tests expect, for three markers of one published study

proc = json.loads((here/"oracles"/"proc.json").read_text(encoding="utf-8"))
expected = proc["expected"]
y = np.repeat([1, 0], [41, 72])
marker = {k: np.array(v["cases"]+v["controls"]) for k, v in proc["ranks"].items()}


def test_areas_variances_and_covariances_like_proc():
    from mic_eval.metrics.ranking import delong_covariance, placement_deviations
    names = list(marker)
    a, up, d = zip(*(placement_deviations(y, marker[k]) for k in names))
    S = delong_covariance(up[0], np.array(d))[0]
    assert dict(zip(names, a)) == pytest.approx(expected["auc"])
    assert dict(zip(names, np.diag(S))) == pytest.approx(expected["var"])
    for one, other, c in expected["cov"]: assert S[names.index(one), names.index(other)] == pytest.approx(c)


def test_delong_like_proc():
    for one, other, z, p, lo, hi in expected["paired"]:
        t = delong_test(y, marker[one], marker[other])
        assert [t.statistic, t.p, t.difference.lo, t.difference.hi] == pytest.approx([z, p, lo, hi])
    for one, other, statistic, p in expected["unpaired"]:
        t = delong_unpaired(y, marker[one], y, marker[other])
        assert [t.statistic, t.p] == pytest.approx([statistic, p])
        turned = delong_unpaired(y, marker[other], y, marker[one])
        assert [turned.statistic, turned.p] == pytest.approx([-statistic, p])
    two = marker["wfns"], marker["s100b"]
    for side, paired, apart in zip(("greater", "less"), *expected["one_sided"].values()):
        assert delong_test(y, *two, alternative=side).p == pytest.approx(paired)
        assert delong_unpaired(y, two[0], y, two[1], alternative=side).p == pytest.approx(apart)
    same = delong_test(y, two[0], two[0])
    assert same.statistic == 0 and same.p == 1


@pytest.mark.parametrize("name, focus, low, high, area, corrected", expected["partial"])
def test_partial_areas_like_proc(name, focus, low, high, area, corrected):
    of = dict(fpr=(low, high)) if focus == "fpr" else dict(sensitivity=(low, high))
    assert partial_auc(y, marker[name], **of, standardise=False, ci=None) == pytest.approx(area)
    if corrected is None: return   # below chance there: pROC gives none, and ours lies below one half
    assert partial_auc(y, marker[name], **of, ci=None) == pytest.approx(corrected)


# torchmetrics: the same numbers for classes, scores and several labels, where it is installed

AVERAGES = "micro", "macro", "weighted"


def of_torchmetrics(seed):
    "Name of a number, what torchmetrics says, and what this package says"
    import torch
    import torchmetrics.functional.classification as theirs
    from mic_eval import metrics as M
    from mic_eval.metrics.confusion import f_beta_metric, jaccard
    from mic_eval.metrics.multiclass import (coverage_error, label_ranking_average_precision, label_ranking_loss,
                                             over_label_scores, over_labels)
    rng, n, K = np.random.default_rng(seed), 120, 4
    t = torch.from_numpy
    y, s = rng.integers(0, 2, n), np.round(rng.random(n), 2)   # ties
    c = (s >= .5)*1
    for name, ours in dict(accuracy=M.accuracy, precision=M.precision, recall=M.recall, specificity=M.specificity,
                           f1_score=M.f1, jaccard_index=jaccard, cohen_kappa=M.cohen_kappa,
                           matthews_corrcoef=M.mcc).items():
        yield f"binary {name}", getattr(theirs, f"binary_{name}")(t(c), t(y)), ours(y, c, ci=None)
    for name, ours in dict(auroc=M.roc_auc, average_precision=M.average_precision).items():
        yield f"binary {name}", getattr(theirs, f"binary_{name}")(t(s), t(y)), ours(y, s, ci=None)
    k, P = rng.choice(K, n, p=[.5, .3, .15, .05]), rng.dirichlet(np.ones(K), n)
    k[:K], called = range(K), np.where(rng.random(n) < .6, k, rng.integers(0, K, n))
    for average in AVERAGES:
        how = dict(num_classes=K, average=average)
        for name, ours in dict(precision=M.precision, recall=M.recall, f1_score=M.f1, jaccard_index=jaccard).items():
            value = getattr(theirs, f"multiclass_{name}")(t(called), t(k), **how)
            yield f"classes {name} {average}", value, ours(k, called, average=average, ci=None)
        if average == "micro": continue
        for name, ours in dict(auroc=M.roc_auc, average_precision=M.average_precision).items():
            value = getattr(theirs, f"multiclass_{name}")(t(P), t(k), **how)
            yield f"classes {name} {average}", value, ours(k, P, average=average, ci=None)
    for top in (1, 2, 3):
        value = theirs.multiclass_accuracy(t(P), t(k), num_classes=K, average="micro", top_k=top)
        yield f"top {top}", value, M.top_k_accuracy(k, P, k=top, ci=None)
    Y, S = rng.integers(0, 2, (n, K)), np.round(rng.random((n, K)), 3)
    C = (S >= .5)*1
    for average in AVERAGES:
        how = dict(num_labels=K, average=average)
        for name, ours in dict(precision=M.precision, recall=M.recall, f1_score=M.f1, jaccard_index=jaccard).items():
            value = getattr(theirs, f"multilabel_{name}")(t(C), t(Y), **how)
            yield f"labels {name} {average}", value, over_labels(ours, Y, C, average=average, ci=None)
        value = theirs.multilabel_fbeta_score(t(C), t(Y), 2., **how)
        yield f"labels f2 {average}", value, over_labels(f_beta_metric(2), Y, C, average=average, ci=None)
        for name, ours in dict(auroc=M.roc_auc, average_precision=M.average_precision).items():
            value = getattr(theirs, f"multilabel_{name}")(t(S), t(Y), **how)
            yield f"labels {name} {average}", value, over_label_scores(ours, Y, S, average=average, ci=None)
    S = rng.random((n, K))   # of ties the loss of scikit-learn and of this package counts each, torchmetrics' none
    for name, ours in dict(ranking_loss=label_ranking_loss, coverage_error=coverage_error,
                           ranking_average_precision=label_ranking_average_precision).items():
        yield f"labels {name}", getattr(theirs, f"multilabel_{name}")(t(S), t(Y), num_labels=K), ours(Y, S, ci=None)


@pytest.mark.full
def test_the_numbers_of_torchmetrics():
    pytest.importorskip("torchmetrics")
    found = [(seed, *o) for seed in range(5) for o in of_torchmetrics(seed)]
    differ = [(seed, name, float(a), float(b)) for seed, name, a, b in found if abs(float(a)-float(b)) > 2e-6]
    assert len(found) >= 240 and not differ, differ
