"Tables as people write them (`core.columns`, `readers`, `sheets`, `tables`): edges, options crossed, values by hand"
import itertools
import json
import math
import random

import numpy as np
import pandas as pd
import pytest

from mic_eval.core import columns, readers, sheets, tables
from mic_eval.core.checks import Asked
from mic_eval.core.files import budget, json_depth, json_line, lines_of
from mic_eval.core.predictions import Predictions
from mic_eval.core.results import Curve, Failed, NotApplicable, Result, Score, as_read_back, from_json, to_json
from mic_eval.core.tables import read_predictions
from mic_eval.core.yaml import read_yaml

every, nan = pytest.mark.parametrize, math.nan


# --- numbers

@every("point, group", [(".", ""), (",", ""), (".", ","), (",", ".")])
def test_numbers_are_read_back_whichever_signs_they_were_written_with(point, group):
    numbers = [1234.5, 0.25, -12.125, 98765.4321, 7., 1234567.5]
    said = [f"{o:,.4f}".replace(",", "g").replace(".", point).replace("g", group) for o in numbers]
    out = columns.pointed(pd.Series([*said, None]))
    assert pd.to_numeric(out).tolist()[:-1] == pytest.approx(numbers) and out.isna().tolist() == [False]*6+[True]


@every("texts", [["1,234", "12,500"], ["1.5", "2"], ["a,b", "1"], ["1,234.5", "1.234,5"], [None, None]])
def test_texts_whose_commas_say_nothing_stay_as_they_are(texts):
    text = pd.Series(texts, dtype=object)
    assert columns.pointed(text) is text


@every("name, percent, values, out", [
    ("y", False, [1., 99], [1, 99]), ("y %", False, [1., 99], [.01, .99]), ("y (per cent)", False, [.5, 1], [.5, 1]),
    ("y", True, [1., 99], [.01, .99]), ("y in pct", True, [.2, .9], [.002, .009]), ("y", None, [.2, .9], [.2, .9])])
@every("text", [False, True])
def test_what_is_per_cent_is_a_part_of_one(name, percent, values, out, text):
    col = pd.Series(list(map(str, values)) if text else values, name=name)
    assert columns.number_column(col, percent).tolist() == pytest.approx(out)
    if percent is None:
        with pytest.raises(Asked, match="says per cent, and no value lies above 1"):
            columns.number_column(col.rename("y %"), percent)
        assert columns.number_column(col.rename("y %"), percent, most=1.01).tolist() == pytest.approx([.002, .009])


def test_signs_of_per_cent_stand_in_all_cells_or_in_none():
    with_signs = pd.Series(["5%", None, "12,5 %", " 100% "], name="y")
    assert columns.number_column(with_signs).tolist() == pytest.approx([.05, nan, .125, 1], nan_ok=True)
    for odd, why in ((["5%", "6"], "write all of them with % or none"), (["5", "x"], "it is 'x' in row 1; fill in")):
        with pytest.raises(ValueError, match=why): columns.number_column(pd.Series(odd, name="y"))


@every("low, high, hint", [(0, 2, False), (0, 2.01, True), (0, 100, True), (0, 100.1, False), (-.1, 50, False)])
def test_what_looks_like_percentages(low, high, hint): assert bool(columns.of_percent(np.array([low, 1, high]))) == hint


# --- classes

def test_two_codings_of_one_thing_are_one_and_two_that_nobody_can_match_are_asked_about():
    shared = columns.shared_names
    assert shared(["0", "1"], ["true", "false"]) == ["0", "1"] and shared(["R", "S"], ["1", "0"]) == ["R", "S"]
    assert shared(["a", "b"], []) == ["a", "b"] and shared(["a"], ["b"]) == ["a", "b"]
    assert shared(["a", "b"], ["b", "c"]) == ["a", "b", "c"] and shared(["1", "2"], ["3", "4"]) == list("1234")
    with pytest.raises(Asked) as e: shared(["0", "1"], ["cat", "dog"])
    assert [o for _, o in e.value.question.choices] == ["--classes cat,dog", "--classes dog,cat"]
    assert [w for w, _ in e.value.question.choices] == ["0 is 'cat', 1 is 'dog'", "0 is 'dog', 1 is 'cat'"]
    with pytest.raises(Asked) as e: shared(["a", "b"], ["c", "d"])
    assert e.value.question.choices == ()


@every("classes, coded, out", [(("1", "0"), False, [1, 0, -1]), (("1", "0"), True, [0, 1, -1]),
                               (("a", "b"), False, [0, 1, -1])])
def test_numbers_are_names_where_a_class_is_called_so_unless_they_are_said_to_be_numbers(classes, coded, out):
    assert columns.class_numbers(pd.Series([0, 1, None]), classes, coded).tolist() == out
    if not coded: assert columns.class_numbers(pd.Series([0, 1, None]), classes).tolist() == out


@every("said, classes, out", [
    (["yes", "no"], ("healthy", "ill"), [1, 0]), (["yes", "no"], ("no", "yes"), [1, 0]),
    (["YES", "No"], ("yes", "no"), [0, 1]), (["ja", "nein"], ("S", "R"), [1, 0]), (["true", "no"], ("a", "b"), [1, 0])])
def test_an_answer_is_the_class_that_is_called_so_or_the_positive_one(said, classes, out):
    assert columns.class_numbers(pd.Series(said, name="y"), classes).tolist() == out


def test_answers_to_classes_in_the_wrong_order_are_refused():
    with pytest.raises(ValueError, match="y must be R or S, or empty; it is yes in rows 0, 1"):
        columns.class_numbers(pd.Series(["yes", "no"], name="y"), ("R", "S"))


# --- what looks odd

def preds(s, y, **kw):
    return Predictions(np.arange(len(y)).astype(str), np.array(y), None if s is None else np.array(s, float), **kw)


@every("n, hard", [(7, False), (8, True)])
def test_eight_probabilities_of_zero_and_one_are_calls(n, hard):
    y = np.arange(n) % 2
    assert columns.hard_calls(preds(y, y)) == hard
    assert not columns.hard_calls(preds(y*.99, y)) and not columns.hard_calls(preds(y, y, kind="score"))


@every("n, said", [(7, False), (8, True)])
def test_eight_confidences_of_calls_are_refused(n, said):
    calls = np.r_[np.zeros(n//2, int), np.ones(n-n//2, int)]
    confident, turned = np.linspace(.99, .5, n), np.linspace(.6, .4, n)
    for scores, why in ((confident, "the confidence of the predicted class"), (turned, "which class is it")):
        if not said: columns.refuse_confidences(scores, calls, "ab")
        else:
            with pytest.raises(ValueError, match=why): columns.refuse_confidences(scores, calls, "ab")
    columns.refuse_confidences(confident[::-1], calls, "ab")     # higher where the positive class was called
    columns.refuse_confidences(confident, np.zeros(n, int), "ab")
    columns.refuse_confidences(confident*2, calls*0+1, "ab")


@every("copies, told", [(5, 0), (6, 6)])
def test_six_copies_to_the_last_digit_are_told(copies, told):
    s = np.linspace(.0123456, .95, 40)
    at = np.r_[np.arange(40), np.arange(copies)]
    assert columns.copied_rows(preds(s[at], at % 2)) == told
    named = Predictions(np.char.add("a", np.arange(len(at)).astype(str)), at % 2, s[at])
    assert columns.copied_rows(named) == columns.copied_rows(preds(s[at].round(4), at % 2)) == 0
    assert columns.copied_rows(preds(s[at], np.arange(len(at)) // 40)) == 0     # another truth


def about(p): return [str(o).split(":")[0] for o in columns.doubts(p)]


def test_scores_against_the_truth_are_doubted_from_five_of_each_and_four_standard_errors_on():
    def against(gap, each): return columns._against(np.r_[np.tile([0., 1], each)+gap, np.tile([0., 1], each)],
                                                    np.repeat([0, 1], 2*each))
    y = np.repeat([0, 1], 10)
    assert "lower for 'growth' than for 'no growth'" in str(columns.doubts(preds(np.linspace(.9, .1, 20), y))[0])
    error = math.sqrt(2*.25/20)                                    # of 20 rows of 0 and 1 each
    assert against(4.01*error, 10) and not against(3.99*error, 10) and not against(-4.01*error, 10)
    assert not columns._against(np.r_[9., 9, 9, 9, 0, 0, 0, 0, 0], np.repeat([0, 1], [4, 5]))
    assert columns._against(np.r_[9., 9, 9, 9, 9, 0, 0, 0, 0, 0], np.repeat([0, 1], [5, 5]))


@every("n, lowest, y, told", [(20, .5, [0, 1], True), (19, .5, [0, 1], False), (20, .499, [0, 1], False),
                              (20, .5, [1, 1], False)])
def test_no_score_below_one_half_is_odd(n, lowest, y, told):
    p = preds(np.r_[lowest, np.linspace(.5, .9, n-1)], np.resize(y, n))
    assert ("no score lies below 0.5" in about(p)) == told
    if told: assert "probabilities of 'growth', or of" in str(columns.doubts(p)[-1])
    assert about(preds(None, np.resize([0, 1], n), y_pred=np.resize([0, 1], n))) == []
    two = preds(np.full((n, 2), .5), np.resize(y, n))
    assert about(two) == [] and "no score lies below 0.5" not in about(preds(p.scores, p.y_true, kind="score"))


# --- which column is of which class

def test_columns_that_sum_to_one_are_probabilities_of_the_classes_they_name_in_any_order():
    y = list("abcabc")
    p = np.random.default_rng(0).dirichlet([1, 1, 1], 6)
    for order in itertools.permutations(range(3)):
        df = pd.DataFrame({"abc"[i]: p[:, i] for i in order}).assign(truth=y)
        t = read_predictions(df)
        assert sorted(t.classes) == list("abc") and t.kind == "prob"
        assert t.scores[:, [t.classes.index(c) for c in "abc"]] == pytest.approx(p)
        assert [t.classes[i] for i in t.y_true] == y


def test_columns_of_classes_that_sum_to_something_else_are_asked_about():
    y, p = list("abcabc"), np.random.default_rng(0).dirichlet([1, 1, 1, 1], 6)
    some = pd.DataFrame(dict(truth=y, a=p[:, 0], b=p[:, 1], c=p[:, 2]))
    with pytest.raises(Asked, match="sum to 1 only with d"): read_predictions(some.assign(d=p[:, 3]))
    for scale, kinds in ((1., ["logit", "score"]), (-1, ["logit", "score"])):
        with pytest.raises(Asked, match="what do they hold") as e: read_predictions(some.assign(a=scale*some.a))
        assert [o for _, o in e.value.question.choices] == [f"--kind {k}" for k in kinds]
    with pytest.raises(Asked, match="hold 0 and 1 alone"):
        read_predictions(some.assign(a=[1, 0, 0]*2, b=[0, 1, 0]*2, c=[0, 0, 1]*2))
    with pytest.raises(ValueError, match="b is empty, nan or infinite in row 2"):
        read_predictions(some.assign(b=[.1, .2, nan, .2, .1, .1]))


@every("values, kinds", [
    ([[.2, .8]], "prob logit score"), ([[20, 80.]], "percent logit score"), ([[20, 82.]], "logit score"),
    ([[0.], [1]], "prob logit score"), ([[0.], [100]], "percent logit score"), ([[0.], [100.5]], "logit score"),
    ([[-.1], [.5]], "logit score"), ([[.5, .5], [.5, .7]], "logit score"), ([[99, 2.]], "percent logit score")])
def test_what_scores_could_be(values, kinds):
    assert [o for _, o in tables._fitting_kinds(np.array(values, float))] == [f"--kind {k}" for k in kinds.split()]


def test_a_truth_in_one_column_a_class_is_one_column():
    df = pd.DataFrame(dict(true_a=[1, 0, 0], true_b=[0, 1, 1], score=[.1, .2, .3]))
    assert tables._whole_truth(df).y_true.tolist() == ["a", "b", "b"]
    assert "true_a" in tables._whole_truth(df.assign(true_b=1))      # two truths in one row
    t = read_predictions(pd.DataFrame(dict(label_x=[0, 1]*4, label_y=[1, 0]*4, y_pred=["x", "y"]*4)))
    assert [t.classes[i] for i in t.y_true] == ["y", "x"]*4
    with pytest.raises(ValueError, match="no column 'truth'"):
        read_predictions(df.assign(y_pred="a"), y_true="truth")


@every("repeats, refused", [(4, True), (3, False)])
def test_a_row_for_each_class_is_seen_from_four_samples_on(repeats, refused):
    y = (["a"]*2+["b"]*2)*(repeats//2)+["a", "a"]*(repeats % 2)
    df = pd.DataFrame(dict(truth=y, of=["a", "b"]*repeats, y_prob=np.linspace(.1, .9, 2*repeats)))
    if refused:
        with pytest.raises(ValueError, match="column 'of' names every class in turn while truth stays"):
            read_predictions(df, positive="b")
        read_predictions(df.assign(of=["a", "a", "b", "b"]*(repeats//2)), positive="b")
    else: read_predictions(df, positive="b")


@every("calls, asked", [([.2, .4, .5, 1], True), ([1., 0, 0, .5], False), ([0., 1, 2, 3], False),
                        ([.5, .25, 1, 0], True)])
def test_calls_that_are_fractions_are_asked_about(calls, asked):
    "More than half of whole numbers are calls with a slip; half of them or fewer are scores"
    df = pd.DataFrame(dict(truth=[0, 1, 0, 1], y_pred=calls))
    if not asked: return tables._refuse_scores_as_calls(df, "truth", "y_pred")
    with pytest.raises(Asked, match="holds fractions such as"): tables._refuse_scores_as_calls(df, "truth", "y_pred")
    tables._refuse_scores_as_calls(df.assign(truth=calls), "truth", "y_pred")     # which a truth is


@every("cell, scores", [
    ("[1, 2.5]", [1, 2.5]), ("[1. 2.5 3]", [1, 2.5, 3]), ("[np.float64(.5), 1]", [.5, 1]), ("[a]", None), ("x", None),
    (None, None), (np.array([1, 2]), [1, 2]), ([{"label": "a"}], [{"label": "a"}])])
def test_a_list_in_a_cell(cell, scores): assert tables._score_list(cell) == scores


def test_a_list_of_scores_a_row_is_one_column_a_class():
    df = pd.DataFrame(dict(y_true=[0, 1, 2], probs=["[.5 .25 .25]", "[.1, .2, .7]", "[0 0 1]"]))
    assert read_predictions(df).scores.tolist() == [[.5, .25, .25], [.1, .2, .7], [0, 0, 1]]
    def cell(**scores): return [dict(label=k, score=v) for k, v in scores.items()]
    named = [cell(b=.75, a=.25), cell(a=1., b=0)]
    t = read_predictions(pd.DataFrame(dict(truth=["a", "b"], probs=named)))
    assert t.classes == ("a", "b") and t.scores.tolist() == [[.25, .75], [1, 0]]
    with pytest.raises(ValueError, match="holds lists of 2 to 3 scores"):
        read_predictions(df.assign(probs=["[1 2 3]", "[1 2]", "[1 2 3]"]))
    with pytest.raises(ValueError, match="'x' in row 1"): read_predictions(df.assign(probs=["[1 0 0]", "x", "[1 0 0]"]))


# --- files of text

@every("end", ["\n", "\r\n"])
@every("size", [1, 2, 5, 1000])
def test_cells_of_lines_are_counted_in_any_pieces(end, size):
    text = end.join(["a,b,c", "1,2", "", "x,,,", "last"])
    pieces = list(readers._pieces(text.encode(), size))
    assert b"".join(pieces) == text.encode() and all(bytes(p).endswith(b"\n") for p in pieces[:-1])
    assert np.concatenate([readers._widths(p, ",") for p in pieces]).tolist() == [3, 2, 1, 4, 1]
    assert readers._widths(b'a,"b,\n,c",d\n"x"', ",").tolist() == [3, 1]


def table_of(tmp_path, text, name="t.csv"):
    (tmp_path/name).write_text(text, encoding="utf-8")
    return readers.read_table(tmp_path/name)


@every("text, why", [
    ("a,b\n1,2\n3,4,5\n", "row 3 has 3 cells, and there are 2 headings; it is '3,4,5'"),
    ("a,b,c\n1,2,3\n4,5\n6,7,8\n", "row 3 has 2 cells, and there are 3 headings: was it cut off"),
    ("a,b,c\n1,2,3\n4,5\n6,7\n8,9,1\n", "and there are 3 headings, and 1 more: was it cut off"),
    ("b,a,b,a\n1,2,3,4\n", "column 'a' stands twice"), ('a,b\n1,2\n3,"4\n', "row 3 opens a quotation mark that never"),
    ("a,b\n1,2\na,b\n3,4\n", "row 3 says the headings again"),
    ("a,b\n1,2,3\n4,5,6\n", "every row has 3 cells, and there"),
    ("a\tb\n1\t2\n3\t4\t5\n", "put a cell that holds a tab between")])
def test_a_torn_row_is_named_with_its_place(tmp_path, text, why):
    with pytest.raises(ValueError, match=why): table_of(tmp_path, text)


def test_a_file_that_begins_with_a_longer_row_names_it(tmp_path):
    "pandas takes the cells that are too many for names of rows"
    with pytest.raises(ValueError, match="row 2 has 3 cells, and there are 2 headings"):
        table_of(tmp_path, "a,b\n1,2,3\n4,5\n6,7\n")


@every("above", [0, 1, 2])
@every("two", [False, True])
def test_rows_have_the_numbers_that_a_person_counts(tmp_path, above, two):
    heads = "drug,mic\n,mg/L\n" if two else "drug,mic\n"
    sheet = table_of(tmp_path, "Study of 2024,\n"*above+heads+"A,1\nB,2\n\nC,3\nD,4\n")
    assert sheet.frame.iloc[:, 0].tolist() == list("ABCD")
    first = above+1+two+1
    assert list(sheet.rows([0, 1, 2, 3])) == [first, first+1, first+3, first+4]


@every("last, refused", [("5,1.2", False), ("5,12.3", False), ("5,1", True), ("5,1.", True), ("5,1e", True),
                         ("5,", False)])
def test_a_last_line_without_an_end_whose_cell_is_shorter_was_cut_off(tmp_path, last, refused):
    text = "".join(f"{i},1.{i}5\n" for i in range(6)).replace("0,1.05\n", "0,1.5\n")
    if refused:
        with pytest.raises(ValueError, match="was the file cut off"): table_of(tmp_path, "a,b\n"+text+last)
    else: assert len(table_of(tmp_path, "a,b\n"+text+last).frame) == 7
    assert "without an end" not in str(table_of(tmp_path, "a,b\n"+text+last+"\n").took)


def test_columns_that_only_count_rows_are_left_out(tmp_path):
    def names(text): return list(table_of(tmp_path, text).frame)
    assert names(",a\n0,x\n1,y\n2,z\n") == names(",a\n1,x\n2,y\n3,z\n") == ["a"]
    for first in ("2,x\n3,y\n4,z", "0,x\n2,y\n4,z", "1,x\n2,y\n2,z", "0,x\n1,y\n1.5,z"):
        assert len(names(f",a\n{first}\n")) == 2
    assert names("a,\nx,\ny,\n") == ["a"]


@every("text, sep", [("a;b\n1,5;2\n3,5;4", ";"), ("a,b\n1,2", ","), ("a|b|c\n1|2|3", "|"), ("a\tb\n1,5\t2", "\t"),
                     ("", ","), ("x", ",")])
def test_what_stands_between_columns(text, sep): assert readers.separator(text) == sep


@every("values, there", [([1, "1/2"], False), (["1"], False), (["007"], True), ([" 01 "], True), (["0"], False),
                         (["0.5"], False)])
def test_numbers_with_a_zero_in_front_are_names(values, there):
    assert readers.is_identifier("x", values) == there
    for name in ("Sample ID", "ref-mic", "id", "plate_id", "MIC"): assert readers.is_identifier(name, values)


# --- JSON

def records(): return [dict(a=1, b="x"), dict(a=2, b="y"), dict(a=3, b=None)]


@every("write", [
    lambda r: r, lambda r: {k: [o[k] for o in r] for k in r[0]},
    lambda r: {k: {i: o[k] for i, o in enumerate(r)} for k in r[0]},
    lambda r: dict(columns=list(r[0]), data=[list(o.values()) for o in r]), lambda r: "\n".join(map(json.dumps, r))])
def test_json_of_any_shape_is_one_table(tmp_path, write):
    text = write(records())
    got = table_of(tmp_path, text if isinstance(text, str) else json.dumps(text), "t.json").frame
    assert got.a.tolist() == [1, 2, 3]
    assert got.b[:2].tolist() == ["x", "y"] and got.b.isna().tolist() == [False, False, True]


def test_json_lines_are_numbered_past_empty_ones(tmp_path):
    sheet = table_of(tmp_path, '\n{"a": 1}\n\n{"a": 2}\n', "t.jsonl")
    assert sheet.rows([0, 1]) == [2, 4] and sheet.frame.a.tolist() == [1, 2]
    with pytest.raises(ValueError, match="line 3"): table_of(tmp_path, '{"a": 1}\n\n{a}\n', "t.jsonl")
    with pytest.raises(ValueError, match="row 1 of data has 1 values for 2 columns"):
        table_of(tmp_path, '{"columns": ["a", "b"], "data": [[1, 2], [3]]}', "t.json")


def depth(v):
    if not isinstance(v, (dict, list)): return 0
    return 1+max(map(depth, v.values() if isinstance(v, dict) else v), default=0)


def test_levels_of_json_are_those_of_its_values():
    rng = random.Random(0)
    def value(n):
        if not n or rng.random() < .2: return rng.choice([1, None, "[[", '{"[', "\\", '\\"[[', "", '"'])
        if rng.random() < .5: return [value(n-1) for _ in range(rng.randrange(3))]
        return {"[{\\": value(n-1), "k": value(n-1)}
    for _ in range(300):
        v = value(6)
        assert json_depth(json.dumps(v).encode()) == depth(v)


@every("sign", ["\x0b", "\x1c", "\x85", "\u2028", "\u2029", "\ud800", "\n", "é", "药"])
def test_a_line_of_json_is_one_line_for_everybody(sign):
    line = json_line(dict(a=f"x{sign}y"))
    assert len(line.decode().splitlines()) == 1 and line.endswith(b"\n") and json.loads(line) == dict(a=f"x{sign}y")
    assert lines_of(line+b"\r\n"+line) == [line.decode()[:-1], "", line.decode()[:-1], ""]


# --- YAML

@every("text, why", [
    ("a: 1\nb: [1, {c: 2, c: 3}]", "y:2: 'c' stands twice"), ("a: &x 1\nb: *x", "y:2: aliases are not read"),
    ("a: 1\n\nb: !!python/name:os.system x", "y:3: "), ("\n\n? [a]\n: 1", "y:3: a key must be one word"),
    ("a: 2021-02-31", "y:1: "), ("\n\n", "y:3: nothing in it"), ("a: 1\nb: \x07", "y:2: a control character"),
    ("a: "+"9"*401, "y:1: a number of more than 400 signs"), ("a: [", "y:1"), ("[" * 101+"]"*101, "101 levels")])
def test_yaml_is_refused_with_its_line(text, why):
    with pytest.raises(ValueError) as e: read_yaml(text, "y")
    assert why in str(e.value)


def test_yaml_has_a_line_for_every_entry():
    v, lines = read_yaml("a: 1\nb:\n  - x\n  - {c: 2.5,\n     d: yes}\n", "y")
    assert v == dict(a=1, b=["x", dict(c=2.5, d=True)])
    assert lines == {(): 1, ("a",): 1, ("b",): 2, ("b", 0): 3, ("b", 1): 4, ("b", 1, "c"): 4, ("b", 1, "d"): 5}
    assert read_yaml("a: "+"9"*400, "y")[0]["a"] == 10**400-1
    with budget(depth=2): assert read_yaml("[[1]]", "y")[0] == [[1]]
    with budget(depth=1), pytest.raises(ValueError, match="2 levels"): read_yaml("[[1]]", "y")


# --- results in a file

def held():
    curve = Curve(np.array([0., 1]), np.array([nan, 2]), lo=np.array([0., 1]), extra=dict(t=np.array([1., nan])),
                  note="n", area=Score(.5, .4, .6))
    return Result(
        a=Score(.5, .25, .75, k=5, n=10, groups=3, method="wilson", level=.9), b=NotApplicable("why"),
        c=Failed("broke"), d=Result(value=1., lo=2., hi=3.), e=Result(value=Result(x=1), lo=1, hi=2), f=curve,
        g=dict(type="failed", reason="x"),
        h=[1, nan, dict(type="table")], i=pd.DataFrame(dict(x=[1., nan], y=["p", None])), j=Score(reason="few"),
        k=Result(type="other"), l=np.array([[1, 2], [3, 4]]), m=dict(type="text", code=3), n=dict(type="failed", why=1))


def same(a, b):
    if isinstance(a, Score): return type(b) is Score and repr(a.as_dict()) == repr(b.as_dict())
    if isinstance(a, Curve): return repr(a.as_dict()) == repr(b.as_dict())
    if hasattr(a, "iterrows"): return a.equals(b) or a.astype(object).where(a.notna(), None).equals(
        b.astype(object).where(b.notna(), None))
    if isinstance(a, dict): return isinstance(b, Result) and list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, (list, np.ndarray)): return len(a) == len(b) and all(map(same, list(a), b))
    return b is None if a != a else a == b and (type(a) is type(b) or not isinstance(a, NotApplicable))


def test_results_come_back_as_they_were():
    r = held()
    for back in (from_json(to_json(r)), as_read_back(r), from_json(to_json(from_json(to_json(r))))):
        assert [k for k in r if not same(r[k], back[k])] == [] and list(back) == list(r)
    with pytest.raises(ValueError, match="results cannot hold inf"): to_json(Result(a=math.inf))


@every("score, shown", [
    (Score(.5, .25, .75, k=5, n=10), "5/10 = 50.0 % (25.0-75.0)"), (Score(-.5, -.75, .25), "-0.500 (-0.750 to 0.250)"),
    (Score(.5, .25, .75, k=5, n=10, groups=1), "5/10 = 50.0 % (25.0-75.0) in 1 group"), (Score(.0004), "0.0004"),
    (Score(.0005), "0.001"), (Score(.0004, 0, .1), "0.000 (0.000-0.100)"), (Score(n=3, reason="few"), "nan (few), n=3"),
    (Score(.5, n=4, groups=2, reason="one group"), "0.500 (one group), n=4 in 2 groups"),
    (Score(.5, .4), "0.500 (≥ 0.400)"),
    (Score(.5, .25, .75, k=5.5, n=11), "0.500 (0.250-0.750), n=11")])
def test_a_score_in_one_line(score, shown): assert repr(score) == str(score) == shown


@every("n, folded", [(20, 0), (21, 1), (25, 5)])
def test_rows_beyond_a_screen_are_folded_and_none_is_lost(n, folded):
    html = Result((f"k{i}", i) for i in range(n))._repr_html_()
    assert html.count("<tr>") == n and (f"<summary>{folded} more</summary>" in html) == bool(folded)
    assert html.partition("<details>")[0].count("<tr>") == min(n, 20)


# --- what stands around the rows of a sheet

@every("look, around", [
    ("0.00", ("", "")), ('"≤"0.0', ("≤", "")), ('0 "mg/L"', ("", "mg/L")), ('>0', (">", "")), ("0.0%", ("", "")),
    ("0\\%", ("", "%")),
    ('[Red]"<"0;-0', ("<", "")), ('_-* #,##0.00', ("", "")), ("General", ("", "")), ('"no. "0', ("", ""))])
def test_signs_and_units_of_a_number_format(look, around): assert sheets.shown_around(look) == around


@every("end, left", [
    ([["Total", None, 9]], 1), ([["note: x", None, None]], 1), ([["a note of three words", None, None]], 1),
    ([["Mean", None, 2.5], ["Read by X", None, None]], 2), ([["Total", None, 9], ["E", 5, 6]], 0),
    ([["Total", 4, 9]], 0), ([["E", 5, 6]], 0)])
def test_totals_and_notes_below_a_table_are_no_rows(end, left):
    body = [[c, i, i+1] for i, c in enumerate("ABCD")]
    frame = pd.DataFrame(body+end, columns=["drug", "n", "mic"])
    assert sheets.foot(frame) == left
    rest, said = sheets.without_foot(frame.astype(object))
    assert len(rest) == len(frame)-left and said == [o[0] for o in end[:left]]
    if left: assert rest.n.dtype.kind in "if" and rest.n.tolist() == [0, 1, 2, 3]
    if left: assert sheets.without_foot(frame.astype(object), True)[0].n.dtype == object


def test_headings_in_two_lines_are_one():
    body = [["A", "1", "2"], ["B", "3", "4"], ["C", "1", "8"]]
    def both(*lines): return sheets.second_heading([*lines, *body], 0)
    assert both(["drug", "MIC", "time"], ["", "mg/L", "(h)"]) == ["drug", "MIC (mg/L)", "time (h)"]
    assert both(["drug", "MIC", ""], ["", "north", "south"]) == ["drug", "north", "south"]
    assert both(["drug", "MIC", "time"], ["D", "1", "2"]) is None and both(["drug", "MIC", "time"]) is None
    assert sheets.second_heading([["title"], ["drug", "MIC"], ["", "mg/L"], *body], 1) == ["drug", "MIC (mg/L)"]


@every("days, numbers, refused", [(1, 1, True), (1, 3, True), (3, 0, False), (0, 3, False)])
def test_a_date_among_numbers_is_refused_with_its_row(days, numbers, refused):
    import datetime
    values = [">=2", 4, "0.5"][:numbers]+[datetime.date(2024, 8, 16)]*days
    column, at = pd.Series(values, name="mic", dtype=object), np.arange(len(values))+10
    if not refused: return sheets.refuse_dates(column, at)
    with pytest.raises(ValueError, match=rf"date 2024-08-16 stands among numbers in row {10+numbers}.*16/8 or 8-16"):
        sheets.refuse_dates(column, at)
    sheets.refuse_dates(pd.concat([column, pd.Series(["x"]*(numbers+1))]).rename("mic"), np.arange(99))
    if numbers > 1: return
    with pytest.raises(ValueError): sheets.refuse_dates(pd.concat([column, pd.Series(["x"]*numbers)]).rename("mic"), at)


@every("lengths, name", [((1, 9), "b"), ((5, 9), "a"), ((4, 9), "b"), ((9, 1), "a")])
def test_the_sheet_that_is_meant_has_half_of_the_rows_of_the_fullest(lengths, name):
    book = {k: pd.DataFrame(dict(x=range(n))) for k, n in zip("ab", lengths)}
    assert sheets.sheet_meant(book) == name and sheets.sheet_meant(book, " B") == "b"
    with pytest.raises(ValueError, match="no sheet 'c'; there is 'a', 'b'"): sheets.sheet_meant(book, "c")


@every("letters, n", [("A", 1), ("z", 26), ("AA", 27), ("XFD", 16384)])
def test_letters_of_columns(letters, n): assert sheets._column(letters.encode()) == n
