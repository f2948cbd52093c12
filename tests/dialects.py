"""Small files in the dialects that laboratories, committees and harnesses write, and their nearest faults: what a
reader says of each. `tests/branches.py` damages them further; `tests/test_dialects.py` holds what is said.

A case is `(name of the file, what it holds, what is said, options)`: text, bytes, or what writes the file; a part of
the refusal, empty where it is read, None where either is right.
"""
import gzip
import io
import json
import struct
import zipfile
import zlib
from datetime import date
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from mic_eval.anomaly.counting import PixelCounts, read_counts, read_object_counts, save_counts
from mic_eval.anomaly.gaussian import PatchGaussian, PixelGaussian, load_detector
from mic_eval.anomaly.map_files import read_map, read_mask, stack_of
from mic_eval.anomaly.maps import read_images
from mic_eval.anomaly.uniad import read_protocol
from mic_eval.core.concentrations import heading_unit, read_concentration, read_unit
from mic_eval.core.criteria import read_profile
from mic_eval.core.files import (archive, array_header, arrays, budget, budget_from, file_hash, file_named,
    json_depth,
                                 parsed_json, read_at_once, reading, within_budget)
from mic_eval.core.kinds import Answers, Maps, Pairs, Trials, read_any
from mic_eval.core.readers import read_parquet, read_table
from mic_eval.core.record import Record
from mic_eval.core.results import Curve, Score, from_json
from mic_eval.core.tables import read_predictions
from mic_eval.core.yaml import read_yaml_file
from mic_eval.data.manifest import read_manifest
from mic_eval.data.pictures import header, load_image
from mic_eval.data.plate_layouts import read_layout
from mic_eval.domain.sites import read_sites
from mic_eval.gate.golden import GOLDEN, read_golden
from mic_eval.metrics.shards import SiteStatistic, site_from_json, site_to_json
from mic_eval.mic.breakpoints import read_breakpoints
from mic_eval.mic.dilutions import parse_mic
from mic_eval.mic.findings import read_pairs, read_panel
from mic_eval.mic.precision import read_qc_ranges
from mic_eval.mic.readings import read_expert, read_predicted
from mic_eval.noise.command import read_noise_plan
from mic_eval.noise.indices import read_scheme
from mic_eval.noise.questions import read_noise_table
from mic_eval.noise.suspects import read_relabels
from mic_eval.report.cards import read_checklist
from mic_eval.run.store import open_run
from mic_eval.run.suite import read_suite
from mic_eval.run.sweep import DATA_KEYS, read_entries, read_sweep
from mic_eval.tcm.answers import read_answers
from mic_eval.tcm.choices import read_choice
from mic_eval.tcm.command import read_corrections
from mic_eval.tcm.items import ExamItems, Item, read_items, read_rows
from mic_eval.tcm.judges import read_people, read_points, read_preference
from mic_eval.tcm.prescriptions import formula, read_prescription
from mic_eval.tcm.prompts import read_prompt
from mic_eval.tcm.rating import open_round, plan_ratings, rating_items, read_sheet
from mic_eval.tcm.values import read_fields, read_list, read_number, read_truth

HERE = Path(__file__).parent


def table(*rows, sep=","): return "".join(sep.join(map(str, row))+"\n" for row in rows)


def columns(**named): return pd.DataFrame(named).to_csv(index=False)


def jsonl(*rows): return "".join(json.dumps(row, ensure_ascii=False)+"\n" for row in rows)


def zipped(parts, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        for name, content in parts.items(): z.writestr(name, content)
    return out.getvalue()


def npy(a, **how):
    out = io.BytesIO()
    np.lib.format.write_array(out, np.asarray(a), **how)
    return out.getvalue()


def npz(**named):
    out = io.BytesIO()
    np.savez_compressed(out, **named)
    return out.getvalue()


def parquet(t, **how):
    out = io.BytesIO()
    pq.write_table(t if isinstance(t, pa.Table) else pa.table(t), out, **how)
    return out.getvalue()


def book(*rows, look=lambda sheet: None, **more):
    "A workbook: its first sheet, `look` on it, and further sheets of rows"
    from openpyxl import Workbook
    made = Workbook()
    for row in rows: made.active.append(row)
    for name, held in more.items():
        sheet = made.create_sheet(name)
        for row in held: sheet.append(row)
    look(made.active)
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def rebuilt(raw, **members):
    "A workbook with members of other content; a name's `_` is its `/`"
    with zipfile.ZipFile(io.BytesIO(raw)) as z: held = {n: z.read(n) for n in z.namelist()}
    return zipped(held | {k.replace("__", "/")+".xml": change(held.get(k.replace("__", "/")+".xml", b""))
                          for k, change in members.items()})


TEN = [[f"s{i}", i % 2, i/10] for i in range(10)]
HEAD = ["sample_id", "y_true", "y_prob"]


def of_files():
    "Archives, arrays, budgets and JSON"
    def large(path): path.write_bytes(b"x"*(1 << 20)+b"y")
    def tight(read, **figures):
        def inside(path):
            with budget(**figures): return read(path)
        return inside
    deep, many = "["*200+"]"*200, "[" + "[],"*200 + "{}]"
    json_of = lambda path: parsed_json(path.read_text())
    opened = lambda path: array_header(path.open("rb"))
    def archived(path):
        with reading(path.name, "archive"): archive(path).close()
    yield "archive", archived, [
        ("a.zip", zipped({"a": "x"}), ""), ("a.zip", zipped({"a": "x"}, zipfile.ZIP_BZIP2), "packed with method"),
        ("a.zip", b"PK\6\6"+bytes(60), "no archive"), ("a.zip", b"nothing", "no archive")]
    yield "archive, tight", tight(archived, members=1), [
        ("a.zip", zipped({"a": "x", "b": "y"}), "2 members")]
    def named(read):
        def inside(path):
            with reading(path.name, "archive of arrays"): return read(path)
        return inside
    yield "arrays", named(arrays), [
        ("a.npz", npz(a=[1, 2]), ""), ("a.npz", zipped({"a.npy": npy([1.]), "note.txt": "x"}), ""),
        ("a.npz", zipped({"a.npy": npy(np.array([{}]))}), "pickled"),
        ("a.npz", zipped({"a.npy": npy([1.], version=(2, 0))}), "")]
    yield "arrays, some", named(lambda path: arrays(path.read_bytes(), ["b"])), [("a.npz", npz(a=[1], b=[2]), "")]
    yield "header of an array", named(opened), [
                                         ("a.npy", npy([1.]).replace(b"(1,), ", b"(-1,),"), "shape")]
    yield "read at once", read_at_once, [("a.txt", "x", ""), (".", None, ""), ("none/such", None, "")]
    yield "hash", file_hash, [("a.bin", large, ""), ("a.xlsx", book(HEAD, *TEN), "")]
    yield "hash of a sheet", lambda path: file_hash(f"{path}#Sheet"), [("a.xlsx", book(HEAD, *TEN), "")]
    yield "budget", lambda path: budget_from(path.read_text()), [
        ("b.txt", "unpacked=4GB,,columns=10", ""), ("b.txt", "depth=1e3", ""), ("b.txt", "colums=3", "no figure"),
        ("b.txt", "depth=many", "takes a number"), ("b.txt", "depth=0", "takes a number")]
    yield "within", lambda path: within_budget("unpacked", min(float(path.read_text()), 1e18)), [
        ("w.txt", "300000000", "300 MB unpacked"), ("w.txt", "4e9", "4 GB"), ("w.txt", "2e12", "2000 GB"),
        ("w.txt", "7", "")]
    yield "within rows", lambda path: within_budget("rows", min(float(path.read_text()), 1e18)), [
        ("w.txt", "7", ""), ("w.txt", "1e9", "1,000,000,000 rows")]
    yield "json", json_of, [("j.json", deep, "levels"), ("j.json", many, ""), ("j.json", "{", "Expecting")]
    yield "depth", lambda path: json_depth(path.read_bytes()), [("j.json", r'{"a[\"": [1, "\\"]}', ""),
                                                                ("j.json", "1", "")]
    yield "name or file", lambda path: file_named(path.read_text(), ["default"], "suite"), [
        ("n.txt", "default", ""), ("n.txt", "no/such.yml", "no suite file"), ("n.txt", "defaul", "did you mean"),
        ("n.txt", __file__, "")]


def of_text_tables():
    "CSV: encodings, separators, margins, faults of a row"
    chinese = "编号,真值,y_prob\n"+"".join(f"药敏{i},{i % 2},.{i}\n" for i in range(1, 9))
    numbered = table(HEAD, *TEN)
    mixed = "id,a\n".encode()+"药敏,1\n".encode()*3+"细菌,2\n".encode("gb18030")
    rows = [[f"s{i}", i, i % 2] for i in range(30)]
    text = [
        ("t.csv", numbered.encode("utf-16"), ""), ("t.csv", b"a\0b,c\n1,2\n", "not a text file"),
        ("t.csv", chinese.encode("gb18030"), ""), ("t.csv", "naïve,café\n1,2\n".encode("cp1252"), ""),
        ("t.csv", b"na\xefve,caf\x81e\n1,2\n", ""), ("t.csv", b"a,\xb0\n1,\x80\xff\n", ""),
        ("t.csv", numbered.encode("cp037"), "EBCDIC"),
        ("t.csv", "x,y\n药敏细菌,1\n".encode("utf-7"), "UTF-7"),
        ("t.csv", "x,y\n"+"a+b,1\n"*20000, ""), ("t.csv", "x,y\na+b,1\n", ""), ("t.csv", b"x,y\n+AB,1\n", ""),
        ("t.csv", mixed, "two encodings"), ("t.csv", b"x,a\n"+"细菌,1\n".encode("gb18030")*3+"药敏,1\n".encode(),
            "two encodings"),
        ("t.csv", chinese.encode()+"药敏".encode()[:5], "ends within a character"),
        ("t.csv", "é,a\n".encode("cp1252")+"é,1\n".encode()*2, "two encodings"),
        ("t.csv", table(HEAD, *TEN, sep=";").replace(".", ","), ""), ("t.csv", table(HEAD, *TEN, sep="|"), ""),
        ("t.tsv", table(HEAD, *TEN, sep="\t"), ""), ("t.txt", table(HEAD, *TEN, sep="\t"), ""),
        ("t.csv", "Study of plates\n\nmade 2026\n"+numbered, ""), ("t.csv", "# made by x\n"+numbered, ""),
        ("t.csv", "#n,a\n1,2\n3,4\n", ""), ("t.csv", "t\n"*25+numbered, "row 26 has 3 cells"),
        ("t.csv", "\n\n"+numbered, ""),
        ("t.csv", table(["", *HEAD], *([i, *row] for i, row in enumerate(TEN))), ""),
        ("t.csv", table([*HEAD, ""], *([*row, ""] for row in TEN)), ""),
        ("t.csv", table(["", *HEAD], *([7*i, *row] for i, row in enumerate(TEN))), ""),
        ("t.csv", table(["", *HEAD], *([i+3, *row] for i, row in enumerate(TEN))), ""),
        ("t.csv", table(HEAD, *([*row, ""] for row in TEN)), ""),
        ("t.csv", table(HEAD, *([i, *row] for i, row in enumerate(TEN, 1))), ""),
        ("t.csv", table(HEAD, *([i, *row] for i, row in enumerate(TEN, 5))), "which column has none"),
        ("t.csv", "a,b\n1,2,3\n1,2\n", "row 2 has 3 cells"), ("t.csv", "a,b\n1,2\n1,2,3\n", "row 3 has 3 cells"),
        ("t.tsv", "a\tb\n1\t2\n1\t2\t3\n", "a tab"),
        ("t.csv", "a,b\n1,"+"9"*120+"\n1,2\n", ""), ("t.csv", "a,b,c\n1,2,3\n4,5\n6,7,8\n9\n", "row 3 has 2 cells"),
        ("t.csv", 'a,b,c\n"1,5",2,3\n4,5\n6,7,8\n', "row 3 has 2 cells"), ("t.csv", 'a,b\n"1\n2",3\n4,5\n', ""),
        ("t.csv", 'a,b\n1,"2\n3,4\n', "never closes"), ("t.csv", "a,b,\n1,2,\n3\n", "row 3 has 1"),
        ("t.csv", numbered.rstrip("\n"), ""), ("t.csv", numbered.rstrip("\n")[:-1], "was the file cut off"),
        ("t.csv", "a,b\n"+"1,0.125\n"*6+"1,0.1", "was the file cut off"), ("t.csv", "a,b\n1,22\n1,3e-", "cut off"),
        ("t.csv", "a,b\n1,22\n1", "row 3 has 1"), ("t.csv", "a,b\n1,2\na,b\n3,4\n", "says the headings again"),
        ("t.csv", "a\n1\na\n", ""), ("t.csv", "a,b\nx,2\nz,b\n", ""), ("t.csv", "a,b,a\n1,2,3\n", "stands twice"),
        ("t.csv", "a,b\n1,2\n,\n3,4\n", ""), ("t.csv", "", "the file is empty"),
        ("t.csv", "well,,unit\n"+"A1,1,mg\n"*3, ""),
        ("t.csv", "id,conc,size\n,mg/L,mm\n"+"a,1,2\nb,2,3\n"*3, ""),
        ("t.csv", "plate,,growth,\n,row,,time\n"+"x,1,2,3\ny,2,3,4\n"*2, ""),
        ("t.csv", table(["drug", "n", "mic"], *([f"d{i}", i, i] for i in range(8)), ["Total", 28, ""]), ""),
        ("t.csv", table(["drug", "n", "mic"], *([f"d{i}", i, i] for i in range(8)),
                ["Note: read by two people", "", ""],
                        ["Mean", 3.5, ""]), ""),
        ("t.csv", table(["drug", "n", "mic"], *([f"d{i}", i, ""] for i in range(8)), ["Total", 28, ""]), ""),
        ("t.csv", table(["drug", "n", "mic"], ["Total", 28, ""], *([f"d{i}", i, 2] for i in range(8))), ""),
        ("t.csv", table(["a", "b"], *([row[0], row[2]] for row in rows), ["Total", ""]), ""),
        ("t.csv", " a , b \n x , 1 \n  ,2\n", ""), ("t.csv", "a\n\n1\n", ""), ("t.csv", "0.1,.2\n1,2\n", ""),
        ("t.csv", book(HEAD, *TEN), "call it .xlsx"), ("t.xlsx", numbered, "call it .csv"),
        ("t.xls", "x", "save it as .xlsx"), ("t.sav", "x", "not .sav"), ("t", "x", "without ending"),
        ("folder", Path.mkdir, "is a folder"), ("none.csv", None, "no file"),
        ("t.csv", "a,b\r1,2\r3,4\r", ""), ("t.csv", 'a,b\n"x""y",1\n', "")]
    yield "read_table", read_table, text
    yield "read_table, as text", lambda path: read_table(path, as_text=True), [
        ("t.csv", numbered, ""), ("t.csv", table(["drug", "n", "mic"], *([f"d{i}", i, i] for i in range(8)),
                                                 ["Total", 28, ""]), ""), ("t.xlsx", book(HEAD, *TEN), "")]
    yield "read_table, its rows", lambda path: read_table(path).rows([0]), [
        ("t.csv", "title\n\na,b\n1,2\n\n3,4\n", ""), ("t.csv", "a,b\n1,2\n", ""), ("t.xlsx", book(HEAD, *TEN), ""),
        ("t.jsonl", '{"a": 1}\n\n{"a": 2}\n', "")]


def of_other_tables():
    "Excel, Parquet, JSON, arrays"
    from openpyxl.styles import Font
    def looks(sheet):
        for row in range(2, 8): sheet.cell(row, 3).number_format = '"<="0.00'
        sheet["C5"].number_format = '0.0" mg/L"'
        sheet["A3"].font = Font(strike=True)
        sheet["C6"] = True
        sheet["B7"] = None
        sheet.column_dimensions["B"].hidden = True
    def many_struck(sheet):
        for row in range(2, 9): sheet.cell(row, 1).font = Font(strike=True)
    def hidden(sheet):
        for row in (4, 5, 6, 7, 8, 9): sheet.row_dimensions[row].hidden = True
    def hidden_empty(sheet): sheet.row_dimensions[40].hidden = True
    def merged(sheet): sheet.merge_cells("A2:A4")
    def merged_across(sheet): sheet.merge_cells("A2:B2")
    def dated(sheet): sheet["C4"] = date(2024, 2, 1)
    def all_dates(sheet):
        for row in range(2, 12): sheet.cell(row, 3).value = date(2024, 2, row)
    def broken(sheet): sheet["C4"] = "#REF!"
    def title(sheet): sheet.insert_rows(1, 2); sheet["A1"] = "Study"
    def again(sheet): sheet.append(HEAD); sheet.append(TEN[0])
    plain = book(HEAD, *TEN)
    sheet = "xl__worksheets__sheet1"
    swap = lambda old, new: lambda held: held.replace(old, new, 1)
    yield "workbook", read_table, [
        ("t.xlsx", plain, ""), ("t.xlsx", book(HEAD, *TEN, look=looks), ""), ("t.xlsm", plain, ""),
        ("t.xlsx", book(HEAD, *TEN, look=many_struck), ""), ("t.xlsx", book(HEAD, *TEN, look=hidden), "are hidden"),
        ("t.xlsx", book(HEAD, *TEN, look=hidden_empty), ""), ("t.xlsx", book(HEAD, *TEN, look=merged), ""),
        ("t.xlsx", book(HEAD, *TEN, look=merged_across), ""), ("t.xlsx", book(HEAD, *TEN, look=dated), "2024-02-01"),
        ("t.xlsx", book(HEAD, *TEN, look=all_dates), ""), ("t.xlsx", book(HEAD, *TEN, look=broken), ""),
        ("t.xlsx", book(HEAD, *TEN, look=title), ""), ("t.xlsx", book(HEAD, *TEN, look=again), "headings again"),
        ("t.xlsx", book(HEAD, *TEN, notes=[["x"]], more=[HEAD, *TEN]), ""), ("t.xlsx", book(more=[HEAD, *TEN]), ""),
        ("t.xlsx", book(), ""), ("t.xlsx", book(["a", "b", "a"], [1, 2, 3]), "stands twice"),
        ("t.xlsx", book(["drug", "n", "mic"], *([f"d{i}", i, i] for i in range(8)), ["Total", 28, None]), ""),
        ("t.xlsx", book(["id", "conc", "size"], ["", "mg/L", "mm"], *([f"d{i}", i, i] for i in range(8))), ""),
        ("t.xlsx", book(["sample_id", "x"], [1., "a"], [2., "b"]), ""),
        ("t.xlsx#More", book(HEAD, more=[]), "not .xlsx#more"),
        ("t.xlsx", rebuilt(plain, **{sheet: swap(b"<sheetData>", b'<!DOCTYPE x><sheetData>')}), "declares entities"),
        ("t.xlsx", rebuilt(plain, **{sheet: lambda held: held.decode().encode("utf-16")}), "not written in UTF-8"),
        ("t.xlsx", rebuilt(plain, **{sheet: swap(b'r="A1"', b'r="&#65;1"')}), "not written plainly"),
        ("t.xlsx", rebuilt(plain, xl__workbook=swap(b"<sheets>", b'<sheets><sheet name="x" sheetId="9"/>')),
            "names 2"),
        ("t.xlsx", rebuilt(plain, xl__media__a=lambda held: b"<!DOCTYPE x>"), ""),
        ("t.xlsx", zipped({"a.txt": "x"}), "no workbook")]
    yield "sheet asked for", lambda path: read_table(f"{path}#More"), [
        ("t.xlsx", book(["x"], more=[HEAD, *TEN]), ""), ("t.xlsx", book(["x"], MORE=[HEAD, *TEN]), ""),
        ("t.xlsx", book(HEAD, *TEN), "no sheet 'More'")]
    word = pa.array(["x"*100_000, "y"]*2).dictionary_encode()
    swelling = pa.DictionaryArray.from_arrays(pa.array([0]*6000, pa.int32()), word.dictionary)
    rarely = pa.DictionaryArray.from_arrays(pa.array([1]*6000+[0], pa.int32()), word.dictionary)
    lists = pa.array([["a", "b"], ["a"]]*50)
    named = pa.Table.from_pandas(pd.DataFrame(dict(a=[1, 2]), index=pd.Index(["x", "y"], name="key")))
    twice = pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])
    bad_text = pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(struct.pack("<ii", 0, 2)),
            pa.py_buffer(b"\xff\xfe")])
    yield "parquet", read_table, [
        ("t.parquet", parquet(dict(a=["x", "y"], b=[1, 2])), ""), ("t.pq", parquet(dict(a=[1, 2])), ""),
        ("t.parquet", parquet(dict(a=lists, b=pa.array([dict(c="x", d="y")]*100))), ""),
        ("t.parquet", parquet(dict(a=swelling)), "unpacked"), ("t.parquet", parquet(dict(a=rarely)), ""),
        ("t.parquet", parquet(dict(a=rarely, b=pa.array([["x"]]*6001))), ""),
        ("t.parquet", parquet(dict(a=pa.array([dict(c="x"*100_000)]+[dict(c="y")]*6000))), ""),
        ("t.parquet", parquet(dict(a=pa.array([["x"*100_000]]+[["y"]]*6000))), ""),
        ("t.parquet", parquet(dict(a=["long text"]*9), use_dictionary=False,
                column_encoding=dict(a="DELTA_BYTE_ARRAY")), ""),
        ("t.parquet", parquet(named), ""), ("t.parquet", parquet(twice), "stands twice"),
        ("t.parquet", parquet(pa.table(dict(a=bad_text))), "cannot be read"),
        ("t.parquet", parquet(dict(a=pa.array([], pa.string()))), ""),
        ("t.parquet", parquet(pa.table(dict(a=[1])).replace_schema_metadata(dict(mic_eval="{"))), "cannot be read"),
        ("t.parquet", parquet(dict(a=pa.array([None]*5, pa.string()))), ""),
        ("t.parquet", b"PAR1PAR1", "cannot be read")]
    yield "json", read_table, [
        ("t.json", '[{"a": 1, "b": "x"}, {"a": 2}]', ""), ("t.json", '{"a": [1, 2], "b": [3, 4]}', ""),
        ("t.json", '{"a": 1, "b": 2}', ""), ("t.json", '{"a": {"0": 1}, "b": {"0": 2}}', ""),
        ("t.json", "[1, 2]", ""),
        ("t.json", '{"a": 1}\n{"a": 2}\n', ""), ("t.json", '{"a": 1}\n{"a": \n', "line 2"),
        ("t.json", "3", "cannot be read"),
        ("t.jsonl", '{"a": 1}\n\n{"a": 2}\n', ""), ("t.jsonl", '{"a": 1}\nx\n', "line 2"), ("t.jsonl", "1\n2\n", "")]
    yield "arrays of a table", read_table, [
        ("t.npz", npz(y_true=[0, 1], y_prob=[.1, .9]), ""), ("t.npz", npz(y_true=[0, 1], probs=[[.9, .1], [.2, .8]]),
            ""),
        ("t.npz", npz(y_true=[0, 1], y_prob=[[.9], [.1]]), ""), ("t.npz", npz(y_true=[0, 1], x=[[1, 2], [3, 4]]), ""),
        ("t.npz", npz(x=np.zeros((2, 2, 2))), "3 axes"), ("t.npz", npz(a=[1, 2], b=[1, 2, 3]), "are no table"),
        ("t.npz", npz(), "are no table")]


def read_yaml(text):
    import yaml
    return yaml.safe_load(text)


def of_words():
    "YAML, results, notes of runs"
    yield "yaml", read_yaml_file, [
        ("y.yml", "a: [1, 2.5]\nb: {c: x}\n", ""), ("y.yml", "a: !x 1\n", "could not determine"),
        ("y.yml", "a: !x [1]\n", "tag"),
        ("y.yml", "a: "+"9"*401+"\n", "more than 400"), ("y.yml", "a: !!int x\n", "y.yml:1"),
        ("y.yml", "a: !!timestamp 2020-13-45\n", "y.yml:1"), ("y.yml", "a: !!timestamp no\n", "is no timestamp"),
        ("y.yml", "? [a]\n: 1\n", "a key must be one word"), ("y.yml", "a: 1\na: 2\n", "stands twice"),
        ("y.yml", "", "nothing in it"), ("y.yml", "a: &x 1\nb: *x\n", "aliases are not read"),
        ("y.yml", "["*120+"]"*120, "levels"),
        ("y.yml", "a: \x07\n", "control character"), ("y.yml", "a: [1\n", "y.yml:2"),
        ("y.yml", "a: [1\n"+"#"*20_001, "y.yml"),
        ("y.yml", "a: 1\n---\nb: 2\n", "y.yml"), ("y.yml", "#"*200_001, "characters"),
        ("y.yml", b"a: \xff\n", "cannot be read"),
        ("none.yml", None, "no file"), ("y.yml", "a: !!bool maybe\n", "is no bool"),
        ("y.yml", "a: 1_000\nb: 0x1F\nc: .inf\n", "")]
    score = dict(value=.5, lo=.2, hi=.8, k=5., n=10, groups=None, level=.9, method="wilson",
        reason=dict(type="text", code="{n} rows", n=3))
    held = dict(schema=2, a=score, none=dict(value=None, lo=None, hi=None, n=1.5),
        gone=dict(type="not applicable", reason="no drug"),
                bad=dict(type="failed", reason="x"), text=dict(type="text", code="n", n=1), list=[1, score, [2]],
                curve=dict(type="curve", x=[0, 1], y=[0, None], lo=[0, 0], xlabel="x", ylabel="y", note="",
            extra=dict(t=[1, None]), area=score),
                plain=dict(type="curve", x=[0], y=[0], xlabel="", ylabel="", note="", extra={}),
                table=dict(type="table", columns=dict(a=[1, 2], b=[score, score])),
        inside=dict(type="named", entries=dict(value=1, lo=2, hi=3)),
                named=dict(type="failed", reason="x", more=1), value=dict(value=dict(value=1), lo=1, hi=2))
    change = lambda **more: json.dumps(held | more)
    curve = held["curve"]
    yield "results", from_json, [
        ("r.json", json.dumps(held), ""), ("r.json", change(schema=1), ""),
        ("r.json", change(schema=0), "nothing leads from 0"),
        ("r.json", change(schema=9), "newer mic-eval"), ("r.json", change(schema="2"), "a whole number is needed"),
        ("r.json", "[1]", "must be a JSON object"), ("r.json", "{", "not JSON"),
        ("r.json", '{"schema": 2, "a": '+"9"*301+"}", "301 digits"),
        ("r.json", "["*150+"]"*150, "levels"), ("r.json", change(a=score | dict(level=2)), "ci"),
        ("r.json", change(a=score | dict(n="x")), "could not convert"),
        ("r.json", change(curve=curve | dict(y=[0])), "curve: y has 1 points"),
        ("r.json", change(curve=dict(type="curve")), "damaged results"),
        ("r.json", change(a=score | dict(k=1e400)), None)]
    yield "results, as text", lambda path: from_json(path.read_text()), [("r.json", json.dumps(held), ""),
        ("r.json", "{"*150, "levels")]
    def looked_at(path):
        r = from_json(path)
        curves = [(o.frame(), len(o)) for o in r.values() if isinstance(o, Curve)]
        return r.frame(), curves, [o.value for o in r.values() if isinstance(o, Score)]
    yield "results, looked at", looked_at, [
        ("r.json", json.dumps(held), ""), ("r.json", json.dumps(held), "")]


def of_kinds():
    "Tables of pairs, maps, answers and trials, and what a suffix says of them"
    pairs = columns(id=["a", "b"], reference=["1", "2"], test=["1", "4"], variant=["", "x"], patient=["p", "q"])
    yield "pairs of a table", lambda path: (lambda t: (t.frame(), t[0], t.groups, t.known,
            len(t)))(Pairs.read(path)), [
        ("p.csv", pairs, ""), ("p.csv", columns(reference=["1", ""], test=["1", "2"]), ""),
        ("p.csv", columns(reference=[1, 2]), "column 'test'"),
        ("p.csv", columns(test=[1, 2]), "column 'reference'"),
        ("p.csv", columns(id=["a", None], reference=[1, 2], test=[1, 2]), "sample_id is empty"),
        ("p.csv", columns(id=["a", "a"], reference=[1, 2], test=[1, 2]), "more than once"),
        ("p.csv", "reference,test\n", "no rows"),
        ("p.parquet", parquet(pa.table(dict(sample_id=["a"], reference=["1"], test=["2"])).replace_schema_metadata(
            dict(mic_eval=json.dumps(dict(table="trials"))))), "holds trials")]
    images = columns(image=["a", "b", "c"], label=[0, 1, -1], anomaly_score=[.1, .9, .5])
    def with_maps(path):
        np.save(path.parent/"m.npy", np.ones((2, 2)))
        path.write_text("sample_id,label,maps,masks,roi\na,1,m.npy,m.npy,m.npy\nb,0,gone.npy,,\nc,0,m.npy#0,,x\n")
    def opened(path):
        t = Maps.read(path)
        return t.map(0), t.mask(0), t.frame()
    yield "maps of a table", lambda path: Maps.read(path).known, [
        ("m.csv", images, ""), ("m.csv", with_maps, ""), ("m.csv", columns(sample_id=["a"], score=[1]),
            "need a column 'label'"),
        ("m.csv", columns(sample_id=["a", "b"], label=[0, 2], score=[1, 2]), "must be 1, 0 or -1"),
        ("m.csv", columns(sample_id=["a"], label=["x"], score=[1]), "could not convert")]
    yield "maps of a table, opened", opened, [
        ("m.csv", with_maps, ""), ("m.csv", images, "no maps in this table"),
        ("m.csv", "sample_id,label,maps,masks\na,1,,\nb,0,x,\n", "no map in row 0"),
        ("m.csv", "sample_id,label,maps\na,1,gone.npy\n", "gone.npy cannot be read")]
    yield "answers of a table", lambda path: Answers.read(path).known, [
        ("a.csv", columns(id=["a"], response=["x"], reference=["y"]), ""),
        ("a.csv", columns(id=["a"], response=["x"]), ""),
        ("a.csv", columns(id=["a"]), "need a column 'response'")]
    listed = pa.table(dict(sample_id=["a", "b"], method=["m", "m"],
            values=['{"accuracy": 0.5}', None])).replace_schema_metadata(
        dict(mic_eval=json.dumps(dict(table="trials", listed=["values"]))))
    yield "trials of a table", lambda path: (lambda t: (t.known, t.metric("accuracy")))(Trials.read(path)), [
        ("t.parquet", parquet(listed), ""), ("t.csv", columns(method=["m"]), "values of metrics, or predictions"),
        ("t.csv", columns(values=['{"a": 1}']), "column 'method'"),
        ("t.csv", columns(method=["m"], values=['{"accuracy": 0.5}']), "")]
    yield "any table", read_any, [("t.parquet", parquet(listed), ""), ("t.csv", table(HEAD, *TEN), ""),
                                  ("t.parquet", parquet(dict(y_true=[0, 1], y_prob=[.1, .9])), "")]
    yield "trials or predictions", read_noise_table, [("t.parquet", parquet(listed), ""),
        ("t.csv", table(HEAD, *TEN), ""),
                                                      ("t.csv", columns(method=["m"], values=['{"accuracy": 0.5}']),
            "")]


def of_predictions():
    "Tables of predictions: which column, which class, which kind"
    def saved(path):
        p = read_predictions(pd.DataFrame(dict(y_true=[0, 1]*4, y_prob=np.linspace(.1, .8, 8))))
        from dataclasses import replace
        replace(p, outputs=dict(features=np.zeros((8, 2, 3)), confidence=np.ones(8))).save(path)
    two = lambda scores, **more: columns(y_true=["cat", "dog"]*4, **{scores: np.linspace(.1, .8, 8)}, **more)
    three = lambda a="prob_a", b="prob_b", c="prob_c", truth=("a", "b", "c"), **more: columns(
        y_true=list(truth)*3, **{a: [.8, .1, .1]*3, b: [.1, .8, .2]*3, c: [.1, .1, .7]*3}, **more)
    binary = lambda **named: columns(y_true=[0, 1]*4, **named)
    high = np.linspace(.1, .8, 8)
    k = lambda **how: how
    cases = [
        ("t.csv", binary(y_prob=high), ""), ("t.csv", binary(y_logit=high*4), ""),
        ("t.csv", binary(y_score=high*9), ""),
        ("t.csv", binary(y_pred=[0, 1]*4), ""), ("t.csv", binary(y_pred=[0, 1]*4), "compared with itself",
            k(y_pred="y_true")),
        ("t.csv", "0,.1\n1,.9\n0,.2\n", "no names of columns"), ("t.csv", "a,b\n1,2\n", "no column 'y_true'"),
        ("t.csv", "y_true,y_prob\n", "no rows"),
        ("t.csv", columns(sample_id=["a"], y_prob=[.2]), "", k(unlabelled=True)),
        ("t.csv", columns(true_a=[1, 0], true_b=[0, 1], prob_a=[.9, .1], prob_b=[.1, .9]), ""),
        ("t.csv", columns(true_a=[1, 1], true_b=[0, 1], y_prob=[.9, .1]), "no column 'y_true'"),
        ("t.csv", three(), ""),
        ("t.csv", three(truth=(0, 1, 2)), "class numbers"), ("t.csv", three(truth=(0, 1, 2), y_pred=[0, 1, 2]*3), ""),
        ("t.csv", three(truth=(0, 1, 2), y_pred=[0, 1, 2]*3).replace("0.8", "0.12024-02-31", 1), "class numbers"),
        ("t.csv", three(truth=(0, 1, 2)), "", k(classes="a b c".split())),
        ("t.csv", three("prob_0", "prob_1", "prob_2", truth=(0, 1, 2)), ""),
        ("t.csv", binary(prob_a=1-high, prob_b=high), "positive='a'", k(positive="a")),
        ("t.csv", binary(prob_no=1-high, prob_yes=high), ""),
        ("t.csv", columns(y_true=["cat"]*3, y_pred=["cat"]*3), "one value only"),
        ("t.csv", columns(y_true=[0, 2, 3], y_pred=[2, 0, 3]), ""),
        ("t.csv", columns(y_true=["cat", "dog"], y_pred=["dog", "dog"]), "", k(positive="cat")),
        ("t.csv", columns(y_true=["cat", "dog"], y_pred=["dog", "dog"]), "no class 'cow'", k(positive="cow")) ,
        ("t.csv", columns(y_true=["Cat", "cat", "dog"], y_pred=["dog", "cat", "dog"]), ""),
        ("t.csv", columns(y_true=["cat", "dog", "unknown"], y_pred=["dog", "dog", "cat"]), ""),
        ("t.csv", columns(y_true=["cat", "dog", "n/a"]*2, y_pred=["dog", "dog", "cat"]*2), "n/a"),
        ("t.csv", columns(y_true=["cat", "dog", "na"]*2, cat=[.5]*6, dog=[.3]*6, na=[.2]*6), ""),
        ("t.csv", two("y_prob"), "which class is"), ("t.csv", two("prob_cat"), ""), ("t.csv", two("prob_dog"), ""),
        ("t.csv", two("y_prob"), "", k(positive="dog")),
        ("t.csv", two("prob_cow"), "which class is"), ("t.csv", two("y_prob"), "", k(classes=["dog", "cat"])),
        ("t.csv", two("prob_cat"), "positive", k(positive="dog")),
        ("t.csv", columns(y_true=["no", "yes"]*4, prob_no=high), "is of the class"),
        ("t.csv", columns(y_true=["sick", "well"]*4, prob_negative=high), "is of the class"),
        ("t.csv", columns(y_true=["a", "b", "c"]*2, y_prob=high[:6]), "one score a row fits two classes"),
        ("t.csv", three("prob_b", "prob_a", "prob_c"), ""), ("t.csv", three("p1", "p2", "p3"),
            "y_true must be 1 or 2 or 3", k(y_score=["p1", "p2", "p3"], kind="prob")),
        ("t.csv", three("p1", "p2", "p3"), "", k(y_score=["p1", "p2", "p3"], kind="prob", classes="a b c".split())),
        ("t.csv", three("p1", "p2", "p3"), "columns of scores",
            k(y_score=["p1", "p2"], kind="prob", classes="a b c".split())),
        ("t.csv", three("a", "b", "x"), "names none of the classes",
            k(y_score=["a", "b", "x"], kind="prob", classes="a b c".split())),
        ("t.csv", three("0", "1", "2"), "", k(y_score=["2", "1", "0"], kind="score", classes="a b c".split())),
        ("t.csv", binary(y_prob=[.1, None]*4), "is empty, nan"), ("t.csv", binary(y_prob=[10, 90]*4), "per cent"),
        ("t.csv", binary(y_prob=[10, 90]*4), "", k(y_score="y_prob", kind="percent")),
        ("t.csv", binary(y_prob=["10%", "90%"]*4), ""), ("t.csv", binary(y_prob=[-.5, .9]*4), "below 0"),
        ("t.csv", binary(y_prob=[.5, 1.2]*4), "must lie between 0 and 1"),
        ("t.csv", binary(y_prob=[.5, 300]*4), "must lie between 0 and 1"),
        ("t.csv", binary(x=high), "", k(y_score="x", kind="prob")),
        ("t.csv", columns(y_true=["a", "a", "b", "b"]*3, klass=["a", "b"]*6, y_prob=[.9, .1, .2, .8]*3),
            "names every class in turn"),
        ("t.csv", columns(y_true=["a", "a", "b", "b"]*3, klass=["a", "a"]*6, prob_b=[.9, .1, .2, .8]*3), ""),
        ("t.csv", columns(y_true=["a", "b"]*6, y_pred=["a", None]*6), "y_pred is empty"),
        ("t.csv", binary(y_prob=high, y_pred=[0, 1]*4), "", k(threshold=.4)),
        ("t.csv", binary(y_pred=high), "holds fractions"), ("t.csv", columns(y_true=[.5, 1.5]*4, y_pred=[.5, 1.5]*4),
            ""), ("t.csv", binary(y_pred=[None]*8), "y_pred is empty"),
        ("t.csv", binary(y_prob=high, weight=[1, 2]*4, variant=["", "x"]*4, sample_id=list("abcdefgh"),
                patient=list("aabbccdd"), 菌株=list("aabbccdd")), ""),
        ("t.csv", binary(y_prob=high, sample_id=[None, *"bcdefgh"]), "sample_id is empty"),
        ("t.csv", binary(y_prob=high), "kind must be one of", k(kind="x")),
        ("t.csv", binary(x=high), "say what 'x' holds", k(y_score="x")),
        ("t.csv", binary(x=high*50), "say what 'x' holds", k(y_score="x")),
        ("t.csv", binary(a=1-high, b=high), "say what 'a', 'b' holds", k(y_score=["a", "b"])),
        ("t.csv", binary(x=high), "names one column twice", k(y_score=["x", "x"], kind="prob")),
        ("t.csv", binary(x=high), "y_score and y_true are both", k(y_score="y_true", kind="prob")),
        ("t.csv", binary(x=high), "no column 'z'", k(y_score="z", kind="prob")),
        ("t.csv", binary(y_logit=high), "kind='prob' is said, but", k(kind="prob")),
        ("t.csv", binary(y_pred=[0, 1]*4), "no column holds scores", k(kind="prob")),
        ("t.csv", binary(x=["a", "b"]*4), "no predictions"), ("t.csv", binary(x=["a", "b"]*4), "no predictions",
            k(kind="prob")),
        ("t.csv", columns(y_true=["cat", "dog"]*4, cat=1-high, dog=high), ""),
        ("t.csv", columns(y_true=["cat", "dog"]*4, cat=[0, 1]*4, dog=[1, 0]*4), "hold 0 and 1 alone"),
        ("t.csv", columns(y_true=["cat", "dog"]*4, cat=[3, 5]*4, dog=[2, 7]*4, y_pred=["cat", "dog"]*4,
                count_cat=[1, 2]*4), "what do they hold"),
        ("t.csv", columns(y_true=["cat", "dog"]*4, cat=[.1, .2]*4, dog=[.2, .3]*4, cow=[.7, .5]*4),
            "sum to 1 only with"), ("t.csv", columns(y_true=["cat", "dog"]*4, cat=[3, .2]*4, dog=[.2, 9]*4),
            "what do they hold"),
        ("t.csv", columns(y_true=["cat", "dog"]*4, cat=["x", "y"]*4, dog=["z", "w"]*4, y_pred=["cat", "dog"]*4), ""),
        ("t.csv", columns(y_true=["cat", "dog"]*4, cat=[".1", "y", ".2", ".3"]*2, dog=[.2, .3]*4), "cat"),
        ("t.csv", columns(y_true=["cat", "dog"]*4, cat=[None, .2]*4, dog=[.2, .3]*4), "is empty, nan"),
        ("t.csv", columns(y_true=["cat", "dog"]*4, dog=high, y_pred=["cat", "dog"]*4), "is called as a class"),
        ("t.csv", columns(y_true=[f"c{i}" for i in range(120)], y_pred=[f"c{i}" for i in range(120)]), ""),
        ("t.csv", binary(y_prob=[.9, .8]*4, y_pred=[0, 1]*4), "class"),
        ("t.csv", binary(y_prob=[.9, .1]*4, y_pred=[0, 1]*4), "is higher where"),
        ("t.csv", columns(growth=[0, 1]*4, y_prob=high, drug=["X"]*8, concentration=[1, 2]*4, plate=["p"]*8), ""),
        ("t.csv", columns(growth=["clear", "growth"]*4, y_prob=high), "must be no growth or growth", k(field="mic")),
        ("t.csv", columns(truth=[0, 1]*4, target=[0, 1]*4, y_prob=high), "", k(y_true="truth")),
        ("t.csv", columns(truth=[0, 1]*4, target=[1, 0]*4, y_prob=high), "y_true"),
        ("t.csv", columns(truth=[0, 1]*4, y_prob=high), "no column", k(y_true="nothing")),
        ("t.csv", binary(y_prob=high, prob_0=1-high, prob_1=high), ""),
        ("t.csv", binary(prob_0=high), "is of the class"), ("t.csv", three("logit_a", "logit_b", "logit_c"), ""),
        ("t.csv", three("prob_a", "prob_b", "logit_c"), "class"),
        ("t.csv", three("a_prob", "b_prob", "c_prob"), ""), ("t.csv", three("P(a)", "P(b)", "P(c)"), ""),
        ("t.csv", three("model_a_score", "model_b_score", "model_c_score"), ""),
        ("t.csv", three("prob_a", "prob_b", "prob_c", truth=("a", "b", "b")), ""),
        ("t.csv", three("prob_a", "prob_b", "prob_c", truth=("a", "b", "d")), "class"),
        ("t.parquet", saved, "")]
    yield "predictions", read_predictions, [(c if len(c) > 3 else (*c, {})) for c in cases]
    yield "predictions, told", lambda path: read_predictions(path, tell=str, note=lambda bound: bound.plain()), [
        ("t.csv", three(), ""), ("t.csv", binary(y_prob=high, weight=[1, 2]*4, patient=list("aabbccdd")), ""),
        ("t.parquet", saved, ""),
        ("t.csv", columns(y_true=["cat", "dog"]*4, cat=1-high, dog=high), ""),
        ("t.csv", columns(y_true=["a", "b"]*4, prob_a=[.8]*8, prob_b=[.1]*8, prob_c=[.1]*8), "")]
    yield "mics of predictions", lambda path: read_predicted(read_predictions(path)), [
        ("t.csv", columns(growth=[1, 1, 0, 0]*2, y_prob=[.9, .8, .2, .1]*2, series=list("aaaabbbb"),
                concentration=[1, 2, 4, 8]*2, drug=["X"]*8), ""),
        ("t.csv", columns(growth=[1, 1, 0, 0]*2, y_pred=[1, 0, 1, 0]*2, series=list("aaaabbbb"),
                concentration=[1, 2, 4, 8]*2, drug=["X"]*8), ""),
        ("t.csv", columns(y_true=[0, 1]*4, y_score=high), "no calls: scores")]


def of_limits():
    "Profiles, schemes, checklists, prompts, suites, sweeps and plans"
    criterion = "{metric: accuracy, limit: .9, direction: min}"
    profile = lambda held=criterion, **more: f"title: a\ncriteria: [{held}]\n"+"".join(f"{k}: {v}\n" for k,
        v in more.items())
    one = lambda **more: profile(json.dumps(dict(metric="accuracy", limit=.9, direction="min") | more))
    yield "profile", read_profile, [("p.yml", *o) for o in [
        (profile(), ""), (one(on="worst", by="drug", date="2024-01-01", note="x"), ""),
            ("a: 1\n", "needs a list 'criteria'"),
        ("criteria: []\n", "needs a list"), ("[1]\n", "needs a list"), (profile(extra=1), "unknown entry 'extra'"),
            (profile(groups="[drug]", watched="[ward]"), ""),
        (profile(groups="drug"), "groups are a list"), (profile(watched="['']"), "watched are a list"),
            (profile("3"), "criterion 1 is no mapping"),
        (one(colour=1), "unknown key 'colour'"), (profile("{metric: a}"), "lacks limit, direction"),
            (one(direction="up"), "direction must be one of"),
        (one(metric=3), "metric must be text"), (one(limit="x"), "limit must be a number"),
            (one(weight=-1), "weight cannot be negative"), (one(level=2), "level must lie"),
        (one(on="worst"), "needs by="), (one(limit=98), "shares are written as 0 to 1"),
            (one(metric="mcc", limit=-3), "lies outside"), (one(metric="nobody.knows", limit=7), ""),
        (one(metric="very_major", limit=.03, direction="max"), ""), (profile(guards="[1]"), "are mappings"),
            (profile(guards="{drift: accuracy}", not_guarded="{age: none}"), ""),
        (profile(field="mic", guards="{nothing: accuracy}"), "no way to fail"),
            (profile(guards="{drift: f1}"), "which no criterion looks at"),
        (profile(guards="{drift: groups}"), "it names none"),
            (profile(guards="{drift: groups}", groups="[drug]"), ""), (profile(groups="[]"), ""),
            (": [", "profile p.yml")]]
    yield "profile by name", lambda path: read_profile(path.read_text()), [("n.txt", "mic-release", ""),
        ("n.txt", "mic-releas", "did you mean"), ("n.txt", "./no.yml", "no profile file")]
    yield "profile, whole", lambda path: read_profile(read_profile(path)).frame(), [("p.yml", profile(), "")]
    scheme = dict(note="n", bands=dict(overall=[{"from": 0, "grade": "weak"}, {"from": .5, "grade": "good"}]),
        scenes=[dict(name="a", index="overall", must="above", limit=.8)])
    bands = lambda *held: json.dumps(scheme | dict(bands=dict(overall=list(held))))
    yield "scheme", lambda path: read_scheme(str(path)), [("s.yml", *o) for o in [
        (json.dumps(scheme), ""), ("note: x\n", "needs 'bands'"), (bands({"from": 0}), "every band needs a grade"),
        (bands({"from": 1, "grade": "a"}, {"from": 0, "grade": "b"}), "must rise"),
            (json.dumps(scheme | dict(scenes=[1])), "no scheme"), (bands({"from": "x", "grade": "a"}), "s.yml")]]
    yield "scheme by name", lambda path: read_scheme(path.read_text()), [("n.txt", "caac", ""),
        ("n.txt", "caca", "did you mean")]
    yield "checklist", lambda path: read_checklist.__wrapped__(str(path)), [
        ("c.yml", "title: a\nabout: b\nsource: c\ndate: d\nnote: e\nitems: [{id: '1', en: x, zh: y}]\n", ""),
        ("c.yml", "title: a\n", "is no checklist"),
        ("none.yml", None, "no checklist"),
        ("c.yml", "title: a\nabout: b\nsource: c\ndate: d\nnote: e\nitems: [{x: 1}]\n", "is no checklist")]
    prompt = dict(name="a", date="2026-01-01", language="zh", words=dict(choice="{question} {options}"),
        reply="{answer}", system="x")
    given = lambda **more: json.dumps(prompt | more, ensure_ascii=False)
    yield "prompt", read_prompt, [("p.yml", *o) for o in [
        (given(), ""), (given().replace('"2026-01-01"', "2026-01-01"), ""),
            ("name: a\n", "date, language, words is missing"), ("[1]\n", "needs name, date"),
        (given(words="x"), "are a mapping"), (given(colour=1), "unknown entry colour"),
            (given(words=dict(colour="x")), "unknown entry colour")]]
    yield "prompt by name", lambda path: read_prompt(path.read_text()), [("n.txt", "zh", ""),
        ("n.txt", "zz", "no prompt 'zz'")]
    suite = "title: a\nlayers:\n  basic:\n"
    yield "suite", read_suite, [("s.yml", *o) for o in [
        (suite, ""), ("layers: basic\n", ""), ("layers: [basic, clinical]\n", ""), ("layers: 3\n", "are names"),
            ("layers: [3]\n", "with settings they are written"), ("title: a\n", "needs 'layers'"),
        ("layers: {basi: }\n", "no layer 'basi'"), ("layers: {basic: {nothing: }}\n", "no evaluator 'nothing'"),
            ("layers: {basic: 3}\n", "are names"), (suite+"colour: 1\n", "no entry 'colour'"),
        (suite+"title: 3\n", "stands twice"), (suite+"profile: 3\n", "must be a word"),
            (suite+"splits: 3\n", "are written"), (suite+"seed: -1\n", "must be a whole number"),
            (suite+"seed: 3\n", ""),
        (suite+"threshold: 2\n", "must lie between"), (suite+"threshold: .4\nby: drug\n", ""),
            (suite+"by: [drug, plate]\n", ""), (suite+"by: [3]\n", "must be a list"),
            (suite+"splits: {basic: test}\n", ""),
        (suite+"splits: {basi: test}\n", "no layer"), (suite+"splits: {basic: 3}\n", "must be a word"),
            (suite+"profile: mic-release\nweights: {safety: 2}\n", "no dimension"),
            (suite+"profile: mic-release\n", ""),
        (suite+"profile: none-such\n", "no profile"), (suite+"weights: {a: -1}\n", "must be a number from 0"),
            (suite+"weights: {a: 1}\n", ""), ("3\n", "a suite is written"),
        ("layers: {efficiency: {latency: {batch_sizes: [1, 2], warmup: 1}}}\n", ""),
            ("layers: {efficiency: {latency: {batch_sizes: [x]}}}\n", "a list like"),
            ("layers: {efficiency: {latency: {repeats: 0}}}\n", "a whole number from 1"),
        ("layers: {efficiency: {latency: 3}}\n", "are written name: value"),
            ("layers: {efficiency: {latency: {colour: 1}}}\n", "has no setting"),
            ("layers: {efficiency: {latency: [x]}}\n", "are written name"),
        ("layers: {robustness: {conditions: {conditions: [dim], severities: [3]}}}\n", ""),
            ("layers: {robustness: {conditions: {conditions: [dimm]}}}\n", "no 'dimm'"),
            ("layers: {robustness: {conditions: {wells: x}}}\n", "wells must be")]]
    yield "suite by name", lambda path: read_suite(path.read_text()).about, [("n.txt", o, "")
        for o in ("smoke", "tcm", "full", "default")]
    yield "suite, changed", lambda path: read_suite(path, seed=3), [("s.yml", suite, "")]
    yield "suite as a mapping", lambda path: read_suite(json.loads(path.read_text())), [("s.json",
            '{"layers": "basic"}', ""), ("s.json", '{"layers": "basi"}', "no layer")]
    yield "suite, whole", lambda path: read_suite(read_suite(path), seed=3), [("s.yml", suite, "is not changed")]
    yield "suite, again", lambda path: read_suite(read_suite(path)), [("s.yml", suite, "")]
    yield "suite of a field", lambda path: read_suite(path, "mic"), [("s.yml", suite+"weights: {nothing: 1}\n",
            "no dimension")]
    yield "plan of noise", read_noise_plan, [("p.yml", *o) for o in [
        ("methods: [logistic]\ndata: [iris]\n", ""), ("3\n", "a plan names its entries"),
            ("methods: [logistic]\ndata: [iris]\ncolour: 1\n", "no entry 'colour'"),
            ("methods: logistic\n", "needs a list of methods"),
        ("methods: [logistik]\ndata: [iris]\n", "p.yml"), ("methods: []\ndata: [iris]\n", "needs a method"),
        ("methods: [logistic]\ndata: []\n", "needs a method"), ("methods: [logistic]\ndata: [iris]\nlevels: [2]\n",
                "between 0 and 1")]]


def of_sweeps():
    "Lists of models and data sets"
    entries = lambda path: read_entries(path, DATA_KEYS)
    yield "entries", entries, [("e.yml", *o) for o in [
        ("- {name: a, folder: x}\n", ""), ("a: 1\n", "needs a list"), ("- 3\n", "an entry is a mapping"),
            ("- {name: a, colour: x}\n", "unknown key"), ("- {folder: x}\n", "needs a name"),
        ("- {name: a, folder: [1]}\n", "takes one value"), ("- {name: a}\n- {name: a}\n", "is taken by"),
            ("[]\n", "no entries"), ("- {name: a, split: null}\n", "")]]
    def given_entries(path):
        held = json.loads(path.read_text())
        if not isinstance(held, list) or not all(isinstance(o, dict) for o in held): raise ValueError("no list")
        return read_entries(held, DATA_KEYS)
    yield "entries, given", given_entries, [("e.json", '[{"name": "a"}]', ""),
        ("e.json", '[{"name": "a", "x": 1}]', "unknown key"),
        ("e.json", "[]", "the list")]
    def swept(sets):
        def read(path):
            (path.parent/"rows.csv").write_text(table(HEAD, *TEN))
            (path.parent/"w.safetensors").write_bytes(b"x")
            (path.parent/"points.csv").write_text(columns(drug=["X"], S=[1], R=[2]))
            for name in ("wells", "filled", "bare"): (path.parent/name).mkdir(exist_ok=True)
            (path.parent/"wells"/"manifest.csv").write_text("sample_id,path\n")
            (path.parent/"data.yml").write_text(json.dumps(sets))
            return read_sweep(path, path.parent/"data.yml")
        return read
    a, b = dict(name="a", folder="wells"), dict(name="b")
    given = lambda *rows: json.dumps(rows)
    yield "sweep of a folder", swept([a]), [("m.yml", *o) for o in [
        (given(dict(name="m", model="wellnet")), ""), (given(dict(name="m", model="package.module:name",
                batch_size=8)), ""), (given(dict(name="m", model="w.safetensors")), ""),
            (given(dict(name="m", model="w.safetensors@x:y")), ""),
        (given(dict(name="m", model="gone.safetensors")), "no model file"),
            (given(dict(name="m", model="wellnit")), "did you mean"),
            (given(dict(name="m")), "needs a model or predictions"),
        (given(dict(name="m", model="wellnet", predictions="rows.csv")), "not both"),
            (given(dict(name="m", predictions="rows.csv")), ""),
            (given(dict(name="m", predictions="rows.csv", device="cpu")), "device is for models"),
        (given(dict(name="m", predictions="gone.csv")), "no file"),
            (given(dict(name="m", predictions="wells")), "predictions are a file"),
            (given(dict(name="m", maps="filled")), ""), (given(dict(name="m", predictions=dict(a="rows.csv"))), ""),
        (given(dict(name="m", predictions=dict(b="rows.csv"))), "has no predictions for 'a'"),
            (given(dict(name="m", predictions=dict(a="rows.csv", c="rows.csv"))), "which is no data set"),
        (given(dict(name="m", predictions="rows.csv"), dict(name="n", predictions="rows.csv")), "are the same"),
            (given(dict(name="m", model=3)), ""), (given(dict(name="m", predictions="rows.csv", threshold=.4)), "")]]
    yield "sweep without a folder", swept([b]), [("m.yml", *o) for o in [
        (given(dict(name="m", model="wellnet")), "names no folder"),
            (given(dict(name="m", maps="filled")), "belong to its pictures"),
            (given(dict(name="m", predictions="{data}.csv")), "no file"),
            (given(dict(name="m", predictions="rows.csv")), "")]]
    yield "sweep with breakpoints", swept([dict(name="c", folder="demo:12", breakpoints="points.csv")]), [("m.yml",
            given(dict(name="m", model="wellnet")), "")]
    yield "sweep, no breakpoints", swept([dict(name="c", breakpoints="gone.csv")]), [("m.yml",
            given(dict(name="m", predictions="rows.csv")), "no file")]
    yield "sweep, no manifest", swept([dict(name="c", folder="bare")]), [("m.yml",
            given(dict(name="m", model="wellnet")), "no folder with manifest.csv")]


def of_units():
    "Units, concentrations and MICs, a text a line"
    def each(read):
        def lines(path):
            for line in path.read_text().split("\n"): read(line)
        return lines
    units = ("mg/L,µg/ml,mcg/mL,ug,g%,M,mM,µM,mmol/l,IU/ml,mm,%,mg/kg,mg,CFU/ml,h,微克,毫克每升,ng per ml,x,,"
             "milligrams per litre,µg·mL-1,mg/100 ml,g m3").split(",")
    yield "units", each(read_unit), [("u.txt", "\n".join(units), "")]
    yield "units of headings", each(heading_unit), [("u.txt", "\n".join([
        *(f"MIC ({u})" for u in units), "log2 MIC", "mg/L or ng/mL", "10^-3 mg/L", "mg/L x 10", "zone diameter",
                "MIC mg/L", "conc_mg_l", "conc ug ml", "mm", "drug", "MIC [µM]", "conc.mg.l", "MIC % of", "a (b) c",
                "S (mM)"]), "")]
    concentration = lambda said, **how: (lambda path: read_concentration(path.read_text(), **how))
    yield "concentration", lambda path: read_concentration(path.read_text()), [("c.txt", *o) for o in [
        ("0.5", ""), ("<=0.25 mg/L", ""), ("≥8/4 ng/ml", ""), ("1,000", "group thousands"),
            ("x", "is no concentration"), ("1 foo", "is no concentration"), ("1 mM", "is a molar concentration"),
            ("0", "more than 0"), ("=2", ""), ("0,5", ""), ("9"*400, "too large"), ("8/1e400", "too large")]]
    yield "concentration beside", lambda path: read_concentration(path.read_text(), column=read_unit("mg/L"),
        heading=None), [("c.txt", "1 ng/mL", "correct the one that is wrong"), ("c.txt", "1", ""),
        ("c.txt", "1 µg/mL", "")]
    mics = ["0.5", "<=0.25", "≥8", "> 16", "=2", "8/4", "=<1", "=>2", "0,125/2,375", "1..4", "0.5 mg/L", "500 ng/mL",
        "&lt;=2", '="0.5"', "'2", "nd", "未测", "-", "1e-1"]
    bad = ["x", "4²", "1 mM", "4..1", "1..2 mM", "1,000", "2^-1", "1-Feb", "8 S", "S 8", "1*", "0", "1/0", "1/8",
        "a"*300, "1-2024", "8 (R)", "<", "5 cm"]
    yield "mics", lambda path: parse_mic(path.read_text().split("\n")), [("m.txt", "\n".join(mics), ""),
        *[("m.txt", f"2\n{o}", "cannot be read") for o in bad if o not in ("1/8",)],
        ("m.txt", "1/2\n1/4\n1/8", ""), ("m.txt", "1/8\n2\n4", "an eighth among"), ("m.txt", "8/4\n2/4", ""),
        ("m.txt", "cm³ 4", "cannot be read")]
    yield "mics, coerced", lambda path: parse_mic(path.read_text().split("\n"),
        errors="coerce"), [("m.txt", "\n".join(bad+mics), "")]


def of_folders():
    "Manifests, layouts, pictures"
    from PIL import Image
    def folder(manifest, **pictures):
        def write(path):
            for name, shape in (pictures or dict(a=(8, 8), b=(8, 8))).items(): Image.fromarray(np.zeros(shape,
                    "u1")).save(path.parent/f"{name}.png")
            (path.parent/"text.png").write_text("x")
            path.write_bytes(manifest if isinstance(manifest, bytes) else manifest.encode())
        return write
    two = lambda **more: columns(sample_id=["a", "b"], path=["a.png", "b.png"], **more)
    M = "manifest.csv"
    yield "manifest", lambda path: read_manifest(path.parent), [
        (M, folder(two(growth=[0, 1], concentration=[1, 2], role=["test", "control"])), ""),
        (M, folder(two(growth=[0, 1]).replace(",", ";")), ""),
        (M, folder(two(x=["0,5", "1,5"]).replace(",a", ";a").replace(",b", ";b").replace(",path",
                ";path").replace(",x", ";x").replace(',"', ';"').replace('"', "")), ""),
        (M, folder(columns(id=["a", "b"], image=["a.png", "b.png"], label=["0", "1"], 药物=["x", "y"])), ""),
        (M, folder(columns(id=["a", "b"], image=["a.png", "b.png"], label=["cat", "dog"])), ""),
        (M, folder(two(**{"concentration (ng/mL)": [1, 2]})), "write concentrations in mg/L"),
        (M, folder(two(**{"conc (mg/L)": [1, 2]})), ""),
        (M, folder(two(growth=["0", "2"])), "must be 1, 0 or empty"),
        (M, folder(two(expert_li=[1, 3])), "must be 1, 0"), (M,
            folder(two(expert_li=[1, 0], expert_li_mic=["1", "2"], expert_li_confidence=[.5, 2])), "between 0 and 1"),
        (M, folder(two(concentration=[-1, 2])), "not negative"), (M, folder(two(x=["a", "1"])), "must be a number"),
        (M, folder(two(role=["tset", ""])), "role must be"),
        (M, folder(columns(sample_id=["a", "a"], path=["a.png", "b.png"])), "must be unique"),
        (M, folder(columns(sample_id=["a", None], path=["a.png", "b.png"])), "sample_id is empty"),
        (M, folder(columns(sample_id=["a", "b"], path=["a.png", "c.png"])), "names a file that is not there"),
        (M, folder(columns(sample_id=["a", "b"], path=["a.png", "../b.png"])), "lies outside"),
        (M, folder(columns(sample_id=["a", "b"], path=["a.png", "C:\\b.png"])), "lies outside"),
        (M, folder(columns(sample_id=["a", "b"], path=["a.png", "x"*5000])), "not there"),
        (M, folder(columns(sample_id=list("abcde"), path=[f"{o}.jpg" for o in "abcde"])), "and 2 more"),
        (M, folder(two(mask=["a.png", None])), ""), (M, folder(columns(sample_id=["a"], path=["text.png"])),
            "broken, or not one of"),
        (M, folder(two(), a=(8, 8), b=(6, 8)), "differ in size"),
        (M, folder(columns(sample_id=["a"], path=["a.png"]), a=(8, 8, 3)), ""),
        (M, folder("sample_id,path,path\na,a.png,x\n"), "more than once"),
        (M, folder("sample_id,path\na\n"), "1 values in line 2"),
        (M, folder("sample_id\na\n"), "lacks the required column 'path'"),
        (M, folder("sample_id,path\n"), "lists no wells"), (M, folder('sample_id,path\n"a,b\n'), "no readable table"),
        (M, folder(b"a\0b"), "no readable table"), (M, folder("\n"), "lacks the required"),
        (M, folder(two(variant=["", "x"], batch=["1", "2"], note=["a", "1"])), ""),
        ("other.csv", "x", "no manifest.csv")]
    yield "manifest of nothing", read_manifest, [("gone", None, "no folder")]
    yield "manifest of a split", lambda path: read_manifest(path.parent,
        "test"), [(M, folder(two(split=["test", "train"])), ""),
        (M, folder(two(split=["a", "train"])), "no rows of split"), (M, folder(two()), "has no column 'split'")]
    yield "manifest, channels", lambda path: read_manifest(path.parent,
        channels=2), [(M, folder(two()), "channels must be 1 or 3")]
    yield "pictures of a manifest", lambda path: (lambda d: (d.images(), d[[0]].y_true,
            len(d)))(read_manifest(path.parent, size=(4, 4))), [(M, folder(two(), a=(8, 8), b=(6, 8)), ""),
        (M, folder(two(growth=[0, 1]), a=(8, 8, 3), b=(6, 8, 3)), "")]
    listed = lambda **more: columns(**(dict(well=["A1", "A2"], drug=["X", "X"], concentration=[1, 2]) | more))
    plate = table(["", *range(1, 13)], *([r, *[f"{r}X {2.**-c:g}" for c in range(10)], "growth control", "sterile"]
            for r in "AB"))
    yield "layout", read_layout, [("l.csv", *o) for o in [
        (listed(), ""), (listed(role=["test", "control"], unit=["mg/L", "ng/mL"], note=["x", "y"]), ""),
            (listed(unit=["foo", "foo"]), "is no unit that is known"),
            (listed(concentration=["<=1", "2"]), "one concentration"), (listed(concentration=["0", "2"]), "above 0"),
        (listed(concentration=["-1", "2"]), "above 0"), (listed(concentration=["x", "2"]),
                "must be a number of mg/L"), (listed(well=["A1", "Z9"]), "there is no well Z9"),
            (listed(well=["A1", "a01"]), "stands twice"), (listed(role=["tset", "test"]), "role must be"),
        (listed(drug=["X", None], role=["test", "test"]), "needs a drug"),
            (listed(concentration=[1, 1]), "twice, at"), (columns(well=list("ABCD"), drug=["X"]*4,
                concentration=[1, 2, 3, 4]).replace("A,", "A1,").replace("B,", "B1,").replace("C,",
                "C1,").replace("D,", "D1,"), "numbers of steps"),
        (columns(row=["A", "B"], column=[1, 1], drug=["X", "X"], concentration=[1, 2]), ""),
            (columns(row=[1, 2], column=[1, 1], drug=["X", "X"], concentration=[1, 2]), ""),
            (columns(drug=["X"]), "lists no wells"), (plate, ""),
        (table(["", *range(1, 13)], *([r, *[f"{r}X:{2**c}" for c in range(10)], "", "-"] for r in "AB")), ""),
            (table(["", "A", "B"], [1, "X 1", "X 2"], [2, "X 4", "X 8"]), "drawn on its side"),
            (listed(concentration=["2048", "4096"]), "are these ng/mL"),
        (listed(**{"concentration": [1, 2], "role": ["GC", "blank"]}), ""),
            (table(["", 1, 2], ["A", "X", "Y"], ["", 1, 2], ["A", 1, 2], ["footnote that is long", "", ""]),
                "above 0 mg/L"),
            (listed(well=["1A", "12 B"]), ""), (columns(well=["A1"], drug=["X"], **{"conc (ng/mL)": [500]}), "")]] + [
        ("l.json", json.dumps([dict(well="A1", drug="X", concentration=1)]), ""),
        ("l.json", '{"A1": {"drug": "X", "concentration": 1}, "A2": {}}', ""),
        ("l.json", '{"A1": {}, "a01": {}}', "stands twice"), ("l.json", "[1]", "a list of wells"),
        ("l.json", '{"A1": 3}', "a list of wells"), ("l.json", b"\xff", "not UTF-8"),
        ("l.json", "{", "layout l.json"), ("l.xlsx", book(["well", "drug", "concentration"], ["A1", "X", 1.]), "")]
    yield "layout of a frame", lambda path: read_layout(pd.read_csv(path)), [("l.csv", listed(), ""),
        ("l.csv", listed(well=["A1", "A1"]), "stands twice")]
    yield "layout of a large plate", lambda path: read_layout(path, 16,
        24), [("l.csv", listed(well=["P24", "A1"]), "")]
    def picture(mode, kind="PNG", size=(6, 4), **how):
        out = io.BytesIO()
        (Image.new(mode, size) if not how.pop("made", None) else how.pop("im")).save(out, kind, **how)
        return out.getvalue()
    exif = Image.Exif()
    exif[0x0112] = 6
    floats = io.BytesIO()
    Image.fromarray(np.full((4, 4), 2, np.float32)).save(floats, "TIFF")
    wide = io.BytesIO()
    Image.fromarray(np.full((4, 4), .5, np.float32)).save(wide, "TIFF")
    pages = picture("L", "TIFF", save_all=True, append_images=[Image.new("L", (6, 4))])
    uneven = picture("L", "TIFF", save_all=True, append_images=[Image.new("L", (3, 2))])
    huge = bytearray(picture("1"))
    huge[16:24] = struct.pack(">II", 90_000, 900)
    huge[29:33] = struct.pack(">I", zlib.crc32(bytes(huge[12:29])))
    bomb = bytearray(huge)
    bomb[16:24] = struct.pack(">II", 90_000, 90_000)
    bomb[29:33] = struct.pack(">I", zlib.crc32(bytes(bomb[12:29])))
    pictures = [("p.png", picture("L"), ""), ("p.png", picture("RGB"), ""), ("p.png", picture("RGBA"), ""),
        ("p.png", picture("LA"), ""), ("p.png", picture("1"), ""), ("p.png", picture("P"), ""),
        ("p.png", picture("I;16"), ""),
        ("p.jpg", picture("RGB", "JPEG", exif=exif), ""), ("p.tif", wide.getvalue(), ""),
        ("p.gif", picture("L", "GIF"), ""), ("p.bmp", picture("RGB", "BMP"), ""),
        ("p.webp", picture("RGB", "WEBP"), ""), ("p.png", picture("RGB", exif=exif), ""),
        ("p.png", b"x", "broken, or not one of"), ("p.heic", b"\0\0\0\x18ftypheic"+bytes(20), "p.heic"),
        ("p.png", bytes(huge), "MAX_PIXELS"), ("p.png", bytes(bomb), "MAX_PIXELS"), ("none.png", None, "none.png"),
        ("p.tif", uneven, "")]
    yield "picture", load_image, [*pictures, ("p.tif", floats.getvalue(), "do not lie between"),
        ("p.png", picture("L")[:-20], "broken"), ("p.tif", pages, "")]
    yield "picture, in colour", lambda path: load_image(path, 3, (5, 5)), [("p.png", picture("L"), ""),
        ("p.png", picture("RGB"), "")]
    yield "header of a picture", header, [*pictures, ("p.tif", pages, "2 pictures of one size"),
        ("p.tif", floats.getvalue(), "")]


def of_sites():
    "Tables of several hospitals, what a site sends, a golden run"
    n = 24
    rng = np.random.default_rng(0)
    base = dict(hospital=["A", "B"]*12, age=rng.integers(20, 80, n), ill=[0, 1, 1, 0]*6)
    frame = lambda **more: columns(**(base | more))
    site = lambda **how: (lambda path: read_sites(path, "hospital", "ill", **how))
    words = lambda *o: [o[i % len(o)] for i in range(n)]
    yield "sites", site(), [("s.csv", *o) for o in [
        (frame(), ""), (frame(sex=words("f", "m", "?")), ""),
            (frame(lab=words(1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, "x")), "holds numbers, and 'x'"),
            (frame(ward=[f"w{i % 15}" for i in range(n)]), "15 different texts"),
            (frame(ill=words("yes", "no", None)), ""),
        (frame(ill=words("cat", "dog")), "which outcome is positive"), (frame(ill=words(1, 2, 3)), "has 3 values"),
            (frame(hospital=words("A", "a ")), "differ by case"),
            (frame(hospital=["A"]*n), "two hospitals are needed"), (frame(hospital=words("A", "B", None)), ""),
        (frame(patient=[f"p{i//2}" for i in range(n)]), ""), (frame(patient=[f"p{i}" for i in range(n)]), ""),
            (frame(number=range(n)), ""), (columns(hospital=["A", "B"], ill=[0, 1]), "no column is left"),
            (columns(hospital=["A", "B"], age=[1, 2]), "no column 'ill'"),
        (frame(score=[10*v+rng.random() for v in base["ill"]]), "tells the outcome"), (frame(score=[None]*n), ""),
            (frame(ill=words(0., 1., None)), "")]]
    yield "sites, above", site(above=1), [("s.csv", frame(ill=words(0, 1, 2)), ""),
        ("s.csv", frame(ill=words(0, 1, "x")), "is for numbers"), ("s.csv", frame(ill=words(0, None, 2)), "")]
    yield "sites, positive", site(positive="dog"), [("s.csv", frame(ill=words("cat", "dog")), ""),
        ("s.csv", frame(ill=words("cat", "dot")), "no value 'dog'")]
    yield "sites, dropped", site(drop=("age",), sample_id="code", patient="who",
        most_words=3), [("s.csv", frame(code=range(n), who=words(*"abcdef"), x=rng.random(n)), ""),
        ("s.csv", frame(code=[1]*n, who=words(*"abcdef"), x=rng.random(n)), "stands in the table twice")]
    yield "sites that ship", lambda path: read_sites("heart", "hospital", "target", above=0), [("none", None, "")]
    yield "sites of a frame", lambda path: read_sites(pd.read_csv(path), "hospital", "ill"), [("s.csv", frame(), "")]
    def sent(groups=False, **more):
        own = dict(groups=np.array(list("abcd")*10)) if groups else {}
        d = json.loads(site_to_json(SiteStatistic.of(np.arange(40) % 2, np.linspace(0, 1, 40), size=1 << 8, **own)))
        return json.dumps(d | more)
    plain = json.loads(sent())
    ranks = dict(names=["a", "b"], cell=[1, 4], count=[20, 20], exponent=-12, bundled=0)
    yield "statistic of a site", lambda path: site_from_json(path.read_text()), [("s.json", *o) for o in [
        (sent(), ""), ("{", "no JSON"), ("[1]", "not the statistic"), (sent(schema=9), "of another version"),
            (sent(table=[[1]]), "add up"), (sent(scores=plain["scores"] | dict(bin=[3, 1])), "not in order"),
            (sent(scores=plain["scores"] | dict(positives=[0])), "do not add up"),
        (sent(losses="x"), "damaged"), (sent(ranks=ranks), ""),
            (sent(ranks=ranks | dict(count=[1, 1])), "of other rows"),
            (sent(ranks=ranks | dict(cell=[4, 1])), "not in order"), (sent(ranks=3), "damaged")]]
    held = dict(golden=GOLDEN, model=dict(name="m"), data=dict(name="d", hash="x"), settings={}, rates=dict(a=[1, 2]),
        calls={})
    yield "golden run", read_golden, [("g.json", json.dumps(held), ""), ("g.json", "[1]", "of schema None"),
        ("g.json", "{", "not JSON"), ("g.json", json.dumps(held | dict(rates=3)), "lacks 'rates'"),
        ("none.json", None, "no golden run")]


def of_mics():
    "Breakpoints in the shapes of EUCAST, CLSI, WHONET and AMR; control ranges, pairs, panels, experts"
    k = lambda **how: how
    own = lambda **more: columns(**(dict(drug=["CIP", "GEN"], organism=["E. coli", "E. coli"], S=[.25, 2],
                R=[.5, 2]) | more))
    amr = lambda **more: columns(**(dict(guideline=["EUCAST 2024", "CLSI 2024"], ab=["CIP", "CIP"],
                mo=["B_ESCHR_COLI"]*2, breakpoint_S=[.25, .25], breakpoint_R=[.5, 1], method=["MIC", "MIC"],
                type=["human"]*2) | more))
    whonet = lambda **more: columns(**(dict(GUIDELINES=["CLSI", "EUCAST"], YEAR=[2024, 2024],
                ORGANISM_CODE=["eco", "eco"], WHONET_ABX_CODE=["CIP", "CIP"], S=[.25, .25], R=[1, .5],
                TEST_METHOD=["MIC", "MIC"], BREAKPOINT_TYPE=["Human"]*2) | more))
    listed = lambda **more: columns(**(dict(drug=["X"]*4, mic=["1", "2", "4", "8"],
                category=["S", "S", "I", "R"]) | more))
    cases = [
        (own(), ""), (own(atu=["0.5", "2-4"]), ""), (own(atu=["", "4-2"]), "the wrong way round"),
        (own(S=[.25, -1]), "not a concentration"), (own(S=["x", 2]), "not a concentration"),
        (own(S=[.25, 4]), "S above R"), (own(S=["0.25 mg/L", "2"]), ""),
        (own(drug=["CIP", None]), "has no drug"), (own(convention=["clsi", "x"]), "convention"),
        (own(convention=["clsi", "clsi"]), "S = R"), (own(S=[None, 2], R=[None, 2]), "neither S nor R"),
        (own(sdd=["yes", ""], note=["a", ""], year=[2024, 2024], guideline=["EUCAST", "x"], site=["UTI", ""]), ""),
        (columns(drug=["A"], x=[1]), "drug and S or R are needed"), (own(S=[.25, 4]), "", k(skip_bad=True)),
        (own(S=[4, 4]), "no row can be read", k(skip_bad=True)), (own(), "", k(skip_bad=True)),
        (amr(), ""), (amr(site=["iv; UTI", "oral"], uti=[True, False], is_SDD=[False, True], note=["a", "b"]), ""),
        (amr(), "", k(type="ECOFF")), (amr(type=["ECOFF", "human"]), "", k(type="ECOFF")),
        (columns(ab=["x"], breakpoint_S=[1]), "the AMR layout has columns"), (amr(breakpoint_S=[2, 2]), "S above R"),
        (amr(breakpoint_S=[2, .25]), "", k(skip_bad=True)),
        (whonet(), ""), (whonet(SITE_OF_INFECTION=["UTI", None], SDD=[None, "x"], COMMENTS=["a", None]), ""),
        (whonet(R=[129, 1025]), ""), (columns(WHONET_ABX_CODE=["x"]), "the WHONET layout has columns"),
        (whonet(ECV_ECOFF=[.06, .06], BREAKPOINT_TYPE=["ECOFF"]*2), "", k(type="ECOFF")),
        (whonet(TEST_METHOD=["DISK"]*2), "no row of the WHONET layout holds a breakpoint of MICs"),
        (listed(), ""), (listed(category=["S", "I", "S", "R"]), "fall as the MIC rises"),
        (listed(category=["R"]*4), "R at every MIC"), (listed(category=["I", "I", "R", "R"]), ""),
        (listed(category=["S"]*4), ""), (listed(category=["S", "SDD", "R", "R"]), ""),
        (listed(category=["S", "?", "R", "R"]), "S, I, SDD or R"),
        (listed(mic=["1", "2", "2", "4"], category=["S", "S", "I", "R"]), "by the others"),
        (columns(drug=["a"], category=["S"]), "a list of categories has columns"),
        (own(S=["≤ 0.25", "≤2"], R=["> 0.5", "≥ 8"]), ""), (own(S=["≤ 0.25", "-"], R=["> 0.5", "≥ 8/4"],
                note=["a", ""]), ""), (own(S=["≥ 0.25", "2"], R=["> 0.5", "≥ 8"]), "S is ≤"),
        (own(S=["≤ 0.25", "2"], R=["> 0.5", "8"]), "has no sign"),
        (own(S=["≤ 0.25", "2"], R=["resistant", "≥ 8"]), "no concentration"),
        (own(S=["≤ 1*", "2"], R=["≥ 4", "≥ 8†"], convention=["clsi", ""]), ""),
        (own(S=["≤ 1", "2"], R=["≥ 4", "≥ 8"], convention=["eucast", ""]), "its signs are those of"),
        (own(S=["≤ 1", "2"], R=["≥ 4", "≥ 8"], I=["2", "4"]), ""),
        (own(S=["≤ 1", "2"], R=["≥ 4", "≥ 8"], I=["32", ""]), "S and R leave"),
        (own(S=["≤ 1", "2"], R=["≥ 2", "≥ 8"], I=["32", ""]), "leave nothing"),
        (own(S=["≤ 1", "2"], R=["≥ 8", "≥ 16"], I=["", ""], SDD=["2-4", "4-8"]), ""),
        (own(S=["≤ 1", "2"], R=["≥ 8", "≥ 16"], SDD=["8-16", "-"]), "but S and R leave"),
        (own(S=["≤ 1", "≤2"], R=[None, None]), ""),
        (columns(drug=["A", "B"], **{"S ≤": [1, 2], "R >": [2, 4]}), ""),
        (columns(drug=["A"], **{"S <=": [1], "R >=": [2]}), ""), (columns(drug=["A"], **{"S ≤": [1]}), ""),
        (own(method=["MIC", "disk diffusion"]), ""), (own(method=["disk", "disk"]), "in every row"),
        (columns(drug=["A"], **{"zone S (mm)": [20], "zone R (mm)": [15]}), "which is a length"),
        (columns(drug=["A"], **{"S (mg/L)": [1], "R (mg/L)": [2], "zone (mm)": [20]}), ""),
        (columns(drug=["A"], **{"S (ng/mL)": [1000], "R (ng/mL)": [2000]}), ""),
        (columns(drug=["A"], S=[1], **{"R value of 2024": [2]}), "Call the column"),
        (columns(药物=["环丙沙星"], 敏感=[1], 耐药=[2]), ""), (columns(drug=["A"], S=["NA"], R=[2]), "")]
    yield "breakpoints", read_breakpoints, [("b.csv", *(c if len(c) > 2 else (*c, {}))) for c in cases]
    yield "breakpoints of a frame", lambda path: read_breakpoints(pd.read_csv(path)), [("b.csv", own(), ""),
        ("b.csv", own(S=[.25, 4]), "S above R")]
    qc = lambda **more: columns(**(dict(strain=["ATCC 25922"]*2, drug=["CIP", "GEN"], low=[.004, .25],
                high=[.015, 1]) | more))
    yield "control ranges", read_qc_ranges, [("q.csv", qc(), ""), ("q.csv", qc(method=["MIC", "DISK"]), ""),
        ("q.csv", qc(low=["NA", .25]), ""), ("q.csv", qc(low=["x", .25]), "which is no number"),
        ("q.csv", qc(low=[None, None]), "has no row of MICs"), ("q.csv", columns(strain=["a"]), "QC ranges lack")]
    yield "control ranges of a frame", lambda path: read_qc_ranges(pd.read_csv(path)), [("q.csv", qc(), ""),
        ("q.csv", qc(low=["x", .25]), "which is no number"), ("q.csv", qc(low=[None, None]), "the table has no row")]
    yield "pairs", lambda path: read_pairs(path, tell=str), [("p.csv",
            columns(isolate=["a"], reference=["1"], test=["2"]), ""), ("p.csv", "a,b\n", "has no rows"),
        ("folder", Path.mkdir, "is a folder"), ("none.csv", None, "no file")]
    yield "panel", read_panel, [("p.csv", columns(drug=["X"], low=[1], high=[8]), ""),
        ("p.csv", columns(drug=["X"], low=["x"], high=[8]), "p.csv"),
        ("p.csv", columns(drug=["X"], **{"low (ng/mL)": [1000], "high (ng/mL)": [8000]}), ""),
        ("p.csv", columns(drug=["X"], low=[1]), "high")]
    def recorded(**named):
        def write(path):
            record = Record(path)
            for what, to in named.items(): record.add("Li", what, to)
        return write
    def edited(path):
        recorded(X="2")(path)
        path.write_text(path.read_text().replace('"2"', '"4"'))
    yield "expert MICs", read_expert, [("e.csv", columns(drug=["X", "Y"], mic=["<=1", ""]), ""),
        ("e.csv", columns(isolate=["a", "b"], drug=["X", "X"], expert_mic=["1", "2"]), ""),
        ("e.csv", columns(drug=["X", "X"], mic=["1", "2"]), "two different MICs"),
        ("e.csv", columns(drug=["X"]), "needs the columns drug and mic"),
        ("e.csv", columns(drug=["X"], mic=["x"]), "cannot be read"), ("e.jsonl", recorded(X="2"), ""),
        ("e.jsonl", recorded(X="x"), "cannot be read"), ("e.jsonl", edited, "no longer what people said")]
    yield "expert MICs of a frame", lambda path: read_expert(pd.read_csv(path)), [("e.csv",
            columns(drug=["X"], mic=["1"]), "")]
    relabels = lambda path: read_relabels(path, ["a", "b"])
    yield "labels again", relabels, [("r.csv", columns(sample_id=["1", "2"], label=["a", ""]), ""),
        ("r.csv", columns(sample_id=["1"], label=["c"]), "is none of a, b"),
        ("r.csv", columns(sample_id=[None], label=["a"]), "no sample_id"), ("r.jsonl", recorded(s1="a"), ""),
        ("r.jsonl", recorded(s1="c"), "is none of"), ("r.jsonl", edited, "no longer what people said"),
        ("r.csv", "x,y\n1,2\n", "no column 'sample_id'")]


def of_maps():
    "Score maps, masks, counts, detectors, protocols"
    import tifffile
    from PIL import Image
    m = np.random.default_rng(0).random((4, 5)).astype("f4")
    on = np.zeros((4, 5), bool)
    on[1, 2] = True
    def tiff(*pages, **how):
        out = io.BytesIO()
        with tifffile.TiffWriter(out) as t:
            for page in pages: t.write(page, **how)
        return out.getvalue()
    def lzw(*pages):
        out = io.BytesIO()
        first, *more = map(Image.fromarray, pages)
        first.save(out, "TIFF", compression="tiff_lzw", save_all=True, append_images=more)
        return out.getvalue()
    def circle():
        raw = bytearray(tiff(m, m))
        first = struct.unpack_from("<I", raw, 4)[0]
        second_at = first+2+12*struct.unpack_from("<H", raw, first)[0]
        second = struct.unpack_from("<I", raw, second_at)[0]
        struct.pack_into("<I", raw, second+2+12*struct.unpack_from("<H", raw, second)[0], first)
        return bytes(raw)
    def nifti(a, order="<", code=16, dims=None, slope=0., shift=0., magic=b"n+1\0"):
        head = bytearray(352)
        dims = dims if dims is not None else [*a.shape[::-1]]
        struct.pack_into(order+"i", head, 0, 348)
        struct.pack_into(f"{order}{1+len(dims)}h", head, 40, len(dims), *dims)
        struct.pack_into(order+"h", head, 70, code)
        struct.pack_into(order+"3f", head, 108, 352, slope, shift)
        head[344:348] = magic
        return bytes(head)+a.astype(np.dtype(order+{16: "f4", 4: "i2"}[code])).tobytes()
    def png(a, mode=None, **how):
        out = io.BytesIO()
        (a if isinstance(a, Image.Image) else Image.fromarray(a, mode)).save(out, "PNG", **how)
        return out.getvalue()
    volume = np.ones((2, 4, 5), "f4")
    huge = npy(m).replace(b"(4, 5), ", b"(90000, 90000), ")
    maps = [("m.npy", npy(m), ""), ("m.npy", npy(m[None]), ""), ("m.npy", npy(m.astype("f2")), ""),
        ("m.npy", npy((m*9).astype("i8")), ""), ("m.npy", npy(m[0]), "shape (H, W)"),
        ("m.npy", npy(np.zeros((0, 3))), "shape (H, W)"), ("m.npy", npy(m+1j), "must hold numbers"),
        ("m.npy", npy(np.where(on, np.nan, m)), "nan at row 1"),
        ("m.npy", npy(np.where(m > .5, np.inf, m)), "infinite at row"), ("m.npy", npy(np.array([{}])), "pickled"),
        ("m.npy", huge, "MAX_PIXELS"), ("m.npy", npy(np.float32(1)), "shape (H, W)"), ("m.npz", npz(pred=m, x=m), ""),
        ("m.npz", npz(x=m), ""), ("m.npz", npz(x=m, y=m), "one array is needed"), ("m.npz", npz(), "holds none"),
        ("m.npz", zipped({"pred.npy": npy(np.array([{}]))}), "pickled"),
        ("m.tiff", tiff(m), ""), ("m.tif", lzw(m), ""), ("m.tif", tiff(m, m), "2 pages, and one map"),
        ("m.tif", circle(), "lead in a circle"), ("m.png", png((m*255).astype("u1")), ""),
        ("m.png", png(Image.new("RGB", (3, 3))), "coloured picture"), ("m.png", b"x", "no picture"),
        ("m.txt", "x", "maps are read from"), ("none.npy", None, "no such file"), ("m.npy", b"x", "m.npy")]
    yield "map", read_map, maps
    stacks = [("s.npy", npy(volume), ""), ("s.npy", npy(m), "a stack of shape"), ("s.tif", tiff(m, m), ""),
        ("s.tif", lzw(m, m), ""), ("s.tif", tiff(m, m[:2]), "differ in size"), ("s.nii", nifti(volume), ""),
        ("s.nii", nifti(volume, ">"), ""), ("s.nii.gz", gzip.compress(nifti(volume)), ""),
        ("s.nii", nifti(volume, slope=2., shift=1.), ""), ("s.nii", nifti(volume, code=4), ""),
        ("s.nii", nifti(m), ""), ("s.nii", nifti(volume, dims=[5, 4, 2, 1]), ""),
        ("s.nii", nifti(volume, dims=[5]), "a volume of numbers"), ("s.nii", nifti(volume)[:-9], "cut off"),
        ("s.nii", nifti(volume, magic=b"ni1\0"), "no NIfTI-1"), ("s.nii", b"x", "no NIfTI-1"),
        ("none.npy", None, "no such file"), ("s.nii.gz", b"x", "s.nii.gz")]
    yield "stack", stack_of, stacks
    yield "map of a stack", lambda path: read_map(path, index=1), [("s.npy", npy(volume), ""),
        ("s.npy", npy(volume[:1]), "it holds 1")]
    palette = Image.fromarray(on.astype("u1"), "P")
    palette.putpalette([0, 0, 0, 255, 255, 255]+[0]*750)
    odd = Image.fromarray(on.astype("u1"), "P")
    odd.putpalette([255, 255, 255, 0, 0, 0]+[0]*750)
    drawn, clear = Image.new("RGBA", (5, 4), (0, 0, 0, 0)), Image.new("RGBA", (5, 4), (9, 9, 9, 255))
    drawn.putpixel((2, 1), (0, 0, 0, 255))
    grey = on.astype("u1")*255
    def jpeg():
        out = io.BytesIO()
        Image.fromarray(np.kron(grey, np.ones((8, 8), "u1"))).save(out, "JPEG")
        return out.getvalue()
    ignored = grey.copy()
    ignored[3] = 1
    soft = (np.arange(400).reshape(20, 20) % 256).astype("u1")
    yield "mask", read_mask, [("k.png", png(grey), ""), ("k.png", png(Image.fromarray(on)), ""),
        ("k.png", png(Image.fromarray(np.stack([grey]*3, -1))), ""), ("k.png", png(palette), ""),
        ("k.png", png(odd), "numbers of colours"), ("k.png", png(drawn), "transparency, and no colour"),
        ("k.png", png(clear), ""), ("k.jpg", jpeg(), ""),
        ("k.png", png(ignored), "pixels to leave out"), ("k.png", png(soft), ""), ("k.npy", npy(on), ""),
        ("k.npy", npy(on[None]), ""), ("k.npy", npy(m), ""), ("k.npy", npy(-m), "below 0 or nan"),
        ("k.npy", npy(on[0]), "shape (H, W)"), ("k.npy", npy(-on.astype("i4")), "below 0"),
        ("k.npz", npz(mask=on, x=m), ""), ("k.npz", npz(y=on), ""), ("none.png", None, "no such mask"),
        ("k.png", b"x", "broken mask"), ("k.tif", tiff(grey), ""), ("k.png", png(np.zeros((4, 5), "u1")), "")]
    def regions(*masks):
        def write(path):
            path.mkdir()
            for i, one in enumerate(masks): Image.fromarray(one).save(path/f"{i}.png")
        return write
    yield "mask of regions", read_mask, [("folder", regions(grey, grey), ""),
        ("folder", regions(grey, grey[:2]), "different sizes"), ("folder", regions(), "and none in it")]
    images = lambda **more: columns(**(dict(sample_id=["a", "b"], label=[0, 1]) | more))
    def opened(path):
        np.save(path.parent/"m.npy", m), np.save(path.parent/"s.npy", volume), np.save(path.parent/"k.npy",
            on), np.save(path.parent/"e.npy", on & False), np.save(path.parent/"big.npy",
            np.kron(on, np.ones((2, 2), bool)))
        t = read_images(path)
        return [t.open(i) for i in range(len(t))], t.frame(), t.by(), t[0], t.mask(0), t.y_true
    yield "table of images", read_images, [("i.csv", images(score=[.1, .9]), ""),
        ("i.csv", images(), "neither maps nor scores"), ("i.csv",
            images(score=[.1, .9], object=["x", "y"], variant=["", "v"], picture_height=[4, None],
                picture_width=[5, None], resize=["map", "map"]), ""),
        ("i.csv", images(sample_id=["a", "a"], score=[.1, .9]), "once"),
        ("i.csv", images(label=[0, 3], score=[1, 2]), "label must be"),
        ("i.csv", images(label=[0, None], score=[1, 2]), "must be 1, 0 or -1"), ("none.csv", None, "no file"),
        ("i.csv", images(score=[None, .9]), "score")]
    yield "images, opened", opened, [("i.csv", images(maps=["m.npy", "s.npy#1"], masks=[None, "k.npy"]), ""),
        ("i.csv", images(maps=["m.npy", "s.npy#9"], masks=[None, "k.npy"]), "number 10 is asked"),
        ("i.csv", images(maps=["m.npy", "m.npy"], masks=["k.npy", None]), "a normal image with a filled mask"),
        ("i.csv", images(maps=["m.npy", "m.npy"], masks=[None, "e.npy"]), "an anomalous image with an empty mask"),
        ("i.csv", images(maps=["m.npy", "m.npy"], masks=[None, "big.npy"], resize=["mask", "mask"]), ""),
        ("i.csv", images(maps=["m.npy", "m.npy"], masks=[None, "big.npy"]), ""),
        ("i.csv", images(maps=["m.npy", "m.npy"], masks=[None, None], roi=["k.npy", None]), ""),
        ("i.csv", images(maps=["m.npy", "m.npy"], roi=["k.npy", "e.npy"]), "no pixel is left"),
        ("i.csv", images(maps=["m.npy", "m.npy"], masks=[None, "k.npy"], ignore=["k.npy", "k.npy"]), ""),
        ("i.csv", images(maps=["m.npy", None]), "no map"), ("i.csv", images(score=[.1, .2]),
            "image scores and no maps"), ("i.csv", images(maps=["m.npy", "m.npy"], picture_height=[8, 8],
                picture_width=[10, 10], roi=["big.npy", "big.npy"]), ""),
        ("i.csv", images(maps=["m.npy", "m.npy"], roi=["s.npy#0", "s.npy#1"]), ""),
        ("i.csv", images(maps=["m.npy", "m.npy"], roi=["s.npy#0", "s.npy#9"]), "number 10 is asked for"),
        ("i.csv", images(maps=["m.npy", "m.npy"], roi=["s.npy#0", "gone.npy#1"]), "no such file"),
        ("i.csv", images(maps=["m.npy", "m.npy"], picture_height=[40, 8], picture_width=[10, 10],
                roi=["big.npy", "big.npy"]), "draw it on the picture")]
    masks, scores = np.stack([on, on & False]), np.stack([m, m])
    counted = io.BytesIO()
    def counts(of):
        def write(path): save_counts(of, path)
        return write
    one = PixelCounts.of(masks, scores)
    yield "counts", lambda path: repr(read_counts(path)), [("c.npz", counts(one), ""),
        ("c.npz", counts(dict(a=one, b=one)), ""), ("c.npz", npz(a=[1]), "no counts of pixels"),
        ("none.npz", None, "no file"), ("c.npz", b"x", "no counts of pixels")]
    def fitted(cls):
        def write(path): cls.fit(np.random.default_rng(0).random((12, 16, 16))).save(path)
        return write
    yield "detector", load_detector, [("d.npz", fitted(PixelGaussian), ""), ("d.npz", fitted(PatchGaussian), ""),
        ("d.npz", npz(detector=np.array("x")), "no detector of ours"), ("none.npz", None, "no file")]
    yield "detector, tight", lambda path: _tight(load_detector, path), [("d.npz", fitted(PixelGaussian), None)]
    yield "counts, tight", lambda path: _tight(read_object_counts, path), [("c.npz", counts(one), "unpacked")]
    yield "protocol", read_protocol, [("p.yml", *o)
        for o in [("scores: [max, {max_pool: {window: 16}}]\nlimits: [.3, .05]\n", ""),
            ("3\n", "a mapping is needed"), ("colour: 1\n", "no key"), ("scores: [maks]\n", "no way to score"),
            ("limits: 3\n", "has not the shape"), ("evaluator:\n", "no evaluator.metrics.auc"),
            ("evaluator: {metrics: {auc: [{name: mean}, {name: pixel}]}}\n", ""),
        ("evaluator: {metrics: {auc: [{name: sum}]}}\n", "knows mean"),
            ("evaluator: {metrics: {auc: [{name: max, kwargs: {avgpool_size: 16}}]}, "
                "vis_compound: {min_score: 0, max_score: 1, save_dir: x}}\n", ""),
            ("evaluator: {metrics: {auc: [{name: max, kwargs: {avgpool_size: [16, 8]}}]}}\n", "must be square"),
            ("evaluator: {metrics: {auc: [max]}}\n", "has not the shape")]]


def _tight(read, path):
    with budget(unpacked=1): return read(path)


def of_runs():
    "Folders of runs"
    from mic_eval.core.results import Result, Score
    from mic_eval.run.store import save_run
    def run(path, **change):
        p = read_predictions(pd.DataFrame(dict(sample_id=list("abcd"), y_true=[0, 1]*2, y_prob=[.1, .9]*2)))
        save_run(path.parent, Result(model=Result(name="m", kind="file"), data=Result(name="d", rows=4),
                settings=Result(), basic=Result(accuracy=Score(.5, .2, .8, k=2, n=4))), p)
        for name, old_new in change.items():
            file = path.parent/name.replace("__", ".")
            if old_new is None: file.unlink()
            else: file.write_text(old_new(file.read_text()))
    def asked(path):
        r = open_run(path.parent)
        return r.result, r.about, r.table, r.changed(), r.sealed, r.predictions
    def made(**change): return lambda path: run(path, **change)
    def recorded(path):
        run(path)
        Record(path.parent/"labels.jsonl").add("Li", "a", "1")
        notes = json.loads((path.parent/"run.json").read_text())
        (path.parent/"run.json").write_text(json.dumps(notes | dict(records={"labels.jsonl": dict(last="x")})))
    def two(path):
        for name in "ab":
            (path.parent/name/"r").mkdir(parents=True)
            (path.parent/name/"latest").write_text("r")
    def outside(path): (path.parent/"latest").write_text("../x")
    def led(path):
        (path.parent/"d"/"r").mkdir(parents=True)
        run(path.parent/"d"/"r"/"run.json")
        (path.parent/"d"/"latest").write_text("r\n")
    yield "run", asked, [("run.json", made(), ""), ("run.json", made(run__json=lambda t: t.replace('"m"', '"n"')),
            ""), ("run.json", made(run__json=None), ""), ("run.json", made(run__json=lambda t: "{"), "run.json"),
        ("run.json", made(run__json=lambda t: '{"schema": 1}'), ""),
        ("run.json", made(run__json=lambda t: '{"schema": 2, "files": 3}'), "damaged notes"),
        ("run.json", made(results__json=lambda t: t.replace('"d"', '"e"')), ""),
        ("run.json", made(results__json=lambda t: "{"), "results.json"),
        ("run.json", made(results__json=None), "no run in"), ("run.json",
            made(results__json=lambda t: '{"schema": 2, "model": 3}'), "damaged results"),
        ("run.json", made(results__json=lambda t: '{"schema": 2, "verdict": {"status": "x", "counts": {}}}'),
            "no verdict is"), ("run.json", recorded, ""),
        ("run.json", two, "several data sets"), ("run.json", outside, "points outside"), ("run.json", led, ""),
        ("run.json", made(predictions__parquet=None), ""), ("run.json",
            made(results__json=lambda t: '{"schema": 2, "a": '*300), "results.json")]
    yield "results of a run", open_run, [("results.json", made(), "")]


def of_exams():
    "Questions, responses of harnesses, judges, sheets of raters"
    k = lambda **how: how
    item = dict(id="1", question="气虚当用何方？", options=dict(A="补中益气汤", B="四君子汤"), answer="B")
    more = lambda **how: item | how
    case = dict(id=7, instruction="辨证", output=["证型选项：A.甲;B.乙", "证型答案：A", "中医疾病诊断：咳嗽", "x"])
    case["证型选项"] = "x"
    record = {"Medical Record ID": "r1", "Clinical Data": "咳嗽", "Options of TCM Pathogenesis": "A:甲;B:乙",
        "Answers of TCM Pathogenesis": "A", "Options of TCM Syndrome": "A:甲;B:乙", "Answers of TCM Syndrome": "A;B"}
    doc = dict(question="q", choices=dict(text=["a", "b"], label=["A", "B"]))
    sample = lambda **how: dict(doc_id=0, doc=doc, target="1", resps=[["A"]]) | how
    rows = lambda *o: [("i.jsonl", jsonl(*r), *rest) for r, *rest in o]
    yield "items", read_items, [*rows(
        ([item], ""), ([more(id="2", options=["A. 甲", "B. 乙"], answer="A. 甲"),
                more(id="3", options=["甲", "乙"], answer=1), more(id="4", options="A.甲;B.乙", answer="AB"),
                more(id="5", options=["甲", "乙"], answer=["甲", "乙"])], ""), ([more(options=None, answer=True)], ""),
            ([more(options=None, answer=dict(证型="x"))], ""), ([more(options=None, answer=["x", "y"])], ""),
        ([more(options=None, answer=None, question="__是")], ""), ([more(options=None, answer="x")], ""),
            ([more(kind="true_false", options=None, answer="对")], ""),
            ([more(kind="list", options=None, answer="甲、乙")], ""),
            ([more(kind="labels", options=None, answer=["甲"])], ""), ([more(kind="x")], "kind must be one of"),
            ([more(question_type="多选题", answer="A,B")], ""),
        ([more(question={"病情": "咳", "舌": "红"})], ""), ([more(question=" ")], "no question"),
            ([more(options=["x"])], "two options or more"), ([dict(id="1", disease_case="x", answer="y", subject="s",
                year=None)], ""), ([item, item], "more than once: keep one of its rows"),
            ([item, more(answer="A")], "with different keys"), ([item, dict(id="2")], "no question"),
            ([3], "expected an object"), ([], "no items"), ([more(answer=7)], ""), ([more(answer="Z")], ""),
        ([case], ""), ([record], ""), ([sample()], ""), ([sample(), sample()], ""),
            ([sample(), sample(target="0")], "different questions or keys"),
            ([sample(doc=dict(x=1))], "none of question"), ([sample(doc=dict(query="q", A="x", B="y", answer="A"))],
                ""), ([sample(doc=dict(question="q", options=["a", "b"]), target="AB")], ""),
            ([sample(doc=dict(question="q"), target="x")], ""),
        ([dict(id="1", response="x", model="m")], "it is a response"), ([dict(a=1)], "expected id and question"),
            ([{}], "there is nothing"), ([dict(id="1", question="q", A="x", B="y", answer="A")], ""),
            ([dict(id="1", question="q", 选项A="x", 选项B="y", 答案="A")], ""),
            ([dict(id="1", question="q", A="x", C="y", answer="A")], ""),
            ([dict(编号="1", 题目="q", 选项=["x", "y"], 答案="A", 题型="单选题")], ""),
            ([more(images=["a.png"], messages=[dict(role="user", content="x")])], "")),
        ("i.json", json.dumps([item]), ""), ("i.json", json.dumps(dict(items=[item])), ""),
        ("i.json", json.dumps(dict(a=[item], b=[item])), "expected id and question"),
        ("i.json", "[1]", "expected id and question"), ("i.json", json.dumps(item | dict(options=["x", "y"])), ""),
        ("i.json", jsonl(item, item | dict(id="2")), ""),
        ("i.csv", columns(id=["1"], question=["q"], A=["x"], B=["y"], answer=["A"]), ""),
        ("i.csv", columns(id=["1"], question=["q"], options=['["x", "y"]'], answer=["A"]), ""),
        ("i.csv", columns(id=["1"], question=["q"], options=["[x"], answer=["A"]), "two options or more"),
        ("i.yml", "x", "read from .csv"), ("none.jsonl", None, "no file"), ("i.jsonl", "{\n", "line 1: not JSON"),
        ("i.jsonl", b"\0\0", "not a text file"), ("i.csv", columns(id=["1", "1"], question=["q", "q"],
                answer=["A", "A"]), "more than once")]
    talk = lambda *turns: jsonl(item | dict(messages=turns))
    yield "items of a talk", read_items, [("i.jsonl", talk(dict(role="user", content="x")), ""),
        ("i.jsonl", talk(dict(role="user", content=[dict(type="text", text="x"), dict(type="image_url")])), ""),
        *[("i.jsonl", talk(o), "a message has a role") for o in (dict(role="user"), dict(content="x"), "x", 3,
            dict(role="user", content=["x"]), dict(role="user", content=[dict(text=3)]))]]
    def keyed(path):
        keys = path.parent/"keys.jsonl"
        keys.write_text(jsonl(dict(id="1", answer="A")))
        t = read_items(path, keys=keys, task="t", name="n")
        return t.by("task"), t[[0]], t[0], t.frame(), len(t)
    yield "items and their keys", keyed, rows(
        ([more(answer=None)], ""), ([more(answer="A"), more(id="2", facts=dict(x=1))], ""),
        ([item], "item 1 has the key 'B', and keys.jsonl says 'A'"), ([more(id="2")], "no key belongs to an item"))
    said = lambda *o: [("a.jsonl", jsonl(*r), *rest) for r, *rest in o]
    choices = lambda *scored: sample(resps=[[[o, False]] for o in scored])
    inspected = lambda **how: dict(id=1, epoch=1, target="B", choices=["x", "y"],
        output=dict(model="m", completion="B", choices=[dict(message=dict(content="B"), stop_reason="max_tokens")],
            usage=dict(output_tokens=3))) | how
    log = lambda *s: json.dumps(dict(eval=dict(model="m"), samples=list(s)))
    packed = lambda method=zipfile.ZIP_DEFLATED, **files: zipped({n.replace("__", "/")+".json": json.dumps(v) for n,
            v in files.items()} | {"x.txt": "x"}, method)
    def zstandard(damage=False):
        import zstandard
        raw = json.dumps(inspected()).encode()
        held = zstandard.ZstdCompressor().compress(raw)
        return _method_93("samples/1_epoch_1.json", raw, held, zlib.crc32(raw)^damage)
    zstandard_logs = []   # the package that packs them comes with the extra for language models
    if find_spec("zstandard"):
        zstandard_logs = [("a.eval", zstandard(), ""), ("a.eval", zstandard(True), "its checksum differs")]
    yield "answers", read_answers, [*said(
        ([dict(id="1", response="B")], ""), ([dict(id="1", text="B", model="m", round=1, x=2)], ""),
            ([dict(id="1", text=None), dict(id="2", text=["a"])], ""),
            ([dict(id="1", text="a"), dict(id="1", text="b")], "more than once"),
            ([dict(id="1")], "expected id and text"), ([{}], "there is nothing"), ([3], "expected an object"),
            ([], "no answers"), ([item], "questions with their keys"),
        ([dict(id="1", question="q", answer="B", response="A")], ""), ([dict(编号="1", 回答="B", 模型="m")], ""),
            ([sample()], ""), ([sample(), sample()], ""), ([sample(), sample(resps=[["B"]])], "stands twice"),
            ([choices(-1.5, -.5)], ""), ([sample(resps=[["x", "y"]])], ""),
            ([sample(resps=None, filtered_resps=["A"])], ""),
            ([sample(doc=dict(id="d", choices=["a", "b"]), resps=[])], "no answers"), ([sample(doc="x")], ""),
            ([sample(resps=[["x", "y"], ["z", "w"]])], "")),
        ("a.json", log(inspected()), ""), ("a.json", log(inspected(output=dict(model="m",
                choices=[dict(message=dict(content=[dict(type="text", text="B"),
                dict(type="reasoning", reasoning="r")]), stop_reason="stop")])),
                inspected(id=2, error=dict(message="e"), output=None),
                inspected(id=3, choices=None, output=dict(completion="x"))), ""),
        ("a.json", log(inspected(output=dict(usage=dict(output_tokens="x")))), "is no number of tokens"),
        ("a.json", json.dumps({"0": dict(prediction="B", gold="A"), "1": dict(prediction=["A", "B"])}), ""),
        ("a.json", '{"results": {}}', "figures of a benchmark"),
        ("a.json", json.dumps([dict(id="1", response="B")]), ""), ("a.json", log(3), "not a log that is known"),
        ("a.csv", columns(id=["1", "2"], response=["B", None]), ""), ("none.jsonl", None, "no file"),
        ("a.eval", packed(header=dict(eval=dict(model="m")), samples__1_epoch_1=inspected(),
                samples__10_epoch_1=inspected(id=2)), ""), ("a.eval",
            packed(_journal__start=dict(eval=dict(model="m")), samples__1=inspected()), ""),
        ("a.eval", packed(header={}), "expected samples/"), ("a.eval", b"x", "a.eval"), *zstandard_logs]
    yield "answers, taken apart", lambda path: (lambda a: (a.by("model"), a[0], a[[0]], a.frame(),
            list(a)))(read_answers(path, "m")), said(([dict(id="1", response="B"), dict(id="2", response="A")], ""))
    items = ExamItems([Item("1", "q", "choice", dict(A="x", B="y"), "A"),
            Item("2", "q", "choices", dict(A="x", B="y"), "A"), Item("3", "q", "true_false", None, True),
            Item("4", "q", "labels", None, ["x"])])
    yield "corrections", lambda path: read_corrections(path, items, ["m"]), [("c.csv", *o) for o in [
        (columns(id=[1, 2, 3, 4], value=["A", "BA", "对", "甲、乙"]), ""),
            (columns(id=[1], value=["A"], model=["m"], round=[1]), ""),
            (columns(id=[1], value=["A"], model=["n"]), "no responses of the model 'n'"),
            (columns(id=[1], value=["A"], round=["x"]), "no whole number"),
            (columns(id=[1], value=["Z"]), "is no answer to"),
            (columns(id=[3], value=["perhaps"]), "is no answer to"), (columns(id=[3], value=["TRUE"]), ""),
            (columns(id=[9], value=["A"]), "expected the id"),
            (columns(id=[1], value=[None], x=[1]), "expected the id"),
            (columns(id=[1, 2], value=[None, "A"], status=["none", ""]), "")]]
    from mic_eval.tcm.answers import Answer, Responses
    from mic_eval.tcm.judges import _mark_code
    from mic_eval.tcm.points import mark
    marked = mark(ExamItems([Item("1", "q", "open", answer="x")]), Responses([Answer("1", "t", "m")]))
    code = _mark_code(marked.items[0], marked.answers[0])
    yield "points of people", lambda path: read_people(marked, path), [("p.csv", *o)
        for o in [(columns(code=[code, "x"], points=[4, 3]), ""),
            (columns(code=[code], points=["x"]), "is no number of points"),
            (columns(code=[code], points=[9]), "lies outside 1 to 5"), (columns(code=[code], note=[1]), "")]]
    shown = [dict(id="c1", model=o, question="q", text="t") for o in ("m", "n")]
    def rated(**how):
        def read(path):
            if not (path.parent/"plan.json").exists(): plan_ratings(shown, path.parent, ["Li"], **how)
            session = open_round(path.parent)["Li"]
            head, *lines = (path.parent/"sheet.Li.csv").read_text(encoding="utf-8-sig").splitlines()
            frame = pd.read_csv(path.parent/"sheet.Li.csv", dtype=str, encoding="utf-8-sig").fillna("")
            for column, value in json.loads(path.read_text()).items():
                if value is None: frame = frame.drop(columns=column)
                elif column == "every": frame[[c for c in session.rubric]] = value
                else: frame[column] = value
            frame.to_csv(path.parent/"filled.csv", index=False)
            first = read_sheet(session, path.parent/"filled.csv")
            return first, read_sheet(session, path.parent/"filled.csv")
        return read
    yield "sheet of a rater", rated(), [("s.json", json.dumps(o), *rest) for o,
        *rest in [({}, ""), (dict(every="3"), ""), (dict(every="9"), "is no mark"), (dict(terms="3"), "is no mark"),
            (dict(code=None), "no column 'code'"), (dict(code="x", every="3"), "not of this session"),
            (dict(every="left"), "is no mark")]]
    yield "sheet of pairs", rated(pairs=True, repeats=1), [("s.json", json.dumps(o), *rest) for o,
        *rest in [(dict(every="left", comment="c"), ""), (dict(every="3"), "is no mark")]]
    plan = lambda **how: json.dumps(dict(pairs=False, repeats=0, seed=0, raters=dict(Li=["c1"]), items=shown) | how)
    yield "round", lambda path: open_round(path.parent), [("plan.json", *o)
        for o in [(plan(), ""), (plan(raters={"a/b": ["c1"]}), "no name for a rater"),
            (plan(items=[]), "no items to rate"), (plan(items=[dict(id="c1")]), "items need model"),
            (plan(raters=dict(Li=[])), ""), (plan(raters=3), "damaged plan"), ("{}", "damaged plan"),
            ("{", "plan.json")]] + [("other.json", "x", "no plan in")]


def _method_93(name, raw, held, crc):
    "A zip archive of one member packed with Zstandard, which the standard library does not write"
    n = name.encode()
    local = struct.pack("<4s5H3I2H", b"PK\3\4", 63, 0, 93, 0, 33, crc, len(held), len(raw), len(n), 0)+n+held
    entry = struct.pack("<4s6H3I5H2I", b"PK\1\2", 63, 63, 0, 93, 0, 33, crc, len(held), len(raw), len(n), 0, 0, 0, 0,
        0, 0)+n
    return local+entry+struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 1, 1, len(entry), len(local), 0)


def of_texts():
    "Responses of models and prescriptions, as labelled in the tests"
    import ast
    from fresh_responses import fresh_responses
    from several_cases import several_cases
    import mic_eval
    def line(path):
        held = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(held, list) and len(held) in (1, 3) and isinstance(held[0], str): return held
        raise ValueError("not what this test writes")
    def chosen_in(said): return read_choice(*said) if len(said) == 3 else None
    def text(*o): return "t.json", json.dumps(o, ensure_ascii=False), ""
    own = [json.loads(o)
        for o in (Path(mic_eval.__file__).parent/"tcm/demo/responses.jsonl").read_text(encoding="utf-8").splitlines()]
    chosen = [(o["text"], o["options"], o["several"]) for o in own]+[(t, o, True) for o, t, _ in several_cases()]
    chosen += [(t, o, several) for o, t, several, _ in fresh_responses(0)]
    # what the tests of the readers ask, wherever it stands in them
    asked = [n.value for name in ("test_tcm_reading", "test_tcm_adversary")
        for n in ast.walk(ast.parse((HERE/f"{name}.py").read_text(encoding="utf-8")))
             if isinstance(n, ast.Constant) and isinstance(n.value, str) and 1 < len(n.value) < 300]
    options = dict(A="风寒束表证", B="风热犯肺证", C="痰热壅肺证", D="肺阴亏虚证", E="脾肺气虚证")
    chosen += [(t, options, several) for t in asked for several in (True, False)]
    yield "choice", lambda path: chosen_in(line(path)), [text(*o) for o in chosen]
    lines = [o.split("\t") for kind in ("written", "dangerous", "safe")
        for o in (HERE/f"{kind}_prescriptions.txt").read_text(encoding="utf-8").splitlines() if o]
    written = [json.loads(o) for row in lines for o in row if o.startswith('"')]
    data = [[dict(药名="附子", 剂量=10, 单位="g", 用法="先煎"), "甘草 6g"], dict(方名="四君子汤", 组成=dict(人参=9, 白术="9g")),
        dict(herbs=[dict(name="甘草", dose=6)]), {"黄芪": None}, "三百克黄芪", "四君子汤原方", "四君子汤加黄芪30g", "四君子汤去甘草", "六味地黄汤",
        "x"*100_100+" 甘草 6g",
            "黄芪 白术 防风各十克", "[{'药名': '附子', '剂量': '10g'}]", '{"甘草": 6, "甘草": 9}', "君药：人参9g", "附子或干姜10g", "一百二十克 石膏",
        "黄芪二十五克", "白术三钱半", "10g 甘草，6g 人参", "甘草（水煎服）5 9g", "单位：克\n黄芪 30\n当归 10\n白芍 9", "① 黄芪30g ② 白术9g", "桂枝三两(约9g)",
        "麻黄一斤二两", "黄芪 30 当归 10 白芍 9", "附子8两 3g"]
    yield "prescription", lambda path: read_prescription(json.loads(path.read_text(encoding="utf-8"))), [
        ("t.json", json.dumps(o, ensure_ascii=False), "") for o in [*written, *data, *asked[:60]]]
    yield "prescription, twice", lambda path: read_prescription(read_prescription(line(path)[0])), [text("甘草 6g")]
    yield "formula", lambda path: formula(line(path)[0]), [text("四君子汤"), ("t.json", '["四君子"]', "near it")]
    values = asked+written[:60]+[t for t, *_ in chosen[:200]]+["答案：正确。", "错误", "\n对", "对；错", "答案：错误。因为对", "10～15 g",
        "十五克", "二十", "半斤", "一", "第一", "3次，5次", "用量为3g", "约5", "三", "x", "", "抱歉，无法回答", "黄芪、党参、白术", '["a", "b"]',
        '{"x": ["a"]}', '{"x": 3}', "[1", "{"*500]
    yield "true or false", lambda path: read_truth(line(path)[0]), [text(o) for o in values]
    yield "number", lambda path: read_number(line(path)[0]), [text(o) for o in values]
    yield "list", lambda path: read_list(line(path)[0]), [text(o) for o in values]
    fields = ["证型：脾虚\n治法：健脾", '{"证型": "x", "治法": ""}', '{"y": 1}', "证型：\n治法：", "x", "**证型**: 脾虚。治法：健脾"]
    yield "fields", lambda path: read_fields(line(path)[0], ["证型", "治法"]), [text(o) for o in fields]
    yield "no fields", lambda path: read_fields(line(path)[0], []), [text("证型：x")]
    yield "points", lambda path: read_points(line(path)[0]), [text(o)
        for o in ("得分：4", "评分：9", "评分：3，评分：4", "x", "评分：4/5")]
    yield "preference", lambda path: read_preference(line(path)[0]), [text(o)
        for o in ("更好：一", "better: 2", "更好：相当", "更好：一\n更好：二", "x")]


TWISTS = ([], [1], [None], [[1]], {}, {"a": 1}, {"a": {"b": [1]}}, None, True, -1, 0, 7, 1.5, 10**30, 1e400, "", "x",
          "药", "1", "a\nb", "=1+1")


def twisted(doc, twists=TWISTS):
    "The same plain data with one thing in it replaced or left out, each in turn"
    for i in doc if isinstance(doc, dict) else range(len(doc)) if isinstance(doc, list) else ():
        def put(v): return {**doc, i: v} if isinstance(doc, dict) else [*doc[:i], v, *doc[i+1:]]
        for v in (*twists, *twisted(doc[i], twists)): yield put(v)
        yield {k: v for k, v in doc.items() if k != i} if isinstance(doc, dict) else doc[:i]+doc[i+1:]


def of_twisted():
    """Every value of a sound file replaced, in turn, by something else that JSON and YAML can hold: a reader may read
    or refuse, and nothing else (what is said of these is None)"""
    def as_json(file, doc, **how): return [(file, json.dumps(o, ensure_ascii=False, **how), None)
        for o in twisted(doc)]
    def as_lines(file, row): return [(file, jsonl(o, row | {"id": "other"}), None) for o in twisted(row)]
    def rows(file, csv):
        held = pd.read_csv(io.StringIO(csv)).astype(object).to_dict("records")
        held = [{k: v.item() if hasattr(v, "item") else v for k, v in row.items()} for row in held]
        return [(file, json.dumps([o, *held[1:]]), None) for o in twisted(held[0]) if isinstance(o, dict)]
    sound = {   # by reader, the first case of its dialects that is read
        name: (read, next(c for c in cases if c[2] == "")) for group in GROUPS[:-2] for name, read, cases in group()
        if any(c[2] == "" for c in cases)}
    for name, (read, (file, content, *_)) in sound.items():
        if name in ("within", "within rows", "sheet of a rater", "sheet of pairs"): continue
        if name.split(",")[0] in ("workbook", "parquet", "read_table", "units", "units of headings", "mics"): continue
        if not isinstance(content, str): continue
        if file.endswith(".csv") and name != "manifest": yield f"{name}, twisted", read, rows("t.json", content)
        elif file.endswith(".json"): yield f"{name}, twisted", read, as_json(file, json.loads(content))
        elif file.endswith((".yml", ".yaml")):
            doc = read_yaml(content)
            yield f"{name}, twisted", read, as_json(file, doc, default=str)
        elif file.endswith(".jsonl"):
            yield f"{name}, twisted", read, as_lines(file, json.loads(content.splitlines()[0]))
    plain = pa.table(dict(sample_id=["a", "b"], method=["m", "m"], reference=["1", "2"], test=["1", "1"],
            y_true=[0, 1],
                          y_prob=[.1, .9], depth=[.5, .6], values=['{"accuracy": 0.5}', "3"]))
    for table_kind in "predictions", "pairs", "trials":
        notes = dict(table=table_kind, schema=1, kind="prob", classes=["a", "b"], threshold=.5, outputs=["depth"],
                     shapes=dict(depth=[1]), field="classification", listed=["values"])
        cases = [("t.parquet", parquet(plain.replace_schema_metadata(dict(mic_eval=json.dumps(o)))), None)
                 for o in (*twisted(notes), *TWISTS)]
        yield f"notes of {table_kind}, twisted", lambda path, kind=table_kind: read_any(path, kind), cases


GROUPS = (of_files, of_text_tables, of_other_tables, of_words, of_kinds, of_predictions, of_limits, of_sweeps,
    of_units, of_folders, of_sites, of_mics, of_maps, of_runs, of_exams, of_texts, of_twisted)


def dialects(groups=GROUPS):
    "Name of a reader, what reads, and its cases `(file, content, what is said, options)`"
    for group in groups:
        for name, read, cases in group():
            yield name, read, [(*c, {}) if len(c) == 3 else c for c in cases]


def laid(place, name, content):
    "The file of a case, written into a folder of its own"
    path = place/name
    if callable(content): content(path)
    elif content is not None: path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def said_of(path, read, how):
    "Empty where it is read, the refusal, or the fault, which begins with `FAULT`"
    try: read(path, **how)
    except (ValueError, OSError) as e: return str(e) or "FAULT: a refusal without a word"
    except Exception as e: return f"FAULT {type(e).__name__}: {str(e)[:300]}"
    return ""
