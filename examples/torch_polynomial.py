"""Legendre's third polynomial fitted to a sine, with a derivative of one's own: torch.autograd.Function.

quern run examples/torch_polynomial.py [--steps 2000]
"""

import argparse
import math

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=2000)
args = parser.parse_args()


class LegendreThree(torch.autograd.Function):
    """P3(x) = (5 x^3 - 3 x) / 2."""

    @staticmethod
    def forward(ctx, x):
        """The polynomial's values."""
        ctx.save_for_backward(x)
        return 0.5 * (5 * x**3 - 3 * x)

    @staticmethod
    def backward(ctx, gradient):
        """Times the polynomial's derivative."""
        (x,) = ctx.saved_tensors
        return gradient * 1.5 * (5 * x**2 - 1)


device = "cuda" if torch.cuda.is_available() else "cpu"
inside = torch.linspace(-0.9, 0.9, 7, dtype=torch.float64, device=device).requires_grad_()
assert torch.autograd.gradcheck(LegendreThree.apply, inside)

x = torch.linspace(-math.pi, math.pi, 2000, device=device)
y = torch.sin(x)
a, b, c, d = (torch.tensor(v, device=device, requires_grad=True) for v in (0.0, -1.0, 0.0, 0.3))
first = 0.0
for _ in range(args.steps):
    loss = (a + b * LegendreThree.apply(c + d * x) - y).square().sum()
    first = first or loss.item()
    loss.backward()
    with torch.no_grad():
        for p in (a, b, c, d):
            p -= 5e-6 * p.grad
            p.grad = None
last = loss.item()
print(f"computed on {device}")
print(f"y = {a.item():.4f} + {b.item():.4f} * P3({c.item():.4f} + {d.item():.4f} x)")
print(f"the sum of squares fell from {first:.2f} to {last:.2f}")
assert last < 12 and last < first / 10
