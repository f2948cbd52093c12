"What a study needs beside agreement: zones, reproducibility, quality control, trend."
import numpy as np
import pandas as pd
import pytest

from mic_eval.mic.comparison import compare_mics
from mic_eval.mic.precision import (
    qc_check, read_qc_ranges, reproducibility, ZONES, breakpoint_zone, error_rate_bounded, trend)
from every import every


@pytest.mark.parametrize("low,high,mics,want", [   # ranges of ATCC 25922, EUCAST 2023, as the peers' tests have them
    (.25, 1, ["0.5", "0.25", "<0.25"], ["in", "in", "out"]),
                                                (1, 4, ["1", "4", "8", "0.25", ">4"],
                                                 ["in", "in", "out", "out", "out"]),
    (1, 8, [">4", "<=1", "<=0.5", "<=2", ">8", ""],
     ["indeterminate", "indeterminate", "out", "indeterminate", "out", ""])])
def test_qc(low, high, mics, want):
    q = qc_check(mics, low, high)
    assert q.outcome.tolist() == want
    assert q.qc_in_range.k == want.count("in") and q.qc_in_range.n == len(want)-want.count("")


def test_qc_bad_and_empty():
    with pytest.raises(ValueError, match="low is above high in rows 0, 1"): qc_check(["1", "1"], 4, 1)
    assert qc_check([""], 1, 2).qc_in_range.reason == "no results"


def test_qc_files(tmp_path):
    t = pd.DataFrame(dict(GUIDELINE="EUCAST", YEAR=2023, STRAIN="ATCC 25922", ABX_CODE=["GEN", "GEN"],
                          METHOD=["MIC", "DISK"], MINIMUM=[.25, 19], MAXIMUM=[1, 26]))
    t.to_csv(tmp_path/"qc.txt", sep="\t", index=False)
    assert read_qc_ranges(tmp_path/"qc.txt")[["strain", "drug", "low", "high"]].values.tolist() == [["ATCC 25922",
        "GEN", .25, 1]]
    with pytest.raises(ValueError, match="QC ranges lack high"): read_qc_ranges(t.drop(columns="MAXIMUM"))


@every("mics,best,worst,modes", [
    (["1"]*10, 10, 10, "1"), (["1", "2", "1", "0.5", "4"], 4, 4, "1"), (["1", "1", "8", "8"], 2, 2, "1 / 8"),
                                 ([">8", ">8", "8"], 3, 3, ">8"),
    (["8", "8", ">8"], 3, 2, "8"), (["", "1", "1"], 2, 2, "1")])
def test_reproducibility(mics, best, worst, modes):
    r = reproducibility(mics, ["a"]*len(mics))
    assert (r.reproducibility_best.k, r.per_isolate["mode"][0]) == (best, modes) and r.reproducibility_worst.k <= best
    if "/" in modes: assert r.ties == ["a: 1 and 8"]
    if ">" not in "".join(mics): assert r.reproducibility_worst.k == worst


def test_reproducibility_pools_readings_not_isolates():
    r = reproducibility(["1"]*9+["8", "2", "2"], ["a"]*10+["b"]*2)
    assert (r.reproducibility_best.k, r.reproducibility_best.n) == (11, 12)
    assert reproducibility([""], ["a"]).reproducibility_best.reason == "no readings"
    with pytest.raises(ValueError, match="mics 1, isolate 2"): reproducibility(["1"], ["a", "b"])


def test_zones_with_and_without_an_intermediate_range():
    # S<=1, I 2, R>=4
    assert breakpoint_zone(["0.5", "1", "2", "4", "8"], 0, 2).tolist() == ["below", "near", "near", "near", "above"]
    # S<=1, R>=2
    assert breakpoint_zone(["0.25", "0.5", "1", "2", "4"], 0, 1).tolist() == ["below", "below", "near", "near", "above"]
    assert breakpoint_zone(["", ">1", "<=2", ">8"], 0, 2).tolist() == ["", "", "", "above"]
    assert breakpoint_zone(["1"], np.nan, np.nan).tolist() == [""]


def test_error_rates_have_their_zone_as_denominator():
    ref, test = ["0.25"]*10+["2"]*10+["32"]*10, ["0.25"]*9+["8"]+["4"]*5+["2"]*5+["32"]*10
    sir = lambda m: np.select([np.array(m, float) <= 1, np.array(m, float) <= 2], ["S", "I"], "R")
    e = error_rate_bounded(compare_mics(ref, test, categories=(sir(ref), sir(test))).pairs, 0, 2)
    assert (e.below.major.k, e.below.major.n, e.near.minor.k, e.near.minor.n, e.above.very_major.n) == (1, 10, 5, 10,
        10)
    # 50 % is not below 40 %
    assert e.below.within_limits.major is False
    assert e.near.within_limits.minor is False and e.above.within_limits.very_major is True
    assert error_rate_bounded(compare_mics(ref, test).pairs, 0, 2).reason == "no breakpoints"
    assert set(ZONES) == {"above", "near", "below"}


@pytest.mark.parametrize("above,below,n,flag", [(30, 0, 100, True), (29, 0, 100, False), (0, 40, 100, True),
                                                (3, 0, 10, False), (0, 0, 5, False)])
def test_trend_needs_size_and_certainty(above, below, n, flag): assert trend(above, below, n).flag is flag


def test_trend_refuses_nonsense():
    assert trend(0, 0, 0).difference.reason == "no pairs"
    with pytest.raises(ValueError, match="above"): trend(5, 6, 10)
