"The report as a reader gets it: one file, whole, legible on a phone, silent about the machine that made it."
import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import nbformat
import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from PIL import Image
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

import mic_eval
from mic_eval.core.results import NotApplicable, Result, Score
from mic_eval.report import blocks, views as missing, samples, views
from mic_eval.report.blocks import when
from mic_eval.report.words import speaking
from mic_eval.run.evaluation import make_run
from mic_eval.report.kernel import clean_traces
from mic_eval.report.render import find_report, report, report_parameters, reports, to_html
from mic_eval.run.store import Run, save_run
from every import every

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
            rows.append(dict(sample_id=f"{HOSTILE}{p}{k}", path=f"{p}-{k}.png", plate=f"<b>P{p}", series=f"S{p}",
                             drug=f"{HOSTILE}" if p == 0 else "CIP", role="test",
                             concentration=2.**(k-4), growth=grew, expert_mic="1"))
            Image.fromarray(np.uint8(np.clip(rng.normal(60 if (grew or k == 7) and k != 1 else 200, 20, (12, 12)), 0,
                                             255))).save(place / "wells" / f"{p}-{k}.png")
    pd.DataFrame(rows).to_csv(place / "wells" / "manifest.csv", index=False)
    r = make_run(lambda x: np.clip(1.3 - 1.4*x.mean((1, 2, 3)), 0, 1), place / "wells", out=place / "runs", version="1")
    return r, report(r)


@pytest.fixture(scope="module")
def others(made):
    "The executive summary in Chinese and the detailed report of the same run"
    from mic_eval.report.words import font_of
    try: font_of("zh")
    except ValueError: pytest.skip("needs a font with Chinese letters: apt-get install fonts-noto-cjk")
    return report(made[0], "executive", lang="zh"), report(made[0], "detailed", most=10)


@pytest.fixture(scope="module")
def page(made): return BeautifulSoup(made[1].read_text(encoding="utf-8"), "html.parser")


@pytest.mark.later
def test_one_file_that_needs_nothing_else(made, page):
    assert made[1].parent == made[0].folder
    assert {"technical.html", "technical.ipynb"} <= {p.name for p in made[1].parent.iterdir()}
    assert not page.find_all(["iframe", "link"])
    assert [s.get("src") for s in page.find_all("script")] == [None]
    assert all(i["src"].startswith("data:image/png;base64,") for i in page.find_all("img"))
    assert not re.search(r"https?://|url\(|@import", made[1].read_text(encoding="utf-8"))
    assert made[1].stat().st_size < 1_500_000


@pytest.mark.later
def test_every_picture_has_words(page):
    assert len(page.find_all("img")) >= 9
    assert all(i.get("alt", "").strip() not in ("", "figure") for i in page.find_all("img"))
    assert all(f.figcaption for f in page.select("figure.plot"))


@pytest.mark.later
def test_headings_and_their_links(page):
    ids = [a["href"][1:] for a in page.nav.find_all("a")]
    assert len(ids) == 14 and all(page.find(id=i).name == "h2" for i in ids)
    assert page.html["lang"] == "en" and page.h1.text == "Technical report" and "Technical report: " in page.title.text


@pytest.mark.later
def test_numbers_of_the_results_stand_in_the_page(made, page):
    o, text = made[0].result.wells.overall, page.get_text(" ", strip=True).replace("\u00a0", " ")
    for s in o.sensitivity, o.specificity: assert f"{s.k}/{s.n}" in text and f"{s*100:.1f} %" in text
    assert f"{o.roc_auc:.3f}" in text and "too few groups" in text and made[0].result.verdict.title in text


@pytest.mark.later
def test_text_from_data_is_text(made):
    html = made[1].read_text(encoding="utf-8")
    assert HOSTILE not in html and "&lt;script&gt;alert(1)&lt;/script&gt;" in html and "<b>P0" not in html


def test_nothing_of_this_machine(made):
    for name in "technical.html", "technical.ipynb":
        text = (made[0].folder / name).read_text(encoding="utf-8")
        for trace in str(
            made[0].folder.parents[
                4]), str(Path.home(
                    )) + "/", str(Path(mic_eval.__file__).parent), os.getcwd() + "/": assert trace not in text, trace
    nb = nbformat.read(made[0].folder / "technical.ipynb", 4)
    assert "papermill" not in nb.metadata and 'run = "."' in "".join(c.source for c in nb.cells)


def test_code_is_hidden_and_front_matter_too(page):
    text = page.get_text()
    assert "skip_showdoc" not in text
    assert "import" not in text and "when(see" not in text and "<Figure" not in text and "Axes" not in text


@pytest.fixture(scope="module")
def browser():
    "A real browser; pages may ask for nothing and complain of nothing"
    from playwright.sync_api import sync_playwright
    with sync_playwright() as p, p.chromium.launch(executable_path="/usr/bin/chromium",
                                                   args=["--headless", "--no-sandbox", "--disable-gpu"]) as b: yield b


def opened(browser, path, width=1200, scheme="light"):
    tab = browser.new_page(viewport=dict(width=width, height=800), color_scheme=scheme)
    tab.wrong = []
    tab.on("console", lambda m: tab.wrong.append(m.text))
    tab.on("dialog", lambda d: (tab.wrong.append(d.message), d.dismiss()))
    tab.on("request", lambda r: tab.wrong.append(r.url) if not r.url.startswith(("file:", "data:")) else None)
    tab.goto(path.as_uri())
    return tab


@pytest.mark.full
@pytest.mark.parametrize("width", [360, 390, 1200])
@pytest.mark.later
def test_pages_in_a_browser(browser, made, others, width):
    for path in made[1], *others:
        tab = opened(browser, path, width)
        tab.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        assert tab.evaluate("document.documentElement.scrollWidth") <= width and not tab.wrong
        assert tab.evaluate("[...document.images].every(i => i.naturalWidth > 0 || i.loading == 'lazy')")
        cut = tab.evaluate(
            "[...document.querySelectorAll('main .html')].filter(e => e.scrollWidth > e.clientWidth + 1).length")
        assert path == others[1] or not cut, f"{cut} tables must be scrolled sideways at {width}"
        tab.close()


@pytest.mark.full
@pytest.mark.later
def test_no_table_is_wider_than_a_printed_page(browser, tmp_path):
    a4 = 688   # 182 mm: a sheet without its margins
    for name in reports():
        page = tmp_path / f"{name}.html"
        page.write_text(to_html(nbformat.read(find_report(name), 4)), encoding="utf-8")
        tab = opened(browser, page, a4)
        tab.emulate_media(media="print")
        assert tab.evaluate("document.documentElement.scrollWidth") <= a4, name
        wide = f"[...document.querySelectorAll('table')].filter(t => t.getBoundingClientRect().right > {a4} + 1).length"
        assert not tab.evaluate(wide), f"{name}: {tab.evaluate(wide)} tables run off the sheet"
        numbers = "[...document.querySelectorAll('table:not(:has(th:nth-child(9))) td.num b')]"
        torn = tab.evaluate(f"{numbers}.filter(b => b.getClientRects().length > 1).map(b => b.textContent)")
        assert not torn, f"{name}: numbers go over two lines: {torn[:5]}"
        tab.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.later
def test_nothing_keeps_a_reader_out(browser, made, others, scheme):
    from axe_playwright_python.sync_playwright import Axe
    for path in made[1], *others:
        tab = opened(browser, path, 390 if scheme == "dark" else 1200, scheme)
        tab.evaluate("[...document.querySelectorAll('details')].slice(0, 2).forEach(d => d.open = true)")
        found = [(v["impact"], v["id"], v["nodes"][0]["html"][:100]) for v in Axe().run(tab).response["violations"]]
        assert not found, (path.name, found)
        tab.close()


@pytest.mark.later
def test_headings_sort_by_number_and_by_keyboard(browser, made):
    tab = opened(browser, made[1])
    table = "[...document.querySelectorAll('main table')].find(t => t.querySelector('td[data-value]'))"
    values = lambda: tab.evaluate(f"[...{table}.querySelectorAll('td[data-value]')].map(c => +c.dataset.value)")
    before = values()
    tab.evaluate(f"{table}.querySelectorAll('thead button')[1].focus()")
    tab.keyboard.press("Enter")
    assert values() == sorted(before)
    assert tab.evaluate(f"{table}.querySelectorAll('th')[1].getAttribute('aria-sort')") == "ascending"
    tab.keyboard.press("Enter")
    assert values() == sorted(before, reverse=True)
    empty = tab.evaluate(f"[...{table}.tBodies[0].rows].map(r => r.cells[1].textContent.startsWith('–'))")
    assert empty == sorted(empty)   # what is missing stays last
    tab.close()


@pytest.mark.later
def test_no_script_but_ours_may_run(browser, tmp_path):
    page = tmp_path / "page.html"
    nb = new_notebook(cells=[new_code_cell("x", outputs=[nbformat.v4.new_output("display_data",
        data={"text/html": "<script>alert(1)</script><img src=x onerror=alert(2)>"})])])
    page.write_text(to_html(nb), encoding="utf-8")
    tab = browser.new_page()
    dialogs = []
    tab.on("dialog", lambda d: (dialogs.append(d.message), d.dismiss()))
    tab.goto(page.as_uri())
    assert not dialogs
    tab.close()


@pytest.mark.later
def test_the_executive_summary_in_chinese(made, others):
    page = BeautifulSoup(others[0].read_text(encoding="utf-8"), "html.parser")
    for command in page.find_all("pre"): command.decompose()   # what is typed is the same in every language
    text, o = page.get_text(" ", strip=True), made[0].result.wells.overall
    assert others[0].name == "executive.zh.html"
    assert page.html["lang"] == "zh" and page.h1.text == "管理摘要" and others[0].with_suffix(".ipynb").is_file()
    assert f"{o.sensitivity.k}/{o.sensitivity.n}" in text and "未通过" in text and "限值" in text
    english = re.findall(r"[A-Za-z]{3,} [a-z]{3,}", text)
    assert not english, english


@pytest.mark.later
def test_the_detailed_report_holds_every_number(made, others):
    run, page = made[0], BeautifulSoup(others[1].read_text(encoding="utf-8"), "html.parser")
    t = pd.read_csv(run.folder / "numbers.csv")
    those = [v for _, v in run.result.walk() if isinstance(v, (Score, NotApplicable, int, float))
             and not isinstance(v, bool)]
    assert len(t) == len(those) and t.value.notna().sum() == sum(isinstance(v, (int, float)) and v == v for v in those)
    wells = pd.read_csv(run.folder / "wells.csv")
    assert len(wells) == len(run.predictions) and not wells.astype(str).map(lambda v: v[:1] in "=+@").any(axis=None)
    opened = page.select("details.sample")
    wrong = int((run.predictions.y_pred != run.predictions.y_true).sum())
    assert len(opened) == 10
    assert all(d.img["src"].startswith("data:image/webp") for d in opened)
    assert [("wrong" in d.summary.text) for d in opened] == [True]*wrong + [False]*(10-wrong)
    assert others[1].stat().st_size < 1_500_000 and HOSTILE not in others[1].read_text(encoding="utf-8")


ONE_SIDED = {
    "all positive": dict(y_true=[1]*30, y_prob=np.linspace(.1, .9, 30)),
    "all negative": dict(y_true=[0]*30, y_prob=np.linspace(.1, .9, 30)),
    "one row": dict(y_true=[1], y_prob=[.7]),
    "one probability": dict(y_true=[0, 1]*15, y_prob=[.5]*30),
    "calls of one class": dict(y_true=[1]*30, y_pred=[0, 1]*15),
    "scores of one class": dict(y_true=[0]*30, y_score=np.linspace(-3, 9, 30)),
    "hardly a weight": dict(y_true=[0, 1]*15, y_prob=np.linspace(.1, .9, 30), weight=[0]*28+[1, 1])}


@pytest.mark.later
@pytest.mark.parametrize("table", ONE_SIDED)
def test_a_table_that_shows_one_side_has_its_report(table, tmp_path):
    "A curve of one class has no point: it is left out, and the page stands"
    pd.DataFrame(ONE_SIDED[table]).to_csv(tmp_path / "t.csv", index=False)
    page = report(make_run(predictions=tmp_path / "t.csv", out=tmp_path / "runs"), "technical")
    words = BeautifulSoup(Path(page).read_text(encoding="utf-8"), "html.parser").get_text(" ")
    assert not re.search(r"\b(nan|None)\b", words) and len(words) > 1000


@pytest.mark.later
def test_two_thousand_wells_stay_small(tmp_path):
    rng, n = np.random.default_rng(0), 2000
    (tmp_path / "data").mkdir()
    for i in range(n):
        # noise: the worst that a picture can be
        if i < 250: Image.fromarray(np.uint8(rng.integers(0, 255, (100, 100)))).save(tmp_path / "data" / f"{i}.png")
    y = rng.integers(0, 2, n)
    facts = pd.DataFrame(dict(sample_id=[f"w{i:04d}" for i in range(n)], growth=y,
                              y_prob=np.where(np.arange(n) < 250, 1-y, y)*.8+.1, path=[f"{i}.png" for i in range(n)],
                              plate=[f"P{i//96}" for i in range(n)],
                              well=[f"{'ABCDEFGH'[i%96//12]}{i%12+1}" for i in range(n)], drug="<AMI>",
                              concentration=1.))
    from types import SimpleNamespace
    run = SimpleNamespace(folder=tmp_path, result=Result(), about=dict(data=dict(folder="data")),
                          predictions=mic_eval.read_predictions(facts))
    html = samples.sample_list(run).html
    assert html.count("<details") == html.count("data:image/webp") == 200
    assert len(html) < 4_000_000 and "<AMI>" not in html
    assert html.count("<symbol") == len({f"P{i//96}" for i in range(200)}) and "200 of 2000" in html


@pytest.mark.full
def test_files_of_predictions_and_pairs_have_all_four(tmp_path):
    t = pd.DataFrame(dict(growth=[0, 1]*20, y_prob=[.2, .7]*20))
    r = save_run(tmp_path, Result(wells=mic_eval.evaluate(mic_eval.read_predictions(t))))
    text = BeautifulSoup(report(r, "detailed").read_text(encoding="utf-8"), "html.parser").get_text(" ")
    assert "the run holds no predictions" in text
    assert "Not in this report" in text


def test_an_unknown_language_is_refused_before_anything_runs(tmp_path):
    r = save_run(tmp_path, Result())
    with pytest.raises(ValueError, match="no language 'klingon'; there is en"):
        report(r, "executive", lang="klingon")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["results.json", "run.json"]


READ = "tcm", "anomaly", "label_noise", "domain"   # reports of tables that no model of ours makes


def test_the_notebook_is_one_page_of_calls():
    for name in reports():
        cells = json.loads(find_report(name).read_text(encoding="utf-8"))["cells"]
        trees = [ast.parse("".join(c["source"])) for c in cells if c["cell_type"] == "code"]
        assert sum(len(t.body) for t in trees) <= (50 if name == "technical" else 64)
        loops = ast.FunctionDef, ast.ClassDef, ast.For, ast.While
        assert not [n for t in trees for n in ast.walk(t) if isinstance(n, loops)]


def notebook(path, *sources):
    nb = new_notebook(cells=[new_markdown_cell("# Own report"),
                             new_code_cell('run = ""\nk = 1', metadata=dict(tags=["parameters"])),
                             new_markdown_cell("## First"),
                             new_code_cell(sources[0]), new_markdown_cell("## Second part"), new_code_cell(sources[1])])
    nbformat.write(nb, path)
    return path


@pytest.mark.later
def test_a_failing_report_keeps_what_ran_and_the_older_page(tmp_path):
    r = save_run(tmp_path, Result(wells=Result(overall=Result(accuracy=Score(.5, k=1, n=2)))))
    html = report(r, notebook(tmp_path / "own.ipynb", "k", "40 + k"), out=tmp_path / "shown", k=2)
    old = html.read_bytes()
    assert ">42<" in re.sub(r"\s", "", html.read_text())
    with pytest.raises(
        ValueError, match=r"report 'own' failed in section 'Second part': ZeroDivisionError: division by zero; what "
                          r"ran is kept in .*own\.failed\.ipynb"):
        report(r, notebook(tmp_path / "own.ipynb", "k", "k/0"), out=tmp_path / "shown", k=2)
    kept = nbformat.read(tmp_path / "shown" / "own.failed.ipynb", 4)
    assert [o.output_type for c in kept.cells if c.cell_type == "code" for o in c.outputs] == ["execute_result",
        "error"] and str(tmp_path) not in json.dumps(kept)
    assert html.read_bytes() == old
    assert sorted(p.name for p in html.parent.iterdir()) == ["own.failed.ipynb", "own.html", "own.ipynb"]


def received(place, *names):
    "A run whose folder holds modules of these names, each of which leaves a file `ran` when it is imported"
    (place / "run").mkdir()
    r = save_run(place / "run", Result(wells=Result(overall=Result(accuracy=Score(.5, k=1, n=2)))))
    for name in names:
        (r.folder / f"{name}.py").write_text(f"open({str(place / 'ran')!r}, 'w'); raise SystemExit")
    return r


@pytest.mark.later
def test_a_received_run_runs_nothing(tmp_path):
    r = received(tmp_path, "pandas", "matplotlib", "sitecustomize", "usercustomize")
    own = notebook(
        tmp_path / "own.ipynb", "import os, sys, pandas, matplotlib\nos.listdir(), [p for p in sys.path if not "
                                "os.path.isabs(p)]", "os.path.isabs(run)")
    page = BeautifulSoup(report(r, own).read_text(encoding="utf-8"), "html.parser")
    assert not (tmp_path / "ran").exists() and "([], [])" in page.get_text() and "True" in page.get_text()
    assert str(tmp_path) not in (r.folder / "own.ipynb").read_text()
    assert 'run = \\".\\"' in (r.folder / "own.ipynb").read_text()


@pytest.mark.later
def test_a_command_typed_in_a_received_folder_runs_nothing_of_it(tmp_path):
    r = received(tmp_path, "pandas", "matplotlib", "seaborn", "nbformat")
    typed = [sys.executable, "-m", "mic_eval", "report", ".", "--out", str(tmp_path / "shown")]
    done = subprocess.run(typed, cwd=r.folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "shown" / "technical.html").is_file() and not (tmp_path / "ran").exists()


def test_unknown_reports_parameters_and_runs(tmp_path):
    with pytest.raises(ValueError, match="no report 'technicl'; did you mean 'technical'"): report(tmp_path, "technicl")
    with pytest.raises(ValueError, match="has no parameter 'modle'; did you mean 'model'"): report(tmp_path, modle="x")
    with pytest.raises(ValueError, match="no run in"): report(tmp_path)
    nbformat.write(new_notebook(cells=[]), tmp_path / "empty.ipynb")
    with pytest.raises(ValueError, match="0 cells tagged"): report(tmp_path, tmp_path / "empty.ipynb")
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="cannot make .*file/x"):
        report(Result(wells=Result()), out=tmp_path / "file" / "x")


@pytest.mark.full
def test_a_bare_result_can_be_reported(tmp_path):
    r = mic_eval.evaluate(mic_eval.read_predictions(pd.DataFrame(dict(growth=[0, 1]*20, y_prob=[.2, .7]*20))))
    html = mic_eval.report(r, out=tmp_path / "report")
    text = html.read_text(encoding="utf-8")
    assert html == tmp_path / "report" / "technical.html"
    assert "No profile was asked for" in text and "Not applicable" in text
    assert Run(tmp_path / "report").result.wells.overall.accuracy == 1


# --- views

def test_views_survive_results_with_nothing_in_them(tmp_path):
    r = save_run(tmp_path, Result())
    for view in views.headline, views.criteria, views.caveats, views.methods, samples.worst_samples:
        assert view(r)._repr_html_()
    assert "Nothing" in blocks.score_table(Result()).html
    assert "Nothing" in blocks.group_scores(Result(), ["accuracy"]).html
    assert "Not computed" in blocks.when(None, len).html
    assert "no plates" in blocks.when(NotApplicable("no plates"), len).html and blocks.when([1], len) == 1


def test_pictures_stay_in_their_folder(tmp_path):
    Image.new("L", (300, 100)).save(tmp_path / "secret.png")
    (tmp_path / "data").mkdir()
    Image.new("L", (300, 100)).save(tmp_path / "data" / "well.png")
    (tmp_path / "data" / "broken.png").write_bytes(b"no picture")
    assert samples.picture(tmp_path / "data", "well.png").startswith("data:image/png")
    assert len(samples.picture(tmp_path / "data", "well.png")) < 2000
    for p in "../secret.png", "broken.png", "gone.png", str(tmp_path / "secret.png"):
        assert samples.picture(tmp_path / "data", p) is None


def test_traces_are_cut_from_text_and_not_from_pictures(tmp_path):
    nb = new_notebook(cells=[new_code_cell("x")])
    nb.cells[0].outputs = [nbformat.v4.new_output("display_data",
                                                  data={"text/plain": f"{tmp_path}/a", "image/png": "AAAA"})]
    out = clean_traces(nb, tmp_path).cells[0].outputs[0].data
    assert out["text/plain"] == "…/a" and out["image/png"] == "AAAA"


def test_lang_and_title_are_escaped():
    html = to_html(new_notebook(cells=[new_markdown_cell("# A")]), HOSTILE, "zh")
    assert '<html lang="zh">' in html and HOSTILE not in html


@every("typed, again", [
    ({"--predictions": "my wells.csv", "--suite": "smoke", "--seed": "3"},
     "mic-eval run --predictions 'my wells.csv' --seed 3 --suite full"),
    ({"--model": "wellnet", "--data": "d", "--layers": "basic", "--fresh": True, "--report": "none"},
     "mic-eval run --model wellnet --data d --suite full"),
    ({"--param": ["title=A", 3], "--trust": True}, "mic-eval run --param title=A --param 3 --trust --suite full"),
    ({"--model": "$(reboot)"}, "mic-eval run --model '$(reboot)' --suite full"), ({}, ""), (None, "")])
def test_the_command_of_a_run_with_another_suite(typed, again):
    assert missing.command_with(SimpleNamespace(about=dict(typed=typed), result={}), "full") == again


def test_what_was_not_asked_comes_with_its_command_and_what_cannot_be_answered_with_its_reason(made):
    r = made[0]
    page = when(views.finder(r)("edge_cases.slices"), len).html
    assert "Not applicable" not in page and "--suite standard" in page
    no_sites = when(views.finder(r)("shift.to"), len).html
    assert "Not applicable" in no_sites and "site or split" in no_sites and "--suite" not in no_sites


def test_a_pass_does_not_hide_another_profiles_failure():
    one = lambda status: Result(profile=status, title="", status=status, counts={status: 1}, criteria=[
        Result(metric="accuracy", status=status)])
    run = SimpleNamespace(result=Result(verdict=one("pass"), verdicts=Result(a=one("pass"), b=one("fail"))))
    text = BeautifulSoup(views.judged_by(run), "html.parser")
    assert [p.get_text() for p in text.select(".status")] == ["✗ Fail", "✓ Pass"]   # the gravest first
    run.result["field"] = "mic"
    with speaking("en", run): assert "No, by the limits of fail." in views.answers_to_five(run, {}).html


def test_a_whole_run_folds_in_a_notebook_and_groups_are_a_table():
    groups = Result((f"drug {i}", Result(accuracy=Score(.5, .2, .8, k=5, n=10))) for i in range(30))
    shown = BeautifulSoup(groups._repr_html_(), "html.parser")
    assert shown.select_one("details summary").get_text() == "10 more"
    assert shown.select_one("td").get_text(" ").replace("\xa0", " ") == "50.0 % 20.0 to 80.0 5/10"
    assert BeautifulSoup(Result(by=groups)._repr_html_(), "html.parser").select_one("td > details")


def test_no_figure_of_a_report_shows_a_formula():
    from mic_eval.core.plots import axes
    ax = axes(xscale="log")
    ax.plot([1e-4, 1], [0, 1])
    ax.figure.canvas.draw()
    assert "0.01" in [t.get_text() for t in ax.get_xticklabels()]


def test_five_questions_are_answered_on_the_first_screen_of_every_report():
    silent = []
    for file in sorted((Path(__file__).parents[1] / "nbs" / "reports").glob("*.ipynb")):
        first = ""
        for c in json.loads(file.read_text(encoding="utf-8"))["cells"]:
            if c["cell_type"] == "markdown" and "".join(c["source"]).startswith("## "): break
            first += "".join("".join(o.get("data", {}).get("text/html", "")) for o in c.get("outputs", ()))
        answers = [first.partition(f"<dt>{q}</dt><dd>")[2].partition("</dd>")[0] for q in views.FIVE]
        if not all(answers): silent.append((file.stem, answers))
    assert not silent


FIRST_SCREEN = "[...document.querySelectorAll('dl.five dd')].map(d => d.getBoundingClientRect().bottom)"


def on_a_phone_and_on_paper(browser, page):
    "Where the five answers end on a phone, how wide the page is there and on a sheet without its margins, and its PDF"
    tab = opened(browser, page, 390)
    found = [tab.evaluate(FIRST_SCREEN), tab.evaluate("document.documentElement.scrollWidth")]
    tab.set_viewport_size(dict(width=688, height=900))
    tab.emulate_media(media="print")
    found += [tab.evaluate("document.documentElement.scrollWidth"), tab.pdf(prefer_css_page_size=True)]
    tab.close()
    return found


@pytest.mark.later
@every("name", reports())
def test_five_answers_end_on_the_first_screen_of_a_phone(browser, tmp_path, name):
    (tmp_path / "page.html").write_text(to_html(nbformat.read(find_report(name), 4)), encoding="utf-8")
    answers, phone, paper, printed = on_a_phone_and_on_paper(browser, tmp_path / "page.html")
    assert len(answers) == 5 and max(answers) <= 844, answers
    assert (phone, paper) == (390, 688)
    if name == "executive": assert len(re.findall(rb"/Type /Page\b", printed)) == 1


@pytest.mark.full   # a kernel for each: ten seconds
@every("name", reports())
def test_every_report_in_chinese_holds_no_english_and_fits(browser, tmp_path, name):
    from gallery import english_sentences, sample
    page = tmp_path / "page.html"
    page.write_text(html := sample(name, "zh"), encoding="utf-8")
    assert not english_sentences(html)
    assert not re.findall("[^<>]{0,20}[。！？；：] [^<>]{0,20}", re.sub(r"(?s)<(pre|code)\b.*?</\1>", "`", html))
    answers, phone, paper, printed = on_a_phone_and_on_paper(browser, page)
    assert len(answers) == 5 and max(answers) <= 844, answers
    assert (phone, paper) == (390, 688)
    if name == "executive": assert len(re.findall(rb"/Type /Page\b", printed)) == 1


@every("status", views.ENOUGH)
def test_the_five_answers_follow_the_verdict_in_both_languages(status):
    v = Result(status=status, title="P", profile="p", criteria=[dict(metric="accuracy", status=status)],
               not_guarded=["missed growth"])
    run = SimpleNamespace(about={}, result=Result(field="mic", verdict=v, data=Result(name="d", rendered=True)))
    said = {}
    for lang in ("en", "zh"):
        with speaking(lang, run): said[lang] = views.answers_to_five(run, {})
        answers = re.findall("<dd>(.*?)</dd>", said[lang].html)
        assert len(answers) == 5 and all(answers)
    assert ("Yes" in said["en"].html) == (status == "pass")
    assert not re.findall("[A-Za-z]{3,} [A-Za-z]{3,} [A-Za-z]{3,}", re.sub("<[^>]+>", "|", said["zh"].html))


def test_samples_are_named_by_what_the_run_was_broken_down_by():
    from types import SimpleNamespace
    from mic_eval.report.samples import _facts_named
    def named(**said): return _facts_named(SimpleNamespace(result=Result(field="mic", **said)))
    assert named(settings=Result(by=("site",))) == ("site",)
    assert named() == named(settings=Result(by=())) == ("plate", "drug")


def test_the_suite_that_asks_a_fields_own_questions_is_its_own():
    from mic_eval.core.fields import field_named, fields
    from mic_eval.run.suite import read_suite
    for f in map(field_named, fields()):
        names = {k for asked in read_suite(f.suite, f).asks.values() for k in asked}
        assert views.suite_asking(names, f) == ("standard" if f.suite == "default" else f.suite)
        assert views.suite_asking([*names, "no such question"], f) == ""
    assert {"anomaly", "label-noise"} <= {f.suite for f in map(field_named, fields())}
