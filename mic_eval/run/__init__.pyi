from .evaluators import (
    EVALUATORS as EVALUATORS, LAYERS as LAYERS, NINE_CONDITIONS as NINE_CONDITIONS, Subject as Subject,
    evaluator as evaluator, of_layer as of_layer, settings_of as settings_of, lacking as lacking, applied as applied,
    well_metrics as well_metrics, bubble_metrics as bubble_metrics, turbidity_metrics as turbidity_metrics,
    boundary_metrics as boundary_metrics, mic_metrics as mic_metrics, safety_metrics as safety_metrics,
    expert_metrics as expert_metrics, condition_metrics as condition_metrics, edge_case_metrics as edge_case_metrics,
    shift_metrics as shift_metrics, efficiency_metrics as efficiency_metrics, latency_metrics as latency_metrics)
from .suite import (
    Suite as Suite, read_yaml as read_yaml, suites as suites, read_suite as read_suite, only_layers as only_layers)
from .dimensions import (
    SCORE_RULE as SCORE_RULE, judged as judged, limit_score as limit_score, dimension_scores as dimension_scores,
    as_plain as as_plain, standing as standing, faults as faults, score_line as score_line,
    plot_dimensions as plot_dimensions)
from .store import (
    RUN_SCHEMA as RUN_SCHEMA, RUN_MIGRATIONS as RUN_MIGRATIONS, identity as identity, file_hash as file_hash,
    folder_name as folder_name, run_folder as run_folder, Run as Run, save_run as save_run,
    environment as environment, code_hash as code_hash, set_latest as set_latest, open_run as open_run,
    summary_of as summary_of)
from .evaluation import (
    described as described, split_of as split_of, tuned as tuned, findings as findings, timed as timed, Job as Job,
    file_job as file_job, wells_folder as wells_folder, model_job as model_job, model_name as model_name,
    called_table as called_table, stored_table as stored_table, make_run as make_run, opened as opened)
from .alignment import (
    Entrant as Entrant, entrant as entrant, align_rows as align_rows, lined_up as lined_up)
from .compare import (
    RATES as RATES, NO_CALLS as NO_CALLS, NO_SCORE as NO_SCORE, TESTED as TESTED, VERDICTS as VERDICTS,
    rate_rows as rate_rows, paired_test as paired_test, paired_tests as paired_tests, bootstrapped as bootstrapped,
    effect_sizes as effect_sizes, pair_verdict as pair_verdict, verdict_sentence as verdict_sentence,
    paired_power as paired_power, different_calls as different_calls, tied_runs as tied_runs,
    leaderboard as leaderboard, compare as compare)
from .sweep import (
    MODEL_KEYS as MODEL_KEYS, DATA_KEYS as DATA_KEYS, HEADLINES as HEADLINES, Entry as Entry, Pair as Pair,
    read_entries as read_entries, read_sweep as read_sweep, run_pair as run_pair, pair_memory as pair_memory,
    workers as workers, boards as boards, sweep as sweep)
from .listing import (
    MARKS as MARKS, Listed as Listed, run_folders as run_folders, entry as entry, entries as entries,
    as_rows as as_rows, as_csv as as_csv, as_text as as_text, index_page as index_page, write_index as write_index,
    find_run as find_run, unchanged as unchanged, differences as differences, described_lines as described_lines, described_run as described_run)
from .cleanup import (
    PASSING as PASSING, KEPT as KEPT, Leftover as Leftover, of_run as of_run, beside_runs as beside_runs,
    latest_runs as latest_runs, old_runs as old_runs, leftovers as leftovers, size_of as size_of, remove as remove)
