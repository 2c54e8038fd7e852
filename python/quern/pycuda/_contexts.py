"""Devices, contexts, streams and events.

A context is a device's primary one: those that a program makes of one device are the same. Each thread has a stack of them.
"""

from __future__ import annotations

import threading

from quern.device import door_devices as _door_devices
from quern.device import set_current_device as _set_current_device
from quern.errors import Error, LogicError
from quern.lib import _engine
from quern.pycuda.enums import device_attribute, func_cache, limit, shared_config


def init(flags=0):
    """Do nothing: devices are found at the first use.

    Parameters
    ----------
    flags : int, optional
        Accepted for compatibility.
    """


def get_version():
    """Return the version of CUDA whose language kernels are written in, such as (12, 9, 0)."""
    return (12, 9, 0)


def get_curand_version():
    """Return the version of cuRAND whose generators exist here by name."""
    return (10, 3, 0)


def get_driver_version():
    """Return the version of CUDA that the driver supports, as an int: 12090 for 12.9."""
    return 12090


class Device:
    """A device, by its number or its PCI bus id.

    Without a GPU, device 0 is the CPU. Device attributes are read by name, as in ``Device(0).max_threads_per_block``.

    Parameters
    ----------
    number : int or str
        Number from 0, or PCI bus id.

    Raises
    ------
    LogicError
        Where there is no such device.

    Examples
    --------
    >>> from quern.pycuda import driver
    >>> device = driver.Device(0)
    >>> device.total_memory() > 0 and device.max_threads_per_block
    1024
    """

    def __init__(self, number):
        devices = _door_devices()
        if isinstance(number, str):
            found = [i for i, d in enumerate(devices) if d.info()["pci_bus_id"].lower() == number.lower()]
            if not found:
                raise LogicError(f"[Device] there is no device at {number}")
            number = found[0]
        if not 0 <= number < len(devices):
            raise LogicError(f"[Device] there is no device {number}; this machine has {len(devices)}")
        self._number = number
        self._device = devices[number]

    @staticmethod
    def count():
        """Return the number of devices."""
        return len(_door_devices())

    def name(self):
        """Return the name of the device."""
        return self._device.info()["name"]

    def pci_bus_id(self):
        """Return the PCI bus id, which ``Device()`` accepts."""
        return self._device.info()["pci_bus_id"]

    def compute_capability(self):
        """Return the compute capability, as (major, minor)."""
        return self._device.info()["compute_capability"]

    def total_memory(self):
        """Return the size of the device's memory in bytes."""
        return self._device.info()["total_memory"]

    def get_attribute(self, attribute):
        """Return a device attribute.

        Parameters
        ----------
        attribute : device_attribute
            Attribute, such as ``device_attribute.WARP_SIZE``.

        Returns
        -------
        int
            Its value.

        Raises
        ------
        LogicError
            For an attribute that the device does not know.
        """
        try:
            return self._device.attribute(int(attribute))
        except ValueError as e:
            raise LogicError(str(e)) from None

    def get_attributes(self):
        """Return all device attributes that the device reports, as ``{device_attribute: int}``."""
        out = {}
        for value in device_attribute.values.values():
            try:
                out[value] = self.get_attribute(value)
            except LogicError:
                continue
        return out

    def can_access_peer(self, other):
        """Return whether this device can read and write the memory of another.

        Parameters
        ----------
        other : Device
            Another device.

        Returns
        -------
        bool
            Whether kernels of this device can use it.
        """
        return self._device.can_reach(other._device)

    def make_context(self, flags=0):
        """Return the device's primary context and make it current in this thread.

        Parameters
        ----------
        flags : int, optional
            Accepted for compatibility.

        Returns
        -------
        Context
            The context.
        """
        context = Context._of(self)
        context.push()
        return context

    def retain_primary_context(self):
        """Return the device's primary context; :meth:`Context.push` makes it current."""
        return Context._of(self)

    def __getattr__(self, name):
        value = device_attribute.names.get(name.upper())
        if value is None or name.startswith("_"):
            raise AttributeError(f"'Device' object has no attribute '{name}'")
        return self.get_attribute(value)

    def __eq__(self, other):
        return isinstance(other, Device) and other._device == self._device

    def __hash__(self):
        return hash(self._device)


class _ContextStack(threading.local):
    def __init__(self):
        self.entries = []


_stack = _ContextStack()
_limits = {
    int(limit.STACK_SIZE): 1024,
    int(limit.PRINTF_FIFO_SIZE): 1 << 20,
    int(limit.MALLOC_HEAP_SIZE): 8 << 20,
    int(limit.DEV_RUNTIME_SYNC_DEPTH): 2,
    int(limit.DEV_RUNTIME_PENDING_LAUNCH_COUNT): 2048,
    int(limit.MAX_L2_FETCH_GRANULARITY): 64,
    int(limit.PERSISTING_L2_CACHE_SIZE): 0,
}
_wished = {}  # what programs asked of a device's context: {device: {enumeration: value}}


def _current(what):
    if not _stack.entries:
        raise LogicError(f"[Context.{what}] no context is current in this thread; import pycuda.autoinit, or make one")
    return _stack.entries[-1]


def _enter_uppermost():
    _set_current_device(_stack.entries[-1]._owner._device if _stack.entries else None)


def _wishes():
    return _wished.setdefault(_engine.current_device(), {})


class Context:
    """The primary context of a device. Each thread has a stack of contexts; the uppermost is current."""

    def __init__(self):
        raise Error("[Context] a context comes from Device.make_context() or Device.retain_primary_context()")

    @classmethod
    def _of(cls, device):
        self = cls.__new__(cls)
        self._owner = device
        return self

    @staticmethod
    def attach(flags=0):
        """The current context, once more: detach() gives this use of it up. It stands on the stack as before."""
        return _current("attach")

    def push(self):
        """Make the context current in this thread, until :meth:`pop`."""
        _stack.entries.append(self)
        _set_current_device(self._owner._device)

    @staticmethod
    def pop():
        """Make the previous context of this thread current."""
        _current("pop")
        del _stack.entries[-1]
        _enter_uppermost()

    def detach(self):
        """Remove the context from this thread's stack. The device keeps its memory and modules."""
        for i in reversed(range(len(_stack.entries))):
            if _stack.entries[i] is self:
                del _stack.entries[i]
                return _enter_uppermost()

    @staticmethod
    def get_current():
        """Return the current context of this thread, or None."""
        return _stack.entries[-1] if _stack.entries else None

    @staticmethod
    def get_device():
        """Return the device of the current context; raises LogicError where none is current."""
        return _current("get_device")._owner

    @staticmethod
    def synchronize():
        """Wait for all work of the current device, and raise the error of a kernel that failed."""
        _engine.current_device().synchronize()

    @staticmethod
    def get_limit(which):
        """What set_limit() set, or CUDA's default. Nothing here depends on it."""
        if int(which) not in _limits:
            raise LogicError(f"[Context.get_limit] {which!r} is not a supported context limit")
        return _limits[int(which)]

    @staticmethod
    def set_limit(which, value):
        """Notes a limit, which get_limit() gives back."""
        if int(which) not in _limits:
            raise LogicError(f"[Context.set_limit] {which!r} is not a supported context limit")
        _limits[int(which)] = int(value)

    @staticmethod
    def get_cache_config():
        """What set_cache_config() wished."""
        return _wishes().get(func_cache, func_cache.PREFER_NONE)

    @staticmethod
    def set_cache_config(config):
        """A wish, which get_cache_config() gives back; the device decides."""
        _wishes()[func_cache] = func_cache(config)

    @staticmethod
    def get_shared_config():
        """What set_shared_config() wished."""
        return _wishes().get(shared_config, shared_config.DEFAULT_BANK_SIZE)

    @staticmethod
    def set_shared_config(config):
        """A wish, which get_shared_config() gives back; the device decides."""
        _wishes()[shared_config] = shared_config(config)

    @staticmethod
    def enable_peer_access(peer, flags=0):
        """Let kernels of the current device use the memory of another. Copies between devices need no such call.

        Parameters
        ----------
        peer : Context
            Context of the other device.
        flags : int, optional
            Accepted for compatibility.

        Raises
        ------
        LogicError
            Where the devices cannot do that.
        """
        device, other = _engine.current_device(), peer._owner._device
        if not device.can_reach(other):
            raise LogicError(f"[Context.enable_peer_access] {device.name} cannot see the memory of {other.name}; copy what it needs")
        device.reach(other)

    @staticmethod
    def disable_peer_access(peer):
        """Does nothing: what was enabled is also how copies go from one device to the other."""

    @property
    def handle(self):
        """A number that the contexts of one device share, and no other has."""
        return hash(self._owner)

    def get_api_version(self):
        """The version of CUDA's contexts."""
        return 3020

    def __eq__(self, other):
        return isinstance(other, Context) and other._owner == self._owner

    def __hash__(self):
        return hash(self._owner)


# ---- streams and events


class Stream(_engine.Stream):
    """A queue of work that runs in order; work of different streams may overlap.

    Parameters
    ----------
    flags : int
        0 takes part in the legacy default stream's order, 1 does not.
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
        """
        super().record(stream)
        return self

    def synchronize(self):
        """Wait until the stream has reached the event; return the event."""
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
