"""torch.fft: Fourier transforms, faces of the engine's functions (bindings/faces/transforms.pyi)."""

from quern.lib import _engine

globals().update(_engine.functions_of("torch", "quern.torch.fft", binds=False, submodule="fft"))
