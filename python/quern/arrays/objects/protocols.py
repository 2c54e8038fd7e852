"""NumPy's protocols on the array type, and the Array API's inspection.

A ufunc or function of NumPy's that is called with an array of ours runs as ours of the same name, or through the fallback where
there is none. A result has the type of the array that was asked: each front end's own.
"""

import functools
import importlib

import numpy

from quern.arrays import fallback
from quern.arrays.core import Array, _device_of, asarray
from quern.arrays.creation import full
from quern.arrays.objects import described
from quern.arrays.ufuncs import _by_name
from quern.device import current_device, device, door_devices
from quern.lib import _engine

_NONE = object()
_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12")


def _as_kind(result, kind):
    """Arrays of ours, also in lists and tuples, as the type of a front end."""
    if kind is Array:
        return result
    if isinstance(result, Array):
        return result if isinstance(result, kind) else result._as(kind)
    if type(result) in (list, tuple):
        return type(result)(_as_kind(r, kind) for r in result)
    return result


# For front ends whose operators have type rules of their own: the method for a NumPy array as the left operand, by the ufunc that NumPy
# then calls.
Array._reflected = {}


def _is_foreign(value):
    """Has this a protocol of its own that must be asked?"""
    protocol = getattr(type(value), "__array_ufunc__", None)
    return protocol not in (None, Array.__array_ufunc__, numpy.ndarray.__array_ufunc__) and not hasattr(protocol, "is_of_front_end")


def _array_ufunc(self, host, method, *inputs, out=None, **kwargs):
    """NumPy's ufuncs on arrays of ours: see NumPy's protocol."""
    if self._reflected and out is None and method == "__call__" and not kwargs and isinstance(inputs[0], (numpy.ndarray, numpy.generic)):
        name = self._reflected.get(host.__name__)
        if name is not None:
            return getattr(self, name)(inputs[0])
    given = tuple(x for x in (out or ()) if x is not None)
    if any(_is_foreign(x) for x in (*inputs, *given)):
        return NotImplemented
    if out is not None:
        kwargs["out"] = out if len(out) > 1 else out[0]
    ours = _by_name.get(host.__name__)
    if ours is not None and ours._host is host and (method != "at" or isinstance(inputs[0], Array)):
        inputs = tuple(x.view(numpy.ndarray) if type(x) is numpy.matrix else x for x in inputs)
        return _as_kind((ours if method == "__call__" else getattr(ours, method))(*inputs, **kwargs), type(self))
    name = host.__name__ if method == "__call__" else f"{host.__name__}.{method}"
    writes = [inputs[0]] if method == "at" else list(given)
    return fallback.run(name, getattr(host, method), inputs, kwargs, kind=type(self), writes=writes)


def _with_foreign(ufunc, left, right, result):
    """An operator of an array and an object of a class that the engine does not know; ``result``: the array it is to change, or None."""
    ours, other = (left, right) if isinstance(left, Array) else (right, left)
    protocol = getattr(type(other), "__array_ufunc__", _NONE)
    if protocol is None:
        if result is None:
            return NotImplemented
        raise TypeError(f"operand {type(other).__name__!r} does not support ufuncs (__array_ufunc__=None)")
    if protocol is not _NONE:
        host = getattr(numpy, ufunc)
        out = {} if result is None else {"out": (result,)}
        answer = protocol(other, host, "__call__", left, right, **out)
        if answer is NotImplemented:
            raise TypeError(f"operand type(s) all returned NotImplemented from __array_ufunc__({host!r}, '__call__', {left!r}, {right!r})")
        return answer
    if _engine.offers_array(other):
        return _as_kind(_by_name[ufunc](asarray(left), asarray(right), out=result), type(ours))
    if ufunc in ("equal", "not_equal") and _equals_no_number(type(other)):
        return _as_kind(full(ours.shape, ufunc == "not_equal", bool, device=_device_of(ours)), type(ours))
    if ufunc == "add" and result is not None:  # CPython would hand on a NotImplemented, taking it for a sequence's answer
        answer = getattr(other, "__radd__", lambda _: NotImplemented)(ours)
        if answer is NotImplemented:
            raise TypeError(f"unsupported operand type(s) for +=: {type(ours).__name__!r} and {type(other).__name__!r}")
        return answer
    return NotImplemented


def _equals_no_number(kind):
    """Is no number equal to an object of this class, as it does not say itself what is?"""
    return kind.__eq__ is object.__eq__ or issubclass(kind, (type(None), str, bytes, dict, set, frozenset))


@functools.cache
def _places():
    """Where each public function of NumPy's is found: (our module, its name)."""
    found = {}
    for path in ("quern", "quern.linalg", "quern.fft"):
        host = numpy if path == "quern" else getattr(numpy, path[6:])
        for name in dir(host):
            value = getattr(host, name, None) if name != "chararray" else None
            if callable(value) and not isinstance(value, type) and not name.startswith("_"):
                found.setdefault(value, (path, name))
    return found


def _array_function(self, func, types, args, kwargs):
    """NumPy's functions on arrays of ours: see NumPy's protocol."""
    if not all(issubclass(t, (Array, numpy.ndarray)) for t in types):
        return NotImplemented
    place = _places().get(func)
    ours = None if place is None else vars(importlib.import_module(place[0])).get(place[1])
    if ours is None or hasattr(ours, "__quern_host__") or not callable(ours):
        name = func.__name__ if place is None else f"{place[0]}.{place[1]}".replace("quern.", "", 1)
        return fallback.run(name, func, args, kwargs, kind=type(self))
    return _as_kind(ours(*args, **kwargs), type(self))


def _array_namespace(self, *, api_version=None):
    """The module with the Array API's functions, :mod:`quern.array_api`. Raises ValueError for a version that is not known."""
    if api_version is not None and api_version not in _VERSIONS:
        raise ValueError(f"[__array_namespace__] version {api_version!r} of the Array API is not known; it can be {', '.join(_VERSIONS)}")
    return importlib.import_module("quern.array_api")


def to_device(self, device, /, *, stream=None):
    """Return the array on another device.

    A copy between two GPUs goes directly from one to the other, without synchronizing the host.

    Parameters
    ----------
    device : Device or str
        Device, or a name such as "cpu" or "cuda:0".
    stream : None, optional
        Must be None: devices keep the order of their work without one.

    Returns
    -------
    Array
        Copy on the device; the array itself where it is there already.

    Raises
    ------
    ValueError
        For a stream.
    RuntimeError
        For a device that the machine does not have.

    Examples
    --------
    >>> import quern as qn
    >>> qn.ones(2).to_device("cpu").device.kind
    'cpu'
    """
    from quern.device import device_given

    if stream is not None:
        raise ValueError("[to_device] streams are not supported; leave `stream` out")
    target = device_given(device)
    number = -1 if target.kind == "cpu" else target.index
    if number == self._device_number:
        return self
    return _engine.array_move(self, target)


# ---- the Array API's inspection


_KINDS = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "real floating": ("float32", "float64"),
    "complex floating": ("complex64", "complex128"),
}
_KINDS["integral"] = _KINDS["signed integer"] + _KINDS["unsigned integer"]
_KINDS["numeric"] = _KINDS["integral"] + _KINDS["real floating"] + _KINDS["complex floating"]


class _Info:
    """What the arrays of this namespace can do, as the Array API asks."""

    def capabilities(self):
        """A dict: boolean indexing, shapes that depend on values, the most dimensions (no limit)."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": None}

    def default_device(self):
        """The device of new arrays."""
        return current_device()

    def default_dtypes(self, *, device=None):
        """The types of new arrays of Python's numbers, and of indices."""
        names = {"real floating": "float64", "complex floating": "complex128", "integral": "int64", "indexing": "int64"}
        return {kind: numpy.dtype(name) for kind, name in names.items()}

    def dtypes(self, *, device=None, kind=None):
        """The types, by their names; ``kind``: of a kind ("real floating") or a tuple of kinds alone."""
        if kind is None:
            kind = ("bool", "numeric")
        kinds = kind if isinstance(kind, tuple) else (kind,)
        unknown = [k for k in kinds if k not in _KINDS]
        if unknown:
            raise ValueError(f"[dtypes] unsupported kind: {unknown[0]!r}; it can be {', '.join(_KINDS)}")
        return {name: numpy.dtype(name) for k in kinds for name in _KINDS[k]}

    def devices(self):
        """All devices: the CPU and the GPUs."""
        return [device("cpu"), *(d for d in door_devices() if d.kind != "cpu")]


def __array_namespace_info__():  # noqa: N807
    """Return what the arrays of this namespace can do, as the Array API defines it: ``capabilities()``, ``devices()`` and others.

    Returns
    -------
    object
        An object with the functions that the standard names.

    Examples
    --------
    >>> import quern as qn
    >>> qn.__array_namespace_info__().capabilities()["boolean indexing"]
    True
    """
    return _Info()


def attach():
    """Gives the array type the protocols."""
    Array.__array_ufunc__ = _array_ufunc
    _engine.set_foreign_operator(_with_foreign)
    Array.__array_function__ = _array_function
    Array.__array_namespace__ = _array_namespace
    Array.device = property(_device_of, doc=described.DEVICE)
    Array.to_device = to_device
