"""CuPy's ufuncs: quern's, whose results are CuPy's arrays also where no operand is one, and what they tell of themselves."""

from quern.arrays.ufuncs import ufunc
from quern.cupy._array import as_ndarray, warn_of_reals
from quern.lib import _engine


class _Told:
    """An attribute that each ufunc has of its own, and the type documents."""

    def __init__(self, doc, get=None):
        self.__doc__, self._get = doc, get

    def __get__(self, instance, owner=None):
        return self if instance is None else self._get(instance)


ufunc.nin = _Told("How many inputs it takes.")
ufunc.nout = _Told("How many results it gives.")
ufunc.nargs = _Told("How many of both.")
ufunc.types = _Told("The types it is computed in, as letters: inputs->results.")
ufunc.name = _Told("CuPy's name of it, such as cupy_add.", lambda self: f"cupy_{self.__name__}")


def _discards(function, values, out):
    """Are the results complex numbers, and what takes them is for real ones?"""
    outs = out if isinstance(out, tuple) else values[function.nin :] or (out,)
    if all(o is None or o.dtype.kind in "cb" for o in outs):
        return False
    operands = [v.dtype if hasattr(v, "dtype") else type(v) for v in values[: function.nin]]
    try:
        types = function.resolve_dtypes((*operands, *[None] * function.nout))
    except TypeError:
        return False
    return any(t.kind == "c" and o is not None and o.dtype.kind not in "cb" for t, o in zip(types[function.nin :], outs, strict=False))


def _called(function):
    def call(*values, casting="same_kind", out=None, **kwargs):
        result = as_ndarray(function._call(*values, casting=casting, out=out, **kwargs))
        if casting == "unsafe" and _discards(function, values, out):
            warn_of_reals()
        return result

    return call


def _converted(method):
    return lambda *args, **kwargs: as_ndarray(method(*args, **kwargs))


_by_name = {}


def of_ours(function):
    """The ufunc with its results as CuPy's type: a call with arrays goes to the engine, which takes their type; all others pass here."""
    made = _by_name.get(function.__name__)
    if made is None:
        made = _by_name[function.__name__] = _engine.make_ufunc(function._op, function.nin, True)
        vars(made).update(vars(function), _find=_of_name)
        vars(made).update((name, _converted(getattr(function, name))) for name in ("reduce", "accumulate", "reduceat", "outer"))
        vars(made)["_call"] = _called(function)
    return made


def _of_name(name):
    return _by_name[name]
