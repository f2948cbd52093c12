from .access import Access as Access, Space as Space, access as access, table_space as table_space
from .attacks import Attack as Attack, fgsm as fgsm, pgd as pgd, uniform_noise as uniform_noise
from .autopgd import apgd as apgd, dlr as dlr, square as square
from .minimal import cw as cw, ddn as ddn, fmn as fmn
from .worst_case import (
    BUDGETS as BUDGETS,
    RADII as RADII,
    WorstCase as WorstCase,
    worst_case as worst_case)
from .attacked_tables import (
    attacked_predictions as attacked_predictions,
    eight_bit as eight_bit,
    worst_case_of as worst_case_of)
from .survival import (adversarial_robustness as adversarial_robustness, by_radius as by_radius, evaluate_attacks as evaluate_attacks,
                       median_distance as median_distance)
from .checks import attack_checks as attack_checks, doubted as doubted
from .certificates import (certificate_of as certificate_of, interval_certificate as interval_certificate, linear_certificate as linear_certificate, plot_sandwich as plot_sandwich,
                           sandwich as sandwich, smoothed as smoothed, smoothed_shares as smoothed_shares, smoothing_radius as smoothing_radius)
from .distortions import (DISTORTIONS as DISTORTIONS, GRID as GRID, universal_pattern as universal_pattern, worst_condition as worst_condition,
                          worst_distortion as worst_distortion)
from .attack_pictures import (compare_attacks as compare_attacks, plot_attacked as plot_attacked, plot_distances as plot_distances, plot_harm as plot_harm,
                              plot_survivors as plot_survivors)
from .attribution import (Attributions as Attributions, BASELINES as BASELINES, EXPLAINERS as EXPLAINERS, attribute as attribute,
                          baseline_of as baseline_of, with_maps as with_maps)
from .skill import reference_maps as reference_maps, skill as skill, untrained as untrained
from .explanations import evaluate_explanations as evaluate_explanations, localised as localised, localised_by_bubble as localised_by_bubble
from .explained_pictures import gallery_of as gallery_of, plot_explained as plot_explained, plot_skill as plot_skill
from .coalitions import lime_fit as lime_fit, shapley_values as shapley_values
from .faithfulness import deletion as deletion, infidelity as infidelity, insertion as insertion, part_infidelity as part_infidelity, sensitivity_n as sensitivity_n
from .twins import (Twins as Twins, causal_agreement as causal_agreement, reliance as reliance, true_effect as true_effect,
                    twin_wells as twin_wells)
from .sanity import (gini as gini, label_shuffle_test as label_shuffle_test, max_sensitivity as max_sensitivity,
                     method_agreement as method_agreement, other_logit_test as other_logit_test, randomisation_test as randomisation_test)
from .boundary import boundary_distance as boundary_distance, crossing as crossing, growth_threshold as growth_threshold, plane as plane
from .imputation import filled as filled, over_baselines as over_baselines, road as road
from .stability import (local_lipschitz as local_lipschitz, map_entropy as map_entropy, maps_under as maps_under,
                        seed_agreement as seed_agreement)
from .importance import fact_importance as fact_importance, permutation_importance as permutation_importance
from .attention import (attention_by_head as attention_by_head, attention_rollout as attention_rollout,
                        attention_weights as attention_weights, gradient_rollout as gradient_rollout, rolled as rolled)
from .insight_pictures import (mean_maps as mean_maps, plot_cascade as plot_cascade, plot_mean_maps as plot_mean_maps,
                               plot_plane as plot_plane, plot_removal as plot_removal)
