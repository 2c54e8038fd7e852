"""Conversions that CuPy refuses, sizes that no device holds, and truth values, by CuPy's documentation and source."""

import math
import warnings

import numpy as np
import pytest
from arrays import cases
from quern import cupy as cp
from quern.errors import OutOfMemoryError

IMPLICIT = """
np.asarray(g) | np.array(g) | np.array([g]) | np.ascontiguousarray(g) | np.int32(cp.array(3)) | memoryview(g) | np.frombuffer(g) | g.__array__() | np.testing.assert_array_equal(g, h)
np.arange(5)[cp.array([1, 2])] | np.asarray(g[::2]) | np.asarray(g, dtype="f4") | np.asarray(cp.array(1.5)) | h.__setitem__(slice(None), g)
"""
TOO_LARGE = """
cp.zeros(10**14) | cp.ones(10**14) | cp.empty((10**7, 10**7)) | cp.full(10**14, 3.0) | cp.arange(10**14) | cp.ndarray((10**14,)) | cp.zeros_like(cp.broadcast_to(g[0], (10**14,)))
cp.eye(10**7) | cp.tile(cp.zeros(10**6), 10**8) | cp.outer(cp.zeros(10**7), cp.zeros(10**7)) | cp.empty_like(g, shape=(10**14,)) | cp.random.rand(10**14) | cp.linspace(0, 1, 10**14)
"""


@pytest.mark.parametrize("text", cases(IMPLICIT))
def test_numpy_gets_no_values_implicitly(device, text):
    with pytest.raises(TypeError, match="[Ii]mplicit conversion to a NumPy array is not allowed|[Uu]nsupported"):
        eval(text, {"g": cp.arange(3.0), "h": np.arange(3.0), "np": np, "cp": cp})


def test_explicit_conversions(device):
    g = cp.array(1.5)
    assert float(g) == 1.5 and int(g) == 1 and complex(g) == 1.5 and math.sqrt(cp.array(4.0)) == 2 and np.float64(g) == 1.5
    assert [1, 2, 3][cp.array(1)] == 2 and bytes(cp.arange(3, dtype="i1")) == b"\0\1\2"
    assert cp.asnumpy(cp.arange(3)).tolist() == cp.arange(3).get().tolist() == [0, 1, 2]
    assert np.sum(cp.arange(3)).get() == 3 and np.sqrt(cp.array(4.0)).get() == 2


@pytest.mark.parametrize("text", cases(TOO_LARGE))
def test_what_no_device_holds_raises_at_the_call(device, text):
    with pytest.raises(cp.cuda.memory.OutOfMemoryError, match="out of memory"):
        eval(text, {"g": cp.arange(3.0), "cp": cp})
    assert cp.cuda.memory.OutOfMemoryError is OutOfMemoryError
    assert cp.broadcast_to(cp.zeros(1), (10**14,)).shape == (10**14,)


def test_empty_arrays_are_false(device):
    for x in (cp.array([]), cp.zeros((0, 3)), cp.array([], dtype=bool)):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            assert bool(x) is False
        assert [w.category for w in seen] == [DeprecationWarning]
    with pytest.raises(ValueError, match="more than one element"):
        bool(cp.array([1, 2]))


def test_powers_of_bools_are_the_ufuncs(device):
    a = cp.array([True, False])
    assert (a**2).dtype == cp.power(a, 2).dtype == np.int64 and (a**2).tolist() == [1, 0]
    assert (a**3).dtype == np.int64 and (a**True).dtype == (a**a).dtype == np.int8 and (a**0.5).dtype == np.float64


def test_require(device):
    x = cp.arange(6).reshape(2, 3)
    assert cp.require(x) is x and cp.require(x, None, "F").flags.f_contiguous and cp.require(x[:, ::2], None, ["C"]).flags.c_contiguous
    assert cp.require(x[1:], None, ["O"]).flags.owndata and cp.require([1, 2], "f4").dtype == np.float32
    for flags in (["X"], ["W"], ["A"], ["C", "F"]):
        with pytest.raises(ValueError):
            cp.require(x, None, flags)


def test_quantiles_of_tables_of_numbers(device):
    for function in (cp.percentile, cp.quantile):
        for q in (cp.ones((2, 2)), np.ones((2, 2)), [[0.5], [1]]):
            with pytest.raises(ValueError, match="Expected q to have a dimension of 1"):
                function(cp.ones(3), q)
        assert function(cp.arange(3.0), cp.array([0, 1.0])).shape == (2,) and function(cp.arange(3.0), 1.0).shape == ()


def test_outputs_of_generators_are_contiguous(device):
    rng = cp.random.default_rng(1)
    for function in (rng.random, rng.standard_normal, rng.standard_exponential, lambda out: rng.standard_gamma(1.0, out=out)):
        with pytest.raises(ValueError, match="not contiguous"):
            function(out=cp.zeros(6)[::2])
    with pytest.raises(ValueError, match="not contiguous"):
        rng.standard_gamma(1.0, out=cp.zeros((3, 2)).T)
    assert rng.random(out=cp.zeros((3, 2)).T).shape == (2, 3)


def test_ufuncs_of_a_dtype_in_vectorize(device):
    @cp.vectorize
    def added(a, b):
        return cp.add(a, b, dtype=cp.float64)

    @cp.vectorize
    def divided(a, b):
        return cp.true_divide(a, b, dtype="f")

    @cp.vectorize
    def root(a):
        return cp.sqrt(a, dtype=cp.float32)

    x = cp.arange(3)
    assert added(x, x).dtype == np.float64 and added(x, x).tolist() == [0, 2, 4]
    assert divided(x, x + 1).dtype == np.float32 and divided(x, x + 1).tolist() == [0, 0.5, np.float32(2 / 3)]
    assert root(x).dtype == np.float32
    with pytest.raises(TypeError, match="dtype"):
        cp.vectorize(lambda a, b: cp.add(a, b, dtype="no"))(x, x)
