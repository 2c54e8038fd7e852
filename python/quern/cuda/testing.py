"""What tests of kernels are written with: ``numba.cuda.testing`` and ``numba.tests.support``."""

from __future__ import annotations

import cmath
import contextlib
import enum
import io
import math
import os
import platform
import shutil
import sys
import tempfile
import types as python_types
import unittest
import warnings

import numpy

from quern.cuda import config
from quern.cuda.devices import close as _reset
from quern.cuda.devices import get_current_device
from quern.cuda.errors import TypingError
from quern.cuda.ndarray import interface_of

_BITS = {"single": 24, "double": 53}
_SEQUENCES = (tuple, list)


class SerialMixin:
    """Marks tests that do not run beside others; tests of unittest run one after the other anyway."""


class MemoryLeakMixin:
    """Numba's counts of allocations; there are none here."""


class CheckWarningsMixin:
    """``with self.check_warnings(["text"])``: every text is in a warning of the block."""

    @contextlib.contextmanager
    def check_warnings(self, messages, category=RuntimeWarning):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        told = [str(w.message) for w in caught if issubclass(w.category, category)]
        for message in messages:
            self.assertTrue(any(message in text for text in told), f"no {category.__name__} says {message!r}; there is {told}")


class TestCase(unittest.TestCase):
    """unittest's, with :meth:`assertPreciseEqual`."""

    longMessage = True

    @property
    def random(self):
        """Random numbers, the same ones in each test."""
        return numpy.random.RandomState(42)

    @contextlib.contextmanager
    def assertTypingError(self):  # noqa: N802  (Numba's name, as below)
        """The block raises TypingError."""
        with self.assertRaises(TypingError):
            yield

    def assertStridesEqual(self, first, second):  # noqa: N802
        """Two arrays have the same shape, and the same strides where they matter."""
        self.assertEqual(first.shape, second.shape, "shapes differ")
        self.assertEqual(first.itemsize, second.itemsize, "itemsizes differ")
        self.assertEqual(_strides(first), _strides(second), "strides differ")

    def assertPreciseEqual(self, first, second, prec="exact", ulps=1, msg=None, ignore_sign_on_zero=False, abs_tol=None):  # noqa: N802
        """Two values are equal, and of types that are alike: arrays in dtype, shape and layout, numbers in kind.

        ``prec``: "exact", or "single" and "double" with ``ulps``: how far reals may differ; ``abs_tol``: a number, or "eps". NaN equals
        NaN, 0.0 does not equal -0.0 unless ``ignore_sign_on_zero``.
        """
        if prec != "exact" and prec not in _BITS:
            raise ValueError(f"unsupported precision {prec!r}; it is 'exact', 'single' or 'double'")
        if abs_tol not in (None, "eps") and not isinstance(abs_tol, float):
            raise ValueError(f"abs_tol is not 'eps' or a float, found {abs_tol}")
        said = _difference(first, second, prec, ulps, ignore_sign_on_zero, abs_tol)
        if said:
            self.fail(self._formatMessage(msg, f"when comparing {first} and {second}: {said}"))


def _strides(array):
    if array.size == 0:
        return [0] * array.ndim
    return [step / array.itemsize for step, n in zip(array.strides, array.shape, strict=True) if n > 1]


def _family(value):
    for name, kinds in (
        ("ndarray", numpy.ndarray),
        ("enum", enum.Enum),
        ("sequence", _SEQUENCES),
        ("exact", (bool, numpy.bool_, int, numpy.integer, str, bytes, numpy.datetime64, numpy.timedelta64)),
        ("complex", (complex, numpy.complexfloating)),
        ("approximate", (float, numpy.floating)),
    ):
        if isinstance(value, kinds):
            return name
    return "unknown"


def _difference(first, second, *rules):
    """What is different, as text; "" where nothing is."""
    family = _family(first)
    if family != _family(second):
        return f"Type Family mismatch. ({family} != {_family(second)})"
    if family == "ndarray":
        for what, a, b in (
            ("types", first.dtype, second.dtype),
            ("shapes", first.shape, second.shape),
            ("mutability", first.flags.writeable, second.flags.writeable),
            ("strides", _strides(first), _strides(second)),
        ):
            if a != b:
                return f"different {what}: {a} != {b}"
        return next((said for a, b in zip(first.flat, second.flat, strict=True) if (said := _difference(a, b, *rules))), "")
    if family == "sequence":
        if len(first) != len(second):
            return f"different lengths: {len(first)} != {len(second)}"
        return next((said for a, b in zip(first, second, strict=True) if (said := _difference(a, b, *rules))), "")
    if family in ("enum", "unknown") and type(first) is not type(second):
        return f"{type(first)} is not {type(second)}"
    if hasattr(first, "dtype") and hasattr(second, "dtype") and first.dtype != second.dtype:
        return f"{first.dtype} != {second.dtype}"
    if isinstance(first, (bool, numpy.bool_)) != isinstance(second, (bool, numpy.bool_)):
        return f"Mismatching return types ({type(first)} vs. {type(second)})"
    return "" if _are_equal(first, second, family, *rules) else f"{first!r} != {second!r}"


def _are_equal(first, second, family, prec, ulps, ignores_signs, abs_tol):
    if isinstance(first, (numpy.datetime64, numpy.timedelta64)) and numpy.isnat(first):
        return bool(numpy.isnat(second))
    if family not in ("complex", "approximate"):
        return bool(first == second)
    if cmath.isnan(first) and cmath.isnan(second):
        return True
    if abs_tol is not None and abs(first - second) < (numpy.finfo(type(first)).eps if abs_tol == "eps" else abs_tol):
        return True
    delta = 0.0 if prec == "exact" else 2.0 ** (ulps - _BITS[prec] - 1) * (abs(first) + abs(second))
    pairs = [(first.real, second.real), (first.imag, second.imag)] if family == "complex" else [(first, second)]
    for a, b in pairs:
        if a == b:
            if not ignores_signs and math.copysign(1, a) != math.copysign(1, b) and (a != 0 or prec == "exact" or first == second == 0):
                return False
        elif math.isinf(a) or math.isinf(b) or not abs(a - b) <= delta:
            return False
    return True


class CUDATestCase(SerialMixin, TestCase):
    """A test that uses the device, where nothing warns of small grids and of arrays that are copied."""

    def setUp(self):
        self._warned = config.CUDA_LOW_OCCUPANCY_WARNINGS, config.CUDA_WARN_ON_IMPLICIT_COPY
        config.CUDA_LOW_OCCUPANCY_WARNINGS = config.CUDA_WARN_ON_IMPLICIT_COPY = 0

    def tearDown(self):
        config.CUDA_LOW_OCCUPANCY_WARNINGS, config.CUDA_WARN_ON_IMPLICIT_COPY = self._warned

    def skip_if_lto(self, reason):
        """Runs on: nothing is linked by LTO."""


class ContextResettingTestCase(CUDATestCase):
    """A test after which the device begins anew."""

    def tearDown(self):
        super().tearDown()
        _reset()


class ForeignArray:
    """Another library's array over a device array's memory: it offers the CUDA array interface and nothing else."""

    def __init__(self, arr):
        self._arr = arr
        self.__cuda_array_interface__ = interface_of(arr)


def ensure_supported_ccs_initialized():
    """Nothing is to be done before a fork."""


def cc_X_or_above(major, minor):  # noqa: N802
    """Has the current device this compute capability? The simulator has every one."""
    return bool(config.ENABLE_CUDASIM) or tuple(get_current_device().compute_capability) >= (major, minor)


def _skips_unless_capability(major, minor):
    def decorator(fn):
        return unittest.skipUnless(cc_X_or_above(major, minor), f"requires cc >= {major}.{minor}")(fn)

    return decorator


skip_unless_cc_50, skip_unless_cc_53 = _skips_unless_capability(5, 0), _skips_unless_capability(5, 3)
skip_unless_cc_60, skip_unless_cc_75 = _skips_unless_capability(6, 0), _skips_unless_capability(7, 5)


def skip_on_cudasim(reason):
    """Skips a test under NUMBA_ENABLE_CUDASIM=1."""
    return unittest.skipIf(config.ENABLE_CUDASIM, reason)


def skip_unless_cudasim(reason):
    """Skips a test but under NUMBA_ENABLE_CUDASIM=1."""
    return unittest.skipUnless(config.ENABLE_CUDASIM, reason)


def xfail_unless_cudasim(fn):
    """A test that fails but under NUMBA_ENABLE_CUDASIM=1."""
    return fn if config.ENABLE_CUDASIM else unittest.expectedFailure(fn)


def skip_on_arm(reason):
    return unittest.skipIf(platform.machine().startswith(("arm", "aarch")), reason)


def skip_without_nvdisasm(reason):
    return unittest.skipIf(shutil.which("nvdisasm") is None, reason)


def skip_with_nvdisasm(reason):
    return unittest.skipIf(shutil.which("nvdisasm") is not None, reason)


def skip_if_cuda_includes_missing(fn):
    return unittest.skipUnless(os.path.isfile(os.path.join(config.CUDA_INCLUDE_PATH, "cuda.h")), "there is no cuda.h")(fn)


def _runs(reason):
    return lambda fn: fn


# What they skip for is never so here.
skip_if_external_memmgr = skip_if_mvc_enabled = skip_under_cuda_memcheck = skip_with_cuda_python = _runs


def skip_unless_conda_cudatoolkit(reason):
    """Skips: no toolkit of conda's is looked for."""
    return unittest.skip(reason)


def tag(*tags):
    """Numba's mark of tests, which changes nothing."""
    return lambda fn: fn


@contextlib.contextmanager
def captured_output(stream_name):
    """What is printed there in a block, as an io.StringIO."""
    before = getattr(sys, stream_name)
    setattr(sys, stream_name, io.StringIO())
    try:
        yield getattr(sys, stream_name)
    finally:
        setattr(sys, stream_name, before)


def captured_stdout():
    """What a block prints, as an io.StringIO."""
    return captured_output("stdout")


def captured_stderr():
    """What a block writes to sys.stderr, as an io.StringIO."""
    return captured_output("stderr")


@contextlib.contextmanager
def override_config(name, value):
    """A variable of numba.config has that value in a block."""
    before = getattr(config, name)
    setattr(config, name, value)
    try:
        yield
    finally:
        setattr(config, name, before)


@contextlib.contextmanager
def override_env_config(name, value):
    """The environment has that value of a variable in a block; numba.config keeps what it read before."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def temp_directory(prefix):
    """A new folder for temporary files."""
    return tempfile.mkdtemp(prefix=prefix)


def import_dynamic(modname):
    """The module of that name, imported now."""
    __import__(modname)
    return sys.modules[modname]


def compile_function(name, code, globs):
    """The function of that name in a text of Python, whose globals are ``globs``."""
    module = python_types.ModuleType(name)
    exec(compile(code, f"<{name}>", "exec", dont_inherit=True), globs, vars(module))
    return vars(module)[name]


skip_if_32bit = unittest.skipIf(sys.maxsize <= 2**32, "Not supported on 32 bit")

__all__ = [name for name, value in vars().items() if getattr(value, "__module__", None) == __name__ and not name.startswith("_")]
