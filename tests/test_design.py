"Layers, splits that do not leak, hash manifests and power notes: what must hold whatever the table."
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings, strategies as st

from mic_eval.core.results import NotApplicable
from mic_eval.data.scenes import (
    bubble_features, bubble_types, circularity, BUBBLE_TYPES, TURBIDITY, bubble_wells, turbidity_wells)
from mic_eval.data.imaging import condition_wells
from mic_eval.data.design import (edge_cases, group_split, hash_changes, hash_manifest, layers, linked_groups,
                                  log2_distance, power_notes,
                                  split_table)
from mic_eval.data.manifest import data_set, read_manifest
from mic_eval.metrics.power import trials_for_limit
from every import every

quick = settings(max_examples=40, deadline=None)


def table(n=60, groups=10, seed=0, **more):
    rng = np.random.default_rng(seed)
    g = np.arange(n) % groups
    return pd.DataFrame(dict(sample_id=[f"w{i}" for i in range(n)], plate=[f"P{k}" for k in g],
                             isolate=[f"I{k//2}" for k in g], growth=rng.integers(0, 2, n).astype(float)) | more)


@pytest.mark.full
@quick
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=30))
def test_linked_groups_are_the_connected_ones(edges):
    f = pd.DataFrame(edges, columns=["plate", "isolate"]).astype(str)
    b = linked_groups(f)
    mine = list(range(len(f)))   # by hand: merge until nothing changes
    for _ in range(len(f)):
        for i in range(len(f)):
            for j in range(i):
                if f.plate[i] == f.plate[j] or f.isolate[i] == f.isolate[j]:
                    mine = [min(mine[i], mine[j]) if m in (mine[i], mine[j]) else m for m in mine]
    assert all((b[i] == b[j]) == (mine[i] == mine[j]) for i in range(len(f)) for j in range(i))


def test_rows_without_a_group_stand_alone():
    assert len(set(linked_groups(pd.DataFrame(dict(plate=["a", None, None, "a"]))))) == 3


@pytest.mark.later
@quick
@given(st.integers(0, 10_000), st.integers(4, 20), st.integers(2, 3))
def test_no_group_crosses_and_every_split_has_every_class(seed, groups, parts):
    f = table(120, 2*groups, seed)
    s = group_split(f, {f"s{k}": k+1 for k in range(parts)}, seed=seed, deals=3)
    for c in ("plate", "isolate"): assert (pd.crosstab(f[c], s) > 0).sum(axis=1).max() == 1
    assert (pd.crosstab(f.growth, s) > 0).all(axis=None) and len(set(s)) == parts


def test_shares_and_strata_are_met_where_groups_allow():
    f = table(2000, 100, 1)
    s = group_split(f, dict(a=.2, b=.8), strata=["growth"], seed=0)
    assert abs((s == "a").mean()-.2) < .03
    assert abs(f.growth[s == "a"].mean()-f.growth.mean()) < .03


def test_the_same_seed_splits_alike(): assert (group_split(table(), seed=3) == group_split(table(), seed=3)).all()


@every("f, kw, says", [
    (table(10, 1), {}, "2 splits need as many independent groups, but isolate and plate form only 1"),
    (table(), dict(strata=["plate"]), "cannot be stratified: plate = P0 stands in 1 of 5 groups"),
    (table(), dict(strata=["site"]), "strata: no column 'site'"),
    (table(growth=np.nan), {}, "cannot be stratified: growth is empty in every row"),
    (table()[["sample_id", "growth"]], {}, "a split needs one of the columns"),
    (table(), dict(shares=dict(a=1)), "shares must name at least two splits"),
    (table(), dict(shares=dict(a=1, b=-1)), "shares must name at least two splits"),
])
def test_what_cannot_be_split(f, kw, says):
    with pytest.raises(ValueError) as e: group_split(f, **kw)
    assert says in str(e.value) and "\n" not in str(e.value)


def test_split_table_counts_and_says_gaps():
    f = table(growth=[1.]*30 + [0.]*20 + [np.nan]*10)
    t = split_table(f, np.where(np.arange(60) < 40, "a", "b")).set_index("split")
    assert t.wells.tolist() == [40, 20] and t.labelled.tolist() == [40, 10] and t.growth.tolist() == [30, 0]
    assert t.gaps["b"] == "growth 50%" and np.isfinite(t.lo["a"])
    assert split_table(f[["growth"]].assign(split="x"), "split").prevalence[0] == .6


@every("mic, conc, d", [("1", 4, 2), ("<=0.06", .06, 0), (">8", 8, -1), (" > 8 ", 16, 0),
                        ("≤0.5", .25, -1), ("R", 1, None), (None, 1, None), ("1", 0, None)])
def test_distance(mic, conc, d):
    got = log2_distance(pd.DataFrame(dict(expert_mic=pd.Series([mic, "1"], dtype=object),
                                          concentration=[float(conc), 1.])))[0]
    assert np.isnan(got) if d is None else got == pytest.approx(d)


def test_distance_of_mics_that_are_numbers():
    assert log2_distance(pd.DataFrame(dict(expert_mic=[.5, 2.], concentration=[1., 1.]))).tolist() == [1, -1]


def test_layers_name_what_is_absent():
    for name, layer in layers(table()).items():
        assert all(isinstance(v, NotApplicable) and v.reason for v in layer.absent.values()), name
        assert len(layer.rows) == len(set(layer.rows)) and (np.diff(layer.rows) > 0).all()
    assert len(layers(table())["smoke"]) == 16
    assert layers(table())["specialised"].absent["turbidity_levels.clear"].reason == "no column 'turbidity'"


def test_layers_from_metadata():
    n = 60
    f = table(n, turbidity=(list(TURBIDITY)*10), condition=([None]*30 + ["dim"]*20 + ["normal"]*10),
              severity=([0.]*30 + [3.]*20 + [0.]*10),
              bubble_type=(["spherical", "membrane reflection", "none"] + [None]*57),
              bubble=[1., 1., 0.] + [np.nan]*57, site=["A"]*40 + ["B"]*20, mask=["m.png"]*5 + [None]*55)
    p = layers(f)
    assert [len(p["specialised"][f"turbidity_levels.{t}"]) for t in TURBIDITY] == [10]*6
    assert p["specialised"]["air_bubble_scenarios.spherical_bubbles"].tolist() == [0]
    assert p["specialised"]["air_bubble_scenarios.none"].tolist() == [2]
    assert len(p["robustness"]["conditions.dim"]) == 20 and len(p["standard"]) == 40   # "normal" is no made condition
    assert len(p["robustness"]["distribution_shift.A"]) == 30 and len(p["interpretability"]["masked"]) == 5
    assert "turbidity_levels.dense" in layers(f.assign(turbidity=5.))["specialised"].parts


def test_layers_of_what_the_renderer_makes():
    w = condition_wells(4, families=["lighting"], severities=(1, 3), size=24)
    p = layers(data_set(w.images, w.growth, w.facts))
    names = [k for k in p["robustness"].parts if k.startswith("conditions.")]
    assert all(len(p["robustness"][k]) == 8 for k in names)
    assert len(p["robustness"]["baseline"]) == 4 and len(names)*8+4 == len(w)
    assert len(p["standard"]) == 4
    w = bubble_wells(3, size=24)
    p = layers(data_set(w.images, w.growth, w.facts | dict(bubble=w.bubble)))
    assert all(len(p["specialised"][f"air_bubble_scenarios.{t}"]) == 3 for t in (*BUBBLE_TYPES, "none"))
    assert len(p["standard"]) == 3
    w = turbidity_wells(2, size=24)
    for facts in w.facts, dict(optical_density=w.optical_density):
        p = layers(data_set(w.images, w.growth, facts))["specialised"]
        assert all(len(p[f"turbidity_levels.{t}"]) == 2 for t in TURBIDITY)


def test_an_empty_table_has_empty_layers():
    p = layers(table().iloc[:0])
    assert all(len(v) == 0 for v in p.values())


def test_edge_cases():
    f = pd.DataFrame(dict(sample_id=list("abcdef"), series=["s"]*4 + [None]*2,
                          concentration=[1., 2, 4, 8, np.nan, np.nan], growth=[1., 0, 1, 0, 0, 1],
                          role=["test"]*4 + ["control", "sterile"],
                          expert_1=[1, 0, 1, 0, 0, np.nan], expert_2=[1, 1, 1, 0, np.nan, 1], expert_1_mic="2",
                          expert_1_confidence=.9))
    e = edge_cases(f)
    assert np.flatnonzero(e["skipped_wells"]).tolist() == [1]
    assert np.flatnonzero(e["failed_controls"]).tolist() == [4, 5]
    assert np.flatnonzero(e["experts_disagree"]).tolist() == [1]
    assert not any(isinstance(v, NotApplicable) for v in e.values())
    assert all(isinstance(v, NotApplicable) for v in edge_cases(f[["sample_id"]]).values())


@pytest.mark.parametrize("radius", [4, 8, 16, 30])
def test_a_disc_is_round_at_any_size(radius):
    y, x = np.mgrid[-35:35, -35:35]+.5
    assert circularity(np.hypot(y, x) < radius) == pytest.approx(1, abs=.08)


def test_bubble_features_and_their_kinds():
    y, x = np.mgrid[-20:20, -20:20]+.5
    disc, image = np.hypot(y, x) < 8, np.full((40, 40), .5)
    glare = np.where(disc, .95, image)
    f = bubble_features(np.stack([disc, disc, disc & False]), np.stack([image, glare, image]))
    assert f["count"].tolist() == [1, 1, 0] and f.specular[:2].tolist() == [0, 1] and np.isnan(f.specular[2])
    assert bubble_types(pd.DataFrame(index=range(3)), f).type.tolist() == ["spherical_bubbles", "membrane_reflection",
        "none"]
    with pytest.raises(ValueError, match="the same as images"):
        bubble_features(np.zeros((1, 4, 4)), np.zeros((1, 4, 5)))
    with pytest.raises(ValueError, match="different lengths: facts 2, features 3"):
        bubble_types(pd.DataFrame(index=range(2)), f)


def test_a_manifest_speaks_before_a_mask():
    f = pd.DataFrame(dict(bubble_type=["Bubble clusters", "optical-distortion", None, None, "foam"],
                          bubble=[1, 1, 0, 1, 1]))
    t = bubble_types(f)
    assert t.type.tolist()[:3] == ["bubble_clusters", "optical_distortion", "none"]
    assert pd.isna(t.type[3]) and t.type[4] == "foam"
    assert t.source.tolist() == ["metadata"]*3 + ["unknown", "metadata"]
    assert set(bubble_types(pd.DataFrame(dict(bubble_type=list(BUBBLE_TYPES)))).type) == set(BUBBLE_TYPES)


def test_hash_manifest_sees_one_pixel_and_one_label():
    a = np.random.default_rng(0).integers(0, 255, (6, 8, 8)).astype(np.uint8)
    b = a.copy(); b[2, 3, 3] ^= 1
    y = np.array([0, 1, 0, 1, 0, 1])
    h = hash_manifest(data_set(a, y), 4)
    c = hash_changes(h, hash_manifest(data_set(b, np.r_[1, y[1:]])))
    assert c.facts == ["000000"] and c.picture == ["000002"] and not c.added and not c.removed
    assert not any(hash_changes(h, hash_manifest(data_set(a, y), 1)).values())


def test_power_notes_agree_with_the_power_page():
    f = table(1000, 1000, growth=[1.]*600 + [0.]*400).drop(columns=["plate", "isolate"])
    n = power_notes(layers(f), f, limit=.01).set_index("part").loc["growth"]
    allowed = max(k for k in range(9) if trials_for_limit(.01, k) <= 600)
    assert n.misses_allowed == allowed and n.to_add == 0 and n.best == pytest.approx(1-.05**(1/600)) and n.worth == 600
    g = power_notes(layers(f := f.assign(isolate="one")), f, icc=1.).set_index("part").loc["growth"]
    assert g.worth == pytest.approx(1) and g.groups == 1 and g.best_grouped == pytest.approx(.95)


def test_real_plates(real_wells):
    d = read_manifest(real_wells)
    s = group_split(d.facts)
    assert (pd.crosstab(d.facts.plate, s) > 0).sum(axis=1).tolist() == [1, 1]
    with pytest.raises(ValueError, match="3 splits need as many independent groups"):
        group_split(d.facts, dict(a=1, b=1, c=1))
    p = layers(d)
    assert len(p["standard"]) == 186 and len(p["smoke"]) == 16
    assert d[p["specialised"]["boundary_cases.near"]].images([0]).shape == (1, 1, 70, 70)
