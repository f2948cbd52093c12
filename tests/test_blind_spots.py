"Blind spots that were planted are named, promises are held to what came, and views of one part are one part."
import json

import numpy as np
import pandas as pd
import pytest

from mic_eval.anomaly import AnomalyMaps, evaluate_anomaly
from mic_eval.anomaly.blind_spots import blind_spots, breakdown, worst_blind_spot
from mic_eval.anomaly.operating import image_threshold
from mic_eval.anomaly.run_source import image_hashes, learning_images, maps_run, maps_source, with_parts
from mic_eval.core.results import NotApplicable, Result


def inspected(seed, dimension, blind, n=480, size=24):
    "Images of two objects, three kinds, four sizes, three cameras; defects of one group are seen by nobody"
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    t = pd.DataFrame(dict(object=rng.choice(["bottle", "nut"], n), defect=rng.choice(["dent", "scratch", "stain"], n),
                          camera=rng.choice(["C1", "C2", "C3"], n)))
    sides, edge = rng.choice([1, 2, 4, 8], n), rng.random(n) < .4
    masks, maps = [], rng.normal(0, .3, (n, size, size)).astype(np.float32)
    for i in range(n):
        if not y[i]: masks.append(None); continue
        m, s = np.zeros((size, size), np.uint8), sides[i]
        a, b = (0, rng.integers(0, size-s)) if edge[i] and s < 5 else rng.integers(8-s//2, 16-s//2, 2)
        m[a:a+s, b:b+s] = 1
        place = "border" if (a+s/2)/size < 1/8 else "middle"
        own = dict(size=int(s), place=place, **t.iloc[i], **{"object+defect": (t.object[i], t.defect[i])})
        if own[dimension] != blind: maps[i] += 4*m
        masks.append(m)
    facts = t[["defect", "camera"]].assign(defect=np.where(y == 1, t.defect, "good"))
    return AnomalyMaps([f"i{k}" for k in range(n)], y, t.object.to_numpy(), maps, masks, facts=facts)


PLANTED = [("defect", "scratch"), ("defect", "dent"), ("defect", "stain"), ("size", 1), ("size", 2),
           ("size", 4), ("size", 8),
           ("object", "nut"), ("object", "bottle"), ("camera", "C1"), ("camera", "C2"), ("camera", "C3"),
           ("place", "border"), ("place", "middle"),
           *(("object+defect", (o, d)) for o in ("nut", "bottle") for d in ("dent", "scratch", "stain"))]
SIZES = {1: "1 to 3 px", 2: "4 to 15 px", 4: "16 to 63 px", 8: "64 to 255 px"}


@pytest.mark.later
@pytest.mark.parametrize("dimension, blind", [pytest.param(*p, marks=[] if k % 9 == 0 else pytest.mark.full)
                                              for k, p in enumerate(PLANTED)])
def test_a_planted_blind_spot_is_named(dimension, blind):
    found = evaluate_anomaly(inspected(3, dimension, blind), n_resamples=20)
    name = SIZES.get(blind, blind) if dimension == "size" else " / ".join(blind) if isinstance(blind, tuple) else blind
    assert (found.blind_spot.by, found.blind_spot.group) == (dimension, name), found.blind_spots.head()
    assert found.blind_spot.found.n >= 5 and found.blind_spot.found.hi < .5
    assert name in found.blind_spot.said


def test_nothing_is_named_where_nothing_is_blind():
    rng, named = np.random.default_rng(0), 0
    for _ in range(30):
        t = pd.DataFrame(dict(object=rng.choice(["a", "b"], 200), defect=rng.choice(list("xyz"), 200), label=1,
                              score=0., called=(rng.random(200) < .9)*1.))
        named += isinstance(worst_blind_spot(blind_spots(t, ("object", "defect"))), Result)
    assert named <= 5   # 5 % of 30 are 1.5; more than 5 happen once in 300


def test_views_of_one_part_are_one_part():
    t = pd.DataFrame(dict(object="nut", defect="dent", label=1, score=1., called=np.repeat(np.arange(20) % 4 > 0, 5)*1.,
                          unit=np.repeat([f"p{i}" for i in range(20)], 5)))
    wide, narrow = (breakdown(o, by=("defect",)).defect.dent.tpr for o in (t, t.drop(columns="unit")))
    assert (wide.k, wide.n, wide.groups) == (75, 100, 20) and wide.hi-wide.lo > 1.8*(narrow.hi-narrow.lo)


@pytest.mark.parametrize("n, target", [(19, .05), (40, .05), (200, .1)])
def test_a_conformal_threshold_keeps_its_promise_for_any_distribution(n, target):
    rng = np.random.default_rng(1)
    rates = []
    for _ in range(400):
        s = rng.standard_cauchy(n+50)
        t = float(image_threshold(np.zeros(n, int), s[:n], "conformal", target).threshold)
        rates.append((s[n:] >= t).mean())
    assert np.mean(rates) <= target+3*np.std(rates)/20


def test_a_bounded_threshold_holds_in_95_of_100():
    rng, kept = np.random.default_rng(2), 0
    for _ in range(400):
        t = float(image_threshold(np.zeros(100, int), rng.random(100), "fpr_bound", .05).threshold)
        kept += 1-t <= .05
    assert kept >= 367   # .95 of 400 are 380; the exact level is higher


def test_one_ranking_of_all_objects_is_exact():
    rng = np.random.default_rng(3)
    from sklearn.metrics import roc_auc_score
    y = np.arange(40) % 2
    masks = (rng.random((40, 16, 16)) < .1)*y[:, None, None]
    maps = np.round(rng.normal(size=masks.shape)+masks+np.repeat([0, 2], 20)[:, None, None], 1).astype(np.float32)
    m = AnomalyMaps(np.arange(40).astype(str), y, np.repeat(["a", "b"], 20), maps, list(masks))
    s = evaluate_anomaly(m, n_resamples=20).pooled.pixel_roc_auc
    assert abs(float(s)-roc_auc_score(masks.ravel(), maps.ravel())) < 1e-12 and s.lo < float(s) < s.hi
    binned = evaluate_anomaly(m, how="stream", n_resamples=20).pooled.pixel_roc_auc
    assert np.isnan(binned.lo) and "lies between" in binned.reason


@pytest.fixture
def tree(tmp_path):
    "A tree whose maps know learning images as well; parts have two views"
    from PIL import Image
    rng = np.random.default_rng(0)
    for kind, split, k in (("good", "train", 60), ("good", "test", 40), ("dent", "test", 40)):
        for i in range(k):
            place = tmp_path/"d"/"nut"/split/kind/f"S{i//2+100*(kind == 'dent'):03}_C{i%2}.png"
            place.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(rng.integers(0, 255, (12, 12), dtype=np.uint8)).save(place)
            mask = np.zeros((12, 12), np.uint8)
            if kind == "dent":
                mask[3:6, 3:6] = 255
                at = tmp_path/"d"/"nut"/"ground_truth"/"dent"/f"{place.stem}_mask.png"
                at.parent.mkdir(parents=True, exist_ok=True)
                Image.fromarray(mask).save(at)
            at = tmp_path/"m"/"nut"/split/kind/f"{place.stem}.npy"
            at.parent.mkdir(parents=True, exist_ok=True)
            np.save(at, (rng.normal(0, .3, (12, 12))+3*(mask > 0)+(2 if split == "test" else 0)).astype(np.float32))
    return tmp_path


@pytest.mark.later
def test_a_detector_that_stops_everything_fails_and_the_reason_is_named(tree):
    run = maps_run(tree/"d", tree/"m", tune_on="train", out=tree/"runs", groups=r"(S\d+)_C")
    d = run.result.anomaly.by.object.nut.decisions
    assert run.result.verdict.status == "fail" and run.result.verdict.decided["metric"] in ("stops", "beyond_target")
    assert float(d.part.beyond_target) > .9 and d.part.fpr.n == 20
    assert "target 5.0%, got 100.0%" in d.part.promise
    said = " ".join(run.result.anomaly.warnings.warning.astype(str))
    assert "score higher than those that the threshold was learned from" in said and "--fitted" in said
    assert run.result.anomaly.settings.groups == "part" and run.result.anomaly.settings.part_score == "max"


@pytest.mark.later
def test_learning_images_are_held_against_judged_and_fitted_ones(tree):
    both = maps_source(tree/"d", tree/"m", tune_on="train")
    table, learn = both.table(None, None), both.lent["validation"]
    pictures = sorted((tree/"d"/"nut"/"train"/"good").glob("*.png"))
    (tree/"seen.json").write_text(json.dumps(sorted(image_hashes(tree/"d"/"nut"/"train"))[:45]))
    left, told = learning_images(learn, table, tree/"d", "train", tree/"seen.json")
    assert len(left) == 15 and told.startswith("45 of 60")
    with pytest.raises(ValueError, match="fitted on all 60 images"):
        maps_source(tree/"d", tree/"m", tune_on="train", fitted=tree/"d"/"nut"/"train")
    pictures[0].write_bytes((tree/"d"/"nut"/"test"/"good"/"S000_C0.png").read_bytes())
    with pytest.raises(ValueError, match="1 of the 60 images of split 'train' are judged too"):
        maps_source(tree/"d", tree/"m", tune_on="train")


@pytest.mark.later
@pytest.mark.parametrize("groups, why", [("prt", "no column 'prt'"), ("(X", "is no pattern"),
                                         (r"(Q\d)", "finds no part")])
def test_groups_that_fit_nothing_are_refused(tree, groups, why):
    with pytest.raises(ValueError, match=why): maps_source(tree/"d", tree/"m", tune_on="train", groups=groups)


def test_a_table_without_defects_has_no_blind_spot():
    m = AnomalyMaps(list("abcdefghij"), np.zeros(10, int), score=np.arange(10.))
    assert isinstance(evaluate_anomaly(m).blind_spot, NotApplicable)
    assert with_parts(m, "none") is m


@pytest.mark.later
def test_a_score_over_views_needs_parts(tree):
    with pytest.raises(ValueError, match="nothing says which images are views of one part"):
        maps_source(tree/"d", tree/"m", part_score="max")
    with pytest.raises(ValueError, match="no part score 'median'; did you mean 'mean'"):
        maps_source(tree/"d", tree/"m", part_score="median", groups=r"(S\d+)_C")
    maps_source(tree/"d", tree/"m", part_score="none")


def test_a_column_of_parts_is_enough_for_a_score_over_views(tmp_path):
    from test_map_layouts import looked_at
    looked_at(tmp_path/"d", tmp_path/"m").assign(part=[f"p{i//2}" for i in range(12)]).to_csv(
        tmp_path/"d"/"manifest.csv", index=False)
    how = dict(out=tmp_path/"runs", profile=None)
    found = maps_run(tmp_path/"d", tmp_path/"m", asked=dict(part_score="mean"), **how).result.anomaly
    assert (found.settings.groups, found.settings.part_score) == ("part", "mean")
    assert found.by.object.well.part_roc_auc.n == 6


def test_the_chance_of_so_few_found_is_the_tail_of_scipy():
    "Where more are asked for than can be missed, too: of 10 with 8 found, 5 drawn hold 3 at least"
    from scipy.stats import hypergeom
    from mic_eval.anomaly.blind_spots import _log_tail
    for N, K, n in ((10, 8, 5), (10, 3, 5), (400, 390, 20), (30, 0, 4), (30, 30, 4)):
        for k in range(max(0, n-(N-K)), min(n, K)+1):
            assert _log_tail(k, n, K, N) == pytest.approx(hypergeom.logcdf(k, N, K, n), abs=1e-9)


def test_groups_stand_in_order_sizes_by_their_numbers():
    from mic_eval.anomaly.blind_spots import _values
    images = pd.DataFrame(dict(size=["1,000 or more", "10 to 99", None, ""], defect=["cut", "bent", "cut", None]))
    defects = pd.DataFrame(dict(size=["100 to 999", "2 to 9"]))
    assert _values(images, defects, "size") == ["2 to 9", "10 to 99", "100 to 999", "1,000 or more"]
    assert _values(images, defects, "defect") == ["bent", "cut"] and _values(images, None, "place") == []
