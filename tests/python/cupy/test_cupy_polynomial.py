"""cupy.polynomial compared with NumPy's: values, types, shapes, errors, and that it imports as a package does."""

import importlib

import numpy as np
import pytest
from quern import cupy as cp

HORNER = [(3,), (1,), (3, 2), (2, 2, 2)]


def both(function, *args, **kwargs):
    """NumPy's answer and ours; arguments that are arrays are handed to each in its own type."""
    module, _, name = function.rpartition(".")
    theirs = getattr(importlib.import_module("numpy.polynomial." + module), name)(*args, **kwargs)
    mine = getattr(importlib.import_module("quern.cupy.polynomial." + module), name)
    ours = mine(*(cp.asarray(a) if isinstance(a, np.ndarray) else a for a in args), **kwargs)
    return theirs, ours


def same(theirs, ours):
    assert type(ours) is cp.ndarray and ours.dtype == theirs.dtype and ours.shape == theirs.shape
    np.testing.assert_allclose(ours.get(), theirs, rtol=1e-13)


@pytest.mark.parametrize("shape", HORNER)
@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "i4"])
def test_values(shape, dtype, device):
    rng = np.random.default_rng(3)
    c, x = (rng.random(shape) * 9 + 1).astype(dtype), (rng.random((4, 2)) * 3).astype(dtype)
    same(*both("polynomial.polyval", x, c))
    same(*both("polynomial.polyvalfromroots", x, c))
    if len(shape) > 1:
        columns = (rng.random((3, *shape[1:])) * 3).astype(dtype)[0]
        same(*both("polynomial.polyval", columns, c, tensor=False))
        same(*both("polynomial.polyvalfromroots", columns, c, tensor=False))


@pytest.mark.parametrize("dtype", ["f8", "f4", "c8", "i8", "?"])
def test_matrices(dtype, device):
    x = np.arange(1, 7).reshape(2, 3).astype(dtype)
    for degree in (0, 1, 4):
        same(*both("polynomial.polyvander", x, degree))
        same(*both("polynomial.polyvander", x[0, 1:2], degree))
    for c in (x[0], x.ravel(), x[0, :2]) if dtype != "?" else ():
        same(*both("polynomial.polycompanion", c))


@pytest.mark.parametrize("c", [[1, 2, 0], [0, 0], [0.0], [1, 2], [1, 1e-3, 2e-3], [1j, 0, 0j]])
def test_coefficients(c, device):
    c = np.array(c)
    theirs, ours = both("polyutils.trimseq", c)
    same(theirs, ours)
    same(*both("polyutils.trimcoef", c))
    same(*both("polyutils.trimcoef", c, 0.01))
    for trim in (True, False):
        theirs, ours = both("polyutils.as_series", [c, np.arange(3, dtype="f4"), 2], trim=trim)
        assert len(theirs) == len(ours)
        for a, b in zip(theirs, ours, strict=True):
            same(a, b)
    whole = cp.asarray([1, 2, 3])
    assert cp.polynomial.polyutils.trimseq(whole) is whole


def test_refusals(device):
    for function, args in [
        ("polynomial.polyvander", (np.ones(2), -1)),
        ("polynomial.polycompanion", (np.ones(1),)),
        ("polynomial.polyvalfromroots", (np.ones((2, 2)), np.ones(2), False)),
        ("polyutils.as_series", ([np.ones((2, 2))],)),
        ("polyutils.as_series", ([np.ones(0)],)),
        ("polyutils.as_series", ([np.ones(2, bool)],)),
        ("polyutils.trimcoef", (np.ones(3), -1)),
    ]:
        module, name = function.split(".")
        with pytest.raises(ValueError) as theirs:
            getattr(getattr(np.polynomial, module), name)(*args)
        with pytest.raises(ValueError) as ours:
            getattr(getattr(cp.polynomial, module), name)(*args)
        assert str(ours.value) == str(theirs.value)


def test_annotations():
    assert cp.typing.NDArray[np.float32].__origin__ is cp.ndarray
    assert cp.typing.ArrayLike is np.typing.ArrayLike
