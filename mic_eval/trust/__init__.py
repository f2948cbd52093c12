"What an attack can do to a model, what a certificate excludes, and what the model looked at."
from ..core.rooms import room as _room

__getattr__, __dir__, __all__ = _room(__name__, __file__)
