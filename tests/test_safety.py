"Safety: one-sided bounds, critical wells, harm; nothing is safe because it was not looked at."
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import binom

from mic_eval.core.intervals import proportion
from mic_eval.core.results import NotApplicable, Score
from mic_eval.core.tables import Predictions
from mic_eval.mic.safety import clinical_safety, expected_harm, seed_safety_score, upper_bound


def table(y, called, **facts):
    return Predictions(np.arange(len(y)).astype(str), np.asarray(y), y_pred=np.asarray(called),
                       facts=pd.DataFrame(facts) if facts else None)


def test_how_many_wells_a_claim_needs():
    assert upper_bound(0, 299) <= .01 < upper_bound(0, 298) and upper_bound(0, 99) <= .03 < upper_bound(0, 98)
    assert upper_bound(5, 5) == 1


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 400), st.data())
def test_bound_by_its_definition(n, data):
    k = data.draw(st.integers(0, n-1))
    u = float(upper_bound(k, n))
    assert math.isclose(binom.cdf(k, n, u), .05, rel_tol=1e-6)


def test_rates_by_hand():
    s = clinical_safety(table([1]*10+[0]*20, [1]*9+[0]+[0]*17+[1]*3))
    assert (s.false_negative_rate.k, s.false_negative_rate.n, s.false_positive_rate.k, s.false_positive_rate.n) == (1,
        10, 3, 20)
    assert math.isclose(s.expected_harm, 100*(1/3*10*.1+2/3*.15))
    assert math.isclose(s.miss_rate_upper, upper_bound(1, 10))
    assert isinstance(s.critical, NotApplicable) and math.isclose(s.seed_safety_score, max(0, 1-1-.45))


def test_critical_errors_are_over_critical_wells():
    s = clinical_safety(table([1, 1, 0, 0, 1, 0]*20, [1, 0, 0, 1, 1, 0]*20, criticality=[0, 2, 1, 0, np.nan, 1]*20))
    assert (s.critical.errors, s.critical.wells, s.critical.rate.k, s.critical.rate.n) == (20, 60, 20, 60)
    assert set(s.critical.listed.criticality) == {2}
    none = clinical_safety(table([1, 0], [1, 0], criticality=[0, 0]))
    assert none.critical.rate.reason == "no critical wells"


def test_gates_of_both_threshold_sets():
    y = np.r_[np.ones(400, int), np.zeros(700, int)]
    s = clinical_safety(table(y, y))
    assert all(v.startswith("pass") for g in s.gates.values() for v in g.values())
    s = clinical_safety(table(y, np.r_[np.ones(380, int), np.zeros(720, int)]))
    assert all(g.false_negative_rate.startswith("fail") for g in s.gates.values())
    s = clinical_safety(table(y[350:], y[350:]))
    assert s.gates["mic-clinical"].false_negative_rate.startswith("insufficient n")


def test_undefined_is_never_safe():
    s = clinical_safety(table([0, 0, 0], [0, 0, 0]))
    assert math.isnan(s.false_negative_rate)
    assert math.isnan(s.miss_rate_upper) and math.isnan(s.expected_harm) and math.isnan(s.seed_safety_score)


def test_wells_of_a_plate_widen_the_interval():
    y, plate = np.ones(600, int), np.repeat(np.arange(30), 20)
    called = np.where(plate < 3, 0, 1)
    a, b = (clinical_safety(table(y, called, plate=plate.astype(str)), groups=g).false_negative_rate
            for g in ("plate", None))
    assert a.groups == 30 and a.hi-a.lo > 2*(b.hi-b.lo)


def test_harm():
    assert expected_harm(Score(reason="no positives"), proportion(1, 9), .5, miss_weight=1).reason == "no positives"
    assert expected_harm(Score(reason="no positives"), proportion(1, 10), 0., miss_weight=1) == pytest.approx(10)
    for bad in (dict(prevalence=2, miss_weight=1), dict(prevalence=.5, miss_weight=-1)):
        with pytest.raises(ValueError): expected_harm(proportion(1, 9), proportion(1, 9), bad.pop("prevalence"), **bad)


def test_seed_score_saturates():
    assert seed_safety_score(.1, 0, 0) == seed_safety_score(1, 1, 1) == 0 and seed_safety_score(0, 0, 0) == 1


def test_needs_calls_of_two_classes():
    with pytest.raises(ValueError, match="not 3 classes"):
        clinical_safety(Predictions(["a", "b", "c"], [0, 1, 2], y_pred=[0, 1, 2], classes=("a", "b", "c")))
    with pytest.raises(ValueError, match="needs calls"):
        clinical_safety(Predictions(["a", "b"], [0, 1], [[.1], [.9]], kind="score") if False else _scored())


def _scored(): return Predictions(["a", "b"], [0, 1], np.array([.3, 4.]), kind="score")
