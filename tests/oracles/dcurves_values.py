"""Net benefit of dcurves on one small data set; run in an environment of its own, prints what test_utility.py holds.

Versions when the values were made: dcurves 1.1.7.
"""
import numpy as np
import pandas as pd
from dcurves import dca

rng = np.random.default_rng(7)
n = 200
y = (rng.random(n) < .3).astype(int)
p = np.round(1/(1+np.exp(-(-1+1.5*(y-.3)+rng.normal(0, 1, n)))), 2)
for prevalence in (None, .1):
    kw = {} if prevalence is None else dict(prevalence=prevalence)
    d = dca(data=pd.DataFrame(dict(y=y, p=p)), outcome="y", modelnames=["p"],
            thresholds=np.array([.05, .1, .2, .35, .5, .7]), **kw)
    d = d[(d.model == "p")]
    print(prevalence, d.net_benefit.round(12).tolist(), d.net_intervention_avoided.round(12).tolist())
