"""numba.cuda.cudadrv.nvvm: NVIDIA's compiler library, which quern does not need: NVRTC compiles for GPUs, an own clang for the CPU."""

from quern.cuda.errors import NvvmError, NvvmSupportError, NvvmWarning


def is_available():
    """Is libNVVM there? It is not looked for."""
    return False


def get_arch_option(major, minor):
    """What compilers call a compute capability: ``compute_90``."""
    return f"compute_{major}{minor}"


__all__ = ["NvvmError", "NvvmSupportError", "NvvmWarning", "get_arch_option", "is_available"]
