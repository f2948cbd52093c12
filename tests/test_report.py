"The report as a reader gets it: one file, whole, legible on a phone, silent about the machine that made it."
import json
import os
import re
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from PIL import Image
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

import mic_eval
from mic_eval.core.results import NotApplicable, Result, Score
from mic_eval.run import blocks, samples, views
from mic_eval.run.evaluation import make_run
from mic_eval.run.report import clean_traces, find_report, report, report_parameters, reports, to_html
from mic_eval.run.store import Run, save_run

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    "A run with pictures and hostile names, and its technical report: `(run, html file)`"
    place = tmp_path_factory.mktemp("machine")
    (place / "wells").mkdir()
    rng, rows = np.random.default_rng(0), []
    for p in range(3):
        for k in range(8):
            grew = int(k < 4)
            rows.append(dict(sample_id=f"{HOSTILE}{p}{k}", path=f"{p}-{k}.png", plate=f"<b>P{p}", series=f"S{p}", drug=f"{HOSTILE}" if p == 0 else "CIP", role="test",
                             concentration=2.**(k-4), growth=grew, expert_mic="1"))
            Image.fromarray(np.uint8(np.clip(rng.normal(60 if (grew or k == 7) and k != 1 else 200, 20, (12, 12)), 0, 255))).save(place / "wells" / f"{p}-{k}.png")
    pd.DataFrame(rows).to_csv(place / "wells" / "manifest.csv", index=False)
    r = make_run(lambda x: np.clip(1.3 - 1.4*x.mean((1, 2, 3)), 0, 1), place / "wells", out=place / "runs", version="1")
    return r, report(r)


@pytest.fixture(scope="module")
def page(made): return BeautifulSoup(made[1].read_text(encoding="utf-8"), "html.parser")


def test_one_file_that_needs_nothing_else(made, page):
    assert made[1].parent == made[0].folder and {"technical.html", "technical.ipynb"} <= {p.name for p in made[1].parent.iterdir()}
    assert not page.find_all(["iframe", "link"]) and [s.get("src") for s in page.find_all("script")] == [None] and all(i["src"].startswith("data:image/png;base64,") for i in page.find_all("img"))
    assert not re.search(r"https?://|url\(|@import", made[1].read_text(encoding="utf-8"))
    assert made[1].stat().st_size < 1_500_000


def test_every_picture_has_words(page):
    assert len(page.find_all("img")) >= 9 and all(i.get("alt", "").strip() not in ("", "figure") for i in page.find_all("img"))
    assert all(f.figcaption for f in page.select("figure.plot"))


def test_headings_and_their_links(page):
    ids = [a["href"][1:] for a in page.nav.find_all("a")]
    assert len(ids) == 12 and all(page.find(id=i).name == "h2" for i in ids)
    assert page.html["lang"] == "en" and page.h1.text == "Technical report" and "Technical report: " in page.title.text


def test_numbers_of_the_results_stand_in_the_page(made, page):
    o, text = made[0].result.wells.overall, page.get_text(" ", strip=True).replace("\u00a0", " ")
    for s in o.sensitivity, o.specificity: assert f"{s.k}/{s.n}" in text and f"{s*100:.1f} %" in text
    assert f"{o.roc_auc:.3f}" in text and "too few groups" in text and made[0].result.verdict.title in text


def test_text_from_data_is_text(made):
    html = made[1].read_text(encoding="utf-8")
    assert HOSTILE not in html and "&lt;script&gt;alert(1)&lt;/script&gt;" in html and "<b>P0" not in html


def test_nothing_of_this_machine(made):
    for name in "technical.html", "technical.ipynb":
        text = (made[0].folder / name).read_text(encoding="utf-8")
        for trace in str(made[0].folder.parents[4]), str(Path.home()) + "/", str(Path(mic_eval.__file__).parent), os.getcwd() + "/": assert trace not in text, trace
    nb = nbformat.read(made[0].folder / "technical.ipynb", 4)
    assert "papermill" not in nb.metadata and 'run = "."' in "".join(c.source for c in nb.cells)


def test_code_is_hidden_and_front_matter_too(page):
    text = page.get_text()
    assert "skip_showdoc" not in text and "import" not in text and "when(see" not in text and "<Figure" not in text and "Axes" not in text


def test_the_page_in_a_browser(made):
    from playwright.sync_api import sync_playwright
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path="/usr/bin/chromium", args=["--headless", "--no-sandbox", "--disable-gpu"])
        for width in 360, 390, 1200:
            tab, wrong = browser.new_page(viewport=dict(width=width, height=800)), []
            tab.on("console", lambda m: wrong.append(m.text))
            tab.on("request", lambda r: wrong.append(r.url) if not r.url.startswith(("file:", "data:")) else None)
            tab.goto(made[1].as_uri())
            assert tab.evaluate("document.documentElement.scrollWidth") <= width and not wrong
            assert tab.evaluate("[...document.images].every(i => i.complete && i.naturalWidth > 0)")
            cut = tab.evaluate("[...document.querySelectorAll('main .html')].filter(e => e.scrollWidth > e.clientWidth + 1).length")
            assert not cut, f"{cut} tables must be scrolled sideways at {width}"
        browser.close()


def test_the_notebook_is_one_page_of_calls():
    for name in reports():
        cells = json.loads(find_report(name).read_text(encoding="utf-8"))["cells"]
        lines = [o for c in cells if c["cell_type"] == "code" for o in "".join(c["source"]).splitlines() if o.strip() and not o.startswith("#")]
        assert len(lines) <= (40 if name == "technical" else 60) and not [o for o in lines if re.match(r"\s*(def|class|for|while) ", o)]
        assert {"run", "model", "data", "predictions", "split", "seed", "out"} <= report_parameters(name).keys()


def notebook(path, *sources):
    nb = new_notebook(cells=[new_markdown_cell("# Own report"), new_code_cell('run = ""\nk = 1', metadata=dict(tags=["parameters"])), new_markdown_cell("## First"),
                             new_code_cell(sources[0]), new_markdown_cell("## Second part"), new_code_cell(sources[1])])
    nbformat.write(nb, path)
    return path


def test_a_failing_report_keeps_what_ran_and_the_older_page(tmp_path):
    r = save_run(tmp_path, Result(wells=Result(overall=Result(accuracy=Score(.5, k=1, n=2)))))
    html = report(r, notebook(tmp_path / "own.ipynb", "k", "40 + k"), out=tmp_path / "shown", k=2)
    old = html.read_bytes()
    assert ">42<" in re.sub(r"\s", "", html.read_text())
    with pytest.raises(ValueError, match=r"report 'own' failed in section 'Second part': ZeroDivisionError: division by zero; what ran is kept in .*own\.failed\.ipynb"):
        report(r, notebook(tmp_path / "own.ipynb", "k", "k/0"), out=tmp_path / "shown", k=2)
    kept = nbformat.read(tmp_path / "shown" / "own.failed.ipynb", 4)
    assert [o.output_type for c in kept.cells if c.cell_type == "code" for o in c.outputs] == ["execute_result", "error"] and str(tmp_path) not in json.dumps(kept)
    assert html.read_bytes() == old and sorted(p.name for p in html.parent.iterdir()) == ["own.failed.ipynb", "own.html", "own.ipynb"]


def test_unknown_reports_parameters_and_runs(tmp_path):
    with pytest.raises(ValueError, match="no report 'technicl'; did you mean 'technical'"): report(tmp_path, "technicl")
    with pytest.raises(ValueError, match="has no parameter 'modle'; did you mean 'model'"): report(tmp_path, modle="x")
    with pytest.raises(ValueError, match="no run in"): report(tmp_path)
    nbformat.write(new_notebook(cells=[]), tmp_path / "empty.ipynb")
    with pytest.raises(ValueError, match="0 cells tagged"): report(tmp_path, tmp_path / "empty.ipynb")
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="cannot make .*file/x"): report(Result(wells=Result()), out=tmp_path / "file" / "x")


def test_a_bare_result_can_be_reported(tmp_path):
    r = mic_eval.evaluate(mic_eval.read_predictions(pd.DataFrame(dict(growth=[0, 1]*20, y_prob=[.2, .7]*20))))
    html = mic_eval.report(r, out=tmp_path / "report")
    text = html.read_text(encoding="utf-8")
    assert html == tmp_path / "report" / "technical.html" and "No profile was asked for" in text and "Not applicable" in text
    assert Run(tmp_path / "report").result.wells.overall.accuracy == 1


# --- views

def test_views_survive_results_with_nothing_in_them(tmp_path):
    r = save_run(tmp_path, Result())
    for view in views.headline, views.criteria, views.caveats, views.methods, samples.worst_wells: assert view(r)._repr_html_()
    assert "Nothing" in blocks.scores(Result()).html and "Nothing" in blocks.group_scores(Result(), ["accuracy"]).html
    assert "did not compute" in blocks.when(None, len).html and "no plates" in blocks.when(NotApplicable("no plates"), len).html and blocks.when([1], len) == 1


def test_pictures_stay_in_their_folder(tmp_path):
    Image.new("L", (300, 100)).save(tmp_path / "secret.png")
    (tmp_path / "data").mkdir()
    Image.new("L", (300, 100)).save(tmp_path / "data" / "well.png")
    (tmp_path / "data" / "broken.png").write_bytes(b"no picture")
    assert samples.picture(tmp_path / "data", "well.png").startswith("data:image/png") and len(samples.picture(tmp_path / "data", "well.png")) < 2000
    for p in "../secret.png", "broken.png", "gone.png", str(tmp_path / "secret.png"): assert samples.picture(tmp_path / "data", p) is None


def test_traces_are_cut_from_text_and_not_from_pictures(tmp_path):
    nb = new_notebook(cells=[new_code_cell("x")])
    nb.cells[0].outputs = [nbformat.v4.new_output("display_data", data={"text/plain": f"{tmp_path}/a", "image/png": "AAAA"})]
    out = clean_traces(nb, tmp_path).cells[0].outputs[0].data
    assert out["text/plain"] == "…/a" and out["image/png"] == "AAAA"


def test_lang_and_title_are_escaped():
    html = to_html(new_notebook(cells=[new_markdown_cell("# A")]), HOSTILE, "zh")
    assert '<html lang="zh">' in html and HOSTILE not in html
