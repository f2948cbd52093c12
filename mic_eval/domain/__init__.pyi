from .methods import (both_sides as both_sides, Adapter as Adapter, MeanShift as MeanShift, CORAL as CORAL,
        SubspaceAlignment as SubspaceAlignment)
from .components import (TCA as TCA)
from .sites import (SiteData as SiteData, read_sites as read_sites, zero_features as zero_features, empty_zeros as empty_zeros,
        site_findings as site_findings, Preparation as Preparation)
from .carry import (Labels as Labels, estimator_of as estimator_of, fit_copy as fit_copy, positive_prob as positive_prob,
        out_of_fold as out_of_fold, predicted as predicted, yardsticks as yardsticks, usual_methods as usual_methods,
        seen_of_target as seen_of_target, named_method as named_method)
from .leave_out import (
        Job as Job, halves as halves,
        trial_values as trial_values, leave_one_site_out as leave_one_site_out, judged_rows as judged_rows, joined_rows as joined_rows)
from .gains import (patient_gains as patient_gains, mean_gains as mean_gains, gain_of as gain_of)
from .refits import (drawn_sources as drawn_sources, refitted as refitted, refit_gains as refit_gains)
from .choose import (Chosen as Chosen, loss_between_sources as loss_between_sources, loss_by_weights as loss_by_weights)
from .effect import (MARGINS as MARGINS,
        margin_of as margin_of, gain_verdict as gain_verdict, fieller as fieller, gap_closed as gap_closed,
        adaptation_effect as adaptation_effect, effect_table as effect_table)
from .questions import (hospitals as hospitals, site_shift as site_shift, label_free as label_free, carried as carried,
        adaptation as adaptation, over_hospitals as over_hospitals, ADVICE as ADVICE, advice_of as advice_of,
        site_advice as site_advice, pooled_rows as pooled_rows, effect_of as effect_of)
from .sights import (label_budget as label_budget, labels_of as labels_of, transductive as transductive, transfer as transfer,
        best_looking as best_looking, before_after_curves as before_after_curves, space_views as space_views)
from .pictures import (SpaceMap as SpaceMap, space_map as space_map, plot_space_map as plot_space_map,
        plot_space_maps as plot_space_maps, transfer_matrix as transfer_matrix, plot_transfer as plot_transfer,
        carried_curves as carried_curves, plot_carried as plot_carried)
from .contest import (as_they_came as as_they_came, carried_alike as carried_alike, carried_score as carried_score,
        carried_test as carried_test)
from .field import (FIELD as FIELD)
from .views import (advice_rows as advice_rows, site_rows as site_rows, gap_rows as gap_rows, signed as signed,
        gain_rows as gain_rows, shift_rows as shift_rows, left_rows as left_rows, estimate_rows as estimate_rows,
        centre_rows as centre_rows, gain_forest as gain_forest, budget_rows as budget_rows, refit_rows as refit_rows,
        more_gain_rows as more_gain_rows, gap_closed_rows as gap_closed_rows, rank_rows as rank_rows)
from .weights import (content_folds as content_folds, ImportanceWeights as ImportanceWeights)
from .prior import (mixture_distance as mixture_distance, mixture_test as mixture_test, best_prevalence as best_prevalence, prevalence_interval as prevalence_interval,
        PriorShift as PriorShift)
from .transport import (OptimalTransport as OptimalTransport)
from .wrapped import (misplaced as misplaced, FunctionMethod as FunctionMethod, SkadaMethod as SkadaMethod,
        AdaptMethod as AdaptMethod)
from .label_free import (expected_auroc as expected_auroc, label_free_estimates as label_free_estimates,
        label_free_errors as label_free_errors)
from .centres import (over_centres as over_centres, rank_methods as rank_methods)
from .before_after import (told_apart_p as told_apart_p, space_distances as space_distances, excess_left as excess_left, distances_removed as distances_removed,
        removal_plot as removal_plot)
from .validation import (cross_validate as cross_validate, plus_632 as plus_632, refit_bootstrap as refit_bootstrap)
