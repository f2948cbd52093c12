"""Headings of breakpoint tables as laboratories write them: each is read with its unit, or asked about"""
import warnings

import pandas as pd
import pytest
from typer.testing import CliRunner

from mic_eval.cli.app import app
from mic_eval.mic.breakpoints import read_breakpoints

PLAIN = [   # headings of drug, S and R, and how many of their unit are 1 mg/L
    ("drug", "S≤ µg/L", "R> µg/L", 1000), ("drug", "S≤ ng/mL", "R> ng/mL", 1000),
    ("药物", "敏感 (微克/升)", "耐药 (微克/升)", 1000),
    ("antibiotique", "sensible (µg/L)", "résistant (µg/L)", 1000), ("drug", "S_ng_per_mL", "R_ng_per_mL", 1000),
    ("Antibiotic", "Susceptible", "Resistant", 1), ("Antibiotic", "Susceptible (mg/L)", "Resistant (mg/L)", 1),
    ("Antimicrobial Agent", "S (≤) mg/L", "R (>) mg/L", 1), ("drug", "S in mg/L", "R in mg/L", 1),
    ("drug", "MIC breakpoint S ≤ (mg/L)", "MIC breakpoint R > (mg/L)", 1), ("drug", "S <=", "R >", 1),
    ("drug", "S<= mg/L", "R> mg/L", 1), ("Antibiotikum", "sensibel (mg/l)", "resistent (mg/l)", 1),
    ("Wirkstoff", "S ≤ (mg/l)", "R > (mg/l)", 1), ("Antibiotikum", "Grenzwert S (mg/L)", "Grenzwert R (mg/L)", 1),
    ("antibiótico", "sensible (mg/L)", "resistente (mg/L)", 1), ("antibiótico", "S ≤ µg/mL", "R > µg/mL", 1),
    ("antibiótico", "Sensible (≤)", "Resistente (>)", 1), ("抗菌药物", "敏感(S) mg/L", "耐药(R) mg/L", 1),
    ("抗菌药物", "敏感", "耐药", 1), ("抗菌药物名称", "敏感(μg/mL)", "耐药(μg/mL)", 1), ("抗生素", "S(μg/ml)", "R(μg/ml)", 1),
    ("药物", "敏感折点(mg/L)", "耐药折点(mg/L)", 1), ("drug", "breakpoint_S", "breakpoint_R", 1),
    ("drug", "S_breakpoint_mg_per_L", "R_breakpoint_mg_per_L", 1), ("drug", "susceptible_ug_ml", "resistant_ug_ml", 1),
    ("drug", "S_mgL", "R_mgL", 1), ("drug", "MIC S", "MIC R", 1), ("drug", "S MIC (mg/L)", "R MIC (mg/L)", 1),
    ("drug", "CMI S (mg/L)", "CMI R (mg/L)", 1), ("molécule", "Sensible S ≤ (mg/L)", "Résistant R > (mg/L)", 1),
    ("drug", "≤S", "R>", 1), ("drug", "S≦", "R＞", 1), ("drug", "S ≤ g/L", "R > g/L", .001), ("ab", "S", "R", 1),
    ("drug", "S ≤ mg/dL", "R > mg/dL", .1), ("drug", "MHK S", "MHK R", 1), ("drug", "seuil S", "seuil R", 1),
    ("Wirkstoff", "Empfindlich (≤ mg/L)", "Resistent (> mg/L)", 1), ("Medikament", "S, mg/L", "R, mg/L", 1),
    ("drug", "punto de corte S (mg/L)", "punto de corte R (mg/L)", 1), ("drug", "S μg·mL⁻¹", "R μg·mL⁻¹", 1),
    ("Antibiotic name", "S (mcg/mL)", "R (mcg/mL)", 1), ("drug", "mg/L S", "mg/L R", 1)]
OTHERS = ("{} mm", "{} (mm)", "Zone {} (mm)", "抑菌圈 {} (mm)", "{} log2", "{} (µM)", "{} IU/mL", "{} nmol", "{} (IU)")


def points(tmp_path, **columns):
    "A file of breakpoints, read"
    file = tmp_path/"points.csv"
    pd.DataFrame(dict(drug=["Ciprofloxacin", "Meropenem"]) | columns).to_csv(file, index=False)
    return read_breakpoints(file).table


@pytest.mark.later
@pytest.mark.parametrize("drug, s, r, per", PLAIN)
def test_headings_say_side_and_unit(tmp_path, drug, s, r, per):
    file = tmp_path/"points.csv"
    pd.DataFrame({drug: ["Meropenem", "MEM"], s: [2*per, 4*per], r: [8*per, 16*per]}).to_csv(file, index=False)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = read_breakpoints(file).table
    assert found.S.tolist() == [2, 4] and found.R.tolist() == [8, 16] and found.drug[0] == "Meropenem"
    told = [str(o.message) for o in said]
    assert len([o for o in told if o.endswith("read as mg/L")]) == (0 if per == 1 else 2), told


@pytest.mark.parametrize("heading", OTHERS)
def test_other_quantities_are_no_breakpoints(tmp_path, heading):
    s, r = heading.format("S"), heading.format("R")
    with pytest.raises(ValueError, match=r"'.*S.*' is in .*convert the numbers, or add columns S and R"):
        points(tmp_path, **{s: [20, 21], r: [15, 16]})
    both = points(tmp_path, **{"MIC S": [2, 4], "MIC R": [8, 16], s: [20, 21], r: [15, 16]})
    assert both.S.tolist() == [2, 4] and both.R.tolist() == [8, 16]


@pytest.mark.parametrize("cells", [["0,5", "4"], ["0.5 mg/L", "4 mg/L"], ["≤0.5 mg/L", "≤ 4 mg/L"],
                                   ["０.5", "４"],
                                   ["0.5/9.5", "4"], ["<=0.5", "≦4"]])
def test_cells_of_breakpoints(tmp_path, cells):
    above = ["> 8", "> 16"] if {*"≤≦"} & {*"".join(cells)} else ["8", "16"]
    assert points(tmp_path, S=cells, R=above).S.tolist() == [.5, 4]


@pytest.mark.parametrize("columns, says", [
    (dict(S=["1,024", 2], R=[2048, 8]), "row 2 .*'1,024', not a concentration.*write one"),
    (dict(S=["≤1,024", "≤2"], R=[">2048", ">8"]), "row 2 .*'≤1,024', no concentration: write one"),
    (dict(S=["(8)", 2], R=[8, 8]), r"row 2 .*'\(8\)', not a concentration"),
    (dict(S=[22, 25], R=[14, 15], unit="mm"), "mm .column. is a length"),
    (dict(S=[19, 22], R=[22, 29], method="DISK"), "'method' says disk diffusion in every row"),
    ({"S EUCAST": [2, 4], "S CLSI": [1, 2], "R": [8, 16]}, "is 'S EUCAST' the S[?] Call the column"),
    ({"S 2023": [2, 4], "S 2024": [1, 2], "R": [8, 16]}, "is 'S 2023' the S[?] Call the column"),
    ({"MIC S": [2, 4], "S (mg/L)": [1, 2], "R": [8, 16]}, "'MIC S' and 'S .mg/L.' compete for 'S': call one of them S"),
    ({"S (µg/L)": [2000, 4000], "R": [8, 16]}, "'R' has no unit, and 'S .µg/L.' is in µg/L: say it in the heading"),
    ({"S (µg/L)": [2, 4], "R (µg/L)": [8, 16], "unit": "mg/L"}, "the column says mg/L, the heading µg/L: correct"),
    (dict(S=["500 ng/mL", "4"], R=[8, 16]), "'R' has no unit, and 'S' is in ng/mL: say it in the heading"),
    (dict(low=[2, 4], high=[8, 16]), "columns drug and S or R are needed.*call them so")])
def test_what_leaves_a_choice_is_asked(tmp_path, columns, says):
    with pytest.raises(ValueError, match=says): points(tmp_path, **columns)


def test_units_beside_and_above_the_table(tmp_path):
    assert points(tmp_path, S=[2000, 4000], R=[8000, 16000], unit="ng/mL").S.tolist() == [2, 4]
    file = tmp_path/"titled.csv"
    file.write_text("Breakpoints in ng/mL\n\ndrug,S,R\nCiprofloxacin,2000,8000\n")
    assert read_breakpoints(file).table.S.tolist() == [2]


def test_rows_of_disk_diffusion_are_left_out_and_said(tmp_path):
    "Rows behind them keep their numbers"
    with pytest.warns(UserWarning, match="1 rows? of disk diffusion .column 'method'. (is|are) left out"):
        found = points(tmp_path, method=["Kirby-Bauer", "MIC"], S=[22, 2], R=[19, 8])
    assert found.drug.tolist() == ["Meropenem"] and found.S.tolist() == [2]
    with pytest.warns(UserWarning), pytest.raises(ValueError, match="row 3 .Meropenem. says 'x'"):
        points(tmp_path, method=["DISK", "MIC"], S=[22, "x"], R=[19, 8])


def test_import_says_what_it_converted(tmp_path, monkeypatch):
    monkeypatch.setenv("MIC_EVAL_BREAKPOINTS", str(tmp_path/"kept"))
    pd.DataFrame({"药物": ["CIP"], "敏感 (微克/升)": [250], "耐药 (微克/升)": [500]}).to_csv(tmp_path/"a.csv", index=False)
    said = CliRunner().invoke(app, ["mic", "breakpoints", "import", str(tmp_path/"a.csv"), "--name", "eucast-15.0"])
    assert said.exit_code == 0 and "'敏感 (微克/升)' is in µg/L: read as mg/L" in said.stderr, said.stderr
    assert pd.read_csv(tmp_path/"kept"/"eucast-15.0.csv")[["S", "R"]].values.tolist() == [[.25, .5]]
    pd.DataFrame({"drug": ["CIP"], "S mm": [25], "R mm": [20]}).to_csv(tmp_path/"b.csv", index=False)
    said = CliRunner().invoke(app, ["mic", "breakpoints", "import", str(tmp_path/"b.csv"), "--name", "eucast-15.0"])
    assert said.exit_code == 2 and "'S mm' is in mm, which is a length" in said.stderr
