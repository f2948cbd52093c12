"The command line, one file a command."
import lazy_loader as _lazy

# not by `room`: a docstring here is what `-h` prints, so nothing may be added to it
__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
