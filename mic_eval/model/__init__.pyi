from .sources import environment_read as environment_read, existing_file as existing_file, imported_names as imported_names
from .sources import is_installed as is_installed, module_file as module_file, own_module as own_module
from .sources import own_sources as own_sources, sha256_of as sha256_of
from .contents import digest as digest
from .load import (MODEL_FILES as MODEL_FILES, MODELS as MODELS, OpenedModel as OpenedModel, external_files as external_files, fingerprint as fingerprint,
                   load_model as load_model, model_kind as model_kind, plain as plain)
from .answers import (FEWEST as FEWEST, LOOKED_AT as LOOKED_AT, OUTPUTS as OUTPUTS, SCORES as SCORES, BatchAnswer as BatchAnswer, PredictError as PredictError,
                      check_answer as check_answer, look_like_probabilities as look_like_probabilities, batch_answer as batch_answer,
                      refuse_probabilities as refuse_probabilities)
from .calls import device_of as device_of, misfit as misfit, ready as ready, seeded as seeded
from .parts import (clear_parts as clear_parts, drop_parts as drop_parts, prediction_identity as prediction_identity, load_part as load_part,
                    part_file as part_file, part_folder as part_folder, save_part as save_part)
from .inference import (Asking as Asking, all_answers as all_answers, answer_batch as answer_batch, answer_difference as answer_difference, asking as asking,
                        predict as predict, still_answers as still_answers)
from .wellnet import density_view as density_view, WellNet as WellNet, build_wellnet as build_wellnet
from .wellnet import as_batch as as_batch, train_wellnet as train_wellnet, wellnet_temperature as wellnet_temperature
from .wellnet import load_wellnet as load_wellnet, save_wellnet as save_wellnet
from .efficiency import (
    hardware as hardware, model_size as model_size, flops as flops, working_memory as working_memory, footprint as footprint,
    time_quantile as time_quantile, call_times as call_times, precision_change as precision_change, efficiency as efficiency,
    plot_latency as plot_latency)
from .questions import efficiency_metrics as efficiency_metrics, latency_metrics as latency_metrics
from .ask import Endpoint as Endpoint, Reply as Reply, Request as Request, Stored as Stored, as_model as as_model, ask_model as ask_model, image_part as image_part, text_of as text_of
