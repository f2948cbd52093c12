"""Whether two versions of the package say the same, to the last bit and the last word.

    python tests/same.py REF              this tree beside a commit, or beside a file that was written before
    python tests/same.py --write FILE     what this tree says, one sorted line an item

An item is a help text, what a command of the how-tos printed, a part of its `results.json`, a column of its table, the
text of its report, or the answer of a public function of `metrics` or `mic` to one seeded call. References within
the package are written as the name alone, so that a function may move.
Left out is what no two runs share: times, paths, hashes of the code, the environment.
"""
import argparse
import ast
import difflib
import hashlib
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
import warnings
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from pkgutil import walk_packages

from same_rows import ALONE, OPTIONS, QUICK, ROWED, Rows

ROOT = Path(__file__).resolve().parents[1]
STILL = dict(PYTHONHASHSEED="0", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1", COLUMNS="100", TERM="dumb", NO_COLOR="1",
             MPLBACKEND="Agg", TZ="UTC", PYTHONDONTWRITEBYTECODE="1")
UNSTEADY = {"seconds", "draw", "started", "machine", "environment"}   # entries and columns that follow the clock
LONG = 3000   # characters of an item, above which a part of results.json is taken apart


# --- what stays of a text

def plain(text):
    "A text without what no two runs share: where it ran, when, how long, and where in the package a thing stands"
    for place, name in ((os.getcwd(), "HERE"), (str(Path.cwd().resolve()), "HERE"), (str(Path.home()), "HOME")):
        text = text.replace(place, name)
    text = re.sub(r"\bmic_eval(?:\.\w+)+:(\w+)", r":\1", text)
    text = re.sub(r"\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?(\+00:00| UTC)?", "WHEN", text)
    text = re.sub(r"\b[0-9a-f]{64}\b|(?<=/)[0-9a-f]{8}\b", "HASH", text)
    text = re.sub(r"(reading|读取) [\d.]+(, predictions |、预测 )[\d.]+(, evaluation |、评估 )[\d.]+", r"\1 T\2T\3T", text)
    text = re.sub(r'"(seconds|started|draw)": [^,}]+', r'"\1": TIME', text)
    return re.sub(r"\b\d[\d.,]*( ?)(ms|s|min|seconds|minutes|秒|毫秒|分钟)(?![\w/])", r"TIME\1\2", text)


def sha(data): return hashlib.sha256(data if isinstance(data, bytes) else data.encode()).hexdigest()[:20]


def parts(value, name=""):
    "A tree of results as `(path, text)`: whole where it is short, taken apart where it is long"
    text = plain(json.dumps(value, ensure_ascii=False))
    if len(text) <= LONG or not isinstance(value, (dict, list)) or not value: yield name, text
    elif isinstance(value, dict):
        yield f"{name} keys", " ".join(map(str, value))
        for k, v in value.items():
            if k not in UNSTEADY: yield from parts(v, f"{name}.{k}" if name else str(k))
    else: yield name, f"{len(value)} values, sha {sha(text)}"


def columns(table):
    "The columns of a table as `(name, type and hash of the values)`"
    for name, column in table.items():
        if name in UNSTEADY: continue
        values = [v.hex() if isinstance(v, float) else repr(v.tolist() if hasattr(v, "tolist") else v) for v in column]
        yield str(name), f"{column.dtype}, {len(values)} values, sha {sha(plain(chr(10).join(values)))}"


def page_text(path):
    "What a reader of a report reads"
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"(?s)<(script|style|svg|head)\b.*?</\1>|<!--.*?-->", " ", text)
    text = html.unescape(re.sub(r"<[^>]+>", "\n", text))
    return "\n".join(line.strip() for line in plain(text).splitlines() if line.strip())


# --- commands

def apart(job):
    "What a job returns, from a process of its own, so that nothing that it changes is left behind"
    r, w = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if not pid:
        code = 1
        try:
            os.close(r)
            with os.fdopen(w, "w") as out: json.dump(job(), out)
            code = 0
        except BaseException: traceback.print_exc()
        finally: os._exit(code)
    os.close(w)
    with os.fdopen(r) as answer: said = answer.read()
    os.waitpid(pid, 0)
    return json.loads(said) if said else None


def program(): return next(e for e in entry_points(group="console_scripts") if e.name == "mic-eval").load()


def command(words):
    "Exit code, stdout and stderr of a command, as a terminal would have them"
    said = [tempfile.TemporaryFile("w+", encoding="utf-8") for _ in range(2)]
    def job():
        sys.argv, code = ["mic-eval", *words], 0
        for fd, file in zip((1, 2), said): os.dup2(file.fileno(), fd)
        sys.stdout, sys.stderr = (open(fd, "w", encoding="utf-8", closefd=False) for fd in (1, 2))
        try: program()()
        except SystemExit as e: code = e.code or 0
        for stream in (sys.stdout, sys.stderr): stream.flush()
        return code
    code = apart(job)
    for file in said: file.seek(0)
    return code, *(file.read() for file in said)


def groups(program, path=()):
    "Words of every command and of the commands below it, hidden ones too"
    import typer
    yield path
    ctx = typer.Context(program)
    if not hasattr(program, "list_commands"): return
    for name in program.list_commands(ctx):
        below = program.get_command(ctx, name)
        made = below.callback.program() if hasattr(below.callback, "program") else below
        yield from groups(made, (*path, name))


# every word that was ever a command: it answers as it did, wherever it went
WORDS = """run demo check manifest columns list plan mics read report gate compare sweep pool runs export figures card
track attack explain suspects anomaly domain ask score noise rate ratings""".split()


def helps():
    def job():
        import typer
        from typer.testing import CliRunner
        app, out = program(), []
        known = {tuple(p) for p in groups(typer.main.get_command(app))} | {(w,) for w in WORDS}
        for lang in ("en", "zh"):
            for words in [("list",), *((*p, "--help") for p in sorted(known))]:
                done = CliRunner().invoke(app, [*words, "--lang", lang])
                lines = "\n".join(line.rstrip() for line in done.output.splitlines())
                out.append([f"help {lang} {' '.join(words)}", f"exit {done.exit_code}\n{plain(lines)}"])
        return out
    yield from apart(job)


def modules():
    "Names of the modules of the package"
    import mic_eval
    return [m.name for m in walk_packages(mic_eval.__path__, "mic_eval.") if not m.name.endswith("__main__")]


def called(room, name):
    "A function of a room by its name, wherever in the package it stands"
    try: return getattr(import_module(f"mic_eval.{room}"), name)
    except (AttributeError, ImportError): pass
    for module in modules():
        if name in vars(found := import_module(module)) and not hasattr(found, "__path__"): return vars(found)[name]
    raise AttributeError(name)


def classification():
    "Tables that any two classifiers could have written"
    import numpy as np
    import pandas as pd
    rng = np.random.default_rng(3)
    grew = rng.random(240) < .45
    for name, noise in (("one", .17), ("two", .3)):
        p = np.clip(np.where(grew, .8, .15)+rng.normal(0, noise, 240), .001, .999).round(3)
        pd.DataFrame(dict(sample_id=[f"W{i:03d}" for i in range(240)], y_true=grew.astype(int), y_prob=p,
                          site=np.tile(["a", "b", "c"], 80), patient=np.repeat([f"I{i:02d}" for i in range(20)], 12))
                     ).to_csv(f"{name}.csv", index=False)
    Path("models.yaml").write_text("- name: one\n  predictions: one.csv\n- name: two\n  predictions: two.csv\n")
    Path("data.yaml").write_text("- name: wells\n")


STORIES = {   # name -> what is made first, and commands in order
    "classification": (classification, [
        "columns one.csv", "check one.csv", "run --predictions one.csv --by site --report technical",
        "run --predictions two.csv --by site --report none --lang zh", "runs list",
        "compare runs/one/predictions runs/two/predictions --report none", "gate runs/one/predictions --report none",
        "suspects --predictions one.csv", "sweep models.yaml data.yaml --report none --jobs 1 --out swept",
        "card runs/one/predictions", "export runs/one/predictions --to csv",
        "plan rate --expect 0.98 --limit 0.95", "plan auroc --help", "run --predictions none.csv"]),
    "pairs": (lambda: Rows(40, called).study.to_csv("pairs.csv", index=False), [
        "columns pairs.csv", "mics pairs.csv --reference reference --test test --by drug --report none",
        "mics pairs.csv --reference reference --test second --report none --lang zh"]),
    # no gate here: it times the machine and draws wells by the clock
    "wells": (None, ["run --model wellnet --data demo:2 --report clinical --lang zh"]),
    "anomaly": (None, ["anomaly demo"]),
    "domain": (lambda: called("domain", "demo_patients")("."), [
        "domain patients.csv --site hospital --target ill"]),
    "noise": (lambda: called("noise", "demo_trials")("trials"), ["run --predictions trials/trials.parquet"]),
    "tcm": (lambda: called("tcm", "demo_table")("."), ["run --predictions made_up.parquet --lang zh"]),
    "cases": (lambda: called("tcm", "demo_case_table")("."), ["run --predictions good.parquet --report none"]),
}


def files():
    "Files below here that are read, with when they were written"
    return {p: p.stat().st_mtime_ns for p in Path(".").rglob("*") if p.is_file() and not p.is_symlink() and not any(
        o.is_symlink() for o in p.parents)}


def story(name):
    "What the commands of a story print and write"
    import pandas as pd
    make, lines = STORIES[name]
    if make: apart(lambda: str(make()))
    for line in lines:
        before, key = files(), f"{name}: {line}"
        code, out, err = command(line.split())
        yield f"{key} | exit", str(code)
        yield f"{key} | stdout", plain(out)
        yield f"{key} | stderr", plain(err)
        for path in sorted(p for p, when in files().items() if before.get(p) != when):
            place = f"{key} | {re.sub(r'[0-9a-f]{8}(?=/)', '#', path.as_posix())}"
            if path.suffix == ".json" and path.name in ("results.json", "gate.json", "compare.json"):
                text = path.read_text(encoding="utf-8")
                for at, value in parts(json.loads(text)): yield f"{place} | {at}", value
            elif path.suffix == ".parquet":
                for at, value in columns(pd.read_parquet(path)): yield f"{place} | {at}", value
            elif path.name == "leaderboard.csv":
                for at, value in columns(pd.read_csv(path)): yield f"{place} | {at}", value
            elif path.suffix == ".html" and path.name not in ("index.html", "sweep.html"): yield place, page_text(path)
            elif path.suffix in (".md", ".csv"): yield place, plain(path.read_text(encoding="utf-8"))


def commands():
    home = Path.cwd()
    for name in STORIES:
        folder = home/name
        folder.mkdir()
        os.chdir(folder)
        yield from story(name)
        os.chdir(home)


# --- calls

def told(o, deep=0):
    "An answer in full, every number to its last bit"
    import numpy as np
    if o is None or isinstance(o, (bool, np.bool_)): return str(o)
    if isinstance(o, (str, bytes)): return repr(plain(str(o)))
    if isinstance(o, (int, np.integer)): return str(int(o))
    if deep > 6: return type(o).__name__
    say = lambda v: told(v, deep+1)
    slots = [(s,) if isinstance(s, str) else s for s in (getattr(c, "__slots__", ()) for c in type(o).__mro__)]
    state = {k: getattr(o, k) for names in slots for k in names if k[0] != "_" and hasattr(o, k)}
    if isinstance(o, (float, np.floating)):
        more = state if type(o).__module__.startswith("mic_eval") else {}
        more = "".join(f", {k}={say(v)}" for k, v in sorted({**more, **getattr(o, "__dict__", {})}.items()))
        return f"{type(o).__name__}({float(o).hex()}{more})" if more else float(o).hex()
    if type(o).__module__.startswith("pandas"):
        frame = o.to_frame() if hasattr(o, "to_frame") else o
        if not hasattr(frame, "items"): return plain(repr(o))
        inner = "; ".join(f"{k}: {say(np.asarray(v, object))}" for k, v in frame.items())
        return f"{type(o).__name__}({inner})"
    if isinstance(o, np.ndarray):
        values = [say(v) for v in o.ravel().tolist()]
        shown = " ".join(values) if len(values) <= 24 else f"{' '.join(values[:3])} ... sha {sha(' '.join(values))}"
        return f"{o.dtype}{list(o.shape)}[{shown}]"
    if isinstance(o, dict): return f"{type(o).__name__}{{" + ", ".join(f"{k}: {say(v)}" for k, v in o.items()) + "}"
    if isinstance(o, (set, frozenset)): return "{" + ", ".join(sorted(map(say, o))) + "}"
    if isinstance(o, (list, tuple)):
        values = [say(v) for v in o]
        if len(values) > 60: values = [*values[:3], f"... {len(values)} values, sha {sha(chr(32).join(values))}"]
        return f"{type(o).__name__}(" + ", ".join(values) + ")"
    if isinstance(o, type) or callable(o) and hasattr(o, "__name__"): return f"<{o.__name__}>"
    if type(o).__module__.startswith("matplotlib"):
        lines = [np.asarray(line.get_xydata(), float) for line in getattr(o, "lines", ())]
        words = [t.get_text() for t in getattr(o, "texts", ())]
        return f"Axes({say(lines)}, {say(words)})"
    if hasattr(o, "__next__"): return f"each {say(list(o)[:50])}"
    state |= getattr(o, "__dict__", {})
    if not type(o).__module__.startswith("mic_eval"): return type(o).__name__
    return f"{type(o).__name__}(" + ", ".join(f"{k}={say(v)}" for k, v in state.items() if k[0] != "_") + ")"


def signature(f):
    "Parameters as `(name, kind, default)`; those of an object that is called are those of its call"
    import inspect
    try: found = inspect.signature(f).parameters.values()
    except (TypeError, ValueError): return None
    return [(p.name, p.kind.name, p.default is not p.empty, p.default) for p in found]


def attempt(f, given, options):
    import numpy as np
    np.random.seed(0)
    try: return True, told(f(*given, **options))
    except Exception as e: return False, f"{type(e).__name__}: {plain(str(e))[:600]}"


def bound(params, values, given):
    "Positional and keyword arguments, or the name of what nothing is known of"
    args, options = [], {}
    value = lambda name: v() if getattr(v := values[name], "__name__", "") == "<lambda>" else v
    for name, kind, has, default in params:
        if kind == "VAR_KEYWORD": continue
        elif kind == "VAR_POSITIONAL": args += {"predictions": [values["pred_a"], values["pred_b"]], "columns": [
            values.get("columns")]}.get(name, [])
        elif name in given: options[name] = given[name]
        elif has and name not in ("data", "breakpoints") and (name, default) != ("drug", None): continue
        elif name not in values:
            if not has: return name
        elif kind == "KEYWORD_ONLY": options[name] = value(name)
        else: args.append(value(name))
    return args, options


def answers(f, room, name, rows):
    "Seeded calls as `(what was asked, what was answered)`, and why none of them worked, if none did"
    params = signature(f)
    if params is None: return [], "no signature"
    mark = dict(VAR_POSITIONAL="*", VAR_KEYWORD="**", KEYWORD_ONLY="~")
    out = [["parameters", ", ".join(f"{k}{mark.get(kind, '')}" + (f"={told(v)}" if has else "")
                                    for k, kind, has, v in params)]]
    takes, any_word = {p[0] for p in params}, any(p[1] == "VAR_KEYWORD" for p in params)
    required = {p[0] for p in params if not p[2] and p[1] != "VAR_KEYWORD"}
    always = {k: v for k, v in QUICK.items() if k in takes} | ALONE.get(name, {})
    full, why = rows[40, False], "takes nothing that any family knows"
    families_of = lambda r: r.families if room == "metrics" else r.mic_families
    def ask(label, r, family, **given):
        words = dict(always) | given
        try: made = bound(params, {**r.common, **families_of(r)[family]}, words)
        except Exception as e: made = f"{family}: {type(e).__name__} {e}"
        if isinstance(made, str): return False, f"no value for {made}"
        args, options = made
        ok, said = attempt(f, args, options | {k: v for k, v in words.items() if any_word or k in takes})
        out.append([f"{family} {label}".strip(), said])
        return ok, said
    worked = {}
    for family, words in families_of(full).items():
        if worked and not {*words} & required: continue
        ok, said = ask("", full, family)
        if ok and said not in worked.values(): worked[family] = said
        elif not ok and not said.startswith("no value"): why = f"{family}: {said}"
    for family in worked:
        if required & ROWED:
            for (n, ties), r in rows.items():
                if r is not full: ask(f"n={n}{' ties' if ties else ''}", r, family)
        if any_word or "groups" in takes:
            ask("groups", full, family, groups=full.groups)
            ask("two groups", full, family, groups=full.truth)
            if any_word or "ci" in takes: ask("groups ci=.8", full, family, groups=full.groups, ci=.8)
        if any_word or "sample_weight" in takes:
            ask("weights", full, family, sample_weight=full.weight)
            ask("weights groups", full, family, sample_weight=full.weight, groups=full.groups)
            ask("frequency", full, family, sample_weight=full.count, frequency=True)
        for option, others in OPTIONS.items():
            if option not in takes-required and not (any_word and option == "ci"): continue
            for v in others: ask(f"{option}={v}", full, family, **{option: v})
    return out, "" if worked else why


def calls_of(room, name, rows):
    "What is said of one public name: its value, its answers, or those of the classmethod that makes one"
    f = called(room, name)
    if isinstance(f, type):
        if not hasattr(f, "of"): return [], "a class without `of`"
        return answers(f.of, room, name, rows)
    if not callable(f): return [["value", told(f)]], ""
    return answers(f, room, name, rows)


ROOMS = "metrics", "mic"


def public(folder, room):
    "Names that a room promises"
    stub = (Path(folder)/"mic_eval"/room/"__init__.pyi").read_text(encoding="utf-8")
    return {a.asname or a.name for node in ast.walk(ast.parse(stub)) if isinstance(node, ast.ImportFrom)
            for a in node.names}


def calls(names):
    rows = {(n, ties): Rows(n, called, ties) for n, ties in [(40, False), (40, True), *((n, False) for n in range(6))]}
    missing = []
    def asked_of(room, name):
        try: return calls_of(room, name, rows)
        except Exception as e: return [], f"{type(e).__name__}: {e}"
    found = []
    for at in range(0, len(names), 16):   # a process for each would take a third of the time
        some = names[at:at+16]
        found += apart(lambda: [asked_of(*o) for o in some]) or [
            apart(lambda: asked_of(*o)) or ([], "the call ended Python") for o in some]
    for (room, name), (said, why) in zip(names, found):
        for asked, answer in said: yield f"call {room}.{name} | {asked}", answer
        if why: missing.append(f"{room}.{name}: {why}")
    yield "calls without an answer", "\n".join(missing)


PARTS = dict(helps=helps, commands=commands, calls=calls)


# --- a tree, and two

def written(items, file):
    "Items as a file: sorted, one line each"
    lines = sorted(f"{k}\t{v}".replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r") for k, v in items)
    Path(file).write_text("\n".join(lines)+"\n", encoding="utf-8")


def read(file):
    out = {}
    for line in Path(file).read_text(encoding="utf-8").split("\n")[:-1]:
        k, _, v = line.partition("\t")
        out[k] = re.sub(r"\\(.)", lambda m: dict(n="\n", r="\r").get(m[1], m[1]), v)
    return out


def tree(folder, file, only=(), names=()):
    "What the package in a folder says, written by a Python of its own"
    with tempfile.TemporaryDirectory() as place:
        place = Path(place).resolve()
        subprocess.run([sys.executable, "setup.py", "-q", "egg_info", "--egg-base", place], cwd=folder, check=True,
                       capture_output=True)
        (place/"work").mkdir()
        asked = {(room, name) for room in ROOMS for name in public(folder, room)} | set(names)
        (place/"names.json").write_text(json.dumps(sorted(asked)))
        import nbconvert
        shared = next((p/"share"/"jupyter" for p in Path(nbconvert.__file__).parents
                       if (p/"share"/"jupyter"/"nbconvert").is_dir()), "")
        env = os.environ | STILL | dict(PYTHONPATH=f"{place}:{folder}", JUPYTER_PATH=str(shared))
        env["PYTHONHASHSEED"] = os.environ.get("PYTHONHASHSEED", "0")
        subprocess.run([sys.executable, Path(__file__).resolve(), "--inside", Path(file).resolve(), *only],
                       cwd=place/"work", env=env, check=True)


def inside(file, only):
    "The package that this Python imports"
    sys.argv[1:] = []
    import matplotlib.pyplot, numpy, pandas, scipy.stats, sklearn.metrics, torch   # once, not in every process
    warnings.simplefilter("ignore")
    for name in modules(): import_module(name)
    names = json.loads(Path("../names.json").read_text())
    written([item for name, part in PARTS.items() if not only or name in only
             for item in (part(names) if part is calls else part())], file)


def difference(a, b):
    "What differs between two files, a few lines an item"
    for k in sorted({*a, *b}):
        if a.get(k) == b.get(k): continue
        yield k
        if k not in a or k not in b: yield "  only "+("here" if k in b else "there")
        else:
            lines = difflib.unified_diff(*[re.sub(r"([,;{\[] ?)", "\\1\n", v).split("\n") if "\n" not in v
                                           else v.split("\n") for v in (a[k], b[k])], n=0, lineterm="")
            yield from [f"  {line[:200]}" for line in list(lines)[2:] if not line.startswith("@@")][:12]


def part_of(key): return {"help": "helps", "call": "calls", "calls": "calls"}.get(key.split(" ")[0], "commands")


def compared(base, only):
    "Items of this tree that differ from a commit or a file"
    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        there, here = place/"there.txt", place/"here.txt"
        if Path(base).is_file(): shutil.copy(base, there)
        else:
            subprocess.run(["git", "worktree", "add", "-q", "--detach", place/"tree", base], cwd=ROOT, check=True)
            try: tree(place/"tree", there, only)
            finally: subprocess.run(["git", "worktree", "remove", "--force", place/"tree"], cwd=ROOT, check=True)
        a = read(there)
        # what was promised there is asked here too, wherever it is now
        tree(ROOT, here, only, {tuple(k.split(" ")[1].split(".", 1)) for k in a if k.startswith("call ")})
        b = read(here)
    if only: a, b = ({k: v for k, v in o.items() if part_of(k) in only} for o in (a, b))
    differ = list(difference(a, b))
    print(*differ, sep="\n")
    n = sum(not line.startswith("  ") for line in differ)
    print(f"{n} of {len({*a, *b})} items differ" if n else f"all {len(a)} items are the same")
    return int(n > 0)


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("base", nargs="?", help="a commit, or a file that --write wrote")
    asked.add_argument("--write", metavar="FILE", help="what one tree says")
    asked.add_argument("--tree", default=ROOT, type=Path, help="the tree of --write; this one unless given")
    asked.add_argument("--only", nargs="+", default=(), choices=PARTS, help="some parts alone")
    asked.add_argument("--inside", nargs="+", help=argparse.SUPPRESS)
    given = asked.parse_args()
    if given.inside: inside(given.inside[0], given.inside[1:])
    elif given.write: tree(given.tree.resolve(), given.write, given.only)
    elif given.base: sys.exit(compared(given.base, given.only))
    else: asked.error("a commit or a file to compare with, or --write FILE")
