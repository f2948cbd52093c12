"""Bad models of every field that try to pass, and good ones that must: the tables of `fooling.py`, every third at once
and the others later."""
import fooling
import pytest


def some(table):
    "Parameters of a test, each marked with when it runs"
    for i, (field, name) in enumerate((f, k) for f, cases in table.items() for k in cases):
        marks = [pytest.mark.full] if field in fooling.SLOW else [pytest.mark.later] if i % 3 else []
        yield pytest.param(field, name, marks=marks)


@pytest.mark.parametrize("field, name", some(fooling.BAD))
def test_a_bad_one_does_not_pass(field, name):
    status, why = fooling.said(field, fooling.BAD[field][name](5))
    assert status != "pass" and why, why


@pytest.mark.parametrize("field, name", some(fooling.GOOD))
def test_a_good_one_passes(field, name):
    status, why = fooling.said(field, fooling.GOOD[field][name](5))
    assert status == "pass", why


@pytest.mark.full
@pytest.mark.parametrize("field", fooling.AT_LIMIT)
def test_at_the_limit_few_pass_and_good_ones_are_not_stopped(field):
    good = next(iter(fooling.GOOD[field].values()))
    stopped = sum(fooling.said(field, good(100+s))[0] != "pass" for s in range(60))
    passed = sum(fooling.said(field, fooling.AT_LIMIT[field](100+s))[0] == "pass" for s in range(60))
    assert stopped <= 3 and passed <= 5, (stopped, passed)


@pytest.mark.parametrize("point", fooling.RULE)
def test_each_point_of_the_rule_is_tried_in_every_field(point):
    "A bad one and a good one, which the tests above judge, or the reason why there is none"
    assert set(fooling.RULE[point]) == set(fooling.JUDGES)
    for field, pair in fooling.RULE[point].items():
        if isinstance(pair, str): assert len(pair) > 20
        else: assert pair[0] in fooling.BAD[field] and pair[1] in fooling.GOOD[field], (field, pair)


@pytest.mark.parametrize("field", fooling.JUDGES)
def test_thirty_bad_ones_and_ten_good_ones_a_field(field):
    assert len(fooling.BAD[field]) >= 30 and len(fooling.GOOD[field]) >= 10


def test_the_guide_shows_the_rule():
    "Its table holds every point, and the bad one and the good one of every field, as they stand here"
    from html import escape
    from json import loads
    from pathlib import Path
    page = loads((Path(__file__).parent.parent/"nbs/explanations/08_fooling_this_tool.ipynb").read_text())
    shown = next("".join(o["data"]["text/html"]) for c in page["cells"] if "def rule_of_cases" in "".join(c["source"])
                 for o in c["outputs"])
    for point, fields in fooling.RULE.items():
        assert escape(point, quote=False) in shown
        for pair in fields.values():
            for name in [pair] if isinstance(pair, str) else pair: assert escape(name, quote=False) in shown, name
