"Asking: a loop-back server that fails, stalls and sends broken JSON; kills; a tiny random network."
import json
import os
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from mic_eval.model.ask import Endpoint, Reply, Request, Stored, ask_model, image_part, text_of

KEY = "sk-very-secret"
ITEMS = [Request(str(i), (dict(role="user", content=f"题{i}"),)) for i in range(8)]


@pytest.mark.parametrize("mark", ["data:", "data: "])
@pytest.mark.parametrize("end", ["\n\n", "\r\n\r\n"])
def test_a_stream_of_events_may_have_a_blank_behind_its_mark_or_none(mark, end):
    "HTML standard, 9.2.6: one blank after the colon is left out"
    import io
    from mic_eval.model.ask import _streamed
    pieces = [dict(choices=[dict(delta=dict(role="assistant"))]), dict(choices=[dict(delta=dict(content="a"))]),
              dict(choices=[dict(delta=dict(content="1"), finish_reason="stop")]), dict(usage=dict(total_tokens=7))]
    held = [json.dumps(o) for o in pieces]
    text = ": hello" + end + "".join(mark+o+end for o in ["", *held, "[DONE]", "{no JSON"])
    data, first = _streamed(io.BytesIO(text.encode()), 1, time.monotonic()-2)
    (choice,) = data["choices"]
    assert choice["message"]["content"] == "a1" and choice["finish_reason"] == "stop"
    assert data["usage"]["total_tokens"] == 7 and 2 <= first < 3


class Server(BaseHTTPRequestHandler):
    script, seen, lock = [], [], threading.Lock()

    def log_message(self, *a): pass
    def do_GET(self): self.do_POST()
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with self.lock:
            Server.seen.append((self.path, self.headers.get("Authorization"), body))
            how = Server.script.pop(0) if Server.script else "ok"
        if how == "drop": return self.connection.close()
        if how == "stall": time.sleep(.6)
        if how == "redirect": return self.send(302, "", {"Location": "http://127.0.0.1:1/steal"})
        if isinstance(how, int):
            return self.send(how, f"error for {self.headers.get('Authorization')}", {"Retry-After": "0"})
        said = json.loads(body)["messages"][-1]["content"]
        text = said if isinstance(said, str) else said[0]["text"]
        reply = dict(choices=[dict(message=dict(content=f"答案：{text[-1]}", reasoning_content="想"),
                                   finish_reason="stop")], usage=dict(completion_tokens=3))
        self.send(200, {"broken": '{"choices": [', "html": "<html>", "odd": '{"choices": []}'}.get(how)
                  or json.dumps(reply))
    def send(self, code, text, headers={}):
        data = text.encode()
        try:
            self.send_response(code)
            for k, v in {"Content-Length": str(len(data)), **headers}.items(): self.send_header(k, v)
            self.end_headers(); self.wfile.write(data)
        except OSError: pass


@pytest.fixture
def server(monkeypatch):
    for k in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"): monkeypatch.delenv(k, raising=False)
    monkeypatch.setenv("MY_KEY", KEY)
    Server.script, Server.seen = [], []
    s = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=s.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{s.server_port}/v1"
    s.shutdown(); s.server_close()


def endpoint(url, **kw): return Endpoint(url, "tiny", "MY_KEY", **dict(timeout=5, retries=3, pause=.01) | kw)


def test_recovers(server, tmp_path):
    Server.script = [500, 429, "broken", "ok", "html", "drop", "odd", "ok"]
    rows = ask_model(endpoint(server), ITEMS, tmp_path/"a.jsonl")
    assert [r["text"] for r in rows] == [f"答案：{i}" for i in range(8)] and not any("error" in r for r in rows)
    assert rows[0]["reasoning"] == "想" and rows[0]["model"] == "tiny" and rows[0]["tokens"] == 3
    assert Server.seen[0][:2] == ("/v1/chat/completions", f"Bearer {KEY}")
    assert KEY not in (tmp_path/"a.jsonl").read_text(encoding="utf-8") + repr(endpoint(server))


def test_stall_and_final_errors(server, tmp_path):
    Server.script = ["stall"]*2 + [401, "redirect"]
    e = endpoint(server, timeout=.2, retries=1)
    rows = ask_model(e, ITEMS[:3], tmp_path/"a.jsonl")
    assert "2 attempts" in rows[0]["error"]
    assert rows[1]["error"].startswith("HTTP 401") and KEY not in rows[1]["error"]
    assert rows[2]["error"].startswith("HTTP 302") and len(Server.seen) == 4
    again = ask_model(endpoint(server), ITEMS[:3], tmp_path/"a.jsonl")
    assert again == rows and len(Server.seen) == 4
    assert not any("error" in r for r in ask_model(endpoint(server), ITEMS[:3], tmp_path/"a.jsonl", errors_again=True))


def test_threads_keep_order(server, tmp_path):
    rows = ask_model(endpoint(server), ITEMS, tmp_path/"a.jsonl", threads=4)
    assert [r["id"] for r in rows] == [json.loads(t)["id"]
                                       for t in (tmp_path/"a.jsonl").read_text(
                                           encoding="utf-8").splitlines()] == [q.id for q in ITEMS]


def test_picture_is_sent(server, tmp_path):
    from PIL import Image
    Image.new("RGB", (3, 3)).save(tmp_path/"t.png")
    q = Request("p", (dict(role="user", content=[dict(type="text", text="舌色1"), image_part(tmp_path/"t.png")]),))
    assert ask_model(endpoint(server), [q])[0]["text"] == "答案：1"
    part = json.loads(Server.seen[0][2])["messages"][0]["content"][1]
    assert part["image_url"]["url"].startswith("data:image/png;base64,")


CHILD = """
import os, sys, time
from mic_eval.model.ask import Request, ask_model, text_of
items = [Request(str(i), (dict(role="user", content=f"题{i}"),)) for i in range(40)]
def model(m): time.sleep(.01); return "答案：" + text_of(m)[-1]*30
print("go", flush=True)
ask_model(model, items, sys.argv[1], name="m", threads=2)
"""


@pytest.mark.later
def test_killed(tmp_path):
    whole, cut = tmp_path/"w"/"a.jsonl", tmp_path/"c"/"a.jsonl"
    for p in (whole, cut): p.parent.mkdir()
    run = lambda p: subprocess.Popen([sys.executable, "-c", CHILD, str(p)], stdout=subprocess.PIPE)
    run(whole).communicate()
    for _ in range(2):
        child = run(cut)
        child.stdout.readline(); time.sleep(.1); child.kill(); child.communicate()
    with open(cut, "ab") as f: f.write(b'{"id": "torn')
    run(cut).communicate()
    assert cut.read_bytes() == whole.read_bytes() and len(whole.read_bytes().splitlines()) == 40


def test_refusals(tmp_path):
    out = tmp_path/"a.jsonl"
    ask_model(lambda m: "A", ITEMS[:2], out, name="m")
    with pytest.raises(ValueError, match="a.jsonl, line 1: a response of model 'm'"):
        ask_model(lambda m: "A", ITEMS[:2], out, name="n")
    with pytest.raises(ValueError, match="is not asked now"): ask_model(lambda m: "A", ITEMS[:1], out, name="m")
    with pytest.raises(ValueError, match="more than once"): ask_model(lambda m: "A", ITEMS[:1]*2)
    with pytest.raises(TypeError, match="function of messages"): ask_model(3, ITEMS[:1])
    def broken(m): raise RuntimeError("out of memory")
    assert ask_model(broken, ITEMS[:1])[0]["error"] == "RuntimeError: out of memory"
    assert ask_model(Stored([dict(id="0", text="B", finish="length")]), ITEMS[:2])[0]["finish"] == "length"
    assert ask_model(lambda m: Reply("C", tokens=1), ITEMS[:1])[0]["tokens"] == 1


def test_tiny_network(tmp_path):
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    letters = "ABCD答案：。"
    net, out = torch.nn.GRU(16, 16, batch_first=True), torch.nn.Linear(16, len(letters))
    book = torch.nn.Embedding(256, 16)

    @torch.no_grad()
    def model(messages):
        x, h, text = book(torch.tensor([[ord(c) % 256 for c in text_of(messages)]])), None, ""
        for _ in range(6):
            y, h = net(x, h)
            text += letters[int(out(y[0, -1]).argmax())]
            x = book(torch.tensor([[ord(text[-1]) % 256]]))
        return text
    one, two = ask_model(model, ITEMS, tmp_path/"a.jsonl"), ask_model(model, ITEMS)
    assert [r["text"] for r in one] == [r["text"] for r in two] and all(len(r["text"]) == 6 for r in one)


def test_a_refusal_that_comes_apart_is_what_was_said():
    from mic_eval.model.ask import _reply_of
    said = dict(choices=[dict(message=dict(content=None, refusal="抱歉，我无法回答"), finish_reason="stop")])
    assert _reply_of(said).text == "抱歉，我无法回答"


@pytest.mark.parametrize("line, why", [
    ("{bad", "not JSON"), ("123", "no response of"), ("", "not JSON"),
    ('{"id": "0", "round": "x", "prompt_hash": ""}', "no response of"),
    ('{"id": "0", "question": "?", "answer": "A"}', "no response of"), ("twice", "stands there twice")])
def test_what_is_no_record_is_named_with_its_line(tmp_path, line, why):
    out = tmp_path/"a.jsonl"
    ask_model(lambda m: "A", ITEMS[:1], out, name="m")
    first = out.read_text()
    out.write_text(first+(first if line == "twice" else line+"\n"))
    with pytest.raises(ValueError, match=f"a.jsonl, line 2: .*{why}"): ask_model(lambda m: "A", ITEMS, out, name="m")
    assert out.read_text().startswith(first)   # and nothing that was paid for is touched


def test_the_command_says_what_failed_and_asks_nothing_without_a_key(server, tmp_path, monkeypatch):
    from typer.testing import CliRunner
    from mic_eval.cli.app import app
    items, out = tmp_path/"i.jsonl", tmp_path/"a.jsonl"
    asked = [dict(id=str(i), question=f"题目{i}", options=dict(A="甲", B="乙"), answer="A") for i in range(3)]
    items.write_text("".join(json.dumps(o)+"\n" for o in asked))
    here = ["ask", str(items), "--url", server, "--model", "tiny", "--out", str(out)]
    typed = lambda *more: CliRunner().invoke(app, [*here, *more])
    none = typed("--key-env", "NO_SUCH_KEY")
    assert none.exit_code == 2 and "NO_SUCH_KEY is empty" in none.output and not out.exists() and not Server.seen
    Server.script = [401]*2
    some = typed("--key-env", "MY_KEY", "--threads", "1")
    assert some.exit_code == 0 and "2 times: HTTP 401" in some.output and "--errors-again" in some.output
    assert KEY not in some.output
    again = typed("--key-env", "MY_KEY", "--errors-again")
    assert "holds 3 answers, 2 of them errors; 2 of 3 are asked now" in again.output and "times:" not in again.output
    other = typed("--prompt", "en")
    assert other.exit_code == 2 and "another prompt" in other.output and "asked now" not in other.output


def test_a_server_that_is_not_there_ends_the_asking(tmp_path, monkeypatch):
    "Nobody asks a thousand questions of a closed door; a door that closes midway costs no answer that was on its way"
    from mic_eval.model.ask import NoServer
    for k in ("http_proxy", "HTTP_PROXY", "no_proxy"): monkeypatch.delenv(k, raising=False)
    out, tries = tmp_path/"a.jsonl", []
    closed = Endpoint("http://127.0.0.1:9/v1", "m", retries=4, pause=.01)
    for threads in (1, 4):
        with pytest.raises(NoServer, match="no server answers at http://127.0.0.1:9/v1"):
            ask_model(closed, ITEMS, out, threads=threads)
        assert not out.read_bytes()   # no question became an error

    def attempt(self, request):
        tries.append(request.id)
        if request.id == "1":
            time.sleep(.5)
            return Reply("slow")
        if len(tries) > 4: raise ask._Again("closed", reached=False)
        return Reply("quick")
    from mic_eval.model import ask
    monkeypatch.setattr(Endpoint, "_attempt", attempt)
    with pytest.raises(NoServer): ask_model(Endpoint("http://h/v1", "m", retries=4, pause=.02), ITEMS, out, threads=4)
    kept = [json.loads(line) for line in out.read_text().splitlines()]
    assert {r["id"] for r in kept} >= {"0", "1"} and not any(r.get("error") for r in kept) and len(tries) < 30
    monkeypatch.setattr(Endpoint, "_attempt", lambda self, request: Reply(f"again {request.id}"))
    rows = ask_model(Endpoint("http://h/v1", "m"), ITEMS, out, threads=4)
    assert [r["id"] for r in rows] == [q.id for q in ITEMS] and rows[1]["text"] == "slow"


def test_one_lost_connection_is_none(monkeypatch):
    "A server that answers others is there: a question that found none is an error of its own, and asking goes on"
    from mic_eval.model import ask
    def attempt(self, request):
        if request.id == "3": raise ask._Again("closed", reached=False)
        if request.id == "4": raise ValueError("HTTP 400: no")
        return Reply("there")
    monkeypatch.setattr(Endpoint, "_attempt", attempt)
    rows = ask_model(Endpoint("http://h/v1", "m", retries=1, pause=.001), ITEMS)
    assert [r["id"] for r in rows if r.get("error")] == ["3", "4"]


@pytest.mark.parametrize("said, told", [
    ('{"error": {"message": "内容不合规"}}', "内容不合规"), ('{"error": "\\u5185\\u5bb9"}', "内容"), ("<html>", "<html>"),
    ("[]", "[]"), ('{"error": {"code": 3}}', "{'code': 3}"), ('{"detail": 1}', '{"detail": 1}')])
def test_what_a_server_says_of_an_error(said, told):
    from mic_eval.model.ask import _told
    assert _told(said) == told


def test_a_budget_reckons_with_the_answers_and_attempts_that_are_asked_for():
    "What nobody says is the same for the money, the server and the command"
    from dataclasses import fields
    from inspect import signature

    from mic_eval.model.ask import CostBudget
    from mic_eval.tcm.command import ask_command
    money, server = ({f.name: f.default for f in fields(cls)} for cls in (CostBudget, Endpoint))
    asked = {k: p.default for k, p in signature(ask_command).parameters.items()}
    assert money["max_tokens"] == asked["max_tokens"] and money["attempts"] == server["retries"]+1
    assert server["timeout"] == asked["timeout"]
