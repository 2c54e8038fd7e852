"""Whole arrays in kernels: reductions, other shapes and types over the same memory, copies, loops over places.

Each thread does the work for itself, by codegen/prelude/quern/python_arrays.cuh.
"""

from __future__ import annotations

import numpy

from quern.kernel import operators, types
from quern.kernel.errors import TypingError, UnsupportedError
from quern.kernel.library.table import bound, entry, method
from quern.kernel.value import Elements, Value, cast

_COPY_FIRST = "the array lies with gaps, or may: take a copy of it first"

# ---- reductions


def _total_type(t):
    """Of sums: integers are added in 64 bits."""
    if isinstance(t, (types.Integer, types.Boolean)):
        return types.uint64 if isinstance(t, types.Integer) and not t.signed else types.int64
    return t


def _as_in_memory(array):
    """The source of an array whose elements Numba adds in the order of memory: columns of a Fortran array one after another."""
    if array.type.layout != "F" or array.type.ndim < 2:
        return array.text
    return f"whole::turned<{', '.join(map(str, reversed(range(array.type.ndim))))}>({array.text})"


def _total(text):
    def reduce(compiler, array, skips, dtype, node):
        to = _total_type(array.type.dtype) if dtype is None else dtype
        if isinstance(array.type.dtype, types.Complex) and not isinstance(to, types.Complex):
            raise compiler.error(TypingError, node, f"{array.type.dtype} does not convert to {to}")
        work = types.float32 if to in types.HALVES else to
        return cast(Value(work, f"whole::{text}<{work.c}, {skips}>({_as_in_memory(array)})"), to)

    return reduce


def _refuse_nothing(compiler, array, kind, text):
    """An array without elements raises ``kind(text)`` where somebody learns of it; the array, computed once."""
    if not compiler.is_told:
        return array
    array = compiler.kept(array)
    compiler.stop_if(f"{array.text}.size() == 0", kind, text)
    return array


def _middle_types(t, skips):
    """The types of the sum of such numbers, of the quotient, and of the mean that is returned, as Numba has them."""
    if t in types.HALVES:
        return types.float32, types.float64, types.float64
    narrow, wide = (types.complex64, types.complex128) if isinstance(t, types.Complex) else (types.float32, types.float64)
    return (narrow, wide, narrow) if t == narrow and skips == "false" else (wide, wide, wide)


def _mean(compiler, array, skips, dtype, node):
    work, quotient, to = _middle_types(array.type.dtype, skips)
    return cast(Value(quotient, f"whole::mean<{work.c}, {quotient.c}, {skips}>({_as_in_memory(array)})"), to)


def _variance(text):
    def reduce(compiler, array, skips, dtype, node):
        if skips == "false" and not compiler.settings.divides:
            array = _refuse_nothing(compiler, array, ZeroDivisionError, "division by zero")
        middle = ", ".join(t.c for t in _middle_types(array.type.dtype, skips))
        return Value(types.float64, text.format(f"whole::variance<{middle}, {skips}>({_as_in_memory(array)})"))

    return reduce


def _extreme(name, greatest):
    def reduce(compiler, array, skips, dtype, node):
        which = f"operation {name} which has no identity" if skips == "false" else "operation not possible"
        array = _refuse_nothing(compiler, array, ValueError, f"zero-size array to reduction {which}")
        return Value(array.type.dtype, f"whole::extreme<{skips}, {greatest}>({array.text})")

    return reduce


def _place(name, greatest):
    def reduce(compiler, array, skips, dtype, node):
        array = _refuse_nothing(compiler, array, ValueError, f"attempt to get {name} of an empty sequence")
        place = Value(types.int64, f"whole::place_of_extreme<{skips}, {greatest}>({array.text})", natural=True)
        if skips == "false" or not compiler.is_told or not isinstance(array.type.dtype, types.Float):
            return place
        compiler.stop_if(f"whole::count<true>({array.text}) == 0", ValueError, "All-NaN slice encountered")
        return place

    return reduce


def _range(compiler, array, skips, dtype, node):
    """The difference has the type that Numba's has: integers differ in 64 bits, unsigned ones are real numbers then."""
    t = array.type.dtype
    if isinstance(t, types.Boolean):
        raise compiler.error(TypingError, node, "numpy boolean subtract, the `-` operator, is not supported (numpy.ptp)")
    array = compiler.kept(_refuse_nothing(compiler, array, ValueError, "zero-size array reduction not possible"))
    work = _total_type(t)
    ends = [cast(Value(t, f"whole::extreme<{skips}, {greatest}>({array.text})"), work).text for greatest in ("true", "false")]
    is_signed = isinstance(t, types.Integer) and t.signed
    to = types.complex128 if isinstance(t, types.Complex) else types.int64 if is_signed else types.float64
    return cast(Value(work, f"op::subtract({', '.join(ends)})"), to)


def _truth(type_, text):
    def reduce(compiler, array, skips, dtype, node):
        return Value(type_, f"whole::{text}({array.text})", natural=isinstance(type_, types.Integer))

    return reduce


# The function, the names in NumPy, the one that leaves NaN out, the method.
_REDUCTIONS = [
    (_total("sum"), ("sum",), "nansum", "sum"),
    (_total("product"), ("prod",), "nanprod", "prod"),
    (_mean, ("mean",), "nanmean", "mean"),
    (_variance("{0}"), ("var",), "nanvar", "var"),
    (_variance("::sqrt({0})"), ("std",), "nanstd", "std"),
    (_extreme("minimum", "false"), ("min", "amin"), "nanmin", "min"),
    (_extreme("maximum", "true"), ("max", "amax"), "nanmax", "max"),
    (_place("argmin", "false"), ("argmin",), "nanargmin", "argmin"),
    (_place("argmax", "true"), ("argmax",), "nanargmax", "argmax"),
    (_range, ("ptp",), None, None),
    (_truth(types.boolean, "all"), ("all",), None, "all"),
    (_truth(types.boolean, "any"), ("any",), None, "any"),
    (_truth(types.int64, "count_true"), ("count_nonzero",), None, None),
]


def _called(reduce, name, skips):
    def compile_call(compiler, arguments, named, node):
        given = dict(named)
        axis = given.pop("axis", arguments[1] if len(arguments) > 1 else None)
        dtype = given.pop("dtype", None) if name in ("sum", "prod") else None
        if given or not arguments or len(arguments) > 2 or (axis is not None and not isinstance(axis.type, types.NoneType)):
            hint = "write a loop over the parts for an axis"
            raise compiler.error(TypingError, node, f"numpy.{name} takes an array in a kernel, and reduces all of it", hint)
        (array,) = arguments[:1]
        if not isinstance(array.type, types.Array) or isinstance(array.type.dtype, (types.Record, types.Time)):
            hint = "write a loop" if isinstance(getattr(array.type, "dtype", None), types.Time) else ""
            raise compiler.error(TypingError, node, f"numpy.{name} takes an array of numbers in a kernel, not {array.type}", hint)
        return reduce(compiler, array, skips, None if dtype is None else compiler.dtype_of(dtype, node), node)

    return compile_call


def _as_method(compile_call):
    def made(compiler, owner, node):
        if isinstance(owner.type.dtype, types.Record):
            return None  # a field may have that name
        return bound(lambda compiler, owner, arguments, named, node: compile_call(compiler, [owner, *arguments], named, node), owner)

    return made


for _reduce, _names, _nan_name, _method in _REDUCTIONS:
    for _name in _names:
        entry(getattr(numpy, _name))(_called(_reduce, _name, "false"))
    if _nan_name:
        entry(getattr(numpy, _nan_name))(_called(_reduce, _nan_name.removeprefix("nan"), "true"))
    if _method:
        method(types.Array, _method)(_as_method(_called(_reduce, _method, "false")))

# ---- the same memory in another way


def _array(compiler, arguments, node, name):
    if not arguments or not isinstance(arguments[0].type, types.Array):
        given = arguments[0].type if arguments else "nothing"
        raise compiler.error(TypingError, node, f"{name} takes an array in a kernel, not {given}")
    return arguments[0]


def _no_names(compiler, named, node, name, known=()):
    if named.keys() - set(known):
        raise compiler.error(TypingError, node, f"{name} takes no '{next(iter(named.keys() - set(known)))}' in a kernel")


def _of(owner, dtype, ndim, layout):
    """The type of a view of the array with elements of that type."""
    return types.Array(dtype, ndim, layout, owner.type.readonly, owner.type.packed)


def _whole_again(compiler, value, node, said):
    """A view that has no memory where its shape does not go: the thread ends then."""
    value = compiler.kept(value)
    compiler.stop_if(f"!{value.text}.data", ValueError, said)
    return value


def reshape(compiler, arguments, named, node):
    array = _array(compiler, arguments, node, "reshape")
    _no_names(compiler, named, node, "reshape", ("shape", "newshape", "order"))
    order = named.pop("order", None)
    if order is not None and compiler.constant_of(order, node, "order") != "C":
        raise compiler.error(TypingError, node, "reshape goes in C order in a kernel")
    lengths = [*arguments[1:], *named.values()]
    if len(lengths) == 1 and isinstance(lengths[0].type, types.Tuple):
        lengths = compiler.parts(lengths[0], node)
    texts = [compiler.integer(v, node, "an integer in a shape").text for v in lengths]
    if array.type.layout != "C":
        raise compiler.error(TypingError, node, f"{array.type} is not reshaped in a kernel", _COPY_FIRST)
    text = f"whole::reshaped({', '.join([array.text, *texts])})"
    made = Value(_of(array, array.type.dtype, len(texts), "C"), text, name=array.name)
    return _whole_again(compiler, _of_memory(compiler, array, made), node, "cannot reshape array")


def _of_memory(compiler, array, made):
    """Memory of the kernel's own has no name that stands for a parameter's."""
    return made if array.name or not isinstance(array.type, types.FixedArray) else Value(made.type, made.text, name=compiler.own_name())


def ravel(compiler, arguments, named, node):
    array = _array(compiler, arguments, node, "ravel")
    _no_names(compiler, named, node, "ravel")
    if len(arguments) > 1:
        raise compiler.error(TypingError, node, "ravel goes in C order in a kernel")
    if array.type.layout != "C":
        return flatten(compiler, arguments, named, node)
    if array.type.ndim == 1:
        return array
    made = Value(_of(array, array.type.dtype, 1, "C"), f"whole::reshaped({array.text}, -1LL)", name=array.name)
    return _of_memory(compiler, array, made)


def view(compiler, arguments, named, node):
    array = _array(compiler, arguments, node, "view")
    _no_names(compiler, named, node, "view", ("dtype",))
    given = [*arguments[1:], *named.values()]
    if len(given) != 1:
        raise compiler.error(TypingError, node, "view requires a dtype in a kernel")
    dtype = compiler.dtype_of(given[0], node)
    if array.type.packed:
        hint = "make the record type with align=True"
        raise compiler.error(UnsupportedError, node, "the field is not aligned for its type", hint)
    before, after = array.type.dtype.bits, dtype.bits
    if before != after and array.type.ndim == 0:
        raise compiler.error(TypingError, node, f"an array without axes has no view as {dtype}", "their sizes differ")
    layout = array.type.layout if before == after else "C" if array.type.layout == "C" else "A"
    made = Value(_of(array, dtype, array.type.ndim, layout), f"whole::viewed<{dtype.memory}>({array.text})", name=array.name)
    made = _of_memory(compiler, array, made)
    return made if before == after else _whole_again(compiler, made, node, "the view does not fit")


def transpose(compiler, arguments, named, node):
    array = _array(compiler, arguments, node, "transpose")
    _no_names(compiler, named, node, "transpose", ("axes",))
    axes = [*arguments[1:], *named.values()]
    if len(axes) == 1 and isinstance(axes[0].type, types.Tuple):
        axes = compiler.parts(axes[0], node)
    ndim = array.type.ndim
    axes = [compiler.constant_of(a, node, "an axis") for a in axes if not isinstance(a.type, types.NoneType)] or list(range(ndim))[::-1]
    if sorted(a % ndim if -ndim <= a < ndim else -1 for a in axes) != list(range(ndim)):
        raise compiler.error(TypingError, node, f"the axes of {array.type} are each named once, not {tuple(axes)}")
    text = f"whole::turned<{', '.join(str(a % ndim) for a in axes)}>({array.text})"
    return _of_memory(compiler, array, Value(_of(array, array.type.dtype, ndim, "A"), text, name=array.name))


def _part(which):
    def part(compiler, owner, node):
        dtype = owner.type.dtype
        if isinstance(dtype, types.Record):
            return None
        if not isinstance(dtype, types.Complex):
            if which:
                raise compiler.error(TypingError, node, f"the imaginary parts of {owner.type} are all 0")
            return owner
        element = f"packed<{dtype.part.c}>" if owner.type.packed else dtype.part.c
        made = Value(_of(owner, dtype.part, owner.type.ndim, "A"), f"whole::part<{element}, {which}>({owner.text})", name=owner.name)
        return _of_memory(compiler, owner, made)

    return part


method(types.Array, "real")(_part(0))
method(types.Array, "imag")(_part(1))

# ---- copies


def _copy(compiler, array, dtype, node):
    if isinstance(array.type.dtype, types.Record) and array.type.dtype.dtype != dtype.dtype:
        raise compiler.error(TypingError, node, f"{array.type.dtype} does not convert to {dtype}")
    if isinstance(array.type.dtype, types.Complex) and not isinstance(dtype, types.Complex):
        raise compiler.error(TypingError, node, f"{array.type.dtype} does not convert to {dtype}", "take its .real")
    compiler.has_copies = True
    memory = compiler.temporary("memory")
    compiler.head.append(f"whole::heap {memory};")
    type_ = types.Array(dtype, array.type.ndim, "C")
    made = Value(type_, f"whole::copied<{dtype.memory}>({memory}, {array.text})", name=compiler.own_name())
    return _whole_again(compiler, made, node, "there is no memory for a copy")


def copy(compiler, arguments, named, node):
    array = _array(compiler, arguments, node, "copy")
    if len(arguments) > 1 or named:
        raise compiler.error(TypingError, node, "copy takes no arguments in a kernel")
    return _copy(compiler, array, array.type.dtype, node)


def flatten(compiler, arguments, named, node):
    return ravel(compiler, [copy(compiler, arguments, named, node)], {}, node)


def astype(compiler, arguments, named, node):
    array = _array(compiler, arguments, node, "astype")
    if len(arguments) != 2 or named:
        raise compiler.error(TypingError, node, "astype requires a dtype in a kernel")
    return _copy(compiler, array, compiler.dtype_of(arguments[1], node), node)


# ---- elements


def item(compiler, arguments, named, node):
    array = _array(compiler, arguments, node, "item")
    if named or len(arguments) not in (1, 2, 1 + array.type.ndim):
        raise compiler.error(TypingError, node, "item requires the index of an element")
    if len(arguments) == 1 + array.type.ndim:
        return compiler.element(array, arguments[1:], node)
    at = compiler.integer(arguments[1], node, "an index") if len(arguments) == 2 else operators.constant(0)
    return _in_order(compiler, array, at)


def fill(compiler, arguments, named, node):
    array = _array(compiler, arguments, node, "fill")
    if named or len(arguments) != 2:
        raise compiler.error(TypingError, node, "fill takes a value")
    if array.type.readonly:
        raise compiler.error(TypingError, node, "this array is read-only")
    compiler.writes_to_array(array)
    value = compiler.converted(compiler.number(arguments[1], node), array.type.dtype, node)
    return Value(types.none, f"fill({array.text}, {value.text})")


for _name, _f in {
    "reshape": reshape, "ravel": ravel, "view": view, "transpose": transpose, "copy": copy, "flatten": flatten, "astype": astype,
    "item": item, "fill": fill,
}.items():  # fmt: skip
    method(types.Array, _name)(_as_method(_f))
for _name, _f in {"reshape": reshape, "ravel": ravel, "transpose": transpose, "copy": copy}.items():
    entry(getattr(numpy, _name))(_f)


@entry(numpy.shape, takes=1)
def call_shape(compiler, arguments, named, node):
    array = _array(compiler, arguments, node, "numpy.shape")
    return compiler.tuple_of([Value(types.int64, f"{array.text}.extent({i})", natural=True) for i in range(array.type.ndim)])


@entry(numpy.size, takes=1)
def call_size(compiler, arguments, named, node):
    return Value(types.int64, f"{_array(compiler, arguments, node, 'numpy.size').text}.size()", natural=True)


@entry(numpy.ndim, takes=1)
def call_ndim(compiler, arguments, named, node):
    return operators.constant(_array(compiler, arguments, node, "numpy.ndim").type.ndim)


# ---- all elements in C order, and their places


class Flat(Elements):
    """``a.flat`` of an array that may have gaps; else it is an array."""

    def __init__(self, array):
        self.array = array

    def length(self, compiler, node):
        return f"{self.array.text}.size()"

    def item(self, compiler, i, node):
        return _in_order(compiler, self.array, i)


class Places(Elements):
    """``np.ndindex(shape)``; with an array, ``np.ndenumerate(array)``."""

    def __init__(self, lengths, of=None):
        self.lengths, self.of = lengths, of

    def length(self, compiler, node):
        return "(" + " * ".join(v.text for v in self.lengths) + ")" if self.lengths else "1LL"

    def item(self, compiler, i, node):
        places = []
        for axis, length in enumerate(self.lengths):
            text = i.text
            if axis + 1 < len(self.lengths):
                text = f"({text} / ({' * '.join(v.text for v in self.lengths[axis + 1 :])}))"
            if axis:
                text = f"({text} % {length.text})"
            places.append(compiler.kept(Value(types.int64, text, natural=True)))
        place = compiler.tuple_of(places)
        return place if self.of is None else compiler.tuple_of([place, compiler.element(self.of, places, node)])


def _in_order(compiler, array, i):
    text = f"in_order({array.text}, {i.text})"
    if isinstance(array.type.dtype, types.Record):
        return Value(array.type.dtype, f"&{text}", name=array.name)
    return Value(array.type.dtype, f"{text}.load()", place=text) if array.type.packed else Value(array.type.dtype, text)


@method(types.Array, "flat")
def array_flat(compiler, owner, node):
    if isinstance(owner.type.dtype, types.Record) and "flat" in owner.type.dtype.dtype.names:
        return None
    if owner.type.layout == "C":
        return ravel(compiler, [owner], {}, node)
    made = Flat(compiler.kept(owner))
    return Value(types.Known(made), const=made)


def _lengths(compiler, values, node):
    return [compiler.kept(cast(compiler.integer(v, node, "an integer in a shape"), types.int64)) for v in values]


@entry(numpy.ndindex)
def call_ndindex(compiler, arguments, named, node):
    if named:
        raise compiler.error(TypingError, node, "numpy.ndindex takes no keyword arguments in a kernel")
    if len(arguments) == 1 and isinstance(arguments[0].type, types.Tuple):
        arguments = compiler.parts(arguments[0], node)
    made = Places(_lengths(compiler, arguments, node))
    return Value(types.Known(made), const=made)


@entry(numpy.ndenumerate, takes=1)
def call_ndenumerate(compiler, arguments, named, node):
    array = compiler.kept(_array(compiler, arguments, node, "numpy.ndenumerate"))
    lengths = [Value(types.int64, f"{array.text}.extent({i})", natural=True) for i in range(array.type.ndim)]
    made = Places(_lengths(compiler, lengths, node), array)
    return Value(types.Known(made), const=made)
