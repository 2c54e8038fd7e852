"""Prefix sums, and prefixes of any other associative expression of the user's: InclusiveScanKernel and ExclusiveScanKernel.

Sums of numbers are the engine's own; other expressions are kernels in CUDA C++: each block scans its share, then the blocks' totals are
scanned in the same way and put in front.
"""

from __future__ import annotations

import numpy as np

from quern import arrays as _arrays
from quern.device import current_device
from quern.pycuda import (
    _array,
    driver,  # noqa: F401  (PyCUDA's names)
    gpuarray,
)
from quern.pycuda._arguments import dtype_to_ctype
from quern.pycuda._array import on_stream, plain
from quern.pycuda.compiler import SourceModule

_THREADS, _EACH = 128, 8
_SHARE = _THREADS * _EACH

_TEXT = """#include <pycuda-complex.hpp>
{preamble}
typedef {scan_type} scan_type;
static __device__ scan_type quern_both(scan_type a, scan_type b) {{ return {scan_expr}; }}

// Each block scans its share of `in`; what a share makes goes to `totals`.
extern "C" __global__ void {name}_shares(const scan_type *in, scan_type *out, scan_type *totals, long long n)
{{
  __shared__ __align__(16) char quern_memory[{threads} * sizeof(scan_type)];
  scan_type *all = reinterpret_cast<scan_type *>(quern_memory);
  const int tid = threadIdx.x;
  const long long first = ((long long)blockIdx.x * {threads} + tid) * {each};
  const int count = n - first < 0 ? 0 : n - first < {each} ? n - first : {each};
  scan_type values[{each}];
  for (int k = 0; k < count; ++k) values[k] = k ? quern_both(values[k - 1], in[first + k]) : in[first];
  if (count) all[tid] = values[count - 1];
  __syncthreads();
  for (int step = 1; step < {threads}; step *= 2) {{
    const bool joins = count && tid >= step;
    scan_type joined;
    if (joins) joined = quern_both(all[tid - step], all[tid]);
    __syncthreads();
    if (joins) all[tid] = joined;
    __syncthreads();
  }}
  for (int k = 0; k < count; ++k) out[first + k] = tid ? quern_both(all[tid - 1], values[k]) : values[k];
  if (count && (tid == {threads} - 1 || first + count == n)) totals[blockIdx.x] = all[tid];
}}

extern "C" __global__ void {name}_join(scan_type *out, const scan_type *totals, long long n)
{{
  const long long first = ((long long)blockIdx.x + 1) * {share};
  for (long long i = first + threadIdx.x; i < first + {share} && i < n; i += {threads}) out[i] = quern_both(totals[blockIdx.x], out[i]);
}}

extern "C" __global__ void {name}_shift(const scan_type *in, scan_type *out, long long n)
{{
  for (long long i = (long long)blockIdx.x * {threads} + threadIdx.x; i < n; i += (long long)gridDim.x * {threads})
    out[i] = i ? in[i - 1] : scan_type({neutral});
}}
"""


class _ScanKernel:
    def __init__(self, dtype, scan_expr, neutral=None, name_prefix="scan", options=None, preamble="", devices=None):
        if self._is_exclusive and neutral is None:
            raise ValueError("neutral element is required for exclusive scan")
        self.dtype = np.dtype(dtype)
        self.scan_expr, self.neutral, self.name_prefix = scan_expr, neutral, name_prefix
        self.preamble, self.options = preamble, options
        is_number = self.dtype.kind in "iufc"
        self._is_sum = is_number and scan_expr.replace(" ", "") in ("a+b", "b+a") and not preamble and str(neutral) in ("None", "0", "0.0")
        self._modules = {}

    __init__.__qualname__ = "ScanKernel.__init__"  # in Python's errors of wrong calls

    def _kernels(self):
        device = current_device()
        if device not in self._modules:
            text = _TEXT.format(
                preamble=self.preamble,
                scan_type=dtype_to_ctype(self.dtype),
                scan_expr=self.scan_expr,
                neutral="" if self.neutral is None else self.neutral,
                name=self.name_prefix,
                threads=_THREADS,
                each=_EACH,
                share=_SHARE,
            )
            module = SourceModule(text, options=self.options)
            self._modules[device] = [module.get_function(f"{self.name_prefix}_{part}") for part in ("shares", "join", "shift")]
        return self._modules[device]

    def __call__(self, input_ary, output_ary=None, allocator=None, stream=None):
        if not isinstance(input_ary, gpuarray.GPUArray):
            raise TypeError(f"[{self.name_prefix}] a GPUArray is needed, not {type(input_ary).__name__}")
        if output_ary is None:
            output_ary = input_ary
        elif isinstance(output_ary, str) and output_ary == "new":
            output_ary = _array.placed(gpuarray.empty_like(input_ary), allocator, input_ary)
        if input_ary.shape != output_ary.shape:
            raise ValueError(f"input and output must have the same shape, not {input_ary.shape} and {output_ary.shape}")
        if input_ary.ndim != 1:
            raise ValueError(f"[{self.name_prefix}] arrays of one axis are scanned, not of {input_ary.ndim}; use ravel()")
        if input_ary.dtype != self.dtype or output_ary.dtype != self.dtype:
            raise TypeError(f"[{self.name_prefix}] the kernel is for {self.dtype}, not {input_ary.dtype} and {output_ary.dtype}")
        if input_ary.size == 0:
            return output_ary
        with on_stream(stream):
            if self._is_sum:
                sums = gpuarray.as_gpu(_arrays.cumsum(plain(input_ary), dtype=self.dtype))
                if self._is_exclusive:
                    output_ary[1:] = sums[:-1]
                    output_ary[:1] = 0
                else:
                    output_ary[...] = sums
            else:
                self._scan(input_ary, output_ary, stream)
        return output_ary

    def _scan(self, given, out, stream):
        n = given.size
        dense = out if out.flags.c_contiguous and not self._is_exclusive else gpuarray.empty((n,), self.dtype)
        self._share(given if given.flags.c_contiguous else given.copy(), dense, n, stream)
        if self._is_exclusive:
            to = out if out.flags.c_contiguous else gpuarray.empty((n,), self.dtype)
            shift = self._kernels()[2]
            shift(dense, to, np.int64(n), block=(_THREADS, 1, 1), grid=(min(-(-n // _THREADS), 1024), 1), stream=stream)
            dense = to
        if dense is not out:
            out[...] = dense

    def _share(self, given, out, n, stream):
        shares, join, _ = self._kernels()
        blocks = -(-n // _SHARE)
        totals = gpuarray.empty((blocks,), self.dtype)
        shares(given, out, totals, np.int64(n), block=(_THREADS, 1, 1), grid=(blocks, 1), stream=stream)
        if blocks > 1:
            self._share(totals, totals, blocks, stream)
            join(out, totals, np.int64(n), block=(_THREADS, 1, 1), grid=(blocks - 1, 1), stream=stream)


class InclusiveScanKernel(_ScanKernel):
    """A kernel whose i-th result combines the elements up to the i-th.

    Call it with an array of one axis, and with the output: another array, "new", or nothing to overwrite the input. Keyword: ``stream``.
    It returns the output.

    Parameters
    ----------
    dtype : numpy dtype
        Of the elements.
    scan_expr : str
        ``a`` and ``b`` combined, in C++: "a + b", "max(a, b)". It must be associative.
    neutral : str
        What changes nothing when it is combined.
    name_prefix : str
        What the kernels' names start with.
    options : list of str
        Compiler options.
    preamble : str
        Text in front.
    devices : object
        Accepted for compatibility.

    Raises
    ------
    ValueError
        For shapes that do not fit.
    TypeError
        For another dtype.
    pycuda.driver.CompileError
        With the compiler's log.

    Examples
    --------
    >>> import numpy
    >>> from quern.pycuda import gpuarray
    >>> from quern.pycuda.scan import InclusiveScanKernel
    >>> InclusiveScanKernel(numpy.int32, "a+b")(gpuarray.to_gpu(numpy.array([1, 2, 3, 4], numpy.int32)))
    array([ 1,  3,  6, 10], dtype=int32)
    """

    _is_exclusive = False


class ExclusiveScanKernel(_ScanKernel):
    __doc__ = (
        InclusiveScanKernel.__doc__.replace("up to the i-th.", "before the i-th; the first result is `neutral`, which is required.")
        .replace('InclusiveScanKernel(numpy.int32, "a+b")', 'ExclusiveScanKernel(numpy.int32, "a+b", 0)')
        .replace("InclusiveScanKernel", "ExclusiveScanKernel")
        .replace("[ 1,  3,  6, 10]", "[0, 1, 3, 6]")
    )

    _is_exclusive = True
