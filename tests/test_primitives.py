"What every room does is done in one place: reading and writing tables, reading YAML, hashing; a line holds one idea"
import ast
from pathlib import Path

from sources import nodes, text

ROOT = Path(__file__).parent.parent/"mic_eval"
MODULES = {p.relative_to(ROOT).as_posix(): p for p in sorted(ROOT.rglob("*.py"))
           if p.name not in ("__init__.py", "_modidx.py")}

READS = ("csv.reader", "csv.DictReader", "pd.read_csv", "pd.read_excel", "pd.read_parquet", "pq.read_table",
         "yaml.load", "yaml.safe_load", "yaml.load_all", "yaml.safe_load_all")
OWN_READERS = {
    "core/readers.py": "the reader itself",
    "data/manifest.py": "names the line of each fault, which a table of columns has lost",
    "noise/methods.py": "public files without a head",
    "cli/design.py": "a table of our own",
    "tcm/herbs.py": "vocabularies of our own, by line"}
WRITES = {"to_csv", "to_excel", "to_parquet", "to_feather", "writerow", "DictWriter", "ExcelWriter"}
LAST = WRITES | {o.rpartition(".")[2] for o in READS}
OWN_WRITERS = {
    "core/text.py": "a table as CSV and as a workbook for people",
    "core/files.py": "the writer itself",
    "data/pictures.py": "text that is hashed and never kept",
    "data/inputs.py": "text that is hashed, or compared with what is there"}
FILE_HASHES = {"core/files.py": "the function itself", "data/pictures.py": "one hash over many pictures",
               "data/manifest.py": "one hash over many pictures"}


def calls(name):
    return {ast.unparse(n.func) for n in nodes(text(MODULES[name])) if isinstance(n, ast.Call)
            and isinstance(n.func, ast.Attribute) and n.func.attr in LAST}


def test_tables_are_read_in_one_place():
    "Elsewhere: core.readers.read_table, core.yaml.read_yaml_file"
    found = {name: calls(name) & set(READS) for name in MODULES}
    assert {name: o for name, o in found.items() if o and name not in OWN_READERS} == {}
    assert not [name for name in OWN_READERS if not found[name]], "an exception that nobody needs any more"


def test_tables_are_written_in_one_place():
    "Elsewhere: core.files.write_table, and core.text.sheet for a table that is printed"
    found = {name: {o.rpartition(".")[2] for o in calls(name)} & WRITES for name in MODULES}
    assert {name: o for name, o in found.items() if o and name not in OWN_WRITERS} == {}
    assert not [name for name in OWN_WRITERS if not found[name]], "an exception that nobody needs any more"


def hashes_files(name):
    source = text(MODULES[name])
    return "hashlib.file_digest(" in source or any("hashlib" in line and "read_bytes()" in line
                                                   for line in source.splitlines())


def test_files_are_hashed_in_one_place():
    "Elsewhere: core.files.file_hash"
    assert [name for name in MODULES if hashes_files(name) and name not in FILE_HASHES] == []


def nested(name):
    "Lines with a conditional inside a conditional"
    found = [n for n in nodes(text(MODULES[name])) if isinstance(n, ast.IfExp)]
    return {n.lineno for n in found if any(isinstance(m, ast.IfExp) for m in ast.walk(n) if m is not n)}


def test_no_conditional_inside_a_conditional():
    "A small function with a name says which case is meant"
    lines = [f"{name}:{i}" for name in MODULES for i in sorted(nested(name))]
    assert lines == []
