"""PyCUDA's host memory and its pools, and what allocations are."""

import gc
import os
import subprocess
import sys

import numpy as np
import pytest
from programs import python
from quern.pycuda import driver as drv
from quern.pycuda import tools
from quern.pycuda.compiler import SourceModule

ADD_ONE = "__global__ void f(int* x) { x[threadIdx.x] += 1; }"


@pytest.mark.parametrize("name, base", [("pagelocked", drv.PagelockedHostAllocation), ("managed", drv.ManagedAllocation), ("aligned", drv.AlignedHostAllocation)])
def test_arrays_and_what_they_stand_on(device, name, base):
    for suffix in ("empty", "zeros"):
        make, like = getattr(drv, f"{name}_{suffix}"), getattr(drv, f"{name}_{suffix}_like")
        for shape in (7, (3, 4), (2, 3, 4), (), (0, 5)):
            for order in "CF":
                a = make(shape, np.int16, order=order)
                assert a.shape == np.empty(shape).shape and a.dtype == np.int16 and a.flags[order + "_CONTIGUOUS"]
                assert isinstance(a.base, base) and a.flags.writeable
                if suffix == "zeros":
                    assert (a == 0).all()
                b = like(a)
                assert b.shape == a.shape and (b.strides == a.strides or not a.size) and isinstance(b.base, base)
    a = getattr(drv, f"{name}_zeros")(10, np.dtype([("x", "f4"), ("n", "i4")]))
    a["x"] = 2
    assert a["x"].sum() == 20 and not a["n"].any()
    a.base.free()


def test_page_locked_memory_for_kernels(device):
    a = drv.pagelocked_zeros(32, np.int32, mem_flags=drv.host_alloc_flags.DEVICEMAP)
    assert isinstance(a.base, drv.HostAllocation) and isinstance(a.base, drv.HostPointer)
    assert a.base.get_flags() == drv.host_alloc_flags.DEVICEMAP
    f = SourceModule(ADD_ONE).get_function("f")
    f(np.intp(a.base.get_device_pointer()), block=(32, 1, 1))
    drv.Context.synchronize()
    assert (a == 1).all()
    f(a[8:], block=(8, 1, 1))
    drv.Context.synchronize()
    assert a.tolist() == [1] * 8 + [2] * 8 + [1] * 16
    a.base.free()
    with pytest.raises(drv.LogicError, match="freed already"):
        a.base.free()


def test_managed_memory_is_attached(device):
    a = drv.managed_zeros(32, np.int32, mem_flags=drv.mem_attach_flags.GLOBAL)
    stream = drv.Stream()
    assert isinstance(a.base, drv.ManagedAllocationOrStub)
    a.base.attach(drv.mem_attach_flags.SINGLE, stream)
    f = SourceModule(ADD_ONE).get_function("f")
    f(a, block=(32, 1, 1), stream=stream)
    f(np.uintp(a.base.get_device_pointer()), block=(32, 1, 1), stream=stream)
    stream.synchronize()
    assert (a == 2).all()
    a.base.attach(drv.mem_attach_flags.GLOBAL)
    with pytest.raises(drv.LogicError, match="attach"):
        a.base.attach(17)
    with pytest.raises(drv.LogicError, match="requires a stream"):
        a.base.attach(drv.mem_attach_flags.SINGLE)
    with pytest.raises(TypeError, match="stream must be"):
        a.base.attach(drv.mem_attach_flags.SINGLE, 3)


def test_registered_memory(device):
    room = drv.aligned_zeros((8, 4), np.int32, order="F")
    a = drv.register_host_memory(room, drv.mem_host_register_flags.DEVICEMAP)
    assert a.shape == (8, 4) and a.strides == room.strides and isinstance(a.base, drv.RegisteredHostMemory) and a.base.base is room
    f = SourceModule(ADD_ONE).get_function("f")
    f(np.intp(a.base.get_device_pointer()), block=(32, 1, 1))
    drv.Context.synchronize()
    assert (room == 1).all()
    a.base.unregister()
    with pytest.raises(drv.LogicError, match="freed already"):
        a.base.unregister()
    assert (room == 1).all()


def test_aligned_memory(device):
    for alignment in (1, 64, 8192):
        assert drv.aligned_empty(10, np.int8, alignment=alignment).ctypes.data % alignment == 0
    with pytest.raises(drv.LogicError, match="power of two"):
        drv.aligned_empty(10, np.int8, alignment=48)


def test_allocations_count_as_addresses(device):
    a = drv.mem_alloc(100)
    assert a + 10 == 10 + a == int(a) + 10 and (a + 10) - a == 10 and a - 4 == int(a) - 4
    assert drv.mem_get_address_range(a) == (int(a), 100)
    with pytest.raises(drv.LogicError):
        drv.mem_get_address_range(int(a))
    with pytest.raises(drv.LogicError, match="at least 1"):
        drv.mem_alloc(0)
    a.free()
    with pytest.raises(drv.LogicError, match="freed"):
        int(a)


def test_allocations_as_buffers(device):
    a = drv.to_device(np.arange(10, dtype=np.int32))
    if device.kind == "cuda":
        with pytest.raises(drv.LogicError, match="memcpy_dtoh"):
            a.as_buffer(40)
        return
    buffer = a.as_buffer(20, 8)
    assert np.frombuffer(buffer, np.int32).tolist() == [2, 3, 4, 5, 6]
    for size, offset in ((41, 0), (4, 40), (-1, 0), (4, -4)):
        with pytest.raises(drv.LogicError, match="not inside 40"):
            a.as_buffer(size, offset)
    del a
    gc.collect()
    assert np.frombuffer(buffer, np.int32)[0] == 2  # the buffer keeps the memory


def test_a_pool_of_device_memory(device):
    pool = drv.DeviceMemoryPool()
    counts = lambda: (pool.active_blocks, pool.held_blocks)  # noqa: E731
    assert counts() == (0, 0)
    a, b = pool.allocate(1000), pool.allocate(3000)
    assert counts() == (2, 0) and isinstance(a, drv.PooledDeviceAllocation) and isinstance(a, drv.DeviceAllocation)
    assert tools.PooledDeviceAllocation is drv.PooledDeviceAllocation and tools.PooledHostAllocation is drv.PooledHostAllocation
    assert len(a) >= 1000 and pool.active_bytes == pool.managed_bytes == len(a) + len(b)
    drv.memset_d8(a, 1, 1000)
    a.free()
    assert counts() == (1, 1) and pool.active_bytes == len(b)
    with pytest.raises(drv.LogicError, match="freed already"):
        a.free()
    assert counts() == (1, 1)
    c = pool.allocate(1000)
    assert counts() == (2, 0)
    del c
    gc.collect()
    assert counts() == (1, 1) and pool.managed_bytes == len(a) + len(b)
    pool.free_held()
    assert counts() == (1, 0) and pool.managed_bytes == len(b)
    pool.stop_holding()
    del b
    gc.collect()
    assert counts() == (0, 0) and pool.managed_bytes == 0
    with pytest.raises(drv.LogicError):
        pool.allocate(-1)
    pool.allocate(0)


def test_the_sizes_of_a_pool(device):
    pool = drv.DeviceMemoryPool()
    for size in [*range(1, 3000), 2**20 - 1, 2**20, 2**20 + 1, 2**31 + 12345]:
        number = pool.bin_number(size)
        given = pool.alloc_size(number)
        assert size <= given <= size * 1.25 and pool.bin_number(given) == number
        assert pool.bin_number(given + 1) > number
    assert [drv.bitlog2(n) for n in (0, 1, 2, 3, 4, 1023, 1024, 2**40)] == [0, 0, 1, 1, 2, 9, 10, 40]


def test_a_pool_of_page_locked_memory(device):
    for pool in (drv.PageLockedMemoryPool(), drv.PageLockedMemoryPool(drv.PageLockedAllocator(drv.host_alloc_flags.PORTABLE))):
        a = pool.allocate((10, 20), np.float64, order="F")
        assert a.shape == (10, 20) and a.flags.f_contiguous and isinstance(a.base, drv.PooledHostAllocation)
        assert (pool.active_blocks, pool.held_blocks) == (1, 0)
        part = a[2:]
        del a
        gc.collect()
        assert pool.active_blocks == 1
        del part
        gc.collect()
        assert (pool.active_blocks, pool.held_blocks) == (0, 1)
        b = pool.allocate(200, np.float64)
        assert pool.held_blocks == 0
        b.base.free()
        assert (pool.active_blocks, pool.held_blocks) == (0, 1)
        pool.free_held()
        assert pool.held_blocks == 0
        del b
        gc.collect()
        assert (pool.active_blocks, pool.held_blocks) == (0, 0)
    with pytest.raises(drv.Error, match="PageLockedAllocator"):
        drv.PageLockedMemoryPool(5)


def test_pools_in_threads(device):
    import threading

    pool = drv.DeviceMemoryPool()

    def work():
        for size in range(1, 300):
            pool.allocate(size * 10)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    gc.collect()
    assert pool.active_blocks == 0 and pool.active_bytes == 0


OTHER = """
import sys
import numpy as np
import quern.pycuda.autoinit
from quern.pycuda import driver as drv
from quern.pycuda import tools
from quern.pycuda.compiler import SourceModule

memory = drv.IPCMemoryHandle(bytes.fromhex(sys.argv[1]))
assert drv.from_device(memory, 32, np.int32).tolist() == list(range(32))
SourceModule("__global__ void f(int* x) { x[threadIdx.x] += 100; }").get_function("f")(memory, block=(32, 1, 1))
memory.close()
for again in (memory.close, memory.get_pointer):
    try:
        again()
    except drv.LogicError as e:
        assert "closed" in str(e)
print("done")
"""


def test_memory_of_another_process(device):
    if device.kind == "cpu" or "QUERN_CUDA_DRIVER" in os.environ:
        pytest.skip("a GPU is needed")
    memory = drv.to_device(np.arange(32, dtype=np.int32))
    handle = drv.mem_get_ipc_handle(memory)
    done = python("-c", OTHER, handle.hex(), QUERN_DEVICE=f"cuda:{device.index}")
    assert done.stdout == "done\n", done.stderr
    assert drv.from_device(memory, 32, np.int32).tolist() == list(range(100, 132))
    for wrong in (b"short", handle[:-1]):
        with pytest.raises(drv.LogicError, match="64 bytes"):
            drv.IPCMemoryHandle(wrong)


def test_what_is_not_shared_between_processes(device):
    if device.kind == "cpu":
        for refused in (
            lambda: drv.mem_get_ipc_handle(drv.mem_alloc(10)),
            lambda: drv.IPCMemoryHandle(bytes(64)),
            drv.Event(drv.event_flags.INTERPROCESS | drv.event_flags.DISABLE_TIMING).ipc_handle,
            lambda: drv.Event.from_ipc_handle(bytes(64)),
        ):
            with pytest.raises(drv.LogicError, match="not shared between processes"):
                refused()
        return
    with pytest.raises(drv.LogicError, match="INTERPROCESS"):
        drv.Event().ipc_handle()
    with pytest.raises(drv.LogicError, match="timing"):
        drv.Event(drv.event_flags.INTERPROCESS)
    with pytest.raises(drv.LogicError, match="64 bytes"):
        drv.Event.from_ipc_handle(b"")


OTHER_EVENT = """
import sys
import numpy as np
import quern.pycuda.autoinit
from quern.pycuda import driver as drv
from quern.pycuda import tools

memory, event = drv.IPCMemoryHandle(bytes.fromhex(sys.argv[1])), drv.Event.from_ipc_handle(bytearray.fromhex(sys.argv[2]))
print("open", flush=True)
sys.stdin.readline()
stream = drv.Stream()
stream.wait_for_event(event)
out = drv.pagelocked_empty(32, np.int32)
drv.memcpy_dtoh_async(out, int(memory), stream)
stream.synchronize()
assert event.query() and event.synchronize() is event
try:
    event.time_since(drv.Event().record())
    sys.exit("it has no timing")
except drv.LogicError:
    pass
print(out.tolist() == [7] * 32)
"""


def test_event_of_another_process(device):
    if device.kind == "cpu" or "QUERN_CUDA_DRIVER" in os.environ:
        pytest.skip("a GPU is needed")
    late = SourceModule(
        """
__global__ void late(int* x)
{
  long long start = clock64();
  while (clock64() - start < 600000000) { }
  x[threadIdx.x] = 7;
}
"""
    ).get_function("late")
    memory = drv.to_device(np.zeros(32, np.int32))
    event = drv.Event(drv.event_flags.INTERPROCESS | drv.event_flags.DISABLE_TIMING)
    words = [drv.mem_get_ipc_handle(memory).hex(), event.ipc_handle().hex()]
    env = {**os.environ, "QUERN_DEVICE": f"cuda:{device.index}"}
    with subprocess.Popen(
        [sys.executable, "-c", OTHER_EVENT, *words], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "open\n"
        late(memory, block=(32, 1, 1))
        event.record()
        done, _ = other.communicate("go\n", timeout=60)
    assert done == "True\n"
