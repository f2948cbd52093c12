"Distances between data sets: beside scipy and scikit-learn (live), POT (stored values), and brute force"
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial.distance import cdist, jensenshannon
from sklearn.metrics.pairwise import rbf_kernel

from mic_eval.core.results import Result, from_json, to_json
from mic_eval.metrics.distances import (DomainScale, domain_auc, domain_distances, energy_distance, median_gamma,
                                        mmd2, proxy_a_distance, subsample)
from mic_eval.metrics.marginals import Distance, jensen_shannon, ks, psi, sliced_wasserstein, symmetric_kl, wasserstein
from every import every


def two(n=40, m=25, d=3, seed=11):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.normal(.5, 2, size=(m, d))


def unbiased(k, n):
    a, b, c = k[:n, :n], k[n:, n:], k[:n, n:]
    u = lambda o: (o.sum()-np.trace(o))/(len(o)*(len(o)-1))
    return u(a)+u(b)-2*c.mean()


values = st.lists(st.integers(-5, 5), min_size=1, max_size=30)


@given(values, values)
@settings(max_examples=100, deadline=None)
def test_wasserstein_and_ks_of_scipy(a, b):
    w = wasserstein(a, b)
    assert math.isclose(w, stats.wasserstein_distance(a, b), abs_tol=1e-12)
    assert math.isclose(w, wasserstein(b, a), abs_tol=1e-12)
    assert math.isclose(ks(a, b), stats.ks_2samp(a, b).statistic, abs_tol=1e-12)
    assert wasserstein(a, a) == 0 and ks(a, a[::-1]) == 0
    assert math.isclose(wasserstein([3*o+1 for o in a], [3*o+1 for o in b]), 3*w, abs_tol=1e-10)
    assert math.isclose(wasserstein(a*3, b*2), w, abs_tol=1e-12)   # repetition changes no distribution
    j = jensen_shannon(a, b, bins=7)
    assert -1e-12 <= j <= 1+1e-12 and math.isclose(j, jensen_shannon(b, a, bins=7), abs_tol=1e-12)
    assert symmetric_kl(a, b, bins=7) >= -1e-12


def test_pot():   # POT 0.9.7.post1, tests/oracles/pot_values.py
    x, y = two()
    assert math.isclose(sliced_wasserstein(x, y), 0.7009915827599171, rel_tol=1e-12)
    np.testing.assert_allclose(wasserstein(x, y, per_feature=True),
                               [0.6170046607075796, 0.7918095465310894, 0.8886373250101737], rtol=1e-12)


def test_divergences_of_scipy():
    x, y = two(400, 300, 2)
    edges = np.linspace(-6, 7, 12)
    clipped = np.clip(x, -6, 7), np.clip(y, -6, 7)
    h = [[np.histogram(o[:, j], edges)[0]+.5 for j in range(2)] for o in clipped]
    for j in range(2):
        p, q = (np.array(o[j])/np.sum(o[j]) for o in h)
        assert math.isclose(symmetric_kl(x, y, bins=edges, per_feature=True)[j],
                            (stats.entropy(p, q)+stats.entropy(q, p))/2)
        assert math.isclose(jensen_shannon(x, y, bins=edges, pseudo=.5, per_feature=True)[j],
                            jensenshannon(p, q, base=2)**2)
    assert math.isclose(symmetric_kl(x, y), symmetric_kl(x, y, per_feature=True).mean())
    np.testing.assert_allclose(psi(x, x, per_feature=True), 0, atol=1e-12)


def test_knn_divergence_finds_the_truth():
    rng = np.random.default_rng(0)
    a, b = rng.normal(0, 1, (3000, 2)), rng.normal(0, 1, (3000, 2))*[1.5, 1]
    truth = (1.5**2+1/1.5**2-2)/4
    assert abs(symmetric_kl(a, b, method="knn")-truth) < .06
    assert symmetric_kl(a, b, method="knn", per_feature=True).shape == (2,)
    assert "repeated rows" in symmetric_kl([0]*9, [0]*9, method="knn").reason
    for n, k in ((5, 5), (3, 3), (6, 5)):
        d = symmetric_kl(np.arange(n)*1., np.arange(9)+.5, method="knn", k=k)
        assert d.n == n+9 and d.reason == ("" if n > k else f"fewer than {k+1} rows")


@pytest.mark.parametrize("n, m, d", [(40, 25, 3), (700, 600, 5), (3, 2, 1)])
def test_mmd_by_brute_force(n, m, d):
    x, y = two(n, m, d)
    z = np.concatenate([x, y])
    g = median_gamma(x, y)
    i, j = np.triu_indices(n+m, 1)
    assert math.isclose(g, 1/(2*np.median(((z[i]-z[j])**2).sum(1))))
    assert math.isclose(mmd2(x, y), unbiased(rbf_kernel(z, gamma=g), n), abs_tol=1e-12)
    assert math.isclose(mmd2(x, y, gamma=.3), unbiased(rbf_kernel(z, gamma=.3), n), abs_tol=1e-12)
    assert math.isclose(mmd2(x, y, kernel="linear"), unbiased(z @ z.T, n), abs_tol=1e-10)
    assert math.isclose(energy_distance(x, y), unbiased(-cdist(z, z), n), abs_tol=1e-10)
    assert math.isclose(mmd2(y, x, gamma=.3), mmd2(x, y, gamma=.3), abs_tol=1e-12)
    assert math.isclose(mmd2(x+1e3, y+1e3, gamma=.3), mmd2(x, y, gamma=.3), abs_tol=1e-9)


@pytest.mark.later
def test_single_precision_above_5000_rows():
    x, y = two(3000, 2600, 8)
    z = np.concatenate([x, y])
    assert abs(mmd2(x, y, gamma=.05)-unbiased(rbf_kernel(z, gamma=.05), 3000)) < 1e-6


def test_permutations():
    x, y = two(12, 9, 2)
    z, n, B = np.concatenate([x, y]), 12, 99
    k = rbf_kernel(z, gamma=.3)
    rng, seen = np.random.default_rng(5), unbiased(k, n)
    null = []
    for _ in range(B):
        s = rng.permutation(np.arange(21) < n)
        o = np.r_[np.flatnonzero(s), np.flatnonzero(~s)]
        null.append(unbiased(k[np.ix_(o, o)], n))
    p = mmd2(x, y, gamma=.3, n_permutations=B, seed=5).p
    assert math.isclose(p, (1+(np.array(null) >= seen-1e-12).sum())/(B+1))
    far = mmd2(x, y+50, gamma=.3, n_permutations=99)
    assert far.p == .01
    assert mmd2(x, y, n_permutations=50, seed=1).p == mmd2(x, y, n_permutations=50, seed=1).p
    assert wasserstein(x, x, n_permutations=19).p == 1 and math.isnan(wasserstein(x, y).p)
    for f in (wasserstein, sliced_wasserstein, symmetric_kl, jensen_shannon, psi, ks, energy_distance):
        assert 1/20 <= f(x, y, n_permutations=19).p <= 1


def test_permutation_p_is_uniform_without_a_difference():
    rng = np.random.default_rng(2)
    p = np.array([mmd2(*rng.normal(size=(2, 15, 2)), gamma=.5, n_permutations=19, seed=i).p for i in range(600)])
    assert abs((p <= .05).mean()-.05) < .025 and abs((p <= .5).mean()-.5) < .06


def test_groups_are_shuffled_whole():
    rng = np.random.default_rng(3)
    plate = np.repeat(np.arange(20), 10)
    z = (rng.normal(size=20)[plate]+rng.normal(0, .1, 200))[:, None]   # plates differ, hospitals do not
    rows = mmd2(z[:100], z[100:], n_permutations=199).p
    plates = mmd2(z[:100], z[100:], n_permutations=199, groups=plate).p
    assert rows == .005 and plates > .05
    with pytest.raises(ValueError, match="rows in both"): mmd2(z[:95], z[95:], n_permutations=9, groups=plate)
    with pytest.raises(ValueError, match="lengths"): ks(z[:95], z[95:], n_permutations=9, groups=plate[:5])


@pytest.mark.later
def test_subsampling():
    rng, hit, m, g = np.random.default_rng(0), 0, 60, .25
    truth = 2/(1+4*g)*(1-math.exp(-g*.36/(1+4*g)))   # normal rows, 0.6 apart
    for i in range(m):
        x, y = rng.normal(size=(2, 80, 2))
        s = subsample(mmd2, x, y+[.6, 0], gamma=g, n_resamples=60, seed=i)
        hit += s.lo <= truth <= s.hi
    assert hit/m > .85
    x, y = two(60, 40)
    assert subsample(wasserstein, x, y, groups=np.arange(100) // 5).groups == 20
    assert "too few groups" in subsample(wasserstein, x, y, groups=np.r_[np.zeros(60), np.ones(40)]).reason
    assert "fewer than 2" in subsample(mmd2, [1], [1, 2]).reason
    with pytest.raises(ValueError, match="share"): subsample(mmd2, x, y, share=.8)


def test_scale():
    x, y = two(50, 30)
    for spread, sd in dict(pooled=np.sqrt((x.var(0)+y.var(0))/2), mean=(x.std(0)+y.std(0))/2, source=x.std(0)).items():
        s = DomainScale.fit(x, y, spread)
        np.testing.assert_allclose(s.sd, sd)
        np.testing.assert_allclose(s(y)*s.sd+s.mean, y)
    a, c = np.column_stack([x, np.ones(50)]), np.column_stack([y, np.ones(30)])
    s = DomainScale.fit(a, c)
    assert s.dropped == [3] and s(a).shape == (50, 3)
    with pytest.raises(ValueError, match="fitted on 4"): s(x)
    with pytest.raises(ValueError, match="no feature varies"): DomainScale.fit(np.ones((5, 2)), np.ones((5, 2)))


def test_before_and_after():
    x, y = two(60, 50)
    scale = DomainScale.fit(x, y)
    before = domain_distances(x, y, scale=scale, n_permutations=19)
    after = domain_distances(x, x[:50]+1e-3, scale=scale, gamma=before.gamma, n_permutations=19)
    assert after.gamma == before.gamma and after.wasserstein < before.wasserstein and after.mmd2 < before.mmd2
    text = to_json(before)
    assert to_json(from_json(text)) == text and "p of 19 permutations" in from_json(text).mmd2.method
    back = pickle.loads(pickle.dumps(before.mmd2))
    assert (back.p, back.gamma, float(back)) == (before.mmd2.p, before.mmd2.gamma, float(before.mmd2))


def test_classifier():
    x, y = two(100, 80)
    assert domain_auc(x+5, y-5) > .99 and proxy_a_distance(x+5, y-5) > 1.9
    a = domain_auc(x, y, groups=np.arange(180) // 10)
    assert a.groups == 18 and a.lo <= a <= a.hi
    p = proxy_a_distance(x, y)
    assert p.lo < p < p.hi
    with pytest.raises(ValueError, match="5 folds"): domain_auc(x[:3], y)


@every("call, words", [
    (lambda: wasserstein([], [1]), "x is empty"), (lambda: wasserstein([1], [[1, 2]]), "1 columns, y has 2"),
                       (lambda: mmd2([1, 2], ["a", "b"]), "y must be numbers"),
    (lambda: energy_distance([1, np.inf], [1, 2]), "row 1"), (lambda: mmd2([1, 2], [1, 2], kernel="cubic"), "kernel"),
                       (lambda: mmd2([1, 2], [1, 2], gamma=0), "gamma"),
    (lambda: symmetric_kl([1, 2], [1, 2], method="exact"), "method"),
                       (lambda: symmetric_kl([1, 2], [1, 2], bins=1), "bins"),
    (lambda: jensen_shannon([1, 2], [1, 2], bins=[3, 2]), "rising"),
                       (lambda: symmetric_kl([1, 2], [1, 2], pseudo=-1), "pseudo"),
                       (lambda: ks(np.zeros((2, 2, 2)), [1]), "axes")])
def test_bad_input(call, words):
    with pytest.raises(ValueError, match=words): call()


def test_undefined_is_nan_with_a_reason():
    for d in (mmd2([1], [1, 2]), mmd2([1, 1], [1, 1]), energy_distance([1, 2], [1]),
              symmetric_kl([0, 1], [5, 6], pseudo=0), psi([0, 1], [5, 6], pseudo=0)):
        assert math.isnan(d) and d.reason and isinstance(d, Distance)
    assert wasserstein([2, 2], [2, 2]) == 0
    assert jensen_shannon([2, 2], [2, 2]) == 0 and symmetric_kl([2, 2], [2, 2, 2]) == 0 and ks([2], [2]) == 0
    assert isinstance(domain_distances(*two(30, 30), n_permutations=0), Result)
