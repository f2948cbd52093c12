"What adds up must say what the rows say: files, sites, Dask"
import json
import sys

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import mic_eval.metrics as M
from mic_eval.metrics.shards import SiteStatistic, pooled_result, shard_statistic, site_from_json, site_to_json
from mic_eval.cli.app import app

r = np.random.default_rng(0)
PROB = np.round(r.beta(.7, .7, 900), 3)
GREW = (r.random(900) < PROB)*1
WARD = np.array([f"w{i}" for i in r.integers(0, 30, 900)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    d = tmp_path_factory.mktemp("shards")
    for i, rows in enumerate(np.array_split(r.permutation(900), 4)):
        pd.DataFrame(dict(y_true=GREW[rows], y_prob=PROB[rows], ward=WARD[rows])).to_parquet(d/f"{i}.parquet")
    return d


def test_shards_say_what_the_rows_say(folder):
    called = (PROB >= .5)*1
    for groups, g in ((None, None), ("ward", WARD)):
        out = M.evaluate(str(folder/"*.parquet"), scale="one by one", groups=groups).overall
        for m in (M.accuracy, M.sensitivity, M.ppv, M.f1, M.mcc, M.balanced_accuracy):
            s = m(GREW, called, groups=g)
            assert np.allclose([out[m.name], out[m.name].lo, out[m.name].hi], [s, s.lo, s.hi]) and out[m.name].n == s.n
        for m in (M.roc_auc, M.brier, M.log_loss, M.ece):
            assert float(out[m.name]) == pytest.approx(float(m(GREW, PROB)))
        if groups:
            for m in (M.brier, M.log_loss, M.ece):
                want = m(GREW, PROB, groups=WARD)
                assert np.allclose([out[m.name].lo, out[m.name].hi], [want.lo, want.hi])
                assert out[m.name].groups == want.groups
    plain = M.evaluate_shards(folder).overall
    for m in (M.roc_auc, M.brier, M.ece): assert plain[m.name].lo == pytest.approx(m(GREW, PROB).lo)
    by_batch = shard_statistic(folder/"0.parquet", batch=37, groups="ward")
    assert site_to_json(by_batch)
    assert by_batch.table.m.tolist() == shard_statistic(folder/"0.parquet", groups="ward").table.m.tolist()


@pytest.mark.full
def test_dask_gives_the_same(folder):
    pytest.importorskip("dask")
    import dask
    with dask.config.set(scheduler="sync"):
        assert repr(M.evaluate(folder, scale="dask", groups="ward")) == repr(M.evaluate_shards(folder, groups="ward"))


def test_what_does_not_add_is_refused(folder, monkeypatch):
    a = SiteStatistic.of(GREW, PROB)
    for b, words in ((SiteStatistic.of(GREW, PROB, threshold=.7), "different thresholds"),
                     (SiteStatistic.of(GREW, PROB, groups=WARD), "groups")):
        with pytest.raises(ValueError, match=words): a+b
    with pytest.raises(ValueError, match="no column 'plate'"): M.evaluate_shards(folder, groups="plate")
    with pytest.raises(ValueError, match="no Parquet files"): M.evaluate_shards(str(folder/"*.nothing"))
    monkeypatch.setitem(sys.modules, "dask", None)
    with pytest.raises(ValueError, match="needs Dask"): M.evaluate_shards(folder, scale="dask")
    odd = json.loads(site_to_json(a))
    odd["table"][0][0] += 1
    there = SiteStatistic.of(GREW, PROB, groups=WARD)
    back = site_from_json(site_to_json(there))
    assert repr(pooled_result(back).overall) == repr(pooled_result(there).overall)
    assert "jackknife" in pooled_result(back).overall.brier.method
    assert pooled_result(back).overall.ece.method == M.ece(GREW, PROB, groups=WARD).method
    with pytest.raises(ValueError, match="do not add up"): site_from_json(json.dumps(odd))


def test_sites_are_pooled(tmp_path):
    rows = pd.DataFrame(dict(sample_id=[f"s{i}" for i in range(900)], y_true=GREW, y_prob=PROB, ward=WARD))
    for name, part in (("a", rows[:300]), ("b", rows[300:]), ("all", rows)):
        part.to_csv(tmp_path/f"{name}.csv", index=False)
    run = lambda *words: CliRunner().invoke(app, ["pool", *map(str, words)])
    for name in "ab":
        assert "note before sending" in run(tmp_path/f"{name}.csv", "--groups", "ward", "--save",
                                            tmp_path/f"{name}.json").stdout
    one, two = run(tmp_path/"a.json", tmp_path/"b.json"), run(tmp_path/"all.csv", "--groups", "ward")
    def lines(o):
        return [line for line in o.stdout.splitlines()[1:] if not line.strip().startswith(("AUROC ", "Average"))]
    assert one.exit_code == 0 and lines(one) == lines(two) and len(lines(one)) == 11
    assert "an interval over groups needs the scores of each" in one.stdout     # which no site sends
    whole = M.roc_auc(GREW, PROB, groups=WARD)
    assert f"AUROC                    {whole:.3f} ({whole.lo:.3f}-{whole.hi:.3f}), n=900" in two.stdout
    (tmp_path/"bad.json").write_text("{}")
    bad = run(tmp_path/"bad.json")
    assert bad.exit_code and "bad.json" in str(bad.exception)+bad.output


def test_what_does_not_add_up_is_not_added_up(tmp_path):
    rows = pd.DataFrame(dict(sample_id=[f"s{i}" for i in range(900)], y_true=np.where(GREW, "growth", "clear"),
                             y_prob=PROB))
    def put(name, t): t.to_csv(tmp_path/f"{name}.csv", index=False)
    def said(*words):
        got = CliRunner().invoke(app, ["pool", *[str(tmp_path/w) if w.endswith(("csv", "json")) else w for w in words]])
        return got.exit_code, got.output+str(got.exception)
    one, two = rows[:400], rows[400:]
    put("one", one)
    put("copy", one)
    put("called", two.assign(y_pred=np.where(two.y_prob >= .25, "growth", "clear")))
    put("words", two.replace(dict(y_true=dict(growth="pos", clear="neg"))))
    put("wards", two.assign(patient=WARD[400:]))
    put("others", one.assign(patient=WARD[:400]))
    put("weighed", two.assign(weight=2.))
    assert "copy.csv counts the same rows as one.csv" in said("one.csv", "copy.csv")[1]
    assert "one.csv is named twice" in said("one.csv", "one.csv")[1]
    said("one.csv", "--save", str(tmp_path/"one.json"))
    assert "counts the same rows as" in said("one.csv", "one.json")[1]
    n = ((two.y_prob >= .25) & (two.y_prob < .5)).sum()
    assert f"called.csv: the calls of {n} rows are not those from 0.5 on" in said("one.csv", "called.csv")[1]
    code, text = said("one.csv", "called.csv", "--threshold", ".25")
    right = ((rows.y_prob >= .25) == (rows.y_true == "growth")).sum()
    assert code == 0 and "called from 0.25 on" in text and f"{right}/900" in text
    assert "words.csv has 'pos' as the positive class against 'neg'" in said("one.csv", "words.csv")[1]
    asked = "rows of wards.csv belong together by 'patient', and those of one.csv do not"
    assert asked in said("one.csv", "wards.csv")[1]
    assert "in 0 groups" not in said("one.csv", "wards.csv", "--groups", "none")[1]
    code, text = said("others.csv", "wards.csv")
    shared = len({*WARD[:400]} & {*WARD[400:]})
    assert code == 0 and f"{shared} groups stand at several sites" in text and f"in {len({*WARD})} groups" in text
    assert "row weights are not used here" in said("one.csv", "weighed.csv")[1]
