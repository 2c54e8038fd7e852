"""NumPy's methods and attributes of the array type: the functions with the array as their first argument."""

import operator
import types

import numpy

from quern.arrays.core import Array, _numpy_dtype, asarray, asnumpy, copy
from quern.arrays.fallback import attach_missing
from quern.arrays.functions import functions as faces
from quern.arrays.functions import methods
from quern.arrays.mathematics import conjugate, imag, real
from quern.arrays.mathematics.composed import divmod as _divmod
from quern.arrays.mathematics.composed import matmul as _matmul
from quern.arrays.objects import described
from quern.arrays.objects.flat import attach as attach_flat
from quern.arrays.objects.pictures import attach as attach_pictures
from quern.arrays.objects.protocols import _is_foreign, _with_foreign
from quern.arrays.objects.protocols import attach as attach_protocols
from quern.lib import _engine


def _iterate(self):
    if self.ndim == 0:
        raise TypeError("iteration over a 0-d array")
    return (self[n] for n in range(len(self)))


def _repr(self):
    try:
        values = asnumpy(self.astype("float32") if self._dtype_name == "bfloat16" else self)
    except MemoryError:
        raise
    except Exception as error:  # reading the values raises it
        return f"<failed array, shape={self.shape}, dtype={self._dtype_name}: {type(error).__name__}: {error}>"
    text = repr(values)
    return text.replace("float32", "bfloat16") if self._dtype_name == "bfloat16" else text


def _rounded_by(function):
    def rounded(self, ndigits=None):
        is_element = type(self) is Array and self.ndim == 0  # it stands for NumPy's scalar, which becomes an int without digits
        if is_element and (self._dtype_name == "bool" or self._dtype_name.startswith("complex")):
            raise TypeError(f"type numpy.{self._dtype_name} doesn't define __round__ method")
        found = function(self, 0 if ndigits is None else ndigits)
        return int(found) if is_element and ndigits is None else found

    return rounded


def _outwards(name):
    def call(self, *args, **kwargs):
        return getattr(asnumpy(self), name)(*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = described.OUTWARDS[name]
    return call


_only_item = Array.item


def _item(self, *args):
    """Return an element as a Python number; the function waits for it.

    Parameters
    ----------
    *args : int or tuple of ints, optional
        Index in C order, or one for each axis; none for an array with one element.

    Returns
    -------
    int, float, complex or bool
        Element.

    Raises
    ------
    ValueError
        For no index and an array that has not exactly one element, or another number of indices than axes.
    TypeError
        For indices that are no integers.
    IndexError
        For an index out of range.
    OverflowError
        For an index of more than 64 bits.

    Examples
    --------
    >>> import quern as qn
    >>> qn.arange(6).reshape(2, 3).item(1, 2)
    5
    """
    if self._has_records:
        return asnumpy(self).item(*args)
    place = args[0] if len(args) == 1 and isinstance(args[0], tuple) else args
    if not place:
        return _only_item(self)
    if len(place) == 1:
        return (self if self.ndim == 1 else self.reshape(-1))[_whole(place[0])].item()
    if len(place) != self.ndim:
        raise ValueError("incorrect number of indices for array")
    return self[tuple(map(_whole, place))].item()


def _whole(place):
    if isinstance(place, bool):
        raise TypeError("an integer is required")
    place = operator.index(place)
    if not -(2**63) <= place < 2**63:
        raise OverflowError("Python int too large to convert to C long")
    return place


def _copy(self, order="C"):
    """Return a copy of the array.

    Parameters
    ----------
    order : {'C', 'F', 'A', 'K'}, optional
        Memory layout of the copy: C order, Fortran order, or that of the array.

    Returns
    -------
    Array
        Shape and dtype of the array.

    Examples
    --------
    >>> import quern as qn
    >>> a = qn.zeros(2)
    >>> b = a.copy()
    >>> b[0] = 1
    >>> a
    array([0., 0.])
    """
    return self._astype(self._dtype_name, order)


def _complex(self):
    if self.size != 1:
        raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
    return complex(self.item())


def _tobytes(self, order="C"):
    r"""Return the bytes of the elements; the function waits for the values.

    Parameters
    ----------
    order : {'C', 'F', 'A', 'K'}, optional
        Order of the elements; "K" is the same as "C".

    Returns
    -------
    bytes
        Elements without gaps.

    Examples
    --------
    >>> import quern as qn
    >>> qn.asarray([1, 2], dtype="uint8").tobytes()
    b'\x01\x02'
    """
    return asnumpy(self._raveled("C" if order in ("K", "k") else order)).tobytes()


def _fill(self, value):
    """Set all elements to a value, in place.

    Parameters
    ----------
    value : scalar or tuple
        Number; or the values of the fields of a structured array.

    Examples
    --------
    >>> import quern as qn
    >>> a = qn.zeros(2)
    >>> a.fill(7)
    >>> a
    array([7., 7.])
    """
    if getattr(value, "ndim", 0) or isinstance(value, list) or (isinstance(value, tuple) and self.dtype.names is None):
        raise ValueError("setting an array element with a sequence.")
    self[...] = value


def _conjugate(self):
    """Return the complex conjugate.

    Returns
    -------
    Array
        New array of the same shape and dtype; of an array that is not complex, the array itself.

    Examples
    --------
    >>> import quern as qn
    >>> qn.asarray([1 + 2j]).conj()
    array([1.-2.j])
    """
    return conjugate(self) if self._dtype_name.startswith("complex") else self


def _tolist(self):
    """Return the values as nested lists; the function waits for them.

    Returns
    -------
    list or scalar
        Python's numbers, one level of lists for each dimension; a number for a 0-d array.

    Examples
    --------
    >>> import quern as qn
    >>> qn.asarray([[1, 2], [3, 4]]).tolist()
    [[1, 2], [3, 4]]
    """
    return asnumpy(self).tolist()


def _dtype(self):
    return _numpy_dtype(self._dtype_name)


def _compressed_by(function):
    def compress(self, condition, axis=None, out=None):
        """Return the slices along an axis where a condition holds.

        Parameters
        ----------
        condition : array_like of bool
            One-dimensional; slices beyond its length are left out.
        axis : int, optional
            Axis of the slices; None selects elements of the flattened array.
        out : Array, optional
            Array that receives the result; it must have the result's shape.

        Returns
        -------
        Array
            Slices, of the dtype of the array.

        Examples
        --------
        >>> import quern as qn
        >>> qn.asarray([[1, 2], [3, 4]]).compress([False, True], axis=0)
        array([[3, 4]])
        """
        return function(condition, self, axis, out)

    compress.__qualname__ = "compress"
    return compress


def _divided(left, right):
    if type(right) is int or type(right) is type(left):  # as most are: the operators, without a ufunc's arguments
        return left // right, left % right
    if _is_foreign(left) or _is_foreign(right):
        return _with_foreign("divmod", left, right, None)
    return _divmod(left, right)


def _set_imag(self, value):
    if not self._dtype_name.startswith("complex"):
        raise TypeError("array does not have imaginary part to set")
    imag(self)[...] = value


def _imatmul(self, other):
    if not isinstance(other, (Array, numpy.ndarray, list, tuple)):
        return _with_foreign("matmul", self, other, self)
    other = asarray(other)
    if self.ndim < 1 or other.ndim < 2:
        raise ValueError(
            "inplace matrix multiplication requires the first operand to have at least one and the second at least two dimensions."
        )
    return _matmul(self, other, out=self)


# Methods that are functions of the same name with the array as their first argument.
_FUNCTIONS = """repeat round
choose put take""".split()


def attach(functions):
    """Gives the array type its methods. ``functions``: the public ones, by their names; what is not among them runs on the host."""
    shared = [*_FUNCTIONS, *(name for name in faces if hasattr(numpy.ndarray, name))]
    _engine.add_methods(Array, {name: functions[name] for name in shared if name in functions and not hasattr(Array, name)} | methods)
    Array.copy = _copy
    Array.conj = Array.conjugate = _conjugate
    Array.compress = _compressed_by(functions["compress"])
    Array.item = _item
    Array.fill, Array.tolist = _fill, _tolist
    Array.T = property(faces["transpose"], doc=described.T)
    Array.mT = property(faces["matrix_transpose"], doc=described.MT)
    Array.real = property(real, lambda self, value: real(self).__setitem__(..., value), doc=described.REAL)
    Array.imag = property(imag, _set_imag, doc=described.IMAG)
    Array.dtype = property(_dtype, doc=described.DTYPE)
    for name, text in described.OF_ENGINE.items():
        vars(Array)[name].__doc__ = text
    Array.get = asnumpy
    Array.__iter__, Array.__repr__ = _iterate, _repr
    Array.__str__ = lambda self: str(asnumpy(self.astype("float32") if self._dtype_name == "bfloat16" else self))
    Array.__copy__, Array.__deepcopy__ = copy, lambda self, memo: copy(self)
    Array.__divmod__, Array.__rdivmod__ = _divided, lambda self, other: _divided(other, self)
    Array.__imatmul__ = _imatmul
    Array.__contains__ = lambda self, value: bool((self == value).any())
    Array.__round__ = _rounded_by(functions["round"])
    Array.__round__.__name__ = Array.__round__.__qualname__ = "__round__"
    Array.__complex__ = _complex
    Array.__format__ = lambda self, spec: format(self.item() if self.ndim == 0 else str(self), spec)
    Array.tobytes = _tobytes
    Array.tofile, Array.dump, Array.dumps = map(_outwards, ("tofile", "dump", "dumps"))  # they leave the device whatever happens
    attach_protocols()
    attach_flat()
    attach_pictures()
    attach_missing(Array)
    for name, value in vars(Array).items():  # the names in Python's errors of wrong calls
        if isinstance(value, types.FunctionType) and value.__name__[0] in "_<":
            value.__name__ = value.__qualname__ = name
