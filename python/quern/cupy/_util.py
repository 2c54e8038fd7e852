"""cupy._util, which older programs call cupy.util: functions that remember their results."""

from quern.cupy._memoize import clear_memo, memoize  # noqa: F401


class PerformanceWarning(RuntimeWarning):
    """Something is slower than it has to be."""
