"""A sum with warp shuffles: lanes add up by shuffling, warps by way of shared memory, blocks by atomics."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

SOURCE = """
__inline__ __device__ float warp_sum(float value)
{
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}

__global__ void sum(const float* data, float* total, int n)
{
    __shared__ float partial[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float value = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        value += data[i];
    value = warp_sum(value);
    if (lane == 0)
        partial[warp] = value;
    __syncthreads();
    if (warp == 0) {
        value = threadIdx.x < blockDim.x / 32 ? partial[lane] : 0.0f;
        value = warp_sum(value);
        if (lane == 0)
            atomicAdd(total, value);
    }
}
"""

n = 4_000_000
data = np.random.default_rng(3).random(n, dtype=np.float32)
total = np.zeros(1, np.float32)
function = SourceModule(SOURCE).get_function("sum")
function(cuda.In(data), cuda.InOut(total), np.int32(n), block=(256, 1, 1), grid=(128, 1))

exact = data.sum(dtype=np.float64)
assert abs(total[0] - exact) < 1e-5 * exact, (total[0], exact)
print(f"the sum of {n} numbers is {total[0]:.1f}, exactly {exact:.1f}")
