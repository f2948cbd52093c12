from .smoke import Outcome as Outcome, Candidate as Candidate, Check as Check, asked as asked
from .golden import golden_run as golden_run, read_golden as read_golden
from .gate import (stops as stops, gate as gate, gate_markdown as gate_markdown, junit_xml as junit_xml,
                   save_gate as save_gate)
