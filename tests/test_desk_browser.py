"""The desk in a real browser: from a spreadsheet to its report and from a photograph to a corrected, signed table, in
both languages, by keyboard, in a small window; no request leaves the machine. `make test-full` runs it."""
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

chromium = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
lacks = [m for m in ("playwright", "tornado") if importlib.util.find_spec(m) is None]
lacks += [] if chromium else ["chromium"]
pytestmark = [pytest.mark.full, pytest.mark.skipif(bool(lacks), reason=f"not here: {', '.join(lacks)}")]
SHOTS = os.environ.get("MIC_EVAL_DESK_SHOTS")
WORDS = dict(en=dict(growth="growth", compare="Compare", read="Read the plate", report="Report", sign="Sign as Li"),
             zh=dict(growth="生长", compare="比较", read="判读孔板", report="报告", sign="以 Li 签名"))


OVERLAPPING = """() => {
  const seen = e => e.offsetParent && !e.closest('.skip, .wide, dialog');
  const boxes = [...document.querySelectorAll('a, button, select, input')].filter(seen)
    .map(e => [e, e.getBoundingClientRect()]).filter(([, r]) => r.width && r.height);
  const beside = (r, q) => r.left >= q.right - 2 || r.top >= q.bottom - 2;
  const apart = (r, q) => beside(r, q) || beside(q, r);
  const bad = [];
  for (const [a, r] of boxes) for (const [b, q] of boxes)
    if (a !== b && !a.contains(b) && !b.contains(a) && !apart(r, q)) bad.push(a.outerHTML.slice(0, 90));
  return bad; }"""


def study(path, headings=("BMD", "new_method")):
    rng = np.random.default_rng(0)
    k = rng.integers(-3, 5, 120)
    written = lambda k: [f"{2.**v:g}" for v in np.clip(k, -3, 4)]
    t = {"菌株": [f"i{i}" for i in range(120)], "药物": ["AMI", "CIP", "GEN"]*40, headings[0]: written(k),
         headings[1]: written(k + rng.choice([-1, 0, 0, 1], 120))}
    pd.DataFrame(t).to_excel(path, index=False)
    return path


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    place = tmp_path_factory.mktemp("desk")
    job = subprocess.Popen([sys.executable, "-m", "mic_eval", "desk", str(place), "--people", "Li,Anna", "--no-open"],
                           stdout=subprocess.PIPE, text=True, env=os.environ | dict(OMP_NUM_THREADS="1"))
    links = dict(job.stdout.readline().strip().split(": ", 1) for _ in range(2))
    yield place, links
    job.terminate()
    job.wait(20)


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright
    with sync_playwright() as p, p.chromium.launch(executable_path=chromium,
                                                   args=["--no-sandbox", "--disable-gpu"]) as b: yield b


class Seen:
    "A page whose errors and requests are kept"
    def __init__(self, browser, link, lang="en", **how):
        self.context = browser.new_context(**(dict(viewport=dict(width=1280, height=950)) | how))
        self.page, self.errors, self.outside = self.context.new_page(), [], []
        self.page.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)
        self.page.on("pageerror", lambda e: self.errors.append(f"{self.page.url}: {e} {e.stack}"))
        self.page.on("request", lambda r: self.outside.append(r.url) if not r.url.startswith(
            ("http://127.0.0.1:", "data:", "about:", "blob:")) else None)
        self.page.set_default_timeout(180_000)
        self.page.goto(link)
        assert "key=" not in self.page.url
        if lang == "zh":
            with self.page.expect_navigation(): self.page.click("#language")
    def shot(self, name):
        if SHOTS: self.page.screenshot(path=str(Path(SHOTS)/f"{name}.png"), full_page=True)
    def close(self, allowed=()):
        assert [e for e in self.errors if not any(a in e for a in allowed)] == [] and self.outside == []
        self.context.close()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_spreadsheet_to_report(desk, browser, tmp_path, lang):
    place, links = desk
    s, w = Seen(browser, links["Li"], lang), WORDS[lang]
    page = s.page
    s.shot(f"home-{lang}")
    page.set_input_files("[data-upload=table]", study(tmp_path/f"研究 {lang}.xlsx", ("method A", "method B")))
    page.wait_for_selector("#compare")
    assert page.is_disabled("#compare") and page.locator(".doubtful").count() == 2   # nobody knows the reference
    s.shot(f"understood-{lang}")
    for role, column in (("reference", "method A"), ("test", "method B")):
        with page.expect_navigation(): page.select_option(f"#q-{role}", column)
    page.click("#compare")
    page.wait_for_selector("#running, iframe")
    page.wait_for_selector("iframe")
    rows = page.locator("tbody tr").all_inner_texts()
    assert len(rows) == 3 and all(any(d in r for d in ("AMI", "CIP", "GEN")) for r in rows)
    assert len(page.frame_locator("iframe").locator("body").inner_text()) > 1000
    s.shot(f"report-{lang}")
    job = place/"desk"/"Li"/page.url.rsplit("/", 1)[-1]
    found = json.loads((job/"run"/"results.json").read_text(encoding="utf-8"))
    assert found["settings"]["reference"] == "method A" and found["overall"]["n"] == 120
    s.close()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_photograph_to_signed_table(desk, browser, tmp_path, real_wells, lang):
    from playwright.sync_api import expect
    from mic_eval.mic.photograph import PlateReading
    place, links = desk
    s, page = Seen(browser, links["Li"], lang), None
    page = s.page
    listed = pd.read_csv(real_wells/"manifest.csv", dtype=dict(plate=str))
    name, t = next(iter(listed.groupby("plate")))
    t[["well", "drug", "concentration", "role"]].to_csv(tmp_path/"panel.csv", index=False)
    page.set_input_files("[data-upload=plate]", real_wells/"plates"/f"{name}.png")
    page.wait_for_selector("[data-layout]")
    page.set_input_files("[data-layout]", tmp_path/"panel.csv")
    page.wait_for_selector("#read:not([disabled])")
    s.shot(f"layout-{lang}")
    page.click("#read")
    page.wait_for_selector("#running")
    s.shot(f"running-{lang}")
    page.wait_for_selector("#photo .well")
    folder = place/"desk"/"Li"/page.url.rsplit("/", 1)[-1].partition("?")[0]/"run"
    before = PlateReading.open(folder)
    assert page.locator("#photo .well").count() == len(before.wells)
    s.shot(f"plate-{lang}")
    drug = next(m for m in before.mics.itertuples() if m.mic in ("0.5", "1", "2", "4", "0.25", "0.12"))
    series = before.wells[before.wells.drug == drug.drug]
    well = series[np.isclose(series.concentration, float(drug.mic))].well.iloc[0]
    at = before.wells.well.tolist().index(well)
    page.locator(f"#photo [data-i='{at}']").click()
    page.wait_for_selector("dialog[open]")
    page.fill("#why", "a faint button")
    s.shot(f"well-{lang}")
    page.click("dialog .choices button[value=growth]")
    page.wait_for_selector(f"#photo [data-i='{at}'].said rect")
    after = PlateReading.open(folder)
    shown = {r[0]: r[1] for r in (o.split("\t") for o in page.locator("#mics tbody tr").all_inner_texts())}
    assert {k: v if v != "–" else "" for k, v in shown.items()} == dict(zip(after.mics.drug, after.mics.mic))
    now = after.mics.set_index("drug")
    assert now.mic[drug.drug] != drug.mic and now.by[drug.drug] == "Li"
    assert page.evaluate("document.activeElement.dataset.i") == str(at)   # the dialog gave the focus back
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog[open]")
    page.keyboard.press("3")
    page.wait_for_selector("dialog:not([open])", state="attached")
    page.wait_for_selector("#undo:not([disabled])")
    page.click("#undo")
    expect(page.locator("#photo .said")).to_have_count(1)
    s.shot(f"corrected-{lang}")
    page.select_option("#sign select", "approved")
    page.click("#sign button")
    page.wait_for_selector("#closed:not([hidden])")
    s.shot(f"signed-{lang}")
    assert {r["what"] for r in PlateReading.open(folder).said} >= {well, "signature"}
    page.click("a[href$='show=record']")
    page.wait_for_selector("table")
    assert page.locator("tbody tr").count() == 4 and page.locator(".problem").count() == 0
    s.shot(f"record-{lang}")
    assert "Li" in (folder/"mics.csv").read_text()
    s.close()


def test_two_people_and_a_stranger(desk, browser, tmp_path):
    place, links = desk
    a, b = Seen(browser, links["Li"]), Seen(browser, links["Anna"])
    mine = [p.name for p in (place/"desk"/"Li").iterdir()]
    for job in mine[:2]:
        answer = b.page.goto(a.page.url.rsplit("/", 1)[0] + f"/job/{job}")
        assert answer.status == 404
    a.close()
    b.close(allowed=["404"])


def test_blind_reading_by_keyboard(desk, browser):
    from mic_eval.desk.screens import blind_round
    place, links = desk
    rng = np.random.default_rng(0)
    t = pd.DataFrame(dict(sample_id=[f"secret-{i}" for i in range(3)], model="secret-model"))
    blind_round(t, place/"round one", ["Li", "Anna"], pictures={k: rng.integers(0, 255, (40, 40), np.uint8)
                                                               for k in t.sample_id}, title="Growth?")
    s = Seen(browser, links["Li"])
    sent = []
    def keep(r):
        if r.url.startswith("http"):
            try: sent.append(r.body())
            except Exception: pass
    s.page.on("response", keep)
    s.page.click("text=round one")
    for i in range(3):
        s.page.wait_for_selector("#item")
        if not i: s.shot("blind")
        s.page.keyboard.press("2")
        with s.page.expect_navigation(): s.page.keyboard.press("Enter")
        if i == 1:   # a change of mind is a new line
            with s.page.expect_navigation(): s.page.keyboard.press("Backspace")
            s.page.keyboard.press("1")
            with s.page.expect_navigation(): s.page.keyboard.press("Enter")
    s.page.wait_for_selector("text=Everything is read")
    assert sent and not any(b"secret" in o for o in sent)
    lines = [json.loads(o) for o in (place/"round one"/"readings"/"Li.jsonl").read_text().splitlines()]
    assert len(lines) == 4 and sum(r["from"] is not None for r in lines) == 1
    s.close()


@pytest.mark.parametrize("how", [dict(viewport=dict(width=390, height=800)), dict(viewport=dict(width=640, height=475),
                                                                                 device_scale_factor=2)])
def test_small_windows_and_double_size(desk, browser, how):
    "390 pixels, and 200 % zoom of a window of 1280: nothing runs out of the page, and no two controls overlap"
    place, links = desk
    s = Seen(browser, links["Li"], **how)
    jobs = [p.name for p in sorted((place/"desk"/"Li").iterdir())]
    for path in ("/", "/runs", *(f"/job/{j}" for j in jobs), f"/job/{jobs[0]}?show=asking"):
        s.page.goto(s.page.url.split("/", 3)[0] + "//" + s.page.url.split("/")[2] + path)
        assert s.page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1"), path
        overlapping = s.page.evaluate(OVERLAPPING)
        assert overlapping == [], path
    s.shot(f"small-{how['viewport']['width']}")
    s.close()
