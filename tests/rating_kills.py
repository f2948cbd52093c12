"""`python tests/rating_kills.py N`: a rating session is killed at a random moment, N times; every rating that was
answered for must be there.

The session rates as fast as it can in a process of its own and says the code of a rating after it was kept;
the process is killed with SIGKILL."""
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RATER = """
import sys
from mic_eval.tcm.rating import RUBRIC, RatingSession
items = [dict(id=f"c{i}", model=m, question="q", text=f"text {i} {j}") for i in range(1000)
         for j, m in enumerate(("alpha", "beta"))]
s = RatingSession(items, "Li", sys.argv[1], seed=5)
print("ready", len(s.done), flush=True)
while (shown := s.current) is not None:
    code = s.tasks[shown.number-1][0]
    s.rate(dict.fromkeys(RUBRIC, 1+len(s.done) % 5), "note "*40)
    print(code, flush=True)
"""


def kills(n, seed=0, least=0.):
    "(ratings said to be kept, ratings lost, sessions that began with a torn line)"
    rng, said, torn = random.Random(seed), [], 0
    with tempfile.TemporaryDirectory() as place:
        path = Path(place)/"Li.jsonl"
        for _ in range(n):
            job = subprocess.Popen([sys.executable, "-c", RATER, place], stdout=subprocess.PIPE, text=True)
            first = job.stdout.readline().split()
            assert first[0] == "ready" and int(first[1]) >= len(said), (first, len(said))
            time.sleep(least+rng.uniform(0, .06))
            job.send_signal(signal.SIGKILL)
            said += job.communicate()[0].split()
            torn += not path.read_bytes().endswith(b"\n") if path.exists() and path.stat().st_size else 0
        lines = path.read_bytes().split(b"\n")   # the last one may be torn
        kept = {json.loads(line).get("what") for line in lines if line.endswith(b"}")}
    return len(said), len([c for c in said if len(c) == 12 and c not in kept]), torn


if __name__ == "__main__":
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    kept, lost, torn = kills(n)
    print(f"{n} kills: {kept} ratings answered for, {lost} lost, {torn} torn lines")
    sys.exit(bool(lost))
