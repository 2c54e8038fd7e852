"""Hooks in second derivatives: as in PyTorch, what flows through a saved result passes the hooks of that result, once."""

import pytest
from torch_oracle import compare_all

HEAD = """
F = torch.nn.functional
x = (torch.arange(1., 7.) * 0.137 + 0.1).reshape(2, 3).to(torch.float64).to(device).requires_grad_()
a = (torch.arange(1., 10.) * 0.137 + 0.1).reshape(3, 3).to(torch.float64).to(device)
a = (a @ a.T / 10 + torch.eye(3, dtype=torch.float64, device=device)).requires_grad_()
def told(y, x, z=None):
    "The first derivative, the second with respect to the result and the operand, and how often the hook was called."
    calls = []
    y.register_hook(lambda g: (calls.append(1), g * 10)[1])
    weights = (torch.arange(float(y.numel())) * 0.3 + 1).reshape(y.shape).to(torch.float64).to(device)
    g, = torch.autograd.grad((y * weights).sum(), x, create_graph=True)
    second = torch.autograd.grad((g * g).sum(), [y, x], allow_unused=True) if g.requires_grad else None
    return g.detach(), second, len(calls)
"""

# The results of these are saved, or are not, by PyTorch's formulas.
RESULTS = """
x.exp()
x.tan()
x.tanh()
x.sigmoid()
x.sqrt()
x.rsqrt()
x.reciprocal()
x.expm1()
x.logcumsumexp(1)
(x - 0.5).logcumsumexp(0)
torch.special.ndtri(x / 2)
torch.special.log_ndtr(x - 1.2)
x.exp2()
2.0 ** x
x ** (x + 1)
x ** 3
x ** -1
(x + 1) / x
2 / x
x / 3
x * (x + 1)
x.log()
x.sin()
x.atan()
torch.hypot(x, x + 1)
torch.atan2(x, x + 1)
torch.logaddexp(x, x * 2)
x.prod()
x.prod(1)
x.prod(1, keepdim=True)
x.sum(1)
x.mean(0)
x.std()
x.std(1)
x.std(1, keepdim=True)
torch.std_mean(x, 1)[0]
x.var(1)
torch.var_mean(x, 1)[0]
x.norm()
x.norm(dim=1)
torch.linalg.vector_norm(x, 3)
torch.linalg.matrix_norm(x)
torch.dist(x, x * 2 + 1)
torch.logsumexp(x, 1)
torch.logsumexp(x, 1, keepdim=True)
torch.logsumexp(x, (0, 1))
torch.cumsum(x, 1)
torch.cumprod(x, 1)
torch.softmax(x, 1)
torch.log_softmax(x, 1)
F.elu(x)
F.elu(x - 0.5)
F.celu(x - 0.5)
F.selu(x - 0.5)
F.gelu(x)
F.silu(x)
F.mish(x)
F.softplus(x)
F.layer_norm(x, (3,))
F.normalize(x)
F.cosine_similarity(x, x * x + 1)
F.mse_loss(x, x * x)
F.cross_entropy(x, torch.tensor([0, 1], device=device))
"""
MATRICES = """
torch.inverse(a)
torch.linalg.matrix_power(a, -1)
torch.det(a)
torch.logdet(a)
torch.linalg.slogdet(a)[1]
torch.linalg.pinv(a)
torch.linalg.pinv(a[:2])
torch.linalg.pinv(a[:, :2])
torch.linalg.solve(a, a @ a + 1)
torch.linalg.lstsq(a, a @ a + 1)[0]
torch.matrix_exp(a)
a @ a.T
"""


@pytest.mark.parametrize("of", ["x", "a"])
def test_hooks_of_saved_results(device, of):
    texts = (RESULTS if of == "x" else MATRICES).strip().splitlines()
    compare_all([f"{HEAD}\ntold({text}, {of})" for text in texts], device, rtol=1e-6, atol=1e-8)


def test_results_of_several():
    """A hook on one result of several acts where another result's derivative uses it (PyTorch's formulas want all hooks' gradients)."""
    from quern import torch

    a = torch.tensor([[2.0, 1.0], [0.5, 3.0]], dtype=torch.float64, requires_grad=True)
    found = []
    for factor in (1, 10):
        q, r = torch.linalg.qr(a)
        calls = []
        r.register_hook(lambda g, calls=calls, factor=factor: (calls.append(1), g * factor)[1])
        (g,) = torch.autograd.grad((q * q.detach().exp()).sum(), a, create_graph=True)
        assert not calls
        through_r = torch.autograd.grad((g * g).sum(), r, retain_graph=True)[0]
        found.append((through_r, torch.autograd.grad((g * g).sum(), a)[0]))
        assert len(calls) == 2
    assert torch.allclose(found[0][0] * 10, found[1][0])
    assert not torch.allclose(found[0][1], found[1][1])


def test_products_with_zeros_twice(device):
    """Where a factor is zero the derivative is made of the factors."""
    compare_all(
        [
            f"{HEAD}\nz = (x * torch.tensor([[0., 1, 1], [1, 1, 1]], dtype=torch.float64, device=device)).detach().requires_grad_()\n"
            f"g, = torch.autograd.grad(({call} ** 2).sum(), z, create_graph=True)\ng.detach(), torch.autograd.grad((g * g).sum(), z)"
            for call in ("z.prod(1)", "z.prod()", "z.prod(0)", "z.cumprod(1)", "z.cumprod(0)", "z.prod(1, keepdim=True)")
        ],
        device,
        rtol=1e-6,
        atol=1e-8,
    )


def test_what_is_given_back_of_inputs_with_hooks(device):
    """An input that leads on to other inputs is given back as it was before its hooks; the last one as it is after them."""
    compare_all(
        [
            f"{HEAD}\ny = x * 2\ny.register_hook(lambda g: g * 10)\ntorch.autograd.grad((y * y).sum(), {inputs})"
            for inputs in ("[y]", "[y, x]", "[x]", "[x, y]")
        ]
        + [f"{HEAD}\nx.register_hook(lambda g: g * 10)\ntorch.autograd.grad((x * x).sum(), x)"]
        + [f"{HEAD}\ny = x * 2\ny.register_hook(lambda g: g * 10)\n(y * y).sum().backward(inputs=[y, x])\ny.grad, x.grad"],
        device,
    )
