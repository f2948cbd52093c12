"""Writes text_metrics.json: what rouge_score, rouge_chinese and SacreBLEU say of small texts. Run where they are
installed."""
import json
import random
from importlib.metadata import version
from pathlib import Path

from rouge_chinese import Rouge
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU, CHRF


class Characters:
    def tokenize(self, text): return list(text)


rng = random.Random(0)
words = "益气健脾渗湿止泻疏肝解郁滋阴降火温中散寒舌红苔黄脉弦数，。"
text = lambda n: "".join(rng.choice(words) for _ in range(n))
pairs = [(text(rng.randint(6, 60)), text(rng.randint(6, 60))) for _ in range(20)]
pairs += [(a, "".join(c for c in a if rng.random() > .3) or a) for a, _ in pairs[:10]]
scorer = RougeScorer(["rouge1", "rouge2", "rougeL"], tokenizer=Characters())
rows = []
for r, c in pairs:
    s = scorer.score(r, c)
    rows.append(dict(reference=r, candidate=c, **{k: [v.precision, v.recall, v.fmeasure] for k, v in s.items()},
                     rouge_chinese=Rouge().get_scores(" ".join(c), " ".join(r))[0]["rouge-l"]["f"]))
refs, cands = [r for r, _ in pairs], [c for _, c in pairs]
corpus = dict(bleu=BLEU(tokenize="char", smooth_method="none").corpus_score(cands, [refs]).score/100,
              bleu_exp=BLEU(tokenize="char").corpus_score(cands, [refs]).score/100,
              bleu_exp_far=BLEU(tokenize="char", effective_order=False).corpus_score(["益气健脾渗湿", "疏肝"],
                  [["滋阴降益火温脾", "疏解郁肝"]]).score/100,
              chrf=CHRF().corpus_score(cands, [refs]).score/100,
              chrf_beta1=CHRF(beta=1, char_order=4).corpus_score(cands, [refs]).score/100)
out = dict(versions={k: version(k) for k in ("rouge-score", "rouge-chinese", "sacrebleu")}, rows=rows, corpus=corpus)
Path(__file__).with_suffix(".json").write_text(json.dumps(out, ensure_ascii=False, indent=0)+"\n", encoding="utf-8")
