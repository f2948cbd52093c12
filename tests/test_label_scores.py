"Several labels a row, ranks, relative errors and power against scikit-learn, scipy and simulation."
import numpy as np
import pytest
import sklearn.metrics as sk
from scipy import stats

from mic_eval import metrics as M
from mic_eval.metrics.confusion import f_beta_metric, jaccard
from mic_eval.metrics.multiclass import (
    coverage_error, label_ranking_average_precision, label_ranking_loss, over_label_scores)
from mic_eval.metrics.multiclass import over_labels, pairwise_auc, top_k_accuracy
from mic_eval.metrics.power import (
    auc_difference_power, paired_t_power, pilot_auc_power, rate_power, sample_size, solved_for)
from mic_eval.metrics.regression import (
    explained_variance, mean_absolute_percentage_error, pinball_loss, rank_correlation)

rng = np.random.default_rng(0)
n = 90
y = (rng.random((n, 5)) < [.5, .3, .4, .2, .6])*1
y[0], y[1] = 1, 0   # rows of every label, and of none
s, w, g = rng.normal(y).round(1), rng.random(n)+.1, np.arange(n)//3
p = (s > .5)*1


@pytest.mark.parametrize("average", ["macro", "weighted", "micro"])
@pytest.mark.parametrize("weight", [None, w])
def test_scores_and_calls_of_labels_like_scikit_learn(average, weight):
    how = dict(average=average, sample_weight=weight)
    assert over_label_scores(M.roc_auc, y, s, **how) == pytest.approx(sk.roc_auc_score(y, s, **how))
    assert over_label_scores(M.average_precision, y, s, **how) == pytest.approx(sk.average_precision_score(y, s, **how))
    ours, theirs = over_labels(f_beta_metric(.5), y, p, **how), sk.fbeta_score(y, p, beta=.5, **how)
    assert ours == pytest.approx(theirs) and ours.lo < ours < ours.hi
    assert over_labels(jaccard, y, p, **how) == pytest.approx(sk.jaccard_score(y, p, **how))
    assert over_labels(M.recall, y, p, **how) == pytest.approx(sk.recall_score(y, p, **how))


def test_means_over_rows_like_scikit_learn():
    both = (y.sum(1) > 0) & (y.sum(1) < 5)
    ours = over_label_scores(M.roc_auc, y, s, average="samples")
    assert ours == pytest.approx(sk.roc_auc_score(y[both], s[both], average="samples")) and ours.n == both.sum()
    for f, theirs in ((label_ranking_loss, sk.label_ranking_loss), (coverage_error, sk.coverage_error),
                      (label_ranking_average_precision, sk.label_ranking_average_precision_score)):
        for weight in (None, w):
            assert f(y, s, sample_weight=weight) == pytest.approx(theirs(y, s, sample_weight=weight))
        one, many = f(y, s), f(np.repeat(y, 4, 0), np.repeat(s, 4, 0), groups=np.repeat(np.arange(n), 4))
        assert many == pytest.approx(float(one)) and many.hi-many.lo == pytest.approx(one.hi-one.lo, rel=.1)
        with pytest.raises(ValueError, match="y_true has 5 labels, y_score 4"): f(y, s[:, :4])


def test_the_mean_over_labels_is_covered():
    draws, covered, widths = np.random.default_rng(1), 0, []
    truth = stats.norm.cdf(1/2**.5)
    for _ in range(200):
        t = (draws.random((60, 4)) < .4)*1
        shared = draws.normal(size=(60, 1))
        a = over_label_scores(M.roc_auc, t, t+.7*shared+.51**.5*draws.normal(size=(60, 4)))
        covered += a.lo <= truth <= a.hi
        widths.append(a.hi-a.lo)
    assert covered >= 182 and np.mean(widths) < .2   # of 200, as 95 % asks


def test_top_k_and_jaccard_of_each_class():
    c, q, prob = rng.integers(0, 4, n), rng.integers(0, 4, n), rng.random((n, 4))
    assert list(map(float, jaccard(c, q, average=None).values())) == pytest.approx(sk.jaccard_score(c, q, average=None))
    each = top_k_accuracy(c, prob, k=2, average=None)
    hit = (prob >= np.sort(prob, 1)[:, [2]])[np.arange(n), c]
    assert [float(v) for v in each.values()] == pytest.approx([hit[c == i].mean() for i in range(4)])
    assert top_k_accuracy(c, prob, k=2, average="macro") == pytest.approx(np.mean([float(v) for v in each.values()]))
    assert top_k_accuracy(c, prob, k=2) == pytest.approx(sk.top_k_accuracy_score(c, prob, k=2))


def test_one_score_of_several_classes_by_pairs():
    c = rng.integers(0, 3, 60)
    one = rng.normal(c).round(1)
    pairs = [sk.roc_auc_score(c[k] == j, one[k]) for i, j in ((0, 1), (0, 2), (1, 2)) for k in [(c == i) | (c == j)]]
    a = pairwise_auc(c, one)
    assert a == pytest.approx(np.mean(pairs)) and a.lo < a < a.hi
    two = pairwise_auc(c[c < 2], one[c < 2])
    assert two == pytest.approx(float(M.roc_auc(c[c < 2], one[c < 2])))
    assert pairwise_auc([0, 2], [.1, .2]).reason == "a class has no rows"


def test_ranks_and_relative_errors_like_scipy_and_scikit_learn():
    a, b = rng.gamma(2, 1, n).round(1)+.1, rng.gamma(2, 1, n).round(1)+.1
    assert rank_correlation(a, b) == pytest.approx(stats.spearmanr(a, b).statistic)
    assert rank_correlation(a, b, method="kendall") == pytest.approx(stats.kendalltau(a, b).statistic)
    for weight in (None, w):
        how = dict(sample_weight=weight)
        theirs = sk.mean_absolute_percentage_error(a, b, **how)
        assert mean_absolute_percentage_error(a, b, **how) == pytest.approx(theirs)
        assert pinball_loss(a, b, alpha=.8, **how) == pytest.approx(sk.mean_pinball_loss(a, b, alpha=.8, **how))
        assert explained_variance(a, b, **how) == pytest.approx(sk.explained_variance_score(a, b, **how))
    with pytest.raises(ValueError, match="y_true is 0 in row 1"): mean_absolute_percentage_error([1, 0], [1, 1])
    draws, covered = np.random.default_rng(2), 0
    for _ in range(200):
        x = draws.multivariate_normal([0, 0], [[1, .6], [.6, 1]], 40)
        r = rank_correlation(*x.T)
        covered += r.lo <= 6/np.pi*np.arcsin(.3) <= r.hi   # Spearman's rho of a normal pair
    assert covered >= 181


def test_power_is_solved_for_any_argument():
    dz = solved_for("dz", paired_t_power, between=(0, 2), n=40)
    assert paired_t_power(40, dz=dz) == pytest.approx(.8) and sample_size(paired_t_power, dz=dz) in (40, 41)
    b = solved_for("auc_b", auc_difference_power, between=(.8, .99), n=300, auc_a=.8)
    assert auc_difference_power(300, auc_a=.8, auc_b=b) == pytest.approx(.8)
    limit = solved_for("limit", rate_power, between=(.02, .3), n=200, rate=.01)
    assert rate_power(200, rate=.01, limit=limit) >= .8
    with pytest.raises(ValueError, match="does not lie between"):
        solved_for("dz", paired_t_power, between=(0, .1), n=10)


def test_a_pilot_knows_how_often_the_test_would_reject():
    draws, k = np.random.default_rng(3), 4000
    t = draws.integers(0, 2, k)
    x = draws.normal(t)
    a, b = x+.3*draws.normal(size=k), x+draws.normal(size=k)
    power = pilot_auc_power(150, y_true=t, score_a=a, score_b=b)
    hits = 0
    for _ in range(300):
        i = draws.integers(0, k, 150)
        hits += M.delong_test(t[i], a[i], b[i]).p < .05
    assert power == pytest.approx(hits/300, abs=.09)
    with pytest.raises(ValueError, match="rank the pilot alike"): pilot_auc_power(100, y_true=t, score_a=a, score_b=2*a)
