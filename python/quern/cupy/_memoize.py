"""cupy.memoize: functions that remember their results."""

import functools

from quern.device import current_device

_memories = []


def memoize(for_each_device=False):
    """Return a decorator that keeps the results of a function by its arguments.

    :func:`clear_memo` removes all results.

    Parameters
    ----------
    for_each_device : bool, optional
        Whether results are kept for each device separately.

    Returns
    -------
    callable
        Decorator.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> @cp.memoize()
    ... def square(x):
    ...     print("computed")
    ...     return x * x
    >>> square(3), square(3)
    computed
    (9, 9)
    """

    def decorate(function):
        memory = {}
        _memories.append(memory)

        @functools.wraps(function)
        def call(*args, **kwargs):
            key = (current_device().name if for_each_device else None, args, frozenset(kwargs.items()))
            if key not in memory:
                memory[key] = function(*args, **kwargs)
            return memory[key]

        return call

    return decorate


def clear_memo():
    """Forgets what all memoized functions remember."""
    for memory in _memories:
        memory.clear()
