"""Every text of the reports in every language: nothing missing, no place lost, sentences that come back from
finished texts."""
import ast
import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from mic_eval.core.text import message
from mic_eval.core.results import Failed, NotApplicable, Result, Score
from mic_eval.core.fields import field_named
from mic_eval.metrics.calibration import brier, ece
from mic_eval.metrics.roc_and_pr import average_precision, roc_auc
from mic_eval.metrics.confusion import prevalence
from mic_eval.metrics.evaluate import CALLS
from mic_eval.report import advice, blocks, views, words
from mic_eval.mic import show as clinical_tables

root = Path(__file__).parent.parent
PAGES = ("mic/plate_page mic/show report/advice report/blocks report/breakdowns report/cards "
         "report/compare_page report/leaderboard report/render report/samples report/views report/words "
         "trust/gallery trust/show_attacks").split()
REPORTS = "technical clinical plate executive detailed card suite robustness compare".split()
SAYERS = "say translated phrase message not_applicable NotApplicable chip outcome".split()
NEUTRAL = "classification"


@pytest.fixture(autouse=True)
def english():
    yield
    words.speak("en")


def constants(node):
    "Every text in a piece of source"
    return [n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)]


def first_texts(call):
    "The constant texts that a call begins with, also where two stand to choose from"
    return constants(call.args[0]) if isinstance(call.args[0], (ast.Constant, ast.IfExp)) else []


def of_calls(tree):
    "The texts in the calls of a page"
    for n in ast.walk(tree):
        if not isinstance(n, ast.Call) or not n.args: continue
        name = getattr(n.func, "id", "")
        if name in SAYERS: yield from first_texts(n)
        if name in ("html_table", "data_table", "labelled") and isinstance(n.args[0], ast.List):
            yield from (e.value for e in n.args[0].elts if isinstance(e, ast.Constant))
        if name == "facts_list" and isinstance(n.args[0], ast.Dict):
            yield from (k.value for k in n.args[0].keys if isinstance(k, ast.Constant))


def of_tables(tree):
    "The texts in the constants of a page that are sentences or names for readers"
    for n in tree.body:
        if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name) and n.targets[0].id in TABLES:
            yield from (constants(n.value) if not isinstance(n.value, ast.Dict)
                        else [t for v in n.value.values for t in constants(v)])


TABLES = ("IN_THIS_FOLDER AVERAGES COUNTED SAID BOUNDS MADE_BY_A_PROGRAM GROUPED OF_LIMITS COUNTS HIDES CAPTION "
          "HEADS DISAGREE DISAGREE_SOME WRONG_CALLS WORST_CALLS IN_ORDER ON_THE_PLATE FAILS FAILS_BY NO_INTERVAL "
          "UNDEFINED UNDEFINED_OF ONLY NO_LABEL SETTLES MISSES CALLED_DIFFERENTLY TEST_HEAD POWER_HEAD PLAIN HELD "
          "DIMENSION_HEAD FLOW AUDIT ANSWERED AVERAGES TOO_CLOSE NUMBER_HEAD POLICY_WORDS SKIP_WORDS CARD_NAMES "
          "EXPLAINED_HEAD SAID "
          "CALL_SAID NO_CURVES NO_MEANS UNDER_SAID TURNS AGREE_HEAD KIND_HEAD CLAIM_HEAD SKILL_SAID SKILL_ALT "
          "REMOVAL_SAID REMOVAL_ALT MEAN_SAID MEAN_ALT CASCADE_SAID CASCADE_ALT TWINS_SAID CLAIMS_SAID SANITY_SAID "
          "TURNING_SAID READING_SAID WRONG_OPEN FIVE ENOUGH ENOUGH_BY NO_LIMIT_ON NO_LIMIT_ON_SOME NOT_REAL NOT_OTHERS "
          "NOT_UNLIKE DECIDES "
          "FIRST_FIGURE NEVER_SURE NEXT NEXT_LIMITS NEXT_MORE LIMITS_BY FIGURES_BY BETTER COMPARED_NOT_FOR "
          "COMPARED_SURE COMPARED_NEXT COMPARED_BY NO_FLAGS SOME_FLAGS PLATE_NOT_FOR PLATE_SURE PLATE_UNSURE "
          "PLATE_NEXT PLATE_READ READ_BY_PROGRAM READ_BY_PEOPLE").split()


def paragraphs(cell):
    "The texts of a cell of a report: headings, paragraphs, captions"
    source = "".join(cell["source"])
    if cell["cell_type"] == "code": return re.findall(r"^#\|\s*fig-(?:cap|alt):\s*\"?(.+?)\"?$", source, re.M)
    return [re.sub(r"^(#+|>) ", "", t.strip()) for t in re.split(r"\n\s*\n", source.strip()) if not t.startswith("- ")]


def said():
    "`(text, where)` of everything that pages and notebooks say, in neutral words and in those of the fields that ship"
    for m in PAGES:
        tree = ast.parse((root / f"mic_eval/{m}.py").read_text(encoding="utf-8"))
        yield from ((t, m) for t in [*of_calls(tree), *of_tables(tree)])
    yield from ((t, "outcomes") for t in views.CHIPS)
    yield from ((t, "publication") for t, _ in clinical_tables.JCM_ITEMS)
    for name in ("mic", NEUTRAL):
        f = field_named(name)
        yield from ((t, f"field {name}") for t in (*f.titles.values(), *f.units.values(), *f.texts.values()))
    yield from ((t, "metrics") for m in (*CALLS, prevalence, roc_auc, average_precision, brier, ece)
                for t in (m.title, m.unit))
    for r in REPORTS:
        for c in json.loads((root / f"nbs/reports/{r}.ipynb").read_text(encoding="utf-8"))["cells"]:
            yield from ((t, r) for t in paragraphs(c))


@pytest.mark.later
@pytest.mark.parametrize("lang", words.languages()[1:])
def test_every_text_is_in_the_table(lang):
    there, mic = words.texts(lang), words.field_words(field_named("mic"), lang)   # a room's pages speak its words
    missing = {(where, t) for t, where in said() if t and t not in there}
    assert not sorted((where, t) for where, t in missing if not (where.startswith("mic/") and t in mic))


@pytest.mark.parametrize("lang", words.languages()[1:])
def test_places_are_the_same_on_both_sides(lang):
    places = lambda t: sorted(re.findall(r"\{(\w*)\}", t))
    assert not [k for k, v in words.texts(lang).items() if places(k) != places(v) or not isinstance(v, str)]


@pytest.mark.parametrize("path", sorted((root / "mic_eval/report/languages").glob("*.po")), ids=lambda p: p.stem)
def test_no_text_stands_twice(path):
    from babel.messages.pofile import read_po
    source = path.read_text(encoding="utf-8")
    with path.open("rb") as f: found = [m for m in read_po(f, abort_invalid=True) if m.id]
    assert len(found) == len(re.findall(r'^msgid "', source, re.M)) - 1   # the first is the file's head
    assert all(m.string and not m.fuzzy for m in found)


def test_english_alone_needs_no_catalog():
    import subprocess, sys
    code = "import sys; from mic_eval.report.words import say; say('x'); print('babel' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_a_field_brings_its_words(tmp_path):
    from mic_eval.core.fields import Field
    lungs = Field("lungs", "Nodules", unit="image", texts={"Samples": "Images of lungs"},
                  words=dict(zh={"Images of lungs": "肺部图像", "{n} nodules": "{n} 个结节"}))
    words.speak("zh", lungs)
    assert words.say("Samples") == "肺部图像"
    assert words.translated(message("{n} nodules", n=3)) == "3 个结节" and words.translated("4 nodules") == "4 个结节"
    words.speak("en", lungs)
    assert words.say("Samples") == words.translated("Samples") == "Images of lungs"
    assert words.translated(message("{n} nodules", n=3)) == "3 nodules"
    words.speak("en")
    assert words.say("Samples") == "Samples" and words.translated("4 nodules") == "4 nodules"
    (tmp_path / "zh.po").write_text(
        'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n\nmsgid "Samples"\nmsgstr "肺"\n',
                                    encoding="utf-8")
    with words.speaking("zh", Field("lungs", "Nodules", words=tmp_path)): assert words.say("Samples") == "肺"
    assert words.speak() == "en" and words.spoken_field() is None


def test_a_damaged_catalog_is_named(tmp_path):
    (tmp_path / "zh.po").write_text('msgid "a"\nnot a line\n')
    with pytest.raises(ValueError, match="zh.po"): words.read_catalog(tmp_path / "zh.po")


def test_messages_are_looked_up_by_their_template():
    inner = message("no column {name}", name="'a'")
    assert words.translated(message("undefined for {names}", names=inner), "zh") == "没有列 'a' 无定义"
    assert words.translated(message("a < {b}", b=1), "zh") == "a < 1"


def test_terms_of_the_field():
    want = {"Essential agreement": "基本一致率", "Categorical agreement": "分类一致率", "Very major errors": "极重大误差",
            "Major errors": "重大误差", "Minor errors": "次要误差", "growth": "生长"}
    assert {k: words.say(k, "zh") for k in want} == want and "最低抑菌浓度" in words.say("MICs", "zh")


@pytest.mark.later
@settings(deadline=None)
@given(st.integers(1, 10**6), st.integers(1, 500))
def test_finished_texts_are_found_again(k, groups):
    s = str(Score(.5, .4, .6, k=k, n=2*k, groups=groups))
    again = words.translated(f"{s}; lower bound 40.00 %", "zh")
    assert again == f"{k}/{2*k} = 50.0 % (40.0-60.0)，{groups} 组；置信下限 40.00 %"


@settings(deadline=None)
@given(st.text())
def test_any_text_survives(text):
    assert isinstance(words.translated(text, "zh"), str) and words.translated(text, "en") == text


def test_hostile_values_stay_values():
    assert words.say("{model} on {data}", "zh", model="{x}", data="{0.__class__}") == "{x}（数据：{0.__class__}）"
    words.speak("zh")
    assert "<b>" not in blocks.not_applicable(NotApplicable("no column '<b>'")).html
    assert "出错" in blocks.not_applicable(Failed("ValueError: x")).html


def test_the_language_is_what_is_spoken_now():
    assert words.translated("wells") == "wells" and views.chip("pass").endswith("pass</span>")
    words.speak("zh")
    assert words.translated("wells") == "孔数" and views.chip("pass").endswith("通过</span>")


def test_unknown_languages():
    for f in words.speak, words.texts, words.font_of:
        with pytest.raises(ValueError, match="no language 'zh-TW'; did you mean 'zh'"): f("zh-TW")
    assert words.speak() == "en"


def test_a_missing_font_names_its_package(monkeypatch):
    monkeypatch.setitem(words.FONTS, "zh", ("No Such Font",))
    with pytest.raises(ValueError, match="no font for figures in 'zh': apt-get install fonts-noto-cjk"):
        words.font_of("zh")
    assert words.font_of("en") is None


def test_a_font_installed_later_is_found(monkeypatch):
    from matplotlib import font_manager as fm
    try: name = words.font_of("zh")
    except ValueError: pytest.skip("needs a font with Chinese letters: apt-get install fonts-noto-cjk")
    monkeypatch.setattr(fm.fontManager, "ttflist", [o for o in fm.fontManager.ttflist if "CJK" not in o.name
                                                    and o.name != name])
    assert words.font_of("zh") in words.FONTS["zh"]


def test_figures_are_put_into_words():
    import matplotlib.pyplot as plt
    from mic_eval.core.plots import table
    try: words.font_of("zh")
    except ValueError: pytest.skip("needs a font with Chinese letters: apt-get install fonts-noto-cjk")
    ax = table([[3, 1], [0, 4]], ["no growth", "growth"])
    words.speak("zh")
    words.figure_words(ax.figure)
    ax.figure.canvas.draw()
    assert ax.get_xlabel() == "判读" and [t.get_text() for t in ax.get_xticklabels()] == ["无生长", "生长"]
    plt.rcdefaults(); plt.close("all")


# --- advice

def judged(metric, s, limit, direction="min", on="lo"):
    from mic_eval.core.criteria import Criterion, Profile, judge
    r = Result(wells=Result(overall=Result({metric: s})))
    r["verdict"] = judge(r, Profile("p", (Criterion(metric, limit, direction, on=on),))).result()
    words.speak("en", r)
    return advice.advised(r)


@pytest.mark.later
@settings(deadline=None)
@given(st.integers(20, 400), st.integers(0, 5), st.floats(.5, .94).map(lambda x: round(x, 3)))
def test_the_number_that_settles_it_settles_it(n, misses, limit):
    from mic_eval.core.intervals import wilson
    p = (n-misses)/n
    m = advice.needed(p, float(wilson(n-misses, n)[0]), limit, n)
    assert (m is None) == (p <= limit)
    if m and m > n: assert float(wilson(p*m, m)[0]) >= limit-1e-6 and float(wilson(p*(m-2), m-2)[0]) < limit


@pytest.mark.later
@settings(deadline=None)
@given(st.sampled_from(["specificity", "essential_agreement", "very_major", "major", "no_result", "bias", "accuracy"]),
       st.integers(1, 300_000), st.floats(0, 1), st.floats(.001, .999).map(lambda x: round(x, 3)),
       st.sampled_from([("min", "lo"), ("max", "hi"), ("max", "value"), ("min", "value")]))
def test_no_sentence_counts_what_cannot_be(metric, n, share, limit, how):
    "Of n pairs at most n may be wrong, and at most n were, whatever the limit and also where a share may be below 0"
    from mic_eval.core.intervals import proportion
    k = round(share*n)
    s = proportion(k, n)
    if metric == "bias": s = Score(2*k/n - 1, max(2*k/n - 1.1, -1), min(2*k/n - .9, 1), k=2*k - n, n=n)
    for _, said in judged(metric, s, limit, *how):
        for allowed, were in re.findall(r"at most (-?[\d,]+) may be wrong, and (-?[\d,]+) were", said):
            assert all(0 <= int(o.replace(",", "")) <= n for o in (allowed, were)), said
            assert metric not in ("bias", "no_result"), said   # a bias counts no errors, and no result is none
            assert int(were.replace(",", "")) in (k, n - k), said


@pytest.mark.parametrize("lean, direction, limit", [
    (.3, "max", .1), (-.3, "min", -.1), (-.3, "min", .1), (.05, "min", .1)])
def test_a_bias_counts_no_errors(lean, direction, limit):
    "*At most 10 may be wrong, and 30 were* says nothing of pairs that lie higher less those that lie lower"
    s = Score(lean, lean - .04, lean + .04, k=round(100*lean), n=100)
    (status, said), = judged("bias", s, limit, direction, "value")
    assert status == "fail" and "More data will not change this; the model has to" in said and "wrong" not in said
    (_, said), = judged("bias", Score(n=0, reason="no pairs"), limit, direction, "value")
    assert said == "Bias (higher less lower) cannot be computed: no pairs."


def test_three_hundred_positives_without_a_miss(): assert abs(advice.needed(0., 1-.05**(1/54), .01, 54)-299) < 10


def test_each_outcome_has_its_sentence():
    good = Score(1., .9, 1., k=36, n=36)
    assert judged("sensitivity", good, .95)[0][1].startswith("Sensitivity (growth found): 100.0\xa0%")
    assert "wells with growth (now 36)" in judged("sensitivity", good, .95)[0][1]
    assert "at most 5 may be wrong, and 50 were" in judged("specificity", Score(.5, .4, .6, k=50, n=100), .95)[0][1]
    assert "would show that it fails" in judged("f1", Score(.94, .90, .97, n=100), .95)[0][1]
    assert "59 resistant isolates would be needed" in judged("very_major", Score(n=0, reason="no resistant isolates"),
                                                             .05, "max", "hi")[0][1]
    assert "without an interval (too few groups (2) for an interval)" in judged("sensitivity",
        Score(.99, k=99, n=100, groups=2, reason="too few groups (2) for an interval"), .95)[0][1]
    assert judged("memory_mb", None, 12, "max", "value") == [("not evaluated", "This run did not compute: Memory, MB.")]
    assert judged("sensitivity", good, .5) == []


def test_where_a_group_decided_no_count_of_the_whole_is_said():
    "23 of 300 wrong meet a limit of 30, and one drug fails it"
    from mic_eval.core.criteria import Criterion, Profile, judge
    from mic_eval.core.intervals import proportion
    drugs = dict(colistin=37, amikacin=60, meropenem=60, gentamicin=60, tobramycin=60)
    by = Result(drug=Result((d, Result(essential_agreement=proportion(k, 60))) for d, k in drugs.items()))
    r = Result(mics=Result(overall=Result(essential_agreement=proportion(277, 300)), by=by))
    r["verdict"] = judge(r, Profile("p", (Criterion("essential_agreement", .9, "min"),), groups=("drug",))).result()
    words.speak("en", r)
    (status, said), = advice.advised(r)
    assert status == "fail" and "colistin: 37/60" in said and "277/300" not in said and "at most 30" not in said


def test_pictures_of_other_trades_name_their_own_classes():
    from mic_eval.core.plots import score_histogram
    about = Result(field=NEUTRAL, items=Result(n=Result(classes=["benign", "malignant"])))
    with words.speaking("en", about):
        words._now["names"] = ("benign", "malignant")
        ax = score_histogram([0, 0, 1], [.1, .2, .9], threshold=None)
        words.figure_words(ax.figure)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("predicted probability of malignant", "items")
    assert [t.get_text() for t in ax.get_legend().texts] == ["malignant, n=1", "benign, n=2"]
