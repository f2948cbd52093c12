"""What this machine lacks for `make`, in one line with the command that would mend it.

It runs before there is an environment, so it needs nothing but a Python, which may be an old one. `ready.py goal` asks
before anything is made; `ready.py goal log` asks why an installation failed, by what pip wrote.
"""
import os
import sys

ROOM = 3e9   # an environment with PyTorch takes 1.6 GB, and pip as much again while it unpacks
NO_NETWORK = ("NewConnectionError", "Temporary failure in name resolution", "Name or service not known",
              "Network is unreachable", "ConnectTimeoutError", "ProxyError", "Connection refused", "getaddrinfo failed")


def found(program):
    "Whether a program is on the path"
    return any(os.access(os.path.join(d, program), os.X_OK) for d in os.environ.get("PATH", "").split(os.pathsep) if d)


def free(folder="."):
    "Free bytes where the environment would lie"
    import shutil
    return shutil.disk_usage(folder).free


def makes_environments():
    "Whether this Python can make an environment with pip in it"
    try: import ensurepip, venv   # noqa: F401
    except ImportError: return False
    return True


def lacking(goal, version=sys.version_info, there=".venv"):
    "What is missing before anything is made; empty where nothing is"
    if tuple(version[:2]) < (3, 11):
        return ("Python %d.%d is too old, mic-eval needs 3.11 or newer: sudo apt install python3.12 python3.12-venv && "
                "make %s PYTHON=python3.12" % (version[0], version[1], goal))
    if os.path.exists(os.path.join(there, "bin", "pip")): return ""
    if not makes_environments():
        return "this Python cannot make environments: sudo apt install python3-venv && make %s" % goal
    if goal != "report" and not found("git"): return "git is not installed: sudo apt install git && make %s" % goal
    if free() < ROOM:
        return ("only %.1f GB are free here, %.0f GB are needed: make room (pip cache purge), or clone to a larger "
                "disk && make %s" % (free()/1e9, ROOM/1e9, goal))
    return ""


def why(goal, log):
    "Why pip failed; empty where its own words must do"
    if "No space left on device" in log:
        return "no room is left on the disk: rm -rf .venv && pip cache purge && make %s" % goal
    if any(o in log for o in NO_NETWORK):
        return ("pip cannot reach the network: behind a proxy, export HTTPS_PROXY=http://name:port && make %s; without "
                "any, "
                "export PIP_NO_INDEX=1 PIP_FIND_LINKS=folder_of_wheels && make %s" % (goal, goal))
    return ""


if __name__ == "__main__":
    goal = sys.argv[1] if len(sys.argv) > 1 else "report"
    if len(sys.argv) < 3: sys.exit(lacking(goal) or 0)
    with open(sys.argv[2]) as f: log = f.read()
    sys.exit(why(goal, log) or log[-2000:])
