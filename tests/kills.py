"""`make kills N=100`: a command is killed at a random moment and given again; it must end with the bytes of one that nobody killed.

    python tests/kills.py N [seed] [run|report|sweep]
"""
import hashlib
import os
import random
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
RUN = ["run", "--model", "slowly:model", "--data", "plates", "--batch-size", "8", "--report", "none", "--out", "runs"]
JOBS = dict(run=RUN, report=[*RUN[:-4], "--report", "executive", "--out", "runs"],
            sweep=["sweep", "models.yaml", "data.yaml", "--report", "none", "--jobs", "1", "--out", "runs"])


def prepared(place):
    from mic_eval.data.wells import render_plates, write_wells
    (place/"slowly.py").write_text(MODEL)
    write_wells(render_plates(1, size=32, seed=1), place/"plates")
    (place/"models.yaml").write_text("- {name: dark, model: 'slowly:model', batch_size: 8}\n- {name: net, model: wellnet}\n")
    (place/"data.yaml").write_text("- {name: plates, folder: plates}\n")


def started(place, job): return subprocess.Popen([sys.executable, "-m", "mic_eval", *JOBS[job]], cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)


def content(place):
    "Hashes of what must not depend on the clock"
    names = "results.json", "predictions.parquet"
    return {p.relative_to(place).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted((place/"runs").rglob("*")) if p.name in names}


def once(job, rng, long):
    "One kill: the exit code of the second try, what it left, and what it said"
    with tempfile.TemporaryDirectory() as d:
        place = Path(d)
        prepared(place)
        first, after = started(place, job), rng.uniform(0, long)
        time.sleep(after)
        try: os.killpg(first.pid, signal.SIGKILL)
        except ProcessLookupError: pass
        first.communicate()
        again = started(place, job)
        said = again.communicate()[1].decode(errors="replace")
        parts = [p for p in (place/"runs").rglob("*") if ".part" in p.name]
        return after, again.returncode, content(place), parts, said


def main(n=100, seed=0, *jobs):
    rng, bad = random.Random(seed), 0
    whole, long = {}, {}
    for job in jobs or JOBS:
        t = time.time()
        whole[job], long[job] = once(job, random.Random(0), 0)[2], 0
        long[job] = time.time()-t
        print(f"{job}: {len(whole[job])} files, {long[job]:.0f} s", flush=True)
    for i in range(n):
        job = list(whole)[i % len(whole)]
        after, code, found, parts, said = once(job, rng, long[job])
        good = code == 0 and found == whole[job] and not parts
        bad += not good
        print(f"{i+1:>4} {job} killed after {after:.1f} s: {'same bytes' if good else f'WRONG, code {code}, left {parts}: {said[-300:]}'}", flush=True)
    print(f"{n} kills, {bad} wrong")
    return int(bool(bad))


if __name__ == "__main__": sys.exit(main(*map(int, sys.argv[1:3]), *sys.argv[3:]))
