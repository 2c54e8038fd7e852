"""Running sums, products, extremes and tests: NumPy is the oracle."""

import numpy as np
import pytest
import quern as qn
from arrays import cases, check, same

pytestmark = pytest.mark.usefixtures("no_fallback")

TYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
OPS = "add multiply maximum minimum fmax fmin bitwise_and bitwise_or bitwise_xor logical_and logical_or logical_xor".split()
SHAPES = [(1,), (40,), (3, 40), (70, 5), (9000,), (2, 20_000), (5, 7, 6), (0,), (3, 0), (0, 3), (20, 600)]


def values(dtype, shape, op):
    rng = np.random.default_rng(3)
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        return rng.integers(0, 100, shape).astype(dtype)
    if op == "multiply":
        x = 1 + rng.normal(size=shape) / 1000
    elif op == "add":
        x = rng.random(shape)
    else:
        x = np.round(rng.normal(size=shape), 1)
        x[rng.random(shape) < 0.01] = np.nan
    return (x * (1 + 0.01j) if dtype.kind == "c" and op in ("add", "multiply") else x).astype(dtype)


def close(got, want, loose):
    assert got.shape == want.shape
    assert got.dtype == want.dtype
    if not loose:
        np.testing.assert_array_equal(qn.asnumpy(got), want)
    else:
        tolerance = 200 * np.finfo(want.dtype).eps
        np.testing.assert_allclose(qn.asnumpy(got), want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("op", OPS)
def test_accumulate(device, op, dtype):
    ours, theirs = getattr(qn, op), getattr(np, op)
    for shape in SHAPES:
        x = values(dtype, shape, op)
        is_rounded = x.dtype.kind in "fc" and op in ("add", "multiply")
        if dtype == "float16" and is_rounded and x.size > 300:
            continue  # NumPy rounds to halves at each step
        try:
            with np.errstate(all="ignore"):
                wants = [theirs.accumulate(x, axis=axis) for axis in range(x.ndim)]
        except TypeError:
            qn.set_fallback("silent")
            with pytest.raises(TypeError):
                ours.accumulate(qn.asarray(x))
            return
        for axis, want in enumerate(wants):
            if op.startswith("logical") and x.size == 0:
                continue
            loose = is_rounded and (want.shape[axis] > 600 or dtype == "float16" or device.kind != "cpu")
            if dtype == "float16" and is_rounded:
                np.testing.assert_allclose(qn.asnumpy(ours.accumulate(qn.asarray(x), axis=axis)), want, rtol=2e-2)
            elif is_rounded and x.dtype.kind == "c":
                close(ours.accumulate(qn.asarray(x), axis=axis), want, True)
            else:
                close(ours.accumulate(qn.asarray(x), axis=axis), want, loose)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8", "complex64"])
def test_large(device, dtype):
    x = values(dtype, 300_000, "add")
    a = qn.asarray(x)
    first = qn.cumsum(a)
    np.testing.assert_allclose(qn.asnumpy(first), np.cumsum(x.astype(np.result_type(x, "float64"))), rtol=1e-5)
    assert first.dtype == np.cumsum(x).dtype
    np.testing.assert_array_equal(qn.asnumpy(qn.cumsum(a)), qn.asnumpy(first))  # bit for bit
    same(qn.maximum.accumulate(a[::-1]), np.maximum.accumulate(x[::-1]))


def test_not_a_number(device):
    x = np.array([1.0, np.nan, 3.0, np.inf, -np.inf, 2.0])
    for op in ("maximum", "minimum", "fmax", "fmin", "add"):
        same(getattr(qn, op).accumulate(qn.asarray(x)), getattr(np, op).accumulate(x))
    same(qn.cumsum(qn.asarray([-0.0, -0.0])), np.cumsum([-0.0, -0.0]))
    assert np.signbit(qn.asnumpy(qn.cumsum(qn.asarray([-0.0, -0.0])))).all()


def test_bfloat16(device):
    x = np.array([1.0, 2.5, -3.0, 0.5], np.float32)
    got = qn.cumsum(qn.asarray(x).astype("bfloat16"))
    assert got._dtype_name == "bfloat16"
    np.testing.assert_array_equal(qn.asnumpy(got.astype("float32")), np.cumsum(x))


TABLE = """
m.cumsum(a) | m.cumsum(a, 0) | m.cumsum(a, 1) | a.cumsum(-1) | m.cumsum(t, 1) | m.cumsum(r, 0) | m.cumsum(q, 1) | m.cumsum(i8) | m.cumsum(u)
m.cumsum(i8, dtype=m.int8) | m.cumsum(b) | m.cumsum(b, dtype=bool) | m.cumsum(zero) | m.cumsum(zero, 0) | m.cumsum(zero, 1) | m.cumsum(empty, 0)
m.cumsum(empty) | m.cumsum(hollow, 1) | m.cumsum(a, 2) | m.cumsum(f) | m.cumsum(a, dtype=float) | m.cumsum(w, 0, 'float32')
o = m.zeros(12); m.cumsum(a, out=o); o | m.cumsum(a, 0, out=m.zeros(3)) | o = m.zeros((3, 4), dtype=m.float32); m.cumsum(a, 0, None, o); o
m.cumprod(v) | m.cumprod(a, 1) | m.cumprod(u) | m.cumprod(f, 0) | m.cumprod(c8) | v.cumprod() | m.cumprod(b) | m.cumprod(g, 1, 'float32')
m.nancumsum(f, 1) | m.nancumprod(f, 0) | m.nancumsum(a) | m.nancumsum(n) | m.nancumsum(c) | m.nancumsum(f2)
m.cumulative_sum(v) | m.cumulative_sum(a) | m.cumulative_sum(a, axis=1, include_initial=True) | m.cumulative_sum(zero) | m.cumulative_sum(u)
m.cumulative_prod(v, include_initial=True) | m.cumulative_prod(a, axis=0, dtype=float) | m.cumulative_sum(empty, axis=0, include_initial=True)
m.add.accumulate(a) | m.add.accumulate(a, 1) | m.multiply.accumulate(v) | m.maximum.accumulate(f, 1) | m.minimum.accumulate(f, 0)
m.fmax.accumulate(f, 1) | m.logical_or.accumulate(v) | m.logical_and.accumulate(f) | m.bitwise_xor.accumulate(v) | m.add.accumulate(zero)
m.add.accumulate(u, dtype=m.uint8) | m.maximum.accumulate(c) | m.add.accumulate(v, 1) | m.logical_xor.accumulate(b, 1)
"""


@pytest.mark.parametrize("case", cases(TABLE))
def test_table(device, tier, case):
    check(case, exact=False)


def test_others_go_to_the_host(device):
    qn.set_fallback("silent")
    same(qn.subtract.accumulate(qn.asarray([5, 2, 1])), np.subtract.accumulate([5, 2, 1]))
    same(qn.bitwise_and.accumulate(qn.asarray([7, 5, 4])), np.bitwise_and.accumulate([7, 5, 4]))
