from .suites import (
    outcome as outcome, question_table as question_table, dimension_table as dimension_table,
    in_the_end as in_the_end)
from .views import (
    CHIPS as CHIPS, SAID as SAID, chip as chip, sentence as sentence,
    look_up as look_up, who as who, judged_by as judged_by, boxes as boxes, headline as headline,
    limit_text as limit_text, criteria as criteria,
    counted as counted, caveats as caveats, facts_list as facts_list, methods as methods)
from .render import (
    report_folder as report_folder, reports as reports, find_report as find_report,
    report_parameters as report_parameters, known_parameters as known_parameters, in_words as in_words,
    to_html as to_html, known_language as known_language, made_folder as made_folder, page_stem as page_stem,
    report as report)
from .kernel import (
    safe_path as safe_path, kernel_environment as kernel_environment, execute as execute, clean_traces as clean_traces)
from .clinical import (
    DECISIVE as DECISIVE, POLICY_WORDS as POLICY_WORDS, SKIP_WORDS as SKIP_WORDS, GRAVE as GRAVE, Study as Study,
    study as study, first_sight as first_sight, panel_text as panel_text, breakpoint_text as breakpoint_text,
    setup as setup, notes as notes, series_wells as series_wells, grave_errors as grave_errors, apart as apart,
    no_results as no_results, zone_table as zone_table)
from .comparison import (Comparison as Comparison, save_comparison as save_comparison, comparison_verdict as comparison_verdict, labelled as labelled, score_cell as score_cell, standings as standings, paired_table as paired_table, plot_differences as plot_differences, power_table as power_table, darkness as darkness, opened_comparison as opened_comparison, pictures_of as pictures_of)
from .trackers import (
    tracker_name as tracker_name, tracker_metrics as tracker_metrics, TrackedFigure as TrackedFigure,
    tracked_figures as tracked_figures, Upload as Upload, upload_of as upload_of, to_mlflow as to_mlflow,
    to_wandb as to_wandb, TRACKERS as TRACKERS, track as track)
from .leaderboard import (in_order as in_order, sweep_table as sweep_table, sweep_summary as sweep_summary, board_table as board_table, failure_table as failure_table, sweep_page as sweep_page, save_sweep as save_sweep, row_line as row_line, sweep_text as sweep_text, shown_progress as shown_progress)
from .cards import (
    ChecklistItem as ChecklistItem, Checklist as Checklist, checklists as checklists,
    read_checklist as read_checklist, HEADLINE_SCORES as HEADLINE_SCORES, known_answers as known_answers,
    filled_checklist as filled_checklist, checklist_table as checklist_table, CARD as CARD, CARD_NAMES as CARD_NAMES,
    card_sections as card_sections, model_card as model_card, card_page as card_page, write_cards as write_cards)
from .words import (
    CATALOGS as CATALOGS, FONTS as FONTS, PACKAGES as PACKAGES, languages as languages, texts as texts, speak as speak, speaking as speaking,
    say as say, listed as listed, translated as translated, font_of as font_of, figure_words as figure_words)
from .blocks import (Html as Html, title_of as title_of, parts as parts, html_table as html_table, nothing as nothing, score_table as score_table, group_scores as group_scores, paged as paged, not_applicable as not_applicable, when as when, headed as headed, picked as picked)
from .samples import (wrongness as wrongness, picture as picture, pictured as pictured, chance as chance, told as told, wrong_rows as wrong_rows, plate_symbols as plate_symbols, on_plate as on_plate, opening as opening, sample_list as sample_list)
from .advice import (needed as needed, round_up as round_up, units as units, found_text as found_text, advised as advised, advice_list as advice_list)
from .numbers import (number_rows as number_rows, group_text as group_text, numbers_file as numbers_file, files_beside as files_beside, number_table as number_table, table_list as table_list, curve_grid as curve_grid)
from .clinical_tables import (
    JCM_SOURCE as JCM_SOURCE, JCM_ITEMS as JCM_ITEMS, publication_items as publication_items,
    safety_table as safety_table, risk_table as risk_table, expert_tables as expert_tables, plated as plated,
    plates as plates, drug_grids as drug_grids)
from .figures import export_figures as export_figures
from .exports import (
    to_docx as to_docx,
    notebook_html as notebook_html, to_pdf as to_pdf, to_markdown as to_markdown, latex_table as latex_table,
    latex_tables as latex_tables, FORMATS as FORMATS, export_report as export_report)
from .interactive import (
    CURVE_NAMES as CURVE_NAMES, curve_figure as curve_figure, dots_figure as dots_figure,
    interactive_page as interactive_page)
from .attacked import COSTS as COSTS, attack_table as attack_table, check_table as check_table
from .explained import explained_gallery as explained_gallery, method_table as method_table, named_scores as named_scores
from .inspection import (
    OBJECT_METRICS as OBJECT_METRICS,
    GALLERIES as GALLERIES,
    Inspection as Inspection,
    inspection as inspection,
    object_scores as object_scores,
    known_data as known_data,
    forest_of_objects as forest_of_objects,
    published_beside as published_beside,
    region_curves as region_curves,
    low_rate_curves as low_rate_curves,
    threshold_rows as threshold_rows,
    harm_gallery as harm_gallery,
    inspection_advice as inspection_advice,
    doubts_list as doubts_list,
    scores_by_way as scores_by_way)
from .map_runs import (content_of as content_of, maps_source as maps_source, maps_run as maps_run, opened_maps as opened_maps)
from .trained_methods import (index_table as index_table, method_row as method_row, metric_rows as metric_rows, rank_tables as rank_tables,
                              spread_table as spread_table)
