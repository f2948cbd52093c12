"""Every row of a file is used, refused or said; a command that lacks a column asks for it with choices"""
import json
import shlex
import zipfile

import numpy as np
import pandas as pd
import pytest

from mic_eval.core.checks import Asked
from mic_eval.core.tables import read_predictions
from mic_eval.domain.command import asked_columns, demo_patients
from mic_eval.mic.command import asked_sides
from mic_eval.mic.findings import read_pairs
from mic_eval.mic.pair_tables import understood_pairs
from mic_eval.tcm.answers import read_answers
from mic_eval.tcm.items import read_items
from mic_eval.tcm.points import answer_account, mark


def lines(path, rows):
    path.write_text("\n".join(json.dumps(o, ensure_ascii=False) for o in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("seed", range(6))
def test_every_response_is_marked_said_or_refused(seed, tmp_path):
    rng = np.random.default_rng(seed)
    n, keyless, strange = rng.integers(3, 12), rng.integers(0, 4), rng.integers(0, 4)
    items = [dict(id=f"q{i}", question=f"{i}?", options=["x", "y", "z"], answer="ABC"[i % 3]) for i in range(n)]
    items += [dict(id=f"o{i}", question="why?") for i in range(keyless)]
    ids = [o["id"] for o in items if rng.random() < .7] or ["q0"]
    if not any(o.startswith("q") for o in ids): ids.append("q0")
    said = [dict(id=o, text="A") for o in [*ids, *(f"s{i}" for i in range(strange))]]
    asked, came = read_items(lines(tmp_path/"i.jsonl", items)), read_answers(lines(tmp_path/"a.jsonl", said))
    if strange:
        said = f"{strange} responses belong to no item.*--ignore"
        with pytest.raises(ValueError, match=said): answer_account(asked, came)
    a = answer_account(asked, came, "unknown")
    assert a.marked+a.no_key+a.left_out == a.responses == len(came)
    assert (a.left_out, a.no_key) == (strange, sum(o.startswith("o") for o in ids))
    m = mark(asked, came, ignore="unknown")
    assert len(m) == a.with_key == n and a.unanswered == sum(r.status == "missing" for r in m.readings)


def test_a_document_that_stands_twice_is_no_filter(tmp_path):
    row = dict(doc_id=0, doc=dict(id=0, question="a?", choices=["x", "y"]), target=0, resps=[["A"]], filter="strict")
    filters = lines(tmp_path/"f.jsonl", [row, row | dict(filter="loose", filtered_resps=["B"])])
    assert len(read_answers(filters)) == len(read_items(filters)) == 1
    other = lines(tmp_path/"o.jsonl", [row, row | dict(resps=[["B"]])])
    with pytest.raises(ValueError, match="o.jsonl.*document '0' stands twice.*one model a file"): read_answers(other)
    tasks = lines(tmp_path/"t.jsonl", [row, row | dict(doc=row["doc"] | dict(question="b?"))])
    for read in (read_answers, read_items):
        with pytest.raises(ValueError, match="t.jsonl.*document '0' stands twice.*one task"): read(tasks)


def inspect_sample(i, texts, shown, chosen, key):
    "A sample as inspect_ai 0.3 writes it: what the set holds, what was sent, and what the scorer made of it"
    letters = "ABCD"
    asked = "\n".join(f"{c}) {texts[o]}" for c, o in zip(letters, shown))
    text = f"ANSWER: {letters[shown.index(chosen)]}"
    right = dict(value="C" if chosen == key else "I", answer=letters[shown.index(chosen)], explanation=text)
    return dict(
        id=f"q{i}", epoch=1, input=f"{i}?", choices=[texts[o] for o in shown], target=letters[shown.index(key)],
        messages=[dict(role="user", content=f"Answer the following.\n\n{i}?\n\n{asked}", source="input"),
                  dict(role="assistant", content=text, source="generate", model="mockllm/model")],
        output=dict(model="mockllm/model", completion=text, usage=dict(input_tokens=5, output_tokens=5),
                    choices=[dict(message=dict(role="assistant", content=text), stop_reason="stop")]),
        scores=dict(choice=right), metadata={}, store={}, events=[], model_usage={}, attachments={}, uuid=f"u{i}")


@pytest.mark.parametrize("kind", ["json", "eval"])
@pytest.mark.parametrize("seed", range(3))
def test_shares_of_shuffled_logs_are_the_harness_s_own(seed, kind, tmp_path):
    rng = np.random.default_rng(seed)
    items, samples = [], []
    for i in range(20):
        texts, key, chosen = [f"{w}{i}" for w in "麻桂杏草"], int(rng.integers(4)), int(rng.integers(4))
        items.append(dict(id=f"q{i}", question=f"{i}?", options=texts, answer="ABCD"[key]))
        samples.append(inspect_sample(i, texts, [int(o) for o in rng.permutation(4)], chosen, key))
    about = dict(task="task", model="mockllm/model", config={})
    head = dict(version=2, status="success", eval=about, plan={}, results={})
    log = tmp_path/f"log.{kind}"
    if kind == "json": log.write_text(json.dumps(head | dict(samples=samples)), encoding="utf-8")
    else:
        with zipfile.ZipFile(log, "w", zipfile.ZIP_DEFLATED) as z:
            z.writestr("header.json", json.dumps(head))
            z.writestr("_journal/start.json", json.dumps(dict(version=2, eval=head["eval"])))
            z.writestr("_journal/summaries/1.json", json.dumps([dict(id=o["id"], epoch=1) for o in samples]))
            z.writestr("summaries.json", json.dumps([dict(id=o["id"], epoch=1) for o in samples]))
            z.writestr("reductions.json", "[]")
            for o in rng.permutation(samples): z.writestr(f"samples/{o['id']}_epoch_1.json", json.dumps(o))
    m = mark(read_items(lines(tmp_path/"i.jsonl", items)), read_answers(log))
    own = {o["id"]: float(o["scores"]["choice"]["value"] == "C") for o in samples}
    assert [own[i.id] for i in m.items] == m.headline.tolist()


@pytest.mark.parametrize("broken,said", [("1,.3,.7,x", "row 3 has 4 cells, and there are 3 headings.*quotation marks"),
                                         ('"1,.3,.7', "row 3 opens a quotation mark that never closes.*take it out")])
def test_a_torn_row_is_named_with_its_remedy(broken, said, tmp_path):
    path = tmp_path/"p.csv"
    path.write_text("\n".join(["y_true,prob_0,prob_1", "0,.6,.4", broken, *["1,.3,.7"]*5, ""]))
    with pytest.raises(ValueError, match=f"p.csv.*{said}"): read_predictions(path)


def options(e): return [dict(zip(*[iter(shlex.split(option))]*2)) for _, option in e.value.question.choices]


def test_sides_that_nobody_named_are_asked(tmp_path):
    path = tmp_path/"两 tables.csv"
    pd.DataFrame(dict(isolate=list("abcdef"), drug="MEM", Vitek=[1, 2, 4, 2, 1, 1], BMD=[1, 2, 8, 2, 1, 1])).to_csv(
        path, index=False)
    with pytest.raises(Asked, match="which column is the reference") as e: raise asked_sides(path)
    assert options(e)[0] == {"--reference": "BMD", "--test": "Vitek"} and len(options(e)) == 2
    for o in options(e): assert understood_pairs(read_pairs(path), *o.values()).roles["drug"] == "drug"
    with pytest.raises(Asked) as e: raise asked_sides(path, test="bmd")
    assert options(e) == [{"--reference": "Vitek", "--test": "BMD"}]
    with pytest.raises(ValueError, match="no column 'Etest'"): raise asked_sides(path, reference="Etest")


def test_hospital_and_outcome_that_nobody_named_are_asked(tmp_path):
    path = demo_patients(tmp_path, n=30)
    with pytest.raises(Asked, match="which column is the hospital") as e: raise asked_columns(path)
    assert options(e) == [{"--site": "hospital", "--target": "ill"}]
    with pytest.raises(ValueError, match="no column 'city'"): raise asked_columns(path, site="city")


@pytest.mark.parametrize("key", ["F", "0", 4, "A. 心", "AF"])
def test_a_key_that_names_no_option_is_no_wrong_answer(key):
    from mic_eval.tcm.items import ExamItems, Item
    from mic_eval.tcm.points import mark
    from mic_eval.tcm.answers import Answer
    options = dict(zip("ABCD", "肝心脾肺"))
    sound = Item("1", "何脏？", "choice", options, "A. 肝")
    assert sound.answer == "A" and sound.lost_key == ()
    kind = "choices" if key == "AF" else "choice"
    with pytest.raises(ValueError, match="item 2: the key '.*' names none of the options A, B, C, D: write a letter"):
        mark(ExamItems([sound, Item("2", "何脏？", kind, options, key)]), [Answer("1", "A"), Answer("2", "B")])
