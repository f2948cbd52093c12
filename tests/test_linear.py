"""What reads text takes time in proportion to its length: a pattern that looks again from every place would need
minutes for a page of brackets"""
import sys
import time
from collections import Counter

import pytest

from mic_eval.core.concentrations import heading_unit, read_concentration
from mic_eval.core.text import harmless, latex_text, markdown_text, one_line, typst_text, unharmed, visible
from mic_eval.mic.dilutions import parse_mic
from mic_eval.tcm.choices import read_choice
from mic_eval.tcm.herbs import normalise_herb, plain_chinese
from mic_eval.tcm.judges import read_points, read_preference
from mic_eval.tcm.prescriptions import read_prescription
from mic_eval.tcm.responses import same_width, unread, verdict, without_thinking
from mic_eval.tcm.several import read_several
from mic_eval.tcm.terms import describe, normalise_syndrome, pulse_elements
from mic_eval.tcm.values import read_fields, read_list, read_number, read_truth

OPTIONS = dict(A="补中益气汤", B="四君子汤", C="六味地黄丸", D="归脾汤")
READERS = dict(
    prescription=read_prescription, list=read_list, number=read_number, truth=read_truth, points=read_points,
    fields=lambda s: read_fields(s, ["证型", "治法"]), choice=lambda s: read_choice(s, OPTIONS),
    several=lambda s: read_several(s, OPTIONS), preference=read_preference, thinking=without_thinking, unread=unread,
    described=describe, syndrome=normalise_syndrome,
    pulse=pulse_elements, plain=plain_chinese, herb=normalise_herb, mic=lambda s: parse_mic([s]),
    concentration=read_concentration, unit=heading_unit, markdown=markdown_text, latex=latex_text, typst=typst_text,
    line=one_line, visible=visible, harmless=harmless, unharmed=unharmed)
PIECES = (
    "甘草6g ", "甘草", "炒", "(", " ", "6", "、", "，", "a", "答案：", "证型：", "{", "[", '"', "*", "- ", "\n", "\n'",
    ";", "1.", "附子(先煎)", "<think>", "<think></think>", "```", "=", "不选A ", "舌红苔黄，", "脉弦", "未见", "<=", "/",
    "mg", "^", "=1", "+", "选AB。", "\\", "|", "mg/L ")


def slow(length, most):
    "Readers and pieces of text that took longer, in seconds of processor time"
    out = {}
    for name, read in READERS.items():
        for piece in PIECES:
            text, begin = (piece*length)[:length], time.process_time()
            try: read(text)
            except ValueError: pass
            if (took := time.process_time()-begin) > most: out[name, piece] = round(took, 2)
    return out


@pytest.mark.later
def test_a_looping_response_costs_no_more_than_its_ends():
    "Work is counted in calls, which no other program on the machine changes"
    def calls(read, text):
        counted = Counter()
        sys.setprofile(lambda frame, event, what: counted.update([event]))
        try: read(text)
        finally: sys.setprofile(None)
        return counted["call"]+counted["c_call"]
    for read, piece in (("several", "A对B错，"), ("choice", "不选A、"), ("prescription", "A,甘草6g。")):
        short, long = (calls(READERS[read], piece*n) for n in (30_000, 120_000))
        assert long < 1.1*short+50, read
    for read, piece, most in (("number", "1,", 4), ("truth", "错", 14), ("unit", "mg/L ", 9)):
        few, many = (calls(READERS[read], piece*n) for n in (5_000, 40_000))
        assert many < 8.2*few and many < 40_000*most, read


def test_ends_of_a_long_response():
    "What was chosen is found where it stands; the middle of 20,000 characters and more is not looked at"
    loop = "第二项不太像。"*3_000
    for text in (f"答案：A、C。{loop}", f"{loop}答案：A、C。"):
        got = read_several(same_width(text), OPTIONS)
        assert got.value == ("A", "C") and text[slice(*got.span)].startswith("A、C")
    assert read_several(same_width(f"{loop}答案：A、C。{loop}"), OPTIONS) is None
    assert read_choice(f"<think>{loop}", OPTIONS).status == "truncated"   # was: empty


def test_the_rest_of_a_long_prescription_stays_open():
    text = "甘草6g，"*25_000+"附子300g"
    read = read_prescription(text)
    assert len(read) == 20_000 and read.open == ("甘草6g，甘草6g，甘草6g，甘草6g，甘草6g，甘草6g，甘草6g，甘草6g，… (+25,006)",)
    assert not read_prescription(text[:100_000]).open


def test_blanks_behind_a_letter_are_read_at_once():
    "Thinking behind a letter is blanked: 300 blanks took 49 s, since each of four parts of a pattern could take them"
    begin = time.process_time()
    for text in (f"A<think>{'x'*12_000}</think>正确", "A"+" "*12_000, "A"+"("*2_000, "选A\n"*50+"B"+"\t "*6_000):
        for several in (False, True): read_choice(text, OPTIONS, several)
    assert time.process_time()-begin < 4
    assert verdict(f"{' '*3_000}说法{' '*3_000}正确") is True and verdict(" (甲乙)、(丙) 是 错误。") is False


@pytest.mark.full
def test_a_page_of_one_sign_is_read_at_once():
    "20,000 characters: what is linear takes hundredths of a second; what is not took 4 to 10 seconds here"
    assert not slow(20_000, 2)


@pytest.mark.full
def test_three_hundred_thousand_characters_of_one_sign():
    assert not slow(300_000, 4)   # the goal is a second for a million; the page of promises says what was seen


def test_a_heading_of_many_units_is_read_at_once():
    "Each unit looked again at all that stands before it"
    begin = time.process_time()
    assert str(heading_unit("mg/L "*20_000)) == "mg/L"
    assert time.process_time()-begin < 1
    assert heading_unit("10^6 mg/L").quantity == heading_unit("mg/L x 10").quantity == "a multiple of a unit"


@pytest.mark.later
@pytest.mark.parametrize("unit, end", [
    ("甘草(x或", "都甘草10g"), ("甘草(", "甘草10g"), ("甘草或", "甘草10g"), ("x或", "10g"+"一"*40_000)])
def test_a_choice_of_thousands_of_herbs_is_read_at_once(unit, end):
    "Each of 20,000 alternatives named all others, and a bracket that nobody closes was sought from each that is opened"
    begin = time.process_time()
    read = read_prescription(unit*(50_000//len(unit))+end)
    assert time.process_time()-begin < 1 and len(read) < 2
    few = read_prescription("党参或太子参或人参15g")
    assert [o.low for o in few.doses] == [15]*3 and [len(o.either) for o in few.doses] == [2]*3
