"""cupy.poly1d, and the functions of polynomials that take it. Coefficients are an array of the device, the highest power first.

Roots, quotients and integrals are NumPy's, computed on the host: they are of few numbers.
"""

import operator

import numpy

from quern import arrays as _arrays
from quern.arrays.core import Array, asarray, asnumpy
from quern.cupy._array import as_ndarray

__all__ = ["poly1d", "polyadd", "polymul", "polysub", "polyval", "roots"]  # noqa: PLE0604


def _host(value):
    return asnumpy(value) if isinstance(value, Array) else numpy.asarray(value)


def _line(value):
    """Coefficients as an array of one dimension."""
    value = as_ndarray(asarray(value))
    if value.ndim > 1:
        raise ValueError("Polynomial must be 1d only.")
    return value.reshape(-1) if value.ndim == 0 else value


def _trimmed(coefficients):
    """Without the zeros in front; one zero where there is nothing else. This waits for the values."""
    places = numpy.flatnonzero(asnumpy(coefficients))
    if not places.size:
        return as_ndarray(_arrays.zeros(1, coefficients.dtype))
    return coefficients[int(places[0]) :] if places[0] else coefficients


def _product(a, b):
    return as_ndarray(_arrays.convolve(_trimmed(_line(a)), _trimmed(_line(b))))


class poly1d:  # noqa: N801
    """Polynomial of one variable.

    Parameters
    ----------
    c_or_r : array_like or poly1d
        Coefficients from the highest power on, or another polynomial, also NumPy's.
    r : bool, optional
        Whether `c_or_r` are roots instead of coefficients.
    variable : str, optional
        Letter of the variable when the polynomial is printed.

    Raises
    ------
    ValueError
        For coefficients with several dimensions.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> p = cp.poly1d([1, 2, 3])
    >>> p(2), p * p
    (array(11), poly1d([ 1,  4, 10, 12,  9]))
    """

    __hash__ = None
    _variable = "x"

    def __init__(self, c_or_r, r=False, variable=None):
        if isinstance(c_or_r, (poly1d, numpy.poly1d)):
            self._variable = c_or_r.variable
            self._coeffs = c_or_r._coeffs if isinstance(c_or_r, poly1d) else as_ndarray(asarray(c_or_r.coeffs))
        else:
            self._coeffs = _trimmed(_line(numpy.poly(_host(c_or_r)) if r else c_or_r))
        if variable is not None:
            self._variable = variable

    # ---- what it is made of

    @property
    def coeffs(self):
        """The coefficients, from the highest power on: an array."""
        return self._coeffs

    @coeffs.setter
    def coeffs(self, value):
        if value is not self._coeffs:  # in-place operators on the array come here
            raise AttributeError("Cannot set attribute")

    c = coef = coefficients = coeffs
    variable = property(lambda self: self._variable, doc="The letter of the variable.")
    order = o = property(lambda self: self._coeffs.size - 1, doc="The highest power.")
    roots = r = property(lambda self: roots(self), doc="Where it is zero: an array, computed on the host.")

    def __cupy_get_ndarray__(self):
        return self._coeffs

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Implicit conversion to a NumPy array is not allowed; `.get()` returns a numpy.poly1d")

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return getattr(ufunc, method)(*(x._coeffs if isinstance(x, poly1d) else x for x in inputs), **kwargs)

    def get(self, stream=None, out=None):
        """Return a copy on the host.

        Parameters
        ----------
        stream : Stream, optional
            Accepted for compatibility.
        out : numpy.poly1d, optional
            Polynomial of the same order that receives the coefficients.

        Returns
        -------
        numpy.poly1d
            Polynomial.
        """
        if out is None:
            return numpy.poly1d(self._coeffs.get(stream=stream), variable=self._variable)
        self._coeffs.get(stream=stream, out=out.coeffs)
        return out

    def set(self, polyin, stream=None):
        """Copy coefficients and variable of a polynomial of NumPy.

        Parameters
        ----------
        polyin : numpy.poly1d
            Polynomial of the same order and dtype.
        stream : Stream, optional
            Accepted for compatibility.

        Raises
        ------
        TypeError
            For an object that is no numpy.poly1d.
        """
        if not isinstance(polyin, numpy.poly1d):
            raise TypeError("Only numpy.poly1d can be set to cupy.poly1d")
        self._variable = polyin.variable
        self._coeffs.set(polyin.coeffs, stream)

    def __len__(self):
        return self.order

    def __iter__(self):
        return iter(self._coeffs)

    def __getitem__(self, key):
        """The coefficient of a power: 0 where there is none."""
        if not 0 <= key <= self.order:
            return as_ndarray(_arrays.zeros((), self._coeffs.dtype))
        return self._coeffs[self.order - key]

    def __setitem__(self, key, value):
        if key < 0:
            raise ValueError("Does not support negative powers.")
        if key > self.order:
            more = _arrays.zeros(key - self.order, self._coeffs.dtype)
            self._coeffs = as_ndarray(_arrays.concatenate((more, self._coeffs)))
        self._coeffs[self.order - key] = value

    def __repr__(self):
        return f"poly1d({repr(self._coeffs)[6:-1]})"

    def __str__(self):
        return str(self.get())

    def __reduce__(self):
        return _made, (self._coeffs, self._variable)

    # ---- calculations

    def __call__(self, value):
        return polyval(self, value)

    def __neg__(self):
        return poly1d(-self._coeffs)

    def __pos__(self):
        return self

    def __add__(self, other):
        return polyadd(self, other)

    __radd__ = __add__

    def __sub__(self, other):
        return polysub(self, other)

    def __rsub__(self, other):
        return polysub(other, self)

    def __mul__(self, other):
        return poly1d(self._coeffs * other) if numpy.isscalar(other) else polymul(self, other)

    __rmul__ = __mul__

    def __pow__(self, power):
        if not numpy.isscalar(power) or int(power) != power or power < 0:
            raise ValueError("Power to non-negative integers only.")
        kind = self._coeffs.dtype
        wide = {"c": "complex128", "f": "float64"}.get(kind.kind) or numpy.promote_types(kind, int)
        base, out = self._coeffs.astype(wide, copy=False), _arrays.ones(1, int)
        for _ in range(operator.index(power)):
            out = _product(base, out)
        return poly1d(out)

    def __truediv__(self, other):
        return poly1d(self._coeffs / other) if numpy.isscalar(other) else _divided(self, other)

    def __rtruediv__(self, other):
        return poly1d(other / self._coeffs) if numpy.isscalar(other) else _divided(other, self)

    def __eq__(self, other):
        if not isinstance(other, poly1d):
            return NotImplemented
        return self._coeffs.shape == other._coeffs.shape and bool((self._coeffs == other._coeffs).all())

    def __ne__(self, other):
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def deriv(self, m=1):
        """Return a derivative.

        Parameters
        ----------
        m : int, optional
            Order of the derivative.

        Returns
        -------
        poly1d
            Derivative.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> cp.poly1d([1, 2, 3]).deriv()
        poly1d([2, 2])
        """
        return poly1d(_arrays.polyder(self._coeffs, m))

    def integ(self, m=1, k=0):
        """Return an integral, computed on the host.

        Parameters
        ----------
        m : int, optional
            Order of the integral.
        k : scalar or sequence, optional
            Constants of integration.

        Returns
        -------
        poly1d
            Integral.

        Examples
        --------
        >>> from quern import cupy as cp
        >>> cp.poly1d([2.0, 1.0]).integ()
        poly1d([1., 1., 0.])
        """
        return poly1d(numpy.polyint(asnumpy(self._coeffs), m, _host(k)))


poly1d.__module__ = "cupy"


def _made(coefficients, variable):
    return poly1d(coefficients, variable=variable)


def _divided(a, b):
    """Quotient and remainder."""
    parts = (_host(poly1d(p)._coeffs) for p in (a, b))
    return tuple(poly1d(part) for part in numpy.polydiv(*parts))


def _of_both(function):
    """The function of two polynomials with a poly1d where one of them is one."""

    def call(a1, a2):
        is_object = isinstance(a1, poly1d) or isinstance(a2, poly1d)
        result = as_ndarray(function(*(a._coeffs if isinstance(a, poly1d) else a for a in (a1, a2))))
        return poly1d(result) if is_object else result

    call.__name__ = call.__qualname__ = function.__name__.strip("_")
    call.__module__ = "cupy"
    return call


polyadd, polysub, polymul = _of_both(_arrays.polyadd), _of_both(_arrays.polysub), _of_both(_product)
polyadd.__doc__, polysub.__doc__, polymul.__doc__ = (
    f"""Return the {what} of two polynomials.

    Parameters
    ----------
    a1 : array_like or poly1d
        Coefficients from the highest power on, or a polynomial.
    a2 : array_like or poly1d
        Coefficients from the highest power on, or a polynomial.

    Returns
    -------
    ndarray or poly1d
        Coefficients; a poly1d if an operand is one.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.{name}(cp.asarray([1, 2]), cp.asarray([3, 4]))
    array({result})
    """
    for what, name, result in (("sum", "polyadd", "[4, 6]"), ("difference", "polysub", "[-2, -2]"), ("product", "polymul", "[ 3, 10,  8]"))
)
polymul.__name__ = polymul.__qualname__ = "polymul"


def polyval(p, x):
    """Return the values of a polynomial.

    Parameters
    ----------
    p : array_like or poly1d
        Coefficients from the highest power on, or a polynomial.
    x : array_like, scalar or poly1d
        Where it is evaluated.

    Returns
    -------
    ndarray or poly1d
        Shape of `x`; for a poly1d the composition of both.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.polyval(cp.asarray([1, 0, 2]), cp.asarray([0, 1, 2]))
    array([2, 3, 6])
    """
    p = p._coeffs if isinstance(p, poly1d) else p
    if not isinstance(x, poly1d):
        return as_ndarray(_arrays.polyval(p, x))
    out = poly1d([0])
    for coefficient in asarray(p):
        out = out * x + coefficient
    return out


def roots(p):
    """Return the roots of a polynomial, computed on the host.

    Parameters
    ----------
    p : array_like or poly1d
        Coefficients from the highest power on, or a polynomial.

    Returns
    -------
    ndarray
        Roots.

    Examples
    --------
    >>> from quern import cupy as cp
    >>> cp.roots(cp.asarray([1.0, -3.0, 2.0]))
    array([2., 1.])
    """
    return as_ndarray(asarray(numpy.roots(_host(p._coeffs if isinstance(p, poly1d) else p))))
