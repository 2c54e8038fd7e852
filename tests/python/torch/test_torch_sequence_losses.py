"""CTC loss and adaptive softmax are PyTorch's, with their gradients; products of reflections and solutions by LU factors, too."""

import numpy as np
import pytest
from quern import torch
from torch_oracle import compare_all

LOGITS = "x = torch.linspace(-3, 3, {0} * {1} * {2}, dtype=torch.float64).mul(7).sin().reshape({0}, {1}, {2}).requires_grad_()\n"
SOFT = LOGITS + "p = x.log_softmax(2)\n"


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_ctc_loss(reduction):
    make = SOFT.format(9, 3, 5)
    labels = "y = torch.tensor([[1, 2, 2, 3], [4, 4, 1, 0], [3, 0, 0, 0]])\n"
    call = f"made = F.ctc_loss(p, {{}}, reduction='{reduction}')\n[made, torch.autograd.grad(made.sum(), x)[0]]"
    compare_all(
        [
            make + labels + call.format("y, torch.tensor([9, 7, 4]), torch.tensor([4, 3, 1])"),
            make + labels + call.format("y, (9, 9, 9), (4, 2, 0)"),
            make + labels + call.format("torch.tensor([1, 2, 2, 3, 4, 4, 1, 3]), (9, 7, 4), (4, 3, 1)"),
            make + labels.replace("0", "1") + call.format("y - 1, (9, 7, 4), (4, 3, 1), blank=4").replace("y - 1", "(y - 1).clamp(0, 3)"),
            make + "y = torch.tensor([2, 2, 1])\n" + call.format("y, torch.tensor(9), torch.tensor(3)").replace("(p,", "(p[:, 0],"),
            make + labels + call.format("y, (3, 9, 9), (4, 2, 1), zero_infinity=True"),
            make + labels + f"made = F.ctc_loss(p, y, (3, 9, 9), (4, 2, 1), reduction='{reduction}')\nmade",
            make + labels + f"made = nn.CTCLoss(reduction='{reduction}')(p.float(), y, (9, 7, 4), (4, 3, 1))\nmade",
            make + labels + f"made = F.ctc_loss(p, y, (9, 7, 4), (4, 3, 1), reduction='{reduction}')\ntorch.autograd.grad(made.sum(), p)",
        ],
        rtol=1e-6,
    )


def test_ctc_errors():
    make = SOFT.format(5, 2, 4) + "y = torch.tensor([[1, 2], [1, 3]])\n"
    compare_all(
        [
            make + f"raises(lambda: F.ctc_loss(p, {call}))"
            for call in ("y, (5,), (2, 2)", "y, (5, 5), (2, 2), blank=4", "y, (5, 5), (2, 3)", "y, (5, 5), (2, 2), reduction='no'", "y, (5, 6), (2, 2)")
        ]
    )


def test_adaptive_softmax():
    make = "m = nn.AdaptiveLogSoftmaxWithLoss(8, 20, [5, 12], div_value=2.0)\n"
    make += "for i, p in enumerate(m.parameters()):\n    p.data = torch.linspace(-1, 1, p.numel()).mul(3 + i).sin().reshape(p.shape)\n"
    make += "x = torch.linspace(-2, 2, 48).reshape(6, 8).requires_grad_()\ny = torch.tensor([0, 4, 6, 13, 19, 11])\n"
    compare_all(
        [
            make + "made = m(x, y)\n[made.output, made.loss, *torch.autograd.grad(made.loss, [x, *m.parameters()])]",
            make + "[m.log_prob(x), m.predict(x), repr(m), type(m(x, y)).__name__]",
            make + "m(x[0], y[3])",
            make + "m(x[:2], y[:2])",
            make + "raises(lambda: m(x, y + 5))",
            make + "raises(lambda: m(x, y[:3]))",
            make + "raises(lambda: m(x[0], y))",
            "raises(lambda: nn.AdaptiveLogSoftmaxWithLoss(8, 20, []))",
            "raises(lambda: nn.AdaptiveLogSoftmaxWithLoss(8, 20, [5, 5]))",
            "raises(lambda: nn.AdaptiveLogSoftmaxWithLoss(8, 20, [25]))",
        ],
        rtol=1e-5,
    )


MATRIX = "a = torch.linspace(0, 5, {0}, dtype=torch.float64).square().mul(9).sin().reshape({1}).requires_grad_()\n"


def test_products_of_reflections():
    vectors = MATRIX.format(12, "4, 3") + "t = torch.tensor([0.5, 1.2, 0.7], dtype=torch.float64, requires_grad=True)\n"
    stack = MATRIX.format(24, "2, 4, 3") + "t = torch.tensor([[0.5, 1.2], [0.0, 2.0]], dtype=torch.float64, requires_grad=True)\n"
    other = "b = torch.linspace(-1, 1, 16, dtype=torch.float64).reshape(4, 4)\n"
    gradients = "[made, *torch.autograd.grad((made * made.detach().cos()).sum(), [a, t])]"
    compare_all(
        [
            vectors + f"made = torch.linalg.householder_product(a, t)\n{gradients}",
            stack + f"made = torch.linalg.householder_product(a, t)\n{gradients}",
            vectors + "torch.orgqr(a.detach(), t.detach())",
            vectors + "a.detach().orgqr(t.detach())",
            *(
                vectors + other + f"made = torch.ormqr(a, t, b, {left}, {turned})\n{gradients}"
                for left in (True, False)
                for turned in (True, False)
            ),
            vectors + "raises(lambda: torch.linalg.householder_product(a[0], t))",
            vectors + "raises(lambda: torch.linalg.householder_product(a, t[None]))",
            vectors + "raises(lambda: torch.linalg.householder_product(a[:, :2], t))",
        ],
        rtol=1e-6,
    )


def test_solutions_by_factors():
    make = MATRIX.format(18, "2, 3, 3") + "b = torch.linspace(-1, 1, 12, dtype=torch.float64).reshape(2, 3, 2).requires_grad_()\n"
    make += "f, p = torch.linalg.lu_factor(a)\n"
    compare_all(
        [
            make + "made = torch.linalg.lu_solve(f, p, b)\n[made, *torch.autograd.grad((made * made).sum(), [a, b])]",
            make + "torch.lu_solve(b.detach(), f.detach(), p)",
            *(
                make + f"torch.linalg.lu_solve(f, p, b{turned}, left={left}, adjoint={adjoint}).detach()"
                for left, turned in ((True, ""), (False, ".mT"))
                for adjoint in (True, False)
            ),
            make + "P, L, U = torch.lu_unpack(f, p)\n[P, L, U, torch.autograd.grad((L * U.cos()).sum(), a)[0]]",
            make + "[x.shape for x in torch.lu_unpack(f, p, unpack_data=False)]",
            MATRIX.format(12, "4, 3") + "[*torch.lu_unpack(*torch.linalg.lu_factor(a.detach()))]",
            MATRIX.format(12, "3, 4") + "[*torch.lu_unpack(*torch.linalg.lu_factor(a.detach()))]",
            make + "raises(lambda: torch.lu_unpack(f, p.long()))",
        ],
        rtol=1e-6,
    )


def test_a_network_learns_labels_without_places():
    torch.manual_seed(0)
    x = torch.randn(20, 4, 6)
    labels = torch.tensor([[1, 2], [2, 3], [3, 1], [2, 2]])
    layer = torch.nn.Linear(6, 4)
    optimizer = torch.optim.Adam(layer.parameters(), lr=0.1)
    losses = []
    for _ in range(60):
        loss = torch.nn.functional.ctc_loss(layer(x).log_softmax(2), labels, (20,) * 4, (2,) * 4)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 3 and np.isfinite(losses).all()


def test_factors_of_wrong_shapes():
    """Numbers and vectors in place of matrices, and pivots of other shapes."""
    call = "p = lambda *x: torch.tensor(x, dtype=torch.int32)\nkind = lambda f: raises(f)[0] if isinstance(raises(f), tuple) else raises(f)\n"
    cases = """
    torch.lu_unpack(torch.rand(3), p(1))
    torch.lu_unpack(torch.tensor(1.0), p(1))
    torch.linalg.lu_solve(torch.rand(3, 3), p(1, 2), torch.rand(3, 1))
    torch.linalg.lu_solve(torch.rand(3, 3), torch.tensor(1, dtype=torch.int32), torch.rand(3, 1))
    torch.linalg.householder_product(torch.rand(3, 2), torch.tensor(1.0))
    torch.linalg.householder_product(torch.rand(3), torch.rand(3))
    torch.ormqr(torch.rand(3, 2), torch.rand(2), torch.rand(3))
    """
    compare_all([f"{call}kind(lambda: {case.strip()})" for case in cases.strip().splitlines()], "cpu")
    for factors, pivots in ((torch.rand(2, 3, 3), torch.ones(3)), (torch.rand(3, 3), torch.tensor(1))):
        with pytest.raises(RuntimeError, match="Expected LU_pivots to have shape"):
            torch.lu_unpack(factors, pivots.to(torch.int32))
