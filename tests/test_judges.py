"Judges: coverage of the corrected figures, and what is missing."
import numpy as np
import pytest

from mic_eval.metrics.raters import corrected_mean, corrected_share, judge_summary, pair_points, pair_scores


@pytest.mark.parametrize("truth, se, sp", [(.3, .9, .8), (.7, .8, .95), (.05, .9, .9)])
def test_share_covers(truth, se, sp):
    rng, hits = np.random.default_rng(1), 0
    for _ in range(300):
        h = rng.random(400) < truth
        j = np.where(h, rng.random(400) < se, rng.random(400) > sp)*1.
        s = corrected_share(j, np.where(np.arange(400) < 120, h*1., np.nan))
        hits += s.lo <= truth <= s.hi if s.defined else 1
    assert hits/300 > .92


def test_mean_covers_and_gains():
    rng, hits, width, plain = np.random.default_rng(2), 0, [], []
    for _ in range(300):
        h = rng.normal(3, 1, 500)
        j = h+rng.normal(-.4, .4, 500)
        part = np.arange(500) < 60
        s = corrected_mean(j, np.where(part, h, np.nan))
        hits += s.lo <= 3 <= s.hi
        width.append(s.hi-s.lo); plain.append(2*2*h[part].std()/60**.5)
    assert .91 < hits/300 < .985 and np.mean(width) < .6*np.mean(plain)


def test_cases_widen():
    rng = np.random.default_rng(3)
    case = np.repeat(np.arange(40), 5)
    h = rng.normal(3, .3, 200)+rng.normal(0, 1, 40)[case]
    j, human = h-.3, np.where(case < 15, h, np.nan)
    apart, joined = corrected_mean(j, human), corrected_mean(j, human, groups=case)
    assert float(apart) == pytest.approx(float(joined)) and joined.hi-joined.lo > 1.3*(apart.hi-apart.lo)


def test_undefined():
    assert corrected_share([1, 0], [1, np.nan]).reason == "people called no answer wrong in the part that they judged"
    assert "coin" in corrected_share([1, 0, 0, 1], [0, 1, 1, 0]).reason
    assert corrected_mean([1, 2], [np.nan, np.nan]).reason
    assert judge_summary([np.nan]*3).score.reason == "no verdict" and judge_summary([np.nan, 1]).missing == 1
    assert np.isnan(pair_points([None], ["first"])[0])
    assert pair_scores(["tie"], ["tie"]).first_shown.reason == "no preference was stated"
