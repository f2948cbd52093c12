"""How many branches of what reads foreign bytes are taken by files in many dialects (`tests/dialects.py`), by the kept
corpus (`tests/corpus/readers`, small files of our own) and by what is damaged further where it took a new one.

    python tests/branches.py SECONDS [seed] [--keep] [--missing]

Needs `coverage`. Which functions count is a rule and no list (`reading_functions`): those that a reader can call.
Readers are the functions of `MODULES` that are called read_, load_, open_ or parse_ something, or that take a layout of
others (from_json, from_amr ...). From each, the names in its body are followed through these modules; a class that is
named brings what makes it and looks into it (`CONSTRUCTION`), and each method and property that a followed function
names, whatever object it is asked of. Not followed is what writes, draws or makes a statistic of values (`WRITES`).
So a branch that reading should reach and does not is counted, and one that only judging or writing takes is not.
"""
import ast
import json
import logging
import random
import re
import shutil
import sys
import tempfile
import time
import warnings
from pathlib import Path

import coverage

CORPUS, LARGEST, MOST = Path(__file__).parent/"corpus"/"readers", 2_000, 12
MODULES = """core/files core/readers core/sheets core/yaml core/results core/kinds core/tables core/criteria
    core/concentrations core/fields core/record data/manifest data/plate_layouts data/pictures domain/sites gate/golden
    metrics/shards mic/breakpoints mic/dilutions mic/precision mic/findings mic/readings anomaly/map_files anomaly/maps
    anomaly/counting anomaly/gaussian anomaly/uniad noise/command noise/indices noise/questions noise/suspects
    run/store run/suite run/sweep report/words report/cards
    tcm/answers tcm/choices tcm/items tcm/judges tcm/prescriptions tcm/prompts tcm/rating tcm/values tcm/several
    tcm/command""".split()
READS = re.compile(r"(read|load|open|parse)_|from_(json|amr|whonet|categories|arrays|plain)$|.*_from_json$")
WRITES = re.compile(r"(save|write|plot|draw|render|keep|_repr)|of$|add$|load_(fields|questions)$")
CONSTRUCTION = {f"__{k}__" for k in "init new post_init enter exit iter next getitem len contains getattr".split()}


class Names:
    "What the names in the code of `MODULES` stand for, and what can be called from where"
    def __init__(self, root):
        self.trees = {m: ast.parse((root/f"{m}.py").read_text(encoding="utf-8")) for m in MODULES}
        self.defined, self.imported = {}, {}
        for m, tree in self.trees.items():
            for n in tree.body:
                if isinstance(n, (ast.FunctionDef, ast.ClassDef)): self.defined[m, n.name] = n
                elif isinstance(n, (ast.Assign, ast.AnnAssign)):
                    for o in ast.walk(n):
                        if isinstance(o, ast.Name) and isinstance(o.ctx, ast.Store): self.defined[m, o.id] = n
            for n in ast.walk(tree):
                if not isinstance(n, ast.ImportFrom): continue
                above = m.split("/")[:-n.level] if n.level else []
                home = "/".join([*above, *(n.module or "").removeprefix("mic_eval.").split(".")])
                for o in n.names: self.imported[m, o.asname or o.name] = home, o.name

    def meant(self, module, name):
        "`(module, name)` of a definition, or None for one that stands elsewhere"
        if (module, name) in self.defined: return None if WRITES.match(name) else (module, name)
        return self.meant(*self.imported[module, name]) if (module, name) in self.imported else None

    def reached(self):
        "Every function, method and property that a reader can call: `(module, name) -> node`"
        waiting = [k for k, n in self.defined.items() if isinstance(n, ast.FunctionDef) and READS.match(k[1])
                   and not WRITES.match(k[1])]
        there, attributes, out = set(), set(), {}

        def look(module, node):
            for o in ast.walk(node):
                if isinstance(o, ast.Name): waiting.append(self.meant(module, o.id))
                elif isinstance(o, ast.Attribute): attributes.add(o.attr)

        while waiting:
            while waiting:
                key = waiting.pop()
                if key is None or key in there: continue
                there.add(key)
                node = self.defined[key]
                if isinstance(node, ast.ClassDef):
                    for n in node.body:
                        if not isinstance(n, ast.FunctionDef): look(key[0], n)
                    for n in (*node.decorator_list, *node.bases): look(key[0], n)
                else: look(key[0], node)
                if isinstance(node, ast.FunctionDef): out[key] = node
            for module, name in [k for k in there if isinstance(self.defined[k], ast.ClassDef)]:
                for n in self.defined[module, name].body:
                    at = module, f"{name}.{getattr(n, 'name', '')}"
                    if not isinstance(n, ast.FunctionDef) or at in out or WRITES.match(n.name): continue
                    if n.name not in attributes | CONSTRUCTION: continue
                    out[at] = n
                    look(module, n)
        return out


class Guide:
    "Which arcs of the code were taken so far"
    def __init__(self):
        import mic_eval
        self.root = Path(mic_eval.__file__).parent
        self.cov = coverage.Coverage(branch=True, data_file=None, include=[str(self.root/f"{m}.py") for m in MODULES])
        self.cov.start()

    def taken(self):
        return sum(map(len, self.cov._collector.data.values()))   # asked in public, it costs more than the reading

    def branches(self, place):
        "Module -> branches taken, branches not taken, each `(line, line)`"
        self.cov.stop()
        self.cov.json_report(outfile=str(place/"arcs.json"), show_contexts=False)
        found = json.loads((place/"arcs.json").read_text())["files"]
        named = {Path(p).resolve().relative_to(self.root).as_posix().removesuffix(".py"): o for p, o in found.items()}
        return {m: (named[m]["executed_branches"], named[m]["missing_branches"]) for m in MODULES if m in named}


def kept():
    "Target -> inputs"
    out = {}
    for p in sorted(CORPUS.glob("*@*")): out.setdefault(p.name.rpartition("@")[0], []).append(p.read_bytes())
    return out


def targets(place, seed):
    "`(name, [(what reads, content)] once, [the same, to be damaged])`"
    import dialects
    import fuzz
    more = fuzz.sound_texts(seed)
    for name, (file, whole, read) in fuzz.all_seeds(place).items():
        def as_file(content, file=file, read=read): return fuzz.one(place/file, content, read)
        yield name, [(as_file, o, name) for o in (whole, *more.get(name, ()))], whole
    folder = place/"dialect"
    for name, read, cases in dialects.dialects():
        held = []
        for file, content, _, how in cases:
            def in_folder(content, file=file, read=read, how=how):
                folder.mkdir()
                said = dialects.said_of(dialects.laid(folder, file, content), read, how)
                shutil.rmtree(folder)
                return said if said.startswith("FAULT") else "refused" if said else "read"
            held.append((in_folder, content, "" if how else f"{name}@{file}"))
        yield name, held, None


def main(seconds=60., seed=0, keeping=False, missing=False):
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    guide, rng, corpus, n, faults = Guide(), random.Random(seed), kept(), 0, {}
    import fuzz
    with tempfile.TemporaryDirectory() as outer:
        place = Path(outer)
        every = list(targets(place, seed))
        for name, held, whole in every:
            sound = [(ask, o.encode() if isinstance(o, str) else o, to) for ask, o, to in held]
            known = {to: ask for ask, _, to in sound}
            first = [*sound, *((known[to], o, to) for to in known for o in corpus.get(to, ()))]
            queue = [o for o in sound if isinstance(o[1], bytes)]
            end = time.monotonic()+seconds/len(every)
            while first or queue and time.monotonic() < end:
                given, own = (first.pop(0), True) if first else (rng.choice(queue), False)
                ask, content, to = given
                if not own: content = fuzz.damaged(content, rng)
                before, began = guide.taken(), time.process_time()
                said = ask(content)
                n += 1
                if time.process_time()-began > 10: said = "more than 10 s"
                if said not in ("read", "refused"): faults.setdefault((name, said[:60]), content)
                if own or guide.taken() == before: continue
                queue.append((ask, content, to))
                if keeping and to and len(content) <= LARGEST and len(corpus.get(to, ())) < MOST:
                    corpus.setdefault(to, []).append(content)
                    CORPUS.mkdir(parents=True, exist_ok=True)
                    (CORPUS/f"{to}@{len(corpus[to])-1}").write_bytes(content)
            if whole is not None: held[0][0](whole)
        found, listed = guide.branches(place), Names(guide.root).reached()
    share, functions, all_branches = {}, {}, [0, 0]
    for (module, name), node in listed.items():
        here = [[b for b in some if node.lineno <= b[0] <= node.end_lineno] for some in found.get(module, ([], []))]
        functions.setdefault(module, {})[name] = here
    for module, own in functions.items():
        share[module] = [len({tuple(b) for taken_or_not in own.values() for b in taken_or_not[i]}) for i in (0, 1)]
        print(f"{module:<22} {share[module][0]:>5} of {sum(share[module]):>5} branches of {len(own)} functions")
        for name, (taken, left) in own.items():
            if missing and left: print(f"    {name} {len(taken)}/{len(taken)+len(left)} {left}")
    for (name, said), content in faults.items(): print(f"FAULT {name}: {said}\n  {str(content)[:200]}")
    taken, left = (sum(o[i] for o in share.values()) for i in (0, 1))
    whole = [sum(len(o[i]) for o in found.values()) for i in (0, 1)]
    print(f"{n} inputs; {taken} of {taken+left} branches of the {len(listed)} functions in {len(share)} modules that "
          f"readers can call ({taken/(taken+left):.1%}), and {whole[0]} of {sum(whole)} of all that stands in these "
          f"modules ({whole[0]/sum(whole):.1%}); {len(faults)} kinds of faults")
    return int(bool(faults))


if __name__ == "__main__":
    numbers = [o for o in sys.argv[1:] if not o.startswith("--")]
    sys.exit(main(*map(float, numbers[:1]), *map(int, numbers[1:2]), "--keep" in sys.argv, "--missing" in sys.argv))
