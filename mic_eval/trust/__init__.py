"What an attack can do to a model, what a certificate excludes, and what the model looked at."
import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
