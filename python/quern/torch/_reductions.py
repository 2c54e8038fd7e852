"""What takes dimensions away, runs along them, or sorts them."""

import builtins
import math
import operator

import numpy

from quern.lib import _engine
from quern.torch import _creation, _linalg, _named, _shaping, _types
from quern.torch._arguments import check_all, of_several
from quern.torch._core import Tensor, _op, add_methods, dim_of, dims_of, engine_device_of, finish, host_values
from quern.torch._faces import FACES
from quern.torch._types import DTYPES

sum, any, mean, var, std, amax, amin = (FACES[name] for name in ("sum", "any", "mean", "var", "std", "amax", "amin"))  # noqa: A001
nansum, argsort, sort = (FACES[name] for name in ("nansum", "argsort", "sort"))




def _ordered(input, name, error=TypeError):
    """Complex numbers have no order."""
    if input.is_complex():
        raise error(f"{name}(): does not support complex input")


def var_mean(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    """(variance, mean) along dimensions."""
    return _with_mean(var, input, dim, unbiased, keepdim, correction)


def std_mean(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    """(standard deviation, mean) along dimensions."""
    return _with_mean(std, input, dim, unbiased, keepdim, correction)


def _with_mean(function, input, dim, unbiased, keepdim, correction):
    if isinstance(dim, bool):  # var_mean(input, unbiased)
        dim, unbiased = None, dim
    if correction is None:
        correction = 1 if unbiased is None or unbiased else 0
    return function(input, dim, correction=correction, keepdim=keepdim), mean(input, dim, keepdim)


def _not_empty(input, dim, name):
    if input._size:
        return
    if dim is None:
        raise (IndexError if name.startswith("arg") else RuntimeError)(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument."
        )
    for d in dims_of(dim, input._rank):
        if d < input._rank and input._shape[d] == 0:
            raise IndexError(f"{name}(): Expected reduction dim {d} to have non-zero size.")


def aminmax(input, *, dim=None, keepdim=False, out=None):
    """(smallest, largest) element."""
    _ordered(input, "aminmax")
    dim = () if dim is None else dim_of(dim, input._rank)
    return _named.aminmax(amin(input, dim, keepdim), amax(input, dim, keepdim))


def count_nonzero(input, dim=None):
    """How many elements are not 0."""
    return sum(input != 0, dim)


def logsumexp(input, dim, keepdim=False, *, out=None):
    """``log(sum(exp(input)))`` along dimensions, without overflow."""
    x = input if input.is_floating_point() or input.is_complex() else input.to(_types.get_default_dtype())
    x, whole = x.detach(), x
    top = amax(x.real if x.is_complex() else x, dim, True)
    top = _op("where", _op("absolute", top) == math.inf, 0.0, top).to(top.dtype)
    y = _op("log", sum(_op("exp", x - top), dim, True)) + top
    gone = [] if keepdim else [d for d in dims_of(dim, y._rank) if d < y._rank]
    return finish(_engine.tensor_log_sum_exp(whole, y, gone), out)


def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    """The norm of all elements, or along dimensions: ``p`` is 2 ("fro"), another number, an infinity, or "nuc"."""
    if not (input.is_floating_point() or input.is_complex()):
        raise NotImplementedError(f"norm(): the input must be of floating point or complex numbers, not {_types.scalar_name(input.dtype)}")
    if p == "nuc":
        return finish(_linalg.matrix_norm(input, "nuc", dim or (-2, -1), keepdim), out)
    return finish(_linalg.vector_norm(input, 2 if p in ("fro", None) else p, dim, keepdim, dtype=dtype), out)


def dist(input, other, p=2):
    """The norm of the difference."""
    return norm(input - other, p)


# ---- along a dimension


def logcumsumexp(input, dim, *, out=None):
    """``log`` of the running sums of ``exp``, without overflow."""
    if input.dtype._kind in "iub":
        raise NotImplementedError(f"\"logcumsumexp_out_cpu\" not implemented for '{_types.scalar_name(input.dtype)}'")
    return finish(_log_sums(input, dim_of(dim, input._rank)), out)


def _log_sums(x, dim):
    """Each step adds what stands 1, 2, 4 ... places before."""
    n = x._shape[dim] if x._rank else 0
    shape, step = list(x._shape), 1
    while step < n:
        shape[dim] = step
        before = _shaping.cat([x.new_full(shape, -math.inf), _shaping.narrow(x, dim, 0, n - step)], dim)
        x = FACES["logaddexp"](x, before)
        step *= 2
    return x.clone() if step == 1 else x


# ---- sorted


def msort(input, *, out=None):
    """The elements of each column in order."""
    return finish(sort(input, 0)[0], out)


def quantile(input, q, dim=None, keepdim=False, *, interpolation="linear", out=None):
    """The quantiles ``q``, numbers in [0, 1], of all elements or along a dimension; between neighbours by ``interpolation``."""
    return _quantile(input, q, dim, keepdim, interpolation, out, False)


def nanquantile(input, q, dim=None, keepdim=False, *, interpolation="linear", out=None):
    """The quantiles of what is no NaN; NaN where that is nothing."""
    return _quantile(input, q, dim, keepdim, interpolation, out, True)


def _quantile(input, q, dim, keepdim, interpolation, out, skips_nan):
    if input._dtype_name not in ("float32", "float64"):
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    is_tensor = isinstance(q, Tensor)
    if is_tensor and q._rank > 1:
        raise RuntimeError("quantile() q must be a scalar or 1D tensor")
    numbers = q.reshape(-1).tolist() if is_tensor else [float(q)]
    if input._size == 0:
        raise RuntimeError("quantile() input tensor must be non-empty")
    if interpolation not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise RuntimeError(f"quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {interpolation}")
    if input._rank == 0:
        return _rank_less(_quantile(input._reshaped([1]), q, 0, False, interpolation, None, skips_nan), dim, out)
    if builtins.any(not 0 <= n <= 1 for n in numbers):
        raise RuntimeError("quantile() q values must be in the range [0, 1]")
    flat = dim is None
    line = input._reshaped([input._size]) if flat else input
    axis = 0 if flat else dim_of(dim, input._rank)
    ordered = sort(line, axis)[0]
    n = line._shape[axis]
    last = _last_numbers(line, axis) if skips_nan else None
    results = []
    for number in numbers:
        if skips_nan:
            results.append(_without_axis(_between(ordered, axis, last * number, interpolation), axis, input, flat, keepdim))
            continue
        at = number * (n - 1)
        low = math.floor(at)
        share = at - low
        if interpolation == "nearest":
            low, share = int(_half_even(at)), 0
        elif interpolation == "lower":
            share = 0
        elif interpolation == "higher":
            low, share = math.ceil(at), 0
        elif interpolation == "midpoint":
            share = 0.5 if share else 0
        a = ordered[(slice(None),) * axis + (slice(low, low + 1),)]
        high = builtins.min(low + 1, n - 1)
        b = ordered[(slice(None),) * axis + (slice(high, high + 1),)]
        value = a if not share else a + (b - a) * share
        value = _op("where", any(_op("isnan", line), axis, True), math.nan, value).to(input.dtype)
        results.append(_without_axis(value, axis, input, flat, keepdim))
    made = _shaping.stack(results) if is_tensor and q._rank else results[0]
    if is_tensor and q.requires_grad and _engine.gradient_mode() and interpolation == "linear":
        made = made + _by_fraction(made, q, ordered, axis, last if skips_nan else n - 1, (input, flat, keepdim))
    return finish(made, out)


def _by_fraction(made, q, ordered, axis, last, how):
    """Zeros of the quantiles' shape, whose derivative by ``q`` is the step between the neighbours of each."""
    numbers, zeros = q.detach().reshape(-1).tolist(), (q - q.detach()).reshape(-1)
    ordered = ordered.detach()
    parts = []
    for i, number in enumerate(numbers):
        at = last * number
        if not isinstance(last, Tensor):
            at = ordered.new_full([1 if d == axis else m for d, m in enumerate(ordered._shape)], at)
        low, high = (ordered.gather(axis, place.to(DTYPES["int64"])) for place in (at.floor(), at.ceil()))
        parts.append(_without_axis((high - low) * last, axis, *how) * zeros[i])
    return (_shaping.stack(parts) if q._rank else parts[0]).to(made.dtype)


def _without_axis(value, axis, input, flat, keepdim):
    if not keepdim:
        return _engine.array_without_axes(value, [axis])
    return value._reshaped([1] * input._rank) if flat else value


def _last_numbers(line, axis):
    """Where in each ordered line the last element stands that is no NaN, in the line's type; 0 where there is none."""
    return (sum(~_op("isnan", line), axis, True) - 1).clamp(min=0).to(line.dtype)


def _between(ordered, axis, at, interpolation):
    """The values at places between elements of ordered lines, a place for each line."""
    low, high = at.floor(), at.ceil()
    if interpolation == "nearest":
        low = high = at.round()
    elif interpolation in ("lower", "higher"):
        low = high = low if interpolation == "lower" else high
    a, b = (ordered.gather(axis, place.to(DTYPES["int64"])) for place in (low, high))
    share = (at - low) if interpolation == "linear" else 0.5
    return a if low is high else _op("where", low == high, a, a + (b - a) * share)


def _rank_less(result, dim, out):
    """The result for a tensor without dimensions."""
    dim_of(0 if dim is None else dim, 0)
    return finish(result, out)


def _half_even(x):
    low = math.floor(x)
    return low if x - low < 0.5 or (x - low == 0.5 and low % 2 == 0) else low + 1


def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The different elements in order; also where each element is among them, and how often each occurs. This waits for them."""
    host = host_values(input.detach())
    if dim is not None:
        dim = dim_of(dim, input._rank)
        if input._rank == 0:
            raise RuntimeError("unique_dim() needs a tensor with dimensions")
    if input._dtype_name == "bfloat16":
        found = unique(input.float(), sorted, return_inverse, return_counts, dim)
        return found.bfloat16() if isinstance(found, Tensor) else (found[0].bfloat16(), *found[1:])
    values, first, inverse, counts = numpy.unique(host, True, True, True, axis=dim)
    place = engine_device_of(input)
    results = [_at_places(input, first, dim) if input.requires_grad else _creation.sent(values, input._dtype_name, place)]
    if return_inverse:
        results.append(_creation.sent(inverse.reshape(input._shape if dim is None else -1), "int64", place))
    if return_counts:
        results.append(_creation.sent(counts, "int64", place))
    return results[0] if len(results) == 1 else tuple(results)


def _at_places(input, places, dim):
    """The elements, or parts along a dimension, at places on the host: with a derivative, where PyTorch has none."""
    line = input.reshape(-1) if dim is None else input
    return line.index_select(dim or 0, _creation.sent(numpy.asarray(places, "int64"), "int64", engine_device_of(input)))


def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    """The elements, or the slices along ``dim``, without those that equal the one before. This waits for them."""
    if input._dtype_name == "bfloat16":
        found = unique_consecutive(input.float(), return_inverse, return_counts, dim)
        return found.bfloat16() if isinstance(found, Tensor) else (found[0].bfloat16(), *found[1:])
    if dim is not None:
        dim = dim_of(dim, input._rank)
        if 0 in input._shape[:dim] + input._shape[dim + 1 :]:
            raise RuntimeError("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")
    host = host_values(input.detach())
    host = host.reshape(-1) if dim is None else numpy.moveaxis(host, dim, 0)
    count = host.shape[0]
    if count:
        differ = (host[1:] != host[:-1]).reshape(count - 1, math.prod(host.shape[1:])).any(axis=1)
        starts = numpy.flatnonzero(numpy.concatenate([[True], differ]))
    else:
        starts = numpy.zeros(0, int)
    place = engine_device_of(input)
    if input.requires_grad:
        values = _at_places(input, starts, dim)
    else:
        kept = host[starts]
        values = _creation.sent(kept if dim is None else numpy.moveaxis(kept, 0, dim), input._dtype_name, place)
    results = [values]
    if return_inverse:
        inverse = numpy.searchsorted(starts, numpy.arange(count), "right") - 1
        results.append(_creation.sent(inverse if dim is not None else inverse.reshape(input._shape), "int64", place))
    if return_counts:
        results.append(_creation.sent(numpy.diff(numpy.append(starts, count)), "int64", place))
    return results[0] if len(results) == 1 else tuple(results)


def bincount(input, weights=None, minlength=0):
    """How often each of 0, 1, 2 ... occurs, or the sums of the weights there."""
    if input.dtype._kind not in "iub":
        raise NotImplementedError(f"\"bincount_cpu\" not implemented for '{_types.scalar_name(input.dtype)}'")
    if input._rank != 1:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if weights is not None and weights._shape != input._shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    largest = int(amax(input)) if input._size else -1
    if input._size and int(amin(input)) < 0:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    bins = largest + 1 if largest + 1 > minlength else minlength
    kind = DTYPES["int64"] if weights is None else weights.dtype if weights.dtype._name == "float32" else DTYPES["float64"]
    made = input.new_zeros(bins, dtype=kind)
    return made.index_add(0, input.to(DTYPES["int64"]), input.new_ones(input._size, dtype=kind) if weights is None else weights.to(kind))


def histc(input, bins=100, min=0, max=0, *, out=None):
    """How many elements lie in each of so many equal parts of [min, max]; by default of the range of the elements."""
    _ordered(input, "histc")
    bins = operator.index(bins)
    if bins <= 0:
        raise RuntimeError("bins must be > 0")
    low, high = float(min), float(max)
    if high < low:
        raise RuntimeError("max must be larger than min")
    if not input._size:
        return finish(input.new_zeros(bins), out)
    if low == high:
        low, high = float(amin(input)), float(amax(input))
    if low == high:
        low, high = low - 1, high + 1
    inside = (input >= low) & (input <= high)
    if not math.isfinite(low) or not math.isfinite(high):
        raise RuntimeError(f"range of [{low}, {high}] is not finite")
    at = ((input - low) * (bins / (high - low))).floor().to(DTYPES["int64"])
    at = _op("minimum", at, at.new_full((), bins - 1))
    at = _op("where", inside, at, bins)
    made = input.new_zeros(bins + 1).index_add(0, at.reshape(-1), input.new_ones(input._size))
    return finish(made[:bins].clone(), out)


def cov(input, *, correction=1, fweights=None, aweights=None):
    """The covariances of the rows, whose columns are observations."""
    if input._rank > 2:
        raise RuntimeError(f"cov(): expected input to have two or fewer dimensions but got an input with {input._rank} dimensions")
    if input._dtype_name == "bool":
        raise RuntimeError("cov(): bool dtype is not supported for input")
    if input.dtype._kind in "iu":
        input = input.to(_types.get_default_dtype())
    x = input._reshaped([1, input._size]) if input._rank < 2 else input
    if fweights is not None or aweights is not None:
        return _weighted_covariance(x, correction, fweights, aweights)._reshaped([] if x._shape[0] == 1 else [x._shape[0]] * 2)
    away = x - mean(x, 1, True)
    made = away @ away.mH / _at_least_zero(x._shape[1] - correction)
    return made._reshaped([]) if x._shape[0] == 1 else made


def _at_least_zero(count):
    return count if count > 0 else 0


def _weighted_covariance(x, correction, fweights, aweights):
    given = [w for w in (fweights, aweights) if w is not None]
    for one in given:
        if one._shape != (x._shape[1],):
            raise RuntimeError(f"cov(): expected weights of {x._shape[1]} elements but got {list(one._shape)}")
    w = given[0] if len(given) == 1 else given[0] * given[1]
    total = sum(w)
    away = x - sum(x * w, 1, True) / total
    if aweights is None or not correction:
        rest = total - correction
    else:
        rest = total - correction * sum(w * aweights) / total
    weighted = away * w
    return weighted @ away.mH.to(weighted.dtype) / rest


def corrcoef(input):
    """The correlations of the rows."""
    if input._rank > 2:
        raise RuntimeError(f"corrcoef(): expected input to have two or fewer dimensions but got an input with {input._rank} dimensions")
    c = cov(input)
    if not c._rank:
        return c / c
    d = _op("sqrt", _engine.array_diagonal(c, 0, 0, 1))
    return c / d.unsqueeze(1) / d.unsqueeze(0)


METHODS = """aminmax count_nonzero logsumexp norm dist logcumsumexp msort quantile nanquantile unique unique_consecutive
bincount histc cov corrcoef"""
NAMES = [*METHODS.split(), "var_mean", "std_mean"]
_SAME_OUT = "quantile nanquantile logcumsumexp histc msort"
check_all(globals(), NAMES, same_out=_SAME_OUT)
add_methods(globals(), METHODS)
Tensor.count_nonzero = of_several(count_nonzero)


def _in_place(name):
    function = FACES[name]

    def in_place(self, dim, *, dtype=None):
        return self._take_values(function(_engine.unhooked(self), dim, dtype=self.dtype if dtype is None else dtype), name)

    in_place.__name__ = name + "_"
    in_place.__doc__ = f"As :meth:`{name}`, written into this tensor, which is returned."
    return in_place


Tensor.cumsum_, Tensor.cumprod_ = _in_place("cumsum"), _in_place("cumprod")
