"""How the modules of CuPy find what is not written in them: quern's native function, else NumPy's on the host, for CuPy's names alone."""

import functools

import numpy

from quern.arrays import fallback
from quern.arrays.public_names import settle
from quern.arrays.removed_names import todays
from quern.cupy._array import as_ndarray, ndarray, placed_result
from quern.cupy.cuda.memory import has_own_allocator
from quern.lib import _engine

_engine.set_front_end("cupy", fall_back=functools.partial(fallback.on_host, kind=ndarray))


def refuse_host(args):
    """Raises TypeError for NumPy arrays of one or more dimensions among arguments, or in a list of them."""
    for one in args:
        for part in one if type(one) in (list, tuple) else (one,):
            if isinstance(part, numpy.ndarray) and part.ndim:
                raise TypeError(f"Unsupported type {type(part)}; make an array of it with cupy.asarray()")


def of_ours(function, refuses_host=False):
    """The function with its result as CuPy's type, in memory of the user's where there is an allocator for that.

    ``refuses_host``: it accepts no NumPy arrays.
    """

    @functools.wraps(function)
    def call(*args, **kwargs):
        if refuses_host:
            refuse_host(args)
        if not has_own_allocator():
            return as_ndarray(function(*args, **kwargs))
        return placed_result(lambda: function(*args, **kwargs), *args, *kwargs.values())

    return call


def getter(namespace, names, ours, host, module):
    """A module's __getattr__. ``names``: those that CuPy has; ``ours``: the module with native functions; ``host``: NumPy's."""
    prefix = module.partition(".")[2]

    def __getattr__(name):
        if name not in names:
            why = ": quern does not support it" if not name.startswith("_") and hasattr(host, name) else todays(name, module)
            raise AttributeError(f"module '{module}' has no attribute {name!r}{why}", name=name, obj=ours)
        value = vars(ours).get(name)
        if value is None or hasattr(value, "__quern_host__"):
            value = fallback.stand_in(host, name, module, prefix + "." if prefix else "", ndarray)
        elif callable(value) and not isinstance(value, type):
            value = of_ours(value)
        namespace[name] = value
        settle(f"quern.{module}", {name: value})
        return value

    return __getattr__
