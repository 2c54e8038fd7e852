"""Prefix sums of any length: blocks scan their part in shared memory, their totals are scanned, and added back."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

SOURCE = """
#define BLOCK 256

// Inclusive sums of each block's part; the block's total goes to `totals`.
__global__ void scan_blocks(const int* in, int* out, int* totals, int n)
{
    __shared__ int buffer[2][BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t, from = 0;
    buffer[0][t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int step = 1; step < BLOCK; step *= 2) {
        int value = buffer[from][t];
        if (t >= step)
            value += buffer[from][t - step];
        from = 1 - from;
        buffer[from][t] = value;
        __syncthreads();
    }
    if (i < n)
        out[i] = buffer[from][t];
    if (t == BLOCK - 1)
        totals[blockIdx.x] = buffer[from][t];
}

__global__ void add_totals(int* out, const int* totals, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (blockIdx.x > 0 && i < n)
        out[i] += totals[blockIdx.x - 1];
}
"""

BLOCK = 256
module = SourceModule(SOURCE)
scan_blocks, add_totals = module.get_function("scan_blocks"), module.get_function("add_totals")


def scan(device_in, device_out, n):
    """Inclusive prefix sums of n ints on the device."""
    blocks = (n + BLOCK - 1) // BLOCK
    totals = cuda.mem_alloc(4 * blocks)
    scan_blocks(device_in, device_out, totals, np.int32(n), block=(BLOCK, 1, 1), grid=(blocks, 1))
    if blocks > 1:
        scan(totals, totals, blocks)
        add_totals(device_out, totals, np.int32(n), block=(BLOCK, 1, 1), grid=(blocks, 1))


for n in (1, 255, 256, 257, 1_000_003):
    values = np.random.default_rng(n).integers(-5, 100, n, dtype=np.int32)
    device_in, device_out = cuda.to_device(values), cuda.mem_alloc(values.nbytes)
    scan(device_in, device_out, n)
    sums = cuda.from_device(device_out, n, np.int32)
    assert np.array_equal(sums, np.cumsum(values, dtype=np.int32)), n
print("prefix sums of 1 to 1000003 ints equal NumPy's")
