"""cupy.cuda.stream: streams and events.

Array work goes to the stream that was current when it was recorded; so do raw kernels. Where work of two streams needs the same
array, the later waits for the earlier by itself. Whoever works with addresses sees to the order himself. Entering, leaving, recording,
waiting and synchronising submit what arrays have recorded.
"""

import contextlib
import threading
import time
import weakref

from quern.cupy.cuda._errors import _as_runtime_errors
from quern.cupy.cuda._waiting import _may_wait
from quern.cupy.cuda.device import _current_id, _engine_of
from quern.device import current_device
from quern.lib import _engine

_by_handle = weakref.WeakValueDictionary()  # streams of ours, by what `ptr` says


class _Local(threading.local):
    def __init__(self):
        self.current = {}  # by the device's number
        self.within = []  # (that number, stream) of the blocks that the thread is in


_local = _Local()
_A_MOMENT = 0.02  # seconds


class Event(_engine.Event):
    """Mark in a stream, with a time.

    Parameters
    ----------
    block : bool, optional
        Whether a thread that waits for the event sleeps.
    disable_timing : bool, optional
        Whether it has no time.
    interprocess : bool, optional
        Not supported.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> start, end = cp.cuda.Event(), cp.cuda.Event()
    >>> start.record(); x = cp.ones(10) + 1; end.record()
    >>> end.synchronize()
    >>> cp.cuda.get_elapsed_time(start, end) >= 0
    True
    """

    def __init__(self, block=False, disable_timing=False, interprocess=False):
        if interprocess and not disable_timing:
            raise ValueError("interprocess events must be made with disable_timing=True")
        if interprocess:
            raise NotImplementedError("[cupy.cuda.Event] sharing events between processes is not supported")
        super().__init__(current_device(), not disable_timing, bool(block))
        self.device_id = _current_id()

    @property
    def ptr(self):
        """The handle of the event as an int.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> isinstance(cp.cuda.Event().ptr, int)
        True
        """
        return self.handle

    @property
    def done(self):
        """Whether the stream has passed the event; the work recorded before it is then done.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> event = cp.cuda.Event()
        >>> event.record()
        >>> event.synchronize()
        >>> event.done
        True
        """
        return self.query()

    def record(self, stream=None):
        """Record the event in a stream: it is reached when the work of the stream so far is done.

        Parameters
        ----------
        stream : Stream, optional
            Stream; None is the current one.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> event = cp.cuda.Event()
        >>> event.record(cp.cuda.Stream.null)
        """
        stream = get_current_stream() if stream is None else stream
        if not isinstance(stream, Stream):
            raise TypeError(f"[cupy.cuda.Event.record] a Stream is needed, not {type(stream).__name__}")
        super().record(stream)

    def synchronize(self):
        """Wait until the stream has passed the event.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> event = cp.cuda.Event()
        >>> event.record()
        >>> event.synchronize()
        """
        _may_wait("Event.synchronize()")
        super().synchronize()

    def __reduce__(self):
        raise TypeError("an Event cannot be pickled")

    __hash__ = object.__hash__


def get_elapsed_time(start_event, end_event):
    """Return the time between two events.

    Parameters
    ----------
    start_event : Event
        Event with timing that was recorded and reached.
    end_event : Event
        Event with timing that was recorded and reached.

    Returns
    -------
    float
        Milliseconds.

    Raises
    ------
    CUDARuntimeError
        For an event without timing, or one that was not reached.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> start, end = cp.cuda.Event(), cp.cuda.Event()
    >>> start.record()
    >>> a = cp.ones(1000) * 2
    >>> end.record()
    >>> end.synchronize()
    >>> cp.cuda.get_elapsed_time(start, end) >= 0
    True
    """
    with _as_runtime_errors():
        # An event behind next to no work has been reached on a GPU before Python asks; programs count on it.
        until = time.perf_counter() + _A_MOMENT
        while not end_event.done and time.perf_counter() < until:
            time.sleep(0)
        return end_event.elapsed_since(start_event)


class Stream(_engine.Stream):
    """Queue of work that runs in order; as a context manager, the current stream.

    Parameters
    ----------
    null : bool, optional
        Whether it is the default stream.
    non_blocking : bool, optional
        Whether it runs independently of the default stream.
    ptds : bool, optional
        Whether it is the default stream of the thread, which is the default stream here.
    priority : int, optional
        Priority; lower is more urgent.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> with cp.cuda.Stream() as stream:
    ...     x = cp.arange(3) * 2
    >>> stream.synchronize()
    >>> x
    array([0, 2, 4])
    """

    null = None
    ptds = None
    is_non_blocking, priority = False, 0

    def __init__(self, null=False, non_blocking=False, ptds=False, priority=None):
        if null and ptds:
            raise ValueError("null and ptds are mutually exclusive")
        if null or ptds:
            super().__init__()
            self._fill_in(2 if ptds else 0, -1, False, 0)
            return
        super().__init__(current_device(), bool(non_blocking), 0 if priority is None else int(priority))
        self._fill_in(self.handle, _current_id(), bool(non_blocking), 0 if priority is None else int(priority))
        _by_handle[self.ptr] = self

    def _fill_in(self, ptr, device_id, non_blocking, priority):
        self.ptr, self.device_id, self.is_non_blocking, self.priority = ptr, device_id, non_blocking, priority

    @staticmethod
    def from_external(obj):
        """Return the stream of an object with ``__cuda_stream__()``, which is kept alive.

        Parameters
        ----------
        obj : object
            Object of another library.

        Returns
        -------
        Stream
            Stream.

        Raises
        ------
        TypeError
            For an object without ``__cuda_stream__``.
        ValueError
            For another version of the protocol than 0.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> stream = cp.cuda.Stream()
        >>> cp.cuda.Stream.from_external(stream) is stream
        True
        """
        if isinstance(obj, Stream):
            return obj
        if not hasattr(obj, "__cuda_stream__"):
            raise TypeError(
                f"[cupy.cuda.Stream.from_external] {type(obj).__name__} has no __cuda_stream__(); ExternalStream takes an address"
            )
        told = obj.__cuda_stream__()
        if not isinstance(told, tuple) or len(told) != 2:
            raise TypeError(f"[cupy.cuda.Stream.from_external] __cuda_stream__() must return a version and an address, not {told!r}")
        version, ptr = told
        if version != 0:
            raise ValueError(f"[cupy.cuda.Stream.from_external] version {version} of __cuda_stream__ is not supported; 0 is")
        stream = ExternalStream(ptr)
        stream._foreign = obj
        return stream

    def __cuda_stream__(self):
        return (0, self.ptr)

    # ---- being current

    def use(self):
        """Make the stream the current one of this thread, until a ``with`` block of another one begins or ends.

        Returns
        -------
        Stream
            The stream itself.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> stream = cp.cuda.Stream().use()
        >>> cp.cuda.get_current_stream() == stream
        True
        >>> cp.cuda.Stream.null.use() == cp.cuda.Stream.null
        True
        """
        return self._use(_current_id())

    def _use(self, number):
        _local.current[number] = self
        _engine.set_current_stream(_engine_of(number), None if self.ptr in (0, 1, 2) else self)
        return self

    def __enter__(self):
        number = _current_id()
        _local.within.append((number, self))
        return self._use(number)

    def __exit__(self, *exc):
        number, _ = _local.within.pop()
        # What use() made current meanwhile, or before the block, is so no longer.
        next((stream for other, stream in reversed(_local.within) if other == number), Stream.null)._use(number)

    # ---- work

    @property
    def done(self):
        """Whether all work of the stream is done; recorded array operations are submitted first.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> stream = cp.cuda.Stream()
        >>> stream.synchronize()
        >>> stream.done
        True
        """
        return self.is_done()

    def synchronize(self):
        """Wait for the work of the stream, recorded array operations included.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> stream = cp.cuda.Stream()
        >>> with stream:
        ...     a = cp.arange(3) * 2
        >>> stream.synchronize()
        """
        _may_wait("Stream.synchronize()")
        super().synchronize()

    def record(self, event=None):
        """Record an event in the stream.

        Parameters
        ----------
        event : Event, optional
            Event; None makes a new one.

        Returns
        -------
        Event
            The event.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> event = cp.cuda.Stream.null.record()
        >>> event.synchronize()
        >>> event.done
        True
        """
        event = Event() if event is None else event
        event.record(self)
        return event

    def wait_event(self, event):
        """Let later work of the stream wait for an event.

        Parameters
        ----------
        event : Event
            Event.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> event = cp.cuda.Stream.null.record()
        >>> cp.cuda.Stream().wait_event(event)
        """
        self.wait_for_event(event)

    def add_callback(self, callback, arg):
        """Call a function on a thread of the engine when the work so far is done.

        Parameters
        ----------
        callback : callable
            ``callback(stream, 0, arg)``; it must not use the device.
        arg : object
            Argument of the function.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> found = []
        >>> stream = cp.cuda.Stream()
        >>> stream.add_callback(lambda stream, status, arg: found.append(arg), 7)
        >>> stream.synchronize()
        >>> found
        [7]
        """
        self._call(lambda: callback(self, 0, arg))

    def launch_host_func(self, callback, arg):
        """Call a function on a thread of the engine when the work so far is done.

        Parameters
        ----------
        callback : callable
            ``callback(arg)``; it must not use the device.
        arg : object
            Argument of the function.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> found = []
        >>> stream = cp.cuda.Stream()
        >>> stream.launch_host_func(found.append, 7)
        >>> stream.synchronize()
        >>> found
        [7]
        """
        self._call(lambda: callback(arg))

    def _call(self, function):
        _engine.Stream.add_callback(self, function)

    # ---- capture

    def begin_capture(self, mode=None):
        """Raise NotImplementedError: CUDA graphs are not supported.

        Parameters
        ----------
        mode : int, optional
            Ignored.

        Raises
        ------
        NotImplementedError
            Always.
        """
        raise NotImplementedError("[cupy.cuda.Stream.begin_capture] CUDA graphs are not supported; operations run without them")

    def end_capture(self):
        """Raise NotImplementedError: CUDA graphs are not supported.

        Raises
        ------
        NotImplementedError
            Always.
        """
        raise NotImplementedError("[cupy.cuda.Stream.end_capture] CUDA graphs are not supported; nothing is captured")

    def is_capturing(self):
        """Return whether the stream is captured: never.

        Returns
        -------
        bool
            False.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> cp.cuda.Stream.null.is_capturing()
        False
        """
        return False

    def __eq__(self, other):
        return isinstance(other, Stream) and other.ptr == self.ptr and (self.ptr <= 2 or other.device_id == self.device_id)

    def __hash__(self):
        return hash(self.ptr)

    def __reduce__(self):
        raise TypeError("a Stream cannot be pickled")

    def __repr__(self):
        return f"<{type(self).__name__} {self.ptr} (device {self.device_id})>"


class ExternalStream(Stream):
    """Stream of another library, by its address; it must live for as long as arrays that were used on it.

    Parameters
    ----------
    ptr : int
        Address; 0 is the default stream.
    device_id : int, optional
        Number of the device; -1 is the current one.

    Raises
    ------
    ValueError
        On the CPU, for an address that is not of a `Stream`.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> stream = cp.cuda.Stream()
    >>> cp.cuda.ExternalStream(stream.ptr) == stream
    True
    """

    def __init__(self, ptr, device_id=-1):
        ptr = int(ptr)
        own = _by_handle.get(ptr)
        if ptr in (0, 1, 2):
            _engine.Stream.__init__(self)
        elif own is not None:
            _engine.Stream.__init__(self, own)
        else:
            device = current_device() if device_id < 0 else _engine_of(device_id)
            _engine.Stream.__init__(self, _engine.foreign_stream(device, ptr))
        self._fill_in(ptr, -1 if ptr in (0, 1, 2) else _current_id() if device_id < 0 else device_id, False, 0)


def get_current_stream(device_id=-1):
    """Return the stream that is current in this thread.

    Parameters
    ----------
    device_id : int, optional
        Number of the device; -1 is the current one.

    Returns
    -------
    Stream
        Stream.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> stream = cp.cuda.Stream()
    >>> with stream:
    ...     print(cp.cuda.get_current_stream() == stream)
    True
    """
    return _local.current.get(_current_id() if device_id < 0 else device_id, Stream.null)


def get_current_stream_ptr():
    """The address of the current stream."""
    return get_current_stream().ptr


def is_ptds_enabled():
    """Is the thread's own default stream the default one? Never."""
    return False


Stream.null = Stream(null=True)
Stream.ptds = Stream(ptds=True)
for _class in (Event, Stream, ExternalStream):
    _class.__module__ = "cupy.cuda.stream"
BaseStream = _BaseStream = Stream


def on_stream(stream):
    """For ``with``: work of the block is this stream's; None is the current one."""
    return stream if isinstance(stream, BaseStream) else contextlib.nullcontext()
