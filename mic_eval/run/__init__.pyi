from .suite import Suite as Suite, suites as suites, read_suite as read_suite, only_layers as only_layers
from .dimensions import (
    SCORE_RULE as SCORE_RULE, judged as judged, limit_score as limit_score, dimension_scores as dimension_scores, as_plain as as_plain,
    standing as standing, faults as faults, score_line as score_line, plot_dimensions as plot_dimensions, rounded_down as rounded_down)
from .store import (
    RUN_SCHEMA as RUN_SCHEMA, identity as identity, folder_name as folder_name, run_folder as run_folder, Run as Run, save_run as save_run,
    environment as environment, code_hash as code_hash, set_latest as set_latest, open_run as open_run, summary_of as summary_of)
from .sources import Source as Source, split_of as split_of, file_source as file_source, model_source as model_source
from .plan import Plan as Plan, make_plan as make_plan
from .asking import described as described, tuned as tuned, findings as findings, timed as timed
from .evaluation import (
    table_of as table_of, ask as ask, store as store, carry_out as carry_out, make_run as make_run, opened as opened)
from .alignment import Entrant as Entrant, entrant as entrant, align_rows as align_rows, lined_up as lined_up
from .listing import (
    Listed as Listed, entry as entry, entries as entries, as_rows as as_rows, as_csv as as_csv, as_text as as_text, find_run as find_run,
    unchanged as unchanged, differences as differences, described_lines as described_lines, described_run as described_run)
from .cleanup import Leftover as Leftover, leftovers as leftovers, remove as remove
from .two_models import (
    RATES as RATES, TESTED as TESTED, paired_test as paired_test, paired_tests as paired_tests, tests_over_all as tests_over_all,
    bootstrapped as bootstrapped, effect_sizes as effect_sizes)
from .verdicts import (
    VERDICTS as VERDICTS, pair_verdict as pair_verdict, verdict_sentence as verdict_sentence, paired_power as paired_power,
    different_calls as different_calls, leaders_verdict as leaders_verdict)
from .standings import tied_runs as tied_runs, model_scores as model_scores, leaderboard as leaderboard
from .compare import compare as compare, pair_comparison as pair_comparison
from .pairings import Entry as Entry, Pair as Pair, read_entries as read_entries, read_sweep as read_sweep
from .one_pair import run_pair as run_pair
from .processes import pair_memory as pair_memory, workers as workers
from .sweep import sweep as sweep, boards as boards
from .checked import NOTES as NOTES, RESULTS as RESULTS, checked_notes as checked_notes, checked_results as checked_results, shape_fault as shape_fault
