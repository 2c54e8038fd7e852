"""Clusters of points by Lloyd's iterations: the nearest centre of each point by broadcasting, the new centres by a product.

The loop asks in each iteration for the mean squared distance: an `if` needs a number on the host, so every iteration copies one, and
the trace shows that it copies nothing else. Centres and labels are compared with NumPy's.

    quern run examples/k_means.py [--points 20000] [--clusters 12]
"""

import argparse
import time

import numpy as np
import quern as qn

DIMENSIONS = 4


def clouds(points, clusters):
    """Points around as many places as there are clusters."""
    rng = np.random.default_rng(2)
    places = rng.uniform(-10, 10, (clusters, DIMENSIONS))
    return places[rng.integers(0, clusters, points)] + rng.standard_normal((points, DIMENSIONS))


def nearest(x, centres):
    """The number of the centre that is nearest to each point, and its squared distance."""
    d = x[:, None, :] - centres[None, :, :]
    squares = (d * d).sum(2)
    return squares.argmin(1), squares.min(1)


def improved(xp, x, labels, centres):
    """The mean of the points of each cluster; a cluster without points stays where it is."""
    members = (labels[:, None] == xp.arange(len(centres))).astype(x.dtype)
    counts = members.sum(0)[:, None]
    return xp.where(counts > 0, members.T @ x / xp.maximum(counts, 1), centres)


def cluster(xp, x, clusters, tolerance=1e-6, limit=100):
    """The centres, the label of each point, and the mean squared distance in each iteration, until it hardly falls any more."""
    centres = x[:clusters].copy()
    spreads = [np.inf]
    for _ in range(limit):
        labels, squares = nearest(x, centres)
        centres = improved(xp, x, labels, centres)
        spreads.append(float(squares.mean()))  # reads the value
        if spreads[-2] - spreads[-1] < tolerance * spreads[-1]:
            break
    return centres, labels, spreads[1:]


def timed(xp, x, clusters):
    """What `cluster` gives, and the seconds until it is there."""
    qn.synchronize()
    begin = time.perf_counter()
    result = cluster(xp, x, clusters)
    qn.synchronize()
    return result, time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description="clusters of points by Lloyd's iterations")
    parser.add_argument("--points", type=int, default=20_000)
    parser.add_argument("--clusters", type=int, default=12)
    args = parser.parse_args()

    points = clouds(args.points, args.clusters)
    x = qn.asarray(points)
    cluster(qn, x, args.clusters, limit=2)  # the first round compiles
    with qn.trace() as events:
        (centres, labels, spreads), took = timed(qn, x, args.clusters)
    (their_centres, their_labels, their_spreads), took_numpy = timed(np, points, args.clusters)
    error = np.abs(qn.asnumpy(centres) - their_centres).max()
    others = int((qn.asnumpy(labels) != their_labels).sum())
    assert len(spreads) == len(their_spreads) and error < 1e-7 and others <= args.points // 10_000, (error, others)
    assert all(b <= a * (1 + 1e-12) for a, b in zip(spreads, spreads[1:], strict=False)), "an iteration made it worse"

    kinds = [e["kind"] for e in events]
    looks = [e for e in events if e["kind"] == "device_to_host"]
    assert len(looks) <= len(spreads) and all(e["bytes"] <= 8 for e in looks), looks
    assert kinds.count("host_to_device") == kinds.count("device_to_device") == 0, kinds
    print(f"k-means: {args.points} points in {DIMENSIONS} dimensions, {args.clusters} clusters, computed on {qn.device().name}")
    print(f"{len(spreads)} iterations: quern {1e3 * took:.1f} ms, NumPy {1e3 * took_numpy:.1f} ms")
    print(f"largest difference of a centre {error:.1e}; {others} points have another label; mean squared distance {spreads[-1]:.4f}")
    print(f"the loop: {kinds.count('launch')} launches, {len(looks)} copies to the host of {sum(e['bytes'] for e in looks)} bytes in all")


if __name__ == "__main__":
    main()
