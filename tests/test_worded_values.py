"""Eight hundred answers as language models word them, each with the value that a careful person reads in it: true or
false, a quantity, a list, named fields, letters of options. Hard ones are among them, so a share of each kind has to
be right"""
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from mic_eval.tcm.choices import read_choice
from mic_eval.tcm.values import read_fields, read_list, read_number, read_truth, same_word

WORDED = [json.loads(line) for line in Path(__file__).with_name("worded_values.jsonl").open(encoding="utf-8")]


def plain(value):
    "A field as text, without signs and a final 证"
    if isinstance(value, dict): value = "".join(f"{k}{v}" for k, v in value.items())
    if isinstance(value, list): value = "".join(map(str, value))
    return re.sub(r"[\s，,、。.;；:：*\-]+", "", str(value or "")).removesuffix("证")


def judged(row):
    "right, unread or wrong"
    want, kind, text = row["value"], row["kind"], row["text"]
    if kind == "truth":
        got = read_truth(text).value
        same = got is want
    elif kind == "number":
        got = read_number(text, unit=row["asked"]).value
        same = got is None and want is None
        if got and want:
            same = got[0] == pytest.approx(want["lo"]) and got[1] == pytest.approx(want["hi"])
            same = same and (got[2] == want["unit"] or not got[2] or not want["unit"])
    elif kind == "list":
        got = read_list(text).value
        same = got is None and want is None
        if got is not None and want is not None:
            same = len(got) == len(want) and all(map(same_word, want, got))
    elif kind == "choice":
        got = read_choice(text, row["options"], row["several"]).value
        same = "".join(sorted(got or "")) == "".join(sorted(want or ""))
    else:
        got, want = read_fields(text, row["fields"]).value or {}, want or {}
        same = all(plain(got.get(k)) == plain(want.get(k)) for k in row["fields"])
        got = got if all(k in got for k in want) else None
    if same: return "right"
    return "unread" if got is None else "wrong"


@pytest.mark.parametrize("kind,right,wrong", [
    ("truth", 156, 1), ("number", 149, 5), ("list", 149, 11), ("fields", 144, 5),
    ("choice", 151, 1)])
def test_most_wordings_are_read_and_few_as_something_else(kind, right, wrong):
    counts = Counter(judged(row) for row in WORDED if row["kind"] == kind)
    assert sum(counts.values()) == 160 and counts["right"] >= right and counts["wrong"] <= wrong, counts


@pytest.mark.parametrize("text,value", [
    ("本证寒热错杂，治宜辛开苦降。", None), ("对症下药即可，否则无效。", None), ("有人反对这一说法。", None), ("说法没有错", True), ("并非错误", True),
    ("不完全正确", False), ("部分正确", None), ("该说法是否正确？正确。", True), ("不能说这句话不对", True), ("错误。正确的治法是温阳。", False),
    ("答案：正确。不对，应为错误。", False),
    ("A. 正确 B. 错误 答案：B", False), ("T", True), ("F。", False), ("T细胞", None), ("1", True), ("1998年", None)])
def test_a_word_inside_another_is_no_verdict(text, value):
    assert read_truth(text).value is value


@pytest.mark.parametrize("text,unit,value", [
    ("一百二十克", "", (120, 120, "g")), ("一千八百九十二种", "", (1892, 1892, "种")), ("三两", "", (3, 3, "两")),
    ("三钱半", "", (3.5, 3.5, "钱")),
    ("一钱五分", "", (1.5, 1.5, "钱")), ("三分之二", "", (2/3, 2/3, "")), ("百分之五", "", (5, 5, "%")), ("1/2片", "", (.5, .5, "片")),
    ("-5", "", (-5, -5, "")), ("1e3", "", (1000, 1000, "")), ("1,200", "", (1200, 1200, "")), ("3，100", "", None),
    ("1/0", "", None),
    ("12g，分3次服", "", None), ("12g，分3次服", "g", (12, 12, "g")), ("12g，分3次服", "次", (3, 3, "次")), ("12g，分3次服", "ml", None),
    ("不是12，是15", "", (15, 15, "")), ("12或15", "", None), ("不超过3g", "", None), ("30～60分钟", "", (30, 60, "分钟")),
    ("第3版", "", None),
    ("3mg/kg", "", (3, 3, "mg/kg")), ("十几克", "", None), ("数据不详", "", None)])
def test_a_quantity_and_the_unit_that_was_asked_for(text, unit, value):
    got = read_number(text, unit=unit).value
    assert got == (value and (*map(pytest.approx, value[:2]), value[2]))


@pytest.mark.parametrize("text,words", [
    ("疏肝和胃", "疏肝和胃"), ("调和营卫、温中和胃", "调和营卫 温中和胃"), ("白蔹、白及", "白蔹 白及"), ("无汗、但热不寒", "无汗 但热不寒"), ("五味子、五倍子", "五味子 五倍子"),
    ("以胸闷为主、心悸", "以胸闷为主 心悸"), ("1.5g", "1.5g"), ("玉屏风散（黄芪、白术、防风）", "玉屏风散 黄芪 白术 防风"), ("无", ""),
    ("分析：乏力因气虚，故见便溏。\n答案：脾虚、湿盛", "脾虚 湿盛"), ("不包括茯苓、白术", "")])
def test_a_list_keeps_words_that_look_like_signs(text, words):
    assert " ".join(read_list(text).value or ()) == words


@pytest.mark.parametrize("text,fields,value", [
    ("证型：脾气虚证 治法：健脾益气 方剂：四君子汤", "证型 治法 方剂", "脾气虚证 健脾益气 四君子汤"), ("证候：脾虚\n治则：健脾", "证型 治法", "脾虚 健脾"),
    ("证候：脾虚\n证型：湿盛", "证型 证候", "湿盛 脾虚"), ("| 证型 | 依据 |\n|---|---|\n| 脾虚 | 便溏 |", "证型", "脾虚"),
    ("| 证型 | 脾虚 |\n|---|---|\n| 治法 | 健脾 |", "证型 治法", "脾虚 健脾"), ("证型可能是气虚，也可能是血虚，难以判断", "证型", ""),
    ("您好，请补充舌脉。", "证型 治法", ""), ("中风（中经络）", "证型", "中风（中经络）"), ("方剂：银翘散。更正：方剂应为桑杏汤。", "方剂", "桑杏汤"),
    ('{"Syndrome": "a", "ICD": "b"}', "Syndrome ICD", "a b"),
    ("| Syndrome | ICD |\n|--|--|\n| a | b |", "Syndrome ICD", "a b"),
    ("Treatment principle: 健脾", "治法", "健脾"), ("principle: 健脾", "治法", ""), ("更正：无", "", ""),
    ('{"治疗": {"治法": "活血"}, "证型": "瘀血"}', "治法 证型", "活血 瘀血"), ("证型不明", "证型", ""), ("", "证型", "")])
def test_fields_however_they_are_laid_out(text, fields, value):
    got = read_fields(text, fields.split()).value or {}
    assert " ".join(got.get(k, "") for k in fields.split()).strip() == value
