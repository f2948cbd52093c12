"""`make fuzz SECONDS=60`: damaged files for every reader, one after the other. A reader may read, or refuse in one line; nothing else.

    python tests/fuzz.py SECONDS [seed]
"""
import json
import random
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import mic_eval
from mic_eval.core.criteria import read_profile
from mic_eval.core.kinds import read_any
from mic_eval.core.readers import read_table
from mic_eval.core.results import Result, Score, from_json, to_json
from mic_eval.core.tables import read_predictions
from mic_eval.core.yaml import read_yaml
from mic_eval.data.layouts import read_layout
from mic_eval.data.manifest import read_manifest
from mic_eval.data.wells import render_plates, write_wells
from mic_eval.mic.breakpoints import read_breakpoints
from mic_eval.run.pairings import DATA_KEYS, read_entries
from mic_eval.run.store import open_run, save_run
from mic_eval.run.suite import read_suite

SUITE = next(Path(mic_eval.__file__).parent.rglob("smoke.y*ml"))
ROWS = pd.DataFrame(dict(sample_id=[f"{i:03}" for i in range(20)], y_true=[0, 1]*10, y_prob=np.linspace(.1, .9, 20), drug=["NA", "药敏"]*10))
TOKENS = [b"=1+1", "药敏".encode(), "药".encode("gb18030"), b"\xff\xfe", b"\x00", b"\"", b"'", b",", b";", b"\t", b"\n", b"\r", b"nan", b"inf", b"-1", b"1e999", b"9"*400,
          b"[", b"]", b"{", b"}", b":", b"&a", b"*a", b"!!python/object:os.system", b"null", b"\xe2\x80\xae", b"0.5\xc2\xb9", b"true", b"2024-02-31", b"- ", b"  ", b"#"]


def damaged(whole, rng):
    "Some bytes changed, put in, left out, doubled, or cut off"
    b = bytearray(whole)
    for _ in range(rng.choice((1, 1, 2, 5))):
        i, j = rng.randrange(len(b)+1), rng.randrange(1, 40)
        how = rng.randrange(6)
        if how == 0 and b: b[min(i, len(b)-1)] = rng.randrange(256)
        elif how == 1: b[i:i] = rng.choice(TOKENS)
        elif how == 2: del b[i:i+j]
        elif how == 3: b[i:i] = b[i:i+j]*rng.choice((1, 3))
        elif how == 4: b = b[:i] if rng.random() < .3 else b
        else: b[i:i+j] = rng.choice(TOKENS)
    return bytes(b)


def seeds(place):
    "Target -> (name of its file, sound content, what reads it)"
    ROWS.to_csv(place/"rows.csv", index=False)
    ROWS.to_parquet(place/"rows.parquet")
    ROWS.to_excel(place/"rows.xlsx", index=False)
    ROWS.to_json(place/"rows.jsonl", orient="records", lines=True)
    p = read_predictions(place/"rows.csv")
    p.save(place/"saved.parquet")
    to_json(Result(x=Result(a=Score(.5, .2, .8, k=5, n=10)), value=1.), place/"results.json")
    (place/"run").mkdir()
    save_run(place/"run", Result(model=Result(name="m", kind="file"), data=Result(name="d", rows=20), settings=Result()), p)
    write_wells(render_plates(1, size=16, seed=1)[:8], place/"wells")
    content = lambda name: (place/name).read_bytes()
    profile = b"title: a\ncriteria:\n  - {metric: accuracy, limit: .9, direction: min, source: x, date: '2024-01-01'}\n"
    layout = b"well,drug,concentration,role\nA1,INH,1,test\nA2,INH,2,test\nA3,,,control\n"
    points = b"organism,drug,S,R,guideline,year\nE. coli,CIP,0.25,0.5,EUCAST,2024\n"

    def run(path):
        r = open_run(path.parent)
        return r.result, r.about, r.table, r.summary, r.changed(), repr(r)
    out = {f"read_table {k}": (f"rows.{k}", content(f"rows.{k}"), read_table) for k in ("csv", "xlsx", "parquet", "jsonl")}
    return out | {
        "read_predictions": ("rows.csv", content("rows.csv"), read_predictions), "saved table": ("saved.parquet", content("saved.parquet"), lambda f: read_any(f, "predictions")),
        "from_json": ("results.json", content("results.json"), from_json), "run.json": ("run/run.json", content("run/run.json"), run),
        "results.json": ("run/results.json", content("run/results.json"), run), "manifest": ("wells/manifest.csv", content("wells/manifest.csv"), lambda f: read_manifest(f.parent)),
        "profile": ("p.yml", profile, read_profile), "suite": ("s.yml", SUITE.read_bytes(), read_suite),
        "layout csv": ("l.csv", layout, read_layout), "layout json": ("l.json", json.dumps({"A1": dict(drug="INH", concentration=1)}).encode(), read_layout),
        "breakpoints": ("b.csv", points, read_breakpoints), "list of a sweep": ("d.yaml", b"- {name: a, folder: wells}\n- name: b\n  folder: x\n", lambda f: read_entries(f, DATA_KEYS)),
        "yaml": ("y.yml", b"a: {b: [1, 2.5, x]}\nc: '007'\n", lambda f: read_yaml(f.read_text(encoding="utf-8"), "y.yml"))}


def one(path, content, read):
    "What became of an input: read, refused, or the fault"
    path.write_bytes(content)
    try: read(path)
    except (ValueError, OSError) as e: return "refused" if str(e) and "Traceback" not in str(e) else f"a refusal without a word: {e!r}"
    except Exception as e: return f"{type(e).__name__}: {str(e)[:200]}"
    return "read"


def main(seconds=60., seed=0):
    warnings.simplefilter("ignore")
    rng, faults, counts = random.Random(seed), {}, {}
    with tempfile.TemporaryDirectory() as place:
        targets = seeds(Path(place))
        each = seconds/len(targets)
        for name, (file, whole, read) in targets.items():
            sound = one(Path(place)/file, whole, read)
            if sound != "read": faults[name, f"the sound file: {sound}"] = whole
            end, n = time.time()+each, dict(read=0, refused=0)
            while time.time() < end:
                content = damaged(whole, rng)
                said = one(Path(place)/file, content, read)
                if said in n: n[said] += 1
                else: faults.setdefault((name, said[:60]), content)
            (Path(place)/file).write_bytes(whole)
            counts[name] = n
            print(f"{name:<22} {n['read']:>7} read {n['refused']:>7} refused", flush=True)
    for (name, said), content in faults.items(): print(f"FAULT {name}: {said}\n  {content[:200]!r}")
    print(f"{sum(sum(n.values()) for n in counts.values())} inputs, {len(faults)} kinds of faults")
    return int(bool(faults))


if __name__ == "__main__": sys.exit(main(*map(float, sys.argv[1:2]), *map(int, sys.argv[2:3])))
