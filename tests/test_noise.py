"The room of label noise: counts to the row, indices by hand, ties, and runs taken up again."
import json
import warnings
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from mic_eval.core.fields import register_field
from mic_eval.core.kinds import Trials
from mic_eval.core.results import Result
from mic_eval.noise.labels import KINDS, divided, largest_remainder
from mic_eval.noise.indices import index_values
from mic_eval.noise import noise_indices, noise_ranks, noise_trials, noisy_labels, trial_data, together
from mic_eval.noise.field import FIELD
from mic_eval.noise.methods import cell_metrics
from mic_eval.noise.show import index_table, rank_lines, rank_tables
from mic_eval.noise.standings import save_methods
from mic_eval.run.compare import compare
from mic_eval.run.evaluation import make_run

register_field(FIELD)
sizes = st.integers(1, 200)


def quiet(*args, **how):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return noisy_labels(*args, **how)


@settings(max_examples=150, deadline=None)
@given(n=sizes, K=st.integers(2, 5), rate=st.sampled_from([0, .05, .1, .2, .29, .3, .5]), kind=st.sampled_from(KINDS),
       seed=st.integers(0, 99))
def test_counts_are_exact_for_every_kind(n, K, rate, kind, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, K, n)
    here = np.unique(y)
    if len(here) < 2:
        with pytest.raises(ValueError, match="one class"): noisy_labels(y, rate)
        return
    groups, k = rng.integers(0, 7, n), len(here)
    prob = rng.dirichlet(np.ones(k), n)
    T = np.full((k, k), rate / (k - 1))
    np.fill_diagonal(T, 1 - rate)
    wanted = int(np.floor(round(rate * n, 6) + .5))
    most = np.bincount(y, minlength=K)
    room = n - most.max() if kind == "majority" else n - most[most > 0].min() if kind == "minority" else n
    if wanted > room:
        with pytest.raises(ValueError, match="only"): quiet(y, rate, kind, groups=groups, prob=prob)
        return
    r = quiet(y, rate, kind, groups=groups, prob=prob, matrix=T if kind == "matrix" else None, seed=seed)
    assert (r.labels[r.flipped] != y[r.flipped]).all() and (r.labels[~r.flipped] == y[~r.flipped]).all()
    assert r.counts.sum() == n and np.allclose(r.rate, r.flipped.mean())
    if kind == "grouped":
        assert all(len(set(r.flipped[groups == g])) == 1 for g in groups)
        return
    assert r.flipped.sum() == wanted
    if kind in ("symmetric", "proportional", "adjacent", "pair"):
        per = np.array([r.flipped[y == c].sum() for c in here])
        assert (np.abs(per - rate * most[here]) <= 1 + k / 2 * most[here] / n).all()
    if kind == "pair": assert (r.labels[r.flipped] == here[(np.searchsorted(here, y[r.flipped]) + 1) % k]).all()


@settings(max_examples=60, deadline=None)
@given(n=st.integers(4, 200), seed=st.integers(0, 99),
       kind=st.sampled_from([k for k in KINDS if k not in ("majority", "minority", "grouped", "matrix")]))
def test_levels_are_nested_with_their_labels(n, seed, kind):
    rng = np.random.default_rng(seed)
    y, prob = np.r_[0, 1, 2, rng.integers(0, 3, n - 3)], rng.dirichlet(np.ones(3), n)
    before = None
    for rate in (.05, .1, .2, .35, .5):
        r = quiet(y, rate, kind, prob=prob, seed=seed)
        if before is not None: assert (r.labels[before.flipped] == before.labels[before.flipped]).all()
        before = r


@settings(max_examples=60, deadline=None)
@given(n=sizes, seed=st.integers(0, 99))
def test_a_matrix_is_rounded_by_largest_remainder(n, seed):
    rng = np.random.default_rng(seed)
    y, T = np.r_[0, 1, 2, rng.integers(0, 3, n)], rng.dirichlet(np.ones(3), 3)
    r = quiet(y, matrix=T, seed=seed)
    assert (r.counts == [largest_remainder(t, k) for t, k in zip(T, np.bincount(y))]).all()
    assert (np.abs(r.counts - T * np.bincount(y)[:, None]) < 1).all()


@given(w=st.lists(st.integers(0, 50), min_size=2, max_size=6).filter(any), more=st.integers(0, 60))
def test_divided_grows(w, more):
    total = min(sum(w), more)
    a, b = divided(w, total, w), divided(w, min(total + 1, sum(w)), w)
    assert a.sum() == total and (b >= a).all() and (a <= w).all()


@pytest.mark.filterwarnings("ignore:under this noise")
def test_labels_of_every_type_and_missing_ones():
    for y in (["a", "b", "a", None], np.array([1., 2., np.nan, 1.]), [True, False, True, True],
              np.array(["x", "yy", "x", "yy"])):
        r = noisy_labels(y, .5, seed=2)
        assert len(r.labels) == len(y) and r.flipped.sum() == 2
    assert set(noisy_labels(["lo", "longest"] * 5, .4).labels) == {"lo", "longest"}
    both = noisy_labels(np.arange(1000) % 4, .2, including=True)
    assert both.flipped.sum() == 150


def test_refusals():
    y = [0, 1, 1]
    for how, said in [(dict(rate=-.1), "between 0 and 1"), (dict(rate=.1, kind="pairs"), "did you mean 'pair'"),
                      (dict(), "needs a rate"),
                      (dict(matrix=[[1, 0], [.5, .4]]), "row 1 sums to 0.9"), (dict(matrix=np.eye(3)), "2 classes"),
                      (dict(rate=.3, kind="grouped"), "needs groups="),
                      (dict(rate=.3, kind="boundary"), "needs prob="), (dict(rate=.3, count="up"), "nearest or down"),
                      (dict(rate=.3, kind="features"), "noisy_features")]:
        with pytest.raises(ValueError, match=said): noisy_labels(y, **how)
    with pytest.raises(ValueError, match="never both"): together(["digits", "digits-400"])
    with pytest.raises(ValueError, match="no data set 'iriss'"): trial_data("iriss")


def test_indices_by_hand_and_at_the_edges():
    v = index_values([[.9, .8, .6], [.7, .7, .5]], [0, .1, .2], [.5, .3])
    assert np.isclose(v["overall"], .7) and np.isclose(v["rla"], (.3/.9+.2/.7)/2)
    assert np.isclose(v["ela"], (.4/.9+.5/.7)/2), "the mean of ratios, as published"
    assert np.isclose(v["rla_pooled"], .25/.8) and np.isclose(v["ela_pooled"], .45/.8), "the ratio of means"
    assert np.isclose(v["worst_mean"], .55) and np.isclose(v["worst_cell"], .5) and np.isclose(v["drop"], .25 / .8)
    assert np.isclose(v["retention"], (.1 / .4 + .2 / .4) / 2)
    one = index_values([[.9]], [0], [.5])
    assert one["overall"] == .9 and np.isnan(one["drop"]) and np.isnan(one["area"])


def test_names_of_methods_are_never_parsed():
    ask = dict(data=["iris"], levels=(0, .3), noise_seeds=6)
    t = noise_trials(
        [dict(name="logistic, new - v2", method="logistic"), dict(name="logistic", method="majority")], **ask
    )
    r = noise_ranks(t)
    p = r.pairs["logistic, new - v2 - logistic"]
    assert p.difference > 0 and p.verdict == "logistic, new - v2 is better" and r.says == "first: logistic, new - v2"
    assert r.tied == [["logistic, new - v2"], ["logistic"]]
    assert rank_lines(r).texts


def test_pairs_that_would_be_called_alike_are_kept_apart(tmp_path):
    names = ["net - v2", "net", "v2 - base", "base"]
    made = [dict(name=k, method=m) for k, m in zip(names, ("logistic", "majority", "logistic", "majority"))]
    t = noise_trials(made, ["iris"], levels=(0, .3), noise_seeds=6)
    found = noise_ranks(t).pairs
    assert [(p.a, p.b) for p in found.values()] == list(combinations(names, 2)) and len(found) == 6
    better = {(p.a, p.b): p.verdict for p in found.values()}
    assert better["net", "v2 - base"] == "v2 - base is better" and better["net - v2", "base"] == "net - v2 is better"
    assert "net - v2" in str(rank_tables(Result(symmetric=noise_ranks(t))))
    c = compare(*save_methods(t, tmp_path), names=names)
    assert [(p.a, p.b) for p in c.pairs.values()] == list(combinations(names, 2))


def test_each_method_has_a_file_of_its_own(tmp_path):
    made = [dict(name=k, method="majority") for k in ("a b", "a-b", "A.b", "a-b-")]
    t = noise_trials(made, ["iris"], levels=(0, .2), noise_seeds=2)
    paths = save_methods(t, tmp_path)
    assert len({p.name.lower() for p in paths}) == 4
    assert [set(Trials.read(p).method) for p in paths] == [{"a b"}, {"a-b"}, {"A.b"}, {"a-b-"}]


@pytest.mark.later
def test_a_majority_class_does_not_move_and_a_broken_run_goes_on(tmp_path):
    ask = dict(methods=["majority", "logistic"], data=["breast_cancer", "iris"], levels=(0, .2, .4), noise_seeds=3,
               out=tmp_path, predictions=True)
    t = noise_trials(**ask)
    assert len(set(t.metric("accuracy")[(t.method == "majority") & (t.data == "breast_cancer")])) == 1
    before = (tmp_path / "trials.parquet").read_bytes()
    cells = sorted((tmp_path / "cells").glob("*.json"))
    cells[0].unlink()
    cells[1].write_text("{")
    noise_trials(**ask)
    assert (tmp_path / "trials.parquet").read_bytes() == before
    again = Trials.read(tmp_path / "trials.parquet")
    assert noise_indices(again).logistic.here.overall == noise_indices(t).logistic.here.overall
    assert (tmp_path / t.predictions[0]).is_file()
    run = make_run(predictions=tmp_path / "trials.parquet", field="noise", profile="none", out=tmp_path / "runs")
    assert run.result.label_noise.best.method == "logistic"
    assert json.loads((run.folder / "results.json").read_text())["failed_trials"]["failed"] == 0


def test_ranks_with_ties_and_without_a_grid():
    t = noise_trials(["majority", "logistic"], ["iris"], levels=(0, .2), noise_seeds=3)
    r = noise_ranks(t)
    assert r.blocks == "seed" and r.pairs["majority - logistic"].difference < 0
    assert not noise_ranks(t, blocks="data") and not noise_ranks(t[t.method == "majority"])


def test_metrics_where_a_class_is_absent():
    v = cell_metrics(np.array([0, 0, 1]), np.array([0, 0, 1]), np.eye(3)[[0, 0, 1]], True, 3)
    assert v["balanced_accuracy"] == 1 and v["roc_auc"] == 1 and v["ece"] == 0


def made_up(seed, n, K):
    "Labels with 15 % noise, and probabilities that know the truth"
    rng = np.random.default_rng(seed)
    t = rng.integers(0, K, n)
    y = np.where(rng.random(n) < .15, rng.integers(0, K, n), t)
    z = rng.normal(size=(n, K))
    z[np.arange(n), t] += 2
    p = np.exp(z)
    return y, p / p.sum(1, keepdims=True)



def test_the_confident_joint_is_that_of_cleanlab():
    from pathlib import Path
    from mic_eval.noise import confident_joint, label_issues
    stored = json.loads((Path(__file__).parent / "oracles" / "label_noise.json").read_text())
    for o in stored:
        y, p = made_up(o["seed"], o["n"], o["K"])
        assert (confident_joint(y, p, calibrate=False) == o["joint"]).all()
        assert (confident_joint(y, p) == o["calibrated"]).all()
        assert (np.flatnonzero(label_issues(y, p)) == o["flagged"]).all()


def test_correction_round_trip():
    from mic_eval.noise import corrected_for_reference
    rng = np.random.default_rng(0)
    for K in (2, 3, 4):
        q, T = rng.dirichlet(np.ones(K * K)).reshape(K, K) + np.eye(K), np.eye(K) * .8 + .2 / K
        q /= q.sum()
        r = corrected_for_reference(5000 * T.T @ q, matrix=T)
        assert np.isclose(float(r.accuracy), np.trace(q)) and r.accuracy.lo < np.trace(q) < r.accuracy.hi
    with pytest.raises(ValueError, match="no better than chance"): corrected_for_reference([[1, 2], [3, 4]], .5, .5)


def test_likeliest_table_like_scipy():
    "The profile against a general optimiser"
    from scipy.optimize import minimize
    from mic_eval.noise import corrected_for_reference
    for m, r in (([[138, 10], [13, 139]], .9), ([[40, 12], [8, 90]], .85)):
        m, T = np.array(m, float), np.array([[r, 1-r], [1-r, r]])
        def cost(q): return -(m*np.log(np.maximum(T.T @ np.reshape(q, (2, 2)), 1e-12))).sum()
        def least(*held):
            rules = [dict(type="eq", fun=lambda q: q.sum()-1), *held]
            how = dict(method="SLSQP", bounds=[(0, 1)]*4, constraints=rules, options=dict(ftol=1e-12))
            found = [minimize(cost, start, **how)
                     for start in ([.45, .05, .05, .45], [.3, .2, .1, .4])]
            return min(found, key=lambda o: o.fun)
        s = corrected_for_reference(m, r, r)
        best = least()
        assert np.isclose(s.accuracy, best.x[0]+best.x[3], atol=2e-3)
        def far(a): return 2*(least(dict(type="eq", fun=lambda q: q[0]+q[3]-a)).fun-best.fun)
        assert np.isclose(far(s.accuracy.lo), 3.8415, atol=.02)
        assert s.accuracy.hi == 1 or np.isclose(far(s.accuracy.hi), 3.8415, atol=.02)
        def rate(a): return 2*(least(dict(type="eq", fun=lambda q: q[3]-a*(q[2]+q[3]))).fun-best.fun)
        assert np.isclose(rate(s.sensitivity.lo), 3.8415, atol=.02)


@pytest.mark.full
@pytest.mark.parametrize("accuracy, n, reference", [(.95, 300, .9), (.97, 300, .9), (1., 300, .9), (.97, 1000, .95),
                                                    (.99, 100, .95), (.95, 1000, .8)])
def test_a_good_model_is_covered_though_its_reference_errs(accuracy, n, reference):
    from mic_eval.noise import corrected_for_reference
    rng = np.random.default_rng(0)
    T = np.array([[reference, 1-reference], [1-reference, reference]])
    q = np.array([[accuracy, 1-accuracy], [1-accuracy, accuracy]])/2
    found = [corrected_for_reference(m.reshape(2, 2), reference, reference).accuracy
             for m in rng.multinomial(n, (T.T @ q).ravel(), 400)]
    assert all(s.defined for s in found)
    covered = np.mean([s.lo-1e-6 <= accuracy <= s.hi+1e-6 for s in found])
    assert .93 <= covered <= .97
    assert abs(np.mean([float(s) for s in found])-accuracy) < .015   # no accuracy is above 1: its mean stays below


def test_replicas_are_as_if_alone_and_the_grid_trains_them_together():
    from mic_eval.noise.trials import many_cells, one_cell
    from mic_eval.noise import method_of
    d, m = trial_data("iris"), method_of(dict(method="gce", epochs=5))
    cells = [dict(method="gce", data="iris", kind="symmetric", level=.2, noise_seed=s, training_seed=s, split=0)
             for s in range(3)]
    many, alone = many_cells(d, m, cells), [one_cell(d, m, c) for c in cells]
    assert [o["values"]["accuracy"] for o in many] == [o["values"]["accuracy"] for o in alone]
    assert np.abs(many[2]["said"]["scores"] - alone[2]["said"]["scores"]).max() < 1e-4
    held = one_cell(d, m, cells[0], "clean")
    assert held["about"]["validation"] == "clean" and held["values"]


def test_a_neighbour_repeats_its_training_labels():
    rng = np.random.default_rng(1)
    for n in (3, 10, 57, 200):
        X, y = rng.normal(size=(n, 2)), np.r_[0, 1, 2, rng.integers(0, 3, n - 3)]
        for rate in (.1, .2, .29):
            r = quiet(y, rate, seed=n)
            own = np.argmin(((X[:, None] - X) ** 2).sum(-1), 1)
            assert np.isclose((r.labels[own] == y).mean(), 1 - r.flipped.mean())
            assert abs((r.labels[own] == y).sum() - n * (1 - rate)) <= .5 + 1e-9


def test_a_majority_model_does_not_move_below_one_half():
    from sklearn.dummy import DummyClassifier
    y = np.r_[np.zeros(60, int), np.ones(40, int)]
    for rate in (0, .1, .3, .45, .49):
        labels = quiet(y, rate, seed=3).labels if rate else y
        assert (DummyClassifier().fit(y[:, None], labels).predict(y[:, None]) == 0).all()


def test_grids_by_kind_and_processes(tmp_path):
    from joblib import parallel_config
    from mic_eval.noise.trials import grid_of
    from mic_eval.noise.indices import kinds_of
    from mic_eval.noise.standings import method_tables
    from mic_eval.noise.methods import TrialData
    import pandas as pd
    rng, n = np.random.default_rng(0), 12
    y = (np.arange(6) < rng.integers(0, 7, n)[:, None]).astype(int).ravel()
    facts = pd.DataFrame(dict(series=np.repeat([f"s{i}" for i in range(n)], 6),
                              concentration=np.tile(2. ** np.arange(6), n)))
    wells = TrialData("wells", y[:, None] + rng.normal(0, .2, (n * 6, 2)), y, ("no growth", "growth"),
                      np.repeat(np.arange(n) // 2, 6), facts=facts)
    ask = dict(methods=["majority", dict(method="knn", name="near")], data=["iris", wells],
               kinds=("symmetric", "mic_misread"), levels=(0, .2), noise_seeds=2)
    t = noise_trials(**ask)
    assert kinds_of(t) == ["symmetric", "mic_misread"] and not [e for e in t.error if e]
    assert set(t.data[(t.facts.noise_kind == "mic_misread").to_numpy()]) == {"wells"}
    assert noise_indices(t, kind="mic_misread").near.here.overall.defined
    with parallel_config("threading", n_jobs=2): again = noise_trials(**ask, jobs=None, out=tmp_path)
    assert (again.sample_id == t.sample_id).all() and np.array_equal(again.metric("accuracy"), t.metric("accuracy"))
    with pytest.raises(ValueError, match="iris has no series"): grid_of(["knn"], ["iris"], "mic_misread")
    from mic_eval.run.compare import compare
    c = compare(*method_tables(t).values(), names=["majority", "near"])
    assert list(c.leaderboard) == ["near", "majority"] and "Overall robustness" in c.verdict.sentence


def test_labels_are_asked_only_out_of_fold():
    import pandas as pd
    from mic_eval.core.questions import applied, offered
    from mic_eval.core.tables import Predictions
    offered("mic")
    p = Predictions(["a", "b", "c", "d"], [0, 1, 1, 0], [.1, .9, .2, .3])
    assert not applied("label_quality", p, (), 0)
    assert "fold" in applied("label_quality", p, (), 0, settings=dict(why=True)).reason
    q = Predictions(p.sample_id, p.y_true, p.prob, facts=pd.DataFrame(dict(fold=[0, 1, 0, 1])))
    assert applied("label_quality", q, (), 0).label_quality.suspects.sample_id[0] == "c"


def test_a_second_reading_and_its_effect(tmp_path):
    from mic_eval.core.tables import Predictions
    from mic_eval.noise import read_relabels, relabelled
    from mic_eval.noise.suspects import relabel_sheet, suspect_rows
    p = Predictions(["a", "b", "c", "d"], [0, 1, 1, 0], [.1, .9, .2, .3])
    rows = suspect_rows(p, 1)
    assert rows.sample_id.tolist() == ["c"] and rows.suggested.tolist() == ["no growth"]
    (tmp_path / "r.csv").write_text(relabel_sheet(rows).replace("c,", "c,no growth"))
    new, effect = relabelled(p, read_relabels(tmp_path / "r.csv", p.classes))
    assert new.y_true.tolist() == [0, 1, 0, 0] and effect.before.k == 3 and effect.after.k == 4
    with pytest.raises(ValueError, match="no sample 'x'"): relabelled(p, {"x": 1})


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 999), rate=st.sampled_from([0, .1, .25, .5, 1]))
def test_misread_series_stay_readable(seed, rate):
    from mic_eval.data.set_quality import mic_misread
    rng = np.random.default_rng(seed)
    n, w = rng.integers(2, 20), rng.integers(2, 7)
    y = (np.arange(w) < rng.integers(0, w + 1, n)[:, None]).astype(float)
    m = mic_misread(y.ravel(), np.repeat(np.arange(n), w), np.tile(2. ** np.arange(w), n), rate, seed=seed)
    assert (np.diff(m.labels.reshape(n, w)) <= 0).all() and m.flipped.sum() == int(np.floor(rate * n + .5))
    assert (m.labels.reshape(n, w).sum(1) - y.sum(1) == m.steps).all()


@pytest.fixture
def published(tmp_path):
    "A server that gives a small file of letters, and how often it was asked"
    import threading
    from http.server import BaseHTTPRequestHandler, HTTPServer
    asked, body = [], b"\n".join(b"%c," % (65+i % 3)+b",".join(b"%d" % (i % 7) for _ in range(16)) for i in range(30))
    class Answer(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)
        def log_message(self, *args): pass
    server = HTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/letters.data", asked
    server.shutdown()


def test_a_set_is_fetched_once_and_held_against_its_checksum(published, tmp_path, monkeypatch):
    from mic_eval.noise import methods
    address, asked = published
    monkeypatch.setenv("MIC_EVAL_CACHE", str(tmp_path/"cache"))
    monkeypatch.setitem(methods.FETCHED, "letter", methods.FETCHED["letter"] | dict(url=address))
    d = methods.trial_data("letter:fetch")
    assert (d.X.shape, d.classes) == ((30, 16), ("A", "B", "C")) and len(asked) == 1
    assert methods.trial_data("letter:fetch").X.shape == (30, 16) and len(asked) == 1
    (tmp_path/"cache"/"letter-recognition.data").write_text("A,1\n")
    assert "is not the file that was published" in methods.trial_data("letter:fetch").reason
    monkeypatch.setitem(methods.FETCHED, "cover-type", methods.FETCHED["cover-type"] | dict(url=address))
    assert "is not the file that was published" in methods.trial_data("cover-type:fetch").reason


def test_moved_features_are_worse_than_replaced_ones_for_a_linear_model():
    from sklearn.linear_model import LogisticRegression
    from mic_eval.noise.trials import adversarial_features
    rng = np.random.default_rng(0)
    y = np.arange(400) % 2
    X = rng.normal(size=(400, 5)) + 1.5*y[:, None]
    loss = {}
    for name, Z in dict(clean=X, moved=adversarial_features(X, y, 1., step=1.5)).items():
        loss[name] = (LogisticRegression(max_iter=1000).fit(Z, y).predict(X) != y).mean()
    assert loss["moved"] > loss["clean"] + .1
    moved = adversarial_features(X, y, .25, seed=3)
    assert ((moved != X).any(1)).sum() == 100


def seen_likelihood(codes, share, T):
    "Of labels of two classes, sample by sample, written out"
    total = 0.
    for row in codes:
        each = [share*np.prod([T[r, 1, c] for r, c in enumerate(row)]),
                (1-share)*np.prod([T[r, 0, c] for r, c in enumerate(row)])]
        total += np.log(sum(each))
    return total


def test_no_search_finds_likelier_annotators():
    from scipy.optimize import minimize
    from mic_eval.noise import annotators
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 80)
    codes = np.stack([np.where(rng.random(80) < e, 1-truth, truth) for e in (.1, .2, .3, .15)], 1)
    found = annotators(codes, n_resamples=5)
    T = np.stack([t.to_numpy() for t in found.tables.values()])
    p1 = np.where(found.labels.label == "1", found.labels.probability, 1-found.labels.probability)
    own = seen_likelihood(codes, p1.mean(), T)
    def worse(v):
        v = 1/(1+np.exp(-v))
        return -seen_likelihood(codes, v[0], np.stack([1-v[1:].reshape(4, 2), v[1:].reshape(4, 2)], 2))
    start = np.log(np.r_[1., np.tile([.2, .8], 4)]/np.r_[1., np.tile([.8, .2], 4)])
    assert abs(own+minimize(worse, start, method="L-BFGS-B").fun) < .02


def test_annotators_do_not_depend_on_order_and_leave_unread_samples_out():
    from mic_eval.noise import annotators
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 60)
    labels = np.stack([np.where(rng.random(60) < e, 1-truth, truth) for e in (.1, .2, .3)], 1).astype(object)
    labels[7], labels[9, 1] = None, float("nan")
    one, other = annotators(labels, n_resamples=3), annotators(labels[:, ::-1], n_resamples=3)
    assert 7 not in one.labels.row.tolist() and len(one.labels) == 59 and one.wrong["1"].n == 58
    assert one.labels.label.tolist() == other.labels.label.tolist()
    assert float(one.wrong["0"]) == pytest.approx(float(other.wrong["2"]), abs=1e-9)
    groups = np.arange(60)//6
    wide = annotators(labels, groups=groups, n_resamples=20).wrong["0"]
    assert wide.lo <= float(wide) <= wide.hi
    labels[:, 2] = ""
    with pytest.raises(ValueError, match="'2' has labelled nothing"): annotators(labels)


def read_by(n=120, seed=3, **errors):
    rng = np.random.default_rng(seed)
    truth = rng.choice(["R", "S"], n, p=[.3, .7])
    other = np.where(truth == "R", "S", "R")
    read = {k: np.where(rng.random(n) < e, other, truth) for k, e in errors.items()}
    return pd.DataFrame(dict(sample_id=[f"s{i}" for i in range(n)]) | read), truth


@pytest.mark.later
def test_a_row_a_label_says_what_a_row_a_sample_says(tmp_path, monkeypatch, capsys):
    from mic_eval.noise.command import annotators_command
    monkeypatch.chdir(tmp_path)
    wide, truth = read_by(Li=.05, Wang=.1, Chen=.3)
    wide["plate"], wide["truth"] = np.arange(120)//12, truth
    wide.to_csv("wide.csv", index=False)
    long = wide.melt(["sample_id", "plate", "truth"], var_name="reader", value_name="label")
    long.sample(frac=1, random_state=0).to_csv("long.csv", index=False)
    annotators_command(Path("wide.csv"), "Chen,Li,Wang", review="truth", groups="plate", out=Path("a"))
    annotators_command(Path("long.csv"), "reader", review="truth", groups="plate", out=Path("b"))
    one, other = (json.loads(Path(p, "annotators.json").read_text()) for p in "ab")
    for k in ("Li", "Wang", "Chen"):
        assert one["wrong"][k]["value"] == pytest.approx(other["wrong"][k]["value"], abs=1e-6)
        assert one["review"][k] == other["review"][k]
    a, b = (pd.read_csv(f"{p}/labels.csv").set_index("sample_id").label for p in "ab")
    assert a.equals(b.reindex(a.index))
    pd.concat([long, long.head(1)]).to_csv("twice.csv", index=False)
    long.assign(plate=np.arange(len(long))).to_csv("moved.csv", index=False)
    long.rename(columns=dict(label="remark")).to_csv("unnamed.csv", index=False)
    for file, how, said in (("twice.csv", {}, "Li has labelled s0 more than once"),
                            ("moved.csv", dict(groups="plate"), "'plate' says several things of s0"),
                            ("unnamed.csv", {}, "which column is the label"),
                            ("long.csv", dict(label="lable"), "no column 'lable'")):
        with pytest.raises(ValueError, match=said): annotators_command(Path(file), "reader", **how)
    with pytest.raises(ValueError, match="a row a label"):
        annotators_command(Path("wide.csv"), "Chen,Li,Wang", label="plate")


def test_the_truth_is_offered_as_a_review_and_a_row_a_label_is_seen(tmp_path):
    from mic_eval.core.checks import Asked
    from mic_eval.noise.command import annotators_command
    wide, truth = read_by(Li=.05, Wang=.1, Chen=.3)
    wide.assign(truth=truth).to_csv(tmp_path/"wide.csv", index=False)
    wide.melt("sample_id", var_name="annotator", value_name="label").to_csv(tmp_path/"long.csv", index=False)
    for file, option in (("wide", "--raters Li,Wang,Chen --review truth"), ("long", "--raters annotator")):
        with pytest.raises(Asked) as e: annotators_command(tmp_path/f"{file}.csv")
        assert e.value.question.choices[0][1] == option


def test_who_copies_is_not_believed_in_silence():
    from mic_eval.noise import annotators
    wide, truth = read_by(400, Li=.1, Wang=.2, Chen=.3, Hu=.15)
    people = wide.drop(columns="sample_id")
    apart = annotators(people, n_resamples=3)
    assert not apart.alike and "taken to be independent" in apart.says
    whole = annotators(people.assign(Ma=people.Wang), n_resamples=3)
    assert list(whole.alike) == ["Wang, Ma"] and whole.wrong["Ma"].hi > .0095
    rng = np.random.default_rng(0)
    most = np.where(rng.random(400) < .85, people.Wang, people.Chen)
    partly = annotators(people.assign(Ma=most), n_resamples=3)
    assert not partly.alike and "somebody may copy" in partly.says


def test_a_column_that_is_no_annotator_is_refused():
    from mic_eval.noise import annotators
    people = read_by(Li=.1, Wang=.2, Chen=.3)[0].drop(columns="sample_id")
    for other, said in ((np.arange(120) % 4, "'x' says 0, 1, 2, 3, which no other says"),
                        (np.where(people.Li == "R", "resistant", "susceptible"), "'x' says resistant, susceptible"),
                        (people.Li.str.lower(), "two spellings")):
        with pytest.raises(ValueError, match=said): annotators(people.assign(x=other))


def test_doubtful_labels_of_a_table_whose_columns_are_named(tmp_path, monkeypatch):
    from mic_eval.noise.command import suspects_command
    monkeypatch.chdir(tmp_path)
    p = np.r_[np.full(6, .97), np.clip(np.random.default_rng(0).normal(.5, .3, 84), .01, .99)]
    given = np.where(p > .5, "R", "S")
    given[:6] = "S"
    pd.DataFrame(dict(id=np.arange(90), sample_id="x", p=p, given_label=given)).to_csv("t.csv", index=False)
    suspects_command(predictions="t.csv", y_true="given_label", y_score="p", kind="prob", sample_id="id", classes="S,R")
    sheet = pd.read_csv("suspects/suspects.csv")
    assert {*range(6)} <= {*sheet.sample_id[sheet.flagged]}


def test_what_no_method_has_is_said_once_and_takes_no_column():
    t = noise_trials(["logistic", "majority"], ["iris", "wine"], levels=(0, .1), noise_seeds=2)
    found = Result(symmetric=noise_indices(t))
    assert found.symmetric.logistic.here.half_level.reason == "more than half is kept at every level tried"
    assert "not defined" in found.symmetric.majority.here.half_level.reason   # nothing of it lies above chance
    both = index_table(found, "here", ("overall", "half_level"))
    assert both.html.count("<th scope=\"col\"") == 3
    alone = index_table(Result(symmetric=Result(logistic=found.symmetric.logistic)), "here", ("overall", "half_level"))
    assert alone.html.count("<th scope=\"col\"") == 2 and alone.html.count("more than half is kept") == 1


def test_files_in_the_published_formats_are_trained_on_and_a_bad_line_is_named(tmp_path, recwarn):
    rng, lines = np.random.default_rng(0), []
    for i in range(120): lines.append(",".join(["ABC"[i % 3], *map(str, rng.integers(0, 9, 16)+4*(i % 3))]))
    (tmp_path/"letter-recognition.data").write_text("\n".join(lines)+"\n")
    cover = [[*rng.integers(0, 3000, 10)+900*(i % 3), *np.eye(44, dtype=int)[i % 44], i % 3+1] for i in range(120)]
    (tmp_path/"covtype.data").write_text("".join(",".join(map(str, o))+"\n" for o in cover))
    sets = [f"letter:{tmp_path}/letter-recognition.data", f"cover-type:{tmp_path}/covtype.data"]
    t = noise_trials(["logistic", "majority"], sets, levels=(0, .2), noise_seeds=2)
    assert sorted(set(t.data)) == ["cover-type", "letter"] and set(t.facts["classes"]) == {3}
    assert noise_indices(t).logistic.here.baseline > .7
    noise_indices(t, "ece")
    assert not [o for o in recwarn if "invalid value" in str(o.message)]
    for text, line in (("A,1,2\nB,x,3\n", 2), ("A,1,2\nB,1\n", 2), ("A,1,2\n\nB,1,2\n", 2)):
        (tmp_path/"bad.data").write_text(text)
        with pytest.raises(ValueError, match=rf"^bad.data, line {line}: letter wants a label and 2 numbers"):
            trial_data(f"letter:{tmp_path}/bad.data")


def test_which_columns_are_annotators_is_asked(tmp_path):
    "Columns of the same few words are offered; names of samples, remarks and numbers are not"
    from typer.testing import CliRunner
    from mic_eval.cli.app import app
    rng = np.random.default_rng(0)
    words = rng.choice(["x", "y", "z"], (60, 3))
    wide = pd.DataFrame(dict(case=range(60), Ann=words[:, 0], Bob=words[:, 1], Cy=words[:, 2], site=["n", "s"]*30))
    wide.to_csv(tmp_path/"wide.csv", index=False)
    def said(file, *options):
        line = "noise", "annotators", str(tmp_path/file), *options, "--out", str(tmp_path/"o")
        done = CliRunner().invoke(app, line)
        return done.exit_code, done.output
    code, text = said("wide.csv")
    assert code == 2 and "which columns are annotators, three or more? For example --raters Ann,Bob,Cy;" in text
    assert said("wide.csv", "--raters", "Ann,Bob,Cy")[0] == 0
    wide.melt(["case", "site"], var_name="who", value_name="label").to_csv(tmp_path/"long.csv", index=False)
    assert "which columns are annotators" in said("long.csv")[1] and "--raters A,B,C" in said("long.csv")[1]
    code, text = said("long.csv", "--raters", "who")
    assert code == 2 and "'who' is one column, so a row is one label; which column is the sample_id?" in text
    assert said("long.csv", "--raters", "who", "--sample-id", "case")[0] == 0


@pytest.mark.later
@pytest.mark.parametrize("plan", [
    dict(methods=["logistic", "majority"], levels=[0, .2], noise_seeds=2),   # of equal differences there is no p
    dict(methods=["logistic"], levels=[0, .2], noise_seeds=1),
    dict(methods=["logistic", "knn"], levels=[.2], noise_seeds=1)])
def test_small_plans_over_a_table_of_ones_own_have_a_report(plan, tmp_path, monkeypatch):
    from mic_eval.noise.command import read_noise_plan, run_noise
    from mic_eval.noise.show import rank_tables, retention_curves
    t = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 2)), columns=["a", "b"])
    t = t.assign(id=range(60), label=np.where(t.a+t.b > 0, "R", "S"), farm=np.arange(60)//6)
    t.to_csv(tmp_path/"own.csv", index=False)
    data = [dict(table="own.csv", groups="farm")]
    (tmp_path/"p.yml").write_text(json.dumps(plan | dict(data=data)), encoding="utf-8")
    [one] = read_noise_plan(tmp_path/"p.yml")["data"]
    assert Path(one["table"]) == tmp_path/"own.csv"   # beside the plan, wherever one stands
    run = run_noise(tmp_path/"p.yml", out=tmp_path/"runs")
    stored = Result(json.loads((run.folder/"results.json").read_text(encoding="utf-8"))["noise_ranks"])
    if "pairs" in stored["symmetric"]: assert rank_tables({k: Result(v) for k, v in stored.items()}).html


def test_a_table_of_ones_own_is_bound_by_name(tmp_path):
    from mic_eval.noise.methods import trial_data
    t = pd.DataFrame(dict(id=range(1, 31), x=np.arange(30.), sex=["f", "m"]*15, species=[1, 2, 3]*10))
    t.to_csv(tmp_path/"t.csv", index=False)
    d = trial_data(str(tmp_path/"t.csv"))
    assert d.X.shape == (30, 3) and d.classes == ("1", "2", "3") and d.y.tolist() == [0, 1, 2]*10
    t.assign(remark=[f"r{i}" for i in range(30)]).to_csv(tmp_path/"remarks.csv", index=False)
    t.assign(species=[None, *[1, 2]*14, 1]).to_csv(tmp_path/"gaps.csv", index=False)
    for name, said in (("remarks", "'remark' holds 30 different texts"), ("gaps", "no label in row 0")):
        with pytest.raises(ValueError, match=said): trial_data(dict(table=str(tmp_path/f"{name}.csv")))
    assert trial_data(dict(table=str(tmp_path/"remarks.csv"), drop=["remark"])).X.shape == (30, 3)
    with pytest.raises(ValueError, match="no column 'farm'"):
        trial_data(dict(table=str(tmp_path/"t.csv"), groups="farm"))


def test_a_large_set_may_be_asked_for_at_a_stated_size(tmp_path, monkeypatch):
    from mic_eval.noise.command import read_noise_plan
    rng = np.random.default_rng(0)
    rows = [f"{'ABC'[i % 3]}," + ",".join(map(str, rng.integers(0, 16, 16))) for i in range(90)]
    (tmp_path/"letter-recognition.data").write_text("\n".join(rows)+"\n")
    here = f"letter:{tmp_path}/letter-recognition.data"
    whole, few = trial_data(here), trial_data(dict(set=here, rows=60))
    assert (few.name, few.subset_of, few.X.shape) == ("letter, 60 rows", "letter", (60, 16))
    assert few.about["note"] == "60 of 90 rows, drawn by lot (seed 0)"
    known = {(c, *row) for c, row in zip(whole.y, whole.X.tolist(), strict=True) for row in [tuple(row)]}
    assert all((c, *row) in known for c, row in zip(few.y, few.X.tolist(), strict=True))
    assert few.content_hash == trial_data(dict(set=here, rows=60)).content_hash
    with pytest.raises(ValueError, match="letter, 60 rows is a part of letter"):
        together([here, dict(set=here, rows=60)])
    for odd in (0, 91, 1.5, True, "60"):
        with pytest.raises(ValueError, match="letter: rows is a whole number from 1 to 90"):
            trial_data(dict(set=here, rows=odd))
    with pytest.raises(ValueError, match="letter: none of 1 rows is of class"): trial_data(dict(set=here, rows=1))
    assert not trial_data(dict(set="letter:nowhere.data", rows=60))
    (tmp_path/"plan.yml").write_text(
        'methods: [knn]\ndata: [{set: "letter:letter-recognition.data", rows: 60}, "letter:letter-recognition.data"]\n')
    monkeypatch.chdir("/")
    with pytest.raises(ValueError, match="is a part of"): read_noise_plan(tmp_path/"plan.yml")
    (tmp_path/"plan.yml").write_text(
        'methods: [knn]\ndata: [{set: "letter:letter-recognition.data", rows: 60}, "iris"]\n')
    plan = read_noise_plan(tmp_path/"plan.yml")
    assert plan["data"] == [dict(set=here, rows=60), "iris"]


def test_cells_in_which_two_methods_part_come_with_the_largest_difference_first():
    from types import SimpleNamespace
    from mic_eval.noise.standings import differing_cells
    data, level = np.array(["wine"]*2+["iris"]*4+["apple"]), np.array([0, .1, 0, 0, .1, .1, 0])
    def trials(values): return SimpleNamespace(data=data, setting=level, metric=lambda name: values)
    first, second = (trials(np.array(o)) for o in ([.6, .6, .9, .8, .5, .7, .3], [.6, .3, .8, .8, .8, .8, .3]))
    t = differing_cells(first, second, "ab")
    assert t.values.tolist() == [["wine", .1, .6, .3, .3], ["iris", .1, .6, .8, -.2], ["iris", 0, .85, .8, .05],
                                 ["wine", 0, .6, .6, 0], ["apple", 0, .3, .3, 0]]   # alike: as they came


def test_the_spread_of_a_mean_is_parted_between_labels_training_and_split_by_hand():
    from types import SimpleNamespace
    from mic_eval.noise.indices import spread_parts
    def parts(a): return {**spread_parts(SimpleNamespace(values=np.asarray(a, float)[None, None, None]), 0)}
    assert parts([[[.8]], [[.9]]]) == pytest.approx(dict(noise=.1/2**.5))   # two models: nothing is left over
    assert parts([[[.8]]]) == {}
    rows = np.array([.5, .6, .7])[:, None, None]+np.array([0, .2])[:, None]   # sums alone: no rest
    assert parts(rows) == pytest.approx(dict(noise=.1, training=.2/2**.5, rest=0), abs=1e-7)
    odd = np.array([[.5, .5], [.5, .5]])[..., None]+np.array([[.1, -.1], [-.1, .1]])[..., None]   # and the rest alone
    assert parts(odd) == pytest.approx(dict(noise=0, training=0, rest=.2), abs=1e-7)
