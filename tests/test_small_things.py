"Small things that a first user meets: a number and its noun, the sheet of a workbook, rows that stand there twice"
import io
import re
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from mic_eval.cli.app import app
from mic_eval.core.columns import copied_rows, hard_calls
from mic_eval.core.fields import field_named
from mic_eval.core.files import file_hash
from mic_eval.core.predictions import Predictions
from mic_eval.core.readers import read_table
from mic_eval.core.results import Result, Score
from mic_eval.core.tables import read_predictions
from mic_eval.core.text import how_many, in_number, message
from mic_eval.data.plate_layouts import well_names
from mic_eval.data.manifest import read_manifest
from mic_eval.domain.show import ESTIMATES, estimate_rows
from mic_eval.metrics.calibration import reliability_curve, reliability_plot
from mic_eval.mic.breakpoints import read_breakpoints
from mic_eval.mic.photograph import FLIPS, _lay
from mic_eval.report import words
from mic_eval.noise.show import suspect_table
from mic_eval.report.breakdowns import decision_plot, named_line
from mic_eval.report.views import caveats
from mic_eval.run.dimensions import plot_dimensions
from mic_eval.run.sources import file_source
from mic_eval.run.store import open_run


def run(*typed): return CliRunner().invoke(app, [str(o) for o in typed])


def test_a_noun_follows_its_number():
    left = "{n} of {total} rows are left out, {groups} labelled {rows} remain"
    said = lambda n: str(message(left, n=n, total=9, groups=n, rows="studies"))
    assert said(1) == "1 of 9 rows is left out, 1 labelled study remains"
    assert said(0) == "0 of 9 rows are left out, 0 labelled studies remain"
    assert [str(how_many(n, "boxes of rows")) for n in (1, 11)] == ["1 boxes of rows", "11 boxes of rows"]
    assert [str(how_many(n, "classes")) for n in (1, 2)] == ["1 class", "2 classes"]
    assert message("{name} rows of {n}", name="plate 1", n=1) == "plate 1 rows of 1"
    assert message(left, n=1, total=9, groups=1, rows="wells").template == left


def test_a_report_says_one_row_in_both_languages():
    with words.speaking("en"):
        assert words.say("{n} of {total} {units} have no label; they are predicted but not judged.", n=1, total=3)
        assert words.say("{n} rows", n=1) == "1 row" and words.say("{n} rows", n=1.5) == "1.5 rows"
    with words.speaking("zh"):
        few = message("too few groups ({n}) for an interval", n=1)
        assert words.translated(few) == "独立组太少（1 组），无法给出区间"
        assert words.translated(message("{n} rows", n=1)) == "1 行"


def test_an_error_of_one_thing_is_found_in_the_catalog():
    "Finished English text, whose template is known by its shape: as well in the singular as in the plural"
    def places(t): return {name: "" if name == "hint" else 1 for name in re.findall(r"\{(\w+)\}", t)}

    counted = [t for t in words.command_texts("zh") if in_number(t, places(t)) != t]
    assert len(counted) > 20
    for t in counted[::5]:
        ones = places(t)
        one = in_number(t, ones).format(**ones)
        assert words.refused(one, "zh") == words.refused(t.format(**ones), "zh") != one, one


def test_counted_nouns_of_the_catalogs_are_known():
    "A text with a number and a plural behind it stands in the singular behind a 1"
    singulars = []
    for m in words.catalog_entries("zh"):
        if not isinstance(m.id, str) or m.context: continue
        text = in_number(m.id, dict.fromkeys(("n", "k", "rows", "groups", "pairs", "wells"), 1) | dict(units="wells"))
        singulars += re.findall(r"\{(?:n|k)\} ([a-z]+s)\b", text)
    assert set(singulars) <= {"series", "class", "is", "was", "has", "does", "as", "species", "limits",
                               "anomalous"}, set(singulars)


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    "A workbook of two sites, and MICs on a third sheet"
    place = tmp_path_factory.mktemp("book")/"study.xlsx"
    y = np.arange(40) % 2
    rows = pd.DataFrame(dict(sample_id=[f"s{i}" for i in range(40)], y_true=y, y_prob=.2+.6*y))
    with pd.ExcelWriter(place) as out:
        rows.to_excel(out, sheet_name="north", index=False)
        rows.assign(y_prob=.9-.7*y).to_excel(out, sheet_name="South site", index=False)
        pd.DataFrame(dict(isolate=range(20), BMD=["1", "2"]*10, new=["1", "2"]*10)).to_excel(out, sheet_name="mics")
    return place


def test_a_sheet_is_named_behind_its_workbook(book):
    assert "not of 'South site', 'mics'; 'study.xlsx#South site' reads another one)" in read_table(book).took
    south = read_table(f"{book}#south SITE")
    assert south.frame.y_prob[0] == .9 and "not of" not in south.took
    with pytest.raises(ValueError, match="no sheet 'east'; there is 'north', 'South site', 'mics'"):
        read_table(f"{book}#east")
    with pytest.raises(FileNotFoundError, match="no file nowhere.xlsx"): read_table("nowhere.xlsx#a")
    assert len({file_hash(book), file_hash(f"{book}#north"), file_hash(f"{book}#South site")}) == 3
    first, second = (file_source(f"{book}#{o}")[0] for o in ("north", "South site"))
    assert first.model["name"] == "study#north" and first.model["hash"] != second.model["hash"]


@pytest.mark.later
def test_commands_take_a_sheet(book, tmp_path):
    assert "60" not in (said := run("columns", f"{book}#South site").stdout) and "40 rows, 3 columns" in said
    assert run("check", f"{book}#north").exit_code == 0
    assert run("pool", f"{book}#north", f"{book}#South site").stdout.startswith("2 sites: 80 rows")
    two = run("compare", f"{book}#north", f"{book}#South site", "--report", "none", "--out", tmp_path/"c")
    assert "study#north is better than study#South site" in two.stderr
    mics = "--reference BMD --test new --report none".split()
    assert run("mics", f"{book}#mics", *mics, "--out", tmp_path/"m").exit_code == 0
    odd = run("run", "--predictions", f"{book}#east", "--lang", "zh")
    assert odd.exit_code == 2 and "没有工作表 'east'" in odd.stderr


def test_a_file_with_a_hash_in_its_name_is_a_file(tmp_path):
    pd.DataFrame(dict(a=[1])).to_excel(tmp_path/"x.xlsx#y.xlsx", index=False)
    pd.DataFrame(dict(a=[2])).to_csv(tmp_path/"x#1.csv", index=False)
    assert [int(read_table(tmp_path/o).frame.a[0]) for o in ("x.xlsx#y.xlsx", "x#1.csv")] == [1, 2]


@pytest.mark.parametrize("sep, encoding", [(";", "utf-8-sig"), ("\t", "utf-16"), (",", "gb18030")])
def test_a_manifest_is_read_as_other_tables_are(tmp_path, sep, encoding):
    from PIL import Image
    point = "," if sep == ";" else "."
    rows = [["Sample ID", "文件名", "Isolate", "Conc. (mg/L)", "label"], ["a", "a.png", "007", f"0{point}25", "1"],
            ["b", "b.png", "008", f"0{point}5", ""]]
    (tmp_path/"manifest.csv").write_bytes("\r\n".join(map(sep.join, rows)).encode(encoding))
    for o in "ab": Image.new("L", (8, 8)).save(tmp_path/f"{o}.png")
    facts = read_manifest(tmp_path).facts
    assert facts.isolate.tolist() == ["007", "008"] and facts.concentration.tolist() == [.25, .5]
    assert facts.growth[0] == 1 and np.isnan(facts.growth[1])


def test_a_label_that_is_no_growth_stays_a_fact(tmp_path):
    from PIL import Image
    (tmp_path/"manifest.csv").write_text("id,file,label\na,a.png,K12\n")
    Image.new("L", (8, 8)).save(tmp_path/"a.png")
    assert read_manifest(tmp_path).facts.label.tolist() == ["K12"]


@pytest.mark.parametrize("gone, said", [(["A1"], "the layout does not list A1: without"), (["A1", "C7"], "A1, C7"),
                                        (well_names()[:20], "lists too few wells")])
def test_wells_that_a_layout_does_not_list_are_named(gone, said):
    panel = pd.DataFrame([dict(well=w, drug=w[0], concentration=2.**int(w[1:]), role="test") for w in well_names()])
    panel = panel[~panel.well.isin(gone)].reset_index(drop=True)
    wells, ways = panel.assign(growth=.5, seen=True, glare=False), {flip: flip for flip in FLIPS}
    way, why = _lay(wells, panel, (8, 12), ways, None, {})
    assert way == "as it is" and all(said in str(w) for w in why)


def test_breakpoints_name_rows_as_the_file_numbers_them(tmp_path):
    sheet = tmp_path/"bp.csv"
    sheet.write_text("drug,S,R\nAAA,1,2\n\nBBB,8,1\nCCC,x,1\n")
    with pytest.raises(ValueError, match="S: row 5 .CCC. says 'x'"): read_breakpoints(sheet)
    with pytest.warns(UserWarning, match="row 4 .BBB, S=8, R=1, eucast. has S above R; S: row 5 .CCC."):
        assert len(read_breakpoints(sheet, skip_bad=True)) == 1


@pytest.mark.parametrize("typed", ["plan rate --expect .98 --limit .95 --power 2", "plan auroc --expect .9 --power 1",
                                   "plan compare --new-only .05 --old-only .02 --power 80", "plan agreement --power 0"])
def test_a_plan_names_the_option_that_was_typed(typed):
    said = run(*typed.split())
    assert said.exit_code == 2 and "--power must lie between 0 and 1" in said.stderr and "target" not in said.stderr


def predictions(**columns): return read_predictions(pd.DataFrame(columns))


def test_rows_that_were_pasted_twice_are_noted_where_nobody_named_them():
    rng = np.random.default_rng(0)
    y, p = np.tile([0, 1], 60), rng.random(120)
    twice = lambda a: np.r_[a, a]
    assert copied_rows(predictions(y_true=y, y_prob=p)) == 0
    assert copied_rows(predictions(y_true=twice(y), y_prob=twice(p))) == 120
    assert copied_rows(predictions(y_true=twice(y), y_prob=twice(p), id=[f"s{i}" for i in range(240)])) == 0
    assert copied_rows(predictions(y_true=twice(y), y_prob=twice(p.round(2)))) == 0, "two digits repeat by chance"
    assert copied_rows(predictions(y_true=twice(y), y_prob=np.resize([1/3, 2/7, 5/9], 240))) == 0, "a small tree"
    assert copied_rows(predictions(y_true=twice(y), y_prob=twice(p), plate=np.arange(240) // 120)) == 0
    assert copied_rows(predictions(y_true=np.r_[y, y[:5]], y_prob=np.r_[p, p[:5]])) == 0, "a handful"


def test_calls_in_the_place_of_probabilities_are_noted_in_line_and_report(tmp_path):
    y = np.tile([0, 1], 30)
    called = np.where(np.arange(60) % 7 == 0, 1-y, y)
    assert hard_calls(predictions(y_true=y, y_prob=called))
    assert not hard_calls(predictions(y_true=y, y_prob=called*.9))
    assert not hard_calls(predictions(y_true=y, y_pred=called))
    pd.DataFrame(dict(y_true=y, y_prob=called)).to_csv(tmp_path/"calls.csv", index=False)
    said = run("run", "--predictions", tmp_path/"calls.csv", "--report", "none", "--out", tmp_path/"out")
    assert "every probability is 0 or 1: these are calls" in said.stderr, said.stderr
    r = open_run(tmp_path/"out")
    assert r.result["data"]["hard_calls"] is True
    with words.speaking("en", r): assert "AUROC, calibration and thresholds say nothing" in str(caveats(r, brief=True))
    with words.speaking("zh", r): assert "这是判定而不是概率" in str(caveats(r, brief=True))


def test_figure_and_table_call_a_metric_alike():
    o = Result(score=Score(.2, n=9), failed=["false_negative_rate"], undecided=[])
    scores = Result(overall=o, dimensions=Result(wells=o))
    said = lambda **how: [t.get_text() for t in plot_dimensions(scores, **how).texts]
    assert said()[0] == "1 failed: Missed positives (FNR)"
    assert said(field=field_named("mic"))[0] == "1 failed: Missed growth (FNR)"
    plt.close("all")


def test_the_figure_of_a_suite_says_every_failed_criterion_in_the_language_spoken():
    mic, names = field_named("mic"), ["false_negative_rate", "accuracy", "roc_auc"]
    for n in (1, 2, 3):
        o = Result(score=Score(.2, n=9), failed=names[:n], undecided=[])
        ax = plot_dimensions(Result(overall=o, dimensions=Result()), field=mic)
        with words.speaking("zh", mic): words.figure_words(ax.figure)
        said = ax.texts[0].get_text()
        assert said.startswith(f"{n} 项未通过：漏检生长") and not re.search("[a-z]{3}", said), said
    plt.close("all")


def test_curves_name_the_model_with_its_number_and_interval():
    scores = Result(roc_auc=Score(.91, .88, .94), ece=Score(.03, .01, .05))
    run = SimpleNamespace(result=Result(model=Result(name="reader 2"), wells=Result(overall=scores), field="mic"))
    p = Predictions(list("abcdef"), [1, 1, 1, 0, 0, 0], [.9, .4, .8, .6, .1, .2])
    for lang, net in (("en", "net benefit 0.167 ("), ("zh", "净获益 0.167（")):
        with words.speaking(lang, field_named("mic")):
            name = named_line(run, "ece")
            ax = reliability_plot(reliability_curve(p.y_true, p.positive), label=name)
            assert name.startswith("reader 2\n") and "0.030 (0.010" in name
            assert name in [t.get_text() for t in ax.get_legend().get_texts()]
            told = [t.get_text() for t in decision_plot(p, name="reader 2").get_legend().get_texts()]
            assert told[0].startswith(f"reader 2\n{net}"), told
            plt.close("all")
    del run.result["model"]   # of a table that was evaluated in Python
    assert named_line(run, "ece").startswith("model\n")


class Terminal(io.StringIO):
    "What somebody watches"
    encoding = "utf-8"
    def isatty(self): return True


def last_line_of_bar(seen):
    "What stands in the last line of a terminal when a bar has ended"
    drawn = re.split(r"\x1b\[2K|\r", re.sub(r"\x1b\[[\d;?]*[a-zA-JL-Z]", "", seen.getvalue()))
    return [o.strip() for o in drawn if o.strip()][-1]


def test_bars_end_whole_and_leave_nothing(monkeypatch):
    "The bar of a sweep ends with all its pairs; that of a model is taken away, whole or broken off"
    from mic_eval.core.progress import terminal_bar
    from mic_eval.report.leaderboard import shown_progress
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr", seen := Terminal())
    with shown_progress() as tell:
        for model in "ab": tell(Result(model=model, data="wells", status="failed", error="no file"), 2)
    assert "2/2" in last_line_of_bar(seen) and "0/2" not in last_line_of_bar(seen)
    for broken in (False, True):
        monkeypatch.setattr("sys.stderr", seen := Terminal())
        try:
            with terminal_bar(3, "wellnet") as advance:
                advance(3)
                if broken: raise KeyError("a model broke")
        except KeyError: pass
        # a bar that is taken away: the cursor shown again, its line erased, and nothing behind
        assert "3/3" in seen.getvalue() and re.search(r"\x1b\[2K\s*$", seen.getvalue()), repr(seen.getvalue()[-80:])


@pytest.mark.later
def test_a_notebook_keeps_no_bar_and_scrolls_its_tables(tmp_path):
    "Long work in a kernel: nothing half drawn is stored; the whole is open, the rest folded; the names a person needs"
    import nbclient
    import nbformat
    cells = ["from mic_eval import *\nown = [o for o in dir() if not o.startswith(('_', 'In', 'Out'))]",
             "from mic_eval.data.wells import render_plates\np = predict('wellnet', render_plates(2, size=48, seed=1))",
             "evaluate(p)", "evaluate(p).curves.roc", "print(*own)",
             "from mic_eval.report.leaderboard import shown_progress\nfrom mic_eval.core.results import Result\n"
             "with shown_progress() as tell:\n"
             "    for m in 'ab': tell(Result(model=m, data='wells', status='failed', error='no file'), 2)"]
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(o) for o in cells])
    kernel = nbclient.NotebookClient(nb, timeout=300, resources=dict(metadata=dict(path=tmp_path)))
    kernel.execute()
    _, predicted, result, curve, own, swept = (cell.outputs for cell in nb.cells)
    assert [o for o in predicted if o.output_type == "stream"] == []   # no bar, whole or half
    lines = "".join(o.text for o in swept).splitlines()
    assert len(lines) == 2 and lines[1].startswith("2/2") and not re.search("[━╺╸\x1b\r]", "".join(lines))
    folds = re.findall(r"<details( open)?><summary>(.*?)</summary>", result[0].data["text/html"])
    opened = [said for is_open, said in folds if is_open]
    assert len(opened) == 1 and "sensitivity" in opened[0] and len(folds) > 4
    assert 10 <= len(own[0].text.split()) <= 16 and {"evaluate", "predict"} <= set(own[0].text.split())
    area = re.search(r"area (0\.\d{3} \(0\.\d{3}-\d\.\d{3}\))", result[0].data["text/plain"] + str(curve))
    assert area and any("image/png" in o.get("data", {}) or "<img" in str(o.get("data", {})) for o in curve)


def test_reports_name_columns_as_people_do():
    t = pd.DataFrame(dict(sample_id=["a"], given=["no"], suggested=["yes"], quality=[.1234], flagged=[True]))
    shown = str(suspect_table(t).html)
    assert "Label suggested" in shown and "0.1234" in shown and "sample_id" not in shown and "True" not in shown
    found = Result(estimates=pd.DataFrame([dict(site="north", what="accuracy, atc", estimate=.8, found=.7, off=.1)]))
    assert "confidence set at the source (ATC)" in estimate_rows(found)[0][1]
    for field in ("noise", "domain"):
        with words.speaking("zh", field_named(field)):
            for k in (*ESTIMATES.values(),) if field == "domain" else ("Label given", "Blocks needed", "Flagged"):
                assert not re.search("[a-z]{4}", words.translated(k)), k


def test_a_language_is_taken_by_its_name_too():
    assert [words.language_named(o) for o in ("Chinese", "中文", "English")] == ["zh", "zh", "en"]
    with pytest.raises(ValueError, match=r"no language 'de'; there is en \(English\), zh \(Chinese\)"):
        words.language_named("de")   # not "did you mean 'en'?"
    assert run("list", "--lang", "xx").stderr == "error: no language 'xx'; there is en (English), zh (Chinese)\n"


def test_a_command_says_what_was_probably_meant(tmp_path):
    (tmp_path/"my table.csv").write_text("a\n1\n")
    for typed, said in [(["evaluate"], "No such command 'evaluate'. Did you mean 'run'?"),
                        (["help"], "No such command 'help'. Did you mean '-h'?"),
                        (["run", "a.csv"], "what is 'a.csv'? Did you mean --predictions a.csv?"),
                        (["run", tmp_path], "Did you mean --data"),
                        (["run", tmp_path/"my table.csv"], "my table.csv'?"),
                        (["run", "a", "b"], "Got unexpected extra argument"),
                        (["export", "o", "docx"], "Did you mean --to docx?"),
                        (["report", "o", "executive"], "Did you mean --name executive?"),
                        (["run"], "give predictions (--predictions), or a model and data (--model, --data)"),
                        (["list", "model"], "no kind 'model'; did you mean 'models'?")]:
        found = run(*typed)
        assert found.exit_code == 2 and said in found.stderr and found.stderr.count("\n") == 1, found.stderr
    assert run("list", "models").stdout.startswith("models\n") and "fields" not in run("list", "models").stdout
    assert "--predictions a.csv" in run("run", "a.csv", "--lang", "zh").stderr


def test_a_p_too_small_for_a_number_is_never_zero():
    from mic_eval.metrics.paired import HypothesisTest
    assert "p<0.001" in repr(HypothesisTest(method="a test", p=0., n=3))
    assert "p=1e-09" in repr(HypothesisTest(method="a test", p=1e-9, n=3))


def test_help_and_displays_say_what_a_reader_wants_first():
    import pydoc
    import mic_eval.run
    from mic_eval.core.results import Result
    from mic_eval.data import render_wells
    from mic_eval.data.optics import LOOK, WIDE, Look
    from mic_eval.metrics import roc_curve
    assert repr(Look(drops=(.1, .2))) == "Look(drops=(0.1, 0.2))" and repr(LOOK) == "Look()" and "light" in repr(WIDE)
    assert "Look = Look()" in pydoc.render_doc(render_wells, renderer=pydoc.plaintext)
    assert " at 0x" not in mic_eval.run.make_run.__doc__
    assert "area 1.000" in repr(roc_curve([0, 0, 1, 1], [.1, .2, .8, .9]))
    assert "1 entry: a" in Result(overall=Result({k: 1 for k in "abcdefg"}), one=Result(a=Result(b=1)))._repr_html_()


@pytest.mark.parametrize("suffix", ["csv", "tsv", "xlsx"])
def test_headings_that_stand_again_in_the_middle_are_named_with_their_row(suffix, tmp_path):
    from mic_eval.core.readers import read_table
    head, rows = ["id", "truth", "p"], [[f"i{k}", k % 2, k/10] for k in range(6)]
    frame = pd.DataFrame([*rows[:3], head, *rows[3:]], columns=head)
    path = tmp_path/f"joined.{suffix}"
    if suffix == "xlsx": frame.to_excel(path, index=False)
    else: frame.to_csv(path, index=False, sep="," if suffix == "csv" else "\t")
    with pytest.raises(ValueError, match="row 5 says the headings again"): read_table(path)


@pytest.mark.parametrize("heads, ends", [(("reference", "vitek"), 0), (("bmd", "vitek"), 0), (("etest", "vitek"), 2)])
def test_a_reference_that_its_heading_names_is_not_asked_about(heads, ends, tmp_path, monkeypatch):
    rows = [(f"i{k}", 2.**(k % 6-2), 2.**(k % 6-2+(k % 7 == 0))) for k in range(60)]
    pd.DataFrame(rows, columns=["isolate", *heads]).to_csv(tmp_path/"p.csv", index=False)
    monkeypatch.chdir(tmp_path)
    said = CliRunner().invoke(app, ["mic", "pairs", "p.csv", "--report", "none"])
    assert said.exit_code == ends
    assert ("only other column of MICs" if ends == 0 else "which column is the reference") in said.output


def test_a_result_in_a_notebook_opens_what_is_overall_and_folds_long_tables():
    table = pd.DataFrame(dict(sample_id=range(12), truth="<b>"))
    html = Result(overall=Result({f"m{i}": Score(.5, n=9) for i in range(9)}), worst=table, few=table[:3])._repr_html_()
    assert html.count("<details open>") == 1 and "<summary>12 rows: sample_id, truth</summary>" in html
    assert html.count("<details>") == 1 and "<b>" not in html


def test_a_curve_of_calibration_speaks_of_no_wells_until_a_report_does(tmp_path):
    rng = np.random.default_rng(0)
    c = reliability_curve(rng.integers(0, 2, 90), rng.random(90))
    assert (c.xlabel, c.ylabel) == ("predicted probability", "observed rate")
    for field, names, said in (("mic", ("no growth", "growth"), "growth"), ("classification", ("ham", "spam"), "spam")):
        with words.speaking("en", SimpleNamespace(result=Result(field=field, of=Result(n=Result(classes=names))))):
            ax = reliability_plot(c)
            words.figure_words(ax.figure)
        assert ax.get_xlabel() == f"predicted probability of {said}" and ax.get_ylabel() == f"observed rate of {said}"
        plt.close(ax.figure)


def test_a_difference_without_an_interval_says_so_and_no_nan():
    from mic_eval.core.criteria import INSUFFICIENT
    from mic_eval.gate.baseline import _larger_by
    o = _larger_by(Score(.01, reason="two rows"), 10, SimpleNamespace(rows="rows"), .1)
    assert (o.status, o.why) == (INSUFFICIENT, "two rows")
    assert "nan" not in _larger_by(Score(.01), 10, SimpleNamespace(rows="rows"), .1).why


@pytest.mark.later
def test_a_report_is_the_runs_own_unless_another_is_named(tmp_path):
    y = np.arange(40) % 2
    pd.DataFrame(dict(y_true=y, y_prob=.2+.6*y)).to_csv(tmp_path/"p.csv", index=False)
    made = run("run", "--predictions", tmp_path/"p.csv", "--report", "executive", "--out", tmp_path/"runs")
    assert made.exit_code == 0, made.output
    assert "executive.html" in run("report", tmp_path/"runs").output
    assert "technical.html" in run("report", tmp_path/"runs", "--name", "technical").output


def test_a_note_below_a_drawn_plate_is_no_row_of_it():
    from mic_eval.data.plate_layouts import is_plate_shaped, plate_shaped_wells
    rows = [["A", "AMP 1", "AMP 2"], ["B", "", "gc"], ["read by X", "", ""], ["", "1", "2"], ["A", "", "/0.5"]]
    drawn = pd.DataFrame(rows, columns=["plate", "1", "2"])
    assert is_plate_shaped(drawn) and plate_shaped_wells(drawn).well.tolist() == ["A1", "A2", "B2"]
    drawn.iloc[2, 2] = "x"
    assert not is_plate_shaped(drawn)   # a row that holds something is no note
