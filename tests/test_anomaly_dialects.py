"Other tools' ways of counting, beside the definitions written out as their sources have them."
import numpy as np
import pytest
from scipy.ndimage import label as parts_of
from sklearn.metrics import auc, roc_auc_score

from mic_eval.anomaly import AnomalyMaps, as_uniad_prints, common_threshold, protocol_scores, read_protocol
from mic_eval.anomaly.dialects import ader_aupro, ader_best, dialect_table, guessed_auroc
from mic_eval.core.results import Result, Score
from mic_eval.anomaly.uniad import cifar_setting, unified_against


def scene(seed=0, n=12, size=20):
    rng = np.random.default_rng(seed)
    masks = np.zeros((n, size, size), bool)
    for i in range(n//2, n): masks[i, 3:7, 4:9] = masks[i, 12:14, 12:15] = True
    return masks, rng.gamma(2, .2, masks.shape)+.6*masks


def test_ader_by_the_letter():
    masks, maps = scene()
    pros, fprs, low, high = [], [], maps.min(), maps.max()
    for th in np.arange(low, high, (high-low)/200):
        shares = []
        for m, a in zip(masks, maps):
            parts, K = parts_of(m, np.ones((3, 3)))
            shares += [(a[parts == k+1] > th).mean() for k in range(K)]
        pros.append(np.mean(shares))
        fprs.append((maps[~masks] > th).mean())
    pros, fprs = np.array(pros), np.array(fprs)
    keep = fprs < .3
    x = (fprs[keep]-fprs[keep].min())/(fprs[keep].max()-fprs[keep].min())
    assert ader_aupro(masks, maps) == pytest.approx(auc(x, pros[keep]), abs=1e-12)
    scaled, f1, iou = (maps-low)/(high-low), [], []
    for t in np.arange(0, 1+1e-3, .05):
        called = scaled > t
        f1.append(2*(called & masks).sum()/(called.sum()+masks.sum()))
        iou.append((called & masks).sum()/(called | masks).sum())
    assert ader_best(masks, maps) == pytest.approx((max(f1), max(iou)))


@pytest.mark.full
def test_the_guess_about_logits():
    torch, tm = pytest.importorskip("torch"), pytest.importorskip("torchmetrics")
    rng = np.random.default_rng(1)
    y, s = rng.integers(0, 2, 60), rng.uniform(size=60).astype(np.float32)
    s[::13] = 1.5
    metric = tm.classification.BinaryAUROC()
    for i in range(0, 60, 10): metric.update(torch.from_numpy(s[i:i+10]), torch.from_numpy(y[i:i+10]))
    assert guessed_auroc(y, s, 10) == pytest.approx(float(metric.compute()), abs=1e-6)


def test_uniad_prints_what_its_source_prints(tmp_path):
    masks, maps = scene(2)
    m = AnomalyMaps(np.arange(24).astype(str), np.tile(masks.any((1, 2)).astype(int), 2),
                    np.repeat(["mean", "screw"], 12), [*maps, *-maps], [*masks, *masks])
    (tmp_path/"config.yaml").write_text(
        "evaluator: {metrics: {auc: [{name: mean}, {name: std}, {name: max, kwargs: {avgpool_size: [4, 4]}}, {name: "
        "pixel}]}}")
    p = read_protocol(tmp_path/"config.yaml")
    t = as_uniad_prints(protocol_scores(m, p, ci=None)).table.set_index(["class", "metric"])
    windows = np.lib.stride_tricks.sliding_window_view(maps, (4, 4), (1, 2)).mean((-1, -2)).max((1, 2))
    y = masks.any((1, 2))
    for k, s in dict(mean=maps.mean((1, 2)), std=maps.std((1, 2)), max=windows).items():
        a = roc_auc_score(y, s)
        assert t.loc[("mean", k), "value"] == pytest.approx(a)
        assert t.loc[("mean", k), "printed"] == pytest.approx(max(a, 1-a))
    assert t.loc[("screw", "pixel"), "value"] == pytest.approx(roc_auc_score(masks.ravel(), -maps.ravel()))
    assert t.loc[("screw", "pixel"), "flipped"]


@pytest.mark.parametrize("text, what", [("evaluator: {metrics: {auc: [{name: median}]}}", "not 'median'"),
                                        ("evaluator: {}", "no evaluator.metrics.auc"),
                                        ("evaluator: {metrics: {auc: [{name: max, kwargs: {avgpool_size: [8, "
                                         "16]}}]}}", "must be square"), ("scores: [maxi]", "did you mean 'max'")])
def test_protocols_that_are_refused(text, what, tmp_path):
    (tmp_path/"p.yml").write_text(text)
    with pytest.raises(ValueError, match=what): read_protocol(tmp_path/"p.yml")


def test_unified_against_separate():
    masks, maps = scene(3, n=24)
    rng = np.random.default_rng(0)
    y = masks.any((1, 2)).astype(int)
    def table(a):
        return AnomalyMaps([f"{o}{i}" for o in "ab" for i in range(24)], np.tile(y, 2), np.repeat(["a", "b"], 24),
                           score=np.r_[a, a+5])
    s = maps.max((1, 2))
    r = unified_against(table(s), table(s+rng.normal(0, .1, 24)))
    assert set(r.common) == {"unified", "separate"} and r.comparison.names == ["unified", "separate"]
    one = common_threshold(table(s), table(s))
    assert one.by.object.a.fpr.k == 0 and one.all.fpr.n == 24
    with pytest.raises(ValueError, match="different digits"): cifar_setting([0, 1], [0., 1.], "001")


def test_every_dialect_has_a_reason():
    t = dialect_table(*scene(4))
    assert (t.why.str.len() > 10).all()
    assert t.exact.notna().all() and set(t.tool) == {"MVTec's script", "ADer", "UniAD", "anomalib"}


def bits(r): return [(float(s), s.lo, s.hi) for s in r.values()]


def test_parts_in_two_processes_are_one_process_to_the_last_bit():
    from mic_eval.anomaly import PixelCounts
    from mic_eval.anomaly.counting import count_parts
    from mic_eval.anomaly.pixel_metrics import pixel_numbers
    masks, maps = scene(5, n=20)
    maps = np.round(maps, 2).astype(np.float32)
    parts = [(masks[r], maps[r]) for r in (slice(0, 3), slice(3, 12), slice(12, 20))]
    whole = PixelCounts.of(masks, maps, keep=False)
    assert bits(pixel_numbers(count_parts(parts))) == bits(pixel_numbers(count_parts(parts, jobs=2)))
    assert bits(pixel_numbers(count_parts(parts))) == bits(pixel_numbers(whole))
    assert bits(pixel_numbers(count_parts(parts, how="stream"))) == bits(pixel_numbers(PixelCounts.of(masks, maps,
        how="stream")))
    with pytest.raises(ValueError, match="two_pass or stream"): count_parts(parts, how="exact")


@pytest.mark.full
def test_parts_by_a_function_of_ones_own():
    from mic_eval.anomaly.counting import count_parts
    from mic_eval.anomaly import pixel_roc_auc
    masks, maps = scene(6, n=20)
    dask = pytest.importorskip("dask")
    run = lambda f, parts: dask.compute(*[dask.delayed(f)(p) for p in parts], scheduler="synchronous")
    parts = [(masks[:9], maps[:9]), (masks[9:], maps[9:])]
    assert float(pixel_roc_auc(count_parts(parts, run=run))) == float(pixel_roc_auc(count_parts(parts)))


@pytest.mark.parametrize("entry, way", [
    ("{name: max}", ("max", {})), ("{name: max, kwargs: {avgpool_size: 16}}", ("max_pool", dict(window=16))),
    ("{name: max, kwargs: {avgpool_size: [8, 8]}}", ("max_pool", dict(window=8))), ("{name: mean}", ("mean", {})),
    ("{name: mean, kwargs: {avgpool_size: 16}}", ("mean", {})), ("{name: pixel}", ("pixel", {})),
    ("{name: max, kwargs: {avgpool_size: [8, 4]}}", "must be square"), ("{name: median}", "knows mean, std, max")])
def test_a_configuration_of_uniad_says_how_scores_are_made(tmp_path, entry, way):
    "Only the maximum is pooled"
    (tmp_path/"config.yaml").write_text(f"evaluator: {{metrics: {{auc: [{entry}]}}}}\n")
    if isinstance(way, str):
        with pytest.raises(ValueError, match=f"config.yaml: .*{way}"): read_protocol(tmp_path/"config.yaml")
    else: assert [*read_protocol(tmp_path/"config.yaml").scores.values()] == [way]


def test_a_number_lies_beside_the_published_area_of_the_same_model_and_object():
    from mic_eval.anomaly.dialects import beside_published, published
    t = published("mvtec_ad")
    model = "patchcore" if "patchcore" in set(t.model) else t.model.iloc[0]
    own = t[(t.model == model) & (t.level == "image") & (t.metric == "roc_auc")].drop_duplicates("object")
    said = own.set_index("object")
    def mine(f): return Result(by=Result(object={o: Result(image_roc_auc=Score(f(r))) for o, r in said.iterrows()}))
    same = beside_published(mine(lambda r: r.value), model)
    assert len(same) == len(own) > 10 and same.theirs.tolist() == same.yours.tolist() == own.value.tolist()
    assert {str(o) for o in same.yours_lies} == {"inside"}
    assert {str(o) for o in beside_published(mine(lambda r: r.lo-.01), model).yours_lies} == {"below"}
    with pytest.raises(ValueError, match="no model 'nosuch'"): beside_published(mine(lambda r: 1), "nosuch")
