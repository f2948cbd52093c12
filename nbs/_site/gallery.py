"""Sample reports for the site, one a field and language: `gallery.py FOLDER` writes what the shipped reports say of
their own examples."""
import re
import sys
import tempfile
from html import unescape
from pathlib import Path

import nbformat

from mic_eval.report.render import field_of_report, find_report, in_words, to_html, without_empty_sections
from mic_eval.report.kernel import clean_traces, execute
from mic_eval.report.words import speaking

SAMPLES = "technical", "clinical", "anomaly", "domain", "label_noise", "tcm"


def executed(name, lang):
    "The notebook of a report on its own example: English as it is stored, another language run again"
    if lang == "en": return nbformat.read(find_report(name), 4)
    with tempfile.TemporaryDirectory() as empty:
        nb, error = execute(find_report(name), dict(lang=lang), empty)
        if error: raise error
        clean_traces(nb, Path(empty))
    return nb


def sample(name, lang):
    "One report as a page"
    with speaking(lang, field_of_report(name)):
        return to_html(in_words(without_empty_sections(executed(name, lang)), lang), name.replace("_", " "), lang)


NO_SENTENCES = {
    "The correct answer is", "first and last",   # what a model of the example says: data
    "judge or judge"}                            # names: no column 'to_judge or judge_points'


def english_sentences(page):
    "Runs of words of an English sentence in what a page shows and says to a screen reader"
    page = re.sub(r"(?s)<(script|style|pre|code|annotation)\b.*?</\1>|<!--.*?-->", " ", page)
    said = re.findall(r'\s(?:alt|title|aria-label|placeholder)="([^"]*)"', page)
    shown = re.findall(r">([^<>]+)<", page)
    words = r"[A-Za-z][A-Za-z'-]*(?:[ ,;:]+[a-z][a-z'-]+){2,}"   # names and codes begin with capitals
    command = r"mic-eval(?: [a-z]+){1,2}"                        # what to type is no sentence
    left = rf"{command}|et al\b"                                 # and a citation neither
    found = {o for text in [*said, *shown] for o in re.findall(words, re.sub(left, ",", unescape(text)))}
    return found - NO_SENTENCES


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in SAMPLES:
        for lang in ("en", "zh"): (folder / f"{name}.{lang}.html").write_text(sample(name, lang), encoding="utf-8")
