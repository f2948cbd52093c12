"""Every option of every command is used, refused by name, or stands in its command's table with a reason"""
import ast
import hashlib
import inspect
import itertools
import json
import re
import shutil
import socket
import sys
import textwrap
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pandas as pd
import pytest
import typer
from PIL import Image
from typer.testing import CliRunner

from mic_eval.cli.app import app, field_commands, field_program
from mic_eval.cli.options import option_typed, refuse_idle


def leaves():
    "`mic-eval` commands that are run by themselves: words -> Click command"
    programs = {c.name: c.callback.program() for c in app.registered_commands}
    programs |= {word: field_program(word, field_commands(), False) for word in field_commands() if " " not in word}
    found = {}

    def walk(words, command):
        if hasattr(command.callback, "program"): command = command.callback.program()
        below = getattr(command, "commands", {})
        if not below and command.callback is not None: found[words] = command
        for name, one in below.items(): walk(f"{words} {name}", one)
    for word, command in programs.items(): walk(word, command)
    return found


LEAVES = leaves()


def own(command): return inspect.unwrap(command.callback)


def test_every_command_says_which_options_do_nothing():
    assert len(LEAVES) > 25, sorted(LEAVES)
    bare = [words for words, command in LEAVES.items() if not hasattr(command.callback, "idle")]
    assert not bare
    for words, command in LEAVES.items():
        known = set(inspect.signature(own(command)).parameters)
        for row in command.callback.idle:
            assert set(row.names) <= known, (words, row)
            assert bool(row.why) != bool(row.without or row.beside), (words, row)
            about = re.split(r"[ +]", f"{row.without} {row.beside}".strip())
            assert row.why or {o.partition("=")[0] for o in about if o} <= known, (words, row)


def test_every_parameter_of_a_command_is_read_by_it():
    for words, command in LEAVES.items():
        body = ast.parse(textwrap.dedent(inspect.getsource(own(command)))).body[0]
        read = {n.id for n in ast.walk(body) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        unread = set(inspect.signature(own(command)).parameters) - read
        assert not unread or "locals" in read, (words, unread)


def other(p):
    "A value that is not a parameter's own"
    return (not p.default) if isinstance(p.default, bool) else "x"


def test_what_does_nothing_is_refused_by_its_name():
    "Each row of each table, typed"
    count = 0
    for words, command in LEAVES.items():
        function, rows = own(command), command.callback.idle
        parameters = inspect.signature(function).parameters
        for row in (r for r in rows if not r.why):
            for name in row.names:
                given = {name: other(parameters[name])}
                for condition in row.beside.split()[:1]:
                    for part in condition.split("+"):
                        key, _, value = part.partition("=")
                        given[key] = value or other(parameters[key])
                with pytest.raises(ValueError) as e: refuse_idle(function, given, rows)
                assert option_typed(function, name) in str(e.value), (words, row)
                count += 1
    assert count > 25


runner, VOLATILE = CliRunner(), {"settings", "about", "seconds", "created", "time", "binding", "draw"}


def plain(value):
    "What a file of results says, without what was asked and when"
    if isinstance(value, dict): return {k: plain(v) for k, v in value.items() if k not in VOLATILE}
    return [plain(v) for v in value] if isinstance(value, list) else value


def came_out(place, line):
    "`(exit code, what was said, files)` of a command"
    shutil.rmtree(place / "OUT", ignore_errors=True)
    (place / "OUT").mkdir()
    done = runner.invoke(app, line)
    files = {}
    for f in sorted((place / "OUT").rglob("*")):
        if not f.is_file() or f.name in ("run.json", "predictions.parquet"): continue
        name = re.sub(r"[0-9a-f]{8,}|\d{8}-\d{6}", "H", str(f.relative_to(place / "OUT")))
        text = f.read_text("utf-8") if f.suffix in (".json", ".csv", ".md", ".jsonl", ".tex") else ""
        if f.suffix == ".csv" and ",seconds," in text:
            text = pd.read_csv(f, dtype=str).drop(columns=["seconds", "run"], errors="ignore").to_csv(index=False)
        if f.suffix == ".jsonl": text = re.sub(r'"(seconds|first)": [\d.]+, ', "", text)
        try: text = json.dumps(plain(json.loads(text)), sort_keys=True) if f.suffix == ".json" else text
        except ValueError: pass
        if f.name == "gate.json":   # when, and a chain over it
            text = re.sub(r"[0-9a-f]{40,}|\d{4}-\d\d-\d\dT[\d:]+", "H", text)
        files[name] = text
    said = done.output + ("" if done.exception is None or done.exit_code in (0, 1, 4) else str(done.exception))
    return done.exit_code, re.sub(r"OUT\S*|[0-9a-f]{10,}|\d+(\.\d+)? s\b|mic-eval .*", "", said), files


def tables(place):
    "What the commands are tried on"
    rng, n = np.random.default_rng(0), 60
    y = np.array(["no", "yes"])[rng.integers(0, 2, n)]
    p = np.clip(np.where(y == "yes", .7, .3)+rng.normal(0, .25, n), .01, .99).round(3)
    t = pd.DataFrame(dict(sample_id=[f"s{i}" for i in range(n)], y_true=y, y_prob=p, split=["a", "b"]*30,
                          site=["N", "S", "W"]*20))
    t.to_csv(place / "p.csv", index=False)
    t.assign(y_prob=p[::-1]).to_csv(place / "p2.csv", index=False)
    t.assign(gold=y[::-1], other=p[::-1], y_pred=np.where(p > .6, "yes", "no"),
             key=[f"k{i}" for i in range(n)]).to_csv(place / "q.csv", index=False)
    t.assign(y_pred=np.where(p > .6, "yes", "no")).drop(columns="y_prob").to_csv(place / "calls.csv", index=False)
    mg = 2.**rng.integers(-2, 5, n)
    pairs = pd.DataFrame(dict(isolate=[f"i{i}" for i in range(n)], drug=["MEM", "CIP"]*30, two=mg*2, third=mg,
                              organism=["E. coli"]*40 + ["K. pneumoniae"]*20, ref=mg, site=["N", "S"]*30,
                              test=mg*2.**rng.choice([-2, -1, 0, 0, 1], n), twin=[f"j{i//2}" for i in range(n)]))
    pairs.to_csv(place / "pairs.csv", index=False)
    signs = pairs.astype(dict(ref=object, test=object))
    signs.loc[:9, ["ref", "test"]] = "<=0.25", "<=1"
    signs.loc[20, "test"] = "??"
    signs.to_csv(place / "signs.csv", index=False)
    category = np.array(["S", "I", "R"])[rng.integers(0, 3, n)]
    pairs.assign(ref=category, test=category[::-1]).to_csv(place / "categories.csv", index=False)
    pd.DataFrame(dict(drug=["MEM", "CIP"], S=[2, .25], R=[8, .5])).to_csv(place / "points.csv", index=False)
    pd.DataFrame(dict(drug=["MEM", "CIP"], low=[.01, .01], high=[64, 64])).to_csv(place / "panel.csv", index=False)
    pd.DataFrame(dict(strain="ATCC 25922", drug=["MEM", "CIP"]*2, mic=[.03, .008]*2)).to_csv(place / "qc.csv",
                                                                                             index=False)
    pd.DataFrame(dict(strain="ATCC 25922", drug=["MEM", "CIP"], low=[.1, .1], high=[.2, .2])).to_csv(
        place / "ranges.csv", index=False)
    sick = pd.DataFrame(dict(hospital=np.repeat(["N", "S"], 30), a=rng.normal(0, 1, 60), b=rng.normal(0, 1, 60),
                             person=[f"p{i//2}" for i in range(60)], row=range(60)))
    sick["ill"] = ((sick.a+rng.normal(0, .5, 60)) > 0).astype(int)
    sick.to_csv(place / "sick.csv", index=False)
    items = [dict(id=i, question=f"q{i}?", options=["a", "b", "c"], answer="ABC"[i % 3]) for i in range(12)]
    (place / "items.jsonl").write_text("\n".join(map(json.dumps, items)))
    said = [dict(id=i, model=m, response="ABC"[(i*k) % 3]) for m, k in (("m1", 1), ("m2", 2)) for i in range(12)]
    (place / "answers.jsonl").write_text("\n".join(map(json.dumps, said)))
    (place / "fixed.csv").write_text("id,value\n1,A\n")
    out = ["--out", "RUNS"]
    for name in ("p", "p2"):
        made = runner.invoke(app, ["run", "--predictions", f"{name}.csv", "--report", "none", *out])
        assert made.exit_code == 0, made.output
        shutil.move(made.stdout.strip().splitlines()[-1], place / f"run_{name}")


SHADES = """import torch
class Net(torch.nn.Module):
    def __init__(self, k=40.):
        super().__init__()
        self.line = torch.nn.Linear(64, 2)
        with torch.no_grad():
            self.line.weight.copy_(torch.tensor([-k, k])[:, None].expand(2, 64)/64)
            self.line.bias.copy_(torch.tensor([k/2, -k/2]))
    def forward(self, x): return self.line(x.flatten(1))
net, other = Net(), Net(8.)
"""


class Said(BaseHTTPRequestHandler):
    "A server whose answer depends on everything that it was asked"
    def do_POST(self):
        asked = self.rfile.read(int(self.headers["Content-Length"]))
        mark = hashlib.sha1(asked).hexdigest()
        said = dict(message=dict(content=f"{'ABC'[int(mark, 16) % 3]} {mark[:6]}"), finish_reason="stop")
        body = json.dumps(dict(choices=[said])).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *about): pass


def more_things(place):
    "Pictures in class folders with masks, a network of them, other questions, a server, two models for a sweep"
    rng = np.random.default_rng(0)
    for split, (name, grey) in itertools.product(("train", "test"), dict(ash=60, oak=190).items()):
        for i in range(4):
            at = place / "leaves" / split / name / f"{i}.png"
            at.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray((grey+rng.integers(0, 30, (8, 8))).astype(np.uint8)).save(at)
            mask = place / "masks" / split / name / f"{i}.png"
            mask.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(np.pad(np.full((4, 4), 255, np.uint8), 2)).save(mask)
    (place / "shades.py").write_text(SHADES)
    pd.DataFrame(dict(sample_id=[f"s{i}" for i in range(5)], label=["no"]*5)).to_csv(place / "again.csv", index=False)
    other = [dict(id=f"x{i}", question=f"other {i}?", options=["a", "b"], answer="A") for i in range(3)]
    (place / "others.jsonl").write_text("\n".join(map(json.dumps, other)))
    people = {k: [("no", "yes")[(i*7+j) % 5 < 2] for i in range(12)] for j, k in enumerate("abcd")}
    people |= dict(truth=["yes", "no"]+[""]*10, plate=[f"p{i//3}" for i in range(12)])
    pd.DataFrame(people).to_csv(place / "three.csv", index=False)
    from test_map_layouts import looked_at
    seen = looked_at(place/"looked/data", place/"looked/maps")
    seen = seen.assign(part=[f"p{i//2}" for i in range(12)], colour=[f"c{i % 3}" for i in range(12)])
    seen.to_csv(place/"looked/data/manifest.csv", index=False)
    (place / "models.yaml").write_text("- {name: one, predictions: p.csv}\n- {name: two, predictions: p2.csv}\n")
    (place / "data.yaml").write_text("- {name: here}\n")
    (place / "prices.yml").write_text("models:\n- {names: [m], input: 1, output: 2}\n")
    server = ThreadingHTTPServer(("127.0.0.1", PORT), Said)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


PORT = free_port()
TRUST = "--model shades:net --data leaves --split test --kind logit --wells 4 --out OUT"
FILE = "run --predictions {} --report none --out OUT".format
PAIRS = "mic pairs {} --reference ref --test test --report none --out OUT".format
SCORE = "tcm score items.jsonl answers.jsonl --report none --out OUT"
CARRY = ("domain carry sick.csv --site hospital --target ill --report none --labels 5 --methods CORAL --out OUT "
         "--drop person")
TRIED = {   # command as typed -> options that are added, one at a time; `!` before those that must be refused
    FILE("p.csv"): ["--field mic", "--classes yes,no", "--positive no", "--lang zh", "--suite smoke", "--by site",
                    "--layers basic", "--profile classification-screen", "--split a", "--threshold .6", "--tune-on a",
                    "--fitted p.csv",
                    "--strict", "!--breakpoints points.csv", "!--size 9", "!--device cpu", "!--kind score"],
    FILE("p.csv") + " --field mic": ["!--breakpoints points.csv"],
    FILE("q.csv") + " --y-true y_true": ["--y-score other --kind prob", "--y-pred none", "--sample-id key",
                                         "--y-true gold"],
    FILE("calls.csv"): ["--positive no", "--classes yes,no", "!--kind prob", "!--threshold .6", "!--tune-on a"],
    PAIRS("pairs.csv"): ["--by site", "--breakpoints points.csv", "--profile none", "--groups twin",
                         "--qc qc.csv", "--second two", "--readers two,third", "--isolate twin",
                         "--arbitration third", "--drug none", "--organism none", "--unit ng/mL", "--lang zh",
                         "--strict", "!--skip-bad", "!--expected exclude", "!--qc-ranges ranges.csv",
                         "!--denominator all"],
    PAIRS("pairs.csv") + " --breakpoints points.csv": ["--denominator all"],
    PAIRS("pairs.csv") + " --isolate twin": ["--groups none"],
    PAIRS("signs.csv") + " --coerce": ["--policy strict", "--policy exclude", "--panel panel.csv"],
    PAIRS("pairs.csv") + " --qc qc.csv": ["--qc-ranges ranges.csv"],
    PAIRS("categories.csv"): ["--denominator all", "!--breakpoints points.csv", "!--policy strict", "!--coerce",
                              "!--panel panel.csv", "!--unit ng/mL", "!--expected exclude"],
    SCORE: ["--corrections fixed.csv", "--profile none", "--sheet sheet.csv", "--readings readings.csv",
            "--lang zh", "!--rubric x", "!--people fixed.csv", "!--judge-key-env X"],
    CARRY: ["--patient person", "--labels 8"],
    "compare run_p run_p2 --report none --out OUT": ["--margin .2", "--on sensitivity", "--groups site", "--lang zh"],
    "compare run_p2 run_p --report none --out OUT": ["--strict"],
    "gate run_p --report none --out OUT": ["--baseline run_p2", "--profile classification-screen", "--strict",
                                           "--save-golden OUT/golden.json", "--junit OUT/j.xml", "--lang zh",
                                           "!--margin .2", "!--repeats 5", "!--recheck 3", "!--device cpu",
                                           "!--trust", "!--timeout 5", "!--breakpoints points.csv"],
    "gate run_p --baseline run_p2 --report none --out OUT": ["--margin .9"],
    "report run_p --to csv --out OUT": ["--to tex", "!--report technical", "!--param lang=zh", "!--overwrite"],
    "runs pool p.csv p2.csv": ["--groups site", "--bins 16", "--save sum.json"],
    "plan rate --expect .98 --limit .95": ["--power .9", "--level .9", "--sides 2", "--group-size 4", "--json",
                                           "!--icc .5"],
    "plan auroc --expect .9 --limit .8": ["--prevalence .2", "--power .9", "--level .9", "!--correlation .2",
                                          "!--icc .5"],
    "plan profile mic-release": ["--errors .25", "!--groups 3"],
    "plan compare --new-only .05 --old-only .02": ["--power .9", "--level .9", "--group-size 4", "--margin .05",
                                                   "--json", "!--icc .2", "--lang zh"],
    "plan agreement --expect .95 --limit .9": ["--power .9", "--group-size 4", "--json", "!--icc .2", "--lang zh"],
    f"trust attack {TRUST} --radii 0.1 --budget quick": [
        "--radii .2", "--norm 2", "--budget standard", "--wells 3", "--gallery", "--other shades:other", "--seed 3",
        "--mean .1", "--access labels", "--classes oak,ash", "--split train", "--smoothing .1", "--lang zh"],
    f"trust explain {TRUST} --methods integrated_gradients": [
        "--methods occlusion", "--wells 3", "--baselines blur", "--seed 3", "--mean .1", "--std .5", "--masks masks",
        "--classes oak,ash", "--split train", "--lang zh"],
    "noise suspects --predictions p.csv --out OUT": ["--k 5", "--relabels again.csv", "--reviewed again.csv",
                                                     "!--classes yes,no", "!--split a", "!--model shades:net",
                                                     "--lang zh"],
    "noise annotators three.csv --raters a,b,c --out OUT": [
        "--raters a,b,d", "--review truth", "--groups plate", "--lang zh"],
    "tcm rate items.jsonl answers.jsonl --raters a,b --out OUT": [
        "--per-case 1", "--pairs", "--repeats 2", "--seed 4", "--raters a,b,c", "--lang zh"],
    f"tcm ask items.jsonl --url http://127.0.0.1:{PORT}/v1 --model m --out OUT/a.jsonl": [
        "--model n", "--prompt en", "--rounds 2", "--temperature .5", "--max-tokens 9", "--lang zh", "!--seed 3",
        "--dry-run", "!--max-cost 0 --prices prices.yml", "--max-cost .05 --prices prices.yml",
        "!--examples others.jsonl", "!--shots 2", "--shots 2 --examples others.jsonl"],
    "sweep models.yaml data.yaml --report none --jobs 1 --out OUT": [
        "--profile classification-screen", "--on sensitivity", "--by site", "--lang zh", "!--kind prob"],
    "anomaly demo --report none --out OUT": [
        "--score mean", "--rule youden", "--target .2", "--prevalence .1", "--stream", "--profile none", "--seed 3",
        "--resize mask", "--strict", "--lang zh", "!--channels 1", "!--on aupimo", "!--format csv", "!--margin .3"],
    "anomaly evaluate looked/data looked/maps --report none --profile none --out OUT": [   # with roi, ignore and parts
        "--stream", "--score mean", "--groups none", "--part-score max", "--groups part --part-score mean",
        "--stream --score mean --groups none", "--by colour", "--rule youden", "--resize mask", "--name other",
        "!--split train", "!--groups lots"]}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    import os
    folder, before = tmp_path_factory.mktemp("options"), os.getcwd()
    os.chdir(folder)
    tables(folder)
    server = more_things(folder)
    sys.path.insert(0, str(folder))
    yield folder
    server.shutdown()
    sys.path.remove(str(folder))
    os.chdir(before)


def silent(place, line, options):
    "Options that change nothing and are not refused, or are refused without their name"
    (place / "OUT").mkdir(exist_ok=True)
    base, wrong = came_out(place, line.split()), []
    assert base[0] in (0, 1, 4), base[1]
    assert came_out(place, line.split()) == base, "the same twice"
    for option in options:
        refused, option = option.startswith("!"), option.removeprefix("!")
        found = came_out(place, [*line.split(), *option.split()])
        if refused and (found[0] != 2 or option.split()[0].strip("-") not in found[1]): wrong.append((option, found[1]))
        if not refused and (found[0] == 2 or found == base): wrong.append((option, found[1][-200:]))
    return wrong


@pytest.mark.full   # two hundred commands
@pytest.mark.parametrize("line", TRIED, ids=[line.replace(str(PORT), "PORT") for line in TRIED])
def test_every_option_changes_something_or_is_refused(place, line):
    assert not (wrong := silent(place, line, TRIED[line])), wrong
