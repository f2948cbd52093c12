"Does a model find what is not normal: images, pixels, regions, and thresholds that never saw the test."
from ..core.rooms import room as _room

__getattr__, __dir__, __all__ = _room(__name__, __file__)
