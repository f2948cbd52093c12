from .app import (
    app as app, later as later, Commands as Commands, tell as tell, spoken as spoken, finish as finish,
    report_options as report_options, run_command as run_command, demo as demo, check_command as check_command,
    list_command as list_command)
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
