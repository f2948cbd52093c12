"Does domain adaptation help: a model carried from one hospital to another, judged centre by centre."
from ..core.rooms import room as _room

__getattr__, __dir__, __all__ = _room(__name__, __file__)
