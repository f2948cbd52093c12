"A table of cases as one test: collecting thousands of tests costs more than running them."
import functools
import inspect
import traceback

import pytest

Param = type(pytest.param())

def every(names, rows, ids=None):
    """Like `pytest.mark.parametrize`, but one test that tries all rows and names each that fails, with its reason

    A row that skips itself is printed; the test is skipped when all rows are. Fixtures are shared by the rows."""
    names, rows = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names), list(rows)

    def decorate(test):
        takes = inspect.signature(test)

        @functools.wraps(test)
        def all_rows(**fixtures):
            failed, skipped = [], []
            for i, row in enumerate(rows):
                values = row.values if isinstance(row, Param) else row if len(names) > 1 else [row]
                given = dict(zip(names, values))
                try: test(**fixtures, **given)
                except pytest.skip.Exception as e: skipped.append(f"{label(i, given)}: {e}")
                except (Exception, pytest.fail.Exception) as e: failed.append((label(i, given), e))
            if failed:
                first = "".join(traceback.format_exception(failed[0][1]))
                told = "\n".join(f"{name}: {type(e).__name__}: {str(e)[:500]}" for name, e in failed)
                pytest.fail(f"{len(failed)} of {len(rows)} rows fail\n{told}\n\nThe first:\n{first}", pytrace=False)
            for line in skipped: print("skipped", line)
            if skipped and len(skipped) == len(rows): pytest.skip(skipped[0])

        def label(i, given):
            if callable(ids): return ", ".join(str(ids(v)) for v in given.values())
            if ids is not None: return str(list(ids)[i])
            if isinstance(rows[i], Param) and rows[i].id: return rows[i].id
            return ", ".join(f"{k}={str(v)[:80]}" for k, v in given.items())

        all_rows.__signature__ = takes.replace(parameters=[p for k, p in takes.parameters.items() if k not in names])
        for mark in [m for m in vars(all_rows) if "hypothesis" in m or m == "__wrapped__"]: del all_rows.__dict__[mark]
        return pytest.mark.hypothesis(all_rows) if hasattr(test, "hypothesis") else all_rows
    return decorate
