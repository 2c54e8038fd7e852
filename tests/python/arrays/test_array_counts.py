"""What twelve typical pieces of array code cost, counted from the trace: launches, copies, waits and compiles, cold and warm.

test_array_trace.py has the smallest expressions and what stays pending; test_driver_calls.py holds the trace against the driver.
"""

import numpy as np
import pytest
import quern as qn
from quern.lib import _engine

pytestmark = pytest.mark.usefixtures("fused")

KINDS = ("launch", "compile", "host_to_device", "device_to_host", "device_to_device", "fill", "wait")


def norm(x, y):
    return qn.sqrt(qn.sum(x**2, -1))


def fraction(x, y):
    return (x * y + x) / qn.sqrt(x + 1)


def softmax(x, y):
    e = qn.exp(x - qn.max(x, axis=-1, keepdims=True))
    return e / qn.sum(e, axis=-1, keepdims=True)


def normalised(x, y):
    return (x - qn.mean(x, axis=0)) / qn.sqrt(qn.var(x, axis=0) + 1e-5)


def chosen(x, y):
    return qn.where(x > 0.5, qn.clip(x, 0.6, 0.9), qn.where(y < 1.5, -x, y * 2))


def polynomial(x, y):
    return ((2 * x + 3) * x - 1) * x + 0.5


def differences(x, y):
    return x[:, 1:] - x[:, :-1]


def layer(x, y):
    return qn.maximum(x @ y.T + 0.5, 0)


def running(x, y):
    return qn.cumsum(x * y, axis=-1)


def counted(x, y):
    return qn.sum(x * (x > 0.5))


def bordered(x, y):
    return qn.pad(x, 1)


def updated(x, y):
    for _ in range(100):
        x += 0.01 * y
    return x


LAUNCHES = {
    norm: 1,  # the roots are made where the sums are
    fraction: 1,
    softmax: 1,  # rows are gone over three times, by one kernel
    normalised: 1,
    chosen: 1,
    polynomial: 1,
    differences: 1,
    layer: 2,  # the product, the rest
    running: 2,  # the product, its running sums
    counted: 2,  # the sum of each piece, the sum of those
    bordered: 2,  # the border everywhere, the middle
    updated: 7,  # 100 rounds of two ops: 16 or 4 together, which all numbers of rounds have in common
}
ON_A_GPU = {running: 4, counted: 1}  # at most


def counts(f, x, y):
    """How often each kind of thing happens for f(x, y), before the values are read."""
    qn.synchronize()
    with qn.trace() as events:
        result = f(x, y)
        _engine.array_evaluate(result)
    kinds = [event["kind"] for event in events]
    return {kind: kinds.count(kind) for kind in KINDS}, result


@pytest.fixture(autouse=True)
def a_sum_in_pieces(device):
    """A GPU's counter of the blocks that have ended is made by the first one."""
    _engine.array_evaluate(qn.sum(qn.asarray(np.ones(9000))))


@pytest.mark.parametrize("f", LAUNCHES, ids=lambda f: f.__name__)
def test_launches_copies_waits_and_compiles(device, f):
    host = [np.linspace(0, 1, 12000, dtype=np.float32).reshape(30, 400), np.linspace(1, 2, 12000, dtype=np.float32).reshape(30, 400)]
    cold, first = counts(f, *map(qn.asarray, host))
    warm, second = counts(f, *map(qn.asarray, host))
    if device.kind == "cuda" and f in ON_A_GPU:
        assert 1 <= cold["launch"] <= ON_A_GPU[f]
    else:
        assert cold["launch"] == LAUNCHES[f]
    assert cold["compile"] <= cold["launch"]
    assert warm == {"launch": cold["launch"], **dict.fromkeys(KINDS[1:], 0)}
    for kind in KINDS[2:]:
        assert cold[kind] == 0
    np.testing.assert_array_equal(qn.asnumpy(first), qn.asnumpy(second))


@pytest.mark.parametrize("f", LAUNCHES, ids=lambda f: f.__name__)
def test_reading_a_value_is_one_wait_and_one_copy(device, f):
    host = np.linspace(0.1, 1, 12000, dtype=np.float32).reshape(30, 400)
    x, y = qn.asarray(host), qn.asarray(host)
    result = f(x, y)
    with qn.trace() as events:
        qn.asnumpy(result)
    kinds = [event["kind"] for event in events]
    assert kinds.count("wait") + kinds.count("device_to_host") <= 2
    assert kinds.count("host_to_device") == kinds.count("device_to_device") == 0


@pytest.mark.parametrize("f", LAUNCHES, ids=lambda f: f.__name__)
def test_the_values_are_right(device, f, monkeypatch):
    host = [np.linspace(0, 1, 12000, dtype=np.float32).reshape(30, 400), np.linspace(1, 2, 12000, dtype=np.float32).reshape(30, 400)]
    ours = qn.asnumpy(f(*map(qn.asarray, host)))
    monkeypatch.setitem(globals(), "qn", np)
    want = f(*(a.astype(np.float64) for a in host))
    np.testing.assert_allclose(ours, want, rtol=2e-4, atol=1e-5)


def test_other_sizes_compile_nothing(device):
    """Kernels are found by structure: what is counted above holds for every size, but for sums of fewer numbers than lanes (32)."""
    a, b = (np.linspace(k, k + 1, 24000, dtype=np.float32) for k in (0, 1))
    for f in (norm, fraction, softmax, normalised, chosen, polynomial, differences, layer):
        counts(f, qn.asarray(a.reshape(40, 600)), qn.asarray(b.reshape(40, 600)))
        for shape in ((50, 480), (48, 500)):
            assert counts(f, qn.asarray(a.reshape(shape)), qn.asarray(b.reshape(shape)))[0]["compile"] == 0, f.__name__


@pytest.mark.parametrize("minlength", [0, 3])
def test_counts_of_nothing_are_integers_whatever_the_weights(device, minlength):
    for weights in ([], np.zeros(0, "f4")):
        ours, theirs = qn.bincount(np.zeros(0, int), weights, minlength), np.bincount(np.zeros(0, int), weights, minlength)
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(qn.asnumpy(ours), theirs)
