"""Files of predictions as people write them: read rightly, or answered with the question that leads on; never wrong
in silence."""
import io
import json

import numpy as np
import pandas as pd
import pytest

from mic_eval.core.predictions import Predictions
from mic_eval.core.tables import read_predictions

rng = np.random.default_rng(3)
Y = rng.integers(0, 2, 40)
P = np.clip(.5+.3*(2*Y-1)+rng.normal(0, .2, 40), .01, .99).round(3)
C, IDS = (P >= .5).astype(int), [f"w{i:03}" for i in range(40)]
BASE = pd.DataFrame(dict(sample_id=IDS, y_true=Y, y_prob=P))
SURE = np.where(C == 1, P, 1-P)


def words(no, yes, of=Y): return np.where(of, yes, no)
def named(**other): return BASE.rename(columns=other)


def workbook(path, *sheets):
    "Sheets as lists of rows, headings wherever the person put them"
    from openpyxl import Workbook
    book = Workbook()
    book.remove(book.active)
    for name, rows in sheets:
        sheet = book.create_sheet(name)
        for row in rows: sheet.append(row)
    book.save(path)


ROWS = [list(BASE), *BASE.astype(object).to_numpy().tolist()]
RIGHT = {   # name -> table: truths, scores and calls are those of BASE
    "Growth before No growth in the alphabet": BASE.assign(y_true=words("No growth", "Growth")),
    "plus and minus": BASE.assign(y_true=words("-", "+")),
    "no_growth": BASE.assign(y_true=words("no_growth", "growth")),
    "resistant": BASE.assign(y_true=words("S", "R")),
    "turbid": BASE.assign(y_true=words("clear", "turbid")),
    "Chinese": BASE.assign(y_true=words("不生长", "生长")),
    "-1 and 1": BASE.assign(y_true=2*Y-1),
    "1 and 2": BASE.assign(y_true=Y+1),
    "floats": BASE.assign(y_true=Y.astype(float)),
    "truths in capitals, calls not": BASE.assign(y_true=words("No growth", "Growth"),
                                                 y_pred=words("no growth", "growth", C)),
    "one label in capitals": BASE.assign(y_true=[*words("no growth", "growth")[:-1], ["NO GROWTH ", "GROWTH"][Y[-1]]]),
    "prob_growth beside words": named(y_prob="prob_growth").assign(y_true=words("No growth", "Growth")),
    "prob_cat": named(y_prob="prob_cat").assign(y_true=words("dog", "cat")),
    "p(1)": named(y_prob="p(1)"),
    "predict_proba": BASE.drop(columns="y_prob").assign(proba_1=P, proba_0=1-P),
    "growth before nogrowth": BASE.drop(columns="y_prob").assign(prob_growth=P, prob_nogrowth=1-P,
                                                                 y_true=words("No growth", "Growth")),
    "one column a class for the truth": BASE.drop(columns="y_true").assign(true_growth=Y, true_nogrowth=1
        -Y).rename(columns=dict(y_prob="prob_growth")),
    "percent signs": BASE.assign(y_prob=[f"{100*v:.1f} %" for v in P]),
    "a heading in per cent": named(y_prob="probability of growth (%)").assign(**{"probability of growth (%)": 100*P}),
    "expected and predicted": named(y_true="Expected").drop(columns="y_prob").assign(Predicted=C),
    "a column without a name": BASE.reset_index().rename(columns=dict(index="")),
}
QUESTIONS = {
    "per cent": (BASE.assign(y_prob=100*P), "rows 2, 3, 4 and .*--kind percent"),
    "a cell of text": (BASE.assign(y_prob=[*P[:-1].astype(object), "n/a"]), "it is 'n/a' in row 41"),
    "prob_nogrowth": (BASE.drop(columns="y_prob").assign(prob_nogrowth=1-P), "'1' is the positive one.*--positive '0'"),
    "cat and dog": (BASE.assign(y_true=words("cat", "dog")), "which class is 'y_prob' of, 'cat' or 'dog'.*--positive"),
    "confidence of the call": (BASE.assign(y_prob=SURE, y_pred=C), "the confidence of the predicted class"),
    "calls against scores": (BASE.assign(y_pred=1-C), "higher where '0' was called"),
    "a third word": (BASE.assign(y_true=[*words("no", "yes")[:-1], "unclear"]), "'unclear' in row 41"),
    "ids twice": (BASE.assign(sample_id=[*IDS[:-1], "w000"]), "in rows 2, 41: w000"),
    "a heading of her own": (named(y_prob="model output"), "--y-score COLUMN --kind prob"),
    "no headings": (BASE.T.reset_index(drop=True).T.rename(columns={0: "w9", 1: "1", 2: ".57"}),
                    "the first row holds values"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_read_rightly(name, tmp_path):
    RIGHT[name].to_csv(tmp_path / "first.csv", index=False)
    p = read_predictions(tmp_path / "first.csv")
    assert (p.y_true == Y).all() and (p.y_pred == C).all() and list(p.sample_id) == IDS
    if p.scores is not None:
        np.testing.assert_allclose(p.scores if p.scores.ndim == 1 else p.scores[:, 1], P, atol=.002)


@pytest.mark.parametrize("name", QUESTIONS)
def test_answered_with_the_question(name, tmp_path):
    table, question = QUESTIONS[name]
    table.to_csv(tmp_path / "first.csv", index=False)
    with pytest.raises(ValueError, match=question): read_predictions(tmp_path / "first.csv")


def test_the_answers_lead_on(tmp_path):
    "What the questions advise is enough"
    def read(table, **how):
        table.to_csv(tmp_path / "first.csv", index=False)
        return read_predictions(tmp_path / "first.csv", **how)
    assert (read(QUESTIONS["per cent"][0], kind="percent").y_pred == C).all()
    assert (read(QUESTIONS["cat and dog"][0], positive="cat").y_pred == C).all()
    turned = read(QUESTIONS["prob_nogrowth"][0], positive="0")
    assert turned.classes == ("1", "0") and (turned.y_pred == 1-C).mean() > .95 and (turned.y_true == 1-Y).all()
    assert (read(QUESTIONS["a heading of her own"][0], y_score="model output", kind="prob").y_pred == C).all()


def test_titles_sheets_and_other_files(tmp_path):
    said = []
    workbook(tmp_path / "titled.xlsx", ("Notes", [["made by"], ["me"]]),
             ("Data", [["Validation", None, None], [], *ROWS]))
    (tmp_path / "comment.csv").write_text("# mine\n"+BASE.to_csv(index=False))
    (tmp_path / "rows.json").write_text(json.dumps(BASE.to_dict("records")))
    np.savez(tmp_path / "sklearn.npz", y_true=Y, y_prob=np.c_[1-P, P], sample_id=IDS)
    BASE.assign(y_true=pd.Categorical(words("No growth",
                                            "Growth"))).set_index("sample_id").to_parquet(tmp_path / "cat.parquet")
    for name in ("titled.xlsx", "comment.csv", "rows.json", "sklearn.npz", "cat.parquet"):
        p = read_predictions(tmp_path / name, tell=said.append)
        assert (p.y_true == Y).all() and (p.y_pred == C).all() and list(p.sample_id) == IDS, name
    assert "sheet 'Data', below 2 lines of title (not of 'Notes'" in said[0] and "below 1 line of title" in said[1]
    bad = [*ROWS[:3], ["w9", 1, "high"], *ROWS[4:]]
    workbook(tmp_path / "titled.xlsx", ("Data", [["Validation", None, None], [], *bad]))
    with pytest.raises(ValueError, match="'high' in row 6"): read_predictions(tmp_path / "titled.xlsx")
    for name, advice in {"a.pkl": "to_parquet", "a.xls": "save it as .xlsx", "a.npy": "np.savez"}.items():
        (tmp_path / name).write_bytes(b"x")
        with pytest.raises(ValueError, match=advice): read_predictions(tmp_path / name)


def test_what_can_only_be_suspected_is_said():
    said = []
    tell = said.append
    read_predictions(BASE.assign(y_prob=1-P), tell=tell)
    read_predictions(BASE.assign(y_prob=SURE), tell=tell)
    read_predictions(BASE.assign(y_true=[*Y[:-1], None]), tell=tell)
    assert "scores are lower for '1'" in said[0] and "no score lies below 0.5" in said[1] and "not judged: 1" in said[2]


@pytest.mark.parametrize("rows, low, truths, kind, said", [
    (20, .5, (0, 1), "prob", True), (19, .5, (0, 1), "prob", False), (20, .49, (0, 1), "prob", False),
    (20, .5, (0,), "prob", False), (20, .5, (1,), "prob", False), (20, .5, (0, -1), "prob", False),
    (20, .5, (0, 1), "score", False)])
def test_scores_of_the_predicted_class_are_suspected_of_twenty_rows_of_both_classes(rows, low, truths, kind, said):
    from mic_eval.core.columns import doubts
    s, y = np.linspace(low, .9, rows), np.resize(truths, rows)
    found = doubts(Predictions(np.arange(rows).astype(str), y, s, kind, classes=("no", "yes")))
    assert any("no score lies below 0.5" in o for o in found) == said


@pytest.mark.parametrize("each, worse, said", [(5, 1, True), (4, 1, False), (5, -1, False), (5, 0, False)])
def test_scores_the_wrong_way_round_are_suspected_of_five_rows_a_class(each, worse, said):
    from mic_eval.core.columns import doubts
    s = np.linspace(-.1, .1, each)
    p = Predictions(np.arange(2*each).astype(str), np.repeat([0, 1], each), np.r_[s+worse, s-worse], "score")
    assert any("is the right class positive" in o for o in doubts(p)) == said


@pytest.mark.parametrize("values, fits", [
    ([[0], [1]], {"prob"}), ([[0], [1.01]], {"percent"}), ([[0], [100]], {"percent"}), ([[0], [100.01]], set()),
    ([[-.01], [1]], set()), ([[-.01], [50]], set()), ([[.25, .75]], {"prob"}), ([[.25, .8]], set()),
    ([[25, 75.9]], {"percent"}), ([[25, 76.1]], set()), ([[-.5, 100.5]], set())])
def test_scores_are_offered_as_what_their_span_and_their_sums_allow(values, fits):
    from mic_eval.core.tables import _fitting_kinds
    offered = {option.split()[-1] for _, option in _fitting_kinds(np.array(values, float))}
    assert offered == fits | {"logit", "score"}


def test_tables_of_every_kind_find_their_columns_without_regard_to_case(tmp_path):
    from mic_eval.core.kinds import Answers, Maps, Pairs, Trials
    for cls, columns in ((Maps, {"Image": ["a"], "Label": [1], "Anomaly Score": [.5]}),
                         (Pairs, {"Reference ": [1.], "TEST": [2.]}),
                         (Answers, {"ID": ["q"], "Response": ["A"], "Reference": ["B"]}),
                         (Trials, {"Method": ["m"], "Values": ['{"acc": 1}']})):
        pd.DataFrame(columns).to_csv(tmp_path / "t.csv", index=False)
        assert len(cls.read(tmp_path / "t.csv").labelled) == 1


def test_cells_that_were_merged_belong_to_every_row(tmp_path):
    "Otherwise sixty rows of twenty isolates are sixty isolates, and intervals are too narrow in silence"
    from openpyxl import Workbook
    book = Workbook()
    for i, row in enumerate([["", "", "Model", "Facts"], ["Well", "Truth", "Probability", "Isolate"],
                             *([IDS[k], int(Y[k]), f"{P[k]}".replace(".", ","), f"I{k//4}" if k % 4 == 0 else None]
                               for k in range(40)), ["Total", None, "21,4", None], ["Read by AB on Monday"]], 1):
        book.active.append(row)
        if i > 2 and (i-3) % 4 == 0 and i < 43: book.active.merge_cells(f"D{i}:D{i+3}")
    book.save(tmp_path / "mine.xlsx")
    said = []
    p = read_predictions(tmp_path / "mine.xlsx", tell=said.append)
    assert (p.y_true == Y).all() and np.allclose(p.scores, P)
    assert p.facts.isolate.notna().all() and p.facts.isolate.nunique() == 10
    for words in ("merged cells filled down", "headings in two lines", "'Total', 'Read by AB on Mon"):
        assert words in said[0]


def test_what_stands_around_the_rows_is_no_row(tmp_path):
    text = BASE.assign(drug="AMI").to_csv(index=False)
    for foot in (",,,\n", "Total,,20.4,\n", "Mean,,.51,\n,,,\n", "% positive,50 %,,\n", "Read by AB on Monday,,,\n"):
        (tmp_path / "t.csv").write_text(text+foot)
        p = read_predictions(tmp_path / "t.csv")
        assert list(p.sample_id) == IDS and (p.y_true == Y).all(), foot
    odd = text.replace("\n", "\n,,,\n", 3).replace("w030,1", "w030,x").replace("w030,0", "w030,x")
    (tmp_path / "t.csv").write_text(odd)
    with pytest.raises(ValueError, match="'x' in row 35"): read_predictions(tmp_path / "t.csv")
    kept = BASE.rename(columns=dict(y_true="TRUTH (expert)", y_prob="Wahrscheinlichkeit"))
    assert (read_predictions(kept).y_pred == C).all() and (read_predictions(kept, y_true="truth").y_true == Y).all()
    for wrong in ("Thruth (expert)", "thruth"):
        with pytest.raises(ValueError, match="did you mean 'TRUTH"): read_predictions(kept, y_true=wrong)


def test_pairs_of_mics_say_what_they_doubt(tmp_path):
    from mic_eval.mic.findings import mic_findings, read_pairs
    from mic_eval.mic.pair_tables import understood_pairs
    def notes(text):
        (tmp_path / "m.csv").write_text("Study\n\n"+text)
        return "; ".join(map(str, understood_pairs(read_pairs(tmp_path / "m.csv"), "bmd", "new").notes))
    rows = "".join(f"{'I'+str(i//3) if i % 3 == 0 else ''},{d},{2**(i % 4)},{2**(i % 4)}\n" for i, d in
                   enumerate(["AMI", "MEM", "LEV"]*8))
    assert "empty in 16 of 24 rows" in notes("Isolate,Drug,BMD,New\n"+rows)
    assert "no column is taken for the isolate" in notes("Drug,BMD,New\n"+"AMI,1,1\nMEM,2,2\n")
    assert "1 MICs in 'New' stand between doubling steps (3)" in notes("Isolate,BMD,New\na,1,3\nb,2,2\n")
    for text, question in {"a,1,2-Jan": "'2-Jan' .row 4 of the file.; a spreadsheet turns",
                           "a,1,4 R": "a column of its own", 'a,1,"1,024"': "groups thousands, leave it out",
                           "a,1,-3.0": "log2 values"}.items():
        (tmp_path / "m.csv").write_text("Study\n\nIsolate,BMD,New\n"+text+"\nb,2,2\n")
        pairs = read_pairs(tmp_path / "m.csv")
        with pytest.raises(ValueError, match=question): mic_findings(pairs, "BMD", "New", by=())
    with pytest.raises(ValueError, match="compared with itself"): understood_pairs(pairs, "BMD", "bmd")


def test_pictures_of_twelve_bits_are_not_black():
    from mic_eval.mic.photograph import _all_bits
    a = np.linspace(0, 1, 9, dtype=np.float32)
    for share in (1, 4095/65535, 255/65535): assert abs(_all_bits(a*np.float32(share)).max()-1) < .01
    assert _all_bits(a/10).max() < .11
