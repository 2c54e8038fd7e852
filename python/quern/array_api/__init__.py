"""The Python array API standard, version 2024.12, over quern's arrays.

    xp = x.__array_namespace__()        # or: import quern.array_api as xp
    y = xp.mean(xp.astype(x, xp.float64), axis=0)

The arrays are :class:`quern.ndarray` on their own devices, and the work is quern's: each function here has the standard's signature and
hands on to the function of quern that does it. Where the standard and NumPy differ, the standard holds here and NumPy in ``quern``:
``floor_divide`` of infinities, ``expm1`` and ``tanh`` of complex infinities, Python numbers in ``finfo``, lists from ``meshgrid``.
Operators are the arrays' own and follow NumPy: ``//`` of infinities, too. ``expand_dims`` takes ``axis`` by position as well.

Start at _elementwise.py for the table of elementwise functions; the other modules follow the standard's chapters.
"""

from math import e, inf, nan, pi

from quern.array_api import fft, linalg
from quern.array_api._arrays import *  # noqa: F403
from quern.array_api._arrays import __all__ as _array_names
from quern.array_api._creation import *  # noqa: F403
from quern.array_api._creation import __all__ as _creation_names
from quern.array_api._data_types import *  # noqa: F403
from quern.array_api._data_types import __all__ as _type_names
from quern.array_api._elementwise import *  # noqa: F403
from quern.array_api._elementwise import __all__ as _elementwise_names
from quern.array_api._values import *  # noqa: F403
from quern.array_api._values import __all__ as _value_names
from quern.array_api.linalg import matmul, matrix_transpose, tensordot, vecdot
from quern.arrays import __array_namespace_info__

__array_api_version__ = "2024.12"
newaxis = None

__all__ = [
    "__array_api_version__",
    "__array_namespace_info__",
    "e",
    "fft",
    "inf",
    "linalg",
    "matmul",
    "matrix_transpose",
    "nan",
    "newaxis",
    "pi",
    "tensordot",
    "vecdot",
    *_array_names,
    *_creation_names,
    *_elementwise_names,
    *_type_names,
    *_value_names,
]
