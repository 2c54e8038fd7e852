"""Kernels that map elements and combine what comes out, by the user's CUDA C++ expressions: ReductionKernel.

The engine's reductions do the work (engine/run/user_kernel.h); what PyCUDA's text says of ``i`` is written in their words.
"""

from __future__ import annotations

import re

import numpy as np

from quern.lib import _engine
from quern.pycuda._arguments import ScalarArg, VectorArg, declared, dtype_to_ctype, get_or_register_dtype, parse_arguments
from quern.pycuda._array import GPUArray, on_stream, placed
from quern.pycuda._maker_docstrings import makes_reduction as _makes_reduction
from quern.pycuda.compiler import SourceModule
from quern.pycuda.tools import context_dependent_memoize

_THREADS, _MOST_BLOCKS = 256, 512  # of a kernel of one stage


def _mapped(map_expr, arguments):
    if map_expr is not None:
        return map_expr
    return next(f"{a.name}[i]" for a in arguments if isinstance(a, VectorArg))


class ReductionKernel:
    """A kernel that maps elements and combines the results, by CUDA C++ expressions.

    Call it with the arguments in their order. It returns the result as a GPUArray without axes. Keywords:

    - ``stream``: stream of the work;
    - ``slice``: slice of ``i``, which counts elements in the order of memory;
    - ``out``: GPUArray of one element that receives the result;
    - ``allocator``: allocator of the result; by default that of the first array;
    - ``kernel_wrapper``: called with the ``prepared_async_call`` of each kernel; the function that it returns is called instead.

    The order in which elements are combined depends only on their number.

    Parameters
    ----------
    dtype_out : numpy dtype
        Dtype of the result and of the combined values.
    neutral : str
        What combining starts from, such as "0".
    reduce_expr : str
        ``a`` and ``b`` combined, such as "a + b".
    map_expr : str
        The value of one element, whose number is ``i``: "x[i] * y[i]"; by default the elements of the first array.
    arguments : str, or list of VectorArg and ScalarArg
        ``"float *x, float *y"``; by default one array of ``dtype_out``, ``in``.
    name : str
        The kernel's name.
    keep : bool
        Accepted for compatibility.
    options : list of str
        Compiler options.
    preamble : str
        Text in front: functions, types.
    allocator : callable, optional
        Function that returns device memory for the results.

    Raises
    ------
    TypeError
        For missing arguments, or an array of another dtype.
    ValueError
        For a structure whose name in C is unknown; see pycuda.tools.get_or_register_dtype().
    pycuda.driver.CompileError
        With the compiler's log.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import gpuarray
    >>> from quern.pycuda.reduction import ReductionKernel
    >>> x = gpuarray.to_gpu(numpy.arange(4, dtype=numpy.float32))
    >>> dot = ReductionKernel(numpy.float32, "0", "a+b", "x[i]*y[i]", "float *x, float *y")
    >>> dot(x, x).get()
    array(14., dtype=float32)
    """

    def __init__(
        self,
        dtype_out,
        neutral,
        reduce_expr,
        map_expr=None,
        arguments=None,
        name="reduce_kernel",
        keep=False,
        options=None,
        preamble="",
        allocator=None,
    ):
        self.dtype_out = np.dtype(dtype_out)
        self.arguments = [VectorArg(dtype_out, "in")] if arguments is None else parse_arguments(arguments)
        self.vectors = [n for n, a in enumerate(self.arguments) if isinstance(a, VectorArg)]
        if not self.vectors:
            raise RuntimeError("ReductionKernel can only be used with functions that have at least one vector argument")
        self.name, self.neutral, self.reduce_expr = name, neutral, reduce_expr
        self.map_expr = _mapped(map_expr, self.arguments)
        self.preamble, self.options, self.allocator = preamble, list(options or []), allocator
        self._kernels = {}
        self._text_of_elements = self._by_elements()
        has_structures = any(dtype.kind == "V" for dtype in (self.dtype_out, *(a.dtype for a in self.arguments)))
        # What the engine's reductions do not take: structures, and names that they keep to themselves.
        self._needs_stages = has_structures or any(a.name.startswith("_") for a in self.arguments)
        if has_structures:
            dtype_to_ctype(self.dtype_out)  # which says what has no name in C

    def _by_elements(self):
        """The text where all that it takes of the arrays is their element ``i``, said without the index; else None."""
        text = self.map_expr
        for n in self.vectors:
            name = self.arguments[n].name
            text = re.sub(rf"(?<![.\w]){name}\s*\[\s*i\s*\]", f" {name}\0", text)
        others = "|".join(["i", "n", *(self.arguments[n].name for n in self.vectors)])
        return None if re.search(rf"(?<![.\w])({others})\b(?!\0)|&", text) else text.replace("\0", "")

    def _made(self, params, text):
        return _engine.ReductionKernel(
            ", ".join(params),
            f"{self.dtype_out.name} quern_out",
            text,
            self.reduce_expr,
            "quern_out = a",
            str(self.neutral),
            self.name + "_stage1",  # as PyCUDA has it: a function of CUDA's may have the name itself
            "",
            "#include <nvcc_includes.h>\n#include <pycuda-complex.hpp>\n" + self.preamble,
            self.options,
        )

    def _kernel_of_elements(self):
        if "elements" not in self._kernels:
            self._kernels["elements"] = self._made([f"{a.dtype.name} {a.name}" for a in self.arguments], self._text_of_elements)
        return self._kernels["elements"]

    def _kernel(self, is_slice):
        """The engine's kernel. The first array comes twice: raw, for the text, and as what is walked over."""
        if is_slice not in self._kernels:
            params = [f"{'raw ' if isinstance(a, VectorArg) else ''}{a.dtype.name} {a.name}" for a in self.arguments]
            params.append(f"{self.arguments[self.vectors[0]].dtype.name} quern_walked")
            place = "_place"
            if is_slice:
                params += ["int64 quern_start", "int64 quern_step"]
                place = "(quern_start + _place * quern_step)"
            text = re.sub(r"(?<![.\w])i\b", place, re.sub(r"(?<![.\w])n\b", "_in_ind.size()", self.map_expr))
            for a in (self.arguments[n] for n in self.vectors):  # where it is not indexed it is a pointer
                text = re.sub(rf"(?<![.\w]){a.name}\b(?!\s*\[)", f"const_cast<{dtype_to_ctype(a.dtype)}*>(&{a.name}[0])", text)
            self._kernels[is_slice] = self._made(params, text)
        return self._kernels[is_slice]

    def _stage(self, stage, is_slice=False):
        if (stage, is_slice) not in self._kernels:
            text, arguments = self.map_expr, self.arguments
            if is_slice:
                text = re.sub(r"(?<![.\w])i\b", "(quern_start + i * quern_step)", text)
                arguments = [*arguments, ScalarArg(np.int64, "quern_start"), ScalarArg(np.int64, "quern_step")]
            kind = dtype_to_ctype(self.dtype_out)
            options = (self.name, False, self.options, self.preamble)
            made = get_reduction_kernel_and_types(stage, kind, _THREADS, self.neutral, self.reduce_expr, text, arguments, *options)
            self._kernels[stage, is_slice] = made[0]
        return self._kernels[stage, is_slice]

    def _by_stages(self, args, size, more, out, wrapper, stream):
        """Kernels of stages, until one block has seen everything."""
        kernel, given = self._stage(1, bool(more)), (*args, *more)
        while True:
            blocks = min(max(-(-size // _THREADS), 1), _MOST_BLOCKS)
            results = out if blocks == 1 and out is not None else GPUArray((blocks,), self.dtype_out)
            plain = (a.gpudata if isinstance(a, GPUArray) else a for a in (results, *given))
            call = kernel.prepared_async_call if wrapper is None else wrapper(kernel.prepared_async_call)
            call((blocks, 1), (_THREADS, 1, 1), stream, *plain, -(-size // (_THREADS * blocks)), size)
            if blocks == 1:
                return results if results is out else results.reshape(())
            kernel, given, size = self._stage(2), (results, *args), blocks

    def __call__(self, *args, **kwargs):
        stream, slice_, out, wrapper = (kwargs.pop(name, None) for name in ("stream", "slice", "out", "kernel_wrapper"))
        allocator = kwargs.pop("allocator", None) or self.allocator
        if kwargs:
            raise TypeError(f"invalid keyword arguments specified: {', '.join(kwargs)}")
        if len(args) != len(self.arguments):
            raise TypeError(f"[{self.name}] {len(self.arguments)} arguments are needed, not {len(args)}")
        for n, value in enumerate(args):
            if (n in self.vectors) != isinstance(value, GPUArray):
                wanted = "a GPUArray" if n in self.vectors else "a number"
                raise TypeError(f"[{self.name}] '{self.arguments[n].name}' must be {wanted}, not {type(value).__name__}")
        if all(args[n]._contiguous == (False, True) for n in self.vectors):  # then the memory's order is that of the indices
            args = [a.transpose() if isinstance(a, GPUArray) else a for a in args]
        walked, more = args[self.vectors[0]], ()
        if slice_ is not None:
            start, stop, step = slice_.indices(walked.size)
            walked, more = walked.ravel()[slice_], (start, step)
        if out is not None and out.size != 1:
            raise ValueError(f"[{self.name}] out must have one element, not {out.size}")
        with on_stream(stream):
            if self._needs_stages or wrapper is not None:
                results = self._by_stages(args, walked.size, more, out, wrapper, stream)
                return results if results is out else placed(results, allocator, walked)
            given = () if out is None else (out.reshape(()),)
            if slice_ is None and self._text_of_elements and all(args[n].shape == walked.shape for n in self.vectors):
                results = self._kernel_of_elements().call(args, given, None, False, GPUArray)
            else:
                results = self._kernel(slice_ is not None).call((*args, walked, *more), given, None, False, GPUArray)
        return placed(results[0], allocator, walked) if out is None else out


# ---- PyCUDA's makers of such kernels


@context_dependent_memoize
@_makes_reduction("numpy.float32, numpy.float32", "x", "array(6., dtype=float32)")
def get_sum_kernel(dtype_out, dtype_in):
    """Return a kernel for the sum of the elements of an array."""
    return ReductionKernel(dtype_out, "0", "a + b", arguments=[VectorArg(dtype_in, "in")], name="sum")


@context_dependent_memoize
@_makes_reduction("numpy.float32, numpy.int32, numpy.float32", "ix", "array(6., dtype=float32)")
def get_subset_sum_kernel(dtype_out, dtype_subset, dtype_in):
    """Return a kernel for the sum of the elements at indices; arguments: the indices, the array."""
    arguments = [VectorArg(dtype_subset, "lookup"), VectorArg(dtype_in, "in")]
    return ReductionKernel(dtype_out, "0", "a + b", "in[lookup[i]]", arguments, name="subset_sum")


def _product(dtype_out, dtype_a, dtype_b, place):
    dtype_a = dtype_out if dtype_a is None else dtype_a
    dtype_b = dtype_a if dtype_b is None else dtype_b
    kind = dtype_to_ctype(dtype_out)
    return f"{kind}(a_[{place}]) * {kind}(b_[{place}])", [VectorArg(dtype_a, "a_"), VectorArg(dtype_b, "b_")]


@context_dependent_memoize
@_makes_reduction("numpy.float32", "xy", "array(32., dtype=float32)")
def get_dot_kernel(dtype_out, dtype_a=None, dtype_b=None):
    """Return a kernel for the sum of the products of the elements of two arrays; arguments: the arrays."""
    text, arguments = _product(dtype_out, dtype_a, dtype_b, "i")
    return ReductionKernel(dtype_out, "0", "a + b", text, arguments, name="dot")


@context_dependent_memoize
@_makes_reduction("numpy.float32, numpy.int32", "ixy", "array(32., dtype=float32)")
def get_subset_dot_kernel(dtype_out, dtype_subset, dtype_a=None, dtype_b=None):
    """Return a kernel for the sum of the products of the elements of two arrays at indices; arguments: the indices, the arrays."""
    text, arguments = _product(dtype_out, dtype_a, dtype_b, "lookup[i]")
    return ReductionKernel(dtype_out, "0", "a + b", text, [VectorArg(dtype_subset, "lookup"), *arguments], name="subset_dot")


def get_minmax_neutral(what, dtype):
    """Return the C source of the neutral element of a minimum or maximum.

    Parameters
    ----------
    what : {'min', 'max'}
        Which element.
    dtype : dtype
        Dtype of the elements.

    Returns
    -------
    str
        C expression.

    Raises
    ------
    TypeError
        For a dtype that is neither integer nor floating-point.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import reduction
    >>> reduction.get_minmax_neutral("min", numpy.int8)
    '127'
    """
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return {"max": "-INFINITY", "min": "INFINITY"}[what]
    if dtype.kind not in "iu":
        raise TypeError(f"{what} of {dtype} is not defined")
    limits = np.iinfo(dtype)
    number = {"max": limits.min, "min": limits.max}[what]
    return f"({number + 1} - 1)" if number == -(2**63) else f"{number}{'ull' if dtype == np.uint64 else ''}"


def _combined(what, dtype):
    return f"{'f' if np.dtype(dtype).kind == 'f' else ''}{what}(a, b)"


@context_dependent_memoize
@_makes_reduction('"max", numpy.float32', "x", "array(3., dtype=float32)")
def get_minmax_kernel(what, dtype):
    """Return a kernel for the largest or smallest element of an array; NaN is ignored."""
    return ReductionKernel(dtype, get_minmax_neutral(what, dtype), _combined(what, dtype), arguments=[VectorArg(dtype, "in")], name=what)


@context_dependent_memoize
@_makes_reduction('"min", numpy.float32, numpy.int32', "ix", "array(1., dtype=float32)")
def get_subset_minmax_kernel(what, dtype, dtype_subset):
    """Return a kernel for the largest or smallest of the elements at indices; arguments: the indices, the array."""
    arguments = [VectorArg(dtype_subset, "lookup"), VectorArg(dtype, "in")]
    return ReductionKernel(dtype, get_minmax_neutral(what, dtype), _combined(what, dtype), "in[lookup[i]]", arguments, name=what)


@context_dependent_memoize
@_makes_reduction("numpy.int32, numpy.float32", "x", "array(1, dtype=int32)")
def get_any_kernel(dtype_out, dtype_in):
    """Return a kernel for whether any element of an array differs from zero."""
    return ReductionKernel(dtype_out, "false", "a || b", "in[i] != 0", [VectorArg(dtype_in, "in")], name="any")


@context_dependent_memoize
@_makes_reduction("numpy.int32, numpy.float32", "x", "array(1, dtype=int32)")
def get_all_kernel(dtype_out, dtype_in):
    """Return a kernel for whether all elements of an array differ from zero."""
    return ReductionKernel(dtype_out, "true", "a && b", "in[i] != 0", [VectorArg(dtype_in, "in")], name="all")


# ---- one stage of a reduction as a kernel of its own

_STAGE = """#include <pycuda-complex.hpp>
{preamble}
typedef {out_type} out_type;
static __device__ out_type quern_combined(out_type a, out_type b) {{ return {reduce_expr}; }}

extern "C" __global__ void {name}(out_type *out, {parameters}, unsigned seq_count, unsigned n)
{{
  __shared__ __align__(16) char quern_memory[{block_size} * sizeof(out_type)];
  out_type *quern_all = reinterpret_cast<out_type *>(quern_memory);
  out_type quern_acc = {neutral};
  unsigned i = blockIdx.x * {block_size}u * seq_count + threadIdx.x;
  for (unsigned quern_s = 0; quern_s < seq_count && i < n; ++quern_s, i += {block_size}u) quern_acc = quern_combined(quern_acc, {map_expr});
  quern_all[threadIdx.x] = quern_acc;
  __syncthreads();
  for (unsigned quern_width = {block_size}u; quern_width > 1;) {{
    const unsigned quern_half = (quern_width + 1) / 2;
    if (threadIdx.x + quern_half < quern_width)
      quern_all[threadIdx.x] = quern_combined(quern_all[threadIdx.x], quern_all[threadIdx.x + quern_half]);
    __syncthreads();
    quern_width = quern_half;
  }}
  if (threadIdx.x == 0) out[blockIdx.x] = quern_all[0];
}}
"""


def get_reduction_module(
    out_type, block_size, neutral, reduce_expr, map_expr, arguments, name="reduce_kernel", keep=False, options=None, preamble=""
):
    """Return a module with a kernel in which each block combines a subset of the elements.

    The kernel's arguments are ``out``, `arguments`, ``seq_count`` (the most elements of a thread) and ``n`` (the number of elements).

    Parameters
    ----------
    out_type : str
        C type of the result.
    block_size : int
        Threads of a block.
    neutral : str
        Start value of each thread, such as "0".
    reduce_expr : str
        ``a`` and ``b`` combined, such as "a + b".
    map_expr : str
        Value of element ``i``, such as "x[i]".
    arguments : str, or list of VectorArg and ScalarArg
        Arguments of the expression.
    name : str, optional
        Name of the kernel.
    keep : bool, optional
        Accepted for compatibility.
    options : list of str, optional
        Compiler options.
    preamble : str, optional
        Source in front of the kernel.

    Returns
    -------
    SourceModule
        Module with the kernel `name`.

    Raises
    ------
    CompileError
        With the compiler's log.

    Examples
    --------
    >>> from quern.pycuda import reduction
    >>> module = reduction.get_reduction_module("float", 64, "0", "a + b", "x[i]", "float *x", name="total")
    >>> type(module.get_function("total")).__name__
    'Function'
    """
    text = _STAGE.format(
        preamble=preamble,
        out_type=out_type,
        reduce_expr=reduce_expr,
        name=name,
        parameters=arguments if isinstance(arguments, str) else declared(arguments),
        block_size=int(block_size),
        neutral=neutral,
        map_expr=map_expr,
    )
    return SourceModule(text, options=options, keep=keep)


def get_reduction_kernel_and_types(
    stage,
    out_type,
    block_size,
    neutral,
    reduce_expr,
    map_expr=None,
    arguments=None,
    name="reduce_kernel",
    keep=False,
    options=None,
    preamble="",
):
    """Return the prepared kernel of one stage of a reduction, and its arguments.

    The parameters from `out_type` are those of :func:`get_reduction_module`.

    Parameters
    ----------
    stage : {1, 2}
        1 maps the elements; 2 combines the results of the blocks of stage 1.
    out_type : str
        C type of the result.
    block_size : int
        Threads of a block.
    neutral : str
        Start value of each thread, such as "0".
    reduce_expr : str
        ``a`` and ``b`` combined, such as "a + b".
    map_expr : str, optional
        Value of element ``i``, such as "x[i]".
    arguments : str, or list of VectorArg and ScalarArg, optional
        Arguments of the expression.
    name : str, optional
        Name of the kernel.
    keep : bool, optional
        Accepted for compatibility.
    options : list of str, optional
        Compiler options.
    preamble : str, optional
        Source in front of the kernel.

    Returns
    -------
    tuple of (Function, list of VectorArg and ScalarArg)
        Prepared kernel, and the arguments between ``out`` and ``seq_count``.

    Raises
    ------
    CompileError
        With the compiler's log.

    Examples
    --------
    >>> from quern.pycuda import reduction
    >>> kernel, arguments = reduction.get_reduction_kernel_and_types(1, "float", 64, "0", "a + b", "x[i]", "float *x")
    >>> arguments
    [VectorArg('x', float32)]
    """
    arguments = parse_arguments(arguments)
    if stage == 2:
        arguments = [VectorArg(get_or_register_dtype(out_type), "pycuda_reduction_inp"), *arguments]
        map_expr = "pycuda_reduction_inp[i]"
    if not arguments:
        arguments = [VectorArg(get_or_register_dtype(out_type), "in")]
    map_expr = _mapped(map_expr, arguments)
    module = get_reduction_module(out_type, block_size, neutral, reduce_expr, map_expr, arguments, name, keep, options, preamble)
    function = module.get_function(name)
    function.prepare(["P", *(a.struct_char for a in arguments), "I", "I"])
    return function, arguments
