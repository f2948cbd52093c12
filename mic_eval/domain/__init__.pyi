from .adaptation import (both_sides as both_sides, Adapter as Adapter, MeanShift as MeanShift, CORAL as CORAL,
                         SubspaceAlignment as SubspaceAlignment, ImportanceWeights as ImportanceWeights,
                         OptimalTransport as OptimalTransport, FunctionMethod as FunctionMethod,
                         SkadaMethod as SkadaMethod, AdaptMethod as AdaptMethod)
from .adaptation import TCA as TCA
from .sites import (SiteData as SiteData, read_sites as read_sites, empty_zeros as empty_zeros,
                    site_findings as site_findings, Preparation as Preparation)
from .carry import Chosen as Chosen, loss_between_sources as loss_between_sources
from .leave_out import leave_one_site_out as leave_one_site_out
from .effect import (gap_closed as gap_closed, adaptation_effect as adaptation_effect,
                     effect_table as effect_table)
from .plots import (label_budget as label_budget, SpaceMap as SpaceMap, space_map as space_map,
                    plot_space_map as plot_space_map, plot_space_maps as plot_space_maps,
                    plot_transfer as plot_transfer, plot_carried as plot_carried)
from .field import FIELD as FIELD
from .prior import PriorShift as PriorShift
from .validation import (expected_auroc as expected_auroc, label_free_estimates as label_free_estimates,
                         cross_validate as cross_validate)
