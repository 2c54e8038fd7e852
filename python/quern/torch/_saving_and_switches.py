"""What surrounds tensors in torch: saving, compiling, switches. What has no meaning here does nothing, or says so once."""

import contextlib
import os
import pickle
import sys
import types

import numpy

from quern.lib import _engine
from quern.torch import _pickling, _types
from quern.torch._core import Tensor, _rebuilt
from quern.torch._devices import gpu_count
from quern.torch.nn import attention
from quern.user_files import warn_user

_told = set()


def _tell(name, text):
    if name not in _told:
        _told.add(name)
        warn_user(text)


def _module(name, doc, **names):
    made = types.ModuleType(f"torch.{name}", doc)
    made.__dict__.update(names)

    def missing(attribute):
        raise AttributeError(f"module 'torch.{name}' has no attribute '{attribute}': quern does not support it")

    made.__getattr__ = missing
    sys.modules[f"quern.torch.{name}"] = made
    return made


# ---- compilation: work is recorded, fused and compiled anyway


def compile(model=None, *, fullgraph=False, dynamic=None, backend="inductor", mode=None, options=None, disable=False):  # noqa: A001
    """Return the model or function itself: operations are recorded, fused and compiled in any case.

    A warning says so once. All parameters but `model` are accepted for compatibility.

    Parameters
    ----------
    model : callable, optional
        Module or function; None returns a decorator.

    Returns
    -------
    callable
        `model`.
    """
    _tell("compile", "torch.compile() returns the function unchanged: quern fuses and compiles operations without it")
    return (lambda one: one) if model is None else model


def _same(obj=None, *args, **kwargs):
    """Gives its first argument: there is nothing to compile ahead."""
    _tell("jit", "torch.jit returns the function unchanged: quern fuses and compiles operations without it")
    return (lambda one: one) if obj is None else obj


jit = _module(
    "jit", "Gives what it is given.", script=_same, trace=_same, ignore=lambda f=None, **k: f, unused=lambda f: f,
    export=lambda f: f, is_scripting=lambda: False, is_tracing=lambda: False, Final=object,
)  # fmt: skip
compiler = _module(
    "compiler", "Nothing is compiled ahead.", disable=lambda f=None, recursive=True: (lambda g: g) if f is None else f,
    is_compiling=lambda: False, reset=lambda: None,
)  # fmt: skip
distributed = _module(
    "distributed", "One process.", is_available=lambda: False, is_initialized=lambda: False, get_rank=lambda group=None: 0,
    get_world_size=lambda group=None: 1,
)  # fmt: skip
version = _module("version", "What this is.", cuda=None, hip=None, git_version="", debug=False, __version__="2.9.0")


class _Switch(types.SimpleNamespace):
    """Settings of a library of PyTorch's: what is set is kept and changes nothing."""


class _Matmul(_Switch):
    """Settings of matrix products. ``allow_tf32``: factors of float32 may be rounded to TF32 on a GPU."""

    @property
    def allow_tf32(self):
        return _engine.allows_tf32()

    @allow_tf32.setter
    def allow_tf32(self, allowed):
        if not isinstance(allowed, bool):
            raise TypeError(f"set_allow_tf32_cublas expects a bool, but got {type(allowed).__name__}")
        set_float32_matmul_precision("high" if allowed else "highest")


class _Cudnn(_Switch):
    """Settings of convolutions on a GPU, which cuDNN computes where it is installed.

    Attributes
    ----------
    enabled : bool
        Whether cuDNN is used; else quern's own kernel is.
    benchmark : bool
        Whether the ways to compute a convolution are measured when its shapes are first used, to take the fastest.
    deterministic : bool
        Whether only those ways are used that give the same bits each time.
    allow_tf32 : bool
        Whether factors of float32 may be rounded to TF32, which has 10 bits of fraction.
    """

    def __getattr__(self, name):
        settings = _engine.cudnn_settings()
        if name not in settings:
            raise AttributeError(f"module 'torch.backends.cudnn' has no attribute {name!r}")
        return settings[name]

    def __setattr__(self, name, value):
        settings = _engine.cudnn_settings()
        if name not in settings:
            return super().__setattr__(name, value)
        if not isinstance(value, bool):
            raise TypeError(f"set_{name}_cudnn expects a bool, but got {type(value).__name__}")
        return _engine.set_cudnn_settings({**settings, name: value})

    @staticmethod
    def is_available():
        """Whether cuDNN is installed and used."""
        return _engine.cuda_count() > 0 and not _engine.cudnn_problem()

    @staticmethod
    def version():
        """The version of cuDNN, 91002 for 9.10.2; None without it."""
        return _engine.cudnn_version() or None if _engine.cuda_count() > 0 else None

    @staticmethod
    @contextlib.contextmanager
    def flags(enabled=False, benchmark=False, benchmark_limit=10, deterministic=False, allow_tf32=True):
        """The settings, for the block of a ``with`` statement."""
        before = _engine.cudnn_settings()
        _engine.set_cudnn_settings(dict(enabled=enabled, benchmark=benchmark, deterministic=deterministic, allow_tf32=allow_tf32))
        try:
            yield
        finally:
            _engine.set_cudnn_settings(before)


backends = _module(
    "backends", "Settings of PyTorch's libraries.",
    cudnn=_Cudnn(),
    cuda=_Switch(matmul=_Matmul(allow_fp16_reduced_precision_reduction=True), is_built=lambda: _engine.cuda_count() > 0,
                 is_flash_attention_available=lambda: False, **attention.switches()),
    mha=_Switch(get_fastpath_enabled=lambda: False, set_fastpath_enabled=lambda value: None),
    mps=_Switch(is_available=lambda: False, is_built=lambda: False),
    mkl=_Switch(is_available=lambda: False),
    mkldnn=_Switch(is_available=lambda: False, enabled=False),
    openmp=_Switch(is_available=lambda: False),
)  # fmt: skip

backends.__path__ = []  # its settings are imported by their names, too
for _name in ("cudnn", "cuda", "mps", "mkl", "mkldnn", "openmp", "mha"):
    sys.modules[f"quern.torch.backends.{_name}"] = getattr(backends, _name)

_precision = ["highest"]


def set_float32_matmul_precision(precision):
    """Set how exact products of float32 matrices are on a GPU.

    The setting is that of the process. Products on the CPU always have the precision of float32.

    Parameters
    ----------
    precision : {'highest', 'high', 'medium'}
        "highest" keeps float32; the others round the factors to TF32, which has 10 bits of fraction and is several times as
        fast.

    Raises
    ------
    RuntimeError
        For another value.

    Examples
    --------
    >>> from quern import torch
    >>> torch.set_float32_matmul_precision("high")
    >>> torch.get_float32_matmul_precision()
    'high'
    >>> torch.set_float32_matmul_precision("highest")
    """
    if precision not in ("highest", "high", "medium"):
        raise RuntimeError(f"{precision} is not one of 'highest', 'high', or 'medium'")
    _precision[0] = precision
    _engine.allow_tf32(precision != "highest")


def get_float32_matmul_precision():
    """Return the value that :func:`set_float32_matmul_precision` was called with last, "highest" at the start.

    Returns
    -------
    str
        Word.

    Examples
    --------
    >>> from quern import torch
    >>> torch.get_float32_matmul_precision()
    'highest'
    """
    return _precision[0]


def set_num_threads(n):
    """Do nothing; accepted for compatibility: the environment variable QUERN_NUM_THREADS sets the number of threads of the CPU device.

    Parameters
    ----------
    n : int
        Accepted for compatibility.

    Examples
    --------
    >>> from quern import torch
    >>> torch.set_num_threads(2)
    """


def get_num_threads():
    """Return the number of threads of the CPU device.

    Returns
    -------
    int
        Number of threads.

    Examples
    --------
    >>> from quern import torch
    >>> torch.get_num_threads() >= 1
    True
    """
    import os

    return int(os.environ.get("QUERN_NUM_THREADS") or len(os.sched_getaffinity(0)))


# ---- files


def save(obj, f, pickle_module=pickle, pickle_protocol=2, _use_new_zipfile_serialization=True):
    """Save tensors, and objects that hold them, to a file in Python's pickle format.

    PyTorch itself does not read such files; :func:`load` does.

    Parameters
    ----------
    obj : object
        Tensor of any shape and dtype, state dict, or container of tensors.
    f : str, path or file object
        File that is written.
    pickle_module : module, optional
        Module whose `dump` writes the file.
    pickle_protocol : int, optional
        Pickle protocol, at least 4.

    Examples
    --------
    >>> import io
    >>> from quern import torch
    >>> file = io.BytesIO()
    >>> torch.save({"weight": torch.ones(2)}, file)
    >>> file.seek(0)
    0
    >>> torch.load(file)
    {'weight': tensor([1., 1.])}
    """
    if hasattr(f, "write"):
        pickle_module.dump(obj, f, protocol=max(pickle_protocol, 4))
        return
    if not isinstance(f, (str, os.PathLike)):  # open() takes a number as an open file of the process
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
    with open(f, "wb") as file:
        pickle_module.dump(obj, file, protocol=max(pickle_protocol, 4))


_SAFE = {
    "builtins": {"dict", "list", "tuple", "set", "frozenset", "int", "float", "complex", "bool", "str", "bytes", "bytearray", "slice",
                 "range"},
    "collections": {"OrderedDict", "defaultdict", "Counter"},
    "numpy": {"dtype", "ndarray"},
    "ml_dtypes": {"bfloat16"},
}  # fmt: skip


def _present(device):
    """Return the name of a device. Raises RuntimeError for a GPU where there is none."""
    if str(device).startswith("cuda") and gpu_count() == 0:
        raise RuntimeError(
            "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. Use torch.load with "
            "map_location=torch.device('cpu') to map the tensors to the CPU."
        )
    return str(device)


def _place_by(map_location):
    """(name of a device in the file, its values) -> the name of the device where the tensor shall be."""
    if map_location is None:
        return lambda name, host: _present(name)
    if callable(map_location) and not isinstance(map_location, _types.device):

        def place(name, host):
            moved = map_location(_rebuilt("uint8", host.reshape(-1).view(numpy.uint8), "cpu", False, None), name)
            return name if moved is None else str(moved.device)

        return place
    if isinstance(map_location, dict):
        return lambda name, host: _present(_types.device(map_location.get(name, name)))
    where = _present(_types.device(map_location))
    return lambda name, host: where


def _made_at(place):
    """What the file calls to make memory, by their names, on the devices that ``place`` gives."""

    def memory(kind, host, device):
        return _pickling._memory(kind, host, place(device, host))

    def rebuilt(kind, host, device, requires_grad, cls):
        return _rebuilt(kind, host, place(device, host), requires_grad, cls)

    return {"_memory": memory, "_rebuilt": rebuilt}


def _reader(pickle_module, file, place):
    """An unpickler that makes anything."""
    makes = _made_at(place)

    class Reader(pickle_module.Unpickler):
        def find_class(self, module, name):
            if module.startswith("quern.torch") and name in makes:
                return makes[name]
            return super().find_class(module, name)

    return Reader(file)


class _Reader(pickle.Unpickler):
    """Makes nothing but tensors, numbers and containers, and runs no code of the file's; memory is made on the devices ``place`` gives."""

    def __init__(self, file, place):
        super().__init__(file)
        self.makes = _made_at(place)

    def find_class(self, module, name):
        ours = module.startswith("quern.torch") and name in (
            "_rebuilt",
            "_rebuilt_view",
            "_memory",
            "_rebuild_parameter",
            "Tensor",
            "Parameter",
            "Size",
            "size_of",
            "_named",
            "_device",
            "_size",
        )
        numpys = module.startswith("numpy") and name in ("_reconstruct", "_frombuffer", "ndarray", "dtype", "scalar")
        torchs = module == "torch" and name in ("Tensor", "Size", "device")
        if ours or numpys or torchs or name in _SAFE.get(module, ()):
            if ours and name in self.makes:
                return self.makes[name]
            if torchs:
                return {"Tensor": Tensor, "Size": _types.Size, "device": _types.device}[name]
            return super().find_class(module, name)
        raise pickle.UnpicklingError(
            f"Weights only load failed. The file holds a {module}.{name}, which weights_only=True does not allow; load it with "
            f"weights_only=False if you trust its source"
        )


def load(f, map_location=None, pickle_module=pickle, *, weights_only=True, mmap=None, **pickle_load_args):
    """Load an object that :func:`save` wrote.

    Parameters
    ----------
    f : str, path or file object
        File that is read.
    map_location : str, device, dict or callable, optional
        Device of the tensors; or a dict from devices of the file to devices; or a function of the values, a tensor of bytes on the CPU, and
        the name of their device, which returns them on the device where they are to be, or None for that device.
    pickle_module : module, optional
        Module whose `Unpickler` reads the file with ``weights_only=False``.
    weights_only : bool, optional
        Whether to load only tensors and containers, and to run no code of the file.
    mmap : bool, optional
        Accepted for compatibility; has no effect.
    **pickle_load_args : dict, optional
        Accepted for compatibility; have no effect.

    Returns
    -------
    object
        The saved object; tensors keep their shapes and dtypes.

    Raises
    ------
    RuntimeError
        For files in PyTorch's own format, which quern does not read.

    Examples
    --------
    >>> import io
    >>> from quern import torch
    >>> file = io.BytesIO()
    >>> torch.save(torch.arange(3), file)
    >>> file.seek(0)
    0
    >>> torch.load(file, map_location="cpu")
    tensor([0, 1, 2])
    """
    if not hasattr(f, "read"):
        if not isinstance(f, (str, os.PathLike)):
            raise AttributeError(f"'{type(f).__name__}' object has no attribute 'seek'; pass a path or a file that is open for reading")
        with open(f, "rb") as file:
            return load(file, map_location, pickle_module, weights_only=weights_only)
    start = f.read(4)
    f.seek(-len(start), 1)
    if start == b"PK\x03\x04":
        raise RuntimeError("[load] this is a file of PyTorch's own, which quern does not read; save its values with numpy.savez()")
    place = _place_by(map_location)
    if start[:1] != pickle.PROTO:
        name = getattr(f, "name", "this")
        raise pickle.UnpicklingError(f"[load] {name} is not a file that torch.save() wrote; numpy.loadtxt() reads numbers of text files")
    return (_Reader(f, place) if weights_only else _reader(pickle_module, f, place)).load()
