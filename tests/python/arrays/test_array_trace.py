"""What arrays cost: launches, copies, compiles and waits, counted from the trace, cold and warm."""

import numpy as np
import pytest
import quern as qn
from quern.lib import _engine

pytestmark = pytest.mark.usefixtures("fused")

N = 4000  # more than tier 0 takes


def costs(f, *arrays):
    """Counts by kind for f(*arrays) and an evaluation that copies nothing."""
    qn.synchronize()
    with qn.trace() as events:
        _engine.array_evaluate(f(*arrays))
    kinds = [event["kind"] for event in events]
    return {kind: kinds.count(kind) for kind in ("launch", "compile", "host_to_device", "device_to_host", "device_to_device", "wait")}


EXPRESSIONS = [
    (lambda x, y: x + y, 1),
    (lambda x, y: (x * y + x) / qn.sqrt(x + 1), 1),
    (lambda x, y: qn.where(x > y, x, -y), 1),
    (lambda x, y: qn.sqrt((x * x + y * y).sum()), 2),  # the sum, the root
    (lambda x, y: x.reshape(40, 100).sum(1), 1),
    (lambda x, y: x.reshape(40, 100).sum(0), 1),
    (lambda x, y: x[1:] - x[:-1], 1),
    (lambda x, y: x.reshape(40, 100).T + 1, 1),
    (lambda x, y: (x.astype("float32") + 2) * 3, 1),
    (lambda x, y: qn.exp(-qn.absolute(x - y)), 1),
]


@pytest.mark.parametrize("number", range(len(EXPRESSIONS)))
def test_launches_of_typical_expressions(number):
    f, launches = EXPRESSIONS[number]
    x, y = qn.asarray(np.linspace(0, 1, N)), qn.asarray(np.linspace(1, 2, N))
    cold = costs(f, x, y)
    warm = costs(f, x, y)
    small = 1 if number == 3 and x._device_number < 0 else 0  # the root of one number is tiny: no launch for it on the CPU
    assert launches - small <= cold["launch"] <= launches
    assert warm["launch"] == cold["launch"]
    assert warm["compile"] == 0
    for kind in ("host_to_device", "device_to_host", "device_to_device"):
        assert cold[kind] == warm[kind] == 0


def test_other_sizes_and_scalars_compile_nothing():
    def f(x, s):
        return (x * s + 1) / (x + s)

    _engine.array_evaluate(f(qn.asarray(np.ones(N)), 2.0))
    for size, scalar in ((N + 1, 2.5), (3 * N, -1.0), (N // 2, 7.0)):
        assert costs(f, qn.asarray(np.ones(size)), scalar)["compile"] == 0


def test_what_is_dead_is_not_computed():
    x = qn.asarray(np.ones(N))
    qn.synchronize()
    before = _engine.array_pending()
    for _ in range(100):
        x * 2  # noqa: B018
    assert _engine.array_pending() == before


def test_a_loop_in_place_copies_nothing():
    x, y = qn.asarray(np.zeros(N)), qn.asarray(np.ones(N))

    def loop(x):
        for _ in range(20):
            x += 2 * y
            x[1:-1] *= 0.5
        return x

    costs(loop, x)
    warm = costs(loop, x)
    assert warm["device_to_device"] == warm["host_to_device"] == warm["device_to_host"] == warm["compile"] == 0


def test_unrelated_work_stays_pending():
    x, y = qn.asarray(np.ones(N)), qn.asarray(np.ones(N))
    qn.synchronize()
    a, b = x + 1, y * 3
    _engine.array_evaluate(a)
    assert _engine.array_pending() == 1
    assert qn.asnumpy(b)[0] == 3


def test_a_long_chain_is_evaluated_and_let_go():
    x = qn.asarray(np.zeros(N))
    for _ in range(20_000):
        x = x + 1
    assert _engine.array_pending() < 1000
    assert qn.asnumpy(x)[0] == 20_000
