from . import anomaly as anomaly, cli as cli, core as core, data as data, gate as gate, metrics as metrics, mic as mic, model as model, noise as noise, robust as robust, run as run, tcm as tcm, trust as trust
from .core.tables import read_predictions as read_predictions
from .metrics.evaluate import evaluate as evaluate
from .model.predict import predict as predict
from .run.compare import compare as compare
from .report.render import report as report

__version__: str
