"""NumPy's protocols: its ufuncs and functions on our arrays, its arrays beside ours, and the Array API's questions."""

import functools
import warnings

import numpy as np
import pytest
import quern as qn
import quern.cupy as cp
from arrays import equal
from quern import array_api

pytestmark = pytest.mark.usefixtures("no_fallback")
same = functools.partial(equal, kind=qn.Array, rtol=1e-14)


def pair():
    host = np.array([[3.0, -1.0], [4.0, 0.5]])
    return host, qn.asarray(host)


def test_both_orders_give_ours(device):
    n, x = pair()
    for got, want in (
        (n + x, n + n), (x + n, n + n), (n / x, n / n), (n**x, n**n), (n < x, n < n), (n == x, n == n), (np.float32(2) * x, 2 * n),
        (np.float64(2) - x, 2 - n), (x - np.int8(3), n - 3), (n // x, n // n), (divmod(n, x)[1], n % n), (n[0] + x, n[0] + n),
    ):  # fmt: skip
        same(got, want)
    qn.set_fallback("silent")
    for got in (n @ x, x @ n):
        same(got, n @ n)


def test_in_place_into_numpys(device):
    n, x = pair()
    out = n.copy()
    out += x
    assert type(out) is np.ndarray
    np.testing.assert_array_equal(out, n + n)
    whole = np.arange(4).reshape(2, 2)
    with pytest.raises(TypeError):
        whole += x
    x += n
    same(x, n + n)


def test_ufuncs(device):
    n, x = pair()
    same(np.sin(x), np.sin(n))
    same(np.add(x, [1, 2]), n + [1, 2])
    same(np.add.reduce(x), n.sum(0))
    same(np.add.outer(x, n), np.add.outer(n, n))
    same(np.maximum(x, 0, dtype=np.float32), np.maximum(n, 0, dtype=np.float32))
    for got, want in zip(np.divmod(x, 2), np.divmod(n, 2), strict=True):
        same(got, want)
    out = qn.zeros((2, 2))
    assert np.add(x, 1, out=out) is out
    same(out, n + 1)
    host = np.zeros((2, 2))
    assert np.add(x, 1, out=host) is host
    np.testing.assert_array_equal(host, n + 1)
    assert np.add(n, 1, out=out) is out
    assert np.add(x, 1, where=n > 0, out=out) is out
    first, second = qn.zeros((2, 2)), np.zeros((2, 2))
    assert np.divmod(x, 2, out=(first, second))[1] is second
    np.testing.assert_array_equal(second, n % 2)
    y = qn.arange(3)
    np.add.at(y, slice(0, 2), 5)
    assert y.tolist() == [5, 6, 2]


def test_ufuncs_without_ours(device):
    qn.set_fallback("silent")
    n, x = pair()
    same(np.add.accumulate(x), np.add.accumulate(n))
    theirs = np.frompyfunc(lambda a: a + 1, 1, 1)
    assert isinstance(theirs(x), np.ndarray)  # objects are no type of ours
    y = np.arange(3)
    np.add.at(y, [0, 0], qn.asarray([1, 2]))
    assert y.tolist() == [3, 1, 2]


def test_functions(device):
    n, x = pair()
    same(np.concatenate([x, n]), np.concatenate([n, n]))
    same(np.stack([x, x]), np.stack([n, n]))
    same(np.sum(x, axis=0), n.sum(0))
    same(np.mean(x), n.mean())
    same(np.where(n > 0, x, 0), np.where(n > 0, n, 0))
    same(np.zeros_like(x), np.zeros_like(n))
    same(np.linalg.norm(x), np.linalg.norm(n))
    same(np.asarray([1, 2], like=x), np.asarray([1, 2]))
    same(np.zeros(3, like=x), np.zeros(3))
    same(np.reshape(x, 4), n.reshape(4))
    same(np.linspace(qn.asarray(0.0), qn.asarray(1.0), 3), np.linspace(0, 1, 3))
    assert np.shape(x) == (2, 2)
    assert np.ndim(x) == 2
    assert np.result_type(x, np.float32) == np.float64
    out = np.zeros(())
    assert np.sum(x, out=out) is out
    assert out == n.sum()


def test_functions_through_the_host(device):
    n, x = pair()
    with pytest.raises(NotImplementedError, match=r"\[apply_along_axis\]"):
        np.apply_along_axis(np.sum, 0, x)
    qn.set_fallback("silent")
    same(np.apply_along_axis(np.sum, 0, x), n.sum(0))
    same(np.linalg.pinv(x), np.linalg.pinv(n))
    same(np.fft.fft(x), np.fft.fft(n))


def test_conversion(device):
    n, x = pair()
    assert type(np.asarray(x)) is np.ndarray
    assert np.array(x, dtype=np.float32).dtype == np.float32
    np.testing.assert_array_equal(x, n)
    np.testing.assert_allclose(x, n)
    assert x.__array_priority__ > 0


def test_others_are_asked(device):
    class Other:
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return "other's"

        def __array_function__(self, function, types, args, kwargs):
            return "other's"

    _, x = pair()
    assert np.add(x, Other()) == "other's"
    assert np.concatenate([x, Other()]) == "other's"

    class Deaf:
        __array_ufunc__ = None

    with pytest.raises(TypeError):
        np.add(x, Deaf())


def test_front_ends_keep_their_type(device):
    x, n = cp.arange(4.0), np.float32(2)
    for value in (n + x, x + n, np.sin(x), np.concatenate([x, x]), np.sum(x), np.add.reduce(x), np.divmod(x, 2)[0], np.split(x, 2)[0]):
        assert type(value) is cp.ndarray
    qn.set_fallback("silent")
    assert type(np.percentile(x, 50)) is cp.ndarray


def test_array_namespace(device):
    x = qn.arange(3)
    assert x.__array_namespace__() is array_api
    assert x.__array_namespace__(api_version="2024.12") is array_api
    with pytest.raises(ValueError, match="1999"):
        x.__array_namespace__(api_version="1999.12")
    info = x.__array_namespace__().__array_namespace_info__()
    assert set(info.capabilities()) == {"boolean indexing", "data-dependent shapes", "max dimensions"}
    assert info.default_dtypes()["real floating"] == qn.float64
    assert info.dtypes(kind="bool") == {"bool": np.dtype(bool)}
    assert set(info.dtypes(kind=("integral", "complex floating"))) == {
        "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "complex64", "complex128",
    }  # fmt: skip
    assert len(info.dtypes()) == 13
    with pytest.raises(ValueError):
        info.dtypes(kind="odd")
    assert info.default_device() in info.devices()
    assert qn.device("cpu") in info.devices()


def test_device_and_to_device(device):
    x = qn.arange(3)
    assert x.device == device
    assert x.to_device(device) is x
    assert x.to_device(x.device) is x
    back = x.to_device("cpu")
    assert back.device.kind == "cpu"
    assert back.tolist() == [0, 1, 2]
    with pytest.raises(ValueError):
        x.to_device("cpu", stream=1)


def test_data_types_are_numpys():
    for name in ("bool", "int8", "uint64", "float16", "float32", "complex128"):
        assert getattr(qn, name) is getattr(np, name)


def test_no_warning_of_numpys_escapes(device):
    _, x = pair()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.log(x - x)
