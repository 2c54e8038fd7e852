#!/usr/bin/env python3
"""The speed of arrays, beside NumPy, Numba, CuPy and torch where they are installed.

    python bench/arrays.py [--device cpu|cuda] [--out FILE.json]

Every figure is the median of whole rounds: recorded, submitted and waited for. Peers are measured in the same run.
"""

import argparse
import platform
import time

from measure import call_ns, keep, median_ms, report  # isort: skip, finds quern
import numpy as np  # isort: skip
import quern as qn  # isort: skip
from quern.device import set_current_device  # isort: skip
from quern.lib import _engine  # isort: skip


def numba_fused():
    """The hand-written loop of the fused expression, or None."""
    try:
        import numba
    except ImportError:
        return None

    @numba.njit(parallel=True)
    def fused(a, b, c, out):
        for i in numba.prange(a.size):
            out[i] = (a[i] * b[i] + c[i]) / np.sqrt(a[i] + np.float32(1))

    return fused


def cupy_module(device):
    """CuPy, on a GPU where it is installed."""
    if device.kind == "cpu":
        return None
    try:
        import cupy
    except ImportError:
        return None
    return cupy


def evaluated(f):
    return lambda: _engine.array_evaluate(f())


CASES = {
    "(a*b+c)/sqrt(a+1), 20 M float32": lambda m, a, b, c, x: (a * b + c) / m.sqrt(a + 1),
    "exp, 20 M float32": lambda m, a, b, c, x: m.exp(a),
    "sum, 20 M float32": lambda m, a, b, c, x: a.sum(),
    "sqrt(sum(x**2, -1)), 1000x100x100 float64": lambda m, a, b, c, x: m.sqrt((x**2).sum(-1)),
    "sum over axis 0, 1000x100x100 float64": lambda m, a, b, c, x: x.sum(0),
    "x[::2, 1:] + 1, 1000x100x100 float64": lambda m, a, b, c, x: x[::2, 1:] + 1,
    "a[1:] - a[:-1], 20 M float32": lambda m, a, b, c, x: a[1:] - a[:-1],
}


def throughput(device):
    n = 20_000_000
    rng = np.random.default_rng(1)
    host = [rng.random(n, np.float32) for _ in range(3)] + [rng.random((1000, 100, 100))]
    ours = [qn.asarray(h) for h in host]
    cupy = cupy_module(device)
    theirs = [cupy.asarray(h) for h in host] if cupy else None
    for name, case in CASES.items():
        value = median_ms(evaluated(lambda case=case: case(qn, *ours)), qn.synchronize)
        if cupy:
            peer, peer_name = median_ms(lambda case=case: case(cupy, *theirs), cupy.cuda.Device().synchronize), "CuPy"
        else:
            peer, peer_name = median_ms(lambda case=case: case(np, *host), lambda: None, rounds=5, warm=1), "NumPy"
        report(name, value, "ms", peer, peer_name)
    fused = None if cupy else numba_fused()
    if fused:
        out = np.empty(n, np.float32)
        first = next(iter(CASES))
        value = median_ms(evaluated(lambda: CASES[first](qn, *ours)), qn.synchronize)
        report(first, value, "ms", median_ms(lambda: fused(*host[:3], out), lambda: None), "Numba", "<= 1.1")


def small_work(device):
    cupy = cupy_module(device)
    x, y = qn.asarray(np.ones(10)), qn.asarray(np.ones(10))
    peer = cupy or np
    u, v = peer.ones(10), peer.ones(10)
    report("a + b, 10 elements", call_ns(lambda: x + y), "ns", call_ns(lambda: u + v), "CuPy" if cupy else "NumPy")
    big = qn.asarray(np.ones(5000))
    report("recording a + b", call_ns(lambda: big + big), "ns", target="<= 120")
    s, t = qn.asarray(np.zeros(1024)), qn.asarray(np.ones(1024))
    p, q = peer.zeros(1024), peer.ones(1024)

    def ours():
        nonlocal s
        s += 2 * t

    def theirs():
        nonlocal p
        p += 2 * q

    report("x += 2*y, 1,024 float64", call_ns(ours, 5000), "ns", call_ns(theirs, 5000), "CuPy" if cupy else "NumPy", "<= 400")
    qn.synchronize()


def first_look(device):
    """A three-op expression never seen before, to its result."""
    x = qn.asarray(np.linspace(0, 1, 100_000))
    qn.synchronize()
    times = []
    for name in ("sin", "cos", "tan", "arctan", "sinh", "cosh", "tanh", "log1p", "expm1"):
        start = time.perf_counter()
        _engine.array_evaluate(getattr(qn, name)(x) * 2 - x)
        qn.synchronize()
        times.append(1e3 * (time.perf_counter() - start))
    report("a new three-op expression", sorted(times)[len(times) // 2], "ms", target="<= 60")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default=None)
    parser.add_argument("--out", default=None)
    options = parser.parse_args()
    device = qn.device(options.device)
    set_current_device(device)
    print(f"{device.info()['name']}, Python {platform.python_version()}, NumPy {np.__version__}\n")
    throughput(device)
    small_work(device)
    first_look(device)
    keep(options.out, "bench/arrays.py", device)


if __name__ == "__main__":
    main()
