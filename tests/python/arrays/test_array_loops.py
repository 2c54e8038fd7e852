"""Loops whose values are read now and then: their kernels are compiled once, however many iterations lie between reads."""

import random
import sys

import numpy as np
import pytest
import quern as qn
from long_runs import part
from places import ROOT

pytestmark = pytest.mark.usefixtures("fused")

BODIES = {
    "elementwise": ("x = x * 0.5 + y", "x = x - y * 0.25", "x = qn.sin(x)"),
    "a reduction": ("x = x * 0.5 + y", "x = x - x.mean()", "x = qn.cos(x)"),
    "an in-place part": ("x[1:-1] += 0.1 * (x[2:] - x[:-2])", "x *= 0.5", "x += y"),
    "a library call": ("x = x * 0.5 + y", "x = x - qn.cumsum(x) * 0.001", "x = qn.sin(x)"),
}
COUNTS = {"elementwise": 5, "a reduction": 6, "an in-place part": 7, "a library call": 7}  # operations in the three lines


def body_of(kind, ops, library=qn):
    """A function of about so many operations, each line of its own, and how many there are."""
    lines, count = [], 0
    while count < ops:
        lines.append("    " + BODIES[kind][len(lines) % 3])
        count += COUNTS[kind] / 3
    names = {"qn": library}
    exec(compile("def body(x, y):\n" + "\n".join(lines) + "\n    return x\n", f"{kind} {ops}.py", "exec"), names)
    return names["body"]


def stretches(looks):
    draw = random.Random(1)
    return [draw.randint(1, 30) if looks == "random" else looks for _ in range(12)]


def start():
    return qn.asarray(np.linspace(0, 1, 5000)), qn.asarray(np.linspace(1, 2, 5000))


def compiles(events):
    return sum(e["kind"] == "compile" for e in events)


@pytest.mark.parametrize("kind", BODIES)
@pytest.mark.parametrize("ops", [3, 7, 40, 75, 150, *part([400], 0)])
def test_a_loop_compiles_its_body_once(device, kind, ops):
    body = body_of(kind, ops)
    x, y = start()
    made, total = [], 0
    for waits in (False, True):
        for looks in (10, 3, "random", 30, 1):
            with qn.trace() as events:
                for rounds in stretches(looks):
                    for _ in range(rounds):
                        x = body(x, y)
                    if waits:
                        qn.synchronize()
                    float(x[0])
            total += compiles(events)
            made.append(compiles(events))
    if kind == "elementwise" and ops <= 75:
        assert total <= 4
    assert sum(made[4:]) == 0


@pytest.mark.parametrize("kind", BODIES)
@pytest.mark.parametrize("ops", [3, 40])
def test_rounds_are_right_however_they_are_cut(device, kind, ops):
    body, want_body = body_of(kind, ops), body_of(kind, ops, np)
    x, y = start()
    want, other = qn.asnumpy(x), qn.asnumpy(y)
    for rounds in stretches("random"):
        for _ in range(rounds):
            x, want = body(x, y), want_body(want, other)
        np.testing.assert_allclose(qn.asnumpy(x), want, rtol=1e-9, atol=1e-12)


def test_two_branches(device):
    """A body of two branches, taken in any order, compiles no more than two loops do."""
    one, two = body_of("elementwise", 21), body_of("elementwise", 33)
    draw = random.Random(2)
    x, y = start()
    made = []
    for _ in range(6):
        with qn.trace() as events:
            for rounds in stretches("random"):
                for _ in range(rounds):
                    x = (one if draw.random() < 0.5 else two)(x, y)
                float(x[0])
        made.append(compiles(events))
    assert sum(made[3:]) == 0


def test_a_loop_of_loops(device):
    x, y = start()
    want, other = qn.asnumpy(x), qn.asnumpy(y)
    made = []
    for looks in (3, 7, 3, 20):
        with qn.trace() as events:
            for _ in range(looks):
                for _ in range(6):
                    x, want = x - 0.01 * (x - y), want - 0.01 * (want - other)
                x, want = qn.sqrt(x * x + 1), np.sqrt(want * want + 1)
            np.testing.assert_allclose(qn.asnumpy(x), want, rtol=1e-12)
        made.append(compiles(events))
    assert sum(made[2:]) == 0, made


def test_a_round_begins_where_it_takes_fewest_kernels(device):
    """The mean before the loop is the one in it; a round that began there would split the step's kernel in two."""
    sys.path.insert(0, str(ROOT / "examples"))
    import rk4

    with qn.trace() as events:
        float(abs(rk4.solve(qn, 200, 100, 0.01)[-1]))
    assert sum(e["kind"] == "launch" for e in events) <= 210
