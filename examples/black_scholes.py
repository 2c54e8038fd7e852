"""Prices of some million European options by the formula of Black and Scholes, and how they depend on the stock's price.

About ninety operations on arrays become one kernel: NumPy goes through memory for each of them. The normal distribution is the
polynomial 26.2.17 of Abramowitz and Stegun; the prices are compared with NumPy's, with `math.erf`, and call with put by their parity.

    quern run examples/black_scholes.py [--options 4000000]
"""

import argparse
import math
import time

import numpy as np
import quern as qn


def normal(xp, x):
    """The normal distribution: the chance of a value below x. Wrong by 7.5e-8 at most."""
    t = 1 / (1 + 0.2316419 * xp.abs(x))
    polynomial = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    tail = xp.exp(-0.5 * x * x) / math.sqrt(2 * math.pi) * polynomial
    return xp.where(x > 0, 1 - tail, tail)


def prices(xp, stock, strike, years, rate, volatility):
    """The prices of call and put, and the call's delta."""
    spread = volatility * xp.sqrt(years)
    d1 = (xp.log(stock / strike) + (rate + volatility * volatility / 2) * years) / spread
    d2 = d1 - spread
    discounted = strike * xp.exp(-rate * years)
    delta = normal(xp, d1)
    call = stock * delta - discounted * normal(xp, d2)
    put = discounted * normal(xp, -d2) - stock * normal(xp, -d1)
    return call, put, delta


def exact(stock, strike, years, rate, volatility):
    """The price of one call by the error function."""
    spread = volatility * math.sqrt(years)
    d1 = (math.log(stock / strike) + (rate + volatility * volatility / 2) * years) / spread
    below = [0.5 * (1 + math.erf(d / math.sqrt(2))) for d in (d1, d1 - spread)]
    return stock * below[0] - strike * math.exp(-rate * years) * below[1]


def timed(xp, *market):
    """The prices, and the seconds until they are there."""
    qn.synchronize()
    begin = time.perf_counter()
    result = prices(xp, *market)
    qn.synchronize()
    return result, time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description="prices of European options")
    parser.add_argument("--options", type=int, default=4_000_000)
    args = parser.parse_args()

    rng = np.random.default_rng(4)
    stock, strike = rng.uniform(5, 30, args.options), rng.uniform(1, 100, args.options)
    market = stock, strike, rng.uniform(0.25, 10, args.options), 0.02, rng.uniform(0.1, 0.5, args.options)
    ours = [qn.asarray(v) if isinstance(v, np.ndarray) else v for v in market]
    timed(qn, *ours)  # the first round compiles
    with qn.trace() as events:
        results, took = timed(qn, *ours)
    launches = sum(e["kind"] == "launch" for e in events)
    theirs, took_numpy = timed(np, *market)
    error = max(np.abs(qn.asnumpy(a) - b).max() for a, b in zip(results, theirs, strict=True))
    assert error < 1e-10, error

    call, put, _ = results
    parity = float(qn.abs(call - put - (ours[0] - ours[1] * qn.exp(-0.02 * ours[2]))).max())
    assert parity < 1e-10, parity
    host = qn.asnumpy(call)
    few = range(0, args.options, max(1, args.options // 1000))
    off = max(abs(host[n] - exact(*(v[n] if isinstance(v, np.ndarray) else v for v in market))) for n in few)
    assert off < 1e-4, off
    print(f"Black-Scholes: {args.options} options, computed on {qn.device().name} in {launches} launches")
    print(f"quern {1e3 * took:.1f} ms, NumPy {1e3 * took_numpy:.1f} ms; largest difference {error:.1e}")
    print(f"call and put differ from their parity by at most {parity:.1e}; {len(few)} calls from the exact ones by {off:.1e}")


if __name__ == "__main__":
    main()
