"""The table of the design documents stays true: names exist, commands are understood, pages hold what they are said
to show, and every probe is true."""
import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mic_eval.cli.app import app
from mic_eval.cli.design import STATES, design_items, named_in, probe_holds

nbs = Path(__file__).parents[1] / "nbs"
items = design_items()


def test_every_item_is_there_once_with_its_state_and_its_reason():
    assert len(items) == 455 and items.id.is_unique and set(items.state) <= set(STATES)
    other = items.state != "works"
    assert (items.why[other] != "").all() and (items.why_zh[other] != "").all() and (items.why[~other] == "").all()
    assert ((items["where"] != "") | (items.page != "") | items.state.isin(["not done"])).all()


def test_every_name_leads_to_something():
    lost = []
    for row in items.itertuples():
        try: named_in(row.where), named_in(row.uses)
        except (ImportError, AttributeError) as e: lost.append((row.id, str(e)))
    assert not lost


@pytest.mark.later
def test_every_command_and_option_exists():
    typed = {t for where in items["where"] for t in where.split("; ") if t.startswith("mic-eval ")}
    commands = {t: re.match(r"mic-eval ([a-z ]+[a-z])", t)[1] for t in typed}
    wide = dict(COLUMNS="200")
    helps = {c: CliRunner().invoke(app, [*c.split(), "--help"], env=wide) for c in set(commands.values())}
    assert not [c for c, done in helps.items() if done.exit_code]
    assert not [t for t, c in commands.items() for o in re.findall(r"--[a-z-]+", t) if o not in helps[c].output]


def test_every_page_exists_and_speaks_of_its_row():
    pages = {re.sub(r"/\d+_", "/", p.relative_to(nbs).with_suffix("").as_posix()): p for p in nbs.glob("**/*.ipynb")}
    texts = {name: "".join("".join(c["source"]) for c in json.loads(p.read_text(encoding="utf-8"))["cells"])
             for name, p in pages.items() if name in set(items.page)}
    lost = []
    for row in items.itertuples():
        if not row.page: continue
        names = list(named_in(row.where))
        if row.page not in texts or names and not any(re.search(rf"\b{n}\b", texts[row.page]) for n in names):
            lost.append((row.id, row.page, names))
    assert not lost


def test_whatever_works_has_a_probe_of_its_own():
    works = items[items.state == "works"]
    assert not list(works.id[works.probe == ""])
    lost = []
    for row in works.itertuples():   # a probe that asks none of the functions of its row proves nothing of them
        names = [*named_in(row.where), *named_in(row.uses)]
        asked = r"\b(" + "|".join([*names, "limit", "gated", "tried", "printed", "reports"]) + r")\b"
        if names and not re.search(asked, row.probe): lost.append(row.id)
    assert not lost


def test_an_item_stands_there_whole():
    assert not [i for i in items["item"] if i.count("(") != i.count(")")]


@pytest.mark.full
def test_every_probe_is_true():
    wrong = []
    for row in items[items.probe != ""].itertuples():
        try: holds = probe_holds(row.probe, row.where, row.uses)
        except Exception as e: holds = e
        if holds is not True: wrong.append((row.id, row.probe, holds))
    assert not wrong
