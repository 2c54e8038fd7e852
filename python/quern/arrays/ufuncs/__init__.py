"""ufunc objects: how they are made, and every call of one that is not plain.

A call with arrays and numbers goes straight to the engine (bindings/ufunc.cpp); keywords, lists and composed ufuncs come to `_call`.
methods.py has reduce, accumulate, reduceat, outer and at. NumPy's ufunc of the same name says what its types and rules are.
"""

import ast
import re

import numpy

from quern.arrays.core import Array, _dtype_name, asarray, asnumpy
from quern.arrays.fallback import run
from quern.arrays.signatures import signature_of
from quern.arrays.ufuncs.examples import EXAMPLES
from quern.lib import _engine

ufunc = _engine.ufunc
_by_name = {}  # NumPy's name of each, aliases left out

_SERVED = frozenset("?bBhHiIlLqQefdFD")
_WEAK = (bool, int, float, complex)
_ORDERS = ("K", "C", "F", "A")


def make(name, module, op=None, function=None, doc=(), host=None):
    """A ufunc: of the engine's ``op``, or composed: ``function`` takes arrays and gives one array or a tuple.

    ``host``: what knows its types, by default NumPy's ufunc of that name. ``doc``: what it computes, and the call and result of an
    example; by default NumPy's words and EXAMPLES.
    """
    host = host or getattr(numpy, name)
    made = _engine.make_ufunc(op)
    vars(made).update(
        __name__=host.__name__, __qualname__=name, __module__=module, nin=host.nin, nout=host.nout, nargs=host.nargs,
        types=[types for types in host.types if _SERVED.issuperset(types.replace("->", ""))],
        identity=host.identity, signature=host.signature, _op=op, _function=function, _host=host, _doc=doc,
    )  # fmt: skip
    made.ntypes = len(made.types)
    _by_name[host.__name__] = made
    return made


_WHERE = """where : array_like of bool, optional
    Where to compute; elsewhere ``out`` keeps its values, or the result is 0 without ``out``.
"""
_OPTIONS = """casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, optional
    Which conversions of dtypes are allowed.
order : {'C', 'F', 'A', 'K'}, optional
    Memory layout of the results.
dtype : dtype, optional
    Dtype of the computation and of the results.
subok : bool, optional
    Accepted for compatibility; has no effect.
signature : str or tuple, optional
    Dtypes of operands and results, as in NumPy.
"""
_AXES = """axes : list of tuples, optional
    Axes of the core dimensions of each operand and result.
axis : int, optional
    The only core dimension's axis.
"""


def _operands(host):
    return ["x"] if host.nin == 1 else [f"x{i + 1}" for i in range(host.nin)]


def _example(host, is_cupys, call, result):
    """A call as a new interpreter runs it, and its result; CuPy's functions accept no lists."""
    line, name = ("from quern import cupy as cp", "cp") if is_cupys else ("import quern as qn", "qn")
    values = [re.sub(r"(?<!')\binf\b", f"{name}.inf", ast.unparse(value)) for value in ast.parse(call, mode="eval").body.args]
    if is_cupys:
        values = [f"cp.array({value})" if value.startswith("[") else value for value in values]
    return f"\nExamples\n--------\n>>> {line}\n>>> {name}.{host.__name__}({', '.join(values)})\n{result}"


def _documentation(host, is_cupys, summary="", *example):
    """The docstring of a ufunc of quern or, with `is_cupys`, of quern.cupy."""
    array = "ndarray" if is_cupys else "Array"
    numpys = " ".join("".join((host.__doc__ or "").split("\n\n")[1:2]).split())
    summary = (summary or numpys or f"Compute ``{host.__name__}`` of each element").rstrip(".") + "."
    name = ", ".join(_operands(host))
    if not example and (values := EXAMPLES.get(host.__name__)):
        example = f"{host.__name__}({values[0]})", values[1]
    return "\n".join([
        f"{summary}\n\nParameters\n----------\n{name} : array_like\n    Operands, which are broadcast to a common shape.",
        f"out : {array} or tuple of {array}, optional\n    Arrays that receive the results.",
        (_OPTIONS + _AXES if host.signature else _WHERE + _OPTIONS),
        f"Returns\n-------\n{f'tuple of {array}' if host.nout > 1 else array}\n    The result, element by element.\n",
        f"Raises\n------\nTypeError\n    For dtypes that ``{host.__name__}`` is not defined for.",
        "ValueError\n    For shapes that do not broadcast.",
        *([_example(host, is_cupys, *example)] if example else []),
        "",
    ])  # fmt: skip


class _Documentation:
    """The attribute __doc__ of ufuncs, made when it is read."""

    def __get__(self, made, owner=None):
        if made is None:
            return "Function that works element by element, with NumPy's attributes, keywords and methods."
        return _documentation(made._host, "_find" in vars(made), *made._doc)  # only those of front ends have a finder


class _Signature:
    """The attribute __signature__ of ufuncs, made when it is read."""

    def __get__(self, made, owner=None):
        if made is None:
            raise AttributeError("__signature__")
        options = "casting='same_kind', order='K', dtype=None, subok=True, signature=None"
        options = f"{options}, axes=None, axis=None" if made.signature else f"where=True, {options}"
        return signature_of(f"({', '.join(_operands(made))}, /, out=None, *, {options})")


def _of_name(name):
    return _by_name[name]


# ---- the arguments of a call


def _outputs(self, values, out):
    """The inputs, and a list of what takes each result (None: a new array)."""
    nin, nout = self.nin, self.nout
    if not nin <= len(values) <= nin + nout:
        raise TypeError(f"{self.__name__}() takes from {nin} to {nin + nout} positional arguments but {len(values)} were given")
    outs = [None] * nout
    if len(values) > nin:
        if out is not None:
            raise TypeError("cannot specify 'out' as both a positional and keyword argument")
        outs[: len(values) - nin] = values[nin:]
    elif isinstance(out, tuple):
        if len(out) != nout:
            raise ValueError("The 'out' tuple must have exactly one entry per ufunc output")
        outs = list(out)
    elif out is not None:
        if nout > 1:
            raise TypeError("'out' must be a tuple of arrays")
        outs = [out]
    for given in outs:
        if given is not None and not isinstance(given, (Array, numpy.ndarray)):
            raise TypeError("return arrays must be of ArrayType")
    return values[:nin], outs


def _operand(value):
    if isinstance(value, Array) or type(value) in _WEAK:
        return value
    if isinstance(value, numpy.generic) and value.dtype.char in _SERVED:
        return value
    return asarray(value)


def _weak_type(value):
    """As NumPy's resolve_dtypes takes it."""
    return type(value) if type(value) in (int, float, complex) else numpy.dtype(bool) if isinstance(value, bool) else value.dtype


def _resolved(self, values, outs, dtype, signature, casting):
    """The types of operands and results, by NumPy's rules and with its errors."""
    if dtype is not None:
        if signature is not None:
            raise TypeError("cannot specify both 'signature' and 'dtype'")
        signature = (None,) * self.nin + (numpy.dtype(dtype),) * self.nout
    given = tuple(_weak_type(v) for v in values) + tuple(None if out is None else out.dtype for out in outs)
    named = {} if signature is None else {"signature": signature}
    if casting == "equiv":  # it differs from "no" in the order of bytes alone; NumPy 2.4's resolve_dtypes crashes on it beside numbers
        casting = "no"
    return self._host.resolve_dtypes(given, casting=casting, **named)


def mask_of(where):
    """``where`` as an array of bools, None for everywhere; arrays must be of bools, lists are converted."""
    if where is True:
        return None
    where = asarray(where) if isinstance(where, (Array, numpy.ndarray)) else asarray(where, bool)
    if where._dtype_name != "bool":
        raise TypeError(f"Cannot cast array data from {where.dtype!r} to dtype('bool') according to the rule 'safe'")
    return where


def _check_order(order, values):
    """The order of the result: "C", "F" or "K"; "A" is "F" where all operands have it, else "C"."""
    if order is None or order == "K":
        return "K"
    if not isinstance(order, str):
        raise TypeError(f"order must be str, not {type(order).__name__}")
    if order.upper() not in _ORDERS:
        raise ValueError(f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})")
    if order.upper() != "A":
        return order.upper()
    arrays = [v for v in values if isinstance(v, (Array, numpy.ndarray))]
    return "F" if arrays and all(v.flags.f_contiguous for v in arrays) else "C"


# ---- calls


def _compute(self, values, loop=None):
    """A tuple of the results; ``loop``: the resolved types of operands and results."""
    if self._op is None:
        if loop is not None:
            values = [asarray(v).astype(t, copy=False) for v, t in zip(values, loop, strict=False)]
        results = _engine.array_settled(self._function(*values))
        results = results if isinstance(results, tuple) else (results,)
    else:
        types = {}
        if loop is not None:
            compute, result = _engine.array_op_types(self._op, [_dtype_name(t) for t in loop[: self.nin]])
            types = {"compute": compute, "result": result}
        results = (_engine.array_op(self._op, *values, **types),)
    if loop is not None:
        results = tuple(r.astype(t, copy=False) for r, t in zip(results, loop[self.nin :], strict=True))
    return results


def _fit(self, result, out, mask, casting, order):
    """The result in what takes it: ``out``, or a new array."""
    if out is None and mask is None:
        return asarray(result, order=order)
    shape = result.shape if mask is None else numpy.broadcast_shapes(result.shape, mask.shape)
    if out is None:
        hidden = _engine.array_op("where", mask, result, numpy.zeros((), result.dtype)[()])
        return asarray(hidden if hidden.shape == shape else hidden._broadcast_to(list(shape)).copy("K"), order=order)
    if not numpy.can_cast(result.dtype, out.dtype, casting):
        raise TypeError(f"Cannot cast ufunc '{self.__name__}' output from {result.dtype!r} to {out.dtype!r} with casting rule '{casting}'")
    whole = numpy.broadcast_shapes(shape, out.shape)
    if whole != out.shape:
        raise ValueError(
            f"non-broadcastable output operand with shape {out.shape} doesn't match the broadcast shape {whole}".replace(",)", ",)")
        )
    if isinstance(out, numpy.ndarray):
        numpy.copyto(out, asnumpy(result), casting="unsafe", where=True if mask is None else asnumpy(mask))
    elif mask is None:
        out[...] = result if out.shape else result[None]  # one number is converted as an array is, not checked
    else:
        out[...] = _engine.array_op("where", mask, result.astype(out.dtype, copy=False), out)
    return out


def _check_outs(self, values, outs, mask, loop, casting):
    """Before anything is computed: types first, then shapes."""
    if loop is None:
        _resolved(self, values, outs, None, None, casting)
    shapes = [v.shape for v in values if isinstance(v, (Array, numpy.ndarray))] + ([] if mask is None else [mask.shape])
    shape = numpy.broadcast_shapes(*shapes)
    for out in outs:
        if out is None:
            continue
        whole = numpy.broadcast_shapes(shape, out.shape)
        if whole != out.shape:
            raise ValueError(f"non-broadcastable output operand with shape {out.shape} doesn't match the broadcast shape {whole}")


def _call(self, *values, out=None, where=True, casting="same_kind", order="K", dtype=None, subok=True, signature=None, sig=None, **more):
    """A call with whatever arguments NumPy's ufunc takes."""
    if self.signature is not None and where is not True:
        raise TypeError(f"{self.__name__}() got an unexpected keyword argument 'where'")
    for name in more:
        if self.signature is None or name not in ("axes", "axis", "keepdims"):
            raise TypeError(f"{self.__name__}() got an unexpected keyword argument '{name}'")
    values, outs = _outputs(self, values, out)
    order, mask = _check_order(order, values), mask_of(where)
    if not isinstance(subok, bool):
        raise TypeError("'subok' must be a boolean")
    if sig is not None and signature is not None:
        raise TypeError("cannot specify both 'sig' and 'signature'")
    signature = sig if signature is None else signature
    if more:
        from quern.arrays.ufuncs import core_axes

        core_axes.check(self, **more)
        named = {"casting": casting, "order": order, "dtype": dtype, "signature": signature}
        result = core_axes.call(self, values, **more, **named)
        return _fit(self, result, outs[0], None, casting, order)
    try:
        values = [_operand(v) for v in values]
        loop = None
        if dtype is not None or signature is not None or casting != "same_kind":
            loop = _resolved(self, values, outs, dtype, signature, casting)
        plain = mask is None and loop is None and order == "K" and self._op is not None
        if plain and (outs[0] is None or isinstance(outs[0], Array)):
            result = _engine.array_op(self._op, *values, into=outs[0])
            return result if outs[0] is None else outs[0]
        if self.signature is None and any(o is not None for o in outs):
            _check_outs(self, values, outs, mask, loop, casting)
        if mask is not None and self.__name__ == "power" and isinstance(values[1], Array):  # an exponent left out may be anything
            values[1] = _engine.array_op("where", mask, values[1], numpy.ones((), values[1].dtype)[()])
        results = _compute(self, values, loop)
        if self.nout > 1 and any(o is not None for o in outs):  # what takes one result says how large the others are
            shape = numpy.broadcast_shapes(results[0].shape, *(o.shape for o in outs if o is not None))
            results = tuple(r if r.shape == shape else r._broadcast_to(list(shape)).copy("K") for r in results)
    except NotImplementedError as why:
        given = {"where": where, "casting": casting, "order": order, "dtype": dtype, "signature": signature}
        given = {k: v for k, v in given.items() if v is not {"where": True, "casting": "same_kind", "order": "K"}.get(k)}
        if any(o is not None for o in outs):
            given["out"] = tuple(outs)
        if not isinstance(self._host, numpy.ufunc):
            raise TypeError(str(why)) from None
        return run(self.__name__, self._host, values, given, str(why))
    fitted = tuple(_fit(self, r, o, mask, casting, order) for r, o in zip(results, outs, strict=True))
    return fitted[0] if self.nout == 1 else fitted


def _repr(self):
    return f"<ufunc '{self.__name__}'>"


ufunc._call = _call
ufunc.__signature__ = _Signature()
ufunc.__repr__ = ufunc.__str__ = _repr
ufunc.__reduce__ = lambda self: (vars(self).get("_find", _of_name), (self.__name__,))  # front ends name their finder
ufunc.__doc__ = _Documentation()


def resolve_dtypes(self, dtypes, **keywords):
    """Return the dtypes to which the operands are converted, and those of the results.

    Parameters
    ----------
    dtypes : tuple of dtype
        Dtypes of the operands and of `out`; None where there is no `out`. Python's int, float and complex are weak.
    **keywords : dict, optional
        ``signature`` and ``casting`` as in a call.

    Returns
    -------
    tuple of dtype
        Dtypes of operands and results.

    Raises
    ------
    TypeError
        Where there is no loop for the dtypes, or the casting rule forbids a conversion.

    Examples
    --------
    >>> import numpy, quern as qn
    >>> qn.add.resolve_dtypes((numpy.dtype("int32"), numpy.dtype("float32"), None))
    (dtype('float64'), dtype('float64'), dtype('float64'))
    """
    return self._host.resolve_dtypes(dtypes, **keywords)


ufunc.resolve_dtypes = resolve_dtypes
