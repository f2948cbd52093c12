"Layouts of inspection data that come with facts of their own: views, volumes, saturation, places where nobody looks"
import gzip
import itertools
import json
import os
import re

import numpy as np
import pandas as pd
import pytest
import tifffile
from PIL import Image

from mic_eval.anomaly import AnomalyMaps, PixelCounts, data_images, evaluate_anomaly, read_map, read_maps, read_mask
from mic_eval.anomaly.datasets import layout_of
from mic_eval.anomaly.map_files import stack_of
from mic_eval.anomaly.pixel_metrics import saturated_overlap
from mic_eval.data.pictures import header, load_image
from every import every

BLOB = np.zeros((8, 8), np.uint8)
BLOB[2:4, 3:6] = 255


def picture(path, a=None):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.full((8, 8), 90, np.uint8) if a is None else a).save(path)


def nifti(path, a):
    "A volume (slices, H, W) as NIfTI-1 has it"
    head = np.zeros(352, np.uint8)
    def put(at, values, kind): head[at:at+np.dtype(kind).itemsize*len(values)] = np.array(values, kind).view(np.uint8)
    put(0, [348], "<i4"); put(40, [3, *a.shape[::-1], 1, 1, 1, 1], "<i2")
    put(70, [{"float32": 16, "uint8": 2, "int16": 4}[str(a.dtype)]], "<i2")
    put(108, [352., 0, 0], "<f4"); head[344:348] = list(b"n+1\0")
    path.parent.mkdir(parents=True, exist_ok=True)
    opened = gzip.open if path.name.endswith(".gz") else open
    with opened(path, "wb") as f: f.write(head.tobytes()+np.ascontiguousarray(a).tobytes())


def real_iad(root, lists=True):
    test, train = [], []
    for part, kind in (("OK/S0001", "OK"), ("OK/S0002", "OK"), ("NG/BX/S0001", "BX")):
        for view in (1, 2):
            name = f"{part}/mint_0001_{kind}_C{view}_2023.jpg"
            picture(root/"realiad_1024/mint"/name)
            seen = kind == "BX" and view == 1
            if seen: picture(root/"realiad_1024/mint"/name.replace(".jpg", ".png"), BLOB)
            entry = dict(category="mint", anomaly_class="BX" if seen else "OK", image_path=name,
                         mask_path=name.replace(".jpg", ".png") if seen else None)
            (train if part == "OK/S0002" else test).append(entry)
    if not lists: return
    (root/"realiad_jsons/realiad_jsons").mkdir(parents=True)
    (root/"realiad_jsons/realiad_jsons/mint.json").write_text(json.dumps(
        dict(meta=dict(normal_class="OK", prefix="mint/"), train=train, test=test)))


def test_real_iad_by_its_lists_and_by_its_folders(tmp_path):
    real_iad(tmp_path/"a"); real_iad(tmp_path/"b", lists=False)
    listed, found = data_images(tmp_path/"a"), data_images(tmp_path/"b")
    assert listed.attrs["layout"] == found.attrs["layout"] == "real_iad"
    assert sorted(listed.label) == [0, 0, 0, 1] and sorted(found.label) == [0]*5+[1]
    assert set(listed["view"]) == {"C1", "C2"} and listed.part.nunique() == 2 and found.part.nunique() == 3
    assert len(data_images(tmp_path/"a", split="train")) == 2
    one = data_images(tmp_path/"b/realiad_1024/mint")   # the folder of one object
    assert set(one.object) == {"mint"} and sorted(one.label) == [0]*5+[1] and set(one.part) > {"mint OK/S0001"}
    picture(tmp_path/"a/realiad_512/mint/OK/S0001/mint_0001_OK_C1_2023.jpg")
    with pytest.raises(ValueError, match="in 2 sizes, realiad_1024, realiad_512: name one"): data_images(tmp_path/"a")
    assert len(data_images(tmp_path/"a/realiad_1024")) == 4


def loco(root, n=6, seed=0):
    "Images with regions that overlap and saturate, in pixels and as a share"
    rng = np.random.default_rng(seed)
    masks = []
    for i in range(n): picture(root/f"juice/test/good/{i:03}.png")
    for i in range(n):
        picture(root/f"juice/test/logical_anomalies/{i:03}.png")
        own = []
        for k, value in enumerate((250, 251)[:1+i % 2]):
            a = np.zeros((8, 8), np.uint8)
            y, x = rng.integers(0, 4, 2)
            a[y:y+4, x:x+3] = value
            picture(root/f"juice/ground_truth/logical_anomalies/{i:03}/{k:03}.png", a)
            own.append((a > 0, 5. if value == 250 else .5*(a > 0).sum()))
        masks.append(own)
    (root/"juice/defects_config.json").write_text(json.dumps([
        dict(defect_name="a", pixel_value=250, saturation_threshold=5, relative_saturation=False),
        dict(defect_name="b", pixel_value=251, saturation_threshold=.5, relative_saturation=True)]))
    maps = rng.normal(size=(2*n, 8, 8)).round(1).astype(np.float32)
    for i, own in enumerate(masks):
        for on, _ in own: maps[n+i][on] += 1
    for i, a in enumerate(maps):
        kind = "good" if i < n else "logical_anomalies"
        path = root.parent/f"maps/juice/test/{kind}/{i % n:03}.npy"
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, a)
    return maps, [[]]*n+masks


def spro_by_hand(maps, truth, limit):
    union = np.stack([np.any([on for on, _ in own], 0) if own else np.zeros(a.shape, bool)
                      for a, own in zip(maps, truth)])
    x, y = [0.], [0.]
    for t in np.unique(maps)[::-1]:
        x.append((maps[~union] >= t).mean())
        y.append(np.mean([min((a[on] >= t).sum()/enough, 1) for a, own in zip(maps, truth) for on, enough in own]))
    area = 0.
    for (x0, x1), (y0, y1) in zip(itertools.pairwise(x), itertools.pairwise(y)):
        if x0 >= limit: break
        end = min(x1, limit)
        y_end = y0+(y1-y0)*(end-x0)/(x1-x0) if x1 > x0 else y1
        area += (end-x0)*(y0+y_end)/2
    return area/limit


def test_saturated_overlap_of_loco_by_hand(tmp_path):
    maps, truth = loco(tmp_path/"data")
    m = read_maps(tmp_path/"data", tmp_path/"maps")
    assert set(m.facts["layout"]) == {"mvtec_loco"} and int((m.label == 1).sum()) == 6
    c = PixelCounts.of(m)
    for limit in (.05, .3): assert float(next(iter(saturated_overlap(m, c, (limit,)).values()))) == pytest.approx(
        spro_by_hand(maps, truth, limit), abs=1e-12)
    found = evaluate_anomaly(m)["mean"]
    assert found["spro_05"].lo < found["spro_05"] < found["spro_05"].hi and found["aupro_05"].defined
    (tmp_path/"data/juice/defects_config.json").write_text("[]")
    with pytest.raises(ValueError, match="000/000.png: values .250., and one of"): saturated_overlap(m, c)


@pytest.mark.parametrize("ending", [".npy", ".nii", ".nii.gz"])
def test_volumes_are_slices_that_know_their_volume(ending, tmp_path):
    rng = np.random.default_rng(0)
    def put(path, a):
        path.parent.mkdir(parents=True, exist_ok=True)
        if ending == ".npy": np.save(path, a)
        else: nifti(path, a)
    for i, kind in enumerate(["good", "good", "good", "tumour", "tumour"]):
        truth = np.zeros((4, 6, 5), np.uint8)
        if kind != "good":
            truth[1:3, 2:4, 1:3] = 1
            put(tmp_path/f"data/brain/ground_truth/{kind}/{i}{ending}", truth)
        put(tmp_path/f"data/brain/test/{kind}/{i}{ending}", rng.normal(size=(4, 6, 5)).astype(np.float32))
        put(tmp_path/f"maps/brain/test/{kind}/{i}{ending}", (truth*3+rng.normal(size=(4, 6, 5))).astype(np.float32))
    m = read_maps(tmp_path/"data", tmp_path/"maps", resize="map")
    assert len(m) == 20 and m.label.sum() == 4 and m.facts["volume"].nunique() == 5
    k = int(np.flatnonzero(m.label == 1)[0])
    assert m.mask(k).sum() == 4 and m.open(k).map.shape == (6, 5)
    m.save(tmp_path/"kept.parquet")
    from mic_eval.anomaly.maps import read_images
    assert read_images(tmp_path/"kept.parquet").mask(k).sum() == 4
    from mic_eval.anomaly import anomaly_metrics
    found = anomaly_metrics(m, (), 0)
    assert found["settings"]["groups"] == "volume" and found["settings"]["part_score"] == "max"
    assert found["by"]["object"]["brain"].part_roc_auc.n == 5


def test_a_volume_is_read_as_its_slices_lie(tmp_path):
    a = np.arange(24, dtype=np.int16).reshape(2, 3, 4)
    nifti(tmp_path/"a.nii", a)
    assert (stack_of(tmp_path/"a.nii") == a).all()
    (tmp_path/"b.nii").write_bytes((tmp_path/"a.nii").read_bytes()[:360])
    with pytest.raises(ValueError, match="b.nii: cut off"): stack_of(tmp_path/"b.nii")
    with pytest.raises(ValueError, match="2 slices, and one map is needed"): read_map(tmp_path/"a.nii")


def test_pages_and_lzw_of_tiff(tmp_path):
    a = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    tifffile.imwrite(tmp_path/"pages.tif", a, photometric="minisblack")
    assert (stack_of(tmp_path/"pages.tif") == a).all()
    with pytest.raises(ValueError, match="2 pages, and one map is needed"): read_map(tmp_path/"pages.tif")
    Image.fromarray(BLOB).save(tmp_path/"lzw.tif", compression="tiff_lzw")
    Image.fromarray(a[0]).save(tmp_path/"map.tif", compression="tiff_lzw")
    assert read_mask(tmp_path/"lzw.tif").pixels.sum() == 6 and (read_map(tmp_path/"map.tif") == a[0]).all()


def home(root, normal="正常"):
    for i in range(3): picture(root/f"well/test/{normal}/{i:03}.png")
    for i in range(2):
        picture(root/f"well/test/划痕/{i:03}.png"); picture(root/f"well/ground_truth/划痕/{i:03}_mask.png", BLOB)


def test_trees_and_folders_as_people_make_them(tmp_path):
    home(tmp_path/"a")
    assert layout_of(tmp_path/"a").name == "tree" and data_images(tmp_path/"a").label.sum() == 2
    for i in range(3): picture(tmp_path/f"b/OK/{i}.png")
    picture(tmp_path/"b/scratch/7.png"); picture(tmp_path/"b/masks/scratch/7.png", BLOB)
    found = data_images(tmp_path/"b")
    assert found.attrs["layout"] == "folders" and found.label.sum() == 1 and found["mask"].notna().sum() == 1


def test_where_nobody_looks_nothing_counts(tmp_path):
    "As if the maps had been cut to what is judged"
    home(tmp_path/"data")
    roi = np.zeros((8, 8), np.uint8); roi[:, 2:] = 255
    picture(tmp_path/"data/well/roi.png", roi)
    rng = np.random.default_rng(0)
    whole, cut = tmp_path/"maps", tmp_path/"cut"
    for p in (tmp_path/"data/well/test").rglob("*.png"):
        a = rng.normal(size=(8, 8)).astype(np.float32)
        a[:, :2] += 9
        for root, part in ((whole, a), (cut, a[:, 2:])):
            place = root/p.relative_to(tmp_path/"data").with_suffix(".npy")
            place.parent.mkdir(parents=True, exist_ok=True)
            np.save(place, part)
    inside = evaluate_anomaly(read_maps(tmp_path/"data", whole), ci=None)["by"]["object"]["well"]
    (tmp_path/"data/well/roi.png").unlink()
    for p in (tmp_path/"data/well/ground_truth").rglob("*.png"): picture(p, BLOB[:, 2:])
    alone = evaluate_anomaly(read_maps(tmp_path/"data", cut), ci=None)["by"]["object"]["well"]
    for k in ("image_roc_auc", "pixel_roc_auc", "pixel_average_precision", "aupro_30"):
        assert float(inside[k]) == float(alone[k]), k
    assert inside.n == alone.n
    picture(tmp_path/"data/well/ignore/划痕/000.png", np.full((8, 6), 255, np.uint8))
    with pytest.raises(ValueError, match="no pixel is left to judge"): read_maps(tmp_path/"data", cut).open(
        int(np.flatnonzero([s.endswith("划痕/000") for s in read_maps(tmp_path/"data", cut).sample_id])[0]))


def uniad_folder(root, train=True):
    "As UniAD's readme says: lists in data/MVTec-AD, images in the folder that its config names"
    images, lines = root/"data/MVTec-AD/mvtec_anomaly_detection", {"train": [], "test": []}
    for i in range(2):
        picture(images/f"well/train/good/{i:03}.png"); picture(images/f"well/test/good/{i:03}.png")
        for split in lines: lines[split].append(dict(filename=f"well/{split}/good/{i:03}.png", label=0,
                                                     label_name="good", clsname="well"))
    picture(images/"well/test/cut/000.png"); picture(images/"well/ground_truth/cut/000_mask.png", BLOB)
    lines["test"].append(dict(filename="well/test/cut/000.png", label=1, label_name="defective",
                              maskname="well/ground_truth/cut/000_mask.png", clsname="well"))
    for split in lines: (root/f"data/MVTec-AD/{split}.json").write_text("\n".join(map(json.dumps, lines[split])))
    config = root/"experiments/MVTec-AD/config.yaml"
    config.parent.mkdir(parents=True)
    config.write_text("""dataset:
  type: custom
  image_reader: {type: opencv, kwargs: {image_dir: ../../data/MVTec-AD/mvtec_anomaly_detection/, color_mode: RGB}}
  train: {meta_file: ../../data/MVTec-AD/train.json, rotation: False}
  test: {meta_file: ../../data/MVTec-AD/test.json}
""")
    for split, k, kind in (("test", "000", "good"), ("test", "001", "good"), ("test", "000", "cut"),
                           ("train", "000", "good"), ("train", "001", "good")):
        mask = (BLOB/255. if kind == "cut" else BLOB*0.)[None].astype(np.float32)
        place = root/f"dumps_{split}"
        place.mkdir(exist_ok=True)
        np.savez(place/f"well_{kind}_{k}.npz", filename=f"well/{split}/{kind}/{k}.png", mask=mask,
                 pred=np.full((1, 8, 8), .5, np.float32), height=8, width=8, clsname="well")
    return config, images


def test_uniads_config_and_dumps_are_data(tmp_path):
    config, images = uniad_folder(tmp_path)
    m = read_maps(config, tmp_path/"dumps_test")
    assert sorted(m.label) == [0, 0, 1] and set(m.facts["path"]) >= {"well/test/cut/000.png"}
    assert len(data_images(config, split="train")) == 2 and len(data_images(config.parents[2]/"data/MVTec-AD")) == 3
    dumps = read_maps(tmp_path/"dumps_test", tmp_path/"dumps_test")
    assert sorted(dumps.label) == [0, 0, 1] and set(dumps.facts["layout"]) == {"uniad_dumps"}
    k = int(np.flatnonzero(dumps.label)[0])
    assert (dumps.open(k).mask == m.open(int(np.flatnonzero(m.label)[0])).mask).all() and dumps.facts.defect[k] == "cut"
    (tmp_path/"data/MVTec-AD/test.json").unlink()
    with pytest.raises(ValueError, match="config.yaml: dataset.test.meta_file is .*and there is no such place"):
        data_images(config)


def test_maps_of_another_split_are_said_and_strange_ones_refused(tmp_path):
    for i in range(2): picture(tmp_path/f"data/well/train/good/{i:03}.png")
    for i in range(2): picture(tmp_path/f"data/well/test/good/{i:03}.png")
    picture(tmp_path/"data/well/test/cut/000.png"); picture(tmp_path/"data/well/ground_truth/cut/000_mask.png", BLOB)
    for p in (tmp_path/"data").rglob("*.png"):
        if "ground_truth" in p.parts: continue
        place = tmp_path/"maps"/p.relative_to(tmp_path/"data").with_suffix(".npy")
        place.parent.mkdir(parents=True, exist_ok=True)
        np.save(place, np.full((8, 8), .5, np.float32))
    said = []
    assert len(read_maps(tmp_path/"data", tmp_path/"maps", tell=said.append)) == 3
    assert said == ["2 maps belong to images of train (2) and are left alone"]
    np.save(tmp_path/"maps/well/test/good/zzz.npy", np.zeros((8, 8)))
    with pytest.raises(ValueError, match=r"1 surplus map\(s\) that belong to no image: well/test/good/zzz"):
        read_maps(tmp_path/"data", tmp_path/"maps")
    (tmp_path/"model.ckpt").write_bytes(b"PK")
    with pytest.raises(ValueError, match="model.ckpt: .*A checkpoint .* ask an ONNX export of it"):
        read_maps(tmp_path/"data", tmp_path/"model.ckpt")


def test_learning_images_alone_are_a_layout_and_no_object_is_lost_beside_them(tmp_path):
    "One object or several, fitted by the command; an object that happens to be called train stays one"
    from typer.testing import CliRunner
    from mic_eval.cli.app import app
    for o in ("nut/train/good", "nut/validation/good", "bolt/train/正常"):
        for i in range(12): picture(tmp_path/"line"/o/f"{i}.png")
    found = data_images(tmp_path/"line", split=None)
    assert found.attrs["layout"] == "learning" and not found.label.any()
    assert found.groupby(["object", "split"]).size().to_dict() == {("bolt", "train"): 12, ("nut", "train"): 12,
                                                                    ("nut", "validation"): 12}
    assert set(data_images(tmp_path/"line/nut", split=None).object) == {"nut"}
    with pytest.raises(ValueError, match="no images in the split 'test'; there is train, validation"):
        data_images(tmp_path/"line")
    asked = ["anomaly", "fit", str(tmp_path/"line/nut"), "--hold-out", "0", "--save", str(tmp_path/"fit.npz")]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0 and (tmp_path/"fit.npz").is_file(), done.output
    for kind in ("good", "dent"): picture(tmp_path/"line/bolt/test"/kind/"0.png")   # its fellow still learns
    both = data_images(tmp_path/"line", split=None)
    assert both.attrs["layout"] == "mvtec_ad" and set(both.object) == {"nut", "bolt"}
    for kind in ("good", "dent"): picture(tmp_path/"toys/train"/kind/"0.png")
    toys = data_images(tmp_path/"toys")
    assert toys.attrs["layout"] == "folders" and sorted(toys.label) == [0, 1] and set(toys.object) == {"train"}
    picture(tmp_path/"mixed/train/good/0.png")
    for kind in ("good", "dent"): picture(tmp_path/"mixed/cap/test"/kind/"0.png")
    assert {"cap"} <= set(data_images(tmp_path/"mixed", split=None).object)   # no object is lost in silence


def written(root, images, form):
    "A map for each image of a table in one format; where they lie"
    rng = np.random.default_rng(0)
    size = read_mask(next(m for m in images["mask"] if m is not None)).pixels.shape
    maps = [rng.random(size).astype(np.float32) for _ in range(len(images))]
    if form == "stack.npy": np.save(root/form, np.stack(maps)); return root/form
    if form == "pages.tif": tifffile.imwrite(root/form, np.stack(maps), photometric="minisblack"); return root/form
    folder = root/form.replace(".", "_")
    for s, a in zip(images.sample_id, maps):
        path = folder/f"{s}{form[form.index('.'):]}"
        path.parent.mkdir(parents=True, exist_ok=True)
        if form == "half.tiff": tifffile.imwrite(path, a.astype(np.float16))
        elif form == "lzw.tif": Image.fromarray(a).save(path, compression="tiff_lzw")
        elif form == "a.png": Image.fromarray((a*65535).astype(np.uint16)).save(path)
        elif form == "a.npz": np.savez(path, a=a)
        elif form == "a.nii.gz": nifti(path, a[None])
        else: np.save(path, a)
    if form != "listed.npy": return folder
    (root/"maps.csv").write_text("sample_id,map\n"+"".join(f"{s},listed_npy/{s}.npy\n" for s in images.sample_id))
    return root/"maps.csv"


FORMATS = ("a.npy", "a.npz", "half.tiff", "lzw.tif", "a.png", "a.nii.gz", "stack.npy", "pages.tif", "listed.npy")


def made_of(name):
    "What writes a layout, here or beside"
    import test_anomaly as others
    here = dict(real_iad=real_iad, real_iad_folders=lambda r: real_iad(r, lists=False), mvtec_loco=loco, tree=home,
                uniad_config=lambda r: uniad_folder(r)[0],
                uniad_dumps=lambda r: uniad_folder(r)[0].parents[2]/"dumps_test")
    return here.get(name) or getattr(others, name)


LAYOUTS = ("mvtec", "mvtec2", "mvtec_loco", "visa", "visa_copy", "btad", "kolektor", "uniad", "uniad_config",
           "uniad_dumps", "manifest", "tree", "real_iad", "real_iad_folders")


def read_back(name, formats, place):
    "Every mask on disk is used, and every map is found, in each format"
    root = place/"data"
    root.mkdir(parents=True)
    made = made_of(name)(root)
    if isinstance(made, tuple): made = made[0]
    where = made if hasattr(made, "joinpath") else root   # some write a folder, and some a list
    images = data_images(where)
    masks = sum(m is not None for m in images["mask"])
    for form in formats:
        m = read_maps(where, written(place, images, form))
        opened = [m.open(i) for i in range(len(m))]
        assert sum(o.mask is not None and o.mask.any() for o in opened) == masks == int((m.label == 1).sum())
        assert all(0 <= o.map.min() and o.map.max() > 0 for o in opened), form


@pytest.mark.later
@every("number", range(14))
def test_every_layout_in_a_format_of_maps(number, tmp_path):
    read_back(LAYOUTS[number], [FORMATS[number % len(FORMATS)]], tmp_path/str(number))


@pytest.mark.full   # 126 pairs
@every("name", LAYOUTS)
def test_fourteen_layouts_in_nine_formats_of_maps(name, tmp_path):
    read_back(name, FORMATS, tmp_path/name)


def test_a_threshold_of_few_images_has_one_limit():
    from mic_eval.anomaly import image_threshold
    y, s = np.repeat([0, 1], 5), np.r_[np.arange(5)/10, .3+np.arange(5)/10]
    assert str(image_threshold(y, s, "fpr", .2).threshold) == "0.400 (≥ 0.100), n=5"


def done_args(place):
    return ["anomaly", "evaluate", str(place/"data"), str(place/"a_npy"), "--report", "none", "--out",
            str(place/"runs")]


def test_a_mask_that_cannot_be_read_is_one_line(tmp_path):
    "The run keeps the reason, and the command ends without a traceback"
    from typer.testing import CliRunner
    from mic_eval.cli.app import app
    home(tmp_path/"data", "OK")
    written(tmp_path, data_images(tmp_path/"data"), "a.npy")
    mask = next((tmp_path/"data").rglob("*_mask.png"))
    mask.write_bytes(b"no picture")
    done = CliRunner().invoke(app, done_args(tmp_path))
    told = done.output+getattr(done, "stderr", "")
    assert done.exit_code == 3 and "broken mask" in told and "Traceback" not in told
    line, = {o for o in told.splitlines() if o.startswith("error:")}
    assert mask.name in line and "write" in line and "line " not in line   # the file and the remedy, no place in code
    picture(mask, BLOB)   # the disk is well again: the same command judges
    again = CliRunner().invoke(app, done_args(tmp_path))
    assert again.exit_code == 0 and "broken mask" not in again.output


def judged_scores(place, name, scores):
    "A run of a model that gives each image of a folder one score, drawn into its map"
    from mic_eval.anomaly.run_source import maps_run
    for s in data_images(place/"data").sample_id:
        path = place/name/f"{s}.npy"
        path.parent.mkdir(parents=True, exist_ok=True)
        a = np.zeros((8, 8), np.float32)
        a[3, 4] = scores[s]
        np.save(path, a)
    return maps_run(place/"data", place/name, out=place/name/"runs", profile="none")


@pytest.mark.later
def test_the_gate_names_the_kind_of_defect_on_which_a_model_went_blind(tmp_path):
    from mic_eval.gate.baseline import groups_not_worse
    from mic_eval.gate.gate import candidate
    from mic_eval.gate.integration import gate_checks
    for kind, n in (("good", 24), ("scratch", 12), ("dent", 12)):
        for i in range(n): picture(tmp_path/f"data/well/test/{kind}/{i:03}.png")
        for i in range(n*(kind != "good")): picture(tmp_path/f"data/well/ground_truth/{kind}/{i:03}_mask.png", BLOB)
    rng, ids = np.random.default_rng(0), data_images(tmp_path/"data").sample_id
    before = {s: rng.normal()+2.*("good" not in s) for s in ids}
    now = {s: rng.normal() if "scratch" in s else v+.5*("dent" in s) for s, v in before.items()}
    runs = [judged_scores(tmp_path, name, o) for name, o in dict(old=before, new=now).items()]
    s = candidate(runs[1], baseline=runs[0], report="none")
    assert "no defect ranked worse" in {str(c.name) for c in gate_checks(s)}
    found = groups_not_worse(s, "defect")
    assert found.status == "fail" and "scratch: 36 images" in str(found.why), found
    assert groups_not_worse(candidate(runs[0], baseline=runs[1], report="none"), "defect").status != "fail"


def looked_at(root, maps, ending=".npy"):
    "Ten images by a manifest, with a region of interest, and glare to be ignored in every other one"
    import pandas as pd
    rng, rows = np.random.default_rng(0), []
    roi, glare = np.zeros((8, 8), np.uint8), np.zeros((8, 8), np.uint8)
    roi[:, 2:], glare[7] = 255, 255
    picture(root/"roi.png", roi); picture(root/"glare.png", glare)
    for i in range(12):
        picture(root/f"{i}.png")
        if i > 5: picture(root/f"m{i}.png", BLOB)
        a = rng.normal(size=(8, 8)).astype(np.float32)
        if i > 5: a[BLOB > 0] += 1
        a[:, :2] += 9
        a[7] += 7*(i % 2)
        maps.mkdir(parents=True, exist_ok=True)
        np.save(maps/f"s{i}.npy", a)
        rows.append(dict(sample_id=f"s{i}", path=f"{i}.png", object="well", label=int(i > 5),
                         mask=f"m{i}.png"*(i > 5), ROI="roi.png", ignore="glare.png"*(i % 2)))
    table = pd.DataFrame(rows)
    table.to_csv(root/"manifest.csv", index=False)
    return table


def test_a_file_named_as_text_has_the_content_of_its_path(tmp_path):
    "The method `index` of a text was taken for the number of a picture in a stack: each call gave another hash"
    from mic_eval.anomaly.maps import StoredMap
    from mic_eval.anomaly.run_source import content_of
    np.save(tmp_path/"a.npy", np.zeros((2, 3, 3)))
    place = tmp_path/"a.npy"
    assert content_of([str(place)]) == content_of([place]) != content_of([StoredMap(place, 1)])


@pytest.mark.later
def test_a_manifest_says_where_nobody_looks(tmp_path):
    "Pixels elsewhere count for nothing, whatever the columns are called in capitals, and another file is another run"
    from mic_eval.anomaly.run_source import maps_run
    table = looked_at(tmp_path/"data", tmp_path/"maps")
    m = read_maps(tmp_path/"data", tmp_path/"maps", resize="map")
    assert m.open(0).judged.sum() == 48 and m.open(1).judged.sum() == 42
    by_hand = [(m.map(i)[o.judged], o.mask[o.judged]) for i in range(12) for o in [m.open(i)]]
    scores, truth = (np.concatenate([o[k] for o in by_hand]) for k in (0, 1))
    higher = (scores[truth][:, None] > scores[~truth]).mean()   # no ties
    run = maps_run(tmp_path/"data", tmp_path/"maps", out=tmp_path/"runs", profile="none")
    assert float(run.result.anomaly["mean"].pixel_roc_auc) == pytest.approx(higher, abs=1e-12)
    assert run.result.anomaly.n.pixels == sum(len(o) for o, _ in by_hand) == 6*48+6*42
    again = maps_run(tmp_path/"data", tmp_path/"maps", out=tmp_path/"runs", profile="none")
    assert again.folder == run.folder and again.result.data.hash == run.result.data.hash
    picture(tmp_path/"data/roi.png", np.full((8, 8), 255, np.uint8))
    other = maps_run(tmp_path/"data", tmp_path/"maps", out=tmp_path/"runs", profile="none")
    assert other.folder != run.folder and other.result.anomaly.n.pixels == 6*64+6*56
    picture(tmp_path/"data/roi.png", np.full((4, 4), 255, np.uint8))   # a smaller copy is one
    assert read_maps(tmp_path/"data", tmp_path/"maps", resize="map").open(0).judged is None
    picture(tmp_path/"data/roi.png", np.full((5, 9), 255, np.uint8))
    with pytest.raises(ValueError, match="row 0 .s0., roi: roi.png is 5x9 and its picture 8x8: draw it on"):
        read_maps(tmp_path/"data", tmp_path/"maps", resize="map").open(0)
    table.assign(ROI="../roi.png").to_csv(tmp_path/"data/manifest.csv", index=False)
    with pytest.raises(ValueError, match="roi.png: the path leads outside the folder"):
        data_images(tmp_path/"data")


@pytest.mark.later
@pytest.mark.parametrize("name", LAYOUTS)
def test_check_knows_each_layout_for_what_it_is(name, tmp_path):
    "And not for classes called test and ground_truth, or for wells; what it writes down the same folder meets"
    from typer.testing import CliRunner
    from mic_eval.cli.app import app
    made = made_of(name)(tmp_path/"data")
    made = made[0] if isinstance(made, tuple) else made
    where = made if hasattr(made, "joinpath") else tmp_path/"data"
    if not where.is_dir(): where = where.parent   # a list, or a configuration that names one
    if name == "uniad_config": where = tmp_path/"data/data/MVTec-AD"
    said = ["--layout", name][:2*(name == "uniad")]   # its list lies in a tree that is one of MVTec AD's as well
    done = CliRunner().invoke(app, ["check", str(where), *said])
    found = data_images(where, *said[1:], split=None)
    assert done.exit_code == 0 and f"layout {found.attrs['layout']}," in done.stdout, done.output
    assert f"{(found.label == 0).sum()} normal and {found.label.sum()} anomalous" in done.stdout
    assert CliRunner().invoke(app, ["check", str(where), *said, "--write", str(tmp_path/"s.yaml")]).exit_code == 0
    held = CliRunner().invoke(app, ["check", str(where), *said, "--schema", str(tmp_path/"s.yaml")])
    assert held.exit_code == 0 and "meets the schema s.yaml" in held.stdout+held.stderr


def numbered(root):
    "The data of `looked_at`, masks and places where nobody looks in one stack each"
    table = looked_at(root/"data", root/"maps")
    roi, glare, wide = np.zeros((3, 8, 8), np.uint8)
    roi[:, 2:], glare[7], wide[:, 1:] = 255, 255, 255
    np.save(root/"data/places.npy", np.stack([roi, glare, BLOB, wide]))
    return table.assign(ROI="places.npy#0", ignore=["places.npy#1"*(i % 2) for i in range(12)],
                        mask=["places.npy#2"*(i > 5) for i in range(12)])


def test_a_manifest_names_one_of_a_stack(tmp_path):
    "Masks and places where nobody looks of one stack say what files of their own say, to the last pixel"
    from mic_eval.anomaly.maps import StoredMap
    table, read = numbered(tmp_path), lambda: read_maps(tmp_path/"data", tmp_path/"maps", resize="map")
    alone = read()
    table.to_csv(tmp_path/"data/manifest.csv", index=False)
    m = read()
    for i in range(12):
        one, other = alone.open(i), m.open(i)
        assert np.array_equal(one.judged, other.judged) and np.array_equal(one.mask, other.mask)
        assert np.array_equal(alone.scored(i), m.scored(i))
    assert m.masks[7] == StoredMap((tmp_path/"data/places.npy").resolve(), 2)
    m.save(tmp_path/"table.csv")
    again = AnomalyMaps.read(tmp_path/"table.csv")
    assert np.array_equal(again.open(7).judged, m.open(7).judged) and again.masks[7] == m.masks[7]


def test_another_picture_of_a_stack_is_another_run(tmp_path):
    from mic_eval.anomaly.run_source import maps_run
    table = numbered(tmp_path)
    run = lambda t: (t.to_csv(tmp_path/"data/manifest.csv", index=False), maps_run(
        tmp_path/"data", tmp_path/"maps", out=tmp_path/"runs", profile="none"))[1]
    first, other = run(table), run(table.assign(ROI="places.npy#3"))
    assert first.result.data.hash != other.result.data.hash and first.folder != other.folder
    assert (first.result.anomaly.n.pixels, other.result.anomaly.n.pixels) == (6*48+6*42, 6*56+6*49)


@pytest.mark.parametrize("place, why", [
    ("places.npy#4", "it holds 4, and number 5 is asked for"), ("gone.npy#0", "no such"),
    ("places.npy#\u00b2", "places.npy#\u00b2"), ("places.npy#9999999999", "places.npy#9999999999"),
    ("0.png#0", "0.png: a stack is one of .npy"), ("pipe.png", "roi: a pipe or a device"),
    ("pipe.npy", "roi: a pipe or a device"), ("../out.npy#0", "the path leads outside the folder"),
    ("link.npy#0", "the path leads outside the folder")])
def test_a_number_that_leads_nowhere_is_refused(tmp_path, place, why):
    "Also through a link: nothing outside the folder is opened"
    table = numbered(tmp_path)
    np.save(tmp_path/"out.npy", np.ones((3, 8, 8)))
    (tmp_path/"data/link.npy").symlink_to(tmp_path/"out.npy")
    for name in ("pipe.png", "pipe.npy"): os.mkfifo(tmp_path/"data"/name)
    table.assign(ROI=place).to_csv(tmp_path/"data/manifest.csv", index=False)
    with pytest.raises(ValueError, match=re.escape(why)):
        read_maps(tmp_path/"data", tmp_path/"maps", resize="map").open(0)


def test_a_file_that_is_called_like_one_of_a_stack_is_meant_itself(tmp_path):
    "A folder of masks `m.npy#1` beside a stack `m.npy`"
    from mic_eval.anomaly.maps import StoredMap, stored_entry
    np.save(tmp_path/"m.npy", np.zeros((2, 8, 8)))
    assert stored_entry(f"{tmp_path}/m.npy#1") == StoredMap(tmp_path/"m.npy", 1)
    (tmp_path/"m.npy#1").mkdir()
    assert stored_entry(f"{tmp_path}/m.npy#1") == f"{tmp_path}/m.npy#1"
    assert stored_entry("#1") == "#1" and stored_entry("a#") == "a#" and stored_entry("a#b") == "a#b"


def test_maps_of_a_list_lie_in_a_stack(tmp_path):
    table = looked_at(tmp_path/"data", tmp_path/"maps")
    order = np.random.default_rng(0).permutation(12)
    np.save(tmp_path/"stack.npy", np.stack([np.load(tmp_path/f"maps/s{i}.npy") for i in order]))
    at = {f"s{i}": k for k, i in enumerate(order)}
    listed = table[["sample_id"]].assign(map=[f"stack.npy#{at[s]}" for s in table.sample_id])
    listed.to_csv(tmp_path/"list.csv", index=False)
    m, alone = (read_maps(tmp_path/"data", tmp_path/o, resize="map") for o in ("list.csv", "maps"))
    for i in range(12): assert np.array_equal(m.map(i), alone.map(i))


def test_each_slice_of_a_volume_has_its_own_place_to_look(tmp_path):
    "Its mask of where one looks is a volume too, or one picture for all; another depth is named"
    rng, data = np.random.default_rng(0), tmp_path/"data"
    data.mkdir(); (tmp_path/"maps").mkdir()
    np.save(data/"v.npy", rng.random((3, 8, 8)).astype("f4"))
    np.save(tmp_path/"maps/v.npy", rng.random((3, 8, 8)).astype("f4"))
    places = np.zeros((3, 8, 8), np.uint8)
    for k in range(3): places[k, :, k:] = 255
    np.save(data/"places.npy", places); np.save(data/"one.npy", places[2]); np.save(data/"two.npy", places[:2])
    def judged(roi):
        pd.DataFrame([dict(sample_id="v", path="v.npy", label=0, roi=roi)]).to_csv(data/"manifest.csv", index=False)
        m = read_maps(data, tmp_path/"maps", resize="map")
        found = [m.open(i).judged for i in range(3)]
        return [64 if o is None else int(o.sum()) for o in found]
    assert judged("places.npy") == [64, 56, 48]
    assert judged("places.npy#1") == [56]*3 and judged("one.npy") == [48]*3
    with pytest.raises(ValueError, match="v: 3 slices, and its roi has 2"): judged("two.npy")


def test_a_pipe_is_no_picture(tmp_path):
    "Whoever opened it waited for ever"
    os.mkfifo(tmp_path/"a.png")
    for read in (load_image, header):
        with pytest.raises(ValueError, match="a pipe or a device, and no picture"): read(tmp_path/"a.png")
