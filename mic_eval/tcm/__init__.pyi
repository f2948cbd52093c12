from .items import Item as Item, ExamItems as ExamItems, read_items as read_items
from .responses import Reading as Reading, STATUSES as STATUSES
from .choices import read_choice as read_choice
from .values import read_fields as read_fields, read_truth as read_truth
from .answers import Answer as Answer, Responses as Responses, read_answers as read_answers
from .floors import audit_items as audit_items, FLOORS as FLOORS, floors as floors
from .points import (field_points as field_points, order_points as order_points, set_points as set_points, mark as mark,
                     score_answers as score_answers)
from .prompts import Prompt as Prompt, examine as examine, read_prompt as read_prompt
from .contest import compare_models as compare_models
from .demo import (demo_answers as demo_answers, demo_items as demo_items, demo_table as demo_table,
                   demo_cases as demo_cases)
from .judges import judge_pairs as judge_pairs, judge_scores as judge_scores
from .exam import read_exam as read_exam
from .synthesis import overall_score as overall_score, weighted_score as weighted_score, fusion_gain as fusion_gain
from .herbs import Herb as Herb, normalise_herb as normalise_herb, plain_chinese as plain_chinese
from .prescriptions import (Dose as Dose, Formula as Formula, Prescription as Prescription, formula as formula,
                            read_prescription as read_prescription, with_grams as with_grams)
from .prescription_safety import (Clearance as Clearance, check_prescription as check_prescription,
                                  herb_facts as herb_facts, prescription_safety as prescription_safety)
from .terms import (describe as describe, elements as elements, normalise_syndrome as normalise_syndrome,
                    pulse_elements as pulse_elements, syndrome_f1 as syndrome_f1)
from .cases import case_points as case_points
from .features import composite_score as composite_score, diagnose as diagnose, feature_scores as feature_scores
from .cases import Interviewer as Interviewer, ScriptedPatient as ScriptedPatient, interview as interview
from .rating import (RUBRIC as RUBRIC, RatingSession as RatingSession, rating_plan as rating_plan,
                     rating_sheet as rating_sheet, read_sheet as read_sheet)
