"""From pictures to a test set, and from the set to a run whose marked edge cases are judged."""
import numpy as np
import pandas as pd
import pytest
from PIL import Image
from typer.testing import CliRunner

from mic_eval.cli.app import app
from mic_eval.data.test_sets import designed_set, edge_kinds, opened_source
from mic_eval.data.wells import render_wells
from mic_eval.run.evaluation import make_run


def mic_eval(*typed): return CliRunner().invoke(app, [str(o) for o in typed])


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    "Sixty wells of six plates in a table; on every tenth two readers disagree"
    place = tmp_path_factory.mktemp("wells")
    wells = render_wells(60, size=40, seed=5)
    rows = []
    for i, (picture, grown) in enumerate(zip(np.asarray(wells.images), wells.growth)):
        Image.fromarray(picture).save(place/f"{i:02}.png")
        other = 1-grown if i % 10 == 0 else grown
        readers = dict(expert_1=int(grown), expert_2=int(other))
        rows.append(dict(path=f"{i:02}.png", growth=int(grown), plate=f"P{i//10}") | readers)
    pd.DataFrame(rows).to_csv(place/"wells.csv", index=False)
    return place/"wells.csv"


def test_wells_on_which_readers_disagree_are_marked(table):
    kinds = edge_kinds(opened_source(table))
    assert [i for i, k in enumerate(kinds) if "experts_disagree" in k] == list(range(0, 60, 10))


def test_the_same_seed_deals_the_same_and_whole_plates(table):
    a, b = (designed_set([table], seed=3).data.facts for _ in range(2))
    assert (a.split == b.split).all() and a.groupby("plate").split.nunique().max() == 1


@pytest.mark.later
def test_a_copy_with_another_name_cannot_stand_on_both_sides(tmp_path, table):
    facts = pd.read_csv(table)
    shaken = np.asarray(Image.open(table.parent/"00.png")).astype(int)
    shaken[0, 0] += 1 if shaken[0, 0] < 255 else -1                      # no longer the same bytes
    for p in facts.path: (tmp_path/p).write_bytes((table.parent/p).read_bytes())
    Image.fromarray(shaken.astype(np.uint8)).save(tmp_path/"other.png")
    more = dict(path="other.png", growth=int(facts.growth[0]), plate="elsewhere", expert_1=0, expert_2=0)
    pd.concat([facts, pd.DataFrame([more])]).to_csv(tmp_path/"wells.csv", index=False)
    for seed in range(4):
        f = designed_set([tmp_path/"wells.csv"], seed=seed).data.facts.set_index("path")
        assert f.split["other.png"] == f.split["00.png"]


@pytest.mark.later
def test_from_a_table_to_a_judged_edge_case(tmp_path, table):
    made = mic_eval("plan", "set", table, "--shares", "tune=0.4,test=0.6", "--out", tmp_path/"set")
    assert made.exit_code == 0, made.stderr
    assert "edge cases, experts_disagree" in made.stdout and mic_eval("check", tmp_path/"set").exit_code == 0
    written = pd.read_csv(tmp_path/"set"/"manifest.csv", dtype=str).fillna("")
    marked = written[(written.split == "test") & (written.edge_case != "")]
    suite = dict(title="Edges", layers=dict(robustness=dict(edge_cases={})))
    run = make_run("wellnet", tmp_path/"set", split="test", suite=suite, profile="mic-release", out=tmp_path/"runs")
    handled = run.result.edge_cases.edge_case_handling
    assert handled.n == len(marked) > 0 and set(run.result.edge_cases.by_kind) == set(marked.edge_case)
    judged = {c["metric"]: c["status"] for c in run.result.verdict.criteria}
    assert judged["edge_case_handling"] not in ("not evaluated", "not applicable")
    (tmp_path/"set"/"pictures"/"000003.png").unlink()
    assert mic_eval("check", tmp_path/"set").exit_code == 2
