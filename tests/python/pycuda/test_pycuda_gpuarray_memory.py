"""Where arrays of PyCUDA lie: what an allocator says, what operands say, classes of programs."""

import numpy as np
import pytest
from quern.pycuda import cumath, gpuarray, tools
from quern.pycuda import driver as drv
from quern.pycuda.compiler import SourceModule
from test_pycuda_gpuarray import host, same


def test_names():
    assert gpuarray.splay(1000)[1][0] > 0 and gpuarray.has_double_support() and gpuarray.drv is drv


def test_results_lie_where_the_allocator_says(device):
    taken = []

    def allocator(size):
        taken.append(size)
        return drv.mem_alloc(size)

    x = host("float32", 12).reshape(3, 4)
    a, at = gpuarray.to_gpu(x), gpuarray.to_gpu(np.array([3, 1], np.int32))
    one, from_pool = a.ravel(), gpuarray.to_gpu(x, allocator=allocator)
    assert taken == [48] and from_pool.allocator is allocator
    for compute, wanted in (
        (lambda: gpuarray.sum(a, allocator=allocator), x.sum()),
        (lambda: gpuarray.dot(a, a, allocator=allocator), (x * x).sum()),
        (lambda: gpuarray.subset_sum(at, one, allocator=allocator), x.ravel()[[3, 1]].sum()),
        (lambda: gpuarray.subset_dot(at, one, one, allocator=allocator), (x.ravel()[[3, 1]] ** 2).sum()),
        (lambda: gpuarray.concatenate([a, a], allocator=allocator), np.concatenate([x, x])),
        (lambda: gpuarray.stack([a, a], 1, allocator=allocator), np.stack([x, x], 1)),
        (lambda: gpuarray.logical_and(a, 1, allocator=allocator), x != 0),
        (lambda: a.any(allocator=allocator), np.array(True)),
        (lambda: gpuarray.sum(from_pool), x.sum()),
        (lambda: gpuarray.logical_not(from_pool), x == 0),
    ):
        got = compute()
        same(got, np.asarray(wanted))
        assert got.allocator is allocator and len(taken) == 2 and taken[1] == max(got.nbytes, 1)
        del taken[1:]


RESULTS = """
a + b | b - a | 2 * a | a * np.float32(2) | 1.5 - a | a / b | 3 / a | a // b | a % 2 | a ** 2 | 2 ** a | -a | abs(a) | a < b | a >= 0.5 | a != b | a.copy() | a.astype(np.float64)
a.astype(np.int32) + 1 | a.astype(np.int32) / 2 | a.astype(np.int32) | a.mul_add(2, b, 3) | a.reverse() | a.conj() + 0 | c * c | c.conj() | c.real | c.imag | c + 1 | c == c | a._new_like_me() * 0 | a.T + b.T
a[1] + b[0] | (a + b) * a - b | gpuarray.empty_like(a) * 0 | gpuarray.zeros_like(a) | gpuarray.ones_like(a, np.int32) | gpuarray.maximum(a, b) | gpuarray.minimum(a, 0.5) | gpuarray.if_positive(a, a, b)
gpuarray.take(a.ravel(), i) | gpuarray.max(a) | gpuarray.min(a) | gpuarray.sum(a) | gpuarray.dot(a, b) | gpuarray.concatenate([a, b]) | gpuarray.logical_and(a, b) | gpuarray.where(a, a, b) | gpuarray.multi_put([i], i, (4,))[0] * 0
cumath.sin(a) | cumath.fabs(-a) | cumath.fmod(a, b) | cumath.frexp(a)[0] | cumath.frexp(a)[1] | cumath.modf(a)[0] | cumath.ldexp(a, b * 0 + 1) | a.reshape(4, 3) * 2 | a.any() | a.all() | a.ravel()[::2] + 0
"""


@pytest.mark.parametrize("case", [c.strip() for c in RESULTS.replace("\n", " | ").split(" | ") if c.strip()])
def test_results_come_from_where_their_operands_came_from(device, case):
    """Each is one block of the pool; what is computed on the way to it is none that stays."""
    pool = tools.DeviceMemoryPool()
    x = np.linspace(0.1, 2, 12, dtype=np.float32).reshape(3, 4)
    given = {"a": x, "b": x[::-1].copy(), "c": (x + 1j).astype(np.complex64), "i": np.array([3, 1], np.int32)}
    names = {"np": np, "gpuarray": gpuarray, "cumath": cumath}
    wanted = eval(case, names | {name: gpuarray.to_gpu(host) for name, host in given.items()})
    assert wanted.allocator is drv.mem_alloc
    placed = {name: gpuarray.to_gpu(host, allocator=pool.allocate) for name, host in given.items()}
    got = eval(case, names | placed)
    assert any(got.allocator is array.allocator for array in placed.values())
    assert isinstance(got.gpudata, drv.PooledDeviceAllocation)
    same(got, wanted.get())
    assert got.flags.f_contiguous == wanted.flags.f_contiguous and pool.active_blocks == len(given) + 1
    del got
    assert pool.active_blocks == len(given)


def test_views_and_sums_in_place_take_nothing_from_the_pool(device):
    pool = tools.DeviceMemoryPool()
    x = host("float32", 12).reshape(3, 4)
    a = gpuarray.to_gpu(x, allocator=pool.allocate)
    views = [a[1:], a.T, a.reshape(4, 3), a.ravel(), a.view(np.int32), a[:, 1], a.squeeze(), a[1:].T, a.reshape(2, 6)[:, ::2]]
    assert pool.active_blocks == 1 and all(v.allocator == pool.allocate for v in views)
    a += 1
    a *= np.float64(2)
    a[0] = a[1]
    assert pool.active_blocks == 1
    sums = [v + v for v in views]
    assert pool.active_blocks == 1 + len(sums) and all(s.allocator == pool.allocate for s in sums)
    x = (x + 1) * 2
    x[0] = x[1]
    same(a, x)
    same(sums[0], 2 * x[1:])
    b = gpuarray.to_gpu(x)
    for mixed, allocator in ((a + b, pool.allocate), (b + a, drv.mem_alloc), (b + 1, drv.mem_alloc)):
        assert mixed.allocator == allocator
    empty = gpuarray.GPUArray((0,), np.float32, allocator=pool.allocate)
    assert (empty + 1).shape == (0,)


def test_work_of_arrays_without_an_allocator_is_fused_beside_others(device):
    from quern.lib import _engine

    pool = tools.DeviceMemoryPool()
    x = host("float32", 1_000_000)
    a, other = gpuarray.to_gpu(x), gpuarray.to_gpu(x, allocator=pool.allocate)
    b = ((a * 2 + 1) * a - 3) / 2
    assert _engine.array_pending() > 0
    same(b + 0, ((x * 2 + 1) * x - 3) / 2)
    same(other + other, 2 * x)


def test_programs_classes_keep_their_allocator(device):
    class Mine(gpuarray.GPUArray):
        pass

    taken = []

    def allocator(size):
        taken.append(size)
        return drv.mem_alloc(size)

    a = Mine((4,), np.float32, allocator=allocator)
    a.fill(2)
    for result in (a + a, a.copy(), a * np.float64(2), a < 3):
        assert type(result) is Mine and result.allocator is allocator
    assert taken == [16, 16, 16, 32, 16]


def test_classes_of_programs(device):
    class Named(gpuarray.GPUArray):
        def __init__(self, name, host):
            super().__init__(host.shape, host.dtype, order="F")
            self.name = name
            self.set(host)

    class Plain(gpuarray.GPUArray):
        pass

    x = host("float32", 12).reshape(3, 4)
    a, b = Named("a", x), Named(name="b", host=2 * x)
    assert a.name == "a" and isinstance(a, gpuarray.GPUArray) and a.strides == (4, 12)
    same(a + b, 3 * x)
    b[1:] = 0
    a += 1
    same(a * 2 + b, np.where(np.arange(3)[:, None] == 0, 4 * x + 2, 2 * x + 2).astype(np.float32))
    SourceModule("__global__ void f(float* x) { x[threadIdx.x] = threadIdx.x; }").get_function("f")(a, block=(12, 1, 1))
    same(a, np.arange(12, dtype=np.float32).reshape(4, 3).T)
    same(Plain((2, 3), np.int32).fill(4), np.full((2, 3), 4, np.int32))
    buffer = drv.mem_alloc(48)
    over = type(
        "Over", (gpuarray.GPUArray,), {"__init__": lambda self: gpuarray.GPUArray.__init__(self, (12,), np.float32, gpudata=buffer)}
    )()
    over.fill(3)
    assert over.gpudata is buffer and drv.from_device(buffer, 12, np.float32).tolist() == [3] * 12
