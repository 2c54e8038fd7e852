"""A sparse matrix (CSR) times vectors: a thread for each row, and a warp for each row, compared with NumPy."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray
from pycuda.compiler import SourceModule

SOURCE = """
__global__ void by_threads(const int* starts, const int* columns, const double* values, const double* x, double* y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    double sum = 0;
    for (int k = starts[row]; k < starts[row + 1]; ++k)
        sum += values[k] * x[columns[k]];
    y[row] = sum;
}

// Neighbouring threads read neighbouring elements; shuffles add up what they have.
__global__ void by_warps(const int* starts, const int* columns, const double* values, const double* x, double* y, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    double sum = 0;
    for (int k = starts[row] + lane; k < starts[row + 1]; k += 32)
        sum += values[k] * x[columns[k]];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (lane == 0)
        y[row] = sum;
}
"""

# Rows of very different lengths, some of them empty.
rows = columns = 3000
random = np.random.default_rng(11)
lengths = np.minimum(random.geometric(0.04, rows) - 1, columns)
starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
places = np.concatenate([np.sort(random.choice(columns, n, replace=False)) for n in lengths]).astype(np.int32)
values = random.normal(size=starts[-1])
x = random.normal(size=columns)

wanted = np.zeros(rows)
np.add.at(wanted, np.repeat(np.arange(rows), lengths), values * x[places])

matrix = [gpuarray.to_gpu(part) for part in (starts, places, values)]
vector = gpuarray.to_gpu(x)
module = SourceModule(SOURCE)
for name, threads in (("by_threads", 1), ("by_warps", 32)):
    y = gpuarray.zeros(rows, np.float64)
    module.get_function(name)(*matrix, vector, y, np.int32(rows), block=(128, 1, 1), grid=(-(-rows * threads // 128), 1))
    error = np.abs(y.get() - wanted).max()
    assert error < 1e-12, (name, error)
    print(f"{name}: {starts[-1]} elements in {rows} rows, largest difference from NumPy {error:.1e}")

# The power method: the product is a kernel, what is around it array work, and no value is read before the end.
product = module.get_function("by_warps")
v = gpuarray.zeros(rows, np.float64) + 1.0
for _ in range(20):
    product(*matrix, v, y, np.int32(rows), block=(128, 1, 1), grid=(-(-rows * 32 // 128), 1))
    v = y / gpuarray.sum(abs(y))
host = np.ones(rows)
for _ in range(20):
    out = np.zeros(rows)
    np.add.at(out, np.repeat(np.arange(rows), lengths), values * host[places])
    host = out / np.abs(out).sum()
assert np.allclose(v.get(), host, atol=1e-10)
print("twenty products in a row agree as well")
