"""`make fuzz SECONDS=60`: damaged files for every reader, one after the other. A reader may read, or refuse in one
line; nothing else.

    python tests/fuzz.py SECONDS [seed]
"""
import json
import logging
import random
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

from several_cases import SPLEEN, several_cases

import mic_eval
from mic_eval.anomaly.counting import read_counts, read_object_counts, save_counts, PixelCounts
from mic_eval.anomaly.gaussian import PixelGaussian, load_detector
from mic_eval.anomaly.map_files import read_map, read_mask
from mic_eval.anomaly.maps import read_images
from mic_eval.anomaly.uniad import read_protocol
from mic_eval.tcm.command import read_corrections
from mic_eval.noise.command import read_noise_plan
from mic_eval.core.binding import hold_to_schema, read_schema, stored_binding, table_schema
from mic_eval.core.criteria import read_profile
from mic_eval.core.kinds import read_any
from mic_eval.core.readers import read_table
from mic_eval.core.results import Result, Score, from_json, to_json
from mic_eval.core.tables import read_predictions
from mic_eval.core.yaml import read_yaml
from mic_eval.data.class_sets import class_set, read_fitted
from mic_eval.data.plate_layouts import read_layout
from mic_eval.data.manifest import read_manifest
from mic_eval.data.pictures import load_image
from mic_eval.data.wells import render_plates, write_wells
from mic_eval.domain.sites import read_sites
from mic_eval.gate.golden import GOLDEN, read_golden
from mic_eval.metrics.shards import SiteStatistic, site_from_json, site_to_json
from mic_eval.mic.breakpoints import read_breakpoints
from mic_eval.mic.categories import read_categories
from mic_eval.mic.dilutions import parse_mic
from mic_eval.mic.findings import read_pairs, read_panel
from mic_eval.mic.guidelines import from_eucast, import_log
from mic_eval.mic.published import ranges_from_eucast
from mic_eval.mic.readings import read_expert
from mic_eval.mic.precision import read_qc_ranges
from mic_eval.model.ask import BatchAnswer
from mic_eval.model.load import load_model
from mic_eval.model.predict import load_part, save_part
from mic_eval.noise.indices import read_scheme
from mic_eval.noise.questions import read_noise_table
from mic_eval.noise.suspects import read_relabels
from mic_eval.report.cards import read_checklist
from mic_eval.report.words import read_catalog
from mic_eval.robust.watch import watched
from mic_eval.run.sweep import DATA_KEYS, read_entries, read_sweep
from mic_eval.run.store import open_run, save_run
from mic_eval.run.suite import read_suite
from mic_eval.tcm.answers import read_answers
from mic_eval.tcm.choices import read_choice
from mic_eval.tcm.items import read_items, read_rows
from mic_eval.tcm.judges import read_points, read_preference
from mic_eval.tcm.prescriptions import read_prescription
from mic_eval.tcm.prompts import read_prompt
from mic_eval.tcm.rating import read_sheet, open_round, plan_ratings, rating_items
from mic_eval.tcm.values import read_fields, read_list, read_number, read_truth
from mic_eval.trust.questions import read_gallery, read_means

CHINESE = "附子(先煎)10g 半夏9g 甘草 6g×7剂 党参10～15g 大枣3枚"
SUITE = next(Path(mic_eval.__file__).parent.rglob("smoke.y*ml"))
ROWS = pd.DataFrame(dict(sample_id=[f"{i:03}" for i in range(20)], y_true=[0, 1]*10, y_prob=np.linspace(.1, .9, 20),
                         drug=["NA", "药敏"]*10))
TOKENS = [b"=1+1", "药敏".encode(), "药".encode("gb18030"), b"\xff\xfe", b"\x00", b"\"", b"'", b",", b";", b"\t", b"\n",
          b"\r", b"nan", b"inf", b"-1", b"1e999", b"9"*400,
          b"[", b"]", b"{", b"}", b":", b"&a", b"*a", b"!!python/object:os.system", b"null", b"\xe2\x80\xae",
          b"0.5\xc2\xb9", b"true", b"2024-02-31", b"- ", b"  ", b"#"]


def damaged(whole, rng):
    "Some bytes changed, put in, left out, doubled, or cut off"
    b = bytearray(whole)
    for _ in range(rng.choice((1, 1, 2, 5))):
        i, j = rng.randrange(len(b)+1), rng.randrange(1, 40)
        how = rng.randrange(6)
        if how == 0 and b: b[min(i, len(b)-1)] = rng.randrange(256)
        elif how == 1: b[i:i] = rng.choice(TOKENS)
        elif how == 2: del b[i:i+j]
        elif how == 3: b[i:i] = b[i:i+j]*rng.choice((1, 3))
        elif how == 4: b = b[:i] if rng.random() < .3 else b
        else: b[i:i+j] = rng.choice(TOKENS)
    return bytes(b)


def seeds(place):
    "Target -> (name of its file, sound content, what reads it)"
    ROWS.to_csv(place/"rows.csv", index=False)
    ROWS.to_parquet(place/"rows.parquet")
    ROWS.to_excel(place/"rows.xlsx", index=False)
    ROWS.to_json(place/"rows.jsonl", orient="records", lines=True)
    p = read_predictions(place/"rows.csv")
    p.save(place/"saved.parquet")
    to_json(Result(x=Result(a=Score(.5, .2, .8, k=5, n=10)), value=1.), place/"results.json")
    (place/"run").mkdir()
    save_run(place/"run", Result(model=Result(name="m", kind="file"), data=Result(name="d", rows=20),
                                 settings=Result()), p)
    write_wells(render_plates(1, size=16, seed=1)[:8], place/"wells")
    content = lambda name: (place/name).read_bytes()
    profile = b"title: a\ncriteria:\n  - {metric: accuracy, limit: .9, direction: min, source: x, date: '2024-01-01'}\n"
    layout = b"well,drug,concentration,role\nA1,INH,1,test\nA2,INH,2,test\nA3,,,control\n"
    points = b"organism,drug,S,R,guideline,year\nE. coli,CIP,0.25,0.5,EUCAST,2024\n"

    def run(path):
        r = open_run(path.parent)
        return r.result, r.about, r.table, r.summary, r.changed(), repr(r)
    out = {f"read_table {k}": (f"rows.{k}", content(f"rows.{k}"), read_table)
           for k in ("csv", "xlsx", "parquet", "jsonl")}
    return out | {
        "read_predictions": ("rows.csv", content("rows.csv"), read_predictions),
                  "saved table": ("saved.parquet", content("saved.parquet"), lambda f: read_any(f, "predictions")),
        "from_json": ("results.json", content("results.json"), from_json),
                  "run.json": ("run/run.json", content("run/run.json"), run),
        "results.json": ("run/results.json", content("run/results.json"), run),
                  "manifest": ("wells/manifest.csv", content("wells/manifest.csv"), lambda f: read_manifest(f.parent)),
        "profile": ("p.yml", profile, read_profile), "suite": ("s.yml", SUITE.read_bytes(), read_suite),
        "layout csv": ("l.csv", layout, read_layout),
                  "layout json": ("l.json", json.dumps({"A1": dict(drug="INH", concentration=1)}).encode(),
                                  read_layout),
        "breakpoints": ("b.csv", points, read_breakpoints),
                  "list of a sweep": ("d.yaml", b"- {name: a, folder: wells}\n- name: b\n  folder: x\n",
                                      lambda f: read_entries(f, DATA_KEYS)),
        "yaml": ("y.yml", b"a: {b: [1, 2.5, x]}\nc: '007'\n",
                 lambda f: read_yaml(f.read_text(encoding="utf-8"), "y.yml"))}


def seeds_of_fields(place):
    "The same for what the fields read"
    from PIL import Image
    import tifffile
    rng = np.random.default_rng(0)
    maps, masks = rng.random((3, 16, 16)).astype("f4"), np.zeros((3, 16, 16), bool)
    masks[:2, 4:8, 4:8] = True
    np.save(place/"map.npy", maps[0])
    np.savez_compressed(place/"map.npz", maps[0])
    tifffile.imwrite(place/"map.tiff", maps[0])
    for name in "mask.png", "well.jpg": Image.fromarray((255*masks[0]).astype("u1")).save(place/name)
    save_counts(PixelCounts.of(masks, maps), place/"counts.npz")
    PixelGaussian.fit(rng.random((12, 8, 8))).save(place/"own.npz")
    site = SiteStatistic.of(np.arange(40) % 2, np.linspace(0, 1, 40), size=1 << 8)
    content = lambda name: (place/name).read_bytes()
    text = lambda read: lambda f: read(f.read_bytes().decode("utf-8", "replace"))
    table = lambda **columns: pd.DataFrame(columns).to_csv(index=False).encode()
    options = dict(A="补中益气汤", B="四君子汤", C="六味地黄丸", D="归脾汤")
    item = dict(id="1", question="气虚当用何方？", options=options, answer="B", task="choice")
    jsonl = "\n".join(json.dumps(item | dict(id=str(i)), ensure_ascii=False) for i in range(4)).encode()
    replies = "\n".join(json.dumps(dict(id=str(i), response=f"答案：{c}"), ensure_ascii=False)
                        for i, c in enumerate("ABCD")).encode()
    trials = table(method=["a", "b"]*4, data=["d"]*8, level=[0, .2]*4, split=[0]*8, noise_seed=list(range(8)),
                   training_seed=[0]*8, values=['{"accuracy": 0.5}']*8)
    patients = table(hospital=["A", "B"]*10, age=range(20), sex=["f", "m"]*10, ill=[0, 1, 1, 0]*5)
    return {
        "map npy": ("map.npy", content("map.npy"), read_map), "map npz": ("map.npz", content("map.npz"), read_map),
        "map tiff": ("map.tiff", content("map.tiff"), read_map), "mask": ("mask.png", content("mask.png"), read_mask),
        "picture": ("well.jpg", content("well.jpg"), load_image),
            "pixel counts": ("counts.npz", content("counts.npz"), lambda f: repr(read_counts(f))),
        "detector": ("own.npz", content("own.npz"), load_detector),
            "table of images": ("images.csv", table(sample_id=["a", "b"], label=[0, 1], score=[.1, .9]), read_images),
        "protocol": (
            "anomaly.yml", b"scores: [max, {max_pool: {window: 16}}]\nlimits: [0.3, 0.05]\nbounds: [1.0e-5, "
                           b"1.0e-4]\n", read_protocol),
        "uniad": ("config.yaml", b"evaluator:\n  metrics:\n    auc:\n      - {name: max, kwargs: {avgpool_size: "
                                 b"[16, 16]}}\n  vis_compound: {save_dir: x, min_score: 0, max_score: 1}\n",
                  read_protocol),
        "items": ("items.jsonl", jsonl, read_items), "answers": ("replies.jsonl", replies, read_answers),
        "prescription": ("p.txt", CHINESE.encode(), text(read_prescription)),
            "choice": ("c.txt", "综上，故选 B。".encode(), text(lambda s: read_choice(s, options))),
            "several answers": ("d.txt", "答案：A、C".encode(), text(lambda s: read_choice(s, SPLEEN, several=True))),
        "prompt": ("zh.yml", (Path(mic_eval.__file__).parent/"tcm/prompts/zh.yml").read_bytes(), read_prompt),
        "trials": ("trials.csv", trials, read_noise_table),
            "relabels": ("again.csv", table(sample_id=range(5), label=["a", "b", "", "a", "b"]),
                         lambda f: read_relabels(f, ["a", "b"])),
        "noise plan": (
            "plan.yml", b"methods: [logistic, knn]\ndata: [iris, wine]\nlevels: [0, 0.2]\nnoise_seeds: 2\n",
                       read_noise_plan),
        "hospitals": ("patients.csv", patients, lambda f: read_sites(f, "hospital", "ill")),
            "statistic of a site": ("site.json", site_to_json(site).encode(),
                                    lambda f: site_from_json(f.read_text(encoding="utf-8", errors="replace"))),
        "pairs": ("pairs.csv", table(isolate=range(6), reference=["1", "<=0.5", "2", ">8", "4", "8"],
                                     test=["1", "1", "2", "8", "4", "16"]), read_pairs),
        "quality control": ("qc.csv", table(strain=["ATCC 25922"]*2, drug=["CIP", "GEN"], low=[.004, .25],
                                            high=[.015, 1]), read_qc_ranges),
        "categories": ("cats.csv", table(x=["S", "I", "R", "susceptible"]),
                       lambda f: read_categories(read_table(f).frame.get("x", [])))}


def seeds_of_rounds(place):
    "The same for what people and models hand back, and for what a run keeps beside its table"
    from PIL import Image
    import torch
    from safetensors.torch import save_file
    from mic_eval.tcm.demo import demo_answers, demo_items
    rng = np.random.default_rng(0)
    content = lambda name: (place/name).read_bytes()
    table = lambda **columns: pd.DataFrame(columns).to_csv(index=False).encode()
    text = lambda read, *more: lambda f: read(f.read_bytes().decode("utf-8", "replace"), *more)
    save_part(place/"part.npz", BatchAnswer("prob", dict(scores=rng.random(4)), {}, True), np.array(list("abcd")))
    masks = np.zeros((3, 16, 16), bool)
    masks[:, 4:8] = True
    save_counts({"a": PixelCounts.of(masks, rng.random((3, 16, 16)))}, place/"objects.npz")
    np.savez(place/"explanations.npz", methods=np.array(["a"]), mean_maps=rng.random((1, 2, 4, 4)),
             mean_n=np.ones((1, 2)), mean_classes=np.array(["x", "y"]))
    items, answers = demo_items(), demo_answers()
    shown = rating_items(items, answers)[:4]
    plan_ratings(shown, place/"round", ["Li"])
    session = open_round(place/"round")["Li"]
    rating = content("round/sheet.Li.csv").splitlines()
    models = b"- {name: net, model: wellnet, batch_size: 8}\n- {name: other, model: 'a:b', threshold: 0.4}\n"
    for side in ("good", "bad"): (place/"folder"/"test"/side).mkdir(parents=True)
    for side in ("good", "bad"): Image.fromarray(masks[0].astype("u1")).save(place/"folder"/"test"/side/"0.png")
    save_file({"weight": torch.ones(1, 16), "bias": torch.zeros(1)}, place/"w.safetensors")
    run = open_run(place/"run")
    golden = json.dumps(dict(golden=GOLDEN, model=dict(name="m"), data=dict(name="d"), settings={},
                             rates=dict(a=[1, 2]), calls={})).encode()
    catalog = next(Path(mic_eval.__file__).parent.rglob("zh.po")).read_bytes()[:6000].rpartition(b"\n\n")[0]
    own = lambda kind: next(p for p in sorted(Path(mic_eval.__file__).parent.rglob("*.yml")) if kind in p.parts
                            or p.stem == kind)
    return {
        "kept batch": ("part.npz", content("part.npz"), lambda f: load_part(f, np.array(list("abcd")))),
            "counts of objects": ("objects.npz", content("objects.npz"), read_object_counts),
        "gallery": ("explanations.npz", content("explanations.npz"), lambda f: read_means(read_gallery(f.parent))),
            "golden run": ("golden.json", golden, lambda f: read_golden(f, run)),
        "checklist": ("list.yml", own("checklists").read_bytes(), lambda f: read_checklist.__wrapped__(str(f))),
            "catalog": ("zh.po", catalog, read_catalog),
        "scheme": ("caac.yml", own("caac").read_bytes(), lambda f: read_scheme(str(f))),
            "sheet of a rater": ("sheet.csv", b"\r\n".join(rating), lambda f: read_sheet(session, f)),
        "round": ("round/plan.json", content("round/plan.json"), lambda f: open_round(f.parent)),
            "corrections": ("fix.csv", table(id=[items[0].id], value=["A"]),
                            lambda f: read_corrections(f, items, ["m"])),
        "sweep": ("models.yaml", models, lambda f: read_sweep(f, [dict(name="a", folder=str(place/"wells"))])),
            "expert MICs": ("expert.csv", table(drug=["X"], mic=["<=1"]), read_expert),
        "panel": ("range.csv", table(drug=["X"], low=[1], high=[8]), read_panel),
            "rows": ("rows.json", json.dumps([dict(id=1, a="x"), dict(id=2)]).encode(), read_rows),
        "weights": ("w.safetensors", content("w.safetensors"), lambda f: load_model(f"{f}@fuzz:linear")),
        "true or false": ("t.txt", "答案：正确。".encode(), text(read_truth)),
            "quantity": ("q.txt", "用量为 10～15 g。".encode(), text(read_number)),
            "words of a list": ("w.txt", "黄芪、党参、白术".encode(), text(read_list)),
        "fields of an answer": ("f.txt", '{"证型": "脾虚", "治法": "健脾"}'.encode(), text(read_fields, ["证型", "治法"])),
            "points": ("j.txt", "得分：4".encode(), text(read_points)),
            "preference": ("b.txt", "更好：A".encode(), text(read_preference))}


def seeds_of_stores(place):
    "The same for published limits, data of classes, and what studies, watches and readings keep of themselves"
    from openpyxl import Workbook
    rng, pixels = np.random.default_rng(0), {}
    content = lambda name: (place/name).read_bytes()

    def book(name, title, *rows):
        b = Workbook()
        b.active.title = title
        for row in rows: b.active.append(row)
        b.save(place/name)
        return name, content(name)
    points = book("v_15.0_Breakpoint_Tables.xlsx", "Enterobacterales", ["Agents", "MIC breakpoints (mg/L)"],
                  ["", "S ≤", "R >", "ATU"], ["Ampicillin", "8", "8", ""],
                  ["Ciprofloxacin (meningitis)", ".125", ".125"])
    controls = book("v_15.0_QC_Tables.xlsx", "E. coli ATCC 25922", ["Escherichia coli ATCC 25922"],
                    ["Agent", "MIC (mg/L)", "", "Disk", "Zone (mm)", ""],
                    ["", "Target", "Range", "", "Target", "Range"],
                    ["Ciprofloxacin", ".008", ".004-.015", "5", "33", "29-37"])
    pixels["images"], pixels["labels"] = rng.random((8, 6, 6)), np.array(list("abababab"))
    np.savez(place/"set.npz", **pixels)
    np.save(place/"values.npy", pixels["images"])
    np.save(place/"labels.npy", pixels["labels"])
    flowers = pd.DataFrame(dict(sepal=rng.random(8), petal=rng.random(8), label=["a", "b"]*4))
    noted = []
    read_predictions(place/"rows.csv", note=noted.append)
    schema = table_schema(noted[0], ROWS)
    (place/"schema").mkdir()
    held = lambda f: hold_to_schema(ROWS, read_schema(f))

    (place/"batches").mkdir()
    for i in range(2):
        fresh = ROWS.assign(sample_id=[f"{i}-{j}" for j in range(20)], y_prob=rng.random(20))
        fresh.to_csv(place/f"batches/{i}.csv", index=False)
    watched(place/"batches", place/"rows.csv", place/"watch")
    looked = lambda f: watched(place/"batches", place/"rows.csv", f.parent)
    (place/"log").mkdir()
    entry = json.dumps(dict(name="a", file="a.csv", rows=1, drugs=1, organisms=None, source="x", source_sha256="0",
                            sha256="0", imported="2025-01-31", by="mic-eval")).encode()
    pd.DataFrame(dict(isolate=["a", "b"], drug="CIP", BMD=["1", "<=0.5"])).to_parquet(place/"mics.parquet")
    return {
        "EUCAST's workbook": (*points, from_eucast), "EUCAST's controls": (*controls, ranges_from_eucast),
        "log of imports": ("log/imports.jsonl", entry, lambda f: import_log(f.parent)),
        "table of classes": ("kinds.csv", flowers.to_csv(index=False).encode(), class_set),
        "arrays of classes": ("set.npz", content("set.npz"), class_set),
        "labels of an array": ("labels.npy", content("labels.npy"), lambda f: class_set(f.with_name("values.npy"))),
        "values of an array": ("values.npy", content("values.npy"), class_set),
        "fitted": ("hashes.json", json.dumps(["0"*64, "1"*64]).encode(), read_fitted),
        "schema": ("schema.yaml", yaml.dump(schema).encode(), held),
        "schema of a run": ("schema/run.json", json.dumps(dict(binding=schema)).encode(), held),
        "binding of a run": ("schema/run.json", json.dumps(dict(binding=dict(taken=dict(y=dict(column="a"))))).encode(),
                             stored_binding),
        "MICs": ("mics.parquet", content("mics.parquet"), lambda f: parse_mic(read_table(f).frame.get("BMD", []))),
        "watch": ("watch/watch.json", content("watch/watch.json"), looked)}


def seeds_of_people(place):
    "The same for blind rounds, stored readings, other people's breakpoints, lists of maps, prices and logs in archives"
    import io
    import zipfile
    from mic_eval.anomaly.datasets import read_maps
    from mic_eval.core.concentrations import read_concentration
    from mic_eval.core.record import Record
    from mic_eval.desk.screens import blind_round, open_blind
    from mic_eval.mic.breakpoints import from_amr, from_categories, from_whonet
    from mic_eval.mic.series import read_wells
    from mic_eval.model.ask import read_prices
    from mic_eval.tcm.answers import Answer, Responses
    from mic_eval.tcm.items import ExamItems, Item
    from mic_eval.tcm.judges import _mark_code, read_people
    from mic_eval.tcm.points import mark
    content = lambda name: (place/name).read_bytes()
    table = lambda **columns: pd.DataFrame(columns).to_csv(index=False).encode()
    framed = lambda read: lambda f: read(read_table(f).frame)
    things = pd.DataFrame(dict(sample_id=list("abcd"), seen=["x", "y", "z", "w"]))
    blind_round(things, place/"blind", ["Li", "Ma"], show=["seen"], repeats=1, title="?")
    for code, *_ in open_blind(place/"blind")["Li"].tasks[:3]: open_blind(place/"blind")["Li"].mark(code, "growth")
    blind = lambda f: {who: (o.current, repr(o), o.frame()) for who, o in open_blind(place/"blind").items()}
    inspected = [dict(id=i, epoch=1, target="B", choices=["x", "y"], output=dict(model="m", completion="答案：B",
        choices=[dict(message=dict(content="B"), stop_reason="stop")], usage=dict(output_tokens=3))) for i in (1, 2)]
    log = dict(eval=dict(model="m"), samples=inspected)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("header.json", json.dumps(dict(eval=dict(model="m"))))
        for o in inspected: z.writestr(f"samples/{o['id']}_epoch_1.json", json.dumps(o))
    prices = (Path(mic_eval.__file__).parent/"model/prices.yml").read_bytes()
    amr = table(guideline="EUCAST 2024", ab="CIP", mo=["B_ESCHR_COLI", "B_KLBSL"], method="MIC", type="human",
                breakpoint_S=[.25, .25], breakpoint_R=[.5, .5], site=["", "Meningitis"])
    whonet = table(GUIDELINES="EUCAST", YEAR=2024, ORGANISM_CODE=["eco", "kpn"], WHONET_ABX_CODE="CIP_NM",
                   TEST_METHOD="MIC", BREAKPOINT_TYPE="Human", S=[.25, .25], R=[1, 129])
    wells = table(series=["a"]*4+["b"]*4, plate="P", concentration=[.5, 1, 2, 4]*2, role="test",
                  growth=[1, 1, 0, 0, 1, 0, 1, 0])
    session = open_round(place/"round")["Li"]
    while session.current: session.rate(dict.fromkeys(session.rubric, 3))
    marked = mark(ExamItems([Item("1", "q", "open", answer="x")]), Responses([Answer("1", "t", "m")]))
    shown_code = _mark_code(marked.items[0], marked.answers[0])
    np.save(place/"folder/stack.npy", np.stack([np.eye(16), np.ones((16, 16))]))
    return {
        "blind round": ("blind/blind.json", content("blind/blind.json"), blind),
        "things of a blind round": ("blind/items.csv", content("blind/items.csv"), blind),
        "marks of a reader": ("blind/readings/Li.jsonl", content("blind/readings/Li.jsonl"), blind),
        "record": ("record.jsonl", content("blind/readings/Li.jsonl"),
                   lambda f: (Record(f).check(), Record(f).lines(), Record(f).latest())),
        "log of inspect": ("log.json", json.dumps(log).encode(), read_answers),
        "log of inspect, packed": ("log.eval", packed.getvalue(), read_answers),
        "prices": ("prices.yml", prices, read_prices), "AMR's breakpoints": ("amr.csv", amr, framed(from_amr)),
        "WHONET's breakpoints": ("whonet.csv", whonet, framed(from_whonet)),
        "list of categories": ("list.csv", table(drug="CIP", mic=[".25", ".5", "1"], category=list("SIR")),
                               framed(from_categories)),
        "series of wells": ("grown.csv", wells, framed(read_wells)),
        "concentrations": ("c.txt", "≤0,5 mg/L".encode(),
                           lambda f: read_concentration(f.read_bytes().decode("utf-8", "replace"))),
        "manifest of pictures": ("folder/manifest.csv", table(
            sample_id=["a", "b"], path=["test/bad/0.png", "test/good/0.png"], label=[1, 0],
            mask=["stack.npy#0", ""], roi=["stack.npy#1", ""]),
            lambda f: [o.judged for o in map(read_maps(f.parent, f.with_name("stack.npy"), layout="manifest").open,
                                             (0, 1))]),
        "ratings of a rater": ("round/ratings/Li.jsonl", content("round/ratings/Li.jsonl"),
                               lambda f: repr(open_round(place/"round"))),
        "points of people": ("points.csv", table(code=[shown_code], points=[4]), lambda f: read_people(marked, f))}


def seeds_of_exams(place):
    "What `score` and `ask` do with damaged files and damaged answers of a server"
    import socketserver
    import threading
    from mic_eval.model.ask import Endpoint, Request
    from mic_eval.tcm.demo import demo_answers, demo_items
    from mic_eval.tcm.exam import answers_table
    from mic_eval.tcm.points import mark, score_answers
    from mic_eval.tcm.questions import examination, worst_answers
    items, model = demo_items()[:12], demo_answers().models[0]
    answers = demo_answers().by("model")[model]
    answers = answers[[o.id in items.ids for o in answers]]
    items.save(place/"exam.jsonl")
    answers.save(place/"said.jsonl")

    def scored(asked, said):
        for name, part in said.by("model").items():
            table = answers_table(asked, part, ignore="unknown")
            repr((score_answers(mark(asked, part, ignore="unknown")), examination(table, ()), worst_answers(table, ())))

    class Raw(socketserver.StreamRequestHandler):
        def handle(self):
            try:
                while self.rfile.readline().strip(): pass
                self.wfile.write(self.server.said)
            except OSError: pass
    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Raw)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, kwargs=dict(poll_interval=.02), daemon=True).start()
    url, question = f"http://127.0.0.1:{server.server_address[1]}/v1", Request("1", (dict(role="user", content="q"),))

    def asked(path):
        server.said = path.read_bytes()
        reply = Endpoint(url, "m", timeout=.2, retries=0, stream=path.name == "words.http").reply_to(question)
        if reply.error: raise ValueError(reply.error)
    body = json.dumps(dict(choices=[dict(message=dict(content="答案：A"), finish_reason="stop")],
                           usage=dict(prompt_tokens=9, completion_tokens=4))).encode()
    pieces = [dict(choices=[dict(delta=dict(content=c))]) for c in "答案：A"] + [
        dict(choices=[dict(delta={}, finish_reason="stop")]), dict(choices=[], usage=dict(completion_tokens=4))]
    words = b"".join(b"data: "+json.dumps(o).encode()+b"\n\n" for o in pieces)+b"data: [DONE]\n\n"
    head = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: %s\r\n\r\n"
    return {
        "score, questions": ("exam.jsonl", (place/"exam.jsonl").read_bytes(),
                             lambda f: scored(read_items(f), answers)),
        "score, answers": ("said.jsonl", (place/"said.jsonl").read_bytes(), lambda f: scored(items, read_answers(f))),
        "ask": ("whole.http", head % b"application/json"+body, asked),
        "ask, word by word": ("words.http", head % b"text/event-stream"+words, asked)}


def linear():
    import torch
    return torch.nn.Linear(16, 1)


def sound_texts(seed=0):
    "Target -> further sound texts: the labelled responses and prescriptions of the tests, some behind a thinking part"
    here, rng = Path(__file__).parent, random.Random(seed)
    responses = [o[1] for o in several_cases(seed)]
    responses += [f"<think>{' '*rng.randint(0, 400)}{rng.choice(responses)}</think>\n{o}" for o in responses[:40]]
    files = [here/f"{kind}_prescriptions.txt" for kind in ("written", "dangerous", "safe")]
    lines = [line.split("\t") for f in files for line in f.read_text(encoding="utf-8").splitlines() if line]
    prescriptions = [json.loads(o) for row in lines for o in row if o.startswith('"')]
    texts = {"several answers": responses, "choice": responses, "prescription": prescriptions,
             "words of a list": responses, "true or false": responses, "quantity": prescriptions}
    return {name: [o.encode() for o in rng.sample(lines, 120)] for name, lines in texts.items()}


def all_seeds(place):
    return (seeds(place) | seeds_of_fields(place) | seeds_of_rounds(place) | seeds_of_stores(place)
            | seeds_of_people(place) | seeds_of_exams(place))


def one(path, content, read):
    "What became of an input: read, refused, or the fault"
    path.write_bytes(content)
    try: read(path)
    except (ValueError, OSError) as e:
        return "refused" if str(e) and "Traceback" not in str(e) else f"a refusal without a word: {e!r}"
    except Exception as e: return f"{type(e).__name__}: {str(e)[:200]}"
    return "read"


def main(seconds=60., seed=0):
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    rng, faults, counts = random.Random(seed), {}, {}
    with tempfile.TemporaryDirectory() as place:
        targets = all_seeds(Path(place))
        each = seconds/len(targets)
        more = sound_texts(int(seed))
        for name, (file, whole, read) in targets.items():
            sound = one(Path(place)/file, whole, read)
            if sound != "read":
                faults[name, "sound"] = whole
                print(f"FAULT {name}: the sound file: {sound}", flush=True)
            end, n = time.time()+each, dict(read=0, refused=0)
            while time.time() < end:
                content = damaged(rng.choice([whole, *more.get(name, ())]), rng)
                said = one(Path(place)/file, content, read)
                if said in n: n[said] += 1
                elif (name, said[:60]) not in faults:
                    faults[name, said[:60]] = content
                    print(f"FAULT {name}: {said}\n  {content[:20_000]!r}", flush=True)
            (Path(place)/file).write_bytes(whole)
            counts[name] = n
            print(f"{name:<22} {n['read']:>7} read {n['refused']:>7} refused", flush=True)
    print(f"{sum(sum(n.values()) for n in counts.values()):,} inputs for {len(targets)} readers in "
          f"{time.process_time()/60:.1f} processor minutes, {len(faults)} kinds of faults")
    return int(bool(faults))


if __name__ == "__main__": sys.exit(main(*map(float, sys.argv[1:2]), *map(int, sys.argv[2:3])))
