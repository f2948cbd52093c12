"Breakpoints by name, names of drugs and organisms, sites, bad rows: what judged which pair."
import pandas as pd
import pytest
from typer.testing import CliRunner

from mic_eval.cli.app import app
from mic_eval.mic.breakpoints import Breakpoints, categorise, from_amr, read_breakpoints
from mic_eval.mic.guidelines import at_site, find_breakpoints, from_eucast
from mic_eval.mic.naming import drug_key
from every import every

AMR = pd.DataFrame(dict(guideline="EUCAST 2025", type="human", method="MIC",
                        site=["", "UTI", "Non-meningitis", "Meningitis"],
                        mo=["B_[ORD]_ENTRBCTR"]*2 + ["B_ESCHR_COLI"]*2,
                        ab=["AMC", "AMC", "CIP", "CIP"], breakpoint_S=[8, 32, .25, .125],
                        breakpoint_R=[8, 32, .5, .125], uti=[False, True, False, False], is_SDD=False))
PAIRS = pd.DataFrame(dict(isolate=list("abcd"), organism="Escherichia coli",
                          drug=["Amoxicillin/clavulanic acid", "ciprofloxacin"]*2, old=["16", "0.25", "4", "2"],
                          new=["16", "0.25", "64", "0.25"]))


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path/"bp").mkdir()
    monkeypatch.setenv("MIC_EVAL_BREAKPOINTS", str(tmp_path/"bp"))
    AMR.to_csv("bp/clinical_breakpoints.txt", sep="\t", index=False)
    PAIRS.to_csv("pairs.csv", index=False)
    return tmp_path


def mics(*args):
    return CliRunner().invoke(app, ["mics", "pairs.csv", "--reference", "old", "--test", "new", "--report", "none",
                                    "--out", "out", *args])


@pytest.mark.later
def test_the_site_decides(here):
    "16 mg/L of amoxicillin-clavulanate: R in general, S in the urine"
    assert mics("--breakpoints", "eucast-15.0").exit_code == 0
    assert pd.read_csv("out/pairs.csv").reference_category.tolist() == ["R", "S", "S", "R"]
    log = pd.read_csv("out/interpretation.csv", dtype=str, keep_default_na=False)
    assert log[["drug", "S", "R", "guideline", "year", "pairs"]].to_numpy().tolist() == [["AMC", "8", "8", "EUCAST",
        "2025", "2"], ["CIP", "0.25", "0.5", "EUCAST", "2025", "2"]]
    assert mics("--breakpoints", "eucast-2025:uti").exit_code == 0
    assert pd.read_csv("out/pairs.csv").reference_category.tolist() == ["S", "S", "S", "R"]
    assert "site: UTI" in pd.read_csv("out/interpretation.csv").note[0]
    r = mics("--breakpoints", "eucast-14.0")
    assert r.exit_code == 2 and "EUCAST's workbook of 2024" in r.stderr


def test_a_bad_row_is_named_or_skipped(here):
    pd.DataFrame(dict(drug=["AMC", "CIP", "GEN"], S=[8, .25, 4], R=[8, .5, 2])).to_csv("own.csv", index=False)
    r = mics("--breakpoints", "own.csv")
    assert r.exit_code == 2 and "own.csv: breakpoints: row 4 (GEN, S=4, R=2, eucast) has S above R" in r.stderr
    r = mics("--breakpoints", "own.csv", "--skip-bad")
    assert r.exit_code == 0 and "1 of 3 rows of breakpoints left out" in r.stderr


def test_codes_and_fallbacks():
    bp = at_site(from_amr(AMR))
    for organism in ("eco", "E. coli", "Escherichia coli", "B_ESCHR_COLI"):
        assert categorise("0.25", bp, "J01MA02", organism).category[0] == "S"
    assert categorise("16", bp, "AMC", "Klebsiella pneumoniae").category[0] == "R"
    assert categorise("16", bp, "AMC", "Pseudomonas aeruginosa", missing="ignore").category[0] == ""
    assert drug_key("amoxicillin") != drug_key("AMC") and drug_key("XXX") == "xxx"


@pytest.mark.full
def test_a_large_table_is_quick():
    "A national table has tens of thousands of rows: a lookup must not read them all again"
    import time
    n = 20_000
    bp = Breakpoints(pd.DataFrame(dict(drug=[f"d{i % 200}" for i in range(n)],
                                       organism=[f"g{i//200} s" for i in range(n)], S=1, R=2)))
    t = time.process_time()
    got = categorise(["1"]*1000, bp, [f"d{i % 200}" for i in range(1000)],
                     [f"g{i % 90} s" for i in range(1000)]).category
    assert set(got) == {"S"} and time.process_time() - t < 15


def test_a_path_needs_no_folder(here):
    assert len(find_breakpoints("bp/clinical_breakpoints.txt")[0]) == 4
    assert len(find_breakpoints("bp/clinical_breakpoints.txt:uti")[0]) == 2


def test_uti_means_one_row_and_rows_that_judge_alike_are_one():
    rows = [("AMC", 8, "infections originating from the urinary tract", "oral"),
            ("AMC", 32, "uncomplicated UTI only", "oral"), ("CXM", 8, "", "iv"), ("CXM", 8, "", "oral")]
    b = Breakpoints(pd.DataFrame([dict(drug=d, S=s, R=s, site=w, route=r) for d, s, w, r in rows]))
    assert [at_site(b, o).table.S[0] for o in ("uti", "urinary tract")] == [32, 8]
    assert categorise(["16"], at_site(b, "uti"), "CXM").category.tolist() == ["R"]
    with pytest.raises(ValueError, match="only for a site"): categorise(["16"], b, "AMC")


@every("organism,row", [("Pseudomonas aeruginosa", "P.aeruginosa"), ("铜绿假单胞菌", "P. aeruginosa"),
                        ("B_STPHY_EPDR", "B_STPHY"), ("Staphylococcus hominis", "STA"),
                        ("Acinetobacter lwoffii", "AC-"),
                        ("Citrobacter braakii", "B_[ORD]_ENTRBCTR"), ("E.coli", "Enterobacterales")])
def test_each_source_names_organisms_in_its_own_way(organism, row):
    b = Breakpoints(pd.DataFrame([dict(drug="CIP", S=1, R=1, organism=row)]))
    assert categorise(["0.5"], b, "环丙沙星", organism).category.tolist() == ["S"]


def test_german_spreadsheets_and_whonets_eucast_rows(tmp_path):
    (tmp_path/"de.csv").write_text("Antibiotikum;Erreger;S ≤;R >\nCefotaxim;E. coli;0,25;0,5\n", encoding="utf-8")
    assert categorise(["0.5"], read_breakpoints(tmp_path/"de.csv"), "CTX", "eco").category.tolist() == ["I"]
    t = pd.DataFrame([dict(GUIDELINES="EUCAST", YEAR=2014, ORGANISM_CODE="cpa", WHONET_ABX_CODE="ANI", R="8",
                           S="0.002")])
    assert categorise(["<=0.015", "8"], read_breakpoints(t), "ANI", "cpa").category.tolist() == ["I", "R"]


ROUTES = pd.DataFrame(dict(guideline="EUCAST 2025", type="human", method="MIC",
                           site=["Intravenous", "Oral", "Oral, UTI"], mo="B_ESCHR_COLI", ab="CXM",
                           breakpoint_S=[8, 4, 32], breakpoint_R=[8, 4, 32], uti=False, is_SDD=False))


@pytest.mark.later
@pytest.mark.parametrize("layout", ["amr", "whonet", "eucast"])
def test_the_route_chooses_where_rows_differ(here, layout):
    (here/"bp"/"clinical_breakpoints.txt").unlink()
    if layout == "amr": ROUTES.to_csv("bp/a.txt", sep="\t", index=False)
    if layout == "whonet":   # it writes R as from here on
        pd.DataFrame(dict(GUIDELINES="EUCAST", YEAR=2025, TEST_METHOD="MIC", BREAKPOINT_TYPE="Human",
                          ORGANISM_CODE="eco", SITE_OF_INFECTION=["Parenteral", "Oral"],
                          WHONET_ABX_CODE="CXM", S=[8, 4], R=[16, 8])).to_csv("bp/b.txt", sep="\t", index=False)
    if layout == "eucast":
        rows = [[None, "S ≤", "R >"], ["Cefuroxime iv, E. coli", 8, 8], ["Cefuroxime oral, E. coli", 4, 4]]
        with pd.ExcelWriter("bp/v_15.0_Breakpoint_Tables.xlsx") as w:
            pd.DataFrame(rows).to_excel(w, sheet_name="Enterobacterales", header=False, index=False)
    PAIRS.assign(drug="cefuroxime", old="8", new="16").to_csv("pairs.csv", index=False)
    r = mics("--breakpoints", "eucast-15.0")
    assert r.exit_code == 2 and "route: iv, oral" in r.stderr and "name the route, as in eucast-15.0::iv" in r.stderr
    for route, category in dict(iv="S", oral="R").items():
        assert mics("--breakpoints", f"eucast-15.0::{route}").exit_code == 0
        assert set(pd.read_csv("out/pairs.csv").reference_category) == {category}
        log = pd.read_csv("out/interpretation.csv")
        assert (log.route[0], log.k_S[0], log.pairs[0]) == (route, 3 if route == "iv" else 2, 4)


@pytest.mark.later
def test_a_bad_row_of_a_file_called_by_name_is_said(here):
    pd.concat([AMR, AMR.iloc[:1].assign(ab="GEN", breakpoint_S=16,
                                        breakpoint_R=2)]).to_csv("bp/clinical_breakpoints.txt", sep="\t", index=False)
    r = mics("--breakpoints", "eucast-15.0")
    assert r.exit_code == 2
    assert "clinical_breakpoints.txt: breakpoints: row 4 (GEN" in r.stderr and "--skip-bad" in r.stderr
    assert mics("--breakpoints", "eucast-15.0", "--skip-bad").exit_code == 0


def test_codes_and_synonyms_are_one_drug_but_routes_are_two(here):
    from mic_eval.mic.findings import mic_findings
    t = pd.DataFrame(dict(isolate=list("abcde"), drug=["AMC", "AMC", "amoxicillin/clavulanate", "cefuroxime iv",
                                                       "cefuroxime oral"], old="1", new="1"))
    c = mic_findings(t, "old", "new", panel=dict(augmentin=(.5, 8)))
    assert list(c.result.by.drug) == ["AMC", "cefuroxime iv", "cefuroxime oral"]
    assert c.result.about.panel["AMC"] == "0.5 to 8 mg/L"
    # two of them on one isolate are two tests
    assert len(mic_findings(t.assign(isolate=list("aaabb")), "old", "new").result.by.drug) == 4


@pytest.mark.parametrize("cell, row, none", [
    ("Cefuroxime iv, E. coli, Klebsiella spp. (except K. aerogenes) and P. mirabilis", ["E. coli", "K. pneumoniae",
                                                                                       "P. mirabilis"], "K. aerogenes"),
    ("Cefuroxime (except K. aerogenes)", ["E. coli", "K. oxytoca"], "Klebsiella aerogenes"),
    ("Cefuroxime, Klebsiella spp. except K. aerogenes, E. coli", ["E. coli", "Klebsiella oxytoca"], "K. aerogenes")])
def test_an_excepted_organism_has_no_breakpoint_neither_by_name_nor_by_its_genus(tmp_path, cell, row, none):
    "K. aerogenes, which EUCAST excepts from a row of Klebsiella, was given that row's categories"
    from openpyxl import Workbook
    book = Workbook()
    book.active.title = "Enterobacterales"
    for line in (["Cephalosporins", "MIC breakpoints (mg/L)"], ["", "S ≤", "R >"], [cell, .001, 8]):
        book.active.append(line)
    book.save(tmp_path/"v_15.0_Breakpoint_Tables.xlsx")
    bp = from_eucast(tmp_path/"v_15.0_Breakpoint_Tables.xlsx")
    bp.table.to_csv(tmp_path/"kept.csv", index=False)   # as an import keeps it
    for table in (bp, read_breakpoints(tmp_path/"kept.csv"), at_site(bp)):
        assert categorise(["16"]*4, table, "Cefuroxime", [*(row*2)[:3], none], missing="ignore").category.tolist() == \
            ["R"]*3 + [""]
