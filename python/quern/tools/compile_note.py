"""One line at the end of a program that was compiling for more than a second: why its first run was slow."""

import atexit
import os
import sys

from quern.lib import _engine

_LEAST_SECONDS = 1


def _say():
    kernels, seconds = _engine.compiled()
    is_quiet = os.environ.get("QUERN_QUIET", "0") not in ("", "0") or "PYTEST_CURRENT_TEST" in os.environ or "pytest" in sys.modules
    if seconds < _LEAST_SECONDS or is_quiet or sys.stderr is None:
        return
    what = f"{kernels} kernels" if kernels > 1 else "1 kernel"
    kept = "not cached: " + problem if (problem := _engine.cache_info()["problem"]) else "cached for the next run"
    try:
        print(f"quern: compiled {what} in {seconds:.1f} s; {kept}", file=sys.stderr)
    except (OSError, ValueError):
        pass  # standard error is closed


def say_at_exit():
    """Print the line when the process ends; QUERN_QUIET=1 silences it."""
    atexit.register(_say)
