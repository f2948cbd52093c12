"""Small files that ask for much are refused in a line that names the file, in little memory and time"""
import json
import os
import subprocess
import sys
from pathlib import Path

import bombs
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mic_eval.cli.app import app
from mic_eval.core.files import OverBudget, budget, current_budget, within_budget
from mic_eval.core.readers import read_table
from mic_eval.core.sheets import check_workbook
from typer.testing import CliRunner

MOST_MB, MOST_SECONDS = 512, 5


def refused(*how):
    done = subprocess.run([sys.executable, str(Path(__file__).parent/"bombs.py"), *how], capture_output=True, text=True,
                          env=os.environ | dict(OMP_NUM_THREADS="1"))
    assert not done.returncode, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def wrong(rows):
    return [r for r in rows if r["mb"] > MOST_MB or r["s"] > MOST_SECONDS or "\n" in r["said"]
            or not r["said"].startswith(("ValueError: ", "OverBudget: ", "UnreadFile: "))]


needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="asks /proc for memory")


@pytest.mark.full
@needs_linux
def test_what_is_made_quickly_is_refused_quickly():
    rows = refused("quick")
    assert len(rows) >= 30 and not wrong(rows)


@needs_linux
@pytest.mark.full   # a quarter of a minute to make
def test_every_bomb_is_refused():
    assert not wrong(refused())


def test_the_budget_is_raised_by_what_the_line_says(tmp_path, monkeypatch):
    monkeypatch.delenv("MIC_EVAL_BUDGET", raising=False)
    wide = tmp_path/"wide.csv"
    wide.write_text(",".join(f"c{i}" for i in range(40))+"\n"+",".join(["1"]*40)+"\n")
    with budget(columns=39):
        with pytest.raises(ValueError, match="wide.csv .* 40 columns, and 39 are allowed; .* --budget columns=40"):
            read_table(wide)
        with budget(columns=40): assert read_table(wide).frame.shape == (1, 40)
        assert current_budget().columns == 39
    assert read_table(wide).frame.shape == (1, 40) and "MIC_EVAL_BUDGET" not in os.environ
    with pytest.raises(OverBudget, match="4 GB unpacked, and 256 MB are allowed"): within_budget("unpacked", 4e9)
    within_budget("unpacked", 4e9, size=200_000_001)


def test_a_parquet_file_with_one_name_twice_is_refused(tmp_path):
    pq.write_table(pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]), tmp_path/"t.parquet")
    with pytest.raises(ValueError, match="t.parquet .* column 'a' stands twice"): read_table(tmp_path/"t.parquet")


@pytest.mark.later
@pytest.mark.parametrize("prefix", ["", "x:"])
def test_a_large_sheet_costs_the_same_with_a_prefix(prefix):
    "What writes `<x:row>` for `<row>` holds cells all the same, and rules cost more than cells either way"
    cells = f'<{prefix}row r="1"><{prefix}c r="A1"><{prefix}v>1</{prefix}v></{prefix}c></{prefix}row>'.encode()
    rules = f'<{prefix}cfRule priority="1"/>'.encode()
    sheet = lambda held: bombs.zipped([("xl/worksheets/sheet1.xml", f"<{prefix}worksheet>".encode()+held)])
    check_workbook(sheet(cells*100_000))
    with pytest.raises(OverBudget, match="cells"): check_workbook(sheet(rules*400_000))


def test_the_option_stands_anywhere_and_is_checked(tmp_path, monkeypatch):
    monkeypatch.setenv("MIC_EVAL_BUDGET", "")
    table = tmp_path/"rows.csv"
    table.write_text("sample_id,y_true,y_prob\n1,0,.1\n2,1,.9\n")
    said = lambda *line: CliRunner().invoke(app, [*map(str, line)])
    assert "--budget columns=3" in said("check", table, "--budget", "columns=2").stderr
    odd = said("--budget", "colums=2", "check", table)
    assert odd.exit_code == 2 and "did you mean 'columns'?" in odd.stderr
