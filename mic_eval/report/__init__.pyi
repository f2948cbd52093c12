from .breakdowns import outcome as outcome, question_table as question_table, dimension_table as dimension_table
from .views import sentence as sentence, headline as headline, criteria as criteria, methods as methods
from .render import (report_folder as report_folder, reports as reports, find_report as find_report,
                     known_parameters as known_parameters, to_html as to_html, report as report)
from .compare_page import save_comparison as save_comparison, opened_comparison as opened_comparison
from .trackers import track as track
from .leaderboard import sweep_table as sweep_table, board_table as board_table
from .cards import (checklists as checklists, read_checklist as read_checklist, model_card as model_card,
                    card_page as card_page)
from .words import (languages as languages, speak as speak, speaking as speaking, say as say, listed as listed,
                    translated as translated, figure_words as figure_words)
from .blocks import (Html as Html, title_of as title_of, parts as parts, score_table as score_table, group_scores as group_scores, paged as paged,
                     not_applicable as not_applicable, when as when, headed as headed, picked as picked)
from .samples import (sample_list as sample_list, number_table as number_table, table_list as table_list,
                      curve_grid as curve_grid)
from .advice import advice_list as advice_list
from .figures import export_figures as export_figures
from .exports import (to_docx as to_docx, to_pdf as to_pdf, to_markdown as to_markdown, latex_tables as latex_tables,
                      export_report as export_report)
