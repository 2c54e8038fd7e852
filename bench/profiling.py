"""What a profile costs: off, for each event, for whole programs, and the memory of a million events.

    python bench/profiling.py [--device cpu|cuda] [--out FILE.json]
"""

import argparse
import resource
import time

from measure import call_ns, keep, report  # isort: skip, finds quern

import numpy as np
import quern as qn
from quern.device import set_current_device
from quern.lib import _engine

KERNEL = 'extern "C" __global__ void add_one(float* x) { x[threadIdx.x] += 1; }'


def launches(kernel, x, count):
    for _ in range(count):
        kernel((1,), (32,), (x,))
    qn.synchronize()


def recordings(x, count):
    for _ in range(count):
        x + 1


def seconds(call, *arguments):
    start = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - start


def cost_off():
    """The same calls before any profile, and after one has ended."""
    kernel, x, y = qn.RawKernel(KERNEL, "add_one"), qn.zeros(32, dtype="float32"), qn.ones(100_000)
    calls = {"launch": lambda: kernel((1,), (32,), (x,)), "recording of x + 1": lambda: y + 1}
    before = {name: call_ns(call) for name, call in calls.items()}
    with qn.profile():
        launches(kernel, x, 1000)
    for name, call in calls.items():
        report(f"{name}, off again", call_ns(call), "ns", before[name], "before", "as before")


def cost_of_events(count=100_000):
    kernel, x = qn.RawKernel(KERNEL, "add_one"), qn.zeros(32, dtype="float32")
    launches(kernel, x, 1000)
    off = min(seconds(lambda: launches(kernel, x, count)) for _ in range(3))
    on = []
    for _ in range(3):
        with qn.profile() as p:
            on.append(seconds(lambda: launches(kernel, x, count)))
    events = len(p.recording.rows)
    report("launches, for each event", 1e6 * (min(on) - off) / events, "us", target="<= 5")
    y = qn.ones(100_000)
    small = count // 10

    def look():
        for _ in range(small):
            float(y[3])

    look()
    off = min(seconds(look) for _ in range(3))
    with qn.profile() as p:
        on = min(seconds(look) for _ in range(3))
    report("reading an element, for each event", 1e6 * (on - off) / (len(p.recording.rows) / 3), "us", target="<= 5")


def programs(size):
    rng = np.random.default_rng(0)
    a, b = (qn.asarray(rng.random(size, dtype=np.float32)) for _ in range(2))
    m = qn.asarray(rng.random((512, 512), dtype=np.float32))

    def heat():
        u = a
        for _ in range(100):
            u = u + np.float32(0.1) * (b - u)
            qn.sqrt(u * u + 1).sum().item()

    def products():
        x = m
        for _ in range(50):
            x = x @ m * np.float32(1e-2)
            x.max().item()

    def reductions():
        for _ in range(100):
            (a * b).sum().item()

    return {"heat": heat, "products of 512 x 512": products, "reductions": reductions}


def cost_of_programs(size):
    def once(run):
        run()
        qn.synchronize()

    for name, run in programs(size).items():
        once(run)
        off, on = [], []
        for _ in range(15):  # in turn: whatever else the machine does meets both
            off.append(1e3 * seconds(once, run))
            with qn.profile() as p:
                on.append(1e3 * seconds(once, run))
        kernel = float(np.median(p.recording.of_kind("launch")["device_ns"])) / 1e3
        report(f"{name}, kernels of {kernel:.0f} us, on", min(on), "ms", min(off), "off", "<= 1.1 where kernels take 50 us")


def a_million_events():
    kernel, x = qn.RawKernel(KERNEL, "add_one"), qn.zeros(32, dtype="float32")
    launches(kernel, x, 1000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with qn.profile() as p:
        launches(kernel, x, 1_000_000)
    events = len(p.recording.rows)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    report(f"{events:,} events, memory of each", 1024 * (after - before) / events, "bytes", target="bounded")
    took = seconds(lambda: (p.lines, p.advice, p.figures()))
    report("and their report", took, "s")
    report("with it, memory", 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / events, "bytes")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--out")
    parser.add_argument("--size", type=int, default=1_000_000, help="elements of the programs' arrays")
    options = parser.parse_args()
    device = qn.device(options.device)
    set_current_device(device)
    cost_off()
    cost_of_events()
    cost_of_programs(options.size if device.kind == "cpu" else 20 * options.size)
    a_million_events()
    print(_engine.trace_timing() or "no GPU")
    keep(options.out, "bench/profiling.py", device)


if __name__ == "__main__":
    main()
