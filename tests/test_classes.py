"Several classes from report to gate: classes that must not be missed, pairs taken for each other, very many classes."
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from typer.testing import CliRunner

from mic_eval.cli.app import app
from mic_eval.core.criteria import judge, read_profile
from mic_eval.core.predictions import Predictions
from mic_eval.core.results import NotApplicable
from mic_eval.gate.gate import candidate, gate
from mic_eval.metrics.calibration_errors import calibration_difference, ece_debiased
from mic_eval.metrics.confusion import Confusion, Margins, accuracy, balanced_accuracy, f1, mcc, ppv, sensitivity
from mic_eval.metrics.roc_and_pr import average_precision, roc_auc
from mic_eval.metrics.evaluate import confused, evaluate, per_class
from mic_eval.report.breakdowns import class_table
from mic_eval.report.samples import confused_pairs, worst_samples
from mic_eval.report.views import caveats, headline
from mic_eval.report.words import speak
from mic_eval.run.compare import compare
from mic_eval.run.evaluation import make_run

NAMES = ("keratosis", "melanoma", "naevus")


def lesions(lose=0, flat=False, n=600, rare=30, seed=0):
    "Lesions of which `rare` are melanomas; `lose` of these are called naevi; flat: the same calls, at a third each"
    rng = np.random.default_rng(seed)
    y = np.r_[np.ones(rare, int), np.where(np.arange(n-rare) % 2, 0, 2)]
    call = np.where(rng.random(n) < .03, (y+1) % 3, y)
    call[:rare] = 1
    call[:lose] = 2
    sure = .34 if flat else np.clip(.93+.05*rng.random(n), 0, 1)
    prob = np.where(np.eye(3, dtype=bool)[call], np.reshape(sure, (-1, 1)), np.reshape((1-np.asarray(sure))/2, (-1, 1)))
    return Predictions([f"L{i:03d}" for i in range(n)], y, prob, classes=NAMES, field="classification")


def stored(p, place, name, **how):
    p.save(place/f"{name}.parquet")
    return make_run(predictions=place/f"{name}.parquet", out=place/"runs", **how)


@pytest.fixture(scope="module")
def place(tmp_path_factory): return tmp_path_factory.mktemp("classes")


@pytest.fixture(scope="module")
def good(place): return stored(lesions(), place, "good", dangerous=["melanoma"])


def outcomes(result): return {str(o.check): o.status for o in result.outcomes}


@pytest.mark.later
def test_a_candidate_that_finds_no_melanoma_does_not_replace_one_that_finds_all(place, good):
    lost = stored(lesions(lose=30), place, "lost", dangerous=["melanoma"])
    found = gate(candidate(lost, baseline=good, report="none"))
    assert found.exit_code == 1 and "dangerous class melanoma found as often" in str(found.sentence)
    told = next(o for o in found.outcomes if str(o.check) == "no class found less often")
    assert told.status == "fail" and "melanoma: 0/30 against 30/30" in str(told.why)
    lost = stored(lesions(lose=30), place, "unnamed")   # without a word about what is dangerous
    assert gate(candidate(lost, baseline=stored(lesions(), place, "before"), report="none")).exit_code == 1


@pytest.mark.later
def test_a_candidate_whose_probabilities_are_a_third_is_worse_calibrated(place, good):
    flat = stored(lesions(flat=True), place, "flat", dangerous=["melanoma"])
    found = gate(candidate(flat, baseline=good, report="none"))
    said = outcomes(found)
    assert found.exit_code == 1 and said["calibration not worse"] == said["Brier score not worse"] == "fail"
    assert said["accuracy not worse"] == "pass"
    verdict = compare(flat, good).verdict
    assert verdict.status == "worse calibrated" and str(verdict.sentence).startswith("Worse calibrated: ")
    assert "tied" not in str(verdict.sentence).lower()
    done = CliRunner().invoke(app, ["compare", str(flat.folder), str(good.folder), "--report", "none", "--strict",
                                    "--out", str(place/"c")])
    assert done.exit_code == 1 and "worse calibrated" in done.output
    assert compare(good, flat).verdict.status in ("tied", "non-inferior")   # who is better calibrated loses nothing


def test_an_open_gate_says_what_it_rests_on_and_strict_counts_what_is_not_known(place, good):
    better = stored(lesions(seed=3), place, "better", dangerous=["melanoma"])
    found = gate(candidate(better, baseline=good, margin=.05, report="none"))
    assert found.exit_code == 0 and "It rests on" in str(found.sentence), found.sentence
    assert gate(candidate(better, baseline=good, margin=.05, report="none"), strict=True).exit_code == 4


def test_a_dangerous_class_stands_in_headline_profile_and_gate(place, good):
    r = good.result
    assert r.settings.dangerous == ["melanoma"]
    assert str(r["items"].dangerous.classes.melanoma) == "30/30 = 100.0 % (88.6-100.0)"
    verdict = judge(r, read_profile("classification-release"))
    by = {j.criterion.metric: j for j in verdict.judged}
    assert by["dangerous_sensitivity"].status == "insufficient n" and "dangerous_class" in verdict.guarded
    silent = judge(stored(lesions(), place, "silent").result, read_profile("classification-release"))
    j = next(o for o in silent.judged if o.criterion.metric == "dangerous_sensitivity")
    assert j.status == "not applicable" and "dangerous_class" not in silent.guarded
    assert "melanoma found (dangerous)" in headline(good) and "Must not be missed" in caveats(good)
    assert "Worst class: " in headline(stored(lesions(lose=20), place, "less"))
    half = evaluate(lesions(lose=15), by=(), dangerous=("melanoma", "naevus")).dangerous
    assert half.dangerous_sensitivity == half.classes.melanoma == .5


@pytest.mark.parametrize("names, said", [
    (["melanom"], "no class 'melanom'; did you mean 'melanoma'"),
    (["x", "melanoma"], "the classes are keratosis, mel")])
def test_a_dangerous_class_that_is_none_is_one_line(place, names, said):
    with pytest.raises(ValueError) as e: stored(lesions(), place, "odd", dangerous=names)
    assert said in str(e.value) and "\n" not in str(e.value)


def test_a_field_without_classes_takes_no_dangerous_one(tmp_path):
    rows = pd.DataFrame(dict(y_true=[0, 1]*8, y_prob=[.1, .9]*8))
    rows.to_csv(tmp_path/"p.csv", index=False)
    own = dict(title="No rows", layers=dict(robustness=dict(shift={})))
    with pytest.raises(ValueError, match="dangerous: nothing that is asked in the field"):
        make_run(predictions=tmp_path/"p.csv", suite=own, out=tmp_path, dangerous=["1"])


def test_wells_and_other_classes_go_the_same_way(place):
    "A table of wells is asked by the code that asks any other; a dangerous class of two is that of two"
    y = np.tile([0, 1], 40)
    p = Predictions([f"w{i}" for i in range(80)], y, np.where(y == 1, .9, .2), classes=("no growth", "growth"),
                    field="mic")
    run = stored(p, place, "wells", dangerous=["growth"])
    assert str(run.result.wells.dangerous.classes.growth) == str(run.result.wells.overall.sensitivity)


# --- pairs that are taken for each other

def test_pairs_and_margins_are_those_of_a_confusion_table():
    rng = np.random.default_rng(0)
    for K in (3, 7, 50):
        y, seen = rng.integers(0, K, 400), rng.integers(0, K, 400)
        p = Predictions([f"r{i}" for i in range(400)], y, y_pred=seen, classes=tuple(f"c{i}" for i in range(K)))
        t, m = confused(p, most=10**6), Confusion.of(y, seen, labels=range(K)).m
        for o in t.itertuples():
            i, j = int(o.truth[1:]), int(o.called[1:])
            assert (m[i, j], m[i].sum()) == (o.rows, o.of)
        assert t["rows"].sum() == m.sum()-np.trace(m) and t["rows"].is_monotonic_decreasing
        few = Margins.of(y, seen, labels=range(K))
        np.testing.assert_array_equal(few.one_vs_rest().m, Confusion(m).one_vs_rest().m)
        codes = rng.integers(0, 5, 400)
        less = Margins.left_out(y, seen, None, (codes, 5), labels=range(K))
        np.testing.assert_array_equal(less.right[2], Margins.of(y[codes != 2], seen[codes != 2], labels=range(K)).right)
    assert not len(confused(Predictions(["a", "b", "c"], [0, 1, 2], y_pred=[0, 1, 2], classes=("x", "y", "z"))))


def test_metrics_of_fifty_classes_are_scikit_learn_s():
    from sklearn import metrics as sk
    rng = np.random.default_rng(1)
    y = np.r_[np.arange(50), rng.integers(0, 50, 750)]
    seen = np.where(rng.random(800) < .7, y, rng.integers(0, 50, 800))
    groups = np.arange(800)//8
    for g in (None, groups):
        for average in ("macro", "weighted", "micro"):
            how = dict(average=average, zero_division=0)
            for ours, theirs in ((f1, sk.f1_score), (ppv, sk.precision_score), (sensitivity, sk.recall_score)):
                s = ours(y, seen, average=average, groups=g)
                assert np.isclose(float(s), theirs(y, seen, **how)) and s.lo < s < s.hi
        for ours, theirs in ((accuracy, sk.accuracy_score), (balanced_accuracy, sk.balanced_accuracy_score),
                             (mcc, sk.matthews_corrcoef)):
            s = ours(y, seen, groups=g)
            assert np.isclose(float(s), theirs(y, seen)) and s.lo < s < s.hi


def test_what_is_asked_at_once_is_what_is_asked_alone():
    rng = np.random.default_rng(2)
    y = np.r_[np.arange(5), rng.integers(0, 5, 195)]
    prob = rng.dirichlet(np.ones(5), 200)*.5+.5*np.eye(5)[y]
    groups = np.arange(200)//4
    for g in (None, groups):
        p = Predictions([f"r{i}" for i in range(200)], y, prob, classes=tuple("abcde"))
        found = per_class(p, g)
        for m in (roc_auc, average_precision):
            for a in ("macro", "weighted", "micro"):
                assert str(found.averages[a][m.name]) == str(m(y, p.prob, average=a, groups=g)), (m.name, a)
            alone = m(y, p.prob, average=None, groups=g)
            assert [str(found.classes[c][m.name]) for c in "abcde"] == [str(o) for o in alone.values()]
        assert found.classes.a.ece == per_class(p).classes.a.ece and set(found.reliability) == set("abcde")


def test_pairs_are_shown_with_their_pictures(tmp_path):
    shade = dict(ash=20, elm=120, oak=220)
    for name, grey in shade.items():
        (tmp_path/"d"/name).mkdir(parents=True)
        for i in range(6): Image.new("L", (8, 8), grey+i).save(tmp_path/"d"/name/f"{i}.png")

    def model(x):
        m = x.mean((1, 2, 3))*255
        near = np.abs(m[:, None]-np.array([20, 120, 220])).argmin(1)
        near[(m > 118) & (m < 123)] = 2   # some elms for oaks
        return np.eye(3)[near]*.8+.2/3
    run = make_run(model, tmp_path/"d", out=tmp_path/"runs", version="1")
    speak("en", run)
    part = confused_pairs(run)
    assert "elm called oak" in part and part.count("data:image/png") == 3 and "elm/0.png" in part
    assert "Worst class: elm found" in headline(run) and "largest probability" in caveats(run)
    assert "elm/1.png" in worst_samples(run)


# --- very many classes

def crowd(n, K, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, K, n)
    s = rng.normal(0, 1, (n, K)).astype(np.float32)
    s[np.arange(n), y] += rng.normal(4.2, 1.5, n)
    e = np.exp(1.5*s)
    return Predictions(np.char.add("p", np.arange(n).astype(str)), y, e/e.sum(1, keepdims=True),
                       classes=tuple(f"class_{i:04d}" for i in range(K)), field="classification")


def test_sixty_classes_are_folded_and_can_be_searched(tmp_path):
    run = stored(crowd(900, 60), tmp_path, "crowd", profile="classification-release")
    items = run.result["items"]
    assert isinstance(items.confusion, NotApplicable) and len(items.per_class.reliability) == 12
    page = class_table(run.result["items"].per_class)
    assert "<details class='fold' open><summary>The 20 classes found worst" in page and len(page) < 1e5
    rest = page[page.index("40 other classes"):]
    assert sum(f">class_{i:04d}<" in rest for i in range(60)) == 40
    worst = min(run.result["items"].per_class.classes.items(), key=lambda o: (float(o[1].sensitivity), o[0]))[0]
    assert page.index(f">{worst}<") < page.index("40 other classes") and "other pairs</summary>" in confused_pairs(run)


FULL = """
import sys
sys.path[:0] = {tests!r}, {here!r}
from test_classes import crowd
crowd(50_000, 1000).save("big.parquet")
"""


@pytest.mark.full
def test_fifty_thousand_pictures_of_a_thousand_classes(tmp_path):
    "Metrics and report: at most 60 s of processor time and 1.5 GB; a page below 5 MB"
    from pathlib import Path
    tests = str(Path(__file__).parent)
    subprocess.run([sys.executable, "-c", FULL.format(tests=tests, here=tests)], cwd=tmp_path, check=True)
    watch = ("import resource, subprocess, sys; r = subprocess.run(sys.argv[1:]); "
             "u = resource.getrusage(resource.RUSAGE_CHILDREN); print(u.ru_utime+u.ru_stime, u.ru_maxrss/1024)")
    line = [sys.executable, "-m", "mic_eval", "run", "--predictions", "big.parquet", "--profile",
            "classification-release", "--lang", "en"]
    done = subprocess.run([sys.executable, "-c", watch, *line], cwd=tmp_path, capture_output=True, text=True)
    seconds, mib = map(float, done.stdout.strip().splitlines()[-1].split())
    page = next((tmp_path/"runs").rglob("technical.html"))
    assert seconds < 120 and mib < 1500, (seconds, mib)   # half as fast as the machine that it was measured on
    assert page.stat().st_size < 5e6


# --- one model better calibrated than another

def test_the_difference_of_calibration_errors_is_that_of_both():
    rng = np.random.default_rng(0)
    x = rng.normal(0, 2, 800)
    y = (rng.random(800) < 1/(1+np.exp(-x)))*1
    a, b = 1/(1+np.exp(-2*x)), 1/(1+np.exp(-x))
    d = calibration_difference(y, a, b)
    assert np.isclose(float(d), float(ece_debiased(y, a))-float(ece_debiased(y, b))) and d.lo > 0
    back = calibration_difference(y, b, a)
    assert np.isclose(float(back), -float(d)) and back.hi < 0
    order = rng.permutation(800)
    again = calibration_difference(y[order], a[order], b[order])
    assert np.isclose(again.lo, d.lo) and np.isclose(again.hi, d.hi)
    wide = calibration_difference(np.repeat(y[:200], 4), np.repeat(a[:200], 4), np.repeat(b[:200], 4),
                                  groups=np.repeat(np.arange(200), 4))
    alone = calibration_difference(y[:200], a[:200], b[:200])
    assert .6 < (wide.hi-wide.lo)/(alone.hi-alone.lo) < 1.6 and wide.groups == 200
    assert "too few groups" in calibration_difference(y, a, b, groups=np.arange(800) % 3).reason


# --- limits of somebody's own

@pytest.mark.parametrize("options, said", [
    (["--set", "sens=.9"], "no metric 'sens' in classification-release; did you mean 'sensitivity'?"),
    (["--set", "sensitivity=high"], "sensitivity: a limit is a number, not 'high'"),
    (["--set", "ece=-1"], "ece: the limit -1 lies outside"), ([], "nobody answers here"),
    (["--set", "ece=.1", "--out", "there.yml"], "there.yml is there already")])
def test_limits_that_cannot_be_written_are_one_line(tmp_path, monkeypatch, options, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path/"there.yml").write_text("")
    done = CliRunner().invoke(app, ["plan", "limits", *options])
    assert done.exit_code == 2 and said in done.stderr and not (tmp_path/"limits.yml").exists()


def test_limits_that_were_asked_for_judge_a_run_and_its_gate(place, good, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    typed = ["", "0.x", "0.8", ".7", "", "", "", "", "", "", "me"]   # a slip of the pen is asked again
    done = CliRunner().invoke(app, ["plan", "limits"], input="\n".join(typed) + "\n")
    assert done.exit_code == 0, done.output + done.stderr
    p = read_profile(tmp_path/"limits.yml")
    assert {c.metric: c.limit for c in p.criteria} == dict(sensitivity=.8, dangerous_sensitivity=.7)
    run = stored(lesions(), tmp_path, "judged", profile=tmp_path/"limits.yml", dangerous=["melanoma"])
    assert run.result.verdict.status == "pass" and run.result.verdict.groups == ["class"]
    (tmp_path/"limits.yml").unlink()   # a run keeps its limits
    assert gate(candidate(run, report="none")).exit_code == 0
    assert CliRunner().invoke(app, ["plan", "limits", "--lang", "zh"], input="\n"*12).exit_code == 2


def test_an_order_that_a_column_knows_is_asked_of_nobody():
    import mic_eval.metrics as M
    from mic_eval.core.results import to_json
    from mic_eval.metrics.multiclass import over_labels
    order = ["S", "I", "R"]
    texts = list("SSIRRISRIS"), list("SIIRSISRRS")
    one, other = (pd.Categorical(t, categories=order, ordered=True) for t in texts)
    for f in (M.cohen_kappa, M.stuart_maxwell, M.bowker):
        alike = to_json(f(one, other)), to_json(f(*texts, labels=order))
        assert alike[0] == alike[1] and "S" in (alike[0] if f is M.stuart_maxwell else "S")
    with pytest.raises(ValueError, match="text"): M.cohen_kappa(*texts)
    table = np.eye(3, dtype=int)   # a label a column: what there is for scores is named
    for ask in (lambda: M.roc_auc(table, table*.5, average="macro"), lambda: over_labels(M.roc_auc, table, table)):
        with pytest.raises(ValueError, match="over_label_scores"): ask()
    with pytest.raises(ValueError, match="there is over_labels$"): M.f1(table, table)
