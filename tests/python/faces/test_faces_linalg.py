"""numpy.linalg, cupy.linalg and torch.linalg as faces of the engine's table: values, types and errors are the peers'."""

import inspect

import numpy as np
import pytest
import quern as qn
import quern.cupy as cupy
import quern.cupyx as cupyx
import quern.torch as torch
from test_faces import events_of
from torch_oracle import compare_all

X = np.array([[2.0, 1.0], [1.0, 3.0]])
STACK = np.stack([X, 2 * X, X @ X])
WIDE = np.arange(6.0).reshape(2, 3)
CALLS = [
    *(("norm", (given, order)) for given in (X, [3, 4], STACK) for order in (None, 2, -1, 0, 0.5, np.inf, "fro", "nuc", "f", "x")),
    *(("norm", (X, order)) for order in (3j, [2])),
    *(("norm", (STACK, order, axis)) for order in (None, 1, -2, "nuc", np.array(2)) for axis in (0, -1, (1, 2), (0, 0), (0, 1, 2), 5, [0])),
    ("norm", (np.ones((0, 2)), 1)),
    ("norm", (np.ones(0), np.inf)),
    ("norm", (WIDE.astype("float32"), 3, 1, True)),
    ("norm", (WIDE + 1j, None, (0, 1), True)),
    ("norm", (5,)),
    ("matrix_norm", (STACK,)),
    ("vector_norm", (STACK,)),
    *(("cond", (given, order)) for given in (X, STACK, WIDE) for order in (None, 1, -2, "fro", 7)),
    ("solve", (X, [1.0, 2.0])),
    ("solve", (STACK, np.ones((3, 2, 1)))),
    ("solve", (X, [1, 2, 3])),
    ("inv", (STACK,)),
    ("inv", (X.astype("int32"),)),
    ("inv", (WIDE,)),
    ("inv", ([1.0, 2.0],)),
    ("inv", (X.astype("float16"),)),
    ("det", (STACK,)),
    ("det", (WIDE,)),
    ("slogdet", (X,)),
    ("slogdet", (WIDE,)),
    ("lstsq", (WIDE, [1.0, 2.0])),
    ("lstsq", (WIDE.T, [1.0, 2.0, 4.0], 1e-6)),
    ("lstsq", (X, [1.0, 2.0, 3.0])),
    ("cholesky", (STACK,)),
    ("cholesky", (WIDE,)),
    *(("qr", (WIDE.T, mode)) for mode in ("reduced", "complete", "r", "raw", "other")),
    *(("eigh", (X, side)) for side in ("L", "u", "x")),
    ("eigvalsh", (STACK, "U")),
    ("eig", (X,)),
    ("eigvals", (np.array([[0.0, -1.0], [1.0, 0.0]]),)),
    ("eigvals", ([[np.nan, 0.0], [0.0, 1.0]],)),
    ("svd", (WIDE, False)),
    ("svd", (WIDE, True, False)),
    ("svd", (X, True, False, True)),
    ("svdvals", (STACK,)),
    ("pinv", (WIDE,)),
    ("pinv", (X, 0.5)),
    ("pinv", (STACK, np.array([0.1, 0.9, 0.5]), True)),
    ("matrix_rank", (WIDE,)),
    ("matrix_rank", (X, 2.5)),
    ("matrix_rank", ([0.0, 0.0],)),
    *(("matrix_power", (X, n)) for n in (0, 1, 3, -2, True, 2.0, None, "two")),
    ("matrix_power", (X.astype("int8"), 5)),
    ("matrix_power", (WIDE, 2)),
    ("matrix_power", (np.ones((0, 2, 2)), -1)),
    ("multi_dot", ([WIDE, WIDE.T, X],)),
    ("multi_dot", ([[1.0, 2.0], X, [3.0, 4.0]],)),
    ("multi_dot", ([WIDE, X],)),
    ("multi_dot", ([X],)),
    ("multi_dot", ([X, STACK, X],)),
    ("tensorsolve", (np.eye(6).reshape(2, 3, 2, 3), WIDE)),
    ("tensorsolve", (np.eye(6).reshape(6, 2, 3), np.ones(6))),
    ("tensorsolve", (np.eye(6).reshape(2, 6, 3), np.ones(6), (0, 2))),
    ("tensorsolve", (WIDE, np.ones(2))),
    ("tensorinv", (np.eye(6).reshape(2, 3, 6),)),
    ("tensorinv", (X, 0)),
]
NAMES = sorted({name for name, _ in CALLS})
KEYWORDS = [
    ("pinv", (X,), {"rtol": None}),
    ("pinv", (X,), {"rtol": 0.5}),
    ("pinv", (X, 0.5), {"rtol": 0.5}),
    ("matrix_rank", (X,), {"rtol": 0.5}),
    ("matrix_rank", (X, 0.5), {"rtol": 0.5}),
    ("cholesky", (X,), {"upper": True}),
    ("matrix_norm", (STACK,), {"ord": 1, "keepdims": True}),
    ("vector_norm", (STACK,), {"axis": (0, 2), "ord": 3}),
    ("vector_norm", (STACK,), {"axis": 1, "keepdims": True, "ord": "fro"}),
    ("norm", (STACK,), {"axes": 1}),
    ("inv", (), {}),
]


def outcome(call):
    """The results with types and shapes, and the type of a tuple; or the type of the error, if it comes at the latest with the values."""
    try:
        result = call()
        parts = result if isinstance(result, tuple) else (result,)
        return type(result).__name__ if isinstance(result, tuple) else "", [np.asarray(part) for part in parts]
    except np.exceptions.AxisError:
        return ValueError
    except Exception as error:
        return type(error)


def with_signs(result):
    """The result with the largest part of each vector positive: LAPACK and cuSOLVER choose its sign each as it comes."""
    name, parts = result
    if name in ("EighResult", "SVDResult"):
        vectors = parts[name == "EighResult"]
        largest = np.take_along_axis(vectors, np.abs(vectors).argmax(-2, keepdims=True), -2)
        parts[name == "EighResult"] = vectors / np.sign(largest)
        if name == "SVDResult":
            rows = np.swapaxes(np.sign(largest), -1, -2)
            parts[2] = np.concatenate([parts[2][..., : rows.shape[-2], :] * rows, np.abs(parts[2][..., rows.shape[-2] :, :])], -2)
    return name, parts


def same(got, wanted):
    if isinstance(got, type) or isinstance(wanted, type):
        return got == wanted
    got, wanted = with_signs(got), with_signs(wanted)
    return got[0] == wanted[0] and all(
        a.shape == b.shape and (a.dtype == b.dtype or b.dtype == np.int64) and np.allclose(a, b, rtol=1e-4, equal_nan=True)
        for a, b in zip(got[1], wanted[1], strict=True)
    )


@pytest.mark.parametrize("call", [*((name, args, {}) for name, args in CALLS), *KEYWORDS], ids=lambda call: call[0])
def test_calls_are_numpys(device, call):
    name, args, kwargs = call
    with np.errstate(all="ignore"):
        wanted = outcome(lambda: getattr(np.linalg, name)(*args, **kwargs))
    for given in (args, [qn.asarray(one) if isinstance(one, np.ndarray) else one for one in args]):
        got = outcome(lambda given=given: getattr(qn.linalg, name)(*given, **kwargs))
        assert same(got, wanted), (got, wanted)


@pytest.mark.parametrize("name", NAMES)
def test_function_objects(name):
    function = getattr(qn.linalg, name)
    assert function.__name__ == name and function.__module__ == "quern.linalg" and function.__doc__
    ours, theirs = (inspect.signature(getattr(xp.linalg, name)).parameters for xp in (qn, np))
    assert list(ours) == list(theirs)
    assert [p.default for p in ours.values() if name != "pinv"] == [p.default for p in theirs.values() if name != "pinv"]


def test_cupys_functions():
    x = cupy.asarray(X)
    for name in "norm cond inv det slogdet cholesky qr eigh eigvalsh svd pinv matrix_rank tensorinv eigvals".split():
        args = (x, 1) if name == "tensorinv" else (x,)
        result = getattr(cupy.linalg, name)(*args)
        for part in result if isinstance(result, tuple) else (result,):
            assert type(part) is cupy.ndarray, name
        with pytest.raises(np.linalg.LinAlgError, match="cupy.linalg only supports cupy.ndarray"):
            getattr(cupy.linalg, name)(X)
    assert cupy.linalg.eigvalsh(x.astype("float16")).dtype == np.float16
    with pytest.raises(TypeError):
        qn.linalg.eigvalsh(X.astype("float16"))


def test_what_fails_is_raised_as_errstate_says():
    zeros = cupy.zeros((2, 2))
    assert not np.isfinite(cupy.linalg.inv(zeros).get()).any()
    with cupyx.errstate(linalg="raise"), pytest.raises(np.linalg.LinAlgError):
        cupy.linalg.inv(zeros)
    assert not np.isfinite(cupy.linalg.inv(zeros).get()).any()
    with pytest.raises(np.linalg.LinAlgError):
        qn.asnumpy(qn.linalg.inv(qn.zeros((2, 2))))


def test_nothing_of_python_runs_between_the_users_line_and_the_result(no_allocator):
    x, c = qn.asarray(X), cupy.asarray(X)
    for call in (
        lambda: cupy.linalg.norm(c),
        lambda: cupy.linalg.norm(c, 2, 0, True),
        lambda: qn.linalg.norm(x),
        lambda: qn.linalg.norm(x, "fro"),
        lambda: qn.linalg.inv(x),
        lambda: cupy.linalg.inv(c),
        lambda: cupy.linalg.svd(c),
        lambda: qn.linalg.solve(x, x),
        lambda: qn.linalg.det(x),
        lambda: qn.linalg.matrix_power(x, 3),
        lambda: cupy.linalg.qr(c),
    ):
        assert events_of(call) == []


TORCH_HEAD = """L = torch.linalg
x = torch.tensor([[2.0, 1.0], [1.0, 3.0]])
wide, stack = torch.arange(6.0).reshape(2, 3), torch.stack([x, 2 * x, x @ x])
zeros, f, n = torch.zeros(2, 2), torch.ones, torch.ones(2, 2).long()
def call(function, *args, **kwargs):
    try:
        return function(*args, **kwargs)
    except Exception as error:
        return type(error).__name__, str(error).partition(" (recorded at")[0][:60]
"""
TORCH = r"""
[call(L.norm, given, order) for given in (x, x[0], stack, wide) for order in (None, 2, -1, 0, 0.5, math.inf, "fro", "nuc")]
[call(L.norm, stack, order, dim) for order in (None, 1, -2, "nuc") for dim in (0, -1, (1, 2), [0])]
[call(L.vector_norm, stack, order, dim) for order in (2, 3, 0, -math.inf) for dim in (None, 1, (0, 2), ())]
[call(L.matrix_norm, stack, order, dim, keep) for order in ("fro", "nuc", 1, -2, math.inf) for dim in ((-2, -1), (0, 2)) for keep in (False, True)]
[call(L.vector_norm, f(2), dtype=torch.float64), call(L.vector_norm, f(2, 2).half(), 3), call(L.vector_norm, f(2) + 1j), L.vector_norm(f(0))]
[call(L.vector_norm, n), call(L.matrix_norm, n), call(L.norm, n), call(L.norm, x, 3), call(L.matrix_norm, f(2)), call(L.matrix_norm, x, "x")]
[call(L.vector_norm, x, dim=5), call(L.vector_norm, x, dim=(0, 0)), call(L.vector_norm, f(2), 1j), call(L.norm, stack, 2)]
[call(L.det, one) for one in (x, stack, wide, n, f(2), f(0, 0))], [call(L.slogdet, one) for one in (x, stack, wide, n)]
[call(L.inv, one) for one in (x, stack, wide, n, f(2), zeros, f(3, 0, 0), torch.stack([x, zeros]))], x.inverse(), torch.inverse(x)
[call(L.cholesky, one) for one in (x, stack, wide, n, zeros)], L.cholesky(x, upper=True)
[call(L.solve, *both) for both in ((x, x[0]), (x, wide), (stack, wide), (stack, f(3, 2)), (x, f(3)), (wide, x), (n, n), (zeros, x), (x, n))]
L.solve(x, wide.mT, left=False), L.solve_ex(x, wide), L.inv_ex(x), L.cholesky_ex(x), call(L.solve, x, wide, left=False)
[call(L.qr, one)[1] if one is wide else call(L.qr, one) for one in (wide, n, f(2))], call(L.qr, x, "other"), L.qr(x, "r")
[call(L.svdvals, one) for one in (wide, stack, n, f(2), f(0, 2))], call(L.svd, n), call(L.svd, f(2)), [p.shape for p in L.svd(wide, False)]
[call(L.eigvalsh, one) for one in (x, stack, n, wide)], call(L.eigh, x, "other"), L.eigvalsh(x, "u")
call(L.eig, n), call(L.eigvals, wide), L.eigvals(torch.tensor([[0.0, -1.0], [1.0, 0.0]]))
[call(L.pinv, one, rtol=limit) for one in (wide, stack) for limit in (None, 0.5, torch.tensor(0.1))], L.pinv(x, hermitian=True), torch.pinverse(wide), call(L.pinv, n)[0]
[L.matrix_rank(wide), L.matrix_rank(x, tol=2.5), L.matrix_rank(x, atol=2.0), L.matrix_rank(x, rtol=0.5), L.matrix_rank(stack, hermitian=True)]
[L.matrix_rank(stack, atol=torch.tensor([0.0, 5.0, 9.0]), rtol=torch.tensor(0.3)), L.matrix_rank(x, atol=0.0), L.matrix_rank(f(3, 0, 2)), call(L.matrix_rank, n)[0]]
[call(L.matrix_power, one, k) for one in (x, stack, n, n.bool(), wide, f(2), f(0, 0), f(0, 2, 2), f(3, 0, 0)) for k in (0, 1, 3, -2)]
[call(function, one) for function in (L.lu, L.lu_factor, L.lu_factor_ex) for one in (x, wide, wide.mT, stack, f(2), n, x.half(), zeros, f(2, 2, 2))]
[call(function, f(*size)) for function in (L.lu, L.lu_factor, L.lu_factor_ex) for size in ((0, 0), (3, 0, 2), (3, 2, 0), (0, 2, 3), (0, 3, 2))]
[call(L.lu, x, pivot=False), call(L.lu_factor, n), call(L.lu_factor, x.int()), call(L.lu, n.bool()), call(L.lu_factor_ex, zeros, check_errors=True)]
[call(function, one) for function in (L.ldl_factor, L.ldl_factor_ex) for one in (x, stack, wide, f(2), n, f(0, 0), f(3, 0, 0), f(0, 2, 2))]
z = torch.tensor([[2.0, 1j], [-1j, 3.0]])\n[L.ldl_factor(z), L.ldl_factor(z, hermitian=True), L.lu(z), L.ldl_factor_ex(zeros).info, call(L.ldl_factor, n.int())]
y = (x + wide[:, :2]).requires_grad_()\nP, l, u = L.lu(y)\n(l.sum() * 2 + (u * x).sum() + L.lu_factor(y)[0].sum()).backward()\ny.grad
y = torch.stack([x, x.mT + wide[:, 1:]]).requires_grad_()\nsum((part * part).sum() for part in L.lu(y)).backward()\ny.grad
call(L.matrix_power, x, 2.5), torch.matrix_power(n, 3), x.matrix_power(-1), call(L.matrix_power, zeros, -1), n.int().matrix_power(2)
[call(L.multi_dot, given) for given in ([wide, wide.mT, x], [x[0], x, x[1]], [x], [x, wide.mT], [x, n], [x[0], x[1]])], torch.chain_matmul(x, wide), torch.chain_matmul(x)
out = f(0)\n(L.norm(x, out=out) is out), out
y = x.clone().requires_grad_()\n(L.norm(y) + L.norm(y, "nuc") + L.matrix_norm(y, 1) + L.vector_norm(y, 3) + L.norm(y, -2)).backward()\ny.grad
y = x.clone().requires_grad_()\n(L.inv(y).sum() + L.det(y) + L.slogdet(y)[1] + L.matrix_power(y, -2).sum() + L.cholesky(y).sum()).backward()\ny.grad
y = x.clone().requires_grad_()\nL.matrix_power(y, 0).sum().backward()\n(L.solve(y, wide).sum() + L.multi_dot([y, y, wide]).sum() + L.svdvals(y).sum() + L.pinv(y).sum()).backward()\ny.grad
y = zeros.clone().requires_grad_()\nL.norm(y).backward()\ny.grad
"""


def test_calls_are_pytorchs(device):
    compare_all([TORCH_HEAD + case.replace("\\n", "\n") for case in TORCH.strip().splitlines()], device)


MORE = r"""
[call(L.cond, one, p) for one in (x, stack, wide, zeros, n, f(2)) for p in (None, 2, -2)], [call(L.cond, one, p) for one in (x, stack, zeros) for p in (1, "fro", -math.inf)], L.cond(stack, "nuc")
call(L.vecdot, x, x), call(L.vecdot, stack, x, dim=0), call(L.vecdot, f(2), f(3)), call(L.vecdot, f(2), n[0]), call(L.vecdot, n, n), call(L.vecdot, x, x, dim=5), L.vecdot(x + 1j, x + 2j)
[L.solve_triangular(x, wide, upper=upper, unitriangular=ones) for upper in (True, False) for ones in (True, False)], L.solve_triangular(x, wide.mT, upper=True, left=False)
torch.cholesky_solve(wide, L.cholesky(x)), wide.cholesky_solve(L.cholesky(x, upper=True), upper=True), torch.cholesky_inverse(L.cholesky(x))
[call(L.matrix_exp, one) for one in (x, stack, wide, n, f(0, 0), -9 * x, x.double())], torch.matrix_exp(x), x.matrix_exp()
torch.logdet(x), stack.logdet(), torch.logdet(-x[:1, :1]), [p.abs() for p in torch.svd(wide)], [p.abs() for p in torch.svd(wide, False)]
call(L.tensorinv, torch.eye(6).reshape(2, 3, 6)), call(L.tensorinv, x, 0), call(L.tensorinv, wide, 1), call(L.tensorsolve, torch.eye(6).reshape(2, 3, 2, 3), wide), call(L.tensorsolve, torch.eye(6).reshape(2, 6, 3), f(6), (0, 2)), call(L.tensorsolve, wide, f(2))
[call(L.lstsq, *both) for both in ((x, wide), (n, n), (wide, f(3)), (x, n))], L.lstsq(wide.mT, f(3, 1), driver="gelsd"), L.lstsq(wide.mT, f(3, 2), driver="gels"), L.lstsq(stack, f(3, 2)).rank, call(L.lstsq, x, x, driver="other")
y = x.clone().requires_grad_()\n(L.matrix_exp(y).sum() + torch.logdet(y) + L.cond(y) + L.solve_triangular(y, wide, upper=False).sum() + L.lstsq(y, wide).solution.sum()).backward()\ny.grad
"""


def test_more_calls_are_pytorchs(device):
    compare_all([TORCH_HEAD + case.replace("\\n", "\n") for case in MORE.strip().splitlines()], device, rtol=1e-4, atol=1e-5)


def test_torchs_several_outs():
    x = torch.tensor([[4.0, 1.0], [1.0, 3.0]])
    wrong, right = torch.full((2, 2), 7.0, dtype=torch.float64), torch.full((2, 2), 7.0)
    for call in (lambda: torch.linalg.qr(x, out=(right, wrong)), lambda: torch.linalg.svd(x, out=(right, torch.zeros(2), wrong))):
        with pytest.raises(RuntimeError, match="Expected out tensor to have dtype torch.float32, but got torch.float64"):
            call()
        assert right.tolist() == [[7.0, 7.0]] * 2  # none is written where one cannot be
    values, vectors = torch.zeros(2, dtype=torch.complex128), torch.zeros(2, 2, dtype=torch.complex64)
    assert torch.linalg.eig(x, out=(values, vectors))[0] is values and values.real.sum().item() == pytest.approx(7)
    with pytest.raises(TypeError, match="expected tuple of 2 elements but got 1"):
        torch.linalg.qr(x, out=(right,))
    with pytest.warns(UserWarning, match=r"resized since it had shape \[3\].*required output shape \[2, 2\]"):
        assert torch.add(x, x, out=torch.zeros(3)).shape == (2, 2)
