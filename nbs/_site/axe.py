"""What axe, the checker of accessibility, says of the site: `axe.py [FOLDER] [PAGE ...]`.

Every page is looked at once, for what axe alone can see; a few stand for the looks and the scripts that all share.
axe-core comes from npm and is no part of the package: `make axe` puts it into build/axe. Nothing is asked of the
network here.
"""
import importlib.util
import os
import sys
from pathlib import Path

root = Path(__file__).resolve().parents[2]
# pages with a script, a form, a figure, a report or a language of their own
SHOWN = "index", "tutorials/chinese", "tutorials/gallery", "reports/technical", "cli/run", "genindex", "search"
LOOKS = [(width, scheme) for width in (390, 1200) for scheme in ("light", "dark")]
# by the style sheet, which all pages share: three quarters of axe's time; faults.js looks at contrast on every page
LOOK = "color-contrast", "link-in-text-block", "css-orientation-lock"
# faults.js says these of every page
SAID = ("document-title", "html-has-lang", "image-alt", "link-name", "button-name", "label", "empty-heading",
        "empty-table-header", "heading-order", "page-has-heading-one", "duplicate-id")
# A page in place of the one that is open: axe stays, no script runs, no style is read anew. Colours of code are no
# structure, pictures are not drawn, and the list of all pages is that of every page.
SWAP = """async page => {
  const text = await (await fetch(page)).text(), other = new DOMParser().parseFromString(text, "text/html");
  for (const code of other.querySelectorAll("pre")) if (!code.querySelector("a")) code.textContent = code.textContent;
  for (const link of other.querySelectorAll(".sidebar-tree li")) link.remove();
  for (const picture of other.querySelectorAll("img")) picture.removeAttribute("src");
  document.documentElement.lang = other.documentElement.lang;
  document.title = other.title;
  document.body.replaceWith(document.adoptNode(other.body));
  reachable();   // of site.js: what scrolls takes the keyboard
}"""


def axe_source():
    "The text of axe, from $MIC_EVAL_AXE, build/axe or the package of playwright's; None where it is not installed"
    beside = importlib.util.find_spec("axe_playwright_python")
    places = [os.environ.get("MIC_EVAL_AXE"), root / "build" / "axe" / "node_modules" / "axe-core" / "axe.min.js"]
    if beside: places += [Path(beside.origin).parent / "axe.min.js"]
    return next((Path(p).read_text(encoding="utf-8") for p in places if p and Path(p).is_file()), None)


def found(page, without=()):
    "Lines on what axe, once it is there, finds in an open page: rule, how bad, how often, the first element"
    how = dict(resultTypes=["violations"], preload=False, rules={rule: dict(enabled=False) for rule in without})
    broken = page.evaluate("how => axe.run(how).then(r => r.violations)", how)
    return [f"{v['id']} ({v['impact']}, {len(v['nodes'])}): {v['nodes'][0]['html'][:160]}" for v in broken]


def plain_faults(page):
    "Lines on what is wrong with an open page, light and dark, by the rules of faults.js: quick where axe takes seconds"
    rules, found = (root / "nbs" / "_site" / "faults.js").read_text(encoding="utf-8"), []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found += [f"{scheme}: {line}" for line in page.evaluate(rules, scheme == "dark")]
    return found


def looked_at(browser, at, source, pages=SHOWN):
    "`(page, width, scheme, line)` of everything that axe finds in whole pages: on a phone and a desk, light and dark"
    for width, scheme in LOOKS:
        tab = browser.new_page(base_url=at, viewport=dict(width=width, height=900), color_scheme=scheme)
        for name in pages:
            tab.goto(f"{name}.html", wait_until="load")
            tab.evaluate(source)
            yield from ((name, width, scheme, line) for line in found(tab))
        tab.close()


def structure(tab, source, pages):
    "`(page, line)` of what axe alone can see in pages of one open site, on a phone: axe is read once"
    tab.set_viewport_size(dict(width=390, height=844))
    tab.goto("index.html", wait_until="load")
    tab.evaluate(source)
    for page in pages:
        tab.evaluate(SWAP, f"/{page}")
        yield from ((page, line) for line in found(tab, LOOK + SAID))


if __name__ == "__main__":
    import shutil
    import threading
    from functools import partial
    from itertools import chain
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
    from playwright.sync_api import sync_playwright
    folder = Path((sys.argv[1:2] or [root / "build" / "site"])[0])
    pages = [f"{page}.html" for page in sys.argv[2:]] or sorted(
        p.relative_to(folder).as_posix() for p in folder.rglob("*.html") if p.parent.name != "samples")
    source = axe_source() or sys.exit("axe-core is not installed: make axe")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(folder)))
    SimpleHTTPRequestHandler.log_message = lambda *_: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    at = f"http://127.0.0.1:{server.server_port}/"
    with sync_playwright() as p, p.chromium.launch(executable_path=shutil.which("chromium"),
                                                   args=["--no-sandbox", "--disable-gpu"]) as browser:
        looks, n = () if sys.argv[2:] else looked_at(browser, at, source), 0
        for n, line in enumerate(chain(structure(browser.new_page(base_url=at), source, pages), looks), 1): print(*line)
    server.shutdown()
    print(f"{len(pages)} pages: {n} violations")
    sys.exit(bool(n))
