"Does domain adaptation help: a model carried from one hospital to another, judged centre by centre."
import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
