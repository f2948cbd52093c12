"""Wells to MICs: the truth table of the specification, all small series by enumeration, posteriors by brute force,
and bad input."""
import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from mic_eval.mic.dilutions import YES, mic_interval, mic_text, within
from mic_eval.mic.series import (
    category_probability, credible_set, cut_mics, map_cut, mic_posterior, plot_posterior, very_major_probability,
    SKIP_POLICIES, by_series, plot_series, read_series, read_wells, series_rows)
from every import every


FOUR = [1, 2, 4, 8]
TABLE = {"----": ("<=1", "<=1", "<=1", "<=1"), "++++": (">8", ">8", ">8", ">8"), "++--": ("4", "4", "4", "4"),
         "+++-": ("8", "8", "8", "8"),
         "+-+-": ("8", "2", "", "8"), "-+--": ("4", "<=1", "", "4"), "---+": ("", "<=1", "", ">8"),
         "+--+": ("", "2", "", ">8")}
SKIPS = {"+-+-": 1, "-+--": 1, "---+": 3, "+--+": 2}


def wells(*patterns): return np.array([[{"+": 1, "-": 0, "?": np.nan, "t": 1}[c] for c in p] for p in patterns], float)
def read(pattern, **how): return mic_text(read_series(wells(pattern), FOUR, **how).mic)[0]


@every("pattern", TABLE)
def test_truth_table(pattern):
    assert tuple(read(pattern, skip=s) for s in ("eucast", "first", "amygda", "highest")) == TABLE[pattern]
    r = read_series(wells(pattern), FOUR)
    assert r.skips == SKIPS.get(pattern, 0) and r.suspect == (SKIPS.get(pattern, 0) > 1)
    assert r.reason == ("two or more skipped wells" if TABLE[pattern][0] == "" else "")


@every("pattern,mic", [("+?--", "2..4"), ("+-?-", "2"), ("?+--", "4"), ("?---", "<=2"),
                       ("+++?", ">=8"), ("++??", ">=4"), ("??--", "<=4"),
                       ("+??-", "2..8"), ("????", ""), ("---?", "<=1"), ("?+++", ">8"),
                       ("+???", ">=2"), ("???-", "<=8")])
def test_unreadable(pattern, mic):
    for skip in SKIP_POLICIES: assert read(pattern, skip=skip) == mic, skip
    r = read_series(wells(pattern), FOUR)
    assert r.unreadable == pattern.count("?")
    assert r.status == ("no result" if not mic else "range" if ".." in mic
                        or mic in ("<=2", "<=4", "<=8", ">=8", ">=4", ">=2") else "read")


def test_every_series_of_five():
    "All 3^5 patterns against a plain reading of the rules"
    patterns = ["".join(p) for p in itertools.product("+-?", repeat=5)]
    conc = np.array([1, 2, 4, 8, 16])
    got = {s: read_series(wells(*patterns), conc, skip=s) for s in SKIP_POLICIES}
    for i, p in enumerate(patterns):
        last, skips = p.rfind("+") + 1, p[:p.rfind("+") + 1].count("-")
        for s in ("eucast", "highest", "first", "amygda"):
            if set(p) == {"?"} or (s == "eucast" and skips > 1) or (s == "amygda" and skips): want = (0, 0)
            elif s == "first":
                clear = p.find("-") + 1 or 6
                want = p[:clear - 1].rfind("+") + 2, clear
            else: want = last + 1, next((j + 1 for j in range(last, 5) if p[j] == "-"), 6)
            assert tuple(got[s].cut[i]) == want, (s, p)
        # map: fewest wells overruled
        wrong = [sum((c == "-") if j < cut else (c == "+") for j, c in enumerate(p)) for cut in range(6)]
        low, high = got["map"].cut[i]
        if set(p) != {"?"}: assert min(wrong) == wrong[low - 1] == wrong[high - 1]
    lo, hi = mic_interval(got["eucast"].mic)
    assert (lo <= hi).sum() == (got["eucast"].cut[:, 0] > 0).sum()


def test_trailing():
    g = np.array([[2, 1, 1, 0]])
    assert mic_text(read_series(g, FOUR).mic) == "8" and read_series(g, FOUR).trailing == 0
    r = read_series(g, FOUR, growth_min=2)
    assert mic_text(r.mic) == "2" and r.trailing == 2


def test_controls():
    g, no = wells(*["++--"]*4), lambda **how: read_series(wells(*["++--"]*4), FOUR, **how).reason.tolist()
    assert no(control=[1, 0, np.nan, 1]) == ["", "growth control did not grow", "growth control unreadable", ""]
    assert no(sterile=[0, 1, np.nan, 0]) == ["", "sterility control grew", "sterility control unreadable", ""]
    assert no(control=[[1, 1], [1, 0], [1, np.nan], [np.nan, np.nan]]) == ["", "growth control did not grow", "",
        "growth control unreadable"]
    assert no(control=1, sterile=1) == ["sterility control grew"]*4
    assert no(control=0, sterile=1) == ["growth control did not grow"]*4   # the growth control is named first
    assert read_series(g, FOUR, control=.3, threshold=.5).mic.missing.all()
    with pytest.raises(ValueError, match="3 rows for 4 series"): read_series(g, FOUR, control=[1, 1, 1])


def test_order_and_length_of_series():
    assert mic_text(read_series([0, 1, 0, 1], [4, 1, 8, 2]).mic) == "4"
    r = read_series(wells("++--", "++--", "++++"), [[1, 2, 4, 8], [np.nan, 4, 2, 8], [1, 2, np.nan, np.nan]])
    assert mic_text(r.mic).tolist() == ["4", "8", ">2"] and r.skips.tolist() == [0, 1, 0]
    assert mic_text(read_series(wells("+"), [2]).mic) == ">2" and mic_text(read_series(wells("-"), [2]).mic) == "<=2"
    assert mic_text(read_series(wells("++-"), [.1, .2, .4]).mic) == "0.4"
    assert mic_interval(read_series(wells("+++"), [.1, .2, .4]).mic)[0] == 0


@every("growth,conc,how,match", [
    ([1, 0], [1, 1], {}, "1 mg/L twice"), ([1, 0], [1, 0], {}, "0 mg/L; a well without drug is a control"),
                                 ([1, 0], [1, -2], {}, "-2 mg/L"),
    ([1, 0], [1, 2, 4], {}, "shape"), ([.3, 0], [1, 2], {}, "0.3 is no grade"),
                                 ([1.2, 0], [1, 2], dict(threshold=.5), "1.2 is no probability"),
    ([3, 0], [1, 2], {}, "3 is no grade"), ([1, 0], [1, 2], dict(skip="last"), "skip: one of eucast"),
    (np.array([True, False]), [1, 2], dict(growth_min=2), "no trailing grade")])
def test_bad_series(growth, conc, how, match):
    with pytest.raises(ValueError, match=match): read_series(growth, conc, **how)


def test_gap_warns():
    with pytest.warns(UserWarning, match="gaps in the two-fold dilutions"): read_series(wells("++-"), [1, 2, 8])


def test_posterior_by_brute_force():
    p = np.random.default_rng(0).random((50, 5))
    want = np.array([[np.prod(np.r_[row[:m], 1 - row[m:]]) for m in range(6)] for row in p])
    np.testing.assert_allclose(mic_posterior(p), want/want.sum(1, keepdims=True), rtol=1e-9)
    prior = np.array([.5, .1, .1, .1, .1, .1])
    np.testing.assert_allclose(mic_posterior(p, prior), (want*prior)/(want*prior).sum(1, keepdims=True), rtol=1e-9)
    missing = p.copy()
    missing[:, 2] = np.nan   # an unreadable well carries no information: both sides get the same factor
    want = np.array([[np.prod(np.delete(np.r_[row[:m], 1 - row[m:]], 2)) for m in range(6)] for row in p])
    np.testing.assert_allclose(mic_posterior(missing), want/want.sum(1, keepdims=True), rtol=1e-9)
    short = mic_posterior(p, wells=np.arange(5) < 3)
    assert (short[:, 4:] == 0).all() and np.allclose(short[:, :4], mic_posterior(p[:, :3]))


@pytest.mark.later
@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=9), st.floats(.5, .999))
def test_posterior_properties(p, level):
    post = mic_posterior(p)
    assert post.sum() == pytest.approx(1) and (post >= 0).all() and len(post) == len(p) + 1
    inside = credible_set(post, level)[0]
    assert post[inside].sum() >= level - 1e-9
    assert inside[map_cut(post)[0] - 1] | (post[inside].min() >= post.max() - 1e-9)
    smaller = np.sort(post[inside])[1:]
    assert smaller.sum() < level   # no cut could be left out
    r = read_series([p], 2.0**np.arange(len(p)), threshold=.5, skip="map")
    assert r.confidence[0] == pytest.approx(post[r.cut[0, 0] - 1:r.cut[0, 1]].sum())
    assert r.cut[0, 0] == map_cut(post)


def test_posterior_of_certain_wells():
    assert map_cut(mic_posterior([1, 1, 0, 0.])) == 3 and mic_posterior([1, 1, 0, 0.])[2] > .9999
    assert map_cut(mic_posterior([1, 0, 1, 0.])) == 4   # equal cuts go up
    with pytest.raises(ValueError, match="series 1"): mic_posterior([[.1, .2], [.1, 1.2]])
    with pytest.raises(ValueError, match="prior: needs 3"): mic_posterior([.1, .2], [.5, .5])


def test_categories_of_a_posterior():
    post, sir = mic_posterior([[.9, .2, .1], [.9, .9, .9]]), ["S", "S", "I", "R"]
    cat = category_probability(post, sir)
    assert np.allclose(sum(cat.values()), 1) and np.allclose(cat["S"][0], .8)
    assert np.allclose(very_major_probability(post, sir), [.02, 0])   # the second is called R: no very major error
    assert np.allclose(very_major_probability(post, sir, ["I", "S"]), [0, cat["R"][1]])
    assert (very_major_probability(post, ["S"]*4) == 0).all()
    with pytest.raises(ValueError, match="categories"): category_probability(post, ["S"])
    assert mic_text(cut_mics([1, .5])).tolist() == ["<=0.5", "1", ">1"]


def plate(**more):
    d = pd.DataFrame(dict(plate="P", series=["A", "A", "B", "A", "B", None],
                          drug=["AMX", "AMX", "CIP", "AMX", "CIP", None], role=["test"]*5 + ["control"],
                          concentration=[2, .5, .25, 1, .06, np.nan], growth=[0, 1, 0, 1, 0, 1],
                          expert_mic=["2", "2", "x", "2", "x", None]))
    return d.assign(**more)


def test_table():
    with pytest.warns(UserWarning, match="gaps"): r = read_wells(plate())
    assert r.series.tolist() == ["A", "B"] and r.mic.tolist() == ["2", "<=0.06"] and r.expert_mic.tolist() == ["2", "x"]
    assert r.control_wells.tolist() == [1, 1] and "role" not in r and "concentration" not in r and "growth" not in r


@pytest.mark.filterwarnings("ignore:conc")
def test_table_variants():
    assert read_wells(plate(growth=[0, 1, 0, 1, 0, 0])).reason.tolist() == ["growth control did not grow"]*2
    assert read_wells(plate(growth=[0, 1, 0, 1, 0, np.nan])).reason.tolist() == ["growth control unreadable"]*2
    assert read_wells(plate().drop(columns="plate")).mic.tolist() == ["2", "<=0.06"]
    assert read_wells(plate()[:5].drop(columns=["plate", "role"])).control_wells.tolist() == [0, 0]
    assert read_wells(plate(), [.1, .9, .2, .8, .3, .9], threshold=.5).mic.tolist() == ["2", "<=0.06"]
    assert read_wells(plate(concentration=["2/4", "0.5/4", ".25", "1/4", "0,06", "0"])).mic.tolist() == ["2", "<=0.06"]
    two = pd.concat([plate(variant="a"), plate(variant="b", growth=[0, 0, 0, 0, 0, 0])])
    r = read_wells(two, series=["series", "variant"], plate=["plate", "variant"])
    assert r.mic.tolist() == ["2", "<=0.06", "", ""] and r.variant.tolist() == ["a", "a", "b", "b"]


@every("change,match", [
    (dict(concentration=[2, .5, .06, 1, .06, np.nan]), r"series B has 0.06 mg/L twice \(rows 2 and 4\)"),
                        (dict(concentration=[2, 0, .25, 1, .06, 0]), "row 1 has 0"),
    (dict(concentration=[2, ">1", .25, 1, .06, 0]), "row 1 has >1"),
                        (dict(series=["A", "A", "B", None, "B", None]), "series: empty in row 3"),
    (dict(role=["test"]*5 + ["blank"]), "role: row 5 says 'blank'"),
                        (dict(plate=["P", "Q", "P", "P", "P", "P"]), "plate: row"),
    (dict(role="control"), "no test well"), (dict(growth=[0, .5, 0, 1, 0, 1]), "0.5 is no grade")])
def test_bad_table(change, match):
    with pytest.raises(ValueError, match=match): read_wells(plate(**change))


def test_missing_column():
    with pytest.raises(ValueError, match="no column 'probability'; there is plate, series"):
        read_wells(plate(), "probability")
    with pytest.raises(ValueError, match="no column 'concentration'"): read_wells(plate().drop(columns="concentration"))
    with pytest.raises(ValueError, match="shape"): read_wells(plate(), [1, 0])


def test_rows_bring_any_column():
    rows = series_rows(plate())
    assert rows.tolist() == [[1, 3, 0], [4, 2, -1]]
    assert by_series(plate().drug, rows).tolist() == [["AMX"]*3, ["CIP", "CIP", None]]
    np.testing.assert_array_equal(by_series(plate().growth, rows), [[1, 1, 0], [0, 0, np.nan]])


def test_real_plates_give_the_experts_mics_back(real_wells):
    r = read_wells(pd.read_csv(real_wells / "manifest.csv"))
    known = r[r.expert_mic.notna()]
    assert len(known) == 26 and known.mic.tolist() == known.expert_mic.tolist() and (known.control_wells == 2).all()
    assert (within(known.expert_mic, known.mic) == YES).sum() == 18
    assert r[r.expert_mic.isna()].reason.tolist() == ["no readable well"]


@pytest.mark.full
def test_a_million():
    g = np.random.default_rng(0).random((1_000_000, 8)) < np.linspace(.95, .05, 8)
    r = read_series(g, 2.0**np.arange(-3, 5))
    assert len(r) == 1_000_000
    assert (mic_text(r[:100].mic if hasattr(r, "__getitem__") else r.mic[:100])
            == mic_text(read_series(g[:100], 2.0**np.arange(-3, 5)).mic)).all()


def test_plots_return_axes():
    ax = plot_series(wells("++--", "+?--"), FOUR, names=["a", "b"])
    assert [t.get_text() for t in ax.texts] == ["?", "4", "2..4"]
    assert len(plot_posterior(mic_posterior([.9, .2]), [1, 2], ["S", "S", "R"]).patches) == 3


def test_aigarmic_paper():
    "Four spots on agar plates of 0.125, 0.25 and 0.5 mg/L; the third spot did not grow on the control plate"
    growth, control = np.array([[1, 1, 1], [1, 0, 0], [0, 0, 0], [0, 0, 0]]), [1, 1, 0, 1]
    assert mic_text(read_series(growth, [.125, .25, .5]).mic).tolist() == [">0.5", "0.25", "<=0.125", "<=0.125"]
    r = read_series(growth, [.125, .25, .5], control=control)
    assert mic_text(r.mic).tolist() == [">0.5", "0.25", "", "<=0.125"] and r.reason[2] == "growth control did not grow"
