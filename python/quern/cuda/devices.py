"""Devices, streams and events, in Numba's way."""

from __future__ import annotations

import contextlib

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
    supports_float16 = True
    WARP_SIZE = 32

    @property
    def uuid(self):
        """A name that no other device has."""
        return f"GPU-{self._device.info()['pci_bus_id'] or 'cpu'}"

    @property
    def MULTIPROCESSOR_COUNT(self):  # noqa: N802
        return self._device.info()["multiprocessors"]

    @property
    def MAX_THREADS_PER_BLOCK(self):  # noqa: N802
        return self._device.info()["max_threads_per_block"]

    def reset(self):
        """Waits for all its work; memory stays with the arrays that use it."""
        _engine.array_evaluate_all()
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
        raise ValueError(f"[select_device] there is no device {device_id!r}; the number of devices is {count}")
    set_current_device(door_devices()[device_id])
    return Device(device_id)


class Context:
    """What ``current_context()`` returns: the current device's memory and work."""

    def __init__(self):
        self.device = get_current_device()

    def get_memory_info(self):
        """(free, total) bytes of the device."""
        return tuple(current_device().memory())

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
    """Can kernels run here? Always: on a GPU, or compiled for the CPU."""
    return True


def is_float16_supported():
    """Have kernels float16? Always."""
    return True


def is_bfloat16_supported():
    """Have kernels bfloat16? Not yet."""
    return False


def is_fp8_supported():
    """Have kernels numbers of eight bits? Not yet."""
    return False


def detect():
    """Prints the devices; returns whether there is one."""
    print(f"Found {len(gpus)} devices")
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
        _engine.array_evaluate_all()
        super().synchronize()

    def add_callback(self, callback, arg=None):
        """Calls ``callback(stream, status, arg)`` on another thread once the work submitted so far is done."""
        super().add_callback(lambda: callback(self, 0, arg))

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
        _engine.array_evaluate_all()
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
