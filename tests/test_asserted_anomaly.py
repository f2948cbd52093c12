"Parts of the anomaly room, each against a value worked out another way"
import math

import numpy as np
import pandas as pd
import pytest


def mixed_images(rng, n=14, decimals=1, kind=np.float32, sizes=(30, 50, 80)):
    "Scores of images of several sizes, with ties"
    return [rng.normal(0, 2, sizes[i % len(sizes)]).round(decimals).astype(kind) for i in range(n)]


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("sizes", [(200,), (30, 500, 80)])
def test_the_highest_scores_are_all_there_and_little_else_is_held(kind, sizes):
    from mic_eval.anomaly.sorted_scores import HighestScores
    rng = np.random.default_rng(1)
    images = mixed_images(rng, 120, 3, kind, sizes)
    top, most = HighestScores(120, .02), 0.
    for i, s in enumerate(images):
        top.add(i, s)
        most = max(most, top.mass)
    assert most < 1.25*.02*120+.5+1                  # shares of images: those of one more image above the mark
    pixels = np.array([len(s) for s in images])
    every, of = np.concatenate(images), np.repeat(np.arange(120), pixels)
    order = np.lexsort((pixels[of], -every))
    score, image = top.sorted(pixels)
    assert .02*120 <= (1/pixels[image]).sum() < 1.1*.02*120+.1
    assert (score == every[order][:len(score)]).all()
    assert np.array_equal(pixels[image], pixels[of[order]][:len(image)])   # of equal scores, small images first
    if len(score) < len(every): assert score[-1] > every[order][len(score)]   # no level is cut in two


def test_an_images_scores_are_kept_whole_until_more_than_is_wanted_is_there():
    from mic_eval.anomaly.sorted_scores import HighestScores
    top = HighestScores(1000, .005)                  # five images' worth
    for i in range(6): top.add(i, np.full(10, i, np.float32))
    assert top.low == -math.inf and top.mass == 6
    top.add(6, np.full(10, 6, np.float32))
    assert top.low == 1 and top.mass == 6            # 7 > 1.25*5+.5: the level at which five are reached stays whole


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_pairs_are_sorted_by_score_then_size_in_either_precision(kind):
    from mic_eval.anomaly.sorted_scores import sorted_pairs
    rng, size = np.random.default_rng(2), np.array([9, 4, 6])
    parts = [rng.integers(-2, 3, 20).astype(kind) for _ in range(6)]
    parts[0][:5] = -0.
    owners = [np.full(20, o) if o else o for o in (0, 1, 2, 1, 0, 2)]
    rows = sorted((float(s)+0., size[np.ravel(o)[0]]) for p, o in zip(parts, owners) for s in p)
    s, owner = sorted_pairs(parts, owners, size)
    assert list(zip(s.tolist(), size[owner].tolist())) == rows and not parts


@pytest.mark.parametrize("least", [1, 60, 10_000])
def test_normal_pixels_counted_as_they_pass_are_those_counted_at_once(least):
    from mic_eval.anomaly.sorted_scores import collapsed, distinct, passed_counts
    rng = np.random.default_rng(3)
    images = mixed_images(rng)
    score = distinct(np.sort(rng.normal(1, 2, 40).round(1).astype(np.float32)))
    every = np.concatenate(images)
    told = dict(tied=[(every == s).sum() for s in score], above=[(every > s).sum() for s in score])
    for found in (passed_counts(iter(images), score, 10_000, least), collapsed(np.sort(every), score)):
        assert {k: v.tolist() for k, v in found.items()} == {k: [int(o) for o in v] for k, v in told.items()}


def one_row(s, on, size=256):
    from mic_eval.anomaly.sorted_scores import image_bins
    return image_bins(s, on, np.full(on.sum(), .25), size)


@pytest.mark.parametrize("low, high", [(0, 1), (-3, -1), (-.5, 70), (5, 5), (1000, 1000.5), (0, 0)])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_bins_are_as_fine_as_fits_and_hold_what_lies_in_them(low, high, kind):
    rng = np.random.default_rng(4)
    s = np.r_[low, high, rng.uniform(low, high, 500)].astype(kind)
    on = rng.random(502) < .2
    b = one_row(s, on)
    width = 2.**b.exponent
    assert b.pos.shape == b.neg.shape == b.share.shape and b.neg.shape[1] <= 256
    place = np.floor(s.astype(float)/width).astype(int)-b.first
    assert place.min() == 0 and place.max() == b.neg.shape[1]-1
    for found, which in ((b.pos, on), (b.neg, ~on)):
        assert found[0].tolist() == np.bincount(place[which], minlength=b.neg.shape[1]).tolist()
    assert np.allclose(b.share, b.pos*.25) and np.allclose(b.edges, (b.first+np.arange(b.neg.shape[1]+1))*width)
    finer = np.floor(s.astype(float)/width*2)
    digits = 23 if kind is np.float32 else 52
    if high > low: assert finer.max()-finer.min() >= 256 or width <= 2.**(math.frexp(max(abs(low), high))[1]-digits)


@pytest.mark.parametrize("seed", range(4))
def test_bins_that_grow_image_by_image_are_those_stacked_at_once_in_any_order(seed):
    from mic_eval.anomaly.sorted_scores import BinRows, stacked_bins
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(90):
        s = (rng.normal(rng.normal(0, 3), 10.**rng.uniform(-2, 1.5), 40)).astype(np.float32)
        rows.append(one_row(s, (rng.random(40) < .3) & (i % 3 > 0), 64))
    grown = BinRows(90, 64)
    for b in rows: grown.add(b)
    a, b = grown.bins(), stacked_bins(rows)
    assert a.grid == b.grid and (a.size, b.size) == (64, 64)
    for k in ("pos", "neg", "share"): assert np.array_equal(getattr(a, k), getattr(b, k)), k
    c = stacked_bins([stacked_bins(rows[60:]), stacked_bins(rows[:60])])
    assert c.grid == b.grid and np.array_equal(np.r_[c.neg[30:], c.neg[:30]], b.neg)
    assert b.neg.sum()+b.pos.sum() == 90*40 and np.allclose((rows[0]+rows[1]).pooled().neg.sum(), 80-sum(
        o.pos.sum() for o in rows[:2]))


def test_counts_fit_their_kind_and_shares_of_regions_add_up_in_any_order():
    from mic_eval.anomaly.sorted_scores import count_kind, exact_shares, image_bins
    for n in (1, 2**31-1, 2**31, 2**40): assert np.iinfo(count_kind(n)).max >= n
    assert count_kind(2**31-1) is np.int32
    rng, size = np.random.default_rng(5), np.arange(1, 3000)
    shares = np.repeat(exact_shares(size[::37]), size[::37])
    assert len({float(np.cumsum(rng.permutation(shares))[-1]) for _ in range(5)}) == 1
    assert shares.sum() == pytest.approx(len(size[::37]), rel=1e-7)
    s = rng.random(2**18+5).astype(np.float32)             # more than one block
    b = image_bins(s, np.zeros(len(s), bool), [], 64, least=-2)
    assert (b.exponent, b.first) == (-2, 0) and b.neg[0].tolist() == np.histogram(s, [0, .25, .5, .75, 1])[0].tolist()
    assert image_bins(s, np.zeros(len(s), bool), [], 64, least=-90).exponent == -6


# what is drawn

def artists(ax, kind): return [o for o in ax.get_children() if isinstance(o, kind)]


@pytest.fixture
def plt():
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    yield pyplot
    pyplot.close("all")


def test_the_scale_spans_the_asked_quantiles_and_never_nothing():
    from mic_eval.anomaly.plots import scale_of
    maps = [np.arange(100.).reshape(10, 10), np.arange(100., 201).reshape(1, 101)]
    assert scale_of(maps, .25, .75) == (50, 150)
    assert scale_of([np.full((4, 4), 3.)]) == (3, 4)
    big = np.arange(60_000.).reshape(200, 300)               # every third pixel is looked at
    assert scale_of([big], 0, 1) == (0, 59_997)


def test_heat_is_clear_below_the_scale_and_yellow_above_it_also_on_a_single_line_of_pixels(plt):
    from mic_eval.anomaly.plots import heat_map
    assert heat_map(None, np.arange(4.)[:, None], (0, 3), threshold=2, mask=np.ones((4, 1))).images
    ax = heat_map(None, [[-9., 0, 5, 10, 99]], (0, 10), threshold=5)
    drawn = ax.images[0].get_array()[0]
    assert drawn[:, 3].tolist() == pytest.approx([0, 0, .425, .85, .85])
    red, yellow = np.array([213, 94, 0])/255, np.array([240, 228, 66])/255
    assert np.allclose(drawn[[1, 2, 3], :3], [red, .75*red+.25*yellow, yellow])
    bar = ax.figure.axes[1]
    assert bar.get_ylim() == (0, 10) and list(bar.lines[0].get_ydata()) == [5, 5] and bar.get_ylabel() == "score"
    assert (ax.get_xticks().size, ax.get_yticks().size) == (0, 0)


@pytest.mark.parametrize("threshold, lines", [(None, 0), (0, 0), (.5, 1), (1, 1), (1.01, 0)])
def test_the_called_region_is_drawn_where_some_pixels_are_called_and_some_not(plt, threshold, lines):
    from matplotlib.contour import ContourSet
    from mic_eval.anomaly.plots import heat_map
    a = np.zeros((6, 8))
    a[2:4, 3:5] = 1
    ax = heat_map(np.full((12, 16), 200), a, (0, 1), threshold=threshold, mask=np.zeros((12, 16)), bar=False)
    assert len(artists(ax, ContourSet)) == lines and len(ax.figure.axes) == 1
    assert [o.get_array().shape[:2] for o in ax.images] == [(12, 16)]*2 and ax.images[0].get_clim() == (0, 255)
    truth = heat_map(np.full((12, 16), 1.), a, (0, 1), mask=np.arange(192).reshape(12, 16) > 90, bar=False)
    assert len(artists(truth, ContourSet)) == 1 and truth.images[0].get_clim() == (0, 1)


def test_the_most_harmful_images_are_those_that_a_sort_in_words_finds():
    from mic_eval.anomaly.plots import worst_images
    rng = np.random.default_rng(6)
    y, s = rng.integers(-1, 2, 60), rng.integers(0, 9, 60)/8
    v = np.where(rng.random(60) < .3, np.nan, rng.integers(0, 5, 60)/4)
    rows = range(60)
    told = dict(false_alarms=sorted((i for i in rows if y[i] == 0), key=lambda i: -s[i]),
        misses=sorted((i for i in rows if y[i] == 1), key=lambda i: s[i]),
        near=sorted(rows, key=lambda i: abs(s[i]-.4)), localised=sorted((i for i in rows if v[i] == v[i]),
            key=lambda i: v[i]))
    for k, expected in told.items():
        for n in (1, 6, 60): assert worst_images(y, s, k, n, .4, v).tolist() == expected[:n], k
    assert worst_images(y, s, threshold=0.).tolist() == told["false_alarms"][:6]
    assert len(worst_images(y, s, "near", threshold=0.)) == 6      # 0 is a threshold


def test_a_histogram_counts_every_image_normal_ones_up_and_anomalous_ones_down(plt):
    from mic_eval.anomaly.plots import anomaly_histogram
    rng = np.random.default_rng(7)
    y, s = np.repeat([0, 1, -1], [30, 1, 4]), rng.normal(size=35)
    ax = anomaly_histogram(y, s, threshold=.25, bins=7)
    up, down = [[b.get_height() for b in c] for c in ax.containers]
    assert len(up) == len(down) == 7 and (sum(up), sum(down)) == (30, -1) and min(up) >= 0 >= max(down)
    for b, n in zip(ax.containers[0], up):
        x, last = b.get_x(), b is ax.containers[0][-1]
        v = s[:30]
        end = x+b.get_width()
        assert n == ((v >= x-1e-12) & ((v < end-1e-12) | last)).sum()
    told = [o.get_text() for o in ax.get_legend().get_texts()]
    assert f"normal: n=30, mean {np.mean(s[:30]):.3g}, SD {np.std(s[:30], ddof=1):.2g}" in told
    assert "anomalous: n=1" in told and "threshold 0.25" in told
    assert [list(o.get_xdata()) for o in ax.lines] == [[0, 1], [.25, .25]]
    assert ax.yaxis.get_major_formatter()(-3, 0) == "3"


def test_squares_stand_in_their_row_and_column_and_an_image_at_the_threshold_is_called(plt):
    from matplotlib.patches import Rectangle
    from mic_eval.anomaly.plots import called_squares, confusion_squares
    ax = called_squares([0, 0, 0, 0, 1, 1, -1], [.1, .2, .3, .5, .5, .4, .9], .5, ci=.9)
    told = {(o.get_position()): o.get_text() for o in ax.texts}
    assert {k: v.split("\n")[0] for k, v in told.items()} == {(.5, .5): "3 of 4", (1.5, .5): "1 of 4",
        (.5, 1.5): "1 of 2", (1.5, 1.5): "1 of 2"}
    k = 1.6448536269514722**2/4                          # Wilson's limits are the roots of (3/4-p)^2 = k p (1-p)
    hi, lo = sorted(np.roots([1+k, -1.5-k, .5625]), reverse=True)
    assert told[.5, .5].split("\n")[1] == f"75.0% ({lo:.1%}-{hi:.1%})"
    faces = {o.get_xy(): o for o in artists(ax, Rectangle) if o.get_width() == 1 and o is not ax.patch}
    assert [faces[k].get_alpha() for k in ((0, 0), (1, 0), (1, 1))] == pytest.approx([.57, .27, .42])
    same = [faces[k].get_facecolor()[:3] for k in ((0, 0), (1, 1), (1, 0), (0, 1))]
    assert same[0] == same[1] != same[2] == same[3]
    assert ax.get_ylim() == (2, 0) and ax.get_xlim() == (0, 2)      # normal images above
    assert [o.get_text() for o in ax.get_xticklabels()] == ["passed, below 0.5", "called, from 0.5"]
    assert [o.get_text() for o in ax.get_yticklabels()] == ["normal", "anomalous"]
    none = [o.get_text() for o in confusion_squares([[0, 0], [1, 2]]).texts]
    assert [o.startswith("none of these") for o in none] == [True, True, False, False]


def test_channels_stand_one_beside_the_other_up_to_the_most(plt):
    from mic_eval.anomaly.plots import feature_channels
    f = np.arange(10.)[:, None, None]+np.zeros((10, 2, 3))
    for columns, most, lines, across in ((4, 64, 3, 4), (5, 64, 2, 5), (8, 3, 1, 3)):
        axs = feature_channels(f, columns, most).axes
        shown = [o.images[0].get_array()[0, 0] for o in axs if o.images]
        assert len(axs) == lines*across and shown == list(range(min(10, most)))
        assert [o.get_title() for o in axs if o.images] == [str(int(v)) for v in shown]
        assert not any(o.axison for o in axs)


def test_the_difference_of_a_reconstruction_is_that_of_its_pixels_in_bytes_or_numbers(plt):
    from mic_eval.anomaly.plots import reconstruction_row
    rng = np.random.default_rng(8)
    a, b = rng.integers(0, 256, (2, 5, 6, 3)).astype(np.uint8)
    off = [[sum(abs(int(a[y, x, c])-int(b[y, x, c])) for c in range(3))/765 for x in range(6)] for y in range(5)]
    for one, two, most in ((a, b, None), (a/255, b, .5), (a, b/255, None)):
        axs = reconstruction_row(one, two, most).axes
        assert np.allclose(axs[2].images[0].get_array(), off)
        assert axs[2].images[0].get_clim() == pytest.approx((0, most or np.max(off)))
        assert [o.get_title() for o in axs[:3]] == ["image", "reconstruction", "difference"]
        assert np.allclose(axs[0].images[0].get_array(), a/255) and axs[0].images[0].get_clim() == (0, 1)
    grey = reconstruction_row(a[..., 0], a[..., 0]).axes[2].images[0]
    assert np.all(grey.get_array() == 0) and grey.get_clim()[1] > 0


def test_colours_of_embeddings_are_principal_components_whatever_the_axes_are_called(plt):
    from mic_eval.anomaly.plots import embedding_colours, embedding_map
    rng = np.random.default_rng(9)
    q = rng.normal(size=(36, 5))*[5, 3, 2, 1, .5]+7
    values, vectors = np.linalg.eigh(np.cov(q.T))
    found, part = embedding_colours(q), (q-q.mean(0)) @ vectors[:, ::-1][:, :3]
    for k in range(3):
        inside = (found[:, k] > 0) & (found[:, k] < 1)
        assert abs(np.corrcoef(found[inside, k], part[inside, k])[0, 1]) == pytest.approx(1)
        assert (found[:, k].min(), found[:, k].max()) == (0, 1)     # a hundredth on each side is cut
    assert np.allclose(found, embedding_colours((3*q-40).reshape(6, 6, 5)).reshape(36, 3))
    told = embedding_map(q).get_title()
    assert told == f"{values[::-1][:3].sum()/values.sum():.0%} of the variance"
    flat = embedding_colours(np.repeat(rng.normal(size=(9, 1)), 2, 1))
    assert np.ptp(flat[:, 0]) == 1 and flat[:, 1:].max() < .01


def gallery_table(n=5, **more):
    from mic_eval.anomaly.maps import AnomalyMaps
    maps = [np.full((4, 6), float(i)) for i in range(n)]
    for a in maps: a[0, 0] = 9
    masks = [None if i % 2 == 0 else np.arange(24).reshape(4, 6) > 12 for i in range(n)]
    names = [f"bottle/test/{'good' if i % 2 == 0 else 'broken_large'}/{i:03}" for i in range(n)]
    return AnomalyMaps(names, np.arange(n) % 2, "bottle", maps, masks, **more)


def test_a_gallery_names_each_image_below_what_all_share(plt):
    from matplotlib.contour import ContourSet
    from mic_eval.anomaly.plots import map_gallery
    m = gallery_table(score=np.arange(5)/3)
    fig = map_gallery({i: None for i in range(5)}, m, [3, 1, 4], (0, 9), threshold=5, columns=2)
    axs, bar = fig.axes[:-1], fig.axes[-1]
    assert len(axs) == 8 and bar.get_ylabel() == "score, one scale for all" and bar.get_ylim() == (0, 9)
    titles = [o.get_title() for o in axs]
    told = ["broken large\n003\nscore 1", "broken large\n001\nscore 0.333", "", "", "good\n004\nscore 1.33"]
    assert titles == [*told, "", "", ""]
    assert [len(artists(o, ContourSet)) for o in axs] == [1, 1, 1, 1, 0, 0, 1, 0]   # the truth above, the call below
    alone = map_gallery({3: None}, gallery_table(), [3], (0, 9), columns=2)
    assert len(alone.axes) == 3 and alone.axes[0].get_title() == "003"


def test_files_of_heat_maps_are_those_of_the_rows_asked_for(plt, tmp_path):
    from PIL import Image
    from mic_eval.anomaly.plots import save_heat_maps
    m = gallery_table()
    paths = save_heat_maps([None]*5, m, tmp_path, (0, 9), rows=[4, 0], dpi=50)
    assert [p.relative_to(tmp_path).as_posix() for p in paths] == [f"{m.sample_id[i]}.png" for i in (4, 0)]
    assert len(list(tmp_path.rglob("*.png"))) == 2 and Image.open(paths[0]).size == (170, 140)
    assert not plt.get_fignums()
    with pytest.raises(ValueError, match="one name"): save_heat_maps([None]*5, m, tmp_path, (0, 9), rows=[1, 1])


def test_a_forest_stands_worst_first_with_the_mean_last_and_published_numbers_on_their_rows(plt):
    from mic_eval.anomaly.plots import object_forest
    from mic_eval.core.results import Result, Score
    of = dict(a=Score(.9, .8, .95), b=Score(reason="none"), c=Score(.7, .6, .8), d=None)
    r = Result(by=Result(object=Result((k, Result(image_roc_auc=v)) for k, v in of.items())),
        mean=Result(image_roc_auc=Score(.8, .7, .9)))
    ax = object_forest(r, dots=dict(a=.99, c=.5, e=.1), limit=.75)
    assert [o.get_text().split("\n")[0].split("  ")[0] for o in ax.get_yticklabels()] == ["c", "a", "b", "mean"]
    dots = next(o for o in ax.lines if o.get_marker() == "D")
    assert list(zip(*dots.get_data())) == [(.5, 0), (.99, 1)]
    assert ax.yaxis_inverted() and any(list(o.get_xdata()) == [.75, .75] for o in ax.lines)
    one = Result(by=Result(object=Result(a=Result(image_roc_auc=of["a"]))), mean=Result(image_roc_auc=Score(.8)))
    assert len(object_forest(one).get_yticklabels()) == 1


def border(ax):
    "Left, right, top and bottom of the lines of an Axes"
    from matplotlib.contour import ContourSet
    xy = np.concatenate([p.vertices for o in artists(ax, ContourSet) for p in o.get_paths()])
    return [*xy[:, 0][[xy[:, 0].argmin(), xy[:, 0].argmax()]], *xy[:, 1][[xy[:, 1].argmin(), xy[:, 1].argmax()]]]


@pytest.mark.parametrize("size", [(8, 8), (16, 16), (24, 40)])
def test_the_true_border_lies_where_the_defect_is_on_a_picture_of_any_size(plt, size):
    from mic_eval.anomaly.plots import heat_map, _with_truth
    mask = np.zeros((8, 8), bool)
    mask[1:3, 4:7] = True                                    # rows 1 to 2, columns 4 to 6 of eight
    (h, w), ax = size, plt.subplots()[1]
    _with_truth(ax, np.zeros((*size, 3)), (8, 8), mask)
    half = np.array([w, w, h, h])/16                          # a line at one half lies within half a pixel of the mask
    for found in (border(ax), border(heat_map(np.zeros(size), np.zeros((8, 8)), (0, 1), mask=mask))):
        assert np.all(np.abs(np.array(found)+.5-np.array([4*w, 7*w, h, 3*h])/8) <= half+1e-9)


# numbers of pixels

def pixel_set(seed=0, n=12, size=(9, 11), levels=7):
    "Masks, maps with ties, half of the images anomalous"
    rng = np.random.default_rng(seed)
    masks = np.zeros((n, *size), bool)
    for m in masks[n//2:]:
        y, x = rng.integers(0, size[0]-3), rng.integers(0, size[1]-3)
        m[y:y+rng.integers(1, 4), x:x+rng.integers(1, 4)] = True
        m[rng.integers(0, size[0]), rng.integers(0, size[1])] = True
    return masks, (rng.integers(0, levels, masks.shape)/levels+.4*masks*rng.random(masks.shape).round(1))


def counted(masks, maps, **how):
    from mic_eval.anomaly.counting import PixelCounts
    return PixelCounts.of(masks, maps, **how)


def parts_of(masks):
    from scipy.ndimage import label
    return [(i, label(m, np.ones((3, 3)))[0] == k) for i, m in enumerate(masks)
            for k in range(1, label(m, np.ones((3, 3)))[1]+1)]


def pro_points(masks, maps):
    "False positive rate and mean share of regions at every threshold, from none called to all"
    t, parts = np.unique(maps)[::-1], parts_of(masks)
    fpr = [0., *((maps[~masks] >= v).mean() for v in t)]
    return np.array(fpr), np.array([0., *(np.mean([(maps[i][on] >= v).mean() for i, on in parts]) for v in t)])


def area(fpr, pro, limit):
    "The area below straight lines between points, up to a limit, which may lie between two"
    x, y = [*fpr[fpr <= limit], limit], [*pro[fpr <= limit], np.interp(limit, fpr, pro)]
    return sum((b-a)*(p+q)/2 for a, b, p, q in zip(x, x[1:], y, y[1:]))/limit


@pytest.mark.parametrize("seed", range(3))
def test_pro_is_straight_between_thresholds_and_its_area_is_that_of_trapezoids(seed):
    from mic_eval.anomaly.pixel_metrics import aupro, pro_at, pro_curve
    masks, maps = pixel_set(seed)
    fpr, pro = pro_points(masks, maps)
    x = np.linspace(0, .3, 37)
    c = pro_curve(masks, maps, points=37, ci=None)
    assert np.allclose(c.x, x)
    up = [max(p for f, p in zip(fpr, pro) if f <= 0), *np.interp(x[1:], fpr, pro)]
    assert np.allclose(c.y, up)
    for limit in (.05, .3, 1): assert float(aupro(masks, maps, limit, ci=None)) == pytest.approx(area(fpr, pro, limit))
    for t in np.unique(maps)[::3]: assert pro_at(masks, maps, t) == pytest.approx(np.mean(
        [(maps[i][on] >= t).mean() for i, on in parts_of(masks)]))
    assert math.isnan(pro_at(np.zeros((1, 3, 3)), np.ones((1, 3, 3))))


@pytest.mark.parametrize("places", [1, 2, 5, 1000])
def test_numbers_of_pixels_do_not_depend_on_how_many_places_are_walked_at_a_time(places):
    from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score
    from mic_eval.anomaly.pixel_metrics import pixel_kernels, placed_parts, placed_values, pro_on
    masks, maps = pixel_set(5)
    c, y, s = counted(masks, maps), masks.ravel(), maps.ravel()
    found = placed_values(c, pixel_kernels((.3, .05)), places)
    p, r, _ = precision_recall_curve(y, s)
    f1 = (2*p*r/np.maximum(p+r, 1e-300)).max()
    told = dict(pixel_roc_auc=roc_auc_score(y, s), pixel_average_precision=average_precision_score(y, s),
        pixel_f1_max=f1, pixel_iou_max=max((y & (s >= t)).sum()/(y | (s >= t)).sum() for t in np.unique(s)))
    for k, v in told.items(): assert found[k] == pytest.approx(v), k
    fpr, pro = pro_points(masks, maps)
    for k, limit in (("aupro_30", .3), ("aupro_05", .05)): assert found[k] == pytest.approx(area(fpr, pro, limit)), k
    x = np.array([.01, .1, .29])
    parts = list(placed_parts(c, places))
    assert len(parts) == max(1, -(-len(c.score)//places)) and np.allclose(sum(pro_on(o, x) for o in parts),
        np.interp(x, fpr, pro))


@pytest.mark.later
@pytest.mark.parametrize("groups", [None, 4, 70])
def test_what_is_left_out_is_counted_as_if_it_had_never_been_there(groups):
    from mic_eval.anomaly.pixel_metrics import left_out_values, pixel_kernels, binned_values, units_of
    masks, maps = pixel_set(7, n=140, size=(5, 6))
    codes = np.arange(140) if groups is None else np.random.default_rng(0).permutation(np.arange(140) % groups)
    c, kernels = counted(masks, maps), pixel_kernels((.3,))
    codes, kind, mixed = units_of(c, None if groups is None else codes)
    left = left_out_values(c, codes, len(kind), kernels)
    assert mixed == (groups is not None) and len(kind) == (groups or 140)
    for u in (0, 1, len(kind)//2, len(kind)-1):
        without = counted(masks[codes != u], maps[codes != u])
        exact = binned_values(without, kernels)
        for k, v in left.items(): assert v[u] == pytest.approx(exact[k], abs=2e-3), (k, u)
    assert kind.tolist() == [bool(masks[codes == u].any()) for u in range(len(kind))]


@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("center", [None, .4])
def test_the_jackknife_is_that_of_the_textbook(mixed, center):
    from mic_eval.anomaly.pixel_metrics import jackknife_variance
    rng = np.random.default_rng(11)
    left, kind = rng.random(17), np.arange(17) % 3 == 0
    left[3] = math.nan                                       # undefined without it
    strata = [[v for v, k in zip(left, kind) if v == v and (mixed or k == which)]
        for which in ((True,) if mixed else (True, False))]
    V = []
    for o in strata:
        m = center if center is not None else sum(o)/len(o)
        V.append((len(o)-1)/len(o)*sum((v-m)**2 for v in o))
    v, df = jackknife_variance(left, kind, mixed, center)
    assert v == pytest.approx(sum(V)) and df == pytest.approx(sum(V)**2/sum(a*a/(len(o)-1) for a, o in zip(V, strata)))
    same = jackknife_variance(np.full(9, .5), np.arange(9) < 4, False)
    assert same == (0, 7) and jackknife_variance(np.full(9, .5), np.arange(9) < 4, True) == (0, 8)


def test_an_interval_needs_five_units_of_each_kind_and_turns_to_counts_where_nothing_spreads():
    from mic_eval.anomaly.pixel_metrics import with_interval
    def of(value, bad, good, left=None, mixed=False, **more):
        kind = np.arange(bad+good) < bad
        left = np.full(bad+good, value) if left is None else left
        return with_interval(value, left, kind, mixed, (good, bad), **more)
    assert math.isnan(of(1., 4, 9).lo) and "anomalous" in str(of(1., 4, 9).reason) and "4" in str(of(1., 4, 9).reason)
    assert "normal" in str(of(1., 9, 4).reason) and math.isnan(of(1., 4, 0, mixed=True).lo)
    z2 = 1.959963984540054**2
    one = of(1., 5, 9)
    assert (one.lo, one.hi) == pytest.approx((5/(5+z2), 1)) and one.groups is None   # Wilson's limits of five of five
    assert of(1., 5, 9, auc=True).lo > one.lo and of(1., 5, 9, auc=True).method.startswith("Newcombe")
    assert of(1., 2, 3, mixed=True).lo == pytest.approx(one.lo)
    left = np.tile([.49, .51], 5)
    s = with_interval(.5, left, np.arange(10) < 5, False, (20, 30))
    assert s.groups == 10 and s.n == 50 and s.lo == pytest.approx(1-s.hi)
    a, b = ([v for v in left[i:i+5]] for i in (0, 5))
    V = [4/5*sum((v-.5)**2 for v in o) for o in (a, b)]
    from scipy.stats import t
    half = t.ppf(.975, sum(V)**2/(V[0]**2/4+V[1]**2/4))*math.sqrt(sum(V))/.25
    assert s.hi == pytest.approx(1/(1+math.exp(-half)))


def test_limits_on_the_logit_scale_stay_between_nothing_and_all():
    from mic_eval.anomaly.pixel_metrics import logit_limits
    for v in (1e-9, .3, 1-1e-9):
        lo, hi = logit_limits(v, .04, 1.5)
        assert 0 <= lo < v < hi <= 1
        assert math.log(v/(1-v)) - math.log(lo/(1-lo)) == pytest.approx(1.5*.2/(v*(1-v))) if .01 < v < .99 else True
    assert [a+b for a, b in zip(logit_limits(.3, .01, 2), logit_limits(.7, .01, 2)[::-1])] == pytest.approx([1, 1])


@pytest.mark.parametrize("n, enough", [(7, 7), (7, 3), (7, 2.5), (1, 1), (4, 9)])
def test_saturated_overlap_rises_by_a_pixel_until_enough_are_found(n, enough):
    from mic_eval.anomaly.pixel_metrics import saturated_weights
    found = np.cumsum(saturated_weights(n, enough))
    assert np.allclose(found, [min(k/enough, 1) for k in range(1, n+1)])       # Bergmann et al. 2022: min(TP/s, 1)


@pytest.mark.parametrize("seed", range(3))
def test_exact_numbers_lie_within_the_bounds_of_bins_and_the_bounds_can_be_reached(seed):
    from mic_eval.anomaly.pixel_metrics import pixel_numbers, stream_bounds
    masks, maps = pixel_set(seed, levels=40)
    exact, s = pixel_numbers(counted(masks, maps), ci=None), stream_bounds(counted(masks, maps, how="stream"))
    for k, v in exact.items(): assert s[k].lo-1e-12 <= float(v) <= s[k].hi+1e-12, k
    # one bin holds all: the bounds are the best and the worst order
    from dataclasses import replace
    c = counted(masks, maps, how="stream")
    f = c.fine
    one = replace(f, exponent=30, first=0, pos=f.pos.sum(1, keepdims=True), neg=f.neg.sum(1, keepdims=True),
        share=f.share.sum(1, keepdims=True))
    b = stream_bounds(replace(c, fine=one))
    assert (b.pixel_roc_auc.lo, float(b.pixel_roc_auc), b.pixel_roc_auc.hi) == (0, .5, 1)
    P, N = masks.sum(), (~masks).sum()
    assert b.pixel_average_precision.hi == 1 and b.pixel_average_precision.lo == pytest.approx(
        np.mean([k/(N+k) for k in range(1, P+1)]))
    assert b.pixel_f1_max.hi == 1 and b.pixel_f1_max.lo == pytest.approx(2*P/(2*P+N)) == pytest.approx(b.pixel_f1_max)
    assert b.aupro_30.hi == pytest.approx(1, abs=1e-9) and b.aupro_30.lo == pytest.approx(0, abs=1e-9)


def test_a_limit_of_aupro_gives_its_name_and_must_lie_within_reach():
    from mic_eval.anomaly.pixel_metrics import aupro, aupro_name, pixel_numbers
    assert [aupro_name(v) for v in (.3, .05, .01, .125, .001)] == ["aupro_30", "aupro_05", "aupro_01", "aupro_125",
        "aupro_001"]
    masks, maps = pixel_set()
    for limit in (0, -.1, 1.01):
        for f in (lambda: aupro(masks, maps, limit), lambda: pixel_numbers(counted(masks, maps), (limit,))):
            with pytest.raises(ValueError, match="between 0 and 1"): f()
    names = {aupro_name(v) for v in (.1, .01, .001, .05, .5, .005, .3, 1)}
    assert len(names) == 8, names


# which defects are not seen

def test_the_tail_of_a_blind_spot_is_the_hypergeometric_one_of_fishers_test():
    from scipy.stats import fisher_exact, hypergeom
    from mic_eval.anomaly.blind_spots import _log_tail
    for k, n, K, N in ((0, 5, 3, 20), (2, 7, 9, 30), (5, 5, 5, 5), (3, 6, 4, 9), (40, 90, 400, 900), (0, 10, 0, 20)):
        assert math.exp(_log_tail(k, n, K, N)) == pytest.approx(hypergeom.cdf(k, N, K, n)), (k, n, K, N)
    p = fisher_exact([[2, 5], [7, 16]], alternative="less").pvalue
    assert math.exp(_log_tail(2, 7, 9, 30)) == pytest.approx(p)


def test_sizes_go_in_steps_of_four_and_the_border_is_an_eighth():
    from mic_eval.anomaly.blind_spots import defect_places, size_class
    for p in range(1, 5000):
        low, high = (int(o.replace(",", "")) for o in size_class(p).removesuffix(" px").split(" to "))
        assert low <= p <= high == 4*low-1 and math.log2(low) % 2 == 0
    assert size_class(0) == "1 to 3 px"
    for y, x in np.ndindex(16, 24):
        mask = np.zeros((16, 24), bool)
        mask[y, x] = True
        size, border = defect_places(mask)
        assert size.tolist() == [1]
        inside = 2 <= y+.5 <= 14 and 3 <= x+.5 <= 21                       # an eighth of 16 and of 24
        assert border.tolist() == [not inside], (y, x)
    mask = np.zeros((16, 24), bool)
    mask[7:9, 1:3] = mask[0, 10:20] = True          # middles at 2 of 24 columns and at half of 16 rows
    size, border = defect_places(mask)
    assert sorted(zip(size.tolist(), border.tolist())) == [(4, True), (10, True)]


def spot_table(found, of, kinds):
    "One anomalous image a row, so many found of so many of each kind"
    rows = [(k, i < f) for k, f, n in zip(kinds, found, of) for i in range(n)]
    called = [float(c) for _, c in rows]
    return pd.DataFrame(dict(label=1, object="o", defect=[k for k, _ in rows], called=called))


def test_blind_spots_are_those_of_fishers_exact_test_adjusted_for_every_group_that_was_looked_at():
    from scipy.stats import fisher_exact
    from mic_eval.anomaly.blind_spots import blind_spots, worst_blind_spot
    found, of, kinds = (3, 14, 9, 2, 5), (12, 15, 10, 4, 5), ("cut", "hole", "print", "rare", "five")
    t = blind_spots(spot_table(found, of, kinds))
    p = {k: fisher_exact([[f, n-f], [sum(found)-f, sum(of)-n-(sum(found)-f)]], alternative="less").pvalue
        for k, f, n in zip(kinds, found, of)}
    assert t.group.tolist() == ["cut"] and t.p[0] == pytest.approx(p["cut"])       # rare: four images are too few
    assert t.p_holm[0] == pytest.approx(4*p["cut"])                               # cut, hole, print and five
    assert t.loc[0, ["found", "n", "rest_found", "rest_n"]].tolist() == [3, 12, 30, 34]
    said = worst_blind_spot(t)
    assert (said.found.k, said.found.n, said.rest.k, said.rest.n) == (3, 12, 30, 34) and "cut" in str(said.said)
    assert len(blind_spots(spot_table(found, of, kinds), least=4)) == 2
    assert not len(blind_spots(spot_table((5, 5), (9, 9), "ab"))) and not len(blind_spots(spot_table((5,), (9,), "a")))
    weak = blind_spots(spot_table((4, 8), (9, 9), "ab"))
    assert len(weak) == 1 and not hasattr(worst_blind_spot(weak), "found")
    unseen = spot_table(found, of, kinds)
    unseen.loc[unseen.defect == "cut", "called"] = math.nan   # nobody knows whether they are called
    assert "cut" not in blind_spots(unseen).group.tolist()


def test_images_of_one_unit_count_as_little_as_they_say():
    from mic_eval.anomaly.blind_spots import blind_spots, breakdown, worst_blind_spot
    one = spot_table((6, 60), (24, 60), ("cut", "hole"))
    alone = blind_spots(one.assign(unit=np.arange(84)))
    assert alone.p[0] >= blind_spots(one).p[0]
    pairs = blind_spots(one.assign(unit=np.arange(84)//4))
    assert pairs.p[0] > alone.p[0] and pairs.loc[0, ["found", "n"]].tolist() == [6, 24]
    t = one.assign(unit=np.arange(84)//4, score=one.called)
    plain, told = worst_blind_spot(blind_spots(t)), worst_blind_spot(blind_spots(t), t)
    own = breakdown(t, by=("defect",)).defect.cut.tpr                     # as the breakdown says it
    assert (told.found.lo, told.found.hi) == (own.lo, own.hi) and own.hi-own.lo > plain.found.hi-plain.found.lo
    assert f"6 of 24 found ({own.lo:.0%}-{own.hi:.0%}); of the others 100%" in str(told.said)
    few = worst_blind_spot(blind_spots(t), t.assign(unit=np.arange(84)//6))
    assert math.isnan(few.found.lo) and "6 of 24 found; of the others" in str(few.said)


def test_groups_that_are_not_looked_at_do_not_blur_those_that_are():
    from mic_eval.anomaly.blind_spots import MOST, blind_spots
    t = spot_table((3, 400), (12, 400), ("cut", "hole"))
    names = t.assign(size=np.arange(412) % (MOST+1), place="middle")          # of 51 sizes none is looked at
    assert blind_spots(names).p_holm[0] == pytest.approx(2*blind_spots(t).p[0])


def test_a_defect_is_found_from_a_tenth_of_it_at_a_rate_of_a_thousandth():
    from mic_eval.anomaly.blind_spots import defects_found
    masks, maps = np.zeros((3, 40, 50), bool), np.zeros((3, 40, 50))
    masks[1:, :2, :5] = masks[1:, 10:12, :5] = True                     # ten pixels each
    maps[0].ravel()[:4] = 2, 3, 4, 5                                      # 2,000 normal pixels: two may be called
    maps[1, 0, 0] = 3.5
    maps[2, 0, 0] = 3
    maps[2, 10, :2] = 9
    found, t = defects_found(counted(masks, maps))
    assert 3 < t < 3.0001 and found.tolist() == [True, False, False, True]
    assert defects_found(counted(masks, maps), 9.)[0].tolist() == [False, False, False, True]
    assert defects_found(counted(masks, maps), 9.)[1] == 9
    for c, t in ((counted(masks[1:], maps[1:]), None), (counted(masks, maps, how="stream"), 3.)):
        assert not isinstance(defects_found(c, t), tuple)


# our own detector

def test_moments_added_in_batches_are_those_of_all_at_once():
    from mic_eval.anomaly.gaussian import Moments, _whitening
    rng = np.random.default_rng(12)
    x = (rng.normal(size=(40, 5, 3)) @ rng.normal(size=(3, 3))+rng.normal(size=(5, 3))*20).astype(np.float32)
    m, plain = Moments(), Moments(False)
    for part in np.split(x, [7, 8, 30]): m.add(part), plain.add(part)
    cov = np.stack([np.cov(x[:, p].T) for p in range(5)])
    assert np.allclose(m.mean, x.mean(0), rtol=1e-5) and np.allclose(m.covariance(), cov, rtol=1e-3, atol=1e-3)
    assert np.allclose(plain.covariance(), x.var(0), rtol=1e-3, atol=1e-3)
    common, shrink = cov.mean(0), .3
    for w, own in zip(_whitening(m, shrink), cov):         # the factor turns it into the unit matrix
        shrunk = .7*own+.3*(common+np.diag(np.diag(common)))/2
        assert np.allclose(w @ shrunk @ w.T, np.eye(3), atol=1e-3) and np.allclose(w, np.tril(w))


def test_distances_are_those_of_mahalanobis():
    from scipy.spatial.distance import mahalanobis
    from mic_eval.anomaly.gaussian import Moments, _distances, _whitening
    rng = np.random.default_rng(13)
    x = rng.normal(size=(30, 2, 3)) @ np.array([[2, 0, 0], [1, 1, 0], [0, .5, 3]])
    m = Moments()
    m.add(x)
    d = _distances(x, m.mean, _whitening(m, 0))
    for p in range(2):
        inverse = np.linalg.inv(np.cov(x[:, p].T))
        assert np.allclose(d[:, p], [mahalanobis(v, x[:, p].mean(0), inverse) for v in x[:, p]], rtol=1e-3)


@pytest.mark.parametrize("dy, dx", [(0, 0), (3, -2), (-5, 4), (10, 10), (-10, 0)])
def test_a_moved_part_is_laid_back_and_its_map_returned(dy, dx):
    from scipy.ndimage import gaussian_filter
    from mic_eval.anomaly.gaussian import laid_on, put_back
    wide = gaussian_filter(np.random.default_rng(14).normal(size=(88, 104)), 2).astype(np.float32)
    def view(y, x): return wide[20+y:68+y, 20+x:84+x]
    laid, moved = laid_on(np.stack([view(0, 0), view(dy, dx)]), view(0, 0))
    assert moved.tolist() == [[0, 0], [dy, dx]]
    inside = (slice(12, -12),)*2
    assert np.array_equal(laid[1][inside], view(0, 0)[inside])
    assert np.array_equal(put_back(laid, moved)[1][inside], view(dy, dx)[inside])


def test_features_are_second_differences_gradients_and_local_spreads():
    from scipy.ndimage import gaussian_filter, laplace
    from mic_eval.anomaly.gaussian import patch_features
    a = np.random.default_rng(15).random((2, 21, 30)).astype(np.float32)
    f = patch_features(a)
    assert f.shape == (2, 11, 15, 8)
    for one, found in zip(a.astype(float), f):
        b = {s: gaussian_filter(one, s, truncate=3) for s in (.8, 1, 2, 4)}
        gradients = [np.hypot(*np.gradient(b[s])) for s in (1, 2)]
        spread = np.sqrt(np.maximum(gaussian_filter(one*one, 2, truncate=3)-b[2]**2, 0))
        told = [b[.8], b[2], b[4], *gradients, np.abs(laplace(b[1], mode="nearest")),
            4*np.abs(laplace(b[2], mode="nearest")), spread]
        for k, o in enumerate(told): assert np.allclose(found[..., k], o[::2, ::2], atol=1e-4), k


def test_a_pixels_distance_is_in_its_own_sd_with_a_floor_of_a_quarter_of_the_usual():
    from scipy.ndimage import gaussian_filter
    from mic_eval.anomaly.gaussian import PixelGaussian
    rng = np.random.default_rng(16)
    a = rng.random((25, 9, 8)).astype(np.float32)
    a[:, :2] = .5                                            # never changes
    d = PixelGaussian.fit(lambda: (a[:10], a[10:]))
    sd = np.sqrt(a.var(0)+1e-6)
    assert np.allclose(d.mean, a.mean(0), atol=1e-5) and np.allclose(d.sd, np.maximum(sd, np.median(sd)/4), rtol=1e-3)
    new = rng.random((3, 9, 8))
    found = d(new)
    for o, m, s in zip(new, found["map"], found["score"]):
        assert np.allclose(m, gaussian_filter(np.abs(o-d.mean)/d.sd, 1, truncate=3), atol=1e-4) and s == m.max()
    assert len(PixelGaussian.fit(a[:10]).mean) == 9
    for f in (lambda: PixelGaussian.fit(a[:9]), lambda: d(new[:, :8])):
        with pytest.raises(ValueError): f()


def test_pictures_of_any_kind_are_the_same_grey():
    from mic_eval.anomaly.gaussian import grey_images
    a = np.random.default_rng(17).integers(0, 256, (2, 3, 4, 5)).astype(np.uint8)
    told = a.astype(float).mean(1)/255
    assert np.allclose(grey_images(a), told, atol=1e-6) and np.allclose(grey_images(a/255), told, atol=1e-6)
    assert np.allclose(grey_images(a[:, :1]), a[:, 0]/255) and np.allclose(grey_images(a[:, 0]), a[:, 0]/255)
    assert grey_images(a).dtype == np.float32
    for odd in (a[:, :2], a[0, 0], a[:, None]):
        with pytest.raises(ValueError, match="shape"): grey_images(odd)


# all objects

def test_the_variance_behind_an_interval_is_the_one_it_was_made_of():
    from mic_eval.anomaly.evaluate_maps import implied_variance
    from mic_eval.anomaly.pixel_metrics import with_interval
    from mic_eval.core.results import Score
    rng = np.random.default_rng(18)
    left, kind = .8+.01*rng.normal(size=20), np.arange(20) < 8
    s = with_interval(.8, left, kind, False, (12, 8))
    V, df = implied_variance(s)
    told = 7/8*((left[:8]-.8)**2).sum()+11/12*((left[8:]-.8)**2).sum()
    assert V == pytest.approx(told, rel=1e-3) and f"t({df:.1f})" in s.method
    z = 1.959963984540054
    plain = Score(.5, .5-z*.03, .5+z*.03, n=30, method="some", level=.95)
    assert implied_variance(plain) == pytest.approx((.03**2, 28), rel=1e-6)
    assert all(map(math.isnan, implied_variance(Score(.5, n=9))))


def test_a_mean_over_objects_has_the_doubt_of_each_and_the_next_one_that_of_their_spread():
    from scipy.stats import sem, t
    from mic_eval.anomaly.evaluate_maps import macro_mean, next_object
    from mic_eval.core.results import Score
    V, values, dfs = (.0004, .0009, .0001), (.8, .7, .9), (10, 20, 12)
    def of(v, var, df):
        half, x = t.ppf(.975, df)*math.sqrt(var)/(v*(1-v)), math.log(v/(1-v))
        lo, hi = (1/(1+math.exp(-x-o)) for o in (-half, half))
        return Score(v, lo, hi, n=df+2, method=f"logit, jackknife over images, t({df:.1f})", level=.95)
    scores = {str(i): of(*o) for i, o in enumerate(zip(values, V, dfs))} | dict(gone=Score(n=5, reason="no masks"))
    s = macro_mean(scores)
    half = t.ppf(.975, 42)*math.sqrt(sum(V))/3/(.8*.2)
    assert (float(s), s.lo, s.hi) == pytest.approx((.8, 1/(1+.25*math.exp(half)), 1/(1+.25*math.exp(-half))))
    assert (s.groups, s.n) == (3, 48) and "3 of 4" in s.method
    n = next_object(scores)
    half = t.ppf(.975, 2)*sem(values)
    assert (float(n), n.lo, n.hi, n.groups) == pytest.approx((.8, .8-half, min(1, .8+half), 3))
    two = next_object({k: scores[k] for k in "01"})
    assert float(two) == pytest.approx(.75) and math.isnan(two.lo) and "2" in str(two.reason)
    bare = macro_mean(scores | dict(bare=Score(.6, n=3)))
    assert float(bare) == pytest.approx(.75) and math.isnan(bare.lo) and "1 of 4" in str(bare.reason)
    assert macro_mean(dict(one=scores["0"])) is scores["0"]
    none = macro_mean(dict(a=Score(reason="no masks"), b=Score(reason="no masks"), c=Score(reason="else")))
    assert math.isnan(none) and "no masks" in str(none.reason)
    perfect = macro_mean({k: Score(1., .9, 1., n=20, method="Wilson of the anomalous images", level=.95) for k in "ab"})
    assert perfect.hi == 1 and .9 <= perfect.lo < 1


def test_maps_of_an_odd_size_are_told_from_pictures_of_an_odd_size():
    from mic_eval.anomaly.evaluate_maps import odd_sizes
    usual = {str(i): ((8, 8), (64, 64)) for i in range(5)}
    assert not list(odd_sizes(usual | {"p": ((8, 9), (64, 72))}))                    # another picture
    told = list(odd_sizes(usual | {"m": ((8, 7), (64, 64))}))
    assert len(told) == 1 and all(o in str(told[0]) for o in ("1 of 6", "m: 8x7", "not 8x8"))
    half = {str(i): ((8, 8+i % 2), (64, 64)) for i in range(6)}
    assert not list(odd_sizes(half))                                                 # no size is the usual one


def test_image_numbers_at_fixed_rates_are_the_best_thresholds_by_trying_all():
    from mic_eval.anomaly.evaluate_maps import image_numbers
    rng = np.random.default_rng(19)
    for _ in range(4):
        y = np.arange(70) % 3 == 0
        s = (rng.normal(size=70)+1.2*y).round(1)
        found, t = image_numbers(y*1, s, n_resamples=9), np.r_[np.unique(s), 99]
        tnr = max((s[~y] < v).mean() for v in t if (s[y] >= v).mean() >= .95)
        tpr = max((s[y] >= v).mean() for v in t if (s[~y] >= v).mean() <= .05)
        f1 = max(2*(y & (s >= v)).sum()/(y.sum()+(s >= v).sum()) for v in t)
        told = dict(image_tnr_at_95_tpr=tnr, image_tpr_at_5_fpr=tpr, image_f1_max=f1)
        for k, v in told.items(): assert float(found[k]) == pytest.approx(v), k
    worst = image_numbers([0, 0, 1, 1], [9, 1, 2, 3], n_resamples=9)
    assert float(worst.image_tpr_at_5_fpr) == 0 and worst.image_tpr_at_5_fpr.n == 2
    assert not image_numbers([1, 1], [.2, .3]).image_f1_max.defined


def two_objects(shift=0.):
    from mic_eval.anomaly.maps import AnomalyMaps
    masks, maps = pixel_set(20, n=24)
    order = np.r_[0:6, 12:18, 6:12, 18:24]
    masks, maps, object = masks[order], maps[order].copy(), np.repeat(["a", "b"], 12)
    maps[12:] += shift
    return masks, maps, AnomalyMaps([f"{i:02}" for i in range(24)], masks.any((1, 2))*1, object, [*maps], [*masks])


@pytest.mark.parametrize("shift", [0., .35, 3.])
def test_objects_in_one_ranking_are_ranked_as_if_they_were_one(shift):
    from sklearn.metrics import roc_auc_score
    from mic_eval.anomaly.evaluate_maps import evaluate_anomaly
    masks, maps, m = two_objects(shift)
    r = evaluate_anomaly(m, ci=None, n_resamples=9)
    assert float(r.pooled.pixel_roc_auc) == pytest.approx(roc_auc_score(masks.ravel(), maps.ravel()))
    assert float(r.pooled.image_roc_auc) == pytest.approx(roc_auc_score(masks.any((1, 2)), maps.max((1, 2))))
    for k, part in (("a", slice(12)), ("b", slice(12, 24))):
        own = r.by.object[k]
        assert float(own.pixel_roc_auc) == pytest.approx(roc_auc_score(masks[part].ravel(), maps[part].ravel()))
        for way in ("max", "mean", "std"):
            score = getattr(maps[part].reshape(12, -1), way)(1)
            assert float(own.image_roc_auc_by[way]) == pytest.approx(roc_auc_score(masks[part].any((1, 2)), score)), way
    own = [float(o.pixel_roc_auc) for o in r.by.object.values()]
    assert float(r["mean"].pixel_roc_auc) == pytest.approx(np.mean(own))
    assert (r.n.images, r.n.normal, r.n.objects, r.n.pixels) == (24, 12, 2, masks.size)
    assert r.n.regions == len(parts_of(masks))


def test_copies_of_maps_are_counted_once_and_a_map_filed_as_both_kinds_is_said():
    from dataclasses import replace
    from mic_eval.anomaly.evaluate_maps import evaluate_anomaly
    masks, maps, m = two_objects()
    again = [*maps]
    again[1], again[13] = again[0], again[12]
    again[20] = again[14]                                    # anomalous, with the map of a normal one
    r, seen = evaluate_anomaly(replace(m, maps=again), n_resamples=9), list(range(24))
    assert r.n.images == 22 and set(r.images.sample_id) == {f"{i:02}" for i in seen if i not in (1, 13)}
    told = list(zip(r.warnings.object, map(str, r.warnings.warning)))
    assert {o for o, w in told if w == "1 map is copies of others: counted once"} == {"a", "b"}
    assert [o for o, w in told if "the other kind" in w] == ["b"]
    rest = [i for i in seen if i not in (1, 13)]
    alone = evaluate_anomaly(replace(m[rest], maps=[again[i] for i in rest]), n_resamples=9)
    assert float(alone["mean"].aupro_30) == float(r["mean"].aupro_30)


@pytest.mark.parametrize("how", ["max", "mean"])
def test_a_part_is_anomalous_where_a_view_is_and_scores_as_its_views(how):
    from mic_eval.anomaly.evaluate_maps import _parts_of
    from mic_eval.anomaly.maps import AnomalyMaps
    rng = np.random.default_rng(21)
    y, s, part = rng.integers(0, 2, 20), rng.random(20), np.array([f"p{i}" for i in rng.integers(0, 6, 20)])
    m = AnomalyMaps(list(map(str, range(20))), y, "o", score=s, facts=pd.DataFrame(dict(part=part)))
    p = _parts_of(m, s, "part", how)
    assert p.sample_id.tolist() == sorted(set(part))
    for k, label, score in zip(p.sample_id, p.label, p.score):
        assert label == max(y[part == k]) and score == pytest.approx(getattr(s[part == k], how)())
    with pytest.raises(ValueError, match="max or mean"): _parts_of(m, s, "part", "min")


# UniAD's protocol, and published numbers

def test_one_threshold_for_all_is_judged_object_by_object():
    from mic_eval.anomaly.maps import AnomalyMaps
    from mic_eval.anomaly.uniad import common_threshold
    rng = np.random.default_rng(22)
    y, object = np.tile([0, 0, 0, 1], 40), np.repeat(["a", "b"], 80)
    m = AnomalyMaps(list(map(str, range(160))), y, object, score=(rng.normal(size=160)+y*2+(object == "b")).round(2))
    v = AnomalyMaps(list(map(str, range(100))), np.zeros(100), "v", score=np.arange(100.)/25)
    for rule, target in (("fpr", .05), ("max", None)):
        r = common_threshold(m, v, rule=rule, target=target)
        t = float(r.threshold)
        assert (v.score >= t).sum() <= 5 and (v.score >= t-.05).sum() >= (5 if rule == "fpr" else 1)
        for k, found in (*r.by.object.items(), (None, r.all)):
            at = (object == k) | (k is None)
            for kind, name in ((1, "tpr"), (0, "fpr")):
                own = m.score[at & (y == kind)]
                assert (found[name].k, found[name].n) == ((own >= t).sum(), len(own))
        fprs = [float(o.fpr) for o in r.by.object.values()]
        assert r.spread_fpr == [min(fprs), max(fprs)]


def test_settings_of_cifar_part_the_classes_and_their_mean_is_of_those_there_are():
    from sklearn.metrics import roc_auc_score
    from mic_eval.anomaly.uniad import CIFAR10, cifar_protocol, cifar_setting
    rng = np.random.default_rng(23)
    c, s = np.arange(200) % 10, rng.normal(size=200)+(np.arange(200) % 10 > 4)
    told = roc_auc_score(c > 4, s)
    r = cifar_setting(c, s, "01234")
    assert float(r.image_roc_auc) == pytest.approx(told)
    assert (r.normal, r.anomalous) == (list(CIFAR10[:5]), list(CIFAR10[5:]))
    p = cifar_protocol({"01234": (c, s), "56789": (c, s)})
    assert float(p["mean"]) == pytest.approx(.5) and p.missing == ["02468", "13579"] and p["mean"].n == 2
    for odd in ("", "0011", "0123456789", "01a"):
        with pytest.raises(ValueError, match="different digits"): cifar_setting(c, s, odd)
    for odd in (c-1, c+1):
        with pytest.raises(ValueError, match="0 to 9"): cifar_setting(odd, s, "01")


def test_published_numbers_carry_newcombes_limits_of_their_test_set_and_yours_lies_beside_them():
    from scipy.optimize import brentq
    from mic_eval.anomaly.dialects import beside_published, public_test_sets, published
    from mic_eval.core.results import Result, Score
    t, sizes = published(), public_test_sets()
    image = t[(t.level == "image") & (t.metric == "roc_auc") & (t.model == "patchcore")]
    row = image[image.object == "toothbrush"].iloc[0]
    m, n, A = sizes["toothbrush"]["anomalous"], sizes["toothbrush"]["normal"], row["value"]
    def off(v, z): return (A-v)-z*math.sqrt(v*(1-v)*(1+((m+n)/2-1)*((1-v)/(2-v)+v/(1+v)))/(m*n))   # method 5
    lo = brentq(lambda v: off(v, 1.959963984540054), 1e-9, A)
    assert (m, n) == (30, 12) and row.lo == pytest.approx(lo, abs=2e-3) and row.lo < A < row.hi <= 1
    assert t[t.level == "pixel"].lo.isna().all()
    for mine, side in ((row.lo-.01, "below"), (row.lo, "inside"), (row.hi, "inside"), (A, "inside")):
        of = dict(toothbrush=Score(mine), odd=Score(.5), screw=Score(reason="none"))
        r = Result(by=Result(object=Result((k, Result(image_roc_auc=v)) for k, v in of.items())))
        b = beside_published(r, "patchcore")
        assert b.object.tolist() == ["toothbrush"] and str(b.yours_lies[0]) == side and b.theirs[0] == A


def test_a_guess_of_logits_is_made_batch_by_batch():
    from sklearn.metrics import roc_auc_score
    from mic_eval.anomaly.dialects import guessed_auroc
    rng = np.random.default_rng(24)
    y, s = rng.integers(0, 2, 50), rng.random(50)
    s[[3, 30]] = 1.2, -.1
    for batch in (None, 7, 50, 1):
        step, told = batch or 50, []
        for i in range(0, 50, step):
            part = s[i:i+step]
            told += list(part if 0 <= part.min() and part.max() <= 1 else 1/(1+np.exp(-part)))
        assert guessed_auroc(y, s, batch) == pytest.approx(roc_auc_score(y, np.float32(told)))
    edge = np.array([0., 1, .5, .2])
    assert guessed_auroc([0, 1, 1, 0], edge) == 1                                    # 0 and 1 are no logits
    assert guessed_auroc([1, 0], [0., 1.]) == 0


def test_rows_far_apart_are_spread_over_all_of_a_kind():
    from mic_eval.anomaly.dialects import _spread
    which = np.arange(100) % 3 == 0                                                   # 34 rows
    rows = _spread(which, 5)
    assert len(rows) == 5 and which[rows].all() and (rows[0], rows[-1]) == (0, 99) and np.ptp(np.diff(rows)) <= 3
    assert len(_spread(which, 100)) == 34 and not len(_spread(which & False, 5))
