"""Numbers in even steps, windows, grids and matrices of ones: values, types, devices and errors, compared with NumPy's."""

import numpy as np
import pytest
import quern as qn
import quern.cupy as cp
import quern.torch as torch
from arrays import check
from quern.autograd import gradients, requires_grad

CASES = """
m.linspace(0, 1, 5, retstep=True)[0] | m.linspace(0, 1, 1) | m.linspace(0, 1, 0) | m.linspace(0, 1, -1) | m.linspace(0, 10, 4, dtype=int)
m.linspace(-3, 3, 5, dtype='int8') | m.linspace(a, 5, 3) | m.linspace(a, a + 1, 3, axis=-1) | m.linspace(a, 5, 3, axis=7) | m.linspace(0, 1, 3, axis=1)
m.linspace(f4, 3, 4) | m.linspace([1, 2], [3, 4], 3, endpoint=False) | m.linspace(0, 1j, 3) | m.linspace(np.float32(1), 2, 3) | m.linspace(1, 1, 3)
m.linspace(0, 1, 2.5) | m.linspace(True, 3, 3) | m.linspace(a, a + 1, 3, axis=1, retstep=True) | m.linspace(2**63, 2**64 - 1, 3)
m.logspace([1, 2], 3, 3, base=[2, 3]) | m.logspace([1, 2], 3, 3, base=[2, 3], axis=1) | m.logspace(0, 1, 3, base=np.float32(2)) | m.logspace(0, 2, 5, endpoint=False)
m.geomspace(1j, -1000, 4) | m.geomspace(1, -1, 3) | m.geomspace(a + 1, 100, 4, axis=-1) | m.geomspace(1, 300, 9, dtype=int) | m.geomspace(1, 10, 1) | m.geomspace(1, 10, 0)
m.hanning(4.5) | m.kaiser(5, 0) | m.bartlett(2) | m.blackman(2) | m.hamming(7) | m.tri(3, k=1.5) | m.tri(3, k=-0.5) | m.tri(-1) | m.tri(2.5) | m.identity(-1)
m.indices((), sparse=True) | m.vander([1, 2], -1) | m.vander(v, None, True) | m.meshgrid(v, w, copy=False)
"""


@pytest.mark.parametrize("case", [case.strip() for line in CASES.splitlines() for case in line.split(" | ") if case.strip()])
def test_as_numpy(case):
    check(case, exact=not case.startswith(("m.logspace", "m.geomspace", "m.kaiser", "m.blackman", "m.hamming", "m.hanning")))


def test_the_step():
    assert qn.linspace(0, 1, 5, retstep=True)[1] == 0.25
    assert np.isnan(qn.linspace(0, 1, 1, retstep=True)[1])
    assert qn.linspace(qn.zeros(2), [1, 2], 5, True, True)[1].tolist() == [0.25, 0.5]


def test_where_they_are(device):
    there = qn.asarray([1.0, 2.0], device=device)
    assert qn.linspace(there, 3, 4).device == device
    assert qn.linspace(0, 1, 4, device=device).device == device
    assert qn.logspace(0, there, 3).device == qn.geomspace(there, 4, 3).device == device


@pytest.mark.parametrize(
    "function",
    [
        lambda x: qn.linspace(x, 3.0, 4),
        lambda x: qn.logspace(x, 3.0, 4),
        lambda x: qn.logspace(0, 2.0, 4, base=x),
        lambda x: qn.geomspace(x, 3.0, 4),
        lambda x: qn.kaiser(4, x[1]),
    ],
)
def test_gradients(function):
    def total(x):
        made = function(x)
        return (made * qn.asarray([1.0, 2.0, 3.0, 4.0]).reshape(-1, *[1] * (made.ndim - 1))).sum()

    x, step = np.array([0.5, 1.5]), 1e-6
    given = requires_grad(qn.asarray(x))
    found = gradients(total(given), given)[0].get()
    for n in range(2):
        move = step * (np.arange(2) == n)
        slope = (float(total(qn.asarray(x + move))) - float(total(qn.asarray(x - move)))) / (2 * step)
        assert found[n] == pytest.approx(slope, rel=1e-5, abs=1e-6)


def test_types_of_results():
    assert type(cp.linspace(0, 1, 3)) is type(cp.hanning(3)) is type(cp.identity(2)) is type(cp.indices((2, 2))) is cp.ndarray
    assert {type(x) for x in cp.meshgrid(cp.arange(2), cp.arange(3))} == {cp.ndarray}
    assert torch.linspace(0, 1, 3).dtype is torch.hann_window(3).dtype is torch.float32
    assert torch.linspace(0, 1j, 3).dtype is torch.complex64
    assert torch.tril_indices(2, 2).dtype is torch.int64


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: torch.linspace(0, 1, -1), RuntimeError, "number of steps must be non-negative"),
        (lambda: torch.linspace("0", 1, 2), TypeError, "argument 'start'"),
        (lambda: torch.linspace(torch.zeros(2), 1, 2), RuntimeError, "only supports 0-dimensional"),
        (lambda: torch.hann_window(-1), RuntimeError, "hann_window requires non-negative window_length, got window_length=-1"),
        (lambda: torch.kaiser_window(3, dtype=torch.int64), RuntimeError, "kaiser_window expects floating point dtypes"),
        (lambda: torch.vander(torch.zeros(2, 2)), RuntimeError, "x must be a one-dimensional tensor."),
        (lambda: torch.meshgrid(torch.zeros(2), torch.zeros(2).int()), RuntimeError, "the same dtype"),
        (lambda: qn.geomspace(qn.zeros(2), 1, 3), ValueError, "Geometric sequence cannot include zero"),
        (lambda: qn.indices(3), TypeError, "'int' object is not iterable"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_ends_of_integers_are_cut():
    assert torch.linspace(0.9, 10.9, 3, dtype=torch.int64).tolist() == [0, 5, 10]
    assert torch.linspace(4.3, -3, 9, dtype=torch.int64).tolist() == [4, 3, 2, 1, 0, 0, -1, -2, -3]
    assert torch.logspace(0.9, 2.9, 3, dtype=torch.int32).tolist() == [1, 10, 100]
    assert torch.range(1, 2.6, 0.5).tolist() == [1.0, 1.5, 2.0, 2.5]


class Refusing:
    """As PyTorch's tensors with a gradient: what describes the memory raises an error of its own."""

    @property
    def __cuda_array_interface__(self):
        raise RuntimeError("not with a gradient")


@pytest.mark.parametrize("make", [qn.asarray, cp.asarray, cp.array, lambda x: cp.zeros(2) + cp.array([x, x])])
def test_errors_of_an_object_that_offers_an_array_reach_the_caller(make):
    with pytest.raises(RuntimeError, match="not with a gradient"):
        make(Refusing())
