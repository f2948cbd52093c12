"Tables, scores, intervals, resampling, criteria and plots: what every metric needs."
import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
