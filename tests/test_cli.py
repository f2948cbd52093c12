"What happens at the door: exit codes, one-line errors that name the culprit, nothing lost."
import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from typer.testing import CliRunner

from mic_eval.cli.app import app
from every import every

MODELS = '''
import os, time
import numpy as np
darkness = lambda x: 1 - x.mean((1, 2, 3))
def model(x): return np.clip(darkness(x), 0, 1)
def nan(x): return np.where(np.arange(len(x)) == 1, np.nan, .5)
def shape(x): return np.zeros((len(x) + 1,))
calls = []
def seventh(x):
    calls.append(1)
    if len(calls) == 8: raise RuntimeError("out of luck")
    return model(x)
def slow(x):
    time.sleep(.15)
    return model(x)
'''


def mic_eval(*args): return CliRunner().invoke(app, [str(a) for a in args])


def error(*args):
    "The one line of a refused command"
    r = mic_eval(*args)
    assert r.exit_code == 2, (r.exit_code, r.output, r.exception)
    lines = [o for o in r.stderr.splitlines() if o.startswith("error: ")]
    assert len(lines) == 1 and r.stderr.rstrip().endswith(lines[0]) and "Traceback" not in r.output, r.stderr
    assert r.stdout == ""
    return lines[0]


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder to work in, with a module of models and a folder of wells: two plates, one drug in five dilutions, a
    control"""
    monkeypatch.chdir(tmp_path)
    Path("door_models.py").write_text(MODELS)
    sys.modules.pop("door_models", None)
    (tmp_path / "wells" / "images").mkdir(parents=True)
    rows = []
    for p in range(2):
        for k in range(6):
            grew, c = int(k < 3), "" if k == 0 else 2.0 ** (k - 3)
            rows.append(dict(sample_id=f"P{p}-{k}", path=f"images/P{p}-{k}.png", plate=f"P{p}",
                             series="" if k == 0 else f"P{p}-CIP", drug="" if k == 0 else "CIP",
                             role="control" if k == 0 else "test", concentration=c, growth=grew,
                             expert_mic="" if k == 0 else "1", split="tune" if p == 0 else "test"))
            Image.fromarray(np.full((8, 8), 60 + p if grew else 200 - p,
                                    np.uint8)).save(tmp_path / "wells" / rows[-1]["path"])
    write(rows)
    return tmp_path


def write(rows, path="wells/manifest.csv"):
    with open(path, "w", newline="") as f:
        out = csv.DictWriter(f, rows[0])
        out.writeheader()
        out.writerows(rows)


def manifest(): return list(csv.DictReader(open("wells/manifest.csv")))


def change(row, **values):
    rows = manifest()
    rows[row] |= values
    write(rows)


RUN = "run", "--data", "wells", "--report", "none", "--batch-size", "1", "--model"


def test_a_run_leaves_its_files_and_says_where(here):
    r = mic_eval(*RUN, "door_models:model", "--model-version", "1", "--profile", "mic-clinical")
    assert r.exit_code == 0, r.output
    folder = Path(r.stdout.strip())
    assert sorted(p.name for p in folder.iterdir()) == ["predictions.parquet", "results.json", "run.json"]
    assert (folder.parent / "latest").read_text().strip() == folder.name
    assert Path("runs/latest").read_text().strip() == folder.relative_to("runs").as_posix()
    d = json.loads((folder / "results.json").read_text())
    assert d["wells"]["overall"]["accuracy"]["value"] == 1 and d["mics"]["overall"]["exact"]["numerator"] == 2
    about = json.loads((folder / "run.json").read_text())
    assert about["data"]["folder"] == "../../../../wells"
    assert about["environment"]["packages"]["numpy"] == np.__version__ and about["predictions"] == "computed"


@pytest.mark.later
def test_strict_is_4_where_nothing_can_be_decided(here):
    easy = "title: easy\ncriteria:\n  - {metric: accuracy, direction: min, limit: 0.5, on: value}\n"
    Path("easy.yml").write_text(easy)
    assert mic_eval(*RUN, "door_models:model", "--profile", "easy.yml", "--strict").exit_code == 0
    r = mic_eval(*RUN, "door_models:model", "--profile", "mic-clinical", "--strict")
    assert r.exit_code == 4 and "INSUFFICIENT N" in r.stderr
    assert mic_eval(*RUN, "door_models:model", "--profile", "mic-clinical").exit_code == 0


@every("args, said", [
    (("--report", "tecnical"), "no report 'tecnical'; did you mean 'technical'?"),
    (("--report", "technical", "-p", "sed=3"), "report 'technical' has no parameter 'sed'; did you mean 'seed'?"),
    (("--profile", "mic-clinicl"), "no profile 'mic-clinicl'; did you mean 'mic-clinical'?"),
    (("--split", "tets"), "no rows of split 'tets'"),
    (("--threshold", "1.5"), "threshold must lie between 0 and 1: 1.5"),
    (("--threshold", ".5", "--tune-on", "tune"), "not both"),
    (("--tune-on", "tune", "--split", "tune"), "not judged on the wells it was chosen on"),
    (("--tune-on", "tun"), "no rows of split 'tun'"),
    (("--trehsold", ".5"), "No such option"),
    (("--seed", "x"), "--seed"),
    (("--predictions", "theirs.csv"), "a file of predictions asks none"),
    (("--by", "plate,drgu"), "by: no column 'drgu'; did you mean 'drug'?"),
])
def test_unknown_names_and_contradictions(here, args, said):
    assert said in error(*RUN, "door_models:model", *args)
    assert not Path("runs").exists(), "refused before anything was made"


@pytest.mark.parametrize("model, said", [
    ("wellnett", "no model 'wellnett'"),
    ("door_models:modle", "has no 'modle'"),
    ("no_such_package:model", "cannot be imported"),
    ("net.pt2", "no model file net.pt2"),
])
def test_unknown_models(here, model, said): assert said in error(*RUN, model)


@every("edit, said", [
    (lambda: write([{k: v for k, v in r.items() if k != "path"} for r in manifest()]),
     "lacks the required column 'path'"),
    (lambda: change(3, path="images/gone.png"), "images/gone.png"),
    (lambda: change(3, path="../../secret.png"), "outside"),
    (lambda: change(3, growth="yes"), "growth must be 1, 0 or empty, but is 'yes' in line 5"),
    (lambda: change(3, sample_id="P0-2"), "must be unique, but repeats in lines 4, 5"),
    (lambda: Path("wells/manifest.csv").write_text("sample_id,path,growth\n"), "no wells"),
    (lambda: Path("wells/images/P0-3.png").write_bytes(b"\x89PNG\r\n\x1a\nbroken"), "P0-3.png"),
    (lambda: Path("wells/manifest.csv").unlink(), "no manifest.csv"),
])
def test_bad_data(here, edit, said):
    kept = {p: p.read_bytes() for p in map(Path, ("wells/manifest.csv", "wells/images/P0-3.png"))}
    edit()
    try: assert said in error(*RUN, "door_models:model")
    finally:
        for p, before in kept.items(): p.write_bytes(before)


@pytest.mark.parametrize("model, said", [("nan", "batch 0"), ("shape", "shape (4,) for 3 wells")])
def test_bad_answers_name_batch_and_wells(here, model, said):
    assert said in error("run", "--data", "wells", "--report", "none", "--batch-size", "3", "--model",
                         f"door_models:{model}")


def test_a_picture_cut_short_is_named_and_what_was_done_is_kept(here):
    rng = np.random.default_rng(0)
    Image.fromarray(rng.integers(0, 255, (8, 8), np.uint8)).save("wells/images/P1-3.png")
    whole = Path("wells/images/P1-3.png").read_bytes()
    Path("wells/images/P1-3.png").write_bytes(whole[:len(whole)//2 + 10])
    said = error(*RUN, "door_models:model", "--model-version", "1")
    assert "P1-3.png" in said and "broken" in said
    assert len(list(Path("runs").rglob("*.npz"))) in (0, 9)


def test_a_model_that_raises_on_batch_7_keeps_the_first_seven(here):
    args = (*RUN, "door_models:seventh", "--model-version", "1")
    said = error(*args)
    assert "batch 7 (P1-1" in said and "out of luck" in said and "7 of 12 wells are done and kept" in said
    kept = list(Path("runs").rglob("*.npz"))
    assert len(kept) == 7
    r = mic_eval(*args)   # the module lives on, so the eighth call is behind it
    assert r.exit_code == 0 and "finished batches are kept" in r.stderr
    assert sys.modules[
        "door_models"].calls == [1]*14, "eight calls before, one to see whether it still answers alike, five after"
    assert not list(Path("runs").rglob("*.npz"))


def test_one_class_is_nan_with_a_reason_and_no_error(here):
    write([r | dict(growth="0") for r in manifest()])
    r = mic_eval(*RUN, "door_models:model", "--profile", "mic-clinical")
    assert r.exit_code == 0
    overall = json.loads((Path(r.stdout.strip()) / "results.json").read_text())["wells"]["overall"]
    assert overall["sensitivity"]["value"] is None
    assert overall["sensitivity"]["reason"] == "no positives" and overall["specificity"]["denominator"] == 12


def test_unlabelled_data_are_predicted_and_not_judged(here):
    write([r | dict(growth="") for r in manifest()])
    r = mic_eval(*RUN, "door_models:model", "--profile", "mic-clinical")
    d = json.loads((Path(r.stdout.strip()) / "results.json").read_text())
    assert r.exit_code == 0
    assert d["wells"] == dict(type="not applicable", reason=dict(code="no labelled rows"))
    assert d["mics"]["overall"]["exact"]["numerator"] == 2


def test_unwritable_folder(here):
    Path("file").write_text("")
    assert "file/runs" in error(*RUN, "door_models:model", "--out", "file/runs")
    assert "file/runs" in error("demo", "--plates", "1", "--out", "file/runs")


PREDICTIONS = pd.DataFrame(dict(sample_id=["a", "b", "c", "d"], growth=[0, 1, 0, 1], y_prob=[.1, .8, .3, .9]))


@every("table, said", [
    (PREDICTIONS.drop(columns="y_prob"), "no predictions: needs one of y_prob"),
    (PREDICTIONS.drop(columns="growth"), "no column 'y_true'"),
    (PREDICTIONS.assign(growth=[0, 1, 0, 3]), "it is 3 in row 5"),
    (PREDICTIONS.assign(y_prob=[.1, 1.8, .3, .9]), "does not in row 3"),
    (PREDICTIONS.assign(y_prob=[.1, np.nan, .3, .9]), "nan or infinite in row 3"),
    (PREDICTIONS.assign(sample_id=["a", "a", "c", "d"]), "more than once"),
    (PREDICTIONS[:0], "no rows"),
])
def test_bad_predictions(here, table, said):
    table.to_csv("theirs.csv", index=False)
    text = error("run", "--predictions", "theirs.csv", "--report", "none")
    assert said in text and "theirs.csv" in text
    assert mic_eval("check", "theirs.csv").exit_code == 2


def test_missing_files_and_nothing_at_all(here):
    assert "theirs.csv" in error("run", "--predictions", "theirs.csv")
    assert "nothing to judge" in error("run")
    assert "data (--data) is missing" in error("run", "--model", "wellnet")
    assert "no folder nowhere" in error("run", "--model", "door_models:model", "--data", "nowhere")
    assert "no file or folder nowhere" in error("check", "nowhere")


def test_check_and_list(here):
    r = mic_eval("check", "wells")
    assert r.exit_code == 0 and "12 wells" in r.stdout and "MIC agreement" in r.stdout
    change(0, growth="maybe")
    assert mic_eval("check", "wells").exit_code == 2
    said = mic_eval("list").stdout
    for name in "wellnet", "technical", "mic-release", "mic-clinical", "wells", "mics": assert name in said


def test_version_and_the_bare_command():
    import mic_eval as house
    assert mic_eval("--version").stdout.strip() == house.__version__
    r = mic_eval()
    assert r.exit_code == 2 and "error:" not in r.output
    assert "a photograph of a plate" in r.stdout and "mic-eval check" in r.stdout   # what a person has, not 20 commands
    assert "一张微孔板照片" in mic_eval("--lang", "zh").stdout


def command(*args, **kw): return [sys.executable, "-c", "from mic_eval.cli.app import app; app()", *map(str, args)]


@pytest.mark.later
@pytest.mark.parametrize("typed, offered", [("ga", "gate"), ("gate --ju", "--junit"), ("anomaly --layo", "--layout")])
def test_tab_completes_commands_and_their_options(typed, offered):
    words = f"mic-eval {typed}"
    env = dict(os.environ, _MIC_EVAL_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=str(typed.count(" ") + 1))
    program = "import sys; sys.argv = ['mic-eval']; from mic_eval.cli.app import app; app()"
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True)
    assert (done.returncode, done.stdout.split()) == (0, [offered])

@pytest.mark.full   # five processes, each with a network
def test_killed_in_mid_run_it_goes_on_to_the_same_bytes(here):
    args = ("run", "--data", "wells", "--report", "none", "--batch-size", "1", "--model", "door_models:slow",
            "--model-version", "1", "--profile", "mic-clinical", "--out")
    for done in 2, 6:
        p = subprocess.Popen(command(*args, "killed"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.time() + 30
        while len(list(Path("killed").rglob("*.npz"))) < done and time.time() < end and p.poll() is None:
            time.sleep(.02)
        p.send_signal(signal.SIGKILL)
        p.wait()
        assert len(list(Path("killed").rglob("*.npz"))) >= done
        assert not list(Path("killed").rglob("predictions.parquet"))
    for out in "killed", "clean": subprocess.run(command(*args, out), check=True, capture_output=True)
    a, b = (next(Path(out).rglob("results.json")).parent for out in ("killed", "clean"))
    for name in "predictions.parquet", "results.json": assert (a / name).read_bytes() == (b / name).read_bytes()
    assert a.name == b.name


@pytest.mark.later
def test_ctrl_c_says_that_nothing_is_lost(here):
    heard = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)   # a background job may have it ignored
    p = subprocess.Popen(command(*RUN, "door_models:slow", "--model-version", "1"), stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True, preexec_fn=heard)
    end = time.time() + 30
    while not list(Path("runs").rglob("*.npz")) and time.time() < end and p.poll() is None: time.sleep(.02)
    p.send_signal(signal.SIGINT)
    out, err = p.communicate()
    assert p.returncode == 130
    assert out == ""
    assert err.splitlines()[-1] == "error: stopped; what was computed is kept, and the same command goes on from there"


@pytest.mark.later
def test_a_file_of_predictions_and_its_report_are_light(here):
    "Each of these would cost more than the six figures of the page"
    PREDICTIONS.to_csv("theirs.csv", index=False)
    code = ("import sys; from mic_eval.cli.app import app\ntry: app(['run', '--predictions', 'theirs.csv'])\nfinally: "
            "print(*{'torch', 'sklearn', 'seaborn', 'scipy.stats', 'scipy.spatial'} & set(sys.modules), sep=',')")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                          env=os.environ | dict(MPLBACKEND="agg"))
    assert done.stdout.splitlines()[0].endswith("technical.html") and done.stdout.splitlines()[-1] == ""


def test_help_is_light():
    code = ("import sys; from mic_eval.cli.app import app\ntry: app(['--help'])\nfinally: print(*{'numpy', 'pandas', "
            "'torch', 'sklearn', 'scipy', 'matplotlib', 'papermill', 'nbconvert', 'rich.markdown', 'pygments'} "
            "& set(sys.modules), sep=',')")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "Is this model good enough" in done.stdout and done.stdout.splitlines()[-1] == ""


# --- fields from outside

HOSPITAL = """
from mic_eval.core.fields import Field
FIELD = Field("hospital", "Wards of a hospital", commands=dict(wards=("wards:count", "Count the wards")))
"""


@pytest.fixture
def hospital(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("MIC_EVAL_WITH", "")
    (tmp_path / "hospital_field.py").write_text(HOSPITAL)
    (tmp_path / "wards.py").write_text("def count(n:int=3):\n    print('wards', n)\n")
    import importlib
    fields = importlib.import_module("mic_eval.core.fields")
    before = dict(fields._REGISTERED), list(fields._EXTRA)
    yield tmp_path
    fields._REGISTERED.clear(); fields._REGISTERED.update(before[0]); fields._EXTRA[:] = before[1]


@pytest.mark.parametrize("args", [("--with", "hospital_field", "wards", "--n", "5"),
                                  ("wards", "--n", "5", "--with=hospital_field")])
def test_a_field_of_a_stranger_brings_its_commands(hospital, args):
    r = mic_eval(*args)
    assert (r.exit_code, r.stdout) == (0, "wards 5\n")
    assert "Count the wards" in mic_eval("--with", "hospital_field", "--help").stdout
    assert "hospital" in mic_eval("list").stdout


def test_with_a_module_that_cannot_be_imported(hospital):
    assert "--with no_such: ModuleNotFoundError" in error("list", "--with", "no_such")
    assert "No such command 'wards'" in error("wards")


@every("args", [("-h",), ("run", "-h"), ("runs", "-h"), ("runs", "list", "-h"),
                ("plan", "rate", "-h"), ("gate", "--help")])
def test_help_is_short_or_long(args):
    r = mic_eval(*args)
    assert r.exit_code == 0 and "Usage: " in r.stdout and not re.search("<[a-z]", r.stdout)   # no type of Python


def test_the_module_is_the_program(tmp_path):
    done = subprocess.run([sys.executable, "-m", "mic_eval", "--version"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.strip()


# --- a table as somebody wrote it

FOREIGN = "patient;truth;p_no;p_yes\n007;no;0,8;0,2\n008;yes;0,1;0,9\n009;no;0,6;0,4\n010;yes;0,3;0,7\n"


def test_columns_are_named_on_the_command_line(here):
    Path("three.csv").write_text(FOREIGN)
    args = ("--y-true", "truth", "--y-score", "p_no,p_yes", "--kind", "prob", "--classes", "no,yes",
            "--sample-id", "patient")
    r = mic_eval("run", "--predictions", "three.csv", *args, "--report", "none")
    assert r.exit_code == 0, r.stderr
    from mic_eval.run.store import open_run
    run = open_run(r.stdout.strip())
    assert list(run.predictions.sample_id) == ["007", "008", "009", "010"] and run.predictions.classes == ("no", "yes")
    assert run.field.name == "classification"
    other = mic_eval("run", "--predictions", "three.csv", *args, "--positive", "no", "--report", "none")
    assert other.exit_code == 0 and open_run(other.stdout.strip()).predictions.classes == ("yes", "no")


def test_columns_without_a_file(here):
    assert "--y-true is about a file of predictions" in error(*RUN, "door_models:model", "--y-true", "truth")


def test_columns_shows_what_was_understood(here):
    Path("three.csv").write_text(FOREIGN)
    r = mic_eval("columns", "three.csv")
    assert r.exit_code == 0 and "007, 008" in r.stdout and "numbers" in r.stdout and "semicolons" in r.stdout
    assert "no file" in error("columns", "nowhere.csv")


@pytest.mark.later
def test_fresh_computes_anew(here):
    args = (*RUN, "door_models:model", "--model-version", "1", "--profile", "mic-clinical")
    assert mic_eval(*args).exit_code == 0
    sys.modules["door_models"].model = lambda x: np.zeros(len(x)) + .25
    r = mic_eval(*args, "--fresh")
    assert r.exit_code == 0, r.stderr
    from mic_eval.run.store import open_run
    assert np.allclose(open_run(r.stdout.strip()).predictions.positive, .25)


def test_processes_that_are_started_know_the_fields_too(hospital):
    code = "from mic_eval.core.fields import field_named; print(field_named('hospital').title)"
    env = os.environ | dict(MIC_EVAL_WITH="hospital_field",
                            PYTHONPATH=os.pathsep.join([str(hospital), *filter(None, sys.path)]))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env)
    assert done.stdout.strip() == "Wards of a hospital", done.stderr


@pytest.mark.later
def test_fifteen_words_and_the_old_ones():
    "What is listed; an old word is in no list, answers its help, and says as little as ever about bad input"
    import typer.main
    from mic_eval.cli.app import OLD_WORDS
    root = typer.main.get_command(app)
    words = root.list_commands(root.context_class(root))
    assert set(words) == set("run check list plan sweep gate compare report runs watch desk "
                             "mic anomaly domain noise tcm trust".split())
    for old, new in OLD_WORDS.items():
        assert old not in words
        done = CliRunner().invoke(app, [old, "--help"])
        assert done.exit_code == 0, (old, done.output)
        if isinstance(new, str): assert CliRunner().invoke(app, [*new.split(), "--help"]).exit_code == 0
        refused = CliRunner().invoke(app, [old, "--nonsense"])
        assert refused.exit_code == 2 and refused.stderr.count("\n") == 1
    for words in (["domain", "gone.csv", "--site", "s", "--target", "t"], ["noise", "gone.yml"]):
        refused = CliRunner().invoke(app, words)
        assert refused.exit_code == 2 and "gone" in refused.stderr
