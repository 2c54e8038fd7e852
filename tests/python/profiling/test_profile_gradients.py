"""`quern profile`: what backward() computes belongs to the forward lines, and is reported at both."""

import importlib.util
import os

import pytest
from devices import DEVICES
from profiles import figures, line
from programs import quern

PROGRAM = """\
import torch
w = torch.ones(300_000, requires_grad=True)
x = torch.ones(300_000)
for i in range(6):
    y = torch.sin(w * x)
    loss = (y * y).sum()
    loss.backward()
    seen = float(w.grad.sum())
    w.grad = None
print(seen)
"""
SINE, LOSS, BACKWARD, LOOK = 5, 6, 7, 8


@pytest.mark.parametrize("device", DEVICES)
def test_gradients_are_charged_to_their_lines(program, device):
    found = figures(program(PROGRAM), device=device)
    sine, loss, backward, look = (line(found, number) for number in (SINE, LOSS, BACKWARD, LOOK))
    assert 0 < sine["gradient_seconds"] < sine["device_seconds"] and loss["gradient_seconds"] >= 0
    assert backward["asked_gradient_seconds"] == pytest.approx(found["total"]["gradient_seconds"]) and look["asked_gradient_seconds"] == 0
    assert {SINE} <= {one["line"] for one in backward["gradients_of"]} <= {SINE, LOSS}
    assert sum(one["seconds"] for one in backward["gradients_of"]) == pytest.approx(backward["asked_gradient_seconds"])
    # Shown at both, and counted once.
    assert sum(one["device_seconds"] for one in found["lines"]) == pytest.approx(sum(work["seconds"] for work in found["work"]))
    assert any(f"is its gradient, which line {BACKWARD} asked for" in why for why in sine["why"]), sine["why"]
    assert any("of device time for gradients, charged to " in why and f"line {SINE} (" in why for why in backward["why"]), backward["why"]


def test_the_view_has_both(program):
    done = quern("profile", program(PROGRAM), QUERN_DEVICE="cpu")
    assert done.returncode == 0, done.stderr
    rows = {row.split()[0]: row for row in done.stderr.splitlines() if row[:1].isdigit()}
    assert "(" in rows[str(BACKWARD)].split("loss")[0] and "(" not in rows[str(SINE)].split("y =")[0]


def test_a_products_gradient(program):
    found = figures(
        program("""\
        import torch
        a = torch.ones(300, 300, requires_grad=True)
        b = torch.ones(300, 300)
        c = a @ b
        c.sum().backward()
        print(float(a.grad[0, 0]))
        """)
    )
    assert line(found, 4)["gradient_seconds"] > 0
    assert 4 in {one["line"] for one in line(found, 5)["gradients_of"]}


def test_a_derivative_of_the_programs_own_has_its_own_lines(program):
    found = figures(
        program("""\
        import torch
        class Doubled(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return 2 * x
            @staticmethod
            def backward(ctx, g):
                return torch.exp(g * 0) * g * 2
        x = torch.ones(500_000, requires_grad=True)
        y = Doubled.apply(x)
        y.sum().backward()
        print(float(x.grad.sum()))
        """)
    )
    own = line(found, 8)
    assert own["device_seconds"] > 0 and own["gradient_seconds"] == 0


def test_steps_that_keras_takes_are_the_line_that_asks_for_them(program):
    if importlib.util.find_spec("keras") is None:
        pytest.skip("Keras is not installed")
    found = figures(
        program("""\
        import numpy as np
        import keras
        model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(16, activation="relu"), keras.layers.Dense(1)])
        model.compile("adam", "mse")
        x = np.random.random((64, 8)).astype("float32")
        model.fit(x, x.sum(1), epochs=3, batch_size=16, verbose=0)
        """)
    )
    assert {os.path.basename(one["file"]) for one in found["lines"]} <= {"program.py", ""}
    assert line(found, 6)["launches"] >= 12
