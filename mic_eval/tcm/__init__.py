"Chinese medicine: questions to a language model, what it answered, and how good the answers are."
import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
