from . import core as core, data as data, metrics as metrics, mic as mic, model as model, run as run

__version__: str
