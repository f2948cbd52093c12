"What `show_doc` writes, also for types that are imported late, for defaults that are arrays, and for commands."
import inspect
import re
from html import escape
from typing import get_args

import fastcore.docments as docments
import numpy as np
from nbdev.showdoc import BasicMarkdownRenderer

signature_ex = docments.signature_ex
ADDRESS = re.compile(r"<(?:[a-z-]+ )*([\w.]+)(?: object| of [^<>]*)? at 0x[0-9a-f]+>")


class shown(str):
    "A default as a signature shows it"
    def __repr__(self): return str(self)


def plain_default(d):
    "A default that can be compared and read: the values of an array, the name of a function"
    as_shown = type(type(d).__name__, (shown,), {})   # fastcore names the type of a default where no annotation does
    if isinstance(d, np.ndarray): return as_shown(np.array2string(d, threshold=5, edgeitems=2, separator=", "))
    if d is inspect.Parameter.empty or " at 0x" not in repr(d): return d
    return as_shown(getattr(d, "__name__", "").strip("<>") or ADDRESS.sub(r"\1", repr(d)))


def short(s):
    "A signature whose defaults are short, and the same on every machine"
    return s.replace(parameters=[p.replace(default=plain_default(p.default)) for p in s.parameters.values()])


def signature(f, **kwargs):
    "Like `inspect.signature`; annotations that cannot be evaluated stay text"
    try: return short(inspect.signature(f, eval_str=True))
    except NameError: return short(inspect.signature(f))


docments.signature = signature   # fastcore evaluates every annotation and compares every default
docments.signature_ex = lambda f, eval_str=False: short(signature_ex(f, eval_str))


def options(f):
    "`(name, kind, default, help)` of what a command takes, its arguments first; empty for what is no command"
    try: taken = inspect.signature(f, eval_str=True).parameters.values()
    except (NameError, TypeError, ValueError): return []
    told = [(p, o) for p in taken for o in getattr(p.annotation, "__metadata__", ()) if hasattr(o, "param_decls")]
    kinds = lambda p: [o for o in get_args(p.annotation.__origin__) if o is not type(None)] or [p.annotation.__origin__]
    plain = lambda p: getattr(kinds(p)[0], "__name__", str(kinds(p)[0]))
    is_flag = lambda p, o: type(o).__name__ == "OptionInfo"
    name = lambda p, o: (next((d for d in o.param_decls or () if d.startswith("--")), "--" + p.name.replace("_", "-"))
                         if is_flag(p, o) else o.metavar or p.name.upper())
    rows = [(is_flag(p, o), (name(p, o), plain(p), p.default, o.help or "")) for p, o in told]
    return [row for _, row in sorted(rows, key=lambda o: o[0])]


def entry(name, kind, default, words):
    "One thing that a command takes, as it stands in the list"
    known = default is not inspect.Parameter.empty and default not in (None, False, "")
    facts = f" <span>{escape(kind)}</span>"*(kind != "bool") + f" <span>= {escape(str(default))}</span>"*known
    told = re.sub("`([^`]*)`", r"<code>\1</code>", escape(words))
    return f"<dt><code>{escape(name.split('/')[0])}</code>{facts}</dt><dd>{told}</dd>"


def command(f, said, taken):
    "What is said of a command: how it is typed, and everything it takes, instead of a signature"
    arguments = " ".join(name for name, *_ in taken if not name.startswith("-"))
    group, words = f.__module__.split(".")[-1], f.__name__.removesuffix("_command").split("_")
    task = [o for o in words if o not in (group, group.removesuffix("s"))]   # plan_rate, show_run: tasks of a group
    name = "-".join(words) if f.__name__.endswith("_command") else " ".join([group, *task])
    more = "[options]"*any(name.startswith("-") for name, *_ in taken)
    typed = " ".join(filter(None, ["$ mic-eval", name, arguments, more]))
    listed = f'<dl class="parameters">{"".join(entry(*row) for row in taken)}</dl>'
    return re.sub(r"```python\n.*?\n```", lambda _: f"```console\n{typed}\n```", said, count=1,
                  flags=re.S) + f"\n\n{listed}\n"


# the full names of types
LONG = re.compile(r"\b(?:mic_eval|collections\.abc|typing|pathlib|pandas)(?:\.[a-z_]\w*)*\.([A-Z]\w*)(?![\w.`/])")


class Doc(BasicMarkdownRenderer):
    "The renderer that settings.ini names"
    def _repr_markdown_(self):
        said = LONG.sub(r"\1", super()._repr_markdown_().replace(":NoneType=", "="))
        taken = options(self.sym) if inspect.isfunction(self.sym) else []
        return command(self.sym, said, taken) if taken else said
