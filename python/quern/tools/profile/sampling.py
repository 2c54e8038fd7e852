"""Where the host's time goes: the user's lines on the stack of the thread that is measured, sampled once a millisecond.

A sample takes the interpreter's lock for some microseconds, so that the program runs nearly as fast as without it; times of single
lines are estimates from its count, good where a line takes longer than some ten milliseconds in all.
"""

from __future__ import annotations

import sys
import threading
from collections import Counter
from time import perf_counter_ns, sleep

INTERVAL = 0.001  # seconds
DEEPEST = 64  # user frames of a stack
MOST_STEPS = 500_000  # of a trail


class Sampler:
    """Counts the stacks of one thread: ``stacks`` is {((file, line, function), ...): seconds}, the outermost frame first. ``trail`` is
    where it was from when on, [(ns, (file, line, function))]; it ends after MOST_STEPS.
    """

    def __init__(self, is_user_file):
        self.stacks: Counter = Counter()
        self.trail: list = []
        self._is_user_file = is_user_file
        self._thread = threading.get_ident()
        self._over = False
        self._runner = threading.Thread(target=self._run, name="quern-profile", daemon=True)

    def start(self):
        """Begins to look."""
        self._runner.start()

    def stop(self):
        """Ends it; the counts are whole then."""
        self._over = True
        if self._runner.is_alive():
            self._runner.join()

    def _run(self):
        last = perf_counter_ns()
        while not self._over:
            sleep(INTERVAL)
            frame = sys._current_frames().get(self._thread)
            now = perf_counter_ns()
            stack = self._stack(frame)
            del frame
            if stack:
                self.stacks[stack] += (now - last) * 1e-9
                if len(self.trail) < MOST_STEPS and (not self.trail or self.trail[-1][1] != stack[-1]):
                    self.trail.append((now, stack[-1]))
            last = now

    def _stack(self, frame):
        out = []
        while frame is not None and len(out) < DEEPEST:
            code = frame.f_code
            if self._is_user_file(code.co_filename):
                out.append((code.co_filename, frame.f_lineno or code.co_firstlineno, getattr(code, "co_qualname", code.co_name)))
            frame = frame.f_back
        return tuple(reversed(out))
