"What the room of domains computes, against values found another way: brute force, textbook estimators, exact limits"
import math

import numpy as np
import pandas as pd
import pytest

from mic_eval.core.results import NotApplicable, Result, Score
from mic_eval.domain import effect, leave_out, prior, show, sites
from mic_eval.domain.sites import SiteData

NB = "\N{NO-BREAK SPACE}"


def hospitals(x, y=None, per=20):
    n = len(x)
    return SiteData(np.asarray(x, float).reshape(n, -1), np.arange(n) % 2 if y is None else np.asarray(y),
                    np.repeat([f"h{i}" for i in range(n//per)], per), tuple(
                        f"f{i}" for i in range(np.asarray(x).reshape(n, -1).shape[1])), np.arange(n).astype(str))


# hospitals as units

def test_a_gain_without_an_interval_hides_no_spread_between_hospitals():
    "Hedges and Olkin: the variance of the gains less the mean sampling variance, 0 where that is below"
    values = [0., -.3, .2, -.25, .1, -.1]
    gains = {f"h{i}": Score(v, v-.0196, v+.0196, n=9, level=.95) if i else Score(v, n=9, reason="nobody changes")
             for i, v in enumerate(values)}
    found = effect.over_centres(gains)
    tau2 = np.var(values, ddof=1)-5/6*.01**2
    assert found.tau == pytest.approx(math.sqrt(tau2), rel=1e-4) and math.isnan(found.i2)
    s2 = np.var(values, ddof=1)/6
    assert found.next_centre.hi-found.next_centre == pytest.approx(2.776445*math.sqrt(tau2+s2), rel=1e-4)   # t of 4
    still = effect.over_centres({k: Score(.1, n=9, reason="nobody changes") for k in gains})
    assert still.tau == pytest.approx(0, abs=1e-9) and still.next_centre.lo == pytest.approx(.1)
    wide = {k: Score(float(g), float(g)-3, float(g)+3, n=9, level=.95) if i else g
            for i, (k, g) in enumerate(gains.items())}
    assert effect.over_centres(wide).tau == 0   # what sampling explains is no spread


def test_dersimonian_and_lairds_spread_and_higgins_share():
    "Written as sums, by hand: six gains of 1 to 6 hundredths, and unequal weights"
    g, sd = np.array([.1, .3, -.2, .05, .4, .0]), np.array([.05, .1, .05, .2, .1, .02])
    found = effect.over_centres({str(i): Score(a, a-1.959963985*s, a+1.959963985*s, level=.95)
                                 for i, (a, s) in enumerate(zip(g, sd))})
    w = sd**-2.
    q = sum(wi*(gi-sum(w*g)/sum(w))**2 for wi, gi in zip(w, g))
    assert found.i2 == pytest.approx((q-5)/q) and found.worst_site == "2" and found.centres == 6
    assert found.tau**2 == pytest.approx((q-5)/(sum(w)-sum(w**2)/sum(w)))
    assert found.mean.hi-found.mean == pytest.approx(2.570582*np.std(g, ddof=1)/math.sqrt(6), rel=1e-6)   # t of 5
    same = effect.over_centres({str(i): Score(.2, .2-s, .2+s, level=.95) for i, s in enumerate(sd)})
    assert same.i2 == same.tau == 0


@pytest.mark.parametrize("gain, p, said", [
    (Score(.1, .05, .15), .049, "helps"), (Score(-.1, -.15, -.05), .049, "negative transfer"),
    (Score(.1, .05, .15), .05, "not shown"), (Score(.0, -.019, .019), .5, "no difference"),
    (Score(.0, -.02, .019), .5, "not shown"), (Score(.0, -.019, .02), .5, "not shown"),
    (Score(0., n=3, reason="no patient's value changes"), 1., "no difference"),
    (Score(.1, n=3, reason="too few groups"), math.nan, "not evaluated"), (Score(np.nan), .001, "not evaluated")])
def test_a_verdict_at_its_limits(gain, p, said):
    "Open at alpha and at the margin: neither p = .05 nor a limit of .02 is enough"
    assert effect.gain_verdict(gain, p, .02) == said


def test_the_margin_of_a_metric_nobody_has_set_decides_nothing():
    assert effect.margin_of("net_benefit_0.2") == effect.MARGINS["net_benefit"] and effect.margin_of("slope") == .1
    assert math.isnan(effect.margin_of("kappa"))
    assert effect.gain_verdict(Score(0., -1e-9, 1e-9), .5, effect.margin_of("kappa")) == "not shown"


@pytest.mark.parametrize("a, b, cov", [
    (1., 2., (.01, .002, .02)), (-1., 2., (.05, -.01, .03)), (.2, -3., (.2, .1, .4))])
def test_fiellers_limits_are_where_the_difference_is_as_far_from_nothing_as_z(a, b, cov):
    "The limits r are the ratios with (a - r b)**2 = z**2 Var(a - r b), between which lies a/b"
    vaa, vab, vbb = cov
    lo, hi = effect.fieller(a, b, vaa, vab, vbb, .9)
    assert lo < a/b < hi
    for r in (lo, hi): assert (a-r*b)**2 == pytest.approx(1.6448536**2*(vaa-2*r*vab+r*r*vbb))
    assert np.isnan(effect.fieller(a, b, vaa, vab, b*b/1.96**2*1.1)).all()   # the gap could be 0


@pytest.mark.parametrize("visits", [1, 2])
def test_the_share_of_a_gap_in_brier_scores_by_the_sums_over_patients(visits):
    "Each patient's rows added up, variances by the products of what patients add to both sums"
    rng = np.random.default_rng(0)
    n = 120
    y = np.repeat(rng.integers(0, 2, n//visits), visits)
    best, q = np.clip(.8*y+.1, 0, 1)+rng.normal(0, .02, n), np.full(n, .5)+rng.normal(0, .1, n)
    p, who = (q+best)/2, np.repeat(np.arange(n//visits), visits)
    found = effect.gap_closed(y, p, q, best, metric="brier", groups=who if visits > 1 else None)
    gain, gap = (q-y)**2-(p-y)**2, (q-y)**2-(best-y)**2
    G, each = n//visits, np.array([gain-gain.mean(), gap-gap.mean()]).reshape(2, n//visits, visits).sum(2)
    V = each @ each.T*G/(G-1)/n**2
    lo, hi = effect.fieller(gain.mean(), gap.mean(), V[0, 0], V[0, 1], V[1, 1])
    assert (float(found), found.lo, found.hi) == pytest.approx((gain.mean()/gap.mean(), lo, hi))
    turned = effect.gap_closed(y, p, best, q, metric="brier")
    assert isinstance(turned, NotApplicable)   # the source is better than the target: nothing to close
    assert isinstance(effect.gap_closed(y, p, q, q, metric="brier"), NotApplicable)


def test_ranks_of_methods_over_hospitals_with_doing_nothing_among_them():
    "Five hospitals by hand: b best in all, a worse than nothing in four; who saw labels and who failed once stay out"
    gains = dict(a=[-1, -1, -1, -1, 1], b=[2, 2, 2, 2, 2], labelled=[9]*5, once=[5, None, 5, 5, 5])
    def one(v, uses): return Result(gain=Result(roc_auc=Score(v/10, v/10-.01, v/10+.01, n=9)), p=Result(roc_auc=.5),
                                    p_holm=Result(roc_auc=.5), verdict=Result(roc_auc="helps"), uses=uses)
    of = Result((f"h{i}", Result((m, one(v[i], "labels" if m == "labelled" else "nothing"))
                                 for m, v in gains.items() if v[i] is not None)) for i in range(5))
    found = effect.rank_methods(of)
    assert found.centres == 5 and {k: round(float(v), 6) for k, v in found.mean_ranks.items()} == {
        "source only": 2.2, "a": 2.8, "b": 1.}
    rows = show.rank_rows(found, say=str)
    assert [r[:3] for r in rows] == [["b", "1.00", "5"], ["source only", "2.20", "5"], ["a", "2.80", "5"]]
    from scipy.stats import friedmanchisquare
    p = friedmanchisquare([0]*5, gains["a"], gains["b"]).pvalue
    assert float(found.friedman.p) == pytest.approx(p, abs=.05) and rows[0][3] == f"{found.friedman.p:.3f}"
    four = effect.rank_methods(Result(list(of.items())[:4]))
    assert isinstance(four.friedman, NotApplicable) and four.centres == 4 and four.mean_ranks["b"] == 1
    alone = effect.rank_methods(Result(list(of.items())[:1]))
    assert alone.centres == 1 and not alone.mean_ranks and isinstance(alone.nemenyi, NotApplicable)


def test_a_picture_of_what_was_removed_shows_every_method():
    import matplotlib.pyplot as plt
    names = [f"m{i}" for i in range(9)]
    rows = [dict(site=s, method=m, measure="domain_auc", left=.1*i) for s in "AB" for i, m in enumerate(names)]
    rows += [dict(site="A", method="m0", measure="mmd2", left=.9)]
    of = Result(A=Result((m, Result(gain=Result(brier=Score(.01*i)))) for i, m in enumerate(names)), B=Result())
    ax = effect.removal_plot(pd.DataFrame(rows), of)
    shown = [o.get_text() for o in ax.get_legend().get_texts()]
    assert shown == [*names, "A", "B"]
    at = {(round(float(o.get_xdata()[0]), 6), round(float(o.get_ydata()[0]), 6)) for o in ax.lines
          if len(o.get_xdata()) == 1}
    assert at == {(round(1-.1*i, 6), round(.01*i, 6)) for i in range(9)}
    plt.close("all")


def test_a_discriminant_that_tells_two_sets_apart_has_the_least_p_and_a_set_and_itself_has_none():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(25, 2)), rng.normal(4, 1, size=(35, 2))
    assert effect.told_apart_p(x, y, n_permutations=39) == 1/40
    assert effect.told_apart_p(x, x.copy(), n_permutations=39) > .3
    assert math.isnan(effect.told_apart_p(x, y, n_permutations=0))
    again = [effect.told_apart_p(1000*x[:, :1]+5, 1000*y[:, 1:]+5, n_permutations=19, seed=s) for s in (0, 0, 1)]
    assert again[0] == again[1] and set(again) == {.05}


# prevalence

def test_the_likeliest_prevalence_is_where_saerens_steps_end():
    "EM as printed: posteriors under the present prevalence, then their mean, a thousand times"
    rng = np.random.default_rng(0)
    ratio = np.exp(rng.normal(size=(3, 40))*[[1], [2], [.5]]+[[.3], [-.5], [0]])
    w = rng.integers(0, 4, ratio.shape)
    for weight in (None, w):
        for r, own, found in zip(ratio, np.ones_like(w) if weight is None else w, prior.best_prevalence(ratio, weight)):
            pi = .5
            for _ in range(5000):
                post = pi*r/(pi*r+1-pi)
                pi = (own*post).sum()/own.sum()
            assert found == pytest.approx(pi, abs=2e-4)
    assert prior.best_prevalence([2., 3.]) == pytest.approx(1) and prior.best_prevalence([.5, .9]) == pytest.approx(0)


def test_black_box_shift_estimation_solves_the_confusion_matrix():
    "Lipton, Wang and Smola: the source's rates, transposed, times the target's classes are the target's calls"
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 200)
    ls, lt = 2*y-1+rng.normal(size=200), rng.normal(.5, 1.5, 90)
    ls[:3], lt[:5] = 0, 0   # a tie calls 1
    C = np.array([[((ls >= 0) == j)[y == k].mean() for k in (0, 1)] for j in (0, 1)])
    want = np.linalg.solve(C, [(lt < 0).mean(), (lt >= 0).mean()])
    found = prior.prevalence_interval(ls, y, lt, method="bbse", n_resamples=20)
    odds = [v/(1-v) for v in (found.lo, float(found), found.hi)]
    assert found == pytest.approx(want[1]) and odds[0]*odds[2] == pytest.approx(odds[1]**2) and odds[0] < odds[1]
    assert found.n == 90 and found.level == .95
    far = prior.prevalence_interval(ls, y, np.full(50, 9.), method="bbse", n_resamples=20)
    assert far > 1 and math.isnan(far.lo) and "outside" in far.reason


def test_weighted_logistic_lines_are_those_of_repeated_rows():
    from sklearn.linear_model import LogisticRegression
    rng = np.random.default_rng(2)
    x = rng.normal(size=60)
    y, w = (x+rng.normal(size=60) > .4).astype(float), rng.integers(0, 4, (2, 60))
    for found, count in zip(prior._line(x, y, w.astype(float)), w):
        line = LogisticRegression(C=np.inf, tol=1e-10).fit(np.repeat(x, count)[:, None], np.repeat(y, count))
        assert found == pytest.approx([line.intercept_[0], line.coef_[0, 0]], abs=1e-4)


def test_the_nearest_mixture_of_two_classes_by_looking_at_every_place():
    rng = np.random.default_rng(3)
    a, b, t = rng.normal(1, 1, 17), rng.normal(-1, 1, 23), rng.normal(.2, 1, 12).round(1)
    def distance(share):
        def below(o, v): return np.mean(o <= v)
        return max(abs(below(t, v)-share*below(a, v)-(1-share)*below(b, v)) for v in (*a, *b, *t))
    every = [distance(i/100) for i in range(101)]
    d, share = prior.mixture_distance(a, b, t)
    assert d == pytest.approx(min(every)) and every[round(100*share)] == pytest.approx(d)
    assert prior.mixture_distance(a, b, a) == (0, 1) and prior.mixture_distance(a, b, b) == (0, 0)


def test_a_corrected_probability_has_the_odds_of_the_new_prevalence():
    "Logits move by the difference of the log-odds of both prevalences, however far; the source is left alone"
    rng = np.random.default_rng(4)
    y = (np.arange(400) < 200).astype(int)
    z = rng.normal(2*y-1, 1)
    true = 1/(1+np.exp(-2*z))   # two normals one apart on each side: calibrated at one half
    keep = (y == 1) | (rng.random(400) < .25)
    found = prior.PriorShift(n_resamples=60).fit(true, true[keep], y)
    assert found.reason_ == "" and found.source_prior_ == .5
    there = float(found.prior_)
    assert there == pytest.approx(y[keep].mean(), abs=.06) and found.prior_.lo < y[keep].mean() < found.prior_.hi
    p = np.array([.1, .5, .9])
    calibrated = np.asarray(found.calibrate_(p), float)
    odds = calibrated/(1-calibrated)*there/(1-there)
    assert found.transform(p) == pytest.approx(odds/(1+odds))
    assert (found.transform(p, "source") == p).all()
    other = prior.PriorShift(n_resamples=60).fit(true, np.full(60, .999), y)
    assert other.reason_ and (other.transform(p) == p).all()
    for how, outcome, says in (("sgd", y, "em or bbse"), ("em", y[:9], "rows"), ("em", np.ones(400), "one class only")):
        with pytest.raises(ValueError, match=says): prior.PriorShift(how).fit(true, true, outcome)


# tables of hospitals

def test_exactly_as_much_as_was_asked_is_another_unit():
    x = np.linspace(1, 1.25, 21)
    for times, found in ((2.75, False), (3, True), (3.25, True)):
        data = hospitals(np.r_[x, times*x], per=21)
        assert bool(sites.apart_in_scale(data)) == found
        if found: assert sites.apart_in_scale(data)[0][2] == np.median(x)
    few = np.r_[np.tile(x[:9], 3), 10*np.tile(x[:9], 3)]   # nine values repeat: a scale, and no measurement
    assert not sites.apart_in_scale(hospitals(few, per=27))
    ten = np.r_[np.tile(x[:10], 3), 10*np.tile(x[:10], 3)]
    assert sites.apart_in_scale(hospitals(ten, per=30))
    assert not sites.apart_in_scale(hospitals(np.r_[x, -10*x], per=21))
    three = sites.apart_in_scale(hospitals(np.r_[10*x, x, 11*x], per=21))
    assert three[0][1] == ("h1",) and three[0][3] == ("h0", "h2")


def test_zeros_stand_for_gaps_where_everything_else_is_further_away_than_it_is_wide():
    x = np.linspace(10, 12, 39)
    def found(v): return sites.zero_features(hospitals(np.r_[v, 0.]))
    assert found(x) == found(-x) == ["f0"]
    assert found(np.linspace(.5, 12, 39)) == [] and found(np.linspace(-3, 3, 39)) == []
    assert found(np.resize(x[:9], 39)) == [] and found(np.resize(x[:10], 39)) == ["f0"]
    assert sites.zero_features(hospitals(np.r_[x, 11.])) == []
    data = hospitals(np.c_[np.r_[x, 0], np.arange(40.)])
    empty = sites.empty_zeros(data)
    assert np.isnan(empty.X[39, 0]) and np.isnan(empty.X).sum() == 1 and data.X[39, 0] == 0
    assert np.isnan(sites.empty_zeros(data, ["f1"]).X).sum() == 1


def test_whoever_is_called_otherwise_is_another_table():
    "Tables of patients are kept under this name: with other names the kept ones say who nobody is"
    from dataclasses import replace
    data = hospitals(np.arange(40.))
    changed = [replace(data, **k) for k in (
        dict(ids=np.char.add("p", data.ids)), dict(classes=("well", "ill")), dict(features=("g",)), dict(X=data.X+1),
        dict(sites=data.sites[::-1].copy()), dict(y=1-data.y), dict(patients=data.ids))]
    assert len({o.content_hash for o in (data, *changed)}) == 8
    assert replace(data, name="other").content_hash == data.content_hash


def test_a_preparation_is_that_of_the_sources_alone():
    X = np.array([[1., 5, np.nan, 2], [3, 5, np.nan, np.nan], [8, 5, np.nan, 4]])
    ready = sites.Preparation.fit(X)
    assert ready.kept.tolist() == [True, False, False, True] and ready.median.tolist() == [3, 3]
    out = ready([[np.nan, 1, 1, 3], [4, 2, 2, np.nan]])
    assert out[0] == pytest.approx([(3-4)/np.std([1, 3, 8]), 0]) and out[1] == pytest.approx([0, 0])
    with pytest.raises(ValueError, match="no feature varies"): sites.Preparation.fit(np.ones((4, 2)))


# leaving hospitals out

def test_halves_are_balanced_and_no_patient_is_in_both():
    y = np.array([0]*7+[1]*4+[-1]*3)
    for seed in range(5):
        half = leave_out.halves(y, seed)
        for c, n in ((0, 7), (1, 4), (-1, 3)): assert abs(2*half[y == c].sum()-n) <= 1
    assert (leave_out.halves(y, 0) != leave_out.halves(y, 1)).any()
    who = np.repeat([f"p{i}" for i in range(20)], 3)
    half = leave_out.halves(np.tile([0, 0, 1], 20), 0, who).reshape(20, 3)
    assert (half == half[:, :1]).all() and half[:, 0].sum() == 10


def test_two_sided_p_and_limits_of_mean_gains_are_counted_in_the_draws():
    "The draws made again, one by one, with a patient's rows taken together"
    from mic_eval.core.resample import draw_counts
    rng = np.random.default_rng(0)
    v, who = rng.normal(.2, 1, 24), np.repeat(np.arange(12), 2)
    for groups, G in ((None, 24), (who, 12)):
        w = draw_counts(G, 99, np.random.default_rng(5))
        means = [np.repeat(v, c if groups is None else np.repeat(c, 2)).mean() for c in w]
        s, p = leave_out.mean_gains(dict(a=v), n_resamples=99, groups=groups, seed=5, level=.9)["a"]
        assert (s.lo, s.hi) == pytest.approx(tuple(np.quantile(means, [.05, .95]))) and s == pytest.approx(v.mean())
        assert p == pytest.approx(2*(1+min(sum(m <= 0 for m in means), sum(m >= 0 for m in means)))/100)
    s, p = leave_out.mean_gains(dict(a=v), groups=np.arange(24) // 6)["a"]
    assert math.isnan(s.lo) and math.isnan(p) and s.groups == 4 and "too few" in s.reason
    same = leave_out.mean_gains(dict(none=np.zeros(9), all=np.ones(9)))
    assert same["none"][1] == 1 and math.isnan(same["all"][1]) and math.isnan(same["all"][0].lo)


def test_a_slope_on_the_other_side_of_one_is_as_far_away():
    "The distance from 1 of an interval: 0 where it holds 1, else its nearer end"
    for lo, hi, want in ((.5, .8, (.2, .5)), (1.2, 1.5, (.2, .5)), (.7, 1.2, (0, .3)), (.9, 1.4, (0, .4)),
                         (1., 1.2, (0, .2)), (.7, 1., (0, .3))):
        d, a, b = leave_out._off_one(Score((lo+hi)/2, lo, hi))
        assert (a, b) == pytest.approx(want) and d == pytest.approx(abs((lo+hi)/2-1))


def test_sources_are_drawn_within_hospitals_and_patients_stay_whole():
    where, who = np.repeat(["a", "b"], [12, 8]), np.repeat([f"p{i}" for i in range(10)], 2)
    y = np.arange(20) % 2
    for seed in range(4):
        rows = leave_out.drawn_sources(y, where, seed=seed)
        assert (where[rows] == "a").sum() == 12 and (where[rows] == "b").sum() == 8 and len(set(rows)) < 20
        rows = leave_out.drawn_sources(y, where, patients=who, seed=seed)
        assert len(rows) == 20 and (np.bincount(rows, minlength=20).reshape(10, 2).std(1) == 0).all()
    rare = np.zeros(20, int)
    rare[3] = 1
    assert all(3 in leave_out.drawn_sources(rare, where, seed=s) for s in range(6))
    with pytest.raises(ValueError, match="one class only"): leave_out.drawn_sources(np.zeros(3, int), where[:3])


@pytest.mark.parametrize("folds", [None, np.tile([0, 1], 8)])
def test_gains_of_draws_are_those_of_rows_that_stand_several_times(folds):
    from sklearn.metrics import brier_score_loss, roc_auc_score
    rng = np.random.default_rng(1)
    y, P, Q = np.repeat([0, 1], 8), rng.random((16, 3)).round(1), rng.random((16, 3)).round(1)
    w = rng.integers(1, 3, (3, 16))
    found = leave_out._gains_of_draws(y, P, Q, w, (.3,), folds)
    def area(y, p, f):
        if f is None: return roc_auc_score(y, p)
        pairs = [[(y[f == k] == 1).sum()*(y[f == k] == 0).sum(), roc_auc_score(y[f == k], p[f == k])] for k in (0, 1)]
        return sum(a*b for a, b in pairs)/sum(a for a, _ in pairs)
    for b in range(3):
        rows = np.repeat(np.arange(16), w[b])
        t, p, q, f = y[rows], P[rows, b], Q[rows, b], None if folds is None else folds[rows]
        assert found["roc_auc"][b] == pytest.approx(area(t, p, f)-area(t, q, f))
        assert found["brier"][b] == pytest.approx(brier_score_loss(t, q)-brier_score_loss(t, p))
        assert found["accuracy"][b] == pytest.approx(((p >= .5) == t).mean()-((q >= .5) == t).mean())


def test_doubt_of_the_training_is_told_from_twenty_trainings_on():
    rng = np.random.default_rng(2)
    y, Q = np.repeat([0, 1], 20), rng.random((40, 25)).clip(.1, .9)
    P = .7*Q+.3*y[:, None]
    P[:, :5] = np.nan
    gains = dict(brier=Score(.05, n=40), slope=Score(.1, n=40))
    found = leave_out.refit_gains(y, P, Q, gains, level=.9)
    assert found.trainings == 20 and found.failed == 5 and set(found.gain) == {"brier"}
    s = found.gain.brier
    assert s.lo+s.hi == pytest.approx(.1) and 0 < found.training.brier <= 1
    sd = (s.hi-s.lo)/2/1.6448536
    assert found.p.brier == pytest.approx(math.erfc(.05/sd/math.sqrt(2)))
    P[:, 5] = np.nan
    assert "only 19 trainings" in leave_out.refit_gains(y, P, Q, gains).reason
    four = leave_out.refit_gains(y, Q, Q, gains, groups=np.arange(40) % 4)
    assert "too few" in four.reason and not four.gain
    fixed = leave_out.refit_gains(y, np.tile(P[:, 9:10], 25), np.tile(Q[:, 9:10], 25), gains)
    assert fixed.training.brier == pytest.approx(0, abs=1e-12)   # the same training each time


# rows of a report

MINUS = "\N{MINUS SIGN}"


@pytest.mark.parametrize("s, said", [
    (Score(.0126, -.004, .03), f"+0.013 ({MINUS}0.004 to +0.030)"), (Score(-.5), f"{MINUS}0.500"),
    (Score(np.nan), "–"), (NotApplicable("why"), "–"), (Score(0., 0, 0), "+0.000 (+0.000 to +0.000)")])
def test_a_gain_is_written_with_its_sign(s, said): assert show.signed(s) == said


def test_shares_of_a_gap_are_written_in_percent():
    of = Result(A=Result(m=Result(uses="nothing", gap_closed=Result(
        roc_auc=Score(.25, -.1, .6), brier=NotApplicable("no gap to close"))), seen=Result(
            uses="labels", gap_closed=Result(roc_auc=Score(1.), brier=Score(1.))), bare=Result(uses="nothing")),
        B=NotApplicable("no labelled patient"), C=Result(m=Result(uses="nothing", gap_closed=Result(
            roc_auc=Score(.5), brier=Score(-.5)))))
    assert show.gap_closed_rows(of) == [
        ["A", "m", f"25{NB}% ({MINUS}10 to 60)", "no gap to close"], ["C", "m", f"50{NB}%", f"-50{NB}%"]]


def test_gaps_are_shown_where_there_are_any():
    found = Result(missing=pd.DataFrame(dict(site=["A", "B"], age=[0., 0], bmi=[0, .125], crp=[.5, 1.])))
    assert show.gap_rows(found) == [["bmi", f"0{NB}%", f"12{NB}%"], ["crp", f"50{NB}%", f"100{NB}%"]]
    assert show.gap_rows(Result(missing=pd.DataFrame(dict(site=["A"])))) == []


def test_what_is_left_of_a_distance_is_a_dash_where_nothing_was_there():
    row = dict(site="A", method="m", measure="domain_auc", before=.9, after=.6, p_before=.01, p_after=.2, left=.25)
    t = pd.DataFrame([row, row | dict(measure="mmd2"), row | dict(site="B", left=np.nan)])
    assert show.left_rows(Result(removed=t)) == [
        [site, "m", "0.900", "0.010", "0.600", "0.200", left] for site, left in (("A", f"25{NB}%"), ("B", "–"))]
    assert show.left_rows(Result(removed=pd.DataFrame())) == []


def test_every_gain_stands_in_the_forest_at_its_place_in_its_colour():
    from mic_eval.core.plots import GREEN, RED
    import matplotlib.pyplot as plt
    from matplotlib.colors import to_hex
    def one(v, lo, hi, said): return Result(gain=Result(brier=Score(v, lo, hi)), verdict=Result(brier=said))
    of = Result(A=Result(up=one(.2, .1, .3, "helps"), down=one(-.2, -.3, -.1, "negative transfer"),
                         gone=NotApplicable("judged on other patients")),
                B=Result(up=one(.0, np.nan, np.nan, "no difference"),
                         last=one(np.nan, np.nan, np.nan, "not evaluated")),
                C=NotApplicable("no labelled patient"))
    axs = show.gain_forest(of)
    assert [a.get_title() for a in axs] == ["A", "B"] and axs[0].get_ylim() == (2.5, -.5)
    assert [t.get_text() for t in axs[0].get_yticklabels()] == ["up", "down", "last"]
    dots = [[(float(o.get_xdata()[0]), o.get_ydata()[0], to_hex(o.get_color())) for o in a.lines
             if o.get_marker() == "o"] for a in axs]
    assert dots == [[(.2, 0, to_hex(GREEN)), (-.2, 1, to_hex(RED))], [(0., 0, "#777777")]]
    bars = [[list(map(float, o.get_xdata())) for o in a.lines if o.get_marker() != "o"][1:] for a in axs]
    assert bars == [[[.1, .3], [-.3, -.1]], []]
    plt.close("all")
