"""Sorts, partitions and sets: the faces of NumPy, CuPy and PyTorch."""

import sys

import numpy as np
import pytest
import quern as qn
import quern.cupy as cupy
import quern.torch as torch
from arrays import cases
from test_faces_statistics import answer
from torch_oracle import compare_all

nan = np.nan
NUMBERS = np.array([[3.0, 1, nan, 2], [2, 2, 5, 0.5]])
RECORDS = np.array([(2, 1.0), (1, 3.0), (2, 0.5)], [("a", int), ("b", float)])


@pytest.mark.parametrize("module", [qn, cupy])
def test_as_numpy(device, module):
    whole, zero = np.array([3, 1, 3, 2, 1]), np.asarray(4.0)
    for name, args, kwargs in (
        ("sort", (NUMBERS,), {}),
        ("sort", (NUMBERS, None), {}),
        ("sort", (NUMBERS, 0, "heap"), {}),
        ("sort", (NUMBERS,), {"stable": True}),
        ("sort", (NUMBERS,), {"kind": "quick", "stable": True}),
        ("sort", (NUMBERS,), {"kind": "bubble"}),
        ("sort", (NUMBERS,), {"kind": 3}),
        ("sort", (NUMBERS,), {"order": "a"}),
        ("sort", (NUMBERS, 2), {}),
        ("sort", (zero,), {}),
        ("argsort", (zero,), {}),
        ("argsort", (NUMBERS, 0), {"kind": "stable"}),
        ("argsort", (NUMBERS, None), {}),
        ("partition", (whole, 2), {}),
        ("partition", (zero, 0), {}),
        ("partition", (whole, [1, 3]), {}),
        ("partition", (whole, 5), {}),
        ("partition", (whole, 1.5), {}),
        ("partition", (whole, 1), {"kind": "quick"}),
        ("sort_complex", (whole,), {}),
        ("sort_complex", (whole.astype("int8"),), {}),
        ("lexsort", ((whole, whole[::-1].copy()),), {}),
        ("lexsort", ((),), {}),
        ("nanargmax", (NUMBERS,), {}),
        ("nanargmin", (NUMBERS,), {"axis": 1, "keepdims": True}),
        ("nanargmax", (NUMBERS[:1, 2:3],), {}),
        ("unique", (NUMBERS,), {}),
        ("unique", (NUMBERS,), {"equal_nan": False}),
        ("unique", (whole, True, True, True), {}),
        ("unique", (np.array([[1, 2], [1, 2], [0, 1]]),), {"axis": 0, "return_inverse": True, "return_counts": True}),
        ("unique", (zero,), {"return_inverse": True}),
        ("unique", (whole,), {"axis": 1}),
        ("unique_all", (whole,), {}),
        ("unique_counts", (NUMBERS,), {}),
        ("unique_inverse", (whole,), {}),
        ("union1d", (whole, NUMBERS[1]), {}),
        ("intersect1d", (whole, np.array([3, 2, 2, 7])), {}),
        ("intersect1d", (whole, np.array([3, 2, 2, 7])), {"return_indices": True}),
        ("intersect1d", (np.array([4, 1]), np.array([1.5, 4])), {"assume_unique": True, "return_indices": True}),
        ("intersect1d", (whole[:0], whole), {}),
        ("setdiff1d", (whole, np.array([2])), {}),
        ("setdiff1d", (whole, np.array([2])), {"assume_unique": True}),
        ("setxor1d", (whole, np.array([2, 9.5])), {}),
        ("setxor1d", (whole[:0], whole[:0]), {}),
    ):
        ours = tuple(module.asarray(one) if isinstance(one, np.ndarray) else one for one in args)
        if name == "lexsort":
            ours = (tuple(module.asarray(one) for one in args[0]),)
        wanted, got = answer(getattr(np, name), *args, **kwargs), answer(getattr(module, name), *ours, **kwargs)
        assert str(got) == str(wanted), (name, args, kwargs)


@pytest.mark.parametrize("name", ["nanargmax", "nanargmin", "argmax", "argmin"])
def test_places_have_the_type_that_cupy_gives_them(device, name):
    place = getattr(cupy, name)(cupy.asarray(NUMBERS), axis=1, dtype="i4") if "nan" in name else getattr(cupy, name)(cupy.arange(3), dtype="i4")
    assert place.dtype == np.int32
    with pytest.raises(TypeError):
        getattr(cupy, name)(cupy.arange(3), dtype="no such type")


def test_of_records(device):
    a = qn.asarray(RECORDS)
    for order in (None, "b", ["b", "a"]):
        assert qn.asnumpy(qn.sort(a, order=order)).tolist() == np.sort(RECORDS, order=order).tolist()
        assert qn.argsort(a, order=order).tolist() == np.argsort(RECORDS, order=order).tolist()
        b, host = a.copy(), RECORDS.copy()
        b.sort(order=order), host.sort(order=order)
        assert b.dtype == RECORDS.dtype and qn.asnumpy(b).tolist() == host.tolist()
    for order in ("c", ["a", "a"]):
        with pytest.raises(ValueError, match="field name"):
            qn.sort(a, order=order)


@pytest.mark.parametrize("module", [qn, cupy])
def test_in_place(device, module):
    host = NUMBERS.copy()
    a = module.asarray(host)
    assert a.sort() is None and a.get().tolist()[1] == [0.5, 2, 2, 5]
    column = a[:, 1]
    column.sort()
    host.sort()
    host[:, 1].sort()
    assert str(a.get().tolist()) == str(host.tolist())
    assert a.partition(1, axis=0) is None
    for error, call in (
        (TypeError, lambda: a.sort(None)),
        (np.exceptions.AxisError, lambda: a.sort(2)),
        (np.exceptions.AxisError, lambda: module.asarray(3.0).sort()),
        (ValueError, lambda: a.partition(9)),
        (ValueError, lambda: qn.broadcast_to(qn.ones(1), (3,)).sort()),
    ):
        with pytest.raises(error):
            call()
    assert module.unique_values(module.asarray([3, 1, 3])).tolist() == [1, 3]
    assert hasattr(module.unique_all(a), "inverse_indices")


HEAD = """
nan = math.nan
x = torch.tensor([[3., 1, nan, 2], [2, 2, 5, 0.5]], device=device)
n = torch.tensor([[3, 1, 3, 3], [3, 1, 3, 3], [1, 1, 0, 2]], device=device)
"""
TORCH = """
torch.unique(x) | torch.unique(n, return_inverse=True, return_counts=True) | torch.unique(n, True, False, True) | n.unique(dim=0, return_inverse=True, return_counts=True) | torch.unique(n, dim=1)
torch.unique(x[0, 0]) | torch.unique(x * nan, return_counts=True) | torch.unique(n[:0], dim=0) | torch.unique(n > 2, return_inverse=True) | torch.unique(n.byte()) | torch.unique(x.bfloat16())
torch.unique_consecutive(n) | torch.unique_consecutive(n, True, True) | torch.unique_consecutive(n, dim=0, return_inverse=True, return_counts=True) | n[0].unique_consecutive(return_counts=True)
torch.unique_consecutive(x[0] * nan) | torch.unique_consecutive(n[0, 0], True, True) | torch.unique_consecutive(n[:, :0]) | n.unique_consecutive(dim=1)
raises(lambda: torch.unique(n[0, 0], dim=0))[0] | raises(lambda: torch.unique(n[:, :0], dim=0)) | raises(lambda: torch.unique(n, dim=2)) | raises(lambda: torch.unique(x + 1j))
raises(lambda: torch.unique_consecutive(n[:, :0], dim=0)) | raises(lambda: torch.unique([1]))[0] | raises(lambda: torch.unique(n, dim='a'))[0]
"""


def test_of_torch(device):
    compare_all([HEAD + case for case in cases(TORCH)], device)


def test_calls_run_no_python(device, no_allocator):
    a, n, t, calls = qn.arange(6.0), qn.arange(6), torch.arange(6.0), []
    c = cupy.arange(6.0)
    sys.setprofile(lambda frame, event, _: calls.append(frame.f_code.co_name) if event == "call" else None)
    try:
        qn.sort(a), qn.argsort(a), qn.partition(a, 2), qn.lexsort((a, n)), qn.nanargmax(a), qn.unique(a), qn.unique_all(a), a.sort(), a.argsort()
        qn.union1d(a, n), qn.intersect1d(a, a), qn.setdiff1d(a, a), qn.setxor1d(a, a), cupy.sort(c), cupy.unique(c), c.sort()
        torch.unique(t), t.unique_consecutive(return_counts=True)
    finally:
        sys.setprofile(None)
    assert [name for name in calls if name not in ("asarray", "_make")] == []
