from .show_attacks import plot_attacked as plot_attacked, plot_harm as plot_harm
from .access import Access as Access, Space as Space, access as access
from .gradient_attacks import (
    Attack as Attack, apgd as apgd, fgsm as fgsm, pgd as pgd, square as square, uniform_noise as uniform_noise)
from .minimal import cw as cw, ddn as ddn, fmn as fmn, boundary_distance as boundary_distance
from .worst_case import WorstCase as WorstCase, worst_case as worst_case, attacked_predictions as attacked_predictions
from .survival import adversarial_robustness as adversarial_robustness, evaluate_attacks as evaluate_attacks
from .attack_checks import attack_checks as attack_checks
from .certificates import (interval_certificate as interval_certificate, linear_certificate as linear_certificate,
                           plot_sandwich as plot_sandwich, sandwich as sandwich, smoothed as smoothed,
                           smoothing_radius as smoothing_radius)
from .distortions import (universal_pattern as universal_pattern, worst_condition as worst_condition,
                          worst_distortion as worst_distortion)
from .attribution import Attributions as Attributions, EXPLAINERS as EXPLAINERS, attribute as attribute
from .references import reference_maps as reference_maps, causal_agreement as causal_agreement, twin_wells as twin_wells
from .explanations import evaluate_explanations as evaluate_explanations
from .show_explanations import (plot_explained as plot_explained, plot_cascade as plot_cascade,
                                plot_removal as plot_removal)
from .shapley import (shapley_values as shapley_values, fact_importance as fact_importance,
                      permutation_importance as permutation_importance)
from .faithfulness import (deletion as deletion, infidelity as infidelity, insertion as insertion,
                           sensitivity_n as sensitivity_n, road as road)
from .sanity import (label_shuffle_test as label_shuffle_test, max_sensitivity as max_sensitivity,
                     method_agreement as method_agreement, other_logit_test as other_logit_test,
                     randomisation_test as randomisation_test, local_lipschitz as local_lipschitz,
                     seed_agreement as seed_agreement)
from .attention import (attention_rollout as attention_rollout, attention_weights as attention_weights,
                        gradient_rollout as gradient_rollout)
