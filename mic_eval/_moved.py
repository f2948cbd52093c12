"""Where modules and names stand that have moved: stored runs hold references by their old names, and these lead on for
good; an old name asked of a room, and an old module imported, work until the next minor version and say the new one."""
from importlib import import_module
from importlib.machinery import ModuleSpec
from warnings import warn

# old module -> new; where several took it over, the first that has the name
MODULES = {
    "anomaly.advice": "anomaly.show",
    "anomaly.answers": "anomaly.image_scores",
    "anomaly.components": "anomaly.counting",
    "anomaly.count_files": "anomaly.counting",
    "anomaly.demo": "anomaly.defects",
    "anomaly.evaluation": "anomaly.evaluate_maps",
    "anomaly.half_maps": "anomaly.dialects",
    "anomaly.layouts": "anomaly.datasets",
    "anomaly.literature": "anomaly.dialects",
    "anomaly.over_images": "anomaly.pixel_metrics",
    "anomaly.pictures": "anomaly.plots",
    "anomaly.pixel_bins": "anomaly.sorted_scores",
    "anomaly.pixels": "anomaly.counting",
    "anomaly.places": "anomaly.pixel_metrics",
    "anomaly.rules": "anomaly.show",
    "anomaly.scoring": "anomaly.image_scores",
    "anomaly.shards": "anomaly.counting",
    "anomaly.touching": "anomaly.counting",
    "cli.anomaly": "anomaly.command",
    "cli.attack": "trust.command",
    "cli.card": "cli.report",
    "cli.check": "cli.data",
    "cli.columns": "cli.data",
    "cli.demo": "cli.run",
    "cli.domain": "domain.command",
    "cli.door": "cli.app",
    "cli.exams": "tcm.command",
    "cli.explain": "trust.command",
    "cli.export": "cli.report",
    "cli.figures": "cli.report",
    "cli.lines": "cli.help",
    "cli.list": "cli.runs",
    "cli.manifest": "cli.data",
    "cli.mics": "mic.command",
    "cli.noise": "noise.command",
    "cli.pool": "cli.gate",
    "cli.ratings": "tcm.command",
    "cli.read": "mic.read_command",
    "cli.spoken_help": "cli.help",
    "cli.suspects": "noise.command",
    "cli.sweep": "cli.compare",
    "cli.track": "cli.report",
    "cli.typed": "cli.options",
    "core.contests": "core.kinds",
    "core.doubts": "core.columns",
    "core.help": "core.rooms",
    "core.leftout": "core.jackknife",
    "core.limits": "core.files",
    "core.margins": "core.sheets",
    "core.named": "core.fields",
    "core.papers": "core.sheets",
    "core.rates": "core.results",
    "core.rows": "core.predictions",
    "data.bubble_shapes": "data.scenes",
    "data.circles": "data.plates",
    "data.conditions": "data.imaging",
    "data.datasheets": "data.test_sets",
    "data.diversity": "data.benchmark",
    "data.duplicates": "data.set_quality",
    "data.folders": "data.inputs",
    "data.hashes": "data.inputs",
    "data.layouts": "data.plate_layouts",
    "data.lessons": "data.scenes",
    "data.manifest_rules": "data.manifest",
    "data.misread": "data.set_quality",
    "data.realism": "data.set_quality",
    "desk.work": "desk.jobs",
    "domain.before_after": "domain.effect",
    "domain.centres": "domain.effect",
    "domain.choose": "domain.carry",
    "domain.components": "domain.adaptation",
    "domain.gains": "domain.leave_out",
    "domain.label_free": "domain.validation",
    "domain.methods": "domain.adaptation",
    "domain.pictures": "domain.plots",
    "domain.refits": "domain.leave_out",
    "domain.sights": "domain.plots",
    "domain.tca": "domain.adaptation",
    "domain.transport": "domain.adaptation",
    "domain.views": "domain.show",
    "domain.weights": "domain.adaptation",
    "domain.wrapped": "domain.adaptation",
    "gate.regression": "gate.baseline",
    "metrics.among": "metrics.agreement",
    "metrics.areas": "metrics.ranking",
    "metrics.bins": "metrics.calibration",
    "metrics.calibrators": "metrics.recalibration",
    "metrics.curves": "metrics.roc_and_pr",
    "metrics.decisions": "metrics.utility",
    "metrics.difference": "metrics.paired",
    "metrics.group_scores": "metrics.shards",
    "metrics.harm": "metrics.utility",
    "metrics.histogram": "metrics.streams",
    "metrics.intraclass": "metrics.ratings",
    "metrics.joint": "metrics.evaluate",
    "metrics.judges": "metrics.raters",
    "metrics.kappa": "metrics.agreement",
    "metrics.kernel_sums": "metrics.distances",
    "metrics.labels": "metrics.multiclass",
    "metrics.margins": "metrics.noninferiority",
    "metrics.mentions": "metrics.overlap",
    "metrics.multilabel": "metrics.multiclass",
    "metrics.one_pass": "metrics.streams",
    "metrics.operating": "metrics.roc_and_pr",
    "metrics.questions": "metrics.evaluate",
    "metrics.rates": "metrics.confusion",
    "metrics.readers": "metrics.raters",
    "metrics.rms": "metrics.calibration_errors",
    "metrics.row_contest": "metrics.paired",
    "metrics.sets": "metrics.overlap",
    "metrics.several": "metrics.multiclass",
    "metrics.site_files": "metrics.shards",
    "metrics.splits": "metrics.noninferiority",
    "metrics.symmetry": "metrics.agreement",
    "metrics.text": "metrics.text_overlap",
    "metrics.thresholds": "metrics.roc_and_pr",
    "metrics.unbinned": "metrics.calibration_errors",
    "mic.breakpoint_table": "mic.breakpoints",
    "mic.chinese": "mic.field",
    "mic.distribution_study": "mic.distributions",
    "mic.essential": "mic.dilutions",
    "mic.inputs": "mic.open_wells",
    "mic.orientation": "mic.photograph",
    "mic.panels": "mic.plots",
    "mic.plate_mics": "mic.readings",
    "mic.posterior": "mic.series",
    "mic.quality": "mic.precision",
    "mic.rates": "mic.contest",
    "mic.roles": "mic.pair_tables mic.naming",
    "mic.series_layout": "mic.series",
    "mic.several": "mic.devices",
    "mic.studies": "mic.precision",
    "mic.words": "mic.field",
    "mic.worklist": "mic.precision",
    "model.answers": "model.ask",
    "model.calls": "model.predict",
    "model.contents": "model.code",
    "model.cost": "model.ask",
    "model.inference": "model.predict",
    "model.parts": "model.predict",
    "model.questions": "model.efficiency",
    "model.sources": "model.code",
    "noise.contest": "noise.standings",
    "noise.data_sets": "noise.methods",
    "noise.grades": "noise.indices",
    "noise.grid": "noise.trials",
    "noise.mislabelled": "noise.suspects",
    "noise.pictures": "noise.show",
    "noise.ranking": "noise.standings",
    "report.attacked": "trust.show_attacks",
    "report.clinical": "mic.show",
    "report.clinical_distributions": "mic.show_drugs",
    "report.clinical_drugs": "mic.show_drugs",
    "report.clinical_pages": "mic.show_drugs",
    "report.clinical_strata": "mic.show_drugs",
    "report.clinical_tables": "mic.show",
    "report.comparison": "report.compare_page",
    "report.engine": "report.render",
    "report.evidence": "report.render",
    "report.explained": "trust.gallery",
    "report.index": "report.compare_page",
    "report.inspection": "anomaly.show",
    "report.interactive": "report.figures",
    "report.layout": "mic.plate_page",
    "report.map_runs": "anomaly.run_source",
    "report.markup": "report.blocks",
    "report.missing": "report.views",
    "report.numbers": "report.samples",
    "report.plate_page": "mic.plate_page",
    "report.suites": "report.breakdowns",
    "report.trained_methods": "noise.show",
    "report.word": "report.exports",
    "robust.disturbed": "robust.conditions",
    "robust.spread": "robust.shift",
    "run.advice": "report.advice",
    "run.asking": "run.evaluation",
    "run.blocks": "report.blocks core.fields",
    "run.cards": "report.cards cli.report",
    "run.checked": "run.sources",
    "run.cleanup": "run.listing",
    "run.cli": "cli.app cli.run cli.data cli.runs",
    "run.clinical": "mic.show",
    "run.compared": "report.compare_page cli.compare",
    "run.entrants": "run.alignment",
    "run.evaluators": "core.questions core.results mic.questions robust.questions model.efficiency",
    "run.exports": "report.exports cli.report",
    "run.gate_checks": "gate.baseline gate.smoke gate.gate",
    "run.gated": "gate.gate cli.gate",
    "run.gates": "gate.smoke gate.gate core.text",
    "run.interactive": "report.figures",
    "run.leftovers": "run.listing cli.runs",
    "run.mics": "mic.findings mic.command",
    "run.numbers": "report.samples",
    "run.one_pair": "run.sweep",
    "run.outline": "report.breakdowns",
    "run.pairings": "run.sweep",
    "run.processes": "run.sweep",
    "run.quoting": "core.text",
    "run.read": "mic.photograph mic.read_command",
    "run.report": "report.render cli.report",
    "run.runs": "run.listing report.compare_page",
    "run.samples": "report.samples",
    "run.sheets": "core.text",
    "run.standings": "run.compare",
    "run.supplements": "mic.show",
    "run.swept": "report.leaderboard cli.compare",
    "run.track": "report.trackers cli.report",
    "run.two_models": "run.verdicts",
    "run.views": "report.views core.results core.fields",
    "run.words": "report.words",
    "tcm.audit": "tcm.floors",
    "tcm.case_questions": "tcm.questions",
    "tcm.composite": "tcm.synthesis",
    "tcm.cues": "tcm.responses",
    "tcm.demo_cases": "tcm.demo",
    "tcm.diagnoses": "tcm.features",
    "tcm.inquiry": "tcm.cases",
    "tcm.judged": "tcm.judges",
    "tcm.judging": "tcm.judges",
    "tcm.panel": "tcm.rating",
    "tcm.rounds": "tcm.rating",
    "tcm.safety": "tcm.prescription_safety",
    "tcm.scoring": "tcm.points",
    "tcm.tongues": "tcm.demo",
    "tcm.verification": "tcm.command",
    "tcm.versus": "tcm.contest",
    "trust.attack_pictures": "trust.show_attacks",
    "trust.attacked_tables": "trust.worst_case",
    "trust.attacks": "trust.gradient_attacks",
    "trust.autopgd": "trust.gradient_attacks",
    "trust.boundary": "trust.minimal",
    "trust.checks": "trust.attack_checks",
    "trust.coalitions": "trust.shapley",
    "trust.explain_questions": "trust.questions",
    "trust.explained_pictures": "trust.show_explanations",
    "trust.importance": "trust.shapley",
    "trust.imputation": "trust.faithfulness",
    "trust.insight_pictures": "trust.show_explanations",
    "trust.layers": "trust.attribution",
    "trust.skill": "trust.references",
    "trust.stability": "trust.sanity",
    "trust.twins": "trust.references",
}
# public names of a room that another room holds now
NAMES = {
    "cli.FORMATS": "anomaly.command.FORMATS",
    "cli.PlateReading": "mic.PlateReading",
    "cli.TABLE_METRICS": "anomaly.command.TABLE_METRICS",
    "cli.TASKS": "anomaly.command.TASKS",
    "cli.agreement_words": "mic.findings.agreement_words",
    "cli.anomaly_command": "anomaly.command.anomaly_command",
    "cli.anomaly_table": "anomaly.command.anomaly_table",
    "cli.attack_command": "trust.command.attack_command",
    "cli.beside_expert": "mic.readings.beside_expert",
    "cli.checked_maps": "anomaly.command.checked_maps",
    "cli.compared_runs": "anomaly.command.compared_runs",
    "cli.mic_findings": "mic.mic_findings",
    "cli.mics_command": "mic.command.mics_command",
    "cli.mics_run": "mic.command.mics_run",
    "cli.noise_command": "noise.command.noise_command",
    "cli.pairs_csv": "mic.findings.pairs_csv",
    "cli.photo_wells": "mic.photograph.photo_wells",
    "cli.plate_mics": "mic.readings.plate_mics",
    "cli.plot_reading": "mic.photograph.plot_reading",
    "cli.read_command": "mic.read_command.read_command",
    "cli.read_expert": "mic.readings.read_expert",
    "cli.read_noise_plan": "noise.command.read_noise_plan",
    "cli.read_pairs": "mic.read_pairs",
    "cli.read_panel": "mic.findings.read_panel",
    "cli.read_photo": "mic.read_photo",
    "cli.read_radii": "trust.command.read_radii",
    "cli.read_run": "mic.read_command.read_run",
    "cli.reading_result": "mic.read_command.reading_result",
    "cli.run_noise": "noise.command.run_noise",
    "cli.scored_maps": "anomaly.command.scored_maps",
    "cli.shown_table": "anomaly.command.shown_table",
    "cli.suspects_command": "noise.command.suspects_command",
    "cli.with_mics": "noise.command.with_mics",
    "report.COSTS": "trust.show_attacks.COSTS",
    "report.DECISIVE": "mic.show.DECISIVE",
    "report.GALLERIES": "anomaly.show.GALLERIES",
    "report.GRAVE": "mic.show.GRAVE",
    "report.Inspection": "anomaly.show.Inspection",
    "report.JCM_ITEMS": "mic.show.JCM_ITEMS",
    "report.JCM_SOURCE": "mic.show.JCM_SOURCE",
    "report.OBJECT_METRICS": "anomaly.show.OBJECT_METRICS",
    "report.POLICY_WORDS": "mic.show.POLICY_WORDS",
    "report.SKIP_WORDS": "mic.show.SKIP_WORDS",
    "report.Study": "mic.show.Study",
    "report.apart": "mic.show.apart",
    "report.attack_table": "trust.show_attacks.attack_table",
    "report.breakpoint_text": "mic.show.breakpoint_text",
    "report.check_table": "trust.show_attacks.check_table",
    "report.content_of": "anomaly.run_source.content_of",
    "report.doubts_list": "anomaly.show.doubts_list",
    "report.drug_grids": "mic.show.drug_grids",
    "report.expert_tables": "mic.show.expert_tables",
    "report.explained_gallery": "trust.gallery.explained_gallery",
    "report.first_sight": "mic.show.first_sight",
    "report.forest_of_objects": "anomaly.show.forest_of_objects",
    "report.grave_errors": "mic.show.grave_errors",
    "report.harm_gallery": "anomaly.show.harm_gallery",
    "report.index_table": "noise.show.index_table",
    "report.inspection": "anomaly.show.inspection",
    "report.inspection_advice": "anomaly.show.inspection_advice",
    "report.known_data": "anomaly.show.known_data",
    "report.low_rate_curves": "anomaly.show.low_rate_curves",
    "report.maps_run": "anomaly.run_source.maps_run",
    "report.maps_source": "anomaly.run_source.maps_source",
    "report.method_row": "noise.show.method_row",
    "report.method_table": "trust.gallery.method_table",
    "report.metric_rows": "noise.show.metric_rows",
    "report.named_scores": "trust.gallery.named_scores",
    "report.no_results": "mic.show.no_results",
    "report.notes": "mic.show.notes",
    "report.object_scores": "anomaly.show.object_scores",
    "report.on_plate": "mic.plate_page.on_plate",
    "report.opened_maps": "anomaly.run_source.opened_maps",
    "report.panel_text": "mic.show.panel_text",
    "report.plate_symbols": "mic.plate_page.plate_symbols",
    "report.plated": "mic.show.plated",
    "report.plates": "mic.show.plates",
    "report.publication_items": "mic.show.publication_items",
    "report.published_beside": "anomaly.show.published_beside",
    "report.rank_tables": "noise.show.rank_tables",
    "report.region_curves": "anomaly.show.region_curves",
    "report.risk_table": "mic.show.risk_table",
    "report.safety_table": "mic.show.safety_table",
    "report.scores_by_way": "anomaly.show.scores_by_way",
    "report.series_wells": "mic.show.series_wells",
    "report.setup": "mic.show.setup",
    "report.spread_table": "noise.show.spread_table",
    "report.study": "mic.show.study",
    "report.threshold_rows": "anomaly.show.threshold_rows",
    "report.zone_table": "mic.show.zone_table",
}
# names that stand in their module alone; their room showed them once
LEFT = {
    "anomaly.command": "FORMATS TABLE_METRICS TASKS anomaly_command anomaly_table checked_maps compared_runs "
                       "scored_maps shown_table",
    "anomaly.contest": "CONTEST MAP_MEASURES judged_once maps_score maps_test",
    "anomaly.counting": "CountedImages PARTS anomalous_scores count_parts counts_as_arrays counts_from_arrays "
                        "images_of low_rate_counts parts_of_table read_counts read_object_counts save_counts "
                        "upper_counts with_jobs",
    "anomaly.datasets": "IMAGES LAYOUTS Layout TREES found_maps inside layout_of",
    "anomaly.defects": "DEFECTS DETECTORS changed_wells condensation corrupted_wells light_of",
    "anomaly.dialects": "ader_aupro ader_best dialect_table guessed_auroc half_cost public_test_sets "
                        "published_facts published_ranks",
    "anomaly.evaluate_maps": "BESIDE PIXEL WAYS image_numbers implied_variance macro_mean next_object "
                             "object_numbers",
    "anomaly.field": "TITLES UNITS WORDS",
    "anomaly.gaussian": "grey_images patch_features",
    "anomaly.image_scores": "HOW NAMES asked_for_maps read_answer reconstruction_map",
    "anomaly.map_files": "MaskPixels SUFFIXES as_mask nearest_pixels one_map resized stack_of",
    "anomaly.maps": "ImageRows OpenImage OpenPixels from_plain read_images",
    "anomaly.operating": "PixelCalls RULES cross_fitted",
    "anomaly.paired_maps": "JudgedMaps VERDICT_WORDS comparison_rows judged_maps macro_difference one_object "
                           "paired_pixels paired_result same_images",
    "anomaly.pimo": "Levels found_share left_out_aupimo levels_of",
    "anomaly.pixel_metrics": "FEW JOINED PixelNumber Placed PlacedPart aupro_name binned binned_values "
                             "iou_of_f1 jackknife_variance left_out_values logit_limits pixel_kernels "
                             "pixel_numbers placed placed_parts placed_values pro_area pro_at pro_on "
                             "region_shares stream_bounds units_of with_interval",
    "anomaly.plots": "ORDERS called_squares embedding_colours image_curves scale_of",
    "anomaly.questions": "as_maps referral_metrics referral_threshold referred",
    "anomaly.run_source": "content_of maps_run maps_source opened_maps",
    "anomaly.show": "anomaly_advice APART doubts_list forest_of_objects GALLERIES harm_gallery inspection "
                    "Inspection inspection_advice known_data low_rate_curves OBJECT_METRICS object_scores "
                    "published_beside region_curves scores_by_way threshold_rows",
    "anomaly.sorted_scores": "BINS BinRows FINE HighestScores TAIL collapsed count_kind distinct exact_shares "
                             "image_bins passed_counts sorted_pairs stacked_bins",
    "anomaly.uniad": "CIFAR10 CIFAR_SETTINGS MapProtocol cifar_setting unified_against",
    "anomaly.writer": "MAPS PATHS SCORES others_table plain_array written_maps",
    "cli.app": "Commands STOPPED app bring error_line field_commands finish later refresh_index report_options "
               "say_error spoken stop_gently stop_number tell typed_command witnessed",
    "cli.compare": "compare_command dask_workers sweep_command",
    "cli.data": "check_command column_lines columns_command manifest_command understood",
    "cli.gate": "pool_command site_of writable_folder",
    "cli.options": "listed_option look_option",
    "cli.plan": "ROWS_OF enlarged estimate_power fewest of_profile plan_agreement plan_app plan_auroc "
                "plan_compare plan_profile plan_rate shown_plan",
    "cli.report": "card_command export_command figures_command report_command track_command",
    "cli.run": "demo_command run_command",
    "cli.runs": "clean_runs known_names list_command list_runs runs_app show_run",
    "core.checks": "as_array as_stored checked_draws group_codes offending ratio row_weights uneven with_gaps",
    "core.binding": "score_columns",
    "core.columns": "class_numbers with_positive",
    "core.criteria": "find meets",
    "core.fields": "About Command brought extra_modules field_of questions_of readable recognised "
                   "recognised_data records share_of title_of with_words",
    "core.files": "batch_seconds file_named limit_batches locked made_inside time_limit whole writer",
    "core.intervals": "MIN_GROUPS bare checked_level optional_ci z_of",
    "core.jackknife": "jackknife_interval limits_left_out",
    "core.kinds": "read_any",
    "core.metric": "also_called average_over_classes",
    "core.plots": "BLUE GREEN GREY INK MARKERS ORANGE PURPLE RED SKY",
    "core.predictions": "group_column group_values",
    "core.questions": "answered lacking load_questions of_layer settings_of",
    "core.readers": "IDENTIFIERS READERS Sheet is_identifier role_words",
    "core.resample": "BLOCK Cells draw_counts",
    "core.results": "MIGRATIONS PAIRED_RATES SCHEMA migrated",
    "core.text": "harmless_table nearest one_line text_as_data text_from_data typst_text visible",
    "data.benchmark": "REQUIREMENTS Sample distinct_rows k_centre sharpness stratum_coverage vendi_score",
    "data.corruptions": "BASELINES CORRUPTIONS Corruption CorruptionDraws PLATE_CONDITIONS",
    "data.design": "linked_groups",
    "data.imaging": "REFERENCE SEVERITIES bubble_field ring_light",
    "data.inputs": "facts_of first_batch folder_pictures hash_changes is_inputs truth_of",
    "data.manifest": "LABELS NUMBERS ROLES TEXTS uses",
    "data.optics": "WIDE bubble_optics glints growth_field illumination lens_blur per_well picture_grid sensor "
                   "sharpen smooth_cloud soft_step vessel",
    "data.pictures": "MAX_PIXELS batch_slices header line_of picture_size safe seen_as",
    "data.plates": "circle_middles circles_near crop_side edge_pixels ring_support",
    "data.real": "SHIPPED credit named_data",
    "data.scenes": "DENSEST LOOKS NEAR add_bubbles between circularity cloud_scene lens_view",
    "data.set_quality": "BANDS FEATURES Misread TUNED mic_misread near_hashes picture_features thumbnails "
                        "twin_plates",
    "data.test_sets": "DATASHEET_QUESTIONS",
    "data.upright": "homography scatter seen_from",
    "data.wells": "LOWEST_STEP SITES concentration joined_wells response",
    "domain.adaptation": "content_folds misplaced",
    "domain.carry": "Labels estimator_of fit_copy loss_by_weights named_method out_of_fold positive_prob "
                    "predicted seen_of_target usual_methods yardsticks",
    "domain.contest": "as_they_came carried_alike carried_score carried_test",
    "domain.effect": "MARGINS distances_removed excess_left fieller gain_verdict margin_of over_centres rank_methods "
                     "removal_plot space_distances told_apart_p",
    "domain.leave_out": "drawn_sources gain_of halves Job joined_rows judged_rows mean_gains patient_gains refit_gains "
                        "refitted trial_values",
    "domain.plots": "before_after_curves best_looking carried_curves labels_of space_views transductive "
                    "transfer transfer_matrix",
    "domain.prior": "best_prevalence mixture_distance mixture_test prevalence_interval",
    "domain.questions": "ADVICE adaptation advice_of carried effect_of hospitals label_free over_hospitals "
                        "pooled_rows site_advice site_shift",
    "domain.show": "advice_rows budget_rows centre_rows estimate_rows gain_forest gain_rows gap_closed_rows "
                   "gap_rows left_rows more_gain_rows rank_rows refit_rows shift_rows signed site_rows",
    "domain.sites": "zero_features",
    "domain.validation": "label_free_errors plus_632 refit_bootstrap",
    "gate.baseline": "headline_rates margin_status not_worse nothing_changed paired_rights rows_needed",
    "gate.gate": "SIGNS candidate gate_sentence",
    "gate.golden": "GOLDEN golden_text same_as_golden telling_rows",
    "gate.integration": "MEASURED SLOWER changed_rows files_are_whole gate_checks leaves meets_limit not_slower "
                        "report_renders row_keys same_predictions same_results stored_rows within_limit",
    "gate.smoke": "ERROR NEEDS SMOKE TOLERANCE answers_one ask_all batch_size_is_nothing gap_outcome "
                  "largest_gap model_opens order_is_nothing output_format same_again same_inputs same_model "
                  "worst_status yes_or_no",
    "metrics.agreement": "agreed_readings among_experts confidence_weighted_agreement kappa_difference "
                         "kappa_standard_error leave_one_rater_out model_among_experts pairwise",
    "metrics.calibration": "BrierLosses Losses ProbabilityMetric calibrated_band debiased_error "
                           "design_effect_of_gaps place",
    "metrics.calibration_errors": "ece_sweep",
    "metrics.conformal": "SetPredictor conformal_scores cqr_margin fit_sets interval_coverage risk_control",
    "metrics.confusion": "class_balance diagnostic_odds_ratio table_limits",
    "metrics.roc_and_pr": "RankMetric area_of_rows compare_at",
    "metrics.distances": "DomainScale domain_auc domain_distances energy_distance median_gamma proxy_a_distance "
                         "subsample",
    "metrics.evaluate": "CALLS GROUPS SCORED TWO_CLASS_ONLY asked_metrics default_groups group_values "
                        "joint_replicates standard_curves",
    "metrics.localisation": "auroc_inside inside_values iou_at localisation mass_inside pointing_game "
                            "rank_inside",
    "metrics.marginals": "Distance random_splits sliced_wasserstein symmetric_kl two_samples",
    "metrics.multiclass": "ClassRankings class_questions over_classes over_labels",
    "metrics.names": "OTHER_NAMES unknown_name",
    "metrics.noninferiority": "bayesian_signed_rank cohens_dz cohens_g five_by_two_cv five_by_two_f "
                              "margin_verdict paired_odds_ratio",
    "metrics.overlap": "NEGATIONS Overlap Sets encode_sets mentioned normaliser_of pooled_score",
    "metrics.paired": "difference_limits normal_cdf paired_differences paired_permutation row_contest "
                      "rows_right t_p",
    "metrics.power": "auc_difference_power auc_power auc_size cochran_q_power equivalence_power "
                     "five_by_two_cv_power friedman_power grouped_size mcnemar_power nadeau_bengio_power "
                     "non_inferiority_power paired_t_power trials_for_limit wilcoxon_power",
    "metrics.ranking": "Draws Running SortedRows auc_limits counted_scores delong_covariance drawn_rankings "
                       "limits_on_logit mean_limits newcombe_auc placement_deviations pooled_wilson sorted_rows "
                       "sum_from two_classes",
    "metrics.ranks": "against tied_groups",
    "metrics.raters": "compare_over_readers corrected_mean corrected_share drift judge_summary "
                      "leave_one_reader_out masi_distance model_against_panel pair_points pair_scores "
                      "panel_agreement readers_mean self_agreement set_alpha",
    "metrics.ratings": "WEIGHTS category_weights coefficient_score expand_counts kappa_limits pull_variance "
                       "rating_table",
    "metrics.recalibration": "Calibrator LogLosses METHODS SkillSums Temperature calibration_index",
    "metrics.regression": "PairedValues delta_limits",
    "metrics.shards": "GroupScores RunningResult SiteStatistic add_up group_names hidden_error pooled_result "
                      "score_of_groups shard_statistic site_from_json site_to_json small_cells",
    "metrics.streams": "OnePass Stream finest stream_metrics summed_at_once",
    "metrics.text_overlap": "bleu characters chrf common_subsequence embedding_f1 ngrams points_score rouge_l "
                            "rouge_l_values rouge_n rouge_n_values",
    "metrics.uncertainty": "Selective SelectiveMetric confidence_kendall confidence_pearson confidence_spearman "
                           "conformal_quantile coverage_band selective_risk",
    "metrics.utility": "Decisions THRESHOLDS harm_of less_harm standardized_net_benefit threshold_of_costs "
                       "treat_all",
    "mic.approval": "approval_frame error_concentration profile_list unjudged verdicts worst_strata",
    "mic.attacked_mics": "attacked_series reachable",
    "mic.boundary": "MIC_COLUMNS boundary_slopes from_boundary near_and_far",
    "mic.breakpoints": "COLUMNS CONVENTIONS breakpoint_rungs match_breakpoint site_and_route",
    "mic.bubbles": "DETECTION ScenarioTables bubble_harm bubble_localisation mean_score plot_bubbles "
                   "rows_together",
    "mic.categories": "CATEGORY_WORDS ERRORS",
    "mic.command": "mics_command mics_run",
    "mic.comparison": "DENOMINATORS accept",
    "mic.contest": "PAIR_CONTEST pair_agrees pair_exact pair_read series_rights",
    "mic.decisions": "act on_off referral_curve series_risk",
    "mic.devices": "arbitration_study category_comparison holds_categories paired_difference",
    "mic.dilutions": "MISSING NA_WORDS NO NO_MIC OPS POLICIES UNDECIDED YES definitely_above definitely_below "
                     "dilution_base pair_groups share_of_pairs sort_key unparsable written_label",
    "mic.distributions": "cumulative_shares distribution_of distribution_study",
    "mic.expert_rules": "EXPECTED PARTNERS partner_breaks",
    "mic.experts": "disagreement_kind expert_columns patterns",
    "mic.findings": "agreement_words first_readings pairs_csv read_panel",
    "mic.guidelines": "at_site breakpoint_folder split_name",
    "mic.mixture": "Mixture SD_MIN choose_mixture fit_mixture humps wild_hump",
    "mic.naming": "ENTEROBACTERALES one_name_a_drug one_spelling organism_fallbacks site_key",
    "mic.pair_tables": "PairSheet ask_for_drug column_named control_readings control_rows "
                       "understood_pairs",
    "mic.pairing": "decide_pairs pair_mics panel_ranges",
    "mic.photograph": "orientations photo_wells plot_reading possible_orientations",
    "mic.plate_page": "on_plate plate_symbols",
    "mic.plots": "ERROR_COLORS grid_panels mic_axis mic_grid mic_place plate_map reference_distribution "
                 "small_grid",
    "mic.precision": "ZONES ZONE_SOURCE error_rate_bounded known_readings reproducibility_by trend",
    "mic.questions": "boundary_metrics bubble_metrics expert_metrics mic_metrics safety_metrics "
                     "turbidity_metrics well_metrics",
    "mic.read_command": "read_command read_run reading_result",
    "mic.readings": "beside_expert compare_experts plate_mics read_expert",
    "mic.safety": "seed_safety_score upper_bound",
    "mic.series": "REASONS SKIP_POLICIES STATUS by_series cut_mics map_cut series_rows very_major_probability",
    "mic.show": "DECISIVE GRAVE JCM_ITEMS JCM_SOURCE POLICY_WORDS SKIP_WORDS Study apart breakpoint_text "
                "drug_grids expert_tables first_sight grave_errors no_results notes panel_text plated plates "
                "publication_items risk_table safety_table series_wells setup study zone_table",
    "mic.turbidity": "LEVELS Psychometric growth_detection level_confidence level_recognition plot_detection "
                     "psychometric true_levels",
    "model.ask": "BatchAnswer FEWEST LOOKED_AT OUTPUTS PredictError SCORES Stored batch_answer check_answer "
                 "image_part look_like_probabilities refuse_probabilities text_of",
    "model.code": "digest environment_read existing_file imported_names is_installed module_file own_module "
                  "own_sources sha256_of",
    "model.efficiency": "call_times efficiency_metrics hardware latency_metrics time_quantile working_memory",
    "model.load": "MODEL_FILES external_files model_kind",
    "model.predict": "all_answers answer_batch answer_difference clear_parts device_of drop_parts load_part "
                     "misfit part_file part_folder prediction_identity ready save_part seeded still_answers",
    "model.wellnet": "density_view",
    "noise.command": "noise_command read_noise_plan run_noise suspects_command with_mics",
    "noise.indices": "INDICES SCHEMES TrialGrid grid_values index_values kinds_of level_curve spread_parts",
    "noise.label_questions": "quality_of_labels",
    "noise.labels": "KINDS changed_count divided largest_remainder spread_of",
    "noise.methods": "METRICS TrialData cell_metrics chance_of prepared said_by well_features",
    "noise.networks": "LOSSES loss_of",
    "noise.questions": "failed_trials graded_methods label_noise noise_metrics ranked_methods read_noise_table "
                       "training_seconds training_times",
    "noise.show": "flips_asked_and_got index_table kind_title list_precision method_row metric_rows rank_tables "
                  "spread_table",
    "noise.standings": "TRIAL_MEASURES block_scores cells_lined_up differing_cells method_tables needed_blocks "
                       "save_methods trials_score trials_test",
    "noise.suspects": "QUALITY dealt_folds estimated_rate rate_follows relabel_sheet suspect_gallery "
                      "suspect_rows suspect_sheet unseen_probabilities",
    "noise.trials": "GRID_KINDS VALIDATION grid_of kind_misfit many_cells noise_on noisy_features one_cell "
                    "split_rows with_seconds",
    "report.advice": "advised found_text needed round_up units",
    "report.blocks": "Beside html_table nothing",
    "report.breakdowns": "in_the_end",
    "report.cards": "CARD CARD_NAMES Checklist ChecklistItem HEADLINE_SCORES card_sections checklist_table "
                    "filled_checklist known_answers write_cards",
    "report.compare_page": "Comparison comparison_verdict darkness labelled paired_table pictures_of "
                           "plot_differences power_table score_cell standings",
    "report.exports": "FORMATS latex_table notebook_html",
    "report.figures": "CURVE_NAMES curve_figure dots_figure interactive_page",
    "report.kernel": "clean_traces execute kernel_environment safe_path",
    "report.leaderboard": "failure_table in_order row_line save_sweep shown_progress sweep_page sweep_summary "
                          "sweep_text",
    "report.render": "in_words known_language made_folder page_stem report_parameters",
    "report.samples": "chance files_beside group_text number_rows numbers_file opening picture pictured "
                      "shown_beside told wrong_rows wrongness",
    "report.trackers": "TRACKERS TrackedFigure Upload to_mlflow to_wandb tracked_figures tracker_metrics "
                       "tracker_name upload_of",
    "report.views": "CHIPS SAID boxes caveats chip counted facts_list judged_by limit_text look_up who",
    "report.words": "CATALOGS FONTS PACKAGES font_of texts",
    "robust.conditions": "Disturbed EXPECTED FAMILIES USUAL baseline_cells condition_cells "
                         "condition_predictions conditions_still_answer corruption_error disturbed_images",
    "robust.edge_cases": "IGNORED abstention edge_case_handling failure_gallery plot_slices row_confidence",
    "robust.questions": "NINE_CONDITIONS condition_metrics edge_case_metrics shift_metrics",
    "robust.shift": "heterogeneity shift_distances",
    "run.alignment": "entrant lined_up",
    "run.compare": "model_scores pair_comparison tied_runs",
    "run.dimensions": "SCORE_RULE as_plain faults limit_score rounded_down score_line",
    "run.evaluation": "ask carry_out described store table_of timed tuned",
    "run.listing": "Leftover Listed as_csv as_rows described_lines described_run differences entry leftovers "
                   "remove unchanged",
    "run.sources": "NOTES RESULTS Source checked_notes checked_results file_source model_source shape_fault "
                   "split_of",
    "run.store": "RUN_SCHEMA code_hash environment folder_name identity run_folder set_latest summary_of",
    "run.suite": "only_layers",
    "run.sweep": "Entry Pair pair_memory read_entries run_pair workers",
    "run.verdicts": "RATES TESTED VERDICTS bootstrapped different_calls effect_sizes leaders_verdict "
                    "paired_power paired_test paired_tests tests_over_all verdict_sentence",
    "tcm.answers": "answer_of answer_row",
    "tcm.cases": "CASE_FIELDS DIMENSION_MEASURES FORMULAS FORMULA_TREATS PatientFact case_patients dialogue_points "
                 "dimension_points dose_points formula_points inquiry_points nearest_formula patient_facts",
    "tcm.demo": "BODY_COLOURS COATINGS TOYS demo_case_table demo_diagnoses draw_tongue drawn_tongues",
    "tcm.exam": "answers_table marked_of",
    "tcm.features": "broken_rules case_floors case_table dimension_weights said_features",
    "tcm.floors": "above_floor floor_points key_positions key_text near_examples stem",
    "tcm.herbs": "herb_names known_share vocabulary_rows",
    "tcm.items": "ITEM_KINDS as_key as_options read_rows",
    "tcm.judges": "JUDGE_RUBRIC judged_contests judged_points left_to_judge people_sheet read_people "
                  "read_points read_preference with_judge",
    "tcm.points": "Marked measures read task_scores",
    "tcm.prescription_safety": "RuleFinding",
    "tcm.prompts": "prompt_names requests_of shuffled",
    "tcm.rating": "CANNOT_JUDGE collect_ratings kept_ratings marks_of open_round panel_result plan_ratings "
                  "preference_result preferences_table rating_items rating_widget ratings_table round_ratings "
                  "with_ratings",
    "tcm.responses": "same_width unread without_thinking",
    "tcm.synthesis": "DIMENSIONS OVERALL modality_agreement synthesis_of",
    "tcm.terms": "Described",
    "tcm.values": "read_list read_number same_number same_word split_words",
    "trust.access": "table_space",
    "trust.attack_checks": "doubted",
    "trust.attention": "attention_by_head rolled",
    "trust.attribution": "BASELINES baseline_of with_maps",
    "trust.certificates": "certificate_of smoothed_shares",
    "trust.command": "attack_command read_radii",
    "trust.distortions": "DISTORTIONS GRID",
    "trust.explanations": "localised localised_by_bubble",
    "trust.faithfulness": "filled over_baselines part_infidelity",
    "trust.gallery": "explained_gallery method_table named_scores",
    "trust.gradient_attacks": "dlr",
    "trust.minimal": "crossing growth_threshold plane",
    "trust.references": "Twins reliance skill true_effect untrained",
    "trust.sanity": "gini map_entropy maps_under",
    "trust.shapley": "lime_fit",
    "trust.show_attacks": "COSTS attack_table check_table compare_attacks plot_distances plot_survivors",
    "trust.show_explanations": "gallery_of mean_maps plot_mean_maps plot_plane plot_skill",
    "trust.survival": "by_radius median_distance",
    "trust.worst_case": "BUDGETS RADII eight_bit worst_case_of",
}
for _module, _names in LEFT.items():
    NAMES |= {f"{_module.partition('.')[0]}.{_name}": f"{_module}.{_name}" for _name in _names.split()}
# names that changed with their module
OTHER = dict(EVALUATORS="QUESTIONS", evaluator="question", model_job="model_source", file_job="file_source",
             Job="Source")


def _heir(module, name):
    "The new place of what an old module held, or None"
    for place in MODULES[module].split():
        found = import_module(f"mic_eval.{place}")
        for known in (name, OTHER.get(name)):
            if known and hasattr(found, known): return f"mic_eval.{place}", known


def moved(reference):
    "A reference `mic_eval.room.module:name`, or a module, as it is called now; any other as it is"
    module, colon, name = reference.partition(":")
    old = module.removeprefix("mic_eval.")
    if old == module or old not in MODULES: return reference
    if not colon: return f"mic_eval.{MODULES[old].split()[0]}"
    return ":".join(_heir(old, name) or (f"mic_eval.{MODULES[old].split()[0]}", name))


class _OldModule:
    "Loads a module under the path that it had before: what is asked of it is taken from where it stands now"
    @staticmethod
    def create_module(spec): return None
    @staticmethod
    def exec_module(module):
        old = module.__name__.removeprefix("mic_eval.")
        places = [f"mic_eval.{o}" for o in MODULES[old].split()]
        def asked(name):
            if name == "__all__": return [k for o in places for k in import_module(o).__all__]
            if name[:2] != "__":
                if heir := _heir(old, name): return getattr(import_module(heir[0]), heir[1])
                if (known := f"{old.partition('.')[0]}.{name}") in NAMES: return _named(known)
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}; it is now {', '.join(places)}")
        module.__getattr__ = asked
        warn(f"{module.__name__} is now {', '.join(places)}", DeprecationWarning, stacklevel=2)


def old_spec(name):
    "How a module is imported by its full old path; None for a path that no module had"
    return ModuleSpec(name, _OldModule) if name.removeprefix("mic_eval.") in MODULES else None


def _named(old):
    "What stands now under a name that a room held"
    place, _, name = f"mic_eval.{NAMES[old]}".rpartition(".")
    return getattr(import_module(place), name)


def asked_by_old_name(room, name):
    """What a room once held under a name, with a warning that says where it is now.

    Raises: AttributeError for a name that no room held."""
    old, said = f"{room.removeprefix('mic_eval.')}.{name}", f"{room}.{name}"
    if old in MODULES:
        if " " in MODULES[old]: return import_module(said)   # parted between several: it says so itself
        place = f"mic_eval.{MODULES[old]}"
        value = import_module(place)
    elif old in NAMES:
        place, value = f"mic_eval.{NAMES[old]}", _named(old)
    else:
        heirs = [_heir(o, name) for o in MODULES if room == "mic_eval.run" and o.startswith("run.")]
        found = next(filter(None, heirs), None)
        if found is None: raise AttributeError(f"module {room!r} has no attribute {name!r}")
        place, value = ".".join(found), getattr(import_module(found[0]), found[1])
    warn(f"{said} is now {place}", DeprecationWarning, stacklevel=3)
    return value
