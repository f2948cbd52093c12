"Model cards and checklists: what a run answers, what stays open, and text from data that stays text."
import math

import pandas as pd
import pytest

from typer.testing import CliRunner

from mic_eval.core.results import NotApplicable, Result, Score
from mic_eval.report.cards import checklists, filled_checklist, known_answers, model_card, read_checklist, write_cards
from mic_eval.cli.app import app
from mic_eval.cli.report import card_command
from mic_eval.core.text import latex_text, markdown_text, one_line, typst_text
from mic_eval.run.store import open_run, save_run
from mic_eval.report.words import speak
from every import every

HOSTILE = ["<img src=x onerror=alert(1)>", "[x](javascript:alert(1))", "`rm`", "| a | b |", "# h", "- item", "1. x",
           "1) x", "\\input{/etc/passwd}", '#read("/etc/passwd")', "$E=mc^2$", '"quoted" \\',
           "http://a.b", "a@b.c", "***", "~~~", "---", "===", "> quote", "x\ny", "\x00\x07z", "<!-- c -->", "&lt;",
           "![i](x.png)", "www.evil.com", "+ x", "97.8 % (93.6-99.3)", "药敏"]
plain = one_line   # what is hidden is shown as its number


@pytest.fixture
def run(tmp_path):
    overall = Result(accuracy=Score(28/30, .787, .982, k=28, n=30, method="Wilson at effective n 20.1, t(5)"),
                     roc_auc=Score(math.nan, reason="one class"))
    confusion = pd.DataFrame(dict(truth=["clear", "growth"], clear=[19, 1], growth=[1, 9]))
    return save_run(tmp_path, Result(model=Result(name="|".join(HOSTILE[:4]), hash="1f" * 32),
                                     data=Result(name="plates", rows=32, labelled=30, growth=10,
                                                 groups=Result(plate=6)),
                                     wells=Result(overall=overall, confusion=confusion),
                                     mics=NotApplicable("no column"),
                                     verdict=Result(status="fail", profile="p", title="Release",
                                                    counts=Result(fail=1), criteria=[])))


@pytest.mark.parametrize("name, rows, items", [("stard-ai", 48, 40), ("tripod-ai", 52, 27), ("claim-2024", 44, 44),
                                               ("jcm-2018", 14, 14)])
def test_lists_are_whole(name, rows, items):
    c = read_checklist(name)
    ids = [i.id for i in c.items]
    assert (len(ids), len(set(ids))) == (rows, rows)
    assert sorted({int(i.rstrip("abcdefg")) for i in ids}) == list(range(1, items + 1))
    assert all(i.en and any("\u4e00" <= c <= "\u9fff" for c in i.zh) for i in c.items) and c.source and c.date


def test_every_answer_has_an_item_and_none_is_misspelt(run):
    used = {i.answer for c in checklists() for i in read_checklist(c).items} - {""}
    # answers that no list above asks for by itself go into the model card
    assert set(known_answers(run)) <= used | {"mics", "harm", "software"}
    full = {"model", "data", "groups", "software", "flow", "missing", "threshold", "partition", "availability",
            "audit", "headline", "metrics", "prevalence", "methods", "confusion", "breakdowns", "size", "failures",
            "robustness", "raters", "limits", "reference", "policy", "skip", "panel", "breakpoints", "no_result", "qc"}
    # asked for by the lists, never known to a run yet
    unanswerable = {"eligible", "preparation", "training", "inputs", "bad_input", "explain"}
    assert used - full == unanswerable


def test_answers_are_the_results(run):
    a = known_answers(run)
    assert a["headline"].startswith("Accuracy 93.3")
    assert "28/30" in a["headline"] and "AUROC – (one class)" in a["headline"]
    assert a["missing"] == "2 rows without a label, not judged"
    assert a["confusion"] == "clear: 19 called clear, 1 called growth; growth: 1 called clear, 9 called growth"
    assert a["methods"] == "95 % intervals: Wilson at effective n"
    assert "reference" not in a and "audit" not in a


def test_open_items_stay_open(run):
    rows = {i.id: t for i, t in filled_checklist("stard-ai", run)}
    assert not rows["6"] and not rows["38"] and not rows["16a"] and rows["31"]


def test_a_run_of_nothing_has_nothing_to_say(tmp_path):
    r = save_run(tmp_path, Result(x=1.))
    assert not {"headline", "flow", "methods", "size", "limits"} & set(known_answers(r))
    assert model_card(r).count("For a person to state.") >= 6


def test_the_card_names_the_group_that_decided(tmp_path):
    from fooling import share_of, wells
    wells(1, share_of(.3, "colistin"), n=60).to_csv(tmp_path/"t.csv", index=False)
    done = CliRunner().invoke(app, f"run --predictions {tmp_path}/t.csv --field mic --profile mic-clinical "
                                   f"--report none --out {tmp_path}/out".split())
    assert done.exit_code == 0, done.output
    said = next(line for line in model_card(open_run(tmp_path/"out")).splitlines() if "Judged by" in line)
    assert "FAIL" in said and "colistin: " in said, said


def test_chinese(run):
    speak("zh")
    try: assert str(read_checklist("jcm-2018").items[1]) == "软件及版本" and "93.3" in model_card(run)
    finally: speak("en")


def test_files_are_kept_when_a_person_has_written_in_them(run):
    first = {p: p.read_text() for p in write_cards(run)}
    assert len(first) == 5 and {p: p.read_text() for p in write_cards(run)} == first
    (run.folder / "checklist-stard-ai.md").write_text("mine")
    with pytest.raises(ValueError, match="checklist-stard-ai.md has been changed"): write_cards(run)
    assert (run.folder / "checklist-stard-ai.md").read_text() == "mine"
    write_cards(run, overwrite=True)
    assert (run.folder / "checklist-stard-ai.md").read_text() != "mine"


def test_the_command(run, tmp_path):
    r = CliRunner().invoke(app, ["card", str(run.folder), "--out", str(tmp_path / "new"), "--lang", "zh"])
    assert r.exit_code == 0
    assert (tmp_path / "new" / "model-card.md").is_file() and "其余只能由人填写" in r.output
    assert speak() == "en"
    assert CliRunner().invoke(app, ["card", str(run.folder), "--lang", "zz"]).exit_code == 2


@pytest.mark.parametrize("text, said", [("name: x", "is no checklist: 'title'"), ("a: [", "bad.yml:")])
def test_a_broken_list_is_named(tmp_path, text, said):
    (tmp_path / "bad.yml").write_text(text)
    with pytest.raises(ValueError, match=said): read_checklist(str(tmp_path / "bad.yml"))


@pytest.mark.later
@every("text", HOSTILE)
def test_markdown_shows_text_as_it_is(text):
    pypandoc, bs4 = pytest.importorskip("pypandoc"), pytest.importorskip("bs4")
    q = markdown_text(text)
    page = bs4.BeautifulSoup(pypandoc.convert_text(f"| a | b |\n|-|-|\n| {q} | z |\n\nx {q}\n\n{q}", "html",
                                                   format="gfm"), "html.parser")
    assert not page.find_all(["a", "script", "img", "code", "em", "strong", "del", "ul", "ol", "h1", "h2", "hr",
                              "blockquote", "math"])
    assert page.find("td").get_text().split() == plain(text).split()
    assert page.find_all("p")[-1].get_text().split() == plain(text).split()


def test_typst_and_latex_show_text_as_it_is():
    assert latex_text("a_b & 5 % \\input{x}") == r"a\_b \& 5 \% \textbackslash{}input\{x\}"
    assert all(len(latex_text(t).split("\n")) == 1 and len(typst_text(t).split("\n")) == 1 for t in HOSTILE)
    typst = pytest.importorskip("typst")
    typst.compile("\n\n".join("#" + typst_text(t) for t in HOSTILE).encode())
