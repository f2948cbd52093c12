"Rendered wells: physics, truth, plates, and the folder on disk"
import csv

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from PIL import Image

from mic_eval.data.scenes import LOOKS, between, training_wells, BUBBLE_TYPES, turbidity_level
from mic_eval.data.optics import WIDE
from mic_eval.data.wells import (LOOK, LOWEST_STEP, SITES, UKMYC6, Look, concentration, demo_wells, draw_settings,
                                 isolate_mics, lens_blur, rendered_mic,
                                 render_plate, render_plates, render_wells, response, vessel, write_wells)
from every import every


@pytest.fixture(scope="module")
def plate(): return render_plate("P01", isolate="I01", seed=4)


def test_the_same_seed_draws_the_same_wells():
    a, b, c = (render_wells(300, size=32, seed=s) for s in (5, 5, 6))
    assert (a.images == b.images).all() and (a.growth == b.growth).all() and not (a.images == c.images).all()


@every("size", [16, 33, 70, 128])
@every("color", [False, True])
def test_any_size_grey_or_colour(size, color):
    w = render_wells(3, size=size, color=color, seed=0)
    assert w.images.shape == (3, size, size) + (3,)*color
    assert w.images.dtype == np.uint8 and w.growth_mask.shape == (3, size, size)


def test_more_growth_is_denser_and_darker():
    inner = np.hypot(*np.mgrid[-1:1:70j, -1:1:70j]) < .5
    light = [render_wells(60, a, seed=3, bubble=0).images[:, inner].mean() for a in (0, .2, .5, 1)]
    density = [render_wells(60, a, size=40, seed=3).optical_density.mean() for a in (0, .2, .5, 1)]
    assert light == sorted(light, reverse=True) and density == sorted(density)


def test_truth_follows_amount():
    w = render_wells(4, [0, .01, .5, 1], seed=1)
    assert w.growth.tolist() == [0, 1, 1, 1] and not w.growth_mask[0].any() and w.growth_mask[3].any()


def test_density_weakens_light_as_beer_and_lambert_say():
    still = Look(**{f: (v, v) for f, v in dict(light=.8, falloff=0, slope=0, radius=1.1, shift=0, parallax=0,
                                               meniscus=0, glint=0, dust=0, flecks=0, haze=0,
                                               button=.02, residue=0, density=0, turbidity=.3, noise=0, steps=250,
                                               blur=.3, gain=1).items()})
    none, full = (render_wells(1, a, look=still, bubble=0, seed=2).images[0, 15:25, 25:45].mean() for a in (0, 1))
    assert full/none == pytest.approx(10**-.3, rel=.06)


def test_bubbles_are_as_frequent_as_asked_and_masked():
    assert render_wells(50, bubble=0, seed=0).bubble.sum() == 0 and render_wells(50, bubble=1, seed=0).bubble.all()
    assert .1 < render_wells(500, size=32, bubble=.2, seed=0).bubble.mean() < .3


def test_mouth_leans_outward():
    s, at = draw_settings(LOOK, 2, np.random.default_rng(0)), np.array([[-1, 0], [1, 0.]])
    _, _, floor = vessel(s, 70, at, np.random.default_rng(0))
    assert floor[0, 0] > floor[1, 0]


def test_blur_keeps_light_and_matches_scipy():
    from scipy.ndimage import gaussian_filter
    x = np.random.default_rng(0).uniform(size=(2, 60, 60)).astype(np.float32)
    ours = lens_blur(x, [1., 2.])
    for y, z, s in zip(ours, x, (1., 2.)):
        assert np.allclose(y[15:-15, 15:-15], gaussian_filter(z, s, truncate=8)[15:-15, 15:-15], atol=1e-4)


@pytest.mark.parametrize("args, says", [((0,), "n must"), ((3, -1), "between 0 and 1"),
                                        ((3, np.nan), "between 0 and 1")])
def test_what_cannot_be_drawn_is_refused(args, says):
    with pytest.raises(ValueError, match=says): render_wells(*args)


def test_wells_index_and_join():
    w = training_wells(10, seed=0)
    assert len(w[:4]+w[4:]) == 10
    assert (w[[1, 3]].images == w.images[[1, 3]]).all() and len(w[2]) == 1 and (w[w.growth == 1].growth == 1).all()
    assert (w.growth == (w.facts["gap"] > 0)).all()


@pytest.mark.later
def test_lessons_hold_everything_often():
    w = training_wells(1920, size=32, seed=4)
    gap, kind = w.facts["gap"], w.facts["bubble_type"]
    assert ((gap > 0) == (w.growth == 1))[~np.isnan(gap)].all() and np.isnan(gap).mean() == .25
    assert [round(float((kind == k).mean()), 2) for k in ("", *BUBBLE_TYPES)] == [.6] + 5*[.08]
    assert (w.bubble == (kind != "")).mean() > .999
    assert (np.bincount(turbidity_level(w.optical_density), minlength=6) > 30).all()
    assert (training_wells(300, size=32, seed=4).images[:240] == w.images[:240]).all()
    assert training_wells(7, size=32, bubble=0).bubble.sum() == 0


def test_a_look_between_two_looks():
    assert between(LOOK, WIDE, 0) == LOOK and between(LOOK, WIDE, .5) == between(WIDE, LOOK, .5) and len(LOOKS) == 2


@given(st.floats(-8, 8), st.floats(.3, 1))
def test_response_is_monotone_and_bounded(gap, vigour):
    (a, r), (b, q) = response(gap, vigour), response(gap+.5, vigour)
    assert 0 <= a <= b <= 1 and 0 <= r <= q <= 1 and (a > 0) == (gap > 0)


def test_panel_has_96_wells_and_two_controls():
    wells = UKMYC6.split()
    assert len(wells) == 96 and wells.count("+") == 2 and len(set(wells)) == 95
    assert {w.rstrip("0123456789") for w in wells} - {"+"} == set(LOWEST_STEP)


def test_concentrations_are_those_of_the_real_panel():
    assert [concentration("RIF", k) for k in (1, 5, 9)] == [.03, .5, 8] and concentration("INH", 1) == .025
    with pytest.raises(KeyError): concentration("XYZ", 1)


def test_mics_as_text():
    steps = [.25, .5, 1.]
    assert [rendered_mic(i, steps) for i in range(1, 5)] == ["<=0.25", "0.5", "1", ">1"]


def test_misreadings_are_as_frequent_as_asked():
    rng, drugs = np.random.default_rng(0), dict(A=8, B=8, C=8)
    slips = [(read != index).mean() for _ in range(400)
             for _, index, read in isolate_mics(drugs, rng, misread=.2).values()]
    assert .12 < np.mean(slips) < .22                        # a slip at the end of the series falls back
    assert all((read == index).all() for _, index, read in isolate_mics(drugs, rng, misread=0).values())


def test_growth_stops_at_the_true_mic(plate):
    f = plate.facts
    for series in set(f["series"])-{""}:
        m = f["series"] == series
        low = np.argsort(f["dilution"][m].astype(int))
        g, c, mic = plate.growth[m][low], f["concentration"][m][low].astype(float), f["true_mic"][m][0]
        assert (np.diff(g) <= 0).all()
        if mic.startswith(">"): assert g.all()
        elif mic.startswith("<="): assert not g[1:].any()
        else: assert c[g == 0][0] == float(mic)
    assert plate.growth[f["role"] == "control"].all()


def test_plates_come_from_several_sites_and_two_splits():
    w = render_plates(6, size=32)
    assert len(w) == 576
    assert set(w.facts["site"]) == set(SITES)
    assert (w.facts["split"] == "tune").sum() == 96 and len(set(w.facts["isolate"])) == 6


def test_folder_has_the_layout_of_the_real_plates(tmp_path, plate):
    rows = list(csv.DictReader((write_wells(plate, tmp_path)/"manifest.csv").open()))
    assert list(
        rows[0])[:17] == (
            "sample_id path plate panel well x y isolate organism series role drug concentration dilution growth "
                                  "expert_mic consensus_mic").split()
    assert len(rows) == 96 and (np.array(Image.open(tmp_path/rows[5]["path"])) == plate.images[5]).all()
    assert {r["growth"] for r in rows} == {"0", "1"} and not (tmp_path/"manifest.csv.part").exists()


def test_demo_is_written_once(tmp_path):
    first = demo_wells(tmp_path/"d", plates=1)
    stamp = (first/"manifest.csv").stat().st_mtime_ns
    assert demo_wells(tmp_path/"d", plates=1) == first and (first/"manifest.csv").stat().st_mtime_ns == stamp


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**31))
def test_wide_look_never_fails(seed):
    w = render_wells(4, look=WIDE, bubble=.5, size=40, seed=seed)
    assert np.isfinite(w.optical_density).all() and w.images.std() > 0


def test_wide_holds_every_lab():
    for f, (lo, hi) in vars(LOOK).items():
        a, b = getattr(WIDE, f)
        assert a <= lo+1e-9 and b >= hi-1e-9 or f in ("meniscus",), f
