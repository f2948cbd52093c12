"""The scores of all classes in one cell, as Parquet, JSON and pipelines hold them; columns beside rows"""
import json

import numpy as np
import pandas as pd
import pytest
from every import every

from mic_eval.core.readers import read_table
from mic_eval.core.tables import read_predictions

NAMES = np.array(["I", "R", "S"])


def rows(n=60):
    "Truths as numbers, and a distribution over three classes each"
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, n)
    P = rng.dirichlet(np.ones(3), n)/2 + np.eye(3)[y]/2
    return y, P


def as_text(P): return [str(row) for row in np.round(P, 6)]


def piped(P):
    "As a pipeline of Hugging Face writes them: the best first"
    return [[dict(label=str(NAMES[k]), score=float(row[k])) for k in np.argsort(-row)] for row in P]


@every("suffix", ["parquet", "jsonl", "csv", ""])
@every("column", ["probs", "y_prob", "Probabilities", "logits", "of the net"])
def test_a_list_a_row_is_one_column_a_class(tmp_path, column, suffix):
    y, P = rows()
    held = np.log(P) if column == "logits" else P
    frame = pd.DataFrame({"id": [f"w{i}" for i in range(60)], "target": y, column: list(np.round(held, 6))})
    path = tmp_path/f"p.{suffix}"
    if suffix == "parquet": frame.to_parquet(path)
    if suffix == "jsonl": frame.to_json(path, orient="records", lines=True)
    if suffix == "csv": frame.assign(**{column: as_text(held)}).to_csv(path, index=False)
    said, how = [], dict(y_score=column, kind="prob") if column == "of the net" else {}
    p = read_predictions(path if suffix else frame, tell=said.append, **how)
    assert (p.kind, p.classes, p.scores.shape) == ("logit" if column == "logits" else "prob", ("0", "1", "2"), (60, 3))
    np.testing.assert_allclose(p.scores, held, atol=1e-6)
    assert "holds 3 scores a row" in str(said[0])


def test_pipelines_name_the_class_of_each_score(tmp_path):
    "Their order differs from row to row: read by place, the best would always be the first class"
    y, P = rows()
    p = read_predictions(pd.DataFrame(dict(label=NAMES[y], scores=piped(P))))
    assert p.kind == "score" and p.classes == tuple(NAMES)
    np.testing.assert_array_equal(p.scores, P)
    p = read_predictions(pd.DataFrame(dict(label=NAMES[y], scores=piped(P))), y_score="scores", kind="prob")
    np.testing.assert_array_equal(p.scores, P)


def test_names_of_classes_for_the_places_of_a_list():
    "Which place is which class is asked, and said by `classes`"
    y, P = rows()
    frame = pd.DataFrame(dict(label=NAMES[y], probs=list(P[:, [2, 0, 1]])))
    with pytest.raises(ValueError, match="class"): read_predictions(frame)
    p = read_predictions(frame, classes=["S", "I", "R"])
    assert p.classes == ("S", "I", "R")
    np.testing.assert_array_equal(p.scores, P[:, [2, 0, 1]])
    np.testing.assert_array_equal(np.array(p.classes)[p.y_true], NAMES[y])


@every("odd, said", [([.1, .9], "lists of 2 to 3 scores"), ([.1, "x", .2], "what is no number"),
                     ("x", "and 'x' in row 1"), (.5, "and 0.5 in row 1")])
def test_a_list_of_another_kind_is_named(odd, said):
    y, P = rows()
    held = list(map(list, P))
    held[1] = odd
    with pytest.raises(ValueError, match=said): read_predictions(pd.DataFrame(dict(y_true=y, probs=held)))


def test_a_list_of_one_is_the_score_of_the_positive_class():
    y, P = rows()
    p = read_predictions(pd.DataFrame(dict(y_true=(y == 1).astype(int), probs=list(P[:, [1]]))))
    assert p.classes == ("0", "1")
    np.testing.assert_array_equal(p.scores.reshape(-1), P[:, 1])


def test_a_row_without_scores_has_none():
    y, P = rows()
    held = [None if i == 3 else list(r) for i, r in enumerate(P)]
    with pytest.raises(ValueError, match="row 3"): read_predictions(pd.DataFrame(dict(y_true=y, probs=held)))


def test_a_list_beside_columns_of_classes():
    y, P = rows()
    frame = pd.DataFrame(dict(y_true=y, prob_1=P[:, 1], probs=list(P)))
    with pytest.raises(ValueError, match="'prob_1' one of them"): read_predictions(frame)


def test_numbers_of_rows_are_no_truths():
    "SAS calls its row numbers Obs; caret calls its truths so"
    frame = pd.DataFrame(dict(Obs=range(1, 61), y_prob=np.linspace(0, 1, 60)))
    with pytest.raises(ValueError, match="Obs"): read_predictions(frame)
    y, P = rows()
    p = read_predictions(pd.DataFrame({"pred": NAMES[P.argmax(1)], "obs": NAMES[y], **dict(zip(NAMES, P.T))}))
    assert (np.array(p.classes)[p.y_true] == NAMES[y]).all()


def test_columns_beside_rows_are_a_table(tmp_path):
    "As pandas splits a table, and Weights & Biases store one"
    frame = pd.DataFrame(dict(id=["a", "b"], y_true=[0, 1], y_prob=[.2, .9]))
    path = tmp_path/"t.json"
    frame.to_json(path, orient="split")
    pd.testing.assert_frame_equal(read_table(path).frame, frame)
    path.write_text(json.dumps(dict(columns=["a", "b"], data=["x", "y"])))   # two columns of these names
    assert list(read_table(path).frame) == ["columns", "data"]
    path.write_text(json.dumps(dict(columns=["a", "b"], data=[[1, 2], [3]])))
    with pytest.raises(ValueError, match="row 1 of data has 1 values for 2 columns"): read_table(path)
