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


def another(name, value, m, rng):
    "The score of a model whose true value is known, over `m` rows of each class"
    import mic_eval.metrics as M
    y = np.repeat([0, 1], m)
    if name == "roc_auc": return M.roc_auc(y, ndtr(rng.normal(size=2*m)+y*2**.5*ndtri(value)))
    if name in ("brier", "log_loss"):
        loss = dict(brier=lambda p: p*p, log_loss=lambda p: -np.log1p(-p))[name]
        wrong = rng.random(2*m) < (value-loss(.02))/(loss(.98)-loss(.02))
        off = np.where(wrong, .98, .02)+rng.uniform(-.005, .005, 2*m)
        return getattr(M, name)(y, np.where(y == 1, 1-off, off))
    if name.startswith("ece"):
        sure = rng.uniform(.6, .95, 2*m)
        return getattr(M, name)((rng.random(2*m) < sure-value)*1, sure)
    return getattr(M, name)(y, np.where(rng.random(2*m) < value, y, 1-y))


PLANNED = dict(roc_auc=.85, balanced_accuracy=.9, f1=.9, brier=.1, log_loss=.35, ece=.1, ece_debiased=.1)


@pytest.mark.later
@pytest.mark.parametrize("groups, power", [(1, .8), (5, .95)])
@pytest.mark.parametrize("name, limit", PLANNED.items())
def test_rows_of_each_class_let_good_models_pass(name, limit, groups, power):
    "Drawn anew, under another seed: the planned number passes as often as planned, none fails, and half is too few"
    up = name in ("roc_auc", "balanced_accuracy", "f1")
    c = Criterion(name, limit, "min" if up else "max", on="lo" if up else "hi")
    rng, m = np.random.default_rng(9), rows_to_pass(c, .25, power, groups)
    value, draws = 1-.25*(1-limit) if up else .25*limit, 300
    def share(m):
        js = [judge_one(c, another(name, value, m, rng)) for _ in range(draws*(3 if groups > 1 else 1))]
        assert not any(j.status == "fail" for j in js)
        return np.mean([j.status == "pass" for j in js])**groups
    p = power**(1/groups)
    assert share(m)**(1/groups) >= p-3*(p*(1-p)/(draws*(3 if groups > 1 else 1)))**.5
    assert share(m//2) < power


@pytest.mark.parametrize("name", ["f1", "balanced_accuracy", "brier"])
def test_more_rows_than_planned_pass_as_often(name):
    "The chance goes up and down with the number of rows; what is stated is from where on it stays, and not before"
    from mic_eval.cli import plan
    c = Criterion(name, .1 if name == "brier" else .9, "max" if name == "brier" else "min", on="bound")
    m = rows_to_pass(c, .25, .8)
    plain = plan._plainly(c)
    def chance(m):
        most, wrong = plan._tolerated(plain, m), plan._wrongly_called(plain, .25)
        return sum(binom.pmf(k, m, wrong)*binom.cdf(a, m, wrong) for k, a in enumerate(most))
    assert min(chance(o) for o in range(m, int(1.4*m))) >= .79 and min(chance(o) for o in range(int(.85*m), m)) < .8


def test_shares_stay_above_the_planned_chance():
    from mic_eval.cli.plan import units_to_pass
    c = Criterion("false_negative_rate", .01, "max", on="hi", interval="clopper-pearson", sides=1)
    n = units_to_pass(c, .25, .8)
    def chance(n): return sum(binom.pmf(k, n, .0025) for k in range(9) if beta.ppf(.95, k+1, n-k) <= .01)
    assert min(map(chance, range(n, 2*n, 7))) >= .8 > chance(n-1)


def test_what_no_limit_tells_is_named(tmp_path):
    with pytest.raises(ValueError, match="no number of rows follows from the limits of noise-scenes.*a first run"):
        plan("profile noise-scenes --errors .25")
    said = plan("profile tcm-exam --errors .25")["sentence"]
    assert "No number follows from the limits of difference" in said and "all are met together is less likely" in said
    (tmp_path/"p.yml").write_text("criteria:\n  - {metric: brier, limit: 0.2, direction: max}\n")
    assert "98 or 2 %" in plan(f"profile {tmp_path}/p.yml --errors .25")["sentence"]


def test_a_run_tells_how_far_its_numbers_scatter():
    "Trials of three seeds: so many more as the width of the interval asks for, by hand"
    from types import SimpleNamespace
    from mic_eval.cli.plan import groups_of_run
    from mic_eval.core.criteria import Profile
    p = Profile("p", (Criterion("overall", .85, "min", on="lo"), Criterion("drop", .15, "max", on="hi")))
    judged = [dict(group="", value=.9, bound=.8, units=5), dict(group="", value=.2, bound=.3, units=5)]
    first, wrong_side = groups_of_run(SimpleNamespace(criteria=judged), p, .25)
    assert first["power_80"] == math.ceil(5*((1+ndtri(.8)/ndtri(.975))*.1/.05)**2) and wrong_side["power_80"] == ""


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


@pytest.mark.parametrize("text, said", [
    ("rate --expect .98 --limit .95", "--power .8 --level .95 --sides 1"),
    ("compare --new-only .05 --old-only .02", "--power .8 --level .95 --margin 0"),
    ("auroc --expect .97 --against .93", "--power .8 --level .95 --prevalence .5 --correlation .5"),
    ("agreement --expect .97", "--power .95 --limit .9")])
def test_what_a_plan_takes_where_nothing_is_said(text, said):
    assert plan(text)["sentence"] == plan(f"{text} {said}")["sentence"]
    assert plan(f"{text} --group-size 8") == plan(f"{text} {said} --group-size 8 --icc .3")


@pytest.mark.parametrize("profile, errors, said", [
    ("mic-release", "", set()), ("mic-release", " --errors .25", {"by itself", "Losses are"}),
    ("mic-clinical", " --errors .25", {"by itself"}), ("mic-clinical", "", set())])
def test_a_plan_says_of_which_models_its_losses_are(monkeypatch, profile, errors, said):
    from mic_eval.cli import plan as page
    monkeypatch.setattr(page, "of_profile", lambda *asked: [dict(of="rows", none=10)])   # the sizes take seconds
    told = plan(f"profile {profile}{errors}")["sentence"]
    assert {o for o in ("by itself", "Losses are") if o in told} == said
