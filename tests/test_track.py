"Sending runs to trackers: what goes over, what is refused, and real ones (a local MLflow, W&B offline) under --full."
import json
import math
import struct
import sys

import pytest

from mic_eval.core.results import Result, Score
from mic_eval.cli.app import app
from mic_eval.run.store import save_run
from mic_eval.report.trackers import TRACKERS, track, tracker_metrics, tracker_name, upload_of

HOSTILE = "../../etc/<b>=1+1|`x`\n"
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@pytest.fixture
def run(tmp_path):
    (tmp_path / "run").mkdir()
    group = Result(sensitivity=Score(.9, .6, .98, k=9, n=10))
    r = save_run(tmp_path / "run", Result(
        model=Result(name="reader", hash="1f" * 32), data=Result(name=HOSTILE), settings=Result(by=["plate"]),
        wells=Result(overall=Result(sensitivity=Score(.9, .6, .98, k=9, n=10),
                                    roc_auc=Score(math.nan, reason="one class")),
                     by=Result(drug=Result({HOSTILE: group}))),
        verdict=Result(status="insufficient n", profile="mic-release",
                       counts=Result({"pass": 3, "insufficient n": 1}))), about=dict(identity="ab" * 32))
    (r.folder / "technical.html").write_text("<p>report</p>")
    cell = dict(cell_type="code", source=['#| fig-cap: "A: ROC"\n', "plot()"],
                outputs=[dict(data={"image/png": PIXEL})])
    (r.folder / "technical.ipynb").write_text(json.dumps(dict(cells=[cell, dict(cell_type="markdown", source="x")])))
    (r.folder / "clinical.failed.ipynb").write_text(json.dumps(dict(cells=[cell])))
    return r


def test_an_upload_holds_value_limits_counts_and_the_reason(run):
    u = upload_of(run)
    assert {k: v for k, v in u.metrics.items() if "sens" in k} == {f"wells/overall/sensitivity{e}": v
                                                                   for e, v in {"": .9, ".lo": .6, ".hi": .98,
                                                                       ".k": 9, ".n": 10}.items()}
    assert u.metrics["verdict/insufficient_n"] == 1 and not any("roc_auc" in k for k in u.metrics)
    assert u.tables["scores"].set_index("metric").reason["roc_auc"] == "one class" and len(u.tables["scores"]) == 3
    assert [p.name for p in u.files] == ["results.json", "run.json", "technical.html"]
    assert [(f.caption, f.png[:4]) for f in u.figures] == [("A: ROC", b"\x89PNG")]


def test_predictions_go_only_when_asked(run):
    (run.folder / "predictions.parquet").write_bytes(b"x")
    assert "predictions.parquet" not in [p.name for p in upload_of(run).files]
    assert "predictions.parquet" in [p.name for p in upload_of(run, predictions=True).files]


@pytest.mark.parametrize("path, name", [(("wells", "overall"), "wells/overall"), ((HOSTILE,), "etc-b-1-1-x"),
                                        (("药",), "unnamed"), (("x" * 200,), "x" * 80), (("..", "a"), "unnamed/a")])
def test_names_are_plain(path, name): assert tracker_name(path) == name


def test_sending_changes_nothing_in_the_run(run, monkeypatch):
    before = {p: p.read_bytes() for p in run.folder.iterdir()}
    monkeypatch.setitem(TRACKERS, "spare", lambda upload, where, project: "there")
    assert track(run.folder, "spare") == "there"
    assert {p: p.read_bytes() for p in run.folder.iterdir()} == before


def test_refusals_are_one_line(run, monkeypatch):
    def refuses(upload, where, project): raise ConnectionError("no route\nto host")
    monkeypatch.setitem(TRACKERS, "spare", refuses)
    for to, said in dict(mlfow="did you mean 'mlflow'", spare="no route to host; it is kept in").items():
        with pytest.raises(ValueError, match=said) as e: track(run, to)
        assert "\n" not in str(e.value)
    with pytest.raises(ValueError, match="no run in"): track(run.folder.parent / "none")
    for package in ("mlflow", "wandb"):
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(ValueError, match=r"needs the package .*pip install 'mic-eval\[track\]'"):
            track(run, package)


def test_the_command(run, monkeypatch):
    from typer.testing import CliRunner
    monkeypatch.setitem(TRACKERS, "spare", lambda upload, where, project: f"{project} at {where}")
    r = CliRunner().invoke(app, ["track", str(run.folder), "--to", "spare", "--where", "here", "--project", "p"])
    assert (r.exit_code, r.output.strip()) == (0, "p at here")
    assert CliRunner().invoke(app, ["track", str(run.folder), "--to", "nobody"]).exit_code == 2


@pytest.mark.full
def test_a_real_mlflow_with_sqlite(run, tmp_path):
    mlflow = pytest.importorskip("mlflow")
    pytest.importorskip("alembic")
    (tmp_path / "db").mkdir()
    where = f"sqlite:///{tmp_path}/db/runs.db"
    first, second = (track(run, "mlflow", where=where, project="wells") for _ in range(2))
    assert first == second
    client = mlflow.MlflowClient(where)
    found = client.search_runs([client.get_experiment_by_name("wells").experiment_id])
    assert len(found) == 1 and found[0].info.status == "FINISHED" and found[0].info.run_name == upload_of(run).name
    assert found[0].data.metrics == pytest.approx(tracker_metrics(run.result))
    assert found[0].data.tags["mic_eval.verdict"] == "insufficient n" and found[0].data.params["settings.by"] == "plate"
    id = found[0].info.run_id
    names = {p.path for d in ("", "tables", "figures") for p in client.list_artifacts(id, d)}
    assert {"results.json", "run.json", "technical.html", "tables/scores.csv", "figures/technical-1.png"} <= names
    assert (tmp_path / "db" / "mlartifacts").is_dir() and not (run.folder / "mlruns").exists()


def logged(path):
    "The records of a W&B file: a log of 32 KiB blocks, each record with checksum, length and place"
    data, at, whole = path.read_bytes(), 7, b""
    while at + 7 <= len(data):
        if 32768 - at % 32768 < 7: at += 32768 - at % 32768; continue
        _, n, place = struct.unpack("<IHB", data[at:at + 7])
        whole, at = whole + data[at + 7:at + 7 + n], at + 7 + n
        if place in (1, 4): yield whole; whole = b""


@pytest.mark.full
def test_a_real_wandb_offline(run):
    pytest.importorskip("wandb")
    from wandb.proto import wandb_internal_pb2 as proto
    said = track(run, "wandb", where="offline", project="wells")
    assert str(run.folder) in said and "wandb sync" in said
    file, = (run.folder / "wandb").glob("offline-run-*/run-*.wandb")
    summary, history, artifacts = {}, {}, []
    for raw in logged(file):
        r = proto.Record.FromString(raw)
        for items, out in ((r.summary.update, summary), (r.history.item, history)):
            out.update({i.key or "/".join(i.nested_key): json.loads(i.value_json) for i in items})
        # the files of the run
        if r.WhichOneof("record_type") == "artifact": artifacts += [e.path for e in r.artifact.manifest.contents]
    flat = {k: v for k, v in summary.items() if isinstance(v, (int, float))}
    assert {k: flat.get(k) for k in tracker_metrics(run.result)} == pytest.approx(tracker_metrics(run.result))
    assert history["tables/scores/nrows"] == 3
    assert history["figures/technical-1/_type"] == "image-file" and history["reports/technical/_type"] == "html-file"
    assert {"results.json", "run.json", "technical.html"} <= set(artifacts)
    names = {p.name for p in file.parent.rglob("*")}
    assert not names & {"requirements.txt", "wandb-metadata.json", "output.log"}
