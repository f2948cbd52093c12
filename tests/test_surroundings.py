"What a command needs of its surroundings: where they fail, one line names the culprit; what can be done without is."
import os
import subprocess
import sys

import pytest


def program(*args, out=subprocess.PIPE, **env):
    return subprocess.run([sys.executable, "-m", "mic_eval", *map(str, args)], env=os.environ | env, text=True,
                          stdout=out, stderr=subprocess.PIPE)


@pytest.mark.later
def test_a_terminal_without_the_letters(tmp_path):
    done = program("runs", "list", "--out", tmp_path, "--lang", "zh", PYTHONIOENCODING="ascii", PYTHONWARNINGS="error")
    assert done.returncode == 0 and done.stderr == "" and "\\u" in done.stdout


@pytest.mark.later
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_an_answer_that_finds_no_room(tmp_path):
    with open("/dev/full", "w") as full: done = program("runs", "list", "--out", tmp_path, out=full, TMPDIR="/none")
    assert done.returncode == 2
    assert done.stderr == "error: cannot write the answer: No space left on device\n"


def test_a_folder_is_no_table(tmp_path):
    from mic_eval.core.readers import read_table
    with pytest.raises(OSError, match="is a folder; a table"): read_table(tmp_path)
