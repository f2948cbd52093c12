from .jobs import Desk as Desk, DeskJob as DeskJob
from .screens import table_understood as table_understood
