"Scenes, conditions, bubbles and turbidity: what changes, what must not, and how fast"

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from mic_eval.data.imaging import CONDITIONS, REFERENCE, SEVERITIES, bubble_field, condition_wells, under_condition
from mic_eval.data.optics import LOOK, WIDE, draw_settings, sharpen
from mic_eval.data.set_quality import FEATURES, TUNED, compare_pictures, picture_features, twin_plates
from mic_eval.data.scenes import (BUBBLE_TYPES, DENSEST, TURBIDITY, add_bubbles, bubble_wells, cloud_scene,
                                  lens_view, turbidity_level, turbidity_wells)
from mic_eval.data.wells import draw_scene, photograph, render_wells
from every import every

NAMES = [n for f in CONDITIONS.values() for n in f]


@pytest.fixture(scope="module")
def scene(): return draw_scene(6, [0, 0, 0, .1, .4, 1], size=48, seed=4)


def same(a, b):
    return (a.images == b.images).all() and (a.growth == b.growth).all() and (a.bubble_mask == b.bubble_mask).all()


def test_pictures_of_old_seeds_are_those_that_ship():
    "The weights of WellNet and the demo data depend on them; sums of grey levels from before scenes existed"
    w = render_wells(300, seed=3)
    assert w.images[:256].sum(dtype=int) == pytest.approx(211493110, rel=1e-5)
    assert w.images[256:].sum(dtype=int) == pytest.approx(35223023, rel=1e-5)


def test_a_scene_photographed_at_once_is_render_wells():
    rng = np.random.default_rng(7)
    assert same(photograph(draw_scene(20, bubble=.3, size=32, seed=rng), seed=rng),
                render_wells(20, bubble=.3, size=32, seed=7))


@pytest.mark.parametrize("density, covered", [(.1, False), (.1001, True)])
def test_growth_covers_what_is_denser_than_a_tenth(density, covered):
    from dataclasses import replace
    s = draw_scene(2, [0, 1], size=16, seed=1)
    w = photograph(replace(s, density=np.full_like(s.density, density)))
    assert not w.growth_mask[0].any() and (w.growth_mask[1] == covered).all()


def test_sharpening_draws_nothing_where_its_span_is_zero():
    assert "sharpening" not in draw_settings(LOOK, 3, np.random.default_rng(0))
    assert "sharpening" in draw_settings(TUNED, 3, np.random.default_rng(0))
    flat = np.full((1, 20, 20), 77, np.uint8)
    assert (sharpen(flat, [2.]) == flat).all()


@every("name", NAMES)
def test_conditions_keep_the_truth_and_grow_with_severity(scene, name):
    shots = [photograph(under_condition(scene, name, s, seed=1), seed=2) for s in range(6)]
    assert all((s.growth == shots[0].growth).all() and (s.optical_density == shots[0].optical_density).all()
               for s in shots)
    change = [abs(s.images.astype(float)-shots[0].images).mean() for s in shots]
    assert change[0] == 0 and change == sorted(change) and change[5] > 2
    assert shots[5].bubble.any() == (name == "bubbled")


@pytest.mark.parametrize("name", REFERENCE.values())
def test_references_change_nothing(scene, name): assert under_condition(scene, name, 5) is scene


@pytest.mark.parametrize("args, says", [(("foggy", 1), "condition must be one of"),
                                        (("dim", 6), "severity must be 0 to 5"), (("dim", -1), "severity must")])
def test_unknown_conditions_are_refused(scene, args, says):
    with pytest.raises(ValueError, match=says): under_condition(scene, *args)


def test_condition_wells_pair_by_themselves():
    w = condition_wells(3, size=32, severities=(1, 5), families=("membrane",), seed=1)
    assert len(w) == 3*(1+3*2)
    assert set(w.facts["condition"]) == {"clean", *CONDITIONS["membrane"]} and set(w.facts["severity"]) == {0, 1, 5}
    for i in set(w.facts["sample_id"]): assert len(set(w.growth[w.facts["sample_id"] == i])) == 1
    with pytest.raises(ValueError, match="families must be among"): condition_wells(1, families=("weather",))
    assert same(w, condition_wells(3, size=32, severities=(1, 5), families=("membrane",), seed=1))


def test_the_same_wells_whatever_else_is_asked_for():
    a, b = condition_wells(4, size=32, families=("lighting",), severities=(1,)), condition_wells(4, size=32,
        families=("lighting",))
    assert (a.optical_density[:4] == b.optical_density[:4]).all()


def test_bubble_field_is_a_distance():
    r, h = bubble_field(40, np.array([[0., np.nan]]), np.array([[0., np.nan]]), np.array([[.5, 1.]]))
    y, x = (np.mgrid[:40, :40]+.5)*2/40-1
    assert np.allclose(r[0], np.hypot(x, y)/.5, atol=1e-5) and h[0].argmin() != r[0].argmin()


@every("kind", BUBBLE_TYPES)
@every("size", [32, 70])
def test_every_kind_has_its_mask_and_changes_little_outside(scene, kind, size):
    clean = draw_scene(30, size=size, seed=1)
    seen = add_bubbles(clean, kind, seed=2)
    assert seen.bubble.any((1, 2)).all() and seen.bubble.mean() < .4
    assert abs((seen.bent-1)[~seen.bubble]).mean() < .02 and (seen.optical_density == clean.optical_density).all()
    assert not clean.bubble.any()                                                    # the scene given is not touched


def test_the_lens_keeps_its_outline_and_moves_its_inside():
    field = np.random.default_rng(0).uniform(size=(2, 60, 60)).astype(np.float32)
    same_view = lens_view(field, [0, 0], [0, 0], [.6, .6], [0, 0])
    assert np.allclose(same_view, field, atol=2e-3)
    moved = lens_view(field, [0, 0], [0, 0], [.6, .6], [.4, -.6])
    y, x = (np.mgrid[:60, :60]+.5)*2/60-1
    out = np.hypot(x, y) > .62
    assert np.allclose(moved[:, out], field[:, out], atol=2e-3) and abs(moved-field)[:, ~out].mean() > .1


def test_bubble_wells_are_twins():
    w = bubble_wells(5, size=40, color=True, seed=2)
    assert w.images.shape == (30, 40, 40, 3)
    assert (w.bubble == (w.facts["bubble_type"] != "")).all() and set(w.facts["variant"]) == {"clean", *BUBBLE_TYPES}
    assert (w.growth.reshape(6, 5) == w.growth[:5]).all()
    assert (w.optical_density.reshape(6, 5) == w.optical_density[:5]).all()
    with pytest.raises(ValueError, match="kind must be one of"): bubble_wells(1, kinds=("square",))


@settings(max_examples=15, deadline=None)
@given(st.floats(.011, .79), st.floats(0, 1), st.integers(0, 1000))
def test_a_well_has_the_density_asked_for(od, even, seed):
    c = cloud_scene(np.array([od, 0.]), even=even, size=40, seed=seed)
    assert c.optical_density[0] == pytest.approx(od, rel=.02) and c.optical_density[1] < TURBIDITY["trace"]
    assert ((c.density*c.inside).sum((1, 2))/c.inside.sum((1, 2)) == pytest.approx(c.optical_density, rel=1e-4))
    assert (c.amount > 0).tolist() == [True, False]


def test_levels_follow_the_cuts():
    cuts = list(TURBIDITY.values())
    assert turbidity_level(cuts).tolist() == list(range(6))
    assert turbidity_level(np.array(cuts[1:])-1e-9).tolist() == list(range(5))
    for bad in ([-.1], [np.nan]):
        with pytest.raises(ValueError, match="optical_density"): turbidity_level(bad)


def test_turbidity_wells_are_labelled_by_what_was_drawn():
    w = turbidity_wells(20, size=40, seed=1)
    assert (turbidity_level(w.optical_density) == [list(TURBIDITY).index(k) for k in w.facts["turbidity"]]).all()
    assert w.optical_density.max() <= DENSEST*1.01
    assert (w.growth == (w.facts["turbidity"] != "clear")).all()
    assert {k: (w.facts["turbidity"] == k).sum() for k in TURBIDITY} == dict.fromkeys(TURBIDITY, 20)
    inner = np.hypot(*np.mgrid[-1:1:40j, -1:1:40j]) < .5
    light = [w.images[w.facts["turbidity"] == k][:, inner].mean() for k in TURBIDITY]
    assert light[2:] == sorted(light[2:], reverse=True)
    for bad in (dict(levels=("milky",)), dict(even=2)):
        with pytest.raises(ValueError): turbidity_wells(2, **bad)


def test_wide_look_never_fails():
    for kind in BUBBLE_TYPES:
        assert photograph(add_bubbles(draw_scene(8, look=WIDE, size=40, seed=1), kind, seed=2)).images.std() > 0


def test_realism_sees_what_differs():
    pattern = np.arange(96) % 2 == 0
    a = twin_plates(pattern, plates=1, seed=1)
    dark = compare_pictures(a, (a*.5).astype(np.uint8), n_permutations=99)
    assert dark.domain_auc > .99 and dark.mmd2.p < .05 and dark.gaps.feature[0] in FEATURES
    assert picture_features(a).shape == (96, len(FEATURES))
    with pytest.raises(ValueError, match="96 wells"): twin_plates(pattern[:5])


def test_variants_on_disk_have_pictures_and_masks_of_their_own(tmp_path):
    from mic_eval.data.manifest import read_manifest
    from mic_eval.data.pictures import load_image
    from mic_eval.data.wells import write_wells
    w = bubble_wells(2, size=32, seed=1)
    kept = read_manifest(write_wells(w, tmp_path, masks=True))
    assert len(kept) == 12
    assert len(set(kept.facts["path"])) == 12 and (kept.facts["bubble"].astype(int) == w.bubble).all()
    assert (load_image(tmp_path/kept.facts["mask"][3])[0] > .5).astype(int).sum() == w.bubble_mask[3].sum()
    with pytest.raises(ValueError, match="must be unique"): write_wells(w[[0, 0]], tmp_path)
