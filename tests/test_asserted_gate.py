"Parts of the gate, each against a value worked out another way"
import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from mic_eval.core.criteria import FAIL, INSUFFICIENT, PASS
from mic_eval.core.results import NotApplicable, Result, Score


@pytest.mark.parametrize("lo, value, hi, status", [
    (-.0099, .02, .05, PASS), (-.01, 0, .01, INSUFFICIENT), (-.05, -.02, -.001, FAIL), (-.05, -.02, 0, INSUFFICIENT),
    (-.012, -.01, -.008, INSUFFICIENT), (-.009, -.005, -.001, PASS), (-.05, -.011, -.0001, FAIL)])
def test_a_loss_and_a_gain_of_the_opposite_sign_are_judged_alike(lo, value, hi, status):
    from mic_eval.gate.baseline import _larger_by, margin_status
    assert margin_status(Score(value, lo, hi), .01) == status
    o = _larger_by(Score(-value, -hi, -lo), 30, SimpleNamespace(rows="rows"), .01, p=.5)   # an error that should fall
    assert o.status == status and o.numbers["p"] == .5
    assert f"30 rows: {-value:+.4f} ({-hi:+.4f} to {-lo:+.4f})" in str(o.why)
    assert _larger_by(Score(value, n=3), 30, SimpleNamespace(rows="rows"), .01).status == INSUFFICIENT


def test_of_parts_the_worst_decides_and_a_loss_must_stand_among_all_of_them():
    from mic_eval.gate.baseline import _worst_part
    def test(value, half, p): return SimpleNamespace(effect=Score(value, value-half, value+half), p=p)
    better, open_, worse = test(.02, .01, .5), test(0, .05, .9), test(-.1, .05, .001)
    def of(*parts): return _worst_part({f"part {i}": (f"said {i}", t) for i, t in enumerate(parts)}, .01)
    assert (of(better, open_, worse).status, of(better, open_, worse).numbers["part"]) == (FAIL, "part 2")
    assert (of(better, open_).status, of(better, open_).numbers["part"]) == (INSUFFICIENT, "part 1")
    all_ = of(better, test(.03, .01, .5))
    assert all_.status == PASS and str(all_.why) == "none of 2 is worse; said 0" and all_.numbers["parts"] == 2
    weak = test(-.1, .05, .03)
    assert of(weak).status == FAIL and of(weak, better).status == INSUFFICIENT                # Holm: 2 times .03
    assert of(weak, test(-.2, .1, .04)).status == INSUFFICIENT
    assert of(weak, test(-.2, .1, .02)).numbers["part"] == "part 1"
    assert of(worse, test(-.3, .1, .002)).numbers["part"] == "part 1"                    # both fail: the larger loss
    assert of(weak, test(0, 0, math.nan)).status == FAIL                                 # no p is no test


@pytest.mark.parametrize("n, differ, margin", [(200, 20, .05), (4000, 80, .02)])
def test_rows_that_are_needed_are_those_of_a_paired_plan(n, differ, margin):
    "Eight of ten studies of equally good models whose 95 % limits stay above the margin"
    from scipy.stats import norm
    from mic_eval.gate.baseline import rows_needed
    right = np.ones(n, bool)
    before = right.copy()
    right[:differ//2], before[differ//2:differ] = False, False
    said = str(rows_needed(right, before, None, margin))
    need = int(said.split(" rows")[0].split()[-1].replace(",", ""))
    assert need == pytest.approx((norm.ppf(.975)+norm.ppf(.8))**2*differ/n/margin**2, rel=.15)
    assert ("would have shown" in said) == (need <= n)


def test_every_value_of_a_tree_has_a_path_of_its_own_and_rounding_is_no_change():
    from mic_eval.gate.integration import _apart, leaves
    tree = dict(a=[1, dict(b=None, c=[])], d="x", e={}, f=[[2], 3.])
    assert leaves(tree) == {"a.0": 1, "a.1.b": None, "d": "x", "f.0.0": 2, "f.1": 3.}
    assert leaves(5) == {"": 5}
    for a, b, apart in ((1, 1., False), (1, 1+1e-10, False), (1, 1+1e-8, True), (0, 1e-13, False), (0, 1e-11, True),
            (1e9, 1e9+.5, False), ("a", "b", True), (None, None, False), (None, 0, True), (True, False, True),
            ("1", 1, True)):
        assert (_apart(a, b), _apart(b, a)) == (apart, apart), (a, b)


def test_rows_are_told_apart_by_sample_and_variant():
    from mic_eval.gate.integration import row_keys, stored_rows
    facts = pd.DataFrame(dict(sample_id=[3, 1, 1], variant=["", "hflip", np.nan]))
    assert row_keys(facts) == [("3", ""), ("1", "hflip"), ("1", "")] and row_keys(facts[["sample_id"]])[1] == ("1", "")
    p = SimpleNamespace(sample_id=np.array(["1", "9", "1", "3"]), variant=np.array(["", "", "hflip", "hflip"]))
    s = SimpleNamespace(inputs=SimpleNamespace(facts=facts), run=SimpleNamespace(predictions=p))
    assert stored_rows(s).tolist() == [2, -1, 1, -1]


@pytest.mark.parametrize("now, status", [(1., PASS), (2., PASS), (2.01, INSUFFICIENT)])
def test_twice_the_time_is_at_most_twice(now, status):
    from mic_eval.gate.integration import not_slower
    def run(ms, **more):
        return SimpleNamespace(about=dict(ms_per_well=ms, environment=dict(cpu="x", cores=2, machine="m") | more))
    s = SimpleNamespace(run=run(now), baseline=run(1.), field=SimpleNamespace(unit="well"))
    o = not_slower(s)
    assert o.status == status and o.numbers == dict(ms=now, baseline_ms=1.)
    assert f"{now:.2g} times the 1.00" in str(o.why)
    for k in ("cpu", "cores", "machine"):
        other = SimpleNamespace(run=run(now), baseline=run(1., **{k: "else"}), field=s.field)
        assert isinstance(not_slower(other), NotApplicable)
    for a, b, who in ((None, 1., "the run"), (1., None, "the baseline")):
        found = not_slower(SimpleNamespace(run=run(a), baseline=run(b), field=s.field))
        assert str(found.reason).startswith(who)


def test_a_limit_that_a_coin_meets_says_nothing_of_quality():
    from mic_eval.core.criteria import COUNTED
    from mic_eval.gate.integration import MEASURED, _tells
    def tells(metric, direction, limit, classes=4): return _tells(SimpleNamespace(metric=metric, direction=direction,
        limit=limit), classes)
    assert [tells("overall.accuracy", "min", v) for v in (.2, .25, .2501)] == [False, False, True]   # of four classes
    assert tells("ece", "max", .01) and not tells("kappa", "min", .9, 0) and tells("kappa", "min", 1.1, 0)
    for name in (*COUNTED, *MEASURED): assert not tells(f"x.{name}", "max", 9)
    assert not tells("by.sizes.recall", "min", .9)
