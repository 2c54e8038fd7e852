"""cupy.testing: NumPy's assertions on arrays of ours, and decorators that run a test with NumPy and with the CuPy front end and compare.

A test function of the decorators takes a module by the keyword ``xp`` (or another ``name``) and returns what is compared.
"""

import contextlib
import functools
import inspect
import itertools
import os
import unittest
import warnings

import numpy

from quern.arrays.core import Array, asnumpy
from quern.arrays.public_names import settle as _settle

# ---- assertions


def _host(value):
    if isinstance(value, Array):
        return asnumpy(value)
    if isinstance(value, (list, tuple)) and any(isinstance(v, Array) for v in value):
        return [_host(v) for v in value]
    return value


def _value(value):
    """What == compares: NumPy's numbers for arrays, in tuples and lists, too."""
    if isinstance(value, (list, tuple)):
        return type(value)(_value(one) for one in value)
    host = _host(value)
    return host[()] if isinstance(value, Array) else host


def _assertion(name):
    theirs = getattr(numpy.testing, name)

    @functools.wraps(theirs)
    def check(x, y, *args, **kwargs):
        return theirs(_host(x), _host(y), *args, **kwargs)

    check.__doc__ = f"numpy.testing.{name} of the values."
    return check


assert_allclose = _assertion("assert_allclose")
assert_array_almost_equal = _assertion("assert_array_almost_equal")
assert_array_almost_equal_nulp = _assertion("assert_array_almost_equal_nulp")
assert_array_max_ulp = _assertion("assert_array_max_ulp")
assert_array_less = _assertion("assert_array_less")


def assert_array_equal(actual, desired, err_msg="", verbose=True, *, strict=False, strides_check=False):
    """Raises AssertionError unless the values are the same; with ``strides_check``, their places in memory too."""
    numpy.testing.assert_array_equal(_host(actual), _host(desired), err_msg=err_msg, verbose=verbose, strict=strict)
    if strides_check and actual.strides != desired.strides:
        raise AssertionError(f"Strides are not equal: {actual.strides} and {desired.strides}. {err_msg}")


def assert_array_list_equal(xlist, ylist, err_msg="", verbose=True):
    """Raises AssertionError unless both have as many arrays, with the same values."""
    if len(xlist) != len(ylist):
        raise AssertionError(f"There are {len(xlist)} and {len(ylist)} arrays. {err_msg}")
    for x, y in zip(xlist, ylist, strict=True):
        assert_array_equal(x, y, err_msg=err_msg, verbose=verbose)


@contextlib.contextmanager
def assert_warns(expected):
    """Raises AssertionError unless a warning of that class is given in the block."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        yield
    if not any(issubclass(w.category, expected) for w in seen):
        raise AssertionError(f"{expected.__name__} not triggered")


# ---- a test with NumPy and with ours


def _in_place_of(function, *names):
    """A decorator of a test that gives ``function`` the arguments ``names`` itself: pytest must not ask for them."""

    def decorate(test):
        functools.update_wrapper(test, function)
        del test.__wrapped__
        signature = inspect.signature(function)
        test.__signature__ = signature.replace(parameters=[p for n, p in signature.parameters.items() if n not in names])
        return test

    return decorate


def _outcome(function, args, kwargs, name, module, sp_name, scipy_name):
    given = dict(kwargs)
    given[name] = module
    if sp_name or scipy_name:
        raise unittest.SkipTest("SciPy's modules are not supported")
    try:
        return function(*args, **given), None
    except unittest.SkipTest:
        raise
    except Exception as error:
        return None, error


def _compared(name, compare, type_check, accept_error, sp_name=None, scipy_name=None, contiguous_check=False):
    def decorate(function):
        @_in_place_of(function, name)
        def test(*args, **kwargs):
            import quern.cupy as cupy

            ours, our_error = _outcome(function, args, kwargs, name, cupy, sp_name, scipy_name)
            theirs, their_error = _outcome(function, args, kwargs, name, numpy, sp_name, scipy_name)
            if our_error is not None or their_error is not None:
                _same_error(our_error, their_error, accept_error)
                return
            if isinstance(theirs, numpy.poly1d) and isinstance(ours, cupy.poly1d):
                if ours.variable != theirs.variable:
                    raise AssertionError(f"The variables differ: {ours.variable} of cupy and {theirs.variable} of numpy")
                ours, theirs = ours.coeffs, theirs.coeffs
            pairs = [(ours, theirs)]
            if isinstance(theirs, (list, tuple)):
                if not isinstance(ours, (list, tuple)) or len(ours) != len(theirs):
                    raise AssertionError(f"The results are {ours!r} and {theirs!r}")
                pairs = list(zip(ours, theirs, strict=True))
            for a, b in pairs:
                if type_check and numpy.asarray(b).dtype != getattr(a, "dtype", numpy.asarray(a).dtype):
                    raise AssertionError(f"The types differ: {a.dtype} of cupy and {numpy.asarray(b).dtype} of numpy")
                if numpy.shape(b) != numpy.shape(a):
                    raise AssertionError(f"The shapes differ: {numpy.shape(a)} of cupy and {numpy.shape(b)} of numpy")
                compare(a, b)

        return test

    return decorate


def _same_error(ours, theirs, accept_error):
    if ours is None or theirs is None:
        who, error = ("numpy", theirs) if ours is None else ("cupy", ours)
        raise AssertionError(f"Only {who} raises: {type(error).__name__}: {error}") from error
    accepted = Exception if accept_error is True else accept_error or ()
    if not accepted or not isinstance(theirs, accepted):
        raise theirs
    if not isinstance(ours, type(theirs)) and not isinstance(theirs, type(ours)):
        raise AssertionError(f"cupy raises {type(ours).__name__}: {ours}; numpy {type(theirs).__name__}: {theirs}") from ours


def _tolerance(value, dtype):
    if isinstance(value, dict):
        return value.get(dtype, value.get(numpy.dtype(dtype).type, value.get("default", 1e-7)))
    return value


def numpy_cupy_allclose(
    rtol=1e-7,
    atol=0,
    err_msg="",
    verbose=True,
    name="xp",
    type_check=True,
    accept_error=False,
    sp_name=None,
    scipy_name=None,
    contiguous_check=True,
    *,
    _check_sparse_format=True,
):
    """A decorator: the results of NumPy and of ours must be close, of the same types and shapes. ``rtol``, ``atol``: numbers, or dicts
    by dtype. ``accept_error``: errors that both may raise."""

    def compare(a, b):
        dtype = numpy.asarray(b).dtype.type
        assert_allclose(a, b, _tolerance(rtol, dtype), _tolerance(atol, dtype), err_msg=err_msg, verbose=verbose)

    return _compared(name, compare, type_check, accept_error, sp_name, scipy_name, contiguous_check)


def numpy_cupy_array_almost_equal(
    decimal=6, err_msg="", verbose=True, name="xp", type_check=True, accept_error=False, sp_name=None, scipy_name=None
):
    """A decorator: the results must be the same to ``decimal`` places."""
    return _compared(
        name, lambda a, b: assert_array_almost_equal(a, b, decimal, err_msg, verbose), type_check, accept_error, sp_name, scipy_name
    )


def numpy_cupy_array_almost_equal_nulp(nulp=1, name="xp", type_check=True, accept_error=False, sp_name=None, scipy_name=None):
    """A decorator: the results must be the same but for ``nulp`` steps of their type."""
    return _compared(name, lambda a, b: assert_array_almost_equal_nulp(a, b, nulp), type_check, accept_error, sp_name, scipy_name)


def numpy_cupy_array_max_ulp(maxulp=1, dtype=None, name="xp", type_check=True, accept_error=False, sp_name=None, scipy_name=None):
    """A decorator: the results must be the same but for ``maxulp`` steps of their type."""
    return _compared(name, lambda a, b: assert_array_max_ulp(a, b, maxulp, dtype), type_check, accept_error, sp_name, scipy_name)


def numpy_cupy_array_equal(
    err_msg="", verbose=True, name="xp", type_check=True, accept_error=False, sp_name=None, scipy_name=None, strides_check=False
):
    """A decorator: the results must be the same."""

    def compare(a, b):
        assert_array_equal(a, b, err_msg, verbose, strides_check=strides_check)

    return _compared(name, compare, type_check, accept_error, sp_name, scipy_name)


def numpy_cupy_array_list_equal(err_msg="", verbose=True, name="xp", sp_name=None, scipy_name=None):
    """A decorator: the results, lists of arrays, must be the same."""
    return _compared(name, lambda a, b: assert_array_equal(a, b, err_msg, verbose), False, False, sp_name, scipy_name)


def numpy_cupy_array_less(err_msg="", verbose=True, name="xp", type_check=True, accept_error=False, sp_name=None, scipy_name=None):
    """A decorator: ours must be less than NumPy's."""
    return _compared(name, lambda a, b: assert_array_less(a, b, err_msg, verbose), type_check, accept_error, sp_name, scipy_name)


def numpy_cupy_equal(name="xp", sp_name=None, scipy_name=None):
    """A decorator: the results, no arrays, must be equal."""

    def decorate(function):
        @_in_place_of(function, name)
        def test(*args, **kwargs):
            import quern.cupy as cupy

            ours, theirs = function(*args, **kwargs, **{name: cupy}), function(*args, **kwargs, **{name: numpy})
            if _value(ours) != theirs:
                raise AssertionError(f"Results are not equal: {ours!r} of cupy and {theirs!r} of numpy")

        return test

    return decorate


def numpy_cupy_raises(name="xp", sp_name=None, scipy_name=None, accept_error=Exception):
    """A decorator: both must raise, the same class or one of ``accept_error``."""

    def decorate(function):
        @_in_place_of(function, name)
        def test(*args, **kwargs):
            import quern.cupy as cupy

            _, ours = _outcome(function, args, kwargs, name, cupy, sp_name, scipy_name)
            _, theirs = _outcome(function, args, kwargs, name, numpy, sp_name, scipy_name)
            if ours is None and theirs is None:
                raise AssertionError("Neither cupy nor numpy raises")
            _same_error(ours, theirs, accept_error)

        return test

    return decorate


# ---- a test for each of several types, orders, parameters


def _for_each(names, combinations):
    def decorate(function):
        @_in_place_of(function, *names)
        def test(*args, **kwargs):
            _run_each(combinations, lambda given: function(*args, **kwargs, **given))

        return test

    return decorate


def _run_each(combinations, run):
    for given in combinations:
        try:
            run(given)
        except unittest.SkipTest:
            continue
        except Exception:
            print(given)
            raise


_complex = (numpy.complex64, numpy.complex128)
_float = (numpy.float64, numpy.float32, numpy.float16)
_signed = tuple(numpy.dtype(c).type for c in "bhilq")
_unsigned = tuple(numpy.dtype(c).type for c in "BHILQ")
_ints = _signed + _unsigned


def _all(no_float16, no_bool, no_complex):
    return _float[: 2 if no_float16 else 3] + _ints + (() if no_bool else (numpy.bool_,)) + (() if no_complex else _complex)


def for_dtypes(dtypes, name="dtype"):
    """A decorator: the test is called with each of the types as ``name``."""
    return _for_each([name], [{name: numpy.dtype(d).type} for d in dtypes])


def for_all_dtypes(name="dtype", no_float16=False, no_bool=False, no_complex=False):
    """The same, with all types of numbers."""
    return for_dtypes(_all(no_float16, no_bool, no_complex), name)


def for_float_dtypes(name="dtype", no_float16=False):
    """The same, with the types of real numbers."""
    return for_dtypes(_float[: 2 if no_float16 else 3], name)


def for_signed_dtypes(name="dtype"):
    """The same, with the signed integers."""
    return for_dtypes(_signed, name)


def for_unsigned_dtypes(name="dtype"):
    """The same, with the unsigned integers."""
    return for_dtypes(_unsigned, name)


def for_int_dtypes(name="dtype", no_bool=False):
    """The same, with all integers and bools."""
    return for_dtypes(_ints if no_bool else (*_ints, numpy.bool_), name)


def for_complex_dtypes(name="dtype"):
    """The same, with the complex numbers."""
    return for_dtypes(_complex, name)


def for_dtypes_combination(types, names=("dtype",), full=None):
    """A decorator: the test is called with types for each of ``names``: with all combinations if ``full`` (by default what the
    environment variable CUPY_TEST_FULL_COMBINATION says), else with each type a few times."""
    types = [numpy.dtype(t).type for t in types]
    if full is None:
        full = int(os.environ.get("CUPY_TEST_FULL_COMBINATION", "0")) != 0
    if full:
        combinations = [dict(zip(names, each, strict=True)) for each in itertools.product(types, repeat=len(names))]
    else:
        combinations = [{n: types[(i * (k + 1)) % len(types)] for k, n in enumerate(names)} for i in range(len(types))]

    return _for_each(names, combinations)


def for_all_dtypes_combination(names=("dtyes",), no_float16=False, no_bool=False, full=None, no_complex=False):
    """The same, with all types of numbers."""
    return for_dtypes_combination(_all(no_float16, no_bool, no_complex), names, full)


def for_signed_dtypes_combination(names=("dtype",), full=None):
    """The same, with the signed integers."""
    return for_dtypes_combination(_signed, names, full)


def for_unsigned_dtypes_combination(names=("dtype",), full=None):
    """The same, with the unsigned integers."""
    return for_dtypes_combination(_unsigned, names, full)


def for_int_dtypes_combination(names=("dtype",), no_bool=False, full=None):
    """The same, with all integers and bools."""
    return for_dtypes_combination(_ints if no_bool else (*_ints, numpy.bool_), names, full)


def for_orders(orders, name="order"):
    """A decorator: the test is called with each of the orders as ``name``."""
    return _for_each([name], [{name: order} for order in orders])


def for_CF_orders(name="order"):  # noqa: N802
    """The same, with "C" and "F"."""
    return for_orders([None, "C", "F", "c", "f"], name)


def for_contiguous_axes(name="axis"):
    """A decorator for methods of classes with ``shape`` and ``order``: called with the axes that lie together in memory."""

    def decorate(function):
        @_in_place_of(function, name)
        def test(self, *args, **kwargs):
            rank = len(self.shape)
            axes = range(rank) if self.order in ("c", "C") else range(rank - 1, -1, -1)
            for last in range(rank):
                given = tuple(list(axes)[last:])
                function(self, *args, **kwargs, **{name: tuple(sorted(given))})

        return test

    return decorate


def product(parameter):
    """The combinations of a dict of lists: a list of dicts; of a list of lists, a list of lists."""
    if isinstance(parameter, dict):
        keys = sorted(parameter)
        return [dict(zip(keys, values, strict=True)) for values in itertools.product(*(parameter[k] for k in keys))]
    if isinstance(parameter, list):
        if not all(isinstance(p, list) for p in parameter):
            raise TypeError("parameter must be list of lists")
        lone = [p if isinstance(p, list) else [p] for p in parameter]
        return [list(values) for values in itertools.product(*lone)]
    raise TypeError(f"parameter must be either dict or list. Actual: {type(parameter)}")


def product_dict(*parameters):
    """The combinations of lists of dicts, each merged into one dict."""
    return [{k: v for part in parts for k, v in part.items()} for parts in itertools.product(*parameters)]


def parameterize(*params, **kwargs):
    """A decorator of classes of tests: their methods are run with the values of each dict as attributes."""

    params = tuple(params[0]) if len(params) == 1 and not isinstance(params[0], dict) else params

    def decorate(cls):
        for name in [n for n in dir(cls) if n.startswith("test")]:
            setattr(cls, name, _with_each(getattr(cls, name), params))
        return cls

    def _with_each(method, all_params):
        @functools.wraps(method)
        def test(self, *args, **kwargs):
            def run(given):
                for name, value in given.items():
                    setattr(self, name, value)
                method(self, *args, **kwargs)

            _run_each(all_params, run)

        return test

    return decorate


# ---- values


def _xp(xp):
    import quern.cupy

    return quern.cupy if xp is None else xp


def _shaped(values, shape, xp, dtype, order="C", places=None):
    """An array of these values: of complex numbers their multiples, of bools whether the values, or ``places``, are even."""
    xp, dtype = _xp(xp), numpy.dtype(dtype)
    if dtype == "?":
        values = (values if places is None else places) % 2 == 0
    elif dtype.kind == "c":
        values = values * (1 + 1j)
    return xp.array(values.astype(dtype).reshape(shape), order=order)


def shaped_arange(shape, xp=None, dtype=numpy.float32, order="C"):
    """An array of that shape with 1, 2, 3 ...; of bools, True at every other place."""
    return _shaped(numpy.arange(1, int(numpy.prod(shape)) + 1), shape, xp, dtype, order)


def shaped_reverse_arange(shape, xp=None, dtype=numpy.float32):
    """The same, downwards."""
    return _shaped(numpy.arange(int(numpy.prod(shape)), 0, -1), shape, xp, dtype)


def shaped_linspace(start, stop, shape, xp=None, dtype=numpy.float32):
    """An array of that shape with numbers from ``start`` to ``stop``."""
    size = int(numpy.prod(shape))
    return _shaped(numpy.linspace(start, stop, size), shape, xp, dtype, places=numpy.arange(size))


def shaped_random(shape, xp=None, dtype=numpy.float32, scale=10, seed=0, order="C"):
    """An array of that shape with random numbers below ``scale``, the same each time."""
    xp, dtype = _xp(xp), numpy.dtype(dtype)
    draw = numpy.random.RandomState(seed)
    if dtype == "?":
        values = draw.randint(2, size=shape)
    elif dtype.kind == "c":
        values = (draw.rand(*shape) + 1j * draw.rand(*shape)) * scale
    else:
        values = draw.rand(*shape) * scale
    return xp.asarray(numpy.asarray(values, dtype=dtype, order=order), order=order)


def shaped_sparse_random(shape, sp=None, dtype=numpy.float32, density=0.01, format="coo", seed=0):
    """Raises NotImplementedError: sparse matrices are not supported."""
    raise NotImplementedError("[cupy.testing.shaped_sparse_random] sparse matrices are not supported")


def generate_matrix(shape, xp=None, dtype=numpy.float32, *, singular_values=None):
    """Matrices with these singular values, by default between 1 and 10."""
    xp, dtype = _xp(xp), numpy.dtype(dtype)
    if len(shape) <= 1:
        raise ValueError(f"shape {shape} is invalid for matrices: too few axes")
    rank = min(shape[-2:])
    if dtype.kind not in "fc":
        raise TypeError(f"dtype {dtype} is not supported")
    given = numpy.random.uniform(1, 10, (*shape[:-2], rank)) if singular_values is None else numpy.asarray(singular_values)
    noise = numpy.random.randn(*shape) + (1j * numpy.random.randn(*shape) if dtype.kind == "c" else 0)
    u, _, vh = numpy.linalg.svd(noise, full_matrices=False)
    return xp.asarray((u * numpy.broadcast_to(given, (*shape[:-2], rank))[..., None, :] @ vh).astype(dtype))


def generate_seed():
    """A number to start from."""
    return int(numpy.random.randint(0x7FFFFFFF))


def fix_random():
    """A decorator of tests, or of classes of them: random numbers start from the same seed before each."""

    def decorate(what):
        if isinstance(what, type):
            for name in [n for n in dir(what) if n.startswith("test")]:
                setattr(what, name, decorate(getattr(what, name)))
            return what

        @functools.wraps(what)
        def test(*args, **kwargs):
            import random

            import quern.cupy as cupy

            random.seed(99)
            numpy.random.seed(100)
            cupy.random.seed(101)
            return what(*args, **kwargs)

        return test

    return decorate


# ---- which tests run


def installed(*specifiers):
    """Are these packages installed, such as "numpy>=1.20"?"""
    from importlib import metadata

    for specifier in specifiers:
        name, *conditions = _parts(specifier)
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            return False
        if not all(_holds(version, sign, other) for sign, other in conditions):
            return False
    return True


def _parts(specifier):
    import re

    name = re.match(r"[\w.-]+", specifier)[0]
    return [name, *re.findall(r"(<=|>=|==|!=|<|>)\s*([\w.]+)", specifier[len(name) :])]


def _numbers(version):
    import re

    return [int(n) for n in re.findall(r"\d+", version)]


def _holds(version, sign, other):
    import operator

    a, b = _numbers(version), _numbers(other)
    size = max(len(a), len(b))
    a, b = a + [0] * (size - len(a)), b + [0] * (size - len(b))
    signs = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne}
    return signs[sign](a, b)


def with_requires(*requirements):
    """A decorator: the test runs only where these packages are installed."""
    return unittest.skipUnless(installed(*requirements), f"requires {', '.join(requirements)}")


def numpy_satisfies(version_range):
    """Is NumPy's version one of these, such as ">=1.20"?"""
    return installed(f"numpy{version_range}")


def multi_gpu(gpu_num):
    """A decorator: the test runs only with so many GPUs."""
    from quern.device import door_devices

    return unittest.skipIf(len(door_devices()) < gpu_num, f"requires {gpu_num} devices")


def slow(*args, **kwargs):
    """A decorator that marks a test as slow, for pytest."""
    import pytest

    return pytest.mark.slow(*args, **kwargs)


@contextlib.contextmanager
def AssertFunctionIsCalled(*args, times_called=1, **kwargs):  # noqa: N802
    """Raises AssertionError unless the function, named as for unittest.mock.patch, is called so often in the block."""
    from unittest import mock

    with mock.patch(*args, **kwargs) as handle:
        yield
        if handle.call_count != times_called:
            raise AssertionError(f"It was called {handle.call_count} times, not {times_called}")


class NumpyAliasTestBase(unittest.TestCase):
    """A base of tests that a function of ours, ``func``, is called as NumPy's."""

    @property
    def func(self):
        raise NotImplementedError

    @property
    def cupy_func(self):
        import quern.cupy as cupy

        return getattr(cupy, self.func)

    @property
    def numpy_func(self):
        return getattr(numpy, self.func)


class NumpyAliasBasicTestBase(NumpyAliasTestBase):
    """Tests of what it is; derive from it and say ``func = "name"``."""

    def test_argspec(self):
        import inspect

        ours, theirs = inspect.signature(self.cupy_func), inspect.signature(self.numpy_func)
        assert [*ours.parameters] == [*theirs.parameters]

    def test_docstring(self):
        assert self.cupy_func.__doc__


class NumpyAliasValuesTestBase(NumpyAliasTestBase):
    """Tests of what it gives: for ``args``."""

    def test_values(self):
        assert_array_equal(self.cupy_func(*self.args), self.numpy_func(*self.args))
_settle(__name__)
