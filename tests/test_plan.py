"mic-eval plan: sizes against the power functions and exact tails, every design, bad input"
import json
import math

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import beta, binom
from typer.testing import CliRunner

from mic_eval.core.criteria import Criterion, judge_one, profiles, read_profile
from mic_eval.core.results import Score
from mic_eval.metrics import design_effect
from mic_eval.cli.app import app
from mic_eval.cli.plan import ROWS_OF, estimate_power, fewest, of_profile, plan_app, rows_to_pass
from every import every


def plan(text):
    r = CliRunner().invoke(plan_app, [*text.split(), "--json"])
    if r.exception and not isinstance(r.exception, SystemExit): raise r.exception
    return json.loads(r.output)


def size(text, power=.8): return next(r["rows"] for r in plan(text)["rows"] if r["power"] == power)


def passes(n, rate, limit):
    "Chance that Clopper-Pearson's one-sided lower bound reaches the limit, by scipy alone"
    return sum(binom.pmf(k, n, rate) for k in range(n+1) if k and beta.ppf(.05, k, n-k+1) >= limit)


def test_rate_against_exact_tails():
    n = size("rate --expect .98 --limit .95")
    assert passes(n, .98, .95) >= .8 > passes(n-40, .98, .95)
    assert size("rate --expect .02 --limit .05") == n   # a miss rate is the same question from the other side
    assert "fewer than 59 cannot" in plan("rate --expect .98 --limit .95")["sentence"]
    assert size("rate --expect .98 --limit .95 --sides 2") > n


def test_groups_enlarge_by_the_design_effect():
    alone, grouped = size(
        "rate --expect .98 --limit .95"), plan("rate --expect .98 --limit .95 --group-size 8 --icc .3")["rows"][1]
    assert grouped["rows"] == 8*grouped["groups"]
    assert alone*design_effect(8, .3) <= grouped["rows"] < alone*design_effect(8, .3)+8


def test_every_design_grows_with_what_is_asked():
    pairs = [("compare --new-only .05 --old-only .02", "compare --new-only .04 --old-only .02"),
             ("compare --new-only .03 --old-only .03 --margin .03",
              "compare --new-only .03 --old-only .03 --margin .02"),
             ("auroc --expect .97 --limit .92", "auroc --expect .97 --limit .94"),
             ("auroc --expect .97 --against .93 --correlation .8", "auroc --expect .97 --against .93 --correlation .2"),
             ("agreement --expect .97 --power .95", "agreement --expect .94 --power .95")]
    for easy, hard in pairs:
        p = .95 if "agreement" in easy else .8
        assert size(easy, p) < size(hard, p), hard


def test_agreement_is_the_binomial_tail():
    n = size("agreement --expect .95 --limit .9", .95)
    assert math.isclose(estimate_power(n, rate=.95, limit=.9), binom.sf(math.ceil(.9*n)-1, n, .95))
    assert estimate_power(n, rate=.95, limit=.9) >= .95


@pytest.mark.parametrize("name", ["mic-release", "mic-clinical", "fda-2009"])
def test_profile_numbers_are_the_first_that_pass(name):
    "Each number lets its criterion pass, one row fewer does not"
    profile = read_profile(name)
    assert of_profile(profile)
    for c in profile.criteria:
        if c.metric.split(".")[-1] not in ROWS_OF or c.metric == "f1" or c.on == "worst" or not 0 < c.limit < 1:
            continue
        for errors in (0, 3):
            def status(n):
                k = n-errors if c.direction == "min" else errors
                from mic_eval.core.intervals import wilson
                s = Score(k/n, *map(float, wilson(k, n)), k=k, n=n)
                return judge_one(c, s, s).status   # all of them on scale
            n = fewest(c, errors)
            assert status(n) == "pass" and (n <= max(errors, 1) or status(n-1) != "pass"), (c, errors, n)


def test_f1_needs_what_its_wilson_interval_needs():
    from mic_eval.metrics import f1
    c = Criterion("f1", .985, "min", on="lo")
    n = fewest(c, 0)
    assert f1([1]*n, [1]*n).lo >= .985 > f1([1]*(n-1), [1]*(n-1)).lo


@every("text, what", [("rate --expect .95 --limit .95", "expect equals limit"),
                      ("rate --expect 98 --limit .95", "shares between 0 and 1"),
                      ("auroc --expect .9", "--limit or --against"),
                      ("compare --new-only .03 --old-only .03", "no difference to show"),
                      ("agreement --expect .85", "expect must lie above limit"),
                      ("profile nosuch", "nosuch"),
                      ("rate --expect .98 --limit .95 --power 1.2", "--power"),
                      ("rate --expect .98 --limit .95 --group-size 8 --icc 2", "icc")])
def test_bad_input_is_named(text, what):
    with pytest.raises(ValueError, match=what): plan(text)


def test_it_is_a_command_of_the_program():
    r = CliRunner().invoke(app, ["plan", "profile", "mic-release"])
    assert r.exit_code == 0 and "299" in r.output and set(profiles()) >= {"mic-release"}


@pytest.mark.later
@pytest.mark.parametrize("name, limit", [("roc_auc", .85), ("balanced_accuracy", .9)])
def test_rows_of_each_class_let_good_models_pass(name, limit):
    "Drawn anew, under another seed: the planned number passes as often as planned, and none fails"
    import mic_eval.metrics as M
    c = Criterion(name, limit, "min", on="lo")
    rng, n = np.random.default_rng(9), rows_to_pass(c, .25, .8)
    y, value, passed = np.repeat([0, 1], n), 1-.25*(1-limit), 0
    for _ in range(300):
        if name == "roc_auc": s = M.roc_auc(y, ndtr(rng.normal(size=2*n)+y*2**.5*ndtri(value)))
        else: s = M.balanced_accuracy(y, np.where(rng.random(2*n) < value, y, 1-y))
        passed += judge_one(c, s).status == "pass"
        assert s.hi >= limit
    assert passed >= .8*300-3*(300*.8*.2)**.5
    assert rows_to_pass(c, .25, .8, groups=5) > n


@pytest.mark.parametrize("name", ["tcm-exam", "anomaly-screen", "domain-carry", "classification-screen"])
def test_every_field_has_a_plan(name): assert of_profile(read_profile(name))


def test_a_run_is_planned_group_by_group(tmp_path):
    from fooling import wells
    wells(1, n=200, drugs=["A", "B"]).to_csv(tmp_path/"t.csv", index=False)
    CliRunner().invoke(app, f"run --predictions {tmp_path}/t.csv --field mic --profile mic-clinical --report none "
                            f"--out {tmp_path}/out".split())
    rows = plan(f"profile mic-clinical --run {tmp_path}/out")["rows"]
    assert {(o["group"], o["there"]) for o in rows} == {("A", 200), ("B", 200)}
    assert all(o["power_95"] > 200 for o in rows)
    with pytest.raises(ValueError, match="was not judged by tcm-exam"): plan(f"profile tcm-exam --run {tmp_path}/out")
