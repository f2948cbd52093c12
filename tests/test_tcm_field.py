"The field of Chinese medicine: a run, its verdict, its words, and a file that is not its own."
import json

import pytest

from mic_eval.core.fields import register_field, title_of
from mic_eval.core.kinds import Answers
from mic_eval.run.evaluation import make_run
from mic_eval.tcm import answers_table, demo_answers, demo_items, marked_of, read_exam
from mic_eval.tcm.demo import demo_table
from mic_eval.tcm.field import FIELD

register_field(FIELD)


def test_a_run(tmp_path):
    r = make_run(predictions=demo_table(tmp_path, knows=.95, unread=0.), field="tcm", out=tmp_path)
    assert r.result.verdict.status == "pass" and r.result.field == "tcm"
    again = make_run(predictions=tmp_path/"made_up.parquet", field="tcm", out=tmp_path)
    assert (again.folder/"results.json").read_bytes() == (r.folder/"results.json").read_bytes()


def test_table_round_trip(tmp_path):
    t = answers_table(demo_items(), demo_answers(seed=4))
    for path in (t.save(tmp_path/"t.csv"), t.save(tmp_path/"t.parquet")):
        assert marked_of(read_exam(path)).headline.tolist() == marked_of(t).headline.tolist()
    part = t[t.facts["task"].to_numpy() == "单选"]
    assert len(marked_of(part)) == 34


def test_errors(tmp_path):
    demo_answers().save(tmp_path/"said.jsonl")
    with pytest.raises(ValueError, match="said.jsonl: responses alone have no keys"): read_exam(tmp_path/"said.jsonl")
    Answers(["1"], response=["A"], reference=["A"]).save(tmp_path/"plain.csv")
    with pytest.raises(ValueError, match="plain.csv: no column 'item_kind'"): read_exam(tmp_path/"plain.csv")
    with pytest.raises(ValueError, match="judges one model"): answers_table(demo_items(), demo_answers()+demo_answers(name="b"))


def test_words():
    zh = FIELD.words["zh"]
    assert not [t for t in FIELD.titles.values() if t not in zh]
    assert title_of("examination.score", FIELD) == "Score (unread counts as wrong)"


def test_score_command(tmp_path):
    from typer.testing import CliRunner
    from mic_eval.cli.app import app
    demo_items().save(tmp_path/"items.jsonl")
    demo_answers().save(tmp_path/"answers.jsonl")
    done = CliRunner().invoke(app, ["score", str(tmp_path/"items.jsonl"), str(tmp_path/"answers.jsonl"), "--out", str(tmp_path/"runs"), "--report", "none"])
    assert done.exit_code == 0, done.output
    found = list((tmp_path/"runs").glob("made_up/*/*/results.json"))
    assert len(found) == 1 and json.loads(found[0].read_text(encoding="utf-8"))["field"] == "tcm"
