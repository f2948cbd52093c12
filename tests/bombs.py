"""Small files that ask for much: what each costs until it is refused, in memory and seconds

`python tests/bombs.py` (`quick`: those that are made in no time) makes them, reads each, and prints a line of JSON
for each: bytes of the file, the most memory of the process (MB), seconds, and what was said. The process starts with
what readers import anyway.
"""
import gzip
import io
import json
import lzma
import os
import struct
import sys
import tempfile
import time
import zipfile
import zlib
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from mic_eval.anomaly.counting import read_counts
from mic_eval.anomaly.gaussian import load_detector
from mic_eval.anomaly.map_files import read_map, read_mask, stack_of
from mic_eval.core.readers import read_table
from mic_eval.core.results import from_json
from mic_eval.core.yaml import read_yaml_file
from mic_eval.data.class_sets import class_set
from mic_eval.data.pictures import load_image
from mic_eval.data.plate_layouts import read_layout
from mic_eval.desk.screens import open_blind
from mic_eval.gate.golden import read_golden
from mic_eval.metrics.shards import site_from_json
from mic_eval.mic.guidelines import from_eucast
from mic_eval.model.predict import load_part
from mic_eval.run.store import open_run
from mic_eval.tcm.answers import read_answers
from mic_eval.tcm.items import read_rows
from mic_eval.tcm.rating import open_round

MB = 1 << 20


def deflated(parts):
    "Zip of members (name, byte that repeats, megabytes), packed once and never held"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for name, start, unit, n in parts:
            with z.open(name, "w", force_zip64=True) as f:
                f.write(start)
                for _ in range(n): f.write(unit)
    return out.getvalue()


def zipped(parts, method=zipfile.ZIP_STORED):
    "Zip of members (name, content)"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        for name, content in parts: z.writestr(name, content)
    return out.getvalue()


def claimed(archive, size):
    "An archive whose list says that its first member unpacks to so much"
    at = archive.index(b"PK\1\2")+24
    return archive[:at]+struct.pack("<I", size)+archive[at+4:]


def npz(shape, held=b"", descr="<f8"):
    "An `.npz` whose header has that shape"
    f = io.BytesIO()
    np.lib.format.write_array_header_1_0(f, dict(shape=shape, fortran_order=False, descr=descr))
    return deflated([("p.npy", f.getvalue()+held, b"", 0)])


def zstd_log(mb):
    import zstandard
    packed = zstandard.ZstdCompressor(level=1).compress(b" "*(mb*MB))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as z: z.writestr("samples/1.json", packed)
    whole = bytearray(out.getvalue())
    for mark, at in (b"PK\3\4", 8), (b"PK\1\2", 10):
        place = whole.index(mark)
        whole[place+at:place+at+2] = struct.pack("<H", 93)
    place = whole.index(b"PK\1\2")
    whole[place+24:place+28] = struct.pack("<I", 1000)      # the list says a kilobyte
    return bytes(whole)


def parquet(table, **how):
    out = io.BytesIO()
    pq.write_table(table, out, **how)
    return out.getvalue()


def word(rows, length, listed=False):
    "A column of one text, in a dictionary"
    column = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, "i4")), pa.array(["x"*length]))
    if listed: column = pa.ListArray.from_arrays(pa.array(np.arange(0, rows+1, 10), pa.int32()), column)
    return pa.table(dict(note=column))


def many_groups():
    out = io.BytesIO()
    one = pa.table(dict(p=pa.array(np.zeros(1_000_000))))
    with pq.ParquetWriter(out, one.schema) as w:
        for _ in range(40): w.write_table(one)
    return out.getvalue()


_BOOK = dict(
    content='<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName='
            '"/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml'
            '"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-'
            'officedocument.spreadsheetml.worksheet+xml"/></Types>',
    rels='<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" '
         'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{}" Target="{}"/></Relationships>',
    book='<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.'
         'openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="a" sheetId="1" r:id="r1"/>'
         '</sheets></workbook>',
    sheet='<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>')


def xlsx(unit=b"", n=0, start=b"", end=b"</sheetData></worksheet>", more=(), book=_BOOK["book"]):
    "A workbook with one sheet: a start, a unit n times, an end"
    parts = [("[Content_Types].xml", _BOOK["content"].encode(), b"", 0),
             ("_rels/.rels", _BOOK["rels"].format("officeDocument", "xl/workbook.xml").encode(), b"", 0),
             ("xl/workbook.xml", book.encode(), b"", 0),
             ("xl/_rels/workbook.xml.rels",
              _BOOK["rels"].format("worksheet", "worksheets/sheet1.xml").encode(), b"", 0),
             ("xl/worksheets/sheet1.xml", start+_BOOK["sheet"].encode(), unit, n), *more]
    whole = deflated(parts)
    out = io.BytesIO(whole)
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as z:
        if end: z.writestr("docProps/end.xml", end)
    return out.getvalue()


CELLS = b"<row><c><v>1</v></c><c><v>2</v></c></row>"*1000


def png(width, height, mode=0):
    chunk = lambda kind, data: struct.pack(">I", len(data))+kind+data+struct.pack(">I", zlib.crc32(kind+data))
    head = struct.pack(">IIBBBBB", width, height, 8, mode, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n"+chunk(b"IHDR", head)+chunk(b"IDAT", zlib.compress(bytes(MB)))+chunk(b"IEND", b"")


def tiff(width, height, pages=1, ring=False):
    "TIFF of one strip of floats, packed with deflate; in a ring the last page comes after itself"
    strip = zlib.compress(bytes(MB))
    out, at = b"II*\0"+struct.pack("<I", 8+len(strip))+strip, 8+len(strip)
    tags = [(256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, 32), (259, 3, 1, 8), (262, 3, 1, 1), (273, 4, 1, 8),
            (277, 3, 1, 1), (278, 4, 1, height), (279, 4, 1, len(strip)), (339, 3, 1, 3)]
    for i in range(pages):
        at += 2+12*len(tags)+4
        out += struct.pack("<H", len(tags))+b"".join(struct.pack("<HHII", *t) for t in tags)
        out += struct.pack("<I", at if i < pages-1 else ring*(at-2-12*len(tags)-4))
    return out


def nifti(shape, held=b""):
    "A volume of bytes as its header says it, with what it holds"
    head = bytearray(352)
    struct.pack_into("<i", head, 0, 348)
    struct.pack_into("<8h", head, 40, len(shape), *shape, *[1]*(7-len(shape)))
    struct.pack_into("<2h", head, 70, 2, 8)
    struct.pack_into("<f", head, 108, 352.)
    head[344:348] = b"n+1\0"
    return bytes(head)+held


def bmp():
    "Runs of pixels, packed"
    return b"BM"+struct.pack("<IHHIIiiHHIIiiII", 54, 0, 0, 54, 40, 12_000, 12_000, 1, 8, 1, 0, 0, 0, 256, 0)+bytes(4096)


def remarks():
    "A picture of 16 pixels with two remarks of 400 MB"
    packed = zlib.compressobj(9)
    held = b"".join(packed.compress(bytes(MB)) for _ in range(400))+packed.flush()
    f = io.BytesIO()
    Image.new("L", (4, 4)).save(f, "png")
    chunks = [struct.pack(">I", len(d))+t+d+struct.pack(">I", zlib.crc32(t+d))
              for t, d in ((b"zTXt", b"a\0\0"+held), (b"iCCP", b"p\0\0"+held))]
    return f.getvalue()[:33]+b"".join(chunks)+f.getvalue()[33:]


def tensors(n):
    "As many tensors of no numbers"
    head = json.dumps({f"t{i}": dict(dtype="F32", shape=[0], data_offsets=[0, 0]) for i in range(n)}).encode()
    return struct.pack("<Q", len(head))+head


def net():
    import torch
    return torch.nn.Linear(16, 1)


def weights(f):
    from mic_eval.model.load import load_model
    return load_model(f"{f}@{__name__}:net")


def text_site(f): return site_from_json(f.read_text())


def layout(f): return read_layout(f)


def bombs():
    "Name -> (file, function that makes it, what reads it)"
    own = {f"k{i}": i for i in range(20_000)}
    yield "zip: a log of 1.2 GB", "log.eval", lambda: deflated([("samples/1.json", b"", b" "*MB, 1200)]), read_answers
    yield "zip: 400 members of one size", "log.eval", lambda: deflated(
        [(f"samples/{i}.json", b"", b" "*MB, 3) for i in range(400)]), read_answers
    yield "zip: 300,000 empty members", "log.eval", lambda: deflated(
        [(f"{i}.json", b"{}", b"", 0) for i in range(300_000)]), read_answers
    yield "zip: a list that says less", "log.eval", lambda: claimed(
        deflated([("samples/1.json", b"", b" "*MB, 600)]), 1000), read_answers
    if find_spec("zstandard"): yield "zstd: 1 GB behind a kilobyte", "log.eval", lambda: zstd_log(1000), read_answers
    yield "gzip as a table", "t.csv", lambda: gzip.compress(bytes(40*MB), 1), read_table
    yield "xz as lines of JSON", "t.jsonl", lambda: lzma.compress(bytes(20*MB), preset=0), read_rows
    yield "npz: 1.2 GB of nothing", "p.npz", lambda: npz((150_000_000,)), read_table
    yield "npz: zeros, packed", "p.npz", lambda: deflated(
        [("p.npy", npz_head((40_000_000,)), bytes(MB), 306)]), read_table
    yield "npz: 10^15 of no bytes", "p.npz", lambda: npz((10**15,), descr="|S0"), read_table
    yield "npz: an axis below 0", "p.npz", lambda: npz((-1,)), read_table
    yield "npz: 10^6 columns", "p.npz", lambda: npz((2, 1_000_000), bytes(16_000_000)), read_table
    yield "npz: a map beside 2 GB", "map.npz", lambda: deflated(
        [("pred.npy", npz_head((4, 4), "<f4")+bytes(64), b"", 0),
         ("other.npy", npz_head((6000, 6000)), bytes(MB), 800)]), read_map
    yield "npz: a detector", "own.npz", lambda: npz((10**9,)), load_detector
    yield "npz: counts of pixels", "counts.npz", lambda: npz((10**9,)), read_counts
    yield "npz: pictures of classes", "set.npz", lambda: deflated(
        [("images.npy", npz_head((150_000_000, 2)), b"", 0)]), class_set
    yield "npy: pictures of classes", "set.npy", lambda: npz_head((150_000_000, 2)), class_set
    yield "npz: 200 MB in 400 bytes of bzip2", "p.npz", lambda: zipped(
        [("p.npy", npz_head((5,))+bytes(200*MB))], zipfile.ZIP_BZIP2), read_table
    yield "npz: 50,000 arrays", "p.npz", lambda: zipped(
        [(f"a{i}.npy", npz_head((1,))+bytes(8)) for i in range(50_000)]), read_table
    yield "Parquet: 3 x 10^7 bytes in lists", "t.parquet", lambda: parquet(
        pa.table(dict(a=pa.array([[0]*10_000_000]*3, pa.list_(pa.int8()))))), read_table
    yield "Parquet: 4 x 10^7 zeros", "t.parquet", lambda: parquet(pa.table(dict(p=np.zeros(40_000_000)))), read_table
    yield "Parquet: 40 row groups", "t.parquet", many_groups, read_table
    yield "Parquet: one word of 1 MB", "t.parquet", lambda: parquet(
        word(3000, 1_000_000), store_schema=False), read_table
    yield "Parquet: one word in lists", "t.parquet", lambda: parquet(
        word(30_000, 100_000, True), store_schema=False), read_table
    yield "Parquet: texts that continue", "t.parquet", lambda: parquet(
        pa.table(dict(note=["x"*100_000+str(i) for i in range(4000)])), use_dictionary=False,
        column_encoding=dict(note="DELTA_BYTE_ARRAY")), read_table
    yield "Parquet: pages that shrink", "t.parquet", lambda: parquet(
        pa.table(dict(note=["x"*1_000_000+str(i) for i in range(300)])), compression="zstd",
        use_dictionary=False), read_table
    yield "xlsx: 10^7 cells", "t.xlsx", lambda: xlsx(CELLS, 2500), read_table
    yield "xlsx: one cell at XFD1048576", "t.xlsx", lambda: xlsx(
        b'<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>', 1), read_table
    yield "xlsx: 10^7 shared strings", "t.xlsx", lambda: xlsx(
        CELLS[:41], 1, more=[("xl/sharedStrings.xml", b"<sst>", b"<si><t>x</t></si>"*10_000, 600)]), read_table
    yield "xlsx: everything merged", "t.xlsx", lambda: xlsx(
        CELLS[:41]+b'</sheetData><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>', 1), read_table
    yield "xlsx: 300,000 merges", "t.xlsx", lambda: xlsx(CELLS[:41]+b"</sheetData><mergeCells>"+b"".join(
        b'<mergeCell ref="A%d:B%d"/>' % (i, i) for i in range(1, 300_000))+b"</mergeCells>", 1), read_table
    yield "xlsx: one sheet under 20,000 names", "t.xlsx", lambda: xlsx(CELLS[:41], 1, book=_BOOK["book"].replace(
        "</sheets>", "".join(f'<sheet name="s{i}" sheetId="{i}" r:id="r1"/>' for i in range(2, 20_000))
        +"</sheets>")), read_table
    yield "xlsx: 100,000 rules for looks", "t.xlsx", lambda: xlsx(
        CELLS[:41]+b"</sheetData>"+b'<conditionalFormatting sqref="A1:XFD1048576"><cfRule type="cellIs" priority="1" '
        b'operator="equal"><formula>1</formula></cfRule></conditionalFormatting>'*100_000, 1), read_table
    yield "xlsx: elements in elements", "t.xlsx", lambda: xlsx(
        b"<a>"*1_000_000+b"</a>"*1_000_000, 1), read_table
    yield "xlsx: a million styles", "t.xlsx", lambda: xlsx(
        CELLS[:41], 1, more=[("xl/styles.xml", b"<styleSheet>", b'<xf numFmtId="0"/>'*10_000, 100)]), read_table
    yield "XML: entities in entities", "t.xlsx", lambda: xlsx(
        CELLS[:41], 1, b"<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'>"+b"".join(
            b"<!ENTITY %c '%s'>" % (98+i, b"&%c;" % (97+i)*10) for i in range(9))+b"]>"), read_table
    yield "xlsx: breakpoints", "v_15.0.xlsx", lambda: xlsx(CELLS, 2500), from_eucast
    yield "PNG: 10^10 pixels", "w.png", lambda: png(100_000, 100_000), load_image
    yield "PNG: a mask of 10^10 pixels", "m.png", lambda: png(100_000, 100_000), read_mask
    yield "PNG: a map of 6 x 10^7 pixels", "m.png", lambda: png(10_000, 6_000), read_map
    yield "npy: a stack of 10^15 texts of no bytes", "s.npy", lambda: npz_head((10**15, 4, 4), "|S0"), stack_of
    yield "npy: a stack of 10^15 empty pictures", "s.npy", lambda: npz_head((10**15, 0, 4)), stack_of
    yield "npy: a stack of 10^12 numbers", "s.npy", lambda: npz_head((10**8, 100, 100)), stack_of
    yield "NIfTI: 500 MB, packed", "v.nii.gz", lambda: gzip.compress(nifti((1000, 512, 1024), bytes(500*MB)), 1), (
        stack_of)
    yield "NIfTI: axes below 0", "v.nii", lambda: nifti((-5, 100, 100)), stack_of
    yield "BMP: 10^8 pixels in 4 kB", "a.bmp", bmp, load_image
    yield "PNG: 400 MB of remarks", "a.png", remarks, load_image
    if find_spec("torch"):
        yield "safetensors: 300,000 names", "w.safetensors", lambda: tensors(300_000), weights
        yield "safetensors: a list of 10^18 bytes", "w.safetensors", lambda: struct.pack("<Q", 10**18)+b"{", weights
    yield "JSON: a blind round", "blind.json", lambda: b"["*300_000, lambda f: open_blind(f.parent)
    yield "JSON: a plan of 4 x 10^6 pairs", "plan.json", lambda: json.dumps(dict(raters=dict(Li=["1"]), pairs=True,
        repeats=0, seed=0, items=[dict(id="1", model=f"m{i}", question="", text="") for i in range(3000)])).encode(), (
        lambda f: open_round(f.parent))
    yield "TIFF: 10^9 floats", "m.tiff", lambda: tiff(40_000, 30_000), read_map
    yield "TIFF: 20,000 pages", "m.tiff", lambda: tiff(4, 4, 20_000), read_map
    yield "TIFF: a page that is its own next", "m.tiff", lambda: tiff(4, 4, 1, True), read_map
    yield "JSON: 10^6 brackets", "t.json", lambda: b"["*1_000_000, read_table
    yield "JSON: results in results", "results.json", lambda: b'{"a":'*100_000+b"1"+b"}"*100_000, from_json
    yield "JSON: items", "i.jsonl", lambda: b'{"id":1,"question":'+b"["*300_000, read_rows
    yield "JSON: golden run", "g.json", lambda: b"["*300_000, read_golden
    yield "JSON: statistic of a site", "s.json", lambda: b"["*300_000, text_site
    yield "JSON: layout of a plate", "l.json", lambda: b"["*300_000, layout
    yield "JSON: a name of its own a row", "t.json", lambda: json.dumps([{k: 1} for k in own]).encode(), read_table
    yield "JSON: a name of its own a line", "t.jsonl", lambda: "\n".join(
        json.dumps({k: 1}) for k in own).encode(), read_table
    yield "YAML: 10^5 levels", "p.yml", lambda: b"["*100_000, read_yaml_file
    yield "YAML: aliases of aliases", "p.yml", lambda: b"a: &a [x,x]\n"+b"".join(
        b"%c: &%c [*%c,*%c]\n" % (98+i, 98+i, 97+i, 97+i) for i in range(20)), read_yaml_file
    yield "YAML: a megabyte", "p.yml", lambda: b"a: ["+b"1,"*500_000+b"1]", read_yaml_file
    yield "YAML: a number of 100,000 signs", "p.yml", lambda: b"a: 1"+b":1"*90_000, read_yaml_file
    yield "CSV: 10^5 columns", "t.csv", lambda: b",".join(b"c%d" % i for i in range(100_000))+b"\n", read_table
    yield "CSV: 500,000 lines of Latin-1, one of UTF-8", "t.csv", lambda: (
        b"a,b\n"+"é,1\n".encode("latin-1")*500_000+"é,2\n".encode()), read_table
    yield "CSV: 200,000 quotation marks", "t.csv", lambda: b"a,b\n"+b'"'*200_001, read_table


def npz_head(shape, descr="<f8"):
    f = io.BytesIO()
    np.lib.format.write_array_header_1_0(f, dict(shape=shape, fortran_order=False, descr=descr))
    return f.getvalue()


SLOW = ("zip: 300,000 empty members", "zip: 400 members of one size", "zip: a log of 1.2 GB", "npz: a map beside 2 GB",
        "zip: a list that says less", "TIFF: 20,000 pages", "npz: zeros, packed", "Parquet: texts that continue",
        "Parquet: pages that shrink", "zstd: 1 GB behind a kilobyte", "xlsx: breakpoints")   # to make


def peak():
    "The most memory of this process since `forget`, MB"
    line = next(o for o in Path("/proc/self/status").read_text().splitlines() if o.startswith("VmHWM"))
    return int(line.split()[1])/1024


def forget(): Path("/proc/self/clear_refs").write_text("5")


def alone(job):
    "What a job gives, from a process of its own: what one file has cost is not counted for the next"
    back, there = os.pipe()
    child = os.fork()
    if not child:
        try: os.write(there, json.dumps(job()).encode())
        finally: os._exit(0)
    os.close(there)
    with open(back, "rb") as f: said = f.read()
    os.waitpid(child, 0)
    return json.loads(said)


def asked(path, read):
    "What is said of a file, in how many seconds and MB"
    forget()
    start = time.process_time()
    try: said = f"READ {str(read(path))[:60]}"
    except Exception as e: said = f"{type(e).__name__}: {e}"
    return dict(mb=round(peak()), s=round(time.process_time()-start, 2), said=said)


def measured(place, slow=True):
    for name, file, make, read in bombs():
        if name in SLOW and not slow: continue
        path = Path(place)/file
        began = time.monotonic()
        alone(lambda: path.write_bytes(make()))
        made = time.monotonic()-began
        yield dict(name=name, bytes=path.stat().st_size) | alone(lambda: asked(path, read)) | dict(made=round(made, 2))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as d:
        for row in measured(d, "quick" not in sys.argv): print(json.dumps(row, ensure_ascii=False), flush=True)
