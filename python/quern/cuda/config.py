"""Numba's configuration: ``numba.config``, from the environment's variables NUMBA_....

Supported
    ENABLE_CUDASIM                      what there is instead of the simulator: kernels compiled for the CPU, at full speed
    DISABLE_CUDA                        the same, and cuda.is_available() says no
    CUDA_INCLUDE_PATH, CUDA_NVRTC_EXTRA_SEARCH_PATHS    folders of includes in CUDA C++ that is linked
    CUDA_LOG_LEVEL                      logs compilations (INFO) and launches (DEBUG)
    FORCE_CUDA_CC, CUDA_DEFAULT_PTX_CC  the compute capability that compile() and related functions compile for
    CUDA_WARN_ON_IMPLICIT_COPY, CUDA_LOW_OCCUPANCY_WARNINGS     launches warn (warned.py); 1 where unset, which on the CPU, where nothing
                                        is copied, says nothing
    DISABLE_PERFORMANCE_WARNINGS        neither of these
    CUDA_DEBUGINFO_DEFAULT              (NUMBA_CUDA_DEBUGINFO) the option debug of kernels that do not say
    BOUNDSCHECK                         indices of functions for the host are checked (1) or not (0), whatever their option says
    ALWAYS_WARN_UNINIT_VAR              kernels warn of names that are read where not every path set them (unset.py)

Taken, without effect
    CUDA_ENABLE_NRT                     kernels' own arrays need no memory manager
    CUDA_MEMORY_MANAGER                 there is one, quern's
    CUDA_ARRAY_INTERFACE_SYNC           0: as_cuda_array lets nothing wait for the stream that the interface names
    CUDA_PER_THREAD_DEFAULT_STREAM      there is one default stream
    CUDA_LOG_API_ARGS, CUDA_LOG_SIZE, CUDA_VERBOSE_JIT_LOG
    what Numba's compiler for the CPU and its debugging have: OPT, DUMP_ASSEMBLY, NUMBA_NUM_THREADS and more
"""

from __future__ import annotations

import os
import sys
import types

listeners = []  # called after a variable was set
chosen = set()  # the numbers that the environment or the program set


class _Config(types.ModuleType):
    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        if name.isupper():
            chosen.add(name)
            for listener in listeners:
                listener()


sys.modules[__name__].__class__ = _Config


def _number(name, default=0):
    text = os.environ.get("NUMBA_" + name, "")
    if text:
        chosen.add(name)
    try:
        return int(text) if text else default
    except ValueError:
        return default


def _capability(name):
    text = os.environ.get("NUMBA_" + name, "")
    major, _, minor = text.partition(".")
    return (int(major), int(minor)) if major.isdigit() and minor.isdigit() else None


ENABLE_CUDASIM = _number("ENABLE_CUDASIM")
DISABLE_CUDA = _number("DISABLE_CUDA")
DISABLE_JIT = _number("DISABLE_JIT")
FORCE_CUDA_CC = _capability("FORCE_CUDA_CC")
CUDA_DEFAULT_PTX_CC = _capability("CUDA_DEFAULT_PTX_CC") or (7, 5)
CUDA_INCLUDE_PATH = os.environ.get("NUMBA_CUDA_INCLUDE_PATH", "")
CUDA_NVRTC_EXTRA_SEARCH_PATHS = os.environ.get("NUMBA_CUDA_NVRTC_EXTRA_SEARCH_PATHS", "")
CUDA_LOG_LEVEL = os.environ.get("NUMBA_CUDA_LOG_LEVEL", "")
CUDA_LOG_API_ARGS = _number("CUDA_LOG_API_ARGS")
CUDA_LOG_SIZE = _number("CUDA_LOG_SIZE", 1024)
CUDA_VERBOSE_JIT_LOG = _number("CUDA_VERBOSE_JIT_LOG", 1)
CUDA_ARRAY_INTERFACE_SYNC = _number("CUDA_ARRAY_INTERFACE_SYNC", 1)
CUDA_PER_THREAD_DEFAULT_STREAM = _number("CUDA_PER_THREAD_DEFAULT_STREAM")
DISABLE_PERFORMANCE_WARNINGS = _number("DISABLE_PERFORMANCE_WARNINGS")
CUDA_LOW_OCCUPANCY_WARNINGS = _number("CUDA_LOW_OCCUPANCY_WARNINGS", 1)
CUDA_WARN_ON_IMPLICIT_COPY = _number("CUDA_WARN_ON_IMPLICIT_COPY", 1)
CUDA_DEBUGINFO_DEFAULT = _number("CUDA_DEBUGINFO")
DEBUGINFO_DEFAULT = _number("DEBUGINFO")
CUDA_ENABLE_NRT = _number("CUDA_ENABLE_NRT")
CUDA_MEMORY_MANAGER = os.environ.get("NUMBA_CUDA_MEMORY_MANAGER", "default")
ALWAYS_WARN_UNINIT_VAR = _number("ALWAYS_WARN_UNINIT_VAR")
CUDA_USE_NVIDIA_BINDING = 0
PYVERSION, MACHINE_BITS, IS_WIN32, IS_OSX, IS_32BITS = sys.version_info[:2], 64, False, sys.platform == "darwin", 0

_threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
NUMBA_DEFAULT_NUM_THREADS = _threads
NUMBA_NUM_THREADS = _number("NUM_THREADS", _threads)
BOUNDSCHECK = _number("BOUNDSCHECK", None)
OPT, LOOP_VECTORIZE, ENABLE_AVX = _number("OPT", 3), _number("LOOP_VECTORIZE", 1), _number("ENABLE_AVX", 1)
CUDA_DEALLOCS_COUNT, CUDA_DEALLOCS_RATIO = _number("CUDA_MAX_PENDING_DEALLOCS_COUNT", 10), 0.2
CACHE_DIR, COLOR_SCHEME = os.environ.get("NUMBA_CACHE_DIR", ""), os.environ.get("NUMBA_COLOR_SCHEME", "no_color")
THREADING_LAYER = os.environ.get("NUMBA_THREADING_LAYER", "default")
CPU_NAME, CPU_FEATURES = os.environ.get("NUMBA_CPU_NAME"), os.environ.get("NUMBA_CPU_FEATURES")
CUDA_ENABLE_MINOR_VERSION_COMPATIBILITY = _number("CUDA_ENABLE_MINOR_VERSION_COMPATIBILITY")
DEBUG = _number("DEBUG")
DEBUG_ARRAY_OPT = _number("DEBUG_ARRAY_OPT")
DEBUG_CACHE = _number("DEBUG_CACHE")
DEBUG_FRONTEND = _number("DEBUG_FRONTEND")
DEBUG_JIT = _number("DEBUG_JIT")
DEVELOPER_MODE = _number("DEVELOPER_MODE")
DUMP_ASSEMBLY = _number("DUMP_ASSEMBLY")
DUMP_BYTECODE = _number("DUMP_BYTECODE")
DUMP_IR = _number("DUMP_IR")
DUMP_LLVM = _number("DUMP_LLVM")
DUMP_OPTIMIZED = _number("DUMP_OPTIMIZED")
ENABLE_PROFILING = _number("ENABLE_PROFILING")
EXTEND_VARIABLE_LIFETIMES = _number("EXTEND_VARIABLE_LIFETIMES")
FULL_TRACEBACKS = _number("FULL_TRACEBACKS")
JIT_COVERAGE = _number("JIT_COVERAGE")
NRT_STATS = _number("NRT_STATS")
SHOW_HELP = _number("SHOW_HELP")
SLP_VECTORIZE = _number("SLP_VECTORIZE")


def include_folders():
    """The folders in which linked CUDA C++ finds its includes."""
    texts = (CUDA_INCLUDE_PATH, *CUDA_NVRTC_EXTRA_SEARCH_PATHS.split(os.pathsep))
    return tuple(folder for folder in texts if folder and os.path.isdir(folder))


def capability():
    """The compute capability that is compiled for where none is named."""
    return FORCE_CUDA_CC or CUDA_DEFAULT_PTX_CC


def take_effect():
    """Before the first use of a device: what the environment says about it."""
    if ENABLE_CUDASIM or DISABLE_CUDA:
        os.environ.setdefault("QUERN_DEVICE", "cpu")
    level = {"DEBUG": 3, "INFO": 2, "WARNING": 1, "ERROR": 1}.get(CUDA_LOG_LEVEL.upper())
    if level and "QUERN_DEBUG" not in os.environ:
        from quern.lib import _engine

        _engine.set_log_level(level)


take_effect()
