"""Lists of doubtful labels: four models against one, and how many of a list are wrong after some of it was read"""
import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import hypergeom

from mic_eval.noise import label_quality, noisy_labels, trial_data
from mic_eval.noise.suspects import joined_probabilities, unseen_probabilities, wrong_in_list
from mic_eval.metrics.roc_and_pr import average_precision


@pytest.mark.full
def test_four_models_rank_moved_labels_better_than_one():
    d = trial_data("wine")
    y = noisy_labels(d.y, .2, "pair", seed=0).labels
    off = (y != d.y).astype(int)
    one, four = (average_precision(off, -label_quality(y, p, "margin"))
                 for p in (unseen_probabilities(d.X, y), joined_probabilities(d.X, y)))
    assert four > one+.02 and np.allclose(joined_probabilities(d.X, y).sum(1), 1)


@pytest.mark.parametrize("changed, read, size", [(0, 10, 40), (12, 15, 40), (3, 3, 9), (5, 20, 20), (1, 2, 200)])
def test_limits_of_a_list_are_those_of_the_hypergeometric(changed, read, size):
    s = wrong_in_list(changed, read, size)
    can = [k for k in range(changed, size-read+changed+1)
           if min(hypergeom.sf(changed-1, size, k, read), hypergeom.cdf(changed, size, k, read)) > .025]
    assert (s.lo*size, s.hi*size) == pytest.approx((min(can), max(can)))
    assert s.lo <= s.k/s.n <= s.hi


def test_what_cannot_be_of_a_list_is_refused():
    with pytest.raises(ValueError, match="cannot be"): wrong_in_list(4, 3, 9)
    assert "nothing of the list" in wrong_in_list(0, 0, 9).reason


def test_the_adjusted_margin_by_hand():
    y, p = np.array([0, 0, 0, 0, 1, 1]), np.array([.1, .2, .3, .8, .9, .7])
    q = label_quality(y, p, "adjusted_margin")   # what is usual: .65 of class 0, .8 of class 1
    assert q[[3, 5]] == pytest.approx([(.2-.65-(.8-.8)+2)/4, (.7-.8-(.3-.65)+2)/4])
    alone = label_quality(np.zeros(3, int), np.array([[.5, .2, .3]]*3), "adjusted_margin")   # classes without a row
    assert np.isfinite(alone).all() and (alone > .5).all()


def test_noise_that_goes_one_way_fills_no_list_with_one_class():
    d = trial_data("heart")
    wrong = noisy_labels(d.y, .2, "minority", seed=0)
    prob = unseen_probabilities(d.X, wrong.labels)
    plain, adjusted = (average_precision(wrong.flipped.astype(int), -label_quality(wrong.labels, prob, k))
                       for k in ("margin", "adjusted_margin"))
    assert adjusted > plain+.1


@pytest.mark.later
def test_the_page_of_suspects_names_the_rows_and_holds_no_older_picture(tmp_path, monkeypatch):
    from mic_eval.noise.command import suspects_command
    monkeypatch.chdir(tmp_path)
    d = trial_data("wine")
    wrong = noisy_labels(d.y, .1, seed=0)
    table = pd.DataFrame(d.X, columns=[f"v{k}" for k in range(d.X.shape[1])])
    table.assign(sample_id=[f"w{i}" for i in range(len(table))], label=wrong.labels).to_csv("rows.csv", index=False)
    (tmp_path/"suspects").mkdir()
    for name in ("suspects", "relabel"): (tmp_path/f"suspects/{name}.png").write_bytes(b"of another call")
    suspects_command(data=Path("rows.csv"), k=5)
    rows, page = pd.read_csv("suspects/suspects.csv"), (tmp_path/"suspects/suspects.html").read_text()
    for r in rows.itertuples(): assert f"labelled {r.given}; likelier: {r.suggested}" in page and r.sample_id in page
    assert not list((tmp_path/"suspects").glob("*.png"))


@pytest.mark.later
def test_coloured_suspects_are_drawn_in_colour(tmp_path, monkeypatch):
    from PIL import Image
    from mic_eval.noise import command
    rng = np.random.default_rng(0)
    for k, name in enumerate(("red", "blue")):
        (tmp_path/f"pics/{name}").mkdir(parents=True)
        for i in range(6):
            a = np.zeros((12, 12, 3), np.uint8)
            a[..., 2*k] = rng.integers(150, 250, (12, 12))
            Image.fromarray(a).save(tmp_path/f"pics/{name}/{i}.png")
    drawn, draw = {}, command.suspect_gallery
    def kept(rows, images, *how):
        drawn.update(images)
        return draw(rows, images, *how)
    monkeypatch.setattr(command, "suspect_gallery", kept)
    monkeypatch.chdir(tmp_path)
    command.suspects_command(data=Path("pics"), k=4)
    assert {v.shape for v in drawn.values()} == {(12, 12, 3)} and (tmp_path/"suspects/suspects.png").is_file()
    assert all(v[..., 2 if "blue" in k else 0].min() >= 150 and v[..., 1].max() == 0 for k, v in drawn.items())


def test_codes_and_gaps_stand_in_columns_of_their_own():
    from mic_eval.noise.suspects import _apart
    X = np.array([[1, .5, 7, 0], [2, np.nan, 7, 1], [4, .25, 8, 0], [np.nan, 2.5, 7, 1]])
    made = _apart(X)
    assert made.shape == (4, 8)   # three levels and a gap; the column and its gap; two levels stay one column
    assert made[:, :4].tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    assert np.isnan(made[1, 4]) and made[:, 5].tolist() == [0, 1, 0, 0] and made[:, 6].tolist() == [7, 7, 8, 7]


@pytest.mark.later
def test_few_rows_of_a_class_have_joined_probabilities_too():
    rng = np.random.default_rng(0)
    for sizes in ((12, 2), (12, 3, 2), (9, 9)):
        y = np.repeat(np.arange(len(sizes)), sizes)
        with warnings.catch_warnings():
            warnings.simplefilter("error", FutureWarning)
            p = joined_probabilities(rng.normal(size=(len(y), 3))+y[:, None], y, folds=2)
        assert p.shape == (len(y), len(sizes)) and np.isfinite(p).all() and np.allclose(p.sum(1), 1)


def test_labels_of_one_class_are_no_place_to_search(tmp_path):
    from typer.testing import CliRunner
    from mic_eval.cli.app import app
    pd.DataFrame(dict(id=range(30), x=np.arange(30.)**2, label="a")).to_csv(tmp_path/"one.csv", index=False)
    done = CliRunner().invoke(app, ["noise", "suspects", "--data", str(tmp_path/"one.csv"), "--out", str(tmp_path/"s")])
    assert done.exit_code == 2 and "suspects need two classes, and every label is 'a'" in done.output


def cells(tmp_path):
    "A table of tumours of which some labels are wrong, and what is true"
    from sklearn.datasets import load_breast_cancer
    data = load_breast_cancer(as_frame=True)
    table = data.frame.drop(columns="target").iloc[:300]
    true = np.array(["malignant", "benign"])[data.target[:300]]
    wrong = np.random.default_rng(1).permutation(300)[:30]
    given = np.where(np.isin(np.arange(300), wrong), np.where(true == "benign", "malignant", "benign"), true)
    names = [f"p{i:03d}" for i in range(300)]
    table.assign(sample_id=names, label=given).to_csv(tmp_path/"cells.csv", index=False)
    return dict(zip(names, true)), dict(zip(names, given))


@pytest.mark.later
def test_a_review_sheet_goes_out_and_comes_back_and_the_next_list_has_learned(tmp_path, monkeypatch, capsys):
    from mic_eval.noise.command import suspects_command
    monkeypatch.chdir(tmp_path)
    (true, given), folder, sheet = cells(tmp_path), Path("suspects"), Path("suspects/relabel.csv")
    def asked(**how): suspects_command(data=Path("cells.csv"), k=20, out=folder, **how)
    def filled(first, spelled=str):
        frame = pd.read_csv(sheet, dtype=str)
        frame["label"] = [spelled(true[k]) if i < first else None for i, k in enumerate(frame.sample_id)]
        return frame
    asked()
    one, back = pd.read_csv(folder/"suspects.csv"), filled(8)
    back.to_csv(sheet, index=False)
    listed, wrong = set(back.sample_id), sum(true[k] != given[k] for k in back.sample_id)
    capsys.readouterr()
    asked(reviewed=sheet)
    said = capsys.readouterr()
    assert "it is relabel-1.csv now" in said.out+said.err
    pd.testing.assert_frame_equal(pd.read_csv(folder/"relabel-1.csv", dtype=str), back)   # nothing was written over
    two = pd.read_csv(folder/"suspects.csv")
    assert not set(back.sample_id[:8]) & set(two.sample_id) and two.sample_id.tolist() != one.sample_id.tolist()
    page = (folder/"suspects.html").read_text()
    n, k, low, high = map(int, re.search(r"Of these (\d+), about (\d+) are wrong \((\d+)-(\d+)\)", page).groups())
    assert n == len(listed) == 20 and low <= wrong <= high and k > 10
    filled(20).to_csv(sheet, index=False)   # the second sheet, read through: the first is still known
    asked(reviewed=sheet)
    three = set(pd.read_csv(folder/"suspects.csv").sample_id)
    assert not three & (set(back.sample_id[:8]) | set(two.sample_id))
    assert len((folder/"relabels.jsonl").read_text().splitlines()) == 28
    back.assign(label=back.label.str.upper()).to_excel("sent.xlsx", index=False)   # the same, another way
    suspects_command(data=Path("cells.csv"), k=20, out=Path("again"), reviewed=Path("sent.xlsx"))
    pd.testing.assert_frame_equal(pd.read_csv("again/suspects.csv"), two)


@pytest.mark.later
@pytest.mark.parametrize("lines, says", [
    ("p001,benign\np002,\np001,malignant", "line 4: 'p001' is labelled 'malignant', and 'benign' above it: say one"),
    ("p001,benign\nq1,\nq2,benign", "2 samples are not here, 'q1' first: is it the sheet of other data"),
    ("p001,yes", "line 2: label 'yes' is none of benign, malignant"), ("p001,1", "label '1' is none of"),
    (",benign", "line 2: no sample_id")])
def test_a_review_sheet_that_cannot_be_meant_is_named_and_changes_nothing(lines, says, tmp_path, monkeypatch):
    from mic_eval.noise.command import suspects_command
    monkeypatch.chdir(tmp_path)
    cells(tmp_path)
    Path("back.csv").write_text("sample_id,label\n"+lines+"\n")
    with pytest.raises(ValueError, match=says) as e:
        suspects_command(data=Path("cells.csv"), k=20, out=Path("s"), reviewed=Path("back.csv"))
    assert "\n" not in str(e.value) and not list(Path("s").iterdir())


def test_words_of_a_review_are_read_as_people_write_them(tmp_path):
    from mic_eval.noise import read_relabels
    back = tmp_path/"back.csv"
    back.write_text("sample_id;label\na;Growth \nb;未生长\nc;+\n;\nd;no_growth\ne;\na;growth\n", encoding="utf-8-sig")
    assert read_relabels(back, ["no growth", "growth"]) == dict(a=1, b=0, c=1, d=0)
    with pytest.raises(ValueError, match="no column 'label'; there is sample_id, reading"):
        back.write_text("sample_id,reading\na,growth\n")
        read_relabels(back, ["no growth", "growth"])
