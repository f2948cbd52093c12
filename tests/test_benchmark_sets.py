"Duplicates, flags, weights, diversity and requirements: against brute force, closed forms and the real wells."
import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from PIL import Image

from mic_eval.core.results import NotApplicable, from_json, to_json
from mic_eval.data.benchmark import (balance_weights, balanced_sample, class_imbalance, combine, k_centre,
                                     quality_flags, sharpness, stratum_coverage,
                                     validate_benchmark, vendi_score)
from mic_eval.data.test_sets import Datasheet, datasheet
from mic_eval.data.set_quality import find_duplicates, leaks, near_hashes, perceptual_hash, thumbnails
from mic_eval.data.manifest import data_set, read_manifest
from mic_eval.data.wells import render_wells

quick = settings(max_examples=40, deadline=None)
few = render_wells(40, size=48, seed=7)


def refusal(f, *a, **kw):
    with pytest.raises(ValueError) as e: f(*a, **kw)
    assert "\n" not in str(e.value)
    return str(e.value)


def saved(a, quality):
    f = io.BytesIO()
    Image.fromarray(a).save(f, "JPEG", quality=quality)
    return np.asarray(Image.open(f))


@quick
@given(st.integers(0, 10_000), st.integers(0, 12), st.sampled_from([.02, .1, .5]), st.integers(2, 300))
def test_near_hashes_finds_what_brute_force_finds(seed, bits, flip, n):
    rng = np.random.default_rng(seed)
    b = rng.random((5, 64))[rng.integers(0, 5, n)] < .5   # crowds of nearly equal hashes, and bits that never vary
    h = np.packbits(b ^ (rng.random((n, 64)) < flip), axis=1).view(">u8").ravel().astype(np.uint64)
    d = np.bitwise_count(h[:, None] ^ h)
    i, j = np.nonzero(np.triu(d <= bits, 1))
    assert (near_hashes(h, bits) == np.stack([i, j, d[i, j]], 1)).all()


def test_near_hashes_at_the_edges():
    assert near_hashes([], 6).shape == near_hashes([7], 6).shape == (0, 3)
    assert near_hashes([0, 2**64-1], 31).shape == (0, 3)
    assert "more than 100 pairs within 6 bits" in refusal(near_hashes, np.zeros(50, np.uint64), most=100)
    assert "hashes must have shape (n,)" in refusal(near_hashes, np.zeros((2, 2)))


def test_twenty_thousand_hashes_are_quick():   # the page measures 100,000
    rng = np.random.default_rng(0)
    h = rng.integers(0, 2**64, 20_000, dtype=np.uint64)
    h[1::2] = h[::2] ^ (np.uint64(1) << rng.integers(0, 64, 10_000).astype(np.uint64))
    assert len(near_hashes(h)) >= 10_000


@pytest.mark.parametrize("size", [(32, 32), (64, 64), (70, 50), (20, 33)])
def test_thumbnails_keep_the_mean(size):
    a = np.random.default_rng(0).random((3, *size))
    assert thumbnails(a).shape == (3, 32, 32) and np.allclose(thumbnails(a).mean((1, 2)), a.mean((1, 2)), atol=1e-5)
    assert np.allclose(thumbnails(a[:, None].repeat(3, 1)), thumbnails(a), atol=1e-5)


def test_hash_ignores_brightness_and_contrast():
    t = thumbnails(few.images/255)
    assert (perceptual_hash(t) == perceptual_hash(.5*t+.2)).mean() > .95


def test_copies_are_found_and_variants_left_out():
    a = np.concatenate([few.images, few.images[:2], few.images[:1], [saved(few.images[9], 70)]])
    d = data_set(a, facts=dict(sample_id=[*map(str, range(40)), "c0", "c1", "c0b", "j9"]))
    p = find_duplicates(d, batch_size=7)
    assert p[["first", "second"]].to_numpy().tolist() == [[0, 40], [0, 42], [1, 41], [9, 43]]
    assert p.kind.tolist() == ["exact"]*3 + ["near"]
    v = data_set(a[:2], facts=dict(sample_id=["x", "x"], variant=["", "b"]))
    assert len(find_duplicates(replace(v, pixels=v.pixels[[0, 0]]))) == 0


def test_blank_pictures_are_equal_only_when_equal():
    d = data_set(np.stack([np.full((40, 40), v, np.uint8) for v in (0, 9, 9, 255)]))
    p = find_duplicates(d)
    assert p[["first", "second"]].to_numpy().tolist() == [[1, 2]]
    assert len(find_duplicates(d[:1])) == 0


def test_no_two_real_wells_are_duplicates(real_wells):
    d = read_manifest(real_wells)
    assert len(d) == 192 and len(find_duplicates(d)) == 0
    a = np.uint8(255*d.images()[:, 0])
    p = find_duplicates(data_set(np.concatenate([a, [saved(x, 75) for x in a]])))
    assert (p["first"] == np.arange(192)).all() and (p["second"] == np.arange(192)+192).all()
    f = quality_flags(d)
    assert f.flagged.mean() < .02 and f.label_confidence.isna().all()


def test_leaks():
    f = pd.DataFrame(dict(sample_id=list("abcd"), isolate=["i", "i", "j", None], split=["t", "v", "v", "t"]))
    assert [o.text for o in leaks(f, "split")] == ["isolate stands in more than one split: i"]
    pairs = pd.DataFrame(dict(first=[0, 1], second=[2, 2], first_id=["a", "b"], second_id=["c", "c"]))
    assert "1 pair of equal pictures" in leaks(f, "split", pairs)[1].text
    assert leaks(f, ["t"]*4, pairs) == () and "different lengths" in refusal(leaks, f, ["t"])


def test_combined_sources_keep_their_names_apart():
    a = data_set(few.images[:2], [0, 1], dict(sample_id=["x", "y"], plate=["P", "P"], series=["s", None],
                                              isolate=["i", "i"]))
    b = data_set(few.images[2:4]/np.float32(255), facts=dict(sample_id=["x", "z"], plate=["P", "Q"], site=["S", "S"]))
    c = combine(dict(one=a, two=b))
    assert c.facts.sample_id.tolist() == ["one/x", "one/y", "two/x", "two/z"] and c.facts.plate.nunique() == 3
    assert c.facts.isolate.tolist()[:2] == ["i", "i"]
    assert c.facts.isolate.isna().tolist() == [False, False, True, True] and c.facts.series.isna().sum() == 3
    assert np.allclose(c.images(), few.images[:4, None]/255) and c.y_true[:2].tolist() == [0, 1]
    assert combine(dict(one=a)).facts.source.tolist() == ["one"]*2


def test_flags_follow_their_measures():
    a = few.images.copy()
    a[0] = 255; a[1] = 128
    f = quality_flags(data_set(a, facts=dict(plate=["p"]*40)), label_confidence=[.5]*3 + [1]*37)
    assert f.exposure[:2].all()
    assert f.doubtful_label.sum() == 3 and np.isnan(f.sharpness[:2]).all() and not f.blurred[:2].any()
    assert len(f) == 40
    assert "label_confidence must lie between 0 and 1, but does not in row 0" in refusal(quality_flags,
        data_set(a[:2]), label_confidence=[2, 1])
    assert "different lengths: data 2, label_confidence 1" in refusal(quality_flags, data_set(a[:2]),
        label_confidence=[1])
    rgb = np.repeat(few.images[:3, None], 3, 1)
    assert np.allclose(quality_flags(data_set(rgb)).sharpness, sharpness(few.images[:3]), rtol=1e-3)


@pytest.mark.parametrize("share, value, seen", [(.06, 0, True), (.06, 1, True), (.06, .004, True), (.06, .996, True),
                                                (.06, .005, False), (.06, .995, False), (.05, 1, False)])
def test_more_than_a_twentieth_of_black_or_white_is_an_exposure(share, value, seen):
    x = np.linspace(.3, .7, 400, dtype=np.float32)
    x[:round(share*400)] = value
    f = quality_flags(data_set(x.reshape(1, 20, 20)))
    assert f.exposure.tolist() == f.flagged.tolist() == [seen]
    assert f.clipped[0] == pytest.approx(share if seen or value == 1 else 0)


@pytest.mark.parametrize("mean, contrast, seen", [(.04, .02, True), (.06, .02, False), (.96, .02, False),
                                                  (.98, .02, True), (.5, .004, True), (.5, .006, False)])
def test_a_picture_too_dark_too_bright_or_too_even_is_an_exposure(mean, contrast, seen):
    x = np.where(np.arange(400) % 2, mean-contrast, mean+contrast).astype(np.float32)
    f = quality_flags(data_set(np.minimum(x, .995).reshape(1, 20, 20)))
    assert f.exposure.tolist() == [seen]


def test_label_confidence_comes_from_readers():
    y = [1, 1, 0, np.nan]
    d = data_set(few.images[:4], y, dict(expert_1=[1, 0, 0, 1], expert_2=[1, 0, np.nan, 1], expert_3_mic=["1"]*4))
    assert quality_flags(d).label_confidence[:3].tolist() == [1, 0, 1]
    assert np.isnan(quality_flags(d).label_confidence[3])
    d = data_set(few.images[:4], y, dict(expert_1=[1, 0, 0, 1], expert_1_confidence=[.9, .4, np.nan, 1]))
    assert quality_flags(d).doubtful_label.tolist() == [False, True, False, False]


@quick
@given(st.lists(st.sampled_from([0., 1., 2., np.nan]), min_size=2,
                max_size=50).filter(lambda y: len({v for v in y if v == v}) > 1), st.integers(0, 99))
def test_weights_balance_and_samples_lead_back(y, seed):
    y = np.array(y)
    w, known = balance_weights(y), np.isfinite(y)
    classes = np.unique(y[known])
    assert np.allclose([w[y == c].sum() for c in classes], known.sum()/len(classes)) and (w[~known] == 0).all()
    s = balanced_sample(y, seed=seed)
    assert len(set(s.rows)) == len(s) and len({(y[s.rows] == c).sum() for c in classes}) == 1
    assert np.allclose([np.average(y[s.rows] == c, weights=s.weight) for c in classes],
                       [(y[known] == c).mean() for c in classes])


def test_weights_and_samples_refuse():
    assert "shares names class 2" in refusal(balance_weights, [0, 1], {2: 1})
    assert balance_weights([0, 0, 1, 2, np.nan], {0: 1, 1: 3}).tolist() == [.5, .5, 3, 0, 0]   # no share of class 2
    assert "no labels" in refusal(balance_weights, [np.nan]) and "no labels" in refusal(balanced_sample, [np.nan])
    assert "each must lie between 1 and 1, the wells of class 1, not 2" in refusal(balanced_sample, [0, 0, 1], 2)
    assert np.allclose(balance_weights([0, 0, 0, 1], {0: .9, 1: .1}), [1.2]*3 + [.4])


@pytest.mark.parametrize("n, d", [(30, 4), (4, 30), (200, 80), (80, 200)])
def test_vendi_is_the_entropy_of_the_similarity_matrix(n, d):
    x = np.random.default_rng(0).normal(1, 1, (n, d))
    z = x/np.linalg.norm(x, axis=1, keepdims=True)
    p = np.linalg.eigvalsh(z @ z.T/n); p = p[p > 1e-12]
    assert vendi_score(x) == pytest.approx(np.exp(-(p*np.log(p)).sum()), rel=1e-6)
    K = np.exp(-.1*((x[:, None]-x)**2).sum(-1)); p = np.linalg.eigvalsh(K/n); p = p[p > 1e-12]
    assert vendi_score(x, kernel="rbf", gamma=.1) == pytest.approx(np.exp(-(p*np.log(p)).sum()), rel=1e-6)
    assert vendi_score(np.tile(x, (2, 1))) == pytest.approx(vendi_score(x))


def test_vendi_refuses():
    assert "nan or infinite in row 1" in refusal(vendi_score, [[1.], [np.nan]])
    assert "kernel must be" in refusal(vendi_score, [[1.]], kernel="poly")


@quick
@given(st.integers(0, 1000), st.integers(2, 9), st.integers(1, 3))
def test_k_centre_is_at_most_twice_the_best(seed, n, k):
    from itertools import combinations
    x = np.random.default_rng(seed).normal(size=(n, 2))
    k = min(k, n-1)
    d = np.sqrt(((x[:, None]-x)**2).sum(-1))
    rows, radius = k_centre(x, k, seed=seed)
    assert len(set(rows)) == k and radius[-1] == pytest.approx(d[:, rows].min(1).max(), abs=1e-6)
    assert radius[-1] <= 2*min(d[:, list(c)].min(1).max() for c in combinations(range(n), k))+1e-6


def test_k_centre_with_chosen_rows_and_copies():
    x = np.zeros((5, 2))
    rows, radius = k_centre(x, 3, chosen=[1, 4])
    assert set(rows) == {0, 2, 3} and radius[-1] == 0
    assert "k must lie between 1 and 3, not 4" in refusal(k_centre, x, 4, chosen=[1, 4])


def test_stratum_coverage():
    f = pd.DataFrame(dict(a=["x"]*5 + ["y"]*4, b=[0]*5 + [1]*4))
    c = stratum_coverage(f, ["a", "b"])
    assert (c.coverage.k, c.coverage.n) == (1, 4) and c.lacking.to_add.tolist() == [5, 5, 1]
    assert stratum_coverage(f, "a", least=4).coverage == 1
    assert np.isnan(stratum_coverage(f.assign(a=np.nan), "a").coverage)
    assert "no column 'z'" in refusal(stratum_coverage, f, ["a", "z"])
    assert "sample_id has 200 values" in refusal(stratum_coverage, pd.DataFrame(dict(sample_id=range(200))),
                                                 "sample_id")


def good(n=2000):
    return pd.DataFrame(dict(sample_id=[f"w{i}" for i in range(n)], growth=np.arange(n) % 2*1.,
                             drug=np.where(np.arange(n)//2 % 2, "INH", "RIF")))


def test_the_four_requirements_at_their_limits():
    flags = pd.DataFrame(dict(flagged=np.arange(2000) < 100))
    r = validate_benchmark(good(), flags=flags, strata=["drug", "growth"])
    assert r.valid and r.quality == .95 and r.balance == 0 and r.recommendations == []
    bad = validate_benchmark(good(), flags=pd.DataFrame(dict(flagged=np.arange(2000) < 101)), strata="drug")
    assert not bad.valid and "1 fewer would do" in bad.recommendations[0]
    assert validate_benchmark(good().assign(growth=[1.]*1200 + [0.]*800), flags=flags, strata="drug").valid
    off = validate_benchmark(good().assign(growth=[1.]*1201 + [0.]*799), flags=flags, strata="drug")
    assert not off.valid and "add 2 wells of class 0" in off.recommendations[0]
    assert validate_benchmark(good(1999), flags=flags[1:],
                              strata="drug").recommendations == [
                                  "size: add 1 distinct labelled wells to the 1999 there are"]


def test_copies_and_variants_count_once():
    pairs = pd.DataFrame(dict(first=[0, 0], second=[7, 9]))
    assert validate_benchmark(good(), pairs=pairs).size == 1998
    assert validate_benchmark(good().assign(sample_id=["a"]*10 + [str(i) for i in range(1990)])).size == 1991


def test_what_was_not_handed_in_is_not_evaluated():
    r = validate_benchmark(good())
    assert not r.valid
    assert isinstance(r.quality, NotApplicable)
    assert isinstance(r.duplicates, NotApplicable) and len(r.recommendations) == 2
    one = validate_benchmark(good().assign(growth=1.))
    assert np.isnan(one.balance) and any("only one" in t for t in one.recommendations)
    assert from_json(to_json(r)).size == 2000
    assert "different lengths: data 2000, flags 3" in refusal(validate_benchmark, good(),
                                                              flags=pd.DataFrame(dict(flagged=[0]*3)))


def test_three_classes():
    r = validate_benchmark(good(300).assign(growth=[0.]*200 + [1.]*80 + [2.]*20))
    more = [int(t.split()[0]) for t in next(t for t in r.recommendations
                                            if t.startswith(
                                                "balance"))[len("balance: add "):].split("; ")[0].split(", ")]
    assert class_imbalance(r.balance*0 + np.repeat([0, 1, 2], [200, 80+more[0]*(len(more) > 1), 20+more[-1]])) <= .1


def test_a_datasheet_escapes_and_says_what_is_missing(tmp_path):
    d = data_set(few.images[:4], [1, 0, 1, 0], dict(drug=["<b>", "|", "`x`", None]), name="x\n# y <i>")
    s = datasheet(d, about=dict(licence="CC <BY>"), validation=validate_benchmark(d), leakage=())
    assert "<b>" not in s.html() and "<i>" not in s.html() and "<BY>" not in s.html()
    assert "\n# y" not in s.markdown() and "<b>" not in s.markdown().replace("\\<", "")
    assert s.markdown().count("not stated") == 7 and "nothing found" in s.markdown() and d.content_hash in s.markdown()
    for name in "a.md", "a.html": assert (tmp_path/name) == s.write(tmp_path/name) and not list(tmp_path.glob("*.part"))
    assert "written as .md or .html" in refusal(s.write, tmp_path/"a.doc")
    assert "no question" in refusal(datasheet, d, about=dict(who="x"))
    assert isinstance(s, Datasheet) and "SHA-256" not in datasheet(d, fingerprint=False).markdown()
