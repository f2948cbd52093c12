"""Bad models that try to pass and good ones that must, field by field: seeded cases, judged in process.

`BAD` and `GOOD` hold a mapping of name -> function (seed -> what is judged) for each field; `said(field, thing)` gives
the verdict's status and the sentence that decided."""
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

BAD, GOOD, JUDGES = {}, {}, {}
SLOW = set()   # fields whose cases take longer than a quick test may


def said(field, thing):
    "Status and deciding sentence; a thing that is refused at the door is `refused`"
    try: v = JUDGES[field](thing)
    except ValueError as e: return "refused", str(e).splitlines()[0]
    if isinstance(v, tuple): return v
    d = v.get("decided") or {}
    return v["status"], f"{d.get('metric')}: {d.get('why')}"


# Tables of two or more classes
PLAIN = dict(title="plain", layers=dict(basic=dict(items={})))


def rows(n=1200, seed=0, wrong=.03, spread=.02, **facts):
    "A model with few errors, whose probabilities are what they say"
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 2)
    p = np.clip(np.where(y == 1, .96, .04)+rng.normal(0, spread, n), .0012345, .9987654)
    off = rng.permutation(n)[:int(wrong*n)]
    p[off] = 1-p[off]
    return pd.DataFrame(dict(sample_id=[f"s{i}" for i in range(n)], y_true=y, y_prob=p, **facts))


def flipped(t, where):
    return t.assign(y_prob=np.where(where, 1-t.y_prob, t.y_prob))


def by_lot(t, seed, share): return np.random.default_rng(seed+99).random(len(t)) < share


def judged_table(t):
    from mic_eval.core.tables import read_predictions
    from mic_eval.run.evaluation import findings
    with tempfile.TemporaryDirectory() as place:
        t.to_csv(Path(place)/"t.csv", index=False)
        p = read_predictions(Path(place)/"t.csv")
    return findings(p, suite=PLAIN, field="classification", profile="classification-screen", by=()).verdict


JUDGES["classification"] = judged_table


def sites(seed, bad_share=.2, bad=.3, n=1200, name="hospital", sites=5):
    "One site of several at which so many are wrong"
    t = rows(n, seed, .01)
    at = np.arange(n) % sites
    return flipped(t, (at == 3) & by_lot(t, seed, bad)).assign(**{name: [f"H{i}" for i in at]})


def lesions(seed, lose=None, n=1200, sure=.96, rare=60, swap=0., names=("melanoma", "naevus", "keratosis")):
    "Three classes; `lose` is called another class, `swap` of the other two change places"
    rng = np.random.default_rng(seed)
    y = np.r_[np.zeros(rare, int), rng.integers(1, 3, n-rare)]
    called = y.copy()
    if lose is not None: called[y == lose] = (lose+1) % 3
    there = (rng.random(n) < swap) & (y > 0)
    called[there] = 3-y[there]
    p = np.full((n, 3), (1-sure)/2)
    p[np.arange(n), called] = sure
    p += rng.uniform(0, .003, p.shape)
    p /= p.sum(1, keepdims=True)
    return pd.DataFrame(dict(sample_id=[f"s{i}" for i in range(n)], y_true=[names[k] for k in y])
                        | {f"prob_{c}": p[:, k] for k, c in enumerate(names)})


def squeezed(t, by): return t.assign(y_prob=.5+(t.y_prob-.5)*by)


def repeated(seed, few=50, times=20, jitter=0., digits=None, calls=False):
    "Few rows, each pasted many times under other names"
    t = rows(few, seed, .02)
    t = pd.concat([t.assign(sample_id=t.sample_id+f"_{i}") for i in range(times)], ignore_index=True)
    noise = np.random.default_rng(seed).normal(0, 1, len(t))*jitter
    p = (t.y_prob+noise).clip(.001, .999)
    if digits: p = p.round(digits)
    if calls: return t.assign(y_pred=(p > .5).astype(int)).drop(columns="y_prob")
    return t.assign(y_prob=p)


def units(seed, few=8, each=100, name="patient_id"):
    "Few units of many rows each, alike within"
    rng = np.random.default_rng(seed)
    unit = np.repeat(np.arange(few), each)
    y = unit % 2
    p = np.clip(np.where(y, .96, .04)+rng.normal(0, .01, len(y)), .001, .999)
    return pd.DataFrame(dict(sample_id=[f"s{i}" for i in range(len(y))], y_true=y, y_prob=p, **{name: unit}))


def without_truth(t, where): return t.assign(y_true=t.y_true.where(~where, None).astype("Int64"))


def wrong_of(t): return (t.y_prob > .5) != (t.y_true == 1)


def simpson(seed):
    "Within each site the model ranks by chance; sites differ in how many are ill, and the score knows the site"
    rng = np.random.default_rng(seed)
    site = np.arange(1200) % 2
    y = (rng.random(1200) < np.where(site, .95, .05)).astype(int)
    p = np.clip(np.where(site, .95, .05)+rng.normal(0, .01, 1200), .001, .999)
    return pd.DataFrame(dict(sample_id=[f"s{i}" for i in range(1200)], y_true=y, y_prob=p, site=site))


BAD["classification"] = {
    "chance": lambda s: rows(seed=s, wrong=.5),
    "a quarter wrong": lambda s: rows(seed=s, wrong=.25),
    "always the same score": lambda s: rows(seed=s).assign(y_prob=.97),
    "all at the threshold": lambda s: rows(seed=s).assign(y_prob=.5),
    "the wrong way round": lambda s: rows(seed=s).assign(y_prob=lambda t: 1-t.y_prob),
    "squeezed into .48 to .52": lambda s: squeezed(rows(seed=s), .04),
    "squeezed into .35 to .65": lambda s: squeezed(rows(seed=s), .3),
    "flattened by half": lambda s: squeezed(rows(seed=s), .6),
    "sure, and wrong in a sixth": lambda s: rows(seed=s, wrong=.16).assign(
        y_prob=lambda t: np.where(t.y_prob > .5, .999, .001)),
    "shifted upwards": lambda s: rows(seed=s).assign(y_prob=lambda t: (t.y_prob+.3).clip(0, .999)),
    "twenty rows": lambda s: rows(20, s, 0),
    "six positives": lambda s: rows(seed=s, wrong=0).assign(
        y_true=lambda t: (np.arange(len(t)) < 6)*1, y_prob=lambda t: np.where(np.arange(len(t)) < 6, .96, .0345678)),
    "pasted fifty times": lambda s: repeated(s, 20, 50),
    "pasted with jitter": lambda s: repeated(s, 24, 50, jitter=1e-4),
    "pasted, two digits": lambda s: repeated(s, 30, 40, digits=2),
    "pasted calls": lambda s: repeated(s, calls=True),
    "eight patients": units,
    "eight patients, column subject": lambda s: units(s, name="subject"),
    "no truth where wrong": lambda s: (lambda t: without_truth(t, wrong_of(t)))(rows(seed=s, wrong=.25)),
    "no truth for a third": lambda s: (lambda t: without_truth(t, by_lot(t, s, .34)))(rows(seed=s)),
    "guesses at one hospital": sites,
    "guesses at one clinic": lambda s: sites(s, name="clinic"),
    "one hospital of six rows": lambda s: rows(seed=s, hospital=np.where(np.arange(1200) < 6, "H9", "H1")),
    "right between sites, chance within": simpson,
    "no melanoma found": lambda s: lesions(s, lose=0),
    "half of naevi and keratoses change places": lambda s: lesions(s, swap=.5),
    "never sure of three": lambda s: lesions(s, sure=.36),
    "three melanomas in all": lambda s: lesions(s, lose=0, rare=3),
    "misses four in ten": lambda s: (lambda t: flipped(t, (t.y_true == 1) & by_lot(t, s, .4)))(rows(seed=s, wrong=0)),
    "alarms in four of ten": lambda s: (
        lambda t: flipped(t, (t.y_true == 0) & by_lot(t, s, .4)))(rows(seed=s, wrong=0)),
    "a threshold too high": lambda s: rows(seed=s).assign(y_pred=lambda t: (t.y_prob > .96)*1),
}

GOOD["classification"] = {
    "few errors": lambda s: rows(seed=s),
    "twice as many rows": lambda s: rows(2400, s, .05),
    "calls of two digits": lambda s: rows(2400, s).assign(y_prob=lambda t: t.y_prob.round(2)),
    "three classes": lambda s: lesions(s, swap=.02),
    "five hospitals": lambda s: sites(s, bad=.01, n=2000),
    "patients of two visits": lambda s: rows(2000, s, .03, patient_id=np.arange(2000)//2),
    "one in five positive": lambda s: (lambda t: t[(t.y_true == 0) | (np.arange(len(t)) % 4 == 0)])(rows(3000, s)),
    "a few without truth": lambda s: (lambda t: without_truth(t, by_lot(t, s, .01)))(rows(2400, s)),
    "probabilities of every size": lambda s: spread_out(s),
    "perfect, and sure": lambda s: rows(seed=s, wrong=0),
}


def spread_out(seed, n=4000):
    "A model whose probabilities lie anywhere, and are what they say"
    rng = np.random.default_rng(seed)
    p = 1/(1+np.exp(-rng.normal(0, 5, n)))
    return pd.DataFrame(dict(sample_id=[f"s{i}" for i in range(n)], y_true=(rng.random(n) < p)*1, y_prob=p))
