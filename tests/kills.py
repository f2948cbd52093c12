"""`make kills N=100`: a command is killed at a random moment and given again; it must end with the bytes of one that
nobody killed.

    python tests/kills.py N [seed] [names of JOBS ...]
"""
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MODEL = """
import time
import numpy as np
class Dark:
    fingerprint = "dark"
    def __call__(self, x):
        time.sleep(.05)
        return np.clip(1.6 - 1.6*x.mean((1, 2, 3)), .01, .99)
model = Dark()
"""
NONE = ["--report", "none"]
MODEL_AND_DATA = ["--model", "wellnet", "--data", "plates"]
RUN = ["run", "--model", "slowly:model", "--data", "plates", "--batch-size", "8", "--report", "none", "--out", "runs"]
JOBS = dict(
    run=RUN, report=[*RUN[:-4], "--report", "executive", "--out", "runs"],
            sweep=["sweep", "models.yaml", "data.yaml", *NONE, "--jobs", "1"],
    noise=["noise", "plan.yml", *NONE, "--predictions"],
            mics=["mics", "pairs.csv", "--reference", "reference", "--test", "test", *NONE],
    attack=["attack", *MODEL_AND_DATA, "--wells", "6", "--budget", "quick", "--radii", "0.005,0.01", "--gallery",
            "--out", "runs"],
    explain=["explain", *MODEL_AND_DATA, "--wells", "4", "--rendered", "4", "--methods", "integrated_gradients",
             "--all", "--out", "runs"],
    anomaly=["anomaly", "evaluate", "defects/data", "defects/maps_pixel", *NONE],
            maps=["anomaly", "score", "own.npz", "defects/data", "--maps", "runs"],
    read=["read", "plate.png", "--layout", "panel.csv", *NONE],
            domain=["domain", "patients.csv", "--site", "hospital", "--target", "ill", *NONE, "--methods", "CORAL"],
    score=["score", "items.jsonl", "answers.jsonl", *NONE])
KEPT = ".parquet", ".npz", ".npy", ".csv", ".png", ".tiff"
TOLD = "results.json", "attacks.json", "explanations.json"   # what run.json and a leaderboard say depends on the clock


def prepared(place):
    "What all jobs read, made once"
    import numpy as np
    import pandas as pd
    from PIL import Image
    from mic_eval.anomaly import PixelGaussian, anomaly_wells, demo_maps
    from mic_eval.domain.command import demo_patients
    from mic_eval.data.wells import LOOK, render_plate, render_plates, write_wells
    from mic_eval.tcm.demo import demo_answers, demo_items
    (place/"slowly.py").write_text(MODEL)
    write_wells(render_plates(1, size=32, seed=1), place/"plates")
    (place/"models.yaml").write_text(
        "- {name: dark, model: 'slowly:model', batch_size: 8}\n- {name: net, model: wellnet}\n")
    (place/"data.yaml").write_text("- {name: plates, folder: plates}\n")
    (place/"plan.yml").write_text("methods: [logistic, knn]\ndata: [iris, wine]\nlevels: [0, 0.2]\nnoise_seeds: 4\n")
    rng = np.random.default_rng(0)
    drug, mic = np.repeat(["CIP", "GEN", "药"], 100), 2.**rng.integers(-3, 4, 300)
    pd.DataFrame(dict(isolate=range(300), drug=drug, reference=mic,
                      test=mic*2.**rng.integers(-1, 2, 300))).to_csv(place/"pairs.csv", index=False)
    demo_maps(place/"defects", n=16, train=20, detector="pixel")
    PixelGaussian.fit(anomaly_wells(20, anomalous=0, seed=1000).images).save(place/"own.npz")
    w = render_plate(size=60, look=LOOK, misread=0, bubble=0, seed=5)
    Image.fromarray(np.pad(w.images.reshape(8, 12, 60, 60).transpose(0, 2, 1, 3).reshape(480, 720), 20,
                           constant_values=150)).save(place/"plate.png")
    pd.DataFrame(w.facts)[["well", "drug", "concentration", "role"]].to_csv(place/"panel.csv", index=False)
    demo_patients(place)
    demo_items().save(place/"items.jsonl")
    demo_answers().save(place/"answers.jsonl")


def started(place, job):
    return subprocess.Popen([sys.executable, "-m", "mic_eval", *JOBS[job]], cwd=place, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, start_new_session=True)


def content(place):
    "Hashes of what must not depend on the clock"
    counts = lambda p: p.name in TOLD or p.suffix in KEPT and p.name != "leaderboard.csv" and not any(
        o.startswith(".") for o in p.parts)
    return {p.relative_to(place).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest()
            for p in sorted((place/"runs").rglob("*")) if p.is_file() and counts(p)}


def once(job, inputs, after):
    "One kill: the exit code of the second try, what it left, and what it said"
    with tempfile.TemporaryDirectory() as d:
        place = Path(d)/"place"
        shutil.copytree(inputs, place)
        first = started(place, job)
        time.sleep(after)
        try: os.killpg(first.pid, signal.SIGKILL)
        except ProcessLookupError: pass
        first.communicate()
        began = time.time()
        again = started(place, job)
        said = again.communicate()[1].decode(errors="replace")
        parts = [p for p in (place/"runs").rglob("*") if ".part" in p.name]
        return again.returncode, content(place), parts, said, time.time()-began


def main(n=100, seed=0, *jobs):
    rng, bad, whole, long = random.Random(seed), 0, {}, {}
    with tempfile.TemporaryDirectory() as inputs:
        prepared(Path(inputs))
        for job in jobs or JOBS:
            code, whole[job], _, said, long[job] = once(job, inputs, 0)
            print(f"{job}: {len(whole[job])} files, {long[job]:.0f} "
                  f"s{f', CODE {code}: {said[-300:]}' if code or not whole[job] else ''}", flush=True)
            bad += bool(code) or not whole[job]
        for i in range(n):
            job = list(whole)[i % len(whole)]
            after = rng.uniform(.2, 1)*long[job]
            code, found, parts, said, _ = once(job, inputs, after)
            good = code == 0 and found == whole[job] and not parts
            bad += not good
            other = [k for k in {*found, *whole[job]} if found.get(k) != whole[job].get(k)]
            print(f"{i+1:>4} {job} killed after {after:.1f} s: "
                  f"{'same bytes' if good else f'WRONG, code {code}, differ {other}, left {parts}: {said[-300:]}'}",
                  flush=True)
    print(f"{n} kills, {bad} wrong")
    return int(bool(bad))


if __name__ == "__main__": sys.exit(main(*map(int, sys.argv[1:3]), *sys.argv[3:]))
