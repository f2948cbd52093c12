"""Whatever stands in the data, what is written can be read again, says the same, and makes nothing run: every
writer, parsed"""
import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from datetime import datetime

import numpy as np
import openpyxl
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mic_eval.core.results import (
    Curve, Failed, NotApplicable, Result, SCHEMA, Score, as_read_back, decoded_result, encoded_result, from_json,
    to_json)
from mic_eval.core.text import (harmless, latex_text, markdown_text, message, one_line, quiet, sheet, typst_text,
                                unharmed, visible, workbook)
from mic_eval.core.yaml import read_yaml
from every import every

HOSTILE = ["=1+1", "＝1+1", "+x", "-x", "@x", "\t=1", "\r=1", "MEM\u202e", "a\u200bb", "x\n::error::y", "\x1b[31mred",
           "a\x00b", "P$1_$2", "\\input{x}",
           "<script>", "]]>", "&amp;", "#read(\"/etc\")", "value", "lo", "hi", "type", "code", "n", "NA", "null",
           "nan", "007", "1e5", "'", '"', "a,b;c|d", "`x`", "[a](http://b)",
           "x"*300, "", " ", "\ufeff", "\u2028", "\U0001F9EB", "药敏", "%s{0}{x}", "..", "/", "con"]
texts = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=20))
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]")
few = settings(max_examples=25, deadline=None)
values = st.one_of(st.booleans(), st.none(), st.integers(-10**9, 10**9),
                   st.floats(allow_nan=False, allow_infinity=False), texts,
                   st.builds(lambda r: NotApplicable(r or "x"), texts),
                   st.builds(lambda k: Score(k/10, k/20, min(1, k/5), k=k, n=10, reason=""), st.integers(0, 10)))
results = st.recursive(values, lambda v: st.dictionaries(texts, v, max_size=4).map(Result),
                       max_leaves=12).filter(lambda v: isinstance(v, Result))


@few
@given(results)
def test_results_come_back(r):
    text = json.dumps(encoded_result(r), allow_nan=False)
    again = decoded_result(json.loads(text))
    assert encoded_result(again) == encoded_result(r) and repr(again) == repr(Result(r))
    assert encoded_result(from_json(to_json(Result(x=r)))["x"]) == encoded_result(r)


class Labelled(Score):
    "A score that says more of itself"
    def as_dict(self): return super().as_dict() | dict(label="own")


SAME_WORDS = [message("{n} groups", n=3), message("{n} groups", n="3"), message("3 groups"), "3 groups"]
ODD = Result(
    **{f"said_{i}": Score(.5, n=3, groups=2, reason=why, method=why) for i, why in enumerate(SAME_WORDS)},
    named=Result(value=Score(.5), lo=Score(.1), hi=Score(.9)), typed=Result(type="curve", n=3), at={3: Score(1.)},
    endless=Score(float("inf"), 0, float("inf"), k=float("inf"), n=2.5), unsure=Score(reason="no rows", n=0),
    narrow=Score(.5, .4, .6, k=5, n=10, method="wilson", level=np.float64(.9)), no_limits=Score(.5, level=.9),
    labelled=Labelled(.5, n=3), listed=[Score(.5), (1, 2.5)], empty=Result(), none=[],
    broke=Failed(message("no {x}", x=1)),
    curve=Curve(np.arange(2.), np.arange(2.), area=Score(.5, .4, .6)), table=pd.DataFrame(dict(a=[1., None])))


@few
@given(results)
def test_a_file_of_results_is_what_json_writes_of_their_plain_values(r):
    for o in (r, ODD, ODD | r):
        plain = {"schema": SCHEMA, **encoded_result(Result(x=o))}
        assert to_json(Result(x=o)) == json.dumps(plain, ensure_ascii=False, indent=1)+"\n"


def alike(a, b):
    "Whether two results are of the same kinds and values, to the last entry"
    if isinstance(a, dict): return type(a) is type(b) and [*a] == [*b] and all(alike(a[k], b[k]) for k in a)
    if isinstance(a, list): return type(a) is type(b) and len(a) == len(b) and all(map(alike, a, b))
    return type(a) is type(b) and repr(a) == repr(b) and encoded_result(a) == encoded_result(b) and all(
        str(getattr(a, k, None)) == str(getattr(b, k, None)) for k in Score.__slots__)


@few
@given(results)
def test_results_that_are_kept_are_those_that_would_be_read(r):
    for o in (r, ODD, ODD | r): assert alike(as_read_back(Result(x=o)), from_json(to_json(Result(x=o))))


def lines_of(table): return list(csv.reader(io.StringIO(sheet(table), newline="")))


@few
@given(st.lists(texts, min_size=1, max_size=5), texts)
def test_a_sheet_has_every_cell_and_no_formula(cells, head):
    rows = lines_of(pd.DataFrame({head: pd.Series(cells, dtype=object)}))
    assert len(rows) == len(cells)+1 or cells.count("")   # a line with one empty cell is an empty line to some readers
    for was, (now, *_) in zip([o for o in [head, *cells] if o], [o for o in rows if o and o[0]]):
        assert now.replace("'", "") == visible(was).replace("'", "").replace("\r\n", "\n") and not CONTROL.search(now)
        assert not dangerous(now)


@few
@given(st.dictionaries(texts, st.lists(texts, min_size=1, max_size=3), min_size=1, max_size=3))
def test_a_workbook_opens_without_formulas(tables):
    made = openpyxl.load_workbook(io.BytesIO(workbook({k: pd.DataFrame(dict(a=pd.Series(v, dtype=object)))
                                                       for k, v in tables.items()})))
    assert len(made.sheetnames) == len(tables)
    for page in made:
        assert not [c for row in page.iter_rows() for c in row if c.data_type == "f" or isinstance(c.value, str)
                    and CONTROL.search(c.value)]


@few
@given(texts)
def test_markdown_shows_the_text_and_nothing_else(text):
    from nbconvert.filters import markdown2html
    html = markdown2html(f"| a |\n|-|\n| {markdown_text(text)} |\n\nx {markdown_text(text)}")
    assert not re.search(r"<(script|a |img|em|strong|code|h\d|li)", html) and not CONTROL.search(html)


@few
@given(texts)
def test_latex_has_no_command_of_the_data(text):
    out = latex_text(text)
    plain = re.sub(r"\\text\w+\{\}|\$\\(leq|geq|times)\$|\\[&%$#_{}]", "", out)
    assert not set(plain) & set("\\&%$#_{}~^") and not CONTROL.search(out)


@few
@given(texts)
def test_a_string_of_typst_ends_where_it_should(text):
    out = typst_text(text)
    assert re.fullmatch(r'"(?:[^"\\]|\\["\\])*"', out) and json.loads(out) == one_line(text)


@few
@given(texts)
def test_lines_stay_lines(text):
    said = message("{model} is better", model=text)
    assert "\n" not in quiet(said) and not CONTROL.search(quiet(said)) and not CONTROL.search(one_line(text))
    assert "\n" not in one_line(text) and quiet(said).template == said.template


@few
@given(texts)
def test_yaml_reads_back_what_was_written(text):
    import yaml
    if CONTROL.search(text) or "\x85" in text: return   # those are refused, see test_promises
    assert read_yaml(yaml.safe_dump(dict(a=text), allow_unicode=True), "x.yml")[0] == dict(a=text)


@few
@given(texts, texts)
def test_junit_is_xml(name, why):
    from mic_eval.core.results import Result as R
    from mic_eval.gate.gate import gate_markdown, junit_xml
    from mic_eval.gate.smoke import Outcome
    o = R(vars(Outcome("fail", why or "x", suite="smoke", check="reads")))
    about = dict(model=R(name=one_line(name), hash="1"), data=R(name=one_line(name), hash="2"), settings=R())
    r = R(status="fail", exit_code=1, strict=False, sentence="Closed.", when=datetime(2026, 1, 1).isoformat(),
          run=R(about), baseline=None,
          profile=name, margin=.01, machine=R(cpu="x"), outcomes=[o])
    root = ET.fromstring(junit_xml(r))
    assert root.find(".//failure") is not None and not CONTROL.search(gate_markdown(r))


@every("name", HOSTILE)
def test_pages_show_names_as_they_are(name):
    from html.parser import HTMLParser
    from mic_eval.report.blocks import data_table
    seen, tags = [], []
    p = HTMLParser()
    p.handle_data, p.handle_starttag = seen.append, lambda tag, attrs: tags.append(tag)
    page = data_table([name or "x"], [[name]]).html
    p.feed(page)
    assert "script" not in tags and not CONTROL.search("".join(seen))


@every("name", [o for o in HOSTILE if o])
def test_harmless_is_stable(name):
    assert not CONTROL.search(harmless(name)) and harmless(name).replace("'", "") == visible(name).replace("'", "")


FORMULAS = [f"{before}{sign}{rest}" for before in ("", " ", "\t", "\r", "\n", "a;", "a; ", "a\t")
            for sign in "=+-@＝＋－＠" for rest in ("cmd|' /C calc'!A0", "HYPERLINK(\"http://x\",\"y\")", "1+1")]


def dangerous(cell):
    "Whether a spreadsheet takes a cell, or what stands behind a semicolon in it, for a formula"
    parts = re.split(r"[;\t\n]", cell)
    return any(re.match(r"\s*[=+\-@＝＋－＠]", o) and not re.fullmatch(r"\s*[-+?]*[\d.,]*(e[-+]?\d+)?\s?%?", o, re.I)
               for o in parts)


@pytest.mark.parametrize("form", [".csv", ".xlsx"])
def test_no_file_for_people_holds_a_formula(form, tmp_path):
    from mic_eval.core.files import write_table
    assert all(map(dangerous, FORMULAS))
    file = write_table(pd.DataFrame({o: [o, 1] for o in FORMULAS}), tmp_path/f"people{form}")
    if form == ".csv": cells = [o for row in csv.reader(io.StringIO(file.read_text())) for o in row]
    else: cells = [o for row in openpyxl.load_workbook(file).active.iter_rows(values_only=True) for o in row]
    assert len(cells) == 3*len(FORMULAS) and not [o for o in map(str, cells) if dangerous(o)]


@few
@given(texts)
def test_what_comes_back_is_what_was_meant(text):
    if visible(text) == text: assert unharmed(harmless(text)) == text


@pytest.mark.parametrize("number", ["-1.5", "+3", "-0,25", "1e-9", "-12 %", "--++", "?", -1.5, 0])
def test_numbers_stay_numbers(number): assert harmless(number) == number


def test_a_sheet_of_labels_comes_back_under_its_own_names(tmp_path):
    from mic_eval.noise.suspects import read_relabels, relabel_sheet
    names = ["=1+1", "-12a", "+b", "@c", "007", "'=d", "plain"]
    sent = relabel_sheet(pd.DataFrame(dict(sample_id=names)))
    back = tmp_path/"back.csv"
    rows = list(csv.DictReader(io.StringIO(sent)))
    back.write_text("sample_id,label\n"+"".join(f"{o['sample_id']},'-R\n" for o in rows), encoding="utf-8")
    assert read_relabels(back, ["-R", "S"]) == dict.fromkeys(names, 0)


@pytest.mark.full   # a kernel
def test_a_dollar_is_no_formula_in_a_figure(tmp_path):
    import nbformat
    from mic_eval.report.kernel import execute
    cells = ["label = ''", "import matplotlib.pyplot as plt\nax = plt.subplots()[1]\nax.set(title='P$1_$2', "
                           "xlabel=r'$\\frac{')\nax.figure.canvas.draw()"]
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    nb.cells[0].metadata["tags"] = ["parameters"]
    nbformat.write(nb, tmp_path/"figure.ipynb")
    assert execute(tmp_path/"figure.ipynb", {})[1] is None
