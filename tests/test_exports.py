"Exports: PDF, Markdown, LaTeX, CSV and JSON of a stored run, with names that would be commands."
import base64
import math
import re
import shutil
import subprocess

import nbformat
import pandas as pd
import pytest
from typer.testing import CliRunner

from mic_eval.core.results import NotApplicable, Result, Score
from mic_eval.cli.app import app
from mic_eval.report.exports import (FORMATS, export_report, latex_table, latex_tables, notebook_html, to_markdown,
                                     to_pdf)
from mic_eval.run.store import save_run
from html import escape
from pathlib import Path

HOSTILE = ['#read("/etc/passwd")', "\\input{/etc/passwd}", "<script>alert(1)</script>", "](javascript:alert(1))",
           "=1+1", "*x* _y_ `z` $a$ @b", "'; drop", "药敏|x"]
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def shown(**data):
    return nbformat.v4.new_code_cell(outputs=[nbformat.v4.new_output("display_data",
                                                                     data={k.replace("_", "/"): v
                                                                         for k, v in data.items()})])


@pytest.fixture
def notebook():
    rows = "".join(f"<tr><th scope='row'>{escape(h)}</th><td><span class='chip pass'>✓ pass</span></td></tr>"
                   for h in HOSTILE)
    figure = shown(image_png=PIXEL)
    figure.metadata |= dict(caption='Caption with "quotes" & #hash', alt="alt <text>")
    boxes = "".join(f"<div><span>{escape(h)}</span><br><b>1</b></div>" for h in HOSTILE[:3])
    wells = (f"<div class='wells'><figure><img src='data:image/png;base64,{PIXEL}' width='70' "
             f"alt='w'><figcaption>{escape(HOSTILE[0])}</figcaption></figure></div>")
    return nbformat.v4.new_notebook(cells=[
        nbformat.v4.new_markdown_cell("# Report\n\n> Line\n\n- skip_showdoc: true"),
                                           nbformat.v4.new_code_cell("secret = 1"),
                                           shown(text_html=f"<div class='verdict fail'><p class='status'>✗ "
                                                           f"Fail</p><p>x</p></div><div class='numbers'>{boxes}</div>"),
        shown(text_html=f"<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody>{rows}</tbody></table>"), figure,
                                           shown(text_html=wells), shown(text_plain="plain <b>text</b>"),
        shown(text_html="<p>x<img src='https://a.b/c.png'><img "
                        "src='file:///etc/passwd'><script>alert(2)</script><svg viewBox='0 0 2 "
                        "2'><title>map</title><circle r='1'/></svg></p>")])


@pytest.fixture
def run(tmp_path, notebook):
    part = Result(sensitivity=Score(.9, .596, .982, k=9, n=10), roc_auc=Score(math.nan, reason="one class"),
                  other=NotApplicable("no column"), table=pd.DataFrame(dict(a=[1])))
    (tmp_path / "run").mkdir()
    r = save_run(tmp_path / "run", Result(model=Result(name=HOSTILE[0]), data=Result(name="plates"),
                                          wells=Result(overall=part,
                                                       by=Result(drug=Result({h: part for h in HOSTILE})))))
    nbformat.write(notebook, r.folder / "technical.ipynb")
    return r


def words(pdf, tmp_path):
    if not shutil.which("pdftotext"): pytest.skip("needs pdftotext")
    (tmp_path / "x.pdf").write_bytes(pdf)
    return subprocess.run(["pdftotext", "-layout", tmp_path / "x.pdf", "-"], capture_output=True, text=True,
                          check=True).stdout


def test_pictures_leave_and_nothing_comes_from_outside(notebook, tmp_path):
    page = notebook_html(notebook, tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["picture-1.png", "picture-2.png"]
    assert (tmp_path / "picture-1.png").read_bytes() == base64.b64decode(PIXEL)
    assert not any(o in page for o in ("https://a.b", "file://", "<script", "secret", "skip_showdoc", "base64", "svg",
                                       "circle", "map")) and "&lt;script&gt;" in page


def test_a_pdf_shows_names_as_they_are(notebook, tmp_path):
    pytest.importorskip("typst")
    pdf = to_pdf(notebook, 'Title with "quotes" and #hash')
    assert pdf[:5] == b"%PDF-"
    text = words(pdf, tmp_path)
    assert '#read("/etc/passwd")' in text
    assert "<script>alert(1)</script>" in text and "Fail" in text and "root:" not in text


def test_the_executive_summary_is_one_sheet():
    pytest.importorskip("typst")
    root = Path(__file__).parents[1]
    nb = nbformat.read(root/"nbs"/"reports"/"executive.ipynb", 4)
    advice = next(o for c in nb.cells if "advice_list" in c.source for o in c.get("outputs", ()) if "data" in o)
    advice["data"]["text/html"] = advice["data"]["text/html"].replace("</li>", ", of three drugs and two sites</li>")
    def sheets(pdf): return int(re.search(rb"/Type/Pages/Count (\d+)", pdf)[1])
    assert (sheets(to_pdf(nb, close=True)), sheets(to_pdf(nb))) == (1, 2)


def test_markdown_shows_names_as_they_are(notebook, tmp_path):
    pypandoc, bs4 = pytest.importorskip("pypandoc"), pytest.importorskip("bs4")
    text = to_markdown(notebook, tmp_path / "files")
    page = bs4.BeautifulSoup(pypandoc.convert_text(text, "html", format="gfm"), "html.parser")
    for plain in page.find_all("pre"): plain.decompose()
    assert not page.find_all(["script", "a", "em", "code"])
    assert "alert(2)" not in text
    assert {i["src"] for i in page.find_all("img") if i["src"]} == {"files/picture-1.png", "files/picture-2.png"}
    cells = {t.get_text() for t in page.find_all(["td", "th"])}
    assert set(HOSTILE) <= cells


def test_latex_tables_are_whole(run):
    text = latex_tables(run.result)
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == 1 + len(HOSTILE)
    assert text.count("{") == text.count("}")
    assert "\\input" not in text and r"\textbackslash{}input" in text
    rows = [line for line in latex_table(run.result.wells.overall).splitlines() if " & " in line]
    assert len(rows) == 4
    assert all(line.count(" & ") == 3 and line.endswith(r" \\") for line in rows)
    assert "one class" in rows[2] and "no column" in rows[3]


def test_every_format_and_only_inside_the_folder(run, tmp_path):
    pytest.importorskip("typst")
    before = set(tmp_path.iterdir())
    made = export_report(run, [f for f in FORMATS if f != "interactive"])
    assert [p.name for p in made] == ["technical.pdf", "technical.docx", "technical.md", "scores.tex", "scores.csv",
                                      "tables.xlsx", "results.json"] and set(tmp_path.iterdir()) == before
    t = pd.read_csv(run.folder / "scores.csv")
    assert len(t) == 2 * (1 + len(HOSTILE))
    assert t.reason.eq("one class").sum() == 1 + len(HOSTILE) and t.value.isna().sum() == 1 + len(HOSTILE)
    out = export_report(run, ("json", "csv"), out=tmp_path / "new")
    assert out[0].read_bytes() == (run.folder / "results.json").read_bytes() and out[1].parent == tmp_path / "new"


def test_refusals(run, monkeypatch):
    with pytest.raises(ValueError, match="did you mean 'pdf'"): export_report(run, "pfd")
    monkeypatch.setitem(__import__("sys").modules, "typst", None)
    with pytest.raises(ValueError, match=r"needs the package 'typst': pip install 'mic-eval\[pdf\]'"):
        export_report(run, "pdf")
    assert export_report(run, "csv")


def test_chinese_needs_a_font(run, notebook, monkeypatch):
    pytest.importorskip("typst")
    from mic_eval.report import words as w
    monkeypatch.setattr(w, "FONTS", dict(zh=("No Such Font",)))
    with pytest.raises(ValueError, match="fonts-noto-cjk"): to_pdf(notebook, lang="zh")


def test_the_command(run, tmp_path):
    r = CliRunner().invoke(app, ["export", str(run.folder), "--to", "csv, tex", "--out", str(tmp_path / "o")])
    assert r.exit_code == 0
    assert r.output.split() == [str(tmp_path / "o" / "scores.csv"), str(tmp_path / "o" / "scores.tex")]
    assert CliRunner().invoke(app, ["export", str(run.folder), "--to", "doc"]).exit_code == 2


@pytest.mark.later
def test_curves_to_explore(tmp_path):
    pytest.importorskip("plotly")
    import numpy as np
    from mic_eval.core.tables import Predictions
    from mic_eval.metrics.evaluate import evaluate
    p = Predictions(np.array([f"<img src=x onerror=alert({i})></script>" for i in range(8)]),
                    np.array([0, 0, 0, 1, 0, 1, 1, 1]), np.array([.1, .2, .3, .4, .6, .7, .8, .9]),
                    classes=("<i>no</i>", "</script>"))
    r = save_run(tmp_path, Result(model=Result(name="<b>"), wells=evaluate(p)), p)
    page = export_report(r, "interactive")[0].read_text(encoding="utf-8")
    body = page[page.index("<body>"):]
    start = body.index('id="figure-0"')
    assert page.count('class="plotly-graph-div"') == 4
    assert "<b>" not in page
    assert "<img src=x" not in page and body.count("</script>") == body.count("<script") and start > 0
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="nothing to explore"):
        export_report(save_run(tmp_path / "empty", Result(x=1.)), "interactive")


def test_a_run_is_exported_as_the_report_of_what_it_was_made_from(tmp_path):
    from mic_eval.cli.report import own_report
    from mic_eval.core.results import Result
    from mic_eval.run.store import save_run
    folder = save_run(tmp_path, Result()).folder
    assert own_report(folder) == "technical"
    for file, name in (("plate.png", "plate"), ("pairs.parquet", "clinical")):
        (folder/file).touch()
        assert own_report(folder) == name
        (folder/file).unlink()


@pytest.mark.parametrize("blocks, kept", [
    ("P H P F H H F P", "P [H P F] H [H F] P"), ("H", "H"), ("H P", "H P"), ("H H P P F", "H [H P P F]"),
    ("F H F H F", "F [H F] [H F]"), ("H P T F", "H P T F"), ("", "")])
def test_a_heading_stays_with_the_figure_that_it_introduces(blocks, kept):
    from mic_eval.report.exports import kept_together
    kinds = dict(H="Header", P="Para", F="Figure", T="Table")
    found = kept_together([dict(t=kinds[k]) for k in blocks.split()])
    told = ["[" if o.get("c", " ")[-1].endswith("[") else "]" if "c" in o else o["t"][0] for o in found]
    assert " ".join(told).replace("[ ", "[").replace(" ]", "]") == kept
