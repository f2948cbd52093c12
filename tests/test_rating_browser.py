"""The rating widget in a real browser: jupyter lab on this machine, Chromium, two answers marked by clicks.

Skipped where ipywidgets, jupyter lab, playwright or Chromium are not there. `make test-full` runs it."""
import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

chromium = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
lacks = [m for m in ("ipywidgets", "jupyterlab_widgets", "jupyterlab", "playwright")
         if importlib.util.find_spec(m) is None] + ([] if chromium else ["chromium"])
pytestmark = [pytest.mark.full, pytest.mark.skipif(bool(lacks), reason=f"not here: {', '.join(lacks)}")]

CELL = """from mic_eval.tcm import RatingSession, rating_widget
items = [dict(id=f"c{i}", model=m, question="何证？", text=f"answer {i}{j}") for i in range(3)
         for j, m in enumerate(("alpha", "beta"))]
session = RatingSession(items, "Li", "ratings", seed=1)
rating_widget(session, "en")"""


def _notebook(place):
    cell = dict(cell_type="code", id="a", metadata={}, execution_count=None, outputs=[], source=CELL)
    kernel = dict(kernelspec=dict(name="python3", display_name="Python 3", language="python"))
    (place/"rate.ipynb").write_text(json.dumps(dict(cells=[cell], metadata=kernel, nbformat=4, nbformat_minor=5)))


@pytest.fixture
def lab(tmp_path):
    _notebook(tmp_path)
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    home = dict(JUPYTER_CONFIG_DIR=str(tmp_path/"config"), JUPYTER_RUNTIME_DIR=str(tmp_path/"runtime"),
                JUPYTERLAB_SETTINGS_DIR=str(tmp_path/"settings"), JUPYTERLAB_WORKSPACES_DIR=str(tmp_path/"spaces"))
    job = subprocess.Popen([sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}",
                            "--ip=127.0.0.1", "--IdentityProvider.token=", f"--ServerApp.root_dir={tmp_path}"],
                           env=os.environ | home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(120):
        try: urllib.request.urlopen(f"http://127.0.0.1:{port}/api", timeout=2); break
        except OSError: time.sleep(.5)
    yield f"http://127.0.0.1:{port}", tmp_path
    job.terminate()
    job.wait(20)


def test_two_ratings_by_clicks(lab):
    from playwright.sync_api import sync_playwright
    address, place = lab
    with sync_playwright() as p, p.chromium.launch(executable_path=chromium,
                                                   args=["--no-sandbox", "--disable-gpu"]) as browser:
        page = browser.new_page(viewport=dict(width=1200, height=900))
        page.goto(f"{address}/lab/tree/rate.ipynb")
        page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=90_000)
        page.locator(".jp-Notebook .cm-content").first.click()
        page.wait_for_timeout(2000)
        page.keyboard.press("Shift+Enter")
        page.wait_for_selector(".widget-dropdown select", timeout=90_000)
        picks, go = page.locator(".widget-dropdown select"), page.get_by_role("button", name="Keep and go on")
        assert picks.count() == 5
        shown = page.locator(".jp-OutputArea").first.inner_text()
        assert "alpha" not in shown and "beta" not in shown
        go.click()
        page.get_by_text("choose something for every line").wait_for(timeout=20_000)
        for number, mark in ((1, "4"), (2, "cannot")):
            for k in range(5): picks.nth(k).select_option(index=4 if mark == "4" else 6)
            go.click()
            page.get_by_text(f"{number+1}/6").wait_for(timeout=20_000)
        if (where := os.environ.get("MIC_EVAL_BROWSER_SHOT")): page.screenshot(path=where)
    rows = [json.loads(line) for line in (place/"ratings"/"Li.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [set(r["to"].values()) for r in rows] == [{4}, {0}] and all(r["seconds"] >= 0 for r in rows)
    assert "alpha" not in (place/"ratings"/"Li.jsonl").read_text(encoding="utf-8")
