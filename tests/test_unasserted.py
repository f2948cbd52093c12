"Small mistakes that once passed every page and test (`make mutants`), each against a value worked out another way"
import io
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats


def t_level(df, level=.95):
    "The level at which a normal interval is as wide as one of t with `df` degrees of freedom"
    return 2*stats.norm.cdf(stats.t.ppf((1+level)/2, df))-1


def test_wilcoxon_of_groups_of_one_is_that_of_rows_with_t_for_z():
    from mic_eval.metrics import wilcoxon
    rng = np.random.default_rng(3)
    a, b = rng.normal(.4, 1, 30), rng.normal(0, 1, 30)
    grouped, plain = wilcoxon(a, b, groups=np.arange(30)).effect, wilcoxon(a, b, ci=t_level(29)).effect
    assert (grouped.lo, grouped.hi) == pytest.approx((plain.lo, plain.hi))
    assert grouped.lo < plain < grouped.hi


@pytest.mark.parametrize("method", ["spearman", "kendall"])
def test_rank_correlation_of_groups_leaves_each_out_in_turn(method):
    from mic_eval.metrics.regression import rank_correlation
    rng = np.random.default_rng(5)
    x = rng.normal(size=24)
    y, groups = x+rng.normal(size=24), np.repeat(np.arange(8), 3)
    of = dict(spearman=stats.spearmanr, kendall=stats.kendalltau)[method]
    left = np.arctanh([of(x[groups != g], y[groups != g]).statistic for g in range(8)])
    half = stats.t.ppf(.975, 7)*math.sqrt(7/8*((left-left.mean())**2).sum())
    z, s = math.atanh(of(x, y).statistic), rank_correlation(x, y, method=method, groups=groups)
    assert (s.lo, s.hi) == pytest.approx((math.tanh(z-half), math.tanh(z+half)))


@pytest.mark.parametrize("groups", [[0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 2, 2, 2]])
def test_limits_of_agreement_of_unequal_groups_by_analysis_of_variance(groups):
    "Bland and Altman, Stat Methods Med Res 1999;8:135, section 5.3"
    from mic_eval.metrics import bland_altman
    g = np.array(groups)
    d = np.array([1., 2, 4, 7, 9, 3, 3.5, 5])[:len(g)]
    per = [d[g == k] for k in np.unique(g)]
    m, N, k = np.array([len(o) for o in per]), len(d), len(per)
    within = sum(((o-o.mean())**2).sum() for o in per)/(N-k)
    between = sum(len(o)*(o.mean()-d.mean())**2 for o in per)/(k-1)
    part = max(between-within, 0)/((N-(m**2).sum()/N)/(k-1))
    r = bland_altman(d, np.zeros(N), groups=g)
    assert r.sd == pytest.approx(math.sqrt(within+part))


@pytest.mark.parametrize("by_cases", [False, True])
def test_the_mean_of_readers_who_alone_differ_has_as_many_degrees_of_freedom_as_readers_less_one(by_cases):
    from mic_eval.metrics.raters import readers_mean
    x = np.repeat([[1.], [2.], [4.], [7.]], 5, axis=1)
    s = readers_mean(x.T if by_cases else x)
    half = stats.t.ppf(.975, 3)*np.std([1, 2, 4, 7], ddof=1)/2
    assert (float(s), s.lo, s.hi) == pytest.approx((3.5, 3.5-half, 3.5+half))


def test_wrong_labels_of_a_list_are_a_share_of_the_list():
    from mic_eval.noise.suspects import wrong_in_list
    s = wrong_in_list(3, 10, 50)
    assert float(s) == .3 and (s.k, s.n) == (15, 50) and s.lo < .3 < s.hi
    assert s.lo >= 3/50 and s.hi <= 43/50     # three were seen wrong and seven right


def test_a_caution_names_one_rate_or_both():
    from mic_eval.core.results import Result, Score
    from mic_eval.mic.approval import GRAVE_RATES, caution_of
    first, second = list(GRAVE_RATES)[:2]
    one = caution_of(Result({first: Score(.25, n=8)}))
    both = caution_of(Result({first: Score(.25, n=8), second: Score(.5, n=8)}))
    assert str(Score(.25, n=8)) in str(one)
    for k in (first, second): assert str(GRAVE_RATES[k]).lower() in str(both).lower()
    assert caution_of(Result()) == ""


@pytest.mark.parametrize("n, place", [(20, 20), (21, 0)])
def test_headings_are_looked_for_below_twenty_rows_and_no_further(n, place):
    from mic_eval.core.readers import heading_place
    notes = [["# a note", "", ""]]*n
    assert heading_place([*notes, ["id", "drug", "mic"], *[["1", "AMP", "2"]]*(n+5)]) == place


def test_a_mask_kept_as_jpeg_is_what_was_drawn(tmp_path):
    from PIL import Image
    from mic_eval.anomaly.map_files import read_mask
    y, x = np.mgrid[:64, :64]
    disc = (y-30)**2+(x-33)**2 < 15**2
    Image.fromarray((disc*255).astype(np.uint8)).save(tmp_path/"m.jpg", quality=60)
    kept = np.asarray(Image.open(tmp_path/"m.jpg"))
    assert (kept[~disc] > 0).any()                     # the ripples of JPEG
    assert abs(int(read_mask(tmp_path/"m.jpg").pixels.sum())-int(disc.sum())) < 10


def test_the_table_of_a_folder_names_defects(tmp_path):
    from mic_eval.anomaly.defects import demo_maps
    from mic_eval.anomaly.datasets import read_maps
    from mic_eval.anomaly.run_source import maps_binding
    data, maps = demo_maps(tmp_path, 12, train=12)
    kinds = {o.name for o in next(data.glob("*/test")).iterdir()}
    _, frame = maps_binding(read_maps(data, maps), data, maps)
    assert len(kinds) > 1 and set(frame.defect)-{""} == kinds-{"good"}


def test_options_are_two_columns_at_least():
    from mic_eval.tcm.items import _plainly
    one = _plainly([dict(id="1", question="q", A="x", answer="A")])[0]
    two = _plainly([dict(id="1", question="q", A="x", B="y", answer="A")])[0]
    assert "options" not in one and two["options"] == dict(A="x", B="y")


def test_growth_masks_of_some_wells_are_read_and_the_others_are_empty(tmp_path):
    from PIL import Image
    from types import SimpleNamespace
    from mic_eval.trust.explanations import masks_of
    Image.fromarray(np.full((8, 8), 255, np.uint8)).save(tmp_path/"m.png")
    facts = pd.DataFrame(dict(mask=["m.png", np.nan, ""]))
    found = masks_of(SimpleNamespace(facts=facts, root=tmp_path, size=(8, 8)))
    assert found[0].all() and not found[1:].any()


def test_a_permutation_of_groups_moves_whole_groups_and_keeps_their_number():
    from mic_eval.metrics.marginals import random_splits
    groups = np.array([0, 0, 0, 1, 2, 2, 3, 4])       # x: groups 0 and 1; y: 2, 3 and 4
    splits = random_splits(4, 4, 50, groups, 0)
    assert all(len(set(o[groups == g])) == 1 for o in splits.T for g in range(5))
    assert {len(set(groups[o])) for o in splits.T} == {2}


def test_names_of_rungs_beyond_every_ladder():
    from mic_eval.mic.dilutions import dilution_label
    assert dilution_label([math.inf, -math.inf, math.nan, 0, -4]).tolist() == ["inf", "0", "", "1", "0.06"]


def test_a_reader_is_timed_between_two_marks(tmp_path):
    from mic_eval.core.blind import BlindRound
    now = iter([100., 103.5, 103.5, 110., 110.])
    r = BlindRound(pd.DataFrame(dict(sample_id=["k", "l"])), "A", tmp_path, clock=lambda: next(now))
    for _ in range(2): r.mark(r.current.code, "growth")
    assert r.frame().sort_values("order").seconds.tolist() == [3.5, 6.5]


def test_rates_of_calls_among_units_count_every_unit():
    from mic_eval.anomaly.operating import _rate
    unit = np.array([0, 0, 1, 2, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
    called = np.arange(15) % 2 == 0
    s = _rate(called, np.ones(15, bool), unit, .95, "")
    assert float(s) == pytest.approx(called.mean()) and s.groups == 12


def test_limits_of_a_difference_in_net_benefit_are_those_of_a_mean_of_rows():
    from mic_eval.metrics import net_benefit_difference
    rng = np.random.default_rng(0)
    y = rng.uniform(size=4000) < .3
    a, b = (np.clip(.3*y+.35+.2*rng.normal(size=4000), 0, 1) for _ in "ab")
    each = ((a >= .5)*1.-(b >= .5))*np.where(y, 1, -1)       # odds 1 at a threshold of one half
    half = 1.96*each.std()/math.sqrt(4000)
    s = net_benefit_difference(y*1, a, b, threshold=.5)
    assert float(s) == pytest.approx(each.mean()) and s.hi-s.lo == pytest.approx(2*half, rel=.05)


@pytest.mark.parametrize("apparent, left_out, none, estimate", [
    (.2, .1, .5, .368*.2+.632*.1),      # better on rows left out: no overfitting
    (.2, .4, .5, (1-.632/(1-.368*2/3))*.2+.632/(1-.368*2/3)*.4),
    (.5, .6, .5, .5)])                  # nothing is learnt
def test_the_632_plus_estimate_by_hand(apparent, left_out, none, estimate):
    from mic_eval.domain.validation import plus_632
    assert plus_632(apparent, left_out, none) == pytest.approx(estimate)


@pytest.mark.parametrize("alpha, holds", [(.1, True), (.0999, False)])
def test_a_risk_held_on_average_counts_one_more_row_at_the_worst(alpha, holds):
    from mic_eval.metrics.conformal import risk_control
    found = risk_control(np.zeros((9, 1)), [1], alpha=alpha, method="expected")   # (0+1)/(9+1) = 0.1
    assert (found.setting is not None) == holds


def test_cells_of_a_grid_are_numbered_row_by_row():
    from mic_eval.trust.shapley import grid_cells
    assert grid_cells((1, 4, 6), (2, 3)).tolist() == [[0, 0, 1, 1, 2, 2]]*2+[[3, 3, 4, 4, 5, 5]]*2


def test_the_drop_of_an_area_over_few_groups_has_a_value_and_no_interval():
    from mic_eval.trust.shapley import _auroc_drop
    y, lost = np.array([0, 0, 1, 1]), np.array([.1, .3, .2, .4])
    s = _auroc_drop(y, lost, [0, 0, 0, 0], .95)
    assert float(s) == pytest.approx(.3) and math.isnan(s.lo) and s.reason and (s.n, s.groups) == (4, 1)


def test_twins_of_growth_differ_by_growth_in_every_well():
    from mic_eval.trust.references import twin_wells
    t = twin_wells(4, ("growth",), size=40)
    assert t.mask.reshape(4, -1).any(1).all()
    changed = np.abs(t.with_it.images-t.without.images).reshape(4, -1).max(1)
    assert (changed > 0).all()


@pytest.mark.later
@pytest.mark.parametrize("size", (1, 2, 5, 16))
def test_a_confusion_table_is_the_heat_map_of_seaborn_to_the_pixel(size):
    "Which would bring all of `scipy.stats` to every report"
    import seaborn
    from matplotlib import pyplot as plt
    from mic_eval.core.plots import axes, table
    def pixels(ax):
        ax.figure.savefig(drawn := io.BytesIO(), format="png")
        plt.close(ax.figure)
        return drawn.getvalue()
    counts, names = np.random.default_rng(0).integers(0, 9, (size, size)), [f"class {i}" for i in range(size)]
    if size == 2: counts = np.array([[123, 133], [122, 134]])   # the shades between which ink turns white
    ours, many = table(counts, names), size > 15
    theirs = axes(None, *ours.figure.get_size_inches())
    share = counts/counts.sum(1, keepdims=True)
    written = [[f"{n}" if n else "" for n in row] if many else [f"{n}\n{s:.0%}" for n, s in zip(row, shares)]
               for row, shares in zip(counts, share)]
    seaborn.heatmap(share, annot=np.array(written), fmt="", cmap="Blues", vmin=0, vmax=1, cbar=False, ax=theirs,
                    annot_kws=dict(fontsize=6 if many else 9), xticklabels=names, yticklabels=names)
    theirs.set(xlabel="called", ylabel="truth")
    theirs.tick_params(length=3, rotation=0)
    if many: theirs.tick_params(axis="x", rotation=90)
    assert pixels(ours) == pixels(theirs)


def test_a_call_takes_as_long_as_it_takes():
    import time
    import torch
    from mic_eval.model.efficiency import call_times
    def slow(x):
        time.sleep(.002)
        return torch.zeros(len(x))
    assert (call_times(slow, torch.zeros(1, 1, 2, 2), warmup=0, repeats=3) >= 2).all()


def test_what_is_learnt_of_a_reference_from_its_own_study_never_fits_worse():
    "Each step of expectation and maximisation: Dempster, Laird and Rubin 1977"
    from mic_eval.noise.reference import _likeliest, _log_likelihood
    m, study = np.array([[50., 9], [4, 80]]), np.array([[40., 10], [5, 45]])
    T, q, known = study/study.sum(1, keepdims=True), m/m.sum(), np.array([False, False])
    fits = []
    for _ in range(30):
        fits.append(_log_likelihood(m, T, q, study))
        T, q = _likeliest(m, T, q, study, known, steps=1)
    assert (np.diff(fits) >= -1e-9).all() and fits[-1] > fits[0]
    assert T.sum(1) == pytest.approx([1, 1]) and q.sum() == pytest.approx(1)


def test_blur_knows_no_up_and_across():
    from mic_eval.data.corruptions import corrupt
    x = np.random.default_rng(0).uniform(size=(1, 40, 20)).astype(np.float32)
    turned = corrupt(x.swapaxes(1, 2), "blurred", 3).swapaxes(1, 2)
    assert np.allclose(corrupt(x, "blurred", 3), turned, atol=1e-5)


@pytest.mark.parametrize("dtype, white", [(np.uint8, 255), (np.float32, 1)])
def test_a_gallery_of_corruptions_shows_white_as_white(dtype, white):
    from mic_eval.data.corruptions import corruption_gallery
    x = (np.random.default_rng(0).uniform(size=(16, 16))*white).astype(dtype)
    assert corruption_gallery(x, ("blurred",), severities=(1, 2)).images[0].get_clim() == (0, white)


def test_limits_of_agreement_of_groups_of_one_are_those_of_rows():
    from mic_eval.metrics import bland_altman
    d = np.array([1., 2, 4, 7, 9, 3])
    assert bland_altman(d, np.zeros(6), groups=np.arange(6)).sd == pytest.approx(d.std(ddof=1))


def test_one_threshold_for_all_objects_says_the_lowest_and_the_highest_false_alarms():
    from mic_eval.anomaly.maps import AnomalyMaps
    from mic_eval.anomaly.uniad import common_threshold
    rng = np.random.default_rng(2)
    objects, label = np.repeat(["a", "b"], 40), np.tile([0]*30+[1]*10, 2)
    score = rng.normal(size=80)+3*label+.8*(objects == "b")
    m = AnomalyMaps(np.arange(80).astype(str), label, objects, score=score)
    found = common_threshold(m)
    rates = [float(r.fpr) for r in found.by.object.values()]
    assert found.spread_fpr == [min(rates), max(rates)] and rates[0] < rates[1]


def test_the_loss_of_one_class_against_the_rest_is_binary_cross_entropy():
    import torch
    from mic_eval.noise.networks import loss_of
    z, y = torch.tensor([[[2., -1, .5], [0, 3, -2]]]), torch.tensor([[0, 2]])
    hot = torch.nn.functional.one_hot(y, 3).float()
    want = torch.nn.functional.binary_cross_entropy_with_logits(z, hot, reduction="none").mean(-1)
    assert torch.allclose(loss_of("ovr", z, y), want, atol=1e-5)


def test_a_test_of_areas_names_its_method_and_its_groups():
    from mic_eval.run.verdicts import area_test
    from mic_eval.core.tables import Predictions
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    a, b = (Predictions(np.arange(80).astype(str), y, np.clip(.3*y+rng.uniform(0, .7, 80), 0, 1)) for _ in "ab")
    plain, grouped = area_test(y, [a, b]), area_test(y, [a, b], groups=np.arange(80)//2)
    assert (plain.method, grouped.method) == ("DeLong", "DeLong, Obuchowski, t(39)")


@pytest.mark.parametrize("response, value", [("A. 桂枝汤\nC. 银翘散", ("A", "C")), ("A. 桂枝汤\nC. 桑菊饮", None)])
def test_options_listed_line_by_line_are_the_answer_where_letters_and_texts_agree(response, value):
    from mic_eval.tcm.choices import read_several
    assert read_several(response, dict(A="桂枝汤", B="麻黄汤", C="银翘散", D="桑菊饮")).value == value


@pytest.mark.parametrize("label, dangerous", [("benign", [.5]), ("melanoma", [.75])])
def test_a_dangerous_class_is_counted_whichever_place_it_has(label, dangerous):
    from mic_eval.core.tables import Predictions
    from mic_eval.metrics.evaluate import of_dangerous
    y, called = np.array([0, 0, 0, 0, 1, 1, 1, 1]), np.array([0, 0, 1, 2, 1, 1, 1, 0])
    p = Predictions(np.arange(8).astype(str), y, y_pred=called, classes=("benign", "melanoma", "naevus"))
    found = of_dangerous(p, [label])
    assert [float(s) for s in found.classes.values()] == dangerous and found.dangerous_sensitivity.n == 4


def test_limits_of_a_mean_are_logit_where_its_variance_says_something():
    from mic_eval.metrics.ranking import mean_limits
    lo, hi, how = mean_limits(.8, .0025, 40, 1.96, "jackknife")
    half = 1.96*.05/(.8*.2)
    assert (lo, hi) == pytest.approx([1/(1+math.exp(-(math.log(4)+s*half))) for s in (-1, 1)]) and how == "jackknife"
    assert mean_limits(1., 0., 40, 1.96, "jackknife")[2] == "Wilson of the positives"


def test_a_judge_that_always_says_the_same_has_nothing_to_be_weighed_by():
    from mic_eval.metrics.raters import corrected_mean
    human = np.r_[[3., 4, 5, 4], [np.nan]*6]
    s, tuned = (corrected_mean(np.full(10, 4.), human, tune=t) for t in (False, True))
    assert float(s) == float(tuned) == 4 and (s.lo, s.hi) == (tuned.lo, tuned.hi)


def test_an_area_below_one_half_is_turned_round_in_the_words_of_one_tool_only():
    from mic_eval.anomaly.dialects import dialect_table
    rng = np.random.default_rng(0)
    masks, maps = np.zeros((8, 6, 6)), rng.uniform(.5, 1, (8, 6, 6))
    masks[:4, 2:4, 2:4], maps[:4] = 1, rng.uniform(0, .5, (4, 6, 6))
    row = dialect_table(masks, maps).query("tool == 'UniAD'").iloc[0]
    assert row.exact == 0 and row.value == 1


def test_maps_under_noise_of_no_size_do_not_move():
    import torch
    from mic_eval.trust.sanity import max_sensitivity
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(16, 2))
    x = np.random.default_rng(0).uniform(size=(3, 1, 4, 4)).astype(np.float32)
    still, moved = (max_sensitivity(model, x, "input_x_gradient", radius=r) for r in (0., .2))
    assert still.tolist() == [0, 0, 0] and moved.shape == (3,)


@pytest.mark.parametrize("route, remedy", [(["iv", "oral"], "name the route"), (["iv", "iv"], "choose with only")])
def test_breakpoints_that_differ_by_route_ask_for_the_route(route, remedy):
    from mic_eval.mic.breakpoints import Breakpoints, match_breakpoint
    b = Breakpoints(pd.DataFrame(dict(drug="X", S=[1., 8.], R=[2., 16.], convention="eucast", route=route)))
    with pytest.raises(ValueError, match=remedy): match_breakpoint(b, "X")


def test_a_corrected_share_has_the_limits_of_lang_and_reiczigel():
    "100 answers, 60 called right by the judge; of 50 judged by people 30 are right, of which it sees 27, and 17 of 20"
    from mic_eval.metrics.raters import corrected_share
    judge = np.r_[np.ones(27), np.zeros(3), np.ones(3), np.zeros(17), np.ones(30), np.zeros(20)]
    s = corrected_share(judge, np.r_[np.ones(30), np.zeros(20), np.full(50, np.nan)])
    z = stats.norm.ppf(.975)
    p, se, sp = (60+z*z/2)/(100+z*z), 28/32, 18/22
    share, a, b = (p+sp-1)/(se+sp-1), se*(1-se)/32, sp*(1-sp)/22
    middle = share+2*z*z*(share*a-(1-share)*b)
    half = z*math.sqrt(p*(1-p)/(100+z*z)+share**2*a+(1-share)**2*b)/(se+sp-1)
    assert float(s) == pytest.approx((.6+.85-1)/(.9+.85-1))
    assert (s.lo, s.hi) == pytest.approx((middle-half, middle+half))


@pytest.mark.parametrize("n", [299, 303])
def test_the_shift_of_many_differences_is_the_median_of_all_averages_too(n):
    "Above 300 differences the shift is searched for, below it is read off; with 303 two averages lie in the middle"
    from mic_eval.metrics.paired import wilcoxon
    d = np.random.default_rng(n).normal(.3, 1, n)
    i, j = np.triu_indices(n)
    assert float(wilcoxon(d, np.zeros(n)).effect) == pytest.approx(np.median((d[i]+d[j])/2), abs=1e-9)


def test_a_decision_curve_is_drawn_over_its_thresholds():
    import matplotlib.pyplot as plt
    from mic_eval.metrics.utility import decision_curve
    y = np.arange(60) % 2
    ax = decision_curve(y, .2+.6*y, thresholds=[.1, .3, .6]).plot()
    assert ax.get_xlim() == (.1, .6)
    plt.close("all")


def test_a_risk_is_held_by_whichever_of_two_bounds_is_tighter():
    "60 rows of mean loss .02 under a risk of .1: Hoeffding's bound is .046, Bentkus' .145; of mean .0 the same, .0018"
    from mic_eval.metrics.conformal import risk_control
    kl = .02*math.log(.02/.1) + .98*math.log(.98/.9)
    assert math.exp(-60*kl) == pytest.approx(.046, abs=5e-4) and math.e*stats.binom.cdf(2, 60, .1) > .14
    losses = np.full((60, 1), .02)
    assert risk_control(losses, [1], delta=.0465).setting == 1
    assert risk_control(losses, [1], delta=.0455).setting is None
    none = .9**60
    assert risk_control(losses*0, [1], delta=none*1.01).setting == 1
    assert risk_control(losses*0, [1], delta=none*.99).setting is None


def test_a_perfect_number_of_pixels_has_the_interval_of_its_anomalous_images():
    from mic_eval.anomaly.pixel_metrics import with_interval
    from mic_eval.core.intervals import wilson
    kind = np.arange(40) < 12
    s = with_interval(1., np.ones(40), kind, False, (28, 12))
    assert (s.lo, s.hi) == pytest.approx(wilson(12, 12, .95)) and "Wilson" in s.method


def test_a_picture_as_it_is_was_attacked_by_nobody():
    import torch
    from mic_eval.trust.worst_case import attacked_predictions
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(16, 1))
    torch.manual_seed(0)
    x = np.random.default_rng(0).uniform(size=(8, 1, 4, 4)).astype(np.float32)
    with torch.no_grad(): right = (model(torch.tensor(x)).numpy()[:, 0] > 0).astype(int)
    right[0] = 1-right[0]   # one is called wrongly before any attack
    q = attacked_predictions(model, (x, right), radii=[.3], budget="quick")
    first = q.facts[q.facts["radius"] == 0].set_index(q.sample_id[q.facts["radius"] == 0])["attack"]
    assert first.tolist() == ["as it is"] + [""]*7 and q.facts["attack"][q.facts["radius"] > 0].ne("").any()


def test_of_two_grades_the_better_stands_first_and_small_losses_are_better():
    from mic_eval.core.results import Result, Score
    from mic_eval.noise.indices import noise_grades
    here = Result(overall=Score(.89, .88, .92), drop=Score(.10, .08, .12), worst_mean=Score(.70, .68, .72))
    grades = noise_grades(dict(forest=Result(here=here))).methods.forest.grades
    assert [str(grades[k]) for k in ("overall", "drop")] == ["excellent or good"]*2


def test_the_desk_says_how_it_knows_each_column(tmp_path):
    from mic_eval.desk.screens import table_understood
    rows = [f"{2**(i % 4)},{2**(i % 4)},MEM,i{i}" for i in range(8)]
    path = tmp_path/"pairs.csv"
    path.write_text("\n".join(["reference mg/L,vitek mg/L,drug,isolate", *rows]))
    why = {q.role: str(q.why) for q in table_understood(path).questions}
    assert (why["isolate"], why["drug"]) == ("by its name",)*2 and why["organism"] == "no column is called so"


def test_the_key_of_a_plate_without_probabilities_shows_none_and_full():
    import re
    from mic_eval.core.tables import read_predictions
    from mic_eval.mic.plate_page import plate_key
    ps = read_predictions(pd.DataFrame(dict(sample_id=list("abcd"), growth=[1, 1, 0, 0], y_pred=[1, 1, 0, 1])))
    assert re.findall(r'fill-opacity="(\d)"/></svg> (called \w+)', plate_key(ps).html) == [
        ("0", "called negative"), ("1", "called positive")]


def test_two_options_called_wrong_of_four_do_not_make_the_others_right():
    from mic_eval.tcm.several import read_several
    texts = dict(A="脾气虚证", B="脾阳虚证", C="肾阳虚证", D="肾阴虚证")
    assert read_several("A错误，B错误。", texts) is None
    assert read_several("A错误；B错误；C错误。", texts).value == ("D",)


def test_errors_of_categories_are_at_95_percent_unless_another_level_is_asked():
    from mic_eval.core.intervals import wilson
    from mic_eval.mic.comparison import errors_of_categories
    kinds = ["agrees", "very major", "agrees", "agrees", "major", "agrees", "agrees", "agrees", "agrees", "minor"]
    pairs = pd.DataFrame(dict(reference_category=list("RRSSSSRRSI"), test_category=list("RSSSRSRRSS"), error=kinds))
    found = errors_of_categories(pairs).very_major
    assert (found.lo, found.hi, found.level) == (*wilson(1, 4, .95), .95)
    assert errors_of_categories(pairs, level=.9).very_major.lo > found.lo


def test_arrays_of_classes_say_what_they_are():
    from mic_eval.data.class_sets import array_set
    found = array_set([(None, np.zeros((3, 2, 2, 2, 2)), ["a", "b", "a"])], name="volumes")
    assert repr(found).startswith("volumes: 3 ") and repr(found).endswith("(a 2, b 1)")


def test_a_docstring_with_parameters_tells_places_from_keywords():
    import inspect
    from mic_eval.core.rooms import with_parameters
    def f(y_true, y_pred, *, ci=.9): pass
    said = with_parameters("A metric", "f", inspect.signature(f))
    assert "Call: `f(y_true, y_pred, *, ci)`" in said and "(default 0.9)" in said and said.count("(default") == 1


def test_aupro_as_ader_has_two_hundred_thresholds():
    from mic_eval.anomaly.dialects import ader_aupro
    rng = np.random.default_rng(2)
    masks = np.zeros((4, 16, 16), bool)
    masks[2:, 4:9, 5:11] = True
    maps = rng.normal(size=masks.shape)+masks
    assert ader_aupro(masks, maps) == ader_aupro(masks, maps, steps=200) != ader_aupro(masks, maps, steps=199)


@pytest.mark.parametrize("threshold", [.2, .5])
def test_gains_of_patients_in_net_benefit_are_those_of_the_curve(threshold):
    from mic_eval.domain.leave_out import patient_gains
    from mic_eval.metrics import net_benefit
    rng = np.random.default_rng(8)
    y, p, q = rng.integers(0, 2, 60), rng.random(60), rng.random(60)
    both = [float(net_benefit(y, s, threshold=threshold)) for s in (p, q)]
    assert patient_gains(y, p, q)[f"net_benefit_{threshold:g}"].mean() == pytest.approx(both[0]-both[1])


def test_one_of_two_options_is_enough():
    from mic_eval.cli.options import Idle, refuse_idle
    def command(a:bool=False, b:bool=False, x:int=0): ...
    for given in (dict(a=True, b=False, x=1), dict(a=False, b=True, x=1), dict(a=False, b=False, x=0)):
        refuse_idle(command, given, [Idle("x", without="a b")])
    with pytest.raises(ValueError, match="--x does nothing without --a or --b"):
        refuse_idle(command, dict(a=False, b=False, x=1), [Idle("x", without="a b")])


def test_twenty_strata_stand_in_a_table_and_the_rest_is_counted():
    from mic_eval.core.intervals import proportion
    from mic_eval.core.results import Result
    from mic_eval.mic.show_drugs import strata_table
    parts = Result((f"stratum {i:02}", Result(n=100, essential_agreement=proportion(70+i, 100))) for i in range(23))
    page = str(strata_table(parts, "Site"))
    assert [f"stratum {i:02}" in page for i in range(23)] == [True]*20+[False]*3   # the lowest first
    assert "3 further rows" in page and "further" not in str(strata_table(Result(list(parts.items())[:20]), "Site"))


def test_what_is_missing_counts_against_a_limit_and_no_row_more():
    from mic_eval.core.criteria import Criterion, _gone_wrong
    from mic_eval.core.intervals import proportion
    least, most = Criterion("accuracy", .9, "min"), Criterion("miss_rate", .1, "max")
    s = proportion(95, 100)
    assert [(o.k, o.n) for o in (_gone_wrong(c, s, 4, None) for c in (least, most))] == [(95, 104), (99, 104)]


def test_where_the_colours_of_an_array_stand():
    from mic_eval.data.class_sets import array_set
    def read(*shape): return array_set([(None, np.zeros(shape, np.uint8), list("ab")*(shape[0]//2))])
    for shape, channels, size in (((4, 1, 6, 3), 1, (6, 3)), ((4, 2, 6, 3), 3, (2, 6)), ((4, 3, 6, 1), 3, (6, 1)),
                                  ((4, 6, 5, 1), 1, (6, 5)), ((4, 6, 5), 1, (6, 5))):
        assert (read(*shape).channels, tuple(read(*shape).size)) == (channels, size), shape


def test_each_chinese_digit_is_its_number():
    from mic_eval.tcm.prescriptions import read_prescription
    read = [read_prescription(f"甘草{digit}克").doses[0] for digit in "一二三四五六七八九十半两"]
    assert [float(str(d).split()[-1].removesuffix("g")) for d in read] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, .5, 2]


def test_the_median_of_an_even_number_of_distances_is_the_lower_one():
    from mic_eval.trust.survival import median_distance
    assert float(median_distance([4., 1, 3, 2])) == 2 and float(median_distance([5., 1, 3])) == 3
    assert float(median_distance([1., 2, np.inf, np.inf])) == 2 and not median_distance([1., *[np.inf]*2]).defined


def test_an_item_without_a_kind_has_that_of_its_answer():
    from mic_eval.tcm.items import _kind
    four = dict(zip("ABCD", ("甲", "乙", "丙", "丁")))
    kinds = [_kind({}, four, a) for a in ("A", "AC", ["A"], "")]
    assert kinds == ["choice", "choices", "choices", "choice"]
    assert [_kind({}, None, a) for a in (True, dict(x=1), ["a"], "a")] == ["true_false", "structured", "labels", "open"]
    assert _kind(dict(question="__ 主之"), None, "a") == "blank"
    assert _kind(dict(question_type="多选题"), four, "A") == "choices"


def test_held_out_distances_hold_a_p_and_the_halves_of_one_hospital_none():
    from mic_eval.domain.effect import space_distances
    rng = np.random.default_rng(0)
    one, other = rng.normal(size=(80, 2)), rng.normal(3, 1, (80, 2))
    found = space_distances((one, other), (one, other), n_permutations=19)
    assert found.p_told_apart == pytest.approx(1/20)   # no shuffle parts them as well
    assert "p_told_apart" not in found.null and found.null.mmd2 < found.mmd2


def test_a_wild_type_of_two_bells_is_said_to_be_none():
    from mic_eval.mic.ecoff import ecoff_finder
    mics = 2.0**np.arange(-4, 5)
    two = ecoff_finder(mics, count=[5, 0, 60, 0, 5, 20, 20, 20, 0], n_resamples=20)
    one = ecoff_finder(mics, count=[1, 8, 40, 80, 40, 8, 1, 0, 1], n_resamples=20)
    assert two.fit_gap > .05 and "no bell" in two.note
    assert one.fit_gap < .05 and not one.note


@pytest.mark.parametrize("classes", [3, 8])
def test_a_matrix_of_noise_names_at_most_six_classes(classes):
    from mic_eval.noise.labels import noisy_labels
    said = repr(noisy_labels(np.arange(100*classes) % classes, .2, "symmetric", seed=0))
    assert said.count("%") == min(classes, 6)


def test_a_small_grid_of_label_noise_has_four_levels_and_four_seeds(tmp_path):
    from mic_eval.noise.questions import demo_trials
    t = pd.read_parquet(demo_trials(tmp_path, methods=("majority",), data=("iris",)))
    assert t.groupby("setting")["noise_seed"].nunique().to_dict() == {0: 1, .1: 4, .2: 4, .3: 4}


def test_a_decision_function_alone_is_asked_for_scores():
    import torch
    from mic_eval.trust.access import access
    class Margin:
        classes_ = np.array([0, 1])
        def decision_function(self, X): return X[:, 0]-.5
    with access(Margin(), kind="logit").opened() as asked:
        assert asked.all_logits(torch.tensor([[.2, 0.], [.9, 0.]])).argmax(1).tolist() == [0, 1]


@pytest.mark.parametrize("heads,taken,why", [
    (["reference MIC", "test MIC"], ("reference MIC", "test MIC"), "its heading says so"),
    (["broth", "test MIC"], ("broth", "test MIC"), "its heading says so"),
    (["reference MIC", "test MIC", "other MIC"], ("reference MIC", ""), "several columns of MICs fit"),
    (["first MIC", "second MIC"], ("", ""), "two columns of MICs do not say which is the reference")])
def test_the_desk_takes_a_pair_of_mics_only_where_the_headings_say_which_is_which(heads, taken, why, tmp_path):
    from mic_eval.desk.screens import table_understood
    rows = [[">=0.5"]*len(heads)]+[[str(2.0**(i % 5))]*len(heads) for i in range(20)]
    pd.DataFrame(rows, columns=heads).to_csv(tmp_path/"m.csv", index=False)
    reference, test = table_understood(tmp_path/"m.csv").questions[:2]
    assert (reference.guess, test.guess) == taken and test.why == why
    assert (reference.sure, test.sure) == tuple(map(bool, taken))
