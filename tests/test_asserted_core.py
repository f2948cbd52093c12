"What `core` computes, each against a value worked out another way: a loop, another formula, an edge, a symmetry"
import itertools
import math
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mic_eval.core import criteria, evidence, sheets
from mic_eval.core.columns import (
    class_numbers, class_spellings, copied_rows, doubts, hard_calls, number_column, of_percent, pointed,
    refuse_confidences, shared_names)
from mic_eval.core.criteria import Criterion, Judged, Profile, judge, judge_one, read_profile, units_needed
from mic_eval.core.files import budget, budget_from, json_depth, within_budget
from mic_eval.core.intervals import proportion
from mic_eval.core.predictions import Predictions
from mic_eval.core.results import NotApplicable, Result, Score

nan, every = math.nan, pytest.mark.parametrize


# --- limits and verdicts

@every("direction, lo, hi, status", [
    ("min", .3, nan, "insufficient n"), ("min", .5, nan, "pass"), ("min", .3, .4, "fail"), ("min", .3, .5, "insufficient n"),
    ("max", .3, nan, "insufficient n"), ("max", nan, .7, "insufficient n"), ("max", .6, .7, "fail"),
    ("max", nan, .5, "pass"), ("max", .5, .7, "insufficient n")])
def test_a_limit_is_missed_for_certain_only_where_both_ends_are_known_to_miss_it(direction, lo, hi, status):
    "An open end (too few rows for an upper limit) may lie on the good side"
    assert judge_one(Criterion("m", .5, direction, on="bound"), Score(.6, lo, hi, reason="few")).status == status


def test_groups_without_a_number_of_rows_are_judged():
    assert judge_one(Criterion("m", .5, "min", on="bound"), Score(.6, .55, .8, groups=5)).status == "pass"
    assert judge_one(Criterion("m", .5, "min", on="bound", least=1), Score(.6, .55, .8, groups=5)).status != "pass"


# --- a table for a paper

@every("score, cell", [
    (Score(-.2, -.3, -.1), "-0.200 (-0.300 to -0.100)"), (Score(.1, -.1, .3), "0.100 (-0.100 to 0.300)"),
    (Score(.2, .1, .3), "0.200 (0.100-0.300)"), (Score(.9, .5), "0.900 (≥ 0.500)"), (Score(.9), "0.900"),
    (Score(.25, 0, .5, k=5, n=20), "25.0 (0.0-50.0)")])
def test_limits_below_zero_keep_their_sign_in_print(score, cell):
    "In LaTeX two hyphens are one dash: a second minus behind it is lost"
    assert sheets.paper_cell(score) == cell
    line = sheets.paper_latex(pd.DataFrame(dict(x=[cell]), index=["g"])).splitlines()[6]
    numbers = [float(o) for o in re.findall(r"(?<!-)-?\d+\.\d+", line.replace("--", "|"))]
    of = 100 if score.k is not None else 1
    assert numbers == pytest.approx([of*o for o in (score, score.lo, score.hi) if o == o], abs=1e-3)


def test_a_group_of_which_nothing_is_known_has_a_row_of_dashes():
    groups = Result(A=Result(f1=Score(.5), auc=Score(.7, n=3)), B=NotApplicable("one class"), C=Result(f1=Score(.2)))
    t = sheets.paper_table(Result(by=Result(drug=groups)), "drug", ["f1", "auc"])
    assert t.n.tolist() == [3, 0, 0]
    assert t.iloc[:, :2].to_numpy().tolist() == [["0.500", "0.700"], ["–", "–"], ["0.200", "–"]]


@every("score, shown", [(Score(.9, .5, n=9), "≥&nbsp;0.500"), (Score(.9, .5, k=9, n=10), "≥&nbsp;50.0"),
                        (Score(.9, .5, .95, n=9), "0.500&nbsp;to&nbsp;0.950"),
                        (Score(.9, n=9, reason="few"), "few")])
def test_a_cell_of_a_grid_says_an_open_limit(score, shown):
    r = Result(a=Result(x=score), b=Result(x=score))
    assert r._repr_html_().count(f"<small>{shown}</small>") == 2 and "nan" not in r._repr_html_()


# --- what a file may ask for

@every("n, said", [(999_499_999, "999 MB"), (999_500_000, "1 GB"), (1_234_567, "1.23 MB"), (999_499_999_999, "999 GB"),
                   (999_500_000_000, "1000 GB"), (12_345_678_901_234, "12346 GB")])
def test_a_size_is_said_without_powers_of_ten(n, said):
    with budget(unpacked=1), pytest.raises(ValueError, match=f": {said} unpacked"): within_budget("unpacked", n)


@every("n", [257e6, 999.7e6, 1e9+1, 5.5e9, 123e9, 4.04e12])
def test_the_option_that_an_error_names_is_understood_and_is_enough(n):
    with pytest.raises(ValueError) as e: within_budget("unpacked", n)
    more = budget_from(str(e.value).rpartition("--budget ")[2]).unpacked
    assert n <= more <= 1.12*n
