"What is done in one way for few rows and in another for many says the same: each size is set to none and to all"
import importlib

import numpy as np
import pytest
from every import every

import mic_eval.metrics as M
from mic_eval.core.evidence import shaken_copies
from mic_eval.core.files import file_hash
from mic_eval.core.jackknife import jackknife
from mic_eval.core.predictions import Predictions
from mic_eval.core.resample import bootstrap
from mic_eval.core.results import Score
from mic_eval.metrics.shards import SiteStatistic, pooled_result

r = np.random.default_rng(8)
n = 240
y, five, seen = r.integers(0, 2, n), r.integers(0, 5, n), r.integers(0, 5, n)
p = np.round(np.clip(r.normal(.35+.3*y, .2), 0, 1), 3)
c, g, w = (p >= .5)*1, r.permutation(np.arange(n) // 12), r.random(n)+.1
copies = np.repeat(np.round(r.random((60, 2)), 6), 4, 0)[:n]+r.normal(0, 1e-7, (n, 2))


def plain(found):
    "All numbers of what was found"
    if isinstance(found, Score): return plain([float(found), found.lo, found.hi, found.n, found.groups or 0])
    if isinstance(found, dict): return np.concatenate([plain(v) for v in found.values()] or [np.empty(0)])
    if isinstance(found, (list, tuple)): return np.concatenate([plain(v) for v in found])
    return np.ravel(np.asarray(found, float))


def shaken():
    tables = [Predictions(np.arange(n).astype(str), np.repeat(y[:60], 4), np.clip(copies[:, k], 0, 1)) for k in (0, 1)]
    return shaken_copies(tables)


@every("module, name, sizes, call", [
    ("core.jackknife", "_ROOM", (1, 100, 10**9), lambda: [jackknife(m, y, c, groups=g, weight=o)
                                                         for m in (M.f1, M.mcc) for o in (None, w)]),
    ("core.jackknife", "_MANY", (0, 10**9), lambda: [jackknife(m, y, p, groups=g)
                                                     for m in (M.roc_auc, M.average_precision)]),
    ("core.evidence", "_SMALL", (0, 10**9), shaken),
    ("core.metric", "_FULL_TABLES", (1, 10**9), lambda: [
        m(five, seen, average=a, labels=range(5), **o)   # without groups a table has a closed interval
        for m in (M.f1, M.sensitivity, M.ppv) for a in ("macro", "weighted", "micro")
        for o in (dict(ci=None), dict(groups=g))]),
    ("metrics.roc_and_pr", "_MANY", (0, 10**9), lambda: [m(y, p, ci=None) for m in (M.roc_auc, M.average_precision)]),
    ("metrics.paired", "_FEW", (0, 10**9), lambda: [
        M.wilcoxon(d, np.zeros(len(d)), groups=o).effect for d, o in ((p-.41, None), (p[:51]-.3, None), (p-.41, g))]),
    ("core.resample", "BLOCK", (100, 5000, 10**7), lambda: [
        bootstrap(m, y, o, groups=h, seed=4, n_resamples=150) for m, o in ((M.f1, c), (M.roc_auc, p))
        for h in (None, g)]),
])
def test_the_way_changes_no_number(module, name, sizes, call):
    held, found = importlib.import_module(f"mic_eval.{module}"), []
    with pytest.MonkeyPatch.context() as patch:
        for size in sizes:
            patch.setattr(held, name, size)
            found.append(plain(call()))
    for o in found[1:]: np.testing.assert_allclose(o, found[0], rtol=1e-9, atol=1e-12)


def test_a_file_has_one_hash(tmp_path, monkeypatch):
    import hashlib

    import mic_eval.core.files as files
    (tmp_path/"a").write_bytes(b"well"*999)
    for size in (0, 3995, 3996, 10**9):
        monkeypatch.setattr(files, "_SMALL", size)
        assert file_hash(tmp_path/"a") == hashlib.sha256(b"well"*999).hexdigest()


@pytest.mark.parametrize("size", [0, n-1, n, n+1])
def test_a_shard_is_counted_alike_whatever_its_size(size, monkeypatch):
    import mic_eval.metrics.shards as shards
    found = []
    for most in (10**9, size):
        monkeypatch.setattr(shards, "_MANY", most)
        found.append(plain(dict(pooled_result(SiteStatistic.of(y, p)).overall)))
    np.testing.assert_allclose(*found, rtol=1e-12)
