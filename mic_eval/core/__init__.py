"Tables, scores, intervals, resampling, criteria and plots: what every metric needs."
from .rooms import room as _room

__getattr__, __dir__, __all__ = _room(__name__, __file__)
