"""Cooperative groups in kernels: all blocks of a launch wait for one another."""

import numpy as np
import pytest
import quern as qn
from kernels import module_of
from quern import cuda
from quern.kernel.errors import KernelError
from quern.numba import types

# Each row from the one before, read back to front, so that every block needs what the others wrote.
ROWS = """
from quern.cuda import cg
@cuda.jit
def kernel(m):
    column = cuda.grid(1)
    g = cg.this_grid()
    for row in range(1, m.shape[0]):
        if column < m.shape[1]:
            m[row, column] = m[row - 1, m.shape[1] - column - 1] + 1
        g.sync()
"""


def test_rows_that_need_one_another(device, tmp_path):
    module = module_of(tmp_path, ROWS)
    m = np.zeros((200, 256), np.int32)
    m[0] = np.arange(256)
    wanted = m.copy()
    for row in range(1, len(m)):
        wanted[row] = wanted[row - 1, ::-1] + 1
    module.kernel[8, 32](m)
    np.testing.assert_array_equal(m, wanted)


def test_several_dimensions_and_device_functions(device, tmp_path):
    text = """
@cuda.jit(device=True)
def wait(grid):
    grid.sync()
@cuda.jit(device=True)
def wait_for_all():
    cuda.cg.this_grid().sync()
@cuda.jit
def kernel(counts, out):
    x, y, z = cuda.grid(3)
    grid = cuda.cg.this_grid()
    cuda.atomic.add(counts, 0, 1)
    wait(grid)
    out[x, y, z] = counts[0]
    wait_for_all()
    cuda.atomic.add(counts, 0, 1)
    grid.sync()
    out[x, y, z] += counts[0]
"""
    counts, out = np.zeros(1, np.int32), np.zeros((4, 4, 4), np.int32)
    module_of(tmp_path, text).kernel[(2, 1, 2), (2, 4, 2)](counts, out)
    assert (out == 64 + 128).all()


def test_how_many_blocks(device, tmp_path):
    kernel = module_of(tmp_path, ROWS).kernel
    made = kernel.compile((types.Array(types.int32, 2, "C"),))
    assert kernel.overloads[types.Array(types.int32, 2, "C"),] is made and made.cooperative
    most = made.max_cooperative_grid_blocks(32)
    assert most >= 1 and most >= made.max_cooperative_grid_blocks((16, 4, 2)) >= 1
    assert made.max_cooperative_grid_blocks(10**6) == 0
    assert most >= made.max_cooperative_grid_blocks(32, 40000) >= 1
    if device.kind != "cpu":
        m = cuda.to_device(np.zeros((3, most * 32), np.int32))
        kernel[most, 32](m)  # as many as fit
        assert (m.copy_to_host()[2] == 2).all()


def test_errors(device, tmp_path):
    with pytest.raises(KernelError, match="no arguments"):
        module_of(tmp_path, "@cuda.jit\ndef kernel(x):\n    cuda.cg.this_grid(1)\n").kernel[1, 1](np.zeros(1))
    with pytest.raises(KernelError, match="no attribute 'size'"):
        module_of(tmp_path, "@cuda.jit\ndef kernel(x):\n    x[0] = cuda.cg.this_grid().size\n").kernel[1, 1](np.zeros(1))
    with pytest.raises(RuntimeError, match=r"cuda\.cg\.this_grid"):
        cuda.cg.this_grid()


def test_kernels_of_cuda_source(device):
    code = """#include <cooperative_groups.h>
    extern "C" __global__ void reversed(int* m, int rows) {
      const int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
      for (int row = 1; row < rows; ++row) {
        m[row * n + i] = m[(row - 1) * n + n - 1 - i] + 1;
        cooperative_groups::this_grid().sync();
      }
    }"""
    for kernel in (
        qn.RawKernel(code, "reversed", enable_cooperative_groups=True),
        qn.RawModule(code=code, enable_cooperative_groups=True).get_function("reversed"),
    ):
        assert kernel.enable_cooperative_groups
        m = qn.zeros((50, 256), np.int32)
        kernel((8,), (32,), (m, np.int32(50)))
        assert (qn.asnumpy(m)[49] == 49).all()
