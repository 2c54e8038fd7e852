"""Child processes of the set-up: their output, their end when the set-up is interrupted, and causes of failures.

A child inherits the set-up's lock (lock.py) where `held` names it: if the set-up alone is killed, the lock stays taken until the child and
everything that it started have ended, so that a second set-up never works beside them.
"""

import collections
import contextlib
import os
import re
import selectors
import shutil
import signal
import subprocess
import sys
import time

from setup.messages import clear, duration, fail, say, show

GRACE = 10  # seconds that an interrupted child has to end


def open_closed_streams():
    """Connect standard streams that the caller has closed with /dev/null, or the next file to be opened takes their numbers."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened == number:
                os.set_inheritable(number, True)
            else:
                os.dup2(opened, number)
                os.close(opened)
            setattr(sys, name, open(number, mode, closefd=False))


class Interrupted(BaseException):
    """A signal asks the set-up to end."""

    def __init__(self, number):
        self.number = number


@contextlib.contextmanager
def interruptible():
    """Raise Interrupted, once, for SIGINT, SIGTERM and SIGHUP, unless they are ignored already, as under nohup."""

    def interrupt(number, _):
        for one in before:
            signal.signal(one, signal.SIG_IGN)
        raise Interrupted(number)

    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {one: signal.getsignal(one) for one in signals if signal.getsignal(one) is not signal.SIG_IGN}
    for one in before:
        signal.signal(one, interrupt)
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


class Done:
    """A finished child: exit status and the end of its output."""

    def __init__(self, status, lines):
        self.status = status
        self.output = "\n".join(lines)


def run(command, held=(), on_line=None, waiting="", patient=False, own_session=True, limit=400, **named):
    """Run a command to its end and return Done.

    Parameters
    ----------
    held : sequence of int
        Descriptors that the child inherits.
    on_line : callable, optional
        Receives each line of output.
    waiting : str
        What a terminal shows, with the time, while it runs.
    patient : bool
        An interrupted child gets SIGINT and is waited for, however long it takes; others are ended.
    own_session : bool
        Whether the terminal's Ctrl-C passes the child by, so that only the set-up ends it. sudo needs the terminal's session.
    limit : int, optional
        How many lines of the output are kept, the last ones.
    """
    start = time.monotonic()
    environment = dict(named.pop("env", os.environ), LC_ALL="C.UTF-8", LANGUAGE="C")
    try:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=own_session,
            pass_fds=held,
            env=environment,
            **named,
        )
    except OSError as error:
        fail(f"{command[0]} cannot be started: {error.strerror}")
    lines = collections.deque(maxlen=limit)
    try:
        for line in _lines(child):
            if line is None:
                if waiting:
                    show(f"{waiting}, {duration(time.monotonic() - start)}")
                continue
            lines.append(line)
            if on_line:
                on_line(line)
        status = child.wait()
    except BaseException:
        _end(child, patient)
        raise
    clear()
    return Done(status, lines)


def _lines(child):
    """Yield the lines of a child's output as they come, and None after each second without one.

    It ends with the child, even if a daemon keeps the pipe open.
    """
    pending, pipe = b"", child.stdout.fileno()
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while True:
            if not selector.select(timeout=1):
                if child.poll() is not None:
                    break
                yield None
                continue
            part = os.read(pipe, 1 << 16)
            if not part:
                break
            *whole, pending = (pending + part).split(b"\n")
            for line in whole:
                yield line.decode(errors="replace")
    if pending:
        yield pending.decode(errors="replace")
    child.stdout.close()


def _end(child, patient):
    """End an interrupted child: a group of its own by SIGTERM, then SIGKILL; apt-get by SIGINT, as it must finish what dpkg is doing."""
    if child.poll() is not None:
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):  # sudo's processes belong to root, and get the terminal's signal
        if patient:
            child.send_signal(signal.SIGINT)
        else:
            os.killpg(child.pid, signal.SIGTERM)
    if patient:
        say("waiting until apt-get has ended, so that it leaves no half-installed package")
    try:
        child.communicate(timeout=None if patient else GRACE)  # reads on, so that a full pipe cannot stop it
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()


# ---- failures


def explain(output, folder):
    """Return what to do about a failure, by the output of the program that failed; empty where it is unknown."""
    # Some programs do not say why they fail, as venv when ensurepip does.
    is_full = os.access(folder, os.W_OK) and shutil.disk_usage(folder).free < 2**20
    if is_full or re.search(r"No space left on device|Disk quota exceeded|not have enough free space", output):
        places = [folder, f"{folder}/.venv", f"{folder}/build/develop", os.environ.get("TMPDIR", "/tmp"), "/usr"]
        free, place = min((shutil.disk_usage(place).free / 2**20, place) for place in places if os.path.exists(place))
        return (
            f"The disk is full ({free:.0f} MiB are free in {place}). Set-up needs about 3 GiB: half of it in /usr for packages, half "
            "in the clone. Free some space, then run this again; it goes on where it stopped."
        )
    if re.search(
        r"Could not resolve|Temporary failure (in name )?resol|Could not connect|Unable to connect|Cannot initiate the connection"
        r"|Network is unreachable|No route to host|Connection (timed out|refused)|ProxyError|NameResolutionError|NewConnectionError"
        r"|ConnectTimeoutError|ReadTimeoutError|Failed to establish a new connection",
        output,
    ):
        return (
            "The network cannot be reached. Check the connection, and http_proxy and https_proxy behind a proxy; then run this again; "
            "it goes on where it stopped."
        )
    if re.search(r"Killed signal terminated program|cc1plus: out of memory|virtual memory exhausted|std::bad_alloc", output):
        return "The memory is short. Close other programs, or build one file at a time: ninja -j1 -C build/develop runtime"
    if re.search(r"Permission denied|Read-only file system|Operation not permitted", output):
        return f"Make {folder} writable for this user (.venv, build and python/quern/lib in it), or copy the clone elsewhere."
    return ""
