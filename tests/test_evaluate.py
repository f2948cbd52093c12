"The common table: groups chosen, breakdowns, what data cannot answer, nothing that stops the rest."
import math

import numpy as np
import pandas as pd
import pytest

from mic_eval.core import NotApplicable, Predictions, from_json, judge, to_json
from mic_eval.metrics import by_group, evaluate, scores, sensitivity, worst
from mic_eval.metrics.evaluate import default_groups, group_values


def made(n=400, plates=25, seed=0, **kw):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    p = 1/(1+np.exp(-(3*y-1.5+rng.normal(0, 1, n))))
    facts = pd.DataFrame(dict(plate=[f"P{i % plates}" for i in range(n)], drug=rng.choice(["A", "B"], n),
                              series=[f"S{i % (4*plates)}" for i in range(n)]))
    return Predictions(**dict(sample_id=np.arange(n).astype(str), y_true=y, scores=p, facts=facts) | kw)


@pytest.mark.parametrize("plates,column", [(25, "plate"), (10, "series"), (4, "series")])
def test_the_coarsest_column_with_twenty_values_groups(plates, column):
    assert default_groups(made(plates=plates)) == column


def test_rows_without_a_group_stand_with_their_plate():
    p = Predictions(["a", "b", "c"], [0, 1, 1], facts=pd.DataFrame(dict(plate=["P", "P", "Q"],
        series=["s", None, None])))
    assert len(set(group_values(p, "series"))) == 3 and group_values(p, None) is None


def test_everything_is_there_and_survives_a_file(tmp_path):
    r = evaluate(made(), n_resamples=50)
    assert set(r) == {"n", "groups", "threshold", "overall", "curves", "confusion", "class_balance", "by", "worst"}
    assert set(r.by) == {"plate", "drug"}
    back = from_json(to_json(r, tmp_path / "r.json"))
    assert to_json(back) == to_json(r) and back.overall.roc_auc.as_dict() == r.overall.roc_auc.as_dict()
    assert judge(r, "mic-release").count()["not evaluated"] == 7
    assert to_json(evaluate(made(), n_resamples=50)) == to_json(r)


def test_a_breakdown_is_the_same_question_for_each_part():
    p = made()
    r = evaluate(p, n_resamples=20)
    part = p[p.facts.drug == "A"]
    assert r.by.drug.A.sensitivity.as_dict() == sensitivity(part.y_true, part.y_pred,
                                                            groups=group_values(part, "plate")).as_dict()
    assert isinstance(evaluate(p, by=("site",), n_resamples=20).by.site, NotApplicable)
    assert "did you mean 'drug'" in by_group(p, "drugs", scores).reason


def test_unlabelled_rows_leave_every_number():
    p = made()
    y = p.y_true.copy(); y[:100] = -1
    r, rest = evaluate(made(y_true=y), n_resamples=20), p[100:]
    assert r.n.unlabelled == 100
    assert r.overall.accuracy.n == 300 and np.isclose(r.overall.roc_auc, scores(rest, ci=None).roc_auc)
    none = evaluate(made(y_true=np.full(400, -1)), n_resamples=20)
    assert none.overall.accuracy.reason == none.curves.roc.reason == none.worst.reason == "no labelled rows"


def test_one_class_gives_what_it_can():
    r = evaluate(made()[made().y_true == 1], n_resamples=20)
    assert r.overall.sensitivity.defined
    assert math.isnan(r.overall.specificity)
    assert r.overall.roc_auc.reason == "a class is absent" and r.curves.roc.reason == "one class only"


def test_scores_that_are_no_probabilities():
    r = evaluate(made(kind="score", y_pred=made().y_pred), n_resamples=20)
    assert r.overall.roc_auc.defined and "no probabilities" in r.overall.brier.reason and r.overall.accuracy.defined
    assert "need y_pred" in evaluate(made(kind="score"), n_resamples=20).overall.accuracy.reason


def test_calls_alone_and_more_than_two_classes():
    p = made()
    assert evaluate(Predictions(p.sample_id, p.y_true, y_pred=p.y_pred),
                    n_resamples=20).overall.roc_auc.reason == "no scores"
    rng = np.random.default_rng(0)
    s = rng.dirichlet(np.ones(3), 120)
    r = evaluate(Predictions(np.arange(120), rng.integers(0, 3, 120), s, classes=("S", "I", "R")), n_resamples=20)
    assert r.overall.accuracy.n == 120
    assert r.overall.sensitivity.defined
    assert "two classes" in r.overall.specificity.reason and r.overall.ece.defined and len(r.confusion) == 3


def test_the_worst_come_first():
    w = worst(made(), 5)
    p = made()
    truth = np.where(p.y_true == 1, p.prob, 1-p.prob)
    assert list(w.sample_id) == list(p.sample_id[np.argsort(truth)[:5]])


def test_a_missing_group_column_is_an_error():
    with pytest.raises(ValueError, match="no column 'patients'"): evaluate(made(), groups="patients")


@pytest.mark.later
@pytest.mark.parametrize("size, units, digits, how", [
    (24, 0, None, {}), (24, 0, 1, dict(kind="logit")), (8, 0, 2, dict(columns=2)), (24, 3, None, dict(missing=.1)),
    (24, 1, None, dict(unlabelled=.2)), (3, 0, 0, {}), (1, 0, None, {}), (24, 2, None, dict(kind="score"))])
def test_parts_of_few_units_in_one_pass_say_what_each_says_alone(size, units, digits, how):
    rng, n = np.random.default_rng(size), 192
    s = rng.random(n)**2 if digits is None else (rng.random(n)**2).round(digits)
    y = (rng.random(n) < s)*1
    y[:size], y[size:2*size] = 0, 1
    y[rng.random(n) < how.get("unlabelled", 0)] = -1
    y[3*size:4*size] = -1
    x = np.log((s+1e-3)/(1.001-s)) if how.get("kind") else s
    if how.get("columns"): x = np.stack([1-s, s], 1)
    facts = pd.DataFrame(dict(plate=[f"P{i//size}" for i in range(n)], drug=rng.choice(["a", "b"], n)))
    if units: facts["isolate"] = [f"{i//size}-{i % (units+i//size % 2*3)}" for i in range(n)]
    if "missing" in how: facts = facts.where(rng.random((n, facts.shape[1])) > how["missing"])
    p = Predictions(np.arange(n), y, x, kind=how.get("kind", "prob"), y_pred=(s > .5)*1, facts=facts)
    by = evaluate(p, by=list(facts)).by
    for fact in facts:
        for name, part in p.by(fact).items():
            column = default_groups(part)
            alone = scores(part, None if column is None else group_values(part, column))
            assert to_json(by[fact][name]) == to_json(alone)
