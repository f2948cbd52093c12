"""Suites: what is asked is data, checked with its lines; what breaks says so and breaks nothing else; no score
without its failures."""
import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from typer.testing import CliRunner

from mic_eval.core.criteria import Criterion, Judged, Profile, Verdict, meets
from mic_eval.core.results import Failed, NotApplicable, Result, Score, from_json, to_json
from mic_eval.core.tables import read_predictions
from mic_eval.data.wells import render_plates, write_wells
from mic_eval.core import questions
from mic_eval.cli.app import app
from mic_eval.run.dimensions import dimension_scores, faults, judged, limit_score, score_line, standing
from mic_eval.run.evaluation import findings, make_run
from mic_eval.core.questions import LAYERS, QUESTIONS, applied, of_layer, offered, question
from mic_eval.core.yaml import read_yaml
from mic_eval.run.suite import only_layers, read_suite, suites

ROWS = pd.DataFrame([dict(sample_id=f"P{p}-{k}", plate=f"P{p}", series=None if k == 0 else f"P{p}-CIP",
                          drug=None if k == 0 else "CIP", role="control" if k == 0 else "test",
                          concentration=None if k == 0 else 2.**(k-3), growth=int(k < 3),
                          expert_mic=None if k == 0 else "1", y_prob=.9 if k < 3 else .1,
                          split="tune" if p < 4 else "test")
                     for p in range(6) for k in range(7)])
ps = read_predictions(ROWS)


class Darkness:
    "A model that counts its calls, and may break at one of them"
    fingerprint = "darkness-1"
    def __init__(self, breaks=None): self.calls, self.breaks = 0, breaks
    def __call__(self, x):
        self.calls += 1
        if self.calls == self.breaks: raise RuntimeError("the lamp went out")
        return np.clip(1.6 - 1.6*x.mean((1, 2, 3)), 0, 1)


@pytest.fixture(scope="module")
def plate(tmp_path_factory):
    return write_wells(render_plates(1, size=32, seed=5), tmp_path_factory.mktemp("wells") / "plate")


@pytest.fixture
def mine(monkeypatch):
    "The evaluators, to change"
    own = offered("mic")
    for module in ("core.questions", "run.suite", "run.evaluation", "run.plan"):
        monkeypatch.setattr(f"mic_eval.{module}.QUESTIONS", own)
    return own


LAMPS = dict(conditions=["dim", "noisy"], severities=[2, 4], wells=20)
SMALL = dict(layers=dict(basic=None, robustness=dict(conditions=LAMPS)))


# --- suites are data

@pytest.mark.parametrize("text, said", [
    ("title: a\nlayers: [basic, robustnes]", "s.yml:2: no layer 'robustnes'; did you mean 'robustness'?"),
    ("layers:\n  basic:\n  robustness:\n    edge_case:",
     "s.yml:4: no evaluator 'edge_case' in layer 'robustness'; did you mean 'edge_cases'?"),
    ("layers:\n  basic: [mics]", "s.yml:2: no evaluator 'mics' in layer 'basic'"),
    ("layers:\n  robustness:\n    conditions:\n      severitys: [1]",
     "s.yml:4: evaluator 'conditions' has no setting 'severitys'; did you mean 'severities'?"),
    ("layers:\n  robustness:\n    conditions:\n      conditions: [dimm]",
     "s.yml:4: conditions: no 'dimm'; did you mean 'dim'?"),
    ("layers:\n  robustness:\n    conditions:\n      severities: [1,\n 9]",
     "s.yml:4: severities: no 9; there is 1, 2, 3, 4, 5"),
    ("layers:\n  robustness:\n    conditions:\n      wells: 0",
     "s.yml:4: wells must be a whole number from 1 like 400, not 0"),
    ("layers:\n  robustness:\n    conditions:\n      severities: 3",
     "s.yml:4: severities must be a list like [1, 2, 3], not 3"),
    ("layers:\n  basic:\n    wells: {a: 1}", "s.yml:3: evaluator 'wells' has no setting 'a'; there is dangerous"),
    ("layers:\n  basic: 3", "s.yml:2: evaluators of basic are names, not 3"),
    ("layers:\n- basic\n- robustness: [conditions]",
     "s.yml:3: layers are names, not {'robustness': ['conditions']}; with settings they are written name: settings"),
    ("layers: 3", "s.yml:1: layers are names, not 3"),
    ("layers: [basic]\nweights: {clinical safety: .inf}",
     "s.yml:2: the weight of 'clinical safety' must be a number from 0, not inf"),
    ("layers: [basic]\n\nprofile: mic-clinicl", "s.yml:3: no profile 'mic-clinicl'; did you mean 'mic-clinical'?"),
    ("layers: [basic]\nweights: {clinical safty: 2}",
     "s.yml:2: profile 'mic-release' has no dimension 'clinical safty'; did you mean 'clinical safety'?"),
    ("layers: [basic]\nweights: {clinical safety: -1}",
     "s.yml:2: the weight of 'clinical safety' must be a number from 0, not -1"),
    ("layers: [basic]\nseeds: 1", "s.yml:2: no entry 'seeds'; did you mean 'seed'?"),
    ("layers: [basic]\nseed: true", "s.yml:2: seed must be a whole number from 0, not True"),
    ("layers: [basic]\nthreshold: 2", "s.yml:2: threshold must lie between 0 and 1, not 2"),
    ("layers: [basic]\nthreshold: .nan", "s.yml:2: threshold must lie between 0 and 1, not nan"),
    ("layers: [basic]\nsplits: {basics: test}", "s.yml:2: no layer 'basics'; did you mean 'basic'?"),
    ("layers: [basic]\nsplits: {basic: 3}", "s.yml:2: the split of 'basic' must be a word, not 3"),
    ("layers: [basic]\nby: {drug: 1}", "s.yml:2: by must be a list of columns, not {'drug': 1}"),
    ("layers: [basic]\nsplit: [a, b]", "s.yml:2: split must be a word, not ['a', 'b']"),
    ("title: a", "s.yml:1: needs 'layers', one or more of basic, specialised"),
    ("layers: []", "s.yml:1: needs 'layers'"),
    ("- basic", "s.yml:1: a suite is written name: value, not list"),
    ("", "s.yml:1: nothing in it"),
    ("layers: [basic]\nlayers: [clinical]", "s.yml:2: 'layers' stands twice"),
    ("layers: &a [basic]\nby: *a", "s.yml:2: aliases are not read: *a"),
    ("layers: [basic\nseed: 1", "s.yml:2: "),
    ("layers: [basic]\ntitle: !!python/object/apply:os.system ['touch ran']",
     "s.yml:2: the tag tag:yaml.org,2002:python/object/apply:os.system is not read"),
    ("layers: !x [basic]", "s.yml:1: the tag !x is not read"),
    ("layers: [basic]\n? [a, b]\n: 1", "s.yml:2: a key must be one word"),
    ("layers: [basic]\n\tseed: 1", "s.yml:2: "),
])
def test_a_bad_suite_is_one_line_with_its_line(tmp_path, monkeypatch, text, said):
    monkeypatch.chdir(tmp_path)
    Path("s.yml").write_text(text)
    with pytest.raises(ValueError) as e: read_suite("s.yml", "mic")
    assert str(e.value).startswith(said) and "\n" not in str(e.value) and not Path("ran").exists()


def test_a_suite_that_is_not_there_or_no_text(tmp_path):
    with pytest.raises(ValueError, match="no suite 'smok'; did you mean 'smoke'"): read_suite("smok")
    with pytest.raises(ValueError, match="no suite file gone.yml"): read_suite("gone.yml")
    (tmp_path / "s.yml").write_bytes(b"layers: [\xff]")
    with pytest.raises(ValueError, match="s.yml cannot be read"): read_suite(tmp_path / "s.yml")
    with pytest.raises(ValueError, match="^suite: no layer 'basics'"): read_suite(dict(layers=["basics"]))
    with pytest.raises(ValueError, match="has no layer 'interpretability'"):
        only_layers(read_suite("smoke"), ["interpretability"])


@given(st.dictionaries(st.sampled_from(list(LAYERS)), st.none() | st.integers(0, 3), min_size=1))
@settings(max_examples=60, deadline=None)
def test_arguments_and_yaml_mean_the_same(wanted):
    layers = {k: None if n is None else of_layer(k)[:n] for k, n in wanted.items()}
    a, (tree, lines) = read_suite(dict(layers=layers)), read_yaml(json.dumps(dict(layers=layers), indent=1), "a")
    assert a.asks == read_suite(tree).asks and list(a.asks) == [k for k in LAYERS if k in layers]
    assert all(list(a.asks[k]) == (of_layer(k) if v is None else v) for k, v in layers.items())
    assert all(lines["layers", k] == i for i, k in enumerate(layers, 3)) or any(layers.values())


def test_shipped_suites_and_changes():
    full = read_suite("full")
    assert list(full.asks) == [k for k in LAYERS if k in full.asks]
    assert set(LAYERS) - set(full.asks) <= {"pairs", "photograph"}
    assert read_suite("default").plain and not full.plain and {"smoke", "standard", "full", "default"} <= set(suites())
    assert read_suite("smoke", seed=3).seed == 3 and not read_suite("default", seed=3).plain
    assert list(only_layers(full, ["basic"]).asks) == ["basic"]


def test_a_profile_beside_the_suite_is_found(tmp_path):
    (tmp_path / "ours.yml").write_text(
        "criteria:\n  - {metric: accuracy, direction: min, limit: 0.5, dimension: quality}\n")
    (tmp_path / "s.yml").write_text("layers: [basic]\nprofile: ours.yml\nweights: {quality: 2}\n")
    s = read_suite(tmp_path / "s.yml")
    assert findings(ps, suite=s, profile=s.profile).verdict.status == "pass"


# --- what is asked

def test_a_plain_run_asks_what_it_asked_before():
    plain, suite = findings(ps), findings(ps, suite=dict(layers=["basic", "clinical"]))
    assert list(plain) == ["field", "model", "data", "settings", "wells", "mics", "safety", "experts", "verdict"]
    assert to_json(plain) == to_json(Result((k, v) for k, v in suite.items() if k not in ("suite", "dimensions")))


def test_what_a_file_cannot_have_is_not_applicable_with_its_reason():
    r = findings(ps, suite="full")
    said = {k: v.reason for k, v in r.items() if isinstance(v, NotApplicable)}
    assert said.pop("experts") == "no columns expert_<k> or expert_<k>_mic"
    assert not any(isinstance(v, Failed) for v in r.values())
    assert said == dict(adversarial="a file of predictions has no model", bubbles="no column 'bubble or bubble_type'",
                        turbidity="no column 'turbidity or optical_density'",
                        conditions="no column 'condition', and a file of predictions has no model",
                        explanations="a file of predictions has no model",
                        sanity="a file of predictions has no model", twins="a file of predictions has no model",
                        map_stability="a file of predictions has no model",
                        label_shuffle="a file of predictions has no model",
                        decision_boundary="a file of predictions has no model",
                        drawn_wells="a file of predictions has no model",
                        efficiency="a file of predictions has no model")
    assert r.shift.to["test"].drop.accuracy == 0 and r.boundary.n == 36


def test_conditions_of_a_table_need_no_model_and_what_is_absent_is_said():
    t = pd.concat([ROWS.assign(variant=f"{c}{s}", condition_type="lighting", condition=c, severity=s)
                   for c, s in (("bright", 0), ("dim", 1), ("dim", 2), ("uneven", 1))])
    r = findings(read_predictions(t), suite="full")
    assert r.conditions.about.source.startswith("photographed") and r.conditions.about.of == len(t)
    assert "no severity 2" in r.conditions.absent["lighting: uneven, severity"].reason
    assert "no such family" in r.conditions.absent["membrane"].reason
    assert r.conditions.worst and isinstance(r.wells, Result)


@pytest.mark.later
@pytest.mark.parametrize("error, kind", [(ValueError("two wells of one concentration"), NotApplicable),
                                         (KeyError("x"), Failed), (np.linalg.LinAlgError("singular"), Failed),
                                         (MemoryError(), Failed),
                                         (RecursionError("a\nb"), Failed)])
def test_a_fault_of_the_data_is_told_from_a_fault_of_the_program(mine, monkeypatch, error, kind):
    @question("oops", layer="robustness")
    def oops(p, by, seed): raise error
    others = findings(ps, suite=dict(layers=["basic", "clinical"]))
    r = findings(ps, suite=dict(layers=dict(basic=None, clinical=None, robustness=["oops"])))
    assert type(r.oops) is kind
    assert "\n" not in r.oops.reason
    assert (kind is NotApplicable or type(error).__name__ in r.oops.reason and "in oops, line" in r.oops.reason)
    assert all(to_json(Result(a=r[k])) == to_json(Result(a=others[k])) for k in ("wells", "mics", "safety", "experts"))
    assert type(from_json(to_json(r)).oops) is kind
    if kind is Failed:
        monkeypatch.setenv("MIC_EVAL_TRACEBACK", "1")
        with pytest.raises(type(error)): applied("oops", ps, (), 0)


def test_layers_may_judge_other_splits(tmp_path):
    r = findings(ps, suite=dict(layers=["basic", "clinical"], splits=dict(clinical="test")))
    assert r.wells.n.rows == 42 and r.mics.overall.n == 2
    ROWS.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ValueError, match="no rows of split 'tset'; did you mean 'test'"):
        make_run(predictions=tmp_path / "t.csv", suite=dict(layers=["basic"], splits=dict(basic="tset")),
                 out=tmp_path / "runs")
    assert not (tmp_path / "runs").exists()


def test_the_suite_decides_and_whoever_calls_it_overrules(tmp_path):
    ROWS.to_csv(tmp_path / "t.csv", index=False)
    s = dict(layers=["basic"], split="test", profile="mic-clinical", seed=4, by=["drug"], threshold=.4)
    run = lambda **more: make_run(predictions=tmp_path / "t.csv", suite=s, out=tmp_path / "runs", **more).result
    a, b = run(), run(split="tune", seed=5, profile="mic-release", by=("plate",))
    assert (a.settings.split, a.settings.seed, a.settings.by, a.settings.threshold, a.verdict.profile) == ("test", 4,
        ["drug"], .4, "mic-clinical") and a.data.rows == 14
    assert (b.settings.split, b.settings.seed, b.settings.by, b.settings.threshold, b.verdict.profile) == ("tune", 5,
        ["plate"], .4, "mic-release")
    c = make_run(predictions=tmp_path / "t.csv", suite=dict(layers=["basic"], threshold=.4), tune_on="tune",
                 out=tmp_path / "runs").result
    assert "split 'tune'" in c.settings.threshold_from


# --- asking the model again

@pytest.mark.later
def test_answers_under_conditions_are_kept_and_lent(plate, tmp_path):
    model = Darkness()
    a = make_run(model, plate, suite=SMALL, out=tmp_path)
    calls, first = model.calls, (a.folder / "results.json").read_bytes()
    assert a.result.conditions.about.wells == 20 and len(a.result.conditions.table) == 6 and "bubbles" not in a.result
    b = make_run(model, plate, suite=SMALL, out=tmp_path)
    # it was asked one batch again
    assert model.calls == calls + 1 and (b.folder / "results.json").read_bytes() == first
    c = make_run(model, plate, suite=SMALL, profile="mic-clinical", threshold=.3, out=tmp_path)
    assert model.calls <= calls + 4
    assert c.folder != a.folder
    assert to_json(Result(a=c.result.conditions.table)) != to_json(Result(a=a.result.conditions.table))
    make_run(model, plate, suite=SMALL, seed=1, out=tmp_path)
    assert model.calls > calls
    assert first == (make_run(Darkness(), plate, suite=SMALL,
                              out=tmp_path / "other").folder / "results.json").read_bytes()


@pytest.mark.later
def test_a_model_that_breaks_under_a_condition_fails_alone_and_the_next_run_goes_on(plate, tmp_path):
    broken, counted = Darkness(breaks=5), Darkness()
    a = make_run(broken, plate, suite=SMALL, out=tmp_path)
    assert isinstance(a.result.conditions, Failed)
    assert "the lamp went out" in a.result.conditions.reason and a.result.wells.n.rows == 96
    assert list(faults(a)) == ["conditions"] and a.result.verdict.status == "fail"
    b = make_run(counted, plate, suite=SMALL, out=tmp_path)
    assert isinstance(b.result.conditions, Result) and not (b.folder / ".conditions").exists()
    whole = Darkness()
    assert to_json(make_run(whole, plate, suite=SMALL, out=tmp_path / "b").result) == to_json(b.result)
    assert 0 < counted.calls < whole.calls, "predictions and what was answered under conditions are reused"


def test_a_model_without_a_bubble_head_is_unsupported_there_only(plate, tmp_path):
    r = make_run(Darkness(), plate, suite=dict(layers=["specialised"]), out=tmp_path).result
    assert r.bubbles.detection.reason.startswith("unsupported")
    assert isinstance(r.bubbles.harm, Result) and isinstance(r.turbidity, Result)


@pytest.mark.later
@pytest.mark.parametrize("limit, status, code", [(1e9, "pass", 0), (1e-9, "fail", 1)])
def test_times_stand_in_run_json_and_decide(plate, tmp_path, monkeypatch, limit, status, code):
    monkeypatch.chdir(tmp_path)
    Path("fast.yml").write_text(
        f"criteria:\n  - {{metric: accuracy, direction: min, limit: 0.01}}\n  - {{metric: inference_time_ms, "
        f"direction: max, limit: {limit:.12f}}}\n")
    Path("s.yml").write_text(
        "layers:\n  basic:\n  efficiency:\n    latency: {batch_sizes: [1], warmup: 1, repeats: 7}\nprofile: fast.yml\n")
    Path("door_suite.py").write_text(
        "import numpy as np\ndef model(x): return np.clip(1.6 - 1.6*x.mean((1, 2, 3)), 0, 1)\n")
    done = CliRunner().invoke(app, ["run", "--suite", "s.yml", "--model", "door_suite:model", "--model-version", "1",
                                    "--data", str(plate), "--report", "none", "--strict"])
    assert done.exit_code == code, done.output
    from mic_eval.run.store import open_run
    r = open_run("runs")
    assert r.result.verdict.status == "not evaluated"
    assert "latency" not in r.result and standing(r).verdict.status == status
    assert standing(r).latency.inference_time_ms > 0 and standing(r).latency.hardware.cores


@pytest.mark.later
def test_a_failed_question_is_said_and_the_program_answers_3(mine, tmp_path):
    @question("oops", layer="clinical")
    def oops(p, by, seed):
        "Breaks"
        return p.nothing
    ROWS.to_csv(tmp_path / "t.csv", index=False)
    ask = lambda *more: CliRunner().invoke(app, ["run", "--predictions", str(tmp_path / "t.csv"), "--out",
                                                 str(tmp_path / "runs"), "--report", "none", *more])
    done = ask("--suite", "standard")
    assert done.exit_code == 3
    assert "error: oops failed: AttributeError" in done.stderr
    assert "INSUFFICIENT N" in done.stderr and "no criterion failed" in done.stderr
    assert ask("--suite", "standard", "--layers", "basic").exit_code == 0
    for args, said in ((("--suite", "fulll"), "no suite 'fulll'; did you mean 'full'?"),
                       (("--layers", "basic,clincal"), "no layer 'clincal'; did you mean 'clinical'?")):
        bad = ask(*args)
        assert bad.exit_code == 2 and said in bad.stderr and bad.stderr.count("\n") == 1


# --- scores

def test_a_bare_name_never_means_a_subset():
    some = Result(bubbles=Result(pooled=Result(recall=Score(1.), accuracy=Score(1.)),
                                 accuracy=Result(accuracy=Score(1.))),
                  conditions=Result(cross_condition_stability=Score(.01), worst=Result(accuracy=Score(.2))))
    p = Profile("p", tuple(Criterion(m, .5, "min")
                           for m in ("accuracy", "recall", "cross_condition_stability", "bubbles.pooled.recall")))
    assert [j.status for j in judged(some, p).judged] == ["not evaluated", "not evaluated", "fail", "pass"]
    assert judged(Result(wells=Result(overall=Result(accuracy=Score(.6)))) | some, p).judged[0].bound == .6


limits = st.builds(Criterion, st.just("m"), st.floats(.001, 1) | st.floats(1, 1e4), st.sampled_from(["min", "max"]))

@given(limits, st.floats(0, 1e5), st.floats(0, 1e5))
@settings(max_examples=150)
def test_a_limit_score_is_1_exactly_within_the_limit_and_falls_with_the_error(c, x, y):
    if c.direction == "min" and c.limit <= 1: x, y = min(x, 1), min(y, 1)
    a, b = limit_score(c, x), limit_score(c, y)
    assert 0 <= a <= 1 and (a == 1) >= meets(c, x)
    worse = min if c.direction == "min" else max
    assert (a if worse(x, y) == x else b) <= (b if worse(x, y) == x else a)


@given(st.floats(.001, .5), st.floats(0, 1))
@settings(max_examples=100)
def test_a_rate_and_its_complement_score_alike(allowed, error):
    a, b = limit_score(Criterion("sensitivity", 1-allowed, "min"),
                       1-error), limit_score(Criterion("fnr", allowed, "max"), error)
    assert math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9) or abs(error-allowed) < 1e-9
    assert math.isclose(limit_score(Criterion("fnr", allowed, "max"), 2*allowed), .5)


def test_limits_without_a_scale_score_nothing():
    assert math.isnan(limit_score(Criterion("bias", -.3, "min"), -.5))
    assert limit_score(Criterion("bias", -.3, "min"), 0) == 1
    assert limit_score(Criterion("misses", 0, "max"), 1) == 0
    assert math.isnan(limit_score(Criterion("m", .5, "min"), math.nan))
    assert limit_score(Criterion("all", 1, "min"), .99) == 0


statuses = st.sampled_from(["pass", "fail", "insufficient n", "not evaluated", "not applicable"])

@given(st.lists(st.tuples(st.sampled_from("abc"), statuses, st.floats(.01, 1), st.floats(.1, 5)), min_size=1,
                max_size=9), st.dictionaries(st.sampled_from("abc"), st.floats(.1, 3)))
@settings(max_examples=60, deadline=None)
def test_dimension_scores_against_the_formula(rows, weights):
    made = [Judged(Criterion(f"m{i}", .01 if s == "fail" else 2., "max", weight=w, dimension=d), s,
                   bound=math.nan if s.startswith("not") else x + .01, why="no") for i, (d, s, x, w) in enumerate(rows)]
    r = dimension_scores(Verdict(Profile("p", tuple(j.criterion for j in made)), tuple(made)), weights)
    ok = lambda j: not j.status.startswith("not")
    score = lambda j: min(1, j.criterion.limit/j.bound) if j.status != "pass" else 1.
    for d, o in r.dimensions.items():
        own = [j for j in made if j.criterion.dimension == d]
        total, known = sum(j.criterion.weight for j in own), [j for j in own if ok(j)]
        assert math.isclose(o.covered, sum(j.criterion.weight for j in known)/total, abs_tol=1e-9)
        assert o.failed == [j.criterion.metric for j in own if j.status == "fail"]
        if known:
            assert math.isclose(o.score, sum(j.criterion.weight*score(j) for j in known)/sum(j.criterion.weight
                for j in known)) and o.least - 1e-9 <= o.score <= o.most + 1e-9
        else: assert not o.score.defined and o.score.reason
    o, known = r.overall, {d: v for d, v in r.dimensions.items() if v.score.defined}
    assert set(o.failed) == {j.criterion.metric for j in made if j.status == "fail"}
    assert all(m in score_line(r) for m in o.failed)
    if known:
        mean = sum(weights.get(d, 1)*v.score for d, v in known.items())/sum(weights.get(d, 1) for d in known)
        assert math.isclose(o.score, min([mean, *(v.score for v in known.values() if v.failed)]))
        assert math.isclose(sum(r.weights.values()), 1)
        assert ("FAILED" in score_line(r)) == bool(o.failed)
    to_json(r)


def test_a_near_miss_is_never_shown_as_1():
    c = Criterion("accuracy", .99999, "min", dimension="d")
    r = dimension_scores(judged(Result(accuracy=.9999899), Profile("p", (c,))))
    assert "score 0.9" in score_line(r) and "1 criterion FAILED (accuracy)" in score_line(r)
    assert dimension_scores(judged(Result(), "clsi-m52")).reason == "profile 'clsi-m52' names no dimensions"
    assert "no score" in score_line(dimension_scores(judged(Result(), "clsi-m52")))


def test_the_page_of_a_suite(mine, tmp_path):
    import matplotlib.pyplot as plt
    from mic_eval.run.dimensions import plot_dimensions
    from mic_eval.report.breakdowns import dimension_table, in_the_end, question_table
    @question("oops", layer="efficiency")
    def oops(p, by, seed): raise KeyError("<b>")
    ROWS.assign(growth=1 - ROWS["growth"]).to_csv(tmp_path / "t.csv", index=False)
    r = make_run(predictions=tmp_path / "t.csv", suite=dict(layers=["basic", "interpretability", "efficiency"]),
                 out=tmp_path / "runs")
    page = question_table(r).html
    assert "✗ failed" in page
    assert "&lt;b&gt;" in page and "<b>" not in page and page.count("– not applicable") == 8 and "✓ done" in page
    assert "Accuracy" in dimension_table(r.result.dimensions).html
    assert "Not applicable" in dimension_table(NotApplicable("none")).html
    assert in_the_end(r).result.verdict.counts == standing(r).verdict.counts
    assert "plain run" in question_table(make_run(predictions=tmp_path / "t.csv", out=tmp_path / "runs")).html
    assert [t.get_text() for t in plot_dimensions(r.result.dimensions).get_yticklabels()][:2] == ["Overall",
        "Technical performance"]
    plt.close("all")


# the same questions, of fewer wells
FEWER = dict(
    conditions=dict(wells=60, severities=[1, 5]),
    adversarial=dict(wells=12, check=4),
    explanations=dict(wells=8, rendered=8, shown=8, wrong=8),
    efficiency=dict(wells=16),
    latency=dict(batch_sizes=[1, 16], repeats=20),
)


@pytest.mark.full
@pytest.mark.parametrize("which", ["demo:6", "real"])
def test_the_full_suite_on_the_embedded_default_and_on_real_plates(real_wells, tmp_path, which):
    data = real_wells if which == "real" else which
    asked = read_suite("full", "mic").asks
    layers = {layer: {k: FEWER.get(k, {}) for k in asked[layer]} for layer in asked}
    assert set(FEWER) <= {k for names in asked.values() for k in names}
    r = make_run("wellnet", data, suite=dict(layers=layers), out=tmp_path)
    assert not faults(r)
    assert r.result.conditions.about.wells == 60
    assert isinstance(r.result.efficiency, Result) and isinstance(r.result.explanations, Result)
    assert set(r.result.dimensions.dimensions) == {"technical performance", "clinical safety",
                                                   "operational efficiency", "robustness and reliability"}
    if which == "real": assert isinstance(r.result.bubbles, NotApplicable)
    else:
        assert isinstance(r.result.bubbles.detection, Result)
        assert isinstance(r.result.shift, Result)


def test_a_suite_sets_a_list_that_is_empty_when_not_said(tmp_path):
    (tmp_path/"s.yml").write_text("title: one\nlayers:\n  interpretability:\n    explanations: {further: [road]}\n")
    assert read_suite(tmp_path/"s.yml").asks["interpretability"]
    (tmp_path/"n.yml").write_text("title: one\nlayers:\n  interpretability:\n    explanations: {further: [3]}\n")
    with pytest.raises(ValueError, match="further must be a list of words"): read_suite(tmp_path/"n.yml")


def test_every_question_on_explanations_is_asked_by_its_suite():
    from mic_eval.core.questions import QUESTIONS
    asked = read_suite("explain-full").asks["interpretability"]
    assert {k for k, q in QUESTIONS.items() if q.layer == "interpretability"} == {*asked}
