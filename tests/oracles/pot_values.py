"""Sliced and plain Wasserstein-1 of POT; run in an environment of its own, prints what test_distances.py holds.

Versions when the values were made: POT 0.9.7.post1.
"""
import numpy as np
import ot

rng = np.random.default_rng(11)
x, y = rng.normal(size=(40, 3)), rng.normal(.5, 2, size=(25, 3))
u = np.random.default_rng(0).normal(size=(3, 100))
u /= np.sqrt((u*u).sum(0))
print("sliced", ot.sliced_wasserstein_distance(x, y, projections=u, p=1))
print("plain", [float(ot.wasserstein_1d(x[:, j], y[:, j], p=1)) for j in range(3)])
