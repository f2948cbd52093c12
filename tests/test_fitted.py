"What a model was fitted on is known again in another file, and shuts the verdict"
import hashlib

import numpy as np
import pandas as pd
import pytest
from mic_eval.data.class_sets import read_fitted
from mic_eval.run.evaluation import make_run
from PIL import Image

N = 600


@pytest.fixture
def body():
    rng = np.random.default_rng(0)
    x = rng.normal(0, 1, (N, 4)).round(4)
    y = (x.sum(1) > 0)*1
    p = np.clip(np.where(y, .95, .05)+rng.normal(0, .02, N), .0012, .9987)
    ward = rng.choice(["a", "b", "c"], N)
    return pd.DataFrame(x, columns=["sodium", "age", "lactate", "pulse"]).assign(ward=ward, y_true=y, y_prob=p)


def judged(place, rows, fitted, **how):
    rows.to_csv(place/"judged.csv", index=False)
    r = make_run(predictions=place/"judged.csv", profile="classification-screen", out=place/"runs", fitted=fitted,
                 **how)
    return r.result["verdict"]["status"], r.result["data"]["fitted"]


def stored(place, rows):
    rows.to_csv(place/"learned.csv", index=False)
    return place/"learned.csv"


OTHER_NAMES = [
    ("as they are", lambda t: t),
    ("under other names", lambda t: t.assign(id=[f"x{i}" for i in range(len(t))])),
    ("in another order", lambda t: t.sample(frac=1, random_state=1)),
    ("with a truth that was edited", lambda t: t.assign(y_true=1-t.y_true)),
    ("with fewer columns", lambda t: t[["age", "pulse", "ward"]]),
]


@pytest.mark.later
@pytest.mark.parametrize("name, spoilt", OTHER_NAMES)
def test_rows_are_known_by_what_they_hold(tmp_path, body, name, spoilt):
    learned = stored(tmp_path, spoilt(body[:320].drop(columns="y_prob")))
    status, seen = judged(tmp_path, body[300:], learned)
    assert (status, seen["k"], seen["n"], seen["by"]) == ("insufficient n", 20, 300, "content")


def test_other_rows_of_the_same_kind_pass(tmp_path, body):
    status, seen = judged(tmp_path, body[300:], stored(tmp_path, body[:300]))
    assert (status, seen["k"]) == ("pass", 0)


def test_rows_are_known_by_every_digit_of_a_score(tmp_path, body):
    bare = body[["y_true", "y_prob"]]
    learned = stored(tmp_path, bare[:330].assign(id=[f"a{i}" for i in range(330)]))
    status, seen = judged(tmp_path, bare[300:].assign(id=[f"b{i}" for i in range(300)]), learned)
    assert (status, seen["k"], seen["by"]) == ("insufficient n", 30, "score")


def test_names_that_count_say_nothing_and_others_do(tmp_path, body):
    bare = body[["y_true", "y_prob"]][:300]
    count, name = ([f"s{i}" for i in range(300)], [f"case {i*37 % 1009}" for i in range(300)])
    with pytest.raises(ValueError, match="share nothing to compare"):
        judged(tmp_path, bare.assign(id=count), stored(tmp_path, pd.DataFrame(dict(id=count, label="x"))))
    learned = stored(tmp_path, pd.DataFrame(dict(id=name[290:], label="x")))
    status, seen = judged(tmp_path, bare.assign(id=name), learned)
    assert (status, seen["k"], seen["by"]) == ("insufficient n", 10, "name")


def test_a_patient_in_both_is_known(tmp_path, body):
    person = np.array([f"{k*7919 % 10007:05d}" for k in range(N//2)]).repeat(2)
    t = body[["y_true", "y_prob"]].assign(patient=person)
    learned = stored(tmp_path, t[:300].assign(y_prob=.5, y_true=0)[["patient", "y_true"]])
    assert judged(tmp_path, t[290:], learned)[1]["k"] == 10


def test_a_threshold_chosen_on_learned_rows_shuts_the_verdict(tmp_path, body):
    t = body.assign(split=np.where(np.arange(N) < 200, "tune", "test"))
    status, seen = judged(tmp_path, t, stored(tmp_path, body[:100]), tune_on="tune", split="test")
    assert status == "insufficient n" and "the threshold was chosen on" in seen["why"]
    status, seen = judged(tmp_path, t, stored(tmp_path, body[:100]), tune_on="tune")
    assert status == "insufficient n" and "the threshold was chosen on" in seen["why"]


@pytest.fixture
def pictures(tmp_path):
    "A folder of 24 pictures in two classes, and one of what was learned, which holds four of them under other names"
    rng = np.random.default_rng(3)
    for i in range(24):
        f = tmp_path/"judged"/("dark", "light")[i % 2]/f"{i}.png"
        f.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray((rng.integers(0, 90, (8, 8))+120*(i % 2)).astype(np.uint8)).save(f)
    (tmp_path/"learned").mkdir()
    for i in range(20):
        f = tmp_path/"learned"/f"z{i}.png"
        if i < 4: f.write_bytes((tmp_path/"judged"/("dark", "light")[i % 2]/f"{i}.png").read_bytes())
        else: Image.fromarray(rng.integers(0, 255, (8, 8)).astype(np.uint8)).save(f)
    return tmp_path


def brightness(x): return np.clip(np.asarray(x).mean((1, 2, 3)), 0, 1)


def test_pictures_are_known_by_their_bytes(pictures):
    def seen(fitted):
        return make_run(brightness, pictures/"judged", profile="none", out=pictures/"runs", version="1", kind="prob",
                        fitted=fitted).result["data"]["fitted"]
    assert (seen(pictures/"learned")["k"], seen(pictures/"learned")["by"]) == (4, "bytes")
    sums = [hashlib.sha256(p.read_bytes()).hexdigest() for p in (pictures/"learned").iterdir()]
    (pictures/"sums.txt").write_text("\n".join(sums))
    assert seen(pictures/"sums.txt")["k"] == 4
    pd.DataFrame(dict(path=[f"learned/z{i}.png" for i in range(20)])).to_csv(pictures/"list.csv", index=False)
    assert seen(pictures/"list.csv")["k"] == 4


def test_features_of_an_estimator_are_known(tmp_path, body):
    from sklearn.linear_model import LogisticRegression
    features = ["sodium", "age", "lactate", "pulse"]
    t = body[[*features, "y_true"]].rename(columns=dict(y_true="label"))
    net = LogisticRegression().fit(t[:300][features], t.label[:300])
    t[280:].to_csv(tmp_path/"judged.csv", index=False)
    learned = stored(tmp_path, t[:300])
    r = make_run(net, tmp_path/"judged.csv", out=tmp_path/"runs", version="1", fitted=learned, kind="prob",
                 profile="classification-screen")
    assert (r.result["data"]["fitted"]["k"], r.result["verdict"]["status"]) == (20, "insufficient n")


def test_what_cannot_be_known_again_is_refused_by_name(tmp_path):
    (tmp_path/"empty").mkdir()
    with pytest.raises(ValueError, match="fitted: empty holds no pictures"): read_fitted(tmp_path/"empty")
    with pytest.raises(ValueError, match="fitted: no file or folder"): read_fitted(tmp_path/"nowhere")


@pytest.mark.parametrize("write", [lambda t, p: t.to_csv(p/"again.csv", index=False),
                                   lambda t, p: t.to_excel(p/"again.xlsx", index=False)])
def test_the_judged_table_itself_is_known_without_any_digits(tmp_path, body, write):
    rows = pd.DataFrame(dict(sample_id=[f"s{i}" for i in range(N)], y_true=body.y_true,
                             y_pred=np.where(np.arange(N) % 40 == 0, 1-body.y_true, body.y_true)))
    write(rows, tmp_path)
    status, said = judged(tmp_path, rows, next(tmp_path.glob("again.*")))
    assert status != "pass" and (said.k, said.n) == (N, N)
    rows.assign(y_pred=rows.y_pred.iloc[::-1].to_numpy()).to_csv(tmp_path/"other.csv", index=False)
    with pytest.raises(ValueError, match="share nothing to compare"):
        judged(tmp_path, rows, tmp_path/"other.csv")
