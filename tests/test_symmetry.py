"Margins and symmetry of two readers, and weights of partial agreement: formulas as oracles"
from math import comb

import numpy as np
import pytest

import mic_eval.metrics as M
from mic_eval.metrics.ratings import category_weights

rng = np.random.default_rng(0)
a = rng.integers(0, 4, 200)
b = np.where(rng.random(200) < .7, a, rng.integers(0, 4, 200))


def test_two_categories_are_mcnemar():
    x, y = a % 2, b % 2
    b_, c_ = ((x == 1) & (y == 0)).sum(), ((x == 0) & (y == 1)).sum()
    want = (b_-c_)**2/(b_+c_)
    assert M.stuart_maxwell(x, y).statistic == pytest.approx(want) and M.bowker(x, y).statistic == pytest.approx(want)


def test_three_categories_by_maxwells_formula():
    x, y = np.minimum(a, 2), np.minimum(b, 2)
    m = np.zeros((3, 3)); np.add.at(m, (x, y), 1)
    d, n = m.sum(1)-m.sum(0), lambda i, j: (m[i, j]+m[j, i])/2
    top = n(1, 2)*d[0]**2+n(0, 2)*d[1]**2+n(0, 1)*d[2]**2
    want = top/(2*(n(0, 1)*n(1, 2)+n(0, 1)*n(0, 2)+n(0, 2)*n(1, 2)))     # Fleiss and Everitt 1971
    assert M.stuart_maxwell(x, y).statistic == pytest.approx(want) and M.stuart_maxwell(x, y).df == 2


def test_levels():
    r, told = np.random.default_rng(1), np.zeros(3)
    for _ in range(300):
        x = r.integers(0, 3, 150)
        y = np.where(r.random(150) < .7, x, r.integers(0, 3, 150))
        told += [M.stuart_maxwell(x, y).p < .05, M.bowker(x, y).p < .05,
                 M.stuart_maxwell(x, y, groups=np.arange(150)//10).p < .05]
    assert (told < 28).all() and (told > 4).all()
    assert M.stuart_maxwell(a, a).p == 1 and M.bowker(a, a).p == 1
    assert "too few groups" in M.stuart_maxwell(a, b, groups=np.arange(200) % 4).reason


@pytest.mark.parametrize("name", ["ordinal", "radical", "ratio", "circular"])
def test_weights_by_gwets_formulas(name):
    v, q = np.array([1., 2, 4, 5]), 4
    top = v.max()-v.min()
    far = dict(ordinal=lambda i, j: comb(abs(i-j)+1, 2)/comb(q, 2), radical=lambda i,
               j: np.sqrt(abs(v[i]-v[j]))/np.sqrt(top),
               ratio=lambda i, j: ((v[i]-v[j])/(v[i]+v[j]))**2/((v.max()-v.min())/(v.max()+v.min()))**2,
               circular=lambda i, j: np.sin(np.pi*(v[i]-v[j])/(top+1))**2)[name]
    d = np.array([[far(i, j) for j in range(q)] for i in range(q)])
    want = 1-d/(d.max() if name == "circular" else 1)
    assert np.allclose(category_weights(name, v, False), want)
    x, y = v[a], v[b]
    assert float(M.gwet_ac(np.c_[x, y], weights=name)) == pytest.approx(float(M.gwet_ac(np.c_[x, y], weights=want)))
