from .evaluators import (
    EVALUATORS as EVALUATORS, LAYERS as LAYERS, NINE_CONDITIONS as NINE_CONDITIONS, Subject as Subject, evaluator as evaluator, of_layer as of_layer, settings_of as settings_of,
    lacking as lacking, applied as applied, well_metrics as well_metrics, bubble_metrics as bubble_metrics, turbidity_metrics as turbidity_metrics,
    boundary_metrics as boundary_metrics, mic_metrics as mic_metrics, safety_metrics as safety_metrics, expert_metrics as expert_metrics,
    condition_metrics as condition_metrics, edge_case_metrics as edge_case_metrics, shift_metrics as shift_metrics, efficiency_metrics as efficiency_metrics,
    latency_metrics as latency_metrics)
from .suite import Suite as Suite, read_yaml as read_yaml, suites as suites, read_suite as read_suite, only_layers as only_layers
from .dimensions import (
    SCORE_RULE as SCORE_RULE, judged as judged, limit_score as limit_score, dimension_scores as dimension_scores, as_plain as as_plain, standing as standing,
    faults as faults, score_line as score_line, plot_dimensions as plot_dimensions)
from .outline import outcome as outcome, question_table as question_table, dimension_table as dimension_table, in_the_end as in_the_end
from .sheets import harmless as harmless, sheet as sheet
from .store import (
    RUN_SCHEMA as RUN_SCHEMA, RUN_MIGRATIONS as RUN_MIGRATIONS, identity as identity, file_hash as file_hash, folder_name as folder_name, run_folder as run_folder,
    Run as Run, save_run as save_run, environment as environment, code_hash as code_hash, set_latest as set_latest,
    open_run as open_run, summary_of as summary_of)
from .views import (
    CHIPS as CHIPS, SAID as SAID, HEADLINE as HEADLINE, GROUPS as GROUPS, chip as chip, sentence as sentence, look_up as look_up, who as who,
    judged_by as judged_by, boxes as boxes, headline as headline, limit_text as limit_text, criteria as criteria, roc_plot as roc_plot, disagreements
    as disagreements, counted as counted, caveats as caveats, facts_list as facts_list, methods as methods)
from .report import (
    report_folder as report_folder, reports as reports, find_report as find_report, report_parameters as report_parameters, known_parameters as
    known_parameters, in_words as in_words, to_html as to_html, clean_traces as clean_traces, known_language as known_language, report as report,
    report_command as report_command)
from .evaluation import (
    described as described, split_of as split_of, tuned as tuned, findings as findings, timed as timed, Job as Job, file_job as file_job,
    wells_folder as wells_folder, model_job as model_job, model_name as model_name, called_table as called_table,
    stored_table as stored_table, make_run as make_run, opened as opened)
from .cli import (
    app as app, later as later, Commands as Commands, tell as tell, spoken as spoken, finish as finish, report_options as report_options,
    run_command as run_command, demo as demo, check_command as check_command, list_command as list_command)
from .read import (
    PlateReading as PlateReading, beside_expert as beside_expert, photo_wells as photo_wells, plate_mics as plate_mics, plot_reading as plot_reading,
    read_command as read_command, read_expert as read_expert, read_photo as read_photo, read_run as read_run, reading_result as reading_result)
from .mics import (
    read_pairs as read_pairs, read_panel as read_panel, mic_findings as mic_findings, agreement_words as agreement_words, pairs_csv as pairs_csv, mics_run as mics_run, mics_command as mics_command)
from .clinical import (
    DECISIVE as DECISIVE, POLICY_WORDS as POLICY_WORDS, SKIP_WORDS as SKIP_WORDS, GRAVE as GRAVE, Study as Study, study as study, first_sight as
    first_sight, panel_text as panel_text, breakpoint_text as breakpoint_text, setup as setup, notes as notes, series_wells as series_wells,
    grave_errors as grave_errors, apart as apart, no_results as no_results, zone_table as zone_table)
from .entrants import (
    Entrant as Entrant, entrant as entrant, align_rows as align_rows, lined_up as lined_up)
from .compare import (
    RATES as RATES, NO_CALLS as NO_CALLS, NO_SCORE as NO_SCORE, TESTED as TESTED, VERDICTS as VERDICTS, rate_rows as rate_rows, paired_test as paired_test, paired_tests as paired_tests, bootstrapped as bootstrapped,
    effect_sizes as effect_sizes, pair_verdict as pair_verdict, verdict_sentence as verdict_sentence, paired_power as paired_power, different_calls as different_calls, tied_runs as tied_runs, leaderboard as leaderboard, compare as compare)
from .compared import (
    Comparison as Comparison, save_comparison as save_comparison, comparison_verdict as comparison_verdict, labelled as labelled, score_cell as score_cell, standings as standings, paired_table as paired_table, plot_differences as plot_differences, power_table as power_table, different_wells as different_wells, darkness as darkness, opened_comparison as opened_comparison, compare_command as compare_command)
from .track import (
    tracker_name as tracker_name, tracker_metrics as tracker_metrics, TrackedFigure as TrackedFigure, tracked_figures as tracked_figures, Upload as Upload,
    upload_of as upload_of, to_mlflow as to_mlflow, to_wandb as to_wandb, TRACKERS as TRACKERS, track as track, track_command as track_command)
from .sweep import (
    MODEL_KEYS as MODEL_KEYS, DATA_KEYS as DATA_KEYS, HEADLINES as HEADLINES, Entry as Entry, Pair as Pair, read_entries as read_entries, read_sweep as read_sweep,
    run_pair as run_pair, pair_memory as pair_memory, workers as workers, boards as boards, sweep as sweep)
from .swept import (
    SHOWN as SHOWN, in_order as in_order, sweep_table as sweep_table, sweep_summary as sweep_summary, board_table as board_table, failure_table as failure_table,
    sweep_page as sweep_page, save_sweep as save_sweep, row_line as row_line, sweep_text as sweep_text, shown_progress as shown_progress, sweep_command as sweep_command)
from .quoting import markdown_text as markdown_text, latex_text as latex_text, typst_text as typst_text
from .cards import (
    ChecklistItem as ChecklistItem, Checklist as Checklist, checklists as checklists, read_checklist as read_checklist, HEADLINE_SCORES as HEADLINE_SCORES, known_answers as known_answers,
    filled_checklist as filled_checklist, checklist_table as checklist_table, CARD as CARD, CARD_NAMES as CARD_NAMES, card_sections as card_sections, model_card as model_card, card_page as card_page, write_cards as write_cards, card_command as card_command)
from .runs import (
    MARKS as MARKS, Listed as Listed, run_folders as run_folders, entry as entry, entries as entries, as_rows as as_rows, as_csv as as_csv, as_text as as_text,
    index_page as index_page, write_index as write_index, find_run as find_run, unchanged as unchanged, differences as differences, described_run as described_run)
from .leftovers import (
    PASSING as PASSING, KEPT as KEPT, Leftover as Leftover, of_run as of_run, beside_runs as beside_runs, latest_runs as latest_runs, old_runs as old_runs, leftovers as leftovers,
    size_of as size_of, remove as remove, runs_app as runs_app, list_runs as list_runs, show_run as show_run, clean_runs as clean_runs)
from .words import (
    TABLES as TABLES, FONTS as FONTS, PACKAGES as PACKAGES, languages as languages, texts as texts, speak as speak, say as say, listed as listed,
    translated as translated, font_of as font_of, figure_words as figure_words)
from .blocks import (
    TITLES as TITLES, Html as Html, title_of as title_of, parts as parts, html_table as html_table, nothing as nothing, scores as scores, group_scores
    as group_scores, paged as paged, not_applicable as not_applicable, when as when, picked as picked)
from .samples import (
    WRONG as WRONG, wrongness as wrongness, picture as picture, pictured as pictured, chance as chance, told as told, well_words as well_words,
    wrong_rows as wrong_rows, worst_wells as worst_wells, places as places, plate_symbols as plate_symbols, on_plate as on_plate, opening as opening,
    sample_list as sample_list)
from .advice import (
    UNITS as UNITS, needed as needed, round_up as round_up, units as units, found_text as found_text, advised as advised, advice_list as advice_list)
from .numbers import (
    number_rows as number_rows, group_text as group_text, numbers_file as numbers_file, wells_file as wells_file, files_beside as files_beside,
    number_table as number_table, other_parts as other_parts, table_list as table_list, curve_grid as curve_grid)
from .supplements import (
    JCM_SOURCE as JCM_SOURCE, JCM_ITEMS as JCM_ITEMS, publication_items as publication_items, safety_table as safety_table, risk_table as risk_table,
    expert_tables as expert_tables, plated as plated, plates as plates, drug_grids as drug_grids)
from .exports import (
    notebook_html as notebook_html, to_pdf as to_pdf, to_markdown as to_markdown, latex_table as latex_table, latex_tables as latex_tables, FORMATS as FORMATS,
    export_report as export_report, export_command as export_command)
from .plan import (
    plan_app as plan_app, shown_plan as shown_plan, enlarged as enlarged, plan_rate as plan_rate, plan_compare as plan_compare, plan_auroc as plan_auroc,
    estimate_power as estimate_power, plan_agreement as plan_agreement, ROWS_OF as ROWS_OF, fewest as fewest, of_profile as of_profile, plan_profile as plan_profile)
from .interactive import (
    CURVE_NAMES as CURVE_NAMES, curve_figure as curve_figure, dots_figure as dots_figure, interactive_page as interactive_page)
from .gates import (
    ERROR as ERROR, NEEDS as NEEDS, TOLERANCE as TOLERANCE, SMOKE as SMOKE, one_line as one_line, Outcome as Outcome, Candidate as Candidate, Check as Check, asked as asked, ask_all as ask_all, worst_status as worst_status, yes_or_no as yes_or_no, model_opens as model_opens, same_model as same_model, same_wells as same_wells, reads_a_well as reads_a_well, output_format as output_format, largest_gap as largest_gap, batch_size_is_nothing as batch_size_is_nothing, order_is_nothing as order_is_nothing, same_again as same_again)
from .gate_checks import (
    SERIES as SERIES, GOLDEN as GOLDEN, MEASURED as MEASURED, SLOWER as SLOWER, headline_rates as headline_rates, paired_rights as paired_rights, margin_status as margin_status, nothing_changed as nothing_changed, rows_needed as rows_needed, not_worse as not_worse, telling_wells as telling_wells, golden_run as golden_run, golden_text as golden_text, read_golden as read_golden, same_as_golden as same_as_golden, within_limit as within_limit, not_slower as not_slower, files_are_whole as files_are_whole, same_predictions as same_predictions, leaves as leaves, same_results as same_results, report_renders as report_renders, meets_limit as meets_limit, gate_checks as gate_checks)
from .gated import (
    SIGNS as SIGNS, candidate as candidate, stops as stops, gate_sentence as gate_sentence, gate as gate, gate_markdown as gate_markdown, junit_xml as junit_xml, save_gate as save_gate, gate_command as gate_command)
