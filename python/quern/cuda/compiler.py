"""compile and related functions: Python functions as PTX, the assembly text of GPUs."""

from __future__ import annotations

from quern.cuda import config
from quern.device import current_device
from quern.kernel import signatures, types
from quern.kernel.dispatcher import bounds_text, check_returned
from quern.kernel.inspection import ptx_of
from quern.kernel.linked import CPointer
from quern.kernel.program import Program
from quern.kernel.source import python_function


def compile(
    pyfunc, sig, debug=None, lineinfo=False, device=True, fastmath=False, cc=None, opt=None, abi="c", abi_info=None, output="ptx",
    forceinline=False, launch_bounds=None,
):  # fmt: skip
    """Compile a Python function for GPUs, to relocatable PTX.

    No GPU is needed.

    Parameters
    ----------
    pyfunc : function
        The function.
    sig : signature
        Such as ``"float32(float32)"``; or a tuple of the arguments' types.
    debug, lineinfo, fastmath, opt, forceinline, launch_bounds
        Options of :func:`quern.cuda.jit`.
    device : bool, optional
        Whether it is a function that kernels call, instead of a kernel.
    cc : tuple of ints, optional
        Compute capability, such as (9, 0); None is that of ``numba.config``, or of the current GPU.
    abi : {'c', 'numba'}, optional
        Of a device function: ``R name(...)``, or ``int name(R* result, ...)``.
    abi_info : dict, optional
        ``{"abi_name": name}``: its name in the PTX.
    output : {'ptx'}, optional
        Kind of code.

    Returns
    -------
    tuple
        Pair (PTX, type that the function returns).

    Raises
    ------
    TypingError
        For a function that does not return the type in `sig`.
    TypeError
        For a kernel that returns a value.
    NotImplementedError
        For LTO-IR.
    RuntimeError
        Where NVRTC, which makes PTX, is missing.
    """
    if abi not in ("numba", "c"):
        raise NotImplementedError(f"[compile] unsupported ABI {abi!r}; it is 'numba' or 'c'")
    if abi == "c" and not device:
        raise NotImplementedError("[compile] The C ABI is not supported for kernels; use abi='numba'")
    if output == "ltoir":
        raise NotImplementedError("[compile] LTO-IR is not supported; use output='ptx'")
    if output != "ptx":
        raise NotImplementedError(f"[compile] unsupported output {output!r}; it is 'ptx'")
    text, returned = _text(pyfunc, sig, debug, device, abi, abi_info or {}, launch_bounds)
    flags = (["--use_fast_math"] if fastmath else []) + (["-lineinfo"] if lineinfo or debug else [])
    return ptx_of(text, flags, pyfunc.__name__, cc or _capability(), True), returned


def _capability():
    if config.FORCE_CUDA_CC is None and current_device().kind != "cpu":
        return current_device().info()["compute_capability"]
    return config.capability()


def _text(function, sig, debug, device, abi, abi_info, launch_bounds):
    """The CUDA C++ text, with the function under its own name, and the type that it returns."""
    function = python_function(function, "compile")
    signature = signatures.parsed(sig)
    name = abi_info.get("abi_name", function.__name__)
    if not device:
        if signature.return_type not in (None, types.none):
            raise TypeError("CUDA kernel must have void return type.")
        return Program(function, signature.args, True, bool(debug), bounds_text(launch_bounds), abi_info.get("abi_name")).text, types.none
    program = Program(function, signature.args, False, bool(debug), symbol=f"python_{name}")
    returned = signature.return_type or program.kernel.result
    check_returned(program, returned)
    for type_ in (*signature.args, returned):
        if not isinstance(type_, (types.Number, types.Vector, types.NoneType, types.Array, CPointer)):
            raise NotImplementedError(f"[compile] {type_} has no C type")
    names = [f"a{i}" for i in range(len(signature.args))]
    taken = ", ".join(f"{t.c} {n}" for t, n in zip(signature.args, names, strict=True))
    call = f"python_{name}({', '.join(names)})"
    if abi == "c":
        head, body = f"{returned.c} {name}({taken})", call if isinstance(returned, types.NoneType) else f"return {returned.c}({call})"
    else:
        out = "void*" if isinstance(returned, types.NoneType) else f"{returned.c}*"
        head = f"int {name}({', '.join(filter(None, [f'{out} result', taken]))})"
        body = f"{call}; return 0" if isinstance(returned, types.NoneType) else f"*result = {returned.c}({call}); return 0"
    kept = "__attribute__((used))"  # though nothing calls it
    return f'{program.text}using namespace quern::py;\nextern "C" __device__ {kept} {head} {{ {body}; }}\n', returned


def compile_for_current_device(pyfunc, sig, debug=None, lineinfo=False, device=True, fastmath=False, opt=None, abi="c", abi_info=None,
                               output="ptx", forceinline=False, launch_bounds=None):  # fmt: skip
    """Compile a Python function for the current GPU; see :func:`compile`."""
    cc = tuple(current_device().info()["compute_capability"]) if current_device().kind != "cpu" else None
    return compile(pyfunc, sig, debug, lineinfo, device, fastmath, cc, opt, abi, abi_info, output, forceinline, launch_bounds)


def compile_ptx(pyfunc, sig, debug=None, lineinfo=False, device=False, fastmath=False, cc=None, opt=None, abi="numba", abi_info=None,
                forceinline=False, launch_bounds=None):  # fmt: skip
    """Compile a Python function to PTX, by default as a kernel; see :func:`compile`."""
    return compile(pyfunc, sig, debug, lineinfo, device, fastmath, cc, opt, abi, abi_info, "ptx", forceinline, launch_bounds)


def compile_ptx_for_current_device(pyfunc, sig, debug=None, lineinfo=False, device=False, fastmath=False, opt=None, abi="numba",
                                   abi_info=None, forceinline=False, launch_bounds=None):  # fmt: skip
    """Compile a Python function to PTX for the current GPU, by default as a kernel; see :func:`compile`."""
    return compile_for_current_device(pyfunc, sig, debug, lineinfo, device, fastmath, opt, abi, abi_info, "ptx", forceinline, launch_bounds)


def compile_all(pyfunc, sig, debug=None, lineinfo=False, device=True, fastmath=False, cc=None, opt=None, abi="c", abi_info=None,
                output="ltoir", forceinline=False, launch_bounds=None):  # fmt: skip
    """Compile a Python function, and return ([code], type that it returns); see :func:`compile`. Pass ``output="ptx"``."""
    code, returned = compile(pyfunc, sig, debug, lineinfo, device, fastmath, cc, opt, abi, abi_info, output, forceinline, launch_bounds)
    return [code], returned
