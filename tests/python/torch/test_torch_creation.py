"""What torch.tensor() accepts and refuses, the base of views, and values at given places; against PyTorch."""

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
