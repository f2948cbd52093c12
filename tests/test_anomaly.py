"The anomaly room: brute force beside every number, every layout written and read back, and the laws of adding."
import itertools
import json

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import tifffile
from hypothesis import given, settings, strategies as st
from PIL import Image
from scipy.ndimage import label as parts_of
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score

from mic_eval.anomaly import (AnomalyMaps, PixelCounts, aupro, data_images, evaluate_anomaly,
                              pixel_average_precision, pixel_f1_max, pixel_iou_max, pixel_roc_auc, pro_curve,
                              read_map, read_maps, regions)
from mic_eval.anomaly.pixel_metrics import aupro_name, pixel_numbers, pro_at, stream_bounds
from mic_eval.anomaly.datasets import layout_of
from mic_eval.anomaly.counting import read_counts
from mic_eval.anomaly.map_files import resized
from mic_eval.core.results import Score
from every import every


def scene(seed, n=8, size=12, levels=None, dtype=np.float32):
    "Masks and maps with ties, signs and both zeros"
    rng = np.random.default_rng(seed)
    masks = np.zeros((n, size, size), bool)
    for i in range(n // 2, n):
        for _ in range(rng.integers(1, 4)):
            a, b = rng.integers(0, size - 3, 2)
            masks[i, a:a + rng.integers(1, 4), b:b + rng.integers(1, 4)] = True
    maps = rng.normal(size=masks.shape) + masks * 1.5 + rng.normal(0, .4, (n, 1, 1))
    if levels: maps = np.round(maps * levels) / levels * rng.choice([1, 1], masks.shape)
    maps[0, 0, :2] = 0., -0.
    return masks, maps.astype(dtype)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 9), st.integers(1, 9), st.sampled_from([.1, .4, .7, 1.]))
def test_regions_are_those_of_scipy(seed, h, w, share):
    mask = np.random.default_rng(seed).random((h, w)) < share
    want = parts_of(mask, np.ones((3, 3)))[0][mask] - 1
    part, size = regions(mask)
    assert part.tolist() == want.tolist() and size.tolist() == np.bincount(want).tolist()


def pro_by_hand(masks, maps, limit):
    "The curve at every distinct score, trapezoids, cut at the limit"
    shapes = np.ones((3, 3))
    found = [(i, parts_of(m, shapes)) for i, m in enumerate(masks)]
    regions = [maps[i][p == k + 1] for i, (p, n) in found for k in range(n)]
    neg, x, y = maps[~masks], [0.], [0.]
    for t in np.unique(maps)[::-1]:
        x.append((neg >= t).mean())
        y.append(np.mean([(r >= t).mean() for r in regions]))
    x, y = np.array(x), np.array(y)
    area = 0.
    for (x0, x1), (y0, y1) in zip(itertools.pairwise(x), itertools.pairwise(y)):
        if x0 >= limit: break
        end = min(x1, limit)
        y_end = y0 + (y1 - y0) * (end - x0) / (x1 - x0) if x1 > x0 else y1
        area += (end - x0) * (y0 + y_end) / 2
    return area / limit


@every("levels", [None, 2, 8])
@every("dtype", [np.float32, np.float64, np.float16])
def test_against_sklearn_and_by_hand(levels, dtype):
    masks, maps = scene(1, levels=levels, dtype=dtype)
    y, s = masks.ravel(), maps.ravel().astype(float)
    got = pixel_numbers(PixelCounts.of(masks, maps), (.3, .05, .01), ci=None)
    assert got.pixel_roc_auc == pytest.approx(roc_auc_score(y, s), abs=1e-12)
    assert got.pixel_average_precision == pytest.approx(average_precision_score(y, s), abs=1e-12)
    precision, recall, _ = precision_recall_curve(y, s)
    f1 = np.nanmax(2 * precision * recall / np.maximum(precision + recall, 1e-300))
    assert got.pixel_f1_max == pytest.approx(f1, abs=1e-12)
    assert got.pixel_iou_max == pytest.approx(f1 / (2 - f1), abs=1e-12)
    for name, limit in (("aupro_30", .3), ("aupro_05", .05), ("aupro_01", .01)):
        assert got[name] == pytest.approx(pro_by_hand(masks, maps.astype(float), limit), abs=1e-12)
    t = np.quantile(s, .9)
    shares = [(maps[i][p == k + 1] >= t).mean() for i, m in enumerate(masks)
              for p, n in [parts_of(m, np.ones((3, 3)))] for k in range(n)]
    assert pro_at(masks, maps, t) == pytest.approx(np.mean(shares))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([None, 1, 3]), st.sampled_from([.01, .05, .3, .77, 1.]))
def test_aupro_alone_is_that_of_all_counts(seed, levels, limit):
    masks, maps = scene(seed, levels=levels)
    name, whole = aupro_name(limit), PixelCounts.of(masks, maps)
    assert float(aupro(masks, maps, limit, ci=None)) == float(pixel_numbers(whole, (limit,), ci=None)[name])


def test_curve_ends_where_the_area_says():
    masks, maps = scene(2)
    c = pro_curve(masks, maps, .3, ci=None, points=4001)
    assert np.trapezoid(c.y, c.x) / .3 == pytest.approx(float(aupro(masks, maps, .3, ci=None)), abs=2e-4)


def same(a, b):
    for k in a: assert float(a[k]) == float(b[k]) or np.isnan([a[k], b[k]]).all(), k


@pytest.mark.full
@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 7), st.sampled_from([None, 3]), st.permutations(range(8)))
def test_merge_laws(seed, cut, levels, order):
    "Any order, any batches and any exact way give the same bits"
    masks, maps = scene(seed, levels=levels)
    whole = pixel_numbers(PixelCounts.of(masks, maps), ci=None)
    order = list(order)
    same(whole, pixel_numbers(PixelCounts.of(masks[order], maps[order]), ci=None))
    same(whole, pixel_numbers(PixelCounts.of(masks, maps, how="two_pass"), ci=None))
    same(whole, pixel_numbers(PixelCounts.of(masks[cut:], maps[cut:]) + PixelCounts.of(masks[:cut], maps[:cut]),
                              ci=None))
    grid = np.unique(maps[masks])
    shards = [PixelCounts.of(masks[o], maps[o], how="two_pass", grid=grid) for o in (order[:cut], order[cut:])]
    same(whole, pixel_numbers(shards[0] + shards[1], ci=None))
    a, b = (PixelCounts.of(masks[o], maps[o], how="stream") for o in (order[:cut], order[cut:]))
    s, t = PixelCounts.of(masks, maps, how="stream").fine, (a + b).fine
    assert (s.exponent, s.first) == (t.exponent, t.first) and (s.pos == t.pos).all() and (s.neg == t.neg).all()
    bounds = stream_bounds(a + b)
    for k, v in whole.items(): assert bounds[k].lo - 1e-9 <= v <= bounds[k].hi + 1e-9, k


def test_intervals_are_the_same_however_it_was_counted():
    masks, maps = scene(5, n=16)
    ways = [PixelCounts.of(masks, maps), PixelCounts.of(masks, maps, how="two_pass"),
            PixelCounts.of(masks[10:], maps[10:]) + PixelCounts.of(masks[:10], maps[:10])]
    got = [pixel_numbers(c) for c in ways]
    for r in got[1:]:
        for k in r: assert (r[k].lo, r[k].hi) == pytest.approx((got[0][k].lo, got[0][k].hi), abs=1e-9)


def test_leaving_images_out_is_what_the_bins_say():
    "The jackknife by hand on exact values, against the one in bins"
    masks, maps = scene(7, n=16)
    s = pixel_roc_auc(masks, maps)
    left = np.array([pixel_roc_auc(np.delete(masks, i, 0), np.delete(maps, i, 0), ci=None) for i in range(16)])
    V = sum(7 / 8 * ((o - float(s)) ** 2).sum() for o in (left[:8], left[8:]))
    from mic_eval.anomaly.evaluate_maps import implied_variance
    assert implied_variance(s)[0] == pytest.approx(V, rel=.02) and 7 <= implied_variance(s)[1] <= 14


def test_groups_are_left_out_whole():
    masks, maps = scene(8, n=40)
    groups = np.repeat(np.arange(20), 2)
    masks[::2] = False                       # every group now holds a normal and (from the middle) an anomalous image
    alone, together = pixel_roc_auc(masks, maps), pixel_roc_auc(masks, maps, groups=groups)
    assert together.groups == 20 and "groups" in together.method and alone.groups is None


@pytest.mark.parametrize("change", [np.exp, lambda a: a * 7 + 100, lambda a: np.arctan(a)])
def test_monotone_changes_change_nothing(change):
    masks, maps = scene(3, dtype=np.float64)
    for f in (pixel_roc_auc, pixel_average_precision, pixel_f1_max, pixel_iou_max, aupro):
        assert float(f(masks, maps, ci=None)) == float(f(masks, change(maps), ci=None))


def test_nothing_anomalous_is_undefined_with_a_reason():
    masks, maps = scene(4)
    for v in pixel_numbers(PixelCounts.of(masks[:4], maps[:4])).values():
        assert np.isnan(v) and v.reason == "no anomalous pixels"
    few = pixel_roc_auc(masks[2:6], maps[2:6])
    assert few.defined and np.isnan(few.lo) and "too few normal images (2)" in few.reason


def test_perfect_is_newcombe_and_never_one_to_one():
    masks, _ = scene(6, n=20)
    s = pixel_roc_auc(masks, masks.astype(np.float32))
    assert s == 1 and s.hi == pytest.approx(1) and .6 < s.lo < .95 and s.method == "Newcombe score"


def test_images_of_differing_sizes():
    rng = np.random.default_rng(0)
    maps = [rng.normal(size=(5 + i, 7)) for i in range(6)]
    masks = [np.zeros(m.shape, bool) for m in maps]
    for m in masks[3:]: m[1:3, 2:4] = True
    y, s = (np.concatenate([o.ravel() for o in v]) for v in (masks, maps))
    assert float(pixel_roc_auc(masks, maps, ci=None)) == pytest.approx(roc_auc_score(y, s))


def test_counts_survive_a_file(tmp_path):
    masks, maps = scene(9, n=12)
    c = PixelCounts.of(masks, maps)
    back = read_counts(c.save(tmp_path / "pixels.npz"))
    a, b = pixel_numbers(c), pixel_numbers(back)
    for k in a: assert (a[k].value, a[k].lo, a[k].hi) == (b[k].value, b[k].lo, b[k].hi)
    (tmp_path / "x.npz").write_bytes(b"no")
    with pytest.raises(ValueError, match="x.npz: no counts"): read_counts(tmp_path / "x.npz")


# --- files and layouts

def picture(path, a=None):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.full((8, 8), 90, np.uint8) if a is None else a).save(path)


blob = np.zeros((8, 8), np.uint8)
blob[2:4, 3:6] = 255


def mvtec(root):
    picture(root / "well/train/good/000.png")
    for i in range(2): picture(root / f"well/test/good/{i:03}.png")
    picture(root / "well/test/bubble/000.png"); picture(root / "well/ground_truth/bubble/000_mask.png", blob)
    return "mvtec_ad"


def mvtec2(root):
    picture(root / "can/train/good/000.png"); picture(root / "can/validation/good/001.png")
    for i in range(2): picture(root / f"can/test_public/good/{i:03}.png")
    picture(root / "can/test_public/bad/000.png"); picture(root / "can/test_public/ground_truth/bad/000_mask.png", blob)
    return "mvtec_ad2"


def visa(root):
    for n in ("Normal/0000", "Normal/0001", "Anomaly/000"): picture(root / f"pcb/Data/Images/{n}.JPG")
    picture(root / "pcb/Data/Masks/Anomaly/000.png", blob // 255 * 3)
    (root / "split_csv").mkdir()
    rows = ["pcb,test,normal,pcb/Data/Images/Normal/0000.JPG,", "pcb,test,normal,pcb/Data/Images/Normal/0001.JPG,",
            "pcb,test,anomaly,pcb/Data/Images/Anomaly/000.JPG,pcb/Data/Masks/Anomaly/000.png"]
    (root / "split_csv/1cls.csv").write_text("\n".join(["object,split,label,image,mask", *rows]))
    return "visa"


def visa_copy(root):
    for i in range(2): picture(root / f"pcb/test/good/{i:03}.png")
    picture(root / "pcb/test/bad/000.png"); picture(root / "pcb/ground_truth/bad/000.png", blob)
    return "visa_copy"


def btad(root):
    for i in range(2): picture(root / f"01/test/ok/{i:04}.bmp")
    picture(root / "01/test/ko/0000.bmp"); picture(root / "01/ground_truth/ko/0000.png", blob)
    return "btad"


def kolektor(root):
    for i in range(3):
        picture(root / f"kos0{i}/Part1.jpg"); picture(root / f"kos0{i}/Part1_label.bmp", blob if i == 2 else blob * 0)
    return "kolektor"


def uniad(root):
    for i in range(2): picture(root / f"well/test/good/{i:03}.png")
    picture(root / "well/test/cut/000.png"); picture(root / "well/ground_truth/cut/000_mask.png", blob)
    lines = [dict(filename=f"well/test/good/{i:03}.png", label=0, label_name="good", clsname="well") for i in range(2)]
    lines.append(dict(filename="well/test/cut/000.png", label=1, label_name="defective",
                      maskname="well/ground_truth/cut/000_mask.png", clsname="well"))
    (root / "test.json").write_text("\n".join(map(json.dumps, lines)))
    return root / "test.json", "uniad"


def manifest(root):
    for i in range(3): picture(root / f"{i}.png")
    picture(root / "m.png", blob)
    (root / "manifest.csv").write_text(
        "sample_id,path,object,label,mask,plate\na,0.png,well,normal,,P1\nb,1.png,well,normal,,P1\nc,2.png,well,"
        "anomalous,m.png,P2\n")
    return "manifest"


@pytest.mark.parametrize("make", [mvtec, mvtec2, visa, visa_copy, btad, kolektor, uniad, manifest],
                         ids=lambda f: f.__name__)
def test_every_layout_is_written_and_read_back(make, tmp_path):
    root = tmp_path / "data"
    root.mkdir()
    made = make(root)
    where, name = made if isinstance(made, tuple) else (root, made)
    assert layout_of(where).name == name
    images = data_images(where, split="test")
    assert sorted(images.label) == [0, 0, 1] and images.attrs["layout"] == name
    for sample in images.sample_id:
        place = tmp_path / "maps" / f"{sample}.npy"
        place.parent.mkdir(parents=True, exist_ok=True)
        np.save(place, np.full((8, 8), .5, np.float32))
    m = read_maps(where, tmp_path / "maps")
    anomalous = int(np.flatnonzero(m.label == 1)[0])
    assert m.mask(anomalous).sum() == 6 and m.open(anomalous).map.shape == (8, 8)


def test_the_split_of_validation_images(tmp_path):
    mvtec2(tmp_path)
    assert data_images(tmp_path, split="validation").label.tolist() == [0]
    with pytest.raises(ValueError, match="no images in the split 'private'; there is test, train, validation"):
        data_images(tmp_path, split="private")


def test_paths_stay_inside(tmp_path):
    (tmp_path / "manifest.csv").write_text("sample_id,path,label\na,../../etc/passwd,0\n")
    with pytest.raises(ValueError, match="leads outside the folder"): data_images(tmp_path)


def test_uniad_dumps_and_aupimo_files(tmp_path):
    torch = pytest.importorskip("torch")
    root = tmp_path / "data"
    where, _ = uniad(root)
    images = data_images(where)
    (tmp_path / "dumps").mkdir()
    for i, r in enumerate(images.itertuples()):
        kind = r.defect or "good"
        np.savez(tmp_path / "dumps" / f"{r.object}_{kind}_{i:03}.npz" if False
                 else tmp_path / "dumps" / f"{r.object}_{kind}_{r.sample_id.split('/')[-1]}.npz",
                 filename=r.sample_id, pred=np.full((1, 8, 8), i, np.float32), mask=np.zeros((1, 8, 8)), height=8,
                 width=8, clsname="well")
    m = read_maps(where, tmp_path / "dumps")
    assert [m.map(i)[0, 0] for i in range(3)] == [0, 1, 2]
    torch.save(dict(asmaps=torch.arange(3.)[:, None, None].expand(3, 8, 8).clone(),
                    paths=[str(p) for p in images.path]), tmp_path / "asmaps.pt")
    m = read_maps(where, tmp_path / "asmaps.pt")
    assert [m.map(i)[0, 0] for i in range(3)] == [0, 1, 2]


def test_maps_by_a_list_of_paths_and_by_a_stack(tmp_path):
    root = tmp_path / "data"
    mvtec(root)
    images = data_images(root)
    np.save(tmp_path / "stack.npy", np.arange(3.)[:, None, None] + np.zeros((3, 8, 8)))
    assert [read_maps(root, tmp_path / "stack.npy").map(i)[0, 0] for i in range(3)] == [0, 1, 2]
    for i in range(3): np.save(tmp_path / f"m{i}.npy", np.full((8, 8), i))
    (tmp_path / "list.csv").write_text("sample_id,map\n"
                                       + "\n".join(f"{s},m{i}.npy" for i, s in enumerate(images.sample_id)))
    assert [read_maps(root, tmp_path / "list.csv").map(i)[0, 0] for i in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="2 maps for 3 images"): read_maps(root, [np.zeros((8, 8))] * 2)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_one_bad_value_is_named(value, tmp_path):
    a = np.zeros((4, 4), np.float32)
    a[2, 1] = value
    tifffile.imwrite(tmp_path / "x.tiff", a)
    with pytest.raises(ValueError, match=r"x\.tiff: (nan|infinite) at row 2, column 1"): read_map(tmp_path / "x.tiff")


def test_resizing_is_that_of_torch():
    F = pytest.importorskip("torch.nn.functional")
    import torch
    a = np.random.default_rng(0).normal(size=(3, 7, 5))
    for size in ((14, 10), (9, 31), (3, 4)):
        for corners in (False, True):
            want = F.interpolate(torch.from_numpy(a)[None], size, mode="bilinear", align_corners=corners)[0].numpy()
            assert np.allclose(resized(a, size, align_corners=corners), want, atol=1e-12)


def test_whole_evaluation_on_tables_only():
    rng = np.random.default_rng(0)
    label = np.repeat([0, 1], 20)
    r = evaluate_anomaly(AnomalyMaps(np.arange(40).astype(str), label, "well", score=rng.normal(size=40) + label),
                         n_resamples=50)
    assert r.mean.image_roc_auc.defined and "no maps" in r.by.object.well.pixel_roc_auc.reason
    with pytest.raises(ValueError, match="no labelled"): evaluate_anomaly(AnomalyMaps(["a"], [-1], score=[1.]))


def test_an_anomalous_image_without_a_mask_counts_as_an_image():
    masks, maps = scene(11, n=16)
    table = AnomalyMaps(np.arange(16).astype(str), (np.arange(16) >= 8).astype(int), "well", list(maps),
                        [*masks[:15], None])
    r = evaluate_anomaly(table, n_resamples=50)
    assert r.by.object.well.n.without_mask == 1
    assert r.by.object.well.image_roc_auc.n == 16 and r.by.object.well.pixel_roc_auc.n == 15


# --- AUPIMO

def pimo_by_hand(masks, maps, bounds, points=40_000):
    "Recall on a fine grid of ln F, without ties"
    normal = maps[~masks.any((1, 2))]
    x = np.linspace(*np.log(bounds), points)
    sizes = normal[0].size * len(normal)
    top = np.sort(normal.ravel())[::-1]
    out = []
    for m, a in zip(masks, maps):
        if not m.any(): continue
        rate = np.searchsorted(-top, -a[m], "left") / sizes          # share strictly above
        out.append((np.log(np.maximum(rate, 1e-300))[:, None] <= x).mean())
    return np.array(out)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 30), st.sampled_from([.01, .1, .5, 1.]), st.booleans())
def test_the_highest_scores_of_normal_images_are_all_there(seed, n, share, mixed):
    "Every score from the stated one on is kept with its image, whatever the sizes and kinds of number of the images"
    from mic_eval.anomaly.sorted_scores import HighestScores
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 400, n)
    images = [(rng.integers(0, 200, k)/8 if seed % 2 else rng.normal(size=k)).astype(
        rng.choice([np.float32, np.float64]) if mixed else np.float32) for k in sizes]
    kept = HighestScores(n, share)
    for i, s in enumerate(images): kept.add(i, s)
    score, image = kept.sorted(sizes)
    low = kept.low if kept.low > -np.inf else min(s.min() for s in images)
    wanted = sorted((-float(v), i) for i, s in enumerate(images) for v in s if v >= s.dtype.type(low))
    assert sorted(zip((-score).tolist(), image.tolist())) == wanted
    assert (np.diff(score) <= 0).all() and sum((1/sizes[image]).tolist()) >= min(max(share*n, .1), n)-1e-9


@pytest.mark.parametrize("how", ["exact", "two_pass"])
def test_aupimo_by_hand(how):
    from mic_eval.anomaly import aupimo as f
    masks, maps = scene(12, n=30, size=40)
    maps = maps + 2 * masks
    got = f(PixelCounts.of(masks, maps, how=how), bounds=(1e-3, 1e-2))
    want = pimo_by_hand(masks, maps, (1e-3, 1e-2))
    assert np.allclose(got.images.aupimo.dropna(), want, atol=2e-4) and got.mean == pytest.approx(want.mean(), abs=1e-4)
    assert got.images.aupimo.isna().sum() == 15 and got.mean.lo < got.mean < got.mean.hi
    parts = PixelCounts.of(masks[::2], maps[::2]) + PixelCounts.of(masks[1::2], maps[1::2])
    assert float(f(parts, bounds=(1e-3, 1e-2)).mean) == float(got.mean)


def test_aupimo_leaves_out_normal_images_too():
    from mic_eval.anomaly import aupimo as f
    from mic_eval.anomaly.evaluate_maps import implied_variance
    masks, maps = scene(13, n=20, size=40)
    maps = maps + 2 * masks
    s = f(masks, maps, bounds=(1e-3, 1e-2)).mean
    left = np.array([float(f(np.delete(masks, i, 0), np.delete(maps, i, 0), bounds=(1e-3, 1e-2), ci=None).mean)
                     for i in range(20)])
    V = sum(.9 * ((o - o.mean()) ** 2).sum() for o in (left[:10], left[10:]))
    assert implied_variance(s)[0] == pytest.approx(V, rel=.01)


def test_aupimo_with_ties_counts_in_proportion():
    from mic_eval.anomaly import aupimo as f
    from mic_eval.anomaly.pimo import found_share
    masks = np.zeros((3, 10, 10), bool)
    masks[2, 0, :2] = True
    maps = np.zeros((3, 10, 10))
    maps[0, 0, 0], maps[1, 0, :4], maps[2, 0, :2] = 5, 3, 3
    got = f(masks, maps, bounds=(1e-2, 1e-1), ci=None)
    assert float(got.mean) == pytest.approx(float(found_share(5 / 200, 1 / 200, (1e-2, 1e-1))))


# --- thresholds, writer

def test_thresholds_learn_and_judge_apart():
    from mic_eval.anomaly.operating import cross_fitted
    from mic_eval.anomaly import image_threshold
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 50)
    s = rng.normal(size=100) + y
    for rule in ("fpr", "tpr", "max", "mean_3sd", "f1", "youden", "closest", "cost"):
        more = dict(target=.1) if rule in ("fpr", "tpr") else {}
        t = image_threshold(y, s, rule, prices=(10, 1, .1), **more)
        assert np.isfinite(t.threshold) and t.tpr.n == t.fpr.n == 50
        if rule == "fpr": assert t.fpr <= .1
    assert cross_fitted(y, s, "fpr", .1).fpr.n == 50
    with pytest.raises(ValueError, match="needs target="): image_threshold(y, s, "fpr")
    with pytest.raises(ValueError, match="too few for 5 folds"): cross_fitted(y[:52], s[:52], "youden")
    youden = image_threshold(y, s, "youden")
    from sklearn.metrics import roc_curve
    fpr, tpr, cut = roc_curve(y, s)
    assert youden.tpr - youden.fpr == pytest.approx((tpr - fpr).max())


def test_written_maps_fit_images_of_another_machine(tmp_path):
    from mic_eval.anomaly import MapWriter
    torch = pytest.importorskip("torch")
    root = tmp_path / "data"
    mvtec(root)
    out = MapWriter(tmp_path / "maps", dtype="float16")
    images = data_images(root)
    for i, p in enumerate(images.path):
        out.add(dict(image_path=["/elsewhere/" + p.relative_to(tmp_path).as_posix()],
                     anomaly_map=torch.full((1, 1, 8, 8), float(i)), pred_score=torch.tensor([i / 10])))
    m = read_maps(root, tmp_path / "maps")
    assert [m.map(i)[0, 0] for i in range(3)] == [0, 1, 2] and m.score == pytest.approx([0, .1, .2])
    with pytest.raises(ValueError, match="do not fit float16"): out.add("x", np.full((2, 2), 1e6))


def test_doubts_are_told():
    masks, maps = scene(14, n=16)
    clipped = AnomalyMaps(np.arange(16).astype(str), masks.any((1, 2)).astype(int), "well",
                          list(np.clip(-maps, 0, 1).round(1)), list(masks))
    said = evaluate_anomaly(clipped, n_resamples=20).warnings.warning.str.cat(sep="; ")
    for words in ("exactly 0 or 1", "fewer than 1,000 different values", "inverted"): assert words in said


# --- runs

@pytest.fixture(scope="module")
def wells_with_maps(tmp_path_factory):
    from mic_eval.anomaly import MapWriter, PatchGaussian, anomaly_wells, write_defects
    from mic_eval.anomaly.field import FIELD
    from mic_eval.core.fields import register_field
    register_field(FIELD)
    place = tmp_path_factory.mktemp("wells")
    wells = anomaly_wells(24, kinds=("folds",), seed=2, size=40)
    images = data_images(write_defects(wells, place / "data"))
    rows = [int(s.rsplit("/", 1)[1]) for s in images.sample_id]
    found = PatchGaussian.fit(anomaly_wells(40, anomalous=0, seed=3, size=40).images)(wells.images[rows])
    MapWriter(place / "maps").add(list(images.sample_id), found["map"], found["score"])
    return place


@pytest.mark.later
def test_a_run_of_maps_is_stored_judged_and_reused(wells_with_maps):
    from mic_eval.anomaly.command import checked_maps
    from mic_eval.anomaly.run_source import maps_run as anomaly_run
    place = wells_with_maps
    assert "12 normal and 12 anomalous" in checked_maps(place / "data", place / "maps")[0]
    r = anomaly_run(place / "data", place / "maps", out=place / "runs")
    assert r.result.field == "anomaly"
    assert r.result.anomaly.mean.pixel_roc_auc.defined
    assert r.result.verdict["status"] in ("pass", "fail", "insufficient n")
    said = []
    again = anomaly_run(place / "data", place / "maps", out=place / "runs", tell=said.append)
    assert again.folder == r.folder and "reused" in " ".join(map(str, said))
    from mic_eval.anomaly.maps import read_images
    back = read_images(next(p for p in r.folder.iterdir() if p.suffix == ".parquet"))
    assert back.map(3).shape == (40, 40) and (back.object == "well").all() and back.mask(0) is not None


def test_a_stream_gives_bounds_and_says_so(wells_with_maps):
    from mic_eval.anomaly.run_source import maps_run as anomaly_run
    r = anomaly_run(wells_with_maps / "data", wells_with_maps / "maps", out=wells_with_maps / "runs", stream=True)
    assert r.result.anomaly.settings.counting == "stream"
    assert "bins hide" in r.result.anomaly.by.object.well.aupimo.reason


def test_chinese_words_fit_their_templates():
    import re
    from mic_eval.anomaly.field import TITLES, WORDS
    zh = WORDS["zh"]
    places = lambda t: set(re.findall(r"{(\w+)}", t))
    assert not [k for k, v in zh.items() if places(k) != places(v)] and not [t for t in TITLES.values() if t not in zh]


def test_bins_one_by_one_are_bins_at_once():
    """Any order of images, whose brightness differs a thousandfold, and any cut: the same grid, counts and shares,
    to the last bit"""
    masks, maps = scene(3, n=12)
    maps *= np.geomspace(1e-2, 30, 12, dtype=np.float32)[:, None, None]
    whole = PixelCounts.of(masks, maps).bins
    for order in (np.arange(12)[::-1], np.random.default_rng(0).permutation(12)):
        back, turned = np.argsort(order), PixelCounts.of(masks[order], maps[order])
        cut = [PixelCounts.of(masks[o], maps[o]) for o in (order[:5], order[5:])]
        for b in (turned.bins, (cut[0] + cut[1]).bins):
            assert b.grid == whole.grid
            for k in ("pos", "neg", "share"): assert (getattr(b, k)[back] == getattr(whole, k)).all()
        assert [(s.lo, s.hi) for s in pixel_numbers(turned).values()] == [(s.lo, s.hi)
            for s in pixel_numbers(PixelCounts.of(masks, maps)).values()]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 200), st.sampled_from([None, 2]))
def test_numbers_in_stretches_of_places_are_those_of_the_whole(seed, places, levels):
    from mic_eval.anomaly.pixel_metrics import pixel_kernels, placed_values
    c = PixelCounts.of(*scene(seed, levels=levels))
    whole, parts = (placed_values(c, pixel_kernels((.3, .05)), n) for n in (1 << 30, places))
    for k in whole: assert parts[k] == pytest.approx(whole[k], abs=1e-12)


def test_the_same_image_twice_in_a_manifest_is_named(tmp_path):
    manifest(tmp_path)
    (tmp_path / "manifest.csv").write_text("sample_id,path,label\na,0.png,0\na,1.png,1\n")
    with pytest.raises(ValueError, match="a stands there twice"): data_images(tmp_path)


def test_recall_is_drawn_as_far_as_scores_were_kept():
    from mic_eval.anomaly import aupimo
    masks, maps = scene(1, n=40, size=40)
    c = aupimo(PixelCounts.of(masks, maps, tail=.02), bounds=(1e-3, 1e-2)).curve
    whole = aupimo(PixelCounts.of(masks, maps, tail=1), bounds=(1e-3, 1e-2)).curve
    assert .01 < c.x[-1] < .06
    assert np.interp(np.log(c.x), np.log(whole.x), whole.y) == pytest.approx(c.y, abs=.02) and c.y[-1] < 1


def odd_images(name, n=12, size=12):
    "Twelve images, every other one with a defect, spoiled in one way"
    rng = np.random.default_rng(0)
    y, masks, maps = np.arange(n) % 2, [None]*n, rng.normal(0, .3, (n, size, size))
    for i in np.flatnonzero(y):
        masks[i] = np.zeros((size, size), np.uint8)
        masks[i][3:6, 3:6] = 1
        maps[i] += masks[i]
    few = {"one image": slice(1, 2), "one normal image": slice(1), "two images": slice(2)}.get(name, slice(n))
    if name == "no defects": y, masks = 0*y, [None]*n
    if name == "only defects": y, masks = 0*y+1, [np.eye(size, dtype=np.uint8) for _ in y]
    if name == "constant": maps[:] = 1
    if name == "one pixel": maps, masks = maps[:, :1, :1], [m if m is None else m[3:4, 3:4] for m in masks]
    if name == "all of it": masks = [m if m is None else np.ones_like(m) for m in masks]
    if name == "no masks": masks = [None]*n
    if name in ("nan", "inf"): maps[3, 2, 2] = float(name)
    if name == "unlabelled": y = 0*y-1
    return y[few], masks[few], maps[few]


ODD = ("plain", "no defects", "only defects", "one image", "one normal image", "two images", "constant", "one pixel",
       "all of it", "no masks", "nan", "inf", "unlabelled")
SAID = {"nan": "row 3 (i3): nan at row 2", "inf": "row 3 (i3): infinite at row 2", "unlabelled": "no labelled images"}


@pytest.mark.later
@pytest.mark.parametrize("name", [pytest.param(o, marks=[] if o in ("one image", "nan") else pytest.mark.full)
                                  for o in ODD])
def test_odd_images_in_all_groups_types_and_ways(name):
    "A number lies in its interval, what is undefined says why, and what cannot be judged is one line"
    for dtype, groups, how in itertools.product(("float64", "float16", "uint8", "bool"), (None, "part", "one"),
                                                ("exact", "two_pass", "stream")):
        y, masks, maps = odd_images(name)
        whole = dtype in ("uint8", "bool")
        if whole: maps = np.clip(np.nan_to_num(maps, posinf=3)*60+60, 0, 255)
        facts = pd.DataFrame(dict(part=[f"p{i//2}" for i in range(len(y))], one="x"))
        told = SAID.get(name if not whole or name == "unlabelled" else "")
        try:
            m = AnomalyMaps([f"i{k}" for k in range(len(y))], y, "nut", maps.astype(dtype), masks, facts=facts)
            found = evaluate_anomaly(m, how=how, groups=groups, part_score="max" if groups else "", n_resamples=20)
        except ValueError as e:
            assert told and told in str(e) and "\n" not in str(e), (dtype, groups, how)
            continue
        assert not told, (dtype, groups, how)
        for k, s in found["mean"].items():
            if not isinstance(s, Score): continue
            assert s.defined or s.reason, (k, dtype, groups, how)
            if s.defined and s.lo == s.lo: assert s.lo-1e-9 <= s <= s.hi+1e-9, (k, dtype, groups, how)


def test_a_picture_filed_as_normal_and_as_defect_is_said():
    masks, maps = scene(4)
    masks = np.concatenate([masks, np.zeros_like(masks[:1])])
    maps = np.concatenate([maps, maps[5:6]])   # a defect once more, as normal
    m = AnomalyMaps([f"i{k}" for k in range(9)], masks.any((1, 2)).astype(int), "nut", list(maps), list(masks))
    assert any("other kind" in str(o) for o in evaluate_anomaly(m).warnings.warning)
    assert not any("other kind" in str(o) for o in evaluate_anomaly(m[:8]).warnings.get("warning", ()))


def test_maps_scaled_image_by_image_are_told():
    "Each map reaches 1: the highest pixel says nothing of an image. Not told of raw maps, nor of the model's own score"
    masks, maps = scene(3, 16, 24)
    about = np.arange(16).astype(str), masks.any((1, 2)).astype(int), "well"
    raw = AnomalyMaps(*about, list(maps), list(masks))
    scaled = AnomalyMaps(*about, [(a-a.min())/np.ptp(a) for a in maps], list(masks))
    def told(m, **how): return evaluate_anomaly(m, n_resamples=20, **how).warnings.get("warning", pd.Series(dtype=str))
    assert sum("highest pixel is the same in 16 of 16 maps" in str(o) for o in told(scaled)) == 1
    assert not any("highest pixel" in str(o) for o in [*told(raw), *told(scaled[5:11])])
    own = AnomalyMaps(*about, score=np.arange(16.))
    assert not any("highest pixel" in str(o) for o in told(own, score="given"))


@pytest.mark.parametrize("least", [1, 2, 7, 1000])
def test_passed_pixels_are_those_of_the_definition_however_many_are_sorted_together(least):
    from mic_eval.anomaly.sorted_scores import passed_counts
    rng = np.random.default_rng(0)
    images, score = [rng.integers(0, 9, n).astype(float) for n in (3, 1, 0, 5, 2, 1)], np.array([-1., 2, 3, 7, 9])
    for some in (images, images[:1], images[1:2], images[2:3]):
        every = np.concatenate(some)
        found = passed_counts(some, score, 12, least=least)
        assert found["tied"].tolist() == [int((every == s).sum()) for s in score]
        assert found["above"].tolist() == [int((every > s).sum()) for s in score]


def test_the_score_of_an_image_is_made_as_was_asked():
    from mic_eval.anomaly.evaluate_maps import object_numbers
    masks, maps = scene(0)
    m = AnomalyMaps(np.arange(8).astype(str), masks.any((1, 2))*1, masks=masks, maps=maps)
    for score, options, by_hand in (("max", None, np.max), ("quantile", dict(q=.5), np.median), ("mean", {}, np.mean)):
        rows = object_numbers(m, score=score, options=options, n_resamples=20)[2]
        assert rows.score.tolist() == pytest.approx([float(by_hand(o)) for o in maps.astype(float)])


def test_a_map_of_defects_counts_the_anomalous_images_called():
    from types import SimpleNamespace
    from mic_eval.anomaly.show import object_defect_map
    rows = [("nut", "good", 0, 1), ("nut", "cut", 1, 1), ("nut", "cut", 1, 0), ("nut", "hole", 1, 1),
            ("bolt", "cut", 1, 1), ("bolt", "good", 0, 0), ("bolt", "cut", 1, np.nan)]
    t = pd.DataFrame(rows, columns=["object", "defect", "label", "called"])
    ax = object_defect_map(SimpleNamespace(found=dict(images=t)))
    told = {(ax.get_yticklabels()[int(o.get_position()[1])].get_text(),
             ax.get_xticklabels()[int(o.get_position()[0])].get_text()): o.get_text() for o in ax.texts}
    assert told == {("nut", "cut"): "1/2", ("nut", "hole"): "1/1", ("bolt", "cut"): "1/1"}
    plt.close("all")


def test_the_mean_aupimo_without_a_normal_image_is_that_of_the_others():
    "Where one image holds all of the highest scores, the others' rates begin far below"
    from mic_eval.anomaly.pimo import aupimo, left_out_aupimo
    rng = np.random.default_rng(0)
    masks, maps = np.zeros((7, 20, 20), bool), rng.uniform(0, 1, (7, 20, 20))
    masks[5:, 4:14, 4:14] = True
    maps[0] += 10
    maps[masks] = rng.uniform(.5, 11, masks.sum())
    bounds = 1e-2, 5e-2
    left = left_out_aupimo(PixelCounts.of(masks, maps, tail=1), np.arange(7), 7, bounds)[1]
    for i, found in enumerate(left):
        rest = np.arange(7) != i
        assert found == pytest.approx(float(aupimo(masks[rest], maps[rest], bounds, ci=None).mean))
    assert left[0] > left[1:5].max()+.05


@pytest.mark.parametrize("n", [1, 2])
def test_what_a_model_kept_is_found_beside_its_maps(tmp_path, n):
    from types import SimpleNamespace
    from mic_eval.anomaly.show import kept_files
    lines = [dict(what="queries", sample_id=f"{k}", file=f"figures/{k}.png") for k in range(n)]
    (tmp_path/"kept.jsonl").write_text("".join(json.dumps(o)+"\n" for o in lines))
    here = SimpleNamespace(table=SimpleNamespace(maps=[SimpleNamespace(path=tmp_path/f"{k}.npy") for k in range(n)]))
    assert kept_files(here) == dict(queries={f"{k}": tmp_path/f"{k}.png" for k in range(n)})
    assert kept_files(SimpleNamespace(table=SimpleNamespace(maps=None))) == {}


@pytest.mark.parametrize("size", [(8, 8), (16, 24)])
def test_the_true_border_lies_around_the_defect_in_a_picture_of_any_size(size):
    from mic_eval.anomaly.plots import _with_truth
    mask = np.zeros((8, 8), bool)
    mask[2:5, 3:7] = True
    tall, wide = size[0]/8, size[1]/8
    def drawn(mask):
        ax = plt.subplots()[1]
        _with_truth(ax, np.zeros(size), size, mask)
        return [p.vertices for o in ax.collections for p in o.get_paths()]
    (x, y), = [v.T for v in drawn(mask)]
    assert (x.min(), x.max(), y.min(), y.max()) == pytest.approx((3*wide-.5, 7*wide-.5, 2*tall-.5, 5*tall-.5))
    assert not drawn(None) and not drawn(np.zeros((8, 8), bool)) and not drawn(np.ones((1, 8), bool))
    plt.close("all")


@pytest.mark.parametrize("places", [1, 7, 65_536, 65_537])
def test_each_place_is_whitened_by_its_covariance_drawn_towards_the_mean_of_all(places):
    from mic_eval.anomaly.gaussian import Moments, _whitening
    x = np.random.default_rng(0).normal(size=(12, places, 2))*[1, 3]
    x[..., 1] += x[..., 0]
    m = Moments()
    for part in (x[:5], x[5:]): m.add(part)
    d = x-x.mean(0)
    own = np.einsum("npi,npj->pij", d, d)/11
    common = own.mean(0)
    towards = .2*(.5*common+.5*np.diag(np.diag(common)))+1e-7*np.eye(2)
    out = _whitening(m, .2)
    some = [0, places//2, places-1]
    precision = np.linalg.inv(.8*own[some]+towards)
    assert out[some].swapaxes(1, 2) @ out[some] == pytest.approx(precision, rel=1e-3, abs=1e-4)


def test_recall_of_regions_at_rates_is_that_of_each_unit_left_out():
    from types import SimpleNamespace
    from mic_eval.anomaly.pixel_metrics import pro_on
    rng = np.random.default_rng(0)
    fp, share = np.sort(rng.integers(1, 50, (3, 4, 6)), -1), rng.random((3, 4, 6))
    def places(at):
        n, regions = np.full((3, 4), 60), np.full((3, 4), 2)
        return SimpleNamespace(fp=fp[at], above=fp[at]-1, share=share[at], negatives=n[at], regions=regions[at])
    x = np.array([.1, .3, .9])
    every = pro_on(places(...), x)
    assert every.shape == (3, 4, 3)
    for at in itertools.product(range(3), range(4)):
        by_hand = [sum(s/2*np.clip(60*t-(f-1), 0, 1) for f, s in zip(fp[at], share[at])) for t in x]
        assert pro_on(places(at), x) == pytest.approx(by_hand) and every[at] == pytest.approx(by_hand)
