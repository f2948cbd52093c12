"""Plate layouts as laboratories write them: each is read rightly, or answered with a question"""
import json

import numpy as np
import pandas as pd

from bound_sets import outcome

DRUGS = (["AMP", "CIP", "MEM", "GEN"], ["Ampicillin", "Ciprofloxacin", "Meropenem", "Gentamicin"],
         ["氨苄西林", "环丙沙星", "美罗培南", "庆大霉素"], ["Amoxicilline/acide clavulanique", "SXT", "TZP", "AMK"])
HEADS = dict(plain=("well", "drug", "concentration", "role"), chinese=("孔位", "药物", "浓度", "类型"),
             german=("Position", "Wirkstoff", "Konzentration", "role"),
             french=("puits", "antibiotique", "conc", "type"),
             capital=("Well", "Drug", "Concentration", "Role"), units=("well", "drug", "mg/L", "role"))
LAYOUTS = (   # how a layout is written, and whether that has to be asked
    "plain right", "chinese right", "german right", "french right", "capital right", "units right", "A01 right",
    "a1 right", "1A right", "blanks right", "row and column right", "row numbers and column right",
    "heading ng/mL right", "heading 微克/毫升 right", "heading (ng/ml) right", "cells mg/L right", "cells ng/mL right",
    "unit column right", "unit column ng/mL right", "unit column µM ask", "heading µM ask", "heading log2 ask",
    "comma right", "json right", "json mapping right", "drawn right", "drawn on its side ask",
    "wells exchanged ask", "no control right", "drug in control ask", "two drugs in a well ask",
    "two drugs in a cell either", "well twice ask", "well twice alike ask", "another plate ask",
    "no concentration column ask", "steps for concentrations ask", "a cell with a sign ask",
    "zero for control either", "empty rows right", "half a plate right", "combination either", "a drug twice ask",
    "thousand ask", "heading mg ask", "concentration missing ask", "well name typo ask", "title above right",
    "sheet two right", "sterile words right", "gbk right", "utf-16 right", "notes column right",
    "role in Chinese right", "ng without a word ask",
    "two concentrations ask", "two drugs columns ask", "units of two kinds ask",
    "ug/ml cells right", "concentration text ask")


def layout(folder, seed):
    "`(path, wells, what, must)`: wells has well, drug, concentration in mg/L, role"
    rng = np.random.default_rng(seed)
    what, _, must = LAYOUTS[seed % len(LAYOUTS)].rpartition(" ")
    names, top = list(DRUGS[int(rng.integers(len(DRUGS)))]), 2.**rng.integers(2, 7, 4)
    rows = []
    for i, letter in enumerate("ABCDEFGH"):
        for j in range(11): rows.append((f"{letter}{j+1}", names[i//2], float(top[i//2]*2.**-(j+11*(i % 2))), "test"))
        rows.append((f"{letter}12", "", np.nan, "control" if i < 6 else "sterile"))
    wells = pd.DataFrame(rows, columns=["well", "drug", "concentration", "role"])
    if what == "no control": wells = wells[wells["role"] == "test"].reset_index(drop=True)
    if what == "half a plate": wells = wells[wells["well"].str[0] < "E"].reset_index(drop=True)
    t, path = as_written(wells, what, names, rng), folder/f"{seed}.csv"
    if what == "json":
        path = path.with_suffix(".json")
        path.write_text(t.to_json(orient="records", force_ascii=False), encoding="utf-8")
    elif what == "json mapping":
        path = path.with_suffix(".json")
        held = {r.pop("well"): {k: v for k, v in r.items() if v == v and v != ""} for r in t.to_dict("records")}
        path.write_text(json.dumps(held, ensure_ascii=False), encoding="utf-8")
    elif what == "title above": path.write_text(f"Panel 7, lot 12\n\n{t.to_csv(index=False)}", encoding="utf-8")
    elif what == "sheet two":
        path = path.with_suffix(".xlsx")
        t.to_excel(path, index=False)
    else: t.to_csv(path, index=False, sep=";" if what == "comma" else ",",
                   encoding=what if what in ("gbk", "utf-16") else "utf-8")
    return path, wells, what, must


def drawn(wells):
    "The plate as a drawing"
    held = {r.well: r.role if r.role != "test" else f"{r.drug} {r.concentration:.10g}" for r in wells.itertuples()}
    return pd.DataFrame([[a, *(held.get(f"{a}{j}", "") for j in range(1, 13))] for a in "ABCDEFGH"],
                        columns=["", *map(str, range(1, 13))])


def as_written(wells, what, names, rng):
    "The table that somebody would write"
    t, at = wells.copy(), int(rng.integers(10))
    number, test = t["concentration"], t["role"] == "test"
    if what.startswith("drawn"):
        d = drawn(wells)
        return d if what == "drawn" else d.set_index("").T.reset_index()
    if what == "A01": t["well"] = [f"{w[0]}{int(w[1:]):02}" for w in t["well"]]
    if what == "a1": t["well"] = t["well"].str.lower()
    if what == "1A": t["well"] = [f"{w[1:]}{w[0]}" for w in t["well"]]
    if what == "blanks": t["well"] = [f" {w[0]} {w[1:]} " for w in t["well"]]
    if what == "another plate": t["well"] = [f"{chr(ord(w[0])+8)}{int(w[1:])+12}" for w in t["well"]]
    if what == "wells exchanged": t["well"] = [f"{chr(64+int(w[1:]))}{ord(w[0])-64}" for w in t["well"]]
    if what == "well name typo": t.loc[at, "well"] = "A0"
    if what == "drug in control": t.loc[t["role"] == "control", ["drug", "role"]] = [names[0], "test"]
    if what in ("well twice", "well twice alike"): t = pd.concat([t, t.iloc[[at]]], ignore_index=True)
    if what in ("well twice", "two drugs in a well"):
        if what != "well twice": t = pd.concat([t, t.iloc[[at]]], ignore_index=True)
        t.loc[len(t)-1, "drug"] = names[2]
    if what == "two drugs in a cell": t.loc[at, "drug"] = f"{names[0]} + {names[1]}"
    if what == "a drug twice": t.loc[at+1, "concentration"] = t.loc[at, "concentration"]
    if what == "concentration missing": t.loc[at, "concentration"] = np.nan
    if what == "zero for control": t.loc[t["role"] == "control", "concentration"] = 0
    text = [f"{v:.10g}" if v == v else "" for v in t["concentration"]]
    if what == "comma": t["concentration"] = [v.replace(".", ",") for v in text]
    if what in ("cells mg/L", "ug/ml cells"):
        t["concentration"] = [f"{v} {'mg/L' if what == 'cells mg/L' else 'ug/ml'}" if v else "" for v in text]
    if what == "cells ng/mL": t["concentration"] = [f"{1000*float(v):.10g} ng/mL" if v else "" for v in text]
    if what in ("heading ng/mL", "heading (ng/ml)", "unit column ng/mL"): t["concentration"] *= 1000
    if what == "ng without a word": t["concentration"] *= 1e6/t["concentration"].max()
    if what == "thousand": t["concentration"] = [f"{1000*float(v):,.0f}" if v else "" for v in text]
    if what == "a cell with a sign": t["concentration"] = [f">{v}" if i == at else v for i, v in enumerate(text)]
    if what == "concentration text": t["concentration"] = ["high" if i == at else v for i, v in enumerate(text)]
    if what == "combination": t["concentration"] = [f"{v}/4" if v else "" for v in text]
    if what == "units of two kinds":
        t["concentration"] = [f"{v} {'µM' if i == at else 'mg/L'}" if v else "" for i, v in enumerate(text)]
    if what == "steps for concentrations": t["concentration"] = (t.groupby("drug").cumcount()+1).where(test)
    if what == "unit column": t["unit"] = "mg/L"
    if what == "unit column ng/mL": t["unit"] = "ng/mL"
    if what == "unit column µM": t["unit"] = "µM"
    if what == "notes column": t["note"] = "lot 7"
    if what == "sterile words": t["role"] = t["role"].replace(dict(sterile="blank", control="growth control"))
    if what == "role in Chinese": t["role"] = t["role"].replace(dict(sterile="无菌对照", control="生长对照", test="test"))
    if what == "two concentrations": t["conc"] = t["concentration"]*1000
    if what == "two drugs columns": t["antibiotic"] = list(reversed(t["drug"]))
    if what in ("two concentrations", "two drugs columns"):
        t = t.rename(columns=dict(concentration="mg_l") if "conc" in what else dict(drug="compound"))
    if what == "empty rows": t = pd.concat([t, pd.DataFrame([{c: "" for c in t}]*3)], ignore_index=True)
    if what in ("row and column", "row numbers and column"):
        first = [w[0] if what == "row and column" else ord(w[0])-64 for w in t["well"]]
        t = t.assign(row=first, column=[int(w[1:]) for w in t["well"]]).drop(columns="well")
    if what == "no concentration column": t = t.drop(columns="concentration")
    if what.startswith("heading "):
        unit = what.removeprefix("heading ").strip("()")
        t = t.rename(columns=dict(concentration=f"concentration ({unit})"))
    return t.rename(columns=dict(zip(HEADS["plain"], HEADS.get(what, HEADS["plain"]))))


def layout_case(folder, seed):
    "`(seed, what, must, Outcome)` of one layout"
    from mic_eval.data.plate_layouts import read_layout
    path, wells, what, must = layout(folder, seed)

    def right(found):
        a, b = (o.set_index("well").sort_index() for o in (wells, found))
        if list(a.index) != list(b.index): return f"wells {[*b.index][:4]}: {len(b)} of {len(a)}"
        if (a["role"] != b["role"]).any(): return f"roles {set(b['role'])}"
        told = b["drug"].where(~b["drug"].str.contains("+", regex=False), a["drug"])   # as the file calls it
        if (a["drug"] != told).any(): return f"drugs {set(b['drug'])}"
        a, b = a[a["role"] == "test"], b[b["role"] == "test"]
        same = np.allclose(a["concentration"], b["concentration"], rtol=1e-6)
        return "" if same else f"{b['concentration'].iloc[:3].tolist()} for {a['concentration'].iloc[:3].tolist()}"
    return seed, what, must, outcome(lambda: read_layout(path), right, (path.name, "well", "column"))


# Photographs: crops of the two plates that come with the package

CROPS = ("margin", "first rows", "last rows", "first columns", "last columns", "rows padded", "columns padded",
         "corner", "strip hidden", "wells hidden", "half size", "other panel", "no controls",
         "columns mirrored in the layout",
         "rows mirrored in the layout", "concentrations turned", "ng for mg", "one row off")


def photo_case(folder, seed):
    "`(seed, what, must, Outcome)` of one crop, or of one layout that is not the plate's"
    from PIL import Image

    from mic_eval.data.real import shipped
    from mic_eval.mic.dilutions import dilution_index, parse_mic
    from mic_eval.mic.photograph import read_photo
    rng = np.random.default_rng(seed)
    what, name = CROPS[seed % len(CROPS)], ("DR0013", "1055")[int(rng.integers(2))]
    t = pd.read_csv(shipped("plates")/"manifest.csv", dtype=dict(plate=str))
    g, k = t[t["plate"] == name].reset_index(drop=True), int(rng.integers(1, 5))
    a = Image.open(shipped("plates")/"plates"/f"{name}.png").convert("L")
    a = np.asarray(a.resize((round(.4*a.width), round(.4*a.height)), Image.Resampling.BOX)).astype(float)
    at = dict(zip(g["well"], .4*g[["x", "y"]].to_numpy()))
    rows, columns = ([int((at[p][i]+at[q][i])/2) for p, q in pairs] for i, pairs in (
        (1, list(zip([f"{o}6" for o in "ABCDEFG"], [f"{o}6" for o in "BCDEFGH"]))),
        (0, [(f"D{o}", f"D{o+1}") for o in range(1, 12)])))
    grey = np.median(a)
    if what == "margin": a = np.pad(a, int(rng.integers(5, 60)), constant_values=grey)
    if what == "first rows": a = a[rows[k-1]:]
    if what == "last rows": a = a[:rows[-k]]
    if what == "first columns": a = a[:, columns[k-1]:]
    if what == "last columns": a = a[:, :columns[-k]]
    if what == "rows padded": a = np.pad(a[rows[k-1]:], 50, constant_values=grey)
    if what == "columns padded": a = np.pad(a[:, :columns[-k]], 50, constant_values=grey)
    if what == "corner": a = a[rows[0]:rows[-k], columns[0]:columns[-k]]
    if what == "strip hidden": a[rows[k-1]:rows[k]] = grey
    if what == "wells hidden":
        for w in rng.choice(list(at), 8, replace=False):
            x, y = np.round(at[w]).astype(int)
            a[max(0, y-16):y+16, max(0, x-16):x+16] = grey
    if what == "half size": a = np.asarray(Image.fromarray(a.astype(np.uint8)).resize((a.shape[1]//2, a.shape[0]//2)))
    panel = g[["well", "drug", "concentration", "role"]].copy()
    if what == "other panel":
        panel = t[t["plate"] != name][["well", "drug", "concentration", "role"]].reset_index(drop=True)
    if what == "no controls": panel = panel[panel["role"] == "test"].reset_index(drop=True)
    turned = {"columns mirrored in the layout": lambda w: f"{w[0]}{13-int(w[1:])}",
              "rows mirrored in the layout": lambda w: f"{chr(137-ord(w[0]))}{w[1:]}",
              "one row off": lambda w: f"{chr(65+(ord(w[0])-64) % 8)}{w[1:]}"}
    if what in turned: panel["well"] = panel["well"].map(turned[what])
    if what == "concentrations turned":
        panel["concentration"] = panel.groupby("drug")["concentration"].transform(lambda v: v.to_numpy()[::-1])
    if what == "ng for mg": panel["concentration"] *= 1000
    photo = folder/f"{seed}.png"
    Image.fromarray(np.clip(a, 0, 255).astype(np.uint8)).save(photo)
    expert = g[["drug", "expert_mic"]].dropna().drop_duplicates()

    def right(r):
        m = r.mics
        known = m["drug"].map(dict(zip(expert["drug"], expert["expert_mic"].astype(str)))).fillna("")
        off = np.abs(dilution_index(parse_mic(m["mic"]))-dilution_index(parse_mic(known)))
        inside = (parse_mic(m["mic"]).op == 0) & (parse_mic(known).op == 0)
        wrong = (off >= 2) & inside & (m["flags"].to_numpy() == "")
        if any("not seen" not in str(f) for f in r.flags) or not wrong.any(): return ""
        return f"{int(wrong.sum())} MICs two doublings off, {m['drug'][wrong.argmax()]} {m['mic'][wrong.argmax()]}"
    return seed, f"{what} {k} {name}", "either", outcome(lambda: read_photo(photo, panel, expert=None), right)
