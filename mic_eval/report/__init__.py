"What people read: pages, exports, cards; the only room that knows HTML."
from ..core.rooms import room as _room

__getattr__, __dir__, __all__ = _room(__name__, __file__)
