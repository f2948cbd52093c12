"Stored outputs are compared with what a cell gives now: what is noticed, and what is let pass"
import base64
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent/"nbs"/"_site"))
import stored


def printed(text): return [dict(output_type="stream", name="stdout", text=text)]
def result(**data): return [dict(output_type="execute_result", data={k.replace("_", "/"): v for k, v in data.items()})]


@pytest.mark.parametrize("a, b", [
    ("0.912 (0.873-0.944), n=378", "0.913 (0.873-0.943), n=378"), ("5e-07", "6e-07"), ("−0.5", "-0.5"),
    ("0.0192121388338", "0.0192121404733"),
    ("written in 1.5 s", "written in 0.2 s"), ("runs/wellnet/demo/2e1b6b38", "runs/wellnet/demo/edbac956"),
    ("/var/tmpabcd1234/x.csv", "/private/tmpzyxw9876/x.csv"), ("<a object at 0x7f0011223344>", "<a object>")])
def test_the_last_digit_and_what_no_two_runs_share_may_differ(a, b):
    assert not stored.difference(printed(a), printed(b))
    assert not stored.difference(result(text_plain=a), result(text_plain=[b]))


@pytest.mark.parametrize("a, b", [
    ("0.912 (0.873-0.944), n=378", "0.915 (0.873-0.944), n=378"), ("n=378", "n=379"), ("3 of 8 pass", "8 of 3 pass"),
    ("5e-07", "5e-06"), ("0.0192121388338", "0.0192131404733"),
    ("1234567", "1234568"), ("0.5", "-0.5"), ("POT is not installed", "[2, 3, 4]"), ("fails", "passes"),
    ("drug A12", "drug A13"), ("[1, 2]", "[1, 2, 3]"), ("runs/wellnet/demo", "runs/wellnet/plates")])
def test_another_number_or_word_is_noticed(a, b):
    assert stored.difference(printed(a), printed(b)) and stored.difference(result(text_html=a), result(text_html=b))


def test_a_missing_output_and_another_kind_are_noticed():
    assert stored.difference(printed("a"), []) and stored.difference([], result(text_plain="a"))
    assert stored.difference(printed("a"), result(text_plain="a"))
    assert not stored.difference(printed("a\n")+printed("b"), printed("a\nb"))
    warned = [dict(output_type="stream", name="stderr", text="w")]
    assert not stored.difference(warned+printed("a"), printed("a")+warned) and stored.difference(warned, printed("w2"))


def drawn(move=0, **size):
    import matplotlib.pyplot as plt
    fig, ax = plt.subplots(figsize=(2, 2), **size)
    ax.plot([0, 1], [0, 1+move])
    ax.set_ylim(0, 2)
    f = io.BytesIO()
    fig.savefig(f)
    plt.close(fig)
    picture = base64.b64encode(f.getvalue()).decode()
    return [dict(output_type="display_data", data={"image/png": picture, "text/plain": "x"})]


def test_a_line_that_moves_is_another_picture():
    assert not stored.difference(drawn(), drawn(1e-6))
    assert stored.difference(drawn(), drawn(.1)) == stored.difference(drawn(), drawn(dpi=50)) == "another picture"


@pytest.mark.later
def test_a_page_that_says_otherwise_is_named_by_its_cell(tmp_path):
    def cell(id, source, outputs): return dict(cell_type="code", id=id, source=source, outputs=outputs, metadata={},
                                               execution_count=None)
    cells = [cell("right", "1+1", result(text_plain="2")), cell("stale", "1+1", result(text_plain="3")),
             cell("free", "#| varies\nimport os; os.getpid()", result(text_plain="1")),
             cell("quiet", "print(4);", printed("4\n"))]
    page = tmp_path/"page.ipynb"
    page.write_text(json.dumps(dict(cells=cells, metadata={}, nbformat=4, nbformat_minor=5)))
    code = "import sys, stored; from pathlib import Path; print(stored.run_page(Path(sys.argv[1]), []))"
    env = os.environ | dict(PYTHONPATH=str(Path(stored.__file__).parent))
    said = subprocess.check_output([sys.executable, "-c", code, page], text=True, cwd=tmp_path, env=env)
    assert "stale: '3' is stored, '2' comes now" in said and said.count(":") == 1 and said.startswith("(True")
