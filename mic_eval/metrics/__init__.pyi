from .confusion import (Confusion as Confusion, accuracy as accuracy, balanced_accuracy as balanced_accuracy, f1 as f1,
                        f_beta as f_beta, false_negative_rate as false_negative_rate,
                        false_positive_rate as false_positive_rate, lr_negative as lr_negative,
                        lr_positive as lr_positive, mcc as mcc, npv as npv, ppv as ppv, precision as precision,
                        prevalence as prevalence, recall as recall, sensitivity as sensitivity,
                        specificity as specificity, youden as youden, disparity as disparity,
                        likelihood_ratios as likelihood_ratios, predictive_values as predictive_values,
                        risk_comparison as risk_comparison)
from .utility import (decision_curve as decision_curve, expected_cost as expected_cost,
                      interventions_avoided as interventions_avoided, net_benefit as net_benefit,
                      net_benefit_difference as net_benefit_difference, plot_decisions as plot_decisions)
from .ranking import Ranking as Ranking
from .roc_and_pr import (average_precision as average_precision, best_threshold as best_threshold, pr_curve as pr_curve,
                     roc_auc as roc_auc, roc_curve as roc_curve, f1_max as f1_max, partial_auc as partial_auc,
                     threshold_at as threshold_at, det_curve as det_curve, equal_error_rate as equal_error_rate,
                     fpr_at as fpr_at, sensitivity_at as sensitivity_at, specificity_at as specificity_at)
from .multiclass import (hamming_loss as hamming_loss, subset_accuracy as subset_accuracy,
                         top_k_accuracy as top_k_accuracy)
from .delong import delong_test as delong_test, delong_unpaired as delong_unpaired
from .uncertainty import (augrc as augrc, aurc as aurc, conformal_coverage as conformal_coverage, e_aurc as e_aurc,
                          entropy as entropy, error_auroc as error_auroc, margin as margin,
                          prediction_sets as prediction_sets, risk_coverage as risk_coverage,
                          top_probability as top_probability)
from .ratings import Ratings as Ratings, consensus as consensus, icc as icc
from .agreement import (brennan_prediger as brennan_prediger, conger_kappa as conger_kappa,
                        fleiss_kappa as fleiss_kappa, gwet_ac as gwet_ac, krippendorff_alpha as krippendorff_alpha,
                        percent_agreement as percent_agreement, bowker as bowker, stuart_maxwell as stuart_maxwell,
                        cohen_kappa as cohen_kappa)
from .calibration import (Bins as Bins, outcomes as outcomes, top_label as top_label, brier as brier, ece as ece,
                          reliability_curve as reliability_curve, reliability_plot as reliability_plot)
from .marginals import (permutation_p as permutation_p, jensen_shannon as jensen_shannon, ks as ks, psi as psi,
                        wasserstein as wasserstein)
from .distances import mmd2 as mmd2
from .paired import (bootstrap_difference as bootstrap_difference, accuracy_difference as accuracy_difference,
                     cochran_q as cochran_q, HypothesisTest as HypothesisTest, mcnemar as mcnemar, paired_t as paired_t,
                     wilcoxon as wilcoxon)
from .noninferiority import (benjamini_hochberg as benjamini_hochberg, cohens_d as cohens_d, equivalence as equivalence,
                             holm as holm, nadeau_bengio as nadeau_bengio, non_inferiority as non_inferiority)
from .evaluate import (per_class as per_class, by_group as by_group, evaluate as evaluate, scores as scores,
                       worst as worst, bootstrap_many as bootstrap_many)
from .power import (design_effect as design_effect, precision_size as precision_size, rate_power as rate_power,
                    sample_size as sample_size)
from .ranks import (critical_difference as critical_difference, friedman as friedman, nemenyi as nemenyi,
                    plot_ranks as plot_ranks, ranks as ranks)
from .overlap import (set_f1 as set_f1, set_jaccard as set_jaccard, set_overlap as set_overlap,
                      set_precision as set_precision, set_recall as set_recall, aspect_coverage as aspect_coverage,
                      feature_match as feature_match, label_accuracy as label_accuracy,
                      tolerance_score as tolerance_score, weighted_composite as weighted_composite)
from .calibration_errors import (ece_smooth as ece_smooth, calibration_intercept as calibration_intercept,
                                 calibration_slope as calibration_slope, ece_classwise as ece_classwise,
                                 ece_debiased as ece_debiased, ece_if_calibrated as ece_if_calibrated, mce as mce,
                                 observed_expected as observed_expected, spiegelhalter as spiegelhalter,
                                 adaptive_calibration_error as adaptive_calibration_error,
                                 rms_calibration_error as rms_calibration_error)
from .recalibration import (brier_decomposition as brier_decomposition, fit_temperature as fit_temperature,
                            isotonic as isotonic, log_loss as log_loss, brier_skill as brier_skill,
                            fit_calibrator as fit_calibrator, hosmer_lemeshow as hosmer_lemeshow)
from .shards import evaluate_shards as evaluate_shards
from .streams import ScoreHistogram as ScoreHistogram
from .regression import (bland_altman as bland_altman, concordance_correlation as concordance_correlation,
                         concordance_index as concordance_index, correlation as correlation, deming as deming,
                         mean_absolute_error as mean_absolute_error, mean_error as mean_error,
                         passing_bablok as passing_bablok, r_squared as r_squared,
                         root_mean_squared_error as root_mean_squared_error)
