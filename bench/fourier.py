#!/usr/bin/env python3
"""Fourier transforms on the CPU compared with scipy.fft with one worker for each core, or with numpy.fft where SciPy is missing.

    python bench/fourier.py [--only TEXT] [--seconds 0.5] [--out FILE.json]

Both sides take turns in one process; a figure is the least of many rounds, so that what else the machine does counts little; a row above 1
is measured once more, for longer. Results are compared: the largest difference over the largest number, in units of the type's rounding,
stands beside each row, and fails the run above 20.
"""

import argparse
import math
import os
import time
from functools import partial

from measure import keep, report  # isort: skip, finds quern
import numpy as np  # isort: skip
import quern as qn  # isort: skip
from quern.device import set_current_device  # isort: skip
from quern.lib import _engine  # isort: skip

LINES = [64, 1000, 1009, 4096, 10000, 10007, 65536, 100000, 1 << 20, 10**6, 3**12, 1 << 22]
ROWS = [(64, 4096), (1000, 1000), (10000, 100), (100000, 8), (100000, 16), (50000, 17), (3000, 243), (16, 65536), (300, 1009), (2000, 101)]
PLANES = [(128, 128), (512, 512), (1000, 1000), (2048, 2048), (243, 343), (31, 997), (64, 64, 64), (100, 100, 100), (256, 256, 64)]


def cases():
    """(function, shape, type, axis) as scipy.fft and quern.fft spell them."""
    for n in LINES:
        yield from (("fft", (n,), t, -1) for t in ("complex128", "complex64"))
        yield from (("rfft", (n,), t, -1) for t in ("float64", "float32"))
    for shape in ROWS:
        for axis in (-1, 0):
            yield from (("fft", shape, t, axis) for t in ("complex128", "complex64"))
            yield from (("rfft", shape, t, axis) for t in ("float64", "float32"))
            yield "irfft", shape, "complex64", axis
    for shape in PLANES:
        yield from (("fftn", shape, t, None) for t in ("complex128", "complex64"))
        yield from (("rfftn", shape, t, None) for t in ("float64", "float32"))
        yield "irfftn", shape, "complex64", None


def least(ours, theirs, seconds):
    """The least time of each, in microseconds."""
    ours(), theirs()
    clock, best, rounds = time.perf_counter, [math.inf, math.inf], 0
    end = clock() + seconds
    while clock() < end or rounds < 5:
        begin = clock()
        ours()
        middle = clock()
        theirs()
        best = [min(best[0], middle - begin), min(best[1], clock() - middle)]
        rounds += 1
    return [1e6 * value for value in best]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu", choices=["cpu"])
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--out", default=None)
    options = parser.parse_args()
    try:
        import scipy
        from scipy import fft as peer

        peer_name, more = "SciPy", {"workers": os.cpu_count()}
    except ImportError:
        peer, peer_name, more = np.fft, "NumPy", {}
    device = qn.device(options.device)
    set_current_device(device)
    rng, ratios, wrong = np.random.default_rng(0), [], []
    for function, shape, dtype, axis in cases():
        name = f"{function} {'x'.join(map(str, shape))} {dtype}" + (f", axis {axis}" if axis is not None and len(shape) > 1 else "")
        if options.only not in name:
            continue
        x = rng.standard_normal(shape)
        x = (x + 1j * rng.standard_normal(shape) if dtype.startswith("complex") else x).astype(dtype)
        a = qn.asarray(x)
        keywords = {} if axis is None else {"axis": axis}
        ours, theirs = partial(getattr(qn.fft, function), a, **keywords), partial(getattr(peer, function), x, **keywords, **more)
        want = theirs()
        off = np.abs(ours().get() - want).max() / np.abs(want).max() / np.finfo(want.dtype).eps
        if not off < 20:
            wrong.append(name)
        mine, other = least(lambda ours=ours: _engine.array_wait(ours()), theirs, options.seconds)
        if mine > other:
            mine, other = least(lambda ours=ours: _engine.array_wait(ours()), theirs, 8 * options.seconds)
        ratios.append(mine / other)
        report(name, mine, "us", other, peer_name, f"<= 1.0, off by {off:.1f}")
    above = sum(ratio > 1 for ratio in ratios)
    print(f"\n{len(ratios)} rows: geometric mean {math.exp(np.log(ratios).mean()):.3f}, largest {max(ratios):.2f}, {above} above 1")
    keep(options.out, "bench/fourier.py", device, {"scipy": scipy.__version__} if peer_name == "SciPy" else None)
    if wrong:
        raise SystemExit(f"other results than {peer_name}'s: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
