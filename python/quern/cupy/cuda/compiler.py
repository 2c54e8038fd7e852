"""cupy.cuda.compiler: CUDA C++ text to code."""

from quern.cupy.cuda.function import Module
from quern.device import current_device
from quern.errors import CompileError as CompileException  # noqa: F401
from quern.lib import _engine


def compile_using_nvrtc(source, options=(), arch=None, filename="kern.cu", name_expressions=None, log_stream=None, **ignored):
    """Compile source for the current device.

    Parameters
    ----------
    source : str
        CUDA C++ source.
    options : sequence of str, optional
        Compiler options.
    arch : str, optional
        Accepted for compatibility; the code is for the current device.
    filename : str, optional
        Name of the source in messages of the compiler.
    name_expressions : sequence of str, optional
        Template kernels to instantiate.
    log_stream : file object, optional
        Accepted for compatibility.
    **ignored : dict
        Accepted for compatibility.

    Returns
    -------
    tuple
        Pair of the code, bytes, and a dict from each name expression to the kernel's name.

    Raises
    ------
    CompileException
        For source that does not compile; with the compiler's log.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> code, names = cp.cuda.compiler.compile_using_nvrtc('extern "C" __global__ void f() {}')
    >>> type(code).__name__
    'bytes'
    """
    names = list(name_expressions or ())
    code = _engine.compile_code(current_device(), source, filename, list(options), names)
    return code, {name: name for name in names}


def compile_with_cache(
    source, options=(), arch=None, cache_dir=None, extra_source=None, backend="nvrtc", *, name_expressions=None, **ignored
):
    """Compile source for the current device, or load the code from the cache.

    Parameters
    ----------
    source : str
        CUDA C++ source.
    options : sequence of str, optional
        Compiler options.
    arch : str, optional
        Accepted for compatibility; the code is for the current device.
    cache_dir : str, optional
        Accepted for compatibility.
    extra_source : str, optional
        Accepted for compatibility.
    backend : str, optional
        Accepted for compatibility.
    name_expressions : sequence of str, optional
        Template kernels to instantiate.
    **ignored : dict
        Accepted for compatibility.

    Returns
    -------
    Module
        Module.

    Raises
    ------
    CompileException
        For source that does not compile; with the compiler's log.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> module = cp.cuda.compile_with_cache('extern "C" __global__ void f() {}')
    >>> module.get_function("f").name
    'f'
    """
    module = Module()
    module._program = _engine.build(current_device(), source, "kern.cu", list(options), list(name_expressions or ()))
    return module
