from .files import (file_named as file_named, locked as locked, made_inside as made_inside, whole as whole, write_whole as write_whole, writer as writer)
from .results import (Curve as Curve, Failed as Failed, MIGRATIONS as MIGRATIONS, NotApplicable as NotApplicable, Result as Result, SCHEMA as SCHEMA, Score as Score,
                      from_json as from_json, migrated as migrated, to_json as to_json)
from .intervals import (MIN_GROUPS as MIN_GROUPS, checked_level as checked_level, clopper_pearson as clopper_pearson, clustered as clustered, bare as bare, effective_n as effective_n, few_groups as few_groups, kish as kish,
                        mover as mover, newcombe as newcombe, newcombe_paired as newcombe_paired, optional_ci as optional_ci, proportion as proportion,
                        tango as tango, wilson as wilson, z_of as z_of)
from .resample import (BLOCK as BLOCK, Cells as Cells, bootstrap as bootstrap, draw_counts as draw_counts, fold_summary as fold_summary,
                       permutation as permutation, replicates as replicates)
from .named import (About as About, with_words as with_words, metric_named as metric_named, readable as readable, register as register, standard_metrics as standard_metrics)
from .checks import (with_gaps as with_gaps, checked_draws as checked_draws, as_array as as_array, as_stored as as_stored, class_codes as class_codes, group_codes as group_codes, numbers as numbers,
                     offending as offending, ratio as ratio, row_weights as row_weights, same_length as same_length, uneven as uneven)
from .metric import AVERAGES as AVERAGES, Metric as Metric, also_called as also_called, average_over_classes as average_over_classes, metric as metric
from .yaml import read_yaml as read_yaml, read_yaml_file as read_yaml_file
from .readers import (
    Sheet as Sheet, READERS as READERS, IDENTIFIERS as IDENTIFIERS, read_table as read_table, is_identifier as is_identifier,
    found_column as found_column, role_words as role_words)
from .columns import class_names as class_names, class_numbers as class_numbers, with_positive as with_positive, score_columns as score_columns
from .rows import KINDS as KINDS, probabilities as probabilities, group_column as group_column, group_values as group_values
from .predictions import Predictions as Predictions
from .tables import read_predictions as read_predictions
from .kinds import Pairs as Pairs, Maps as Maps, Answers as Answers, Trials as Trials, TABLES as TABLES, read_any as read_any
from .criteria import (Criterion as Criterion, FAIL as FAIL, INSUFFICIENT as INSUFFICIENT, Judged as Judged, NOT_APPLICABLE as NOT_APPLICABLE,
                       NOT_EVALUATED as NOT_EVALUATED, PASS as PASS, Profile as Profile, Verdict as Verdict, find as find, judge as judge, judge_one as judge_one,
                       meets as meets, profiles as profiles, read_profile as read_profile)
from .plots import (BLUE as BLUE, COLORS as COLORS, GREEN as GREEN, GREY as GREY, INK as INK, MARKERS as MARKERS, ORANGE as ORANGE, PURPLE as PURPLE,
                    RED as RED, SKY as SKY, axes as axes, curve as curve, forest as forest, gallery as gallery, score_histogram as score_histogram, table as table)
from .text import (
    Message as Message, message as message, text_as_data as text_as_data, text_from_data as text_from_data, visible as visible,
    one_line as one_line, nearest as nearest, harmless as harmless, harmless_table as harmless_table, sheet as sheet, workbook as workbook, markdown_text as markdown_text, latex_text as latex_text,
    typst_text as typst_text)
from .fields import (
    Field as Field, Opened as Opened, register_field as register_field, fields as fields, field_named as field_named, load_fields as load_fields,
    extra_modules as extra_modules, WordFiles as WordFiles, field_of as field_of, recognised as recognised,
    recognised_data as recognised_data, follow as follow, title_of as title_of, unit_of as unit_of,
    share_of as share_of)
from .questions import (
    Subject as Subject, LAYERS as LAYERS, QUESTIONS as QUESTIONS, question as question, load_questions as load_questions,
    offered as offered, of_layer as of_layer, settings_of as settings_of, lacking as lacking, applied as applied)
from .rates import PAIRED_RATES as PAIRED_RATES, paired_rate as paired_rate
from .limits import batch_seconds as batch_seconds, limit_batches as limit_batches, time_limit as time_limit
from .contests import Contest as Contest, same_rows as same_rows, same_truth as same_truth
from .leftout import effective_groups as effective_groups, jackknife as jackknife, jackknife_interval as jackknife_interval, limits_left_out as limits_left_out
from .papers import paper_latex as paper_latex, paper_table as paper_table
