"""Quantiles, averages, covariances: the faces of NumPy, CuPy and PyTorch."""

import sys
import warnings

import keras_oracle
import numpy as np
import pytest
import quern as qn
import quern.cupy as cupy
import quern.torch as torch
from arrays import cases
from torch_oracle import compare_all


def answer(call, *args, **kwargs):
    """The values with their types, or the type of the error."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            made = call(*args, **kwargs)
        except Exception as error:
            return next(kind for kind in (np.exceptions.AxisError, TypeError, ValueError, IndexError) if isinstance(error, kind))
    parts = made if isinstance(made, tuple) else (made,)
    return [(part.dtype.name, part.shape, np.asarray(part.get() if hasattr(part, "get") else part).tolist()) for part in parts]


@pytest.mark.parametrize("dtype", [int, "int32", "float32", None])
def test_types_that_variances_are_computed_in(device, dtype):
    """Roots of integers are integers where they have no dimensions, and raise otherwise; a mean that is a number has no type."""
    for host in (np.array([1, 2, 4.5]), np.array([[1, 2, 4.0], [1, 2, 7.5]], "float32"), np.arange(6).reshape(2, 3)):
        for name in ("var", "std"):
            for axis in (None, -1, 0):
                wanted = answer(getattr(np, name), host, axis, dtype=dtype)
                got = answer(getattr(qn, name), qn.asarray(host), axis, dtype=dtype)
                assert str(got) == str(wanted) or np.allclose(got[0][2], wanted[0][2], rtol=1e-6), (name, axis)
                assert got[0][:2] == wanted[0][:2] if isinstance(wanted, list) else got is wanted
            for mean in (1.0, 2, np.float64(1)):
                wanted = getattr(np, name)(host, mean=mean)
                assert getattr(qn, name)(qn.asarray(host), mean=mean).dtype == wanted.dtype


@pytest.mark.parametrize("module", [qn, cupy])
def test_quantiles(device, module):
    host = np.array([[3.0, 1, np.nan, 2], [4, 8, 5, 0]], "float32")
    given = [0.5, 1, [0.25, 1], np.float32(0.3), np.array([0.1, 0.9], "float32")]
    for name in ("quantile", "nanquantile", "percentile", "nanpercentile") if module is qn else ("quantile", "percentile"):
        scale = 100 if "percent" in name else 1
        for q in given:
            for kwargs in ({}, {"axis": 1}, {"axis": [0, 1], "keepdims": True}, {"axis": (0,), "method": "higher"}, {"method": "hazen"}):
                if isinstance(q, np.ndarray) and module is cupy:
                    q = q.tolist()
                scaled = q * scale if not isinstance(q, list) else [one * scale for one in q]
                wanted = answer(getattr(np, name), host, scaled, **kwargs)
                got = answer(getattr(module, name), module.asarray(host), scaled, **kwargs)
                assert [one[:2] for one in got] == [one[:2] for one in wanted], (name, q, kwargs)
                assert np.allclose(got[0][2], wanted[0][2], rtol=1e-6, equal_nan=True), (name, q, kwargs)


def test_what_quantiles_refuse(device):
    a = qn.asarray([3.0, 1.0])
    for error, call in (
        (ValueError, lambda: qn.quantile(a, 1.5)),
        (ValueError, lambda: qn.percentile(a, -1)),
        (ValueError, lambda: qn.quantile(a, np.zeros((2, 2, 2)))),
        (ValueError, lambda: cupy.quantile(cupy.asarray(a), [[0.5]])),
        (ValueError, lambda: qn.quantile(a, 0.5, method="nothing")),
        (TypeError, lambda: qn.quantile(a, 0.5, method=3)),
        (TypeError, lambda: qn.quantile(a, 1j)),
        (TypeError, lambda: qn.quantile(a + 1j, 0.5)),
        (TypeError, lambda: qn.median(a, nothing=1)),
        (ValueError, lambda: qn.median(a, (0, 0))),
        (np.exceptions.AxisError, lambda: qn.median(a, 1)),
        (np.exceptions.AxisError, lambda: qn.median(qn.asarray(3.0), 0)),
    ):
        with pytest.raises(error):
            call()
    with pytest.warns(qn.FallbackWarning, match="weights") as seen:
        assert qn.quantile([1.0, 2.0], 0.5, weights=[1, 3], method="inverted_cdf").item() == 2
    assert seen[0].filename == __file__


def test_old_names_of_cupys(device):
    a = cupy.asarray([[3.0, 1.0, 2.0]])
    with pytest.warns(DeprecationWarning, match="renamed to `method=`"):
        assert cupy.quantile(a, 0.4, interpolation="lower").item() == 1
    with pytest.warns(DeprecationWarning), pytest.raises(TypeError, match="same argument"):
        cupy.percentile(a, 40, method="lower", interpolation="higher")
    with pytest.warns(DeprecationWarning, match="no effect"):
        cupy.corrcoef(a, bias=True)
    with pytest.raises(TypeError):
        cupy.cov(a, fweights=[1, 2, 3])
    with pytest.raises(TypeError, match="integer"):
        cupy.cov(a, fweights=cupy.ones(3))


def test_averages_and_covariances(device):
    host = np.arange(12.0).reshape(3, 4) ** 1.5
    weights = np.array([1.0, 2, 3])
    for kwargs in (
        {}, {"axis": 0, "weights": weights}, {"axis": (0, 1), "weights": host}, {"axis": 1, "returned": True, "keepdims": True},
        {"returned": True}, {"axis": 0, "weights": weights, "returned": True}, {"axis": 1, "weights": weights}, {"weights": weights},
    ):  # fmt: skip
        wanted, got = answer(np.average, host, **kwargs), answer(qn.average, qn.asarray(host), **kwargs)
        assert got is wanted or all(a[:2] == b[:2] and np.allclose(a[2], b[2]) for a, b in zip(got, wanted, strict=True)), kwargs
    for kwargs in ({"rowvar": False}, {"bias": True}, {"ddof": 2}, {"ddof": 1.5}, {"dtype": int}, {"dtype": "float32"}, {"y": host[0]}):
        wanted, got = answer(np.cov, host, **kwargs), answer(qn.cov, qn.asarray(host), **kwargs)
        assert got is wanted or (got[0][:2] == wanted[0][:2] and np.allclose(got[0][2], wanted[0][2], rtol=1e-5)), kwargs
    with pytest.warns(RuntimeWarning, match="Degrees of freedom"):
        qn.cov(qn.ones((2, 1)))


HEAD = """
inf, nan = math.inf, math.nan
x = torch.tensor([[3., 1, nan, 2], [4, 8, 5, 0.5]], device=device)
m = torch.tensor([[3., 1, 7, 2], [4, 8, 5, 0.5]], device=device)
w = torch.tensor([1., 0.5, 2, 1], device=device)
def of(f, *x):
    "The values, and the gradients of a weighted sum of the values."
    x = [one.detach().clone().requires_grad_() for one in x]
    y = f(*x)
    torch.autograd.backward(y, (torch.arange(float(y.numel())) + 1).reshape(y.shape).to(y.dtype).to(device))
    return [y.detach()] + [one.grad for one in x]
"""
TORCH = """
torch.quantile(x, 0.3) | torch.quantile(m, 0.3, keepdim=True) | torch.quantile(m, torch.tensor([0.1, 1], device=device), dim=1) | m.quantile(1, 0, True)
torch.nanquantile(x, torch.tensor([0.1, 0.5], device=device), dim=0) | x.nanquantile(0.4, dim=1, keepdim=True) | torch.nanquantile(x[:1] * nan, 0.5)
[[f(x, 0.3, dim=1, interpolation=how) for how in 'linear lower higher midpoint nearest'.split()] for f in (torch.quantile, torch.nanquantile)]
torch.quantile(torch.tensor([1, inf, inf, inf], device=device), 0.5) | torch.quantile(torch.tensor(3., device=device), 0.5, dim=0)
of(lambda x, q: torch.quantile(x, q, dim=1), m.double(), torch.tensor([0.2, 0.6], dtype=torch.float64)) | of(lambda x: x.quantile(0.3), m.double())
of(lambda x, q: torch.nanquantile(x, q, 1, True), m.double(), torch.tensor(0.3, dtype=torch.float64))
raises(lambda: torch.quantile(m, 1.5)) | raises(lambda: torch.quantile(m, torch.tensor([1.5], device=device))) | raises(lambda: torch.quantile(m, 0.5, dim=2))
raises(lambda: torch.quantile(m, torch.zeros(1, 1, device=device))) | raises(lambda: torch.quantile(m.long(), 0.5)) | raises(lambda: torch.nanquantile(m.half(), 0.5))
raises(lambda: torch.quantile(m, torch.zeros(1, dtype=torch.float64, device=device))) | raises(lambda: torch.quantile(m[:0], 0.5))
raises(lambda: torch.quantile(m, 0.5, interpolation='middle')) | raises(lambda: torch.quantile([1.0], 0.5))[0] | raises(lambda: torch.quantile(m, 'a'))[0]
torch.cov(m) | torch.cov(m[0]) | torch.cov(m.long()) | torch.cov(m, correction=0) | m.cov(aweights=w) | m.cov(aweights=w.double(), correction=0) | torch.cov(m.half().float())
torch.cov(m, fweights=torch.tensor([1, 2, 0, 1], device=device)) | torch.cov(m, fweights=torch.tensor([1, 2, 0, 1], device=device), aweights=w) | torch.cov(m + 1j * m.flip(1))
of(torch.cov, m.double()) | of(torch.corrcoef, m.double()) | of(lambda x, w: torch.cov(x, aweights=w), m.double(), w.double()) | torch.cov(m[:0])
raises(lambda: torch.cov(m > 2)) | raises(lambda: torch.cov(m[None])) | raises(lambda: torch.cov(m, fweights=w)) | raises(lambda: torch.cov(m, aweights=-w))
raises(lambda: torch.cov(m, aweights=w.long())) | raises(lambda: torch.cov(m, aweights=w[:2])) | raises(lambda: torch.cov(m, aweights=w * 0)) | raises(lambda: torch.corrcoef(m[None]))
torch.corrcoef(m) | m.corrcoef() | torch.corrcoef(m[0]) | torch.corrcoef(m.long()) | torch.corrcoef(m + 1j * m.flip(1))
torch.var_mean(m) | torch.var_mean(m, 0) | torch.var_mean(m, False) | torch.std_mean(m, (0, 1), correction=0) | torch.std_mean(m, 1, keepdim=True) | torch.var_mean(m, dim=-1, unbiased=False)
torch.std_mean(m + 1j * m, 1, correction=2) | torch.var_mean(m, (), keepdim=True) | raises(lambda: torch.var_mean(m.long())) | raises(lambda: torch.std_mean(m, 2))
torch.logsumexp(m, 1) | torch.logsumexp(m, (0, 1), True) | m.logsumexp(-1, keepdim=True) | torch.logsumexp(m.long(), 0) | torch.logsumexp(m[:, :0], 1) | torch.logsumexp(x[0, 0], 0) | torch.special.logsumexp(m, 0)
torch.logsumexp(torch.tensor([-inf, -inf], device=device), 0) | torch.logsumexp(torch.tensor([inf, 1], device=device), 0) | torch.logsumexp(x, 1) | torch.logsumexp(m.half() * 1000, 1)
torch.logsumexp(m + 1j, 1) | raises(lambda: torch.logsumexp(m, 2)) | raises(lambda: torch.logsumexp(m, (0, 0))) | of(lambda x: torch.logsumexp(x, 0), m.double()) | of(lambda x: x.logsumexp((0, 1), True), m.double())
of(lambda x: torch.var_mean(x, 1)[0], m.double()) | of(lambda x: torch.std_mean(x)[1], m.double())
"""


@pytest.mark.filterwarnings("ignore:cov")
def test_of_torch(device):
    compare_all([HEAD + case for case in cases(TORCH)], device)


def test_calls_run_no_python(device, no_allocator):
    a, t, calls = qn.arange(6.0).reshape(2, 3), torch.arange(6.0).reshape(2, 3), []
    c = cupy.arange(6.0)
    sys.setprofile(lambda frame, event, _: calls.append(frame.f_code.co_name) if event == "call" else None)
    try:
        qn.median(a, 0), qn.quantile(a, 0.5), qn.percentile(a, 20, axis=1), qn.nanmedian(a), qn.average(a, 1), qn.cov(a), qn.corrcoef(a)
        cupy.median(c), cupy.percentile(c, 30)
        torch.quantile(t, 0.5), t.nanquantile(0.3, dim=1), torch.cov(t), torch.corrcoef(t), torch.var_mean(t, 1), torch.std_mean(t)
    finally:
        sys.setprofile(None)
    assert [name for name in calls if name != "asarray"] == []


def test_extremes_of_keras_with_initial_values():
    keras_oracle.needs_keras()
    host, wanted, texts = np.arange(6, dtype="float32").reshape(2, 3), [], []
    for axis, keepdims, initial in ((None, False, 9), (1, True, 4.0), ((0, 1), False, -1), (0, False, None)):
        for name in ("max", "min"):
            given = {} if initial is None else {"initial": initial}
            wanted.append(getattr(np, name)(host, axis=axis, keepdims=keepdims, **given))
            axes = list(axis) if isinstance(axis, tuple) else axis
            x = "ops.reshape(ops.arange(6, dtype='float32'), (2, 3))"
            texts.append(f"ops.{name}({x}, axis={axes}, keepdims={keepdims}, initial={initial})")
    texts += ["ops.max(ops.zeros((0, 2)), axis=0, initial=3)", "ops.max(ops.zeros((2,)), initial=ops.convert_to_tensor(4.0))"]
    wanted += [np.full(2, 3, "float32"), np.float32(4)]
    for text, got, want in zip(texts, keras_oracle.answers(texts, "quern", sys.executable), wanted, strict=True):
        assert got == ("array", "float32", want.shape, np.asarray(want).tobytes()), text
