"""What reads text takes time in proportion to its length: a pattern that looks again from every place would need
minutes for a page of brackets"""
import time

import pytest

from mic_eval.core.concentrations import heading_unit, read_concentration
from mic_eval.core.text import harmless, latex_text, markdown_text, one_line, typst_text, unharmed, visible
from mic_eval.mic.dilutions import parse_mic
from mic_eval.tcm.choices import read_choice
from mic_eval.tcm.herbs import normalise_herb, plain_chinese
from mic_eval.tcm.judges import read_points, read_preference
from mic_eval.tcm.prescriptions import read_prescription
from mic_eval.tcm.responses import unread, without_thinking
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
