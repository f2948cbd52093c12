"Parts of the noise room, each against a value worked out another way"
import math
from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

METHODS, DATA, LEVELS = ("a", "b", "c"), ("x", "y", "z", "w"), (0., .1, .3)


def score_of(method, data, level, noise, training, split, kind="symmetric"):
    "A made accuracy, the same for the same cell"
    rng = np.random.default_rng([METHODS.index(method), DATA.index(data), int(10*level), noise, training, split])
    return round(.9-.05*METHODS.index(method)-(.6+.3*DATA.index(data))*level+.03*rng.normal(), 4)


def trials(methods=METHODS, data=DATA, levels=LEVELS, noise=3, training=2, splits=2, kinds=("symmetric",), f=score_of):
    from mic_eval.core.kinds import Trials
    rows = []
    for m, d, s, t in product(methods, data, range(splits), range(training)):
        if 0 in levels: rows.append((m, d, 0., "none", 0, t, s))
        rows += [(m, d, x, k, n, t, s) for k, x, n in product(kinds, [x for x in levels if x], range(noise))]
    names = ["/".join(map(str, r)) for r in rows]
    m, d, x, k, n, t, s = (list(o) for o in zip(*rows))
    values = np.array([*(dict(accuracy=f(r[0], r[1], r[2], *r[4:], kind=r[3])) for r in rows), None], object)[:-1]
    facts = pd.DataFrame(dict(noise_kind=k, noise_seed=n, n_test=50, classes=[2+DATA.index(o) for o in d],
        majority=[.5-.05*DATA.index(o) for o in d]))
    return Trials(names, method=np.array(m, object), data=np.array(d, object), setting=np.array(x), seed=np.array(t),
        fold=np.array(s), values=values, facts=facts, field="noise")


def mean(method, data, level, noise=3, training=2, splits=2):
    return np.mean([score_of(method, data, level, n, t, s) for n in range(noise if level else 1)
                    for t in range(training) for s in range(splits)])


def test_indices_are_the_formulas_of_their_papers_on_plain_loops():
    "RLA and ELA: Saez, Luengo and Herrera, Neurocomputing 2016;176:26"
    from mic_eval.noise.indices import noise_indices
    found = noise_indices(trials())
    chance = {d: .5-.05*i for i, d in enumerate(DATA)}
    for m in METHODS:
        A = {(d, x): mean(m, d, x) for d in DATA for x in LEVELS}
        at = {x: np.mean([A[d, x] for d in DATA]) for x in LEVELS}
        kept = {x: np.mean([(A[d, x]-chance[d])/(A[d, 0.]-chance[d]) for d in DATA]) for x in LEVELS}
        told = dict(overall=np.mean(list(at.values())), baseline=at[0.], worst_mean=min(at.values()), worst_cell=min(
            A.values()), above_chance=min(np.mean([A[d, x] for x in LEVELS])-chance[d] for d in DATA),
            drop=(at[0.]-min(at[.1], at[.3]))/at[0.], area=(.1*(at[0.]+at[.1])/2+.2*(at[.1]+at[.3])/2)/.3,
            rla=np.mean([(A[d, 0.]-A[d, .3])/A[d, 0.] for d in DATA]),
            ela=np.mean([(1-A[d, .3])/A[d, 0.] for d in DATA]),
            rla_pooled=(at[0.]-at[.3])/at[0.], ela_pooled=(1-at[.3])/at[0.], retention=kept[.3])
        for k, v in told.items():
            assert float(found[m].here[k]) == pytest.approx(v), (m, k)
            assert float(found[m].next[k]) == pytest.approx(v), (m, k)
        if min(kept.values()) > .5: assert not found[m].here.half_level.defined
        else:
            a, b = (0., .1) if kept[.1] <= .5 else (.1, .3)
            assert float(found[m].here.half_level) == pytest.approx(np.interp(-.5, [-kept[a], -kept[b]], [a, b]))
        c = found[m].curve
        assert np.allclose(c.x, [0, 10, 30]) and np.allclose(c.y, list(at.values()))
        assert np.allclose(c.extra["kept"], list(kept.values())) and np.allclose(c.extra["chance"], .425)


@pytest.mark.parametrize("kept, told", [((1, .5, .1), .1), ((1, .8, .51), math.nan), ((1, .7, .3), .2),
    ((1, .2, .9), .0625)])
def test_half_is_reached_where_the_line_first_falls_to_it(kept, told):
    from mic_eval.noise.indices import index_values
    A = .2+.6*np.array([kept])                                # chance .2: of .6 above it so much is kept
    found = float(index_values(A, [0, .1, .3], [.2])["half_level"])
    assert found == pytest.approx(told, nan_ok=True)


def test_intervals_leave_out_one_seed_or_one_data_set_in_turn():
    from mic_eval.noise.indices import noise_indices
    found = noise_indices(trials())
    def overall(m, data=DATA, noise=(0, 1, 2), training=(0, 1), splits=(0, 1)):
        cells = []
        for d, x in product(data, LEVELS):
            of = [score_of(m, d, x, n if x else 0, t, s) for n, t, s in product(noise, training, splits)]
            cells.append(np.mean(of))
        return np.mean(cells)
    whole = dict(noise=(0, 1, 2), training=(0, 1), splits=(0, 1))
    for m in METHODS:
        parts = []
        for k, seeds in whole.items():
            left = np.array([overall(m, **whole | {k: tuple(o for o in seeds if o != gone)}) for gone in seeds])
            parts.append(((len(left)-1)/len(left)*((left-left.mean())**2).sum(), len(left)))
        V = sum(v for v, _ in parts)
        df = max(V**2/sum(v*v/(n-1) for v, n in parts), 1)
        s = found[m].here.overall
        assert float(s)-s.lo == pytest.approx(stats.t.ppf(.975, df)*math.sqrt(V))
        left = np.array([overall(m, data=tuple(o for o in DATA if o != gone)) for gone in DATA])
        half, s = stats.t.ppf(.975, 3)*math.sqrt(3/4*((left-left.mean())**2).sum()), found[m].next.overall
        assert (float(s)-s.lo, s.hi) == pytest.approx((half, min(float(s)+half, 1)))


def test_a_curves_band_adds_the_variances_of_its_seeds():
    from mic_eval.noise.indices import noise_indices
    c = noise_indices(trials(noise=4, training=2, splits=1))["b"].curve
    for j, x in enumerate(LEVELS):
        A = np.array([[[score_of("b", d, x, n if x else 0, t, 0) for d in DATA] for t in range(2)] for n in range(4)])
        V = np.var([o.mean() for o in A], ddof=1)/4+np.var([A[:, t].mean() for t in range(2)], ddof=1)/2
        half = stats.t.ppf(.975, 1)*math.sqrt(V)
        assert (c.lo[j], c.hi[j]) == pytest.approx((c.y[j]-half, min(c.y[j]+half, max(c.y[j], 1))))


def test_cells_that_are_missing_are_named():
    from mic_eval.noise.indices import noise_indices
    t = trials(methods=("a",), noise=2, training=1, splits=1)
    gone = ~((t.data == "y") & (t.setting == .3) & (t.facts.noise_seed == 1)).to_numpy()
    found = noise_indices(t[gone])["a"]
    assert str(found.here.overall.reason) == "missing: y at 0.3" and not found.next.overall.defined
    assert found.by_data.x.overall.defined and not found.by_data.y.overall.defined
    most = noise_indices(t[((t.setting == 0) | (t.facts.noise_seed == 0) | (t.data == "w")).to_numpy()])["a"]
    assert str(most.here.overall.reason) == "missing: x at 0.1, x at 0.3, y at 0.1, y at 0.3 and 2 more"


def test_a_grade_is_the_band_of_both_ends():
    from mic_eval.core.results import Score
    from mic_eval.noise.indices import grade_of
    bands = [{"from": f, "grade": g} for f, g in ((0, "low"), (.5, "middle"), (.8, "high"))]
    def of(lo, hi, **more): return str(grade_of(Score((lo+hi)/2, lo, hi), bands, **more))
    told = {(.1, .4): "low", (.5, .7): "middle", (.8, .9): "high", (.4999, .4999): "low", (-1, -.5): "low"}
    assert {o: of(*o) for o in told} == told
    assert of(.4, .6) == "middle or low" and of(.4, .6, better="lower") == "low or middle"
    assert of(.4, .9).startswith("from low to high") and of(.4, .9, better="lower").startswith("from high to low")
    assert str(grade_of(Score(.5), bands)) == "not enough seeds"
    assert str(grade_of(Score(reason="why"), bands)) == "no grade: why"


# ranks

def test_ranks_are_friedmans_on_means_of_data_sets_and_pairs_are_tested_on_them():
    from mic_eval.noise.standings import noise_ranks
    found = noise_ranks(trials())
    x = np.array([[np.mean([mean(m, d, v) for v in LEVELS]) for m in METHODS] for d in DATA]).round(9)
    ways = product(permutations((1., 2, 3)), repeat=4)        # exact: 1,296 of them
    every = np.array([np.add.reduce(o).var() for o in ways])
    ranks = stats.rankdata(-x, axis=1).mean(0)
    assert float(found.friedman.p) == pytest.approx((every >= (4*ranks).var()-1e-9).mean())
    assert dict(found.mean_ranks) == pytest.approx(dict(zip(METHODS, ranks)))
    assert (found.blocks, found.n) == ("data set", 4)
    q = stats.studentized_range.ppf(.95, 3, np.inf)/math.sqrt(2)
    assert float(found.critical_difference) == pytest.approx(q*math.sqrt(3*4/(6*4)), rel=1e-3)
    ps = []
    for (i, j), p in zip(((0, 1), (0, 2), (1, 2)), found.pairs.values()):
        t = stats.ttest_rel(x[:, i], x[:, j])
        ps.append(t.pvalue)
        ci = t.confidence_interval(.9)
        assert p.p == pytest.approx(t.pvalue) and float(p.difference) == pytest.approx((x[:, i]-x[:, j]).mean())
        assert p.equivalent == (-.01 < ci.low and ci.high < .01) and (p.a, p.b) == (METHODS[i], METHODS[j])
    order, adjusted, top = np.argsort(ps), {}, 0
    for r, o in enumerate(order): top = adjusted[o] = max(top, min(1, (3-r)*ps[o]))
    assert [p.adjusted for p in found.pairs.values()] == pytest.approx([adjusted[o] for o in range(3)])
    for p in found.pairs.values():
        assert (str(p.verdict) == f"{p.a if p.difference > 0 else p.b} is better") == (p.adjusted < .05)


def test_blocks_are_data_sets_from_three_on_and_seeds_below():
    from mic_eval.noise.indices import grid_values
    from mic_eval.noise.standings import block_scores
    for data, what, n in ((DATA[:3], "data set", 3), (DATA[:2], "seed", 12)):
        x, blocks = block_scores(grid_values(trials(data=data)))
        assert (blocks, x.shape) == (what, (n, 3))
    x, _ = block_scores(grid_values(trials(data=DATA[:2])), .3, "seeds")
    told = [[np.mean([score_of(m, d, .3, n, t, s) for d in DATA[:2]]) for m in METHODS]
            for n, t, s in product(range(3), range(2), range(2))]
    assert np.allclose(x, told)
    with pytest.raises(ValueError, match="no level 0.2; there is 0, 0.1, 0.3"): block_scores(grid_values(trials()), .2)


def test_methods_that_hardly_differ_are_equivalent_and_a_tie_is_no_victory():
    from mic_eval.noise.standings import noise_ranks
    def near(m, d, x, n, t, s, kind=""):
        return score_of("a", d, x, n, t, s)+dict(a=0, b=.001, c=.3)[m]*(1+DATA.index(d))/4
    found = noise_ranks(trials(f=near))
    said = {frozenset((p.a, p.b)): str(p.verdict) for p in found.pairs.values()}
    assert [p.equivalent for p in found.pairs.values()] == [True, False, False]
    assert said[frozenset("ac")] == said[frozenset("bc")] != said[frozenset("ab")]
    equal = noise_ranks(trials(f=lambda m, *a, **k: score_of("a", *a)))
    assert set(equal.mean_ranks.values()) == {2.} and all(p.needed is None for p in equal.pairs.values())


def test_blocks_that_are_needed_are_the_fewest_with_the_power():
    from mic_eval.noise.standings import needed_blocks
    d = np.array([.1, -.05, .2, .02, .12, -.04])
    dz = d.mean()/d.std(ddof=1)
    def power(n):
        c = stats.t.ppf(.975, n-1)
        return stats.nct.sf(c, n-1, dz*math.sqrt(n))+stats.nct.cdf(-c, n-1, dz*math.sqrt(n))
    for want in (.8, .95): assert needed_blocks(d, want) == needed_blocks(-d, want) == min(
        n for n in range(2, 500) if power(n) >= want)
    assert [needed_blocks(o) for o in ([1., 1, 1], [.5], [1., -1], [.009, 1.009, -.991])] == [None]*4


@pytest.mark.parametrize("measure, levels", [("overall", LEVELS), ("baseline", (0.,)), ("hardest", (.3,))])
def test_a_number_of_a_method_is_a_mean_of_blocks_with_students_interval(measure, levels):
    from mic_eval.noise.standings import cells_lined_up, method_tables, trials_score, trials_test
    per = method_tables(trials())
    x = {m: np.array([np.mean([mean(m, d, v) for v in levels]) for d in DATA]) for m in METHODS}
    for m in METHODS:
        s, half = trials_score(measure, per[m], ci=.9), stats.t.ppf(.95, 3)*stats.sem(x[m])
        v = x[m].mean()
        assert (float(s), s.lo, s.hi, s.n) == pytest.approx((v, v-half, min(v+half, 1), 4))
    a, b = cells_lined_up([per["a"], per["c"]], ["a", "c"])
    t = trials_test(measure, a, b)
    assert float(t.p) == pytest.approx(stats.ttest_rel(x["a"].round(9), x["c"].round(9)).pvalue)
    assert float(t.effect) == pytest.approx((x["a"]-x["c"]).mean())


def test_cells_are_lined_up_whatever_their_order_and_other_test_rows_are_refused():
    from dataclasses import replace
    from mic_eval.noise.standings import cells_lined_up, differing_cells, method_tables
    per = method_tables(trials())
    order = np.random.default_rng(0).permutation(len(per["b"]))
    a, b = cells_lined_up([per["a"], per["b"][order]], ["a", "b"])
    assert list(a.sample_id) == list(b.sample_id) and (b.metric("accuracy") == per["b"].metric("accuracy")).all()
    t = differing_cells(a, b, ["a", "b"])
    told = sorted(((abs(mean("a", d, x)-mean("b", d, x))) for d in DATA for x in LEVELS), reverse=True)
    assert np.allclose(t.difference.abs(), told, atol=1e-4) and np.allclose(t.a-t.b, t.difference, atol=2e-4)
    for k, v in (("n_test", 51), ("classes", 9), ("majority", .9)):
        facts = per["b"].facts
        other = replace(per["b"], facts=facts.assign(**{k: np.where(per["b"].data == "z", v, facts[k])}))
        with pytest.raises(ValueError, match=f"different rows of z: {k} is"):
            cells_lined_up([per["a"], other], ["a", "b"])
    with pytest.raises(ValueError, match="holds 3 methods"): cells_lined_up([trials(), per["a"]], ["all", "a"])


# the grid

@pytest.mark.parametrize("asked, said", [
    (dict(levels=(0, .1, .1)), "levels: 0.1"), (dict(levels=(.1, .1+1e-9)), "levels: 0.1"),
    (dict(kinds=("symmetric", "pair", "pair")), "kinds: pair"), (dict(noise_seeds=(3, 1, 3)), "noise_seeds: 3"),
    (dict(training_seeds=(0, 0)), "training_seeds: 0"), (dict(splits=[2, 2]), "splits: 2"),
    (dict(levels=(.1, math.nan)), "between 0 and 1"), (dict(levels=(-.1, .1)), "between 0 and 1"),
    (dict(levels=(.1, 1.1)), "between 0 and 1"), (dict(levels=()), "between 0 and 1"),
    (dict(noise_seeds=()), "a grid needs noise_seeds"), (dict(noise_seeds=(-1,)), "noise_seeds are counted from 0"),
    (dict(splits=0), "from 1 to 10000"), (dict(splits=10_001), "from 1 to 10000")])
def test_a_grid_refuses_before_it_trains_what_it_could_not_keep(asked, said):
    from mic_eval.noise.trials import grid_of
    with pytest.raises(ValueError, match=said): grid_of(["majority"], ["iris"], **asked)


def test_a_grid_has_every_cell_once():
    from mic_eval.noise.trials import grid_of
    g = grid_of(["majority", "knn"], ["iris", "wine"], ("symmetric", "pair"), (.3, 0, .1, 1), 3, (5, 7), 2)
    cells = g.cells()
    assert len({tuple(c.values()) for c in cells}) == len(cells) == 2*2*2*2*(1+2*3*3) and g.levels == (0, .1, .3, 1)
    assert {c["training_seed"] for c in cells} == {5, 7} and {c["split"] for c in cells} == {0, 1}
    assert {(c["noise_seed"], c["level"]) for c in cells if c["kind"] == "none"} == {(0, 0)}
    assert not [c for c in grid_of(["knn"], ["iris"], levels=(.2,)).cells() if c["level"] == 0]


def table(n=60, groups=None, classes=3):
    from mic_eval.noise.methods import TrialData
    rng = np.random.default_rng(0)
    y = np.arange(n) % classes
    return TrialData("t", rng.normal(size=(n, 3))+y[:, None], y, tuple("abc"[:classes]), groups=groups)


def test_splits_keep_classes_and_groups_whole_and_every_group_is_tested_once():
    from mic_eval.noise.trials import split_rows
    train, test = split_rows(table(), 0)
    assert sorted([*train, *test]) == list(range(60)) and np.bincount(table().y[test]).tolist() == [4, 4, 4]
    assert sorted(test) != sorted(split_rows(table(), 1)[1]) and sorted(test) == sorted(split_rows(table(), 0)[1])
    d = table(groups=np.repeat(np.arange(20), 3))
    tested = []
    for split in range(5):
        train, test = split_rows(d, split)
        assert not set(d.groups[train]) & set(d.groups[test]) and len(train)+len(test) == 60
        tested += test.tolist()
    assert sorted(tested) == list(range(60)) and sorted(split_rows(d, 5)[1]) != sorted(split_rows(d, 0)[1])
    few = table(groups=np.arange(60) % 3)
    assert len(split_rows(few, 0)[1]) == 20


@pytest.mark.parametrize("rate", [0, .1, .5, 1])
def test_noise_in_features_replaces_a_share_of_each_column_within_its_range(rate):
    from mic_eval.noise.trials import noisy_features
    X = np.random.default_rng(1).normal(size=(40, 4))*[1, 10, .1, 5]+[0, 50, -3, 1]
    out = noisy_features(X, rate, 3)
    assert ((out != X).sum(0) == round(40*rate)).all() and (out >= X.min(0)).all() and (out <= X.max(0)).all()
    assert rate in (0, 1) or len({tuple(np.flatnonzero(c)) for c in (out != X).T}) > 1     # rows of their own
    assert np.array_equal(out, noisy_features(X, rate, 3))
    half = noisy_features(X, rate/2, 3)
    assert not ((half != X) & (out == X)).any()                                            # levels are nested


@pytest.mark.parametrize("classes", [2, 3])
def test_features_moved_on_purpose_raise_the_loss_of_a_linear_model(classes):
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler
    from mic_eval.noise.trials import adversarial_features
    d = table(90, classes=classes)
    out = adversarial_features(d.X, d.y, .3, 2, step=.25)
    moved = np.flatnonzero((out != d.X).any(1))
    sd = d.X.std(0)
    assert len(moved) == 27 and np.allclose(np.abs(out-d.X)[moved], .25*sd)
    Z = StandardScaler().fit(d.X)
    model = LogisticRegression(max_iter=1000).fit(Z.transform(d.X), d.y)
    def loss(X, i): return -model.predict_log_proba(Z.transform(X[[i]]))[0, d.y[i]]
    for i in moved[:8]:                       # towards the corner that the gradient of the loss points to
        grad = np.array([loss(d.X+np.eye(90)[:, [i]]*np.eye(3)[j]*sd*1e-4, i)-loss(d.X, i) for j in range(3)])
        assert ((out-d.X)[i]*grad > 0).all()
    assert np.array_equal(adversarial_features(d.X, d.y, 0), d.X)


# figures

def test_lines_of_methods_carry_their_numbers_and_chance():
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from mic_eval.noise.indices import noise_indices
    from mic_eval.noise.show import kind_panels, level_curves, level_heat, list_precision, rank_lines, retention_curves
    from mic_eval.noise.standings import noise_ranks
    found = noise_indices(trials())
    ax = level_curves(found, metric="roc_auc")
    lines = {o.get_label(): o for o in ax.lines}
    for m in METHODS: assert np.allclose(np.transpose(lines[m].get_data()), np.c_[found[m].curve.x, found[m].curve.y])
    assert lines["chance"].get_ydata()[0] == pytest.approx(.425) and ax.get_ylabel() == "roc auc"
    bands = [p.get_paths()[0].vertices for p in ax.collections]
    for m, v in zip(METHODS, bands): assert v[:, 1].min() == pytest.approx(min(found[m].curve.lo))
    kept = {o.get_label(): o for o in retention_curves(found).lines}
    for m in METHODS: assert np.allclose(kept[m].get_ydata(), 100*found[m].curve.extra["kept"])
    panels = kind_panels(dict(symmetric=found, pair=found, majority=found)).figure.axes
    assert [o.get_title() for o in panels] == ["symmetric", "to the next class", "all to the majority"]
    assert [bool(o.get_legend()) for o in panels] == [False, False, True]
    assert [bool(o.get_ylabel()) for o in panels] == [True, False, False]
    r = noise_ranks(trials())
    ax = rank_lines(r)
    at = {o.get_text().split("  ")[0]: o.xy for o in ax.texts}
    assert at == {m: (v, i) for i, (m, v) in enumerate(r.mean_ranks.items())}
    bars = [o for o in ax.lines if o.get_linewidth() == 3]
    groups = [g for g in r.tied if len(g) > 1]
    assert [tuple(o.get_xdata()) for o in bars] == [pytest.approx((min(r.mean_ranks[m] for m in g)-.05, max(
        r.mean_ranks[m] for m in g)+.05)) for g in groups]
    assert ax.get_title(loc="left") == f"critical difference {r.critical_difference:.2f}, 4 data sets"
    cells = pd.DataFrame([dict(data=d, method=m, level=x, mean=mean(m, d, x))
        for d, m, x in product("xy", "ba", (.3, 0.))])
    cells.loc[0, "mean"] = math.nan
    ax = level_heat(cells)
    assert [o.get_text() for o in ax.get_yticklabels()] == ["x · b", "x · a", "y · b", "y · a"]
    assert [o.get_text() for o in ax.get_xticklabels()] == ["0", "30"] and len(ax.texts) == 7
    told = {o.get_position(): o.get_text() for o in ax.texts}
    assert told[0, 1] == f"{mean('a', 'x', 0.):.2f}" and told[1, 2] == f"{mean('b', 'y', .3):.2f}"
    assert (1, 0) not in told
    flipped = np.array([1, 0, 1, 0, 0, 0, 1, 0], bool)
    good, bad = np.where(flipped, .1, .9), np.arange(8.)
    ax = list_precision(dict(by_hand=bad, best=good), flipped)
    lines = {o.get_label(): o for o in ax.lines}
    assert np.allclose(lines["by hand"].get_ydata(), [100, 50, 200/3, 50, 40, 100/3])
    assert np.allclose(lines["best"].get_ydata(), [100, 100, 100, 75, 60, 50])
    assert lines["read at random"].get_ydata()[0] == 37.5
    z2 = stats.norm.ppf(.975)**2                                     # the band is the best one's: three of three
    assert ax.collections[0].get_paths()[0].vertices[:, 1].max() == pytest.approx(100) and [
        v for x, v in ax.collections[0].get_paths()[0].vertices if x == 3].count(pytest.approx(300/(3+z2))) >= 1
    plt.close("all")
