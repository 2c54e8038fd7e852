"""Streams and events of torch.cuda, on those of quern.cupy.cuda. Start reading at Stream."""

from quern.cupy import cuda as _cuda
from quern.lib import _engine
from quern.torch import _types
from quern.torch.cuda._docstrings import complete
from quern.torch.cuda._gpus import _gpu, _number, _on, set_device


class Stream:
    """A queue of work of a GPU, which runs in order.

    Where work of two streams needs the same tensor, the later waits for the earlier by itself.

    Parameters
    ----------
    device : device, str or int, optional
        GPU, such as "cuda:1"; None is the current one.
    priority : int, optional
        Lower is more urgent.
    **kwargs : object
        Accepted for compatibility.

    Examples
    --------
    >>> from quern import torch
    >>> if torch.cuda.is_available():
    ...     torch.cuda.Stream().synchronize()
    """

    def __init__(self, device=None, priority=0, **kwargs):
        number = _number(device)
        with _on(number):
            self._take(_cuda.Stream(non_blocking=True, priority=priority), number)

    def _take(self, stream, number):
        self._stream, self.device_index, self.priority = stream, number, stream.priority

    @classmethod
    def _of(cls, stream, number):
        made = object.__new__(cls)
        made._take(stream, number)
        return made

    @property
    def device(self):
        """Where it is."""
        return _types.device("cuda", self.device_index)

    @property
    def cuda_stream(self):
        """Its address; 0 for the default stream."""
        return 0 if self._stream.ptr in (0, 1, 2) else self._stream.ptr

    stream_id = cuda_stream

    def __cuda_stream__(self):
        return 0, self.cuda_stream

    def synchronize(self):
        """Waits for its work."""
        with _on(self.device_index):
            self._stream.synchronize()

    def query(self):
        """Is its work done?"""
        with _on(self.device_index):
            return self._stream.done

    def record_event(self, event=None):
        """Record an event in the stream.

        Parameters
        ----------
        event : Event, optional
            Event; None makes a new one.

        Returns
        -------
        Event
            The event.
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
        """
        if event._event is not None:
            with _on(self.device_index):
                self._stream.wait_event(event._event)

    def wait_stream(self, stream):
        """Let later work of the stream wait for the work of another stream so far.

        Parameters
        ----------
        stream : Stream
            Other stream.
        """
        self.wait_event(stream.record_event())

    def __eq__(self, other):
        return isinstance(other, Stream) and self.device_index == other.device_index and self.cuda_stream == other.cuda_stream

    def __hash__(self):
        return hash((self.device_index, self.cuda_stream))

    def __repr__(self):
        return f"<torch.cuda.Stream device={self.device} cuda_stream={self.cuda_stream:#x}>"


class ExternalStream(Stream):
    """Stream of another library, which keeps it.

    Parameters
    ----------
    stream_ptr : int
        Address of the stream.
    device : device, str or int, optional
        GPU, such as "cuda:1"; None is the current one.
    **kwargs : object
        Accepted for compatibility.

    Examples
    --------
    >>> from quern import torch
    >>> if torch.cuda.is_available():
    ...     same = torch.cuda.ExternalStream(torch.cuda.Stream().cuda_stream)
    """

    def __init__(self, stream_ptr, device=None, **kwargs):
        number = _number(device)
        with _on(number):
            self._take(_cuda.ExternalStream(stream_ptr), number)


def current_stream(device=None):
    """Return the current stream of a GPU."""
    number = _number(device)
    with _on(number):
        return Stream._of(_cuda.get_current_stream(), number)


def default_stream(device=None):
    """Return the default stream of a GPU."""
    _gpu(device)
    return Stream._of(_cuda.Stream.null, _number(device))


def get_stream_from_external(data_ptr, device=None):
    """Return the stream of another library."""
    return ExternalStream(data_ptr, device)


def set_stream(stream):
    """Make a stream the current one, and its GPU, too; None has no effect."""
    if stream is not None:
        set_device(stream.device_index)
        with _on(stream.device_index):
            stream._stream.use()


class StreamContext:
    """Make a stream the current one, as a context manager.

    Parameters
    ----------
    stream : Stream or None
        Stream; None has no effect.

    Examples
    --------
    >>> from quern import torch
    >>> with torch.cuda.StreamContext(None) as stream:
    ...     stream is None
    True
    """

    def __init__(self, stream):
        self.stream = stream
        self._before = []

    def __enter__(self):
        if self.stream is not None:
            self._before.append((_engine.current_device(), current_stream(self.stream.device_index)))
            set_stream(self.stream)
        return self.stream

    def __exit__(self, *error):
        if self.stream is not None:
            device, before = self._before.pop()
            set_stream(before)
            _engine.set_current_device(device)


def stream(stream):
    """Make a stream the current one, as a context manager."""
    return StreamContext(stream)


class Event:
    """Mark in a stream, with a time.

    Parameters
    ----------
    enable_timing : bool, optional
        Whether :meth:`elapsed_time` can be called.
    blocking : bool, optional
        Whether a thread that waits for the event sleeps.
    interprocess : bool, optional
        Must be False.
    external : bool, optional
        Accepted for compatibility.

    Raises
    ------
    RuntimeError
        Without a GPU; where `interprocess` is True.

    Examples
    --------
    >>> from quern import torch
    >>> if torch.cuda.is_available():
    ...     torch.cuda.Event(enable_timing=True).record()
    """

    def __init__(self, enable_timing=False, blocking=False, interprocess=False, external=False):
        _gpu()
        if interprocess:
            raise RuntimeError("sharing events between processes is not supported")
        self._timing, self._blocking, self._event, self._number = bool(enable_timing), bool(blocking), None, None

    @property
    def device(self):
        """Where it was recorded; None before."""
        return None if self._number is None else _types.device("cuda", self._number)

    @property
    def cuda_event(self):
        """Its address; 0 before it was recorded."""
        return 0 if self._event is None else self._event.ptr

    def record(self, stream=None):
        """Record the event in a stream: it is reached when the work of the stream so far is done.

        Parameters
        ----------
        stream : Stream, optional
            Stream; None is the current one.
        """
        stream = current_stream() if stream is None else stream
        with _on(stream.device_index):
            if self._event is None or self._number != stream.device_index:
                self._event, self._number = _cuda.Event(block=self._blocking, disable_timing=not self._timing), stream.device_index
            self._event.record(stream._stream)

    def synchronize(self):
        """Wait until the event is reached."""
        if self._event is not None:
            self._event.synchronize()

    def query(self):
        """Return whether the event is reached."""
        return self._event is None or self._event.done

    def wait(self, stream=None):
        """Let later work of a stream wait for the event.

        Parameters
        ----------
        stream : Stream, optional
            Stream; None is the current one.
        """
        (current_stream() if stream is None else stream).wait_event(self)

    def elapsed_time(self, end_event):
        """Return the time from this event to another.

        Both events have timing, and were recorded and reached.

        Parameters
        ----------
        end_event : Event
            Later event.

        Returns
        -------
        float
            Milliseconds.

        Raises
        ------
        ValueError
            For an event without timing, or one that was not recorded.
        RuntimeError
            For an event that was not reached.
        """
        if not (self._timing and end_event._timing):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self._event is None or end_event._event is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        try:
            return _cuda.get_elapsed_time(self._event, end_event._event)
        except _cuda.runtime.CUDARuntimeError as error:
            raise RuntimeError(f"CUDA error: {error}") from None

    def __repr__(self):
        return f"<torch.cuda.Event {self.cuda_event:#x}>" if self._event is not None else "<torch.cuda.Event uninitialized>"


complete(__name__)
