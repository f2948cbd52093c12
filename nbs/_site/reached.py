"""Which test and which page runs which line of the package: `build/reached`, as `coverage` keeps it, a context a check.

`make mutants` asks it what could notice a mistake. The pages of `make test` and its tests, and those it leaves for
later, run once under `coverage`, some 20 minutes of processor time; after `rm build/reached` they run again.
"""
import os
import re
import sys
from contextlib import contextmanager
from pathlib import Path

import coverage
import pytest

root = Path(__file__).resolve().parents[2]
kept = root / "build" / "reached"
IMPORTED = "import"   # what runs when a module is read, for whichever check came first
tracer = None


def watch():
    "Begin to note the lines of the package that run, in a file of this process"
    global tracer
    tracer = coverage.Coverage(data_file=kept, data_suffix=True, source=[str(root / "mic_eval")], config_file=False,
                               messages=False)
    tracer.start()
    tracer.switch_context(IMPORTED)


@contextmanager
def noted(check):
    "Lines that run here belong to a check"
    tracer.switch_context(check)
    try: yield
    finally: tracer.switch_context(IMPORTED)


def end():
    tracer.stop()
    tracer.save()


def pytest_configure(config):
    if not hasattr(config, "workerinput") and config.getoption("numprocesses", None): return   # it runs no test
    watch()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    with noted(item.nodeid): return (yield)


def pytest_unconfigure():
    if tracer: end()


def page(path):
    "Exit code of a page, run where its lines are noted"
    from nbdev.test import test_nb
    with open(os.devnull, "r+") as nothing:
        for stream in (0, 1, 2): os.dup2(nothing.fileno(), stream)
    watch()
    try:
        with noted(path.relative_to(root).as_posix()):
            passed, _ = test_nb(path, skip_flags=["notest", "slow"], basepath=root)
    finally: end()
    return 0 if passed else 1


def pages(paths):
    "Each page in a fork, two at a time"
    from pages import warm_up
    warm_up()
    running = 0
    for path in paths:
        if running == 2: os.wait(); running -= 1
        if not os.fork():
            code = 1
            try: code = page(path)
            finally: os._exit(code)
        running += 1
    while running: os.wait(); running -= 1


def main():
    from pages import is_slow
    kept.parent.mkdir(exist_ok=True)
    os.environ |= dict(OMP_NUM_THREADS="1", MPLBACKEND="Agg", PYTHONPATH=str(Path(__file__).parent))
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "reached", "-n", "2", "--dist", "worksteal",
             "--full", "-m", "not full", "tests", "--ignore", "tests/test_site.py"]
    if not os.fork(): os.execv(tests[0], tests)
    os.wait()
    names = {p: p.relative_to(root / "nbs").with_suffix("").as_posix() for p in sorted((root / "nbs").rglob("*.ipynb"))}
    pages([p for p, name in names.items() if not re.match("benchmarks|reports|_", name) and not is_slow(name)])
    both = coverage.Coverage(data_file=kept, config_file=False, messages=False)
    both.combine([str(kept.parent)])
    both.save()
    found = both.get_data()
    print(f"{kept}: {len(found.measured_contexts())} checks run lines of {len(found.measured_files())} modules")


if __name__ == "__main__": main()
