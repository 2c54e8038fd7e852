"""Memory of a kernel's own, barriers, atomics, warps and bits, in kernels written in Python."""

import numpy as np
import pytest
from quern.numba import cuda, float32, float64, int32, int64

# ---- memory of the kernel's own, atomics, warps


def test_shared_memory_and_barriers(device):
    @cuda.jit
    def reverse(x):
        room = cuda.shared.array(64, float32)
        i = cuda.threadIdx.x
        room[i] = x[cuda.blockIdx.x * 64 + i]
        cuda.syncthreads()
        x[cuda.blockIdx.x * 64 + i] = room[63 - i]

    x = np.arange(128, dtype=np.float32)
    reverse[2, 64](x)
    np.testing.assert_array_equal(x, np.arange(128).reshape(2, 64)[:, ::-1].ravel())


def test_shared_memory_of_two_dimensions(device):
    @cuda.jit
    def transpose(a, out):
        room = cuda.shared.array((8, 9), dtype=int32)
        i, j = cuda.threadIdx.x, cuda.threadIdx.y
        room[i, j] = a[i, j]
        cuda.syncthreads()
        out[j, i] = room[i, j]

    a = np.arange(64, dtype=np.int32).reshape(8, 8)
    out = np.zeros_like(a)
    transpose[1, (8, 8)](a, out)
    np.testing.assert_array_equal(out, a.T)


def test_dynamic_shared_memory(device):
    @cuda.jit
    def kernel(x):
        room = cuda.shared.array(0, float64)
        i = cuda.threadIdx.x
        room[i] = x[i]
        cuda.syncthreads()
        x[i] = room[room.size - 1 - i] + room.shape[0]

    x = np.arange(16.0)
    kernel[1, 16, 0, 16 * 8](x)
    np.testing.assert_array_equal(x, np.arange(16)[::-1] + 16)
    with pytest.raises(Exception, match="dynamic shared memory.*0 bytes"):
        kernel[1, 16](x)


def test_local_memory(device):
    @cuda.jit
    def kernel(x, out):
        room = cuda.local.array((2, 4), int64)
        i = cuda.grid(1)
        for k in range(8):
            room[k // 4, k % 4] = x[i] + k
        total = 0
        for row in room:
            for v in row:
                total += v
        out[i] = total

    x, out = np.arange(8), np.zeros(8, np.int64)
    kernel[1, 8](x, out)
    np.testing.assert_array_equal(out, 8 * x + 28)


ATOMICS = {
    "add": (np.add, ["i4", "u4", "i8", "u8", "f2", "f4", "f8"]),
    "nanmax": (np.fmax, ["i4", "u4", "i8", "u8", "f4", "f8"]),
    "nanmin": (np.fmin, ["i4", "u4", "i8", "u8", "f4", "f8"]),
    "sub": (np.subtract, ["i4", "u4", "i8", "u8", "f4", "f8"]),
    "max": (np.maximum, ["i4", "u4", "i8", "u8", "f4", "f8"]),
    "min": (np.minimum, ["i4", "u4", "i8", "u8", "f4", "f8"]),
    "and_": (np.bitwise_and, ["i4", "u4", "i8", "u8"]),
    "or_": (np.bitwise_or, ["i4", "u4", "i8", "u8"]),
    "xor": (np.bitwise_xor, ["i4", "u4", "i8", "u8"]),
}


@pytest.mark.parametrize("name, dtype", [(n, t) for n, (_, ts) in ATOMICS.items() for t in ts])
def test_atomics(device, name, dtype):
    update = getattr(cuda.atomic, name)

    @cuda.jit
    def kernel(values, where, out):
        i = cuda.grid(1)
        if i < values.size:
            update(out, where[i], values[i])

    rng = np.random.default_rng(0)
    values, where = rng.integers(1, 10 if dtype == "f2" else 100, 500).astype(dtype), rng.integers(0, 7, 500)
    out = np.full(7, 1000).astype(dtype)
    expected = out.copy()
    for v, w in zip(values, where, strict=True):
        expected[w] = ATOMICS[name][0](expected[w], v)
    kernel[4, 128](values, where, out)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("dtype", ["u4", "u8"])
def test_atomic_counters(device, dtype):
    @cuda.jit
    def kernel(up, down, old):
        i = cuda.grid(1)
        old[i] = cuda.atomic.inc(up, 0, 6)
        cuda.atomic.dec(down, (0,), 6)

    up, down, old = np.zeros(1, dtype), np.zeros(1, dtype), np.zeros(32, dtype)
    kernel[1, 32](up, down, old)
    assert up[0] == 32 % 7 and down[0] == (7 - 32 % 7) % 7
    np.testing.assert_array_equal(np.sort(old), np.sort(np.arange(32) % 7))


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"])
def test_atomic_swaps(device, dtype):
    @cuda.jit
    def kernel(a, b, seen):
        i = cuda.grid(1)
        seen[i] = cuda.atomic.cas(a, i % 4, 0, 1)
        if i == 0:
            cuda.atomic.compare_and_swap(b, 5, 9)

    a, b, seen = np.zeros(4, dtype), np.array([5, 5], dtype), np.zeros(32, dtype)
    kernel[1, 32](a, b, seen)
    assert a.all() and (seen == 0).sum() == 4 and list(b) == [9, 5]


@pytest.mark.parametrize("dtype", ["i4", "u4", "i8", "u8", "f4", "f8"])
def test_atomic_exchange(device, dtype):
    """Each thread puts its number and gets another's: all are there once."""

    @cuda.jit
    def kernel(place, seen):
        i = cuda.grid(1)
        seen[i] = cuda.atomic.exch(place, 0, i + 1)

    place, seen = np.zeros(1, dtype), np.zeros(64, dtype)
    kernel[2, 32](place, seen)
    np.testing.assert_array_equal(np.sort([*seen, place[0]]), np.arange(65))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_atomic_extremes_and_nan(device, dtype):
    @cuda.jit
    def kernel(values, out):
        i = cuda.grid(1)
        cuda.atomic.nanmax(out, 0, values[i])
        cuda.atomic.nanmin(out, 1, values[i])
        cuda.atomic.exch(out, 2, values[1])

    out = np.array([np.nan, np.nan, 0], dtype)
    kernel[1, 4](np.array([1, np.nan, -3, 2], dtype), out)
    assert out[0] == 2 and out[1] == -3 and np.isnan(out[2])


def test_warps(device):
    @cuda.jit
    def kernel(x, out, flags):
        i = cuda.threadIdx.x
        v = x[i]
        for d in (16, 8, 4, 2, 1):
            v += cuda.shfl_down_sync(0xFFFFFFFF, v, d)
        if cuda.laneid == 0:
            out[i // cuda.warpsize] = v
        flags[0, i] = cuda.ballot_sync(0xFFFFFFFF, x[i] % 2 == 0)
        flags[1, i] = cuda.all_sync(0xFFFFFFFF, x[i] >= 0)
        flags[2, i] = cuda.any_sync(0xFFFFFFFF, x[i] == 40)
        flags[3, i] = cuda.shfl_sync(0xFFFFFFFF, x[i], 3) + cuda.shfl_xor_sync(0xFFFFFFFF, x[i], 1)
        flags[4, i] = cuda.shfl_up_sync(0xFFFFFFFF, x[i], 2)
        flags[5, i] = cuda.match_any_sync(0xFFFFFFFF, x[i] // 16)
        flags[6, i] = cuda.lanemask_lt()
        flags[7, i] = cuda.eq_sync(0xFFFFFFFF, x[i] < 32)

    x = np.arange(64)
    out, flags = np.zeros(2, np.int64), np.zeros((8, 64), np.uint32)
    kernel[1, 64](x, out, flags)
    lane = x % 32
    assert list(out) == [x[:32].sum(), x[32:].sum()]
    np.testing.assert_array_equal(flags[0], np.full(64, 0x55555555))
    np.testing.assert_array_equal(flags[1], np.ones(64))
    np.testing.assert_array_equal(flags[2], x >= 32)
    np.testing.assert_array_equal(flags[3], (x // 32 * 32 + 3) + (x ^ 1))
    np.testing.assert_array_equal(flags[4], np.where(lane < 2, x, x - 2))
    np.testing.assert_array_equal(flags[5], np.where(lane < 16, 0xFFFF, 0xFFFF0000))
    np.testing.assert_array_equal(flags[6], (1 << lane) - 1)
    np.testing.assert_array_equal(flags[7], np.ones(64))


@pytest.mark.parametrize("dtype", ["i4", "u4", "i8", "u8", "f4", "f8"])
def test_what_warps_hand_on(device, dtype):
    """Of each type, by the bits: what does not fit into half of it arrives, too."""

    @cuda.jit
    def kernel(x, out, masks, same):
        i = cuda.threadIdx.x
        out[0, i] = cuda.shfl_sync(0xFFFFFFFF, x[i], 3)
        out[1, i] = cuda.shfl_up_sync(0xFFFFFFFF, x[i], 2)
        out[2, i] = cuda.shfl_down_sync(0xFFFFFFFF, x[i], 5)
        out[3, i] = cuda.shfl_xor_sync(0xFFFFFFFF, x[i], 9)
        masks[0, i] = cuda.match_any_sync(0xFFFFFFFF, x[i // 8])
        masks[1, i], same[0, i] = cuda.match_all_sync(0xFFFFFFFF, x[5])
        masks[2, i], same[1, i] = cuda.match_all_sync(0xFFFFFFFF, x[i // 31])

    x = (np.arange(32) * 2.0 ** (np.dtype(dtype).itemsize * 8 - 6) + np.arange(32)).astype(dtype)
    out, masks, same = np.zeros((4, 32), dtype), np.zeros((3, 32), np.uint32), np.ones((2, 32), bool)
    kernel[1, 32](x, out, masks, same)
    lane = np.arange(32)
    np.testing.assert_array_equal(out[0], np.full(32, x[3]))
    np.testing.assert_array_equal(out[1], x[np.where(lane < 2, lane, lane - 2)])
    np.testing.assert_array_equal(out[2], x[np.where(lane > 26, lane, lane + 5)])
    np.testing.assert_array_equal(out[3], x[lane ^ 9])
    np.testing.assert_array_equal(masks[0], [0xFF << (i // 8 * 8) for i in range(32)])
    assert (masks[1] == 0xFFFFFFFF).all() and same[0].all() and not masks[2].any() and not same[1].any()


def test_votes_of_a_block(device):
    @cuda.jit
    def kernel(x, out):
        i = cuda.threadIdx.x
        out[0] = cuda.syncthreads_count(x[i] > 3)
        out[1] = cuda.syncthreads_and(x[i] > 3)
        out[2] = cuda.syncthreads_or(x[i] > 3)

    out = np.zeros(3, np.int32)
    kernel[1, 8](np.arange(8), out)
    assert list(out) == [4, 0, 1]


def test_bits(device):
    @cuda.jit
    def kernel(a, b, out):
        i = cuda.grid(1)
        out[0, i] = cuda.popc(a[i]) + 100 * cuda.popc(b[i])
        out[1, i] = cuda.clz(a[i]) + 100 * cuda.clz(b[i])
        out[2, i] = cuda.ffs(a[i]) + 100 * cuda.ffs(b[i])
        out[3, i] = cuda.brev(a[i])
        out[4, i] = cuda.selp(a[i] > 5, 7, 9)

    a, b = np.array([0, 1, 6, 2**31], np.uint32), np.array([0, 1, 2**40, 2**63], np.uint64)
    out = np.zeros((5, 4), np.int64)
    kernel[1, 4](a, b, out)
    popc = lambda v: bin(int(v)).count("1")  # noqa: E731
    clz = lambda v, n: n - int(v).bit_length()  # noqa: E731
    ffs = lambda v: (int(v) & -int(v)).bit_length()  # noqa: E731
    np.testing.assert_array_equal(out[0], [popc(x) + 100 * popc(y) for x, y in zip(a, b, strict=True)])
    np.testing.assert_array_equal(out[1], [clz(x, 32) + 100 * clz(y, 64) for x, y in zip(a, b, strict=True)])
    np.testing.assert_array_equal(out[2], [ffs(x) + 100 * ffs(y) for x, y in zip(a, b, strict=True)])
    np.testing.assert_array_equal(out[3], [int(f"{int(x):032b}"[::-1], 2) for x in a])
    np.testing.assert_array_equal(out[4], np.where(a > 5, 7, 9))
