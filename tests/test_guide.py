"""The user guide by task: each page and command exists, and fifty questions written before the index find theirs."""
import html
import json
import re
import sys
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from mic_eval.cli.app import app, doors

root = Path(__file__).parents[1]
sys.path.insert(0, str(root / "nbs" / "_site"))
import finder  # noqa: E402

listed = finder.tasks()
pages = {re.sub(r"/\d+_", "/", p.relative_to(root / "nbs").with_suffix("").as_posix())
         for p in (root / "nbs").glob("**/*.ipynb")}


def test_fifty_tasks_lead_to_pages_that_exist():
    assert len(listed) >= 50
    assert not [t["page"] for t in listed if t["page"] not in pages]
    assert len({t["en"] for t in listed}) == len(listed) and not [t["en"] for t in listed if not t["zh"]]


def test_every_task_has_a_line_that_was_run_and_a_picture():
    page = json.loads((root / "nbs" / "how_to" / "13_fifty_tasks.ipynb").read_text(encoding="utf-8"))
    outputs = [o for c in page["cells"] for o in c.get("outputs", ())]
    shown = "".join("".join(o.get("data", {}).get("text/html", "")) for o in outputs)
    rows = [row for row in shown.split("<tr>") if "<samp>" in row]
    called = [html.unescape(re.search(r"<code>([^<]+)</code><br><samp>", row)[1]) for row in rows]
    assert called == [t["call"] for t in listed]   # as the table has them today
    assert not [row for row in rows if "<samp></samp>" in row or "data:image/png;base64," not in row]


@pytest.mark.parametrize(("file", "asked", "may_miss"), [("questions", 50, 5), ("more_questions", 30, 2)])
def test_the_right_page_is_among_the_first_three(file, asked, may_miss):
    "For 45 of 50 questions that were written before the index, and for 28 of 30 that were written after it"
    questions = yaml.safe_load((root / "tests" / f"{file}.yml").read_text(encoding="utf-8"))
    assert len(questions) == asked
    missed = {q: [t["page"] for t in finder.found(q, listed)[:3]] for q, right in questions.items()
              if not set(right) & {t["page"] for t in finder.found(q, listed)[:3]}}
    assert len(missed) <= may_miss, missed


@pytest.mark.later
def test_every_command_and_option_of_a_task_or_a_door_exists():
    typed = {t["command"] for t in listed if t["command"]} | set(doors().values())
    helps, wide = {}, dict(COLUMNS="200")
    for command in typed:
        verbs = re.match(r"mic-eval ((?:[a-z]+ ?){1,2})", command)[1].split()
        for some in (verbs, verbs[:1]):
            done = CliRunner().invoke(app, [*some, "--help"], env=wide)
            if done.exit_code == 0: break
        helps[command] = done.output if done.exit_code == 0 else ""
    assert not [c for c in typed if not helps[c]]
    assert not [(c, o) for c in typed for o in re.findall(r"--[a-z-]+", c) if o not in helps[c]]
