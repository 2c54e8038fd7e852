"""``array.flat`` and lib.stride_tricks: indices, assignment, views and errors as NumPy's."""

import numpy as np
import pytest
import quern as qn
from quern import cupy as cp

SOURCES = {
    "in order": lambda m: m.arange(24).reshape(2, 3, 4),
    "turned": lambda m: m.arange(24).reshape(2, 3, 4).T,
    "backwards": lambda m: m.arange(24).reshape(4, 6)[::-1, ::2],
    "one": lambda m: m.asarray(5),
    "none": lambda m: m.zeros((0, 3), dtype=int),
}
KEYS = [
    3, -1, slice(None), slice(1, 9, 2), slice(None, None, -3), ..., [0, 2, 1], np.array([[1, 2], [0, 0]]), (2,),
    np.arange(12) % 3 == 0, 99, -99, 1.5, True, None,
]  # fmt: skip


def outcome(function, m):
    try:
        found = function(m)
    except Exception as error:
        return type(error)
    found = qn.asnumpy(found) if isinstance(found, qn.ndarray) else np.asarray(found)
    return found.dtype, found.shape, found.tolist()


@pytest.mark.parametrize("key", KEYS, ids=str)
@pytest.mark.parametrize("source", SOURCES)
def test_elements(device, quiet, source, key):
    if isinstance(key, (bool, float)):
        with pytest.raises(IndexError):  # NumPy takes True for a mask of one element, and cuts numbers
            SOURCES[source](qn).flat[key]
        return
    assert outcome(lambda m: SOURCES[source](m).flat[key], qn) == outcome(lambda m: SOURCES[source](m).flat[key], np)


@pytest.mark.parametrize("value", [7, [1, 2], np.arange(40), []], ids=str)
@pytest.mark.parametrize("key", [k for k in KEYS if not isinstance(k, (bool, float))], ids=str)
@pytest.mark.parametrize("source", ["in order", "turned", "backwards"])
def test_what_is_assigned_is_repeated_or_cut(device, quiet, source, key, value):
    def set_of(m):
        a = SOURCES[source](m)
        a.flat[key] = value if isinstance(value, int) else m.asarray(value)
        return a

    assert outcome(set_of, qn) == outcome(set_of, np)


def test_as_a_whole_and_one_after_the_other(device):
    a = qn.arange(6).reshape(2, 3).T
    assert [int(x) for x in a.flat] == [0, 3, 1, 4, 2, 5]
    assert len(a.flat) == 6 and a.flat.base is a
    a.flat = [1, 2]
    assert a.tolist() == [[1, 2], [1, 2], [1, 2]]
    assert (a.flat == 1).sum() == 3
    steps = a.flat
    next(steps), next(steps)
    assert (steps.index, steps.coords) == (2, (1, 0))
    assert np.asarray(steps).tolist() == [1, 2, 1, 2, 1, 2]
    assert a.flat.copy().shape == (6,)


WINDOWS = [
    ((8,), 3, None), ((8,), (3,), 0), ((4, 5), (2, 3), None), ((4, 5), 2, 1), ((4, 5), (2, 2), (1, 0)), ((4, 5), (2, 2), (1, 1)),
    ((4, 5), 2, -1), ((4, 5), 2, None), ((4,), 5, None), ((4,), -1, None), ((4, 5), (2, 2), 0), ((4, 5), 2, 2), ((4,), 4, None), ((4,), 0, None),
]  # fmt: skip


@pytest.mark.parametrize("shape, window, axis", WINDOWS)
@pytest.mark.parametrize("turned", [False, True])
def test_windows(device, shape, window, axis, turned):
    def made(m):
        a = m.arange(int(np.prod(shape))).reshape(shape)
        a = a[::-1].T if turned else a
        view = m.lib.stride_tricks.sliding_window_view(a, window, axis)
        return view, view.strides, a

    try:
        expected, strides, _ = made(np)
    except Exception as error:
        with pytest.raises(type(error)):
            made(qn)
        return
    view, ours, a = made(qn)
    assert (view.get().tolist(), view.shape, ours) == (expected.tolist(), expected.shape, strides)
    if view.size:
        a[...] = -1  # it is a view
        assert (view == -1).all()


def test_views_that_cannot_be_written(device):
    a = qn.arange(4.0)
    for view in (qn.lib.stride_tricks.sliding_window_view(a, 2), qn.lib.stride_tricks.as_strided(a, (2,), (8,), writeable=False)):
        assert not view.flags.writeable and not view[:1].flags.writeable and view.copy().flags.writeable
        with pytest.raises(ValueError, match="assignment destination is read-only"):
            view[0] = 9
    assert a.tolist() == [0, 1, 2, 3]
    qn.lib.stride_tricks.sliding_window_view(a, 2, writeable=True)[0] = 9
    assert a.tolist() == [9, 9, 2, 3]
    a.flags.writeable = False
    assert not qn.lib.stride_tricks.sliding_window_view(a, 2, writeable=True).flags.writeable
    window = cp.lib.stride_tricks.sliding_window_view(cp.arange(3), 2)
    window[0] = 9
    assert window.tolist() == [[9, 9], [9, 2]]


def test_views_by_strides(device):
    a = qn.arange(10, dtype="int32")
    view = qn.lib.stride_tricks.as_strided(a[2:], (3, 3), (8, 4))
    assert view.tolist() == np.lib.stride_tricks.as_strided(np.arange(10, dtype="int32")[2:], (3, 3), (8, 4)).tolist()
    with pytest.raises(ValueError, match="the view reaches from byte 8 to 44 of memory of 40 bytes"):
        qn.lib.stride_tricks.as_strided(a[2:], (9,), (4,))
    window = cp.lib.stride_tricks.sliding_window_view(cp.arange(4), 2)
    assert type(window) is cp.ndarray and window.tolist() == [[0, 1], [1, 2], [2, 3]]
