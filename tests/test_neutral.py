"A table of another trade: a report in its own words, in both languages, without one word about wells."
import re

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup

from mic_eval.report.exports import export_report
from mic_eval.report.render import report
from mic_eval.report.words import font_of, speak
from mic_eval.run.evaluation import make_run

FOREIGN = (r"\bwells?\b", r"\bgrowth\b", r"\bplates?\b", r"\bMICs?\b", r"\bisolates?\b", r"\bdrugs?\b",
           "孔", "生长", "板", "分离株", "药物")


def loans(classes, n=240):
    "Predictions of a bank, a column a class"
    rng, k = np.random.default_rng(0), len(classes)
    y = rng.choice(k, n, p=np.arange(k, 0, -1)/sum(range(k+1)))
    z = np.eye(k)[y]*1.6 + rng.normal(0, 1, (n, k))
    p = np.exp(z)/np.exp(z).sum(1, keepdims=True)
    name = np.array(classes)
    t = dict(sample_id=[f"loan{i:03d}" for i in range(n)], y_true=name[y], y_pred=name[p.argmax(1)],
             branch=rng.choice(["North", "South"], n))
    return pd.DataFrame(t | {f"prob_{c}": p[:, i] for i, c in enumerate(classes)})


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    place = tmp_path_factory.mktemp("bank")
    loans(["low", "middle", "high"]).to_csv(place / "loans.csv", index=False)
    return make_run(predictions=place / "loans.csv", by=("branch",), out=place / "runs")


def pages(run):
    try: font_of("zh")
    except ValueError: languages = ["en"]
    else: languages = ["en", "zh"]
    for name, lang in [("technical", o) for o in languages] + [("detailed", languages[-1])]:
        yield report(run, name, **dict(lang=lang) if lang != "en" else {})
    speak("en")


@pytest.fixture(scope="module")
def written(run): return {p.name: p.read_text(encoding="utf-8") for p in pages(run)}


@pytest.mark.full
def test_not_one_word_of_another_field(written):
    for name, html in written.items():
        text = re.sub(r"base64,[A-Za-z0-9+/=]+", "", html)
        for word in FOREIGN:
            assert not re.search(word, text, re.I if "MIC" not in word else 0), (name, word,
                re.search(f".{{60}}{word}.{{30}}", text, re.I))


@pytest.mark.full
def test_every_class_and_both_averages_stand_in_the_page(run, written):
    page = BeautifulSoup(written["technical.html"], "html.parser")
    text = page.get_text(" ")
    assert all(c in text for c in ("low", "middle", "high", "Macro average", "Weighted average", "By branch",
                                   "no limits were set"))
    part = run.result["items"]
    for c in ("low", "middle", "high"): assert f"{part.per_class.classes[c].f1:.3f}" in text
    assert f"{part.per_class.averages.weighted.f1:.3f}" in text
    assert "Confusion table of truth and calls" in {i["alt"] for i in page.find_all("img")}


@pytest.mark.full
def test_chinese_is_chinese(written):
    if "technical.zh.html" not in written:
        pytest.skip("needs a font with Chinese letters: apt-get install fonts-noto-cjk")
    page = BeautifulSoup(written["technical.zh.html"], "html.parser")
    assert "宏平均" in page.get_text() and "未设定限值" in page.get_text()
    for typed in page.select("code, pre"): typed.decompose()   # commands are typed as they are
    for cell in page.select("th, td"):
        if cell.get_text() in ("low", "middle", "high"): cell.decompose()   # and classes have the names that they have
    assert not re.findall(r"[A-Za-z]{3,} [a-z]{3,}", page.get_text(" ", strip=True))


@pytest.mark.later
def test_what_was_edited_says_so_first(run, tmp_path):
    import shutil
    from mic_eval.run.store import open_run
    shutil.copytree(run.folder, tmp_path / "run")
    text = (tmp_path / "run" / "results.json").read_text(encoding="utf-8")
    (tmp_path / "run" / "results.json").write_text(text.replace('"seed": 0', '"seed": 1'), encoding="utf-8")
    edited = open_run(tmp_path / "run")
    assert edited.changed()
    page = BeautifulSoup(report(edited, "executive").read_text(encoding="utf-8"), "html.parser")
    assert "Changed since it was written" in page.select("div.verdict")[0].get_text()
    assert "results.json" in page.select("div.verdict")[0].get_text()
    csv, tex = (p.read_text(encoding="utf-8") for p in export_report(edited, ("csv", "tex")))
    assert "results.json" in csv.splitlines()[1] and tex.startswith("% Changed since it was written")
    from mic_eval.report.cards import model_card
    from mic_eval.report.trackers import upload_of
    assert "Changed since it was written" in model_card(edited).splitlines()[2]
    assert "results.json" in upload_of(edited).tags["changed"]


@pytest.mark.later
def test_hidden_characters_are_shown(tmp_path):
    t = loans(["no", "yes"], 60).assign(branch=["MEM\u202e5.2", "A\u200bB"]*30)
    t.to_csv(tmp_path / "t.csv", index=False)
    r = make_run(predictions=tmp_path / "t.csv", by=("branch",), out=tmp_path / "runs")
    html = report(r, "detailed").read_text(encoding="utf-8")
    assert "\u202e" not in html and "\u200b" not in html and "&lt;U+202E&gt;" in html
