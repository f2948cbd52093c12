from .door import (
    STOPPED as STOPPED, error_line as error_line, exit_code as exit_code, say_error as say_error,
    stop_gently as stop_gently, stop_number as stop_number, witnessed as witnessed)
from .app import (
    app as app, bring as bring, field_commands as field_commands, later as later, Commands as Commands, tell as tell,
    spoken as spoken, finish as finish, report_options as report_options, typed_command as typed_command,
    refresh_index as refresh_index)
from .options import look_option as look_option, listed_option as listed_option
from .run import run_command as run_command
from .demo import demo_command as demo_command
from .check import check_command as check_command
from .columns import (
    column_lines as column_lines, columns_command as columns_command, understood as understood)
from .list import known_names as known_names, list_command as list_command
from .report import report_command as report_command
from .compare import compare_command as compare_command
from .gate import writable_folder as writable_folder, gate_command as gate_command
from .sweep import dask_workers as dask_workers, sweep_command as sweep_command
from .runs import (
    runs_app as runs_app, list_runs as list_runs, show_run as show_run, clean_runs as clean_runs)
from .export import export_command as export_command
from .figures import figures_command as figures_command
from .card import card_command as card_command
from .track import track_command as track_command
from .read import (
    PlateReading as PlateReading, beside_expert as beside_expert, photo_wells as photo_wells,
    plate_mics as plate_mics, plot_reading as plot_reading, read_command as read_command, read_expert as read_expert,
    read_photo as read_photo, read_run as read_run, reading_result as reading_result)
from .mics import (
    read_pairs as read_pairs, read_panel as read_panel, mic_findings as mic_findings,
    agreement_words as agreement_words, pairs_csv as pairs_csv, mics_run as mics_run, mics_command as mics_command)
from .plan import (
    plan_app as plan_app, shown_plan as shown_plan, enlarged as enlarged, plan_rate as plan_rate,
    plan_compare as plan_compare, plan_auroc as plan_auroc, estimate_power as estimate_power,
    plan_agreement as plan_agreement, ROWS_OF as ROWS_OF, fewest as fewest, of_profile as of_profile,
    plan_profile as plan_profile)
from .anomaly import (
    checked_maps as checked_maps, scored_maps as scored_maps, TABLE_METRICS as TABLE_METRICS, FORMATS as FORMATS, anomaly_table as
        anomaly_table, shown_table as shown_table, compared_runs as compared_runs, TASKS as TASKS, anomaly_command as anomaly_command)
from .attack import attack_command as attack_command, read_radii as read_radii
from .noise import noise_command as noise_command, read_noise_plan as read_noise_plan, run_noise as run_noise
from .pool import pool_command as pool_command, site_of as site_of
from .suspects import (with_mics as with_mics, suspects_command as suspects_command)
from .manifest import manifest_command as manifest_command
from .typed import typed as typed
