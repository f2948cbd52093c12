"""Split-conformal sets of MAPIE on one small data set; run in an environment of its own, prints what
test_uncertainty.py holds.

Versions when the values were made: MAPIE 1.6.0.
"""
import numpy as np
from mapie.classification import SplitConformalClassifier
from mapie.metrics.classification import classification_coverage_score, classification_mean_width_score
from sklearn.base import BaseEstimator, ClassifierMixin


class Given(ClassifierMixin, BaseEstimator):
    "Probabilities are the features"
    classes_ = np.arange(3)
    def fit(self, X, y): return self
    def predict_proba(self, X): return X
    def predict(self, X): return X.argmax(1)
    def __sklearn_is_fitted__(self): return True


rng = np.random.default_rng(3)
p = rng.dirichlet([1, 1, 1], 260)
y = np.array([rng.choice(3, p=o) for o in p])
for level in (.9, .75):
    m = SplitConformalClassifier(Given(), confidence_level=level, conformity_score="lac",
                                 prefit=True).conformalize(p[:101], y[:101])
    sets = m.predict_set(p[101:])[1][..., 0]
    print(level, int(sets.sum()), float(classification_coverage_score(y[101:], sets[..., None])[0]),
          float(classification_mean_width_score(sets[..., None])[0]))
