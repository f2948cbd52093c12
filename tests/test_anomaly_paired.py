"Two models on the same images: the jackknife by brute force, ranks with zeros, and what is refused."
import numpy as np
import pytest
from scipy import stats

from mic_eval.anomaly import AnomalyMaps, PixelCounts, compare_maps
from mic_eval.anomaly.paired_maps import comparison_rows, judged_maps, paired_pixels
from mic_eval.anomaly.pixel_metrics import jackknife_variance, pixel_numbers
from mic_eval.anomaly.counting import save_counts


def scene(seed, n=24, size=16):
    rng = np.random.default_rng(seed)
    masks = np.zeros((n, size, size), bool)
    masks[n//2:, 3:7, 4:9] = True
    maps = (rng.normal(size=masks.shape)+rng.normal(0, .5, (n, 1, 1))+1.2*masks).astype(np.float32)
    return masks, maps, (maps+.7*rng.normal(size=maps.shape)).astype(np.float32)


def table(masks, maps, object="well"):
    y = masks.any((1, 2)).astype(int)
    return AnomalyMaps([f"{object}{i}" for i in range(len(maps))], y, object, list(maps), list(masks),
                       score=maps.max((1, 2)))


def test_paired_jackknife_by_brute_force():
    masks, a, b = scene(0)
    r = paired_pixels(*(PixelCounts.of(masks, o, keep=False) for o in (a, b)), limits=(.3,))
    kind, rows = masks.any((1, 2)), np.arange(len(a))
    value = lambda o, keep: pixel_numbers(PixelCounts.of(masks[keep], o[keep], keep=False, spread=False), (.3,),
                                          ci=None)
    left = [{k: float(v) for k, v in value(a, rows != i).items()}
            for i in rows], [{k: float(v) for k, v in value(b, rows != i).items()} for i in rows]
    for k in ("pixel_roc_auc", "pixel_average_precision", "aupro_30"):
        d = np.array([u[k]-v[k] for u, v in zip(*left)])
        V, df = jackknife_variance(d, kind, False)
        assert r[k].se == pytest.approx(np.sqrt(V), rel=.03), k
        assert r[k].p == pytest.approx(2*stats.t.sf(abs(float(r[k].difference))/np.sqrt(V), df), rel=.3)
        assert float(r[k].difference) == pytest.approx(float(value(a, rows >= 0)[k])-float(value(b, rows >= 0)[k]))


def test_order_of_images_does_not_matter_and_a_model_equals_itself():
    masks, a, b = scene(1)
    m, n = table(masks, a), table(masks, b)
    first, turned = compare_maps(m, n, limits=(.3,)), compare_maps(m, n[::-1], limits=(.3,))
    for k in ("image_roc_auc", "pixel_roc_auc", "aupro_30"):
        assert float(first["mean"][k].p) == pytest.approx(float(turned["mean"][k].p), rel=1e-9)
    own = compare_maps(m, m, limits=(.3,))
    assert own["mean"].pixel_roc_auc.p == 1 and "equal" in own["mean"].pixel_roc_auc.difference.reason


def test_zeros_of_aupimo_are_kept_by_pratt():
    masks, a, b = scene(2, n=40, size=30)
    ca, cb = (PixelCounts.of(masks, o, keep=False, tail=1) for o in (a, b))
    r = paired_pixels(ca, cb, (.3,), bounds=(1e-3, 1e-2)).aupimo
    from mic_eval.anomaly import aupimo
    v, w = (aupimo(c, bounds=(1e-3, 1e-2)).images.aupimo.dropna().to_numpy() for c in (ca, cb))
    assert r.a == pytest.approx(v.mean())
    assert r.wilcoxon.p == pytest.approx(stats.wilcoxon(v-w, zero_method="pratt").pvalue)


def test_from_stored_files_and_refusals(tmp_path):
    masks, a, b = scene(3)
    m = table(masks, a)
    plain = AnomalyMaps(m.sample_id, m.label, "well", score=m.score)
    plain.save(tmp_path/"maps.parquet")
    save_counts(dict(well=PixelCounts.of(m, keep=False)), tmp_path/"pixels.npz")
    again = compare_maps(tmp_path, table(masks, b), limits=(.3,))
    direct = compare_maps(m, table(masks, b), limits=(.3,))
    assert float(again["mean"].aupro_30.p) == float(direct["mean"].aupro_30.p)
    assert {"mean", "well"} == set(comparison_rows(again).object)
    other = table(masks, b)
    other.label[0] = 1-other.label[0]
    with pytest.raises(ValueError, match="give another label"):
        compare_maps(plain, AnomalyMaps(other.sample_id, other.label, "well", score=other.score))
    with pytest.raises(ValueError, match="on must be one of"): compare_maps(plain, plain, on="accuracy")
    assert judged_maps(plain).counts == {}


def test_kinds_of_defects_and_parts_have_their_own_pairs():
    "A kind that one model does not see is named, with Holm's p; parts are their views' highest"
    import pandas as pd
    from mic_eval.anomaly import AnomalyMaps, compare_maps
    from mic_eval.anomaly.paired_maps import comparison_rows
    from mic_eval.metrics.delong import delong_test
    rng = np.random.default_rng(0)
    label, part = np.tile(np.repeat([0, 1], 20), 2), np.arange(80) // 2
    kind = np.where(label == 1, np.tile(["cut", "dent"], 40), "good")
    things = np.repeat(["bottle", "screw"], 40)
    a = rng.normal(size=80) + 3 * label
    b = a - 3 * (kind == "cut")
    facts = pd.DataFrame(dict(defect=kind, part=part))
    m, n = (AnomalyMaps(np.arange(80).astype(str), label, things, score=s, facts=facts) for s in (a, b))
    found = compare_maps(m, n, groups="part")
    cut, dent = (found.by.defect[k].image_roc_auc for k in ("cut", "dent"))
    rows = np.flatnonzero((label == 0) | (kind == "cut"))
    want = delong_test(label[rows], a[rows], b[rows], groups=part[rows], strata=things[rows], labels=(0, 1))
    assert float(cut.difference) == float(want.difference) and cut.p == want.p and cut.p_holm == min(2 * cut.p, 1)
    assert cut.difference.lo > .2 and float(dent.difference) == 0
    best = pd.DataFrame(dict(part=part, things=things, y=label, a=a, b=b)).groupby(["things", "part"]).max()
    whole = delong_test(best.y, best.a, best.b, strata=best.index.get_level_values(0), labels=(0, 1)).difference
    assert float(found.by.part.all.image_roc_auc.difference) == pytest.approx(float(whole)) and whole.n == 40
    assert {"defect cut", "defect dent", "parts"} <= set(comparison_rows(found).object)
    assert not compare_maps(m, n).by.part
