"""Bodies that attract each other, all pairs, by the leapfrog method; written with broadcasting.

A step needs the distance of every body from every other one: arrays of n x n elements in NumPy. Here they are never stored: the
distances, the weights and the three sums over them are one kernel. The energy must stay what it was, and the orbits are NumPy's.

    quern run examples/n_body.py [--bodies 800] [--steps 50]
"""

import argparse
import time

import numpy as np
import quern as qn

SOFTENING = 0.05  # bodies closer than this do not feel much more of each other


def galaxy(xp, bodies):
    """A disc of bodies around a heavy one: positions and velocities along three axes, and masses."""
    rng = np.random.default_rng(1)
    radius = np.sqrt(rng.uniform(0.1, 1, bodies))
    angle = rng.uniform(0, 2 * np.pi, bodies)
    place = np.stack([radius * np.cos(angle), radius * np.sin(angle), 0.05 * rng.standard_normal(bodies)])
    speed = np.sqrt(1 / radius)
    velocity = np.stack([-speed * np.sin(angle), speed * np.cos(angle), np.zeros(bodies)])
    mass = np.full(bodies, 0.1 / bodies)
    place[:, 0], velocity[:, 0], mass[0] = 0, 0, 1
    return [xp.asarray(v) for v in (*place, *velocity, mass)]


def distances(x, y, z):
    """From each body (rows) to each other one (columns), and the softened square of the distance."""
    dx, dy, dz = x - x[:, None], y - y[:, None], z - z[:, None]
    return dx, dy, dz, dx * dx + dy * dy + dz * dz + SOFTENING**2


def acceleration(xp, x, y, z, mass):
    dx, dy, dz, square = distances(x, y, z)
    weight = mass / (square * xp.sqrt(square))
    return (weight * dx).sum(1), (weight * dy).sum(1), (weight * dz).sum(1)


def energy(xp, x, y, z, vx, vy, vz, mass):
    square = distances(x, y, z)[3]
    pairs = mass * mass[:, None] / xp.sqrt(square)
    itself = (mass * mass).sum() / SOFTENING
    return float(0.5 * (mass * (vx * vx + vy * vy + vz * vz)).sum() - 0.5 * (pairs.sum() - itself))


def move(xp, bodies, steps, dt):
    """The bodies after some steps: half a kick, a drift, half a kick."""
    x, y, z, vx, vy, vz, mass = bodies
    ax, ay, az = acceleration(xp, x, y, z, mass)
    for _ in range(steps):
        vx, vy, vz = vx + dt / 2 * ax, vy + dt / 2 * ay, vz + dt / 2 * az
        x, y, z = x + dt * vx, y + dt * vy, z + dt * vz
        ax, ay, az = acceleration(xp, x, y, z, mass)
        vx, vy, vz = vx + dt / 2 * ax, vy + dt / 2 * ay, vz + dt / 2 * az
    return x, y, z, vx, vy, vz, mass


def timed(xp, bodies, steps, dt):
    """The bodies at the end, and the seconds until they are there."""
    qn.synchronize()
    begin = time.perf_counter()
    bodies = move(xp, bodies, steps, dt)
    qn.synchronize()
    return bodies, time.perf_counter() - begin


def count(bodies, steps, dt):
    """What the steps submit, by kind."""
    qn.synchronize()
    with qn.trace() as events:
        bodies = move(qn, bodies, steps, dt)
        qn.synchronize()
    kinds = [e["kind"] for e in events]
    return {kind: kinds.count(kind) for kind in sorted(set(kinds))}


def main():
    parser = argparse.ArgumentParser(description="bodies that attract each other")
    parser.add_argument("--bodies", type=int, default=800)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--dt", type=float, default=0.002)
    args = parser.parse_args()

    start = galaxy(qn, args.bodies)
    timed(qn, start, args.steps, args.dt)  # the first round compiles
    ours, took = timed(qn, start, args.steps, args.dt)
    theirs, took_numpy = timed(np, galaxy(np, args.bodies), args.steps, args.dt)
    error = max(np.abs(qn.asnumpy(a) - b).max() for a, b in zip(ours, theirs, strict=True))
    assert error < 1e-9, error
    before, after = energy(qn, *start), energy(qn, *ours)
    drift = abs(after / before - 1)
    assert drift < 1e-3, (before, after)

    kinds = count(start, args.steps, args.dt)
    copies = sum(n for kind, n in kinds.items() if kind in ("host_to_device", "device_to_host", "device_to_device"))
    assert copies == 0 and kinds["wait"] == 1, kinds
    print(f"gravity: {args.bodies} bodies, {args.steps} steps, computed on {qn.device().name}")
    print(f"quern {1e3 * took:.1f} ms, NumPy {1e3 * took_numpy:.1f} ms; largest difference {error:.1e}")
    print(f"the energy was {before:.6f} and is {after:.6f}: a drift of {drift:.1e}")
    print(f"the loop: {kinds['launch']} launches, 0 copies, 1 wait (at its end)")


if __name__ == "__main__":
    main()
