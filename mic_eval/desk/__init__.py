"A page for people who do not type, on folders that Python made or can open."
from ..core.rooms import room as _room

__getattr__, __dir__, __all__ = _room(__name__, __file__)
