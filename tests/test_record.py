"""What people said stays what they said: every edit, cut and reordering of a record is found, writers do not lose each
other's lines, and a blind round shows nothing but what it was told to show."""
import json
import random
import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import pytest

from mic_eval.core.blind import BlindRound, blind_order, open_things, reader_draws, readers_apart
from mic_eval.core.record import Record, said_table
from mic_eval.run.store import Run, note_record, save_run
from mic_eval.core.results import Result


def filled(path, n=20, seed=0):
    draw, record = random.Random(seed), Record(path)
    for i in range(n):
        record.add(draw.choice(["Li", "Anna", "王"]), f"{draw.choice('ABCDEFGH')}{draw.randrange(1, 13)}",
                   draw.choice(["growth", "no growth", None, {"a": [1, 2.5]}]),
                   why=draw.choice(["", "气泡", "a\u2028b\n\"c\""]))
    return record


def tampered(lines, draw):
    "Lines after somebody's hand, and what it did"
    out, how = list(lines), draw.choice(["edit", "cut", "cut the end", "swap", "twice", "value", "forged"])
    i, j = sorted(draw.sample(range(len(out)), 2))
    if how == "cut": del out[i:j]
    elif how == "cut the end": del out[-draw.randrange(1, len(out)):]
    elif how == "swap": out[i], out[j] = out[j], out[i]
    elif how == "twice": out.insert(j, out[i])
    elif how == "edit":
        at = draw.randrange(len(out[i]) - 1)
        out[i] = out[i][:at] + bytes([(out[i][at] + draw.randrange(1, 90)) % 128 or 65]) + out[i][at+1:]
    elif how == "value": out[i] = out[i].replace(b'"who": "', b'"who": "x', 1)
    else:   # a line with a right hash of its own
        row = json.loads(out[i]) | dict(to="forged")
        row.pop("hash")
        from mic_eval.core.record import _hashed
        out[i] = _hashed(row)
    return out, how


def test_every_tampering_is_found(tmp_path):
    record, draw, kinds = filled(tmp_path/"r.jsonl"), random.Random(1), set()
    lines, last = record.path.read_bytes().splitlines(keepends=True), record.last
    assert len(lines) == 20 and record.check(last) == []
    for _ in range(100):
        out, how = tampered(lines, draw)
        if out == lines: continue
        kinds.add(how)
        (tmp_path/"t.jsonl").write_bytes(b"".join(out))
        assert Record(tmp_path/"t.jsonl").check(last), how
    assert len(kinds) == 7


def test_a_longer_record_still_leads_through_the_sealed_line(tmp_path):
    record = filled(tmp_path/"r.jsonl", 3)
    last = record.last
    record.add("Li", "A1", "growth")
    assert record.check(last) == [] and record.check("0"*64)


def test_torn_lines_are_cut_and_nothing_whole_is_lost(tmp_path):
    draw, record, n = random.Random(2), filled(tmp_path/"r.jsonl", 2), 2
    for _ in range(30):
        whole = record.path.read_bytes()
        with open(record.path, "ab") as f: f.write(b'{"n": 9, "who": "Li", "what": "' + b"x"*draw.randrange(80_000))
        assert len(record) == n
        record.add("Li", "A1", "growth"); n += 1
        assert record.path.read_bytes().startswith(whole) and record.check() == [] and len(record) == n


def test_four_programs_add_to_one_record(tmp_path):
    code = ("import sys; from mic_eval.core.record import Record\n"
            "for i in range(25): Record(sys.argv[1]).add(sys.argv[2], f'A{i}', i)")
    jobs = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path/"r.jsonl"), who]) for who in "ab"]
    def more(who):
        for i in range(25): Record(tmp_path/"r.jsonl").add(who, f"A{i}", i)
    threads = [threading.Thread(target=more, args=[who]) for who in "cd"]
    for t in threads: t.start()
    for t in threads: t.join()
    assert [j.wait(60) for j in jobs] == [0, 0]
    record = Record(tmp_path/"r.jsonl")
    assert len(record) == 100 and record.check() == []
    assert {w: [r["to"] for r in record if r["who"] == w] for w in "abcd"} == {w: list(range(25)) for w in "abcd"}


def test_a_run_remembers_how_far_its_record_goes(tmp_path):
    save_run(tmp_path, Result(model=dict(name="m")), None, {})
    record = filled(tmp_path/"record.jsonl", 5)
    assert note_record(tmp_path).changed() == []
    lines = record.path.read_bytes().splitlines(keepends=True)
    record.path.write_bytes(b"".join(lines[:4]))
    assert Run(tmp_path).changed() == ["record.jsonl"]
    with pytest.raises(ValueError, match="last when the record was sealed"): note_record(tmp_path)
    record.path.unlink()
    assert Run(tmp_path).changed() == ["record.jsonl"]
    record.path.write_bytes(b"".join(lines))
    text = (tmp_path/"run.json").read_text().replace('"lines": 5', '"lines": 4')
    (tmp_path/"run.json").write_text(text)
    with pytest.raises(ValueError, match="not what was written"): note_record(tmp_path)


def test_only_a_whole_record_is_taken_for_a_sheet(tmp_path):
    record = Record(tmp_path/"labels.jsonl")
    record.add("Li", "w1", "growth")
    record.add("Li", "w1", "no growth", before="growth", isolate="iso 1")
    t = said_table(record.path)
    assert t[["sample_id", "label", "who", "isolate"]].to_numpy().tolist() == [["w1", "no growth", "Li", "iso 1"]]
    record.path.write_bytes(record.path.read_bytes().replace(b"no growth", b"growth"))
    with pytest.raises(ValueError, match="line 2 was edited: it is no longer what people said"): said_table(record.path)
    assert list(said_table(tmp_path/"none.jsonl").columns[:2]) == ["sample_id", "label"]


@pytest.mark.parametrize("bad", [dict(who="  ", what="A1", to=1), dict(who="Li", what="A1", to=1, prev="x")])
def test_lines_that_are_refused(tmp_path, bad):
    with pytest.raises(ValueError): Record(tmp_path/"r.jsonl").add(**bad)
    assert not (tmp_path/"r.jsonl").exists()


def test_a_reader_is_shown_what_was_named_and_nothing_else(tmp_path):
    t = pd.DataFrame(dict(sample_id=[f"secret-{i}" for i in range(30)], picture=[f"{i:02d}.png" for i in range(30)],
                          model="secret-model", call="secret-call", expert_1="secret-expert"))
    r = BlindRound(t, "Li", tmp_path, show=["picture"], repeats=6, seed=3)
    seen = ""
    while (now := r.current) is not None:
        seen += repr(now) + repr(r)
        r.mark(now.code, "growth")
    assert "secret" not in seen and "secret" not in r.record.path.read_text()
    assert len(r.frame()) == 36 and r.frame()["repeat"].sum() == 6
    places = {k: [i for i, (_, key, _, _) in enumerate(r.tasks) if key == k] for k in t["sample_id"]}
    assert all(b >= 20 for a, *rest in places.values() for b in rest)   # what comes again comes late


def test_orders_differ_and_can_be_made_again():
    orders = {(who, seed): tuple(blind_order(range(40), reader_draws(who, seed), 5)) for who in "ab" for seed in (0, 1)}
    assert len(set(orders.values())) == 4
    assert orders["a", 0] == tuple(blind_order(range(40), reader_draws("a", 0), 5))
    first = [[dict(orders["a", s])[k] for k in range(40)] for s in (0, 1)]
    assert all(sorted(k for k, n in o if not n) == list(range(40)) for o in orders.values()) and first


def test_a_third_reader_sees_no_names_and_no_order(tmp_path):
    t = pd.DataFrame(dict(sample_id=[f"w{i}" for i in range(60)]))
    a, b = (BlindRound(t, who, tmp_path) for who in ("Anna", "Li"))
    assert len(open_things([a, b])) == 2
    for r, mark in ((a, "growth"), (b, "no growth")):
        for code, *_ in r.tasks: r.mark(code, mark)
    apart = readers_apart([a, b])
    assert len(apart) == 60 and 15 < (apart["reading 1"] == "growth").sum() < 45
    assert not {"Anna", "Li"} & {*apart.columns}


def test_an_edited_reading_is_no_reading(tmp_path):
    "A mark that somebody turned round in the file, or a line that was taken out, is named before agreement is counted"
    rows = pd.DataFrame(dict(sample_id=list("abc"), seen=list("xyz")))
    reader = BlindRound(rows, "Li", tmp_path, show=["seen"])
    for code, *_ in reader.tasks: reader.mark(code, "growth")
    assert reader.frame()["mark"].tolist() == ["growth"]*3
    whole = reader.record.path.read_text()
    reader.record.path.write_text(whole.replace('"to": "growth"', '"to": "no growth"', 1))
    with pytest.raises(ValueError, match="Li.jsonl: line 1 was edited: it is no longer"): reader.frame()
    reader.record.path.write_text(whole.split("\n", 1)[1])
    with pytest.raises(ValueError, match="Li.jsonl: line 1 does not follow"): reader.frame()
    reader.record.path.write_text(whole.replace('"to"', '"t0"', 1))
    assert len(open_things([reader])) == 1   # one is to be read again
