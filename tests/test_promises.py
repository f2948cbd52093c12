"What the package promises about faults and hostile code: nobody gets exit code 0 without an answer."
import ast
import gc
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

import defaults
import mic_eval
from mic_eval.core.criteria import read_profile
from mic_eval.core.files import locked, made_inside, write_whole, writer
from mic_eval.model.predict import clear_parts
from mic_eval.run.suite import read_suite

MODELS = '''
import os, sys, time
import numpy as np
HOW = os.environ.get("LEAVE", "")
def leave():
    if HOW == "exit": sys.exit(0)
    if HOW == "_exit": os._exit(0)
    if HOW == "kill": os.kill(os.getpid(), 9)
    if HOW == "typer":
        import typer
        raise typer.Exit(0)
    if HOW == "base": raise type("Odd", (BaseException,), {})("odd")
    if HOW == "forged":
        for pipe in range(3, 64):
            try: os.write(pipe, bytes(1))
            except OSError: pass
        os._exit(0)
    if HOW == "atexit":
        import atexit
        atexit.register(os._exit, 0)
if os.environ.get("WHEN") == "import": leave()
class Dark:
    fingerprint = "dark"
    def __call__(self, x):
        if os.environ.get("WHEN") != "import": leave()
        if HOW == "slow": time.sleep(.1)
        if HOW == "hang": time.sleep(60)
        return np.clip(1.6 - 1.6*x.mean((1, 2, 3)), .01, .99)
model = Dark()
'''


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    "A folder with a module of models, a run of a sound one, and the lists of a sweep"
    place = tmp_path_factory.mktemp("promises")
    (place / "leaving.py").write_text(MODELS)
    done = program(place, "run", "--model", "leaving:model", "--data", "demo:1", "--report", "none", "--profile",
                   "mic-clinical", "--out", "runs")
    assert done.returncode == 0, done.stderr
    data = next((place / "runs" / ".data").rglob("manifest.csv")).parent
    (place / "models.yaml").write_text(yaml.safe_dump([dict(name="dark", model="leaving:model")]))
    (place / "data.yaml").write_text(yaml.safe_dump([dict(name="plates", folder=str(data))]))
    return place


def unignored():
    for s in (signal.SIGINT, signal.SIGHUP): signal.signal(s, signal.SIG_DFL)   # a background job may have it ignored


def program(place, *args, background=False, **env):
    "`python -m mic_eval` as a shell starts it"
    how = dict(cwd=place, env=os.environ | env, text=True, preexec_fn=unignored)
    command = [sys.executable, "-m", "mic_eval", *args]
    if background: return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)
    return subprocess.run(command, capture_output=True, **how)


def commands(place, out):
    run = (place / "runs" / (place / "runs" / "latest").read_text().strip()).as_posix()
    data = next((place / "runs" / ".data").rglob("manifest.csv")).parent.as_posix()
    return dict(run=["run", "--model", "leaving:model", "--data", data, "--profile", "mic-clinical", "--report",
                     "none", "--out", out],
                gate=["gate", run, "--strict", "--model", "leaving:model", "--profile", "none", "--report", "none",
                      "--out", out],
                sweep=["sweep", "models.yaml", "data.yaml", "--report", "none", "--by", "", "--jobs", "1", "--out",
                       out])


slow = pytest.mark.full
WAYS = [("run", "exit"), ("gate", "_exit"), ("gate", "kill"), ("sweep", "_exit")]
MORE = [("gate", "forged")] + [(n, h) for n in ("run", "gate", "sweep") for h in ("exit", "_exit", "kill", "base")
                               if (n, h) not in WAYS]


@pytest.mark.parametrize("name, how", [*WAYS, *[pytest.param(*o, marks=slow) for o in MORE]])
@pytest.mark.full   # kills
def test_nobody_leaves_with_0(place, name, how, tmp_path):
    done = program(place, *commands(place, str(tmp_path))[name], LEAVE=how, WHEN="call")
    said = done.stderr.splitlines()
    # sys.exit is what a check can report: the gate is closed, and its file says so
    closed = (name, how) == ("gate", "exit")
    assert done.returncode == (1 if closed else 2), done.stderr
    assert closed or said[-1].startswith("error: ") or name == "sweep", done.stderr
    assert "Traceback" not in done.stderr and (tmp_path / "gate.json").exists() == closed


@pytest.mark.parametrize("how", ["exit", *[pytest.param(o, marks=slow) for o in ("_exit", "typer", "atexit")]])
@pytest.mark.full   # kills
def test_nor_while_a_module_is_imported(place, how, tmp_path):
    done = program(place, *commands(place, str(tmp_path))["gate"], LEAVE=how, WHEN="import")
    assert done.returncode in (1, 2), done.stderr   # 1: a verdict was written, and it is closed


@slow
@pytest.mark.parametrize("how", ["exit", "_exit", "kill"])
def test_a_worker_that_leaves_is_a_pair_that_failed(place, how, tmp_path):
    (place / "two.yaml").write_text(yaml.safe_dump([dict(name=n, model="leaving:model", threshold=t)
                                                    for n, t in (("a", .5), ("b", .4))]))
    args = commands(place, str(tmp_path))["sweep"]
    done = program(place, *["2" if a == "1" else "two.yaml" if a == "models.yaml" else a for a in args], LEAVE=how,
                   WHEN="call")
    assert done.returncode == 2 and "2 failed" in done.stderr, done.stderr


@pytest.mark.parametrize("closed", [">&-", pytest.param("2>&-", marks=slow), pytest.param("<&- >&- 2>&-", marks=slow)])
@pytest.mark.full   # processes without streams
def test_closed_streams_are_no_error(place, closed):
    command = f"'{sys.executable}' -m mic_eval list {closed}"
    assert subprocess.run(["sh", "-c", command], cwd=place, capture_output=True).returncode == 0


@slow
def test_a_sound_model_without_a_limit_is_not_decided(place, tmp_path):
    done = program(place, *commands(place, str(tmp_path))["gate"])
    assert done.returncode == 4 and "no limit was asked for and no baseline was compared" in done.stderr
    assert (tmp_path / "gate.json").is_file()


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143),
                                          pytest.param(signal.SIGHUP, 129, marks=slow)])
@pytest.mark.full   # kills
def test_stopped_from_outside_is_clean(place, number, code, tmp_path):
    args = [a for a in commands(place, str(tmp_path))["run"]] + ["--batch-size", "4"]
    p = program(place, *args, background=True, LEAVE="slow", WHEN="call")
    end = time.time() + 60
    while len(list(tmp_path.rglob("*.npz"))) < 2 and p.poll() is None and time.time() < end: time.sleep(.02)
    p.send_signal(number)
    out, err = p.communicate()
    assert p.returncode == code and err.splitlines()[-1].startswith("error: stopped; what was computed is kept"), err
    assert len(list(tmp_path.rglob("*.npz"))) >= 2 and not list(tmp_path.rglob(".lock"))


@pytest.mark.full   # waits for a process with PyTorch
def test_the_program_dies_with_its_witness(place, tmp_path):
    p = program(place, *commands(place, str(tmp_path))["run"], "--batch-size", "4", background=True, LEAVE="slow",
                WHEN="call")
    end = time.time() + 60
    while len(list(tmp_path.rglob("*.npz"))) < 2 and p.poll() is None and time.time() < end: time.sleep(.02)
    p.kill()
    p.communicate()
    n = len(list(tmp_path.rglob("*.npz")))
    time.sleep(.5)
    assert len(list(tmp_path.rglob("*.npz"))) <= n + 1


@pytest.mark.parametrize("seconds, code", [(".3", 2), ("0", 2), ("nan", 2)])
@pytest.mark.full   # waits for a process
def test_a_model_that_hangs(place, seconds, code, tmp_path):
    start = time.time()
    done = program(place, *commands(place, str(tmp_path))["run"], "--timeout", seconds, LEAVE="hang", WHEN="call")
    assert done.returncode == code and time.time() - start < 40
    if seconds == ".3": assert "batch 0" in done.stderr and "no answer within 0.3 s" in done.stderr
    else: assert "timeout must be" in done.stderr


# --- links, and names that something else answers to

def test_links_in_a_run_lead_nowhere(tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "notes.txt").write_text("keep")
    (mine / "old.npz").write_text("keep")
    for name, to in (".lock", mine / "notes.txt"), (".parts", mine):
        run = tmp_path / name
        run.mkdir()
        (run / name).symlink_to(to)
        with pytest.raises(ValueError, match="is a link"), locked(run): pass
        clear_parts(run)
        assert writer(run) == ""
    with pytest.raises(ValueError, match="is a link"): made_inside(tmp_path / ".parts", ".parts", "key")
    hard = tmp_path / "hard"
    hard.mkdir()
    os.link(mine / "notes.txt", hard / ".lock")
    with pytest.raises(ValueError, match="cannot write"), locked(hard): pass
    (pipe := tmp_path / "pipe").mkdir()
    os.mkfifo(pipe / ".lock")
    with pytest.raises(ValueError, match="cannot write"), locked(pipe): pass
    assert sorted(p.read_text() for p in mine.iterdir()) == ["keep", "keep"]


def test_a_planted_part_is_no_way_out(tmp_path, monkeypatch):
    import itertools
    import mic_eval.core.files as f
    monkeypatch.setattr(f, "_serial", itertools.count(7))
    (tmp_path / "secret").write_text("keep")
    (tmp_path / f"a.json.{os.getpid()}-7.part").symlink_to(tmp_path / "secret")
    write_whole(tmp_path / "a.json", "new")
    assert (tmp_path / "secret").read_text() == "keep" and (tmp_path / "a.json").read_text() == "new"


def test_shipped_names_win(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    own = "title: mine\ncriteria:\n  - {metric: accuracy, limit: 0.1, direction: min}\n"
    for name in "mic-release", "mine", "mine.yml": Path(name).write_text(own)
    assert read_profile("mic-release").title != "mine"
    assert read_profile("./mine").title == read_profile("mine.yml").title == "mine"
    with pytest.raises(ValueError, match=r"for the file of this name write \./mine"): read_profile("mine")
    Path("smoke").write_text("layers: {}\n")
    assert read_suite("smoke").asks


@pytest.mark.parametrize("criterion, said", [
    ("metric: sensitivity, limit: -5", "outside 0 to 1"),
                                             ("metric: wells.overall.sensitivity, limit: 98", "0.98 for 98 %"),
    ("metric: sensitivity, limit: true", "must be a number"),
                                             ("metric: sensitivity, limit: .9, weight: .nan",
                                              "weight must be a number"),
    ("metric: sensitivity, limit: .9, weight: -1", "cannot be negative"),
                                             ("metric: sensitivity, limit: .9, level: 95", "between 0 and 1"),
    ("metric: [a], limit: .9", "must be text"), ("metric: sensitivity, limit: .9, on: worst, by: 3", "must be text"),
    ("metric: essential_agreement, limit: 90", "0.98 for 98 %"), (
        "metric: sensitivity, limit: .9, note: *a", "aliases are not read")])
def test_limits_are_checked(tmp_path, criterion, said):
    (tmp_path / "p.yml").write_text(f"title: &a t\ncriteria:\n  - {{{criterion}, direction: min}}\n")
    with pytest.raises(ValueError, match=f"profile p.yml.*{said}") as e: read_profile(tmp_path / "p.yml")
    assert "\n" not in str(e.value)


def test_dates_and_numbers_without_quotes(tmp_path):
    (tmp_path / "p.yml").write_text(
        "title: t\ncriteria:\n  - {metric: sensitivity, limit: .9, direction: min, date: 2020-01-01, source: 12}\n")
    c = read_profile(tmp_path / "p.yml").criteria[0]
    assert (c.date, c.source) == ("2020-01-01", "12")


# what is asked in many places -> its default, and the functions in which the word means something else
EVERYWHERE = dict(
    seed=(0, "sets"), ci=(.95, ""), level=(.95, "_iou iou_at localisation _said"), threshold=(.5, ""), harm=(0., ""),
    power=(.8, "plan_agreement"), margin=(.01, "plan_compare plane"), group_size=(1, ""), horizon=(100, ""),
    n_bins=(15, "carried_curves method_curves"), folds=(5, "cross_validate"), thresholds=((.2, .5), ""),
    bounds=((1e-5, 1e-4), ""), limits=((.3, .05), "saturated_overlap"), icc=(.3, "power_notes next_study"),
    alpha=(.05, "fit_sets cqr_margin interval_coverage risk_control pinball_loss conformal_quantile coverage_band "
                "conformal_coverage smoothing_radius smoothed non_inferiority_power equivalence_power"))

# function that hands an option on, function that takes it, option: where another default is meant
OTHERWISE = """render_plate render_wells bubble; carried_curves reliability_curve n_bins;
    method_curves reliability_curve n_bins; space_views space_map most; sets conformal_scores seed;
    model_against_panel paired_permutation n_resamples; _rendered_wells render_plates plates;
    number_table paged size; table_list paged size; table_list paged most; growth_threshold turning steps;
    conditions_still_answer still_answers batch_size; map_stability_metrics local_lipschitz radius;
    map_stability_metrics local_lipschitz draws; importance_metrics fact_importance repeats"""


def defaults_of(f):
    "Numbers, truths and lists of numbers in a signature, by name; `None`, texts and names are no matter here"
    args, least, out = [*f.args.posonlyargs, *f.args.args], f.args.defaults, {}
    for a, v in [*zip(args[len(args)-len(least):], least), *zip(f.args.kwonlyargs, f.args.kw_defaults)]:
        try: value = ast.literal_eval(v) if v is not None else None
        except ValueError: continue
        if value not in (None, ..., ()) and not isinstance(value, str): out[a.arg] = value
    return out


@pytest.fixture(scope="module")
def signatures():
    "Of each function of the package that has defaults: name, names of its places, defaults, the calls it makes"
    gc.disable()   # trees are large, and nothing goes before their end
    try:
        out = []
        for p in sorted(Path(mic_eval.__file__).parent.rglob("*.py")):
            todo = [] if p.name[0] == "_" else ast.parse(p.read_text(encoding="utf-8")).body
            for f in todo:
                todo += [o for o in getattr(f, "body", ()) if isinstance(f, ast.ClassDef)]
                if not isinstance(f, ast.FunctionDef) or not (own := defaults_of(f)): continue
                calls = [c for c in ast.walk(f) if isinstance(c, ast.Call) and isinstance(c.func, ast.Name)]
                out.append((f.name, [a.arg for a in (*f.args.posonlyargs, *f.args.args)], own, calls))
        return out
    finally: gc.enable()


def test_the_same_call_means_the_same_in_the_next_release():
    now, before = {*defaults.defaults()}, {*defaults.kept.read_text(encoding="utf-8").splitlines()}
    assert len(now) > 500 and sorted(now ^ before) == [], "say it in CHANGELOG.md, then: python tests/defaults.py"


def test_what_is_asked_in_many_places_is_the_same_where_nothing_is_said(signatures):
    "A confidence of 95 %, the seed 0, the limits of AUPRO: whoever calls two functions compares like with like"
    said = [(name, k, v) for name, _, own, _ in signatures for k, v in own.items()
            if k in EVERYWHERE and name not in EVERYWHERE[k][1].split()]
    assert not [o for o in said if o[2] != EVERYWHERE[o[1]][0]]
    assert min(sum(o[1] == k for o in said) for k in EVERYWHERE) > 2


def test_an_option_that_is_handed_on_has_the_default_of_where_it_goes(signatures):
    "`f(k=5)` that calls `g(x, k=k)` says of `k` what `g` says: who learns one of them knows the other"
    named, met, odd = {}, 0, set()
    for name, places, own, _ in signatures: named.setdefault(name, []).append((places, own))
    for name, _, own, calls in signatures:
        for c in calls:
            if len(goal := named.get(c.func.id, ())) != 1: continue
            (places, theirs), = goal
            handed = [*zip(places, c.args), *((k.arg, k.value) for k in c.keywords)]
            for option in {k for k, v in handed if getattr(v, "id", "") == k} & {*own} & {*theirs}:
                met += 1
                if own[option] != theirs[option]: odd.add(f"{name} {c.func.id} {option}")
    assert met > 500 and odd == {" ".join(o.split()) for o in OTHERWISE.split(";")}
