"""What goes in is bound by name, with its unit, or asked: never by position, never half"""
import inspect
import json
import re
import shlex
from datetime import datetime
import numpy as np
import pandas as pd
import pytest
from openpyxl import Workbook
from openpyxl.styles import Font
from PIL import Image
from mic_eval import metrics
from mic_eval.anomaly.datasets import data_images
from mic_eval.anomaly.map_files import as_mask, read_map, read_mask
from mic_eval.cli.data import manifest_command, understood
from mic_eval.core.binding import stored_binding
from mic_eval.core.checks import Asked
from mic_eval.core.readers import read_table
from mic_eval.core.tables import read_predictions
from mic_eval.data.manifest import named_plainly
from mic_eval.data.plate_layouts import read_layout
from mic_eval.mic.breakpoints import read_breakpoints
from mic_eval.mic.dilutions import parse_mic
from mic_eval.mic.command import proposed_pairs
from mic_eval.mic.findings import mic_findings, read_panel
from mic_eval.mic.pair_tables import understood_pairs
from mic_eval.mic.precision import known_readings
from mic_eval.report.words import speaking
from mic_eval.run.sources import file_source
from mic_eval.tcm.answers import read_answers
from mic_eval.tcm.items import read_items
from mic_eval.tcm.points import mark

SKIN = ["mole", "benign", "melanoma"]


def skin(n=60, seed=0):
    "A table of three classes whose columns are called as the classes; the truths score highest"
    rng = np.random.default_rng(seed)
    y, p = rng.integers(0, 3, n), .3*rng.dirichlet([1, 1, 1], n)
    p[np.arange(n), y] += .7
    return pd.DataFrame({"y_true": np.array(SKIN)[y]} | {c: p[:, i] for i, c in enumerate(SKIN)}), y


def renamed(table, pattern): return table.rename(columns={c: pattern.format(c) for c in SKIN})


def right(table, truth, **how):
    "Nothing where every column stands at its class, what is wrong otherwise"
    p = read_predictions(table, **how)
    if p.scores is None or p.scores.ndim != 2: return "no scores"
    best = np.array(p.classes)[p.scores.argmax(1)]
    return "" if (best == np.array(SKIN)[truth]).all() else f"bound wrongly: {p.classes}"


def test_class_columns_bind_by_name():
    "Every spelling and order of the columns, with and without calls"
    table, y = skin()
    wrong = {}
    for pattern in ("{}", "prob_{}", "p_{}", "score_{}", "logit_{}", "proba_{}", "P({})", "probability of {}",
                    "{}_prob",
                    "概率_{}"):
        for order in ([0, 3, 1, 2], [3, 2, 1, 0], [0, 2, 1, 3]):
            one = renamed(table, pattern).iloc[:, order]
            for calls in (one, one.assign(prediction=one["y_true"])):
                if said := right(calls, y): wrong[pattern, tuple(order), calls.shape[1]] = said
    assert not wrong, wrong


@pytest.mark.parametrize("named", [["benign", "mole", "melanoma"], ["melanoma", "benign", "mole"]])
@pytest.mark.parametrize("classes", [None, SKIN, sorted(SKIN)])
def test_columns_that_somebody_names_bind_by_name(named, classes):
    table, y = skin()
    assert not right(table, y, y_score=named, kind="prob", classes=classes)


def test_two_classes_in_chinese():
    table = pd.DataFrame({"y_true": ["阴性", "阳性"]*10, "阴性": [.8, .3]*10, "阳性": [.2, .7]*10})
    p = read_predictions(table, y_score=["阴性", "阳性"], classes=["阳性", "阴性"], kind="prob")
    assert p.classes == ("阳性", "阴性") and (p.y_pred == p.y_true).all()


ASKED = [
    ("class 'mole' has no column", lambda t: renamed(t, "prob_{}").drop(columns="prob_mole"), {}),
    ("are both of the class 'mole'", lambda t: renamed(t, "prob_{}").assign(p_mole=.1), {}),
    ("say kind='prob', 'percent'", lambda t: t.assign(**{c: 100*t[c] for c in SKIN}), {}),
    ("do not sum to 1", lambda t: renamed(t, "prob_{}").assign(prob_mole=.9), {}),
    ("which number is which?", lambda t: renamed(t, "prob_{}").assign(y_true=[0, 1, 2]*20), {}),
    ("which column is of which class?", lambda t: t.set_axis(["y_true", "a1", "b1", "c1"], axis=1),
     dict(y_score=["a1", "b1", "c1"], kind="prob")),
    ("'other' names none of the classes", lambda t: t.rename(columns=dict(mole="other")),
     dict(y_score=["other", "benign", "melanoma"], kind="prob")),
    ("hold 0 and 1 alone", lambda t: t.assign(**{c: 1*(t.y_true == c) for c in SKIN}, y_pred=t.y_true), {}),
    ("no value lies above 1: shares?", lambda t: renamed(t, "prob_{}"), dict(kind="percent")),
]


@pytest.mark.parametrize("said,change,how", ASKED, ids=[a[0][:30] for a in ASKED])
def test_what_cannot_be_told_is_asked(said, change, how):
    with pytest.raises(ValueError) as e: read_predictions(change(skin()[0]), **how)
    assert said in str(e.value) and "\n" not in str(e.value)


def test_per_cent_is_taken_off_once():
    y, p = [0, 1]*10, [20., 80.]*10
    for heading in ("growth (%)", "p"):
        table = pd.DataFrame({"y_true": y, heading: p})
        assert read_predictions(table, y_score=heading, kind="percent").scores.max() == .8, heading
    text = pd.DataFrame(dict(y_true=y, p=[f"{v} %" for v in p]))
    assert read_predictions(text, y_score="p", kind="percent").scores.max() == .8


@pytest.mark.parametrize("heading", (
    "predicted probability", "Predicted Probability (%)", "pred_prob", "y_pred_proba", "model_prob", "prob_pred",
    "estimated probability", "模型概率"))
def test_probabilities_of_a_model_are_bound_by_their_heading(heading):
    shown = 100 if "%" in heading else 1
    t = pd.DataFrame({"id": range(6), "y_true": [0, 1]*3, heading: np.array([.2, .8, .4, .6, .1, .9])*shown})
    assert np.allclose(read_predictions(t).positive, [.2, .8, .4, .6, .1, .9])
    with pytest.raises(Asked, match="compete"): read_predictions(t.assign(model_probability=.5))
    one = read_predictions(t.assign(y_prob=.5) if not heading.startswith("y_prob") else t)   # the very name has it
    assert (one.positive == .5).all() and heading in one.facts


def test_a_score_of_which_the_kind_is_said():
    p = read_predictions(pd.DataFrame(dict(y_true=[0, 1]*10, y_score=[.1, .6]*10)), kind="prob")
    assert p.kind == "prob" and (p.y_pred == p.y_true).all()


def test_labels_are_as_many_as_the_columns():
    "Too many, too few and repeated labels, in every metric of scores of several classes"
    p, y = np.array([[.7, .2, .1], [.1, .8, .1], [.2, .3, .5]]), ["a", "b", "c"]
    silent = []
    for name in ("brier", "log_loss", "ece", "mce", "top_k_accuracy", "roc_auc", "average_precision",
                 "ece_classwise", "rms_calibration_error"):
        more = dict(average="macro") if name in ("roc_auc", "average_precision") else {}
        getattr(metrics, name)(y, p, labels=y, **more)
        for labels in (["a", "z", "b", "c"], ["a", "b"], ["a", "b", "b"]):
            try: getattr(metrics, name)(["a", "b", "b"], p, labels=labels, **more)
            except ValueError as e: assert "labels name" in str(e), (name, labels, e)
            else: silent.append((name, labels))
    assert not silent


def pairs(ref="ref", test="test", factor=1, **more):
    "Thirty pairs that agree; the test's numbers are in another unit where `factor` says so"
    v = 2.**np.arange(-3, 7)
    return pd.DataFrame({"isolate": [f"i{i}" for i in range(30)], ref: np.tile(v, 3).astype(str),
                         test: [f"{o:g}" for o in np.tile(v*factor, 3)]} | more)


UNITS = [("mg/L", 1), ("MG/L", 1), ("µg/mL", 1), ("μg/ml", 1), ("mcg/mL", 1), ("ug/ml", 1), ("微克/毫升", 1),
         ("mg L-1", 1),
         ("ng/mL", 1000), ("µg/L", 1000), ("g/L", .001), ("mg/dL", .1), ("µg/dL", 100), ("mg/mL", .001)]


def read_pairs(table, **how):
    "The MICs of reference and test in mg/L"
    s = understood_pairs(table, *list(table)[1:3], **how)
    return parse_mic(s.frame[s.reference]).value, parse_mic(s.frame[s.test]).value


@pytest.mark.later
@pytest.mark.parametrize("pattern", ["test ({})", "CMI [{}]", "MHK, {}", "MIC（{}）", "cell", "column"])
def test_units_are_converted_wherever_they_stand(pattern):
    wrong = []
    for unit, factor in UNITS:
        table = pairs("ref (mg/L)", pattern.format(unit) if "{" in pattern else "test", factor)
        c = list(table)[2]
        if pattern == "cell": table[c] = [f"<={v} {unit}" for v in table[c]]
        if pattern == "column": table["test_unit"] = unit
        a, b = read_pairs(table)
        if not np.allclose(a, b, rtol=1e-9): wrong.append((unit, b[:3]))
    assert not wrong


ASK_UNITS = [
    ("about 1,000 times apart", pairs("ref (mg/L)", "test (ng/mL)")),
    ("about 1,000 times apart", pairs(factor=1000)),
    ("a molar concentration", pairs(test="test (µM)")),
    ("a logarithm", pairs(test="log2 MIC")),
    ("a length", pairs(test="zone diameter (mm)")),
    ("activity", pairs(test="test (IU/mL)")),
    ("has no unit", pairs(test="test (mg/dL)", factor=.1)),
    ("the column says ng/mL, the heading mg/L", pairs(test="test (mg/L)", test_unit=["ng/mL"]*30)),
    ("no unit that is known", pairs(test_unit=["mg/L"]*29+["bananas"])),
    ("is empty in row", pairs(test_unit=["mg/L"]*29+[None])),
]


@pytest.mark.parametrize("said,table", ASK_UNITS, ids=[f"{i} {a[0]}" for i, a in enumerate(ASK_UNITS)])
def test_units_that_cannot_be_told_are_asked(said, table):
    if said == "has no unit":
        a, b = read_pairs(table.rename(columns=dict(ref="ref (mg/L)")))
        assert np.allclose(a, b)
    with pytest.raises(ValueError, match=re.escape(said)): read_pairs(table)


def test_a_person_confirms_the_units_of_both():
    a, b = read_pairs(pairs(factor=1000), unit="reference=mg/L,test=ng/mL")
    assert np.allclose(a, b)
    a, b = read_pairs(pairs("ref (mg/L)", "test (mg/L)", factor=1000), unit="mg/L")
    assert np.allclose(1000*a, b)


def test_fractions_are_dilutions():
    assert parse_mic(["1/8", "1/4", "1/2", "1"]).value.tolist() == [.125, .25, .5, 1]
    assert parse_mic(["0.5/9.5", "1/19", "2/38"]).partner.tolist() == [9.5, 19, 38]
    assert parse_mic(["8/4", "1/4", "0.5/4", "2"]).value.tolist() == [8, 1, .5, 2]
    with pytest.raises(ValueError, match="is written 0.125"): parse_mic(["1/2", "1", "2", "4"])


def test_nothing_is_compared_with_itself():
    table = pd.DataFrame(dict(y_true=[0, 1]*10, y_prob=[.2, .7]*10))
    with pytest.raises(ValueError, match="the truth, compared with itself"): read_predictions(table, y_pred="y_true")
    with pytest.raises(ValueError, match="y_score and y_true"): read_predictions(table, y_score="y_true", kind="prob")
    with pytest.raises(ValueError, match="compared with itself"): understood_pairs(pairs(), "ref", "REF")
    with pytest.raises(ValueError, match="test and second are both 'test'"):
        mic_findings(pairs(), "ref", "test", second="test", by=())


def test_a_positive_class_beside_numbers_is_asked():
    table = pd.DataFrame(dict(growth=[0, 1]*10, y_prob=[.2, .7]*10))
    for how in ({}, dict(classes=["no growth", "growth"])):
        with pytest.raises(ValueError, match="where 1 is 'growth'"):
            read_predictions(table, positive="no growth", **how)
        assert (read_predictions(table, positive="growth", **how).y_pred == [0, 1]*10).all()


@pytest.mark.parametrize("option", ["--device cpu", "--batch-size 64", "--timeout 5", "--trust", "--model-version 1",
                                    "-p lang=zh --report none"])
def test_an_option_of_models_is_refused_beside_a_file(option, tmp_path, capsys):
    path = tmp_path / "p.csv"
    pd.DataFrame(dict(y_true=[0, 1]*10, y_prob=[.2, .7]*10)).to_csv(path, index=False)
    from typer.testing import CliRunner
    from mic_eval.cli.app import app
    said = CliRunner().invoke(app, ["run", "--predictions", str(path), "--out", str(tmp_path), *option.split()])
    assert said.exit_code and "leave" in said.output + str(said.exception), said.output


def test_breakpoints_have_a_unit_too():
    for unit, factor in (("mg/L", 1), ("µg/L", 1000), ("ng/mL", 1000)):
        table = pd.DataFrame({"drug": ["MEM"], f"S ({unit})": [2*factor], f"R ({unit})": [8*factor]})
        assert read_breakpoints(table).table[["S", "R"]].to_numpy(float).tolist() == [[2, 8]], unit
    with pytest.raises(ValueError, match="a molar concentration"):
        read_breakpoints(pd.DataFrame({"drug": ["MEM"], "S (µM)": [2], "R (µM)": [8]}))


def written(folder, name, text, encoding="utf-8"):
    "A file of these bytes"
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
    return folder / name


ROWS = "y_true,y_prob\n" + "".join(f"{i % 2},0.{i + 10}\n" for i in range(8))
REFUSED_TEXT = {
    "line 3 is GBK, 2 others are UTF-8": "id,y_true,y_prob\n菌株,0,.2\n".encode() + "肺炎,1,.8\n".encode("gbk")
    + "大肠,1,.7\n".encode(),
    "ends within a character": "id,y_true,name\n菌,0,菌株\n菌,1,菌".encode()[:-1],
    "row 4 has 1 cells": ROWS.replace("0,0.12\n", "0\n"),
    "row 10 has 1 cells": ROWS + "1",
    "its last cell is '0.'": ROWS + "1,0.",
    "its last cell is '0.9'": ROWS + "1,0.9",
    "every row has 3 cells, and there are 2 headings": "y_true,y_prob\n0,1,.2\n1,0,.9\n0,0,.3\n",
    # where the first row is the long one, its first cells were taken for names of rows, and every column moved
    "row 2 has 3 cells, and there are 2 headings": "y_true,y_prob\n0,1,.2\n1,.9\n0,.3\n",
    "row 3 has 4 cells, and there are 2 headings": "# a note\ny_true,y_prob\n0,1,.2,.3\n1,.9\n0,.3\n"}


def test_files_that_are_not_whole_are_refused_by_their_row(tmp_path):
    for said, text in REFUSED_TEXT.items():
        with pytest.raises(ValueError, match=re.escape(said)): read_table(written(tmp_path, "a.csv", text))
    assert "without an end" in str(read_table(written(tmp_path, "b.csv", ROWS + "1,0.99")).took)
    assert read_table(written(tmp_path, "r.csv", '"y_true","y_prob"\n"1",0,.2\n"2",1,.9\n')).frame.shape == (2, 2)
    assert read_table(written(tmp_path, "e.csv", "y_true,y_prob,\n0,.2\n1,.9\n")).frame.shape == (2, 2)


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_blanks_at_edges_make_no_second_group_and_no_second_sample(ending, tmp_path):
    path = tmp_path/f"sites.{ending}"
    def kept(t): return t.to_csv(path, index=False) if ending == "csv" else t.to_excel(path, index=False)
    t = pd.DataFrame(dict(sample_id=["s1 ", "s2", " s3", "s4"], y_true=["cat ", "dog", "cat", "dog"],
                          prob_cat=[.7, .2, .6, .1], prob_dog=[.3, .8, .4, .9], site=["A", "A ", "B\u3000", "B\u00a0"]))
    kept(t)
    p = read_predictions(path)
    assert p.sample_id.tolist() == ["s1", "s2", "s3", "s4"] and p.facts["site"].tolist() == ["A", "A", "B", "B"]
    assert p.classes == ("cat", "dog") and p.y_true.tolist() == [0, 1, 0, 1]
    kept(t.assign(sample_id=["s1 ", "s1", "s3", "s4"]))
    with pytest.raises(ValueError, match="s1"): read_predictions(path)
    kept(pd.DataFrame(dict(isolate=["i1", "i1 ", "i2"], drug=["CIP", "CIP ", "CIP"], BMD=["1", "2 ", "4"], new="1")))
    pairs = understood_pairs(read_table(path, as_text=True).frame, "BMD", "new").frame
    assert pairs["isolate"].tolist() == ["i1", "i1", "i2"] and set(pairs["drug"]) == {"CIP"}


def book(path, rows, change=lambda sheet: None):
    "A workbook of these rows, with what a person did to its sheet"
    made = Workbook()
    for row in rows: made.active.append(row)
    change(made.active)
    made.save(path)
    return path


MICS = [["isolate", "BMD", "New"], *[[f"i{i}", 2.**(i % 6), 2.**(i % 6)] for i in range(12)]]


def test_workbooks_are_read_as_they_are_shown(tmp_path):
    def signs(sheet):
        for i in range(2, 14):
            sheet[f"C{i}"].number_format = '"<="0.00' if sheet[f"C{i}"].value == 1 else '0.00" mg/L"'
        sheet["B3"].font = Font(strike=True)
    def hide(sheet): sheet.row_dimensions[5].hidden = True
    def filtered(sheet):
        sheet.auto_filter.ref = "A1:C13"
        for i in (4, 6): sheet.row_dimensions[i].hidden = True
    def dated(sheet): sheet["C4"] = datetime(2024, 4, 8)
    s = read_table(book(tmp_path / "a.xlsx", MICS, signs), as_text=True)
    assert s.frame["New"].tolist()[:2] == ["<=1", "2 mg/L"]
    assert "struck through and read all the same: B3" in str(s.took)
    assert parse_mic(s.frame["New"]).value.tolist() == [row[2] for row in MICS[1:]]
    asked = {"rows 5 of the sheet": hide, "rows 4, 6 of the sheet": filtered, "in row 4": dated}
    for said, change in asked.items():
        with pytest.raises(ValueError, match=said): read_table(book(tmp_path / "b.xlsx", MICS, change))


def test_one_drug_is_never_compared_with_another():
    v = [str(2.**i) for i in range(6)]
    wide = pd.DataFrame({"菌株": [f"i{i}" for i in range(6)]}
                        | {f"{d}_{m}": v for d in ("阿米卡星", "美罗培南") for m in ("BMD", "Vitek")})
    lines = [o for o in proposed_pairs("wide.xlsx", wide) if o.startswith("  mic-eval")]
    assert len(lines) == 2 and all(o.count("阿米卡星") in (0, 2) and "--second" not in o for o in lines)
    with pytest.raises(ValueError, match="two drugs"): understood_pairs(wide, "阿米卡星_BMD", "美罗培南_BMD")
    with pytest.raises(ValueError, match="two drugs"):
        mic_findings(wide, "阿米卡星_BMD", "阿米卡星_Vitek", second="美罗培南_Vitek", by=())
    assert understood_pairs(wide, "阿米卡星_BMD", "阿米卡星_Vitek").test == "阿米卡星_Vitek"


def test_dates_that_a_spreadsheet_made_are_asked():
    with pytest.raises(ValueError, match="45390 is how a spreadsheet keeps the date 2024-04-08"):
        read_pairs(pairs().assign(test=["45390", *["1"]*29]))


def test_further_columns_have_units_too(tmp_path):
    for how in (dict(second="third (µM)"), dict(readers=["third (µM)"]), dict(arbitration="third (µM)")):
        with pytest.raises(ValueError, match="a molar concentration"):
            mic_findings(pairs(**{"third (µM)": ["1"]*30}), "ref", "test", by=(), **how)
    said = written(tmp_path, "panel.csv", "drug,low (µg/L),high (µg/L)\nMEM,125,8000\n")
    assert read_panel(said) == {"MEM": (.125, 8.)}
    said = written(tmp_path, "p.csv", "drug,low (µM),high\nM,1,2\n")
    with pytest.raises(ValueError, match="molar"): read_panel(said)
    qc = pd.DataFrame({"strain": ["ATCC 25922"], "drug": ["MEM"], "MIC (ng/mL)": ["30"]})
    assert known_readings(qc)["mic"].tolist() == ["0.03"]
    plate = pd.DataFrame({"well": ["A1"], "drug": ["MEM"], "conc (ng/mL)": ["500"]})
    assert read_layout(plate)["concentration"].tolist() == [.5]
    other = plate.set_axis(["well", "drug", "conc (IU/mL)"], axis=1)
    with pytest.raises(ValueError, match="activity"): read_layout(other)
    with pytest.raises(ValueError, match="is in ng/mL"):
        named_plainly(pd.DataFrame({"sample_id": ["a"], "path": ["a.png"], "conc (ng/mL)": ["500"]}))


def test_folders_that_mean_no_growth_are_not_taken_for_growth(tmp_path, capsys):
    from PIL import Image
    for names in (("长菌", "未长菌"), ("turb", "not turb"), ("a", "b")):
        place = tmp_path / names[0]
        for name in names:
            (place / name).mkdir(parents=True)
            Image.new("L", (8, 8)).save(place / name / "1.png")
        manifest_command(place)
        said = capsys.readouterr()
        if names[0] == "长菌":
            assert (place / "manifest.csv").read_text().count(",1") and "1 with growth, 1 without" in said.err
        elif names[0] == "turb": assert "--growth turb --clear 'not turb'" in said.err
        else: assert "--growth NAME --clear NAME" in said.err


def maps_folder(root, masks=("000_mask.png", "001_mask.png"), value=255):
    "A home-made set: two good images, two bad ones, their masks"
    from PIL import Image
    square = np.zeros((16, 16), np.uint8)
    square[4:9, 4:9] = value
    for kind in ("good", "bad"):
        (root / "test" / kind).mkdir(parents=True, exist_ok=True)
        for i in range(2): Image.fromarray(square).save(root / "test" / kind / f"{i:03}.png")
    (root / "ground_truth" / "bad").mkdir(parents=True, exist_ok=True)
    for name in masks: Image.fromarray(square).save(root / "ground_truth" / "bad" / name)
    return root


def test_masks_used_are_masks_on_disk(tmp_path):
    for i, ending in enumerate(("_mask.png", ".png", "_gt.png", "_label.png", "_mask.jpg")):
        found = data_images(maps_folder(tmp_path / str(i), [f"000{ending}", f"001{ending}"]))
        assert found["mask"].notna().sum() == 2, ending
        assert all(read_mask(p).pixels.sum() == 25 for p in found["mask"].dropna()), ending
    other = maps_folder(tmp_path / "x", ["zero.png", "one.png"])
    with pytest.raises(ValueError, match="2 masks in ground_truth/bad belong to no image, the first one.png.*--ignore"):
        data_images(other)
    assert data_images(other, ignore="ground_truth/bad")["mask"].isna().all()
    half = maps_folder(tmp_path / "h", ["000_mask.png"])
    with pytest.raises(ValueError, match="1 anomalous images have no mask.*--ignore missing"): data_images(half)
    assert data_images(half, ignore="missing")["mask"].notna().sum() == 1


def test_pixels_to_leave_out_and_pages_are_asked(tmp_path):
    import tifffile
    mask = np.zeros((4, 4))
    for odd in (-1, np.nan):
        with pytest.raises(ValueError, match="pixels to leave out"): as_mask(np.where(np.eye(4), odd, mask))
    tifffile.imwrite(tmp_path / "two.tiff", np.zeros((2, 4, 4), np.float32), photometric="minisblack")
    with pytest.raises(ValueError, match="2 pages, and one map is needed"): read_map(tmp_path / "two.tiff")


def exam(n=20, seed=0):
    "Items, and the log of a model that was shown their options in another order and answered right"
    rng, items, samples = np.random.default_rng(seed), [], []
    for i in range(n):
        texts = [f"option {i} {o}" for o in "wxyz"]
        right, order = int(rng.integers(4)), rng.permutation(4)
        items.append(dict(id=i, question="which?", options=texts, answer="ABCD"[right]))
        letter = "ABCD"[list(order).index(right)]
        samples.append(dict(id=i, epoch=1, choices=[texts[o] for o in order], target=letter,
                            output=dict(model="m", completion=letter)))
    return items, dict(eval=dict(model="m"), samples=samples)


def test_answers_are_bound_by_the_text_of_their_options(tmp_path):
    items, log = exam()
    asked = read_items(written(tmp_path, "items.jsonl", "\n".join(map(json.dumps, items))))
    said = read_answers(written(tmp_path, "log.json", json.dumps(log)))
    assert mark(asked, said).headline.mean() == 1
    log["samples"][3]["choices"][0] = "an option of another set"
    odd = read_answers(written(tmp_path, "odd.json", json.dumps(log)))
    with pytest.raises(ValueError, match="item '3' was asked with other options"): mark(asked, odd)


def test_answers_without_an_item_are_an_error(tmp_path):
    items, _ = exam(4)
    asked = read_items(written(tmp_path, "items.jsonl", "\n".join(map(json.dumps, items))))
    rows = "id,answer\n" + "".join(f"{i}.0,{o['answer']}\n" for i, o in enumerate(items))
    assert mark(asked, read_answers(written(tmp_path, "a.csv", rows))).headline.mean() == 1
    more = read_answers(written(tmp_path, "b.csv", rows + "99,A\n"))
    with pytest.raises(ValueError, match="1 responses belong to no item, such as those to '99'"): mark(asked, more)
    for ignore in ("unknown", ["99"]): assert mark(asked, more, ignore=ignore).headline.mean() == 1


def test_samples_of_lm_eval_are_items_and_answers(tmp_path):
    rows = [dict(doc_id=i, doc=dict(question="?", choices=["a", "b", "c"]), target=i % 3, filter=f,
                 resps=[[["-1.0", "F"]] if k == i % 3 else [["-2.0", "F"]] for k in range(3)])
            for f in ("x", "y") for i in range(6)]
    path = written(tmp_path, "samples_t.jsonl", "\n".join(map(json.dumps, rows)))
    assert mark(read_items(path), read_answers(path)).headline.mean() == 1
    assert any(o.strip().startswith("doc ") for o in understood(path))
    from typer.testing import CliRunner
    from mic_eval.cli.app import app
    out = ["--report", "none", "--out", str(tmp_path/"runs")]
    done = CliRunner().invoke(app, ["tcm", "score", str(path), *out])   # the only input
    assert done.exit_code == 0 and "3/3 = 100.0" in done.stderr and "6 marked" in done.stderr, done.output
    items = written(tmp_path, "items.csv", "id,question,A,B,answer\n1,?,a,b,A\n2,!,c,d,B\n")
    done = CliRunner().invoke(app, ["tcm", "score", str(items), *out])   # its keys are no responses
    assert done.exit_code == 2 and "items.csv holds no responses: give their file too" in done.stderr


def test_a_binding_is_shown_stored_and_held_against_the_next_file(tmp_path):
    from typer.testing import CliRunner
    from mic_eval.cli.app import app
    table = pd.DataFrame(dict(Label=[0, 1]*10, proba=[.2, .7]*10, site=["N"]*20))
    table.to_csv(tmp_path / "may.csv", index=False)
    table.rename(columns=dict(Label="gold")).to_csv(tmp_path / "june.csv", index=False)
    bound = []
    read_predictions(tmp_path / "may.csv", note=bound.append)
    taken = dict(y_true="Label", y_prob="proba")
    assert {t.role: t.column for t in bound[0].taken} == taken and bound[0].left == ("site",)
    assert any("role y_true: column Label (by its heading)" in o for o in understood(tmp_path / "may.csv"))
    run = file_source(tmp_path / "may.csv")[0]
    assert run.binding == bound[0].plain()
    written(tmp_path, "run.json", json.dumps(dict(binding=run.binding)))
    assert stored_binding(tmp_path) == taken
    line = ["--predictions", tmp_path / "june.csv", "--binding", tmp_path / "run.json", "--out", tmp_path / "runs"]
    said = CliRunner().invoke(app, ["run", *map(str, line)])
    assert said.exit_code and "y_true: the stored binding took 'Label', this file 'gold'" in said.output + str(
        said.exception)


@pytest.mark.later
def test_binding_by_the_names_of_columns_stands_in_one_place():
    "Nothing but the binding step, and the doors that hand it a schema, compares names of columns or reads their units"
    from pathlib import Path
    import mic_eval
    home = Path(mic_eval.__file__).parent
    gone = re.compile(r"\b(_SYNONYMS|_OTHER_NAMES|_TEXT|found_column|pair_roles|(?<!\.)score_columns)\b")
    units = re.compile(r"\b(heading_unit|read_unit|agreed_unit)\(")
    names = re.compile(r"\bplain_name\(|for c in (t|df|frame|table)[.\w]*\b.*\.(lower|casefold)\(\)")
    doors = dict(   # where each may stand: the step itself, and the doors that hand it a schema
        gone={"core/binding.py", "core/tables.py", "_moved.py", "_modidx.py"},
        units={"core/concentrations.py", "mic/pair_tables.py", "mic/dilutions.py", "mic/breakpoints.py",
               "mic/findings.py", "data/manifest.py", "data/plate_layouts.py"},
        names={"core/binding.py", "core/tables.py", "core/readers.py", "mic/pair_tables.py", "tcm/items.py",
               "data/manifest.py", "run/plan.py", "mic/breakpoints.py"})
    for what, rule in dict(gone=gone, units=units, names=names).items():
        found = {p.relative_to(home).as_posix() for p in home.rglob("*.py") if rule.search(p.read_text("utf-8"))}
        assert found <= doors[what], (what, found - doors[what])


def table_file(folder, seed):
    "`(file, truths, probabilities by class)`: a table as people write it, its columns in any order"
    rng, k = np.random.default_rng(seed), 2 + seed % 3
    words = ["cat", "dog", "fox", "owl"], ["阴性", "阳性", "可疑", "无效"], ["mole", "benign", "melanoma", "scar"]
    names = words[seed % 7 % 3][:k]
    p = pd.DataFrame(rng.dirichlet(np.ones(k), 40), columns=names)
    y = np.array(names)[[rng.choice(k, p=row) for row in p.to_numpy()]]
    heading = ["{}", "prob_{}", "p_{}", "{}_prob", "P({})"][int(rng.integers(5))]
    by = 100 if rng.random() < .2 else 1
    truth = ["y_true", "label", "truth", "真值"][int(rng.integers(4))]
    table = pd.DataFrame({truth: y} | {heading.format(c): by*p[c] for c in p})
    if rng.random() < .3: table["prediction"] = p.idxmax(axis=1)
    if rng.random() < .3: table["site"] = rng.choice(["N", "S"], 40)
    table, kind = table[list(rng.permutation(list(table)))], rng.choice(["csv", "semicolon", "gbk", "xlsx", "parquet"])
    path = folder / f"{seed}.{kind if kind in ('xlsx', 'parquet') else 'csv'}"
    if kind == "xlsx": table.to_excel(path, index=False)
    elif kind == "parquet": table.to_parquet(path)
    elif kind == "semicolon": table.to_csv(path, index=False, sep=";", decimal=",")
    else: table.to_csv(path, index=False, encoding="gb18030" if kind == "gbk" else "utf-8")
    return path, y, p


@pytest.mark.later
@pytest.mark.parametrize("n", [40, pytest.param(500, marks=pytest.mark.full)])
def test_class_tables_are_right_or_asked(tmp_path, n):
    "Each probability stands at its class, as scikit-learn would take it by name; or one line asks"
    silent, asked = [], 0
    for seed in range(n):
        path, y, p = table_file(tmp_path, seed)
        try: t = read_predictions(path)
        except ValueError as e:
            asked += 1
            assert "\n" not in str(e) and path.name in str(e), e
            continue
        names, many = list(t.classes), t.scores is not None and t.scores.ndim == 2
        scores = t.scores if many else None if t.scores is None else np.column_stack([1-t.scores, t.scores])
        same = scores is not None and sorted(names) == sorted(p) and np.allclose(scores, p[names], atol=1e-9)
        if not same or (np.array(names)[t.y_true] != y).any(): silent.append((seed, path.name, names))
    assert not silent and asked <= n/2, (silent, asked)


def test_a_place_is_no_truth():
    "`x, y` of a manifest are where a well lies; `y` alone, or beside features, is a truth"
    t = pd.DataFrame(dict(x=[1, 2, 3, 4], y=[5, 6, 7, 8], growth=[0, 1, 0, 1], y_prob=[.1, .9, .2, .8]))
    assert read_predictions(t).y_true.tolist() == [0, 1, 0, 1]
    assert read_predictions(t.drop(columns="growth").assign(y=[0, 1, 0, 1])).y_true.tolist() == [0, 1, 0, 1]
    with pytest.raises(ValueError, match="compete for 'y_true'"):
        read_predictions(t.drop(columns="x").assign(y=[0, 1, 0, 1]))


def answers_of(option):
    "An option as typed, as arguments of the doors"
    words, out = shlex.split(option), {}
    for name, value in zip(words[::2], words[1::2]):
        name = name.removeprefix("--").replace("-", "_")
        out[name] = value.split(",") if name == "classes" or name == "y_score" and "," in value else value
    return out


HALF = dict(y_true=["cat", "dog"]*10, y_prob=[.2, .7]*10)
QUESTIONS = dict(  # table -> what a door takes
    rivals=(
        pd.DataFrame(HALF | dict(truth=["cat", "dog"] * 10)).rename(columns=dict(y_true="label")),
        dict(classes=["cat", "dog"]),
    ),
    per_cent=(pd.DataFrame(HALF).assign(y_prob=[20.0, 70] * 10, y_true=[0, 1] * 10), {}),
    shares=(pd.DataFrame(HALF).assign(y_true=[0, 1] * 10), dict(kind="percent")),
    bare=(skin()[0].assign(**{c: 3 * skin()[0][c] for c in SKIN}), {}),
    zeros=(skin()[0].assign(**{c: 1 * (skin()[0].y_true == c) for c in SKIN}, y_pred=skin()[0].y_true), {}),
    positive=(pd.DataFrame(HALF), {}),
    kinds=(pd.DataFrame(dict(y_true=[0, 1] * 10, y_prob=[0.2, 0.7] * 10, y_logit=[-1.0, 2] * 10)), {}),
    kind=(pd.DataFrame(dict(y_true=[0, 1] * 10, mine=[0.2, 0.7] * 10)), dict(y_score="mine")),
    orders=(skin()[0].set_axis(["y_true", "a1", "b1", "c1"], axis=1), dict(y_score=["a1", "b1", "c1"], kind="prob")),
    words=(pd.DataFrame(dict(y_true=["cat", "dog"] * 10, y_pred=[0, 1] * 10)), {}),
    lone=(
        pd.DataFrame(
            dict(y_true=["cat", "dog", "dog"] * 8, y_pred=["cat", "dog", "dog"] * 8, cat=[0.9, 0.2, 0.1] * 8)
        ),
        {},
    ),
    thousand=(pairs(factor=1000), None),
    no_unit=(pairs("ref (mg/dL)"), None),
    drug=(pairs(stuff=["Aa", "Mb", "Lc"] * 10).assign(isolate=[f"i{i//3}" for i in range(30)]), None),
    near=(pairs(antibiotik="MEM"), None),
)


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_choice_of_a_question_answers_it(name):
    "Two to four choices; each is taken as it says, and leads on"
    table, how = QUESTIONS[name]
    names = ("drug", "isolate", "organism")

    def read(more):
        if how is not None: return read_predictions(table, **how | more)
        roles = {k: v for k, v in more.items() if k in names}
        return understood_pairs(table, *list(table)[1:3], roles, **{k: v for k, v in more.items() if k not in names})
    with pytest.raises(Asked) as e: read({})
    question = e.value.question
    assert 2 <= len(question.choices) <= 4 and question.about and question.seen in str(e.value)
    assert question.column or name == "words"
    for _, option in question.choices:
        said = answers_of(option)
        t = read(said)
        if how is None:
            mg = parse_mic(t.frame[t.test]).value
            factor = .001 if "test=µg/L" in option else 10 if "test=mg/dL" in option else 1
            assert np.allclose(mg, parse_mic(table[list(table)[2]]).value*factor)
            assert {t.roles.get(k) for k in said if k in names} <= {v for v in said.values() if v != "none"} | {None}
            continue
        if "kind" in said: assert t.kind == dict(percent="prob").get(said["kind"], said["kind"])
        if said.get("kind") == "percent": assert t.scores.max() == .7
        if "positive" in said: assert t.classes[1] == said["positive"]
        if "classes" in said: assert list(t.classes) == said["classes"]


def typed_option(p):
    "An option with a value that is not its own, as typed"
    if p.is_flag: return [p.opts[0]]
    return [p.opts[0], "5"]


def own_params(function):
    "The options of a command"
    import typer
    alone = typer.Typer()
    alone.command()(function)
    return [p for p in typer.main.get_command(alone).params if p.param_type_name == "option" and p.name in
            inspect.signature(function).parameters]


@pytest.mark.later
def test_every_option_is_used_or_refused(tmp_path, monkeypatch):
    "Option x input, made from the code: what an input does not use ends in one line that names it"
    from typer.testing import CliRunner
    from mic_eval.anomaly.command import USED as TASKS, anomaly_command
    from mic_eval.cli.app import app
    from mic_eval.cli.run import USED as INPUTS, run_command
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(dict(y_true=[0, 1]*10, y_prob=[.2, .7]*10)).to_csv("p.csv", index=False)
    things = dict(
        check=["."],
        table=["runs/a"],
        compare=["runs/a", "runs/b"],
        score=["m.npz", "."],
        evaluate=[".", "."],
        inspect=["runs/a"],
        fit=["."],
        demo=[],
    )
    lines = {("anomaly", k): (["anomaly", k, *things[k]], v, anomaly_command) for k, v in TASKS.items()}
    lines["run", "file"] = ["run", "--predictions", "p.csv"], INPUTS["file"], run_command
    lines["run", "model"] = ["run", "--model", "wellnet", "--data", "demo:2"], INPUTS["model"], run_command
    taken = []
    for (command, what), (line, used, function) in lines.items():
        known = [n for n in inspect.signature(function).parameters if n not in ("task", "things")]
        assert set(used) <= set(known), (command, what, set(used)-set(known))
        for p in own_params(function):
            if p.name in used or p.name == "lang": continue
            if command == "run" and p.name in ("model", "data", "predictions"): continue   # they are the inputs
            more = ["--out", "runs"] if "out" in used else []
            said = CliRunner().invoke(app, [*line, *typed_option(p), *more])
            told = said.output + str(said.exception)
            if said.exit_code == 0 or p.opts[0] not in told: taken.append((command, what, p.opts[0], told[-200:]))
        unnamed = {n for n in known if n != "lang"} - {n for _, u, f in lines.values() if f is function for n in u}
        assert not unnamed, (command, unnamed)
    assert not taken, taken


def test_a_threshold_is_for_two_classes(tmp_path):
    from typer.testing import CliRunner
    from mic_eval.cli.app import app
    table, _ = skin()
    renamed(table, "prob_{}").assign(split=["a", "b"]*30).to_csv(tmp_path / "s.csv", index=False)
    for how in (["--threshold", ".7"], ["--tune-on", "a"]):
        said = CliRunner().invoke(app, ["run", "--predictions", str(tmp_path / "s.csv"), "--out", str(tmp_path), *how])
        assert said.exit_code == 2 and "a threshold is for two classes, and there are 3" in said.output + str(
            said.exception
        )


def test_a_schema_is_written_and_held_against_the_next_file(tmp_path, monkeypatch):
    from typer.testing import CliRunner
    from mic_eval.cli.app import app
    monkeypatch.chdir(tmp_path)
    may = pd.DataFrame(dict(真值=["no", "yes"]*10, proba=[.2, .7]*10, n=range(20)))
    may.to_csv("may.csv", index=False)
    may.assign(proba="x").to_csv("text.csv", index=False)
    may.replace("yes", "ja").to_csv("class.csv", index=False)
    may.drop(columns="proba").to_csv("gone.csv", index=False)
    may.assign(site="N").to_csv("more.csv", index=False)
    may.rename(columns=dict(真值="gold")).to_csv("june.csv", index=False)

    def said(*line):
        done = CliRunner().invoke(app, list(line))
        return done.exit_code, done.output + str(done.exception)
    assert said("check", "may.csv", "--write", "s.yaml")[0] == 0
    assert said("check", "may.csv", "--schema", "s.yaml")[0] == 0
    assert stored_binding("s.yaml") == dict(y_true="真值", y_prob="proba")
    for name, words in {
        "text.csv": "holds string values, and the schema says number",
        "class.csv": "'ja', which the schema",
        "gone.csv": "no column 'proba' (y_prob)",
    }.items():
        code, told = said("check", name, "--schema", "s.yaml")
        assert code and words in told, told
    assert "not in the schema: site" in said("check", "more.csv", "--schema", "s.yaml")[1]
    assert (
        "took '真值', this file 'gold'"
        in said("run", "--predictions", "june.csv", "--binding", "s.yaml", "--out", "r")[1]
    )


def test_a_folder_is_held_against_the_schema_of_the_last_one(tmp_path):
    from typer.testing import CliRunner
    from mic_eval.cli.app import app
    for name, folders in dict(may="ab", june="ab", class_c="ac", splits=("train/a", "train/b", "test/a")).items():
        for i, o in enumerate(folders):
            picture = tmp_path/name/o/"x.png"
            picture.parent.mkdir(parents=True)
            Image.fromarray(np.full((8, 8), 60*i+20, np.uint8)).save(picture)

    def said(name, how):
        done = CliRunner().invoke(app, ["check", str(tmp_path/name), how, str(tmp_path/"s.yaml")])
        return done.exit_code, done.output+str(done.exception)
    assert said("may", "--write")[0] == 0 and said("june", "--schema")[0] == 0
    for name, words in dict(class_c="'c', which the schema does not know", splits="not in the schema: split").items():
        code, told = said(name, "--schema")
        assert words in told and code == (2 if name == "class_c" else 0), (code, told)


def test_a_run_of_pairs_stores_its_binding(tmp_path):
    from mic_eval.mic.command import mics_run
    pairs(drug="MEM").to_csv(tmp_path / "p.csv", index=False)
    run = mics_run(tmp_path / "p.csv", "ref", "test", out=tmp_path / "run")
    assert stored_binding(run.folder) == dict(reference="ref", test="test", isolate="isolate", drug="drug")


def test_a_role_that_its_values_settle_is_shown(tmp_path):
    table = pd.DataFrame(dict(growth=[.2, .7]*10, truth=["no", "yes"]*10, y_prob=[.2, .7]*10))
    table.to_csv(tmp_path / "t.csv", index=False)
    assert any("role y_true: column truth (by its values)" in o for o in understood(tmp_path / "t.csv"))
    (tmp_path / "s.csv").write_text("label,score\n1,.9\n0,.1\n")
    with speaking("zh"): assert "  角色 y_score：列 score（依据表头）" in understood(tmp_path / "s.csv")


@pytest.mark.later
def test_pairs_and_patients_are_held_against_the_last_file(tmp_path):
    "`--binding` and `--schema` of pairs, patients and suspects: what differs is named, what is alike runs"
    from mic_eval.domain.command import domain_source
    from mic_eval.noise.command import suspects_command
    from mic_eval.mic.command import mics_run
    from mic_eval.report.views import methods
    may = pairs(drug="MEM")
    may.to_csv(tmp_path / "may.csv", index=False)
    may.rename(columns=dict(drug="antibiotic")).to_csv(tmp_path / "june.csv", index=False)
    may.drop(columns="isolate").to_csv(tmp_path / "july.csv", index=False)
    run = mics_run(tmp_path / "may.csv", "ref", "test", out=tmp_path / "run")
    kept = run.folder / "run.json"
    assert "isolate ← isolate" in str(methods(run))
    mics_run(tmp_path / "may.csv", "ref", "test", out=tmp_path / "again", binding=kept, schema=kept)
    for file, how, said in (("june", "binding", "drug: the stored binding took 'drug', this file 'antibiotic'"),
                            ("july", "binding", "isolate: the stored binding took 'isolate', this file 'no column'"),
                            ("june", "schema", "no column 'drug' (drug), which the schema has")):
        with pytest.raises(ValueError, match=re.escape(said)):
            mics_run(tmp_path / f"{file}.csv", "ref", "test", out=tmp_path / "no", **{how: kept})
    sick = pd.DataFrame(dict(clinic=["N", "S"]*20, ill=[0, 1]*20, age=range(0, 80, 2), dose=range(0, 80, 2)))
    sick.to_csv(tmp_path / "sick.csv", index=False)
    source = domain_source(tmp_path / "sick.csv", "clinic", "ill", estimator="", methods="CORAL")
    assert source.binding["taken"]["feature age"] == dict(column="age", how="name")
    kept = written(tmp_path, "run.json", json.dumps(dict(binding=source.binding)))
    sick.drop(columns="dose").to_csv(tmp_path / "less.csv", index=False)
    with pytest.raises(ValueError, match="feature dose: the stored binding took 'dose', this file 'no column'"):
        domain_source(tmp_path / "less.csv", "clinic", "ill", binding=kept)
    pd.DataFrame(dict(gold=[0, 1]*10, y_prob=[.2, .7]*10)).to_csv(tmp_path / "p.csv", index=False)
    kept = written(tmp_path, "b.json", json.dumps(dict(taken=dict(y_true=dict(column="Label")))))
    with pytest.raises(ValueError, match="y_true: the stored binding took 'Label', this file 'gold'"):
        suspects_command(predictions=tmp_path / "p.csv", binding=kept, out=tmp_path / "s")


def test_the_folder_and_the_dumps_of_uniad_are_read_together(tmp_path):
    "`test.json` names images below `image_dir`; dumps are called by the folder of the image, not by its label"
    from PIL import Image
    from mic_eval.anomaly.datasets import read_maps
    root, dumps, rows = tmp_path / "MVTec-AD", tmp_path / "dumps", []
    dumps.mkdir()
    for kind, label in (("good", 0), ("broken_large", 1)):
        for i in range(3):
            name = f"bottle/test/{kind}/{i:03}.png"
            row = dict(filename=name, label=label, label_name=["good", "defective"][label], clsname="bottle")
            mask = np.zeros((8, 8), np.uint8)
            mask[2:4, 2:4] = 255*label
            for path, pixels in ((name, mask), (f"bottle/ground_truth/{kind}/{i:03}_mask.png", mask)):
                at = root / "mvtec_anomaly_detection" / path
                at.parent.mkdir(parents=True, exist_ok=True)
                Image.fromarray(pixels).save(at)
                if "ground_truth" in path and label: row["maskname"] = path
            rows.append(json.dumps(row))
            np.savez(dumps / f"bottle_{kind}_{i:03}.npz", pred=(mask[None]/255).astype(np.float32), mask=mask[None] > 0)
    written(root, "test.json", "\n".join(rows))
    for data in (root, root / "test.json"):
        maps = read_maps(data, dumps)
        assert [int(maps.open(i).mask.sum()) for i in range(6)] == [0, 0, 0, 4, 4, 4]
        assert all((maps.open(i).map > .5).sum() == 4*maps.label[i] for i in range(6))


def said_by(*line):
    "`(exit code, what was said)` of a command"
    from typer.testing import CliRunner
    from mic_eval.cli.app import app
    done = CliRunner().invoke(app, [str(o) for o in line])
    return done.exit_code, done.output + str(done.exception)


def test_a_run_holds_its_file_against_a_schema(tmp_path):
    table = pd.DataFrame(dict(label=["a", "b"]*20, y_prob=np.linspace(.1, .9, 40)))
    for name, one in dict(may=table, june=table.rename(columns=dict(label="gold")), july=table.replace("b", "c"),
                          text=table.assign(y_prob="x")).items(): one.to_csv(tmp_path/f"{name}.csv", index=False)
    run = ["run", "--report", "none", "--out", tmp_path/"runs", "--positive", "b", "--predictions"]
    assert said_by(*run, tmp_path/"may.csv")[0] == 0
    kept = next(p for p in (tmp_path/"runs").rglob("run.json"))
    assert {f["name"]: f.get("enum") for f in json.loads(kept.read_text("utf-8"))["binding"]["fields"]} == dict(
        label=["a", "b"], y_prob=None)
    assert said_by(*run, tmp_path/"may.csv", "--schema", kept, "--binding", kept)[0] == 0
    for name, said in dict(june="no column 'label' (y_true)", july="holds 'c', which the schema").items():
        line = [*run[:-2], "c" if name == "july" else "b", "--predictions"]
        code, told = said_by(*line, tmp_path/f"{name}.csv", "--schema", kept)
        assert code == 2 and said in told, told
    model = "run", "--model", "wellnet", "--data", "demo:2", "--schema", kept, "--out", tmp_path/"runs"
    assert "--schema is about a file of predictions" in said_by(*model)[1]


def test_schemas_of_pairs_and_patients_are_written_by_check(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    may = pairs("BMD", "New", drug="MEM")
    may.to_csv("may.csv", index=False)
    may.rename(columns=dict(drug="antibiotic")).to_csv("june.csv", index=False)
    may.rename(columns=dict(BMD="one")).to_csv("unsaid.csv", index=False)
    assert said_by("check", "may.csv", "--write", "s.yaml")[0] == 0
    assert stored_binding("s.yaml") == dict(reference="BMD", test="New", isolate="isolate", drug="drug")
    assert "meets the schema" in said_by("check", "may.csv", "--schema", "s.yaml")[1]
    assert "no column 'drug' (drug), which the schema has" in said_by("check", "june.csv", "--schema", "s.yaml")[1]
    assert "which column is the reference" in said_by("check", "unsaid.csv", "--write", "u.yaml")[1]
    said = "--role", "reference=New", "--role", "test=one"
    assert said_by("check", "unsaid.csv", "--write", "u.yaml", *said)[0] == 0
    assert stored_binding("u.yaml")["reference"] == "New"
    sick = pd.DataFrame(dict(clinic=["N", "S"]*20, ill=[0, 1]*20, age=range(0, 80, 2), dose=range(0, 80, 2)))
    sick.to_csv("sick.csv", index=False)
    sick.drop(columns="dose").to_csv("less.csv", index=False)
    assert said_by("check", "sick.csv", "--write", "p.yaml", "--role", "site=clinic", "--role", "target=ill")[0] == 0
    carry = "domain", "carry", "less.csv", "--site", "clinic", "--target", "ill", "--report", "none", "--out", "o"
    for line in (("check", "less.csv"), carry):
        assert "no column 'dose' (feature dose), which the schema has" in said_by(*line, "--schema", "p.yaml")[1]
    assert "roles of predictions are" in said_by("check", "sick.csv", "--write", "x.yaml", "--role", "colour=age")[1]


@pytest.mark.later
def test_an_examination_and_maps_are_held_against_the_last_ones(tmp_path):
    from mic_eval.anomaly.defects import demo_maps
    from mic_eval.anomaly.run_source import maps_run, maps_source
    from mic_eval.report.views import methods
    from mic_eval.tcm.command import score_runs
    items = [dict(id=i, question=f"q{i}?", options=["a", "b", "c"], answer="ABC"[i % 3]) for i in range(12)]
    written(tmp_path, "items.jsonl", "\n".join(map(json.dumps, items)))
    said = pd.DataFrame(dict(id=range(12), response=["A", "B", "C"]*4))
    said.to_csv(tmp_path/"may.csv", index=False)
    said.rename(columns=dict(response="output")).to_csv(tmp_path/"june.csv", index=False)
    run, = score_runs(tmp_path/"items.jsonl", tmp_path/"may.csv", out=tmp_path/"runs")
    kept = run.folder/"run.json"
    assert "answers text ← answers: response" in str(methods(run))
    score_runs(tmp_path/"items.jsonl", tmp_path/"may.csv", out=tmp_path/"runs", binding=kept, schema=kept)
    for how, told in dict(binding="the stored binding took 'answers: response', this file 'answers: output'",
                          schema="no column 'answers: response' (answers text)").items():
        with pytest.raises(ValueError, match=re.escape(told)):
            score_runs(tmp_path/"items.jsonl", tmp_path/"june.csv", out=tmp_path/"runs", **{how: kept})
    data, maps = demo_maps(tmp_path/"demo", seed=0)
    run = maps_run(data, maps, out=tmp_path/"runs", profile="none")
    kept = run.folder/"run.json"
    assert stored_binding(kept)["image score"] == "given" and stored_binding(kept)["layout"] == "mvtec_ad"
    maps_source(data, maps, binding=kept, schema=kept)
    with pytest.raises(ValueError, match="image score: the stored binding took"):
        maps_source(data, maps, score="mean", binding=kept)
    changed = json.loads(kept.read_text("utf-8"))["binding"]
    changed["fields"][0]["enum"] = ["plate"]
    with pytest.raises(ValueError, match="column 'object' .object. holds 'well', which the schema does not know"):
        maps_source(data, maps, schema=written(tmp_path, "other.json", json.dumps(dict(binding=changed))))


def numbered_classes(first=0, **more):
    "Three classes by number, their probabilities under p0, p1, p2, and calls beside them"
    table, _ = skin()
    table["y_true"] = [sorted(SKIN).index(v) for v in table["y_true"]]
    table = table.rename(columns=dict(zip(sorted(SKIN), (f"p{i+first}" for i in range(3)))))
    return table.assign(prediction=table["y_true"], **more)


def test_numbers_behind_a_word_of_scores_name_classes():
    p = read_predictions(numbered_classes())
    assert p.classes == ("0", "1", "2") and p.kind == "prob" and p.scores.shape == (60, 3)
    assert (p.scores.argmax(1) == p.y_true).all()
    with pytest.raises(ValueError, match="class '0' has no column of scores beside p"):
        read_predictions(numbered_classes(first=1))
    alike = numbered_classes().rename(columns=dict(p0="class0", p1="class1", p2="class2"))
    assert read_predictions(alike).scores.shape == (60, 3)


def test_fractions_are_no_calls():
    y, s = np.arange(40) % 2, (np.arange(40)+.5)/40
    table = pd.DataFrame(dict(truth=y, pred=s))
    with pytest.raises(Asked, match="holds fractions such as 0.0125") as e: read_predictions(table)
    assert "--y-score pred --kind prob" in [option for _, option in e.value.question.choices]
    assert read_predictions(table, y_score="pred", kind="prob").scores[0] == s[0]
    assert read_predictions(table.assign(pred=y+0.)).y_pred.tolist() == y.tolist()


def test_yes_and_no_answer_a_heading(tmp_path):
    grew = np.arange(40) % 2
    for no, yes in (("no", "yes"), ("否", "是"), ("-", "+"), ("nein", "ja"), ("False", "True")):
        p = read_predictions(pd.DataFrame(dict(growth=np.where(grew, yes, no), y_prob=.2+.6*grew)))
        assert p.classes == ("no growth", "growth") and p.y_true.tolist() == grew.tolist()
    with pytest.raises(ValueError, match="growth must be no growth or growth"):
        read_predictions(pd.DataFrame(dict(growth=np.where(grew, "R", "S"), y_prob=.2+.6*grew)))


def test_weights_and_what_no_role_took_are_said(tmp_path):
    y = np.arange(40) % 2
    table = pd.DataFrame(dict(truth=y, prob=.2+.6*y, weight=1.+y, rack=y, lot=y))
    table.to_csv(tmp_path/"t.csv", index=False)
    noted = str(file_source(tmp_path/"t.csv")[0].noted)
    assert "'weight' as weights of the rows" in noted and noted.endswith("; kept as facts: rack, lot")


def test_a_stored_table_bound_otherwise_is_not_used_again(tmp_path, monkeypatch):
    from mic_eval.core import tables
    from mic_eval.run.evaluation import carry_out
    from mic_eval.run.plan import make_plan
    numbered_classes().to_csv(tmp_path/"t.csv", index=False)
    how = dict(predictions=tmp_path/"t.csv", out=tmp_path/"runs")
    with monkeypatch.context() as m:   # a version that did not know such headings
        m.setattr(tables, "score_columns", lambda *_, **__: (None, []))
        first = carry_out(make_plan(**how))
    assert first.table.scores is None
    said = []
    again = carry_out(make_plan(**how), said.append)
    assert again.folder == first.folder and again.table.scores.shape == (60, 3)
    assert any("columns play other roles now" in str(o) for o in said)
