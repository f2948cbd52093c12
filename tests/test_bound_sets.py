"""Sets of hostile files, drawn by seed: each is read rightly, or asked about with culprit and remedy"""
import shlex

import numpy as np
import pytest
from typer.testing import CliRunner

import bound_folders
import bound_plates
import bound_sets
from mic_eval.cli.app import app
from mic_eval.core.checks import Asked
from mic_eval.core.tables import read_predictions

SETS = [("class_case", 30, 500), ("export_case", 40, 600), ("log_case", 34, 170), ("tree_case", 55, 220),
        ("class_folder_case", 46, 230), ("layout_case", 60, 600)]


def judged(case, seeds, folder):
    "Nothing is silently wrong, nothing crashes, no error lacks its remedy, and hardly a question is needless"
    made = next(getattr(o, case) for o in (bound_sets, bound_folders, bound_plates) if hasattr(o, case))
    found = bound_sets.counted(made(folder, seed) for seed in seeds)
    assert not found["silent"] + found["crash"] + found["bare"], found
    assert len(found["needless"]) <= .05*len(seeds), found["needless"]
    assert len(found["right"]) >= .4*len(seeds), {k: len(v) for k, v in found.items()}


@pytest.mark.later
@pytest.mark.parametrize("case,few,many", SETS)
def test_a_share_of_each_set(case, few, many, tmp_path): judged(case, range(few), tmp_path)


@pytest.mark.full   # two minutes
@pytest.mark.parametrize("case,few,many", SETS)
def test_each_set(case, few, many, tmp_path): judged(case, range(few, few+many), tmp_path)


@pytest.mark.later   # half a minute
def test_crops_of_photographs_and_layouts_of_other_plates(tmp_path):
    "No MIC is two doublings off without a flag: what is not the whole plate is refused, what lies otherwise is said"
    judged("photo_case", range(18), tmp_path)


def answered(path, how, depth=0):
    "Every reading that the choices of questions lead to: tables, or the error that ended one"
    try: return [read_predictions(path, **how)]
    except Asked as e:
        if depth > 3: return [e]
        return [o for _, option in e.question.choices for o in answered(path, how | answers_of(option), depth+1)]
    except ValueError as e: return [e]


def answers_of(option):
    "An option as typed, as arguments of the door"
    words, out = shlex.split(option), {}
    for name, value in zip(words[::2], words[1::2]):
        name = name.removeprefix("--").replace("-", "_")
        out[name] = value.split(",") if name == "classes" or name == "y_score" and "," in value else value
    return out


def is_right(t, truths, p):
    "Whether a table holds the truths, and each class its scores, whatever their kind"
    names = list(t.classes)
    if t.scores is None or len(t) != len(truths): return False
    if t.scores.ndim == 1: return len(p.columns) == 2
    if sorted(names) != sorted(p) or (np.array(names)[t.y_true] != truths).any(): return False
    orders = (np.argsort(np.argsort(o, 0), 0) for o in (t.scores, p[names].to_numpy()))
    return bool(np.mean(np.equal(*orders)) > .9)


@pytest.mark.later
@pytest.mark.parametrize("n", [60, pytest.param(600, marks=pytest.mark.full)])
def test_every_choice_of_a_question_leads_on(n, tmp_path):
    "Each option is taken as typed and ends in a table; one of them in the right one, where there are few enough orders"
    asked, lost, ended = 0, [], []
    for seed in range(n):
        path, truths, p, _, what, _ = bound_sets.class_table(tmp_path, 90_000+seed)
        try: read_predictions(path)
        except Asked as e:
            if not e.question.choices: continue
        except ValueError: continue
        else: continue
        asked += 1
        found = answered(path, {})
        tables = [o for o in found if not isinstance(o, Exception)]
        ended += [(seed, what, str(o)[:200]) for o in found if isinstance(o, Exception)]
        few = "class numbers" not in what or len(p.columns) < 4
        if few and not any(is_right(o, truths, p) for o in tables): lost.append((seed, what))
    assert asked > n/20 and not lost, (asked, lost)
    assert len(ended) <= .05*asked, ended   # a choice that is wrong may be found out


def typed_on(command, options, depth=0):
    "What the choices of a folder's questions lead to, each typed as it is shown: `(options, result)` of those that end"
    words = [w for k, v in options.items() for w in (k, v)]
    done = CliRunner().invoke(app, [*command, *words])
    ways = [shlex.split(o.split("  ")[1]) for o in done.stderr.splitlines() if o.startswith("  --")]
    if not ways or depth > 3: return [(options, done)]
    assert done.exit_code == 2 and "Traceback" not in done.output
    return [o for name, value in ways for o in typed_on(command, options | {name: value}, depth+1)]


@pytest.mark.later
@pytest.mark.parametrize("few", [14, pytest.param(84, marks=pytest.mark.full)])
def test_every_choice_of_a_folder_leads_to_a_run(few, tmp_path):
    "Each ends in a run, or a table of classes, that is right by one of them; in either language, never in a traceback"
    from mic_eval.anomaly.datasets import data_images
    from mic_eval.data.class_sets import class_set
    for seed in range(few):
        root, what, typed, labels = bound_folders.asked_folder(tmp_path, 3_000+seed)
        classes, lang = "level" in what or "classes" in what, ["--lang", "zh"][:2*(seed % 2)]
        command = [*lang, *(["check"] if classes else ["anomaly", "check"]), str(root)]
        ended = typed_on(command, dict(zip(typed[::2], typed[1::2])))
        assert all(options and done.exit_code == 0 for options, done in ended), (what, ended)
        right = []
        for i, (options, _) in enumerate(ended):
            how = {k.removeprefix("--").replace("-", "_"): v for k, v in options.items()}
            if classes:
                t = class_set(root, **how).facts
                right.append({root/p: v for p, v in zip(t.path, t.label)} == labels)
                continue
            if "ignore" in how: how["ignore"] = how["ignore"].split(",")
            images, maps = data_images(root, **how), tmp_path/f"maps {seed} {i}"
            right.append(dict(zip(images.path, images.label)) == labels)
            for s in images.sample_id:
                (maps/s).parent.mkdir(parents=True, exist_ok=True)
                np.save(maps/f"{s}.npy", np.random.default_rng(i).random((16, 20)))
            words = [w for k, v in options.items() for w in (k, v)]
            out = ["--report", "none", "--out", str(tmp_path/"runs")]
            done = CliRunner().invoke(app, [*lang, "anomaly", "evaluate", str(root), str(maps), *words, *out])
            assert done.exit_code == 0, (what, options, done.output)
        assert any(right), (what, ended)
