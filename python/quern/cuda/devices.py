"""Devices, streams and events, in Numba's way."""

from __future__ import annotations

import contextlib
import functools
import re

from quern.cuda import config
from quern.cuda.memory import MappedMemory, MemoryInfo, MemoryPointer, PinnedMemory
from quern.device import current_device, door_devices, set_current_device
from quern.device import synchronize as _synchronize
from quern.lib import _engine


class Device:
    """A device by its number; without a GPU the CPU is number 0. As a context manager it is current meanwhile."""

    def __init__(self, number):
        self.id = number
        self._device = door_devices()[number]
        self._before = []

    name = property(lambda self: self._device.info()["name"].encode(), doc="Its name, as bytes.")
    compute_capability = property(lambda self: tuple(self._device.info()["compute_capability"]), doc="(major, minor)")
    supports_float16 = supports_bfloat16 = True

    @property
    def uuid(self):
        """A name that no other device has."""
        return f"GPU-{self._device.info()['pci_bus_id'] or 'cpu'}"

    def __getattr__(self, name):
        """A number of the device's by its name in CUDA, such as ``MAX_SHARED_MEMORY_PER_BLOCK``."""
        if name.isupper():
            numbers = {known: number for number, known, _ in _engine.device_attributes() if known}
            words = re.sub(r"^MAX(_MAX)?_(TEXTURE|SURFACE)_", r"MAXIMUM_\2", name).replace("MULTI_PROCESSOR", "MULTIPROCESSOR")
            words = re.sub("_ALT$", "_ALTERNATE", words.removeprefix("IS_"))
            for known in (name, words):
                if known in numbers:
                    try:
                        return self._device.attribute(numbers[known])
                    except ValueError:  # a driver that does not know it
                        break
        raise AttributeError(f"[Device] there is no {name}")

    def reset(self):
        """Waits for all its work; memory stays with the arrays that use it."""
        self._device.synchronize()

    def __enter__(self):
        self._before.append(current_device())
        set_current_device(self._device)
        return self

    def __exit__(self, *exc):
        set_current_device(self._before.pop())

    def __eq__(self, other):
        return isinstance(other, Device) and other.id == self.id

    def __hash__(self):
        return hash(self.id)

    def __repr__(self):
        return f"<quern device {self.id} '{self._device.info()['name']}'>"


class _Devices:
    """``cuda.gpus``: the devices by number; ``len()``, iteration, ``.current`` and ``.lst``."""

    def __getitem__(self, number):
        return self.lst[number]

    def __len__(self):
        return len(door_devices())

    def __iter__(self):
        return iter(self.lst)

    @property
    def lst(self):
        return [Device(n) for n in range(len(door_devices()))]

    @property
    def current(self):
        """The device that is current in this thread."""
        return get_current_device()

    def __repr__(self):
        return f"<Managed Devices {', '.join(map(repr, self.lst))}>"

    __str__ = __repr__


gpus = _Devices()


def list_devices():
    """Return the devices: the GPUs, or the CPU where there is none.

    Returns
    -------
    sequence of Device
        Devices, by their numbers.

    Examples
    --------
    >>> from quern import cuda
    >>> len(cuda.list_devices()) > 0
    True
    """
    return gpus


def get_current_device():
    """Return the current device of this thread.

    Returns
    -------
    Device
        Device.

    Examples
    --------
    >>> from quern import cuda
    >>> cuda.get_current_device().id
    0
    """
    here = current_device()
    return Device(next((n for n, d in enumerate(door_devices()) if d.name == here.name), 0))


def select_device(device_id):
    """Make a device current in this thread.

    Parameters
    ----------
    device_id : int
        Number of the device, from 0.

    Returns
    -------
    Device
        The device.

    Raises
    ------
    ValueError
        Where there is no such device.

    Examples
    --------
    >>> from quern import cuda
    >>> context = cuda.select_device(0)
    >>> cuda.get_current_device().id
    0
    """
    count = len(door_devices())
    if not isinstance(device_id, int) or not 0 <= device_id < count:
        raise ValueError(f"[select_device] invalid device number {device_id!r}; the number of devices is {count}")
    set_current_device(door_devices()[device_id])
    return Device(device_id)


class Deallocations:
    """Numba's list of memory that is freed later. Memory here goes back to quern's pool at once: there is never any in it."""

    def __init__(self):
        self._disabled = 0

    @property
    def memory_capacity(self):
        """Bytes of the current device's memory."""
        return Context().get_memory_info().total

    @property
    def is_disabled(self):
        """Is a block of ``disable()`` entered?"""
        return self._disabled > 0

    def __len__(self):
        return 0

    def clear(self):
        """Nothing: nothing is put off."""

    @contextlib.contextmanager
    def disable(self):
        """A block in which Numba frees nothing."""
        self._disabled += 1
        try:
            yield
        finally:
            self._disabled -= 1


_deallocations = Deallocations()


class Context:
    """What ``current_context()`` returns: the current device's memory and work."""

    deallocations = _deallocations

    def __init__(self):
        self.device = get_current_device()

    def get_memory_info(self):
        """Return (free, total) memory of the device, in bytes."""
        return MemoryInfo(*current_device().memory())

    def memalloc(self, bytesize):
        """``bytesize`` bytes of the device's memory, as a MemoryPointer."""
        memory = _engine.Allocation(current_device(), int(bytesize))
        return MemoryPointer(self, int(memory), int(bytesize), finalizer=memory.free)

    def memhostalloc(self, bytesize, mapped=False, portable=False, wc=False):
        """``bytesize`` bytes of the host's memory that stay in their place; ``mapped``: kernels see them, too."""
        memory = _engine.pinned(current_device(), int(bytesize), bool(portable), bool(mapped), bool(wc))
        if mapped:
            made = MappedMemory(self, memory.device_pointer(), int(bytesize), finalizer=memory.free)
            made.host_pointer = memory.address
            return made
        return PinnedMemory(self, memory.address, int(bytesize), finalizer=memory.free)

    def memallocmanaged(self, bytesize, attach_global=True):
        """``bytesize`` bytes that move between host and device by themselves."""
        memory = _engine.managed(current_device(), int(bytesize), 1 if attach_global else 2)
        return MemoryPointer(self, memory.address, int(bytesize), finalizer=memory.free)

    def create_stream(self):
        return stream()

    def get_default_stream(self):
        return default_stream()

    get_legacy_default_stream = get_per_thread_default_stream = get_default_stream

    def create_external_stream(self, ptr):
        return external_stream(ptr)

    def create_event(self, timing=True):
        return event(timing)

    def can_access_peer(self, peer_context):
        """Whether kernels of this device can work on memory of the other's."""
        return self.device._device.can_reach(peer_context.device._device)

    def push(self):
        """Makes its device the current one."""
        set_current_device(self.device._device)

    def pop(self):
        """Goes back to the default device."""
        set_current_device(None)

    def reset(self):
        """Waits for all its work; memory stays with the arrays that use it."""
        self.device.reset()

    def __enter__(self):
        self.push()
        return self

    def __exit__(self, *exc):
        self.pop()

    def synchronize(self):
        """Wait for all work of the device."""
        synchronize()

    def __repr__(self):
        return f"<quern context of device {self.device.id}>"


def current_context(devnum=None):
    """Return the context of the current device.

    Parameters
    ----------
    devnum : int, optional
        Number of a device that becomes current first.

    Returns
    -------
    Context
        Memory and streams of the device.

    Examples
    --------
    >>> from quern import cuda
    >>> free, total = cuda.current_context().get_memory_info()
    >>> free <= total
    True
    """
    if devnum is not None:
        select_device(devnum)
    return Context()


def close():
    """Wait for all work; arrays keep their memory.

    Examples
    --------
    >>> from quern import cuda
    >>> cuda.close()
    """
    synchronize()


def is_available():
    """Return whether kernels can run: on a GPU or compiled for the CPU, unless ``NUMBA_DISABLE_CUDA`` is set.

    Returns
    -------
    bool
        Whether they can.

    Examples
    --------
    >>> from quern import cuda
    >>> cuda.is_available()
    True
    """
    return not config.DISABLE_CUDA


def cuda_error():
    """Return the error of CUDA's initialization: None, because kernels always run.

    Returns
    -------
    None
        Always.

    Examples
    --------
    >>> from quern import cuda
    >>> cuda.cuda_error()
    """
    return None


def is_supported_version():
    """Return whether the version of CUDA is supported: the CPU needs none, and drivers report what they support.

    Returns
    -------
    bool
        True.

    Examples
    --------
    >>> from quern import cuda
    >>> cuda.is_supported_version()
    True
    """
    return True


def require_context(fn):
    """Return the function: there always is a device."""

    @functools.wraps(fn)
    def call(*args, **kwargs):
        return fn(*args, **kwargs)

    return call


@contextlib.contextmanager
def defer_cleanup():
    """Defer the freeing of memory in a ``with`` block: without effect, because freed memory always stays in quern's pool.

    Yields
    ------
    None
        Nothing.

    Examples
    --------
    >>> from quern import cuda
    >>> with cuda.defer_cleanup():
    ...     a = cuda.device_array(3)
    """
    yield


def profile_start():
    """Do nothing; :func:`quern.profile` measures programs.

    Examples
    --------
    >>> from quern import cuda
    >>> cuda.profile_start()
    """


def profile_stop():
    """Do nothing; :func:`quern.profile` measures programs.

    Examples
    --------
    >>> from quern import cuda
    >>> cuda.profile_stop()
    """


@contextlib.contextmanager
def profiling():
    """Call `profile_start` and `profile_stop` around a ``with`` block.

    Yields
    ------
    None
        Nothing.

    Examples
    --------
    >>> from quern import cuda
    >>> with cuda.profiling():
    ...     a = cuda.device_array(3)
    """
    profile_start()
    yield
    profile_stop()


def is_float16_supported():
    """Return whether kernels have float16.

    Returns
    -------
    bool
        True.

    Examples
    --------
    >>> from quern import cuda
    >>> cuda.is_float16_supported()
    True
    """
    return True


def is_bfloat16_supported():
    """Return whether kernels have bfloat16.

    Returns
    -------
    bool
        True.

    Examples
    --------
    >>> from quern import cuda
    >>> cuda.is_bfloat16_supported()
    True
    """
    return True


def is_fp8_supported():
    """Return whether kernels have 8-bit floating-point numbers.

    Returns
    -------
    bool
        False.

    Examples
    --------
    >>> from quern import cuda
    >>> cuda.is_fp8_supported()
    False
    """
    return False


def detect():
    """Print the devices.

    Returns
    -------
    bool
        True.

    Examples
    --------
    >>> from quern import cuda
    >>> found = cuda.detect()  # doctest: +SKIP
    Found 1 CUDA devices
    id 0    NVIDIA H200    compute capability: 9.0
    """
    print(f"Found {len(gpus)} CUDA devices")
    for device in gpus:
        major, minor = device.compute_capability
        print(f"id {device.id}    {device.name.decode()}    compute capability: {major}.{minor}")
    return True


def synchronize():
    """Wait for all work of the current device.

    Raises
    ------
    LaunchError
        For a kernel that failed (:class:`quern.LaunchError`).

    Examples
    --------
    >>> from quern import cuda
    >>> cuda.synchronize()
    """
    _synchronize()


# ---- streams and events


class Stream(_engine.Stream):
    """Queue of work that runs in order; created by `stream`.

    Examples
    --------
    >>> import numpy as np
    >>> from quern import cuda
    >>> stream = cuda.stream()
    >>> a = cuda.to_device(np.arange(3.0), stream=stream)
    >>> stream.synchronize()
    """

    def auto_synchronize(self):
        """Return a context manager that synchronizes the stream at its end.

        Returns
        -------
        context manager
            Its ``as`` value is the stream.

        Examples
        --------
        >>> import numpy as np
        >>> from quern import cuda
        >>> with cuda.stream().auto_synchronize() as stream:
        ...     a = cuda.to_device(np.arange(3.0), stream=stream)
        """

        @contextlib.contextmanager
        def manager():
            yield self
            self.synchronize()

        return manager()

    def synchronize(self):
        """Wait until all work of the stream has ended.

        Examples
        --------
        >>> from quern import cuda
        >>> cuda.stream().synchronize()
        """
        super().synchronize()

    def add_callback(self, callback, arg=None):
        """Call a function once the work submitted so far has ended.

        Parameters
        ----------
        callback : callable
            Called on another thread as ``callback(stream, status, arg)``.
        arg : object, optional
            Last argument of the call.

        Examples
        --------
        >>> from quern import cuda
        >>> found = []
        >>> stream = cuda.stream()
        >>> stream.add_callback(lambda stream, status, arg: found.append(arg), 7)
        >>> stream.synchronize()
        >>> found
        [7]
        """
        super().add_callback(lambda: callback(self, 0, arg))

    def async_done(self):
        """Return a future that is done once the work submitted so far has ended.

        Returns
        -------
        asyncio.Future
            Future of the running loop: ``await stream.async_done()``.

        Raises
        ------
        RuntimeError
            Without a running loop.

        Examples
        --------
        >>> import asyncio
        >>> from quern import cuda
        >>> async def wait(stream):
        ...     return await stream.async_done() is stream
        >>> asyncio.run(wait(cuda.stream()))
        True
        """
        import asyncio  # slow to import, rarely needed

        loop = asyncio.get_running_loop()
        future = loop.create_future()

        def done(stream, status, arg):
            if not future.cancelled():
                future.set_result(self)

        self.add_callback(lambda *args: loop.call_soon_threadsafe(done, *args))
        return future

    def __int__(self):
        """CUDA's handle; 0 of the default stream."""
        return int(self.handle or 0)

    @property
    def external(self):
        """Whether another library created the stream: False.

        Examples
        --------
        >>> from quern import cuda
        >>> cuda.stream().external
        False
        """
        return False

    def __bool__(self):
        return True

    __hash__ = object.__hash__


class Event(_engine.Event):
    """A mark in a stream, with a time; create one with :func:`event`."""

    def record(self, stream=0):
        """Record the event in a stream.

        Parameters
        ----------
        stream : Stream, optional
            0 is the default stream.
        """
        super().record(stream if isinstance(stream, Stream) else default_stream())

    def wait(self, stream=0):
        """Make later work of a stream wait for the event.

        Parameters
        ----------
        stream : Stream, optional
            0 is the default stream.
        """
        (stream if isinstance(stream, Stream) else default_stream()).wait_for_event(self)

    def elapsed_time(self, evtend):
        """Return the time from this event to another.

        Parameters
        ----------
        evtend : Event
            Later event; both must have been reached.

        Returns
        -------
        float
            Milliseconds.
        """
        return evtend.elapsed_since(self)


def stream():
    """Return a new stream of the current device.

    Returns
    -------
    Stream
        Work of different streams may overlap.

    Examples
    --------
    >>> from quern import cuda
    >>> stream = cuda.stream()
    >>> stream.synchronize()
    """
    return Stream(current_device())


def default_stream():
    """Return the default stream, which receives work that names no stream.

    Returns
    -------
    Stream
        Stream.

    Examples
    --------
    >>> from quern import cuda
    >>> cuda.default_stream().synchronize()
    """
    return Stream()


legacy_default_stream = per_thread_default_stream = default_stream


def external_stream(ptr):
    """Return a stream over one that another library created.

    Parameters
    ----------
    ptr : int
        Handle of the stream (``cudaStream_t``).

    Returns
    -------
    Stream
        The stream.

    Raises
    ------
    ValueError
        On the CPU, which has no such streams.
    """
    return Stream(_engine.foreign_stream(current_device(), int(ptr)))


def event(timing=True):
    """Return a new event of the current device.

    Parameters
    ----------
    timing : bool, optional
        Whether the event has a time.

    Returns
    -------
    Event
        The event.

    Examples
    --------
    >>> from quern import cuda
    >>> event = cuda.event()
    >>> event.record()
    >>> event.synchronize()
    """
    return Event(current_device(), bool(timing), False)


def event_elapsed_time(evtstart, evtend):
    """Return the time between two events.

    Parameters
    ----------
    evtstart, evtend : Event
        Recorded events that were reached.

    Returns
    -------
    float
        Milliseconds.

    Examples
    --------
    >>> from quern import cuda
    >>> start, end = cuda.event(), cuda.event()
    >>> start.record(); end.record(); end.synchronize()
    >>> cuda.event_elapsed_time(start, end) >= 0
    True
    """
    return evtend.elapsed_since(evtstart)
