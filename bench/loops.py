"""Loops whose values are read now and then: how long the first iterations take with an empty cache, what is compiled, and steady rounds.

    python bench/loops.py [--device cpu|cuda] [--out FILE.json]

The loops differ in what stands in the way of cutting them alike: many operations, an in-place part, reductions, and many small arrays.
"""

import argparse
import time

from measure import call_ns, keep, median_ms, report  # isort: skip, finds quern

import numpy as np
import quern as qn
from quern.device import set_current_device


def runge_kutta(size):
    rng = np.random.default_rng(0)
    fields = [qn.asarray((rng.random((size, size)) + 1j * rng.random((size, size))).astype(np.complex64)) for _ in range(2)]
    step = 0.01

    def f(u, v):
        return 0.1j * (u * v - u) + 0.01 * v

    def g(u, v):
        return 0.2j * (v * u + v) - 0.02 * u

    def run(rounds):
        u, v = fields
        for _ in range(rounds):
            k1, l1 = f(u, v), g(u, v)
            k2, l2 = f(u + step / 2 * k1, v + step / 2 * l1), g(u + step / 2 * k1, v + step / 2 * l1)
            k3, l3 = f(u + step / 2 * k2, v + step / 2 * l2), g(u + step / 2 * k2, v + step / 2 * l2)
            k4, l4 = f(u + step * k3, v + step * l3), g(u + step * k3, v + step * l3)
            u, v = u + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4), v + step / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
        fields[:] = u, v

    return run


def heat(size):
    field = qn.asarray(np.random.default_rng(1).random((size, size), dtype=np.float32))

    def run(rounds):
        for _ in range(rounds):
            field[1:-1, 1:-1] += 0.1 * (field[2:, 1:-1] + field[:-2, 1:-1] + field[1:-1, 2:] + field[1:-1, :-2] - 4 * field[1:-1, 1:-1])

    return run


def momentum(arrays):
    values = [qn.asarray(np.ones(300 + 10 * n, np.float32)) for n in range(arrays)]
    slopes, speeds = [v * 0.1 for v in values], [v * 0 for v in values]

    def run(rounds):
        for _ in range(rounds):
            for value, slope, speed in zip(values, slopes, speeds, strict=True):
                speed *= 0.9
                speed += slope
                value -= 0.01 * speed

    return run


def normalised(rows):
    field = [qn.asarray(np.random.default_rng(2).random((rows, 512), dtype=np.float32))]

    def run(rounds):
        x = field[0]
        for _ in range(rounds):
            x = x - x.mean(1, keepdims=True)
            x = qn.tanh(x / (qn.sqrt((x * x).mean(1, keepdims=True)) + 1e-6))
        field[0] = x

    return run


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--out")
    options = parser.parse_args()
    on_gpu = options.device.startswith("cuda")
    device = qn.device("cuda:0" if on_gpu else "cpu")
    set_current_device(device)
    qn.asnumpy(qn.asarray(np.ones(5000)) + 1)  # the device is there
    loops = {
        "rk4, two complex fields": runge_kutta(512 if on_gpu else 128),
        "heat in place": heat(4096 if on_gpu else 512),
        "momentum of 200 arrays": momentum(200),
        "normalised rows": normalised(4096 if on_gpu else 256),
    }
    for name, run in loops.items():
        with qn.trace() as events:
            start = time.perf_counter()
            for rounds in (30, 7, 64, 13):
                run(rounds)
                qn.synchronize()
            cold = 1e3 * (time.perf_counter() - start)
        report(f"{name}: the first 114 rounds", cold, "ms")
        report(f"{name}: compiles", sum(event["kind"] == "compile" for event in events), "")
        report(f"{name}: 100 rounds", median_ms(lambda run=run: run(100), qn.synchronize, 9), "ms")
    x, y = qn.asarray(np.ones(1024)), qn.asarray(np.ones(1024))

    def step():
        nonlocal x
        x += 2 * y

    report("x += 2 * y, 1,024 float64", call_ns(step), "ns")
    keep(options.out, f"bench/loops.py --device {options.device}", device)


if __name__ == "__main__":
    main()
