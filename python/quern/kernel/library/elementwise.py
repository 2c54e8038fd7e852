"""NumPy's ufuncs over whole arrays in a kernel: ``np.add(x, y, out)``. Each thread does the loop for itself."""

from __future__ import annotations

import numpy

from quern.kernel import types
from quern.kernel.errors import TypingError
from quern.kernel.value import Value, cast, literal_text


def is_of_arrays(arguments, named):
    """Is a ufunc called with arrays, or with one for its results?"""
    return "out" in named or any(isinstance(a.type, types.Array) for a in arguments)


def over_arrays(compiler, ufunc, compile_call, arguments, named, node):
    """The call of a ufunc with arrays: the loop is written; the Value is the array of results.

    ``compile_call`` compiles the function of numbers, as library/table.py has it.
    """
    inputs, outs = arguments[: ufunc.nin], arguments[ufunc.nin :]
    if named.keys() - {"out"} or ("out" in named and outs):
        raise compiler.error(TypingError, node, f"numpy.{ufunc.__name__} takes its arrays and `out` in a kernel, and no other keywords")
    if "out" in named:
        outs = compiler.parts(named["out"], node) if isinstance(named["out"].type, types.Tuple) else [named["out"]]
    if len(inputs) < ufunc.nin or len(outs) != ufunc.nout:
        hint = "a kernel works on one element at a time: write a loop, or pass an array for the results"
        raise compiler.error(
            TypingError, node, f"numpy.{ufunc.__name__} of whole arrays takes {ufunc.nin + ufunc.nout} arrays in a kernel", hint
        )
    for value in outs:
        if not isinstance(value.type, types.Array):
            raise compiler.error(TypingError, node, f"the results go into an array, not into {value.type}")
        if value.type.readonly:
            raise compiler.error(TypingError, node, "this array is read-only")
        compiler.writes_to_array(value)
    for value in (*inputs, *outs):
        if not isinstance(value.type, (types.Array, types.Number)) or isinstance(getattr(value.type, "dtype", None), types.Record):
            raise compiler.error(TypingError, node, f"numpy.{ufunc.__name__} does not take {value.type}")
    inputs = [compiler.kept(v) for v in _as_the_arrays(inputs)]
    targets = [compiler.kept(v) for v in outs]
    like = targets[0]
    for value in (*inputs, *targets[1:]):
        if isinstance(value.type, types.Array):
            if value.type.ndim > like.type.ndim:
                raise compiler.error(TypingError, node, f"{value.type} has more dimensions than the array for the results, {like.type}")
            compiler.stop_if(f"!whole::fits({like.text}, {value.text})", ValueError, "operands could not be broadcast together")
    k, end = compiler.temporary("k"), compiler.temporary("end")
    compiler.emit(f"{end} = {like.text}.size();")
    compiler.head.append(f"long long {end} = 0;")
    compiler.emit(f"for (long long {k} = 0; {k} < {end}; ++{k}) {{")
    compiler.depth += 1
    numbers = [
        compiler.kept(Value(v.type.dtype, f"whole::item_beside({like.text}, {v.text}, {k})")) if isinstance(v.type, types.Array) else v
        for v in inputs
    ]
    made = compile_call(compiler, numbers, {}, node)
    results = compiler.parts(made, node) if len(targets) > 1 else [made]
    if len(results) > 1:
        results = [compiler.kept(r) for r in results]
    for value, target in zip(results, targets, strict=True):
        _check_cast(compiler, ufunc, value.type, target.type.dtype, node)
        compiler.emit(f"whole::store({target.text}, {k}, {value.text});")
    compiler.depth -= 1
    compiler.emit("}")
    return outs[0] if len(outs) == 1 else compiler.tuple_of(outs)


def _as_the_arrays(inputs):
    """Numbers that are written there take the type of the arrays beside them, as NumPy has it."""
    of = [v.type.dtype for v in inputs if isinstance(v.type, types.Array)]
    to = of[0] if of else None
    for other in of[1:]:
        to = types.unified(to, other)
    ranks = {types.Boolean: 0, types.Integer: 1, types.Float: 2, types.Complex: 3}
    out = []
    for value in inputs:
        fits = value.is_const and isinstance(value.type, types.Number) and to is not None and ranks[type(value.type)] <= ranks[type(to)]
        out.append(cast(value, to) if fits and literal_text(value.const, to) is not None else value)
    return out


def _check_cast(compiler, ufunc, made, wanted, node):
    if types.bfloat16 in (made, wanted):
        fits = made.kind in "biuf" and wanted.kind in "fc"
    else:
        fits = numpy.can_cast(made.dtype, wanted.dtype, "same_kind")
    if not fits:
        raise compiler.error(TypingError, node, f"numpy.{ufunc.__name__} makes {made}, which cannot be cast to an array of {wanted}")
