"Minimum inhibitory concentrations: from wells to a reading, and how well two readings agree."
import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
