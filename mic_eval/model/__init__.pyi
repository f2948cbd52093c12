from .load import (MODELS as MODELS, OpenedModel as OpenedModel, fingerprint as fingerprint, load_model as load_model,
                   plain as plain)
from .ask import Endpoint as Endpoint, Reply as Reply, Request as Request, as_model as as_model, ask_model as ask_model
from .predict import Asking as Asking, asking as asking, predict as predict
from .wellnet import (WellNet as WellNet, build_wellnet as build_wellnet, as_batch as as_batch,
                      train_wellnet as train_wellnet, wellnet_temperature as wellnet_temperature,
                      load_wellnet as load_wellnet, save_wellnet as save_wellnet)
from .efficiency import (model_size as model_size, flops as flops, footprint as footprint,
                         precision_change as precision_change, efficiency as efficiency, plot_latency as plot_latency)
