"""Differences, slopes, areas and sums of products that are faces of the engine's table: calls, types, refusals, gradients."""

import functools

import numpy as np
import pytest
import quern as qn
import quern.cupy as cp
import quern.torch as torch
from arrays import equal
from quern.autograd import gradients
from quern.lib import _engine
from test_faces import events_of, outcome

same = functools.partial(equal, rtol=1e-12, atol=1e-12)
HOST = np.arange(12.0).reshape(3, 4) ** 1.5
LINE = np.array([1.0, 4.0, 9.0, 7.0, 2.5])


def test_calls_run_no_python(no_allocator):
    x, v, t = qn.asarray(HOST), qn.asarray(LINE), torch.tensor(HOST)
    for call in (
        lambda: qn.diff(x, axis=0, prepend=x),
        lambda: qn.ediff1d(x, to_end=v),
        lambda: qn.gradient(x, 2.0, 0.5, edge_order=2),
        lambda: qn.trapezoid(x, dx=0.5, axis=0),
        lambda: qn.convolve(v, v, "same"),
        lambda: qn.interp(v, v, v),
        lambda: torch.diff(t, dim=0),
        lambda: t.diff(2),
        lambda: torch.gradient(t, spacing=2.0),
        lambda: torch.cumulative_trapezoid(t, dx=0.5),
    ):
        assert events_of(call) == []


CALLS = [
    ("diff", (HOST,), {"n": 2, "axis": 0}),
    ("diff", (HOST,), {"prepend": 1, "append": np.ones((3, 2), np.float32)}),
    ("diff", (np.array([True, False, True]),), {}),
    ("diff", (np.arange(5, dtype=np.uint8)[::-1],), {"n": 7}),
    ("diff", (np.float32([1, 4, 9]), 0), {}),
    ("ediff1d", (HOST,), {"to_begin": [1, 2], "to_end": 3}),
    ("gradient", (HOST,), {}),
    ("gradient", (HOST, 2, np.array([0, 1, 3, 4])), {}),
    ("gradient", (HOST, np.array([0.0, 1.0, 3.0])), {"axis": 0, "edge_order": 2}),
    ("gradient", (np.arange(6, dtype=np.int16) ** 2, 0.5), {"axis": (0,), "edge_order": 2}),
    ("gradient", (HOST.astype(np.float32), np.float64(0.3)), {"axis": -1}),
    ("trapezoid", (HOST, np.array([1.0, 2.0, 4.0])), {"axis": 0}),
    ("trapezoid", (np.arange(4, dtype=np.int8),), {"dx": 2}),
    ("trapezoid", (HOST, HOST[0]), {}),
    ("convolve", (LINE, [1, 2]), {}),
    ("convolve", ([1, 2], LINE.astype(np.float32), "same"), {}),
    ("convolve", (LINE, LINE[:3], 0), {}),
    ("correlate", (LINE, LINE[:2] + 1j), {"mode": "full"}),
    ("correlate", (LINE[:2], LINE), {"mode": "same"}),
    ("interp", ([0.5, 3.0, 9.0, np.nan], [1, 2, 4], [3, 2, 0]), {}),
    ("interp", (2.5, [1, 2, 4], [3, 2j, 0]), {}),
    ("interp", (LINE, [1.0, 5.0], [0.0, 1.0]), {"left": -1, "right": 7.5}),
    ("interp", ([-180, 170, 725], [190, -190, 350, -350], [5, 10, 3, 4]), {"period": 360}),
]


@pytest.mark.parametrize(("name", "args", "named"), CALLS)
def test_values_of_numpys_functions(name, args, named):
    want = getattr(np, name)(*args, **named)
    ours = [tuple(module.asarray(a) if isinstance(a, np.ndarray) else a for a in args) for module in (qn, cp)]
    for module, given in zip((qn, cp), ours, strict=True):
        got = getattr(module, name)(*given, **named)
        assert isinstance(got, tuple) == isinstance(want, tuple)
        for one, other in zip(got, want, strict=True) if isinstance(want, tuple) else [(got, want)]:
            same(one, np.asarray(other))


@pytest.mark.parametrize(
    "call",
    [
        "diff(1.0)", "diff(x, -1)", "diff(x, axis=2)", "diff(x, m=2)", "ediff1d([1, 2], 1.5)", "ediff1d([1, 2], to_begin=[1j])",
        "gradient(x, 1, 2, 3)", "gradient(x, edge_order=3)", "gradient(x[:, :1])", "gradient(x, [1, 2, 3], axis=1)", "gradient(x, axis=(0, 0))",
        "gradient(x, x, axis=0)", "gradient(x > 1)", "trapezoid(x, axis=2)", "convolve(x, [1])", "convolve([], [1])", "correlate([1], [])",
        "convolve([1], [1], 'most')", "correlate([1], [1], 3)", "interp(1, [], [])", "interp(1, [1, 2], [1])", "interp(1, [[1]], [[1]])",
        "interp(1, [1], [1], period=0)", "interp(1, [1])",
    ],
)  # fmt: skip
def test_refusals_have_types_of_numpy(call):
    def error_of(module, x):
        with pytest.raises(Exception) as raised:
            eval(f"m.{call}", {"m": module, "x": x})
        return raised.type

    assert issubclass(error_of(qn, qn.asarray(HOST)), error_of(np, HOST))


def test_refusals_of_torch():
    t, zero = torch.ones(2, 3), torch.tensor(1.0)
    for call, error, words in (
        (lambda: torch.diff(zero), RuntimeError, "diff expects input to be at least one-dimensional"),
        (lambda: t.diff(-1), RuntimeError, "order must be non-negative but got -1"),
        (lambda: t.diff(dim=2), IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
        (lambda: torch.diff(t, prepend=1), TypeError, "argument 'prepend' (position 4) must be Tensor, not int"),
        (lambda: torch.gradient(t, spacing=(1.0,)), RuntimeError, "torch.gradient expected spacing to be unspecified, a scalar, or a list"),
        (lambda: torch.gradient(t, edge_order=3), RuntimeError, "torch.gradient only supports edge_order=1 and edge_order=2."),
        (lambda: torch.gradient(t[:1]), RuntimeError, "torch.gradient expected each dimension size to be at least edge_order+1"),
        (lambda: torch.gradient(t, spacing=(2.0, t[0])), TypeError, "expected Tensor as element 0 in argument 1, but got float"),
        (lambda: torch.trapezoid(zero), IndexError, "Dimension specified as -1 but tensor has no dimensions"),
        (lambda: torch.trapz([1.0]), TypeError, "argument 'y' (position 1) must be Tensor, not list"),
    ):
        with pytest.raises(error) as raised:
            call()
        assert words in str(raised.value), str(raised.value)
    assert not any(hasattr(torch.Tensor, name) for name in ("trapezoid", "cumulative_trapezoid", "gradient"))


def test_functions_of_torch():
    t = torch.tensor(HOST)
    same(torch.diff(t, 2, 0, append=t[:1]), np.diff(HOST, 2, 0, append=HOST[:1]))
    assert torch.diff(torch.tensor([True, False])).dtype == torch.bool and t.diff(0).data_ptr() != t.data_ptr()
    half = torch.ones(1, dtype=torch.float16)
    assert torch.diff(torch.arange(3), prepend=half).dtype == torch.float16  # torch.cat's rule: not NumPy's float64
    out = torch.empty(0, dtype=torch.float64)
    assert torch.diff(t, out=out) is out and out.shape == (3, 3)
    for named in ({}, {"spacing": 2.0}, {"spacing": (torch.tensor([0.0, 2.0, 3.0]), torch.tensor([0.0, 1.0, 3.0, 4.0]))}, {"dim": 1, "edge_order": 2}):
        spacing = named.get("spacing", ())
        given = [s.numpy() if isinstance(s, torch.Tensor) else s for s in (spacing if isinstance(spacing, tuple) else (spacing,))]
        want = np.gradient(HOST, *given, axis=named.get("dim"), edge_order=named.get("edge_order", 1))
        got = torch.gradient(t, **named)
        assert isinstance(got, tuple)
        for one, other in zip(got, want if isinstance(want, (tuple, list)) else [want], strict=True):
            same(one, other)
    assert torch.gradient(torch.arange(3))[0].dtype == torch.float32 and torch.gradient(torch.tensor(1.0)) == ()
    same(torch.trapezoid(t, torch.tensor([0.0, 1.0, 4.0, 9.0], dtype=torch.float64)), np.trapezoid(HOST, [0.0, 1.0, 4.0, 9.0]))
    same(torch.trapz(t, dx=0.5, dim=0), np.trapezoid(HOST, dx=0.5, axis=0))
    assert torch.trapezoid(torch.arange(4)).dtype == torch.float32
    steps = (HOST[:, 1:] + HOST[:, :-1]) / 2
    same(torch.cumulative_trapezoid(t), steps.cumsum(1))


def test_long_convolutions_go_through_transforms():
    rng = np.random.default_rng(3)
    a, v = rng.standard_normal(5000), rng.standard_normal(1500)
    for mode in ("full", "same", "valid"):
        np.testing.assert_allclose(qn.convolve(qn.asarray(a), v, mode).get(), np.convolve(a, v, mode), rtol=0, atol=1e-10)
    whole = rng.integers(0, 9, 5000), rng.integers(0, 9, 1500)
    assert np.array_equal(qn.correlate(*map(qn.asarray, whole), "full").get(), np.correlate(*whole, "full"))


@pytest.mark.parametrize(
    "function",
    [
        lambda a: qn.diff(a, prepend=0),
        lambda a: qn.gradient(a, 0.5, edge_order=2),
        lambda a: qn.gradient(a, [0.0, 1.0, 3.0, 4.0, 9.0]),
        lambda a: qn.trapezoid(a, [0.0, 1.0, 3.0, 4.0, 9.0]),
        lambda a: qn.convolve(a, [1.0, -2.0], "same"),
        lambda a: qn.correlate([1.0, -2.0], a, "full"),
        lambda a: qn.interp([0.5, 2.5], [0, 1, 2, 3, 4], a),
    ],
)
def test_gradients(function):
    a = qn.asarray(LINE)
    _engine.want_gradient(a, True)
    result = function(a)
    weights = np.arange(1.0, result.size + 1).reshape(result.shape)
    (found,) = gradients((result * weights).sum(), [a])
    for place in range(LINE.size):
        step = np.zeros_like(LINE)
        step[place] = 0.5
        ahead, behind = (np.sum(function(qn.asarray(LINE + sign * step)).get() * weights) for sign in (1, -1))
        np.testing.assert_allclose(found.get()[place], ahead - behind, rtol=1e-9, atol=1e-9)


def test_numbers_where_numpy_gives_scalars():
    x = qn.asarray(LINE)
    for call in (lambda m, v: m.interp(1.5, v, v), lambda m, v: m.trapezoid(v), lambda m, v: m.diff(v)):
        assert outcome(lambda c=call: c(qn, x)) == outcome(lambda c=call: c(np, LINE))
    assert qn.diff(x, 0) is x


def test_running_sums_of_the_array_api():
    x = np.arange(1, 7, dtype=np.int16).reshape(2, 3)
    for name in ("cumulative_sum", "cumulative_prod"):
        for given, named in (
            (x, {"axis": 1, "include_initial": True}), (x, {"axis": (0,)}), (x, {"axis": -1, "dtype": np.float32}), (x[0], {}),
            (np.int64(3), {"include_initial": True}), (x[0], {"include_initial": True, "dtype": complex}),
        ):  # fmt: skip
            want = getattr(np, name)(given, **named)
            same(getattr(qn, name)(qn.asarray(given), **named), want)
            same(getattr(cp, name)(cp.asarray(given), **named), want)
        for given, named in ((x, {}), (x, {"axis": (0, 1)}), (x, {"axis": 2})):
            with pytest.raises(ValueError):
                getattr(np, name)(given, **named)
            with pytest.raises(ValueError):
                getattr(qn, name)(qn.asarray(given), **named)
        out = qn.zeros((2, 3), "float32")
        assert getattr(qn, name)(qn.asarray(x), axis=0, out=out) is out
        same(out, getattr(np, name)(x, axis=0, dtype=np.float32))
        function, a = getattr(qn, name), qn.asarray(x)
        assert events_of(lambda f=function, a=a: f(a, axis=1, include_initial=True)) == []
