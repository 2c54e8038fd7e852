"""What array work costs, and what it becomes: `bench` and `explain`."""

from __future__ import annotations

import dataclasses
import statistics
import time

from quern.arrays.core import Array
from quern.device import set_tiered, synchronize
from quern.lib import _engine
from quern.tools.trace import trace


def explain(x: Array) -> str:
    """Return what would run to compute an array: the fused groups, their kernels, and why the work is not one group.

    Nothing is run. An array that is computed already needs nothing, and small arrays on the CPU are computed at once.

    Parameters
    ----------
    x : Array
        Result of array operations.

    Returns
    -------
    str
        The groups, one after the other, with the source of each kernel.

    Raises
    ------
    TypeError
        If `x` is not an array.

    Examples
    --------
    >>> import quern as qn
    >>> x = qn.ones((1000, 1000))
    >>> text = qn.explain((x + 1).sum())
    >>> text.splitlines()[0]
    'group 1: 3 nodes over (1000, 1000), with reductions'
    """
    if not isinstance(x, Array):
        raise TypeError(f"[explain] {type(x).__name__} is not a quern array; pass the result of array operations")
    return _engine.array_explain(x)


@dataclasses.dataclass(frozen=True)
class Timing:
    """Result of :func:`bench`: medians in seconds.

    Parameters
    ----------
    submit : float
        Time until the call returned; work may go on after it.
    wall : float
        Time until the work was done.
    device : float or None
        How long the device worked; None if nothing was launched.
    launches : int
        Number of launches of one call.
    compiles : int
        Number of compilations in the measured calls; 0 when warm.
    repeats : int
        Number of measured calls.

    Examples
    --------
    >>> import quern as qn
    >>> qn.bench(lambda: qn.ones(10)).repeats
    20
    """

    submit: float  # until the call returned; work may go on behind it
    wall: float  # until the work was done
    device: float | None  # how long the device worked; None when nothing was launched
    launches: int  # of one call
    compiles: int  # of the calls measured: 0 when warm
    repeats: int

    def __str__(self):
        launches = f"{self.launches} launch{'' if self.launches == 1 else 'es'}"
        device = "" if self.device is None else f", device {self.device * 1e6:.1f} us in {launches}"
        return f"wall {self.wall * 1e6:.1f} us, submit {self.submit * 1e6:.1f} us{device} (median of {self.repeats})"


def bench(f, *args, repeats: int = 20, warm: int = 3) -> Timing:
    """Measure how long ``f(*args)`` takes, warmed up and synchronized.

    Every array among the results is computed before the clock stops. docs/timing.md explains the three times.

    Parameters
    ----------
    f : callable
        Function to measure.
    *args : object
        Its arguments.
    repeats : int, optional
        Number of measured calls.
    warm : int, optional
        Number of calls before them.

    Returns
    -------
    Timing
        Medians of the submission time, the wall time and the device time.

    Raises
    ------
    TypeError
        If `f` is not callable.
    ValueError
        If `repeats` is below 1.

    Examples
    --------
    >>> import quern as qn
    >>> x = qn.ones(1_000_000)
    >>> qn.bench(lambda: qn.sqrt(x + 1)).compiles
    0
    """
    if not callable(f):
        raise TypeError(f"[bench] f must be a function, not {type(f).__name__}; write `quern.bench(lambda: ...)`")
    if repeats < 1:
        raise ValueError("[bench] repeats must be at least 1")

    def once():
        begin = time.perf_counter()
        result = f(*args)
        submitted = time.perf_counter()
        _compute(result)
        synchronize()
        return submitted - begin, time.perf_counter() - begin

    before = set_tiered(False)  # what is measured are the compiled kernels
    try:
        for _ in range(max(warm, 1)):
            once()
        times = [once() for _ in range(repeats)]
        with trace() as events:
            once()
    finally:
        set_tiered(before)
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
