"""y += A x for a matrix that is stored by rows (CSR): the one kernel behind every sparse product of this package."""

import numpy as np

from quern.device import current_device
from quern.pycuda import gpuarray
from quern.pycuda._arguments import dtype_to_ctype
from quern.pycuda.compiler import SourceModule

_THREADS = 128
_TEXT = """#include <pycuda-complex.hpp>
typedef {type} number;
// {lanes} threads walk a row together.
extern "C" __global__ void add_product(const long long *starts, const int *columns, const number *values, const number *x, number *y,
                                       long long rows)
{{
  const long long row = ((long long)blockIdx.x * {threads} + threadIdx.x) / {lanes};
  const int lane = threadIdx.x % {lanes};
  number sum = number(0);
  if (row < rows)
    for (long long k = starts[row] + lane; k < starts[row + 1]; k += {lanes}) sum += values[k] * x[columns[k]];
  if ({lanes} > 1) {{
    __shared__ __align__(16) char memory[{threads} * sizeof(number)];
    number *sums = reinterpret_cast<number *>(memory);
    for (int apart = {lanes} / 2; apart; apart /= 2) {{
      sums[threadIdx.x] = sum;
      __syncthreads();
      if (lane < apart) sum += sums[threadIdx.x + apart];
      __syncthreads();
    }}
  }}
  if (row < rows && lane == 0) y[row] += sum;
}}
"""


class RowProduct:
    """A matrix on the device, called with a vector.

    Parameters: ``what``, how errors name it; ``csr``, with ``data``, ``indices``, ``indptr`` and ``shape`` as SciPy's; ``dtype`` of the
    numbers, a floating or complex one.
    """

    def __init__(self, what, csr, dtype):
        self.what, self.shape, self.dtype = what, tuple(map(int, csr.shape)), np.dtype(dtype)
        if self.dtype.kind not in "fc" or self.dtype.itemsize < 4:
            raise TypeError(f"[{what}] the dtype must be float32, float64, complex64 or complex128, not {self.dtype}")
        if len(self.shape) != 2 or self.shape[1] > np.iinfo(np.int32).max:
            raise ValueError(f"[{what}] a matrix of two dimensions and fewer than 2**31 columns is needed, not of shape {self.shape}")
        self._starts = gpuarray.to_gpu(np.ascontiguousarray(csr.indptr, np.int64))
        self._columns = gpuarray.to_gpu(np.ascontiguousarray(csr.indices, np.int32))
        self._values = gpuarray.to_gpu(np.ascontiguousarray(csr.data).astype(self.dtype))
        self._kernel = None

    def _lanes(self):
        """Threads a row: on a GPU about as many as a row has numbers, so that neighbours read neighbours."""
        if current_device().kind == "cpu":
            return 1
        mean = self._values.size / max(1, self.shape[0])
        return next((lanes for lanes in (1, 2, 4, 8, 16) if mean <= 1.5 * lanes), 32)

    def __call__(self, x, y=None):
        if x.shape != self.shape[1:] or x.dtype != self.dtype:
            raise ValueError(
                f"[{self.what}] the vector must have shape ({self.shape[1]},) and type {self.dtype}, not {x.shape} and {x.dtype}"
            )
        if y is None:
            y = gpuarray.zeros(self.shape[:1], self.dtype)
        elif y.shape != self.shape[:1] or y.dtype != self.dtype:
            raise ValueError(
                f"[{self.what}] the result must have shape ({self.shape[0]},) and type {self.dtype}, not {y.shape} and {y.dtype}"
            )
        if not self._values.size:
            return y
        lanes = self._lanes()
        if self._kernel is None:
            text = _TEXT.format(type=dtype_to_ctype(self.dtype), lanes=lanes, threads=_THREADS)
            self._kernel = SourceModule(text).get_function("add_product")
        x = x if x.flags.c_contiguous else x.copy()
        dense = y if y.flags.c_contiguous else y.copy()
        blocks = -(-self.shape[0] * lanes // _THREADS)
        self._kernel(self._starts, self._columns, self._values, x, dense, np.int64(self.shape[0]), block=(_THREADS, 1, 1), grid=(blocks, 1))
        if dense is not y:
            y[...] = dense
        return y
