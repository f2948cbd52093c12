"""The desk in a real browser: from a spreadsheet to its report and from a photograph to a corrected, signed table, in
both languages, by keyboard, in a small window; no request leaves the machine. `make test-full` runs it."""
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

chromium = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
lacks = [m for m in ("playwright", "tornado") if importlib.util.find_spec(m) is None]
lacks += [] if chromium else ["chromium"]
pytestmark = [pytest.mark.full, pytest.mark.skipif(bool(lacks), reason=f"not here: {', '.join(lacks)}")]
SHOTS, HERE = os.environ.get("MIC_EVAL_DESK_SHOTS"), Path(__file__).resolve().parent
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
        self.page.wait_for_url("**/")   # the key has left the address
        if lang == "zh":
            with self.page.expect_navigation(): self.page.click("#language")
    def shot(self, name, lang="en"):
        "A picture, where MIC_EVAL_DESK_SHOTS names a folder; those of the tutorial (`nbs/images`) are in English"
        if SHOTS and lang == "en": self.page.screenshot(path=str(Path(SHOTS)/f"{name}.png"), full_page=True)
    def close(self, allowed=()):
        assert [e for e in self.errors if not any(a in e for a in allowed)] == [] and self.outside == []
        self.context.close()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_spreadsheet_to_report(desk, browser, tmp_path, lang):
    place, links = desk
    s, w = Seen(browser, links["Li"], lang), WORDS[lang]
    page = s.page
    s.shot(f"home-{lang}")
    a, b = dict(en=("method A", "method B"), zh=("甲法", "乙法"))[lang]
    page.set_input_files("[data-upload=table]", study(tmp_path/f"研究 {lang}.xlsx", (a, b)))
    page.wait_for_selector("#compare")
    assert page.is_disabled("#compare") and page.locator(".doubtful").count() == 2   # nobody knows the reference
    s.shot(f"understood-{lang}")
    for role, column in (("reference", a), ("test", b)):
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
    assert found["settings"]["reference"] == a and found["overall"]["n"] == 120
    page.goto(s.page.url.rsplit("/job", 1)[0])   # the next table with these headings is answered as this one was
    page.set_input_files("[data-upload=table]", study(tmp_path/f"more {lang}.xlsx", (a, b)))
    page.wait_for_selector("#compare:not([disabled])")
    assert f"研究 {lang}.xlsx" in page.inner_text(".line")
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
    mine = [p.parent.name for p in (place/"desk"/"Li").glob("*/state.json")]
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
    jobs = [p.parent.name for p in sorted((place/"desk"/"Li").glob("*/state.json"))]
    for path in ("/", "/runs", *(f"/job/{j}" for j in jobs), f"/job/{jobs[0]}?show=asking"):
        s.page.goto(s.page.url.split("/", 3)[0] + "//" + s.page.url.split("/")[2] + path)
        assert s.page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1"), path
        overlapping = s.page.evaluate(OVERLAPPING)
        assert overlapping == [], path
    s.shot(f"small-{how['viewport']['width']}")
    s.close()


def test_corners_marked_by_hand_and_a_panel_that_is_known(desk, browser, real_wells):
    from mic_eval.data.plates import find_wells
    place, links = desk
    s = Seen(browser, links["Li"])
    page, photo = s.page, real_wells/"plates"/"DR0013.png"
    page.set_input_files("[data-upload=plate]", photo)
    page.wait_for_selector("#q-panel")
    page.select_option("#q-panel", "UKMYC6")
    page.wait_for_selector("#read:not([disabled])")
    page.click("#corners summary")
    page.wait_for_selector("#photo-corners image", state="attached")
    wide = page.evaluate("document.querySelector('#photo-corners').viewBox.baseVal.width")
    page.locator("#photo-corners").scroll_into_view_if_needed()
    scale = page.locator("#photo-corners").bounding_box()["width"]/wide
    for x, y in find_wells(str(photo)).centres[[0, 0, -1, -1], [0, -1, -1, 0]]:
        page.locator("#photo-corners").click(position=dict(x=x*scale, y=y*scale))
    marked = [page.locator("input.corner").nth(i).input_value() for i in range(4)]
    assert all("," in o for o in marked) and page.locator("#photo-corners g").count() == 4
    s.shot("corners")
    page.click("#read")
    page.wait_for_selector("#photo .well")
    assert page.locator("#photo .well").count() == 96 and "four wells that a person marked" in page.inner_text("#flags")
    assert page.locator("#mics tbody tr").count() == 13
    page.click("a[href$='show=record']")
    with page.expect_download() as got: page.click("a[href$='record.pdf']")
    assert Path(got.value.path()).read_bytes()[:5] == b"%PDF-"
    s.close()


def test_a_link_from_another_site_opens_the_desk(desk, browser, tmp_path):
    "A notebook or a mail has another origin: the cookie must be there all the same"
    import threading
    from functools import partial
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
    place, links = desk
    (tmp_path/"mail.html").write_text(f'<a href="{links["Li"]}">desk</a>')
    other = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(tmp_path)))
    threading.Thread(target=other.serve_forever, daemon=True).start()
    page = browser.new_context().new_page()
    page.goto(f"http://localhost:{other.server_port}/mail.html")
    page.click("a")
    page.wait_for_url("**/")
    assert page.locator("[data-upload=plate]").count() == 1 and "key=" not in page.url
    page.context.close()
    other.shutdown()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_pdf_and_word(desk, browser, lang):
    place, links = desk
    s = Seen(browser, links["Li"], lang)
    s.page.locator("tbody a", has_text=f"研究 {lang}.xlsx").first.click()
    s.page.wait_for_selector("iframe")
    for kind, begins in (("pdf", b"%PDF-"), ("docx", b"PK")):
        with s.page.expect_download() as got: s.page.click(f"[data-report={kind}]")
        assert Path(got.value.path()).read_bytes().startswith(begins)
    s.close()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_runs_worst_cases_and_two_side_by_side(desk, browser, tmp_path, lang):
    from mic_eval.run.evaluation import make_run
    place, links = desk
    truth = np.arange(40) % 2
    for name, wrong in (("one", [3, 8]), ("two", [3])):
        if (place/"runs"/name).exists(): continue
        prob = np.where(np.isin(np.arange(40), wrong), .99 - .98*truth, .1 + .8*truth)
        path = tmp_path/f"{name}.csv"
        pd.DataFrame(dict(sample_id=[f"s{i}" for i in range(40)], y_true=truth, y_prob=prob)).to_csv(path, index=False)
        make_run(predictions=path, folder=place/"runs"/name, out=place/"runs")
    s = Seen(browser, links["Li"], lang)
    page = s.page
    page.click("a[href='/runs']")
    page.fill("#only", "runs/")
    with page.expect_navigation(): page.press("#only", "Enter")
    assert page.locator("tbody tr").count() == 2
    s.shot(f"runs-{lang}")
    page.click("tbody a >> text=one")
    page.wait_for_selector(".worst li")
    assert [o.split("\n")[0] for o in page.locator(".worst li").all_inner_texts()] == ["s3", "s8"]
    s.shot(f"worst-{lang}")
    page.go_back()
    for box in page.locator("tbody input").all(): box.check()
    with page.expect_navigation(): page.click("#pick button")
    assert page.locator("h2 ~ .wide tbody tr").all_inner_texts()[-1].startswith("s8")
    s.shot(f"compare-{lang}")
    s.close()


def test_a_third_reader_decides_on_the_page(desk, browser):
    from mic_eval.desk.screens import blind_round, mark_item, open_blind
    place, links = desk
    t = pd.DataFrame(dict(sample_id=["secret-1", "secret-2"], model="secret-model"))
    folder = blind_round(t, place/"apart", ["Li", "Wang"], third="Anna")
    s = Seen(browser, links["Anna"])
    assert s.page.locator("text=apart").count() == 0   # not before the others have read
    for who in ("Li", "Wang"):
        for code, key, *_ in open_blind(folder)[who].tasks:
            mark_item(folder, who, code, "no growth" if (who, key) == ("Li", "secret-2") else "growth")
    s.page.reload()
    s.page.click("text=apart")
    s.page.wait_for_selector("#item")
    shown = s.page.content()
    assert "Two readers differ" in shown and not any(o in shown for o in ("secret", "Li", "Wang"))
    s.shot("third")
    s.page.keyboard.press("2")
    with s.page.expect_navigation(): s.page.keyboard.press("Enter")
    s.page.wait_for_selector("text=Everything is read")
    s.page.goto(s.page.url + "/agreement")
    assert "no growth (third reader)" in s.page.inner_text("li:has-text('secret-2')")
    s.close()

STEPS = re.compile(r"^\| (\d) \| (.+) \| (.+) \|$", re.M)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_tutorial_is_walked_by_its_own_words(desk, browser, tmp_path, real_wells, lang):
    from mic_eval.desk.server import desk_words
    from mic_eval.mic.photograph import PlateReading
    told = json.loads((HERE.parent/"nbs"/"tutorials"/"the_desk.ipynb").read_text(encoding="utf-8"))
    table = "\n".join("".join(c["source"]) for c in told["cells"] if "Three minutes" in "".join(c["source"]))
    steps = [re.findall(r"[*][*](.+?)[*][*]", en if lang == "en" else zh) for _, en, zh in STEPS.findall(table)]
    bold = [re.findall(r"[*][*](.+?)[*][*]", en) for _, en, _ in STEPS.findall(table)]
    words = desk_words("zh")
    if lang == "zh":   # both columns say the same words, as the page says them
        assert steps == [[words.get(o, words["Sign as {who}"].format(who="Li")) for o in row] for row in bold]
    assert [len(o) for o in steps] == [2, 3, 5, 2, 3, 2]
    place, links = desk
    s = Seen(browser, links["Li"], lang)
    page, began = s.page, time.perf_counter()
    def there(label): return page.get_by_text(label, exact=True).first
    def button(label, within="body"):
        return page.locator(f"{within} button").filter(has_text=re.compile(rf"^(\d )?{re.escape(label)}$"))
    s.shot("desk_home", lang)
    listed = pd.read_csv(real_wells/"manifest.csv", dtype=dict(plate=str))
    name, t = next(iter(listed.groupby("plate")))
    t[["well", "drug", "concentration", "role"]].to_csv(tmp_path/"panel.csv", index=False)
    photograph, asks = steps[0]
    page.locator("label").filter(has=there(photograph)).locator("input").set_input_files(
        real_wells/"plates"/f"{name}.png")
    page.get_by_role("heading").filter(has_text=asks).wait_for()
    layout, known, read = steps[1]
    assert there(known).is_visible()
    page.locator("label").filter(has=there(layout)).locator("input").set_input_files(tmp_path/"panel.csv")
    page.wait_for_selector("#read:not([disabled])")
    button(read).click()
    page.wait_for_selector("#photo .well")
    s.shot("desk_plate", lang)
    folder = place/"desk"/"Li"/page.url.rsplit("/", 1)[-1].partition("?")[0]/"run"
    look, why, *answers = steps[2]
    assert there(look).is_visible()
    before = PlateReading.open(folder)
    wells = before.wells
    well = wells[(wells.role == "test") & (wells.growth > .5)].index[-1]
    page.locator(f"#photo [data-i='{wells.index.get_loc(well)}']").click()
    page.wait_for_selector("dialog[open]")
    assert all(button(o, "dialog").is_visible() for o in answers)
    page.get_by_label(why, exact=True).fill("an air bubble")
    s.shot("desk_well", lang)
    button(answers[1], "dialog").click()
    page.wait_for_selector("#photo .said rect")
    by, undo = steps[3]
    heads = page.locator("#mics thead th").all_inner_texts()
    assert "Li" in page.locator(f"#mics tbody tr td:nth-child({heads.index(by)+1})").all_inner_texts()
    assert button(undo).is_enabled()
    sign, means, signed = steps[4]
    assert there(sign).is_visible()
    page.get_by_label(means).select_option("approved")
    button(signed).click()
    page.wait_for_selector("#closed:not([hidden])")
    sheet, record = steps[5]
    with page.expect_download() as got: page.locator("a", has_text=sheet).click()
    assert "Li" in Path(got.value.path()).read_text(encoding="utf-8")
    page.locator("a", has_text=record).click()
    page.wait_for_selector("table tbody tr")
    assert [r["what"] for r in PlateReading.open(folder).said] == [wells.well[well], "signature"]
    s.shot("desk_record", lang)
    print(f"from photograph to signed table, {lang}: {time.perf_counter()-began:.0f} s")
    s.close()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_axe_finds_nothing_on_any_screen(desk, browser, tmp_path, real_wells, lang):
    import sys
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]/"nbs"/"_site"))
    from axe import axe_source, found
    source = axe_source()
    if source is None: pytest.skip("axe is not here: pip install axe-playwright-python")
    place, links = desk
    s = Seen(browser, links["Li"], lang)
    page, root = s.page, "/".join(s.page.url.split("/")[:3])
    def made(kind):
        jobs = sorted((place/"desk"/"Li").glob("*/state.json"))
        return [p.parent.name for p in jobs if json.loads(p.read_text(encoding="utf-8"))["kind"] == kind]
    # where this test comes first, or alone
    if not made("table"): test_spreadsheet_to_report(desk, browser, tmp_path, lang)
    if not (place/"runs"/"two").exists(): test_runs_worst_cases_and_two_side_by_side(desk, browser, tmp_path, lang)
    if not (place/"round one").exists(): test_blind_reading_by_keyboard(desk, browser)
    if not (place/"apart").exists(): test_a_third_reader_decides_on_the_page(desk, browser)
    if not made("plate"): test_photograph_to_signed_table(desk, browser, tmp_path, real_wells, lang)
    plates, tables = made("plate"), made("table")
    failed = next(iter(tables))
    screens = ["/", "/runs", "/run?path=runs/one", "/compare?a=runs/one&b=runs/two", "/nowhere",
               "/round/apart/agreement", "/round/round%20one?number=1",
               f"/job/{plates[0]}", f"/job/{plates[0]}?show=record",
               f"/job/{plates[0]}?show=report", f"/job/{plates[-1]}?show=asking", f"/job/{failed}",
               f"/job/{failed}?show=asking"]
    def heard(where):
        page.evaluate(source)   # every screen is a page of its own
        return [(where, o) for o in found(page)]
    bad = []
    for path in screens:
        page.goto(root + path)
        bad += heard(path)
    page.goto(root + f"/job/{plates[0]}")
    page.wait_for_selector("#photo .well")
    page.locator("#photo .well").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog[open]")
    bad += heard("dialog")
    page.goto(root + "/")
    page.set_input_files("[data-upload=table]", files=[dict(name="bad.xlsx", mimeType="", buffer=b"PK no workbook")])
    page.wait_for_load_state()
    page.wait_for_selector(".problem")
    bad += heard("bad file")
    assert bad == [] and len(screens) == 13
    s.close(allowed=["404", "400"])
