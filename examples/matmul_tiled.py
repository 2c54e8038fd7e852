"""Matrix product with tiles in shared memory, checked against NumPy."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

SOURCE = """
#define TILE 16

__global__ void matmul(const float* a, const float* b, float* c, int rows, int inner, int columns)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y;
    int column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < inner; k += TILE) {
        int ka = k + threadIdx.x, kb = k + threadIdx.y;
        tile_a[threadIdx.y][threadIdx.x] = row < rows && ka < inner ? a[row * inner + ka] : 0.0f;
        tile_b[threadIdx.y][threadIdx.x] = kb < inner && column < columns ? b[kb * columns + column] : 0.0f;
        __syncthreads();
        for (int j = 0; j < TILE; ++j)
            sum += tile_a[threadIdx.y][j] * tile_b[j][threadIdx.x];
        __syncthreads();
    }
    if (row < rows && column < columns)
        c[row * columns + column] = sum;
}
"""

rows, inner, columns = 500, 300, 417
random = np.random.default_rng(1)
a = random.standard_normal((rows, inner), dtype=np.float32)
b = random.standard_normal((inner, columns), dtype=np.float32)
c = np.empty((rows, columns), np.float32)

matmul = SourceModule(SOURCE).get_function("matmul")
matmul(
    cuda.In(a),
    cuda.In(b),
    cuda.Out(c),
    np.int32(rows),
    np.int32(inner),
    np.int32(columns),
    block=(16, 16, 1),
    grid=((columns + 15) // 16, (rows + 15) // 16),
)

error = np.abs(c - a.astype(np.float64) @ b).max()
assert error < 1e-3, error
print(f"{rows} x {inner} times {inner} x {columns}: largest difference from NumPy {error:.1e}")
