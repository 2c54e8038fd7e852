"""Indexing by integers, slices, arrays and bools, reading and writing: the same as NumPy's."""

import math
from array import array
from collections import deque

import numpy as np
import pytest
import quern as qn
import quern.autograd
import quern.cupy
from quern.lib import _engine


def random_key(rng, shape):
    """A key of random parts for an array of ``shape``, as NumPy takes it; now and then one that does not fit."""
    key, axis, arrays = [], 0, [(3,), (2, 3), (1, 3), (2, 1)]
    with_bools = rng.random() < 0.4
    while axis < len(shape) and rng.random() < 0.9:
        n, what = shape[axis], rng.integers(8)
        if what == 0:
            key.append(slice(None))
        elif what == 1:
            first, last = sorted(rng.integers(-n - 1, n + 2, 2))
            key.append(slice(int(first), int(last), int(rng.choice([1, 2]))))
        elif what == 2:
            key.append(int(rng.integers(-n, n)))
        elif what == 3:
            key.append(None)
            continue
        elif what == 4:
            key.append(Ellipsis)
            break
        elif what in (5, 6):
            size = (1,) if with_bools else arrays[rng.integers(4)]
            key.append(rng.integers(-n, n, size).astype(rng.choice(["i8", "i4"])))
        else:
            key.append(rng.random(n) < 0.5 if with_bools else slice(None, None, -1))
        axis += 1
    return tuple(key) if len(key) != 1 or rng.random() < 0.5 else key[0]


def outcome(work, *args):
    try:
        return np.asarray(work(*args)), None
    except Exception as e:  # noqa: BLE001 - whatever it is, both must raise it
        return None, ValueError if "only 0-dimensional" in str(e) else type(e)


def given(rng, part):
    """An index array as an array of ours, of NumPy's, or a list."""
    return [qn.asarray(part), part, part.tolist()][rng.integers(3)] if isinstance(part, np.ndarray) else part


def read(array, key):
    return qn.asnumpy(array[key])


@pytest.mark.parametrize("limit", [_engine.tier0_limit, 0])
def test_random_keys(device, limit):
    rng = np.random.default_rng(7 + limit)
    _engine.set_tier0_limit(limit)
    rounds = 1500 if limit else 150
    try:
        for _ in range(rounds):
            shape = tuple(int(n) for n in rng.integers(1, 5, rng.integers(1, 4)))
            host = rng.integers(0, 100, shape).astype(rng.choice(["f4", "i8", "c16", "i1", "f2"]))
            ours = qn.asarray(host)
            if rng.random() < 0.4:
                host, ours = host.T, ours.T
            key = random_key(rng, host.shape)

            our_key = tuple(given(rng, part) for part in key) if isinstance(key, tuple) else given(rng, key)
            want, error = outcome(host.__getitem__, key)
            got, our_error = outcome(read, ours, our_key)
            assert error == our_error, (shape, key)
            if error:
                continue
            assert got.dtype == want.dtype and got.shape == want.shape and np.array_equal(got, want), (shape, key)
            value = rng.integers(0, 100, want.shape if rng.random() < 0.6 else ()).astype(host.dtype)
            if rng.random() < 0.3 and value.size:
                value = value.ravel()[:1]
            host, ours = host.copy(), ours.copy()
            _, error = outcome(host.__setitem__, key, value)
            _, our_error = outcome(ours.__setitem__, our_key, qn.asarray(value) if rng.random() < 0.5 else value)
            assert error == our_error, (shape, key, value.shape)
            assert np.array_equal(qn.asnumpy(ours), host), (shape, key, value)
    finally:
        _engine.set_tier0_limit(_engine.tier0_limit)


def test_large(device):
    rng = np.random.default_rng(1)
    host = rng.random((300, 400)).astype(np.float32)
    rows, cols = rng.integers(-300, 300, 5000), rng.integers(0, 400, 5000)
    x = qn.asarray(host)
    assert np.array_equal(qn.asnumpy(x[rows]), host[rows])
    assert np.array_equal(qn.asnumpy(x[:, cols]), host[:, cols])
    assert np.array_equal(qn.asnumpy(x[rows, cols]), host[rows, cols])
    assert np.array_equal(qn.asnumpy(x[x > 0.5]), host[host > 0.5])
    assert np.array_equal(qn.asnumpy(x.T[x.T > 0.5]), host.T[host.T > 0.5])
    values = rng.random(5000).astype(np.float32)
    x[rows, cols] = values  # many meet: the last one stays
    host[rows, cols] = values
    x[x < 0.1] = -1
    host[host < 0.1] = -1
    x[x > 0.9] = x[x > 0.9] * 2
    host[host > 0.9] = host[host > 0.9] * 2
    assert np.array_equal(qn.asnumpy(x), host)
    x[rows] += 1
    host[rows] += 1
    assert np.array_equal(qn.asnumpy(x), host)


def test_an_array_that_indexes_and_is_written(device):
    host = np.arange(10)[::-1].copy()
    x = qn.asarray(host)
    x[x] = x
    host[host.copy()] = host.copy()
    assert np.array_equal(qn.asnumpy(x), host)
    x[x[:3]] = x[3:6] * 2
    host[host[:3].copy()] = host[3:6] * 2
    assert np.array_equal(qn.asnumpy(x), host)


def test_what_was_read_before_a_write_stays(device):
    x = qn.asarray(np.arange(5000.0))
    before = x[[1, 2, 3]]
    doubled = x * 2
    x[[1, 2, 3]] = 0
    assert np.array_equal(qn.asnumpy(before), [1, 2, 3])
    assert np.array_equal(qn.asnumpy(doubled), np.arange(5000.0) * 2)
    assert np.array_equal(qn.asnumpy(x[:5]), [0, 0, 0, 0, 4])


def test_an_index_out_of_range(device):
    x = qn.asarray(np.arange(5.0))
    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 0 with size 5"):
        x[[0, 5]]
    with pytest.raises(IndexError, match="index -6 is out of bounds"):
        x[np.array([-6])] = 1
    picked = x[qn.asarray([0, 7])]  # known on the device alone: raised at evaluation
    with pytest.raises(IndexError, match=r"index 7 is out of bounds for axis 0 with size 5 \(recorded at .*test_array_index.py:\d+\)"):
        qn.asnumpy(picked)
    x[qn.asarray([9])] = 3
    with pytest.raises(IndexError, match="index 9"):
        qn.asnumpy(x)
    assert np.array_equal(qn.asnumpy(x[1:]), [1, 2, 3, 4])


@pytest.mark.parametrize("key", ["a", 1.5, [1.5], np.array([1.0]), (0, 0), [[0, 1], [2]], deque([1.5]), range(4, 7), b"a", ([0, 1], [0, 1, 2]), np.ones(4, bool)])
def test_bad_keys(device, key):
    host = np.arange(5.0)
    x = qn.asarray(host)
    with pytest.raises(Exception) as theirs:  # noqa: PT011 - the type is what is compared
        host[key]
    with pytest.raises(theirs.type):
        x[key]


class Pair:
    """What has numbers, as a sequence of the user's own has them."""

    def __len__(self):
        return 2

    def __getitem__(self, i):
        return [2, 0][i]


@pytest.mark.parametrize("part", [range(3), range(0), range(3, 0, -2), deque([1, 1]), array("i", [0, 3]), Pair()], ids=lambda x: type(x).__name__)
def test_sequences_as_indices(device, part):
    host = np.arange(20.0).reshape(4, 5)
    for key in (part, (part,), (slice(None), part), (part, part), (1, part), (..., part), (part, None)):
        x, expected = qn.asarray(host), host.copy()
        assert np.array_equal(qn.asnumpy(x[key]), expected[key])
        x[key] -= 1
        expected[key] -= 1
        assert np.array_equal(qn.asnumpy(x), expected)
    assert np.array_equal(qn.asnumpy(qn.asarray(host)[range(4), [1, 2, 3, 4]]), host[range(4), [1, 2, 3, 4]])


def test_true_positions(device):
    for n in (0, 1, 31, 4095, 4096, 4097, 100_000):
        host = np.random.default_rng(n).random(n) < 0.3
        assert np.array_equal(qn.asnumpy(_engine.array_true_positions(qn.asarray(host))), np.flatnonzero(host))


@pytest.mark.parametrize("shape", [(1, 3, 1, 2, 4), (1, 1, 3, 1, 2, 4), (1, 1, 1, 1, 1, 4), (1, 3, 1, 1, 4)])
def test_axes_of_one_element_before_a_value(device, shape):
    x, mask = np.zeros((3, 4, 4)), np.array([True, False, True, False])
    y = qn.asarray(x, device=device)
    value = np.arange(1.0, math.prod(shape) + 1).reshape(shape)
    x[:, None, mask] = value
    y[:, None, mask] = qn.asarray(value, device=device)
    assert np.array_equal(x, y.get())


NUMBERS = [np.array(1), np.array(0, "int8"), np.array(-1), np.array(1, "uint16"), np.array(True), np.int64(1), np.True_, 1, True]
PARTS = [slice(None), slice(1, None), Ellipsis, None, 0, np.array(0), np.array([1, 0])]


@pytest.mark.parametrize("of_quern", [False, True])
@pytest.mark.parametrize("m", ["quern", "cupy"])
def test_a_number_that_is_an_array_copies(device, m, of_quern):
    """As in NumPy: ``a[np.array(0)]`` is a copy, ``a[np.int64(0)]`` a view."""
    m = {"quern": qn, "cupy": quern.cupy}[m]
    for turned in (False, True):
        for number in NUMBERS:
            keys = [number, (number,), *((number, part) for part in PARTS), *((part, number) for part in PARTS)]
            for key in keys:
                x = np.arange(12.0).reshape(2, 3, 2)
                y = m.asarray(x)
                x, y = (x.T, y.T) if turned else (x, y)
                before, ours = x[key], y[_of(m, key) if of_quern else key]
                x[...] = -1
                y[...] = -1
                assert np.array_equal(qn.asnumpy(ours), before), (key, turned)
                if before.size > 1 and before.base is not None and before.ndim == ours.ndim:
                    assert ours.flags.c_contiguous == before.flags.c_contiguous, (key, turned)


def _of(m, key):
    if isinstance(key, tuple):
        return tuple(_of(m, one) for one in key)
    return m.asarray(key) if isinstance(key, np.ndarray) else key


def test_writes_at_a_number_that_is_an_array(device):
    for key in (np.array(1), (slice(None), np.array(1)), (np.array(0), np.array([1, 2]))):
        x = np.zeros((2, 3))
        y = qn.asarray(x, device=device)
        x[key] += 2
        y[key] += 2
        x[key] *= 3
        y[key] *= 3
        assert np.array_equal(y.get(), x)


def test_a_copy_passes_its_gradient(device):
    x = qn.autograd.requires_grad(qn.ones((2, 3), device=device))
    part = x[np.array(1)]
    (part * part * 3).sum().backward() if hasattr(part, "backward") else qn.autograd.backward((part * part * 3).sum())
    assert qn.autograd.grad_of(x).get().tolist() == [[0, 0, 0], [6, 6, 6]]
