"""cupy.memoize: functions that remember their results."""

import functools

from quern.device import current_device

_memories = []


def memoize(for_each_device=False):
    """A decorator: the function's results are kept by its arguments, until clear_memo(). ``for_each_device``: for each device apart.

    >>> from quern import cupy as cp
    >>> @cp.memoize()
    ... def twice(n):
    ...     print("called")
    ...     return 2 * n
    >>> twice(3) + twice(3)
    called
    12
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
