"""Files of questions, keys and responses that do not belong together"""
import json
from dataclasses import replace

import pytest

from mic_eval.tcm.answers import read_answers
from mic_eval.tcm.items import ExamItems, read_items
from mic_eval.tcm.points import mark


def exam(folder, first=0, **more):
    "Twelve questions with ids from `first` on, their keys, and what OpenCompass writes of a model that is always right"
    options = dict(zip("ABCD", ("补中益气汤", "四君子汤", "六味地黄丸", "归脾汤")))
    rows = [dict(id=str(first+i), question=f"问题 {i}", options=options, answer="ABCD"[i % 4]) for i in range(12)]
    said = {str(i): dict(prediction=f"答案：{o['answer']}", gold=o["answer"]) for i, o in enumerate(rows)}
    (folder/"exam.json").write_text(json.dumps([o | more for o in rows], ensure_ascii=False), encoding="utf-8")
    (folder/"said.json").write_text(json.dumps(said, ensure_ascii=False), encoding="utf-8")
    return read_items(folder/"exam.json"), read_answers(folder/"said.json")


def test_responses_with_the_keys_of_other_questions_are_refused(tmp_path):
    "OpenCompass counts from 0, the questions from 1: each answer was held against its neighbour's key, 0 of 11 right"
    assert mark(*exam(tmp_path)).points["score"].mean() == 1
    with pytest.raises(ValueError, match="11 of 11 responses come with another right answer .*item '1': B, "):
        mark(*exam(tmp_path, first=1), ignore="unknown")


def test_a_few_corrected_keys_are_no_other_questions(tmp_path):
    items, said = exam(tmp_path)
    mended = ExamItems([replace(o, answer="D") if o.id in ("0", "1", "2") else o for o in items])
    assert mark(mended, said).points["score"].mean() == 9/12


def test_keys_in_a_file_of_their_own(tmp_path):
    "CMB keeps them apart"
    exam(tmp_path, answer=None)
    keys = tmp_path/"keys.json"
    def told(rows):
        keys.write_text(json.dumps(rows), encoding="utf-8")
        return read_items(tmp_path/"exam.json", keys=keys)
    assert [o.answer for o in told([dict(id=i, answer="B") for i in range(12)])] == ["B"]*12
    assert [o.answer for o in told([{"题号": 3, "答案": "B"}])].count(None) == 11
    for rows, said in (([dict(id=40, answer="B")], "no key belongs to an item: items are '0' ..., keys '40'"),
                       ([dict(id=1, answer="B"), dict(id=1, answer="C")], "item 1 stands twice"),
                       ([dict(id=1)], "row 1: expected id and answer"), ([7], "row 1: expected id and answer")):
        with pytest.raises(ValueError, match=said): told(rows)
    exam(tmp_path)
    with pytest.raises(ValueError, match="row 2: item 1 has the key 'B', and keys.json says 'C'"):
        told([dict(id=1, answer="C")])
