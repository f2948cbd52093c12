"A verdict is a claim about the next use: bad models must not pass, for the right reason, and good ones must."
import json
import random

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from mic_eval.cli.app import app
from mic_eval.core.criteria import Criterion, FAIL, INSUFFICIENT, PASS, Profile, judge
from mic_eval.core.evidence import missing_in
from mic_eval.core.intervals import proportion
from mic_eval.core.results import NotApplicable, Result, Score
from mic_eval.core.tables import read_predictions
from mic_eval.run.store import open_run

DRUGS = "amikacin", "ceftazidime", "ciprofloxacin", "colistin", "meropenem"


def mics(folder, odd, n=60, drugs=DRUGS, seed=0):
    "A file of pairs that agree, but for what `odd(drug, i, mic)` makes of the test's reading"
    rng, rows = random.Random(seed), ["isolate,drug,BMD,new"]
    for d in drugs:
        for i in range(n if isinstance(n, int) else n.get(d, 60)):
            m = 2.**rng.randint(-1, 4)
            rows.append(f"i{i},{d},{m:g},{odd(d, i, m)}")
    (folder/"mics.csv").write_text("\n".join(rows)+"\n")
    return folder/"mics.csv"


def judged(path, tmp_path, *more):
    "Exit code, stored verdict and what was said"
    out = tmp_path/"out"
    asked = "--reference BMD --test new --report none --strict --profile iso-20776-2-2021".split()
    done = CliRunner().invoke(app, ["mics", str(path), *asked, "--out", str(out), *more])
    return done.exit_code, open_run(out).result.verdict if out.exists() else None, done.output


def test_the_worst_drug_decides(tmp_path):
    "Five drugs, colistin's essential agreement 46/60: 95.3 % over all, and a failure that names colistin"
    path = mics(tmp_path, lambda d, i, m: f"{m*8:g}" if d == "colistin" and i < 14 else f"{m:g}")
    code, v, said = judged(path, tmp_path)
    assert (code, v.status, v.decided["group"], v.decided["metric"]) == (1, FAIL, "colistin", "essential_agreement")
    assert "FAIL" in said and "colistin: 46/60 = 76.7" in said
    whole = open_run(tmp_path/"out").result.overall.essential_agreement
    assert (whole.k, whole.n) == (286, 300)
    link = {k: v.decided[k] for k in ("limit", "units", "by", "group", "status")}
    assert link == dict(limit=.9, units=60, by="drug", group="colistin", status=FAIL)
    assert {k: v.over[k] for k in ("rows", "units", "unit", "file")} == dict(
        rows=300, units=60, unit="isolate", file="pairs.parquet")
    why = CliRunner().invoke(app, ["runs", "why", str(tmp_path/"out")]).output
    assert "pairs.parquet: 300 rows of 60 isolate" in why and v.over.hash[:12] in why


@pytest.mark.later
@pytest.mark.parametrize("lang, words", [("en", "decided by drug colistin"), ("zh", "由药物 colistin 决定")])
def test_lists_name_the_group_that_decided(tmp_path, lang, words):
    "The list of runs, its page, a sweep's table and page, and the executive report"
    from mic_eval.report.leaderboard import board_table, row_line, sweep_table
    from mic_eval.report.compare_page import write_index
    from mic_eval.report.views import headline
    from mic_eval.report.words import speaking
    from mic_eval.run.sweep import _shown
    path = mics(tmp_path, lambda d, i, m: f"{m*8:g}" if d == "colistin" and i < 14 else f"{m:g}")
    judged(path, tmp_path)
    run, out = open_run(tmp_path/"out"), str(tmp_path)
    listed = CliRunner().invoke(app, ["runs", "list", "--out", out, "--lang", lang]).output
    assert words in listed
    rows = json.loads(CliRunner().invoke(app, ["runs", "list", "--json", "--out", out]).output)
    assert (rows[0]["verdict"], rows[0]["decided"]) == ("fail", "decided by drug colistin")
    row = Result(model="new", data="BMD", status="done", seconds=1.) | _shown(run)
    sweep = Result(pairs=Result(pair=row), boards=Result(BMD=NotApplicable("one model")),
                   settings=Result(on="essential_agreement"))
    assert list(sweep_table(sweep).decided) == ["decided by drug colistin"]
    with speaking(lang, run):
        for said in (row_line(row), str(board_table(sweep, "BMD").html), write_index(tmp_path).read_text("utf-8")):
            assert words in said
        assert "colistin" in headline(run).html


@pytest.mark.later
@pytest.mark.parametrize("by", [(), ("--by", "isolate")])
def test_the_breakdown_that_was_asked_for_does_not_matter(tmp_path, by):
    path = mics(tmp_path, lambda d, i, m: f"{m*8:g}" if d == "colistin" and i < 14 else f"{m:g}")
    assert judged(path, tmp_path, *by)[1].decided["group"] == "colistin"


def test_a_small_drug_is_named(tmp_path):
    path = mics(tmp_path, lambda d, i, m: f"{m:g}", n=dict(colistin=3))
    code, v, said = judged(path, tmp_path)
    assert code != 0 and v.status == INSUFFICIENT and v.decided["group"] == "colistin" and "colistin: 3/3" in said


@pytest.mark.later
@pytest.mark.parametrize("few, status", [(4, INSUFFICIENT), (30, PASS)])
def test_a_drug_is_judged_in_each_organism(tmp_path, few, status):
    "Sixty isolates of E. coli do not speak for four of Klebsiella"
    rows = [f"i{i},{'E. coli' if i < 60 else 'K. pneumoniae'},{d},{2**(i % 5)},{2**(i % 5)}"
            for d in DRUGS[:2] for i in range(60+few)]
    (tmp_path/"m.csv").write_text("\n".join(["isolate,organism,drug,BMD,new", *rows])+"\n")
    code, v, said = judged(tmp_path/"m.csv", tmp_path)
    assert v.status == status, said
    if status == INSUFFICIENT: assert v.decided["group"] == "amikacin / K. pneumoniae", v.decided


def test_wells_are_judged_in_each_organism():
    from mic_eval.core.predictions import Predictions
    from mic_eval.run.evaluation import findings
    y, n = np.tile([0, 1], 400), 800
    facts = pd.DataFrame(dict(drug="A", organism=np.where(np.arange(n) < 40, "K", "E")))
    p = Predictions(np.arange(n).astype(str), y, np.where(y, .97, .03)+.01*np.sin(np.arange(n)), facts=facts)
    v = findings(p, field="mic", profile="mic-clinical").verdict
    assert (v.status, v.decided["group"]) == (INSUFFICIENT, "A / K")


def test_good_drugs_pass(tmp_path):
    path = mics(tmp_path, lambda d, i, m: f"{m*4:g}" if i < 2 else f"{m:g}")
    code, v, said = judged(path, tmp_path)
    assert code == 0 and v.status == PASS, said
    assert "guards against MICs more than a dilution off" in said and "not against resistance called" in said


def test_biases_that_cancel_fail(tmp_path):
    off = dict(colistin=2, amikacin=.5)
    path = mics(tmp_path, lambda d, i, m: f"{m*off.get(d, 1):g}")
    code, v, said = judged(path, tmp_path)
    assert code == 1 and v.decided["metric"] == "bias" and v.decided["group"] in ("colistin", "amikacin")


def test_the_worst_means_the_bound():
    "No escape of 10,000, but up to 22.7: a limit of 20 is not met"
    r = Result(by=Result(object=Result(bottle=Result(escapes=Score(0, 0, 22.7, n=9)))))
    worst = Profile("p", (Criterion("escapes", 20, "max", on="worst", by="object"),))
    assert judge(r, worst).status == INSUFFICIENT
    r.by.object["bottle"]["escapes"] = Score(0, 0, 19.9, n=90)
    assert judge(r, worst).status == PASS


@pytest.mark.parametrize("n, status", [(3, INSUFFICIENT), (34, INSUFFICIENT), (35, PASS)])
def test_the_worst_group_needs_enough_to_bound_it(n, status):
    "3 of 3 are 100 %, and could be 43.9: Wilson's lower bound of n of n is n/(n+z^2), above .9 from 35 on"
    r = Result(by=Result(site=Result(A=Result(rate=proportion(200, 200)), B=Result(rate=proportion(n, n)))))
    v = judge(r, Profile("p", (Criterion("rate", .9, "min", on="worst", by="site"),)))
    assert v.status == status and np.isclose(v.judged[0].bound, n/(n+1.959964**2), atol=1e-4)
    assert status == PASS or v.decisive.group == "B"


def test_a_group_without_a_number_is_not_a_group_that_passed():
    r = Result(overall=Result(roc_auc=Score(.9, .85, .95, n=400)),
               by=Result(site=Result(A=Result(roc_auc=Score(.9, .85, .95, n=400)),
                                     B=Result(accuracy=proportion(9, 9)))))
    v = judge(r, Profile("p", (Criterion("roc_auc", .8, "min", on="lo"),), groups=("site",)))
    assert v.status == "not evaluated" and v.decisive.group == "B"


def test_a_profile_that_is_misspelt_is_refused(tmp_path):
    from mic_eval.core.criteria import read_profile
    (tmp_path/"p.yml").write_text("group: [drug]\ncriteria:\n  - {metric: f1, limit: 0.9, direction: min}\n")
    with pytest.raises(ValueError, match="did you mean 'groups'"): read_profile(str(tmp_path/"p.yml"))
    (tmp_path/"p.yml").write_text("groups: drug\ncriteria:\n  - {metric: f1, limit: 0.9, direction: min}\n")
    with pytest.raises(ValueError, match="a list of columns"): read_profile(str(tmp_path/"p.yml"))


def test_few_failures_among_many_groups_are_not_claimed():
    "Groups at the limit: at most one verdict in twenty claims a failure"
    import numpy as np
    rng, c = np.random.default_rng(0), Criterion("rate", .05, "max", on="hi", interval="clopper-pearson", sides=1)
    def failed():
        k = rng.binomial(400, .05, 20)
        parts = Result((f"d{i}", Result(rate=proportion(int(o), 400))) for i, o in enumerate(k))
        return judge(Result(overall=Result(rate=proportion(int(k.sum()), 8000)), by=Result(drug=parts)),
                     Profile("p", (c,), groups=("drug",))).status == FAIL
    assert np.mean([failed() for _ in range(100)]) <= .12


@pytest.mark.parametrize("groups", [(), ("drug",)])
def test_groups_stand_below_the_criterion_that_they_were_judged_by_and_nowhere_else(groups):
    c = Criterion("rate", .05, "max")
    drugs = Result(a=Result(rate=proportion(1, 400)), b=Result(rate=proportion(2, 400)))
    r = Result(overall=Result(rate=proportion(3, 800)), by=Result(drug=drugs))
    held = judge(r, Profile("p", (c,), groups=groups)).result()
    assert [{o["group"] for o in row.get("parts", [])} for row in held.criteria] == [{*"ab"} if groups else set()]
    assert "parts" not in held.decided and all("parts" not in o for row in held.criteria for o in row.get("parts", []))
    assert ("parts" in held.criteria[0]) == bool(groups)


CLASSES = "melanoma", "naevus", "keratosis"


def table(path, prob, truth, facts=None):
    "A file of predictions of three classes"
    import pandas as pd
    t = pd.DataFrame(dict(sample_id=[f"s{i}" for i in range(len(truth))], y_true=[CLASSES[k] for k in truth]))
    for k, c in enumerate(CLASSES): t[f"prob_{c}"] = prob[:, k]
    t.assign(**(facts or {})).to_csv(path, index=False)
    return path


def lesions(n=970, seed=0):
    "Truth of 30 melanomas among 1,000, and probabilities of a model that finds all of them"
    import numpy as np
    rng = np.random.default_rng(seed)
    y = np.r_[np.zeros(30, int), rng.integers(1, 3, n)]
    p = np.full((len(y), 3), .02)
    p[np.arange(len(y)), y] = .96
    wrong = rng.permutation(np.arange(30, len(y)))[:40]
    p[wrong] = np.roll(p[wrong], 1, axis=1)
    return y, p


def gated(tmp_path, new, before, y, *more):
    "The gate's exit code and file, of a candidate against a baseline"
    import json
    for name, p in (("before", before), ("new", new)):
        t = table(tmp_path/f"{name}.csv", p, y)
        asked = ["run", "--predictions", str(t), "--report", "none", "--out", str(tmp_path/name), "--profile", "none"]
        done = CliRunner().invoke(app, [*asked, "--field", "classification"])
        assert done.exit_code == 0, done.output
    base = ["--baseline", str(tmp_path/"before")] if before is not None else []
    done = CliRunner().invoke(app, ["gate", str(tmp_path/"new"), *base, "--report", "none",
                                    "--out", str(tmp_path), *more])
    assert (tmp_path/"gate.json").exists(), done.output
    return done.exit_code, json.loads((tmp_path/"gate.json").read_text())


def outcome(g, name): return next(o for o in g["outcomes"] if o["check"] == name)


@pytest.mark.later
def test_a_gate_stays_closed_for_a_lost_class(tmp_path):
    y, p = lesions()
    bad = p.copy()
    bad[:30] = .02, .96, .02
    code, g = gated(tmp_path, bad, p, y)
    o = outcome(g, "no class found less often")
    assert code == 1 and o["status"] == FAIL and o["numbers"]["part"] == "melanoma"
    assert "0/30 against 30/30" in str(o["why"])


def test_a_gate_stays_closed_for_flattened_probabilities(tmp_path):
    y, p = lesions()
    flat = (p-1/3)*.01+1/3
    assert (flat.argmax(1) == p.argmax(1)).all()
    code, g = gated(tmp_path, flat, p, y)
    assert code == 1 and outcome(g, "Brier score not worse")["status"] == FAIL
    assert outcome(g, "Log loss not worse")["status"] == FAIL


def test_a_gate_opens_for_a_better_model_and_says_on_what(tmp_path):
    import numpy as np
    y, p = lesions()
    good = p.copy()
    good[np.arange(len(y)), :] = np.where(np.eye(3)[y] == 1, .97, .015)
    code, g = gated(tmp_path, good, p, y, "--strict", "--margin", "0.15")   # 30 melanomas show no less
    assert code == 0 and "accuracy not worse" in g["evidence"] and "It rests on" in str(g["sentence"]), g["sentence"]


def test_nothing_compared_is_not_open(tmp_path):
    y, p = lesions()
    import json
    t = table(tmp_path/"t.csv", p, y)
    CliRunner().invoke(app, ["run", "--predictions", str(t), "--report", "none", "--out", str(tmp_path/"r"),
                             "--profile",
                             "none", "--field", "classification"])
    done = CliRunner().invoke(app, ["gate", str(tmp_path/"r"), "--report", "none", "--out", str(tmp_path)])
    assert done.exit_code == 4 and "Not enough evidence" in json.loads((tmp_path/"gate.json").read_text())["sentence"]


@pytest.mark.later
@pytest.mark.parametrize("more", [{}, dict(note="x")])
def test_a_good_model_beside_itself_opens_no_gate_without_limits(more):
    from fooling import gated, rows
    status, why = gated((rows(2000, 20261, **more), rows(2000, 20261)))
    assert status == "insufficient n" and "no limit was asked for" in str(why), why
    assert gated((rows(2000, 1), rows(2000, 1), dict(profile="classification-screen")))[0] == "pass"


def five_hospitals(tmp_path, bad, name="hospital", **options):
    "The gate over a run made without a breakdown; at one hospital of five so many are called wrongly"
    from fooling import sites
    from mic_eval.gate.gate import gate, gate_faults, save_gate
    from mic_eval.run.evaluation import make_run
    sites(3, n=3000, bad=bad, name=name).to_csv(tmp_path/"t.csv", index=False)
    run = make_run(predictions=tmp_path/"t.csv", field="classification", **dict(by=(), profile="none") | options,
                   out=tmp_path/"runs")
    g = gate(run, profile="classification-screen", report="none")
    assert not gate_faults(save_gate(g, tmp_path).with_suffix(".json"), run)
    return g


@pytest.mark.later
@pytest.mark.parametrize("name", ["hospital", "reader"])
def test_a_gate_looks_into_groups_that_the_run_did_not(tmp_path, name):
    bad = five_hospitals(tmp_path, .4, name)
    assert bad.exit_code == 1
    assert any("H3" in str(o.why) for o in bad.outcomes if o.numbers.get("metric") == "sensitivity")
    (tmp_path/"good").mkdir()
    assert five_hospitals(tmp_path/"good", .01, name).exit_code == 0


def test_a_run_that_was_judged_by_these_limits_is_not_judged_twice(tmp_path, monkeypatch):
    from mic_eval.gate import integration
    def asked(*a, **k): raise AssertionError("asked again")
    monkeypatch.setattr(integration, "asked_again", asked)
    monkeypatch.setattr(integration, "same_results", lambda s: integration.NotApplicable("not tried here"))
    assert five_hospitals(tmp_path, .01, profile="classification-screen").exit_code == 0


def test_strict_without_limits_is_not_decided(tmp_path):
    y, p = lesions()
    t = table(tmp_path/"t.csv", p, y)
    done = CliRunner().invoke(app, ["run", "--predictions", str(t), "--report", "none", "--out", str(tmp_path/"r"),
                                    "--field", "classification", "--strict"])
    assert done.exit_code == 4 and "no limits were set" in done.output


def test_why_says_what_decided_and_what_would_change_it(tmp_path):
    from mic_eval.report.views import why_lines
    from mic_eval.report.words import speaking
    path = mics(tmp_path, lambda d, i, m: f"{m:g}", n=dict(colistin=3))
    judged(path, tmp_path)
    run = open_run(tmp_path/"out")
    with speaking("en", run): lines = why_lines(run)
    assert len(lines) <= 10 and "group: drug colistin" in lines
    assert "to change it: about 30 units at the same rate" in lines
    said = [CliRunner().invoke(app, [*line.split(), str(tmp_path/"out")]).output for line in ("why", "runs why")]
    assert said[0] == said[1] and said[0].splitlines() == lines


def wells(path, missed, n=400, drugs=DRUGS, seed=0):
    "A table of wells that a model reads rightly, but for the growth that `missed(drug, i)` says it misses"
    rng, rows = random.Random(seed), ["sample_id,isolate,drug,y_true,y_prob"]
    for d in drugs:
        for i in range(2*n):
            y = i % 2
            p = .03 if y == 0 or missed(d, i//2) else .97
            rows.append(f"{d}{i},{d}{i},{d},{y},{p+rng.uniform(-.02, .02):.4f}")
    path.write_text("\n".join(rows)+"\n")
    return path


def run_wells(tmp_path, missed, *more, n=400):
    t = wells(tmp_path/"wells.csv", missed, n)
    out = tmp_path/"out"
    done = CliRunner().invoke(app, ["run", "--predictions", str(t), "--field", "mic", "--report", "none", "--strict",
                                    "--profile", "mic-clinical", "--out", str(out), *more])
    return done.exit_code, open_run(out).result.verdict if out.exists() else None, done.output


@pytest.mark.parametrize("by", [(), ("--by", "isolate")])
@pytest.mark.later
def test_growth_that_is_missed_in_one_drug_fails(tmp_path, by):
    "A fifth of colistin's growth, 4 % of all"
    n = 120 if by else 400   # a breakdown of every isolate
    code, v, said = run_wells(tmp_path, lambda d, i: d == "colistin" and i % 5 == 0, *by, n=n)
    assert (code, v.status) == (1, FAIL), said
    assert (v.decided["group"], v.decided["metric"]) == ("colistin", "false_negative_rate")


@pytest.mark.later
def test_wells_that_are_read_rightly_pass(tmp_path):
    code, v, said = run_wells(tmp_path, lambda d, i: False)
    assert (code, v.status) == (0, PASS), said


def test_a_test_that_always_says_the_same_is_not_decided(tmp_path):
    "`<=64` agrees with whatever lies below: no pair shows anything"
    path = mics(tmp_path, lambda d, i, m: "<=64" if d == "colistin" else f"{m:g}")
    code, v, said = judged(path, tmp_path)
    assert (code, v.status, v.decided["group"]) == (4, INSUFFICIENT, "colistin"), said


def test_very_major_errors_of_one_drug_are_not_pooled_away():
    "Three of ten resistant isolates called susceptible, 3 of 230 over all drugs"
    def drugs(k):
        each = {d: Result(very_major=proportion(0, 55)) for d in DRUGS[1:]} | dict(amikacin=Result(
            very_major=proportion(k, 10)))
        return Result(overall=Result(very_major=proportion(k, 230)), by=Result(drug=Result(each)))
    def said(k, profile): return next(j for j in judge(drugs(k), profile).judged if j.criterion.metric == "very_major")
    assert (said(3, "iso-20776-2-2007").status, said(3, "iso-20776-2-2007").group) == (FAIL, "amikacin")
    assert said(0, "iso-20776-2-2007").status == PASS


def test_a_detector_that_stops_every_good_part_fails():
    from mic_eval.anomaly.operating import escapes
    def found(fpr):
        told = escapes(proportion(2000, 2000), fpr, prevalence=.02)
        whole = {k: Score(.99, .98, 1., n=4000) for k in ("image_roc_auc", "pixel_roc_auc", "aupro_30")}
        told |= Result(beyond_target=Score(0., -.01, .01, n=9800))
        return Result(overall=Result(whole), by=Result(object=Result(bottle=Result(whole) | told)))
    v = judge(found(proportion(9800, 9800)), "anomaly-screen")
    assert v.status == FAIL and (v.decisive.criterion.metric, v.decisive.group) == ("stops", "bottle")
    assert judge(found(proportion(300, 9800)), "anomaly-screen").status == PASS


def test_squeezed_scores_do_not_pass_for_calibrated():
    "Right in every call, and never surer than .52: one bin holds all, so its error is small"
    import numpy as np
    from mic_eval.core.criteria import read_profile
    from mic_eval.metrics.calibration import brier, ece
    rng = np.random.default_rng(0)
    y = np.arange(4000) % 2
    limits = tuple(c for c in read_profile("mic-release").criteria if c.metric in ("ece", "brier"))
    def said(p):
        v = judge(Result(overall=Result(ece=ece(y, p), brier=brier(y, p))), Profile("p", limits))
        return {j.criterion.metric: j.status for j in v.judged}
    squeezed, good = np.where(y, .52, .48), np.where(y, .99, .01)
    jitter = rng.uniform(-.005, .005, len(y))
    assert said(squeezed+jitter)["brier"] == FAIL
    assert said(good+jitter) == dict(ece=PASS, brier=PASS)


def calibrated(tmp_path, half):
    "A classification of 800 rows, all right; `half` is how far its probabilities lie from one half"
    y = np.arange(800) % 2
    p = .5+(2*y-1)*half+np.random.default_rng(0).uniform(-.005, .005, 800)
    t = pd.DataFrame(dict(sample_id=[f"s{i}" for i in range(800)], y_true=y, y_prob=p))
    t.to_csv(tmp_path/"t.csv", index=False)
    return ["run", "--predictions", tmp_path/"t.csv", "--field", "classification", "--profile", "classification-screen"]


def resistant(tmp_path, missed):
    "Five drugs of 120 isolates, a third resistant; so many in ten of amikacin's resistant ones are called susceptible"
    def odd(d, i, m): return ".5" if d == "amikacin" and m > 4 and (i*7) % 10 < missed else f"{m:g}"
    path = mics(tmp_path, odd, n=120)
    pd.DataFrame(dict(drug=DRUGS, S=2, R=4)).to_csv(tmp_path/"points.csv", index=False)
    return ["mics", path, "--reference", "BMD", "--test", "new", "--breakpoints", tmp_path/"points.csv",
            "--profile", "clsi-m52"]


def sited(tmp_path, few):
    "Two hundred rows of one site, so many of another, all right; the limit is on the worst site"
    y = np.arange(200+few) % 2
    pd.DataFrame(dict(sample_id=[f"s{i}" for i in range(len(y))], y_true=y, y_prob=.04+.92*y+np.arange(len(y))*1e-5,
                      site=["A"]*200+["B"]*few)).to_csv(tmp_path/"t.csv", index=False)
    (tmp_path/"p.yml").write_text(
        "criteria:\n  - {metric: accuracy, limit: 0.9, direction: min, on: worst, by: site}\n")
    return ["run", "--predictions", tmp_path/"t.csv", "--field", "classification", "--by", "site",
            "--profile", tmp_path/"p.yml"]


@pytest.mark.later
@pytest.mark.parametrize("made, worse, code, said, good", [
    (calibrated, .02, 1, "Brier", .48), (resistant, 3, 1, "Very major", 0), (sited, 3, 4, "Accuracy: B: 3/3", 60)],
    ids=["squeezed", "very major of one drug", "three of three"])
def test_a_bad_one_is_stopped_by_its_command_and_the_good_one_beside_it_passes(
        tmp_path, made, worse, code, said, good):
    for much, expected in ((worse, code), (good, 0)):
        (place := tmp_path/str(expected)).mkdir()
        typed = [*made(place, much), "--report", "none", "--strict", "--out", place/"out"]
        done = CliRunner().invoke(app, [str(o) for o in typed])
        assert done.exit_code == expected, done.output
        if expected: assert f"Decided by {said}" in done.output, done.output


def test_a_table_without_a_model_opens_no_gate_on_what_needs_none(tmp_path):
    "Calls of no value: what can be checked are the files, and these are no evidence"
    import json
    import numpy as np
    y, p = lesions(200)
    t = table(tmp_path/"t.csv", np.full_like(p, 1/3)+[-.01, .02, -.01], y)
    run = ["run", "--predictions", str(t), "--report", "none", "--out", str(tmp_path/"r"), "--field", "classification"]
    CliRunner().invoke(app, run)
    (tmp_path/"need.yml").write_text("criteria:\n"+"".join(
        f"  - {{metric: {m}, limit: {v}, direction: max}}\n" for m, v in
        (("inference_time_ms", 5), ("memory_mb", 12), ("parameters_m", 1))))
    done = CliRunner().invoke(app, ["gate", str(tmp_path/"r"), "--profile", str(tmp_path/"need.yml"),
                                    "--report", "none", "--out", str(tmp_path)])
    assert done.exit_code == 4, done.output
    assert "Not enough evidence" in json.loads((tmp_path/"gate.json").read_text())["sentence"]


def test_every_shipped_profile_answers_for_each_way_to_fail_of_its_field():
    from mic_eval.core.criteria import profiles, read_profile
    from mic_eval.core.fields import field_named
    for name in profiles():
        p = read_profile(name)
        assert p.field and {*p.guards, *p.not_guarded} == {*field_named(p.field).modes}, name
        assert not {*p.guards} & {*p.not_guarded} and all(p.not_guarded.values()), name


def test_a_guard_that_no_criterion_stands_behind_is_refused(tmp_path):
    from mic_eval.core.criteria import read_profile
    limit = "criteria:\n  - {metric: f1, limit: 0.9, direction: min}\n"
    for text, says in (("field: mic\nguards: {missed_growht: f1}\n", "did you mean 'missed_growth'"),
                       ("guards: {missed: recall}\n", "which no criterion looks at"),
                       ("guards: {one_drug: groups}\n", "it names none")):
        (tmp_path/"p.yml").write_text(text+limit)
        with pytest.raises(ValueError, match=says): read_profile(str(tmp_path/"p.yml"))


@pytest.mark.parametrize("metric, limit, direction", [("items.n.rows", 30, "min"), ("inference_time_ms", 5, "max")])
def test_size_and_speed_are_no_evidence(tmp_path, metric, limit, direction):
    import json
    import numpy as np
    y, p = lesions(200)
    t = table(tmp_path/"t.csv", np.full_like(p, 1/3)+[-.01, .02, -.01], y)
    run = ["run", "--predictions", str(t), "--report", "none", "--out", str(tmp_path/"r"), "--field", "classification"]
    CliRunner().invoke(app, run)
    (tmp_path/"need.yml").write_text(
        f"criteria:\n  - {{metric: {metric}, limit: {limit}, direction: {direction}}}\n")
    done = CliRunner().invoke(app, ["gate", str(tmp_path/"r"), "--profile", str(tmp_path/"need.yml"),
                                    "--report", "none", "--out", str(tmp_path)])
    said = json.loads((tmp_path/"gate.json").read_text())["sentence"]
    assert done.exit_code == 4 and "Not enough evidence" in said, said
    if direction == "min": assert f"{metric} >= {limit} says nothing of how good" in said


@pytest.mark.parametrize("lost, status", [(2, PASS), (10, INSUFFICIENT)])
def test_pairs_without_a_result_could_have_leant_further(lost, status):
    "(-25-2)/102 is above -0.30, (-25-10)/110 is not"
    found = Result(overall=Result(bias=Score(-.25, -.29, -.21, k=-25, n=100), no_result=proportion(lost, 100+lost)))
    v = judge(found, Profile("iso", (Criterion("bias", -.3, "min"), Criterion("bias", .3, "max"))))
    assert [j.status for j in v.judged] == [status, PASS]


def test_a_missing_truth_is_counted_in_its_group_and_a_missing_group_in_none():
    t = pd.DataFrame(dict(site=["b", None, "a", "a", float("nan")], y_true=[0, 1, None, 1, None],
                          y_prob=[.1, .9, .2, .8, .3]))
    p = read_predictions(t)
    found = missing_in(p, np.array([True, True, False, True, False]), ("site", "nowhere"))
    assert (found.k, found.n) == (2, 5)
    assert {g: (o.k, o.n) for g, o in found.by.site.items()} == dict(a=(1, 2), b=(0, 1))
