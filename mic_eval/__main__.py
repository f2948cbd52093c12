"`python -m mic_eval` is `mic-eval`."
from mic_eval.cli.app import app

app(prog_name="mic-eval")
