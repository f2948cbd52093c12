"Pictures of a comparison: places on the axis, what is drawn, nothing fails on small or odd data."
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from mic_eval.mic.comparison import compare_mics
from mic_eval.mic.dilutions import dilution_label
from mic_eval.mic.plots import (agreement_by_dilution, category_table, difference_bars, drug_forest, mic_axis,
                                mic_grid, mic_place, plate_map, rater_matrix,
                                reference_distribution, zone_bars)
from mic_eval.mic.precision import error_rate_bounded


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def study(n=60, seed=0):
    rng = np.random.default_rng(seed)
    k = rng.integers(-2, 4, n)
    t = k+rng.integers(-2, 3, n)
    cat = lambda v: np.select([v <= 0, v <= 1], ["S", "I"], "R")
    return compare_mics(dilution_label(k), dilution_label(t), categories=(cat(k), cat(t)),
                        by=dict(drug=np.arange(n) % 3))


def texts(ax): return [t.get_text() for t in ax.texts]


def test_every_dilution_and_open_end_keeps_its_place():
    assert mic_axis(["<=0.25", "4"], [">4", ""])[1] == ["≤0.25", "0.25", "0.5", "1", "2", "4", ">4"]
    assert mic_axis([">1", "<=2", "1", "2"])[1] == ["1", ">1", "≤2", "2"]
    assert mic_place(["1", "<=1", ">1", "<1", ">=1"]).tolist() == [0, -.4, .4, -.4, 0] and np.isnan(mic_place([""])[0])


def test_grid_counts_every_pair_once_and_marks_what_disagrees():
    c = study()
    ax = mic_grid(c.pairs, highest_s=0, lowest_r=2)
    counts = [(t, t.get_bbox_patch() is not None) for t in ax.texts if t.get_text().isdigit()]
    assert sum(int(t.get_text()) for t, _ in counts) == 60
    assert sum(int(t.get_text()) for t, red in counts if red) == (~c.pairs.agrees_lenient).sum()
    assert {"very major", "major"} <= set(texts(ax)) and ax.get_xlim() == ax.get_ylim()


def test_band_is_essential_agreement():
    ax = mic_grid(compare_mics(["<=0.5", "4", "0.5"], ["1", ">4", "0.5"]).pairs)
    names = [t.get_text() for t in ax.get_xticklabels()]
    band = ~np.isnan(ax.images[0].get_array().filled(np.nan))
    at = lambda a, b: bool(band[names.index(b), names.index(a)])
    assert at("≤0.5", "1") and at("4", ">4") and at("1", "2") and not at("1", "4") and not at("≤0.5", "2")


def test_bars_and_tables():
    c = study()
    assert sum(int(t) for t in texts(difference_bars(c.pairs))) == 60
    assert sum(int(t) for t in texts(category_table(c.pairs)) if t.isdigit()) == 60
    assert "very major" in texts(category_table(c.pairs))
    assert [t for t in texts(agreement_by_dilution(c.pairs))][0].count("/") == 1
    assert sum(p.get_height() for p in reference_distribution(c.pairs).patches) == 60
    assert sum(p.get_height() for p in reference_distribution(compare_mics(["1", "2"], ["1", "32"]).pairs).patches) == 2
    zone_bars(error_rate_bounded(c.pairs, 0, 2))
    assert "no pairs on scale" in texts(difference_bars(compare_mics([">8"], [">8"]).pairs))


def test_forest_says_why_a_rate_is_missing():
    only_s = compare_mics(["1", "1"], ["1", "2"], categories=(["S", "S"], ["S", "S"]), by=dict(drug=["A", "B"]))
    ax = drug_forest(only_s.by.drug)
    said = [t for a in ax.figure.axes for t in texts(a)]
    assert said.count("no resistant isolates") == 2 and "1/1" in said
    # without categories
    assert len([a for a in drug_forest(compare_mics(["1"], ["1"], by=dict(drug=["A"])).by.drug).figure.axes
                if a.axison]) == 1


def test_wild_types_have_their_own_words():
    ax = category_table(compare_mics(["1", "1"], ["1", "1"], categories=(["NWT", "WT"], ["WT", "WT"])).pairs)
    assert "false wild type" in texts(ax)


def test_plate():
    wells = [f"{r}{c}" for r in "AB" for c in (1, 2, 12)]
    ax = plate_map(wells, [.9, .2, .6, .1, .5, .4], [1, 1, 0, 0, np.nan, -1], title="P")
    assert ax.get_xlabel() == "P(growth), %; 2 wrong ringed" and ax.get_title() == "P" and len(texts(ax)) == 6
    assert plate_map(["A01"], [.5]).get_xlabel() == "P(growth), %"


def test_raters(): assert texts(rater_matrix(pd.DataFrame([[1, np.nan], [.5, 1]], columns=["a", "b"]))) == ["-", "0.50"]


def test_axes_can_be_given():
    ax = plt.subplots()[1]
    assert all(f(study().pairs, ax) is ax for f in (mic_grid, difference_bars, category_table, reference_distribution,
                                                    agreement_by_dilution))
