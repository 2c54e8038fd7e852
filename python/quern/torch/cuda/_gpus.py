"""GPUs of torch.cuda: which there are, which is the current one, what they are. Start reading at is_available()."""

import contextlib

from quern.cupy import cuda as _cuda
from quern.lib import _engine
from quern.torch import _types
from quern.torch._core import Tensor
from quern.torch._devices import current_gpu, gpu_count, set_current_gpu
from quern.torch.cuda._docstrings import complete


def is_available():
    """Return whether there is a GPU and QUERN_DEVICE does not select the CPU."""
    return gpu_count() > 0


def device_count():
    """Return the number of GPUs."""
    return gpu_count()


def is_initialized():
    """Return whether a GPU is initialized: True where there is one."""
    return is_available()


def _number(device):
    if device is None:
        return current_gpu()
    if isinstance(device, int):
        return current_gpu() if device == -1 else device
    device = _types.as_device(device)
    if device.type != "cuda":
        raise ValueError(f"Expected a cuda device, but got: {device}")
    return current_gpu() if device.index is None else device.index


def _gpu(device=None):
    """The engine's device. Raises RuntimeError where there is no GPU, AssertionError for a number that none has."""
    if not is_available():
        raise RuntimeError("No CUDA GPUs are available")
    number = _number(device)
    if not 0 <= number < gpu_count():
        raise AssertionError(f"Invalid device id {number}: there are {gpu_count()} GPUs")
    return _engine.cuda(number)


def init():
    """Initialize the GPUs."""
    _gpu()


def current_device():
    """Return the number of the current GPU."""
    _gpu()
    return current_gpu()


def set_device(device):
    """Make a GPU the current one of this thread: the one that "cuda" means."""
    if isinstance(device, int) and device < 0:
        return
    _gpu(device)
    set_current_gpu(_number(device))


@contextlib.contextmanager
def _on(number):
    """While it lasts, a GPU is the engine's current device."""
    before = _engine.current_device()
    _engine.set_current_device(_gpu(number))
    try:
        yield
    finally:
        _engine.set_current_device(before)


class device:  # noqa: N801
    """Make a GPU the current one, as a context manager.

    Parameters
    ----------
    device : device, str, int or None
        GPU, such as "cuda:1"; a negative number and None have no effect.

    Examples
    --------
    >>> from quern import torch
    >>> with torch.cuda.device(None) as gpu:
    ...     gpu.idx
    -1
    """

    def __init__(self, device):
        self.idx = -1 if device is None else device if isinstance(device, int) else _number(device)
        self._before = []

    def __enter__(self):
        self._before.append(_engine.current_device())
        set_device(self.idx)
        return self

    def __exit__(self, *error):
        before = self._before.pop()
        if self.idx >= 0:
            _engine.set_current_device(before)


class device_of(device):  # noqa: N801
    """Make the GPU of a tensor the current one, as a context manager.

    Parameters
    ----------
    obj : Tensor
        Tensor; one on the CPU has no effect.

    Examples
    --------
    >>> from quern import torch
    >>> with torch.cuda.device_of(torch.ones(2, device="cpu")) as gpu:
    ...     gpu.idx
    -1
    """

    def __init__(self, obj):
        super().__init__(obj.get_device() if isinstance(obj, Tensor) else -1)


def synchronize(device=None):
    """Submit the recorded operations, and wait for all work of a GPU."""
    _gpu(device).synchronize()


class _CudaDeviceProperties:
    """The result of get_device_properties() for a GPU."""

    def __init__(self, found):
        info = found.info()
        self.name = info["name"]
        self.major, self.minor = info["compute_capability"]
        self.total_memory = info["total_memory"]
        self.multi_processor_count = info["multiprocessors"]
        self.warp_size = info["warp_size"]
        self.shared_memory_per_block = info["max_shared"]
        self.shared_memory_per_block_optin = info["max_shared_optin"]
        self.max_threads_per_block = info["max_threads_per_block"]
        number = _cuda.runtime._constants
        for name, key in (
            ("max_threads_per_multi_processor", "MaxThreadsPerMultiProcessor"),
            ("regs_per_multiprocessor", "MaxRegistersPerMultiprocessor"),
            ("shared_memory_per_multiprocessor", "MaxSharedMemoryPerMultiprocessor"),
            ("L2_cache_size", "L2CacheSize"),
            ("is_integrated", "Integrated"),
            ("is_multi_gpu_board", "IsMultiGpuBoard"),
            ("pci_bus_id", "PciBusId"),
            ("pci_device_id", "PciDeviceId"),
            ("pci_domain_id", "PciDomainId"),
        ):
            setattr(self, name, found.attribute(number[f"cudaDevAttr{key}"]))

    def __repr__(self):
        return (
            f"_CudaDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor}, "
            f"total_memory={self.total_memory // (1 << 20)}MB, multi_processor_count={self.multi_processor_count}, "
            f"L2_cache_size={self.L2_cache_size // (1 << 20)}MB)"
        )


def get_device_properties(device=None):
    """Return the properties of a GPU: name, compute capability, memory, number of multiprocessors and others."""
    return _CudaDeviceProperties(_gpu(device))


def get_device_name(device=None):
    """Return the name of a GPU."""
    return _gpu(device).info()["name"]


def get_device_capability(device=None):
    """Return the compute capability of a GPU."""
    return tuple(_gpu(device).info()["compute_capability"])


def get_arch_list():
    """Return the architectures of the GPUs of this machine, such as "sm_90"."""
    return sorted({"sm_{}{}".format(*get_device_capability(i)) for i in range(device_count())})


def get_gencode_flags():
    """Return the options of a compiler for the GPUs of this machine."""
    return " ".join(f"-gencode compute=compute_{a[3:]},code={a}" for a in get_arch_list())


def is_bf16_supported(including_emulation=True):
    """Return whether the current GPU supports bfloat16, with `including_emulation` also by emulation."""
    return is_available() and (including_emulation or get_device_capability()[0] >= 8)


def is_tf32_supported():
    """Return whether the current GPU has products in TF32."""
    return is_available() and get_device_capability()[0] >= 8


def can_device_access_peer(device, peer_device):
    """Return whether a GPU can access the memory of another one."""
    _gpu(device), _gpu(peer_device)
    return bool(_cuda.runtime.deviceCanAccessPeer(_number(device), _number(peer_device)))


def is_current_stream_capturing():
    """Return whether the current stream is captured: always False."""
    return False


complete(__name__)
