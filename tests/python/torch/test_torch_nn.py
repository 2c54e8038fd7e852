"""torch.nn compared with PyTorch: every layer, loss and function, modules' registries, hooks, states and texts, and what is refused."""

import sys

import numpy as np
import pytest
import quern.torch as torch
from torch_oracle import _device_name, compare_all

# Names that every text may use; derive() gives a result, and the gradients of its sum, with weights, of all tensors that want one.
HEAD = """
import copy, pickle, collections

def a(*shape, dtype=torch.float32, scale=0.37, grad=True):
    n = math.prod(shape)
    x = (((torch.arange(n, dtype=torch.float64, device=device) * 7919 % 101) / 25 - 2) * scale * 2.7).reshape(shape).to(dtype)
    return x.requires_grad_() if grad else x

def p(*shape):
    return torch.sigmoid(a(*shape, grad=False)).detach().requires_grad_()

def n(*values, dtype=torch.int64):
    return torch.tensor(list(values), dtype=dtype, device=device)

def derive(f, *xs):
    y = f(*xs)
    ys = y if isinstance(y, tuple) else (y,)
    total = 0
    for part in ys:
        w = (torch.arange(part.numel(), device=device) % 5 + 1).to(part.dtype).reshape(part.shape)
        total = total + (part * w).sum()
    wanted = [x for x in xs if isinstance(x, torch.Tensor) and x.requires_grad]
    if isinstance(f, nn.Module):
        wanted += list(f.parameters())
    if not total.requires_grad:
        return y
    return y.detach(), torch.autograd.grad(total, wanted, allow_unused=True)

def filled(m):
    with torch.no_grad():
        for i, q in enumerate(m.parameters()):
            q.copy_(a(*q.shape, grad=False) * 0.5 + 0.1 * i)
    return m.to(device)

def told(call):
    import warnings
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call()
    return [(w.category.__name__, str(w.message)[:40]) for w in seen]

x = a(3, 4)
EDGES = [-8., -3., -2.5, -1., -.5, 0., .5, 1., 2.5, 3., 6., 8., 25., -30.]
edges = torch.tensor(EDGES, device=device).requires_grad_()
"""


def texts(cases):
    """A text for each line, and for each part of a line between bars."""
    parts = [part.strip() for line in cases.strip().splitlines() for part in line.split(" | ")]
    return [HEAD + part for part in parts if part]


def check(cases, device, **tolerances):
    compare_all(texts(cases), device, **tolerances)


ACTIVATIONS = """
relu(v) | relu6(v) | hardtanh(v) | hardtanh(v, -2., 0.5) | threshold(v, 0.5, -7.) | leaky_relu(v) | leaky_relu(v, 0.3) | elu(v) | elu(v, 0.7) | selu(v) | celu(v) | celu(v, 0.7)
hardsigmoid(v) | hardswish(v) | softshrink(v) | softshrink(v, 2.5) | hardshrink(v) | hardshrink(v, 2.5) | sigmoid(v) | tanh(v) | tanhshrink(v) | softsign(v) | softplus(v) | softplus(v, 2, 5)
logsigmoid(v) | gelu(v) | gelu(v, approximate='tanh') | silu(v) | mish(v) | glu(v, 0) | softmax(v, 0) | softmax(v, -1, dtype=torch.float64) | softmin(v, 0) | log_softmax(v, 0)
log_softmax(v, 0, dtype=torch.float64) | rrelu(v) | rrelu(v, 0.1, 0.5)
"""


def test_activations(device):
    cases = ACTIVATIONS.replace(" | ", "\n").strip().splitlines()
    for start in ("edges", "a(2, 4, 6)", "a(6, 2, dtype=torch.float64)"):
        check("\n".join(f"derive(lambda v: F.{case}, {start})" for case in cases), device, rtol=2e-5, atol=2e-6)
    check(
        """
        F.relu(n(-1, 2)) | F.relu6(n(-1, 7)) | F.softmax(torch.tensor(2.), 0) | F.softmax(torch.tensor([math.inf, 1.]), 0) | F.log_softmax(torch.zeros(0, 3), 0) | F.softmax(torch.zeros(2, 0), 1)
        derive(F.prelu, a(2, 3, 4), a(3)) | derive(F.prelu, a(2, 3), a(1)) | derive(F.prelu, edges, torch.tensor(0.3)) | F.relu(torch.tensor([math.nan, math.inf, -math.inf]))
        F.hardtanh(torch.tensor([math.nan])) | F.elu(torch.tensor([math.nan, math.inf, -math.inf])) | F.logsigmoid(torch.tensor([math.nan, math.inf, -math.inf, -200., 200.]))
        F.softplus(torch.tensor([math.nan, math.inf, -math.inf, -200., 200.])) | F.silu(torch.tensor([-200., 200.])) | F.softmax(a(2, 3, dtype=torch.float16, grad=False), 1)
        told(lambda: F.softmax(x)) | told(lambda: nn.LogSoftmax()(x)) | told(lambda: F.softmin(a(2, 2, 2)))
        raises(lambda: F.glu(a(3))) | raises(lambda: F.prelu(x, a(3))) | raises(lambda: F.rrelu(x, 1, 0.5)) | raises(lambda: F.celu(x, 0)) | raises(lambda: F.hardtanh(x, 1., -1.)) | raises(lambda: F.softmax(x, 3))
        y = F.gumbel_softmax(x, hard=True); (y.detach().sum(1), sorted(set(y.detach().flatten().tolist()))) | F.gumbel_softmax(x, tau=0.5, dim=0).detach().sum(0)
        y = F.rrelu(-torch.ones(1000), training=True); (bool((y <= -1/8).all()), bool((y >= -1/3).all()), round(float(y.mean()), 1))
        """,
        device,
        rtol=2e-5,
        atol=2e-6,
    )


def test_activations_in_place(device):
    names = "relu relu6 hardtanh leaky_relu elu selu celu hardsigmoid hardswish silu mish".split()
    check("\n".join(f"derive(lambda v: F.{name}(v * 1, inplace=True), edges)" for name in names), device, rtol=2e-5, atol=2e-6)
    check(
        """
        y = edges.detach() * 1; z = F.relu_(y); (z is y, y) | y = edges.detach() * 1; (F.elu_(y, 0.5) is y, y) | derive(lambda v: F.threshold_(v * 1, 1., 3.), edges) | derive(lambda v: F.leaky_relu_(v * 1, 0.2), edges)
        y = x.detach(); z = nn.ReLU(inplace=True)(y); z is y | y = x.detach().clone(); (F.dropout(y, 1., inplace=True) is y, y) | raises(lambda: F.relu(x, inplace=True)) | F.celu_(edges.detach() * 1, 0.5)
        F.hardtanh_(edges.detach() * 1) | F.selu_(edges.detach() * 1) | derive(lambda v: F.rrelu_(v * 1), edges)
        """,
        device,
        rtol=2e-5,
        atol=2e-6,
    )


MODULES = """
Threshold(0.1, 20) | ReLU() | ReLU6() | RReLU(0.1, 0.3).eval() | Hardtanh(-0.5, 0.7) | Sigmoid() | Hardsigmoid() | Tanh() | SiLU() | Mish() | Hardswish() | ELU(0.7) | CELU(0.7) | SELU() | GLU()
GELU() | GELU('tanh') | Hardshrink() | LeakyReLU(0.2) | LogSigmoid() | Softplus(2., 5.) | Softshrink(0.3) | PReLU() | PReLU(4) | Softsign() | Tanhshrink() | Softmin(1) | Softmax(0) | LogSoftmax(1)
Identity(1, a=2) | Linear(4, 3) | Linear(4, 3, bias=False) | Flatten() | Flatten(0) | Unflatten(1, (2, 2)) | Unflatten(-1, [2, -1]) | Dropout().eval() | AlphaDropout().eval() | FeatureAlphaDropout().eval()
LayerNorm(4) | LayerNorm((3, 4)) | LayerNorm(4, bias=False) | LayerNorm(4, elementwise_affine=False) | RMSNorm(4) | RMSNorm((3, 4), eps=0.01) | RMSNorm(4, elementwise_affine=False) | GroupNorm(2, 4) | GroupNorm(1, 4, affine=False)
GroupNorm(2, 4, bias=False) | BatchNorm1d(4) | BatchNorm1d(4).eval() | BatchNorm1d(4, affine=False) | BatchNorm1d(4, bias=False, track_running_stats=False) | Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 2))
"""


def test_layers(device):
    cases = MODULES.replace(" | ", "\n").strip().splitlines()
    check("\n".join(f"derive(filled(nn.{case}), x)" for case in cases), device, rtol=3e-5, atol=3e-6)
    check(
        """
        derive(filled(nn.Linear(4, 3)), a(2, 5, 4)) | derive(filled(nn.Linear(4, 3)), a(4)) | derive(filled(nn.Linear(4, 3, dtype=torch.float64)), a(5, 4, dtype=torch.float64)) | nn.Linear(0, 3)(torch.ones(2, 0)).shape
        derive(F.linear, x, a(4)) | derive(F.linear, a(2, 3, 4), a(5, 4), a(5)) | derive(F.linear, x, a(5, 4))
        derive(filled(nn.Bilinear(4, 3, 2)), x, a(3, 3)) | derive(filled(nn.Bilinear(2, 3, 4, bias=False)), a(2, 3, 2), a(2, 3, 3)) | derive(F.bilinear, a(2), a(3), a(4, 2, 3), a(4))
        raises(lambda: nn.Bilinear(4, 3, 2)(x, x)) | raises(lambda: nn.Bilinear(0, 3, 2)) | raises(lambda: nn.Unflatten(1, (2, 3))(x)) | raises(lambda: nn.Unflatten(1, 2)) | raises(lambda: nn.Dropout(2))
        derive(nn.Softmax2d(), a(2, 3, 2, 2)) | derive(nn.Softmax2d(), a(3, 2, 2)) | raises(lambda: nn.Softmax2d()(x)) | derive(nn.Flatten(1, 2), a(2, 3, 4, 2)) | derive(filled(nn.PReLU(3)), a(2, 3, 2, 2))
        derive(nn.CosineSimilarity(), x, a(3, 4, scale=0.5)) | derive(nn.CosineSimilarity(0), x, a(1, 4)) | derive(F.cosine_similarity, x, a(4), 1) | F.cosine_similarity(torch.zeros(2, 3), torch.ones(2, 3))
        derive(nn.PairwiseDistance(), x, a(3, 4, scale=0.5)) | derive(nn.PairwiseDistance(1., keepdim=True), x, a(4)) | derive(lambda u, v: F.pairwise_distance(u, v, p=3.), x, a(3, 4, scale=0.2)) | F.pairwise_distance(x, a(1, 4), math.inf).detach()
        derive(F.normalize, x) | derive(lambda v: F.normalize(v, 1, 0), x) | F.normalize(torch.zeros(2, 3)) | F.normalize(x.detach(), math.inf, -1) | F.normalize(x.detach(), out=torch.zeros(3, 4))
        F.one_hot(n(0, 2, 1)) | F.one_hot(n(0, 2, 1), 5) | F.one_hot(n(0, 1).reshape(2, 1), 2) | raises(lambda: F.one_hot(x)) | raises(lambda: F.one_hot(n(-1, 1))) | raises(lambda: F.one_hot(n()))
        derive(lambda v: F.pad(v, (1, 2)), x) | derive(lambda v: F.pad(v, (1, 0, 0, 2), value=3.), x) | derive(lambda v: F.pad(v, (-1, 2, 1, -1)), x) | F.pad(n(1, 2), (1, 1), value=7) | raises(lambda: F.pad(x, (1,)))
        raises(lambda: F.pad(x, (1, 1, 1, 1, 1, 1))) | raises(lambda: F.pad(x, (1, 1), mode='foo')) | derive(lambda v: F.pad(v, [0, 0, 1, 1]), a(2, 3, 2))
        derive(lambda v: F.local_response_norm(v, 2), a(2, 4, 3)) | derive(nn.LocalResponseNorm(5, 0.5, 0.6, 2.), a(2, 4, 3, 2)) | raises(lambda: F.local_response_norm(x, 2))
        F.local_response_norm(n(*range(16)).reshape(1, 4, 4), 3) | F.local_response_norm(torch.ones(0, 4, 2), 3).shape | raises(lambda: F.local_response_norm(a(1, 4, 2), 0)) | F.local_response_norm(a(1, 2, 2).detach(), 9)
        raises(lambda: F.one_hot(n(1), 2.))[0] | F.one_hot(n(2)[0]) | F.one_hot(n().reshape(0, 2), 3).shape | F.pad(n(1, 2), (1, 0), value=1.5) | F.pad(x > 0, (1, 0), value=2.) | raises(lambda: F.pad(n(1), (1, 0), value=math.nan))[0] | F.pad(x[0, 0].detach(), ())
        raises(lambda: F.pad(x, (1, 1), 'reflect', 1.)) | raises(lambda: F.pad(x > 0, (1, 1), 'reflect')) | raises(lambda: F.pad(x > 0, (1, 1), 'replicate')) | raises(lambda: F.pad(x, (-3, -1), 'reflect')) | raises(lambda: F.pad(x, 1)) | raises(lambda: F.pad(x, (-3, -2)))[0]
        F.pad(torch.ones(0, 2, 3), (1, 1), 'circular').shape | F.pad(torch.ones(0, 2, 3), (1, 1), 'reflect').shape | F.pad(a(1, 3).detach(), (-2, -1), 'circular').shape | raises(lambda: F.pad(torch.ones(1, 2, 0), (1, 1), 'reflect')) | derive(lambda v: F.pad(v, (2, -1), 'reflect'), a(1, 3))
        raises(lambda: F.pad(x, (), 'reflect'))[0] | raises(lambda: F.pad(a(1, 3), (-2, 2), 'circular'))[0] | raises(lambda: F.pixel_shuffle(a(4, 2, 2), True))[0] | raises(lambda: F.channel_shuffle(a(4, 2, 2), 2.))[0] | F.pixel_shuffle(torch.ones(0, 4, 2, 2), 2).shape | F.pixel_unshuffle(a(4, 4).detach().reshape(1, 4, 4), 1)
        """,
        device,
        rtol=3e-5,
        atol=3e-6,
    )


def test_normalization(device):
    check(
        """
        derive(filled(nn.GroupNorm(2, 4)), a(2, 4, 3, 2)) | derive(filled(nn.LayerNorm([3, 2])), a(2, 4, 3, 2)) | derive(filled(nn.RMSNorm([3, 2])), a(2, 4, 3, 2)) | derive(filled(nn.GroupNorm(4, 4)), a(3, 4, 5))
        derive(filled(nn.BatchNorm2d(3)), a(2, 3, 2, 2)) | derive(filled(nn.BatchNorm3d(3)), a(2, 3, 2, 2, 2)) | derive(filled(nn.BatchNorm1d(3)), a(2, 3, 4)) | derive(filled(nn.BatchNorm2d(3)).eval(), a(2, 3, 2, 2))
        m = nn.BatchNorm1d(4); y = [m(a(3, 4).detach()), m(a(5, 4, scale=2).detach())]; (y, m.state_dict(), m.eval()(x).detach())
        m = nn.BatchNorm1d(4, momentum=None); y = [m(a(3, 4).detach()), m(a(5, 4, scale=2).detach())]; (y, m.state_dict()) | m = nn.BatchNorm2d(3, momentum=0.3, affine=False); m(a(2, 3, 2, 2)); m.state_dict()
        m = nn.BatchNorm1d(4); m(x); m.reset_running_stats(); m.state_dict() | m = nn.BatchNorm1d(4, track_running_stats=False).eval(); m(x).detach() | m = nn.BatchNorm1d(4).double(); m(x.double()); m.state_dict()
        raises(lambda: nn.BatchNorm1d(4)(a(1, 4))) | raises(lambda: nn.BatchNorm1d(4)(a(2, 3))) | raises(lambda: nn.BatchNorm2d(4)(x)) | raises(lambda: nn.BatchNorm3d(4)(x)) | raises(lambda: F.batch_norm(x, None, None))
        m = nn.BatchNorm1d(4); s = m.state_dict(); del s['num_batches_tracked']; s._metadata = collections.OrderedDict(); nn.BatchNorm1d(4).load_state_dict(s) | raises(lambda: nn.GroupNorm(3, 4)) | raises(lambda: F.group_norm(x, 3))
        raises(lambda: F.layer_norm(x, (3,))) | raises(lambda: F.rms_norm(x, (3,))) | raises(lambda: F.layer_norm(x, ())) | raises(lambda: F.layer_norm(x, (4,), torch.ones(3))) | derive(lambda v: F.layer_norm(v, [4], eps=0.1), x)
        derive(nn.InstanceNorm1d(3), a(2, 3, 4)) | derive(filled(nn.InstanceNorm2d(3, affine=True)), a(2, 3, 2, 2)) | derive(filled(nn.InstanceNorm3d(2, affine=True, bias=False)), a(2, 2, 2, 2, 2)) | derive(nn.InstanceNorm1d(3), a(3, 4))
        m = nn.InstanceNorm1d(3, track_running_stats=True); y = m(a(2, 3, 4).detach()); (y, m.state_dict(), m.eval()(a(2, 3, 4)).detach()) | raises(lambda: nn.InstanceNorm1d(3)(a(2, 3, 1))) | raises(lambda: nn.InstanceNorm1d(3)(a(3)))
        raises(lambda: nn.InstanceNorm1d(4, affine=True)(a(2, 3, 4))) | told(lambda: nn.InstanceNorm1d(4)(a(2, 3, 4))) | raises(lambda: F.instance_norm(x[:, :, None], use_input_stats=False))
        derive(lambda v, w, b: F.batch_norm(v, None, None, w, b, training=True), x, a(4), a(4)) | derive(lambda v: F.batch_norm(v, torch.ones(4), torch.ones(4) * 2, eps=0.1), x)
        derive(filled(nn.LayerNorm(6, dtype=torch.float64)), a(5, 6, dtype=torch.float64)) | F.layer_norm(a(3, 64, dtype=torch.float32, grad=False) + 1000, (64,)) | F.batch_norm(a(64, 3, dtype=torch.float64, grad=False) + 1000, None, None, training=True)
        """,
        device,
        rtol=1e-4,
        atol=1e-4,
    )


def test_batches_far_from_zero(device):
    import quern.torch as torch

    x = (torch.arange(300, device=_device_name(device)).reshape(100, 3) % 7 + 1000).float()
    exact = torch.nn.functional.batch_norm(x.double(), None, None, training=True)
    assert (torch.nn.functional.batch_norm(x, None, None, training=True) - exact).abs().max() < 1e-5


def test_dropout(device):
    check(
        """
        y = nn.Dropout(0.3)(torch.ones(20000)); (round(float(y.mean()), 1), round(float((y == 0).float().mean()), 1), sorted(set(np.round(y.cpu().numpy(), 4).tolist()))) | nn.Dropout(1.)(x).detach() | nn.Dropout(0.)(x).detach()
        y = nn.Dropout2d(0.5)(torch.ones(8, 64, 3, 3)).cpu().numpy(); bool((y == y[:, :, :1, :1]).all()), sorted(set(y.ravel().tolist())) | y = nn.Dropout3d(0.5)(torch.ones(64, 2, 2, 2)).cpu().numpy(); (bool((y == y[:, :1, :1, :1]).all()), y.shape)
        y = nn.Dropout1d(0.5)(torch.ones(64, 3)).cpu().numpy(); (bool((y == y[:, :1]).all()), y.shape) | y = nn.AlphaDropout(0.4)(torch.zeros(20000) + 1); sorted(set(np.round(y.cpu().numpy(), 4).tolist())) | nn.AlphaDropout(1.)(x).detach()
        y = nn.FeatureAlphaDropout(0.4)(torch.ones(8, 64, 3)).cpu().numpy(); (bool((y == y[:, :, :1]).all()), sorted(set(np.round(y.ravel(), 4).tolist()))) | raises(lambda: F.dropout(x, -1)) | raises(lambda: F.dropout1d(a(3)))
        told(lambda: F.dropout2d(x)) | told(lambda: F.dropout2d(a(2, 3, 4))) | told(lambda: F.dropout3d(x)) | F.dropout(x, training=False) is x | F.alpha_dropout(x) is x
        y = F.dropout(x, 0.5); g, = torch.autograd.grad(y.sum(), x); bool(torch.equal(g != 0, y != 0)) | y = torch.ones(8) * 1; (nn.Dropout(0.5, inplace=True)(y) is y)
        [raises(lambda: f(torch.ones(2, 3, 1, 1).long(), 0.5, True)) for f in (F.dropout2d, F.alpha_dropout, F.feature_alpha_dropout)] | [f(torch.ones(2, 3, 1).long(), 1., True) for f in (F.dropout1d, F.alpha_dropout, F.feature_alpha_dropout)] | F.dropout3d(a(3).detach(), 1.)
        [f(torch.ones(0, 3), 0.5, True).shape for f in (F.dropout1d, F.alpha_dropout, F.feature_alpha_dropout)] | F.feature_alpha_dropout(a(3).detach(), 1., True) | raises(lambda: F.feature_alpha_dropout(a(3), 0.5, True)) | raises(lambda: F.dropout2d(a(3), 0.5))
        y = torch.ones(8, 3, 2); [f(y.clone(), 1., True) for f in (torch.dropout, torch.alpha_dropout, torch.feature_dropout, torch.feature_alpha_dropout)] | y = torch.ones(3, 2); [f(y, p, t) is y for f in (torch.dropout_, torch.feature_dropout_, torch.alpha_dropout_) for p, t in ((0.5, False), (1., True))]
        raises(lambda: torch.dropout(x, 0.5))[0] | hasattr(x, 'dropout') | hasattr(x, 'pixel_shuffle')
        """,
        device,
    )


def test_embedding(device):
    check(
        """
        derive(lambda w: F.embedding(n(1, 0, 1), w), a(4, 3)) | derive(lambda w: F.embedding(n(1, 0, 1, 2).reshape(2, 2), w, padding_idx=1), a(4, 3)) | derive(lambda w: F.embedding(n(1, 0, 1), w, padding_idx=-3), a(4, 3))
        derive(lambda w: F.embedding(n(1, 0, 1), w, scale_grad_by_freq=True), a(4, 3)) | w = a(4, 3, grad=False); (F.embedding(n(1, 0, 1), w, max_norm=0.5), w) | w = a(4, 3, grad=False); (F.embedding(n(1, 0), w, max_norm=0.5, norm_type=1.), w)
        F.embedding(n(1, 0, dtype=torch.int32), a(4, 3)).detach() | F.embedding(n().reshape(0, 2), a(4, 3)).shape | nn.Embedding(4, 3, padding_idx=2).weight[2].detach() | derive(nn.Embedding.from_pretrained(a(4, 3, grad=False)), n(1, 2))
        derive(filled(nn.Embedding(4, 3, padding_idx=0)), n(1, 0, 3)) | derive(nn.Embedding.from_pretrained(a(4, 3, grad=False), freeze=False), n(1, 2)) | raises(lambda: nn.Embedding(4, 3, padding_idx=4)) | raises(lambda: F.embedding(x, x))
        raises(lambda: F.embedding(n(1), a(3))) | raises(lambda: F.embedding(n(1), x, padding_idx=9)) | raises(lambda: nn.Embedding(4, 3, _weight=x)) | [p.requires_grad for p in nn.Embedding(2, 3, _freeze=True).parameters()]
        """,
        device,
    )
    bags = []
    for mode in ("sum", "mean", "max"):
        for rest in ("", ", padding_idx=1", ", max_norm=0.7"):
            bags.append(f"derive(lambda w: F.embedding_bag(n(1, 0, 1, 2, 3, 3).reshape(2, 3), w * 1, mode='{mode}'{rest}), a(4, 3))")
            bags.append(f"derive(lambda w: F.embedding_bag(n(1, 0, 1, 2, 3, 3), w * 1, n(0, 2, 2, 3), mode='{mode}'{rest}), a(4, 3))")
    check("\n".join(bags), device)
    check(
        """
        derive(lambda w, s: F.embedding_bag(n(1, 0, 1, 2), w, n(0, 3), mode='sum', per_sample_weights=s), a(4, 3), a(4)) | derive(lambda w, s: F.embedding_bag(n(1, 0, 1, 2).reshape(2, 2), w, mode='sum', per_sample_weights=s), a(4, 3), a(2, 2))
        derive(lambda w: F.embedding_bag(n(1, 0, 1, 2), w, n(0, 3, 4), include_last_offset=True), a(4, 3)) | derive(filled(nn.EmbeddingBag(4, 3)), n(1, 2, 3, 0).reshape(2, 2)) | derive(filled(nn.EmbeddingBag(4, 3, mode='max')), n(1, 2, 3, 0), n(0, 3))
        raises(lambda: F.embedding_bag(n(1, 0), x)) | raises(lambda: F.embedding_bag(n(1, 0).reshape(1, 2), x, n(0))) | raises(lambda: F.embedding_bag(n(1, 0), x, n(0), mode='x')) | raises(lambda: F.embedding_bag(n(1), x, n(0), per_sample_weights=a(1)))
        derive(nn.EmbeddingBag.from_pretrained(a(4, 3, grad=False), freeze=False, mode='sum'), n(1, 2).reshape(1, 2))
        w = torch.tensor([[1., math.inf], [2., 3.]]).requires_grad_(); derive(lambda w: F.embedding(n(0, 0, 1), w, 1, scale_grad_by_freq=True), w) | raises(lambda: F.embedding(n(1), n(1, 2).reshape(2, 1), max_norm=1.)) | raises(lambda: F.embedding(torch.ones(1), x))
        raises(lambda: F.embedding_bag(n(1), x, n(0), mode='max', scale_grad_by_freq=True)) | raises(lambda: F.embedding_bag(n(1), x, n(0), mode='sum', per_sample_weights=a(1).double())) | raises(lambda: F.embedding_bag(n(1), x.long(), n(0)))
        raises(lambda: F.embedding_bag(n(1), x, n(), include_last_offset=True)) | raises(lambda: F.embedding_bag(n(1), x, n(0), padding_idx=7)) | raises(lambda: F.embedding_bag(n(1), x, torch.zeros(1)))[0]
        F.embedding_bag(n(), x.detach(), n(0, 0)) | F.embedding_bag(n(1, 1, 0, 2).reshape(2, 2), x.detach(), padding_idx=1)
        """,
        device,
    )
    if device.kind == "cpu":  # elsewhere nobody reads the numbers at the call, as in PyTorch
        offsets = ("n(1), x, n(1)", "n(1), x, n(0, 2)", "n(4), x, n(0)")
        check("\n".join(f"raises(lambda: F.embedding_bag({case}))[0]" for case in offsets), device)


def test_offsets_that_decrease_are_refused(device):
    places, table, offsets = (torch.tensor(v, device=device.kind) for v in ([1, 2, 0], [[1.0], [2.0], [3.0]], [0, 2, 1]))
    with pytest.raises(RuntimeError, match="offsets must not decrease, but do by -1"):
        torch.nn.functional.embedding_bag(places, table, offsets, mode="sum").tolist()


LOSSES = """
l1_loss(x, t) | mse_loss(x, t) | smooth_l1_loss(x, t) | smooth_l1_loss(x, t, beta=0.4) | smooth_l1_loss(x, t, beta=0.) | huber_loss(x, t) | huber_loss(x, t, delta=0.4) | huber_loss(x, t, weight=q) | mse_loss(x, t, weight=q) | l1_loss(x, t, weight=q)
kl_div(x, q) | kl_div(x, t, log_target=True) | binary_cross_entropy(q, r) | binary_cross_entropy(q, r, weight=a(4, grad=False)) | binary_cross_entropy_with_logits(x, q) | binary_cross_entropy_with_logits(x, q, weight=r.detach())
binary_cross_entropy_with_logits(x, q, pos_weight=a(4, grad=False)) | poisson_nll_loss(x, q) | poisson_nll_loss(q, r, log_input=False) | poisson_nll_loss(x, t.detach().abs() * 5, full=True) | gaussian_nll_loss(x, t, q) | gaussian_nll_loss(x, t, r[:, :1], full=True)
gaussian_nll_loss(x, t, q[:, 0] * 0.3, eps=0.1) | gaussian_nll_loss(x, t, 0.7) | hinge_embedding_loss(x, s) | hinge_embedding_loss(x, s, margin=0.3) | margin_ranking_loss(x, t, s) | margin_ranking_loss(x, t, s, margin=0.3) | soft_margin_loss(x, s)
cosine_embedding_loss(x, t, s[:, 0]) | cosine_embedding_loss(x, t, s[:, 0], margin=0.2) | cosine_embedding_loss(x[0], t[0], s[0, 0]) | multilabel_soft_margin_loss(x, o) | multilabel_soft_margin_loss(x, o, weight=q[0].detach()) | multilabel_soft_margin_loss(x[0], o[0])
multilabel_margin_loss(x, l) | multilabel_margin_loss(x[1], l[1]) | multi_margin_loss(x, c) | multi_margin_loss(x, c, p=2, margin=0.5) | multi_margin_loss(x, c, weight=w) | multi_margin_loss(x[0], c[0]) | triplet_margin_loss(x, t, q) | triplet_margin_loss(x, t, q, margin=0.5, p=1, swap=True)
triplet_margin_with_distance_loss(x, t, q) | triplet_margin_with_distance_loss(x, t, q, distance_function=lambda u, v: (u - v).abs().amax(-1), margin=2., swap=True)
nll_loss(x, c) | nll_loss(x, c, weight=w) | nll_loss(x, c, ignore_index=2) | nll_loss(x, c, weight=w, ignore_index=1) | nll_loss(x[0], c[0]) | nll_loss(y, c2) | nll_loss(y, c2, weight=w[:3], ignore_index=0)
cross_entropy(x, c) | cross_entropy(x, c, weight=w) | cross_entropy(x, c, ignore_index=2) | cross_entropy(x, c, weight=w, ignore_index=1, label_smoothing=0.2) | cross_entropy(x, c, label_smoothing=0.3) | cross_entropy(x[0], c[0]) | cross_entropy(x[0], c[0], label_smoothing=0.1)
cross_entropy(y, c2) | cross_entropy(y, c2, weight=w[:3]) | cross_entropy(y, c2, label_smoothing=0.1, weight=w[:3], ignore_index=0) | cross_entropy(x, q) | cross_entropy(x, q, weight=w) | cross_entropy(x, q, label_smoothing=0.2) | cross_entropy(y, torch.softmax(y.detach(), 1), weight=w[:3])
cross_entropy(x[0], q[0]) | cross_entropy(x, c.to(torch.uint8)) | cross_entropy(30 * x, c)
"""

GIVEN = """
t = a(3, 4, scale=0.6) + 0.1
q = p(3, 4)
r = (1 - q.detach() ** 2).requires_grad_()
s = torch.sign(a(3, 4, grad=False) + 0.01)
o = (a(3, 4, grad=False) > 0).float()
l = n(1, 3, -1, 0, 0, -1, 2, 1, 3, 2, 1, 0).reshape(3, 4)
c = n(2, 0, 1)
c2 = n(0, 2, 1, 1, 0, 0, 2, 1).reshape(2, 2, 2)
y = a(2, 3, 2, 2)
w = torch.tensor([0.5, 1.5, 2.0, 0.25], device=device)
"""


def test_losses(device):
    cases = LOSSES.replace(" | ", "\n").strip().splitlines()
    for reduction in ("mean", "sum", "none"):
        inside = [f"{case[:-1]}, reduction='{reduction}')" for case in cases]
        everywhere = [HEAD + GIVEN + f"derive(lambda x, t, q, r, y: F.{case}, x, t, q, r, y)" for case in inside]
        compare_all(everywhere, device, rtol=5e-5, atol=5e-6)


def test_loss_modules(device):
    cases = """
    L1Loss()(x, t) | MSELoss()(x, t) | MSELoss(reduction='sum')(x, t) | SmoothL1Loss(beta=0.4)(x, t) | HuberLoss(delta=0.4)(x, t) | KLDivLoss(reduction='batchmean')(x, q) | KLDivLoss(log_target=True)(x, t) | BCELoss()(q, r) | BCELoss(weight=w)(q, r)
    BCEWithLogitsLoss()(x, q) | BCEWithLogitsLoss(weight=w, pos_weight=w, reduction='none')(x, q) | PoissonNLLLoss()(x, q) | PoissonNLLLoss(False, True, reduction='sum')(q, r) | GaussianNLLLoss(full=True)(x, t, q) | HingeEmbeddingLoss(0.5)(x, s)
    MarginRankingLoss(0.1)(x, t, s) | SoftMarginLoss()(x, s) | CosineEmbeddingLoss(0.1)(x, t, s[:, 0]) | MultiLabelSoftMarginLoss(w)(x, o) | MultiLabelMarginLoss()(x, l) | MultiMarginLoss(2, 0.5, w)(x, c) | TripletMarginLoss(0.5, 1., swap=True)(x, t, q)
    TripletMarginWithDistanceLoss(distance_function=nn.PairwiseDistance(1.))(x, t, q) | TripletMarginWithDistanceLoss()(x, t, q) | NLLLoss(w, ignore_index=1)(x, c) | CrossEntropyLoss(w, ignore_index=1, label_smoothing=0.1)(x, c) | CrossEntropyLoss()(x, q)
    MSELoss(size_average=False)(x, t) | L1Loss(reduce=False)(x, t) | CrossEntropyLoss(reduction='none')(y, c2) | NLLLoss2d()(y, c2)
    """
    cases = cases.replace(" | ", "\n").strip().splitlines()
    everywhere = [HEAD + GIVEN + f"derive(lambda x, t, q, r, y: nn.{case.strip()}, x, t, q, r, y)" for case in cases]
    compare_all(everywhere, device, rtol=5e-5, atol=5e-6)


def test_losses_at_their_ends(device):
    everywhere = """
    derive(F.binary_cross_entropy, torch.tensor([0., 1., 0., 1.]).requires_grad_(), torch.tensor([0., 0., 1., 1.])) | derive(F.binary_cross_entropy_with_logits, torch.tensor([0., 90., -90., 300.]).requires_grad_(), torch.tensor([0., 0., 1., 1.]))
    F.cross_entropy(x, n(-100, -100, -100)) | F.cross_entropy(x, n(-100, 1, -100), reduction='sum').detach() | F.nll_loss(torch.tensor([[-math.inf, 0.], [-math.inf, -1.]]), n(-100, 1)) | F.cross_entropy(torch.tensor([[1000., -1000.]]), n(1))
    F.mse_loss(torch.zeros(0), torch.zeros(0)) | F.cross_entropy(torch.zeros(0, 3), n()) | F.kl_div(torch.zeros(3), torch.tensor([0., 1., 0.5]), reduction='sum') | derive(F.l1_loss, torch.zeros(3).requires_grad_(), torch.zeros(3))
    told(lambda: F.mse_loss(x, t[0])) | told(lambda: F.kl_div(x, q)) | told(lambda: F.l1_loss(x, t, size_average=False)) | F.l1_loss(x, t, reduce=False).detach() | F.mse_loss(x, t[0]).detach()
    raises(lambda: F.cross_entropy(x, n(0, 1))) | raises(lambda: F.cross_entropy(x, n(0, 1, 2).float())) | raises(lambda: F.cross_entropy(x, c, label_smoothing=2.)) | raises(lambda: F.cross_entropy(x, c, weight=w[:2])) | raises(lambda: F.cross_entropy(x, c, reduction='mea'))
    raises(lambda: F.nll_loss(torch.tensor(1.), n())) | raises(lambda: F.binary_cross_entropy(q, r[0])) | raises(lambda: F.binary_cross_entropy_with_logits(x, t[0])) | raises(lambda: F.smooth_l1_loss(x, t, beta=-1.)) | raises(lambda: F.huber_loss(x, t, delta=0.))
    raises(lambda: F.margin_ranking_loss(x, t, s[0])) | raises(lambda: F.cosine_embedding_loss(x, t, s)) | raises(lambda: F.multi_margin_loss(x, c, p=3)) | raises(lambda: F.multi_margin_loss(x, n(0, 1))) | raises(lambda: F.multilabel_margin_loss(x, c))
    raises(lambda: F.triplet_margin_loss(x, t, q, margin=-1)) | raises(lambda: F.triplet_margin_loss(x, t, q[0])) | raises(lambda: F.gaussian_nll_loss(x, t, q[0, :2])) | raises(lambda: F.gaussian_nll_loss(x, t, -1.)) | raises(lambda: F.mse_loss(x, t, reduction='x'))
    raises(lambda: F.mse_loss(x, t, weight=w)) | raises(lambda: nn.MultiMarginLoss(3)) | raises(lambda: nn.TripletMarginLoss(0)) | raises(lambda: F.cross_entropy(y, n(0, 1))) | raises(lambda: F.poisson_nll_loss(x, q, reduction='a'))
    """
    cases = everywhere.replace(" | ", "\n").strip().splitlines()
    compare_all([HEAD + GIVEN + case.strip() for case in cases], device, rtol=5e-5, atol=5e-6)


def test_attention(device):
    check(
        """
        derive(F.scaled_dot_product_attention, a(2, 3, 4), a(2, 5, 4), a(2, 5, 6)) | derive(lambda u, v, w: F.scaled_dot_product_attention(u, v, w, is_causal=True), a(2, 2, 3, 4), a(2, 2, 3, 4), a(2, 2, 3, 4))
        derive(lambda u, v, w: F.scaled_dot_product_attention(u, v, w, scale=0.3), a(2, 3, 4), a(2, 5, 4), a(2, 5, 4)) | derive(lambda u, v, m: F.scaled_dot_product_attention(u, v, v, attn_mask=m), a(2, 3, 4), a(2, 5, 4), a(3, 5))
        derive(lambda u, v: F.scaled_dot_product_attention(u, v, v, attn_mask=a(3, 5, grad=False) > 0), a(2, 3, 4), a(2, 5, 4)) | derive(lambda u, v: F.scaled_dot_product_attention(u, v, v, is_causal=True), a(1, 3, 4), a(1, 5, 4))
        F.scaled_dot_product_attention(x[None], x[None], x[None], attn_mask=torch.tensor([[True, False, True], [False] * 3, [True] * 3])).detach() | raises(lambda: F.scaled_dot_product_attention(x, x, x, attn_mask=torch.ones(3, 3), is_causal=True))
        F.scaled_dot_product_attention(a(1, 4, 3, 2), a(1, 2, 3, 2), a(1, 2, 3, 2), enable_gqa=True).detach() | F.scaled_dot_product_attention(x[None], x[None], x[None], attn_mask=torch.tensor([[0., 1., 2.], [-math.inf] * 3, [0., 0., -math.inf]])).detach()
        q, k, v = (a(*s).detach() for s in ((1, 3, 4), (1, 5, 4), (1, 5, 2))); [raises(lambda: F.scaled_dot_product_attention(*given))[0] for given in ((q, k.double(), v), (q[0, 0], k, v), (q, k, v, torch.zeros(3, 5).double()), (q, k, v, torch.zeros(4, 5)), (q, k[..., :2], v), (q, k, v[:, :2]))]
        q, k = a(1, 4, 3, 2).detach(), a(1, 3, 3, 2).detach(); [raises(lambda: F.scaled_dot_product_attention(q[0, 0], k[0, 0], k[0, 0], enable_gqa=True)), raises(lambda: F.scaled_dot_product_attention(q, k, k, enable_gqa=True)), raises(lambda: F.scaled_dot_product_attention(q, q, q, None, 0., False, 2.))[0]]
        raises(lambda: F.scaled_dot_product_attention(x[None], x[None], x[None], dropout_p=2.))[0] | F.scaled_dot_product_attention(x[None] * math.nan, x[None], x[None], attn_mask=torch.tensor([[True, False, True], [False] * 3, [True] * 3])).detach() | F.scaled_dot_product_attention(a(1, 2, 3), a(1, 0, 3), a(1, 0, 2)).detach()
        """,
        device,
        rtol=3e-5,
        atol=3e-6,
    )


REGISTRIES = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 2)
        self.inner = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.Sequential(nn.ReLU()))
        self.same = self.first
        self.weight = nn.Parameter(torch.ones(2))
        self.register_buffer("kept", torch.zeros(2))
        self.register_buffer("temporary", torch.ones(1), persistent=False)
        self.register_buffer("nothing", None)
        self.register_parameter("absent", None)
        self.tied = self.weight

    def forward(self, x, scale=1.0):
        return self.inner(self.same(x)) * scale

m = Model()
"""


def registry_texts(cases):
    parts = [part.strip() for line in cases.strip().splitlines() for part in line.split(" | ")]
    return [HEAD + REGISTRIES + part for part in parts if part]


def test_registries(device):
    compare_all(
        registry_texts("""
        [k for k, v in m.named_parameters()] | [k for k, v in m.named_parameters(remove_duplicate=False)] | [k for k, v in m.named_parameters('a', recurse=False)] | len(list(m.parameters())) | [k for k, v in m.named_buffers()] | [k for k, v in m.named_buffers(recurse=False)]
        [k for k, v in m.named_modules()] | [k for k, v in m.named_modules(prefix='a', remove_duplicate=False)] | [k for k, v in m.named_children()] | len(list(m.children())) | len(list(m.modules())) | list(m.state_dict()) | m.state_dict()._metadata
        list(m.state_dict(prefix='a.', keep_vars=True)) | [v.requires_grad for v in m.state_dict(keep_vars=True).values()] | repr(m) | str(m.inner) | m.get_submodule('inner.2.0') is m.inner[2][0] | m.get_submodule('') is m | m.get_parameter('inner.0.bias') is m.inner[0].bias
        m.get_buffer('inner.1.running_mean') is m.inner[1].running_mean | raises(lambda: m.get_submodule('inner.7')) | raises(lambda: m.get_submodule('weight')) | raises(lambda: m.get_parameter('kept')) | raises(lambda: m.get_parameter('x')) | raises(lambda: m.get_buffer('weight'))
        raises(lambda: m.foo) | raises(lambda: setattr(m, 'weight', torch.ones(2))) | raises(lambda: setattr(m, 'first', 5)) | raises(lambda: setattr(m, 'kept', 5)) | m.weight = None; ('weight' in m._parameters, m.weight) | m.kept = None; list(m.state_dict())
        m.weight = None; del m.weight; m.weight = nn.Linear(1, 1); ('weight' in m._modules, 'weight' in m._parameters) | m.kept = nn.Parameter(torch.ones(1)); ('kept' in m._parameters, 'kept' in m._buffers) | m.x = torch.ones(2); ('x' in m.__dict__, 'x' in m._buffers) | m.kept = torch.ones(3); m._buffers['kept']
        m.b = nn.Buffer(torch.ones(2)); ('b' in m._buffers, 'b' in m.state_dict()) | m.b = nn.Buffer(torch.ones(2), persistent=False); ('b' in m._buffers, 'b' in m.state_dict()) | isinstance(nn.Buffer(torch.ones(1)), nn.Buffer), isinstance(torch.ones(1), nn.Buffer), isinstance(torch.ones(1), nn.Parameter)
        del m.weight; hasattr(m, 'weight') | del m.inner; [k for k, v in m.named_children()] | del m.temporary; m._non_persistent_buffers_set | raises(lambda: delattr(m, 'foo')) | 'first' in dir(m), 'weight' in dir(m), 'kept' in dir(m), '0' in dir(m.inner)
        raises(lambda: m.register_parameter('a.b', None)) | raises(lambda: m.register_parameter('', None)) | raises(lambda: m.register_parameter('forward', None)) | raises(lambda: m.register_parameter(5, None)) | raises(lambda: m.register_parameter('z', torch.ones(1)))
        raises(lambda: m.register_buffer('a.b', None)) | raises(lambda: m.register_buffer('', None)) | raises(lambda: m.register_buffer('forward', None)) | raises(lambda: m.register_buffer('z', 5)) | raises(lambda: m.add_module('a.b', None)) | raises(lambda: m.add_module('', None)) | raises(lambda: m.add_module('forward', None))
        raises(lambda: m.add_module(5, None)) | raises(lambda: m.add_module('z', 5)) | m.register_module('z', nn.ReLU()); m.z.training | raises(lambda: nn.Module()(1)) | raises(lambda: nn.Module(5)) | raises(lambda: nn.Module(a=5)) | raises(lambda: nn.Parameter(5)) [0] in ('TypeError', 'AttributeError')
        m.set_submodule('inner.2', nn.Tanh()); repr(m.inner) | raises(lambda: m.set_submodule('', nn.Tanh())) | nn.Parameter(torch.ones(2)) | nn.Parameter(torch.ones(2), requires_grad=False) | repr(nn.Parameter(torch.ones(2))) | nn.Parameter().shape | raises(lambda: setattr(m, 'y', nn.Parameter(torch.ones(1)) * 2) or m.y.shape)
        c = copy.deepcopy(m); (c.weight is m.weight, c.weight is c.tied, c.first is c.same, list(c.state_dict())) | c = pickle.loads(pickle.dumps(nn.Linear(2, 1))); (type(c.weight).__name__, c.weight.requires_grad, c.weight.shape) | c = copy.copy(m); c.weight is m.weight
        q = nn.Parameter(torch.ones(2)); c = copy.deepcopy(q); (c is q, type(c).__name__, c.requires_grad) | m.call_super_init, m.dump_patches, m._version, nn.BatchNorm1d._version | m.training, m.eval().training, m.inner[1].training, m.train().inner[1].training | raises(lambda: m.train(5))
        [q.requires_grad for q in m.requires_grad_(False).parameters()] | seen = []; m.apply(lambda c: seen.append(type(c).__name__)) is m, seen | m.extra_repr() | m.compile() is None | m.double().weight.dtype, m.kept.dtype, m.inner[1].num_batches_tracked.dtype | m.half().kept.dtype | m.bfloat16().float().weight
        w = m.weight; m.double(); (m.weight is w, w.dtype, type(w).__name__) | m.to(torch.float64) is m, m.weight.dtype | m.to(device, torch.float16).weight.dtype | m.to(torch.ones(1, dtype=torch.float64)).weight.dtype | raises(lambda: m.to(torch.int64)) | m.to(dtype=torch.float64).kept.dtype | m.cpu().weight.device.type
        m(torch.ones(2, 3)).sum().backward(); m.double(); (m.first.weight.grad.dtype, m.first.weight.dtype) | m(torch.ones(2, 3)).sum().backward(); m.zero_grad(); m.first.weight.grad | m(torch.ones(2, 3)).sum().backward(); m.zero_grad(set_to_none=False); m.first.weight.grad
        e = m.to_empty(device=device); (e is m, m.weight.shape, m.weight.requires_grad) | m.type(torch.float64).weight.dtype | type(m.parameters()).__name__ | isinstance(m._modules, dict), m.inner._parameters | m.eval()(torch.ones(2, 3), scale=2.).shape
        """),
        device,
    )


def test_containers(device):
    check(
        """
        s = nn.Sequential(nn.ReLU(), nn.Tanh()); (len(s), [type(q).__name__ for q in s], type(s[-1]).__name__, type(s[:1]).__name__) | s = nn.Sequential(collections.OrderedDict([('a', nn.ReLU()), ('b', nn.Tanh())])); (repr(s), repr(s[1:]), s.a is s[0])
        s = nn.Sequential(nn.ReLU(), nn.Tanh()); s.append(nn.SELU()).insert(0, nn.Sigmoid()); repr(s) | s = nn.Sequential(nn.ReLU(), nn.Tanh(), nn.SELU()); q = s.pop(1); (repr(q), repr(s)) | s = nn.Sequential(nn.ReLU(), nn.Tanh(), nn.SELU()); del s[:2]; repr(s)
        s = nn.Sequential(nn.ReLU(), nn.Tanh()); s[0] = nn.SELU(); repr(s) | repr(nn.Sequential(nn.ReLU()) + nn.Sequential(nn.Tanh())) | s = nn.Sequential(nn.ReLU()); s += nn.Sequential(nn.Tanh()); repr(s) | repr(nn.Sequential(nn.ReLU()) * 2) | repr(2 * nn.Sequential(nn.ReLU()))
        s = nn.Sequential(nn.ReLU()); s *= 3; repr(s) | s = nn.Sequential(nn.ReLU()); s.extend([nn.Tanh()]); repr(s) | raises(lambda: nn.Sequential(5)) | raises(lambda: nn.Sequential()[0]) | raises(lambda: nn.Sequential(nn.ReLU()) + 5) | raises(lambda: nn.Sequential(nn.ReLU()) * 0)[0] | raises(lambda: nn.Sequential(nn.ReLU()) * 'a')[0]
        raises(lambda: nn.Sequential().insert(3, nn.ReLU())) | nn.Sequential()(5) | s = nn.Sequential(nn.ReLU(), nn.ReLU()); s.insert(-1, nn.Tanh()); repr(s)
        s = nn.ModuleList([nn.ReLU(), nn.Tanh()]); (len(s), [type(q).__name__ for q in s], type(s[-1]).__name__, type(s[:1]).__name__, nn.ReLU() in s, s[0] in s) | s = nn.ModuleList([nn.ReLU()]); s.append(nn.Tanh()); s.extend([nn.SELU(), nn.SELU()]); s.insert(1, nn.GELU()); repr(s)
        s = nn.ModuleList([nn.ReLU(), nn.Tanh(), nn.SELU()]); del s[1]; q = s.pop(-1); (repr(s), repr(q)) | s = nn.ModuleList([nn.ReLU(), nn.Tanh()]); s[1] = nn.SELU(); s += [nn.Tanh()]; repr(s) | repr(nn.ModuleList([nn.ReLU()]) + [nn.Tanh()]) | raises(lambda: nn.ModuleList([5])) | raises(lambda: nn.ModuleList()[1]) | raises(lambda: nn.ModuleList(5))
        raises(lambda: nn.ModuleList([nn.ReLU()])(x)) | s = nn.ModuleList(nn.ReLU() for i in range(4)); del s[1:3]; list(s._modules) | repr(nn.ModuleList([nn.Sequential(nn.ReLU(), nn.Tanh()) for i in range(3)])) | '0' in dir(nn.ModuleList([nn.ReLU()]))
        d = nn.ModuleDict({'a': nn.ReLU(), 'b': nn.Tanh()}); (len(d), list(d), 'a' in d, list(d.keys()), [k for k, v in d.items()], [repr(v) for v in d.values()], repr(d['a'])) | d = nn.ModuleDict([['a', nn.ReLU()]]); d['c'] = nn.Tanh(); d.update({'a': nn.SELU()}); q = d.pop('c'); (repr(d), repr(q))
        d = nn.ModuleDict({'a': nn.ReLU()}); del d['a']; d.update(nn.ModuleDict({'z': nn.ReLU()})); list(d) | d = nn.ModuleDict({'a': nn.ReLU()}); d.clear(); len(d) | raises(lambda: nn.ModuleDict({'a': 5})) | raises(lambda: nn.ModuleDict()['a']) | raises(lambda: nn.ModuleDict(5)) | raises(lambda: nn.ModuleDict([[1]])) | raises(lambda: nn.ModuleDict({'keys': nn.ReLU()}))
        s = nn.ParameterList([torch.ones(2), nn.Parameter(torch.zeros(1)), 5]); (len(s), [type(q).__name__ for q in s], len(list(s.parameters())), list(s.state_dict()), type(s[:2]).__name__, s[-1], repr(s)) | s = nn.ParameterList([torch.ones(2)]); s.append(torch.ones(1)); s += [torch.zeros(2)]; s[0] = torch.zeros(3); [list(q.shape) for q in s]
        raises(lambda: nn.ParameterList([torch.ones(1)])()) | raises(lambda: nn.ParameterList()[0]) | raises(lambda: nn.ParameterList(5)) | raises(lambda: nn.ParameterDict({'a': torch.ones(1)})(5)) | raises(lambda: nn.ParameterDict({5: torch.ones(1)})) | raises(lambda: nn.ParameterDict(5))
        d = nn.ParameterDict({'b': torch.ones(2), 'a': nn.Parameter(torch.zeros(1))}); (len(d), list(d), 'a' in d, list(d.keys()), [k for k, v in d.items()], len(list(d.values())), list(reversed(d)), d.get('z'), d.get('a').shape, list(d.state_dict()), repr(d))
        d = nn.ParameterDict(collections.OrderedDict(b=torch.ones(2), a=torch.ones(1))); e = d | nn.ParameterDict({'c': torch.ones(3)}); q = d.pop('a'); d.setdefault('z', torch.ones(4)); f = d.copy(); k, v = d.popitem(); (list(d), list(e), list(f), q.shape, k, v.shape)
        d = nn.ParameterDict({'a': torch.ones(2)}); del d['a']; d['x'] = torch.ones(1); d |= {'y': torch.ones(1)}; e = d.fromkeys(['u', 'v'], torch.ones(1)); d.update([('z', torch.ones(1))]); (list(d), list(e), type(d['x']).__name__) | d = nn.ParameterDict({'a': torch.ones(2)}); d.clear(); len(d)
        """.replace("d | nn", "d.__or__(nn").replace("torch.ones(3)}); q = d.pop", "torch.ones(3)})); q = d.pop"),
        device,
    )


def test_states(device):
    compare_all(
        registry_texts("""
        m.load_state_dict(copy.deepcopy(m.state_dict())) | repr(m.load_state_dict(m.state_dict())) | s = m.state_dict(); s['kept'] = torch.tensor([5., 6.]); m.load_state_dict(s); m.kept | w = m.weight; s = m.state_dict(); s['weight'] = torch.tensor([5., 6.]); m.load_state_dict(s); (m.weight is w, w)
        s = m.state_dict(); del s['kept']; s['foo'] = 1; s['inner.7.x'] = 2; s['inner.0.y'] = 3; m.load_state_dict(s, strict=False) | s = m.state_dict(); del s['kept']; del s['inner.0.weight']; s['foo'] = torch.ones(1); s['weight'] = torch.ones(3); s['first.bias'] = 7; text = None; raises(lambda: m.load_state_dict(s))
        s = m.state_dict(); s['weight'] = torch.tensor([5., 6.]); m.load_state_dict(s, assign=True); (type(m.weight).__name__, m.weight.requires_grad, m.weight) | s = m.state_dict(); s['kept'] = torch.tensor([5., 6.], dtype=torch.float64); m.load_state_dict(s); m.kept | raises(lambda: m.load_state_dict(5))
        h = filled(nn.Linear(2, 2)); seen = []; h.register_state_dict_pre_hook(lambda *z: seen.append(z[1:])); h.register_state_dict_post_hook(lambda mod, s, pre, meta: s.update(extra=1)); (h.state_dict(prefix='a.'), seen)
        h = nn.Linear(2, 2); seen = []; r = h.register_load_state_dict_pre_hook(lambda mod, s, pre, meta, *z: seen.append((mod is h, sorted(s), pre, meta, z))); h.load_state_dict(h.state_dict()); r.remove(); h.load_state_dict(h.state_dict()); seen
        h = nn.Linear(2, 2); h.register_load_state_dict_post_hook(lambda mod, keys: keys.missing_keys.clear()); h.load_state_dict({'bias': torch.ones(2)}) | h = nn.Linear(2, 2); h.register_load_state_dict_post_hook(lambda mod, keys: 5); raises(lambda: h.load_state_dict(h.state_dict()))[0]
        h = nn.Linear(2, 2); h._register_state_dict_hook(lambda mod, s, pre, meta: collections.OrderedDict(a=1)); h.state_dict() | h = nn.Linear(2, 2); h.register_state_dict_post_hook(lambda *z: 5); raises(lambda: h.state_dict()) | h = nn.Linear(2, 2); h._register_load_state_dict_pre_hook(lambda s, *z: s.pop('bias')); h.load_state_dict(h.state_dict(), strict=False)
        """),
        device,
    )
    compare_all(
        [
            HEAD
            + REGISTRIES
            + """
s = m.state_dict(); del s['kept']; del s['inner.0.weight']; s['foo'] = torch.ones(1); s['weight'] = torch.ones(3); s['first.bias'] = 7
try:
    m.load_state_dict(s)
    text = ''
except RuntimeError as error:
    text = str(error)
text""",
            HEAD
            + """
class Extra(nn.Module):
    def __init__(self):
        super().__init__()
        self.got = None
        self.w = nn.Parameter(torch.ones(1))
    def get_extra_state(self):
        return {"a": 1}
    def set_extra_state(self, state):
        self.got = state
m = nn.Sequential(Extra())
s = m.state_dict()
r = m.load_state_dict(s)
got = m[0].got
del s['0._extra_state']
(list(s), got, m.load_state_dict(s, strict=False), nn.Linear(1, 1).load_state_dict({'_extra_state': 1}, strict=False))""",
        ],
        device,
    )


def test_hooks(device):
    heads = """
seen = []
f = nn.Linear(2, 2, bias=False)
with torch.no_grad():
    f.weight.copy_(torch.tensor([[1., 2.], [3., 4.]]))
v = torch.tensor([[1., -1.]], device=device, requires_grad=True)
def d(*z):
    return [None if q is None else q.detach() for q in z]
"""
    cases = """
h = f.register_forward_pre_hook(lambda m, z: (z[0] * 2,)); y = f(v); h.remove(); d(y, f(v)) | f.register_forward_pre_hook(lambda m, z: z[0] * 3); d(f(v)) | f.register_forward_hook(lambda m, z, y: y + 1); d(f(v)) | f.register_forward_hook(lambda m, z, y: seen.append(d(*z, y))); f(v); seen
f.register_forward_hook(lambda *z: seen.append(1)); f.register_forward_hook(lambda *z: seen.append(2), prepend=True); f(v); seen | f.register_forward_pre_hook(lambda *z: seen.append(1)); f.register_forward_pre_hook(lambda *z: seen.append(2), prepend=True); f(v); seen
f.register_forward_pre_hook(lambda m, z, k: (z, {'input': k['input'] * 5}), with_kwargs=True); d(f(input=v)) | f.register_forward_hook(lambda m, z, k, y: y * k['input'].shape[1], with_kwargs=True); d(f(input=v)) | f.register_forward_pre_hook(lambda m, z, k: 5, with_kwargs=True); raises(lambda: f(v))
f.register_forward_hook(lambda *z: seen.append(len(z)), always_call=True); raises(lambda: f(5))[0], seen | f.register_forward_hook(lambda *z: seen.append(len(z))); raises(lambda: f(5))[0], seen | f.register_forward_hook(lambda *z: seen.append(len(z)), always_call=True); f(v); seen
with f.register_forward_hook(lambda *z: seen.append(1)): f(v)
f(v); f._forward_hooks.clear(); f(v); seen
f.register_full_backward_hook(lambda m, gi, go: seen.append((d(*gi), d(*go)))); f(v).sum().backward(); (seen, v.grad, f.weight.grad) | f.register_full_backward_hook(lambda m, gi, go: (gi[0] * 10,)); f(v).sum().backward(); (v.grad, f.weight.grad)
f.register_full_backward_pre_hook(lambda m, go: seen.append(d(*go))); f(v).sum().backward(); (seen, v.grad) | f.register_full_backward_pre_hook(lambda m, go: (go[0] * 3,)); f(v).sum().backward(); (v.grad, f.weight.grad)
f.register_full_backward_hook(lambda m, gi, go: seen.append((gi, d(*go)))); f(v.detach()).sum().backward(); (seen, f.weight.grad) | h = f.register_full_backward_hook(lambda m, gi, go: seen.append(1)); h.remove(); f(v).sum().backward(); (seen, v.grad) | f.register_full_backward_hook(lambda m, gi, go: seen.append(1)); f(v.detach()).detach(), seen
f.register_full_backward_hook(lambda *z: seen.append(1)); f.register_full_backward_hook(lambda *z: seen.append(2), prepend=True); f(v).sum().backward(); seen | f.register_full_backward_hook(lambda *z: None); raises(lambda: f.register_backward_hook(lambda *z: None)) | f.register_full_backward_hook(lambda m, gi, go: (gi[0], gi[0])); raises(lambda: f(v).sum().backward())
from copy import deepcopy; f.register_forward_hook(lambda m, z, y: y * 2); d(deepcopy(f)(v)) | s = nn.Sequential(f, nn.ReLU()); s[1].register_forward_hook(lambda m, z, y: seen.append(d(y))); s(v); seen
h = nn.modules.module.register_module_forward_hook(lambda m, z, y: seen.append(type(m).__name__)); nn.Sequential(f, nn.ReLU())(v); h.remove(); f(v); seen | h = nn.modules.module.register_module_forward_pre_hook(lambda m, z: seen.append(type(m).__name__)); nn.Sequential(f, nn.ReLU())(v); h.remove(); f(v); seen
h = nn.modules.module.register_module_full_backward_hook(lambda m, gi, go: seen.append(type(m).__name__)); nn.Sequential(f, nn.ReLU())(v).sum().backward(); h.remove(); f(v).sum().backward(); seen
"""
    lines = cases.replace("seen.append(1)): f(v)\n", "seen.append(1)): f(v);;").replace(" | ", "\n").strip().splitlines()
    compare_all([HEAD + heads + line.replace(";;", "\n") for line in lines], device)
    compare_all(
        [
            HEAD
            + heads
            + """
class Two(nn.Module):
    def forward(self, x, k, y):
        return x * 2, k, x * y
m = Two()
m.register_full_backward_hook(lambda m, gi, go: seen.append((d(*gi), d(*go))))
w = torch.ones(1, 2, device=device, requires_grad=True)
r = m(v, 5, w)
(r[0].sum() + 3 * r[2].sum()).backward()
(seen, v.grad, w.grad, r[1])"""
        ],
        device,
    )


def test_texts(device):
    modules = (
        "Identity(3) | Linear(3, 4) | Bilinear(3, 4, 5) | Flatten() | Unflatten(1, (2, 3)) | Threshold(.1, 20) | Threshold(.1, 20, True) | ReLU() | ReLU(True) | ReLU6(True) | RReLU(inplace=True) | Hardtanh(-2, 2, True) | Hardsigmoid(True) | SiLU(True) | Mish() "
        "| Hardswish(True) | ELU(2., True) | CELU() | SELU(True) | GLU() | GELU('tanh') | Hardshrink() | LeakyReLU(.1, True) | LogSigmoid() | Softplus(2, 10) | Softshrink() | PReLU(3) | Softsign() | Softmin() | Softmax(1) | Softmax2d() | LogSoftmax(1) | Dropout() "
        "| Dropout2d(.2, True) | AlphaDropout() | Embedding(3, 4) | Embedding(3, 4, padding_idx=1, max_norm=1., norm_type=1., scale_grad_by_freq=True) | EmbeddingBag(3, 4, mode='sum', padding_idx=0) | LayerNorm((2, 3), elementwise_affine=False) | LayerNorm(3, bias=False) "
        "| RMSNorm(3) | GroupNorm(2, 4) | BatchNorm2d(3, momentum=None, affine=False) | InstanceNorm3d(3, track_running_stats=True) | LocalResponseNorm(2) | CosineSimilarity() | PairwiseDistance() | CrossEntropyLoss() | TripletMarginWithDistanceLoss() | Tanhshrink() | Dropout3d()"
    )
    check("\n".join(f"repr(nn.{module}), sorted(k for k in vars(nn.{module}) if k[0] != '_')" for module in modules.split(" | ")), device)
    check(
        "\n".join(f"getattr(nn.{name}, '__constants__', None)" for name in "Linear Dropout GELU LayerNorm CrossEntropyLoss PReLU".split()),
        device,
    )


def test_initialization(device):
    check(
        """
        [nn.init.calculate_gain(k) for k in ('linear', 'conv2d', 'sigmoid', 'tanh', 'relu', 'leaky_relu', 'selu')] | nn.init.calculate_gain('leaky_relu', 0.5) | raises(lambda: nn.init.calculate_gain('x')) | nn.init.constant_(torch.zeros(2, 3), 5) | nn.init.ones_(torch.zeros(2)) | nn.init.zeros_(torch.ones(2)) | nn.init.eye_(torch.ones(3, 4))
        nn.init.dirac_(torch.ones(3, 2, 3)) | nn.init.dirac_(torch.ones(4, 2, 3, 3), groups=2) | nn.init.dirac_(torch.ones(2, 3, 1, 2, 3)) | raises(lambda: nn.init.dirac_(torch.ones(3))) | raises(lambda: nn.init.eye_(torch.ones(3))) | raises(lambda: nn.init.xavier_uniform_(torch.ones(3))) | raises(lambda: nn.init.kaiming_uniform_(torch.ones(3, 3), mode='x'))
        w = nn.init.xavier_uniform_(torch.empty(200, 100)); (round(float(w.abs().max()), 2), round(float(w.std()), 2), abs(float(w.mean())) < 0.01) | w = nn.init.xavier_normal_(torch.empty(200, 100), gain=2.); (round(float(w.std()), 2), abs(float(w.mean())) < 0.01) | w = nn.init.kaiming_uniform_(torch.empty(200, 100)); (round(float(w.abs().max()), 2), round(float(w.std()), 2))
        w = nn.init.kaiming_normal_(torch.empty(100, 20, 3, 3), mode='fan_out', nonlinearity='relu'); round(float(w.std()), 2) | w = nn.init.uniform_(torch.empty(20000), 2, 3); (round(float(w.mean()), 1), bool((w >= 2).all()), bool((w <= 3).all())) | w = nn.init.normal_(torch.empty(20000), 2, 3); (round(float(w.mean()) * 5) / 5, round(float(w.std()), 1))
        w = nn.init.trunc_normal_(torch.empty(20000), 0.5, 2., -1., 1.); (bool((w >= -1).all()), bool((w <= 1).all()), round(float(w.mean()), 1)) | w = nn.init.orthogonal_(torch.empty(4, 6), gain=2.); (w @ w.t()) | w = nn.init.orthogonal_(torch.empty(6, 2, 2)).reshape(6, 4); (w.t() @ w)
        w = nn.init.sparse_(torch.empty(10, 5), 0.3); ((w == 0).sum(0), bool((w.abs() < 1).all())) | raises(lambda: nn.init.orthogonal_(torch.ones(3))) | w = nn.Parameter(torch.ones(2)); (nn.init.zeros_(w) is w, w.requires_grad, w.grad_fn) | told(lambda: nn.init.uniform(torch.empty(2))) | told(lambda: nn.init.kaiming_uniform_(torch.empty(0, 2)))
        w = nn.Linear(100, 50); (bool((w.weight.abs() <= 0.1).all()), bool((w.bias.abs() <= 0.1).all()), round(float(w.weight.std()), 2)) | g = torch.Generator(device=device); g.manual_seed(5); p = nn.init.uniform_(torch.empty(3), generator=g); g.manual_seed(5); q = nn.init.uniform_(torch.empty(3), generator=g); torch.equal(p, q)
        nn.PReLU(3).weight.detach() | nn.BatchNorm1d(2).state_dict() | nn.Embedding(2000, 10).weight.std().item() - 1 < 0.05
        """,
        device,
        atol=1e-5,
    )


def test_utils(device):
    compare_all(
        texts("""
        q = nn.Parameter(x.detach()); q.grad = a(3, 4, grad=False); n = torch.nn.utils.clip_grad_norm_([q], 0.5); (n, q.grad) | q = nn.Parameter(x.detach()); q.grad = a(3, 4, grad=False); n = torch.nn.utils.clip_grad_norm_(q, 50.); (n, q.grad) | q = nn.Parameter(x.detach()); q.grad = a(3, 4, grad=False); (torch.nn.utils.clip_grad_norm_(iter([q, q]), 1., norm_type=math.inf), q.grad)
        q = nn.Parameter(x.detach()); q.grad = a(3, 4, grad=False); (torch.nn.utils.clip_grad_norm_([q], 1., 1), q.grad) | q = nn.Parameter(x.detach()); q.grad = a(3, 4, grad=False); (torch.nn.utils.clip_grad_value_([q], 0.5), q.grad) | torch.nn.utils.get_total_norm([a(3, grad=False), a(2, 2, grad=False)]) | torch.nn.utils.get_total_norm([])
        q = nn.Parameter(torch.ones(2)); q.grad = torch.tensor([math.inf, 1.]); raises(lambda: torch.nn.utils.clip_grad_norm_(q, 1., error_if_nonfinite=True)) | q = nn.Parameter(torch.ones(2)); q.grad = torch.tensor([3., 4.]); torch.nn.utils.clip_grads_with_norm_(q, 1., torch.tensor(5.)); q.grad
        q = [nn.Parameter(torch.ones(2, 2)), nn.Parameter(torch.zeros(3))]; torch.nn.utils.parameters_to_vector(q).detach() | q = [nn.Parameter(torch.ones(2, 2)), nn.Parameter(torch.zeros(3))]; torch.nn.utils.vector_to_parameters(torch.arange(7.), q); (q[0], q[1]) | derive(lambda u, v: torch.nn.utils.parameters_to_vector([u, v]), x, a(2))
        """),
        device,
    )


def test_one_device_does_the_work_of_several(device):
    check(
        """
        m = filled(nn.DataParallel(nn.Linear(4, 3))); derive(m, x) | m = nn.DataParallel(nn.ReLU(), device_ids=None, dim=0); (list(m.state_dict()), repr(m), m.module, m.device_ids, m(x).detach())
        list(nn.DataParallel(nn.Linear(4, 3)).state_dict()) | nn.parallel.DataParallel is nn.DataParallel
        """,
        device,
    )


@pytest.mark.skipif(sys.version_info < (3, 11), reason="errors have notes from Python 3.11 on")
def test_errors_name_the_layer():
    import quern.torch as torch
    from quern.torch import nn

    model = nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.ReLU(), nn.Linear(4, 5, bias=False)))
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied .1x3 and 4x5.") as found:
        model(torch.ones(1, 2))
    (note,) = found.value.__notes__
    assert note == "in the layer Linear(in_features=4, out_features=5, bias=False), given torch.float32 of [1, 3] on cpu"
    hooked = nn.LayerNorm(4)
    hooked.register_forward_hook(lambda *args: None)
    with pytest.raises(RuntimeError) as found:
        nn.Sequential(hooked)(torch.ones(2, 3, dtype=torch.float64))
    assert found.value.__notes__ == [
        "in the layer LayerNorm((4,), eps=1e-05, elementwise_affine=True, bias=True), given torch.float64 of [2, 3] on cpu"
    ]

    class Own(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(2, 2)

        def forward(self, x):
            return self.inner(x) @ torch.ones(3, 3)

    with pytest.raises(RuntimeError) as found:
        Own()(torch.ones(2, 2))
    assert found.value.__notes__ == ["in the layer Own(...), given torch.float32 of [2, 2] on cpu"]


@pytest.mark.parametrize("name", ["SyncBatchNorm", "LinearCrossEntropyLoss", "Container"])
def test_unsupported_names(name):
    from quern.torch import nn

    assert not hasattr(nn, name)
    with pytest.raises(AttributeError, match=f"torch.nn.{name}.*quern has no such name yet"):
        getattr(nn, name)


def test_unsupported_functions():
    from quern.torch import nn

    for module, name in ((nn.functional, "grouped_mm"), (nn.utils, "prune"), (nn.modules, "SyncBatchNorm")):
        assert not hasattr(module, name)
        with pytest.raises(AttributeError, match="no such name yet"):
            getattr(module, name)
    for module in (nn, nn.functional, nn.utils):
        with pytest.raises(AttributeError, match="has no attribute 'foo'"):
            _ = module.foo
    with pytest.raises(NotImplementedError, match="not supported"):
        nn.UninitializedBuffer()


@pytest.mark.parametrize("shape", [(5, 3), (2, 3, 4), (2, 3, 2, 2)], ids=str)
@pytest.mark.parametrize("has_weights", [False, True])
def test_batch_norm_is_one_autograd_node(device, shape, has_weights):
    """First and second derivatives by differences, where the mean is large beside the deviation, too."""
    rng = np.random.default_rng(len(shape))
    on = _device_name(device)
    given = [rng.standard_normal(shape) + 100, *([rng.standard_normal(3), rng.standard_normal(3)] if has_weights else [])]
    given = [torch.tensor(values, device=on, requires_grad=True) for values in given]
    means, variances = (torch.full((3,), value, dtype=torch.float64, device=on) for value in (0.0, 1.0))

    def f(x, *weights):
        return torch.nn.functional.batch_norm(x, None, None, *(weights or (None, None)), training=True)

    assert torch.autograd.gradcheck(f, given) and torch.autograd.gradgradcheck(f, given)
    y = torch.nn.functional.batch_norm(given[0], means, variances, *(given[1:] or (None, None)), training=True, momentum=1.0)
    assert y.grad_fn.name() == "NativeBatchNormBackward0"
    x = given[0].detach().cpu().numpy().swapaxes(0, 1).reshape(3, -1)
    np.testing.assert_allclose(means.cpu().numpy(), x.mean(1), rtol=1e-6)
    np.testing.assert_allclose(variances.cpu().numpy(), x.var(1, ddof=1), rtol=1e-5)
