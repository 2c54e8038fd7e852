"""A histogram by atomics: each block counts in shared memory and adds up once.

quern run examples/jit_histogram.py [ELEMENTS]
"""

import sys

import numpy as np
from numba import cuda, int32

BINS = 128


@cuda.jit
def histogram(x, low, high, counts):
    own = cuda.shared.array(BINS, int32)
    if cuda.threadIdx.x < BINS:
        own[cuda.threadIdx.x] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        if low <= x[i] < high:
            cuda.atomic.add(own, int((x[i] - low) / (high - low) * BINS), 1)
    cuda.syncthreads()
    if cuda.threadIdx.x < BINS:
        cuda.atomic.add(counts, cuda.threadIdx.x, own[cuda.threadIdx.x])


elements = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
x = np.random.default_rng(5).normal(size=elements)
counts = np.zeros(BINS, np.int32)
histogram[64, 256](x, -4.0, 4.0, counts)
inside = x[(x >= -4) & (x < 4)]
expected = np.bincount(((inside + 4.0) / 8.0 * BINS).astype(int), minlength=BINS)[:BINS]
for start in range(0, BINS, 8):
    print(f"{-4 + 8 * start / BINS:5.1f} {'#' * int(60 * counts[start] / counts.max())}")
print(f"{counts.sum()} of {elements} values counted")
assert np.array_equal(counts, expected)
