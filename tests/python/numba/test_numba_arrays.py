"""Arrays in Numba's way: what DeviceNDArray has, and pinned, mapped and managed memory."""

import ctypes
import gc
import pickle

import numpy as np
import pytest
from quern import cuda
from quern.cuda import cudadrv
from quern.cuda.cudadrv import devicearray, driver


@cuda.jit
def increment(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


# ---- DeviceNDArray


def test_attributes(device):
    host = np.arange(6, dtype=np.float32).reshape(2, 3)
    made = cuda.to_device(host)
    assert isinstance(made, devicearray.DeviceNDArray)
    assert made.flags["C_CONTIGUOUS"]
    assert not made.flags["F_CONTIGUOUS"]
    assert made.nbytes == made.alloc_size == 24
    assert len(made) == 2
    assert made.as_cuda_arg() is made
    assert made.bind() is made
    assert type(made.T) is cuda.DeviceNDArray
    np.testing.assert_array_equal(made.T.copy_to_host(), host.T)
    np.testing.assert_array_equal(np.asarray(made), host)
    np.testing.assert_array_equal(made.__array__(np.float64), host)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(made)).copy_to_host(), host)
    assert format(made) == str(made)
    for name in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"):
        np.testing.assert_array_equal(getattr(made, name)(3).copy_to_host(), getattr(host, name)(3))
    if device.kind == "cuda":
        assert made.__cuda_array_interface__["data"][0] == made.device_ctypes_pointer.value


def test_the_address(device):
    made = cuda.to_device(np.arange(6.0))
    pointer = made.device_ctypes_pointer
    assert isinstance(pointer, ctypes.c_void_p)
    assert made[2:].device_ctypes_pointer.value == pointer.value + 16
    assert not cuda.device_array(0).device_ctypes_pointer.value
    if device.kind == "cpu":
        assert (ctypes.c_double * 6).from_address(pointer.value)[5] == 5


def test_parts(device):
    made = cuda.to_device(np.arange(6))
    assert made.getitem(2) == 2
    assert made.getitem(slice(1, 3), stream=cuda.stream()).copy_to_host().tolist() == [1, 2]
    made.setitem(0, 10)
    made.setitem(slice(1, 3), np.array([20, 30]), stream=cuda.stream())
    made[5] = 50
    assert made.copy_to_host().tolist() == [10, 20, 30, 3, 4, 50]
    assert [p.size for p in made.split(4)] == [4, 2]


def test_shapes(device):
    host = np.arange(6.0)
    made = cuda.to_device(host)
    for shape in ((2, 3), (3, -1), (1, 6, 1)):
        for order in "CF":
            again = made.reshape(shape, order=order)
            assert type(again) is cuda.DeviceNDArray
            np.testing.assert_array_equal(again.copy_to_host(), host.reshape(shape, order=order))
            again[(0,) * len(again.shape)] = 7
            assert made[0] == 7
            made[0] = 0
    np.testing.assert_array_equal(made.reshape(2, 3).copy_to_host(), host.reshape(2, 3))
    table = made.reshape(1, 2, 3)
    assert table.squeeze().shape == (2, 3)
    assert table.squeeze(axis=0).shape == (2, 3)
    assert table.squeeze(0, stream=cuda.stream()).shape == (2, 3)
    with pytest.raises(ValueError):
        table.squeeze(axis=1)
    assert table.transpose((2, 0, 1)).shape == (3, 1, 2)
    assert table.transpose().shape == (3, 2, 1)
    assert table.ravel().shape == (6,)
    table.squeeze()[1, 2] = 50
    assert made[5] == 50
    assert made.view(np.int64).dtype == np.int64
    assert made.view(np.float32).shape == (12,)
    with pytest.raises(NotImplementedError):
        made.reshape(2, 3).T.reshape(6)
    with pytest.raises(ValueError):
        made.reshape(4)


def test_steps_of_new_arrays():
    prepare = cuda.prepare_shape_strides_dtype
    assert prepare(3, None, np.int16, "C") == ((3,), (2,), np.dtype("i2"))
    assert prepare((), None, np.int16, "C") == ((), (), np.dtype("i2"))
    assert prepare((4,), 8, np.int16, "C") == ((4,), (8,), np.dtype("i2"))
    for order in "CF":
        shape, strides, dtype = prepare((2, 3, 4), None, "f8", order)
        assert strides == np.empty(shape, dtype, order).strides


# ---- memory of the host


@pytest.mark.parametrize("make", [cuda.pinned_array, cuda.mapped_array, cuda.managed_array])
def test_memory_that_the_device_reaches(make, device):
    made = make((3, 4), np.float32, order="F")
    assert isinstance(made, np.ndarray)
    assert made.shape == (3, 4)
    assert made.dtype == np.float32
    assert made.flags.f_contiguous
    assert make(2).dtype == np.float64
    assert make((), np.int8).shape == ()
    assert make((0, 2)).size == 0
    assert make(3, np.int32, strides=8).strides == (8,)
    x = make(100, np.int64)
    x[:] = np.arange(100)
    for stream in (0, cuda.stream()):
        increment[4, 32, stream](x)
        cuda.synchronize()
    np.testing.assert_array_equal(x, np.arange(100) + 2)
    part = x[10:20]
    del x
    gc.collect()
    assert part.sum() == sum(range(12, 22))
    np.testing.assert_array_equal(cuda.to_device(part).copy_to_host(), part)
    with pytest.raises(ValueError):
        make(3, np.int32, strides=-4)


def test_arrays_alike(device):
    host = np.zeros((2, 3), np.int16, order="F")
    for made in (cuda.pinned_array_like(host), cuda.mapped_array_like(host, portable=True), cuda.mapped_array_like(host, wc=True)):
        assert made.shape == (2, 3)
        assert made.dtype == np.int16
        assert made.flags.f_contiguous


def test_mapped_arrays_have_names_of_device_arrays(device):
    made = cuda.mapped_array((2, 3))
    made.copy_to_device(np.arange(6.0).reshape(2, 3))
    assert made.copy_to_host().tolist() == [[0, 1, 2], [3, 4, 5]]
    assert type(made.copy_to_host()) is np.ndarray
    out = np.zeros(6)
    assert made.copy_to_host(out) is out
    made.copy_to_device(cuda.to_device(np.ones((2, 3))))
    assert made.sum() == 6
    assert made.is_c_contiguous()
    assert not made.is_f_contiguous()
    assert made.alloc_size == 48
    assert devicearray.is_cuda_ndarray(made)
    assert isinstance(cuda.managed_array(2), devicearray.ManagedNDArray)


def test_memory_that_is_pinned_for_a_while(device):
    a, b = np.arange(1000.0), np.zeros(1000)
    with cuda.pinned(a, b):
        there = cuda.to_device(a, stream=cuda.stream())
        there.copy_to_host(b)
    np.testing.assert_array_equal(a, b)
    with cuda.pinned(a):  # once more
        pass
    with cuda.mapped(a) as m:
        increment[32, 32](m)
        cuda.synchronize()
        assert a[7] == 8
    with cuda.mapped(a, b, stream=cuda.stream()) as (m, n):
        n[:] = m
    np.testing.assert_array_equal(a, b)
    with pytest.raises(TypeError):
        with cuda.mapped(a, flags=3):
            pass
    with pytest.raises(ZeroDivisionError):
        with cuda.pinned(a):
            raise ZeroDivisionError
    with cuda.pinned(a):
        pass


@pytest.mark.parametrize("make", [cuda.mapped_array, cuda.managed_array])
def test_kernels_work_on_mapped_memory_in_place(make, device):
    @cuda.jit
    def add(x, amount):
        i, j = cuda.grid(2)
        if i < x.shape[0] and j < x.shape[1]:
            x[i, j] += amount * (10 * i + j)

    expected = np.zeros((6, 8))
    step = 10 * np.arange(6)[:, None] + np.arange(8)
    for order in "CF":
        x = make((6, 8), order=order)
        x[:] = expected[:] = 0
        for parts in ((slice(None), slice(None)), (slice(1, 5, 2), slice(None, None, -1)), (slice(None, None, -1), slice(7, 2, -2))):
            expected[parts] += step[: expected[parts].shape[0], : expected[parts].shape[1]]
            add[(1, 1), (8, 8)](x[parts], 1)
            assert isinstance(x[parts], np.ndarray)
        add[(1, 1), (8, 8)](cuda.InOut(x), 2)
        add[(1, 1), (8, 8), cuda.stream()](x.T, 0)
        cuda.synchronize()
        np.testing.assert_array_equal(x, expected + 2 * step)
        plain = np.asarray(x)
        assert type(plain) is np.ndarray
        add[(1, 1), (8, 8)](plain, 1)  # is there when the launch returns
        np.testing.assert_array_equal(plain, expected + 3 * step)

    @cuda.jit
    def of_many(pair, record, rows, empty):
        pair[1][0] = pair[0].size + empty.size
        record.a += 1
        for i in range(rows.size):
            rows[i].b = i

    kind = np.dtype([("a", np.int32), ("b", np.float64)])
    first, second, rows = make(3), make(1), make(4, kind)
    rows["a"] = 7
    of_many[1, 1]((first, second), rows[2], rows, make((0, 2)))
    cuda.synchronize()
    assert second[0] == 3
    assert rows["a"].tolist() == [7, 7, 8, 7]
    assert rows["b"].tolist() == [0, 1, 2, 3]


def test_mapped_memory_lives_as_long_as_work_on_it(device):
    @cuda.jit
    def fill(x, value):
        for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
            x[i] = value

    for make in (cuda.mapped_array, cuda.managed_array):
        for value in range(5):
            made = make(1_000_000, np.int32)
            fill[64, 128](made[::2], value)
            kept = made[2:4]
            del made
            gc.collect()
            fill[64, 128](kept, value + 1)
            del kept  # the work may still run
    a = np.zeros(1000)
    for value in range(1, 4):
        with cuda.mapped(a) as m:
            fill[1, 128](m[10:], value)
        assert a[9] == 0  # the end of the block waits
        assert (a[10:] == value).all()
        with pytest.raises(ZeroDivisionError):
            with cuda.mapped(a) as m:
                fill[1, 128](m, value)
                raise ZeroDivisionError
        assert (a == value).all()
        fill[1, 128](a, 0)  # a plain array again
        assert (a == 0).all()


# ---- memory as such


def test_memory_of_contexts(device):
    context = cuda.current_context()
    memory = context.memalloc(64)
    assert isinstance(memory, cuda.MemoryPointer)
    assert memory.size == 64
    assert driver.is_device_memory(memory)
    assert driver.device_pointer(memory) == memory.device_pointer_value == memory.device_ctypes_pointer.value
    values = np.arange(16, dtype=np.int32)
    driver.host_to_device(memory, values, 64)
    back = np.zeros(16, np.int32)
    driver.device_to_host(back, memory, 64)
    np.testing.assert_array_equal(back, values)
    part = memory.view(8, 16)
    assert part.size == 8
    assert int(part) == int(memory) + 8
    assert part.owner is memory
    with pytest.raises(RuntimeError):
        memory.view(60, 70)
    memory.memset(1, 4)
    driver.device_memset(part, 0, 8, stream=cuda.stream())
    cuda.synchronize()
    driver.device_to_host(back, memory, 64)
    assert back.tolist() == [0x01010101, 1, 0, 0, *range(4, 16)]
    other = context.memalloc(64)
    driver.device_to_device(other, memory, 64)
    driver.device_to_host(values, other, 64)
    np.testing.assert_array_equal(back, values)
    memory.free()
    with pytest.raises(RuntimeError):
        memory.free()
    with pytest.raises(TypeError):
        driver.device_pointer(np.zeros(3))


def test_memory_pointers_call_their_finalizer_once():
    calls = []
    for kind in (cuda.MemoryPointer, cuda.MappedMemory, cuda.PinnedMemory):
        made = kind(cuda.current_context(), ctypes.c_void_p(64), 8, owner="me", finalizer=lambda: calls.append(1))
        assert made.owner == "me"
        assert made.size == 8
        assert made.own() is made
        del made
        gc.collect()
    assert calls == [1, 1, 1]
    assert int(cuda.MemoryPointer(None, 3, 8)) == 3
    assert cuda.MappedMemory(None, 3, 8).host_pointer == 3


def test_host_memory_of_contexts(device):
    context = cuda.current_context()
    pinned = context.memhostalloc(16)
    assert isinstance(pinned, cuda.PinnedMemory)
    mapped = context.memhostalloc(16, mapped=True)
    assert isinstance(mapped, cuda.MappedMemory)
    managed = context.memallocmanaged(16)
    for address in (pinned.host_pointer, mapped.host_pointer, int(managed)):
        bytes_ = (ctypes.c_char * 16).from_address(address)
        bytes_[3] = b"x"
        assert bytes_[3] == b"x"


def test_contexts(device):
    context = cuda.current_context()
    assert isinstance(context.create_stream(), cuda.Stream)
    assert context.create_event().query() in (True, False)
    assert int(context.get_default_stream()) == 0
    assert context.can_access_peer(context) is False
    assert context.get_memory_info().free <= context.get_memory_info().total
    context.reset()
    assert cudadrv.devices.get_context().device == context.device
    assert cudadrv.devices.gpus is cuda.gpus


# ---- numba.cuda.cudadrv.devicearray


def test_what_is_an_array_on_the_device(device):
    made, host = cuda.to_device(np.arange(6.0).reshape(2, 3)), np.zeros((2, 3))
    assert devicearray.is_cuda_ndarray(made)
    assert not devicearray.is_cuda_ndarray(host)
    devicearray.require_cuda_ndarray(made)
    devicearray.verify_cuda_ndarray_interface(made)
    with pytest.raises(ValueError):
        devicearray.require_cuda_ndarray(host)
    assert devicearray.auto_device(made) == (made, False) or devicearray.auto_device(made)[0] is made
    there, is_new = devicearray.auto_device(host)
    assert is_new is True
    np.testing.assert_array_equal(there.copy_to_host(), host)
    assert devicearray.from_array_like(host).shape == (2, 3)
    assert devicearray.is_contiguous(made.T)
    assert not devicearray.is_contiguous(made[:, ::2])
    with pytest.raises(ValueError, match="gaps"):
        devicearray.sentry_contiguous(made[:, ::2])
    assert devicearray.array_core(np.broadcast_to(np.arange(3), (5, 3))).shape == (1, 3)
    devicearray.check_array_compatibility(made, host)
    with pytest.raises(TypeError):
        devicearray.check_array_compatibility(made, host.astype(np.float32))
    with pytest.raises(ValueError):
        devicearray.check_array_compatibility(made, np.zeros((3, 2)))


def test_arrays_that_lie_differently():
    x = np.zeros((4, 3))
    with pytest.raises(ValueError, match="the strides differ: \\(24, 8\\) and \\(8, 32\\)"):
        devicearray.check_array_compatibility(x, np.asfortranarray(x))


def test_one_dimension_as_the_elements_lie(device):
    x = np.arange(24).reshape(2, 3, 4)
    c, f = cuda.to_device(x), cuda.to_device(np.asfortranarray(x))
    for array, served in ((c, "CA"), (f, "FA")):
        for order in "CFA":
            if order in served:
                np.testing.assert_array_equal(array.ravel(order=order).copy_to_host(), array.copy_to_host().ravel(order))
            else:
                with pytest.raises(NotImplementedError, match="without gaps"):
                    array.ravel(order=order)
    with pytest.raises(NotImplementedError, match="without gaps"):
        c[:, ::2].ravel(order="A")
    with pytest.raises(ValueError, match="order not"):
        c.ravel(order="K")


def test_new_arrays_lie_as_numpys(device):
    for a in (
        np.zeros((4, 6), order="F"),
        np.zeros((4, 6), order="F")[::2],
        np.zeros((4, 6, 5)).transpose(1, 2, 0),
        np.zeros((4, 6))[:, ::2],
        np.broadcast_to(np.zeros(3), (4, 3)),
        np.zeros((2, 1, 3), "i2"),
        np.zeros(()),
    ):
        for like in (cuda.device_array_like, cuda.pinned_array_like, cuda.mapped_array_like):
            made = like(a)
            assert (made.shape, made.dtype, made.strides) == (a.shape, a.dtype, np.empty_like(a).strides)
    with pytest.raises(NotImplementedError, match="leave gaps"):
        cuda.device_array((2, 3), "f4", strides=(16, 4))
    with pytest.raises(NotImplementedError, match="leave gaps"):
        cuda.device_array((2, 3), "f4", strides=(4,))


def test_copies_from_the_other_order(device):
    x = np.arange(24).reshape(4, 6)
    c, f = cuda.to_device(x), cuda.to_device(np.asfortranarray(x + 1))
    c.copy_to_device(np.asfortranarray(x + 2))  # of the host: it is put in order
    np.testing.assert_array_equal(c.copy_to_host(), x + 2)
    for to, of in ((c, f), (f, c)):
        with pytest.raises(ValueError, match=r"incompatible strides: \(\d+, \d+\) vs. \(\d+, \d+\)"):
            to.copy_to_device(of)
    c[1:2].copy_to_device(cuda.to_device(np.asfortranarray(x[1:2])))
    with pytest.raises(ValueError, match=r"incompatible shape: \(4, 6\) vs. \(6, 4\)"):
        c.copy_to_device(x.T)
    with pytest.raises(TypeError, match="incompatible dtype: int64 vs. float32"):
        c.copy_to_device(x.astype("f4"))
