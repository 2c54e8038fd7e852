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

    return property(get, doc=f"Raise NotImplementedError: it needs {why}.\n\nRaises\n------\nNotImplementedError\n    Always.\n")


@functools.total_ordering
class Device:
    """Device by its number; as a context manager, the current device of the block. Without a GPU, number 0 is the CPU.

    Parameters
    ----------
    device : int or Device, optional
        Number; None is the current device.

    Raises
    ------
    CUDARuntimeError
        For a number without a device.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> with cp.cuda.Device(0):
    ...     a = cp.zeros(3)
    >>> a.device
    <CUDA Device 0>
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
        """Return the device at a position of the PCI bus.

        Parameters
        ----------
        pci_bus_id : str
            Position, such as "0000:01:00.0".

        Returns
        -------
        Device
            Device.

        Raises
        ------
        CUDARuntimeError
            For a position without a device.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> cp.cuda.Device.from_pci_bus_id(cp.cuda.Device(0).pci_bus_id)
        <CUDA Device 0>
        """
        return Device(_by_pci_bus_id(pci_bus_id))

    def use(self):
        """Make the device the current one of this thread.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> cp.cuda.Device(0).use()
        """
        set_current_device(_engine_of(self.id))

    def synchronize(self):
        """Wait for all work of the device, recorded array operations included.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> a = cp.arange(3) * 2
        >>> cp.cuda.Device(0).synchronize()
        """
        _may_wait("Device.synchronize()")
        _engine_of(self.id).synchronize()

    @property
    def compute_capability(self):
        """The compute capability as text, such as "90" for 9.0; on the CPU, that of the newest GPU whose language it runs.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> int(cp.cuda.Device(0).compute_capability) >= 50
        True
        """
        major, minor = _engine_of(self.id).info()["compute_capability"]
        return f"{major}{minor}"

    @property
    def pci_bus_id(self):
        """The position on the PCI bus, such as "0000:01:00.0".

        Examples
        --------
        >>> from quern import cupy as cp
        >>> cp.cuda.Device(0).pci_bus_id.count(":")
        2
        """
        return _engine_of(self.id).info()["pci_bus_id"]

    @property
    def attributes(self):
        """The attributes of the device: a dict from CUDA's names, such as "MaxThreadsPerBlock", to ints.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> cp.cuda.Device(0).attributes["WarpSize"]
        32
        """
        device, out = _engine_of(self.id), {}
        for name, number in _attributes.items():
            try:
                out[name] = device.attribute(number)
            except Exception:  # one that the driver does not know
                continue
        return out

    @property
    def mem_info(self):
        """The free and the total memory of the device in bytes, a tuple.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> free, total = cp.cuda.Device(0).mem_info
        >>> free <= total
        True
        """
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
    """Return the number of the current device.

    Returns
    -------
    int
        Number.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.cuda.get_device_id()
    0
    """
    return _current_id()


def get_compute_capability():
    """Return the compute capability of the current device.

    Returns
    -------
    str
        Text, such as "90" for 9.0.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> int(cp.cuda.device.get_compute_capability()) >= 50
    True
    """
    return Device().compute_capability


def get_cublas_handle():
    """Raise NotImplementedError: quern does not use cuBLAS's handle.

    Raises
    ------
    NotImplementedError
        Always.
    """
    return Device().cublas_handle


Device.__module__ = "cupy.cuda.device"
