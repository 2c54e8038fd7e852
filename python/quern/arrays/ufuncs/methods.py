"""The methods of ufuncs: reduce, accumulate, reduceat, outer and at.

reduce is native where the engine has the reduction, where a row of ops does it (subtract: the first less the sum of the others),
and where the order does not matter (halves on halves); the rest runs on the host.
"""

import math

import numpy

from quern.arrays import mathematics as elementwise
from quern.arrays.core import Array, _axis, asarray
from quern.arrays.creation import full
from quern.arrays.fallback import run
from quern.arrays.manipulation import concatenate, moveaxis
from quern.arrays.mathematics import reductions
from quern.arrays.mathematics.reductions import _NONE, _first_value, _given, _where_mask
from quern.arrays.ufuncs import scatter, segments, ufunc
from quern.lib import _engine

_REDUCTIONS = _engine.functions_of("reduce", "quern")  # by the ufuncs' names
_HALVING = segments.HALVED  # halves of the elements are put together until one is left
_REORDERABLE = segments.JOINED
_IN_PARTS = _REORDERABLE | {"subtract", "divide"}  # what reduceat is native for


def _check_binary(self, what):
    if self.signature is not None:
        raise RuntimeError("Reduction not defined on ufunc with signature")
    if self.nin != 2:
        raise ValueError(f"{what} only supported for binary functions")
    if self.nout != 1:
        raise ValueError(f"{what} only supported for functions returning a single value")


def _single(out):
    if isinstance(out, tuple):
        if len(out) != 1:
            raise ValueError("The 'out' tuple must have exactly one entry")
        (out,) = out
    if out is not None and not isinstance(out, (Array, numpy.ndarray)):
        raise TypeError("output must be an array")
    return out


def _of_host(self, method):
    if not isinstance(self._host, numpy.ufunc):
        raise TypeError(f"{self.__name__}.{method} is not supported for these arguments, and NumPy has no such ufunc to fall back to")
    return getattr(self._host, method)


def _on_host(self, method, args, named, writes=()):
    named = {k: v for k, v in named.items() if v is not None and v is not _NONE}
    return run(f"{self.__name__}.{method}", _of_host(self, method), args, named, writes=writes)


def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=_NONE, where=True):
    """Reduce an array along axes by the ufunc: ``add.reduce`` is a sum.

    Parameters
    ----------
    array : array_like
        Input array.
    axis : int, tuple of ints or None, optional
        Axes; None is all of them.
    dtype : dtype, optional
        Dtype of the operation.
    out : Array, optional
        Array that receives the result.
    keepdims : bool, optional
        Whether the reduced axes stay, with size 1.
    initial : scalar, optional
        Start value of the reduction.
    where : array_like of bool, optional
        Elements that take part; the mask broadcasts to the input.

    Returns
    -------
    Array
        Shape of `array` without the axes.

    Raises
    ------
    ValueError
        For a ufunc that has not two operands, and for no elements where there is no neutral one.

    Examples
    --------
    >>> import quern as qn
    >>> qn.multiply.reduce([2, 3, 4])
    array(24)
    """
    _check_binary(self, "reduce")
    out, a, name = _single(out), asarray(array), self.__name__
    if a.ndim == 0 and axis in (0, -1):
        axis = None
    axes = reductions._axes(axis, a.ndim)
    if sum(axes) > 1 and name not in _REORDERABLE:
        raise ValueError(f"reduction operation '{name}' is not reorderable, so at most one axis may be specified")
    if name in _REDUCTIONS:
        tests = name in ("logical_or", "logical_and")
        if tests and dtype is not None and numpy.dtype(dtype) != bool:
            raise TypeError(f"No loop matching the specified signature and casting was found for ufunc {name}")
        return _REDUCTIONS[name](a, axis, None if tests else dtype, out, keepdims, initial, where)
    composed = _HALVING | {"subtract", "divide"}
    if name not in composed or (initial is None and self.identity is not None):
        named = {"axis": axis, "dtype": dtype, "keepdims": keepdims, "initial": initial, "where": where, "out": out}
        named = {k: v for k, v in named.items() if k == "axis" or (v is not None and v is not _NONE)}
        return run(f"{name}.reduce", _of_host(self, "reduce"), (a,), named, writes=[] if out is None else [out])
    if out is not None:
        shape = tuple(1 if goes else size for goes, size in zip(axes, a.shape, strict=True) if keepdims or not goes)
        reductions._check_out(name, out, shape)
    return _given(_composed(self, a, axes, dtype, keepdims, initial, where), out)


def _composed(self, a, axes, dtype, keepdims, initial, where):
    """A reduction without one of the engine's: all that goes becomes the first axis."""
    name = self.__name__
    named = {} if dtype is None else {"signature": (numpy.dtype(dtype), None, None)}
    types = self._host.resolve_dtypes((None, a.dtype, None), reduction=True, **named)
    mask = _where_mask(where, a)
    a = a.astype(types[1], copy=False)
    start = self.identity if initial is _NONE or initial is None else _first_value(initial, types[2])
    if mask is not None:
        if start is None:
            raise ValueError(f"reduction operation '{name}' does not have an identity, so to use a where mask one has to specify 'initial'")
        neutral = start if name not in ("subtract", "divide") else {"subtract": 0, "divide": 1}[name]
        a = elementwise.where(mask, a, numpy.asarray(neutral).astype(a.dtype)[()])
    kept = [n for n, goes in enumerate(axes) if not goes]
    gone = [n for n, goes in enumerate(axes) if goes]
    shape = [1 if goes else n for n, goes in zip(a.shape, axes, strict=True) if keepdims or not goes]
    lines = a._transposed(gone + kept)._reshaped([math.prod(a.shape[n] for n in gone), *(a.shape[n] for n in kept)])
    given = initial is not _NONE and initial is not None
    if lines.shape[0] == 0:
        if start is None:
            raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
        return full(shape, numpy.asarray(start).astype(types[2])[()], types[2])
    if name in _HALVING:
        result = _halved(self, lines)
        result = self(result, start) if given else result
    else:
        inner = {"subtract": reductions.sum, "divide": reductions.prod}[name]
        first, rest = (start, lines) if given else (lines[0, ...], lines[1:])
        result = self(first, inner(rest, 0, a._dtype_name))
    return result.astype(types[2])._reshaped(shape)


def _halved(self, lines):
    """Halves on halves along the first axis; the odd ones out are put together and join at the end."""
    left = None
    while lines.shape[0] > 1:
        half = lines.shape[0] // 2
        if lines.shape[0] % 2:
            last = lines[-1, ...]
            left = last if left is None else self(left, last)
        lines = self(lines[:half], lines[half : 2 * half])
    return lines[0, ...] if left is None else self(lines[0, ...], left)


def accumulate(self, array, axis=0, dtype=None, out=None):
    """Return the cumulative results of the ufunc along an axis.

    Parameters
    ----------
    array : array_like
        Input array.
    axis : int, optional
        Axis of the operation; a negative one counts from the end.
    dtype : dtype, optional
        Dtype of the operation.
    out : Array, optional
        Array that receives the result.

    Returns
    -------
    Array
        Shape of `array`.

    Examples
    --------
    >>> import quern as qn
    >>> qn.add.accumulate([1, 2, 3])
    array([1, 3, 6])
    """
    _check_binary(self, "accumulate")
    out, a = _single(out), asarray(array)
    if a.ndim == 0:
        raise TypeError("cannot accumulate on a scalar")
    axis = _axis(segments.one_axis(axis, a.ndim, "accumulate"), a.ndim)
    native = _ACCUMULATE.get(self.__name__)
    result = None if native is None else native(a, axis, dtype, out)
    if result is not None:
        return result
    if self.__name__ in _HALVING or self.__name__ == "subtract":
        if out is not None and out.shape != a.shape:
            raise ValueError(f"provided out is the wrong size for the accumulation: {out.shape}, not {a.shape}")
        types = _types_of_parts(self, a, dtype)
        lines = moveaxis(a.astype(types[1], copy=False), axis, -1)
        if self.__name__ == "subtract":
            first, rest = lines[..., :1], lines[..., 1:]
            lines = concatenate((first, first - elementwise.add.accumulate(rest, -1, types[2])), -1)
        else:
            lines = segments.doubled(self, lines)
        return _given(moveaxis(lines.copy("K") if lines._shares_cell(a) else lines, -1, axis), out)
    return _on_host(self, "accumulate", (a,), {"axis": axis, "dtype": dtype, "out": out}, [] if out is None else [out])


def _types_of_parts(self, a, dtype):
    """What accumulate and reduceat compute in: the types of both operands and of the result."""
    if self.__name__ in ("add", "multiply"):
        dtype = dtype or _engine.summed_type(a._dtype_name)
    named = {} if dtype is None else {"signature": (numpy.dtype(dtype), None, None)}
    return self._host.resolve_dtypes((None, a.dtype, None), reduction=True, **named)


_ACCUMULATE = {}  # name -> a native function of (array, axis, dtype, out), which gives None for types that it does not take


def reduceat(self, array, indices, axis=0, dtype=None, out=None):
    """Reduce parts of an axis by the ufunc; each part begins at an index and ends where the next one begins.

    Where the next part begins no later, the result is the single element.

    Parameters
    ----------
    array : array_like
        Input array.
    indices : array_like of ints
        First index of each part; an array is read.
    axis : int, optional
        Axis of the operation; a negative one counts from the end.
    dtype : dtype, optional
        Dtype of the operation.
    out : Array, optional
        Array that receives the result.

    Returns
    -------
    Array
        Shape of `array`, with one element for each part along `axis`.

    Raises
    ------
    IndexError
        For an index out of range.

    Examples
    --------
    >>> import quern as qn
    >>> qn.add.reduceat([1, 2, 3, 4], [0, 2])
    array([3, 7])
    """
    _check_binary(self, "reduceat")
    out, a = _single(out), asarray(array)
    if a.ndim == 0:
        raise TypeError("cannot reduceat on a scalar")
    axis = _axis(segments.one_axis(axis, a.ndim, "reduceat"), a.ndim)
    if self.__name__ in _IN_PARTS:
        starts = segments.starts_of(indices, a.shape[axis], self.__name__)
        types = _types_of_parts(self, a, dtype)
        shape = (*a.shape[:axis], len(starts), *a.shape[axis + 1 :])
        if out is not None and out.shape != shape:
            raise ValueError(f"output parameter for reduceat has the wrong shape {out.shape}, not {shape}")
        parts = segments.reduced_parts(self, moveaxis(a.astype(types[1], copy=False), axis, -1), starts, types[2])
        if parts is not None:
            return _given(moveaxis(parts.copy("K") if parts._shares_cell(a) else parts, -1, axis), out)
    return _on_host(self, "reduceat", (a, indices), {"axis": axis, "dtype": dtype, "out": out}, [] if out is None else [out])


def outer(self, *operands, **kwargs):
    """Return the ufunc of all pairs of elements of two arrays.

    Parameters
    ----------
    *operands : array_like
        Two arrays.
    **kwargs : object
        Keywords of the ufunc.

    Returns
    -------
    Array
        Shape ``A.shape + B.shape``.

    Examples
    --------
    >>> import quern as qn
    >>> qn.add.outer([1, 2], [10, 20])
    array([[11, 21],
           [12, 22]])
    """
    if self.signature is not None:
        raise TypeError("method outer is not allowed in ufunc with non-trivial signature")
    if self.nin != 2:
        raise ValueError("outer product only supported for binary functions")
    if len(operands) != 2:
        raise TypeError(f"outer() takes two arrays ({len(operands)} given)")
    A, B = (asarray(v) for v in operands)
    return self(A._reshaped([*A.shape, *[1] * B.ndim]), B, **kwargs)


def _is_basic(key):
    """Does an index name each element at most once, as a view?"""
    parts = key if isinstance(key, tuple) else (key,)
    return all(p is None or p is Ellipsis or isinstance(p, slice) or (isinstance(p, (int, numpy.integer))) for p in parts) and not any(
        isinstance(p, bool) for p in parts
    )


def at(self, a, indices, b=None, /):
    """Compute the ufunc in place for elements at indices; an element that occurs several times is changed each time.

    Parameters
    ----------
    a : Array
        Array that is changed.
    indices : index
        Index of `a`: ints, slices, arrays, or a tuple of them.
    b : array_like, optional
        Second operand, for ufuncs of two operands.

    Examples
    --------
    >>> import quern as qn
    >>> x = qn.asarray([1, 2, 3])
    >>> qn.add.at(x, slice(0, 2), 10)
    >>> x
    array([11, 12,  3])
    """
    if self.nin > 2 or self.nout > 1 or self.signature is not None:
        raise ValueError("Only single output ufuncs supported at this time" if self.nout > 1 else "Only unary and binary ufuncs supported")
    if not isinstance(a, Array):
        raise TypeError("first operand must be array")
    if self.nin == 2 and b is None:
        raise ValueError("second operand needed for ufunc")
    if self.nin == 1 and b is not None:
        raise ValueError("second operand provided when ufunc is unary")
    if isinstance(b, (bool, int, float, complex)):
        b = numpy.asarray(b)[()]  # a number counts as an array of its type here
    operands = () if b is None else (b,)
    if _is_basic(indices):
        try:
            key = indices if isinstance(indices, tuple) else (indices,)
            place = a[key if any(k is ... for k in key) else (*key, ...)]
            place[...] = self(place, *operands)[None]  # converted as an array, also where it is a single number
            return
        except NotImplementedError:
            pass
    elif scatter.update(self, a, indices, *operands):
        return
    run(f"{self.__name__}.at", _of_host(self, "at"), (a, indices, *operands), {}, writes=[a])


ufunc.reduce, ufunc.accumulate, ufunc.reduceat, ufunc.outer, ufunc.at = reduce, accumulate, reduceat, outer, at
