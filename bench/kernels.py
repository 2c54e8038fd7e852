#!/usr/bin/env python3
"""Kernels written in Python, beside Numba's: numba-cuda on a GPU, njit(parallel=True) on the CPU.

    python bench/kernels.py [--device cpu|cuda] [--only TEXT] [--out FILE.json]

Every figure is a median. On a GPU the same source runs under both; on the CPU each kernel has a twin written for njit. Results are compared
before they are timed. With QUERN_PROGRAMS set, the programs there that tell their own times are run under both as well.
"""

import argparse
import math
import os
import platform
import re
import statistics
import subprocess
import sys
import time

from measure import ROOT, call_ns, keep, median_ms, report  # isort: skip, finds quern
import numpy as np  # isort: skip
import quern as qn  # isort: skip
from quern import cuda  # isort: skip
from quern.device import set_current_device  # isort: skip

try:
    if not hasattr(np, "row_stack"):
        np.row_stack = np.vstack  # older Numbas ask for it
    import numba
except ImportError:
    numba = None

arguments = argparse.ArgumentParser()
arguments.add_argument("--device", default="cuda" if qn.device().kind == "cuda" else "cpu")
arguments.add_argument("--only", default="")
arguments.add_argument("--out")
options = arguments.parse_args()
on_gpu = options.device == "cuda"
set_current_device(qn.device(options.device))
peer_name = "numba-cuda" if on_gpu else "njit(parallel)"


def peer_cuda():
    if numba is None or not on_gpu:
        return None
    from numba import cuda as theirs

    return theirs


def wanted(name):
    return options.only in name


# ---- kernels, for any module that is numba.cuda or stands for it


def kernels(cuda, float32, int32):
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
    def heat(u, out, c):
        i, j = cuda.grid(2)
        if 0 < i < u.shape[0] - 1 and 0 < j < u.shape[1] - 1:
            out[i, j] = u[i, j] + c * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4 * u[i, j])

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

    return {"add": add, "mandelbrot": mandelbrot, "matmul": matmul, "heat": heat, "histogram": histogram}


def twins():
    """The same for njit(parallel=True): (arrays) -> None."""
    if numba is None:
        return {}
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

    @njit(parallel=True, fastmath=True)
    def matmul(a, b, out):
        for i in prange(a.shape[0]):
            out[i, :] = 0
            for k in range(a.shape[1]):
                for j in range(b.shape[1]):
                    out[i, j] += a[i, k] * b[k, j]

    @njit(parallel=True)
    def heat(u, out, c):
        for i in prange(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                out[i, j] = u[i, j] + c * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4 * u[i, j])

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

    return {"add": add, "mandelbrot": mandelbrot, "matmul": matmul, "heat": heat, "histogram": histogram}


def cases():
    """Name -> (grid, block, the host arrays and numbers, the number of the argument that is the result)."""
    rng = np.random.default_rng(0)
    n = 20_000_000 if not on_gpu else 100_000_000
    side = 1024 if not on_gpu else 4096
    a, b = rng.random(n, dtype=np.float32), rng.random(n, dtype=np.float32)
    m = 512 if not on_gpu else 2048
    squares = rng.random((m, m), dtype=np.float32), rng.random((m, m), dtype=np.float32)
    u = rng.random((2 * side, 2 * side))
    tiles = -(-side // 16)
    return {
        f"add, {n // 10**6} M float32": ("add", -(-n // 256), 256, (a, b, np.zeros(n, np.float32)), 2),
        f"Mandelbrot, {side}x{side}, 200 steps": ("mandelbrot", (tiles, tiles), (16, 16), (np.zeros((side, side), np.int32), 200), 0),
        f"tiled matmul, {m} float32": ("matmul", (m // 16, m // 16), (16, 16), (*squares, np.zeros((m, m), np.float32)), 2),
        f"heat step, {2 * side}x{2 * side} float64": ("heat", (2 * tiles, 2 * tiles), (16, 16), (u, u.copy(), 0.1), 1),
        f"histogram, {n // 10**6} M": ("histogram", 512, 256, (rng.integers(0, 256, n).astype(np.uint8), np.zeros(256, np.int32)), 1),
    }


def measure_kernels():
    ours, twin, theirs = kernels(cuda, np.float32, np.int32), twins() if not on_gpu else {}, peer_cuda()
    other = kernels(theirs, numba.float32, numba.int32) if theirs else {}
    for name, (which, grid, block, args, result) in cases().items():
        if not wanted(name):
            continue
        mine = [cuda.to_device(x) if isinstance(x, np.ndarray) else x for x in args]
        launch = ours[which][grid, block]
        launch(*mine)
        value = mine[result].copy_to_host()
        figure = median_ms(lambda launch=launch, mine=mine: launch(*mine), cuda.synchronize, 9, 2)
        peer = None
        if theirs:
            yours = [theirs.to_device(x) if isinstance(x, np.ndarray) else x for x in args]
            other[which][grid, block](*yours)
            compare(name, value, yours[result].copy_to_host())
            peer = median_ms(lambda w=which, g=grid, b=block, y=yours: other[w][g, b](*y), theirs.synchronize, 9, 2)
        elif which in twin:
            host = [x.copy() if isinstance(x, np.ndarray) else x for x in args]
            twin[which](*host)
            compare(name, value, host[result])
            peer = median_ms(lambda w=which, h=host: twin[w](*h), lambda: None, 9, 2)
        report(name, figure, "ms", peer, peer_name if peer else "", ">= as fast")


def compare(name, mine, theirs):
    # Steps of Mandelbrot's formula at the edge of the set depend on the last bit.
    if np.count_nonzero(~np.isclose(mine, theirs, rtol=1e-3)) > mine.size // 1000:
        raise SystemExit(f"{name}: the results differ")


# ---- launches and first calls


def new_kernel(cuda, constant):
    """A number of its own makes it one that was never seen."""

    @cuda.jit
    def kernel(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = math.sqrt(x[i]) * constant + i

    return kernel


def measure_launches():
    theirs = peer_cuda()
    host = np.ones(1000, np.float32)

    def cost(module):
        arrays = [module.to_device(host) for _ in range(3)]
        add = kernels(module, np.float32, np.int32)["add"] if module is cuda else kernels(module, numba.float32, numba.int32)["add"]
        add[4, 256](*arrays)
        module.synchronize()
        return call_ns(lambda: add[4, 256](*arrays), calls=2000) / 1e3

    if wanted("launch"):
        report(
            "launch, three device arrays", cost(cuda), "us", cost(theirs) if theirs else None, peer_name if theirs else "", "<= 3 on a GPU"
        )
    if wanted("first"):
        times = {}
        for module in filter(None, (cuda, theirs)):
            array = module.to_device(host)
            figures = []
            for k in range(7):
                made = new_kernel(module, time.time_ns() % 1_000_003 + k)
                start = time.perf_counter()
                made[4, 256](array)
                module.synchronize()
                figures.append(1e3 * (time.perf_counter() - start))
            times[module] = statistics.median(figures[1:])
        report(
            *("first call of a new kernel", times[cuda], "ms", times.get(theirs), peer_name if theirs else ""),
            "<= 60" if on_gpu else "<= 30",
        )
    if wanted("NumPy arrays"):
        n = 20_000_000
        x = np.arange(n).astype(np.int32)
        y, out = 2 * x, np.zeros(n)
        add = kernels(cuda, np.float32, np.int32)["add"]
        figure = median_ms(lambda: add[-(-n // 1024), 1024](x, y, out), cuda.synchronize, 7, 2)
        peer = None
        if theirs:
            other = kernels(theirs, numba.float32, numba.int32)["add"]
            peer = median_ms(lambda: other[-(-n // 1024), 1024](x, y, out), theirs.synchronize, 5, 1)
        report("add of NumPy arrays, 20 M", figure, "ms", peer, peer_name if peer else "", "<= 15 on a GPU")


# ---- whole programs

AS_IS = """
import numpy as np, runpy, sys
np.row_stack = np.vstack
sys.path.insert(0, ".")
runpy.run_path(sys.argv[1], run_name="__main__")
"""


def measure_programs():
    folder = os.environ.get("QUERN_PROGRAMS")
    if not folder or not wanted("program"):
        return
    for file, label in (("numba_vecadd_auto.py", "gpu vector add time"), ("rk4_copies.py", "old time"), ("rk4_device.py", "new time")):
        ours = told([sys.executable, "-m", "quern", "run", file], folder, label)
        theirs = told([sys.executable, "-c", AS_IS, file], folder, label) if peer_cuda() else None
        report(f"program {file}: {label}", ours, "ms", theirs, peer_name if theirs else "")


def told(command, folder, label):
    """What the program prints behind `label`, in ms: the median of three runs; None where it fails."""
    env = dict(os.environ, QUERN_DEVICE=options.device)
    if sys.path[0] == os.path.join(ROOT, "python"):
        env["PYTHONPATH"] = os.pathsep.join(filter(None, [sys.path[0], env.get("PYTHONPATH")]))
    times = []
    for _ in range(3):
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=600)
        found = re.search(re.escape(label) + r":?\s+([\d.e-]+)", done.stdout)
        if not found:
            print(f"  {os.path.basename(command[-1])}: {(done.stderr or done.stdout).strip().splitlines()[-1:]}")
            return None
        times.append(1e3 * float(found[1]))
    return statistics.median(times)


def main():
    name = f"{qn.current_device().info()['name']}, Python {platform.python_version()}, NumPy {np.__version__}"
    print(f"{name}\nbeside {peer_name if numba else 'nothing: Numba is not installed'}\n", flush=True)
    measure_launches()
    measure_kernels()
    measure_programs()
    if options.out:
        keep(options.out, "bench/kernels.py", qn.current_device(), {peer_name: numba.__version__} if numba else None)


main()
