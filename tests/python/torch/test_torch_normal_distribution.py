"""torch.special's functions of the normal distribution against the same ones in fifty digits, in both tails and at their ends."""

import math

import mpmath
import numpy as np
import pytest
import quern.torch as torch

inf, nan = math.inf, math.nan
POINTS = np.random.default_rng(7)


def between(low, high, count=40):
    return POINTS.uniform(low, high, count)


def powers(low, high, count=40):
    return 10.0 ** between(low, high, count)


def ndtr(x):
    return mpmath.erfc(-x / mpmath.sqrt(2)) / 2


def log_ndtr(x):
    return mpmath.log(ndtr(x)) if x < 3 else mpmath.log1p(-ndtr(-x))


def ndtri(p):
    tail = min(p, 1 - p)
    root = mpmath.sqrt(-2 * mpmath.log(tail))
    x = -(root - mpmath.log(2 * mpmath.pi * root**2) / (2 * root)) if tail < 0.05 else -mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * tail)
    for _ in range(6):  # Newton's steps on the logarithm
        below = ndtr(x)
        x -= mpmath.log(below / tail) * below * mpmath.sqrt(2 * mpmath.pi) * mpmath.exp(x * x / 2)
    return x if p <= 0.5 else -x


def erfcx(x):
    return mpmath.exp(x * x) * mpmath.erfc(x)


# Of each function: in many digits; where it is tested; special values.
FUNCTIONS = {
    "ndtri": (
        ndtri,
        [powers(-323, -300), powers(-300, -20), powers(-20, -1), between(0.1, 0.9), 0.5 + powers(-15, -1), 1 - powers(-15.9, -1)],
        [(0, -inf), (1, inf), (-1e-30, nan), (-1, nan), (1.5, nan), (inf, nan), (-inf, nan), (nan, nan), (0.5, 0)],
    ),
    "log_ndtr": (
        log_ndtr,
        [between(-1e4, -100), between(-100, -1), between(-1.1, -0.9), between(-1, 5), between(5, 37)],
        [(-inf, -inf), (inf, 0), (50, 0), (nan, nan)],
    ),
    "ndtr": (ndtr, [between(-37, -5), between(-5, 5), between(5, 9)], [(-inf, 0), (inf, 1), (-50, 0), (50, 1), (0, 0.5), (nan, nan)]),
    "erfcx": (erfcx, [between(-26, 0), between(0, 19), between(19, 21), between(21, 90)], [(-inf, inf), (-30, inf), (inf, 0), (nan, nan)]),
}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_all_digits(name, dtype, tier, device):
    oracle, ranges, special = FUNCTIONS[name]
    kind = getattr(torch, dtype)
    x = torch.tensor(np.concatenate(ranges), dtype=kind, device=device.kind)
    got, held = (one.cpu().double().numpy() for one in (getattr(torch.special, name)(x), x))
    with mpmath.workdps(50):
        for at, value in zip(held.tolist(), got.tolist(), strict=True):
            if name == "ndtri" and not 0 < at < 1:  # rounded to the end
                continue
            want = oracle(mpmath.mpf(at))
            if abs(want) > np.finfo(dtype).max:
                assert math.isinf(value), at
                continue
            unit = mpmath.mpf(float(np.spacing(np.asarray(abs(float(want)), dtype))))
            assert abs(value - want) <= (4 if dtype == "float64" else 1) * unit, (at, value, float(want))
    values = getattr(torch.special, name)(torch.tensor([at for at, _ in special], dtype=kind, device=device.kind))
    np.testing.assert_array_equal(values.cpu().numpy(), [want for _, want in special])


def test_published_quantiles():
    p = torch.tensor([1e-20, 1e-100, 0.975], dtype=torch.float64)
    assert torch.allclose(torch.special.ndtri(p), torch.tensor([-9.262340089798408, -21.27345350959, 1.959963984540054], dtype=torch.float64))
    assert abs(torch.special.ndtri(torch.tensor(1e-20)).item() + 9.26234) < 1e-5
