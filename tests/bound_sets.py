"""Cases of what people hand in, written as real files from a seed: each is read rightly, or answered with a question"""
import json
import re
import unicodedata
from dataclasses import dataclass

import numpy as np
import pandas as pd

from mic_eval.core.tables import read_predictions
from mic_eval.mic.dilutions import parse_mic
from mic_eval.mic.findings import read_pairs
from mic_eval.mic.pair_tables import understood_pairs

REMEDY = re.compile(r"--\w|\b(say|name|write|call|give|convert|leave|correct|take|fill|show|find|complete|save|add|"
                    r"choose|keep|put|move|exchange|photograph|turn|compare|is written|must be|needed)\b")


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
    "`{outcome: [(seed, what, said)]}` of cases `(seed, what, must, Outcome)`; a needless question counts"
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
HEADINGS = dict(prob=("prob_{}", "p_{}", "{}_prob", "P({})", "probability of {}", "proba_{}", "概率_{}", "{}概率",
                      "y_prob_{}", "{} (prob)", "{} [probability]", "Pr({})", "p({}|x)", "softmax_{}", "prob.{}",
                      "Wahrscheinlichkeit {}", "probabilité de {}", "probabilidad de {}", "PROB {}"),
                score=("score_{}", "{}_score", "得分_{}"), logit=("logit_{}", "{}_logit"),
                bare=("{}", "confidence_{}", "pred_{}", ".pred_{}", "class_{}", "{} confidence"))


def class_table(folder, seed):
    "`(path, truth, numbers by class, calls, what, must)`"
    rng = np.random.default_rng(seed)
    names = list(rng.permutation(WORDS[int(rng.integers(len(WORDS)))])[:int(rng.integers(2, 6))])
    k, n = len(names), int(rng.integers(30, 60))
    kind = str(rng.choice(["prob", "prob", "score", "logit", "bare"]))
    what = str(rng.choice(["plain", "plain", "plain", "plain", "percent", "sign", "rounded", "one-vs-rest",
                           "class without column", "column without class", "off", "swapped heading case",
                           "extra numbers", "percent heading", "decomposed", "underscored", "no value", "lost truth",
                           "two models", "class numbers", "on its side", "a row a class", "column twice", "logarithms",
                           "counts beside"]))
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
    if what == "percent heading" and kind in ("prob", "bare"):
        heading, written = f"{heading} {rng.choice(['(%)', '[%]', '%', 'in %', '(per cent)', '（%）'])}", 100*p
        must = "either" if heading.startswith(("Wahr", "PROB")) else must
    if what == "logarithms": written, must = np.log(p+1e-9), "ask" if kind == "prob" else "either"
    shown = {c: c.upper() if what == "swapped heading case" and c.isascii() else c for c in names}
    if what == "decomposed": shown = {c: unicodedata.normalize("NFD", c) for c in names}
    if what == "underscored": shown = {c: re.sub(r"\.? ", "_", c) for c in names}
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
    table, y, p, calls, must = spoilt(table, cols, y, p, calls, must, what, names, rng)
    if what == "extra numbers": table["age"], table["weight_kg"], must = 30+np.arange(len(table)) % 9, 60., "right"
    if rng.random() < .4 and "id" not in table: table["id"] = [f"w{i:03}" for i in range(len(table))]
    if rng.random() < .3: table["site"] = rng.choice(["N", "S"], len(table))
    if what not in ("on its side", "column twice"): table = table[list(rng.permutation(list(table)))]
    path = written_table(folder, seed, table, rng)
    told = f"{kind} {heading} {what} {list(map(str, names))}" + " calls"*said
    return path, np.array(names)[y], pd.DataFrame(p, columns=names), calls, told, must


def spoilt(table, cols, y, p, calls, must, what, names, rng):
    "What a person, a program or a spreadsheet did to a table"
    truth, k, at = table.columns[0], len(names), int(rng.integers(len(table)))
    if what == "no value": table, must = table.astype({cols.columns[0]: object}), "ask"
    if what == "no value": table.loc[at, cols.columns[0]] = rng.choice(["", "NA", "n.d.", "#N/A", "-", "?", "#DIV/0!"])
    if what == "lost truth": table.loc[at, truth], must = rng.choice(["NA", "n/a", "?", "#REF!", "nan", "null"]), "ask"
    if what == "two models":
        other = cols.iloc[:, ::-1].set_axis([f"{c} B" for c in cols], axis=1)
        table, must = table.rename(columns={c: f"{c} A" for c in cols}).join(other), "ask"
    if what == "class numbers" and k > 2 and not all(c.isdigit() for c in names):
        table, must = table.assign(**{truth: [names.index(o) for o in table[truth]]}), "ask"
        must = "either" if table.shape[1] > k+1 else must   # calls may say which number is which
    if what == "on its side":
        table = table.T.reset_index()
        table.columns, must = [f"{c}" for c in range(table.shape[1])], "ask"
    if what == "a row a class":
        table = pd.DataFrame([dict(id=f"s{i}", label=table[truth][i], cls=c, prob=p[i][j])
                              for i in range(len(table)) for j, c in enumerate(names)])
        must, table = "ask", table if rng.random() < .5 else table.drop(columns="id")
    if what == "column twice":
        table = pd.concat([table, table[cols.columns[:1]]], axis=1)
        must = "ask"
    if what == "counts beside":
        for c in names: table[f"n_{c}"] = rng.integers(1, 50, len(table))
    return table, y, p, calls, must


def written_table(folder, seed, table, rng):
    "A table as a file of some kind"
    kind = str(rng.choice(["csv", "semicolon", "tab", "gbk", "xlsx", "parquet", "bom", "title", "utf-16"]))
    if kind == "parquet" and (table.columns.duplicated().any() or (table.map(type).nunique() > 1).any()): kind = "csv"
    texts = map(str, [*table, *table.to_numpy().ravel()])
    if kind == "gbk" and any(set("äíü") & set(o) for o in texts):
        kind = "csv"
    path = folder / f"{seed}.{dict(xlsx='xlsx', parquet='parquet', tab='tsv').get(kind, 'csv')}"
    if kind == "xlsx": table.to_excel(path, index=False)
    elif kind == "parquet": table.to_parquet(path)
    elif kind == "semicolon": table.to_csv(path, index=False, sep=";", decimal=",")
    elif kind == "tab": table.to_csv(path, index=False, sep="\t")
    elif kind == "bom": table.to_csv(path, index=False, sep=";", decimal=",", encoding="utf-8-sig")
    elif kind == "utf-16": table.to_csv(path, index=False, encoding="utf-16")
    elif kind == "title": path.write_text(f"Results of June\n\n{table.to_csv(index=False)}", encoding="utf-8")
    else: table.to_csv(path, index=False, encoding="gb18030" if kind == "gbk" else "utf-8")
    return path


def class_case(folder, seed):
    "`(seed, what, must, Outcome)` of one class table"
    path, y, p, calls, what, must = class_table(folder, seed)

    def right(t):
        names = list(t.classes)
        if len(t) != len(y): return f"{len(t)} rows of {len(y)}"
        if (np.array(names)[t.y_true] != y).any(): return f"truths of {names}"
        if t.scores is None: return "no scores"
        if t.scores.ndim == 1: return f"one column of {len(p.columns)}"
        if sorted(names) != sorted(p): return f"classes {names}"
        if not np.allclose(t.scores, p[names], atol=1e-6): return "scores of other classes"
        if " calls" in what and (np.array(names)[t.y_pred] != calls).any(): return "calls"
        return ""
    o = outcome(lambda: read_predictions(path), right)
    return seed, what, must, o


# Headings and cells of laboratory exports

LANGUAGES = dict(   # isolate, drug, reference, test, unit column; what stands for MIC
    en=("isolate", "drug", "Reference MIC", "Test MIC", "unit"),
    de=("Stamm", "Wirkstoff", "MHK Referenz", "MHK Gerät", "Einheit"),
    fr=("souche", "antibiotique", "CMI référence", "CMI automate", "unité"),
    es=("cepa", "antibiótico", "CMI referencia", "CIM equipo", "unidad"),
    zh=("菌株编号", "抗菌药物", "参考MIC", "仪器MIC", "单位"))
MASSES = {"mg/L": 1, "mg/l": 1, "µg/mL": 1, "μg/ml": 1, "ug/mL": 1, "mcg/mL": 1, "微克/毫升": 1, "µg/ml": 1, "mg·L⁻¹": 1,
          "ng/mL": 1000, "µg/L": 1000, "纳克/毫升": 1000, "g/L": .001, "mg/dL": .1, "毫克/升": 1, "µg mL-1": 1, "mg/mL": .001}
OTHERS = "µM", "µmol/L", "IU/mL", "mm", "U/mL", "微摩尔/升", "nmol/L", "%"
PLACES = "{} ({})", "{} [{}]", "{}, {}", "{}（{}）", "{} {}", "{}_{}"
EMPTY = "", "", "n.d."


def export(folder, seed):
    "`(path, columns, how, MICs in mg/L, what, must)` of a laboratory's export"
    rng = np.random.default_rng(seed)
    lang = str(rng.choice(list(LANGUAGES)))
    isolate, drug, ref, test, unit_column = LANGUAGES[lang]
    n, mg = int(rng.integers(20, 50)), None
    mg = 2.**rng.integers(-4, 7, n)
    other = mg*2.**rng.choice([-1, 0, 0, 0, 1], n)
    what = str(rng.choice(["heading", "heading", "cell", "column", "person", "none", "disagree", "other quantity",
                           "log", "combination", "fractions", "signs", "thousand", "one side", "mixed cells", "zone"]))
    unit = str(rng.choice([u for u in MASSES if what in ("heading", "cell", "column", "person") or MASSES[u] == 1]))
    factor, how, must = MASSES[unit], {}, "right"
    comma = rng.random() < .35

    def text(v): return f"{v:.10g}".replace(".", ",") if comma else f"{v:.10g}"
    refs, tests = [text(v) for v in other], [text(v*factor) for v in mg]
    heads = [f"{ref} (mg/L)", test]
    place = str(rng.choice(PLACES))
    if what == "heading": heads[1] = place.format(test, unit)
    elif what == "cell": tests = [f"{v} {unit}" for v in tests]
    elif what == "person": how, heads[0] = dict(unit=f"reference=mg/L,test={unit}"), ref
    elif what == "none": heads[0] = ref
    elif what == "disagree": heads[1], tests, must = f"{test} (mg/L)", [f"{v} ng/mL" for v in tests], "ask"
    elif what == "other quantity": heads[1], must = place.format(test, rng.choice(OTHERS)), "ask"
    elif what == "log":
        heads[1], must = str(rng.choice(["log2 {}", "ln {}", "log({})", "{} (log2)"])).format(test), "ask"
        tests = [text(np.log2(v)) for v in mg]
    elif what == "combination": tests = [f"{v}/{text(4)}" for v in tests]
    elif what == "fractions":
        mg = np.minimum(mg, 1)
        tests = ["1" if v == 1 else f"1/{1/v:.0f}" for v in mg]
    elif what == "signs":
        signs = rng.choice(["", "", "<=", "≤", ">", "＞", "<", "< = ", "≥"], n)
        tests = [f"{s}{v}" for s, v in zip(signs, tests)]
    elif what == "thousand": heads, tests, must = [ref, test], [text(v*1000) for v in mg], "ask"
    elif what == "one side": heads, tests, must = [f"{ref} (ng/mL)", test], [text(v*1000) for v in mg], "ask"
    elif what == "mixed cells":
        mine = rng.choice(["mg/L", "ng/mL", "µg/mL"], n)
        tests = [f"{text(v*MASSES[u])} {u}" for v, u in zip(mg, mine)]
    elif what == "zone":
        heads[1] = str(rng.choice(["Zone (mm)", "抑菌圈直径", "Hemmhof mm", "diamètre (mm)", "halo mm"]))
        tests, must = [f"{v:.0f}" for v in 6+rng.integers(0, 25, n)], "ask"
    table = pd.DataFrame({isolate: [f"K{i}" for i in range(n)], drug: "MEM", heads[0]: refs, heads[1]: tests})
    if what == "column": table[f"{heads[1]} {unit_column}"] = unit
    kind = str(rng.choice(["csv", "xlsx", "gbk"])) if not comma else "semicolon"
    if kind == "gbk" and not _in_gbk(table): kind = "csv"
    path = folder / f"{seed}.{'xlsx' if kind == 'xlsx' else 'csv'}"
    if kind == "xlsx": table.to_excel(path, index=False)
    else: table.to_csv(path, index=False, sep=";" if kind == "semicolon" else ",",
                       encoding="gb18030" if kind == "gbk" else "utf-8")
    return path, heads, how, mg, f"{lang} {what} {unit} {heads} {tests[:3]} {kind}", must


def _in_gbk(table):
    try: "".join(map(str, [*table, *table.to_numpy().ravel()])).encode("gbk")
    except UnicodeEncodeError: return False
    return True


def export_case(folder, seed):
    "`(seed, what, must, Outcome)` of one export of a laboratory"
    path, heads, how, mg, what, must = export(folder, seed)

    def read():
        s = understood_pairs(read_pairs(path), *heads, **how)
        return s, parse_mic(s.frame[s.test]).value

    def right(found):
        s, values = found
        if not {"isolate", "drug"} <= set(s.roles): return f"roles {s.roles}"
        return "" if np.allclose(values, mg, rtol=1e-6) else f"{values[:4]} for {mg[:4]}"
    return seed, what, must, outcome(read, right, (path.name, *heads, "unit", "pairs are about"))


# Logs of language models

SHAPES = ("inspect", "inspect shuffled", "inspect .eval", "inspect epochs", "inspect errors", "lm-eval",
          "lm-eval generate",
          "lm-eval alone", "opencompass", "table", "table of columns", "unknown item",
          "ids as floats", "some unanswered",
          "letters in lower case", "option texts", "other options")


def log(folder, seed):
    "`(items, answers, right by item, what, must)`: an examination and what a model said, as harnesses write both"
    from mic_eval.tcm.answers import read_answers
    from mic_eval.tcm.items import read_items
    rng = np.random.default_rng(seed)
    n, k, shape = int(rng.integers(8, 30)), int(rng.integers(3, 6)), SHAPES[seed % len(SHAPES)]
    words = ["麻黄", "桂枝", "杏仁", "甘草", "生姜", "大枣", "rash", "fever", "cough", "naïve"]
    items, said, right = [], [], {}
    for i in range(n):
        texts = [f"{w} {i}" for w in rng.permutation(words)[:k]]
        key, chosen = int(rng.integers(k)), int(rng.integers(k))
        items.append(dict(id=i, question=f"第{i}题?", options=texts, answer="ABCDE"[key]))
        said.append((texts, key, chosen))
        right[str(i)] = float(key == chosen)
    path, must = folder / f"{seed}-items.jsonl", "right"
    if shape in ("table", "table of columns"):
        rows = [{"编号": o["id"], "题目": o["question"]} | {f"选项{c}": t for c, t in zip("ABCDE", o["options"])}
                | {"答案": o["answer"]} for o in items]
        if shape == "table of columns":
            rows = [dict(id=o["id"], question=o["question"]) | dict(zip("ABCDE", o["options"])) |
                    dict(answer=o["answer"])
                    for o in items]
        path = folder / f"{seed}-items.{rng.choice(['xlsx', 'csv'])}"
        table = pd.DataFrame(rows)
        table.to_excel(path, index=False) if path.suffix == ".xlsx" else table.to_csv(path, index=False)
    else: path.write_text("\n".join(json.dumps(o, ensure_ascii=False) for o in items), encoding="utf-8")

    def sample(i, texts, key, chosen, epoch=1):
        order = rng.permutation(k) if shape == "inspect shuffled" else np.arange(k)
        letter = {int(o): "ABCDE"[j] for j, o in enumerate(order)}
        return dict(id=i, epoch=epoch, choices=[texts[o] for o in order], target=letter[key],
                    output=dict(model="m", completion=f"ANSWER: {letter[chosen]}"))
    samples = [sample(i, *o) for i, o in enumerate(said)]
    if shape == "inspect epochs": samples += [sample(i, *o, epoch=2) for i, o in enumerate(said)]
    if shape == "inspect errors":
        for i in (1, 4):
            samples[i] |= dict(output={}, error=dict(message="timeout"))
            right[str(i)] = np.nan
    if shape == "other options": samples[2]["choices"], must = ["x", "y", "z", "u", "v"][:k], "ask"
    answers = folder / f"{seed}-log.json"
    if shape.startswith("inspect") or shape == "other options":
        head = dict(eval=dict(model="m"))
        if shape == "inspect .eval":
            import zipfile
            answers = folder / f"{seed}.eval"
            with zipfile.ZipFile(answers, "w", zipfile.ZIP_DEFLATED) as z:
                z.writestr("header.json", json.dumps(head))
                for o in samples: z.writestr(f"samples/{o['id']}_epoch_1.json", json.dumps(o))
        else: answers.write_text(json.dumps(head | dict(samples=samples)), encoding="utf-8")
    elif shape.startswith("lm-eval"):
        answers = folder / f"samples_{seed}.jsonl"
        rows = []
        for i, (texts, key, chosen) in enumerate(said):
            doc, given = dict(id=str(i), question=f"第{i}题?", choices=texts), [["-3.0", "False"]]*k
            given = [[[["-1.0", "True"]] if j == chosen else [["-3.5", "False"]]][0] for j in range(k)]
            row = dict(doc_id=i, doc=doc, target=key, resps=given, filtered_resps=[o[0] for o in given])
            if shape == "lm-eval generate":
                row |= dict(target="ABCDE"[key], resps=[[f"The answer is {'ABCDE'[chosen]}"]])
            rows.append(row)
        answers.write_text("\n".join(json.dumps(o, ensure_ascii=False) for o in rows), encoding="utf-8")
        if shape == "lm-eval alone": path = answers
    elif shape == "opencompass":
        rows = {str(i): dict(origin_prompt=items[i]["question"], prediction=f"答案：{'ABCDE'[c]}", gold="ABCDE"[key])
                for i, (_, key, c) in enumerate(said)}
        answers.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    else:
        rows = [dict(id=i, response="ABCDE"[c]) for i, (_, _, c) in enumerate(said)]
        if shape == "unknown item": rows, must = [*rows, dict(id=999, response="A")], "ask"
        if shape == "ids as floats": rows = [dict(o, id=f"{o['id']}.0") for o in rows]
        if shape == "some unanswered":
            gone = rows.pop(3)
            right[str(gone["id"])] = np.nan
        if shape == "letters in lower case": rows = [dict(o, response=f"({o['response'].lower()})") for o in rows]
        if shape == "option texts": rows = [dict(o, response=said[o["id"]][0][said[o["id"]][2]]) for o in rows]
        if shape == "table": rows = [{"编号": o["id"], "回答": o["response"]} for o in rows]
        answers = folder / f"{seed}-answers.csv"
        pd.DataFrame(rows).to_csv(answers, index=False)
    def read(): return read_items(path), read_answers(answers)
    return read, right, f"{shape} {path.suffix}", must, (path.name, answers.name)


def log_case(folder, seed):
    "`(seed, what, must, Outcome)` of one log"
    from mic_eval.tcm.points import mark
    read, truth, what, must, names = log(folder, seed)

    def wrong(m):
        if {i.kind for i in m.items} - {"choice"}: return f"kinds {({i.kind for i in m.items})}"
        bad = []
        for item, reading, point in zip(m.items, m.readings, m.headline):
            want = truth[item.id]
            if want == want and point != want or want != want and reading.status == "parsed":
                bad.append((item.id, point, want))
        return "" if not bad and len(m.items) % len(truth) == 0 else f"{len(bad)} of {len(truth)}: {bad[:3]}"
    return seed, what, must, outcome(lambda: mark(*read()), wrong, ("item", "row", *names))


# Folders of pictures, masks and maps

TREES_AND_FAULTS = (
    "plain", "half the masks", "masks of nobody", "jpeg", "jpeg small", "ones", "void 255", "void -1", "void nan",
    "two pages", "beside", "flat", "masks", "gt", "upper case", "rgb", "rgba", "palette", "palette turned",
    "other size",
    "empty mask", "german", "chinese", "ok ng", "jpg pictures", "alpha only", "doubled", "nested masks",
    "hidden", "apple", "thumbnails", "by date", "by date with masks", "picture twice", "two layouts", "mask of normal",
    "png called jpg", "text called png", "spaced truths", "annotations", "turned mask", "stray picture", "cut mask",
    "empty kind", "capital kinds", "french", "spanish", "two bad kinds", "mask of a train image", "shifted sizes",
    "soft mask", "masks as tables", "numbers off by one", "upper masks", "validation beside")


def tree(folder, seed):
    "`(root, pixels by image, what, must)`: an inspection set as it lies in a folder"
    import tifffile
    from PIL import Image
    rng = np.random.default_rng(seed)
    what = TREES_AND_FAULTS[seed % len(TREES_AND_FAULTS)]
    root, must = folder / f"set{seed}", "right"
    usual = "good", str(rng.choice(["bad", "scratch"]))
    good, bad = dict(german=("gut", "schlecht"), chinese=("正常", "异常"), french=("bon", "mauvais"),
                     spanish=("bueno", "malo")).get(what, usual)
    if what == "capital kinds": good, bad = "Good", "Bad"
    if what == "ok ng": good, bad = "OK", "NG"
    truth = root / {"masks": "masks", "gt": "gt", "spaced truths": "Ground Truth", "annotations": "annotations"}.get(
        what, "ground_truth")
    ending = str(rng.choice(["_mask", "", "_gt", "_label"]))
    suffix = ".jpg" if what == "jpg pictures" else ".PNG" if what == "upper case" else ".png"
    size, pixels = (24, 20), {}
    day = "2024-01-02" if what.startswith("by date") else ""
    for kind in (good, bad):
        (root / "test" / kind / day).mkdir(parents=True)
        for i in range(4):
            a = rng.integers(0, 255, (size[1], size[0]), dtype=np.uint8)
            place = root / "test" / kind / day / f"{i:03}{suffix}"
            Image.fromarray(a).save(place, format="JPEG" if suffix == ".jpg" else "PNG")
            if kind == good: continue
            mask = np.zeros((size[1], size[0]), np.uint8)
            y, x = rng.integers(2, 10, 2)
            mask[y:y+6, x:x+5] = 255
            pixels[i] = 30
            home = truth if what == "flat" else root / "test" / kind if what == "beside" else truth / kind
            if what == "nested masks": home = truth / "deep" / kind
            if what == "by date with masks": home = truth / kind / day
            home.mkdir(parents=True, exist_ok=True)
            to = home / f"{i:03}{'_mask' if what == 'beside' else ending}.png"
            if what == "half the masks" and i % 2: continue
            if what == "masks of nobody": to = home / f"mask_number_{i+7}.png"
            im = Image.fromarray(mask)
            if what == "ones": im = Image.fromarray(mask // 255)
            if what == "void 255":
                mask = mask // 255
                mask[0, :4] = 255
                im = Image.fromarray(mask)
            if what == "turned mask": im = Image.fromarray(mask.T.copy())
            soft = 40*(1 + np.arange(mask.size).reshape(mask.shape) % 6)
            if what == "soft mask": im = Image.fromarray(np.where(mask > 0, soft, 0).astype(np.uint8))
            if what == "rgb": im = im.convert("RGB")
            if what == "rgba": im = im.convert("RGBA")
            if what == "alpha only": im = Image.merge("RGBA", [Image.new("L", im.size)]*3 + [im])
            if what.startswith("palette"):
                turned = what == "palette turned"
                im = Image.fromarray((mask > 0).astype(np.uint8) ^ turned, "P")
                im.putpalette([255]*3 + [0]*3 if turned else [0]*3 + [200, 0, 0])
            if what == "other size": im = im.resize((2*size[0], 2*size[1]), 0)
            if what == "empty mask" and i == 1: im = Image.fromarray(0*mask)
            if what.startswith("jpeg"): im.save(to.with_suffix(".jpg"), quality=60 if what == "jpeg" else 95)
            elif what == "two pages":
                tifffile.imwrite(to.with_suffix(".tiff"), np.stack([mask, mask]), photometric="minisblack")
            elif what.startswith("void ") and what != "void 255":
                odd = (mask > 0).astype(np.float32)
                odd[0, :4] = -1 if what == "void -1" else np.nan
                np.save(to.with_suffix(".npy"), odd)
            elif what == "masks as tables": np.savetxt(to.with_suffix(".csv"), mask, "%d", ",")
            else: im.save(to.with_suffix(".PNG") if what == "upper masks" else to)
            if what == "cut mask" and i == 1: to.write_bytes(to.read_bytes()[:60])
            if what == "numbers off by one": to.rename(to.with_name(f"{i+1:03}{ending}.tmp"))
            if what == "doubled" and i == 2: im.save(to.with_name(f"{i:03}{'_seg' if ending != '_seg' else ''}.png"))
    for p in list(truth.rglob("*.tmp")): p.rename(p.with_suffix(".png"))
    beside_the_tree(what, root, truth, good, bad, suffix, ending)
    if what in ("text called png", "turned mask", "cut mask", "mask of normal", "picture twice", "two layouts",
                "masks as tables", "numbers off by one", "stray picture", "mask of a train image"):
        must = "ask"
    if what in ("by date", "by date with masks", "french", "spanish", "capital kinds", "shifted sizes",
                "picture twice"): must = "either"
    if what in ("half the masks", "masks of nobody", "void 255", "void -1", "void nan", "two pages", "doubled"):
        must = "ask"
    if what in ("beside", "flat", "german", "chinese", "ok ng", "alpha only", "palette turned", "empty mask",
                "nested masks",
                "other size"): must = "either"
    return root, pixels, f"{what} {good}/{bad} {ending}", must


def beside_the_tree(what, root, truth, good, bad, suffix, ending):
    "What lies beside the pictures and masks of a set, or was done to one of them"
    import shutil

    from PIL import Image
    one = root / "test" / bad / f"001{suffix}"
    if what == "hidden":
        shutil.copy(one, one.with_name(".000.png"))
        (one.parent / ".DS_Store").write_bytes(b"\0\1")
    if what == "apple":
        for p in [*root.rglob("*.png")]: p.with_name(f"._{p.name}").write_bytes(b"\0\5\x16\7" + bytes(100))
    if what == "thumbnails":
        (one.parent / "Thumbs.db").write_bytes(b"\xd0\xcf")
        (one.parent / "@eaDir").mkdir()
        shutil.copy(one, one.parent / "@eaDir" / "thumb.png")
    if what == "picture twice": shutil.copy(one, root / "test" / good / "copy.png")
    if what == "two layouts":
        (root / "manifest.csv").write_text(f"sample_id,path,label\na,test/{good}/000.png,bad\n")
    if what == "mask of normal":
        (truth / good).mkdir()
        Image.new("L", (24, 20), 255).save(truth / good / f"000{ending}.png")
    if what == "png called jpg":
        for p in [*(root / "test").rglob("*.png")]: p.rename(p.with_suffix(".jpg"))
    if what == "text called png": one.write_text("no picture")
    if what == "stray picture": shutil.copy(one, root / "test" / "overview.png")
    if what == "empty kind": (root / "test" / "scratch2").mkdir()
    if what in ("mask of a train image", "validation beside"):
        part = root / ("train" if "train" in what else "validation") / good
        part.mkdir(parents=True)
        shutil.copy(root / "test" / good / "000.png", part / "900.png")
    if what == "mask of a train image": Image.new("L", (24, 20), 255).save(truth / bad / f"900{ending}.png")
    if what == "two bad kinds":
        (root / "test" / "dent").mkdir()
        (truth / "dent").mkdir()
        for i in (2, 3):
            (root / "test" / bad / f"{i:03}.png").rename(root / "test" / "dent" / f"{i:03}.png")
            (truth / bad / f"{i:03}{ending}.png").rename(truth / "dent" / f"{i:03}{ending}.png")
    if what == "shifted sizes":
        im = Image.open(one)
        im.resize((48, 40)).save(one)


def tree_case(folder, seed):
    "`(seed, what, must, Outcome)` of one folder"
    from mic_eval.anomaly.datasets import data_images, read_maps
    root, pixels, what, must = tree(folder, seed)

    def read():
        images = data_images(root)
        maps = read_maps(root, [np.zeros((20, 24))]*len(images), resize="map")
        return images, [maps.open(i).mask if m == m and m is not None else None for i, m in enumerate(images["mask"])]

    def right(found):
        images, masks = found
        n = 9 if what.startswith("picture twice") else 8
        if len(images) != n: return f"{len(images)} images of {n}"
        if images["label"].sum() != 4: return f"{images['label'].sum()} anomalous of 4"
        sums = [int(m.sum()) for m in masks if m is not None]
        if len(sums) != 4: return f"{len(sums)} masks of 4"
        wanted = 120 if what.startswith("other size") else 30
        off = [s for s in sums if abs(s-wanted) > (12 if what.startswith("jpeg") else 0)]
        return f"pixels {sums}" if off else ""
    return seed, what, must, outcome(read, right, (root.name, "000", "001", "002", "mask"))
