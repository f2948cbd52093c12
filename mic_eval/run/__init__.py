"From a plan to results on disk: one pipeline for every field; it knows no field and no HTML."
import sys as _sys
from importlib import import_module as _import
from importlib.abc import Loader as _Loader, MetaPathFinder as _Finder
from importlib.machinery import ModuleSpec as _Spec
from types import ModuleType as _Module
from warnings import warn as _warn

from ..core.rooms import room as _room

_getattr, __dir__, __all__ = _room(__name__, __file__)

# --- where the names of version 0.0.1 stand now; this door closes with the version after next

_MOVED = dict(
    evaluators="core.questions core.results mic.questions robust.questions model.questions", entrants="run.alignment", runs="run.listing report.index",
    leftovers="run.cleanup cli.runs", words="report.words", blocks="report.blocks core.fields", views="report.views core.results core.fields",
    samples="report.samples", advice="report.advice", numbers="report.numbers", report="report.render cli.report", interactive="report.interactive",
    exports="report.exports cli.export", outline="report.suites", clinical="report.clinical", supplements="report.clinical_tables",
    cards="report.cards cli.card", track="report.trackers cli.track", compared="report.comparison cli.compare",
    swept="report.leaderboard cli.sweep", sheets="core.text", quoting="core.text", gates="gate.smoke gate.gate core.text",
    gate_checks="gate.regression gate.smoke gate.gate", gated="gate.gate cli.gate", cli="cli.app cli.run cli.demo cli.check cli.list",
    mics="mic.findings cli.mics", read="mic.photograph cli.read", evaluation="run.plan mic.inputs", suite="core.yaml", store="core.files")
_RENAMED = dict(EVALUATORS="QUESTIONS", evaluator="question", model_job="model_source", file_job="file_source", Job="Source")


def _found(name, rooms):
    for place in rooms.split():
        try: module = _import(f"mic_eval.{place}")
        except ModuleNotFoundError: continue
        for known in (name, _RENAMED.get(name)):
            if known and hasattr(module, known): return f"mic_eval.{place}.{known}", getattr(module, known)
    return None, None


def __getattr__(name):
    try: return _getattr(name)
    except AttributeError: pass
    if name[:1] == "_": raise AttributeError(name)
    where, value = _found(name, " ".join(_MOVED.values()))
    if where is None: raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    _warn(f"mic_eval.run.{name} is now {where}", FutureWarning, stacklevel=2)
    return value


class _Old(_Finder, _Loader):
    "Modules under their old names"
    def find_spec(self, fullname, path=None, target=None):
        room, _, name = fullname.rpartition(".")
        if room == __name__ and name in _MOVED and name not in ("evaluation", "suite", "store"): return _Spec(fullname, self)
    def create_module(self, spec):
        old = spec.name.rpartition(".")[2]
        module = _Module(spec.name)
        def look(name):
            where, value = _found(name, _MOVED[old])
            if where is None: raise AttributeError(f"module {spec.name!r} has no attribute {name!r}")
            return value
        module.__getattr__ = look
        _warn(f"{spec.name} is now {', '.join('mic_eval.' + o for o in _MOVED[old].split())}", FutureWarning, stacklevel=4)
        return module
    def exec_module(self, module): pass


if not any(type(o).__name__ == "_Old" for o in _sys.meta_path): _sys.meta_path.append(_Old())
