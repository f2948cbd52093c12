"Peers: the tests of scikit-learn as they are installed, torchmetrics beside us; what R's pROC expects of itself."
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


@pytest.mark.full
def test_torchmetrics_over_averages_thresholds_ties_and_rare_classes():
    pytest.importorskip("torchmetrics", reason="make test-full installs it")
    from peers.torchmetrics_values import comparisons, values
    # there a probability of exactly 1 has a bin of its own; tied labels and classes are ordered by their place
    known = ("binary calibration l2", "labels ranking_loss ties", "classes top 2 ties", "classes top 3 ties")
    count, other = 0, []
    for name, theirs, ours in comparisons():
        a, b = np.asarray(theirs(), float), values(ours())
        if a.shape != b.shape or not np.allclose(a, b, rtol=1e-5, atol=1e-6): other.append(name)
        count += 1
    assert count >= 240 and [o for o in other if not o.startswith(known)] == []
    assert len(other) <= 12


@pytest.mark.full
@pytest.mark.parametrize("peer", ["lm_eval", "inspect_ai", "evidently"])
def test_what_the_page_says_of_them_is_what_they_say(peer):
    from peers.elsewhere import said
    try: rows = said(peer)
    except ImportError as e: pytest.skip(f"{peer} cannot be imported here: {e}")
    assert len(rows) >= 4 and [now for _, now, _ in rows] == pytest.approx([stored for *_, stored in rows], rel=1e-7)
