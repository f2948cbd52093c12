from .items import ITEM_KINDS as ITEM_KINDS, Item as Item, ExamItems as ExamItems, as_key as as_key, as_options as as_options, read_items as read_items, read_rows as read_rows
from .responses import Reading as Reading, STATUSES as STATUSES, same_width as same_width, unread as unread, without_thinking as without_thinking
from .choices import read_choice as read_choice
from .values import read_fields as read_fields, read_list as read_list, read_number as read_number, read_truth as read_truth, same_number as same_number, same_word as same_word, split_words as split_words
from .answers import Answer as Answer, Responses as Responses, answer_of as answer_of, answer_row as answer_row, read_answers as read_answers
from .audit import audit_items as audit_items, key_positions as key_positions, key_text as key_text, near_examples as near_examples, stem as stem
from .points import field_points as field_points, measures as measures, order_points as order_points, read as read, set_points as set_points
from .scoring import Marked as Marked, mark as mark, score_answers as score_answers, task_scores as task_scores
from .prompts import Prompt as Prompt, examine as examine, prompt_names as prompt_names, read_prompt as read_prompt, requests_of as requests_of, shuffled as shuffled
from .floors import FLOORS as FLOORS, above_floor as above_floor, floor_points as floor_points, floors as floors
from .versus import compare_models as compare_models
from .demo import demo_answers as demo_answers, demo_items as demo_items, demo_table as demo_table
from .judging import judge_pairs as judge_pairs, judge_scores as judge_scores, read_points as read_points, read_preference as read_preference
from .judged import JUDGE_RUBRIC as JUDGE_RUBRIC, judged_contests as judged_contests, judged_points as judged_points, left_to_judge as left_to_judge, people_sheet as people_sheet, read_people as read_people, with_judge as with_judge
from .exam import answers_table as answers_table, marked_of as marked_of, read_exam as read_exam
from .composite import DIMENSIONS as DIMENSIONS, OVERALL as OVERALL, overall_score as overall_score, weighted_score as weighted_score
from .herbs import Herb as Herb, herb_names as herb_names, known_share as known_share, normalise_herb as normalise_herb, plain_chinese as plain_chinese, vocabulary_rows as vocabulary_rows
from .prescriptions import Dose as Dose, Prescription as Prescription, read_prescription as read_prescription, with_grams as with_grams
from .safety import RuleFinding as RuleFinding, check_prescription as check_prescription, herb_facts as herb_facts, prescription_safety as prescription_safety
from .terms import Described as Described, describe as describe, elements as elements, normalise_syndrome as normalise_syndrome, pulse_elements as pulse_elements, syndrome_f1 as syndrome_f1
from .cases import case_patients as case_patients, CASE_FIELDS as CASE_FIELDS, FORMULAS as FORMULAS, FORMULA_TREATS as FORMULA_TREATS, dialogue_points as dialogue_points, formula_points as formula_points, patient_facts as patient_facts, DIMENSION_MEASURES as DIMENSION_MEASURES, case_points as case_points, dimension_points as dimension_points, dose_points as dose_points, nearest_formula as nearest_formula
from .demo_cases import TOYS as TOYS, demo_case_table as demo_case_table, demo_cases as demo_cases, demo_diagnoses as demo_diagnoses
from .diagnoses import broken_rules as broken_rules, case_floors as case_floors, case_table as case_table, composite_score as composite_score, diagnose as diagnose, dimension_weights as dimension_weights
from .inquiry import Interviewer as Interviewer, PatientFact as PatientFact, ScriptedPatient as ScriptedPatient, inquiry_points as inquiry_points, interview as interview
from .synthesis import fusion_gain as fusion_gain, modality_agreement as modality_agreement, synthesis_of as synthesis_of
from .rating import CANNOT_JUDGE as CANNOT_JUDGE, RUBRIC as RUBRIC, RatingSession as RatingSession, marks_of as marks_of, rating_plan as rating_plan, rating_sheet as rating_sheet, rating_widget as rating_widget, ratings_table as ratings_table, read_sheet as read_sheet
from .tongues import BODY_COLOURS as BODY_COLOURS, COATINGS as COATINGS, draw_tongue as draw_tongue, drawn_tongues as drawn_tongues
from .panel import kept_ratings as kept_ratings, with_ratings as with_ratings
from .features import feature_scores as feature_scores, said_features as said_features
from .rounds import collect_ratings as collect_ratings, open_round as open_round, panel_result as panel_result, plan_ratings as plan_ratings, preference_result as preference_result, preferences_table as preferences_table, rating_items as rating_items, round_ratings as round_ratings
