"Chinese medicine: questions to a language model, what it answered, and how good the answers are."
from ..core.rooms import room as _room

__getattr__, __dir__, __all__ = _room(__name__, __file__)
