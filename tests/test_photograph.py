"A photograph that was turned, mirrored, squeezed or taken from the side: the right MICs, a flag, or a refusal."
import numpy as np
import pandas as pd
import pytest
from PIL import Image
from scipy.ndimage import gaussian_filter

from mic_eval.data.upright import _keystone, homography, lies_well, scatter, seen_from, upright
from mic_eval.mic.dilutions import NO, within
from mic_eval.mic.photograph import FLIPS, flipped, orientations, possible_orientations, series_evidence, read_photo


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
    assert flip in possible and all(FLIPS[o][0] == FLIPS[flip][0] for o in possible)
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
