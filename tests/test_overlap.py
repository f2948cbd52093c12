"Structured and text answers: beside scikit-learn, plain loops, and the formulas that went wrong"
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.metrics import jaccard_score, precision_recall_fscore_support
from sklearn.preprocessing import MultiLabelBinarizer

from mic_eval.core.results import NotApplicable, Score, from_json, to_json
from mic_eval.metrics.confusion import accuracy
from mic_eval.metrics.overlap import (
    aspect_coverage, feature_match, label_accuracy, mentioned, tolerance_score, weighted_composite, Overlap,
    encode_sets, set_f1, set_jaccard, set_overlap, set_precision, set_recall)
from every import every

words = st.lists(st.sampled_from("头痛 发热 乏力 咳嗽 脾虚 湿盛".split()), max_size=5)
cases = st.lists(st.tuples(words, words), min_size=1, max_size=12)
MEASURES = dict(precision=set_precision, recall=set_recall, f1=set_f1, jaccard=set_jaccard)


def loop(t, p):
    t, p = set(t), set(p)
    h = len(t & p)
    if not t and not p: return dict.fromkeys(MEASURES, 1.)
    div = lambda a, b: a/b if b else math.nan
    return dict(precision=div(h, len(p)), recall=div(h, len(t)), f1=2*h/(len(t)+len(p)), jaccard=h/len(t | p))


@pytest.mark.later
@given(cases, st.data())
@settings(max_examples=80, deadline=None)
def test_sets(rows, data):
    t, p = map(list, zip(*rows))
    each = [loop(a, b) for a, b in rows]
    for k, f in MEASURES.items():
        v = np.array([o[k] for o in each])
        got = f(t, p, ci=None)
        assert math.isclose(got, np.nanmean(v), abs_tol=1e-12) if np.isfinite(v).any() else math.isnan(got)
        assert repr(f(*encode_sets(t, p))) == repr(f(t, p))
        order = data.draw(st.permutations(range(len(t))))
        assert math.isclose(f([t[i] for i in order], [p[i] for i in order]), got, abs_tol=1e-12) or math.isnan(got)
        w = np.array(data.draw(st.lists(st.integers(1, 3), min_size=len(t), max_size=len(t))))
        many = [i for i, m in enumerate(w) for _ in range(m)]
        assert math.isclose(f(t, p, sample_weight=w), f([t[i] for i in many], [p[i] for i in many]),
                            abs_tol=1e-12) or math.isnan(got)
    full = f(t, t)
    assert math.isclose(full, 1)
    micro = {k: f(t, p, average="micro", ci=None) for k, f in MEASURES.items()}
    if any(t) and any(p):
        # of a single column scikit-learn would make two classes
        b = MultiLabelBinarizer(classes="头痛 发热 乏力 咳嗽 脾虚 湿盛".split()).fit([])
        a, c = b.transform(t), b.transform(p)
        want = precision_recall_fscore_support(a, c, average="micro",
                                               zero_division=0)[:3]+(jaccard_score(a, c, average="micro",
                                                   zero_division=0),)
        np.testing.assert_allclose(list(micro.values()), want, atol=1e-12)
    half = len(t) // 2
    o, whole = (Overlap.of(t[:half], p[:half]).sum()+Overlap.of(t[half:], p[half:]).sum() if half
                else Overlap.of(t, p).sum()), Overlap.of(t, p).sum()
    assert (o.hits, o.true, o.pred) == (whole.hits, whole.true, whole.pred)
    s = set_overlap(t, p)
    assert math.isclose(s.exact, np.mean([set(a) == set(b) for a, b in rows]))
    assert all(v.lo <= v <= v.hi for v in s.values() if not math.isnan(v.lo))


@given(words, words)
@settings(max_examples=60, deadline=None)
def test_similarity_is_the_best_matching(t, p):
    like = lambda a, b: {"头痛发热": .5, "脾虚湿盛": .25}.get(a+b, .1)
    a, b = list(dict.fromkeys(t)), list(dict.fromkeys(p))
    sim = lambda x, y: 1. if x == y else max(like(x, y), like(y, x))
    short, long = sorted((a, b), key=len)
    best = max(sum(sim(x, y) for x, y in zip(short, o)) for o in itertools.permutations(long, len(short)))
    assert math.isclose(Overlap.of([t], [p], similarity=like).hits[0], best, abs_tol=1e-12)
    assert math.isclose(set_f1([t], [t], similarity=like, ci=None), 1)


def test_small_tests_of_the_definitions():
    elements = {"脾虚湿盛": ("脾虚", "湿盛")}
    assert set_jaccard([["脾虚湿盛"]], [["脾虚", "湿盛"]], normalise=elements, ci=None) == 1
    table = {"a": {"a": 1, "b": .2}, "b": {"a": .2, "b": 1}}
    # a mean over all pairs gives .6
    assert set_f1([["a", "b"]], [["a", "b"]], similarity=table, ci=None) == 1
    assert set_f1([["x"]], [["x"]], similarity={}, ci=None) == 1                                  # outside the table
    assert set_f1([[]], [[]], ci=None) == 1 and math.isnan(set_f1([[]], [[]], empty=math.nan))
    assert feature_match([{"头痛": "阳明头痛", "发热": "风热", "咳": "风寒"}], [{"头痛": "阳明头痛"}]).recall == 1/3   # answering 1 of 3
    assert tolerance_score([{"a": 3, "b": 3, "c": 3}], [{"a": 3}], ci=None) == 1/3                # one of three herbs
    assert tolerance_score([5], [10], ci=None) == tolerance_score([5], [2.5], ci=None) == 0       # twice is half
    assert tolerance_score([5], [2.5], error="relative", ci=None) == .625
    names = {a: [a] for a in ("舌苔", "舌苔颜色")}
    assert mentioned("舌苔颜色", names) == {"舌苔颜色"} and mentioned("未见面色描述", {"面色": ["面色"]}) == set()
    assert aspect_coverage(["清热"], ["不清热"]).coverage == 0 and aspect_coverage(["a"], ["A"]).coverage == 1
    # an empty phrase never hits
    assert mentioned("text", {"x": ""}) == set()
    assert set_jaccard([["浮", "数"]], ["浮数脉"], normalise={"浮数脉": ["浮", "数"]}, ci=None) == 1


def test_normalise_drops_and_splits():
    f = lambda o: None if o == "," else o.split("兼") if "兼" in o else o
    a, b = encode_sets([["浮兼数", ","], [","]], [["数", "浮"], ["沉"]], normalise=f)
    assert a.lengths.tolist() == [2, 0] and set_f1(a, b).n == 2 and Overlap.of(a, b).hits.tolist() == [2, 0]


def test_intervals_cover_and_never_collapse():
    rng, hit, m = np.random.default_rng(0), 0, 400
    v = [np.array(["a", "b", "c", "d"])[:k] for k in range(5)]
    truth = set_recall([list(v[4])]*5, [list(v[k]) for k in range(5)], ci=None)
    for _ in range(m):
        p = [list(v[k]) for k in rng.integers(0, 5, 40)]
        s = set_recall([list(v[4])]*40, p)
        hit += s.lo <= truth <= s.hi
    assert .92 < hit/m < .99
    s = set_f1([["a"]]*30, [["a"]]*30)
    assert s == 1 and .85 < s.lo < .9 and s.hi == 1
    rows = set_f1([["a"], ["b"]]*20, [["a"], ["c"]]*20)
    copies = set_f1([["a"], ["b"]]*100, [["a"], ["c"]]*100, groups=np.repeat(np.arange(40), 5).tolist())
    assert copies.groups == 40 and set_f1([["a"]]*4, [["a"]]*4, groups=[1, 1, 2, 2]).reason
    same = set_f1((([["a"], ["b"]]*20))*5, ([["a"], ["c"]]*20)*5, groups=np.tile(np.arange(40), 5))
    assert abs((same.hi-same.lo)/(rows.hi-rows.lo)-1) < .05      # copies are no new information
    assert set_f1([["a"]], [["a"]]).lo == accuracy([1], [1]).lo   # right or wrong: a share, as anywhere
    assert "too few" in set_f1([["a", "b"]], [["a"]]).reason


def test_labels_and_features():
    s = label_accuracy(["a", "b", "b"]*20, ["a", "b", None]*20, groups=np.repeat(np.arange(20), 3))
    assert (s.k, s.n, s.groups) == (40, 60, 20)
    assert label_accuracy(["Jue"], ["jue"], normalise=str.lower, ci=None) == 1
    r = feature_match([{"a": ["x", "y"], "b": "1"}, {"b": "2"}]*5, [{"a": ["y", "x"], "c": "9"}, {"b": ""}]*5,
                      groups=np.arange(10))
    assert (r.recall.k, r.recall.n, r.precision.k, r.precision.n) == (5, 15, 5, 10) and r.per_feature.b == 0
    assert feature_match([{"a": 1, "b": 2}], [{"a": 1}], features=["a"]).recall == 1
    assert feature_match([{}], [{}]).recall.reason and feature_match([{"a": 1}], [None]).recall == 0
    assert to_json(from_json(to_json(r))) == to_json(r)


def test_coverage():
    r = aspect_coverage([["a", "b"], ["b"]], [{"a": 1, "b": None}, ["b", "z"]])
    assert (r.coverage.k, r.coverage.n) == (2, 3) and r.per_aspect.b.n == 2
    r = aspect_coverage({"heat": ["清热", "泻火"], "poison": ["解毒"]}, ["黄芩苦寒，泻火", "清热解毒", ""])
    assert (r.coverage.k, r.coverage.n) == (3, 6) and r.per_aspect.heat.k == 2


@given(st.floats(.5, 50), st.floats(0, 100), st.sampled_from(["ratio", "relative"]))
@settings(max_examples=60, deadline=None)
def test_tolerance(r, p, error):
    s = tolerance_score([r], [p], error=error, ci=None)
    e = abs(p-r)/r if error == "relative" else (max(p/r, r/p)-1 if p else math.inf)
    assert math.isclose(s, 1 if e <= .2 else max(0, 1-(e-.2)/.8), abs_tol=1e-9)


def test_composite():
    parts = dict(a=Score(.8, .7, .9, n=50), b=.5, c=NotApplicable("no data"))
    w = dict(a=2, b=1, c=1, d=0)
    r = weighted_composite(parts, w)
    assert math.isclose(r.score, .7) and r.coverage == .75 and r.missing == "c, d" and math.isnan(r.score.lo)
    assert math.isclose(weighted_composite(dict(a=parts["a"]), dict(a=1)).score.lo, .7)
    assert "not measured: c, d" in weighted_composite(parts, w, strict=True).score.reason
    assert weighted_composite({}, w).score.reason == "nothing measured"
    assert weighted_composite(dict(a=Score(reason="no cases")), dict(a=1)).coverage == 0
    for s, v, words in (dict(z=1), w, "no weight for z"), ({}, dict(a=0), "all 0"), ({}, dict(a=-1, b=1), "weights"):
        with pytest.raises(ValueError, match=words): weighted_composite(s, v)


@every("call, words", [
    (lambda: set_f1([["a"]], [["a"], ["b"]]), "lengths"), (lambda: set_f1([], []), "empty"),
                       (lambda: set_f1([["a"], 3], [["a"], ["b"]]), "row 1"),
    (lambda: set_f1([[["a"]]], [["a"]]), "cannot be compared"),
                       (lambda: set_f1([["a"]], [["b"]], average="both"), "average"),
    (lambda: set_f1([["a"]], [["b"]], similarity=lambda a, b: 2), "between 0 and 1"),
                       (lambda: set_f1(encode_sets([["a"]])[0], encode_sets([["b"]])[0]), "one call"),
    (lambda: set_f1([["a"]], [["a"]], sample_weight=[0]), "sample_weight"),
                       (lambda: label_accuracy(["a", ""], ["a", "b"]), "row 1"),
                       (lambda: label_accuracy([], []), "empty"),
    (lambda: feature_match([["a"]], [{}]), "dictionary in row 0"), (lambda: feature_match([{}], []), "lengths"),
                       (lambda: aspect_coverage("abc", ["a"]), "list of aspects"),
    (lambda: aspect_coverage(["a"], []), "empty"), (lambda: tolerance_score([1, 0], [1, 1]), "row 1"),
                       (lambda: tolerance_score([1], [-1]), "row 0"),
    (lambda: tolerance_score([1], ["x"]), "row 0"), (lambda: tolerance_score([1], [1], tolerance=1), "zero_at"),
                       (lambda: tolerance_score([1], [1], error="log"), "error")])
def test_bad_input(call, words):
    with pytest.raises(ValueError, match=words): call()
