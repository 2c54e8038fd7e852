"""cupy.cuda.device: devices by their numbers."""

import functools

from quern.cupy.cuda._constants import DEVICE_ATTRIBUTES as _attributes
from quern.cupy.cuda._errors import CUDARuntimeError
from quern.cupy.cuda._waiting import _may_wait
from quern.device import current_device, door_devices, set_current_device
from quern.lib import _engine


def _current_id():
    here = current_device()
    return next((n for n, d in enumerate(door_devices()) if d.name == here.name), 0)


def _id_of_memory(address):
    """The number of the GPU whose memory an address is in; the current one's for memory that CUDA does not know."""
    holder = _engine.device_of_memory(address)
    return _current_id() if holder is None else holder.index


def _engine_of(number):
    """The engine's device of that number; the current one where it is the CPU, which is number 0 then."""
    here = current_device()
    if here.kind == "cpu" and number == 0:
        return here
    return door_devices()[number]


def _by_pci_bus_id(place):
    """The number of the device at that place, such as "0000:01:00.0". Raises CUDARuntimeError when there is none."""
    if not isinstance(place, str):
        raise TypeError("a PCI bus id must be a str, such as '0000:01:00.0'")
    for number in range(len(door_devices())):
        if _engine_of(number).info()["pci_bus_id"].lower() == place.lower():
            return number
    raise CUDARuntimeError(101, f"no device at {place}")


def _handle(name, why):
    def get(self):
        raise NotImplementedError(f"[cupy.cuda.Device.{name}] needs {why}")

    return property(get, doc=f"Raises NotImplementedError: it needs {why}.")


@functools.total_ordering
class Device:
    """A device by its number; without a GPU the CPU is number 0. As a context manager it is current meanwhile.

    Parameters: ``device``: a number or a Device; by default the current one. Raises CUDARuntimeError when there is no such
    device.
    """

    id = 0
    cublas_handle = _handle("cublas_handle", "cuBLAS: matrix products go through cuBLASLt, which has no such handle")
    cusolver_handle = _handle("cusolver_handle", "cuSOLVER, which is not used through a handle here")
    cusolver_sp_handle = _handle("cusolver_sp_handle", "cuSOLVER for sparse matrices, which quern does not support")
    cusparse_handle = _handle("cusparse_handle", "cuSPARSE, which quern does not support")
    cutensor_handle = _handle("cutensor_handle", "cuTENSOR, which quern does not support")

    def __init__(self, device=None):
        count = len(door_devices())
        self.id = _current_id() if device is None else int(device)
        self._before = []
        if not 0 <= self.id < count:
            raise CUDARuntimeError(101, f"there is no device {self.id}; the number of devices is {count}")

    @property
    def _engine_device(self):
        return _engine_of(self.id)

    @staticmethod
    def from_pci_bus_id(pci_bus_id):
        """Return the device at a place of the PCI bus.

        Parameters
        ----------
        pci_bus_id : str
            Place, such as "0000:01:00.0".

        Returns
        -------
        Device
            Device.

        Raises
        ------
        CUDARuntimeError
            For a place without a device.
        """
        return Device(_by_pci_bus_id(pci_bus_id))

    def use(self):
        """Makes it the current device of this thread."""
        set_current_device(_engine_of(self.id))

    def synchronize(self):
        """Waits for all work of the device, what arrays have recorded included."""
        _may_wait("Device.synchronize()")
        _engine_of(self.id).synchronize()

    @property
    def compute_capability(self):
        """The compute capability as text, "90" for 9.0. The CPU says that of the newest GPUs whose language it runs."""
        major, minor = _engine_of(self.id).info()["compute_capability"]
        return f"{major}{minor}"

    @property
    def pci_bus_id(self):
        """Where the device is, such as "0000:01:00.0"."""
        return _engine_of(self.id).info()["pci_bus_id"]

    @property
    def attributes(self):
        """CUDA's attributes of the device: a dict of names, such as "MaxThreadsPerBlock", and ints."""
        device, out = _engine_of(self.id), {}
        for name, number in _attributes.items():
            try:
                out[name] = device.attribute(number)
            except Exception:  # one that the driver does not know
                continue
        return out

    @property
    def mem_info(self):
        """(free, total) bytes of its memory."""
        return tuple(_engine_of(self.id).memory())

    def __enter__(self):
        self._before.append(current_device())
        self.use()
        return self

    def __exit__(self, *exc):
        set_current_device(self._before.pop())

    def __eq__(self, other):
        return isinstance(other, Device) and other.id == self.id

    def __lt__(self, other):
        return self.id < other.id if isinstance(other, Device) else NotImplemented

    def __hash__(self):
        return hash(self.id)

    def __int__(self):
        return self.id

    def __reduce__(self):
        return (_device_of, (self.id,))

    def __repr__(self):
        return f"<CUDA Device {self.id}>"


def _device_of(number):
    return Device(number)


def get_device_id():
    """The number of the current device."""
    return _current_id()


def get_compute_capability():
    """The current device's compute capability as text, "90" for 9.0."""
    return Device().compute_capability


def get_cublas_handle():
    """Raises NotImplementedError: matrix products go through cuBLASLt, which has no such handle."""
    return Device().cublas_handle


Device.__module__ = "cupy.cuda.device"
