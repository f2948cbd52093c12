"""Seeded arguments for `same.py`: what a public function of `metrics` or `mic` may be asked, by parameter.

A family says what the words that mean several things mean there: in `classes` a `y_true` is a class, in `numbers` a
measured value. A function is asked in every family whose words it takes.
"""
from functools import cached_property

import numpy as np
import pandas as pd

KINDS = np.array(["first", "second", "tie"])
CLEAR = np.array(["clear", "growth"])
WORDS = ["dry"], ["red", "thin"], ["yellow", "dry"], []
SAID = "发热 咳嗽 三日", "舌红 苔黄", "dry cough for a week", ""
LADDER = 2.**np.arange(-4, 4)


class Rows:
    "So many rows of every kind that a function may ask for"
    def __init__(self, n, find, ties=False):
        self.n, self.find = n, find
        rng = np.random.default_rng([n, 7])
        row = np.arange(n)
        flipped = lambda y, share: np.where(rng.random(n) < share, 1-y, y)
        self.truth, self.three, self.groups = row % 2, row % 3, row//4
        self.calls, self.other, self.third = (flipped(self.truth, s) for s in (.2, .3, .4))
        self.prob = np.clip(.5+.3*(2*self.truth-1)*rng.random(n)+.15*rng.normal(size=n), .01, .99)
        self.prob_b = np.clip(self.prob+.1*rng.normal(size=n), .01, .99)
        self.calls3, self.other3 = (np.where(rng.random(n) < .2, (self.three+1) % 3, self.three) for _ in range(2))
        self.prob3 = rng.dirichlet([1, 1, 1], n)*.5+.5*np.eye(3)[self.three]
        self.loss, self.loss_b = rng.gamma(1, 1, n), rng.gamma(1, 1.2, n)
        if ties:
            self.prob, self.prob_b = self.prob.round(1), self.prob_b.round(1)
            self.loss, self.loss_b = self.loss.round(), self.loss_b.round()
        self.sure, self.weight, self.count = rng.random(n), rng.integers(1, 9, n)/4, rng.integers(0, 4, n)
        self.points, self.points_b = rng.normal(size=(n, 2)), rng.normal(.5, 1, size=(n, 2))
        self.panel = np.stack([self.calls, self.other, self.third], 1)
        self.numbers = self.panel+rng.normal(size=(n, 3))
        self.sets, self.sets_b = ([WORDS[i] for i in rng.integers(0, 4, n)] for _ in range(2))
        self.texts, self.texts_b = ([SAID[i] for i in rng.integers(0, 4, n)] for _ in range(2))
        self.maps, self.masks = rng.random((n, 5, 5)), rng.random((n, 5, 5)) > .6
        self.vectors, self.vectors_b = ([rng.normal(size=(3, 4)) for _ in range(n)] for _ in range(2))
        self.wins, self.wins_b = (KINDS[rng.integers(0, 3, n)] for _ in range(2))
        self.rung = rng.integers(0, 8, n)
        self.rung_b = np.clip(self.rung+rng.choice([-2, -1, 0, 1], n, p=[.05, .2, .6, .15]), 0, 7)
        self.marks = np.where(row % 2, self.prob, np.nan)
        self.ordered = np.sort(rng.random((n, 3)))[:, ::-1]*[1., .5, .1]

    # --- of MICs

    @staticmethod
    def written(rung):
        names = ["<=0.0625", *(f"{v:g}" for v in LADDER[1:7]), ">4"]
        return np.array([names[i] for i in rung], object)

    @staticmethod
    def category(rung): return np.array(["S", "I", "R"], object)[np.digitize(rung, [3, 5])] if len(rung) else rung

    @cached_property
    def study(self):
        "A table of pairs under the package's own names"
        row = np.arange(self.n)
        drug = np.array(["CIP", "MEM"], object)
        species = np.array(["Escherichia coli", "Klebsiella pneumoniae"], object)
        return pd.DataFrame(dict(
            isolate=[f"I{i:02d}" for i in row//2], drug=drug[row % 2], organism=species[row//2 % 2],
            site=np.array(["a", "b"], object)[row//4 % 2], patient=[f"p{i}" for i in row//2],
            reference=self.written(self.rung), test=self.written(self.rung_b),
            second=self.written(np.roll(self.rung_b, 1)), reference_category=self.category(self.rung),
            test_category=self.category(self.rung_b), mic=self.written(self.rung), category=self.category(self.rung),
            strain="ATCC 25922", year=2024))

    @cached_property
    def breakpoints(self):
        return self.find("mic", "Breakpoints")(pd.DataFrame(dict(drug=["CIP", "MEM"], S=[.25, .5], R=[1., 2.])))

    @cached_property
    def comparison(self):
        t = self.study
        return self.find("mic", "compare_mics")("reference", "test", data=t, by=("drug", "site"),
                                                breakpoints=self.breakpoints)

    @cached_property
    def series(self):
        "Wells in series of eight, with what four experts and a model said of them"
        rng, row = np.random.default_rng([self.n, 8]), np.arange(self.n)
        which, step = row//8, row % 8
        mic = rng.integers(1, 7, len(row))[which*0+np.minimum(which, max(self.n-1, 0))] if self.n else row
        grew = (step < mic).astype(int)
        flips = [np.where(rng.random(self.n) < .06, 1-grew, grew) for _ in range(2)]
        drug = np.array(["CIP", "MEM"], object)[which % 2]
        kind = np.array(["none", "below", "above", "inside"], object)[rng.integers(0, 4, self.n)]
        return pd.DataFrame(dict(
            sample_id=[f"w{i:03d}" for i in row], plate=[f"P{i}" for i in which//3], series=[f"s{i}" for i in which],
            well=[f"{'ABCDEFGH'[i % 8]}{1+i//8}" for i in row], isolate=[f"I{i}" for i in which//2], drug=drug,
            organism="Escherichia coli", concentration=LADDER[step], role="test", growth=grew,
            prob=np.clip(.1+.8*grew+.2*rng.normal(size=self.n), .01, .99).round(3), expert_mic=self.written(mic),
            consensus_mic=self.written(mic), true_mic=self.written(mic), expert_1=flips[0], expert_2=flips[1],
            expert_1_mic=self.written(mic), expert_2_mic=self.written(np.clip(mic+which % 3-1, 0, 7)),
            flip_distance=rng.random(self.n),
            bubble=(kind != "none").astype(int), bubble_type=kind, optical_density=(grew*rng.random(self.n)).round(3),
            turbidity=np.array(["clear", "light", "heavy"], object)[np.where(grew, rng.integers(1, 3, self.n), 0)],
            site=np.array(["a", "b"], object)[which % 2]))

    @cached_property
    def wells(self):
        t = self.series
        rng = np.random.default_rng([self.n, 9])
        outputs = dict(bubble_confidence=rng.random(self.n), saliency=self.maps, bubble_mask=self.masks,
                       confidence=rng.random(self.n), flip_distance=rng.random(self.n))
        facts = t.drop(columns=["sample_id", "growth", "prob"])
        return self.find("core", "Predictions")(t.sample_id.to_numpy(), t.growth.to_numpy(), t.prob.to_numpy(),
                                                outputs=outputs, facts=facts, field="mic")

    @cached_property
    def score(self): return self.find("core", "Score")(.1, .05, .2, k=5, n=50)

    @cached_property
    def grid(self): return self.series.prob.to_numpy()[:self.n//8*8].reshape(-1, 8)

    # --- what parameters are called

    @cached_property
    def common(self):
        "Arguments that mean the same wherever they stand"
        r, f = self, self.find
        return dict(
            pred_a=r.calls, pred_b=r.other, score_a=r.prob, score_b=r.prob_b, prob_a=r.prob, prob_b=r.prob_b,
            y_a=r.truth, y_b=r.truth, y_score=r.prob, y_prob=r.prob, error=(r.calls != r.truth)*1, confidence=r.sure,
            called=r.calls, expert=r.truth, maps=r.maps, masks=r.masks, saliency=r.maps, marks=r.loss, panel=r.loss_b,
            sets=np.c_[1-r.calls, r.calls] > 0, lower=r.loss-.5, upper=r.loss+1, judge=r.prob_b, human=r.marks,
            forward=r.wins, backward=r.wins_b, losses=r.ordered, settings=[.1, .5, .9], subgroup=np.arange(r.n)//2 % 2,
            points=r.prob, first=r.loss, again=r.loss_b, model=r.calls, references=r.texts, candidates=r.texts_b,
            required=["发热", "咳嗽"], answers=r.texts, text="发热 咳嗽 三日", phrases=["发热"], tokens=list("abcab"),
            source=r.points, target=r.points_b, edges=np.linspace(0, 1, 6), null=r.loss, values=r.loss, value=.7,
            variance=.002, z=1.96, t=2.1, df=12., level=.95, auc=.8, auc_a=.8, auc_b=.7, limit=.7, rate=.95,
            half_width=.05, margin=.1, train=90, test=10, dz=.5, p_b=.1, p_c=.05, models=4, w=.3, group_size=6, icc=.2,
            prevalence=.3, threshold=.4, specificity=.8, sensitivity=.8, costs=[[0, 1], [5, 0]], k1=7, n1=20, k2=3,
            n2=25, positives=20, negatives=30, accuracies=[.8, .85, .9], discordance=.2, datasets=12, n_cal=50,
            n_test=80,
            weights=dict(a=1, b=3), effect=.3, reference=0, P=20, N=30, G=max(1, -(-r.n//4)), codes=r.groups, m=12, B=3,
            size=64, low=.1, high=.9, how="exact", pa=.8, pe=.5, var=.01, mean_ranks=[1.2, 1.5, 2.9], critical=.6, K=3,
            seed=0, k=3, known=["roc_auc", "brier"], name="rocauc", tests=10, miss=5., squares=12., grouped=True,
            benefit=.4, harm=.1, fact="site", column="site", f=len, metric=f("metrics", "f1"), normalise=None,
            metrics=[f("metrics", "accuracy"), f("metrics", "roc_auc")], power=f("metrics", "auc_power"),
            truth="y_true",
            ra=r.calls, rb=r.other, undefined="no pairs", weight=r.weight, names=None, doubt=1-r.sure, radius=.3,
            above=7, below=3, hit=r.calls, of=r.truth, misses=lambda: r.score, false_calls=lambda: r.score,
            miss_weight=10., fnr=.05, fpr=.02,
            critical_rate=.01, x=r.loss, rows=None, q=.99)

    @cached_property
    def families(self):
        "Name -> what the words that mean several things mean there"
        r, two = self, np.array(["x", "y"])
        return {
            "classes": dict(y_true=r.truth, y_pred=r.calls, a=r.calls, b=r.other, x=r.truth, y=r.calls, ratings=r.panel,
                            scores=r.prob, p=r.prob, s=r.prob, n=r.n, counts=np.c_[r.count, r.count+1]),
            "three": dict(metric=r.find("metrics", "roc_auc"), y_true=r.three, y_pred=r.calls3, y_prob=r.prob3,
                          y_score=r.prob3, a=r.calls3, b=r.other3,
                          pred_a=r.calls3, pred_b=r.other3, scores=r.numbers, p=r.prob3,
                          ratings=np.stack([r.three, r.calls3, r.other3], 1)),
            "names": dict(y_true=CLEAR[r.truth], y_pred=CLEAR[r.calls], a=two[r.calls], b=two[r.other],
                          labels=["clear", "growth"], ratings=two[r.panel], groups=[f"g{i}" for i in r.groups],
                          pred_a=CLEAR[r.calls], pred_b=CLEAR[r.other]),
            "numbers": dict(y_true=r.loss, y_pred=r.loss_b, y_score=r.loss_b, a=r.loss, b=r.loss_b, x=r.loss,
                            y=r.loss_b, ratings=r.numbers, scores=r.numbers, p=r.prob, n=float(r.n or 1), s=r.loss,
                            first=r.loss,
                            model=r.loss, c=r.loss),
            "samples": dict(x=r.points, y=r.points_b, ratings=r.numbers.T, a=r.numbers.T, b=r.numbers.T+.1,
                            model=r.loss, y_true=r.panel, y_pred=np.roll(r.panel, 1, 0)),
            "sets": dict(y_true=r.sets, y_pred=r.sets_b, a=frozenset("abc"), b=frozenset("bcd"), columns=r.sets,
                         ratings=[[frozenset(a), frozenset(b)] for a, b in zip(r.sets, r.sets_b)]),
            "texts": dict(y_true=r.texts, y_pred=r.texts_b, a=list("abcab"), b=list("acb"), n=2),
            "vectors": dict(references=r.vectors, candidates=r.vectors_b, y_true=[dict(t=a) for a in r.texts],
                            y_pred=[dict(t=a) for a in r.texts_b], scores=dict(a=.5, b=.75)),
            "folds": dict(a=np.resize(r.loss, (5, 2)) if r.n else r.points,
                          b=np.resize(r.prob, (5, 2)) if r.n else r.points, scores=r.prob),
            "counts": dict(a=7, b=3, c=5, n=max(r.n, 1), k=2, p=.02, x=7., weight=1.),
            "listed": dict(p=[.01, .04, .03, .2], a=[1, 2, 2], b=[2, 1, 2], n=4),
            "table": dict(p=lambda: r.wells, predictions=lambda: r.wells, by=("drug",)),
        }

    @cached_property
    def mic_families(self):
        "The same for MICs"
        r, study = self, self.study
        ref, new, conc = study.reference.to_numpy(), study.test.to_numpy(), LADDER
        few = {k: r.families[k] for k in ("classes", "numbers", "counts")}
        post = lambda: self.find("mic", "mic_posterior")(r.grid)
        cuts = lambda: self.find("mic", "cut_mics")(conc)
        sir = np.array(["S"]*4+["I"]*2+["R"]*3, object)
        return few | {
            "mics": dict(reference=ref, test=new, mics=ref, mic=ref, x=ref, a=ref, b=new, expert=ref, model=new,
                         columns=ref, drug=study.drug, isolate=study.isolate, organism=study.organism,
                         values=ref, above=(r.rung_b > r.rung)*1, below=(r.rung_b < r.rung)*1,
                         by=study.site, lowest=.0625, highest=4., low=.25, high=2., highest_s=-1., lowest_r=1.,
                         breakpoints=r.breakpoints, first=ref, second=new, concentration=np.resize(LADDER, r.n),
                         k=r.rung-4, ratings=np.stack([r.rung, r.rung_b, np.roll(r.rung, 1)], 1), kind=study.category,
                         name="cipro", text="Escherichia coli (CIP)", organisms=study.organism, drugs=study.drug,
                         sites=study.site, site="urine", groups=study.isolate.to_numpy(), confidence=r.sure),
            "sir": dict(reference=study.reference_category, test=study.test_category, values=study.category,
                        columns=study.category, categories=study.category, groups=study.isolate.to_numpy()),
            "parsed": dict(reference=lambda: self.find("mic", "as_mic")(ref),
                           test=lambda: self.find("mic", "as_mic")(new), mics=lambda: self.find("mic", "as_mic")(ref)),
            "called": dict(table=study, reference="reference_category", test="test_category", data=study),
            "pairs": dict(data=study, pairs=lambda: r.comparison.pairs, comparison=lambda: r.comparison,
                          first=lambda: r.comparison.pairs, second=lambda: r.comparison.pairs,
                          result=lambda: r.comparison.result, groups=None,
                          results=lambda: r.comparison.result, overall=lambda: r.comparison.result.overall,
                          by=lambda: r.comparison.result.by, highest_s=-2., lowest_r=1., columns=("site",),
                          profiles=("iso-20776-2-2021", "fda-2009"), profile="iso-20776-2-2021", table=lambda: r.study,
                          reference="reference", test="test", arbitration=study.category, column="second",
                          readers=("test", "second"), readings=study, ranges=None),
            "tables": dict(data=study, table=study, mics=study, reference="reference", test="test",
                           expert="reference", model=study.test,
                           organism="E. coli", drug="ciprofloxacin", breakpoints=r.breakpoints, wish="eucast-2025",
                           what="the drug", name="drug", pairs=study, path=study, source=study,
                           first=lambda: r.comparison,
                           second="second", wells=study, column="category", organisms=["E. coli"], drugs=["CIP", "AMP"],
                           profiles="fda-2009", found={}, readings=study, keep=()),
            "wells": dict(p=lambda: r.wells, predictions=lambda: r.wells, by=("drug",), table=r.series, wells=r.series,
                          distance=np.resize([-2., -1., 0., 1., 2.], r.n), model=r.series.expert_1, well=r.series.well,
                          prob=r.series.prob, breakpoints=None, growth=r.grid, conc=conc, posterior=post,
                          matrix=pd.DataFrame(np.eye(3)), categories=sir, expert=r.series, mics=r.series,
                          layout=r.series, series=r.series,
                          x=np.resize([-2., -1., 0., 1., 2.], r.n), called=r.calls, rows=lambda: self.find(
                              "mic", "series_rows")(r.series)),
            "risk": dict(wells=r.series, p=r.series.prob, breakpoints=r.breakpoints),
            "graded": dict(growth=(r.grid > .5)*1, conc=conc),
            "one": dict(growth=(r.grid[0] > .5)*1 if len(r.grid) else r.prob, conc=conc, distance=np.arange(8)/4+.1,
                        posterior=lambda: post()[0], categories=sir, p=r.grid, mics=cuts),
            "fit": dict(fit=lambda: self.find("mic", "fit_mixture")(ref),
                        result=lambda: self.find("mic", "ecoff_finder")(ref, n_resamples=5), mics=ref,
                        groups=lambda: r.comparison.result.by.drug,
                        zones=lambda: self.find("mic", "error_rate_bounded")(r.comparison.pairs, -2., 1.),
                        found=lambda: self.find("mic", "approval")(r.comparison),
                        series=lambda: self.find("mic", "attacked_series")(r.wells, .3)),
            "read": dict(result=lambda: self.find("mic", "evaluate_boundary")(r.wells)),
            "grown": dict(result=lambda: self.find("mic", "growth_detection")(r.wells)),
            "bubbles": dict(result=lambda: self.find("mic", "evaluate_bubbles")(r.wells, n_resamples=5)),
        }


QUICK = dict(n_resamples=20, n_permutations=19, n_draws=200, n_projections=10)
ALONE = dict(   # what a function needs beside what its parameters' names say
    compare_at=dict(specificity=.8), threshold_at=dict(sensitivity=.9), net_benefit=dict(threshold=.3),
    standardized_net_benefit=dict(threshold=.3), interventions_avoided=dict(threshold=.3), sample_size=dict(
        auc=.8, limit=.7))
OPTIONS = dict(   # other values of an option; a function that knows no such value says so
    ci=[None, .8], average=["macro", "weighted", "micro", None], weights=["linear", "quadratic"], binning=["mass"],
    method=["bootstrap", "percentile", "wald", "exact", "mid-p", "chi2", "mover", "analytic", "binned", "no such"],
    norm=[2], level=["ordinal", "interval", .8], alternative=["less", "greater"], better=["lower"], kind=["logit"],
    by=["cost", "closest"], scheme=["ovo"], which=["precision", "recall"], normalised=[True], per_feature=[True],
    kernel=["linear"], ordered=[True], smooth=[True], strict=[True], fitted=[True], harm=[.01], prevalence=[.1],
    policy=["strict", "sharp"], denominator=["all"], round=["nearest"], skip=["clsi", "none"], labels=[[0, 1], [1, 0]],
    pos_label=[0, 1], standardise=[False], randomised=[False], at_least=[True], sides=[2], bound=["lower"],
    steps=[2], expected=["drop"], errors=["coerce"], groups=[None], q=[.95], components=[1], threshold=[.3])
# parameters with an entry a row: their functions are asked for few rows too
ROWED = set("""y_true y_pred y_prob y_score a b x y ratings error confidence pred_a score_a maps masks references p s
mics candidates answers forward judge first marks values losses scores points pairs table reference growth wells
predictions""".split())
