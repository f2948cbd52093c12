"Corruptions: the same for a picture in any company, worse with every step, the clean picture at step 0"

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.ndimage import gaussian_filter

from mic_eval.data.corruptions import (BASELINES, PLATE_CONDITIONS, CORRUPTIONS, CorruptionDraws, corrupt,
                                       corruption_gallery, corruptions)
from mic_eval.data.wells import render_wells
from every import every

GREY = render_wells(12, seed=3).images
COLOUR = render_wells(8, size=48, color=True, seed=4).images
SMALL = render_wells(8, size=32, seed=5).images
ODD = render_wells(4, size=90, seed=6).images[:, :61]/np.float32(255)


def pictures(name): return COLOUR if CORRUPTIONS[name].colour else GREY


def test_the_names():
    imagenet = dict(noise="gaussian_noise shot_noise impulse_noise speckle_noise",
                    blur="defocus_blur glass_blur motion_blur zoom_blur gaussian_blur",
                    weather="snow frost fog brightness",
                    digital="contrast elastic_transform pixelate jpeg_compression saturate spatter")
    for family, names in imagenet.items(): assert corruptions(family, 3) == names.split()
    assert PLATE_CONDITIONS == dict(lighting=["bright", "dim", "uneven", "flickering"],
                                    membrane=["clean", "bubbled", "wrinkled", "contaminated"],
                              image_quality=["high_quality", "blurred", "noisy", "low_contrast"])
    assert len(corruptions(channels=3)) == 19 + 9 and len(corruptions()) == 27 and "saturate" not in corruptions()
    for c in CORRUPTIONS.values():
        assert len(c.levels) in (0, 5)
        assert (c.baseline == c.name) == (not c.levels) and c.baseline == BASELINES.get(c.family, "clean")


@pytest.mark.later
@every("name", list(CORRUPTIONS))
def test_every_step_is_worse(name):
    for a in [pictures(name)] if CORRUPTIONS[name].colour else [GREY, SMALL, ODD, COLOUR]:
        scale = 255 if a.dtype == np.uint8 else 1
        out = [corrupt(a, name, s) for s in range(6)]
        away = [np.sqrt(((b.astype(float) - a)**2).mean())/scale for b in out]
        assert all(b.shape == a.shape and b.dtype == (np.uint8 if scale == 255 else np.float32) and b.min() >= 0
                   and b.max() <= scale for b in out)
        assert away[0] == 0
        assert np.all(np.diff(away) > 0) if CORRUPTIONS[name].levels else max(away) == 0, np.round(away, 4)


@every("name", corruptions(channels=3))
def test_a_picture_is_corrupted_alike_in_any_company(name):
    a, keys = pictures(name), [f"W{i}" for i in range(len(pictures(name)))]
    whole, before = corrupt(a, name, 4, seed=5, keys=keys), a.copy()
    assert np.array_equal(corrupt(a[[5, 1]], name, 4, seed=5, keys=["W5", "W1"]), whole[[5, 1]])
    assert np.array_equal(corrupt(a, name, 4, seed=5, keys=keys), whole) and np.array_equal(a, before)


def test_seeds_keys_and_names_make_a_difference():
    a = corrupt(GREY, "noisy", 3)
    assert not np.array_equal(a, corrupt(GREY, "noisy", 3, seed=1))
    assert not np.array_equal(a, corrupt(GREY, "noisy", 3, keys=range(1, 13)))
    assert not np.array_equal(CorruptionDraws(0, "noisy", [0]).normal(5), CorruptionDraws(0, "fog", [0]).normal(5))
    assert not np.array_equal(CorruptionDraws(0, "noisy", ["1"]).normal(5), CorruptionDraws(0, "noisy", [1]).normal(5))


def test_bytes_and_numbers_agree():
    for name in corruptions():
        a, b = corrupt(GREY, name, 3), corrupt(GREY/255., name, 3)
        assert np.abs(a/255. - b).max() <= .5/255 + 1e-6 or name == "shot_noise", name


def test_large_batches_are_cut_without_a_trace():
    many = np.tile(GREY, (26, 1, 1))[:300]
    assert np.array_equal(corrupt(many, "elastic_transform", 2)[250:],
                          corrupt(many[250:], "elastic_transform", 2, keys=range(250, 300)))


def test_settings_are_what_they_say():
    flat = np.full((30, 64, 64), .5, np.float32)
    for name, s, sd in (("gaussian_noise", 1, .08), ("noisy", 2, .04), ("speckle_noise", 2, .1),
                        ("shot_noise", 1, np.sqrt(.5/60))):
        assert abs(corrupt(flat, name, s).std() - sd) < .03*sd, name
    salt = corrupt(flat, "impulse_noise", 5)
    assert abs((salt != .5).mean() - .27) < .01 and abs((salt == 1).mean() - .135) < .01
    assert np.allclose(corrupt(flat, "dim", 3), .25)
    assert np.allclose(corrupt(flat, "brightness", 2), .7) and np.allclose(corrupt(flat, "contrast", 5), flat)
    x = ODD.astype(np.float32)
    assert np.allclose(corrupt(x, "low_contrast", 4) - .7*x.mean((1, 2), keepdims=True), .3*x, atol=1e-5)
    assert np.abs(corrupt(x, "blurred", 5) - gaussian_filter(x, (0, .035*61, .035*61), mode="reflect",
                                                             truncate=3)).max() < .01
    assert np.abs(corrupt(x, "gaussian_blur", 4) - gaussian_filter(x, (0, 4*61/224, 4*61/224), mode="reflect",
                                                                   truncate=3)).max() < .01   # the shorter side
    assert corrupt(flat, "uneven", 5).min() < .12 and corrupt(flat, "uneven", 5).max() > .48


def test_a_warp_is_read_between_pixels_and_stops_at_the_edge():
    from scipy.ndimage import map_coordinates

    from mic_eval.data.corruptions import _warp
    rng = np.random.default_rng(3)
    x = rng.random((2, 6, 5, 3), dtype=np.float32)
    dy, dx = rng.uniform(-7, 7, (2, 2, 6, 5)).astype(np.float32)
    at = np.mgrid[:6, :5]
    want = [np.stack([map_coordinates(x[i, ..., c], (at[0]+dy[i], at[1]+dx[i]), order=1, mode="nearest")
                      for c in range(3)], -1) for i in range(2)]
    assert np.allclose(_warp(x, dy, dx), want, atol=1e-5)


@pytest.mark.parametrize("size", [3, 5, 9])
def test_a_filter_is_a_convolution_with_a_kernel_of_sum_one_and_mirrored_edges(size):
    from scipy.ndimage import convolve

    from mic_eval.data.corruptions import _filter
    rng = np.random.default_rng(size)
    x, own = rng.random((3, 11, 9, 2), dtype=np.float32), rng.random((3, size, size))
    for k in (own[0], own):
        each = [k]*3 if k.ndim == 2 else k
        want = [np.stack([convolve(x[i, ..., c], o/o.sum(), mode="mirror") for c in range(2)], -1)
                for i, o in enumerate(each)]
        assert np.allclose(_filter(x, k), want, atol=1e-5)


def test_blurs_keep_the_light_of_a_point():
    point = np.zeros((1, 101, 101), np.float32)
    point[0, 50, 50] = 1
    for name in ("defocus_blur", "motion_blur", "gaussian_blur", "blurred"):
        assert abs(corrupt(point, name, 5).sum() - 1) < .01, name
    disc = corrupt(point, "defocus_blur", 5)[0]
    assert disc[50, 50] == pytest.approx(disc[50, 53], rel=.05) and disc[50, 56] < 1e-6


def test_pixelate_makes_blocks():
    a = np.random.default_rng(0).random((1, 40, 40)).astype(np.float32)
    assert np.ptp(corrupt(a, "pixelate", 5)[0].reshape(10, 4, 10, 4), axis=(1, 3)).max() < 1e-5
    assert corrupt(a, "pixelate", 5).mean() == pytest.approx(a.mean(), abs=1e-4)


def test_one_channel_and_four():
    a = GREY[:2]
    assert np.array_equal(corrupt(a[..., None], "fog", 3)[..., 0], corrupt(a, "fog", 3))
    assert corrupt(np.stack([a]*4, -1), "jpeg_compression", 3).shape == (2, 70, 70, 4)
    for name in corruptions(): assert corrupt(np.stack([a]*2, -1), name, 3).shape == (2, 70, 70, 2)


def test_empty_batch():
    for name in corruptions(): assert corrupt(GREY[:0], name, 3).shape == (0, 70, 70)


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(corruptions()), st.integers(16, 80), st.integers(16, 80), st.integers(1, 5),
       st.sampled_from([0., .5, 1.]))
def test_any_size_and_flat_pictures(name, h, w, severity, value):
    out = corrupt(np.full((2, h, w), value), name, severity)
    assert out.shape == (2, h, w) and np.isfinite(out).all()


def test_bad_input():
    for args, says in (((GREY, "mist"), "no corruption 'mist'; there is gaussian_noise"),
                       ((GREY, "fog", 6), "severity must be"), ((GREY, "fog", 2.5), "severity must be"),
                       ((GREY[0], "fog"), "must have shape"), ((GREY[:, :5], "fog"), "at least 8"),
                       ((GREY.astype(int), "fog"), "bytes or numbers from 0 to 1, not int64"),
                       ((GREY*2., "fog"), "from"), ((np.full((1, 20, 20), np.nan), "fog"), "from 0 to 1"),
                       ((GREY, "saturate"), "saturate needs colour")):
        with pytest.raises(ValueError, match=says): corrupt(*args)
    with pytest.raises(ValueError, match="images 12, keys 3"): corrupt(GREY, "fog", keys=[1, 2, 3])
    with pytest.raises(ValueError, match="no family"): corruptions("nois")


def test_gallery_is_an_axes():
    ax = corruption_gallery(GREY[0], ["dim", "fog"], (0, 3, 5))
    assert ax.images[0].get_array().shape == (140, 210)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["dim", "fog"]
