"Chinese of the room of MICs: the same places on both sides, and no message of its pages without words."
import ast
from pathlib import Path
from string import Formatter

from mic_eval.mic.field import CHINESE
from mic_eval.report import words

PAGES = ("mic/approval mic/categories mic/comparison mic/devices mic/dilutions mic/distributions mic/ecoff "
         "mic/annex mic/findings mic/mixture mic/photograph mic/precision mic/readings").split()


def places(text): return {p[1] for p in Formatter().parse(text) if p[1]}


def messages(page):
    "The templates that a page gives to `message`, as far as they stand there as text"
    tree = ast.parse((Path(__file__).parent.parent/f"mic_eval/{page}.py").read_text(encoding="utf-8"))
    for n in ast.walk(tree):
        if isinstance(n, ast.Call) and getattr(n.func, "id", "") == "message" and isinstance(n.args[0], ast.Constant):
            yield n.args[0].value


def test_places_are_the_same(): assert not [k for k, v in CHINESE.items() if places(k) != places(v)]


def test_every_message_has_words():
    there = {*CHINESE, *words.texts("zh")}
    assert not sorted({(p, t) for p in PAGES for t in messages(p) if t not in there})
