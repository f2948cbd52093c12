"Conditions against Cochran, chi-squared and hand counts; intervals that cover; what is missing is said."
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from mic_eval.core.results import from_json, to_json
from mic_eval.core.tables import Predictions
from mic_eval.metrics.paired import cochran_q
from mic_eval.robust.conditions import (
    baseline_cells, condition_cells, corruption_error, evaluate_conditions, plot_conditions, stability_score,
    Disturbed, condition_predictions)
from mic_eval.robust.shift import performance_drop, _noncentrality, heterogeneity

RATES = {("lighting", "bright", 0): .95, ("lighting", "dim", 1): .95, ("lighting", "dim", 2): .8,
         ("image_quality", "high_quality", 0): .95, ("image_quality", "noisy", 1): .9,
         ("image_quality", "noisy", 2): .7}


def table(n=120, rates=RATES, seed=0, prob=True):
    rng, parts = np.random.default_rng(seed), []
    u, y = rng.random(n), np.arange(n) % 2
    for (f, c, s), rate in rates.items():
        right = u * .8 + rng.random(n) * .2 < rate
        call = np.where(right, y, 1 - y)
        parts.append(pd.DataFrame(dict(sample_id=[f"w{i:03d}" for i in range(n)], variant=f"{f} {c} {s}", y=y,
                                       p=np.where(call == 1, .9, .1), condition_type=f, condition=c, severity=s,
                                       plate=[f"p{i // 6}" for i in range(n)])))
    d = pd.concat(parts, ignore_index=True)
    return Predictions(d.sample_id, d.y, d.p if prob else None, y_pred=None if prob else (d.p > .5).astype(int),
                       variant=d.variant, facts=d.drop(columns=["sample_id", "variant", "y", "p"]))


def long(X): return X.ravel(), np.tile(np.arange(X.shape[1]), len(X)), np.repeat(np.arange(len(X)), X.shape[1])


def test_paired_q_is_cochrans():
    X = (np.random.default_rng(0).random((80, 4)) < [.9, .85, .7, .9]).astype(int)
    h, theirs = heterogeneity(*long(X)[:2], sample=long(X)[2]), cochran_q(np.ones(80, int), *X.T)
    assert np.isclose(h.q, theirs.statistic) and np.isclose(h.p, theirs.p) and np.isclose(h.std, X.mean(0).std())


def test_unpaired_q_is_the_test_of_homogeneity():
    rng = np.random.default_rng(1)
    c = rng.integers(0, 3, 500)
    x = (rng.random(500) < np.array([.9, .8, .85])[c]).astype(int)
    chi = stats.chi2_contingency(pd.crosstab(c, x), correction=False)
    h = heterogeneity(x, c)
    assert np.isclose(h.q, chi.statistic) and np.isclose(h.p, chi.pvalue) and h.df == 2


def test_noncentrality_limits_are_scipys():
    lo, hi = _noncentrality(20., 5, .95)
    assert np.isclose(stats.ncx2.cdf(20, 5, lo), .975) and np.isclose(stats.ncx2.cdf(20, 5, hi), .025)
    assert _noncentrality(3., 5, .95)[0] == 0


@pytest.mark.parametrize("name, draw, truth", [
    ("noise", lambda r: r.random((200, 1)) * .5 + r.random((200, 12)) * .5 < .8, 0.),
    ("independent", lambda r: r.random((200, 12)) < np.array([.95] * 8 + [.93, .9, .8, .6]),
     np.std([.95] * 8 + [.93, .9, .8, .6])),
    ("the same wells fail", lambda r: r.random((200, 1)) < np.array([.95] * 8 + [.93, .9, .8, .6]),
     np.std([.95] * 8 + [.93, .9, .8, .6]))])
def test_interval_of_the_standard_deviation_covers(name, draw, truth):
    hit = 0
    for s in range(100):
        x, c, i = long(draw(np.random.default_rng(s)).astype(int))
        h = heterogeneity(x, c, sample=i).std
        hit += h.lo <= truth <= h.hi
    assert hit >= 89


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 6), st.integers(2, 40), st.integers(0, 10**6))
def test_order_of_rows_does_not_matter_and_limits_hold_the_value(k, m, seed):
    rng = np.random.default_rng(seed)
    x, c, i = long((rng.random((m, k)) < rng.random(k)).astype(int))
    o = rng.permutation(len(x))
    a, b = heterogeneity(x, c, sample=i), heterogeneity(x[o], c[o], sample=i[o])
    assert np.isclose(a.q, b.q) and np.isclose(a.std.hi, b.std.hi, atol=1e-9)
    assert a.std.lo <= a.std <= a.std.hi


def test_wells_of_a_plate_count_less():
    p = table()
    cell = condition_cells(p)[1]
    right = (p.y_pred == p.y_true).astype(int)
    lumped = np.repeat(np.random.default_rng(0).random((20, 6)) < .8, 6, 0).astype(int)
    x, c, i = long(lumped)
    alone, grouped = heterogeneity(x, c, sample=i), heterogeneity(x, c, sample=i, groups=i // 6)
    assert grouped.q < alone.q and grouped.std.hi > alone.std.hi
    assert "too few groups" in heterogeneity(right, cell, sample=p.sample_id,
                                             groups=np.char.array(p.sample_id) < "w060").std.reason


def test_drops_are_paired_with_the_familys_own_baseline():
    p = table()
    r = evaluate_conditions(p, groups=None)
    f = p.facts
    pick = lambda c, s: p[((f.condition == c) & (f.severity == s)).to_numpy()]
    want = performance_drop(pick("high_quality", 0), pick("noisy", 2), paired=True)
    got = r.conditions.image_quality["noisy 2"]["drop"]
    assert (got.accuracy.lo, got.ece.hi, got.design) == (want.accuracy.lo, want.ece.hi, want.design)
    assert "paired, 120" in got.design
    t = r.table.set_index(["condition", "severity"])
    assert np.isclose(t.accuracy_drop[("noisy", 2)], t.accuracy[("high_quality", 0)] - t.accuracy[("noisy", 2)])


def test_errors_by_hand_and_the_published_ratios():
    p, q = table(seed=1), table(seed=2)
    q = Predictions(p.sample_id, p.y_true, q.scores, variant=p.variant, facts=p.facts)
    err = lambda t: pd.Series(t.y_pred != t.y_true).groupby([p.facts.condition, p.facts.severity]).mean()
    a, b, e = err(p), err(q), corruption_error(p, q)
    mean = (a["dim"].mean() + a["noisy"].mean()) / 2
    assert np.isclose(e.mean_error, mean)
    assert np.isclose(e.relative_error, (a["dim"].mean() - a["bright"][0] + a["noisy"].mean()
                                         - a["high_quality"][0]) / 2)
    assert np.isclose(e.mce, (a["dim"].sum() / b["dim"].sum() + a["noisy"].sum() / b["noisy"].sum()) / 2)
    rel = lambda c, z: (a[c].sum() - 2 * a[z][0]) / (b[c].sum() - 2 * b[z][0])
    assert np.isclose(e.relative_mce, (rel("dim", "bright") + rel("noisy", "high_quality")) / 2)
    assert all(s.lo < s < s.hi for s in (e.mean_error, e.relative_error, e.mce))
    same = corruption_error(p, p)
    assert np.isclose(same.mce, 1) and np.isclose(same.relative_mce, 1)
    with pytest.raises(ValueError, match="reference lacks"): corruption_error(p, q[:50])


@pytest.mark.later
def test_interval_of_the_mean_error_covers():
    hit = 0
    for s in range(60):
        e = corruption_error(table(100, seed=s)).mean_error
        hit += e.lo <= _true_error() <= e.hi
    assert hit >= 53


def _true_error():
    z = np.random.default_rng(0).random((2, 10**6))
    v = z[0] * .8 + z[1] * .2
    return ((v >= .95).mean() + (v >= .8).mean() + (v >= .9).mean() + (v >= .7).mean()) / 4


def test_the_seeds_numbers_under_their_names():
    r = evaluate_conditions(table(), groups=None)
    a = r.table[r.table.condition_type == "lighting"].accuracy.to_numpy()
    assert np.isclose(r.families.lighting.stability_score, 1 - a.std() / a[0])
    assert np.isclose(r.overall.cross_condition_std, r.table.accuracy.std(ddof=0))
    assert np.isclose(r.cross_condition_stability, r.overall.cross_condition_std)
    assert r.families.lighting.accuracy_range == np.ptp(a)
    assert stability_score([.5, .5], 0).reason and stability_score([0, .9], .2) < 0


def test_what_is_missing_is_said_and_the_rest_goes_on():
    p = table()
    f = p.facts
    r = evaluate_conditions(p[~((f.condition == "high_quality")
                                | ((f.condition == "dim") & (f.severity == 1))).to_numpy()])
    assert r.absent["membrane"].reason == "no such family in the table"
    assert "no severity 1" in r.absent["lighting: dim, severity"].reason and "image_quality: baseline" in r.absent
    assert not r.conditions.image_quality["noisy 1"]["drop"] and r.conditions.image_quality["noisy 1"].accuracy.defined
    assert not r.overall.relative_error and r.overall.mean_error.defined
    assert r.families.image_quality.stability_score.reason


def test_one_condition_one_group_one_class():
    p = table()
    only = p[(p.facts.condition == "bright").to_numpy()]
    r = evaluate_conditions(only)
    assert r.cross_condition_stability.reason == "one condition only" and not r.worst and not r.overall.mean_error
    growth = p[p.y_true == 0]
    assert evaluate_conditions(growth).table.sensitivity.isna().all()
    one = Predictions(p.sample_id, p.y_true, p.scores, variant=p.variant, facts=p.facts.assign(plate="p0"))
    assert "too few groups" in evaluate_conditions(one, groups="plate").cross_condition_stability.reason
    calls = evaluate_conditions(table(prob=False))
    assert not calls.conditions.lighting.bright.ece and calls.table.ece.isna().all()
    for bad, says in (Predictions(["a"], [1], [.5]),
                      "no column 'condition'"), (Predictions(["a"], [-1], [.5],
                                                             facts=pd.DataFrame(dict(condition=["dim"]))),
                                                 "no labelled"):
        with pytest.raises(ValueError, match=says): evaluate_conditions(bad)


def test_named_baselines_win():
    cells = condition_cells(table())[2]
    assert baseline_cells(cells)["lighting"] == ("lighting", "bright", 0)
    assert baseline_cells(cells, dict(lighting="dim"))["lighting"] == ("lighting", "dim", 1)
    flat = [("a", "clean", 0), ("a", "bubbled", 0)]
    assert baseline_cells(flat) == {"a": ("a", "clean", 0)} and baseline_cells([("a", "x", 0), ("a", "y", 0)]) == {}


def test_results_round_trip_and_draw():
    r = evaluate_conditions(table())
    assert to_json(from_json(to_json(r))) == to_json(r)
    for m in "accuracy", "sensitivity", "ece": assert m in plot_conditions(r.table, m).get_title(loc="left")


def model(x): return np.clip(1.4 - 2 * x.mean((1, 2, 3)), 0, 1)


def pictures(n=40):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    return (np.clip(rng.normal(np.where(y, .3, .6)[:, None, None], .05, (n, 16, 16)), 0, 1).astype(np.float32), y)


def test_the_runner_gives_the_same_in_any_batch_and_order():
    a = condition_predictions(model, pictures(), ["dim", "noisy"], [1, 4], batch_size=7)
    b = condition_predictions(model, pictures(), ["noisy", "dim"], [4, 1], batch_size=40)
    assert len(a) == 40 * 6
    assert set(a.variant) == {"lighting: bright", "lighting: dim 1", "lighting: dim 4", "image_quality: high_quality",
                              "image_quality: noisy 1", "image_quality: noisy 4"}
    key = lambda p: np.lexsort((p.sample_id, p.variant))
    assert np.allclose(a.scores[key(a)], b.scores[key(b)], atol=1e-6)
    c = condition_predictions(model, pictures(), ["noisy"], [4], seed=1)
    assert not np.allclose(c.scores[c.variant == "image_quality: noisy 4"],
                           b.scores[b.variant == "image_quality: noisy 4"], atol=1e-6)
    assert (a.y_true[:40] == pictures()[1]).all()
    assert set(evaluate_conditions(a).baselines) == {"lighting", "image_quality"}


def test_files_are_read_as_wells_are(tmp_path):
    from PIL import Image
    x, y = pictures(12)
    rows = ["sample_id,path,growth,plate"]
    for i, im in enumerate(x):
        Image.fromarray((im * 255).astype(np.uint8)).save(tmp_path / f"{i}.png")
        rows.append(f"s{i},{i}.png,{y[i]},p{i % 3}")
    (tmp_path / "manifest.csv").write_text("\n".join(rows))
    a, b = (condition_predictions(model, tmp_path, ["blurred"], [2], keep=k, batch_size=5) for k in (0, 256))
    assert np.allclose(a.scores, b.scores) and "plate" in a.facts and (a.y_true[:12] == y).all()


def test_own_corruptions_and_wrong_names():
    p = condition_predictions(model, pictures(), dict(darker=lambda x, s, seed: x * (1 - s / 10)), [5])
    assert (p.positive[40:] >= p.positive[:40]).all()
    assert condition_cells(p)[2] == [("corruption", "clean", 0), ("corruption", "darker", 5)]
    with pytest.raises(ValueError, match="no corruption 'fogg'"): condition_predictions(model, pictures(), ["fogg"])
    with pytest.raises(ValueError, match="severity must be"): condition_predictions(model, pictures(), ["fog"], [9])
    with pytest.raises(ValueError, match="must not be empty"): condition_predictions(model, pictures(), [])


def test_a_disturbed_set_has_an_identity_of_its_own():
    from mic_eval.data.manifest import data_set
    d = data_set(*pictures())
    own = {k: getattr(d, k) for k in ("facts", "root", "pixels", "channels", "size", "name")}
    assert len({Disturbed(**own, change=None, tag=t).content_hash for t in ("a", "b")} | {d.content_hash}) == 3


def test_a_ratio_has_the_limits_of_its_replicates_where_there_are_enough_of_them():
    from mic_eval.robust.conditions import _percentiles
    r = np.r_[.5, np.linspace(.1, .3, 101)]   # the first is the value, whatever the others say
    s = _percentiles(r, 400, 40, .9, 101)
    assert (float(s), s.lo, s.hi, s.n, s.groups, s.level) == pytest.approx((.5, .11, .29, 400, 40, .9))
    gone = np.where(np.arange(102) % 5 == 1, np.inf, r)   # 21 of 101 replicates divide by nothing
    for one, groups in ((r, 3), (gone, 40)):
        s = _percentiles(one, 400, groups, .9, 101)
        assert float(s) == .5 and np.isnan(s.lo) and s.reason
    assert not _percentiles(np.r_[np.nan, r], 400, 40, .9, 101).defined
