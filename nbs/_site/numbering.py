"""Number the notebooks of every room in import order, and keep links, sidebar and tests in step. Run it after adding
or moving a page.

A page keeps its place among those that do not need each other. Without arguments links and sidebar are brought in
step and the pages stay where they are; `--renumber` moves them; `--check` changes nothing and
fails where a number is out of step.
"""
import ast
import json
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from os.path import relpath
from pathlib import Path

nbs = Path(__file__).parent.parent
root = nbs.parent
ROOMS = ("core", "metrics", "data", "model", "mic", "robust", "trust", "anomaly", "domain", "noise", "tcm", "run",
         "report", "gate", "cli", "desk")
LINK = re.compile(r"(?<![\w/.-])((?:[\w.-]+/){0,4})(\d+[a-z]?)_(\w+)\.ipynb")


def module_of(path):
    "`room.module` that a page exports, or None"
    found = re.search(r"#\| default_exp ([\w.]+)", path.read_text(encoding="utf-8"))
    return found and found[1]


def needs(path, room):
    "The modules of its own room that a page's exported cells import when they are loaded"
    for c in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(c["source"])
        if c["cell_type"] != "code" or not re.match(r"#\|\s*export", source): continue
        for n in ast.parse(re.sub(r"^[%!].*$", "", source, flags=re.M)).body:
            if isinstance(n, ast.ImportFrom) and (n.module or "").startswith(f"mic_eval.{room}."):
                yield n.module.split(".")[2]


def in_order(pages, room):
    "Pages, each after those that it needs, else as they stand"
    by_module = {module_of(p).split(".")[1]: p for p in pages}
    place = {name: i for i, name in enumerate(by_module)}
    sorter = TopologicalSorter({name: {n for n in needs(p, room) if n in by_module and n != name}
                                for name, p in by_module.items()})
    sorter.prepare()
    ready, out = [], []
    while sorter.is_active():
        ready = sorted({*ready, *sorter.get_ready()}, key=place.get)
        out.append(ready.pop(0))
        sorter.done(out[-1])
    return [by_module[name] for name in out]


def numbered():
    "`{page: its right path}` of all rooms"
    out = {}
    for room in ROOMS:
        pages = [p for p in sorted((nbs / room).glob("*.ipynb")) if module_of(p)]
        for i, p in enumerate(in_order(pages, room)): out[p] = p.with_name(f"{i:02}_{module_of(p).split('.')[1]}.ipynb")
    return out


def sidebar(text, pages):
    "`_quarto.yml` with the pages of every room in order"
    text = re.sub(r"^(<{7}|={7}|>{7}).*\n", "", text, flags=re.M)   # what a merge left between two lists of pages
    for room in ROOMS:
        own = [f"          - {p.relative_to(nbs).as_posix()}\n" for p in pages if p.parent.name == room]
        text = re.sub(rf"(?:          - {room}/\S+\n)+", lambda m: "".join(own), text, count=1)
    return text


def relinked(text, old, new, place):
    "The text of a page with its links to pages of rooms, which are found by folder and name, as they are now"
    def sub(m):
        to = place.get(((old.parent / m[0]).resolve().parent.name, m[3]))
        return relpath(to, new.parent) if to else m[0]
    return LINK.sub(sub, text)


def main(check=False, renumber=False):
    moves = numbered()
    wrong = [p for p, to in moves.items() if p != to]
    if check:
        for p in wrong: print(f"{p.relative_to(nbs)} should be {moves[p].name}: run nbs/_site/numbering.py")
        return not wrong
    if not renumber: moves = {p: p for p in moves}
    place = {(p.parent.name, module_of(p).split(".")[1]): to.resolve() for p, to in moves.items()}
    for p in sorted(p for p in nbs.rglob("*.ipynb") if not any(s[0] in "._" for s in p.relative_to(nbs).parts)):
        text = p.read_text(encoding="utf-8")
        now = relinked(text, p.resolve(), moves.get(p, p).resolve(), place)
        if now != text: p.write_text(now, encoding="utf-8")
    name = re.compile(r"(\w+)/\d+[a-z]?_(\w+)\.ipynb")
    for p in (root / "tests").glob("*.py"):
        text = p.read_text(encoding="utf-8")
        now = name.sub(lambda m: f"{m[1]}/{place[m[1], m[2]].name}" if (m[1], m[2]) in place else m[0], text)
        if now != text: p.write_text(now, encoding="utf-8")
    if renumber:
        for p in wrong: subprocess.run(["git", "mv", p, p.with_name("_moving_" + moves[p].name)], check=True)
        for p in wrong: subprocess.run(["git", "mv", p.with_name("_moving_" + moves[p].name), moves[p]], check=True)
    quarto = root / "_quarto.yml"
    quarto.write_text(sidebar(quarto.read_text(encoding="utf-8"), moves.values()), encoding="utf-8")
    return True


if __name__ == "__main__": sys.exit(not main("--check" in sys.argv, "--renumber" in sys.argv))
