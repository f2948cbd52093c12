"Small things that a first user meets: a number and its noun, the sheet of a workbook, rows that stand there twice"
import re

import pytest

from mic_eval.core.text import how_many, in_number, message
from mic_eval.report import words


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
    places = lambda t: dict.fromkeys(re.findall(r"\{(\w+)\}", t), 1)
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
    assert set(singulars) <= {"series", "class", "is", "was", "has", "as", "species"}, set(singulars)
