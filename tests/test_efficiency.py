"Efficiency: counts by hand, order statistics against their definition, structure; times themselves are never asserted."
import math
import subprocess
import sys

import numpy as np
import pytest
import torch
from scipy.stats import binom
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from torch import nn

from mic_eval.core.criteria import judge
from mic_eval.core.results import NotApplicable, Score, from_json, to_json
from mic_eval.model.efficiency import (call_times, efficiency, flops, footprint, hardware, model_size, plot_latency,
                                       precision_change, time_quantile,
                                       working_memory)
from mic_eval.model.predict import PredictError, predict
from every import every

LIMITS = ["inference_time_ms", "memory_mb", "parameters_m", "throughput_per_s"]
quick = dict(batch_sizes=(1, 2), warmup=1, repeats=8)


@pytest.fixture
def pictures(): return np.random.default_rng(0).random((6, 1, 4, 4), np.float32)


@pytest.fixture
def net():
    torch.manual_seed(0)
    return nn.Sequential(nn.Flatten(), nn.Linear(16, 2))


@every("layer, shape, count", [
    (nn.Sequential(nn.Flatten(), nn.Linear(16, 3)), (1, 4, 4), 2*16*3),
    (nn.Sequential(nn.Flatten(), nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 2)), (1, 4, 4), 2*(16*8 + 8*2)),
    (nn.Conv2d(3, 5, 3, padding=1), (3, 6, 6), 2*27*5*36),
    (nn.Conv2d(4, 4, 3, stride=2, groups=4), (4, 7, 7), 2*9*4*9),
    (nn.ReLU(), (1, 4, 4), 0)])
@every("n", [1, 3])
def test_flops_by_hand(layer, shape, count, n):
    assert float(flops(layer, np.zeros((n, *shape), np.float32)))*1e6 == pytest.approx(count)


def test_sizes_by_hand(net):
    s = model_size(net)
    assert s.parameters == 34 and float(s.parameters_m) == 34e-6 and float(s.size_mb) == pytest.approx(136e-6)
    assert float(model_size(net.double()).size_mb) == pytest.approx(272e-6)
    # two running buffers and an int64 counter ship, but are no parameters
    norm = model_size(nn.BatchNorm2d(4))
    assert norm.parameters == 8 and float(norm.size_mb)*1e6 == pytest.approx(16*4 + 8)


def test_shared_weights_count_once():
    one = nn.Linear(4, 4, bias=False)
    assert model_size(nn.Sequential(one, nn.ReLU(), one)).parameters == 16
    assert float(model_size(nn.Sequential(one, nn.ReLU(), one)).size_mb)*1e6 == pytest.approx(64)


def test_sizes_of_others():
    X, y = np.random.default_rng(0).random((20, 16)), [0, 1]*10
    assert model_size(LogisticRegression().fit(X, y)).parameters == 17
    forest = model_size(RandomForestClassifier(3, random_state=0).fit(X, y))
    assert isinstance(forest.parameters, NotApplicable) and forest.size_mb > 0
    nothing = model_size(lambda x: x)
    assert all(isinstance(v, NotApplicable) for v in nothing.values())
    with pytest.raises(ValueError, match="is no model"): model_size(3)


class Steps(nn.Module):
    "Two copies that die, then the answer"
    def forward(self, x):
        a = x + 1
        b = a + 1
        del a
        return (b + 1).sum((1, 2, 3))


def test_memory_by_hand(pictures, net):
    assert float(working_memory(net, pictures))*1e6 == pytest.approx(136 + 64 + 8)
    assert float(working_memory(Steps(), pictures))*1e6 == pytest.approx(64*3 + 4)    # picture, b, b + 1, and their sum
    deep = nn.Sequential(nn.Flatten(), *[nn.Linear(16, 16, bias=False) for _ in range(9)])
    # no more than two layers' answers at once
    assert float(working_memory(deep, pictures))*1e6 == pytest.approx(9*16*16*4 + 64*3)
    # the picture is converted
    assert float(working_memory(net.double(), pictures))*1e6 == pytest.approx(272 + 64 + 128 + 16)


def test_footprint_is_the_same_twice(pictures, net):
    assert to_json(footprint(net, pictures)) == to_json(footprint(net, pictures[::-1]))


@every("n", [6, 10, 37, 100, 400])
@every("q", [.5, .95, .99])
@every("ci", [.8, .95])
def test_ranks_hold_their_level(n, q, ci):
    s = time_quantile(np.random.default_rng(n).permutation(n) + 1., q, ci)
    if not s.defined: assert n*(1-q) < 1 - 1e-9 and "needs at least" in s.reason; return
    if math.isnan(s.lo):
        assert "too few calls" in s.reason and 1 - binom.cdf(n-1, n, q) > (1-ci)/2 - 1e-12 or binom.cdf(0, n,
            q) > (1-ci)/2; return
    low, high, tail = int(s.lo), int(s.hi), (1-ci)/2
    assert low <= s <= high
    # either side keeps its level
    assert binom.cdf(low-1, n, q) <= tail + 1e-12 and 1 - binom.cdf(high-1, n, q) <= tail + 1e-12
    # and one rank less would not
    assert binom.cdf(low, n, q) > tail - 1e-12 and 1 - binom.cdf(high-2, n, q) > tail - 1e-12


def test_median_interval_known():
    s = time_quantile(np.arange(1., 11))             # Conover, table A3: ranks 2 and 9 of 10
    assert (float(s), s.lo, s.hi) == (5.5, 2, 9)
    s = time_quantile(np.arange(1., 26))
    assert (float(s), s.lo, s.hi) == (13, 8, 18)
    with pytest.raises(ValueError, match="q must lie"): time_quantile([1, 2], 1.)
    assert math.isnan(time_quantile([]).value) and math.isnan(time_quantile([3.]).value)


def test_calls_are_counted(pictures):
    seen = []
    t = call_times(lambda x: seen.append(x.shape) or x, pictures, warmup=3, repeats=4)
    assert t.shape == (4,) and (t > 0).all() and len(seen) == 7


def test_structure(pictures, net):
    r = efficiency(net.train(), pictures, **quick)
    assert net.training and all(isinstance(r[k], Score) for k in LIMITS)
    assert list(r.latency) == ["1", "2"] and list(r.precision) == ["bfloat16", "float16"]
    assert r.inference_time_ms is r.latency["1"].p50_ms and r.inference_time_ms.n == 8
    assert r.latency["1"].p99_ms.reason == "p99 needs at least 100 calls"
    assert r.latency["1"].p95_ms.reason == "p95 needs at least 20 calls"
    assert float(r.throughput_per_s) == max(float(o.per_s) for o in r.latency.values())
    for b, o in r.latency.items():
        assert float(o.per_s) == pytest.approx(1000*int(b)/o.p50_ms) and o.per_s.lo <= o.per_s <= o.per_s.hi
    assert r.hardware.device == "cpu" and r.hardware.processor and r.hardware.torch == torch.__version__
    back = from_json(to_json(r))
    assert repr(back.latency) == repr(r.latency) and repr(back.precision) == repr(r.precision)
    judged = {j.criterion.metric: j.status for j in judge(r, "mic-release").judged}
    assert all(judged[k] in ("pass", "fail") for k in LIMITS) and judged["accuracy"] == "not evaluated"
    assert judged["parameters_m"] == judged["memory_mb"] == "pass"


def test_few_pictures_fill_a_batch(net, pictures):
    asked = []
    f = lambda x: asked.append(len(x)) or x.mean((1, 2, 3))
    r = efficiency(f, pictures[:2], batch_sizes=[5], warmup=0, repeats=3)
    assert asked == [2, 5, 5, 5] and r.inference_time_ms.reason == "a batch of one was not timed"


def test_estimator_and_function(pictures):
    model = LogisticRegression().fit(pictures.reshape(6, -1), [0, 1]*3)
    r = efficiency(model, pictures, **quick)
    assert all(isinstance(r[k], Score) for k in LIMITS) and isinstance(r.flops_m, NotApplicable)
    assert r.memory_mb > r.size_mb and all(isinstance(v, NotApplicable) for v in r.precision.values())
    mean = LogisticRegression().fit(pictures.mean((1, 2, 3))[:, None], [0, 1]*3)
    assert efficiency(mean, pictures, features=lambda x: x.mean((1, 2, 3))[:, None], **quick).parameters == 2
    f = efficiency(lambda x: x.mean((1, 2, 3)), pictures, **quick)
    assert isinstance(f.memory_mb, NotApplicable) and f.inference_time_ms > 0
    assert {j.criterion.metric: j.status for j in judge(f, "mic-release").judged}["memory_mb"] == "not applicable"


class Edge(nn.Module):
    def __init__(self, scale=1.):
        super().__init__()
        self.middle, self.scale = nn.Parameter(torch.tensor([.5])), scale
    def forward(self, x): return (x[:, 0, 0, 0] - self.middle)*self.scale


def test_changed_calls():
    dots = np.array([.4995, .25, .75, .9], np.float32).reshape(4, 1, 1, 1)
    for precision, changed in dict(bfloat16=1, float16=0).items():     # float16 knows .4995 to 1/4096
        c = precision_change(Edge(), dots, precision)
        assert (c.calls_changed.k, c.calls_changed.n) == (changed, 4) and c.way == "weights and activations"
        assert float(c.weights_mb)*1e6 == 2 and c.largest_change >= c.mean_change > 0
    c = precision_change(Edge(), dots, kind="score")
    assert isinstance(c.calls_changed, NotApplicable) and c.largest_change > 0


def test_precision_leaves_the_model_alone(net, pictures):
    before = predict(net, pictures)
    precision_change(net, pictures)
    assert all(p.dtype == torch.float32 for p in net.parameters())
    assert (predict(net, pictures).scores == before.scores).all()


def test_too_short_a_range(pictures):
    c = precision_change(Edge(1e6), pictures, "float16")
    assert isinstance(
        c, NotApplicable) and c.reason.startswith(
            "does not run in float16: model Edge failed") or c.way.startswith("mixed")


def test_mixed_where_an_operation_is_missing():
    from mic_eval.model.wellnet import build_wellnet
    torch.manual_seed(0)
    wells = np.random.default_rng(1).random((3, 1, 70, 70), np.float32)
    c = precision_change(build_wellnet(), wells)
    assert c.largest_change < .05 and c.calls_changed.n == 3
    if c.way.startswith("mixed"): assert float(c.weights_mb) == float(model_size(build_wellnet()).size_mb)


@pytest.mark.parametrize("how, text", [(dict(batch_sizes=()), "batch_sizes must be"),
                                       (dict(batch_sizes=(0, 1)), "batch_sizes must be"),
                                       (dict(batch_sizes=(1.5,)), "batch_sizes must be"),
                                       (dict(batch_sizes="all"), "batch_sizes must be"),
                                       (dict(repeats=0), "repeats must be"), (dict(warmup=-1), "warmup at least 0"),
                                       (dict(ci=95), "must lie between 0 and 1"),
                                       (dict(precisions=("int8",)), "bfloat16 or float16")])
def test_bad_options(net, pictures, how, text):
    with pytest.raises(ValueError, match=text): efficiency(net, pictures, **quick | how)


def test_bad_models(pictures):
    def broken(x): raise RuntimeError("out of luck")
    with pytest.raises(PredictError, match="out of luck"): efficiency(broken, pictures, **quick)
    with pytest.raises(PredictError, match="only torch modules"):
        efficiency(lambda x: x.mean((1, 2, 3)), pictures, device="cuda", **quick)
    with pytest.raises(ValueError, match="no model 'nothing'"): efficiency("nothing", pictures)


def test_a_picture(net, pictures):
    ax = plot_latency(efficiency(net, pictures, precisions=(), **quick), limit=5)
    assert "ms" in ax.get_ylabel() and [t.get_text() for t in ax.get_legend().get_texts()][-1] == "limit 5 ms"


@pytest.mark.later
def test_without_torch():
    code = ("import sys, numpy as np; from mic_eval.model.efficiency import efficiency;"
            "r = efficiency(lambda x: x.mean((1, 2, 3)), np.full((2, 1, 4, 4), .5, np.float32), warmup=0, repeats=2);"
            "assert 'torch' not in sys.modules and 'torch' not in r.hardware, sorted(sys.modules)")
    assert not subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stderr


def test_hardware(): assert {"processor", "cores", "memory_gb", "device", "process_mb"} <= hardware().keys()


def test_an_estimator_is_timed_whatever_its_classes_are_called(tmp_path):
    import pandas as pd
    from mic_eval.model.predict import inputs_for
    table = pd.DataFrame(np.random.default_rng(0).random((12, 4)), columns=list("abcd"))
    table.assign(label=["a", "b", "c"]*4).to_csv(tmp_path/"rows.csv", index=False)
    net = LogisticRegression().fit(table, ["a", "b", "c"]*4)
    few = dict(precisions=(), batch_sizes=(1, 4), warmup=0, repeats=2)
    found = efficiency(net, inputs_for(net, tmp_path/"rows.csv"), **few)
    assert found.inference_time_ms > 0 and found.latency["4"].p50_ms > 0


def test_a_question_times_what_the_function_does():
    from inspect import signature

    from mic_eval.model.efficiency import efficiency, latency_metrics
    one, other = ({k: p.default for k, p in signature(f).parameters.items()} for f in (efficiency, latency_metrics))
    assert {k: one[k] for k in ("batch_sizes", "warmup", "repeats")} == {
        k: other[k] for k in ("batch_sizes", "warmup", "repeats")}
