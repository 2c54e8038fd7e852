"""cupy.cuda.nvrtc: NVIDIA's compiler, behind the engine's."""

from quern.cupy.cuda import _unserved
from quern.cupy.cuda.runtime import _version
from quern.errors import CompileError as NVRTCError  # noqa: F401


def getVersion():
    """The compiler's version, (12, 9); on the CPU that whose language the embedded clang compiles."""
    version = _version()
    return version // 1000, version % 1000 // 10


__getattr__ = _unserved.getter("cupy.cuda.nvrtc", "the engine drives the compiler; use cupy.RawModule")
