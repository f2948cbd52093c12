"The package and its pages as trees, parsed once for all tests that look at them"
import ast
from functools import cache
from pathlib import Path

package = Path(__file__).parent.parent/"mic_eval"
KEPT = ast.Import, ast.ImportFrom, ast.Constant, ast.Call, ast.IfExp, ast.FunctionDef, ast.AnnAssign


@cache
def nodes(source):
    "The nodes of a source that tests ask for, in the order of `ast.walk`"
    return [n for n in ast.walk(ast.parse(source)) if isinstance(n, KEPT)]


@cache
def text(path): return Path(path).read_text(encoding="utf-8")
