"The desk: what a person answers is what a table is read with, and who may ask what, crossed with each other"
import asyncio
import itertools
import json
from types import SimpleNamespace

import pandas as pd
import pytest

from mic_eval.core.results import Result, Score
from mic_eval.core.tables import read_predictions
from mic_eval.desk import jobs, screens, server

every = pytest.mark.parametrize


class Job:
    "A job that is kept in memory"
    def __init__(self, **state): self.state = dict(dict(answers={}), **state)
    def keep(self, **more): self.state |= more


# --- an answer is what a table is read with

def asked(path, job):
    "What the screen asks, once it knows what was answered"
    return screens.table_understood(path, job.state["answers"])


@every("classes", [("cat", "dog"), ("阴性的菌株", "阳性的菌株"), ("a"*90, "b"*90)])
@every("choice", [0, 1])
def test_the_class_that_a_person_chooses_is_the_class_that_is_judged(tmp_path, monkeypatch, classes, choice):
    "On the screen and in the run: whichever was chosen, however long the names are"
    path, classes = tmp_path/"t.csv", tuple(sorted(classes))
    pd.DataFrame(dict(truth=[0, 1]*10, y_pred=[*classes]*10)).to_csv(path, index=False)
    job = Job(kind="table", table="predictions", name="t.csv")
    seen = asked(path, job)
    assert seen.open == ["choice"] and len(seen.questions[0].options) == 2
    asyncio.run(server.do_answers(None, job, dict(choice=seen.questions[0].options[choice])))
    seen = asked(path, job)
    assert seen.kind == "predictions" and not seen.open and not seen.problem
    used = {}
    monkeypatch.setattr("mic_eval.run.evaluation.make_run", lambda **how: used.update(how))
    jobs._work(SimpleNamespace(run=tmp_path, upload=path), job.state, dict(tell=None))
    p = read_predictions(path, **used["reading"])
    assert p.classes == (classes, classes[::-1])[choice] and (p.y_true == p.y_pred).all() == (choice == 0)
    def typed(name, **how): return read_predictions(tmp_path/name, **how)
    assert eval(seen.python, dict(read_predictions=typed)).classes == p.classes


@every("answers, reading", [
    ({}, {}), (dict(y_score="a,b, c", kind="prob"), dict(y_score=["a", "b", "c"], kind="prob")),
    (dict(y_score="a"), dict(y_score="a")), (dict(classes="x, y"), dict(classes=["x", "y"])),
    (dict(y_true="", pose="1"), {}),
    (dict(y_true="a,b", sample_id="c"), dict(y_true="a,b", sample_id="c"))])
def test_answers_as_a_table_is_read_with_them(answers, reading): assert jobs._reading_of(answers) == reading


@every("option, answers", [
    ("--kind logit", dict(kind="logit")), ("--classes 'a b,c' --kind prob", dict(classes="a b,c", kind="prob")),
    ("--y-score s --unlabelled --kind score", dict(y_score="s", unlabelled="yes", kind="score")),
    ("--kind=percent", dict(kind="percent")), ("", {})])
def test_an_option_of_the_command_line_is_an_answer(option, answers): assert screens._option_answers(option) == answers


def test_later_answers_count_and_what_is_no_text_is_none():
    job = Job(answers=dict(y_true="a", kind="prob"))
    asyncio.run(server.do_answers(None, job, dict(y_true="b", n=3, bad=[1], worse=None)))
    assert job.state["answers"] == dict(y_true="b", kind="prob", n="3")


# --- who may ask what

@every("method", ["GET", "HEAD", "POST", "PUT", "DELETE"])
def test_a_request_that_changes_something_comes_from_a_page_of_this_desk(method):
    for host, origin, mark in itertools.product(["127.0.0.1:8", "localhost:8", "127.0.0.1:9", "evil:8", ""],
                                                [None, "http://localhost:8", "http://127.0.0.1:8", "http://evil:8",
                                                 "https://localhost:8", "http://localhost:9"], [None, "1", "2"]):
        headers = {k: v for k, v in (("Origin", origin), ("X-Desk", mark)) if v}
        own = host in ("127.0.0.1:8", "localhost:8")
        taken = own and (method in ("GET", "HEAD") or
                         origin in ("http://localhost:8", "http://127.0.0.1:8") and mark == "1")
        assert (server.refused_request(method, host, headers, 8) == "") == taken


def test_a_key_is_one_person_s_or_nobody_s():
    keys = dict(ada="k1", bob="k2")
    found = [server.person_of(k, keys) for k in ("k1", "k2", "k", "k11", "", "药")]
    assert found == ["ada", "bob", None, None, None, None]


@every("name, size, taken", [("a.csv", 1, True), ("a.CSV", 1, True), ("a.csv", 0, False), ("a.xls", 1, False),
                             ("a.xlsx", 1, True), ("a.png", 9, True), ("a.exe", 9, False), ("a", 9, False),
                             ("a.csv.zip", 9, False)])
def test_files_that_may_be_brought(name, size, taken): assert (server.upload_refused(name, size) == "") == taken


def test_wells_that_somebody_filled_in():
    cells = {f"{r}{c}": " KAN 2 " for r in "APQa" for c in (0, 1, 9, 10, 24, 25)}
    cells |= {"B2": " ", "C3": "x"*99, "D04": "x"}
    got = server.cells_said(dict(cells=cells))
    assert set(got) == {f"{r}{c}" for r in "AP" for c in (1, 9, 10, 24)} | {"C3"}
    assert got["A1"].strip() == "KAN 2" and len(got["C3"]) <= 60
    assert server.cells_said({}) == server.cells_said(dict(cells=[1])) == {}


@every("lang, text", [("en", "one"), ("zh", "一"), ("fr", "one")])
def test_what_happened_to_a_job_is_told_from_a_number_on_in_a_language(lang, text):
    happened = [dict(id=3, what="told", en="one", zh="一"), dict(id=4, what="done")]
    job = SimpleNamespace(events=lambda after: [dict(o) for o in happened if o["id"] > after])
    said, last = server.event_lines(job, 2, lang)
    first, second = [o for o in said.split("\n\n") if o]
    assert last == 4 and first.startswith("id: 3\ndata: ") and second.startswith("id: 4\ndata: ")
    assert json.loads(first.partition("data: ")[2]) == dict(id=3, what="told", text=text)
    assert json.loads(second.partition("data: ")[2])["text"] == "" and server.event_lines(job, 4, lang) == ("", 4)


# --- what stands first

def drug(status, *others, **rates): return Result(verdicts=dict(enumerate([status, *others])), n=9, **rates)


def test_drugs_that_fail_come_first_and_of_other_limits_only_a_failure_counts():
    rates = dict(essential_agreement=Score(.5, .25, .75, k=5, n=10), major=Score(reason="none"))
    by = Result(B=drug("pass"), A=drug("pass", "insufficient n"), C=drug("insufficient n", "fail"),
                D=drug("not evaluated"), E=drug("insufficient n", **rates), F=Result(verdicts={}, n=0))
    rows = screens.verdict_rows(SimpleNamespace(result=Result(approval=Result(by=by))))
    assert [(o["name"], o["status"]) for o in rows] == [("C", "fail"), ("E", "insufficient n"), ("D", "not evaluated"),
                                                       ("F", "not evaluated"), ("A", "pass"), ("B", "pass")]
    assert rows[1]["figures"] == {"Essential agreement": "5/10 = 50.0 % (25.0-75.0)", "Major errors": "none"}


@every("classes, first", [(("no growth", "growth"), ["b", "d", "a", "c"]), (("x", "y", "z"), ["a", "b", "c", "d"])])
def test_of_two_classes_what_was_missed_comes_before_false_alarms(classes, first):
    t = pd.DataFrame(dict(id=list("abcd"), truth=["no growth", "growth"]*2))
    assert [o["id"] for o in screens._gravest_first(t, SimpleNamespace(classes=classes))] == first
    assert len(screens._gravest_first(pd.concat([t]*50), SimpleNamespace(classes=classes))) == 100
