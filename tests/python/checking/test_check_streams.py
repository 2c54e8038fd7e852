"""What `quern check` says of work on several streams, of memory that the host uses too early, of leaks, and of the order of blocks."""

import os

import numpy as np
import pytest
import quern as qn
from checked import N, kinds, run_text
from quern.lib import _engine
from quern.pycuda import driver as drv

ADD = r"""
extern "C" __global__ void k(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] += 1; }
"""
COPY = r"""
extern "C" __global__ void k(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x]; }
"""


pytestmark = pytest.mark.usefixtures("on_the_cpu")


def free_stream():
    """One that does not wait for the default stream."""
    return _engine.cpu().create_stream(non_blocking=True)


class Scene:
    """Two streams, device memory of N floats, and pinned memory that is as long."""

    def __init__(self):
        self.first, self.second = free_stream(), free_stream()
        self.memory, self.other = drv.mem_alloc(4 * N), drv.mem_alloc(4 * N)
        for memory in (self.memory, self.other):
            drv.memset_d32(memory, 0, N)
        qn.synchronize()
        self.pinned = drv.pagelocked_empty(N, np.float32)
        self.pinned[:] = 1
        self.add, self.copy = qn.RawKernel(ADD, "k"), qn.RawKernel(COPY, "k")
        self.event = _engine.cpu().create_event()

    def adds(self, stream, memory=None):
        self.add((1,), (N,), (self.memory if memory is None else memory, np.int32(N)), stream=stream)

    def copies(self, stream, source, target):
        self.copy((1,), (N,), (source, target), stream=stream)


def in_scene(play):
    with qn.check() as report:
        scene = Scene()
        play(scene)
        qn.synchronize()
    return report


def two_kernels(s):
    s.adds(s.first)
    s.adds(s.second)


def a_kernel_that_reads(s):
    s.adds(s.first)
    s.copies(s.second, s.memory, s.other)


def a_kernel_that_writes_what_is_read(s):
    s.copies(s.first, s.memory, s.other)
    s.adds(s.second)


def a_copy_behind_a_kernel(s):
    s.adds(s.first)
    drv.memcpy_dtoh_async(s.pinned, s.memory, s.second)


def a_kernel_behind_a_copy(s):
    drv.memcpy_htod_async(s.memory, s.pinned, s.first)
    s.adds(s.second)


def a_fill_behind_a_kernel(s):
    s.adds(s.first)
    drv.memset_d32_async(s.memory, 0, N, s.second)


def two_copies(s):
    drv.memcpy_htod_async(s.memory, s.pinned, s.first)
    drv.memcpy_dtod_async(s.other, s.memory, 4 * N, s.second)


def an_event_of_the_wrong_moment(s):
    s.event.record(s.first)
    s.adds(s.first)
    s.second.wait_for_event(s.event)
    s.adds(s.second)


def the_default_stream_and_one_that_does_not_wait(s):
    s.adds(None)
    s.adds(s.first)


UNORDERED = [
    two_kernels, a_kernel_that_reads, a_kernel_that_writes_what_is_read, a_copy_behind_a_kernel, a_kernel_behind_a_copy,
    a_fill_behind_a_kernel, two_copies, an_event_of_the_wrong_moment, the_default_stream_and_one_that_does_not_wait,
]  # fmt: skip


@pytest.mark.parametrize("play", UNORDERED, ids=[play.__name__ for play in UNORDERED])
def test_work_that_nothing_orders(play):
    report = in_scene(play)
    assert kinds(report) == {"unordered"}, f"{report}"
    assert all(os.path.basename(one.launched).startswith("test_check_streams.py:") for one in report)
    assert all(os.path.basename(one.other_launched).startswith("test_check_streams.py:") for one in report)
    assert "no event, stream or wait orders them" in str(report)


def an_event(s):
    s.adds(s.first)
    s.event.record(s.first)
    s.second.wait_for_event(s.event)
    s.adds(s.second)
    drv.memcpy_dtoh_async(s.pinned, s.memory, s.second)


def a_wait(s):
    s.adds(s.first)
    s.first.synchronize()
    s.adds(s.second)


def an_event_that_the_host_waits_for(s):
    s.adds(s.first)
    s.event.record(s.first)
    s.event.synchronize()
    s.adds(s.second)


def both_read(s):
    s.copies(s.first, s.memory, drv.mem_alloc(4 * N))
    s.copies(s.second, s.memory, s.other)


def memory_of_its_own(s):
    s.adds(s.first)
    s.adds(s.second, s.other)


def one_stream(s):
    drv.memcpy_htod_async(s.memory, s.pinned, s.first)
    s.adds(s.first)
    drv.memcpy_dtoh_async(s.pinned, s.memory, s.first)
    s.first.synchronize()
    assert (s.pinned == 2).all()


def the_default_stream_waits_for_blocking_ones(s):
    blocking = _engine.cpu().create_stream()
    s.adds(blocking)
    s.adds(None)
    s.adds(blocking)


def a_chain_of_events(s):
    third = free_stream()
    s.adds(s.first)
    s.event.record(s.first)
    s.second.wait_for_event(s.event)
    s.adds(s.second)
    later = _engine.cpu().create_event()
    later.record(s.second)
    third.wait_for_event(later)
    s.adds(third)


def a_query(s):
    s.adds(s.first)
    while not s.first.is_done():
        pass
    s.adds(s.second)


ORDERED = [
    an_event, a_wait, an_event_that_the_host_waits_for, both_read, memory_of_its_own, one_stream, the_default_stream_waits_for_blocking_ones,
    a_chain_of_events, a_query,
]  # fmt: skip


@pytest.mark.parametrize("play", ORDERED, ids=[play.__name__ for play in ORDERED])
def test_work_that_is_ordered(play):
    report = in_scene(play)
    assert not len(report), f"{report}"


# ---- the host


def reads_a_copy_too_early(s):
    drv.memcpy_dtoh_async(s.pinned, s.memory, s.first)
    return float(s.pinned.sum())


def writes_what_is_being_sent(s):
    drv.memcpy_htod_async(s.memory, s.pinned, s.first)
    s.pinned[:] = 7


def reads_mapped_memory(s):
    host = drv.pagelocked_zeros(N, np.float32, mem_flags=drv.host_alloc_flags.DEVICEMAP)
    s.adds(s.first, np.uint64(host.base.get_device_pointer()))
    return host[3]


def reads_managed_memory(s):
    host = drv.managed_zeros(N, np.float32, mem_flags=drv.mem_attach_flags.GLOBAL)
    s.adds(s.first, np.uint64(host.ctypes.data))
    return host[3]


def writes_managed_memory(s):
    host = drv.managed_zeros(N, np.float32, mem_flags=drv.mem_attach_flags.GLOBAL)
    s.copies(s.first, np.uint64(host.ctypes.data), s.memory)
    host[0] = 3


def waits_for_another_stream(s):
    drv.memcpy_dtoh_async(s.pinned, s.memory, s.first)
    s.second.synchronize()
    return s.pinned[0]


EARLY = [
    reads_a_copy_too_early,
    writes_what_is_being_sent,
    reads_mapped_memory,
    reads_managed_memory,
    writes_managed_memory,
    waits_for_another_stream,
]


@pytest.mark.parametrize("play", EARLY, ids=[play.__name__ for play in EARLY])
def test_the_host_comes_too_early(play):
    report = in_scene(play)
    assert kinds(report) == {"unordered"} and len(report) == 1, f"{report}"
    assert report[0].work.endswith("by the host") and os.path.basename(report[0].launched).startswith("test_check_streams.py:")
    assert "before the host uses the memory" in str(report)


def reads_after_a_wait(s):
    drv.memcpy_dtoh_async(s.pinned, s.memory, s.first)
    s.first.synchronize()
    assert s.pinned.sum() == 0
    s.pinned[:] = 5


def reads_while_it_is_read(s):
    drv.memcpy_htod_async(s.memory, s.pinned, s.first)
    assert s.pinned.sum() == N


def uses_other_memory(s):
    other = drv.pagelocked_zeros(N, np.float32)
    drv.memcpy_dtoh_async(s.pinned, s.memory, s.first)
    other[:] = 3
    assert other.sum() == 3 * N


def plain_copies_wait(s):
    out = np.empty(N, np.float32)
    s.adds(None)
    drv.memcpy_dtoh(out, s.memory)
    assert (out == 1).all()


PATIENT = [reads_after_a_wait, reads_while_it_is_read, uses_other_memory, plain_copies_wait]


@pytest.mark.parametrize("play", PATIENT, ids=[play.__name__ for play in PATIENT])
def test_the_host_waits(play):
    report = in_scene(play)
    assert not len(report), f"{report}"


# ---- leaks


def by_the_driver():
    return drv.mem_alloc(100)


def in_a_list():
    return [drv.mem_alloc(100) for _ in range(3)]


def with_a_pitch():
    return drv.mem_alloc_pitch(100, 4, 4)[0]


def with_values():
    return drv.to_device(np.zeros(25, np.float32))


def by_the_runtime():
    import quern.cupy as cp

    return cp.cuda.runtime.malloc(100)


def in_a_circle():
    class Holder:
        pass

    holder = Holder()
    holder.me, holder.memory = holder, drv.mem_alloc(100)


LEAKS = [by_the_driver, in_a_list, with_a_pitch, with_values, by_the_runtime, in_a_circle]


@pytest.mark.parametrize("leak", LEAKS, ids=[leak.__name__ for leak in LEAKS])
def test_memory_that_is_not_freed(leak):
    import gc

    gc.disable()
    with qn.check(leaks=True) as report:
        kept = leak()
        freed = drv.mem_alloc(50)
        freed.free()
        dropped = drv.mem_alloc(60)
        del dropped
        qn.zeros(100).get()
    gc.enable()
    assert kinds(report) == {"leak"} and len(report) == 1 and report[0].count == (3 if leak is in_a_list else 1), f"{report}"
    assert report[0].size >= 100 and os.path.basename(report[0].allocated).startswith("test_check_streams.py:")
    assert f"{report[0].size:,} bytes of device memory" in str(report)
    del kept


def test_leaks_are_reported_on_demand():
    with qn.check() as report:
        kept = drv.mem_alloc(10)
    assert not len(report)
    kept.free()


# ---- the order of blocks

DEPENDS = {
    "who comes first": r"""
extern "C" __global__ void k(int* x, int* y) { if (threadIdx.x == 0 && atomicAdd(x, 1) == 0) y[0] = blockIdx.x; }
""",
    "a number for each block": r"""
extern "C" __global__ void k(int* x, int* y) { if (threadIdx.x == 0) y[blockIdx.x] = atomicAdd(x, 1); }
""",
    "the last one wins": r"""
extern "C" __global__ void k(int* x, int* y) { if (threadIdx.x == 0) atomicExch(y, blockIdx.x); }
""",
    "half of what is there": r"""
extern "C" __global__ void k(int* x, int* y) {
  if (threadIdx.x) return;
  int old = *(volatile int*)y, seen;
  do { seen = old; old = atomicCAS(y, seen, (seen + blockIdx.x) / 2); } while (old != seen);
}""",
    "blocks that come before": r"""
extern "C" __global__ void k(int* x, int* y) {
  if (threadIdx.x) return;
  atomicExch(&x[blockIdx.x], 1);
  int n = 0;
  for (int b = 0; b < gridDim.x; ++b) n += atomicAdd(&x[b], 0);
  y[blockIdx.x] = n;
}""",
    "a variable of the device": r"""
__device__ unsigned int turn;
extern "C" __global__ void k(int* x, int* y) { if (threadIdx.x == 0) y[blockIdx.x] = atomicInc(&turn, 100); }
""",
}
AGREES = {
    "a histogram": r"""
extern "C" __global__ void k(int* x, int* y) { atomicAdd(&y[(blockIdx.x * 7 + threadIdx.x) % 13], 1); }
""",
    "a sum of floats": r"""
extern "C" __global__ void k(float* x, float* y) { atomicAdd(y, 1.0f / (1 + blockIdx.x * 64 + threadIdx.x)); }
""",
    "a maximum": r"""
extern "C" __global__ void k(int* x, int* y) { atomicMax(y, (int)(blockIdx.x * 37 % 11 * 64 + threadIdx.x)); }
""",
    "what is added to": r"""
extern "C" __global__ void k(int* x, int* y) { int i = blockIdx.x * 8 + threadIdx.x % 8; if (threadIdx.x < 8) y[i] += i; }
""",
    "a sum of doubles by exchanges": r"""
extern "C" __global__ void k(double* x, double* y) { atomicAdd(y, 0.1 * (blockIdx.x + 1)); }
""",
}  # fmt: skip


def in_orders(text, orders=5, block=8):
    dtype = "float32" if "float*" in text else "float64" if "double*" in text else "int32"
    zeros = lambda x, y: (qn.zeros(N, dtype=dtype), qn.zeros(N, dtype=dtype))  # noqa: E731
    return run_text(text, values=zeros, grid=7, block=block, orders=orders)


@pytest.mark.parametrize("name", DEPENDS)
def test_results_that_depend_on_the_order_of_blocks(name):
    report = in_orders(DEPENDS[name])
    assert kinds(report) == {"block_order"} and report[0].kernel == "k", f"{report}"
    assert "another order of its blocks gives another result" in str(report)
    assert not len(in_orders(DEPENDS[name], orders=1))


@pytest.mark.parametrize("name", AGREES)
def test_results_that_do_not(name):
    report = in_orders(AGREES[name])
    assert not len(report), f"{report}"


def test_the_result_is_that_of_the_natural_order():
    text = r"""
extern "C" __global__ void k(int* x, int* y) { if (threadIdx.x == 0) y[blockIdx.x] = 10 + atomicAdd(x, 1); }
"""
    x, y = qn.zeros(N, dtype="int32"), qn.arange(N, dtype="int32")
    with qn.check(orders=5) as report:
        qn.RawKernel(text, "k")((5,), (32,), (x, y))
        qn.synchronize()
    assert kinds(report) == {"block_order"}
    assert y.get().tolist() == [10, 11, 12, 13, 14, *range(5, N)] and x.get()[0] == 5


def test_wrong_orders():
    for orders in (0, -1, 2000):
        with pytest.raises(ValueError, match="orders is"):
            qn.check(orders=orders)


def test_copies_of_cupys_arrays_are_of_their_stream():
    import quern.cupy as cp

    with qn.check() as report:
        kernel = cp.RawKernel(ADD, "k")
        stream = cp.cuda.Stream(non_blocking=True)
        x = cp.zeros(N, dtype=cp.float32)
        cp.cuda.Device().synchronize()
        x.set(np.ones(N, np.float32), stream=stream)
        kernel((1,), (N,), (x, np.int32(N)), stream=stream)
        assert x.get(stream=stream).sum() == cp.asnumpy(x, stream=stream).sum() == 2 * N
        with stream:
            kernel((1,), (N,), (x, np.int32(N)))
            assert x.get().sum() == 3 * N
    assert not len(report), f"{report}"
    with qn.check() as report:
        cp.RawKernel(ADD, "k")((1,), (N,), (x, np.int32(N)), stream=stream)
        x.get()  # the default stream's, which this one does not wait for
    assert kinds(report) == {"unordered"}, f"{report}"
