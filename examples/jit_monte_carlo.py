"""Chance at work: pi from random points, and an option's price from random paths; each thread has random numbers of its own.

quern run examples/jit_monte_carlo.py [THREADS]
"""

import math
import sys

import numpy as np
from numba import cuda
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_normal_float64, xoroshiro128p_uniform_float32

DRAWS = 200
STOCK, STRIKE, RATE, VOLATILITY, YEARS = 100.0, 105.0, 0.03, 0.25, 1.5


@cuda.jit
def points_inside(states, out):
    i = cuda.grid(1)
    if i < out.size:
        inside = 0
        for _ in range(DRAWS):
            x = xoroshiro128p_uniform_float32(states, i)
            y = xoroshiro128p_uniform_float32(states, i)
            if x * x + y * y <= 1:
                inside += 1
        out[i] = inside


@cuda.jit
def pay_outs(states, out):
    i = cuda.grid(1)
    if i < out.size:
        drift = (RATE - VOLATILITY * VOLATILITY / 2) * YEARS
        total = 0.0
        for _ in range(DRAWS):
            end = STOCK * math.exp(drift + VOLATILITY * math.sqrt(YEARS) * xoroshiro128p_normal_float64(states, i))
            total += max(end - STRIKE, 0.0)
        out[i] = math.exp(-RATE * YEARS) * total / DRAWS


def price_by_formula():
    def normal(d):
        return (1 + math.erf(d / math.sqrt(2))) / 2

    spread = VOLATILITY * math.sqrt(YEARS)
    d = (math.log(STOCK / STRIKE) + (RATE + VOLATILITY**2 / 2) * YEARS) / spread
    return STOCK * normal(d) - STRIKE * math.exp(-RATE * YEARS) * normal(d - spread)


threads = int(sys.argv[1]) if len(sys.argv) > 1 else 16384
states = create_xoroshiro128p_states(threads, seed=1)
inside, paid = np.zeros(threads, np.int32), np.zeros(threads)
points_inside.forall(threads)(states, inside)
pay_outs.forall(threads)(states, paid)

# Both are means of many draws: five standard deviations are hardly ever exceeded.
draws = threads * DRAWS
pi, expected = 4 * inside.sum() / draws, price_by_formula()
print(f"pi is about {pi:.5f}, of {draws} points")
print(f"the option costs about {paid.mean():.4f}; by the formula {expected:.4f}")
assert abs(pi - math.pi) < 5 * math.sqrt(math.pi * (4 - math.pi) / draws)
assert abs(paid.mean() - expected) < 5 * paid.std() / math.sqrt(threads)
