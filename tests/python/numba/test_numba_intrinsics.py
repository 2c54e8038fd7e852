"""Names that mean something in kernels only and that the other tests of kernels leave out: fences, masks of warps, cache hints."""

import math

import numpy as np
import pytest
from quern import cuda
from quern.cuda import errors

TABLE = np.array([3.0, 1.0, 4.0, 1.5])


def test_fences_and_pauses(device):
    @cuda.jit
    def kernel(data, flag, out):
        i = cuda.grid(1)
        if i == 0:
            data[0] = 42
            cuda.threadfence()
            cuda.atomic.exch(flag, 0, 1)
        elif cuda.blockIdx.x == 1 and cuda.threadIdx.x == 0:
            while cuda.atomic.add(flag, 0, 0) == 0:
                cuda.nanosleep(20)
            cuda.threadfence_system()
            out[0] = data[0]
        cuda.threadfence_block()

    data, flag, out = np.zeros(1, np.int64), np.zeros(1, np.int32), np.zeros(1, np.int64)
    kernel[2, 32](data, flag, out)
    assert out[0] == 42


def test_masks_of_warps(device):
    @cuda.jit
    def kernel(active, all_same, some_differ, before):
        i = cuda.threadIdx.x
        all_same[i], flag = cuda.match_all_sync(0xFFFFFFFF, 7)
        if flag:
            some_differ[i], other = cuda.match_all_sync(0xFFFFFFFF, i // 2)
            if other:
                some_differ[i] = 99
        cuda.syncwarp()
        before[i] = cuda.lanemask_lt()
        active[i] = cuda.activemask()
        if i < 8:
            cuda.syncwarp(0xFF)

    active, all_same, some_differ, before = (np.zeros(32, np.uint32) for _ in range(4))
    kernel[1, 32](active, all_same, some_differ, before)
    assert (all_same == 0xFFFFFFFF).all()
    assert (some_differ == 0).all()
    np.testing.assert_array_equal(before, [(1 << i) - 1 for i in range(32)])
    assert (active == 0xFFFFFFFF).all()


@pytest.mark.parametrize("block", [64, 48])  # on the CPU: loops over lanes, and a coroutine for each thread
def test_lanes_that_run_together(device, block):
    @cuda.jit
    def kernel(x, kept, count, masks):
        i = cuda.grid(1)
        if x[i] % 3 == 0:
            masks[i] = cuda.activemask()
        else:
            masks[i] = ~cuda.activemask()
        if x[i] > 40:
            # One addition for all lanes that keep something.
            active = cuda.activemask()
            leader = cuda.ffs(active) - 1
            first = 0
            if cuda.laneid == leader:
                first = cuda.atomic.add(count, 0, cuda.popc(active))
            first = cuda.shfl_sync(active, first, leader)
            kept[first + cuda.popc(active & cuda.lanemask_lt())] = x[i]

    x = np.random.default_rng(5).integers(0, 100, 20 * block).astype(np.int32)
    kept, count, masks = np.zeros(x.size, np.int32), np.zeros(1, np.int32), np.zeros(x.size, np.uint32)
    kernel[20, block](x, kept, count, masks)
    assert np.array_equal(np.sort(kept[: count[0]]), np.sort(x[x > 40]))
    for b in range(20):
        for warp in range(0, block, 32):
            lanes = slice(b * block + warp, b * block + min(block, warp + 32))
            threes = sum(1 << int(k) for k in np.flatnonzero(x[lanes] % 3 == 0))
            others = sum(1 << int(k) for k in np.flatnonzero(x[lanes] % 3))
            assert np.array_equal(masks[lanes], np.where(x[lanes] % 3 == 0, np.uint32(threes), ~np.uint32(others)))


def test_loads_and_stores_with_cache_hints(device):
    @cuda.jit
    def loads(x, out):
        i = cuda.grid(1)
        if i < x.size:
            out[0, i] = cuda.ldca(x, i)
            out[1, i] = cuda.ldcg(x, i)
            out[2, i] = cuda.ldcs(x, i)
            out[3, i] = cuda.ldlu(x, i)
            out[4, i] = cuda.ldcv(x, i)

    @cuda.jit
    def stores(x, out):
        i = cuda.grid(1)
        if i < x.size:
            cuda.stcg(out, (0, i), x[i])
            cuda.stcs(out, (1, i), x[i])
            cuda.stwb(out, (2, i), x[i])
            cuda.stwt(out, (3, i), x[i])

    for dtype in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"):
        x = np.arange(40).astype(dtype)
        read, written = np.zeros((5, 40), dtype), np.zeros((4, 40), dtype)
        loads[2, 32](x, read)
        stores[2, 32](x, written)
        np.testing.assert_array_equal(read, np.broadcast_to(x, read.shape))
        np.testing.assert_array_equal(written, np.broadcast_to(x, written.shape))


def test_numbers(device):
    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        if i < x.size:
            table = cuda.const.array_like(TABLE)
            out[0, i] = cuda.fma(x[i], 3.0, 0.5)
            out[1, i] = cuda.cbrt(x[i])
            out[2, i] = table[i % 4]
            out[3, i] = cuda.selp(x[i] > 2, x[i], -x[i])

    x, out = np.arange(8.0), np.zeros((4, 8))
    kernel[1, 32](x, out)
    np.testing.assert_array_equal(out[0], 3 * x + 0.5)
    np.testing.assert_allclose(out[1], np.cbrt(x), rtol=1e-15)
    np.testing.assert_array_equal(out[2], np.tile(TABLE, 2))
    np.testing.assert_array_equal(out[3], np.where(x > 2, x, -x))
    exact = np.array([1 + 2.0**-52])
    one = np.zeros((4, 1))

    @cuda.jit
    def rounded_once(x, out):
        out[0, 0] = cuda.fma(x[0], x[0], -1.0)

    rounded_once[1, 1](exact, one)
    assert one[0, 0] == 2.0**-51 + 2.0**-104
    assert math.isclose(one[0, 0], 2.0**-51)


def test_on_the_host_they_say_where_they_belong():
    for name in (
        "activemask",
        "match_all_sync",
        "nanosleep",
        "syncwarp",
        "threadfence",
        "ldca",
        "stcg",
        "fma",
        "cbrt",
        "selp",
        "syncthreads",
    ):
        with pytest.raises(RuntimeError, match=f"cuda.{name} is available only inside a kernel"):
            getattr(cuda, name)()
    with pytest.raises(errors.TypingError):

        @cuda.jit("void(float64[:])")
        def wrong(x):
            x[0] = cuda.activemask(3)
