"""Arrays with NumPy's meaning, on the CPU or a GPU.

An operation is recorded, not run: it returns at once, and what was recorded is fused into few kernels when a value is looked at
(printed, converted, tested in an ``if``). The type itself is the engine's; here are the names that NumPy has.

core.py: the type, data types, in and out. creation.py, elementwise.py, reductions.py, shapes.py: functions that stand on the engine;
data_types.py, differences.py, editing.py, grids.py, logic.py, manipulation.py, matrices.py, padding.py, rounding.py, statistics.py:
functions that stand on those. methods.py: what the functions are as methods.
"""

import math
from types import ModuleType

import numpy

from quern.arrays import (
    composed,
    core,
    creation,
    data_types,
    differences,
    editing,
    elementwise,
    fallback,
    grids,
    linalg,  # noqa: F401
    logic,
    manipulation,
    matrices,
    methods,
    padding,
    reductions,
    rounding,
    shapes,
    statistics,
    ufunc_methods,  # noqa: F401
)
from quern.arrays.fallback import FallbackWarning, set_fallback
from quern.arrays.ufunc import ufunc

newaxis, pi, e, inf, nan = None, math.pi, math.e, math.inf, math.nan
bool_ = numpy.bool_
int8, int16, int32, int64 = numpy.int8, numpy.int16, numpy.int32, numpy.int64
uint8, uint16, uint32, uint64 = numpy.uint8, numpy.uint16, numpy.uint32, numpy.uint64
float16, float32, float64 = numpy.float16, numpy.float32, numpy.float64
complex64, complex128 = numpy.complex64, numpy.complex128


def _public():
    """Every public function of the modules, by its name."""
    found = {"Array": core.Array}
    modules = (core, creation, elementwise, composed, reductions, shapes)
    modules += (data_types, differences, editing, grids, logic, manipulation, matrices, padding, rounding, statistics)
    for module in modules:
        for name, value in vars(module).items():
            if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__:
                found[name] = value
    return found


globals().update(_public())
methods.attach()
__all__ = sorted(n for n, v in globals().items() if not n.startswith("_") and n != "ModuleType" and not isinstance(v, ModuleType))
__all__.append("linalg")
