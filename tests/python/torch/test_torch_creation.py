"""What torch.tensor() accepts and refuses, the base of views, and values at given places; against PyTorch."""

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


def split(table):
    return [one.strip() for line in table.strip().splitlines() for one in line.split(" | ")]


HEAD = """
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], device=device)
w, i = x.clone().requires_grad_(), torch.tensor([1, 0, 1], device=device)
"""


def test_tensors_of_python_values(device):
    compare_all([HEAD + one for one in split(TENSORS)], device)


def test_bases_of_views(device):
    compare_all([HEAD + one for one in split(BASES)], device)


def test_places_and_matrix_exponentials(device):
    compare_all([HEAD + one for one in split(PLACES)], device)


WHOLE = """
torch.softmax(n, 0) | F.softmax(n, 0) | F.log_softmax(n, 0) | F.softmin(n, 0) | torch.nn.Softmax(0)(n) | F.gelu(n) | F.silu(n) | F.elu(n) | F.selu(n) | F.softplus(n) | F.leaky_relu(n) | F.mish(n)
F.hardswish(n) | F.hardsigmoid(n) | F.logsigmoid(n) | F.glu(n) | F.layer_norm(n, (2,)) | F.group_norm(n[None], 1) | F.batch_norm(e, None, None, training=True) | F.mse_loss(n, n) | F.huber_loss(n, n)
F.smooth_l1_loss(n, n) | F.kl_div(n, n) | F.binary_cross_entropy_with_logits(x[0], n) | torch.linalg.inv(e) | torch.linalg.det(e) | torch.linalg.solve(e, e) | torch.linalg.svd(e) | torch.linalg.norm(n)
torch.tril_indices(2, -1) | torch.triu_indices(-1, 2) | torch.linalg.pinv(e) | torch.linalg.eig(e)
"""


def test_functions_of_real_numbers_refuse_integers(device):
    head = HEAD + "n, e = torch.tensor([1, 2], device=device), torch.eye(2, dtype=torch.int64, device=device)\n"
    compare_all([f"{head}raises(lambda: {one})[0]" for one in split(WHOLE)], device)
    rest = "torch.softmax(n, 0, dtype=torch.float32) | F.mse_loss(x[0], n) | F.relu(n) | F.sigmoid(n) | F.softmax(n.float(), 0)"
    compare_all([head + one for one in split(rest)], device)
