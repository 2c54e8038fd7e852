"""PyCUDA's copies of boxes of bytes, and its fills."""

import numpy as np
import pytest
from quern.device import set_current_device
from quern.lib import _engine
from quern.pycuda import driver as drv
from quern.pycuda import gpuarray
from quern.pycuda.compiler import SourceModule


def pitched(host, pitch):
    """Device memory that holds the matrix with so many bytes from row to row; what lies between is 0xEE."""
    memory = drv.mem_alloc(pitch * len(host))
    room = np.full((len(host), pitch), 0xEE, np.uint8)
    room[:, : host.strides[0]] = host.view(np.uint8)
    drv.memcpy_htod(memory, room)
    return memory


@pytest.mark.parametrize("rows, columns, pitch", [(3, 5, 64), (100, 5, 64), (100, 13, 52), (40, 7, 29), (1, 4, 512)])
@pytest.mark.parametrize("in_stream", [False, True])
def test_matrices_there_and_back(device, rows, columns, pitch, in_stream):
    stream = drv.Stream() if in_stream else None
    host = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)
    width = 4 * columns
    memory = drv.mem_alloc(pitch * rows)
    drv.memset_d8(memory, 0xEE, pitch * rows)

    def run(copy):
        copy.width_in_bytes, copy.height = width, rows
        copy(stream) if in_stream else copy(aligned=True)

    copy = drv.Memcpy2D()
    copy.set_src_host(host)
    copy.src_pitch = host.strides[0]
    copy.set_dst_device(memory)
    copy.dst_pitch = pitch
    run(copy)
    if in_stream:
        stream.synchronize()
    held = drv.from_device(memory, (rows, pitch), np.uint8)
    assert np.array_equal(held[:, :width], host.view(np.uint8)) and (held[:, width:] == 0xEE).all()

    other = drv.mem_alloc((pitch + 4) * rows)
    copy = drv.Memcpy2D()
    copy.set_src_device(memory)
    copy.src_pitch = pitch
    copy.set_dst_device(other)
    copy.dst_pitch = pitch + 4
    run(copy)
    back = np.zeros_like(host)
    copy = drv.Memcpy2D()
    copy.set_src_device(other)
    copy.src_pitch = pitch + 4
    copy.set_dst_host(back)
    copy.dst_pitch = back.strides[0]
    run(copy)
    if in_stream:
        stream.synchronize()
    assert np.array_equal(back, host)


@pytest.mark.parametrize("in_stream", [False, True])
@pytest.mark.parametrize("side", ["host", "device", "unified"])
def test_a_window_of_a_matrix(device, side, in_stream):
    """x, y and a pitch on both sides, also on the host's."""
    stream = drv.Stream() if in_stream else None
    source = np.arange(40 * 30, dtype=np.int16).reshape(40, 30)
    target = np.full((50, 64), -1, np.int16)
    expected = target.copy()
    expected[5:25, 7:17] = source[10:30, 3:13]
    copy = drv.Memcpy2D()
    if side == "host":
        copy.set_src_host(source)
    elif side == "device":
        copy.set_src_device(drv.to_device(source))
    else:
        managed = drv.managed_empty(source.shape, source.dtype)
        managed[...] = source
        copy.set_src_unified(managed)
    copy.src_x_in_bytes, copy.src_y, copy.src_pitch = 6, 10, 60
    copy.dst_x_in_bytes, copy.dst_y, copy.dst_pitch = 14, 5, 128
    copy.width_in_bytes, copy.height = 20, 20
    memory = drv.to_device(target)
    copy.set_dst_device(memory)
    copy(stream) if in_stream else copy()
    if in_stream:
        stream.synchronize()
    assert np.array_equal(drv.from_device_like(memory, target), expected)
    copy.set_dst_host(target)
    copy(stream) if in_stream else copy()
    if in_stream:
        stream.synchronize()
    assert np.array_equal(target, expected)


@pytest.mark.parametrize("make", [drv.Memcpy3D, drv.Memcpy3DPeer])
def test_boxes(device, make):
    source = np.arange(6 * 7 * 9, dtype=np.int32).reshape(6, 7, 9)
    target = np.zeros((8, 10, 12), np.int32)
    expected = target.copy()
    expected[2:5, 1:5, 3:8] = source[1:4, 2:6, 4:9]
    memory, back = drv.mem_alloc(target.nbytes), np.full_like(target, -1)
    drv.memset_d32(memory, 0, target.size)
    copy = make()
    copy.set_src_host(source)
    copy.src_x_in_bytes, copy.src_y, copy.src_z, copy.src_pitch, copy.src_height = 16, 2, 1, 36, 7
    copy.set_dst_device(memory)
    copy.dst_x_in_bytes, copy.dst_y, copy.dst_z, copy.dst_pitch, copy.dst_height = 12, 1, 2, 48, 10
    copy.width_in_bytes, copy.height, copy.depth = 20, 4, 3
    copy()
    assert np.array_equal(drv.from_device_like(memory, target), expected)
    again = make()
    again.src_device = memory
    again.set_dst_host(back)
    assert again.src_device == int(memory) and again.src_memory_type == drv.memory_type.DEVICE
    again.width_in_bytes, again.height, again.depth = 48, 10, 8
    again.src_pitch = again.dst_pitch = 48
    again.src_height = again.dst_height = 10
    stream = drv.Stream()
    again(stream)
    stream.synchronize()
    assert np.array_equal(back, expected)
    assert copy.dst_device == int(memory) and copy.src_memory_type == drv.memory_type.HOST


def test_boxes_between_devices(device):
    if _engine.cuda_count() < 2 or device.kind == "cpu":
        pytest.skip("two GPUs are needed")
    source = np.arange(20 * 32, dtype=np.int32).reshape(20, 32)
    here = drv.to_device(source)
    current = _engine.current_device()
    set_current_device(_engine.cuda((device.index + 1) % _engine.cuda_count()))
    there = drv.mem_alloc(20 * 512)
    drv.memset_d8(there, 0, 20 * 512)
    drv.Context.synchronize()
    set_current_device(current)
    copy = drv.Memcpy3DPeer()
    copy.set_src_device(here)
    copy.set_dst_device(there)
    copy.src_x_in_bytes, copy.src_pitch, copy.dst_pitch = 8, 128, 512
    copy.width_in_bytes, copy.height, copy.depth = 100, 20, 1
    copy()
    back = np.zeros((20, 128), np.int32)
    drv.memcpy_dtoh(back, there)
    assert np.array_equal(back[:, :25], source[:, 2:27]) and not back[:, 25:].any()


def test_copies_in_a_stream_come_after_its_work(device):
    slow = SourceModule("__global__ void f(int* x, int n) { int v = 1; for (int i = 0; i < n; ++i) v = v * 3 + 1; x[threadIdx.x * 8] = v; }").get_function("f")
    stream, memory = drv.Stream(), drv.mem_alloc(32 * 32)
    drv.memset_d8(memory, 0, 1024)
    drv.Context.synchronize()
    slow(memory, np.int32(500_000), block=(32, 1, 1), stream=stream)
    out = np.zeros((32, 4), np.uint8)
    copy = drv.Memcpy2D()
    copy.set_src_device(memory)
    copy.set_dst_host(out)
    copy.src_pitch, copy.dst_pitch, copy.width_in_bytes, copy.height = 32, 4, 4, 32
    copy(stream)
    stream.synchronize()
    assert (out.view(np.int32) == out.view(np.int32)[0]).all() and out.any()


def test_what_boxes_refuse(device):
    memory, host = drv.mem_alloc(100), np.zeros((10, 10), np.uint8)
    copy = drv.Memcpy2D()
    copy.width_in_bytes, copy.height = 10, 10
    with pytest.raises(drv.LogicError, match="set_dst_host"):
        copy()
    copy.set_dst_device(memory)
    with pytest.raises(drv.LogicError, match="set_src_host"):
        copy()
    copy.set_src_host(host)
    copy()
    copy.src_pitch = 5
    with pytest.raises(drv.LogicError, match="src_pitch is 5"):
        copy()
    copy.src_pitch, copy.src_y = 10, 1
    with pytest.raises(drv.LogicError, match="110 bytes into the src side, which has 100"):
        copy()
    copy.src_y, copy.dst_x_in_bytes = 0, 1
    with pytest.raises(drv.LogicError, match="dst side"):
        copy()
    with pytest.raises(drv.LogicError, match="not contiguous"):
        copy.set_src_host(host[:, ::2])
    host.flags.writeable = False
    with pytest.raises(drv.LogicError, match="read-only"):
        copy.set_dst_host(host)
    for refused in (copy.set_src_array, copy.set_dst_array):
        with pytest.raises(TypeError, match="an Array is needed"):
            refused(None)
    with pytest.raises(TypeError, match="stream must be"):
        copy(stream=5)
    copy.height = 0
    copy.dst_x_in_bytes = 0
    copy()


def test_rows_in_memory_of_columns_first(device):
    host = np.asfortranarray(np.arange(12, dtype=np.int32).reshape(3, 4))
    memory = drv.mem_alloc(48)
    copy = drv.Memcpy2D()
    copy.set_src_host(host)
    copy.set_dst_device(memory)
    copy.width_in_bytes, copy.height = 12, 4
    copy(aligned=True)
    assert np.array_equal(drv.from_device(memory, (4, 3), np.int32), host.T)


def test_memory_with_a_pitch(device):
    memory, pitch = drv.mem_alloc_pitch(100, 7, 4)
    assert pitch >= 100 and pitch % 512 == 0 and memory.nbytes >= 7 * pitch
    for wrong in ((0, 7, 4), (100, 0, 4), (100, 7, 5)):
        with pytest.raises(drv.LogicError, match="mem_alloc_pitch"):
            drv.mem_alloc_pitch(*wrong)


def test_memory_copied_from_may_be_changed_after_the_copy(device):
    for make in (drv.pagelocked_empty, drv.managed_empty, lambda *a: drv.register_host_memory(np.empty(*a))):
        host = make(1 << 20, np.float32)
        host[:] = 3
        memory = drv.mem_alloc(host.nbytes)
        drv.memcpy_htod(memory, host)
        host[:] = 4
        assert (drv.from_device(memory, 1 << 20, np.float32) == 3).all()
        host[:] = 5
        copy = drv.Memcpy2D()
        copy.set_src_host(host)
        copy.set_dst_device(memory)
        copy.width_in_bytes, copy.height = 4096, 1024
        copy(aligned=True)
        host[:] = 6
        assert (drv.from_device(memory, 1 << 20, np.float32) == 5).all()


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_fills_in_streams(device, bits):
    stream, dtype = drv.Stream(), np.dtype(f"uint{bits}")
    memory = drv.mem_alloc(100 * dtype.itemsize)
    getattr(drv, f"memset_d{bits}_async")(dest=memory, data=0xA5, size=100, stream=stream)
    getattr(drv, f"memset_d2d{bits}_async")(memory, 10 * dtype.itemsize, 1, 4, 10, stream)
    stream.synchronize()
    held = drv.from_device(memory, (10, 10), dtype)
    assert (held[:, :4] == 1).all() and (held[:, 4:] == 0xA5).all()


def test_copies_to_peers(device):
    source, target = drv.to_device(np.arange(100, dtype=np.uint8)), drv.mem_alloc(100)
    context = drv.Device(0).retain_primary_context()
    drv.memcpy_peer(target, source, 100, context, context)
    assert np.array_equal(drv.from_device(target, 100, np.uint8), np.arange(100))
    stream = drv.Stream()
    drv.memcpy_peer_async(int(target) + 50, source, 50, context, context, stream)
    stream.synchronize()
    assert drv.from_device(target, 100, np.uint8)[50:].tolist() == list(range(50))


def test_memory_that_is_not_page_locked_is_waited_for(device):
    slow = SourceModule(
        """__global__ void slow(int* x) {
             for (int k = 0; k < 20; k++) __nanosleep(100000);
             x[threadIdx.x] += threadIdx.x;
           }"""
    ).get_function("slow")
    stream, wanted = drv.Stream(), np.arange(64, dtype=np.int32)
    array = gpuarray.zeros(64, np.int32)
    for n in range(1, 5):
        slow(array, block=(64, 1, 1), stream=stream)
        out = np.zeros(64, np.int32)
        if n == 1:
            drv.memcpy_dtoh_async(out, array.gpudata, stream)
        elif n == 2:
            out = array.get_async(stream)
        elif n == 3:
            array.get(out, async_=True, stream=stream)
        else:
            copy = drv.Memcpy2D()
            copy.set_src_device(array.gpudata)
            copy.set_dst_host(out)
            copy.width_in_bytes, copy.height = 256, 1
            copy(stream)
        assert np.array_equal(out, n * wanted), n
    slow(array, block=(64, 1, 1), stream=stream)
    out = array.get(pagelocked=True, async_=True, stream=stream)
    stream.synchronize()
    assert np.array_equal(out, 5 * wanted)
