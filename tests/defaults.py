"""What an option of a promised function is where nothing is said: `python tests/defaults.py` writes `defaults.txt`

The same call means the same in the next release; a default that changes is a line in `CHANGELOG.md`.
"""
import ast
import importlib
import inspect
from pathlib import Path

import mic_eval

kept = Path(__file__).with_suffix(".txt")
plain = type(None), bool, int, float, str, tuple


def promised():
    "`(room, name)` of everything that a room's stub names"
    package = Path(mic_eval.__file__).parent
    for stub in sorted([*package.glob("__init__.pyi"), *package.glob("*/__init__.pyi")]):
        room = ".".join(stub.relative_to(package.parent).parent.parts)
        for statement in ast.parse(stub.read_text(encoding="utf-8")).body:
            if isinstance(statement, ast.ImportFrom): yield from ((room, o.name) for o in statement.names)


def options_of(thing):
    "Options of a function or class with plain defaults; none of what has no signature"
    try: options = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError): return []
    return [f"{o.name}={o.default!r}" for o in options if o.default is not o.empty and isinstance(o.default, plain)]


def defaults():
    "A line for each promised function that has options: its room and name, and what its options are"
    found = ((room, name, options_of(getattr(importlib.import_module(room), name))) for room, name in promised())
    return sorted(" ".join([f"{room}.{name}", *options]) for room, name, options in found if options)


if __name__ == "__main__": kept.write_text("\n".join(defaults())+"\n", encoding="utf-8")
