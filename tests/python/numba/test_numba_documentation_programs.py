"""The whole programs that Numba and numba-cuda keep beside their pages (examples/, doc_examples/), on problems of our own. Those that were
written for NumbaPro, its predecessor, are written as numba.cuda has these things now."""

import concurrent.futures
import math

import numpy as np
import pytest
import quern.cupy as cp
from quern import cuda, numba
from quern.cuda.random import create_xoroshiro128p_states, xoroshiro128p_normal_float64, xoroshiro128p_uniform_float32
from quern.cuda.types import int32
from quern.numba import double, f4, f8, float32, guvectorize, uint32, vectorize, void
from test_numba_documentation import close

RNG = np.random.default_rng(2024)


def on_host(array):
    return array.copy_to_host() if hasattr(array, "copy_to_host") else array.get()


both_kinds = pytest.mark.parametrize("to", [cuda.to_device, cp.asarray], ids=["numba", "cupy"])


# ---- doc_examples, with the arrays of either package


@both_kinds
def test_differences_of_vectors(device, to, capsys):
    @cuda.jit
    def difference(x, y, out):
        place = cuda.grid(1)
        size = len(out)
        if place < size:
            out[place] = x[place] - y[place]

    n = 10_001
    x, y = to(RNG.random(n)), to(RNG.random(n))
    out = cuda.device_array_like(x) if to is cuda.to_device else cp.empty(x.shape)
    wanted = on_host(x) - on_host(y)
    difference.forall(len(x))(x, y, out)
    print(on_host(out))
    close(on_host(out), wanted)
    threads = 128
    difference[len(x) // threads + 1, threads](x, y, out)
    print(on_host(out))
    assert capsys.readouterr().out == f"{wanted}\n{wanted}\n"


def test_heat_that_leaves_the_ends(device):
    """Threads outside of the rod have left before the others wait for the grid."""
    size, rounds = 301, 300
    rod = np.zeros(size)
    rod[size // 2] = 900
    one = cuda.to_device(rod)
    two = cuda.device_array_like(one)

    @cuda.jit
    def spread(one, two, rounds, k):
        i = cuda.grid(1)
        if i >= len(one):
            return
        grid = cuda.cg.this_grid()
        for turn in range(rounds):
            if (turn % 2) == 0:
                now, then = one, two
            else:
                now, then = two, one
            here = now[i]
            if i == 0:
                after = here + k * (now[i + 1] - (2 * here))
            elif i == len(now) - 1:
                after = here + k * (now[i - 1] - (2 * here))
            else:
                after = here + k * (now[i - 1] - (2 * here) + now[i + 1])
            then[i] = after
            grid.sync()

    spread.forall(len(rod))(one, two, rounds, 0.2)
    wanted = rod
    for _ in range(rounds):
        wanted = wanted + 0.2 * (np.concatenate([[0], wanted[:-1]]) - 2 * wanted + np.concatenate([wanted[1:], [0]]))
    close(one.copy_to_host(), wanted)
    close(one.copy_to_host().sum(), 900, 1e-6)


@both_kinds
def test_a_product_folded_in_shared_memory(device, to, capsys):
    numbers = to(np.arange(256) % 7)
    count = len(numbers)

    @cuda.jit
    def folded(data):
        t = cuda.threadIdx.x
        size = len(data)
        if t < size:
            i = cuda.grid(1)
            own = cuda.shared.array(count, int32)
            own[t] = data[i]
            cuda.syncthreads()
            step = 1
            while step < cuda.blockDim.x:
                if t % (2 * step) == 0:
                    own[t] += own[t + step]
                step *= 2
                cuda.syncthreads()
            if t == 0:
                data[t] = own[t]

    folded[1, count](numbers)
    print(numbers[0])
    assert capsys.readouterr().out.split() == [str(sum(np.arange(256) % 7))]


@both_kinds
def test_visits_that_wait_for_each_other(device, to):
    """Only the threads at which a visit begins wait for the grid; the others have gone by then."""
    gap = np.int64(np.timedelta64(120, "s"))
    who = np.array([7, 7, 7, 7, 8, 8, 9, 9, 9, 9, 9, 12, 12])
    when = np.array([0, 100, 300, 310, 5, 6, 1, 2, 200, 201, 500, 9, 10], "datetime64[s]").astype("int64")

    @cuda.jit
    def visits(who, when, out):
        i = cuda.grid(1)
        size = len(who)
        if i >= size:
            return
        is_first = i == 0
        if not is_first:
            is_other = who[i] != who[i - 1]
            is_late = when[i] - when[i - 1] > gap
            begins = is_other or is_late
        else:
            begins = True
        if begins:
            out[i] = i
            grid = cuda.cg.this_grid()
            grid.sync()
            ahead = 1
            while i + ahead < size and out[i + ahead] == 0:
                out[i + ahead] = i
                ahead += 1

    out = to(np.zeros(len(who)))
    visits.forall(len(who))(to(who), to(when), out)
    np.testing.assert_array_equal(on_host(out), [0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 11, 11])


@both_kinds
def test_one_function_on_both_sides(device, to, capsys):
    x, y, z = to([2, 5, 100]), to([1, 4, 11]), to([7, 6, 30])
    out = to([0.0, 0.0, 0.0])

    @numba.jit
    def price(x, y, z):
        return (x - y / 4) * z * math.pi

    print(price(1, 2, 3))

    @cuda.jit
    def prices(out, xs, ys, zs):
        i = cuda.grid(1)
        if i < len(xs):
            out[i] = price(xs[i], ys[i], zs[i])

    prices.forall(len(x))(out, x, y, z)
    print(out)
    close(on_host(out), [price(*v) for v in zip(on_host(x), on_host(y), on_host(z), strict=True)], 1e-15)
    first, second = capsys.readouterr().out.strip().split("\n", 1)
    assert float(first) == 1.5 * math.pi and second.startswith("[")


def test_an_integral_of_a_function_that_comes_later(device):
    @cuda.jit
    def sampled(out, states, low, high):
        size = len(out)
        i = cuda.grid(1)
        if i < size:
            at = xoroshiro128p_uniform_float32(states, i)
            at = at * (high - low) + low
            out[i] = curve(at)

    @cuda.reduce
    def total(a, b):
        return a + b

    def integral(low, high, count):
        out = cuda.to_device(np.zeros(count, dtype="float32"))
        sampled.forall(count)(out, create_xoroshiro128p_states(count, seed=7), low, high)
        return total(out) * ((high - low) / (count - 1))

    @numba.jit
    def curve(x):
        return x * x

    assert abs(integral(0, 3, 200_000) - 9) < 0.05 and abs(integral(1, 2, 200_000) - 7 / 3) < 0.01


@both_kinds
def test_products_of_matrices(device, to):
    edge = 8

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
        left, right = cuda.shared.array(shape=(edge, edge), dtype=float32), cuda.shared.array(shape=(edge, edge), dtype=float32)
        x, y = cuda.grid(2)
        tx, ty, tiles = cuda.threadIdx.x, cuda.threadIdx.y, cuda.gridDim.x
        total = float32(0.0)
        for t in range(tiles):
            left[ty, tx] = 0
            right[ty, tx] = 0
            if y < a.shape[0] and (tx + t * edge) < a.shape[1]:
                left[ty, tx] = a[y, tx + t * edge]
            if x < b.shape[1] and (ty + t * edge) < b.shape[0]:
                right[ty, tx] = b[ty + t * edge, x]
            cuda.syncthreads()
            for k in range(edge):
                total += left[ty, k] * right[k, tx]
            cuda.syncthreads()
        if y < c.shape[0] and x < c.shape[1]:
            c[y, x] = total

    a, b, c = np.arange(36).reshape([6, 6]), 2 * np.ones([6, 6]), np.zeros([6, 6])
    for kernel in (plain, tiled):
        there = to(c)
        blocks = math.ceil(c.shape[0] / edge), math.ceil(c.shape[1] / edge)
        kernel[blocks, (edge, edge)](to(a), to(b), there)
        np.testing.assert_array_equal(on_host(there), a @ b)
    a, b, there = np.arange(60).reshape([3, 20]), np.ones([20, 5]), to(np.zeros([3, 5]))
    blocks = math.ceil(max(a.shape[1], b.shape[1]) / edge), math.ceil(max(a.shape[0], b.shape[0]) / edge)
    tiled[blocks, (edge, edge)](to(a), to(b), there)
    np.testing.assert_array_equal(on_host(there), a @ b)


@both_kinds
def test_random_numbers_in_three_axes(device, to):
    @cuda.jit
    def filled(out, states):
        x, y, z = cuda.grid(3)
        dx, dy, dz = cuda.gridsize(3)
        number = (z * dy * dx) + (y * dx) + x
        for i in range(z, out.shape[0], dz):
            for j in range(y, out.shape[1], dy):
                for k in range(x, out.shape[2], dx):
                    out[i, j, k] = xoroshiro128p_uniform_float32(states, number)

    out = to(np.zeros((31, 40, 29), np.float32))
    filled[(2, 2, 2), (4, 4, 4)](out, create_xoroshiro128p_states(8 * 64, seed=3))
    values = on_host(out)
    assert 0.49 < values.mean() < 0.51 and values.min() >= 0 and values.max() <= 1 and np.unique(values).size > 30_000


def test_a_ufunc_in_a_kernel(device):
    @cuda.jit
    def cosines(out, x):
        np.cos(x, out)

    x = np.arange(12, dtype=np.float32) - 6
    out = np.zeros_like(x)
    cosines[1, 1](out, x)
    np.testing.assert_allclose(out, np.cos(x), rtol=1e-6)


def test_an_image_and_a_filter(device):
    @cuda.jit
    def filtered(image, weights, out):
        i, j = cuda.grid(2)
        rows, columns = weights.shape
        if i < out.shape[0] and j < out.shape[1]:
            total = 0.0
            for r in range(rows):
                for c in range(columns):
                    y, x = i + (r - rows // 2), j + (c - columns // 2)
                    if 0 <= y < image.shape[0] and 0 <= x < image.shape[1]:
                        total += image[y, x] * weights[r, c]
            out[i, j] = total

    image = RNG.random((40, 33)).astype(np.float32)
    weights = np.array([[0, 1, 0], [1, 4, 1], [0, 1, 0]], np.float32) / 8
    there = cuda.device_array_like(image)
    filtered[(math.ceil(40 / 16), math.ceil(33 / 16)), (16, 16)](cuda.to_device(image), cuda.to_device(weights), there)
    around = np.pad(image, 1)
    close(there.copy_to_host(), sum(weights[r, c] * around[r : r + 40, c : c + 33] for r in range(3) for c in range(3)), 1e-6)


def test_the_smallest_of_each_block(device):
    threads = 256

    @cuda.jit
    def smallest(numbers, out):
        own = cuda.shared.array(shape=threads, dtype=np.float32)
        t, i, size = cuda.threadIdx.x, cuda.grid(1), cuda.blockDim.x
        if i < len(numbers):
            own[t] = numbers[i]
        else:
            own[t] = np.inf
        cuda.syncthreads()
        step = size // 2
        while step > 0:
            if t < step and i < len(numbers):
                own[t] = min(own[t], own[t + step])
            cuda.syncthreads()
            step //= 2
        if t == 0:
            out[cuda.blockIdx.x] = own[0]

    numbers = RNG.uniform(-50, 50, 5000).astype(np.float32)
    blocks = math.ceil(len(numbers) / threads)
    out = cuda.device_array(blocks, dtype=np.float32)
    smallest[blocks, threads](cuda.to_device(numbers), out)
    np.testing.assert_array_equal(out.copy_to_host(), [numbers[i : i + threads].min() for i in range(0, 5000, threads)])


# ---- examples/: products of matrices, sums


def test_a_matrix_product_on_a_stream(device):
    blocks, threads = 3, 16
    n = blocks * threads

    @cuda.jit(argtypes=[f4[:, :], f4[:, :], f4[:, :]])
    def product(a, b, c):
        x = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
        y = cuda.threadIdx.y + cuda.blockIdx.y * cuda.blockDim.y
        if x >= n or y >= n:
            return
        c[y, x] = 0
        for i in range(n):
            c[y, x] += a[y, i] * b[i, x]

    a, b = RNG.random((2, n, n)).astype(np.float32)
    c = np.empty_like(a)
    stream = cuda.stream()
    with stream.auto_synchronize():
        there = [cuda.to_device(m, stream) for m in (a, b, c)]
        product[(blocks, blocks), (threads, threads), stream](*there)
        there[2].copy_to_host(c, stream)
    close(c, a @ b, 1e-5)


def test_a_matrix_product_with_bands_in_shared_memory(device):
    blocks, threads = 4, 10
    n = blocks * threads

    @cuda.jit("void(f4[:, :], f4[:, :], f4[:, :])")
    def product(a, b, c):
        rows, columns = cuda.shared.array(shape=(threads, n), dtype=f4), cuda.shared.array(shape=(n, threads), dtype=f4)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        x, y = cuda.grid(2)
        if x < n or y < n:
            for i in range(blocks):
                rows[ty, tx + i * threads] = a[y, tx + i * threads]
                columns[ty + i * threads, tx] = b[ty + i * threads, x]
        cuda.syncthreads()
        if x >= n or y >= n:
            return
        c[y, x] = 0
        for i in range(n):
            c[y, x] += rows[ty, i] * columns[i, tx]

    a, b = RNG.random((2, n, n)).astype(np.float32)
    c = np.empty_like(a)
    product[(blocks, blocks), (threads, threads)](a, b, c)
    close(c, a @ b, 1e-5)


def test_a_sum_that_is_configured_once(device):
    @cuda.jit("void(f4[:], f4[:], f4[:])")
    def added(a, b, c):
        i = cuda.grid(1)
        c[i] = a[i] + b[i]

    grid, block = (10, 1), (32, 1, 1)
    configured = added.configure(grid, block)
    a, b = RNG.random((2, 320)).astype(np.float32)
    c = np.empty_like(a)
    configured(a, b, c)
    np.testing.assert_array_equal(c, a + b)


def test_a_line_in_two_kernels(device):
    """What NumbaPro's compute units did: a scratch array between two kernels."""

    @cuda.jit
    def product(a, b, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = a[i] * b[i]

    @cuda.jit
    def added(a, b, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = a[i] + b[i]

    a = np.arange(1000)
    stream = cuda.stream()
    da, db, dc = (cuda.to_device(x, stream=stream) for x in (a, a.copy(), a.copy()))
    scratch, out = cuda.device_array(1000, stream=stream), cuda.device_array(1000, stream=stream)
    product.forall(1000, stream=stream)(da, db, scratch)
    added.forall(1000, stream=stream)(scratch, dc, out)
    stream.synchronize()
    np.testing.assert_array_equal(out.copy_to_host(), a * a + a)


# ---- examples/: options, paths of prices


def test_prices_of_options(device):
    @cuda.jit(device=True)
    def normal(d):
        k = 1.0 / (1.0 + 0.2316419 * math.fabs(d))
        tail = 0.3989422804014327 * math.exp(-0.5 * d * d) * (
            k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
        )  # fmt: skip
        if d > 0:
            tail = 1.0 - tail
        return tail

    @cuda.jit("(double[:], double[:], double[:], double[:], double[:], double, double)")
    def priced(call, put, stock, strike, years, rate, risk):
        i = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
        if i >= stock.shape[0]:
            return
        root = math.sqrt(years[i])
        d1 = (math.log(stock[i] / strike[i]) + (rate + 0.5 * risk * risk) * years[i]) / (risk * root)
        d2 = d1 - risk * root
        n1, n2 = normal(d1), normal(d2)
        today = math.exp((-1.0 * rate) * years[i])
        call[i] = stock[i] * n1 - strike[i] * today * n2
        put[i] = strike[i] * today * (1.0 - n2) - stock[i] * (1.0 - n1)

    n = 3000
    stock, strike, years = RNG.uniform(10, 40, n), RNG.uniform(5, 60, n), RNG.uniform(0.5, 8, n)
    stream = cuda.stream()
    there = [cuda.to_device(x, stream) for x in (np.zeros(n), -np.ones(n), stock, strike, years)]
    for _ in range(3):
        priced[(math.ceil(n / 256), 1), (256, 1), stream](*there, 0.03, 0.25)
    call, put = (x.copy_to_host(stream=stream) for x in there[:2])
    stream.synchronize()
    close(call - put, stock - strike * np.exp(-0.03 * years), 1e-9)  # what both are worth together needs no normal distribution
    d1 = (np.log(stock / strike) + (0.03 + 0.5 * 0.25**2) * years) / (0.25 * np.sqrt(years))
    phi = np.array([0.5 * (1 + math.erf(x / math.sqrt(2))) for x in np.concatenate([d1, d1 - 0.25 * np.sqrt(years)])])
    close(call, stock * phi[:n] - strike * np.exp(-0.03 * years) * phi[n:], 1e-4, 1e-4)


def test_paths_of_prices(device):
    """Steps at random from a table of noise, by a generator that each thread has for itself."""
    a, c = 1664525, 1013904223

    @cuda.jit(void(double[:, :], double, double, double, double[:], uint32[:]))
    def walked(paths, dt, interest, risk, noise, seeds):
        i = cuda.grid(1)
        if i >= paths.shape[0]:
            return
        drift, spread = interest - 0.5 * risk**2, risk * math.sqrt(dt)
        number = seeds[i]
        for j in range(1, paths.shape[1]):
            at = abs(number % noise.shape[0])
            paths[i, j] = paths[i, j - 1] * math.exp(drift * dt + spread * noise[at])
            number = uint32(number * a + c)

    @cuda.jit
    def normals(out, states):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = xoroshiro128p_normal_float64(states, i)

    n, steps, dt = 500, 20, 0.05
    stream = cuda.stream()
    noise = cuda.device_array(n, dtype=np.double, stream=stream)
    normals.forall(n, stream=stream)(noise, create_xoroshiro128p_states(n, seed=4, stream=stream))
    seeds = RNG.integers(0, 2**32, n, dtype=np.uint32)
    paths = np.zeros((n, steps))
    paths[:, 0] = 20
    there = cuda.to_device(paths, stream=stream)
    configured = walked[(math.ceil(n / 128),), (128,), stream]
    configured(there, dt, 0.02, 0.3, noise, cuda.to_device(seeds, stream=stream))
    there.copy_to_host(paths, stream=stream)
    stream.synchronize()
    table, number, wanted = noise.copy_to_host(), seeds.copy(), np.full(n, 20.0)
    assert abs(table.mean()) < 0.2 and abs(table.std() - 1) < 0.15
    for j in range(1, steps):
        wanted = wanted * np.exp((0.02 - 0.5 * 0.3**2) * dt + 0.3 * math.sqrt(dt) * table[number % n])
        close(paths[:, j], wanted, 1e-9)
        number = number * np.uint32(a) + np.uint32(c)


# ---- examples/: a plate between warm and cold sides


def relaxed(plate):
    after = plate.copy()
    after[1:-1, 1:-1] = (plate[1:-1, 2:] + plate[1:-1, :-2] + plate[:-2, 1:-1] + plate[2:, 1:-1]) / 4
    return after


def warm_on_the_left(n):
    plate = np.zeros((n, n))
    plate[:, 0] = 1
    return plate


def test_a_plate(device):
    @cuda.jit(argtypes=[f8[:, :], f8[:, :], f8[:, :]])
    def step(plate, after, change):
        rows, columns = plate.shape[0], plate.shape[1]
        j = cuda.threadIdx.y + cuda.blockIdx.y * cuda.blockDim.y
        i = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
        if j >= 1 and j < rows - 1 and i >= 1 and i < columns - 1:
            after[j, i] = 0.25 * (plate[j, i + 1] + plate[j, i - 1] + plate[j - 1, i] + plate[j + 1, i])
            change[j, i] = after[j, i] - plate[j, i]

    host, changes = warm_on_the_left(32), np.zeros((32, 32))
    stream = cuda.stream()
    now, then, there = cuda.to_device(host, stream), cuda.to_device(host, stream), cuda.to_device(changes, stream)
    error, rounds = 1.0, 0
    while error > 4e-3 and rounds < 100:
        step[(2, 2), (16, 16), stream](now, then, there)
        there.copy_to_host(changes, stream)
        stream.synchronize()
        error = np.abs(changes).max()
        now, then = then, now
        after = relaxed(host)
        assert error == np.abs(after - host).max()
        host, rounds = after, rounds + 1
    close(now.copy_to_host(), host)
    assert 20 < rounds < 100


def test_a_plate_whose_largest_change_is_found_there(device):
    edge = 8

    @cuda.jit(f8(f8, f8), device=True, inline=True)
    def larger(a, b):
        if a > b:
            return a
        else:
            return b

    @cuda.jit(void(f8[:, :], f8[:, :], f8[:, :]))
    def step(plate, after, largest):
        own = cuda.shared.array((edge, edge), dtype=f8)
        ty, tx = cuda.threadIdx.x, cuda.threadIdx.y
        bx, by = cuda.blockIdx.x, cuda.blockIdx.y
        rows, columns = plate.shape[0], plate.shape[1]
        i, j = cuda.grid(2)
        own[ty, tx] = 0
        if j >= 1 and j < rows - 1 and i >= 1 and i < columns - 1:
            after[j, i] = 0.25 * (plate[j, i + 1] + plate[j, i - 1] + plate[j - 1, i] + plate[j + 1, i])
            own[ty, tx] = after[j, i] - plate[j, i]
        cuda.syncthreads()
        t = edge // 2
        while t > 0:
            if ty < t:
                own[ty, tx] = larger(own[ty, tx], own[ty + t, tx])
            t //= 2
            cuda.syncthreads()
        t = edge // 2
        while t > 0:
            if tx < t and ty == 0:
                own[ty, tx] = larger(own[ty, tx], own[ty, tx + t])
            t //= 2
            cuda.syncthreads()
        if tx == 0 and ty == 0:
            largest[by, bx] = own[0, 0]

    host, largest = warm_on_the_left(24), np.zeros((3, 3))
    stream = cuda.stream()
    now, then, there = cuda.to_device(host, stream), cuda.to_device(host, stream), cuda.to_device(largest, stream)
    for _ in range(25):
        step[(3, 3), (edge, edge), stream](now, then, there)
        there.copy_to_host(largest, stream)
        stream.synchronize()
        now, then = then, now
        after = relaxed(host)
        assert largest.max() == (after - host).max()
        host = after
    close(now.copy_to_host(), host)


def test_a_plate_in_tiles_with_their_edges(device):
    edge = 16

    @cuda.jit("(f8[:,:], f8[:,:], f8[:,:])")
    def step(plate, after, change):
        own = cuda.shared.array(shape=(edge + 2, edge + 2), dtype=f8)
        rows, columns = plate.shape[0], plate.shape[1]
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        j, i = ty + cuda.blockIdx.y * cuda.blockDim.y, tx + cuda.blockIdx.x * cuda.blockDim.x
        sy, sx = ty + 1, tx + 1
        own[sy, sx] = plate[j, i]
        if tx == 0 and i >= 1:
            own[sy, 0] = plate[j, i - 1]
        if ty == 0 and j >= 1:
            own[0, sx] = plate[j - 1, i]
        if tx == edge - 1 and i < columns - 1:
            own[sy, edge + 1] = plate[j, i + 1]
        if ty == edge - 1 and j < rows - 1:
            own[edge + 1, sx] = plate[j + 1, i]
        cuda.syncthreads()
        if j >= 1 and j < rows - 1 and i >= 1 and i < columns - 1:
            after[j, i] = 0.25 * (own[sy, sx + 1] + own[sy, sx - 1] + own[sy - 1, sx] + own[sy + 1, sx])
            change[j, i] = after[j, i] - plate[j, i]

    host = warm_on_the_left(32)
    now, then, change = cuda.to_device(host), cuda.to_device(host), cuda.to_device(np.zeros_like(host))
    for _ in range(25):
        step[(2, 2), (edge, edge)](now, then, change)
        now, then = then, now
        before, host = host, relaxed(host)
    close(now.copy_to_host(), host)
    close(change.copy_to_host(), host - before)


# ---- examples/: functions of arrays


def test_a_fractal(device):
    @vectorize(["uint8(uint32, f4, f4, f4, f4, uint32, uint32, uint32)"], target="cuda")
    def escape(number, low_x, high_x, low_y, high_y, width, height, rounds):
        step_x, step_y = (high_x - low_x) / width, (high_y - low_y) / height
        x, y = number % width, number / width
        c = complex(low_x + x * step_x, low_y + y * step_y)
        z = 0.0j
        for i in range(rounds):
            z = z * z + c
            if (z.real * z.real + z.imag * z.imag) >= 4:
                return i
        return 255

    width, height = 30, 20
    numbers = np.arange(width * height, dtype=np.uint32)
    got = escape(numbers, *np.array([-2, 1, -1, 1], np.float32), np.uint32(width), np.uint32(height), np.uint32(15))
    assert got.dtype == np.uint8 and got.shape == (600,)
    c = -2 + (numbers % width) * (3 / width) + 1j * (-1 + (numbers / width) * (2 / height))
    z, wanted = np.zeros(600, complex), np.full(600, 255)
    for i in range(15):
        z = np.where(wanted == 255, z * z + c, z)
        wanted = np.where((wanted == 255) & (abs(z) >= 2), i, wanted)
    assert np.count_nonzero(got != wanted) <= 3  # points at the edge: theirs are floats


def test_a_polynomial_by_parts_on_a_stream(device):
    def discriminant(a, b, c):
        return math.sqrt(b**2 - 4 * a * c)

    there = vectorize(["float32(float32, float32, float32)", "float64(float64, float64, float64)"], target="cuda")(discriminant)
    n, parts = 8000, 8
    a, b, c = RNG.random(n).astype(np.float32), (RNG.random(n) + 10).astype(np.float32), RNG.random(n).astype(np.float32)
    d = np.empty_like(a)
    stream, kept = cuda.stream(), []
    with stream.auto_synchronize():
        for pa, pb, pc, pd in zip(*(np.split(x, parts) for x in (a, b, c, d)), strict=True):
            da, db, dc = (cuda.to_device(x, stream) for x in (pa, pb, pc))
            dd = cuda.to_device(pd, stream, copy=False)
            there(da, db, dc, out=dd, stream=stream)
            dd.copy_to_host(pd, stream)
            kept.extend([da, db, dc, dd])
    close(d, np.sqrt(b.astype(float) ** 2 - 4 * a * c), 1e-5)


def test_a_function_that_calls_a_function_of_the_device(device):
    for inline in ("always", True):

        @cuda.jit("float32(float32, float32, float32)", device=True, inline=inline)
        def inner(x, y, z):
            return x * y - z

        @vectorize(["float32(float32, float32, float32)"], target="cuda")
        def outer(x, y, z):
            return inner(x, y, z) / 2  # noqa: B023

        x, y, z = RNG.random((3, 100)).astype(np.float32)
        close(outer(x, y, z), (x * y - z) / 2, 1e-5, 1e-6)


def test_sums_of_functions_for_each_target(device):
    for target in ("cpu", "parallel", "cuda"):

        @vectorize(["int32(int32, int32)", "int64(int64, int64)", "float32(float32, float32)", "float64(float64, float64)"], target=target)
        def added(x, y):
            return x + y

        a, b = np.arange(8), np.linspace(0, 2, 8)
        np.testing.assert_array_equal(added(a, a), 2 * a)
        np.testing.assert_array_equal(added(b, b), 2 * b)
        with pytest.raises(TypeError, match="no signature takes"):
            added(b + 1j, b)
        grid = np.arange(20).reshape(4, 5)
        np.testing.assert_array_equal(added.reduce(grid, axis=0), grid.sum(0))
        np.testing.assert_array_equal(added.reduce(grid, axis=1), grid.sum(1))
        np.testing.assert_array_equal(added.accumulate(grid), np.cumsum(grid, 0))
        np.testing.assert_array_equal(added.accumulate(grid, axis=1), np.cumsum(grid, 1))

        @guvectorize(["(int64[:], int64[:], int64[:])"], "(n),()->(n)", target=target)
        def raised(x, y, out):
            for i in range(x.shape[0]):
                out[i] = x[i] + y[0]

        np.testing.assert_array_equal(raised(a, 3), a + 3)
        np.testing.assert_array_equal(raised(grid, 10), grid + 10)
        np.testing.assert_array_equal(raised(grid, np.arange(4)), grid + np.arange(4)[:, None])


# ---- examples/: several workers


def test_parts_of_a_bag_in_threads(device):
    @vectorize(["float32(float32)"], target="cuda")
    def sine(x):
        return math.sin(x)

    threads = 128

    @cuda.jit
    def of_one_block(x, out):
        own = cuda.shared.array(threads, dtype=float32)
        t, size = cuda.threadIdx.x, cuda.blockDim.x
        own[t] = 0
        for i in range(t, x.size, size):
            own[t] += x[i]
        cuda.syncthreads()
        if t == 0:
            for i in range(1, size):
                own[0] += own[i]
            out[0] = own[0]

    def summed(part):
        out = cuda.device_array(1, dtype=np.float32)
        of_one_block[1, threads](np.asarray(sine(np.asarray(part, dtype=np.float32)), dtype=np.float32), out)
        return out.copy_to_host()[0]

    numbers = RNG.random(3000)
    with concurrent.futures.ThreadPoolExecutor(4) as workers:
        got = sum(workers.map(summed, np.split(numbers, 6)))
    close(got, np.sin(numbers).sum(), 1e-4)


def test_parts_that_are_scattered_and_gathered(device):
    """What a program under MPI does in each process, one after the other; a launch without a grid raises an error that asks for one."""

    @cuda.jit
    def squared(x, out):
        for i in range(len(x)):
            v = x[i]
            out[i] = v * v + 2

    numbers, workers = np.arange(11, dtype=np.int32), 4
    counts = [len(numbers) // workers + (len(numbers) % workers > w) for w in range(workers)]
    starts = np.cumsum([0, *counts[:-1]])
    gathered = np.empty_like(numbers)
    for start, count in zip(starts, counts, strict=True):
        mine = numbers[start : start + count].copy()
        out = np.empty_like(mine)
        with pytest.raises(ValueError, match="Kernel launch configuration was not specified"):
            squared(mine, out)
        squared[1, 1](mine, out)
        gathered[start : start + count] = out
    np.testing.assert_array_equal(gathered, numbers**2 + 2)


def test_an_array_for_another_process(device):
    there = cuda.to_device(np.arange(10))
    with pytest.raises(NotImplementedError, match="sharing memory between processes is not supported"):
        there.get_ipc_handle()
    with pytest.raises(NotImplementedError, match="copy it through the host"):
        cuda.open_ipc_array(b"", (10,), np.int64)
