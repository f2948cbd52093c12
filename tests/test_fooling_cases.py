"Bad models of every field that try to pass, and good ones that must: the tables of `fooling.py`."
import fooling
import pytest

CASES = [(f, k) for f, cases in fooling.BAD.items() for k in cases]
FINE = [(f, k) for f, cases in fooling.GOOD.items() for k in cases]
MARK = {f: [pytest.mark.full] for f in fooling.SLOW}


@pytest.mark.parametrize("field, name", [pytest.param(f, k, marks=MARK.get(f, ())) for f, k in CASES])
def test_a_bad_one_does_not_pass(field, name):
    status, why = fooling.said(field, fooling.BAD[field][name](5))
    assert status != "pass" and why, why


@pytest.mark.parametrize("field, name", [pytest.param(f, k, marks=MARK.get(f, ())) for f, k in FINE])
def test_a_good_one_passes(field, name):
    status, why = fooling.said(field, fooling.GOOD[field][name](5))
    assert status == "pass", why
