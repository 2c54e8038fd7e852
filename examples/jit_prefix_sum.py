"""Running sums with shuffles: sums of warps, of blocks, and what came before each block.

quern run examples/jit_prefix_sum.py [ELEMENTS]
"""

import sys

import numpy as np
from numba import cuda, int64

BLOCK = 256
WARPS = BLOCK // 32
ALL = 0xFFFFFFFF


@cuda.jit(device=True)
def within_warp(value):
    distance = 1
    while distance < 32:
        other = cuda.shfl_up_sync(ALL, value, distance)
        if cuda.laneid >= distance:
            value += other
        distance *= 2
    return value


@cuda.jit
def sums_of_blocks(x, out, totals):
    warps = cuda.shared.array(WARPS, int64)
    i, warp = cuda.grid(1), cuda.threadIdx.x // 32
    value = within_warp(x[i] if i < x.size else 0)
    if cuda.laneid == 31:
        warps[warp] = value
    cuda.syncthreads()
    for earlier in range(warp):
        value += warps[earlier]
    if i < x.size:
        out[i] = value
    if cuda.threadIdx.x == BLOCK - 1:
        totals[cuda.blockIdx.x] = value


@cuda.jit
def add_earlier(out, totals):
    i = cuda.grid(1)
    if i < out.size and cuda.blockIdx.x > 0:
        out[i] += totals[cuda.blockIdx.x - 1]


def prefix_sum(x):
    blocks = -(-x.size // BLOCK)
    out, totals = cuda.device_array(x.size, np.int64), cuda.device_array(blocks, np.int64)
    sums_of_blocks[blocks, BLOCK](x, out, totals)
    if blocks > 1:
        add_earlier[blocks, BLOCK](out, prefix_sum(totals))
    return out


elements = int(sys.argv[1]) if len(sys.argv) > 1 else 300_000
x = np.random.default_rng(7).integers(-100, 100, elements)
result = prefix_sum(cuda.to_device(x)).copy_to_host()
print(f"the running sum of {elements} integers ends at {result[-1]}")
assert np.array_equal(result, np.cumsum(x))
