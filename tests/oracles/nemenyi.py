"""Stored values of scikit-posthocs for tests/test_ranks.py: prints a JSON object.

Run in an environment of its own: pip install scikit-posthocs==0.17.1
python tests/oracles/nemenyi.py > tests/oracles/nemenyi.json
"""
import json

import numpy as np


def grid(n=9, k=4, seed=0): return np.random.default_rng(seed).normal(size=(n, k))+np.linspace(2.5, 0, k)


if __name__ == "__main__":
    from scikit_posthocs import posthoc_nemenyi_friedman
    print(json.dumps(dict(nemenyi=posthoc_nemenyi_friedman(grid()).to_numpy().tolist()), indent=0))
