from .confusion import (Confusion as Confusion, table_limits as table_limits, accuracy as accuracy, balanced_accuracy as balanced_accuracy, class_balance as class_balance,
                        diagnostic_odds_ratio as diagnostic_odds_ratio, f1 as f1, f_beta as f_beta,
                        false_negative_rate as false_negative_rate, false_positive_rate as false_positive_rate,
                        lr_negative as lr_negative, lr_positive as lr_positive, mcc as mcc, npv as npv, ppv as ppv,
                        precision as precision, prevalence as prevalence, recall as recall, sensitivity as sensitivity, specificity as specificity, youden as youden)
from .decisions import Decisions as Decisions
from .utility import (THRESHOLDS as THRESHOLDS, decision_curve as decision_curve, expected_cost as expected_cost,
                      interventions_avoided as interventions_avoided, net_benefit as net_benefit, net_benefit_difference as net_benefit_difference,
                      plot_decisions as plot_decisions, standardized_net_benefit as standardized_net_benefit,
                      threshold_of_costs as threshold_of_costs, treat_all as treat_all)
from .ranking import (Draws as Draws, Ranking as Ranking, Running as Running, SortedRows as SortedRows, counted_scores as counted_scores, drawn_rankings as drawn_rankings, sorted_rows as sorted_rows, sum_from as sum_from,
                      two_classes as two_classes)
from .areas import (auc_limits as auc_limits, delong_covariance as delong_covariance, limits_on_logit as limits_on_logit, mean_limits as mean_limits,
                    newcombe_auc as newcombe_auc, placement_deviations as placement_deviations, pooled_wilson as pooled_wilson)
from .curves import (RankMetric as RankMetric, area_of_rows as area_of_rows, average_precision as average_precision, best_threshold as best_threshold, pr_curve as pr_curve,
                     roc_auc as roc_auc, roc_curve as roc_curve)
from .several import ClassRankings as ClassRankings, class_questions as class_questions, over_classes as over_classes
from .delong import delong_test as delong_test, delong_unpaired as delong_unpaired
from .thresholds import f1_max as f1_max, partial_auc as partial_auc, threshold_at as threshold_at
from .uncertainty import (Selective as Selective, augrc as augrc, aurc as aurc, confidence_kendall as confidence_kendall,
                          confidence_pearson as confidence_pearson, confidence_spearman as confidence_spearman,
                          conformal_coverage as conformal_coverage, conformal_quantile as conformal_quantile, coverage_band as coverage_band,
                          e_aurc as e_aurc, entropy as entropy, error_auroc as error_auroc, margin as margin, SelectiveMetric as SelectiveMetric,
                          prediction_sets as prediction_sets, risk_coverage as risk_coverage, selective_risk as selective_risk,
                          top_probability as top_probability)
from .ratings import Ratings as Ratings, WEIGHTS as WEIGHTS, category_weights as category_weights, coefficient_score as coefficient_score, kappa_limits as kappa_limits, pull_variance as pull_variance, consensus as consensus, expand_counts as expand_counts, rating_table as rating_table
from .agreement import (brennan_prediger as brennan_prediger, confidence_weighted_agreement as confidence_weighted_agreement, conger_kappa as conger_kappa,
                        fleiss_kappa as fleiss_kappa, gwet_ac as gwet_ac,
                        krippendorff_alpha as krippendorff_alpha, leave_one_rater_out as leave_one_rater_out, pairwise as pairwise,
                        percent_agreement as percent_agreement)
from .bins import Bins as Bins, outcomes as outcomes, place as place, top_label as top_label
from .calibration import (BrierLosses as BrierLosses, Losses as Losses, ProbabilityMetric as ProbabilityMetric, brier as brier,
                          calibrated_band as calibrated_band, debiased_error as debiased_error, design_effect_of_gaps as design_effect_of_gaps, ece as ece, reliability_curve as reliability_curve,
                          reliability_plot as reliability_plot)
from .marginals import (Distance as Distance, permutation_p as permutation_p, random_splits as random_splits, two_samples as two_samples, jensen_shannon as jensen_shannon, ks as ks, psi as psi,
                        sliced_wasserstein as sliced_wasserstein, symmetric_kl as symmetric_kl, wasserstein as wasserstein)
from .distances import (DomainScale as DomainScale, domain_auc as domain_auc, domain_distances as domain_distances,
                        energy_distance as energy_distance, median_gamma as median_gamma, mmd2 as mmd2, proxy_a_distance as proxy_a_distance,
                        subsample as subsample)
from .difference import bootstrap_difference as bootstrap_difference
from .paired import (difference_limits as difference_limits, normal_cdf as normal_cdf, paired_differences as paired_differences, rows_right as rows_right, t_p as t_p, accuracy_difference as accuracy_difference, cochran_q as cochran_q,
                     HypothesisTest as HypothesisTest, mcnemar as mcnemar, paired_permutation as paired_permutation, paired_t as paired_t,
                     wilcoxon as wilcoxon)
from .margins import (benjamini_hochberg as benjamini_hochberg, cohens_d as cohens_d, cohens_dz as cohens_dz, cohens_g as cohens_g,
                      equivalence as equivalence, five_by_two_cv as five_by_two_cv, holm as holm, margin_verdict as margin_verdict,
                      nadeau_bengio as nadeau_bengio, non_inferiority as non_inferiority, paired_odds_ratio as paired_odds_ratio)
from .evaluate import (CALLS as CALLS, SCORED as SCORED, asked_metrics as asked_metrics, per_class as per_class, GROUPS as GROUPS, TWO_CLASS_ONLY as TWO_CLASS_ONLY, by_group as by_group, standard_curves as standard_curves, default_groups as default_groups, evaluate as evaluate,
                       group_values as group_values, scores as scores, worst as worst)
from .power import (auc_difference_power as auc_difference_power, auc_power as auc_power, auc_size as auc_size, cochran_q_power as cochran_q_power, design_effect as design_effect, equivalence_power as equivalence_power,
                    five_by_two_cv_power as five_by_two_cv_power, friedman_power as friedman_power, grouped_size as grouped_size,
                    mcnemar_power as mcnemar_power, nadeau_bengio_power as nadeau_bengio_power, non_inferiority_power as non_inferiority_power,
                    paired_t_power as paired_t_power, precision_size as precision_size, rate_power as rate_power, sample_size as sample_size,
                    trials_for_limit as trials_for_limit, wilcoxon_power as wilcoxon_power)
from .ranks import (against as against, critical_difference as critical_difference, friedman as friedman, nemenyi as nemenyi,
                    plot_ranks as plot_ranks, ranks as ranks, tied_groups as tied_groups)
from .sets import (Overlap as Overlap, normaliser_of as normaliser_of, pooled_score as pooled_score, Sets as Sets, encode_sets as encode_sets, set_f1 as set_f1, set_jaccard as set_jaccard,
                   set_overlap as set_overlap, set_precision as set_precision, set_recall as set_recall)
from .overlap import (aspect_coverage as aspect_coverage, feature_match as feature_match,
                      label_accuracy as label_accuracy, tolerance_score as tolerance_score,
                      weighted_composite as weighted_composite)
from .joint import bootstrap_many as bootstrap_many, joint_replicates as joint_replicates
from .unbinned import ece_smooth as ece_smooth, ece_sweep as ece_sweep
from .calibration_errors import (calibration_intercept as calibration_intercept, calibration_slope as calibration_slope,
                                 ece_classwise as ece_classwise, ece_debiased as ece_debiased, ece_if_calibrated as ece_if_calibrated,
                                 mce as mce, observed_expected as observed_expected,
                                 spiegelhalter as spiegelhalter)
from .recalibration import (LogLosses as LogLosses, Temperature as Temperature, brier_decomposition as brier_decomposition,
                            fit_temperature as fit_temperature, isotonic as isotonic, log_loss as log_loss)
from .group_scores import GroupScores as GroupScores, group_names as group_names, hidden_error as hidden_error, score_of_groups as score_of_groups
from .histogram import ScoreHistogram as ScoreHistogram, Stream as Stream, finest as finest, stream_metrics as stream_metrics
from .text import (bleu as bleu, characters as characters, chrf as chrf, common_subsequence as common_subsequence, embedding_f1 as embedding_f1, ngrams as ngrams, points_score as points_score,
                   rouge_l as rouge_l, rouge_l_values as rouge_l_values, rouge_n as rouge_n, rouge_n_values as rouge_n_values)
from .judges import corrected_mean as corrected_mean, corrected_share as corrected_share, judge_summary as judge_summary, pair_points as pair_points, pair_scores as pair_scores
from .regression import (PairedValues as PairedValues, bland_altman as bland_altman, concordance_correlation as concordance_correlation,
                         concordance_index as concordance_index, correlation as correlation, delta_limits as delta_limits, deming as deming,
                         mean_absolute_error as mean_absolute_error, mean_error as mean_error, passing_bablok as passing_bablok,
                         r_squared as r_squared, root_mean_squared_error as root_mean_squared_error)
from .operating import (compare_at as compare_at, det_curve as det_curve, equal_error_rate as equal_error_rate, fpr_at as fpr_at,
                        sensitivity_at as sensitivity_at, specificity_at as specificity_at)
from .rates import disparity as disparity, likelihood_ratios as likelihood_ratios, predictive_values as predictive_values, risk_comparison as risk_comparison
from .calibrators import (Calibrator as Calibrator, METHODS as METHODS, SkillSums as SkillSums, brier_skill as brier_skill, calibration_index as calibration_index,
                          fit_calibrator as fit_calibrator, hosmer_lemeshow as hosmer_lemeshow)
from .symmetry import bowker as bowker, stuart_maxwell as stuart_maxwell
from .localisation import (auroc_inside as auroc_inside, inside_values as inside_values, iou_at as iou_at, localisation as localisation,
                           mass_inside as mass_inside, pointing_game as pointing_game, rank_inside as rank_inside)
from .multilabel import hamming_loss as hamming_loss, over_labels as over_labels, subset_accuracy as subset_accuracy, top_k_accuracy as top_k_accuracy
from .conformal import (SetPredictor as SetPredictor, conformal_scores as conformal_scores, cqr_margin as cqr_margin, fit_sets as fit_sets,
                        interval_coverage as interval_coverage, risk_control as risk_control)
from .splits import bayesian_signed_rank as bayesian_signed_rank, five_by_two_f as five_by_two_f
from .kappa import cohen_kappa as cohen_kappa, kappa_difference as kappa_difference, kappa_standard_error as kappa_standard_error
from .intraclass import icc as icc
from .mentions import NEGATIONS as NEGATIONS, mentioned as mentioned
from .row_contest import row_contest as row_contest
from .among import agreed_readings as agreed_readings, among_experts as among_experts, model_among_experts as model_among_experts
from .readers import model_against_panel as model_against_panel, compare_over_readers as compare_over_readers, drift as drift, leave_one_reader_out as leave_one_reader_out, masi_distance as masi_distance, panel_agreement as panel_agreement, readers_mean as readers_mean, self_agreement as self_agreement, set_alpha as set_alpha
from .one_pass import OnePass as OnePass, summed_at_once as summed_at_once
from .shards import (RunningResult as RunningResult, SiteStatistic as SiteStatistic, add_up as add_up, evaluate_shards as evaluate_shards, pooled_result as pooled_result,
                     shard_statistic as shard_statistic)
from .site_files import site_from_json as site_from_json, site_to_json as site_to_json, small_cells as small_cells
from .harm import harm_of as harm_of, less_harm as less_harm
from .rms import adaptive_calibration_error as adaptive_calibration_error, rms_calibration_error as rms_calibration_error
from .names import OTHER_NAMES as OTHER_NAMES, unknown_name as unknown_name
