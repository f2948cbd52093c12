"""What the package stands on: name, version and licence of every package that its requirements lead to.

    python nbs/_site/supply.py                        build/sbom.json (CycloneDX 1.5) and build/licences.md
    python nbs/_site/supply.py --hashes REPORT.json   requirements with hashes, from pip's report, to stdout
"""
import json
import re
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def plain(name): return re.sub(r"[-_.]+", "-", name).lower()


def licence(d):
    "The licence as the package's own metadata say it: the expression, the classifiers, or the first line of the text"
    m = d.metadata
    if m.get("License-Expression"): return m["License-Expression"]
    said = [c.rpartition(" :: ")[2] for c in m.get_all("Classifier") or () if c.startswith("License ::")]
    text = (m.get("License") or "").strip().splitlines()
    return ", ".join(o for o in said if o != "OSI Approved") or (text[0][:80] if text else "not stated")


def needed(name, seen):
    "A package and, for this machine, all that it requires"
    from packaging.requirements import Requirement
    if plain(name) in seen: return
    try: d = distribution(name)
    except PackageNotFoundError: return
    seen[plain(name)] = d
    for line in d.requires or ():
        r = Requirement(line)
        if r.marker is None or r.marker.evaluate(dict(extra="")): needed(r.name, seen)


def tree():
    "Every package that `mic-eval` needs to run"
    seen = {}
    needed("mic-eval", seen)
    return {k: d for k, d in sorted(seen.items()) if k != "mic-eval"}


def sbom(found):
    "A bill of materials as CycloneDX"
    part = lambda k, d: dict(type="library", name=k, version=d.version, purl=f"pkg:pypi/{k}@{d.version}",
                             licenses=[dict(license=dict(name=licence(d)))])
    return dict(bomFormat="CycloneDX", specVersion="1.5", version=1, components=[part(k, d) for k, d in found.items()])


def table(found):
    "Licences as Markdown"
    rows = [f"| {k} | {d.version} | {licence(d).replace('|', '/')} |" for k, d in found.items()]
    return "\n".join(["| package | version | licence, as its metadata say |", "|:--|:--|:--|", *rows, ""])


def hashed(report):
    "Requirements with the hashes of what pip would install on this machine"
    for o in json.loads(Path(report).read_text(encoding="utf-8"))["install"]:
        sums = o["download_info"].get("archive_info", {}).get("hashes", {})
        name = f"{plain(o['metadata']['name'])}=={o['metadata']['version']}"
        yield name + "".join(f" --hash={k}:{v}" for k, v in sums.items())


if __name__ == "__main__":
    if sys.argv[1:2] == ["--hashes"]: print("\n".join(sorted(hashed(sys.argv[2]))))
    else:
        found = tree()
        (ROOT / "build").mkdir(exist_ok=True)
        (ROOT / "build" / "sbom.json").write_text(json.dumps(sbom(found), indent=1) + "\n", encoding="utf-8")
        (ROOT / "build" / "licences.md").write_text(table(found), encoding="utf-8")
        print(f"{len(found)} packages; no licence stated by: "
              f"{', '.join(k for k, d in found.items() if licence(d) == 'not stated') or 'none'}")
