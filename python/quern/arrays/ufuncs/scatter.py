"""``ufunc.at``: many values to places of an array, also to one place several times. CuPy's scatter functions stand on it.

Sums, extremes and bits go by atomics where they have the array's type: one kernel, which waits for nothing. For the rest the places are
read: where each occurs once it is one update, else values for one place are put together first, or go in one after the other.
"""

import functools

import numpy

from quern.arrays.core import Array, _device_of, asarray, asnumpy
from quern.arrays.creation import arange
from quern.arrays.mathematics import negative
from quern.arrays.ufuncs import _by_name, segments
from quern.lib import _engine

_WIDE = "unsigned long long"
_KERNELS = {}  # (a ufunc's name, a type) -> the statement that puts v into a[at]
for _type, _as in {"int32": "int", "uint32": "unsigned", "int64": _WIDE, "uint64": _WIDE}.items():
    for _name, _atomic in {"add": "Add", "bitwise_and": "And", "bitwise_or": "Or", "bitwise_xor": "Xor"}.items():
        _cast = "unsigned" if _type == "int32" and _name == "add" else _as
        _KERNELS[_name, _type] = f"atomic{_atomic}(({_cast}*)&a[at], ({_cast})v)"
    for _name, _atomic in {"maximum": "Max", "minimum": "Min"}.items():
        _cast = "long long" if _type == "int64" else _as
        _KERNELS[_name, _type] = f"atomic{_atomic}(({_cast}*)&a[at], ({_cast})v)"
_KERNELS["add", "float32"] = _KERNELS["add", "float64"] = "atomicAdd(&a[at], v)"
# Of real numbers the better one is put in until it stays; a NaN wins, as in maximum() and minimum().
_SWAP = """
{bits}* place = ({bits}*)&a[at];
{bits} seen = *place;
for (;;) {{
  T old = {back}(seen);
  if (!(v {better} old || (v != v && old == old))) break;
  {bits} before = atomicCAS(place, seen, ({bits}){to}(v));
  if (before == seen) break;
  seen = before;
}}"""
for _name, _better in (("maximum", ">"), ("minimum", "<")):
    _KERNELS[_name, "float32"] = _SWAP.format(bits="int", back="__int_as_float", to="__float_as_int", better=_better)
    _KERNELS[_name, "float64"] = _SWAP.format(bits=_WIDE, back="__longlong_as_double", to="__double_as_longlong", better=_better)

_MOST_ROUNDS = 32  # of updates one after the other, before NumPy is asked


@functools.cache
def _kernel(name, dtype):
    return _engine.ElementwiseKernel("int64 at, T v", "raw T a", _KERNELS[name, dtype], f"scatter_{name}", "", "", "", True, [])


def _launch(name, target, at, values):
    if target._dtype_name.startswith("complex"):
        _launch(name, target.real, at, values.real)
        return _launch(name, target.imag, at, values.imag)
    if values._shares_cell(target):
        values = values.copy()
    operands = [x._as(Array) for x in (at, values, target)]
    _kernel(name, target._dtype_name).call(operands[:2], operands[2:], None, 128, _device_of(target), Array)


def _keeps_type(name, target, given, values):
    """Is it the same when the values are converted to the array's type first?"""
    if isinstance(given, numpy.int64) and target.dtype.kind in "iu":  # a Python int, or as good as one
        info = numpy.iinfo(target.dtype)
        return info.min <= given <= info.max
    if name in ("maximum", "minimum"):
        return numpy.can_cast(values.dtype, target.dtype) or values.dtype.kind == target.dtype.kind == "f"
    return numpy.can_cast(values.dtype, target.dtype, "same_kind")


def update(ufunc, target, indices, given=None):
    """``target[indices] = ufunc(target[indices], given)`` for each place as often as ``indices`` names it; False where NumPy has to.

    Raises IndexError for places that are not there, ValueError for values that do not broadcast to the places.
    """
    if not target._writeable:
        raise ValueError("assignment destination is read-only")
    name, unary = ufunc.__name__, given is None
    place = _device_of(target)
    values = None if unary else given if isinstance(given, Array) else asarray(given, device=place)
    operands = (target.dtype,) if unary else (target.dtype, values.dtype)
    types = ufunc._host.resolve_dtypes((*operands, None))  # raises TypeError where it is not defined
    at = arange(target.size, device=place)._reshaped(list(target.shape))._as(type(target))[indices]  # as the target's front end indexes
    if not unary:
        try:
            values = values._broadcast_to(list(at.shape))
        except ValueError:
            raise ValueError("array is not broadcastable to correct shape") from None
    if at.size == 0:
        return True
    real = {"complex64": "float32", "complex128": "float64"}.get(target._dtype_name, target._dtype_name)
    by = "add" if name == "subtract" and target.dtype.kind != "b" else name
    if (by, real) in _KERNELS and (real == target._dtype_name or by == "add") and _keeps_type(name, target, given, values):
        values = values.astype(target._dtype_name, copy=False)
        _launch(by, target, at, values if by == name else negative(values))
        return True
    one_type = all(t == target.dtype for t in types)
    return _looked_at(ufunc, target, asnumpy(at).reshape(-1), None if unary else values._reshaped([at.size]), one_type, place)


def _looked_at(ufunc, target, places, values, one_type, place):
    """``one_type``: is all computed in the array's own type?"""
    whole = target if target.ndim else target._reshaped([1])

    def apply(where, chosen):
        index = tuple(_engine.array_coordinates(whole, asarray(where, device=place)))
        whole[index] = ufunc(whole[index], *chosen).astype(target._dtype_name, copy=False)

    def of(order):
        return () if values is None else (_engine.array_take(values, [0], asarray(order, device=place)),)

    unique, counts = numpy.unique(places, return_counts=True)
    most = int(counts.max())
    if most == 1:
        apply(places, () if values is None else (values,))
        return True
    order = numpy.argsort(places, kind="stable")
    starts = numpy.cumsum(counts) - counts
    joins = {"subtract": "add", "divide": "multiply"}.get(ufunc.__name__, ufunc.__name__)
    if values is not None and joins in segments.JOINED and one_type:
        joined = segments.reduced_parts(_by_name[joins], of(order)[0].astype(target._dtype_name, copy=False), starts, target.dtype)
        if joined is not None:
            apply(unique, (joined,))
            return True
    if most > _MOST_ROUNDS and isinstance(ufunc._host, numpy.ufunc):
        return False
    for turn in range(most):
        chosen = order[starts[counts > turn] + turn]
        apply(places[chosen], of(chosen))
    return True
