"""Patterns that two reacting substances draw while they spread: the model of Gray and Scott, written with slices.

One substance feeds the other and both diffuse at their own speed: branches grow until they fill the square. Both fields are views
into arrays with a border, changed in place. Nothing in the loop waits for the device or copies; the fields are compared with NumPy's
and one is drawn.

    quern run examples/gray_scott.py [--size 192] [--steps 2000] [--out gray_scott.png]
"""

import argparse
import time

import numpy as np
import quern as qn


def start(xp, size):
    """The fields with their borders: all feed, and some squares of the other substance and a little noise."""
    rng = np.random.default_rng(3)
    u, v = np.ones((size, size), np.float32), np.zeros((size, size), np.float32)
    for y, x in rng.integers(size // 10, 8 * size // 10, (12, 2)):
        u[y : y + size // 10, x : x + size // 10] = 0.5
        v[y : y + size // 10, x : x + size // 10] = 0.25
    v[1:-1, 1:-1] += 0.01 * rng.random((size - 2, size - 2), dtype=np.float32)
    return xp.asarray(u), xp.asarray(v)


def laplace(a):
    return a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] - 4 * a[1:-1, 1:-1]


def react(fields, steps, feed=0.06, kill=0.062):
    """`steps` steps of time, in place."""
    U, V = fields
    u, v = U[1:-1, 1:-1], V[1:-1, 1:-1]
    for _ in range(steps):
        change = u * v * v
        du = 0.16 * laplace(U) - change + feed * (1 - u)
        dv = 0.08 * laplace(V) + change - (feed + kill) * v
        u += du
        v += dv


def timed(fields, steps):
    """Seconds until the fields have their last values."""
    qn.synchronize()
    begin = time.perf_counter()
    react(fields, steps)
    qn.synchronize()
    return time.perf_counter() - begin


def count(fields, steps):
    """What the steps submit, by kind."""
    qn.synchronize()
    with qn.trace() as events:
        react(fields, steps)
        qn.synchronize()
    kinds = [e["kind"] for e in events]
    return {kind: kinds.count(kind) for kind in sorted(set(kinds))}


def draw(field, name):
    try:
        import matplotlib.image
    except ImportError:
        return "no picture: matplotlib is not here"
    matplotlib.image.imsave(name, field, cmap="magma")
    return f"wrote {name}"


def main():
    parser = argparse.ArgumentParser(description="patterns of reacting substances")
    parser.add_argument("--size", type=int, default=192, help="points along an edge, at least 32")
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--out", default="gray_scott.png", help="the picture")
    args = parser.parse_args()

    few = min(args.steps, 200)
    count(start(qn, args.size), few)  # the first round compiles
    kinds = count(start(qn, args.size), few)
    copies = sum(n for kind, n in kinds.items() if kind in ("host_to_device", "device_to_host", "device_to_device"))
    assert copies == 0 and kinds["wait"] == 1, kinds

    ours, theirs = start(qn, args.size), start(np, args.size)
    took, took_numpy = timed(ours, args.steps), timed(theirs, args.steps)
    error = max(np.abs(qn.asnumpy(a) - b).max() for a, b in zip(ours, theirs, strict=True))
    assert error < 1e-4, error
    low, high = float(ours[1].min()), float(ours[1].max())
    assert 0 <= low and high < 1, (low, high)
    print(f"Gray and Scott: {args.size} x {args.size} points, {args.steps} steps, computed on {qn.device().name}")
    print(f"quern {1e3 * took:.1f} ms, NumPy {1e3 * took_numpy:.1f} ms; largest difference {error:.1e}")
    print(f"{few} steps of the loop: {kinds['launch']} launches, 0 copies, 1 wait (at their end)")
    print(draw(qn.asnumpy(ours[1]), args.out))


if __name__ == "__main__":
    main()
