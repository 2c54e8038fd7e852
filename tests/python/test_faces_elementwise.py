"""Elementwise functions that are faces of the engine's table: how they accept arguments, what they refuse, and what runs in a call."""

import inspect

import numpy as np
import pytest
import quern.torch as torch
from test_faces import events_of


def test_unary_functions_and_methods_are_one():
    for name in ("exp", "neg", "absolute", "asin", "erf", "bitwise_not", "isnan", "rad2deg", "relu"):
        function = getattr(torch, name)
        assert getattr(torch.Tensor, name) is function and function.__name__ == name and function.__doc__
        assert next(iter(inspect.signature(function).parameters)) == "input"
    assert str(inspect.signature(torch.exp)) == "(input, *, out=None)"
    assert str(inspect.signature(torch.pow)) == "(input, exponent, *, out=None)"
    assert str(inspect.signature(torch.Tensor.exp_)) == "(input)" and torch.exp_ is torch.Tensor.exp_


def test_operations_have_the_names_of_torch():
    x = torch.tensor([0.5, -1.0, 2.0])
    assert torch.fix(x).tolist() == torch.trunc(x).tolist() == [0, -1, 2]
    assert torch.ne(x, 2).tolist() == torch.not_equal(x, 2).tolist() == [True, True, False]
    assert torch.eq(input=x, other=2).tolist() == [False, False, True]
    assert torch.pow(2, exponent=x).tolist() == [2**0.5, 0.5, 4] or np.allclose(torch.pow(2, exponent=x).tolist(), [2**0.5, 0.5, 4])
    assert torch.special.psi is torch.digamma is torch.special.digamma and torch.special.gammaln is torch.lgamma
    assert torch.mul(2, 3).tolist() == 6 and torch.mul(2, True).dtype is torch.int64


def test_functions_in_place_return_their_tensor():
    x = torch.tensor([1.0, 4.0])
    assert x.sqrt_() is x and x.tolist() == [1, 2]
    assert x.mul_(3).pow_(2).neg_() is x and x.tolist() == [-9, -36]
    assert x.lt_(-10) is x and x.tolist() == [0, 1] and x.dtype is torch.float32
    assert x.logical_not_().tolist() == [1, 0]
    view = torch.arange(6.0).reshape(2, 3)[:, 1]
    assert view.exp_() is view and np.allclose(view.tolist(), np.exp([1, 4]))


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda t: torch.exp(3), TypeError, "exp(): argument 'input' (position 1) must be Tensor, not int"),
        (lambda t: torch.isnan("1"), TypeError, "isnan(): argument 'input' (position 1) must be Tensor, not str"),
        (lambda t: torch.sqrt(), TypeError, 'sqrt() missing 1 required positional arguments: "input"'),
        (lambda t: torch.tan(t, t), TypeError, "tan() takes 1 positional argument but 2 were given"),
        (lambda t: torch.cos(t, dim=0), TypeError, "cos() got an unexpected keyword argument 'dim'"),
        (lambda t: t.mul([1]), TypeError, "mul(): argument 'other' (position 2) must be Tensor or Number, not list"),
        (lambda t: torch.fmax(t, 1.0), TypeError, "fmax(): argument 'other' (position 2) must be Tensor, not float"),
        (lambda t: torch.lt(1, t), TypeError, "lt(): argument 'input' (position 1) must be Tensor, not int"),
        (lambda t: torch.hypot(t, torch.ones(3)), RuntimeError, "The size of tensor a (2) must match the size of tensor b (3)"),
        (lambda t: t.atan2_(torch.ones(4, 2)), RuntimeError, "output with shape [2] doesn't match the broadcast shape [4, 2]"),
        (lambda t: t.long().exp_(), RuntimeError, "result type Float can't be cast to the desired output type Long"),
        (lambda t: t.to(torch.complex64).abs_(), RuntimeError, "In-place abs is not supported for complex tensors."),
        (lambda t: t.float_power_(2), RuntimeError, "the base given to float_power_ has dtype torch.float32"),
        (lambda t: torch.abs(t, out=t.long()), RuntimeError, "Expected out tensor to have dtype torch.float32, but got torch.int64"),
        (lambda t: torch.exp(t, out=[]), TypeError, "argument 'out' must be Tensor, not list"),
        (lambda t: t.requires_grad_().log_(), RuntimeError, "a leaf Variable that requires grad is being used in an in-place operation."),
        (lambda t: torch.ones(1).expand(2).sin_(), RuntimeError, "unsupported operation: more than one element of the written-to tensor"),
    ],
)
def test_errors_of_torch(call, error, text):
    with pytest.raises(error) as raised:
        call(torch.ones(2))
    assert str(raised.value).startswith(text)


def test_out_accepts_results():
    x, out = torch.tensor([1.0, -2.0]), torch.empty(0)
    assert torch.abs(x, out=out) is out and out.tolist() == [1, 2]
    wide = torch.empty(2, dtype=torch.float64)
    assert torch.mul(x, 2, out=wide) is wide and wide.tolist() == [2, -4]


def test_derivatives_follow_a_call_in_place():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    assert y.square_() is y and y.grad_fn is not None
    y.sum().backward()
    assert x.grad.tolist() == [18, 36]


def test_no_python_runs_in_a_call():
    t, u = torch.ones(4, 5), torch.ones(5)
    for call in (
        lambda: torch.exp(t),
        lambda: t.abs(),
        lambda: torch.mul(2, u),
        lambda: torch.atan2(t, u),
        lambda: t.isfinite(),
        lambda: torch.pow(t, exponent=2),
        lambda: t.mul_(u),
        lambda: t.logical_or_(t),
        lambda: torch.relu(t),
    ):
        assert events_of(call) == []
