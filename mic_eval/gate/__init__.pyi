from .smoke import (
    ERROR as ERROR, NEEDS as NEEDS, TOLERANCE as TOLERANCE, SMOKE as SMOKE, Outcome as Outcome,
    Candidate as Candidate, Check as Check, asked as asked, ask_all as ask_all, worst_status as worst_status,
    yes_or_no as yes_or_no, model_opens as model_opens, same_model as same_model, same_inputs as same_inputs,
    answers_one as answers_one, output_format as output_format, largest_gap as largest_gap, gap_outcome as gap_outcome,
    batch_size_is_nothing as batch_size_is_nothing, order_is_nothing as order_is_nothing, same_again as same_again)
from .regression import (
    headline_rates as headline_rates, paired_rights as paired_rights, margin_status as margin_status,
    nothing_changed as nothing_changed, rows_needed as rows_needed, not_worse as not_worse)
from .golden import (
    GOLDEN as GOLDEN, telling_rows as telling_rows, golden_run as golden_run, golden_text as golden_text,
    read_golden as read_golden, same_as_golden as same_as_golden)
from .integration import (
    MEASURED as MEASURED, SLOWER as SLOWER, within_limit as within_limit, not_slower as not_slower,
    files_are_whole as files_are_whole, row_keys as row_keys, stored_rows as stored_rows, changed_rows as changed_rows,
    same_predictions as same_predictions, leaves as leaves, same_results as same_results,
    report_renders as report_renders, meets_limit as meets_limit, gate_checks as gate_checks)
from .gate import (
    SIGNS as SIGNS, candidate as candidate, stops as stops, gate_sentence as gate_sentence, gate as gate,
    gate_markdown as gate_markdown, junit_xml as junit_xml, save_gate as save_gate)
