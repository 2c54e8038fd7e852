"""What NumPy's ufunc is to others, for a row of the engine's ops table that NumPy has no ufunc of: names, types, documentation."""

import numpy

from quern.lib import _engine

_WEAK = {int: "int64", float: "float64", complex: "complex128"}


def _dtype(value):
    return numpy.dtype(_WEAK.get(value, value))


class OwnOp:
    """Stands where others have NumPy's ufunc: its names, and its types by the engine's rules."""

    def __init__(self, op, operands):
        self.__name__, self.nin, self.nout, self.nargs = op, operands, 1, operands + 1
        self.identity = self.signature = None
        loops = {}
        for name in _engine.dtype_names():
            try:
                loops[_engine.try_array_op_types(op, [name] * operands)] = None
            except TypeError:
                continue
        self._loops = [tuple(map(numpy.dtype, loop)) for loop in loops]
        self.types = [compute.char * operands + "->" + result.char for compute, result in self._loops]

    def _loop(self, given, signature):
        """The types that are computed in and given."""
        if signature is None:
            known = [d for d in given if d not in _WEAK]
            weak = [d(1) for d in given if d in _WEAK]
            given = [numpy.result_type(*known, *weak) if known and d in _WEAK else _dtype(d) for d in given]
            return tuple(map(numpy.dtype, _engine.array_op_types(self.__name__, [d.name for d in given])))
        wanted = [None if d is None else numpy.dtype(d) for d in signature]
        for compute, result in self._loops:
            if all(w in (None, t) for w, t in zip(wanted, (compute,) * self.nin + (result,), strict=True)):
                return compute, result
        raise TypeError(f"No loop matching the specified signature and casting was found for ufunc {self.__name__}")

    def resolve_dtypes(self, dtypes, *, signature=None, casting="same_kind"):
        """The types that operands of these types are converted to, and the result's; Python's number types are weak."""
        *given, out = dtypes
        compute, result = self._loop(given, signature)
        for d in map(_dtype, given):
            if not numpy.can_cast(d, compute, casting):
                raise TypeError(f"Cannot cast ufunc '{self.__name__}' input from {d!r} to {compute!r} with casting rule '{casting}'")
        if out is not None and not numpy.can_cast(result, out, casting):
            raise TypeError(f"Cannot cast ufunc '{self.__name__}' output from {result!r} to {out!r} with casting rule '{casting}'")
        return (*(compute,) * self.nin, result)
