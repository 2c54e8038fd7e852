"""Elementwise functions that are faces of the engine's table: how they accept arguments, what they refuse, and what runs in a call."""

import inspect
import warnings

import numpy as np
import pytest
import quern as qn
import quern.cupy as cp
import quern.torch as torch
from test_faces import events_of


def test_unary_functions_and_methods_are_one():
    for name in ("exp", "neg", "absolute", "asin", "erf", "bitwise_not", "isnan", "rad2deg", "relu"):
        function, method = getattr(torch, name), getattr(torch.Tensor, name)
        assert function.__name__ == method.__name__ == name and function.__doc__ == method.__doc__ != ""
        assert function.__qualname__ == name and method.__qualname__ == "Tensor." + name
        assert next(iter(inspect.signature(function).parameters)) == "input"
    assert str(inspect.signature(torch.exp)) == "(input, *, out=None)"
    assert str(inspect.signature(torch.pow)) == "(input, exponent, *, out=None)"
    assert str(inspect.signature(torch.Tensor.exp_)) == str(inspect.signature(torch.exp_)) == "(input)"


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
        (lambda t: torch.Tensor.mul_(3, t), TypeError, "mul_(): argument 'input' (position 1) must be Tensor, not int"),
        (lambda t: torch.Tensor.add_(3, t), TypeError, "add_(): argument 'input' (position 1) must be Tensor, not int"),
        (lambda t: torch.exp(t, out=[]), TypeError, "exp(): argument 'out' must be Tensor, not list"),
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


def test_no_python_runs_in_a_call(no_allocator):
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


BODIES = [
    (lambda t: torch.add(t, t, alpha=2), [-4.5, 0, 7.5]),
    (lambda t: torch.sub(1, t, alpha=2), [4, 1, -4]),
    (lambda t: torch.rsub(t, 1), [2.5, 1, -1.5]),
    (lambda t: t.div(2, rounding_mode="trunc"), [0, 0, 1]),
    (lambda t: torch.div(torch.tensor([-7, 7]), 2, rounding_mode="trunc"), [-3, 3]),
    (lambda t: torch.clamp(t, 0, max=1.0), [0, 0, 1]),
    (lambda t: t.clip(max=None, min=torch.tensor(0.5)), [0.5, 0.5, 2.5]),
    (lambda t: torch.clamp_max(t, 1), [-1.5, 0, 1]),
    (lambda t: t.clamp(float("nan")).isnan(), [True, True, True]),
    (lambda t: torch.nan_to_num(t / 0, posinf=3, neginf=None), [float(np.finfo("f4").min), 0, 3]),
    (lambda t: t.round(decimals=0), [-2, 0, 2]),
    (lambda t: torch.sign(t / t), [1, 0, 1]),
    (lambda t: torch.frac(t), [-0.5, 0, 0.5]),
    (lambda t: torch.lerp(t, t + 2, 0.5), [-0.5, 1, 3.5]),
    (lambda t: torch.lerp(t, t + 2, weight=t), [-4.5, 0, 7.5]),
    (lambda t: torch.addcmul(t, t, t, value=2), [3, 0, 15]),
    (lambda t: t.clone().addcdiv_(t, t + 1), [1.5, 0, 2.5 + 2.5 / 3.5]),
    (lambda t: torch.sinc(t * 2), [0, 1, 0]),
    (lambda t: torch.isclose(t, t + 1e-9), [True, True, True]),
    (lambda t: torch.heaviside(t, t + 7), [0, 7, 1]),
    (lambda t: torch.isposinf(1 / t), [False, True, False]),
    (lambda t: torch.isneginf(-1 / t), [False, True, False]),
    (lambda t: t.isreal(), [True, True, True]),
    (lambda t: torch.logaddexp(t, t), [-1.5 + np.log(2), np.log(2), 2.5 + np.log(2)]),
    (lambda t: torch.logaddexp(torch.complex(t, t), t.to(torch.complex64)).imag, [-0.75, 0, 1.25]),
]


@pytest.mark.parametrize("case", range(len(BODIES)))
def test_functions_of_several_operations(case):
    call, wanted = BODIES[case]
    assert np.allclose(call(torch.tensor([-1.5, 0.0, 2.5])).tolist(), wanted, atol=1e-6)


def test_wrong_operands_of_functions_of_several_operations():
    t, i, c = torch.ones(2), torch.ones(2, dtype=torch.int64), torch.ones(2, dtype=torch.complex64)
    for call, error, text in [
        (lambda: t.clamp(), RuntimeError, "torch.clamp: At least one of 'min' or 'max' must not be None"),
        (lambda: c.clamp(0), RuntimeError, "clamp is not supported for complex types"),
        (lambda: t.clamp_min("1"), TypeError, "clamp_min(): argument 'min' (position 2) must be Tensor or Number, not str"),
        (lambda: i.add(1, alpha=0.5), RuntimeError, "For integral input tensors, argument alpha must not be a floating point number."),
        (lambda: torch.add(t, t, alpha=t), TypeError, "add(): argument 'alpha' must be Number, not Tensor"),
        (lambda: torch.div(t, t, rounding_mode="up"), RuntimeError, "div expected rounding_mode to be one of None, 'trunc', or 'floor'"),
        (lambda: torch.sign(c), NotImplementedError, "Unlike NumPy, torch.sign is not intended to support complex numbers."),
        (lambda: i.round(decimals=1), NotImplementedError, "\"round\" not implemented for 'Long'"),
        (lambda: c.logit(), NotImplementedError, "\"logit\" not implemented for 'ComplexFloat'"),
        (lambda: torch.lerp(t, i, 0.5), RuntimeError, "expected dtype torch.float32 for `end` and `weight`"),
        (lambda: torch.addcdiv(t, i, i), RuntimeError, "Integer division with addcdiv is no longer supported"),
        (lambda: torch.heaviside(t, i), RuntimeError, "heaviside is not yet implemented for tensors with different dtypes."),
        (lambda: torch.isposinf(c), TypeError, "isposinf does not support complex inputs."),
        (lambda: torch.equal(t, 1), TypeError, "equal(): argument 'other' (position 2) must be Tensor, not int"),
        (lambda: torch.isclose(t, i), RuntimeError, "Float did not match Long"),
        (lambda: t.allclose(t, atol=-1), RuntimeError, "atol must be greater than or equal to zero, but got -1"),
        (lambda: torch.isclose(t, torch.ones(3)), RuntimeError, "The size of tensor a (2) must match the size of tensor b (3)"),
        (lambda: t.lerp_(torch.ones(3, 2), 0.5), RuntimeError, "output with shape [2] doesn't match the broadcast shape [3, 2]"),
        (lambda: i.addcmul_(t, t), RuntimeError, "result type Float can't be cast to the desired output type Long"),
    ]:
        with pytest.raises(error) as raised:
            call()
        assert str(raised.value).startswith(text), (str(raised.value), text)


def test_limits_pass_no_gradient():
    x = torch.tensor([-1.0, 0.5, 1.0, 3.0], requires_grad=True)
    torch.clamp(x, -1, 1).sum().backward()
    assert x.grad.tolist() == [0, 1, 0, 0]


def test_no_python_runs_in_functions_of_several_operations(no_allocator):
    t, u = torch.ones(4, 5), torch.ones(4, 5)
    for call in (
        lambda: torch.add(t, u, alpha=2),
        lambda: t.sub_(1),
        lambda: torch.div(t, u, rounding_mode="floor"),
        lambda: torch.clamp(t, 0, 1),
        lambda: t.clamp_(min=0.5),
        lambda: torch.sigmoid(t),
        lambda: t.rsqrt(),
        lambda: torch.nan_to_num(t),
        lambda: torch.round(t),
        lambda: t.lerp_(u, 0.5),
        lambda: torch.isclose(t, u),
        lambda: torch.allclose(t, u),
        lambda: torch.equal(t, u),
        lambda: t.logaddexp(u),
    ):
        assert events_of(call) == []


NUMPYS = [
    ("round", (1,), {}),
    ("around", (), {"decimals": -1}),
    ("nan_to_num", (), {}),
    ("nan_to_num", (True, 7), {"posinf": 2.5}),
    ("nan_to_num", (), {"nan": np.array([1.0, 2.0]), "neginf": -1}),
    ("isclose", (np.array([[1.0], [2.0]]),), {"rtol": 0.5}),
    ("isclose", (2,), {"atol": np.array([0.0, 3.0]), "equal_nan": True}),
    ("allclose", ([1, 1],), {"atol": 1e30}),
    ("sinc", (), {}),
    ("isposinf", (), {}),
    ("isneginf", (), {"out": np.zeros((2, 2))}),
    ("isreal", (), {}),
    ("iscomplex", (), {}),
]


@pytest.mark.parametrize("dtype", ["float64", "float16", "int32", "bool", "complex64"])
@pytest.mark.parametrize("call", NUMPYS, ids=str)
def test_calls_are_numpys(call, dtype):
    name, args, kwargs = call
    for host in (np.array([[1.25, np.inf], [-15.0, np.nan]]), np.array([[0.0, 1.0], [26.0, 3.5]])):
        with np.errstate(all="ignore"):
            host = host.astype(dtype)
            wanted = outcome(lambda x=host: getattr(np, name)(x, *args, **kwargs))
        assert outcome(lambda x=host: getattr(qn, name)(qn.asarray(x), *args, **kwargs)) == wanted


def outcome(call):
    """The values as text, dtype and shape of a call's result, or the kind of its error."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            result = np.asarray(call())
    except Exception as error:
        return TypeError if isinstance(error, TypeError) else type(error)
    return np.array2string(result.astype(complex), precision=2), result.dtype, result.shape


def test_wrong_calls_have_numpys_error():
    for name, args, kwargs in [
        ("round", (), {}),
        ("round", ("x", 1.5), {}),
        ("round", ("x",), {"out": np.ones(3)}),
        ("round", ("x",), {"out": np.ones(2, int)}),
        ("nan_to_num", ("x",), {"nan": 1j}),
        ("nan_to_num", ("x",), {"posinf": np.ones((3, 2))}),
        ("isclose", ("x", np.ones(3)), {}),
        ("isclose", ("x",), {}),
        ("allclose", ("x", "x", 1, 2, True, 3), {}),
        ("sinc", ("x",), {"out": 3}),
    ]:

        def of(xp, name=name, args=args, kwargs=kwargs):
            x = xp.asarray([1.5, np.inf])
            return outcome(lambda: getattr(xp, name)(*(x if isinstance(one, str) else one for one in args), **kwargs))

        assert of(qn) == of(np), name


def test_results_are_written_where_they_are_asked_for():
    x, out = qn.asarray([1.26, np.nan]), qn.zeros(2)
    assert qn.round(x, 1, out=out) is out and out.tolist()[0] == 1.3
    assert qn.nan_to_num(x, copy=False) is x and x.tolist() == [1.26, 0]
    z = qn.asarray([complex(np.nan, np.inf)])
    assert qn.nan_to_num(z, copy=False, posinf=3) is z and z.tolist() == [3j]
    number = qn.round(qn.asarray(2.6))
    same = number
    number += 1
    assert (same, number) == (3, 4)


def test_cupys_functions():
    c = cp.asarray([1.0, np.nan])
    assert type(cp.isclose(c, 1)) is type(cp.nan_to_num(c)) is type(cp.sinc(c)) is cp.ndarray and cp.allclose(c, c, equal_nan=True) is True
    for call in (lambda: cp.isclose(c, np.ones(2)), lambda: cp.isclose([1], c), lambda: cp.sinc(np.ones(2))):
        with pytest.raises(TypeError, match="Unsupported type <class '.*'>; make an array of it with cupy.asarray"):
            call()


def test_no_python_runs_in_calls_of_numpys_functions(no_allocator):
    x = qn.ones((4, 5))
    for call in (
        lambda: qn.round(x, 2),
        lambda: x.round(decimals=1),
        lambda: qn.isclose(x, 1.0, rtol=0.1),
        lambda: qn.allclose(x, x),
        lambda: qn.nan_to_num(x, nan=2),
        lambda: qn.sinc(x),
        lambda: qn.isposinf(x),
        lambda: qn.isreal(x),
    ):
        assert events_of(call) == []


def test_keras_functions_have_keras_types():
    pytest.importorskip("quern.keras")
    from quern.keras.backend import numpy as ops
    from quern.keras.backend.core import convert_to_tensor

    for dtype, real in [("bool", "float32"), ("int64", "float32"), ("uint8", "float32"), ("float16", "float16"), ("float64", "float64")]:
        x = convert_to_tensor([1, 0, 1], dtype)
        for name in ("exp", "sin", "floor", "arctan", "log1p", "sqrt"):
            result = getattr(ops, name)(x)
            assert result.dtype == real and type(result) is type(x), (name, dtype)
        assert ops.isnan(x).dtype == ops.logical_not(x).dtype == "bool" and ops.absolute(x).dtype == dtype
        assert ops.square(x).dtype == ("int32" if dtype == "bool" else dtype)
    assert np.allclose(ops.tanh([1.0, 2.0]), np.tanh([1.0, 2.0])) and ops.isclose([1.0], 1.0).tolist() == [True]
    assert ops.nan_to_num(convert_to_tensor([np.nan, 2.0]), nan=5.0).tolist() == [5, 2]
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        ops.exp()


def test_no_python_of_quern_runs_in_keras_functions():
    pytest.importorskip("quern.keras")
    from quern.keras.backend import numpy as ops
    from quern.keras.backend.core import cast, convert_to_tensor

    x = convert_to_tensor([1.0, 2.0])
    for call in (
        lambda: ops.exp(x),
        lambda: ops.isfinite(x),
        lambda: ops.isclose(x, x),
        lambda: convert_to_tensor(x),
        lambda: convert_to_tensor([1, 2, True]),
        lambda: convert_to_tensor(3, "float16"),
        lambda: cast(x, "int32"),
    ):
        assert events_of(call) == []


def test_limits_that_the_type_does_not_have():
    assert torch.clamp(torch.tensor([250, 3], dtype=torch.uint8), -1).tolist() == [250, 3]
    assert torch.clamp_max(torch.tensor([250, 3], dtype=torch.uint8), 300).tolist() == [250, 3]
    assert torch.tensor([100, -5], dtype=torch.int8).clamp_(-1000, 1000).tolist() == [100, -5]


def test_signs_of_nan_and_sinc_of_short_types():
    nan = float("nan")
    assert torch.sgn(torch.tensor([nan, 1.0, -2.0])).tolist() == [0, 1, -1]
    for dtype in (torch.float16, torch.bfloat16):
        x = torch.tensor([300.0, 0.5], dtype=dtype)
        assert torch.sinc(x).tolist() == torch.sinc(x.float()).to(dtype).tolist()


def test_erfinv(device):
    """The number whose erf is x, with its gradient; at the ends both are infinite."""
    x = torch.tensor([-1.0, -0.5, 0.0, 0.3, 0.999, 1.0], dtype=torch.float64, requires_grad=True)
    y = torch.erfinv(x)
    y.sum().backward()
    inside = y.detach().numpy()[1:-1]
    np.testing.assert_allclose(torch.erf(torch.tensor(inside)).numpy(), x.detach().numpy()[1:-1], rtol=1e-14, atol=1e-17)
    np.testing.assert_allclose(x.grad.numpy()[1:-1], np.sqrt(np.pi) / 2 * np.exp(inside**2), rtol=1e-12)
    assert y.tolist()[0] == -np.inf and y.tolist()[-1] == np.inf and x.grad.tolist()[0] == x.grad.tolist()[-1] == np.inf
    assert torch.erfinv(torch.tensor([-1.5, np.nan])).isnan().all() and torch.special.erfinv is not None
    for dtype, result in ((torch.int32, torch.float32), (torch.float16, torch.float16), (torch.bfloat16, torch.bfloat16)):
        assert torch.erfinv(torch.tensor([0], dtype=dtype)).dtype is result
    t, out = torch.tensor([0.25]), torch.zeros(1)
    assert torch.erfinv(t, out=out) is out and t.erfinv_() is t and t.item() == out.item()
    with pytest.raises(NotImplementedError, match="\"erfinv\" not implemented for 'ComplexFloat'"):
        torch.erfinv(torch.tensor([1j]))
    with pytest.raises(RuntimeError, match="can't be cast"):
        torch.tensor([0]).erfinv_()
    assert events_of(lambda: t.erfinv()) == []
