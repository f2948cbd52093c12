from .show import (level_curves as level_curves, retention_curves as retention_curves, kind_panels as kind_panels,
                   rank_lines as rank_lines, level_heat as level_heat)
from .labels import NoisyLabels as NoisyLabels, noisy_labels as noisy_labels
from .methods import (DATA_SETS as DATA_SETS, trial_data as trial_data, together as together, METHODS as METHODS,
                      Method as Method, method_of as method_of)
from .trials import Grid as Grid, noise_trials as noise_trials
from .indices import (noise_indices as noise_indices, read_scheme as read_scheme, grade_of as grade_of,
                      noise_grades as noise_grades)
from .standings import noise_ranks as noise_ranks
from .questions import demo_trials as demo_trials
from .field import FIELD as FIELD
from .reference import (NoiseModel as NoiseModel, annotators as annotators, noise_model as noise_model,
                        corrected_for_reference as corrected_for_reference)
from .suspects import (confident_joint as confident_joint, label_issues as label_issues, label_quality as label_quality,
                       judged_suspects as judged_suspects, PruneRetrain as PruneRetrain,
                       doubtful_labels as doubtful_labels, read_relabels as read_relabels, relabelled as relabelled)
from .networks import StackedMLP as StackedMLP, SmallNetwork as SmallNetwork, CAAC as CAAC
