"""scatter_add, scatter_max and scatter_min: many values to places of an array, with atomics. Other types than these run on the host."""

import functools

from quern import arrays
from quern.arrays.core import Array, asarray

_WIDE = "unsigned long long"
_OPERATIONS = {
    ("add", "int32"): "atomicAdd(&a[i], v)",
    ("add", "uint32"): "atomicAdd(&a[i], v)",
    ("add", "int64"): f"atomicAdd(({_WIDE}*)&a[i], ({_WIDE})v)",
    ("add", "uint64"): f"atomicAdd(({_WIDE}*)&a[i], ({_WIDE})v)",
    ("add", "float32"): "atomicAdd(&a[i], v)",
    ("add", "float64"): "atomicAdd(&a[i], v)",
    ("maximum", "int32"): "atomicMax(&a[i], v)",
    ("maximum", "uint32"): "atomicMax(&a[i], v)",
    ("maximum", "int64"): "atomicMax((long long*)&a[i], (long long)v)",
    ("maximum", "uint64"): f"atomicMax(({_WIDE}*)&a[i], ({_WIDE})v)",
    ("minimum", "int32"): "atomicMin(&a[i], v)",
    ("minimum", "uint32"): "atomicMin(&a[i], v)",
    ("minimum", "int64"): "atomicMin((long long*)&a[i], (long long)v)",
    ("minimum", "uint64"): f"atomicMin(({_WIDE}*)&a[i], ({_WIDE})v)",
}
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
    _OPERATIONS[_name, "float32"] = _SWAP.format(bits="int", back="__int_as_float", to="__float_as_int", better=_better)
    _OPERATIONS[_name, "float64"] = _SWAP.format(bits=_WIDE, back="__longlong_as_double", to="__double_as_longlong", better=_better)


@functools.cache
def _kernel(name, dtype):
    from quern.cupy._kernels import ElementwiseKernel

    text = _OPERATIONS[name, dtype].replace("a[i]", "a[at]")
    return ElementwiseKernel("int64 at, T v", "raw T a", text, f"cupy_scatter_{name[:3]}")


def scatter(name, array, slices, value):
    """``array[slices] = name(array[slices], value)``, for each place as often as ``slices`` names it."""
    if not isinstance(array, Array):
        raise TypeError(f"scatter_{name[:3]} needs an array, not {type(array).__name__}")
    dtype = array._dtype_name
    if dtype.startswith("complex") and name == "add":
        value = asarray(value)
        scatter(name, array.real, slices, value.real)
        if value._dtype_name.startswith("complex"):
            scatter(name, array.imag, slices, value.imag)
        return
    if (name, dtype) not in _OPERATIONS:
        getattr(arrays, name).at(array, slices, value)
        return
    from quern.cupy._array import as_ndarray

    at = as_ndarray(arrays.arange(array.size).reshape(array.shape)[slices])
    values = as_ndarray(arrays.broadcast_to(asarray(value).astype(dtype, copy=False), at.shape))
    if at.size:
        _kernel(name, dtype)(at, values, as_ndarray(array))
