"""Every unit of mass in a volume in every spelling, with pint as the oracle; every other quantity is asked about"""
import math
import re
import unicodedata

import numpy as np
import pandas as pd
import pint
import pytest
from hypothesis import given, settings, strategies as st

from mic_eval.core.checks import Asked
from mic_eval.core.concentrations import heading_unit, read_concentration, read_unit
from mic_eval.mic.dilutions import parse_mic
from mic_eval.mic.pair_tables import understood_pairs

UREG = pint.UnitRegistry()
MASSES = dict(   # pint's name -> spellings
    kilogram=("kg", "KG", "Kilogramm", "kilogrammes", "kilogramos"),
    gram=("g", "gram", "grams", "Gramm", "grammes", "gramos", "克"),
    milligram=("mg", "MG", "milligram", "milligrams", "Milligramm", "milligrammes", "miligramos", "毫克", "㎎"),
    microgram=("µg", "μg", "ug", "mcg", "microg", "micrograms", "Mikrogramm", "microgrammes", "microgramos", "微克", "γ",
               "㎍"),
    nanogram=("ng", "NG", "nanogram", "nanograms", "Nanogramm", "nanogrammes", "nanogramos", "纳克"),
    picogram=("pg", "picograms", "Pikogramm", "皮克"))
VOLUMES = dict(
    liter=("L", "l", "liter", "litre", "litres", "Liter", "litro", "litros", "dm3", "dm³", "升"),
    deciliter=("dL", "dl", "deciliter", "Deziliter", "décilitre", "decilitro", "分升", "100 mL"),
    centiliter=("cL", "cl", "Zentiliter"),
    milliliter=("mL", "ml", "ML", "milliliter", "Milliliter", "millilitre", "mililitro", "cm3", "cm³", "cc", "毫升"),
    microliter=("µL", "μl", "ul", "microliter", "Mikroliter", "微升"))
BETWEEN = "{}/{}", "{} / {}", "{}／{}", "{} per {}", "{} pro {}", "{} par {}", "{} por {}", "{}每{}", "{}∕{}"
POWERS = "{} {}-1", "{}·{}⁻¹", "{}.{}-1", "{} {}^-1", "{} {}−1", "{}*{}-1"


@st.composite
def units(draw):
    "`(text, mg/L that one of it is)`"
    mass, volume = draw(st.sampled_from(list(MASSES))), draw(st.sampled_from(list(VOLUMES)))
    spelled, spelled_volume = draw(st.sampled_from(MASSES[mass])), draw(st.sampled_from(VOLUMES[volume]))
    short = len(spelled_volume) == 2 and spelled_volume.isalpha() and spelled_volume.isascii()
    text = draw(st.sampled_from(BETWEEN+POWERS if short else BETWEEN)).format(spelled, spelled_volume)
    return text, (1*UREG(mass)/UREG(volume)).to("mg/L").magnitude


@settings(max_examples=300, deadline=None)
@given(units())
def test_a_unit_is_what_pint_says(unit):
    text, factor = unit
    found = read_unit(text)
    assert found is not None and found.is_concentration, text
    assert math.isclose(found.in_mg_per_l(1.), factor, rel_tol=1e-12), (text, found)


HEADINGS = ("MIC ({})", "CMI [{}]", "MHK, {}", "MIC（{}）", "{} MIC", "MIC in {}", "MIC (in {})", "MIC {} Vitek",
            "MIC (unit: {})", "Test（单位：{}）")


@pytest.mark.later
@settings(max_examples=200, deadline=None)
@given(units(), st.sampled_from(HEADINGS), st.integers(-10, 10), st.sampled_from(["", "<=", "≤", ">", "＞"]))
def test_headings_and_cells_say_it_alike(unit, heading, power, sign):
    text, factor = unit
    said = heading_unit(heading.format(text))
    assert said is not None and math.isclose(said.in_mg_per_l(1.), factor, rel_tol=1e-12), (heading, text, said)
    value = 2.**power/factor
    cell = f"{sign}{value:.12g} {text}"
    found = read_concentration(cell)
    assert math.isclose(found.value, 2.**power, rel_tol=1e-9) and found.origin == "cell", cell
    assert math.isclose(parse_mic([cell]).value[0], 2.**power, rel_tol=1e-9), cell


OTHERS = {   # what is no mass in a volume
    "a molar concentration": ("µM", "uM", "μmol/L", "mmol/L", "nM", "mM", "M", "微摩尔/升", "毫摩尔/升"),
    "activity, not mass": ("IU/mL", "IU/ml", "U/mL", "UI/ml", "IE/ml", "MIU/L", "units/mL", "国际单位/毫升"),
    "a length": ("mm", "cm", "毫米"),
    "a share": ("%", "% w/v", "ppm"),
    "a logarithm": ("log2", "ln", "lg", "log10 µg/mL", "log₂", "ln mg/L"),
    "a count of cells": ("CFU/mL", "cfu/ml", "KBE/ml", "UFC/ml"),
    "mass in a mass": ("mg/kg", "µg/g"),
    "a mass, without its volume": ("mg", "ng"),
    "a time": ("h", "min", "小时"),
    "a temperature": ("°C",),
    "an optical density": ("OD600", "OD"),
    "a step of a dilution": ("dilution", "titer", "well", "稀释度"),
    "a unit that is not known here": ("furlong/L", "мкг/мл", "mol/m3", "cells L-1")}


@pytest.mark.parametrize("quantity", OTHERS)
def test_other_quantities_are_asked(quantity):
    for text in OTHERS[quantity]:
        assert read_unit(text).quantity == quantity, text
        for heading in (f"Test ({text})", f"MIC [{text}]"):
            with pytest.raises(ValueError, match="needed are MICs as mass in a volume"): pairs_of(heading, 8)
        with pytest.raises(ValueError, match="leave|convert"): pairs_of("Test", f"8 {text}")


ISOLATES_8 = [f"i{i}" for i in range(8)]


def pairs_of(test, cell, **more):
    "A table of pairs whose test column has this heading and such cells, understood"
    table = pd.DataFrame({"isolate": ISOLATES_8, "drug": "MEM", "ref (mg/L)": "8", test: str(cell)} | more)
    sheet = understood_pairs(table, "ref (mg/L)", test)
    return parse_mic(sheet.frame[sheet.test]).value


@pytest.mark.parametrize("heading", [
    "ln MIC", "lnMIC", "log MIC", "log2(MIC)", "MIC_log2", "logMIC", "lg MIC", "logMHK", "ldMIC", "对数MIC", "MIC ln",
    "Log MIC (mg/L)", "Zone (mm)", "zone diameter", "IZD", "抑菌环", "抑菌圈直径(mm)", "Hemmhof (mm)",
    "Hemmhofdurchmesser", "diamètre d'inhibition", "halo (mm)", "Diámetro", "disk diffusion", "纸片法", "mm",
    "MIC (x1000 mg/L)", "MIC (x0.001 mg/L)", "MIC (mg/L x1000)", "MIC mg/L *1000", "MIC *10^3 mg/L", "MIC mg",
    "MIC nmol", "MIC ppm", "MIC (IU)", "MIC (U)", "MIC (thousandths mg/L)", "MIC (10-3 mg/L)", "MIC (mg/L), ng/mL"])
def test_headings_of_other_quantities_are_asked(heading):
    with pytest.raises(ValueError, match="needed are MICs as mass in a volume"): pairs_of(heading, 8)


@pytest.mark.parametrize("heading", ["MIC (24 h)", "MIC (S/R)", "Vitek 2", "MIC", "CMI", "MHK (BMD)", "MIC 37 °C, 18 h",
                                     "Test [lab 3]", "disk elution", "MIC (37C)", "最低抑菌浓度", "MIC-Wert", "Etest"])
def test_headings_without_a_unit_are_left_alone(heading):
    assert heading_unit(heading) is None and (pairs_of(heading, 8) == 8).all()


UNIT_COLUMNS = ("Unit", "units", "MIC unit", "MIC_unit", "Einheit", "MHK-Einheit", "unité", "Unité CMI", "unidad",
                "unidades", "Unidad CMI", "单位", "MIC单位", "Maßeinheit", "uom", "Unit of measure", "Result unit",
                "Konzentrationseinheit", "浓度单位", "计量单位", "unité de mesure", "unidad de medida")


@pytest.mark.parametrize("heading", UNIT_COLUMNS)
def test_a_column_of_units_is_found_in_five_languages(heading):
    table = pd.DataFrame({"isolate": [f"i{i}" for i in range(8)], "drug": "MEM", "ref": "8000", "new": "4000"})
    sheet = understood_pairs(table.assign(**{heading: "ng/mL"}), "ref", "new")
    assert (parse_mic(sheet.frame["ref"]).value == 8).all() and (parse_mic(sheet.frame["new"]).value == 4).all()


def test_a_column_of_units_of_something_else_is_asked():
    table = pd.DataFrame({"isolate": ISOLATES_8, "drug": "MEM", "ref": "8", "new": "8", "dose": "ng/mL"})
    with pytest.raises(ValueError, match="column 'dose' holds units .ng/mL.: are they those of 'ref'"):
        understood_pairs(table, "ref", "new")
    assert (parse_mic(understood_pairs(table, "ref", "new", unit="mg/L").frame["new"]).value == 8).all()
    ward = table.assign(dose="x", unit="ICU")   # a hospital's unit
    assert "unit" in understood_pairs(ward, "ref", "new").bound.left


NONE = math.nan   # no result
CELLS = {   # a cell -> its MIC in mg/L; None: it is refused, with a remedy
    "0,5": .5, "<= 0.25": .25, "≤0.25": .25, "⩽0.25": .25, "＜＝0.25": .25, "=<0.25": .25, "&lt;=0.25": .25, "'4": 4,
    '="4"': 4, '"4"': 4, " 4 ": 4, "\u00a04\u00a0": 4, "４": 4, "8/4": 8, "0.5/9.5": .5, "0,125/2,375": .125,
    "2.5e-01": .25, "6.25e-05 g/L": .0625, "8/4 mg/L": 8, "4*": None, "4²": None, "O.5": None, "½": None, "1:8": None,
    "~4": None, "4±1": None, "1'024": None, "1 024": None, "1;2": None, "R": None, "#REF!": None, "2024-01-02": None,
    "02-Jan": None, "01. Feb": None, "0": None, "-1": None, "inf": None, "4%": None, "12 mm": None, "4 µM": None,
    "16<=": None, "8-16": None, "1,024": None, "0.5.": None, "32 mg/L (S)": None, "32*": None, "2^-1": None,
    "32 S": None, ".25/4.75": .25, ">32/608": 32, "<0.03 ": .03, "n/a": NONE, "ND": NONE, "—": NONE, "≥16 R": None,
    "<=0.25 (S)": None, "S 0.25": None, "R (>32)": None, "=4": 4, ">=4": 4, "≧4": 4, "≦0.25": .25, "０．５": .5,
    "4†": None, "4 #": None, "4(1)": None, "4 [a]": None, "4a": None, "4ᵃ": None, "(4)": None, "[4]": None, "≈4": None,
    "ca. 4": None, "4 mg/L*": None, "<0.06 µg/mL": .06, ">64 mg/L (R)": None, "0.5 - 1": None, "0.5 to 1": None,
    "≤0.5/9.5": .5, "8:4": None, "4;": None, "4.": 4, ".5": .5, "1.0E+01": 10, "1.000,5": None, "‹0.5": None,
    "&#62;32": 32, '=">32"': 32, ">> 32": None, "2**3": None, "log2 3": None, "∞": None, "no growth": None,
    "n.d.": NONE, "未检测": NONE, "nicht getestet": NONE, "non testé": NONE, "no probado": NONE, "k.A.": NONE, "?": None,
    "POS": None, "0.5 mg": None, "4 mg.L-1": 4, "4 (repeat)": None, "4 WT": None, "4e": None, "0x10": None,
    "1_000": None, "0. 5": None, "+4": None, "32+": None, "128 or more": None, ">=128 mg/l": 128, "0.5, 1": None,
    "0.5 0.5": None}


@pytest.mark.parametrize("cell", CELLS)
def test_cells_as_laboratories_write_them(cell):
    want = CELLS[cell]
    column = [cell, *["4"]*5, *["16"]*5]
    if want is not None:
        np.testing.assert_equal(parse_mic(column).value[0], want)
        return
    with pytest.raises(ValueError, match="or leave their cells empty") as e: parse_mic(column)
    assert unicodedata.normalize("NFC", cell) in str(e.value) and "row 0" in str(e.value)


def test_a_part_of_the_rows_in_another_unit_is_asked():
    rng = np.random.default_rng(0)
    mg = 2.**rng.integers(-4, 6, 60)
    odd = rng.random(60) < .3
    table = pd.DataFrame(dict(isolate=[f"i{i}" for i in range(60)], drug="MEM", ref=mg.astype(str),
                              test=np.where(odd, 1000*mg, mg).astype(str)))
    with pytest.raises(ValueError, match=f"{odd.sum()} of 60 pairs of 'ref' and 'test' are about 1,000 times apart"):
        understood_pairs(table, "ref", "test")
    assert len(understood_pairs(table, "ref", "test", unit="mg/L").frame) == 60
    million = table.assign(test=(1e6*mg).astype(str))
    with pytest.raises(ValueError, match="60 of 60 pairs are about 1,000,000 times apart"):
        understood_pairs(million, "ref", "test")
    sheet = understood_pairs(million, "ref", "test", unit="reference=mg/L,test=pg/mL")
    assert np.allclose(parse_mic(sheet.frame["test"]).value, mg)
    many = pd.concat([table]*50, ignore_index=True).assign(isolate=[f"i{i}" for i in range(3000)])
    so_many = f"{50*odd.sum()} of 3000 pairs of 'ref' and 'test' are about 1,000 times apart"
    with pytest.raises(ValueError, match=so_many): understood_pairs(many, "ref", "test")
    some = many.assign(ref=many.ref.where(np.arange(3000) % 60 > 0))
    n = 50*int(odd[1:].sum())
    with pytest.raises(ValueError, match=f"{n} of 2950 pairs"): understood_pairs(some, "ref", "test")
    plain = many.assign(test=many.ref)
    assert len(understood_pairs(plain, "ref", "test").frame) == 3000
    for k in (2, 3):   # of so many, three
        one = plain.assign(test=np.where(np.arange(3000) < k, (1000*many.ref.astype(float)).astype(str), plain.test))
        assert len(understood_pairs(one, "ref", "test").frame) == 3000


ISOLATES = ("Isolate", "isolate no.", "Isolat-Nr.", "Isolatnummer", "Stamm", "Stammnummer", "Probennummer", "N° souche",
            "Numéro de souche", "numéro d'isolat", "Nº cepa", "Número de cepa", "Aislamiento", "número de aislamiento",
            "菌株", "菌株编号", "菌号", "分离株", "样本编号", "标本号", "Strain ID", "Lab no", "Accession no.", "ID")
DRUGS = ("Drug", "antimicrobial agent", "Antibiotikum", "Wirkstoff", "Antiinfektivum", "Antibiotique", "molécule",
         "agent antimicrobien", "ATB", "Antibiótico", "antimicrobiano", "fármaco", "药物", "抗生素", "抗菌药物名称", "药品", "抗菌素",
         "Medikament", "Médicament", "drug name", "column 7")   # the last one by its values


def test_isolates_and_drugs_are_found_in_five_languages():
    lost = []
    for isolate, drug in [(o, "drug") for o in ISOLATES] + [("isolate", o) for o in DRUGS]:
        table = pd.DataFrame({isolate: [f"K{i//2}" for i in range(20)], drug: ["MEM", "CIP"]*10, "a": "8", "b": "8"})
        roles = understood_pairs(table, "a", "b").roles
        if roles.get("isolate") != isolate or roles.get("drug") != drug: lost.append((isolate, drug, roles))
    assert not lost


def test_numbers_on_no_scale_of_dilutions_are_asked():
    rng = np.random.default_rng(0)
    zones = pd.DataFrame(dict(isolate=range(60), ref=rng.integers(6, 35, 60), test=rng.integers(6, 35, 60)))
    with pytest.raises(Asked, match="'ref' .* are on no scale of dilutions: zone diameters") as e:
        understood_pairs(zones, "ref", "test")
    assert [option for _, option in e.value.question.choices] == ["--unit mg/L"]
    assert len(understood_pairs(zones, "ref", "test", unit="mg/L").frame) == 60
    half = pd.DataFrame(dict(isolate=range(60), ref=2.**rng.integers(-3, 6, 60)))   # a gradient strip has half steps
    assert understood_pairs(half.assign(test=half.ref*.75), "ref", "test").notes


def test_a_column_that_is_a_copy_is_said():
    mics = pd.DataFrame(dict(isolate=range(40), ref=[2**(i % 8) for i in range(40)]))
    def copied(t): return any("cell by cell" in n for n in understood_pairs(t, "ref", "test").notes)
    assert copied(mics.assign(test=mics.ref))
    assert not copied(mics.assign(test=[4, *mics.ref[1:]])) and not copied(mics.assign(test=mics.ref).head(20))


@pytest.mark.later
@pytest.mark.parametrize("cell, says", [
    ("32*", "is that a footnote"), ("4 mg/L*", "is that a footnote"), ("4(1)", "is that a footnote"),
    ("2^-1", "a power is written out"), ("32 mg/L (S)", "put the category S, I or R into a column of its own"),
    ("S 0.25", "put the category S, I or R into a column of its own"), ("4 mm", "mm .cell. is a length")])
def test_one_line_names_row_and_column(cell, says, tmp_path):
    from typer.testing import CliRunner
    from mic_eval.cli.app import app
    mics = ["0.5", "4", "16", "2", "1"]*3
    table = pd.DataFrame(dict(isolate=range(15), ref=mics, new=[mics[0], cell, *mics[2:]]))
    table.to_csv(tmp_path/"q.csv", index=False)
    asked = ["mic", "pairs", f"{tmp_path}/q.csv", "--reference", "ref", "--test", "new", "--report", "none"]
    said = CliRunner().invoke(app, [*asked, "--out", str(tmp_path/"out")]).stderr
    assert re.search(says, said) and "column 'new'" in said and "row 3" in said and repr(cell) in said, said
    told = CliRunner().invoke(app, ["check", f"{tmp_path}/q.csv"]).stdout   # which says it before
    assert re.search(says, told) and "column 'new'" in told and "row 3" in told and "--reference ref" in told, told
