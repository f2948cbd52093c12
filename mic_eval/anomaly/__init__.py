"Does a model find what is not normal: images, pixels, regions, and thresholds that never saw the test."
import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
