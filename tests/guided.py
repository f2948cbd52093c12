"""`make fuzz` asks whole commands too: a file that a command reads, or one in another dialect, is damaged, and what
reaches a place in the code that nothing reached before is kept and damaged further (`tests/corpus`, small files of our
own).

    python tests/guided.py SECONDS [seed] [--keep]

A command may answer, or refuse in one line. A traceback, an exit code that no page names, ten seconds of processor time
or two gigabytes are faults. Places are calls, line by line, and counted by
a tracer of the language's own, so that nothing has to be installed for it.
"""
import os
import random
import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path

import faults
import fuzz
import mic_eval

CORPUS, OURS = Path(__file__).parent/"corpus", str(Path(mic_eval.__file__).parent)
READ = dict(run=["rows.csv"], pairs=["pairs.csv"], score=["items.jsonl", "answers.jsonl"], ask=["asked.jsonl"],
            plate=["plate.png", "panel.csv"], domain=["patients.csv"], train=["plan.yml"],
            anomaly=["defects/maps_pixel/maps.jsonl"], suspects=["rows.csv"], watch=["batch.csv"], check=["rows.csv"],
            compare=["new/*/*/*/results.json", "new/*/*/*/run.json"],
            gate=["new/*/*/*/results.json", "old/*/*/*/run.json"],
            sheet=["old/*/*/*/results.json"], show=["old/*/*/*/run.json"])
DIALECTS = dict(
    run=("rows.csv", "predictions"), check=("rows.csv", "predictions"), suspects=("rows.csv", "predictions"),
    pairs=("pairs.csv", "pairs of a table"), score=("items.jsonl", "items"), ask=("asked.jsonl", "items"),
    plate=("panel.csv", "layout"), domain=("patients.csv", "sites"), train=("plan.yml", "plan of noise"))
CODES, SECONDS, BYTES, LARGEST = (0, 1, 2, 3, 4), 10, 2_000_000_000, 4_000


def traced(job):
    "What a job gives, and which lines of our code called which function"
    steps, ours = set(), len(OURS)
    def tracer(frame, event, arg):
        code = frame.f_code
        if code.co_filename.startswith(OURS):
            steps.add((code.co_filename[ours:], code.co_firstlineno, frame.f_back.f_lineno if frame.f_back else 0))
    sys.settrace(tracer)
    try: return job(), steps
    finally: sys.settrace(None)


def fault(code, err, seconds):
    "What is wrong with an answer; empty where nothing is"
    if "Traceback" in err or "; MIC_EVAL_TRACEBACK" in err: return err.strip().splitlines()[-1][:200]
    if "needs more memory than there is" in err: return "2 GB"
    if code not in CODES: return f"exit {code}"
    return f"{seconds:.0f} s" if seconds > SECONDS else ""


def tried(args):
    "What became of a command in a process of its own: fault, and the steps it took"
    def job():
        resource.setrlimit(resource.RLIMIT_CPU, (8*SECONDS, 8*SECONDS))
        used = int(Path("/proc/self/statm").read_text().split()[0])*resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used+BYTES, used+BYTES))
        begin = time.process_time()
        (code, _, err), steps = traced(lambda: faults.asked(args))
        return fault(code, err, (time.process_time()-begin)/2), sorted(map(str, steps))   # a tracer costs time itself
    found = faults.in_child(job)
    return (found, []) if isinstance(found, str) else found


def place_of(command, name):
    "The file of that name which a command reads, below the working directory; the hash of a run is in its path"
    pattern = next(o for o in READ[command] if Path(o).name == name)
    return next(Path().glob(pattern)).as_posix()


def kept_inputs():
    "Name of a command, of its file, and what it holds: the corpus"
    out = []
    for p in sorted(CORPUS.glob("*@*@*")):
        command, name, _ = p.name.split("@")
        out.append((command, name, p.read_bytes()))
    return out


def dialect_inputs():
    "The same of files in the dialects of a reader that a command asks (`tests/dialects.py`)"
    import dialects
    of = {name: [o for o in cases if isinstance(o[1], (str, bytes))] for name, _, cases in dialects.dialects(
        [g for g in dialects.GROUPS if g is not dialects.of_twisted])}
    return [(command, name, o[1] if isinstance(o[1], bytes) else o[1].encode()) for command, (name, reader) in
            DIALECTS.items() for o in of[reader] if Path(o[0]).suffix == Path(name).suffix]


def keep(command, name, content):
    CORPUS.mkdir(exist_ok=True)
    n = len(list(CORPUS.glob(f"{command}@*")))
    if n < 8 and len(content) <= LARGEST: (CORPUS/f"{command}@{name}@{n}").write_bytes(content)


def main(seconds=30., seed=0, keeping=False):
    rng, seen, wrong, n, new, here = random.Random(seed), set(), {}, 0, 0, os.getcwd()
    spent = dict.fromkeys(READ, 0.)   # whoever had the least time is next: a photograph costs fifty times a table
    with tempfile.TemporaryDirectory() as outer:
        place, sound = Path(outer).resolve()/"place", Path(outer).resolve()/"sound"
        place.mkdir()
        os.chdir(place)
        faults.prepared(place)
        shutil.copytree(place, sound)
        for name in READ:
            faults.asked(faults.COMMANDS[name])   # imports, before the first fork
            faults.restored(place, sound)
        files = {(c, Path(o).name): place_of(c, Path(o).name) for c, fs in READ.items() for o in fs}
        queue = [(c, name, (place/file).read_bytes()) for (c, name), file in files.items()]
        first = queue + kept_inputs()
        queue += dialect_inputs()
        end = time.monotonic()+seconds
        while first or time.monotonic() < end:
            if first: command, name, content = first.pop(0)
            else:
                least = min(spent, key=spent.get)
                command, name, content = rng.choice([o for o in queue if o[0] == least])
                content = fuzz.damaged(content, rng)
            (place/files[command, name]).write_bytes(content)
            began = time.monotonic()
            said, steps = tried(faults.COMMANDS[command])
            spent[command] += time.monotonic()-began
            n += 1
            if said: wrong.setdefault((command, said[:80]), content)
            if set(steps)-seen:
                seen |= set(steps)
                new += 1
                queue.append((command, name, content))
                if keeping and not first: keep(command, name, content)
            faults.restored(place, sound)
        os.chdir(here)
    for (command, said), content in wrong.items(): print(f"FAULT {command}: {said}\n  {content[:300]!r}")
    print(f"{n} commands, {len(seen)} calls of our code reached, {new} inputs that reached new ones, "
          f"{len(wrong)} kinds of faults")
    return int(bool(wrong))


if __name__ == "__main__":
    numbers = [o for o in sys.argv[1:] if not o.startswith("--")]
    sys.exit(main(*map(float, numbers[:1]), *map(int, numbers[1:2]), keeping="--keep" in sys.argv))
