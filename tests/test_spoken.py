"`--lang` for every command: what a person is told is in the language asked for."
import ast
import re
import subprocess
import sys
from pathlib import Path

import mistakes
import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

from mic_eval.cli.app import app
from mic_eval.core.text import message
from mic_eval.report import words

english = re.compile(r"[A-Za-z]{3,} [a-z]{2,}")   # two words that follow each other: names stand alone


@pytest.fixture(autouse=True)
def quiet_again():
    yield
    words.speak("en")


def said(*line):
    done = CliRunner().invoke(app, [*map(str, line), "--lang", "cn"])
    return done.stdout + done.stderr


def left(text): return [o for line in text.splitlines() if "mic-eval " not in line for o in english.findall(line)]


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    place = tmp_path_factory.mktemp("spoken")
    rows = pd.DataFrame(dict(sample_id=range(40), y_true=[0, 1]*20, y_prob=[.1, .9]*20, drug=["CIP", "GEN"]*20,
                             plate=["P1"]*20 + ["P2"]*20))
    rows.to_csv(place/"rows.csv", index=False)
    (place/"pairs.csv").write_bytes("菌株;药物;Reference;Test\n007;CIP;0,25;0,5\n008;CIP;1;1\n".encode("gb18030"))
    return place


def test_every_command_has_the_option():
    for name, command in app.registered_commands and [(c.name, c.callback.program()) for c in app.registered_commands]:
        for leaf in getattr(command, "commands", {name: command}).values():
            assert any("--lang" in p.opts for p in leaf.params), name


@pytest.mark.parametrize("line", ["columns rows.csv", "columns pairs.csv", "check rows.csv", "check nowhere",
                                  "nonsense", "runs list --out nowhere",
                                  "plan rate --expect .98 --limit .95", "plan agreement --group-size 3",
                                  "plan compare --new-only .05 --old-only .02", "pool rows.csv"])
def test_nothing_english_is_left(here, monkeypatch, line):
    monkeypatch.chdir(here)
    text = said(*line.split())
    assert re.search("[\u4e00-\u9fff]", text) and not left(text), text


def test_the_language_may_stand_anywhere_and_ends_with_its_command(here, monkeypatch):
    monkeypatch.chdir(here)
    first = CliRunner().invoke(app, ["--lang", "zh-CN", "columns", "rows.csv"]).stdout
    assert first == said("columns", "rows.csv") and "读取方式" in first
    assert "read as" in CliRunner().invoke(app, ["columns", "rows.csv"]).stdout
    odd = CliRunner().invoke(app, ["columns", "rows.csv", "--lang", "xx"])
    assert odd.exit_code == 2 and "no language 'xx'; there is en (English), zh (Chinese)" in odd.stderr


def test_a_name_in_quotation_marks_is_not_translated():
    words.speak("zh")
    assert words.translated(message("no column '{name}'", name="series")) == "没有“series”列"


@pytest.mark.full   # a kernel
def test_papermill_gives_a_chinese_notebook_and_nbconvert_a_chinese_page(tmp_path):
    import nbformat
    import papermill as pm
    from nbconvert import HTMLExporter
    from papermill.engines import papermill_engines
    from mic_eval.report.render import SpokenEngine, find_report
    from mic_eval.report.kernel import kernel_environment
    papermill_engines.register("mic-eval", SpokenEngine)   # what the entry point does where the package is installed
    # its texts and parameters, and one cell that speaks, which needs no model
    report = nbformat.read(find_report("tcm"), 4)
    report.cells = [c for c in report.cells if c.cell_type == "markdown" or "parameters" in c.metadata.get("tags", [])]
    report.cells.append(
        nbformat.v4.new_code_cell(
            "from mic_eval.report.words import say, speak\nspeak(lang)\nsay('Very major errors')"))
    nbformat.write(report, tmp_path/"tcm.ipynb")
    with kernel_environment():
        pm.execute_notebook(str(tmp_path/"tcm.ipynb"), str(tmp_path/"out.ipynb"), dict(lang="cn"),
                            engine_name="mic-eval", kernel_name="python3", progress_bar=False)
    made = nbformat.read(tmp_path/"out.ipynb", 4)
    texts = [c.source for c in made.cells if c.cell_type == "markdown" and "skip_showdoc" not in c.source]
    assert len(texts) > 10 and not [t for t in texts if left(t)], texts
    html, _ = HTMLExporter(exclude_input=True).from_notebook_node(made)
    assert "考试" in html and "极重大误差" in html and "Examination report" not in html


@pytest.mark.full   # fresh processes with papermill
def test_the_engine_is_found_by_papermill_in_either_order_of_imports():
    from importlib.metadata import entry_points
    there = {e.name: e.value for e in entry_points(group="papermill.engine")}
    assert there["mic-eval"] == "mic_eval.report.render:SpokenEngine"
    for order in ("papermill, mic_eval.report.render", "mic_eval.report.render, papermill"):
        code = f"import {order}; print(papermill.engines.papermill_engines.get_engine('mic-eval').__name__)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.stdout.strip() == "SpokenEngine", done.stderr


def every_command():
    "`(name, command)` of all there are, those inside others and those of fields too"
    import typer.main
    from mic_eval.cli.app import OLD_WORDS, field_commands, field_program, later
    from mic_eval.core.fields import Command
    root, todo = typer.main.get_command(app), []
    old = {k: Command(v[0], "") for k, v in OLD_WORDS.items() if isinstance(v, tuple)}
    for name, own in (old | field_commands()).items():
        if not own.reference.startswith("mic_eval."):
            if own.help: todo.append((name, field_program(name, field_commands())))
            continue
        alone = typer.Typer(add_completion=False)
        later(name, *own.reference.split(":"), own.help, own.example, own.group, into=alone)
        todo.append((name, typer.main.get_command(alone)))
    todo = [("mic-eval", root), *root.commands.items(), *todo]
    while todo:
        name, command = todo.pop()
        yield name, command
        if hasattr(getattr(command, "callback", None), "program"): todo.append((name, command.callback.program()))
        if name != "mic-eval": todo += [(f"{name} {k}", c) for k, c in getattr(command, "commands", {}).items()]


def test_no_help_is_left_in_english():
    known, missing = words.command_texts("zh"), set()
    spoken = set(known.values())   # of a command whose help was asked for in Chinese before
    for name, command in every_command():
        told = [command.help, command.short_help, getattr(command, "rich_help_panel", None),
                *[getattr(p, "help", None) for p in command.params]]
        missing |= {(name, t) for t in told if isinstance(t, str) and t and t not in known and t not in spoken}
    assert not missing, f"say these in report/languages/commands/zh.po: {missing}"


def test_help_is_chinese_from_its_first_line_to_its_last():
    for line in ("-h", "run -h", "plan rate -h", "runs gc -h", "rate -h"):
        text = said(*line.split())
        assert text.strip().startswith("用法：") and "选项" in text and "…" not in text, text
        assert not re.search(r"[a-z]{2,} (the|of|a|to|is|when) [a-z]| (TEXT|PATH|NUMBER|N) ", text), text
    assert "Usage: " in CliRunner().invoke(app, ["plan", "-h"]).stdout


def test_a_line_is_in_one_language(capsys):
    from mic_eval.cli.app import say_error
    words.speak("zh")
    say_error("singular matrix in row 3")
    say_error("no column 'x'; did you mean 'y'?")
    assert capsys.readouterr().err.splitlines()[0] == "error: singular matrix in row 3"


CATALOGS = sorted(Path(words.__file__).parent.parent.rglob("zh.po"))


@pytest.mark.parametrize("catalog", CATALOGS, ids=lambda p: p.parent.name)
def test_a_catalog_is_sound(catalog):
    from babel.messages.pofile import read_po
    with catalog.open("rb") as f: read = read_po(f, abort_invalid=True)
    found = [m for m in read if m.id]
    assert len({(m.id, m.context) for m in found}) == len(found)
    places = lambda text: set(re.findall(r"\{\w*\}", text))
    assert not [m.id for m in found if places(m.id) != places(m.string)]
    assert catalog.read_text(encoding="utf-8").count("\nmsgid ") == len(found) + 1, "an entry stands twice"


@pytest.fixture(scope="module")
def mistaken(tmp_path_factory):
    place = tmp_path_factory.mktemp("mistaken")
    mistakes.files(place)
    return place


@pytest.mark.full   # a hundred commands
def test_a_hundred_mistakes_are_answered_in_chinese(mistaken, monkeypatch):
    monkeypatch.chdir(mistaken)
    found = {o: left for o in mistakes.QUICK if (left := mistakes.english(o))}
    assert len(mistakes.QUICK) > 100 and not found, found


def templates(tree):
    "The texts of errors that a module raises, with `{}` for what stands in them"
    def text(e):
        if isinstance(e, ast.Constant): return str(e.value)
        if isinstance(e, ast.JoinedStr): return "".join(map(text, e.values))
        return text(e.left) + text(e.right) if isinstance(e, ast.BinOp) and isinstance(e.op, ast.Add) else "{}"
    for n in ast.walk(tree):
        if (
            isinstance(n, ast.Raise)
            and isinstance(n.exc, ast.Call)
            and getattr(n.exc.func, "id", "") in ("ValueError", "Asked")
        ):
            yield from map(text, n.exc.args[:1])


@pytest.mark.later
def test_errors_have_a_chinese_text():
    "Nearly all: an error that is new may stay English, whole, until somebody finds words for it"
    plain = lambda text: re.sub(r"\{\w*\}", "{}", text)
    known = {plain(t) for t in (*words.command_texts("zh"), *words.texts("zh"))}
    folder = Path(words.__file__).parent.parent
    raised = {t for p in folder.rglob("*.py") for t in templates(ast.parse(p.read_text(encoding="utf-8")))}
    raised = {t for t in raised if re.search("[A-Za-z]{2}", t)}
    missing = sorted(raised - known)
    print(*missing, sep="\n")
    assert len(raised) > 900 and len(missing) < .03*len(raised), missing


@pytest.mark.parametrize("line", ["desk study", "check truth", "report truth", "runs list --out model"])
def test_what_a_person_typed_is_not_translated(here, monkeypatch, line):
    "A folder may be called as a word that the catalogue knows"
    monkeypatch.chdir(here)
    text = said(*line.split())
    assert line.split()[-1] in text and re.search("[\u4e00-\u9fff]", text)


def in_a_row(text):
    "Words of English in a row, but for what stands in quotation marks"
    return re.findall(r"(?:\b[a-z]{2,}\b[ ,;:]+){3,}", re.sub(r"'[^']*'|\([^)]*--[^)]*\)", " ", text))


def test_what_helps_with_cells_that_are_no_mic_is_said_in_chinese():
    "Each hint, of an error and of a warning, alone and of a column; each other quantity; no two hints are one text"
    import warnings
    from mic_eval.core.concentrations import _OTHERS
    from mic_eval.mic.dilutions import _HINTS, parse_mic
    cells = ["1/8", "1-Feb", "1,000", "0.5 S", "2^-1", "0.5*", "-1"]
    units = ["4 µM", "4 IU/mL", "4 mm", "4 %", "4 mg/kg", "4 mg", "4 CFU/mL", "4 h", "4 xyz/L"]
    texts = set()
    for cell in (*cells, *units, "foo"):
        with pytest.raises(ValueError) as e: parse_mic([cell, "0.5", "2"])
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            parse_mic([cell, "0.5", "2"], "coerce")
        texts.add(str(e.value))
        for said in (str(e.value), f"column 'MIC (mg/L)': {e.value}", str(told[0].message)):
            spoken = words.translated(said, "zh")
            assert "无法读取" in spoken and not in_a_row(spoken), (said, spoken)
    assert len(texts) == len(cells)+len(units)+1 == len(_HINTS)+len(units)+1
    known = words.command_texts("zh")
    assert not [q for q in _OTHERS if q not in known]
