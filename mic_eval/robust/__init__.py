"How a model holds up: other conditions, rare cases, data that have moved."
from ..core.rooms import room as _room

__getattr__, __dir__, __all__ = _room(__name__, __file__)
