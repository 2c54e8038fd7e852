"""Functions with a formula of their own are a single autograd node, which saves the least; values and derivatives compared with PyTorch."""

import gc

import numpy as np
import pytest
import quern.torch as torch
from test_torch_autograd import check
from torch_oracle import _device_name

F = torch.nn.functional
INF = float("inf")

HEAD = """
import math
F = torch.nn.functional
inf, nan = math.inf, math.nan
def t(*values, dtype=torch.float64):
    return torch.tensor(values, dtype=dtype, device=device)
v = t(-30., -4., -3., -1., -.3, -0., 0., .2, 1.5, 3., 4., 25.).requires_grad_()
m = torch.arange(1., 13., dtype=torch.float64, device=device).requires_grad_()
def twice(f, *xs):
    y = f(*xs)
    w = (torch.arange(y.numel(), device=device) % 5 + 1).to(y.dtype).reshape(y.shape)
    g = torch.autograd.grad((y * w).sum(), xs, create_graph=True, allow_unused=True)
    total = sum((one.sin() * one).sum() for one in g if one is not None)
    return y.detach(), [one.detach() for one in g], torch.autograd.grad(total, xs, allow_unused=True)
"""

# A function of x and other tensors: the name of its entry.
ENTRIES = {
    "F.elu(x)": "Elu",
    "F.elu(x, -1.5)": "Elu",
    "F.selu(x)": "Elu",
    "F.celu(x, 0.7)": "Celu",
    "F.hardsigmoid(x)": "Hardsigmoid",
    "F.hardswish(x)": "Hardswish",
    "F.softsign(x)": "Softsign",
    "F.tanhshrink(x)": "Tanhshrink",
    "F.glu(x)": "Glu",
    "F.softmin(x, 1)": "Softmax",
    "F.normalize(x)": "Normalize",
    "F.normalize(x, 3.0)": "Normalize",
    "F.nll_loss(x, classes)": "NllLoss",
    "F.nll_loss(x, classes, weight)": "NllLoss",
    "F.cross_entropy(x, classes, weight)": "NllLoss",
    "F.cross_entropy(x, classes, label_smoothing=0.1)": "NllLoss",
    "F.cross_entropy(x, classes, weight, label_smoothing=0.1)": "NllLoss",
    "F.cross_entropy(x, p, weight, label_smoothing=0.1)": "CrossEntropyLoss",
    "F.l1_loss(x, p)": "L1Loss",
    "F.mse_loss(x, p)": "MseLoss",
    "F.smooth_l1_loss(x, p)": "SmoothL1Loss",
    "F.huber_loss(x, p, weight=p)": "HuberLoss",
    "F.kl_div(x, p, reduction='sum')": "KlDiv",
    "F.kl_div(x, p, reduction='sum', log_target=True)": "KlDiv",
    "F.binary_cross_entropy(torch.sigmoid(x.detach()).requires_grad_(), p, weight)": "BinaryCrossEntropy",
    "F.binary_cross_entropy_with_logits(x, p)": "BinaryCrossEntropyWithLogits",
    "F.binary_cross_entropy_with_logits(x, p, weight, pos_weight=weight)": "BinaryCrossEntropyWithLogits",
    "F.soft_margin_loss(x, p)": "SoftMarginLoss",
    "F.poisson_nll_loss(x, p, full=True)": "PoissonNllLoss",
    "F.gaussian_nll_loss(x, p, p + 1)": "GaussianNllLoss",
    "F.hinge_embedding_loss(x, p)": "HingeEmbeddingLoss",
    "F.margin_ranking_loss(x, p, p, 0.5)": "MarginRankingLoss",
    "F.cosine_similarity(x, p)": "CosineSimilarity",
    "x.norm()": "LinalgVectorNorm",
    "x.norm(1, dim=0, keepdim=True)": "LinalgVectorNorm",
    "torch.norm(x, 0)": "LinalgVectorNorm",
    "torch.linalg.vector_norm(x, INF, 1)": "LinalgVectorNorm",
    "torch.linalg.norm(x, dim=1)": "LinalgVectorNorm",
    "torch.linalg.matrix_norm(x)": "LinalgVectorNorm",
}


@pytest.mark.parametrize("text", ENTRIES)
def test_one_autograd_node(device, text):
    with torch.device(_device_name(device)):
        x = torch.linspace(-2, 2, 24).reshape(4, 6).requires_grad_()
        names = {"x": x, "p": torch.rand(4, 6), "weight": torch.rand(6), "classes": torch.arange(4), "F": F, "torch": torch, "INF": INF}
        made = eval(text, names).grad_fn
    assert made.name() == ENTRIES[text] + "Backward0"
    # Of several results each is a part of the entry.
    before = [one.name() for one, _ in made.next_functions if one is not None]
    assert set(before) <= {made.name(), "torch::autograd::AccumulateGrad"}, before


def test_activations_twice(device):
    functions = """elu elu=F.elu(v,.7) elu=F.elu(v,-.7) elu=F.elu(v*1,.7,inplace=True) elu=F.elu(v.float()) selu selu=F.selu(v*1,inplace=True) celu
    celu=F.celu(v.float(),.7) celu=F.celu(v*1,2.,inplace=True) hardswish softsign tanhshrink glu glu=F.glu(v.view(3,4),0) softmin=F.softmin(v,0)
    softmin=F.softmin(v.view(2,3,2),1)"""
    check(
        "\n".join(f"twice(lambda v: {f.partition('=')[2] or f'F.{f}(v)'}, v)" for f in functions.split())
        + """
        F.hardsigmoid(v), torch.autograd.grad((F.hardsigmoid(v) * m).sum(), v), torch.autograd.grad((F.hardsigmoid(v * 1, inplace=True) * m).sum(), v)
        n = t(nan, inf, -inf).requires_grad_(); [torch.autograd.grad(f(n).sum(), n)[0] for f in (F.elu, F.selu, F.celu, F.hardswish, F.hardsigmoid, F.softsign, F.tanhshrink)]
        [(f(v.bfloat16()).dtype, torch.autograd.grad(f(v.bfloat16()).sum(), v)[0].dtype) for f in (F.elu, F.celu, F.hardswish, F.softsign, F.tanhshrink, F.glu)]
        twice(lambda x: F.softmin(x, 1), torch.zeros(0, 3, requires_grad=True, device=device))
        """,
        device,
        HEAD,
        rtol=1e-5,
        atol=1e-9,
    )


def test_losses_of_classes_twice(device):
    head = (
        HEAD
        + """
x = torch.sin(torch.arange(60., dtype=torch.float64, device=device) * 7).reshape(4, 5, 3).requires_grad_()
p = torch.softmax(torch.cos(torch.arange(60., dtype=torch.float64, device=device) * 3).reshape(4, 5, 3), 1).requires_grad_()
c = torch.tensor([[0, 1, 2], [2, 3, 4], [4, 2, 0], [1, 1, 3]], device=device)
w = t(.5, 1., 2., 0., .3)
"""
    )
    cases = []
    for reduction in ("mean", "sum", "none"):
        for more in ("", "weight=w", "ignore_index=2", "weight=w, ignore_index=2"):
            for of, extra in (("nll_loss", ("",)), ("cross_entropy", ("", "label_smoothing=.1", "label_smoothing=1."))):
                for smoothing in extra:
                    keywords = ", ".join(part for part in (f"reduction='{reduction}'", more, smoothing) if part)
                    cases.append(f"twice(lambda x: F.{of}(x.sin(), c, {keywords}), x)")
        for more in ("", "weight=w", "label_smoothing=.2", "weight=w, label_smoothing=.2"):
            cases.append(f"twice(lambda x, p: F.cross_entropy(x, p, reduction='{reduction}'{', ' * bool(more)}{more}), x, p)")
        cases.append(f"twice(lambda x: F.nll_loss(x.sin(), t(3, dtype=torch.int64)[0], reduction='{reduction}'), x[0, :, 0].detach().requires_grad_())")
        cases.append(
            f"twice(lambda x: F.cross_entropy(x, t(0, -100, 2, dtype=torch.int64), w[:3], reduction='{reduction}'), "
            "t([-inf, 1., 3.], [-inf, 8., 2.], [0., 1., 2.]).requires_grad_())"
        )
        cases.append(
            "x = t([-inf, 1., nan], [-inf, nan, 2.], [0., 1., -inf]).requires_grad_(); "
            f"y = F.nll_loss(x, t(0, -100, 2, dtype=torch.int64), w[:3], reduction='{reduction}'); y, torch.autograd.grad(y.sum(), x)"
        )
        cases.append(
            f"x = torch.ones(2, 100, dtype=torch.float64, device=device).requires_grad_(); twice(lambda x: F.nll_loss(x * x, t(99, 7, dtype=torch.int64), reduction='{reduction}'), x)"
        )
    cases.append("w.requires_grad_(); torch.autograd.grad(F.cross_entropy(x.detach(), p.detach(), w), w), twice(lambda w, p: F.cross_entropy(x.detach(), p, w), w, p)")
    cases.append("w.requires_grad_(); raises(lambda: F.nll_loss(x[..., 0], c[:, 0], w)), raises(lambda: F.cross_entropy(x[..., 0], c[:, 0], w, label_smoothing=.1))")
    cases.append("raises(lambda: F.nll_loss(x[..., 0].long(), c[:, 0])), raises(lambda: F.cross_entropy(x[..., 0].long(), c[:, 0]))")
    check("\n".join(cases), device, head, rtol=1e-6, atol=1e-9)


def test_losses_of_elements_twice(device):
    head = (
        HEAD
        + """
a = t(-3., -1., -.5, 0., 0., .3, 1., 2., 7.).requires_grad_()
b = t(-2., 1., -.5, 0., 1., .3, -1., -2., 9.).requires_grad_()
p, q, r = t(.01, .9, .5, .3, .9, 1e-3, .2).requires_grad_(), t(.1, 1., .5, .7, .2, .5, .2).requires_grad_(), t(.1, 1e-8, 3., 2., .5, 1., .4).requires_grad_()
k = t(0., 1., 2., 5., .5, 3., 1.)
s, w = t(-1., 1., -1., 1., 1., 1., -1., -1., 1.), t(.5, 2., 0.)
"""
    )
    functions = """mse_loss(a,b{}) smooth_l1_loss(a,b{}) smooth_l1_loss(a,b,beta=.3{}) huber_loss(a,b,delta=.7{}) huber_loss(a,b,weight=s{})
    kl_div(a,b,log_target=True{}) poisson_nll_loss(a,b{}) poisson_nll_loss(a[:7],k,full=True{}) poisson_nll_loss(a[:7].abs(),k,False,True{})
    binary_cross_entropy_with_logits(a,b{}) binary_cross_entropy_with_logits(a,b,weight=s{}) binary_cross_entropy_with_logits(a.view(3,3),b.view(3,3),pos_weight=w{})
    binary_cross_entropy_with_logits(a.view(3,3),b.view(3,3),w,pos_weight=w{}) soft_margin_loss(a,s{}) multilabel_soft_margin_loss(a.view(3,3),b.view(3,3),w{})"""
    cases = []
    for reduction in ("mean", "sum", "none"):
        keyword = f",reduction='{reduction}'"
        cases += [f"twice(lambda a, b: F.{f.format(keyword)}, a, b)" for f in functions.split()]
        cases.append(f"twice(lambda p, q: F.binary_cross_entropy(p, q, weight=r.detach(){keyword}), p, q)")
        cases.append(f"twice(lambda p, q: F.kl_div(p, q{keyword}), p, q)")
        cases.append(f"twice(lambda p, q, r: F.gaussian_nll_loss(p, q, r, full=True{keyword}), p, q, r)")
        cases.append(f"twice(lambda p, q, r: F.gaussian_nll_loss(p.view(1, 7), q.view(1, 7), r[:1]{keyword}), p, q, r)")
        cases.append(f"torch.autograd.grad((F.l1_loss(a, b{keyword}) * 3).sum(), (a, b))")
        cases.append(f"torch.autograd.grad((F.hinge_embedding_loss(a, s{keyword}) * 3).sum(), a)")
        cases.append(f"torch.autograd.grad((F.margin_ranking_loss(a, b, s{keyword}) * 3).sum(), (a, b))")
        cases.append(f"twice(lambda a, b, k: F.margin_ranking_loss(a.sin(), b.sin(), k, .3{keyword}), a, b, s.requires_grad_())")
        cases.append(f"twice(lambda p, q: F.kl_div(p.view(7, 1)[:3], q[:3]{keyword}), p, q)")
    cases += [
        "twice(lambda p, q: F.kl_div(p, q, reduction='batchmean'), p, q)",
        "F.mse_loss(a.half(), b.half()).dtype, F.mse_loss(a.float(), b).dtype, F.mse_loss(a[:2], t(1, 2, dtype=torch.int64)), F.l1_loss(t(1, 5, dtype=torch.int64), t(2, 2, dtype=torch.int64), reduction='sum')",
        "torch.autograd.grad(F.mse_loss(a, 2 * a), a), torch.autograd.grad(F.mse_loss(a.detach(), b), b), torch.autograd.grad(F.mse_loss(a, b.detach()), a)",
        "y = F.mse_loss(a[:0], b[:0]); y, torch.autograd.grad(y, a)",
        "q = t(0., 1., .5).requires_grad_(); torch.autograd.grad(F.kl_div(p[:3], q, reduction='sum'), (p, q))",
        "raises(lambda: F.kl_div(a, p, reduction='sum')), raises(lambda: F.mse_loss(a, b, reduction='all'))[0]",
        "F.l1_loss(torch.complex(a, b), a, reduction='none'), torch.autograd.grad(F.l1_loss(torch.complex(a + 4, b), a), (a, b))",
    ]
    check("\n".join(cases), device, head, rtol=1e-6, atol=1e-9)


def test_weights_have_no_gradients(device):
    """As in PyTorch; second derivatives by the others are right beside them."""
    rng = np.random.default_rng(3)
    x, y, w, v = (torch.tensor(rng.uniform(0.1, 0.9, (3, 4)), device=_device_name(device), requires_grad=True) for _ in range(4))
    functions = [
        lambda x, y, w, v: F.binary_cross_entropy(x, y, w) + v.sum() * 0,
        lambda x, y, w, v: F.binary_cross_entropy_with_logits(x, y, w, pos_weight=v),
        lambda x, y, w, v: F.soft_margin_loss(x, w) + y.sum() * 0,
    ]
    for f in functions:
        with pytest.raises(RuntimeError, match="is not differentiable with respect to argument '(weight|target)'"):
            f(x, y, w, v)

        def beside(x, y, f=f):
            return f(x, y, w.detach(), v.detach())

        assert torch.autograd.gradcheck(beside, (x, y)) and torch.autograd.gradgradcheck(beside, (x, y))


ORDERS = [2, 1, 0, 3, 4.0, 1.5, 0.5, INF, -INF, -1, 2.5]


@pytest.mark.parametrize("order", ORDERS)
def test_norms_by_differences(device, order):
    """Of real and complex vectors, first and second derivatives."""
    rng = np.random.default_rng(5)
    real = rng.uniform(0.3, 2, (3, 4)) * rng.choice([-1, 1], (3, 4))
    functions = [
        lambda x: torch.linalg.vector_norm(x, order, 1),
        lambda x: torch.linalg.vector_norm(x, order, (0, 1), True),
        lambda x: torch.view_as_real(F.normalize(x, order, 0)) if x.is_complex() else F.normalize(x, order, 0),
        lambda x: torch.view_as_real(F.normalize(x, order, 1, eps=1.0)) if x.is_complex() else F.normalize(x, order, 1, eps=1.0),
    ]
    for values in (real, real + 1j * rng.standard_normal((3, 4))):
        x = torch.tensor(values, device=_device_name(device), requires_grad=True)
        for f in functions:
            assert torch.autograd.gradcheck(f, x)
            if order:
                assert torch.autograd.gradgradcheck(f, x)


def test_norms_at_zeros_and_infinities(device):
    """Compared with PyTorch, but second derivatives of norms that are 0 are 0 here."""
    head = (
        HEAD
        + """
z, o, e = torch.zeros(2, 3, dtype=torch.float64, device=device), t([0., 0., 0.], [1., 2., -2.]), t([1e3, 2e3, -1.], [1e-3, 2e-4, 0.])
i, n, u = t([inf, 1., 0.], [-inf, inf, 2.]), t([-0., 3., -1.], [nan, 1., 2.]), t([.3, -1.2, 2.], [-.7, .7, -.1])
def slopes(f, *more):
    out = []
    for one in (z, o, e, u, *more):
        x = one.clone().requires_grad_()
        y = f(x)
        out.append((y.detach(), torch.autograd.grad((y * 2).sum(), x)[0]))
    return out
"""
    )
    more = {"2": ", i, n", "3": ", i, n", "4.": ", n", "-1": ", i", "-inf": ", i"}
    check(
        "\n".join(
            f"slopes(lambda x: torch.linalg.vector_norm(x, {order}, 1){more.get(order, '')}), slopes(lambda x: x.norm({order})), "
            f"slopes(lambda x: F.normalize(x, {order}, 0, eps=1.){more.get(order, '')})"
            for order in "2 1 3 4. 1.5 .5 inf -inf -1 2.5".split()
        )
        + """
        twice(lambda u: F.normalize(u, eps=1.), u.requires_grad_())
        twice(lambda u: u.norm(dim=0).sum() + u.norm(1) + u.norm(3, 1, True).sum(), u.requires_grad_())
        twice(lambda o: torch.linalg.vector_norm(o[1], 4) + o[1].norm(2), o.requires_grad_())
        x = u.bfloat16().requires_grad_(); y = x.norm(dim=1); y.dtype, torch.autograd.grad(y.sum(), x)[0].dtype
        x = t(3.)[0].requires_grad_(); y = x.norm(); y, torch.autograd.grad(y, x), F.normalize(x, dim=0)
        torch.norm(torch.zeros(0, 3, requires_grad=True, device=device), dim=1), torch.zeros(0, 3, requires_grad=True, device=device).norm(3)
        """,
        device,
        head,
        rtol=1e-6,
        atol=1e-9,
    )


def test_cosines_twice(device):
    head = (
        HEAD
        + """
a, b = t([.3, -1.2, 2.], [-.7, .7, -.1]).requires_grad_(), t([1., .2, .4], [-.5, 2., .3]).requires_grad_()
z = t([0., 0., 0.], [1., 2., -2.]).requires_grad_()
"""
    )
    check(
        """
        twice(F.cosine_similarity, a, b)
        twice(lambda a, b: F.cosine_similarity(a, b, 0, 1.5), a, b)
        twice(lambda a: F.cosine_similarity(a, b.detach(), -1), a)
        twice(lambda a, b: F.cosine_similarity(a.view(2, 1, 3), b.view(1, 2, 3), 2), a, b)
        twice(lambda a: F.cosine_similarity(a, a * 2), a)
        F.cosine_similarity(z, b), torch.autograd.grad(F.cosine_similarity(z, b).sum(), (z, b))
        F.cosine_similarity(a.half(), b.half()).dtype, F.cosine_similarity(a[0], b[0], 0)
        """,
        device,
        head,
        rtol=1e-6,
        atol=1e-9,
    )


N = 1 << 16

# What is kept of z: how many bytes of z's size are there while the result is, beside the result.
KEPT = {
    "F.elu(z)": 0,
    "F.selu(z)": 0,
    "F.celu(z, 0.7)": 0,
    "F.elu(z, -1.0)": 1,
    "F.hardswish(z)": 1,
    "F.tanhshrink(z)": 1,
    "F.softmin(z, 0)": 0,
    "F.normalize(z, dim=0)": 0,
    "F.normalize(z, 3.0, dim=0)": 1,
    "z.norm()": 1,
    "z.norm(0)": 0,
    "F.nll_loss(z.reshape(-1, 4), classes, reduction='none')": 0,
    "F.cross_entropy(z.reshape(-1, 4), classes, weight)": 1,
    "F.mse_loss(z, target)": 1,
    "F.kl_div(z, target, reduction='sum')": 0,
    "F.poisson_nll_loss(z, target)": 1,
}


@pytest.mark.parametrize("text", KEPT)
def test_keeps_the_least(device, text):
    import quern.cupy as cupy
    from quern.lib import _engine

    with torch.device(_device_name(device)):
        x = torch.linspace(-2, 2, N).requires_grad_()
        target, weight, classes = torch.rand(N), torch.rand(4), torch.arange(N // 4) % 4
        for one in (x, target, weight, classes):
            _engine.array_evaluate(one)
        gc.collect()
        device.synchronize()
        pool = cupy.get_default_memory_pool()
        before = pool.used_bytes()
        z = x * 1
        _engine.array_evaluate(z)
        y = eval(text, {"F": F, "torch": torch, "z": z, "target": target, "weight": weight, "classes": classes})
        _engine.array_evaluate(y)
        del z
        if device.kind == "cpu":
            _engine.wait_for_cpu()
        kept = pool.used_bytes() - before - y.numel() * 4
    assert KEPT[text] * 4 * N <= kept < (KEPT[text] + 0.6) * 4 * N
    y.sum().backward()
    assert np.isfinite(x.grad.cpu().numpy()).all()
