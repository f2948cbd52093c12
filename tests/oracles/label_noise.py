"""Writes label_noise.json: confident joints and flags of cleanlab 2.9.0 (pip install cleanlab==2.9.0, in an
environment of its own)"""
import json
import sys
from pathlib import Path

from cleanlab.count import compute_confident_joint
from cleanlab.filter import find_label_issues

sys.path.insert(0, str(Path(__file__).parent.parent))
from test_noise import made_up

out = []
for seed, n, K in [(0, 400, 2), (1, 500, 3), (3, 300, 4), (4, 600, 5)]:
    y, p = made_up(seed, n, K)
    joint = [compute_confident_joint(y, p, calibrate=c).tolist() for c in (False, True)]
    flagged = find_label_issues(y, p, n_jobs=1).nonzero()[0].tolist()
    out.append(dict(seed=seed, n=n, K=K, joint=joint[0], calibrated=joint[1], flagged=flagged))
Path(__file__).with_suffix(".json").write_text(json.dumps(out) + "\n")
