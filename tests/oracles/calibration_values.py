"""Calibration errors of netcal and relplot and AUROC intervals of MLstatkit on one small data set; run in an
environment of its own, prints what the tests hold.

Versions when the values were made: netcal 1.4.0, relplot 1.0.3, MLstatkit 0.1.91.
"""
import warnings
import numpy as np
warnings.filterwarnings("ignore")

rng = np.random.default_rng(11)
p = np.round(1/(1+np.exp(-rng.normal(0, 2, 300))), 6)
y = (rng.random(300) < p**1.5).astype(int)
b = np.round(np.clip(p+rng.normal(0, .2, 300), 0, 1), 6)

from netcal.metrics import ECE, MCE
for n in (10, 15): print("netcal ece, mce", n, float(ECE(n).measure(p, y)), float(MCE(n).measure(p, y)))
from MLstatkit import Delong_test
print("MLstatkit z, p", Delong_test(y, p, b)[:2])
try:
    import relplot
    print("relplot smece", float(relplot.smECE(f=p, y=y)))
except Exception as e: print("relplot", repr(e)[:200])
