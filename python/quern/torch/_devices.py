"""Devices and dtypes, from PyTorch's to the engine's and back."""

from quern.lib import _engine
from quern.torch import _types
from quern.torch._types import as_device, as_dtype

_CPU = _types.device("cpu")
_GPUS = {}


def device_of_number(number):
    """The torch.device of the engine's number of it: -1 is the CPU."""
    if number < 0:
        return _CPU
    if number not in _GPUS:
        _GPUS[number] = _types.device("cuda", number)
    return _GPUS[number]


def engine_device(device):
    """The engine's device for what users pass as ``device``; None is the default one. Raises RuntimeError for one that is not there."""
    device = _types.get_default_device() if device is None else as_device(device)
    if device.type == "cpu":
        return _engine.cpu()
    if device.type == "cuda":
        count = gpu_count()
        if count == 0:
            raise RuntimeError("No CUDA GPUs are available; use device='cpu', or ask torch.cuda.is_available() first")
        if device.index is not None and device.index >= count:
            raise RuntimeError(f"CUDA error: invalid device ordinal: there is no cuda:{device.index}; the last is cuda:{count - 1}")
        return _engine.cuda(current_gpu() if device.index is None else device.index)
    if device.type == "meta":
        raise RuntimeError("the device 'meta' is not supported; create tensors on 'cpu'")
    raise RuntimeError(f"unsupported device {device.type!r}; use 'cpu' or 'cuda'")


def gpu_count():
    """How many GPUs there are for programs: none where QUERN_DEVICE=cpu asks for the CPU."""
    return 0 if _engine.default_device().kind == "cpu" else _engine.cuda_count()


def current_gpu():
    """The number of the GPU that 'cuda' means: this thread's, whichever library has chosen it."""
    device = _engine.current_device()
    return device.index if device.kind == "cuda" else 0


def set_current_gpu(number):
    """Makes a GPU the one that 'cuda' means in this thread."""
    _engine.set_current_device(_engine.cuda(number))


def name_of(dtype, function="dtype"):
    """The engine's name of a dtype."""
    return as_dtype(dtype, function)._name


_types.on_default_dtype(lambda dtype: _engine.set_torch_default(dtype._name))


def _known(device):
    """The engine's device for the default one, where that is there whatever happens; else None."""
    if device.type == "cpu":
        return _engine.cpu()
    is_there = device.type == "cuda" and device.index is not None and device.index < gpu_count()
    return _engine.cuda(device.index) if is_there else None


_types.on_default_device(lambda device: _engine.set_torch_device(_known(device)))
