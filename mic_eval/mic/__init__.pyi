from .comparison import (
    DENOMINATORS as DENOMINATORS, MicComparison as MicComparison, accept as accept, compare_mics as compare_mics, summary as summary,
)
from .categories import CATEGORY_WORDS as CATEGORY_WORDS, ERRORS as ERRORS, category_error as category_error, read_categories as read_categories
from .essential import POLICIES as POLICIES, agreement as agreement, bias as bias, pair_groups as pair_groups, share_of_pairs as share_of_pairs
from .pairing import decide_pairs as decide_pairs, pair_mics as pair_mics, panel_ranges as panel_ranges
from .quality import (
    known_readings as known_readings,
    qc_check as qc_check, qc_study as qc_study, read_qc_ranges as read_qc_ranges, reproducibility as reproducibility,
    reproducibility_by as reproducibility_by,
)
from .safety import PROFILES as PROFILES, expected_harm as expected_harm, clinical_safety as clinical_safety, seed_safety_score as seed_safety_score, upper_bound as upper_bound
from .decisions import act as act, on_off as on_off, referral_curve as referral_curve, series_risk as series_risk, vme_ranking as vme_ranking
from .experts import (
    among_experts as among_experts, disagreement_kind as disagreement_kind, disagreements as disagreements, expert_agreement as expert_agreement,
    expert_columns as expert_columns, model_among_experts as model_among_experts, patterns as patterns,
)
from .dilutions import (
    OPS as OPS, NO_MIC as NO_MIC, NA_WORDS as NA_WORDS, YES as YES, NO as NO, UNDECIDED as UNDECIDED,
    MISSING as MISSING, MIC as MIC, mic_text as mic_text, unparsable as unparsable, parse_mic as parse_mic,
    as_mic as as_mic, dilution_base as dilution_base, dilution_index as dilution_index,
    dilution_label as dilution_label, written_label as written_label, mic_interval as mic_interval, plot_intervals as plot_intervals,
    definitely_above as definitely_above, definitely_below as definitely_below, overlaps as overlaps,
    within as within, identical as identical, sort_key as sort_key,
)
from .posterior import (
    cut_mics as cut_mics, mic_posterior as mic_posterior, map_cut as map_cut, credible_set as credible_set,
    category_probability as category_probability, very_major_probability as very_major_probability,
    plot_posterior as plot_posterior,
)
from .series import (
    SKIP_POLICIES as SKIP_POLICIES, REASONS as REASONS, STATUS as STATUS, Readings as Readings,
    read_series as read_series, plot_series as plot_series, read_wells as read_wells,
)
from .series_layout import by_series as by_series, series_rows as series_rows
from .breakpoint_table import (
    site_and_route as site_and_route,
    CONVENTIONS as CONVENTIONS, COLUMNS as COLUMNS, Breakpoints as Breakpoints, breakpoint_rungs as breakpoint_rungs,
)
from .breakpoints import (
    match_breakpoint as match_breakpoint, Categories as Categories,
    categorise as categorise, plot_ruler as plot_ruler, from_amr as from_amr, from_whonet as from_whonet,
    from_categories as from_categories, read_breakpoints as read_breakpoints,
)
from .ecoff import (
    ecoff_finder as ecoff_finder, ecoff_percentile as ecoff_percentile, plot_ecoff as plot_ecoff,
)
from .studies import (
    ZONES as ZONES, ZONE_SOURCE as ZONE_SOURCE, breakpoint_zone as breakpoint_zone, error_rate_bounded as error_rate_bounded,
    trend as trend,
)
from .plots import (
    ERROR_COLORS as ERROR_COLORS, agreement_by_dilution as agreement_by_dilution, category_table as category_table, difference_bars as difference_bars, drug_forest as drug_forest,
    mic_axis as mic_axis, mic_grid as mic_grid, mic_place as mic_place, plate_map as plate_map, rater_matrix as rater_matrix,
    reference_distribution as reference_distribution, zone_bars as zone_bars,
)
from .bubbles import (
    DETECTION as DETECTION, ScenarioTables as ScenarioTables, bubble_detection as bubble_detection, bubble_harm as bubble_harm,
    bubble_localisation as bubble_localisation, evaluate_bubbles as evaluate_bubbles, mean_score as mean_score, plot_bubbles as plot_bubbles,
    rows_together as rows_together,
)
from .readings import compare_experts as compare_experts, compare_readings as compare_readings, read_predicted as read_predicted
from .turbidity import (
    LEVELS as LEVELS, Psychometric as Psychometric, evaluate_turbidity as evaluate_turbidity, growth_detection as growth_detection,
    level_confidence as level_confidence, level_recognition as level_recognition, plot_detection as plot_detection, psychometric as psychometric,
    true_levels as true_levels,
)
from .boundary import (
    MIC_COLUMNS as MIC_COLUMNS, boundary_slopes as boundary_slopes, evaluate_boundary as evaluate_boundary, from_boundary as from_boundary,
    mic_distance as mic_distance, near_and_far as near_and_far, plot_boundary as plot_boundary,
)
from .questions import (
    well_metrics as well_metrics, bubble_metrics as bubble_metrics, turbidity_metrics as turbidity_metrics,
    boundary_metrics as boundary_metrics, mic_metrics as mic_metrics, safety_metrics as safety_metrics,
    expert_metrics as expert_metrics)
from .approval import (
    approval as approval, approval_frame as approval_frame, error_concentration as error_concentration, worst_strata as worst_strata, profile_list as profile_list,
    unjudged as unjudged, verdicts as verdicts,
)
from .findings import (
    agreement_words as agreement_words, first_readings as first_readings, mic_findings as mic_findings, pairs_csv as pairs_csv,
    read_panel as read_panel, read_pairs as read_pairs,
)
from .mixture import (
    SD_MIN as SD_MIN, Mixture as Mixture, choose_mixture as choose_mixture, ecoff_mixture as ecoff_mixture, fit_mixture as fit_mixture,
    humps as humps, wild_hump as wild_hump,
)
from .orientation import orientations as orientations, possible_orientations as possible_orientations
from .plate_mics import beside_expert as beside_expert, plate_mics as plate_mics, read_expert as read_expert
from .photograph import PlateReading as PlateReading, photo_wells as photo_wells, plot_reading as plot_reading, read_photo as read_photo
from .rates import series_rights as series_rights
from .attacked_mics import attacked_mics as attacked_mics, attacked_series as attacked_series, plot_attacked_mics as plot_attacked_mics, reachable as reachable
from .worklist import arbitrated as arbitrated, work_list as work_list
from .distributions import (
    antibiogram as antibiogram, cumulative_shares as cumulative_shares, first_isolates as first_isolates, mic_censor as mic_censor,
    mic_percentile as mic_percentile, plot_distribution as plot_distribution,
)
from .panels import grid_panels as grid_panels, small_grid as small_grid
from .devices import (
    compare_categories as compare_categories, compare_devices as compare_devices, paired_difference as paired_difference,
)
from .roles import ROLES as ROLES, ask_for_drug as ask_for_drug, control_readings as control_readings, control_rows as control_rows, PairSheet as PairSheet, column_named as column_named, one_name_a_drug as one_name_a_drug, one_spelling as one_spelling, pair_roles as pair_roles, understood_pairs as understood_pairs
from .several import (
    arbitration_study as arbitration_study, category_comparison as category_comparison, holds_categories as holds_categories,
    reader_study as reader_study, second_device as second_device,
)
from .distribution_study import distribution_of as distribution_of, distribution_study as distribution_study
from .naming import ENTEROBACTERALES as ENTEROBACTERALES, drug_key as drug_key, organism_fallbacks as organism_fallbacks, site_key as site_key
from .guidelines import at_site as at_site, breakpoint_folder as breakpoint_folder, find_breakpoints as find_breakpoints, from_eucast as from_eucast, split_name as split_name
from .contest import PAIR_CONTEST as PAIR_CONTEST, pair_agrees as pair_agrees, pair_exact as pair_exact, pair_read as pair_read
from .expert_rules import (
    EXPECTED as EXPECTED, PARTNERS as PARTNERS, expected_resistant as expected_resistant, expected_rows as expected_rows,
    partner_breaks as partner_breaks, partner_rule as partner_rule,
)
