from . import core as core, data as data, metrics as metrics, mic as mic, model as model, run as run
from .core.tables import read_predictions as read_predictions

__version__: str
