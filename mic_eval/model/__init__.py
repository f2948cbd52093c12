"Models: the inference loop, and the small network that ships with the package."
from ..core.rooms import room as _room

__getattr__, __dir__, __all__ = _room(__name__, __file__)
