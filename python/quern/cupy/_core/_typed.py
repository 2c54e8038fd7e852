"""create_ufunc() and create_reduction_func(): functions out of CUDA C++ texts, one for each row of types, as CuPy makes its own."""

import numpy

from quern import arrays as _arrays
from quern.arrays.core import Array
from quern.cupy._array import as_ndarray
from quern.cupy._kernels import ElementwiseKernel, ReductionKernel

# What the types are called in the texts.
_C_NAMES = dict(
    zip("?bBhHiIlLqQ", ("bool", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int"), strict=False)
)
_C_NAMES |= {"l": "long long", "L": "unsigned long long", "q": "long long", "Q": "unsigned long long"}
_C_NAMES |= {"e": "float16", "f": "float", "d": "double", "F": "complex<float>", "D": "complex<double>"}

_NUMBERS = {bool: "biufc", int: "iufc", float: "fc", complex: "c"}  # the kinds that take a number of Python's


def _takes(dtype, value):
    """May this go, without loss, where ``dtype`` is asked for?"""
    if type(value) is bool:
        return True
    kinds = _NUMBERS.get(type(value))
    return dtype.kind in kinds if kinds else numpy.can_cast(value.dtype, dtype)


class _Typed:
    """Rows of types, each with its text; the first row that fits the arguments is computed."""

    def __init__(self, name, ops, routine, preamble, doc):
        self.name = self.__name__ = name
        self.__doc__, self._preamble, self._made = doc, preamble, {}
        self._rows = []
        for op in ops:
            types, own = (op, None) if isinstance(op, str) else op
            ins, outs = (tuple(numpy.dtype(c) for c in side) for side in types.split("->"))
            self._rows.append((ins, outs, routine if own is None else own))
        self.nin, self.nout = len(self._rows[0][0]), len(self._rows[0][1])
        self.nargs = self.nin + self.nout
        self.types = ["".join(t.char for t in ins) + "->" + "".join(t.char for t in outs) for ins, outs, _ in self._rows]

    def __repr__(self):
        return f"<ufunc '{self.name}'>"

    def _row(self, values, dtype):
        for number, (ins, outs, _) in enumerate(self._rows):
            if dtype is not None:
                if all(t == dtype for t in outs):
                    return number
            elif all(_takes(t, v) for t, v in zip(ins, values, strict=True)):
                return number
        given = (
            f"dtype {numpy.dtype(dtype)}" if dtype is not None else ", ".join(str(getattr(v, "dtype", type(v).__name__)) for v in values)
        )
        raise TypeError(f"Wrong type ({given}) of arguments for {self.name}: it takes {', '.join(self.types)}")

    def _kernel(self, number):
        kernel = self._made.get(number)
        if kernel is None:
            ins, outs, routine = self._rows[number]
            kernel = self._made[number] = self._make(_parameters("in", ins), _parameters("out", outs), _typedefs(ins, outs), routine)
        return kernel


def _parameters(name, types):
    return ", ".join(f"{t.name} {name}{i}" for i, t in enumerate(types))


def _typedefs(ins, outs):
    lines = []
    for name, types in (("in", ins), ("out", outs)):
        for i, t in enumerate(types):
            c = _C_NAMES[t.char]
            lines.append(f"typedef {c} {name}{i}_type; typedef {c} type_{name}{i}; typedef {c} type_{name}{i}_raw;\n")
    return "".join(lines)


def _operand(value):
    return value if type(value) in _NUMBERS or isinstance(value, numpy.generic) else _arrays.asarray(value)


class _Ufunc(_Typed):
    def __init__(self, name, ops, routine, preamble, doc, casting, loop_prep):
        super().__init__(name, ops, routine, preamble, doc)
        self._casting, self._loop_prep = casting or "same_kind", loop_prep

    def _make(self, ins, outs, typedefs, routine):
        return ElementwiseKernel(ins, outs, routine, self.name, preamble=typedefs + self._preamble, loop_prep=self._loop_prep)

    def __call__(self, *args, out=None, dtype=None, casting=None):
        if len(args) not in (self.nin, self.nargs):
            raise TypeError(
                f"Wrong number of arguments for {self.name!r}: it takes {self.nin}, or {self.nargs} with outputs, not {len(args)}"
            )
        given = args[self.nin :]
        if out is not None:
            if given:
                raise ValueError("Cannot specify 'out' as both a positional and keyword argument")
            given = out if isinstance(out, tuple) else (out,)
        values = [_operand(v) for v in args[: self.nin]]
        if not any(isinstance(v, Array) for v in values):  # numbers alone are of their own types
            values = [_arrays.asarray(v) for v in values]
        number = self._row(values, None if dtype is None else numpy.dtype(dtype))
        ins, outs, _ = self._rows[number]
        for t, o in zip(outs, given, strict=False):
            if o is not None and not numpy.can_cast(t, o.dtype, casting or self._casting):
                raise TypeError(
                    f"output (typecode '{t.char}') could not be coerced to provided output parameter (typecode '{o.dtype.char}')"
                )
        values = [v.astype(t) if hasattr(v, "dtype") else v for t, v in zip(ins, values, strict=True)]
        results = self._kernel(number)(*values)
        results = list(results) if self.nout > 1 else [results]
        for n, o in enumerate(given):
            if o is not None:
                o[...] = results[n]
                results[n] = o
        return tuple(results) if self.nout > 1 else results[0]


class _Reduction(_Typed):
    def __init__(self, name, ops, routine, identity, preamble):
        super().__init__(name, ops, routine, preamble, None)
        self._identity, self._routine = identity, routine

    def _make(self, ins, outs, typedefs, routine):
        usual = self._routine or (None,) * 4
        mapped, reduced, post, reduce_type = (own or of_all for own, of_all in zip(routine, usual, strict=True))
        return ReductionKernel(
            ins,
            outs,
            mapped or "in0",
            reduced or "a + b",
            post or "out0 = a",
            self._identity,
            self.name,
            reduce_type or "type_out0_raw",
            preamble=typedefs + self._preamble,
        )

    def __call__(self, a, axis=None, dtype=None, out=None, keepdims=False):
        a = _arrays.asarray(a)
        number = self._row([a], None if dtype is None else numpy.dtype(dtype))
        result = self._kernel(number)(as_ndarray(a.astype(self._rows[number][0][0])), axis=axis, keepdims=keepdims)
        if out is None:
            return result
        out[...] = result
        return out


def create_ufunc(
    name, ops, routine=None, preamble="", doc="", default_casting=None, loop_prep="", out_ops=None, cutensor_op=None, scatter_op=None
):
    """A function of arrays that computes each element, from CUDA C++ source.

    Parameters
    ----------
    ops : tuple
        The rows of types it is for, ``"ff->f"``, or with a text of their own, ``("ff->f", "out0 = in0 + in1")``. The first that takes
        the arguments without loss is computed.
    routine : str
        The statements for one element, where the row has none: of ``in0``, ``in1`` ... and ``out0`` ...; the types are ``in0_type`` ...

    Call it with the inputs; keywords: ``out``, ``dtype`` (the row with that result), ``casting`` (into ``out``). Raises TypeError where no
    row fits.

    Examples
    --------
    >>> import numpy as np
    >>> from quern import cupy as cp
    >>> halves = cp._core.create_ufunc("halves", ("i->f", "d->d"), "out0 = in0 / (out0_type)2")
    >>> halves(cp.asarray([1, 2], dtype=np.int32))
    array([0.5, 1. ], dtype=float32)
    """
    return _Ufunc(name, ops, routine, preamble, doc, default_casting, loop_prep)


def create_reduction_func(name, ops, routine=None, identity=None, preamble="", sort_reduce_axis=True):
    """A function that reduces an array, from CUDA C++ source.

    Parameters
    ----------
    ops : tuple
        The rows of types, ``"f->d"``, or with four texts of their own: ``("f->d", (map, reduce, post, type))``, None where they are
        ``routine``'s.
    routine : tuple of four str or None
        What is made of an element (``in0``), how two of these are combined (``a``, ``b``), the statement that sets ``out0`` from ``a``,
        and the C++ type of what is combined, by default the result's. ``type_in0_raw`` and ``type_out0_raw`` are the types.
    identity : str or number
        What to start from; None: from the first element.

    Call it with an array; keywords: ``axis``, ``dtype``, ``out``, ``keepdims``. Raises TypeError where no row fits.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> largest = cp._core.create_reduction_func("largest", ("i->i", "d->d"), ("abs(in0)", "max(a, b)", "out0 = a", None), 0)
    >>> largest(cp.asarray([[1.0, -3.0], [2.0, 0.5]]), axis=1)
    array([3., 2.])
    """
    return _Reduction(name, ops, routine, identity, preamble)
