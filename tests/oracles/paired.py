"""Stored values of statsmodels and mlxtend for tests/test_paired.py: prints a JSON object.

Run in an environment of its own: pip install statsmodels==0.15.0 mlxtend==0.23.4
python tests/oracles/paired.py > tests/oracles/paired.json
"""
import json

import numpy as np


def readings(n=300, seed=0):
    "A truth and three models"
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return y, *(np.where(rng.random(n) < miss, 1-y, y) for miss in (.08, .14, .12))


if __name__ == "__main__":
    from mlxtend.evaluate import cochrans_q
    from statsmodels.stats.contingency_tables import mcnemar
    from statsmodels.stats.multitest import multipletests
    from statsmodels.stats.power import NormalIndPower, TTestPower
    y, a, b, c = readings()
    ra, rb = a == y, b == y
    table = [[int((ra & rb).sum()), int((ra & ~rb).sum())], [int((~ra & rb).sum()), int((~ra & ~rb).sum())]]
    out = {name: [float(r.statistic), float(r.pvalue)] for name, r in dict(
        exact=mcnemar(table, exact=True), corrected=mcnemar(table, exact=False, correction=True),
        asymptotic=mcnemar(table, exact=False, correction=False)).items()}
    out["cochran"] = [float(o) for o in cochrans_q(y, a, b, c)]
    p = [.01, .04, .03, .005, .2, .5]
    out["p"], out["holm"], out["fdr_bh"] = p, *(multipletests(p, method=m)[1].tolist() for m in ("holm", "fdr_bh"))
    out["t power"] = [float(TTestPower().power(d, n, .05)) for d, n in ((.2, 50), (.5, 30), (.3, 120))]
    out["t size"] = [float(TTestPower().solve_power(d, None, .05, .8)) for d in (.2, .5, .8)]
    print(json.dumps(out, indent=0))
