from .shift import (ShiftMonitor as ShiftMonitor, distribution_shift as distribution_shift, performance_drop as performance_drop,
                    shift_distances as shift_distances)
