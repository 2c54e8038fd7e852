"""What functions made by vectorize do with lines of elements: reduce, accumulate, reduceat, at, outer; the kernel of parallel reductions.

As NumPy's they take one element after the other, which shows with `x - y`. All threads fold where the order cannot show, and for the target
"cuda", whose order is anyone's; on a GPU also sums and products of reals, which one thread would take a thousand times as long for.
"""

from __future__ import annotations

import ast
import builtins

import numpy

from quern.arrays import core as _core
from quern.arrays.manipulation import broadcast_to
from quern.kernel import types
from quern.kernel.errors import KernelError, TypingError
from quern.kernel.generalized import GeneralFunction
from quern.kernel.program import Program
from quern.kernel.source import Source
from quern.lib import _engine

_ANY_ORDER = (ast.Add, ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor)


def _along(function, cast):
    # What the function gives is cast each time: Numba's sums of 32 bits have 64.
    def along(start, x, out):
        made = start
        for i in range(x.shape[0]):
            made = cast(function(made, x[i]))
        out[0] = made

    return along, "(),(n)->()"


def _along_where(function, cast):
    def along(start, x, mask, out):
        made = start
        for i in range(x.shape[0]):
            if mask[i]:
                made = cast(function(made, x[i]))
        out[0] = made

    return along, "(),(n),(n)->()"


def _running(function):
    def running(x, out):
        out[0] = x[0]
        for i in range(1, x.shape[0]):
            out[i] = function(out[i - 1], x[i])

    return running, "(n)->(n)"


def _parts(function):
    def parts(x, places, out):
        for k in range(places.shape[0]):
            begin = places[k]
            end = places[k + 1] if k + 1 < places.shape[0] else x.shape[0]
            out[k] = x[begin]
            for i in range(begin + 1, end):
                out[k] = function(out[k], x[i])

    return parts, "(n),(m)->(m)"


def _at_places(function, cast, *more):
    def of_one(x, places, out):
        for i in range(x.shape[0]):
            out[i] = x[i]
        for k in range(places.shape[0]):
            out[places[k]] = function(cast(out[places[k]]))

    def of_two(x, places, values, out):
        for i in range(x.shape[0]):
            out[i] = x[i]
        for k in range(places.shape[0]):
            out[places[k]] = function(cast(out[places[k]]), values[k])

    return (of_two, "(n),(m),(m)->(n)") if more else (of_one, "(n),(m)->(n)")


def returned(function):
    """(the expression, the names of the parameters) of a function that is nothing but `return expression`; None for others."""
    try:
        tree = Source(function).tree
    except KernelError:
        return None  # whoever compiles it says what is wrong
    body = tree.body if isinstance(tree, ast.Lambda) else tree.body[-1] if len(tree.body) == 1 else None
    body = body.value if isinstance(body, ast.Return) else body
    return None if body is None else (body, [a.arg for a in tree.args.args])


def takes_any_order(function):
    """Is it seen to be associative and commutative, but for how reals are rounded?"""
    found = returned(function)
    if found is None:
        return False
    body, names = found
    operands = ()
    if isinstance(body, ast.BinOp) and isinstance(body.op, _ANY_ORDER):
        operands = (body.left, body.right)
    elif isinstance(body, ast.Call) and getattr(body.func, "id", None) in ("max", "min") and not body.keywords:
        hides = body.func.id in (*function.__globals__, *function.__code__.co_freevars)
        if not hides or function.__globals__.get(body.func.id) is getattr(builtins, body.func.id):
            operands = body.args
    return len(names) == 2 and sorted(getattr(x, "id", "") for x in operands) == sorted(names)


def reduction(function, type_, name, identity=None):
    """The engine's kernel that folds ``function`` over numbers of that type, in any order."""
    program = Program(function, (type_, type_), False)
    result = program.kernel.result
    if types.unified(result, type_) is None:
        raise program.kernel.error(TypingError, program.kernel.source.tree, f"it folds numbers of {type_} and returns {result}")
    word = word_of(type_)
    half = ".half()" if type_ == types.float16 else ""
    fold = f"quern::py::cast<{global_text(type_)}>(quern::py::{program.kernel.symbol}(a{half}, b{half}))"
    start = "" if identity in (None, "reorderable") else str(identity)
    return _engine.ReductionKernel(f"{word} x", f"{word} y", "x", fold, "y = a", start, program.kernel.source.symbol, "", program.text, [])


def global_text(type_):
    """The C++ type, outside of quern's namespaces."""
    return type_.c.replace("op::", "quern::op::").replace("complex<", "quern::complex<")


def word_of(type_):
    """What the engine calls the type."""
    return "bool" if type_ == types.boolean else "int64" if isinstance(type_, types.Time) else type_.name


class Folds:
    """The methods of VectorFunction that fold; it has ``nin``, ``py_func``, ``identity`` and the loops."""

    def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=numpy._NoValue, where=True, stream=0):
        """The function folded over the elements along ``axis``, one after the other as NumPy does it; for the target "cuda" in any order.

        Several axes (a tuple, None for all) are for functions with an ``identity``. ``initial``: what the fold begins with, by default the
        identity, or the first element where there is none; ``where``: which elements count; ``out`` takes the result. Work is in order on
        any ``stream``.
        """
        self._check_binary("reduce")
        given, array = array, _core.asarray(array)
        whole = (0, -1, None) if array.ndim == 0 else (None,)
        axes = tuple(range(array.ndim)) if axis in whole else axis if isinstance(axis, tuple) else (axis,)
        axes = tuple(_core._axis(a, array.ndim) for a in axes)
        if len(set(axes)) != len(axes):
            raise ValueError("duplicate value in 'axis'")
        if self.targetoptions.get("target") == "cuda" and initial is numpy._NoValue and where is True:
            kernel = reduction(self.py_func, types.of_dtype(array.dtype if dtype is None else dtype), self.__name__, self.identity)
            array = array if dtype is None else array.astype(dtype)
            return self._handed((kernel.call([array], [], axes, bool(keepdims), _core.Array))[0], given, out)
        if len(axes) > 1 and self.identity is None:
            raise ValueError(f"reduction operation '{self.__name__}' is not reorderable, so at most one axis may be specified")
        first, second = self._loop_of_fold(array, dtype, out)
        start = self.identity if initial is numpy._NoValue and self.identity != "reorderable" else initial
        start = None if start is numpy._NoValue or start == "reorderable" else start
        made = self._reduced(array, axes, first, second, start, where)
        shape = tuple(1 if i in axes else n for i, n in enumerate(array.shape) if keepdims or i not in axes)
        return self._handed(made.reshape(shape), given, out)

    def _reduced(self, array, axes, first, second, start, where):
        kept = [i for i in range(array.ndim) if i not in axes]
        shape = tuple(array.shape[i] for i in kept)
        count = int(numpy.prod([array.shape[i] for i in axes], dtype=numpy.int64))

        def lines(x):
            return x.transpose((*kept, *axes)).reshape((*shape, count))

        if start is None and where is not True:
            raise ValueError(
                f"reduction operation '{self.__name__}' does not have an identity, so to use a where mask one has to specify 'initial'"
            )
        if start is None and count == 0 and 0 not in shape:
            raise ValueError(f"zero-size array to reduction operation {self.__name__} which has no identity")
        if 0 in shape:
            return _core.asarray(numpy.zeros(shape, first.dtype))
        rest = lines(array)
        if start is None:
            begins, rest = _core.Array.__getitem__(rest, (..., 0)).astype(first.dtype), _core.Array.__getitem__(rest, (..., slice(1, None)))
        else:
            begins = _core.asarray(numpy.asarray(start).astype(first.dtype))
        rest = rest.astype(second.dtype)
        if rest.size == 0:
            return broadcast_to(begins, shape)
        if where is not True:
            mask = lines(broadcast_to(_core.asarray(where).astype(bool), array.shape))
            return self._fold(_along_where, first, second[:], types.boolean[:], first[:], more=(first,))(begins, rest, mask)
        exact = isinstance(first, types.Integer)
        if first == second and (exact or rest.device.kind != "cpu") and takes_any_order(self.py_func):
            made = reduction(self.py_func, first, self.__name__).call([rest], [], [rest.ndim - 1], False, _core.Array)[0]
            return self(begins, made, dtype=first.dtype)
        return self._fold(_along, first, second[:], first[:], more=(first,))(begins, rest)

    def accumulate(self, array, axis=0, dtype=None, out=None):
        """What the function gives of what it gave before and the next element, along an axis."""
        given, array, axis = self._line(array, axis, "accumulate")
        type_ = self._one_type(array, dtype, out)
        array = array.astype(type_.dtype)
        folded = self._fold(_running, type_[:], type_[:])
        return self._handed(folded(array.swapaxes(axis, -1)).swapaxes(axis, -1) if array.size else array, given, out)

    def reduceat(self, array, indices, axis=0, dtype=None, out=None):
        """The function folded over parts of an axis: from each index up to the next one; one element where the next one is not greater."""
        given, array, axis = self._line(array, axis, "reduceat")
        places = numpy.asarray(_core.asnumpy(indices) if isinstance(indices, _core.Array) else indices).astype(numpy.int64)
        if places.ndim != 1:
            raise ValueError(f"[{self.__name__}.reduceat] the indices are of one dimension, not of {places.ndim}")
        length = array.shape[axis]
        wrong = places[(places < 0) | (places >= length)]
        if wrong.size:
            raise IndexError(f"index {wrong[0]} out-of-bounds in {self.__name__}.reduceat [0, {length})")
        type_ = self._one_type(array, dtype, out)
        array = array.astype(type_.dtype).swapaxes(axis, -1)
        if not array.size or not places.size:
            made = _core.asarray(numpy.zeros((*array.shape[:-1], places.size), type_.dtype))
        else:
            made = self._fold(_parts, type_[:], types.int64[:], type_[:])(array, places)
        return self._handed(made.swapaxes(axis, -1), given, out)

    def at(self, a, indices, *b):
        """``a[indices] = function(a[indices], b)`` in place, where an element that occurs several times is taken each time, in order."""
        if self.nin > 2 or len(b) != self.nin - 1:
            raise TypeError(f"[{self.__name__}.at] it takes {self.nin} operands, and {len(b) + 1} are given; at() is for one or two")
        if not isinstance(a, (numpy.ndarray, _core.Array)):
            raise TypeError(f"[{self.__name__}.at] the first operand must be an array, not a {type(a).__name__}")
        indices = tuple(map(_on_host, indices)) if isinstance(indices, tuple) else _on_host(indices)
        places = numpy.asarray(numpy.arange(a.size).reshape(a.shape)[indices])
        b = [x if isinstance(x, _core.Array) else numpy.asarray(x) for x in b]
        loop = self._chosen([a, *b])
        result = self._row(loop)[1]
        if isinstance(result, types.Complex) and a.dtype.kind != "c":
            raise TypeError(f"[{self.__name__}.at] the result is {result}, which cannot be cast to an array of {a.dtype}")
        values = [broadcast_to(_core.asarray(x), places.shape).reshape(-1).astype(t.dtype) for x, t in zip(b, loop[1:], strict=True)]
        if not places.size:
            return
        of = types.of_dtype(a.dtype)
        key = (of[:], types.int64[:], *(t[:] for t in loop[1:]), of[:])
        made = self._fold(_at_places, *key, more=loop)(a.reshape(-1), places.reshape(-1), *values)
        if isinstance(a, numpy.ndarray):
            a[...] = _core.asnumpy(made).reshape(a.shape)
        else:
            _core.Array.__setitem__(a, ..., made.reshape(a.shape))

    def outer(self, a, b, **kwargs):
        """The function of each element of ``a`` with each of ``b``."""
        self._check_binary("outer product")
        a, b = (x if isinstance(x, _core.Array) else numpy.asarray(x) for x in (a, b))
        return self(a.reshape((*a.shape, *[1] * b.ndim)), b, **kwargs)

    def _check_binary(self, what):
        if self.nin != 2:
            raise ValueError(f"[{self.__name__}] {what} only supported for binary functions; this one takes {self.nin}")

    def _line(self, array, axis, name):
        self._check_binary(name)
        given, array = array, _core.asarray(array)
        if array.ndim == 0:
            raise TypeError(f"cannot {name} on a scalar")
        if axis is None or (isinstance(axis, tuple) and len(axis) != 1):
            raise ValueError(f"{name} does not allow multiple axes")
        return given, array, _core._axis(axis[0] if isinstance(axis, tuple) else axis, array.ndim)

    def _fold(self, make, *signature, more=()):
        key = (make, *signature, *more)
        if key not in self._folds:
            function, layout = make(self.py_func, *more)
            function.__name__ = self.__name__
            self._folds[key] = GeneralFunction(function, [signature], layout, **self.targetoptions)
        return self._folds[key]

    def _loop_of_fold(self, array, dtype, out):
        """The types of the first and second argument of the loop that folds: what it gives is its first argument again."""
        out = out[0] if isinstance(out, tuple) and out else out
        if dtype is None and out is None and self.__name__ in ("add", "multiply") and array.dtype.kind in "biu" and not self._is_open:
            # NumPy goes by the name: sums and products of small integers are of 64 bits.
            dtype = numpy.uint64 if array.dtype.kind == "u" else numpy.int64
        if dtype is not None:
            wanted = types.of_dtype(dtype)
            known = [one for one, row in self._rows.items() if one[0] == wanted == row[1]]
            loops = known or ([(wanted, wanted)] if self._is_open else [])
        else:
            loops = [self._chosen([array if out is None else out, array])]
            if self._is_open:
                result = self._row(loops[0])[1]
                loops = [(result, result)]
        for loop in loops:
            if self._row(loop)[1] == loop[0]:
                return loop
        said = "none of its loops" if dtype is None else f"no loop of {numpy.dtype(dtype)}"
        raise TypeError(f"[{self.__name__}] {said} gives what its first argument is, and folds need one; there is {self.types}")

    def _one_type(self, array, dtype, out):
        first, second = self._loop_of_fold(array, dtype, out)
        if first != second:
            raise TypeError(f"[{self.__name__}] accumulate and reduceat need a loop of one type, not of {first} and {second}")
        return first

    def _handed(self, made, given, out):
        """The result where it is wanted: in ``out``, or on the device if ``given`` is there, or as NumPy's."""
        if isinstance(out, tuple) and len(out) == 1:
            (out,) = out
        out = _core._as_target(out)
        if out is not None:
            if not isinstance(out, (numpy.ndarray, _core.Array)):
                raise TypeError(f"[{self.__name__}] out must be an array, not a {type(out).__name__}")
            if out.shape != made.shape:
                raise ValueError(f"[{self.__name__}] the result has shape {made.shape}, and `out` {out.shape}")
            if isinstance(out, numpy.ndarray):
                out[...] = _core.asnumpy(made)
            else:
                _core.Array.__setitem__(out, ..., made)
            return out
        if isinstance(given, _core.Array):
            return made if type(made) is type(given) else made._as(type(given))
        return _core.asnumpy(made)[()]


def _on_host(index):
    return _core.asnumpy(index) if isinstance(index, _core.Array) else index
