"A photograph goes in, MICs with their doubt come out; what does not fit is refused in one line"
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from typer.testing import CliRunner

from mic_eval.data.wells import LOOK, render_plate
from mic_eval.cli.app import app
from mic_eval.mic.photograph import plot_reading, read_photo
from mic_eval.mic.read_command import read_run
from mic_eval.mic.readings import beside_expert, plate_mics, read_expert


def dark_middle(images):
    "A reader that sees growth where the middle is darker than the rest"
    middle, all_ = images[:, 0, 25:45, 25:45].min((1, 2)), np.median(images[:, 0], (1, 2))
    return 1/(1 + np.exp(-30*(all_ - middle - .17)))


def clear(images): return np.full(len(images), .01)


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    "A folder with a photograph, its layout and its true MICs"
    d = tmp_path_factory.mktemp("bench")
    w = render_plate(size=60, look=replace(LOOK, radius=(.9, .94)), misread=0, bubble=0, seed=5)
    tiles = w.images.reshape(8, 12, 60, 60).transpose(0, 2, 1, 3).reshape(480, 720)
    Image.fromarray(np.pad(tiles, 20, constant_values=150)).save(d / "plate.png")
    facts = pd.DataFrame(w.facts)
    facts[["well", "drug", "concentration", "role"]].to_csv(d / "panel.csv", index=False)
    facts[facts.drug != ""].groupby(
        "drug", as_index=False).true_mic.first().rename(columns=dict(true_mic="mic")).to_csv(d / "expert.csv",
            index=False)
    return d


@pytest.fixture(scope="module")
def reading(bench):
    return read_photo(bench / "plate.png", bench / "panel.csv", dark_middle, expert=bench / "expert.csv")


@pytest.mark.later
def test_reading(reading):
    assert len(reading.mics) == 13 and len(reading.wells) == 96 and reading.plate.seen.sum() > 90
    assert reading.agreement.n_reference == 13
    assert reading.agreement.n >= 11 and reading.agreement.essential_agreement > .6
    for drug, t in reading.posterior.items():
        assert abs(t.probability.sum() - 1) < 1e-9 and t.probability[t.credible].sum() >= .95
        row = reading.mics[reading.mics.drug == drug].iloc[0]
        assert row.probability == t.probability.max() and row.credible == ", ".join(t.mic[t.credible])
        assert len(row.wells) == len(t) - 1


@pytest.mark.later
def test_overlay(reading):
    ax = plot_reading(reading)
    orange = [t.get_text() for t in ax.texts if t.get_weight() == "bold"]
    on_scale = reading.mics[~reading.mics.mic.str.startswith(">") & (reading.mics.mic != "")]
    assert sorted(o.split()[0] for o in orange) == sorted(on_scale.drug)
    assert all(float(o.split()[1]) == float(m.strip("<=")) for o in orange
               for d, m in zip(on_scale.drug, on_scale.mic) if d == o.split()[0])


@pytest.mark.later
def test_a_plate_whose_control_stayed_clear_has_no_result(bench):
    r = read_photo(bench / "plate.png", bench / "panel.csv", clear)
    assert (r.mics.mic == "").all()
    assert (r.mics.reason == "growth control did not grow").all() and r.mics.likely_mic.str.startswith("<=").all()
    # whoever filters by flags finds them all
    assert r.mics["flags"].str.startswith("growth control did not grow").all()


@pytest.mark.later
def test_only_listed_wells_are_read(bench):
    panel = pd.read_csv(bench / "panel.csv", dtype=str, keep_default_na=False)
    some = panel[panel.drug.isin(["INH", ""])]
    asked = []
    def spy(images):
        asked.append(len(images))
        return dark_middle(images)
    r = read_photo(bench / "plate.png", some, spy)
    assert r.mics.drug.tolist() == ["INH"] and set(asked) == {len(some)} == {12}


@pytest.mark.later
def test_a_photograph_and_its_page_need_neither_pytorch_nor_a_kernel(bench):
    "Nor matplotlib: opening the three takes longer than reading"
    say = (f"import sys; sys.modules.update(torch=None, safetensors=None, papermill=None)\n"
           f"from mic_eval.mic.read_command import read_run; from mic_eval.report.render import report\n"
           f"run = read_run({str(bench / 'plate.png')!r}, {str(bench / 'panel.csv')!r}, out={str(bench / 'bare')!r})\n"
           f"report(run, 'plate')\nprint('matplotlib' in sys.modules)\nreport(run, 'plate', lang='zh')")
    done = subprocess.run([sys.executable, "-c", say], capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr
    pages = [(bench / "bare" / f"plate{o}.html").read_text(encoding="utf-8") for o in ("", ".zh")]
    assert all("INH" in o and "data:image/png" in o for o in pages) and ["概率" in o for o in pages] == [False, True]


def test_drugs_in_chinese_stand_on_the_picture():
    from mic_eval.mic.read_command import _font
    font = _font(["异烟肼 0.1"], 20)
    boxes = {font.getmask(c).getbbox() for c in "异烟肼利福平"}
    assert font.getbbox("异烟肼")[2] > 50 and len(boxes) > 3   # characters, not six times the same box


def test_isolates_share_a_plate():
    w = pd.DataFrame(dict(isolate=["a"]*3 + ["b"]*3, drug="INH", concentration=[1, 2, 4]*2, role="test",
                          growth=[.99, .01, .01, .99, .99, .01]))
    m, tables = plate_mics(w)
    assert m.isolate.tolist() == ["a", "b"] and m.mic.tolist() == ["2", "4"] and list(tables) == ["a INH", "b INH"]
    both, a = beside_expert(m, pd.DataFrame(dict(isolate=["a", "b"], drug="INH", mic=["2", "2"])))
    assert both.agreement.tolist() == ["exact", "within one dilution"] and a.exact == .5


def test_unreadable_and_skipped_wells():
    w = pd.DataFrame(dict(drug="INH", concentration=[1, 2, 4, 8], role="test", growth=[.99, .01, .99, .01]))
    assert plate_mics(w)[0].mic[0] == "8"
    assert plate_mics(w, skip="amygda")[0].mic[0] == "" and plate_mics(w, skip="first")[0].mic[0] == "2"
    m = plate_mics(w.assign(growth=[.99, np.nan, .01, .01]))[0]
    assert m.mic[0] == "2..4" and m.wells[0] == "+?--"


def test_expert_files(tmp_path):
    def expert(text):
        (tmp_path / "e.csv").write_text(text)
        return read_expert(tmp_path / "e.csv")
    assert expert("drug,mic\nINH,<=0.25\nRIF,\n").expert_mic.tolist() == ["<=0.25", ""]
    assert len(expert("drug,expert_mic,well\nINH,1,A1\nINH,1,A2\n")) == 1
    for text, says in (("drug\nINH\n", "columns drug and mic"),
                       ("drug,mic\nINH,1\nINH,2\n", "INH has two different MICs"),
                       ("drug,mic\nINH,R\n", "cannot be read"), ("", "e.csv")):
        with pytest.raises(ValueError, match=says): expert(text)
    with pytest.raises(ValueError, match="none of the plate's drugs"):
        beside_expert(pd.DataFrame(dict(drug=["INH"], mic=["1"])), pd.DataFrame(dict(drug=["XXX"], mic=["1"])))


def mic_eval(*args): return CliRunner().invoke(app, [str(a) for a in args])


@pytest.mark.full
def test_command(bench, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("plate_models.py").write_text("from test_read import dark_middle as model\n")
    monkeypatch.syspath_prepend(Path(__file__).parent)
    args = ["read", bench / "plate.png", "--layout", bench / "panel.csv", "--model", "plate_models:model", "--expert",
            bench / "expert.csv"]
    r = mic_eval(*args, "--out", "one")
    assert r.exit_code == 0, (r.output, r.exception)
    assert r.stdout.strip() == "one/plate.html" and "essential agreement" in r.stderr and "96 wells seen" in r.stderr
    assert sorted(p.name for p in Path("one").iterdir()) == ["mics.csv", "photo.png", "plate.html", "plate.ipynb",
                                                             "plate.png", "predictions.parquet", "reading.json",
                                                             "results.json", "run.json", "wells.csv"]
    mics, found = pd.read_csv("one/mics.csv"), json.loads(Path("one/results.json").read_text())
    assert len(mics) == 13
    assert {"drug", "mic", "likely_mic", "probability", "credible", "expert_mic", "agreement"} <= set(mics)
    assert found["plate"]["wells"] == 96
    assert set(found["posterior"]) == set(mics.drug) and found["agreement"]["n_reference"] == 13
    assert Image.open("one/plate.png").size[0] > 1000
    page = Path("one/plate.html").read_text(encoding="utf-8")
    assert all(o in page for o in (*mics.drug, "data:image/png", "platemap")) and page.count("<td style") == 96
    assert mic_eval(*args, "--out", "two", "--report", "none").stdout.strip() == "two"
    for name in ("mics.csv", "wells.csv", "plate.png", "results.json", "predictions.parquet"):
        assert (Path("one") / name).read_bytes() == (Path("two") / name).read_bytes(), name


@pytest.mark.later
def test_bad_input_is_one_line(bench, tmp_path):
    panel, photo = bench / "panel.csv", bench / "plate.png"
    (tmp_path / "bad.csv").write_text("well,drug,concentration\nJ1,INH,1\n")
    (tmp_path / "no.csv").write_text("drug,mic\nXXX,1\n")
    Image.fromarray(np.random.default_rng(0).integers(0, 255, (300, 450)).astype(np.uint8)).save(tmp_path / "noise.png")
    (tmp_path / "broken.png").write_bytes(b"\x89PNG")
    for args, says in (((tmp_path / "none.png", "--layout", panel), "no file"),
                       ((photo, "--layout", tmp_path / "none.csv"), "no file"),
                       ((photo, "--layout", tmp_path / "bad.csv"), "layout bad.csv: there is no well J1"),
                       ((tmp_path / "noise.png", "--layout", panel), "noise.png: no plate"),
                       ((tmp_path / "broken.png", "--layout", panel), "broken.png"),
                       ((photo, "--layout", panel, "--expert", tmp_path / "bad.csv"),
                        "bad.csv needs the columns drug and mic"),
                       ((photo, "--layout", panel, "--channels", "2"), "channels must be 1 or 3")):
        r = mic_eval("read", *args, "--out", tmp_path / "out")
        assert r.exit_code == 2 and r.stderr.count("error: ") == 1 and says in r.stderr and r.stdout == "", (args,
            r.output, r.exception)
    assert not (tmp_path / "out").exists()


@pytest.mark.later
def test_no_probability_no_posterior(bench):
    with pytest.raises(ValueError, match="no probability of growth"):
        read_photo(bench / "plate.png", bench / "panel.csv", lambda x: 5*dark_middle(x), kind="score")


@pytest.mark.later
def test_formulas_stay_text(bench, tmp_path):
    panel = pd.read_csv(bench / "panel.csv", dtype=str, keep_default_na=False).replace("INH", "=INH()")
    panel.to_csv(tmp_path / "p.csv", index=False)
    read_run(bench / "plate.png", tmp_path / "p.csv", "test_read:dark_middle", out=tmp_path / "r")
    assert "'=INH()" in (tmp_path / "r" / "mics.csv").read_text()
    assert ",=INH" not in (tmp_path / "r" / "wells.csv").read_text()


@pytest.mark.later
def test_real_plates_read_by_the_small_network(real_wells):
    """WellNet has never seen a real well; every MIC that the expert read lies within one dilution, as far as
    censoring lets one say"""
    listed = pd.read_csv(real_wells / "manifest.csv", dtype=dict(plate=str))
    for name, t in listed.groupby("plate"):
        r = read_photo(real_wells / "plates" / f"{name}.png", t[["well", "drug", "concentration", "role"]],
                       expert=t[["drug", "expert_mic"]].dropna())
        assert r.agreement.n == 13 and r.agreement.essential_agreement.k >= 12 and r.agreement.no_result.k == 0


def test_reasons_and_agreement_are_said_in_chinese():
    "The terminal said *two or more 个跳孔*, *没有 readable well*, *differs* and *open: censored*"
    from mic_eval.core.fields import field_named
    from mic_eval.mic.series import REASONS
    from mic_eval.report.words import speak, translated
    import re
    try:
        speak("zh", field_named("mic"))
        words = [*REASONS[1:], "no reference", "no result", "exact", "open: censored", "within one dilution", "differs"]
        said = {o: str(translated(o)) for o in words}
    finally: speak("en")
    assert not {o: zh for o, zh in said.items() if re.search("[a-z]{3}", zh)}
