"""A product of matrices in tiles of shared memory, for sizes that are no multiple of a tile.

quern run examples/jit_matmul.py [ROWS]
"""

import sys

import numpy as np
from numba import cuda, float32

TILE = 16


@cuda.jit
def matmul(a, b, out):
    left = cuda.shared.array((TILE, TILE), float32)
    right = cuda.shared.array((TILE, TILE), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.grid(2)
    total = float32(0)
    for start in range(0, a.shape[1], TILE):
        left[ty, tx] = 0
        right[ty, tx] = 0
        if row < a.shape[0] and start + tx < a.shape[1]:
            left[ty, tx] = a[row, start + tx]
        if column < b.shape[1] and start + ty < b.shape[0]:
            right[ty, tx] = b[start + ty, column]
        cuda.syncthreads()
        for k in range(TILE):
            total += left[ty, k] * right[k, tx]
        cuda.syncthreads()
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = total


rows = int(sys.argv[1]) if len(sys.argv) > 1 else 250
rng = np.random.default_rng(1)
a, b = rng.random((rows, rows + 33), dtype=np.float32), rng.random((rows + 33, rows - 20), dtype=np.float32)
out = cuda.device_array((a.shape[0], b.shape[1]), np.float32)
grid = (-(-b.shape[1] // TILE), -(-a.shape[0] // TILE))
matmul[grid, (TILE, TILE)](cuda.to_device(a), cuda.to_device(b), out)
difference = np.abs(out.copy_to_host() - a @ b).max()
print(f"{a.shape} @ {b.shape}: the largest difference from NumPy is {difference:.2g}")
assert difference < 1e-3
