"""Two coupled equations by the classical Runge-Kutta method, written as plain arrays; the mean of F drives both.

    dF/dt = -2i F - i delta (2 G - 1)        dG/dt = -i (conj(delta) F - delta conj(F))        delta = mean of F

The loop is an ordinary Python loop. Nothing in it waits for the device or copies: each step is recorded and goes out as one or two
launches, which the trace shows. Every step is compared with NumPy's; the mean is plotted to rk4.png.

    quern run examples/rk4.py [points]
"""

import sys
import time

import numpy as np
import quern as qn


def dF(F, G, delta):
    return -2j * F - 1j * delta * (2 * G - 1)


def dG(F, delta):
    return -1j * (delta.conj() * F - delta * F.conj())


def mean(F):
    return F.sum() / F.size


def step(F, G, delta, dt, mean=mean):
    G1, F1 = dG(F, delta), dF(F, G, delta)
    G2, F2 = dG(F + dt / 2 * F1, delta), dF(F + dt / 2 * F1, G + dt / 2 * G1, delta)
    G3, F3 = dG(F + dt / 2 * F2, delta), dF(F + dt / 2 * F2, G + dt / 2 * G2, delta)
    G4, F4 = dG(F + dt * F3, delta), dF(F + dt * F3, G + dt * G3, delta)
    F = F + dt / 6 * (F1 + 2 * F2 + 2 * F3 + F4)
    G = G + dt / 6 * (G1 + 2 * G2 + 2 * G3 + G4)
    return F, G, mean(F)


def start(xp, points):
    """The fields at time 0: a smooth pattern, the same for both packages."""
    x = np.linspace(0, 2 * np.pi, points, endpoint=False)
    pattern = np.cos(x)[:, None] * np.sin(2 * x)[None, :]
    F = xp.asarray((0.5 + 0.25 * pattern).astype(np.complex64))
    G = xp.asarray((0.5 - 0.25j * pattern).astype(np.complex64))
    return F, G, mean(F)


def solve(xp, points, steps, dt):
    """The mean of F after each step: arrays that are not evaluated yet."""
    F, G, delta = start(xp, points)
    deltas = [delta]
    for _ in range(steps):
        F, G, delta = step(F, G, delta, dt)
        deltas.append(delta)
    return deltas


def timed(points, steps, dt):
    """Milliseconds for all steps, from the first one to the last value, and the means."""
    qn.synchronize()
    begin = time.perf_counter()
    deltas = solve(qn, points, steps, dt)
    qn.synchronize()
    return 1e3 * (time.perf_counter() - begin), deltas


def count(points, steps, dt):
    """What the loop submits, by kind; it ends before a value is read."""
    F, G, delta = start(qn, points)
    qn.synchronize()
    with qn.trace() as events:
        for _ in range(steps):
            F, G, delta = step(F, G, delta, dt)
    kinds = [e["kind"] for e in events]
    return {kind: kinds.count(kind) for kind in sorted(set(kinds))}


def plot(deltas, dt, name):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    times = dt * np.arange(len(deltas))
    plt.figure(figsize=(7, 4))
    plt.plot(times, deltas.real, label="real part")
    plt.plot(times, deltas.imag, label="imaginary part")
    plt.xlabel("time")
    plt.ylabel("mean of F")
    plt.legend()
    plt.savefig(name, dpi=120)


def main(points=512, dt=0.01):
    timed(points, 100, dt)  # the first rounds compile
    for steps in (100, 1000):
        took, deltas = timed(points, steps, dt)
        ours = np.array([complex(delta) for delta in deltas])
        compared = steps if points <= 128 else 100
        theirs = np.array([complex(delta) for delta in solve(np, points, compared, dt)])
        error = np.abs(ours[: compared + 1] - theirs).max()
        assert np.isfinite(ours).all() and error < 1e-5, error
        print(f"{steps} steps: {took:.1f} ms, {took / steps:.3f} ms a step; {compared} steps differ from NumPy's by at most {error:.1e}")
    count(points, 60, dt)  # here nobody keeps the means: kernels of its own
    kinds = count(points, 200, dt)
    waits = sum(n for kind, n in kinds.items() if kind in ("wait", "host_to_device", "device_to_host", "device_to_device"))
    assert waits == 0 and kinds.get("compile", 0) == 0, kinds
    print(f"200 steps without evaluation: {kinds['launch']} launches, 0 copies, 0 waits, 0 compiles")
    plot(ours, dt, "rk4.png")
    print(f"rk4.png written; computed on {qn.device().name}")


if __name__ == "__main__":
    main(*(int(a) for a in sys.argv[1:2]))
