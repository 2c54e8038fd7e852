"""numba.cuda.simulator.kernelapi: of what runs kernels in Numba's simulator what a program uses by itself.

Kernels are compiled here, under NUMBA_ENABLE_CUDASIM=1, too. The stand-ins for ``cuda`` that simulated kernels see are not here.
"""

from quern.cuda.vectors import *  # noqa: F403


class Dim3:
    """Three numbers: ``x``, ``y`` and ``z``."""

    def __init__(self, x, y, z):
        self.x, self.y, self.z = x, y, z

    def __repr__(self):
        return f"Dim3({self.x}, {self.y}, {self.z})"

    def __str__(self):
        return f"({self.x}, {self.y}, {self.z})"

    def __iter__(self):
        return iter((self.x, self.y, self.z))


def __getattr__(name):
    if name.startswith("Fake") or name in ("GridGroup", "swapped_cuda_module"):
        raise AttributeError(f"[kernelapi] there is no {name}: kernels are compiled here; QUERN_PURE_PYTHON=1 runs them as plain Python")
    raise AttributeError(f"module 'numba.cuda.simulator.kernelapi' has no attribute '{name}'")
