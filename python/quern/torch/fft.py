"""torch.fft: Fourier transforms."""

from quern.torch import _fft

globals().update({_name: getattr(_fft, _name) for _name in _fft.NAMES})
