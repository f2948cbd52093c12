"""Stored values of the peers for tests/test_agreement.py: prints a JSON object.

Run in an environment of its own: pip install irrCAC==0.4.4 krippendorff==0.9.0 pingouin==0.6.1 statsmodels==0.15.0
python tests/oracles/agreement.py > tests/oracles/agreement.json
"""
import json
import warnings

import numpy as np
import pandas as pd

warnings.filterwarnings("ignore")


def panel(n, q, miss, seed):
    "Four raters who copy a true category with some errors; `miss` of the ratings are missing"
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, q, n)
    x = np.stack([np.where(rng.random(n) < .25, rng.integers(0, q, n), truth) for _ in range(4)], 1).astype(float)
    x[rng.random(x.shape) < miss] = np.nan
    return x


out = {}
if __name__ == "__main__":
    import krippendorff
    import pingouin
    from irrCAC.raw import CAC
    from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa, fleiss_kappa
    for name, args in dict(whole=(60, 4, 0., 1), holes=(60, 4, .2, 2)).items():
        x = panel(*args)
        for w in ("identity", "linear", "quadratic"):
            c = CAC(pd.DataFrame(x), weights=w)
            for peer in ("fleiss", "conger", "gwet", "bp", "krippendorff"):
                e = getattr(c, peer)()["est"]
                out[f"{name} {w} {peer}"] = dict(value=e["coefficient_value"], se=e["se"],
                                                 lo=e["confidence_interval"][0], hi=e["confidence_interval"][1])
        for level in ("nominal", "ordinal", "interval", "ratio"):
            out[f"{name} alpha {level}"] = krippendorff.alpha(x.T+1, level_of_measurement=level)
    x = panel(60, 4, 0., 1).astype(int)
    out["statsmodels fleiss"] = float(fleiss_kappa(aggregate_raters(x)[0]))
    table = np.zeros((4, 4))
    np.add.at(table, (x[:, 0], x[:, 1]), 1)
    for wt in (None, "linear", "quadratic"):
        k = cohens_kappa(table, wt=wt)
        out[f"statsmodels cohen {wt}"] = dict(value=k.kappa, se=k.std_kappa)
    y = np.random.default_rng(3).normal(size=(20, 1))+np.random.default_rng(4).normal(size=(20, 4))*.7+[0, .5, 1, 1.5]
    long = pd.DataFrame(dict(item=np.repeat(np.arange(20), 4), rater=np.tile(np.arange(4), 20), y=y.ravel()))
    r = pingouin.intraclass_corr(long, "item", "rater", "y")
    ci = next(c for c in r.columns if c.startswith("CI95"))
    out["icc"] = {t: dict(value=float(v), ci=[float(o) for o in c]) for t, v, c in zip(r["Type"], r["ICC"], r[ci])}
    plain = lambda o: {k: plain(v) for k, v in o.items()} if isinstance(o,
        dict) else [float(v) for v in o] if isinstance(o, list) else float(o)
    print(json.dumps(plain(out), indent=0))
