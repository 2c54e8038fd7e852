"""cupy.prof, which newer programs call cupyx.profiler: ranges in a profiler's picture."""

from quern.cupyx.profiler import time_range

TimeRangeDecorator = time_range
