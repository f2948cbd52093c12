"Reading of responses: labelled ones, arbitrary text, shuffled options, cost."
import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

import mic_eval
from mic_eval.tcm.choices import read_choice
from mic_eval.tcm.judges import read_points, read_preference
from mic_eval.tcm.values import read_fields, read_list, read_number, read_truth
from every import every

ROWS = [json.loads(
    t) for t in (Path(mic_eval.__file__).parent/"tcm/demo/responses.jsonl").read_text(encoding="utf-8").splitlines()]
letters = lambda r: "" if r.value is None else "".join(r.value)
ZANG = ["肝", "心", "脾", "肺"]
words = st.text(st.sampled_from("ABCDabc是答案选项不对错正确而故,，。.:：()（）[]{}\"'\n\\<>/think或和、 *脾虚湿盛肝心B12"), max_size=80)


@every("row", ROWS, ids=range(len(ROWS)))
def test_labelled(row):
    r = read_choice(row["text"], row["options"], row["several"])
    assert letters(r) == row["expected"] and r.status == row.get("status", r.status)
    if r.span: assert 0 <= r.span[0] < r.span[1] <= len(row["text"])


def worded():
    "`(options, whether several may be right, letters, text)`"
    options, several = {}, False
    for line in (Path(__file__).parent/"worded_answers.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith(("several ", "one ")):
            options, several = dict(o.split("=") for o in line.split()[1:]), line.startswith("several")
        elif not line.startswith("#"): yield options, several, *line.split("\t")


@every("options, several, expected, text", list(worded()))
def test_wordings_of_answers(options, several, expected, text):
    r = read_choice(text.replace("\\n", "\n").replace("\\\\", "\\"), options, several)
    assert letters(r) in ({"", expected.strip("?")} if "?" in expected else {expected})


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=200), words), st.booleans())
def test_never_raises(text, several):
    r = read_choice(text, ZANG, several)
    assert (r.value is None) == (r.status != "parsed")
    if r.span: assert 0 <= r.span[0] < r.span[1] <= len(text)


@settings(max_examples=80, deadline=None)
@given(st.one_of(st.text(max_size=120), words))
def test_other_readers_never_raise(text):
    for r in (read_truth(text), read_number(text), read_list(text), read_fields(text, ("证型", "治法"))):
        assert (r.value is None) == (r.status != "parsed")


FORMS = "答案：{}", "故选{}。", ("不是{other}，"
                           "而是{}。"), "\\boxed{{{}}}", "{}", "{{\"answer\": \"{}\"}}", "<think>{other}</think>正确选项是{}"

@given(st.permutations("ABCD"), st.sampled_from("ABCD"), st.sampled_from(FORMS))
def test_permuted_options(order, key, form):
    other = "ABCD"["ABCD".index(key)-1]
    new = dict(zip("ABCD", order))   # letter of the item -> letter shown
    plain = read_choice(form.format(key, other=other), ZANG).value
    shown = {new[k]: t for k, t in zip("ABCD", ZANG)}
    assert plain == key
    assert read_choice(form.format(new[key], other=new[other]), dict(sorted(shown.items()))).value == new[key]
    assert read_choice(f"答案是{ZANG['ABCD'.index(key)]}", dict(sorted(shown.items()))).value == new[key]


def test_cost():
    start = time.process_time()
    for row in ROWS: read_choice(row["text"], row["options"], row["several"])
    assert (time.process_time()-start)/len(ROWS) < 400e-6   # 60 us on a quiet machine, see the benchmark page


def test_three_hundred_with_several_answers():
    from several_cases import several_cases
    cases = several_cases()
    assert len(cases) == 300
    said = [(letters(read_choice(text, options, True)), want) for options, text, want in cases]
    assert sum(a == b for a, b in said) >= .95*300 and sum(a != b and a != "" for a, b in said) <= .01*300


@every("seed", range(3))
def test_fresh_wordings(seed):
    from fresh_responses import fresh_responses
    said = [(letters(read_choice(text, o, several)), want) for o, text, several, want in fresh_responses(seed)]
    right, wrong = sum(a == b for a, b in said), sum(a not in (b, "") for a, b in said)
    assert right >= .95*len(said) and wrong <= .01*len(said), (right, wrong, len(said))


def test_another_letter_that_is_right_too():
    assert read_choice("选A，同时C也正确。", ZANG).status == "ambiguous"


LONG = 50_000   # a pattern that looks at every pair of places takes minutes here


@every("read, text", [
    (read_list, "甲、" + " "*LONG + "乙"),
    (read_list, "<b>"*LONG),
    (read_list, "答案：甲、"*(LONG//5) + "乙"),
    (lambda t: read_fields(t, ("舌象", "脉象")), "舌象：甲" + " "*LONG + "乙"),
    (lambda t: read_fields(t, ("舌象", "脉象")), "舌象：甲" + "\u3000"*LONG + "。舌象"),
    (lambda t: read_fields(t, ("舌象", "脉象")), "舌象" + " "*LONG + "乙"),
    (read_preference, "更好" + " "*LONG + "乙"),
    (read_preference, "更好" + "\n"*LONG),
    (read_points, "评分3" + " "*LONG + "乙"),
    (read_points, "甲" + "\n"*LONG + "乙"),
    (read_points, "评分" + "为"*LONG)], ids=str)
def test_long_runs_of_nothing(read, text):
    start = time.process_time()
    read(text)
    assert time.process_time()-start < 5   # milliseconds on a quiet machine


def test_a_field_left_empty_takes_nothing_from_the_next():
    got = read_fields("舌象：\n脉象：弦。处方：归脾汤", ("舌象", "脉象", "处方"))
    assert got.value == {"脉象": "弦", "处方": "归脾汤"}


@pytest.mark.full
@every(
    "text",
    [
        "1" * 10**6,
        "A、" * 500_000,
        "选A，" * 300_000,
        "A\n" * 500_000,
        "*" * 10**6,
        "脾气虚证、" * 200_000,
        "√A" * 500_000,
        "(" * 10**6,
        "<think>" * 150_000,
    ],
)
def test_a_million_characters(text):
    for several in (True, False):
        start = time.process_time()
        read_choice(text, dict(A="脾气虚证", B="胃阴虚证", C="脾肾阳虚证"), several)
        assert time.process_time()-start < 30   # linear: under 1 s on a quiet machine; a quadratic pattern takes hours


@pytest.mark.parametrize("text, several, want", [
    ("我最初的答案是ABD，更正：BD。", True, "BD"), ("答案ABD，更正为BD", True, "BD"), ("更正：BD", True, "BD"),
    ("我原先的答案是ABD，现更正为BD。", True, "BD"), ("我最初的答案是D，更正：B。", False, "B"), ("答案D，更正为B", False, "B"),
    ("除了A、C、E，其余都对", True, "BD"), ("除了A、C、E，其他选项都正确", True, "BD"), ("五项都对。", True, "ABCDE"),
    ("除了B、D，其余都不对", True, "BD"), ("除B、D外均不正确", True, "BD"), ("除A、C、E外均正确", True, "BD"),
    ("除B、D外，其余选项均不符合题意", True, "BD"), ("除A、C、E外，其余选项均符合题意", True, "BD"), ("除A、C、E之外都应选", True, "BD"),
    ("五项都对吗？", True, ""), ("答案D，不更正", False, "D")])
def test_what_is_corrected_and_what_is_left_over(text, several, want):
    options = dict(A="风寒束表证", B="风热犯肺证", C="痰热壅肺证", D="肺阴亏虚证", E="脾肺气虚证")
    assert letters(read_choice(text, options, several)) == want


@pytest.mark.parametrize("text, want", [
    ("可排除肝郁、脾虚，均不属于", ""), ("肝郁，脾虚，均可排除", ""), ("肝郁、脾虚均错误", ""), ("肝郁、脾虚，可排除", ""), ("未见肝郁、脾虚", ""),
    ("不是肝郁、脾虚，而是肾虚、血瘀", "肾虚 血瘀"), ("肾虚、血瘀；排除肝郁、脾虚", "肾虚 血瘀"), ("肾虚、血瘀、没有脾虚", "肾虚 血瘀"),
    ("病位：肝、脾；不属于：肾、心", "肝 脾"), ("1. 肝郁\n2. 脾虚\n3. 排除肾虚", "肝郁 脾虚"), ("肾虚、血瘀，不考虑肝郁、脾虚", "肾虚 血瘀"),
    ("肝郁、脾虚", "肝郁 脾虚"), ("无汗、不寐、但热不寒、非时而感", "无汗 不寐 但热不寒 非时而感"), ("剂量，3.5g", "剂量 3.5g")])
def test_a_list_knows_what_it_takes_back(text, want):
    "Words that an answer rules out earned a share of the labels; a label may begin with 无 or 不"
    assert list(read_list(text).value or ()) == want.split()


@pytest.mark.parametrize("text", [
    "B、D（可能还有E）", "答案：B、D（可能还有E）", "答案：BD，可能还有E。", "选B、D，也可能有E", "正确答案是B和D，或许还包括E", "答案：B、D，E存疑",
    "答案：B、D；E不确定", "正确选项：B、D（不排除E）", "答案：B、D，不排除还有脾肺气虚证", "The answer is B, D and possibly also E.",
    "综上，选B、D，E或许也对", "选B、D。另外，E也是虚证。"])
def test_one_more_that_is_held_possible_is_ambiguous(text):
    options = dict(A="风寒束表证", B="风热犯肺证", C="痰热壅肺证", D="肺阴亏虚证", E="脾肺气虚证")
    assert read_choice(text, options, True).status == "ambiguous"


@pytest.mark.parametrize("text, want", [
    ("答案：B、D。E可能引起误解，错误。", "BD"), ("可能还有E，但E不符合。最终答案：B、D", "BD"), ("答案：BD。D可能是最常见的证型。", "BD"),
    ("答案：B、D。有的同学也可能选E，是不对的。", "BD"), ("答案：B、D。A可能性小，排除。", "BD"), ("答案：B、D、E。C可能被误选。", "BDE"),
    ("选B、D；E错误。", "BD"), ("选B、D，E错误", "BD"), ("选B、D；E为干扰项", "BD"), ("正确答案为B，D；A，C，E错误", "BD"),
    ("选B、D，排除E", "BD"), ("不选B、D；E错误", "AC"), ("B、D（风热犯肺证、肺阴亏虚证）", "BD"), ("B、D（风热犯肺证）", ""),
    ("A.× B.√ C.× D.√ E.×", "BD"), ("A×，C×，E×，其余√", "BD"), ("起初想选ABD，再看A不符，最终BD", "BD"),
    ("答案：B、D，而不是A、B、C", "BD"), ("B、D皆可", "BD"), ("风热犯肺证和肺阴亏虚证是实证，其余三项均为虚证。", ""),
    ("A项外感风寒，不当选；B项当选；C项痰热，不当选；D项当选；E项气虚，不当选。", "BD"),
    ("A、C、E属实证，可排除，剩下的B、D即为答案", "BD")])
def test_what_is_said_of_part_of_a_list(text, want):
    options = dict(A="风寒束表证", B="风热犯肺证", C="痰热壅肺证", D="肺阴亏虚证", E="脾肺气虚证")
    assert letters(read_choice(text, options, True)) == want


@pytest.mark.parametrize("written", [
    "处方：龙胆草6g，黄芩9g，\n栀子9g，甘草6g\n用法：水煎服", "处方：\n龙胆草6g\n黄芩9g\n栀子9g\n甘草6g\n每日一剂，水煎服",
    "**处方：**\n- 龙胆草 6g\n- 黄芩 9g\n- 栀子 9g\n- 甘草 6g\n\n方解：清肝", "处方：\n1. 龙胆草 6克\n2. 黄芩 9克\n3. 栀子 9克\n4. 甘草 6克",
    "处方：龙胆草6g、黄芩9g、\n  栀子9g、甘草6g。\n证型：肝胆湿热", "处方：\n君药：龙胆草6g\n臣药：黄芩9g\n佐药：栀子9g\n使药：甘草6g\n方解：略"])
def test_a_prescription_of_several_lines_is_marked_whole(written):
    "A line of it was read, and the answer earned a quarter"
    from mic_eval.tcm.points import measures, read
    from mic_eval.tcm.items import Item
    from mic_eval.tcm.answers import Answer
    item = Item("a", "请辨证", "structured", answer=dict(处方="龙胆草6g，黄芩9g，栀子9g，甘草6g"))
    reading = read(item, Answer("a", written))
    assert measures(item, reading.value)["field 处方"] == 1, reading.value


@pytest.mark.parametrize("written, value", [
    ("证型：脾虚\n患者乏力3月", "脾虚"), ("证型：脾虚，\n\n病程3年", "脾虚，"), ("证型：脾虚，湿盛\n舌象：舌淡", "脾虚，湿盛"),
    ("证型：脾虚\n- 健脾", "脾虚"), ("证型：肝郁，\n脾虚\n治法：疏肝", "肝郁，\n脾虚")])
def test_a_field_does_not_run_into_what_follows(written, value):
    from mic_eval.tcm.values import read_fields
    assert read_fields(written, ("证型",)).value["证型"].strip("，") == value.strip("，")


@pytest.mark.parametrize("between, rule", [("", "called a mistake"), ("解"*380, "called a mistake"),
                                           ("解"*420, "announced")])
def test_a_list_that_is_called_a_mistake_soon_after_is_not_taken(between, rule):
    from mic_eval.tcm.several import read_several
    texts = dict(A="桂枝汤", B="麻黄汤", C="银翘散", D="桑菊饮")
    found = read_several(f"答案是桂枝汤和银翘散。{between}不对，麻黄汤和银翘散。", texts)
    assert found.rule == rule and found.value == (("A", "C") if rule == "announced" else None)


@pytest.mark.parametrize("options", [list("肝心脾肺肾"), [], dict(k1="肝", k2="心"), dict.fromkeys("ABCDE", "")])
def test_letters_of_a_question_and_a_range_of_them(options):
    "Backwards it is the same range; a question whose options stand elsewhere has letters (it ended in a ValueError)"
    for text, expected in (("选A、C", "AC"), ("选C，选A", "AC"), ("答案：A至C", "ABC"), ("答案：C到A", "ABC"), ("答案：A至C、E", "ABCE")):
        assert letters(read_choice(text, options, several=True)) == expected


POINTS = [
    ("评分：5", 5), ("评分：4分", 4), ("4分", 4), ("我给4分。", None), ("4/5", 4), ("评分：4/5", 4), ("得分为 3 分（满分5分）", 3),
    ("满分5分，给4分", None), ("Score: 4", 4), ("Score: 4/5", 4), ("Rating: 4 out of 5", 4), ("4 out of 5", 4),
    ("I'd give it a 4.", None), ("[[4]]", 4), ("<score>4</score>", 4), ('{"score": 4}', 4),
    ('{"score": 4, "reason": "3 errors"}', 4), ('{"评分": 4}', 4), ("**评分：4**", 4), ("最终评分：4分。理由：有2处错误，扣1分。", 4),
    ("扣1分，得4分", None), ("该回答有3个错误，评分：2", 2), ("四分", 4), ("评分：四", 4), ("评分：４", 4), ("总体评分 4.5", 4.5),
    ("评分：3.5/5", 3.5), ("80/100", None), ("评分：80", None), ("评分：0", None), ("评分：6", None), ("评分：-1", None),
    ("评分在3到4之间", None), ("3-4分", None), ("评分：3-4", None), ("评分：3或4", None), ("准确性：4，完整性：3，总分：3.5", 3.5),
    ("准确性4分；完整性3分；总评4分", 4), ("1分太低，5分太高，给3分", None), ("不能给5分，只能给3分", None), ("我认为应为3分而不是5分", None), ("第4题评分：3", 3),
    ("评分：3\n\n评分：3", 3), ("评分：3\n修正评分：4", 4), ("评分标准：5分为优秀，3分为一般。本回答评分：4", 4), ("评分标准：5分为优秀，3分为一般。", None),
    ("Score: N/A", None), ("无法评分", None), ("", None), ("评分：五分", 5), ("★★★★", None), ("评分：4（良好）", 4), ("良好", None),
    ("评分 = 4", 4), ("最终得分:4", 4), ("打分：4", 4), ("分数：4", 4), ("给分：4", 4), ("等级：4", None), ("5分制下为4分", None),
    ("1-5分，我打4分", None), ("On a scale of 1 to 5, I rate this 4.", None), ("Score (1-5): 4", 4), ("评分（1-5）：4", 4),
    ("评分(1~5分)：4分", 4)]


@every("text, points", POINTS)
def test_points_of_a_judge(text, points):
    "Of a response that names two numbers, or another highest one, nothing is read"
    got = read_points(text)
    assert got == points if points is not None else got != got


PREFERENCES = [
    ("更好：一", "first"), ("更好：二", "second"), ("更好：相当", "tie"), ("回答一更好", "first"), ("一", "first"), ("更好：第一个", "first"),
    ("更好：一和二", None), ("更好：一或二", None), ("更好：一，而不是二", "first"), ("回答二不如回答一。更好：一", "first"), ("回答一更好吗？", None),
    ("更好：回答 2", "second"), ("Better: answer 1", "first"), ("Winner: second", "second"), ("两个回答相当", None),
    ("回答一更好。\n更好：二", None), ("更好：一不对", None), ("相当", "tie"), ("平局。", "tie"), ("**更好：二**", "second"),
    ("更好：一\n更好：一", "first"), ("为什么回答一更好", None), ("更好的是二", "second"), ("更好的回答是一", "first"), ("", None)]


@every("text, better", PREFERENCES)
def test_what_a_judge_prefers(text, better):
    assert read_preference(text) == better
