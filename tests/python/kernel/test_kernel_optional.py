"""None as an argument, and loops over tuples whose elements have several types: decided while a kernel is compiled."""

import numpy as np
import pytest
from quern import cuda
from quern.cuda import literal_unroll
from quern.kernel import types

I64, F64 = types.int64, types.float64


@cuda.jit
def with_default(out, a, b=None, c=3):
    i = cuda.grid(1)
    if i < out.size:
        if b is None:
            out[i] = a[i] * c
        else:
            out[i] = a[i] + b[i] * c


def test_none_is_decided_while_compiling(device):
    a, b, out = np.arange(4.0), np.ones(4), np.zeros(4)
    for arguments, wanted in [
        ((a,), a * 3),
        ((a, None), a * 3),
        ((a, b), a + 3),
        ((a, None, 5), a * 5),
        ((a, b, 0.5), a + 0.5),
    ]:
        with_default[1, 4](out, *arguments)
        np.testing.assert_array_equal(out, wanted)


@cuda.jit
def replaced(out, scale=None):
    if scale is None:
        scale = 0.5
    i = cuda.grid(1)
    if i < out.size:
        out[i] *= scale


def test_none_may_be_replaced(device):
    out = np.arange(4.0)
    replaced[1, 4](out)
    replaced[1, 4](out, None)
    replaced[1, 4](out, 8)
    np.testing.assert_array_equal(out, np.arange(4.0) * 2)


@cuda.jit(device=True)
def clipped(x, low=None, high=None):
    if low is not None and x < low:
        return low
    if high is None or not x > high:
        return x
    return high


@cuda.jit
def calls(x, out, limit):
    i = cuda.grid(1)
    if i < x.size:
        out[0, i] = clipped(x[i])
        out[1, i] = clipped(x[i], 2.0)
        out[2, i] = clipped(x[i], None, 3.0)
        out[3, i] = clipped(x[i], limit, high=3.0)
        out[4, i] = x[i] if limit is None else limit
        out[5, i] = 1 if limit else 0


def test_none_for_device_functions(device):
    x = np.arange(6.0)
    for limit in (None, 1.5):
        out = np.zeros((6, 6))
        calls[1, 8](x, out, limit)
        wanted = [x, x.clip(2), x.clip(None, 3), x.clip(limit, 3), x if limit is None else x * 0 + limit, x * 0 + bool(limit)]
        np.testing.assert_array_equal(out, wanted)


def test_optional_in_signatures(device):
    for given in (types.none(F64[:], F64[:], types.Optional(F64[:]), I64), "void(float64[:], float64[:], optional(float64[:]), int64)"):
        kernel = cuda.jit(given)(with_default.py_func)
        a, out = np.arange(4.0), np.zeros(4)
        kernel[1, 4](out, a, None, 2)
        np.testing.assert_array_equal(out, a * 2)
        kernel[1, 4](out, a, a, 2)
        np.testing.assert_array_equal(out, a * 3)
        with pytest.raises(TypeError, match="No matching definition"):
            kernel[1, 4](out, a, np.zeros(4, np.int8), 2)


@cuda.jit
def default_only_sometimes(out, n, b=None):
    if n > 3:
        b = 1.5
    out[0] = 1 if b is None else b


def test_none_only_sometimes(device):
    for n, expected in ((5, 1.5), (2, 1)):
        out = np.zeros(1)
        default_only_sometimes[1, 1](out, n)
        assert out[0] == expected


# ---- tuples of several types


@cuda.jit
def unrolled(out, t, k):
    n = 0
    for x in literal_unroll(t):
        out[n] = x / 2 + (x // 2) * 10
        y = x
        n += 1
    for x in (7, 2.5):
        if x == 2.5:
            continue
        out[n] = x // 2
    out[n + 1] = x
    for pair in ((1, 2.5), (3.5, k)):
        for x in pair:
            out[n + 2] += x // 2
    out[n + 3] = y


def test_each_element_keeps_its_type(device):
    t = (7, np.float32(2.5), np.uint8(9), True)
    out = np.zeros(8)
    unrolled[1, 1](out, t, 9)
    wanted = [float(x) / 2 + float(x // 2) * 10 for x in (7, 2.5, 9, 1)]
    np.testing.assert_array_equal(out, [*wanted, 3, 2.5, 0 + 1 + 1 + 4, 1])


@cuda.jit
def over_arrays(out, arrays):
    i = cuda.grid(1)
    if i < out.size:
        for a in literal_unroll(arrays):
            if a.ndim == 1:
                out[i] += a[i]
            else:
                a[i, 0] = i


def test_arrays_of_several_types_in_a_tuple(device):
    a, b, c = np.arange(3), np.ones((3, 2), np.float32), np.full(3, 0.5)
    out = np.zeros(3)
    over_arrays[1, 3](out, (a, b, c))
    np.testing.assert_array_equal(out, a + c)
    np.testing.assert_array_equal(b, [[0, 1], [1, 1], [2, 1]])


@cuda.jit
def in_pairs(out, t):
    n = 0
    for k, (a, b) in enumerate(((1, 2.5), (np.float32(0.5), 7), (t[0], True))):
        out[n] = a // 2 + (b // 2) * 10 + 100 * k
        n += 1
    out[n] = a
    a = 0.5
    out[n + 1] = a


def test_several_names(device):
    out = np.zeros(5)
    in_pairs[1, 1](out, (9,))
    np.testing.assert_array_equal(out, [0 + 10, 0 + 30 + 100, 4 + 0 + 200, 9, 0.5])


FIELDS = ("x", "y")


@cuda.jit
def over_names(out, a):
    for name in literal_unroll(FIELDS):
        out[0] += a[0][name]
        a[name][1] = -1
    for f in (abs, float):
        out[1] += f(a[0].y)


def test_names_of_fields(device):
    a = np.array([(1, -2.5), (3, 4)], [("x", np.int32), ("y", np.float64)])
    out = np.zeros(2)
    over_names[1, 1](out, a)
    assert list(out) == [-1.5, 0.0] and a[1].item() == (-1, -1.0)
