"A photograph that was turned, mirrored, squeezed or taken from the side: the right MICs, a flag, or a refusal."
import re
from io import BytesIO

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from scipy.ndimage import gaussian_filter
from typer.testing import CliRunner

from mic_eval.cli.app import app
from mic_eval.data.real import shipped
from mic_eval.data.upright import (POSES, _keystone, homography, laid, lies_well, poses_joined, scatter, seen_from,
                                   settled_pose, upright, well_spacing)
from mic_eval.mic.dilutions import NO, within
from mic_eval.mic.readings import lone_wells, plate_mics
from mic_eval.mic.series import read_series
from mic_eval.mic.photograph import (
    FLIPS, PATTERNED, flipped, layout_chance, orientations, possible_orientations, series_evidence, read_photo,
    well_pattern)

from every import every


def test_homography_is_exact_on_four_points():
    a, b = np.array([[0, 0], [9, 1], [10, 8], [1, 11.]]), np.array([[0, 0], [1, 0], [1, 1], [0, 1.]])
    at = np.c_[a, np.ones(4)] @ homography(a, b).T
    assert np.allclose(at[:, :2]/at[:, 2:], b, atol=1e-9)


def test_evidence_by_hand():
    p = np.array([[.9, .1, np.nan]])
    assert series_evidence(p)[0] == pytest.approx(np.log((.1*.9 + .9*.9 + .9*.1)/3))


def plate(seed=0):
    "A layout of twelve drugs in columns of seven dilutions, controls in H11 and H12, and its growth"
    rng = np.random.default_rng(seed)
    rows = [dict(well=f"{chr(72 - i)}{d + 1}", drug=f"D{d}", concentration=2.**(i - (0 if d < 10 else 1)), role="test")
            for d in range(12) for i in range(8) if d < 10 or i > 0]
    t = pd.DataFrame(rows + [dict(well=w, drug="", concentration=np.nan, role="control") for w in ("H11", "H12")])
    ends = rng.integers(0, 7, 12)
    g = np.array([[1. if 7 - r < ends[c] or (r == 7 and c > 9) else 0. for c in range(12)] for r in range(8)])
    return t, np.clip(g, .02, .98)


@pytest.mark.parametrize("flip", FLIPS)
def test_a_plate_knows_whether_its_rows_were_exchanged(flip):
    t, g = plate()
    possible = possible_orientations(orientations(t, flipped(g, flip)))
    # columns of one direction leave left and right open
    assert flip in possible and all(POSES[o][1] == POSES[flip][1] for o in possible)
    assert orientations(t.iloc[:20], np.where(np.arange(12) < 2, g, np.nan)) == {}


def turned(a, k): return np.rot90(a, k)
def shaded(a): return np.clip(a*(1 - .6*np.linspace(0, 1, a.shape[1])), 0, 255)
def squeezed(a, fx, fy): return np.asarray(Image.fromarray(a).resize((round(a.shape[1]*fx), round(a.shape[0]*fy))))
def aslant(a, ratio, side):
    return seen_from(a, np.linalg.inv(_keystone(a.shape[1], a.shape[0], ratio, side)), a.shape[::-1])


WORSE = dict(quarter=lambda a: turned(a, 1), half=lambda a: turned(a, 2), three=lambda a: turned(a, 3),
             mirror=lambda a: a[:, ::-1], flip=lambda a: a[::-1], transpose=lambda a: a.T,
             anti=lambda a: a[::-1, ::-1].T, shade=shaded, shade_up=lambda a: shaded(a.T).T, dark=lambda a: a*.35,
             faint=lambda a: 110 + (a.astype(float) - 110)*.35,
             blur2=lambda a: gaussian_filter(a.astype(float), 2), blur4=lambda a: gaussian_filter(a.astype(float), 4),
             blur7=lambda a: gaussian_filter(a.astype(float), 7),
             low=lambda a: squeezed(a, 1, .5), narrow=lambda a: squeezed(a, .5, 1),
             small=lambda a: squeezed(a, .3, .3), wide=lambda a: squeezed(a, .7, 1),
             top=lambda a: aslant(a, 1.5, "top"), bottom=lambda a: aslant(a, 2., "bottom"),
             left=lambda a: aslant(a, 2., "left"), right=lambda a: aslant(a, 1.7, "right"),
             noise=lambda a: a + np.random.default_rng(0).normal(0, 25, a.shape), bright=lambda a: a*1.5)


def check(real_wells, tmp_path, worse):
    t = pd.read_csv(real_wells/"manifest.csv", dtype=dict(plate=str))
    refused = 0
    for name, g in t.groupby("plate"):
        a = np.array(Image.open(real_wells/"plates"/f"{name}.png"))
        Image.fromarray(np.ascontiguousarray(np.clip(worse(a), 0, 255).astype(np.uint8))).save(tmp_path/"x.png")
        try:
            r = read_photo(tmp_path/"x.png", g[["well", "drug", "concentration", "role"]],
                           expert=g[["drug", "expert_mic"]].dropna())
        except ValueError: refused += 1; continue
        wrong = [bool(x) and bool(y) and within([x], [y])[0] == NO for x, y in zip(r.mics["expert_mic"], r.mics["mic"])]
        assert r.flags or not (np.array(wrong) & (r.mics["flags"] == "").to_numpy()).any()
    return refused


@pytest.mark.parametrize("name", ["half", "narrow"])
@pytest.mark.full   # photographs at full size
def test_real_plates_made_worse(real_wells, tmp_path, name): assert check(real_wells, tmp_path, WORSE[name]) == 0


@pytest.mark.full
@pytest.mark.parametrize("name", WORSE)
def test_no_wrong_mic_without_a_flag(real_wells, tmp_path, name):
    assert check(real_wells, tmp_path, WORSE[name]) <= (0
                                                        if name in ("quarter", "half", "three", "mirror", "flip",
                                                                    "transpose", "anti") else 2)


@pytest.mark.full   # photographs at full size
def test_a_wrong_grid_is_refused():
    y, x = np.mgrid[:480, :720]
    rings = (np.abs(np.hypot(x % 47 - 23, y % 61 - 30) - 15) < 2)*120 + 60
    try: u = upright(rings.astype(np.uint8))
    except ValueError: return
    assert lies_well(u.plate) or scatter(u.plate) <= 1.2*.09


def test_the_eight_poses_are_one_picture():
    a = np.random.default_rng(0).integers(0, 255, (30, 44)).astype(np.uint8)
    for pose in POSES:
        seen = next(o for o in (np.rot90(a, k) for k in range(4)) for o in (o, o[:, ::-1])
                    if np.array_equal(laid(o, pose), a))                 # each pose is put right by its own moves
        assert np.array_equal(laid(seen, settled_pose(seen)), laid(a, settled_pose(a)))
        assert np.array_equal(laid(laid(a, pose), pose), a) == (poses_joined(pose, pose) == "as it is")


@pytest.fixture(scope="module")
def small():
    "The two real plates at two fifths of their size: grey, layout with the expert's MICs, centres of wells"
    out, t = {}, pd.read_csv(shipped("plates")/"manifest.csv", dtype=dict(plate=str))
    for name, g in t.groupby("plate"):
        a = Image.open(shipped("plates")/"plates"/f"{name}.png")
        a = np.asarray(a.resize((round(.4*a.width), round(.4*a.height)), Image.Resampling.BOX)).astype(float)
        out[name] = a, g, dict(zip(g.well, .4*g[["x", "y"]].to_numpy()))
    return out


def read_small(small, tmp_path, name, change, **how):
    a, g, at = small[name]
    Image.fromarray(np.ascontiguousarray(np.clip(change(a, at), 0, 255).astype(np.uint8))).save(tmp_path/"x.png")
    return read_photo(tmp_path/"x.png", g[["well", "drug", "concentration", "role"]],
                      expert=g[["drug", "expert_mic"]].dropna(), **how)


def clear_controls(a, at):
    "Growth controls painted over with a clear well"
    out, (x, y) = a.copy(), np.round(at["D6"]).astype(int)
    for u, v in (np.round(at[w]).astype(int) for w in ("H11", "H12")):
        h = min(16, a.shape[0] - v, a.shape[1] - u)
        out[v-h:v+h, u-h:u+h] = a[y-h:y+h, x-h:x+h]
    return out


def between(at, first, second, axis): return int((at[first][axis] + at[second][axis])/2)


PARTS = {"three quarters, left": lambda a, at: a[:, :between(at, "D9", "D10", 0)],
         "three quarters, right": lambda a, at: a[:, between(at, "D3", "D4", 0):],
         "seven rows": lambda a, at: a[between(at, "A6", "B6", 1):],
         "eleven columns": lambda a, at: a[:, :between(at, "D11", "D12", 0)],
         "half, turned": lambda a, at: a[:between(at, "D6", "E6", 1)].T,
         "eleven columns on a bench": lambda a, at: np.pad(a[:, :between(at, "D11", "D12", 0)], 40,
                                                           constant_values=np.median(a)),
         "two plates": lambda a, at: np.pad(np.hstack([a, np.full((len(a), 30), np.median(a)), a]), 10,
                                            constant_values=np.median(a))}


@pytest.mark.later
@pytest.mark.parametrize("part", PARTS)
def test_what_is_not_one_whole_plate_is_refused(small, tmp_path, part):
    with pytest.raises(ValueError, match="only part of the plate|of the plate is not seen|beside the plate"):
        read_small(small, tmp_path, "DR0013", PARTS[part])


def other_plate(a, factor, below):
    "The picture with another one of it, `factor` times as large, to its right or below"
    size = round(a.shape[1]*factor), round(a.shape[0]*factor)
    b = np.asarray(Image.fromarray(a.astype(np.uint8)).resize(size, Image.Resampling.BOX)).astype(float)
    first, second = (o.T if below else o for o in (a, b))
    h, ground = max(len(first), len(second)), np.median(a)
    both = [np.pad(o, ((0, h - len(o)), (0, 30)), constant_values=ground) for o in (first, second)]
    out = np.pad(np.hstack(both), 10, constant_values=ground)
    return out.T if below else out


@pytest.mark.parametrize("factor, below", [
    (.5, False), *(pytest.param(*o, marks=pytest.mark.full)
                   for o in ((.5, True), (.35, False), (.7, True), (1.25, False), (2., True)))])
def test_plates_of_two_sizes_are_one_line(small, tmp_path, factor, below):
    "Up to six of thirteen MICs were wrong without a flag: the larger plate was read with the layout of the smaller one"
    with pytest.raises(ValueError, match="x.png: there are wells beside the plate that was found"):
        read_small(small, tmp_path, "DR0013", lambda a, at: other_plate(a, factor, below))


@pytest.mark.later
def test_what_stands_beside_a_plate_is_not_always_wells(small):
    "Noise and the blocks of a poor JPEG file on the table around a plate"
    a, ground = small["DR0013"][0], np.random.default_rng(0).normal(0, 20, (454, 563))
    wide = np.pad(a, 80, constant_values=np.median(a))
    wide = np.clip(wide + ground[:wide.shape[0], :wide.shape[1]], 0, 255).astype(np.uint8)
    file = BytesIO()
    Image.fromarray(wide).save(file, "jpeg", quality=10)
    for photo in (wide, np.asarray(Image.open(file))): assert upright(photo).plate.seen.sum() > 90


def test_a_grid_is_not_stretched():
    wide = np.zeros((8*40, 9*40))
    y, x = np.mgrid[:40, :40] - 19.5
    wide += np.tile((np.abs(np.hypot(x, y) - 17) < 1.5)*150, (8, 9)) + 60
    s = well_spacing(wide.astype(np.uint8))
    assert abs(s.across - 40) < 1 and abs(s.down - 40) < 1 and s.strength > .5
    with pytest.raises(ValueError, match="room for 8 rows and 9 columns"): upright(wide.astype(np.uint8))


@pytest.fixture(scope="module")
def up(small, tmp_path_factory): return read_small(small, tmp_path_factory.mktemp("up"), "DR0013", lambda a, at: a)


def seen_in(pose, a):
    "A plate photographed in a pose"
    ways = [o for k in range(4) for o in (np.rot90(a, k), np.rot90(a, k)[:, ::-1])]
    return next(o for o in ways if np.array_equal(laid(o, pose), a))


QUICK = "mirrored along its other diagonal"


@pytest.mark.later
@pytest.mark.parametrize("pose", [QUICK, *(pytest.param(o, marks=pytest.mark.full) for o in POSES if o != QUICK)])
def test_a_pose_changes_no_reading(small, up, tmp_path, pose):
    "The same MICs, the same wells; what was inferred is said at every drug, until a person says it"
    r = read_small(small, tmp_path, "DR0013", lambda a, at: seen_in(pose, a))
    assert np.array_equal(r.wells.growth, up.wells.growth) and r.mics.mic.tolist() == up.mics.mic.tolist()
    assert r.mics["flags"].str.contains("as growth alone says").all() == (pose != "as it is")
    known = read_small(small, tmp_path, "DR0013", lambda a, at: seen_in(pose, a), pose=pose)
    assert known.mics["flags"].tolist() == up.mics["flags"].tolist() and (up.mics["flags"] == "").sum() >= 5


@pytest.mark.later
def test_a_pose_is_one_of_eight(small, tmp_path):
    for pose, says in (("askew", "pose: one of as it is"), ("turned clockwise by a quarter", "cannot be")):
        with pytest.raises(ValueError, match=says): read_small(small, tmp_path, "DR0013", lambda a, at: a, pose=pose)


@pytest.mark.later
@pytest.mark.parametrize("name", ["DR0013", pytest.param("1055", marks=pytest.mark.full)])
def test_a_failed_control_chooses_no_orientation(small, tmp_path, name):
    "A control that stayed clear, on a plate turned by a quarter: no MIC, whatever else would fit"
    def turned(a, at): return np.rot90(np.pad(clear_controls(a, at), 40, constant_values=np.median(a)))
    try: r = read_small(small, tmp_path, name, turned)
    except ValueError as e: assert "which way round" in str(e)
    else: assert (r.mics.mic == "").all()


@pytest.mark.later
def test_a_control_behind_a_reflection_that_looks_clear_is_said_at_every_drug(small, tmp_path):
    "A clear well with a gradient in the place of one of two growth controls: the other one grew, and that is not all"
    def shaded_control(a, at):
        out, (x, y), (u, v) = a.copy(), *(np.round(at[w]).astype(int) for w in ("D6", "H11"))
        h = min(16, a.shape[0] - v)
        out[v-h:v+h, u-h:u+h] = a[y-h:y+h, x-h:x+h]*np.linspace(.5, 1.5, 2*h)
        return out
    r = read_small(small, tmp_path, "DR0013", shaded_control, pose="as it is")
    assert r.wells.set_index("well").glare["H11"] and (r.mics.mic != "").any()
    assert r.mics["flags"].str.contains("growth control H11 could not be read and looks clear").all()


@pytest.mark.parametrize("role, growth, covered, said", [
    ("control", .1, True, "growth control H11"), ("control", .9, True, ""),
    ("sterile", .9, True, "sterility control H11"), ("sterile", .1, True, ""), ("control", .9, False, "")])
def test_hidden_controls_are_said_where_they_look_failed(role, growth, covered, said):
    t = pd.DataFrame(dict(well=["A1", "A2", "A3", "H11", "H12"], drug=["D"]*3 + [""]*2,
                          concentration=[1, 2, 4, np.nan, np.nan], role=["test"]*3 + [role, role],
                          growth=[.99, .01, .01, growth, .99*(role == "control")], glare=[False]*3 + [covered, False]))
    mics, _ = plate_mics(t)
    assert mics.mic[0] == "2" and mics["flags"][0].startswith(said) and (mics["flags"][0] == "") == (said == "")


@pytest.mark.later
@pytest.mark.parametrize("what", ["controls", "all wells"])
def test_a_plate_without_growth_in_its_controls_says_one_line(small, tmp_path, monkeypatch, what):
    "No MIC, and none that would be likely: neither in the terminal nor on the page"
    a, g, at = small["DR0013"]
    empty = clear_controls(a, at)
    if what == "all wells":   # every well is the clear one
        x, y = np.round(at["D6"]).astype(int)
        for u, v in (np.round(o).astype(int) for o in at.values()):
            h = min(16, u, v, a.shape[0] - v, a.shape[1] - u)
            empty[v-h:v+h, u-h:u+h] = a[y-h:y+h, x-h:x+h]
    monkeypatch.chdir(tmp_path)
    Image.fromarray(empty.astype(np.uint8)).save("x.png")
    g[["well", "drug", "concentration", "role"]].to_csv("panel.csv", index=False)
    r = CliRunner().invoke(app, ["mic", "plate", "x.png", "--layout", "panel.csv", "--pose", "as it is", "--out", "o"])
    assert r.exit_code == 0 and "no MICs: growth control did not grow" in r.stderr, r.output
    page = (tmp_path/"o"/"plate.html").read_text(encoding="utf-8")
    assert "<=" not in r.stderr and "Most probable" not in page and "&lt;=" not in page
    assert "growth control did not grow" in page and "those of panel.csv. No photograph tells it from another" in page


@pytest.mark.parametrize("grown, asked", [(7, False), (8, True), (16, True), (17, False)])
def test_the_growth_is_asked_of_a_layout_where_eight_wells_grew_and_eight_did_not(grown, asked):
    import pandas as pd
    conc = np.tile(2.**np.arange(8), 3)
    t = pd.DataFrame(dict(well=[f"{r}{c}" for r in "ABC" for c in range(1, 9)], drug=np.repeat([*"xyz"], 8),
                          concentration=conc, role="test"))
    growth = np.zeros(24)
    growth[np.argsort(conc, kind="stable")[:grown]] = 1   # low concentrations first, in every series
    found = layout_chance(t, growth)
    assert np.isnan(found) != asked and (not asked or found == .005)


@pytest.mark.later
def test_a_layout_that_the_growth_does_not_follow_is_refused(small, tmp_path):
    "Another panel: one line, no MIC, where the growth can tell, and the own panel far from it"
    a, g, at = small["1055"]
    Image.fromarray(a.astype(np.uint8)).save(tmp_path/"x.png")
    own = g[["well", "drug", "concentration", "role"]]
    t, other = read_photo(tmp_path/"x.png", own).wells, own.copy()
    test = (own.role == "test").to_numpy()
    other.loc[test, ["drug", "concentration"]] = own[test].sample(frac=1, random_state=1)[
        ["drug", "concentration"]].to_numpy()
    with pytest.raises(ValueError, match="x.png: the growth does not follow the series.*is it the layout of this"):
        read_photo(tmp_path/"x.png", other.assign(concentration=other.concentration.astype(float)), pose="as it is")
    assert layout_chance(t, t["growth"]) == .005
    assert np.isnan(layout_chance(t, t["growth"].where(t.drug == "ETH", 0)))   # too little grew to ask


@every("hidden, mic, said", [(None, "2", ""), (0, "2", ""), (3, "2", ""), (1, "1..2", "glare"), (2, "2..4", "glare")],
       ids=str)
def test_a_hidden_well_is_unknown(hidden, mic, said):
    "At the end of growth it leaves a range, elsewhere nothing"
    wells = pd.DataFrame(dict(drug="INH", concentration=[.5, 1, 2, 4], role="test", growth=[.999, .999, .001, .001],
                              seen=True, glare=[i == hidden for i in range(4)]))
    m = plate_mics(wells)[0].iloc[0]
    assert m.mic == mic and (said in m["flags"] if said else m["flags"] == "")
    m = plate_mics(wells.assign(seen=~wells.glare, glare=False))[0].iloc[0]
    assert m.mic == mic and ("not seen" in m["flags"]) == (hidden is not None)
    m = plate_mics(wells.assign(glare=False, debris=wells.glare))[0].iloc[0]
    assert m.mic == mic and ("opaque" in m["flags"]) == bool(said)


def test_a_black_speck_is_no_growth_and_a_pellet_is_no_speck():
    "Whatever the light; in at most three wells, since a whole plate of them is how these bacteria look"
    from mic_eval.mic.photograph import opaque
    plate, control = np.full((24, 20, 20), 130.), np.arange(24) == 0
    plate[:, :3], plate[:9, 8:12, 8:12] = 50, 45   # rims, and growth
    def speck(*wells):
        a = plate.copy()
        for w in wells: a[w, 5:11, 5:11] = 10
        return a
    for lit in (1, .4, lambda a: 100+.3*a):
        light = lit if callable(lit) else lambda a, k=lit: k*a
        assert np.flatnonzero(opaque(light(speck(12)).astype(np.uint8), control)).tolist() == [12]
    assert not opaque(plate.astype(np.uint8), control).any()
    assert np.flatnonzero(opaque(speck(3, 12, 20), control)).tolist() == [3, 12, 20]
    assert not opaque(speck(3, 12, 20, 21), control).any()
    assert not opaque(speck(0, 12), control).any()   # the control grew as dark as that
    assert not opaque(speck(2)[:11], control[:11]).any()


def test_a_lone_well_is_the_one_without_which_growth_ends_once():
    "Against trying every well: two skips or more with it, none without it"
    grown = np.random.default_rng(0).choice([0, 1, np.nan], (3000, 7), p=[.5, .45, .05])
    conc = 2.**np.arange(7)
    def skips(g): return read_series(g, conc, threshold=.5).skips
    without = np.array([skips(np.where(np.arange(7) == i, np.nan, grown)) for i in range(7)]).T
    found, alone = lone_wells(grown), skips(grown) > 1
    assert ((found >= 0) == (alone & (without == 0).any(1))).all() and (found >= 0).sum() > 100
    there = np.flatnonzero(found >= 0)
    assert ((without[there] == 0).sum(1) == 1).all() and (without[there, found[there]] == 0).all()


def test_a_lone_well_costs_no_drug_its_result_and_is_always_said():
    "Growth far above clear wells is set aside, unless they are doubtful or a person says that it is growth"
    wells = pd.DataFrame(dict(well=[f"A{i}" for i in range(1, 8)], drug="INH", concentration=2.**np.arange(7),
                              role="test", growth=[.99, .01, .02, .01, .999, .01, .01]))
    def read(**other): return plate_mics(wells.assign(**other))
    mics, tables = read()
    m = mics.iloc[0]
    assert m.mic == m.likely_mic == "2" and m.wells == "+---?--" and m.unreadable == 1
    assert m["flags"].startswith("well A5 grows alone") and "the MIC is 32" in m["flags"]
    t = tables["INH"].set_index("mic").probability
    assert t["2"] > .9 and t["32"] > 1e-5                       # what it hides keeps a probability
    doubtful = read(growth=[.99, .4, .4, .4, .999, .01, .01])[0].iloc[0]
    assert doubtful.mic == "" and doubtful.reason == "two or more skipped wells"
    said = read(said=["", "", "", "", "growth", "", ""], by="Li")[0].iloc[0]
    assert said.mic == "" and said.reason == "two or more skipped wells"
    assert plate_mics(wells, skip="highest")[0].mic[0] == "32"   # another policy stays what it says


@pytest.mark.later
@pytest.mark.parametrize("pattern", ["stripes", *(pytest.param(o, marks=pytest.mark.full)
                                                  for o in ("checks", "dots", "a blind"))])
def test_a_cloth_that_shines_through_the_wells_is_said_at_every_drug(small, tmp_path, pattern):
    "Up to eleven of thirteen MICs were off, and BDQ at >1 for 0.06 with a probability of .99 and no flag"
    def on_cloth(a, at):
        y, x = np.indices(a.shape)
        return {"stripes": a - 40*(y % 8 < 4), "checks": a - 30*((x//4 + y//4) % 2),
                "dots": a - 30*(np.hypot(x % 13 - 6, y % 13 - 6) < 3.2),
                "a blind": a*(1 - .3*(y % 22 < 11))}[pattern]
    try: r = read_small(small, tmp_path, "DR0013", on_cloth, pose="as it is")
    except ValueError: return
    assert r.mics["flags"].str.contains("a pattern runs through the wells").all() and "pattern" in r.flags[-1]


@pytest.mark.later
@pytest.mark.parametrize("name", ["DR0013", pytest.param("1055", marks=pytest.mark.full)])
def test_no_pattern_is_seen_in_plates_as_they_are(small, name):
    a = small[name][0]
    for change in (lambda a: a, lambda a: a[:, ::-1].T, lambda a: gaussian_filter(a, .8),
                   lambda a: a + np.random.default_rng(0).normal(0, 25, a.shape)):
        view = upright(np.ascontiguousarray(np.clip(change(a), 0, 255).astype(np.uint8)))
        assert well_pattern(view.image, view.plate) < 1 < PATTERNED


@pytest.mark.later
def test_a_plate_on_a_striped_bench_is_read_by_its_corners(small, tmp_path):
    "Stripes a quarter of a well wide hide the plate from the search, not from four marks"
    a, _, at = small["DR0013"]
    ends = np.array([at[w] for w in ("A1", "A12", "H12", "H1")]) + 60.5
    def bench(a, at):
        y, x = np.mgrid[:len(a) + 120, :a.shape[1] + 120]
        out = np.where(x % 16 < 8, 60., 200.)
        out[60:-60, 60:-60] = a
        return out
    with pytest.raises(ValueError, match=r"x.png: no plate of 12 columns and 8 rows found.*corners \(--corners\)$"):
        read_small(small, tmp_path, "DR0013", bench)
    r = read_small(small, tmp_path, "DR0013", bench, corners=ends)
    assert (r.mics["flags"] == "").sum() >= 4 and not r.mics["flags"].str.contains("pattern").any()


@pytest.mark.parametrize("clear, said", [(5, True), (6, False)])
def test_a_plate_on_which_nearly_all_grew_is_said_to_show_no_clear_well(clear, said):
    grown = np.ones(29)
    grown[14:14 + clear] = .01   # the highest of each series may be clear
    t = pd.DataFrame(dict(well=[f"{r}{c}" for r in "ABCDE" for c in range(1, 7)][:29], role=["test"]*28 + ["control"],
                          drug=[*np.tile([*"abcdefghijklmn"], 2), ""], concentration=[*np.repeat([1., 2.], 14), np.nan],
                          growth=grown))
    mics, _ = plate_mics(t)
    assert mics["flags"].str.contains(f"only {clear} of 29 wells are clear").all() == said
    assert not plate_mics(t.iloc[-23:])[0]["flags"].str.contains("are clear").any()   # too few to ask


def test_a_skipped_well_leaves_both_ends_possible():
    "However sure the network is of the clear well and of the growth above it, one of them shows what is not so"
    t = pd.DataFrame(dict(drug="D", concentration=2.**np.arange(6), role="test", growth=[1, 1e-4, 1, 0, 0, 0.]))
    mics, posterior = plate_mics(t)
    assert mics.mic[0] == "8" and mics.credible[0] == "2, 8" and "1 skipped well" in mics["flags"][0]
    assert np.allclose(posterior["D"].probability[[1, 3]], .49, atol=.01)


def test_flags_are_said_in_chinese_part_by_part():
    from mic_eval.core.fields import field_named
    from mic_eval.mic.read_command import mic_lines
    from mic_eval.report.words import speak
    t = pd.DataFrame(dict(well=[f"A{i}" for i in range(1, 7)], drug="D", concentration=2.**np.arange(6), role="test",
                          growth=[1, 1e-4, 1, 0, 0, 0.], seen=[True]*5 + [False]))
    try:
        speak("zh", field_named("mic"))
        said = "\n".join(mic_lines(plate_mics(t)[0]))
    finally: speak("en")
    assert "1 个孔未见到，未读取；" in said and "1 个跳孔；可能有多个 MIC：2, 8" in said, said
    assert not re.search("skipped|seen|possible", said)


@pytest.mark.parametrize("skipped, rest", [(5, False), (6, True), (8, False)])
def test_where_most_drugs_have_a_flag_the_others_are_doubted(skipped, rest):
    "Of eight drugs; where all have one there are no others, and what a person read is no doubt of the model"
    t = pd.DataFrame(dict(drug=np.repeat([*"abcdefgh"], 5), concentration=np.tile(2.**np.arange(5), 8), role="test",
                          growth=np.tile([1, 1, 0, 0, 0.], 8)))
    for i in range(skipped): t.loc[5*i, "growth"] = 0.   # growth skips the lowest well
    flags = plate_mics(t)[0]["flags"]
    said = flags.str.contains(f"{skipped} of 8 drugs of this plate have a flag: look at this one too")
    assert said.tolist() == [False]*skipped + [rest]*(8 - skipped) and (flags != "").sum() == (8 if rest else skipped)
    spoken = t.assign(said="", by="")
    spoken.loc[[0, 5, 10, 15, 20, 25], ["said", "by"]] = "growth", "Li"
    assert not plate_mics(spoken)[0]["flags"].str.contains("look at this one").any()
