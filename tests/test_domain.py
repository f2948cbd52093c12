"Models carried from hospital to hospital: TCA is TCA, rows stay in place, and no help is called help."
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from mic_eval.core.checks import Asked
from mic_eval.core.results import NotApplicable, Result, Score
from mic_eval.domain.adaptation import TCA
from mic_eval.domain.carry import ORACLE
from mic_eval.domain.command import domain_source, site_binding
from mic_eval.domain.effect import adaptation_effect, effect_table, gain_of, gap_closed
from mic_eval.domain.leave_out import judged_rows, leave_one_site_out, usual_methods
from mic_eval.domain.adaptation import CORAL, MeanShift, SubspaceAlignment
from mic_eval.domain.questions import advice_of
from mic_eval.domain.sites import SiteData, apart_in_scale, empty_codes, gap_codes, read_sites, site_findings
from every import every


def two(n, m, d, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(0, 1, (n, d)) @ rng.normal(0, 1, (d, d)), rng.normal(.7, 1.3, (m, d))


def dense(K, n, mu):
    N = len(K)
    l = np.r_[np.full(n, 1/n), np.full(N-n, -1/(N-n))]
    return K @ (np.eye(N)-1/N) @ K, np.outer(K @ l, K @ l)+mu*np.eye(N)


@pytest.mark.parametrize("kernel,mu", [("linear", 1.), ("linear", .01), ("rbf", 1.), ("rbf", 10.)])
def test_tca_solves_what_was_published(kernel, mu):
    s, t = two(70, 50, 6)
    m, X = TCA(4, mu, kernel, .1).fit(s, t), np.concatenate([s, t])
    K = X @ X.T if kernel == "linear" else np.exp(-.1*((X[:, None]-X)**2).sum(2))
    B, A = dense(K, 70, mu)
    W = X @ np.linalg.solve(X.T @ X, m.directions_) if kernel == "linear" else m.directions_
    assert np.linalg.norm(B @ W-A @ W*m.eigenvalues_)/np.linalg.norm(B @ W) < 1e-8
    assert np.allclose(W.T @ B @ W, np.eye(4), atol=1e-8)
    from scipy.linalg import eigh
    lam = eigh(B, A, eigvals_only=True)[::-1][:4]
    assert np.allclose(m.eigenvalues_, lam, rtol=1e-8)


@every("method", [MeanShift(), MeanShift(True), CORAL(), SubspaceAlignment(3), TCA(3),
                  TCA(3, kernel="rbf", gamma=.1)], ids=repr)
def test_a_row_alone_is_that_row_of_the_batch_and_order_is_nothing(method):
    from sklearn.base import clone
    s, t = two(40, 30, 4, 1)
    order = np.random.default_rng(2).permutation(40)
    whole = method.fit(s, t).transform(t)
    assert np.allclose(method.transform(t[3:4])[0], whole[3], atol=1e-10)
    assert np.allclose(clone(method).fit(s[order], t[::-1]).transform(t), whole, atol=1e-7)
    assert method.transform(s, "source").shape == (40, whole.shape[1])


@settings(max_examples=15, deadline=None)
@given(st.integers(2, 12), st.integers(2, 12), st.integers(1, 4), st.integers(0, 5))
def test_any_shape_goes_through(n, m, d, seed):
    s, t = two(n, m, d, seed)
    for method in (m for m in usual_methods(d).values() if m.gives == "features"):
        try: method.fit(s, t)
        except ValueError as e:
            assert "gamma" in str(e) or "reg" in str(e)
            continue
        assert np.isfinite(method.transform(t)).all() and np.isfinite(method.transform(s, "source")).all()


@pytest.mark.parametrize("bad,why", [((np.ones((3, 2)), np.ones((3, 3))), "columns"),
                                     ((np.full((3, 2), np.nan), np.ones((3, 2))), "X_source"),
                                     ((np.ones(3), np.ones(3)), "X_source")])
def test_bad_input_is_named(bad, why):
    with pytest.raises(ValueError, match=why): MeanShift().fit(*bad)


@pytest.fixture(scope="module")
def trials():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 240)
    x = rng.normal(0, 1, (240, 3))+y[:, None]*[1.5, 1, 0]
    site = np.repeat(["a", "b"], 120)
    x[site == "b"] += 2.
    x[5, 2] = np.nan
    return leave_one_site_out(None, x, y, site, {"mean shift": MeanShift()}, labels=(30, 1000))


def test_every_patient_is_judged_once_under_every_method(trials):
    rows = judged_rows(trials)
    assert "1000 labels are more than the 60 of a half" in set(trials.error)
    counts = rows.facts.groupby(["site", "method"]).size()
    assert (counts == 120).all() and not [m for m in counts.index.get_level_values(1) if "1000" in m]


def test_gains_are_those_of_the_house(trials):
    from mic_eval.metrics.delong import delong_test
    e, rows = adaptation_effect(trials, n_resamples=200), judged_rows(trials)
    part = {m: p[np.argsort(p.sample_id)] for m, p in rows[rows.fact("site") == "b"].by("method").items()}
    a, b = part["mean shift"], part["source only"]
    want = delong_test(a.y_true, a.prob, b.prob, strata=a.fact("fold")).difference   # each half was mapped by itself
    assert e.b["mean shift"].gain.roc_auc == want and e.b["mean shift"].verdict.brier == "helps"
    assert np.isclose(e.b["mean shift"].gain.brier, ((b.prob-b.y_true)**2).mean()-((a.prob-a.y_true)**2).mean())
    t = effect_table(e)
    assert set(t.verdict) <= {"helps", "negative transfer", "no difference", "not shown", "not evaluated"}
    assert (t.p_holm.dropna() >= t.p[t.p_holm.notna()]-1e-12).all()


def test_doing_the_same_is_no_difference():
    y, p = np.tile([0, 1], 30), np.linspace(.1, .9, 60)
    g = gain_of(y, p, p, n_resamples=50)
    assert all(s == 0 for s, _ in g.values()) and isinstance(gap_closed(y, p, p, p), NotApplicable)


@pytest.fixture(scope="module")
def visits():
    "Two hospitals; everybody came twice, and both visits are the same"
    from mic_eval.domain.carry import Chosen
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 120)
    x = rng.normal(0, 1, (120, 3))+y[:, None]*[1.5, 1, 0]
    where = np.repeat(["a", "b"], 60)
    x[where == "b", 0] += 2.
    two = np.repeat(np.arange(120), 2)
    data = SiteData(x[two], y[two], where[two], ("u", "v", "w"), np.arange(240).astype(str), patients=two.astype(str))
    methods = {"mean shift": MeanShift(), "tuned": Chosen((MeanShift(), CORAL()), "target labels")}
    return leave_one_site_out(None, data, methods=methods, labels=(), targets=["b"], refits=20)


@pytest.mark.full
def test_visits_of_one_patient_count_once(visits):
    rows = judged_rows(visits)
    halves_of = rows.facts.groupby(["method", "patient"]).fold.nunique()
    assert (halves_of == 1).all()
    e = adaptation_effect(visits, n_resamples=200).b["mean shift"]
    alone = [gain_of(p.y_true[::2], p.prob[::2], q.prob[::2], folds=p.fact("fold")[::2], n_resamples=200)
             for p, q in [[part[np.argsort(part.sample_id.astype(int))]
                           for part in (rows[rows.fact("method") == "mean shift"],
                                        rows[rows.fact("method") == "source only"])]]][0]
    assert np.isclose(float(e.gain.brier), float(alone["brier"][0]))
    assert np.isclose(e.gain.brier.lo, alone["brier"][0].lo, atol=.02)
    assert e.gain.roc_auc == 0 == alone["roc_auc"][0]   # a shift of a half reorders nobody in it
    assert np.isclose(e.gain.accuracy.hi-e.gain.accuracy.lo, alone["accuracy"][0].hi-alone["accuracy"][0].lo, rtol=.1)


@pytest.mark.later
def test_doubt_of_the_training_stands_beside(visits):
    e = adaptation_effect(visits, n_resamples=200).b["mean shift"]
    assert e.refit.trainings == 20
    assert e.refit.failed == 0 and np.isclose(float(e.refit.gain.brier), float(e.gain.brier))
    assert set(e.refit.verdict.values()) <= {"helps", "negative transfer", "no difference", "not shown",
                                             "not evaluated"}
    t = effect_table({"b": adaptation_effect(visits, n_resamples=200).b})
    assert {"refit_lo", "refit_verdict", "training"} <= set(t)


@pytest.mark.later
def test_chosen_with_labels_is_called_an_oracle(visits):
    rows = judged_rows(visits)
    assert "tuned, oracle" in set(rows.fact("method")) and "tuned" not in set(rows.fact("method"))
    assert set(rows[rows.fact("method") == "tuned, oracle"].fact("uses")) == {"labels"}


def test_runs_with_other_methods_line_up(trials):
    from mic_eval.run.compare import compare
    from mic_eval.domain.field import FIELD
    from mic_eval.core.fields import register_field
    from dataclasses import replace
    register_field(FIELD)
    rows = judged_rows(trials)
    other = replace(rows[np.isin(rows.fact("method"), ["source only", "target only"])], field="domain")
    worse = replace(other, scores=1-(1-other.scores)**.3)
    c = compare(replace(rows, field="domain"), worse)
    tests = next(iter(c.pairs.values())).tests
    assert c.on == "ranking"
    assert c.rows == 240 and float(tests.ranking.effect) == 0 and abs(tests.closeness.effect) > .02


def test_no_label_no_verdict():
    rng = np.random.default_rng(0)
    y = np.r_[np.tile([0, 1], 20), np.full(30, -1)]
    t = leave_one_site_out(None, rng.normal(size=(70, 2)), y, ["a"]*40+["b"]*30, {}, labels=(), targets=["b"])
    assert isinstance(adaptation_effect(t).b, NotApplicable) if "b" in adaptation_effect(t) else True


def test_columns_are_named_in_errors():
    f = pd.DataFrame(dict(h=list("aabb"), y=[0, 1, 2, 0], x=[1, 2, 3, 4]))
    for bad, why in ((dict(site="q", target="y"), "no column 'q'"), (dict(site="h", target="y"), "say above"),
                     (dict(site="h", target="y", drop=("x",), above=0), "no column is left")):
        with pytest.raises(ValueError, match=why): read_sites(f, **bad)
    with pytest.raises(ValueError, match="twice"):
        SiteData(np.zeros((2, 1)), np.zeros(2, int), np.array(["a", "b"]), ("x",), np.array(["1", "1"]))


def test_field_speaks_chinese():
    import ast
    from pathlib import Path
    from mic_eval.domain.field import FIELD
    root, zh = Path(__file__).parent.parent, FIELD.words["zh"]
    said = set()
    for p in (root/"mic_eval/domain").glob("*.py"):
        for n in ast.walk(ast.parse(p.read_text(encoding="utf-8"))):
            if isinstance(n, ast.Call) and getattr(n.func, "id", "") == "message" and n.args and isinstance(n.args[0],
                ast.Constant): said.add(n.args[0].value)
    assert not said-set(zh)


STAND_IN = '''
import os
import numpy as np


class TabPFNClassifier:
    "What TabPFN is called with: no weights of rows, no `sample_weight`, its weights on disk"
    def __init__(self, *, n_estimators=4, device="auto", random_state=0, ignore_pretraining_limits=False):
        self.n_estimators, self.device, self.random_state = n_estimators, device, random_state
        self.ignore_pretraining_limits = ignore_pretraining_limits

    def get_params(self, deep=True): return {k: v for k, v in vars(self).items() if not k.endswith("_")}

    def fit(self, X, y):
        if not os.path.exists("tabpfn-weights.ckpt"): raise FileNotFoundError("tabpfn-weights.ckpt")
        self.classes_, self.X_, self.y_ = np.unique(y), np.asarray(X, float), np.asarray(y)
        return self

    def predict_proba(self, X):
        near = np.exp(-((np.asarray(X, float)[:, None]-self.X_[None])**2).sum(-1)/2)
        one = (near*(self.y_ == self.classes_[1])).sum(1)/np.maximum(near.sum(1), 1e-300)
        return np.stack([1-one, one], 1)

    def predict(self, X): return self.classes_[self.predict_proba(X).argmax(1)]
'''


@pytest.fixture
def tabpfn(tmp_path, monkeypatch):
    from mic_eval.domain.command import demo_patients
    (tmp_path/"tabpfn_like.py").write_text(STAND_IN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return demo_patients(tmp_path, n=40)


def carried_with(patients, **more):
    from mic_eval.domain.command import domain_run
    return domain_run(patients, "hospital", "ill", estimator="tabpfn_like:TabPFNClassifier", labels=(10,),
                      methods="mean shift, weights", profile=None, out=patients.parent/"runs", **more).result


@pytest.mark.full   # three hospitals, two methods
def test_a_network_of_tables_runs_by_its_import_path_where_its_weights_lie(tabpfn):
    (tabpfn.parent/"tabpfn-weights.ckpt").write_bytes(b"weights")
    r = carried_with(tabpfn)
    assert r.model.name == "TabPFNClassifier"
    each = {site: found["source only"].roc_auc for site, found in r.carried.sites.items()}
    assert set(each) == {"north", "east", "south"} and all(s.defined and s > .5 for s in each.values())
    for curves in r.all_method_curves.values():
        assert {"source only", "mean shift"} <= set(curves)
        assert all(set(c) == {"roc", "reliability", "decision"} for c in curves.values())


def test_without_its_weights_every_training_says_so(tabpfn):
    with pytest.raises(ValueError, match="tabpfn-weights.ckpt"): carried_with(tabpfn)


def patients_of(n=60, **columns):
    "Patients of three hospitals whose marker says something of the outcome, with further columns"
    rng = np.random.default_rng(0)
    ill = np.arange(n) % 2
    return pd.DataFrame(dict(clinic=np.repeat(list("ABC"), n//3), marker=rng.normal(ill, 1.), ill=ill) | columns)


def test_a_column_that_is_the_outcome_again_is_refused():
    "As words, as numbers, turned around, half empty, as what it was made from; one exception, or few patients, is none"
    t = patients_of()
    stages = np.where(t.ill == 1, 1+np.arange(60) % 3, 0)
    again = dict(status=np.where(t.ill == 1, "dead", "living"), code=t.ill+1, inverse=-t.ill, stage=stages,
                 half=t.ill.where(np.arange(60) < 32))
    for name, column in again.items():
        with pytest.raises(ValueError, match=f"column '{name}' tells the outcome of all .*--drop site,{name}"):
            read_sites(t.assign(site="x", **{name: column}), "clinic", "ill", drop=("site",))
    honest = dict(one_off=np.where(np.arange(60) == 7, 1-t.ill, t.ill), few=t.ill.where(np.arange(60) < 12))
    for name, column in honest.items():
        assert name in read_sites(t.assign(**{name: column}), "clinic", "ill").features


def test_numbers_of_rows_are_names_and_no_features():
    "A file sorted by outcome would be judged by them"
    t = patients_of().sort_values("ill", ignore_index=True)
    numbers = {"Patient ID": [f"p{i:03}" for i in range(60)], "Unnamed: 0": range(60), "visit": range(500, 560),
               "病历号": [7*i % 61 for i in range(60)]}
    for name, column in numbers.items():
        d = read_sites(t.assign(**{name: column}), "clinic", "ill")
        assert d.features == ("marker",) and d.ids.tolist() == [str(v) for v in column], name
    d = read_sites(patients_of(dose=np.arange(60)*2), "clinic", "ill")   # counts on by two, and says nothing of a name
    assert "dose" in d.features
    bound = site_binding(t.assign(id=range(60), row=range(60)), "clinic", "ill")
    assert bound.column("sample_id") == "id" and bound.left == ("row",)


def test_hospitals_words_and_numbers_are_what_they_are_called():
    t = patients_of()
    blanks = t.assign(clinic=t.clinic.where(t.index % 2 == 0, t.clinic+" "))
    assert read_sites(blanks, "clinic", "ill").places == [*"ABC"]
    with pytest.raises(ValueError, match="hospitals 'A' and 'a' differ by case or blanks alone"):
        read_sites(t.assign(clinic=t.clinic.where(t.index != 3, "a")), "clinic", "ill")
    with pytest.raises(ValueError, match="'marker' holds numbers, and '<1' in rows 3, 5: .*--drop marker"):
        read_sites(t.assign(marker=t.marker.astype(object).where(~t.index.isin([3, 5]), "<1")), "clinic", "ill")
    with pytest.raises(Asked, match="which outcome is positive, 'ill' or 'well'"):
        read_sites(t.assign(ill=t.ill.map({0: "well", 1: "ill"})), "clinic", "ill")
    d = read_sites(t.assign(ill=t.ill.map({0: "well", 1: "ill"})), "clinic", "ill", positive="ill")
    assert d.classes == ("well", "ill") and (d.y == t.ill).all()
    assert (read_sites(t.assign(ill=t.ill.map({0: " no ", 1: "yes"})), "clinic", "ill").y == t.ill).all()
    with pytest.raises(ValueError, match="target 'ill' holds 'unknown' in row 4: above"):
        read_sites(t.assign(ill=t.ill.astype(object).where(t.index != 4, "unknown")), "clinic", "ill", above=0)


def test_a_table_of_patients_says_how_it_was_read(tmp_path):
    t, told = patients_of(), []
    t.assign(clinic=t.clinic.where(t.index != 9), id=range(60), note="x").to_csv(tmp_path/"p.csv", index=False)
    def tell(text): told.append(str(text))
    domain_source(tmp_path/"p.csv", "clinic", "ill", drop=("note",), methods="CORAL", tell=tell)
    assert told[1:] == [
        "p: 59 patients of 3 hospitals in 'clinic'; outcome 'ill', positive: '1'; features: marker",
        "no features: id, note", "left out, without a hospital: 1 row"]
    t.assign(marker=t.marker.astype(object).where(t.index != 4, "<1")).to_csv(tmp_path/"q.csv", index=False)
    with pytest.raises(ValueError, match="q.csv: column 'marker' holds numbers, and '<1' in row 6:"):
        domain_source(tmp_path/"q.csv", "clinic", "ill")


def three_hospitals(n=240, seed=1):
    rng = np.random.default_rng(seed)
    t = pd.DataFrame(dict(patient=[f"p{i}" for i in range(n)], hospital=rng.choice(["A", "B", "C"], n),
                          age=rng.integers(20, 90, n), crp=rng.gamma(2, 20, n).round(1)))
    ill = .03*(t.age-55)+.02*(t.crp-40)+rng.normal(size=n) > 0
    return t.assign(disease=np.where(ill, "yes", "no"))


def test_nobody_is_judged_by_a_model_that_was_trained_on_him():
    "Patients of two hospitals are taken out of the sources of the other one"
    seen = {}
    class Remembers:
        classes_ = np.array([0, 1])
        def get_params(self, deep=True): return {}
        def set_params(self, **k): return self
        def fit(self, X, y, sample_weight=None):
            seen.setdefault("n", []).append(len(y))
            return self
        def predict_proba(self, X): return np.tile([.6, .4], (len(X), 1))
    t = three_hospitals()
    moved = t[t.hospital == "A"].head(30).assign(hospital="B")
    data = read_sites(pd.concat([t, moved]), "hospital", "disease")
    counts = t.hospital.value_counts()
    leave_one_site_out(Remembers(), data, methods={}, labels=None, targets=["A"])
    assert set(seen.pop("n")) == {counts.B+counts.C}   # of 30 more rows none
    leave_one_site_out(Remembers(), data, methods={}, labels=None, targets=["B"])
    assert set(seen.pop("n")) == {counts.A+counts.C-30}
    twins = pd.concat([t[t.hospital == "A"], t[t.hospital == "A"].assign(hospital="B")])
    with pytest.raises(ValueError, match="nobody is left to train on"):
        leave_one_site_out(Remembers(), read_sites(twins, "hospital", "disease"), methods={}, labels=None)


def test_rows_of_two_hospitals_are_refused_where_no_patient_is_named(tmp_path):
    t = three_hospitals().drop(columns="patient")
    twice = pd.concat([t, t[t.hospital == "A"].head(20).assign(hospital="C")])   # and two by chance
    twice.to_csv(tmp_path/"t.csv", index=False)
    with pytest.raises(ValueError, match="41 rows stand in two hospitals with the same values"):
        read_sites(tmp_path/"t.csv", "hospital", "disease")
    read_sites(t, "hospital", "disease")
    coarse = t.assign(age=t.age//40, crp=(t.crp > 40).astype(int))   # of few values twins are everywhere
    read_sites(coarse, "hospital", "disease")
    read_sites("heart", "hospital", "target", above=0)


@pytest.mark.parametrize("divided, said", [(["B"], ("B",)), (["A", "C"], ("A", "C")), (["A", "B", "C"], None)])
def test_another_unit_is_seen_whichever_hospitals_use_it(divided, said):
    t = three_hospitals()
    t.loc[t.hospital.isin(divided), "crp"] /= 10
    data = read_sites(t, "hospital", "disease")
    found = apart_in_scale(data)
    assert [(f, sorted(few)) for f, few, *_ in found] == ([("crp", sorted(said))] if said else [])
    assert ("another unit?" in site_findings(data).scales) == bool(said)


def test_five_patients_do_not_stop_a_model():
    "What was not tried is not said to mend nothing"
    def came(v, lo, hi): return Result(roc_auc=Score(v, lo, hi), observed_expected=Score(1., .8, 1.2))
    def effect(gain): return {ORACLE: Result(uses="labels", gain=Result(roc_auc=gain), verdict=Result(roc_auc=""))}
    untried, tried = effect(Score(reason="too few")), effect(Score(.01, -.05, .06))
    assert advice_of(came(.5, .1, .9), untried) == "unknown"
    assert advice_of(came(.5, .42, .58), tried) == "stop"
    assert advice_of(came(.8, .5, .95), tried) == "unknown"
    assert advice_of(came(.8, .7, .9), tried) == "keep"


def coded(code, share=.1):
    "Blood pressures and a scale of 0 to 4, where some values were not taken"
    rng = np.random.default_rng(0)
    X = np.c_[rng.normal(130, 15, 200).round(), rng.integers(0, 5, 200)]
    X[rng.random(X.shape) < share] = code
    return SiteData(X, rng.integers(0, 2, 200), np.repeat(["a", "b"], 100), ("bp", "scale"), np.arange(200).astype(str))


@pytest.mark.parametrize("code, found", [(-999, ["bp", "scale"]), (-9, ["bp", "scale"]), (9, ["bp", "scale"]),
                                         (999, ["bp", "scale"]), (-1, ["bp"]), (4, []), (130, []), (99, ["scale"])])
def test_numbers_that_stand_for_gaps_are_found(code, found):
    "-1 lies no further from 0 to 4 than their quartiles from each other; 99 might be a blood pressure"
    assert sorted(gap_codes(coded(code))) == found


def test_gaps_are_what_somebody_says(tmp_path):
    gone = empty_codes(coded(-999), [-999])
    assert gap_codes(gone) == {} and np.isnan(gone.X).sum() == (coded(-999).X == -999).sum()
    with pytest.raises(ValueError, match="no feature holds 7"): empty_codes(coded(-999), [7])
    assert gap_codes(coded(-999, share=.002)) == {}   # once is a slip of the pen


def test_decimal_commas_are_decimals():
    "They were texts, to be left out; 1,024 stays one, which may group thousands"
    rng = np.random.default_rng(0)
    said = [f"{v:.2f}".replace(".", ",") for v in rng.random(60)]
    frame = pd.DataFrame(dict(site=list("ab")*30, ill=[0, 1, 1]*20, crea=said))
    frame.loc[3, "crea"] = ""
    found = read_sites(frame, "site", "ill")
    assert found.features == ("crea",) and np.isnan(found.X[3, 0]) and np.nanmax(found.X) <= 1
    with pytest.raises(ValueError, match="different texts, such as '1,"):
        read_sites(frame.assign(crea=[f"1,{v:03}" for v in rng.permutation(60)]), "site", "ill")


def test_no_gain_is_a_gain_of_no_hospital():
    from mic_eval.domain.effect import over_centres
    found = over_centres(dict(a=NotApplicable("few"), b=Score(np.nan)))
    assert found.centres == 0 and isinstance(found.mean, NotApplicable)


def test_patients_of_some_folds_are_taken_as_of_none():
    "A fold or a patient that is missing somewhere says nothing of who belongs together"
    from mic_eval.core.tables import Predictions
    from mic_eval.domain.effect import mapped_apart, whose
    def told(f, names): return f(Predictions(list("abcd"), [0, 1, 0, 1], [.1, .2, .3, .4],
                                             facts=pd.DataFrame(dict(fold=names, patient=names))))
    for f in (mapped_apart, whose):
        assert told(f, ["x", "x", "y", "y"]).tolist() == list("xxyy")
        assert told(f, ["x", "x", "y", None]) is None is told(f, [None]*4)
    assert told(mapped_apart, ["x"]*4) is None is told(whose, list("wxyz"))


@pytest.mark.later
def test_distances_are_seen_with_the_eyes_of_the_other_hospitals():
    "Gaps are filled with their median; a hospital far away is told apart, and moved it is not"
    from mic_eval.domain.effect import distances_removed
    rng = np.random.default_rng(0)
    X, sites = rng.normal(size=(120, 2)), np.repeat(["A", "B", "C"], 40)
    X[sites == "C"] += 4
    gaps = X.copy()
    gaps[-20:, 1] = np.nan
    filled = np.where(np.isnan(gaps), np.median(X[:80], 0), X)
    def removed(X):
        data = SiteData(X, np.arange(120) % 2, sites, ("a", "b"), np.arange(120).astype(str))
        return distances_removed(data, {"shift": MeanShift()}, targets=["C"], n_permutations=9)
    told = removed(X).set_index("measure").loc["domain_auc"]
    assert told.before > .99 and told.p_before == .1 and told.after < .75 and told.p_after > .1
    pd.testing.assert_frame_equal(removed(gaps), removed(filled))


def test_a_target_that_no_mixture_explains_has_the_least_p_there_is():
    from mic_eval.domain.prior import mixture_test
    up, down = np.arange(60)+100., np.arange(60.)
    half = np.r_[up, down]
    assert mixture_test(up, down, half, n_resamples=19) == pytest.approx((0, .5, 1))
    d, _, p = mixture_test(up, down, np.arange(60)+1000., n_resamples=19)
    assert d == 1 and p == 1/20


@pytest.mark.parametrize("metric, margin", [("roc_auc", .02), ("accuracy", .03), ("brier", .01), ("log_loss", .03),
                                            ("slope", .1), ("net_benefit", .01), ("net_benefit_0.2", .01)])
def test_a_gain_within_its_margin_makes_no_difference(metric, margin):
    from mic_eval.domain.effect import gain_verdict, margin_of
    for least, said in ((.99, "no difference"), (1.01, "not shown")):
        gains = Score(0., -least*margin, .5*margin), Score(0., -.5*margin, least*margin)
        assert {gain_verdict(g, .5, margin_of(metric)) for g in gains} == {said}


@pytest.mark.parametrize("first, second, found", [
    ((1, 2), (10, 20), True), ((1, 2), (3, 4), False),   # apart, and too near to be another unit
    ((1, 100), (1, 800), False)])                        # eight times as much, and yet they overlap
def test_another_unit_is_far_away_and_does_not_overlap(first, second, found):
    X = np.r_[np.linspace(*first, 20), np.linspace(*second, 20)][:, None]
    data = SiteData(X, np.arange(40) % 2, np.repeat(["A", "B"], 20), ("chol",), np.arange(40).astype(str))
    assert apart_in_scale(data) == ([("chol", ("A",), 1.5, ("B",), 15.)] if found else [])
    turned = SiteData(X[::-1], data.y, data.sites, data.features, data.ids)
    assert [o[1] for o in apart_in_scale(turned)] == [("B",)]*found


def test_what_patients_gain_adds_up_to_the_gain_of_all():
    "By scikit-learn, and net benefit by counting calls: a false one costs the odds of the threshold"
    from sklearn.metrics import brier_score_loss, log_loss
    from mic_eval.domain.leave_out import patient_gains
    rng = np.random.default_rng(0)
    y, p, q = rng.integers(0, 2, 60), rng.uniform(.02, .98, 60).round(1).clip(.05, .95), rng.uniform(.02, .98, 60)
    found = {k: v.mean() for k, v in patient_gains(y, p, q).items()}
    def benefit(p, t): return ((p >= t) & (y == 1)).mean()-((p >= t) & (y == 0)).mean()*t/(1-t)
    assert found == pytest.approx(dict(
        brier=brier_score_loss(y, q)-brier_score_loss(y, p), log_loss=log_loss(y, q)-log_loss(y, p),
        **{f"net_benefit_{t:g}": benefit(p, t)-benefit(q, t) for t in (.2, .5)}))
