"""torch.linalg raises at the call where a matrix has no factors, with PyTorch's class and words; the functions in ``_ex`` do not."""

import numpy as np
import pytest
from arrays import cases
from quern import torch
from torch_oracle import compare_all

HEAD = """L = torch.linalg
def m(*values):
    return torch.tensor(values, device=device)
zero, one = torch.zeros(2, 2, device=device), torch.eye(2, device=device)
bad = zero * math.nan
def said(call):
    try:
        call()
    except L.LinAlgError as error:
        return isinstance(error, RuntimeError), str(error).partition(" (recorded at")[0][:150]
    except Exception as error:
        return type(error).__name__
    return "nothing is raised"
"""
CASES = """
said(lambda: L.cholesky(zero)) | said(lambda: L.cholesky(m([1., 2.], [2., 1.]))) | said(lambda: L.cholesky(torch.stack([one, -one]), upper=True)) | said(lambda: L.inv(zero)) | said(lambda: torch.inverse(m([1., 2.], [2., 4.])))
said(lambda: zero.inverse()) | said(lambda: L.inv(torch.stack([one, zero]))) | said(lambda: L.solve(zero, one)) | said(lambda: L.solve(zero, one, left=False)) | said(lambda: L.solve(zero, one[0])) | said(lambda: L.svd(bad)) | said(lambda: L.svdvals(bad))
said(lambda: torch.svd(one * math.inf)) | said(lambda: L.pinv(bad)) | said(lambda: L.matrix_rank(bad)) | said(lambda: L.cond(bad)) | said(lambda: L.cond(zero, 1)) | said(lambda: L.norm(bad, 2)) | said(lambda: L.matrix_norm(bad, "nuc")) | said(lambda: L.eigh(bad)) | said(lambda: L.eig(bad))
said(lambda: L.matrix_power(zero, -2)) | said(lambda: torch.cholesky_inverse(zero)) | said(lambda: L.tensorsolve(zero, one[0])) | said(lambda: L.det(zero)) | said(lambda: L.slogdet(zero)) | said(lambda: L.qr(bad)) | said(lambda: L.lstsq(zero, one))
said(lambda: L.cholesky(bad)) | L.cholesky_ex(bad).info | L.cholesky_ex(torch.stack([one, bad])).info | L.cholesky_ex(m([1., 0.], [math.nan, 1.])).info | said(lambda: L.cholesky(m([1., math.nan], [0., 1.]), upper=True)) | L.cholesky_ex(one * math.inf).info > 0
said(lambda: L.solve_triangular(zero, one, upper=True)) | said(lambda: L.cholesky_ex(zero)) | said(lambda: L.inv_ex(zero)) | said(lambda: L.solve_ex(zero, one)) | said(lambda: L.cholesky_ex(zero, check_errors=True)) | said(lambda: L.inv_ex(zero, check_errors=True))
said(lambda: L.solve_ex(zero, one, check_errors=True)) | L.cholesky_ex(m([1., 2.], [2., 1.])).info | L.cholesky_ex(torch.stack([one, -one])).info | L.inv_ex(m([1., 2.], [2., 4.])).info | L.inv_ex(one) | L.cholesky_ex(one * 4) | L.solve_ex(one * 2, one)
torch.cholesky_solve(one[:, :1], m([2., 7.], [1., 3.])) | torch.cholesky_solve(one[:, :1], m([2., 1.], [7., 3.]), upper=True) | torch.cholesky_inverse(m([2., 7.], [1., 3.]))
said(lambda: torch.einsum("ij,jk->ik", one, one.double())) | said(lambda: torch.einsum("i,i", one[0], torch.arange(2, device=device))) | torch.einsum("ij->ji", one) | torch.einsum("ij,jk->ik", one.double(), one.double())
L.inv_ex(torch.zeros(3, 0, 0, device=device)) | L.cholesky_ex(torch.zeros(0, 2, 2, device=device)) | L.LinAlgError.__name__, issubclass(L.LinAlgError, RuntimeError) | L.cond(zero, 1)
"""
JITTER = """
def factor(a):
    for k in range(10):
        try:
            return k, L.cholesky(a + 10.0 ** (k - 6) * torch.eye(2, dtype=a.dtype, device=device))
        except L.LinAlgError:
            pass
factor(m([1.0, 1.0], [1.0, 1.0]).double() - 1e-3 * one.double())
"""


def test_errors_are_raised_at_the_call(device):
    table = cases(CASES)
    compare_all([HEAD + case for case in [*table, JITTER]], device)


HESSIANS = """
def second(matrix, *shape):
    made = torch.autograd.functional.hessian(lambda t: torch.det(matrix(t)), torch.arange(1.0, 1 + math.prod(shape), device=device).reshape(shape).sin())
    return made.round(decimals=4) + 0.0  # no -0
"""
SECOND = """
second(lambda t: t, 2, 2) | second(lambda t: t, 1, 1) | second(lambda t: t, 3, 3) | second(lambda t: t * torch.ones(2, 2, device=device) + torch.diag(t[:1]), 1)
"""


def test_second_derivatives_of_determinants(device):
    compare_all([HEAD + HESSIANS + text for text in cases(SECOND)], device.kind, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("kind", ["float64", "complex128"])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_determinants_of_singular_matrices_have_second_derivatives(device, kind, n):
    """Of full rank, without one and two of it, and with equal singular values."""
    random, kind = np.random.default_rng(n), torch.__dict__[kind]
    for rank in {n, max(n - 1, 0), max(n - 2, 0)}:
        factors = [torch.tensor(random.normal(size=shape), dtype=kind, device=device.kind) for shape in ((2, n, rank), (2, rank, n))]
        matrices = (factors[0] @ factors[1]).requires_grad_()
        assert torch.autograd.gradcheck(torch.det, (matrices,)) and torch.autograd.gradgradcheck(torch.det, (matrices,))
    equal = (2 * torch.eye(n, dtype=kind, device=device.kind)).requires_grad_()
    assert torch.autograd.gradgradcheck(torch.det, (equal,))


def test_third_derivatives_of_determinants(device):
    def slopes(a):
        (first,) = torch.autograd.grad(torch.det(a), a, create_graph=True)
        return torch.autograd.grad((first**2).sum(), a, create_graph=True)[0]

    a = torch.tensor(np.random.default_rng(1).normal(size=(3, 3)), device=device.kind, requires_grad=True)
    assert torch.autograd.gradcheck(slopes, (a,))
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        slopes(torch.ones(3, 3, device=device.kind, requires_grad=True)).tolist()


@pytest.mark.parametrize("driver", [None, "gels", "gelsd"])
@pytest.mark.parametrize("rows", [2, 3])
def test_least_squares_of_nan_raise_at_the_call(device, driver, rows):
    """PyTorch ends with an assertion of its own; with infinities it raises LinAlgError."""
    a = torch.full((rows, 2), float("nan"), device=device.kind)
    with pytest.raises(torch.linalg.LinAlgError, match="torch.linalg.lstsq: The algorithm failed to converge"):
        torch.linalg.lstsq(a, torch.ones(rows, 1, device=device.kind), driver=driver if device.kind == "cpu" else None)
