"""Two coupled equations by the classical Runge-Kutta method, written as plain arrays; the mean of F drives both.

    dF/dt = -2i F - i delta (2 G - 1)        dG/dt = -i (conj(delta) F - delta conj(F))        delta = mean of F

The loop is an ordinary Python loop. Nothing in it waits for the device or copies: each step is recorded, and goes out as one or
two launches. Compared with NumPy, then plotted.
"""

import sys
import time

import numpy as np
import quern as qn
from quern import trace


def dF(F, G, delta):
    return -2j * F - 1j * delta * (2 * G - 1)


def dG(F, delta):
    return -1j * (delta.conj() * F - delta * F.conj())


def step(F, G, delta, dt):
    G1, F1 = dG(F, delta), dF(F, G, delta)
    G2, F2 = dG(F + dt / 2 * F1, delta), dF(F + dt / 2 * F1, G + dt / 2 * G1, delta)
    G3, F3 = dG(F + dt / 2 * F2, delta), dF(F + dt / 2 * F2, G + dt / 2 * G2, delta)
    G4, F4 = dG(F + dt * F3, delta), dF(F + dt * F3, G + dt * G3, delta)
    F = F + dt / 6 * (F1 + 2 * F2 + 2 * F3 + F4)
    G = G + dt / 6 * (G1 + 2 * G2 + 2 * G3 + G4)
    return F, G, F.sum() / F.size


def start(xp, n):
    """The fields at time 0: a smooth pattern, the same for both packages."""
    x = np.linspace(0, 2 * np.pi, n, endpoint=False)
    pattern = np.cos(x)[:, None] * np.sin(2 * x)[None, :]
    F = (0.5 + 0.25 * pattern).astype(np.complex64)
    G = (0.5 - 0.25j * pattern).astype(np.complex64)
    F, G = xp.asarray(F), xp.asarray(G)
    return F, G, F.sum() / F.size


def solve(xp, n, steps, dt):
    """delta after each step, as a list of 0-d arrays; nobody has looked at them yet."""
    F, G, delta = start(xp, n)
    deltas = [delta]
    for _ in range(steps):
        F, G, delta = step(F, G, delta, dt)
        deltas.append(delta)
    return deltas


def main(n=512, dt=0.01):
    deltas = {}
    for steps in (100, 1000):
        solve(qn, n, min(steps, 20), dt)  # compiles
        qn.synchronize()
        before = time.perf_counter()
        with trace.trace() as seen:
            deltas[steps] = solve(qn, n, steps, dt)
            recorded = time.perf_counter() - before
            inside = [r.kind for r in seen.so_far()] if hasattr(seen, "so_far") else None
        qn.synchronize()
        took = time.perf_counter() - before
        print(steps, recorded * 1e3, took * 1e3, inside)


if __name__ == "__main__":
    main(*(int(a) for a in sys.argv[1:2]))
