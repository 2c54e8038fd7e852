"""Attributes that describe an array's memory: flags, bytes as another type; pickles and copies."""

import copy
import pickle

import numpy as np
import pytest
import quern as qn
from arrays import cases
from test_array_exchange import DTYPES, values

# ---- attributes that describe an array's memory


def test_flags(device):
    a = np.arange(12.0).reshape(3, 4)
    x = qn.asarray(a) + 0
    for view in (lambda y: y, lambda y: y.T, lambda y: y[::2], lambda y: y[:1], lambda y: y[:, ::-1]):
        ours, theirs = view(x).flags, view(a).flags
        for name in ("c_contiguous", "f_contiguous", "contiguous", "writeable", "aligned", "fnc", "forc", "carray", "behaved"):
            assert getattr(ours, name) == getattr(theirs, name), name
        for key in ("C", "F", "W", "C_CONTIGUOUS", "WRITEABLE"):
            assert ours[key] == theirs[key]
    assert x.flags.owndata
    assert not x[:1].flags.owndata
    assert x.base is None
    assert x[1:].base.shape == x.shape
    with pytest.raises(KeyError):
        x.flags["Q"]
    assert "C_CONTIGUOUS : True" in repr(x.flags)


@pytest.mark.parametrize(
    "view", ["m.broadcast_to(a, (3, 4))", "m.broadcast_to(a, (3, 4))[1:]", "m.diagonal(q)", "q.diagonal()", "m.diag(q)", "a.imag"]
)
def test_read_only_views(device, view):
    for m in (np, qn):
        names = {"m": m, "a": m.asarray(np.arange(4.0)), "q": m.asarray(np.arange(9.0).reshape(3, 3))}
        out = eval(view, names)
        assert not out.flags.writeable
        with pytest.raises(ValueError, match="assignment destination is read-only"):
            out[...] = 1
        with pytest.raises(ValueError, match="read-only"):
            out += 1
        out.copy()[...] = 1
        (out + 1)[...] = 1
    x = qn.arange(3.0) + 0
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1
    x.setflags(write=True)
    x[0] = 1


VIEWS = """
    a.view("u8") | a.view() | a.view("f4") | a.view("c16") | a[:, :2].view("c16") | a[:, ::2].view("u8") | a[1].view("i2")
    a[:, ::2].view("f4") | a.T.view("f4") | a[:, 1:].view("c16") | a[0, 0].view("f4") | a[:, :3].view("c16") | z.view("u4")
"""


@pytest.mark.parametrize("case", cases(VIEWS))
def test_bytes_as_another_type(device, case):
    def make(m):
        return {"a": m.asarray(np.arange(12.0).reshape(3, 4)), "z": m.asarray(np.zeros((0, 4)))}

    if case == 'a[:, 1:].view("c16")':  # 24 bytes in a row: NumPy's error too
        with pytest.raises(ValueError, match="divisor"):
            eval(case, make(qn))
        return
    names = make(np)
    try:
        want = eval(case, names)
    except ValueError as error:
        with pytest.raises(ValueError, match=str(error)[:30]):
            eval(case, make(qn))
        return
    ours = make(qn)
    got = eval(case, ours)
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(qn.asnumpy(got), want)
    if want.ndim:
        want[...] = 3
        got[...] = 3
        np.testing.assert_array_equal(qn.asnumpy(ours["a"]), names["a"])


# ---- pickles and copies


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles(device, protocol):
    for dtype in [*DTYPES, "bfloat16"]:
        for shape in [(), (5,), (3, 4), (0, 3)]:
            x = qn.asarray(values("float32" if dtype == "bfloat16" else dtype, shape)).astype(dtype)
            y = pickle.loads(pickle.dumps(x, protocol))
            assert type(y) is qn.Array
            assert y._dtype_name == x._dtype_name
            assert y.shape == x.shape
            assert (y == x).all()
    a = np.arange(12).reshape(3, 4)
    x = qn.asarray(a)
    for view in (x.T, x[::-1, 1:3], x[1]):
        np.testing.assert_array_equal(qn.asnumpy(pickle.loads(pickle.dumps(view, protocol))), qn.asnumpy(view))


def test_copies_are_apart(device):
    x = qn.arange(4.0) + 1
    held = {"x": x, "again": x}
    for y in (copy.copy(x), copy.deepcopy(x), copy.deepcopy(held)["x"]):
        y[0] = 9
        assert float(x[0]) == 1
    deep = copy.deepcopy(held)
    assert deep["x"] is deep["again"]


def test_bfloat16_to_and_from_numpy(device):
    import ml_dtypes

    host = np.asarray([1.5, -2, 3.25, 1e30], ml_dtypes.bfloat16)
    x = qn.asarray(host)
    assert x.dtype == qn.bfloat16 and qn.ones(2, qn.bfloat16).dtype == qn.bfloat16
    assert np.array_equal(qn.asnumpy(x + x), host + host) and np.asarray(x).dtype == ml_dtypes.bfloat16
    assert float(qn.finfo(qn.bfloat16).eps) == 2**-7 and qn.finfo(x).bits == 16 and qn.finfo("float32").bits == 32
    with pytest.raises(ValueError):
        qn.finfo(int)
