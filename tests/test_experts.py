"Experts: columns, agreement, the model among them, disagreements, patterns."
import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency
from sklearn.metrics import cohen_kappa_score

from mic_eval.core.results import NotApplicable
from mic_eval.mic.experts import (among_experts, disagreement_kind, disagreements, expert_agreement, expert_columns,
                                  model_among_experts, patterns)

rng = np.random.default_rng(0)
TRUTH = rng.integers(0, 2, 150)
READ = np.column_stack([np.where(rng.random(150) < e, 1-TRUTH, TRUTH) for e in (.05, .1, .2)]).astype(float)
MODEL = np.where(rng.random(150) < .08, 1-TRUTH, TRUTH)


def test_columns():
    t = pd.DataFrame(columns=["expert_1", "expert_2", "expert_anna", "expert_1_mic", "expert_1_confidence",
                              "expert_mic", "consensus_mic", "my_expert_3"])
    assert list(expert_columns(t)) == ["1", "2", "anna"]
    assert expert_columns(t, "mic") == {"1": "expert_1_mic"}
    assert expert_columns(t, "confidence") == {"1": "expert_1_confidence"}


def test_kappas_of_pairs_against_sklearn():
    m = model_among_experts(READ, MODEL)
    for j, n in enumerate("123"): assert m.against[n].kappa == pytest.approx(cohen_kappa_score(READ[:, j], MODEL))
    pairs = among_experts(READ).pairs.pairs
    assert pairs["1 - 2"] == pytest.approx(cohen_kappa_score(READ[:, 0], READ[:, 1]))


def test_consensus_never_holds_the_expert_it_is_compared_with():
    x = np.array([[0, 1, 1], [1, 0, 0], [0, 1, 1], [1, 0, 0]], float)   # expert 1 always differs from the others
    m = model_among_experts(x, x[:, 0], names=["odd", "b", "c"])
    assert m.ceiling["odd"].expert.agreement == 0 and m.against["odd"].agreement == 1
    # the others of b are level everywhere: no consensus
    assert m.ceiling["odd"].expert.agreement.n == 4 and m.ceiling["b"].expert.agreement.n == 0


def test_expert_and_model_are_judged_on_the_same_items():
    x = READ.copy(); x[::3, 2] = np.nan
    c = model_among_experts(x, MODEL).ceiling
    assert all(v.expert.agreement.n == v.model.agreement.n for v in c.values())
    assert c["3"].expert.agreement.n < c["1"].expert.agreement.n+60


def test_one_expert_or_none():
    assert isinstance(among_experts(READ[:, :1]), NotApplicable)
    m = model_among_experts(READ[:, :1], MODEL)
    assert isinstance(m.ceiling, NotApplicable) and m.consensus.kappa == m.against["1"].kappa
    assert expert_agreement(pd.DataFrame(dict(a=[1])), [1]).reason == "no columns expert_<k>"
    assert expert_agreement(pd.DataFrame(dict(a=[1])), ["1"], of="mic").reason == "no columns expert_<k>_mic"
    with pytest.raises(ValueError, match="of must be"):
        expert_agreement(pd.DataFrame(dict(expert_1=[1])), [1], of="wells")
    with pytest.raises(ValueError, match="ratings 150, model 2"): model_among_experts(READ, [0, 1])


def test_one_category_only():
    a = among_experts(np.zeros((20, 2)), labels=[0, 1])
    assert math.isnan(a.fleiss) and a.percent == 1 and a.gwet == 1   # kappa is undefined, AC1 is not


def test_kinds():
    assert disagreement_kind([1, 0, 1, np.nan], [0, 1, 1, 1]).tolist() == ["missed growth", "false growth", "", ""]
    assert disagreement_kind([0, 3, -1, 2], [0, 1, 0, np.nan], growth=False).tolist() == ["", "2 steps low",
        "1 step high", ""]


def test_list_of_disagreements_has_the_surest_first():
    t = pd.DataFrame(dict(sample_id=list("abcd"), drug="X", other=1))
    d = disagreements(t, [1, 0, 1, 0], [0, 0, 0, 1], confidence=[.6, .9, .8, .7], distance=[1, 2, 3, 4])
    assert d.sample_id.tolist() == ["c", "d", "a"]
    assert d.kind.tolist() == ["missed growth", "false growth", "missed growth"]
    assert "other" not in d and d.distance.tolist() == [3, 4, 1]


def test_residuals_are_those_of_a_contingency_table():
    kind, by = np.where(MODEL == TRUTH, "", "false growth"), rng.choice(["A", "B"], 150)
    p = patterns(kind, by).set_index("fact")
    table = pd.crosstab(by, kind)
    assert p.residual["A"]**2 == pytest.approx(chi2_contingency(table, correction=False).statistic)
    assert p.residual["A"] == pytest.approx(-p.residual["B"])
    assert p.loc["A", "count"] == table.loc["A", "false growth"] and patterns(["", ""], ["A", "B"]).empty


def test_layers():
    t = pd.DataFrame(dict(sample_id=range(150), drug=rng.choice(["A", "B"], 150), plate="P", expert_1=READ[:, 0],
                          expert_2=READ[:, 1], expert_1_confidence=rng.uniform(.5, 1, 150)))
    e = expert_agreement(t, MODEL, by=("drug", "plate", "absent"))
    assert set(e.patterns) == {"drug", "plate"}
    assert set(e.weighted) == {"1"} and e.rate["1"].k == (READ[:, 0] != MODEL).sum() and "leave_one_out" not in e.among
    s = pd.DataFrame(dict(series=list("abcd"), drug="A", expert_1_mic=["1", "2", ">8", None],
                          expert_2_mic=["1", "4", ">8", "2"]))
    e = expert_agreement(s, ["1", "8", "8", "2"], of="mic")
    assert e.rate["1"].n == 3
    assert e.disagreements["1"].kind.tolist() == ["2 steps high", "1 step low"]   # 8 where the expert wrote >8
    assert isinstance(e.weighted, NotApplicable)
    e = expert_agreement(s, ["S", "R", "R", "S"], of="category",
                         readings=dict(x=["S", "I", "R", None], y=["S", "R", "R", "S"]))
    assert e.rate["x"].k == 1 and e.rate["y"].k == 0 and e.model.against["y"].kappa == 1
