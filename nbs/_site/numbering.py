"""Number the notebooks of every room in import order, and keep links, sidebar and tests in step. Run it after adding or moving a page.

A page keeps its place among those that do not need each other. `--check` changes nothing and fails where a number is out of step.
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
ROOMS = "core", "metrics", "data", "model", "mic", "robust", "trust", "anomaly", "domain", "noise", "tcm", "run", "report", "gate", "cli"
LINK = re.compile(r"([\w./-]*?)(\d+[a-z]?)_(\w+)\.ipynb")


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
            if isinstance(n, ast.ImportFrom) and (n.module or "").startswith(f"mic_eval.{room}."): yield n.module.split(".")[2]


def in_order(pages, room):
    "Pages, each after those that it needs, else as they stand"
    by_module = {module_of(p).split(".")[1]: p for p in pages}
    place = {name: i for i, name in enumerate(by_module)}
    sorter = TopologicalSorter({name: {n for n in needs(p, room) if n in by_module and n != name} for name, p in by_module.items()})
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
    for room in ROOMS:
        own = [f"          - {p.relative_to(nbs).as_posix()}\n" for p in pages if p.parent.name == room]
        text = re.sub(rf"(?:          - {room}/\S+\n)+", lambda m: "".join(own), text, count=1)
    return text


def relinked(text, old, new, moves):
    "The text of a page with its links to other pages as they are now"
    def sub(m):
        to = (old.parent / m[0]).resolve()
        return relpath(moves[to], new.parent) if to in moves else m[0]
    return LINK.sub(sub, text)


def main(check=False):
    moves = numbered()
    wrong = [p for p, to in moves.items() if p != to]
    if check or not wrong:
        for p in wrong: print(f"{p.relative_to(nbs)} should be {moves[p].name}: run nbs/_site/numbering.py")
        quarto = root / "_quarto.yml"
        if not check: quarto.write_text(sidebar(quarto.read_text(encoding="utf-8"), moves.values()), encoding="utf-8")
        return not wrong
    links = {p.resolve(): to.resolve() for p, to in moves.items()}
    for p in sorted(p for p in nbs.rglob("*.ipynb") if not any(s[0] in "._" for s in p.relative_to(nbs).parts)):
        text = p.read_text(encoding="utf-8")
        if (now := relinked(text, p.resolve(), links.get(p.resolve(), p.resolve()), links)) != text: p.write_text(now, encoding="utf-8")
    plain = {f"{p.parent.name}/{p.name}": f"{to.parent.name}/{to.name}" for p, to in moves.items()}
    tracked = [*(root / "tests").glob("*.py"), root / "_quarto.yml"]
    for p in tracked:
        text = p.read_text(encoding="utf-8")
        p.write_text(re.sub(r"\w+/\d+[a-z]?_\w+\.ipynb", lambda m: plain.get(m[0], m[0]), text), encoding="utf-8")
    for p in wrong: subprocess.run(["git", "mv", p, p.with_name("_moving_" + moves[p].name)], check=True)
    for p in wrong: subprocess.run(["git", "mv", p.with_name("_moving_" + moves[p].name), moves[p]], check=True)
    (root / "_quarto.yml").write_text(sidebar((root / "_quarto.yml").read_text(encoding="utf-8"), moves.values()), encoding="utf-8")
    return True


if __name__ == "__main__": sys.exit(not main("--check" in sys.argv))
