"""A process that makes thousands of kernels: what it keeps, and whether it gets slower.

    .venv/bin/python bench/many.py [--count 20000] [--only groups|kept|dropped] [--out FILE.json]

`groups`: array expressions, each of another form; `kept`: kernels whose objects the program keeps, each with a variable of its own;
`dropped`: kernels that it forgets. Each runs in a process of its own. Every result is checked. The first run compiles (20 ms each);
with QUERN_CACHE_DIR set, another one loads what is kept there. The run fails when descriptors or memory maps still grow after a
quarter of the way.
"""

import argparse
import gc
import os
import subprocess
import sys
import time

from measure import keep, report

KERNEL = """
__device__ int variable = {k};
extern "C" __global__ void f(int* x) {{ x[threadIdx.x] = x[threadIdx.x] * 2 + variable + {k}; }}
"""


def groups(qn, count):
    """Chains of operations, a form for each number: its digits choose them."""
    import numpy as np

    steps = [
        lambda v, m: v + 1,
        lambda v, m: v - 2,
        lambda v, m: v * 2,
        lambda v, m: -v,
        lambda v, m: abs(v),
        lambda v, m: m.minimum(v, 100),
        lambda v, m: m.maximum(v, -100),
    ]
    host = np.arange(4096, dtype="f4")
    device = qn.asarray(host)
    for k in range(count):
        a, b, number = device, host, k
        for _ in range(6):
            number, digit = divmod(number, len(steps))
            a, b = steps[digit](a, qn), steps[digit](b, np)
        if k % 100 == 0:
            assert (np.asarray(a) == b).all(), k
        else:
            assert float(a[17]) == b[17], k
        yield


def kernels(qn, count, are_kept):
    import numpy as np
    import quern

    kept = []
    x = qn.zeros(32, "i4")
    for k in range(count):
        x[...] = 3
        kernel = quern.RawKernel(KERNEL.format(k=k), "f")
        kernel((1,), (32,), (x,))
        assert int(x[31]) == 6 + 2 * k, k
        if are_kept:
            kept.append(kernel)
        yield
    for k in range(0, len(kept), 97):  # each has its own code and variable still
        x[...] = 3
        kept[k]((1,), (32,), (x,))
        assert (np.asarray(x) == 6 + 2 * k).all(), k


def state():
    with open("/proc/self/statm") as f:
        resident = int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    with open("/proc/self/maps") as f:
        maps = sum(1 for _ in f)
    return maps, len(os.listdir("/proc/self/fd")), resident


def run(what, count):
    import quern as qn

    work = groups(qn, count) if what == "groups" else kernels(qn, count, what == "kept")
    step = max(1, count // 20)
    points, start = [], time.perf_counter()
    for k, _ in enumerate(work, 1):
        if k % step == 0:
            gc.collect()
            milliseconds = 1e3 * (time.perf_counter() - start) / step
            maps, descriptors, resident = state()
            points.append((k, maps, descriptors))
            print(f"{what} {k:>7}: {maps} maps, {descriptors} descriptors, {resident:.0f} MiB, {milliseconds:.2f} ms each", flush=True)
            start = time.perf_counter()
    quarter, last = points[len(points) // 4 - 1], points[-1]
    # An arena of 16 MiB holds a thousand kernels or more and is two maps.
    most = 40 + 4 * (count - quarter[0]) // 1000
    if last[1] > quarter[1] + most or last[2] > quarter[2] + 4:
        raise SystemExit(f"{what}: maps and descriptors grow: {quarter} to {last}")
    print(f"{what}: level", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--only", choices=["groups", "kept", "dropped"])
    parser.add_argument("--here", action="store_true", help="in this process, as a part of a run")
    parser.add_argument("--out")
    options = parser.parse_args()
    if options.here:
        return run(options.only, options.count)
    failed = False
    for what in [options.only] if options.only else ["groups", "kept", "dropped"]:
        command = [sys.executable, __file__, "--here", "--only", what, "--count", str(options.count)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            for line in process.stdout:
                print(line, end="", flush=True)
                words = line.replace(",", " ").split()
                if line.startswith(f"{what} "):
                    last = dict(maps=int(words[2]), descriptors=int(words[4]), MiB=float(words[6]), ms=float(words[8]))
        failed |= process.returncode != 0
        for unit, value in last.items():
            report(f"{options.count} {what}", value, unit)
    if options.out:
        import quern
        keep(options.out, "bench/many.py", quern.device("cpu"))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
