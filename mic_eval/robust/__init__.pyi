from .shift import (ShiftMonitor as ShiftMonitor, distribution_shift as distribution_shift, performance_drop as performance_drop,
                    shift_distances as shift_distances)
from .edge_cases import (IGNORED as IGNORED, abstention as abstention, edge_case_handling as edge_case_handling, evaluate_edge_cases as evaluate_edge_cases,
                         failure_gallery as failure_gallery, failures as failures,
                         out_of_distribution as out_of_distribution, plot_slices as plot_slices, row_confidence as row_confidence, slices as slices)
from .conditions import (EXPECTED as EXPECTED, USUAL as USUAL, baseline_cells as baseline_cells, condition_cells as condition_cells,
                         corruption_error as corruption_error, evaluate_conditions as evaluate_conditions, plot_conditions as plot_conditions,
                         stability_score as stability_score)
from .disturbed import (FAMILIES as FAMILIES, Disturbed as Disturbed, condition_predictions as condition_predictions,
                        disturbed_images as disturbed_images, conditions_still_answer as conditions_still_answer)
from .spread import heterogeneity as heterogeneity
from .questions import (
    NINE_CONDITIONS as NINE_CONDITIONS, condition_metrics as condition_metrics, edge_case_metrics as edge_case_metrics,
    shift_metrics as shift_metrics)
