"""Functions in CUDA C++ that cuFFT calls for each element that a transform loads or stores: here kernels before and behind it call them."""

import contextlib
import functools
import math
import operator
import re
import threading

import numpy

from quern.arrays import core as _core
from quern.arrays import fft as _fft
from quern.arrays.creation import empty, zeros
from quern.cupy._array import as_ndarray
from quern.lib import _engine
from quern.raw import RawModule

_of_thread = threading.local()

# What cufftXt.h says, by the letters of NumPy's types.
_TYPES = {"f": ("cufftReal", "R", "Real"), "d": ("cufftDoubleReal", "D", "DoubleReal")}
_TYPES |= {"F": ("cufftComplex", "C", "Complex"), "D": ("cufftDoubleComplex", "Z", "DoubleComplex")}
_HEADER = "#include <cuComplex.h>\ntypedef float cufftReal;\ntypedef double cufftDoubleReal;\ntypedef cuComplex cufftComplex;\n"
_HEADER += "typedef cuDoubleComplex cufftDoubleComplex;\n"
for _type, _letter, _name in _TYPES.values():
    for _of in (f"cufftCallback{{}}{_letter}", f"cufftJITCallback{{}}{_name}_t"):
        _HEADER += f"typedef {_type} (*{_of.format('Load')})(void*, size_t, void*, void*);\n"
        _HEADER += f"typedef void (*{_of.format('Store')})(void*, size_t, {_type}, void*, void*);\n"


class _Callback:
    """One function of the user's: what it is called, and its text without what belongs to cuFFT."""

    def __init__(self, what, code, name, version, data, options):
        if not isinstance(code, str):
            raise TypeError(f"[set_cufft_callbacks] cb_{what} must be CUDA C++ source, not {type(code).__name__}; pass no compiled code")
        self.what, self.options, self.data = what, options, data
        code = re.sub(r"^[ \t]*#[ \t]*include[ \t]*[<\"]cufft(Xt)?\.h[>\"]", "", code, flags=re.M)
        if version == "legacy":
            variable = f"d_{what}CallbackPtr"
            told = re.search(rf"(?:\b\w+\s+)+{variable}\s*=\s*&?\s*(\w+)\s*;", code)
            if not told:
                raise ValueError(f"[set_cufft_callbacks] the source defines no `__device__ ... {variable} = function;`")
            name, code = told[1], code[: told.start()] + code[told.end() :]
        elif name is None:
            told = re.search(rf"\b(cufftJITCallback{what.title()}\w+)\s*\(", code)
            if not told:
                raise ValueError(f"[set_cufft_callbacks] the callback function cannot be inferred; pass cb_{what}_name=")
            name = told[1]
        self.code, self.name = code, name

    def address(self):
        """Of what the function is given as callerInfo."""
        return 0 if self.data is None else getattr(self.data, "data", self.data).ptr

    def run(self, array):
        """The array as the function loads it, or as it stores it."""
        out = empty(array.shape, array.dtype)
        n, block = array.size, 256
        if n:
            kernel = _kernel(self.what, self.code, self.name, array.dtype.char, self.options)
            kernel((-(-n // block),), (block,), (array, out, numpy.uint64(self.address()), numpy.uint64(n)))
        return out


@functools.lru_cache(64)
def _kernel(what, code, name, letter, options):
    kind = _TYPES[letter][0]
    call = f"to[i] = {name}(from, i, (void*)info, nullptr)" if what == "load" else f"{name}(to, i, from[i], (void*)info, nullptr)"
    text = f"""{_HEADER}{code}
extern "C" __global__ void quern_of_a_transform({kind}* from, {kind}* to, unsigned long long info, unsigned long long n) {{
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {call};
}}
"""
    return RawModule(code=text, options=options).get_function("quern_of_a_transform")


@contextlib.contextmanager
def set_cufft_callbacks(
    cb_load=None,
    cb_store=None,
    cb_load_aux_arr=None,
    *,
    cb_store_aux_arr=None,
    cb_load_name=None,
    cb_store_name=None,
    cb_load_data=None,
    cb_store_data=None,
    cb_ver="legacy",
    nvrtc_options=(),
):
    """For ``with``: transforms of the block load each element through one function in CUDA C++, and store it through another.

    Parameters: ``cb_load``, ``cb_store``: texts. With ``cb_ver="legacy"`` they define the variable ``d_loadCallbackPtr`` or
    ``d_storeCallbackPtr``; with "jit" the function is ``cb_load_name`` or ``cb_store_name``, by default one that begins with
    ``cufftJITCallback``. ``cb_load_data``, ``cb_store_data``: memory that the function receives, as its third or fourth argument
    (``cb_load_aux_arr``, ``cb_store_aux_arr``: arrays); ``nvrtc_options``: of the compiler. No memory is shared: sharedPtr is null.
    Raises ValueError for texts without such a function.
    """
    if cb_ver not in ("legacy", "jit"):
        raise ValueError(f"[set_cufft_callbacks] cb_ver must be 'legacy' or 'jit', not {cb_ver!r}")
    if not cb_load and not cb_store:
        raise ValueError("[set_cufft_callbacks] pass cb_load, cb_store or both")
    loads = cb_load and _Callback("load", cb_load, cb_load_name, cb_ver, cb_load_data or cb_load_aux_arr, tuple(nvrtc_options))
    stores = cb_store and _Callback("store", cb_store, cb_store_name, cb_ver, cb_store_data or cb_store_aux_arr, tuple(nvrtc_options))
    _engine.set_front_end("cupy", before_transforms=_called)
    before = getattr(_of_thread, "current", None)
    _of_thread.current = loads, stores
    try:
        yield
    finally:
        _of_thread.current = before


def _fitted(array, axis, size):
    """Cut off, or filled up with zeros."""
    if array.shape[axis] == size:
        return array
    places = [slice(None)] * array.ndim
    places[axis] = slice(min(size, array.shape[axis]))
    out = zeros([size if d == axis else n for d, n in enumerate(array.shape)], array.dtype)
    out[tuple(places)] = array[tuple(places)]
    return out


def _transformed(name, array, sizes, axes, norm):
    """The transform, between the functions of the block."""
    loads, stores = _of_thread.current
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(f'Invalid norm value {norm!r}, should be "backward", "ortho" or "forward"')
    is_inverse, takes_real, gives_real = name.startswith("i"), name.startswith("r"), name.startswith("ir")
    single = array.dtype.char in "efF"
    x = array.astype(("f" if single else "d") if takes_real else ("F" if single else "D"), copy=False)
    axes = [operator.index(a) % x.ndim for a in (range(x.ndim) if axes is None and sizes is None else axes or range(-len(sizes), 0))]
    if sizes is None:
        sizes = [x.shape[a] for a in axes]
        if gives_real:
            sizes[-1] = 2 * (sizes[-1] - 1)
    else:
        sizes = [operator.index(n) for n in sizes]
    for axis, size in zip(axes, sizes, strict=True):
        x = _fitted(x, axis, size // 2 + 1 if gives_real and axis == axes[-1] else size)
    x = x if x.flags.c_contiguous else x.copy()
    if loads:
        x = loads.run(x)
    if takes_real:
        made = _fft.rfftn(x, axes=axes)
    elif gives_real:
        made = _fft.irfftn(x, s=sizes, axes=axes, norm="forward")
    else:
        made = _fft.ifftn(x, axes=axes, norm="forward") if is_inverse else _fft.fftn(x, axes=axes)
    if stores:
        made = stores.run(made if made.flags.c_contiguous else made.copy())
    total = math.prod(sizes)
    if norm == "ortho":
        made = made / math.sqrt(total)
    elif is_inverse == (norm != "forward"):
        made = made / total
    return as_ndarray(made)


_PLAIN = ("hfft", "ihfft", "fftshift", "ifftshift", "fftfreq", "rfftfreq")  # functions that no block changes


def _called(name, args, kwargs, _reason):
    """A transform that is called in a block; NotImplemented outside of one."""
    if getattr(_of_thread, "current", None) is None or name in _PLAIN:
        return NotImplemented
    one, pair = not name.endswith(("n", "2")), name.endswith("2")
    names = ("a", "n", "axis", "norm") if one else ("a", "s", "axes", "norm")
    given = dict(zip(names, args, strict=False), **kwargs)
    sizes, axes = given.get(names[1]), given.get(names[2], -1 if one else (-2, -1) if pair else None)
    if one:
        sizes, axes = None if sizes is None else (sizes,), (axes,)
    return _transformed(name, as_ndarray(_core.asarray(given["a"])), sizes, axes, given.get("norm"))
