"Distances against their own room, drops against closed forms, and a monitor that keeps its promise."
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mic_eval.core.intervals import newcombe, tango
from mic_eval.core.tables import Predictions
from mic_eval.robust.shift import ShiftMonitor, _ks_p, distribution_shift, performance_drop, shift_distances


def table(n, rate, p, seed=0, start=0):
    "n wells, called right at about `rate` with confidence p"
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    right = rng.random(n) < rate
    return Predictions([f"w{i:05d}" for i in range(start, start + n)], y, np.where(right == (y == 1), p, 1 - p),
                       outputs=dict(features=rng.normal(size=(n, 3))),
                       facts=pd.DataFrame(dict(plate=np.arange(n) // 12)))


@pytest.mark.parametrize("n, m", [(500, 32), (60, 7), (200, 200)])
def test_ks_is_scipys_distance_and_never_bolder(n, m):
    rng = np.random.default_rng(n)
    ref, x = np.sort(rng.normal(size=n)), rng.normal(.4, 1, m).round(1)
    d = stats.ks_2samp(ref, x).statistic
    assert np.isclose(_ks_p(ref, x), stats.kstwobign.sf(d * np.sqrt(n * m / (n + m))))
    ps = [(_ks_p(ref, y), stats.ks_2samp(ref, y).pvalue) for y in rng.normal(.8, 1, (20, m))]
    assert all(ours >= theirs - .02 for ours, theirs in ps)


def test_unpaired_drop_is_newcombes():
    a, b = table(200, .95, .9, 1), table(150, .85, .9, 2, 1000)
    ka, kb = (a.y_pred == a.y_true).sum(), (b.y_pred == b.y_true).sum()
    d = performance_drop(a, b).accuracy
    assert np.allclose([d, d.lo, d.hi], [ka/200 - kb/150, *newcombe(ka, 200, kb, 150)])


def test_paired_drop_is_tangos_and_narrower():
    a, b = table(300, .9, .9, 1), table(300, .9, .9, 1)
    calls = b.y_pred.copy()
    calls[:9] = 1 - calls[:9]
    b = Predictions(b.sample_id[::-1], b.y_true[::-1], y_pred=calls[::-1])
    d = performance_drop(a, b, paired=True)
    ra, rb = a.y_pred == a.y_true, calls == a.y_true
    cells = (ra & ~rb).sum(), (~ra & rb).sum()
    assert np.allclose([d.accuracy.lo, d.accuracy.hi], tango(*cells, 300)) and not d.ece
    apart = performance_drop(a, b).accuracy
    assert d.accuracy.hi - d.accuracy.lo < apart.hi - apart.lo


@pytest.mark.later
def test_interval_of_the_calibration_drop_covers():
    "True errors 0.05 and 0.15 on the same 300 wells, confidence .9 said, right .85 and .75"
    rng, hit = np.random.default_rng(0), {True: 0, False: 0}
    ids, y = [f"w{i}" for i in range(300)], np.ones(300, int)
    for _ in range(100):
        u = rng.random(300)
        a, b = (Predictions(ids, (u + e) % 1 < q, np.full(300, .9)) for q, e in ((.85, 0), (.75, 0)))
        b = Predictions(ids, a.y_true, np.where((u < .75) == (a.y_true == 1), .9, .1))
        e = performance_drop(a, b, paired=True).ece
        rate = np.array([.85, .75])
        truth = _ece_of_b() - .05
        hit[True] += e.lo <= truth <= e.hi
    assert hit[True] >= 90


def _ece_of_b():
    "u < .75: truth 1, says .9; u in .75-.85: truth 1, says .1; above: truth 0, says .9"
    said_high, said_low = .75 + .15, .10
    return said_high * abs(.75 / .9 - .9) + said_low * abs(1 - .1)


def test_distances_take_one_column_groups_and_thinning():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=3000), rng.normal(size=500)
    out = shift_distances(x, y, n_permutations=19, max_rows=400)
    assert out.rows == "400 and 400" and out.wasserstein.p >= .05
    g = np.r_[np.repeat(np.arange(300), 10), np.repeat(np.arange(300, 350), 10)]
    assert shift_distances(x, y, groups=g, n_permutations=19, max_rows=400).rows == "400 and 400"
    assert shift_distances(x[:200], y[:3] + 9, n_permutations=19).domain_auc.reason.startswith("5 folds")


def test_all_of_it_says_what_is_missing():
    a, b = table(240, .95, .9, 1), table(240, .8, .7, 2, 1000)
    out = distribution_shift(a, b, groups="plate", n_permutations=19)
    assert out.features.mmd2.p > .05 and out.scores.wasserstein.p <= .05 and out.drop.accuracy.lo > 0
    bare = Predictions(b.sample_id, np.full(240, -1), b.scores)
    out = distribution_shift(a, bare, n_permutations=19)
    assert not out.features and "no labelled rows" in out.drop.reason and out.scores
    assert "one of the sets" in distribution_shift(a, b[b.y_true == 0], n_permutations=0).drop.sensitivity.reason
    assert not np.isfinite(distribution_shift(a, a, paired=True, n_permutations=19).scores.wasserstein.p)


def test_few_groups_leave_the_drop_without_limits():
    a = table(240, .95, .9, 1)
    one = performance_drop(a[:12], table(240, .9, .9, 2, 1000), groups="plate").accuracy
    assert one.defined and np.isnan(one.lo) and "too few groups" in one.reason


def test_pairs_must_agree():
    a = table(50, .9, .9)
    with pytest.raises(ValueError, match="truth differs"):
        performance_drop(a, Predictions(a.sample_id, 1 - a.y_true, a.scores), paired=True)
    twice = Predictions(np.r_[a.sample_id, a.sample_id], np.r_[a.y_true, a.y_true], y_pred=np.r_[a.y_pred, a.y_pred],
                        variant=["a"] * 50 + ["b"] * 50)
    with pytest.raises(ValueError, match="more than once in new"): performance_drop(a, twice, paired=True)


@pytest.mark.parametrize("draw", [lambda r, n: r.normal(size=n), lambda r, n: r.random(n) < .1, lambda r,
                                  n: r.beta(.1, .1, n).round(2)], ids=["normal", "errors", "ties"])
def test_few_unshifted_streams_ring(draw):
    rang = 0
    for i in range(40):
        rng = np.random.default_rng([9, i])
        m = ShiftMonitor(draw(rng, 200).astype(float))
        for _ in range(40): m.add(draw(rng, 16).astype(float))
        rang += m.alarm is not None
    assert rang <= 5


def test_a_jump_rings_at_once_and_the_log_keeps_all():
    rng = np.random.default_rng(0)
    m = ShiftMonitor(rng.normal(size=(500, 2)), names=["a", "b"])
    for t in range(20): m.add(rng.normal([0, 2*(t >= 10)], 1, (32, 2)))
    assert m.alarm.batch == 10 and m.alarm.column == "b" and len(m.frame()) == 20 and m.plot().get_xlabel() == "batch"


def test_a_batch_of_one_is_no_evidence():
    assert not ShiftMonitor(np.arange(100.)).add([1e9]).alarm


@pytest.mark.parametrize("bad, says", [(dict(alpha=0), "alpha must"), (dict(horizon=0), "horizon and windows must"),
                                       (dict(names=["a", "b"]), "2 names for 1 columns")])
def test_monitor_refuses(bad, says):
    with pytest.raises(ValueError, match=says): ShiftMonitor(np.arange(30.), **bad)
