"""Logistic regression on two clouds of points, with quern's arrays: the gradient comes from quern.autograd, the steps are one's own.

The gradient at the end is compared with the formula for it, computed in NumPy.

    quern run examples/logistic_regression_qn.py [--points 4000] [--steps 300]
"""

import argparse

import numpy as np
import quern as qn
from quern.autograd import clear_grad, gradients, no_grad, requires_grad

parser = argparse.ArgumentParser()
parser.add_argument("--points", type=int, default=4000)
parser.add_argument("--steps", type=int, default=300)
args = parser.parse_args()

rng = np.random.default_rng(4)
labels = rng.integers(0, 2, args.points)
points = rng.standard_normal((args.points, 2)) + np.where(labels[:, None] == 1, [1.5, 1.0], [-1.0, -0.5])

x = qn.array(points)
y = qn.array(labels.astype(float))
w = requires_grad(qn.zeros(2))
b = requires_grad(qn.zeros(()))


def loss():
    """The mean cross entropy, in a form that does not overflow."""
    z = x @ w + b
    return (qn.logaddexp(0.0, z) - y * z).mean()


first = loss().item()
for _ in range(args.steps):
    slope_w, slope_b = gradients(loss(), (w, b))
    with no_grad():
        w -= 0.5 * slope_w
        b -= 0.5 * slope_b
clear_grad(w, b)
last = loss().item()

with no_grad():
    right = ((x @ w + b > 0) == (y > 0.5)).mean().item()
slope_w, slope_b = gradients(loss(), (w, b))
p = 1 / (1 + np.exp(-(points @ np.asarray(w) + float(b))))
exact = points.T @ (p - labels) / args.points
difference = float(np.abs(np.asarray(slope_w) - exact).max())
print(f"computed on {x.device.name}")
print(f"the loss fell from {first:.4f} to {last:.4f}; {right:.1%} of the points are on the right side")
print(f"the gradient differs from its formula by at most {difference:.1e}")
assert last < 0.5 * first and right > 0.9 and difference < 1e-12
