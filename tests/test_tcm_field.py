"The field of Chinese medicine: a run, its verdict, its words, and a file that is not its own."
import json

import pytest

from mic_eval.core.fields import register_field, title_of
from mic_eval.core.kinds import Answers
from mic_eval.run.evaluation import make_run
from mic_eval.tcm.exam import answers_table, marked_of
from mic_eval.tcm import demo_answers, demo_items, read_exam
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
    with pytest.raises(ValueError, match="judges one model"):
        answers_table(demo_items(), demo_answers()+demo_answers(name="b"))


def test_words():
    zh = FIELD.words["zh"]
    assert not [t for t in FIELD.titles.values() if t not in zh]
    assert title_of("examination.score", FIELD) == "Score (unread counts as wrong)"


def test_score_command(tmp_path):
    from typer.testing import CliRunner
    from mic_eval.cli.app import app
    demo_items().save(tmp_path/"items.jsonl")
    demo_answers().save(tmp_path/"answers.jsonl")
    done = CliRunner().invoke(app, ["score", str(tmp_path/"items.jsonl"), str(tmp_path/"answers.jsonl"), "--out",
                                    str(tmp_path/"runs"), "--report", "none"])
    assert done.exit_code == 0, done.output
    found = list((tmp_path/"runs").glob("made_up/*/*/results.json"))
    assert len(found) == 1 and json.loads(found[0].read_text(encoding="utf-8"))["field"] == "tcm"


def test_a_judge_and_people(tmp_path):
    from mic_eval.tcm.command import reading_table, score_runs
    from mic_eval.tcm import ExamItems, Item, Responses, Answer, mark
    from mic_eval.tcm.judges import people_sheet
    items = ExamItems([Item(f"F{i}", f"病案{i}：治法？", "open", answer="健脾化湿", case=f"c{i}")
                       for i in range(40)])+demo_items()[:6]
    said = Responses([Answer(f"F{i}", "健脾化湿" if i % 2 else "清热", "m")
                      for i in range(40)])+Responses([Answer(o.id, f"答案：{o.answer}", "m") for o in demo_items()[:6]])
    items.save(tmp_path/"items.jsonl"); said.save(tmp_path/"answers.jsonl")
    asked = []
    def judge(messages):
        asked.append(messages)
        return "评分：" + ("5" if "回答：健脾" in messages[0]["content"] else "3")
    sheet = people_sheet(mark(items, said), tmp_path/"sheet.csv", n=20)
    rows = sheet.read_text(encoding="utf-8-sig").splitlines()
    sheet.write_text("\n".join([rows[0]]+[r[:-1]+("," if r.endswith(",") else "")+("5" if "健脾化湿,健脾" in r else "1")
                                          for r in rows[1:]]), encoding="utf-8-sig")
    run, = score_runs(tmp_path/"items.jsonl", tmp_path/"answers.jsonl", judge=judge, people=sheet, out=tmp_path/"runs")
    j = run.result.judged_answers
    assert (float(j.judge_alone), round(float(j.corrected), 6), j.judged_by_people, len(asked)) == (.75, .5, 20, 80)
    # the judge's points stay out of it
    assert run.result.examination.score == 1 and run.result.examination.score.n == 6
    score_runs(tmp_path/"items.jsonl", tmp_path/"answers.jsonl", judge=judge, out=tmp_path/"runs")
    assert len(asked) == 80   # verdicts are kept
    assert len(reading_table(mark(items, said))) == 46


def test_tables_as_chinese_spreadsheets_write_them(tmp_path):
    from mic_eval.tcm import read_items, read_answers
    text = "id;question;options;answer;points\n1;肝主什么？;A.疏泄 B.运化;A;2\n"
    (tmp_path/"gbk.csv").write_bytes(text.encode("gbk"))
    assert read_items(tmp_path/"gbk.csv")[0].options == {"A": "疏泄", "B": "运化"}
    demo_answers().save(tmp_path/"a.csv")
    assert [o.text for o in read_answers(tmp_path/"a.csv")] == [o.text for o in demo_answers()]


def test_many_models_on_one_page(tmp_path):
    from typer.testing import CliRunner
    from mic_eval.cli.app import app
    from mic_eval.tcm import Answer, ExamItems, Item, Responses
    items = ExamItems([Item(f"q{i}", f"何脏{'甲乙丙丁'[i % 4]}{i}？", options=["肝", "心", "脾", "肺"], answer="ABCD"[i % 4],
                            subject="中药" if i % 2 else "诊断") for i in range(24)])
    items.save(tmp_path/"i.jsonl")
    models = {"<script>alert(1)</script>": lambda o: o.answer, "wrong": lambda o: "BCDA"["ABCD".index(o.answer)]}
    files = []
    for k, (name, letter) in enumerate(models.items()):
        files.append(str(tmp_path/f"{k}.jsonl"))
        Responses([Answer(o.id, f"答案：{letter(o)}", name) for o in items]).save(tmp_path/f"{k}.jsonl")
    line = ["tcm", "compare", str(tmp_path/"i.jsonl"), *files, "--out", str(tmp_path/"c"), "--lang", "zh"]
    done = CliRunner().invoke(app, line)
    assert done.exit_code == 0, done.output
    page = (tmp_path/"c"/"compare.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page and "可区分" in page and "同一套题，多个模型" in page
    alone = CliRunner().invoke(app, [*line[:4], *line[5:]])
    assert alone.exit_code == 2 and "one model only" in alone.output+str(alone.exception) or "一个模型" in alone.output
