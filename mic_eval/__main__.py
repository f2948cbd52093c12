"`python -m mic_eval` is `mic-eval`."
import sys

# the working folder, which may be somebody else's run, comes last: what lies there never stands for what is installed
if not sys.flags.safe_path: sys.path.append(sys.path.pop(0))

from mic_eval.cli.app import app

app(prog_name="mic-eval")
