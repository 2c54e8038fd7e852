"""Clocks that tell the time of the work, not of its submission.

Under `quern run` the clock functions of `time` and `timeit`, called from the user's own files, from timeit's loop and from packages that
measure functions, first submit what arrays have recorded and wait for the current device. `--raw-clock` leaves them alone; `import quern`
alone never touches them.
"""

from __future__ import annotations

import functools
import os
import sys
import time
import timeit

CLOCKS = ("time", "time_ns", "perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns")
# Installed packages whose clocks measure the user's functions.
_MEASURING = ("asv_runner", "perfplot", "pyperf", "pytest_benchmark")


def wait_before_clocks(is_user_file) -> None:
    """Wrap the clocks, which keep their names, texts and places. `is_user_file`: returns whether a file name belongs to the user."""
    from quern.device import synchronize

    known = {}  # whether the clocks wait in a file

    def waits(file):
        return is_user_file(file) or any(f"{os.sep}{package}{os.sep}" in file for package in _MEASURING)

    def waiting(clock):
        @functools.wraps(clock)
        def read():
            file = sys._getframe(1).f_code.co_filename
            if file not in known:
                known[file] = waits(file)
            if known[file]:
                synchronize()
            return clock()

        return read

    plain = timeit.default_timer
    for name in CLOCKS:
        clock = getattr(time, name)
        setattr(time, name, waiting(clock))
        if clock is plain:  # the same object, as in Python: programs compare and pickle it
            timeit.default_timer = getattr(time, name)
    for function in (timeit.Timer.__init__, timeit.timeit, timeit.repeat, timeit.main):
        defaults = function.__defaults__ or ()
        function.__defaults__ = tuple(timeit.default_timer if value is plain else value for value in defaults) or None
