"""Integers that 64 bits do not hold: Numba refuses them when it compiles, and Python does not run the function instead."""

import numpy as np
import pytest
import quern as qn
from quern import cuda
from quern.kernel.errors import TypingError
from quern.numba import njit, vectorize

LARGE, LOW = 2**70, -(2**70)
SEVERAL = (1, 2**70)


def takes(x, y=2**70):
    return x + y


TOO_LARGE = [
    lambda x: x + 1180591620717411303424,
    lambda x: x + 18446744073709551616,
    lambda x: x - -9223372036854775809,
    lambda x: x + 2**64,
    lambda x: x + (1 << 70),
    lambda x: x - (1 << 64),
    lambda x: x + 4294967296 * 4294967296 * 4,
    lambda x: x + -(2**64),
    lambda x: x + LARGE,
    lambda x: x + LOW,
    lambda x: x + SEVERAL[0],
    lambda x: x + SEVERAL[1],
    lambda x: x + np.uint64(2**64),
    takes,
]


@pytest.mark.parametrize("function", TOO_LARGE)
@pytest.mark.parametrize("fallback", ["error", "warn"])
def test_constants(function, fallback):
    qn.set_fallback(fallback)
    try:
        for made in (njit(function), vectorize(function))[: 1 if function is takes else 2]:
            with pytest.raises(TypingError, match=r"Int value is too large: -?\d+; integers have up to 64 bits"):
                made(2)
    finally:
        qn.set_fallback("warn")


def test_kernels():
    @cuda.jit
    def kernel(x):
        x[0] = LARGE

    with pytest.raises(TypingError, match="Int value is too large: 1180591620717411303424"):
        kernel[1, 1](np.zeros(1))


@pytest.mark.parametrize("value", [2**70, 2**64, -(2**63) - 1, (1, 2**70)])
def test_arguments(value):
    with pytest.raises(TypingError, match="is an int that does not fit into 64 bits; pass a float"):
        njit(lambda x: x)(value)


def test_integers_that_64_bits_hold():
    assert njit(lambda x: x)(2**63) == 2**63 and njit(lambda: 18446744073709551615)() == 2**64 - 1
    assert njit(lambda: -9223372036854775808)() == -(2**63) and njit(lambda: -(2**63))() == -(2**63)
    assert njit(lambda: 0xFFFFFFFFFFFFFFFF & 2**64 - 1)() == 2**64 - 1
    assert njit(lambda x: x + 9223372036854775808)(2) == -(2**63) + 2  # int64 and uint64 are int64, as in Numba


def test_remainders_by_large_unsigned_numbers():
    """A uint64 beside an int64 has its bits, also where it is known not to be negative."""
    large = np.uint64(2**64 - 3)
    assert njit(lambda y: -7 % y)(large) == njit(lambda y: -7 % abs(y))(large) == -7 % -3
    assert njit(lambda y: -7 % (abs(y) + 1))(large) == -7 % -2 and njit(lambda y: -7 % abs(y))(np.uint32(5)) == 3
