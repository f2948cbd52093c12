"""Files of questions and responses that cannot be joined: each refusal names the culprit and what mends it"""
import json

import pytest

from mic_eval.tcm.answers import read_answers
from mic_eval.tcm.items import read_items
from mic_eval.tcm.points import mark

ITEMS = [dict(id=f"q{i}", question=f"Q{i}?", options=["a", "b", "c"], answer="A") for i in range(4)]
ANSWERS = [dict(id=f"q{i}", response="A") for i in range(4)]


def without(rows): return [{k: v for k, v in o.items() if k != "id"} for o in rows]


def marked(folder, items, answers):
    for name, rows in dict(items=items, answers=answers).items():
        (folder/f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return mark(read_items(folder/"items.jsonl"), read_answers(folder/"answers.jsonl"))


@pytest.mark.parametrize("items, answers, says", [
    (ITEMS, [o | dict(id=f" {o['id']} ") for o in ANSWERS], "'q0' ..., responses ' q0 ' ...: ids differ in blanks or"),
    (ITEMS, [o | dict(id=o["id"].upper()) for o in ANSWERS], "capitals alone; write them alike in both files"),
    (ITEMS, [o | dict(id=o["id"].replace("q", "q0")) for o in ANSWERS], "responses 'q00' ...: give the items that"),
    (ITEMS, [*ANSWERS, ANSWERS[0]], "'q0' of .*more than once: keep one, or say in columns model and round"),
    (ITEMS, [*ANSWERS, ANSWERS[0] | dict(response="B")], "'q0' of .*more than once: keep one"),
    (ITEMS, without(ANSWERS), "answers.jsonl, row 1: expected id and text; there is text: call the columns so"),
    (without(ITEMS), ANSWERS, "items.jsonl, row 1: expected id and question.*: call the columns so; ids may be"),
    ([*ITEMS, ITEMS[0]], ANSWERS, "items.jsonl: item 'q0' .*more than once: keep one of its rows, or give each an id"),
    ([*ITEMS, ITEMS[0] | dict(answer="B")], ANSWERS, "items.jsonl: item 'q0' .*with different keys: keep the row")])
def test_each_refusal_says_what_mends_it(items, answers, says, tmp_path):
    assert marked(tmp_path, ITEMS, ANSWERS).headline.tolist() == [1]*4
    with pytest.raises(ValueError, match=says): marked(tmp_path, items, answers)
