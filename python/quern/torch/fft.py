"""torch.fft: Fourier transforms, faces of the engine's functions (bindings/faces/transforms.pyi)."""

from quern.lib import _engine

_engine.add_functions(__name__, "torch", "fft", binds=False)
