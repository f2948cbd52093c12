"Reading of responses: labelled ones, arbitrary text, shuffled options, cost."
import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

import mic_eval
from mic_eval.tcm.choices import read_choice
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
