"Metrics of label tables and of ranked classes: order, weights, groups, forms, files, other processes"
import pickle

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings, strategies as st
from sklearn import metrics as sk

import mic_eval.metrics as M
from mic_eval.metrics.multiclass import over_labels
from mic_eval.core.results import Result, from_json, to_json
from every import every

r = np.random.default_rng(0)
N = 40
Y = r.integers(0, 2, (N, 3))
P = np.where(r.random((N, 3)) < .2, 1-Y, Y)
T, S = r.integers(0, 4, N), np.round(r.random((N, 4)), 3)
ONE = {"hamming_loss": (M.hamming_loss, Y, P), "subset_accuracy": (M.subset_accuracy, Y, P),
       "top_k_accuracy": (M.top_k_accuracy, T, S),
       **{f"f1 {a}": (lambda y, p, a=a, **k: over_labels(M.f1, y, p, average=a, **k), Y, P)
          for a in ("macro", "micro", "samples")}}
G = np.arange(N)//4


def numbers(s): return [float(s), s.lo, s.hi]


@every("name", ONE)
@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 99))
def test_order_and_names_do_not_matter(name, seed):
    f, y, p = ONE[name]
    o = np.random.default_rng(seed).permutation(N)
    for a, b in (({}, {}), (dict(groups=G), dict(groups=np.array([f"g{9-i}" for i in range(10)])[G][o]))):
        assert np.allclose(numbers(f(y, p, **a)), numbers(f(y[o], p[o], **b)), equal_nan=True)


@every("name", ONE)
def test_weights_are_proportions(name):
    f, y, p = ONE[name]
    w = r.integers(1, 4, N)*.5
    one, two = f(y, p, sample_weight=w), f(y, p, sample_weight=7*w)
    assert np.allclose(numbers(one), numbers(two), equal_nan=True)
    assert np.allclose(numbers(f(y, p, sample_weight=np.full(N, 3.))), numbers(f(y, p)), equal_nan=True)
    again = f(np.repeat(y, (2*w).astype(int), 0), np.repeat(p, (2*w).astype(int), 0))
    assert float(one) == pytest.approx(float(again))


@every("name", ONE)
def test_forms_levels_and_files(name):
    f, y, p = ONE[name]
    want = numbers(f(y, p))
    for form in (lambda v: v.tolist(), torch.tensor, lambda v: pd.DataFrame(v) if v.ndim == 2 else pd.Series(v)):
        assert np.allclose(numbers(f(form(y), form(p))), want, equal_nan=True)
    assert np.isnan(f(y, p, ci=None).lo)
    limits = [f(y, p, ci=c) for c in (.5, .95)]
    assert limits[1].lo <= limits[0].lo and limits[0].hi <= limits[1].hi
    s = f(y, p)
    assert numbers(pickle.loads(pickle.dumps(s))) == numbers(s)
    assert np.allclose(numbers(from_json(to_json(Result(it=s))).it), numbers(s))
    for bad in (p[:-1], np.full(p.shape, np.nan)):
        with pytest.raises(ValueError): f(y, bad)


def test_oracles():
    assert float(M.hamming_loss(Y, P)) == pytest.approx(sk.hamming_loss(Y, P))
    assert float(M.subset_accuracy(Y, P)) == pytest.approx(sk.accuracy_score(Y, P))
    assert float(M.top_k_accuracy(T, S, k=2)) == pytest.approx(sk.top_k_accuracy_score(T, S, k=2))
    for a in ("macro", "micro"): assert float(ONE[f"f1 {a}"][0](Y, P)) == pytest.approx(sk.f1_score(Y, P, average=a))
    full = (Y.sum(1)+P.sum(1)) > 0
    assert float(ONE["f1 samples"][0](Y, P)) == pytest.approx(sk.f1_score(Y[full], P[full], average="samples"))
