"Slices against exact tests, false discoveries under no effect, and what cannot be judged."
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from mic_eval.core.results import from_json, to_json
from mic_eval.core.tables import Predictions
from mic_eval.robust.edge_cases import (_fisher, _grouped_p, abstention, edge_case_handling, evaluate_edge_cases,
                                        failure_gallery, failures, out_of_distribution, plot_slices, row_confidence,
                                        slices)


def table(n=1200, seed=0, rate=lambda f: .05):
    rng = np.random.default_rng(seed)
    f = pd.DataFrame(dict(drug=rng.choice(list("ABCD"), n), site=rng.choice(["x", "y", None], n), od=rng.random(n),
                          plate=[f"p{i % 30}" for i in range(n)]))
    y, wrong = rng.integers(0, 2, n), rng.random(n) < rate(f)
    return Predictions(np.arange(n), y, np.where(wrong == (y == 0), .9, .1), facts=f)


def test_p_is_fishers():
    for e, k, E, n in [(5, 40, 12, 400), (0, 30, 3, 100), (9, 30, 9, 90)]:
        assert np.isclose(_fisher(e, k, E, n), stats.fisher_exact([[e, k - e], [E - e, n - k - E + e]],
                                                                  alternative="greater").pvalue)


def test_counts_are_those_of_pandas():
    p = table()
    t = slices(p, facts=["drug", "site"]).set_index("slice")
    wrong = pd.Series(p.y_pred != p.y_true)
    for (d, s), w in wrong.groupby([p.facts.drug, p.facts.site.fillna("missing")]):
        row = t.loc[f"drug {d} and site {s}"]
        assert (row.n, row.errors) == (len(w), w.sum())
        rest = wrong.drop(w.index)
        assert np.isclose(row.rest, 1 - rest.mean()) and row.lo <= row.accuracy <= row.hi
    assert "drug A" in t.index and "site missing" in t.index and not (t.n < 30).any()


@pytest.mark.later
def test_false_discoveries_are_rare_without_an_effect():
    assert sum(slices(table(600, s), facts=["drug", "site", "od"]).found.any() for s in range(20)) <= 3
    assert sum(slices(table(600, s), facts=["drug", "site"], groups="plate").found.any() for s in range(20)) <= 3


def test_the_planted_corner_is_found_with_and_without_groups():
    p = table(3000, 1, lambda f: np.where((f.drug == "B") & (f.site == "y"), .4, .04))
    for groups in None, "plate": assert slices(p, facts=["drug", "site"], groups=groups).slice[0] == "drug B and site y"


def test_one_bad_plate_is_one_event():
    p = table(1200, 2, lambda f: np.where(f.plate == "p3", .9, .02))
    t = slices(p, facts=["plate", "drug"], groups="plate").set_index("slice")
    assert np.isnan(t.p["plate p3"]) and np.isnan(t.lo["plate p3"]) and not t.found.any()
    assert slices(p, facts=["plate"]).slice[0].startswith("plate p3")


def test_grouped_p_with_one_row_a_group_is_near_the_plain_one():
    rng = np.random.default_rng(0)
    inside, error = rng.random(2000) < .3, (rng.random(2000) < .1).astype(float)
    plain = _fisher(error[inside].sum(), inside.sum(), error.sum(), 2000)
    assert abs(_grouped_p(inside, error, np.arange(2000), 2000) - plain) < .06


def test_the_same_rows_stand_once_and_constant_facts_not_at_all():
    p = table()
    q = Predictions(p.sample_id, p.y_true, p.scores, facts=p.facts[["drug"]].assign(again=p.facts.drug, one="c"))
    t = slices(q)
    assert t.slice.map(lambda s: "again" not in s or "and" in s).all() and not t.slice.str.contains("one c").any()


def test_degenerate_tables_give_empty_or_say_why():
    p = table()
    assert len(slices(p[:10])) == 0 and plot_slices(slices(p[:10])).get_xlabel()
    right = Predictions(p.sample_id, p.y_true, p.y_true * 1., facts=p.facts)
    assert not slices(right).found.any() and "no errors" in abstention(right).error_auroc.reason
    with pytest.raises(ValueError, match="depth"): slices(p, depth=3)
    with pytest.raises(ValueError, match="no labelled"): slices(Predictions(["a"], [-1], [.5]))
    with pytest.raises(ValueError, match="no calls"): slices(Predictions(["a"], [1], [2.], kind="score"))
    assert not abstention(Predictions(["a"], [1], y_pred=[1]))


def test_confidence_is_the_models_own_where_there_is_one():
    p = Predictions(["a", "b"], [1, 0], [.9, .4], outputs=dict(uncertainty=np.array([.2, .7])))
    assert np.allclose(row_confidence(p)[0], [-.2, -.7])
    assert np.allclose(row_confidence(Predictions(["a", "b"], [1, 0], [.9, .4]))[0], [.9, .6])


def test_ood_is_sklearns_auroc_and_counts_at_the_threshold():
    rng = np.random.default_rng(0)
    v, w = rng.normal(1, 1, 400), rng.normal(-.5, 1, 150)
    o = out_of_distribution(v, w)
    assert np.isclose(o.auroc, roc_auc_score(np.r_[np.zeros(400), np.ones(150)], -np.r_[v, w]))
    assert (v >= o.threshold).mean() >= .95 > (v > o.threshold).mean() and o.fpr95.k == (w >= o.threshold).sum()
    assert o.fpr95.lo < o.fpr95 < o.fpr95.hi
    fixed = out_of_distribution(v, w, threshold=o.threshold)
    assert fixed.fpr95.hi - fixed.fpr95.lo < o.fpr95.hi - o.fpr95.lo and fixed["valid kept"].n == 400


def test_interval_of_fpr95_covers():
    hit, truth = 0, stats.norm.sf(stats.norm.ppf(.05, 1), -.5)
    for s in range(100):
        rng = np.random.default_rng(s)
        f = out_of_distribution(rng.normal(1, 1, 200), rng.normal(-.5, 1, 100)).fpr95
        hit += f.lo <= truth <= f.hi
    assert hit >= 93


def test_handling_counts_refusals_only_where_they_are_right():
    p = Predictions(list("abcd"), [1, 1, -1, -1], [.9, .6, .9, .6],
                    facts=pd.DataFrame(dict(edge_case=["glare", "glare", "invalid", "haze"])))
    h = edge_case_handling(p, least=.8)
    assert (h.edge_case_handling.k, h.edge_case_handling.n, h.unlabelled) == (1, 3, 1) and h.worst_kind == "invalid"
    assert edge_case_handling(p).edge_case_handling.k == 2 and h.by_kind.haze.reason
    assert "no edge cases" in edge_case_handling(p, edge="corner").reason
    assert edge_case_handling(p, groups=None).by_kind.glare.n == 2


def test_all_of_it_round_trips_and_serves_the_release_profile():
    p = table()
    p = Predictions(p.sample_id, p.y_true, p.scores,
                    facts=p.facts.assign(edge_case=np.where(np.arange(len(p)) < 50, "glare", "")))
    r = evaluate_edge_cases(p, facts=["drug"])
    assert r.edge_case_handling.edge_case_handling.n == 50 and to_json(from_json(to_json(r))) == to_json(r)


def test_failures_are_the_surest_errors_of_the_worst_causes():
    f = pd.DataFrame(dict(condition=["dim"] * 3 + ["clean"] * 3))
    p = Predictions(list("abcdef"), [1, 1, 0, 1, 1, 0], [.4, .1, .2, .9, .3, .1], facts=f)
    assert {k: p.sample_id[v].tolist() for k, v in failures(p).items()} == {"dim": ["b", "a"], "clean": ["e"]}
    fig = failure_gallery(p, lambda q: np.zeros((len(q), 8, 8)), n=3)
    assert len(fig.axes) == 6 and failure_gallery(p[[2, 3]], None) is None
