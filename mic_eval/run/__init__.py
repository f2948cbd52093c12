"From a plan to results on disk: one pipeline for every field; it knows no field and no HTML."
from ..core.rooms import room as _room

__getattr__, __dir__, __all__ = _room(__name__, __file__)
