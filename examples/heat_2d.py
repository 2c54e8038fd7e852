"""Heat that spreads over a plate: the explicit scheme for u_t = u_xx + u_yy, written with slices and updates in place.

The edges keep their temperature; the inside is a view, and `+=` on it changes the plate, as in NumPy. Nothing in the loop waits for
the device or copies: the trace shows what a step submits. The plate is compared with NumPy's and drawn to a picture.

    quern run examples/heat_2d.py [--size 200] [--steps 2000] [--out heat_2d.png]
"""

import argparse
import time

import numpy as np
import quern as qn


def plate(xp, size):
    """The plate at time 0: cold, with a hot upper edge and a warm left one."""
    u = xp.zeros((size, size))
    u[0] = 100.0
    u[:, 0] = 50.0
    return u


def spread(u, steps, k=0.24):
    """`steps` steps of time; k is dt / dx**2, at most 1/4."""
    inside = u[1:-1, 1:-1]
    for _ in range(steps):
        inside += k * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * inside)


def timed(u, steps):
    """Seconds until the plate has its last value."""
    qn.synchronize()
    begin = time.perf_counter()
    spread(u, steps)
    qn.synchronize()
    return time.perf_counter() - begin


def count(u, steps):
    """What the steps submit, by kind; the loop ends before a value is read."""
    qn.synchronize()
    with qn.trace() as events:
        spread(u, steps)
        qn.synchronize()
    kinds = [e["kind"] for e in events]
    return {kind: kinds.count(kind) for kind in sorted(set(kinds))}


def draw(u, name):
    try:
        import matplotlib.image
    except ImportError:
        return "no picture: matplotlib is not here"
    matplotlib.image.imsave(name, u, cmap="inferno")
    return f"wrote {name}"


def main():
    parser = argparse.ArgumentParser(description="heat that spreads over a plate")
    parser.add_argument("--size", type=int, default=200, help="points along an edge")
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--out", default="heat_2d.png", help="the picture")
    args = parser.parse_args()

    few = min(args.steps, 200)
    count(plate(qn, args.size), few)  # the first round compiles
    kinds = count(plate(qn, args.size), few)
    copies = sum(n for kind, n in kinds.items() if kind in ("host_to_device", "device_to_host", "device_to_device"))
    assert copies == 0 and kinds["wait"] == 1, kinds

    ours, theirs = plate(qn, args.size), plate(np, args.size)
    took, took_numpy = timed(ours, args.steps), timed(theirs, args.steps)
    error = np.abs(qn.asnumpy(ours) - theirs).max()
    assert error < 1e-9, error
    assert 0 <= ours.min() and ours.max() <= 100, "warmer than the hottest edge"
    print(f"heat: {args.size} x {args.size} points, {args.steps} steps, computed on {qn.device().name}")
    print(f"quern {1e3 * took:.1f} ms, NumPy {1e3 * took_numpy:.1f} ms; largest difference {error:.1e}")
    print(f"{few} steps of the loop: {kinds['launch']} launches, 0 copies, 1 wait (at their end)")
    print(draw(qn.asnumpy(ours), args.out))


if __name__ == "__main__":
    main()
