from .confusion import (Confusion as Confusion, accuracy as accuracy, balanced_accuracy as balanced_accuracy, class_balance as class_balance,
                        diagnostic_odds_ratio as diagnostic_odds_ratio, f1 as f1, f_beta as f_beta,
                        false_negative_rate as false_negative_rate, false_positive_rate as false_positive_rate,
                        lr_negative as lr_negative, lr_positive as lr_positive, mcc as mcc, npv as npv, ppv as ppv,
                        prevalence as prevalence, sensitivity as sensitivity, specificity as specificity, youden as youden)
from .utility import (Decisions as Decisions, THRESHOLDS as THRESHOLDS, decision_curve as decision_curve, expected_cost as expected_cost,
                      interventions_avoided as interventions_avoided, net_benefit as net_benefit, net_benefit_difference as net_benefit_difference,
                      plot_decisions as plot_decisions, standardized_net_benefit as standardized_net_benefit,
                      threshold_of_costs as threshold_of_costs, treat_all as treat_all)
