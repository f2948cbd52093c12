"""What lm-eval, inspect_ai and evidently say of the rows of the page that people come to from them.

The page `how_to/14_from_evaluators.ipynb` is the only table: its cells of data and of rows are read here, and each call
of a peer is made where the peer is installed. `elsewhere.py` as a script prints them: it needs numpy and one peer only.
"""
import importlib
import json
import math
import sys
from pathlib import Path

import numpy as np

PAGE = Path(__file__).parents[2] / "nbs" / "how_to" / "14_from_evaluators.ipynb"


def cells():
    "The cell of data and the cell of rows"
    sources = ["".join(c["source"]) for c in json.loads(PAGE.read_text(encoding="utf-8"))["cells"]]
    return next(s for s in sources if s.startswith("rng = ")), next(s for s in sources if s.startswith("ROWS = "))


def lm_eval():
    return dict(metrics=importlib.import_module("lm_eval.api.metrics"))


def inspect_ai():
    scorer = importlib.import_module("inspect_ai.scorer")
    def samples(points, case=None):
        facts = [dict(case=int(c)) for c in (np.arange(len(points)) if case is None else case)]
        given = [scorer.Score(value=float(v)) for v in points]
        return [scorer.SampleScore(score=s, sample_metadata=f) for s, f in zip(given, facts)]
    def reduced(reducer, rounds):
        return np.mean([float(reducer([scorer.Score(value=float(v)) for v in row]).value) for row in rounds])
    return dict(scorer=scorer, samples=samples, reduced=reduced)


def evidently():
    import pandas as pd
    tests = importlib.import_module("evidently.legacy.calculations.stattests")
    number = importlib.import_module("evidently.legacy.core").ColumnType.Numerical
    def drift(name, reference, current):
        test = getattr(tests, f"{name}_stat_test")
        return float(test(pd.Series(reference), pd.Series(current), number, .1).drift_score)
    return dict(drift=drift)


def said(peer):
    "`[(call, number now, number stored)]` of one peer; ImportError where it is not installed"
    known = {"np": np, "math": math}
    for cell in cells(): exec(cell, known)
    known |= globals()[peer]()
    return [(theirs, float(eval(theirs, known)), stored) for name, theirs, stored, *_ in known["ROWS"] if name == peer]


if __name__ == "__main__":
    for peer in sys.argv[1:] or ("lm_eval", "inspect_ai", "evidently"):
        for row in said(peer): print(peer, *row, sep="\t")
