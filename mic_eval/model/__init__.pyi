from .load import (MODELS as MODELS, Opened as Opened, fingerprint as fingerprint, load_model as load_model, model_kind as model_kind,
                   plain as plain)
from .inference import (OUTPUTS as OUTPUTS, SCORES as SCORES, PredictError as PredictError, clear_parts as clear_parts,
                        identity as identity, predict as predict)
from .wellnet import density_view as density_view, WellNet as WellNet, build_wellnet as build_wellnet
from .wellnet import as_batch as as_batch, train_wellnet as train_wellnet, fit_temperature as fit_temperature
from .wellnet import load_wellnet as load_wellnet, save_wellnet as save_wellnet
