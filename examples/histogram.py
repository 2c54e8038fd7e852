"""A histogram of bytes: each block counts in shared memory with atomics, then adds its counts to the whole."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

SOURCE = """
__global__ void histogram(const unsigned char* data, unsigned int* counts, int n)
{
    __shared__ unsigned int mine[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        mine[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[data[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        atomicAdd(&counts[i], mine[i]);
}
"""

n = 5_000_000
data = np.minimum(np.random.default_rng(2).exponential(40, n), 255).astype(np.uint8)
counts = np.zeros(256, np.uint32)
histogram = SourceModule(SOURCE).get_function("histogram")
histogram(cuda.In(data), cuda.InOut(counts), np.int32(n), block=(256, 1, 1), grid=(64, 1))

assert np.array_equal(counts, np.bincount(data, minlength=256))
print(f"{n} bytes counted; the most frequent is {counts.argmax()} with {counts.max()}")
