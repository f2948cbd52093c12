"Agreement: stored values of irrCAC, krippendorff, statsmodels and pingouin; scikit-learn live; properties; bad input."
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st
from hypothesis.extra.numpy import arrays

from mic_eval.metrics.agreement import (Ratings, _coefficient, brennan_prediger, cohen_kappa,
                                        confidence_weighted_agreement, conger_kappa,
                                        fleiss_kappa, gwet_ac, icc, krippendorff_alpha, leave_one_rater_out, pairwise,
                                        percent_agreement)
from mic_eval.metrics.ratings import consensus, expand_counts, rating_table

here = Path(__file__).parent / "oracles"
sys.path.insert(0, str(here))
from agreement import panel
from every import every

oracle = json.loads((here / "agreement.json").read_text())
tables = dict(whole=panel(60, 4, 0., 1), holes=panel(60, 4, .2, 2))
ours = dict(fleiss=fleiss_kappa, conger=conger_kappa, gwet=gwet_ac, bp=brennan_prediger)
many = [percent_agreement, fleiss_kappa, conger_kappa, gwet_ac, brennan_prediger, krippendorff_alpha]


@every("key", [k for k in oracle if k.split()[-1] in ours and k.split()[0] in tables])
def test_irrcac_value(key):
    table, weights, peer = key.split()
    assert float(ours[peer](tables[table], weights=None if weights == "identity" else weights,
                            ci=None)) == pytest.approx(oracle[key]["value"], abs=6e-6)


@pytest.mark.parametrize("peer", ours)
@pytest.mark.parametrize("weights", ["identity", "linear", "quadratic"])
def test_irrcac_standard_error(peer, weights, monkeypatch):
    "The influence of the items gives Gwet's standard error; the two added items are the only difference"
    import mic_eval.metrics.ratings as a
    seen = {}
    monkeypatch.setattr(a, "pull_variance", lambda psi, calm, codes=None,
                        G=None: seen.setdefault("var", psi @ psi/(len(psi)*(len(psi)-1))))
    ours[peer](tables["whole"], weights=None if weights == "identity" else weights)
    assert seen["var"]**.5 == pytest.approx(oracle[f"whole {weights} {peer}"]["se"], rel=2e-3)


@every("table", tables)
@every("level", ["nominal", "ordinal", "interval", "ratio"])
def test_alpha(table, level):
    assert float(krippendorff_alpha(tables[table]+1, level,
                                    ci=None)) == pytest.approx(oracle[f"{table} alpha {level}"], abs=1e-12)


@pytest.mark.parametrize("level", ["nominal", "interval"])
def test_alpha_standard_error_is_the_jackknife_s(level):
    x = tables["holes"]+1
    s = krippendorff_alpha(x, level)
    jack = np.array([krippendorff_alpha(np.delete(x, i, 0), level, ci=None) for i in range(len(x))])
    se = ((len(x)-1)/len(x)*((jack-jack.mean())**2).sum())**.5
    assert (s.hi-s.lo)/2/2.0 == pytest.approx(se, rel=.06)


def test_alpha_of_a_matrix_of_differences_is_that_of_the_level():
    x = tables["holes"]
    d = np.subtract.outer(np.arange(4), np.arange(4))**2
    assert krippendorff_alpha(x, d, ci=None) == pytest.approx(krippendorff_alpha(x, "interval", ci=None))
    assert krippendorff_alpha(
        x, 1.-np.eye(4)).as_dict() | dict(method="") == krippendorff_alpha(x).as_dict() | dict(method="")


def test_statsmodels():
    x = tables["whole"].astype(int)
    assert fleiss_kappa(x, ci=None) == pytest.approx(oracle["statsmodels fleiss"])
    for w in (None, "linear", "quadratic"):
        assert cohen_kappa(x[:, 0], x[:, 1], weights=w,
                           ci=None) == pytest.approx(oracle[f"statsmodels cohen {w}"]["value"])


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_cohen_like_sklearn(weights):
    from sklearn.metrics import cohen_kappa_score
    rng = np.random.default_rng(0)
    a = rng.integers(0, 4, 300)
    b = np.where(rng.random(300) < .3, rng.integers(0, 4, 300), a)
    w = rng.integers(1, 4, 300)
    assert cohen_kappa(a, b, weights=weights, ci=None) == pytest.approx(cohen_kappa_score(a, b, weights=weights))
    assert cohen_kappa(a, b, weights=weights, ci=None,
                       sample_weight=w) == pytest.approx(cohen_kappa_score(a, b, weights=weights, sample_weight=w))
    counted, repeated = cohen_kappa(a, b, weights=weights, sample_weight=w,
                                    frequency=True), cohen_kappa(np.repeat(a, w), np.repeat(b, w), weights=weights)
    assert (counted.lo, counted.hi, counted.n) == pytest.approx((repeated.lo, repeated.hi, repeated.n))
    assert conger_kappa(np.stack([a, b], 1), weights=weights,
                        ci=None) == pytest.approx(cohen_kappa(a, b, weights=weights, ci=None))
    two, one = conger_kappa(np.stack([a, b], 1), weights=weights), cohen_kappa(a, b, weights=weights)
    # the jackknife of the coefficient, and of the table
    assert (two.lo, two.hi) == pytest.approx((one.lo, one.hi), abs=.04)


def test_icc_like_pingouin():
    y = np.random.default_rng(3).normal(size=(20, 1))+np.random.default_rng(4).normal(size=(20, 4))*.7+[0, .5, 1, 1.5]
    for theirs, model in {"ICC(1,1)": "1,1", "ICC(A,1)": "2,1", "ICC(C,1)": "3,1", "ICC(1,k)": "1,k",
                          "ICC(A,k)": "2,k", "ICC(C,k)": "3,k"}.items():
        s = icc(y, model)
        assert s == pytest.approx(oracle["icc"][theirs]["value"], abs=1e-9)
        assert [round(s.lo, 2), round(s.hi, 2)] == oracle["icc"][theirs]["ci"]


ratings = arrays(float, st.tuples(st.integers(2, 12), st.integers(2, 5)),
                 elements=st.sampled_from([0., 1., 2., np.nan]))


@settings(max_examples=60, deadline=None)
@given(ratings)
@example(np.array([[0, 1], [1, np.nan], [1, np.nan], [1, np.nan]]))   # one pair, and it disagrees
def test_bounds_order_and_repetition(x):
    if np.isnan(x).all(): return
    for f in many:
        s = f(x)
        if s != s: assert s.reason; continue
        assert np.isfinite(s) and s <= 1+1e-12   # -pe/(1-pe) at least: no bound below
        if s.lo == s.lo: assert s.lo-1e-9 <= s <= s.hi+1e-9 and s.hi <= 1
        rng = np.random.default_rng(0)
        assert f(x[rng.permutation(len(x))], ci=None) == pytest.approx(s, abs=1e-9)
        # who said it does not matter
        if f is not conger_kappa: assert f(np.sort(x, 1), ci=None) == pytest.approx(s, abs=1e-9)
        if f is not krippendorff_alpha: assert f(np.tile(x, (3, 1)), ci=None) == pytest.approx(s, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(ratings)
def test_ordinal_alpha_ignores_spacing(x):
    if np.isnan(x).all(): return
    a, b = krippendorff_alpha(x, "ordinal", ci=None), krippendorff_alpha(np.exp(x), "ordinal", ci=None)
    assert a == pytest.approx(b, nan_ok=True)
    if a == a:
        assert krippendorff_alpha(5*x, "interval", ci=None) == pytest.approx(krippendorff_alpha(x, "interval",
            ci=None), nan_ok=True)


def test_perfect_agreement_leaves_a_doubt():
    x = np.tile(np.arange(30)[:, None] % 3, 4)
    for f in many:
        s = f(x)
        assert s == 1 == s.hi and .5 < s.lo < .95
    assert cohen_kappa(x[:, 0], x[:, 1]).lo < .95


def test_groups():
    rng = np.random.default_rng(1)
    x = np.repeat(panel(25, 3, 0, 5), 8, 0)
    g = np.repeat(np.arange(25), 8)
    for f in many:
        plain, grouped = f(x), f(x, groups=g)
        assert grouped.groups == 25 and grouped.hi-grouped.lo > 1.8*(plain.hi-plain.lo)
        assert "too few groups" in f(x[:24], groups=g[:24]).reason
    a, b = x[:, 0].astype(int), x[:, 1].astype(int)
    two, one = conger_kappa(np.stack([a, b], 1), groups=g), cohen_kappa(a, b, groups=g)
    # the jackknife of the coefficient, and of the table
    assert (two.lo, two.hi) == pytest.approx((one.lo, one.hi), abs=.04)
    assert icc(x+rng.normal(size=x.shape)*.1, groups=g).groups == 25


@every("f", many)
def test_items_that_nobody_rated_change_nothing(f):
    "Else a table would be as sure as it is long"
    x, g = tables["holes"], np.arange(60)//4
    for at in ([0, 7, 60], [5]*500):
        longer, more = np.insert(x, at, np.nan, axis=0), np.insert(g, at, 99)
        for how in (dict(), dict(groups=g), dict(method="bootstrap", n_resamples=50)):
            a, b = f(x, **how), f(longer, **(how | (dict(groups=more) if "groups" in how else {})))
            assert (float(b), b.lo, b.hi) == pytest.approx((float(a), a.lo, a.hi), abs=1e-12)
            assert (a.n, a.groups, a.method) == (b.n, b.groups, b.method)


def test_bootstrap_is_near_the_closed_form():
    x = panel(150, 4, 0, 6)[:, :3]
    for f in (fleiss_kappa, krippendorff_alpha, gwet_ac):
        a, b = f(x), f(x, method="bootstrap", n_resamples=300, seed=1)
        assert (a.lo, a.hi) == pytest.approx((b.lo, b.hi), abs=.03) and float(a) == b
        assert f(x, method="bootstrap", n_resamples=50, seed=2).as_dict() == f(x, method="bootstrap", n_resamples=50,
            seed=2).as_dict()


def test_kinds_of_input():
    x = [["S", "S", None], ["R", "R", "R"], ["I", "S", np.nan], ["R", "R", "I"]]
    assert rating_table(x).m.tolist() == [2, 3, 2, 3]
    import pandas as pd
    assert float(fleiss_kappa(x)) == float(fleiss_kappa(pd.DataFrame(x))) == float(fleiss_kappa(x,
        labels=["S", "I", "R"]))
    assert krippendorff_alpha(x, "ordinal", labels=["S", "I", "R"]) > krippendorff_alpha(x, "ordinal",
        labels=["S", "R", "I"])
    assert float(gwet_ac([[0, 1], [1, 1]])) == float(gwet_ac([[False, True],
                                                              [True, True]])) == float(gwet_ac([[0., 1.], [1., 1.]]))
    assert rating_table(np.array([[5, 9], [9, 5]])).values.tolist() == [5, 9]
    assert float(krippendorff_alpha(np.random.default_rng(0).normal(size=(50, 1))
                                    +np.random.default_rng(1).normal(size=(50, 3))*.1, "interval")) > .9
    assert krippendorff_alpha(np.arange(1, 301).reshape(100, 3), "ratio", ci=None) > .9
    assert gwet_ac([[0, 0]]*5+[[0, 1]], labels=[0, 1, 2]) > gwet_ac([[0, 0]]*5+[[0, 1]])   # unused categories count
    assert fleiss_kappa(expand_counts([[2, 0], [1, 1], [0, 2]])) == fleiss_kappa([[0, 0], [0, 1], [1, 1]])


@every("call, words", [
    (lambda: fleiss_kappa([0, 1]), "items in rows and raters in columns"),
    (lambda: fleiss_kappa(np.empty((0, 2))), "empty"),
    (lambda: fleiss_kappa([[1], [2]]), "at least two raters"),
    (lambda: fleiss_kappa([[np.nan, None]]), "every rating is missing"),
    (lambda: fleiss_kappa([[1, 2], [np.inf, 1]]), "infinite in row 1"),
    (lambda: fleiss_kappa([["a", "b"]], weights="linear"), "say labels="),
    (lambda: fleiss_kappa([[0, 1]], weights="cubic"), "weights must be"),
    (lambda: fleiss_kappa([[0, 1]], weights=np.eye(3)), "2 categories"),
    (lambda: fleiss_kappa([[0, 1]], weights=[[1, .5], [.4, 1]]), "symmetric"),
    (lambda: fleiss_kappa([[0, 1], [1, 1]], groups=[1]), "ratings 2, groups 1"),
    (lambda: fleiss_kappa([[0, 1], [1, 1]], method="delta"), "unknown interval method"),
    (lambda: krippendorff_alpha([[0, 1]], "cardinal"), "level must be"),
    (lambda: krippendorff_alpha([["a", "b"]], "interval"), "need numbers"),
    (lambda: krippendorff_alpha([[-1, 2], [1, 1]], "ratio"), "negative"),
    (lambda: cohen_kappa([0, 1], [0]), "a 2, b 1"),
    (lambda: cohen_kappa(["S", "R"], ["S", "S"]), "a is text"),
    (lambda: cohen_kappa([0, np.nan], [0, 1]), "a is nan or infinite in row 1"),
    (lambda: confidence_weighted_agreement([0, 1], [0, 1], [.5, -1]), "confidence must lie between"),
    (lambda: icc([[1, 2], [np.nan, 3]]), "nan or infinite in row 1"),
    (lambda: icc([[1, 2], [2, 3]], "4,1"), "model must be"),
    (lambda: icc([[1, 2]]), "two items"),
    (lambda: pairwise([[0, 1]], names=["a"]), "1 names for 2 raters"),
])
def test_bad_input(call, words):
    with pytest.raises(ValueError, match=words): call()


def test_undefined_says_why():
    assert "one category" in cohen_kappa([1, 1], [1, 1]).reason and "one category" in fleiss_kappa([[1, 1]]).reason
    assert gwet_ac([[1, 1], [1, 1]]) == 1 and "one item" in gwet_ac([[1, 1]]).reason
    assert "do not vary" in icc([[1, 1], [1, 1]]).reason and "residual" in icc([[1, 2], [2, 3], [4, 5]], "3,1").reason
    assert confidence_weighted_agreement([0, 1], [0, 1], [0, 0]).reason == "confidence is 0 in every row"
    assert pairwise([[0, None], [None, 1]]).pairs["rater 0 - rater 1"].reason == "no item in common"


def test_consensus_leaves_the_rater_out():
    x = [[1, 1, 0], [0, 0, 0], [1, 0, 1], [0, 1, 1], [1, None, 0]]
    assert consensus(x).tolist() == [1, 0, 1, 1, None]
    r = leave_one_rater_out([[1, 1, 0], [0, 0, 1], [1, 1, 0], [0, 0, 1]], names="ABC")
    assert r.against_rest["C"] == -1 and r.without["C"] == 1


def test_stacks_of_tables():
    from mic_eval.metrics.agreement import _cohen
    from mic_eval.metrics.confusion import Confusion
    m = np.random.default_rng(0).integers(0, 9, (7, 3, 3))
    from mic_eval.metrics.ratings import category_weights
    near = category_weights("linear", np.arange(3), True)
    one = [float(_cohen(Confusion(o), near)[0]) for o in m]
    assert _cohen(Confusion(m), near)[0] == pytest.approx(one)


@every("x", [np.array([[0, 1], [1, 1]], bool), np.array([[-100, 27], [27, 27]]),
             np.array([[200, 255], [255, 255]], np.uint8), np.array([[0, 5], [9, 5]]),
             np.array([[10**12, 3], [3, 3]]), np.repeat([[1, 2], [2, 2], [7, 1]], 9000, 0)])
def test_whole_numbers_are_coded_alike(x):
    fast, slow = rating_table(x), rating_table(x.astype(float))
    assert fast.values.tolist() == slow.values.tolist()
    assert (fast.codes == slow.codes).all() and (fast.counts == slow.counts).all()
