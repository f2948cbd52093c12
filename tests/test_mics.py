"`mic-eval mic pairs`: names, numbers, exit codes, one-line errors, no torch."
import re
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from mic_eval.mic.comparison import compare_mics
from mic_eval.cli.app import app
from mic_eval.mic.command import mic_findings, mics_run, pairs_csv, read_pairs
from every import every

NAMES = "exact essential_agreement evaluable categorical_agreement very_major major minor above below bias".split()
STUDY = pd.DataFrame(dict(isolate=list("abcdefgh"), drug=["AMI"]*4 + ["CIP"]*4, organism=["E", "K"]*4,
                          bmd=["1", "8", "<=0.5", "4", "0.25", "2", ">8", "1"],
                          new=["2", "1", "<=0.5", "", "0.25", "8", ">4", "0.5"]))
POINTS = pd.DataFrame(dict(drug=["AMI", "CIP"], S=[1, 1], R=[2, 4], guideline="X", year=2024))


def mics(*args): return CliRunner().invoke(app, ["mics", *map(str, args)])


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    STUDY.to_csv("pairs.csv", index=False)
    POINTS.to_csv("points.csv", index=False)
    return tmp_path


RUN = "pairs.csv", "--reference", "bmd", "--test", "new", "--report", "none", "--out", "out"


def error(*args):
    r = mics(*args)
    assert r.exit_code == 2 and r.stdout == "", (r.exit_code, r.output, r.exception)
    lines = r.stderr.splitlines()
    assert lines[0].startswith("error: ") and all(o.startswith("  --") for o in lines[1:]), r.stderr   # ways to answer
    return lines[0]


def test_results_by_hand(here):
    assert mics(*RUN, "--by", "drug,organism", "--breakpoints", "points.csv").exit_code == 0
    d = json.loads((here/"out"/"results.json").read_text())
    o = d["overall"]
    assert o["n"] == 7 and o["n_reference"] == 8
    got = {k: (o[k]["numerator"], o[k]["denominator"]) for k in NAMES}
    # AMI: S<=1 R>2; CIP: S<=1 R>4. b is 8 -> 1 (very major); f is 2 (I) -> 8 (R), minor; a is 1 (S) -> 2 (I), minor;
    # `>8`, `>4` are open but both R
    assert got == dict(exact=(2, 7), essential_agreement=(5, 7), evaluable=(3, 5), categorical_agreement=(4, 7),
                       very_major=(1, 2), major=(0, 4), minor=(2, 7),
                       above=(2, 7), below=(2, 7), bias=(0, 7))
    for k in NAMES:
        assert {"value", "lo", "hi", "numerator", "denominator"} <= set(o[k])
        assert o[k]["value"] == o[k]["numerator"]/o[k]["denominator"]
    assert d["by"]["drug"]["AMI"]["essential_agreement"]["value"] == 2/3 and set(d["by"]["organism"]) == {"E", "K"}
    assert all(set(NAMES) <= set(g) for b in d["by"].values() for g in b.values())


def test_breakdowns_may_stand_behind_two_flags_and_tables_lie_beside(here):
    assert mics(*RUN, "--by", "drug+organism", "--by", "drug,organism", "--breakpoints", "points.csv").exit_code == 0
    assert list(json.loads((here/"out"/"results.json").read_text())["by"]) == ["drug+organism", "drug", "organism"]
    assert len(pd.read_csv(here/"out"/"distributions.csv")) == len(pd.read_csv(here/"out"/"antibiogram.csv")) == 4


def test_pairs_in_words(here):
    mics(*RUN, "--breakpoints", "points.csv")
    t = pd.read_csv(here/"out"/"pairs.csv", keep_default_na=False)
    assert t.agreement.tolist() == ["within one dilution", "differs", "exact", "no result", "exact", "differs",
                                    "open: censored", "within one dilution"]
    assert t.error.tolist() == ["minor", "very major", "agrees", "", "agrees", "minor", "agrees", "agrees"]
    assert t.reference.tolist() == STUDY.bmd.tolist() and len(t) == 8


@pytest.mark.later
def test_strict(here):
    assert mics(*RUN).exit_code == 0
    r = mics(*RUN, "--strict")
    assert r.exit_code == 1 and "INSUFFICIENT N, iso" in r.stderr   # 8 pairs decide nothing there, and fail elsewhere
    assert r.stderr.splitlines()[-1] == "verdict of all profiles: fail, exit code 1"
    study = pd.concat([STUDY.assign(isolate=STUDY.isolate + f"{k}") for k in range(5)])
    study.to_csv("more.csv", index=False)
    r = mics("more.csv", *RUN[1:], "--strict")
    assert r.exit_code == 1 and r.stderr.splitlines()[-1] == "verdict of all profiles: fail, exit code 1"
    copies = pd.concat([STUDY.assign(isolate=STUDY.isolate + f"{k}") for k in range(30)])   # eight isolates, not 240
    copies.assign(new=copies.bmd).to_csv("copies.csv", index=False)
    assert mics("copies.csv", *RUN[1:], "--strict").exit_code == 4
    drawn = [.25*2**k for k in np.random.default_rng(0).integers(0, 6, 240)]
    copies.assign(bmd=drawn, new=drawn).to_csv("same.csv", index=False)
    assert mics("same.csv", *RUN[1:], "--strict").exit_code == 0


@every("args, said", [
    (("nope.csv", *RUN[1:]), "no file nope.csv"),
    (("pairs.csv", "--reference", "bdm", *RUN[3:]), "no column 'bdm'; did you mean 'bmd'?"),
    ((*RUN, "--by", "drgu"), "no column 'drgu'; did you mean 'drug'?"),
    ((*RUN, "--profile", "fda-209"), "no profile 'fda-209'; did you mean 'fda-2009'?"),
    ((*RUN, "--policy", "kind"), "policy must be one of"),
    ((*RUN, "--denominator", "some"), "does nothing for MICs without breakpoints"),
    ((*RUN, "--breakpoints", "none.csv"), "no file none.csv"),
    ((*RUN, "--report", "clinicl"), "no report 'clinicl'; did you mean 'clinical'?"),
    (("pairs.csv", "--reference", "bmd"), "--test"),
    ((*RUN, "--isolate", "patient"), "isolate: no column 'patient'"),
])
def test_bad_questions(here, args, said): assert said in error(*args)


@pytest.mark.later
def test_bad_data(here):
    for change, said in [(dict(new=["2", "4-8", *STUDY.new[2:]]), "'4-8' (row 3 of the file)"),
                         (dict(isolate=list("abcdefgg"), drug="AMI"),
                          "g stands with AMI more than once, in rows 8, 9 of the file"),
                         (dict(bmd="R"), "8 of 8 MICs cannot be read")]:
        STUDY.assign(**change).to_csv("bad.csv", index=False)
        assert said in error("bad.csv", *RUN[1:])
    (here/"empty.csv").write_text("bmd,new\n")
    assert "empty.csv has no rows" in error("empty.csv", *RUN[1:])
    (here/"latin.csv").write_bytes("bmd,new,médicament\n1,2,é\n".encode("latin-1"))
    assert "1 row in Latin-1" in mics("latin.csv", *RUN[1:]).stderr   # read, and said
    (here/"binary.csv").write_bytes(b"bmd,new\n\0\0")
    assert "not a text file" in error("binary.csv", *RUN[1:])
    assert "is a folder" in error(str(here), *RUN[1:])
    POINTS.assign(S=8).to_csv("wrong.csv", index=False)
    assert "has S above R" in error(*RUN, "--breakpoints", "wrong.csv")
    pd.DataFrame(dict(drug=["AMI", "CIP"], low=[.5, .25], high=[1, 8])).to_csv("panel.csv", index=False)
    assert "test: 2 lies outside the panel of AMI (0.5 to 1 mg/L) in row 2 of the file" in error(*RUN, "--panel",
        "panel.csv")
    (here/"file").write_text("")
    assert "cannot make file/out" in error(*RUN[:-1], "file/out")


def test_coerce_counts(here):
    STUDY.assign(new=["2", "4-8", *STUDY.new[2:]]).to_csv("bad.csv", index=False)
    r = mics("bad.csv", *RUN[1:], "--coerce")
    d = json.loads((here/"out"/"results.json").read_text())
    assert r.exit_code == 0
    assert d["about"]["unreadable"] == 1
    assert d["overall"]["no_result"]["numerator"] == 2 and "1 of 8 MICs cannot be read" in r.stderr


def test_a_drug_without_breakpoints_is_said(here):
    r = mics(*RUN, "--breakpoints", "points.csv") if POINTS[:1].to_csv("points.csv", index=False) else mics(*RUN,
        "--breakpoints", "points.csv")
    d = json.loads((here/"out"/"results.json").read_text())
    assert "no breakpoint for 4 of 8 MICs: CIP" in r.stderr
    assert d["about"]["breakpoints"]["without"] == ["CIP"]
    assert d["by"]["drug"]["CIP"]["very_major"]["type"] == "not applicable"


def test_two_columns_are_enough(here):
    STUDY[["bmd", "new"]].to_csv("two.csv", index=False)
    assert mics("two.csv", *RUN[1:]).exit_code == 0
    d = json.loads((here/"out"/"results.json").read_text())
    assert d["overall"]["n"] == 7
    assert d["by"] == {} and d["overall"]["very_major"]["reason"] == {"code": "no breakpoints"}


@pytest.mark.parametrize("sep,encoding", [(",", "utf-8"), (";", "utf-8-sig"), ("\t", "utf-8")])
def test_spreadsheets(here, sep, encoding):
    STUDY.to_csv("s.csv", sep=sep, encoding=encoding, index=False)
    assert read_pairs(
        "s.csv").fillna(
            "").equals(
                STUDY.astype(
                    read_pairs(
                        "s.csv").dtypes)) or read_pairs(
                            "s.csv").fillna("").to_numpy().tolist() == STUDY.to_numpy().tolist()


def test_names_of_columns_and_crossing(here):
    STUDY.rename(columns=dict(drug="ab", isolate="lab id")).to_csv("p.csv", index=False)
    assert mics("p.csv", *RUN[1:], "--drug", "ab", "--isolate", "lab id", "--by", "ab,ab+organism").exit_code == 0
    assert set(json.loads((here/"out"/"results.json").read_text())["by"]["drug+organism"]) == set(STUDY.drug+" / "
        +STUDY.organism)
    c = mic_findings(STUDY, "bmd", "new", by=("drug+organism",))
    assert list(c.by["drug+organism"]) == ["AMI / E", "AMI / K", "CIP / E", "CIP / K"]


def test_nothing_in_the_pairs_runs_in_a_spreadsheet():
    c = compare_mics("bmd", "new", data=STUDY.assign(drug=["=1+1", "@x", "+2", "-3", "a", "b", "c", "d"]))
    cells = [cell for line in pairs_csv(c.pairs).splitlines()[1:] for cell in line.split(",")[:3]]
    assert not [cell for cell in cells if cell[:1] in ("=", "@", "+", "-") and not re.fullmatch(r"[+-]\d+", cell)]


@pytest.mark.later
def test_same_bytes(here):
    both = []
    for out in "one", "two":
        mics_run("pairs.csv", "bmd", "new", out=out, breakpoints="points.csv")
        both.append([(here/out/f).read_bytes() for f in ("results.json", "pairs.csv")])
    assert both[0] == both[1]


@pytest.mark.later
def test_no_torch(here):
    code = ("import sys\nfrom mic_eval.cli.app import app\ntry: app(['mics', *sys.argv[1:]])\nexcept SystemExit as "
            "e: assert not e.code, e.code\nassert not {'torch', 'sklearn'} & set(sys.modules)")
    r = subprocess.run([sys.executable, "-c", code, *RUN, "--breakpoints", "points.csv", "--profile", "fda-2009"],
                       capture_output=True, text=True)
    assert r.returncode == 0, r.stderr


@pytest.mark.later
def test_capitals_and_other_names(here):
    "Columns under the names people use cluster and break down as ours do; one drug in two spellings is one"
    mics(*RUN)
    plain = json.loads((here/"out"/"results.json").read_text())
    t = STUDY.assign(drug=["AMI", "ami"]*2 + ["CIP"]*4).rename(columns=dict(isolate="Strain No", drug="Antibiotic",
        organism="Species", bmd="BMD"))
    t.to_csv("p.csv", index=False)
    r = mics("p.csv", "--reference", "bmd", "--test", "NEW", "--report", "none", "--out", "other", "--by", "antibiotic")
    other = json.loads((here/"other"/"results.json").read_text())
    assert r.exit_code == 0 and list(other["by"]) == ["drug", "drug+organism"] and other["overall"] == plain["overall"]
    assert {k: v["n"] for k, v in other["by"]["drug"].items()} == {k: v["n"] for k, v in plain["by"]["drug"].items()}
    assert "columns taken: 'Strain No' as isolate, 'Antibiotic' as drug, 'Species' as organism" in r.stderr
    assert "drug 'AMI' is also written 'ami'" in r.stderr
    t.rename(columns=dict(Antibiotic="Antibiotik")).to_csv("q.csv", index=False)
    assert "is 'Antibiotik' the drug? Say drug='Antibiotik' (--drug 'Antibiotik')" in error("q.csv", *RUN[1:])
    assert mics("q.csv", *RUN[1:], "--drug", "none").exit_code == 0


def test_a_workbook_is_a_table(here):
    STUDY.to_excel("p.xlsx", index=False)
    assert mics("p.xlsx", *RUN[1:]).exit_code == 0 and len(pd.read_csv(here/"out"/"pairs.csv")) == 8


@pytest.mark.later
def test_more_than_two_columns(here):
    "A second device, readers, a third reading; a work list as CSV and as a workbook"
    STUDY.assign(old=STUDY.bmd, third=["", "8", *[""]*6]).to_csv("p.csv", index=False)
    r = mics("p.csv", *RUN[1:], "--breakpoints", "points.csv", "--second", "OLD", "--readers", "new,old",
             "--arbitration", "third")
    assert r.exit_code == 0, r.output
    d = json.loads((here/"out"/"results.json").read_text())
    assert d["devices"]["differences"]["very_major"]["only_second"] == 1 and d["devices"]["name"] == "old"
    assert d["readers"]["by"]["old"]["essential_agreement"]["value"] == 1 and "alpha" in d["readers"]["among"]
    assert d["arbitration"]["after"]["very_major"]["numerator"] == 1
    assert "must not replace" in str(d["arbitration"]["note"]["code"])
    lists = pd.read_csv(here/"out"/"worklist.csv"), pd.read_excel(here/"out"/"worklist.xlsx")
    assert lists[0].kind.tolist() == lists[1].kind.tolist() == ["very major", "minor", "minor", "no result"]


@pytest.mark.later
def test_categories_only(here):
    STUDY.assign(bmd=list("SRRSSIRS"), new=["S", "S", "r", "", "R", "R", "Resistant", "S"]).to_csv("p.csv", index=False)
    assert mics("p.csv", *RUN[1:5], "--out", "out").exit_code == 0 and (here/"out"/"clinical.html").is_file()
    o = json.loads((here/"out"/"results.json").read_text())["overall"]
    assert [(o[k]["numerator"], o[k]["denominator"])
            for k in ("very_major", "major", "minor", "no_result")] == [(1, 3), (1, 3), (1, 7), (1, 8)]
    assert o["essential_agreement"]["reason"]["code"] == "only categories were given, no MICs"


@pytest.mark.later
def test_two_runs_are_compared_and_exported(here):
    "compare holds two devices against each other on the same pairs; export makes one workbook of all tables"
    big = pd.concat([STUDY.assign(isolate=STUDY.isolate+str(i)) for i in range(6)], ignore_index=True)
    big.assign(old=big.bmd).to_csv("pairs.csv", index=False)
    for test in ("new", "old"):
        assert mics("pairs.csv", "--reference", "bmd", "--test", test, "--report", "none", "--out", test).exit_code == 0
    r = CliRunner().invoke(app, ["compare", "old", "new", "--report", "none", "--out", "both"])
    assert r.exit_code == 0, r.output
    found = json.loads((here/"both"/"compare.json").read_text())
    assert "essential_agreement" in json.dumps(found)
    r = CliRunner().invoke(app, ["export", "new", "--to", "xlsx"])
    assert r.exit_code == 0, r.output
    assert set(pd.read_excel("new/tables.xlsx", sheet_name=None)) == {"scores", "pairs", "worklist", "drugs",
        "distributions", "antibiogram"}
