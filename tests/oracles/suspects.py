"""Writes suspects.json: how well wrong labels are ranked, here and by cleanlab 2.9.0, on the same probabilities.

    python tests/oracles/suspects.py probabilities     # here: labels and probabilities, to build/suspects.npz
    python tests/oracles/suspects.py judge             # where cleanlab is (pip install cleanlab==2.9.0, apart)

cleanlab is given its best way in each cell: every filter, its flagged rows first, with every score of its own, and
the scores alone; the way with the highest mean over seeds counts."""
import json
import sys
from itertools import product
from pathlib import Path

import numpy as np

here = Path(__file__).parent
kept = here.parent.parent/"build/suspects.npz"
SEEDS, SETS, RATES = 3, ("digits", "wine", "breast_cancer", "heart"), (.1, .2)
WAYS = "symmetric", "asymmetric", "instance-dependent"
PROBABILITIES = "logistic", "forest", "joined"


def changed(d, way, rate, seed):
    "Labels made wrong; of two classes the more frequent one is called the other, so that it keeps its majority"
    from mic_eval.noise import noisy_labels
    from mic_eval.noise.suspects import unseen_probabilities
    if way == "symmetric": return noisy_labels(d.y, rate, seed=seed)
    if way == "asymmetric": return noisy_labels(d.y, rate, "pair" if d.y.max() > 1 else "minority", seed=seed)
    prob = unseen_probabilities(d.X, d.y, "forest", seed=100+seed)
    return noisy_labels(d.y, rate, "boundary", prob=prob, seed=seed)


def made(of, X, y, seed):
    "Probabilities out of fold"
    from mic_eval.noise.suspects import joined_probabilities, unseen_probabilities
    return joined_probabilities(X, y, seed=seed) if of == "joined" else unseen_probabilities(X, y, of, seed=seed)


def cell(name, way, rate, seed):
    "One set made wrong in one way: `(labels, what was changed, probabilities by name)`"
    from mic_eval.noise import trial_data
    d = trial_data(name)
    wrong = changed(d, way, rate, seed)
    return wrong.labels, wrong.flipped.astype(int), {of: made(of, d.X, wrong.labels, seed) for of in PROBABILITIES}


def probabilities():
    "Every cell, kept"
    out = {}
    for name, way, rate, seed in product(SETS, WAYS, RATES, range(SEEDS)):
        labels, off, prob = cell(name, way, rate, seed)
        key = f"{name}|{way}|{rate}|{seed}"
        out |= {f"{key}|labels": labels, f"{key}|off": off}
        out |= {f"{key}|prob {of}": p.astype(np.float32) for of, p in prob.items()}
    kept.parent.mkdir(exist_ok=True)
    np.savez(kept, **out)


def adjusted_margin(y, p):
    "Ours: the lead of the given label over the best other class, each held against what is usual for it"
    lead = p-np.array([p[y == k, k].mean() for k in range(p.shape[1])])
    own = lead[np.arange(len(y)), y].copy()
    lead[np.arange(len(y)), y] = -np.inf
    return own-lead.max(1)


def precisions(y, p, off):
    "Average precision of every way of cleanlab's"
    from cleanlab.filter import find_label_issues
    from cleanlab.rank import get_label_quality_scores
    from sklearn.metrics import average_precision_score
    filters = (None, "prune_by_noise_rate", "prune_by_class", "both", "confident_learning", "predicted_neq_given",
               "low_normalized_margin", "low_self_confidence")
    scores = [("self_confidence", False), ("self_confidence", True), ("normalized_margin", False),
              ("normalized_margin", True), ("confidence_weighted_entropy", False)]
    quality = {k: get_label_quality_scores(y, p, method=k[0], adjust_pred_probs=k[1]) for k in scores}
    out = {}
    for f in filters:
        first = np.zeros(len(y)) if f is None else find_label_issues(y, p, filter_by=f, n_jobs=1)
        for (name, adjusted), q in quality.items():
            how = f"{f or 'no filter'}, {name}{', adjusted' if adjusted else ''}"
            out[how] = float(average_precision_score(off, first*2.-q))
    return out


def judge():
    "All of it ranked, here and by cleanlab"
    import cleanlab
    from sklearn.metrics import average_precision_score
    given, cells = np.load(kept), {}
    for name, way, rate, of in product(SETS, WAYS, RATES, PROBABILITIES):
        theirs, ours, first = [], [], []
        for seed in range(SEEDS):
            key = f"{name}|{way}|{rate}|{seed}"
            y, off, p = (given[f"{key}|{k}"] for k in ("labels", "off", f"prob {of}"))
            p = p.astype(float)/p.astype(float).sum(1, keepdims=True)
            theirs.append(precisions(y, p, off))
            m = adjusted_margin(y, p)
            ours.append(float(average_precision_score(off, -m)))
            first.append("".join(map(str, off[np.argsort(m, kind="stable")[:40]])))
        best = max(theirs[0], key=lambda k: np.mean([s[k] for s in theirs]))
        cells[f"{name}|{way}|{rate}|{of}"] = dict(
            ours=np.round(ours, 6).tolist(), best=best, theirs=np.round([s[best] for s in theirs], 6).tolist(),
            first_40=first)
    text = json.dumps(dict(cleanlab=cleanlab.__version__, seeds=SEEDS, cells=cells), indent=0)
    (here/"suspects.json").write_text(text+"\n")


if __name__ == "__main__": dict(probabilities=probabilities, judge=judge)[sys.argv[1]]()
