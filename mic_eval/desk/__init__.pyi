from .jobs import Desk as Desk, Job as Job
from .screens import understood as understood
