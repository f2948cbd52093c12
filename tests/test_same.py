"The net of `make same` agrees with itself, and sees one number that moved by its last bit"
import math

import same
from mic_eval.metrics import accuracy
from same_rows import Rows


def answers(f, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(same, "called", lambda room, name: f)
        rows = {(n, False): Rows(n, same.called) for n in (40, 3)}
        return same.calls_of("metrics", "accuracy", rows)[0]


def test_a_number_that_moved_by_its_last_bit_is_seen(monkeypatch, tmp_path):
    def moved(y_true, y_pred, *, groups=None): return math.nextafter(float(accuracy(y_true, y_pred, groups=groups)), 2)
    def stayed(y_true, y_pred, *, groups=None): return float(accuracy(y_true, y_pred, groups=groups))
    for name, f in dict(a=stayed, b=stayed, c=moved).items(): same.written(answers(f, monkeypatch), tmp_path/name)
    a, b, c = (same.read(tmp_path/name) for name in "abc")
    assert len(a) > 4 and not list(same.difference(a, b))
    assert "classes" in list(same.difference(a, c)) and "parameters" not in list(same.difference(a, c))


def test_texts_keep_what_they_say_and_not_where_or_when():
    assert same.plain("mic_eval.metrics.delong:delong_test, 2026-01-02 10:11, 0.25 s") == ":delong_test, WHEN, TIME s"
    assert same.plain("0.5 (0.4-0.6), n=12") == "0.5 (0.4-0.6), n=12"
    text = "two\nlines\tand \\n"
    assert dict(same.parts(dict(a=text)))[""] == '{"a": "two\\nlines\\tand \\\\n"}'


def test_a_file_gives_back_its_items(tmp_path):
    items = {"a": "two\nlines", "b": "a \\n that is none\r", "c": "one\ttab"}
    same.written(items.items(), tmp_path/"f")
    assert same.read(tmp_path/"f") == items
