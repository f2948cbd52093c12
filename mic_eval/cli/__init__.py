"The command line, one file a command."
import lazy_loader as _lazy

# not by `room`: a docstring here is what `-h` prints, so nothing may be added to it
_known, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)


def __getattr__(name):
    "A public name, loaded when asked for; one that has moved, with a warning that says where it is"
    try: return _known(name)
    except AttributeError:
        if name[:1] == "_": raise
        from .._moved import asked_by_old_name
        return asked_by_old_name(__name__, name)
