from .comparison import MicComparison as MicComparison, compare_mics as compare_mics, summary as summary
from .categories import category_error as category_error, read_categories as read_categories
from .dilutions import (agreement as agreement, bias as bias, MIC as MIC, mic_text as mic_text, parse_mic as parse_mic,
                        as_mic as as_mic, dilution_index as dilution_index, dilution_label as dilution_label,
                        mic_interval as mic_interval, plot_intervals as plot_intervals, overlaps as overlaps,
                        within as within, identical as identical)
from .precision import (qc_check as qc_check, qc_study as qc_study, read_qc_ranges as read_qc_ranges,
                        reproducibility as reproducibility, breakpoint_zone as breakpoint_zone,
                        arbitrated as arbitrated, work_list as work_list)
from .safety import PROFILES as PROFILES, expected_harm as expected_harm, clinical_safety as clinical_safety
from .decisions import vme_ranking as vme_ranking
from .experts import (among_experts as among_experts, disagreements as disagreements,
                      expert_agreement as expert_agreement, model_among_experts as model_among_experts)
from .series import (mic_posterior as mic_posterior, credible_set as credible_set,
                     category_probability as category_probability, plot_posterior as plot_posterior,
                     Readings as Readings, read_series as read_series, plot_series as plot_series,
                     read_wells as read_wells)
from .breakpoints import (Breakpoints as Breakpoints, Categories as Categories, categorise as categorise,
                          plot_ruler as plot_ruler, from_amr as from_amr, from_whonet as from_whonet,
                          from_categories as from_categories, read_breakpoints as read_breakpoints)
from .ecoff import ecoff_finder as ecoff_finder, ecoff_percentile as ecoff_percentile, plot_ecoff as plot_ecoff
from .plots import (agreement_by_dilution as agreement_by_dilution, category_table as category_table,
                    difference_bars as difference_bars, drug_forest as drug_forest, rater_matrix as rater_matrix,
                    zone_bars as zone_bars)
from .bubbles import bubble_detection as bubble_detection, evaluate_bubbles as evaluate_bubbles
from .readings import compare_readings as compare_readings, read_predicted as read_predicted
from .turbidity import evaluate_turbidity as evaluate_turbidity
from .boundary import (evaluate_boundary as evaluate_boundary, mic_distance as mic_distance,
                       plot_boundary as plot_boundary)
from .approval import approval as approval
from .findings import mic_findings as mic_findings, read_pairs as read_pairs
from .mixture import ecoff_mixture as ecoff_mixture
from .photograph import PlateReading as PlateReading, read_photo as read_photo
from .attacked_mics import attacked_mics as attacked_mics, plot_attacked_mics as plot_attacked_mics
from .distributions import (antibiogram as antibiogram, first_isolates as first_isolates, mic_censor as mic_censor,
                            mic_percentile as mic_percentile, plot_distribution as plot_distribution)
from .devices import (compare_categories as compare_categories, compare_devices as compare_devices,
                      reader_study as reader_study, second_device as second_device)
from .naming import drug_key as drug_key
from .guidelines import find_breakpoints as find_breakpoints, from_eucast as from_eucast
from .expert_rules import (expected_resistant as expected_resistant, expected_rows as expected_rows,
                           partner_rule as partner_rule)
