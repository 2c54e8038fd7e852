"""Replay: a sequence that comes again is not scheduled again, and gives what it would have given.

The random programs (test_array_random_programs.py) run each of theirs three times, the third time as a replay.
"""

import numpy as np
import pytest
import quern as qn
from arrays import equal
from quern.lib import _engine

pytestmark = pytest.mark.usefixtures("compiled")

N = 700  # more than tier 0 takes


def replays(body, rounds=6):
    """Runs a loop's body with the number of the round; how many submissions were replayed."""
    qn.synchronize()
    before = _engine.array_replayed()
    for n in range(rounds):
        body(n)
    return _engine.array_replayed() - before


def data(seed, shape=N, dtype=np.float64):
    return (np.random.default_rng(seed).random(shape) * 8 - 2).astype(dtype)


def test_a_loop_is_replayed_with_each_rounds_numbers():
    x, y = data(1), data(2)

    def body(n):
        a, b = qn.asarray(x + n), qn.asarray(y)
        equal((a * b + n * 0.25) / (b * b + 1), ((x + n) * y + n * 0.25) / (y * y + 1))

    assert replays(body) >= 4


def test_a_long_loop_is_replayed_where_it_is_submitted():
    x, want = qn.asarray(data(1)), data(1)
    y, other = qn.asarray(data(2)), data(2)
    qn.synchronize()
    before = _engine.array_replayed()
    with qn.trace() as events:
        for n in range(5000):
            x += 0.01 * n * y
            want += 0.01 * n * other
        qn.synchronize()
    flushes = 5000 * 2 / 256
    assert _engine.array_replayed() - before > flushes / 4
    assert sum(e["kind"] == "compile" for e in events) <= 8
    equal(x, want)


def test_one_operand_twice_is_not_two_operands():
    x, y = data(1), data(2)
    a, b = qn.asarray(x), qn.asarray(y)

    def body(n):
        other, theirs = (a, x) if n % 2 else (b, y)
        equal(a * other - other, x * theirs - theirs)

    assert replays(body, 12) >= 6


def test_a_number_that_two_ops_share_is_not_two_numbers():
    x = data(1)
    a = qn.asarray(x)

    def body(n):
        s, t = qn.asarray(1.5 + n), qn.asarray(2.5 - n)
        first, second = (s, s) if n % 2 else (s, t)
        p, q = (1.5 + n, 1.5 + n) if n % 2 else (1.5 + n, 2.5 - n)
        equal(a * first + second, x * p + q)

    assert replays(body, 12) >= 6


def test_what_somebody_still_holds_is_kept():
    x = data(1)
    a = qn.asarray(x)
    kept = []

    def body(n):
        inner = a * (n + 2)
        outer = qn.sqrt(inner * inner) + 1
        if n % 3 == 0:
            kept.append((inner, x * (n + 2)))
        del inner
        equal(outer, np.sqrt((x * (n + 2)) ** 2) + 1)

    assert replays(body, 15) >= 6
    for ours, theirs in kept:
        equal(ours, theirs)


def test_memory_is_overwritten_only_where_it_is_not_read_any_more():
    x = data(1)

    def body(n):
        a, theirs = qn.asarray(x), x.copy()
        qn.synchronize()
        before = a * 1 if n % 2 else None
        view, same_view = a[10:], theirs[10:]
        old = a.copy() if n % 3 == 0 else None
        view += n
        same_view += n
        equal(a, theirs)
        equal(view, same_view)
        if before is not None:
            equal(before, x)
        if old is not None:
            equal(old, x)

    assert replays(body, 24) > 0


def test_other_shapes_are_other_sequences():
    def body(n):
        shape = [(30, 40), (1200,), (40, 30), (2, 600)][n % 4]
        x, y = data(n, shape), data(n + 1, shape[-1:])
        equal(qn.asarray(x) * qn.asarray(y) + x, x * y + x)

    assert replays(body, 16) >= 8


def test_memory_of_others_may_begin_anywhere():
    whole = data(1, 1 << 17, np.float32)

    def body(n):
        x = whole[n % 5 :][: 1 << 16]
        a = qn.from_dlpack(x) if _engine.default_device().kind == "cpu" else qn.asarray(whole)[n % 5 :][: 1 << 16]
        equal(a * 2 + 1, x * 2 + 1)

    assert replays(body, 15) >= 5


@pytest.mark.parametrize("dtype", ["float16", "int8", "complex64", "bool"])
def test_types(dtype):
    x = data(1).astype(dtype)

    def body(n):
        a = qn.asarray(x)
        equal(a + a, x + x)
        equal((a * a).max(axis=0) if dtype != "complex64" else a.any(), (x * x).max(axis=0) if dtype != "complex64" else x.any())

    assert replays(body) >= 6


def test_reductions_calls_and_tails():
    x = data(1, (40, 50))

    def body(n):
        a = qn.asarray(x) * (n + 1)
        e = qn.exp(a - a.max(axis=1, keepdims=True))
        s = e / e.sum(axis=1, keepdims=True)
        b = x * (n + 1)
        f = np.exp(b - b.max(axis=1, keepdims=True))
        np.testing.assert_allclose(qn.asnumpy(s @ s.T), (t := f / f.sum(axis=1, keepdims=True)) @ t.T, rtol=1e-12)
        equal(qn.sort(qn.asarray(b) + 1, axis=0), np.sort(b + 1, axis=0))

    assert replays(body) >= 4


def test_an_index_out_of_range_is_reported_in_every_iteration():
    a, at = qn.asarray(data(1)), np.arange(600)

    def body(n):
        i = qn.asarray(at + (200 if n % 2 else 0))
        value = a[i] * 2
        if n % 2:
            with pytest.raises(IndexError):
                qn.asnumpy(value)
        else:
            equal(value, qn.asnumpy(a)[at] * 2)

    assert replays(body, 12) > 0


def test_an_error_spoils_only_what_depends_on_it():
    device = qn.default_device() if hasattr(qn, "default_device") else _engine.default_device()
    x = data(1, 1 << 16)
    a = qn.asarray(x)

    def body(n):
        if n % 3 == 2:
            device.trim()
            device.set_pool_limit(device.pool_info()["held"] + 1024)
            try:
                value = a * 3 + n
                with pytest.raises(MemoryError):
                    qn.asnumpy(value)
            finally:
                device.set_pool_limit(0)
        else:
            value = a * 3 + n
        equal(value, x * 3 + n)  # reading again tries again

    assert replays(body, 12) > 0


def test_the_sequence_that_is_needed_stays(device):
    """Of many loops' sequences those go that were not needed for longest."""

    def submit(size):
        x = qn.asarray(np.ones(size, np.float32))
        y = x * 2 + 1
        before = _engine.array_replayed()
        _engine.array_evaluate(y)
        return _engine.array_replayed() - before

    for _ in range(3):
        submit(20_000)
    assert submit(20_000) == 1
    for n in range(700):
        submit(20_001 + n)
        submit(20_001 + n)
        if n % 100 == 99:
            assert submit(20_000) == 1, n
    assert submit(20_001 + 690) == 1
