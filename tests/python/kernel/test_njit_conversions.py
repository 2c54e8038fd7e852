"""Reals that an integer cannot hold: functions for the CPU convert them as arrays do, kernels as CUDA."""

import numpy as np
import pytest
from quern.numba import guvectorize, njit, vectorize

NUMBERS = [-1.0, 300.7, -5.5, 1e10, -129.0, -3e9, 70000.0, 2.0**63, np.inf, -np.inf, np.nan]
TYPES = ["uint8", "int8", "uint16", "int16", "int32", "int64"]


def converted(number, dtype):
    """NumPy's conversion of one number; its vector loops convert otherwise what is beyond 32 bits (docs/numerics.md)."""
    with np.errstate(invalid="ignore"):
        return np.float64(number).astype(dtype)


@njit
def stored(x, v):
    x[0] = v
    return x


@njit
def stored_in_all(x, v):
    x[:] = v
    return x


@njit
def of_image(image, out):
    for i in range(image.size):
        out[i] = image[i] * 1.5 - 20
    return out


@njit
def added(image, out):
    for i in range(image.size):
        out[i] += image[i] * 0.5 - 100
    return out


@pytest.mark.parametrize("dtype", TYPES)
def test_stores(dtype):
    for number in NUMBERS:
        for of in (np.float64, np.float32):
            want = converted(of(number), dtype)
            assert stored(np.zeros(2, dtype), of(number))[0] == want
            assert stored_in_all(np.zeros(2, dtype), of(number))[1] == want


@pytest.mark.parametrize("dtype", TYPES)
def test_types_that_are_called(dtype):
    type_ = getattr(np, dtype)

    @njit
    def called(v):
        return type_(v)

    @vectorize([f"{dtype}(float64)"])
    def element(v):
        return type_(v)

    @vectorize([f"{dtype}(float64)"])
    def result(v):
        return v

    @guvectorize([f"void(float64[:], {dtype}[:])"], "(n)->(n)")
    def line(v, out):
        for i in range(v.shape[0]):
            out[i] = v[i]

    numbers = np.array(NUMBERS)
    want = [converted(number, dtype) for number in NUMBERS]
    assert [called(number) for number in NUMBERS] == want
    for found in (element(numbers), result(numbers), line(numbers, np.zeros(len(NUMBERS), dtype))):
        assert found.dtype == dtype and found.tolist() == want


def test_images():
    image = np.arange(0, 256, 40).astype(np.uint8)
    assert of_image(image, np.zeros(7, np.uint8)).tolist() == [236, 40, 100, 160, 220, 24, 84]
    assert added(image, np.full(7, 40, np.uint8)).tolist() == [196, 216, 236, 0, 20, 40, 60]
