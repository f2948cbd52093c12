"""Sets of hostile files, drawn by seed: each is read rightly, or asked about with culprit and remedy"""

import pytest

import bound_sets

SETS = [("class_case", 30, 500), ("export_case", 40, 600), ("log_case", 34, 170), ("tree_case", 28, 140)]


def judged(case, seeds, folder):
    "Nothing is silently wrong, nothing crashes, no error lacks its remedy, and hardly a question is needless"
    found = bound_sets.counted(getattr(bound_sets, case)(folder, seed) for seed in seeds)
    assert not found["silent"] + found["crash"] + found["bare"], found
    assert len(found["needless"]) <= .05*len(seeds), found["needless"]
    assert len(found["right"]) >= .4*len(seeds), {k: len(v) for k, v in found.items()}


@pytest.mark.parametrize("case,few,many", SETS)
def test_a_share_of_each_set(case, few, many, tmp_path): judged(case, range(few), tmp_path)


@pytest.mark.full   # two minutes
@pytest.mark.parametrize("case,few,many", SETS)
def test_each_set(case, few, many, tmp_path): judged(case, range(few, few+many), tmp_path)
