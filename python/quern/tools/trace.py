"""The trace: every compile, copy, launch and wait, with its cost and its source line."""

from __future__ import annotations

import contextlib

import numpy

from quern.arrays import trace as _sum_of_diagonal
from quern.lib import _engine

_RECORD = numpy._NoValue  # help() shows it as "<no value>"


class Event(dict):
    """One event of the trace: see :func:`trace`.

    Examples
    --------
    >>> from quern.tools.trace import Event
    >>> Event(kind="wait").kind
    'wait'
    """

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"an event of the trace has no {name!r}") from None


def trace(a=_RECORD, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    """Record the device's work in a ``with`` block; with an array, return its trace.

    ``with trace() as events:`` returns a list that is filled when the block ends: one :class:`Event` for each compilation, copy, launch
    and synchronization, a dict whose keys are attributes, too.

    - ``kind``: "compile", "load", "launch", "host_to_device", "device_to_host", "device_to_device", "fill", "wait", "allocate";
    - ``id``: a number of this call's own; ``name``, ``detail``: in words; ``site``: its source line, "file.py:12";
    - ``device``, ``stream`` (its handle), ``bytes``; ``source``: the GPU that a copy to another one comes from, None for the rest;
    - ``start_ns`` and ``host_ns``: when the call began, and how long the calling thread took, by the host's clock; of a kernel that was
      compiled beside others of one flush, when and how long its compiler worked;
    - ``device_ms``: how long the device took; ``device_start_ns``, ``device_end_ns``: when that began and ended by the device's own
      clock, which is laid beside the host's at the device's first event; None when not measured;
    - of kernels: ``key``, an int that is equal for equal kernels; ``ops``, a list of what they compute, such as ["multiply", "sum"];
      of their launches ``grid`` and ``block``, tuples of three ints, and ``shared``, bytes. None, and [], for others.

    ``trace(a)`` is NumPy's function: the sum of the elements on the diagonal.

    Parameters
    ----------
    a : array_like, optional
        Array of at least two dimensions; without it, work is recorded.
    offset : int, optional
        Number of the diagonal: 0 is the main one, positive ones are above it.
    axis1 : int, optional
        First axis of the matrices.
    axis2 : int, optional
        Second axis of the matrices.
    dtype : dtype, optional
        Dtype of the result and of the additions.
    out : Array, optional
        Array that receives the result.

    Returns
    -------
    context manager of a list of Event, or Array
        The events of the block; or the sum of the diagonal, without the two axes.

    Raises
    ------
    ValueError
        If `a` has fewer than two dimensions.
    TypeError
        If other arguments come without an array.

    Examples
    --------
    >>> import quern
    >>> with quern.trace() as events:
    ...     quern.synchronize()
    >>> [e["kind"] for e in events]
    ['wait']
    >>> quern.trace([[1, 2], [3, 4]])
    array(5)
    """
    if a is not _RECORD:
        return _sum_of_diagonal(a, offset, axis1, axis2, dtype, out)
    if offset or axis1 or axis2 != 1 or dtype is not None or out is not None:
        raise TypeError("trace() missing 1 required positional argument: 'a'")
    return _recorded()


@contextlib.contextmanager
def _recorded():
    events: list[Event] = []
    _engine.start_trace()
    try:
        yield events
    finally:
        events.extend(map(Event, _engine.stop_trace()))
