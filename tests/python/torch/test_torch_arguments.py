"""What is no tensor where functions and layers of torch.nn need one: PyTorch's exception, with the parameter's name, at once."""

import pytest
import quern.torch as torch
from arrays import cases
from torch_oracle import compare_all

CALLS = """
nn.Linear(2,2)(np.ones((1,2))) | F.relu([1.]) | F.cross_entropy(torch.ones(1,2),[1])
F.cross_entropy(np.ones((1,2)),torch.tensor([0])) | nn.Embedding(3,2)([1])
F.embedding(torch.tensor([1]),3) | F.layer_norm(np.ones(2),(2,)) | F.dropout(3)
F.gelu(None) | nn.ReLU()(None) | F.pad([1],(1,1)) | F.nll_loss([1],[2])
F.leaky_relu(np.ones(2)) | F.elu(2) | F.scaled_dot_product_attention(1,2,3)
F.cosine_similarity([1],[2]) | F.kl_div(1,2) | F.softplus('a') | F.bilinear(1,2,3)
F.prelu(1,2) | F.rms_norm(1,(2,)) | F.hardtanh(2) | F.logsigmoid(2)
F.gumbel_softmax([1]) | F.triplet_margin_loss(1,2,3) | F.multi_margin_loss(1,2)
F.poisson_nll_loss(1,2) | F.hinge_embedding_loss(1,2) | F.pairwise_distance(1,2)
F.linear(torch.ones(2),[1]) | F.linear(torch.ones(2),torch.ones(2,2),[1]) | F.celu(1)
F.selu(2) | F.selu_(2) | F.mish(2) | F.silu(2) | F.hardsigmoid(2)
F.hardswish(2) | F.relu6(2) | F.threshold(2,1,1) | F.softshrink(2)
F.hardshrink(2) | F.rrelu(2) | F.alpha_dropout(2) | F.feature_alpha_dropout(2)
F.batch_norm(1,one,one) | F.cosine_embedding_loss(1,2,3)
F.multilabel_margin_loss(1,2) | F.soft_margin_loss(1,2) | F.nll_loss(torch.ones(1,2),[0])
F.triplet_margin_loss(one,one,3)
F.embedding(np.array([1]),torch.ones(2,2)) | F.layer_norm(torch.ones(2),(2,),1)
F.group_norm(torch.ones(1,2),1,3) | F.relu_(2) | F.leaky_relu_(2) | F.elu_(2)
F.hardtanh_(2) | F.threshold_(2,1,1) | F.celu_(2) | F.rrelu_(2)
F.kl_div(one,2) | F.poisson_nll_loss(one,2)
F.cosine_similarity(one,2) | F.prelu(one,2)
F.bilinear(one,one,2) | torch.layer_norm(1,(2,))
torch.selu_(1) | torch.embedding(torch.ones(2,2),3) | torch.prelu(1,one)
torch.celu(2) | torch.rrelu(1) | torch.hardshrink(1) | torch.dropout(1,.5,True)
torch.group_norm(2,1) | nn.Dropout()(3) | nn.LayerNorm(2)([1,2])
nn.CrossEntropyLoss()(torch.ones(1,2),np.array([0])) | nn.Tanh()(3) | nn.Sigmoid()([1])
nn.GELU()(np.ones(2)) | nn.Bilinear(1,1,1)(1,2) | nn.PReLU()(3)
nn.Embedding(3,2)(np.array([1]))
"""


@pytest.mark.parametrize("line", CALLS.strip().splitlines())
def test_what_is_no_tensor_raises_pytorchs_error(device, line):
    compare_all([f"one = torch.ones(1, device=device)\nraises(lambda: {call})" for call in line.split(" | ")], device)


def test_embedding_of_torch_takes_the_table_first(device):
    table = torch.arange(6.0, device=device.kind).reshape(3, 2)
    assert torch.embedding(table, torch.tensor([2, 0], device=device.kind)).tolist() == [[4.0, 5.0], [0.0, 1.0]]
    with pytest.raises(TypeError, match="argument 'indices' \\(position 2\\) must be Tensor, not int"):
        torch.embedding(table, 3)


SIZES = """
x.broadcast_to(2, 2, 3) | x.broadcast_to((2, 2, 3)) | x.broadcast_to(size=(2, 3)) | torch.broadcast_to(x, [2, 3]) | torch.broadcast_to(x, 2) | x.broadcast_to()
torch.reshape(x, (3, 2)) | torch.reshape(x, 3, 2) | torch.flip(x, 0) | torch.flip(x, [0]) | torch.tile(x, 2) | torch.tile(x, (2,)) | torch.permute(x, 1, 0) | torch.permute(x, (1, 0))
x.expand() | x.reshape() | x.permute() | x.repeat() | x.tile() | x.flip() | x.view() | x.view(True) | torch.zeros() | torch.rand() | x.new_zeros() | x.new_ones(2, 3)
torch.full(2, 3) | torch.full((2,), 3) | x.new_full(2, 3) | x.new_full([2], 3) | torch.randint(3, 2) | torch.randint(3, (2,)).shape | torch.block_diag() | torch.broadcast_tensors([x, x])
x.squeeze(0, 1) | x[None].squeeze(0, 1) | x.squeeze(axis=0) | x.count_nonzero(0, 1) | x.count_nonzero(0) | x.hsplit(1, 2) | x.vsplit(1) | x.swapaxes(axis0=0, axis1=1) | x.swapdims(dim0=0, dim1=1)
x.repeat_interleave((1, 2), 0) | x.repeat_interleave([2]) | x.sum(0, 1) | x.sum(0, True) | x.amax(0, keepdim=1) | x.sort(descending=1) | x.topk(1, 1, 1) | torch.atleast_1d(x, [x])
"""
TURNED = [f"{x}.{name}" for x in ("s", "x[0]", "x", "x[None]", "(x + 1j)") for name in ("T", "mT", "H", "mH", "adjoint()", "t()", "diag_embed()")]


def test_sizes_one_by_one_or_in_a_sequence(device):
    head = "x = torch.arange(6.0).reshape(2, 3)\nmade = []\n"
    calls = cases(SIZES)
    compare_all([f"{head}raises(lambda: made.append({call}))[0], made" for call in calls], device)


def test_last_dimensions_exchanged(device):
    head = "s, x, made = torch.tensor(2.0), torch.arange(6.0).reshape(2, 3), []\n"
    compare_all([f"{head}raises(lambda: made.append({call})), made" for call in TURNED], device)


def test_what_is_no_argument():
    """None and texts are neither numbers, sizes, types nor bools: TypeError, as PyTorch raises."""
    x = torch.ones(2, 3)
    calls = """torch.arange(0, None, 1) | torch.arange(0, 5, None) | torch.arange(0, end=None) | torch.range(0, None) | x.exponential_(None)
    x.normal_(0, None) | x.uniform_(0, None) | F.dropout(x, None) | F.smooth_l1_loss(x, x, beta=None) | x.new_zeros(None) | x.new_ones(None)
    F.cross_entropy(x, torch.tensor([0, 1]), label_smoothing=None) | x.new_empty(None) | x.requires_grad_('abc') | x.requires_grad_(1)
    x.numpy(force='abc') | x.type(torch.ones(2)) | x.type(5) | torch.iinfo(None) | torch.finfo(None) | x.copy_(None) | x.copy_([1.0, 2.0, 3.0])
    torch.einsum(None, x) | torch.einsum(5, x) | x.var(unbiased=None)"""
    for call in calls.replace("\n", " | ").split(" | "):
        with pytest.raises(TypeError):
            eval(call, {"torch": torch, "F": torch.nn.functional, "x": x})
    assert x.tolist() == [[1.0] * 3] * 2 and not x.requires_grad
