"""One set-up at a time in one clone: a file lock (flock), which the kernel frees when its last holder has ended.

Children of the set-up inherit the descriptor, and the lock with it (processes.py says why). The file says who holds the lock; nobody
deletes it, as a second process may wait on it.
"""

import contextlib
import fcntl
import json
import os
import sys
import time

from setup.messages import fail, say


@contextlib.contextmanager
def held(root):
    """Hold the clone's lock, after waiting for it with a message. Yields the descriptor."""
    path = os.path.join(root, "build", "set-up.lock")
    descriptor = _acquire(path)
    try:
        holder = {"command": "./quern " + " ".join(sys.argv[1:]), "process": os.getpid(), "since": time.strftime("%H:%M:%S")}
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps(holder).encode(), 0)
        yield descriptor
    finally:
        os.close(descriptor)


def _acquire(path):
    while True:
        descriptor = _open(path)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"waiting for {_holder(path)}")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        with contextlib.suppress(FileNotFoundError):
            if os.fstat(descriptor).st_ino == os.stat(path).st_ino:
                return descriptor
        os.close(descriptor)  # build/ was removed in the meantime: this file is nobody's lock any more


def _open(path):
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        root = os.path.dirname(os.path.dirname(path))
        fail(
            f"cannot write to {path}: {error.strerror}. Set-up writes to .venv, build and python/quern/lib in {root}: "
            "make them writable for this user, or copy the clone to a folder that is."
        )


def _holder(path):
    """Return who holds the lock, in words: the set-up, or what it started and left behind when it was killed."""
    processes = _holding(path)
    try:
        with open(path, encoding="utf-8") as f:
            holder = json.load(f)
        if not processes or holder["process"] in processes:
            return f"another set-up of this clone: {holder['command']}, process {holder['process']}, since {holder['since']}"
        name = _name(processes[0])
        return f"{name}, process {processes[0]}, left running by a set-up that was killed: {holder['command']}, since {holder['since']}"
    except (OSError, ValueError, KeyError):
        return "another set-up of this clone"


def _holding(path):
    """Return the processes that hold the lock, a parent before its children, as far as /proc shows them to this user."""
    file, parents = os.stat(path), {}
    for process in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError, ValueError, IndexError):
            for number in os.listdir(f"/proc/{process}/fd"):
                if os.path.samestat(os.stat(f"/proc/{process}/fd/{number}"), file) and "FLOCK" in _text(process, f"fdinfo/{number}"):
                    parents[int(process)] = int(_text(process, "stat").rpartition(")")[2].split()[1])
    return sorted(parents, key=lambda process: (parents[process] in parents, process))


def _name(process):
    with contextlib.suppress(OSError):
        return "pip" if "pip" in _text(process, "cmdline").split("\0") else _text(process, "comm").strip()
    return "a program"


def _text(process, file):
    with open(f"/proc/{process}/{file}") as f:
        return f.read()
