"What is asked of a model that looks for cracks."
from mic_eval.core.questions import question
from mic_eval.core.results import Result
from mic_eval.metrics.evaluate import evaluate


@question("cracks", "labels")
def cracks(p, by, seed):
    "Every metric of single pictures, overall and per mould"
    return evaluate(p, by=by, seed=seed)


@question("alloys", "labels", "alloy", layer="metallurgy")
def alloys(p, by, seed):
    "How many pictures each alloy has"
    return Result((name, len(part)) for name, part in p.labelled.by("alloy").items())
