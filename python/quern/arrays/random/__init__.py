"""numpy.random on arrays: the functions of the global state, and the generators of generator.py.

Distributions are NumPy's, values are not: they come from Philox4x32-10 and are the same on every device. What is not defined there
NumPy draws on the host, from a state that follows from ours.
"""

import functools
import inspect

import numpy

from quern.arrays import fallback  # noqa: F401
from quern.arrays.random import distributions  # noqa: F401
from quern.arrays.random.generator import Draws, Generator, Philox, RandomState  # noqa: F401
from quern.lib import _engine

_state = RandomState()


def default_rng(seed=None):
    """A new generator of random numbers; ``seed`` (an int, ints, a SeedSequence) makes its numbers the same each time.

    A generator is given back as it is; a bit generator becomes a generator's. The values differ from NumPy's.

    >>> import quern as qn
    >>> a, b = qn.random.default_rng(3), qn.random.default_rng(3)
    >>> a.integers(0, 10) == b.integers(0, 10)
    array(True)
    """
    return seed if isinstance(seed, Generator) else Generator(seed)


def _of_state(name, state, module, kind=RandomState):
    """The method of the ``kind`` that ``state()`` gives, as a function of a module."""
    method = getattr(kind, name)

    @functools.wraps(method)
    def call(*args, **kwargs):
        return getattr(state(), name)(*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    call.__module__ = module
    call.__signature__ = _without_self(method)
    return call


def _without_self(method):
    signature = inspect.signature(method)
    return signature.replace(parameters=list(signature.parameters.values())[1:])


for _name in numpy.random.__all__:
    if not _name[0].isupper() and callable(vars(RandomState).get(_name, vars(Draws).get(_name))):
        _is_face = isinstance(vars(RandomState).get(_name), _engine.array_function)
        globals()[_name] = getattr(_state, _name) if _is_face else _of_state(_name, lambda: _state, __name__)


def _of_host(name):
    """A distribution that NumPy draws, from a generator that follows from the state."""

    def call(*args, **kwargs):
        return getattr(_state, name)(*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    call.__module__ = "quern"
    call.__doc__ = f"NumPy's ``random.{name}``, drawn on the host.\n\n{inspect.getdoc(getattr(numpy.random.Generator, name))}"
    call.__quern_host__ = getattr(numpy.random.Generator, name)
    return call


for _name in numpy.random.__all__:
    if _name not in globals() and not _name[0].isupper() and hasattr(numpy.random.Generator, _name):
        globals()[_name] = _of_host(_name)

__getattr__ = fallback.serve_module(globals(), numpy.random, "random.")
