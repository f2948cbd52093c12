"""Words for yes and no in five languages: a folder that says no growth is never taken for growth, nor a class for the
positive one"""
import itertools

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from mic_eval.core.columns import class_names, known_order
from mic_eval.core.tables import read_predictions
from mic_eval.data.inputs import folder_label, folder_pictures

WELLS = [("growth", "no growth"), ("Growth", "No_Growth"), ("growth", "without growth"), ("turbid", "not turbid"),
         ("grew", "did not grow"), ("Wachstum", "kein Wachstum"), ("mit Wachstum", "ohne Wachstum"),
         ("Bewuchs", "kein Bewuchs"), ("croissance", "pas de croissance"), ("avec croissance", "sans croissance"),
         ("crecimiento", "sin crecimiento"), ("con crecimiento", "sin crecimiento"), ("长菌", "未长菌"), ("生长", "无生长"),
         ("有生长", "没有生长"),
         ("生长", "未见生长"), ("生长", "非生长"), ("长", "不长"), ("有菌", "无菌"),
         ("阳性", "阴性"),
         ("positiv", "negativ"), ("positif", "négatif"), ("positivo", "negativo"), ("positive", "negative")]
CLASSES = [*WELLS[:4], *WELLS[5:18], ("Befund", "ohne Befund"), ("malade", "sain"), ("enfermo", "sano"),
           ("krank", "gesund"), ("恶性", "良性"), ("不合格", "合格"), ("NG", "OK"), ("异常", "未见异常"), ("有裂纹", "无裂纹"),
           ("fissure", "pas de fissure"),
           ("Riss", "kein Riss"), ("mit Riss", "ohne Riss"), ("con defecto", "sin defecto"), ("defect", "no defect")]


def set_of(folder, *names):
    for name, i in itertools.product(names, range(2)):
        (folder/name).mkdir(parents=True, exist_ok=True)
        Image.fromarray(np.full((8, 8), 40+i, np.uint8)).save(folder/name/f"{i}.png")
    return folder


@pytest.mark.parametrize("grown,clear", WELLS)
def test_folders_of_wells(grown, clear, tmp_path):
    rows = folder_pictures(set_of(tmp_path, grown, clear)).rows
    assert {r["path"].split("/")[0]: r["growth"] for r in rows} == {grown: "1", clear: "0"}


@pytest.mark.parametrize("yes,no", CLASSES)
def test_the_positive_class(yes, no, tmp_path):
    assert class_names([yes, no]) == class_names([no, yes]) == (no, yes)
    assert known_order((yes, no))
    truth, p = np.array([yes, no]*10), np.tile([.9, .2], 10)
    pd.DataFrame(dict(y_true=truth, y_prob=p)).to_csv(tmp_path/"p.csv", index=False)
    t = read_predictions(tmp_path/"p.csv")
    assert t.classes == (no, yes) and ((t.y_true == 1) == (truth == yes)).all()


def test_a_folder_that_says_neither_is_asked_about(tmp_path):
    with pytest.raises(ValueError, match="--clear 'eher klar' or --growth 'eher klar'"):
        folder_pictures(set_of(tmp_path, "growth", "eher klar"))
    found = folder_pictures(tmp_path, clear=["eher klar"])
    assert sorted(r["growth"] for r in found.rows) == ["0", "0", "1", "1"]
    third = folder_pictures(set_of(tmp_path, "growth", "no growth", "unsure"), clear=["eher klar"])
    assert sum(r["growth"] == "" for r in third.rows) == 2   # counted, and said


@pytest.mark.parametrize("name", ["No. 1", "no 7", "plate 1", "notes", "nord", "sinus", "contaminated", "with", "无标签"])
def test_names_that_say_nothing(name): assert folder_label(name) is None
