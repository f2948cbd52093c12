"Categories of MICs: the goldens of the specification and of the AMR package, layouts, ambiguity, and bad input."
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mic_eval.mic.breakpoints import (Breakpoints, breakpoint_rungs, categorise, from_amr, from_categories,
                                      from_whonet, match_breakpoint, plot_ruler,
                                      read_breakpoints)
from mic_eval.mic.dilutions import OPS, dilution_label, mic_interval
from every import every


def one(S=None, R=None, convention="eucast", **more):
    return Breakpoints(pd.DataFrame([dict(drug="X", S=S, R=R, convention=convention) | more]))
def cat(bp, *mics):
    return (lambda c: [f"{a}({p})" if a == "NI" else a
                       for a, p in zip(c.category, c.possible)])(categorise(list(mics), bp))


GOLDENS = [(dict(S=1, R=4, convention="clsi"), {">1": "NI(I|R)", ">2": "R", "<=2": "NI(S|I)", "<2": "S"}),
           (dict(S=.25, R=1, convention="clsi"), {">=0.25": "NI(S|I|R)", ">0.25": "NI(I|R)", ">0.5": "R", "<0.5": "S",
                                                  "<1": "NI(S|I)"}),
           (dict(S=.001, R=2), {"<=0.5": "I", "0.5": "I", ">2": "R", ">=2": "NI(I|R)"}),
           (dict(S=.25, R=.5), {"0.5": "I"})]


@pytest.mark.parametrize("row,want", GOLDENS)
def test_goldens(row, want): assert dict(zip(want, cat(one(**row), *want))) == want


def powers(a, b): return [2.0**i for i in range(a, b + 1)]


# what the AMR package's tests expect of these breakpoints (facts, not code)
@every("row,mics,want", [
    (dict(S=8, R=8), powers(-4, 6), ["S"]*8 + ["R"]*3), (dict(S=32, R=32), powers(-4, 6), ["S"]*10 + ["R"]),
                         (dict(S=.5, R=2), [.125, .5, 1, 2, 4], list("SSIIR")),
    (dict(S=2, R=8, convention="clsi"), [1, 2, 4, 8, 16], list("SSIRR")),
                         (dict(S=.5, R=.5), [.256, .5, 1, 2], list("SSRR")),
    (dict(R=8, convention="clsi", sdd=True), powers(-2, 4), ["SDD"]*5 + ["R", "R"])])
def test_amr_package(row, mics, want): assert cat(one(**row), *mics) == want


def test_other_kinds():
    assert cat(one(S=1), "0.5", "2", "<=2", ">1") == ["S", "NS", "NI(S|NS)", "NS"]
    assert cat(one(S=.25, convention="ecoff"), "0.25", "0.5", ">0.125", "<=0.25") == ["WT", "NWT", "NI(WT|NWT)", "WT"]
    assert cat(one(S=1, R=4, sdd=True), "2", "4", "8") == ["SDD", "SDD", "R"]
    assert cat(one(S=1, R=2), "", "1..2", "0.5..1") == ["", "NI(S|I)", "S"]
    assert cat(one(S=.1, R=.4), ".1", ".2", ".4", ".8") == list("SIIR") == cat(one(S=.12, R=.5), ".1", ".2", ".4", ".8")
    assert cat(one(S=6, R=6), "4", "8") == ["S", "R"] == cat(one(S=4, R=6, convention="clsi"), "4", "8")
    assert cat(one(S=np.inf), "1", ">64") == ["S", "S"]


def test_atu_is_a_flag():
    c = categorise(["0.25", "0.5", "1", "<=1", "0.5..1"], one(S=.5, R=.5, atu="0.5-1"))
    assert c.atu.tolist() == [False, True, True, False, True] and c.category.tolist() == ["S", "S", "R", "NI", "NI"]
    assert one(S=.5, R=.5, atu=".5").table[["atu_low", "atu_high"]].values.tolist() == [[.5, .5]]
    assert not categorise(["0.5"], one(S=.5, R=.5)).atu.any()


@pytest.mark.later
@settings(max_examples=100, deadline=None)
@given(st.integers(-5, 5), st.integers(0, 3), st.sampled_from(["eucast", "clsi"]), st.sampled_from(OPS),
       st.integers(-8, 8))
def test_by_enumeration(k_s, gap, convention, op, k):
    gap += convention == "clsi"
    bp = one(S=2.0**k_s, R=2.0**(k_s + gap), convention=convention)
    text = op + dilution_label([k])[0]
    lo, hi = (float(o[0]) for o in mic_interval([text]))
    met = [("S" if i <= k_s else "R" if (i > k_s + gap if convention == "eucast" else i >= k_s + gap) else "I")
           for i in range(-40, 41) if lo <= i <= hi]
    c = categorise([text], bp)
    assert c.possible[0] == "|".join(o for o in "SIR" if o in met)
    assert c.category[0] == (met[0] if len(set(met)) == 1 else "NI")


TABLE = Breakpoints(pd.DataFrame(dict(drug=["AMC", "AMC", "PEN", "PEN", "CIP", "CIP"],
                                      organism=["", "", "pneumo", "", "", "eco"], S=[8, 32, .06, 1, .25, .5],
                                      R=[8, 32, 2, 1, .5, 1], site=["", "UTI", "", "", "", ""], guideline="X",
                                      year=2024)))


def test_matching():
    assert match_breakpoint(TABLE, "amc") == 0
    assert match_breakpoint(TABLE, "AMC", site="uti") == 1 and match_breakpoint(TABLE, "AMC", site="skin") == 0
    assert match_breakpoint(TABLE, "PEN", "Pneumo ") == 2
    assert match_breakpoint(TABLE, "PEN", "other") == 3 and match_breakpoint(TABLE, "XYZ") == -1
    with pytest.raises(ValueError, match=r"breakpoints of CIP: 2 rows fit .organism: , eco; S: 0.25, 0.5"):
        match_breakpoint(TABLE, "CIP")
    with pytest.raises(ValueError, match="only for a site .UTI.; name it"):
        match_breakpoint(TABLE.only(site="UTI"), "AMC")
    with pytest.raises(ValueError, match="every drug: 5 rows fit"): categorise(["1"], TABLE)
    with pytest.raises(ValueError, match="no column 'colour'"): TABLE.only(colour=1)
    c = categorise(["1", "1", "16"], TABLE, ["PEN", "PEN", "AMC"], ["pneumo", "other", "x"], ["", "", "UTI"])
    assert c.row.tolist() == [2, 3, 1] and c.category.tolist() == ["I", "S", "S"]


def test_a_drug_without_breakpoints():
    with pytest.warns(UserWarning, match="no breakpoint for 2 of 3 MICs: PAS; they have no category"):
        c = categorise(["1", "2", "4"], TABLE, ["PAS", "PAS", "AMC"])
    assert c.category.tolist() == ["", "", "S"] and c.row.tolist() == [-1, -1, 0] and np.isnan(c.k_S[:2]).all()
    with pytest.raises(ValueError, match="no breakpoint for 1 of 1"): categorise(["1"], TABLE, "PAS", missing="raise")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert categorise(["1"], TABLE, "PAS", missing="ignore").category == ""
    assert len(categorise([], TABLE, [])) == 0


@every("table,match", [
    (dict(drug=["X"], S=[4], R=[1]), r"row 0 .X, S=4, R=1, eucast. has S above R"),
                       (dict(drug=["X"], S=[1], R=[1], convention="clsi"), "cannot mean"),
    (dict(drug=["X"], S=["one"]), "S: row 0 .X. says 'one'"), (dict(drug=["X"], S=[-1.]), "not a concentration"),
                       (dict(drug=["X"], S=[1], convention="iso"), "eucast, clsi or ecoff"),
    (dict(drug=[""], S=[1]), "has no drug"), (dict(drug=["X", "Y"], S=[1, None], R=[2, None]),
                            "row 1 .Y, S=nan, R=nan, eucast. has neither S nor R"),
    (dict(drug=["X"], S=[1], R=[1], atu=["4-1"]), "wrong way round"),
                       (dict(agent=["X"], S=[1]), "columns drug and S or R are needed"),
                       (dict(drug=["X"]), "needed")])
def test_bad_tables(table, match):
    with pytest.raises(ValueError, match=match): Breakpoints(pd.DataFrame(table))


AMR = pd.DataFrame(dict(guideline=["EUCAST 2024", "CLSI 2024", "EUCAST 2024", "EUCAST 2024", "CLSI 2024"],
                        type=["human"]*3 + ["ECOFF", "human"], host="human",
                        method=["MIC", "MIC", "DISK", "MIC", "MIC"],
                        site=None, mo="B_ESCHR_COLI", rank_index=2, ab=["AMC", "AMX", "AMC", "AMC", "DAP"],
                        ref_tbl="t", disk_dose=None, breakpoint_S=[8, 2, 19, 16, np.nan],
                        breakpoint_R=[8, 8, 19, 16, 8], uti=False, is_SDD=[False, "FALSE", False, False, "TRUE"],
                        note=None))


def test_amr_layout():
    bp = from_amr(AMR)
    assert bp.table[["drug", "S", "R", "convention", "sdd", "guideline", "year"]].values.tolist()[:2] == [["AMC", 8,
        8, "eucast", False, "EUCAST", "2024"], ["AMX", 2, 8, "clsi", False, "CLSI", "2024"]]
    assert len(bp) == 3 and cat(bp.only(drug="DAP"), 4, 8) == ["SDD", "R"]
    assert cat(from_amr(AMR, type="ECOFF"), 16, 32) == ["WT", "NWT"]
    with pytest.raises(ValueError, match="AMR layout"): from_amr(AMR.drop(columns="mo"))


WHONET = pd.DataFrame(dict(GUIDELINES=["EUCAST", "CLSI", "EUCAST", "CLSI", "CLSI", "EUCAST"], YEAR=2024,
                           TEST_METHOD=["MIC"]*4 + ["DISK", "MIC"], POTENCY="", ORGANISM_CODE="eco",
                           BREAKPOINT_TYPE=["Human"]*5 + ["ECOFF"], SITE_OF_INFECTION="",
                           WHONET_ABX_CODE=["AMC", "AMX", "ETP", "HLG", "AMX", "AMC"], R=[16, 8, .5, 513, 13, np.nan],
                           S=[8, 2, .5, 512, 17, np.nan], SDD=["", "", "", "", "", ""], ECV_ECOFF=[np.nan]*5 + [8],
                           COMMENTS="")).replace("", np.nan)


def test_whonet_layout():
    bp = from_whonet(WHONET)
    assert cat(bp.only(drug="AMC"), 8, 12, 16) == ["S", "R", "R"]
    assert cat(bp.only(drug="AMX"), 2, 4, 8) == ["S", "I", "R"]
    assert cat(bp.only(drug="ETP"), .5, 1) == ["S", "R"] and cat(bp.only(drug="HLG"), 512, 1024) == ["S", "R"]
    assert len(bp) == 4 and cat(from_whonet(WHONET, type="ecoff"), 8, 16) == ["WT", "NWT"]


def test_signs_in_whonets_layout_are_read_and_nothing_is_left_out_in_silence():
    "Every row was dropped: nought tables were imported, with exit code 0"
    signed = WHONET.assign(S=WHONET.S.map("<={:g}".format), R=[">=16", ">=8", ">.5", ">=513", "", ""])
    bp = from_whonet(signed.iloc[:4])
    assert cat(bp.only(drug="AMX"), 2, 4, 8) == ["S", "I", "R"] and cat(bp.only(drug="ETP"), .5, 1) == ["S", "R"]
    assert bp.table.convention.tolist() == ["clsi", "clsi", "eucast", "clsi"]
    with pytest.raises(ValueError, match="S: row 0 .AMC. says 'eight'"): from_whonet(WHONET.assign(S="eight"))
    with pytest.raises(ValueError, match="no row of the WHONET layout holds a breakpoint of MICs of the kind human"):
        from_whonet(WHONET.assign(S=np.nan, R=np.nan))


def test_files(tmp_path):
    for name, table, sep, n in (("amr.csv", AMR, ",", 3), ("whonet.txt", WHONET, "\t", 4),
                                ("own.csv", TABLE.table, ",", 6),
                                ("list.csv", pd.DataFrame(dict(drug="X", mic=["<=1", "2"], category=["S", "R"])), ",",
                                 1)):
        table.to_csv(tmp_path / name, index=False, sep=sep)
        assert len(read_breakpoints(tmp_path / name)) == n, name
    own = read_breakpoints(tmp_path / "own.csv")
    pd.testing.assert_frame_equal(own.table, TABLE.table, check_dtype=False)


@pytest.mark.parametrize("cats,match", [("SRSR", "fall as the MIC rises"), ("RRRR", "R at every MIC"),
                                        ("SSXR", "X; S, I, SDD or R")])
def test_bad_lists(cats, match):
    with pytest.raises(ValueError, match=match):
        from_categories(pd.DataFrame(dict(drug="X", mic=["<=1", "2", "4", ">4"], category=list(cats))))


def test_lists():
    make = lambda cats: from_categories(pd.DataFrame(dict(drug="X", mic=["<=1", "2", "4", ">4"], category=list(cats))))
    assert make("SSIR").table[["S", "R"]].values.tolist() == [[2, 4]]
    assert cat(make("SSSS"), "<=1", ">4") == ["S", "S"]
    assert cat(make("SSII"), "2", "4", ">4") == ["S", "I", "I"]
    assert cat(make("IIRR"), "<=1", "2", "4") == ["I", "I", "R"]
    two = pd.DataFrame(dict(panel=["A"]*2 + ["B"]*2, drug="X", mic=["<=1", "2", "<=1", "2"],
                            category=["S", "S", "S", "R"]))
    with pytest.raises(ValueError, match="do the panels differ|fall"): from_categories(two)


def test_the_studys_list_is_given_back(real_wells):
    path = real_wells / "categories.csv"
    listed, bp = pd.read_csv(path).dropna(subset=["category"]), read_breakpoints(path)
    assert len(bp) == 13 and (categorise(listed.mic, bp, listed.drug).category == listed.category.to_numpy()).all()


def test_ruler(): assert len(plot_ruler(TABLE.only(drug="PEN"), ["1", ">1"]).get_yticklabels()) == 2
def test_shows():
    assert repr(TABLE) == "Breakpoints(6 rows, 3 drugs: X 2024)"
    assert "none: 1" in repr(categorise([""], one(S=1)))
    assert [o.tolist() for o in breakpoint_rungs(one(S=1, R=2))] == [[0], [2]]


def test_a_row_without_a_drug_has_no_breakpoint():
    assert categorise(["1", "1"], TABLE, ["AMC", None], missing="ignore").row.tolist() == [0, -1]
    with pytest.raises(ValueError, match="2 values for 3 MICs"): categorise(["1"]*3, TABLE, ["AMC", "PEN"])
