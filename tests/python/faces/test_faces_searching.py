"""Searches and counts: the faces of NumPy, CuPy and PyTorch."""

import sys

import numpy as np
import pytest
import quern as qn
import quern.cupy as cupy
import quern.torch as torch
from arrays import cases
from test_faces_statistics import answer
from torch_oracle import compare_all

NUMBERS = np.array([[3.0, -1, 7, 2], [4, 8, 5, 0.5]])


@pytest.mark.parametrize("module", [qn, cupy])
def test_as_numpy(device, module):
    whole, edges = np.array([3, 0, 3, 1]), np.array([0.0, 1, 4, 8])
    a, n, e = (module.asarray(one) for one in (NUMBERS, whole, edges))
    for name, host, ours, kwargs in (
        ("searchsorted", (edges, NUMBERS), (e, a), {}),
        ("searchsorted", (edges, 4), (e, 4), {"side": "right"}),
        ("searchsorted", (edges[::-1], NUMBERS), (e[::-1], a), {"sorter": [3, 2, 1, 0]}),
        ("digitize", (NUMBERS, edges), (a, e), {}),
        ("digitize", (NUMBERS, edges[::-1]), (a, e[::-1]), {"right": True}),
        ("digitize", (NUMBERS, whole), (a, n), {}),
        ("digitize", (NUMBERS, NUMBERS), (a, a), {}),
        ("digitize", (4, edges), (module.asarray(4), e), {}),
        ("isin", (NUMBERS, edges), (a, e), {"invert": True}),
        ("isin", (4, edges), (module.asarray(4), e), {}),
        ("nonzero", (whole,), (n,), {}),
        ("flatnonzero", (NUMBERS > 2,), (a > 2,), {}),
        ("argwhere", (NUMBERS > 2,), (a > 2,), {}),
        ("bincount", (whole,), (n,), {"minlength": 6}),
        ("bincount", (whole, NUMBERS[0]), (n, a[0]), {}),
        ("bincount", (whole - 1,), (n - 1,), {}),
        ("bincount", (NUMBERS[0],), (a[0],), {}),
        ("histogram", (NUMBERS, 4), (a, 4), {"range": (0, 8)}),
        ("histogram", (NUMBERS, edges), (a, e), {"density": True}),
        ("histogram", (NUMBERS, edges[::-1]), (a, e[::-1]), {}),
        ("histogram", (NUMBERS, 0), (a, 0), {}),
        ("histogram", (NUMBERS, 2.5), (a, 2.5), {}),
        ("histogram", (NUMBERS, 3), (a, 3), {"range": (1, 2, 3)}),
        ("histogram", (NUMBERS, 3), (a, 3), {"range": (2, 1)}),
        ("histogram_bin_edges", (NUMBERS, 3), (a, 3), {}),
        ("histogram_bin_edges", (NUMBERS, edges), (a, e), {}),
    ):
        if not hasattr(module, name):
            continue
        wanted, got = answer(getattr(np, name), *host, **kwargs), answer(getattr(module, name), *ours, **kwargs)
        assert got == wanted or np.allclose(got[0][2], wanted[0][2]), (name, host, kwargs, got, wanted)
        assert isinstance(wanted, type) or [one[:2] for one in got] == [one[:2] for one in wanted], (name, kwargs)


def test_what_numpy_refuses(device):
    a = qn.asarray([3.0, 1.0])
    for error, call in (
        (ValueError, lambda: qn.searchsorted(a, 1, side="middle")),
        (TypeError, lambda: qn.searchsorted(a, 1, side=3)),
        (ValueError, lambda: qn.searchsorted(NUMBERS, 1)),
        (TypeError, lambda: qn.searchsorted(a, None)),
        (TypeError, lambda: qn.digitize(a + 1j, a)),
        (ValueError, lambda: qn.isin(a, a, kind="hash")),
        (ValueError, lambda: qn.isin(a, a, kind="table")),
        (ValueError, lambda: qn.bincount([1, 2], [1.0])),
        (ValueError, lambda: qn.bincount([1, 2], minlength=-1)),
        (ValueError, lambda: cupy.histogram(cupy.ones(2), weights=np.ones(2))),
        (ValueError, lambda: qn.histogram(a, weights=[1, 2, 3])),
        (TypeError, lambda: cupy.bincount(np.array([1]))),
    ):
        with pytest.raises(error):
            call()
    assert qn.bincount([]).dtype == np.bincount([]).dtype
    with pytest.warns(qn.FallbackWarning, match="found by a rule") as seen:
        assert qn.histogram(NUMBERS, "sturges")[0].tolist() == np.histogram(NUMBERS, "sturges")[0].tolist()
    assert seen[0].filename == __file__
    with pytest.warns(RuntimeWarning, match="bool to uint8"):
        cupy.histogram(cupy.asarray([True, False]), 2)


HEAD = """
inf, nan = math.inf, math.nan
x = torch.tensor([[3., -1, 7, 2], [4, 8, 5, 0.5]], device=device)
s = torch.tensor([0., 1, 4, 8], device=device)
n = torch.tensor([3, 0, 3, 1], device=device)
def of(f, x):
    x = x.detach().clone().requires_grad_()
    least, greatest = f(x)
    (least.sum() + 2 * greatest.sum()).backward()
    return x.grad
"""
TORCH = """
torch.aminmax(x) | torch.aminmax(x, dim=1, keepdim=True) | x.aminmax(dim=0) | torch.aminmax(x, keepdim=True) | torch.aminmax(x[0, 0]) | torch.aminmax(n)
torch.aminmax(x, dim=1).max | of(torch.aminmax, x.round()) | of(lambda x: torch.aminmax(x, dim=0), x) | raises(lambda: torch.aminmax(x[:0])) | raises(lambda: torch.aminmax(x[:0], dim=0))
raises(lambda: torch.aminmax(x, dim=2)) | raises(lambda: torch.aminmax(x + 1j))[0] | raises(lambda: torch.aminmax(x, 1))[0]
torch.count_nonzero(x > 2) | torch.count_nonzero(x, dim=(0, 1)) | x.count_nonzero(0, 1) | torch.count_nonzero(n, 0) | raises(lambda: torch.count_nonzero(n, 1)) | x.count_nonzero(dim=1)
torch.msort(x) | torch.msort(n) | x.msort() | torch.msort(x[0, 0]) | raises(lambda: torch.msort(x + 1j))[0]
torch.searchsorted(s, x) | torch.searchsorted(s, 4) | torch.searchsorted(s, x, right=True, out_int32=True) | torch.searchsorted(x.sort(1)[0], x.sort(1)[0] + 0.5) | torch.searchsorted(s, x, side='right')
torch.searchsorted(n, 0.5, sorter=n.argsort()) | torch.searchsorted(s.flip(0), x, sorter=torch.tensor([3, 2, 1, 0], device=device)) | torch.searchsorted(n.sort()[0], 2.5)
raises(lambda: torch.searchsorted(x, 3)) | raises(lambda: torch.searchsorted(x[0, 0], 3)) | raises(lambda: torch.searchsorted(x, s)) | raises(lambda: torch.searchsorted(x, x[:1]))
raises(lambda: torch.searchsorted(s, [1.0]))[0] | raises(lambda: torch.searchsorted(s, x, side='middle')) | raises(lambda: torch.searchsorted(s, x, right=True, side='left'))
raises(lambda: torch.searchsorted(s, x, sorter=n[:2])) | raises(lambda: torch.searchsorted(s, x, sorter=s)) | raises(lambda: torch.searchsorted(s, x, sorter=n.int()))
torch.bucketize(x, s) | torch.bucketize(n, torch.tensor([1, 2, 3], device=device), right=True) | torch.bucketize(2.5, s, out_int32=True) | torch.bucketize(x[0], n.sort()[0])
raises(lambda: torch.bucketize(x, x)) | raises(lambda: torch.bucketize([1.0], s))[0] | raises(lambda: torch.bucketize(x, [1.0]))[0]
torch.isin(n, torch.tensor([1, 5], device=device)) | torch.isin(x, s, invert=True) | torch.isin(3, n) | torch.isin(n, 3) | torch.isin(n, 2.5) | torch.isin(n, s) | torch.isin(x, s[:0], assume_unique=True)
raises(lambda: torch.isin(1, 2))[0] | raises(lambda: torch.isin([1], n))[0] | raises(lambda: torch.isin(n > 0, n > 0)) | raises(lambda: torch.isin(x + 1j, x))
torch.bincount(n) | torch.bincount(n, x[0]) | torch.bincount(n, n, 6) | n.bincount(minlength=7) | torch.bincount(n.byte(), x[0].double()) | torch.bincount(n[:0], x[0, :0]) | torch.bincount(n[:0], minlength=2)
raises(lambda: torch.bincount(x[0])) | raises(lambda: torch.bincount(n > 0)) | raises(lambda: torch.bincount(n[None])) | raises(lambda: torch.bincount(n - 2))
raises(lambda: torch.bincount(n, minlength=-1)) | raises(lambda: torch.bincount(n, x)) | raises(lambda: torch.bincount(n, [1.0]))[0]
torch.histc(x, 4) | torch.histc(x, bins=3, min=0, max=6) | x.histc(2, 10, 20) | torch.histc(x[:0], 2) | torch.histc(x[0, :1], 2) | torch.histc(torch.tensor([1, 2, nan], device=device), 3, 0, 2)
raises(lambda: torch.histc(n))[0] | raises(lambda: torch.histc(x, 0)) | raises(lambda: torch.histc(x, 3, 3, 1)) | raises(lambda: torch.histc(x, 3, 0, inf)) | raises(lambda: torch.histc(x, 2.5))[0]
"""
ON_CPU = """
torch.histogram(x, 3) | torch.histogram(x, s) | torch.histogram(x, 4, range=(0., 8.), density=True) | x.histogram(s, weight=x, density=True) | torch.histogram(x[:0], 2) | torch.histogram(x[0, :1], 2)
raises(lambda: torch.histogram(n, 2)) | raises(lambda: torch.histogram(x, 0)) | raises(lambda: torch.histogram(x, 2, range=(3., 1.))) | raises(lambda: torch.histogram(x, n))
raises(lambda: torch.histogram(x, x)) | raises(lambda: torch.histogram(x, s[:1])) | raises(lambda: torch.histogram(x * nan, 2)) | raises(lambda: torch.histogram(x, 2, weight=s))
"""


@pytest.mark.parametrize("texts", [TORCH, ON_CPU], ids=["all", "histogram"])
def test_of_torch(device, texts):
    compare_all([HEAD + case for case in cases(texts)], device)


def test_names_that_are_no_methods(device):
    for name in ("bucketize", "isin", "searchsorted", "std_mean", "var_mean"):
        assert hasattr(torch, name) and not hasattr(torch.Tensor, name), name


def test_calls_run_no_python(device, no_allocator):
    a, n, t, calls = qn.arange(6.0), qn.arange(6), torch.arange(6.0), []
    c, i = cupy.arange(6.0), torch.arange(6)
    sys.setprofile(lambda frame, event, _: calls.append(frame.f_code.co_name) if event == "call" else None)
    try:
        qn.searchsorted(a, a), qn.digitize(a, a), qn.isin(a, a), qn.nonzero(a), qn.flatnonzero(a), qn.argwhere(a), qn.bincount(n)
        qn.histogram(a, 3), qn.histogram(a, a), qn.histogram_bin_edges(a, 4), a.searchsorted(a), a.nonzero(), cupy.histogram(c), cupy.digitize(c, c)
        torch.aminmax(t), torch.searchsorted(t, t), torch.bucketize(t, t), torch.isin(t, t), torch.bincount(i), torch.histc(t), torch.histogram(t, 3)
        t.msort(), t.count_nonzero()
    finally:
        sys.setprofile(None)
    assert calls == []
