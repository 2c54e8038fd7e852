"""What torch.tensor() accepts and refuses, the base of views, and values at given places; against PyTorch."""

import pytest
from arrays import cases
from torch_oracle import compare_all

TENSORS = """
raises(lambda: torch.tensor([None]))[0] | raises(lambda: torch.tensor([[None]]))[0] | raises(lambda: torch.tensor(None))[0] | raises(lambda: torch.tensor([1, None]))[0]
raises(lambda: torch.tensor(["a"])) | raises(lambda: torch.tensor("a")) | raises(lambda: torch.tensor([1, "a"])) | raises(lambda: torch.tensor(b"a")) | raises(lambda: torch.tensor([b"a"]))
raises(lambda: torch.tensor({}))[0] | raises(lambda: torch.tensor([{}]))[0] | raises(lambda: torch.tensor([object()]))[0] | raises(lambda: torch.tensor([1, [2]]))[0]
raises(lambda: torch.tensor([[1], 2]))[0] | raises(lambda: torch.tensor([[1], [2, 3]])) | raises(lambda: torch.tensor([2**70]))[0] | raises(lambda: torch.as_tensor([None]))[0]
raises(lambda: torch.tensor([x[0], x[1]]))[0] | torch.tensor([x[0, 0], x[0, 1]]) | torch.tensor([np.float32(1), 2]) | torch.tensor([np.float64(1), 2.0]) | torch.tensor([np.int32(1), 2])
raises(lambda: torch.FloatTensor([None]))[0] | torch.tensor([np.float32(1), 2.5]) | torch.tensor([[np.float16(1)], [2]]) | torch.tensor(range(3)) | torch.tensor([])
"""
BASES = """
x[0]._base is x | x.view(-1)._base is x | x.T._base is x | x[0][0]._base is x | x.detach()._base is None | x.clone()._base is None | x.data._base is None | x._base is None
x.expand(2, 2, 2)._base is x | x.unsqueeze(0)._base is x | x.chunk(2)[0]._base is x | x.unbind()[1]._base is x | x.diagonal()._base is x | x.as_strided((2,), (1,))._base is x
(x + 1)._base is None | x.to(torch.float32)._base is None | w[0]._base is w | w.view(4)[1:]._base is w | (w * 2)[0]._base is w | x.permute(1, 0)._base is x
"""
PLACES = """
raises(lambda: x.index_add(0, torch.tensor([0, 1], device=device), torch.ones(1, 2, device=device)))[0] | raises(lambda: x.index_copy(0, torch.tensor([0, 1], device=device), torch.ones(1, 2, device=device)))[0]
raises(lambda: F.embedding_bag(i, x, torch.tensor([0, 5], device=device)).tolist())[0] | raises(lambda: F.embedding_bag(i, x, torch.tensor([1, 2], device=device)).tolist())[0]
F.embedding_bag(i, x, torch.tensor([0, 3], device=device)) | F.embedding_bag(i, x, torch.tensor([0, 2], device=device))
torch.matrix_exp(torch.tensor([[1.0]], device=device)).item() == 2.7182817459106445 | torch.matrix_exp(x) | torch.matrix_exp(x.double() * 10) | torch.matrix_exp(x * math.nan) | torch.matrix_exp(x * 0)
"""


FACTORIES = """
torch.zeros(2, 3) | torch.zeros((2, 3), dtype=torch.int8) | torch.zeros([]) | torch.zeros(size=(2,)) | torch.ones(2, 0) | torch.ones(torch.Size([2]), dtype=torch.bool) | torch.ones(2, requires_grad=True)
torch.empty(2, 3).shape | torch.empty(1, 2, 3, 4, memory_format=torch.channels_last).stride() | raises(lambda: torch.empty(2, memory_format=torch.channels_last))[0] | torch.zeros(2, out=torch.empty(5, dtype=torch.int32))
raises(lambda: torch.zeros())[0] | raises(lambda: torch.zeros(-1)) | raises(lambda: torch.ones(2, -3))[0] | raises(lambda: torch.zeros("a"))[0] | raises(lambda: torch.zeros(2.5))[0] | raises(lambda: torch.zeros(2, nonsense=1))[0]
raises(lambda: torch.zeros(2, dtype=torch.float32, out=torch.empty(2, dtype=torch.float64)))[0] | raises(lambda: torch.zeros(2, dtype=3))[0] | raises(lambda: torch.zeros(2, device="nonsense"))[0]
torch.full((2,), 3) | torch.full((2,), 1.5) | torch.full((), True) | torch.full((2,), 1j) | torch.full((2,), 3, dtype=torch.float16) | torch.full((2,), torch.tensor(3.5, device=device), device=device) | torch.full((2,), 2.7, dtype=torch.int32)
torch.full((2,), -1, dtype=torch.uint8) | torch.full((1,), math.inf) | torch.full((1,), 3, dtype=torch.bool) | torch.full((1,), 2**62) | torch.full((1,), np.float64(2)) | torch.full((2,), 1.5, requires_grad=True)
raises(lambda: torch.full((2,), 300, dtype=torch.uint8))[0] | raises(lambda: torch.full((2,), -300, dtype=torch.int8))[0] | raises(lambda: torch.full((2,), math.nan, dtype=torch.int64))[0] | raises(lambda: torch.full((2,), 1j, dtype=torch.float32))[0]
raises(lambda: torch.full(2, 3))[0] | raises(lambda: torch.full((2,)))[0] | raises(lambda: torch.full((2,), "a"))[0] | raises(lambda: torch.full((-2,), 1)) | raises(lambda: torch.full((2,), x))[0]
torch.zeros_like(x) | torch.ones_like(x, dtype=torch.int64) | torch.zeros_like(x.T).stride() | torch.empty_like(x.expand(2, 2, 2)).stride() | torch.full_like(x, 3) | torch.full_like(x, 2.5, dtype=torch.int16) | torch.zeros_like(w, requires_grad=True)
torch.zeros_like(w).requires_grad | torch.ones_like(x[None, None], memory_format=torch.channels_last).stride() | torch.ones_like(x.T, memory_format=torch.contiguous_format).stride() | raises(lambda: torch.zeros_like([1]))[0] | raises(lambda: torch.zeros_like(x, 3))[0]
x.new_zeros(2) | x.new_zeros((2, 1)) | i.new_ones(2, 2) | x.new_empty(3).shape | x.new_full((2,), 3) | i.new_full((2,), 1) | x.new_ones(2, dtype=torch.int8) | x.new_zeros(2, requires_grad=True) | raises(lambda: x.new_full(2, 3))[0] | raises(lambda: x.new_zeros())[0]
torch.arange(5) | torch.arange(1, 7, 2) | torch.arange(0.5, 3) | torch.arange(5, 0, -2) | torch.arange(0, 1, 0.25, dtype=torch.float64) | torch.arange(3, dtype=torch.float16) | torch.arange(3, dtype=torch.uint8) | torch.arange(2.9) | torch.arange(end=3) | torch.arange(start=1, end=3)
torch.arange(torch.tensor(3)) | torch.arange(3, out=torch.empty(0, dtype=torch.int64)) | torch.arange(np.int64(3)) | torch.arange(0, 3, dtype=torch.bfloat16) | torch.arange(1, 3, 0.5, dtype=torch.int64) | torch.arange(3.0, requires_grad=True) | torch.arange(0)
raises(lambda: torch.arange()) [0] | raises(lambda: torch.arange(3, 1))[0] | raises(lambda: torch.arange(1, 3, 0))[0] | raises(lambda: torch.arange(math.inf))[0] | raises(lambda: torch.arange(3, dtype=torch.complex64))[0] | raises(lambda: torch.arange("a"))[0] | raises(lambda: torch.arange(1j))[0]
torch.randint(5, (3,)).shape | torch.randint(0, 5, (2,), dtype=torch.uint8).dtype | torch.randint(1, 2, (2, 2)) | torch.randint(low=3, high=4, size=[2]) | torch.randint_like(x, 3, 4) | torch.randint_like(i, 1) | torch.randint(1, (2,), dtype=torch.float32)
raises(lambda: torch.randint(5, 5, (2,))) | raises(lambda: torch.randint(0, 300, (2,), dtype=torch.uint8))[0] | raises(lambda: torch.randint(-1, 3, (2,), dtype=torch.uint8))[0] | raises(lambda: torch.randint(3))[0] | raises(lambda: torch.randint(3, 4))[0]
raises(lambda: torch.randint(3, (2,), dtype=torch.complex64))[0] | raises(lambda: torch.randint(3, (-2,)))[0] | raises(lambda: torch.randint(2.5, (2,)))[0] | raises(lambda: torch.randint(3, (2,), generator=3))[0] | torch.randint(torch.tensor(1), (2,))
torch.randperm(1) | torch.randperm(0) | torch.randperm(3, dtype=torch.float32).sort()[0] | raises(lambda: torch.randperm(-1))[0] | raises(lambda: torch.randperm(300, dtype=torch.int8))[0] | raises(lambda: torch.randperm(2.5))[0] | torch.rand_like(x.T).stride()
torch.randn_like(x, dtype=torch.float64).dtype | torch.rand_like(x, requires_grad=True).requires_grad | raises(lambda: torch.rand_like(i))[0] | raises(lambda: torch.rand_like([1]))[0] | torch.randn_like(x[None, None], memory_format=torch.channels_last).stride()
torch.eye(2) | torch.eye(2, 3) | torch.eye(3, 2, dtype=torch.int64) | torch.eye(0) | torch.eye(2, requires_grad=True) | torch.eye(n=2, m=1) | raises(lambda: torch.eye(-1)) | raises(lambda: torch.eye(2, -1)) | raises(lambda: torch.eye(2.5))[0] | torch.eye(2, out=torch.empty(3, dtype=torch.float64))
"""


HEAD = """
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], device=device)
w, i = x.clone().requires_grad_(), torch.tensor([1, 0, 1], device=device)
"""


def test_tensors_of_python_values(device):
    compare_all([HEAD + one for one in cases(TENSORS)], device)


def test_factories(device):
    compare_all([HEAD + one for one in cases(FACTORIES)], device)


def test_bases_of_views(device):
    compare_all([HEAD + one for one in cases(BASES)], device)


def test_places_and_matrix_exponentials(device):
    compare_all([HEAD + one for one in cases(PLACES)], device)


WHOLE = """
torch.softmax(n, 0) | F.softmax(n, 0) | F.log_softmax(n, 0) | F.softmin(n, 0) | torch.nn.Softmax(0)(n) | F.gelu(n) | F.silu(n) | F.elu(n) | F.selu(n) | F.softplus(n) | F.leaky_relu(n) | F.mish(n)
F.hardswish(n) | F.hardsigmoid(n) | F.logsigmoid(n) | F.glu(n) | F.layer_norm(n, (2,)) | F.group_norm(n[None], 1) | F.batch_norm(e, None, None, training=True) | F.mse_loss(n, n) | F.huber_loss(n, n)
F.smooth_l1_loss(n, n) | F.kl_div(n, n) | F.binary_cross_entropy_with_logits(x[0], n) | torch.linalg.inv(e) | torch.linalg.det(e) | torch.linalg.solve(e, e) | torch.linalg.svd(e) | torch.linalg.norm(n)
torch.tril_indices(2, -1) | torch.triu_indices(-1, 2) | torch.linalg.pinv(e) | torch.linalg.eig(e)
"""


def test_functions_of_real_numbers_refuse_integers(device):
    head = HEAD + "n, e = torch.tensor([1, 2], device=device), torch.eye(2, dtype=torch.int64, device=device)\n"
    compare_all([f"{head}raises(lambda: {one})[0]" for one in cases(WHOLE)], device)
    rest = "torch.softmax(n, 0, dtype=torch.float32) | F.mse_loss(x[0], n) | F.relu(n) | F.sigmoid(n) | F.softmax(n.float(), 0)"
    compare_all([head + one for one in cases(rest)], device)


# ---- numbers that a type does not have, and what becomes a number

KIND = """
def kind(call):
    try:
        return call()
    except Exception as error:
        return type(error).__name__
"""

NUMBERS = ("float('nan')", "float('inf')", "-float('inf')", "1e30", "1e19", "-1", "-1.5", "300", "300.5", "-300", "2.0**63", "-2**63", "2**63", "2**64", "10**30", "1j", "0j")
TYPES = ("int64", "int32", "int8", "uint8", "uint64", "uint32", "bool", "float16", "float32")


def test_numbers_as_tensors_of_each_type(device):
    compare_all(
        [f"{KIND}kind(lambda: torch.tensor({value}, dtype=torch.{dtype}))" for value in (*NUMBERS, *(f"[{one}]" for one in NUMBERS)) for dtype in TYPES],
        device,
    )


HUGE = """
x + v | v + x | x - v | v * x | x // v | x == v | x < v | x ** v | x.add_(v) | x.fill_(v) | x.clamp(max=v) | x.clamp(min=v) | torch.full((2,), v) | torch.full((2,), v, dtype=x.dtype) | x.new_full((1,), v)
torch.scalar_tensor(v) | torch.scalar_tensor(v, dtype=x.dtype) | torch.where(m, x, v) | x.__setitem__(0, v) | x.__setitem__(m, v) | torch.tensor(v)
"""


@pytest.mark.parametrize("value", ["2**63", "2**64", "-(2**63)", "-(2**63) - 1", "10**30"])
def test_integers_beyond_64_bits(device, value):
    compare_all(
        [
            f"{KIND}x, m, v = torch.zeros(2, dtype=torch.{dtype}), torch.tensor([True, False]), {value}\nkind(lambda: {call})"
            for call in cases(HUGE)
            if device.kind == "cpu" or "//" not in call  # integers: on the CPU PyTorch raises for what wraps to a division by 0
            for dtype in ("float32", "int64", "int32", "uint8", "bool")
        ],
        device,
    )


OBJECTS = f"""{KIND}
import ctypes, fractions, decimal, array
class Real:
    def __float__(self): return 2.5
class Whole:
    def __index__(self): return 3
class Complex:
    def __complex__(self): return 1j
class Int:
    def __int__(self): return 3
half, dec = fractions.Fraction(1, 2), decimal.Decimal("1.5")
"""


def test_objects_that_become_numbers(device):
    values = [f.format(v) for v in ("half", "dec", "Real()", "Whole()", "Complex()", "Int()", "object()") for f in ("{}", "[{}]", "[1, {}]", "[[2.0, {}]]")]
    types = ("float32", "float64", "int64", "uint8", "bool", "complex64")
    calls = [f"torch.tensor({v}, dtype=torch.{t})" for v in values for t in types] + [f"torch.as_tensor({v})" for v in values]
    compare_all([f"{OBJECTS}kind(lambda: {call})" for call in calls], device)


BUFFERS = ("array.array('d', [0.1, 2.0])", "array.array('b', [1])", "b'abcdefgh'", "bytearray(8)", "bytearray()", "memoryview(bytearray(b'abcd'))", "(ctypes.c_double * 2)(1, 2)", "(ctypes.c_ubyte * 4)(1, 2, 3, 4)", "memoryview(np.ones((2, 2)))", "memoryview(np.arange(6.0))[::2]")  # fmt: skip


@pytest.mark.usefixtures("on_the_cpu")
def test_buffers(device):
    calls = [f"torch.asarray({b}{more})" for b in BUFFERS for more in ("", ", dtype=torch.float32", ", dtype=torch.uint8", ", copy=True", ", copy=False")]
    shared = "b = array.array('d', [0.1])\ntorch.asarray(b{more}).fill_(7)\nlist(b)"
    compare_all([f"{OBJECTS}kind(lambda: {call})" for call in calls] + [OBJECTS + shared.format(more=m) for m in ("", ", copy=True", ", copy=False")], device)


def test_history_of_asarray(device):
    head = KIND + "p, x = nn.Parameter(torch.ones(2)), torch.ones(2)\n"
    calls = [f"torch.asarray({o}{c}{d})" for o in ("p", "p * 2", "x", "[1.0]") for c in ("", ", copy=True", ", copy=False") for d in ("", ", dtype=torch.float64", ", dtype=torch.int64")]
    calls += ["torch.Tensor(p)", "torch.Tensor(x)", "torch.Tensor(1.5)", "torch.LongTensor(x)", "torch.FloatTensor(x)", "torch.Tensor([1.5])", "torch.Tensor(2)"]
    compare_all([f"{head}kind(lambda: ({call}).requires_grad)" for call in calls], device)
