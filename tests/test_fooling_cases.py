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


@pytest.mark.full
@pytest.mark.parametrize("field", fooling.AT_LIMIT)
def test_at_the_limit_few_pass_and_good_ones_are_not_stopped(field):
    good = next(iter(fooling.GOOD[field].values()))
    stopped = sum(fooling.said(field, good(100+s))[0] != "pass" for s in range(60))
    passed = sum(fooling.said(field, fooling.AT_LIMIT[field](100+s))[0] == "pass" for s in range(60))
    assert stopped <= 3 and passed <= 5, (stopped, passed)
