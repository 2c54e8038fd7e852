"""Reductions of equal numbers: nobody goes over them, and the bits are those of the reductions that do."""

import numpy as np
import pytest
import quern as qn

pytestmark = pytest.mark.usefixtures("device", "quiet")

REDUCTIONS = ["sum", "prod", "max", "min", "any", "all", "argmax", "argmin"]
HUGE = 10**13
SHAPES = [(1,), (31,), (32,), (33,), (64,), (2049,), (4096,), (4097,), (4128,), (5000,), (12_300,), (300_000,), (3_000_001,)]
VALUES = {
    "float16": [0.1, -0.0, 2.5, -3.0, np.inf, np.nan, 1.001],
    "bfloat16": [0.1, -0.0, 2.5, 1.0],
    "float32": [0.1, -0.0, 1e-3, -3.7, np.inf, np.nan, 0.99999, 1e38],
    "float64": [0.1, -0.0, 1e-3, -3.7, -np.inf, np.nan, 0.99999],
    "complex64": [0.1 + 0.3j, -1j],
    "complex128": [0.1 + 0.3j, 1.0],
    "bool": [False, True],
    "int8": [0, 7, -3, 127],
    "int32": [1, -5],
    "int64": [2**62, 3],
    "uint8": [255, 2],
    "uint64": [2**64 - 1, 5],
}


def bits(x):
    host = qn.asnumpy(x.astype("float32") if x._dtype_name == "bfloat16" else x)
    if host.dtype.kind in "fc":  # any NaN is as good as another
        host = np.where(np.isnan(host), np.array(np.nan, host.dtype), host)
    whole = np.ascontiguousarray(host).view(np.uint8)
    real = host.real if host.dtype.kind == "c" else host
    is_nan = np.isnan(real) if real.dtype.kind == "f" else False
    return "nan" if np.all(is_nan) else whole.tobytes()


def same(folded, gone_over):
    assert folded._dtype_name == gone_over._dtype_name
    assert folded.shape == gone_over.shape
    assert folded.strides == gone_over.strides
    assert bits(folded) == bits(gone_over)


def in_memory(shape, value, dtype):
    x = qn.asarray(np.full(shape, value, "float32" if dtype == "bfloat16" else dtype))
    return x.astype(dtype) if dtype == "bfloat16" else x


@pytest.mark.parametrize("dtype", VALUES)
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_numbers(dtype, reduction):
    for shape in SHAPES:
        for value in VALUES[dtype][: None if shape[0] < 10_000 else 2]:
            same(getattr(qn, reduction)(qn.full(shape, value, dtype)), getattr(qn, reduction)(in_memory(shape, value, dtype)))


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("shape, axis", [((3, 5000), 1), ((3, 5000), 0), ((7, 300, 50), (0, 2)), ((6, 40_000), 1), ((2, 3), None), ((5, 1, 4100), 2)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_numbers_along_axes(reduction, shape, axis, keepdims):
    if reduction.startswith("arg") and isinstance(axis, tuple):
        pytest.skip("argmax and argmin take one axis, as NumPy's")
    for dtype, value in (("float32", 0.1), ("int16", 300), ("bool", True)):
        function = getattr(qn, reduction)
        same(
            function(qn.full(shape, value, dtype), axis=axis, keepdims=keepdims),
            function(in_memory(shape, value, dtype), axis=axis, keepdims=keepdims),
        )
        turned = qn.full(shape, value, dtype).T
        if axis == 1:
            same(function(turned, axis=0), function(in_memory(shape, value, dtype).T, axis=0))


@pytest.mark.parametrize("to", ["float32", "float16", "int64", "uint8", "bool"])
def test_numbers_of_another_type(to):
    for dtype, value in (("float64", 0.1), ("float64", -1.0), ("float64", 3e9), ("int64", 300)):
        for work in ("sum", "prod"):
            function = getattr(qn, work)
            same(function(qn.full(5000, value, dtype), dtype=to), function(in_memory(5000, value, dtype), dtype=to))
        same(qn.full(5000, value, dtype).astype(to).sum(), in_memory(5000, value, dtype).astype(to).sum())
        same(qn.full(5000, value, dtype)[::3].astype(to).max(), in_memory(5000, value, dtype)[::3].astype(to).max())


@pytest.mark.parametrize("dtype", ["float32", "complex128", "bool", "int8", "uint64"])
@pytest.mark.parametrize("reduction", ["sum", "prod", "max", "all", "argmin", "mean"])
def test_repeats(dtype, reduction):
    function = getattr(qn, reduction)
    values = np.resize(np.array(VALUES[dtype], "float32" if dtype == "bfloat16" else dtype), (5, 7))
    x = qn.asarray(values).astype(dtype)
    for view, axis in (
        (qn.broadcast_to(x, (700, 5, 7)), 0),
        (qn.broadcast_to(x[:, None, :], (5, 700, 7)), 1),
        (qn.broadcast_to(x[:, None, :], (5, 700, 7)), (1, 2)),
        (qn.broadcast_to(x[:, None, :], (5, 700, 7)), None),
        (qn.broadcast_to(x[1, 2], (80_000,)), None),
        (qn.broadcast_to(x.T[:, :, None], (7, 5, 3000)), -1),
    ):
        if isinstance(axis, tuple) and reduction.startswith("arg"):
            continue
        dense = qn.asarray(np.ascontiguousarray(qn.asnumpy(view))) if dtype != "bfloat16" else view.copy()
        folded, gone_over = function(view, axis=axis), function(dense, axis=axis)
        assert folded.dtype == gone_over.dtype
        assert folded.shape == gone_over.shape
        assert bits(folded) == bits(gone_over)


def test_more_than_there_is_memory_for():
    """Each of these took hours."""
    assert qn.zeros(HUGE).sum().item() == 0.0
    assert qn.zeros((10**6, 10**7)).sum(axis=1)[17].item() == 0.0
    assert qn.ones(HUGE).sum().item() == 1e13
    assert qn.full(HUGE, 0.25).mean().item() == 0.25
    assert qn.full(HUGE, 7).sum().item() == 7 * HUGE
    assert qn.full(HUGE, 3).prod().item() == (pow(3, HUGE, 2**64) + 2**63) % 2**64 - 2**63
    assert qn.full(HUGE, -2.5).max().item() == -2.5
    assert np.isnan(qn.full(HUGE, np.nan).min().item())
    assert not qn.zeros(HUGE).any().item()
    assert qn.ones(HUGE).all().item()
    assert qn.zeros(HUGE).argmax().item() == 0
    assert qn.count_nonzero(qn.zeros(HUGE)) == 0
    x = qn.asarray(np.array([4.5, -2.0]))
    assert qn.broadcast_to(x[:1], (HUGE,)).max().item() == 4.5
    assert qn.asnumpy(qn.broadcast_to(x[:, None], (2, HUGE)).min(axis=1)).tolist() == [4.5, -2.0]
    assert qn.asnumpy(qn.broadcast_to(x[:, None], (2, HUGE)).argmin(axis=1)).tolist() == [0, 0]
    wholes = qn.broadcast_to(qn.asarray(np.array([3, -4], "int32"))[:, None], (2, HUGE))
    assert qn.asnumpy(wholes.sum(axis=1)).tolist() == [3 * HUGE, -4 * HUGE]
    assert wholes.sum().item() == -HUGE


def test_what_was_written_counts():
    x = qn.zeros(100_000)
    x[7] = 3
    assert x.sum().item() == 3.0
    assert x.argmax().item() == 7
    y = qn.ones(100_000, "int32")
    y += 1
    y[5] -= 1
    assert y.sum().item() == 199_999
    z = qn.full(50_000, 1 + 2j)
    z.imag[:3] = 0
    assert z.sum().item() == 50_000 + 2j * 49_997
    assert z.real.sum().item() == 50_000
    assert z.imag.max().item() == 2
