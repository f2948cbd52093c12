"Ranks over data sets: scipy live, stored scikit-posthocs, properties, bad input."
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from mic_eval.metrics.ranks import against, critical_difference, friedman, nemenyi, plot_ranks, ranks, tied_groups

here = Path(__file__).parent / "oracles"
sys.path.insert(0, str(here))
from nemenyi import grid
from every import every

oracle = json.loads((here / "nemenyi.json").read_text())
small = arrays(float, st.tuples(st.integers(2, 7), st.integers(2, 5)), elements=st.sampled_from([0., .25, .5, .75, 1.]))


@settings(max_examples=60, deadline=None)
@given(small)
def test_ranks_and_friedman_like_scipy(x):
    assert ranks(x, better="lower") == pytest.approx(stats.rankdata(x, axis=1))
    t = friedman(x, method="chi2")
    if x.shape[1] > 2 and t.effect == t.effect:
        r = stats.friedmanchisquare(*x.T)
        assert (t.statistic, t.p) == pytest.approx((r.statistic, r.pvalue))
        assert -1e-12 <= t.effect <= 1+1e-12
    f = friedman(x)
    assert 0 <= f.p <= 1 and friedman(-x, better="lower").p == f.p and friedman(np.exp(x)).p == pytest.approx(f.p)
    assert friedman(x[:, ::-1]).p == pytest.approx(f.p)
    if f.effect.lo == f.effect.lo: assert 0 <= f.effect.lo <= f.effect.hi <= 1


def test_nemenyi_like_scikit_posthocs():
    r = nemenyi(grid())
    assert r.p.to_numpy() == pytest.approx(np.array(oracle["nemenyi"]), abs=1e-6)
    m = list(r.mean_ranks.values())
    assert m == sorted(m)
    p, mean = r.p.to_numpy(), ranks(grid()).mean(0)
    apart = np.abs(mean[:, None]-mean) > r.critical_difference
    assert ((p < .05) == apart).all()


def test_demsar_s_example_of_the_critical_difference():
    assert critical_difference(5, 30) == pytest.approx(2.728*np.sqrt(5*6/(6*30)), abs=2e-3)
    assert critical_difference(4, 14, alpha=.10) == pytest.approx(2.291*np.sqrt(4*5/(6*14)), abs=2e-3)


def test_two_models_are_a_sign_test():
    x = np.array([[1, 0]]*9+[[0, 1]]*3)
    assert friedman(x, method="chi2").statistic == pytest.approx((9-3)**2/12)


def test_all_alike_and_all_level():
    alike = friedman([[3, 2, 1]]*5)
    assert alike.p == 1/6**4 and alike.effect == 1 and "alike" in alike.effect.reason
    level = friedman(np.ones((4, 3)))
    assert level.p == 1 and np.isnan(level.effect)


def test_tied_groups_cover_everybody():
    for m in ([1.], [1, 2, 3], [1, 1.1, 1.2, 4]):
        g = tied_groups(m, .5)
        assert set(i for a, b in g for i in range(a, b)) == set(range(len(m)))


def test_against_and_names():
    import pandas as pd
    x = pd.DataFrame(grid(), columns=list("abcd"))
    r = against(x, "a")
    assert list(r) == ["b", "c", "d"] and all(o.adjusted >= o.p for o in r.values()) and against(x, 0) == r
    assert list(friedman(x).mean_ranks) == list(nemenyi(x).mean_ranks)
    assert plot_ranks(x).get_xlabel().startswith("average rank")
    import matplotlib.pyplot as plt
    plt.close("all")


@every("call, words", [
    (lambda: friedman([1, 2, 3]), "data sets in rows"),
    (lambda: friedman([[1], [2]]), "at least two models"),
    (lambda: friedman([[1, 2], [np.nan, 1]]), "row 1 has none for model 0"),
    (lambda: friedman([[1, 2], [np.inf, 1]]), "scores is nan or infinite in row 1"),
    (lambda: friedman([[1, 2]], names=["a"]), "1 names for 2 models"),
    (lambda: ranks([[1, 2]], better="up"), "better must be"),
    (lambda: friedman([[1, 2]], method="t"), "method must be"),
    (lambda: against([[1, 2]], "z"), "reference must be one of"),
    (lambda: critical_difference(1, 3), "two models"),
])
def test_bad_input(call, words):
    with pytest.raises(ValueError, match=words): call()
