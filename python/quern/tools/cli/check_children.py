"""Checks in the processes that a checked program starts by multiprocessing. Each leaves its findings in a folder when it ends; the
program's report has them, too.
"""

from __future__ import annotations

import _thread
import dataclasses
import functools
import glob
import json
import os
import signal

from quern.lib import _engine
from quern.tools.check import check
from quern.tools.check.report import Finding
from quern.tools.children import also_in_children

_handlers: set = set()  # those of checks in this process and in the ones it was forked from
_wakeup = -1  # where the interpreter writes the numbers of signals for _watch(), in this process or in the one it was forked from


def check_children(folder, options):
    """From now on the processes that this one starts, and theirs, are checked.

    Parameters: ``folder``: where they leave their findings; ``options``: a dict of what :class:`quern.check` takes.
    """
    from multiprocessing.process import BaseProcess

    theirs = BaseProcess._bootstrap

    @functools.wraps(theirs)
    def _bootstrap(self, *args, **kwargs):
        end = _begin(folder, options)
        try:
            return theirs(self, *args, **kwargs)
        finally:
            end()

    BaseProcess._bootstrap = _bootstrap
    also_in_children(check_children, folder, options)


def findings_of_children(folder):
    """What the processes left there."""
    found = []
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
        with open(path, encoding="utf-8") as f:
            found += [Finding(**one) for one in json.load(f)]
    return found


def _begin(folder, options):
    """Begins a check in a new process, and gives what ends it."""
    if check._is_on:  # a fork of a checked process, which reports its findings itself
        check._is_on = False
        _engine.stop_checks()
    block = check(**options)
    report = block.__enter__()

    once = _thread.allocate_lock()

    def end():
        if not once.acquire(blocking=False):
            return False
        block.__exit__()
        if len(report):
            with open(os.path.join(folder, f"{os.getpid()}.json"), "w", encoding="utf-8") as f:
                json.dump([dataclasses.asdict(one) for one in report], f)
        return True

    def ended(number, frame=None):  # as the workers of a multiprocessing.Pool are; one that ends by itself goes on
        if end():
            _engine.die_of(number)

    if on_termination(ended):
        _watch(ended)
    return end


def on_termination(handler):
    """Sets what SIGTERM calls in this process, unless the program has set something. A fork begins with its parent's handler, which
    would end the parent's check: that one is replaced. Returns whether it is set.
    """
    present = signal.getsignal(signal.SIGTERM)
    if present != signal.SIG_DFL and present not in _handlers:
        return False
    _handlers.add(handler)
    signal.signal(signal.SIGTERM, handler)
    return True


def _watch(ended):
    """Calls ``ended`` on a thread of its own when SIGTERM comes. Python runs its handlers on the main thread, between two steps: one that
    waits for a semaphore would never come to that where the signal fell just before the wait began.
    """
    global _wakeup
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    if before not in (-1, _wakeup):  # the program's
        signal.set_wakeup_fd(before)
        os.close(reader), os.close(writer)
        return
    _wakeup = writer

    def wait():
        while number := os.read(reader, 1):
            if number[0] == signal.SIGTERM and signal.getsignal(signal.SIGTERM) is ended:
                ended(signal.SIGTERM)

    _thread.start_new_thread(wait, ())
