"""Names that NumPy 2 dropped and CuPy 13 has."""

import numpy

from quern import arrays as _arrays
from quern.arrays.core import Array
from quern.cupy._array import as_ndarray

Inf = Infinity = infty = PINF = float("inf")
NINF = -float("inf")
NaN = NAN = float("nan")
PZERO, NZERO = 0.0, -0.0
cfloat = complex_ = numpy.complex128
singlecomplex = numpy.complex64
float_ = numpy.float64
AxisError = numpy.exceptions.AxisError
ComplexWarning = numpy.exceptions.ComplexWarning
ModuleDeprecationWarning = numpy.exceptions.ModuleDeprecationWarning
RankWarning = numpy.exceptions.RankWarning
TooHardError = numpy.exceptions.TooHardError
VisibleDeprecationWarning = numpy.exceptions.VisibleDeprecationWarning
DataSource = numpy.lib.npyio.DataSource
disable_experimental_feature_warning = False


def alltrue(a, axis=None, out=None, keepdims=False):
    """See :func:`all`."""
    return as_ndarray(_arrays.all(_arrays.asarray(a), axis, out=out, keepdims=keepdims))


def sometrue(a, axis=None, out=None, keepdims=False):
    """See :func:`any`."""
    return as_ndarray(_arrays.any(_arrays.asarray(a), axis, out=out, keepdims=keepdims))


def product(a, axis=None, dtype=None, out=None, keepdims=False):
    """See :func:`prod`."""
    return as_ndarray(_arrays.prod(_arrays.asarray(a), axis, dtype=dtype, out=out, keepdims=keepdims))


def cumproduct(a, axis=None, dtype=None, out=None):
    """See :func:`cumprod`."""
    return as_ndarray(_arrays.cumprod(a, axis, dtype=dtype, out=out))


def round_(a, decimals=0, out=None):
    """See :func:`round`."""
    return as_ndarray(_arrays.round(_arrays.asarray(a), decimals, out=out))


def in1d(ar1, ar2, assume_unique=False, invert=False):
    """See :func:`isin`; the result has one dimension."""
    return as_ndarray(_arrays.isin(_arrays.asarray(ar1).reshape(-1), ar2, assume_unique=assume_unique, invert=invert))


def msort(a):
    """A sorted copy, along the first axis."""
    return as_ndarray(_arrays.sort(a, axis=0))


def asfarray(a, dtype=numpy.float64):
    """An array of ``a``, of real or complex numbers."""
    kind = numpy.dtype(dtype)
    return as_ndarray(_arrays.asarray(a, kind if kind.kind in "fc" else numpy.float64))


def byte_bounds(a):
    """The addresses of the array's first byte, and of the one after its last."""
    if not isinstance(a, Array):
        raise TypeError(f"byte_bounds(): `a` must be a cupy.ndarray, not {type(a).__name__}")
    low = high = a._address()
    if a.size:
        for n, step in zip(a.shape, a.strides, strict=True):
            if step < 0:
                low += (n - 1) * step
            else:
                high += (n - 1) * step
        high += a.itemsize
    return low, high


def find_common_type(array_types, scalar_types):
    """The type that arrays and numbers of these types have together."""
    arrays = [numpy.dtype(t) for t in array_types]
    scalars = [numpy.dtype(t) for t in scalar_types]
    highest = numpy.result_type(*arrays) if arrays else None
    lone = numpy.result_type(*scalars) if scalars else None
    if highest is None or lone is None:
        return lone if highest is None else highest
    order = "biufc"
    rank = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}
    known = highest.kind in order and lone.kind in order
    return numpy.result_type(highest, lone) if known and rank[lone.kind] > rank[highest.kind] else highest


def issubclass_(arg1, arg2):
    """issubclass(), False for what is no class."""
    return isinstance(arg1, type) and issubclass(arg1, arg2)


def issctype(rep):
    """Is it a type of numbers, or stands for one?"""
    if not isinstance(rep, (type, numpy.dtype)):
        return False
    return obj2sctype(rep) not in (None, numpy.object_)


def obj2sctype(rep, default=None):
    """NumPy's scalar type of a type, a dtype or an array."""
    if isinstance(rep, type) and issubclass(rep, numpy.generic):
        return rep
    try:
        return numpy.dtype(getattr(rep, "dtype", rep)).type
    except TypeError:
        return default


def issubsctype(arg1, arg2):
    """Is the one's scalar type a kind of the other's?"""
    return issubclass(obj2sctype(arg1), obj2sctype(arg2))


def sctype2char(sctype):
    """The letter of a type. Raises ValueError for what is no type of numbers."""
    found = obj2sctype(sctype)
    if found is None:
        raise ValueError("unrecognized type")
    return numpy.dtype(found).char


def safe_eval(source):
    """The value of a literal of Python's."""
    import ast

    return ast.literal_eval(source)


def disp(mesg, device=None, linefeed=True):
    """Writes text to a file, by default sys.stdout."""
    import sys

    to = sys.stdout if device is None else device
    to.write(f"{mesg}\n" if linefeed else f"{mesg}")
    to.flush()


def who(vardict=None):
    """Prints names, shapes, bytes and types of the arrays in a dict, by default the caller's globals; a second name of one says so."""
    import sys

    names = sys._getframe(1).f_globals if vardict is None else vardict
    first, rows, total = {}, [], 0
    for name, value in names.items():
        if not isinstance(value, Array):
            continue
        known = first.setdefault(id(value), name)
        total += value.nbytes if known is name else 0
        label = name if known is name else f"{name} ({known})"
        rows.append((label, " x ".join(map(str, value.shape)), str(value.nbytes), value.dtype.name))
    if rows:
        widths = [max(10, *(len(row[n]) for row in rows)) for n in range(3)]
        head = "Name {} Shape {} Bytes {} Type".format(*(" " * w for w in widths))
        print(head + "\n" + "=" * (len(head) + 5) + "\n")
        for row in rows:
            print(*(text.ljust(w + more) for text, w, more in zip(row, widths, (6, 7, 7), strict=False)), row[3], sep="")
    print(f"\nUpper bound on total bytes  =       {total}")


class format_parser:  # noqa: N801
    """``dtype`` of formats, names and titles; see numpy.rec.format_parser."""

    def __new__(cls, *args, **kwargs):
        return numpy.rec.format_parser(*args, **kwargs)


def get_array_wrap(*args):
    """``__array_wrap__`` of the argument with the highest priority, or None."""
    found = [(getattr(a, "__array_priority__", 0), -n, a.__array_wrap__) for n, a in enumerate(args) if hasattr(a, "__array_wrap__")]
    return max(found, key=lambda f: f[:2])[2] if found else None


def set_string_function(f, repr=True):
    """Raises NotImplementedError: set_printoptions() says how arrays are printed."""
    raise NotImplementedError("[cupy.set_string_function] is not supported; use set_printoptions()")


def make_aligned_dtype(dtype, *, alignment=-1, recurse=True):
    """A structured type whose fields lie where a GPU wants them: each at a multiple of its size, up to 16 bytes.

    Parameters: ``alignment``: what the whole is aligned at, a power of two, kept in the type's metadata; -1: at what its fields want.
    ``recurse``: False leaves structured types inside as they are. Raises ValueError for an ``alignment`` that is none or too small.

    Examples
    --------
    >>> from quern import cupy
    >>> cupy.make_aligned_dtype([("a", "i1"), ("b", "c16")]).fields["b"]
    (dtype('complex128'), 16)
    """
    dtype = numpy.dtype(dtype)
    if alignment != -1 and (alignment < 1 or alignment & (alignment - 1)):
        raise ValueError(f"[cupy.make_aligned_dtype] an alignment must be a power of two, not {alignment}")
    made, least = _aligned(dtype, recurse)
    if alignment == -1:
        return made
    if alignment < least:
        raise ValueError(f"[cupy.make_aligned_dtype] the alignment {alignment} is smaller than that of the fields, {least}")
    size = -(-made.itemsize // alignment) * alignment
    if made.names is None:
        if size != made.itemsize:
            raise ValueError(f"[cupy.make_aligned_dtype] {dtype} has {made.itemsize} bytes, fewer than the alignment {alignment}")
        return made
    return numpy.dtype(_laid_out(made, [made.fields[n] for n in made.names], size), align=True, metadata={"__cuda_alignment__": alignment})


def _aligned(dtype, recurse):
    """The type with its fields where they belong, and what it is aligned at."""
    if dtype.subdtype is not None:
        inner, least = _aligned(dtype.base, recurse)
        return numpy.dtype((inner, dtype.shape)), least
    if dtype.names is None:
        return dtype, min(dtype.itemsize & -dtype.itemsize, 16) or 1
    fields, end, whole = [], 0, (dtype.metadata or {}).get("__cuda_alignment__", 1)
    for name in dtype.names:
        of = dtype.fields[name][0]
        made, least = _aligned(of, recurse) if recurse or of.base.names is None else (of, max(of.base.alignment, _asked(of.base)))
        end = -(-end // least) * least
        fields.append((made, end))
        end, whole = end + made.itemsize, max(whole, least)
    return numpy.dtype(_laid_out(dtype, fields, -(-end // whole) * whole), align=True), whole


def _asked(dtype):
    return (dtype.metadata or {}).get("__cuda_alignment__", 1)


def _laid_out(dtype, fields, size):
    formats, offsets = [f[0] for f in fields], [f[1] for f in fields]
    return {"names": list(dtype.names), "formats": formats, "offsets": offsets, "itemsize": size}


__all__ = [name for name in globals() if not name.startswith("_") and name not in ("Array", "as_ndarray", "numpy")]  # noqa: PLE0605
