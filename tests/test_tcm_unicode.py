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


@pytest.mark.later
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


@pytest.mark.later
def test_most_threads_stay_busy():
    "Five per cent of the questions hang; the others keep most of sixteen places (nine tenths where it is quiet)"
    hang, lock, now, left, seen = threading.Event(), threading.Lock(), [0], [760], []
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
    ask_model(model, [Request(str(i), (dict(role="user", content=str(i)),)) for i in range(800)], name="m", threads=16)
    steady = seen[100:]
    assert sum(steady)/len(steady) >= .75*16, sum(steady)/len(steady)


def test_who_was_told_to_wait_does_not_hang(monkeypatch):
    "While a server asks for patience, no place is given to another: four times as many would stand at its door"
    import mic_eval.model.ask as ask
    monkeypatch.setattr(ask, "_UNKNOWN", .05)
    lock, now, most = threading.Lock(), [0], [0]
    class Busy:
        model, until = "m", time.monotonic()+.6
        def waits_until(self): return self.until
        def reply_to(self, request):
            with lock: now[0] += 1; most[0] = max(most[0], now[0])
            time.sleep(max(0., self.until-time.monotonic())+.01)
            with lock: now[0] -= 1
            return ask.Reply("A")
    ask_model(Busy(), [Request(str(i), (dict(role="user", content="x"),)) for i in range(60)], threads=4)
    assert most[0] == 4, most


def test_the_whole_command_stands_half_a_character(tmp_path):
    from typer.testing import CliRunner
    from mic_eval.cli.app import app
    odd = "\ud800\u2028\x85\x00"
    items = ExamItems([Item(str(i), f"舌淡{odd}{i}是？", "choice", dict(A="肝", B=f"心{odd}"), "A") for i in range(4)])
    said = Responses([Answer(str(i), f"答案：A{odd}", m, reasoning=odd) for i in range(4) for m in "xy"])
    paths = [str(items.save(tmp_path/"i.jsonl")), str(said.save(tmp_path/"a.jsonl"))]
    more = ["--readings", "r.csv", "--sheet", "s.csv", "--cases", "c.html", "--out", "runs"]
    named = [o if o.startswith("--") else str(tmp_path/o) for o in more]
    done = CliRunner().invoke(app, ["score", *paths, "--lang", "zh", "--report", "none", *named])
    assert done.exit_code == 0, done.output
    assert all((tmp_path/o).is_file() for o in ("r.csv", "s.csv", "c.html")) and "nan" not in done.output
    assert len(said.frame()) == 8 and len(items.frame()) == 4
