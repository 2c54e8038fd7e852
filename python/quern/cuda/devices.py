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
    """The devices: GPUs, or the CPU where there is none."""
    return gpus


def get_current_device():
    """The device that is current in this thread."""
    here = current_device()
    return Device(next((n for n, d in enumerate(door_devices()) if d.name == here.name), 0))


def select_device(device_id):
    """Makes the device of that number current in this thread, and returns it. Raises ValueError when there is no such device."""
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
        """(free, total) bytes of the device."""
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
        """Waits for all work of the device."""
        synchronize()

    def __repr__(self):
        return f"<quern context of device {self.device.id}>"


def current_context(devnum=None):
    """The context of the current device, or of the device ``devnum``, which becomes current."""
    if devnum is not None:
        select_device(devnum)
    return Context()


def close():
    """Waits for all work; what arrays hold stays theirs."""
    synchronize()


def is_available():
    """Can kernels run here? Yes, on a GPU or compiled for the CPU, unless NUMBA_DISABLE_CUDA is set."""
    return not config.DISABLE_CUDA


def cuda_error():
    """Why there is no CUDA: None, since kernels always run."""
    return None


def is_supported_version():
    """Does the version of CUDA suit? Always: none is needed on the CPU, and drivers are asked what they have."""
    return True


def require_context(fn):
    """Decorates a function that needs a device: there always is one."""

    @functools.wraps(fn)
    def call(*args, **kwargs):
        return fn(*args, **kwargs)

    return call


@contextlib.contextmanager
def defer_cleanup():
    """A context manager in which no memory is given back to the device: freed memory always stays in quern's pool."""
    yield


def profile_start():
    """Taken; quern.trace() is what measures here."""


def profile_stop():
    """Taken; quern.trace() is what measures here."""


@contextlib.contextmanager
def profiling():
    """A context manager of profile_start() and profile_stop()."""
    profile_start()
    yield
    profile_stop()


def is_float16_supported():
    """Have kernels float16? Always."""
    return True


def is_bfloat16_supported():
    """Have kernels bfloat16? Always."""
    return True


def is_fp8_supported():
    """Have kernels numbers of eight bits? Not yet."""
    return False


def detect():
    """Prints the devices; returns whether there is one."""
    print(f"Found {len(gpus)} CUDA devices")
    for device in gpus:
        major, minor = device.compute_capability
        print(f"id {device.id}    {device.name.decode()}    compute capability: {major}.{minor}")
    return True


def synchronize():
    """Waits for all work of the current device; raises what failed in it."""
    _synchronize()


# ---- streams and events


class Stream(_engine.Stream):
    """A queue of work, which runs in order."""

    def auto_synchronize(self):
        """A context manager that waits for the stream at its end."""

        @contextlib.contextmanager
        def manager():
            yield self
            self.synchronize()

        return manager()

    def synchronize(self):
        """Waits until all of its work is done."""
        super().synchronize()

    def add_callback(self, callback, arg=None):
        """Calls ``callback(stream, status, arg)`` on another thread once the work submitted so far is done."""
        super().add_callback(lambda: callback(self, 0, arg))

    def async_done(self):
        """A future of the running loop of asyncio that is done once the work submitted so far is done: ``await stream.async_done()``."""
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
        return False

    def __bool__(self):
        return True

    __hash__ = object.__hash__


class Event(_engine.Event):
    """A mark in a stream, with a time."""

    def record(self, stream=0):
        """Marks where the stream is now."""
        super().record(stream if isinstance(stream, Stream) else default_stream())

    def wait(self, stream=0):
        """Later work of the stream waits for it."""
        (stream if isinstance(stream, Stream) else default_stream()).wait_for_event(self)

    def elapsed_time(self, evtend):
        """Milliseconds from this event to ``evtend``; both are recorded and reached."""
        return evtend.elapsed_since(self)


def stream():
    """A new stream of the current device."""
    return Stream(current_device())


def default_stream():
    """The stream that work goes to which names none."""
    return Stream()


legacy_default_stream = per_thread_default_stream = default_stream


def external_stream(ptr):
    """A stream that another library made, by its handle. Raises ValueError on the CPU, where there are none."""
    return Stream(_engine.foreign_stream(current_device(), int(ptr)))


def event(timing=True):
    """A new event of the current device."""
    return Event(current_device(), bool(timing), False)


def event_elapsed_time(evtstart, evtend):
    """Milliseconds between two events that were recorded and reached."""
    return evtend.elapsed_since(evtstart)
