"Chinese of the room of MICs: no message of its pages without words."
import ast
from pathlib import Path

import pytest

from mic_eval.mic.field import WORDS
from mic_eval.report import words

PAGES = ("mic/approval mic/categories mic/comparison mic/devices mic/dilutions mic/distributions mic/ecoff "
         "mic/annex mic/findings mic/mixture mic/photograph mic/precision mic/readings").split()


def messages(page):
    "The templates that a page gives to `message`, as far as they stand there as text"
    tree = ast.parse((Path(__file__).parent.parent/f"mic_eval/{page}.py").read_text(encoding="utf-8"))
    for n in ast.walk(tree):
        if isinstance(n, ast.Call) and getattr(n.func, "id", "") == "message" and isinstance(n.args[0], ast.Constant):
            yield n.args[0].value


@pytest.mark.later
def test_every_message_has_words():
    there = {*WORDS["zh"], *words.texts("zh")}
    assert not sorted({(p, t) for p in PAGES for t in messages(p) if t not in there})
