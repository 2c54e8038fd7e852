"""Functions of networks as faces of the engine's table: activations, losses, distances; PyTorch's answers are the oracle."""

import sys

import numpy as np
import pytest
import quern.torch as torch
from torch_oracle import compare_all

F = torch.nn.functional
ACTIVATIONS = """relu gelu silu sigmoid tanh softplus elu selu celu leaky_relu hardtanh hardsigmoid hardswish mish logsigmoid softsign tanhshrink
softshrink hardshrink relu6""".split()
LOSSES = """l1_loss mse_loss smooth_l1_loss huber_loss binary_cross_entropy_with_logits soft_margin_loss poisson_nll_loss
multilabel_soft_margin_loss hinge_embedding_loss""".split()


def _python_calls(function):
    """How many functions of Python's run between the call and the result, the lambda itself aside."""
    count = 0

    def note(frame, event, argument):
        nonlocal count
        count += event == "call"

    function()
    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count - 1


def test_no_python_runs():
    x, y, classes = torch.randn(4, 6), torch.rand(4, 6), torch.tensor([0, 1, 5, 2])
    weight = torch.ones(2, 6, 6)
    calls = {name: lambda name=name: getattr(F, name)(x) for name in ACTIVATIONS}
    calls |= {name: lambda name=name: getattr(F, name)(x, y) for name in LOSSES}
    calls |= {
        "softmax": lambda: F.softmax(x, 1),
        "log_softmax": lambda: F.log_softmax(x, -1),
        "softmin": lambda: F.softmin(x, 0),
        "torch.softmax": lambda: torch.softmax(x, 1),
        "method": lambda: x.log_softmax(1),
        "glu": lambda: F.glu(x),
        "prelu": lambda: F.prelu(x, x[0, :1]),
        "in place": lambda: F.silu(x, inplace=True),
        "elu_": lambda: F.elu_(x),
        "cross_entropy": lambda: F.cross_entropy(x, classes),
        "nll_loss": lambda: F.nll_loss(x, classes),
        "normalize": lambda: F.normalize(x),
        "cosine_similarity": lambda: F.cosine_similarity(x, y),
        "pairwise_distance": lambda: F.pairwise_distance(x, y),
        "linear": lambda: F.linear(x, y, x[0, :4]),
        "layer_norm": lambda: F.layer_norm(x, (6,), x[0], x[1]),
        "rms_norm": lambda: F.rms_norm(x, (6,)),
        "group_norm": lambda: F.group_norm(x, 2),
        "batch_norm": lambda: F.batch_norm(x, x[0], y[0], training=True),
        "instance_norm": lambda: F.instance_norm(x.reshape(2, 3, 4)),
        "bilinear": lambda: F.bilinear(x, y, weight),
        "dropout in evaluation": lambda: F.dropout(x, 0.5, False),
    }
    assert {name: count for name, call in calls.items() if (count := _python_calls(call))} == {}


def test_types_that_activations_accept(device):
    start = "t = torch.tensor; v = dict(i=t([1, -2, 7]), b=t([True, False]), c=t([1 + 1j, -2.]), h=t([1., -2., .3]).half())"
    names = [name for name in ACTIVATIONS if name not in ("relu", "sigmoid")]
    texts = [f"{start}; raises(lambda: F.{name}(v['{k}']))[0]" for name in names for k in "bci" if name + k not in REFUSED_LESS]
    texts += [f"{start}; F.{name}(v['h'])" for name in names]
    texts += [f"{start}; F.{call}" for call in ("softsign(v['i'])", "tanhshrink(v['c'])", "silu(v['c'])", "hardtanh(v['i'], -1, 3)")]
    texts += [f"{start}; F.{call}" for call in ("threshold(v['i'], 1, 2)", "relu6(v['i'])", "softmax(v['i'], 0, dtype=torch.float64)")]
    compare_all([f"{text}" for text in texts], device.kind)


# What PyTorch computes, too.
REFUSED_LESS = {"tanhb", "tanhi", "tanhc", "siluc", "softsigni", "softsignc", "tanhshrinki", "tanhshrinkc", "hardtanhi", "relu6i"}


def test_axes_of_softmax(device):
    compare_all(
        [
            "F.softmax(torch.tensor(0.5), 0), F.log_softmax(torch.tensor(0.5), -1), F.softmin(torch.tensor(0.5), 0)",
            "raises(lambda: F.softmax(torch.ones(3), 1)), raises(lambda: F.glu(torch.tensor(1.))), raises(lambda: F.glu(torch.ones(3)))",
            "torch.ones(2, 3).softmax(-2), torch.log_softmax(torch.ones(2, 3), 1, torch.float64)",
            "out = torch.empty(3); torch.softmax(torch.ones(3), 0, out=out), out",
        ],
        device.kind,
    )


def test_results_in_place(device):
    calls = "relu elu selu celu leaky_relu hardtanh hardsigmoid hardswish mish silu relu6".split()
    texts = [f"x = torch.tensor([-4., -.5, 0., .5, 8.]); y = F.{name}(x, inplace=True); y is x, x" for name in calls]
    texts += [
        f"v = torch.tensor([-4., -.5, 0., .5, 8.]).requires_grad_(); y = v * 1; F.{name}(y, inplace=True); torch.autograd.grad(y.sum(), v)"
        for name in calls
    ]
    texts += [f"raises(lambda: F.{name}(torch.ones(2).requires_grad_(), inplace=True))" for name in calls]
    compare_all(texts, device.kind)


def test_reductions_of_losses(device):
    start = "x, y = torch.tensor([[.1, .9, .4]]), torch.tensor([[.2, .7, .4]])"
    texts = [f"{start}; F.{name}(x, y, reduction='{how}')" for name in LOSSES for how in ("none", "sum", "mean")]
    texts += [f"{start}; raises(lambda: F.{name}(x, y, reduction='best'))" for name in LOSSES if "multilabel" not in name]
    texts += [f"{start}; F.mse_loss(x, y, size_average=False), F.l1_loss(x, y, reduce=False)"]
    texts += [f"{start}; F.kl_div(x, y, reduction='batchmean'), F.kl_div(x, y, log_target=True, reduction='sum')"]
    texts += [f"{start}; F.triplet_margin_loss(x, y, x + 1, swap=True), raises(lambda: F.triplet_margin_loss(x, y, x, 0))"]
    texts += [f"{start}; F.gaussian_nll_loss(x, y, 0.5), raises(lambda: F.gaussian_nll_loss(x, y, -1.0))"]
    compare_all(texts, device.kind)


def test_layers(device):
    start = "x, w, b = torch.arange(6.).reshape(2, 3), torch.ones(4, 3), torch.arange(4.)"
    calls = """x,w,b x,w x[0],w,b x,w[0] x[None],w,b x,w,torch.tensor(2.) x[0],w,b[None] x,w,torch.ones(2,4) x[0],w[0]
    x.long(),w.long()""".split()
    texts = [f"{start}; F.linear({call})" for call in calls]
    wrong = """x,w[0],b[0] x,w[:,:2] x,w[:,:2],b x[0],w[:,:2] x,w.double() x,w.double(),b x,w,b.double() x,w,b[:2] x[None],w,b[:2] x,w[None]
    b[0],w x[0],w[0,:2]""".split()
    texts += [f"{start}; raises(lambda: F.linear({call}))" for call in wrong]
    texts += [
        f"{start}; x, w, b = (one.requires_grad_() for one in (x, w, {bias})); torch.autograd.grad(F.linear(x, w, b).sin().sum(), (x, w, b))"
        for bias in ("b", "b[None]", "torch.ones(2, 4)", "torch.tensor(2.)")
    ]
    norms = ["layer_norm(x, [3])", "layer_norm(x, (3,), b[:3], b[1:])", "rms_norm(x, x.shape[1:], b[:3])", "rms_norm(x, (3,), eps=.5)"]
    norms += ["group_norm(x, 3)", "group_norm(x, 1, b[:3], b[1:])", "layer_norm(x.half(), (3,))"]
    texts += [f"{start}; F.{call}" for call in norms]
    wrong = ["layer_norm(x, 3)", "layer_norm(x, ())", "layer_norm(x, (2,))", "layer_norm(x, (3,), b)", "layer_norm(x.long(), (3,))"]
    wrong += ["rms_norm(x, (2,))", "rms_norm(x.long(), (3,))", "group_norm(x, 2)", "group_norm(x[0], 1)", "group_norm(x, 1, b)", "group_norm(x, 1.)"]
    wrong += ["dropout(x, 1.5)", "dropout(x, -1)", "dropout(x.long(), .5)", "dropout(3)"]
    texts += [f"{start}; raises(lambda: F.{call})" for call in wrong]
    texts += [f"{start}; F.dropout(x, 1), F.dropout(x, 0) is x, F.dropout(x, .5, False) is x, F.dropout(x.long(), 1)"]
    compare_all(texts, device.kind)


def test_normalization_by_running_values(device):
    start = "x = torch.arange(24.).reshape(2, 3, 4).sin(); m, v, b = torch.zeros(3), torch.ones(3), torch.arange(3.)"
    calls = ["batch_norm(x, m, v)", "batch_norm(x, m, v, training=True)", "batch_norm(x, m, v, b, b + 1, True, 0.5, 1e-3)"]
    calls += ["batch_norm(x[..., 0], b, v, b)", "batch_norm(x.half(), m, v)", "batch_norm(x, None, None, training=True)"]
    calls += ["instance_norm(x, m, v)", "instance_norm(x, m, v, b, b, momentum=0.5)", "instance_norm(x, m, v, use_input_stats=False)"]
    texts = [f"{start}; F.{call}, m, v" for call in calls]
    texts += [f"{start}; x.requires_grad_(); torch.autograd.grad((F.{call} * b[:, None]).sum(), x)" for call in calls[:3] + calls[6:]]
    wrong = ["batch_norm(x, m, None)", "batch_norm(x, m[:2], v)", "batch_norm(x, m, v, b[:2])", "batch_norm(x[:1, :, :1], m, v, training=True)"]
    wrong += ["batch_norm(x.long(), m, v)", "batch_norm(x + 0j, m, v)"]
    wrong += ["instance_norm(x, m)", "instance_norm(x, use_input_stats=False)", "instance_norm(x[..., :1])", "instance_norm(x[0])"]
    texts += [f"{start}; raises(lambda: F.{call})" for call in wrong]
    texts += [f"{start}; raises(lambda: F.batch_norm(x, m, v, training=True, momentum=None))[0]"]
    texts += [f"{start}; x = x[..., 0]; F.bilinear(x, x, torch.ones(2, 3, 3), b[:2]), F.bilinear(x[0], x[1], torch.ones(2, 3, 3))"]
    wrong = ["x, x, torch.ones(2, 2, 3)", "x, x, torch.ones(2, 3, 2)", "x, x, torch.ones(2, 3, 3), b"]
    texts += [f"{start}; x = x[..., 0]; raises(lambda: F.bilinear({call}))" for call in wrong]
    compare_all(texts, device.kind)


def test_dropout(device):
    x = torch.ones(400, 100, device=device.kind)
    y = F.dropout(x, 0.25)
    assert y.unique().tolist() == pytest.approx([0, 4 / 3])
    assert abs((y == 0).float().mean().item() - 0.25) < 0.02
    assert F.dropout(x, 0.25, inplace=True) is x
    assert 0 < (x == 0).sum().item() < x.numel()


def test_values_of_keras():
    keras = pytest.importorskip("quern.keras.backend").nn
    x = np.array([-4.0, -0.5, 0.0, 0.5, 30.0], "float32")
    for name, want in {
        "softplus": np.logaddexp(x, 0),
        "log_sigmoid": -np.logaddexp(-x, 0),
        "hard_sigmoid": np.clip(x / 6 + 0.5, 0, 1),
        "relu6": np.clip(x, 0, 6),
        "silu": x / (1 + np.exp(-x)),
    }.items():
        got = getattr(keras, name)(x)
        assert got.dtype == "float32", name
        np.testing.assert_allclose(np.asarray(got), want, rtol=2e-6, atol=1e-6, err_msg=name)
    e = np.exp(np.ones((2, 3)))
    np.testing.assert_allclose(np.asarray(keras.softmax(np.ones((2, 3)), axis=(0, 1))), e / e.sum(), rtol=1e-6)
    assert keras.silu(np.array([1, 2])).dtype == "float32"
    assert keras.relu6(np.array([1, 9], "int32")).dtype == "int32"
