"Minimum inhibitory concentrations: from wells to a reading, and how well two readings agree."
from ..core.rooms import room as _room

__getattr__, __dir__, __all__ = _room(__name__, __file__)
