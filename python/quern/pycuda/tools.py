"""PyCUDA's tools, as far as programs with their own kernels need them."""

from __future__ import annotations

import os

from quern.pycuda import driver as _driver


def get_default_device(default=0):
    """The device that CUDA_DEVICE or the file ~/.cuda_device names, else `default`."""
    number = os.environ.get("CUDA_DEVICE")
    if number is None:
        try:
            with open(os.path.expanduser("~/.cuda_device")) as f:
                number = f.read().strip()
        except OSError:
            number = default
    return _driver.Device(int(number))


def make_default_context(ctx_maker=None):
    """A context on the default device, made current."""
    device = get_default_device()
    return ctx_maker(device) if ctx_maker else device.make_context()


def clear_context_caches():
    """Gives unused device memory back."""
    from quern.lib import _engine

    _engine.current_device().trim()


def dtype_to_ctype(dtype):
    """The C name of a NumPy dtype: "float", "unsigned int" ..."""
    import numpy as np

    dtype = np.dtype(dtype)
    names = {
        "bool": "bool",
        "int8": "signed char",
        "uint8": "unsigned char",
        "int16": "short",
        "uint16": "unsigned short",
        "int32": "int",
        "uint32": "unsigned",
        "int64": "long long",
        "uint64": "unsigned long long",
        "float32": "float",
        "float64": "double",
        "complex64": "pycuda::complex<float>",
        "complex128": "pycuda::complex<double>",
    }
    if dtype.name not in names:
        raise ValueError(f"unable to map dtype '{dtype}'")
    return names[dtype.name]
