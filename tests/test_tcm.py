"Items, answers, marking, floors and comparison on small sets whose results are known."
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from mic_eval.tcm import (Answer, Item, ExamItems, Responses, audit_items, compare_models, demo_answers, demo_items,
                          examine, floors, mark, order_points, read_answers, read_items, read_prompt, score_answers,
                          set_points)
from mic_eval.tcm.floors import above_floor
from mic_eval.tcm.points import measures
from mic_eval.tcm.prompts import prompt_names
from mic_eval.tcm.items import ITEM_KINDS


def test_demo_is_sound():
    a = audit_items(demo_items())
    assert (a.asked, a.repeated, a.key_outside, a.repeated_options, a.without_key) == (60, 0, 0, 0, 0)
    assert a.positions["5 options"].p > .05


def test_truth_is_read():
    items, off = demo_items(), 0
    for seed in range(3):
        m = mark(items, demo_answers(items, seed=seed))
        for i, r, a in zip(m.items, m.readings, m.answers):
            if i.kind in ("choice", "choices", "true_false"): off += r.value != a.facts["truth"]
    assert not off


def test_all_knowing_and_silent_models():
    items = demo_items()
    assert score_answers(mark(items, demo_answers(items, 1, 0))).score == 1
    silent = score_answers(mark(items, demo_answers(items, 1, 1)))
    assert silent.score == 0 and silent.read == 0 and np.isnan(silent.score_among_read)


def test_missing_and_correction():
    items = demo_items()[:10]
    r = Responses([Answer(o.id, f"答案：{o.answer}", "m") for o in items][:8])
    m = mark(items, r, {(items[0].id, "m", 0): "Z"})
    assert np.nansum(m.headline) == 7 and m.corrected == 1 and [x.status for x in m.readings[-2:]] == ["missing"]*2
    assert (score_answers(m).score.n, score_answers(m).answered.k) == (8, 8)
    with pytest.raises(ValueError, match="no response belongs"): mark(items, Responses([Answer("?", "A")]))


def test_set_points_against_hand(): 
    assert set_points("AB", "ABCD") == dict(exact=0., partial=0., jaccard=.5, f1=2*2/6)
    assert set_points("", "") == dict.fromkeys(("exact", "partial", "jaccard", "f1"), 1.)
    assert set_points("A", "") == dict.fromkeys(("exact", "partial", "jaccard", "f1"), 0.)


def test_kendall_oracle():
    from scipy.stats import kendalltau
    rng = np.random.default_rng(0)
    for _ in range(20):
        v = rng.permutation(6)
        assert order_points(range(6), v.tolist())["kendall"] == pytest.approx(kendalltau(range(6),
            np.argsort(v)).statistic)


def test_naming_every_label_earns_little():
    items = ExamItems([Item(str(i), "q", "labels", answer=(f"证{i}", f"证{(i+1) % 20}")) for i in range(20)])
    f = floors(items)
    assert f["every label"] == pytest.approx(2*2/22) and f["empty"] == 0
    structured = ExamItems([Item(str(i), "q", "structured", answer=dict(证型=f"证{i}", 治法="健脾")) for i in range(6)])
    assert floors(structured)["field names only"] == 0
    assert measures(structured[0], dict(证型="证0"))["score"] == .5


def test_random_floor_and_comparison():
    items = demo_items()
    choices = items[[o.kind == "choice" for o in items]]
    assert floors(choices)["random"] == pytest.approx(.2)
    both = demo_answers(choices, .95, .0, "strong", 1)+demo_answers(choices, .3, .0, "weak", 2)
    m = mark(choices, both)
    r = compare_models(m)
    assert list(r.pairs) == ["strong - weak"]
    assert r.pairs["strong - weak"].difference.lo > 0 and r.ranks["strong"] == dict(best=1, worst=1)
    assert above_floor(m[m.column("model") == "strong"]).difference.lo > 0
    assert r.pairs["strong - weak"].by_task["单选"].adjusted < .05


def test_rounds_with_shuffled_options():
    items = demo_items()[[o.kind == "choice" for o in demo_items()]]
    by_text = {o.question: o.options[o.answer] for o in items}
    def knows(messages):
        text = messages[-1]["content"]
        return next(t for q, t in by_text.items() if q in text)
    m = mark(items, examine(knows, items, rounds=3))
    assert m.headline.all() and score_answers(m).rounds.right_in_all == 1 and score_answers(m).rounds.agreement == 1


def test_prompts_cover_all_kinds():
    for name in prompt_names():
        p = read_prompt(name)
        assert set(p.words) == set(ITEM_KINDS) and p.date and p.language in ("zh", "en")


@pytest.mark.full
def test_inspect_archive(tmp_path):
    zstandard = pytest.importorskip("zstandard")
    sample = dict(id="7", epoch=2, output=dict(model="m",
                                               choices=[dict(message=dict(content="B"), stop_reason="max_tokens")]))
    log = {"header.json": json.dumps(dict(eval=dict(model="x"))).encode(),
           "samples/7_epoch_2.json": json.dumps(sample).encode()}
    path = tmp_path/"log.eval"
    with zipfile.ZipFile(path, "w") as z:
        for k, v in log.items(): z.writestr(k, v)
    plain = read_answers(path)
    assert (plain[0].id, plain[0].round, plain[0].finish, plain[0].text) == ("7", 1, "length", "B")
    write_method_93(tmp_path/"z.eval", log, zstandard)
    assert [o.key for o in read_answers(tmp_path/"z.eval")] == [o.key for o in plain]


def write_method_93(path, files, zstandard):
    "An archive as inspect_ai writes it: entries compressed with Zstandard"
    import binascii
    import struct
    body, central = b"", b""
    for name, data in files.items():
        packed, n = zstandard.ZstdCompressor().compress(data), name.encode()
        head = struct.pack("<HHHHHIIIHH", 63, 0, 93, 0, 33, binascii.crc32(data), len(packed), len(data), len(n), 0)
        central += b"PK\x01\x02"+struct.pack("<H", 63)+head+struct.pack("<HHHII", 0, 0, 0, 0, len(body))+n
        body += b"PK\x03\x04"+head+n+packed
    path.write_bytes(body+central+b"PK\x05\x06"+struct.pack("<HHHHIIH", 0, 0, len(files), len(files), len(central),
                                                            len(body), 0))


def test_loglikelihoods(tmp_path):
    row = dict(doc_id=3, doc=dict(question="q"), resps=[[["-2.5", "False"]], [["-0.5", "True"]]],
               filtered_resps=[["-2.5", "False"], ["-0.5", "True"]], filter="none", target=1)
    (tmp_path/"samples_x.jsonl").write_text(json.dumps(row)+"\n")
    a = read_answers(tmp_path/"samples_x.jsonl", "m")[0]
    assert (a.id, a.text, a.logprobs) == ("3", "B", dict(A=-2.5, B=-.5))


@pytest.mark.parametrize("name, text, said", [("a.jsonl", "{", "a.jsonl, line 1: not JSON"),
                                              ("a.jsonl", '{"id": 1}', "a.jsonl, row 1: expected id and text"),
                                              ("a.json", '{"samples": [{"x": 1}]}', "a.json: not a log"),
                                              ("a.eval", "no zip", "a.eval: not a log"), ("a.txt", "x", "a.txt")])
def test_unknown_layouts(tmp_path, name, text, said):
    (tmp_path/name).write_text(text)
    with pytest.raises(ValueError, match=said): read_answers(tmp_path/name)


def test_unknown_items(tmp_path):
    (tmp_path/"q.jsonl").write_text('{"id": 1, "question": "q", "options": ["a"]}')
    with pytest.raises(ValueError, match="q.jsonl, row 1: item 1: a choice needs two options"):
        read_items(tmp_path/"q.jsonl")
    with pytest.raises(FileNotFoundError): read_items(tmp_path/"nowhere.jsonl")


def test_errors_are_a_denominator_of_their_own():
    items = ExamItems([Item(str(i), "q", "choice", dict(A="a", B="b"), "A") for i in range(200)])
    said = [
        Answer(
            str(i), "" if i >= 175 else "答案：A" if i < 106 else "答案：B", "m", error="HTTP 503" if i >= 175 else ""
        )
        for i in range(200)
    ]
    r = score_answers(mark(items, Responses(said)))
    assert (r.score.k, r.score.n, r.answered.k, r.answered.n, r.not_read.error.k) == (106, 175, 175, 200, 25)


def test_small_and_odd_sets():
    one = ExamItems(
        [
            Item("1", "q", "choice", dict(A="a", B="b"), "A", task="t"),
            *(
                Item(f"u{i}", "q", "choice", dict(A="a", B="b"), "A", task="u", year=2020 if i else "2021")
                for i in range(9)
            ),
        ]
    )
    said = Responses([Answer(o.id, f"答案：{'A' if m == 'x' else 'B'}", m) for o in one for m in "xy"])
    pair = compare_models(mark(one, said)).pairs["x - y"]
    assert (
        pair.by_task["t"].difference == 1
        and pair.by_task["t"].difference.reason
        and {o.year for o in one} == {"", "2020", "2021"}
    )
    blanks = ExamItems([Item(str(i), "q__", "blank", answer=a) for i, a in enumerate(["3", "三钱", ("x", "y"), " "])])
    assert "random" in floors(blanks)
    doubled = ExamItems(
        [
            Item("1", "q", "choice", dict(A="1倍", B="2倍", C="3倍"), "A"),
            Item("2", "q2", "structured", answer={"a": {"b": 1}}),
        ]
    )
    assert audit_items(doubled).repeated_options == 0


def test_fields_are_sets_where_they_list():
    from mic_eval.tcm import field_points
    assert (
        field_points("表、肺", "肺，表") == 1
        and field_points("表、肺", ["肺"]) == pytest.approx(2 / 3)
        and field_points("脾", "脾证") == 1
    )


def test_tables_with_chinese_headings(tmp_path):
    "Options in one cell were taken for nothing, and the questions for free text that only a judge can score"
    from mic_eval.tcm import read_items
    rows = {"一": "编号,题型,题目,选项A,选项B,选项C,答案\n1,单选题,证候是？,甲,乙,丙,B\n",
            "二": "序号,题型,题干,选项,标准答案\n1,单选,证候是？,A.甲;B.乙;C.丙,B\n", "三": "题号,问题,备选答案,正确答案\n1,证候是？,A.甲 B.乙 C.丙,B\n"}
    for name, text in rows.items():
        (tmp_path/f"{name}.csv").write_text(text, encoding="gb18030")
        item, = read_items(tmp_path/f"{name}.csv")
        assert (item.kind, item.options, item.answer) == ("choice", dict(A="甲", B="乙", C="丙"), "B")
    (tmp_path/"四.csv").write_text("题号,题型,问题,选项,答案\n1,不定项选择题,证候是？,A.甲;B.乙;C.丙,B\n", encoding="utf-8")
    assert read_items(tmp_path/"四.csv")[0].kind == "choices"


@pytest.mark.parametrize("name, text, said", [
    ("i.csv", "编号,题目,选项A,选项B,答案\n1,？,甲,乙,A\n", "i.csv holds questions with their keys and no responses"),
    ("r.json", '{"results": {"mmlu": {"acc": 0.5}}}', "no responses: run it with --log_samples"),
    ("n.jsonl", "1\n2\n", "n.jsonl, row 1: expected an object with id and text"),
    ("e.csv", "", "e.csv cannot be read as csv: the file is empty"),
    ("d.csv", "编号,回答\nq1,A\nq1,B\n", "d.csv: item 'q1' of model 'd', round 0: a response stands")])
def test_what_is_no_file_of_responses(tmp_path, name, text, said):
    from mic_eval.tcm import read_answers
    (tmp_path/name).write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=said) as e: read_answers(tmp_path/name)
    assert str(e.value).count(name) == 1 and "\n" not in str(e.value)


def test_a_file_of_responses_is_no_set_of_questions(tmp_path):
    from mic_eval.tcm import read_items
    (tmp_path/"a.csv").write_text("编号,模型,回答\n1,甲,A\n", encoding="utf-8")
    with pytest.raises(ValueError, match="the file of questions comes first"): read_items(tmp_path/"a.csv")
