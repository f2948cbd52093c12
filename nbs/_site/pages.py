"""Run pages as `nbdev_test` does, each in a fork of one process that has paid the imports. Nothing is written back.

Without arguments: all pages but the slow ones (`SLOW`, each with its reason), without their `#| slow` cells.
`--rest`: the slow ones; `--all`: both. `--slow`: also those cells. With paths: those pages. `--workers 2` at a time,
`--limit 600` seconds a page. A failure is named with page, cell and traceback; the CPU seconds of each page (with the
processes that it started) go to `build/times/pages.csv`, `pages_rest.csv` or `pages_all.csv`. Cells that say otherwise
than what is stored in them are listed too, in `build/times/differing.txt`: `make notebooks` stores them anew.
"""
import argparse
import csv
import faulthandler
import gc
import importlib
import os
import re
import resource
import signal
import sys
import tempfile
import time
from pathlib import Path

import stored

os.environ |= dict(OMP_NUM_THREADS="1", MPLBACKEND=os.environ.get("MPLBACKEND", "Agg"))
root = Path(__file__).resolve().parents[2]
OTHERWISE = 3   # how the process of a page ends that runs and says otherwise than what is stored
warm = ("torch pandas pyarrow.parquet matplotlib.pyplot scipy.stats scipy.optimize sklearn.linear_model "
        "sklearn.metrics").split()
# pages, without their numbers, that `make test` leaves to `make test-rest`, and why: each took more than two CPU
# seconds in a run of all pages
SLOW = {
    "a network judges hundreds of pictures, which is what the page shows":
        "robust/conditions robust/edge_cases model/load model/wellnet model/efficiency "
        "explanations/promises data/wells data/benchmark",
    "whole runs one after another, each with its network or its processes":
        "how_to/gate_a_release how_to/sweep_many_models how_to/from_evaluators how_to/from_r gate/gate noise/show "
        "noise/suspects noise/command "
        "domain/command explanations/fooling_this_tool gate/integration anomaly/command tcm/command "
        "run/sweep report/leaderboard",
    "photographs are read at their full size":
        "data/plates data/upright mic/plots mic/photograph mic/read_command",
    "attacks and explanations ask for gradients of hundreds of pictures":
        "trust/gradient_attacks trust/survival trust/questions trust/attention trust/minimal "
        "trust/worst_case trust/attack_checks trust/decision_attacks trust/show_attacks trust/show_explanations "
        "trust/references trust/distortions "
        "trust/command "
        "mic/attacked_mics",
    "a report is written whole, in a kernel of its own; tests/test_report.py and its sisters do so from less":
        "reports/anomaly reports/clinical reports/compare reports/executive reports/domain reports/robustness "
        "reports/suite reports/label_noise reports/technical report/kernel report/render report/figures cli/report",
    "a page draws or draws from many pictures, or learns and judges again and again":
        "run/evaluation mic/corrections anomaly/show domain/plots trust/certificates anomaly/plots data/scenes "
        "explanations/attacks data/set_quality mic/bubbles mic/turbidity metrics/distances reports/detailed "
        "noise/reference noise/trials noise/methods mic/boundary benchmarks/suspects tcm/features tcm/questions "
        "domain/leave_out metrics/calibration_errors",
    "a tutorial goes the whole way, as a reader would":
        "tutorials/a_model tutorials/a_photograph tutorials/a_spreadsheet tutorials/chinese_spreadsheet "
        "tutorials/chinese_r tutorials/reading_study tutorials/chinese_model "
        "tutorials/chinese_photograph tutorials/digits_day tutorials/chinese_digits "
        "tutorials/chinese_answers tutorials/chinese_defects tutorials/a_test_set tutorials/find_defects",
}
slow_pages = {page for pages in SLOW.values() for page in pages.split()}


def is_slow(page): return re.sub(r"/\d+_", "/", page) in slow_pages


def warm_up():
    "Imports that most pages need, before the first fork; no thread may run when it happens"
    for name in warm: importlib.import_module(name)
    import torch
    torch.set_num_threads(1)
    for p in sorted((root / "mic_eval").rglob("[!_]*.py")):
        try: importlib.import_module(".".join(p.relative_to(root).with_suffix("").parts))
        except ImportError: pass   # an extra that is not installed, or a failure that its page will say
    from mic_eval.report.kernel import without_grammars
    with without_grammars(): import nbformat
    import nbdev.test
    from execnb.shell import CaptureShell

    class Plain(CaptureShell):
        def enable_matplotlib(self, gui=None): pass   # from its second time on, figures lie a pixel off
    shell = Plain()                                 # a first one loads much of IPython
    shell.run("1")
    shell.history_manager.save_thread.stop()
    gc.collect(); gc.freeze()


def child(path, log, slow, limit):
    "Never returns: the page's own process, with its output in `log`, or what it says otherwise than is stored"
    os.setpgid(0, 0)                                       # what the page starts ends with it
    signal.signal(signal.SIGINT, signal.default_int_handler)   # a shell may ignore it in background jobs
    with open(os.devnull) as nothing: os.dup2(nothing.fileno(), 0)
    for stream in (1, 2): os.dup2(log.fileno(), stream)
    faulthandler.dump_traceback_later(limit, exit=True)
    try: ok, off = stored.run_page(path, ["notest"] if slow else ["notest", "slow"], basepath=root)
    except BaseException:
        import traceback
        ok, off = traceback.print_exc(), []
    if ok and off:
        log.seek(0); log.truncate()
        print("\n".join(off))
    sys.stdout.flush(); sys.stderr.flush()
    os._exit((OTHERWISE if off else 0) if ok else 1)


def run(paths, slow=False, limit=600, workers=2):
    "Rows of page, CPU seconds, wall seconds and what a failed page printed"
    todo, running, rows = list(paths)[::-1], {}, []
    try:
        while todo or running:
            while todo and len(running) < workers:
                path, log = todo.pop(), tempfile.TemporaryFile()
                started = time.monotonic()
                pid = os.fork()
                if not pid: child(path, log, slow, limit)
                running[pid] = path, log, started
            pid, status, used = os.wait4(-1, 0)
            path, log, started = running.pop(pid)
            end(pid)
            log.seek(0)
            said = log.read().decode(errors="replace")
            otherwise = os.waitstatus_to_exitcode(status) == OTHERWISE
            rows.append(dict(page=path.relative_to(root / "nbs").with_suffix("").as_posix(),
                             cpu=round(used.ru_utime + used.ru_stime, 2), wall=round(time.monotonic() - started, 2),
                             failed=(said or f"ended with status {status}") if status and not otherwise else "",
                             otherwise=said.splitlines() if otherwise else []))
            progress(rows, len(paths))
    finally:
        for pid in running: end(pid)
    return rows


def end(pid):
    try: os.killpg(pid, signal.SIGKILL)
    except OSError: pass


def progress(rows, n):
    last, bad = rows[-1], sum(bool(r["failed"]) for r in rows)
    line = f"{len(rows)}/{n} pages, {bad} failed, {sum(r['cpu'] for r in rows):.0f} CPU s"
    if last["failed"]: print(f"\nFAILED nbs/{last['page']}.ipynb\n{last['failed']}", flush=True)
    if sys.stdout.isatty(): print(f"\r{line} · {last['page']:60.60}", end="" if len(rows) < n else "\n", flush=True)
    elif len(rows) % 50 == 0 or len(rows) == n: print(line, flush=True)


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("paths", nargs="*", type=Path)
    ask.add_argument("--slow", action="store_true")
    ask.add_argument("--rest", action="store_const", const="_rest", dest="which", default="")
    ask.add_argument("--all", action="store_const", const="_all", dest="which")
    ask.add_argument("--workers", type=int, default=2)
    ask.add_argument("--limit", type=int, default=600)
    a = ask.parse_args()
    for p in a.paths:
        if not p.is_file(): ask.error(f"{p}: no such page; a page is named like nbs/metrics/00_confusion.ipynb")
    from nbdev.doclinks import nbglob
    there = {Path(p).absolute().relative_to(root / "nbs").with_suffix("").as_posix(): Path(p).absolute()
             for p in nbglob(as_path=True)}
    wanted = [page for page in sorted(there) if a.which == "_all" or is_slow(page) == (a.which == "_rest")]
    paths = [p.resolve() for p in a.paths] or [there[page] for page in wanted]
    print(f"{len(paths)} page{'s' * (len(paths) > 1)}, {a.workers} at a time; one page alone: "
          ".venv/bin/python nbs/_site/pages.py nbs/metrics/00_confusion.ipynb", flush=True)
    if not a.paths and not a.which: print(f"{len(slow_pages)} slow pages are left to make test-rest", flush=True)
    if len(paths) > 1: warm_up()
    rows = run(paths, a.slow, a.limit, a.workers)
    own = sum(getattr(resource.getrusage(resource.RUSAGE_SELF), k) for k in ("ru_utime", "ru_stime"))
    slowest = sorted(rows, key=lambda r: -r["cpu"])
    otherwise = [f"nbs/{r['page']}.ipynb {line}" for r in rows for line in r["otherwise"]]
    if not a.paths:
        try:
            (root / "build" / "times").mkdir(parents=True, exist_ok=True)
            with open(root / "build" / "times" / f"pages{a.which}.csv", "w", newline="", encoding="utf-8") as f:
                table = csv.DictWriter(f, ["page", "cpu", "wall"], extrasaction="ignore")
                table.writeheader(); table.writerows(slowest)
            listed = root / "build" / "times" / f"differing{a.which}.txt"
            listed.write_text("".join(f"{line}\n" for line in otherwise), encoding="utf-8")
        except OSError as e: print(f"times not kept: {e}")
    if len(rows) > 1: print("slowest, CPU s: " + ", ".join(f"{r['page']} {r['cpu']:.1f}" for r in slowest[:10]))
    if otherwise: print("\nstored outputs that a reader sees and no run gives now:\n" + "\n".join(otherwise))
    bad = [r["page"] for r in rows if r["failed"]]
    print(f"{len(rows) - len(bad)} passed, {len(bad)} failed, {sum(r['cpu'] for r in rows) + own:.0f} CPU s")
    for page in bad: print(f"FAILED nbs/{page}.ipynb")
    return bool(bad)


if __name__ == "__main__": sys.exit(main())
