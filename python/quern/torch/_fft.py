"""torch.fft: Fourier transforms of tensors, by the engine's."""

import operator

import numpy

from quern.lib import _engine
from quern.torch import _creation
from quern.torch._arguments import check_all
from quern.torch._core import dim_of, engine_device, finish, name_of
from quern.torch._types import get_default_dtype, scalar_name

# By their numbers in Norm of engine/include/quern/fft.h.
_NORMS = {None: 0, "backward": 0, "ortho": 1, "forward": 2}


def _prepared(input, kind, norm, name):
    if norm not in _NORMS:
        raise RuntimeError(f'Invalid normalization mode: "{norm}"')
    if input._dtype_name in ("float16", "bfloat16"):
        raise NotImplementedError(f"Unsupported dtype {scalar_name(input.dtype)}")
    if kind in ("half", "hermitian_half") and input.is_complex():
        raise TypeError(f"{name} expects a real input tensor, but got {scalar_name(input.dtype)}")
    if input.dtype._kind in "iub":
        input = input.to(get_default_dtype())
    return input


def _length(n):
    n = operator.index(n)
    if n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified")
    return n


def _along(name, kind):
    def function(input, n=None, dim=-1, norm=None, *, out=None):
        input = _prepared(input, kind, norm, name)
        if input._rank == 0:
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        dim = dim_of(dim, input._rank)
        n = None if n is None else _length(n)
        _not_empty(input._shape[dim] if n is None else n)
        return finish(_engine.array_fourier(input, kind, n, dim, _NORMS[norm]), out)

    function.__name__ = name
    function.__doc__ = _DOCS[name] + " along ``dim``; ``n``: the length, shorter ones are filled up with zeros."
    return function


def _not_empty(n):
    if n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified")


def _axes(input, s, dim):
    """Dimensions and lengths, -1 for a dimension's own."""
    lengths = None if s is None else [operator.index(n) for n in s]
    if dim is None:
        count = input._rank if lengths is None else len(lengths)
        if count > input._rank:
            raise RuntimeError(f"Got shape with {count} values but input tensor only has {input._rank} dimensions.")
        dims = list(range(input._rank - count, input._rank))
    else:
        if input._rank == 0 and len(dim):
            raise IndexError(f"Dimension specified as {dim[0]} but tensor has no dimensions")
        dims = [dim_of(d, input._rank) for d in dim]
    if len(set(dims)) != len(dims):
        raise RuntimeError("FFT dims must be unique")
    lengths = [-1] * len(dims) if lengths is None else lengths
    if len(lengths) != len(dims):
        raise RuntimeError("When given, dim and shape arguments must have the same length")
    return dims, [None if n == -1 else _length(n) for n in lengths]


def _many(name, kind, two):
    def function(input, s=None, dim=(-2, -1) if two else None, norm=None, *, out=None):
        if dim is not None:
            dim = (dim,) if isinstance(dim, int) else tuple(dim)
        if s is not None:
            s = (s,) if isinstance(s, int) else tuple(s)
        input = _prepared(input, kind, norm, name)
        dims, lengths = _axes(input, s, dim)
        if not dims:
            if kind not in ("forward", "backward"):
                raise RuntimeError(f"{name} must transform at least one axis")
            return finish(input.to(input.dtype.to_complex()), out)
        for d, n in zip(dims, lengths, strict=True):
            _not_empty(input._shape[d] if n is None else n)
        if kind.startswith("hermitian"):
            return finish(_hermitian(input, kind, dims, lengths, norm), out)
        return finish(_engine.array_fourier_along(input, kind, lengths, dims, _NORMS[norm]), out)

    function.__name__ = name
    function.__doc__ = _DOCS[name] + " along dimensions, by default " + ("the last two." if two else "all; ``s``: their lengths.")
    return function


def _hermitian(input, kind, dims, lengths, norm):
    """Along the last of the dimensions the Hermitian transform, along the others the one of complex numbers."""
    if kind == "hermitian":
        for d, n in zip(dims[:-1], lengths[:-1], strict=True):
            input = _engine.array_fourier(input, "forward", n, d, _NORMS[norm])
        return _engine.array_fourier(input, kind, lengths[-1], dims[-1], _NORMS[norm])
    input = _engine.array_fourier(input, kind, lengths[-1], dims[-1], _NORMS[norm])
    for d, n in zip(dims[:-1], lengths[:-1], strict=True):
        input = _engine.array_fourier(input, "backward", n, d, _NORMS[norm])
    return input


_KINDS = {"fft": "forward", "ifft": "backward", "rfft": "half", "irfft": "whole", "hfft": "hermitian", "ihfft": "hermitian_half"}
_WORDS = {
    "fft": "The discrete Fourier transform", "ifft": "The inverse of the Fourier transform",
    "rfft": "The transform of real numbers, of which the first half is given,", "irfft": "The inverse of the transform of real numbers",
    "hfft": "The transform of what is Hermitian, given by its first half,", "ihfft": "The inverse of the Hermitian transform",
}  # fmt: skip
_DOCS = {name + end: words for name, words in _WORDS.items() for end in ("", "2", "n")}
for _name, _kind in _KINDS.items():
    globals()[_name] = _along(_name, _kind)
    globals()[_name + "2"] = _many(_name + "2", _kind, True)
    globals()[_name + "n"] = _many(_name + "n", _kind, False)


def _frequencies(is_half, what):
    def function(n, d=1.0, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
        n = operator.index(n)
        if n < 1:
            raise RuntimeError(f"Invalid number of data points ({n}) specified")
        name = get_default_dtype()._name if dtype is None else name_of(dtype)
        values = numpy.fft.rfftfreq(n, d) if is_half else numpy.fft.fftfreq(n, d)
        made = finish(_creation.sent(values, name, engine_device(device)), out)
        return made.requires_grad_() if requires_grad else made

    function.__name__ = "rfftfreq" if is_half else "fftfreq"
    function.__doc__ = f"The frequencies of the elements of {what} of ``n`` numbers that are ``d`` apart."
    return function


fftfreq, rfftfreq = _frequencies(False, "fft()"), _frequencies(True, "rfft()")


def _shifted(input, dim, sign):
    if dim is None:
        dims = list(range(input._rank))
    else:
        dims = [dim_of(d, input._rank) for d in ((dim,) if isinstance(dim, int) else dim)]
    halves = [input._shape[d] // 2 if sign > 0 else (input._shape[d] + 1) // 2 for d in dims]
    return input.roll(halves, dims) if dims else input.clone()


def fftshift(input, dim=None):
    """The elements with that of frequency zero in the middle."""
    return _shifted(input, dim, 1)


def ifftshift(input, dim=None):
    """The inverse of fftshift()."""
    return _shifted(input, dim, -1)


NAMES = [*_DOCS, "fftfreq", "rfftfreq", "fftshift", "ifftshift"]
check_all(globals(), NAMES)
