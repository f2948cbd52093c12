"Breakpoints and control ranges as published: imported, dated, hashed, compared, and never made up."
import json

import pandas as pd
import pytest
from openpyxl import Workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from typer.testing import CliRunner

from mic_eval.cli.app import app
from mic_eval.mic.breakpoints import Breakpoints, categorise, read_breakpoints
from mic_eval.mic.guidelines import find_breakpoints, import_log
from mic_eval.mic.naming import drug_key
from mic_eval.mic.published import changed_categories, diff_breakpoints, find_ranges, published_tables


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MIC_EVAL_BREAKPOINTS", str(tmp_path/"kept"))
    return tmp_path


def said(*args): return CliRunner().invoke(app, ["mic", "breakpoints", *map(str, args)])


def book(path, *rows):
    "A workbook of EUCAST's shape"
    made = Workbook()
    made.active.title = "Enterobacterales"
    for row in (["", "S ≤", "R >", "ATU"], *rows): made.active.append(row)
    made.save(path)


@pytest.mark.later
def test_from_the_file_to_the_verdict(here):
    "Import, list, use by name, compare"
    book("v_14.0_Breakpoint_Tables.xlsx", ["Ciprofloxacin", ".25", ".5", ".5"], ["Ampicillin", "8", "8", ""])
    book("v_15.0_Breakpoint_Tables.xlsx", ["Ciprofloxacin", ".125", ".25", ""], ["Ampicillin", "8", "8", ""])
    for file in ("v_14.0_Breakpoint_Tables.xlsx", "v_15.0_Breakpoint_Tables.xlsx"):
        assert said("import", file).exit_code == 0
    entry = import_log()["eucast-15.0.csv"]
    assert len(entry["sha256"]) == len(entry["source_sha256"]) == 64 and entry["rows"] == 2
    assert "eucast-15.0" in said("list").stdout
    pd.DataFrame(dict(isolate=["a", "b", "c"], drug="CIP", organism="E. coli", old=["0.25", "0.5", "0.06"],
                      new=["0.25", "0.5", "0.06"])).to_csv("own.csv", index=False)
    r = said("diff", "eucast-14.0", "eucast-15.0", "--mics", "own.csv", "--column", "old", "--out", "d.xlsx")
    assert r.exit_code == 0 and "2 of 3 categories change" in r.stderr, r.stderr
    sheets = pd.read_excel("d.xlsx", sheet_name=None)
    assert sheets["categories"][["isolate", "row", "before", "after"]].values.tolist() == [
        ["a", 2, "S", "I"], ["b", 3, "I", "R"]]
    assert sheets["breakpoints"].S_new.tolist() == [.125]   # numbers, not text
    r = CliRunner().invoke(app, "mic pairs own.csv --reference old --test new --breakpoints eucast-15.0 --report none "
                                "--out out".split())
    assert r.exit_code == 0, r.stderr
    assert pd.read_csv("out/pairs.csv").reference_category.tolist() == ["I", "R", "S"]
    assert "eucast-15.0.csv" in json.loads((here/"out"/"results.json").read_text())["settings"]["breakpoints"]


def test_signs_of_notes_that_lost_their_place(here):
    "8 with the sign of note 2 behind it is 82 once the sign is no longer raised: no breakpoint, and none is guessed"
    raised, low = InlineFont(vertAlign="superscript"), InlineFont()
    def noted(text, sign): return CellRichText(TextBlock(low, text), TextBlock(raised, sign))
    book("v_15.0_Breakpoint_Tables.xlsx", [noted("Ampicillin iv", "1"), noted("8", "2"), noted("8", "2"), ""],
         ["Gentamicin3", noted("(2)", "1"), "(2)1", ""], ["Colistin", "(2)", "(2)", ""], ["Rifampicin", "-", "IE", ""],
         ["Cefoxitin", "Note4", "Note4", ""], ["Cefazolin", .001, 4, "Note5"],
         ["Imipenem", "0,03", ".064", "0.06-0.25"])
    t = find_breakpoints("v_15.0_Breakpoint_Tables.xlsx")[0].table
    assert t[["drug", "S", "R"]].values.tolist() == [["Ampicillin", 8, 8], ["Gentamicin", 2, 2], ["Colistin", 2, 2],
                                                     ["Cefazolin", .001, 4], ["Imipenem", .03, .064]]
    assert t.note.str.contains("brackets").tolist() == [False, True, True, False, False]
    for lost in ("82", "323", "0.251", "15", "20"):
        book("v_16.0_Breakpoint_Tables.xlsx", ["Ampicillin iv", lost, lost, ""])
        r = said("import", "v_16.0_Breakpoint_Tables.xlsx")
        assert r.exit_code == 2 and f"Ampicillin iv: {lost} mg/L is no doubling dilution" in r.stderr, r.stderr
    assert not (here/"kept"/"eucast-16.0.csv").exists()


def test_a_changed_file_is_not_the_committees(here):
    book("v_15.0_Breakpoint_Tables.xlsx", ["Ampicillin", "8", "8", ""])
    said("import", "v_15.0_Breakpoint_Tables.xlsx")
    kept = here/"kept"/"eucast-15.0.csv"
    kept.write_text(kept.read_text().replace(",8.0,8.0", ",16.0,16.0"))
    with pytest.raises(ValueError, match="was changed since it was imported"): find_breakpoints("eucast-15.0")
    assert "was changed" in said("list").stderr
    assert said("import", "v_15.0_Breakpoint_Tables.xlsx").exit_code == 0   # and again it is
    assert find_breakpoints("eucast-15.0")[0].table.S.tolist() == [8.]


def test_another_file_of_the_same_name_is_said(here):
    "Of two sources of one year the later one judges from now on"
    for file, s in ("one.csv", 8), ("other.csv", 4):
        pd.DataFrame(dict(drug=["AMP"], S=[s], R=[16])).to_csv(file, index=False)
        r = said("import", file, "--name", "clsi-2025")
        assert ("clsi-2025 replaces what was imported from one.csv" in r.stderr) == (file == "other.csv"), r.stderr
    assert "replaces" not in said("import", "other.csv", "--name", "clsi-2025").stderr


def test_nothing_is_made_up(here):
    "Without a file there is no number, but a way to one"
    r = said("list")
    assert r.exit_code == 0 and "eucast.org" in r.stderr and "clsi.org" in r.stderr
    r = said("diff", "clsi-2024", "clsi-2025")
    assert r.exit_code == 2 and "get CLSI M100 of 2024" in r.stderr and "breakpoints import FILE" in r.stderr
    with pytest.raises(ValueError, match="QC_Ranges"): find_ranges("clsi-2024")
    pd.DataFrame(dict(drug=["AMP"], S=[8], R=[16])).to_csv("typed.csv", index=False)
    r = said("import", "typed.csv")
    assert r.exit_code == 2 and "--name clsi-2025" in r.stderr
    assert said("import", "typed.csv", "--name", "mine").exit_code == 2
    assert said("import", "nowhere.csv").exit_code == 2
    assert not (here/"kept"/"imports.jsonl").exists()


@pytest.mark.parametrize("columns, says", [
    ({"S": ["≤ 8"], "R": ["32"]}, "has no sign"), ({"S": ["≥ 8"], "R": ["≥ 32"]}, "S is ≤"),
    ({"S": ["≤8"], "I": ["32"], "R": ["≥ 32"]}, "leave 16"), ({"S": ["≤8"], "R": ["≥ 8"]}, "S = R"),
    ({"S": ["≤8"], "R": ["resistant"]}, "no concentration"),
    ({"S": ["≤8"], "R": ["≥32"], "convention": ["eucast"]}, "its signs are those of clsi")])
def test_printed_tables_that_contradict_themselves(columns, says):
    with pytest.raises(ValueError, match=says): read_breakpoints(pd.DataFrame({"drug": ["AMP"], **columns}))


def test_signs_decide_the_convention():
    "R ≥ 16 and R > 16 are a dilution apart, in cells or in the heading"
    for table, calls in (({"S": ["≤8"], "R": ["≥ 16"]}, "SR"), ({"S": ["≤8"], "R": ["> 16"]}, "SI"),
                         ({"S ≤": ["8"], "R ≥": ["16"]}, "SR"), ({"S ≤": ["8"], "R >": ["16"]}, "SI"),
                         ({"S": ["8"], "R": ["16"]}, "SI")):
        got = categorise(["8", "16"], read_breakpoints(pd.DataFrame({"drug": ["AMP"], **table})), "AMP").category
        assert "".join(got) == calls, table


def test_the_difference_is_that_of_every_mic():
    "What two tables say of each rung, counted one by one, against what the comparison lists"
    ladder = [f"{2.**k:g}" for k in range(-6, 8)]
    a = Breakpoints(pd.DataFrame(dict(drug=["A", "B", "C"], S=[1, 2, 4], R=[2, 2, 8])))
    b = Breakpoints(pd.DataFrame(dict(drug=["A", "B", "D"], S=[.5, 2, 4], R=[4, 4, 8],
                                      convention=["eucast", "clsi", "eucast"])))
    changed = diff_breakpoints(a, b)
    assert dict(zip(changed.drug, changed.what)) == dict(A="changed", B="written otherwise", C="gone", D="new")
    assert changed.direction[changed.drug == "A"].tolist() == ["both ways"]
    for drug in "ABCD":
        sides = [categorise(ladder, o, drug, missing="ignore").category for o in (a, b)]
        found = changed_categories(a, b, ladder, [drug]*len(ladder))
        assert found.row.tolist() == [i for i, (x, y) in enumerate(zip(*sides)) if x != y]
    assert diff_breakpoints(b, a).direction.tolist().count("both ways") == 1 and not len(diff_breakpoints(a, a))


def test_ranges_of_eucasts_workbook(here):
    "A sheet a strain; signs of notes are no part of a name; codes of a laboratory find their drug"
    made = Workbook()
    made.active.title = "E. coli ATCC 25922"
    for row in (["Escherichia coli ATCC 25922 (NCTC 12241)"], ["Agent", "MIC (mg/L)", "", "Zone", ""],
                ["", "Target1", "Range2", "Target1", "Range2"], ["Ampicillin", "4", "2-8", "18-19", "15-22"],
                ["Amoxicillin-clavulanic acid3,4", "4", "2-8", "21", "18-24"],
                ["Colistin5", "0.5-1", "0.25-2", "", "-"],
                ["Mecillinam", "Note", "Note", "27", "24-30"]): made.active.append(row)
    made.save("v_15.0_EUCAST_QC_tables.xlsx")
    assert said("import", "v_15.0_EUCAST_QC_tables.xlsx").exit_code == 0
    kept = pd.read_csv(find_ranges("eucast-15.0"))
    assert kept[["drug", "low", "high"]].values.tolist() == [
        ["Ampicillin", 2, 8], ["Amoxicillin-clavulanic acid", 2, 8], ["Colistin", .25, 2]]
    assert [drug_key(o) for o in ("CST", "AMC")] == [drug_key(o) for o in kept.drug[[2, 1]]]


@pytest.mark.later
def test_ranges_by_name(here):
    rows = dict(GUIDELINE="CLSI", YEAR=[2023, 2024, 2024], STRAIN="atcc25922", ANTIBIOTIC="Ciprofloxacin",
                WHONET_ABX_CODE="CIP", METHOD="MIC", MEDIUM=["Broth", "Broth", "Agar"], MINIMUM=[.004, .004, .03],
                MAXIMUM=[.015, .03, .12])
    pd.DataFrame(rows).to_csv("QC_Ranges.txt", sep="\t", index=False)
    assert said("import", "QC_Ranges.txt").exit_code == 0
    assert list(published_tables(here/"QC_Ranges.txt")) == ["clsi-2023-qc", "clsi-2024-qc"]
    r = said("diff", "clsi-2023", "clsi-2024", "--qc")
    assert r.exit_code == 0 and "changed 1" in r.stderr, r.stderr
    pd.DataFrame(dict(strain="ATCC 25922", drug="CIP", mic=["0.015", "0.03"])).to_csv("qc.csv", index=False)
    pd.DataFrame(dict(isolate=["a", "b"], drug="CIP", old=["1", "2"], new=["1", "2"])).to_csv("own.csv", index=False)
    for name, share in (("clsi-2023", .5), ("clsi-2024", 1.)):
        r = CliRunner().invoke(app, f"mic pairs own.csv --reference old --test new --qc qc.csv --qc-ranges {name} "
                                    f"--report none --out {name}".split())
        assert r.exit_code == 0, r.stderr
        assert json.loads((here/name/"results.json").read_text())["qc"]["qc_in_range"]["value"] == share


def test_a_difference_names_the_file_that_is_none_and_no_committee_that_is_unknown(here):
    pd.DataFrame(dict(drug=["cefepime"], organism="E. coli", S=[1], R=[4])).to_csv("a.csv", index=False)
    pd.DataFrame(dict(drug=["cefepime"], organism="E. coli", S=[1], R=[2])).to_csv("b.csv", index=False)
    pd.DataFrame(dict(isolate=["i1"], drug="cefepime", BMD=[1])).to_csv("own.csv", index=False)
    done = said("diff", "a.csv", "own.csv")
    assert done.exit_code and "own.csv: breakpoints: columns drug and S or R are needed" in str(done.output)
    done = said("diff", "a.csv", "b.csv")
    assert not done.exit_code and "1 row differs: changed 1" in done.output and "committees" not in done.output
    for name, whose in (("a.csv", "EUCAST"), ("b.csv", "CLSI")):
        pd.read_csv(name).assign(guideline=whose, year="2024").to_csv(name, index=False)
    assert "these are two committees" in said("diff", "a.csv", "b.csv").output
