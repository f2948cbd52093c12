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


def with_free_answers(n=40):
    "A sound examination, and free answers beside it"
    from mic_eval.tcm import Answer, ExamItems, Item, Responses
    free = [Item(f"free-{i}", f"第{i}问：治法？", "open", answer="健脾") for i in range(n)]
    keyed = demo_answers(knows=.97, unread=0., name="made_up")
    said = Responses([*keyed, *[Answer(o.id, "健脾", "made_up") for o in free]])
    return ExamItems([*demo_items(), *free]), said


def verdict_of(asked, said, judge):
    from mic_eval.run.evaluation import findings
    from mic_eval.tcm.judges import judged_points, with_judge
    table = answers_table(asked, said)
    points = {k: judged_points(m, marked_of(table)) for k, m in judge.items()} if judge else None
    return findings(with_judge(table, points) if judge else table, suite="tcm", field="tcm", profile="tcm-exam")


def sound(messages): return "评分：5"
def silent(messages): return "这个回答不错。"


@pytest.mark.later
@pytest.mark.parametrize("judge, judged", [
    (dict(a=sound), 40), (dict(a=silent), 0), (dict(a=sound, b=silent, c=silent), 0),
    (dict(a=sound, b=sound, c=silent), 40), (dict(a=sound, b=silent), 0),
    (dict(a=lambda m: silent(m) if "第3" in m[0]["content"] else "评分：5"), 29)])
def test_a_silent_judge_shuts_the_verdict(judge, judged):
    found = verdict_of(*with_free_answers(), judge)
    assert (found.judged_answers.judged.k, found.judged_answers.judged.n) == (judged, 40)
    of = {o["metric"]: o["status"] for o in found.verdict.criteria}
    assert of["judged_answers.judged"] == ("pass" if judged == 40 else "fail")
    assert of["examination.answered"] == "pass" and (found.verdict.status == "pass") == (judged == 40)


@pytest.mark.later
@pytest.mark.parametrize("said, next", [(silent, "Another judge, or people"), (sound, "Use it as it was tried here")])
def test_the_next_step_blames_who_was_silent(said, next, tmp_path):
    from mic_eval.report.views import answers_to_five
    from mic_eval.tcm.judges import judged_points, with_judge
    t = answers_table(*with_free_answers())
    t = with_judge(t, dict(a=judged_points(said, marked_of(t))))
    run = make_run(predictions=t.save(tmp_path/"t.parquet"), field="tcm", suite="tcm", profile="tcm-exam", out=tmp_path)
    assert next in str(answers_to_five(run, {}))


def test_who_asks_no_judge_is_not_stopped_by_one():
    found = verdict_of(*with_free_answers(), None)
    of = {o["metric"]: o["status"] for o in found.verdict.criteria}
    assert of["judged_answers.judged"] == "not applicable" and found.verdict.status == "pass"


def test_an_empty_free_answer_goes_to_no_judge():
    from mic_eval.tcm import Answer, Responses
    asked, said = with_free_answers()
    said = Responses([Answer(o.id, "", o.model) if o.id == "free-7" else o for o in said])
    assert verdict_of(asked, said, dict(a=sound)).judged_answers.judged.n == 39


def test_a_panel_is_kept_a_file_a_judge_and_named(tmp_path):
    from mic_eval.tcm.command import score_runs
    asked, said = with_free_answers(6)
    asked.save(tmp_path/"items.jsonl"); said.save(tmp_path/"answers.jsonl")
    panel = dict(one=sound, two=lambda m: "评分：3", three=lambda m: "评分：3")
    run, = score_runs(tmp_path/"items.jsonl", tmp_path/"answers.jsonl", judge=panel, out=tmp_path/"runs")
    j = run.result.judged_answers
    assert (j.judge, float(j.judge_alone), [*j.judges]) == ("one, two, three", .5, [*panel])
    assert float(j.most_say_the_same) == 1
    assert len(list((tmp_path/"runs"/".answers").glob("*.judge*.jsonl"))) == 6   # three judges in both orders


@pytest.mark.parametrize("options, why", [
    ("--judge-url http://x --judge-model a,a", "a name of its own"),
    ("--judge-url http://x,http://y --judge-model a,b,c", "3 judges, and 2 of --judge-url"),
    ("--judge-url http://x --judge-model a,b --judge-key-env P,Q,R", "2 judges, and 3 of --judge-key-env"),
    ("--judge-url http://x", "a judge needs --judge-url and --judge-model")])
def test_a_panel_that_does_not_add_up_is_refused(options, why, tmp_path):
    from typer.testing import CliRunner
    from mic_eval.cli.app import app
    demo_items().save(tmp_path/"items.jsonl"); demo_answers().save(tmp_path/"answers.jsonl")
    done = CliRunner().invoke(app, ["tcm", "score", str(tmp_path/"items.jsonl"), str(tmp_path/"answers.jsonl"),
                                    "--out", str(tmp_path/"runs"), *options.split()])
    assert done.exit_code == 2 and why in " ".join(done.output.replace("│", " ").split())


def test_keys_that_decide_all_leave_a_judge_nothing_to_say():
    found = verdict_of(demo_items(), demo_answers(knows=.97, unread=0., name="made_up"), dict(a=silent))
    assert found.judged_answers.reason == "no answer went to a judge" and found.verdict.status == "pass"


def test_fields_that_were_read_are_shown_to_a_person():
    from mic_eval.tcm import Answer, ExamItems, Item, Responses, mark
    from mic_eval.tcm.command import reading_table
    items = ExamItems([Item("1", "?", "structured", {}, dict(病位="肺，表"))])
    shown = reading_table(mark(items, Responses([Answer("1", '{"病位": "表、肺"}', "m")])))
    assert (shown.loc[0, "read"], shown.loc[0, "key"]) == ("病位：表、肺", "病位：肺，表")


ODD = "\u2028\ud800\x00答案\x85"   # half of a pair, as models send it

def test_half_a_character_in_any_kind_of_answer(tmp_path):
    "An answer is kept whole in the table whatever was asked: what was read of a blank is a text too"
    from mic_eval.tcm import Answer, ExamItems, Item, Responses
    from mic_eval.tcm.command import reading_table, score_runs
    asked = [Item("a", "问", "choice", dict(A="甲", B="乙"), "A"), Item("b", "证属____证", "blank", {}, "脾虚"),
             Item("c", "病机", "labels", {}, ("脾虚", "湿盛")), Item("d", "对吗", "true_false", {}, True),
             Item("e", "论述", "open"), Item("f", "症状", "list", {}, ("纳呆",))]*1
    items, said = ExamItems(asked), [Answer(i.id, f"答案：{ODD}脾虚", "m\ud800") for i in asked]
    items.save(tmp_path/"items.jsonl"); Responses(said).save(tmp_path/"said.jsonl")
    [run] = score_runs(tmp_path/"items.jsonl", tmp_path/"said.jsonl", judge=lambda messages: "评分：3",
                       out=tmp_path/"runs")
    assert run.result.examination.answered == 1
    from mic_eval.tcm.points import mark
    reading_table(mark(items, Responses(said)), tmp_path/"read.csv")


def _exam(tmp_path, points=False):
    "A table of questions with its options in columns of their own, and two models"
    import pandas as pd
    rows = [dict(编号=f"q{i}", 题目=f"第{i}题", 选项A="甲", 选项B="乙", 答案="AB"[i % 2], 题型="单选", 科目="中药") for i in range(20)]
    rows += [dict(编号=f"t{i}", 题目=f"判断{i}", 答案="对", 题型="判断", 科目="方剂") for i in range(6)]
    rows += [dict(编号=f"l{i}", 题目=f"证型{i}", 答案="脾虚、湿盛", kind="labels", 科目="诊断") for i in range(6)]
    rows += [dict(编号=f"o{i}", 题目=f"论述{i}", 题型="问答", 答案="健脾", 科目="内科", 备注="x") for i in range(5)]
    pd.DataFrame(rows).to_excel(tmp_path/"题.xlsx", index=False)
    said = []
    for model, right in (("甲", 16), ("乙", 10)):
        for i, r in enumerate(rows):
            text = r["答案"] if i % 20 < right else "错"
            if r["编号"][0] == "l": text = "脾虚" if right > 10 else "脾虚、血瘀、肾虚"
            said.append(dict(编号=r["编号"], 回答=f"答案：{text}", 模型=model))
    pd.DataFrame(said).to_excel(tmp_path/"答.xlsx", index=False)
    return tmp_path/"题.xlsx", tmp_path/"答.xlsx"


def test_columns_of_options_are_taken_and_said(tmp_path):
    "Options in columns of their own, and the fields of a file of answers, are no columns that nobody used"
    from mic_eval.tcm.exam import exam_binding
    bound, _ = exam_binding(*_exam(tmp_path))
    assert {t.role: t.column for t in bound.taken if "option" in t.role} == {
        "items option A": "items: 选项A", "items option B": "items: 选项B"}
    assert bound.left == ("items: 备注",)
    demo_answers().save(tmp_path/"a.jsonl")
    assert not exam_binding(tmp_path/"题.xlsx", tmp_path/"a.jsonl")[0].left[1:]


@pytest.mark.later
def test_a_report_speaks_one_unit(tmp_path):
    "Mean points stand in per cent as counted shares do, whether or not a model happened to earn whole points"
    import re
    from typer.testing import CliRunner
    from mic_eval.cli.app import app
    items, answers = _exam(tmp_path)
    done = CliRunner().invoke(app, ["tcm", "score", str(items), str(answers), "--out", str(tmp_path/"runs"),
                                    "--lang", "zh"])
    assert done.exit_code == 0, done.output
    page = next((tmp_path/"runs").rglob("tcm.zh.html")).read_text(encoding="utf-8")
    subject = page.split("按科目</h3>")[1].split("</table>")[0]
    values = re.findall(r"<b>([^<]*)</b>", subject)
    assert len(values) > 6 and all(v == "–" or v.endswith("%") for v in values), values
    row = next(r for r in page.split("<tr") if "得分" in r and "≥" in r)
    assert row.count("%") >= 3 and not re.search(r"\b0\.\d{3}\b", row.replace("data-value", "")), row
    assert "False" not in page and "True" not in page and "错误" in page


def test_every_question_is_accounted_for(tmp_path):
    "A comparison says of every question where it went: counted, without points of some model, or of nobody"
    from mic_eval.tcm import mark, read_answers, read_items
    from mic_eval.tcm.many_models import many_models, many_models_page
    items, answers = _exam(tmp_path)
    found = many_models(mark(read_items(items), read_answers(answers)))
    assert (found.common, found.left_out, found.without_points) == (32, 0, 5)
    page = many_models_page(found, tmp_path/"c.html").read_text(encoding="utf-8")
    assert "5 for which nobody has" in page


def test_a_sheet_comes_with_what_its_marks_mean(tmp_path):
    import pandas as pd
    from typer.testing import CliRunner
    from mic_eval.cli.app import app
    from mic_eval.tcm.rating import RUBRIC
    items, answers = _exam(tmp_path)
    for extra, columns in (([], list("012345")), (["--pairs"], ["left", "right", "tie"])):
        out = tmp_path/f"round{len(extra)}"
        done = CliRunner().invoke(app, ["tcm", "rate", str(items), str(answers), "--raters", "李,王", "--out", str(out),
                                        "--lang", "zh", *extra])
        assert done.exit_code == 0 and "marks.csv" in done.output, done.output
        means = pd.read_csv(out/"marks.csv")
        assert list(means["column"]) == list(RUBRIC) and list(means.columns[2:]) == columns
        assert means["means"][0] == "专业术语应用" and not means.isna().any().any()


def test_free_answers_of_two_models_end_in_two_runs(tmp_path):
    "What only a judge can mark is compared with nothing, in one line, and the exit code is that of the runs"
    import pandas as pd
    from typer.testing import CliRunner
    from mic_eval.cli.app import app
    asked = pd.DataFrame([dict(编号=f"o{i}", 题目=f"论述{i}", 题型="问答", 答案="健脾") for i in range(5)])
    said = pd.DataFrame([dict(编号=f"o{i}", 回答="健脾", 模型=m) for i in range(5) for m in "甲乙"])
    asked.to_excel(tmp_path/"题.xlsx", index=False)
    said.to_excel(tmp_path/"答.xlsx", index=False)
    done = CliRunner().invoke(app, ["tcm", "score", str(tmp_path/"题.xlsx"), str(tmp_path/"答.xlsx"), "--out",
                                    str(tmp_path/"runs"), "--report", "none", "--lang", "zh"])
    assert done.exit_code == 0 and "没有一道题让所有模型都有得分" in done.output, done.output


def test_dimensions_have_the_names_of_the_rubric(tmp_path):
    "处方合理性 is what raters are asked, 方剂推荐 a dimension of the composite: one English word, two Chinese ones"
    from mic_eval.report.words import speaking
    from mic_eval.tcm.rating import RUBRIC, dimension_title
    with speaking("zh"): assert [dimension_title(k) for k in RUBRIC] == [v["zh"] for v in RUBRIC.values()]
    with speaking("en"): assert dimension_title("prescription") == "Prescription" and dimension_title("其他") == "其他"


def test_an_empty_question_is_named_by_its_number(tmp_path):
    "A cell that somebody forgot is no missing column"
    import pandas as pd
    from mic_eval.tcm import read_items
    items, _ = _exam(tmp_path)
    table = pd.read_excel(items, dtype=str)
    table.loc[3, "题目"] = None
    table.to_excel(items, index=False)
    with pytest.raises(ValueError, match="题.xlsx, row 4: item q3: no question"): read_items(items)


def test_a_lock_speaks_the_language_of_the_command():
    from mic_eval.report.words import speaking, translated
    text = (". is being written by process 5 on vm since 2026-11-27 19:00:04: wait until it is done, or stop it "
            "(.lock names it)")
    with speaking("zh"): assert translated(text).startswith(". 正由主机 vm 上的进程 5（始于 2026-11-27 19:00:04）")


def joined_of(tmp_path, **logs):
    from mic_eval.tcm.synthesis import joined_examination
    parts = {}
    for name, log in logs.items():
        parts[name] = tmp_path/f"{name}.json"
        parts[name].write_text(json.dumps(log))
    return joined_examination(parts)


def test_only_shares_are_joined_and_an_interval_stays(tmp_path):
    right, se = {"acc,none": .5}, {"acc_stderr,none": .01}
    percent = dict(results=dict(mmlu={"acc,none": 50., "acc_stderr,none": 1.}))
    with pytest.raises(ValueError, match="general.json: mmlu: 50 is no share between 0 and 1"):
        joined_of(tmp_path, general=percent)
    (tmp_path/"samples.jsonl").write_text('{"doc_id": 1, "acc": 100}\n')
    from mic_eval.tcm.synthesis import log_score, weighted_score
    with pytest.raises(ValueError, match="samples.jsonl: item 1: 100 is no share"): log_score(tmp_path/"samples.jsonl")
    with pytest.raises(ValueError, match="tcm: -0.1 is no share"): weighted_score(dict(tcm=-.1), dict(tcm=1))
    found = joined_of(tmp_path, general=dict(results=dict(mmlu=right | se), model_name="who/one"),
                      tcm=dict(results=dict(exam={"acc,none": .9, "acc_stderr,none": .02}), model_name="two"))
    assert dict(found.models) == dict(general="one", tcm="two") and found.score == pytest.approx(.3*.5+.7*.9)
    from mic_eval.report.advice import found_text
    assert found_text(found.score, True) == f"78.0\xa0% ({100*found.score.lo:.1f} to {100*found.score.hi:.1f})"


def test_a_group_of_tasks_is_counted_once(tmp_path):
    tasks = dict(a={"acc,none": .2}, b={"acc,none": .6}, both={"acc,none": .5}, c={"acc,none": .7})
    found = joined_of(tmp_path, general=dict(results=tasks, group_subtasks=dict(both=["a", "b"], c=[])))
    assert found.parts.general == pytest.approx((.2+.6+.7)/3)
