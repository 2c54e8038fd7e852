"""CuPy's array type by places: those that are not there wrap around. NumPy with mode="wrap" is the oracle."""

import numpy as np
import pytest
import quern as qn
from quern import cupy as cp

HOST = np.arange(24.0).reshape(4, 6)


def wrapped(key, shape):
    """The key with its arrays of integers as places that are there."""
    out, axis = [], 0
    for part in key if isinstance(key, tuple) else (key,):
        is_places = isinstance(part, (list, np.ndarray)) and np.asarray(part).dtype.kind in "iu"
        out.append(np.asarray(part) % shape[axis] if is_places else part)
        axis += part is not None
    return tuple(out)


KEYS = {
    "one": np.array(9),
    "list": [5, -7, 0, 3],
    "numpy": np.array([[100], [-100]]),
    "unsigned": np.array([250, 3], "u1"),
    "second": (slice(None), np.array([7, -9, 2])),
    "both": (np.array([5, -6]), np.array([[6], [-7]])),
    "scalar and list": (np.array(-5), [9, 10]),
    "around a slice": (np.array([4]), None, np.array([-13])),
    "none": np.array([], int),
}


@pytest.mark.parametrize("source", ["plain", "turned"])
@pytest.mark.parametrize("name", KEYS)
def test_places_that_are_not_there_wrap_around(device, name, source):
    host = HOST if source == "plain" else HOST.T.copy().T
    key = KEYS[name]
    ours = tuple(cp.asarray(p) if isinstance(p, np.ndarray) else p for p in (key if isinstance(key, tuple) else (key,)))
    want = host[wrapped(key, host.shape)]
    a = cp.asarray(host)
    np.testing.assert_array_equal(a[ours].get(), want)
    a[ours] = cp.arange(want.size).reshape(want.shape)
    expected = host.copy()
    expected[wrapped(key, host.shape)] = np.arange(want.size).reshape(want.shape)
    np.testing.assert_array_equal(a.get(), expected)


def test_of_places_that_meet_the_last_one_stays(device):
    a = cp.zeros(5)
    a[cp.array([1, 6, -4, 11])] = cp.array([1.0, 2.0, 3.0, 4.0])
    assert a.tolist() == [0, 4, 0, 0, 0]
    a[cp.array([7, 2])] += cp.array([1.0, 1.0])
    assert a.tolist() == [0, 4, 1, 0, 0]


def test_one_place_in_an_array_makes_a_copy(device):
    a = cp.arange(6).reshape(2, 3)
    row = a[cp.array(1)]
    row += 100
    assert a.tolist() == [[0, 1, 2], [3, 4, 5]]
    a[cp.array(3)] = cp.array([7, 8, 9])
    assert a.tolist() == [[0, 1, 2], [7, 8, 9]]


def test_the_functions_wrap_too(device):
    a = cp.arange(6).reshape(2, 3)
    assert cp.take(a, [7, -8]).tolist() == [1, 4]
    assert a.take(cp.array([4, -5]), axis=1).tolist() == [[1, 1], [4, 4]]
    assert cp.take_along_axis(a, cp.array([[5], [-4]]), 1).tolist() == [[2], [5]]
    assert cp.take_along_axis(a, cp.array([7]), None).tolist() == [1]
    b = cp.zeros(3)
    cp.put_along_axis(b, cp.array([4]), 9, 0)
    assert b.tolist() == [0, 9, 0]
    with pytest.warns(DeprecationWarning, match="cupy.add.at"):
        b.scatter_add(cp.array([4, 4, -1]), 1)
    assert b.tolist() == [0, 11, 1]
    cp.add.at(b, cp.array([3]), 5)
    assert b.tolist() == [5, 11, 1]


def test_put_has_modes(device):
    for mode, want in (("wrap", [0, 7, 8]), ("clip", [8, 0, 7])):
        a = cp.zeros(3)
        cp.put(a, [4, -4], [7, 8], mode=mode)
        assert a.tolist() == want
        a = cp.zeros(3)
        a.put([4, -4], [7, 8], mode)
        assert a.tolist() == want
    a = cp.zeros(3)
    cp.put(a, [4], 7)
    assert a.tolist() == [0, 7, 0]
    with pytest.raises(IndexError):
        cp.put(a, [4], 7, mode="raise")
    with pytest.raises(ValueError):
        cp.put(a, [4], 7, mode="around")
    with pytest.raises(TypeError):
        cp.put(np.zeros(3), [0], 7)
    cp.put(a, [-1, 0], 5, mode="raise")
    assert a.tolist() == [5, 7, 5]


def test_integers_and_masks_are_checked(device):
    a = cp.arange(6).reshape(2, 3)
    for key in (2, (0, -4), (slice(None), 3), cp.zeros(3, bool), (2, cp.array([0]))):
        with pytest.raises(IndexError):
            a[key]
    with pytest.raises(IndexError):
        cp.zeros((0, 3))[cp.array([1])]
    assert cp.zeros((0, 3))[cp.array([], int)].shape == (0, 3)
    with pytest.raises(IndexError):
        a[cp.array([0.0])]


def test_quern_keeps_numpys_error(device):
    with pytest.raises(IndexError):
        qn.arange(2)[[4]]
    with pytest.raises(IndexError):
        qn.take(qn.arange(2), [4]).get()


def test_quantiles_that_may_overwrite_their_input_sort_it(device):
    for function, q in ((cp.percentile, 50), (cp.quantile, 0.5)):
        for axis in (None, 0, 1):
            host = np.random.default_rng(1).permutation(12).astype(float).reshape(3, 4)
            a = cp.asarray(host)
            want = getattr(np, function.__name__)(host, q, axis=axis)
            np.testing.assert_array_equal(function(a, q, axis=axis).get(), want)
            np.testing.assert_array_equal(a.get(), host)
            np.testing.assert_array_equal(function(a, q, axis=axis, overwrite_input=True).get(), want)
            np.testing.assert_array_equal(a.get(), np.sort(host.reshape(-1) if axis is None else host, axis or 0).reshape(3, 4))
