"A wild server: answers are on disk when they come, none is paid twice, kills lose what was under way, budgets hold"
import json
import os
import random
import signal
import threading
import time
from collections import Counter

import pytest
from hypothesis import given, settings, strategies as st

from mic_eval.core.files import lines_of
from mic_eval.model.ask import Endpoint, Reply, Request, ask_model
from mic_eval.model.ask import CostBudget, Price, most_tokens
from wild import WildServer

KEY = "sk-very-secret"
THREADS = 8


def questions(n): return [Request(str(i), (dict(role="user", content=f"题{i}"),)) for i in range(n)]


@pytest.fixture
def wild(monkeypatch):
    for k in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"): monkeypatch.delenv(k, raising=False)
    monkeypatch.setenv("MY_KEY", KEY)
    made = []
    def start(*a, **kw):
        made.append(WildServer(*a, **kw))
        return made[-1]
    yield start
    for s in made: s.close()


def model(server, **kw): return Endpoint(server.url, "tiny", "MY_KEY", **dict(timeout=.4, retries=3, pause=.01) | kw)


def rows_of(path): return [json.loads(o) for o in lines_of(path.read_bytes())[:-1] if o] if path.is_file() else []


def killed_after(server, path, n, seconds):
    "A process that asks and is killed after a while"
    child = os.fork()
    if child == 0:
        try: ask_model(model(server), questions(n), path, threads=THREADS)
        finally: os._exit(0)
    time.sleep(seconds)
    try: os.kill(child, signal.SIGKILL)
    except ProcessLookupError: pass
    os.waitpid(child, 0)


@pytest.mark.later
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("seed, kills", [(0, 3), pytest.param(1, 20, marks=pytest.mark.full)])
def test_kills_lose_what_was_under_way_and_nothing_is_paid_twice(wild, tmp_path, seed, kills):
    server, path, n, rng = wild(seed=seed), tmp_path/"a.jsonl", 120, random.Random(seed)
    for _ in range(kills):
        killed_after(server, path, n, rng.uniform(.05, .25))
        with server.lock: server.log.clear()
        held, before = {r["id"] for r in rows_of(path)}, dict(server.paid)
        lost = sum(before.values())-sum("text" in r and not r.get("error") for r in rows_of(path))
        assert lost <= (kills+1)*4*THREADS   # those under way at each kill
    rows = ask_model(model(server), questions(n), path, threads=THREADS)
    assert not {f"题{i}" for i in held} & set(server.log), "what the file held was asked again"
    assert [r["id"] for r in rows] == [str(i) for i in range(n)] == [r["id"] for r in rows_of(path)]
    assert KEY not in path.read_text(encoding="utf-8")
    good = [r for r in rows if not r.get("error")]
    assert all(r["text"].startswith(f"答案：{r['id'][-1]}") and r["tokens"] == 5 for r in good) and len(good) > .7*n
    errors = Counter(r["error"].split(":")[0].split(" (")[0] for r in rows if r.get("error"))
    assert {"HTTP 400", "HTTP 302"} <= set(errors)
    again = ask_model(model(server), questions(n), path, threads=THREADS, errors_again=True)
    assert [r for r in again if r["id"] in {g["id"] for g in good}] == good


def test_a_wait_that_a_server_asks_for_holds_for_all(wild):
    start, calls = time.monotonic(), []
    def way(text, times):
        calls.append(time.monotonic()-start)
        return "ok" if len(calls) > 1 else "wait"
    server = wild(way)
    import wild as module
    old = module.Wild.answer
    def answer(self, way, text, asked):
        if way == "wait": self.send(429, b"", "Retry-After: 1")
        else: old(self, way, text, asked)
    server.RequestHandlerClass = type("Waits", (module.Wild,), dict(answer=answer))
    e = model(server, timeout=5)
    assert ask_model(e, questions(1))[0]["attempts"] == 2 and calls[1] >= .95
    e._turn.put_off(.5)
    assert time.monotonic()-(before := time.monotonic()) < .1 and ask_model(e, questions(4), threads=4)
    assert min(c for c in calls[2:]) >= before-start+.45


def test_words_one_by_one(wild):
    pieces = []
    def stream(self, way, text, asked):
        assert asked["stream"] and asked["stream_options"] == dict(include_usage=True)
        self.wfile.write(b"HTTP/1.1 200 x\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
        said = [dict(choices=[dict(delta=dict(reasoning_content="想"))]), *(
            dict(choices=[dict(delta=dict(content=c))]) for c in "答案：A"),
            dict(choices=[dict(delta={}, finish_reason="stop")]),
            dict(choices=[], usage=dict(prompt_tokens=9, completion_tokens=6))]
        for o in said[:pieces[-1]]:
            self.wfile.write(b": hello\r\n\r\ndata: "+json.dumps(o, ensure_ascii=False).encode()+b"\r\n\r\n")
            time.sleep(.06)
        if pieces[-1] == 99: self.wfile.write(b"data: [DONE]\n\n")
    import wild as module
    server = wild(lambda *a: "")
    server.RequestHandlerClass = type("Streams", (module.Wild,), dict(answer=stream))
    pieces.append(99)
    e = model(server, stream=True, timeout=.3, retries=1)
    reply = e.reply_to(questions(1)[0])   # takes longer than the timeout, and is never silent so long
    assert (reply.text, reply.reasoning, reply.finish) == ("答案：A", "想", "stop") and reply.seconds > .3 > reply.first
    assert (reply.prompt_tokens, reply.tokens, reply.attempts) == (9, 6, 1)
    pieces.append(3)
    broken = e.reply_to(questions(1)[0])
    assert "broke off" in broken.error and broken.lost == 2 and not broken.text


def test_no_more_is_spent_than_was_allowed(wild):
    price, seen = Price(1., 1000.), []
    for limit in (0., .3, 50.):
        server = wild(seed=3)
        purse = CostBudget(price, limit, max_tokens=20, attempts=4)
        rows = ask_model(model(server), questions(40), threads=THREADS, budget=purse)
        paid = sum(server.paid.values())*price.of(20, 5)
        assert paid <= purse.spent*(1+1e-9) and purse.spent <= limit*(1+1e-9)
        assert not purse.held and len(rows) == len({r["id"] for r in rows})
        seen.append(len(rows))
    assert seen[0] == 0 and seen == sorted(seen) and seen[-1] == 40


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 50), st.booleans(), st.integers(0, 2)), max_size=25), st.floats(0, .1),
       st.integers(1, 5))
def test_budget_holds_whatever_comes_back(replies, limit, threads):
    asked, lock = [], threading.Lock()
    def say(messages):
        with lock: asked.append(messages)
        tokens, broken, lost = replies[int(messages[0]["content"][1:])]
        return Reply(error="x", lost=lost) if broken else Reply("A", tokens=tokens, prompt_tokens=9, lost=lost)
    purse = CostBudget(Price(10., 100.), limit, max_tokens=50, attempts=3)
    rows = ask_model(say, questions(len(replies)), threads=threads, name="m", budget=purse)
    assert purse.spent <= limit*(1+1e-9) and len(asked) == len(rows) and not purse.held


def test_tokens_are_never_more_than_bytes():
    assert most_tokens([dict(role="user", content="脾")]) == 23
    assert most_tokens([dict(role="user", content=[dict(type="text", text="a"), dict(type="image", path="x")])]) == 5021
