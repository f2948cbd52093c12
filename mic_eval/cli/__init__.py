"The command line, one file a command."
from ..core.rooms import room as _room

__getattr__, __dir__, __all__ = _room(__name__, __file__)
