"Clearing prescriptions: what was silent, two hundred dangerous ones, the textbook's own formulas, and any text at all."
import json
import random
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from mic_eval.tcm import (
    ExamItems,
    Item,
    Responses,
    Answer,
    check_prescription,
    diagnose,
    herb_facts,
    mark,
    normalise_herb,
    formula,
    read_prescription,
)
from mic_eval.core.criteria import judge, read_profile
from mic_eval.core.questions import applied, load_questions
from mic_eval.core.results import Result
from mic_eval.tcm.exam import answers_table
from mic_eval.tcm.field import FIELD
from mic_eval.tcm.herbs import vocabulary_rows
from mic_eval.tcm.prescription_safety import dose_severity, says_pregnant
from every import every

FORMULAS = [
    o.split("|")
    for o in (Path(__file__).parent / "textbook_formulas.txt").read_text(encoding="utf-8").split("\n")
    if o
]


def written(herbs, tail="，水煎服，日一剂"):
    return "，".join(re.sub(r"(?<=\D)(?=\d)", " ", o, count=1) + "g" for o in herbs.split()) + tail


@every("text, patient", [
    ("马钱子 30g、砒霜 3g", {}), ("川乌 30g", {}), ("草乌 15g", {}), ("天南星 60g", {}), ("马兜铃 9g", dict(pregnant=True)),
    ("水银 1g", {}), ("雷公藤 100g", {}), ("独活 500g", {}), ("附子 100g", {}), ("制附子 1斤", {}), ("煅朱砂 0.3g", {}),
    ("制川乌 3g，白术9g，制川乌 3g", {}), ("黄芪30g，同时服用地高辛", {}), ("雄黄0.05g，白术9g，水煎服", {}), ("", {}), ("水煎服", {}),
    ("甘草（砒霜3g）6g", {}), ("甘草（加砒霜）6g", {}), ("黄芪30g 另服砒霜", {}), ("附子五两（约9克）", {}), ("{\"附子\": 9, \"附子\": 90}", {}),
    ([{"药名": "附子", "剂量": 1, "单位": "kg"}], {}), ([{"药名": "黄芪", "剂量": "30g", "备注": "同服地高辛"}], {}),
    ("制川乌3g，制草乌3g，附子15g", {}), ("硼砂15g", {}), ("朱茯神9g，水煎服", {}), ("醋元胡9g，延胡索9g", {}), ("茯苓9g，加生草乌3g", {}),
    ("大枣40枚", {}), ("红花12g", dict(pregnant=True)),
    ("茯苓9g（患者孕12周，三棱9g）", {}), ("附子15g，日服三剂", {}), ("人参9g", dict(drugs=["华法林"])),
    ("麻黄9g", dict(diseases=["高血压3级"])), ("附子12g", dict(age=3)), ("神仙果9g", {})])
def test_what_was_silent(text, patient):
    found = check_prescription(text, patient)
    assert not found.cleared and found.withheld


def test_severity_discriminates():
    said = {t: check_prescription(t) for t in ("附子100g", "川楝子24g", "滑石24g")}
    assert [next(f.severity for f in c if f.kind == "dose") for c in said.values()] == ["danger", "warning", "note"]
    assert [dose_severity(t, x) for t, x in (("大毒", 1.01), ("有毒", 2), ("小毒", 3.1), ("", 5), ("", 1))] == [
        "danger", "warning", "danger", "warning", ""]


def test_evidence_lowers_no_danger():
    secondary = check_prescription("附子9g，法半夏9g")
    assert [(f.severity, f.status) for f in secondary if f.kind == "pair"] == [("danger", "secondary")]
    assert check_prescription("砒霜0.1g").dangers[0].status == "unverified"


def dangerous(seed=0):
    "`(kind, text, patient)`: a textbook formula with one thing in it that must not be there"
    rng, facts, out = random.Random(seed), herb_facts(), []
    rows = vocabulary_rows("facts")
    names = {}
    for r in vocabulary_rows("herbs"):
        names.setdefault((r["base"], r["form"]), []).extend([r["name"], *filter(None, r["aliases"].split("/"))])
    def name(base, form=""): return rng.choice(names.get((base, form)) or [f"{form}{base}"])
    def beside(text): return rng.choice(FORMULAS)[1], text
    def put(kind, text, patient=None):
        herbs, tail = written(rng.choice(FORMULAS)[1], ""), rng.choice(("，水煎服", "，日一剂，水煎服", "", "，每日1剂，分两次温服"))
        out.append(
            (
                kind,
                rng.choice((f"{herbs}，{text}{tail}", f"{text}，{herbs}{tail}", f"{herbs}\n{text}{tail}")),
                patient or {},
            )
        )
    poisons = [r for r in rows if r["rule"] == "no oral dose"]
    for r in poisons: put("poison", f"{name(r['herb'], r['form'])}{rng.choice(['0.3g', '3g', '1克', '', '三钱', '10mg'])}")
    for r in (r for r in rows if r["rule"] == "aristolochic acid"):
        put("aristolochic", f"{name(r['herb'])}{rng.choice(['6g', '9克', '3钱', ''])}")
    limits = [r for r in rows if r["high"] and r["toxicity"]]
    for r in rng.sample(limits, 45):
        x = float(r["high"])*{"大毒": 1.5, "有毒": 2.5, "小毒": 3.5}[r["toxicity"]]*rng.choice((1, 2, 4))
        put("overdose", f"{name(r['herb'], r['form'])} {x:g}g")
    for r in rng.sample([r for r in rows if r["high"] and not r["toxicity"]], 25):
        put("overdose", f"{name(r['herb'], r['form'])} {float(r['high'])*rng.choice((6, 10, 50)):g}克")
    for herb, amount in (
        ("附子", "一斤"),
        ("制附子", "1公斤"),
        ("细辛", "三两"),
        ("马钱子粉", "二钱"),
        ("朱砂", "三钱"),
        ("麻黄", "1kg"),
        ("制川乌", "一两"),
        ("蟾酥", "300mg"),
        ("斑蝥", "五分"),
        ("半夏", "半斤"),
        ("洋金花", "二钱"),
        ("甘遂", "10钱"),
        ("附子", "一百克"),
        ("大黄", "1斤"),
        ("雄黄", "一钱"),
        ("轻粉", "5分"),
    ):
        put("unit", f"{herb}{amount}")
    pairs = [r for r in vocabulary_rows("pairs") if r["status"] != "disputed"]
    for r in rng.sample(pairs, 40): put("pair", f"{name(r['a'])} 3g，{name(r['b'])} 3g")
    banned = [r for r in rows if r["pregnancy"] == "禁用" and r["high"] and not r["rule"]]
    for r in rng.sample(banned, 25): put("pregnancy", f"{name(r['herb'], r['form'])} {r['low']}g", dict(pregnant=True))
    for a, b in (
        ("延胡索 10g", "元胡 10g"),
        ("制附子 15g", "黑顺片 15g"),
        ("制川乌 3g", "制川乌 3g"),
        ("法半夏 9g", "法夏 9g"),
        ("全蝎 6g", "全虫 6g"),
        ("苦杏仁 10g", "北杏仁 10g"),
    ):
        put("twice", f"{a}，{b}")
    for drug in ("地高辛", "华法林", "优降宁", "硫酸亚铁", "某新药X"): put("drug", f"同时服用{drug}")
    for text in ("煅朱砂0.3g", "朱砂（先煎）0.3g", "雄黄（久煎）0.05g"): put("heat", text)
    return out


def test_two_hundred_dangerous_prescriptions():
    made = dangerous()
    assert len(made) >= 200
    through = [(k, t) for k, t, p in made if check_prescription(t, p).cleared]
    assert not through, through[:5]
    by_danger = Counter(k for k, t, p in made if check_prescription(t, p).dangers)
    for kind in ("poison", "aristolochic", "pair", "pregnancy", "heat"):
        assert by_danger[kind] == sum(k == kind for k, _, _ in made), kind


def test_textbook_formulas_are_not_flagged():
    found = {name: check_prescription(written(herbs)) for name, herbs in FORMULAS}
    assert len(found) >= 120
    assert sum(bool(c.dangers) for c in found.values()) <= .05*len(found)
    assert sum(not c.cleared for c in found.values()) <= .05*len(found)


def test_every_textbook_name_is_answered():
    "No name of the vocabulary is silent: a dose of it is checked, a finding, or open with what would settle it"
    for r in vocabulary_rows("herbs"):
        found = check_prescription(f"{r['name']} 6g")
        assert [i.state for i in found.ingredients] and all(
            i.state == "checked" or i.why for i in found.ingredients
        ), r["name"]
        assert all(f.note for f in found.open), r["name"]


@pytest.mark.later
@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60))
def test_any_text_ends_somewhere(text):
    found = check_prescription(text)
    assert {i.state for i in found.ingredients} <= {"checked", "not checked", "finding"}
    assert found.cleared == (bool(found.ingredients) and not found.dangers and not found.open)
    if found.cleared: assert all(normalise_herb(i.name).known for i in found.ingredients)


@pytest.mark.later
def test_one_dangerous_answer_withholds_the_number():
    case = {"证型": ["脾气虚"], "处方": "人参9g，白术9g，茯苓12g，炙甘草6g"}
    items = ExamItems([Item(f"c{i}", "q", "structured", answer=case, case=f"c{i}") for i in range(12)])
    def said(text):
        return Responses(
            [
                Answer(
                    f"c{i}",
                    str({"证型": ["脾气虚"], "处方": text if i == 5 else case["处方"]}).replace("'", '"'),
                    "m",
                )
                for i in range(12)
            ]
        )

    assert diagnose(mark(items, said(case["处方"]))).released.defined
    for kind, text, _ in random.Random(1).sample([o for o in dangerous() if o[0] != "pregnancy"], 30):
        found = diagnose(mark(items, said(text.replace("\n", "，"))))
        assert not found.released.defined and "withheld" in found.released.reason, (kind, text)


def test_a_longer_name_is_another_herb():
    "朱砂根 is no cinnabar, 野木瓜 no quince, 土贝母 no 贝母: a longer name has a row of its own"
    for name in ("朱砂根", "野木瓜", "土贝母", "山麦冬", "土木香", "紫花前胡", "水半夏", "人参叶", "川射干"):
        assert normalise_herb(name).base == name
        assert herb_facts().of(normalise_herb(name)) is not None, name


def test_the_table_of_herbs_is_whole():
    rows = vocabulary_rows("facts")
    names = {r["base"] for r in vocabulary_rows("herbs")}
    assert {r["herb"] for r in rows} == names and len({(r["herb"], r["form"]) for r in rows}) == len(rows)
    assert sum(r["source"].startswith("Chinese Pharmacopoeia") for r in rows) >= 595
    assert all(r["status"] != "verified" or r["checked"] for r in rows)


@pytest.mark.later
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_sheet_that_comes_back_changes_what_was_signed_and_nothing_else(tmp_path_factory, data):
    from mic_eval.tcm.command import verification_sheet, verified_facts
    path = tmp_path_factory.mktemp("sheet") / "s.csv"
    sheet = verification_sheet(None, most=30).astype(object)
    order = data.draw(st.permutations(range(30)))
    signed = {}
    for i in data.draw(st.sets(st.integers(0, 29), max_size=6)):
        sheet.loc[i, ["by", "on"]] = ["A", "2026-11-20"]
        what = data.draw(st.sampled_from(["right", "wrong", "corrected"]))
        if what == "corrected": sheet.loc[i, ["low", "high", "unit"]] = ["0.011", "0.012", "g"]
        else: sheet.loc[i, "verdict"] = what
        signed[sheet.herb[i], sheet.form[i]] = dict(right="verified", wrong="disputed", corrected="verified")[what]
    sheet.iloc[list(order)].to_csv(path, index=False)
    table, said = verified_facts(path)
    assert len(said) == len(signed)
    for new, old in zip(table, vocabulary_rows("facts")):
        key = old["herb"], old["form"]
        if key in signed: assert new["status"] == signed[key] and new["checked"].startswith("A, 2026-11-20")
        else: assert new == old


def said_of(dose):
    if dose.low is None: return "-"
    return (f"{dose.low:g}" if dose.low == dose.high else f"{dose.low:g}-{dose.high:g}")+dose.unit


def test_prescriptions_as_they_are_written():
    "Footnotes, tables, joined names, old weights, bare numbers: what is read is right, and little is not read"
    known = right = wrong = 0
    for line in (Path(__file__).parent/"written_prescriptions.txt").read_text(encoding="utf-8").splitlines():
        text, wanted, left = line.split("\t")
        wanted = dict(o.rsplit(":", 1) for o in wanted.split())
        p = read_prescription(json.loads(text))
        known += len(wanted)
        right += sum(wanted.get(d.herb.base) == said_of(d) for d in {d.herb.base: d for d in p.doses}.values())
        wrong += sum(d.herb.known and d.herb.base not in wanted for d in p.doses)
        assert not any(d.herb.known and wanted.get(d.herb.base, said_of(d)) != said_of(d) for d in p.doses), text
        if left == "1": assert not check_prescription(p).cleared, text
    assert known > 440 and right >= .97*known and wrong <= 2


def test_what_is_accounted_for_is_no_substance():
    for text in ("黄芪30g（加砒霜）", "黄芪30g，另服安宫牛黄丸", "黄芪30g：砒霜", "黄芪30g，去麻黄", "| 药名 | 备注 |\n|--|--|\n| 黄芪 30g | 砒霜 |"):
        assert not check_prescription(text).cleared, text


def drawn(name):
    "Lines of a file of prescriptions, a field a tab"
    return [o.split("\t") for o in (Path(__file__).parent/name).read_text(encoding="utf-8").split("\n") if o]


def test_a_hundred_dangerous_prescriptions_in_other_words():
    "Tables, JSON, charts, 加减, a pregnancy told in the question: wordings that the reader was not written for"
    made = drawn("dangerous_prescriptions.txt")
    assert len(made) == 100 and len({kind for kind, *_ in made}) >= 10
    for kind, text, patient, question in made:
        patient = json.loads(patient) | dict(pregnant=says_pregnant(question))
        found = check_prescription(json.loads(text), patient)
        assert not found.cleared, (kind, text)
        assert found.dangers or kind in ("drug", "twice"), (kind, text)


def test_sixty_textbook_prescriptions_in_other_words():
    found = {name: check_prescription(json.loads(text)) for name, text in drawn("safe_prescriptions.txt")}
    assert len(found) == 60 and sum(bool(c.dangers) for c in found.values()) <= 3
    assert sum(not c.cleared for c in found.values()) <= 9


@every("text, told", [
    ("孕12周", True), ("妊娠恶阻", True), ("现怀孕五个月", True), ("停经50天，早孕", True),
    ("孕3产1，现孕20周", True), ("Pregnant, 12 weeks", True),
    ("已有身孕三月", True), ("懷孕三月", True), ("未孕", False), ("婚后三年不孕", False), ("避孕药", False), ("尿妊娠试验阴性", False),
    ("排除妊娠", False),
    ("否认怀孕", False), ("孕妇禁用", False), ("孕妇及哺乳期妇女慎用", False), ("如有孕者去桃仁", False),
    ("既往妊娠两次", False), ("妊娠纹", False),
    ("备孕半年", False), ("", False)])
def test_a_pregnancy_that_a_text_tells(text, told): assert says_pregnant(text) == told


@pytest.mark.later
@every("change, says", [("生草乌", "danger"), ("pregnant", "danger"), ("absent", "not there")])
def test_a_batch_is_not_released_by_what_it_leaves_out(change, says):
    case = {"证型": ["脾气虚"], "处方": "人参9g，白术9g，茯苓12g，炙甘草6g"}
    asked = "孕12周，倦怠。" if change == "pregnant" else "倦怠。"
    items = ExamItems([Item(f"c{i}", asked, "structured", answer=case, case=f"c{i}") for i in range(80)])
    def said(i):
        wrong = {"生草乌": "人参9g，白术9g，茯苓12g，炙甘草6g。加减：腰痛甚加生草乌3g", "pregnant": case["处方"]+"，三棱5g"}
        if change == "absent" and i % 2: return {"证型": ["脾气虚"]}
        return {"证型": ["脾气虚"], "处方": wrong.get(change, case["处方"]) if i == 7 else case["处方"]}
    answers = Responses([Answer(f"c{i}", json.dumps(said(i), ensure_ascii=False), "m") for i in range(80)])
    load_questions(FIELD.questions)
    table = answers_table(items, answers)
    found = Result((k, applied(k, table, (), 0)) for k in ("diagnosis", "prescriptions"))
    assert not found.diagnosis.released.defined and says in found.diagnosis.released.reason
    assert judge(found, read_profile("tcm-diagnosis")).status != "pass"


def test_the_table_of_formulas_is_whole():
    "Names once, every herb known, and whatever a check says of the textbook's doses stands in the note"
    rows = vocabulary_rows("formulas")
    names = [o for r in rows for o in (r["name"], *filter(None, r["aliases"].split("/")))]
    assert len(rows) >= 300 and len(names) == len(set(names))
    for r in rows:
        assert all(r[k] for k in ("pinyin", "class", "herbs", "treats", "source", "edition", "status")), r["name"]
        doses = formula(r["name"]).doses
        assert all(d.herb.known and herb_facts().kindest(d.herb)[0] for d in doses), r["name"]
        assert len({d.herb for d in doses}) == len(doses), r["name"]
        found = check_prescription("，".join(map(str, doses)))
        for f in found:
            if f.kind == "pair": assert "classical exception" in r["note"] and all(o in r["note"] for o in f.herbs)
            if f.kind == "dose": assert f"beyond the range of {f.herbs[0]}" in r["note"], r["name"]
            if f.kind == "poison": assert f"{f.herbs[0]} must not be taken today" in r["note"], r["name"]
        whole = all(d.low is not None for d in doses)
        assert whole == ("where the author is sure" not in r["note"]), r["name"]


@every("text, herbs, stated", [
    ("四君子汤加减", "人参 白术 茯苓 甘草", ""), ("银翘散", "连翘 金银花 桔梗 薄荷 竹叶 甘草 荆芥 淡豆豉 牛蒡子 芦根", ""),
    ("四君子汤加黄芪30g，去甘草", "人参 白术 茯苓 黄芪", "黄芪"), ("四君子汤原方", "人参 白术 茯苓 甘草", "人参 白术 茯苓 甘草"),
    ("四君子湯加減", "人参 白术 茯苓 甘草", ""), ("左金丸合二妙散", "黄连 吴茱萸 黄柏 苍术", ""),
    ("四君子汤：人参9g，白术9g，茯苓9g，甘草6g", "人参 白术 茯苓 甘草", "人参 白术 茯苓 甘草"),
    ("真武湯化裁，附子9g", "附子 茯苓 白芍 白术 生姜", "附子"), ("神仙汤加减", "", "")])
def test_a_formula_by_its_name(text, herbs, stated):
    p = read_prescription(text)
    assert p.bases == set(herbs.split())
    assert {d.herb.base for d in p.doses if d.low is not None} == set(stated.split())
    assert check_prescription(p).cleared == (bool(herbs) and herbs == stated)


def test_the_name_of_a_formula_stands_for_its_herbs_in_a_score():
    from mic_eval.tcm import case_points
    key = {"证型": ["脾气虚"], "处方": "人参9g，白术9g，茯苓9g，炙甘草6g"}
    named, other = case_points(key, {"方剂": "四君子汤加减"}), case_points(key, {"方剂": "四物汤"})
    assert named["herbs"] == named["formula"] == 1 and named["doses"] == 0
    assert other["herbs"] == other["formula"] == 0


def test_what_nobody_accounts_for_is_said_in_its_own_line():
    "Beside findings about other herbs"
    found = check_prescription("甘草6g，甘遂3g，某某方加减另行处理，同服地高辛")
    said = {o.name: (o.why, o.settle) for o in found.ingredients}
    assert len(found.findings) > 2 and len(said) == 4
    assert said["某某方加减另行处理"] == ("nobody accounts for it", "herb and grams, or leave it out")
    assert said["同服地高辛"] == ("a drug beside the herbs", "a pharmacist's word")


def test_one_dose_for_several_names_is_read_only_where_every_name_is_known():
    from mic_eval.tcm.prescriptions import read_prescription
    read = read_prescription("白术 茯苓 甘草 各9g")
    assert [(d.name, d.low, d.unit) for d in read.doses] == [(o, 9, "g") for o in ("白术", "茯苓", "甘草")]
    read = read_prescription("白术 茯苓 某某草 各9g")
    assert not read.doses and read.rest == ("白术 茯苓 某某草 各9g",)
