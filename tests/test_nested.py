"""Tables whose cells are lists or mappings, as Parquet and JSON have them"""
import hashlib
import json

import pandas as pd
import pytest
from every import every

from mic_eval.data.class_sets import read_fitted
from mic_eval.domain.command import asked_columns
from mic_eval.domain.sites import read_sites
from mic_eval.noise.methods import table_data
from mic_eval.tcm.items import read_items

OPTIONS = {"A": "补中益气汤", "B": "四君子汤"}


def written(frame, path):
    if path.suffix == ".parquet": frame.to_parquet(path)
    else: frame.to_json(path, orient="records", lines=True, force_ascii=False)
    return path


@every("suffix", [".parquet", ".jsonl"])
@every("columns", [dict(options=[OPTIONS], answer="B"),
                   dict(options=[OPTIONS | {"C": None}], answer="B"),
                   dict(options=[[dict(key=k, value=v) for k, v in OPTIONS.items()]], answer="B"),
                   dict(choices=[dict(text=list(OPTIONS.values()), label=list(OPTIONS))], answerKey="B"),
                   dict(choices=[list(OPTIONS.values())], answer=1),
                   dict(options=["A 补中益气汤\nB 四君子汤"], answer="B")])
def test_options_of_any_benchmark_are_two_texts(tmp_path, columns, suffix):
    "Mappings with key and value became the texts of Python's own notation, and an array of Parquet ended the reading"
    frame = pd.DataFrame(dict(id=["1"], question=["气虚当用何方？"]) | columns)
    item, = read_items(written(frame, tmp_path/f"exam{suffix}"))
    assert (item.kind, item.options, item.answer) == ("choice", OPTIONS, "B")


@every("options", [[dict(a=1), dict(a=2)], dict(text=["a"], label=["A", "B"]), dict(A=["a"], B="b")])
def test_options_that_no_one_can_read_are_named_with_their_row(tmp_path, options):
    path = tmp_path/"exam.jsonl"
    path.write_text(json.dumps(dict(id=1, question="q", options=options, answer="A")))
    with pytest.raises(ValueError, match="exam.jsonl, row 1: .*option"): read_items(path)


@every("suffix", [".parquet", ".jsonl"])
def test_features_that_are_lists_are_one_value_each(tmp_path, suffix):
    "They ended in: unhashable type"
    frame = pd.DataFrame(dict(hospital=list("ABC")*20, age=range(60), drugs=[["CIP"], ["GEN", "AMP"]]*30,
                              ill=[0, 1, 1]*20, label=list("ab")*30))
    path = written(frame, tmp_path/f"patients{suffix}")
    names = 'drugs=["CIP"]', 'drugs=["GEN", "AMP"]'
    assert read_sites(path, "hospital", "ill", drop=["label"]).features == names
    assert asked_columns(path).question.choices
    assert table_data(path, drop=["hospital"]).X.shape == (60, 3)   # two of drugs, and ill; age counts the rows


def test_hashes_of_fitted_pictures_stand_in_json(tmp_path):
    "The documented list of SHA-256 ended in a TypeError"
    marks = [hashlib.sha256(c).hexdigest() for c in (b"a", b"b")]
    for name, text in dict(json=json.dumps(marks), txt="\n".join(marks)).items():
        (tmp_path/f"seen.{name}").write_text(text)
        assert read_fitted(tmp_path/f"seen.{name}").marks == {*marks}
    (tmp_path/"odd.json").write_text("[")
    with pytest.raises(ValueError, match="odd.json"): read_fitted(tmp_path/"odd.json")
