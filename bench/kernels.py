#!/usr/bin/env python3
"""Kernels written in Python, compared with Numba's: numba-cuda on a GPU, njit(parallel=True) on the CPU.

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
import tempfile
import time

from measure import ROOT, call_ns, keep, median_ms, report  # isort: skip, finds quern
from kernel_programs import cases, coupled, kernels, twins  # isort: skip
import kernel_programs  # isort: skip
import numpy as np  # isort: skip
import quern as qn  # isort: skip
from quern import cuda  # isort: skip
from quern.device import set_current_device  # isort: skip
from quern.numba import vectorize  # isort: skip

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
arguments.add_argument("--simulate", help=argparse.SUPPRESS)
options = arguments.parse_args()
on_gpu = options.device == "cuda"
set_current_device(qn.device(options.device))
peer_name = "numba-cuda" if on_gpu else "njit(parallel)"


def peer_cuda():
    if numba is None or not on_gpu:
        return None
    from numba import cuda as theirs
    from numba.cuda import random  # noqa: F401  an attribute of theirs from here on

    return theirs


def wanted(name):
    return options.only in name


def arguments_of(args, module, random, threads):
    """The arguments on the device; for njit (no module) copies."""
    place = module.to_device if module else np.copy
    made = {"states": lambda: random.create_xoroshiro128p_states(threads, 7) if random else None}
    return [made[x]() if isinstance(x, str) else place(x) if isinstance(x, np.ndarray) else x for x in args]


def measure_kernels():
    ours, theirs = kernels(cuda, cuda.random, np.float32, np.int32, np.int64), peer_cuda()
    twin = twins(numba) if numba and not on_gpu else {}
    other = kernels_of_numba(theirs) if theirs else {}
    for name, (which, grid, block, args, result) in cases(on_gpu).items():
        if not wanted(name):
            continue
        threads = args[result].size
        mine = arguments_of(args, cuda, cuda.random, threads)
        launch = ours[which][grid, block]
        launch(*mine)
        value = mine[result].copy_to_host()
        figure = median_ms(lambda launch=launch, mine=mine: launch(*mine), cuda.synchronize, 9, 2)
        peer = None
        if theirs:
            yours = arguments_of(args, theirs, theirs.random, threads)
            other[which][grid, block](*yours)
            compare(name, value, yours[result].copy_to_host())
            peer = median_ms(lambda w=which, g=grid, b=block, y=yours: other[w][g, b](*y), theirs.synchronize, 9, 2)
        elif which in twin:
            host = arguments_of(args, None, None, threads)
            twin[which](*host)
            compare(name, value, host[result])
            peer = median_ms(lambda w=which, h=host: twin[w](*h), lambda: None, 9, 2)
        report(name, figure, "ms", peer, peer_name if peer else "", ">= as fast")


def kernels_of_numba(module):
    return kernels(module, module.random, numba.float32, numba.int32, numba.int64)


def compare(name, mine, theirs):
    if name.startswith("Monte Carlo"):  # other generators give other numbers
        if abs(mine.mean() - theirs.mean()) > 1e-2:
            raise SystemExit(f"{name}: the results differ")
        return
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


def first_call(module):
    array = module.to_device(np.ones(1000, np.float32))
    figures = []
    for k in range(7):
        made = new_kernel(module, time.time_ns() % 1_000_003 + k)
        start = time.perf_counter()
        made[4, 256](array)
        module.synchronize()
        figures.append(1e3 * (time.perf_counter() - start))
    return statistics.median(figures[1:])


def first_call_of_njit():
    array = np.ones(1000, np.float32)
    figures = []
    for k in range(5):
        constant = time.time_ns() % 1_000_003 + k

        @numba.njit(parallel=True)
        def twin(x, constant=constant):
            for i in numba.prange(x.size):
                x[i] = math.sqrt(x[i]) * constant + i

        start = time.perf_counter()
        twin(array)
        figures.append(1e3 * (time.perf_counter() - start))
    return statistics.median(figures[1:])


KNOWN = """
import math, time
import numpy as np
from quern import cuda

@cuda.jit
def other(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = i

@cuda.jit
def kernel(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = math.sqrt(x[i]) * 3 + i

x = cuda.to_device(np.ones(1000, np.float32))
other[4, 256](x)
cuda.synchronize()
start = time.perf_counter()
kernel[4, 256](x)
cuda.synchronize()
print("took", time.perf_counter() - start)
"""


def known_call():
    """The context is there and another kernel has run, so that what is timed is the kernel's own."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "known.py"), "w") as out:
            out.write(KNOWN)
        return told([sys.executable, "known.py"], folder, "took", runs=8, after=1)


def measure_vectorize():
    """The two functions of a step of rk4_copies.py, 512x512 complex64 arrays of the host."""
    name = "two vectorize functions, 512x512 complex64"
    if not wanted(name) or on_gpu:
        return
    F, G = (np.full((512, 512), value, np.complex64) for value in (0.8 + 0.1j, 0.6))
    numbers = np.complex64(0.3), np.complex64(1e-4)
    out = [np.empty_like(F), np.empty_like(F)]

    def step(functions):
        for function, into in zip(functions, out, strict=True):
            function(G, F, *numbers, out=into)

    ours = coupled(cuda, vectorize, "cuda")
    step(ours)
    peer = None
    if numba:
        made = [a.copy() for a in out]
        other = coupled(None, numba.vectorize, "parallel", numba.njit)
        step(other)
        if not all(np.allclose(a, b, rtol=1e-5) for a, b in zip(made, out, strict=True)):
            raise SystemExit(f"{name}: the results differ")
        peer = median_ms(lambda: step(other), lambda: None, 15, 3)
    figure = median_ms(lambda: step(ours), cuda.synchronize, 15, 3)
    report(name, figure, "ms", peer, "vectorize(parallel)" if peer else "", "faster")


def measure_launches():
    theirs = peer_cuda()
    host = np.ones(1000, np.float32)

    def cost(module):
        arrays = [module.to_device(host) for _ in range(3)]
        add = kernels_of_numba(module)["add"] if module is theirs else kernels(cuda, cuda.random, np.float32, np.int32, np.int64)["add"]
        add[4, 256](*arrays)
        module.synchronize()
        return call_ns(lambda: add[4, 256](*arrays), calls=2000) / 1e3

    if wanted("launch"):
        report(
            "launch, three device arrays", cost(cuda), "us", cost(theirs) if theirs else None, peer_name if theirs else "", "<= 3 on a GPU"
        )
    if wanted("first"):
        figure = first_call(cuda)
        peer = first_call(theirs) if theirs else first_call_of_njit() if numba and not on_gpu else None
        report("first call of a new kernel", figure, "ms", peer, peer_name if peer else "", "<= 60" if on_gpu else "<= 30")
        report("first call of a known kernel, new process", known_call(), "ms", target="<= 2")
    if wanted("NumPy arrays"):
        n = 20_000_000
        x = np.arange(n).astype(np.int32)
        y, out = 2 * x, np.zeros(n)
        add = kernels(cuda, cuda.random, np.float32, np.int32, np.int64)["add"]
        figure = median_ms(lambda: add[-(-n // 1024), 1024](x, y, out), cuda.synchronize, 7, 2)
        peer = None
        if theirs:
            other = kernels_of_numba(theirs)["add"]
            peer = median_ms(lambda: other[-(-n // 1024), 1024](x, y, out), theirs.synchronize, 5, 1)
        report("add of NumPy arrays, 20 M", figure, "ms", peer, peer_name if peer else "", "<= 15 on a GPU")


# ---- Numba's simulator


def measure_simulator():
    """Small cases compared with numba.cuda's simulator, where it can run them."""
    if on_gpu or not numba or not wanted("simulator"):
        return
    ours = kernels(cuda, cuda.random, np.float32, np.int32, np.int64)
    for which, grid, block, args, _ in cases(False, is_small=True).values():
        env = dict(os.environ, NUMBA_ENABLE_CUDASIM="1")
        try:
            done = subprocess.run(
                [sys.executable, os.path.abspath(__file__), "--simulate", which], env=env, capture_output=True, text=True, timeout=60
            )
            found = re.search(r"took ([\d.e-]+)", done.stdout)
        except subprocess.TimeoutExpired:
            found = None
        if not found:
            print(f"  the simulator does not run {which}")
            continue
        mine = arguments_of(args, cuda, cuda.random, 256)
        figure = median_ms(lambda w=which, g=grid, b=block, m=mine: ours[w][g, b](*m), cuda.synchronize, 9, 2)
        report(f"{which}, small, beside the simulator", figure, "ms", 1e3 * float(found[1]), "simulator", ">= as fast")


def simulate(which):
    """In a process whose numba.cuda is the simulator: one case, timed."""
    from numba import cuda as theirs
    from numba.cuda import random  # noqa: F401

    kernel_programs.cuda = theirs

    class Current:  # the simulator puts its own module in place of a kernel's global numba.cuda
        def __getattr__(self, name):
            return getattr(kernel_programs.cuda, name)

    made = kernels(Current(), theirs.random, np.float32, np.int32, np.int64)[which]
    (case,) = [c for c in cases(False, is_small=True).values() if c[0] == which]
    _, grid, block, args, _ = case
    yours = arguments_of(args, theirs, theirs.random, 256)
    start = time.perf_counter()
    made[grid, block](*yours)
    print("took", time.perf_counter() - start)


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


def told(command, folder, label, runs=3, after=0):
    """What the program prints behind `label`, in ms: the median of some runs, the first `after` left out; None where it fails."""
    env = dict(os.environ, QUERN_DEVICE=options.device)
    if sys.path[0] == os.path.join(ROOT, "python"):
        env["PYTHONPATH"] = os.pathsep.join(filter(None, [sys.path[0], env.get("PYTHONPATH")]))
    times = []
    for _ in range(runs):
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=600)
        found = re.search(re.escape(label) + r":?\s+([\d.e-]+)", done.stdout)
        if not found:
            print(f"  {os.path.basename(command[-1])}: {(done.stderr or done.stdout).strip().splitlines()[-1:]}")
            return None
        times.append(1e3 * float(found[1]))
    return statistics.median(times[after:])


def main():
    name = f"{qn.current_device().info()['name']}, Python {platform.python_version()}, NumPy {np.__version__}"
    print(f"{name}\nbeside {peer_name if numba else 'nothing: Numba is not installed'}\n", flush=True)
    measure_launches()
    measure_vectorize()
    measure_kernels()
    measure_simulator()
    measure_programs()
    if options.out:
        keep(options.out, "bench/kernels.py", qn.current_device(), {peer_name: numba.__version__} if numba else None)


simulate(options.simulate) if options.simulate else main()
