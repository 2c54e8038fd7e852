"""Fourier transforms of arrays, as in numpy.fft: of float32 and complex64 in single precision, of others in double precision.

The engine transforms along an axis (engine/run/calls/fourier.h): an FFT of quern's own on the CPU, cuFFT on a GPU.
"""

import operator

import numpy

from quern.arrays import fallback
from quern.arrays.core import Array, _axis, _is_out, asarray, asnumpy
from quern.arrays.creation import arange, zeros_like
from quern.arrays.elementwise import conjugate
from quern.arrays.manipulation import roll
from quern.arrays.shapes import concatenate
from quern.lib import _engine

_SWAPPED = {"backward": "forward", None: "forward", "ortho": "ortho", "forward": "backward"}


def _scale(n, norm, is_forward):
    if norm not in _SWAPPED:
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".')
    if norm == "ortho":
        return float(1 / numpy.sqrt(n))
    return 1.0 if is_forward is (norm != "forward") else 1 / n


def _single(a):
    return a._dtype_name in ("float32", "complex64", "float16", "bfloat16")


def _as_complex(a):
    return a.astype("complex64" if _single(a) else "complex128", copy=False)


def _resized(a, n, axis):
    """The axis cut, or filled up with zeros."""
    size, before = a.shape[axis], (slice(None),) * axis
    if size == n:
        return a
    if size > n:
        return a[(*before, slice(n))]
    out = zeros_like(a, shape=(*a.shape[:axis], n, *a.shape[axis + 1 :]))
    out[(*before, slice(size))] = a
    return out


def _one(kind, a, n, axis, norm, out=None):
    """Along one axis; ``kind`` as the engine names it."""
    a = asarray(a)
    axis = _axis(axis, a.ndim)
    if n is None:
        n = a.shape[axis] if kind != "whole" else (a.shape[axis] - 1) * 2
    n = operator.index(n)
    if n < 1:
        raise ValueError(f"Invalid number of FFT data points ({n}) specified.")
    is_half = kind == "whole" and a._dtype_name == "float16"
    scale = _scale(n, norm, kind in ("forward", "half"))
    if kind == "half":
        if a.dtype.kind == "c":
            raise TypeError("ufunc 'rfft_n_even' did not contain a loop with signature matching types: complex numbers are no operand")
        a = a.astype("float32" if _single(a) else "float64", copy=False)
    else:
        a = _as_complex(a)
    made = _engine.array_fourier(_resized(a, n // 2 + 1 if kind == "whole" else n, axis), kind, n, scale, axis)
    if is_half:
        made = made.astype("float16")  # NumPy keeps the type of real numbers
    if out is None:
        return made
    return _given(made, out)


def fft(a, n=None, axis=-1, norm=None, out=None):
    """The discrete Fourier transform along ``axis``.

    Parameters: ``n``: the length, what is longer is cut and what is shorter filled up with zeros; ``norm``: "backward" (none here, 1/n
    in the inverse), "ortho" (1/sqrt(n) in both) or "forward"; ``out``: an array that takes the result.
    Returns complex numbers, of single precision for operands of single or half precision.
    Raises ValueError for a length below 1 or another ``norm``, AxisError for an axis that is not there.

    >>> fft([1.0, 0.0, 0.0, 0.0]).real
    array([1., 1., 1., 1.])
    """
    return _one("forward", a, n, axis, norm, out)


def ifft(a, n=None, axis=-1, norm=None, out=None):
    """The inverse of :func:`fft`."""
    return _one("backward", a, n, axis, norm, out)


def rfft(a, n=None, axis=-1, norm=None, out=None):
    """The transform of real numbers: the first n // 2 + 1 elements of :func:`fft`, which tell the others. TypeError for complex ones."""
    return _one("half", a, n, axis, norm, out)


def irfft(a, n=None, axis=-1, norm=None, out=None):
    """The inverse of :func:`rfft`: ``n`` real numbers, by default 2 * (m - 1) of m."""
    return _one("whole", a, n, axis, norm, out)


def _swapped(norm):
    if norm not in _SWAPPED:
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".')
    return _SWAPPED[norm]


def hfft(a, n=None, axis=-1, norm=None, out=None):
    """The transform of what is Hermitian, given by its first half: real numbers."""
    a = asarray(a)
    n = (a.shape[_axis(axis, a.ndim)] - 1) * 2 if n is None else n
    return _one("whole", conjugate(a), n, axis, _swapped(norm), out)


def ihfft(a, n=None, axis=-1, norm=None, out=None):
    """The inverse of :func:`hfft`."""
    made = conjugate(_one("half", a, n, axis, _swapped(norm)))
    if out is None:
        return made
    out[...] = made
    return out


def _places(a, s, axes, is_inverse_real=False):
    """The lengths and axes of a transform along several."""
    if s is None:
        axes = list(range(a.ndim)) if axes is None else list(axes)
        s = [a.shape[_axis(n, a.ndim)] for n in axes]
        if is_inverse_real and s:
            s[-1] = (s[-1] - 1) * 2
    else:
        s = list(s)
        axes = list(range(-len(s), 0)) if axes is None else list(axes)
    if len(s) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    return [a.shape[_axis(d, a.ndim)] if n == -1 else n for n, d in zip(s, axes, strict=True)], axes


def _many(kind, a, s, axes, norm, out=None):
    a = asarray(a)
    s, axes = _places(a, s, axes)
    for n, axis in zip(s[::-1], axes[::-1], strict=True):
        a = _one(kind, a, n, axis, norm)
    return _given(a, out)


def _given(a, out):
    (out,) = out if isinstance(out, tuple) else (out,)
    if not _is_out(out):
        return a
    if out.shape != a.shape:
        raise ValueError("output array has wrong shape.")
    if not numpy.can_cast(a.dtype, out.dtype, "same_kind"):
        raise TypeError(f"Cannot cast output from {a.dtype!r} to {out.dtype!r} with casting rule 'same_kind'")
    out[...] = a if isinstance(out, Array) else asnumpy(a)
    return out


def fftn(a, s=None, axes=None, norm=None, out=None):
    """The transform along several axes, by default all. ``s``: the lengths, -1 for the axis' own; else as :func:`fft`."""
    return _many("forward", a, s, axes, norm, out)


def ifftn(a, s=None, axes=None, norm=None, out=None):
    """The inverse of :func:`fftn`."""
    return _many("backward", a, s, axes, norm, out)


def rfftn(a, s=None, axes=None, norm=None, out=None):
    """The transform of real numbers along several axes: :func:`rfft` along the last of them, :func:`fft` along the others."""
    a = asarray(a)
    s, axes = _places(a, s, axes)
    a = _one("half", a, s[-1], axes[-1], norm)
    for n, axis in zip(s[-2::-1], axes[-2::-1], strict=True):
        a = _one("forward", a, n, axis, norm)
    return _given(a, out)


def irfftn(a, s=None, axes=None, norm=None, out=None):
    """The inverse of :func:`rfftn`."""
    a = asarray(a)
    if s is not None and len(s) and list(s)[-1] == -1:
        raise fallback.Unserved("a last length of -1")
    s, axes = _places(a, s, axes, True)
    for n, axis in zip(s[:-1], axes[:-1], strict=True):
        a = _one("backward", a, n, axis, norm)
    return _given(_one("whole", a, s[-1], axes[-1], norm), out)


def fft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """:func:`fftn` along two axes."""
    return _many("forward", a, s, axes, norm, out)


def ifft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """:func:`ifftn` along two axes."""
    return _many("backward", a, s, axes, norm, out)


def rfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """:func:`rfftn` along two axes."""
    return rfftn(a, s, axes, norm, out)


def irfft2(a, s=None, axes=(-2, -1), norm=None, out=None):
    """:func:`irfftn` along two axes."""
    return irfftn(a, s, axes, norm, out)


def _count(n):
    if not isinstance(n, (int, numpy.integer)):
        raise ValueError("n should be an integer")
    return int(n)


def fftfreq(n, d=1.0, device=None):
    """The frequencies of the elements of :func:`fft` of ``n`` numbers that are ``d`` apart. Raises ValueError for another n.

    >>> fftfreq(4)
    array([ 0.  ,  0.25, -0.5 , -0.25])
    """
    n = _count(n)
    first = (n - 1) // 2 + 1
    places = concatenate([arange(first, device=device), arange(-(n // 2), 0, device=device)])
    return places * (1.0 / (n * d))


def rfftfreq(n, d=1.0, device=None):
    """The frequencies of the elements of :func:`rfft`.

    >>> rfftfreq(4)
    array([0.  , 0.25, 0.5 ])
    """
    n = _count(n)
    return arange(n // 2 + 1, device=device) * (1.0 / (n * d))


def _axes_of(x, axes):
    return tuple(range(x.ndim)) if axes is None else (axes,) if isinstance(axes, (int, numpy.integer)) else tuple(axes)


def fftshift(x, axes=None):
    """Moves frequency 0 to the middle, along all axes or those given.

    >>> fftshift([0, 1, 2, -2, -1])
    array([-2, -1,  0,  1,  2])
    """
    x = asarray(x)
    axes = _axes_of(x, axes)
    return roll(x, tuple(x.shape[n] // 2 for n in axes), axes)


def ifftshift(x, axes=None):
    """The inverse of :func:`fftshift`."""
    x = asarray(x)
    axes = _axes_of(x, axes)
    return roll(x, tuple(-(x.shape[n] // 2) for n in axes), axes)


__getattr__ = fallback.serve_module(globals(), numpy.fft, "fft.")
