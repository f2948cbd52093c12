"The inspector's page: what it holds, how small it is, and an engineer who uses it in a real browser."
import json
import shutil
import time

import numpy as np
import pytest

from mic_eval.anomaly.inspector import inspector_page, run_lengths, small_map
from mic_eval.anomaly.run_source import maps_run

chromium = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)


def inspected(place, good=20, bad=10, side=32, seed=0):
    "A tree of two objects, whose detector overlooks every third scratch"
    from PIL import Image
    rng = np.random.default_rng(seed)
    for name in ("bottle", "nut"):
        for kind, k in (("good", good), ("scratch", bad), ("dent", bad)):
            for i in range(k):
                image, mask = rng.integers(60, 190, (side, side), dtype=np.uint8), np.zeros((side, side), np.uint8)
                if kind != "good":
                    a, b = rng.integers(2, side-8, 2)
                    mask[a:a+5, b:b+5] = 255
                strength = 0 if kind == "scratch" and i % 3 == 0 else 3
                stem = f"{name}/test/{kind}/{i:04}"
                for top, p, v in (("d", f"{stem}.png", image), ("m", f"{stem}.npy", None),
                                   ("d", f"{name}/ground_truth/{kind}/{i:04}_mask.png", mask if mask.any() else None)):
                    if top == "d" and v is None: continue
                    (place/top/p).parent.mkdir(parents=True, exist_ok=True)
                    if top == "d": Image.fromarray(v).save(place/top/p)
                    else: np.save(place/top/p, (rng.normal(0, .3, mask.shape)+strength*(mask > 0)).astype(np.float32))
    return maps_run(place/"d", place/"m", out=place/"runs", name="<b>half</b> & blind")


def held(page):
    return json.loads(page.read_text(encoding="utf-8").split('id="data">')[1].split("</script>")[0])


@pytest.fixture(scope="module")
def run(tmp_path_factory): return inspected(tmp_path_factory.mktemp("inspected"))


@pytest.mark.later
def test_the_page_holds_every_image_and_no_code_of_others(run):
    page = inspector_page(run)
    d, text = held(page), page.read_text(encoding="utf-8")
    assert len(d["images"]) == 80 and {o["name"] for o in d["objects"]} == {"bottle", "nut"}
    assert "<b>half" not in text and "https://" not in text and "src=\"http" not in text
    for o in d["images"]: assert o[9] and o[10] and (sum(o[12]) == o[11][0]*o[11][1] if o[3] else o[12] is None)


def test_masks_and_peaks_survive_being_small():
    rng = np.random.default_rng(0)
    for shape, side in (((50, 70), 16), ((7, 5), 5), ((33, 64), 10)):
        a = rng.random(shape)
        small = small_map(a, side)
        assert small.max() == a.max() and max(small.shape) <= side
        on, runs, flat, value = small > .95, run_lengths(small > .95), [], False
        for n in runs: flat, value = flat+[value]*n, not value
        assert flat == on.reshape(-1).tolist()


@pytest.mark.later
def test_a_page_is_written_where_pictures_and_maps_are_gone(run, tmp_path):
    shutil.copytree(run.folder, tmp_path/"run")
    from mic_eval.run.store import open_run
    again = open_run(tmp_path/"run")
    d = held(inspector_page(again, lang="zh"))
    assert len(d["images"]) == 80 and d["words"]["escapes"] == "漏检"


@pytest.mark.later
def test_the_command_writes_it_and_refuses_other_runs(run):
    from typer.testing import CliRunner
    from mic_eval.cli.app import app
    r = CliRunner().invoke(app, ["anomaly", "inspect", str(run.folder)])
    assert r.exit_code == 0 and r.stdout.strip().endswith("inspect.html")
    r = CliRunner().invoke(app, ["anomaly", "inspect", str(run.folder), "--rule", "max"])
    assert r.exit_code == 2 and "rule" in r.stderr


@pytest.mark.full
def test_1700_images_fit_into_15_mb(tmp_path):
    page = inspector_page(inspected(tmp_path, good=450, bad=200, side=128))
    assert len(held(page)["images"]) == 1700 and page.stat().st_size < 15e6


@pytest.mark.full
@pytest.mark.skipif(not chromium, reason="needs Chromium")
def test_an_engineer_finds_the_worst_escapes_in_three_clicks(run):
    pytest.importorskip("playwright")
    from playwright.sync_api import sync_playwright
    page_file, errors, asked = inspector_page(run), [], []
    rows = run.result.anomaly.images
    worst = rows[(rows.label == 1) & (rows.called == 0)]
    with sync_playwright() as p, p.chromium.launch(executable_path=chromium,
                                                   args=["--no-sandbox", "--disable-gpu"]) as browser:
        page = browser.new_page(viewport=dict(width=1300, height=900))
        page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda e: errors.append(str(e)))
        page.on("request", lambda r: asked.append(r.url))
        begun = time.time()
        page.goto(page_file.resolve().as_uri())
        page.wait_for_selector("body[data-ready]")
        assert time.time()-begun < 10   # 2 s on a quiet machine
        page.click("[data-kind=escapes]")   # 1
        assert page.locator(".card").count() == len(worst)
        page.click(".card >> nth=0")   # 2
        names = [page.inner_text("#name")]
        for _ in range(4):
            page.keyboard.press("ArrowRight")
            page.wait_for_function(f"document.getElementById('name').textContent !== {json.dumps(names[-1])}")
            names.append(page.inner_text("#name"))
        assert set(names) <= set(worst.sample_id) and len(set(names)) == 5
        assert "escapes" in page.inner_text("#facts") and "line" in page.inner_text("#c1")
        page.click("#close")   # 3
        def number(what): return float(page.inner_text(f"#{what} b").replace(",", ""))
        before = number("stops"), number("escapes"), page.inner_text("#cost")
        page.evaluate("const s = document.getElementById('slide'); s.value = -20; s.oninput()")
        page.wait_for_timeout(300)
        low = number("stops"), number("escapes"), page.inner_text("#cost")
        assert low[0] > before[0] and low[1] < before[1] and low[2] != before[2]
        page.click("#back")
        page.fill("#pescape", "100")
        page.wait_for_timeout(300)
        assert number("stops") == before[0] and page.inner_text("#cost") != before[2]
        page.select_option("#object", label="nut")
        page.select_option("#defect", label="scratch")
        page.wait_for_timeout(300)
        assert all("nut/test/scratch" in t for t in page.locator(".card").all_inner_texts())
        page.keyboard.press("Tab")
    assert not errors and not [u for u in asked if not u.startswith(("file:", "data:"))]
