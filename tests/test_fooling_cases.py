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
