"Calibrators and tests of calibration: scikit-learn and formulas as oracles"
import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

import mic_eval.metrics as M
from mic_eval.metrics.recalibration import calibration_index

rng = np.random.default_rng(0)
p = np.clip(rng.beta(.8, .8, 400), .001, .999)
y = (rng.random(400) < p**1.4).astype(int)
new = np.linspace(.01, .99, 50)


def test_calibrators_against_sklearn():
    z = lambda v: np.log(v/(1-v))[:, None]
    fit = LogisticRegression(C=1e10, tol=1e-10).fit(z(p), y)
    assert np.allclose(M.fit_calibrator(y, p)(new), fit.predict_proba(z(new))[:, 1], atol=1e-4)
    b = lambda v: np.stack([np.log(v), -np.log(1-v)], 1)
    fit = LogisticRegression(C=1e10, tol=1e-10, max_iter=1000).fit(b(p), y)
    assert np.allclose(M.fit_calibrator(y, p, method="beta")(new), fit.predict_proba(b(new))[:, 1], atol=1e-3)
    iso = IsotonicRegression(out_of_bounds="clip").fit(p, y)
    assert np.allclose(M.fit_calibrator(y, p, method="isotonic")(new), iso.predict(new), atol=1e-6)


@pytest.mark.parametrize("held", [0, 1])
def test_a_beta_calibrator_whose_slope_would_fall_is_that_of_the_other_alone(held):
    "Kull and others, section 3.3; rates that fall at one end of the probabilities"
    r = np.random.default_rng(1)
    q = r.uniform(.02, .98, 600)
    x = np.stack([np.log(q), -np.log(1-q)], 1)
    slopes = np.where(np.arange(2) == held, -.6, 1.5)
    t = (r.random(600) < 1/(1+np.exp(-(x @ slopes+.4))))*1
    found = M.fit_calibrator(t, q, method="beta")
    one = LogisticRegression(C=1e10, tol=1e-10, max_iter=1000).fit(x[:, [1-held]], t)
    both = LogisticRegression(C=1e10, tol=1e-10, max_iter=1000).fit(x, t)
    assert both.coef_[0, held] < 0 and found.values[1+held] == 0
    assert np.allclose(found(q), one.predict_proba(x[:, [1-held]])[:, 1], atol=1e-3)


def test_calibrators_rise_and_refuse():
    for m in ("platt", "beta", "isotonic"): assert (np.diff(M.fit_calibrator(y, p, method=m)(new)) >= -1e-12).all()
    with pytest.raises(ValueError, match="one class"): M.fit_calibrator(np.ones(5, int), p[:5])
    with pytest.raises(ValueError, match="separate"): M.fit_calibrator([0, 0, 1, 1], [.1, .2, .8, .9])
    with pytest.raises(ValueError, match="platt, beta, isotonic"): M.fit_calibrator(y, p, method="sigmoid")


def test_hosmer_lemeshow_keeps_its_level():
    r, small = np.random.default_rng(1), 0
    for _ in range(300):
        q = r.beta(2, 2, 300)
        small += M.hosmer_lemeshow((r.random(300) < q)*1, q).p < .05
    assert 3 <= small <= 30
    assert M.hosmer_lemeshow(y, np.full(400, .5)).df == 1 and M.hosmer_lemeshow(y, (p > .5)*1.).reason


def test_skill_and_index():
    base = y.mean()
    assert float(M.brier_skill(y, p, ci=None)) == pytest.approx(1-((p-y)**2).mean()/((base-y)**2).mean())
    assert float(M.brier_skill(y, np.full(400, base), ci=None)) == pytest.approx(0)
    assert M.brier_skill(np.ones(5), np.full(5, .5)).reason
    true = (np.random.default_rng(3).random(4000) < new.repeat(80))*1
    assert calibration_index(true, new.repeat(80), ci=None).ici < .03 < calibration_index(true,
        np.sqrt(new).repeat(80), ci=None).ici
