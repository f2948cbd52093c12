"""Runs on tables that are no predictions: compared, ranked in a sweep, held against a baseline, by what their field
says."""
import json

import pytest
from typer.testing import CliRunner

from mic_eval.cli.app import app
from mic_eval.core.fields import register_field
from mic_eval.run.compare import compare, leaderboard
from mic_eval.run.evaluation import make_run
from mic_eval.tcm.demo import demo_table
from mic_eval.tcm.field import FIELD

register_field(FIELD)


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    "A model that knows much and one that knows little, on the same questions, as runs"
    place = tmp_path_factory.mktemp("two")
    made = {}
    for name, knows in ("good", .95), ("poor", .4):
        (place / name).mkdir()
        table = demo_table(place / name, knows=knows, unread=0.)
        table.rename(place / f"{name}.parquet")
        made[name] = make_run(predictions=place / f"{name}.parquet", field="tcm", out=place / "runs")
    return place, made


@pytest.mark.later
def test_compare(two):
    _, r = two
    c = compare(r["good"], r["poor"])
    pair = next(iter(c.pairs.values()))
    assert (c.on, c.verdict.status, c.field) == ("score", "superior", "tcm")
    assert pair.tests.score.p < .01 and pair.tests.score.p_holm >= pair.tests.score.p
    assert pair.tests.score.effect.lo > 0 and "score" in c.verdict.sentence.lower()
    assert [*leaderboard(r["poor"], r["good"]).leaderboard] == ["good", "poor"]
    with pytest.raises(ValueError, match="on must be score or .*: 'acuracy'"):
        compare(r["good"], r["poor"], on="acuracy")


@pytest.mark.full   # a report in a kernel; tests/test_compare.py makes its page from less
def test_the_report_of_a_comparison(two, tmp_path):
    place, r = two
    for lang, word in ("en", "Score"), ("zh", "得分"):
        done = CliRunner().invoke(app, ["compare", str(r["good"].folder), str(r["poor"].folder), "--out",
                                        str(tmp_path / lang), "--lang", lang])
        assert done.exit_code == 0, done.output
        page = next((tmp_path / lang).glob("*.html")).read_text(encoding="utf-8")
        assert word in page and "AUROC" not in page and "McNemar" not in page and "Traceback" not in page
    assert json.loads((tmp_path / "en" / "compare.json").read_text(encoding="utf-8"))["field"] == "tcm"


@pytest.mark.later
def test_gate(two):
    _, r = two
    arguments = ["gate", str(r["good"].folder), "--baseline", str(r["poor"].folder), "--report", "none"]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    found = json.loads((r["good"].folder / "gate.json").read_text(encoding="utf-8"))
    said = {o["check"]: o["status"] for o in found["outcomes"]}
    assert said["score not worse"] == said["files are whole"] == said["same results again"] == "pass"
    done = CliRunner().invoke(app, ["gate", str(r["poor"].folder), "--baseline", str(r["good"].folder), "--report",
                                    "none"])
    assert done.exit_code == 1 and "score not worse" in done.output


@pytest.mark.later
def test_sweep(two, tmp_path):
    place, _ = two
    (tmp_path / "models.yaml").write_text(
        f"- name: good\n  answers: {place}/good.parquet\n- name: poor\n  answers: {place}/poor.parquet\n")
    (tmp_path / "data.yaml").write_text("- name: exam\n")
    arguments = ["sweep", str(tmp_path / "models.yaml"), str(tmp_path / "data.yaml"), "--report", "none", "--jobs", "1"]
    done = CliRunner().invoke(app, [*arguments, "--out", str(tmp_path / "runs")])
    assert done.exit_code == 0, done.output
    assert "good leads by score" in done.output
