"""What the page of examples of Numba's documentation for CUDA does, in our own words."""

import math

import numpy as np
from quern import cuda, numba
from quern.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32
from quern.numba import float32
from test_numba_documentation import close

# ---- the examples' page


def test_vectors_added_by_forall(device):
    @cuda.jit
    def added(a, b, c):
        i, width = cuda.grid(1), len(c)
        if i < width:
            c[i] = a[i] + b[i]

    rng = np.random.default_rng(4)
    a, b = cuda.to_device(rng.random(3000)), cuda.to_device(rng.random(3000))
    c = cuda.device_array_like(a)
    added.forall(len(a))(a, b, c)
    close(c.copy_to_host(), a.copy_to_host() + b.copy_to_host())
    c = cuda.device_array_like(a)
    added[-(-3000 // 256), 256](a, b, c)
    close(c.copy_to_host(), a.copy_to_host() + b.copy_to_host())


def test_heat_in_a_rod(device):
    rod = np.zeros(101)
    rod[50] = 1000

    @cuda.jit
    def steps(old, new, count, k):
        i, grid = cuda.grid(1), cuda.cg.this_grid()
        for step in range(count):
            source, target = (old, new) if step % 2 == 0 else (new, old)
            if i < old.shape[0]:
                here = source[i]
                left = source[i - 1] if i > 0 else 0.0
                right = source[i + 1] if i < old.shape[0] - 1 else 0.0
                target[i] = 0.0 if i == 0 or i == old.shape[0] - 1 else here + k * (left - 2 * here + right)
            grid.sync()

    old, new = cuda.to_device(rod), cuda.to_device(rod)
    steps[4, 32](old, new, 60, 0.25)
    expected = rod
    for _ in range(60):
        expected = np.concatenate([[0], expected[1:-1] + 0.25 * np.diff(expected, 2), [0]])
    close(old.copy_to_host(), expected)


def test_a_sum_in_shared_memory(device):
    n = 1024

    @cuda.jit
    def summed(data):
        t, size = cuda.threadIdx.x, len(data)
        if t < size:
            own = cuda.shared.array(n, numba.int64)
            own[t] = data[cuda.grid(1)]
            cuda.syncthreads()
            step = 1
            while step < cuda.blockDim.x:
                if t % (2 * step) == 0:
                    own[t] += own[t + step]
                step *= 2
                cuda.syncthreads()
            if t == 0:
                data[t] = own[0]

    data = cuda.to_device(np.arange(n))
    summed[1, n](data)
    assert data[0] == n * (n - 1) // 2 and int(data.copy_to_host()[0]) == data[0]


def test_clicks_in_sessions(device):
    """Clicks sorted by user and time: a session ends where the user changes, or after an hour without a click."""
    rng = np.random.default_rng(5)
    users = np.sort(rng.integers(0, 6, 128))
    times = np.zeros(128, np.int64)
    for user in np.unique(users):
        times[users == user] = np.cumsum(rng.choice([60, 600, 4000], np.count_nonzero(users == user)))

    @cuda.jit
    def sessions(user, time, out):
        place, size, grid = cuda.grid(1), len(user), cuda.cg.this_grid()
        if place < size:
            # The first click of all starts one, and each that is another user's or too late.
            starts = place == 0 or user[place] != user[place - 1] or time[place] - time[place - 1] > 3600
            out[place] = place if starts else 0
        grid.sync()
        if place < size and out[place] == 0 and place > 0:
            look = place - 1
            while look > 0 and out[look] == 0:
                look -= 1
            # Others may write meanwhile: the same start.
            cuda.atomic.max(out, place, out[look])

    out = np.zeros(128, np.int64)
    sessions[4, 32](cuda.to_device(users), cuda.to_device(times), out)
    starts = np.concatenate([[True], (np.diff(users) != 0) | (np.diff(times) > 3600)])
    np.testing.assert_array_equal(out, np.maximum.accumulate(np.where(starts, np.arange(128), 0)))


def test_one_function_for_both_sides(device):
    @numba.jit
    def polynomial(x, a, b):
        return a * x * x + b

    @cuda.jit
    def kernel(out, x):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = polynomial(x[i], 2.0, 3.0)

    x, out = np.arange(20.0), np.zeros(20)
    kernel[1, 32](out, x)
    np.testing.assert_array_equal(out, [polynomial(v, 2.0, 3.0) for v in x])


def test_an_integral_by_chance(device):
    @cuda.jit
    def curve(x):
        return 1.0 / (1 + x * x)

    @cuda.jit
    def sampled(out, states, low, high):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = curve(low + xoroshiro128p_uniform_float32(states, i) * (high - low))

    @cuda.reduce
    def total(a, b):
        return a + b

    count = 20_000
    out = cuda.to_device(np.zeros(count, np.float32))
    sampled.forall(count)(out, create_xoroshiro128p_states(count, seed=2), 0.0, 1.0)
    assert abs(total(out) / count - math.pi / 4) < 0.01


def test_matrices_plain_and_in_tiles(device):
    tile = 16

    @cuda.jit
    def plain(a, b, c):
        i, j = cuda.grid(2)
        if i < c.shape[0] and j < c.shape[1]:
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[i, j] = total

    @cuda.jit
    def tiled(a, b, c):
        left, right = cuda.shared.array((tile, tile), float32), cuda.shared.array((tile, tile), float32)
        x, y = cuda.grid(2)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        total = float32(0.0)
        for part in range(cuda.gridDim.x):
            left[ty, tx] = right[ty, tx] = 0
            if y < a.shape[0] and tx + part * tile < a.shape[1]:
                left[ty, tx] = a[y, tx + part * tile]
            if x < b.shape[1] and ty + part * tile < b.shape[0]:
                right[ty, tx] = b[ty + part * tile, x]
            cuda.syncthreads()
            for k in range(tile):
                total += left[ty, k] * right[k, tx]
            cuda.syncthreads()
        if y < c.shape[0] and x < c.shape[1]:
            c[y, x] = total

    rng = np.random.default_rng(6)
    a, b = rng.random((23, 115), np.float32), rng.random((115, 7), np.float32)
    c, d = np.zeros((23, 7), np.float32), cuda.to_device(np.zeros((23, 7), np.float32))
    plain[(2, 1), (tile, tile)](a, b, c)
    most = max(a.shape + b.shape)
    tiled[(-(-most // tile),) * 2, (tile, tile)](cuda.to_device(a), cuda.to_device(b), d)
    close(c, a @ b, 1e-5)
    close(d.copy_to_host(), a @ b, 1e-5)


def test_a_ufunc_of_numpy_in_a_kernel(device):
    @cuda.jit
    def logarithms(out, x):
        np.log(x, out)

    x = np.arange(1, 10, dtype=np.float32) + 7
    out = np.zeros(9, np.float32)
    logarithms[1, 1](out, x)
    close(out, np.log(x), 1e-6)


# ---- ufuncs
