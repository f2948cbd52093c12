"What a number rests on: points that are fractions, small n, orders that are known, numbers too large to tell apart."
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mic_eval import metrics as M
from mic_eval.core.checks import class_order
from mic_eval.core.evidence import shaken_copies
from mic_eval.core.predictions import Predictions
from mic_eval.metrics.delong import delong_test, delong_unpaired
from mic_eval.metrics.overlap import set_overlap
from mic_eval.metrics.text_overlap import points_score
from mic_eval.report.views import oddities
from mic_eval.run.evaluation import make_run


def test_points_and_sets_have_one_interval():
    rng = np.random.default_rng(0)
    true = [set(rng.choice(20, 5, replace=False).tolist()) for _ in range(80)]
    said = [set(rng.choice(20, 6, replace=False).tolist()) for _ in range(80)]
    o = set_overlap(true, said)
    each = [2*len(t & s)/(len(t)+len(s)) for t, s in zip(true, said)]
    p = points_score(each)
    assert (p.lo, p.hi, float(p)) == pytest.approx((o.f1.lo, o.f1.hi, float(o.f1)))
    g = np.arange(80)//4
    p, o = points_score(each, g), set_overlap(true, said, groups=g)
    assert (p.lo, p.hi, p.method) == (o.f1.lo, o.f1.hi, o.f1.method)
    right = (rng.random(80) < .9)*1.   # rows that are right or wrong stay a share
    assert points_score(right).method == "wilson" and points_score(right).hi == M.accuracy(np.ones(80, int), right).hi


def test_fractions_are_as_doubtful_as_they_vary():
    rng, covered = np.random.default_rng(1), 0
    for _ in range(200):
        s = points_score(rng.beta(20, 80, 100))
        covered += s.lo <= .2 <= s.hi
    assert covered >= 186 and s.hi-s.lo < .03   # a binomial interval would be .16 wide


def areas(rng, n, up, k, tie=.5):
    y = np.r_[np.ones(up, int), np.zeros(n-up, int)]
    shared = rng.normal(size=n)
    def scores(): return 1.19*y+tie**.5*shared+(1-tie)**.5*rng.normal(size=n)
    return y, [scores() for _ in range(k)]


def test_unpaired_delong_is_student_s():
    "As R's pROC: t with Satterthwaite's degrees of freedom of the rows of both sets"
    rng = np.random.default_rng(3)
    (y, (a,)), (z, (b,)) = areas(rng, 30, 12, 1), areas(rng, 24, 9, 1)
    t = delong_unpaired(y, a, z, b)
    def variance(y, s):
        wins = (s[y == 1][:, None] > s[y == 0])+.5*(s[y == 1][:, None] == s[y == 0])
        return wins.mean(1).var(ddof=1)/(y == 1).sum()+wins.mean(0).var(ddof=1)/(y == 0).sum()
    v, w = variance(y, a), variance(z, b)
    df = (v+w)**2/(v*v/29+w*w/23)
    assert t.p == pytest.approx(2*stats.t.sf(abs(float(t.difference))/(v+w)**.5, df))
    assert t.p > 2*stats.norm.sf(abs(t.statistic)) and t.p.method == f"DeLong, t({df:.4g})"


def test_identical_curves_have_a_statistic():
    y, (a, b, c) = areas(np.random.default_rng(4), 40, 20, 3)
    assert delong_test(y, a, a).statistic == 0 and delong_test(y, a, a, a).statistic == 0
    assert delong_test(y, a, a).p == delong_test(y, a, a, a).p == 1


def test_four_models_of_few_rows_keep_their_level():
    rng = np.random.default_rng(5)
    p = [float(delong_test(*_flat(areas(rng, 60, 10, 4))).p) for _ in range(250)]
    assert np.mean(np.array(p) < .05) <= .08   # the chi-square of Wald rejects 9 in 100; the truth is 3


def _flat(o): return o[0], *o[1]


def test_whole_numbers_beyond_a_float_do_not_tie():
    big = 2**53
    with pytest.raises(ValueError, match=r"y_score is a whole number beyond 2\^53 in row 1"):
        M.roc_auc([0, 1, 0, 1], [big, big+1, big+2, big+4])
    assert M.roc_auc([0, 1, 0, 1], [big, big+2, big+4, big+8]) == .75
    with pytest.raises(ValueError, match="beyond 2"): M.roc_auc([0, 1], [2**70, 2**70+1])


def test_a_class_order_needs_no_labels():
    kind = pd.CategoricalDtype(["no growth", "growth"], ordered=True)
    rng = np.random.default_rng(6)
    y, p, s = rng.integers(0, 2, 50), rng.integers(0, 2, 50), rng.random(50)
    names = np.array(["no growth", "growth"])
    Y, P = (pd.Series(names[o], dtype=kind) for o in (y, p))
    assert M.sensitivity(Y, P) == M.sensitivity(y, p) and M.roc_auc(Y, s) == M.roc_auc(y, s)
    assert M.sensitivity(Y, names[p]) == M.sensitivity(y, p)   # one of them knows
    assert M.mcnemar(Y, P, names[y]).b == M.mcnemar(y, p, y).b
    assert M.roc_curve(Y, s).y.tolist() == M.roc_curve(y, s).y.tolist()
    turned = P.astype(pd.CategoricalDtype(["growth", "no growth"], ordered=True))
    with pytest.raises(ValueError, match="two orders"): M.accuracy(Y, turned)
    with pytest.raises(ValueError, match="text: say labels"): M.accuracy(Y.astype(object), P.astype(object))
    with pytest.raises(ValueError, match="text: say labels"):   # alphabetical order is nobody's
        M.accuracy(pd.Categorical(names[y]), pd.Categorical(names[p]))
    with pytest.raises(ValueError, match="not among labels"): M.accuracy(Y, p)   # names beside numbers
    assert class_order([1, 0], None) is None


def test_folds_with_scales_of_their_own_do_not_matter():
    rng = np.random.default_rng(7)
    y, f, g = rng.integers(0, 2, 120), np.arange(120) % 3, np.arange(120)//6
    s, other = rng.normal(y), rng.normal(y)
    moved = s*np.array([1, 5, .1])[f]+np.array([0, 9, -4])[f]
    for groups in (None, g):
        a, b = M.roc_auc(y, s, strata=f, groups=groups), M.roc_auc(y, moved, strata=f, groups=groups)
        assert (float(a), a.lo, a.hi, a.method) == pytest.approx((float(b), b.lo, b.hi, b.method))
        t, u = (delong_test(y, o, other, strata=f, groups=groups) for o in (s, moved))
        assert float(t.p) == pytest.approx(float(u.p))
    inside = [(s[f == k][y[f == k] == 1][:, None] > s[f == k][y[f == k] == 0]).ravel() for k in range(3)]
    assert M.roc_auc(y, s, strata=f) == pytest.approx(np.concatenate(inside).mean())
    assert delong_test(y, s, moved, strata=f).p == 1 and delong_test(y, s, moved).p < 1
    one = M.roc_auc(y, s, strata=np.zeros(120))
    assert one == pytest.approx(float(M.roc_auc(y, s))) and one.lo == pytest.approx(M.roc_auc(y, s).lo)
    assert M.roc_auc(y, s, strata=y).reason == "no stratum holds both classes"
    with pytest.raises(ValueError, match="compares no pairs"): M.average_precision(y, s, strata=f)
    with pytest.raises(ValueError, match="no sample_weight here"):
        M.roc_auc(y, s, strata=f, sample_weight=np.arange(120)+1)


def test_a_map_of_each_half_is_no_negative_transfer():
    from mic_eval.domain.leave_out import gain_of
    rng = np.random.default_rng(8)
    for _ in range(20):
        y, half = rng.integers(0, 2, 100), np.arange(100) % 2
        q = np.clip(.5+.2*rng.normal(y-.5), .01, .99)
        p = np.where(half == 1, q/(q+3*(1-q)), q)   # odds by a third: another prevalence
        gain, chance = gain_of(y, p, q, folds=half, n_resamples=50)["roc_auc"]
        assert gain == 0 and chance == 1


def test_bounds_of_bins_are_no_interval():
    from mic_eval.core.results import Result, Score
    from mic_eval.report.blocks import parts, score_table
    bounds = Score(.81, .81, .8104, n=64, method="bounds of the binning", level=1.)
    value, between, n, how = parts(bounds)
    assert between == "" and how == "bounds of the binning: 0.810 to 0.810"
    page = str(score_table(Result(pixels=bounds, images=Score(.9, .8, .95, n=64, method="logit-DeLong"))))
    row = page[page.index("bounds of the binning")-300:]
    assert "0.810 to 0.810" not in row[:280]   # not in the column of intervals


def test_counting_says_what_was_counted(tmp_path):
    from mic_eval.anomaly.evaluate_maps import evaluate_anomaly
    from mic_eval.anomaly.maps import AnomalyMaps
    rng = np.random.default_rng(9)
    label = np.repeat([0, 1], 10)
    table = AnomalyMaps(np.arange(20).astype(str), label, score=rng.random(20))
    assert evaluate_anomaly(table, score="given").settings.counting == "no pixels"


def test_copies_of_a_table_are_looked_for_once(monkeypatch):
    "Of a million rows it takes seconds; the facts, the questions and what a clock says need them"
    import mic_eval.core.evidence as evidence
    from mic_eval.core.tables import read_predictions
    from mic_eval.run.evaluation import findings
    rng, asked, look = np.random.default_rng(0), [], evidence._copies
    y = rng.integers(0, 2, 300)
    p = read_predictions(pd.DataFrame(dict(sample_id=range(300), y_true=y, y_prob=rng.random(300))))
    monkeypatch.setattr(evidence, "_copies", lambda table: asked.append(table) or look(table))
    findings(p)
    assert len(asked) == 1 and not asked[0]._copies.flags.writeable


@pytest.mark.parametrize("length", [8, 16, 32])
def test_a_stretch_of_rows_is_known_where_it_stands_twice_and_nothing_else(length):
    "Rows so common that no fewer of them can be believed: 2 log n + log 1e6 is asked of a stretch"
    from mic_eval.core.evidence import pasted_again
    for n, found in ((2*length, True), (2*length-1, False)):
        codes = np.arange(n) % length
        asked = (2*np.log(n)+np.log(1e6))/length
        first = codes if found else np.arange(n)
        assert (pasted_again(codes, np.full(n, asked+1e-9)) == first).all()
        assert (pasted_again(codes, np.full(n, asked-1e-9)) == np.arange(n)).all()


@pytest.mark.parametrize("noise, met", [(2e-13, True), (2e-11, False)])
def test_scores_alike_to_twelve_digits_are_alike(noise, met):
    from mic_eval.core.evidence import _more_than_chance
    r = np.random.default_rng(0)
    s = np.repeat(r.uniform(.1, .9, 40).round(11), 3)   # none at the edge of a digit
    assert _more_than_chance(s+noise*r.uniform(-1, 1, 120)) == met


@pytest.mark.parametrize("times", [2, 3, 5])
@pytest.mark.parametrize("noise", [0, 1e-7])
def test_rows_in_clusters_are_copies_of_their_first(times, noise):
    "Copies to the last digit and copies shaken alike"
    from mic_eval.core.evidence import _in_clusters
    r = np.random.default_rng(times)
    order, y = r.permutation(np.repeat(np.arange(60), times)), r.integers(0, 2, 60)
    x = r.random((60, 2))[order]+noise*r.normal(size=(60*times, 2))
    first = np.array([np.flatnonzero(order == k)[0] for k in order])
    assert (_in_clusters(x, y[order]) == first).mean() > (.999 if not noise else .9)


def test_scores_of_few_bits_and_whole_multiples_stand_on_a_grid():
    from mic_eval.core.evidence import _on_a_grid
    r = np.random.default_rng(4)
    any_ = np.unique(r.random(200))
    short = (any_.astype(np.float32).view(np.uint32) & 0xFFFF0000).view(np.float32)   # bfloat16
    odds = np.arange(-60, 61)*.05
    for s, grid in ((any_.astype(np.float16), True), (short, True), (np.arange(1, 90)/91, True),
                    (1/(1+np.exp(-odds)), True), (any_.astype(np.float32), False), (any_, False),
                    (np.unique(any_.round(3)), False)):   # digits are no other grid
        assert _on_a_grid(np.unique(s.astype(float))) == grid


HONEST = dict(
    anywhere=lambda r, n: r.random(n), extreme=lambda r, n: r.beta(.3, .3, n),
    saturated=lambda r, n: np.clip(r.normal(.5, 2, n), 1e-9, 1-1e-9),
    single=lambda r, n: (1/(1+np.exp(-r.normal(0, 8, n)))).astype(np.float32).astype(float),
    half=lambda r, n: (1/(1+np.exp(-r.normal(0, 3, n)))).astype(np.float16).astype(float),
    two_digits=lambda r, n: r.random(n).round(2), four_digits=lambda r, n: r.random(n).round(4),
    tree=lambda r, n: r.integers(0, 7, n)/7, forest=lambda r, n: r.binomial(100, .3, n)/100,
    tiny=lambda r, n: 10**-r.uniform(0, 12, n), few_inputs=lambda r, n: r.integers(0, n, n)/n,
    few_inputs_unlike_to_the_last_digit=lambda r, n: r.integers(0, n//2, n)/n+r.normal(0, 1e-9, n),
    calls=lambda r, n: r.integers(0, 2, n)*.9+.05)


@pytest.mark.later
@pytest.mark.parametrize("name", HONEST)
def test_no_honest_table_looks_shaken(name):
    "Scores as they come, alone, beside those of another model, and as three classes"
    for seed, n in enumerate((60, 300, 2000, 10_000)):
        r = np.random.default_rng(seed)
        s, y = HONEST[name](r, n), r.integers(0, 2, n)
        for other in (r.permutation(s), s+r.normal(0, .004, n), s):
            p, q = (Predictions(np.arange(n).astype(str), y, np.clip(o, 0, 1)) for o in (s, other))
            assert (shaken_copies([p, q]) == np.arange(n)).all(), n
        assert (shaken_copies([p]) == np.arange(n)).all(), n


@pytest.mark.parametrize("times, by", [(2, 1e-6), (5, 1e-5), (20, 1e-4)])
def test_shaken_rows_in_any_order_are_known_by_two_columns(times, by):
    r = np.random.default_rng(times)
    y, order = np.tile(r.integers(0, 2, 200), times), r.permutation(200*times)
    s = np.tile(r.random((200, 2)), (times, 1))+r.normal(0, by, (200*times, 2))
    p, q = (Predictions(np.arange(len(y)).astype(str), y[order], np.clip(s[order, k], 0, 1)) for k in (0, 1))
    kept = (shaken_copies([p, q]) == np.arange(len(y))).sum()
    assert 180 <= kept <= 230


def test_names_that_differ_only_in_case_or_width_are_said(tmp_path):
    y = np.arange(120) % 2
    t = pd.DataFrame(dict(sample_id=[f"s{i}" for i in range(120)], y_true=y, y_prob=.2 + .6*y,
                          site=np.array(["Basel", "basel", "Bern"])[np.arange(120) % 3],
                          patient=np.where(np.arange(120) < 2, ["P 1", "P1"]*60, np.arange(120).astype(str))))
    t.to_csv(tmp_path/"rows.csv", index=False)
    run = make_run(predictions=tmp_path/"rows.csv", out=tmp_path/"run")
    assert run.result.data.alike == [["patient", "P 1", "P1"], ["site", "Basel", "basel"]]
    assert [*oddities(run.result.data)] == [
        "patient: 'P 1' and 'P1' count as two; if they are one, write them alike.",
        "site: 'Basel' and 'basel' count as two; if they are one, write them alike."]
