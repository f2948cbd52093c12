"The annex of a submission: numbers in its cells, failures first, nothing answered that is not there."
import hashlib
import subprocess

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from mic_eval.cli.app import app
from mic_eval.mic.annex import (
    _computable, _gravest_first, annex_tables, annex_words, annex_column, write_annex)
from mic_eval.mic.breakpoints import Breakpoints
from mic_eval.mic.findings import mic_findings

DRUGS = ["amikacin", "colistin", "meropenem"]
POINTS = pd.DataFrame(dict(drug=DRUGS, S=[8, 2, 2], R=[8, 2, 8], guideline="invented", year=2025))


def pairs(seed=0, n=60):
    rng = np.random.default_rng(seed)
    k = rng.integers(-2, 6, (n, 3))
    off = rng.choice([-2, 0, 2], (n, 3), p=[.02, .96, .02])
    off[:, 1] = rng.choice([-2, 0, 2], n, p=[.3, .4, .3])
    rows = [dict(isolate=f"i{i}", organism="Escherichia coli", drug=d, BMD=f"{2.**k[i, j]:g}",
                 new=f"{2.**(k[i, j] + off[i, j]):g}") for i in range(n) for j, d in enumerate(DRUGS)]
    rows[4]["new"] = ""
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def found():
    table = pairs().replace("", None)
    how = dict(breakpoints=Breakpoints(POINTS), arbitration="third")
    return mic_findings(table.assign(third=table.BMD), "BMD", "new", **how)


@pytest.fixture(scope="module")
def tables(found): return annex_tables(found)


def test_failures_stand_first(tables):
    rank = {"fail": 0, "insufficient n": 1, "not evaluated": 2, "not applicable": 3, "pass": 4}
    order = tables["verdicts"].status.map(rank).tolist()
    assert order == sorted(order) and order[0] == 0
    assert tables["drugs"].drug.iloc[0] == "colistin"


def test_the_drug_that_most_profiles_fail_is_the_first():
    "A alone fails one of two, B both, C asks for more isolates"
    rows = [("one", "A", "fail"), ("two", "A", "pass"), ("one", "B", "fail"), ("two", "B", "fail"),
            ("one", "C", "pass"), ("two", "C", "insufficient n"), ("one", "D", "pass"), ("two", "D", "pass")]
    judged = pd.DataFrame(rows, columns=["profile", "name", "status"]).assign(unit="drug")
    drugs = pd.DataFrame(dict(drug=["D", "C", "A", "B"]))
    assert _gravest_first(drugs, "drug", judged).drug.tolist() == ["B", "A", "C", "D"]


def test_two_hundred_drugs_stand_on_paper_and_the_others_in_the_workbook(found, tables, monkeypatch):
    from mic_eval.mic import annex
    monkeypatch.setattr(annex, "_drug_page", lambda *a: "")
    def left_out(n):
        drugs = pd.concat([tables["drugs"].head(1)]*n)
        said = annex.annex_markup(found, tables | dict(drugs=drugs), "Annex", "en")
        page = said.partition("<drugs>")[2].partition("pagebreak")[0]
        return [line for line in page.splitlines() if "annex.xlsx" in line]
    assert left_out(200) == [] and [*map(len, map(left_out, (201, 203)))] == [1, 1]
    assert "3 more rows stand in annex.xlsx" in left_out(203)[0]


def test_a_control_out_of_range_is_named():
    qc = pd.DataFrame(dict(strain="ATCC 25922", drug=["CIP", "AMP", "CIP"], mic=["0.06", "4", "0.008"]))
    ranges = pd.DataFrame(dict(strain="ATCC 25922", drug=["CIP", "AMP"], low=[.004, 2], high=[.015, 8]))
    t = annex_tables(mic_findings(pairs(2), "BMD", "new", qc=(qc, ranges)))["deviations"]
    assert t[t.kind == "control out of range"][["n", "detail"]].values.tolist() == [[1, "ATCC 25922 CIP"]]


def test_a_spreadsheet_computes_with_mics():
    read = dict(isolate=["007", "2", "3"], reference=["4", "<=0.25", "16"], test=["8", ">32", ""])
    t = _computable(pd.DataFrame(read))
    assert t.reference.tolist() == [4., "<=0.25", 16.] and t.test.tolist() == [8., ">32", ""]
    assert t.isolate.tolist() == ["007", "2", "3"]


def test_every_number_can_be_computed_again(found, tables):
    "k, n and value of each drug, from the pairs one by one"
    for o in tables["drugs"].itertuples():
        mine = found.pairs[(found.pairs.drug == o.drug) & found.pairs.has_both]
        assert (o.essential_agreement_k, o.essential_agreement_n) == (mine.agrees_lenient.sum(), len(mine))
        resistant = mine[mine.reference_category == "R"]
        assert (o.very_major_k, o.very_major_n) == ((resistant.test_category == "S").sum(), len(resistant))
        assert o.very_major == o.very_major_k/o.very_major_n
    t = tables["isolates"].set_index("drug")
    assert t.pairs.tolist() == [60]*3 and t.no_result.sum() == 1
    listed = tables["discrepancies"]
    p = found.pairs
    wrong = p.error.isin(["very major", "major", "minor"]) | (p.has_reference & ~p.has_both)
    assert len(listed) == int((wrong | (p.has_both & ~p.agrees_lenient)).sum())
    assert (listed.arbitration == listed.reference).all()


def test_the_checklist_answers_only_what_is_there(found, tables):
    t = tables["checklist"]
    for o in t.itertuples():
        here = o.answer in tables
        assert o.status == ("yours to state" if not o.answer else "here" if here else "not in these data"), o
    assert {"readers", "qc", "precision"} <= set(t.answer[t.status == "not in these data"])
    bare = annex_tables(mic_findings(pairs().replace("", None), "BMD", "new"), profiles=None)
    assert {"interpretation", "arbitration", "zones"} & set(bare) == set()
    assert (bare["checklist"].status[bare["checklist"].answer == "interpretation"] == "not in these data").all()


def test_every_column_has_a_meaning_in_both_languages(tables):
    profiles = {"iso-20776-2-2021", "fda-2009"}
    unknown = {(k, c) for k, t in tables.items() for c in t if c not in profiles and not all(annex_column(c)[:2])}
    assert not unknown
    words = annex_words()
    assert all(len(o) == 4 and o[1] and o[2] for o in words["checklist"])
    assert {o[3] for o in words["checklist"]} - {""} <= set(words["holds"])


@pytest.mark.later
def test_the_command_leaves_a_file_that_opens(tmp_path, monkeypatch):
    "Workbook with numbers, hashes that hold, limits that ask to be verified; text from data runs nowhere"
    monkeypatch.chdir(tmp_path)
    table = pairs(1)
    table.loc[0, "isolate"] = '=cmd|"/c calc"!A1'
    table.to_csv("pairs.csv", index=False)
    POINTS.to_csv("points.csv", index=False)
    r = CliRunner().invoke(app, "mic pairs pairs.csv --reference BMD --test new --breakpoints points.csv --report none "
                                "--out out --file annex".split())
    assert r.exit_code == 0, r.stderr
    sheets = pd.read_excel("annex/annex.xlsx", sheet_name=None)
    assert list(sheets)[:3] == ["contents", "verdicts", "drugs"]
    from openpyxl import load_workbook
    book = load_workbook("annex/annex.xlsx")
    for page, column in (("contents", 1), ("checklist", 5), ("definitions", 1)):   # a click leads to the table
        for cell, in book[page].iter_rows(2, min_col=column, max_col=column):
            there = cell.value in book.sheetnames
            assert (cell.hyperlink is not None) == there, (page, cell.coordinate, cell.value)
            if there: assert cell.hyperlink.location == f"'{cell.value}'!A1"
    cells = [cell for page in book for row in page.iter_rows(2) for cell in row if isinstance(cell.value, str)]
    guarded = [c.value for c in cells if c.value.startswith("'")]
    assert all(o.startswith("'=cmd") for o in guarded), guarded   # an apostrophe only before what a person typed
    assert not any(c.value in ("inf", "-inf", "nan") for c in cells)
    meant = {(o[0].value, o[1].value): o[2].value for o in book["definitions"].iter_rows(2)}
    assert meant["drugs", "fda-2009"] == "Outcome by this set of limits"
    assert sheets["contents"].sheet.tolist() == [*sheets][1:]
    for column in sheets["drugs"].columns:
        if column.endswith(("_k", "_n", "_lo", "_hi")): assert sheets["drugs"][column].dtype.kind in "fi", column
    assert not [v for v in sheets["discrepancies"].isolate if str(v).startswith("=")]
    assert sheets["verdicts"].source.str.contains("secondary").any()
    inputs = sheets["versions"][sheets["versions"].kind == "sha256 of input"].set_index("name").value
    assert inputs["pairs: pairs.csv"] == hashlib.sha256((tmp_path/"pairs.csv").read_bytes()).hexdigest()
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=tmp_path/"annex", check=True)
    assert (tmp_path/"annex"/"annex.pdf").read_bytes().startswith(b"%PDF-")


@pytest.mark.later
def test_without_a_font_the_tables_are_there(found, tmp_path, monkeypatch):
    from mic_eval.report import exports

    def none(lang): raise ValueError("no font")
    monkeypatch.setattr(exports, "font_of", none)
    said = []
    write_annex(found, tmp_path/"annex", languages=("zh",), tell=said.append)
    assert (tmp_path/"annex"/"annex.xlsx").is_file() and "no font" in said[0]
    assert not (tmp_path/"annex"/"annex.pdf").exists()


@pytest.mark.later
def test_numbers_are_numbers_in_every_form(tmp_path, monkeypatch):
    "CSV, workbook and Parquet, of a run and of its annex: the same numbers, and no sentence in a cell for them"
    monkeypatch.chdir(tmp_path)
    table = pairs(4)
    table.loc[table.drug == "amikacin", "BMD"] = "1"   # no resistant isolate: nothing to divide by
    table.to_csv("pairs.csv", index=False)
    POINTS.to_csv("points.csv", index=False)
    r = CliRunner().invoke(app, "mic pairs pairs.csv --reference BMD --test new --breakpoints points.csv --report none "
                                "--out out --file annex".split())
    assert r.exit_code == 0, r.stderr
    books = {"annex/tables": "annex/annex.xlsx", "out": "out/tables.xlsx"}
    for folder, book in books.items():
        for name, sheet in pd.read_excel(book, sheet_name=None).items():
            forms = [sheet, pd.read_csv(f"{folder}/{name}.csv")]
            if folder != "out": forms.append(pd.read_parquet(f"{folder}/{name}.parquet"))
            for t in forms:
                assert list(t) == list(sheet) and len(t) == len(sheet), name
                kept = [c for c in t if c not in ("why", "detail", "how", "how_zh", "source", "note", "meaning")]
                texts = t[kept].select_dtypes(exclude="number").astype(str)
                assert not texts.apply(lambda c: c.str.contains(r"\d ?%|^'|\d/\d+ =", regex=True)).any(axis=None), name
                for c in (c for c in sheet if sheet[c].dtype.kind in "fi" and sheet[c].notna().any()):
                    if c in ("MIC50", "MIC90", "mode", "reference", "test"): continue   # a MIC may be <=0.25
                    np.testing.assert_allclose(t[c].astype(float), sheet[c].astype(float), rtol=1e-9, err_msg=name)


def test_deviations_are_those_that_somebody_wrote_and_those_that_data_show():
    "A column of deviations is counted by its words; an empty cell is none"
    table = pairs(2).replace("", None)
    table["deviation"] = ["inoculum 1e6", None, ""]*60
    t = annex_tables(mic_findings(table, "BMD", "new", breakpoints=Breakpoints(POINTS)))["deviations"]
    assert t[t.kind == "written beside the pair"][["n", "detail"]].values.tolist() == [[60, "inoculum 1e6"]]
    assert not t.detail.str.contains("mics.").any()   # no path of a result


@pytest.mark.later
def test_the_chinese_annex_is_chinese(tmp_path):
    "Every text of ours; names of files, drugs, profiles and sources stay"
    import re

    from mic_eval.core.fields import field_named
    from mic_eval.mic.annex import annex_markup
    from mic_eval.report.words import speaking
    table = pairs(3).assign(site="Oxford", operator="A", day=1)
    again = pd.concat([table, *(table[:60].assign(operator=o, day=2) for o in "AB")]).replace("", None)
    pd.DataFrame(dict(strain=["ATCC 1"], drug="colistin", low=.5, high=2)).to_csv(tmp_path/"ranges.csv", index=False)
    controls = pd.DataFrame(dict(strain="ATCC 1", drug="colistin", mic=["1"]*8 + ["8"]))
    found = mic_findings(again.assign(third=again.BMD), "BMD", "new", breakpoints=Breakpoints(POINTS),
                         arbitration="third", qc=(controls, tmp_path/"ranges.csv"))
    tables = annex_tables(found)
    assert {"qc", "precision", "precision_by", "arbitration", "deviations", "sizes"} <= set(tables)
    with speaking("zh", field_named("mic")): said = annex_markup(found, tables, "附件", "zh")
    texts = re.findall(r'"((?:[^"\\]|\\.)*)"', said)
    names = {*annex_words()["holds"], "fail", "pass", "insufficient", *DRUGS, "Escherichia coli", "Oxford", "annex",
             "xlsx", "mic", "eval", "numpy", "pandas", "scipy", "invented", "iso", "fda", "ceil", "log2", "Wilson",
             "Clopper", "Pearson", "McNemar", "Newcombe", "Holm"}
    plain = re.compile("|".join(sorted(map(re.escape, names), key=len, reverse=True)))
    sources = set(tables["methods"].source)
    english = {t for t in texts if t not in sources and re.search(r"[a-z]{3,}", plain.sub("", t))}
    assert not english


def test_categories_are_said_to_count_pairs():
    words = annex_words()
    for head in ("reference_S", "reference_I", "reference_R"):
        assert words["columns"][head][0].startswith("Pairs") and words["heads"][head][0].startswith("Pairs")
        assert "配对" in words["columns"][head][1] and "配对" in words["heads"][head][1]
    asked = next(o for o in words["checklist"] if o[0] == "5")
    assert "pairs" in asked[1] and "配对" in asked[2] and "pairs" in words["holds"]["isolates"][0]


def test_what_to_do_next_counts_no_wells_where_there_are_none():
    from mic_eval.report.views import NEXT
    from mic_eval.report.words import in_other_words
    for lang, word in (("en", "data"), ("zh", "数据")):
        for status in ("fail", "insufficient n"):
            said, places = in_other_words(NEXT[status], lang)
            assert word in said and "{unit" not in said and not places
