"""Loops whose values are not read: each iteration is cut alike, so that nothing is compiled after the start."""

import os
import time

import numpy as np
import pytest
import quern as qn
from programs import code
from quern.lib import _engine

pytestmark = pytest.mark.usefixtures("fused")

LONG = int(os.environ.get("QUERN_LONG_LOOPS", "0"))  # 1: 10,000 rounds of every body


def resident():
    """MiB of this process in memory."""
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def body_of(ops):
    """A function of that many operations, each on a line of its own."""
    lines = [f"    x = x * {1 + 1e-6 * n} + y" if n % 3 == 1 else "    x = x - y" for n in range(ops)]
    count = sum(2 if "+ y" in line else 1 for line in lines)
    names = {}
    exec(compile("def body(x, y):\n" + "\n".join(lines) + "\n    return x\n", f"body{ops}.py", "exec"), names)
    return names["body"], count


@pytest.mark.parametrize("ops, rounds", [(1, 10_000), (7, 10_000), (75, 10_000), (300, 2_500)])
def test_loops_compile_at_their_start_only(device, ops, rounds):
    rounds = 10_000 if LONG else rounds
    body, count = body_of(ops)
    x, y = qn.asarray(np.ones(3000, np.float32)), qn.asarray(np.full(3000, 0.5, np.float32))
    qn.asnumpy(x + y)
    flushes = []  # when the pending work had just gone out
    with qn.trace() as events:
        pending = 0
        for _ in range(rounds):
            x = body(x, y)
            now = _engine.array_pending()
            assert now < 1100
            if now < pending + count:
                flushes.append(time.monotonic_ns())
            pending = now
    assert len(flushes) > 5
    compiles = [e["start_ns"] for e in events if e["kind"] == "compile"]
    assert all(t < flushes[2] for t in compiles)
    launches = np.array([e["start_ns"] for e in events if e["kind"] == "launch"])
    each = np.histogram(launches, flushes[2:])[0]
    assert each.min() > 0 and each.max() <= 2 * each.min()  # whole rounds each time
    assert not [e for e in events if e["kind"] in ("wait", "host_to_device", "device_to_host")]
    want, y = np.ones(3000, np.float32), np.full(3000, 0.5, np.float32)
    for _ in range(rounds if ops < 100 else 0):
        want = body(want, y)
    if ops < 100:
        np.testing.assert_array_equal(qn.asnumpy(x), want)


@pytest.mark.parametrize("size", [1, 1500])
def test_a_chain_of_a_million_ops(device, size):
    x = qn.asarray(np.zeros(size))
    qn.asnumpy(x + 1)
    before = resident()
    for n in range(1_000_000):
        x = x + 1
        if n % 10_000 == 0:
            assert _engine.array_pending() < 1100
    assert _engine.array_pending() < 1100
    assert resident() - before < 64
    assert np.array_equal(qn.asnumpy(x), np.full(size, 1e6))


def test_work_that_nobody_wants_takes_no_memory(device):
    x = qn.asarray(np.ones(2000))
    kept = x + 1
    qn.synchronize()
    y = x * 3
    before = resident()
    for _ in range(3_000_000):
        x * 2  # noqa: B018
    assert resident() - before < 8
    assert _engine.array_pending() == 1
    assert qn.asnumpy(y)[0] == 3 and qn.asnumpy(kept)[0] == 2


@pytest.mark.parametrize("size", [1, 1024])
@pytest.mark.parametrize("end", ["del x", "assert (qn.asnumpy(x) == 1e6).all()", "pass"])
def test_a_graph_of_a_million_nodes(device, size, end):
    """Released, computed, and still there when the process ends: by no recursion, which the stack would not hold."""
    done = code(
        f"""
import numpy as np
import quern as qn
from quern.device import set_current_device
from quern.lib import _engine

set_current_device(qn.device({device.name!r}))
_engine.set_tier0_limit(0)
keep = _engine.KeepPending()
x = qn.asarray(np.zeros({size}))
for _ in range(1_000_000):
    x = x + 1
assert _engine.array_pending() == 1_000_000
{end}
"""
    )
    assert done.returncode == 0 and done.stderr == "", done.stderr


def test_long_chains_of_numbers(device):
    """Numbers that depend on numbers are not computed in one group without end."""
    _engine.set_tier0_limit(0)
    try:
        x, field = qn.asarray(1.0), qn.asarray(np.ones(1000))
        for _ in range(300):
            x = x * 1.5 - x * 0.5
        y = field * x + x
        x += 1
        z = field * x
        assert np.array_equal(qn.asnumpy(y), np.full(1000, 2.0)) and np.array_equal(qn.asnumpy(z), np.full(1000, 2.0))
    finally:
        _engine.set_tier0_limit(_engine.tier0_limit)


def test_numbers_in_groups(device):
    """A number that a larger group needs, that is kept, that is written to, that comes from memory about to change."""
    _engine.set_tier0_limit(0)
    try:
        rng = np.random.default_rng(0)
        for seed in range(40):
            host = rng.random((3, 700)).astype(np.float32)
            x = qn.asarray(host)
            a, total = host.copy(), host.sum(dtype=np.float32)
            mean = x.sum() / x.size
            scale = mean * 2 + x[0, 0]
            want_mean = np.float32(qn.asnumpy(x.sum())) / np.float32(host.size)
            want_scale = want_mean * np.float32(2) + host[0, 0]
            y = x * scale + mean
            want = a * want_scale + want_mean
            if seed % 2:
                x[0, 0] = 5
                a[0, 0] = 5
            else:
                x += scale
                a += want_scale
            kept = scale - 1
            if seed % 3 == 0:
                scale += 1
                assert float(scale) == want_scale + np.float32(1)
            z = (y * kept).sum(0)
            np.testing.assert_array_equal(qn.asnumpy(y), want)
            np.testing.assert_array_equal(qn.asnumpy(x), a)
            assert float(kept) == want_scale - np.float32(1)
            np.testing.assert_allclose(qn.asnumpy(z), (want * (want_scale - np.float32(1))).sum(0), rtol=1e-5)
            assert abs(float(mean) - total / host.size) < 1e-5
    finally:
        _engine.set_tier0_limit(_engine.tier0_limit)


@pytest.fixture
def little_memory():
    """A hundredth of what counts as much otherwise."""
    _engine.set_pressure_bytes(10 << 20)
    yield
    _engine.set_pressure_bytes(1 << 30)


def test_memory_that_pending_work_keeps_is_submitted(device, little_memory):
    host = np.ones(100_000)
    total = qn.asarray(np.zeros(100_000))
    qn.synchronize()
    before, most = device.pool_info()["held"], 0
    for n in range(100):
        total = total + qn.asarray(host * n) * 2
        most = max(most, device.pool_info()["held"] - before)
    assert most < 40 << 20  # 80 MB without
    np.testing.assert_array_equal(qn.asnumpy(total), np.full(100_000, 9900.0))


def test_rounds_of_a_loop_of_large_arrays_stay_whole(device, little_memory):
    x = qn.asarray(np.ones(200_000))
    with qn.trace() as events:
        for _ in range(400):
            x = x * 0.5 + 1
    kernels = {e["key"] for e in events if e["kind"] == "launch"}
    assert 1 <= len(kernels) <= 2
    assert [e["kind"] for e in events].count("launch") < 40
    np.testing.assert_array_equal(qn.asnumpy(x), np.full(200_000, 2.0))
