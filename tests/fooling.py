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
    "most rows are those it learned from": lambda s: (
        lambda t: flipped(t, (t.split == "test") & by_lot(t, s, .3)))(
            rows(seed=s, wrong=.01, split=np.where(np.arange(1200) < 900, "train", "test"))),
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


# Pairs of MICs
DRUGS = "amikacin", "ceftazidime", "ciprofloxacin", "colistin", "meropenem"


def pairs(reads, n=60, seed=0, drugs=DRUGS, low=-1, high=4, **facts):
    "What `reads(drug, i, mic, rng)` makes of the reference's reading; empty text is no result"
    rng, found = np.random.default_rng(seed), []
    for d in drugs:
        for i in range(n if isinstance(n, int) else n.get(d, 60)):
            m = 2.**rng.integers(low, high+1)
            new = reads(d, i, m, rng)
            found.append((f"i{i}", d, f"{m:g}", new if isinstance(new, str) else f"{new:g}"))
    return pd.DataFrame(found, columns=["isolate", "drug", "BMD", "new"]).assign(**facts)


def judged_pairs(t):
    from mic_eval.core.criteria import read_profile
    from mic_eval.mic.findings import mic_findings
    wanted = [g for g in read_profile("iso-20776-2-2021").groups if set(g.split("+")) <= set(t)]
    return mic_findings(t, "BMD", "new", by=wanted or ("drug",), profile="iso-20776-2-2021").result.verdict


JUDGES["MIC pairs"] = judged_pairs


def same(d, i, m, r): return m
def near(d, i, m, r): return m*2.**r.choice([-1, 0, 0, 0, 0, 1])
def off(drug, factor, share=1.): return lambda d, i, m, r: m*factor if d == drug and r.random() < share else m


def organisms(seed, reads, few=40):
    "Sixty E. coli and some Klebsiella of each drug; `reads` is asked of Klebsiella alone"
    t = pairs(lambda d, i, m, r: m if i < 60 else reads(d, i, m, r), 60+few, seed, DRUGS[:3])
    number = t.isolate.str[1:].astype(int)
    return t.assign(organism=np.where(number < 60, "E. coli", "K. pneumoniae"))


BAD["MIC pairs"] = {
    "one drug of five is off in a fourth": lambda s: pairs(off("colistin", 8, .25), seed=s),
    "one drug two dilutions high": lambda s: pairs(off("colistin", 4), seed=s),
    "one drug a dilution high": lambda s: pairs(off("colistin", 2), seed=s),
    "biases that cancel": lambda s: pairs(lambda d, i, m, r: m*dict(colistin=2, amikacin=.5).get(d, 1), seed=s),
    "biases that cancel within a drug": lambda s: pairs(
        lambda d, i, m, r: m*(4 if i % 2 else .25) if d == "colistin" else m, seed=s),
    "one drug with three isolates": lambda s: pairs(same, dict(colistin=3), s),
    "one drug with 29 isolates": lambda s: pairs(same, dict(colistin=29), s),
    "always <=64": lambda s: pairs(lambda d, i, m, r: "<=64" if d == "colistin" else m, seed=s),
    "always >0.25": lambda s: pairs(lambda d, i, m, r: ">0.25" if d == "amikacin" else m, seed=s),
    "all of one drug off scale": lambda s: pairs(same, seed=s).assign(
        BMD=lambda t: t.BMD.where(t.drug != "colistin", ">64"), new=lambda t: t.new.where(t.drug != "colistin", ">64")),
    "off scale where it would be wrong": lambda s: pairs(lambda d, i, m, r: "<=128" if m > 2 else m, seed=s),
    "no result where it was hard": lambda s: pairs(
        lambda d, i, m, r: "" if d == "colistin" and i < 14 else m, seed=s),
    "no result in two of three": lambda s: pairs(lambda d, i, m, r: "" if i % 3 else m, seed=s),
    "no result above 4": lambda s: pairs(lambda d, i, m, r: "" if m > 4 else m, seed=s),
    "the same MIC for all": lambda s: pairs(lambda d, i, m, r: 4, seed=s),
    "a dilution low throughout": lambda s: pairs(lambda d, i, m, r: m/2, seed=s),
    "two dilutions low": lambda s: pairs(lambda d, i, m, r: m/4, seed=s),
    "in other units": lambda s: pairs(lambda d, i, m, r: m*1000, seed=s),
    "MICs by lot": lambda s: pairs(lambda d, i, m, r: 2.**r.integers(-1, 5), seed=s),
    "drugs swapped": lambda s: pairs(same, seed=s).assign(
        new=lambda t: np.concatenate([t.new[60:120], t.new[:60], t.new[120:]])),
    "rows shifted by one": lambda s: pairs(same, seed=s).assign(new=lambda t: np.roll(t.new, 1)),
    "every seventh far off": lambda s: pairs(lambda d, i, m, r: m*16 if i % 7 == 0 else m, seed=s),
    "right for the low, not for the high": lambda s: pairs(lambda d, i, m, r: min(m, 2), seed=s),
    "few Klebsiella": lambda s: organisms(s, same, 4),
    "off in Klebsiella": lambda s: organisms(s, lambda d, i, m, r: m*8 if r.random() < .3 else m),
    "off in Klebsiella, one drug": lambda s: organisms(s, lambda d, i, m, r: m*8 if d == "colistin" or i % 3 else m),
    "six isolates, read ten times": lambda s: pairs(same, seed=s).assign(
        isolate=lambda t: "i"+(t.index % 6).astype(str)),
    "six isolates, each row a day": lambda s: pairs(same, seed=s).assign(
        isolate=lambda t: "i"+(t.index % 6).astype(str), day=lambda t: t.index//6),
    "twenty pairs in all": lambda s: pairs(same, 20, s, DRUGS[:1]),
    "one drug far off in one isolate of nine": lambda s: pairs(off("meropenem", 16, .2), seed=s),
}

GOOD["MIC pairs"] = {
    "agree": lambda s: pairs(same, seed=s),
    "within a dilution": lambda s: pairs(near, 100, s),
    "one drug": lambda s: pairs(near, 100, s, DRUGS[:1]),
    "two in sixty off": lambda s: pairs(lambda d, i, m, r: m*4 if i < 2 else m, seed=s),
    "some off scale": lambda s: pairs(lambda d, i, m, r: ">8" if m > 8 else m, 90, s).assign(
        BMD=lambda t: t.BMD.where(t.BMD.astype(float) <= 8, ">8")),
    "one in a hundred without result": lambda s: pairs(lambda d, i, m, r: "" if i == 7 else m, 100, s),
    "two organisms": lambda s: organisms(s, near, 60),
    "leaning by little": lambda s: pairs(lambda d, i, m, r: m*2 if i % 10 == 0 else m, 100, s),
    "many isolates": lambda s: pairs(near, 300, s, DRUGS[:2]),
    "unequal drugs": lambda s: pairs(near, dict(zip(DRUGS, (60, 80, 100, 150, 200))), s),
}


# Wells of a plate
def wells(seed, missed=None, alarms=None, n=340, drugs=DRUGS, isolates=None, truth=None):
    "Wells read rightly, but for those that `missed(drug, i, rng)` and `alarms(drug, i, rng)` name"
    rng, found = np.random.default_rng(seed), []
    for d in drugs:
        for i in range(2*n):
            y = i % 2
            wrong = (missed if y else alarms) or (lambda d, i, r: False)
            says = y if not wrong(d, i//2, rng) else 1-y
            found.append((f"{d}{i}", f"{d}{i}" if isolates is None else isolates(d, i), d, y, says))
    t = pd.DataFrame(found, columns=["sample_id", "isolate", "drug", "y_true", "says"])
    return t.assign(y_prob=np.where(t.says == 1, .97, .03)+rng.uniform(-.02, .02, len(t))).drop(columns="says")


def judged_wells(t):
    from mic_eval.core.tables import read_predictions
    from mic_eval.run.evaluation import findings
    with tempfile.TemporaryDirectory() as place:
        t.to_csv(Path(place)/"t.csv", index=False)
        p = read_predictions(Path(place)/"t.csv", field="mic")
    suite = dict(title="plain", layers=dict(basic=dict(wells={})))
    return findings(p, suite=suite, field="mic", profile="mic-clinical", by=("drug",)).verdict


JUDGES["wells"] = judged_wells


def share_of(p, drug=None): return lambda d, i, r: (drug in (None, d)) and r.random() < p


def in_organism(t, few):
    "The first wells of each drug are of Klebsiella"
    return t.assign(organism=np.where(t.groupby("drug").cumcount() < few, "K. pneumoniae", "E. coli"))


BAD["wells"] = {
    "a fifth of one drug's growth missed": lambda s: wells(s, share_of(.2, "colistin")),
    "a twentieth of one drug's growth missed": lambda s: wells(s, share_of(.05, "colistin"), n=600),
    "three in a hundred missed everywhere": lambda s: wells(s, share_of(.03)),
    "at the limit": lambda s: wells(s, share_of(.01)),
    "false growth in one drug": lambda s: wells(s, None, share_of(.1, "colistin")),
    "false growth everywhere": lambda s: wells(s, None, share_of(.04)),
    "growth everywhere": lambda s: wells(s).assign(y_prob=.97),
    "no growth anywhere": lambda s: wells(s).assign(y_prob=.03),
    "the wrong way round": lambda s: wells(s).assign(y_prob=lambda t: 1-t.y_prob),
    "missed wells have no truth": lambda s: (lambda t: without_truth(t, wrong_of(t)))(
        wells(s, share_of(.2, "colistin"))),
    "a tenth has no truth": lambda s: (lambda t: without_truth(t, by_lot(t, s, .1)))(wells(s)),
    "one drug's growth has no truth": lambda s: (lambda t: without_truth(t, (t.drug == "colistin") & (t.y_true == 1)))(
        wells(s)),
    "ten isolates": lambda s: wells(s, isolates=lambda d, i: f"i{i % 10}"),
    "thirty isolates": lambda s: wells(s, isolates=lambda d, i: f"i{i % 30}"),
    "one drug with ten wells": lambda s: wells(s)[
        lambda t: (t.drug != "colistin") | (t.groupby("drug").cumcount() < 10)],
    "one drug with two hundred wells": lambda s: wells(s)[
        lambda t: (t.drug != "colistin") | (t.groupby("drug").cumcount() < 200)],
    "a hundred wells a drug": lambda s: wells(s, n=50),
    "one drug without growth": lambda s: wells(s)[lambda t: (t.drug != "colistin") | (t.y_true == 0)],
    "one drug with growth alone": lambda s: wells(s)[lambda t: (t.drug != "colistin") | (t.y_true == 1)],
    "misses near the threshold": lambda s: wells(s, share_of(.05)).assign(
        y_prob=lambda t: np.where(wrong_of(t) & (t.y_true == 1), .49, t.y_prob)),
    "ties at the threshold": lambda s: wells(s).assign(y_prob=lambda t: np.where(t.y_true == 1, .97, .5)),
    "pasted twenty times": lambda s: pd.concat([wells(s, n=17).assign(
        sample_id=lambda t: t.sample_id+f"_{i}", isolate=lambda t: t.isolate+f"_{i}") for i in range(20)]),
    "one isolate of each drug missed": lambda s: wells(
        s, lambda d, i, r: i < 8, isolates=lambda d, i: f"{d}{i//16}", n=400),
    "few wells of Klebsiella": lambda s: in_organism(wells(s), 20),
    "misses in Klebsiella alone": lambda s: in_organism(
        wells(s, lambda d, i, r: i < 340 and r.random() < .05, n=700), 680),
    "alarms in Klebsiella alone": lambda s: in_organism(
        wells(s, None, lambda d, i, r: i < 340 and r.random() < .08, n=700), 680),
    "errors of both kinds": lambda s: wells(s, share_of(.03), share_of(.03)),
    "chance": lambda s: wells(s, share_of(.5), share_of(.5)),
    "one drug the wrong way round": lambda s: wells(s, share_of(1, "colistin"), share_of(1, "colistin")),
    "one drug by lot": lambda s: wells(s, share_of(.5, "amikacin"), share_of(.5, "amikacin")),
}

GOOD["wells"] = {
    "read rightly": lambda s: wells(s),
    "one drug": lambda s: wells(s, drugs=DRUGS[:1]),
    "one miss in a thousand": lambda s: wells(s, share_of(.001), n=2000, drugs=DRUGS[:2]),
    "one alarm in two hundred": lambda s: wells(s, None, share_of(.005), n=1000, drugs=DRUGS[:2]),
    "two wells an isolate": lambda s: wells(s, n=700, isolates=lambda d, i: f"{d}{i//2}"),
    "many wells": lambda s: wells(s, n=1500, drugs=DRUGS[:2]),
    "two organisms": lambda s: in_organism(wells(s, n=700), 700),
    "one well without truth": lambda s: (lambda t: without_truth(t, (np.arange(len(t)) == 7)))(wells(s, n=600)),
    "eight drugs": lambda s: wells(s, drugs=[*DRUGS, "cefepime", "ertapenem", "tigecycline"]),
    "unequal drugs": lambda s: wells(s, n=700)[lambda t: (t.drug != "colistin") | (t.groupby("drug").cumcount() < 700)],
}


# Maps of defects
def parts(seed=0, n=800, detector=None, size=12, objects=("bottle", "nut"), bad=.5, side=4, **facts):
    "Pictures of parts, half of them with a defect, and the maps that `detector(mask, rng, object)` makes of them"
    from mic_eval.anomaly.maps import AnomalyMaps
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 100 < 100*bad).astype(int)
    names = np.array([objects[(i//100) % len(objects)] for i in range(n)])
    masks = np.zeros((n, size, size), np.uint8)
    for i in np.flatnonzero(y):
        a, b = rng.integers(0, size-side, 2)
        masks[i, a:a+side, b:b+side] = 1
    make = detector or finds
    maps = np.stack([make(m, rng, o) for m, o in zip(masks, names)]).astype(np.float32)
    return AnomalyMaps([f"p{i}" for i in range(n)], y, names, maps, [m if m.any() else None for m in masks],
                       facts=pd.DataFrame(facts) if facts else None)


def finds(mask, rng, name): return mask*3+rng.normal(0, .3, mask.shape)
def noise_map(mask, rng, name): return rng.normal(0, .3, mask.shape)


def misses(share, only=None):
    "A detector that overlooks so many defects, of one object or of all"
    def made(mask, rng, name):
        return (noise_map if only in (None, name) and rng.random() < share else finds)(mask, rng, name)
    return made


def alarms(share, only=None):
    "A detector that sees defects in so many good parts"
    def made(mask, rng, name):
        out = finds(mask, rng, name)
        if not mask.any() and only in (None, name) and rng.random() < share: out[2:6, 2:6] += 3
        return out
    return made


def judged_maps(m, **asked):
    from mic_eval.run.evaluation import findings
    m, asked = m if isinstance(m, tuple) else (m, asked)
    suite = dict(title="maps", layers=dict(basic=dict(anomaly=asked)))
    return findings(m, suite=suite, field="anomaly", profile="anomaly-screen").verdict


JUDGES["anomaly"] = judged_maps
SLOW.add("anomaly")


def pasted_maps(seed, few=60, times=14):
    from mic_eval.anomaly.maps import AnomalyMaps
    m = parts(seed, few, objects=("bottle",))
    again = AnomalyMaps([f"q{i}" for i in range(few*(times-1))], np.tile(m.label, times-1), "bottle",
                        np.concatenate([np.stack(list(m.maps))]*(times-1)), list(m.masks)*(times-1))
    return m+again


BAD["anomaly"] = {
    "the same map for all": lambda s: parts(s, detector=lambda m, r, o: 0*m+1),
    "all zeros": lambda s: parts(s, detector=lambda m, r, o: 0*m),
    "noise": lambda s: parts(s, detector=noise_map),
    "upside down": lambda s: parts(s, detector=lambda m, r, o: -finds(m, r, o)),
    "the wrong place": lambda s: parts(s, detector=lambda m, r, o: np.roll(finds(m, r, o), 6, 1)),
    "the wrong place, transposed": lambda s: parts(s, detector=lambda m, r, o: np.roll(finds(m, r, o), 5, 0).T),
    "the whole part glows": lambda s: parts(s, detector=lambda m, r, o: 3.*m.any()+noise_map(m, r, o)),
    "one pixel, anywhere": lambda s: parts(s, detector=lambda m, r, o: one_pixel(m, r)),
    "blind for nuts": lambda s: parts(s, detector=misses(1, "nut")),
    "overlooks a third of nuts": lambda s: parts(s, detector=misses(.33, "nut")),
    "overlooks a fifth": lambda s: parts(s, detector=misses(.2)),
    "overlooks one in ten": lambda s: parts(s, detector=misses(.1)),
    "alarms in a third": lambda s: parts(s, detector=alarms(.33)),
    "alarms in a third of nuts": lambda s: parts(s, detector=alarms(.33, "nut")),
    "stops everything": lambda s: (parts(s, detector=noise_map), dict(rule="tpr", target=.99)),
    "stops half to find all": lambda s: (parts(s, detector=misses(.4)), dict(rule="tpr", target=.999)),
    "stops nothing": lambda s: (parts(s, detector=misses(.5)), dict(rule="fpr", target=.001)),
    "forty parts": lambda s: parts(s, 100)[30:70],
    "a hundred parts": lambda s: parts(s, 100),
    "two defects in all": lambda s: parts(s, 100, bad=.02),
    "no good part": lambda s: parts(s, 200, bad=1.),
    "no defect": lambda s: parts(s, 200, bad=0.),
    "ten parts, eighty views each": lambda s: parts(s, part=[str(i//80) for i in range(800)]),
    "pasted fourteen times": pasted_maps,
    "scores by object alone": lambda s: parts(s, detector=lambda m, r, o: 3.*(o == "nut")+noise_map(m, r, o)),
    "every other bottle on another scale": lambda s: parts(
        s, detector=lambda m, r, o: finds(m, r, o)+(0 if o == "nut" or r.random() < .5 else 50)),
    "a rare object": lambda s: parts(s, 800, objects=("bottle",))+parts(s+1, 12, objects=("nut",)).__class__(
        [f"r{i}" for i in range(12)], np.arange(12) % 2, "nut", np.zeros((12, 12, 12), np.float32),
        [np.eye(12, dtype=np.uint8) if i % 2 else None for i in range(12)]),
    "sees the border alone": lambda s: parts(s, detector=lambda m, r, o: border(m)+noise_map(m, r, o)),
    "chance above noise": lambda s: parts(s, detector=lambda m, r, o: .2*m+noise_map(m, r, o)),
    "truth leaks for bottles alone": lambda s: parts(s, detector=lambda m, r, o: m*(o == "bottle")+0.),
}


def of_kinds(seed, every, n=1600, blind=True):
    "Parts of one object whose defects are of two kinds, of which a detector overlooks the rarer"
    m = parts(seed, n, objects=("bottle",))
    rare = (m.label == 1) & (np.cumsum(m.label) % every == 0)
    maps, rng = np.stack(list(m.maps)), np.random.default_rng(seed)
    if blind: maps[rare] = rng.normal(0, .3, maps[rare].shape)
    kind = np.where(m.label == 0, "good", np.where(rare, "scratch", "crack"))
    return type(m)(m.sample_id, m.label, m.object, maps, list(m.masks), facts=pd.DataFrame(dict(defect=kind)))


def unmasked(seed, share, shift=6):
    "So many defects have no mask, and in these the detector sees the wrong place"
    m = parts(seed, 1600)
    lost = (m.label == 1) & (np.random.default_rng(seed+99).random(len(m)) < share)
    maps = np.stack(list(m.maps))
    maps[lost] = np.roll(maps[lost], shift, 2)
    return type(m)(m.sample_id, m.label, m.object, maps, [None if o else v for o, v in zip(lost, m.masks)])


BAD["anomaly"] |= {
    "blind to one kind of defect": lambda s: of_kinds(s, 20),
    "no mask where it sees the wrong place": lambda s: unmasked(s, .33),
}


def one_pixel(m, r):
    out = noise_map(m, r, "")
    if m.any(): out[tuple(r.integers(0, m.shape[0], 2))] = 9
    return out


def border(m):
    out = 0.*m
    out[0] = 3.*m.any()
    return out


GOOD["anomaly"] = {
    "finds all": lambda s: parts(s, 1600),
    "one object": lambda s: parts(s, 1000, objects=("bottle",)),
    "three objects": lambda s: parts(s, 2400, objects=("bottle", "nut", "cable")),
    "more noise": lambda s: parts(s, 1600, lambda m, r, o: 3*m+r.normal(0, .4, m.shape)),
    "another scale": lambda s: parts(s, 1600, lambda m, r, o: 100*finds(m, r, o)-7),
    "a glow around": lambda s: parts(s, 1600, lambda m, r, o: finds(m, r, o)+.5*np.roll(m, 1, 0)),
    "larger defects": lambda s: parts(s, 1600, side=6),
    "two views of a part": lambda s: parts(s, 3200, part=[str(i//2) for i in range(3200)]),
    "one defect in four": lambda s: parts(s, 2400, bad=.25),
    "one overlooked in a thousand": lambda s: parts(s, 4000, misses(.001)),
    "two kinds of defect": lambda s: of_kinds(s, 20, blind=False),
    "one mask in a hundred is missing": lambda s: unmasked(s, .01, 0),
}


# A model carried to hospitals
HOSPITALS = "north", "east", "south", "west"


def carried(seed=0, n=400, sites=HOSPITALS, signal=2., odd=None, share=.5, visits=1):
    "What a model says of the patients of several hospitals; `odd(site, y, p, rng)` spoils it, as probability or truth"
    rng, found = np.random.default_rng(seed), []
    for s in sites:
        m = n if isinstance(n, int) else n.get(s, 400)
        y = np.repeat((rng.random(m) < (share if isinstance(share, float) else share.get(s, .5)))*1, visits)
        z = np.repeat(rng.normal(0, 1, m), visits)+signal*y+rng.normal(0, .01, m*visits)
        base = share if isinstance(share, float) else share.get(s, .5)
        prior = np.log(base/(1-base)) if 0 < base < 1 else 0.
        p = 1/(1+np.exp(-(signal*z-signal**2/2+prior)))
        if odd is not None: y, p = odd(s, y, p, rng)
        found.append(pd.DataFrame(dict(hospital=s, y=y, p=p, patient=[f"{s}{i}" for i in np.arange(m*visits)//visits])))
    return pd.concat(found, ignore_index=True)


def judged_carried(t):
    from mic_eval.core.predictions import Predictions
    from mic_eval.domain.carry import SOURCE_ONLY
    from mic_eval.run.evaluation import findings
    facts = pd.DataFrame(dict(site=t.hospital.astype(str), method=SOURCE_ONLY, patient=t.patient))
    p = Predictions(np.arange(len(t)).astype(str), t.y.to_numpy(int), t.p.to_numpy(float).clip(0, 1), facts=facts,
                    field="domain")
    suite = dict(title="plain", layers=dict(basic=dict(carried={})))
    return findings(p, suite=suite, field="domain", profile="domain-carry", by=()).verdict


JUDGES["domain"] = judged_carried


def at(site, change): return lambda s, y, p, r: change(y, p, r) if site in (None, s) else (y, p)
def by_chance(y, p, r): return y, r.permutation(p)
def half_by_chance(y, p, r): return y, np.where(r.random(len(p)) < .6, r.permutation(p), p)
def turned(y, p, r): return y, 1-p
def flat(y, p, r): return y, .5+(p-.5)*.05
def half_flat(y, p, r): return y, .5+(p-.5)*.4
def too_sure(y, p, r): return y, 1/(1+np.exp(-6*(np.log(p/(1-p))+r.normal(0, 2.5, len(p)))))
def raised(y, p, r): return y, (p+.3).clip(0, .999)
def lowered(y, p, r): return y, p*.4
def one_value(y, p, r): return y, 0*p+y.mean()
def half_missing(y, p, r): return np.where((p > .5) != (y == 1), -1, y), by_chance(y, p, r)[1]
def unknown_where_wrong(y, p, r):
    q = np.where(r.random(len(p)) < .4, 1-p, p)
    return np.where((q > .5) != (y == 1), -1, y), q
def unknown_by_lot(y, p, r): return np.where(r.random(len(p)) < .6, -1, y), p


BAD["domain"] = {
    "chance": lambda s: carried(s, odd=at(None, by_chance)),
    "chance in the south": lambda s: carried(s, odd=at("south", by_chance)),
    "mostly chance in the south": lambda s: carried(s, odd=at("south", half_by_chance)),
    "turned round in the south": lambda s: carried(s, odd=at("south", turned)),
    "one value": lambda s: carried(s, odd=at(None, one_value)),
    "one value in the west": lambda s: carried(s, odd=at("west", one_value)),
    "squeezed": lambda s: carried(s, odd=at(None, flat)),
    "squeezed in the east": lambda s: carried(s, odd=at("east", flat)),
    "flattened by half": lambda s: carried(s, odd=at(None, half_flat), signal=3.),
    "flattened in the north": lambda s: carried(s, odd=at("north", half_flat), signal=3.),
    "too sure": lambda s: carried(s, odd=at(None, too_sure), signal=1.2),
    "risks too high in the south": lambda s: carried(s, odd=at("south", raised)),
    "risks too low in the west": lambda s: carried(s, odd=at("west", lowered)),
    "eight patients in the south": lambda s: carried(s, dict(south=8)),
    "twenty patients in the west": lambda s: carried(s, dict(west=20)),
    "the ill alone in the south": lambda s: carried(s, share=dict(south=1.)),
    "the well alone in the south": lambda s: carried(s, share=dict(south=0.)),
    "two ill in the south": lambda s: carried(s, share=dict(south=.006)),
    "twelve patients, fifty visits each": lambda s: carried(s, 12, visits=50),
    "twelve patients of many visits in the east": lambda s: pd.concat(
        [carried(s, sites=("north", "south")), carried(s, 12, ("east",), visits=50)]),
    "outcomes missing where wrong": lambda s: carried(s, odd=at("south", unknown_where_wrong)),
    "most outcomes missing by lot": lambda s: carried(s, 120, odd=at("south", unknown_by_lot)),
    "outcomes missing, and chance": lambda s: carried(s, odd=at("south", half_missing)),
    "weak everywhere": lambda s: carried(s, signal=.4),
    "weak in the south": lambda s: pd.concat([carried(s, sites=HOSPITALS[:2]), carried(s, 400, ("south",), .4)]),
    "ten good hospitals and one bad": lambda s: pd.concat(
        [carried(s, sites=[f"h{i}" for i in range(10)]), carried(s, 200, ("odd",), odd=at(None, by_chance))]),
    "knows the hospital alone": lambda s: carried(s, share=dict(north=.9, east=.1, south=.9, west=.1),
                                                  odd=at(None, one_value)),
    "two of four turned round": lambda s: carried(s, odd=lambda h, y, p, r: (y, 1-p if h in "east west" else p)),
    "all at one half": lambda s: carried(s, odd=at(None, lambda y, p, r: (y, 0*p+.5))),
    "forty patients everywhere": lambda s: carried(s, 40, signal=1.2),
}

GOOD["domain"] = {
    "three hospitals": lambda s: carried(s, 600, HOSPITALS[:3]),
    "four hospitals": lambda s: carried(s, 600),
    "eight hospitals": lambda s: carried(s, 600, [f"h{i}" for i in range(8)]),
    "a stronger signal": lambda s: carried(s, 400, signal=3.),
    "a weaker signal": lambda s: carried(s, 1500, signal=1.4),
    "two visits a patient": lambda s: carried(s, 600, visits=2),
    "fewer ill": lambda s: carried(s, 900, share=.25),
    "unequal shares": lambda s: carried(s, 900, share=dict(north=.3, south=.6)),
    "unequal sizes": lambda s: carried(s, dict(north=2000, east=700, south=600, west=600)),
    "two outcomes missing": lambda s: carried(s, 800, odd=at("south", lambda y, p, r: (np.r_[-1, -1, y[2:]], p))),
}


# An examination
LETTERS, SUBJECTS = "ABCDE", ("herbs", "formulas", "acupuncture")


def questions(n=300, seed=0, subjects=SUBJECTS):
    from mic_eval.tcm.items import Item
    r = np.random.default_rng(seed)
    return [Item(f"Q{i}", f"Question {i}?", "choice", options={k: f"{k}{i}" for k in LETTERS},
                 answer=LETTERS[r.integers(5)], subject=subjects[i % len(subjects)]) for i in range(n)]


def wrong(o, by=1): return LETTERS[(LETTERS.index(o.answer)+by) % 5]


def exam(seed, say, n=300, asked=None, **how):
    "Questions, and what `say(i, question, rng)` answers; None is no answer"
    asked, r = asked or questions(n, seed, **how), np.random.default_rng(seed+1)
    return asked, [(o.id, say(i, o, r)) for i, o in enumerate(asked)]


def judged_exam(case):
    from mic_eval.run.evaluation import findings
    from mic_eval.tcm import Answer, ExamItems, Responses, read_answers, read_items
    from mic_eval.tcm.exam import answers_table
    asked, said = case
    with tempfile.TemporaryDirectory() as place:   # through files, as a person has them
        ExamItems(asked).save(Path(place)/"items.jsonl")
        Responses([Answer(k, v, "m") for k, v in said if v is not None]).save(Path(place)/"answers.jsonl")
        table = answers_table(read_items(Path(place)/"items.jsonl"), read_answers(Path(place)/"answers.jsonl"))
    return findings(table, suite="tcm", field="tcm", profile="tcm-exam").verdict


JUDGES["tcm"] = judged_exam


def key(i, o, r): return f"答案：{o.answer}"
def knows(share): return lambda i, o, r: f"答案：{o.answer if r.random() < share else wrong(o, r.integers(1, 5))}"
def again(o, j): return o.__class__(f"{o.id}_{j}", o.question, "choice", options=o.options, answer=o.answer,
                                    subject=o.subject)


def repeated_exam(seed, few, times, say=key):
    asked = questions(few, seed)
    return exam(seed, say, asked=[again(o, j) for j in range(times) for o in asked])


def skewed(seed, n=300):
    "The key is A in seven of ten"
    r = np.random.default_rng(seed)
    asked = [o.__class__(o.id, o.question, "choice", options=o.options, subject=o.subject,
                         answer="A" if r.random() < .7 else o.answer) for o in questions(n, seed)]
    return asked


BAD["tcm"] = {
    "chance": lambda s: exam(s, lambda i, o, r: f"答案：{LETTERS[r.integers(5)]}"),
    "always A": lambda s: exam(s, lambda i, o, r: "答案：A"),
    "always A, where A is the key of seven in ten": lambda s: exam(s, lambda i, o, r: "答案：A", asked=skewed(s)),
    "half are right": lambda s: exam(s, knows(.5)),
    "sixty in a hundred": lambda s: exam(s, knows(.6)),
    "one subject all wrong": lambda s: exam(s, lambda i, o, r: key(i, o, r) if i % 3 else f"答案：{wrong(o)}"),
    "one subject by chance": lambda s: exam(
        s, lambda i, o, r: key(i, o, r) if i % 3 else f"答案：{LETTERS[r.integers(5)]}"),
    "refuses a third": lambda s: exam(s, lambda i, o, r: key(i, o, r) if i % 3 else "sorry"),
    "refuses a subject": lambda s: exam(s, lambda i, o, r: key(i, o, r) if i % 3 else "我无法回答这个问题。"),
    "answers nothing readable": lambda s: exam(s, lambda i, o, r: "中医博大精深。"),
    "a third unanswered": lambda s: exam(s, lambda i, o, r: key(i, o, r) if i % 3 else None),
    "unanswered where it would be wrong": lambda s: exam(
        s, lambda i, o, r: key(i, o, r) if r.random() < .5 else None),
    "a tenth unanswered": lambda s: exam(s, lambda i, o, r: key(i, o, r) if i % 10 else None),
    "empty where it was hard": lambda s: exam(s, lambda i, o, r: key(i, o, r) if r.random() < .55 else ""),
    "names every option": lambda s: exam(s, lambda i, o, r: "答案：A、B、C、D、E"),
    "names two options": lambda s: exam(s, lambda i, o, r: f"答案：{o.answer}或{wrong(o)}"),
    "twelve questions": lambda s: exam(s, key, 12),
    "twelve questions, asked 25 times": lambda s: repeated_exam(s, 12, 25),
    "six questions, asked 50 times": lambda s: repeated_exam(s, 6, 50),
    "the letter after the key": lambda s: exam(s, lambda i, o, r: f"答案：{wrong(o)}"),
    "repeats the question": lambda s: exam(s, lambda i, o, r: o.question),
    "repeats the options": lambda s: exam(s, lambda i, o, r: " ".join(f"{k}. {v}" for k, v in o.options.items())),
    "denies the key": lambda s: exam(s, lambda i, o, r: f"答案不是{o.answer}"),
    "every answer corrected to a wrong one": lambda s: exam(
        s, lambda i, o, r: f"答案：{o.answer}。不对，更正：答案：{wrong(o)}"),
    "letters beyond the options": lambda s: exam(s, lambda i, o, r: "答案：F"),
    "one subject of four questions by chance": lambda s: exam(
        s, lambda i, o, r: key(i, o, r) if i % 3 else f"答案：{wrong(o)}", subjects=("herbs", "formulas", "pulse")),
    "the same answer to all, in words": lambda s: exam(s, lambda i, o, r: f"应选 {o.options['B']}"),
    "alternates": lambda s: exam(s, lambda i, o, r: f"答案：{LETTERS[i % 5]}"),
    "right for the first fifth": lambda s: exam(
        s, lambda i, o, r: key(i, o, r) if i < 60 else f"答案：{LETTERS[r.integers(5)]}"),
    "an error instead of an answer": lambda s: exam(s, lambda i, o, r: key(i, o, r) if i % 4 else "Error 500: timeout"),
}

GOOD["tcm"] = {
    "all right": lambda s: exam(s, key),
    "ninety in a hundred": lambda s: exam(s, knows(.9)),
    "seventy-five in a hundred": lambda s: exam(s, knows(.75), 400),
    "96 right answers": lambda s: exam(s, key, 96),
    "bold letters": lambda s: exam(s, lambda i, o, r: f"**{o.answer}**"),
    "letters on lines of their own": lambda s: exam(s, lambda i, o, r: f"先分析题干。\n{o.answer}\n"),
    "in English": lambda s: exam(s, lambda i, o, r: f"The answer is {o.answer}."),
    "the option's words": lambda s: exam(s, lambda i, o, r: f"答案：{o.answer}. {o.options[o.answer]}"),
    "two unanswered": lambda s: exam(s, lambda i, o, r: key(i, o, r) if i > 1 else None),
    "one subject": lambda s: exam(s, knows(.9), subjects=("herbs",)),
}


# A gate: a candidate beside the model in use
def gated(case):
    "`(candidate, baseline or None, options of the gate)` -> `pass` where the gate opens"
    from mic_eval.gate.gate import gate
    from mic_eval.run.evaluation import make_run
    new, before, how = (*case, {})[:3]
    limits = how.pop("limits", None)
    with tempfile.TemporaryDirectory() as place:
        if limits: (Path(place)/"limits.yml").write_text(limits)
        def stored(name, t):
            if t is None: return None
            t.to_csv(Path(place)/f"{name}.csv", index=False)
            return make_run(predictions=Path(place)/f"{name}.csv", field="classification", suite=PLAIN, by=(),
                            profile="none", out=Path(place)/name)
        a, b = stored("new", new), stored("before", before)
        profile = str(Path(place)/"limits.yml") if limits else how.pop("profile", "none")
        found = gate(a, baseline=b, profile=profile, report="none", **how)
    return ("pass" if found.exit_code == 0 else {1: "fail", 3: "error", 4: "insufficient n"}[found.exit_code],
            found.sentence)


JUDGES["gate"] = gated
SLOW |= {"gate", "wells"}


def beside(seed, spoil=None, n=4000, wrong=.05, **facts):
    "A candidate that `spoil` makes of a model's table, and that model"
    t = rows(n, seed, wrong, **facts)
    fresh = t.assign(y_prob=(t.y_prob+np.random.default_rng(seed+7).normal(0, .004, n)).clip(.001, .999))
    return (fresh if spoil is None else spoil(fresh)), t


def loses(share, of=1, where=None):
    "A candidate that calls so many of a class, or of a place, wrongly"
    def spoil(t):
        there = (t.y_true == of) if of is not None else (t.y_true >= 0)
        if where: there &= where(t)
        right = (t.y_prob > .5) == (t.y_true == 1)
        return flipped(t, there & right & by_lot(t, 3, share))
    return spoil


def swapped_loss(t):
    "As many right as before: it gains on one class what it loses on the other"
    right = (t.y_prob > .5) == (t.y_true == 1)
    mend = (t.y_true == 0) & ~right
    spoilt = (t.y_true == 1) & right & ((t.y_true == 1) & right).cumsum().le(int(mend.sum()))
    return flipped(t, mend | spoilt)


def hospitals_of(n, sites=5): return dict(hospital=[f"H{i % sites}" for i in range(n)])
BY_HOSPITAL = "groups: [hospital]\ncriteria:\n  - {metric: accuracy, limit: 0.8, direction: min, on: lo}\n"
SIZE = "criteria:\n  - {metric: items.n.rows, limit: 30, direction: min}\n"
EASY = "criteria:\n  - {metric: accuracy, limit: 0.3, direction: min, on: lo}\n"
LESIONS = ["prob_melanoma", "prob_naevus", "prob_keratosis"]


def flat_lesions(seed):
    t = lesions(seed)
    return t.assign(**{c: (t[c]-1/3)*.01+1/3 for c in LESIONS})


BAD["gate"] = {
    "finds no melanoma": lambda s: (lesions(s, lose=0), lesions(s)),
    "finds half the melanomas": lambda s: (pd.concat([lesions(s, lose=0)[:30], lesions(s)[30:]]), lesions(s)),
    "naevi and keratoses change places": lambda s: (lesions(s, swap=.1), lesions(s)),
    "probabilities flattened": lambda s: (flat_lesions(s), lesions(s)),
    "probabilities squeezed": lambda s: beside(s, lambda t: squeezed(t, .04)),
    "probabilities flattened a little": lambda s: beside(s, lambda t: squeezed(t, .7)),
    "surer than it is": lambda s: beside(s, lambda t: t.assign(y_prob=np.where(t.y_prob > .5, .9999, .0001))),
    "misses one in ten more": lambda s: beside(s, loses(.1)),
    "misses one in thirty more": lambda s: beside(s, loses(.033)),
    "alarms one in ten more": lambda s: beside(s, loses(.1, 0)),
    "gains on one class what it loses on the other": lambda s: beside(s, swapped_loss),
    "worse at one hospital": lambda s: (*beside(s, loses(.2, None, lambda t: t.hospital == "H3"), 4000,
                                                **hospitals_of(4000)), dict(limits=BY_HOSPITAL)),
    "flattened at one hospital": lambda s: beside(
        s, lambda t: t.assign(y_prob=np.where(t.hospital == "H3", .5+(t.y_prob-.5)*.1, t.y_prob)), 4000,
        **hospitals_of(4000)),
    "chance": lambda s: beside(s, lambda t: t.assign(y_prob=np.random.default_rng(1).permutation(t.y_prob))),
    "the wrong way round": lambda s: beside(s, lambda t: t.assign(y_prob=1-t.y_prob)),
    "always the same": lambda s: beside(s, lambda t: t.assign(y_prob=.9)),
    "nothing to compare with": lambda s: (rows(seed=s), None),
    "limits on size alone": lambda s: (rows(seed=s, wrong=.4), None, dict(limits=SIZE)),
    "limits on chance, and a bad model": lambda s: (rows(seed=s, wrong=.5), rows(seed=s), dict(limits=EASY)),
    "a limit that is not met": lambda s: (rows(seed=s, wrong=.3), None, dict(profile="classification-screen")),
    "itself": lambda s: (rows(seed=s), rows(seed=s)),
    "itself, with other columns": lambda s: (rows(seed=s, note="x"), rows(seed=s)),
    "itself, and bad by its limits": lambda s: (
        rows(seed=s, wrong=.4), rows(seed=s, wrong=.4), dict(profile="classification-screen")),
    "forty rows": lambda s: beside(s, None, 40),
    "two hundred rows": lambda s: beside(s, None, 200),
    "other rows": lambda s: (rows(seed=s).assign(sample_id=lambda t: "x"+t.sample_id), rows(seed=s)),
    "half of the rows": lambda s: (rows(seed=s)[:600], rows(seed=s)),
    "other truths": lambda s: (rows(seed=s).assign(y_true=lambda t: 1-t.y_true), rows(seed=s)),
    "no truth where it is worse": lambda s: (lambda new, old: (without_truth(new, wrong_of(new)), old))(
        *beside(s, loses(.1))),
    "a threshold moved": lambda s: beside(s, lambda t: t.assign(y_pred=(t.y_prob > .96)*1)),
}

GOOD["gate"] = {
    "as good, on 4,000 rows": lambda s: beside(s),
    "a little better": lambda s: beside(s, lambda t: flipped(t, wrong_of(t) & by_lot(t, 5, .2))),
    "much better": lambda s: (rows(4000, s, .01), rows(4000, s, .01).pipe(loses(.1, None))),
    "as good at five hospitals": lambda s: beside(s, None, 4000, **hospitals_of(4000)),
    "meets its limits, without a baseline": lambda s: (rows(2000, s), None, dict(profile="classification-screen")),
    "meets its limits beside a baseline": lambda s: (*beside(s), dict(profile="classification-screen")),
    "itself, and meets its limits": lambda s: (rows(2000, s), rows(2000, s), dict(profile="classification-screen")),
    "three classes": lambda s: (lambda t: (t.assign(**shaken_lesions(t)), t))(lesions(s, n=4000, rare=800)),
    "strictly": lambda s: (*beside(s), dict(strict=True)),
    "few errors": lambda s: beside(s, wrong=.01),
}


def shaken_lesions(t):
    p = t[LESIONS].to_numpy()+np.random.default_rng(0).uniform(0, .002, (len(t), 3))
    return dict(zip(LESIONS, (p/p.sum(1, keepdims=True)).T))


# Methods trained on wrong labels
def trials(seed, fall=.02, base=.93, sets=4, seeds=5, spread=.008, levels=(0, .1, .2, .3, .4), kinds=("symmetric",),
           odd=None, majority=.5, classes=2):
    "Accuracies of three methods over data sets, levels and seeds; `odd(method, data, kind, level, value, rng)` spoils"
    from mic_eval.core.kinds import Trials
    rng, found = np.random.default_rng(seed), []
    for m, extra in (("plain", .0), ("robust", .01), ("other", -.01)):
        for d in range(sets):
            for k in kinds:
                for x in levels:
                    for j in range(seeds):
                        v = base+extra-fall*x/(max(levels) or 1)+rng.normal(0, spread)
                        v = v if odd is None else odd(m, d, k, x, v, rng)
                        found.append((m, f"set{d}", k, x, j, None if v is None else float(np.clip(v, 0, 1))))
    t = pd.DataFrame(found, columns=["method", "data", "kind", "level", "seed", "value"])
    facts = pd.DataFrame(dict(noise_kind=t.kind, noise_seed=0, majority=majority, classes=classes))
    values = np.array([None if v != v else dict(accuracy=v) for v in t.value], object)
    return Trials(np.arange(len(t)).astype(str), method=t.method.to_numpy(object), data=t.data.to_numpy(object),
                  setting=t.level.to_numpy(object), seed=t.seed.to_numpy(int), fold=np.zeros(len(t), int),
                  values=values, facts=facts, field="noise")


def judged_trials(t):
    from mic_eval.run.evaluation import findings
    suite = dict(title="plain", layers=dict(basic=dict(label_noise={})))
    return findings(t, suite=suite, field="noise", profile="noise-scenes", by=()).verdict


JUDGES["noise"] = judged_trials
BOTH = "symmetric", "asymmetric"
BAD["noise"] = {
    "chance": lambda s: trials(s, 0, .5),
    "falls by thirty points": lambda s: trials(s, .3),
    "falls by twenty points": lambda s: trials(s, .2),
    "bad from the start": lambda s: trials(s, .01, .7),
    "at the limit": lambda s: trials(s, .02, .845),
    "one seed": lambda s: trials(s, seeds=1),
    "two seeds, far apart": lambda s: trials(s, seeds=2, spread=.4),
    "one level": lambda s: trials(s, levels=(0,)),
    "without the clean level": lambda s: trials(s, levels=(.1, .2)),
    "lost at the highest level": lambda s: trials(s, odd=lambda m, d, k, x, v, r: .5 if x == .4 else v),
    "lost on one data set": lambda s: trials(s, odd=lambda m, d, k, x, v, r: v-.5*x if d == 3 else v),
    "fails on one data set": lambda s: trials(s, odd=lambda m, d, k, x, v, r: .4 if d == 3 else v),
    "lost to one kind of noise": lambda s: trials(
        s, kinds=BOTH, odd=lambda m, d, k, x, v, r: v-x if k == BOTH[1] else v),
    "not trained where it was hard": lambda s: trials(
        s, .3, odd=lambda m, d, k, x, v, r: None if x >= .3 else v),
    "no result on one data set": lambda s: trials(s, odd=lambda m, d, k, x, v, r: None if d == 3 else v),
    "no result in a tenth": lambda s: trials(s, odd=lambda m, d, k, x, v, r: None if r.random() < .1 else v),
    "by lot": lambda s: trials(s, odd=lambda m, d, k, x, v, r: r.random()),
    "lucky seeds among bad": lambda s: trials(s, odd=lambda m, d, k, x, v, r: v if r.random() < .6 else .5),
    "rises with the noise": lambda s: trials(s, -.3, .6),
    "a majority class of nine in ten": lambda s: trials(s, 0, .9, majority=.9),
    "below the majority class": lambda s: trials(s, 0, .86, majority=.93),
    "falls at once": lambda s: trials(s, odd=lambda m, d, k, x, v, r: v-.25 if x else v),
    "the first alone falls": lambda s: trials(s, odd=lambda m, d, k, x, v, r: v-.5*x+.05 if m == "robust" else v-.3),
    "ten classes by chance": lambda s: trials(s, 0, .1, classes=10, majority=.1),
    "collapses in one seed of five": lambda s: trials(
        s, odd=lambda m, d, k, x, v, r: .2 if x == .4 and r.random() < .3 else v),
    "one data set by chance, three good": lambda s: trials(s, odd=lambda m, d, k, x, v, r: .5 if d == 0 else v),
    "worst of two sets at .72": lambda s: trials(s, sets=2, odd=lambda m, d, k, x, v, r: .72 if d == 1 else v),
    "drops sixteen points": lambda s: trials(s, .16, .97),
    "no clean baseline for one set": lambda s: trials(
        s, odd=lambda m, d, k, x, v, r: None if x == 0 and d == 2 else v),
    "errors in every trial": lambda s: trials(s, odd=lambda m, d, k, x, v, r: None),
}

GOOD["noise"] = {
    "falls by two points": lambda s: trials(s),
    "falls by five points": lambda s: trials(s, .05),
    "two kinds": lambda s: trials(s, kinds=BOTH),
    "ten seeds": lambda s: trials(s, seeds=10, spread=.02),
    "ten classes": lambda s: trials(s, classes=10, majority=.12),
    "two sets": lambda s: trials(s, sets=2),
    "eight sets": lambda s: trials(s, sets=8),
    "better at the start": lambda s: trials(s, .08, .97),
    "three levels": lambda s: trials(s, levels=(0, .2, .4)),
    "one set a little lower": lambda s: trials(s, odd=lambda m, d, k, x, v, r: v-.05 if d == 1 else v),
}


# A model under attack
def pictures(seed, n=240, gap=.12, noise=.05, size=6):
    "Pictures whose mean brightness tells the class, and the class"
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    x = .5+gap*(2*y-1)[:, None, None, None]+rng.normal(0, noise, (n, 3, size, size))
    return x.clip(0, 1).astype(np.float32), y


def network(seed, spoil=None, gain=60., weight=None, noise=0.):
    "A torch model of the mean brightness; `spoil(z, x)` is what becomes of its logit"
    import torch
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.gain = torch.nn.Parameter(torch.tensor(float(gain)))
        def forward(self, x):
            w = torch.ones_like(x[0]) if weight is None else torch.as_tensor(weight, dtype=x.dtype)
            z = self.gain*((x-.5)*w).mean((1, 2, 3))
            if noise: z = z+noise*torch.randn_like(z)
            return z if spoil is None else spoil(z, x)
    return Net().eval()


class Answers:
    "What is asked for labels or probabilities, and gives no gradient"
    kind = "prob"
    def __init__(self, say): self.say = say
    def predict_proba(self, x):
        p = np.asarray(self.say(np.asarray(x)), float)
        return np.stack([1-p, p], 1)


def judged_attack(case):
    from mic_eval.trust.attack_checks import attack_checks
    from mic_eval.trust.command import attack_verdict
    from mic_eval.trust.worst_case import attacked_predictions, worst_case_of
    model, (x, y), *more = case
    radii = more[0] if more else (.02, .05)
    q = attacked_predictions(model, (x, y), radii=radii, budget="quick")
    found = attack_checks(model, (x, y), worst_case_of(q), samples=16)
    return attack_verdict(q, found.warning, "attack-screen").result()


JUDGES["trust"] = judged_attack


SLOW.add("trust")


def bright(x, by=60.): return 1/(1+np.exp(-by*(x.reshape(len(x), -1).mean(1)-.5)))
def close(s, **how): return pictures(s, **(dict(gap=.015, noise=.02) | how))


def torch_of(change):
    "What is done to a logit with torch at hand"
    import torch
    return lambda z, x: change(torch, z, x)


def mixed_labels(s, share, n=240):
    x, y = pictures(s, n)
    return x, np.where(np.random.default_rng(s).random(len(y)) < share, 1-y, y)


def few(s, n): return pictures(s, n)


def one_pixel_weight(size=6):
    w = np.zeros((3, size, size), np.float32)
    w[0, 0, 0] = 3*size*size
    return w


def corner(s, n=240):
    "The class stands in one bright pixel, by little"
    x, y = pictures(s, n, gap=0., noise=.02)
    x[:, 0, 0, 0] = .5+.03*(2*y-1)
    return x, y


BAD["trust"] = {
    "brittle": lambda s: (network(s), close(s)),
    "brittle, steep": lambda s: (network(s, gain=2000.), close(s)),
    "brittle, flat": lambda s: (network(s, gain=1.), close(s)),
    "one pixel decides": lambda s: (network(s, weight=one_pixel_weight()), corner(s)),
    "chance": lambda s: (network(s), mixed_labels(s, .5)),
    "a fifth wrong": lambda s: (network(s), mixed_labels(s, .2)),
    "a tenth wrong": lambda s: (network(s), mixed_labels(s, .12)),
    "the wrong way round": lambda s: (network(s, gain=-60.), pictures(s)),
    "always the same": lambda s: (network(s, torch_of(lambda t, z, x: z*0+3)), pictures(s)),
    "always one half": lambda s: (network(s, torch_of(lambda t, z, x: z*0)), pictures(s)),
    "twelve pictures": lambda s: (network(s), few(s, 12)),
    "twenty pictures": lambda s: (network(s), few(s, 20)),
    "answers 0 and 1": lambda s: (Answers(lambda x: (bright(x) > .5)*1.), close(s)),
    "answers 0 and 1, far apart": lambda s: (Answers(lambda x: (bright(x) > .5)*1.), pictures(s)),
    "answers of one digit": lambda s: (Answers(lambda x: bright(x, 20).round(1)), close(s)),
    "answers of two digits": lambda s: (Answers(lambda x: bright(x).round(2)), close(s)),
    "probabilities without a gradient": lambda s: (Answers(bright), close(s)),
    "the sign of the logit": lambda s: (network(s, torch_of(lambda t, z, x: 9*t.sign(z))), close(s)),
    "a rounded logit": lambda s: (network(s, torch_of(lambda t, z, x: t.round(z))), close(s)),
    "rounded pixels": lambda s: (network(s, torch_of(
        lambda t, z, x: 60*(t.round(x*32)/32-.5).mean((1, 2, 3)))), close(s)),
    "a saturated logit": lambda s: (network(s, torch_of(lambda t, z, x: 40*t.tanh(80*z))), close(s)),
    "a gradient cut off": lambda s: (network(s, torch_of(lambda t, z, x: z.detach()+0*x.sum((1, 2, 3)))), close(s)),
    "a gradient of the wrong sign": lambda s: (network(s, torch_of(lambda t, z, x: 2*z.detach()-z)), close(s)),
    "a gradient of a thousandth": lambda s: (network(s, torch_of(
        lambda t, z, x: z.detach()*.999+z*.001)), close(s)),
    "noise in the logit": lambda s: (network(s, noise=2.), close(s)),
    "noise in the pixels": lambda s: (network(s, torch_of(
        lambda t, z, x: 60*(x+.05*t.randn_like(x)-.5).mean((1, 2, 3)))), close(s)),
    "a staircase": lambda s: (network(s, torch_of(lambda t, z, x: 4*t.floor(z/.5)*.5+1)), close(s)),
    "one branch of a tree": lambda s: (Answers(lambda x: np.where(bright(x) > .5, .93, .07)), close(s)),
    "a forest": lambda s: (Answers(lambda x: forest(x, s)), close(s)),
    "half of the pictures close": lambda s: (network(s), tuple(
        np.concatenate(o) for o in zip(pictures(s, 120), close(s, n=120)))),
}


def forest(x, s, trees=25):
    "Trees that each ask whether the mean of some pixels is above one half"
    flat, rng = x.reshape(len(x), -1), np.random.default_rng(0)
    votes = [flat[:, rng.permutation(flat.shape[1])[:54]].mean(1) > .5 for _ in range(trees)]
    return np.mean(votes, axis=0)


GOOD["trust"] = {
    "far apart": lambda s: (network(s), pictures(s)),
    "farther apart": lambda s: (network(s), pictures(s, gap=.2)),
    "more noise": lambda s: (network(s), pictures(s, noise=.1)),
    "more pictures": lambda s: (network(s), pictures(s, 400)),
    "a steeper logit": lambda s: (network(s, gain=120.), pictures(s)),
    "a flatter logit": lambda s: (network(s, gain=20.), pictures(s)),
    "small radii, close": lambda s: (network(s), close(s, gap=.04, noise=.02), (.005, .01)),
    "one in thirty wrong": lambda s: (network(s), mixed_labels(s, .03, 600)),
    "larger pictures": lambda s: (network(s), pictures(s, size=10)),
    "a smooth bend": lambda s: (network(s, torch_of(lambda t, z, x: z+.1*t.sin(z))), pictures(s)),
}


def lesser(share): return lambda s: (lambda t: flipped(t, by_lot(t, s, share)))(rows(seed=s, wrong=0, spread=.01))


# Found by asking again: names that nobody had thought of, and what drops out whole
BAD["classification"] |= {
    f"one {name} of five is bad": lambda s, name=name: sites(s, name=name)
    for name in ("ward", "scanner", "batch", "性别")
} | {
    f"ten patients, column {name}": lambda s, name=name: units(s, 10, name=name)
    for name in ("mrn", "study_id", "病历号")
} | {
    f"learned rows in a column {name}": lambda s, name=name: rows(seed=s, **{name: ["train"]*600+["test"]*600})
    for name in ("set", "partition", "划分")
}
GOOD["classification"] |= {
    "five wards": lambda s: rows(3000, s, .03, ward=[f"W{i % 5}" for i in range(3000)]),
    "a ward of six": lambda s: rows(3000, s, .03, ward=["W1"]*6+["W2"]*2994),
    "a column set that names no part": lambda s: rows(2000, s, .03, set=["A"]*1000+["B"]*1000),
    "a forest of 200 trees": lambda s: rows(2000, s, .03).assign(y_prob=lambda t: (t.y_prob*200).round()/200),
}
BAD["domain"]["a hospital without an outcome"] = lambda s: carried(s, odd=at("west", lambda y, p, r: (0*y-1, p)))
BAD["noise"]["tried up to one percent"] = lambda s: trials(s, levels=(0, .005, .01))
BAD["noise"]["another method collapses"] = lambda s: trials(
    s, odd=lambda m, d, k, x, v, r: .55 if m == "other" and x == .4 else v)
BAD["noise"]["seeds that change nothing"] = lambda s: trials(s, spread=0.)


# Pairs of which a side is missing or says nothing, and isolates that stand twice
def told(t, where, **cells): return t.assign(**{c: np.where(where(t), v, t[c]) for c, v in cells.items()})
def apart(t): return np.abs(np.log2(pd.to_numeric(t.new)/pd.to_numeric(t.BMD))) > 1
def of_drug(name): return lambda t: t.drug == name
def copied(t, *names): return pd.concat([t, *(t.assign(isolate=t.isolate+o) for o in names)])
def parted(t, column, parts=5): return t.assign(**{column: [f"L{int(i[1:]) % parts}" for i in t.isolate]})
def off_in_part(d, i, m, r): return m*8 if i % 5 == 0 and r.random() < .3 else m


def mostly_right(seed):
    "Twelve isolates of forty are far off; the others stand five times"
    t = pairs(lambda d, i, m, r: m*8 if i < 12 else m, 40, seed)
    return pd.concat([t, *(t[~t.isolate.isin(t[apart(t)].isolate)].assign(isolate=lambda q: q.isolate+f"x{j}")
                           for j in range(4))])


BAD["MIC pairs"] |= {
    "no reference where it was off": lambda s: told(pairs(off("colistin", 8, .3), seed=s), apart, BMD=""),
    "no reference where it was off, any drug": lambda s: told(
        pairs(lambda d, i, m, r: m*8 if r.random() < .25 else m, 100, s), apart, BMD="NA"),
    "no reference for a drug": lambda s: told(pairs(same, seed=s), of_drug("colistin"), BMD=""),
    "one MIC for all that have nearly one": lambda s: told(
        pairs(same, seed=s), of_drug("colistin"), BMD=np.array(["2", "4", "8"])[np.arange(300) % 3], new="4"),
    "one MIC where there is one": lambda s: told(pairs(same, seed=s), of_drug("colistin"), BMD="4", new="4"),
    "two MICs by lot": lambda s: told(
        pairs(same, seed=s), of_drug("colistin"), BMD=np.array(["2", "4"])[np.arange(300) % 2],
        new=np.random.default_rng(s).choice(["2", "4"], 300)),
    "fifteen isolates twice": lambda s: copied(pairs(same, 15, s), "b"),
    "fifteen isolates four times": lambda s: copied(pairs(same, 15, s), "-1", "-2", "-3"),
    "twenty-five isolates twice, in another order": lambda s: copied(pairs(same, 25, s), "b").sample(
        frac=1, random_state=s),
    "fifteen rows of a drug four times, without names": lambda s: copied(pairs(same, 15, s), *"abc").drop(
        columns="isolate"),
    "right isolates five times": mostly_right,
    "off at one site": lambda s: parted(pairs(off_in_part, 200, s), "site"),
    "off with one lot": lambda s: parted(pairs(off_in_part, 200, s), "lot"),
}
GOOD["MIC pairs"] |= {
    "one reference missing": lambda s: told(pairs(near, 100, s), lambda t: t.isolate == "i3", BMD=""),
    "drugs that were not on the panel": lambda s: told(
        pairs(near, 120, s), lambda t: (t.drug == "colistin") & (t.index % 2 == 0), BMD="", new=""),
    "MICs within three dilutions": lambda s: pairs(near, 100, s, low=0, high=2),
    "two MICs, read exactly": lambda s: pairs(same, 60, s, low=0, high=1),
    "thirty isolates of one profile": lambda s: told(
        pairs(same, 80, s), lambda t: t.isolate.str[1:].astype(int) < 30, BMD="1", new="1"),
    "three sites": lambda s: parted(pairs(near, 200, s), "site", 3),
    "two isolates of no named organism": lambda s: told(
        organisms(s, near, 60), lambda t: t.isolate.isin(["i3", "i4"]), organism=""),
}


# Weights that know the errors, copies that are none, names that hold patients, and columns that nobody named
def weighing(t, light, heavy=1.): return t.assign(weight=np.where(wrong_of(t), light, heavy))


def repeated_where_right(seed, jitter):
    "Right rows ten times, under other names and a little shaken; three in ten of the first are wrong"
    t, rng = rows(200, seed, .3), np.random.default_rng(seed)
    right = t[~wrong_of(t)]
    return pd.concat([t, *(right.assign(sample_id=right.sample_id+f"_{i}", y_prob=(
        right.y_prob+rng.normal(0, jitter, len(right))).clip(.001, .999)) for i in range(10))])


def learned(seed, column, yes, no):
    "Nine hundred rows that a model learned from, and three hundred of which three in ten are wrong"
    t = rows(seed=seed, wrong=.01, **{column: [yes]*900+[no]*300})
    return flipped(t, (np.arange(1200) >= 900) & by_lot(t, seed, .3))


BAD["classification"] |= {
    "weights of a thousandth where wrong": lambda s: weighing(rows(seed=s, wrong=.25), .001),
    "lesser weights where wrong": lambda s: (lambda t: weighing(
        t, np.random.default_rng(s).uniform(.05, .15, len(t))))(rows(seed=s, wrong=.25)),
    "weight 0 where wrong": lambda s: weighing(rows(seed=s, wrong=.25), 0),
    "one row holds the weight": lambda s: rows(seed=s, wrong=0).assign(weight=[1e6]+[1.]*1199),
    "right rows ten times": lambda s: repeated_where_right(s, 0),
    "right rows ten times, shaken": lambda s: repeated_where_right(s, 1e-5),
    "wrong rows look like copies": lambda s: (lambda t: t.assign(y_prob=np.where(
        wrong_of(t), np.where(t.y_true == 1, .499, .501), t.y_prob)))(rows(seed=s, wrong=.3)),
    "ten patients by their names": lambda s: units(s, 10).assign(
        sample_id=lambda t: [f"P{o}_{i}" for i, o in enumerate(t.patient_id)]).drop(columns="patient_id"),
    "learned rows are called development": lambda s: learned(s, "split", "development", "test"),
    "learned rows are called tuning": lambda s: learned(s, "split", "tuning", "test"),
    "a column is_train": lambda s: learned(s, "is_train", True, False),
} | {f"bad in one {name}": lambda s, name=name: sites(s, name=name)
     for name in ("skin_type", "age_group", "country", "source", "year", "fold", "年龄组")}
GOOD["classification"] |= {
    "classes sampled unequally": lambda s: rows(3000, s).assign(weight=lambda t: np.where(t.y_true == 1, .2, 1.)),
    "weights by lot": lambda s: rows(3000, s).assign(weight=np.random.default_rng(s).uniform(.5, 2, 3000)),
    "hospitals sampled unequally": lambda s: sites(s, bad=.01, n=5000).assign(
        weight=lambda t: t.hospital.map(dict(H0=1, H1=2, H2=.5, H3=1, H4=1.5))),
    "five folds": lambda s: rows(3000, s, fold=np.arange(3000) % 5),
    "three age groups": lambda s: rows(4000, s, age_group=np.array(["young", "middle", "old"])[np.arange(4000) % 3]),
    "names with two numbers": lambda s: rows(2000, s).assign(sample_id=[f"H{i % 5}_{i}" for i in range(2000)]),
    "a column is_train that is false": lambda s: rows(2000, s, is_train=False),
}


BAD["noise"] |= {
    "one label in a hundred": lambda s: trials(s, levels=(0, .005, .01)),
    "one label in twenty": lambda s: trials(s, levels=(0, .02, .05)),
    "the best was not tried with one kind": lambda s: trials(
        s, kinds=BOTH, odd=lambda m, d, k, x, v, r: None if (m, k) == ("robust", BOTH[1]) else v),
    "the best was not tried with one kind, and has no row": lambda s: (lambda t: t[
        ~((t.method == "robust") & (t.fact("noise_kind") == BOTH[1]))])(trials(s, kinds=BOTH)),
    "collapses at one level between": lambda s: trials(s, odd=lambda m, d, k, x, v, r: .5 if x == .2 else v),
    "one seed of the clean level is bad": lambda s: trials(s, .12, .93, odd=lambda m, d, k, x, v, r: v-.1*(x > .1)),
}
GOOD["noise"] |= {
    "levels to one in five": lambda s: trials(s, levels=(0, .1, .2)),
}


BAD["gate"] |= {
    "as good, on rows that it learned from": lambda s: beside(s, split="train"),
    "weights that know what it lost": lambda s: tuple(weighing(t, .001) for t in beside(s, loses(.1))),
    "worse in one skin type": lambda s: (
        *beside(s, loses(.25, None, lambda t: t.skin_type == "T3"), skin_type=[f"T{i % 5}" for i in range(4000)]),
        dict(profile="classification-screen")),
}


SCREEN = dict(profile="classification-screen")
BAD["gate"] |= {   # the runs are made without a breakdown
    "a bad hospital of five, and no baseline": lambda s: (sites(s, n=6000, bad=.4), None, dict(SCREEN)),
    "a bad ward of five, and no baseline": lambda s: (sites(s, n=6000, bad=.4, name="ward"), None, dict(SCREEN)),
    "a bad reader beside a baseline": lambda s: (
        *beside(s, loses(.2, None, lambda t: t.reader == "R3"), reader=[f"R{i % 5}" for i in range(4000)]),
        dict(margin=.06)),
    "a hospital whose truths are missing": lambda s: (lambda t: (
        without_truth(t, (t.hospital == "H3") & by_lot(t, s, .3)), None, dict(SCREEN)))(sites(s, n=6000, bad=.01)),
}
GOOD["gate"] |= {
    "five hospitals, and no baseline": lambda s: (sites(s, n=6000, bad=.01), None, dict(SCREEN)),
    "five wards, and no baseline": lambda s: (sites(s, n=6000, bad=.01, name="ward"), None, dict(SCREEN)),
    "five readers beside a baseline": lambda s: beside(s, reader=[f"R{i % 5}" for i in range(4000)]),
    "a ward of six rows": lambda s: beside(s, ward=["W1"]*6+["W2"]*3994),
}


def pasted_beside(seed, move, few=200, times=20):
    "A candidate and its model over few rows, pasted many times; `move(scores, i, rng)` changes the copies"
    rng = np.random.default_rng(seed)
    def again(t): return pd.concat([t.assign(sample_id=t.sample_id+f"_{i}", y_prob=move(t.y_prob, i, rng).clip(0, 1))
                                    for i in range(times)], ignore_index=True)
    return tuple(map(again, beside(seed, n=few)))


BAD["gate"] |= {
    "two hundred rows twenty times": lambda s: pasted_beside(s, lambda p, i, r: p),
    "two hundred rows twenty times, shaken": lambda s: pasted_beside(s, lambda p, i, r: p+r.normal(0, 1e-5, len(p))),
    "two hundred rows twenty times, moved": lambda s: pasted_beside(s, lambda p, i, r: .9*p+.05+1e-4*i),
} | {f"two hundred rows twenty times, shaken by {by}, in any order": lambda s, by=by: in_any_order(
        s, pasted_beside(s, lambda p, i, r: p+r.normal(0, by, len(p)))) for by in (1e-6, 1e-5, 1e-4)} | {
    "two hundred rows twenty times, each copy moved, in any order": lambda s: in_any_order(
        s, pasted_beside(s, lambda p, i, r: p+1e-4*i)),
    "three classes ten times, shaken, in any order": lambda s: in_any_order(s, lesions_again(s, 10)),
}


def in_any_order(seed, pair):
    order = np.random.default_rng(seed).permutation(len(pair[0]))
    return tuple(t.iloc[order].reset_index(drop=True) for t in pair)


def lesions_again(seed, times, by=1e-5):
    "Three hundred lesions, each so often and shaken by a little, as two models see them"
    few, r = lesions(seed, n=300, rare=60), np.random.default_rng(seed+1)
    def again(t):
        t = pd.concat([t.assign(sample_id=t.sample_id+f"_{i}") for i in range(times)], ignore_index=True)
        p = t[LESIONS].to_numpy()+r.uniform(0, by, (len(t), 3))
        return t.assign(**dict(zip(LESIONS, (p/p.sum(1, keepdims=True)).T)))
    return again(few.assign(**shaken_lesions(few))), again(few)

GOOD["gate"] |= {
    "two thousand rows twice": lambda s: pasted_beside(s, lambda p, i, r: p, 2000, 2),
}


def reads_from(t, column, where, value): return t.assign(**{column: np.where(where(t), value, t[column])})
def first_of(drug, n): return lambda t: (t.drug == drug) & (t.isolate.str[1:].astype(int) < n)


BAD["MIC pairs"] |= {   # what is off scale agrees by construction, on whichever side
    "references above .03 where it was off": lambda s: reads_from(
        pairs(off("colistin", 8, .3), 100, s), "BMD", apart, ">0.03"),
    "references up to 64 where it was off": lambda s: reads_from(
        pairs(off("colistin", 8, .3), 100, s), "BMD", apart, "<=64"),
    "one drug's references off scale in eighty of a hundred": lambda s: reads_from(
        pairs(same, 100, s), "BMD", first_of("colistin", 80), ">0.03"),
    "one drug's tests off scale in eighty of a hundred": lambda s: reads_from(
        pairs(same, 100, s), "new", first_of("colistin", 80), "<=32"),
    "below the scale in seventy, off in eight of thirty": lambda s: (lambda t: reads_from(reads_from(
        t, "BMD", first_of("colistin", 70), "<=0.5"), "new", first_of("colistin", 70), "<=0.5"))(
            pairs(lambda d, i, m, r: m*8 if d == "colistin" and i >= 92 else m, 100, s)),
}
GOOD["MIC pairs"] |= {
    "a third below the scale of both": lambda s: pairs(near, 150, s).assign(**{c: lambda t, c=c: t[c].where(
        t[c].astype(float) > .5, "<=0.5") for c in ("BMD", "new")}),
    "two panels with two ends": lambda s: (lambda t: t.assign(
        BMD=t.BMD.where((t.BMD.astype(float) <= 8) | (t.index % 3 > 0), ">8"),
        new=t.new.where((t.new.astype(float) <= 8) | (t.index % 3 > 0), ">8")))(pairs(same, 150, s)),
}


BAD["trust"] |= {
    "brittle for one class": lambda s: (network(s), tuple(
        np.concatenate(o) for o in zip(*((x[y == k], y[y == k]) for k, (x, y) in enumerate((close(s), pictures(s))))))),
    "forty pictures six times": lambda s: (network(s), tuple(np.concatenate([o]*6) for o in few(s, 40))),
}


AT_LIMIT = {   # truth exactly at a limit of the profile that a bound must meet: hardly one of twenty may pass
    "classification": lambda s: lesser(.2)(s).assign(y_prob=lambda t: .5+(t.y_prob-.5)*.65),
    "domain": lambda s: carried(s, 300, HOSPITALS[:1], signal=.7416),
    "noise": lambda s: trials(s, 0, .84, spread=.05, seeds=10),
    "tcm": lambda s: exam(s, knows(.6)),
}


# The points of the rule: a bad one that each stops and a good one that it lets through, field by field
RULE = {
    "1 ways to fail are named": dict(
        classification=("chance", "few errors"), tcm=("chance", "all right"), gate=("chance", "few errors"),
        noise=("chance", "falls by two points"), trust=("chance", "far apart"), domain=("chance", "three hospitals"),
        wells=("chance", "read rightly"), anomaly=("noise", "finds all")) | {"MIC pairs": ("MICs by lot", "agree")},
    "2 the worst group decides": dict(
        classification=("guesses at one hospital", "five hospitals"), tcm=("one subject all wrong", "one subject"),
        wells=("a fifth of one drug's growth missed", "eight drugs"), anomaly=("blind for nuts", "three objects"),
        domain=("chance in the south", "eight hospitals"), gate=("worse at one hospital", "as good at five hospitals"),
        noise=("lost to one kind of noise", "two kinds"), trust=("brittle for one class", "far apart")) | {
            "MIC pairs": ("one drug of five is off in a fourth", "unequal drugs")},
    "3 the bound decides": dict(
        classification=("twenty rows", "twice as many rows"), tcm=("twelve questions", "96 right answers"),
        wells=("at the limit", "one alarm in two hundred"), anomaly=("forty parts", "one overlooked in a thousand"),
        domain=("forty patients everywhere", "a weaker signal"), gate=("two hundred rows", "as good, on 4,000 rows"),
        noise=("at the limit", "ten seeds"), trust=("twelve pictures", "more pictures")) | {
            "MIC pairs": "the standard limits the estimate, and asks for thirty pairs"},
    "4 units are counted": dict(
        classification=("pasted fifty times", "patients of two visits"),
        tcm=("twelve questions, asked 25 times", "seventy-five in a hundred"),
        wells=("ten isolates", "two wells an isolate"), anomaly=("ten parts, eighty views each", "two views of a part"),
        domain=("twelve patients, fifty visits each", "two visits a patient"),
        gate=("two hundred rows twenty times, shaken by 1e-05, in any order", "two thousand rows twice"),
        noise=("seeds that change nothing", "ten seeds"), trust=("forty pictures six times", "more pictures")) | {
            "MIC pairs": ("six isolates, read ten times", "many isolates")},
    "5 nothing vanishes": dict(
        classification=("no truth where wrong", "a few without truth"), tcm=("a third unanswered", "two unanswered"),
        wells=("missed wells have no truth", "one well without truth"),
        domain=("outcomes missing where wrong", "two outcomes missing"),
        gate=("no truth where it is worse", "a little better"),
        noise=("not trained where it was hard", "falls by five points"),
        anomaly=("no mask where it sees the wrong place", "one mask in a hundred is missing"),
        trust="a picture without a class is refused: tests/test_exit_codes.py") | {
            "MIC pairs": ("no result where it was hard", "one in a hundred without result")},
    "6 tuned elsewhere": dict(
        classification=("most rows are those it learned from", "a column is_train that is false"),
        anomaly=("stops half to find all", "finds all"), gate=("as good, on rows that it learned from", "few errors"),
        wells="the same table as a classification: judged by one function",
        domain="nothing in a table shows where a method was tuned: not guarded",
        tcm="answers alone do not show it: not guarded", noise="a table of accuracies does not show it: not guarded",
        trust="an attack asks a model, and nothing shows its learning") | {
            "MIC pairs": "a table of readings does not show it"},
    "7 cannot tell is no pass": dict(
        classification=("pasted calls", "calls of two digits"), tcm=("answers nothing readable", "bold letters"),
        wells=("one drug without growth", "one drug"), anomaly=("no good part", "one defect in four"),
        domain=("the ill alone in the south", "unequal shares"), noise=("one seed", "three levels"),
        gate=("nothing to compare with", "meets its limits, without a baseline"),
        trust=("answers 0 and 1, far apart", "a steeper logit")) | {"MIC pairs": ("always <=64", "some off scale")},
    "8 a gate opens on evidence": dict(
        gate=("limits on size alone", "meets its limits beside a baseline")) | {
            f: "one gate for runs of every field, by the same checks: tests/test_contests.py"
            for f in ("classification", "MIC pairs", "wells", "anomaly", "domain", "tcm", "noise", "trust")}}
