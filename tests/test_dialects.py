"""Files in many dialects, sound ones and their nearest faults: each is read, or refused with what mends it"""
import shutil

import dialects
import pytest


def want_is_open(cases): return all(want is None for _, _, want, _ in cases)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("group", dialects.GROUPS, ids=lambda group: group.__name__)
def test_what_a_reader_says(group, tmp_path):
    wrong, n, place = [], 0, tmp_path/"case"
    for name, read, cases in dialects.dialects([group]):
        for file, content, want, how in cases[::7 if want_is_open(cases) else 1]:   # `tests/branches.py` tries them all
            place.mkdir()
            said = dialects.said_of(dialects.laid(place, file, content), read, how)
            shutil.rmtree(place)
            n += 1
            right = want is None or bool(said) == bool(want) and want in said
            if right and "FAULT" not in said: continue
            shown = content if isinstance(content, str) else getattr(content, "__name__", "bytes")
            wrong.append(f"{name}, {file}, {shown[:300]!r} {how or ''}\n  wanted {want!r}\n  said   {said!r}")
    assert n > 10 and not wrong, f"{len(wrong)} of {n} are wrong:\n"+"\n".join(wrong)
