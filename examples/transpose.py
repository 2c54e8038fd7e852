"""Transposes a matrix by a kernel that goes through tiles in shared memory, compared with one that does not, and by GPUArray.T."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule

TILE, ROWS = 32, 8

SOURCE = """
#define TILE 32
#define ROWS 8

// Neighbouring threads write places that lie a column apart.
__global__ void straight(float* out, const float* in, int width, int height)
{
    int x = blockIdx.x * TILE + threadIdx.x;
    for (int y = blockIdx.y * TILE + threadIdx.y; y < min(height, (blockIdx.y + 1) * TILE); y += ROWS)
        if (x < width)
            out[x * height + y] = in[y * width + x];
}

// Through a tile, whose rows are one element longer so that its columns lie in different banks.
__global__ void by_tiles(float* out, const float* in, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < height && y + j < width)
            out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
"""

height, width = 1000, 1537
matrix = np.random.default_rng(0).random((height, width), dtype=np.float32)
given = gpuarray.to_gpu(matrix)

module = SourceModule(SOURCE)
grid, block = (-(-width // TILE), -(-height // TILE)), (TILE, ROWS, 1)
for name in ("straight", "by_tiles"):
    transpose = module.get_function(name)
    out = gpuarray.zeros((width, height), np.float32)
    transpose(out, given, np.int32(width), np.int32(height), block=block, grid=grid)
    begin, end = cuda.Event(), cuda.Event()
    begin.record()
    for _ in range(10):
        transpose(out, given, np.int32(width), np.int32(height), block=block, grid=grid)
    end.record()
    end.synchronize()
    assert np.array_equal(out.get(), matrix.T)
    print(f"{name}: {2 * matrix.nbytes / (begin.time_till(end) / 10 * 1e6):.1f} GB/s")

assert np.array_equal(given.T.copy().get(), matrix.T)
print(f"{height} x {width} transposed, equal to NumPy's")
