"May this model be released? Checks, and an exit code."
from ..core.rooms import room as _room

__getattr__, __dir__, __all__ = _room(__name__, __file__)
