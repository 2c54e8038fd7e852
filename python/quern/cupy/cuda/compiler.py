"""cupy.cuda.compiler: CUDA C++ text to code."""

from quern.cupy.cuda.function import Module
from quern.device import current_device
from quern.errors import CompileError as CompileException  # noqa: F401
from quern.lib import _engine


def compile_using_nvrtc(source, options=(), arch=None, filename="kern.cu", name_expressions=None, log_stream=None, **ignored):
    """Compiles for the current device. Returns the code, and a dict from each name expression to itself.

    Raises CompileException, with the compiler's log.
    """
    names = list(name_expressions or ())
    code = _engine.compile_code(current_device(), source, filename, list(options), names)
    return code, {name: name for name in names}


def compile_with_cache(
    source, options=(), arch=None, cache_dir=None, extra_source=None, backend="nvrtc", *, name_expressions=None, **ignored
):
    """Compiles for the current device, or takes the code from the cache; returns a Module."""
    module = Module()
    module._program = _engine.build(current_device(), source, "kern.cu", list(options), list(name_expressions or ()))
    return module
