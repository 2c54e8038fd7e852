"""Arrays with NumPy's meaning, on the CPU or a GPU.

An operation is recorded, not run: it returns at once, and what was recorded is fused into few kernels when a value is looked at
(printed, converted, tested in an ``if``). The type itself is the engine's; here are the names that NumPy has.

core.py: the type, data types, in and out. The rest is grouped as NumPy's manual is; a folder's __init__.py has what its group begins with:

    objects/       methods and attributes of the type; exchange.py: memory shared with others; protocols.py: NumPy's protocols
    ufuncs/        the type of ufuncs, its methods, and what these stand on
    creation/      new arrays; grids.py, layouts.py
    manipulation/  views, arrays put together; arranging.py: taken apart, repeated, turned; editing.py, padding.py
    indexing.py    places and masks
    data_types.py, logic.py
    mathematics/   the ufuncs; reductions.py, cumulative.py, rounding.py, polynomials.py; composed.py: ufuncs of several ops
    linalg/, fft.py, random/: the submodules of these names

numbers.py: where NumPy gives scalars. fallback.py: what NumPy does on the host, and when; host.py: what belongs there.
"""

import math
import sys
from types import FunctionType, ModuleType

import ml_dtypes
import numpy

from quern.arrays import (
    core,
    creation,
    data_types,
    fallback,
    functions,
    host,
    indexing,
    linalg,
    logic,
    manipulation,
    mathematics,
    objects,
)
from quern.arrays.creation import grids, layouts
from quern.arrays.fallback import FallbackWarning, set_fallback  # noqa: F401
from quern.arrays.linalg import contraction, matrices
from quern.arrays.manipulation import arranging, editing, padding
from quern.arrays.mathematics import composed, cumulative, polynomials, reductions, rounding
from quern.arrays.objects import exchange
from quern.arrays.objects.protocols import __array_namespace_info__  # noqa: F401
from quern.arrays.ufuncs import methods as ufunc_methods  # noqa: F401
from quern.arrays.ufuncs import ufunc  # noqa: F401

newaxis, pi, e, inf, nan, euler_gamma = None, math.pi, math.e, math.inf, math.nan, numpy.euler_gamma
bool_ = numpy.bool_
int8, int16, int32, int64 = numpy.int8, numpy.int16, numpy.int32, numpy.int64
uint8, uint16, uint32, uint64 = numpy.uint8, numpy.uint16, numpy.uint32, numpy.uint64
float16, float32, float64, bfloat16 = numpy.float16, numpy.float32, numpy.float64, ml_dtypes.bfloat16
complex64, complex128 = numpy.complex64, numpy.complex128


def _public():
    """Every public function of the modules, by its name; NumPy's stands behind it for arguments that it does not take."""
    found = {"Array": core.Array, "ndarray": core.Array}
    modules = (core, creation, mathematics, exchange, composed, reductions, manipulation)
    modules += (data_types, editing, contraction, grids, host, layouts, logic, arranging, matrices, padding, polynomials)
    modules += (rounding, cumulative, indexing)
    for module in modules:
        for name, value in vars(module).items():
            if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__:
                theirs = getattr(numpy, name, None)
                is_plain = theirs is not None and isinstance(value, FunctionType) and module is not host
                found[name] = fallback.served(value, theirs, name) if is_plain else value
                if is_plain:
                    found[name].__module__, found[name].__qualname__ = "quern", name
    return found | functions.functions


_functions = _public()
globals().update(_functions)
objects.attach(_functions)
exchange.attach()
sys.modules["quern.linalg"] = linalg
_hidden = ("FunctionType", "ModuleType", "sys")
__all__ = sorted(n for n, v in globals().items() if not n.startswith("_") and n not in _hidden and not isinstance(v, ModuleType))
__all__ += ["__array_namespace_info__", "linalg"]
