"""Loops that are looked at now and then: their kernels are compiled once, however many rounds lie between looks."""

import random

import numpy as np
import pytest
import quern as qn

BODIES = {
    "elementwise": ("x = x * 0.5 + y", "x = x - y * 0.25", "x = qn.sin(x)"),
    "a reduction": ("x = x * 0.5 + y", "x = x - x.mean()", "x = qn.cos(x)"),
    "an in-place part": ("x[1:-1] += 0.1 * (x[2:] - x[:-2])", "x *= 0.5", "x += y"),
    "a library call": ("x = x * 0.5 + y", "x = x - qn.cumsum(x) * 0.001", "x = qn.sin(x)"),
}
COUNTS = {"elementwise": 5, "a reduction": 6, "an in-place part": 7, "a library call": 7}  # operations in the three lines


def body_of(kind, ops):
    """A function of about so many operations, each line of its own, and how many there are."""
    lines, count = [], 0
    while count < ops:
        lines.append("    " + BODIES[kind][len(lines) % 3])
        count += COUNTS[kind] / 3
    names = {"qn": qn, "np": np}
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
@pytest.mark.parametrize("ops", [3, 7, 40, 75, 150, 400])
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
    print(kind, ops, made, total)
    if kind == "elementwise" and ops <= 75:
        assert total <= 4
    assert sum(made[4:]) == 0
