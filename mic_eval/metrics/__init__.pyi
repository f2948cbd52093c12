from .confusion import (Confusion as Confusion, accuracy as accuracy, balanced_accuracy as balanced_accuracy, class_balance as class_balance,
                        diagnostic_odds_ratio as diagnostic_odds_ratio, f1 as f1, f_beta as f_beta,
                        false_negative_rate as false_negative_rate, false_positive_rate as false_positive_rate,
                        lr_negative as lr_negative, lr_positive as lr_positive, mcc as mcc, npv as npv, ppv as ppv,
                        prevalence as prevalence, sensitivity as sensitivity, specificity as specificity, youden as youden)
