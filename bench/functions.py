#!/usr/bin/env python3
"""Thirty functions at sizes from 1 to 10**7 elements, each result evaluated, compared with NumPy (on the CPU) or CuPy (on a GPU).

    python bench/functions.py [--device cpu|cuda] [--starts 5] [--largest 7] [--out FILE.json]

Each figure is the median over that many fresh processes of the median of one process. Ratios above the bar are listed last.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from functools import partial

from measure import keep, report  # isort: skip, finds quern
import numpy as np  # isort: skip

BAR = 1.05  # never slower than this much of the peer's time


FUNCTIONS = {
    "a + b": lambda m, a, b, c, i: a + b,
    "a * 2 + b": lambda m, a, b, c, i: a * 2 + b,
    "a / b": lambda m, a, b, c, i: a / b,
    "a - b > 0": lambda m, a, b, c, i: a - b > 0,
    "-a": lambda m, a, b, c, i: -a,
    "abs": lambda m, a, b, c, i: m.abs(a),
    "sqrt": lambda m, a, b, c, i: m.sqrt(a),
    "exp": lambda m, a, b, c, i: m.exp(a),
    "log": lambda m, a, b, c, i: m.log(b),
    "sin": lambda m, a, b, c, i: m.sin(a),
    "tanh": lambda m, a, b, c, i: m.tanh(a),
    "a ** 2": lambda m, a, b, c, i: a**2,
    "power": lambda m, a, b, c, i: m.power(b, 1.5),
    "maximum": lambda m, a, b, c, i: m.maximum(a, b),
    "clip": lambda m, a, b, c, i: m.clip(a, 0.2, 0.8),
    "where": lambda m, a, b, c, i: m.where(a > 0.5, a, b),
    "floor": lambda m, a, b, c, i: m.floor(b),
    "astype float32": lambda m, a, b, c, i: a.astype(m.float32),
    "integer sum": lambda m, a, b, c, i: i + i,
    "integer //": lambda m, a, b, c, i: i // 7,
    "complex product": lambda m, a, b, c, i: c * c,
    "sum": lambda m, a, b, c, i: a.sum(),
    "mean": lambda m, a, b, c, i: a.mean(),
    "max": lambda m, a, b, c, i: a.max(),
    "argmax": lambda m, a, b, c, i: m.argmax(a),
    "std": lambda m, a, b, c, i: a.std(),
    "cumsum": lambda m, a, b, c, i: m.cumsum(a),
    "sort": lambda m, a, b, c, i: m.sort(a),
    "a[::-1] + b": lambda m, a, b, c, i: a[::-1] + b,
    "a[i]": lambda m, a, b, c, i: a[i],
}


def median_us(call, look):
    begin = time.perf_counter()
    look(call())
    look(call())
    once = (time.perf_counter() - begin) / 2
    rounds = max(3, min(15, int(0.1 / max(once, 1e-7))))
    calls = max(1, min(1000, int(2e-3 / max(once, 1e-7))))
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(calls):
            look(call())
        times.append((time.perf_counter() - start) / calls)
    return 1e6 * statistics.median(times)


def one_process(device_name, largest):
    """{function: {size: [ours, the peer's]}} in microseconds."""
    import quern as qn
    from quern.device import set_current_device
    from quern.lib import _engine

    device = qn.device(device_name)
    set_current_device(device)
    if device.kind == "cpu":
        peer, make, look_peer = np, np.asarray, lambda r: r
    else:
        import cupy as peer

        make, look_peer = peer.asarray, lambda r: peer.cuda.Stream.null.synchronize()

    look = _engine.array_wait  # one call each, as the peer's
    out = {name: {} for name in FUNCTIONS}
    rng = np.random.default_rng(0)
    for power in range(largest + 1):
        n = 10**power
        a, b = rng.random(n), rng.random(n) + 1
        host = [a, b, a + 1j * b, rng.integers(0, n, n)]
        ours, theirs = [qn.asarray(h) for h in host], [make(h) for h in host]
        for name, f in FUNCTIONS.items():
            out[name][n] = [median_us(partial(f, qn, *ours), look), median_us(partial(f, peer, *theirs), look_peer)]
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--starts", type=int, default=5)
    parser.add_argument("--largest", type=int, default=7)
    parser.add_argument("--out", default=None)
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.once:
        print(json.dumps(one_process(options.device, options.largest)))
        return
    command = [sys.executable, __file__, "--once", "--device", options.device, "--largest", str(options.largest)]
    runs = [
        json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
        for _ in range(options.starts)
    ]
    import quern as qn

    device = qn.device(options.device)
    above = []
    for name in FUNCTIONS:
        for n in runs[0][name]:
            ours, theirs = (statistics.median(run[name][n][k] for run in runs) for k in (0, 1))
            report(f"{name}, {n}", ours, "us", theirs, "NumPy" if device.kind == "cpu" else "CuPy", f"<= {BAR}")
            if ours > BAR * theirs:
                above.append((ours / theirs, name, int(n)))
    print(f"\n{len(above)} of {len(FUNCTIONS) * len(runs[0]['sum'])} above {BAR}:")
    for ratio, name, n in sorted(above, reverse=True):
        print(f"  {ratio:6.2f}  {name}, {n}")
    keep(options.out, "bench/functions.py", device)


if __name__ == "__main__":
    main()
