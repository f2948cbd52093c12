"A run of anomaly maps by every command: what is kept, what is refused, and the report in both languages."
import json
import re
from pathlib import Path

import numpy as np
import pytest
import tifffile
from PIL import Image
from typer.testing import CliRunner

from mic_eval.anomaly import (AnomalyMaps, PixelCounts, anomaly_wells, compare_maps, demo_maps, evaluate_anomaly,
                              read_maps)
from mic_eval.anomaly.pixel_metrics import pixel_numbers
from mic_eval.anomaly.counting import read_object_counts
from mic_eval.cli.app import app
from mic_eval.run.compare import compare
from mic_eval.run.store import open_run
from mic_eval.anomaly.run_source import maps_run, maps_source, opened_maps


def cli(*args):
    "Exit code, stdout, stderr"
    from typer.testing import CliRunner
    from mic_eval.cli.app import app
    r = CliRunner().invoke(app, list(map(str, args)))
    return r.exit_code, r.stdout, r.stderr


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    "Data, two sets of maps, and a run of each"
    place = tmp_path_factory.mktemp("anomaly")
    data, maps = demo_maps(place, n=32, train=40)
    other = demo_maps(place, n=32, train=40, detector="pixel")[1]
    return data, maps, other, maps_run(data, maps, out=place/"runs"), maps_run(data, other, out=place/"runs")


@pytest.mark.later
def test_counts_that_a_run_keeps_give_its_numbers(made):
    run = made[3]
    kept = read_object_counts(run.folder/"pixels.npz")["well"]
    again = pixel_numbers(kept)
    for k, s in again.items():
        assert (float(s), s.lo, s.hi) == (float(run.result.anomaly.by.object.well[k]),
                                          *(getattr(run.result.anomaly.by.object.well[k], o) for o in ("lo", "hi")))


@pytest.mark.later
def test_two_runs_without_their_maps(made, tmp_path):
    data, maps, _, a, b = made
    found = compare_maps(a, b)
    for f in maps.glob("*.npy"): f.rename(f.with_suffix(".gone"))
    try: again = compare_maps(a, b)
    finally:
        for f in maps.glob("*.gone"): f.rename(f.with_suffix(".npy"))
    assert found["mean"].aupro_30.p == again["mean"].aupro_30.p and found.verdict.sentence == again.verdict.sentence


@pytest.mark.later
def test_commands(made, tmp_path, capsys):
    data, maps, other, a, b = made
    assert cli("anomaly", "check", data, maps)[0] == 0
    code, out, err = cli("anomaly", "evaluate", data, maps, "--out", tmp_path/"runs", "--report", "none", "--profile",
                         "none")
    assert code == 0 and "results.json" not in err
    code, out, err = cli("anomaly", "compare", a.folder, b.folder, "--out", tmp_path/"c", "--strict", "--margin", ".6")
    assert code == 0
    assert "image_roc_auc" in out
    assert json.loads((tmp_path/"c"/"anomaly_compare.json").read_text())["verdict"]["status"] in ("superior",
        "equivalent")
    worse = cli("anomaly", "compare", b.folder, a.folder, "--out", tmp_path/"c", "--strict")
    assert worse[0] == 4   # not shown to be worse, nor to be no worse
    for form, mark in dict(md="| run |", csv="run,object", latex="tabular", json="[").items():
        assert mark in cli("anomaly", "table", a.folder, "--format", form)[1]


@pytest.mark.parametrize("told, what", [(("chek",), "no task 'chek'; did you mean 'check'"),
                                        (("evaluate", "x"), "needs DATA MAPS"), (("table",), "needs RUN"),
                                        (("check", "nowhere"), "no folder nowhere")])
def test_refusals_are_one_line(told, what):
    code, out, err = cli("anomaly", *told)
    assert code == 2 and what in err and len(err.strip().splitlines()) == 1


@pytest.mark.later
def test_a_detector_by_its_file_writes_maps(made, tmp_path):
    from mic_eval.anomaly import PixelGaussian
    PixelGaussian.fit(anomaly_wells(20, anomalous=0, seed=5).images).save(tmp_path/"d.npz")
    assert cli("anomaly", "score", tmp_path/"d.npz", made[0], "--maps", tmp_path/"maps", "--channels", "1",
               "--half")[0] == 0
    assert np.load(tmp_path/"maps"/"maps_000000.npy").dtype == np.float16


def test_thresholds_from_validation_images(tmp_path):
    "Another part of the data, whose maps lie beside the others, teaches the threshold"
    from PIL import Image
    rng = np.random.default_rng(0)
    for split, kinds in dict(validation=("good",), test_public=("good", "bad")).items():
        for kind in kinds:
            for i in range(12):
                mask = np.zeros((12, 12), bool)
                mask[3:6, 3:6] = kind == "bad"
                for p, v in ((tmp_path/"d"/"nut"/split/kind/f"{i}.png", rng.integers(0, 255, (12, 12), dtype=np.uint8)),
                             (tmp_path/"d"/"nut"/split/"ground_truth"/"bad"/f"{i}_mask.png", mask*np.uint8(255))):
                    if "mask" in p.name and kind == "good": continue
                    p.parent.mkdir(parents=True, exist_ok=True)
                    Image.fromarray(v).save(p)
                out = tmp_path/"m"/"nut"/split/kind/f"{i}.npy"
                out.parent.mkdir(parents=True, exist_ok=True)
                np.save(out, (rng.normal(size=(12, 12))+4*mask).astype(np.float32))
    r = maps_run(tmp_path/"d", tmp_path/"m", tune_on="validation", out=tmp_path/"runs", asked=dict(rule="max"))
    found = r.result.anomaly.by.object.nut.decisions
    assert found.from_ == "validation images"
    assert found.image.fpr.n == 12 and found.pixel.seg_f1.defined and r.result.anomaly.n.images == 24
    with pytest.raises(ValueError, match="no images in the split 'val'"):
        maps_source(tmp_path/"d", tmp_path/"m", tune_on="val")


@pytest.mark.later
def test_the_file_that_names_the_latest_run_is_that_run(made, tmp_path):
    last = made[4].folder
    pointer = last.parent/"latest"
    code, out, _ = cli("anomaly", "compare", made[3].folder, pointer, "--out", tmp_path/"c", "--margin", ".6")
    assert code == 0 and cli("compare", made[3].folder, pointer, "--report", "none", "--out", tmp_path/"d")[0] == 0


@pytest.mark.later
def test_the_house_compares_runs_of_maps(made):
    from mic_eval.anomaly.contest import CONTEST
    a, b = made[3].table, made[4].table
    t, full = CONTEST.test("pixel_roc_auc", a, b), compare_maps(made[3], made[4])
    assert float(t.effect) == pytest.approx(float(full["mean"].pixel_roc_auc.difference))
    assert t.p == pytest.approx(full["mean"].pixel_roc_auc.p, rel=1e-6)
    assert float(CONTEST.score("aupro_30", a)) == pytest.approx(float(made[3].result.anomaly["mean"].aupro_30))


@pytest.mark.full
def test_report_in_chinese_names_what_it_lacks(made):
    from bs4 import BeautifulSoup
    from mic_eval.report.render import report
    text = BeautifulSoup(report(made[3], "anomaly", lang="zh").read_text(encoding="utf-8"), "html.parser").get_text(" ")
    assert "异常检测报告" in text and "这些对象不属于任何已发表的数据集" in text and "skip_showdoc" not in text
    assert not re.findall(r"[a-z]+ [a-z]+ [a-z]+ [a-z]+ [a-z]+",
                          text.split("方法")[0].replace("maps_patch", "")), "a sentence was left in English"


def test_a_referral_is_judged_at_a_threshold_from_other_wells(made, tmp_path):
    import pandas as pd
    from mic_eval.anomaly.questions import referral_threshold, referred
    from mic_eval.core.questions import applied
    rng = np.random.default_rng(0)
    facts = pd.DataFrame(dict(growth=rng.integers(0, 2, 60), called=rng.integers(0, 2, 60)))
    m = AnomalyMaps(np.arange(60).astype(str), rng.integers(0, 2, 60), "well", score=rng.normal(size=60), facts=facts)
    other = AnomalyMaps(np.arange(80).astype(str), np.zeros(80, int), "well", score=rng.normal(size=80))
    t = referral_threshold(other.score, .25)
    assert (other.score >= t).sum() == 20
    at = applied("referral", m, (), 0, settings=dict(share=.25), **dict(validation=other)).get("at")
    direct = referred(facts, m.score, t)
    kept = m.score < t
    wrong = (facts.growth != facts.called).to_numpy()
    assert direct.wrong_among_kept.k == (wrong & kept).sum() and direct.wrong_among_kept.n == kept.sum()
    assert direct.missed_growth_before.k == ((facts.growth == 1) & (facts.called == 0)).sum()
    assert float(at.threshold) == t
    with pytest.raises(ValueError, match="between 0 and 1"): referral_threshold(other.score, 1.5)


@pytest.mark.later
def test_evaluate_never_imports_torch():
    import subprocess
    import sys
    code = "import sys, mic_eval.anomaly.command, mic_eval.anomaly.run_source; print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"


def test_a_stored_table_is_known_by_its_columns(made, tmp_path):
    "So `run`, `sweep` and `gate` take a file of maps without being told the field"
    from mic_eval.run.evaluation import make_run
    made[3].table.save(tmp_path/"maps.parquet")
    again = make_run(predictions=tmp_path/"maps.parquet", out=tmp_path/"runs")
    assert again.result.field == "anomaly"
    assert float(again.result.anomaly["mean"].aupro_30) == float(made[3].result.anomaly["mean"].aupro_30)


@pytest.mark.later
def test_a_protocol_sets_scores_limits_and_pictures(made, tmp_path):
    from mic_eval.anomaly import read_protocol
    from mic_eval.anomaly.command import protocol_files
    (tmp_path/"anomaly.yml").write_text("scores: [mean, pixel]\nlimits: [.2]\nthreshold: {rule: youden}\n")
    how = "--report", "none", "--profile", "none", "--protocol", tmp_path/"anomaly.yml"
    code, out, err = cli("anomaly", "evaluate", made[0], made[1], "--out", tmp_path/"runs", *how, "--jobs", "1")
    assert code == 0 and "as UniAD prints it" in err+out
    run = next((tmp_path/"runs").rglob("protocol.csv")).parent
    found = json.loads((run/"results.json").read_text())["anomaly"]
    assert "aupro_20" in found["mean"] and found["by"]["object"]["well"]["decisions"]["image"]["rule"] == "youden"
    plain = evaluate_anomaly(read_maps(made[0], made[1]), score="mean", limits=(.2,), n_resamples=10)
    assert found["mean"]["image_roc_auc"]["value"] == pytest.approx(float(plain["mean"].image_roc_auc))
    code, out, err = cli("anomaly", "demo", "--out", tmp_path/"demo", *how)
    assert code == 0 and "mean_auc" in err, err
    (tmp_path/"p.yml").write_text(f"scale: [0, 9]\npictures: {tmp_path/'pictures'}\n")
    data, maps = demo_maps(tmp_path/"few", n=4, train=10, detector="pixel", kinds=("dirt",))
    protocol_files(tmp_path, read_protocol(tmp_path/"p.yml"), data, maps)
    names = {p.relative_to(tmp_path/"pictures").with_suffix("").as_posix()
             for p in (tmp_path/"pictures").rglob("*.png")}
    assert names == set(read_maps(data, maps).sample_id)


@pytest.mark.full
def test_objects_in_two_processes_give_the_same_bits():
    rng = np.random.default_rng(0)
    masks = np.zeros((24, 12, 12), bool)
    masks[12:, 3:6, 3:6] = True
    maps = (rng.normal(size=masks.shape)+2*masks).astype(np.float32)
    m = AnomalyMaps(np.arange(24).astype(str), masks.any((1, 2)).astype(int), np.tile(["a", "b"], 12), list(maps),
                    list(masks))
    one, two = (evaluate_anomaly(m, jobs=j, n_resamples=20) for j in (1, 2))
    assert one.to_json() == two.to_json() if hasattr(one, "to_json") else repr(one) == repr(two)


def test_the_gate_takes_runs_of_maps(made):
    from mic_eval.gate.gate import candidate
    from mic_eval.gate.baseline import not_worse
    s = candidate(made[3], baseline=made[4], margin=.05, report="none")
    found = not_worse(s, "pixel_roc_auc")
    assert found.status == "pass" and "images" in str(found.reason if hasattr(found, "reason") else found)
    from mic_eval.gate.integration import gate_checks
    from mic_eval.report.words import speak, translated
    speak("zh", s.field)
    try: named = [str(translated(c.name)) for c in gate_checks(s)]
    finally: speak("en", s.field)
    assert not [o for o in named if re.search("[a-z]{2}", o) and "_" in o], named
    assert any("像素级 AUROC" in o and "下限" in o for o in named)


@pytest.mark.full   # torch.export needs seven seconds
def test_an_exported_program_is_asked_for_its_maps(made, tmp_path):
    torch = pytest.importorskip("torch")
    from collections import namedtuple
    from torch.utils import _pytree as tree
    Batch = namedtuple("InferenceBatch", "pred_score pred_label anomaly_map pred_mask")   # as anomalib's models answer
    class Exported(torch.nn.Module):
        def forward(self, x):
            m = (x-x.mean((2, 3), keepdim=True)).abs().mean(1, keepdim=True)
            s = m.amax((1, 2, 3))
            return Batch(s, s > .5, m, m > .5)
    tree._register_namedtuple(Batch, serialized_type_name="elsewhere.InferenceBatch")
    program = torch.export.export(Exported().eval(), (torch.rand(2, 3, 32, 32),),
                                  dynamic_shapes={"x": {0: torch.export.Dim.AUTO}})
    torch.export.save(program, tmp_path/"m.pt2")
    del tree.SERIALIZED_TYPE_TO_PYTHON_TYPE["elsewhere.InferenceBatch"]   # whoever opens it has never seen the class
    files = [tmp_path/"m.pt2"]
    try:
        import onnx, onnxruntime
        torch.onnx.export(Exported().eval(), (torch.rand(2, 3, 32, 32),), tmp_path/"m.onnx", dynamo=False,
                          output_names=list(Batch._fields),
                          input_names=["x"], dynamic_axes={"x": {0: "n"}})
        files.append(tmp_path/"m.onnx")
        import openvino
        openvino.save_model(openvino.convert_model(tmp_path/"m.onnx"), tmp_path/"m.xml", compress_to_fp16=False)
        files.append(tmp_path/"m.xml")
    except ImportError: pass
    # it can run code
    assert cli("anomaly", "score", files[0], made[0], "--maps", tmp_path/"no", "--size", "32")[0] == 2
    read = []
    for f in files:
        assert cli("anomaly", "score", f, made[0], "--maps", tmp_path/f.suffix[1:], "--size", "32", "--trust")[0] == 0
        read.append(read_maps(made[0], tmp_path/f.suffix[1:]))
    assert all(len(m) == 32 and m.score is not None for m in read)
    for m in read: assert np.allclose(read[0].map(0), m.map(0), atol=1e-5)


def test_a_report_written_elsewhere_finds_maps_that_were_named_from_here(tmp_path, monkeypatch):
    "Paths are stored as seen from the run, so that runs and data can move together"
    import shutil
    monkeypatch.chdir(tmp_path)
    data, maps = demo_maps("d", n=8, train=12, detector="pixel", kinds=("dirt",))
    run = maps_run(data, maps, out="runs", profile="none")
    shutil.move(tmp_path, tmp_path.with_name("moved"))
    monkeypatch.chdir(tmp_path.with_name("moved").parent)
    from mic_eval.anomaly.show import inspection
    from mic_eval.run.store import open_run
    again = inspection(open_run(tmp_path.with_name("moved")/run.folder))
    assert again.table.map(3).shape == (70, 70) and again.picture(3).shape == (70, 70, 3)


@pytest.mark.later
def test_scores_alone_are_judged_too(made, tmp_path):
    from mic_eval.anomaly import score_images
    score_images(lambda x: x.std((1, 2, 3)), made[0], tmp_path/"scores")
    code, out, err = cli("anomaly", "evaluate", made[0], tmp_path/"scores", "--out", tmp_path/"runs", "--report",
                         "none", "--profile", "none")
    assert code == 0 and "Images: AUROC: 0" in err
    assert "image scores and no maps" in cli("anomaly", "check", made[0], tmp_path/"scores")[1]
    assert "--score" in err or cli("anomaly", "evaluate", made[0], tmp_path/"scores", "--out", tmp_path/"runs",
                                   "--score", "mean")[0] == 2


def test_a_slip_in_score_or_rule_is_found_before_anything_is_counted(made, tmp_path):
    for told, what in ((("--score", "maax"), "did you mean 'max'"), (("--rule", "tp"), "did you mean 'tpr'"),
                       (("--target", "5"), "between 0 and 1")):
        code, out, err = cli("anomaly", "evaluate", made[0], made[1], "--out", tmp_path/"runs", *told)
        assert code == 2 and what in err and not list((tmp_path/"runs").rglob("results.json"))


@pytest.mark.later
def test_a_named_way_wins_over_the_scores_of_the_model(made, tmp_path):
    given, mean = (maps_run(made[0], made[1], out=tmp_path/"runs", profile="none", score=k) for k in (None, "mean"))
    assert given.result.data.image_score == "given" and mean.result.data.image_score == "mean"
    assert not np.allclose(given.table.score, mean.table.score)


@pytest.mark.later
def test_a_sweep_takes_folders_of_maps(made, tmp_path):
    from mic_eval.run.sweep import sweep
    found = sweep([dict(name=k, maps=str(p)) for k, p in zip("ab", made[1:3])],
                  [dict(name="wells", folder=str(made[0]))], report=None, jobs=1, out=tmp_path/"runs")
    assert found.counts.done == 2 and found.boards.wells.on == "image_roc_auc"
    assert found.pairs["a on wells"].aupro_30 == made[3].result.anomaly["mean"].aupro_30


REBUILDS = '''
import torch
class Rebuilds(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.blur = torch.nn.Conv2d(1, 1, 5, padding=2, bias=False)
        torch.nn.init.constant_(self.blur.weight, 1/25)
        self.query = torch.nn.Parameter(torch.arange(64.).reshape(16, 4))
    def forward(self, x):
        y = self.blur(x)
        return dict(map=(x-y).abs()[:, 0], reconstruction=y, queries=self.query, feature=torch.cat([x, y], 1))
net = Rebuilds()
'''


@pytest.mark.full
def test_what_a_model_keeps_is_drawn_and_stands_in_the_report(tmp_path, monkeypatch):
    from typer.testing import CliRunner
    from mic_eval.anomaly.defects import anomaly_wells, write_defects
    from mic_eval.anomaly.show import inspection, kept_pictures
    from mic_eval.cli.app import app
    from mic_eval.run.store import open_run
    (tmp_path/"rebuilds_here.py").write_text(REBUILDS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    write_defects(anomaly_wells(8, kinds=("folds",), seed=1, size=32), tmp_path/"data")
    ask = ["anomaly", "score", "rebuilds_here:net", "data", "--maps", "maps", "--channels", "1", "--device", "cpu"]
    done = CliRunner().invoke(app, [*ask, "--keep", "reconstruction,queries,features", "--precision", "bfloat16"])
    assert done.exit_code == 0, done.stderr
    assert "17 figures of what the model kept" in done.stderr   # 8 pictures, 8 features, one set of queries
    told = [line for line in done.stderr.splitlines() if "in 32 bits" in line]
    assert len(told) >= 8 and any("AUPRO" in line for line in told)
    assert len(list((tmp_path/"maps"/"figures").glob("*.png"))) == 17
    judged = CliRunner().invoke(app, ["anomaly", "evaluate", "data", "maps", "--report", "none", "--out", "runs"])
    assert judged.exit_code == 0, judged.stderr
    i = inspection(open_run(judged.stdout.strip().splitlines()[-1]))
    drawn = {what: kept_pictures(i, what).count("<img") for what in ("reconstruction", "queries", "features")}
    assert drawn == dict(reconstruction=4, queries=1, features=1)
    lacks = CliRunner().invoke(app, [*ask[:5], "other", "--channels", "1", "--keep", "pictures"])
    assert lacks.exit_code == 2 and "nothing to keep is called" in lacks.stderr


def test_a_map_of_another_size_is_one_line_and_the_rest_is_judged(tmp_path):
    "Half as large as the other maps, it would be enlarged without a word"
    root, maps = tmp_path/"line", tmp_path/"maps"
    rng, blob = np.random.default_rng(0), np.zeros((16, 16), np.uint8)
    blob[2:7, 3:8] = 255
    for kind in ("good", "cut"):
        for i in range(6):
            for place, a in ((f"test/{kind}", rng.integers(0, 255, (16, 16), dtype=np.uint8)),
                             (f"ground_truth/{kind}", blob))[:1+(kind == "cut")]:
                (root/place).mkdir(parents=True, exist_ok=True)
                Image.fromarray(a).save(root/place/f"{i:03}{'_mask' if 'truth' in place else ''}.png")
            (maps/f"test/{kind}").mkdir(parents=True, exist_ok=True)
            np.save(maps/f"test/{kind}/{i:03}.npy", rng.random((16, 16), np.float32)+blob/255*(kind == "cut"))
    def said(*words): return CliRunner().invoke(app, ["anomaly", *words, str(root), str(maps)])
    assert "another size" not in said("check").output
    np.save(maps/"test/good/003.npy", np.zeros((8, 8), np.float32))
    line = "1 of 12 maps has another size than the others, the first test/good/003: 8x8, not 16x16"
    assert line in said("check").stdout
    done = said("evaluate", "--report", "none", "--out", str(tmp_path/"runs"))
    assert done.exit_code == 0 and line in done.stderr and "n=12" in done.stderr
    for p in maps.rglob("*.npy"): np.save(p, np.zeros((8, 8), np.float32))   # all alike: the model's own size
    assert "another size" not in said("check").output


@pytest.mark.later
@pytest.mark.parametrize("resize", ["map", "mask"])
def test_a_run_judges_small_maps_as_the_function_does(resize, tmp_path):
    "Maps half as large as their pictures: a normal image has no mask, and its size is that of its picture all the same"
    from mic_eval.anomaly.datasets import read_maps
    root, maps, rng = tmp_path/"line", tmp_path/"maps", np.random.default_rng(3)
    blob = np.zeros((16, 16), np.uint8)
    blob[2:8, 4:10] = 255
    for kind in ("good", "cut"):
        for i in range(8):
            for place in (f"test/{kind}", f"ground_truth/{kind}")[:1+(kind == "cut")]:
                (root/place).mkdir(parents=True, exist_ok=True)
                a = blob if "truth" in place else rng.integers(0, 255, (16, 16), dtype=np.uint8)
                Image.fromarray(a).save(root/place/f"{i:03}{'_mask' if 'truth' in place else ''}.png")
            (maps/f"test/{kind}").mkdir(parents=True, exist_ok=True)
            hit = (blob > 0).reshape(8, 2, 8, 2).mean((1, 3))*(kind == "cut")
            np.save(maps/f"test/{kind}/{i:03}.npy", (rng.random((8, 8))+hit).astype(np.float32))
    wanted = evaluate_anomaly(read_maps(root, maps, resize=resize))
    found = maps_run(root, maps, resize=resize, out=tmp_path/"runs").result.anomaly
    assert found.n.pixels == wanted.n.pixels == 16*(256 if resize == "map" else 64)
    for k in ("pixel_roc_auc", "pixel_average_precision", "aupro_30", "image_roc_auc"):
        for of in (float, lambda s: s.lo, lambda s: s.hi):
            assert of(found.mean[k]) == pytest.approx(of(wanted.mean[k]), abs=1e-12, nan_ok=True), k


def lined(place, n=6):
    "A line of good and cut parts, with a TIFF of 16x16 a picture"
    rng, blob = np.random.default_rng(0), np.zeros((16, 16), np.uint8)
    blob[2:7, 3:8] = 255
    for kind in ("good", "cut"):
        for i in range(n):
            for folder in (f"test/{kind}", f"ground_truth/{kind}")[:1+(kind == "cut")]:
                (place/"line"/folder).mkdir(parents=True, exist_ok=True)
                truth = "truth" in folder
                a = blob if truth else rng.integers(0, 255, (16, 16), dtype=np.uint8)
                Image.fromarray(a).save(place/"line"/folder/f"{i:03}{'_mask' if truth else ''}.png")
            file = place/f"maps/test/{kind}/{i:03}.tiff"
            file.parent.mkdir(parents=True, exist_ok=True)
            tifffile.imwrite(file, rng.random((16, 16), np.float32)+np.float32(blob/255*(kind == "cut")))
    return place/"line", place/"maps"


def cut_off(file): file.write_bytes(file.read_bytes()[:300])


@pytest.mark.later
@pytest.mark.parametrize("damage, said", [(Path.unlink, "no map"), (cut_off, "broken")])
def test_a_map_that_is_missing_or_broken_is_one_line_and_no_pass(damage, said, tmp_path):
    "The rest is judged, what is lost is counted, and nothing that would have passed passes without it"
    data, maps = lined(tmp_path)
    (tmp_path/"easy.yml").write_text("criteria: [{metric: image_roc_auc, direction: min, limit: 0.5, on: lo}]\n")
    def judged(out, *more):
        return CliRunner().invoke(app, ["anomaly", "evaluate", str(data), str(maps), "--report", "none", "--profile",
                                        str(tmp_path/"easy.yml"), "--out", str(tmp_path/out), *more])
    whole = judged("whole", "--strict")
    assert whole.exit_code == 0 and "n=12" in whole.stderr, whole.stderr
    damage(maps/"test/cut/003.tiff")
    done = judged("runs")
    line, = [o for o in done.stderr.splitlines() if "1 of 12 maps is missing or broken" in o and "verdict" not in o
             and "PASS" not in o][:1]
    assert "test/cut/003" in line and said in line and "Traceback" not in done.output
    assert done.exit_code == 0 and "n=11" in done.stderr, done.stderr
    found = open_run(done.stdout.strip().splitlines()[-1]).result
    assert found.verdict.status == "insufficient n" and found.data.unread.k == 1
    assert found.anomaly.n.images == 11 and "test/cut/003" in str(found.data.evidence.shut)
    assert judged("runs", "--strict").exit_code == 4
    for file in (maps/"test/good").glob("*.tiff"): cut_off(file)   # most of them: maps of something else
    most = judged("runs")
    assert most.exit_code == 2 and "of 12" in most.stderr and "Traceback" not in most.output


def test_a_map_that_vanishes_while_others_are_judged_costs_its_image_alone(tmp_path, monkeypatch):
    "What was judged half is judged again without it"
    import mic_eval.anomaly.questions as questions
    data, maps = lined(tmp_path)
    true, asked = questions.evaluate_anomaly, []
    def while_judged(m, **how):
        if not asked: (maps/"test/good/002.tiff").unlink()
        asked.append(len(m))
        return true(m, **how)
    monkeypatch.setattr(questions, "evaluate_anomaly", while_judged)
    told = []
    run = maps_run(data, maps, out=tmp_path/"runs", tell=told.append)
    assert asked[0] == 12 and asked[-1] == 11 and run.result.anomaly.n.images == 11
    assert any("1 of 12 maps is missing or broken" in str(o) and "good/002" in str(o) for o in told)
    monkeypatch.undo()
    again = maps_run(data, maps, out=tmp_path/"runs")
    assert again.folder == run.folder and again.result.data.unread.k == 1


@pytest.mark.parametrize("form", ["csv", "shards"])
def test_a_listed_map_that_is_missing_is_named(form, tmp_path):
    "A list of paths, and what `MapWriter` wrote: the line, or the file, may be gone"
    data, maps = lined(tmp_path)
    m = read_maps(data, maps)
    if form == "csv":
        rows = [f"{s},{Path(p).relative_to(tmp_path)}" for s, p in zip(m.sample_id, m.maps)]
        asked = tmp_path/"maps.csv"
        asked.write_text("\n".join(["sample_id,map", *rows[:-1]])+"\n")
    else:
        from mic_eval.anomaly import MapWriter
        asked, writer = tmp_path/"shards", MapWriter(tmp_path/"shards")
        for i, s in enumerate(m.sample_id[:-1]): writer.add([s], [m.map(i)], [m.map(i).max()])
    with pytest.raises(ValueError, match="1 of 12 images have no map"): read_maps(data, asked)
    lost = {}
    rest = read_maps(data, asked, lost=lost)
    assert list(lost) == [m.sample_id[-1]] and list(rest.sample_id) == list(m.sample_id[:-1])
    assert all((rest.map(i) == m.map(i)).all() for i in range(11))
    if form == "csv": (maps/"test/cut/000.tiff").unlink()
    else: cut_off(sorted(asked.glob("*.npy"))[2])
    assert len(read_maps(data, asked, lost=lost)) == 10 and len(lost) == 2


def test_what_stopped_the_whole_is_said_first(tmp_path):
    "One empty mask, and each criterion said: not computed in this run"
    data, maps = demo_maps(tmp_path, n=12, train=12)
    mask = sorted(data.rglob("*_mask.png"))[0]
    Image.fromarray(np.zeros_like(np.asarray(Image.open(mask)))).save(mask)
    run = maps_run(data, maps, out=tmp_path/"runs")
    said = run.result.verdict
    why = [c["why"] for c in said.criteria]
    assert said.status == "not evaluated" and all("an anomalous image with an empty mask" in o for o in why)


@pytest.mark.parametrize("why, shown", [("row 3 (test/scratch/000): no mask", "0.9"), ("18/20 = 90.0 %", "90 %")])
def test_a_path_in_a_reason_makes_no_share_of_a_limit(why, shown):
    from mic_eval.core.results import Result
    from mic_eval.report.views import limit_text
    c = Result(metric="pixel_roc_auc", limit=.9, direction="min", on="lo", why=why)
    assert limit_text(c).replace("\N{NO-BREAK SPACE}", " ").endswith(shown)


@pytest.mark.parametrize("learning", [True, False])
def test_check_names_fit_only_where_something_can_be_fitted(tmp_path, learning):
    from mic_eval.anomaly.command import bound_images
    def paint(path, values):
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(values.astype(np.uint8)).save(path)
    noise, mask = np.random.default_rng(0).integers(0, 255, (32, 32)), np.zeros((32, 32))
    mask[:5, :5] = 255
    names = ["test/good/0", "test/bad/0", *["train/good/0", "train/good/1"]*learning]
    for name in names: paint(tmp_path / "data" / "nut" / f"{name}.png", noise)
    paint(tmp_path / "data" / "nut" / "ground_truth" / "bad" / "0_mask.png", mask)
    lines, *_ = bound_images(tmp_path / "data")
    assert any("anomaly evaluate" in o for o in lines) and any("anomaly fit" in o for o in lines) == learning
