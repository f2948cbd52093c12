from .shift import (ShiftMonitor as ShiftMonitor, distribution_shift as distribution_shift, performance_drop as performance_drop,
                    shift_distances as shift_distances)
from .edge_cases import (IGNORED as IGNORED, abstention as abstention, edge_case_handling as edge_case_handling, evaluate_edge_cases as evaluate_edge_cases,
                         out_of_distribution as out_of_distribution, plot_slices as plot_slices, row_confidence as row_confidence, slices as slices)
