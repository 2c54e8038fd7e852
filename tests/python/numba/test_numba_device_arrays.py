"""Constructors and memory of numba.cuda's device arrays and records, strides of new ones, real indices of atomics, foreign arrays as out."""

import itertools

import numpy as np
import pytest
import quern.cupy as cp
from quern import cuda
from quern.cuda.cudadrv import devicearray
from quern.cuda.cudadrv.devicearray import DeviceNDArray, DeviceRecord
from quern.numba import float32, float64, guvectorize, vectorize

RECORD = np.dtype([("a", "i4"), ("b", "f8")])


def test_arrays_are_constructed():
    made = DeviceNDArray((2, 3), (24, 8), np.float64)
    made[:] = 2
    assert type(made) is DeviceNDArray
    assert made.shape == (2, 3)
    assert made.copy_to_host().sum() == 12
    assert DeviceNDArray((2, 3), (4, 8), "f4").strides == (4, 8)
    assert DeviceNDArray(4, 8, np.float64).shape == (4,)


def test_arrays_lie_over_the_memory_of_others():
    whole = cuda.to_device(np.arange(6.0))
    part = DeviceNDArray((2, 2), (16, 8), np.float64, gpu_data=whole.gpu_data)
    part[1, 1] = 9
    assert whole.copy_to_host().tolist() == [0, 1, 2, 9, 4, 5]
    assert whole.gpu_data.size == 48
    assert whole[2:].gpu_data.device_pointer_value == whole.gpu_data.device_pointer_value + 16
    del whole
    assert part.copy_to_host().tolist() == [[0, 1], [2, 9]]
    with pytest.raises(ValueError, match="bytes are needed"):
        DeviceNDArray((3, 3), (24, 8), np.float64, gpu_data=part.gpu_data)


def test_records_are_constructed():
    made = DeviceRecord(RECORD)
    made["a"] = 3
    assert type(made) is DeviceRecord
    assert made["a"] == 3
    array = cuda.to_device(np.array([(1, 2.0), (3, 4.0)], RECORD))
    over = DeviceRecord(RECORD, gpu_data=array[1].gpu_data)
    over["b"] = 7
    assert array.copy_to_host()["b"].tolist() == [2, 7]
    like = devicearray.from_record_like(np.zeros(1, RECORD)[0], gpu_data=array[0].gpu_data)
    assert like["a"] == 1
    assert type(devicearray.from_record_like(np.zeros(1, RECORD)[0])) is DeviceRecord
    assert devicearray.from_array_like(np.zeros(3), gpu_data=cuda.to_device(np.arange(3.0)).gpu_data)[2] == 2


def expected_strides(ary):
    """Numba's rule."""
    order = "F" if ary.flags.f_contiguous and not ary.flags.c_contiguous else "C"
    if ary.flags.c_contiguous or ary.flags.f_contiguous or ary.ndim <= 1:
        return np.empty(ary.shape, ary.dtype, order).strides
    strides, step = [0] * ary.ndim, ary.itemsize
    for axis, _ in sorted(enumerate(ary.strides), key=lambda one: one[1]):
        strides[axis], step = step, step * ary.shape[axis]
    return tuple(strides)


@pytest.mark.parametrize("shape", [(3, 5), (1, 5), (5, 1), (2, 3, 4), (1, 3, 4), (3, 1, 4), (2, 1, 1), (4,), (0, 3), (2, 0, 3)])
def test_strides_of_new_arrays(shape):
    views = [lambda x: x, lambda x: x[::2], lambda x: x[::2].T, lambda x: x[..., ::2], lambda x: x[..., ::2].T, lambda x: x[1:].T, lambda x: x[::-1], lambda x: x[::-1].T]
    views += [lambda x, order=order: x.transpose(order) for order in itertools.permutations(range(len(shape)))]
    host = np.zeros(shape, np.float32)
    device = cuda.to_device(host)
    for view in views:
        wanted = expected_strides(view(host))
        for like in (cuda.device_array_like, cuda.pinned_array_like, cuda.mapped_array_like):
            assert like(view(host)).strides == wanted
        if min(view(host).strides, default=0) >= 0:
            assert cuda.device_array_like(view(device)).strides == wanted


@cuda.jit
def halves(out, x):
    shared = cuda.shared.array((4, 4), float32)
    i = cuda.threadIdx.x
    if i < 4:
        for j in range(4):
            shared[i, j] = 0
    cuda.syncthreads()
    cuda.atomic.add(shared, (i / 2, i % 2), x[i])
    cuda.syncthreads()
    if i < 4:
        for j in range(4):
            out[i, j] = shared[i, j]


@cuda.jit
def places(sums, most, old, x):
    i = cuda.grid(1)
    cuda.atomic.add(sums, x[i] * 1.6, 1)
    cuda.atomic.max(most, (x[i], 0.9), i)
    old[i] = cuda.atomic.exch(old, i / 1.0, 5)


def test_real_indices_of_atomics_are_truncated():
    out = np.zeros((4, 4), np.float32)
    halves[1, 8](out, np.arange(8, dtype=np.float32))
    assert out[:, :2].tolist() == [[0, 1], [2, 3], [4, 5], [6, 7]]
    sums, most, old = np.zeros(8), np.zeros((4, 2), np.int64), np.arange(4.0)
    places[1, 4](sums, most, old, np.arange(4.0))
    assert sums.tolist() == [1, 1, 0, 1, 1, 0, 0, 0]
    assert most.tolist() == [[0, 0], [1, 0], [2, 0], [3, 0]]


class Lent:
    """An array of the device that another library's object gives when asked."""

    def __init__(self, array):
        self.array = array

    def __cupy_get_ndarray__(self):
        return self.array


def test_results_go_into_arrays_of_other_libraries():
    @vectorize([float64(float64, float64)], target="cuda")
    def add(a, b):
        return a + b

    @guvectorize(["void(float64[:], float64[:])"], "(n)->(n)", target="cuda")
    def doubled(a, out):
        for i in range(a.shape[0]):
            out[i] = 2 * a[i]

    x = np.arange(4.0)
    for call in (lambda out: add(x, x, out=out), lambda out: doubled(x, out), lambda out: doubled(x, out=out)):
        lent = Lent(cp.zeros(4))
        call(lent)
        assert cp.asnumpy(lent.array).tolist() == [0, 2, 4, 6]
    with pytest.raises(TypeError, match="out must be an array"):
        add(x, x, out=[0.0] * 4)
