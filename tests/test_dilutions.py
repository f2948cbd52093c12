"MICs as text, as rungs and as ranges: the truth tables of the specification, properties, and bad input."

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mic_eval.mic.dilutions import (MIC, MISSING, NO, OPS, UNDECIDED, YES, definitely_above, definitely_below,
                                    dilution_base, dilution_index,
                                    dilution_label, identical, mic_interval, mic_text, overlaps, parse_mic, sort_key,
                                    unparsable, within)
from every import every

READ = [("<=0.25", "<=", .25), (">32", ">", 32), ("0.5 ", "", .5), ("≤0.25", "<=", .25), ("<= 0.002", "<=", .002),
        ("=<2", "<=", 2), (".5", "", .5),
        ("0,25", "", .25), (">=64 mg/L", ">=", 64), ("8 µg/mL", "", 8), ("8 μg/mL", "", 8), ("0.25/8.0", "", .25),
        (">128/4", ">", 128), ("= 4", "", 4),
        ("1e-3", "", .001), ("==>64", ">", 64), ("=>64", ">=", 64), ("⩽1", "<=", 1), ("⩾1", ">=", 1), ("≥1", ">=", 1),
        ("＞８", ">", 8), ("<1", "<", 1),
        ("4mcg/mL", "", 4), ("0,125", "", .125), ("=4", "", 4), ("<=2/38", "<=", 2), ("<=8/<=4", "<=", 8),
        (" > 32", ">", 32), ("0.016 mg/l", "", .016),
        (2, "", 2), (.25, "", .25), (np.float32(4), "", 4), ("1E-2", "", .01), ("2.", "", 2)]


@every("text,op,value", READ)
def test_reads(text, op, value):
    m = parse_mic([text])
    assert OPS[m.op[0]] == op and m.value[0] == pytest.approx(value)


@every("word", ["", "-", " ", "NA", "n/a", "nan", None, np.nan, pd.NA, "<NA>", "None", "not tested"])
def test_missing_words(word): assert parse_mic([word]).missing.all()


@every("text", ["0", "-4", "−4", "inf", "R", "4-8", "1,000", "1_000", "4 8", "<", "2 mmol/L", "mg/L",
                "<>2", "1/0", "0x10", "1e999", True, "12,000", "4²", "0.5¹", "②"])
def test_refuses(text):
    with pytest.raises(ValueError, match="1 of 3 MICs cannot be read.*row 1"): parse_mic(["2", text, "4"])


def test_coerce_counts():
    with pytest.warns(
        UserWarning, match="3 of 4 MICs cannot be read: 'R' .row 1., '4-8' .row 2.; they count as missing"):
        m = parse_mic(["2", "R", "4-8", "R"], errors="coerce")
    assert mic_text(m).tolist() == ["2", "", "", ""]
    assert unparsable(["2", "R", "4-8", "R"]) == {"R": [1, 3], "4-8": [2]}
    with pytest.raises(ValueError, match="errors"): parse_mic(["2"], errors="ignore")


def test_partner_is_kept():
    m = parse_mic(["0.25/8.0", ">128/4", "2"])
    assert m.partner[:2].tolist() == [8, 4] and np.isnan(m.partner[2])
    assert mic_text(m).tolist() == ["0.25/8", ">128/4", "2"]


INDEX = {-10: [.001], -9: [.002], -8: [.004], -7: [.008], -6: [.015, .016], -5: [.03, .032], -4: [.06, .0625, .064],
         -3: [.12, .125, .13], -2: [.25, .256]}
ETEST = {-3: [.094], -2: [.19], -1: [.38], 0: [.75], 1: [1.5], 2: [3], 3: [6], 4: [12], 6: [48]}
TENTH = {-5: [.025], -4: [.05], -3: [.1], -2: [.2], -1: [.4], 0: [.8], 1: [1.6], 2: [3.2], 3: [6.4], 4: [12.8]}


@pytest.mark.parametrize("table,base", [(INDEX, "1"), (ETEST, "half"), (TENTH, "0.1")],
                         ids=["two-fold", "etest", "tenth"])
def test_index_goldens(table, base):
    for k, values in table.items():
        for v in values: assert dilution_index([v]) == k and dilution_base([v]) == base, v


def test_rounding():
    assert dilution_index([1.3, .75, .1, 2], "nearest").tolist() == [0, 0, -3, 1] and dilution_index([1.3]) == 1
    assert dilution_index([.1, .2, 2, .06], "error").tolist() == [-3, -2, 1, -4]
    with pytest.raises(ValueError, match="MIC 0.75 .row 1. is no two-fold dilution"): dilution_index([1, .75], "error")
    with pytest.raises(ValueError, match="round"): dilution_index([1], "down")


def test_labels_go_back():
    k = np.arange(-12, 12)
    assert (dilution_index(dilution_label(k)) == k).all()
    assert dilution_label([[np.nan, np.inf], [0, -3]]).tolist() == [["", "inf"], ["1", "0.125"]]


@every("text,lo,hi", [("4", 2, 2), ("<=4", -np.inf, 2), ("<4", -np.inf, 1), (">4", 3, np.inf),
                      (">=4", 2, np.inf),
                      ("<=0.75", -np.inf, 0), (">0.75", 0, np.inf), ("<0.75", -np.inf, -1),
                      (">=0.75", 0, np.inf), (">0.1", -2, np.inf)])
def test_intervals(text, lo, hi): assert [float(o[0]) for o in mic_interval([text])] == [lo, hi]


TRUTH = [("2", "4", 1, 1), ("2", "8", 0, 0), ("2", ">2", 1, 0), ("2", ">4", 0, 0), ("<=2", "4", 1, 0),
         ("<=0.5", "2", 0, 0), ("<0.5", "1", 0, 0),
         (">=4", "2", 1, 0), (">32", ">16", 1, 0), ("<=2", ".002", 1, 0), (">4", "<=0.5", 0, 0), (">4", "<=4", 1, 0),
         (">32", "32", 1, 0), ("<=2", "<=2", 1, 0)]


@every("ref,test,lenient,strict", TRUTH)
def test_truth_table(ref, test, lenient, strict):
    for a, b in ((ref, test), (test, ref)):
        answer = within([a], [b])[0]
        assert (answer != NO) == lenient and (answer == YES) == strict
        assert answer == {(1, 1): YES, (0, 0): NO, (1, 0): UNDECIDED}[lenient, strict]


def test_missing_is_its_own_answer():
    assert within(["2", "", ""], ["", "2", ""]).tolist() == [MISSING]*3
    for f in (definitely_above, definitely_below, overlaps, identical): assert not f(["2", "", ""], ["", "2", ""]).any()


def test_written_alike_is_not_equal_in_size():
    assert (parse_mic(["32", "32", "<=32"]) == parse_mic(["<=32", "32", "<=32"])).tolist() == [False, True, True]
    assert identical(["<=2", ".06", ">4", "32"], ["<=2", ".064", ">=8", "<=32"]).tolist() == [True, True, True, False]
    with pytest.raises(TypeError): parse_mic("1") < parse_mic("2")
    with pytest.raises(TypeError): hash(parse_mic("1"))


def test_column():
    m = parse_mic(["<=1", "2", "8/4"])
    assert len(m) == 3
    assert mic_text(m[1:] + m[:1]).tolist() == ["2", "8/4", "<=1"]
    assert mic_text(m[np.array([True, False, False])]).tolist() == ["<=1"]
    assert mic_text(MIC([">", ""], [4, np.nan])).tolist() == [">4", ""] and len(parse_mic([])) == 0
    assert m.censored.tolist() == [True, False, False]
    assert repr(parse_mic(["<=1", ""])) == "MIC(<=1, missing; n=2)"
    for op, value in ((["~"], [1]), ([0], [-1]), ([9], [1]), ([-1], [1]), ([0], [np.inf])):
        with pytest.raises(ValueError, match="row 0"): MIC(op, value)


def test_order():
    order = ["<1", "<=1", "1", ">=1", ">1", "2"]
    key = sort_key(order)
    assert (np.diff(key) > 0).all()


op, k = st.sampled_from(OPS), st.integers(-10, 9)
mics = st.lists(st.builds(lambda o, i: f"{o}{dilution_label([i])[0]}", op, k), min_size=1, max_size=20)


@settings(max_examples=60, deadline=None)
@given(mics, mics)
def test_relations(a, b):
    n = min(len(a), len(b))
    a, b = parse_mic(a[:n]), parse_mic(b[:n])
    above, same, below = definitely_above(a, b), overlaps(a, b), definitely_below(a, b)
    assert (above.astype(int) + same + below == 1).all()
    assert (within(a, b) == within(b, a)).all()
    w0, w1, w2 = (within(a, b, s) for s in (0, 1, 2))
    assert not ((w1 == YES) & (w2 != YES)).any() and not ((w1 == NO) & (w0 != NO)).any()   # more steps, more agreement
    assert (mic_text(parse_mic(mic_text(a))) == mic_text(a)).all()


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(OPS), k, st.sampled_from(OPS), k, st.integers(0, 3))
def test_within_by_enumeration(oa, ka, ob, kb, steps):
    a, b = parse_mic([oa + dilution_label([ka])[0]]), parse_mic([ob + dilution_label([kb])[0]])
    (la, ha), (lb, hb) = mic_interval(a), mic_interval(b)
    span = lambda lo, hi: [i for i in range(-30, 31) if lo[0] <= i <= hi[0]]
    ok = {abs(i - j) <= steps for i in span(la, ha) for j in span(lb, hb)}
    assert within(a, b, steps)[0] == (UNDECIDED if len(ok) == 2 else YES if ok == {True} else NO)


def test_a_million():
    x = np.random.default_rng(0).choice(np.array([o + str(v) for o in OPS for v in (.06, .125, .25, .5, 1, 2, 4)]
                                                 + ["", "8/4"], object), 1_000_000)
    m = parse_mic(pd.Series(x))
    assert len(m) == 1_000_000 and m.missing.mean() > 0 and (mic_text(m[:50]) == mic_text(parse_mic(x[:50]))).all()


def test_ranges():
    m = parse_mic(["1..2", "2", "0.5 .. 4 mg/L"])
    assert mic_text(m).tolist() == ["1..2", "2", "0.5..4"] and m.censored.tolist() == [True, False, True]
    assert [o.tolist() for o in mic_interval(m)] == [[0, 1, -1], [1, 1, 2]]
    assert (m == parse_mic(["1..2", "1..2", "1..4"])).tolist() == [True, False, False]
    assert within(m, ["1", "1..2", "2"]).tolist() == [YES, YES, UNDECIDED]
    for bad in ("2..1", "1..", "<=1..2", "0..2"):
        with pytest.raises(ValueError, match="row 0"): parse_mic([bad])
    with pytest.raises(ValueError, match="range"): MIC([">"], [1], upper=[2])
