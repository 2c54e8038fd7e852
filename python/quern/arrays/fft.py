"""Fourier transforms of arrays, as in numpy.fft: of float32 and complex64 in single precision, of others in double precision.

The engine transforms (engine/functions/fourier_axes.h): by an FFT of quern's own on the CPU, by cuFFT on a GPU.
"""

import operator

import numpy

from quern.arrays import fallback
from quern.arrays.core import Array, _axis, asarray
from quern.arrays.creation import _target
from quern.arrays.manipulation import roll
from quern.arrays.mathematics.reductions import _fitted
from quern.lib import _engine

# By their numbers in Norm of engine/include/quern/fft.h.
_NORMS = {None: 0, "backward": 0, "ortho": 1, "forward": 2}


def _norm_of(norm):
    if norm not in _NORMS:
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".')
    return _NORMS[norm]


def _one(kind, a, n, axis, norm, out):
    """Along one axis; ``kind`` as the engine names it."""
    if type(a) is not Array:
        a = asarray(a)
    axis = _axis(axis, a.ndim)
    return _given(_engine.array_fourier(a, kind, None if n is None else operator.index(n), axis, _norm_of(norm)), out)


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


def hfft(a, n=None, axis=-1, norm=None, out=None):
    """The transform of what is Hermitian, given by its first half: real numbers."""
    return _one("hermitian", a, n, axis, norm, out)


def ihfft(a, n=None, axis=-1, norm=None, out=None):
    """The inverse of :func:`hfft`."""
    return _one("hermitian_half", a, n, axis, norm, out)


def _many(kind, a, s, axes, norm, out):
    """Along several axes. Lengths are of the last axes where no axes are given; -1 is the axis' own."""
    if type(a) is not Array:
        a = asarray(a)
    axes = list(axes) if axes is not None else range(a.ndim) if s is None else range(-len(s), 0)
    lengths = [None] * len(axes) if s is None else list(s)
    axes = [_axis(n, a.ndim) for n in axes]
    lengths = [None if n is None or n == -1 else operator.index(n) for n in lengths]
    if not axes and kind in ("forward", "backward"):
        return _given(a, out)
    return _given(_engine.array_fourier_along(a, kind, lengths, axes, _norm_of(norm)), out)


def _given(a, out):
    if out is None:
        return a
    return _fitted(a, *out if isinstance(out, tuple) else (out,), casting="same_kind")


def fftn(a, s=None, axes=None, norm=None, out=None):
    """The transform along several axes, by default all. ``s``: the lengths, -1 for the axis' own; else as :func:`fft`."""
    return _many("forward", a, s, axes, norm, out)


def ifftn(a, s=None, axes=None, norm=None, out=None):
    """The inverse of :func:`fftn`."""
    return _many("backward", a, s, axes, norm, out)


def rfftn(a, s=None, axes=None, norm=None, out=None):
    """The transform of real numbers along several axes: :func:`rfft` along the last of them, :func:`fft` along the others."""
    return _many("half", a, s, axes, norm, out)


def irfftn(a, s=None, axes=None, norm=None, out=None):
    """The inverse of :func:`rfftn`."""
    if s is not None and len(s) and list(s)[-1] == -1:
        raise fallback.Unserved("a last length of -1")
    return _many("whole", a, s, axes, norm, out)


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


def _frequencies(n, d, is_half, device):
    if not isinstance(n, (int, numpy.integer)):
        raise ValueError("n should be an integer")
    return _engine.array_frequencies(n, 1.0 / (n * d), is_half, _target(device))


def fftfreq(n, d=1.0, device=None):
    """The frequencies of the elements of :func:`fft` of ``n`` numbers that are ``d`` apart. Raises ValueError for another n.

    >>> fftfreq(4)
    array([ 0.  ,  0.25, -0.5 , -0.25])
    """
    return _frequencies(n, d, False, device)


def rfftfreq(n, d=1.0, device=None):
    """The frequencies of the elements of :func:`rfft`.

    >>> rfftfreq(4)
    array([0.  , 0.25, 0.5 ])
    """
    return _frequencies(n, d, True, device)


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
