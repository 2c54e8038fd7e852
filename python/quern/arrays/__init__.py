"""Arrays with NumPy's meaning, on the CPU or a GPU.

An operation is recorded, not run: it returns at once, and what was recorded is fused into few kernels when a value is looked at
(printed, converted, tested in an ``if``). The type itself is the engine's; here are the names that NumPy has.

core.py: the type, data types, in and out. creation.py, elementwise.py, reductions.py, shapes.py: functions that stand on the engine;
composed.py, contraction.py, data_types.py, differences.py, editing.py, grids.py, layouts.py, logic.py, manipulation.py, matrices.py,
padding.py, polynomials.py, rounding.py, statistics.py: functions that stand on those. sorting.py, cumulative.py, picking.py, sets.py,
quantiles.py, counting.py: what stands on sorting, searching, running sums and picking. linalg.py, fft.py, random.py (with
generator.py): submodules. ufunc.py, ufunc_methods.py, segments.py, scatter.py: the type of ufuncs.
numbers.py: where NumPy gives scalars. methods.py, protocols.py: what the array type has.
fallback.py: what NumPy does on the host, and when; host.py: what belongs there. exchange.py: memory shared with others.
"""

import math
import sys
from types import FunctionType, ModuleType

import ml_dtypes
import numpy

from quern.arrays import (
    composed,
    contraction,
    core,
    counting,
    creation,
    cumulative,
    data_types,
    differences,
    editing,
    elementwise,
    exchange,
    fallback,
    fft,
    grids,
    host,
    layouts,
    linalg,
    logic,
    manipulation,
    matrices,
    methods,
    padding,
    picking,
    polynomials,
    quantiles,
    random,
    reductions,
    rounding,
    sets,
    shapes,
    sorting,
    statistics,
    ufunc_methods,  # noqa: F401
)
from quern.arrays.fallback import FallbackWarning, set_fallback  # noqa: F401
from quern.arrays.protocols import __array_namespace_info__  # noqa: F401
from quern.arrays.ufunc import ufunc  # noqa: F401

newaxis, pi, e, inf, nan, euler_gamma = None, math.pi, math.e, math.inf, math.nan, numpy.euler_gamma
bool_ = numpy.bool_
int8, int16, int32, int64 = numpy.int8, numpy.int16, numpy.int32, numpy.int64
uint8, uint16, uint32, uint64 = numpy.uint8, numpy.uint16, numpy.uint32, numpy.uint64
float16, float32, float64, bfloat16 = numpy.float16, numpy.float32, numpy.float64, ml_dtypes.bfloat16
complex64, complex128 = numpy.complex64, numpy.complex128


def _public():
    """Every public function of the modules, by its name; NumPy's stands behind it for arguments that it does not take."""
    found = {"Array": core.Array, "ndarray": core.Array}
    modules = (core, creation, elementwise, exchange, composed, reductions, shapes)
    modules += (data_types, differences, editing, contraction, grids, host, layouts, logic, manipulation, matrices, padding, polynomials)
    modules += (rounding, statistics, sorting, cumulative, picking, sets, quantiles, counting)
    for module in modules:
        for name, value in vars(module).items():
            if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__:
                theirs = getattr(numpy, name, None)
                is_plain = theirs is not None and isinstance(value, FunctionType) and module is not host
                found[name] = fallback.served(value, theirs, name) if is_plain else value
    return found


_functions = _public()
globals().update(_functions)
methods.attach(_functions)
exchange.attach()
for _module in (fft, linalg, random):
    sys.modules[_module.__name__.replace(".arrays", "")] = _module
_hidden = ("FunctionType", "ModuleType", "sys")
__all__ = sorted(n for n, v in globals().items() if not n.startswith("_") and n not in _hidden and not isinstance(v, ModuleType))
__all__ += ["__array_namespace_info__", "fft", "linalg", "random"]
