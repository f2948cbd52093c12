"Metrics for every kind of table, each a definition with its interval."
from ..core.rooms import room as _room

_known, __dir__, __all__ = _room(__name__, __file__)


def __getattr__(name):
    "A public name, loaded when asked for; of an unknown one, what it is called here"
    try: return _known(name)
    except AttributeError:
        if name.startswith("_"): raise
        from .names import unknown_name
        raise AttributeError(unknown_name(name, __all__), name=name, obj=None) from None
