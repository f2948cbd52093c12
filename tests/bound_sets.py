"""Cases of what people hand in, written as real files from a seed: each is read rightly, or answered with a question"""
import json
import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

from mic_eval.core.tables import read_predictions
from mic_eval.mic.dilutions import parse_mic
from mic_eval.mic.findings import read_pairs
from mic_eval.mic.naming import understood_pairs

REMEDY = re.compile(r"--\w|\b(say|name|write|call|give|convert|leave|correct|take|fill|show|find|complete|save|add|"
                    r"choose|keep|put|compare|is written|must be|needed)\b")


@dataclass
class Outcome:
    "What came of one case"
    what:str # right, asked, silent, crash or bare (an error without culprit or remedy)
    said:str="" # Error, or what is wrong


def outcome(read, right, culprits=()):
    "Read a case and judge what came of it; `right` gives what is wrong, or nothing"
    try: found = read()
    except (ValueError, FileNotFoundError) as e:
        said = str(e)
        named = any(str(c) in said for c in culprits) if culprits else bool(re.search(r"'|\d|\.\w", said))
        plain = "\n" not in said and bool(REMEDY.search(said)) and named
        return Outcome("asked" if plain else "bare", said)
    except Exception as e: return Outcome("crash", f"{type(e).__name__}: {e}")
    wrong = right(found)
    return Outcome("silent", wrong) if wrong else Outcome("right")


def counted(cases):
    "`{outcome: [(seed, what, said)]}` of cases `(seed, what, must, Outcome)`; a question where none was needed is needless"
    out = dict(right=[], asked=[], needless=[], silent=[], crash=[], bare=[])
    for seed, what, must, o in cases:
        kind = "needless" if o.what == "asked" and must == "right" else o.what
        if o.what == "right" and must == "ask": kind = "silent"
        out[kind].append((seed, what, o.said))
    return out


# Class tables

WORDS = (["cat", "dog", "fox", "owl", "hen"], ["阴性", "阳性", "可疑", "无效", "污染"],
         ["mole", "benign", "melanoma", "scar", "wart"], ["Käfer", "Fliege", "Mücke", "Wespe", "Biene"],
         ["no growth", "growth", "button", "skipped well", "contaminated"], ["E. coli", "K. pneumoniae", "S. aureus",
         "P. aeruginosa", "E. faecium"], ["0", "1", "2", "3", "4"], ["1", "2", "3", "4", "5"],
         ["A", "B", "C", "D", "E"], ["normal", "bacterial", "viral", "other", "fungal"],
         ["sano", "enfermo", "dudoso", "roto", "vacío"], ["S", "I", "R", "NS", "SDD"])
TRUTHS = "y_true", "label", "truth", "target", "true_label", "Ground truth", "真值", "gold_standard", "Wahrheit"
CALLS = "y_pred", "prediction", "predicted", "Predicted label", "预测", "pred"
HEADINGS = dict(prob=("prob_{}", "p_{}", "{}_prob", "P({})", "probability of {}", "proba_{}", "概率_{}", "{}概率", "y_prob_{}"),
                score=("score_{}", "{}_score", "得分_{}"), logit=("logit_{}", "{}_logit"), bare=("{}",))


def class_table(folder, seed):
    "`(path, truth, numbers by class, calls, what, must)`"
    rng = np.random.default_rng(seed)
    names = list(rng.permutation(WORDS[int(rng.integers(len(WORDS)))])[:int(rng.integers(2, 6))])
    k, n = len(names), int(rng.integers(30, 60))
    kind = str(rng.choice(["prob", "prob", "score", "logit", "bare"]))
    what = str(rng.choice(["plain", "plain", "plain", "percent", "sign", "rounded", "one-vs-rest", "class without column",
                           "column without class", "off", "swapped heading case", "extra numbers"]))
    p = rng.dirichlet(np.ones(k), n)
    y = np.array([rng.choice(k, p=row) for row in p])
    y[:k] = np.arange(k)
    must = "right"
    if kind in ("score", "logit"): p = np.log(p+1e-9)*(1 if kind == "logit" else 2)+rng.normal(0, .1, (n, 1))
    elif what == "one-vs-rest": p, must = np.round(p**.5, 3), "either"
    elif what == "rounded": p = np.round(p, 3)
    elif what == "off": p, must = p.copy(), "either"
    if what == "off" and kind in ("prob", "bare"): p[3, 0] = min(1, p[3, 0]+.4)
    written = 100*p if what == "percent" and kind in ("prob", "bare") else p
    heading = str(rng.choice(HEADINGS[kind]))
    shown = {c: c.upper() if what == "swapped heading case" and c.isascii() else c for c in names}
    cols = pd.DataFrame(written, columns=[heading.format(shown[c]) for c in names])
    if what == "sign" and kind in ("prob", "bare"): cols = cols.map(lambda v: f"{100*v:.9f}%")
    if what == "percent": must = "either"
    if kind == "bare" and what not in ("plain", "rounded"): must = "either"
    calls = np.array(names)[p.argmax(1)]
    table = pd.DataFrame({str(rng.choice(TRUTHS)): np.array(names)[y]}).join(cols)
    said = rng.random() < .4
    if said: table[str(rng.choice(CALLS))] = calls
    if what == "class without column" and k > 2:
        must, table = "ask", table.drop(columns=cols.columns[int(rng.integers(k))])
    if what == "column without class" and k > 2:
        gone = int(rng.integers(k))
        table, y, p, calls = (o[y != gone].reset_index(drop=True) if isinstance(o, pd.DataFrame) else o[y != gone]
                              for o in (table, y, p, calls))
    if what == "extra numbers": table["age"], table["weight_kg"], must = 30+np.arange(len(table)) % 9, 60., "right"
    if rng.random() < .4: table["id"] = [f"w{i:03}" for i in range(len(table))]
    if rng.random() < .3: table["site"] = rng.choice(["N", "S"], len(table))
    table = table[list(rng.permutation(list(table)))]
    path = written_table(folder, seed, table, rng)
    return path, np.array(names)[y], pd.DataFrame(p, columns=names), calls, f"{kind} {heading} {what} {names}", must


def written_table(folder, seed, table, rng):
    "A table as a file of some kind"
    kind = str(rng.choice(["csv", "semicolon", "tab", "gbk", "xlsx", "parquet"]))
    if kind == "gbk" and any("ä" in str(o) or "í" in str(o) or "ü" in str(o) for o in [*table, *table.to_numpy().ravel()]):
        kind = "csv"
    path = folder / f"{seed}.{dict(xlsx='xlsx', parquet='parquet', tab='tsv').get(kind, 'csv')}"
    if kind == "xlsx": table.to_excel(path, index=False)
    elif kind == "parquet": table.to_parquet(path)
    elif kind == "semicolon": table.to_csv(path, index=False, sep=";", decimal=",")
    elif kind == "tab": table.to_csv(path, index=False, sep="\t")
    else: table.to_csv(path, index=False, encoding="gb18030" if kind == "gbk" else "utf-8")
    return path


def class_case(folder, seed):
    "`(seed, what, must, Outcome)` of one class table"
    path, y, p, calls, what, must = class_table(folder, seed)

    def right(t):
        names = list(t.classes)
        if (np.array(names)[t.y_true] != y).any(): return f"truths of {names}"
        if t.scores is None: return "no scores"
        if t.scores.ndim == 1: return f"one column of {len(p.columns)}"
        if sorted(names) != sorted(p): return f"classes {names}"
        if not np.allclose(t.scores, p[names], atol=1e-6): return "scores of other classes"
        if t.y_pred is not None and (np.array(names)[t.y_pred] != calls).any(): return "calls"
        return ""
    o = outcome(lambda: read_predictions(path), right)
    return seed, what, must, o
