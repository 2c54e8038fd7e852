"""keras.ops' mathematics beyond NumPy's: segments, the largest elements, Fourier transforms, error functions."""

import math as _math

import numpy as _numpy
from keras.src.backend.common.dtypes import result_type

import quern as qn
from quern.keras.backend import _borrowed, recording
from quern.keras.backend._tensor import as_tensor
from quern.keras.backend.core import convert_to_tensor
from quern.lib import _engine

_borrowed.names_of("math", globals())

# ---- segments


def _segments(data, segment_ids, num_segments, start, combine):
    data, ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
    if num_segments is None:
        num_segments = int(qn.max(ids)) + 1
    # Numbers below zero stand for no segment, and those above the last one, too: both go into one more, which is cut off.
    ids = qn.where((ids < 0) | (ids >= num_segments), num_segments, ids)
    out = as_tensor(qn.full((num_segments + 1, *data.shape[1:]), start(data._dtype_name), dtype=data._dtype_name))
    return combine(out, ids, data)[:-1]


def _added(out, ids, data):
    _engine.array_put_add(out, [0], data, ids)
    return out


def _combined(ufunc):
    """Extremes and products by places: of each segment along a row of its own, where other elements are neutral."""

    def combine(out, ids, data):
        belongs = (ids[None, :] == qn.arange(out.shape[0], dtype=ids._dtype_name)[:, None]).reshape(
            out.shape[0], ids.shape[0], *[1] * (data.ndim - 1)
        )
        return ufunc(qn.where(belongs, data[None], out[:, None]), axis=1)

    return combine


def _least(name):
    return -_math.inf if _is_real(name) else int(_numpy.iinfo(name).min)


def _largest(name):
    return _math.inf if _is_real(name) else int(_numpy.iinfo(name).max)


def _is_real(name):
    return "float" in name


def segment_sum(data, segment_ids, num_segments=None, sorted=False):
    """The sums of the rows that belong to each segment."""
    return _segments(data, segment_ids, num_segments, lambda name: 0, _added)


def segment_max(data, segment_ids, num_segments=None, sorted=False):
    """The largest elements of the rows that belong to each segment; -inf, or the least integer, for empty ones."""
    return _segments(data, segment_ids, num_segments, _least, _combined(qn.max))


def segment_min(data, segment_ids, num_segments=None, sorted=False):
    """The smallest elements of the rows that belong to each segment; inf, or the largest integer, for empty ones."""
    return _segments(data, segment_ids, num_segments, _largest, _combined(qn.min))


def segment_prod(data, segment_ids, num_segments=None, sorted=False):
    """The products of the rows that belong to each segment."""
    return _segments(data, segment_ids, num_segments, lambda name: 1, _combined(qn.prod))


# ---- the largest


def top_k(x, k, sorted=True):
    """The k largest elements along the last axis, from the largest on, and their places; of equal ones the first comes first."""
    x = convert_to_tensor(x)
    places = qn.argsort(-_engine.detached(x) if _is_real(x._dtype_name) else _turned(x), axis=-1, kind="stable")[..., :k]
    return qn.take_along_axis(x, places, axis=-1), places.astype("int32")


def _turned(x):
    """Integers in the opposite order: all bits turned keep their range."""
    return ~x if x._dtype_name != "bool" else qn.logical_not(x)


def in_top_k(targets, predictions, k):
    """Is the element at each row's target among the k largest ones? Those equal to the last of them are."""
    targets, predictions = convert_to_tensor(targets), _engine.detached(convert_to_tensor(predictions))
    count = predictions.shape[-1]
    inside = (targets >= 0) & (targets < count)
    picked = qn.take_along_axis(predictions, qn.where(inside, targets, 0)[..., None], axis=-1)
    above = (predictions > picked).sum(axis=-1)
    return (above < k) & inside & qn.isfinite(picked[..., 0])


# ---- exponentials, error functions


logsumexp = _engine.functions_of("keras", __name__)["logsumexp"]


def rsqrt(x):
    """1 / sqrt(x)."""
    x = convert_to_tensor(x)
    if not _is_real(x._dtype_name):
        x = convert_to_tensor(x, result_type(x.dtype, float))
    return 1.0 / qn.sqrt(x)


def erf(x):
    """The error function."""
    return qn.erf(_real(x))


def erfc(x):
    """1 - erf(x), with all its digits where that is close to zero."""
    return qn.erfc(_real(x))


def _real(x):
    x = convert_to_tensor(x)
    return x if _is_real(x._dtype_name) else convert_to_tensor(x, result_type(x.dtype, float))


erfinv = _engine.functions_of("keras", __name__, submodule="math")["erfinv"]


# ---- sequences and Fourier transforms


def extract_sequences(x, sequence_length, sequence_stride):
    """Pieces of a length along the last axis, each a stride further."""
    x = convert_to_tensor(x)
    count = (x.shape[-1] - (sequence_length - sequence_stride)) // sequence_stride
    return x[..., _pieces(count, sequence_length, sequence_stride)]


def _pieces(count, length, stride):
    return qn.arange(count)[:, None] * stride + qn.arange(length)[None, :]


def _complex(x):
    return _get_complex_tensor_from_tuple(tuple(convert_to_tensor(part) for part in x) if isinstance(x, (tuple, list)) else x)  # noqa: F821


def _parts(x, name):
    kind = name if _is_real(name) else "float32"
    return qn.real(x).astype(kind), qn.imag(x).astype(kind)


def fft(x):
    """The Fourier transform along the last axis of a pair (real, imaginary), as such a pair."""
    whole = _complex(x)
    return _parts(qn.fft.fft(whole), qn.real(whole)._dtype_name)


def fft2(x):
    """The Fourier transform along the last two axes of a pair (real, imaginary)."""
    whole = _complex(x)
    return _parts(qn.fft.fft2(whole), qn.real(whole)._dtype_name)


def ifft2(x):
    """The inverse of fft2()."""
    whole = _complex(x)
    return _parts(qn.fft.ifft2(whole), qn.real(whole)._dtype_name)


def rfft(x, fft_length=None):
    """The Fourier transform of real numbers along the last axis, as a pair (real, imaginary)."""
    x = convert_to_tensor(x)
    return _parts(qn.fft.rfft(x, n=fft_length), x._dtype_name)


def irfft(x, fft_length=None):
    """The inverse of rfft()."""
    whole = _complex(x)
    return qn.fft.irfft(whole, n=fft_length).astype(qn.real(whole)._dtype_name)


def _window(window, length, whole, name):
    """The window of a transform of ``whole`` places, in their middle."""
    before = (whole - length) // 2
    if window is None:
        return as_tensor(qn.ones(whole, dtype=name))
    if isinstance(window, str):
        # periodic, as in signal processing: one place more, which is left out
        window = {"hann": _numpy.hanning, "hamming": _numpy.hamming}[window](length + 1)[:-1]
    window = convert_to_tensor(window, name)
    if window.ndim != 1 or window.shape[0] != length:
        raise ValueError(f"The shape of `window` must be equal to [sequence_length].Received: window shape={window.shape}")
    return qn.pad(window, (before, whole - length - before))


def _check_transform(name, sequence_length, fft_length, window):
    if name not in ("float32", "float64"):
        raise TypeError(f"Invalid input type. Expected `float32` or `float64`. Received: input type={name}")
    if fft_length < sequence_length:
        raise ValueError(
            "`fft_length` must equal or larger than `sequence_length`. "
            f"Received: sequence_length={sequence_length}, fft_length={fft_length}"
        )
    if isinstance(window, str) and window not in ("hann", "hamming"):
        raise ValueError(f'If a string is passed to `window`, it must be one of `"hann"`, `"hamming"`. Received: window={window}')


def stft(x, sequence_length, sequence_stride, fft_length, window="hann", center=True):
    """The transforms of pieces of a sequence, each under a window: a pair (real, imaginary)."""
    x = convert_to_tensor(x)
    _check_transform(x._dtype_name, sequence_length, fft_length, window)
    if center:
        x = qn.pad(x, [(0, 0)] * (x.ndim - 1) + [(fft_length // 2, fft_length // 2)], mode="reflect")
    count = 1 + (x.shape[-1] - fft_length) // sequence_stride
    pieces = x[..., _pieces(count, fft_length, sequence_stride)]
    return _parts(qn.fft.rfft(pieces * _window(window, sequence_length, fft_length, x._dtype_name)), x._dtype_name)


def istft(x, sequence_length, sequence_stride, fft_length, length=None, window="hann", center=True):
    """The inverse of stft()."""
    whole = _complex(x)
    name = qn.real(whole)._dtype_name
    _check_transform(name, sequence_length, fft_length, window)
    win = _window(window, sequence_length, fft_length, name)
    pieces = qn.fft.irfft(whole, n=fft_length).astype(name) * win
    count = pieces.shape[-2]
    total = fft_length + sequence_stride * (count - 1)
    places = _pieces(count, fft_length, sequence_stride).reshape(-1)
    flat = pieces.reshape(-1, count * fft_length)
    summed = as_tensor(qn.zeros((total, flat.shape[0]), dtype=name))
    _engine.array_put_add(summed, [0], flat.T, places)
    weight = as_tensor(qn.zeros(total, dtype=name))
    _engine.array_put_add(weight, [0], qn.tile(win * win, count), places)
    out = (summed / qn.where(weight > 1e-10, weight, 1.0)[:, None]).T.reshape(*whole.shape[:-2], total)
    start = fft_length // 2 if center else 0
    end = start + length if length is not None else total - fft_length // 2 if center else total
    return out[..., start:end]


def logdet(x):
    """The logarithm of a determinant."""
    return qn.linalg.slogdet(convert_to_tensor(x))[1]


def norm(x, ord=None, axis=None, keepdims=False):
    """NumPy's norm, in Keras's result type."""
    x = convert_to_tensor(x)
    if not _is_real(x._dtype_name):
        x = convert_to_tensor(x, result_type(x.dtype, float))
    return qn.linalg.norm(x, ord=ord, axis=tuple(axis) if isinstance(axis, list) else axis, keepdims=keepdims)


recording.note_functions(globals())
