"""numba.extending and numba.cuda.extending: functions, methods and attributes that a program adds to kernels.

What gives kernels types of a program's own (``typeof_impl``, ``register_model``, ``lower``...) is refused where it is used, so that
modules which name such things can be imported.
"""

from quern.kernel import overloads
from quern.kernel.hosted import HostFunction

_REFUSED = """
as_numba_type box core_models infer infer_getattr infer_global intrinsic lower lower_builtin lower_cast lower_getattr
lower_getattr_generic lower_setattr lower_setattr_generic make_attribute_wrapper models NativeValue overload_classmethod
overload_glue reflect register_model SentryLiteralArgs type_callable typeof_impl unbox
""".split()


def overload(func, jit_options=None, strict=True, inline="never", prefer_literal=False, **kwargs):
    """Decorates a function of types that gives what calls of ``func`` in kernels compile, or None.

    The function is called with the types of the arguments (of a text with a ``types.StringLiteral``). The other parameters are Numba's and
    change nothing.

    Examples
    --------
    >>> from quern.numba import types
    >>> from quern.cuda.extending import overload
    >>> def halved(x): ...
    >>> @overload(halved)
    ... def of_types(x):
    ...     return (lambda x: x // 2) if isinstance(x, types.Integer) else (lambda x: x / 2)
    """

    def add(chooser):
        overloads.add_function(func, chooser)
        return chooser

    return add


def overload_method(typ, attr, **kwargs):
    """Decorates a function of types that gives a method ``attr`` of values of the class of types ``typ``, or None: see :func:`overload`."""
    return _adds_member(typ, attr, is_method=True)


def overload_attribute(typ, attr, **kwargs):
    """Decorates a function of a type that gives the function of an attribute ``attr``, or None: see :func:`overload`."""
    return _adds_member(typ, attr, is_method=False)


def _adds_member(typ, attr, is_method):
    if not isinstance(typ, type):
        raise TypeError(f"[extending] a class of types is needed, such as types.Array, not {typ!r}")

    def add(chooser):
        overloads.add_member(typ, attr, chooser, is_method)
        return chooser

    return add


def register_jitable(*args, **kwargs):
    """The function as it is: kernels call Python functions."""
    return args[0] if args and not kwargs else lambda function: function


def is_jitted(function):
    """Is it a function that ``@jit`` or ``@njit`` made?"""
    return isinstance(function, HostFunction)


class _Refused:
    """A name that may be imported. Its use raises NotImplementedError."""

    def __init__(self, name):
        self._name = name

    def __call__(self, *args, **kwargs):
        raise NotImplementedError(
            f"[numba.extending.{self._name}] user-defined types are not supported; pass arrays, records, named tuples or enums, "
            "and add functions with overload() and overload_method()"
        )

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self()

    def __repr__(self):
        return f"<numba.extending.{self._name}, not supported>"


__all__ = ["is_jitted", "overload", "overload_attribute", "overload_method", "register_jitable", *_REFUSED]  # noqa: PLE0604


def __getattr__(name):
    if name in _REFUSED:
        return _Refused(name)
    raise AttributeError(f"module 'numba.extending' has no attribute '{name}'")


def __dir__():
    return __all__
