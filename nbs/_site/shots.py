"""Pictures of the pages that commands write. `shots.py` runs the commands on a drawn example in an empty folder, opens
what they wrote in a browser, and writes the head of each page to nbs/images; `shots.py attacks` writes that one alone.
`shots.py --samples build/site/samples` takes the sample reports of a built site: those of the gallery and the start
page, which have to be taken anew when a report begins otherwise (tests/test_site.py says so)."""
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image
from playwright.sync_api import sync_playwright

images = Path(__file__).resolve().parents[1] / "images"


def tables(place):
    "The calls of two models on the same 400 wells of eight plates and four drugs: the second errs less"
    rng, n = np.random.default_rng(7), 400
    grew = rng.integers(0, 2, n)
    facts = dict(sample_id=[f"w{i:03}" for i in range(n)], growth=grew, plate=[f"P{k}" for k in np.arange(n)//50],
                 drug=np.array(["AMI", "BDQ", "INH", "RIF"])[np.arange(n) % 4])
    names = dict(in_use=.35, proposed=.28)
    for name, spread in names.items():
        prob = np.clip(.5 + .4*(2*grew - 1) + rng.normal(0, spread, n), .001, .999).round(3)
        pd.DataFrame(facts | dict(y_prob=prob)).to_csv(place / f"{name}.csv", index=False)
    (place / "models.yaml").write_text("".join(f"- {{name: {o}, predictions: {o}.csv}}\n" for o in names))
    (place / "data.yaml").write_text("- {name: eight plates}\n")


def filled(study):
    "The sheets of a reading study of the two plates that come along: both readers read what their expert read"
    from mic_eval.data.real import shipped
    listed = pd.read_csv(shipped("plates") / "manifest.csv", dtype=str)
    expert = listed[listed.role == "test"].groupby(["plate", "drug"]).expert_mic.first().dropna()
    plate = {o["code"]: o["plate"] for o in json.loads((study / "key.json").read_text())["plates"]}
    for file in study.glob("reader_*.xlsx"):
        sheets = pd.read_excel(file, sheet_name=None, dtype=str)
        t = sheets["readings"]
        said = [expert.get((plate[p], d), "no result") for p, d in zip(t.plate, t.drug)]
        with pd.ExcelWriter(file) as book:
            for name, o in (sheets | dict(readings=t.assign(mic=said))).items(): o.to_excel(book, sheet_name=name,
                                                                                           index=False)


def pages(place):
    "`{name of a picture: page}`, after the commands ran"
    def typed(line):
        done = subprocess.run([sys.executable, "-m", "mic_eval", *line.split()], cwd=place,
                              capture_output=True, text=True)
        if done.returncode == 2: sys.exit(f"mic-eval {line}: {done.stderr}")
    for name in ("in_use", "proposed"): typed(f"run --predictions {name}.csv --out runs")
    typed("compare proposed.csv in_use.csv --out compared")
    typed("sweep models.yaml data.yaml --jobs 1 --out swept")
    from mic_eval.data.wells import render_plates, write_wells
    write_wells(render_plates(4, size=48, seed=5), place / "plates")
    typed("trust attack --model wellnet --data plates --radii 0.005,0.01 --budget quick --wells 40 --out attacked")
    typed("mic study draw plates --seed 3 --out study")
    filled(place / "study")
    typed("mic study report study")
    (study,) = place.glob("study/run/**/clinical.html")
    typed("trust explain --model wellnet --data plates --methods grad_cam --wells 12 --rendered 12 --out explained")
    return dict(attacks=place / "attacked" / "attacks.html", explanations=place / "explained" / "explanations.html",
                compare=place / "compared" / "compare.html", sweep=place / "swept" / "sweep.html",
                runs=place / "runs" / "index.html", study=study)


# picture -> report, width, and height of its head without the links above it
SAMPLES = dict(report=("technical.en", 1000, 760), report_zh=("technical.zh", 760, 640)) | {
    f"sample_{o}": (f"{o}.en", 760, 640) for o in "technical clinical anomaly domain label_noise tcm".split()}


def head(tab, page, to, height, y=0):
    "The head of a page as a picture in few colours"
    tab.goto(page.as_uri())
    tab.screenshot(path=to, clip=dict(x=0, y=y, width=tab.viewport_size["width"], height=height))
    Image.open(to).convert("RGB").quantize(128, dither=Image.Dither.NONE).save(to, optimize=True)


def samples(browser, folder):
    "The heads of the sample reports, and what they said when they were taken"
    said = {}
    for name, (report, width, height) in SAMPLES.items():
        tab = browser.new_page(viewport=dict(width=width, height=900))
        head(tab, folder.resolve() / f"{report}.html", images / f"{name}.png", height, y=46)
        said[name] = beginning(tab)
        tab.close()
    heads = json.dumps(said, ensure_ascii=False, indent=1) + "\n"
    (Path(__file__).parent / "heads.json").write_text(heads, encoding="utf-8")


def beginning(tab):
    "The outcome, the questions and the numbers with which a report begins"
    return tab.evaluate("""[...document.querySelectorAll("h1, .verdict h2, .verdict strong, .verdict .status, dt")]
      .slice(0, 7).map(e => e.innerText).concat([...document.querySelectorAll(".numbers > div")].map(e => e.innerText))
      .join(" | ").replace(/\\s+/g, " ")""")


if __name__ == "__main__":
    place, chromium = Path(tempfile.mkdtemp()), shutil.which("chromium")
    if "--samples" in sys.argv:
        with sync_playwright() as p, p.chromium.launch(executable_path=chromium, args=["--no-sandbox"]) as browser:
            samples(browser, Path(sys.argv[-1]))
        sys.exit()
    tables(place)
    with sync_playwright() as p, p.chromium.launch(executable_path=chromium, args=["--no-sandbox"]) as browser:
        tab = browser.new_page(viewport=dict(width=1000, height=900))
        for name, page in pages(place).items():
            if name in (sys.argv[1:] or [name]): head(tab, page, images / f"{name}.png", 560)
    shutil.rmtree(place)
