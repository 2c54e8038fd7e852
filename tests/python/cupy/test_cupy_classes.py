"""Classes made of cupy.ndarray, and objects of other classes that hold an array. NumPy's subclasses are the oracle."""

import numpy as np
import pytest
from quern import cupy as cp


def told(base):
    """A class with an attribute that goes from array to array."""

    class Told(base):
        def __new__(cls, *args, info=None, **kwargs):
            out = super().__new__(cls, *args, **kwargs)
            out.info = info
            return out

        def __array_finalize__(self, obj):
            if obj is not None:
                self.info = getattr(obj, "info", None)

    return Told


OURS, THEIRS = told(cp.ndarray), told(np.ndarray)


def pair(info="x"):
    """The same array of the class, of CuPy and of NumPy."""
    out = []
    for xp, kind in ((cp, OURS), (np, THEIRS)):
        a = xp.arange(6.0).reshape(2, 3).view(kind)
        a.info = info
        out.append(a)
    return out


WORKS = {
    "slice": lambda xp, a: a[1:],
    "row": lambda xp, a: a[0],
    "picked": lambda xp, a: a[xp.array([1, 0])],
    "mask": lambda xp, a: a[a > 2],
    "reshape": lambda xp, a: a.reshape(-1),
    "transposed": lambda xp, a: a.T,
    "swapped": lambda xp, a: a.swapaxes(0, 1),
    "ravel": lambda xp, a: a.ravel(),
    "copy": lambda xp, a: a.copy(),
    "astype": lambda xp, a: a.astype("f4"),
    "view of bytes": lambda xp, a: a.view("i8"),
    "negative": lambda xp, a: -a,
    "sine": lambda xp, a: xp.sin(a),
    "sum with a number": lambda xp, a: a + 1,
    "number and array": lambda xp, a: 2 * a,
    "sum with a plain array": lambda xp, a: xp.ones(3) + a,
    "ufunc of a plain array": lambda xp, a: xp.add(xp.ones(3), a),
    "comparison": lambda xp, a: a < 2,
    "power": lambda xp, a: a**2,
    "total": lambda xp, a: a.sum(axis=0),
    "cumulative": lambda xp, a: a.cumsum(axis=1),
    "product": lambda xp, a: a @ a.T,
    "asanyarray": lambda xp, a: xp.asanyarray(a),
    "array with subok": lambda xp, a: xp.array(a, subok=True),
    "real": lambda xp, a: a.real,
}


@pytest.mark.parametrize("name", WORKS)
def test_results_are_of_the_class_and_receive_their_source(device, name):
    ours, theirs = pair()
    ours, theirs = WORKS[name](cp, ours), WORKS[name](np, theirs)
    assert type(theirs) is THEIRS and theirs.info == "x"
    assert type(ours) is OURS and ours.info == "x"
    np.testing.assert_allclose(ours.get(), np.asarray(theirs))


@pytest.mark.parametrize("work", [lambda xp, a: xp.array(a), lambda xp, a: xp.asarray(a), lambda xp, a: xp.zeros_like(xp.asarray(a))])
def test_plain_arrays_are_made_of_them(device, work):
    ours, theirs = pair()
    assert type(work(np, theirs)) is np.ndarray
    assert type(work(cp, ours)) is cp.ndarray


def test_views_take_a_class(device):
    for xp, kind in ((np, THEIRS), (cp, OURS)):
        plain = xp.arange(5, dtype="i4")
        for made in (plain.view(kind), plain.view(type=kind), plain.view(dtype=kind), plain.view("i4", kind)):
            assert type(made) is kind and made.dtype == "i4" and made.info is None
        made = plain.view("f4", kind)
        assert type(made) is kind and made.dtype == "f4"
        made.info = 3
        assert type(made.view(xp.ndarray)) is xp.ndarray
        again = made.view()
        assert type(again) is kind and again.info == 3
        made[0] = 1
        assert int(plain.view("f4")[0]) == 1
        for wrong in (lambda: plain.view("f4", dtype="f4"), lambda: plain.view("f4", kind, type=kind)):  # noqa: B023
            with pytest.raises(TypeError):
                wrong()
    with pytest.raises(ValueError):
        cp.arange(5).view(type=np.ndarray)


def test_new_objects_receive_no_source(device):
    heard = []

    class Heard(cp.ndarray):
        def __array_finalize__(self, obj):
            heard.append(obj)

    made = Heard((2, 3), "f4")
    assert type(made) is Heard and made.shape == (2, 3) and made.dtype == "f4"
    assert heard == [None]
    part = made[1]
    assert heard[-1] is made and type(part) is Heard
    assert OURS(3, info=7).info == 7


def test_the_higher_priority_leads(device):
    class High(cp.ndarray):
        __array_priority__ = 5000

    class Low(cp.ndarray):
        __array_priority__ = 100

    high, low, plain = cp.ones(3).view(High), cp.ones(3).view(Low), cp.ones(3)
    for a, b, want in ((high, low, High), (low, high, High), (plain, low, Low), (low, plain, Low), (plain, plain, cp.ndarray)):
        assert type(a + b) is type(cp.add(a, b)) is want


def test_errors_of_the_class_are_raised(device):
    class Wrong(cp.ndarray):
        def __array_finalize__(self, obj):
            if obj is not None:
                raise RuntimeError("not today")

    a = Wrong(3)
    for work in (lambda: a + 1, lambda: a[1:], lambda: cp.sin(a), lambda: a.reshape(3, 1)):
        with pytest.raises(RuntimeError, match="not today"):
            work()
    plain = cp.ones(3)
    with pytest.raises(RuntimeError, match="not today"):
        plain.view(Wrong)


# ---- objects that hold an array


class Holder:
    def __init__(self, array):
        self.held = array

    def __cupy_get_ndarray__(self):
        return self.held


class Described:
    """An object that describes memory of a GPU, or only holds an array where there is none."""

    def __new__(cls, array):
        if array._device_number < 0:
            return Holder(array)
        self = super().__new__(cls)
        self.held = array
        self.__cuda_array_interface__ = array.__cuda_array_interface__
        return self


@pytest.fixture(params=[Holder, Described])
def holder(request):
    return request.param


def same(ours, theirs):
    assert type(ours) is cp.ndarray
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours.get(), theirs)


def test_held_arrays_are_made_arrays_of(device, holder):
    h, f, host = holder(cp.arange(3)), holder(cp.array(1.5)), np.arange(3)
    same(cp.array(h), host)
    same(cp.array([h, h]), np.array([host, host]))
    same(cp.array([[h, h], [cp.arange(3), [1, 2, 3]]]), np.array([[host, host], [host, [1, 2, 3]]]))
    same(cp.array([f, 2.5, f]), np.array([1.5, 2.5, 1.5]))
    same(cp.array((f, f), dtype="f4"), np.array([1.5, 1.5], "f4"))
    same(cp.asarray(h, dtype="f4"), host.astype("f4"))
    assert type(cp.asnumpy(h)) is np.ndarray
    np.testing.assert_array_equal(cp.asnumpy(h), host)
    assert cp.min_scalar_type(h) == np.int64
    copy = cp.array(h)
    copy[0] = 9
    assert int(h.held[0]) == 0
    if holder is Holder:
        assert cp.asarray(h) is h.held and cp.asanyarray(h) is h.held


def test_held_arrays_are_operands(device, holder):
    h, a, host = holder(cp.arange(3)), cp.arange(3) * 2, np.arange(3)
    for ours, theirs in (
        (a + h, host * 3),
        (h + a, host * 3),
        (a - h, host),
        (a @ h, 2 * host @ host),
        (cp.add(a, h), host * 3),
        (cp.add(h, h), host * 2),
        (cp.sin(h), np.sin(host)),
        (a == h, 2 * host == host),
        (a < h, 2 * host < host),
        (cp.where(h, h, 1), np.where(host, host, 1)),
        (cp.sum(h), host.sum()),
        (cp.concatenate([h, a]), np.concatenate([host, host * 2])),
        (cp.take(a, h), 2 * host),
    ):
        same(ours, np.asarray(theirs))
    a += h
    same(a, host * 3)
    same(cp.ElementwiseKernel("T x", "T y", "y = x + 1", "one_more")(h), host + 1)


def test_held_arrays_are_indices_and_values(device, holder):
    h, a, host = holder(cp.arange(3)), cp.arange(9).reshape(3, 3), np.arange(9).reshape(3, 3)
    same(a[h], host)
    same(a[h, 1], host[:, 1])
    same(a[holder(cp.array(1))], host[1])
    same(a[holder(cp.array([True, False, True]))], host[[0, 2]])
    a[1] = h
    a[h, 0] = h
    a[holder(cp.array(2))] = 5
    same(a, np.array([[0, 1, 2], [1, 1, 2], [5, 5, 5]]))
    b = cp.zeros(3)
    cp.put(b, h, h)
    same(b, np.arange(3.0))


def test_other_objects_are_refused(device):
    a = cp.arange(3)
    for work in (lambda: cp.array(object()), lambda: cp.array([object()]), lambda: cp.add(a, object()), lambda: cp.sin("x"), lambda: a + object()):
        with pytest.raises(TypeError, match="[Uu]nsupported"):
            work()
    for key in (object(), "x", 1.5, cp.array([1.0])):
        with pytest.raises(IndexError):
            a[key]
