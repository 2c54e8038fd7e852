"""CuPy's names on quern's arrays: what `import cupy` leads to under `quern run`.

CuPy functions without a native implementation run through NumPy on the host, with a warning (see quern.set_fallback); names that
CuPy does not have raise AttributeError.
"""

import builtins
import functools
import sys

import numpy

import quern as _quern
from quern import arrays as _arrays
from quern.arrays import core as _array_core
from quern.arrays.functions import tuples as _tuples
from quern.arrays.objects import exchange as _exchange
from quern.arrays.public_names import settle as _settle
from quern.cupy import (  # noqa: F401
    _core,
    _polynomials,
    _ufunc,
    _util,
    cuda,
    exceptions,
    fft,
    lib,
    linalg,
    polynomial,
    random,
    testing,
    typing,
)
from quern.cupy import _core as core  # noqa: F401
from quern.cupy import _util as util  # noqa: F401
from quern.cupy._array import as_ndarray, flatiter, ndarray  # noqa: F401
from quern.cupy._array_checks import check_byte_order as _check_byte_order
from quern.cupy._fallback import getter as _getter
from quern.cupy._fallback import of_ours as _of_ours
from quern.cupy._forms import in_room as _in_room
from quern.cupy._functions import *  # noqa: F403
from quern.cupy._fusion import fuse, vectorize  # noqa: F401
from quern.cupy._kernels import ElementwiseKernel, RawModule, ReductionKernel  # noqa: F401
from quern.cupy._memoize import clear_memo, memoize  # noqa: F401
from quern.cupy._names import CUPY as _names
from quern.cupy._old_names import *  # noqa: F403
from quern.cupy._polynomials import *  # noqa: F403
from quern.cupy._polynomials import poly1d as _poly1d
from quern.cupy._runtime_info import get_runtime_info as _get_runtime_info
from quern.cupy.cuda._waiting import _may_wait
from quern.cupy.cuda.memory import get_default_memory_pool  # noqa: F401
from quern.cupy.cuda.pinned_memory import get_default_pinned_memory_pool  # noqa: F401
from quern.cupy.cuda.stream import on_stream as _on_stream
from quern.device import device_given as _device_given
from quern.lib import _engine
from quern.raw import RawKernel  # noqa: F401
from quern.user_files import warn_user as _warn_user


def _name_of_native(dtype):
    _check_byte_order(dtype)
    return _array_core._dtype_name(dtype)


_engine.set_front_end("cupy", type=ndarray, name_of_dtype=_name_of_native, tuples=_tuples, device=_device_given)
_faces = _engine.add_functions(__name__, "cupy")
asarray = _faces["asarray"]


from quern.cupy._forms import (  # noqa: E402, F401
    c_,
    copyto,
    packbits,
    r_,
    repeat,
    require,
    select,
    unpackbits,
)


def apply_over_axes(func, a, axes):
    """Call a function for one axis after another.

    Parameters
    ----------
    func : callable
        ``func(a, axis)``; an axis that it removes stays, with size 1.
    a : array_like
        Input array.
    axes : int or sequence of ints
        Axes.

    Returns
    -------
    ndarray
        Result of the last call.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.apply_over_axes(cp.sum, cp.ones((2, 3, 4)), [0, 2])
    array([[[8.],
            [8.],
            [8.]]])
    """
    a = asarray(a)
    for axis in axes if isinstance(axes, (tuple, list)) else (axes,):
        axis = _array_core._axis(axis, a.ndim)
        result = func(a, axis)
        a = result if result.ndim == a.ndim else as_ndarray(_arrays.expand_dims(result, axis))
    return a


def put(a, ind, v, mode="wrap"):
    """Write values at indices of the flattened array.

    Parameters
    ----------
    a : ndarray
        Array that is changed.
    ind : array_like of ints
        Indices.
    v : array_like
        Values, repeated as often as needed.
    mode : {'wrap', 'clip', 'raise'}, optional
        Treatment of indices out of range.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> a = cp.zeros(3)
    >>> cp.put(a, [0, 2], [5, 7])
    >>> a
    array([5., 0., 7.])
    """
    if not isinstance(a, ndarray):
        raise TypeError(f"`a` must be a cupy.ndarray, not {type(a).__name__}")
    a.put(ind, v, mode)


def take(a, indices, axis=None, out=None, mode="wrap"):
    """Return the elements at indices along an axis.

    Parameters
    ----------
    a : array_like
        Input array.
    indices : array_like of ints
        Indices.
    axis : int, optional
        Axis; None is that of the flattened array.
    out : ndarray, optional
        Array that receives the result.
    mode : {'wrap', 'clip', 'raise'}, optional
        Treatment of indices out of range.

    Returns
    -------
    ndarray
        Shape of `a` with that of `indices` in place of `axis`.

    Raises
    ------
    AxisError
        For an `axis` out of range.
    TypeError
        For indices or an `out` that are not arrays of numbers.
    ValueError
        For an `out` of another shape, or an unknown `mode`.
    IndexError
        For indices out of range with ``mode="raise"``, when the result is read.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.take(cp.asarray([4, 5, 6]), [0, 2, 3])
    array([4, 6, 4])
    """
    return asarray(a).take(indices, axis, out, mode)


def take_along_axis(arr, indices, axis=-1):
    """See :func:`quern.take_along_axis`; places that are not there wrap around."""
    arr, indices = asarray(arr), asarray(indices)
    if axis is None:
        if indices.ndim != 1:
            raise ValueError("when axis=None, `indices` must have a single dimension.")
        arr, axis = arr.ravel(), 0
    return arr[tuple(_engine.array_indices_along(arr, indices, _array_core._axis(axis, arr.ndim)))]


def from_dlpack(x, /, *, device=None, copy=None):
    """See :func:`quern.from_dlpack`; ``device``: a Device of CuPy's, too."""
    return as_ndarray(_exchange.from_dlpack(x, device=_device_given(device), copy=copy))


def row_stack(tup, *, dtype=None, casting="same_kind"):
    """See :func:`vstack`, the name of which NumPy kept."""
    _warn_user("`row_stack` alias is deprecated. Use `cupy.vstack` directly.", DeprecationWarning)
    return as_ndarray(_arrays.vstack(tup, dtype=dtype, casting=casting))


def _warned_of_nan(function):
    @functools.wraps(function)
    def call(a, *args, **kwargs):
        result = function(a, *args, **kwargs)
        if result.dtype.kind == "f" and bool(_arrays.isnan(result).any()):
            _warn_user("All-NaN slice encountered", RuntimeWarning)
        return result

    return call


nanmax, nanmin = _warned_of_nan(_of_ours(_arrays.nanmax)), _warned_of_nan(_of_ours(_arrays.nanmin))


# The functions of quern's that the loop above has made, as CuPy's differ from them.
tile, repeat, outer = _in_room(tile), _in_room(repeat), _in_room(outer)  # noqa: F405


@_in_room
def copy(a, order="K"):
    """Return a copy of an array on the current device.

    Parameters
    ----------
    a : array_like
        Input array.
    order : {'C', 'F', 'A', 'K'}, optional
        Memory layout of the copy.

    Returns
    -------
    ndarray
        Shape and dtype of `a`.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.copy([1, 2])
    array([1, 2])
    """
    return a.copy(order) if isinstance(a, ndarray) else as_ndarray(_array_core.copy(a, order))


def fromDlpack(dltensor):  # noqa: N802
    """The array of a DLPack capsule; CuPy's old name of from_dlpack."""
    text = "This function is deprecated and will be removed in a future release. Use the cupy.from_dlpack() array constructor instead."
    _warn_user(text, numpy.exceptions.VisibleDeprecationWarning)
    return as_ndarray(_exchange.from_dlpack(dltensor))


def asnumpy(a, stream=None, order="C", out=None, *, blocking=True):
    """Copy an array to the host as a NumPy array; this waits for the values.

    Parameters
    ----------
    a : array_like
        Array of any shape and dtype; objects that are no quern arrays go to :func:`numpy.asarray`.
    stream : Stream, optional
        Stream of the copy.
    order : {'C', 'F', 'A'}, optional
        Memory layout of the result.
    out : numpy.ndarray, optional
        Array that receives the values.
    blocking : bool, optional
        Accepted for compatibility.

    Returns
    -------
    numpy.ndarray
        Shape and dtype of `a`.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.asnumpy(cp.arange(3) * 2)
    array([0, 2, 4])
    """
    if hasattr(type(a), "__cupy_get_ndarray__") or _array_core._is_on_gpu(a):
        a = asarray(a)
    if issubclass(type(a), _quern.Array):  # not records of the device, which say that they are
        _may_wait("asnumpy()")
        with _on_stream(stream):
            host = numpy.asarray(_quern.asnumpy(a), order=(order or "C").upper())
    else:
        host = numpy.asarray(a)
    if out is None:
        return host
    out[...] = host
    return out


def get_array_module(*args):
    """Return the module of the functions for arguments: CuPy's if one of them is a CuPy array, NumPy otherwise.

    Parameters
    ----------
    *args : object
        Arrays, or other values.

    Returns
    -------
    module
        This module or `numpy`.

    Examples
    --------
    >>> import numpy
    >>> from quern import cupy as cp
    >>> cp.get_array_module(cp.ones(2)) is cp, cp.get_array_module(numpy.ones(2)) is numpy
    (True, True)
    """
    return _this if builtins.any(isinstance(a, (_quern.Array, _poly1d)) for a in args) else numpy


def min_scalar_type(a):
    """Return the smallest dtype that holds a number; the dtype of an array.

    Parameters
    ----------
    a : scalar or ndarray
        Number or array.

    Returns
    -------
    dtype
        Dtype.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.min_scalar_type(200)
    dtype('uint8')
    """
    return asarray(a).dtype if isinstance(a, _quern.Array) or _engine.offers_array(a) else _arrays.min_scalar_type(a)


def is_available():
    """Is there a device? Always: the CPU where there is no GPU."""
    return True


def show_config(*, _full=False):
    """Prints what this runs on: versions, devices, where compiled code is kept."""
    print(_get_runtime_info(full=_full))


__getattr__ = _getter(globals(), _names, _arrays, numpy, "cupy")
_settle(__name__)

__version__ = "14.2.0"  # the version whose names these are
_this = sys.modules[__name__]
__name__ = "cupy"  # what programs for NumPy and CuPy ask of `xp`
