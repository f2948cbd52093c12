"Near the MIC: distances, what stands for each, near against far, slopes"
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mic_eval.core.intervals import newcombe
from mic_eval.core.results import Curve, NotApplicable, from_json, to_json
from mic_eval.core.tables import Predictions
from mic_eval.mic.boundary import (boundary_slopes, evaluate_boundary, from_boundary, mic_distance, near_and_far,
                                   plot_boundary)


def table(series=60, steps=8, seed=0, sure=1.5, **outputs):
    rng = np.random.default_rng(seed)
    at, mic = np.tile(np.arange(steps), series), rng.integers(1, steps, series).repeat(steps)
    d = at-mic
    logit = -sure*(d+.5)+rng.normal(0, 1.2, series*steps)
    facts = pd.DataFrame(dict(series=[f"S{i}" for i in range(series) for _ in range(steps)], concentration=.25*2.**at,
                              expert_mic=[f"{o:g}" for o in .25*2.**mic], d=d))
    return Predictions(np.arange(series*steps).astype(str), (d < 0).astype(int), logit, "logit", facts=facts,
                       outputs=outputs)


@given(st.integers(-6, 6), st.integers(-4, 6))
def test_distance_counts_dilutions(c, m):
    assert mic_distance([2.**c], [f"{2.**m:g}"])[0] == c-m


def test_censored_and_missing_have_no_distance():
    assert np.isnan(mic_distance([1, 1, 1, 1, "", None, 0], ["<=0.5", ">4", "", "NA", "1", "1", "1"])).all()
    assert mic_distance(["0.06", "0.12", ".025", "12.8"], ["0.12", "0.12", "0.05", "12.8"]).tolist() == [-1, 0, -1, 0]


def test_both_wells_at_the_boundary_are_one_step_away():
    assert from_boundary([-2, -1, 0, 1, np.nan])[:4].tolist() == [2, 1, 1, 2]


def test_each_distance_is_that_part_of_the_table():
    p = table()
    r, d = evaluate_boundary(p), p.fact("d")
    assert r.n == len(p)
    assert r.distance == "concentration against expert_mic"
    assert list(r.by_distance) == ["<=-4", "-3", "-2", "-1", "0", "+1", "+2", ">=+3"]
    right, conf = p.y_pred == p.y_true, np.maximum(p.prob, 1-p.prob)
    for name, rows in (("-1", d == -1), ("0", d == 0), (">=+3", d >= 3)):
        s = r.by_distance[name]
        assert s.accuracy == pytest.approx(right[rows].mean())
        assert s.confidence == pytest.approx(conf[rows].mean())
        assert s.overconfidence == pytest.approx((conf-right)[rows].mean())
    assert (r.curves.accuracy.extra["n"] == [v.n for v in r.by_distance.values()]).all()
    assert r.curves.uncertainty.y.argmax() in (3, 4)
    assert plot_boundary(r) is not None and repr(from_json(to_json(r))) == repr(r)


def test_near_and_far_without_groups_is_newcombe():
    p = table()
    r, d = near_and_far(p, p.fact("d"), groups=None), p.fact("d")
    close, right = np.isin(d, (-1, 0)), p.y_pred == p.y_true
    k = right[close].sum(), close.sum(), right[~close].sum(), (~close).sum()
    assert (r.difference.accuracy.lo, r.difference.accuracy.hi) == pytest.approx(newcombe(*k))
    assert r.difference.accuracy == pytest.approx(k[0]/k[1]-k[2]/k[3])
    conf = np.maximum(p.prob, 1-p.prob)
    from scipy.stats import ttest_ind
    t = ttest_ind(conf[close], conf[~close], equal_var=False).confidence_interval()
    assert r.difference.confidence == pytest.approx(conf[close].mean()-conf[~close].mean())
    assert (r.difference.confidence.lo, r.difference.confidence.hi) == pytest.approx((t.low, t.high), rel=.02)


def test_groups_are_series_and_differences_know_them():
    r = evaluate_boundary(table())
    assert r.near_far.difference.accuracy.groups == 60
    assert r.near_far.difference.accuracy.hi < 0 and "jackknife" in r.near_far.difference.accuracy.method
    assert r.near_far.difference.uncertainty.lo > 0 and r.near_far.near.error_auroc > .5 and r.near_far.near.ece.defined


@pytest.mark.full
def test_difference_covers_the_truth():
    whole = [near_and_far(p := table(30, seed=s), p.fact("d")) for s in range(120)]
    truth = np.mean([float(near_and_far(p := table(4000, seed=999), p.fact("d"), groups=None).difference.accuracy)])
    assert np.mean([r.difference.accuracy.lo <= truth <= r.difference.accuracy.hi for r in whole]) >= .9


def test_slopes_see_shift_and_steepness():
    p, steep = table(), table(sure=4)
    a, b = boundary_slopes(p, p.fact("d")), boundary_slopes(steep, steep.fact("d"))
    assert a.call_middle.lo < -.5 < a.call_middle.hi and b.call_slope > a.call_slope > 0 and a.right_slope.lo > 0
    late = replace(p, scores=p.scores+3, y_pred=None)
    assert boundary_slopes(late, p.fact("d")).call_middle > .5
    perfect = replace(p, scores=None, y_pred=p.y_true)
    s = boundary_slopes(perfect, p.fact("d"))
    assert s.call_middle.reason == "no overlap: missed up to 0, called from -1" and "every well" in s.right_slope.reason


def test_heads_come_first_and_missing_ones_are_not_zero():
    p = table()
    own = evaluate_boundary(replace(p, outputs=dict(confidence=np.full(len(p), .7), uncertainty=np.full(len(p), .2))))
    assert own.by_distance["0"].confidence == pytest.approx(.7)
    assert own.by_distance["0"].uncertainty == pytest.approx(.2)
    bare = evaluate_boundary(replace(p, scores=None))
    assert all(isinstance(bare.near_far.near[k], NotApplicable)
               for k in ("confidence", "overconfidence", "uncertainty", "ece", "error_auroc"))
    assert isinstance(bare.curves.confidence, NotApplicable)
    assert isinstance(bare.curves.accuracy, Curve) and plot_boundary(bare) is not None


def test_what_is_missing_is_said():
    p = table()
    assert evaluate_boundary(replace(p, facts=p.facts[["expert_mic"]])).reason == "no column 'concentration'"
    assert "true_mic" in evaluate_boundary(replace(p, facts=p.facts[["concentration"]])).reason
    assert evaluate_boundary(replace(p, facts=p.facts.assign(expert_mic=">32"))).reason.startswith("no labelled wells")
    some = evaluate_boundary(replace(p, facts=p.facts.assign(expert_mic=np.where(p.facts["series"] == "S0", ">32",
        p.facts["expert_mic"]))))
    assert some.left_out == 8 and some.n == len(p)-8
    assert evaluate_boundary(p, distance="d").distance == "d"
    far = evaluate_boundary(p[np.abs(p.fact("d")+.5) > 1])
    assert far.near_far.near.reason == "no such wells" and far.near_far.difference.accuracy.reason == "no near wells"
    with pytest.raises(ValueError, match="no column 'gap'"): evaluate_boundary(p, distance="gap")
    with pytest.raises(ValueError, match="near must be"): evaluate_boundary(p, near=0)
