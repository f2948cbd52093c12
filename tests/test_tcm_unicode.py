"Any character survives asking, keeping, reading and rating; a hanging question idles nobody; a kill loses no answer."

import json
import threading
import time

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from mic_eval.core.files import json_line, lines_of
from mic_eval.model.ask import Request, ask_model
from mic_eval.tcm import Answer, ExamItems, Item, RatingSession, Responses, mark, read_answers, read_items
from mic_eval.tcm.exam import answers_table, marked_of, read_exam
from mic_eval.tcm.rating import RUBRIC

ODD = (
    "\u2028",
    "\u2029",
    "\x85",
    "\x0b",
    "\x0c",
    "\x1c",
    "\x1e",
    "\ud83d",
    "\udc00",
    "a\u2028b\ud800",
    "\r",
    "\r\n",
    "\x00",
    "é脾\U0001f600",
)
ANY = st.one_of(st.sampled_from(ODD), st.text(st.characters(codec=None), max_size=40))
FEW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@settings(max_examples=400, deadline=None)
@given(st.dictionaries(ANY, ANY, max_size=3))
def test_a_line_is_a_line(row):
    line = json_line(row)
    assert line.count(b"\n") == 1 and len(line.decode().splitlines()) <= 1+line.count(b"\r")
    assert [json.loads(o) for o in lines_of(line*2)[:-1]] == [row, row]


@FEW
@given(st.lists(ANY, min_size=1, max_size=4), ANY)
def test_asking_and_reading(tmp_path_factory, texts, question):
    out = tmp_path_factory.mktemp("u")/"a.jsonl"
    requests = [Request(str(i), (dict(role="user", content=question),)) for i in range(len(texts))]
    def model(messages): raise AssertionError("asked twice")
    said = ask_model(lambda m, left=iter(texts): next(left), requests, out, name="m")
    assert ask_model(model, requests, out, name="m") == said and [r["text"] for r in said] == texts
    assert [o.text for o in read_answers(out)] == texts


@FEW
@given(ANY, ANY)
@pytest.mark.later
def test_tables_and_sessions(tmp_path_factory, text, comment):
    folder = tmp_path_factory.mktemp("u")
    items = ExamItems([Item("1", f"q{text}", "choice", dict(A="肝", B=f"心{text}"), "A")])
    assert read_items(items.save(folder/"i.jsonl"))[0].question == items[0].question
    said = Responses([Answer("1", f"答案：A{text}", "m", reasoning=comment)])
    assert read_answers(said.save(folder/"r.jsonl"))[0].text == said[0].text
    for name in ("r.csv", "r.parquet"): said.save(folder/name)
    table = answers_table(items, said)
    assert len(marked_of(read_exam(table.save(folder/"t.parquet")))) == 1
    rows = [dict(id="1", model="m", question=text, text=text)]
    RatingSession(rows, "Li", folder).rate(dict.fromkeys(RUBRIC, 3), comment)
    assert [o["comment"] for o in RatingSession(rows, "Li", folder).done.values()] == [comment]


def test_a_hanging_question_idles_nobody(tmp_path):
    hang, busy, seen = threading.Event(), [0], []
    def model(messages):
        if int(messages[0]["content"]) % 20 == 3: hang.wait(20)
        time.sleep(.01)
        return "答案：A"
    requests = [Request(str(i), (dict(role="user", content=str(i)),)) for i in range(200)]
    def tell(done, of):
        seen.append(len((tmp_path/"a.jsonl").read_bytes().splitlines()))
        if done == 190: hang.set()
    start = time.monotonic()
    said = ask_model(model, requests, tmp_path/"a.jsonl", name="m", threads=16, tell=tell)
    assert time.monotonic()-start < 15 and seen[:190] == list(range(1, 191))   # each written the moment it came
    assert [r["id"] for r in said] == [str(i) for i in range(200)]
    assert [r["id"] for r in map(json.loads, (tmp_path/"a.jsonl").read_text().splitlines())] == [r["id"] for r in said]


def test_most_threads_stay_busy(monkeypatch):
    "Five per cent of the questions hang; the others keep most of sixteen places (nine tenths where it is quiet)"
    import mic_eval.model.ask as ask
    monkeypatch.setattr(ask, "_SLOW", .2)
    hang, lock, now, left, seen = threading.Event(), threading.Lock(), [0], [456], []
    def model(messages):
        if int(messages[0]["content"]) % 20 == 7:
            hang.wait(30)
            return "A"
        with lock: now[0] += 1
        time.sleep(.2)
        with lock: now[0] -= 1; left[0] -= 1
        if not left[0]: hang.set()
        return "A"
    def watch():
        while left[0] > 40:
            seen.append(now[0])
            time.sleep(.01)
    threading.Thread(target=watch, daemon=True).start()
    ask_model(model, [Request(str(i), (dict(role="user", content=str(i)),)) for i in range(480)], name="m", threads=16)
    steady = seen[30:]
    assert sum(steady)/len(steady) >= .6*16, sum(steady)/len(steady)
