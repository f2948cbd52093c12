"Bubbles: rates over their true denominators, harm within wells, what is missing and what is wrong"
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score, precision_score, recall_score

from mic_eval.core.intervals import newcombe, tango
from mic_eval.core.results import NotApplicable, Result, from_json, to_json
from mic_eval.core.tables import Predictions
from mic_eval.data.scenes import BUBBLE_TYPES
from mic_eval.mic.bubbles import (DETECTION, bubble_detection, bubble_harm, bubble_localisation, evaluate_bubbles,
                                  mean_score, plot_bubbles,
                                  rows_together)

KINDS = list(BUBBLE_TYPES)


def table(n=300, kinds=KINDS, seed=0, twins=False):
    rng = np.random.default_rng(seed)
    kind = rng.choice(["", *kinds], n)
    bubble = (kind != "").astype(int)
    y = rng.integers(0, 2, n)
    conf = np.clip(rng.normal(.3+.4*bubble, .2), 0, 1)
    ids = np.array([f"W{i//2}" for i in range(n)]) if twins else np.arange(n).astype(str)
    return Predictions(ids, y, np.clip(rng.normal(.2+.6*y, .3), 0, 1),
                       variant=np.arange(n).astype(str) if twins else None,
                       outputs=dict(bubble_confidence=conf), facts=pd.DataFrame(dict(bubble=bubble, bubble_type=kind)))


def test_rates_agree_with_scikit_learn():
    p = table()
    d = bubble_detection(p)
    truth, call, kind = p.fact("bubble"), (p.outputs["bubble_confidence"] > .5).astype(int), p.fact("bubble_type")
    for k in KINDS:
        m, s = np.isin(kind, ["", k]), d.scenarios[k]
        assert (s.precision, s.recall, s.f1) == pytest.approx((precision_score(truth[m], call[m]),
                                                               recall_score(truth[m], call[m]),
                                                               f1_score(truth[m], call[m])))
        assert s.false_positive_rate.n == (truth[m] == 0).sum()
        assert s.false_negative_rate.n == s.recall.n == (truth[m] == 1).sum()
    assert d.pooled.recall == pytest.approx(recall_score(truth, call))
    assert d.pooled.false_positive_rate.n == (truth == 0).sum()
    for m in DETECTION:
        assert d.macro[m] == pytest.approx(np.mean([d.scenarios[k][m] for k in KINDS]))
        assert d.macro[m].lo < d.macro[m] < d.macro[m].hi
    assert d.worst.recall.score == min(d.scenarios[k].recall for k in KINDS)
    assert d.worst.false_positive_rate.score == max(d.scenarios[k].false_positive_rate for k in KINDS)


def test_the_seeds_example():
    "Its own formulas give 0.778, 0.875, 0.824, 0.2, 0.1"
    p = Predictions(np.arange(10).astype(str), [0]*10, y_pred=[0]*10,
                    outputs=dict(bubble_confidence=np.array([.9, .1, .9, .9]+[.1]*6)),
                    facts=pd.DataFrame(dict(bubble=[1, 1]+[0]*8)))
    d = bubble_detection(p).pooled
    assert [float(d[k]) for k in ("precision", "recall", "f1", "false_positive_rate",
                                  "false_negative_rate")] == pytest.approx([1/3, .5, .4, .25, .5])


def test_what_is_absent_is_said_and_the_rest_goes_on():
    d = bubble_detection(table(kinds=KINDS[:2]))
    assert [isinstance(d.scenarios[k], NotApplicable) for k in KINDS] == [False, False, True, True, True]
    assert d.macro.recall.defined
    assert isinstance(bubble_detection(table(kinds=KINDS[:1])).macro, NotApplicable)
    p = table()
    assert bubble_detection(replace(p, outputs={})).reason.startswith("unsupported")
    assert "no column 'bubble'" in bubble_detection(replace(p, facts=p.facts[[]])).reason
    r = evaluate_bubbles(replace(p, outputs={}))
    assert isinstance(r.detection, NotApplicable)
    assert isinstance(r.harm, Result) and r.localisation.reason == "no saliency maps"
    none = bubble_detection(p[p.fact("bubble") == 0])
    assert none.pooled.recall.reason == "no positives"
    assert none.pooled.false_positive_rate.defined and not none.pooled.auroc.defined


def test_no_head_is_never_replaced_by_calls_of_no_growth():
    p = replace(table(), outputs={})
    assert not any("recall" in "/".join(path) for path, _ in evaluate_bubbles(p).walk())


@pytest.mark.parametrize("change, says", [(dict(bubble=[2]), "bubble must be 0, 1 or empty"),
                                          (None, "bubble_confidence must lie between 0 and 1")])
def test_bad_input(change, says):
    p = Predictions(["a", "b"], [0, 1], y_pred=[0, 1], outputs=dict(bubble_confidence=np.array([.5, 1.5])),
                    facts=pd.DataFrame(dict(bubble=[0, 1])))
    if change: p = replace(p, facts=pd.DataFrame(dict(bubble=[0, 2])))
    with pytest.raises(ValueError, match=says): bubble_detection(p)


def test_harm_within_wells_is_the_paired_difference():
    rng = np.random.default_rng(1)
    n, y = 80, np.tile([0, 1], 40)
    with_b, without = rng.integers(0, 2, n), (rng.uniform(size=n) < .3).astype(int)
    p = Predictions([f"W{i}" for i in range(n)]*2, np.r_[y, y], y_pred=np.r_[with_b, without], variant=["b"]*n+["c"]*n,
                    facts=pd.DataFrame(dict(bubble=[1]*n+[0]*n, bubble_type=[KINDS[0]]*n+[""]*n)))
    h = bubble_harm(p, groups=None)["all"]
    for cls, part in ((0, h.false_growth), (1, h.missed_growth)):
        a, b = (with_b != y)[y == cls], (without != y)[y == cls]
        lo, hi = tango((a & ~b).sum(), (~a & b).sum(), len(a))
        assert part.pairs == 40
        assert part.difference == pytest.approx(a.mean()-b.mean())
        assert (part.difference.lo, part.difference.hi) == pytest.approx((lo, hi))


def test_harm_without_twins_says_so():
    p = table()
    h = bubble_harm(p, groups=None)["all"].false_growth
    y, wrong, b = p.y_true == 0, p.y_pred == 1, p.fact("bubble") == 1
    k1, n1, k2, n2 = (y & wrong & b).sum(), (y & b).sum(), (y & wrong & ~b).sum(), (y & ~b).sum()
    assert h.pairs == 0
    assert "different wells" in h.difference.method
    assert (h.difference.lo, h.difference.hi) == pytest.approx(newcombe(k1, n1, k2, n2))
    lone = bubble_harm(p[(p.fact("bubble") == 1) & (p.y_true == 0)])["all"]
    assert lone.missed_growth.reason == "no wells with growth"
    assert isinstance(lone.false_growth.difference, NotApplicable)
    assert bubble_harm(p[p.fact("bubble") == 0]).reason == "no wells with a bubble"


def test_rows_of_one_well_belong_together():
    p = table(twins=True)
    assert (rows_together(p) == p.sample_id).all() and rows_together(p, None) is None and rows_together(table()) is None
    assert bubble_detection(p).pooled.recall.groups is not None


def test_localisation_knows_chance_and_refuses_other_sizes():
    rng = np.random.default_rng(0)
    masks = np.zeros((200, 20, 20), bool)
    masks[:, :10, :10] = True
    noise = bubble_localisation(rng.uniform(size=masks.shape), masks)
    assert noise.mass_inside == pytest.approx(.25, abs=.02)
    assert noise.pointing_game.lo < .25 < noise.pointing_game.hi and noise.area == .25
    exact = bubble_localisation(masks*1., masks)
    assert exact.pointing_game == exact.mass_inside == 1
    with pytest.raises(ValueError, match="the same"): bubble_localisation(np.zeros((2, 5, 5)), np.zeros((2, 6, 6)))
    with pytest.raises(ValueError, match="nan"): bubble_localisation(np.full((1, 5, 5), np.nan), np.ones((1, 5, 5)))
    blank = bubble_localisation(np.zeros((3, 5, 5)), np.ones((3, 5, 5)))
    assert blank.left_out == 3 and isinstance(blank.pointing_game, NotApplicable)
    negative = bubble_localisation(np.where(masks, 1., -5.), masks)
    assert negative.mass_inside == 1


def test_localisation_by_kind_from_the_table():
    p = table(60)
    p = replace(p, outputs=p.outputs | dict(saliency=np.random.default_rng(0).uniform(size=(60, 8, 8))))
    masks = np.zeros((60, 8, 8), bool)
    masks[p.fact("bubble") == 1, :4] = True
    r = evaluate_bubbles(p, masks=masks)
    assert set(r.localisation) == {"all", *(k for k in KINDS if (p.fact("bubble_type") == k).any())}
    assert r.localisation["all"].left_out == (p.fact("bubble") == 0).sum()
    with pytest.raises(ValueError, match="different lengths"): evaluate_bubbles(p, masks=masks[:5])
    assert evaluate_bubbles(
        replace(p, outputs=dict(saliency=p.outputs["saliency"]))).localisation.reason == "no masks of the bubbles"


def test_results_survive_a_file_and_a_figure():
    r = evaluate_bubbles(table())
    assert repr(from_json(to_json(r))) == repr(r)
    assert len(plot_bubbles(r)) == 2 and len(plot_bubbles(evaluate_bubbles(replace(table(), outputs={})))) == 2


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(-100, 100), min_size=3, max_size=30))
def test_mean_interval_is_students(x):
    from scipy.stats import t
    s, a = mean_score(x), np.array(x)
    se = a.std(ddof=1)/len(a)**.5
    if se > 1e-6: assert (s.lo, s.hi) == pytest.approx(t.interval(.95, len(a)-1, a.mean(), se), abs=1e-6)
