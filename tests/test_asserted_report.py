"What reports show (`report`) and commands plan (`cli`), against values by hand and sums over every outcome"
import base64
import io
import itertools
import json
import math
import re
import shlex
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from scipy import stats

from mic_eval.cli import data as cli_data, plan
from mic_eval.core.criteria import Criterion, Profile, judge_one, read_profile
from mic_eval.core.intervals import proportion
from mic_eval.core.predictions import Predictions
from mic_eval.core.results import NotApplicable, Result, Score
from mic_eval.report import exports, samples, views, words
from mic_eval.report.blocks import parts
from mic_eval.report.compare_page import difference_cell, p_text

every, nan = pytest.mark.parametrize, math.nan


def plain(html):
    text = re.sub("<[^>]*>", "", getattr(html, "html", str(html)))
    return re.sub(r"\s+", " ", text.replace("\xa0", " ")).strip()


# --- a score in words

@every("score, said", [
    (Score(.5, .25, .75, k=5, n=10), ("50.0 %", "25.0 to 75.0", "5/10", "")),
    (Score(.5, .4, n=9), ("0.500", "≥ 0.400", "n=9", "")), (Score(.5, n=9, reason="few"), ("0.500", "", "n=9", "few")),
    (Score(n=0, reason="no rows"), ("–", "", "n=0", "no rows")), (NotApplicable("no heads"), ("–", "", "", "no heads")),
    (Score(.5, .4, .6, groups=7, method="bootstrap"), ("0.500", "0.400 to 0.600", "", "7 groups, bootstrap")),
    (Score(.5, .4, .6, groups=7, reason="of 7 plates"), ("0.500", "0.400 to 0.600", "", "of 7 plates")),
    (Score(.5, .4, .6, level=1, method="bins"), ("0.500", "", "", "bins: 0.400 to 0.600")), (3, ("3", "", "", "")),
    (.25, ("0.250", "", "", "")), (nan, ("nan", "", "", ""))])
def test_a_score_is_four_texts(score, said): assert tuple(o.replace("\xa0", " ") for o in parts(score)) == said


@every("p, said", [(0, "<0.001"), (.0009999, "<0.001"), (.001, "0.001"), (.05, "0.050"), (1, "1.000"), (None, "–"),
                  (nan, "–")])
def test_a_p_value(p, said): assert p_text(p) == said


@every("p, said", [(0, "<0.001"), (.001, "0.001"), (.5, "0.500"), (.999, "0.999"), (.9991, ">0.999"), (1, ">0.999")])
def test_a_probability_is_never_sure(p, said): assert samples.probability_text(p) == said


@every("score, said", [
    (Score(.0125, -.003, .028), "+0.013 -0.003 to +0.028"), (Score(-.0004, -.2, .1), "-0.0004 -0.2000 to +0.1000"),
    (Score(0, -.2, .1), "+0.000 -0.200 to +0.100"), (Score(.5, reason="few"), "+0.500 few"),
    (Score(reason="few"), "few"),
    (NotApplicable("no heads"), "no heads")])
def test_a_difference_has_its_sign_and_shows_what_is_small(score, said):
    assert plain(difference_cell(score)).replace("(", "").replace(")", "") == said


@every("why, metric, said", [
    ("0.912 (0.853-0.951), n=99; lower bound 0.853", "roc_auc_", "0.912 (0.853-0.951), n=99; lower bound 0.853"),
    ("0.912 (0.853-0.951), n=99", "sensitivity", "91.2 % (85.3-95.1), n=99"), ("7.000", "rows", "7"),
    ("-0.012 (-0.100 to 0.050)", "sensitivity", "-1.2 % (-10.0 to 5.0)"),
    ("9/10 = 90.0 % (59.6-98.2)", "sensitivity", "9/10 = 90.0 % (59.6-98.2)"),
    ("nothing computed it", "sensitivity", "Not computed in this run.")])
def test_what_was_found_is_said_in_hundredths_where_its_limit_is(why, metric, said):
    assert views._found(dict(why=why, metric=metric)).replace("\xa0", " ") == said


@every("why, there", [("9/10 = 90.0 % (59.6-98.2)", True), ("0.1 (-0.300 to -0.100)", True), ("9/10 = 90.0 %", False),
                      ("0.500 (≥ 0.400)", False), ("0.5 (one group)", False)])
def test_an_interval_is_seen_where_it_has_two_ends(why, there):
    assert bool(views.interval_of(dict(why=why, metric="sensitivity"))) == there
    assert views.interval_of(None) == ""


@every("direction, on, metric, said", [
    ("min", "lo", "sensitivity", "lower bound ≥ 95 %"), ("max", "hi", "sensitivity", "upper bound ≤ 95 %"),
    ("max", "value", "sensitivity", "≤ 95 %"), ("min", "worst", "no_share", "worst group ≥ 0.95")])
def test_a_limit_in_words(direction, on, metric, said):
    c = dict(limit=.95, direction=direction, on=on, metric=metric, why="")
    assert views.limit_text(c).replace("\xa0", " ") == said
    assert views.is_share(c | dict(why="19/20 = 95 %")) and views.is_share(c) == (metric == "sensitivity")


# --- which rows come first

def table(seed=0, K=2, n=30):
    rng = np.random.default_rng(seed)
    scores = rng.uniform(size=n) if K == 2 else rng.dirichlet(np.ones(K), n)
    y = rng.integers(-1, K, n)
    return Predictions(np.arange(n).astype(str), y, scores, classes=tuple("abc"[:K]))


@every("K", [2, 3])
@every("seed", [0, 1])
def test_rows_are_opened_wrong_ones_first_and_the_unlabelled_last(K, seed):
    p = table(seed, K)
    def far(i): return abs(p.y_true[i]-p.scores[i]) if K == 2 else 1-p.scores[i, p.y_true[i]]
    known = sorted((i for i in range(30) if p.y_true[i] >= 0), key=lambda i: (-far(i), p.sample_id[i]))
    wrong = [i for i in known if p.y_pred[i] != p.y_true[i]]
    expected = wrong+[i for i in known if i not in wrong]+[i for i in range(30) if p.y_true[i] < 0]
    assert samples.wrong_rows(p) == wrong and samples.wrongness(p).tolist() == known
    for most in (0, 5, 29, 30, 99): assert samples.opening(p, most) == expected[:most]
    some = wrong[0], expected[len(wrong)], expected[-1]
    assert [samples.outcome_of(p, i) for i in some] == ["wrong", "right", "no label"]


def test_rows_without_scores_are_far_where_they_are_wrong():
    p = Predictions(np.array(["b", "a", "c"]), np.array([0, 1, 1]), y_pred=np.array([1, 0, 1]))
    assert samples.distance_from_truth(p, np.arange(3)).tolist() == [1, 1, 0]
    assert samples.wrongness(p).tolist() == [1, 0, 2]
    score = Predictions(p.sample_id, p.y_true, np.array([9., -9, 9]), kind="score", y_pred=p.y_pred)
    assert samples.wrongness(score).tolist() == [1, 0, 2]


@every("facts, said", [
    (dict(drug="MEM", concentration=4.), "MEM 4 mg/L"), (dict(drug="MEM", concentration=nan), "MEM"), 
    (dict(concentration=.125), "0.125 mg/L"), (dict(role="x", drug="MEM"), "MEM"), (dict(a=1), ""),
    (dict(role="growth control", drug=nan, concentration=nan), "growth control")])
def test_where_a_well_stands(facts, said):
    assert samples.well_text(pd.DataFrame([facts]), 0) == said


@every("v, said", [(None, ""), (nan, ""), (1.5, "1.5"), (1/3, "0.333333"), (1e9, "1e+09"), (7, "7"), ("x", "x")])
def test_a_fact_as_text(v, said): assert samples.told(v) == said


def test_a_picture_is_embedded_only_from_inside_its_folder(tmp_path):
    (tmp_path/"in").mkdir()
    for place in ("in/a.png", "out.png"): Image.fromarray(np.full((40, 80, 3), 128, np.uint8)).save(tmp_path/place)
    (tmp_path/"in"/"link.png").symlink_to(tmp_path/"out.png")
    (tmp_path/"in"/"torn.png").write_bytes(b"\x89PNG")
    for format in ("PNG", "WEBP"):
        head, _, data = samples.picture(tmp_path/"in", "a.png", 20, format).partition(",")
        im = Image.open(io.BytesIO(base64.b64decode(data)))
        assert (head, im.size, im.format) == (f"data:image/{format.lower()};base64", (20, 10), format)
    for path in ("../out.png", "link.png", "none.png", "torn.png", ".", str(tmp_path/"out.png")):
        assert samples.picture(tmp_path/"in", path) is None


# --- the figure of limits

def test_each_number_is_drawn_as_far_from_its_limit_as_it_lies():
    def c(status, direction, limit, value, bound, metric="sensitivity"):
        return dict(metric=metric, status=status, direction=direction, limit=limit, value=value, bound=bound)
    crit = [c("pass", "min", .9, .95, .92), c("fail", "max", .1, .2, .15), c("insufficient n", "min", .9, .93, .85),
            c("pass", "min", .9, 2., .92), c("not evaluated", "min", .9, .9, .9), c("pass", "max", .5, .3, nan)]
    ax = views.limits_plot(SimpleNamespace(result=Result(verdict=Result(criteria=crit)), about=None), most=4)
    lines = [o for o in ax.lines if len(o.get_ydata()) and o.get_linestyle() != "None" and o.get_color() != views.INK]
    drawn = {int(o.get_ydata()[0]): [round(float(x), 6) for x in o.get_xdata()] for o in lines}
    assert drawn == {0: [-10, -5], 1: [3, -5], 2: [5, 2], 3: [20]}
    points = {int(o.get_ydata()[0]): (round(float(o.get_xdata()[0]), 6), o.get_marker()) for o in ax.lines
              if o.get_marker() not in ("None", None, "")}
    assert points == {0: (-10, "s"), 1: (3, "D"), 2: (5, "o"), 3: (20, "o")}
    assert [t.get_text() for t in ax.texts] == ["fail", "insufficient n", "pass", "pass"]
    assert ax.get_ylim() == (3.5, -.5)
    assert views.limits_plot(SimpleNamespace(result=Result(verdict=Result(criteria=crit[3:5])), about=None)) is None


# --- commands, words

def test_the_command_of_a_run_is_what_was_typed_with_another_suite():
    typed = {"--model": "my model.pt", "--by": ["site", "a'b"], "--no-plots": True, "--suite": "quick", "--report": "x",
             "--layers": "a", "--fresh": True}
    said = views.command_with(SimpleNamespace(about=dict(typed=typed)), "full", "technical")
    assert shlex.split(said) == ["mic-eval", "run", "--model", "my model.pt", "--by", "site", "--by", "a'b",
                                 "--no-plots", "--suite", "full", "--report", "technical"]
    assert views.command_with(SimpleNamespace(about={}), "full") == ""


@every("text, lang", [("zh", "zh"), ("zh_CN.UTF-8", "zh"), ("ZH-Hans", "zh"), (" 中文 ", "zh"), ("cn", "zh"),
                      ("en-GB", "en"), ("english", "en")])
def test_a_language_is_known_by_its_names(text, lang): assert words.language_named(text) == lang


def test_an_unknown_language_is_named_with_those_there_are():
    with pytest.raises(ValueError, match="no language 'fr'; there is en .English., zh .Chinese."):
        words.language_named("fr")


@every("items, said", [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", 2, "c"], "a, 2 and c")])
def test_items_as_a_phrase(items, said): assert words.listed(items) == said


def test_sentences_of_chinese_stand_without_blanks():
    assert words.sentences(["一。", "二！", "Three. ", "四；", "五"]) == "一。二！Three.  四；五"


def test_what_is_spoken_is_what_was_spoken_before_once_a_block_ends():
    before = words.speak()
    with pytest.raises(ZeroDivisionError), words.speaking("zh"):
        assert words.speak() == "zh"
        1/0
    assert words.speak() == before


# --- exports

def block(t, *inside): return dict(t=t, c=[2 if t == "Header" else ["", [], []], list(inside)])


def test_a_heading_stays_with_its_lines_and_its_figure_and_nothing_is_lost():
    for kinds in itertools.product(["Header", "Para", "Figure"], repeat=4):
        blocks = [dict(t=t, c=[2, i]) for i, t in enumerate(kinds)]
        out = exports.kept_together(blocks)
        assert [o for o in out if o["t"] != "RawBlock"] == blocks
        marks = "".join("(" if o["t"] == "RawBlock" and o["c"][1].endswith("[") else ")" if o["t"] == "RawBlock" else
                        o["t"][0] for o in out)
        assert marks == re.sub("HP*F", lambda m: f"({m[0]})", "".join(t[0] for t in kinds))


def test_contents_stand_before_the_first_section():
    title, section, text = dict(t="Header", c=[1, 0]), dict(t="Header", c=[2, 0]), dict(t="Para", c=[])
    inside = dict(t="Div", c=[["", [], []], [section]])
    for s in (section, inside, dict(t="Div", c=[["", [], []], [inside]])):
        out = exports.with_contents([title, text, s, s])
        assert [o["t"] for o in out] == ["Header", "Para", "RawBlock", s["t"], s["t"]]
        assert "contents" in out[2]["c"][1]
    assert exports.with_contents([title, text]) == [title, text]


def test_pictures_are_saved_and_nothing_comes_from_outside(tmp_path):
    png = base64.b64encode(b"picture").decode()
    p = exports.PictureSaver(tmp_path)
    p.feed(f'<p style="x" class="a">1 &lt; 2</p><img src="data:image/png;base64,{png}" alt="a&quot;b">'
           f'<img src="https://x/y.png"><script>evil()</script><svg><path d="1"/><text>no</text></svg>'
           f'<button>Head</button><img src="data:text/html;base64,{png}"><br/>'
           f'<img src="data:image/svg+xml;base64,{png}">')
    assert "".join(p.out) == ('<p class="a">1 &lt; 2</p><img src="picture-1.png" alt="a&quot;b">Head<br>'
                              '<img src="picture-2.svg">')
    assert (tmp_path/"picture-1.png").read_bytes() == b"picture" and len(list(tmp_path.iterdir())) == 2


def test_a_drawing_stands_alone_where_it_needs_no_style_of_its_page():
    svg = '<svg aria-label="A &amp; b" width="120.5" viewBox="0 0 1 1"><path stroke="currentColor" d="M0 0"/></svg>'
    made = exports.drawing_as_picture(svg)
    assert made.startswith('<img alt="A &amp; b" width="120" src="data:image/svg+xml;base64,')
    alone = base64.b64decode(re.search('base64,([^"]+)', made)[1]).decode()
    assert alone == svg.replace("currentColor", "#222222").replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"')
    for old, new in ((' aria-label="A &amp; b"', ""), ("<path", "<path class='x'"), ("/>", ">")):
        assert exports.drawing_as_picture(svg.replace(old, new)) == svg.replace(old, new)


def test_scores_as_latex_hold_a_row_a_score():
    s = dict(a_b=Score(.5, .25, .75, k=5, n=10), other=NotApplicable("50 % & more"), text="skipped", number=3)
    lines = exports.latex_table(s, "100 %", "per class/x").splitlines()
    rows = lines[lines.index(r"\midrule")+1:lines.index(r"\bottomrule")]
    assert len(rows) == 2 and all(o.count(" & ") == 3 and o.endswith(r" \\") for o in rows)
    assert r"50 \% \& more" in rows[1] and "5/10" in rows[0]
    assert lines[-3:] == [r"\caption{100 \%}", r"\label{tab:per-class-x}", r"\end{table}"]
    r = Result(x=Result(a=Score(.5)), y=Result(text="no"), z=Score(.1))
    assert exports.latex_tables(r).count(r"\begin{table}") == 2


# --- how many rows a study needs

@every("n, rate, limit", [(30, .95, .9), (31, .9, .9), (10, .5, .75), (100, .91, .9)])
def test_the_chance_that_an_estimate_reaches_its_limit_is_a_sum_over_every_outcome(n, rate, limit):
    p = sum(math.comb(n, k)*rate**k*(1-rate)**(n-k) for k in range(n+1) if round(k/n-limit, 12) >= 0)
    assert plan.estimate_power(n, rate=rate, limit=limit) == pytest.approx(p)


LIMITS = [Criterion("sensitivity", .9, "min", on="lo"), Criterion("false_negative_rate", .1, "max", on="hi"),
          Criterion("sensitivity", .8, "min", on="bound", interval="clopper-pearson", sides=1),
          Criterion("essential_agreement", .9, "min"), Criterion("very_major", .03, "max"),
          Criterion("sensitivity", .9, "min", on="lo", least=60)]


@every("c", LIMITS)
@every("errors", [0, 1, 3])
def test_the_fewest_rows_with_which_a_limit_is_met_in_spite_of_errors(c, errors):
    "By trying every number of rows"
    def passes(n): return judge_one(c, proportion(n-errors if c.direction == "min" else errors, n)).status == "pass"
    assert plan.fewest(c, errors) == next(n for n in range(max(errors, 1), 500) if passes(n))


@every("c", LIMITS[:4])
@every("power, groups", [(.8, 1), (.95, 1), (.8, 5)])
def test_units_with_which_a_good_model_passes(c, power, groups):
    "So many or more: the chance is summed over the numbers of errors that are allowed"
    share = (1-c.limit if c.direction == "min" else c.limit)*.25
    def passes(k, n): return judge_one(c, proportion(n-k if c.direction == "min" else k, n)).status == "pass"
    def chance(n): return sum(math.comb(n, k)*share**k*(1-share)**(n-k) for k in range(n+1) if passes(k, n))
    n = plan.units_to_pass(c, .25, power, groups)
    assert all(chance(m)**groups >= power for m in (n, n+1, n+2, n+5, n+20))
    if n > max(c.least, 1): assert chance(n-1)**groups < power or plan.fewest(c, 0) == n


@every("power", [.8, .95])
def test_units_by_the_width_of_a_run(power):
    "Of a normal number whose standard error falls with the root of its units"
    c, se = Criterion("f1", .8, "min", on="lo"), .05
    part = dict(value=.9, bound=.9-stats.norm.ppf(.975)*se, units=40)
    n = plan._by_its_width(c, part, power)
    def chance(n): return stats.norm.sf(stats.norm.ppf(.975)-.1/(se*math.sqrt(40/n)))
    assert chance(n) >= power > chance(n-1)
    for known in (dict(value=.8), dict(units=None)): assert plan._by_its_width(c, part | known, power) == ""
    assert plan._by_its_width(c, part | dict(value=1e9, bound=1e9-1), power) == 3


@every("groups", [(), ("site", "class")])
def test_limits_of_ones_own_are_read_back_as_they_were_set(tmp_path, groups):
    like = read_profile("classification-release")
    wanted = {c.metric: .5+.01*i for i, c in enumerate(like.criteria[:2])}
    (tmp_path/"l.yml").write_text(plan.limits_file(like, wanted, groups=groups, title='My "limits": 1', source="我们"))
    p = read_profile(tmp_path/"l.yml")
    assert {c.metric: c.limit for c in p.criteria} == wanted
    assert (p.title, p.source, p.groups) == ('My "limits": 1', "我们", groups)
    for c in p.criteria:
        old = next(o for o in like.criteria if o.metric == c.metric)
        for k in ("direction", "on", "interval", "sides", "of", "by", "optional", "least"):
            assert getattr(c, k) == getattr(old, k)
    assert set(p.guards)|set(p.not_guarded) == set(like.guards)|set(like.not_guarded)
    for limits, why in (({}, "no limit was set"), (dict(acuracy=1), "did you mean")):
        with pytest.raises(ValueError, match=why): plan.limits_file(like, limits)


@every("text, out", [(None, None), ("tune=0.3,test=0.7", dict(tune=.3, test=.7)), (" a = 1 ", dict(a=1.))])
def test_shares_as_they_are_typed(text, out):
    assert plan.shares_option(text) == out
    with pytest.raises(ValueError, match="name=share"): plan.shares_option("a=b")


@every("given, why", [("accuracy=x", "a limit is a number, not 'x'"), ("acuracy=1", "did you mean"),
                      ("accuracy=1.01", "outside 0 to 1")])
def test_limits_as_options(given, why):
    like = Profile("p", (Criterion("accuracy", .5, "min"),))
    assert plan._given_limits(like, [" accuracy =.25"]) == dict(accuracy=.25)
    assert plan._given_limits(like, ["accuracy=1", "accuracy=0"]) == dict(accuracy=0)
    with pytest.raises(ValueError, match=why): plan._given_limits(like, [given])


def test_a_limit_is_asked_for_until_it_can_be_used():
    like = Profile("p", (Criterion("accuracy", .5, "min"), Criterion("f1", .5, "min", on="lo"),
                         Criterion("brier", .5, "max")))
    answers, questions, told = iter(["x", "2", " .75 ", "", ".1"]), [], []
    out = plan._asked_limits(like, lambda q: questions.append(q) or next(answers), told.append)
    assert out == dict(accuracy=.75, brier=.1) and len(told) == 2 and len(questions) == 5
    assert "at least" in questions[0] and "at most" in questions[4] and "lower end" in questions[3]


# --- what is understood of a table

@every("given, out", [(None, {}), (["site=hospital", "y= a=b "], dict(site="hospital", y="a=b"))])
def test_roles_as_they_are_typed(given, out):
    assert cli_data._said_roles(given) == out
    for bad in ("site", "=x", "site="):
        with pytest.raises(ValueError, match="say ROLE=COLUMN"): cli_data._said_roles(["a=b", bad])


def test_what_looks_like_truths_and_probabilities_makes_a_command(tmp_path):
    df = pd.DataFrame(dict(name=[f"s{i}" for i in range(12)], outcome_x=["yes", "no"]*6,
                           score_x=np.linspace(.01, .9, 12), other=np.linspace(3, 9, 12)))
    df.to_csv(tmp_path/"a b.csv", index=False)
    words = shlex.split(cli_data.proposed(tmp_path/"a b.csv", df))
    assert words == ["mic-eval", "run", "--predictions", str(tmp_path/"a b.csv"), "--y-true", "outcome_x",
                     "--y-score", "score_x", "--kind", "prob", "--sample-id", "name"]
    assert cli_data.proposed(tmp_path/"a b.csv", df.drop(columns="score_x")) == ""
    likely = cli_data._likely(df.assign(score_x=[.2, .8]*6, outcome_x=[0, 1]*6))
    assert likely == dict(y_true="outcome_x", y_score="score_x", sample_id="name")


def test_columns_are_told_with_their_empty_cells():
    frame = pd.DataFrame(dict(a=[1, 2, 2], b=["x", None, None], c=[1.5, nan, 2], d=[True, False, True]))
    assert [re.sub(r"\s+", " ", o).strip() for o in cli_data.column_lines(frame)] == [
        "a numbers: 1, 2", "b text, 2 empty: x", "c numbers, 1 empty: 1.5, 2.0", "d yes or no: True, False"]


def test_a_plan_for_programs_holds_its_rows():
    rows = [dict(of="isolates", none=29, one=""), dict(of="wells", none=5, one=8)]
    assert json.loads(plan.shown_plan(rows, "说", True)) == dict(rows=rows, sentence="说")
    text = plan.shown_plan(rows, "said", False).splitlines()
    assert len(text) == 5 and text[3:] == ["", "said"] and "without an error" in text[0]
    assert re.split(r"\s{2,}", text[2])[0] == "wells"
