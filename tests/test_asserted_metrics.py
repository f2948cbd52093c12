"Metrics against values worked out another way, where options meet and at the edges"
import inspect
import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from mic_eval.metrics import accuracy_difference, mcnemar, wilcoxon


def t_level(df, level=.95):
    "The level at which a normal interval is as wide as one of t with `df` degrees of freedom"
    return 2*stats.norm.cdf(stats.t.ppf((1+level)/2, df))-1


def sides(d):
    "Truths, calls of A and of B, and groups of two rows: in group i A is right `d[i]` rows more often than B"
    d = np.repeat(np.asarray(d), 2)
    one, odd = np.ones(len(d), int), np.arange(len(d)) % 2
    return one, np.where((d < -odd) & (d < 0), 0, 1), np.where((d > odd) & (d > 0), 0, 1), np.arange(len(d))//2


@pytest.mark.parametrize("d", [d for d in product([-1, 0, 1, 2], repeat=5) if any(d)][::29])
def test_no_p_of_groups_is_below_that_of_all_siding_with_one_model(d):
    "Of whole groups signs are exchanged: of k that differ, 2 of 2**k ways are as one-sided as can be"
    y, a, b, groups = sides(d)
    assert np.bincount(groups, (a == y)*1-(b == y)).tolist() == list(d)
    least = 2/2**np.count_nonzero(d)
    assert least-1e-12 <= mcnemar(y, a, b, groups=groups).p <= 1
    for alternative, share in (("two-sided", 1), ("less", .5), ("greater", .5)):
        assert wilcoxon(a, b, groups=groups, alternative=alternative).p >= least*share-1e-12


@pytest.mark.parametrize("G", [5, 6, 12])
def test_where_all_groups_side_with_one_model_p_is_what_a_coin_leaves(G):
    "Five groups of five were p=0, which five coins show once in sixteen times"
    y, a, b, groups = sides([1]*G)
    r = mcnemar(y, a, b, groups=groups)
    assert (r.statistic, r.p) == (G, pytest.approx(2/2**G))
    x = np.r_[1.:G+1]
    for alternative, p in (("two-sided", 2/2**G), ("greater", 1/2**G)):
        assert wilcoxon(x, 0*x, groups=np.arange(G), alternative=alternative).p >= p
    assert wilcoxon(x, 0*x, groups=np.arange(G), alternative="less").p > .95


@pytest.mark.parametrize("n", [6, 11, 24])
def test_the_limits_of_a_shift_are_where_the_signed_ranks_pass_their_normal_limit(n):
    "Hodges and Lehmann, Ann. Math. Stat. 1963;34:598: a shift is inside where the test does not reject it"
    d = np.random.default_rng(n).normal(.3, 1, n)
    e, limit = wilcoxon(d, np.zeros(n)).effect, stats.norm.ppf(.975)*math.sqrt(n*(n+1)*(2*n+1)/6)
    def statistic(shift): return float(np.sign(d-shift) @ stats.rankdata(np.abs(d-shift)))
    i, j = np.triu_indices(n)
    averages = np.sort((d[i]+d[j])/2)
    steps = [(averages[0]-1), *(averages[1:]+averages[:-1])/2, averages[-1]+1]   # between two averages nothing changes
    inside = [s for s in steps if abs(statistic(s)) <= limit]
    assert e.lo < min(inside) and max(inside) < e.hi
    assert sum(e.lo < a < e.hi for a in averages) == len(inside)-1 and float(e) == pytest.approx(np.median(averages))


def test_groups_of_one_row_change_an_interval_of_accuracies_by_t_alone():
    "Tango, Stat. Med. 1998;17:891, at an effective n that is the number of rows"
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 30)
    a, b = (np.where(rng.random(30) < miss, 1-y, y) for miss in (.1, .4))
    one, plain = accuracy_difference(y, a, b, groups=np.arange(30)), accuracy_difference(y, a, b, ci=t_level(29))
    assert (one.lo, one.hi) == pytest.approx((plain.lo, plain.hi), abs=1e-9)
    assert (float(one), one.groups) == (float(plain), 30)


@pytest.mark.parametrize("n, m", [(7, 7), (70, 70), (7, 12), (65, 130)])
@pytest.mark.parametrize("orders", ["CC", "FF", "CF"])
@pytest.mark.parametrize("d", [1, 11])
def test_wasserstein_of_any_layout_is_that_of_each_column(n, m, orders, d):
    from mic_eval.metrics import wasserstein
    rng = np.random.default_rng(n+m+d)
    x, y = (np.array(rng.normal(size=(o, d)).round(1), order=order) for o, order in zip((n, m), orders))
    each = [stats.wasserstein_distance(a, b) for a, b in zip(x.T, y.T)]
    assert wasserstein(x, y, per_feature=True) == pytest.approx(each, abs=1e-12)
    assert float(wasserstein(x, y)) == pytest.approx(np.mean(each))


def test_one_bad_column_is_named_by_its_rows():
    from mic_eval.metrics import wasserstein
    x, y = np.zeros((4, 2)), np.ones((4, 2))
    y[2, 1] = math.nan
    for options in ({}, dict(per_feature=True)):
        with pytest.raises(ValueError, match="^y .*2"): wasserstein(x, y, **options)


def test_psi_where_many_rows_share_the_least_value_by_counting():
    "Below it, at it, and between quantiles are bins of their own; shares of counts with a half added"
    from mic_eval.metrics import psi
    x, y = np.array([0]*6+[1, 2, 3, 4.]), np.array([-1, -1, 0, 0, 1, 2, 2, 3, 4, 9.])
    ends = np.quantile(x, [.25, .5, .75])   # 0, 0, 1.75
    bins = [lambda v: v < 0, lambda v: v == 0, lambda v: 0 < v <= ends[2], lambda v: v > ends[2]]
    p, q = (np.array([sum(map(b, o))+.5 for b in bins]) for o in (x, y))
    p, q = p/p.sum(), q/q.sum()
    assert float(psi(x, y, bins=4)) == pytest.approx(((p-q)*np.log(p/q)).sum())


def test_neighbours_of_each_feature_are_those_of_that_column_alone():
    from mic_eval.metrics.marginals import symmetric_kl
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(30, 3)), rng.normal(.5, 1, (20, 3))
    each = [float(symmetric_kl(a, b, method="knn", k=3)) for a, b in zip(x.T, y.T)]
    assert symmetric_kl(x, y, method="knn", k=3, per_feature=True) == pytest.approx(each)
    for k, defined in ((19, True), (20, False)): assert symmetric_kl(x, y, method="knn", k=k).defined == defined


@pytest.mark.parametrize("trade", [.25, 1, 4])
@pytest.mark.parametrize("sign", [1, -1])
def test_deming_is_the_first_axis_of_stretched_points_and_leaves_groups_out(trade, sign):
    "With errors of one size in both directions the line is the first principal axis"
    from mic_eval.metrics.regression import deming
    rng = np.random.default_rng(8)
    x = rng.normal(size=30)
    y, groups = sign*2*x+rng.normal(size=30), np.arange(30)//3
    x = x+rng.normal(0, .4, 30)

    def line(x, y):
        x, y = x, y/math.sqrt(trade)
        axis = np.linalg.eigh(np.cov(x, y))[1][:, 1]
        slope = axis[1]/axis[0]*math.sqrt(trade)
        return slope, y.mean()*math.sqrt(trade)-slope*x.mean()
    left = np.array([line(x[groups != g], y[groups != g]) for g in range(10)])
    half = stats.t.ppf(.975, 9)*np.sqrt(9/10*((left-left.mean(0))**2).sum(0))
    for s, v, h in zip(deming(x, y, ratio=trade, groups=groups).values(), line(x, y), half):
        assert (float(s), s.lo, s.hi) == pytest.approx((v, v-h, v+h))


@pytest.mark.parametrize("name", ["stuart_maxwell", "bowker", "cochran_q", "kappa_standard_error"])
def test_groups_that_all_say_the_same_have_no_p(name):
    "Two of these ended in a ZeroDivisionError, one in p=0: there is no spread to measure them by"
    from mic_eval.metrics import agreement, paired
    groups, a, b, y = np.repeat(np.arange(6), 4), *(np.tile(o, 6) for o in ([0, 1, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1]))
    pair = (y, y, b) if name == "cochran_q" else (a, b)
    r = getattr(agreement, name, getattr(paired, name, None))(*pair, groups=groups)
    why = r.p.reason if name == "kappa_standard_error" else r.reason
    assert math.isnan(r.p) and why == "every group says the same"


@pytest.mark.parametrize("together, units", [(1, 24), (4, 6)])
def test_a_model_that_is_always_right_beside_one_that_never_is_leaves_to_chance_what_coins_leave(together, units):
    "Kappa is 1 and -1 in each group: nothing varies, and that was p=0"
    from mic_eval.metrics.agreement import kappa_difference
    y = np.tile([0, 1], 12)
    r = kappa_difference(y, y, 1-y, groups=None if together == 1 else np.arange(24)//together)
    assert (float(r.effect), r.p) == (2, pytest.approx(2/2**units))


@pytest.mark.parametrize("models", [2, 3])
def test_hotellings_p_over_groups_is_not_below_that_of_one_order_in_all_groups(models):
    "Models change names in whole groups: of models!**groups ways, models! are as uniform"
    from mic_eval.metrics import cochran_q
    right = np.repeat([[1]*(models-1)+[0]], 24, 0)
    right[0] = 1   # a group that differs a little, so that there is a spread
    r = cochran_q(np.ones(24, int), *right.T, groups=np.repeat(np.arange(6), 4))
    assert r.p == pytest.approx(math.factorial(models)**-5.) if models == 2 else r.p >= math.factorial(models)**-5.


def scores(o, path=""):
    "`(path, Score)` of everything in an answer"
    from mic_eval.core.results import Score
    if isinstance(o, Score): yield path, o
    elif isinstance(o, dict):
        for k, v in o.items(): yield from scores(v, f"{path}.{k}")


def poor(kind, n, rng):
    "Rows of a kind of argument in which little varies, if anything; None of other kinds"
    ways = {"class": lambda: [rng.integers(0, 2, n), np.zeros(n, int), np.ones(n, int)],
            "prob": lambda: [rng.random(n).round(1), np.full(n, .5), *(rng.choice(o, n) for o in ([0, 1], [.25, .75]))],
            "score": lambda: [rng.normal(size=n).round(1), np.full(n, 2.), rng.choice([0., 1.], n)],
            "ratings": lambda: [rng.integers(0, 2, (n, 3)), np.zeros((n, 3), int)],
            "table": lambda: [rng.normal(size=(n, 3)), np.tile(rng.normal(size=(n, 1)), 3)],
            "sample": lambda: [rng.normal(size=(n, 2)).round(), np.ones((n, 2))]}
    ways |= dict(number=ways["score"], weight=ways["prob"])
    if kind not in ways: return None
    found = ways[kind]()
    return found[rng.integers(len(found))]


def poor_calls(seed):
    "Every metric on 3 to 40 rows of which groups may all be copies of one"
    from test_bad_input import CASES
    rng = np.random.default_rng(seed)
    for name, (call, args) in CASES.items():
        rows, copies = rng.integers(1, 6), rng.integers(3, 9)
        alike = rng.random() < .4
        given = {k: poor(kind, rows if alike else rows*copies, rng) for k, (_, kind) in args.items()}
        if any(v is None for v in given.values()): continue
        if alike: given = {k: np.concatenate([v]*copies) for k, v in given.items()}
        takes, more = inspect.signature(call).parameters, {}
        if "groups" in takes and rng.random() < .8: more["groups"] = np.repeat(np.arange(copies), rows)
        if "sample_weight" in takes and rng.random() < .3: more["sample_weight"] = rng.choice([0., 1., 2.], rows*copies)
        yield name, call, given | more


# limits that are scores of rows, or shares of few
STEPS = "best_threshold threshold_at conformal_coverage".split()


@pytest.mark.later
@pytest.mark.parametrize("seed", [*range(12), *(pytest.param(s, marks=pytest.mark.later) for s in range(12, 60))])
@pytest.mark.filterwarnings("error", "ignore::DeprecationWarning")
def test_where_little_varies_an_answer_is_an_error_or_nan_or_an_interval_with_a_width(seed):
    "Five groups that are copies of one have no interval of 0.95 (0.95-0.95), nor one upside down"
    met = 0
    for name, call, given in poor_calls(seed):
        try: answer = call(**given)
        except ValueError as e:
            assert "\n" not in str(e)
            continue
        for path, s in scores(answer):
            met += 1
            assert s.defined or s.reason, (name, path, given)
            if math.isnan(s.lo) or math.isnan(s.hi): continue
            assert s.lo-1e-9 <= s <= s.hi+1e-9, (name, path, s, given)
            assert name in STEPS or s.lo < s.hi, (name, path, s, given)
    assert met > 40


def test_a_rate_that_is_nothing_or_all_has_wilsons_limits_at_both_ends():
    "Of twelve positives none is found at this specificity: the rows drawn again gave 0.000 (0.000-0.000)"
    from mic_eval.core.intervals import wilson
    from mic_eval.metrics import fpr_at, sensitivity_at
    y, upside_down = np.repeat([0, 1], 12), np.r_[np.arange(12.)+20, np.arange(12.)]
    for s, value in ((sensitivity_at(y, upside_down, specificity=.9), 0), (fpr_at(y, upside_down), 1)):
        assert (s, s.lo, s.hi) == (value, *map(pytest.approx, wilson(12*value, 12, .95)))


def test_a_calibrated_coin_may_hide_an_error():
    from mic_eval.metrics import ece_smooth
    y = np.tile([0, 1], 12)
    s = ece_smooth(y, np.full(24, .5))
    assert s == 0 and .1 < s.hi < .4
    sure = ece_smooth(np.zeros(32, int), np.resize([.25, .75, .75], 32))   # of these errors none can be larger
    assert sure.lo < sure-.05 and sure.hi == pytest.approx(float(sure))


def test_limits_of_an_intercept_are_in_order_left_of_zero_and_none_around_it():
    "Passing and Bablok, J. Clin. Chem. Clin. Biochem. 1983;21:709: the line at 0 by the limits of the slope"
    from mic_eval.metrics.regression import passing_bablok
    rng = np.random.default_rng(6)
    x = rng.uniform(1, 9, 30)
    y = x+rng.normal(size=30)
    right, left, around = (passing_bablok(o, y) for o in (x, x-10, x-5))
    assert right.intercept.lo < right.intercept < right.intercept.hi
    assert left.intercept.lo < left.intercept < left.intercept.hi
    assert math.isnan(around.intercept.lo) and around.intercept.reason == "x lies on both sides of 0"
    turned = passing_bablok(10-x, 10-y)   # the same line seen from the other side
    assert (turned.slope.lo, turned.slope.hi) == pytest.approx((right.slope.lo, right.slope.hi))


@pytest.mark.parametrize("above", [[0, 0, 0, 0], [1, 0, 0, 0], [1, 1, 1, 1]])
def test_a_bias_that_is_the_same_in_every_group_is_known_as_well_as_from_so_many_pairs(above):
    "Six isolates that agree in every repeat: 0 % (0-0) left no doubt"
    from mic_eval.core.intervals import newcombe_paired
    from mic_eval.mic import bias
    s, A = bias(np.tile(above, 6), np.zeros(24), groups=np.repeat(np.arange(6), 4)), 6*np.mean(above)
    assert (s, s.lo, s.hi) == (np.mean(above), *map(pytest.approx, newcombe_paired(0, A, 0, 6-A, .95)))
    assert s.hi-s.lo > .3
