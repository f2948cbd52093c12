"""Every limit of an option: the last value that is taken, and the first that is refused, one step of a float apart"""
import math

import numpy as np
import pandas as pd
import pytest
from every import every

import mic_eval.metrics as M
from mic_eval.core.intervals import proportion
from mic_eval.core.predictions import Predictions
from mic_eval.data.benchmark import k_centre
from mic_eval.data.inputs import data_set
from mic_eval.data.scenes import training_wells
from mic_eval.data.set_quality import mic_misread, near_hashes
from mic_eval.data.wells import draw_scene
from mic_eval.metrics.conformal import conformal_scores, interval_coverage
from mic_eval.metrics.distances import mmd2, subsample
from mic_eval.metrics.marginals import symmetric_kl
from mic_eval.metrics.noninferiority import margin_verdict
from mic_eval.metrics.power import (auc_difference_power, auc_power, auc_size, design_effect, equivalence_power,
                                    friedman_power, paired_t_power, precision_size, rate_power, sample_size,
                                    solved_for, trials_for_limit)
from mic_eval.metrics.ranks import critical_difference
from mic_eval.metrics.raters import leave_one_reader_out
from mic_eval.metrics.regression import pinball_loss
from mic_eval.metrics.roc_and_pr import fpr_at, threshold_at
from mic_eval.metrics.uncertainty import conformal_quantile
from mic_eval.metrics.utility import harm_of, less_harm, net_benefit, net_benefit_difference
from mic_eval.mic.attacked_mics import attacked_series
from mic_eval.mic.decisions import referral_curve
from mic_eval.mic.ecoff import ecoff_finder, ecoff_percentile
from mic_eval.mic.mixture import ecoff_mixture
from mic_eval.mic.precision import qc_check, trend
from mic_eval.mic.safety import expected_harm
from mic_eval.mic.series import read_series
from mic_eval.mic.turbidity import growth_detection, psychometric
from mic_eval.model.efficiency import time_quantile
from mic_eval.model.predict import predict

rng = np.random.default_rng(5)
n = 60
p = rng.random(n)
y = (rng.random(n) < p)*1
q = np.clip(p+rng.normal(0, .1, n), 0, 1)
a, b = rng.normal(size=n), rng.normal(size=n)
drift = rng.normal(size=(40, 2)), rng.normal(.5, 1, (40, 2))
table = Predictions(np.arange(n).astype(str), y, p)
attacked = Predictions(np.array(["a", "b"]), [0, 1], np.array([.1, .9]), facts=pd.DataFrame(
    dict(series=["s", "s"], concentration=[2., 1.], flip_distance=[.5, .5])))
MICS = np.repeat(["0.25", "0.5", "1", "2", "8"], [9, 30, 25, 8, 4])
PICTURES = data_set(rng.random((3, 16, 16)))


def turbid(density):
    "Wells with one of this optical density"
    od = np.r_[density, np.geomspace(.01, 1, n-1)]
    return Predictions(np.arange(n).astype(str), (od > .05)*1, p, facts=pd.DataFrame(dict(optical_density=od)))
benefit = net_benefit(y, p, threshold=.2)


def above(v): return math.nextafter(v, math.inf)
def below(v): return math.nextafter(v, -math.inf)


def held(call, word, limits):
    taken, refused = limits
    for v in taken: call(v)
    for v in refused:
        with pytest.raises(ValueError, match=word): call(v)


OPEN = [1e-6, 1-1e-6], [0, 1, -1, 2]                # between 0 and 1, without them
SHARE = [0, 1], [below(0.), above(1.)]              # with them
POSITIVE = [above(0.)], [0, -1]


@every("call, word, limits", [
    (lambda v: proportion(v, 5), "k must lie", ([0, 5], [-1, 6])),
    (lambda v: table.at(v), "threshold must lie", SHARE),
    (lambda v: M.f_beta(y, q > .5, beta=v), "beta must be positive", ([.01], [0, -1])),
    (lambda v: M.risk_comparison(v, 9, 3, 9), "events must lie", ([0, 9], [-1, 10])),
    (lambda v: M.risk_comparison(0, v, 3, 9), "events must lie", ([1], [0])),
    (lambda v: net_benefit(y, p, threshold=v), "threshold must", ([0, below(1.)], [1, below(0.)])),
    (lambda v: net_benefit(y, p, threshold=.2, harm=v), "harm must lie", ([0, below(1.)], [below(0.), 1])),
    (lambda v: less_harm(benefit, v), "harm must lie", ([0, below(1.)], [below(0.), 1])),
    (lambda v: net_benefit_difference(y, p, q, threshold=.2, harm=v), "harm must lie",
     ([above(-1.), below(1.)], [-1, 1])),
    (harm_of, "tests must be above 1", ([above(1.)], [1, 0, -5])),
    (lambda v: margin_verdict(M.accuracy(y, q > .5), v), "margin must be above 0", POSITIVE),
    (lambda v: leave_one_reader_out(rng.random((v, 9))),
     "needs three readers", ([3], [2])),
    (lambda v: trials_for_limit(v), "limit must lie", ([.001, .999], [0, 1])),
    (lambda v: sample_size(paired_t_power, dz=.5, target=v), "target must lie", ([.1, .999], [0, 1])),
    (lambda v: solved_for("dz", paired_t_power, between=(0, 40), n=9, target=v), "target must lie", ([.1], [0, 1])),
    (lambda v: precision_size(.5, v), "half_width must lie", ([.49, .01], [0, .5])),
    (lambda v: auc_size(.8, v), "half_width must lie", ([.49, .01], [0, .5])),
    (lambda v: auc_size(v, .1), "auc must be at least 0.5", ([.5, .999], [below(.5), 1])),
    (lambda v: auc_size(.8, .1, prevalence=v), "prevalence must lie", ([.01, .99], [0, 1])),
    (lambda v: auc_power(100, auc=.8, limit=v), "limit must lie", ([.1, below(.8)], [0, .8])),
    (lambda v: auc_difference_power(100, auc_a=.7, auc_b=.8, correlation=v), "correlation must be",
     ([0, .99], [below(0.), 1])),
    (lambda v: equivalence_power(100, p_b=.1, p_c=.1, margin=v), "margin must be above 0", POSITIVE),
    (lambda v: friedman_power(5, models=v, w=.2), "two models", ([2], [1])),
    (lambda v: design_effect(v, .1), "group_size must be at least 1", ([1], [below(1.)])),
    (lambda v: rate_power(100, rate=v, limit=.5), "rate must lie", SHARE),
    (lambda v: symmetric_kl(*drift, bins=v), "bins must be at least 2", ([2], [1, 2.5])),
    (lambda v: symmetric_kl(*drift, pseudo=v), "pseudo must not be negative", ([0], [below(0.)])),
    (lambda v: symmetric_kl(*drift, bins=[-9, v, 9]), "bins must be rising", ([above(-9.), below(9.)], [-9, 9])),
    (lambda v: M.bland_altman(a[:v], b[:v]), "at least three pairs", ([3], [2])),
    (lambda v: M.bland_altman(a, b, span=v), "span must lie", OPEN),
    (lambda v: M.deming(a, b, ratio=v), "ratio must be above 0", ([1e-9], [0, -1])),
    (lambda v: M.passing_bablok(a[:v], b[:v]), "3 to 5000 pairs", ([3], [2])),
    (lambda v: pinball_loss(a, b, alpha=v), "alpha must lie", SHARE),
    (lambda v: mmd2(*drift, gamma=v, n_permutations=0), "gamma must be positive", ([1e-9], [0, -1])),
    (lambda v: subsample(mmd2, *drift, share=v, n_resamples=5), "share must lie",
     ([.1, .5], [0, above(.5)])),
    (lambda v: fpr_at(y, p, tpr=v), "tpr must lie", ([above(0.), 1], [0, above(1.)])),
    (lambda v: threshold_at(y, p, sensitivity=v), "sensitivity must lie", ([above(0.), 1], [0, above(1.)])),
    (lambda v: conformal_quantile(p, v), "alpha must lie", OPEN),
    (lambda v: interval_coverage(a, a-1, a+1, alpha=v), "alpha must lie", OPEN),
    (lambda v: conformal_scores(np.c_[1-p, p], method="raps", penalty=v), "must not be negative", ([0], [below(0.)])),
    (lambda v: conformal_scores(np.c_[1-p, p], method="raps", free=v), "must not be negative", ([0], [-1])),
    (lambda v: critical_difference(3, 5, alpha=v), "alpha must lie", ([.001, .999], [0, 1])),
    (lambda v: critical_difference(v, 5), "two models", ([2], [1])),
    (lambda v: critical_difference(3, v), "one data set", ([1], [0])),
    (lambda v: M.icc(rng.random((v, 3))), "two items", ([2], [1])),
    (lambda v: M.icc(rng.random((5, v))), "two", ([2], [1])),
])
def test_metrics(call, word, limits): held(call, word, limits)


@pytest.mark.later
@every("call, word, limits", [
    (lambda v: attacked_series(attacked, v), "radius must be", ([0], [below(0.), math.nan])),
    (lambda v: psychometric(a, y, floor=v), "floor must lie", ([0, .5], [below(0.), 1])),
    (lambda v: growth_detection(turbid(v)), "optical_density is negative", ([0], [below(0.)])),
    (lambda v: ecoff_percentile(MICS, v), "q: a share", ([.001, .999], [0, 1])),
    (lambda v: ecoff_finder(MICS, v, n_resamples=2), "q: a share", ([.001, .999], [0, 1])),
    (lambda v: ecoff_mixture(MICS, v, n_resamples=2), "q: a share", ([.001, .999], [0, 1])),
    (lambda v: ecoff_finder(MICS, n_resamples=v), "n_resamples must be a whole number from 2", ([2], [1, 0, 2.5])),
    (lambda v: ecoff_mixture(MICS, n_resamples=v), "n_resamples must be a whole number from 2", ([2], [1, 0, 2.5])),
    (lambda v: read_series([[0, v]], [[2, 1]], threshold=.5), "no probability", SHARE),
    (lambda v: qc_check([1], v, 2), "low is above high", ([2, 1], [4])),
    (lambda v: trend(v, 0, 5), "must lie between 0 and n", ([0, 5], [-1, 6])),
    (lambda v: expected_harm(proportion(1, 9), proportion(2, 9), v, miss_weight=9), "prevalence must lie", SHARE),
    (lambda v: expected_harm(proportion(1, 9), proportion(2, 9), .3, miss_weight=v), "weights must not",
     ([0], [below(0.)])),
    (lambda v: referral_curve(y, p, of=1-y, groups=np.arange(n) % v), "too few for a band", ([5], [4])),
    (lambda v: mic_misread([1, 0], ["s", "s"], [1, 2], v), "rate must lie", SHARE),
    (lambda v: near_hashes([0, 1], v), "bits lie between", ([0, 31], [-1, 32])),
    (lambda v: k_centre(rng.random((5, 2)), v), "k must lie", ([1, 5], [0, 6])),
    (lambda v: draw_scene(v, size=16), "n must be at least 1", ([1], [0])),
    (lambda v: draw_scene(1, size=v), "size at least 16", ([16], [15])),
    (lambda v: draw_scene(1, size=16, amount=v), "amount must lie", SHARE),
    (lambda v: training_wells(4, size=16, bubble=v), "bubble must be", SHARE),
    (lambda v: time_quantile(rng.random(99), v), "q must lie", ([.01, .99], [0, 1])),
    (lambda v: predict(lambda x: x.mean((1, 2, 3)), PICTURES, batch_size=v), "batch_size must be", ([1], [0])),
])
def test_wells_mics_and_models(call, word, limits): held(call, word, limits)
