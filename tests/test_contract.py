"The contract page's own functions, with fewer draws: coverage of every default interval, false alarms of every test."
import json
import math
from pathlib import Path

import pytest

page = Path(__file__).parent.parent/"nbs"/"benchmarks"/"contract.ipynb"


@pytest.fixture(scope="module")
def contract():
    "What the page defines; its slow cells are left out"
    space = {}
    for cell in json.loads(page.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code" and "#| slow" not in source: exec(source, space)
    return space


@pytest.mark.full
@pytest.mark.parametrize("family", ["few_positives", "rare_class", "clusters", "uneven_weights", "fractions"])
def test_intervals_hold_where_little_is_known(contract, family):
    t = contract["table_of"](contract[family](None), 400)
    # a plain share of ten trials has eleven values: the page says which cells fall short, and why
    whole = t.cell.str.contains("sensitivity|balanced accuracy")
    def slack(share): return 3*math.sqrt(share*(1-share)/400)   # of so few draws
    rest = t[~whole]
    fine = (rest.coverage >= .93-slack(.93)) & (rest[["low", "high"]].max(axis=1) <= .04+slack(.04))
    assert fine.all() and rest.holds.mean() > .9, rest[~fine | ~rest.holds]
    assert t.coverage.min() > .9 and t[["low", "high"]].max().max() < .1


@pytest.mark.full
def test_no_test_rejects_too_often(contract):
    t = contract["rates_of"](contract["alarms"](), 200)
    slack = 3*(t.level*(1-t.level)/200).map(math.sqrt)
    assert (t.rejects <= t.level+slack).all(), t


def test_a_promise_that_is_broken_is_seen(contract):
    from mic_eval.core.results import Score
    def narrow(rng):
        v = rng.normal()
        return Score(v, v-1, v+1)   # holds in two of three
    def silent(rng): return Score(.5, reason="insufficient n")
    t = contract["table_of"](dict(narrow=(0., narrow), silent=(0., silent)), 200)
    assert t.holds.tolist() == [False, True]
    assert not contract["rates_of"]({"eager": (.05, lambda rng: rng.random()/3)}, 200).holds[0]
