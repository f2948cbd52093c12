"""Files in many dialects, sound ones and their nearest faults: each is read, or refused with what mends it"""
import json
import shutil

import dialects
import pytest


def want_is_open(cases): return all(want is None for _, _, want, _ in cases)


@pytest.mark.later
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("group", dialects.GROUPS, ids=lambda group: group.__name__)
def test_what_a_reader_says(group, tmp_path):
    wrong, n, place = [], 0, tmp_path/"case"
    for name, read, cases in dialects.dialects([group]):
        for file, content, want, how in cases[::7 if want_is_open(cases) else 1]:   # `tests/branches.py` tries them all
            place.mkdir()
            said = dialects.said_of(dialects.laid(place, file, content), read, how)
            shutil.rmtree(place)
            n += 1
            right = want is None or bool(said) == bool(want) and want in said
            if right and "FAULT" not in said: continue
            shown = content if isinstance(content, str) else getattr(content, "__name__", "bytes")
            wrong.append(f"{name}, {file}, {shown[:300]!r} {how or ''}\n  wanted {want!r}\n  said   {said!r}")
    assert n > 10 and not wrong, f"{len(wrong)} of {n} are wrong:\n"+"\n".join(wrong)


def test_what_a_person_corrects_is_read_as_the_key_is(tmp_path):
    "TRUE became false, two letters with 、 three, and what had a number for an id nothing"
    from mic_eval.tcm.command import read_corrections
    from mic_eval.tcm.items import Item
    options = dict(A="四物汤", B="归脾汤", C="左归丸")
    items = [Item("1", "q", "choice", options, "A"), Item("2", "q", "choices", options, "AB"),
             Item("3", "q", "true_false", answer=True), Item("4", "q", "labels", answer=["脾虚"]),
             Item("5", "q", "structured", answer={"证型": "脾虚"})]
    sheet = dialects.table(["id", "value"], [1, "B. 归脾汤"], [2, "C、A"], [3, "TRUE"], [4, "脾虚，湿盛"], [5, "证型：脾虚"])
    (tmp_path/"c.csv").write_text(sheet)
    want = {"1": "B", "2": ("A", "C"), "3": True, "4": ("脾虚", "湿盛"), "5": {"证型": "脾虚"}}
    assert read_corrections(tmp_path/"c.csv", items, ["m"]) == {(k, "m", 0): v for k, v in want.items()}
    (tmp_path/"c.jsonl").write_text('{"id": 3, "value": false}\n{"id": 2, "value": ["C", "A"], "round": 1}\n')
    assert read_corrections(tmp_path/"c.jsonl", items, ["m"]) == {("3", "m", 0): False, ("2", "m", 1): ("A", "C")}


def test_an_object_with_one_list_is_its_rows_and_numbers_stay_whole(tmp_path):
    from mic_eval.tcm.items import read_rows
    rows = [dict(id=1, year=2020), dict(id=2)]
    for held in rows, dict(items=rows), dict(name="set", items=rows):
        (tmp_path/"i.json").write_text(json.dumps(held))
        assert read_rows(tmp_path/"i.json") == rows


def test_trials_saved_as_csv_keep_their_values(tmp_path):
    from mic_eval.core.kinds import Trials
    t = Trials(["a", "b"], method=["m", "m"], values=[dict(accuracy=.5), None])
    assert Trials.read(t.save(tmp_path/"t.csv")).metric("accuracy").tolist()[0] == .5


def test_classes_that_are_no_texts_are_not_spoken_of():
    from mic_eval.core.results import Score
    from mic_eval.report.words import classes_of
    said = lambda classes: classes_of(dict(field="classification", basic=dict(n=dict(classes=classes))))
    assert said(["a", "b"]) == ("a", "b") and said(Score(.5)) == said([1, 2]) == said(None)
