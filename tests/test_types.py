"What an editor and `mypy --strict` know of the names that a stranger types"
import ast
import os
import subprocess
import sys

import pytest
from conftest import root

USES = """
from mic_eval import read_predictions
from mic_eval.metrics import accuracy, icc, roc_curve

reveal_type(accuracy([1, 0], [1, 0]))
reveal_type(accuracy([1, 0], [1, 0]).lo)
reveal_type(roc_curve([1, 0], [.9, .1], pos_label=1))
icc([[1, 2], [2, 2]], modle="consistency")
read_predictions()
"""


def public():
    "Each public name with its room"
    for stub in sorted((root/"mic_eval").rglob("__init__.pyi")):
        room = ".".join(stub.relative_to(root).parent.parts)
        for o in ast.parse(stub.read_text(encoding="utf-8")).body:
            if isinstance(o, ast.ImportFrom): yield from ((room, a.asname or a.name) for a in o.names)


def strict(folder, text):
    "Lines that `mypy --strict` says of a program, and how it ends"
    (folder/"uses.py").write_text(text, encoding="utf-8")
    env = os.environ | {"MYPYPATH": str(root)}
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "uses.py"], cwd=folder,
                          env=env, capture_output=True, text=True)
    return done.stdout.splitlines(), done.returncode


@pytest.mark.full
def test_every_public_name_has_a_type(tmp_path):
    names = list(public())
    assert len(names) > 700
    imports = [f"from {room} import {name} as n{i}" for i, (room, name) in enumerate(names)]
    lines, code = strict(tmp_path, "\n".join(imports+[f"reveal_type(n{i})" for i in range(len(names))]))
    shown = [line for line in lines if "Revealed type" in line]
    assert code == 0 and len(shown) == len(names), [line for line in lines if "error:" in line]
    assert not [names[i] for i, line in enumerate(shown) if line.endswith('type is "Any"')]


@pytest.mark.full
def test_a_strict_program_knows_results_and_wrong_options(tmp_path):
    lines, code = strict(tmp_path, USES)
    shown = [line.split('"')[1] for line in lines if "Revealed type" in line]
    assert shown[0].endswith(".Score") and shown[1] == "float" and shown[2].endswith(".Curve")
    errors = [line.split(": error: ")[1] for line in lines if ": error: " in line]
    assert len(errors) == 2 and code == 1
    assert "modle" in errors[0] and "source" in errors[1]
