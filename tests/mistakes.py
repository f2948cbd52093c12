"""Mistakes as people make them, one command line each, and the files they make them with.

`python tests/mistakes.py [PATTERN]` makes all of them with `--lang zh` in a folder of its own and prints every line
that is English; what a library underneath said, in its own words behind a colon, is all that should be left."""
import contextlib
import os
import re
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image
from typer.testing import CliRunner

ENGLISH = re.compile(r"[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}")   # three words that follow each other
MODEL = """
import torch
def sigmoid(): return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.LazyLinear(1), torch.nn.Sigmoid())
def small(): return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(10, 1))
def names(x): return {"logit": 1}
def crash(x): raise RuntimeError("cuda exploded")
thing = 3
"""


def tables(place):
    "Tables of predictions, of MICs and of patients, most with one thing wrong"
    rng, n = np.random.default_rng(0), 60
    score = np.clip(np.array([.2, .8]*(n//2)) + rng.normal(0, .2, n), .01, .99).round(3)
    rows = pd.DataFrame(dict(sample_id=range(n), y_true=[0, 1]*(n//2), y_prob=score, drug=["CIP", "GEN", "AMK"]*(n//3),
                             plate=["P1"]*30 + ["P2"]*30, split=["test"]*30 + ["val"]*30))
    gap = rows.astype(dict(y_true=object))
    iso = pd.DataFrame(dict(isolate=range(40), drug="CIP", BMD=["0.25", "0.5", "1", "2"]*10,
                            new=["0.25", "0.5", "2", "2"]*10, organism="E. coli"))
    wrong = dict(
        rows=rows, notruth=rows.drop(columns="y_true"), nopred=rows.drop(columns="y_prob"), headonly=rows.iloc[:0],
        percent=rows.assign(y_prob=rows.y_prob*100), logits=rows.assign(y_prob=rows.y_prob*5 - 2),
        textprob=rows.assign(y_prob="x"), three=rows.assign(y_true=["yes", "no", "maybe"]*20),
        oneclass=rows.assign(y_true=1), othernames=rows.rename(columns=dict(y_true="label", y_prob="p")),
        twice=pd.concat([rows, rows.iloc[:2]]), missing=rows.assign(y_prob=rows.y_prob.where(rows.index != 3)),
        missingtruth=gap.assign(y_true=gap.y_true.where(gap.index != 3)),
        iso=iso, isobad=iso.assign(new=["0.25", "abc", "2", "2"]*10), isotwice=pd.concat([iso, iso]),
        isoladder=iso.assign(new=["0.3", "0.5", "2", "2"]*10),
        pat=pd.DataFrame(dict(hospital=["a"]*10 + ["b"]*10, age=range(20), disease=[0, 1]*10)),
        pat1=pd.DataFrame(dict(hospital="a", age=range(20), disease=[0, 1]*10)))
    for name, t in wrong.items(): t.to_csv(place/f"{name}.csv", index=False)
    rows.to_csv(place/"headless.csv", index=False, header=False)


TEXTS = {
    "empty.csv": "", "text.txt": "hello", "bad.json": "{", "bp.csv": "drug,S,R\nCIP,x,1\n", "bp2.csv": "a,b\n1,2\n",
    "prof.yml": "name: x\ncriteria:\n- metric: sensitivity\n  limt: 3\n", "prof2.yml": "a: [1",
    "prof3.yml": "name: p\n", "layout.csv": "well,drug\nA1,CIP\n", "my_model.py": MODEL, "notphoto.jpg": "x",
    "layout2.csv": "well,drug,concentration,role\nZ99,CIP,1,test\n",
    "layout3.csv": "well,drug,concentration,role\n" + "".join(
        f"{r}{c},drug{r},{2.**(c - 6)},test\n" for r in "ABCDEFGH" for c in range(1, 13)),
    "models.yaml": "- name: a\n  modl: wellnet\n", "data.yaml": "- name: d\n  folder: nowhere\n",
    "data2.yaml": "hello: 1\n", "models2.yaml": "- name: a\n  model: nothing.here:x\n",
    "items.jsonl": '{"id": "1", "question": "q", "options": ["a", "b"], "key": "A"}\n', "items2.jsonl": '{"id": "1"\n',
    "ans.jsonl": '{"id": "9", "text": "A"}\n', "ans2.jsonl": '{"foo": 1}\n', "plan.yml": "methods: [a]\n",
    "plan2.yml": "method: [a]\n", "plan3.yml": "methods: [nobody]\ndata: [iris]\nlevels: [2]\n"}

FOLDERS = dict(
    wells="sample_id,path,label\n1,a.png,1\n2,b.png,0\n", wells2="id,file\n1,a.png\n",
    wells3="sample_id,path,label\n1,a.png,grow\n", nothing="", mv="", maps="",
    wells4="sample_id,path,label\n" + "".join(f"{i},{i}.png,{i % 2}\n" for i in range(8)),
    wells5="sample_id,path,label\n" + "".join(f"{i},{i}.png,{i % 2}\n" for i in range(8)))


def files(place):
    "Everything that the lines below name, in a folder"
    rng = np.random.default_rng(0)
    tables(place)
    for name, text in TEXTS.items(): (place/name).write_text(text)
    noise = "noise.xlsx bin.csv w.pt2 w.onnx w.safetensors"
    for name in noise.split(): (place/name).write_bytes(bytes(rng.integers(128, 160, 300).tolist()))
    for name, start in {"broken.parquet": b"PAR1xxxx", "w.pkl": b"\x80\x04.", "w.pt": b"PKxxxx"}.items():
        (place/name).write_bytes(start)
    for name, manifest in FOLDERS.items():
        (place/name).mkdir()
        if manifest: (place/name/"manifest.csv").write_text(manifest)
    (place/"growthless").mkdir()
    picture = lambda h, w, name: Image.fromarray(rng.integers(0, 255, (h, w)).astype("uint8")).save(place/name)
    for i in range(8):
        picture(32, 32 + 16*(i % 2), f"wells4/{i}.png")
        picture(40, 40, f"wells5/{i}.png")
    sizes = {"wells/a.png": (32, 32), "growthless/a.png": (9, 9), "photo.jpg": (300, 400), "tiny.png": (20, 20)}
    for name, (h, w) in sizes.items(): picture(h, w, name)


QUICK = """
run --predictions nowhere.csv
run --predictions rows.cvs
run --predictions empty.csv
run --predictions headonly.csv
run --predictions headless.csv
run --predictions noise.xlsx
run --predictions bin.csv
run --predictions broken.parquet
run --predictions text.txt
run --predictions bad.json
run --predictions nothing
run --predictions notruth.csv
run --predictions nopred.csv
run --predictions percent.csv
run --predictions logits.csv
run --predictions textprob.csv
run --predictions three.csv
run --predictions othernames.csv
run --predictions missing.csv --report none
run --predictions rows.csv --y-true labels
run --predictions rows.csv --y-score prob
run --predictions rows.csv --y-pred calls
run --predictions rows.csv --sample-id name
run --predictions rows.csv --kind probability
run --predictions rows.csv --field mics
run --predictions rows.csv --classes a,b,c
run --predictions rows.csv --profile nobody
run --predictions rows.csv --profile prof.yml
run --predictions rows.csv --profile prof2.yml
run --predictions rows.csv --profile prof3.yml
run --predictions rows.csv --profile nowhere.yml
run --predictions rows.csv --report tecnical
run --predictions rows.csv --param seed
run --predictions rows.csv --suite fll
run --predictions rows.csv --layers nolayer
run --predictions rows.csv --by drugs
run --predictions rows.csv --split train
run --predictions rows.csv --threshold 2
run --predictions rows.csv --threshold abc
run --predictions rows.csv --threshold .5 --tune-on val
run --predictions rows.csv --tune-on nosplit
run --predictions rows.csv --split val --tune-on val
run --predictions rows.csv --size 32
run --predictions rows.csv --seed -1
run --predictions rows.csv --unknown
run --predictions rows.csv --out rows.csv
run --predictions rows.csv extra
run --predictions rows.csv --timeout 0
run --predictions rows.csv --breakpoints bp.csv
run --predictions rows.csv --data wells
run --data wells
check nowhere
check nothing
check wells2
check wells3
check empty.csv
check photo.jpg
manifest nothing
manifest nowhere
manifest growthless --growth pos --clear pos
columns nowhere.csv
columns empty.csv
columns bin.csv
columns photo.jpg
list -x
list --jsn
plan rate
plan rate --expect 2 --limit .9
plan rate --expect .9 --limit .9
plan rate --expect .9 --limit .95 --sides 3
plan rate --expect .98 --limit .95 --power 2
plan auroc --expect .4
plan auroc --expect .9 --limit .95
plan profile nobody
plan nothing
plan compare --new-only 2 --old-only .1
compare
compare rows.csv
compare rows.csv nowhere.csv
compare rows.csv three.csv
compare rows.csv oneclass.csv
compare rows.csv rows.csv --on nothing
compare rows.csv rows.csv --margin 7
compare rows.csv percent.csv --groups ward
pool
pool nowhere.json
pool bad.json
pool rows.csv --groups ward
pool notruth.csv
pool three.csv
runs show nobody
runs list --out nowhere
runs gc --older-than -3
runs nothing
anomaly evaluate
anomaly evaluate mv maps
anomaly evaluate nowhere maps
anomaly score nobody mv
anomaly check nowhere
anomaly compare rows.csv
anomaly table nowhere
ratings nowhere
nonsense
--version2
--with no.module list
mics
mics iso.csv
read photo.jpg
gate nowhere
report nowhere
export nowhere --to pdf
figures nowhere
attack --data wells5
ask items.jsonl
rate items.jsonl ans.jsonl
domain
domain pat.csv
suspects
sweep nowhere.yaml data.yaml
noise nowhere.yml
demo --plates 0
mics nowhere.csv --reference BMD --test new
""".strip().splitlines()

SLOW = """
run
run --predictions oneclass.csv --report none
run --predictions twice.csv
run --predictions missingtruth.csv --report none
run --predictions rows.csv --positive yes --report none
run --predictions rows.csv --param sed=3
run --predictions rows.csv --device gpu9 --report none
run --model wellnet
run --model nobody --data wells5
run --model wellnet --data nowhere
run --model wellnet --data nothing
run --model wellnet --data wells
run --model wellnet --data wells2
run --model wellnet --data wells3
run --model wellnet --data wells4 --report none
run --model my_model:sig --data wells5 --report none
run --model my_model:small --data wells5 --report none
run --model my_model:wide --data wells5 --report none
run --model my_model:names --data wells5 --report none
run --model my_model:crash --data wells5 --report none
run --model my_model:nan --data wells5 --report none
run --model my_model:thing --data wells5 --report none
run --model my_model:nothere --data wells5 --report none
run --model no_module:x --data wells5 --report none
run --model w.pt --data wells5
run --model w.pt2 --data wells5
run --model w.pt2 --data wells5 --trust
run --model w.onnx --data wells5
run --model w.safetensors --data wells5
run --model w.pkl --data wells5
run --model w.pt --data wells5 --trust
run --model nofile.onnx --data wells5
run --model wellnet --data wells5 --size big --report none
run --model wellnet --data wells5 --channels 7
run --model wellnet --data wells5 --device cuda --report none
run --model rows.csv --data wells5
demo --report nobody
mics iso.csv --reference BMDD --test new
mics iso.csv --reference BMD --test neu
mics isobad.csv --reference BMD --test new
mics isoladder.csv --reference BMD --test new --report none
mics isotwice.csv --reference BMD --test new --report none
mics iso.csv --reference BMD --test new --by drugs
mics iso.csv --reference BMD --test new --breakpoints bp.csv
mics iso.csv --reference BMD --test new --breakpoints bp2.csv
mics iso.csv --reference BMD --test new --breakpoints nowhere.csv
mics iso.csv --reference BMD --test new --breakpoints eucast-99
mics iso.csv --reference BMD --test new --profile nobody
mics iso.csv --reference BMD --test new --policy lenent
mics iso.csv --reference BMD --test new --denominator some
mics iso.csv --reference BMD --test new --groups ward
mics iso.csv --reference BMD --test new --panel nowhere.csv
mics iso.csv --reference BMD --test new --panel bp2.csv
mics iso.csv --reference BMD --test new --qc bp2.csv
mics iso.csv --reference BMD --test new --qc-ranges bp2.csv
mics iso.csv --reference BMD --test new --second third
mics iso.csv --reference BMD --test new --readers a
mics iso.csv --reference BMD --test new --isolate iso
mics iso.csv --reference BMD --test new --drug Drug2
mics iso.csv --reference BMD --test new --expected maybe --report none
mics iso.csv --reference BMD --test BMD --report none
mics nothing --reference BMD --test new
mics empty.csv --reference BMD --test new
read nowhere.jpg --layout layout3.csv
read photo.jpg --layout nowhere.csv
read photo.jpg --layout layout.csv
read photo.jpg --layout layout2.csv
read photo.jpg --layout layout3.csv
read notphoto.jpg --layout layout3.csv
read tiny.png --layout layout3.csv
read photo.jpg --layout layout3.csv --skip nobody
read photo.jpg --layout layout3.csv --rows 2
read photo.jpg --layout layout3.csv --channels 5
read photo.jpg --layout layout3.csv --kind percent
read photo.jpg --layout layout3.csv --threshold 3
read photo.jpg --layout layout3.csv --model nobody
report nothing
report runs/rows/predictions --name nobody
report runs/rows/predictions --name plate
report rows.csv
gate runs/rows/predictions
gate runs/rows/predictions --baseline nowhere
gate runs/rows/predictions --margin x
gate runs/rows/predictions --recheck some --report none
gate runs/rows/predictions --golden nowhere.json --report none
sweep models.yaml data.yaml
sweep models2.yaml data.yaml
sweep models2.yaml data2.yaml
sweep rows.csv data.yaml
export runs/rows/predictions --to pfd
export runs/rows/predictions --to pdf --report nobody
figures runs/rows/predictions --to gif
card nowhere
card runs --lang xx
track runs --to nobody
track runs --to mlflow
track runs --to wandb
attack --model wellnet --data wells5 --radii x
attack --model wellnet --data wells5 --norm 3
attack --model wellnet --data wells5 --budget huge
attack --model nobody --data wells5
attack --model wellnet --data nowhere
attack --model wellnet --data wells5 --radii 8
explain --model wellnet --data wells5 --methods nobody
explain --model wellnet --data wells5 --baselines nobody
explain --model wellnet --data nowhere
suspects --predictions notruth.csv
suspects --predictions nowhere.csv
suspects --predictions rows.csv --relabels nowhere.csv
suspects --predictions rows.csv --model wellnet
anomaly
anomaly nothing
anomaly demo --score nothing
anomaly demo --rule nothing
anomaly demo --profile nobody
domain pat.csv --site ward --target disease
domain pat.csv --site hospital --target diseas
domain pat.csv --site hospital --target age
domain pat1.csv --site hospital --target disease
domain pat.csv --site hospital --target disease --drop nothing
domain pat.csv --site hospital --target disease --methods nobody
domain pat.csv --site hospital --target disease --labels 1,x
domain pat.csv --site hospital --target disease --estimator no.thing
domain nowhere.csv --site hospital --target disease
ask items2.jsonl --url http://x --model m
ask nowhere.jsonl --url http://x --model m
ask items.jsonl --url ftp://x --model m
ask items.jsonl --url http://127.0.0.1:9/v1 --model m --prompt nobody
ask items.jsonl --url http://127.0.0.1:9/v1 --model m --key-env NO_SUCH_KEY
score items.jsonl nowhere.jsonl
score items.jsonl ans.jsonl
score items.jsonl ans2.jsonl
score items2.jsonl ans.jsonl
score items.jsonl ans.jsonl --profile nobody
score items.jsonl ans.jsonl --judge-url http://x
rate items.jsonl ans.jsonl --raters a,b
noise plan.yml
noise plan2.yml
noise plan3.yml
""".strip().splitlines()


def english(line):
    "The English lines of what a command line says to a reader of Chinese; commands to type are no English"
    from mic_eval.cli.app import app
    done = CliRunner().invoke(app, [*line.split(), "--lang", "zh"])
    if done.exception and not isinstance(done.exception, SystemExit): raise done.exception
    said = (done.stdout + done.stderr).splitlines()
    return [o for o in said if ENGLISH.search(o) and "mic-eval " not in o or o.startswith(("error", "warning"))]


if __name__ == "__main__":
    wanted = [o for o in QUICK + SLOW if re.search((sys.argv + [""])[1], o)]
    with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):
        files(Path(place))
        sys.path.insert(0, place)
        os.environ.pop("MIC_EVAL_TRACEBACK", None)
        english("run --predictions rows.csv --report none")
        found = {o: left for o in wanted if (left := english(o))}
    for o, left in found.items(): print(o, *left, sep="\n    ")
    print(f"{len(wanted)} mistakes, {len(found)} with English in the answer")
