"""The trace: every compile, copy, launch and wait, with its cost and the line that asked for it."""

from __future__ import annotations

import contextlib

from quern.lib import _engine


@contextlib.contextmanager
def trace():
    """Records what happens inside the `with` block.

    Yields a list that is filled when the block ends: one dict for each call, with the keys kind ("compile", "load", "launch",
    "host_to_device", "device_to_host", "device_to_device", "fill", "wait", "allocate"), name, detail, device, stream, bytes,
    start_ns and host_ns (host clock), device_ms (None when not measured) and site ("file.py:12").

    >>> import quern
    >>> with quern.trace() as events:
    ...     quern.synchronize()
    >>> [e["kind"] for e in events]
    ['wait']
    """
    events: list[dict] = []
    _engine.start_trace()
    try:
        yield events
    finally:
        events.extend(_engine.stop_trace())
