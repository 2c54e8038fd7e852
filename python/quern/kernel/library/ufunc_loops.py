"""Which loop of a NumPy ufunc a call with numbers takes, by Numba's rule.

It is the first loop that all operands convert to safely, where integers beside reals or complex numbers convert to any of these: the sum
of an int32 and a float32 is a float32, as NumPy's is not. Loops of half precision and of Python's objects do not count.
"""

from __future__ import annotations

import functools

import numpy

from quern.kernel import types
from quern.kernel.value import cast

_NO_LOOPS = frozenset("egGOmM")


def in_its_loop(ufunc, compile_call):
    """``compile_call`` of the ufunc (library/table.py) with operands as the loop takes them; its result is the loop's."""

    def compile_in_loop(compiler, arguments, named, node):
        loop = None
        if not named and len(arguments) == ufunc.nin and all(map(_has_loops, arguments)):
            loop = loop_of(ufunc, tuple(a.type for a in arguments))
        if loop is None:
            return compile_call(compiler, arguments, named, node)
        inputs, output = loop
        made = compile_call(compiler, [cast(compiler.present(a, node), t) for a, t in zip(arguments, inputs, strict=True)], named, node)
        return cast(made, output) if isinstance(made.type, types.Number) and output is not None else made

    return compile_in_loop


def _has_loops(value):
    return isinstance(value.type, types.Number) and value.type not in types.HALVES


@functools.lru_cache(maxsize=4096)
def loop_of(ufunc, given):
    """The types that operands of these types are converted to, and that of the result (None where there are several); None for no loop."""
    dtypes = [t.dtype for t in given]
    are_mixed = any(d.kind in "iu" for d in dtypes) and any(d.kind in "fc" for d in dtypes)
    for loop in ufunc.types:
        inputs, outputs = loop.split("->")
        if _NO_LOOPS.isdisjoint(inputs + outputs) and all(_goes(d, i, are_mixed) for d, i in zip(dtypes, inputs, strict=True)):
            made = [types.of_dtype(numpy.dtype(c)) for c in inputs + outputs]
            return made[: ufunc.nin], made[-1] if ufunc.nout == 1 else None
    return None


def _goes(dtype, char, are_mixed):
    to = numpy.dtype(char)
    return (are_mixed and dtype.kind in "iu" and to.kind in "fc") or numpy.can_cast(dtype, to, "safe")
