"""Do the pages and tests notice a mistake? `make mutants N=200 SEED=0` changes one expression of the exported code at
a time, in a copy, and runs the page that exports it and then the tests and pages that run the changed line (`reached`
knows them), the most special first, until one fails. What lets every change pass is listed with its line: it wants a
test that asserts the definition, or a reason. `below=mic_eval/mic` draws from one room, `named=size_of` from one
function; `budget=0` runs the own page alone; `part=1/2` takes every second of them, for two processes. Limits are in
CPU seconds: a busy machine kills no mutant.

Mutation testers know no notebooks; this one runs each check in a fork of a process that has imported the libraries.
"""
import ast
import copy
import json
import os
import random
import re
import resource
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import reached
import stored
from coverage.numbits import num_in_numbits

root = Path(__file__).parent.parent.parent
COMPARED = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
            ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is}
REVERSED = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}
COUNTED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Div,
           ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd}
NAMED = ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef
CALLED = dict(min="max", max="min", any="all", all="any", argmin="argmax", argmax="argmin", floor="ceil", ceil="floor",
              nanmin="nanmax", nanmax="nanmin", minimum="maximum", maximum="minimum", is_dir="is_file",
              is_file="is_dir")
OPTIONS = tuple(f"tests/test_promises.py::test_{name}" for name in (   # they read the source, and run no line of it
    "the_same_call_means_the_same_in_the_next_release",
    "what_is_asked_in_many_places_is_the_same_where_nothing_is_said",
    "an_option_that_is_handed_on_has_the_default_of_where_it_goes"))


@dataclass(frozen=True)
class Mutant:
    "One change: bytes `start` to `end` of a module become `new`"
    path:Path; where:str; begins:int; line:int; start:int; end:int; old:str; new:str   # the statement begins earlier
    option:bool=False   # what an option is where nothing is said

    def __str__(self): return f"{self.path}:{self.line} {self.where}: `{self.old}` becomes `{self.new}`"

    def source(self, text): return text[:self.start] + self.new.encode() + text[self.end:]


def changes(node):
    "Other things that an expression or statement could have been"
    def other(**fields):
        new = copy.deepcopy(node)
        for k, v in fields.items(): setattr(new, k, v)
        return new
    if isinstance(node, ast.Compare):
        op = type(node.ops[0])
        for table in (COMPARED, REVERSED):
            if op in table: yield other(ops=[table[op](), *node.ops[1:]])
    elif isinstance(node, ast.BinOp) and type(node.op) in COUNTED:
        words = [n for n in (node.left, node.right) if isinstance(n, (ast.JoinedStr, ast.List, ast.Tuple)) or
                 isinstance(n, ast.Constant) and isinstance(n.value, str)]
        if not words: yield other(op=COUNTED[type(node.op)]())
    elif isinstance(node, ast.BoolOp): yield other(op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub, ast.Invert)): yield node.operand
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, bool): yield ast.Constant(not node.value)
        elif isinstance(node.value, (int, float)): yield from (ast.Constant(node.value+1), ast.Constant(node.value-1))
    elif isinstance(node, ast.Call):
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name in CALLED:
            func = copy.deepcopy(node.func)
            setattr(func, "id" if isinstance(func, ast.Name) else "attr", CALLED[name])
            yield other(func=func)
        if name == "sorted":
            way = next((k.value for k in node.keywords if k.arg == "reverse"), None)
            rest = [k for k in node.keywords if k.arg != "reverse"]
            yield other(keywords=rest if way else [*rest, ast.keyword("reverse", ast.Constant(True))])
        if name in ("abs", "sorted", "round") and len(node.args) == 1: yield node.args[0]
    elif isinstance(node, ast.IfExp): yield other(body=node.orelse, orelse=node.body)
    elif isinstance(node, ast.Slice):
        if node.lower is not None: yield other(lower=None)
        if node.upper is not None: yield other(upper=None)
    elif isinstance(node, ast.Return) and node.value is not None and not (
            isinstance(node.value, ast.Constant) and node.value.value is None):
        yield ast.Return(ast.Constant(None))
    elif isinstance(node, ast.AugAssign) and type(node.op) in COUNTED: yield other(op=COUNTED[type(node.op)]())


def mutants_of(path):
    "Every mutant of a module; nothing in annotations, texts and the lists of names that nbdev writes"
    text = (root/path).read_bytes()
    begins = [0]
    for line in text.splitlines(keepends=True): begins.append(begins[-1]+len(line))
    out = []

    def visit(node, where, begins_at=1, option=False):
        if isinstance(node, (ast.JoinedStr, ast.arg, ast.Import, ast.ImportFrom)): return
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__": return
        if isinstance(node, NAMED): where = ".".join(filter(None, (where, node.name)))
        if isinstance(node, ast.stmt): begins_at, option = node.lineno, False
        option = option or isinstance(node, ast.arguments)
        if isinstance(node, (ast.expr, ast.stmt, ast.Slice)):
            start, end = begins[node.lineno-1]+node.col_offset, begins[node.end_lineno-1]+node.end_col_offset
            old = text[start:end].decode()
            for new in changes(node):
                said = ast.unparse(new)
                whole = isinstance(new, (ast.Name, ast.Call, ast.Attribute, ast.Slice, ast.stmt))
                if not whole and not (isinstance(new, ast.Constant) and said[0] != "-"): said = f"({said})"
                out.append(Mutant(path, where, begins_at, node.lineno, start, end, old, said, option))
        for name, child in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list"): continue
            for c in child if isinstance(child, list) else [child]:
                if isinstance(c, ast.AST): visit(c, where, begins_at, option)
    visit(ast.parse(text), "")
    return out


def compiles(m):
    text = (root/m.path).read_bytes()
    try: return ast.dump(ast.parse(m.source(text))) != ast.dump(ast.parse(text))
    except SyntaxError: return False


@cache
def exported_from(path):
    text = (root/path).read_text(encoding="utf-8")
    return Path(re.search(r"File to edit: (?:\.\./)*(nbs/\S+\.ipynb)", text)[1])


@cache
def reached_lines():
    "`{check: lines of the package that it runs}`, and a connection to `build/reached`"
    kept = sqlite3.connect(root/"build"/"reached")
    widths = Counter()
    for check, bits in kept.execute("select context, numbits from line_bits join context on context.id = context_id"):
        widths[check] += int.from_bytes(bits, "little").bit_count()
    return widths, kept


def checks_of(m):
    "Batches of checks that run what is changed, the most special first: its own page, tests, pages, more tests"
    widths, kept = reached_lines()
    rows = kept.execute("select context, numbits from line_bits join context on context.id = context_id "
                        "join file on file.id = file_id where path = ?", [str(root/m.path)])
    lines = range(m.begins, m.line+1)
    found = {check for check, bits in rows if any(num_in_numbits(n, bits) for n in lines)} - {reached.IMPORTED}
    special = sorted(found, key=lambda check: (widths[check], check))
    pages = [Path(c) for c in special if c.endswith(".ipynb")]
    tests = [c for c in special if not c.endswith(".ipynb")]
    own = exported_from(m.path)
    return [own, *[OPTIONS]*m.option, tuple(tests[:40]), *[p for p in pages if p != own][:5], tuple(tests[40:240])]


def parts_of(source):
    "Of a module, what each cell of its page gave: `{cell id: lines}`"
    parts = re.split(r"(?m)^# %% \S+ #(\S+)\n", source)
    return {k: text.rstrip("\n").split("\n") for k, text in zip(parts[1::2], parts[2::2])}


def with_change(page, before, after):
    "A page whose exported cell says what the changed module says: it runs its own cells, not the module"
    nb, old, new = json.loads(page), parts_of(before), parts_of(after)
    for c in nb["cells"]:
        if (k := c.get("id")) not in old or old[k] == new[k]: continue
        marks, own = [], []
        for line in "".join(c["source"]).rstrip("\n").split("\n"):
            (marks if line.startswith("#|") else own).append(line)
        spelled = dict(zip(old[k], own))   # a page imports by full names, a module by relative ones
        c["source"] = "\n".join([*marks, *(spelled.get(line, line) for line in new[k])])
    return json.dumps(nb, ensure_ascii=False)


class Noted:
    "Which test failed, in a file of the copy"
    def pytest_runtest_logreport(self, report):
        if report.failed: Path(".failed").write_text(report.nodeid)


def run_check(check):
    "In a fork, in the copy: exit with 0 where a page passes, or all tests of a tuple"
    if isinstance(check, Path):
        ok, off = stored.run_page(Path.cwd()/check, ["notest", "slow"], showerr=False)
        return 0 if ok and not off else 1
    import pytest
    alone = ["-x", "-q", "--full", "-p", "no:cacheprovider", "-p", "no:xdist"]
    return int(pytest.main([*alone, *check], plugins=[Noted()]) not in (0, 5))


def forked(check, folder, limit):
    """`(passed, CPU seconds)` of a check in a fork, with the processes that it started

    What needs more CPU than its limit has not passed, nor has what still waits after ten times as long.
    """
    start, child = time.monotonic(), os.fork()
    if not child:
        code = 1
        try:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            spent = time.process_time()   # a fork counts from 0, and what it starts does so again
            resource.setrlimit(resource.RLIMIT_CPU, [int(spent+limit)]*2)
            os.setsid()
            os.chdir(folder)
            sys.path.insert(0, str(folder))
            sink = os.open(os.devnull, os.O_RDWR)
            for fd in (0, 1, 2): os.dup2(sink, fd)
            code = run_check(check)
        finally: os._exit(code)
    while not (done := os.wait4(child, os.WNOHANG))[0]:
        if time.monotonic()-start > 10*limit:
            with suppress(ProcessLookupError): os.killpg(child, signal.SIGKILL)
            done = os.wait4(child, 0)
            break
        time.sleep(.02)
    with suppress(ProcessLookupError): os.killpg(child, signal.SIGKILL)   # what a check left behind
    _, status, used = done
    return status == 0, used.ru_utime+used.ru_stime


def warm():
    "Import once what the pages import; nothing of the project"
    import matplotlib
    matplotlib.use("Agg")
    import fastcore.test, hypothesis, IPython, matplotlib.pyplot, nbdev.test, numpy, pandas, PIL.Image, pytest  # noqa
    import pyarrow.parquet, scipy.stats, sklearn.metrics, torch, typer.testing, yaml  # noqa
    torch.set_num_threads(1)


def judged(m, folder, known, budget):
    "The check that killed a mutant, or None; and the seconds of all. A check counts where it passes without the mutant"
    target, page, noted, spent = folder/m.path, folder/exported_from(m.path), folder/".failed", 0.
    text, cells = target.read_bytes(), page.read_text(encoding="utf-8")
    todo = checks_of(m)
    while todo and spent <= budget:
        check = todo.pop(0)
        if isinstance(check, tuple): check = tuple(c for c in check if known.get(c, True))
        if not check or not known.get(check, True): continue
        noted.unlink(missing_ok=True)
        try:
            target.write_bytes(m.source(text))
            page.write_text(with_change(cells, text.decode(), m.source(text).decode()), encoding="utf-8")
            alive, took = forked(check, folder, 120)
        finally:
            target.write_bytes(text)
            page.write_text(cells, encoding="utf-8")
        spent += took
        if alive: continue
        failed = noted.read_text() if noted.exists() else check
        if failed not in known:
            known[failed] = forked((failed,) if isinstance(failed, str) else failed, folder, 120)[0]
            if not known[failed]: print(f"  {failed} does not pass without a mutant: left out", flush=True)
        if known[failed]: return failed, spent
        if isinstance(check, tuple) and failed != check: todo.insert(0, check)
    return None, spent


def main(n=100, seed=0, below="mic_eval", named="", budget=90, part="1/1"):
    paths = [p.relative_to(root) for p in sorted((root/"mic_eval").rglob("*.py")) if p.name[0] != "_"]
    paths = [p for p in paths if any(str(p).startswith(o) for o in below.split(","))]
    every = [m for p in paths for m in mutants_of(p) if not named or m.where in named.split(",")]
    drawn = random.Random(seed)
    chosen = [m for m in drawn.sample(every, min(len(every), 2*n+20)) if compiles(m)][:n]
    nth, parts = map(int, part.split("/"))
    chosen = chosen[nth-1::parts]
    print(f"{len(chosen)} of {len(every)} mutants of {len(paths)} modules, seed {seed}", flush=True)
    os.environ |= dict(OMP_NUM_THREADS="1", PYTHONHASHSEED="0", PYTHONDONTWRITEBYTECODE="1", MPLBACKEND="Agg")
    sys.dont_write_bytecode = True
    signal.signal(signal.SIGTERM, lambda *a: sys.exit(143))   # the copy goes
    warm()
    known, survived, by = {}, [], Counter()
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        folder = Path(folder).resolve()
        for name in ("mic_eval", "nbs", "tests"):
            shutil.copytree(root/name, folder/name, ignore=shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints"))
        for p in root.iterdir():
            if p.is_file() and p.name[0] != ".": shutil.copy2(p, folder/p.name)
        os.environ["PYTHONPATH"] = str(folder)
        for i, m in enumerate(chosen, 1):
            check, spent = judged(m, folder, known, budget)
            if check is None: survived.append(m)
            else: by["their own page" if check == exported_from(m.path) else "another page or test"] += 1
            print(f"{i:4} {spent:5.1f} s {'SURVIVED' if check is None else f'killed by {check}'}  {m}", flush=True)
    killed = len(chosen)-len(survived)
    of = ", ".join(f"{n} by {who}" for who, n in by.items())
    print(f"\n{killed} of {len(chosen)} mutants were killed ({killed/max(len(chosen), 1):.0%}; {of})")
    for m in survived: print(f"survived: {m}")


if __name__ == "__main__":
    kinds = dict(n=int, seed=int, below=str, named=str, budget=float, part=str)
    main(**{k: kinds[k](v) for k, v in (a.split("=", 1) for a in sys.argv[1:])})
