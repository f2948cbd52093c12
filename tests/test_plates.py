"Plates: wells found in photographs, real and rendered; crops; layouts"
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from scipy.ndimage import map_coordinates

from mic_eval.data import plates
from mic_eval.data.plates import circles_near, edge_pixels
from mic_eval.data.plates import Plate, crop, crop_side, find_wells, plot_plate, read_layout, well_names
from mic_eval.data.wells import LOOK, render_plate
from every import every


def photograph(turn=4., zoom=1., lean=.02, bend=0., seed=0, margin=50, pitch=48, hide=()):
    "A photograph of a rendered plate, and the true centres, shape (8, 12, 2)"
    look = replace(LOOK, radius=(.9, .94), shift=(0., .02), parallax=(.05, .12))
    wells = render_plate(size=pitch, look=look, seed=seed).images.copy()
    wells[list(hide)] = 150
    flat = np.pad(wells.reshape(8, 12, pitch, pitch).transpose(0, 2, 1, 3).reshape(8*pitch, 12*pitch), margin,
                  mode="linear_ramp", end_values=150)
    half = np.array([6., 4.])*pitch
    size, c, s = (zoom*2*(half + margin)).astype(int), np.cos(np.deg2rad(turn)), np.sin(np.deg2rad(turn))

    def back(p):
        p = (p - (size - 1)/2)/zoom @ np.array([[c, -s], [s, c]])
        p = p/(1 + lean*p[..., :1]/half[0])
        return p*(1 + bend*((p/half)**2).sum(-1, keepdims=True))
    y, x = np.mgrid[:size[1], :size[0]]
    q = back(np.stack([x, y], -1).astype(float)) + half + margin - .5
    image = map_coordinates(flat, [q[..., 1], q[..., 0]], order=1, mode="nearest").astype(np.uint8)
    want = np.stack(np.meshgrid(pitch*(np.arange(12) + .5), pitch*(np.arange(8) + .5)), -1) - half
    p = want*zoom + (size - 1)/2
    for _ in range(60): p = p + zoom*(want - back(p)) @ np.array([[c, s], [-s, c]])
    return image, p


@pytest.fixture(scope="module")
def shot(): return photograph()


@pytest.fixture(scope="module")
def found(shot): return find_wells(shot[0])


@pytest.mark.full
def test_all_wells_of_both_real_plates(real_wells):
    "The acceptance: 192 wells found, each centre within 4 px of the manifest; the crops byte for byte"
    wells = pd.read_csv(real_wells / "manifest.csv", dtype={"plate": str})
    for name, rows in wells.groupby("plate"):
        photo, listed = np.array(Image.open(real_wells / "plates" / f"{name}.png")), rows[["x", "y"]].to_numpy(float)
        p = find_wells(photo)
        assert p.seen.sum() == 96 and p.names.ravel().tolist() == rows.well.tolist()
        assert np.hypot(*(p.centres.reshape(-1, 2) - listed).T).max() <= 4
        assert np.median(np.hypot(*(p.grid.reshape(-1, 2) - listed).T)) < 4
        assert crop_side(p) == 70
        crops = np.stack([np.array(Image.open(real_wells / o)) for o in rows.path])
        assert (crop(photo, listed) == crops).all()


@pytest.mark.full
@every("how", [dict(turn=-9.), dict(turn=18., margin=120, zoom=.8), dict(zoom=.6), dict(zoom=1.7),
               dict(lean=.05),
               dict(bend=-.015), dict(turn=0., lean=0., margin=0),
               dict(margin=240, turn=-2., zoom=.7)], ids=str)
def test_turned_scaled_and_warped_plates(how):
    photo, true = photograph(**how)
    p = find_wells(photo)
    off = np.hypot(*np.moveaxis(p.grid - true, -1, 0))/p.pitch
    assert p.seen.sum() >= 90
    assert off.max() < .05 and np.median(off) < .02                      # shares of the distance between wells
    assert np.hypot(*np.moveaxis(p.centres - true, -1, 0)).max() < .2*p.pitch
    assert abs(p.turn - how.get("turn", 4.)) < 1


def test_wells_that_cannot_be_seen_are_inferred():
    hide = [0, 13, 14, 50, 51, 62, 95]
    photo, true = photograph(hide=hide)
    p = find_wells(photo)
    assert not p.seen.ravel()[hide].any() and p.seen.sum() >= 80
    assert np.hypot(*(p.centres - true).reshape(-1, 2)[hide].T).max() < 4


@pytest.mark.later
def test_where_a_few_rims_are_dragged_away_the_grid_holds(shot, found):
    photo = shot[0].copy()
    photo[130:180, 170:340] = 30                                          # a strip of tape over three wells
    p = find_wells(photo)
    assert np.hypot(*np.moveaxis(p.grid - found.grid, -1, 0)).max() < 2


def test_other_plates():
    photo, true = photograph(turn=2.)
    x, y = (true[5, 7] + 25).astype(int)
    p = find_wells(photo[:y, :x], rows=6, columns=8)
    assert np.abs(p.grid - true[:6, :8]).max() < 3 and p.names[-1, -1] == "F8"


@pytest.mark.later
def test_colour_floats_and_files_are_read_alike(shot, found, tmp_path):
    photo = shot[0]
    Image.fromarray(photo).save(tmp_path / "plate.png")
    for same in (np.repeat(photo[..., None], 3, 2), photo/255., tmp_path / "plate.png"):
        assert np.array_equal(find_wells(same).centres, found.centres)


def test_what_is_no_plate_is_refused(shot):
    noise = np.random.default_rng(1).integers(0, 255, (400, 600)).astype(np.uint8)
    stripes = np.tile(np.uint8([50]*20 + [200]*20), (400, 15))
    for picture in (noise, noise*0, stripes):
        with pytest.raises(ValueError, match="no plate of 12 columns and 8 rows found|only part of the plate"):
            find_wells(picture)
    with pytest.raises(ValueError, match="only part of the plate|no plate"): find_wells(shot[0][:, :400])
    with pytest.raises(ValueError, match="too small for 12x8 wells"): find_wells(noise[:100])
    with pytest.raises(ValueError, match="bytes"): find_wells(noise.astype(np.int32))
    with pytest.raises(ValueError, match="shape"): find_wells(noise[0])
    with pytest.raises(ValueError, match="rows and columns"): find_wells(noise, rows=2)


def test_plate_by_name(found):
    assert np.array_equal(found["h12"], found.centres[7, 11]) and np.array_equal(found["A01"], found.centres[0, 0])
    with pytest.raises(ValueError, match="'J1' is not on a plate of 8x12"): found["J1"]
    t = found.frame()
    assert t.well.tolist() == well_names() and t.seen.dtype == bool and len(t) == 96
    assert "96 rims seen" in repr(found)


def test_overlay_is_an_axes(shot, found):
    grows = np.where(np.arange(96) < 48, .9, .1)
    grows[5] = np.nan
    ax = plot_plate(shot[0], found, labels={"A1": "BDQ"}, grows=grows)
    assert len(ax.collections) == 1
    assert len(ax.texts) == 96 and ax.texts[0].get_text() == "BDQ" and ax.texts[1].get_text() == ""


def test_crops_shrink_and_stretch():
    a = np.tile(np.arange(200, dtype=np.uint8), (200, 1))
    assert np.array_equal(crop(a, [[100, 100]], size=70)[0], a[65:135, 65:135])
    half = crop(a, [100, 100], size=35, side=70)[0]
    assert half.shape == (35, 35) and np.abs(half[3, 1:-1].astype(float) - (65.5 + 2*np.arange(1, 34))).max() <= 1
    corner = crop(a, [10, 0], size=70)[0]
    assert corner.shape == (70, 70) and corner.max() == 44
    assert crop(np.stack([a]*3, -1), [[100, 100], [50, 60]], size=70).shape == (2, 70, 70, 3)


def test_circles_of_a_drawn_ring():
    y, x = np.mgrid[:120, :120]
    ring = np.where(np.abs(np.hypot(x - 61, y - 57) - 33) < 2, 60, 190).astype(np.uint8)
    at, r = circles_near(ring, [[60, 60], [20, 100]], reach=10, low=26, high=42)
    assert np.hypot(*(at[0] - [61, 57])) < 1.5 and abs(r[0] - 33) < 3 and np.isnan(at[1]).all()
    assert len(edge_pixels(ring*0 + 90)[0]) == 0


def test_layouts_of_the_real_panels_go_out_and_come_back(real_wells, tmp_path):
    wells = pd.read_csv(real_wells / "manifest.csv", dtype=dict(plate=str))
    for panel, rows in wells.groupby("panel"):
        rows = rows.reset_index(drop=True)
        cols = rows[["well", "drug", "concentration", "role"]]
        cols.to_csv(tmp_path / f"{panel}.csv", index=False)
        plain = {r.well: {k: v for k, v in r._asdict().items() if k not in ("Index", "well") and v == v}
                 for r in cols.itertuples()}
        (tmp_path / f"{panel}.json").write_text(json.dumps(plain))
        a, b = read_layout(tmp_path / f"{panel}.csv"), read_layout(tmp_path / f"{panel}.json")
        assert panel in ("UKMYC5", "UKMYC6") and a.equals(b) and a.well.tolist() == well_names()
        assert (a.role == "control").sum() == 2 and a.drug[a.role == "test"].tolist() == rows.drug.dropna().tolist()
        assert a.concentration.dropna().tolist() == rows.concentration.dropna().tolist()


def layout(tmp_path, text, name="panel.csv"):
    (tmp_path / name).write_text(text)
    return read_layout(tmp_path / name)


def test_layout_keeps_other_columns_and_defaults_roles(tmp_path):
    t = layout(tmp_path, "\ufeffwell,drug,concentration,role,isolate\nB2, INH ,0.5,,007\nc3,,,,007\n")
    assert t.well.tolist() == ["B2", "C3"]
    assert t.role.tolist() == ["test", "control"] and t.drug[0] == "INH" and t.isolate.tolist() == ["007", "007"]
    t = layout(tmp_path, json.dumps([dict(well="A1", drug="INH", concentration=.5), dict(well="A2", role="sterile")]),
               "l.json")
    assert t.role.tolist() == ["test", "sterile"]
    assert read_layout(pd.DataFrame(dict(well=["A1"], drug=["INH"], concentration=[1]))).concentration[0] == 1


@pytest.mark.parametrize("text, says", [
    ("well,drug,concentration\nI1,INH,1\n", "no well I1"), ("well,drug,concentration\nA13,INH,1\n", "no well A13"),
                                        ("well,drug,concentration\nA0,INH,1\n", "no well A0"),
    ("well,drug,concentration\nA1,INH,1\na01,RIF,1\n", "well A1 .row 3. stands twice"),
                                        ("well,drug,concentration\nA1,INH,1\nA2,INH,1.0\n", "INH has 1 mg/L twice"),
    ("well,drug,concentration\nA1,INH,\n", "needs a concentration"),
                                        ("well,drug,concentration\nA1,INH,-1\n", "needs a concentration"),
                                        ("well,drug,concentration\nA1,INH,inf\n", "needs a concentration"),
    ("well,drug,concentration\nA1,INH,much\n", "must be a number of mg/L, not 'much'"),
                                        ("well,drug,concentration,role\nA1,,1,test\n", "needs a drug"),
    ("well,drug,concentration,role\nA1,INH,1,bank\n", "role must be test, control, sterile, not 'bank'"),
                                        ("well,drug\n", "lists no wells"), ("drug\nINH\n", "lists no wells"),
                                        ("", "the file is empty")])
def test_bad_layouts_name_the_well(tmp_path, text, says):
    with pytest.raises(ValueError, match=says): layout(tmp_path, text)


@pytest.mark.parametrize("text, says", [('{"A1": {"drug": "INH", "concentration": 1}, "A01": {}}', "A1 stands twice"),
                                        ("{", "layout l.json"), ("[1]", "a list of wells"), ("3", "a list of wells")])
def test_bad_json_layouts(tmp_path, text, says):
    with pytest.raises(ValueError, match=says): layout(tmp_path, text, "l.json")


def test_layout_that_is_no_text(tmp_path):
    (tmp_path / "l.csv").write_bytes(b"\xff\xfe\x00w")
    with pytest.raises(ValueError, match="l.csv lists no wells"): read_layout(tmp_path / "l.csv")
