"""What a refusal tells people to do is done, and the second reading is the right one"""
import numpy as np
import openpyxl
import pytest
import tifffile
from PIL import Image

import bound_sets
from mic_eval.anomaly.datasets import data_images, read_maps
from mic_eval.core.readers import read_table
from mic_eval.core.tables import read_predictions
from mic_eval.data.class_sets import class_set

ROWS = [(f"s{i}", "猫" if i % 2 else "狗", round(.1 + .01*i, 3)) for i in range(60)]
TEXT = "sample_id,label,y_prob\n" + "".join(f"{a},{b},{c:.3f}\n" for a, b, c in ROWS)


def holds(path, rows=ROWS):
    "Whether a file is read as these rows"
    p = read_predictions(path, positive="猫")
    truths = [p.classes[i] for i in p.y_true]
    return (list(p.sample_id) == [r[0] for r in rows] and truths == [r[1] for r in rows]
            and np.allclose(p.scores, [r[2] for r in rows]))


@pytest.mark.parametrize("line", [1, 7, 59])
def test_a_row_of_another_encoding(tmp_path, line):
    "The line is named; the same text saved in one encoding is read rightly, in either"
    lines = TEXT.encode().split(b"\n")
    lines[line] = lines[line].decode().encode("gbk")
    file = tmp_path/"a.csv"
    file.write_bytes(b"\n".join(lines))
    with pytest.raises(ValueError, match=f"two encodings in one file: line {line+1} is .*: save it as UTF-8"):
        read_predictions(file, positive="猫")
    lines[line] = lines[line].decode("gbk").encode()
    file.write_bytes(b"\n".join(lines))
    assert holds(file)
    file.write_bytes(TEXT.encode("gbk"))
    assert holds(file)


@pytest.mark.parametrize("length, read", [(20_000, True), (20_001, False)])
def test_what_only_the_slow_reader_of_yaml_takes_is_read_up_to_a_length(length, read):
    "libyaml wants a blank behind a colon in brackets"
    from mic_eval.core.yaml import read_yaml
    text = "[a:]\n# "
    text += "x"*(length-len(text))
    if read: assert read_yaml(text, "a.yml")[0] == [dict(a=None)]
    else:
        with pytest.raises(ValueError, match="a.yml:1: "): read_yaml(text, "a.yml")


@pytest.mark.parametrize("lines, said", [((1,), "line 2 is "), ((1, 2), "line 2 and 1 more is "),
                                         ((3, 9, 4), "line 4 and 2 more is ")])
def test_rows_of_another_encoding_are_counted(lines, said):
    from mic_eval.core.readers import decoded
    rows = [f"é{i},1".encode("cp1252" if i in lines else "utf-8") for i in range(12)]
    with pytest.raises(ValueError) as e: decoded(b"\n".join(rows))
    assert f"two encodings in one file: {said}Latin-1, {12-len(lines)} others are UTF-8" in str(e.value)


def test_a_file_cut_in_a_number(tmp_path):
    "Whole again it is read whole; where somebody ends the line, the cut number is what they say it is"
    file = tmp_path/"a.csv"
    file.write_text(TEXT[:-3], encoding="utf-8")
    with pytest.raises(ValueError, match="its last cell is '0.6', .* take the whole one, or end that line"):
        read_predictions(file, positive="猫")
    file.write_text(TEXT, encoding="utf-8")
    assert holds(file)
    file.write_text(TEXT[:-3]+"\n", encoding="utf-8")
    assert holds(file, [*ROWS[:-1], (*ROWS[-1][:2], .6)])
    file.write_text(TEXT[:-1], encoding="utf-8")   # whole, but for its end, which is said
    assert holds(file) and "its last line without an end: is the file whole?" in read_table(file).took


def test_hidden_rows(tmp_path):
    "Shown they count, deleted they do not"
    file, hidden = tmp_path/"a.xlsx", (5, 6, 40)
    book = openpyxl.Workbook()
    for row in [("sample_id", "label", "y_prob"), *ROWS]: book.active.append(row)
    for i in hidden: book.active.row_dimensions[i].hidden = True
    book.save(file)
    with pytest.raises(ValueError, match="rows 5, 6, 40 .* hidden.*do they count[?] show them .*or delete them"):
        read_predictions(file, positive="猫")
    for i in hidden: book.active.row_dimensions[i].hidden = False
    book.save(file)
    assert holds(file)
    for i in sorted(hidden, reverse=True): book.active.delete_rows(i)
    book.save(file)
    assert holds(file, [r for i, r in enumerate(ROWS, 2) if i not in hidden])


def test_a_mask_of_several_pages(tmp_path):
    "One file a mask is read; a file of maps, a page an image, is read in their order"
    seed = bound_sets.TREES_AND_FAULTS.index("two pages")
    root, pixels, _, _ = bound_sets.tree(tmp_path, seed)
    images = data_images(root)
    maps = [np.full((20, 24), float(i)) for i in range(len(images))]
    def sums():
        read = read_maps(root, maps, resize="map")
        return [int(read.open(i).mask.sum()) for i in np.flatnonzero(images["label"])]
    with pytest.raises(ValueError, match="2 pages, and one map is needed: write a file a map, or give the file itself"):
        sums()
    for p in root.rglob("*.tiff"): tifffile.imwrite(p, tifffile.imread(p)[0], photometric="minisblack")
    assert sums() == list(pixels.values())
    tifffile.imwrite(tmp_path/"maps.tif", np.stack(maps).astype(np.float32), photometric="minisblack")
    paged = read_maps(root, tmp_path/"maps.tif", resize="map")
    assert [float(paged.open(i).map.max()) for i in range(len(images))] == list(range(len(images)))


def test_a_picture_of_several_pages(tmp_path):
    "The one that is meant, saved by itself, is the one that is read; a preview behind it is no second picture"
    rng = np.random.default_rng(0)
    pages = rng.integers(0, 255, (3, 16, 20), dtype=np.uint8)
    for name in ("cat", "dog"):
        (tmp_path/name).mkdir()
        Image.fromarray(pages[0]).save(tmp_path/name/"a.png")
    tifffile.imwrite(tmp_path/"cat"/"b.tif", pages, photometric="minisblack")
    with pytest.raises(ValueError, match="b.tif: 3 pictures of one size in a file: save the one that is meant"):
        class_set(tmp_path)
    tifffile.imwrite(tmp_path/"cat"/"b.tif", pages[1], photometric="minisblack")
    data = class_set(tmp_path)
    at = list(data.facts["path"]).index("cat/b.tif")
    (_, batch), = data.batches(8)
    assert np.allclose(batch[at, 0], pages[1]/255, atol=1e-6)
    with tifffile.TiffWriter(tmp_path/"cat"/"b.tif") as f:
        f.write(pages[1], photometric="minisblack")
        f.write(pages[1][::2, ::2], photometric="minisblack")
    (_, batch), = class_set(tmp_path).batches(8)
    assert np.allclose(batch[at, 0], pages[1]/255, atol=1e-6)
