"""The pool of pinned host memory."""

import numpy as np
import pytest
import quern
import quern as qn
from quern import cuda, cupyx
from quern.lib import _engine
from quern.pycuda import driver as drv

BYTES = 50_000


def pinned(options=(False, False, False), size=BYTES):
    return _engine.pinned(_engine.current_device(), size, *options)


def test_freed_memory_is_used_again(device):
    _engine.current_device().trim_pinned()
    memory = pinned()
    address = memory.address
    memory.free()
    near = pinned(size=BYTES - 100)
    assert near.address == address and near.nbytes == BYTES - 100
    other = pinned((False, False, True))  # write-combined memory is of another kind
    assert other.address != address
    assert pinned(size=4 * BYTES).address != address
    del near, other
    with qn.trace() as events:
        again = pinned()
    assert again.address == address
    assert [(e.kind, e.name, e.bytes) for e in events] == [("allocate", "pinned", BYTES)]


def test_a_trim_gives_it_back(device):
    here = _engine.current_device()
    kept = pinned()
    here.trim_pinned()
    assert here.trim_pinned() == 0
    for trim in (here.trim_pinned, here.trim):
        gone = pinned()
        del gone
        assert trim() >= BYTES
    view = np.frombuffer(kept, np.uint8)
    view[:] = 7
    assert view.sum() == 7 * BYTES


def test_memory_in_use_is_not_handed_out(device):
    kernel = quern.RawKernel(
        'extern "C" __global__ void wait(int* flag, int* x) { while (*(volatile int*)flag == 0) {} x[0] = 5; }', "wait"
    )

    def mapped():
        memory = pinned((False, True, False))
        return memory, np.frombuffer(memory, np.int32)

    (flag, flag_view), (x, x_view) = mapped(), mapped()
    kernel.compile()
    flag_view[0] = x_view[0] = 0
    stream = cuda.stream()
    kernel((1,), (1,), (flag, x), stream=stream)
    address = x.address
    del x, x_view
    others = [mapped() for _ in range(3)]
    assert all(memory.address != address for memory, _ in others)
    for _, view in others:
        view[:] = 1
    flag_view[0] = 1
    stream.synchronize()
    again, view = mapped()
    assert again.address == address and view[0] == 5
    assert all((view == 1).all() for _, view in others)


def test_cupys_pool_gives_its_blocks_back(device):
    from quern import cupy

    pool = cupy.cuda.PinnedMemoryPool()
    memory = pool.malloc(BYTES)
    address = memory.ptr
    del memory
    assert pool.n_free_blocks() == 1
    device.synchronize()
    memory = pool.malloc(BYTES)
    assert memory.ptr == address and pool.n_free_blocks() == 0
    del memory
    pool.free_all_blocks()
    assert pool.n_free_blocks() == 0
    assert _engine.current_device().trim_pinned() == 0


@pytest.mark.parametrize("make", ["mapped_array", "managed_array"])
@pytest.mark.parametrize("order", "CF")
def test_the_interface_of_memory_that_both_reach(device, make, order):
    x = getattr(cuda, make)((2, 3), np.float32, order=order)
    x[...] = 1
    if device.kind == "cpu":
        assert not hasattr(x, "__cuda_array_interface__") and not cuda.is_cuda_array(x)
        return
    told = x.__cuda_array_interface__
    assert told["shape"] == (2, 3) and told["typestr"] == "<f4" and told["stream"] is None and told["version"] == 3
    assert told["data"] == (x.ctypes.data, False) and told["strides"] == (None if order == "C" else x.strides)
    y = cuda.as_cuda_array(x)
    assert y.shape == (2, 3) and y.strides == x.strides and cuda.is_cuda_array(x)
    y += 1  # the same memory
    cuda.synchronize()
    assert x.tolist() == [[2, 2, 2], [2, 2, 2]]
    part = cuda.as_cuda_array(x[1:, ::2])
    assert part.copy_to_host().tolist() == [[2, 2]]


@pytest.mark.parametrize("dtype", [object, np.dtype([("a", "i4"), ("b", object)])])
def test_memory_of_devices_has_no_python_objects(device, dtype):
    makers = [cuda.pinned_array, cuda.mapped_array, cuda.managed_array, cupyx.empty_pinned, cupyx.zeros_pinned]
    makers += [drv.pagelocked_empty, drv.pagelocked_zeros, drv.aligned_empty, drv.managed_empty, drv.managed_zeros]
    for make in makers:
        with pytest.raises(TypeError, match="Python objects"):
            make(3, dtype)
    likes = [cuda.pinned_array_like, cupyx.empty_like_pinned, drv.pagelocked_empty_like, drv.aligned_empty_like]
    for like in [*likes, drv.managed_zeros_like]:
        with pytest.raises(TypeError, match="Python objects"):
            like(np.zeros((2, 3), dtype))
