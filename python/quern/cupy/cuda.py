"""cupy.cuda: devices, and waiting for them."""

from types import SimpleNamespace

from quern.device import current_device, door_devices, set_current_device
from quern.device import synchronize as _synchronize
from quern.lib import _engine


class Device:
    """A device by its number; without a GPU the CPU is number 0. As a context manager it is current meanwhile."""

    def __init__(self, device=None):
        devices = door_devices()
        if device is None:
            self.id = next((n for n, d in enumerate(devices) if d.name == current_device().name), 0)
            return
        self.id = int(device)
        if not 0 <= self.id < len(devices):
            raise ValueError(f"[cupy.cuda.Device] there is no device {self.id}; the number of devices is {len(devices)}")
        self._before = []

    def use(self):
        """Makes it the current device of this thread."""
        set_current_device(door_devices()[self.id])

    def synchronize(self):
        """Waits for all work of the device."""
        _engine.array_evaluate_all()
        door_devices()[self.id].synchronize()

    def __enter__(self):
        self._before.append(current_device())
        self.use()
        return self

    def __exit__(self, *exc):
        set_current_device(self._before.pop())

    def __eq__(self, other):
        return isinstance(other, Device) and other.id == self.id

    def __hash__(self):
        return hash(self.id)

    def __int__(self):
        return self.id

    def __repr__(self):
        return f"<CUDA Device {self.id}>"


class UnownedMemory:
    """Memory at an address; ``owner`` keeps it."""

    def __init__(self, ptr, size, owner, device_id=-1):
        self.ptr, self.size, self._owner = ptr, size, owner
        self.device_id = Device().id if device_id < 0 else device_id

    @property
    def device(self):
        """The device it is on."""
        return Device(self.device_id)


class MemoryPointer:
    """A place in memory: ``ptr`` is its address, ``mem`` the memory."""

    def __init__(self, mem, offset):
        self.mem, self.ptr, self.device_id = mem, mem.ptr + offset, mem.device_id

    device = property(lambda self: self.mem.device, doc="The device it is on.")

    def __int__(self):
        return self.ptr

    __index__ = __int__

    def __add__(self, offset):
        return MemoryPointer(self.mem, self.ptr - self.mem.ptr + offset)

    __radd__ = __add__

    def __sub__(self, offset):
        return self + -offset


class _NullStream:
    """The default stream, on which arrays work."""

    ptr = 0

    def synchronize(self):
        """Waits for all work submitted."""
        _synchronize()

    def __repr__(self):
        return "<Stream 0 (device -1)>"


def get_current_stream():
    """The stream that arrays work on."""
    return Stream.null


class Stream(_NullStream):
    """Only the default stream, ``Stream.null``, is served yet."""

    null = None

    def __init__(self, *args, **kwargs):
        raise NotImplementedError("[cupy.cuda.Stream] arrays work on the default stream, cupy.cuda.Stream.null, only, for now")


Stream.null = _NullStream()

runtime = SimpleNamespace(getDeviceCount=lambda: len(door_devices()), deviceSynchronize=_synchronize, getDevice=lambda: Device().id)


def is_available():
    """Is there a device? Always: the CPU where there is no GPU."""
    return True


def __getattr__(name):
    raise AttributeError(f"module 'cupy.cuda' has no attribute {name!r} here yet")
