"""Elements chosen by their order, running results, and what is no NaN: the faces of NumPy, CuPy, PyTorch and Keras."""

import itertools
import warnings

import numpy as np
import pytest
import quern as qn
import quern.cupy as cupy
import quern.torch as torch

nan = np.nan
REDUCED = ("nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd")
# Lines without NaN, with some, with nothing else; infinities beside them.
VALUES = np.array([[[1.5, nan, -2.0], [nan, nan, nan]], [[4.0, 0.0, nan], [-np.inf, 7.0, 7.0]], [[nan, np.inf, 3.0], [2.0, 2.0, nan]]])


def numpys(name, *args, **kwargs):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return getattr(np, name)(*args, **kwargs)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "complex64", "int32", "bool"])
@pytest.mark.parametrize("name", REDUCED)
def test_without_nan(device, name, dtype):
    host = (VALUES if dtype[0] in "fc" else np.nan_to_num(VALUES, posinf=5, neginf=-3)).astype(dtype)
    for axis, keepdims in itertools.product((None, 0, -1, (0, 2)), (False, True)):
        wanted = numpys(name, host, axis=axis, keepdims=keepdims)
        result = getattr(qn, name)(qn.asarray(host), axis=axis, keepdims=keepdims)
        assert result.dtype == wanted.dtype and result.shape == wanted.shape, (axis, keepdims)
        assert np.allclose(qn.asnumpy(result), wanted, rtol=2e-3 if dtype == "float16" else 1e-5, equal_nan=True), (axis, keepdims)


def test_without_nan_where_and_initial(device):
    a, where = qn.asarray(VALUES), np.array([True, False, True])
    for name in ("nansum", "nanprod", "nanmax", "nanmin"):
        wanted = numpys(name, VALUES, axis=1, initial=3, where=where)
        assert np.array_equal(qn.asnumpy(getattr(qn, name)(a, axis=1, initial=3, where=where)), wanted, equal_nan=True), name
    for name in ("nanmean", "nanvar", "nanstd"):
        wanted = numpys(name, VALUES, axis=0, where=where)
        assert np.allclose(qn.asnumpy(getattr(qn, name)(a, axis=0, where=where)), wanted, equal_nan=True), name
    for shape, axis in (((0, 3), 0), ((2, 0), None)):
        empty = np.ones(shape)
        for name in ("nanmax", "nanmin"):
            with pytest.raises(ValueError):
                numpys(name, empty, axis)
            with pytest.raises(ValueError):
                getattr(qn, name)(qn.asarray(empty), axis)
    for kwargs in ({"dtype": int}, {"out": qn.zeros((), int)}):
        with pytest.raises(TypeError, match="must be inexact"):
            qn.nanmean(a, **kwargs)


def test_running_results(device):
    for host in (VALUES, np.arange(6, dtype="uint8").reshape(2, 3), np.array([True, True]), np.ones((2, 0)), np.float32(3)):
        a = qn.asarray(host)
        for name, axis in itertools.product(("cumsum", "cumprod", "nancumsum", "nancumprod"), (None, 0, -1)):
            wanted, result = numpys(name, host, axis), getattr(qn, name)(a, axis)
            assert result.dtype == wanted.dtype and result.shape == wanted.shape, (name, axis)
            assert np.array_equal(qn.asnumpy(result), wanted, equal_nan=True), (name, axis)
    out = qn.zeros(3, "float32")
    assert qn.cumsum([1, 2, 3], out=out) is out and out.tolist() == [1, 3, 6]
    for call in (lambda: qn.cumsum([1, 2], 1), lambda: qn.cumsum(3, 2), lambda: qn.cumsum([1, 2], out=qn.zeros(5))):
        with pytest.raises(ValueError):  # AxisError is one
            call()


def test_places_of_extremes(device):
    for host in (VALUES, VALUES.astype("complex128"), np.arange(6).reshape(2, 3)[:, ::-1], np.array([[True, False], [True, True]])):
        a = qn.asarray(host)
        for name, axis, keepdims in itertools.product(("argmax", "argmin"), (None, 0, -1), (False, True)):
            wanted, result = getattr(np, name)(host, axis, keepdims=keepdims), getattr(qn, name)(a, axis, keepdims=keepdims)
            assert result.dtype == np.int64 and np.array_equal(qn.asnumpy(result), wanted), (name, axis, keepdims)
    place = same = qn.asarray(VALUES).argmax()
    place += 1
    assert int(same) == np.argmax(VALUES) == int(place) - 1  # a number, as NumPy's
    assert cupy.argmax(cupy.asarray([1, 3, 2]), None, "int32").dtype == np.int32
    with pytest.raises(TypeError, match="safe"):
        qn.argmax([1, 2], out=qn.zeros((), "float32"))


def test_ranked_by_torch(device):
    t = torch.tensor([[3.0, 1.0, nan, 1.0], [2.0, 2.0, 0.0, 9.0]])
    isnan = torch.isnan
    assert t.max(1).indices.tolist() == [2, 3] and isnan(t.max(1).values).tolist() == [True, False]
    assert t.min(1, keepdim=True)[1].tolist() == [[2], [2]]
    assert t.sort(1).indices.tolist() == [[1, 3, 0, 2], [2, 0, 1, 3]] and t.argsort(1, True)[1].tolist() == [3, 0, 1, 2]
    assert torch.topk(t, 2, 1, False, sorted=True).values.tolist() == [[1, 1], [0, 2]]
    assert t.kthvalue(3).values.tolist() == [3, 2] and torch.kthvalue(t, 1, keepdim=True)[1].tolist() == [[1], [2]]
    assert isnan(t.median(1).values).tolist() == [True, False] and t.nanmedian(1).values.tolist() == [1, 2]
    assert isnan(t.median()).item() and t.nanmedian().item() == 2
    assert t.mode(1).values.tolist() == [1, 2] and t.mode(1).indices.tolist() == [3, 1]
    assert t.cummax(1).indices.tolist() == [[0, 0, 2, 2], [0, 1, 1, 3]] and t[1].cummin(0).values.tolist() == [2, 2, 0, 0]
    scalar = torch.tensor(5.0)
    for name in ("max", "sort", "median", "mode", "cummax"):
        values, places = getattr(torch, name)(scalar, 0)
        assert values.item() == 5 and places.item() == 0 and places.dtype is torch.int64
    values, places = torch.zeros(0), torch.zeros(0, dtype=torch.int64)
    both = torch.sort(t, 0, out=(values, places))
    assert both.values is values and both[1] is places and places.tolist() == [[1, 0, 1, 0], [0, 1, 0, 1]]


@pytest.mark.parametrize(
    "choose", [lambda t: t.max(1), lambda t: t.sort(1), lambda t: t.topk(2), lambda t: t.kthvalue(2), lambda t: t.median(1), lambda t: t.mode(1),
               lambda t: t.cummax(1), lambda t: t.nanmedian(1)]
)  # fmt: skip
def test_derivatives_go_to_where_the_elements_stood(device, choose):
    t = torch.tensor([[3.0, 1.0, 4.0, 1.0], [5.0, 9.0, 2.0, 6.0]], requires_grad=True)
    values, places = choose(t)
    values.sum().backward()
    wanted, lines = np.zeros((2, 4)), np.asarray(places.tolist()).reshape(2, -1)
    for line, chosen in enumerate(lines):
        np.add.at(wanted[line], chosen, 1)
    assert t.grad.tolist() == wanted.tolist() and not places.requires_grad


def test_torchs_refusals():
    t = torch.ones(2, 3)
    for call, error, text in [
        (lambda: t.max("a"), TypeError, "max(): argument 'dim' (position 2) must be int, not str"),
        (lambda: t.sort(2), IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
        (lambda: t.topk(4), RuntimeError, "selected index k out of range"),
        (lambda: t.topk(1, sorted=1), TypeError, "topk(): argument 'sorted' (position 5) must be bool, not int"),
        (lambda: t.kthvalue(0), RuntimeError, "kthvalue(): selected number k out of range for dimension 1"),
        (lambda: t[:0].max(0), IndexError, "max(): Expected reduction dim 0 to have non-zero size."),
        (lambda: t[:0].argmax(), IndexError, "argmax(): Expected reduction dim to be specified"),
        (lambda: (t > 0).argmax(), RuntimeError, "\"argmax_cpu\" not implemented for 'Bool'"),
        (lambda: t.cfloat().sort(), TypeError, "sort(): does not support complex input"),
        (lambda: t.cfloat().median(), NotImplementedError, "median(): does not support complex input"),
        (lambda: t.cumsum(), TypeError, 'cumsum() missing 1 required positional arguments: "dim"'),
        (lambda: t.cumsum(0, dtype=torch.bool), NotImplementedError, "\"cumsum_out_cpu\" not implemented for 'Bool'"),
        (lambda: t.long().nanmean(), RuntimeError, "nanmean(): expected input to have floating point or complex dtype but got Long"),
        (lambda: t.sort(out=t), TypeError, "sort(): argument 'out' must be tuple of Tensors, not Tensor"),
        (lambda: t.max(1, out=(torch.zeros(2), torch.zeros(2))), RuntimeError, "Expected out tensor to have dtype torch.int64, but got"),
    ]:
        with pytest.raises(error) as raised:
            call()
        assert str(raised.value).startswith(text)
    values = torch.full((2,), 7.0)
    with pytest.raises(TypeError, match="'out' must be tuple of Tensors"):
        t.max(1, out=(values, 3))
    assert values.tolist() == [7, 7]
