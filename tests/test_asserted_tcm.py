"Numbers, doses, rules and terms of Chinese medicine (`tcm`), against numerals of a loop, edges and sets by hand"
import itertools
import re
from dataclasses import replace

import numpy as np
import pytest

from mic_eval.core.results import Score
from mic_eval.tcm import many_models, prescriptions, terms
from mic_eval.tcm.choices import read_choice
from mic_eval.tcm.herbs import herb_names, normalise_herb
from mic_eval.tcm.prescription_safety import Facts, Rule, check_prescription, dose_severity, prescription_safety
from mic_eval.tcm.prescriptions import Dose, Prescription, read_prescription, with_grams
from mic_eval.tcm.values import read_fields, read_list, read_number, read_truth, same_number, same_word

every = pytest.mark.parametrize


# --- numbers

def in_chinese(n):
    "A whole number below ten thousand, as it is written: 105 is 一百零五, 150 is 一百五十, 1,020 is 一千零二十"
    out, gap = "", False
    for power, unit in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = n//power % 10
        gap = gap or bool(out) and not digit
        if digit: out, gap = out+"零"*gap+"零一二三四五六七八九"[digit]+unit, False
    return out.removeprefix("一") if 10 <= n < 20 else out or "零"


def test_numerals_of_prescriptions_are_read_back():
    for n in range(1, 1000):
        assert prescriptions._amount(in_chinese(n)+"克")[:3] == (n, n, "g"), n
        if n > 100 and n % 10 == 0 and n % 100:     # 一百五 is 150
            assert prescriptions._amount(in_chinese(n).removesuffix("十")+"克")[0] == n
    for n in range(100):
        for rest, digit in ((.5, "五"), (.25, "二五"), (.05, "零五")):
            assert prescriptions._amount(f"{in_chinese(n)}点{digit}克")[:2] == pytest.approx((n+rest, n+rest))


def test_numerals_of_answers_are_read_back():
    for n in (*range(1, 1000), *range(1000, 10_000, 37)):
        value, text = (n, n, "次"), in_chinese(n)
        assert read_number(f"答案是{text}次").value == value, text
        if n > 100 and len(text) > 3 and n % 10 == 0 and text[-3] in "百千":      # 一百五 is 150, 一千二 is 1200
            assert read_number(f"答案是{text[:-1]}次").value == value, text[:-1]
    for text, value in (("零", 0), ("零点五", .5), ("十二点零五", 12.05), ("三分之一", 1/3), ("百分之零点五", .5), ("半", .5),
                        ("1/0", None), ("1,234.5", 1234.5), ("2e3", 2000), ("三万", 30_000), ("1.5万", 15_000),
                        ("负三", -3)):
        got = read_number(f"答案：{text}").value
        assert got is None if value is None else got[:2] == pytest.approx((value, value)), text


@every("text, value", [
    ("应用3-5g", (3, 5, "g")), ("3克～5克", (3, 5, "g")), ("0.5kg", (500, 500, "g")), ("30mg", (.03, .03, "g")),
    ("1升", (1000, 1000, "ml")), ("三钱半", (3.5, 3.5, "钱")), ("一两五钱", (1.5, 1.5, "两")), ("50%", (50, 50, "%")),
    ("不超过10g，应为6g", (6, 6, "g")), ("第3味", None), ("维生素B12", None)])
def test_a_quantity_has_its_range_and_its_unit(text, value):
    got = read_number(text).value
    assert got is None if value is None else got[:2] == pytest.approx(value[:2]) and got[2] == value[2]


@every("key, value, same", [
    ((3, 5, "g"), (3, 5, "g"), True), ((3, 5, "g"), (2.999, 5, "g"), False), ((3, 5, "g"), (4, 5.001, "g"), False),
    ((3, 5, "g"), (4, 4, ""), True), ((3, 5, ""), (4, 4, "g"), True), ((3, 5, "g"), (4, 4, "ml"), False),
    ((.3, .3, "g"), (.1+.2, .1+.2, "g"), True), ((1e6, 1e6, ""), (1e6+1e-4, 1e6+1e-4, ""), True),
    ((1, 1, ""), None, False)])
def test_a_quantity_is_right_within_the_range_of_the_key(key, value, same): assert same_number(key, value) == same


# --- herbs without anything between them

@every("unit", ["g", "克", "钱", "枚", "片"])
def test_half_of_a_unit_is_not_the_beginning_of_the_next_herb(unit):
    "Whichever known herb begins with 半: 陈皮3克半夏9克"
    halves = [o for o in herb_names().known if o.startswith("半")]
    assert len(halves) > 3
    for name in halves:
        p = read_prescription(f"陈皮3{unit}{name}9g茯苓12g")
        assert [(d.herb.base, d.low, d.unit) for d in p.doses] == [
            ("陈皮", 3, dict(克="g").get(unit, unit)), (normalise_herb(name).base, 9, "g"), ("茯苓", 12, "g")] and not p.open
    assert [d.low for d in read_prescription("陈皮三钱半，茯苓二两半，夏枯草一钱").doses] == [3.5, 2.5, 1]
    assert [(d.herb.base, d.low) for d in read_prescription("陈皮一钱半夏枯草三钱").doses] == [("陈皮", 1.5), ("夏枯草", 3)]


@every("between", ["", "、", "，", "\n", " "])
@every("names", [("桂枝", "白芍", "生姜"), ("麻黄", "杏仁", "甘草"), ("半夏", "半枝莲", "茯苓")])
def test_a_prescription_is_the_same_whatever_stands_between_its_herbs(between, names):
    p = read_prescription(between.join(f"{o}{9+i}g" for i, o in enumerate(names)))
    assert [(d.herb.base, d.low) for d in p.doses] == [(normalise_herb(o).base, 9+i) for i, o in enumerate(names)]
    assert not p.rest and not p.open


def test_old_weights_become_grams_by_the_table_that_is_named():
    p = read_prescription("大黄三至五钱，茯苓6g，附子二枚，甘草")
    q = with_grams(p, "Qing", dict(钱=3.73))
    assert [(d.low, d.high, d.unit) for d in q.doses] == [
        (pytest.approx(11.19), pytest.approx(18.65), "g"), (6, 6, "g"), (2, 2, "枚"), (None, None, "")]
    for era, grams, why in ((" ", 1, "name the era"), ("Han", 0, "两 must be"), ("Han", -1, "两 must be")):
        with pytest.raises(ValueError, match=why): with_grams(p, era, dict(两=grams))


def test_doses_that_wait_for_one_have_it():
    p = read_prescription("桂枝、白芍、生姜各10g，甘草6g，大枣")
    assert [d.low for d in p.doses] == [10, 10, 10, 6, None]


# --- limits of doses

@every("toxicity, warning, danger", [("大毒", 1, 1), ("有毒", 1, 2), ("小毒", 1.5, 3), ("", 2.5, 5)])
def test_how_bad_it_is_to_exceed_a_limit_changes_at_its_edges(toxicity, warning, danger):
    def said(x): return dose_severity(toxicity, x)
    assert said(1) == said(.1) == "" and said(danger*1.001) == "danger"
    if danger > 1: assert said(danger) == "warning" and said(max(warning, 1)*1.001) == "warning"
    if warning > 1: assert said(warning) == "note" and said(1.001) == "note"


def table(**rows):
    def rule(herb, low, high, toxicity):
        return Rule("dose", herb, "book", "2020", "verified", low=low, high=high, toxicity=toxicity)
    return Facts({}, {herb: {"": rule(herb, *row)} for herb, row in rows.items()})


def found(text, facts, kind, patient=None):
    return [(f.severity, pytest.approx(f.factor)) for f in check_prescription(text, patient, facts) if f.kind == kind]


@every("text, factor", [("茯苓5g", .5), ("茯苓9.9g", .99), ("茯苓10g", None), ("茯苓1-12g", .1), ("茯苓10-12g", None)])
@every("age, share", [(None, 1), (14, 1), (13.99, 2/3), (6, 2/3), (5.99, 1/2), (1, 1/2), (.99, 1/3), (1/12, 1/3),
                      (.08, 1/6)])
def test_less_than_is_usual_is_told_by_the_lower_end_and_by_the_share_of_an_age(text, factor, age, share):
    "Limits of a child are shares of those of an adult: so are the least"
    facts, patient = table(茯苓=(10/share, 15/share, "")), None if age is None else dict(age=age)
    assert found(text, facts, "low", patient) == ([] if factor is None else [("note", factor)])
    assert found(text, facts, "dose", patient) == []
    assert found("茯苓15.1g", facts, "dose", patient) == [("note", 15.1/15)]


@every("packets, text", [(3, "茯苓15g"), (None, "茯苓15g，每日3剂"), (2, "茯苓15g，一日三剂")])
def test_packets_of_a_day_add_up(packets, text):
    assert found(text, table(茯苓=(10, 15, "")), "dose", dict(packets_a_day=packets)) == [("warning", 3)]


@every("a, b, aconite, toxic", [(3, 3, False, False), (3.1, 3, True, False), (3, 6, True, False), (3, 6.1, True, True)])
def test_shares_of_limits_of_toxic_herbs_add_up(a, b, aconite, toxic):
    "More than two limits of aconite roots, more than three of toxic herbs"
    facts = table(附子=(1, 3, "有毒"), 川乌=(1, 3, "大毒"))
    said = found(f"附子{a}g，川乌{b}g", facts, "together")
    assert said == [("danger", (a+b)/3)]*aconite+[("warning", (a+b)/3)]*toxic
    other = table(附子=(1, 3, "有毒"), 朱砂=(1, 3, "有毒"), 茯苓=(1, 3, ""))
    assert found(f"附子{a}g，朱砂{b}g，茯苓99g", other, "together") == [("warning", (a+b)/3)]*toxic
    assert found("附子30g，茯苓30g", other, "together") == []


def test_one_herb_that_stands_twice_is_one_dose():
    facts = table(茯苓=(10, 15, ""))
    c = check_prescription("茯苓9g，甘草3g，茯苓9g", None, Facts({}, facts.doses | table(甘草=(1, 5, "")).doses))
    assert [f.kind for f in c] == ["dose", "duplicate"] and c.findings[0].factor == pytest.approx(18/15)
    assert [i.grams for i in c.ingredients] == [(18, 18), (3, 3)]


def test_a_pair_is_found_once_whichever_comes_first_and_not_among_alternatives():
    rule = Rule("pair", "a - b", "book", "", "verified")
    facts = Facts({"甘草": {"甘遂": rule}, "甘遂": {"甘草": rule}}, table(甘草=(1, 9, ""), 甘遂=(.1, 9, "")).doses)
    for text, n in (("甘草3g、甘遂1g", 1), ("甘遂1g、甘草3g", 1), ("甘草或甘遂1g", 0), ("甘草3g", 0)):
        pairs = [f for f in check_prescription(text, None, facts) if f.kind == "pair"]
        assert len(pairs) == n and all(f.herbs == tuple(sorted(("甘草", "甘遂"))) and f.severity == "danger" for f in pairs)
    disputed = Facts({k: {o: replace(rule, status="disputed") for o in v} for k, v in facts.pairs.items()}, facts.doses)
    assert [f.severity for f in check_prescription("甘草3g、甘遂1g", None, disputed) if f.kind == "pair"] == ["warning"]


def test_rates_of_findings_count_prescriptions():
    rows = ["茯苓12g", "朱砂9g", None, "天书3g", "[]"]
    r = prescription_safety(rows, references=["茯苓12g"]*5)
    cleared = [bool(check_prescription(o)) for o in rows if o and o != "[]"]
    assert (r.prescriptions, r.read.k, r.read.n) == (5, 3, 5) and (r.withheld.k, r.withheld.n) == (5-sum(cleared), 5)
    assert (r.danger.k, r.danger.n) == (sum(bool(check_prescription(o).dangers) for o in rows[:2]), 3)
    assert r.reference.withheld.k == 0 and r.reference.withheld.n == 5
    assert set(r.findings.row) <= {0, 1, 3} and r.not_verified.times.sum() == (r.findings.status != "").sum() - (
        r.findings.status == "verified").sum()


# --- terms

def dice(a, b): return 2*len(a & b)/(len(a)+len(b))


@every("a, b", [(["脾虚湿困"], ["脾气虚"]), (["肝郁脾虚", "血瘀"], ["肝郁"]), (["肝阳上亢"], ["肝阳上亢证"]), (["风寒"], ["湿热"])])
def test_agreement_of_syndromes_is_that_of_their_elements(a, b):
    x, y = (set().union(*(terms.elements(o).all for o in names)) for names in (a, b))
    assert x and y
    assert terms.syndrome_f1(a, b) == terms.syndrome_f1(b, a) == pytest.approx(dice(x, y))
    if len(a) == 1 and terms.normalise_syndrome(a[0]) != terms.normalise_syndrome(b[0]):
        assert terms.syndrome_likeness(a[0], b[0]) == pytest.approx(len(x & y)/len(x | y))
    assert np.isnan(terms.syndrome_f1([], [])) and terms.syndrome_f1(a, []) == 0
    assert terms.syndrome_likeness(a[0], a[0]+"证") == 1


@every("record, fits", [
    (dict(pulse="弦"), None), (dict(pulse="弦数", tongue="舌红苔黄"), None), (dict(symptoms="口苦、胁痛"), None)])
def test_how_far_a_syndrome_fits_is_twice_what_is_shared_over_what_was_examined_found_and_against(record, fits):
    for name, e in itertools.islice(terms.expected_findings().items(), 40):
        seen = terms.findings_of(record)
        slots = {slot for slot, _ in seen}
        examined = {o for o in e.found | e.asked if o[0] in slots}
        n = len(examined)+len(seen)+len(e.excluded & seen)
        got = terms.clinical_relevance([name, "没有的证"], record)
        assert got["relevance"] == pytest.approx(2*len(examined & seen)/n) and 0 <= got["relevance"] <= 1
        assert got["open"] == sorted({slot for slot, _ in e.found | e.asked}-slots) and got["unknown"] == ["没有的证"]
    assert np.isnan(terms.clinical_relevance(["没有的证"], record)["relevance"])


@every("text, pulses", [("浮数脉", "浮数"), ("脉沉细而无力", ["沉", "细", "无力"]), ("脉略数", "数"), (["弦脉", "滑脉"], "弦滑"), ("微脉", "微"),
                        ("脉微细", "微细"), ("脉微弦", "弦"), ("每分钟次数80次，律齐", ""), ("脉平和", "")])
def test_single_pulses_of_a_compound_one(text, pulses):
    "微 is a pulse in 脉微细 (Shanghan Lun 281), and a little in 脉微弦"
    assert terms.pulse_elements(text) == set(pulses)


def test_a_description_is_as_complete_as_it_has_slots():
    slots = {f"tongue.{r['slot']}" for r in terms.vocabulary_rows("terms") if r["modality"] == "tongue"}
    said = terms.describe("舌红，苔薄黄", "tongue")
    assert said.slots < slots and terms.completeness("舌红，苔薄黄", "tongue") == len(said.slots)/len(slots)
    assert terms.completeness("", "tongue") == 0 == terms.completeness("", "pulse")
    aspects = terms.pulse_aspects("脉浮数有力，一息六至，主表热")
    assert terms.completeness("脉浮数有力，一息六至，主表热", "pulse") == len(aspects & set(terms.PULSE_ASPECTS))/6
    assert "meaning" in aspects and "meaning" not in terms.pulse_aspects("脉浮数")


@every("text, there", [("无齿痕", False), ("未见齿痕", False), ("舌有齿痕", True), ("边有齿痕", True)])
def test_what_is_denied_is_absent(text, there):
    d = terms.describe(text, "tongue")
    assert ("齿痕" in str(d.values)) == there and ("齿痕" in str(d.absent)) != there


# --- answers under other names of the options

OPTIONS = dict(A="肝郁气滞", B="脾胃虚寒", C="心血不足", D="肾阳亏虚", E="肺气不宣")


@every("say", ["答案：{0}", "正确答案是{0}。", "选{0}", "{0}", "{0}. {1}", "综上，应选{0}（{1}）", "答案是{1}", "A不对，B、C、D、E里应选{0}"])
def test_a_choice_follows_its_letter_whichever_it_is(say):
    for k, text in OPTIONS.items():
        if say.startswith("A不对") and k == "A": continue
        got = read_choice(say.format(k, text), OPTIONS)
        assert got.value == k, (say.format(k, text), got)


@every("say", ["答案：{0}", "选{0}。", "正确的是{0}", "{0}", "综上所述，正确选项为{0}。"])
@every("between", ["", "、", ",", "和"])
def test_several_choices_are_a_set_in_any_order(say, between):
    for chosen in itertools.combinations("ABCDE", 3):
        for order in (chosen, chosen[::-1]):
            text = say.format(between.join(order))
            assert read_choice(text, OPTIONS, several=True).value == chosen, text


@every("text, value", [("正确", True), ("错误", False), ("该说法不正确", False), ("不是错误的", True), ("T", True), ("F", False),
                       ("对的，但是部分错误", None), ("这句话是对的。", True), ("并非不正确", True)])
def test_true_and_false(text, value): assert read_truth(text).value is value


@every("a, b, same", [("脾虚证", "脾虚", True), ("脾虚 。", "脾虚", True), ("脾虚", "肾虚", False), ("ABC", "ａｂｃ", True)])
def test_words_are_the_same_but_for_their_signs(a, b, same): assert same_word(a, b) == same_word(b, a) == same


def test_a_list_is_the_same_however_it_is_set():
    words = ("恶寒", "发热", "头痛", "身痛")
    numbered = "\n".join(f"{i}. {o}" for i, o in enumerate(words, 1))
    for text in ("、".join(words), "答案："+"、".join(words)+"。", numbered, "- "+"\n- ".join(words),
                 str([*words]).replace("'", '"'), "包括："+"、".join(words)):
        assert read_list(text).value == words, text


def test_fields_are_the_same_in_lines_in_json_and_in_a_table():
    want = dict(证型="脾胃虚寒", 治法="温中健脾", 方剂="理中丸")
    lines = "\n".join(f"{k}：{v}" for k, v in want.items())
    table = "| 项目 | 内容 |\n|---|---|\n"+"\n".join(f"| {k} | {v} |" for k, v in want.items())
    for text in (lines, lines.replace("：", ": "), str(want).replace("'", '"'), table, "，".join(want.values())):
        assert read_fields(text, list(want)).value == want, text
    assert read_fields(lines, ["证型"]).value == dict(证型="脾胃虚寒")


# --- many models

@every("rank, said", [(dict(best=1, worst=1), "1"), (dict(best=1, worst=3), "1-3")])
def test_a_rank_with_its_doubt(rank, said): assert many_models._rank(rank) == said


@every("score, said", [(Score(.5, .25, .75), "50.0 % (25.0 to 75.0)"), (Score(.5), "50.0 %"),
                       (Score(reason="no"), "–")])
def test_a_score_in_hundredths(score, said):
    assert re.sub("<[^>]*>", "", str(getattr(shown := many_models._text(score), "html", shown))) == said


def test_no_dose_is_made_up():
    herb = normalise_herb("茯苓")
    assert Dose(herb, "茯苓").grams is None and Dose(herb, "茯苓", 2, 3, "枚").grams is None
    assert Dose(herb, "茯苓", 200, 500, "mg").grams == pytest.approx((.2, .5))
    assert not Prescription() and not check_prescription("").cleared
