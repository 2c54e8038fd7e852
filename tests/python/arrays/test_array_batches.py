"""Small independent updates go out as one launch; what depends on another does not."""

import collections

import numpy as np
import pytest
import quern as qn
from quern.lib import _engine

pytestmark = pytest.mark.usefixtures("compiled", "fused")


def launches(body):
    qn.synchronize()
    with qn.trace() as events:
        body()
        qn.synchronize()
    return collections.Counter(e["kind"] for e in events)["launch"]


def both(shapes, dtype=np.float64, seed=1):
    rng = np.random.default_rng(seed)
    theirs = [(rng.random(shape) * 8 - 2).astype(dtype) for shape in shapes]
    return theirs, [qn.asarray(a) for a in theirs]


def same(ours, theirs):
    for a, b in zip(ours, theirs, strict=True):
        got = qn.asnumpy(a)
        assert got.dtype == b.dtype and got.shape == b.shape
        np.testing.assert_array_equal(got, b)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int32", "complex64"])
def test_updates_of_many_shapes_are_one_launch(dtype):
    shapes = [(3 + i, 7) for i in range(30)] + [(1000 + i,) for i in range(3)]
    p, ours = both(shapes, dtype)
    g, gradients = both(shapes, dtype, 2)

    def step():
        for a, b in zip(ours, gradients, strict=True):
            a -= 2 * b

    for _ in range(4):  # scheduled twice, then replayed
        assert launches(step) == 1
        for a, b in zip(p, g, strict=True):
            a -= 2 * b
    same(ours, p)


def adam(m, t, parameters, gradients, first, second):
    for a, b, c, d in zip(parameters, gradients, first, second, strict=True):
        c *= 0.9
        c += 0.1 * b
        d *= 0.99
        d += 0.01 * b * b
        a -= 0.05 * (c / (1 - 0.9**t)) / (m.sqrt(d / (1 - 0.99**t)) + 1e-8)


def test_an_optimizer_with_moments():
    shapes = [(40, 30), (30,), (30, 20), (20,), (20, 10), (10,)]
    p, ours = both(shapes)
    g, gradients = both(shapes, seed=2)
    theirs, moments = ([[a * 0 for a in arrays] for _ in "mv"] for arrays in (p, ours))
    for t in range(1, 8):
        assert launches(lambda t=t: adam(qn, t, ours, gradients, *moments)) == 1
        adam(np, t, p, g, *theirs)
    same(ours, p)


def test_more_than_fit_one_launch():
    shapes = [(5 + i,) for i in range(200)]
    p, ours = both(shapes)

    def step():
        for a in ours:
            a *= 3

    assert launches(step) <= 5
    same(ours, [a * 3 for a in p])


def test_new_values_too():
    p, ours = both([(6 + i, 11) for i in range(10)])
    made = []
    assert launches(lambda: made.extend(qn.sqrt(a * a + 1) for a in ours)) == 1
    same(made, [np.sqrt(a * a + 1) for a in p])


def test_large_and_small_in_turns():
    shapes = [(400, 300), (300,), (300, 400), (400,), (400, 301), (301,)]
    p, ours = both(shapes, np.float32)

    def step():
        for a in ours:
            a *= np.float32(0.5)

    assert launches(step) <= 2
    same(ours, [a * np.float32(0.5) for a in p])


def test_a_result_that_the_next_one_needs_is_there():
    x, y = np.arange(700.0), np.arange(800.0)

    def run(m):
        a, b = m.asarray(x), m.asarray(y)
        c = a * 2 + 1
        d = m.ones(800) * 2 + 1
        d[:700] += c
        e = m.asarray(y) * 2 + 1
        e[1:701] -= d[:700]
        return [c, d, e, b]

    for _ in range(4):
        same(run(qn), run(np))


def test_what_is_read_is_not_overwritten_before():
    x, z = np.arange(700.0), np.arange(900.0)

    def run(m):
        a, other = m.asarray(x).copy(), m.asarray(z).copy()
        b = a[:600] * 2.5  # reads a
        other *= 2.5
        a *= 2.5  # and now it changes
        c = a[:600] * 2.5
        return [a, b, c, other]

    for _ in range(4):
        same(run(qn), run(np))


def test_rows_of_one_array():
    x = np.arange(40 * 600.0).reshape(40, 600)

    def run(m):
        a = m.asarray(x).copy()
        for i in range(40):
            a[i] *= i
        for i in range(0, 40, 2):
            a[i + 1] += a[i]
        return [a]

    for _ in range(4):
        same(run(qn), run(np))


def test_strided_views_and_numbers():
    p, ours = both([(30 + i, 40) for i in range(8)])
    scale = [1.5, -2.0]

    def run(arrays, m):
        s = m.asarray(np.array(scale))
        return [a[:, ::3].copy() * s[0] + s[1] for a in arrays]

    for _ in range(4):
        same(run(ours, qn), run(p, np))


@pytest.mark.skipif(_engine.default_device().kind != "cpu", reason="memory of NumPy's is seen on the CPU")
def test_memory_that_others_see_is_right_at_once():
    theirs = [np.arange(600.0 + i) for i in range(5)]
    want = [a * 2 for a in theirs]
    for a in theirs:
        view = qn.from_dlpack(a)
        view *= 2
    for a, b in zip(theirs, want, strict=True):
        np.testing.assert_array_equal(a, b)


def test_one_failing_array_spoils_only_its_own():
    x = np.arange(700.0)
    a, b = qn.asarray(x), qn.asarray(np.arange(800.0))
    bad = a[qn.asarray(np.array([1, 2, 900]))]
    c, d = bad * 2, b * 2
    np.testing.assert_array_equal(qn.asnumpy(d), np.arange(800.0) * 2)
    with pytest.raises(IndexError):
        qn.asnumpy(c)
