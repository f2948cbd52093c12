"""`make faults`: fifteen commands, in each of which every open, read, write, fsync, rename and mkdir of a file of the
user fails once, in turn, and every array that our code asks of numpy once finds no memory. A command must end in one
line; the folder is then as it was, or finished; and the same command, given again, ends in the bytes of one in which
nothing failed.

    python tests/faults.py [names of COMMANDS ...]

Calls are counted by a small library that stands before libc's (LD_PRELOAD), and only below the folder of the command,
so that what Python imports is left alone. One warm process forks once for every fault.
"""
import ctypes
import errno
import hashlib
import http.server
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
enum {OPEN, READ, WRITE, FSYNC, RENAME, MKDIR};
static char place[4096], where[4096];
static int kind = -1, number = EIO;
static long at = -1, seen[6], room = -1, written = 0;
void fault_place(const char *p) {snprintf(place, sizeof place, "%s", p);}
void fault_arm(int k, long n, int e) {
    kind = k; at = n; number = e; where[0] = 0; memset(seen, 0, sizeof seen); room = -1; written = 0;}
void fault_room(long bytes) {fault_arm(-1, -1, ENOSPC); room = bytes;}
long fault_seen(int k) {return seen[k];}
long fault_written(void) {return written;}
const char *fault_where(void) {return where;}
static int ours(const char *p) {
    return place[0] && p && (p[0] != '/' || !strncmp(p, place, strlen(place)));}
static int strikes(int k, const char *p) {
    if (!ours(p)) return 0;
    if (seen[k]++ != at || k != kind) return 0;
    snprintf(where, sizeof where, "%s", p); errno = number; return 1;}
static const char *path_of(int fd) {
    static __thread char found[4096]; char link[64]; int before = errno;
    if (!place[0] || fd < 3) return NULL;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, found, sizeof found - 1); errno = before;
    if (n < 1 || found[0] != '/') return NULL;
    found[n] = 0; return found;}
#define REAL(name) static __typeof__(name) *real; if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)
#define MODE mode_t m = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) {va_list a; va_start(a, flags); m = va_arg(a, int); va_end(a);}
int open(const char *p, int flags, ...) {MODE REAL(open); return strikes(OPEN, p) ? -1 : real(p, flags, m);}
int open64(const char *p, int flags, ...) {MODE REAL(open64); return strikes(OPEN, p) ? -1 : real(p, flags, m);}
int openat(int d, const char *p, int flags, ...) {
    MODE REAL(openat); return d == AT_FDCWD && strikes(OPEN, p) ? -1 : real(d, p, flags, m);}
int openat64(int d, const char *p, int flags, ...) {
    MODE REAL(openat64); return d == AT_FDCWD && strikes(OPEN, p) ? -1 : real(d, p, flags, m);}
ssize_t read(int fd, void *b, size_t n) {REAL(read); return strikes(READ, path_of(fd)) ? -1 : real(fd, b, n);}
ssize_t pread(int fd, void *b, size_t n, off_t o) {
    REAL(pread); return strikes(READ, path_of(fd)) ? -1 : real(fd, b, n, o);}
ssize_t pread64(int fd, void *b, size_t n, off64_t o) {
    REAL(pread64); return strikes(READ, path_of(fd)) ? -1 : real(fd, b, n, o);}
ssize_t write(int fd, const void *b, size_t n) {
    REAL(write);
    const char *p = path_of(fd);
    if (strikes(WRITE, p)) return -1;
    if (ours(p)) {
        if (room >= 0 && written + (long)n > room) {
            if (written >= room) {snprintf(where, sizeof where, "%s", p); errno = ENOSPC; return -1;}
            n = room - written;}
        written += n;}
    return real(fd, b, n);}
int fsync(int fd) {REAL(fsync); return strikes(FSYNC, path_of(fd)) ? -1 : real(fd);}
int fdatasync(int fd) {REAL(fdatasync); return strikes(FSYNC, path_of(fd)) ? -1 : real(fd);}
int rename(const char *a, const char *b) {REAL(rename); return strikes(RENAME, b) ? -1 : real(a, b);}
static long back = 0, gone = 0;
void fault_clock(long seconds) {back = seconds; gone = 0;}
static int without_shm(void) {return getenv("FAULT_NO_SHM") != NULL;}
int clock_gettime(clockid_t c, struct timespec *t) {
    REAL(clock_gettime);
    int said = real(c, t);
    if (back && c == CLOCK_REALTIME) t->tv_sec -= (gone += back);
    return said;}
sem_t *sem_open(const char *n, int flags, ...) {
    MODE REAL(sem_open);
    if (without_shm()) {errno = ENOSYS; return SEM_FAILED;}
    return real(n, flags, m, 1);}
int shm_open(const char *n, int flags, mode_t m) {
    REAL(shm_open);
    if (without_shm()) {errno = ENOENT; return -1;}
    return real(n, flags, m);}
int mkdir(const char *p, mode_t m) {REAL(mkdir); return strikes(MKDIR, p) ? -1 : real(p, m);}
"""
KINDS = dict(open=errno.EACCES, read=errno.EIO, write=errno.ENOSPC, fsync=errno.EIO, rename=errno.EPERM,
             mkdir=errno.ENOSPC)
NONE = "--report", "none"
COMMANDS = dict(
    run=["run", "--predictions", "rows.csv", "--profile", "classification-screen", *NONE, "--out", "made"],
    pairs=["mic", "pairs", "pairs.csv", "--reference", "reference", "--test", "test", *NONE, "--out", "made"],
    domain=["domain", "patients.csv", "--site", "hospital", "--target", "ill", "--methods", "CORAL", *NONE, "--out",
            "made"],
    score=["tcm", "score", "items.jsonl", "answers.jsonl", *NONE, "--out", "made"],
    anomaly=["anomaly", "evaluate", "defects/data", "defects/maps_pixel", *NONE, "--out", "made"],
    suspects=["noise", "suspects", "--predictions", "rows.csv", "--out", "made"],
    compare=["compare", "old", "new", *NONE, "--out", "made"],
    gate=["gate", "new", "--baseline", "old", *NONE, "--out", "made"],
    watch=["watch", "batch.csv", "--baseline", "old", "--out", "made"],
    check=["check", "rows.csv", "--write", "made.yaml"],
    sheet=["report", "old", "--to", "csv", "--out", "made"],
    show=["runs", "show", "old"],
    ask=["tcm", "ask", "asked.jsonl", "--url", "URL", "--model", "m", "--out", "made.jsonl"],
    train=["noise", "train", "plan.yml", *NONE, "--out", "made"],
    plate=["mic", "plate", "plate.png", "--layout", "panel.csv", *NONE, "--out", "made"],
)
COUNTED = ".parquet", "results.json", ".csv", ".xml"   # what the clock does not enter


def compiler(): return shutil.which("cc") or shutil.which("gcc")


def shim(place):
    "The library, compiled; None where nothing compiles"
    cc = compiler()
    if cc is None or sys.platform != "linux": return None
    (place/"shim.c").write_text(SHIM)
    subprocess.run([cc, "-shared", "-fPIC", "-O1", "-w", "-o", place/"shim.so", place/"shim.c", "-ldl"], check=True)
    return place/"shim.so"


def tables(place):
    "Predictions of two models, and a batch of the first"
    import numpy as np
    import pandas as pd
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    for name, spread in dict(rows=.2, other=.25, batch=.2).items():
        p = np.clip(np.where(y, .8, .2)+rng.normal(0, spread, 120), .001, .999)
        pd.DataFrame(dict(sample_id=[f"s{i}" for i in range(120)], y_true=y, y_prob=p)).to_csv(
            place/f"{name}.csv", index=False)


def photographed(place):
    "A plate as a photograph shows it, and its layout"
    import numpy as np
    import pandas as pd
    from PIL import Image
    from mic_eval.data.wells import LOOK, render_plate
    w = render_plate(size=60, look=LOOK, misread=0, bubble=0, seed=5)
    tiles = w.images.reshape(8, 12, 60, 60).transpose(0, 2, 1, 3).reshape(480, 720)
    Image.fromarray(np.pad(tiles, 20, constant_values=150)).save(place/"plate.png")
    pd.DataFrame(w.facts)[["well", "drug", "concentration", "role"]].to_csv(place/"panel.csv", index=False)


class Model(http.server.BaseHTTPRequestHandler):
    "A language model that always answers the same, on this machine"
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        message = dict(message=dict(content="答案：A"), finish_reason="stop")
        body = json.dumps(dict(choices=[message], usage=dict(prompt_tokens=9, completion_tokens=4))).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass


def model_here():
    "The address of a `Model` that answers as long as this process lives"
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}/v1"


def prepared(place):
    "What the commands read, made once"
    import numpy as np
    import pandas as pd
    from mic_eval.anomaly import demo_maps
    from mic_eval.tcm.demo import demo_answers, demo_items
    tables(place)
    rng = np.random.default_rng(1)
    drug, mic = np.repeat(["CIP", "药"], 40), 2.**rng.integers(-3, 4, 80)
    pd.DataFrame(dict(isolate=range(80), drug=drug, reference=mic, test=mic*2.**rng.integers(-1, 2, 80))).to_csv(
        place/"pairs.csv", index=False)
    site, ill = np.repeat(["north", "south"], 40), np.arange(80) % 2
    age, weight = 50+10*ill+rng.normal(0, 5, 80), 70+rng.normal(0, 5, 80)
    pd.DataFrame(dict(hospital=site, age=age, weight=weight, ill=ill)).to_csv(place/"patients.csv", index=False)
    demo_items().save(place/"items.jsonl")
    demo_answers().save(place/"answers.jsonl")
    demo_items()[:3].save(place/"asked.jsonl")
    COMMANDS["ask"][COMMANDS["ask"].index("--url")+1] = model_here()
    (place/"plan.yml").write_text("methods: [logistic]\ndata: [iris]\nlevels: [0, 0.2]\nnoise_seeds: 2\n")
    demo_maps(place/"defects", n=8, train=10, detector="pixel")
    photographed(place)
    for source, name in dict(rows="old", other="new").items():
        code, _, said = asked(["run", "--predictions", f"{source}.csv", "--out", name, *NONE,
                               "--profile", "classification-screen"])
        assert code == 0, said


def asked(args):
    "Exit code, stdout and stderr of a command, in this process"
    from mic_eval.cli.app import app
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try: app(list(args))
        except SystemExit as e: code = e.code or 0
    return code, out.getvalue(), err.getvalue()


def in_child(job):
    "What a job gives, as text, from a forked process"
    with tempfile.TemporaryFile() as f:
        pid = os.fork()
        if not pid:
            try:
                os.write(f.fileno(), repr(job()).encode())
                os._exit(0)
            except BaseException as e:
                os.write(2, f"{e!r}\n".encode())
                os._exit(70)
        _, status = os.waitpid(pid, 0)
        f.seek(0)
        said = f.read().decode()
    return eval(said, dict(nan=float("nan"))) if status == 0 else f"the process ended with {status}"   # our own text


def tree(place):
    "Every file and the hash of what it holds"
    return {p.relative_to(place).as_posix(): hashlib.sha256(p.read_bytes()).hexdigest()
            for p in sorted(place.rglob("*")) if p.is_file() and not p.is_symlink()}


def made(place, before):
    "What a command left that no clock enters; trials that are done wait in a hidden folder for the next try"
    return {k: v for k, v in tree(place).items()
            if k.endswith(COUNTED) and before.get(k) != v and "/.trials/" not in k}


def restored(place, kept):
    "The folder as it was"
    for p in place.iterdir():
        if (kept/p.name).exists(): continue
        shutil.rmtree(p) if p.is_dir() and not p.is_symlink() else p.unlink()
    now, was = tree(place), tree(kept)
    for name in now.keys()-was.keys(): (place/name).unlink()
    for name in (k for k, v in was.items() if now.get(k) != v): shutil.copyfile(kept/name, place/name)


ARRAYS = ("array", "argsort", "bincount", "concatenate", "empty", "full", "ones", "repeat", "sort", "stack", "unique",
          "where", "zeros")


@contextmanager
def short_of_memory(at):
    """Numpy as our code calls it: the array with this number is not to be had, -1 for none. Gives a list: how many were
    asked for, and who asked for the one that was not to be had."""
    import numpy as np
    kept, told = {k: getattr(np, k) for k in ARRAYS}, [0, ""]
    def scarce(name, make):
        def call(*args, **how):
            asks = sys._getframe(1)
            if asks.f_globals.get("__name__", "").startswith("mic_eval."):
                told[0] += 1
                if told[0] == at+1:
                    told[1] = f"numpy.{name} in {asks.f_globals['__name__']}.{asks.f_code.co_name}"
                    raise MemoryError("Unable to allocate 9.9 GiB for an array")
            return make(*args, **how)
        return call
    for k, make in kept.items(): setattr(np, k, scarce(k, make))
    try: yield told
    finally:
        for k, make in kept.items(): setattr(np, k, make)


class Faults:
    "One command, with the library that lets calls fail"
    def __init__(self, name, place, kept):
        self.args, self.place, self.kept, self.lib = COMMANDS[name], place, kept, ctypes.CDLL(os.environ["LD_PRELOAD"])
        self.lib.fault_where.restype = ctypes.c_char_p
        self.lib.fault_place.argtypes = [ctypes.c_char_p]
        for f in (self.lib.fault_seen, self.lib.fault_written): f.restype = ctypes.c_long
        self.lib.fault_arm.argtypes = [ctypes.c_int, ctypes.c_long, ctypes.c_int]
        self.lib.fault_room.argtypes = [ctypes.c_long]
        self.before = tree(place)
        self.reference()

    def asked(self, kind=-1, at=-1, number=0, room=None, array=-1):
        "Exit code, stdout, stderr, where it struck, how many calls of each kind, bytes written, and arrays asked for"
        def job():
            self.lib.fault_place(str(self.place).encode())
            self.lib.fault_arm(kind, at, number)
            if room is not None: self.lib.fault_room(room)
            with short_of_memory(array) as told: code, out, err = asked(self.args)
            seen = [self.lib.fault_seen(k) for k in range(len(KINDS))]
            struck, written = told[1] or self.lib.fault_where().decode(), self.lib.fault_written()
            self.lib.fault_place(b"")
            return code, out, err, struck, seen, written, told[0]
        return in_child(job)

    def reference(self):
        "What a command does in which nothing fails"
        self.sound = self.asked()
        assert not isinstance(self.sound, str), self.sound
        assert "Traceback" not in self.sound[2], self.sound[2]
        self.counts, self.bytes, self.arrays = dict(zip(KINDS, self.sound[4])), *self.sound[5:]
        self.made = made(self.place, self.before)
        restored(self.place, self.kept)

    def clock(self):
        "What is wrong where every look at the clock shows an earlier time"
        self.lib.fault_clock(1000)
        try: found = self.asked()
        finally: self.lib.fault_clock(0)
        left = made(self.place, self.before)
        notes = [p for p in self.place.rglob("run.json") if p.relative_to(self.place).as_posix() not in self.before]
        times = [v for p in notes for v in json.loads(p.read_text()).get("seconds", {}).values()]
        restored(self.place, self.kept)
        if isinstance(found, str): return found
        if found[0] != self.sound[0]: return f"exit {found[0]} where the clock goes back: {found[2][-200:]}"
        if left != self.made: return "other files where the clock goes back"
        return f"a time of {min(times):.0f} s is noted" if times and min(times) < 0 else ""

    def wrong(self, kind=-1, at=-1, number=0, room=None, array=-1):
        "What is wrong after a fault; empty where all is well"
        found = self.asked(kind, at, number, room, array)
        if isinstance(found, str): return found
        code, out, err, struck = found[:4]
        now = tree(self.place)
        left = made(self.place, self.before)
        said = self.judged(code, out, err, struck, left)
        if said or now == self.before:   # nothing is left: what comes next is a first time
            restored(self.place, self.kept)
            return said
        again = self.asked()
        after = made(self.place, self.before)
        restored(self.place, self.kept)
        return self.judged_again(again, after)

    def judged(self, code, out, err, struck, left):
        if not struck: return ""
        if "Traceback" in err: return f"{struck}: a traceback: {err[-200:]}"
        errors = [line for line in err.splitlines() if line.startswith(("error:", "  File"))]
        # a command that says what it finds, a gate what each check said
        told = not errors and (Path(struck).name in out or "MemoryError: Unable to allocate" in out+err)
        if code == self.sound[0]:   # the fault was one that can be done without
            changed = {k for k in self.made if left.get(k) != self.made[k]}
            return f"{struck}: exit {code}, as if nothing had failed, but {sorted(changed)} are not what they were" \
                if changed and not err else ""
        if code == 0: return f"{struck}: exit 0 where it is {self.sound[0]} without a fault"
        if len(errors) != 1 and not told:
            return f"{struck}: exit {code} and {len(errors)} lines of error: {err[-300:]!r}"
        if "; MIC_EVAL_TRACEBACK" in err: return f"{struck}: an error that nobody foresaw: {err[-300:]}"
        if code == 3: return ""   # what was judged is kept with the reason; `judged_again` says whether it is mended
        half = {k for k, v in left.items() if self.made.get(k) != v}
        return f"{struck}: half a file is left: {sorted(half)}" if half else ""

    def judged_again(self, again, after):
        if isinstance(again, str): return f"given again: {again}"
        if again[0] != self.sound[0]: return f"given again: exit {again[0]} for {self.sound[0]}: {again[2][-200:]}"
        other = {k for k in {*self.made, *after} if self.made.get(k) != after.get(k)}
        return f"given again: {sorted(other)} are other than without a fault" if other else ""

    def every(self, most=None):
        "Kind -> (calls, what is wrong); `most` of each kind, evenly; of the arrays sixty at most"
        out = {}
        def some(n, most):
            return range(n) if most is None else sorted({int(i*(n-1)/max(most-1, 1)) for i in range(min(most, n))})
        for k, (kind, number) in enumerate(KINDS.items()):
            places = some(self.counts[kind], most)
            found = [(i, self.wrong(k, i, number)) for i in places]
            out[kind] = len(places), [f"{kind} {i}: {w}" for i, w in found if w]
        if self.bytes:
            full = [f"full after {b} bytes: {w}" for b in {self.bytes-1, self.bytes//2, 0}
                    if (w := self.wrong(room=b))]
            out["full disk"] = 3, full
        places = some(self.arrays, 60 if most is None else most)
        found = [(i, self.wrong(array=i)) for i in places]
        out["memory"] = len(places), [f"array {i}: {w}" for i, w in found if w]
        out["clock"] = 1, [f"clock: {w}" for w in [self.clock()] if w]
        return out


def at_work(names, most=None):
    "Faults of commands, in a folder of their own: name -> `Faults.every`"
    out = {}
    with tempfile.TemporaryDirectory() as outer:
        place, kept = Path(outer).resolve()/"place", Path(outer).resolve()/"kept"
        place.mkdir()
        os.chdir(place)
        prepared(place)
        shutil.copytree(place, kept)
        for name in names:
            asked(COMMANDS[name])   # what it imports is there before the first fork
            restored(place, kept)
            begin = time.monotonic()
            out[name] = Faults(name, place, kept).every(most)
            told = "  ".join(f"{k} {n}" for k, (n, _) in out[name].items() if n)
            wrong = [w for _, ws in out[name].values() for w in ws]
            print(f"{name:<8} {told}: {len(wrong)} wrong, {time.monotonic()-begin:.0f} s", flush=True)
            for w in wrong: print(f"   {w}", flush=True)
        os.chdir("/")
    return out


def main(names, most=None):
    "Start again with the library before libc's, then try every fault"
    if os.environ.get("FAULTS_READY"):
        found = at_work(names or COMMANDS, most)
        n = sum(n for kinds in found.values() for n, _ in kinds.values())
        wrong = sum(len(ws) for kinds in found.values() for _, ws in kinds.values())
        print(f"{n} faults in {len(found)} commands, {wrong} wrong")
        return int(bool(wrong))
    with tempfile.TemporaryDirectory() as place:
        library = shim(Path(place))
        if library is None: return print("no C compiler here, or no Linux: nothing was tried") or 0
        told = dict(LD_PRELOAD=str(library), FAULTS_READY="1", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1",
                    FAULTS_MOST=str(most or ""))
        return subprocess.run([sys.executable, __file__, *names], env=os.environ | told).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], int(os.environ.get("FAULTS_MOST") or 0) or None))
