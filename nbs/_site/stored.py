"""Does a page still say what is stored in it? A reader sees stored outputs; where a page runs as a test, each is
compared with what its cell gives now: words as they stand, numbers to one unit of their last digit or a millionth,
pictures by pixels.

A cell marked `#| varies` shows what no two runs share (seconds, a folder's name) and is not compared.
"""
import base64
import io
import json
import re

NUMBER = re.compile(r"(?<![\w.])[-+−]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
NEVER_TWICE = {
    r"\x1b\[[0-9;]*m": "",                       # colours of a terminal
    r"\bT_[0-9a-f]{5}": "T_",                    # pandas names each styled table anew
    r" at 0x[0-9a-f]{6,}": "",                   # where something lies in memory
    r"(?:/[\w.+-]+)*/tmp\w{8}\b": "/tmp",        # a folder for a while
    r"/[0-9a-f]{8}\b": "/run",                   # a run, and its code, which change with each commit
    r"(code |hash |\n {4})[0-9a-f]{12}\b": r"\1code",
    r"<dt>(Machine|Code)</dt><dd>[^<]*": r"\1",
    r"\b\d+(?:\.\d+)? s\b": "some s", r"(reading|predictions|evaluation) \d+\.\d": r"\1",
    r'"at": \d+\.\d+': '"at": now', r"\d{4}-\d\d-\d\d \d\d:\d\d": "today",
    r"\bdate: \d{4}-\d\d-\d\d": "date: today"}
ROUNDING = 1e-6   # of numbers written out: two processors sum 32 bit numbers in another order
KINDS = "image/png", "image/svg+xml", "text/html", "text/markdown", "text/plain"   # a reader sees the first there is


def plain(text):
    for rule, by in NEVER_TWICE.items(): text = re.sub(rule, by, text)
    return text


def unit(number):
    "What one more of its last digit is worth, of a number as it is written; 0 of a whole one"
    digits, power, exponent = number.partition("e")
    places = len(digits.partition(".")[2])
    return 10.**(int(exponent or 0)-places) if places or power else 0.


def same_number(x, y):
    near = 1.01*max(unit(x), unit(y))
    return abs(float(x)-float(y)) <= (max(near, ROUNDING*abs(float(x))) if near else 0)


def same_text(a, b):
    a, b = (plain(o).replace("−", "-") for o in (a, b))
    if a == b: return True
    if NUMBER.sub("#", a) != NUMBER.sub("#", b): return False
    pairs = zip(NUMBER.findall(a), NUMBER.findall(b))
    return all(same_number(x, y) for x, y in pairs)


def same_picture(a, b):
    "Whether two PNGs show the same; of two versions of matplotlib nothing is asked"
    import numpy as np
    from PIL import Image
    a, b = (Image.open(io.BytesIO(base64.b64decode(o))) for o in (a, b))
    if a.info.get("Software") != b.info.get("Software"): return True
    if a.size != b.size: return False
    x, y = (np.asarray(o.convert("RGB"), int) for o in (a, b))
    return (abs(x-y).max(-1) > 24).mean() <= 2e-4


def shown(outputs):
    "What a reader sees: kinds and contents; what is printed first and as one, warnings behind it (shells may mix them)"
    streams, out = dict(stdout="", stderr=""), []
    for o in outputs:
        if o["output_type"] == "stream": streams[o["name"]] += "".join(o["text"])
        elif o["output_type"] == "error": out.append(("error", o["evalue"]))
        else:
            kind = next(k for k in (*KINDS, *o["data"]) if k in o["data"])
            content = o["data"][kind]
            out.append((kind, content if isinstance(content, str) else "".join(map(str, content))))
    printed = "".join(streams.values())
    return [("printed", printed)]*bool(printed.strip())+sorted(out, key=lambda o: o[0])


def difference(stored, now):
    "In words, how what a cell shows differs from what is stored; nothing where it does not"
    a, b = shown(stored), shown(now)
    kinds = [[kind for kind, _ in o] for o in (a, b)]
    if kinds[0] != kinds[1]: return "{} are stored, {} come now".format(*(", ".join(k) or "no outputs" for k in kinds))
    for (kind, x), (_, y) in zip(a, b):
        if kind == "image/png":
            if not same_picture(x, y): return "another picture"
        elif not same_text(x, y):
            x, y = plain(x), plain(y)
            at = next((i for i, (p, q) in enumerate(zip(x, y)) if p != q), min(len(x), len(y)))
            return f"{x[max(at-30, 0):at+40]!r} is stored, {y[max(at-30, 0):at+40]!r} comes now"
    return ""


def run_page(path, skip, **how):
    "Whether a page runs as `nbdev_test` runs it, and each cell that says otherwise than what is stored"
    import nbdev.test
    from execnb.shell import CaptureShell
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    kept, off = {c["id"]: c["outputs"] for c in cells if c["cell_type"] == "code" and "id" in c}, []

    class Compared(CaptureShell):
        def __init__(self, path): super().__init__(path, mpl_format="png")   # as a notebook has it
        def cell(self, cell, **options):
            if cell.cell_type == "code": cell.outputs = []
            super().cell(cell, **options)
            if cell.cell_type != "code" or self.exc or "varies" in (getattr(cell, "directives_", None) or {}): return
            now = json.loads(json.dumps(cell.outputs))
            if cell.source.rstrip().endswith(";"):   # this shell prints nothing of it, a notebook does
                now = [o for o in kept.get(cell.id, []) if o["output_type"] == "stream"]+now
            if cell.id in kept and (why := difference(kept[cell.id], now)): off.append(f"{cell.id}: {why}")
    nbdev.test.CaptureShell = Compared
    return nbdev.test.test_nb(path, skip_flags=skip, **how)[0], off
