"""Values that PyTorch refuses, and places that are not there: errors that follow from what a device computes, compared with PyTorch's."""

import numpy as np
import pytest
import quern
import quern.torch as torch
import quern.torch.nn.functional as F
from torch_oracle import _device_name, compare_all

# Each call is made of `pad` good elements and what the text says: few are checked when they are recorded, many later.
HEAD = """
nan, inf = math.nan, math.inf

def t(*values, dtype=torch.float32):
    x = torch.tensor(list(values), dtype=dtype, device=device)
    return torch.cat([torch.full((pad,), 1, dtype=dtype, device=device), x]) * 1

def n(*values):
    return t(*values, dtype=torch.int64)

def z(*shape):
    return torch.zeros(shape, device=device)

def half(k):
    return torch.full((pad + k,), 0.5, device=device)

def late(call):
    try:
        call().tolist()
    except Exception as error:
        return type(error).__name__, str(error).partition(" (recorded at ")[0][:57]
    return "nothing is raised"
"""

PROBABILITIES = """
F.binary_cross_entropy(t(.5, 1.5), half(2)) | F.binary_cross_entropy(t(.5, -.1), half(2), reduction='none') | F.binary_cross_entropy(t(nan), half(1), reduction='sum')
F.binary_cross_entropy(half(2), t(0, 2.)) | F.binary_cross_entropy(half(1), t(nan)) | F.binary_cross_entropy(half(2), t(-.5, 1.), weight=half(2)) | F.binary_cross_entropy(t(1.5), t(1.5))
F.binary_cross_entropy(t(.5, 1.5, dtype=torch.float64), half(2).double()) | nn.BCELoss()(t(0., 1., 1.0000001), half(3)) | nn.BCELoss()(t(0., 1., -1e-30), half(3)) | nn.BCELoss()(t(-inf), half(1))
torch.bernoulli(t(.5, 1.5)) | torch.bernoulli(t(nan, .5)) | torch.bernoulli(t(-.5, dtype=torch.float64)) | torch.bernoulli(t(.5), out=z(1)) if 0 else torch.bernoulli(t(inf)) | torch.bernoulli(t(.5), 1.5) | torch.bernoulli(t(.5), -1)
torch.bernoulli(t(.5), nan) | t(.5).bernoulli(2) | z(pad + 2).bernoulli_(t(.5, 1.5)) | z(2).bernoulli_(1.5) | z(2).bernoulli_(nan) | z(pad + 1).long().bernoulli_(t(2.)) | z(pad + 1).bernoulli_(n(1)) | torch.bernoulli(n(0))
torch.poisson(t(1., -1.)) | torch.poisson(t(nan)) | torch.poisson(t(-inf, dtype=torch.float64)) | torch.poisson(n(1)) | torch.normal(half(2), t(1., -1.)) | torch.normal(0., t(nan)) | torch.normal(half(1), -1.) | torch.normal(half(1), nan)
torch.normal(0., -1., (2,)) | z(2).normal_(0, -2) | z(2).normal_(0, nan) | z(2).log_normal_(0, 0) | z(2).log_normal_(0, nan) | z(2).cauchy_(0, 0) | z(2).exponential_(-1) | z(2).exponential_(0.) | z(2).geometric_(1.5)
F.gaussian_nll_loss(half(2), half(2), t(1., -1.)) | F.gaussian_nll_loss(half(2), half(2), t(1., -0.), reduction='none').isnan() | F.gaussian_nll_loss(half(1), half(1), -1.)
"""

DISTRIBUTIONS = """
torch.multinomial(t(.5, -1.5), 1) | torch.multinomial(t(.5, -1.5), 3, True) | torch.multinomial(t(inf), 1) | torch.multinomial(t(inf, .5), 2, True) | torch.multinomial(t(nan), 1) | torch.multinomial(t(nan), 1, True)
torch.multinomial(t(-inf), 1, True) | torch.multinomial(t(-1., inf), 1, True) | torch.multinomial(0 * t(1.), 1) | torch.multinomial(0 * t(1.), 1, True) | torch.multinomial(torch.stack([t(1.), 0 * t(1.)]), 1)
torch.multinomial(torch.stack([t(1.), 0 * t(1.)]), 1, True) | torch.multinomial(n(1), 1) | torch.multinomial(t(1e-45), 1).shape and z(1) | torch.multinomial(0 * half(1) + 1e-45, 1, True) * 0 | torch.multinomial(t(0., 0., 1., dtype=torch.float64)[pad:], 1)
torch.multinomial(t(0., 1., 0.)[pad:], 2)[:1] | torch.multinomial(3e38 * t(1., 1.)[:1], 1, True) | next(iter(torch.utils.data.WeightedRandomSampler([0., -1.], 2)))
"""

CLASSES = """
F.cross_entropy(z(pad + 2, 3), n(0, 5)) | F.cross_entropy(z(pad + 2, 3), n(-1, 0), reduction='none') | F.cross_entropy(z(pad + 2, 3), n(0, 3), reduction='sum') | F.cross_entropy(z(pad + 2, 3), n(0, 5), ignore_index=5)
F.cross_entropy(z(pad + 2, 3), n(0, -7), weight=z(3) + 1) | F.cross_entropy(z(pad + 2, 3), n(0, 5), label_smoothing=.1) | F.cross_entropy(z(pad + 2, 3), n(0, -100)) | F.cross_entropy(z(3), n(7)[-1]) | nn.CrossEntropyLoss()(z(pad + 1, 3), n(3))
F.nll_loss(z(pad + 2, 3), n(0, 5)) | F.nll_loss(z(pad + 2, 3), n(0, -5), reduction='none') | F.nll_loss(z(pad + 2, 3), n(0, 5), ignore_index=5) | F.nll_loss(z(pad + 1, 3, 2), torch.stack([n(4), n(0)], 1)) | nn.NLLLoss(z(3))(z(pad + 1, 3), n(-2))
F.multi_margin_loss(z(pad + 2, 3), n(0, 5)) | F.multi_margin_loss(z(pad + 2, 3), n(0, -1)) | F.multilabel_margin_loss(z(3), n(0, 5, -1)[-3:]) | F.multilabel_margin_loss(z(3), n(0, -5, -1)[-3:]) | F.multilabel_margin_loss(z(3), n(0, -1, 9)[-3:])
F.one_hot(n(0, -1)) | F.one_hot(n(0, -1), 3) | F.one_hot(n(0, 3), 3) | F.one_hot(n(0, 3), 0) | F.one_hot(n(0), -2) | F.one_hot(n(0, 2), 3) | F.one_hot(n()[pad:], 0) | F.one_hot(n()[pad:], 3)
F.embedding(n(0, 5), z(3, 2)) | F.embedding(n(0, -1), z(3, 2)) | F.embedding(n(0, 5).int(), z(3, 2)) | nn.Embedding(3, 2).to(device)(n(3)) | F.embedding(n(0), z(0, 2)) | F.embedding(n()[pad:], z(0, 2))
"""

PLACES = """
z(3).gather(0, n(5)) | z(3).gather(0, n(-1)) | z(2, pad + 3).gather(0, n(7)[None]) | z(pad + 2, 3).gather(1, n(0, 7)[:, None]) | z(pad + 2, 3).gather(-1, n(0, -1)[:, None]) | z(3, pad + 2).t().gather(1, n(0, 5)[:, None]) | z().gather(0, n(2)[-1])
torch.take_along_dim(z(3), n(5), 0) | torch.take_along_dim(z(3), n(-1), 0) | torch.take_along_dim(z(2, 3), n(5)[:, None][-1:], 1) | torch.take_along_dim(z(2, 3), n(-1)) | torch.take_along_dim(z(2, 3), n(7))
z(3).index_select(0, n(5)) | z(3).index_select(0, n(-1)) | z(3, 2).index_select(0, n(3)) | z(2, 3).index_select(1, n(5)) | z(2, 3).index_select(-1, n(-2)) | z(2, 3).t().index_select(1, n(5)) | z(2, 3, 4).index_select(1, n(5))
z().index_select(0, n(1)[-1:]) | z(0, 3).index_select(0, n(0)) | z(3).take(n(5)) | torch.arange(3).to(device).take(n(-1)) | z(2, 3).take(n(-9)) | z(2, 3).take(n(0, 6)[:, None]) | z(0).take(n(0)) | z()[None].take(n(1))
z(3).scatter(0, n(5), 1.) | z(3).scatter(0, n(-1), 1.) | z(3).scatter(0, n(5), t(1.)) | z(2, 3).scatter_(1, n(5)[None][:, -1:], 1.) | z(2, 3).scatter_(-1, n(-4)[None][:, -1:], z(1, 1)) | z(2, 3).scatter_(0, n(2)[None][:, -1:], 1.)
z().scatter_(0, n(1)[-1], 1.) | z(3).scatter(0, n(5), t(1.), reduce='add') | z(3).scatter(0, n(-5), 2., reduce='multiply') | z(3).scatter_add(0, n(5), t(1.)) | z(3).scatter_add(0, n(-1), t(1.)) | z(2, 3).scatter_add_(1, n(5)[None][:, -1:], z(1, 1))
z().scatter_add_(0, n(3)[-1], z()) | z(3).scatter_reduce(0, n(5), t(1.), 'sum') | z(3).scatter_reduce(0, n(-1), t(1.), 'amax') | z(2, 3).scatter_reduce(1, n(4)[None][:, -1:], z(1, 1), 'mean')
z(3).index_add(0, n(5), t(1.)) | z(3).index_add(0, n(-1), t(1.)) | z(3, 2).index_add(0, n(5), t(1.)[:, None] + z(2)) | z(2, 3).index_add(1, n(5), z(2, pad + 1)) | z(2, 3).index_add(1, n(-1), z(2, pad + 1)) | z(2, 3, 4).index_add(2, n(5), z(2, 3, pad + 1)) | z().index_add_(0, n(3)[-1], z())
z(3).index_copy(0, n(5), t(1.)) | z(3).index_copy(0, n(-1), t(1.)) | z(2, 3).index_copy(1, n(3), z(2, pad + 1)) | z(3).index_fill(0, n(5), 1.) | z(3).index_fill(0, n(-1), 1.) | z(2, 3).index_fill(1, n(-4), 1.)
z(3).index_reduce(0, n(5), t(1.), 'amax') | z(2, 3).index_reduce(1, n(-1), z(2, pad + 1), 'prod') | z(3).put_(n(5), t(1.)) | z(3).put_(n(-9), t(1.), True) | z(2, 3).put_(n(-1), t(2.)) | z(0).put_(n(0), t(1.))
z(3)[n(5)] | z(3)[n(-4)] | z(3)[n(-3)] | z(2, 3)[n(1), n(7)] | z(3).index_put((n(5),), t(1.)) | z(3).index_put((n(-5),), t(1.), accumulate=True) | z(2, 3).index_put((n(1), n(3)), t(1.), accumulate=True)
"""


def check(table, device, pad):
    cases = [case.strip() for case in table.replace(" | ", "\n").strip().splitlines()]
    compare_all([f"pad = {pad}\n{HEAD}late(lambda: {case})" for case in cases], device)


@pytest.mark.parametrize("pad", [0, 5000])
@pytest.mark.parametrize(
    "table", [PROBABILITIES, DISTRIBUTIONS, CLASSES, PLACES], ids=["probabilities", "distributions", "classes", "places"]
)
def test_errors_are_pytorchs(device, table, pad):
    check(table, device, pad)


@pytest.fixture
def here(device):
    with torch.device("cpu" if device.kind == "cpu" else f"cuda:{device.index}"):
        yield device


MANY = 5000


def test_the_error_names_the_line_and_is_raised_at_every_read(here):
    loss = F.binary_cross_entropy(torch.full((MANY,), 2.0), torch.zeros(MANY), reduction="none")  # this one
    line = "test_torch_refusals.py"
    for look in (loss.tolist, loss.sum().item, (loss[:3] * 2).tolist, lambda: loss.cpu().numpy()):
        with pytest.raises(RuntimeError, match=rf"^all elements of input should be between 0 and 1 \(recorded at .*{line}:\d+\)$"):
            look()


def test_gradients_tell_it_too(here):
    for reduction in ("mean", "sum", "none"):
        x = torch.full((MANY,), 1.5, requires_grad=True)
        F.binary_cross_entropy(x, torch.zeros(MANY), reduction=reduction).sum().backward()
        with pytest.raises(RuntimeError, match="elements of input"):
            x.grad.tolist()
        for loss in (F.cross_entropy, F.nll_loss):
            x = torch.zeros(MANY, 3, requires_grad=True)
            with pytest.raises(IndexError, match="Target 3 is out of bounds."):
                loss(x, torch.arange(MANY) % 4, reduction=reduction).sum().backward()
                x.grad.tolist()


def test_an_optimizer_does_not_lose_the_error(here):
    x = torch.full((MANY,), 0.5, requires_grad=True)
    step = torch.optim.SGD([x], lr=1e6)
    with pytest.raises(RuntimeError, match="elements of input"):
        for _ in range(20):
            step.zero_grad()
            F.binary_cross_entropy(x, torch.zeros(MANY)).backward()
            step.step()
        x.tolist()


@pytest.mark.parametrize("count", [3, MANY])
def test_repeated_iterations_check_each_time(here, count):
    """Good rounds, a bad one, and good ones again."""
    for place in range(12):
        p = torch.full((count,), 0.25) * (5 if place == 7 else 1)
        if place == 7:
            with pytest.raises(RuntimeError, match="p_in >= 0"):
                torch.bernoulli(p).tolist()
        else:
            assert set(torch.bernoulli(p).tolist()) <= {0.0, 1.0}
            assert F.binary_cross_entropy(p, p).item() == pytest.approx(0.5623351)


def test_what_is_written_stays_usable(here):
    """A tensor into which bad values were drawn raises when it is read; written anew, it is good."""
    x = torch.zeros(MANY)
    x.bernoulli_(torch.full((MANY,), -1.0))
    with pytest.raises(RuntimeError, match="p_in >= 0"):
        x.tolist()
    x.fill_(2)
    assert x.tolist() == [2.0] * MANY


def test_right_values_keep_their_gradients_and_names(here):
    x = torch.linspace(0, 1, MANY).requires_grad_()
    y = torch.linspace(1, 0, MANY)
    for reduction in ("mean", "sum"):
        loss = F.binary_cross_entropy(x, y, reduction=reduction)
        assert loss.grad_fn.name() == "BinaryCrossEntropyBackward0"
        (slope,) = torch.autograd.grad(loss, x)
        assert np.isfinite(slope.cpu().numpy()).all()
    assert F.cross_entropy(torch.zeros(MANY, 4, requires_grad=True), torch.arange(MANY) % 4).grad_fn.name() == "NllLossBackward0"


def test_the_axis_is_the_one_of_the_program(device):
    """With NumPy's error, whatever lies how in memory and whatever else the index says."""
    given = np.zeros((2, 3, 4)).transpose(2, 0, 1)
    array = quern.asarray(given)
    for key in ((slice(None), slice(None), [5]), ([5],), (slice(None), [5]), (slice(None), [0, 5], [0, 5]), (0, [1, 3]), (1, [0], [9])):
        with pytest.raises(IndexError) as told:
            given[tuple(np.array(k) if isinstance(k, list) else k for k in key)]
        with pytest.raises(IndexError) as ours:
            array[tuple(quern.asarray(k) * 1 if isinstance(k, list) else k for k in key)].tolist()
        assert str(ours.value).startswith(str(told.value))
    with pytest.raises(IndexError, match="axis 0 with size 0"):
        quern.zeros((0, 3))[quern.asarray([0])].tolist()
    with pytest.raises(IndexError, match="axis 0 with size 0"):
        quern.zeros((0, 3))[quern.asarray([0])] = 1


def test_sizes_that_do_not_broadcast_are_named():
    with pytest.raises(RuntimeError, match=r"size of tensor a \(3\) must match the size of tensor b \(4\) at non-singleton dimension 1"):
        torch.broadcast_tensors(torch.ones(2, 3), torch.ones(1), torch.ones(4))
    with (
        pytest.warns(UserWarning, match="target size"),
        pytest.raises(RuntimeError, match=r"a \(3\) must match .* b \(2\) at non-singleton dimension 0"),
    ):
        F.huber_loss(torch.ones(3, 4), torch.ones(2, 4))
    with pytest.raises(RuntimeError, match=r"\[2, 3\] and \[4\] have 3 and 4 in dim -1"):
        torch.broadcast_shapes((2, 3), (1,), (4,))


def test_an_error_of_long_ago(device):
    """However much was refused or not between: a loop that reads no value loses no error."""
    zeros, ones = torch.zeros(5, 3, device=_device_name(device)), torch.ones(300, 3, device=_device_name(device))
    total = torch.zeros(3, device=_device_name(device))
    with pytest.raises(IndexError, match="out of range"):  # on the CPU perhaps as soon as it is known
        for step in range(100):
            index = torch.full((300,), 7 if step == 0 else 2, device=_device_name(device)) * 1
            total = total + zeros.index_reduce(0, index, ones, "prod")[2]
        total.tolist()


def test_numbers_that_are_known(device):
    """What was looked through is not looked through again, until it is written."""
    x = torch.randn(400, 10, device=_device_name(device))
    y = torch.arange(400, device=_device_name(device)) % 10

    def loss(x, y):
        return F.cross_entropy(x, y, reduction="sum")

    wanted = loss(x, y).item()
    for part in (slice(0, 400), slice(100, 200), slice(0, 400)):
        assert loss(x[part], y[part]).item() == pytest.approx(F.nll_loss(x[part].log_softmax(1), y[part], reduction="sum").item(), rel=1e-5)
    with quern.profile() as seen:
        assert loss(x, y).item() == wanted
    names = {str(seen.recording.kernels[row["kernel"]]) for row in seen.recording.of_kind("launch")}
    assert names and not any("check" in name for name in names)
    with pytest.raises(IndexError, match="Target 9 is out of bounds"):
        loss(x[:, :9], y).item()
    for _ in range(2):  # also when it was raised before
        with pytest.raises(IndexError, match="Target 9 is out of bounds"):
            loss(x[:, :9], y).item()
    y[3] = 10
    with pytest.raises(IndexError, match="Target 10 is out of bounds"):
        loss(x, y).item()
    y[3] = 3
    assert loss(x, y).item() == wanted == loss(x, y).item()
    write = quern.RawKernel('extern "C" __global__ void put(long long* y) { y[5] = -1; }', "put")
    write((1,), (1,), (y,))
    with pytest.raises(IndexError, match="Target -1 is out of bounds"):
        loss(x, y).item()


@pytest.mark.parametrize("call", ["layer_norm(x, (2,), w)", "batch_norm(x, w, w)", "group_norm(x, 1, w)"])
def test_factors_of_another_dtype_name_the_device(device, call):
    x = torch.ones(3, 2, device=_device_name(device))
    names = {"x": x, "w": torch.ones(2, dtype=torch.float64, device=x.device), "F": F}
    with pytest.raises(RuntimeError, match=r"mixed dtype \(CPU\)" if device.kind == "cpu" else r"mixed dtype \(CUDA\)"):
        eval(f"F.{call}", names)


CALLS = (
    ("torch.tensor(1.).narrow(0, 0, 1)", RuntimeError, "narrow() cannot be applied to a 0-dim tensor."),
    ("torch.norm(x, dim=(0, 2, 3))", RuntimeError, "linalg.matrix_norm: dim must be a 2-tuple. Got 0 2 3"),
    ("x.norm(dim=(0, 2, 3))", RuntimeError, "linalg.matrix_norm: dim must be a 2-tuple. Got 0 2 3"),
    ("x.norm('fro', dim=(0, 2, 3), keepdim=True)", RuntimeError, "linalg.matrix_norm: dim must be a 2-tuple. Got 0 2 3"),
    ("x.norm('nuc')", RuntimeError, "linalg.matrix_norm: dim must be a 2-tuple. Got 0 1 2 3"),
    ("x[0, 0].norm('x')", RuntimeError, "linalg.matrix_norm: Order x not supported."),
    ("x.norm(2, dim=(0, 2, 3)).shape", None, "torch.Size([2])"),
    ("x.norm(dim=()).shape", None, "torch.Size([])"),
    ("x[0, 0].norm('nuc', dtype=torch.float64).dtype", None, "torch.float64"),
    ("nn.Unflatten('a', 2)", TypeError, "unflattened_size must be a tuple of ints, but found type int"),
    ("nn.Unflatten('a', (2,))", None, "Unflatten(dim=a, unflattened_size=(2,))"),
    ("nn.Parameter(3)", AttributeError, "'int' object has no attribute 'detach'"),
    ("named().insert(1, nn.Sigmoid())", KeyError, "'1'"),
    ("list(named().insert(2, nn.Sigmoid())._modules)", None, "['0', 'x', '2']"),
    ("list(nn.Sequential(nn.ReLU(), nn.Tanh()).insert(-1, nn.Sigmoid())._modules.values())", None, "[ReLU(), Sigmoid(), Tanh()]"),
    ("Saves.apply(2, 3)", None, "6"),
    ("Saves.apply(2, torch.tensor(1.))", None, "tensor(2.)"),
    ("Saves.apply(2, r)", TypeError, "save_for_backward can only save variables, but argument 0 is of type int"),
    ("Dirty.apply(2, 3)", RuntimeError, "mark_dirty can only accept variables, but argument 0 is of type int"),
    ("Marked.apply(2, 3)", RuntimeError, "mark_non_differentiable only accepts variable arguments, but got int"),
)


def _named():
    layers = torch.nn.Sequential(torch.nn.ReLU())
    layers.add_module("x", torch.nn.Tanh())
    return layers


def _function(method):
    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            getattr(ctx, method)(a)
            return a * b

        @staticmethod
        def backward(ctx, g):
            return g, g

    return Product


@pytest.mark.parametrize(("call", "error", "text"), CALLS)
def test_calls_that_do_not_fit(call, error, text):
    functions = {name: _function(method) for name, method in (
        ("Saves", "save_for_backward"), ("Dirty", "mark_dirty"), ("Marked", "mark_non_differentiable"),
    )}  # fmt: skip
    names = {"torch": torch, "nn": torch.nn, "x": torch.ones(1, 2, 3, 4), "r": torch.tensor(1.0, requires_grad=True), "named": _named}
    if error is None:
        assert str(eval(call, names | functions)) == text
    else:
        with pytest.raises(error) as raised:
            eval(call, names | functions)
        assert str(raised.value).startswith(text)


KIND = """
def kind(call):
    try:
        return list(call().shape)
    except Exception as error:
        return type(error).__name__
z, v, m = torch.tensor(1., device=device), torch.arange(5., device=device), torch.ones(2, 2, device=device)
e, b = torch.zeros(0, device=device), torch.ones(1, 2, 2, device=device)
p = torch.tensor([0], device=device)
"""
SHAPES = """
m.clone().copy_(b) | m.clone().copy_(b[0]) | m.clone().copy_(b.new_ones(3, 2, 2)) | m.clone().copy_(v) | m[:1].copy_(m) | z.clone().copy_(z[None])
m.clone().data.copy_(b) | m[0].copy_(m[:1]) | m.diagonal().copy_(m[:1]) | m.clone().fill_diagonal_(z) | m.clone().copy_(z) | m.clone().copy_(m[0])
m.clone().index_copy_(0, p, b) | m.clone().index_copy_(0, p, b[0, :1]) | torch.diagonal_scatter(m, m[:1]) | torch.select_scatter(m, m[:1], 0, 0)
torch.slice_scatter(m, b) | torch.slice_scatter(m, m[:1], 0, 0, 1) | m.clone().add_(b) | m.clone().lerp_(m, b) | m.clone().masked_fill_(b > 0, 0.)
z.chunk(2)[0] | z.chunk(2, 1)[0] | z.chunk(0)[0] | z.split(2)[0] | z.split([1])[0] | z.split(2, 5)[0] | z.split_with_sizes([1])[0] | z.tensor_split(2)[0]
z.tensor_split(2, 1)[0] | z.unbind()[0] | z.unbind(1)[0] | z.roll(1) | z.roll(1, 0) | z.roll((1,), (0, 1)) | v.roll((1,), (0, 1)) | v.roll(1, 5) | e.roll(1, 5)
e.roll((1, 2), (0, 1)) | z.flip(0) | z.flip(1) | z.narrow(0, 0, 1) | z.select(0, 0) | z.unfold(0, 1, 1) | z.unflatten(0, (1,)) | z.unflatten(1, (1,))
z.movedim((0, 1), (0,)) | v.movedim((0, 1), (0,)) | v.movedim(0, 5) | m.movedim((0, 1), (1, 0)) | v.repeat_interleave(z[None])
torch.linalg.norm(b, None, (0, 1, 2)) | torch.linalg.norm(b, 2, ()) | torch.linalg.norm(v, 1, (0, 1, 2)) | torch.linalg.norm(z, 2) | torch.linalg.norm(z)
torch.linalg.norm(v, "fro", (0, 1)) | torch.linalg.norm(b, None, (0, 1)) | torch.linalg.matrix_norm(b, 2, (0, 1, 2)) | torch.linalg.matrix_norm(m, None)
torch.linalg.matrix_norm(m, "fro", 0) | torch.linalg.matrix_norm(m, 2, (0, 5)) | torch.linalg.matrix_norm(v) | torch.linalg.vector_norm(b, 2, (0, 1, 2))
"""


@pytest.mark.parametrize("line", SHAPES.strip().splitlines())
def test_shapes_that_do_not_fit(device, line):
    compare_all([f"{KIND}kind(lambda: {call.strip()})" for call in line.split(" | ")], device)
