from .app import exit_code as exit_code
from .options import typed as typed
from .gate import gate_command as gate_command
