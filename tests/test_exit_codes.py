"One table of exit codes for every command that judges; the last verdict line agrees."
import sys

import numpy as np
import pandas as pd
import pytest
from fooling import BAD, GOOD, close, exam, few, key, lesions, mixed_labels, pairs, pictures, rows, same, wrong
from typer.testing import CliRunner

from mic_eval.cli.app import app

CODES = {"PASS": 0, "FAIL": 1, "INSUFFICIENT N": 4, "NOT EVALUATED": 4}
COMPARED = {"Superior": 0, "Tied": 0, "Non-inferior": 0, "Inferior": 1, "Worse calibrated": 1, "Inconclusive": 4,
            "Not evaluated": 4, "Not judged": 4}
GATE = {"Open": 0, "Closed": 1, "Not enough evidence": 4}


def typed(*line): return CliRunner().invoke(app, [str(o) for o in line])


def said_code(text):
    "The exit code that the verdict lines of a command stand for; None where there are none"
    heads = [line.split(":")[0] for line in text.splitlines()]
    found = [CODES[h.split(",")[0]] for h in heads if h.split(",")[0] in CODES]
    found += [(GATE | COMPARED)[h.split(".")[0]] for h in heads if h in GATE | COMPARED]
    return next((c for c in (1, 4, 0) if c in found), None)


def table(place, name, t):
    t.to_csv(place/f"{name}.csv", index=False)
    return place/f"{name}.csv"


def run(place, t):
    return ("run", "--predictions", table(place, "t", t), "--field", "classification", "--profile",
            "classification-screen", "--report", "none", "--out", place/"out")


def mic_pairs(place, t):
    return ("mic", "pairs", table(place, "m", t), "--reference", "BMD", "--test", "new", "--profile",
            "iso-20776-2-2021", "--report", "none", "--out", place/"out")


def tcm_score(place, case):
    from mic_eval.tcm import Answer, ExamItems, Responses
    asked, said = case
    ExamItems(asked).save(place/"items.jsonl")
    Responses([Answer(k, v, "m") for k, v in said if v is not None]).save(place/"answers.jsonl")
    return "tcm", "score", place/"items.jsonl", place/"answers.jsonl", "--report", "none", "--out", place/"out"


def carry(place, t):
    return ("domain", "carry", table(place, "p", t), "--site", "hospital", "--target", "ill", "--methods", "mean shift",
            "--labels", "", "--report", "none", "--out", place/"out")


def patients(n=400, odd=None):
    "Patients of three hospitals, of whom two measurements tell who is ill; `odd(hospital, ill)` changes outcomes"
    r, found = np.random.default_rng(0), []
    for s in ("north", "east", "south"):
        y = r.integers(0, 2, n)
        x = r.normal(0, 1, (n, 2))+2*y[:, None]
        found.append(pd.DataFrame(dict(hospital=s, a=x[:, 0], b=x[:, 1], ill=y if odd is None else odd(s, y))))
    return pd.concat(found, ignore_index=True)


def without(t, where): return t.assign(ill=t.ill.astype("Int64").mask(where(t)))


def anomaly(place, n):
    from mic_eval.anomaly import demo_maps
    data, maps = demo_maps(place, n=n or 8, train=20)
    maps = maps if n else place/"none"
    return "anomaly", "evaluate", data, maps, "--report", "none", "--out", place/"out"


def anomaly_maps(place, case):
    "Maps and masks of parts, written as MVTec AD has them; pictures are as different as their maps"
    from zlib import crc32
    from PIL import Image
    m, *asked = case if isinstance(case, tuple) else (case,)
    kinds = m.facts.defect if "defect" in m.facts else np.where(m.label == 1, "crack", "good")
    maps = [np.asarray(o) for o in m.maps]
    alike = len({o.tobytes() for o in maps}) == 1
    for i, (o, kind) in enumerate(zip(maps, kinds)):
        masked = m.masks[i] is not None
        files = [place/part/str(m.object[i])/of/kind for part, of in (
            ("data", "test"), ("maps", "test"), ("data", "ground_truth"))[:2+masked]]
        for folder in files: folder.mkdir(parents=True, exist_ok=True)
        r = np.random.default_rng(i if alike else crc32(o.tobytes()))
        Image.fromarray(r.integers(0, 256, o.shape, np.uint8)).save(files[0]/f"p{i}.png")
        np.save(files[1]/f"p{i}.npy", o)
        if masked: Image.fromarray(np.asarray(m.masks[i])*np.uint8(255)).save(files[2]/f"p{i}_mask.png")
    said = [o for k, v in (asked[0] if asked else {}).items() for o in (f"--{k}", v)]
    return ("anomaly", "evaluate", place/"data", place/"maps", "--profile", "anomaly-screen", "--ignore", "missing",
            "--report", "none", "--out", place/"out", *said)


def sweep(place, t):
    (place/"here").mkdir(exist_ok=True)
    (place/"models.yml").write_text(f"- {{name: one, predictions: {table(place, 't', t).name}}}\n")
    (place/"data.yml").write_text("- {name: here, folder: here}\n")
    return ("sweep", place/"models.yml", place/"data.yml", "--profile", "classification-screen", "--report", "none",
            "--jobs", 1, "--out", place/"out")


def gate(place, t, profile="classification-screen"):
    done = typed("run", "--predictions", table(place, "t", t), "--field", "classification", "--profile", "none",
                 "--report", "none", "--out", place/"runs")
    assert done.exit_code == 0, done.output
    return "gate", place/"runs", "--profile", profile, "--report", "none", "--out", place/"gate"


def compare(place, t):
    new, old = t
    return "compare", table(place, "new", new), table(place, "old", old), "--report", "none", "--out", place/"compare"


def attack(place, case):
    "`(pictures, classes)` and the gain of a network that looks at their brightness"
    (x, y), gain = case
    np.savez(place/"pictures.npz", x=x, y=y)
    name = f"net_of_{place.name}"
    (place/f"{name}.py").write_text(f"from fooling import network\nnet = network(0, gain={gain})\n")
    sys.path.insert(0, str(place))
    return ("trust", "attack", "--model", f"{name}:net", "--data", place/"pictures.npz", "--radii", "0.02,0.05",
            "--budget", "quick", "--wells", 400, "--profile", "attack-screen", "--out", place/"out")


def suspects(place, t):
    (place/"labels.yml").write_text(
        "criteria:\n  - {metric: rate, direction: max, limit: 0.05, on: hi}\n"
        "  - {metric: flagged, direction: max, limit: 0.08, on: hi}\n")
    return ("noise", "suspects", "--predictions", table(place, "t", t), "--profile", place/"labels.yml",
            "--out", place/"out")


def two(spoil): return lambda: (spoil(rows(4000, 1, .05)), rows(4000, 1, .05))


def shaken(t): return t.assign(y_prob=(t.y_prob+np.random.default_rng(3).normal(0, .004, len(t))).clip(.001, .999))


def worse(t): return t.assign(y_prob=np.where(np.arange(len(t)) % 5 == 0, 1-t.y_prob, t.y_prob))


CASES = [
    (run, lambda: rows(seed=1), 0), (run, lambda: rows(seed=1, wrong=.4), 1), (run, lambda: rows(20, 1, 0), 4),
    (run, lambda: rows(seed=1).drop(columns="y_prob"), 2), (run, lambda: lesions(1), 0),
    (mic_pairs, lambda: pairs(same), 0), (mic_pairs, lambda: pairs(lambda d, i, m, r: m*16), 1),
    (mic_pairs, lambda: pairs(same, 5), 4), (mic_pairs, lambda: pairs(same).drop(columns="new"), 2),
    (tcm_score, lambda: exam(1, key), 0), (tcm_score, lambda: exam(1, lambda i, o, r: f"答案：{wrong(o)}"), 1),
    (tcm_score, lambda: exam(1, key, 6), 4),
    (tcm_score, lambda: (exam(1, key)[0], [("no item", "A")]), 2),
    (gate, lambda: rows(2000, 1), 0), (gate, lambda: rows(seed=1, wrong=.4), 1), (gate, lambda: rows(20, 1, 0), 4),
    (lambda place, t: gate(place, t, "no-such-profile"), lambda: rows(seed=1), 2),
    (compare, two(shaken), 0), (compare, two(worse), 1), (compare, lambda: (shaken(rows(40, 1)), rows(40, 1)), 4),
    (compare, lambda: (rows(400, 1).assign(sample_id=lambda t: "x"+t.sample_id), rows(400, 1)), 2),
    (compare, lambda: (rows(400, 1), rows(400, 1)), 2), (compare, two(lambda t: shaken(t).assign(split="train")), 4)]

LONG = [
    (carry, lambda: patients(), 0), (carry, lambda: patients(odd=lambda s, y: 1-y if s == "south" else y), 1),
    (carry, lambda: patients(25), 4), (carry, lambda: patients().drop(columns="ill"), 2),
    (carry, lambda: without(patients(60), lambda t: t.hospital == "south"), 2),
    (carry, lambda: without(patients(60), lambda t: t.index % 7 == 0), 4),
    (anomaly, lambda: 32, 1), (anomaly, lambda: 0, 2),
    (attack, lambda: (pictures(1), 60.), 0), (attack, lambda: (close(1), 60.), 1),
    (attack, lambda: (few(1, 12), 60.), 4), (attack, lambda: ((pictures(1)[0], np.full(240, np.nan)), 60.), 2),
    (suspects, lambda: rows(seed=1, wrong=.01), 0), (suspects, lambda: rows(seed=1, wrong=.3), 1),
    (suspects, lambda: rows(20, 1, 0), 4), (suspects, lambda: rows(seed=1).drop(columns="y_prob"), 2),
    (sweep, lambda: rows(seed=1), 0), (sweep, lambda: rows(seed=1, wrong=.4), 1), (sweep, lambda: rows(20, 1, 0), 4)]
NUMBERS = [*range(len(CASES)), *(pytest.param(i, marks=pytest.mark.later) for i in range(-len(LONG), 0))]


@pytest.mark.parametrize("strict", [True, pytest.param(False, marks=pytest.mark.full)])
@pytest.mark.parametrize("number", NUMBERS)
def test_a_command_ends_with_what_it_says(tmp_path, number, strict):
    "With `--strict` the verdict's code; without it 0, unless the input is bad, or the command is a gate"
    line, case, code = (*CASES, *LONG)[number]
    asked = line(tmp_path, case())
    done = typed(*asked, *(["--strict"] if strict else []))
    alone = code == 2 or asked[0] == "gate"   # a gate always ends with its answer
    assert done.exit_code == (code if strict or alone else 0), done.output
    said = said_code(done.output)
    if code == 2: assert said is None and done.output.strip().count("\n") <= 2, done.output
    else: assert said == code, done.output


def mislabelled(share): return lambda s: rows(800, s, share)
def flipped_where(t, column, value): return t.assign(y_prob=np.where(t[column] == value, 1-t.y_prob, t.y_prob))


FRESH = {   # made of a seed that no page and no other test has used: command, what is judged, whether it may pass
    "attack": (attack, {
        "brittle": (lambda s: (close(s), 60.), False), "brittle and steep": (lambda s: (close(s), 2000.), False),
        "twenty pictures": (lambda s: (few(s, 20), 60.), False),
        "the wrong way round": (lambda s: (pictures(s), -60.), False),
        "a fifth of the classes wrong": (lambda s: (mixed_labels(s, .2), 60.), False),
        "far apart": (lambda s: (pictures(s), 60.), True), "a steeper logit": (lambda s: (pictures(s), 120.), True)}),
    "anomaly": (anomaly_maps, {k: (BAD["anomaly"][k], False) for k in (
        "the same map for all", "the wrong place", "blind for nuts", "stops everything", "stops nothing",
        "pasted fourteen times", "blind to one kind of defect", "no mask where it sees the wrong place")} | {
            k: (GOOD["anomaly"][k], True) for k in ("finds all", "two kinds of defect")}),
    "suspects": (suspects, {
        "three in ten wrong": (mislabelled(.3), False), "one in eight wrong": (mislabelled(.125), False),
        "at the limit": (mislabelled(.05), False), "twenty rows": (lambda s: rows(20, s, 0), False),
        "one in a hundred wrong": (mislabelled(.01), True), "none wrong": (mislabelled(0), True)}),
    "compare": (compare, {
        "one in five turned round": (lambda s: (worse(rows(4000, s, .05)), rows(4000, s, .05)), False),
        "one in twenty turned round": (lambda s: (
            flipped_where(rows(4000, s, .05, part=np.arange(4000) % 20), "part", 3),
            rows(4000, s, .05)), False),
        "two hundred rows": (lambda s: (shaken(rows(200, s)), rows(200, s)), False),
        "two hundred rows twenty times, shaken, in any order": (lambda s: BAD["gate"][SHAKEN](s)[:2], False),
        "as good": (lambda s: (shaken(rows(4000, s, .05)), rows(4000, s, .05)), True),
        "better": (lambda s: (shaken(rows(4000, s, .02)), rows(4000, s, .02).pipe(worse)), True)})}
SHAKEN = "two hundred rows twenty times, shaken by 1e-05, in any order"


@pytest.mark.later
@pytest.mark.parametrize("name, what", [(k, w) for k, (_, cases) in FRESH.items() for w in cases])
def test_fresh_models_by_their_command(tmp_path, name, what):
    line, cases = FRESH[name]
    make, good = cases[what]
    done = typed(*line(tmp_path, make(60_611)), "--strict")
    assert done.exit_code == 0 if good else done.exit_code in (1, 4), done.output
    assert said_code(done.output) == done.exit_code, done.output


def test_the_table_stands_in_the_documentation():
    from pathlib import Path
    page = (Path(__file__).parent.parent/"nbs/core/09_criteria.ipynb").read_text()
    for row in ("|0|pass", "|1|fail", "|2|bad input", "|3|fault", "|4|not decided"): assert row in page
