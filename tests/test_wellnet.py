"WellNet: shape, weights, determinism, and what it can do"
import numpy as np
import pytest
import torch

from mic_eval.data.scenes import bubble_wells, turbidity_level, turbidity_wells
from mic_eval.data.wells import render_plates, render_wells
from mic_eval.metrics.roc_and_pr import roc_auc
from mic_eval.model.wellnet import (WellNet, as_batch, build_wellnet, density_view, wellnet_temperature,
                                    load_wellnet, save_wellnet, train_wellnet)


@pytest.fixture(scope="module")
def net(): return load_wellnet()


def growth_of(net, images):
    with torch.no_grad():
        return torch.cat([net(as_batch(images[i:i+96]))["logits"] for i in range(0, len(images), 96)]).softmax(1)[:,
            1].numpy()


def test_small_enough(net):
    from importlib.resources import files
    assert sum(p.numel() for p in net.parameters()) < 200_000
    assert len((files("mic_eval.model")/"wellnet.safetensors").read_bytes()) < 1_000_000


@pytest.mark.parametrize("shape", [(1, 1, 32, 32), (3, 1, 70, 70), (2, 3, 70, 70), (2, 1, 96, 64)])
def test_any_size(net, shape):
    out = net(torch.rand(shape))
    assert out["logits"].shape == (shape[0], 2)
    assert out["bubble_confidence"].shape == out["turbidity_level"].shape == (shape[0],)
    assert net.features(torch.rand(shape)).shape == (shape[0], 128)


@pytest.mark.parametrize("shape", [(1, 70, 70), (1, 2, 70, 70), (1, 1, 20, 70)])
def test_other_shapes_are_refused(net, shape):
    with pytest.raises(ValueError, match="must have shape"): net(torch.rand(shape))


def test_brightness_does_not_matter():
    x = torch.rand(2, 1, 64, 64)*.5+.5
    assert torch.allclose(density_view(x), density_view(x*.3), atol=1e-4)


def test_batches_do_not_matter(net):
    x = as_batch(render_wells(12, seed=0).images)
    with torch.no_grad(): whole, one = net(x)["logits"], torch.cat([net(x[i:i+1])["logits"] for i in range(12)])
    assert torch.allclose(whole.softmax(1), one.softmax(1), atol=1e-5)


@pytest.mark.parametrize("shape", [(5, 1, 70, 70), (2, 3, 70, 70), (2, 1, 96, 50), (2, 1, 40, 33), (1, 1, 64, 64)])
def test_the_network_in_numpy_says_what_pytorch_says(net, shape):
    from mic_eval.model.load import well_reader
    x = np.random.default_rng(sum(shape)).random(shape, np.float32)
    with torch.no_grad(): theirs = {k: v.numpy() for k, v in net(torch.from_numpy(x)).items()}
    ours = well_reader()(x)
    assert list(ours) == list(theirs) and (ours["turbidity_level"] == theirs["turbidity_level"]).all()
    for k in ("logits", "turbidity", "bubble_confidence"): np.testing.assert_allclose(ours[k], theirs[k], atol=1e-5)


@pytest.mark.later
def test_real_wells_have_the_same_probability_in_numpy_and_pytorch(net):
    from mic_eval.data.real import shipped
    from mic_eval.model.predict import predict
    from mic_eval.model.load import well_reader
    ours, theirs = (predict(m, shipped("plates"), progress=False) for m in (well_reader(), net))
    np.testing.assert_allclose(ours.prob, theirs.prob, atol=1e-6)


@pytest.mark.later
def test_it_reads_rendered_plates(net):
    w = render_plates(3, seed=31)
    p = growth_of(net, w.images)
    assert roc_auc(w.growth, p).value > .97 and ((p >= .5) == w.growth).mean() > .94


@pytest.mark.later
def test_it_finds_bubbles_at_one_half(net):
    w = bubble_wells(40, seed=31)
    with torch.no_grad(): called = net(as_batch(w.images))["bubble_confidence"].numpy() >= .5
    assert called[w.bubble == 1].mean() > .8 and called[w.bubble == 0].mean() < .15


def test_it_tells_levels_of_turbidity(net):
    w = turbidity_wells(20, even=.33, seed=31)
    with torch.no_grad(): level = net(as_batch(w.images))["turbidity_level"].numpy()
    assert (abs(level-turbidity_level(w.optical_density)) <= 1).mean() > .9 and level.min() >= 0 and level.max() <= 5


def test_turbidity_is_learnt_where_it_is_given():
    w = turbidity_wells(16, size=32, even=1., seed=3)
    level = turbidity_level(w.optical_density)
    one, _ = train_wellnet(w.images, w.growth, w.bubble, epochs=1, batch=32, seed=3)
    two, _ = train_wellnet(w.images, w.growth, w.bubble, level, epochs=1, batch=32, seed=3)
    assert not torch.equal(one.turbidity.weight, two.turbidity.weight)
    x = as_batch(w.images)
    with torch.no_grad(): out = two(x)
    assert torch.equal(out["turbidity_level"], (out["turbidity"] > 0).sum(1))


def test_colour_reads_like_grey(net):
    grey = render_wells(40, [0, 1]*20, seed=1).images
    assert np.allclose(growth_of(net, grey), growth_of(net, np.repeat(grey[..., None], 3, -1)), atol=1e-4)


@pytest.mark.later
def test_training_is_seeded_and_leaves_the_global_generator_alone():
    w = render_wells(128, [0, 1]*64, size=32, seed=2)
    torch.manual_seed(9)
    before = torch.random.get_rng_state()
    a, losses = train_wellnet(w.images, w.growth, w.bubble, epochs=2, batch=32, seed=3)
    b, _ = train_wellnet(w.images, w.growth, w.bubble, epochs=2, batch=32, seed=3)
    c, _ = train_wellnet(w.images, w.growth, w.bubble, epochs=1, batch=32, seed=4)
    assert all(torch.equal(p, q) for p, q in zip(a.parameters(), b.parameters()))
    assert not torch.equal(a.growth.weight, c.growth.weight)
    assert torch.equal(before, torch.random.get_rng_state()) and len(losses) == 2 and not a.training


@pytest.mark.later
def test_temperature_does_not_change_calls_and_lowers_the_loss():
    w = render_wells(200, seed=8)
    net = load_wellnet()
    net.temperature.fill_(5.)
    blunt = growth_of(net, w.images)
    wellnet_temperature(net, w.images, w.growth)
    sharp = growth_of(net, w.images)
    loss = lambda p: -np.log(np.where(w.growth == 1, p, 1-p).clip(1e-9)).mean()
    assert ((blunt > .5) == (sharp > .5)).all() and loss(sharp) < loss(blunt)


def test_weights_round_trip(tmp_path):
    a = build_wellnet()
    save_wellnet(a, tmp_path/"a.safetensors")
    b = load_wellnet(tmp_path/"a.safetensors")
    assert isinstance(b, WellNet)
    assert all(torch.equal(x, y) for x, y in zip(a.state_dict().values(), b.state_dict().values()))


def test_wrong_weights_are_refused_by_name(tmp_path):
    from safetensors.torch import save_file
    (tmp_path/"junk.safetensors").write_bytes(b"not weights")
    save_file(dict(w=torch.ones(2)), str(tmp_path/"other.safetensors"))
    for name in "junk", "other":
        with pytest.raises(ValueError, match=name): load_wellnet(tmp_path/f"{name}.safetensors")
    with pytest.raises(FileNotFoundError): load_wellnet(tmp_path/"missing.safetensors")
