"""Herbs, prescriptions, rules, words of diagnosis, cases: the examples of the seeds, bad input, and that nothing
raises on any text."""
import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from mic_eval.core.criteria import judge, read_profile
from mic_eval.core.questions import applied, load_questions
from mic_eval.core.results import Result
from mic_eval.tcm.demo import TOYS, demo_diagnoses
from mic_eval.tcm.exam import answers_table
from mic_eval.tcm import (case_points, check_prescription, composite_score, demo_cases, describe, diagnose,
                          elements, mark, normalise_herb, prescription_safety, pulse_elements, read_prescription,
                          syndrome_f1)
from mic_eval.tcm.features import dimension_weights
from mic_eval.tcm.herbs import herb_names, vocabulary_rows
from mic_eval.tcm.field import FIELD
from every import every

TEXT = st.text(st.sampled_from("附子甘草遂生炙制10g克～、，（）或三两钱枚先煎舌红苔黄腻未见脉浮数证虚[]{}\":,× \n"), max_size=60)


@settings(max_examples=60, deadline=None)
@given(TEXT)
def test_readers_never_raise(text):
    p = read_prescription(text)
    check_prescription(p, dict(pregnant=True, allergies=["甘草"]))
    describe(text), pulse_elements(text), elements(text)


@every("text, want", [
    ("白术、茯苓各10g", "白术 10g, 茯苓 10g"), ("附子(先煎)10克", "附子 10g"), ("桂枝三钱", "桂枝 3钱"), ("石膏10～15g", "石膏 10-15g"),
                      ("大枣3枚", "大枣 3枚"),
    ("甘草 6g×7剂", "甘草 6g"), ("1. 黄芪 30g\n2. 白术 15g（炒）", "黄芪 30g, 白术(炒) 15g"), ("桃仁10g 红花10g", "桃仁 10g, 红花 10g"),
                      ("朱砂300mg", "朱砂 300mg"),
    ({"黄芪": 30, "当归": "6g"}, "黄芪 30g, 当归 6g"), ("君药：人参9g；臣药：白术9g", "人参 9g, 白术 9g"), ("杏仁七十个", "苦杏仁 70个"),
                      ("黨參１５ｇ", "党参 15g")])
def test_prescriptions(text, want): assert ", ".join(map(str, read_prescription(text).doses)) == want


def test_nothing_is_dropped():
    p = read_prescription("附子10g，神仙果9g，水煎服")
    assert p.unknown == ["神仙果"] and p.rest == ("水煎服",)
    assert {f.kind for f in check_prescription(p) if f.severity == "not checked"} == {"herb"} and not p.open


def test_every_pair_both_ways():
    for r in vocabulary_rows("pairs"):
        for text in (f"{r['a']}1g，{r['b']}1g", f"{r['b']}1g，{r['a']}1g"):
            found = [f for f in check_prescription(text) if f.kind == "pair"]
            assert len(found) == 1 and found[0].severity == ("warning" if r["status"] == "disputed" else "danger"), text


def test_no_status_lowers_a_danger():
    assert {r["status"] for r in vocabulary_rows("facts")} <= {"secondary", "unverified", "disputed"}
    safety = prescription_safety(["朱砂5g", "附子10g，法半夏9g", "白术9g"])
    assert (safety.danger.k, safety.withheld.k, safety.withheld.n, len(safety.not_verified)) == (2, 2, 3, 2)


def test_own_names_collide_with_both_rows(tmp_path):
    (tmp_path/"own.csv").write_text("name,base,form,class,aliases\n元胡,玄参,,清热,\n", encoding="utf-8")
    with pytest.raises(ValueError, match="two rows disagree about '元胡': 延胡索.*and 元胡 -> 玄参"):
        herb_names(str(tmp_path/"own.csv"))
    (tmp_path/"bad.csv").write_text("nom\nx\n", encoding="utf-8")
    with pytest.raises(ValueError, match="bad.csv: no column 'name'"): herb_names(str(tmp_path/"bad.csv"))


def test_seeds():
    assert syndrome_f1(["脾胃湿热"], ["脾胃湿热"]) == 1 and syndrome_f1(["脾虚湿盛"], ["脾虚", "湿盛"]) == 1
    assert pulse_elements("浮脉") == pulse_elements("浮")
    assert not describe("未见面色描述").slots and len(describe("舌红,苔黄腻,边有齿痕").slots) == 4
    points = case_points({"脉象": "浮脉", "处方": "黄芪30g，党参15g，白术10g"}, {"脉象": "浮", "处方": "黄芪30g"})
    assert points["pulse"] == 1 and points["doses"] == pytest.approx(1/3) and math.isnan(points["tongue"])
    assert normalise_herb("炙草") == normalise_herb("蜜炙甘草")


def test_composite_against_a_plain_loop():
    rng = np.random.default_rng(0)
    x = rng.random((30, 6)); x[rng.random(x.shape) < .2] = np.nan
    w = np.array(list(dimension_weights().values()))
    assert composite_score(x, w) == pytest.approx(sum(a*np.nanmean(c) for a, c in zip(w, x.T))/w.sum())
    s = composite_score(x, w, n_resamples=400)
    reps = [sum(a*np.nanmean(c) for a, c in zip(w, x[rng.integers(30, size=30)].T)) for _ in range(400)]
    assert s.hi-s.lo == pytest.approx(np.subtract(*np.quantile(reps, [.975, .025])), rel=.15)
    assert composite_score(x[:3], w).reason == "too few groups (3) for an interval"


@pytest.mark.full
def test_the_gate_is_not_bought_off():
    load_questions(FIELD.questions)
    status = {}
    for name in TOYS:
        table = answers_table(demo_cases(), demo_diagnoses(name))
        found = Result((k, applied(k, table, (), 0)) for k in ("diagnosis", "prescriptions"))
        status[name] = judge(found, read_profile("tcm-diagnosis")).status, found.diagnosis.released.defined
    assert status["dangerous"] == ("fail", False) and status["good"][1] and status["good"][0] != "fail"
    bad = diagnose(mark(demo_cases(), demo_diagnoses("dangerous")))
    assert bad.composite > .7 and "of 40 prescriptions 40 are not cleared" in bad.released.reason


def test_weights_name_their_file(tmp_path):
    (tmp_path/"w.yml").write_text("dimensions: {smelling: 1}\n", encoding="utf-8")
    with pytest.raises(ValueError, match="no dimension 'smelling'"): dimension_weights(tmp_path/"w.yml")


def test_a_dialogue_is_kept_and_judged(tmp_path):
    from mic_eval.tcm import Answer, ExamItems, Interviewer, Item, Responses, diagnose, examine, mark, read_answers
    from mic_eval.tcm.exam import answers_table, marked_of
    from mic_eval.tcm.cases import case_patients
    facts = [dict(name="汗", says="出汗多", asked_by=["汗"]), dict(name="寒热", says="怕冷", asked_by=["怕冷"])]
    items = ExamItems([Item(f"p{i}", "请以 JSON 给出：证型。", "structured", answer={"证型": ["表虚"], "问诊": facts},
                            case=f"p{i}") for i in range(6)])
    def model(messages):
        if "JSON" in messages[-1]["content"]: return '{"证型": ["表虚"]}'
        return "问诊结束" if any("出汗" in m["content"] and m["role"] == "user" for m in messages) else "您出汗吗？"
    asked = Interviewer(model, case_patients(items))
    said = examine(asked, items, tmp_path/"a.jsonl")
    again = examine(asked, items, tmp_path/"a.jsonl")   # nothing is asked twice
    assert [o.facts for o in again] == [o.facts for o in said] == [o.facts for o in read_answers(tmp_path/"a.jsonl")]
    found = diagnose(marked_of(answers_table(items, said)))
    assert (float(found.dimensions.inquiry.measures.dialogue), float(found.dimensions.synthesis.score)) == (.5, 1)
    assert float(mark(items, said).headline.mean()) == 1   # the dialogue is no field of the record


def test_formula_and_levels_enter_the_prescription():
    from mic_eval.tcm import case_points
    from mic_eval.tcm.cases import formula_points
    key = {"证型": ["脾气虚"], "处方": "人参9g，白术9g，茯苓9g，炙甘草6g"}
    same, other = case_points(key, key), case_points(key, {"处方": "麻黄9g，桂枝6g"})
    assert all(same[k] == 1 for k in ("herbs", "exact", "classes", "formula", "match", "doses"))
    assert other["formula"] == other["match"] == 0
    assert math.isnan(formula_points({"prescription": "天麻9g"}, "天麻9g")["match"])


def test_traditional_characters():
    assert normalise_herb("製附子") == normalise_herb("制附子") and normalise_herb("雞內金").base == normalise_herb("鸡内金").base


def test_words_of_diagnosis_have_one_standard_term():
    "Five hundred words and more; of the inquiry each means one thing, and whatever is a standard term means itself"
    from mic_eval.tcm.terms import normalise_symptom
    rows = [r for r in vocabulary_rows("terms") if r["modality"] == "inquiry"]
    words = [w for r in rows for w in (r["value"], *filter(None, r["words"].split("/")))]
    assert len({r["slot"] for r in rows}) >= 12 and len(words) == len(set(words)) >= 500
    for r in rows:
        assert all(normalise_symptom(w) == r["value"] for w in (r["value"], *filter(None, r["words"].split("/"))))


@every("text, slot, value", [
    ("纳呆", "appetite", "纳差"), ("大便稀溏", "stool", "便溏"), ("夜尿频多", "urine", "夜尿多"), ("渴而不欲饮", "thirst", "渴不欲饮"),
    ("往来寒热", "cold_heat", "寒热往来"), ("动则汗出", "sweat", "自汗"), ("难以入睡", "sleep", "失眠"),
    ("经行后期", "menses", "月经后期"), ("痛有定处", "pain", "固定痛"), ("口黏", "taste", "口黏腻")])
def test_symptoms_by_slot(text, slot, value):
    assert describe(text, "inquiry").values == {f"inquiry.{slot}": {value}}
    assert case_points({"症状": [value], "脉象": "浮"}, {"症状": [text], "脉象": "浮"})["symptoms"] == 1


@every("bad", ["<script>alert(1)</script>", "</div></details><img src=x onerror=alert(1)>",
    "\"' onmouseover=alert(1) x='",
    "{{ 7*7 }}{% raw %}", "\u202e<b>\u0000\u2028", "]]><!-- ", "&lt;i&gt;&#60;u&#62;"])
def test_case_pages_show_hostile_texts_as_text(tmp_path, bad):
    from html.parser import HTMLParser
    from mic_eval.report.words import speak
    from mic_eval.tcm import Answer, ExamItems, Item, Responses
    from mic_eval.tcm.many_models import cases_page
    items = ExamItems([Item(f"{bad}{i}", f"{bad}？", options=[bad, "肝"], answer="A", subject=bad) for i in range(2)])
    said = Responses([Answer(f"{bad}{i}", f"{bad}答案：A", bad) for i in range(2)])
    seen = []
    class Seen(HTMLParser):
        def handle_starttag(self, tag, attrs): seen.append((tag, tuple(k for k, _ in attrs)))
    try:
        for lang, word in dict(en="Only what has these words", zh="只看含有这些词的内容").items():
            speak(lang, FIELD)
            page = cases_page(mark(items, said), tmp_path/f"{lang}.html").read_text(encoding="utf-8")
            seen.clear()
            Seen().feed(page)
            assert word in page and "alert(1)>" not in page.replace("&gt;", "") and "49" not in page.split("<main")[1]
            assert not {k for _, ks in seen for k in ks if k.startswith("on")}
            assert ("img", ("src", "onerror")) not in seen
            assert sum(t == "script" for t, _ in seen) == 1 and sum(t == "mark" for t, _ in seen) == 2
            assert sum(t == "details" for t, _ in seen) == 3 and "\u202e" not in page
    finally: speak("en", FIELD)


def test_case_pages_show_what_a_check_found_and_who_marked(tmp_path):
    import pandas as pd
    from mic_eval.tcm.many_models import cases_page
    cases = demo_cases()
    marked = mark(cases, demo_diagnoses("dangerous"))
    marks = pd.DataFrame([dict(rater="Li", case=cases[0].id, model=marked.answers[0].model, dimension="mine", mark=4.)])
    page = cases_page(marked, tmp_path/"c.html", marks).read_text(encoding="utf-8")
    assert page.count("The prescription is not cleared.") == 40
    assert page.count("herbs that the rules forbid together") >= 40 and page.count(">Li<") == 1
    assert page.count("class='sample'") == len(cases)


def test_every_fact_of_a_prescription_is_said_in_chinese():
    "Rules, sources and remarks that a finding can carry"
    import re
    from mic_eval.core.fields import register_field
    from mic_eval.report.words import speaking, translated
    from mic_eval.tcm.field import FIELD
    from mic_eval.tcm.herbs import vocabulary_rows
    from mic_eval.tcm.prescription_safety import herb_facts
    register_field(FIELD)
    told = {r[k] for name in ("facts", "pairs", "toxic_list", "drugs", "conditions") for r in vocabulary_rows(name)
            for k in ("source", "note", "what") if r.get(k)}
    told |= {f"{r.text}: nothing of it may be taken" for by in herb_facts().doses.values() for r in by.values()
             if r.rule == "no oral dose"}
    told |= {f for text in ("生附子 5g", "水银 1g", "关木通 6g", "朱砂 0.3g 水煎", "川芎 9g 同服华法林")
             for f in (o.rule for o in check_prescription(text))}
    with speaking("zh", FIELD): said = {t: translated(t) for t in sorted(told)}
    assert not {t: zh for t, zh in said.items() if re.search("[A-Za-z]{3}", zh)}


def test_a_case_page_says_what_was_shown_and_marks_the_first_round_alone(tmp_path):
    from mic_eval.tcm import Answer, ExamItems, Item, Responses, mark
    from mic_eval.tcm.many_models import cases_page
    import pandas as pd
    items = ExamItems([Item("1", "证候是？", "choice", dict(A="甲", B="乙"), "A")])
    said = Responses([Answer("1", "答案：A", "m", 0, facts=dict(asked_with="zh 1")),
                      Answer("1", "答案：B", "m", 1, option_map=dict(A="B", B="A"), facts=dict(asked_with="steps 1"))])
    marks = pd.DataFrame([dict(rater="张", case="1", model="m", dimension=k, mark=4., repeat=0)
                          for k in ("terms", "theory")])
    page = cases_page(mark(items, said), tmp_path/"c.html", marks).read_text(encoding="utf-8")
    assert "Read as: A; the options were shuffled, and the model saw it as B" in page
    assert page.count("张") == 1 and "m, prompt zh" in page and "m, round 2, prompt steps" in page
