"""Poisson's equation on a square by conjugate gradients; the matrix is a stencil and is never stored.

Step sizes are quotients of two sums, and stay on the device as arrays of one number: nothing in the loop waits. Only every 25th
iteration reads the residual to see whether it is small enough. The solution is known, and compared with NumPy's too.

    quern run examples/conjugate_gradient.py [--size 255] [--every 25]
"""

import argparse
import time

import numpy as np
import quern as qn


def problem(size):
    """A right side and its solution, on the inner points of the unit square; the stencil is exact for polynomials of degree 3."""
    t = np.arange(1, size + 1) / (size + 1)
    x, y = t[:, None], t[None, :]
    solution = x**2 * (1 - x) * y * (1 - y) ** 2
    right = -((2 - 6 * x) * y * (1 - y) ** 2 + x**2 * (1 - x) * (6 * y - 4))
    return right / (size + 1) ** 2, solution


def laplace(p):
    """The stencil on the inside of p, whose border is zero."""
    return 4 * p[1:-1, 1:-1] - p[:-2, 1:-1] - p[2:, 1:-1] - p[1:-1, :-2] - p[1:-1, 2:]


def solve(xp, b, every, tolerance=1e-10, limit=5000):
    """The solution, and how many iterations it took."""
    x, r = xp.zeros_like(b), b.copy()
    p = xp.zeros((b.shape[0] + 2, b.shape[1] + 2))
    inside = p[1:-1, 1:-1]
    inside[...] = r
    square = (r * r).sum()
    goal = tolerance**2 * float(square)
    for n in range(1, limit + 1):
        q = laplace(p)
        alpha = square / (inside * q).sum()
        x += alpha * inside
        r -= alpha * q
        before, square = square, (r * r).sum()
        inside[...] = r + square / before * inside
        if n % every == 0 and float(square) < goal:  # the only read of a value
            return x, n
    raise RuntimeError(f"not solved after {limit} iterations")


def timed(xp, b, every):
    """What `solve` gives, and the seconds until it is there."""
    qn.synchronize()
    begin = time.perf_counter()
    result = solve(xp, b, every)
    qn.synchronize()
    return *result, time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description="Poisson's equation by conjugate gradients")
    parser.add_argument("--size", type=int, default=255, help="inner points along an edge")
    parser.add_argument("--every", type=int, default=25, help="iterations between two reads of the residual")
    args = parser.parse_args()

    right, solution = problem(args.size)
    b = qn.asarray(right)
    timed(qn, b, args.every)  # the first round compiles
    with qn.trace() as events:
        x, n, took = timed(qn, b, args.every)
    theirs, their_n, took_numpy = timed(np, right, args.every)
    error, far = np.abs(qn.asnumpy(x) - theirs).max(), np.abs(qn.asnumpy(x) - solution).max()
    assert abs(n - their_n) <= args.every and error < 1e-9 and far < 1e-9, (n, their_n, error, far)

    kinds = [e["kind"] for e in events]
    looks = 1 + n // args.every
    assert kinds.count("device_to_host") <= looks and kinds.count("host_to_device") == kinds.count("device_to_device") == 0, kinds
    print(f"Poisson: {args.size} x {args.size} unknowns, {n} iterations, computed on {qn.device().name}")
    print(f"quern {1e3 * took:.1f} ms, NumPy {1e3 * took_numpy:.1f} ms in {their_n} iterations")
    print(f"largest difference from NumPy {error:.1e}, from the solution {far:.1e}")
    print(f"the loop: {kinds.count('launch')} launches; one read in {args.every} iterations: {looks} with the first residual")


if __name__ == "__main__":
    main()
