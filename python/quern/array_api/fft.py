"""The standard's Fourier transforms: float32 gives complex64, float64 complex128."""

from quern.arrays import fft as _fft

__all__ = "fft fftfreq fftn fftshift hfft ifft ifftn ifftshift ihfft irfft irfftn rfft rfftfreq rfftn".split()


def fft(x, /, *, n=None, axis=-1, norm="backward"):
    """The discrete Fourier transform of complex ``x`` along an axis."""
    return _fft.fft(x, n, axis, norm)


def ifft(x, /, *, n=None, axis=-1, norm="backward"):
    """The inverse of :func:`fft`."""
    return _fft.ifft(x, n, axis, norm)


def fftn(x, /, *, s=None, axes=None, norm="backward"):
    """The transform along several axes."""
    return _fft.fftn(x, s, axes, norm)


def ifftn(x, /, *, s=None, axes=None, norm="backward"):
    """The inverse of :func:`fftn`."""
    return _fft.ifftn(x, s, axes, norm)


def rfft(x, /, *, n=None, axis=-1, norm="backward"):
    """Return the non-redundant half of the transform of real ``x``."""
    return _fft.rfft(x, n, axis, norm)


def irfft(x, /, *, n=None, axis=-1, norm="backward"):
    """The inverse of :func:`rfft`, of ``n`` numbers."""
    return _fft.irfft(x, n, axis, norm)


def rfftn(x, /, *, s=None, axes=None, norm="backward"):
    """The transform of real ``x`` along several axes; the last is halved."""
    return _fft.rfftn(x, s, axes, norm)


def irfftn(x, /, *, s=None, axes=None, norm="backward"):
    """The inverse of :func:`rfftn`."""
    return _fft.irfftn(x, s, axes, norm)


def hfft(x, /, *, n=None, axis=-1, norm="backward"):
    """The real transform of a signal with Hermitian symmetry."""
    return _fft.hfft(x, n, axis, norm)


def ihfft(x, /, *, n=None, axis=-1, norm="backward"):
    """The inverse of :func:`hfft`."""
    return _fft.ihfft(x, n, axis, norm)


def fftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """The frequencies of the ``n`` numbers of :func:`fft`; ``d``: the step between samples."""
    found = _fft.fftfreq(n, d, device=device)
    return found if dtype is None else found.astype(dtype)


def rfftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """The frequencies of the numbers of :func:`rfft` of ``n``; ``d``: the step between samples."""
    found = _fft.rfftfreq(n, d, device=device)
    return found if dtype is None else found.astype(dtype)


def fftshift(x, /, *, axes=None):
    """``x`` with the frequency 0 in the middle."""
    return _fft.fftshift(x, axes)


def ifftshift(x, /, *, axes=None):
    """The inverse of :func:`fftshift`."""
    return _fft.ifftshift(x, axes)
