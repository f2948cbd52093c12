"""The desk without a browser: who may ask what, what is refused, that the server computes nothing, that six writers on
one version are one and five, that no byte of a blind round tells, and that every word is there in both languages."""
import asyncio
import http.client
import importlib
import io
import json
import re
import signal
import subprocess
import sys
import threading
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from mic_eval.desk.jobs import Desk, upload_name
from mic_eval.desk import server as desk_server
from mic_eval.desk.screens import record_pdf
from mic_eval.desk.server import SAID_BY_SCRIPT, _REFUSALS, desk_words, serve
from test_corrections import reading   # noqa: F401  a fixture

page = files("mic_eval.desk")/"page"
TEMPLATES = {p.name: p.read_text(encoding="utf-8") for p in page.iterdir() if p.name.endswith(".html")}


class Client:
    "A person's browser, as far as bytes go"
    def __init__(self, port, key=""): self.port, self.key = port, key
    def __call__(self, method, path, body=None, host=None, **headers):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        host = host or f"127.0.0.1:{self.port}"
        own = {"Host": host, "Cookie": f"desk={self.key}"}
        if method not in ("GET", "HEAD"): own |= {"Origin": f"http://{host}", "X-Desk": "1"}
        if isinstance(body, dict): body = json.dumps(body)
        c.request(method, path, body, {k: v for k, v in (own | headers).items() if v is not None})
        r = c.getresponse()
        return r.status, r.read(), r
    def json(self, *args, **kw):
        status, raw, _ = self(*args, **kw)
        return status, json.loads(raw)


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    "A desk in a thread: `(folder, client of Li, client of Anna, client of nobody)`"
    place, known, ready = tmp_path_factory.mktemp("desk"), {}, threading.Event()
    def begin():
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        def told(links): known.update(links); ready.set()
        known["loop"], known["task"] = loop, loop.create_task(serve(place, ["Li", "Anna"], ready=told))
        try: loop.run_until_complete(known["task"])
        except asyncio.CancelledError: pass
    thread = threading.Thread(target=begin, daemon=True)
    thread.start()
    assert ready.wait(30)
    port = int(known["Li"].split(":")[2].split("/")[0])
    li, anna = (Client(port, known[name].partition("key=")[2]) for name in ("Li", "Anna"))
    yield place, li, anna, Client(port)
    known["loop"].call_soon_threadsafe(known["task"].cancel)
    thread.join(20)


@pytest.fixture(scope="module")
def plate(desk, reading):   # noqa: F811
    job = Desk(desk[0]).new_job("Li", "plate", "plate.png")
    reading.save(job.run)
    job.keep(status="done", version="by hand")
    return job


def test_links_become_cookies_and_leave_the_address(desk):
    _, li, _, nobody = desk
    status, raw, r = nobody("GET", f"/enter?key={li.key}")
    assert status == 200 and b'content="0;url=/"' in raw and li.key.encode() not in raw
    assert b'content="0;url=/"' in nobody("GET", f"/enter?key={li.key}&to=//evil.example")[1]
    cookie = r.headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and len(li.key) >= 32
    assert [nobody("GET", p)[0] for p in ("/", "/runs", "/enter", "/enter?key=x", "/desk.js")] == [401]*5
    status, raw, r = li("GET", "/")
    assert status == 200 and "default-src 'self'" in r.headers["Content-Security-Policy"]
    assert li.key not in raw.decode() and r.headers["Referrer-Policy"] == "no-referrer"


def test_hostile_requests_are_refused(desk, plate):
    place, li, anna, nobody = desk
    job, port = plate.id, li.port
    say, up = f"/api/job/{job}/say", "/api/upload?name=a.csv"
    body = dict(what="A1", to="growth", seen=0)
    (place/"secret.txt").write_text("secret")
    tries = [(li, "GET", "/", None, dict(host=h)) for h in ("evil.example", f"evil.example:{port}", "127.0.0.1",
                                                            f"127.0.0.1.evil.example:{port}", f"[::1]:{port}")]
    tries += [(li, "POST", say, body, h) for h in (
        {"Origin": None}, {"Origin": "http://evil.example"}, {"Origin": "null"}, {"X-Desk": None}, {"X-Desk": "0"},
        {"Origin": f"https://127.0.0.1:{port}x"}, {"Origin": f"http://127.0.0.1:{port+1}"})]
    tries += [(who, "POST", say, body, {}) for who in (anna, nobody)]
    own = f"/job/{job}"
    tries += [(anna, "GET", p, None, {}) for p in (own, f"/run?path=desk/Li/{job}/run", f"{own}/record.pdf",
                                                   f"/api{own}/photo", f"{own}/file/photo.png", f"{own}/record.csv",
                                                   f"/api{own}/plate", f"/api{own}/events")]
    tries += [(li, "GET", p, None, {}) for p in (
        "/job/../../secret.txt", f"{own}/file/../state.json", f"{own}/file/..%2fstate.json", "/job/20260101-00000000",
        f"{own}/file/people.json", "/desk/people.json", "/round/..", "/round/../../etc", "/round/desk",
        "/compare?a=..&b=..", "/compare?a=/etc&b=/etc", "/run?path=..", "/run?path=/etc", "/run?path=desk/Anna",
        "/run/file/x.html?path=..", f"{own}/photo.png",
        f"/round/desk/Li/{job}/pictures/000000000000.png", "/static/desk.js", "/desk.py")]
    tries += [(li, "POST", say, b, {}) for b in ("{", "[]", "null", b"\xff\xfe", "["*5000, "1", dict(body, seen="0"),
                                                 dict(body, seen=None), dict(body, what="Z99"),
                                                 dict(body, to="<script>"))]
    tries += [(li, "POST", f"/api/job/{job}/layout", b, {}) for b in (dict(panel="../people.json"), dict(cells=[1]))]
    tries += [(li, "PUT", up, None, {}), (li, "PUT", "/api/upload?name=a.exe", "x", {}),
              (li, "PUT", "/api/upload?name=a.xls", "x", {}), (anna, "PUT", f"{up}&job={job}", "x", {}),
              (li, "DELETE", "/", None, {}), (li, "POST", f"/api/job/{job}/remove", {}, {}),
              (li, "POST", "/api/round/../mark", {}, {})]
    assert len(tries) >= 40
    for who, method, path, sent, how in tries:
        status, raw, _ = who(method, path, sent, **how)
        assert 400 <= status < 500, (method, path, sent, how, status, raw[:200])
        assert b"secret" not in raw and b"Traceback" not in raw and li.key.encode() not in raw
    assert len(Desk(place).jobs("Li")) == 1 and not (plate.run/"record.jsonl").exists()


def test_too_much_is_refused_before_it_is_read(desk):
    _, li, _, _ = desk
    c = http.client.HTTPConnection("127.0.0.1", li.port, timeout=30)
    c.putrequest("PUT", "/api/upload?name=a.csv", skip_host=True)
    for k, v in {"Host": f"127.0.0.1:{li.port}", "Cookie": f"desk={li.key}", "Origin": f"http://127.0.0.1:{li.port}",
                 "X-Desk": "1", "Content-Length": str(65 << 20)}.items(): c.putheader(k, v)
    c.endheaders()
    try: assert c.getresponse().status >= 400
    except (http.client.HTTPException, OSError): pass   # the connection is closed, which refuses too


def test_a_name_names_the_run_and_never_a_path():
    names = "../../etc/passwd", "C:\\x\\..\\a.csv", "a/../../b.csv", "\x00.csv", "....", "", "新 方法.xlsx", "a"*300
    for name in names:
        assert re.fullmatch(r"[\w-][\w.-]{0,79}", upload_name(name)), name


def test_six_writers_on_one_version(desk, plate, reading, monkeypatch):   # noqa: F811
    from mic_eval.mic.photograph import PlateReading
    _, li, _, _ = desk
    found = []
    def write(i):
        said = dict(what=f"A{i+1}", to="growth", why="谁", seen=0)
        found.append(li.json("POST", f"/api/job/{plate.id}/say", said))
    threads = [threading.Thread(target=write, args=[i]) for i in range(6)]
    for t in threads: t.start()
    for t in threads: t.join()
    assert sorted(s for s, _ in found) == [200, 409, 409, 409, 409, 409]
    assert all("meanwhile: Li: A" in o["error"] for s, o in found if s == 409)
    now = PlateReading.open(plate.run)
    status, shown = li.json("GET", f"/api/job/{plate.id}/plate")
    assert {m["drug"]: m["mic"] for m in shown["mics"]} == dict(zip(now.mics.drug, now.mics.mic)) and len(now.said) == 1
    assert li.json("POST", f"/api/job/{plate.id}/say", dict(what="signature", to="approved", seen=1))[0] == 200
    status, said = li.json("POST", f"/api/job/{plate.id}/say", dict(what="A6", to="growth", seen=2))
    assert status == 400 and "signed by Li (approved)" in said["error"]
    status, new = li.json("POST", f"/api/job/{plate.id}/version", {})
    version = PlateReading.open(Desk(desk[0]).job("Li", new["job"]).run)
    assert status == 200 and version.mics.mic.tolist() == now.mics.mic.tolist()
    raw = li("GET", f"/job/{plate.id}?show=record")[1].decode()
    assert "The chain holds: 2 lines" in raw and "谁" in raw
    lines = (plate.run/"record.jsonl").read_bytes()
    pages = []
    exports = importlib.import_module("mic_eval.report.exports")
    monkeypatch.setattr(exports, "set_in_typst", lambda body, *_: pages.append(body) or b"")
    record_pdf(plate.path)
    for o in map(json.loads, lines.splitlines()):   # each with the beginning of its hash, to be found again
        assert f'[#"{o["hash"][:12]}"]' in pages[0] and f'[#"{o["when"][:19].replace("T", " ")}"]' in pages[0]
    (plate.run/"record.jsonl").write_bytes(lines.replace("谁".encode(), b"who"))
    assert "line 1 was edited" in li("GET", f"/job/{plate.id}?show=record")[1].decode()
    assert "line 1 was edited" in li("GET", f"/job/{plate.id}")[1].decode()   # a page, and no MIC
    (plate.run/"record.jsonl").write_bytes(lines)


def test_a_table_is_understood_and_hostile_text_stays_text(desk):
    _, li, _, _ = desk
    evil = "<script>alert(1)</script>"
    t = pd.DataFrame({"isolate": [evil, "=1+1", *(f"i{i}" for i in range(38))], "method A": ["<=0.5", "2"]*20,
                      "method B": ["1", ">8"]*20})
    status, new = li.json("PUT", "/api/upload?name=%3Cscript%3Ex.csv", t.to_csv(index=False))
    assert status == 200 and new["kind"] == "table"
    raw = li("GET", f"/job/{new['job']}")[1].decode()
    assert evil not in raw and "&lt;script&gt;alert(1)" in raw and raw.count("doubtful") == 2
    assert re.search(r'id="compare" disabled', raw)
    assert li.json("POST", f"/api/job/{new['job']}/start", {})[0] == 400
    assert li.json("POST", f"/api/job/{new['job']}/answers", dict(reference="method A", test="method B"))[0] == 200
    raw = li("GET", f"/job/{new['job']}", Cookie=f"desk={li.key}; lang=zh")[1].decode()
    assert not re.search(r'id="compare" disabled', raw) and "由您指定" in raw and "mics_run(" in raw
    for name, content in (("bad.xlsx", b"PK\x03\x04 no"), ("empty.csv", b"\n"), ("one.csv", b"a\n1\n"),
                          ("text.csv", b"\x00\x01\x02")):
        status, new = li.json("PUT", f"/api/upload?name={name}", content)
        status, raw, _ = li("GET", f"/job/{new['job']}")
        assert status in (200, 400) and (b"problem" in raw or b"doubtful" in raw) and b"Traceback" not in raw, name


def test_no_byte_of_a_blind_round_tells(desk):
    from mic_eval.desk.screens import blind_round
    place, li, anna, nobody = desk
    t = pd.DataFrame(dict(sample_id=["secret-a", "secret-b"], model="secret-model", expert_1="secret-call"))
    pictures = {k: np.full((9, 9), 80, np.uint8) for k in t.sample_id}
    blind_round(t, place/"round", ["Li"], pictures=pictures, title="Growth?")
    seen = li("GET", "/")[1]
    for _ in range(2):
        raw = li("GET", "/round/round")[1]
        code = re.search(rb'data-code="(\w+)"', raw)[1].decode()
        picture = re.search(rb'/round/round/pictures/\w+\.png', raw)[0].decode()
        status, shown, _ = li("GET", picture)
        assert status == 200 and (np.asarray(Image.open(io.BytesIO(shown)).convert("L")) == 80).all()
        seen += raw + shown + li("POST", "/api/round/round/mark", dict(code=code, mark="growth"))[1]
    assert b"secret" not in seen and b"Everything is read: 2" in li("GET", "/round/round")[1]
    assert anna("GET", "/round/round")[0] in (200, 404) and b"data-code" not in anna("GET", "/round/round")[1]
    assert li.json("POST", "/api/round/round/mark", dict(code=code, mark="perhaps"))[0] == 400


def words_of_templates():
    found = set()
    for text in TEMPLATES.values():
        found |= {a or b for a, b in re.findall(r"""\bt\((?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')""", text)}
    return found


def test_every_word_is_there_in_both_languages():
    source = (files("mic_eval.desk")/"server.py").read_text(encoding="utf-8")
    calls = re.findall(r'(?:self|request)\.t\(((?:\s*"(?:[^"\\]|\\.)*")+)', source)
    said = {"".join(re.findall(r'"((?:[^"\\]|\\.)*)"', o)) for o in calls} | set(_REFUSALS.values())
    said |= {getattr(desk_server, o) for o in ("_OLD", "_NEEDED", "_EMPTY", "ENDED", "TOO_LONG")}
    zh = desk_words("zh")
    assert sorted(o for o in words_of_templates() | said | set(SAID_BY_SCRIPT) if o not in zh) == []
    assert all(set(re.findall(r"{\w+}", k)) == set(re.findall(r"{\w+}", v)) for k, v in zh.items())
    script = (page/"desk.js").read_text(encoding="utf-8")
    assert sorted(o for o in re.findall(r'\bw\("([^"]+)"\)', script) if o not in SAID_BY_SCRIPT) == []


def test_pages_are_small_and_hold_no_script_of_their_own():
    size = sum((page/n).stat().st_size for n in ("desk.js", "desk.css"))
    assert size + max(map(len, TEMPLATES.values())) < 120_000
    for name, text in TEMPLATES.items():
        own = r"<script(?! type=\"application/json\"| src=)|<style|\bstyle=|\bon\w+=\"|https?://"
        assert not re.search(own, text), name


@pytest.mark.later
def test_the_server_imports_nothing_that_computes():
    code = ("import sys; import mic_eval.desk.command, mic_eval.desk.server; "
            "print([m for m in ('numpy', 'pandas', 'torch', 'mic_eval.mic.photograph') if m in sys.modules])")
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip().endswith("[]"), out
    code = "import sys; import mic_eval.cli.app; print('tornado' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "False"


@pytest.mark.later
def test_a_signal_ends_the_desk_whatever_it_is_doing():
    "An error raised from a handler is lost where Python ignores errors, as in a callback of the collector"
    code = """
import asyncio, os, signal, weakref
from mic_eval.cli.app import stop_gently, stop_number
from mic_eval.desk.command import until_signal
class Thing: pass
async def work():
    for _ in range(3):
        thing = Thing()
        weakref.finalize(thing, os.kill, os.getpid(), signal.SIGTERM)   # while Python ignores errors
        del thing
    try: await asyncio.Event().wait()
    finally: print("put away", flush=True)
stop_gently()
try: asyncio.run(until_signal(work()))
except KeyboardInterrupt: print("ended by", stop_number())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines() == ["put away", f"ended by {int(signal.SIGTERM)}"], done
