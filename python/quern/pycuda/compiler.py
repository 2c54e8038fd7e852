"""PyCUDA's compiler module: SourceModule, and what goes with it."""

from __future__ import annotations

from quern.lib import _engine
from quern.pycuda.driver import Module

DEFAULT_NVCC_FLAGS: list[str] = []


def _flags(source, options, include_dirs):
    # nvcc, for which these programs are written, reads these headers before every text. The last ones take milliseconds.
    before = ["nvcc_includes.h"] + (["cmath", "limits", "type_traits"] if "std::" in source or "namespace std" in source else [])
    flags = list(DEFAULT_NVCC_FLAGS if options is None else options)
    return ["-include=" + header for header in before] + flags + ["-I" + str(d) for d in include_dirs]


def compile(
    source, nvcc="nvcc", options=None, keep=False, no_extern_c=False, arch=None, code=None, cache_dir=None, include_dirs=(), target="cubin"
):
    """Compiles CUDA C++ source for the current device and returns the code as bytes, for driver.module_from_buffer()."""
    return _engine.compile_code(_engine.current_device(), source, "kernel.cu", _flags(source, options, include_dirs), [])


class SourceModule(Module):
    """CUDA C++ source, compiled for the current device.

    Parameters
    ----------
    source : str
        The source.
    options : list of str
        Compiler options, such as ``["-DN=4", "-use_fast_math"]``.
    include_dirs : list of str
        Folders for ``#include``.
    no_extern_c : bool
        Accepted: kernels are found by their names with and without ``extern "C"``.
    nvcc, keep, arch, code, cache_dir
        Accepted for PyCUDA's sake; no nvcc is run.

    Raises
    ------
    CompileError
        With the compiler's log: file, line, column and the source line.

    >>> from quern.pycuda.compiler import SourceModule
    >>> SourceModule("__global__ void f(int* a) { *a = 1; }").get_function("f").num_regs >= 0
    True
    """

    def __init__(
        self, source, nvcc="nvcc", options=None, keep=False, no_extern_c=False, arch=None, code=None, cache_dir=None, include_dirs=()
    ):
        if isinstance(include_dirs, str):
            raise TypeError("include_dirs must be a list of folders")
        super().__init__(_engine.build(_engine.current_device(), source, "kernel.cu", _flags(source, options, include_dirs), []))


def get_nvcc_version(nvcc="nvcc"):
    """What stands for nvcc here."""
    return "quern"
