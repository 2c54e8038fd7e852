"""keras.ops' mathematics beyond NumPy's: faces of the engine's table (bindings/faces/), and short-time Fourier transforms made of them."""

import numpy as _numpy

import quern as qn
from quern.keras.backend import _borrowed, recording
from quern.keras.backend._tensor import as_tensor
from quern.keras.backend.core import convert_to_tensor
from quern.lib import _engine

_borrowed.names_of("math", globals())

_faces = _engine.add_functions(__name__, "keras", "math")
extract_sequences, rfft, irfft = _faces["extract_sequences"], _faces["rfft"], _faces["irfft"]


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
    pieces = extract_sequences(x, fft_length, sequence_stride)
    return rfft(pieces * _window(window, sequence_length, fft_length, x._dtype_name))


def istft(x, sequence_length, sequence_stride, fft_length, length=None, window="hann", center=True):
    """The inverse of stft()."""
    pieces = irfft(x, fft_length)
    name = pieces._dtype_name
    _check_transform(name, sequence_length, fft_length, window)
    win = _window(window, sequence_length, fft_length, name)
    pieces = pieces * win
    count, total = pieces.shape[-2], fft_length + sequence_stride * (pieces.shape[-2] - 1)
    places = extract_sequences(qn.arange(total), fft_length, sequence_stride).reshape(-1)
    flat = pieces.reshape(-1, count * fft_length)
    summed = as_tensor(qn.zeros((total, flat.shape[0]), dtype=name))
    _engine.array_put_add(summed, [0], flat.T, places)
    weight = as_tensor(qn.zeros(total, dtype=name))
    _engine.array_put_add(weight, [0], qn.tile(win * win, count), places)
    out = (summed / qn.where(weight > 1e-10, weight, 1.0)[:, None]).T.reshape(*pieces.shape[:-2], total)
    start = fft_length // 2 if center else 0
    end = start + length if length is not None else total - fft_length // 2 if center else total
    return out[..., start:end]


recording.note_functions(globals())
