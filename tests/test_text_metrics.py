"ROUGE, BLEU and chrF against stored values of other packages, and against the plain table of dynamic programming."
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from mic_eval.metrics.text_overlap import (
    bleu, chrf, common_subsequence, embedding_f1, points_score, rouge_l, rouge_l_values, rouge_n, rouge_n_values)

ORACLE = json.loads((Path(__file__).parent/"oracles/text_metrics.json").read_text(encoding="utf-8"))
REFS, CANDS = ([r[k] for r in ORACLE["rows"]] for k in ("reference", "candidate"))


@pytest.mark.parametrize("i, which", list(enumerate(("precision", "recall", "f1"))))
def test_rouge_score(i, which):
    for name, ours in (("rouge1", rouge_n_values(REFS, CANDS, 1, which)),
                       ("rouge2", rouge_n_values(REFS, CANDS, 2, which)),
                       ("rougeL", rouge_l_values(REFS, CANDS, which))):
        assert np.abs(ours-[r[name][i] for r in ORACLE["rows"]]).max() < 1e-12


def test_sacrebleu():
    c = ORACLE["corpus"]
    assert float(bleu(REFS, CANDS, ci=None)) == pytest.approx(c["bleu"], abs=1e-12)
    assert float(bleu(REFS, CANDS, smooth=True, ci=None)) == pytest.approx(c["bleu_exp"], abs=1e-12)
    assert float(bleu(["滋阴降益火温脾", "疏解郁肝"], ["益气健脾渗湿", "疏肝"], smooth=True,
                      ci=None)) == pytest.approx(c["bleu_exp_far"], abs=1e-12)
    assert float(chrf(REFS, CANDS, ci=None)) == pytest.approx(c["chrf"], abs=1e-12)
    assert float(chrf(REFS, CANDS, 4, beta=1, ci=None)) == pytest.approx(c["chrf_beta1"], abs=1e-12)


def table(a, b):
    row = [0]*(len(b)+1)
    for x in a:
        new = [0]
        for j, y in enumerate(b): new.append(row[j]+1 if x == y else max(row[j+1], new[j]))
        row = new
    return row[-1]


@settings(max_examples=200, deadline=None)
@given(st.text("脾虚湿盛AB", max_size=90), st.text("脾虚湿盛AB", max_size=90))
def test_subsequence(a, b): assert common_subsequence(a, b) == table(a, b) == common_subsequence(list(b), list(a))


def test_empty_and_scores():
    assert rouge_l_values(["", "脾", ""], ["", "", "脾"]).tolist() == [1, 0, 0]
    assert np.isnan(rouge_l_values([""], [""], empty=np.nan))[0]
    s = rouge_l(REFS, CANDS, groups=[i//3 for i in range(len(REFS))])
    assert s.lo < s < s.hi and s.groups == 10
    assert rouge_n(["同"]*5, ["同"]*5).hi == 1 and rouge_n(["同"]*5, ["同"]*5).lo > .4
    assert points_score([], None).reason and points_score([.5, .7], [1, 1]).reason
    assert embedding_f1([np.zeros((0, 2))], [np.zeros((0, 2))], ci=None) == 1
    b = bleu(REFS, CANDS)
    assert b.lo < b < b.hi
