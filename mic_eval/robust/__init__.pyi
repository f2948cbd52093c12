from .shift import (ShiftMonitor as ShiftMonitor, distribution_shift as distribution_shift,
                    performance_drop as performance_drop)
from .edge_cases import (evaluate_edge_cases as evaluate_edge_cases, failures as failures,
                         out_of_distribution as out_of_distribution, slices as slices)
from .conditions import (evaluate_conditions as evaluate_conditions, plot_conditions as plot_conditions,
                         stability_score as stability_score)
