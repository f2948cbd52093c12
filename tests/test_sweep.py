"""Sweeps: lists checked with their lines, pairs that fail alone, leaderboards that are compare's, restarts, memory,
the command and its page."""
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from hypothesis import given, settings, strategies as st
from typer.testing import CliRunner

from mic_eval.core.files import locked
from mic_eval.core.results import NotApplicable, Result, from_json, to_json
from mic_eval.core.tables import Predictions
import mic_eval.report.render, mic_eval.report.leaderboard
from mic_eval.cli.app import app
from mic_eval.run.compare import compare, leaderboard
from mic_eval.run.evaluation import make_run
from mic_eval.run.store import open_run
from mic_eval.run.sweep import run_pair, Pair, read_entries, read_sweep, pair_memory, workers, sweep
from mic_eval.report.render import report_once
from mic_eval.report.leaderboard import in_order, row_line, save_sweep, sweep_page, sweep_table, sweep_text

HOSTILE = "<script>alert(1)</script>"
NOISE = dict(new=1, alike=1.1, old=4)


def table(noise, lab=0, n=240):
    y = np.random.default_rng(lab).integers(0, 2, n)
    p = 1/(1+np.exp(-3*(2*y-1)-noise*np.random.default_rng([lab, int(10*noise)]).normal(size=n)))
    return Predictions(np.arange(n).astype(str), y, p, facts=pd.DataFrame(dict(plate=(np.arange(n)//8).astype(str))))


def laid_out(place, models, cities):
    for lab, city in enumerate(cities):
        for name in models: table(NOISE[name], lab).save(place / f"{name} {city}.parquet")
    (place / "models.yaml").write_text("".join(f'- name: {n}\n  predictions: "{n} {{data}}.parquet"\n' for n in models))
    (place / "data.yaml").write_text("".join(f"- {{name: {c}}}\n" for c in cities))
    return place


@pytest.fixture
def place(tmp_path): return laid_out(tmp_path, ("new", "old"), ("Bern",))


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    "A finished sweep of three models on two data sets, to be looked at only"
    place = laid_out(tmp_path_factory.mktemp("done"), NOISE, ("Bern", "Lyon"))
    return place, go(place)


def go(place, **kw):
    return sweep(place / "models.yaml", place / "data.yaml",
                 **dict(report=None, jobs=1, by=(), save=save_sweep, write=report_once, out=place / "runs") | kw)


def command(place, *args):
    r = CliRunner().invoke(app, ["sweep", str(place / "models.yaml"), str(place / "data.yaml"), "--out",
                                 str(place / "runs"), "--jobs", "1", "--by", "", *map(str, args)])
    assert r.exception is None or isinstance(r.exception, SystemExit), r.exception
    return r


# --- lists

@pytest.mark.parametrize("text, words", [
    ("- name: a\n  modle: wellnet\n", "m.yaml:2: unknown key 'modle'; did you mean 'model'?"),
    ("- name: a\n  model: welnet\n", "m.yaml:1: no model 'welnet'; did you mean 'wellnet'?"),
    ("# two\n- name: a\n  model: wellnet\n- name: a\n  model: wellnet\n", "m.yaml:4: the name 'a' is taken by"),
    ("- model: wellnet\n", "m.yaml:1: an entry needs a name"),
    ("- name: a\n", "m.yaml:1: 'a' needs a model or predictions"),
    ("- {name: a, model: wellnet, predictions: p.csv}\n", "not both"),
    ("- name: a\n  model: wellnet\n  model: wellnet\n", "m.yaml:3: 'model' stands twice"),
    ("- name: a\n  predictions: none.csv\n", "m.yaml:1: no file"),
    ("- name: a\n  model: weights.pt@here:net\n", "m.yaml:1: no model file"),
    ("- name: a\n  model: [wellnet]\n", "m.yaml:1: model takes one value"),
    ("- name: a\n  predictions: {plates: p.csv}\n", "m.yaml:1: 'a' has no predictions for 'wells'"),
    ("- name: a\n  predictions: {wells: p.csv, wels: p.csv}\n", "did you mean 'wells'?"),
    ("- name: a\n  predictions: p.csv\n  device: cpu\n", "device is for models"),
    ("- {name: a, model: wellnet}\n- {name: b, model: wellnet}\n", "b on wells and a on wells are the same"),
    ("- name: a\n  model: 'wellnet\n", "m.yaml:3: "), ("- name: a\n\tmodel: b\n", "m.yaml:2: "),
                                         ("- *gone\n", "m.yaml:1: aliases are not read: *gone"),
    ("name: a\n", "m.yaml:1: needs a list"), ("", "m.yaml:1: nothing in it"),
                                         ("- a\n", "m.yaml:1: an entry is a mapping"),
                                         ("- !!python/object/apply:os.getcwd []\n", "m.yaml:1: the tag"),
    ("- name: !!python/object/apply:os.getcwd []\n", "m.yaml:1: the tag"), ("[]\n", "there are no entries")])
def test_slips_are_found_with_their_line(tmp_path, text, words):
    (tmp_path / "m.yaml").write_text(text)
    table(1).save(tmp_path / "p.csv")
    with pytest.raises(ValueError) as e: read_sweep(tmp_path / "m.yaml", [dict(name="wells", folder="demo:1")])
    assert words in str(e.value) and "\n" not in str(e.value)


@pytest.mark.parametrize("entry, words", [
    (dict(name="d", folder="nowhere"), "no folder with manifest.csv"),
                                          (dict(name="d"), "names no folder, and the model 'net' needs its pictures"),
    (dict(name="d", folder="demo", spilt="test"), "unknown key 'spilt'; did you mean 'split'?"),
                                          (dict(name="d", folder="demo", breakpoints="b.csv"), "no file b.csv")])
def test_data_sets_are_checked(entry, words):
    with pytest.raises(ValueError, match=words): read_sweep([dict(name="net", model="wellnet")], [entry])


def test_a_list_that_is_not_there_or_no_text(tmp_path):
    with pytest.raises(ValueError, match="no file .*none.yaml"): read_entries(tmp_path / "none.yaml", ("name",))
    (tmp_path / "b.yaml").write_bytes(b"- name: \xff\xfe")
    with pytest.raises(ValueError, match="b.yaml cannot be read: .*utf-8"): read_entries(tmp_path / "b.yaml", ("name",))


@pytest.mark.later
def test_paths_are_read_from_where_the_list_stands(done, monkeypatch):
    place, _ = done
    monkeypatch.chdir("/")
    pairs = read_sweep(place / "models.yaml", place / "data.yaml")
    assert [str(p) for p in pairs] == [f"{m} on {d}" for d in ("Bern", "Lyon") for m in NOISE]
    assert all(Path(p.how["predictions"]).is_file() for p in pairs)


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=8),
                min_size=1, max_size=5, unique=True))
@settings(max_examples=40, deadline=None)
def test_names_survive(tmp_path_factory, names):
    import yaml
    path = tmp_path_factory.mktemp("names") / "d.yaml"
    path.write_text(yaml.safe_dump([dict(name=n) for n in names], allow_unicode=True), encoding="utf-8")
    assert [e.name for e in read_entries(path, ("name",))] == names == [e.name
        for e in read_entries([dict(name=n) for n in names], ("name",))]


# --- leaderboards

@pytest.mark.later
def test_the_leaderboard_is_that_of_compare(done):
    place, r = done
    assert r.counts == Result(done=6, failed=0, **{"not run": 0}) and "cannot" not in r
    runs = [open_run(place / "runs" / r.pairs[f"{m} on Lyon"].run) for m in NOISE]
    c = compare(*runs, names=list(NOISE))
    for k in "leaderboard", "tied", "verdict": assert to_json(Result(x=r.boards.Lyon[k])) == to_json(Result(x=c[k]))
    assert to_json(Result(x=c.tied)) == to_json(Result(x=leaderboard(*runs, names=list(NOISE)).tied))
    assert r.pairs["new on Lyon"].sensitivity == runs[0].result.wells.overall.sensitivity
    assert c.tied[-1] == ["old"] and sorted(c.tied[0]) == ["alike", "new"]


@pytest.mark.later
def test_files_say_what_the_result_says(done):
    place, r = done
    out = place / "runs"
    assert to_json(from_json(out / "sweep.json")) == to_json(r)
    t = pd.read_csv(out / "leaderboard.csv")
    assert list(t["model"]) == [o.model for _, _, o in in_order(r)] and len(t) == 6
    row = t[(t["model"] == "old") & (t["data"] == "Bern")].iloc[0]
    s = r.pairs["old on Bern"].specificity
    assert (row["specificity"], row["specificity_lo"], row["specificity_k"], row["specificity_n"]) == (float(s), s.lo,
        s.k, s.n)
    text = sweep_text(r)
    assert text.splitlines()[-2].endswith(" of 6 passed; 6 of 6 pairs ran")
    assert text.splitlines()[-1].startswith("FAIL: ")   # the verdict of the gravest pair comes last
    assert all(f" {m}: " in text for m in NOISE) and "statistically tied" in text
    page = BeautifulSoup((out / "sweep.html").read_text(encoding="utf-8"), "html.parser")
    assert [h.text for h in page.find_all("h3")] == ["Bern", "Lyon"]
    assert not page.select("script[src], link, iframe")
    assert all(o["src"].startswith("data:") for o in page.select("img"))
    assert len(page.select("img")) == 2 and str(place) not in page.text


@pytest.mark.later
def test_models_of_other_rows_are_not_ranked_but_keep_their_figures(place):
    table(1)[:200].save(place / "new Bern.parquet")
    r = go(place)
    assert isinstance(r.boards.Bern, NotApplicable)
    assert "do not hold the same samples" in r.boards.Bern.reason and r.counts.done == 2
    assert "Not ranked" in sweep_page(r) and r.pairs["new on Bern"].sensitivity.n < r.pairs["old on Bern"].sensitivity.n


@pytest.mark.later
def test_one_model_is_no_contest(place):
    (place / "models.yaml").write_text("- {name: new, predictions: 'new {data}.parquet'}\n")
    r = go(place, on="roc_auc")
    assert r.boards.Bern.tied == [["new"]] and "verdict" not in r.boards.Bern and "new" in sweep_page(r)
    with pytest.raises(ValueError, match="on must be"): go(place, on="f1")


# --- failures

@pytest.mark.later
def test_a_pair_that_fails_costs_itself_only_and_is_tried_again(place):
    good = (place / "new Bern.parquet").read_bytes()
    table(1).frame().assign(y_true=2).to_parquet(place / "new Bern.parquet")
    r = go(place)
    bad = r.pairs["new on Bern"]
    assert r.counts == Result(done=1, failed=1, **{"not run": 0})
    assert bad.status == "failed" and "\n" not in bad.error and "run" not in bad
    assert list(r.boards.Bern.leaderboard) == ["old"] and [o.model for _, _, o in in_order(r)] == ["old", "new"]
    assert bad.error in sweep_text(r) and bad.error[:20] in sweep_page(r)
    (place / "new Bern.parquet").write_bytes(good)
    assert go(place).counts.done == 2


def test_a_fault_of_somebodys_code_keeps_its_traceback(tmp_path):
    def broken(images): raise RuntimeError("no such well")
    row = run_pair(Pair("broken", "wells", dict(model=broken, data="demo:1")), tmp_path)
    assert row.status == "failed" and "no such well" in row.error
    if "kept" in row: assert "no such well" in (tmp_path / row.kept).read_text()


@pytest.mark.later
def test_a_report_is_written_once_for_the_same_results(place, monkeypatch):
    calls = []
    def write(run, name): calls.append(run.folder); return (run.folder / "technical.html").write_text("x")
    monkeypatch.setattr(sys.modules["mic_eval.report.render"], "report", write)
    assert go(place, report="technical").counts.done == 2 and len(calls) == 2
    assert go(place, report="technical").counts.done == 2 and len(calls) == 2
    go(place, report="technical", profile="mic-clinical")
    assert len(calls) == 4
    table(2).save(place / "new Bern.parquet")
    r = go(place, report="technical")
    assert len(calls) == 5 and (place / "runs" / r.pairs["new on Bern"].report).is_file()


@pytest.mark.later
def test_a_notebook_that_fails_in_the_middle(place):
    v4 = nbformat.v4
    nb = v4.new_notebook(cells=[v4.new_markdown_cell("# Half\n\n## Good"),
                                v4.new_code_cell('run = ""', metadata=dict(tags=["parameters"])),
                                v4.new_code_cell("6*7"), v4.new_markdown_cell("## Bad"), v4.new_code_cell("1/0")])
    nbformat.write(nb, place / "half.ipynb")
    (place / "data.yaml").write_text("- name: Bern\n")
    (place / "models.yaml").write_text("- {name: new, predictions: new Bern.parquet}\n")
    r = command(place, "--report", place / "half.ipynb")
    assert r.exit_code == 2
    assert "failed in section 'Bad': ZeroDivisionError" in r.stderr
    assert r.stdout.strip() == str(place / "runs" / "sweep.html")
    row = from_json(place / "runs" / "sweep.json").pairs["new on Bern"]
    assert row.verdict and row.sensitivity > .8 and str(place / "runs") not in row.error
    page = BeautifulSoup((place / "runs" / "sweep.html").read_text(encoding="utf-8"), "html.parser")
    links = {a["href"] for a in page.select("main a") if not a["href"].startswith("#")}
    assert links == {row.kept, "leaderboard.csv"} and "42" in (place / "runs" / row.kept).read_text()


def test_what_cannot_be_written_is_still_shown(place, monkeypatch):
    def full(path, content, **kw): raise ValueError(f"cannot write {path}: No space left on device")
    monkeypatch.setattr(sys.modules["mic_eval.report.leaderboard"], "write_whole", full)
    r = command(place, "--report", "none")
    assert r.exit_code == 2
    assert r.stdout == ""
    assert "2 of 2 pairs ran" in r.stderr and r.stderr.strip().splitlines()[-1].startswith("error: cannot write")


@pytest.mark.later
def test_interrupted_and_restarted(place):
    def stop(row, total): raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt): go(place, tell=stop)
    r = from_json(place / "runs" / "sweep.json")
    assert r.counts["not run"] == 1
    assert r.counts.done == 1 and "1 not run" in sweep_text(r) and "not reached" in sweep_page(r)
    assert go(place).counts.done == 2


@pytest.mark.later
def test_two_sweeps_at_once(place):
    (place / "runs" / ".sweep").mkdir(parents=True)
    with locked(place / "runs" / ".sweep"):
        with pytest.raises(ValueError, match="is being written by process"): go(place)
        assert command(place, "--report", "none").exit_code == 2
    assert go(place).counts.done == 2


# --- memory and processes

@pytest.mark.later
def test_a_budget_is_kept_or_refused(done):
    place, _ = done
    pairs = read_sweep(place / "models.yaml", place / "data.yaml")
    with pytest.raises(ValueError, match="more than the budget of 0.2 GB"): go(place, memory=.2)
    with pytest.warns(UserWarning, match="2 instead of 6 pairs"):
        assert workers(pairs, jobs=6, memory=2.5*pair_memory(pairs[0])) == 2
    assert workers(pairs, jobs=99, memory=999) == 6
    assert pair_memory(Pair("m", "d", dict(model="wellnet",
                                           data="demo"))) > pair_memory(pairs[0]) < pair_memory(pairs[0], "technical")


@given(st.integers(1, 40), st.floats(.5, 64), st.integers(1, 30))
@settings(deadline=None)
def test_budget_holds(jobs, memory, n):
    import warnings
    pairs = [Pair("m", str(i), dict(predictions="none.csv")) for i in range(n)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        k = workers(pairs, None, jobs, memory)
    assert 1 <= k <= min(jobs, n) and k*pair_memory(pairs[0]) <= memory


@pytest.mark.full
def test_a_process_that_dies_costs_its_own_pair_only(tmp_path):
    def dies(images): os._exit(9)
    models = [dict(name="dies", model=dies), *(dict(name=f"good {i}",
                                                    model=eval(
                                                        f"lambda x: (x.mean((1, 2, 3)) < .{i}).astype(float)"))
                                               for i in (4, 5))]
    r = sweep(models, [dict(name="wells", folder="demo:1")], report=None, jobs=2, save=save_sweep, out=tmp_path)
    assert r.pairs["dies on wells"].error == "its process died, perhaps for want of memory"
    assert [r.pairs[f"good {i} on wells"].status for i in (4, 5)] == ["done"]*2 and len(r.boards.wells.leaderboard) == 2


@pytest.mark.full
def test_processes_give_what_one_gives(place):
    many, one = go(place, jobs=2, out=place / "many"), go(place, out=place / "one")
    for r in many.pairs.values():
        assert (place / "many" / r.run / "results.json").read_bytes(
            ) == (place / "one" / r.run / "results.json").read_bytes()
    bare = lambda r: to_json(Result(x=r.boards))
    assert bare(many) == bare(one)


@pytest.mark.full
def test_a_cluster(place):
    distributed = pytest.importorskip("distributed")
    from joblib import parallel_config
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True,
                                  dashboard_address=None) as cluster, distributed.Client(cluster):
        with parallel_config(backend="dask"): r = go(place, jobs=None)
        c = command(place, "--report", "none", "--dask", cluster.scheduler_address)
    assert r.counts.done == 2 and c.exit_code == 0 and "2 of 2 pairs ran" in c.stderr
    assert to_json(Result(x=r.boards)) == to_json(Result(x=go(place, out=place / "here").boards))


@pytest.mark.full
def test_control_c_and_the_same_command_again(place):
    slow = place / "slow.ipynb"
    v4 = nbformat.v4
    nbformat.write(v4.new_notebook(cells=[v4.new_markdown_cell("# Slow"),
                                          v4.new_code_cell('run = ""', metadata=dict(tags=["parameters"])),
                                          v4.new_code_cell(
                                              "import time\ntime.sleep(300 if 'old-' in __import__('os').getcwd() "
                                              "else 0)")]), slow)
    p = subprocess.Popen([sys.executable, "-c", "from mic_eval.cli.app import app; app()", "sweep", "models.yaml",
                          "data.yaml", "--report", str(slow), "--jobs", "2", "--out", "runs"], cwd=place,
                         start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         # a background job may have it ignored
                         preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    until = time.time() + 120
    while time.time() < until and not list((place / "runs").glob("*/*/*/slow.html")): time.sleep(.5)
    os.killpg(p.pid, signal.SIGINT)
    out, err = p.communicate(timeout=60)
    assert p.returncode == 130 and "the same command goes on from there" in err.strip().splitlines()[-1], err
    r = from_json(place / "runs" / "sweep.json")
    # on a busy machine the second may be done before it hears
    assert r.counts["not run"] + r.counts.failed + r.counts.done == 2 and r.counts.done >= 1
    assert go(place).counts.done == 2


# --- command and page

@pytest.mark.later
def test_command(place):
    r = command(place, "--report", "none", "--on", "roc_auc", "--seed", 3)
    assert r.exit_code == 0
    assert r.stdout.strip() == str(place / "runs" / "sweep.html") and "1/2 new on Bern: " in r.stderr
    d = json.loads((place / "runs" / "sweep.json").read_text())
    assert d["schema"] and d["settings"]["on"] == "roc_auc" and d["settings"]["seed"] == 3
    assert command(place, "--report", "none", "--strict").exit_code == 1


@pytest.mark.parametrize("args, words", [(["--report", "tecnical"], "did you mean 'technical'"),
                                         (["--profile", "mic-clinicl"], "did you mean 'mic-clinical'"),
                                         (["--on", "f1"], "on must be"),
                                         (["--memory", ".01"], "more than the budget"), (["--jobs", "0"], "jobs")])
def test_command_errors(place, args, words):
    r = command(place, *args)
    assert r.exit_code == 2 and r.stdout == "" and r.stderr.count(
        "\n") == 1 and words in r.stderr and not (place / "runs").exists(), r.stderr


@pytest.mark.later
def test_hostile_names(place):
    models = [dict(name=HOSTILE + n, predictions=str(place / f"{n} Bern.parquet")) for n in ("new", "old")]
    r = sweep(models, [dict(name="=cmd()" + HOSTILE)], report=None, jobs=1, by=(), save=save_sweep, out=place / "runs")
    assert r.counts.done == 2 and HOSTILE not in sweep_page(r)
    assert (place / "runs" / "leaderboard.csv").read_text().splitlines()[1].startswith("'=cmd()")


@pytest.mark.later
def test_passing_everything(place):
    (place / "easy.yml").write_text("criteria:\n  - {metric: accuracy, limit: 0.1, direction: min}\n")
    assert command(place, "--report", "none", "--strict", "--profile", place / "easy.yml").exit_code == 0
    assert row_line(from_json(place / "runs" / "sweep.json").pairs["new on Bern"]).startswith("pass, Accuracy 100.0")
