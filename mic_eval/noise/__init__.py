"Which method may be trained on doubtful labels, and which labels are doubtful."
from ..core.rooms import room as _room

__getattr__, __dir__, __all__ = _room(__name__, __file__)
