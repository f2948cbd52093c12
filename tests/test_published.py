"Worked examples whose data and answers stand in print: ours give the printed digits"
import math

import numpy as np
import pytest

import mic_eval.metrics as M
from mic_eval.metrics.agreement import kappa_standard_error


def spelled(table):
    "A table of counts as two columns of classes"
    table = np.asarray(table)
    i, j = np.indices(table.shape)
    return np.repeat(i.ravel(), table.ravel()), np.repeat(j.ravel(), table.ravel())


def printed(value, digits):
    "Whether a number rounds to what is printed"
    return lambda found: math.isclose(found, value, abs_tol=.5000001*10**-digits)


def test_peak_flow_by_two_meters():
    "Bland and Altman, Lancet 1986;327:307: first readings of 17 subjects, L/min"
    wright = [494, 395, 516, 434, 476, 557, 413, 442, 650, 433, 417, 656, 267, 478, 178, 423, 427]
    mini = [512, 430, 520, 428, 500, 600, 364, 380, 658, 445, 432, 626, 260, 477, 259, 350, 451]
    r = M.bland_altman(wright, mini)
    assert printed(-2.1, 1)(r.bias) and printed(38.8, 1)(r.sd)
    assert printed(-22.0, 1)(r.bias.lo) and printed(17.8, 1)(r.bias.hi)
    assert abs(r.lower+79.7) < 1.7 and abs(r.upper-75.5) < 1.7   # they write 2 for 1.96
    about = r.sd*math.sqrt(3/17)*2.12                              # and 3/n for the variance of a limit
    assert abs((r.lower.hi-r.lower.lo)/2-about) < .5


def test_kappa_of_two_psychologists():
    "Cohen, Psychol. Bull. 1968;70:213: 200 patients; disagreement weighted 1, 3 and 6"
    a, b = spelled([[88, 10, 2], [14, 40, 6], [18, 10, 12]])
    worse = np.array([[0, 1, 3], [1, 0, 6], [3, 6, 0]])
    assert printed(.492, 3)(M.cohen_kappa(a, b))
    assert printed(.348, 3)(M.cohen_kappa(a, b, weights=1-worse/6))


def test_kappa_of_two_film_critics():
    "Agresti, Categorical Data Analysis, 2nd ed., 10.5: Siskel and Ebert on 160 films"
    a, b = spelled([[24, 8, 13], [8, 13, 11], [10, 9, 64]])
    s = M.cohen_kappa(a, b)
    assert printed(.389, 3)(s) and printed(.06, 2)(float(kappa_standard_error(a, b).se))


def test_both_eyes_of_7477_women():
    "Stuart, Biometrika 1955;42:412; the statistics as in Agresti, 10.3 and 10.4"
    a, b = spelled([[1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205], [36, 82, 179, 492]])
    margins, symmetry = M.stuart_maxwell(a, b), M.bowker(a, b)
    assert printed(11.96, 2)(margins.statistic) and printed(.008, 3)(margins.p)
    assert printed(19.11, 2)(symmetry.statistic) and printed(.004, 3)(symmetry.p)


def test_a_prime_minister_twice():
    "Agresti, 10.1: 1,600 voters, z = -4.17, a fall of .04 (.02 to .06)"
    first, second = spelled([[794, 150], [86, 570]])
    r = M.mcnemar(np.ones(1600, int), 1-first, 1-second, "asymptotic")
    assert printed(4.17, 2)(math.sqrt(r.statistic)) and printed(.04, 2)(float(r.effect))
    assert printed(.02, 2)(r.effect.lo) and printed(.06, 2)(r.effect.hi)


def test_ct_readings_of_109_patients():
    "Hanley and McNeil, Radiology 1982;143:29: five grades, area .893"
    grade, sick = spelled(np.transpose([[33, 6, 6, 11, 2], [3, 2, 2, 11, 33]]))
    s = M.roc_auc(sick, grade)
    assert printed(.893, 3)(s) and .81 < s.lo < .84 and .93 < s.hi < .95


def test_judges_of_shrout_and_fleiss():
    "Psychol. Bull. 1979;86:420: six targets, four judges"
    x = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float)
    want = {"1,1": .17, "2,1": .29, "3,1": .71, "1,k": .44, "2,k": .62, "3,k": .91}
    for k, v in want.items(): assert abs(M.icc(x, k)-v) < .006, k


@pytest.mark.parametrize("n,k,lo,hi", [(263, 81, .2553, .3662), (148, 15, .0624, .1605), (20, 0, 0, .1611),
                                       (29, 1, .0061, .1718)])
def test_shares_of_newcombe(n, k, lo, hi):
    "Newcombe, Stat. Med. 1998;17:857, table I, method 3 (the score interval)"
    s = M.sensitivity(np.ones(n, int), np.r_[np.ones(k, int), np.zeros(n-k, int)])
    assert printed(lo, 4)(s.lo) and printed(hi, 4)(s.hi), (s.lo, s.hi)


def test_differences_of_newcombe():
    "Newcombe, Stat. Med. 1998;17:873, table II, method 10: 56/70 against 48/80"
    from mic_eval.core.intervals import newcombe
    lo, hi = newcombe(56, 70, 48, 80)
    assert printed(.0524, 4)(lo) and printed(.3339, 4)(hi)
