"""The ten programs that bench/kernels.py times: kernels for any module that stands for numba.cuda, and their twins for njit.

kernels() and twins() give functions by name, cases() what they are called with. A twin takes the same arguments as the kernel.
"""

import math

import numpy as np

RADIUS = 3
WARP, ALL = 32, 0xFFFFFFFF


def _kernels_of_elements(cuda):
    """Each element by itself."""

    @cuda.jit
    def add(a, b, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = a[i] + b[i]

    @cuda.jit
    def mandelbrot(out, most):
        i, j = cuda.grid(2)
        if i < out.shape[0] and j < out.shape[1]:
            cr = -2 + 3 * j / out.shape[1]
            ci = -1.5 + 3 * i / out.shape[0]
            x = y = 0.0
            n = 0
            while n < most and x * x + y * y < 4:
                x, y = x * x - y * y + cr, 2 * x * y + ci
                n += 1
            out[i, j] = n

    @cuda.jit(device=True)
    def normal(d):
        return 0.5 + 0.5 * math.erf(d * math.sqrt(0.5))

    @cuda.jit
    def black_scholes(stock, strike, years, call, put):
        i = cuda.grid(1)
        if i < stock.size:
            spread = 0.3 * math.sqrt(years[i])
            d = (math.log(stock[i] / strike[i]) + 0.065 * years[i]) / spread
            later = strike[i] * math.exp(-0.02 * years[i])
            call[i] = stock[i] * normal(d) - later * normal(d - spread)
            put[i] = call[i] - stock[i] + later

    return dict(add=add, mandelbrot=mandelbrot, black_scholes=black_scholes)


def _kernels_of_neighbours(cuda):
    """Elements and their neighbours."""

    @cuda.jit
    def heat(u, out, c):
        i, j = cuda.grid(2)
        if 0 < i < u.shape[0] - 1 and 0 < j < u.shape[1] - 1:
            out[i, j] = u[i, j] + c * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4 * u[i, j])

    @cuda.jit
    def heat_synced(u, v, c, rounds):
        grid = cuda.cg.this_grid()
        rows, columns = u.shape
        for _ in range(rounds):
            for i in range(1 + cuda.blockIdx.x, rows - 1, cuda.gridDim.x):
                for j in range(1 + cuda.threadIdx.x, columns - 1, cuda.blockDim.x):
                    v[i, j] = u[i, j] + c * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4 * u[i, j])
            grid.sync()
            for i in range(1 + cuda.blockIdx.x, rows - 1, cuda.gridDim.x):
                for j in range(1 + cuda.threadIdx.x, columns - 1, cuda.blockDim.x):
                    u[i, j] = v[i, j] + c * (v[i - 1, j] + v[i + 1, j] + v[i, j - 1] + v[i, j + 1] - 4 * v[i, j])
            grid.sync()

    @cuda.jit
    def life(cells, out):
        i, j = cuda.grid(2)
        rows, columns = cells.shape
        if i < rows and j < columns:
            alive = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    alive += cells[(i + di) % rows, (j + dj) % columns]
            alive -= cells[i, j]
            out[i, j] = alive == 3 or (alive == 2 and cells[i, j] == 1)

    @cuda.jit
    def bilateral(image, out):
        i, j = cuda.grid(2)
        rows, columns = image.shape
        if i < rows and j < columns:
            total = 0.0
            weights = 0.0
            for di in range(-RADIUS, RADIUS + 1):
                for dj in range(-RADIUS, RADIUS + 1):
                    y = min(max(i + di, 0), rows - 1)
                    x = min(max(j + dj, 0), columns - 1)
                    difference = image[y, x] - image[i, j]
                    weight = math.exp(-(di * di + dj * dj) / 8.0 - difference * difference / 0.02)
                    total += weight * image[y, x]
                    weights += weight
            out[i, j] = total / weights

    return dict(heat=heat, heat_synced=heat_synced, life=life, bilateral=bilateral)


def _kernels_of_blocks(cuda, float32, int32, int64):
    """Blocks that share memory."""

    @cuda.jit
    def matmul(a, b, out):
        left = cuda.shared.array((16, 16), float32)
        right = cuda.shared.array((16, 16), float32)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        column, row = cuda.grid(2)
        total = float32(0.0)
        for tile in range(a.shape[1] // 16):
            left[ty, tx] = a[row, tile * 16 + tx]
            right[ty, tx] = b[tile * 16 + ty, column]
            cuda.syncthreads()
            for k in range(16):
                total += left[ty, k] * right[k, tx]
            cuda.syncthreads()
        out[row, column] = total

    @cuda.jit
    def histogram(x, out):
        room = cuda.shared.array(256, int32)
        t = cuda.threadIdx.x
        room[t] = 0
        cuda.syncthreads()
        for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
            cuda.atomic.add(room, int(x[i]), 1)
        cuda.syncthreads()
        cuda.atomic.add(out, t, room[t])

    @cuda.jit(device=True)
    def within_warp(value):
        distance = 1
        while distance < WARP:
            other = cuda.shfl_up_sync(ALL, value, distance)
            if cuda.laneid >= distance:
                value += other
            distance *= 2
        return value

    @cuda.jit
    def prefix(x, out):
        warps = cuda.shared.array(8, int64)
        i, warp = cuda.grid(1), cuda.threadIdx.x // WARP
        value = within_warp(x[i])
        if cuda.laneid == WARP - 1:
            warps[warp] = value
        cuda.syncthreads()
        for earlier in range(warp):
            value += warps[earlier]
        out[i] = value

    return dict(matmul=matmul, histogram=histogram, prefix=prefix)


def _kernels_of_sums(cuda, random):
    """Sums of draws and of clusters."""

    @cuda.jit
    def monte_carlo(states, draws, out):
        i = cuda.grid(1)
        inside = 0
        for _ in range(draws):
            x = random.xoroshiro128p_uniform_float32(states, i)
            y = random.xoroshiro128p_uniform_float32(states, i)
            if x * x + y * y <= 1:
                inside += 1
        out[i] = 4.0 * inside / draws

    @cuda.jit
    def nearest(points, centres, labels, sums, counts):
        i = cuda.grid(1)
        if i < points.shape[0]:
            best, least = 0, 1e300
            for k in range(centres.shape[0]):
                distance = 0.0
                for d in range(points.shape[1]):
                    difference = points[i, d] - centres[k, d]
                    distance += difference * difference
                if distance < least:
                    best, least = k, distance
            labels[i] = best
            cuda.atomic.add(counts, best, 1)
            for d in range(points.shape[1]):
                cuda.atomic.add(sums, (best, d), points[i, d])

    return dict(monte_carlo=monte_carlo, nearest=nearest)


def kernels(cuda, random, float32, int32, int64):
    """Name -> kernel. ``cuda`` and ``random``: numba.cuda and numba.cuda.random or what stands for them."""
    blocks = _kernels_of_blocks(cuda, float32, int32, int64)
    return _kernels_of_elements(cuda) | _kernels_of_neighbours(cuda) | blocks | _kernels_of_sums(cuda, random)


def _twins_of_elements(numba):
    """Each element by itself."""
    njit, prange = numba.njit, numba.prange

    @njit(parallel=True)
    def add(a, b, out):
        for i in prange(out.size):
            out[i] = a[i] + b[i]

    @njit(parallel=True)
    def mandelbrot(out, most):
        for i in prange(out.shape[0]):
            for j in range(out.shape[1]):
                cr = -2 + 3 * j / out.shape[1]
                ci = -1.5 + 3 * i / out.shape[0]
                x = y = 0.0
                n = 0
                while n < most and x * x + y * y < 4:
                    x, y = x * x - y * y + cr, 2 * x * y + ci
                    n += 1
                out[i, j] = n

    @njit
    def normal(d):
        return 0.5 + 0.5 * math.erf(d * math.sqrt(0.5))

    @njit(parallel=True)
    def black_scholes(stock, strike, years, call, put):
        for i in prange(stock.size):
            spread = 0.3 * math.sqrt(years[i])
            d = (math.log(stock[i] / strike[i]) + 0.065 * years[i]) / spread
            later = strike[i] * math.exp(-0.02 * years[i])
            call[i] = stock[i] * normal(d) - later * normal(d - spread)
            put[i] = call[i] - stock[i] + later

    return dict(add=add, mandelbrot=mandelbrot, black_scholes=black_scholes)


def _twins_of_neighbours(numba):
    """Elements and their neighbours."""
    njit, prange = numba.njit, numba.prange

    @njit(parallel=True)
    def heat(u, out, c):
        for i in prange(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                out[i, j] = u[i, j] + c * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4 * u[i, j])

    @njit(parallel=True)
    def heat_synced(u, v, c, rounds):
        rows, columns = u.shape
        for _ in range(rounds):
            for i in prange(1, rows - 1):
                for j in range(1, columns - 1):
                    v[i, j] = u[i, j] + c * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4 * u[i, j])
            for i in prange(1, rows - 1):
                for j in range(1, columns - 1):
                    u[i, j] = v[i, j] + c * (v[i - 1, j] + v[i + 1, j] + v[i, j - 1] + v[i, j + 1] - 4 * v[i, j])

    @njit(parallel=True)
    def life(cells, out):
        rows, columns = cells.shape
        for i in prange(rows):
            for j in range(columns):
                alive = 0
                for di in range(-1, 2):
                    for dj in range(-1, 2):
                        alive += cells[(i + di) % rows, (j + dj) % columns]
                alive -= cells[i, j]
                out[i, j] = alive == 3 or (alive == 2 and cells[i, j] == 1)

    @njit(parallel=True)
    def bilateral(image, out):
        rows, columns = image.shape
        for i in prange(rows):
            for j in range(columns):
                total = 0.0
                weights = 0.0
                for di in range(-RADIUS, RADIUS + 1):
                    for dj in range(-RADIUS, RADIUS + 1):
                        y = min(max(i + di, 0), rows - 1)
                        x = min(max(j + dj, 0), columns - 1)
                        difference = image[y, x] - image[i, j]
                        weight = math.exp(-(di * di + dj * dj) / 8.0 - difference * difference / 0.02)
                        total += weight * image[y, x]
                        weights += weight
                out[i, j] = total / weights

    return dict(heat=heat, heat_synced=heat_synced, life=life, bilateral=bilateral)


def _twins_of_blocks(numba):
    """Blocks that share memory."""
    njit, prange = numba.njit, numba.prange

    @njit(parallel=True, fastmath=True)
    def matmul(a, b, out):
        for i in prange(a.shape[0]):
            out[i, :] = 0
            for k in range(a.shape[1]):
                for j in range(b.shape[1]):
                    out[i, j] += a[i, k] * b[k, j]

    @njit(parallel=True)
    def histogram(x, out):
        parts = numba.get_num_threads()
        rooms = np.zeros((parts, 256), np.int32)
        for p in prange(parts):
            for i in range(p * x.size // parts, (p + 1) * x.size // parts):
                rooms[p, x[i]] += 1
        for p in range(parts):
            for k in range(256):
                out[k] += rooms[p, k]

    @njit(parallel=True)
    def prefix(x, out):
        for block in prange(x.size // 256):
            total = 0
            for i in range(block * 256, block * 256 + 256):
                total += x[i]
                out[i] = total

    return dict(matmul=matmul, histogram=histogram, prefix=prefix)


def _twins_of_sums(numba):
    """Sums of draws and of clusters."""
    njit, prange = numba.njit, numba.prange

    @njit(parallel=True)
    def monte_carlo(states, draws, out):
        for i in prange(out.size):
            inside = 0
            for _ in range(draws):
                x, y = np.float32(np.random.random()), np.float32(np.random.random())
                if x * x + y * y <= 1:
                    inside += 1
            out[i] = 4.0 * inside / draws

    @njit(parallel=True)
    def nearest(points, centres, labels, sums, counts):
        parts, (k_most, axes) = numba.get_num_threads(), centres.shape
        own_sums, own_counts = np.zeros((parts, k_most, axes)), np.zeros((parts, k_most), np.int64)
        for p in prange(parts):
            for i in range(p * points.shape[0] // parts, (p + 1) * points.shape[0] // parts):
                best, least = 0, 1e300
                for k in range(k_most):
                    distance = 0.0
                    for d in range(axes):
                        difference = points[i, d] - centres[k, d]
                        distance += difference * difference
                    if distance < least:
                        best, least = k, distance
                labels[i] = best
                own_counts[p, best] += 1
                for d in range(axes):
                    own_sums[p, best, d] += points[i, d]
        for p in range(parts):
            for k in range(k_most):
                counts[k] += own_counts[p, k]
                for d in range(axes):
                    sums[k, d] += own_sums[p, k, d]

    return dict(monte_carlo=monte_carlo, nearest=nearest)


def twins(numba):
    """Name -> the same for njit(parallel=True)."""
    return _twins_of_elements(numba) | _twins_of_neighbours(numba) | _twins_of_blocks(numba) | _twins_of_sums(numba)


def coupled(cuda, vectorize, target, njit=None):
    """A Runge-Kutta step of two coupled equations as two functions of arrays, (G, F, delta, dt) -> the new F or G."""
    inner = njit or cuda.jit(device=True)

    @inner
    def slope_f(F, G, delta):
        return -2j * F - 1j * delta * (2 * G - 1)

    @inner
    def slope_g(F, delta):
        return -1j * (delta.conjugate() * F - delta * F.conjugate())

    @vectorize(["c8(c8,c8,c8,c8)"], target=target)
    def step_f(G, F, delta, dt):
        F1, G1 = slope_f(F, G, delta), slope_g(F, delta)
        F2, G2 = slope_f(F + dt / 2 * F1, G + dt / 2 * G1, delta), slope_g(F + dt / 2 * F1, delta)
        F3, G3 = slope_f(F + dt / 2 * F2, G + dt / 2 * G2, delta), slope_g(F + dt / 2 * F2, delta)
        F4 = slope_f(F + dt * F3, G + dt * G3, delta)
        return F + dt / 6 * (F1 + 2 * F2 + 2 * F3 + F4)

    @vectorize(["c8(c8,c8,c8,c8)"], target=target)
    def step_g(G, F, delta, dt):
        F1, G1 = slope_f(F, G, delta), slope_g(F, delta)
        F2, G2 = slope_f(F + dt / 2 * F1, G + dt / 2 * G1, delta), slope_g(F + dt / 2 * F1, delta)
        F3, G3 = slope_f(F + dt / 2 * F2, G + dt / 2 * G2, delta), slope_g(F + dt / 2 * F2, delta)
        G4 = slope_g(F + dt * F3, delta)
        return G + dt / 6 * (G1 + 2 * G2 + 2 * G3 + G4)

    return step_f, step_g


def cases(on_gpu, is_small=False):
    """Label -> (name, grid, block, the host arrays and numbers, the number of the argument that is the result).

    ``is_small``: of sizes for which every thread may be one of Python's.

    "states" among the arguments stands for the states of as many generators as there are threads.
    """
    rng = np.random.default_rng(0)
    n = 2560 if is_small else 20_000_000 if not on_gpu else 100_000_000
    side = 32 if is_small else 1024 if not on_gpu else 4096
    a, b = rng.random(n, dtype=np.float32), rng.random(n, dtype=np.float32)
    m = 32 if is_small else 512 if not on_gpu else 2048
    squares = rng.random((m, m), dtype=np.float32), rng.random((m, m), dtype=np.float32)
    u = rng.random((2 * side, 2 * side))
    tiles = -(-side // 16)
    few, threads = n // 10, 256 if is_small else 1024 if not on_gpu else 1024 * 1024
    prices = rng.uniform(5, 30, few), rng.uniform(1, 100, few), rng.uniform(0.25, 10, few)
    points, centres = rng.normal(0, 4, (few, 2)), rng.normal(0, 4, (8, 2))
    square = rng.random((side // 2, side // 2))
    return {
        f"add, {n // 10**6} M float32": ("add", -(-n // 256), 256, (a, b, np.zeros(n, np.float32)), 2),
        f"Mandelbrot, {side}x{side}, 200 steps": ("mandelbrot", (tiles, tiles), (16, 16), (np.zeros((side, side), np.int32), 200), 0),
        f"tiled matmul, {m} float32": ("matmul", (m // 16, m // 16), (16, 16), (*squares, np.zeros((m, m), np.float32)), 2),
        f"game of life, {side}x{side}": (
            *("life", (tiles, tiles), (16, 16)),
            *((rng.integers(0, 2, (side, side)).astype(np.uint8), np.zeros((side, side), np.uint8)), 1),
        ),
        f"histogram, {n // 10**6} M": (
            "histogram",
            2 if is_small else 512,
            256,
            (rng.integers(0, 256, n).astype(np.uint8), np.zeros(256, np.int32)),
            1,
        ),
        f"prefix sums of blocks, {n // 256 * 256 // 10**6} M int64": (
            *("prefix", n // 256, 256),
            *((rng.integers(0, 100, n // 256 * 256), np.zeros(n // 256 * 256, np.int64)), 1),
        ),
        f"Monte Carlo, {threads} threads, 1,000 draws": (
            "monte_carlo",
            threads // 256,
            256,
            ("states", 10 if is_small else 1000, np.zeros(threads)),
            2,
        ),
        f"heat step, {2 * side}x{2 * side} float64": ("heat", (2 * tiles, 2 * tiles), (16, 16), (u, u.copy(), 0.1), 1),
        f"heat with grid sync, {side // 2}x{side // 2}, 20 steps": (
            *("heat_synced", 2 if is_small else 8 if not on_gpu else 264, 64 if is_small else 256),
            *((square, square.copy(), 0.1, 10), 0),
        ),
        f"bilateral filter, {side}x{side} float64": (
            *("bilateral", (tiles, tiles), (16, 16)),
            *((rng.random((side, side)), np.zeros((side, side))), 1),
        ),
        f"Black-Scholes, {few // 10**6} M float64": ("black_scholes", -(-few // 256), 256, (*prices, np.zeros(few), np.zeros(few)), 3),
        f"k-means, {few // 10**6} M points, 8 centres": (
            *("nearest", -(-few // 256), 256),
            *((points, centres, np.zeros(few, np.int32), np.zeros((8, 2)), np.zeros(8, np.int32)), 2),
        ),
    }
