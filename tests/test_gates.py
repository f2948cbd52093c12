"""Gates: what stops a build and what does not, on models that are broken on purpose; files that every reader can
parse; one-line errors."""
import json
import math
import re
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from typer.testing import CliRunner

from mic_eval.core.criteria import (FAIL, INSUFFICIENT, NOT_APPLICABLE, NOT_EVALUATED, PASS, Criterion, Profile,
                                    read_profile)
from mic_eval.core.results import NotApplicable, Result, Score, from_json, to_json, PAIRED_RATES
from mic_eval.core.tables import Predictions
from mic_eval.metrics.noninferiority import margin_verdict
from mic_eval.metrics.paired import mcnemar
import mic_eval.report.render
from mic_eval.cli.app import app
from mic_eval.run.evaluation import make_run
from mic_eval.core.fields import Field
from mic_eval.core.text import one_line
from mic_eval.gate.gate import candidate, gate, gate_faults, gate_markdown, junit_xml, save_gate, stops
from mic_eval.gate.golden import golden_run, golden_text, read_golden, same_as_golden, telling_rows
from mic_eval.gate.integration import (files_are_whole, leaves, not_slower, report_renders, same_predictions,
                                       same_results, within_limit)
from mic_eval.gate.baseline import headline_rates, margin_status, not_worse, paired_rights, rows_needed
from mic_eval.gate.smoke import ERROR, SMOKE, Candidate, Check, Outcome, ask_all, asked, worst_status
import mic_eval.mic.contest
from mic_eval.report.words import speaking
from mic_eval.run.store import Run, open_run, save_run
from every import every

HOSTILE = "<script>]]>|`x`\n[y](http://z) & \"q\" \x00\x1b[31m\ud800"


def darkness(x): return np.clip(1.6 - 1.6*x.mean((1, 2, 3)), .01, .99)


class Model:
    "A model with a hash, whose answers a test can bend"
    def __init__(self, f=darkness, name="dark"): self.f, self.fingerprint, self.calls = f, name, 0
    def __call__(self, x):
        self.calls += 1
        return self.f(x)


@pytest.fixture(scope="module")
def place(tmp_path_factory): return tmp_path_factory.mktemp("gates")


@pytest.fixture(scope="module")
def run(place): return make_run(Model(), "demo:1", out=place)


@pytest.fixture(scope="module")
def subject(run): return candidate(run, model=Model(), profile="none", report="none")


def copied(run, to):
    "The same run in a folder that a test may damage"
    to.mkdir()
    for p in run.folder.iterdir():
        if p.is_file(): (to / p.name).write_bytes(p.read_bytes())
    return Run(to)


def wells(n, right, seed=0, groups=None, name="f"):
    "A table of `n` wells of which `right` (indices) are called right"
    y = np.random.default_rng(seed).integers(0, 2, n)
    call = np.where(np.isin(np.arange(n), right), y, 1 - y)
    facts = None if groups is None else pd.DataFrame(dict(plate=groups.astype(str)))
    return Predictions(np.arange(n).astype(str), y, np.where(call == 1, .9, .1), facts=facts)


def stored(table, place, name):
    return make_run(predictions=table.save(place / f"{name}.parquet"), by=(), out=place / "files")


# --- outcomes and their order

@given(st.text(max_size=200))
@pytest.mark.later
def test_one_line_is_one_line_everywhere(text):
    s = one_line(text, 500)
    assert s.isprintable() and len(s) <= 500 and s.encode() is not None
    ET.fromstring(f"<a>{ET.tostring(ET.Element('b', x=s), encoding='unicode')}</a>")


@given(st.lists(st.sampled_from([PASS, FAIL, INSUFFICIENT, NOT_EVALUATED, NOT_APPLICABLE, ERROR]), max_size=6))
def test_the_worst_answer_decides(statuses):
    status = worst_status([Outcome(s, "") for s in statuses])
    assert stops(status) == any(stops(s) for s in statuses)
    assert stops(status, True) == (any(stops(s, True) for s in statuses) or not {*statuses} & {PASS, FAIL, ERROR})


def crash(e):
    def look(s): raise e
    return look


@pytest.mark.parametrize("e, status", [(ValueError("bad\nwell"), FAIL), (KeyError("k"), ERROR),
                                       (RecursionError(), ERROR), (OSError(28, "No space left on device"), ERROR)])
def test_a_check_that_breaks_is_an_outcome(e, status):
    o = asked(Check("integration", "c", crash(e)), None)
    assert o.status == status and "\n" not in o.why and (o.suite, o.check) == ("integration", "c")


def test_only_a_failed_smoke_test_stops_the_rest():
    fine = lambda suite: Check(suite, suite, lambda s: Outcome(PASS, ""))
    later = [fine(s) for s in ("regression", "performance", "integration")]
    for suite, left in ("smoke", NOT_EVALUATED), ("regression", PASS):
        said = ask_all([Check(suite, "broken", crash(RuntimeError("x"))), *later], None)
        assert [o.status for o in said] == [ERROR, left, left, left]
    assert "'broken'" in ask_all([Check("smoke", "broken", crash(ValueError("x"))), *later], None)[-1].why


# --- smoke

def first_bad(s): return next((o for o in ask_all(SMOKE, s) if o.status != PASS), None)


@pytest.mark.later
def test_a_sound_model_passes_and_is_asked_about_few_wells(subject):
    assert first_bad(subject) is None and len(subject.few) == 24


counter = iter(range(10**6))

@pytest.mark.later
@every("f, check, status, words", [
    (lambda x: np.clip(.5 + x.mean() - x.mean((1, 2, 3)), 0, 1), "batch of 1 equals batch of n", FAIL, "at most 1e-05"),
    (lambda x: np.clip(darkness(x) + .01*np.arange(len(x))*(len(x) > 1)/len(x), 0, 1), "batch of 1 equals batch of n",
     FAIL, "between batches of 1 and of 24"),
    (lambda x: np.clip(darkness(x) + 1e-7*(next(counter) % 7), 0, 1), "same seed, same bytes", FAIL, "none is allowed"),
    (lambda x: np.full(len(x), np.nan), "answers for one", FAIL, "nan or infinity"),
    (lambda x: np.full(len(x), 1.5), "answers for one", FAIL, "outside 0-1"),
    (lambda x: np.where(np.arange(len(x)) == 5, np.inf, darkness(x)), "output format", FAIL, "nan or infinity"),
    (lambda x: dict(logits=darkness(x)), "output format", FAIL, "kind logit, in the run prob"),
    (lambda x: dict(prob=darkness(x), uncertainty=darkness(x)), "output format", FAIL, "uncertainty"),
    (lambda x: 1/0, "answers for one", FAIL, "ZeroDivisionError"),
    (lambda x: np.zeros(len(x) + 1), "answers for one", FAIL, "shape"),
    (lambda x: darkness(x) if len(x) > 1 else 1/0, "answers for one", FAIL, "ZeroDivisionError"),
])
def test_what_is_broken_is_found_by_its_test(subject, f, check, status, words):
    o = first_bad(replace(subject, model=Model(f)))
    assert (o.check, o.status) == (check, status) and words in o.why


@pytest.mark.later
def test_rounding_of_a_network_is_allowed(subject):
    assert first_bad(replace(subject, model=Model(lambda x: np.clip(darkness(x) + 4e-6*(len(x) == 1), 0, 1)))) is None


@pytest.mark.later
def test_another_model_other_wells_and_no_hash(subject, place, tmp_path):
    assert first_bad(replace(subject, model=Model(name="other"))).check == "same model as in the run"
    made = make_run(Model(), "demo:1", seed=5, out=tmp_path).folder
    other = made / "../../../.data/1-plates-seed-5/demo"
    assert first_bad(replace(subject, folder=other)).check == "same data as in the run"
    plain = make_run(darkness, "demo:1", version="v1", out=place)
    assert [o.status for o in ask_all(SMOKE, candidate(plain, model=darkness, profile="none"))] == [PASS,
        NOT_APPLICABLE, *[PASS]*6]


def test_a_file_of_predictions_has_no_smoke_and_still_goes_on(place):
    g = gate(stored(wells(60, range(55)), place, "plain"), profile="none", report="none")
    assert {o.status for o in g.outcomes if o.suite == "smoke"} == {NOT_APPLICABLE}
    assert g.status == PASS and g.exit_code == 4 and not g.evidence   # whole files say nothing of the model


@pytest.mark.later
def test_one_well(place, run, tmp_path):
    s = replace(candidate(run, model=Model(), profile="none"), tried=1)
    assert [o.status for o in ask_all(SMOKE, s)][5:7] == [NOT_APPLICABLE]*2


# --- regression

@given(st.floats(-.2, .2), st.floats(0, .3), st.floats(.001, .1))
def test_margin_rule_agrees_with_the_margin_verdict(lo, width, margin):
    e = Score(lo + width/2, lo, lo + width)
    status, verdict = margin_status(e, margin), margin_verdict(e, margin)
    assert (status == PASS) == (verdict in ("superior", "equivalent", "non-inferior"))
    if verdict == "inferior": assert status == FAIL
    if status == FAIL: assert e.hi < 0 and e < -margin


def test_no_interval_is_no_answer(): assert margin_status(Score(-.5, reason="too few groups (2)"), .01) == INSUFFICIENT


@pytest.mark.later
@pytest.mark.parametrize("groups", [None, 30])
def test_numbers_are_those_of_mcnemar(place, groups):
    n = 600
    g = None if groups is None else np.arange(n) % groups
    a, b = wells(n, np.r_[0:570], groups=g), wells(n, np.r_[10:590], groups=g)
    ra, rb = stored(a, place, f"a{groups}"), stored(b, place, f"b{groups}")
    o = not_worse(Candidate(ra, rb), "accuracy")
    t = mcnemar(a.y_true, a.y_pred, b.y_pred, labels=(0, 1), groups=g)
    assert (o.numbers["difference"].lo, o.numbers["difference"].hi, o.numbers["p"]) == (t.effect.lo, t.effect.hi, t.p)
    assert re.search(rf"570/{n} \w+ against 580/{n}", o.why) and "10 only now right, 20 only before" in o.why


def test_order_of_rows_cannot_matter(place):
    a, b = wells(300, range(280)), wells(300, range(10, 300))
    order = np.random.default_rng(0).permutation(300)
    say = lambda t, name: not_worse(Candidate(stored(a, place, "ordered"), stored(t, place, name)), "sensitivity").why
    assert say(b, "b-ordered") == say(b[order], "b-shuffled")


@pytest.mark.later
def test_identical_calls_pass_only_where_they_prove_something(place):
    few = stored(wells(192, range(190)), place, "few")
    shifted = lambda t: replace(t, scores=t.scores*.9, y_pred=t.y_pred)
    same = not_worse(Candidate(few, few), "accuracy")
    other = not_worse(Candidate(few, stored(shifted(wells(192, range(190))), place, "few-shifted")), "accuracy")
    many = [stored(t, place, f"many-{i}") for i, t in enumerate((wells(4000, range(3960)),
                                                                 shifted(wells(4000, range(3960)))))]
    assert isinstance(same, NotApplicable) and "the same file" in same.reason
    assert other.status == INSUFFICIENT and "+0.00 points" in other.why and "would show it" in other.why
    assert not_worse(Candidate(*many), "accuracy").status == PASS


def test_clearly_worse_fails_and_clearly_better_passes(place):
    good, bad = stored(wells(2000, range(1960)), place, "good"), stored(wells(2000, range(1800)), place, "bad")
    assert [not_worse(Candidate(*o), "accuracy").status for o in ((bad, good), (good, bad))] == [FAIL, PASS]
    assert not_worse(Candidate(bad, good, margin=.2), "accuracy").status == PASS


def test_needed_rows_reach_the_margin(place):
    "At the number that is named, equal calls at the same share of differences do pass"
    rng = np.random.default_rng(0)
    a, b = rng.random(200) < .95, rng.random(200) < .95
    need = int(rows_needed(a, b, None, .05).split("about ")[1].split()[0].replace(",", ""))
    assert 200 < need < 5000
    d = round(need*(a != b).mean()/2)
    ra, rb = np.ones(need, bool), np.ones(need, bool)
    ra[:d], rb[d:2*d] = False, False
    assert margin_status(mcnemar(np.ones(need, int), ra*1, rb*1, labels=(0, 1)).effect, .05) == PASS
    assert "more of them may not help" in rows_needed(np.r_[a, a, a, a], np.r_[b, b, b, b], None, .15)
    same, groups = np.ones(190, bool), np.arange(190) % 19
    assert "about 3,180" in rows_needed(same, same, groups, .01)   # 318 independent rows, 10 rows a group


@pytest.mark.parametrize("profile, rates", [("mic-release",
                                             ["accuracy", "sensitivity", "specificity", "essential_agreement"]),
                                            ("mic-clinical", ["sensitivity", "specificity", "essential_agreement"]),
                                            ("iso-20776-2-2021", ["essential_agreement"]),
                                            ("fda-2009", ["essential_agreement", "categorical_agreement",
                                                          "very_major", "major"])])
def test_rates_are_those_of_the_profile(profile, rates):
    own = Field("plates", "Plates", headline=("mics.overall.essential_agreement", "wells.overall.roc_auc"))
    assert headline_rates(read_profile(profile), own) == rates
def test_without_a_profile_and_a_field_the_rates_of_rows():
    assert headline_rates(None) == ["accuracy", "sensitivity", "specificity"]


def mics(place, name, tests, references, categories=None, errors=None):
    "A run whose results hold these MICs"
    t = pd.DataFrame(dict(series=[f"s{i}" for i in range(len(tests))], plate=np.arange(len(tests)) % 7,
                          reference=references, agrees=["" if v is None else "yes" if v == r else "no"
                                                        for v, r in zip(tests, references)]))
    t = t.assign(has_reference=t["reference"].notna())
    if errors is not None: t = t.assign(reference_category=categories, error=errors)
    r = Run(place / name)
    vars(r)["result"] = Result(mics=Result(about=Result(groups=Result(column="series")), pairs=t))
    return r


def test_series_without_a_result_count_as_wrong(place):
    ref = ["1"]*40
    a, b = mics(place, "a", [None]*10 + ["1"]*30, ref), mics(place, "b", ["1"]*40, ref)
    right, before, groups = paired_rights(Candidate(a, b), "essential_agreement")
    assert (right.sum(), before.sum(), groups) == (30, 40, None)
    assert paired_rights(Candidate(a, b), "very_major").reason == "no breakpoints"
    for other, why in ((mics(place, "c", ["1"]*40, ["2"]*40), "different reference"),
                       (mics(place, "d", ["1"]*39, ref[:39]), "different series")):
        assert why in paired_rights(Candidate(a, other), "essential_agreement").reason


def test_very_major_errors_are_looked_for_among_the_resistant(place):
    cats = ["R"]*20 + ["S"]*30 + [None]*2
    run = lambda name, vm: mics(place, name, ["1"]*52, ["1"]*52, cats,
                                ["very major"]*vm + ["agrees"]*(20-vm) + ["agrees"]*29 + ["undecidable"] + [""]*2)
    right, before, _ = paired_rights(Candidate(run("x", 3), run("y", 1)), "very_major")
    assert (len(right), right.sum(), before.sum()) == (20, 17, 19)
    assert len(paired_rights(Candidate(run("x", 3), run("y", 1)), "major")[0]) == 29
    assert len(paired_rights(Candidate(run("x", 3), run("y", 1)), "categorical_agreement")[0]) == 49


# --- golden runs

def test_golden_run_is_small_and_one_fact_a_line(run):
    g = golden_run(run)
    text = golden_text(g)
    assert json.loads(text) == json.loads(json.dumps(g)) and len(text.splitlines()) < 90 and len(g["calls"]) <= 36
    assert all(f' "{k}": {json.dumps(v)}' in text for k, v in g["calls"].items())
    p = run.predictions
    nearest = p.sample_id[np.argsort(np.abs(p.positive - p.threshold), kind="stable")[:18]]
    assert set(nearest) <= set(g["calls"]) and telling_rows(p[:1]) == [0]


def test_golden_run_finds_what_rates_do_not_see(run, tmp_path):
    path = tmp_path / "g.json"
    path.write_text(golden_text(golden_run(run)))
    say = lambda edit: same_as_golden(Candidate(run, golden=edit(read_golden(path, run))))
    change = lambda part, k, v: lambda g: g | {part: g[part] | {k: v}}
    one = next(iter(golden_run(run)["calls"]))
    call, prob = golden_run(run)["calls"][one]
    assert say(dict).status == PASS
    assert say(change("calls", one, [call, round(prob + .001, 3)])).status == PASS   # within the rounding
    for edit, words in [(change("calls", one, [call, prob + .01]), one), (change("calls", one, ["other", prob]), one),
                        (change("calls", "gone", ["x", .1]), "gone: ['x', 0.1] -> absent"),
                        (change("rates", "wells.accuracy", [1, 2]), "wells.accuracy: [1, 2]"),
                        (change("settings", "threshold", .4), "threshold: 0.4 -> 0.5")]:
        o = say(edit)
        assert o.status == FAIL and o.why.startswith("1 of") and words in o.why
    assert "another one" in say(change("model", "hash", "x"*64)).why
    assert say(change("model", "hash", "x"*64)).status == PASS


@pytest.mark.parametrize("content, words", [("{", "not JSON"), ("[]", "schema None"),
                                            ('{"golden": 2}', "schema 2, this version reads 1"),
                                            ('{"golden": 1, "model": {}, "data": {}}', "lacks 'settings'")])
def test_damaged_golden_runs(tmp_path, content, words):
    (tmp_path / "g.json").write_text(content)
    with pytest.raises(ValueError, match=words): read_golden(tmp_path / "g.json")
    with pytest.raises(ValueError, match="no golden run"): read_golden(tmp_path / "absent.json")


@pytest.mark.later
def test_golden_run_of_other_wells(run, tmp_path):
    g = golden_run(run)
    (tmp_path / "g.json").write_text(golden_text(g | dict(data=g["data"] | dict(hash="0"*64))))
    with pytest.raises(ValueError, match="about other data: demo"): read_golden(tmp_path / "g.json", run)


# --- performance

def test_limits_are_held_against_what_was_measured(subject):
    s = replace(subject)
    vars(s)["measured"] = Result(inference_time_ms=Score(4., 3.9, 4.2, n=30),
                                 parameters_m=Score(2., method="counted"),
                                 hardware=Result(processor="P", device="cpu", cores=2))
    o = within_limit(s, Criterion("inference_time_ms", 5, "max"))
    assert o.status == PASS and "4.000 (3.900-4.200), n=30; limit 5; on P, cpu" in o.why
    assert within_limit(s, Criterion("parameters_m", 1, "max")).status == FAIL
    assert "P, cpu" not in within_limit(s, Criterion("parameters_m", 1, "max")).why
    assert within_limit(s, Criterion("memory_mb", 1, "max")).status == NOT_EVALUATED


@pytest.mark.parametrize("noted", ["ms_per_unit", "ms_per_well"])   # the second: runs of an earlier version
@pytest.mark.parametrize("now, before, cores, status, words",
                         [(3., 2., 2, PASS, "1.5 times"), (9., 2., 2, INSUFFICIENT, "side by side"),
                          (3., 2., 64, NOT_APPLICABLE, "other hardware"),
                          (None, 2., 2, NOT_APPLICABLE, "the run did not compute")])
def test_slower_is_a_hint_and_never_a_failure(now, before, cores, status, words, noted):
    def made(ms, cores):
        r = Run(Path("."))
        vars(r)["result"] = Result()
        vars(r)["about"] = dict({noted: ms}, environment=dict(cpu="P", cores=cores, machine="m"))
        return r
    o = asked(Check("performance", "not slower", not_slower), Candidate(made(now, 2), made(before, cores)))
    assert o.status == status and words in o.why


# --- integration

def test_a_whole_run_passes(subject):
    assert [f(subject).status for f in (files_are_whole, same_predictions, same_results)] == [PASS]*3


def test_files_that_are_missing_or_changed(run, tmp_path):
    for i, (name, words) in enumerate({"run.json": "missing: run.json",
                                       "predictions.parquet": "missing: predictions.parquet"}.items()):
        r = copied(run, tmp_path / str(i))
        (r.folder / name).unlink()
        assert files_are_whole(Candidate(r)).why == words
    r = copied(run, tmp_path / "changed")
    r.predictions[:-1].save(r.folder / "predictions.parquet")
    assert files_are_whole(Candidate(Run(r.folder))).status == FAIL


def test_results_that_do_not_follow_from_the_predictions(run, tmp_path):
    r = copied(run, tmp_path / "r")
    text = (r.folder / "results.json").read_text()
    acc = run.result.wells.overall.accuracy
    (r.folder / "results.json").write_text(text.replace(f'"k": {acc.k},', f'"k": {acc.k+1},', 1))
    o = same_results(Candidate(Run(r.folder)))
    assert o.status == FAIL and f"{acc.k+1} -> {acc.k}" in o.why and o.numbers["differ"] >= 1


def test_results_of_a_suite_are_found_again_with_its_settings(place):
    r = make_run(Model(), "demo:1", suite=dict(layers=dict(basic=None, robustness=dict(edge_cases=None))), out=place)
    o = same_results(candidate(r, model=Model(), profile="none"))
    assert o.status == PASS and "wells" in o.why and o.numbers["values"] > 100


def test_predictions_of_another_model(subject):
    o = same_predictions(replace(subject, model=Model(lambda x: np.clip(darkness(x) + 1e-3, 0, 1))))
    assert o.status == FAIL and "0.001" in o.why


def remade(run, to, **changes):
    "A run whose stored table was edited, with all that follows from it and every hash made anew"
    r = copied(run, to)
    p = r.predictions
    result = make_run(predictions=replace(p, **changes).save(to / "edited.parquet"), by=tuple(run.result.settings.by),
                      out=to / "again").result
    result = Result(result, model=run.result.model, data=run.result.data, settings=run.result.settings)
    return save_run(to, result, replace(p, **changes),
                    {k: v for k, v in run.about.items() if k not in ("files", "summary")})


def edits(p):
    wrong = np.flatnonzero(p.y_pred != p.y_true)
    scores, calls, facts = p.scores.copy(), p.y_pred.copy(), p.facts.copy()
    scores[wrong] = np.where(p.y_true[wrong], .99, .01)
    calls[wrong] = p.y_true[wrong]
    facts["plate"] = [f"other-{i}" for i in range(len(p))]
    return dict(scores=dict(scores=scores, y_pred=calls), calls=dict(y_pred=calls),
                truths=dict(y_true=p.y_pred.copy()), facts=dict(facts=facts))


@pytest.mark.later
@pytest.mark.parametrize("what", ["scores", "calls", "truths", "facts"])
def test_an_edited_table_is_found_even_where_every_hash_was_made_anew(run, subject, tmp_path, what):
    r = remade(run, tmp_path / "r", **edits(run.predictions)[what])
    assert r.changed() == []
    s = replace(subject, run=r)
    o = same_predictions(s)
    assert o.status == FAIL and (what == "scores" or {"calls": "calls", "truths": "truths",
                                                      "facts": "plate"}[what] in o.why), o


def test_rows_asked_again_are_drawn_anew(subject):
    ids = lambda s: set(s.few.facts["sample_id"])
    assert ids(replace(subject, draw=1)) == ids(replace(subject, draw=1)) != ids(replace(subject, draw=2))
    o = same_predictions(replace(subject, recheck=10))
    assert o.status == PASS
    assert f"of 10 of {len(subject.run.predictions)}" in o.why
    assert f"all {len(subject.run.predictions)}" in same_predictions(subject).why


def test_changed_files_are_named(run, tmp_path):
    r = copied(run, tmp_path / "r")
    assert r.changed() == []
    (r.folder / "results.json").write_text((r.folder / "results.json").read_text() + " ")
    assert Run(r.folder).changed() == ["results.json"]
    about = json.loads((r.folder / "run.json").read_text())
    (r.folder / "run.json").write_text(json.dumps({k: v for k, v in about.items() if k != "files"}))
    assert Run(r.folder).changed() == ["results.json", "predictions.parquet", "run.json"]


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=3),
                    lambda o: st.lists(o, max_size=3)
                    | st.dictionaries(st.text(min_size=1, max_size=3).filter(lambda k: "." not in k), o, max_size=3),
                    max_leaves=8))
def test_leaves_are_all_plain(value):
    found = leaves(dict(v=value))
    assert not any(isinstance(v, (dict, list)) for v in found.values())
    count = lambda o: 1 if not isinstance(o, (dict, list)) else sum(map(count,
        o.values() if isinstance(o, dict) else o))
    assert len(found) == count(value)


# --- files

def hostile(strict=False):
    outcomes = [Result(vars(Outcome(s, HOSTILE, dict(v=Score(.5, .4, .6, k=1, n=2), bad=math.nan), suite, HOSTILE,
                                    .5))) for s, suite in
                ((PASS, "smoke"), (FAIL, "smoke"), (INSUFFICIENT, "regression"), (NOT_EVALUATED, "regression"),
                 (NOT_APPLICABLE, "performance"), (ERROR, "integration"))]
    about = Result(model=Result(name=HOSTILE, hash=None), data=Result(name=HOSTILE), settings=Result())
    return Result(status=ERROR, exit_code=1, strict=strict, sentence=HOSTILE, when="2026-01-01T00:00:00+00:00",
                  run=about, baseline=about, profile=HOSTILE, margin=.01, machine=Result(cpu=HOSTILE),
                  counts=Result(), outcomes=outcomes)


@pytest.mark.parametrize("strict, failures", [(False, 1), (True, 3)])
def test_junit_is_what_servers_read(strict, failures):
    root = ET.fromstring(junit_xml(hostile(strict)).encode())
    assert root.tag == "testsuites"
    assert [s.get("name") for s in root] == ["smoke", "regression", "performance", "integration"]
    # the older schema knows no more
    assert root.attrib == dict(name="mic-eval gate", tests="6", failures=str(failures), errors="1", time="3.000")
    assert sum(int(s.get("skipped")) for s in root) == 4 - failures
    for s in root:
        cases = s.findall(".//testcase")
        assert int(s.get("tests")) == len(cases)
        assert all(int(s.get(k)) == len(s.findall(f".//{tag}"))
                   for k, tag in dict(failures="failure", errors="error", skipped="skipped").items())
        assert float(s.get("time")) == pytest.approx(.5*len(cases))
    for c in root.iter("testcase"):
        assert c.get("name")
        assert c.get("classname").startswith("mic_eval.gate.") and float(c.get("time")) == .5 and len(c) == 1
    assert all(p.get("name") and "\x00" not in p.get("value") for p in root.iter("property"))


def test_markdown_shows_hostile_text_as_text():
    text = gate_markdown(hostile())
    assert "<script" not in text and "\x00" not in text and "http://" not in text
    rows = [r for r in text.splitlines() if r.startswith("| ")]
    assert len(rows) == 2 + 6
    assert all(len([c for i, c in enumerate(r) if c == "|" and r[i-1] != "\\"]) == 5 for r in rows)


@pytest.mark.later
def test_json_goes_round_and_can_be_shown_again(subject, tmp_path):
    g = gate(subject)
    page = save_gate(g, tmp_path, tmp_path / "g.xml")
    back = from_json(tmp_path / "gate.json")
    assert json.loads((tmp_path / "gate.json").read_text())["schema"] == 2
    assert to_json(back) == (tmp_path / "gate.json").read_text()
    assert [(o.check, o.why) for o in back.outcomes] == [(o.check, o.why) for o in g.outcomes]
    assert page.read_text() == gate_markdown(back) and (tmp_path / "g.xml").read_text() == junit_xml(back)


# --- at the door

def command(*args): return CliRunner().invoke(app, ["gate", *map(str, args)])


def error(*args):
    r = command(*args)
    assert r.exit_code == 2 and r.stdout == "" and r.stderr.count(
        "\n") == 1 and r.stderr.startswith("error: "), (r.exit_code, r.output, r.exception)
    return r.stderr


@pytest.fixture
def files(tmp_path):
    return stored(wells(60, range(55)), tmp_path, "now"), stored(wells(60, range(5, 60)), tmp_path,
                                                                 "before"), stored(wells(60, range(50), seed=3),
                                                                     tmp_path, "else")


@pytest.mark.later
def test_bad_input_is_one_line_and_nothing_is_written(files, tmp_path):
    run, before, other = (f.folder for f in files)
    n = {p: p.stat().st_mtime_ns for p in run.iterdir()}
    old = copied(files[1], tmp_path / "old").folder
    (old / "results.json").write_text('{"schema": 7}')
    (tmp_path / "file").write_text("")
    for args, words in [((tmp_path / "nowhere",), "no run in"),
                        ((run, "--profile", "mic-relase"), "did you mean 'mic-release'?"),
                        ((run, "--baseline", other), "disagree about the truth"),
                        ((run, "--baseline", old), "schema 7"),
                        ((run, "--baseline", before, "--margin", 1), "margin must lie between 0 and 1"),
                        ((run, "--baseline", before, "--margin", "nan"), "margin must"),
                        ((run, "--report", "technicl"), "did you mean 'technical'?"),
                        ((run, "--golden", tmp_path / "g.json"), "no golden run"),
                        ((run, "--model", "wellnet"), "file of predictions"),
                        ((run, "--out", tmp_path / "file" / "out"), "cannot write into"),
                        ((run, "--junit", tmp_path / "file" / "g.xml"), "cannot write into"),
                        ((run, "--save-golden", tmp_path / "file" / "g.json"), "cannot write into")]:
        assert words in error(*args), args
    assert n == {p: p.stat().st_mtime_ns for p in run.iterdir()}


def test_a_folder_that_cannot_be_written_is_said_at_once(files, monkeypatch):
    import mic_eval.cli.gate as gated
    monkeypatch.setattr(gated, "write_whole", lambda path,
                        content: (_ for _ in ()).throw(ValueError(f"cannot write {path}: Permission denied")))
    monkeypatch.setattr(gated, "gate", lambda *_, **__: pytest.fail("asked before the folder was tried"))
    assert "Permission denied; name a folder with --out" in error(files[0].folder)


@pytest.mark.later
def test_runs_on_other_wells(run, place):
    with pytest.raises(ValueError, match="do not hold the same samples|different data|disagree about the truth"):
        candidate(run, model=Model(), baseline=make_run(Model(), "demo:2", out=place))


def test_a_run_never_names_the_code_that_is_run(run, tmp_path):
    with pytest.raises(ValueError, match="opening it runs its code: name it with --model"): candidate(run)
    r = copied(run, tmp_path / "evil")
    (r.folder / "results.json").write_text((r.folder / "results.json").read_text().replace('"name": "Model"',
        '"name": "antigravity:fly"', 1))
    assert "antigravity:fly" in error(r.folder)


def test_wells_that_have_moved(run, tmp_path):
    r = copied(run, tmp_path / "moved")
    with pytest.raises(ValueError, match="name their folder with --data"): candidate(r, model=Model())
    assert candidate(r, model=Model(), data=run.folder / run.about["data"]["folder"], profile="none").folder.is_dir()


def test_a_profile_that_does_not_ship(files, tmp_path):
    r = copied(files[0], tmp_path / "own")
    (r.folder / "results.json").write_text((r.folder / "results.json").read_text().replace('"profile": "mic-release"',
        '"profile": "ours"'))
    assert "'ours', which does not ship: name its file with --profile" in error(r.folder)


# --- the command

@pytest.mark.later
def test_exit_codes(files, tmp_path):
    run, before, _ = (f.folder for f in files)
    own = tmp_path / "p.yml"
    own.write_text("criteria: [{metric: accuracy, limit: 0.5, direction: min, on: lo}]")
    go = lambda *a: command(run, "--report", "none", "--out", tmp_path / "out", *a)
    assert go("--profile", own).exit_code == 0 and go("--profile", own, "--strict").exit_code == 0
    assert go("--profile", own, "--baseline", before).exit_code == 4   # most comparisons show nothing
    assert "Not enough evidence" in go("--profile", own, "--baseline", before).stderr
    strict = go("--profile", own, "--baseline", before, "--strict", "--junit", tmp_path / "g.xml")
    assert strict.exit_code == 4
    assert strict.stderr.splitlines()[-1].startswith("Not enough evidence: ")
    assert strict.stdout.strip() == str(tmp_path / "out" / "gate.md")
    assert ET.parse(tmp_path / "g.xml").getroot().find(".//failure") is not None
    assert go("--profile", "mic-release").exit_code == 1


@pytest.mark.later
def test_golden_run_is_written_and_met(files, tmp_path):
    run, before, _ = (f.folder for f in files)
    golden, base = tmp_path / "golden" / "g.json", ("--report", "none", "--profile", "none", "--out", tmp_path / "out")
    assert "review it" in command(run, *base, "--save-golden", golden).stderr
    assert command(run, *base, "--golden", golden).exit_code == 0
    r = command(before, *base, "--golden", golden)
    assert r.exit_code == 1 and "facts differ" in r.stderr


def test_a_report_that_breaks_is_a_failed_check(subject, tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules["mic_eval.report.render"], "report", lambda *a,
                        **k: (_ for _ in (
                            )).throw(ValueError("report 'technical' failed in section 'Errors': KeyError: 'x'")))
    o = asked(Check("integration", "report renders", report_renders), replace(subject, report="technical"))
    assert o.status == FAIL and "section 'Errors'" in o.why


@pytest.mark.later
def test_a_gate_that_speaks_chinese_finds_the_verdict_in_the_report(subject):
    "The page is English unless it is asked otherwise, and was called one without a verdict"
    with speaking("zh", subject.run):
        o = asked(Check("integration", "report renders", report_renders), replace(subject, report="executive"))
    assert o.status == PASS, o.why


@pytest.mark.later
def test_a_report_whose_verdict_knows_a_clock_shows_its_verdict(place):
    "Its verdict counts the limits of time as well, and the page was called one without a verdict"
    r = make_run(Model(), "demo:1", suite=dict(layers=dict(basic=None, efficiency=dict(latency=None))), out=place)
    s = replace(candidate(r, model=Model(), profile="none"), report="technical")
    o = asked(Check("integration", "report renders", report_renders), s)
    assert o.status == PASS and "verdict shown" in o.why, o.why


def paths(value, before=()):
    "Every place in plain data"
    if before: yield before
    if isinstance(value, dict):
        for k in value: yield from paths(value[k], (*before, k))
    elif isinstance(value, list):
        for i, v in enumerate(value): yield from paths(v, (*before, i))


@pytest.mark.later
def test_any_edit_of_the_evidence_is_named(run, subject, tmp_path):
    "Each value is taken out, or replaced, one at a time"
    own = copied(run, tmp_path/"own")
    save_gate(gate(replace(subject, run=own)), own.folder)
    assert gate_faults(own.folder/"gate.json", own) == []
    whole = (own.folder/"gate.json").read_text(encoding="utf-8")
    places = list(paths(json.loads(whole)))
    assert len(places) > 100
    for where in places:
        for cut in (True, False):
            edited = json.loads(whole)
            holder = edited
            for k in where[:-1]: holder = holder[k]
            if cut: del holder[where[-1]]
            else: holder[where[-1]] = "x" if holder[where[-1]] != "x" else "y"
            (tmp_path/"edited.json").write_text(json.dumps(edited))
            try: said = [str(o) for o in gate_faults(tmp_path/"edited.json", own)]
            except ValueError as e: said = [str(e)]
            assert said and all("\n" not in o for o in said), where


@pytest.mark.later
def test_evidence_is_verified_on_the_command_line(run, subject, tmp_path):
    own, other = copied(run, tmp_path/"own"), copied(run, tmp_path/"other")
    save_gate(gate(replace(subject, run=own)), own.folder)
    file = str(own.folder/"gate.json")
    code = from_json(file).exit_code
    done = CliRunner().invoke(app, ["gate", str(own.folder), "--verify", file])
    assert done.exit_code == code and "whole, unedited and of this run" in done.output
    (other.folder/"results.json").write_text((own.folder/"results.json").read_text()+" ")
    done = CliRunner().invoke(app, ["gate", str(other.folder), "--verify", file])
    assert done.exit_code == 2 and "another run: other results than were judged" in done.output
    done = CliRunner().invoke(app, ["gate", str(own.folder), "--verify", file, "--strict"])
    assert done.exit_code == 2 and "--strict" in done.output


def test_the_documented_workflow_asks_for_what_there_is():
    import yaml
    page = Path(__file__).parent.parent / "nbs" / "how_to" / "04_gate_a_release.ipynb"
    text = "\n\n".join("".join(c["source"]) for c in json.loads(page.read_text(encoding="utf-8"))["cells"])
    steps = yaml.safe_load(re.search(r"```yaml\n(.*?)```", text, re.S)[1])["jobs"]["gate"]["steps"]
    known = {k: set(re.findall(r"--[a-z-]+", CliRunner().invoke(app, [k, "--help"],
                                                                env=dict(COLUMNS="200", TERM="dumb")).output))
             for k in ("run", "gate")}
    said = [(name, set(re.findall(r"--[a-z-]+", line)))
            for line in "\n".join([text, *(s.get("run", "") for s in steps)]).splitlines() for name in known
            if re.match(rf"\s*mic-eval {name} ", line)]
    assert len(said) >= 6 and all(options <= known[name] for name, options in said), [(n, o - known[n])
        for n, o in said]
    assert sum(s.get("if") == "always()" for s in steps) == 2


@pytest.mark.full
def test_real_wells(real_wells, tmp_path):
    run = make_run("wellnet", real_wells, out=tmp_path)
    g = gate(run, baseline=run)
    by = {o.check: o for o in g.outcomes}
    assert by["report renders"].status == PASS
    assert all(o.status == PASS for o in g.outcomes if o.suite in ("smoke",))
    assert by["sensitivity not worse"].status == "not applicable"   # the baseline is the run itself
    assert by["lower bound of sensitivity >= 0.985"].status == INSUFFICIENT
    assert by["lower bound of ppv >= 0.985"].status == FAIL and g.exit_code == 1
    assert open_run(tmp_path).folder == run.folder


def test_limits_of_groups_are_judged_on_the_run_with_what_was_asked_again(tmp_path, monkeypatch):
    "What a run says of its model and how it was made stays; what cannot be asked again is said, and no result"
    from mic_eval.gate import integration
    y, site = np.arange(400) % 2, np.arange(400)//2 % 2
    score = np.where((site == 1) & (np.arange(400) % 3 > 0), .9-.8*y, .1+.8*y)
    t = Predictions(np.arange(400).astype(str), y, score, facts=pd.DataFrame(dict(site=[f"H{i}" for i in site])))
    run = make_run(predictions=t.save(tmp_path/"t.csv"), by=(), profile="none", field="classification", out=tmp_path)
    limits = integration.with_groups(read_profile("classification-screen"), "classification", run.table)
    found = integration.results_for(integration.Candidate(run), limits)
    assert set(found) >= set(run.result) and found.settings == run.result.settings and found.data == run.result.data
    there = {k: float(r.accuracy) for k, r in found["items"].by.site.items()}
    assert there == {f"H{i}": pytest.approx(((score > .5) == y)[site == i].mean()) for i in (0, 1)}
    monkeypatch.setattr(integration, "asked_again", lambda *o, **k: NotApplicable("the file is gone"))
    assert integration.results_for(integration.Candidate(run), limits).reason == "the file is gone"


@pytest.mark.parametrize("said, lends, named, found", [
    (None, "mic", None, {}), (None, "mic", ["S"], dict(dangerous=("S",))), ("eucast 14", None, None, {}),
    ("eucast 14", "mic", ["S"], dict(table=1, dangerous=("S",))),
    ("eucast 13", "mic", None, "eucast 13, are not beside")])
def test_what_was_lent_to_a_run_is_found_again_or_missed(monkeypatch, said, lends, named, found):
    "A run without breakpoints is asked without them, whichever lie beside it"
    from types import SimpleNamespace
    from mic_eval.gate import integration
    def lend(folder, file): return dict(table=1), dict(breakpoints="eucast 14")
    monkeypatch.setattr(integration, "follow", dict(mic=lend).get)
    run = SimpleNamespace(result=Result(settings=Result(breakpoints=said, dangerous=named)))
    s = SimpleNamespace(run=run, field=SimpleNamespace(lends=lends), folder="", breakpoints="eucast 14")
    again = integration.lent_again(s)
    assert found in str(again.reason) if isinstance(found, str) else again == found
