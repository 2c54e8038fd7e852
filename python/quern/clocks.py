"""Clocks that tell the time of the work, not of its submission.

Under `quern run` the clock functions of `time` and `timeit`, called from the user's own files, first submit what arrays have
recorded and wait for the current device. `--raw-clock` leaves them alone; `import quern` alone never touches them.
"""

from __future__ import annotations

import functools
import sys
import time
import timeit

CLOCKS = ("time", "time_ns", "perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns")


def wait_before_clocks(is_user_file) -> None:
    """Wraps the clocks. `is_user_file`: tells of a file's name whether it belongs to the user."""
    from quern.device import synchronize

    def waiting(clock):
        @functools.wraps(clock)
        def read():
            if is_user_file(sys._getframe(1).f_code.co_filename):
                synchronize()
            return clock()

        return read

    for name in CLOCKS:
        setattr(time, name, waiting(getattr(time, name)))
    # timeit's loop reads the timer from its own file; what it times is the user's.
    plain = timeit.default_timer

    def timer():
        synchronize()
        return plain()

    timeit.default_timer = timer
    defaults = timeit.Timer.__init__.__defaults__
    timeit.Timer.__init__.__defaults__ = tuple(timer if value is plain else value for value in defaults)
