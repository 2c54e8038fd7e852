"""Where NumPy gives a scalar, an array without dimensions is a number: ``t = s; s += 1`` makes a new one and leaves ``t`` alone.

The engine marks what an operation, a reduction or an index of integers gives; views are arrays. This marks the rest, by the names of
functions, in the one function that they all go through (`fallback.served`, and `fallback.run` for NumPy's own results).
"""

from quern.arrays.core import Array
from quern.lib import _engine

# Functions that stand on what the engine counts as an array: NumPy gives scalars.
NUMBERS = frozenset(
    """around choose iscomplex isreal nan_to_num round take""".split()
)
# Functions whose last step is an operation: NumPy gives arrays all the same.
ARRAYS = frozenset()


def number(a):
    """An array without dimensions as a number."""
    return _engine.array_op("cast", a, compute=a._dtype_name, result=a._dtype_name)


def numbers_in(result, args=(), kwargs=None):
    """A result, or a tuple of them, with numbers in place of arrays without dimensions; what was given (``out``) goes back as it is."""
    if isinstance(result, Array) and result._has_numbers:
        if result.ndim or any(result is a for a in args) or (kwargs and any(result is a for a in kwargs.values())):
            return result
        return number(result)
    if isinstance(result, tuple):
        parts = [numbers_in(r, args, kwargs) for r in result]
        return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)
    return result


def array_in(result):
    """A result as an array that can be changed, where it is a number."""
    return result[...] if isinstance(result, Array) and result._has_numbers and result.ndim == 0 else result
