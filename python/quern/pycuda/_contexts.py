"""Devices and contexts.

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

    Examples
    --------
    >>> from quern.pycuda import driver
    >>> driver.init()
    """


def get_version():
    """Return the version of CUDA whose language kernels are written in.

    Returns
    -------
    tuple of ints
        Version, such as (12, 9, 0).

    Examples
    --------
    >>> from quern.pycuda import driver
    >>> driver.get_version() >= (12, 0, 0)
    True
    """
    return (12, 9, 0)


def get_curand_version():
    """Return the version of cuRAND whose generators are available by name.

    Returns
    -------
    tuple of ints
        Version.

    Examples
    --------
    >>> from quern.pycuda import driver
    >>> len(driver.get_curand_version())
    3
    """
    return (10, 3, 0)


def get_driver_version():
    """Return the version of CUDA that the driver supports.

    Returns
    -------
    int
        Version, such as 12090 for 12.9.

    Examples
    --------
    >>> from quern.pycuda import driver
    >>> driver.get_driver_version() >= 0
    True
    """
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
        """Return the number of devices.

        Returns
        -------
        int
            Number of GPUs; 1 without a GPU, for the CPU.

        Examples
        --------
        >>> from quern.pycuda import driver
        >>> driver.Device.count() >= 1
        True
        """
        return len(_door_devices())

    def name(self):
        """Return the name of the device.

        Returns
        -------
        str
            Name.

        Examples
        --------
        >>> from quern.pycuda import driver
        >>> len(driver.Device(0).name()) > 0
        True
        """
        return self._device.info()["name"]

    def pci_bus_id(self):
        """Return the position of the device on the PCI bus.

        Returns
        -------
        str
            Position, which ``Device()`` accepts.

        Examples
        --------
        >>> from quern.pycuda import driver
        >>> driver.Device(0).pci_bus_id().count(":")
        2
        """
        return self._device.info()["pci_bus_id"]

    def compute_capability(self):
        """Return the compute capability.

        Returns
        -------
        tuple of ints
            Major and minor number.

        Examples
        --------
        >>> from quern.pycuda import driver
        >>> driver.Device(0).compute_capability() >= (5, 0)
        True
        """
        return self._device.info()["compute_capability"]

    def total_memory(self):
        """Return the size of the device's memory.

        Returns
        -------
        int
            Number of bytes.

        Examples
        --------
        >>> from quern.pycuda import driver
        >>> driver.Device(0).total_memory() > 0
        True
        """
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

        Examples
        --------
        >>> from quern.pycuda import driver
        >>> driver.Device(0).get_attribute(driver.device_attribute.WARP_SIZE)
        32
        """
        try:
            return self._device.attribute(int(attribute))
        except ValueError as e:
            raise LogicError(str(e)) from None

    def get_attributes(self):
        """Return all attributes that the device reports.

        Returns
        -------
        dict
            From `device_attribute` to int.

        Examples
        --------
        >>> from quern.pycuda import driver
        >>> driver.Device(0).get_attributes()[driver.device_attribute.WARP_SIZE]
        32
        """
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

        Examples
        --------
        >>> from quern.pycuda import driver
        >>> driver.Device(0).can_access_peer(driver.Device(0))
        False
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

        Examples
        --------
        >>> from quern.pycuda import driver
        >>> context = driver.Device(0).make_context()
        >>> context.pop()
        """
        context = Context._of(self)
        context.push()
        return context

    def retain_primary_context(self):
        """Return the device's primary context; :meth:`Context.push` makes it current.

        Returns
        -------
        Context
            Context.

        Examples
        --------
        >>> from quern.pycuda import driver
        >>> type(driver.Device(0).retain_primary_context()).__name__
        'Context'
        """
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
    """The primary context of a device. Each thread has a stack of contexts; the uppermost is current.

    Examples
    --------
    >>> from quern.pycuda import autoprimaryctx, driver
    >>> driver.Context.synchronize()
    >>> type(driver.Context.get_device()).__name__
    'Device'
    """

    def __init__(self):
        raise Error("[Context] a context comes from Device.make_context() or Device.retain_primary_context()")

    @classmethod
    def _of(cls, device):
        self = cls.__new__(cls)
        self._owner = device
        return self

    @staticmethod
    def attach(flags=0):
        """Attach to the current context once more; each `detach` undoes one of these calls.

        Parameters
        ----------
        flags : int, optional
            Accepted for compatibility.

        Returns
        -------
        Context
            Current context.
        """
        return _current("attach")

    def push(self):
        """Make the context current in this thread, until :meth:`pop`.

        Examples
        --------
        >>> import quern.pycuda.autoinit
        >>> from quern.pycuda import driver
        >>> context = driver.Device(0).retain_primary_context()
        >>> context.push()
        >>> driver.Context.pop()
        """
        _stack.entries.append(self)
        _set_current_device(self._owner._device)

    @staticmethod
    def pop():
        """Make the previous context of this thread current.

        Examples
        --------
        >>> from quern.pycuda import driver
        >>> context = driver.Device(0).make_context()
        >>> context.pop()
        """
        _current("pop")
        del _stack.entries[-1]
        _enter_uppermost()

    def detach(self):
        """Remove the context from this thread's stack; the device keeps its memory and modules.

        Examples
        --------
        >>> from quern.pycuda import driver
        >>> context = driver.Device(0).make_context()
        >>> context.detach()
        """
        for i in reversed(range(len(_stack.entries))):
            if _stack.entries[i] is self:
                del _stack.entries[i]
                return _enter_uppermost()

    @staticmethod
    def get_current():
        """Return the current context of this thread.

        Returns
        -------
        Context or None
            Context; None where none is current.

        Examples
        --------
        >>> import quern.pycuda.autoinit
        >>> from quern.pycuda import driver
        >>> driver.Context.get_current() is not None
        True
        """
        return _stack.entries[-1] if _stack.entries else None

    @staticmethod
    def get_device():
        """Return the device of the current context.

        Returns
        -------
        Device
            Device.

        Raises
        ------
        LogicError
            Where no context is current.

        Examples
        --------
        >>> import quern.pycuda.autoinit
        >>> from quern.pycuda import driver
        >>> driver.Context.get_device() == driver.Device(0)
        True
        """
        return _current("get_device")._owner

    @staticmethod
    def synchronize():
        """Wait for all work of the current device.

        Raises
        ------
        LaunchError
            For a kernel that failed.

        Examples
        --------
        >>> import quern.pycuda.autoinit
        >>> from quern.pycuda import driver
        >>> driver.Context.synchronize()
        """
        _engine.current_device().synchronize()

    @staticmethod
    def get_limit(which):
        """Return a limit that `set_limit` set, or CUDA's default; it has no effect.

        Parameters
        ----------
        which : limit
            Limit, such as ``limit.STACK_SIZE``.

        Returns
        -------
        int
            Value.

        Examples
        --------
        >>> import quern.pycuda.autoinit
        >>> from quern.pycuda import driver
        >>> driver.Context.set_limit(driver.limit.STACK_SIZE, 4096)
        >>> driver.Context.get_limit(driver.limit.STACK_SIZE)
        4096
        """
        if int(which) not in _limits:
            raise LogicError(f"[Context.get_limit] {which!r} is not a supported context limit")
        return _limits[int(which)]

    @staticmethod
    def set_limit(which, value):
        """Set a limit, which `get_limit` returns; it has no effect.

        Parameters
        ----------
        which : limit
            Limit, such as ``limit.STACK_SIZE``.
        value : int
            Value.

        Examples
        --------
        >>> import quern.pycuda.autoinit
        >>> from quern.pycuda import driver
        >>> driver.Context.set_limit(driver.limit.STACK_SIZE, 4096)
        """
        if int(which) not in _limits:
            raise LogicError(f"[Context.set_limit] {which!r} is not a supported context limit")
        _limits[int(which)] = int(value)

    @staticmethod
    def get_cache_config():
        """Return the configuration that `set_cache_config` set; it has no effect.

        Returns
        -------
        func_cache
            Configuration.

        Examples
        --------
        >>> import quern.pycuda.autoinit
        >>> from quern.pycuda import driver
        >>> config = driver.Context.get_cache_config()
        """
        return _wishes().get(func_cache, func_cache.PREFER_NONE)

    @staticmethod
    def set_cache_config(config):
        """Set the preferred division of cache and shared memory; it has no effect.

        Parameters
        ----------
        config : func_cache
            Configuration.

        Examples
        --------
        >>> import quern.pycuda.autoinit
        >>> from quern.pycuda import driver
        >>> driver.Context.set_cache_config(driver.func_cache.PREFER_NONE)
        """
        _wishes()[func_cache] = func_cache(config)

    @staticmethod
    def get_shared_config():
        """Return the configuration that `set_shared_config` set; it has no effect.

        Returns
        -------
        shared_config
            Configuration.

        Examples
        --------
        >>> import quern.pycuda.autoinit
        >>> from quern.pycuda import driver
        >>> config = driver.Context.get_shared_config()
        """
        return _wishes().get(shared_config, shared_config.DEFAULT_BANK_SIZE)

    @staticmethod
    def set_shared_config(config):
        """Set the preferred size of the banks of shared memory; it has no effect.

        Parameters
        ----------
        config : shared_config
            Configuration.

        Examples
        --------
        >>> import quern.pycuda.autoinit
        >>> from quern.pycuda import driver
        >>> driver.Context.set_shared_config(driver.shared_config.DEFAULT_BANK_SIZE)
        """
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
        """Do nothing; accepted for compatibility: copies between devices use the access that was enabled.

        Parameters
        ----------
        peer : Context
            Context of the other device.
        """

    @property
    def handle(self):
        """A number that the contexts of one device share, and no other has."""
        return hash(self._owner)

    def get_api_version(self):
        """Return the version of CUDA's contexts.

        Returns
        -------
        int
            Version.

        Examples
        --------
        >>> import quern.pycuda.autoinit
        >>> from quern.pycuda import driver
        >>> driver.Context.get_current().get_api_version() > 0
        True
        """
        return 3020

    def __eq__(self, other):
        return isinstance(other, Context) and other._owner == self._owner

    def __hash__(self):
        return hash(self._owner)
