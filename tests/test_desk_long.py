"""The desk under strain: killed at twelve points, two hundred hostile files, a hundred corrections, ten thousand runs.
`make test-full` runs it; no browser is needed."""
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
import pytest

from mic_eval.desk.jobs import OVER, Desk
from test_corrections import reading   # noqa: F401  a fixture
from test_desk import Client, desk, plate   # noqa: F401  fixtures

pytestmark = pytest.mark.full


def opened(place):
    "A desk as a program of its own: `(process, client of Li)`"
    job = subprocess.Popen([sys.executable, "-m", "mic_eval", "desk", str(place), "--people", "Li", "--no-open"],
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                           env=os.environ | dict(OMP_NUM_THREADS="1"))
    link = job.stdout.readline().strip().partition(": ")[2]
    return job, Client(int(link.split(":")[2].split("/")[0]), link.partition("key=")[2])


def wait(until, seconds=120):
    end = time.monotonic() + seconds
    while not until() and time.monotonic() < end: time.sleep(.02)
    assert until()


def test_killed_at_twelve_points_nothing_is_lost(tmp_path):
    rng = np.random.default_rng(0)
    k = rng.integers(-3, 5, 300)
    written = [f"{2.**v:g}" for v in k], [f"{2.**v:g}" for v in k + rng.choice([-1, 0, 0, 1], 300)]
    table = pd.DataFrame(dict(isolate=range(300), drug=["AMI", "CIP", "GEN"]*100, BMD=written[0], new=written[1]))
    results, ended = set(), set()
    for point in range(12):
        server, li = opened(tmp_path)
        status, new = li.json("PUT", f"/api/upload?name=study{point}.csv", table.to_csv(index=False))
        job = Desk(tmp_path).job("Li", new["job"])
        if point % 2: li("GET", f"/job/{job.id}")
        assert li.json("POST", f"/api/job/{job.id}/start", {})[0] == 200
        wait(lambda: len(job.events()) > point or job.over())
        programs = psutil.Process(server.pid).children(recursive=True)
        server.send_signal(signal.SIGKILL)
        server.wait(60)
        server.stdout.close()
        psutil.wait_procs(programs, 60)
        assert not any(p.is_running() and p.status() != psutil.STATUS_ZOMBIE for p in programs), point
        before = job.events()
        at = job.state["status"]
        ended.add(at)
        server, again = opened(tmp_path)
        assert again.key == li.key
        assert at == "waiting" or job.state["status"] in OVER   # one that waited may run again by now
        if job.state["status"] == "interrupted":
            page = again("GET", f"/job/{job.id}")[1].decode()   # killed behind its results, it shows them
            assert "Nothing is lost" in page or (job.run/"results.json").is_file() and 'id="running"' not in page
            assert again.json("POST", f"/api/job/{job.id}/start", {})[0] == 200
        wait(lambda: job.state["status"] == "done")
        assert [e["id"] for e in job.events()][:len(before)] == [e["id"] for e in before]
        found = json.loads((job.run/"results.json").read_text(encoding="utf-8"))
        results.add(json.dumps(found["overall"], sort_keys=True))
        server.terminate()
        server.wait(60)
        server.stdout.close()
    assert len(results) == 1 and ended & {"running", "waiting"}


def hostile(n):
    "A file that somebody sends: `(name, bytes)`"
    draw = random.Random(n)
    script = "<script>alert(1)</script>"
    heads = [["isolate", "drug", "BMD", "new"], ["y_true", "y_prob"], [script, "=cmd|' /C calc'!A0", "a\x00b"],
             ["<=", ">"]]
    cells = ["1", "<=0.5", ">8", script, "\"><img src=x onerror=alert(1)>", "=HYPERLINK(\"http://evil\")", "",
             "NaN", "1e999", "-1", "{{7*7}}", "${7*7}", "\u202e", "＜＝０．５", "½", "'; DROP TABLE", "\ufeff", "𝟘", "9"*300]
    head = draw.choice(heads)
    rows = [head, *([draw.choice(cells) for _ in range(draw.choice([len(head), len(head)+1, 1]))]
                    for _ in range(draw.randrange(40)))]
    text = "\n".join(draw.choice([",", ";", "\t"]).join(r) for r in rows)
    coding = draw.choice(["utf-8", "utf-16", "gb18030", "utf-8-sig"])
    data = bytearray(text.encode(coding, "replace"))
    for _ in range(draw.randrange(4)):
        if data: data[draw.randrange(len(data))] = draw.randrange(256)
    end = draw.choice(["csv", "csv", "txt", "tsv", "xlsx", "parquet", "png", "jpg"])
    begin = dict(xlsx=b"PK\x03\x04", parquet=b"PAR1", png=b"\x89PNG\r\n\x1a\n", jpg=b"\xff\xd8\xff\xe0").get(end, b"")
    return f"{draw.choice(['', '../', script[:9], '表'])}{n}.{end}", begin + bytes(data) or b"x"


def test_two_hundred_hostile_files(desk):   # noqa: F811
    from urllib.parse import quote
    place, li, _, _ = desk
    for n in range(200):
        name, data = hostile(n)
        status, new = li.json("PUT", f"/api/upload?name={quote(name)}", data)
        assert status == 200, (name, new)
        paths = [f"/job/{new['job']}"] + [f"/api/job/{new['job']}/photo"]*(new["kind"] == "plate")
        for path in paths:
            status, raw, r = li("GET", path)
            text = raw.decode()
            assert status in (200, 400), (name, status, text[:300])
            assert "Traceback" not in text and "<script>alert" not in text and "<img src=x" not in text, name
            assert r.headers["Content-Security-Policy"].startswith("default-src 'self'")
        status, said = li.json("POST", f"/api/job/{new['job']}/start", {})
        assert status in (200, 400) and "Traceback" not in json.dumps(said)
        if status == 200: li.json("POST", f"/api/job/{new['job']}/stop", {})
    assert li("GET", "/")[0] == 200


def test_a_hundred_corrections_on_the_page_are_those_of_python(desk, plate, reading):   # noqa: F811
    from mic_eval.mic.photograph import PlateReading
    _, li, _, _ = desk
    draw, now = random.Random(5), reading
    for seen in range(100):
        well = draw.choice(reading.wells.well.tolist())
        call = draw.choice(["growth", "no growth", "cannot tell", "model"])
        status, shown = li.json("POST", f"/api/job/{plate.id}/say", dict(what=well, to=call, why="看", seen=seen))
        now = now.corrected(well, call, "Li", "看")
        assert status == 200 and {m["drug"]: m["mic"] for m in shown["mics"]} == dict(zip(now.mics.drug, now.mics.mic))
    kept = PlateReading.open(plate.run)
    assert kept.mics.equals(now.mics) and len(kept.said) == 100


def test_ten_thousand_runs(tmp_path):
    import shutil
    from mic_eval.desk.screens import runs_view
    from mic_eval.run.evaluation import make_run
    t = pd.DataFrame(dict(sample_id=[f"s{i}" for i in range(20)], y_true=[0, 1]*10, y_prob=[.2, .7]*10))
    t.to_csv(tmp_path/"t.csv")
    first = make_run(predictions=tmp_path/"t.csv", folder=tmp_path/"runs"/"00000", out=tmp_path/"runs").folder
    for i in range(1, 10_000):
        (tmp_path/"runs"/f"{i:05}").mkdir()
        for name in ("run.json", "results.json"): shutil.copy(first/name, tmp_path/"runs"/f"{i:05}"/name)
    assert runs_view(tmp_path)["all"] == 10_000
    begun = time.process_time()
    view = runs_view(tmp_path, words="0999")
    took = time.process_time() - begun
    assert view["all"] == 11 and len(runs_view(tmp_path)["rows"]) == 200 and took < 3   # benchmarks/desk has the figure
    (first/"results.json").write_text("{}")
    assert {r["status"] for r in runs_view(tmp_path, words="runs/00000")["rows"]} == {"broken"}
    print(f"{took:.3f} s")


def test_a_program_that_takes_too_long_is_ended():
    import asyncio
    from mic_eval.desk import server
    async def tried():
        p = server.Program(seconds=.2)
        first = await p.ask("ready", "zh")
        p.seconds = 60
        second = await p.ask("ready")
        p.end()
        await p.process.wait()
        return first, second
    first, second = asyncio.run(tried())
    assert (first["kind"], first["error"]) == ("Ended", server.desk_words("zh")[server.TOO_LONG])
    assert second["ok"] == "ready"
