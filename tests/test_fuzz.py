"""A first helping of what `make fuzz` tries for as long as one wants: each reader reads its sound file, and refuses
damaged ones in a line"""
import random
import subprocess
import sys
from pathlib import Path

import fuzz
import guided
import pandas as pd
import pyarrow
import pytest
from every import every
from mic_eval.anomaly.writer import written_maps


@pytest.fixture(scope="module")
def targets(tmp_path_factory):
    place = tmp_path_factory.mktemp("damaged")
    return place, fuzz.all_seeds(place)


@pytest.mark.later
@pytest.mark.filterwarnings("ignore")
def test_every_reader_reads_the_sound_file_and_refuses_damage_in_a_line(targets):
    place, known = targets
    rng, faults = random.Random(20261122), {}
    for name, (file, whole, read) in known.items():
        assert fuzz.one(place/file, whole, read) == "read", name
        for _ in range(4):
            said = fuzz.one(place/file, fuzz.damaged(whole, rng), read)
            if said not in ("read", "refused"): faults[name] = said
        (place/file).write_bytes(whole)
    assert not faults


PROMPT = b"name: zh\ndate: 2026-11-22\nlanguage: zh\nreply: '{answer}'\nsystem: x\nwords:\n"
PRICE = b"models:\n- {names: [a], input: 1, output: 1, month: x"
BLIND = (b'{"title": "", "key": "sample_id", "show": ["seen"], "marks": ["a"], "readers": ["Li"], "repeats": 1, '
         b'"seed": 0}')
FOUND = {"from_json": b'{"schema": 2, "x": {"a": {"value": 0.5, "lo": 0.2, "hi": 0.8, "k": 5, "n": ' + b"9"*400
         + b"}}}",
         "table of images": b"sample_id\r,", "log of imports": b"[1]\n", "schema of a run": b"[]",
         "binding of a run": b'{"taken": {"y": "a"}}', "watch": b'{"seen": [{"kind": "batch"}]}',
         "schema": b"fields:\n- {name: y_true, type: integer, enum: }\n",
         "labels of an array": b"\x93NUMPY\x01\x00v\x00{'descr': '<U1', 'shape': (1,",
         "prompt": PROMPT, "prompt, 2": PROMPT+b"  choice: x\n? \n: y\n", "prompt, 3": PROMPT+b"  choice: 3\n",
         "prices": PRICE+b", ? : y}\n", "prices, 2": PRICE.replace(b"[a]", b"3")+b"}\n",
         "ratings of a rater": b'{"n": 1, "code": ["a"], "marks": {}}\n', "ratings of a rater, 2": b'{"what": "a"}\n'}
FOUND |= {f"blind round, {i}": BLIND.replace(a, b) for i, (a, b) in enumerate([
    (b'"seed"', b'"sed"'), (b'["Li"]', b'[3]'), (b'["Li"]', b'"Li/.."'), (b'"seed": 0', b'"seed": "0"'),
    (b'["seen"]', b'3'), (b'["seen"]', b'["gone"]'), (b'"repeats": 1', b'"repeats": -1'), (BLIND, b'[]')])}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FOUND)
def test_what_a_long_search_found_is_refused_in_a_line(targets, name):
    place, known = targets
    file, whole, read = known[name.partition(", ")[0]]
    said = fuzz.one(place/file, FOUND[name], read)
    (place/file).write_bytes(whole)
    assert said == "refused"


@every("index", ["", ', "index": null', ', "index": -1', ', "index": "0"'])
def test_a_list_of_maps_says_where_each_is(tmp_path, index):
    "A key with a damaged letter ended in a KeyError"
    (tmp_path/"maps.jsonl").write_text('{"sample_id": "a.png", "score": 0.5, "shard": "maps-0.npy"%s}\n' % index)
    with pytest.raises(ValueError, match="does not say where the map of a.png is"):
        written_maps(tmp_path, pd.DataFrame(dict(path=["a.png"], sample_id=["a"])))


@every("line", ["{}", "[1]", '{"sample_id": 7}'])
def test_a_list_of_maps_names_its_images(tmp_path, line):
    (tmp_path/"maps.jsonl").write_text(line+"\n")
    with pytest.raises(ValueError, match="line 1 of maps.jsonl names no image"):
        written_maps(tmp_path, pd.DataFrame(dict(path=["a.png"], sample_id=["a"])))


def test_a_damaged_note_of_a_parquet_file_ends_no_process():
    "Arrow's own error, thrown where Python cannot catch it, ended whoever read such a file"
    path = Path(__file__).parent/"damaged"/"histogram.parquet"
    code = ("from mic_eval.core.readers import read_table\n"
            f"try: read_table({str(path)!r})\nexcept ValueError as e: print(e)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    said = done.stdout.splitlines()
    if int(pyarrow.__version__.split(".")[0]) > 20: assert len(said) == 1   # an older Arrow does not look at that note
    assert done.returncode == 0 and not done.stderr and all("histogram.parquet" in line for line in said)


@pytest.mark.full   # whole commands, each in a process of its own
def test_whole_commands_meet_the_kept_corpus():
    assert guided.kept_inputs() and guided.main(seconds=5) == 0
