"""What axe, the checker of accessibility, says of the site: `axe.py [FOLDER] [PAGE ...]`, at two widths, light and
dark.

axe-core comes from npm and is no part of the package: `make axe` puts it into build/axe. Nothing is
asked of the network here.
"""
import importlib.util
import os
import sys
from pathlib import Path

root = Path(__file__).resolve().parents[2]
PAGES = ("index", "tutorials/a_spreadsheet", "tutorials/a_photograph", "tutorials/a_model", "tutorials/chinese",
         "tutorials/chinese_reading", "tutorials/gallery",
         "how_to/from_sklearn", "explanations/reading_a_report", "explanations/words", "metrics/agreement",
         "mic/dilutions", "reports/technical",
         "core/criteria", "cli/run", "contents", "genindex", "search")
LOOKS = [(width, scheme) for width in (390, 1200) for scheme in ("light", "dark")]


def axe_source():
    "The text of axe, from $MIC_EVAL_AXE, build/axe or the package of playwright's; None where it is not installed"
    beside = importlib.util.find_spec("axe_playwright_python")
    places = [os.environ.get("MIC_EVAL_AXE"), root / "build" / "axe" / "node_modules" / "axe-core" / "axe.min.js"]
    if beside: places += [Path(beside.origin).parent / "axe.min.js"]
    return next((Path(p).read_text(encoding="utf-8") for p in places if p and Path(p).is_file()), None)


def found(page, source, contrast=True):
    "Lines on what axe finds in an open page: rule, how bad, how often, the first element"
    page.evaluate(source)
    how = dict(resultTypes=["violations"], rules={"color-contrast": dict(enabled=contrast)})
    broken = page.evaluate("how => axe.run(how).then(r => r.violations)", how)
    return [f"{v['id']} ({v['impact']}, {len(v['nodes'])}): {v['nodes'][0]['html'][:160]}" for v in broken]


def plain_faults(page):
    "Lines on what is wrong with an open page, light and dark, by the rules of faults.js: quick where axe takes seconds"
    rules, found = (root / "nbs" / "_site" / "faults.js").read_text(encoding="utf-8"), []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found += [f"{scheme}: {line}" for line in page.evaluate(rules, scheme == "dark")]
    return found


def checked(browser, at, source, pages=PAGES, looks=LOOKS):
    """`(page, width, scheme, line)` of everything found.

    Colours are those of the wide page: three quarters of axe's time go into contrast, and `faults.js` looks at it on
    every page at 390 px."""
    for width, scheme in looks:
        tab = browser.new_page(base_url=at, viewport=dict(width=width, height=900), color_scheme=scheme)
        for name in pages:
            tab.goto(f"{name}.html", wait_until="load")
            yield from ((name, width, scheme, line) for line in found(tab, source, width > 390))
        tab.close()


if __name__ == "__main__":
    import shutil
    import threading
    from functools import partial
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
    from playwright.sync_api import sync_playwright
    folder, pages = (sys.argv[1:2] or [root / "build" / "site"])[0], sys.argv[2:] or PAGES
    source = axe_source() or sys.exit("axe-core is not installed: make axe")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(folder)))
    SimpleHTTPRequestHandler.log_message = lambda *_: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with sync_playwright() as p, p.chromium.launch(executable_path=shutil.which("chromium"),
                                                   args=["--no-sandbox", "--disable-gpu"]) as browser:
        lines = list(checked(browser, f"http://127.0.0.1:{server.server_port}/", source, pages))
    server.shutdown()
    for line in lines: print(*line)
    print(f"{len(pages)} pages, {len(LOOKS)} looks: {len(lines)} violations")
    sys.exit(bool(lines))
