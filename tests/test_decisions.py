"Decisions: acting with and without the model, referral, risk of single isolates."
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from mic_eval.mic.breakpoints import Breakpoints
from mic_eval.mic.decisions import act, on_off, referral_curve, series_risk, vme_ranking
from mic_eval.mic.series import mic_posterior

rng = np.random.default_rng(0)
Y = (rng.random(300) < .3).astype(int)
P = np.clip(.5*Y+.25+rng.normal(0, .15, 300), .01, .99)


def net(y, acted, t): return np.mean(acted & (y == 1))-np.mean(acted & (y == 0))*t/(1-t)


@pytest.mark.parametrize("t", [.1, .25, .5])
def test_net_benefit_by_its_definition(t):
    other = rng.integers(0, 2, 300)
    assert on_off(Y, P, threshold=t, off="all") == pytest.approx(net(Y, P >= t, t)-net(Y, np.ones(300, bool), t))
    assert on_off(Y, P, threshold=t, off="none") == pytest.approx(net(Y, P >= t, t))
    assert on_off(Y, P, threshold=t, off=other) == pytest.approx(net(Y, P >= t, t)-net(Y, other == 1, t))


def test_doing_the_same_gains_nothing():
    assert on_off(Y, P, threshold=.4, off=(P >= .4).astype(int)) == 0
    with pytest.raises(ValueError, match="off must be"): on_off(Y, P, threshold=.4, off="some")


def test_costs_imply_the_threshold():
    a = act(Y, P, miss=4, false_alarm=1)
    assert a.threshold == pytest.approx(.2)
    assert a.cost_acting_on_all == pytest.approx((Y == 0).mean()) and a.cost_acting_on_none == pytest.approx(4*Y.mean())
    assert a.cost == pytest.approx(4*np.mean((P < .2) & (Y == 1))+np.mean((P >= .2) & (Y == 0)))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(5, 60))
def test_referral_by_brute_force(seed, n):
    r = np.random.default_rng(seed)
    wrong, doubt = r.integers(0, 2, n), r.integers(0, 5, n).astype(float)
    c = referral_curve(wrong, doubt)
    assert c.x[0] == 0 and c.x[-1] == 1 and c.y[-1] == 0 and c.y[0] == pytest.approx(wrong.mean())
    for x, y, d in zip(c.x[1:-1], c.y[1:-1], c.extra["doubt"][1:-1]):
        assert x == pytest.approx(np.mean(doubt >= d)) and y == pytest.approx(np.sum(wrong[doubt < d])/n)
    assert (c.lo <= c.y+1e-12).all() and (c.hi >= c.y-1e-12).all() and (np.diff(c.y) <= 1e-12).all()


def test_referral_over_a_part_and_groups():
    of = Y == 1
    c = referral_curve((P < .5) != (Y == 0), P, of=of)
    assert c.y[0] == pytest.approx(np.mean(P[of] < .5))
    wide = referral_curve((P >= .5) != Y, P, groups=np.arange(300)//10)
    assert (wide.hi >= referral_curve((P >= .5) != Y, P).hi-1e-9).mean() > .5
    with pytest.raises(ValueError, match="no row is counted"): referral_curve([1, 0], [1, 2], of=[False, False])
    with pytest.raises(ValueError, match="too few"): referral_curve([1, 0], [1, 2], groups=["a", "b"])


def test_ranking_puts_the_doubtful_susceptible_first():
    r = vme_ranking([[.9, .45, .1], [.9, .1, .1], [.9, .9, .9]], ["S", "S", "R", "R"], ["doubt", "sure", "resistant"])
    assert r.series.tolist()[0] == "doubt" and r.p_very_major.tolist()[-1] == 0 and r.call.tolist().count("R") == 1
    assert r.p_very_major[1] == pytest.approx(mic_posterior([.9, .1, .1])[2:].sum())


def test_risk_of_series_with_different_panels():
    wells = pd.DataFrame(dict(series=list("aaabbbcccc"), drug=["X"]*6+["Y"]*4,
                              concentration=[1, 2, 4, .5, 1, 2, 1, 2, 4, 8], role="test"))
    bp = Breakpoints(pd.DataFrame(dict(drug=["X", "Y"], S=[1, 2], R=[1, 4])))
    p = [.9, .2, .1, .8, .3, .2, .9, .6, np.nan, .1]
    r = series_risk(wells, p, bp, call=dict(a="R", b="S", c="S")).set_index("series")
    # S<=1 R>1: 2 and >2 are R
    assert r.p_very_major["a"] == 0 and r.p_very_major["b"] == pytest.approx(mic_posterior(p[3:6])[2:].sum())
    assert r.p_very_major["c"] == pytest.approx(mic_posterior(p[6:])[3:].sum())   # Y: R above 4, so 8 and >8
    assert len(series_risk(wells, p, Breakpoints(pd.DataFrame(dict(drug=["Z"], S=[1]))))) == 0
