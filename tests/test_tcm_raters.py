"""Raters: a session that is killed a hundred times, plans, and statistics over readers and cases against plain loops
and a simulation."""
import itertools
import json

import numpy as np
import pandas as pd
import pytest

from mic_eval.metrics.raters import compare_over_readers, masi_distance, panel_agreement, readers_mean, set_alpha
from mic_eval.tcm import RUBRIC, RatingSession, ScriptedPatient, fusion_gain, rating_plan
from mic_eval.tcm.cases import PatientFact, inquiry_points
from mic_eval.tcm.rating import ratings_table

ITEMS = [dict(id=f"c{i}", model=m, question="q", text=f"text {i} {j}") for i in range(30)
         for j, m in enumerate(("alpha", "beta"))]


def test_a_hundred_kills_lose_nothing(tmp_path):
    rng, given = np.random.default_rng(0), {}
    for kill in range(100):
        s = RatingSession(ITEMS, "r", tmp_path, seed=5)
        assert {k: v["marks"] for k, v in s.done.items()} == given
        if s.current is None: break
        code = s.tasks[s.current.number-1][0]
        marks = {k: int(rng.integers(0, 6)) for k in RUBRIC}
        s.rate(marks); given[code] = marks
        # killed inside the next write
        with open(s.path, "ab") as f:
            f.write(json.dumps(dict(code="x"*12, marks=marks)).encode()[:int(rng.integers(0, 60))])
    table = ratings_table(ITEMS, [RatingSession(ITEMS, "r", tmp_path, seed=5)])
    assert len(table) == 5*60 and set(table.model) == {"alpha", "beta"}


@pytest.mark.full   # kills
def test_a_killed_process_loses_nothing():
    """Three kills with SIGKILL at random moments; `make kills` does a hundred."""
    from rating_kills import kills
    kept, lost, _ = kills(3)
    assert kept and not lost


def test_a_round_by_sheets(tmp_path):
    import csv
    from mic_eval.tcm.rating import collect_ratings, panel_result, plan_ratings, round_ratings
    sheets = plan_ratings(ITEMS, tmp_path, "abc", per_case=2, repeats=3, seed=2)
    for name, sheet in sheets.items():
        rows = list(csv.DictReader(open(sheet, encoding="utf-8-sig", newline="")))
        assert len(rows) == 43 and "alpha" not in sheet.read_text(encoding="utf-8-sig")
        for r in rows[:20]: r |= {k: 3+(r["answer"][-1] == "1") for k in RUBRIC}
        with open(sheet, "w", encoding="utf-8-sig", newline="") as f:
            out = csv.DictWriter(f, list(rows[0])); out.writeheader(); out.writerows(rows)
    assert set(collect_ratings(tmp_path).values()) == {(20, 43)} and collect_ratings(tmp_path)["a"] == (20, 43)
    said = panel_result(round_ratings(tmp_path))
    assert float(said.pairs["alpha - beta"].effect) == -1 and float(said.models.beta.use.mark) == 4
    before = sheets["a"].read_bytes()
    plan_ratings(ITEMS, tmp_path, "abc", per_case=2, repeats=3, seed=2)
    assert sheets["a"].read_bytes() == before   # a sheet that may be filled in is never written over
    with pytest.raises(ValueError, match="holds another plan"): plan_ratings(ITEMS, tmp_path, "ab", seed=2)
    with pytest.raises(FileNotFoundError, match="mic-eval tcm rate"): collect_ratings(tmp_path/"nowhere")


def test_nothing_shown_names_a_model(tmp_path):
    a, b = (RatingSession(ITEMS, r, tmp_path, seed=5, pairs=p) for r, p in (("a", False), ("b", True)))
    for s in (a, b): assert "alpha" not in repr(s.current)+repr(s)
    sides = [row[0]["model"] for _, row, _ in b.tasks]
    assert 5 < sides.count("alpha") < 25
    b.rate(dict.fromkeys(RUBRIC, "tie"))
    assert "alpha" not in b.path.read_text() and [t[0] for t in a.tasks] != [t[0] for t in b.tasks]


@pytest.mark.parametrize("raters, k, n", [(4, 2, 12), (5, 3, 20), (3, 1, 9)])
def test_plans_are_balanced(raters, k, n):
    plan = rating_plan(range(n), "ABCDE"[:raters], k)
    met = [len(set(plan[a]) & set(plan[b])) for a, b in itertools.combinations(plan, 2)]
    assert sum(map(len, plan.values())) == n*k
    assert max(map(len, plan.values()))-min(map(len, plan.values())) <= 1 and max(met)-min(met) <= 2


def test_interval_over_readers_and_cases_covers():
    rng, hit = np.random.default_rng(1), 0
    for _ in range(400):
        s = readers_mean(rng.normal(0, .5, (5, 1))+rng.normal(0, .5, (1, 30))+rng.normal(0, .5, (5, 30)))
        hit += s.lo <= 0 <= s.hi
    assert .92 < hit/400 <= 1


def test_gaps_and_shapes():
    x = np.random.default_rng(0).normal(3, 1, (4, 40)); y = x.copy(); y[0, ::3] = np.nan
    assert abs(readers_mean(x)-readers_mean(y)) < .2 and "percentile" in readers_mean(y).method
    with pytest.raises(ValueError, match="same readers and cases"): compare_over_readers(x, x[:, :5])
    assert compare_over_readers(x+1, x).effect == pytest.approx(1)


def test_sets_by_a_plain_loop():
    rows = [["A", "A", "AB"], ["B", "B", "B"], ["AB", "AB", "A"], ["C", "B", "C"]]
    d = lambda a, b: masi_distance(a, b)
    within = np.mean([np.mean([d(a, b) for a, b in itertools.permutations(r, 2)]) for r in rows])
    flat = [v for r in rows for v in r]
    between = np.mean([d(a, b) for a, b in itertools.permutations(flat, 2)])
    assert set_alpha(rows) == pytest.approx(1-within/between)


def test_panel_of_equals():
    marks = np.tile([1, 2, 3, 4, 5, 3], (3, 1)).astype(float)
    found = panel_agreement(marks)
    assert found.alpha == found.ac2 == found.icc_one == 1


def test_inquiry_and_gain():
    patient = ScriptedPatient([PatientFact("汗", "不出汗"), PatientFact("口渴", "不渴", ("渴",))])
    turn = lambda q: dict(role="assistant", content=q)
    assert inquiry_points([turn("出汗吗？口渴吗？")], patient).efficiency == 1   # the seed: 1.574 for four facts in one turn
    assert inquiry_points([turn("出汗吗？")]*20, patient).efficiency == .25 and inquiry_points([], patient).coverage == 0
    assert fusion_gain(np.tile([.5, .9], (8, 1)), np.full(8, .8)) == pytest.approx(-.1)


@pytest.mark.full
@pytest.mark.parametrize("pairs", (False, True))
def test_buttons(tmp_path, pairs):
    pytest.importorskip("ipywidgets")
    from mic_eval.tcm.rating import rating_widget
    s = RatingSession(ITEMS[:6], "w", tmp_path, pairs=pairs, seed=1)
    head, *picks, said, button = rating_widget(s, "en").children
    button.click()
    # nothing is chosen beforehand
    assert not s.done and "choose something" in head.value and "alpha" not in head.value
    while s.current:
        for p in picks: p.value = "left" if pairs else 4
        button.click()
        assert all(p.value is None for p in picks)
    assert len(s.done) == (3 if pairs else 6) and button.disabled


def test_a_judge_like_a_reader_stands_among_them():
    from mic_eval.metrics.raters import model_against_panel
    rng = np.random.default_rng(0)
    inside = 0
    for _ in range(60):
        truth = rng.integers(2, 5, 40)
        marks = truth+rng.integers(-1, 2, (5, 40))
        found = model_against_panel(marks[:4], marks[4], n_resamples=199)
        inside += found.excess.lo <= 0 <= found.excess.hi
    assert inside >= 52   # nominal 57 of 60


def test_marks_travel_with_the_table(tmp_path):
    from mic_eval.core.questions import applied, load_questions
    from mic_eval.tcm.exam import answers_table
    from mic_eval.tcm import demo_cases, read_exam
    from mic_eval.tcm.demo import demo_diagnoses
    from mic_eval.tcm.rating import with_ratings
    load_questions(("mic_eval.tcm.rating",))
    cases, said = demo_cases()[:6], demo_diagnoses("good")[:6]
    items = [dict(id=i.id, model="good", question=i.question, text=a.text) for i, a in zip(cases, said)]
    sessions = [RatingSession(items, r, tmp_path, seed=1) for r in "abc"]
    for s in sessions:
        while s.current: s.rate(dict.fromkeys(RUBRIC, 4 if s.rater == "a" else 3))
    t = with_ratings(answers_table(cases, said), ratings_table(items, sessions))
    again = applied("panel_marks", read_exam(t.save(tmp_path/"t.parquet")), (), 0)
    assert (again.raters, again.rated_cases, round(float(again.theory.mark), 6)) == (3, 6, round(10/3, 6))
    with pytest.raises(ValueError, match="no rating belongs"):
        with_ratings(t, ratings_table(items, sessions).assign(model="other"))


def test_a_sheet_of_readings_that_was_made_harmless_finds_its_items_again(tmp_path):
    from mic_eval.core.files import write_table
    from mic_eval.tcm.command import read_corrections
    from mic_eval.tcm.items import Item
    items = [Item("=1+1", "question", options=dict(A="a", B="b"), answer="A")]
    write_table(pd.DataFrame(dict(id=["=1+1"], model=["@m"], value=["B"])), tmp_path / "readings.csv")
    assert read_corrections(tmp_path / "readings.csv", items, ["@m"]) == {("=1+1", "@m", 0): "B"}


def test_a_sheet_that_was_saved_as_gbk_and_holds_an_endless_answer(tmp_path):
    import pandas as pd
    from mic_eval.tcm.rating import collect_ratings, plan_ratings
    shown = [dict(id=str(i), model="m", question="证候是？", text="脾"*200_000 if i == 0 else "脾气虚") for i in range(3)]
    sheet = plan_ratings(shown, tmp_path, ["张"])["张"]
    table = pd.read_csv(sheet, dtype=str, keep_default_na=False)
    for k in RUBRIC: table.loc[:1, k] = "4"
    table.to_csv(sheet, index=False, encoding="gb18030")
    assert collect_ratings(tmp_path) == {"张": (2, 3)}


def test_marks_belong_to_the_round_that_raters_saw():
    "With a second round of the same question the panel ended in 'Index contains duplicate entries', and nobody saw it"
    from mic_eval.tcm import Answer, ExamItems, Item, Responses
    from mic_eval.tcm.exam import answers_table
    from mic_eval.tcm.rating import panel_marks, with_ratings
    items = ExamItems([Item(str(i), f"题{i}", "choice", dict(A="甲", B="乙"), "A") for i in range(4)])
    said = Responses([Answer(str(i), "答案：A", "m", r) for i in range(4) for r in (0, 1)])
    marks = pd.DataFrame([dict(rater=who, case=str(i), model="m", dimension="terms", mark=3.+i % 2, repeat=0)
                          for who in "ab" for i in range(4)])
    table = with_ratings(answers_table(items, said), marks)
    assert table.facts["ratings"].notna().sum() == 4
    found = panel_marks(table, ())
    assert (found.raters, found.rated_cases, float(found.terms.mark)) == (2, 4, 3.5)
