"Comparisons: rows matched or refused, numbers of the metrics they stand on, verdicts, ties, the command and its page."
import dataclasses
import json
import math

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from hypothesis import given, settings, strategies as st
from typer.testing import CliRunner

import mic_eval
from mic_eval.core.results import NotApplicable, Result, Score, from_json, to_json
from mic_eval.core.tables import Predictions
from mic_eval.metrics.noninferiority import holm, margin_verdict
from mic_eval.metrics.paired import mcnemar, paired_permutation
from mic_eval.metrics.delong import delong_test
from mic_eval.cli.app import app
from mic_eval.run.compare import compare, leaderboard, tied_runs
from mic_eval.run.verdicts import different_calls, pair_verdict, paired_power, verdict_sentence
from mic_eval.run.alignment import align_rows
from mic_eval.report.compare_page import (
    Comparison, comparison_verdict, different_samples, opened_comparison, plot_differences, power_table,
    save_comparison, standings, paired_table)
from mic_eval.run.evaluation import make_run
from every import every

HOSTILE = "<script>alert(1)</script>"


def table(noise, n=400, seed=0, plates=25, **kw):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    p = 1/(1+np.exp(-2*(2*y-1)-noise*np.random.default_rng([seed, int(100*noise)]).normal(0, 1, n)))
    return Predictions(np.array([f"s{i}" for i in range(n)]), y, p,
                       facts=pd.DataFrame(dict(plate=(np.arange(n) % plates).astype(str), noise=rng.normal(size=n))),
                       **kw)


good, bad = table(1), table(3)


def invoke(*args): return CliRunner().invoke(app, ["compare", *map(str, args)])


def error(*args):
    r = invoke(*args)
    assert r.exit_code == 2 and r.stdout == "" and r.stderr.count(
        "\n") == 1 and r.stderr.startswith("error: "), (r.exit_code, r.output, r.exception)
    return r.stderr


# --- rows

@given(st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_order_of_rows_cannot_matter(seed):
    order = np.random.default_rng(seed).permutation(len(bad))
    back = align_rows(good, bad[order])
    assert (back.sample_id == good.sample_id).all() and (back.scores == bad.scores).all()


def test_shuffled_file_gives_the_same_bytes():
    order = np.random.default_rng(1).permutation(len(bad))
    assert to_json(compare(good, bad)) == to_json(compare(good, bad[order]))


def test_variants_are_part_of_the_key():
    twice = lambda t: Predictions(np.tile(t.sample_id, 2), np.tile(t.y_true, 2), np.tile(t.scores, 2),
                                  variant=np.repeat(["a", "b"], len(t)))
    assert compare(twice(good), twice(bad), groups=None).rows == 800
    with pytest.raises(ValueError, match="do not hold the same samples"): compare(twice(good), bad)


@pytest.mark.parametrize("a, b, words", [
    (good, bad[:390], "A and B do not hold the same samples: 10 of 400 are only in A (s390, s391, s392 ...)"),
    (good[2:], bad[:399], "1 of 398 are only in A (s399) and 2 of 399 are only in B (s0, s1)"),
    (good, Predictions(bad.sample_id, np.r_[1-bad.y_true[:2], bad.y_true[2:]], bad.scores),
     "disagree about the truth of 2 of 400 samples (s0, s1)"),
    (good, Predictions(bad.sample_id, bad.y_true, bad.scores, classes=("clear", "grown")),
     "know different classes: no growth, growth and clear, grown")])
def test_other_data_is_refused_in_one_line(a, b, words):
    with pytest.raises(ValueError) as e: compare(a, b)
    assert words in str(e.value) and "\n" not in str(e.value)


@every("kw, words", [(dict(margin=0), "margin must"), (dict(margin=math.nan), "margin must"),
                     (dict(margin=1), "margin must"), (dict(on="f1"), "on must be"),
                     (dict(groups="plat"), "plat"),
                     (dict(names=[
                         "a"]), "1 names for 2"), (dict(names=["a", "a"]), "names must differ")])
def test_bad_arguments(kw, words):
    with pytest.raises(ValueError, match=words): compare(good, bad, **kw)


def test_unlabelled_rows_are_left_out():
    hide = lambda t: Predictions(t.sample_id, np.where(np.arange(400) < 40, -1, t.y_true), t.scores, facts=t.facts)
    c = compare(hide(good), hide(bad))
    assert (c.rows, c.unlabelled) == (360, 40) and c.verdict.sentence == compare(good[40:], bad[40:]).verdict.sentence
    with pytest.raises(ValueError, match="at least two labelled samples, and there are none"):
        compare(hide(good)[:40], hide(bad)[:40])


# --- numbers

@pytest.mark.parametrize("groups", [None, "plate"])
def test_numbers_are_those_of_the_metrics(groups):
    g = None if groups is None else good.fact("plate")
    t = compare(good, bad, groups=groups, seed=3).pairs["A - B"].tests
    y, pos = good.y_true, good.y_true == 1
    assert t.accuracy.p == mcnemar(y, good.y_pred, bad.y_pred, groups=g).p
    s = mcnemar(y[pos], good.y_pred[pos], bad.y_pred[pos], labels=(0, 1), groups=None if g is None else g[pos])
    assert (t.sensitivity.p, t.sensitivity.effect.lo, t.sensitivity.n) == (s.p, s.effect.lo, 200)
    assert t.roc_auc.p == float(delong_test(y, good.scores, bad.scores, groups=g).p)
    assert t.brier.p == paired_permutation((good.scores-y)**2, (bad.scores-y)**2, groups=g, seed=3).p
    np.testing.assert_array_equal([v.p_holm for v in t.values()], holm([v.p for v in t.values()]))


def test_swapped_models_swap_signs():
    a, b = compare(good, bad, groups=None).pairs["A - B"], compare(bad, good, groups=None).pairs["A - B"]
    for k in a.tests:
        assert float(a.tests[k].effect) == pytest.approx(-float(b.tests[k].effect))
        assert a.tests[k].p == pytest.approx(b.tests[k].p, abs=.01)
    assert (a.different.only_a, a.different.both_wrong) == (b.different.only_b, b.different.both_wrong)


def test_a_model_is_not_compared_with_itself(tmp_path):
    with pytest.raises(ValueError, match="A and B are one and the same .the same probabilities, to the last digit"):
        compare(good, good)
    f = good.save(tmp_path/"good.csv")
    with pytest.raises(ValueError, match="the same file or weights"): compare(f, f)
    calls = Predictions(good.sample_id, good.y_true, y_pred=good.y_pred)   # two models may well call alike
    assert compare(calls, calls).verdict.status in ("tied", "inconclusive")


def test_rows_that_models_learned_from_decide_nothing():
    def of_split(p, name): return dataclasses.replace(p, facts=p.facts.assign(split=name))
    r = compare(of_split(bad, "train"), of_split(good, "train"))
    assert r.verdict.status == r.pairs["A - B"].verdict.status == "not evaluated"
    assert "are of the split 'train'" in r.verdict.sentence
    assert compare(of_split(bad, "test"), of_split(good, "test")).verdict.status != "not evaluated"


def as_it_is(s, i): return s
def shaken(s, i): return s+np.random.default_rng(i).normal(0, 1e-5, len(s))
def moved(s, i): return s+1e-3*i


@pytest.mark.later
@pytest.mark.parametrize("spoil, mixed", [(as_it_is, False), (as_it_is, True), (shaken, False), (shaken, True),
                                          (moved, False)])   # moved and mixed is not found
def test_pasted_rows_count_once(spoil, mixed):
    "Eighty rows pasted thirty times, as they are, shaken or moved, show what eighty rows show"
    rng = np.random.default_rng(1)
    y, order = rng.integers(0, 2, 80), rng.permutation(2400) if mixed else np.arange(2400)
    p, q = (np.clip(.5+(y-.5)*.5+rng.normal(0, .2, 80), .1, .9) for _ in range(2))
    def pasted(s):
        return Predictions(np.arange(2400), np.tile(y, 30), np.concatenate([spoil(s, i) for i in range(30)]))[order]
    once = compare(*(Predictions(np.arange(80), y, s) for s in (p, q)), groups=None)
    many = compare(pasted(p), pasted(q))
    a, b = (r.pairs["A - B"].tests.accuracy.effect for r in (once, many))
    assert b.groups <= 90 and b.hi-b.lo > .8*(a.hi-a.lo)
    assert any("look like copies" in o for o in many.notes)


def test_rows_that_stand_alone_are_no_copies():
    rng = np.random.default_rng(2)
    y, p, q = rng.integers(0, 2, 2400), rng.beta(2, 2, 2400), rng.beta(2, 2, 2400)
    r = compare(*(Predictions(np.arange(2400), y, s) for s in (p, q)))
    assert r.pairs["A - B"].tests.accuracy.effect.groups is None


def test_verdict_rests_on_the_metric_that_was_named():
    y = np.arange(200) % 2
    p, q = np.where(y == 1, .8, .2), np.where(y == 1, .8, .2)
    p[1:40:2] = .1   # A misses growth
    q[0:160:2] = .9   # B raises false alarms
    a, b = (Predictions(np.arange(200), y, s) for s in (p, q))
    r = compare(a, b)
    assert r.verdict.status == "superior" and "But A has a lower sensitivity" in r.verdict.sentence
    assert compare(a, b, on="sensitivity").verdict.status == "inferior"
    assert compare(a, b, on="specificity").verdict.status == "superior"


@given(st.floats(-.2, .2), st.floats(0, .2), st.floats(.001, .1))
def test_verdict_is_that_of_the_margin(lo, width, margin):
    e = Score(lo+width/2, lo, lo+width)
    assert pair_verdict(Result(effect=e), margin) == margin_verdict(e, margin).replace("equivalent", "tied")


def test_power_grows_and_groups_cost():
    rng = np.random.default_rng(0)
    a, b = rng.random(4000) < .9, rng.random(4000) < .9
    small, large = paired_power(a[:400], b[:400], margin=.03), paired_power(a, b, margin=.03)
    assert small.non_inferiority < large.non_inferiority and small.superiority < large.superiority
    alike = np.repeat(np.arange(50), 80)
    same = np.repeat(rng.random(50) < .9, 80)
    assert paired_power(same, b, margin=.03, groups=alike).effective_n < 1000
    assert isinstance(paired_power(a, b, margin=.03, groups=np.arange(4000) % 3), NotApplicable)


# --- what is missing

def test_scores_that_are_no_probabilities():
    s = lambda t: Predictions(t.sample_id, t.y_true, t.scores*7-2, kind="score")
    t = compare(s(good), s(bad), on="roc_auc").pairs["A - B"].tests
    assert [k for k, v in t.items() if not isinstance(v, NotApplicable)] == ["roc_auc"]
    c = compare(s(good), s(bad))
    assert c.verdict.status == "not evaluated" and "need y_pred" in c.verdict.sentence
    for f in comparison_verdict, standings, paired_table, different_samples: assert f(c).html


def test_one_class_and_certainty():
    one = lambda t: Predictions(t.sample_id, np.ones(400, int), t.scores)
    r = compare(one(good), one(bad)).pairs["A - B"]
    assert isinstance(r.tests.specificity, NotApplicable)
    assert r.verdicts.roc_auc == "not evaluated" and isinstance(r.bootstrap.specificity, NotApplicable)
    sure = Predictions(good.sample_id, good.y_true, (good.scores > .5)*1.)
    assert "infinite" in compare(sure, bad).pairs["A - B"].tests.log_loss.reason


def test_three_classes():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    p = lambda: rng.dirichlet(np.ones(3), 90)
    c = compare(*(Predictions(np.arange(90), y, p(), classes=("a", "b", "c")) for _ in range(2)))
    t = c.pairs["A - B"].tests
    assert isinstance(t.sensitivity, NotApplicable) and t.accuracy.p <= 1 and t.brier.p <= 1
    for f in comparison_verdict, standings, paired_table, different_samples: assert f(c).html


def test_few_groups_are_said():
    few = lambda noise: table(noise, plates=3)
    c = compare(few(1), few(3))
    assert c.verdict.status == "not evaluated"
    assert "too few groups (3)" in c.verdict.sentence and isinstance(c.pairs["A - B"].power, NotApplicable)


def test_weights_are_not_used_in_silence(): assert "weights" in compare(table(1, weight=np.ones(400)), bad).notes[0]


# --- many

@given(st.integers(1, 6), st.integers(0, 10**6))
def test_ties(k, seed):
    p = np.random.default_rng(seed).random((k, k))**2
    p = np.triu(p, 1)+np.triu(p, 1).T
    runs = tied_runs(p, .2)
    assert set().union(*(range(i, j) for i, j in runs)) == set(range(k))
    for i, j in runs: assert all(p[x, y] > .2 for x in range(i, j) for y in range(x+1, j))
    assert all(a < c and b < d for (a, b), (c, d) in zip(runs, runs[1:]))


def test_leaderboard():
    c = compare(bad, good, table(1.1), names=["bad", "good", "alike"])
    assert list(c.leaderboard)[-1] == "bad" and c.tied[-1] == ["bad"] and sorted(c.tied[0]) == ["alike", "good"]
    assert c.verdict.status == "tied leaders" and len(c.pairs) == 3 and c.overall.accuracy.p < .001
    assert all(v.p_holm >= v.p for r in c.pairs.values() for v in r.tests.values())
    assert "Group 1" in standings(c).html


@pytest.mark.later
def test_the_figure_of_many_names_what_decides_and_both_of_a_pair(recwarn):
    units = dict(accuracy="Accuracy, first minus second, percentage points", roc_auc="AUROC: hundredths")
    for on, said in units.items():
        ax = plot_differences(compare(bad, good, table(1.1), names=LONG, on=on))
        assert said in ax.get_xlabel() and [t.get_text() for t in ax.get_yticklabels()][0] == " -\n".join(LONG[:2])
        ax.figure.canvas.draw()
    assert not [w for w in recwarn if "constrained_layout" in str(w.message)]


def test_names_are_made_different():
    assert list(compare(good, bad).models) == ["A", "B"]
    assert len(set(compare(good, bad, table(2), groups=None).models)) == 3


def test_hostile_text_is_escaped():
    t = lambda noise: Predictions(np.array([f"{HOSTILE}{i}" for i in range(400)]), good.y_true, table(noise).scores)
    c = compare(t(1), t(3), names=[HOSTILE, "<b>"])
    for f in comparison_verdict, standings, paired_table, different_samples:
        assert "<script" not in f(c).html and "<b><" not in f(c).html


# --- files, runs, command

def test_round_trip(tmp_path):
    c = compare(good, bad)
    s = save_comparison(c, tmp_path/"deep"/"folder")
    assert s.result.verdict == c.verdict and s.passed and to_json(s.result) == to_json(from_json(to_json(c)))
    for f in comparison_verdict, standings, paired_table, different_samples: assert f(s).html == f(c).html
    with pytest.raises(ValueError, match="no compare.json"): Comparison(tmp_path).result


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    place = tmp_path_factory.mktemp("runs")
    model = lambda slope: lambda x: np.clip(1.3-slope*x.mean((1, 2, 3)), .01, .99)
    return [make_run(model(s), "demo:1", out=place, version=str(s)) for s in (1.4, .9)], place


@pytest.mark.later
def test_runs_and_their_folders(runs):
    (a, b), _ = runs
    assert mic_eval.compare(a, b).verdict == compare(a.folder, str(b.folder)).verdict
    assert len(set(compare(a, b).models)) == 2   # both are called <lambda>


@pytest.mark.later
def test_runs_on_other_data_are_refused(runs, tmp_path):
    other = make_run(lambda x: np.full(len(x), .5), "demo:1", seed=1, out=tmp_path, version="1")
    with pytest.raises(ValueError) as e: compare(runs[0][0], other)
    assert "\n" not in str(e.value) and ("different data" in str(e.value) or "same" in str(e.value))


@pytest.mark.full   # a page in a kernel
def test_command_and_page(runs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (a, b), _ = runs
    r = invoke(a.folder, b.folder, "--out", "out", "--margin", ".02", "--groups", "none")
    assert r.exit_code == 0 and r.stdout.strip() == "out/compare.html", (r.output, r.exception)
    d = json.loads((tmp_path/"out"/"compare.json").read_text())
    assert d["schema"] == 2 and d["margin"] == .02 and d["groups"]["column"] is None
    page = BeautifulSoup((tmp_path/"out"/"compare.html").read_text(encoding="utf-8"), "html.parser")
    assert [h.text for h in page.find_all("h2")] == ["Models", "Differences", "Tests", "Power", "Where they differ"]
    assert len(page.select("div.pictures img")) > 3
    assert all(i["src"].startswith("data:image/png;base64,") and i["alt"] for i in page.find_all("img"))
    assert not page.select("script[src], link") and str(tmp_path) not in page.text


LONG = "convnext_tiny_in22k_finetuned_v3", "vit_small_patch16_224_distilled", "微量肉汤稀释法读板网络"


@pytest.mark.later
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_names_verdicts_and_intervals_stand_whole_on_paper(lang, tmp_path):
    from nbformat.v4 import new_code_cell, new_notebook, new_output
    from playwright.sync_api import sync_playwright
    from mic_eval.report.render import to_html
    from mic_eval.report.words import speaking
    with speaking(lang):
        c = compare(bad, good, table(1.1), names=LONG)
        shown = [new_output("display_data", data={"text/html": show(c).html})
                 for show in (standings, paired_table, power_table)]
        (tmp_path/"page.html").write_text(to_html(new_notebook(cells=[new_code_cell("x", outputs=shown)])), "utf-8")
    with sync_playwright() as p, p.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"]) as b:
        tab = b.new_page(viewport=dict(width=688, height=900))   # an A4 sheet without its margins
        tab.goto((tmp_path/"page.html").as_uri())
        tab.emulate_media(media="print")
        lines = """s => [...document.querySelectorAll(s)].map(e => {
            const words = document.createRange(); words.selectNodeContents(e);
            const line = parseFloat(getComputedStyle(e).fontSize) * 1.32;   // as the style sheet of a report has it
            return [e.textContent, Math.round(words.getBoundingClientRect().height / line)]})"""
        whole = tab.evaluate(lines, "td.num, th .together, .together .soft")
        assert len(whole) > 40 and not [o for o in whole if o[1] > 1]
        names = tab.evaluate(lines, "tbody th:has(.together)")
    assert len(names) == 3 and all(n == 2 for _, n in names)   # broken once, behind the dash


@pytest.mark.later
def test_a_number_and_its_unit_stay_on_one_line(tmp_path):
    "In running text on the screen and on paper; the file keeps its spaces, and tables theirs"
    from nbformat.v4 import new_markdown_cell, new_notebook
    from playwright.sync_api import sync_playwright
    from mic_eval.report.render import to_html
    text = "Up to 0.25 mg/L in 45.9 % of 3 samples, 12 s each, 5 steps, 2 mg/Loaf, 4 MB.\n\n| a |\n|-|\n| 8 mg/L |\n"
    page = to_html(new_notebook(cells=[new_markdown_cell("# T"), new_markdown_cell(text)]))
    assert "0.25 mg/L in 45.9 % of" in page
    (tmp_path/"page.html").write_text(page, "utf-8")
    with sync_playwright() as p, p.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"]) as b:
        tab = b.new_page()
        tab.goto((tmp_path/"page.html").as_uri())
        shown, cell = tab.text_content("main p"), tab.text_content("main td")
    assert shown == "Up to 0.25_mg/L in 45.9_% of 3 samples, 12_s each, 5 steps, 2 mg/Loaf, 4_MB.".replace("_", "\xa0")
    assert cell == "8 mg/L"


def test_command_errors(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    good.save(tmp_path/"a.parquet"), bad[:100].save(tmp_path/"b.csv")
    assert "only in a" in error("a.parquet", "b.csv", "--report", "none")
    assert "at least two runs" in error("a.parquet")
    assert "no run in nowhere" in error("a.parquet", "nowhere")
    assert "no file" in error("a.parquet", "c.csv")
    assert "did you mean 'compare'" in error("a.parquet", "b.csv", "--report", "compar")
    assert not (tmp_path/"compare").exists()


def test_report_by_itself_takes_files(tmp_path):
    good.save(tmp_path/"a.parquet"), bad.save(tmp_path/"b.csv")
    c = opened_comparison(predictions=f"{tmp_path/'a.parquet'}, {tmp_path/'b.csv'}", out=tmp_path/"out")
    assert list(c.result.models) == ["a", "b"] and c.result.verdict.status == "superior"


@pytest.mark.later
def test_strict(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, t in dict(good=good, bad=bad, alike=table(1.1)).items(): t.save(tmp_path/f"{name}.parquet")
    code = lambda *runs, **kw: invoke(*(f"{r}.parquet" for r in runs), "--report", "none",
                                      *kw.get("more", ["--strict"])).exit_code
    assert [code("good", "bad"), code("bad", "good"), code("bad", "good", more=[])] == [0, 1, 0]
    assert [code("alike", "bad", "good"), code("bad", "alike", "good")] == [0,
        1], "of many, the first must be one of the leaders"
    assert code("good", "alike", more=["--strict", "--margin", "0.0001"]) == 4   # not decided
    assert Comparison(tmp_path/"compare").result.verdict.status == "inconclusive"


def test_cells_carry_their_headings():
    page = BeautifulSoup(paired_table(compare(good, bad)).html, "html.parser")
    assert {tuple(len(r.select(k)) for k in ("th", "td")) for r in page.select("table.stack tbody tr")} == {(1, 6)}
    first = page.select_one("tbody tr")
    assert [s.text for s in first.select("span.label[hidden]")] == ["Difference", "Bootstrap", "p", "p, Holm",
                                                                    "Statistical test"]
    assert first.select("td")[0].text == "superior"


def test_a_leaderboard_by_itself():
    c = compare(bad, good, table(1.1), names=["bad", "good", "alike"])
    b = leaderboard(bad, good, table(1.1), names=["bad", "good", "alike"])
    for k in "leaderboard", "tied", "verdict": assert to_json(Result(x=b[k])) == to_json(Result(x=c[k]))
    assert leaderboard(good).tied == [["A"]]
    with pytest.raises(ValueError, match="on must be"): leaderboard(good, bad, on="f1")


@pytest.mark.parametrize("column", ["plate", "subject_id"])
def test_rows_belong_together_whichever_model_says_so(column):
    "Only the second table named the plates: rows were taken as independent, and the other order was not"
    rng = np.random.default_rng(1)
    y, ids = rng.random(200) < .4, [f"w{i}" for i in range(200)]
    def table(sep, facts):
        called = (rng.normal(0, 1, 200)+sep*(2*y-1) > 0).astype(float)
        return Predictions(ids, y.astype(int), called, facts=pd.DataFrame(facts, index=range(200)))
    bare, told = table(1.4, {}), table(1.2, {column: np.arange(200)//20})
    forward, back = (compare(*o, names=list("ab")) for o in ((bare, told), (told, bare)))
    assert dict(forward.groups) == dict(back.groups) == dict(column=column, n=10)
    assert "Accuracy +5.50 points (-0.17 to +11.73)" in forward.verdict.sentence
    assert "Accuracy -5.50 points (-11.73 to +0.17)" in back.verdict.sentence
    assert dict(compare(bare, told, names=list("ab"), groups=column).groups)["n"] == 10
    assert dict(compare(told, bare, names=list("ab"), groups=None).groups)["n"] is None


@pytest.mark.parametrize("test, said", [("accuracy", "Calls by McNemar, AUROC by DeLong"),
                                        ("essential_agreement", "Each measure by the test that stands in its row")])
def test_the_note_below_the_tests_names_those_that_were_made(test, said):
    from mic_eval.report.compare_page import tests_note
    assert said in tests_note(Result(pairs={"A": Result(tests=Result({test: 1}))})).html


def test_the_model_to_beat_sees_how_dark_each_picture_is():
    from mic_eval.report.compare_page import darkness
    x = np.zeros((3, 1, 2, 2))+np.array([.5, .75, 0])[:, None, None, None]
    x[0, 0] = [[.25, .75], [1, 0]]
    assert darkness(x).tolist() == pytest.approx([.8, .4, .99])
    assert darkness(x[1:2]).tolist() == pytest.approx([.4]) and darkness(x[:1]*2+.5).tolist() == [.01]
