"""Data sets as people really hand them over: every fault named, nothing read that is not theirs, every image mode
one defined value."""
import io
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from PIL import Image

from mic_eval.core.tables import Predictions
from mic_eval.data.manifest import check, data_set, read_manifest
from mic_eval.data.pictures import load_image
from every import every

HEAD = "sample_id,path,growth"


def folder(tmp_path, lines=("a,a.png,1", "b,b.png,0"), head=HEAD, pictures=("a", "b"), size=(6, 8), raw=None):
    d = tmp_path / "set"
    d.mkdir(exist_ok=True)
    for i, k in enumerate(pictures): Image.fromarray(np.full(size, 40 * i + 10, np.uint8)).save(d / f"{k}.png")
    (d / "manifest.csv").write_bytes(raw if raw is not None else "\n".join([head, *lines]).encode())
    return d


def refusal(d, **kw):
    with pytest.raises(ValueError) as e: read_manifest(d, **kw)
    assert "\n" not in str(e.value)
    return str(e.value)


FAULTS = {
    "label": (dict(lines=["a,a.png,yes", "b,b.png,0"]), "growth must be 1, 0 or empty, but is 'yes' in line 2 (a)"),
    "label 2": (dict(lines=["a,a.png,1", "b,b.png,2"]), "growth must be 1, 0 or empty, but is '2' in line 3 (b)"),
    "label nan": (dict(lines=["a,a.png,nan"]), "growth must be 1, 0 or empty, but is 'nan'"),
    "true": (dict(lines=["a,a.png,True"]), "growth must be 1, 0 or empty"),
    "twice": (dict(lines=["a,a.png,1", "a,b.png,0"]), "must be unique, but repeats in lines 2, 3 (a, a)"),
    "missing picture": (dict(lines=["a,a.png,1", "b,c.png,0", "d,d.png,0"]),
                        "names a file that is not there: c.png, d.png, in lines 3, 4 (b, d)"),
    "outside": (dict(lines=["a,../a.png,1"]), "path lies outside the data set's folder: ../a.png"),
    "absolute": (dict(lines=["a,/etc/hostname,1"]), "path lies outside"),
    "drive": (dict(lines=["a,C:/a.png,1"]), "path lies outside"),
    "no id": (dict(lines=[",a.png,1"]), "sample_id is empty in line 2"),
    "no path": (dict(lines=["a,,1"]), "path is empty in line 2 (a)"),
    "role": (dict(head=HEAD + ",role", lines=["a,a.png,1,blank"]),
             "role must be test, control, sterile or empty, but is 'blank'"),
    "concentration": (dict(head=HEAD + ",concentration", lines=["a,a.png,1,0.5 mg"]),
                      "concentration must be a number, not negative, but is '0.5 mg'"),
    "negative": (dict(head=HEAD + ",concentration", lines=["a,a.png,1,-1"]), "not negative, but is '-1'"),
    "infinite": (dict(head=HEAD + ",concentration", lines=["a,a.png,1,inf"]), "concentration must be a number"),
    "reader": (dict(head=HEAD + ",expert_anna", lines=["a,a.png,1,maybe"]),
               "expert_anna must be 1, 0 or empty, but is 'maybe'"),
    "confidence": (dict(head=HEAD + ",expert_1_confidence", lines=["a,a.png,1,90"]),
                   "expert_1_confidence must lie between 0 and 1, but is '90'"),
    "mask": (dict(head=HEAD + ",mask", lines=["a,a.png,1,m.png"]), "mask names a file that is not there: m.png"),
    "no column": (dict(head="sample_id,shot,growth"),
                  "lacks the required column 'path'; it has sample_id, shot, growth"),
    "empty": (dict(lines=[]), "lists no wells: the data set is empty"),
    "nothing": (dict(raw=b""), "lacks the required column 'sample_id'; it has none"),
    "ragged": (dict(lines=["a,a.png,1,7"]), "has 3 columns, but 4 values in line 2"),
    "column twice": (dict(head="sample_id,path,path"), "has the column 'path' more than once"),
    "null byte": (dict(lines=["a,a\0.png,1"]), "manifest.csv is no readable table: not a text file"),
}


@pytest.mark.parametrize("kw, text", FAULTS.values(), ids=FAULTS)
def test_a_fault_is_refused_in_one_line_and_listed_by_check(tmp_path, kw, text):
    d = folder(tmp_path, **kw)
    assert text in refusal(d)
    c = check(d)
    assert not c.ok and any(text in f.text for f in c.findings), c


def test_check_lists_all_faults_at_once(tmp_path):
    c = check(folder(tmp_path, head=HEAD + ",role,concentration",
                     lines=["a,a.png,yes,test,1", "a,b.png,0,what,x", "c,c.png,1,test,2"]))
    assert [f.severity for f in c.findings].count("error") == 5 and "5 errors" in repr(c)


def test_no_folder_and_no_manifest(tmp_path):
    assert "no manifest.csv in" in refusal(tmp_path) and "no folder" in refusal(tmp_path / "x")
    assert not check(tmp_path / "x").ok


def test_a_link_out_of_the_folder_is_refused(tmp_path):
    Image.new("L", (4, 4)).save(tmp_path / "secret.png")
    d = folder(tmp_path, lines=["a,a.png,1", "b,link.png,0", "c,dir/secret.png,1"])
    (d / "link.png").symlink_to(tmp_path / "secret.png"); (d / "dir").symlink_to(tmp_path)
    assert "outside the data set's folder: link.png, dir/secret.png" in refusal(d)


def test_a_folder_reached_through_a_link_is_fine(tmp_path):
    (tmp_path / "alias").symlink_to(folder(tmp_path))
    assert len(read_manifest(tmp_path / "alias")) == 2


def test_a_pipe_is_no_picture(tmp_path):
    d = folder(tmp_path, lines=["a,pipe,1"])
    os.mkfifo(d / "pipe")
    assert "names a file that is not there: pipe" in refusal(d)


def test_broken_pictures(tmp_path):
    d = folder(tmp_path, size=(40, 40))
    (d / "b.png").write_bytes(b"no picture")
    assert "b.png: broken, or not one of PNG" in refusal(d)
    rng = np.random.default_rng(0)
    Image.fromarray(rng.integers(0, 255, (40, 40), np.uint8)).save(d / "b.png")
    (d / "b.png").write_bytes((d / "b.png").read_bytes()[:400])   # a whole header, half the pixels
    data = read_manifest(d)
    with pytest.raises(ValueError, match=r"^b.png: broken picture \(image file is truncated\)$"): data.images()
    assert data.images([0]).shape == (1, 1, 40, 40) and "b.png: broken" in repr(check(d))


def test_programs_are_not_opened_as_pictures(tmp_path):
    d = folder(tmp_path)
    (d / "b.png").write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 8 6\nshowpage\n")
    assert "b.png: broken, or not one of" in refusal(d)


def test_decompression_bombs_name_the_limit(tmp_path):
    d = folder(tmp_path)
    for size in "8000 8000", "99999 99999":
        (d / "b.png").write_bytes(f"P5 {size} 255\n".encode())
        assert "MAX_PIXELS = 50,000,000" in refusal(d)


def test_mixed_sizes_need_a_size(tmp_path):
    d = folder(tmp_path)
    Image.fromarray(np.full((12, 16), 50, np.uint8)).save(d / "b.png")
    assert "pictures differ in size: 1 are 6x8, but not b.png (12x16); size=(6, 8) resizes them" in refusal(d)
    images = read_manifest(d, size=(6, 8)).images()
    assert images.shape == (2, 1, 6, 8) and np.allclose(images[1], 50/255)


def test_one_coloured_picture_makes_the_set_coloured(tmp_path):
    d = folder(tmp_path)
    Image.new("RGB", (8, 6), (255, 0, 0)).save(d / "b.png")
    x = read_manifest(d).images()
    assert x.shape == (2, 3, 6, 8) and np.allclose(x[0], 10/255) and np.allclose(x[1, :, 0, 0], [1, 0, 0])
    assert np.allclose(read_manifest(d, channels=1).images()[1], .299)
    assert read_manifest(d)[:1].images().shape[1] == 3    # a part looks like the whole


MODES = {
    "1": (Image.new("1", (4, 4), 1), 1.), "L": (Image.new("L", (4, 4), 51), .2),
         "RGB": (Image.new("RGB", (4, 4), (51,)*3), .2),
    "P": (Image.new("RGB", (4, 4), (51,)*3).quantize(4), .2),
         "I;16": (Image.fromarray(np.full((4, 4), 13107, np.uint16)), .2),
    "LA clear": (Image.new("LA", (4, 4), (0, 0)), 1.), "LA": (Image.new("LA", (4, 4), (0, 204)), .2),
         "RGBA": (Image.new("RGBA", (4, 4), (0, 0, 0, 204)), .2),
    "CMYK": (Image.new("CMYK", (4, 4), (204, 204, 204, 0)), .2),
         "F": (Image.fromarray(np.full((4, 4), .2, np.float32)), .2),
}


@pytest.mark.parametrize("im, value", MODES.values(), ids=MODES)
@pytest.mark.parametrize("channels", [1, 3])
def test_every_mode_has_one_reading(tmp_path, im, value, channels):
    im.save(p := tmp_path / ("x.tif" if im.mode in ("CMYK", "F") else "x.png"))
    x = load_image(p, channels)
    assert x.shape == (channels, 4, 4) and x.dtype == np.float32 and np.allclose(x, value, atol=1e-6)


def test_float_pictures_out_of_range_are_refused(tmp_path):
    Image.fromarray(np.full((4, 4), 7, np.float32)).save(p := tmp_path / "x.tif")
    with pytest.raises(ValueError, match="do not lie between 0 and 1"): load_image(p)


def test_a_turned_photograph_is_turned_back(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6
    a = np.zeros((4, 8), np.uint8); a[0] = 255
    (d := tmp_path / "set").mkdir()
    Image.fromarray(a).save(d / "a.png", exif=exif)
    (d / "manifest.csv").write_text("sample_id,path\na,a.png")
    data = read_manifest(d)
    assert data.size == (8, 4) and np.allclose(data.images()[0, 0, :, -1], 1)


def test_types_are_stated_not_guessed(tmp_path):
    lines = ["001,a.png,1.0,NA,0.5,007,3", "002,b.png,,1e3,,12,"]
    f = read_manifest(folder(tmp_path, lines=lines, head=HEAD + ",drug,concentration,batch_no,age")).facts
    assert f.sample_id.tolist() == ["001", "002"]
    assert f.drug.tolist() == ["NA", "1e3"] and f.batch_no.tolist() == ["007", "12"]
    assert f.growth[0] == 1 and np.isnan(f.growth[1]) and np.isnan(f.concentration[1]) and f.age[0] == 3


def test_byte_order_mark_crlf_quotes_and_blank_lines(tmp_path):
    text = "﻿sample_id,path,growth,note\r\n\r\na, a.png ,1,\"two\nlines, one cell\"\r\nb,b.png,0,\r\n"
    d = read_manifest(folder(tmp_path, raw=text.encode()))
    assert len(d) == 2 and d.facts.note[0] == "two\nlines, one cell"


def test_variants_share_a_sample_id(tmp_path):
    d = folder(tmp_path, head=HEAD + ",variant", lines=["a,a.png,1,", "a,b.png,1,dark"])
    assert read_manifest(d).facts.variant.tolist() == ["", "dark"]


def test_splits(tmp_path):
    d = folder(tmp_path, head=HEAD + ",split", lines=["a,a.png,1,train", "b,b.png,0,test"])
    assert read_manifest(d, "test").facts.sample_id.tolist() == ["b"]
    assert "no rows of split 'val'; there is test, train" in refusal(d, split="val")
    assert "has no column 'split'" in refusal(folder(tmp_path), split="val")


def test_parts_batches_and_hash(tmp_path):
    d = read_manifest(folder(tmp_path, lines=[f"{c},{c}.png,{i%2}" for i, c in enumerate("abcde")], pictures="abcde"))
    assert np.array_equal(np.concatenate([x for _, x in d.batches(2)]), d.images())
    assert np.array_equal(d[[3, 0]].images(), d.images([3, 0]))
    assert np.array_equal(d[d.y_true == 1].images(), d.images()[[1, 3]])
    assert len({d.content_hash, d[:4].content_hash, d[::-1].content_hash}) == 3 and d[:].content_hash == d.content_hash
    Image.fromarray(np.full((6, 8), 99, np.uint8)).save(d.root / "e.png")
    assert d[:].content_hash != d.content_hash


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 9), st.integers(1, 4), st.sampled_from([1, 3]),
       st.sampled_from([np.uint8, np.uint16, np.float32]))
def test_arrays_are_a_data_set_too(n, batch, c, dtype):
    a = np.random.default_rng(n).random((n, c, 3, 4))
    a = (a*np.iinfo(dtype).max).astype(dtype) if dtype != np.float32 else a.astype(dtype)
    d = data_set(a, y_true=np.arange(n) % 2)
    x = np.concatenate([x for _, x in d.batches(batch)])
    assert x.shape == a.shape
    assert x.min() >= 0 and x.max() <= 1 and x.dtype == np.float32 and d.facts.sample_id.is_unique


@every("kw, text", [
    (dict(images=np.zeros((2, 4, 4, 3))), "must have shape"), (dict(images=np.zeros((0, 4, 4))), "images is empty"),
    (dict(images=np.full((2, 4, 4), 200.)), "must lie between 0 and 1, but do not in 2 of 2, the first in row 0"),
    (dict(images=np.zeros((2, 4, 4), int)), "unsigned integers or floats"),
                    (dict(images=np.full((2, 4, 4), np.nan)), "between 0 and 1"),
    (dict(images=np.zeros((2, 4, 4)), y_true=[0, 2]), "growth must be 1, 0 or empty, but is '2.0' in row 1"),
                    (dict(images=np.zeros((2, 4, 4)), y_true=[0]), "images 2, y_true 1"),
    (dict(images=np.zeros((2, 4, 4)), facts=dict(sample_id=["a", "a"])), "must be unique, but repeats in rows 0, 1"),
], ids=str)
def test_bad_arrays(kw, text):
    with pytest.raises(ValueError, match=text.replace("(", r"\(")): data_set(**kw)


def test_doubts(tmp_path):
    head = HEAD + ",series,drug,concentration,role,expert_mic,split,isolate"
    lines = ["a,a.png,0,S1,INH,1,control,0.5,train,I", "b,b.png,0,S1,PAS,1,test,R,test,I",
             "c,c.png,0,S2,INH,0,sterile,>8,test,J"]
    found = "\n".join(f.text for f in check(folder(tmp_path, lines=lines, head=head, pictures="abc")).findings)
    for text in ("only one class", "isolate stands in more than one split: I", "series with more than one drug: S1",
                 "growth controls that did not grow: a",
                 "a concentration stands twice in series S1", "concentration 0 in series S2",
                 "expert_mic is no MIC (as 0.5, <=0.06, >8): R"): assert text in found


def test_text_from_data_is_escaped(tmp_path):
    c = check(folder(tmp_path, head=HEAD + ",role,condition",
                     lines=["<script>\x1b[31m,a.png,1,<b>,<i>", "b,b.png,0,,"]))
    assert "\x1b" not in repr(c) and "<script>" not in c._repr_html_() and "<b>'" not in c._repr_html_()


def test_check_of_a_predictions_file(tmp_path):
    import pandas as pd
    facts = pd.DataFrame(dict(drug=["INH", "INH"], series=["S", "S"], concentration=[.5, 1], expert_mic=["1", "1"]))
    p = Predictions(["a", "b"], [1, 0], np.array([.9, .2]), outputs=dict(confidence=np.array([.8, .7])),
                    facts=facts).save(tmp_path / "p.parquet")
    c = check(p)
    assert c.ok
    assert c.uses["MIC agreement"] == "1 series with expert_mic"
    assert c.uses["well-level metrics"].startswith("2 of 2 wells labelled")
    assert c.uses["output confidence"] == "one value a row" and not c.uses["bubbles"]
    (tmp_path / "q.csv").write_text("sample_id,y_true,y_pred,role\na,1,1,x\n")
    q = check(tmp_path / "q.csv")
    assert not q.ok
    assert "role must be" in repr(q) and q.uses["probabilities"].reason == "no column 'y_prob' or 'y_logit'"
    (tmp_path / "r.csv").write_text("sample_id,y_true\na,1\n")
    assert "no predictions" in repr(check(tmp_path / "r.csv"))


def test_patients_are_no_wells(tmp_path):
    (tmp_path / "patients.csv").write_text("patient,hospital,label,score\n" + "".join(
        f"p{i // 2},{'AB'[i % 2]},{i % 3 and 1},{i / 60}\n" for i in range(60)))
    c = check(tmp_path / "patients.csv")
    assert c.ok and c.uses["metrics"] == "60 of 60 rows labelled: 0 20, 1 40"
    assert c.uses["grouped intervals"] == "30 values of 'patient'"
    assert "well" not in repr(c) and "growth" not in repr(c) and "series" not in repr(c)
    (tmp_path / "plates.csv").write_text("plate,label,score\n" + "".join(f"P{i % 2},{i % 2},.{i}\n" for i in range(9)))
    assert check(tmp_path / "plates.csv").uses["well-level metrics"] == "9 of 9 wells labelled, 4 with growth"


def test_a_finding_names_the_first_faults_and_counts_the_others():
    from mic_eval.data.manifest import first_names, picture_faults
    assert [first_names([*"abcde"][:n]) for n in (1, 3, 4, 5)] == ["a", "a, b, c", "a, b, c and 1 more",
                                                                   "a, b, c and 2 more"]
    (found,) = picture_faults(dict(a="x"*999, b="no picture", c="no picture", d=(4, 4, False)), None)
    long, rest = found.text.split(", ")
    assert len(long) == 300 and rest == "no picture and 1 more"
    assert not [*picture_faults(dict(a=(4, 4, False), b=(4, 4, True)), None)]
    (found,) = picture_faults(dict(a=(4, 5, False), b=(4, 5, True), c=(6, 5, False)), None)
    assert found.text == "pictures differ in size: 2 are 4x5, but not c (6x5); size=(4, 5) resizes them"


def test_importing_it_is_light():
    code = ("import sys, mic_eval.data.manifest; print(*{'pandas', 'torch', 'PIL', 'scipy', 'sklearn'} & "
            "set(sys.modules))")
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == ""


def test_the_real_plates(real_wells):
    data, c = read_manifest(real_wells), check(real_wells)
    assert len(data) == 192
    assert np.isfinite(data.y_true).sum() == 186 and data.y_true[data.y_true == 1].sum() == 54 and data.size == (70, 70)
    assert c.ok and not c.findings and c.uses["MIC agreement"] == "26 series with expert_mic"


def test_a_manifest_that_is_there_is_named_whatever_was_said_of_folders(tmp_path):
    "It was asked once more what a folder means that had just been said"
    from mic_eval.data.inputs import write_manifest
    for k, name in enumerate(("trüb/A1.png", "clear/A2.png")):
        (tmp_path / name).parent.mkdir()
        Image.fromarray(np.full((20, 20), 90 + k, np.uint8)).save(tmp_path / name)
    with pytest.raises(ValueError, match="'clear' says what it is, and 'trüb'"): write_manifest(tmp_path)
    assert len(write_manifest(tmp_path, growth=["trüb"]).rows) == 2
    before = (tmp_path / "manifest.csv").read_bytes()
    with pytest.raises(ValueError, match="manifest.csv is there already"): write_manifest(tmp_path, growth=["trüb"])
    assert (tmp_path / "manifest.csv").read_bytes() == before


@every("text", ["sample_id,y_prob\na,.1\nb,.9\n", "sample_id,y_pred,plate\na,1,P\nb,0,P\n"])
def test_a_table_without_truth_was_opened_and_cannot_be_judged(tmp_path, text):
    (tmp_path / "t.csv").write_text(text)
    found = check(tmp_path / "t.csv")
    assert not found.ok and "opened" not in found.what and "y_true" in found.findings[0].text
    assert check(tmp_path / "nothing.csv").what == "cannot be opened"
