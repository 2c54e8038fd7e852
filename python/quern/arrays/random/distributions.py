"""The distributions that need more than a line or two: tables, several numbers for each draw, and rejection.

Rejection draws for all elements in rounds; a round's numbers come from the element's own place in the stream under the round's own key,
so that who needs more rounds changes nothing for the others.
"""

import math
import operator

import numpy

from quern.arrays import linalg
from quern.arrays.core import Array, _shape, asarray, asnumpy
from quern.arrays.manipulation import broadcast_to, stack
from quern.arrays.mathematics import arccos, clip, cos, floor, log, maximum, power, sqrt, where
from quern.arrays.mathematics.reductions import functions
from quern.arrays.random.generator import _FULL, Draws, _device_of, _here, _order_of
from quern.lib import _engine
from quern.user_files import warn_user

_TABLE = 1 << 20  # the longest table that is made for a draw


def _by_rejection(self, shape, like, numbers, attempt):
    """``attempt`` takes ``numbers`` arrays in (0, 1) and gives values and whether each is taken; repeated until all are."""
    bits = self._bits
    count = math.prod(shape)
    firsts = [bits._take(count) for _ in range(numbers)]
    result = taken = None
    for turn in range(1, 200):
        key = (bits._key + turn * 0x9E3779B97F4A7C15) % _FULL
        seeds = [_engine.array_random("random_bits", shape, key, first, "uint64", _device_of(like)) for first in firsts]
        units = [_engine.array_op("random_unit", s, compute="uint64", result="float64") for s in seeds]
        value, good = attempt(*((u + 2.0**-54) * (1 - 2.0**-53) for u in units))
        result = value if result is None else where(taken, result, value)
        taken = good if taken is None else taken | good
        if bool(taken.all()):
            break
    return result


def vonmises(self, mu, kappa, size=None):
    """Angles in [-pi, pi] around ``mu``, closer to it the larger ``kappa`` is. Raises ValueError for a negative ``kappa``."""
    shape, mu, kappa = self._parameters(size, mu, kappa, not_negative=("", "kappa"))
    with _here(mu, kappa):
        k = asarray(kappa).astype(float, copy=False)
        # Around 1e-5 the general way loses all its digits; the distribution is uniform there.
        wide, safe = k < 1e-5, maximum(k, 1e-5)
        r = 1 + sqrt(1 + 4 * safe * safe)
        rho = (r - sqrt(2 * r)) / (2 * safe)
        s = (1 + rho * rho) / (2 * rho)

        def attempt(first, second, third):
            z = cos(math.pi * first)
            w = (1 + s * z) / (s + z)
            y = safe * (s - w)
            good = (y * (2 - y) - second >= 0) | (log(y / second) + 1 - y >= 0)
            angle = arccos(clip(w, -1, 1))
            angle = where(third < 0.5, -angle, angle)
            return where(wide, (2 * third - 1) * math.pi, angle), good | wide

        angle = _by_rejection(self, shape, (mu, kappa), 3, attempt) + mu
        return self._give(angle - 2 * math.pi * floor((angle + math.pi) / (2 * math.pi)))


def zipf(self, a, size=None):
    """Natural numbers, each as likely as its power to ``-a``: int64. Raises ValueError unless ``a`` is above 1."""
    shape, a = self._parameters(size, a)
    if not numpy.all(asnumpy(a) > 1 if isinstance(a, Array) else a > 1):
        raise ValueError("a <= 1 or a is NaN")
    less = a - 1
    with _here(a):
        b = power(asarray(2.0), less)
        least = power(asarray(2.0**62), -less)  # close to 1, nearly all numbers would be too large

        def attempt(first, second):
            x = maximum(floor(power(first + (1 - first) * least, -1 / less)), 1.0)
            t = power(1 + 1 / x, less)
            return x, second * x * (t - 1) / (b - 1) <= t / b

        return self._give(_by_rejection(self, shape, (a,), 2, attempt).astype("int64"))


def hypergeometric(self, ngood, nbad, nsample, size=None):
    """How many good ones are among ``nsample`` picked of ``ngood`` good and ``nbad`` bad ones: int64.

    Raises ValueError for negative numbers, and for more picked than there are. Parameters that are arrays are looked at; very large
    ones, and very many, are drawn by NumPy on the host.
    """
    given = [asnumpy(v) if isinstance(v, Array) else numpy.asarray(v) for v in (ngood, nbad, nsample)]
    good, bad, sample = (v.astype("int64") for v in given)
    for name, value in (("ngood", good), ("nbad", bad), ("nsample", sample)):
        if (value < 0).any():
            raise ValueError(f"{name} < 0")
    if (sample > good + bad).any():
        raise ValueError("ngood + nbad < nsample")
    shape, *_ = self._parameters(size, *given)
    least, most = numpy.maximum(0, sample - bad), numpy.minimum(sample, good)
    like = (ngood, nbad, nsample)
    if not least.ndim and not most.ndim:
        if most - least >= _TABLE:
            return self._on_host("hypergeometric", ngood, nbad, nsample, size=size)
        return self._give(self._weighted(_hypergeometric_odds(int(good), int(bad), int(sample)), shape, like) + int(least))
    cases = numpy.stack(numpy.broadcast_arrays(good, bad, sample), -1)
    each, number = numpy.unique(cases.reshape(-1, 3), axis=0, return_inverse=True)
    most, least = numpy.minimum(each[:, 2], each[:, 0]), numpy.maximum(0, each[:, 2] - each[:, 1])
    widths = most - least + 1
    if widths.sum() >= _TABLE:
        return self._on_host("hypergeometric", *given, size=size)
    # The tables of all cases one after the other: an element picks in that of its own.
    starts = numpy.cumsum(widths) - widths
    tables = [self._aliases(_hypergeometric_odds(*case)) for case in each]
    number = number.reshape(cases.shape[:-1])
    with _here(*like):
        keep, beside = (asarray(numpy.concatenate(part) if part else numpy.zeros(1)) for part in ([t[n] for t in tables] for n in (0, 1)))
        width, start, first = (asarray(v[number]) for v in (widths, starts, least))
        seeds = self._draw("random_bits", shape, "uint64", like)
        picks = _engine.array_op("random_below", seeds, width.astype("uint64"), compute="uint64", result="uint64").astype("int64")
        place = picks + start
        return self._give(where(self._unit(shape, like=like) < keep[place], picks, beside[place].astype("int64")) + first)


def _hypergeometric_odds(good, bad, sample):
    """How likely each number of good ones is, from the least on."""
    k = numpy.arange(max(0, sample - bad), min(sample, good), dtype=float)
    logs = numpy.concatenate([[0.0], numpy.cumsum(numpy.log((good - k) * (sample - k) / ((k + 1) * (bad - sample + k + 1))))])
    likely = numpy.exp(logs - logs.max())
    return likely / likely.sum()


def multinomial(self, n, pvals, size=None):
    """How often each of several outcomes comes in ``n`` tries: int64, one axis more than ``size``.

    Parameters: ``n``: the tries, a number or an array; ``pvals``: how likely each outcome is, along the last axis; the last one takes what
    the others leave of 1. Raises ValueError for a negative ``n``, and for what are no probabilities.
    """
    like = (n, pvals)
    p = numpy.array(asnumpy(pvals) if isinstance(pvals, Array) else pvals, dtype=float)
    tries = asnumpy(n) if isinstance(n, Array) else numpy.asarray(n)
    if tries.dtype.kind not in "biu":
        tries = tries.astype("int64")
    if p.ndim == 0 or p.shape[-1] == 0:
        raise ValueError("pvals must have at least 1 dimension and the last dimension of pvals must be greater than 0.")
    if (tries < 0).any():
        raise ValueError("n < 0")
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError("pvals < 0, pvals > 1 or pvals contains NaNs")
    if (p[..., :-1].sum(-1) > 1 + 1e-12).any():
        raise ValueError("sum(pvals[:-1]) > 1.0")
    p[..., -1] = numpy.maximum(1 - p[..., :-1].sum(-1), 0)
    outer = numpy.broadcast_shapes(tries.shape, p.shape[:-1])
    shape = list(outer) if size is None else _shape(size)
    if numpy.broadcast_shapes(outer, tuple(shape)) != tuple(shape):
        raise ValueError(f"Output size {tuple(shape)} is not compatible with broadcast dimensions of inputs {outer}.")
    count = p.shape[-1]
    # Each half of the outcomes gets its part of the tries, then each half of a half...
    p = numpy.concatenate([p, numpy.zeros((*p.shape[:-1], (1 << (count - 1).bit_length()) - count))], -1)
    with _here(*like):
        out = asarray(numpy.broadcast_to(tries, outer)[..., None].astype(float))
        parts = [p]
        while parts[0].shape[-1] > 1:
            parts.insert(0, parts[0].reshape(*p.shape[:-1], -1, 2).sum(-1))
        for part in parts[1:]:
            first = part[..., ::2]
            whole = first + part[..., 1::2]
            odds = numpy.divide(first, whole, out=numpy.zeros_like(whole), where=whole > 0)
            left = self._seeded("binomial", [*shape, odds.shape[-1]], out, asarray(odds))
            out = stack([left, out - left], -1)._reshaped([*shape, part.shape[-1]])
        out = broadcast_to(out, (*shape, out.shape[-1]))
        return self._give(out[..., :count].astype("int64"))


def multivariate_hypergeometric(self, colors, nsample, size=None, method="marginals"):
    """How many of each color are among ``nsample`` picked of ``colors[i]`` of color i: int64, one axis more than ``size``.

    ``method`` changes nothing. Raises ValueError for negative numbers, and for more picked than there are. Draws of many are NumPy's,
    on the host.
    """
    if method not in ("count", "marginals"):
        raise ValueError('method must be "count" or "marginals".')
    have = numpy.asarray(asnumpy(colors) if isinstance(colors, Array) else colors)
    if have.ndim != 1 or (have.size and have.dtype.kind not in "iu") or (have < 0).any():
        raise ValueError("colors must be a one-dimensional sequence of nonnegative integers")
    nsample = operator.index(nsample)
    if nsample < 0:
        raise ValueError("nsample must be nonnegative")
    if nsample > have.sum():
        raise ValueError("nsample > sum(colors)")
    shape = [] if size is None else _shape(size)
    if have.size > 64 or math.prod(shape) * int(have.sum()) > 16 * _TABLE:
        return self._on_host("multivariate_hypergeometric", have, nsample, size=size)
    with _here(colors):
        keys = self._draw("random_bits", [*shape, int(have.sum())], "uint64", (colors,))
        color = asarray(numpy.repeat(numpy.arange(have.size), have))[_order_of(keys, len(shape))[..., :nsample]]
        counts = [(color == n).sum(-1).astype("int64") for n in range(have.size)]
        return self._give(stack(counts, -1) if counts else asarray(numpy.zeros((*shape, 0), "int64")))


def multivariate_normal(self, mean, cov, size=None, check_valid="warn", tol=1e-8, *, method="svd"):
    """Vectors of normal numbers with these means and covariances.

    Parameters: ``mean``: a vector; ``cov``: a symmetric matrix without negative eigenvalues; ``size``: the shape in front;
    ``check_valid``: "warn", "raise" or "ignore", what to do where ``cov`` is none, within ``tol``; ``method``: "svd", "eigh" or
    "cholesky". Raises ValueError for shapes that do not fit.
    """
    if check_valid not in ("warn", "raise", "ignore"):
        raise ValueError("check_valid must equal 'warn', 'raise', or 'ignore'")
    if method not in ("svd", "eigh", "cholesky"):
        raise ValueError("method must be one of {'eigh', 'svd', 'cholesky'}")
    with _here(mean, cov):
        mean, cov = (asarray(v).astype(float, copy=False) for v in (mean, cov))
        if mean.ndim != 1:
            raise ValueError("mean must be 1 dimensional")
        if cov.ndim != 2 or cov.shape[0] != cov.shape[1]:
            raise ValueError("cov must be 2 dimensional and square")
        if cov.shape[0] != mean.shape[0]:
            raise ValueError("mean and cov must have same length")
        if method == "cholesky":
            factor = linalg.cholesky(cov).T
        else:
            values, vectors = linalg.eigh(cov)
            if check_valid != "ignore":
                again = (vectors * maximum(values, 0)) @ vectors.T
                if not bool(functions["allclose"](again, cov, rtol=tol, atol=tol)):
                    if check_valid == "raise":
                        raise ValueError("covariance is not symmetric positive-semidefinite.")

                    warn_user("covariance is not symmetric positive-semidefinite.", RuntimeWarning)
            factor = (vectors * sqrt(maximum(values, 0))).T
        shape = [] if size is None else list(size) if numpy.ndim(size) else [int(size)]
        normal = self._normal([*shape, mean.shape[0]], like=(mean,))
        return self._give(normal @ factor + mean)


for _function in (
    vonmises,
    zipf,
    hypergeometric,
    multinomial,
    multivariate_hypergeometric,
    multivariate_normal,
):
    _function.__qualname__ = f"Draws.{_function.__name__}"
    setattr(Draws, _function.__name__, _function)
