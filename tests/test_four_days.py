"Four people's first day: a script types what they type, and looks for what they must see"
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from typer.testing import CliRunner

import mic_eval as me
from mic_eval.cli.app import app
from mic_eval.core.predictions import Predictions
from mic_eval.data.wells import LOOK, render_plate, render_plates, write_wells

chromium = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)


def typed(line): return CliRunner().invoke(app, line.split())


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_microbiologist_brings_a_spreadsheet_as_her_laboratory_writes_it(here):
    rng, steps = np.random.default_rng(0), ["0,25", "0,5", "1", "2", "4", "8"]
    rows = [(f"K{i//3:02}", drug, i % 6, rng.choice([-1, 0, 0, 0, 1])) for i in range(90)
            for drug in ("Ciprofloxacin",)]
    place = lambda k: steps[int(np.clip(k, 0, 5))]
    text = "Isolat;Antibiotikum;Referenz;Gerät\n" + "\n".join(f"{i};{d};{place(k)};{place(k + s)}"
                                                              for i, d, k, s in rows)
    Path("meine Werte.csv").write_bytes(text.encode("cp1252"))
    said = CliRunner().invoke(app, ["mics", "meine Werte.csv", "--reference", "Referenz", "--test", "Gerät",
                                    "--report", "none", "--out", "runs"])
    assert said.exit_code == 0, said.stderr
    assert "90 rows in Latin-1, separated by semicolons, decimal commas" in said.stderr
    assert "'Isolat' as isolate" in said.stderr
    # one standard alone would have hidden the other
    assert said.stderr.index("FAIL, fda-2009: ") < said.stderr.index("PASS, iso-20776-2-2021: All 3 criteria are met.")


@pytest.mark.full   # a photograph is read with the network
def test_and_a_photograph_that_cuts_off_the_plate(here):
    w = render_plate(size=60, look=replace(LOOK, radius=(.9, .94)), misread=0, bubble=0, seed=5)
    tiles = w.images.reshape(8, 12, 60, 60).transpose(0, 2, 1, 3).reshape(480, 720)
    Image.fromarray(np.pad(tiles, 20, constant_values=150)[:, :330]).save("cropped.png")
    pd.DataFrame(w.facts)[["well", "drug", "concentration", "role"]].to_csv("panel.csv", index=False)
    said = typed("read cropped.png --layout panel.csv --report none --out reading")
    assert said.exit_code == 2 or re.search(r"flag|unseen|not seen|covered",
                                            said.output.lower() + said.stderr.lower()), said.output
    if said.exit_code == 2: assert said.stderr.count("\n") <= 3 and "error:" in said.stderr


@pytest.mark.later
def test_the_engineer_brings_a_network_that_ends_in_a_sigmoid(here, monkeypatch):
    write_wells(render_plates(1, size=24, seed=1), here / "plates")
    (here / "mine.py").write_text(
        "import torch\nclass Net(torch.nn.Module):\n    def forward(self, x): return torch.sigmoid(40*(.62 - "
        "x.mean((1, 2, 3))))[:, None]\nnet = Net()\n")
    monkeypatch.syspath_prepend(here)
    said = typed("run --model mine:net --data plates --report none --out runs")
    assert said.exit_code == 2 and all(o in said.stderr
                                       for o in ("between 0 and 1", "--kind prob", "--kind logit")), said.stderr
    said = typed("run --model mine:net --data plates --kind prob --report none --out runs")
    assert said.exit_code == 0, said.stderr
    gated = typed("gate runs --model mine:net --profile none --report none --repeats 1")
    assert "output format: pass" in gated.stderr and "same predictions again: pass" in gated.stderr, gated.stderr
    (here / "models.yaml").write_text("- name: mine\n  model: mine:net\n")
    (here / "data.yaml").write_text("- name: wells\n  folder: plates\n")
    swept = typed("sweep models.yaml data.yaml --jobs 1 --report none --profile none --out swept")
    assert swept.exit_code == 2 and "--kind prob" in swept.stderr, swept.stderr
    swept = typed("sweep models.yaml data.yaml --jobs 1 --kind prob --report none --profile none --out swept")
    assert swept.exit_code == 0, swept.stderr
    p = me.run.open_run(Path(said.stdout.strip())).table
    assert np.array_equal(p.y_pred, (p.positive >= .5)*1) and p.positive.min() < .4 and p.positive.max() > .6


def test_the_researcher_wants_one_table_for_a_paper(here):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 400)
    p = np.clip(.5 + .3*(2*y - 1) + .3*rng.normal(size=400), .01, .99)
    rows = Predictions(np.arange(400).astype(str), y, p,
                       facts=pd.DataFrame(dict(drug=np.tile(["CIP", "GEN", "TMP", "NIT"], 100))))
    r = me.metrics.evaluate(rows, by="drug")
    table = r.to_latex(rows="drug", columns=["accuracy", "sensitivity", "roc_auc"])
    assert table.count(r"\begin{tabular}") == 1 and all(d in table for d in ("CIP", "GEN", "TMP", "NIT"))
    assert table.count("&") >= 3*5 and re.search(r"\(\d+\.\d--\d+\.\d\)", table)   # limits stand beside every number


@pytest.mark.full   # a report in a kernel, opened in a browser
@pytest.mark.skipif(not chromium, reason="needs Chromium: apt-get install chromium")
def test_the_assessor_opens_a_chinese_report_on_a_phone(here):
    from playwright.sync_api import sync_playwright
    rng = np.random.default_rng(2)
    pd.DataFrame(dict(sample_id=range(300), y_true=np.arange(300) % 2,
                      y_prob=np.clip(.5 + .3*(2*(np.arange(300) % 2) - 1) + .2*rng.normal(size=300), .01, .99),
                      drug=np.tile(["CIP", "GEN", "TMP"], 100))).to_csv("rows.csv", index=False)
    said = typed("run --predictions rows.csv --by drug --profile mic-release --report executive --lang zh --out runs")
    assert said.exit_code == 0, said.stderr
    page = Path(said.stdout.strip())
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page(viewport=dict(width=390, height=844))
        tab.goto(page.resolve().as_uri())
        wide = tab.evaluate("document.documentElement.scrollWidth")
        heads = tab.evaluate(
            "[...document.querySelectorAll('h1, h2, h3, th')].map(o => o.innerText.trim()).filter(Boolean)")
        browser.close()
    english = [h for h in heads if not re.search("[\u4e00-\u9fff]", h) and re.search("[a-z]{3}", h)]
    assert wide <= 390 and heads and not english, english
