from .suite import Suite as Suite, suites as suites, read_suite as read_suite
from .dimensions import (judged as judged, dimension_scores as dimension_scores, standing as standing,
                         plot_dimensions as plot_dimensions)
from .store import Run as Run, save_run as save_run, open_run as open_run
from .plan import Plan as Plan, make_plan as make_plan
from .evaluation import findings as findings, make_run as make_run, opened as opened
from .alignment import Entrant as Entrant, align_rows as align_rows
from .listing import entries as entries, as_text as as_text, find_run as find_run
from .verdicts import pair_verdict as pair_verdict
from .compare import leaderboard as leaderboard, compare as compare
from .sweep import read_sweep as read_sweep, sweep as sweep, boards as boards
