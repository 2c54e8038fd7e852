"""A result goes into the memory of what it is computed from, where nobody else sees that: counted from the trace, the values held against
NumPy's."""

import numpy as np
import pytest
import quern as qn
from quern import torch
from quern.lib import _engine

pytestmark = pytest.mark.usefixtures("fused")

SIDE = 300  # more than tier 0 takes


def run(body, m, rounds):
    """Round after round of the text; its variables, and how much memory was asked for in the last ones."""
    base = np.arange(SIDE * SIDE, dtype=np.float64).reshape(SIDE, SIDE) % 17 / 16
    names = {"m": m, "np": np, "a": m.asarray(base + 1), "b": m.asarray(base * 0.5), "c": m.asarray(base - 0.25), "old": []}
    text = compile(body, "body.py", "exec")

    def step():
        exec(text, names)
        if m is qn:
            _engine.array_evaluate_all()

    for _ in range(4):
        step()
    if m is np:
        for _ in range(rounds):
            step()
        return names, 0
    with qn.trace() as events:
        for _ in range(rounds):
            step()
    return names, sum(e["kind"] == "allocate" and e["bytes"] >= SIDE * SIDE for e in events)


def check(body, rounds=10):
    got, asked = run(body, qn, rounds)
    want, _ = run(body, np, rounds)
    for name in "abc":
        np.testing.assert_allclose(qn.asnumpy(got[name]), want[name], rtol=1e-12, atol=1e-14)
    for mine, theirs in zip(got["old"], want["old"], strict=True):
        np.testing.assert_array_equal(qn.asnumpy(mine), theirs)
    return asked / rounds


@pytest.mark.parametrize(
    "body",
    [
        "a = a * 0.5 + b",
        "a = b - a",
        "a = m.sqrt(a * a + b)",
        "a, c = a * 0.5 + c, a * 0.25 - c",
        "a = m.where(a > b, a * 0.5, b)",
        "a = a.T * 0.5",
        "a = (a.reshape(-1) * 0.5).reshape(a.shape)",
        "a = a * 0.5 + b; c = c * a",
        "a = (a > 1) * b",
    ],
)
def test_no_memory_is_asked_for(device, body):
    assert check(body) == 0


@pytest.mark.parametrize(
    "body, times",
    [
        ("old.append(a); a = a * 0.5 + b", 1),  # it is still in use
        ("c = a; a = a * 0.5 + b", 1),
        ("a = a * 0.5 + a.T", 1),  # threads read what others write
        ("a = a[::-1] * 0.5 + b", 1),
        ("a = a + a[0]", 1),
        ("a = a + a[:, 0, None] * b", 1),
        ("a = a.astype(np.float32).astype(np.float64) * 0.5", 0),  # in one kernel
        ("old.append(a[3]); a = a * 0.5", 1),
        ("a = a * 0.5; a[0] = 3", 0),
        ("c = a * 0.5; a[0] = 3; a = a * 0.25", 1),
        ("a = a - a.mean(axis=0)", None),
        ("a = a - a.mean(axis=1)[:, None]", None),
        ("a = m.cumsum(a * 1e-3, axis=1)", None),
    ],
)
def test_what_others_see_stays(device, body, times):
    asked = check(body)
    assert times is None or asked >= times


def test_memory_that_others_know_stays(device):
    a = qn.asarray(np.ones(100_000))
    shared = a.__dlpack__()
    for _ in range(3):
        a = a + 1
        _engine.array_evaluate_all()
    np.testing.assert_array_equal(qn.asnumpy(qn.from_dlpack(Capsule(shared, a))), np.ones(100_000))
    assert float(a[7]) == 4


class Capsule:
    """Memory of a capsule's, as from_dlpack() takes it."""

    def __init__(self, capsule, of):
        self.capsule, self.of = capsule, of

    def __dlpack__(self, **_):
        return self.capsule

    def __dlpack_device__(self):
        return self.of.__dlpack_device__()


def test_peak_memory_of_a_loop(device):
    n = 1_000_000
    a, b = qn.asarray(np.ones(n)), qn.asarray(np.full(n, 2.0))
    qn.synchronize()
    before = device.pool_info()["held"]
    for _ in range(200):
        a = a + b
        _engine.array_evaluate_all()
        assert device.pool_info()["held"] <= before + 4096
    assert float(a[7]) == 401


def test_memory_of_a_training_loop(device):
    """Small work on the CPU runs at once, in memory that pending steps may still use: what is kept must not grow with the steps."""
    weights = torch.ones(64, 32, requires_grad=True, device=device.kind)
    optimizer = torch.optim.SGD([weights], lr=0.1)

    def taken(steps):
        for _ in range(steps):
            weights.grad = torch.ones(64, 32, device=device.kind)
            optimizer.step()
        qn.synchronize()
        info = device.pool_info()
        return info["held"] + info["kept"]

    before = taken(1000)
    assert taken(6000) <= before + (8 << 20)  # so far may the steps be ahead of their work; a block for each second one is 24 MB
