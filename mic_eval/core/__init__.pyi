from .files import write_whole as write_whole
from .results import (Curve as Curve, Failed as Failed, NotApplicable as NotApplicable, Result as Result,
                      Score as Score, from_json as from_json, to_json as to_json, paired_rate as paired_rate)
from .intervals import (clopper_pearson as clopper_pearson, clustered as clustered, effective_n as effective_n,
                        few_groups as few_groups, kish as kish, mover as mover, newcombe as newcombe,
                        newcombe_paired as newcombe_paired, proportion as proportion, tango as tango, wilson as wilson)
from .resample import (bootstrap as bootstrap, fold_summary as fold_summary, permutation as permutation,
                       replicates as replicates)
from .fields import (metric_named as metric_named, register as register, standard_metrics as standard_metrics,
                     Field as Field, Opened as Opened, register_field as register_field, fields as fields,
                     field_named as field_named, load_fields as load_fields, WordFiles as WordFiles, follow as follow)
from .checks import class_codes as class_codes, numbers as numbers, same_length as same_length
from .metric import AVERAGES as AVERAGES, Metric as Metric, metric as metric
from .yaml import read_yaml as read_yaml, read_yaml_file as read_yaml_file
from .readers import read_table as read_table
from .columns import class_names as class_names
from .predictions import KINDS as KINDS, probabilities as probabilities, Predictions as Predictions
from .tables import read_predictions as read_predictions
from .kinds import (Pairs as Pairs, Maps as Maps, Answers as Answers, Trials as Trials, TABLES as TABLES,
                    Contest as Contest, same_rows as same_rows, same_truth as same_truth)
from .criteria import (Criterion as Criterion, FAIL as FAIL, INSUFFICIENT as INSUFFICIENT, Judged as Judged,
                       NOT_APPLICABLE as NOT_APPLICABLE, NOT_EVALUATED as NOT_EVALUATED, PASS as PASS,
                       Profile as Profile, Verdict as Verdict, judge as judge, judge_one as judge_one,
                       profiles as profiles, read_profile as read_profile)
from .plots import (COLORS as COLORS, axes as axes, curve as curve, forest as forest, gallery as gallery,
                    score_histogram as score_histogram, table as table)
from .text import (Message as Message, message as message, harmless as harmless, sheet as sheet, workbook as workbook,
                   markdown_text as markdown_text, latex_text as latex_text)
from .questions import (Subject as Subject, LAYERS as LAYERS, QUESTIONS as QUESTIONS, question as question,
                        offered as offered, applied as applied)
from .jackknife import effective_groups as effective_groups, jackknife as jackknife
from .sheets import paper_latex as paper_latex, paper_table as paper_table
from .concentrations import Concentration as Concentration, read_concentration as read_concentration
from .record import Record as Record
from .blind import BlindRound as BlindRound
