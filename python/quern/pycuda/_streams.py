"""Streams and events, and the time between events."""

from quern.lib import _engine


class Stream(_engine.Stream):
    """A queue of work that runs in order; work of different streams may overlap.

    Parameters
    ----------
    flags : int
        0 takes part in the legacy default stream's order, 1 does not.

    Examples
    --------
    >>> from quern.pycuda import driver
    >>> stream = driver.Stream()
    >>> stream.synchronize()
    >>> stream.is_done()
    True
    """

    def __init__(self, flags=0):
        super().__init__(_engine.current_device(), bool(int(flags) & 1))


class Event(_engine.Event):
    """A mark in a stream, with a time.

    Parameters
    ----------
    flags : int, optional
        ``event_flags``: ``DISABLE_TIMING``, ``BLOCKING_SYNC``, ``INTERPROCESS``.

    Examples
    --------
    >>> from quern.pycuda import driver
    >>> start, end = driver.Event(), driver.Event()
    >>> _ = start.record(); _ = end.record(); _ = end.synchronize()
    >>> start.time_till(end) >= 0
    True
    """

    def __init__(self, flags=0):
        super().__init__(_engine.current_device(), not int(flags) & 2, bool(int(flags) & 1), bool(int(flags) & 4))

    def record(self, stream=None):
        """Record the event in a stream.

        Parameters
        ----------
        stream : Stream, optional
            None is the default stream.

        Returns
        -------
        Event
            The event itself.

        Examples
        --------
        >>> import quern.pycuda.autoinit
        >>> from quern.pycuda import driver
        >>> event = driver.Event().record()
        >>> event.synchronize().query()
        True
        """
        super().record(stream)
        return self

    def synchronize(self):
        """Wait until the stream has reached the event.

        Returns
        -------
        Event
            The event itself.

        Examples
        --------
        >>> import quern.pycuda.autoinit
        >>> from quern.pycuda import driver
        >>> driver.Event().record().synchronize().query()
        True
        """
        super().synchronize()
        return self

    def time_since(self, start):
        """Return the time from another event to this one.

        Parameters
        ----------
        start : Event
            Earlier event.

        Returns
        -------
        float
            Milliseconds.

        Examples
        --------
        >>> import quern.pycuda.autoinit
        >>> from quern.pycuda import driver
        >>> start, end = driver.Event().record(), driver.Event().record()
        >>> end.synchronize().time_since(start) >= 0
        True
        """
        return self.elapsed_since(start)

    def time_till(self, end):
        """Return the time from this event to another.

        Parameters
        ----------
        end : Event
            Later event.

        Returns
        -------
        float
            Milliseconds.

        Examples
        --------
        >>> import quern.pycuda.autoinit
        >>> from quern.pycuda import driver
        >>> start, end = driver.Event().record(), driver.Event().record().synchronize()
        >>> start.time_till(end) >= 0
        True
        """
        return end.elapsed_since(self)

    def ipc_handle(self):
        """64 bytes by which another process opens this event; made with ``event_flags.INTERPROCESS | event_flags.DISABLE_TIMING``.

        Raises LogicError for other events, and on the CPU.
        """
        return self.share()

    @staticmethod
    def from_ipc_handle(handle):
        """The event of another process, by what its ipc_handle() gave there; LogicError when there is none, and on the CPU."""
        event = Event.__new__(Event)
        _engine.Event.__init__(event, _engine.current_device(), bytes(handle))
        return event


def timer(start, end):
    """Return a function that waits for an event and returns the time since another.

    Parameters
    ----------
    start, end : Event
        Recorded events.

    Returns
    -------
    callable
        Function without parameters; it returns seconds.
    """

    def get_call_time():
        end.synchronize()
        return end.time_since(start) * 1e-3

    return get_call_time
