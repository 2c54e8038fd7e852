"""Prices of options by the formula of Black and Scholes: a vectorize function, and the same as a kernel.

quern run examples/jit_black_scholes.py [OPTIONS]
"""

import math
import sys

import numpy as np
from numba import cuda, vectorize

RATE, VOLATILITY = 0.02, 0.3


@cuda.jit(device=True)
def normal(d):
    return 0.5 + 0.5 * math.erf(d * math.sqrt(0.5))


@cuda.jit(device=True)
def call_price(stock, strike, years):
    spread = VOLATILITY * math.sqrt(years)
    d = (math.log(stock / strike) + (RATE + 0.5 * VOLATILITY * VOLATILITY) * years) / spread
    return stock * normal(d) - strike * math.exp(-RATE * years) * normal(d - spread)


@vectorize(["float64(float64, float64, float64)"], target="cuda")
def prices_of_calls(stock, strike, years):
    return call_price(stock, strike, years)


@cuda.jit
def both(stock, strike, years, call, put):
    i = cuda.grid(1)
    if i < stock.size:
        call[i] = call_price(stock[i], strike[i], years[i])
        put[i] = call[i] - stock[i] + strike[i] * math.exp(-RATE * years[i])


options = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
rng = np.random.default_rng(11)
stock, strike, years = rng.uniform(5, 30, options), rng.uniform(1, 100, options), rng.uniform(0.25, 10, options)
call, put = np.zeros(options), np.zeros(options)
both.forall(options)(stock, strike, years, call, put)
assert np.array_equal(prices_of_calls(stock, strike, years), call) or np.allclose(prices_of_calls(stock, strike, years), call, rtol=1e-12)

erf = np.vectorize(math.erf)
sample = slice(0, 2000)
s, k, t = stock[sample], strike[sample], years[sample]
spread = VOLATILITY * np.sqrt(t)
d = (np.log(s / k) + (RATE + 0.5 * VOLATILITY**2) * t) / spread
expected = s * (0.5 + 0.5 * erf(d / np.sqrt(2))) - k * np.exp(-RATE * t) * (0.5 + 0.5 * erf((d - spread) / np.sqrt(2)))
print(f"{options} options; the mean call costs {call.mean():.4f}, the mean put {put.mean():.4f}")
assert np.allclose(call[sample], expected, rtol=1e-9, atol=1e-9) and (put > -1e-9).all()
