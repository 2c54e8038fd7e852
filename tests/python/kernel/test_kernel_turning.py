"""Kernels whose blocks are turned, so that threads along an array's last axis are neighbours: which ones are, and that nobody sees it."""

import numpy as np
import pytest
import quern as qn
from quern import trace
from quern.numba import cuda, float64, int32


@cuda.jit
def row_by_row(a, out):
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = 2 * a[i, j] + 100 * i + j


@cuda.jit
def column_first(a, out):
    j, i = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = 2 * a[i, j] + 100 * i + j


@cuda.jit
def by_hand(a, out):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    j = cuda.blockIdx.y * cuda.blockDim.y + cuda.threadIdx.y
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = 2 * a[i, j] + 100 * i + j


@cuda.jit
def in_steps(a, out):
    first, second = cuda.grid(2)
    rows, columns = cuda.gridsize(2)
    for i in range(first, out.shape[0], rows):
        j = second
        while j < out.shape[1]:
            out[i, j] = 2 * a[i, j] + 100 * i + j
            j += columns


@cuda.jit
def flat(a, out):
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = 2 * a[i, j] + 100 * int32(i) + min(max(j, 0), out.shape[1] - 1)


@cuda.jit(device=True)
def value_at(a, i, j):
    return 2 * a[i, j] + 100 * i + j


@cuda.jit
def through_a_function(a, out):
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = value_at(a, i, j)


def is_turned(kernel):
    (definition,) = kernel.overloads.values()
    return definition.is_turned


TURNED = [row_by_row, by_hand, in_steps, flat, through_a_function]


@pytest.mark.parametrize("kernel", [*TURNED, column_first], ids=lambda k: k.__name__)
@pytest.mark.parametrize("block", [(16, 16), (8, 4), (3, 7), (1, 32), (32, 1), (2, 3, 2)])
def test_every_thread_does_what_it_does(device, kernel, block):
    a = np.random.default_rng(1).random((37, 53))
    out = np.zeros_like(a)
    kernel[(54, 54), block](a, out)
    i, j = np.indices(a.shape)
    np.testing.assert_array_equal(out, 2 * a + 100 * i + j)
    assert is_turned(kernel) == (kernel in TURNED)


def test_arrays_in_column_order_are_walked_along_x(device):
    @cuda.jit
    def double(a):
        i, j = cuda.grid(2)
        if i < a.shape[0] and j < a.shape[1]:
            a[i, j] *= 2

    a = np.asfortranarray(np.arange(12.0).reshape(3, 4))
    double[(1, 1), (4, 4)](a)
    np.testing.assert_array_equal(a, np.arange(12.0).reshape(3, 4) * 2)
    assert not is_turned(double)


def test_places_and_sizes_are_those_of_the_launch(device):
    @cuda.jit
    def places(out, marks):
        i, j = cuda.grid(2)
        marks[i, j] += 1
        if i == 5 and j == 3:
            out[0], out[1], out[2] = cuda.threadIdx.x, cuda.threadIdx.y, cuda.threadIdx.z
            out[3], out[4], out[5] = cuda.blockDim.x, cuda.blockDim.y, cuda.blockDim.z
            out[6], out[7] = cuda.blockIdx.x, cuda.blockIdx.y
            out[8], out[9] = cuda.gridDim.x, cuda.gridDim.y
            out[10], out[11] = cuda.gridsize(2)

    out, marks = np.zeros(12, np.int64), np.zeros((8, 6), np.int64)
    places[(2, 3), (4, 2)](out, marks)
    assert is_turned(places)
    assert out.tolist() == [1, 1, 0, 4, 2, 1, 1, 1, 2, 3, 8, 6]
    assert (marks == 1).all()


def test_barriers_and_shared_memory(device):
    @cuda.jit
    def transposed(a, out):
        tile = cuda.shared.array((8, 4), float64)
        x, y = cuda.threadIdx.x, cuda.threadIdx.y
        i, j = cuda.grid(2)
        tile[x, y] = a[i, j]
        cuda.syncthreads()
        out[i, j] = tile[7 - x, 3 - y]
        if cuda.syncthreads_count(x > y) != 22:
            out[i, j] = -1

    a = np.arange(16.0 * 8).reshape(16, 8)
    out = np.zeros_like(a)
    transposed[(2, 2), (8, 4)](a, out)
    assert is_turned(transposed)
    blocks = a.reshape(2, 8, 2, 4)[:, ::-1, :, ::-1]
    np.testing.assert_array_equal(out, blocks.reshape(16, 8))


def test_who_sees_his_neighbours_is_not_turned(device, capfd):
    @cuda.jit
    def lanes(out):
        i, j = cuda.grid(2)
        out[i, j] = cuda.laneid

    @cuda.jit
    def shuffled(out):
        i, j = cuda.grid(2)
        out[i, j] = cuda.shfl_sync(0xFFFFFFFF, i, 0)

    @cuda.jit(device=True)
    def lane():
        return cuda.laneid

    @cuda.jit
    def through_function(out):
        i, j = cuda.grid(2)
        out[i, j] = lane()

    @cuda.jit
    def printing(out):
        i, j = cuda.grid(2)
        out[i, j] = 1
        if i == 7 and j == 3:
            print(i, j)

    expected = np.arange(32).reshape(4, 8).T
    for kernel, wanted in ((lanes, expected), (through_function, expected), (shuffled, 0 * expected), (printing, 0 * expected + 1)):
        out = np.full((8, 4), -1)
        kernel[(1, 1), (8, 4)](out)
        np.testing.assert_array_equal(out, wanted)
        assert not is_turned(kernel)
    qn.synchronize()


def test_what_is_debugged_is_not_turned(device):
    @cuda.jit(debug=True, opt=False)
    def one(out):
        i, j = cuda.grid(2)
        out[i, j] = 1

    out = np.zeros((4, 4))
    one[(1, 1), (4, 4)](out)
    assert out.all() and not is_turned(one)


def test_messages_and_traces_have_the_block_as_given(device):
    a = np.zeros((8, 2))
    with trace() as events:
        row_by_row[(2, 1), (4, 2)](a, a)
    assert [e["detail"] for e in events if e["kind"] == "launch"] == ["grid 2x1x1 block 4x2x1"]
    with pytest.raises(qn.LogicError, match="64 x 32 x 1 = 2048"):
        row_by_row[(1, 1), (64, 32)](a, a)


def test_numbers_that_do_not_step(device):
    """Where y goes through memory in leaps as x does, or is not asked, x stays where it is."""

    @cuda.jit
    def leaping(a, out):
        i, j = cuda.grid(2)
        if i < a.size and j == 0:
            out[i] = a[(i * 3) % a.size]

    a, out = np.arange(10.0), np.zeros(10)
    leaping[(3, 1), (4, 2)](a, out)
    np.testing.assert_array_equal(out, a[(np.arange(10) * 3) % 10])
    assert not is_turned(leaping)
