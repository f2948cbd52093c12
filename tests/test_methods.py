"An interval is what its method says: limits of Wilson's form are computed again from the words that stand beside them"
import math
import re

import numpy as np
import pytest
from scipy import stats

import mic_eval.metrics as M
from mic_eval.core.intervals import wilson
from mic_eval.core.results import Score

r = np.random.default_rng(2)
n = 60
g, w = np.arange(n) // 5, r.integers(1, 4, n)*1.
y, c = r.integers(0, 2, n), r.integers(0, 2, n)
c = np.where(r.random(n) < .6, y, c)
p = np.clip(r.normal(.35+.3*y, .2), .01, .99)
three, called = r.integers(0, 3, n), r.integers(0, 3, n)
labels = r.integers(0, 2, (n, 4))
answered = np.where(r.random((n, 4)) < .7, labels, 1-labels)
SAID = re.compile(r"[Ww]ilson(?P<of> of the agreement)? at effective n (?P<e>[\d.]+)(?:, t\((?P<df>[\d.]+)\))?$")


def scores():
    "Name, score, smallest and largest value"
    for k, how in dict(rows={}, groups=dict(groups=g), weights=dict(sample_weight=w),
                       both=dict(groups=g, sample_weight=w)).items():
        for name in ("accuracy", "sensitivity", "specificity", "ppv", "f1", "balanced_accuracy", "mcc"):
            yield f"{name} {k}", getattr(M, name)(y, c, **how), (-1 if name == "mcc" else 0, 1)
        for name in ("roc_auc", "average_precision", "brier"):
            yield f"{name} {k}", getattr(M, name)(y, p, **how), (0, 1)
        for average in ("macro", "weighted", "micro"):
            yield f"f1 {average} {k}", M.f1(three, called, average=average, **how), (0, 1)
            if average in ("macro", "weighted"):
                yield f"labels {average} {k}", M.over_labels(M.f1, labels, answered, average=average, **how), (0, 1)
        yield f"mcc of three {k}", M.mcc(three, called, **how), (-1, 1)


@pytest.mark.parametrize("few", [6, n])
def test_limits_are_wilsons_at_what_is_said(few, monkeypatch):
    for name in ("y", "c", "p", "three", "called", "labels", "answered", "g", "w"):
        monkeypatch.setitem(globals(), name, globals()[name][:few])
    if few == 6: monkeypatch.setitem(globals(), "g", np.arange(6))
    seen = set()
    for name, s, (a, b) in scores():
        assert isinstance(s, Score)
        if not s.defined or math.isnan(s.lo) or not (said := SAID.search(s.method)): continue
        seen.add(name)
        z = stats.t.ppf(.975, float(said["df"])) if said["df"] else stats.norm.ppf(.975)
        x, e = (s-a)/(b-a), float(said["e"])
        ends = np.array([[a+(b-a)*o for o in wilson(x*v, v, z=z)] for v in (e-.06, e, e+.06)])
        slack = .01*(s.hi-s.lo) if said["df"] and "." in said["df"] else 1e-9
        assert ends[:, 0].min()-slack <= s.lo <= ends[:, 0].max()+slack, (name, s.method, s.lo, ends)
        assert ends[:, 1].min()-slack <= s.hi <= ends[:, 1].max()+slack, (name, s.method, s.hi, ends)
    assert len(seen) >= 30, seen
