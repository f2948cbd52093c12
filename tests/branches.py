"""How many branches of what reads foreign bytes are taken by sound files, by the kept
corpus (`tests/corpus/readers`, small files of our own) and by what is damaged further where it took a new one.

    python tests/branches.py SECONDS [seed] [--keep] [--missing]

Needs `coverage`. Two shares are said: of all branches of the modules in which readers stand, though they also write,
judge and draw there; and of the branches of those functions that reading entered at all, which leaves out what it
should have entered and did not. The truth about readers lies between the two.
"""
import json
import logging
import random
import sys
import tempfile
import time
import warnings
from pathlib import Path

import coverage

CORPUS, LARGEST, MOST = Path(__file__).parent/"corpus"/"readers", 2_000, 12
MODULES = """core/files core/readers core/sheets core/yaml core/results core/kinds core/tables core/criteria
    core/concentrations data/manifest data/plate_layouts data/pictures domain/sites gate/golden metrics/shards
    mic/breakpoints mic/dilutions mic/precision mic/findings mic/readings anomaly/map_files anomaly/maps
    anomaly/counting anomaly/gaussian anomaly/uniad noise/command noise/indices noise/questions noise/suspects
    run/store run/suite run/sweep report/words report/cards
    tcm/answers tcm/choices tcm/items tcm/judges tcm/prescriptions tcm/prompts tcm/rating tcm/values tcm/several
    tcm/command""".split()


class Guide:
    "Which arcs of the code were taken so far"
    def __init__(self):
        import mic_eval
        self.root = Path(mic_eval.__file__).parent
        self.cov = coverage.Coverage(branch=True, data_file=None, include=[str(self.root/f"{m}.py") for m in MODULES])
        self.cov.start()

    def taken(self):
        return sum(map(len, self.cov._collector.data.values()))   # asked in public, it costs more than the reading

    def table(self, place):
        "Module -> functions, each `(name, branches, taken)`, and lines of what was not"
        self.cov.stop()
        self.cov.json_report(outfile=str(place/"arcs.json"), show_contexts=False)
        found = json.loads((place/"arcs.json").read_text())["files"]
        out = {}
        for path, about in found.items():
            module = Path(path).resolve().relative_to(self.root).as_posix().removesuffix(".py")
            out[module] = [(name, f["summary"]["num_branches"], f["summary"]["covered_branches"],
                            f["missing_branches"], f["summary"]["covered_lines"] > 0)
                           for name, f in about["functions"].items()]
        return out


def kept():
    "Target -> inputs"
    out = {}
    for p in sorted(CORPUS.glob("*@*")): out.setdefault(p.name.rpartition("@")[0], []).append(p.read_bytes())
    return out


def main(seconds=60., seed=0, keeping=False, missing=False):
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    guide, rng, corpus, n, faults = Guide(), random.Random(seed), kept(), 0, {}
    import fuzz
    with tempfile.TemporaryDirectory() as outer:
        place = Path(outer)
        targets, more = fuzz.all_seeds(place), fuzz.sound_texts(seed)
        for name, (file, whole, read) in targets.items():
            first = [whole, *more.get(name, ()), *corpus.get(name, ())]
            queue = [whole]
            end = time.monotonic()+seconds/len(targets)
            while first or time.monotonic() < end:
                content, own = (first.pop(0), True) if first else (fuzz.damaged(rng.choice(queue), rng), False)
                before, began = guide.taken(), time.process_time()
                said = fuzz.one(place/file, content, read)
                n += 1
                if time.process_time()-began > 10: said = "more than 10 s"
                if said not in ("read", "refused"): faults.setdefault((name, said[:60]), content)
                if guide.taken() == before and not own: continue
                queue.append(content)
                if keeping and not own and len(content) <= LARGEST and len(corpus.get(name, ())) < MOST:
                    corpus.setdefault(name, []).append(content)
                    CORPUS.mkdir(parents=True, exist_ok=True)
                    (CORPUS/f"{name}@{len(corpus[name])-1}").write_bytes(content)
            (place/file).write_bytes(whole)
        found = guide.table(place)
    functions = [(module, *f) for module in MODULES for f in found.get(module, ())]
    def share(of): return sum(f[3] for f in of), sum(f[2] for f in of)
    for module in MODULES:
        own = [f for f in functions if f[0] == module]
        (taken, whole), (inside, entered) = share(own), share([f for f in own if f[5]])
        print(f"{module:<22} {taken:>5} of {whole:>5} branches, of functions entered {inside:>5} of {entered:>5}")
        if missing:
            for _, name, n, reached, lines, _ in own:
                if reached < n: print(f"    {name or '(module)'} {reached}/{n} {lines}")
    for (name, said), content in faults.items(): print(f"FAULT {name}: {said}\n  {content[:200]!r}")
    (taken, whole), (inside, entered) = share(functions), share([f for f in functions if f[5]])
    print(f"{n} inputs; branches: {taken} of {whole} in {len(MODULES)} modules ({taken/whole:.1%}), "
          f"{inside} of {entered} in functions that were entered ({inside/entered:.1%}); {len(faults)} kinds of faults")
    return int(bool(faults))


if __name__ == "__main__":
    numbers = [o for o in sys.argv[1:] if not o.startswith("--")]
    sys.exit(main(*map(float, numbers[:1]), *map(int, numbers[1:2]), "--keep" in sys.argv, "--missing" in sys.argv))
