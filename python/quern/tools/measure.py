"""What array work costs, and what it becomes: `bench` and `explain`."""

from __future__ import annotations

import dataclasses
import statistics
import time

from quern.arrays.core import Array
from quern.device import synchronize
from quern.lib import _engine
from quern.tools.trace import trace


def explain(x: Array) -> str:
    """What would run to compute ``x``: the groups, the kernel of each, and why the work is not one group.

    Nothing is run. A value that is computed already, or a tiny one on the CPU (those are computed at once), needs nothing.

    Parameters: ``x``: an array. Returns a text. Raises TypeError for what is no array.

    >>> import quern as qn
    >>> x = qn.ones((1000, 1000))
    >>> text = qn.explain((x + 1).sum())
    >>> text.splitlines()[0]
    'group 1: 3 nodes over (1000, 1000), with reductions'
    """
    if not isinstance(x, Array):
        raise TypeError(f"[explain] {type(x).__name__} is no array of quern's; give it the result of array work")
    return _engine.array_explain(x)


@dataclasses.dataclass(frozen=True)
class Timing:
    """What :func:`bench` measured: medians over ``repeats`` calls, in seconds."""

    submit: float  # until the call returned; work may go on behind it
    wall: float  # until the work was done
    device: float | None  # how long the device worked; None when nothing was launched
    launches: int  # of one call
    compiles: int  # of the calls measured: 0 when warm
    repeats: int

    def __str__(self):
        device = "" if self.device is None else f", device {self.device * 1e6:.1f} us in {self.launches} launches"
        return f"wall {self.wall * 1e6:.1f} us, submit {self.submit * 1e6:.1f} us{device} (median of {self.repeats})"


def bench(f, *args, repeats: int = 20, warm: int = 3) -> Timing:
    """Times ``f(*args)``, warmed up and waited for.

    Every array among the results is computed before the clock stops. See docs/timing.md for what the three times mean.

    Parameters: ``f``: a callable; ``repeats``: calls that are timed; ``warm``: calls before them. Returns a :class:`Timing`.

    >>> import quern as qn
    >>> x = qn.ones(1_000_000)
    >>> qn.bench(lambda: qn.sqrt(x + 1)).compiles
    0
    """
    if repeats < 1:
        raise ValueError("[bench] repeats must be at least 1")

    def once():
        begin = time.perf_counter()
        result = f(*args)
        submitted = time.perf_counter()
        _compute(result)
        synchronize()
        return submitted - begin, time.perf_counter() - begin

    for _ in range(max(warm, 1)):
        once()
    times = [once() for _ in range(repeats)]
    with trace() as events:
        once()
    launches = [e for e in events if e["kind"] == "launch"]
    known = [e["device_ms"] for e in launches if e["device_ms"] is not None]
    return Timing(
        submit=statistics.median(t[0] for t in times),
        wall=statistics.median(t[1] for t in times),
        device=sum(known) / 1e3 if known else None,
        launches=len(launches),
        compiles=sum(e["kind"] == "compile" for e in events),
        repeats=repeats,
    )


def _compute(result):
    if isinstance(result, Array):
        _engine.array_evaluate(result)
    elif isinstance(result, (list, tuple)):
        for part in result:
            _compute(part)
