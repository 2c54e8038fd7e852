"""Products of vectors and matrices, and parts of matrices, as faces of the engine's table: compared with NumPy's and PyTorch's."""

import inspect
import pickle
import warnings

import numpy as np
import pytest
import quern as qn
import quern.cupy as cupy
import quern.torch as torch
from test_faces import events_of
from torch_oracle import compare_all

VECTORS = [[1, -2, 3], [0.5, 2, -1]]
CALLS = [
    ("dot", [[[1, 2], [3, 4]], [[1.5, 0], [2, 1]]]),
    ("dot", VECTORS),
    ("dot", [2, [1, 2]]),
    ("dot", [np.ones((2, 3, 4)), np.ones((5, 4, 2))]),
    ("dot", [[1, 2, 3], [1, 2]]),
    ("vdot", [[1j, 2], [1j, 2]]),
    ("vdot", [[[1, 2], [3, 4]], [1, 2, 3, 4]]),
    ("vdot", [[1, 2], [3]]),
    ("inner", VECTORS),
    ("inner", [np.ones((2, 3)), np.ones((4, 3), "float32")]),
    ("inner", [np.ones(3), 2]),
    ("inner", [np.ones((2, 3)), np.ones(2)]),
    ("outer", [[1, 2], [[3, 4], [5, 6]]]),
    ("outer", [[True, False], np.array([3, 4], "int8")]),
    ("kron", [[1, 10], [[1, 2], [3, 4]]]),
    ("tensordot", [np.arange(6).reshape(2, 3), np.arange(12.0).reshape(3, 4), 1]),
    ("tensordot", [np.arange(6).reshape(2, 3), np.arange(6).reshape(2, 3)]),
    ("tensordot", [np.arange(24).reshape(2, 3, 4), np.arange(12).reshape(4, 3), ([1, 2], [1, 0])]),
    ("tensordot", [np.arange(24).reshape(2, 3, 4), np.arange(12).reshape(4, 3), (1, -1)]),
    ("tensordot", [[1, 2], [3, 4], 0]),
    ("tensordot", [[1, 2], [3, 4], 3]),
    ("tensordot", [[1, 2], [3, 4], ([0], [0, 1])]),
    ("tensordot", [np.ones((2, 3)), np.ones((2, 3)), ([1], [0])]),
    ("cross", [[1, 2, 3], [[4, 5, 6], [7, 8, 9.5]]]),
    ("cross", [np.arange(12).reshape(3, 4), np.ones((3, 4)), 0, 0, 1]),
    ("cross", [np.ones((2, 4)), np.ones((2, 4))]),
    ("cross", [[1, 2], [3, 4]]),
    ("cross", [[1, 2], [3, 4, 5]]),
    ("cross", [1, [3, 4, 5]]),
    ("tril", [np.arange(12).reshape(3, 4), 1]),
    ("tril", [[1, 2, 3]]),
    ("triu", [np.arange(24.0).reshape(2, 3, 4), -1]),
    ("triu", [5]),
    ("diagonal", [np.arange(24).reshape(2, 3, 4), 1, 2, 1]),
    ("diagonal", [np.arange(6).reshape(2, 3), -5]),
    ("diagonal", [np.arange(6).reshape(2, 3), 0, 1, 1]),
    ("diagonal", [np.arange(6).reshape(2, 3), 0, 0, 7]),
    ("diagonal", [[1, 2]]),
    ("diag", [[1, 2], 1]),
    ("diag", [[[1, 2], [3, 4]], -1]),
    ("diag", [np.ones((2, 2, 2))]),
    ("diag", [3]),
    ("diagflat", [[[1, 2], [3, 4]], -1]),
    ("diagflat", [3]),
    ("trace", [np.arange(9, dtype="int8").reshape(3, 3), 1]),
    ("trace", [np.arange(24.0).reshape(2, 3, 4), 0, 1, 2, "float32"]),
    ("trace", [[1, 2]]),
    ("linalg.outer", [[1, 2], [3, 4]]),
    ("linalg.outer", [[[1, 2]], [3, 4]]),
    ("linalg.cross", [[1, 2, 3], [4, 5, 6]]),
    ("linalg.cross", [[1, 2], [4, 5]]),
    ("linalg.tensordot", [np.ones((2, 3)), np.ones((3, 2))]),
    ("linalg.diagonal", [np.arange(24).reshape(2, 3, 4)]),
    ("linalg.trace", [np.arange(24).reshape(2, 3, 4)]),
    ("linalg.trace", [[1, 2]]),
]
NAMES = sorted({name for name, _ in CALLS})


def member(xp, name):
    for part in name.split("."):
        xp = getattr(xp, part)
    return xp


def outcome(call):
    """The values with type, shape; or the type of the error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            result = call()
    except Exception as error:
        return type(error)
    return np.asarray(result).tolist(), result.dtype, result.shape


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call[0])
def test_calls_are_numpys(device, call):
    name, args = call
    wanted = outcome(lambda: member(np, name)(*args))
    assert outcome(lambda: member(qn, name)(*args)) == wanted
    ours = [qn.asarray(one) if isinstance(one, np.ndarray) else one for one in args]
    assert outcome(lambda: member(qn, name)(*ours)) == wanted
    if isinstance(wanted, type) or name.startswith("linalg."):  # which CuPy has not
        return
    count = 1 if name in ("diag", "diagflat", "diagonal", "trace", "tril", "triu") else 2  # of arrays
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of vectors of two components
        result = member(cupy, name)(*map(cupy.asarray, args[:count]), *args[count:])
    assert type(result) is cupy.ndarray and result.tolist() == wanted[0]


@pytest.mark.parametrize("name", [name for name in NAMES if name != "trace"])  # which also records launches
def test_function_objects(name):
    function = member(qn, name)
    module = "quern.linalg" if "." in name else "quern"
    assert function.__name__ == name.rpartition(".")[2] and function.__module__ == module
    assert "." in name or pickle.loads(pickle.dumps(function)) is function
    try:
        theirs = inspect.signature(member(np, name)).parameters
    except ValueError:  # of a function written in C
        return
    ours = inspect.signature(function).parameters
    assert [p.default for p in ours.values()] == [p.default for p in theirs.values()]
    assert list(ours) == list(theirs)


def test_out_is_numpys():
    a, b = np.arange(4.0).reshape(2, 2), np.ones((2, 2))
    out = qn.zeros((2, 2))
    assert qn.dot(qn.asarray(a), b, out) is out and out.tolist() == (a @ b).tolist()
    for wrong in (qn.zeros((2, 3)), qn.zeros((2, 2), dtype="float32"), qn.zeros((2, 2)).T[:, ::-1]):
        with pytest.raises(ValueError, match="output array is not acceptable"):
            qn.dot(a, b, out=wrong)
    with pytest.raises(TypeError):
        qn.outer([1.5], [2.5], out=qn.zeros((1, 1), dtype=int))
    out = qn.zeros(3)
    assert qn.trace(np.ones((2, 2, 3)), out=out) is out and out.tolist() == [2, 2, 2]


def test_diagonals_are_views():
    x = qn.zeros((3, 3))
    for view in (x.diagonal(), qn.diag(x), qn.diagonal(x, 1), qn.linalg.diagonal(x)):
        assert view.base is x and not view.flags.writeable
    made = qn.diag(qn.arange(3))
    assert made.base is None and made.flags.writeable and qn.diagflat([1]).flags.writeable
    assert cupy.diagonal(cupy.zeros((2, 2))).flags.writeable
    records = qn.asarray(np.array([[(1, 2.0), (3, 4.0)]] * 2, [("a", "i2"), ("b", "f8")]))
    assert qn.diagonal(records)["b"].tolist() == [2, 4] and qn.diagflat(records["a"][0]).tolist() == [[1, 0], [0, 3]]


def test_results_go_where_the_arrays_are():
    assert type(qn.dot([1, 2], cupy.ones(2))) is cupy.ndarray and type(cupy.dot([1.0, 2.0], cupy.ones(2))) is cupy.ndarray
    with pytest.raises(TypeError, match="Unsupported type"):
        cupy.vdot(np.ones(2), cupy.ones(2))


SIZES = (), (2,), (3,), (2, 2), (2, 3), (3, 2), (2, 2, 2), (3, 2, 2), (2, 3, 2), (0, 2), (2, 0)
PAIRS = [
    f"""
def call(a, b):
    x, y = torch.full(a, 2.0), torch.arange(float(math.prod(b))).reshape(b)
    try:
        return torch.{name}(x, y)
    except Exception as error:
        return type(error).__name__, str(error)[:60]
[call({a}, b) for b in {SIZES}]
"""
    for name in "matmul mm bmm mv dot vdot inner outer ger kron".split()
    for a in SIZES
]
TORCH = [
    "torch.addmm(torch.ones(2), torch.ones(2, 3), torch.ones(3, 2), beta=2, alpha=0.5)",
    "torch.addmm(torch.ones(2, 2).int(), torch.ones(2, 3).int(), torch.ones(3, 2).int(), beta=2.5, alpha=1.5)",
    "torch.addmm(torch.full((2, 2), math.nan), torch.ones(2, 3), torch.ones(3, 2), beta=0)",
    "torch.addmv(torch.ones(2), torch.ones(2, 3), torch.ones(3), alpha=2)",
    "torch.addr(torch.ones(2, 3), torch.ones(2), torch.ones(3), beta=3)",
    "torch.addr(torch.ones(2, 3).bool(), torch.ones(2).bool(), torch.ones(3).bool())",
    "torch.baddbmm(torch.ones(2, 1, 2), torch.ones(2, 3, 2), torch.ones(2, 2, 2), alpha=-1)",
    "torch.addbmm(torch.ones(3, 2), torch.ones(2, 3, 2), torch.ones(2, 2, 2), beta=0.5)",
    "x = torch.ones(2, 2)\ny = x * 3\n[x.addmm_(y, y, alpha=2), x.addr_(y[0], y[1]), x.tril_(), x.triu_(1)]\nx",
    "x = torch.ones(2, 2, requires_grad=True)\n(x * 2).addmm_(x, x, beta=3).sum().backward()\nx.grad",
    "x = torch.ones(2, 2, requires_grad=True)\n(torch.diag_embed(x, 1) * 2 + torch.kron(x, torch.ones(2, 2))[:3, :3]).sum().backward()\nx.grad",
    "x = torch.ones(3, 3, requires_grad=True)\n(x.trace() * 2 + x.tril().sum() + x.diagonal(1).sum() + torch.diag(x).sum()).backward()\nx.grad",
    "torch.cross(torch.arange(9.0).reshape(3, 3), torch.ones(3, 3)), torch.linalg.cross(torch.arange(9.0).reshape(3, 3), torch.ones(3, 3))",
    "torch.cross(torch.ones(3, 1), torch.arange(12.0).reshape(3, 4))",
    "torch.linalg.cross(torch.arange(6.0).reshape(2, 3), torch.ones(1, 3))",
    "torch.tensordot(torch.ones(2, 3), torch.arange(6.0).reshape(3, 2), 1), torch.tensordot(torch.ones(2), torch.ones(3), 0)",
    "torch.tensordot(torch.ones(2, 1), torch.arange(6.0).reshape(3, 2), ([1], [0]))",
    "torch.tensordot(torch.ones(2, 3, 4), torch.ones(4, 3), torch.tensor([[1, 2], [1, 0]]))",
    "x = torch.arange(24).reshape(2, 3, 4)\nx.diagonal(1), x.diagonal(0, 1, 2), x.diagonal(-1, -1, 0), torch.linalg.diagonal(x, offset=1)",
    "x = torch.arange(4)\n[torch.diag(x, k) for k in (-1, 0, 2)], torch.diag(torch.ones(2, 3), 1), torch.diagflat(x.reshape(2, 2), -1)",
    "x = torch.arange(4.0).reshape(2, 2)\n[torch.diag_embed(x, k, a, b) for k, a, b in ((0, -2, -1), (1, 0, 2), (-1, 2, 0))]",
    "x = torch.arange(9)\nx.reshape(3, 3).trace(), x.int().reshape(3, 3).trace(), x.half().reshape(3, 3).trace()",
    "out = torch.empty(0)\n(torch.mm(torch.ones(2, 2), torch.ones(2, 2), out=out) is out), out",
    "torch.inner(torch.ones(()), torch.ones(2).int()), torch.inner(torch.ones(2).int(), torch.tensor(1.5))",
    *(
        f"raises(lambda: torch.{call})"
        for call in """mm(torch.ones(2, 2), torch.ones(2, 2).long())
dot(torch.ones(2), torch.ones(2).long())
vdot(torch.ones(2), torch.ones(2).long())
mv(torch.ones(2, 2), torch.ones(2).long())
bmm(torch.ones(2, 2, 2), torch.ones(2, 2, 2).long())
inner(torch.ones(2), torch.ones(2).long())
addmm(torch.ones(2, 2).long(), torch.ones(2, 2), torch.ones(2, 2))
addmm(torch.ones(3, 2), torch.ones(2, 2), torch.ones(2, 2))
addmv(torch.ones(3), torch.ones(2, 2), torch.ones(2))
addmv(torch.ones(2).long(), torch.ones(2, 2), torch.ones(2))
addr(torch.ones(2, 2).long(), torch.ones(2).long(), torch.ones(2).long(), alpha=0.5)
addr(torch.ones(2, 2), torch.ones(2, 2), torch.ones(2))
baddbmm(torch.ones(3, 2, 2), torch.ones(2, 2, 2), torch.ones(2, 2, 2))
baddbmm(torch.ones(2, 2, 2).long(), torch.ones(2, 2, 2), torch.ones(2, 2, 2))
tensordot(torch.ones(2, 3), torch.ones(2, 2), 1)
tensordot(torch.ones(2, 3), torch.ones(3, 2), 3)
tensordot(torch.ones(2, 3), torch.ones(3, 2), -1)
tensordot(torch.ones(2, 3), torch.ones(3, 2), ([0], [0, 1]))
tensordot(torch.ones(2, 3), torch.ones(3, 2), ([5], [1]))
tensordot(torch.ones(2, 3), torch.ones(3, 2).long(), 1)
cross(torch.ones(2, 2), torch.ones(2, 2))
cross(torch.ones(3, 2), torch.ones(3, 2), dim=1)
cross(torch.ones(3, 2), torch.ones(3))
linalg.cross(torch.ones(3, 2), torch.ones(3, 2))
trace(torch.ones(2))
trace(torch.ones(2, 2).bool())
diag(torch.ones(2, 2, 2))
diagonal(torch.ones(2))
diagonal(torch.ones(2, 2), 0, 0, 0)
diagonal(torch.ones(2, 2), 0, 0, 5)
diag_embed(torch.ones(2), 0, 0, 0)
diag_embed(torch.ones(()))
tril(torch.ones(2))
tril(torch.ones(2, 2), 1.5)
triu(torch.ones(()))""".splitlines()
    ),
]


def test_calls_are_pytorchs():
    compare_all(TORCH)


def test_products_of_all_ranks_are_pytorchs():
    compare_all(PAIRS)


def test_nothing_of_python_runs_between_the_users_line_and_the_result(no_allocator):
    x, t, c = qn.ones((3, 3)), torch.ones(3, 3), cupy.ones((3, 3))
    for call in (
        lambda: qn.dot(x, x),
        lambda: x.dot(x),
        lambda: qn.inner(x, x),
        lambda: qn.tensordot(x, x, 1),
        lambda: qn.cross(x, x),
        lambda: x.trace(),
        lambda: x.diagonal(1),
        lambda: qn.diag(x),
        lambda: qn.tril(x, 1),
        lambda: qn.linalg.diagonal(x, offset=1),
        lambda: cupy.dot(c, c),
        lambda: cupy.tril(c),
        lambda: cupy.trace(c),
        lambda: torch.mm(t, t),
        lambda: t.addmm(t, t, beta=0.5),
        lambda: t.addmm_(t, t),
        lambda: torch.linalg.matmul(t, t),
        lambda: torch.tensordot(t, t, 1),
        lambda: torch.diag(t),
        lambda: t.diag_embed(),
        lambda: t.triu(1),
    ):
        assert events_of(call) == []


EINSUMS = """einsum("ij,jk", f(2, 3))
einsum("ij", f(2))
einsum("ijk", f(2, 2))
einsum("i...jk", f(2, 2))
einsum("i1", f(2, 2))
einsum("ij->ik", f(2, 2))
einsum("ij->ii", f(2, 2))
einsum("ii", f(2, 3))
einsum("ij,jk", f(2, 3), f(2, 3))
einsum("ij,jk", f(2, 1), f(2, 3))
einsum("...ij->ij", x.reshape(2, 3, 4))
einsum("...ij->ji...", x.reshape(2, 3, 4))
einsum("iji->j", x[:12].reshape(2, 3, 2))
einsum("Ab", x.reshape(4, 6))
einsum("ba", x.reshape(4, 6))
einsum("i->", f(3).int())
einsum("ij,j->i", f(3, 2).int(), f(2).int())
einsum("ij,k->i", f(3, 2).int(), f(2).int())
einsum("i", [f(3)])
einsum("i")
einsum(x.reshape(4, 6), [0, 1], x[:12].reshape(6, 2), [1, 2], [0, 2])
einsum(x.reshape(4, 6), [1, 0])
einsum(x.reshape(4, 6), [0, 60])
einsum(x.reshape(4, 6), [..., 1], [1])
einsum("i..j", f(2, 3))
einsum("i->", f(2).bool())
einsum("i,i->i", f(2).bool(), f(2).bool())
einsum("ij , jk,kl -> il", x.reshape(4, 6), f(6, 2), f(2, 3))
einsum(",i->i", f(()), f(3))
einsum("...", f(()))
einsum("i,j", f(0), f(3))
einsum("ij,ij", f(2, 3), f(1, 3))""".splitlines()
EINSUM = """
f, x = torch.ones, torch.arange(24.0)
def call(function, *args):
    try:
        return function(*args)
    except Exception as error:
        return type(error).__name__, str(error)[:33]
call(torch."""


def test_einstein_sums_are_pytorchs():
    compare_all([EINSUM + case.replace("(", ", ", 1) for case in EINSUMS])
    compare_all(["x = torch.arange(6.0, requires_grad=True)\ny = x.reshape(2, 3)\ntorch.einsum('ij,kj,i->', y, y, y[:, 0]).backward()\nx.grad"])
    t = torch.ones(3, 3)
    assert events_of(lambda: torch.einsum("ij,jk->ik", t, t)) == []
    x = qn.ones((3, 3))
    assert events_of(lambda: qn.einsum("ij,jk->ik", x, x)) == []
