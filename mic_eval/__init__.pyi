from . import core as core, data as data, metrics as metrics, mic as mic, model as model, robust as robust, run as run
from .core.tables import read_predictions as read_predictions
from .metrics.evaluate import evaluate as evaluate
from .model.inference import predict as predict
from .run.compare import compare as compare
from .run.report import report as report

__version__: str
