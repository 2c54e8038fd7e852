"""Arrays with NumPy's meaning, on the CPU or a GPU.

An operation is recorded, not run: it returns at once, and what was recorded is fused into few kernels when a value is read
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
from types import ModuleType

import ml_dtypes
import numpy

from quern.arrays import (
    core,
    data_types,
    fallback,
    functions,
    indexing,
    linalg,
    logic,
    mathematics,
    objects,
)
from quern.arrays.core import Array, NoDerivative, asnumpy  # noqa: F401
from quern.arrays.creation import layouts
from quern.arrays.creation.grids import mgrid, ogrid  # noqa: F401
from quern.arrays.fallback import FallbackWarning, set_fallback  # noqa: F401
from quern.arrays.functions import *  # noqa: F403
from quern.arrays.host import (  # noqa: F401
    array2string,
    array_repr,
    array_str,
    diag_indices,
    frombuffer,
    fromfile,
    fromfunction,
    fromiter,
    fromregex,
    fromstring,
    genfromtxt,
    ix_,
    load,
    loadtxt,
    mask_indices,
    save,
    savetxt,
    savez,
    savez_compressed,
    tril_indices,
    triu_indices,
)
from quern.arrays.linalg import contraction, matrices
from quern.arrays.manipulation import arranging, editing, padding
from quern.arrays.mathematics import *  # noqa: F403
from quern.arrays.mathematics import cumulative, polynomials, rounding  # noqa: F401, cumulative gives accumulate() what it computes with
from quern.arrays.mathematics.composed import (  # noqa: F401
    divmod,
    frexp,
    isnat,
    ldexp,
    matmul,
    matvec,
    modf,
    vecdot,
    vecmat,
)
from quern.arrays.objects import exchange
from quern.arrays.objects.exchange import Flags  # noqa: F401
from quern.arrays.objects.protocols import __array_namespace_info__  # noqa: F401
from quern.arrays.ufuncs import methods as ufunc_methods  # noqa: F401
from quern.arrays.ufuncs import ufunc  # noqa: F401

newaxis, pi, e, inf, nan, euler_gamma = None, math.pi, math.e, math.inf, math.nan, numpy.euler_gamma
bool_ = numpy.bool_
int8, int16, int32, int64 = numpy.int8, numpy.int16, numpy.int32, numpy.int64
uint8, uint16, uint32, uint64 = numpy.uint8, numpy.uint16, numpy.uint32, numpy.uint64
float16, float32, float64, bfloat16 = numpy.float16, numpy.float32, numpy.float64, ml_dtypes.bfloat16
complex64, complex128 = numpy.complex64, numpy.complex128


def _public(function):
    """The function as programs call it: NumPy's stands behind it for arguments that it does not take."""
    name = function.__name__
    made = fallback.served(function, getattr(numpy, name), name)
    made.__module__, made.__qualname__ = "quern", name
    return made


ndarray = Array
from_dlpack = _public(exchange.from_dlpack)
real = _public(mathematics.real)
imag = _public(mathematics.imag)
result_type = _public(data_types.result_type)
can_cast = _public(data_types.can_cast)
promote_types = _public(data_types.promote_types)
min_scalar_type = _public(data_types.min_scalar_type)
common_type = _public(data_types.common_type)
finfo = _public(data_types.finfo)
isscalar = _public(data_types.isscalar)
iscomplexobj = _public(data_types.iscomplexobj)
isrealobj = _public(data_types.isrealobj)
delete = _public(editing.delete)
insert = _public(editing.insert)
trim_zeros = _public(editing.trim_zeros)
einsum_path = _public(contraction.einsum_path)
asarray_chkfinite = _public(layouts.asarray_chkfinite)
isfortran = _public(layouts.isfortran)
shares_memory = _public(layouts.shares_memory)
may_share_memory = _public(layouts.may_share_memory)
require = _public(layouts.require)
array_equal = _public(logic.array_equal)
array_equiv = _public(logic.array_equiv)
ndim = _public(arranging.ndim)
shape = _public(arranging.shape)
size = _public(arranging.size)
broadcast_shapes = _public(arranging.broadcast_shapes)
append = _public(arranging.append)
repeat = _public(arranging.repeat)
resize = _public(arranging.resize)
copyto = _public(arranging.copyto)
rollaxis = _public(arranging.rollaxis)
block = _public(arranging.block)
fill_diagonal = _public(matrices.fill_diagonal)
diag_indices_from = _public(matrices.diag_indices_from)
tril_indices_from = _public(matrices.tril_indices_from)
triu_indices_from = _public(matrices.triu_indices_from)
pad = _public(padding.pad)
polyval = _public(polynomials.polyval)
polyadd = _public(polynomials.polyadd)
polysub = _public(polynomials.polysub)
polyder = _public(polynomials.polyder)
fix = _public(rounding.fix)
take = _public(indexing.take)
take_along_axis = _public(indexing.take_along_axis)
put_along_axis = _public(indexing.put_along_axis)
put = _public(indexing.put)
choose = _public(indexing.choose)
compress = _public(indexing.compress)
extract = _public(indexing.extract)
place = _public(indexing.place)
putmask = _public(indexing.putmask)
copy = _public(core.copy)

_methods = {"choose": choose, "compress": compress, "put": put, "repeat": repeat, "take": take}
objects.attach(functions.functions | _methods)
exchange.attach()
sys.modules["quern.linalg"] = linalg
_hidden = ("ModuleType", "sys")
__all__ = sorted(n for n, v in globals().items() if not n.startswith("_") and n not in _hidden and not isinstance(v, ModuleType))
__all__ += ["__array_namespace_info__", "linalg"]
