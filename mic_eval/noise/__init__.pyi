from .labels import (KINDS as KINDS, NoisyLabels as NoisyLabels, largest_remainder as largest_remainder, divided as divided, spread_of as
        spread_of, changed_count as changed_count, noisy_labels as noisy_labels)
from .data_sets import (DATA_SETS as DATA_SETS, TrialData as TrialData, trial_data as trial_data, together as together, well_features as
        well_features)
from .methods import (METHODS as METHODS, METRICS as METRICS, Method as Method, method_of as method_of, prepared as prepared, said_by as
        said_by, cell_metrics as cell_metrics, chance_of as chance_of)
from .grid import (VALIDATION as VALIDATION, GRID_KINDS as GRID_KINDS, Grid as Grid, kind_misfit as kind_misfit, grid_of as grid_of, split_rows as split_rows,
        noisy_features as noisy_features, noise_on as noise_on)
from .trials import one_cell as one_cell, many_cells as many_cells, noise_trials as noise_trials, with_seconds as with_seconds
from .indices import (INDICES as INDICES, TrialGrid as TrialGrid, index_values as index_values, kinds_of as kinds_of, grid_values as
        grid_values, noise_indices as noise_indices, level_curve as level_curve, spread_parts as spread_parts)
from .ranking import (block_scores as block_scores, needed_blocks as needed_blocks, noise_ranks as noise_ranks)
from .pictures import (level_curves as level_curves, retention_curves as retention_curves, kind_panels as kind_panels, kind_title as kind_title, rank_lines as rank_lines, list_precision as list_precision, level_heat as
        level_heat, flips_asked_and_got as flips_asked_and_got)
from .questions import (label_noise as label_noise, noise_metrics as noise_metrics, ranked_methods as ranked_methods, failed_trials as
        failed_trials, graded_methods as graded_methods, training_seconds as training_seconds, training_times as training_times,
        read_noise_table as read_noise_table, demo_trials as demo_trials)
from .field import FIELD as FIELD
from .reference import (NoiseModel as NoiseModel, noise_model as noise_model, corrected_for_reference as corrected_for_reference)
from .grades import (SCHEMES as SCHEMES, read_scheme as read_scheme, grade_of as grade_of, noise_grades as noise_grades)
from .mislabelled import (QUALITY as QUALITY, dealt_folds as dealt_folds, unseen_probabilities as unseen_probabilities, confident_joint as confident_joint, label_issues as label_issues,
        label_quality as label_quality, estimated_rate as estimated_rate, rate_follows as rate_follows, judged_suspects as judged_suspects,
        PruneRetrain as PruneRetrain)
from .networks import (LOSSES as LOSSES, loss_of as loss_of, StackedMLP as StackedMLP, SmallNetwork as SmallNetwork, CAAC as CAAC)
from .suspects import (suspect_rows as suspect_rows, doubtful_labels as doubtful_labels, read_relabels as read_relabels, relabelled as
        relabelled, suspect_sheet as suspect_sheet, relabel_sheet as relabel_sheet, suspect_gallery as suspect_gallery)
from .contest import (TRIAL_MEASURES as TRIAL_MEASURES, cells_lined_up as cells_lined_up, differing_cells as differing_cells,
        method_tables as method_tables, save_methods as save_methods, trials_score as trials_score, trials_test as trials_test)
from .label_questions import quality_of_labels as quality_of_labels
