"""Sample reports for the site, one a field and language: `gallery.py FOLDER` writes what the shipped reports say of
their own examples."""
import sys
import tempfile
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


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in SAMPLES:
        for lang in ("en", "zh"): (folder / f"{name}.{lang}.html").write_text(sample(name, lang), encoding="utf-8")
