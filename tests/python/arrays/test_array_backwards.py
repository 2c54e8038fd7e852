"""Operands and results whose last axis goes backwards: on the CPU they have code of their own."""

import numpy as np
import pytest
import quern as qn

pytestmark = pytest.mark.usefixtures("fused")


@pytest.mark.parametrize("dtype", ["bool", "int8", "int16", "int64", "float16", "float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("n", [1, 2, 7, 1023, 5003, 200_001])
def test_lines(device, dtype, n):
    a, b = (np.arange(2 * n).reshape(2, n) % 97).astype(dtype)
    x, y = qn.asarray(a, device=device), qn.asarray(b, device=device)
    for made, wanted in (
        (x[::-1] + y, a[::-1] + b),
        (x[::-1] * y[::-1], a[::-1] * b[::-1]),
        (x[::-1] + y[::-1] * x, a[::-1] + b[::-1] * a),
        (x[n - 1 : 0 : -1] + y[1:], a[n - 1 : 0 : -1] + b[1:]),
    ):
        assert made.dtype == wanted.dtype
        np.testing.assert_array_equal(qn.asnumpy(made), wanted)


@pytest.mark.parametrize("shape", [(3, 5), (40, 301), (4, 5, 67), (1, 9000), (9000, 1)])
def test_axes(device, shape):
    a = np.arange(np.prod(shape), dtype=np.float64).reshape(shape)
    x = qn.asarray(a, device=device)
    turns = [np.s_[::-1], np.s_[..., ::-1], np.s_[::-1, ..., ::-1], np.s_[..., ::-2], np.s_[::-1, ..., ::-1]]
    for turn in turns:
        np.testing.assert_array_equal(qn.asnumpy(x[turn] + 1), a[turn] + 1)
        if x[turn].shape == x.shape:
            np.testing.assert_array_equal(qn.asnumpy(x[turn] - x * 2), a[turn] - a * 2)
        np.testing.assert_array_equal(qn.asnumpy(x[turn].T * 3), a[turn].T * 3)
        np.testing.assert_array_equal(qn.asnumpy(x[turn].sum(-1)), a[turn].sum(-1))


def test_writes(device):
    a = np.arange(6000.0)
    x = qn.asarray(a.copy(), device=device)
    y = qn.asarray(np.ones(6000), device=device)
    x[::-1] += y * 3
    x[2999::-1] = x[3000:] * 2 + y[:3000]  # other memory than is read
    a[::-1] += 3
    a[2999::-1] = a[3000:] * 2 + 1
    np.testing.assert_array_equal(qn.asnumpy(x), a)


def test_its_own_memory(device):
    a = np.arange(5001.0)
    x = qn.asarray(a.copy(), device=device)
    x[:] = x[::-1] + 1
    np.testing.assert_array_equal(qn.asnumpy(x), a[::-1] + 1)
