"""Gradients at the corners of functions, compared with PyTorch: equal and zero singular values, branch points, ties, refused writes."""

import pytest
from test_torch_autograd import check

HEAD = """
F, L, S = torch.nn.functional, torch.linalg, torch.special
inf, nan = math.inf, math.nan
w = torch.tensor([1., 2., 3.], device=device)
def slope(f, *values):
    x = torch.tensor(values, device=device, requires_grad=True)
    f(x).sum().backward()
    return x.grad
def of(f, x, *more):
    "The gradients of a weighted sum of a function's values."
    x = [one.to(torch.float64).to(device).requires_grad_() for one in (x, *more)]
    y = f(*x)
    weights = (torch.arange(float(y.numel())) + 1).reshape(y.shape).to(torch.float64).to(device)
    return [y.detach()] + list(torch.autograd.grad((y * weights).sum(), x))
def written(key, value):
    e = w.expand(2, 3)
    try:
        e[key] = value
    except RuntimeError as error:
        return str(error)[:60], e
    return e
"""


def test_pseudo_inverses(device):
    """Where singular values are equal or zero; PyTorch's values, never NaN."""
    check(
        """
        x = torch.eye(2, device=device).requires_grad_(); L.pinv(x).sum().backward(); x.grad
        x = torch.eye(2, device=device).requires_grad_(); torch.pinverse(x).diagonal().sum().backward(); x.grad
        of(L.pinv, torch.eye(3) * 2)
        of(L.pinv, torch.eye(3)[:2])
        of(L.pinv, torch.eye(3)[:, :2])
        of(L.pinv, torch.tensor([[1., 2.], [2., 4.]]))
        of(L.pinv, torch.tensor([[1., 2., 3.], [2., 4., 6.]]))
        of(L.pinv, torch.tensor([[1., 2.], [2., 4.], [3., 6.]]))
        of(L.pinv, torch.zeros(2, 3))
        of(L.pinv, torch.ones(3, 3))
        of(L.pinv, torch.stack([torch.eye(2), torch.ones(2, 2), torch.tensor([[1., 2.], [3., 4.]])]))
        of(lambda x: L.pinv(x, hermitian=True), torch.tensor([[2., 1.], [1., 2.]]))
        of(lambda x: L.pinv(x, hermitian=True), torch.eye(2))
        of(lambda x: L.pinv(torch.complex(x, x * 2)).abs(), torch.tensor([[1., 2.], [3., 5.]]))
        of(lambda x: L.pinv(torch.complex(x, x.T)).real, torch.eye(2))
        of(lambda x: torch.autograd.grad(L.pinv(x).sum(), x, create_graph=True)[0], torch.eye(2) + 0.1)
        of(lambda x: torch.autograd.grad((L.pinv(x) ** 2).sum(), x, create_graph=True)[0], torch.tensor([[1., 2., 0.], [0., 1., 3.]]))
        """,
        device,
        HEAD,
        rtol=1e-6,
        atol=1e-7,
    )


def test_least_squares(device):
    check(
        """
        of(lambda a, b: L.lstsq(a, b).solution, torch.eye(2), torch.ones(2, 1))
        of(lambda a, b: L.lstsq(a, b).solution, torch.eye(2) * 3, torch.tensor([[1., 2.], [3., 4.]]))
        of(lambda a, b: L.lstsq(a, b).solution, torch.tensor([[1., 0.], [0., 1.], [0., 0.]]), torch.ones(3, 2))
        of(lambda a, b: L.lstsq(a, b).solution, torch.tensor([[1., 2.], [3., 4.], [5., 7.]]), torch.tensor([[1.], [2.], [4.]]))
        of(lambda a, b: L.lstsq(a, b).solution, torch.tensor([[1., 0., 0.], [0., 1., 0.]]), torch.ones(2, 1))
        """,
        device,
        HEAD,
        rtol=1e-6,
        atol=1e-7,
    )


def test_inverses(device):
    check(
        """
        of(torch.inverse, torch.tensor([[1., 2.], [3., 5.]]))
        of(L.inv, torch.stack([torch.eye(2), torch.tensor([[1., 2.], [3., 5.]])]))
        of(lambda x: L.inv(torch.complex(x, x.T)).abs(), torch.tensor([[1., 2.], [3., 5.]]))
        of(lambda x: torch.autograd.grad((L.inv(x) ** 2).sum(), x, create_graph=True)[0], torch.tensor([[1., 2.], [3., 5.]]))
        """,
        device,
        HEAD,
        rtol=1e-6,
        atol=1e-7,
    )


def test_branch_points(device):
    check(
        """
        slope(S.log_ndtr, -1., -1.0001, -0.9999, 0., 1.)
        slope(S.erfcx, 5., 4.9, 5.1, -5., 0.)
        slope(S.i0e, 0., -1., 8., -8., 9., 1.5)
        slope(S.i1, 0., -1., 8., -8., 9., 1.5)
        slope(S.i1e, 0., -1., 8., -8., 9., 1.5)
        slope(torch.i0, 0., -1., 8., -8., 9., 1.5)
        slope(S.entr, 0., -1., 1., 0.5, -0., inf)
        S.entr(torch.tensor([0., -1., 1., nan], device=device)), S.entr(w.clone().requires_grad_()).detach()
        slope(torch.acosh, 0., -1., 1., 1.5, -2., -0.5)
        slope(lambda x: torch.complex(x, x).acosh().abs(), 0.5, 1.5)
        slope(torch.rsqrt, 0., -1., 1., 4.)
        slope(lambda x: x.std(), 2., 2., 2.)
        slope(lambda x: x.view(2, 2).std(1), 2., 2., 1., 3.)
        slope(lambda x: torch.complex(x, x * 2).rsqrt().abs(), 1., 2.)
        slope(S.ndtri, 0., 1., 0.5, 0.25)
        slope(torch.logit, 0., 1., 0.5, 2.)
        slope(torch.sinc, 0., 1., -0.5, 1e-40, 1e-20, -0.05, 0.2)
        slope(lambda x: x.std(), 0., 3., -1., 3.4e38)
        slope(torch.abs, nan, 2., -1., 0.), slope(lambda x: torch.norm(x, 1), nan, 2., -1.), slope(lambda x: F.l1_loss(x, w), nan, 2., 4.)
        slope(lambda x: torch.xlogy(x, x), 0., 1., -1., 2.)
        """,
        device,
        HEAD,
    )


def test_equal_medians_share(device):
    check(
        """
        slope(torch.median, 1., 2., 2., 2., 3.)
        slope(torch.nanmedian, 1., 2., 2., 2.)
        slope(torch.median, 1., nan, 2., 2.)
        slope(torch.median, nan, nan, 2., 2.)
        slope(torch.nanmedian, 1., nan, 2., 2.)
        slope(lambda x: x.view(2, 2).median(), 1., 2., 2., 2.)
        slope(lambda x: x.view(2, 3).median(1)[0], 1., 2., 2., 2., 2., 2.)
        slope(torch.median, 3., 1., 2.)
        x = torch.tensor([1., 2., 2.], device=device, requires_grad=True); torch.median(x), torch.median(x.detach()), torch.nanmedian(x)
        """,
        device,
        HEAD,
    )


def test_losses_of_broadcast_shapes(device):
    head = HEAD + "\ntargets = torch.tensor([[1., 0, 1], [0, 1, 1]], device=device)\n"
    check(
        """
        of(lambda x: F.multilabel_soft_margin_loss(x, targets.to(x.dtype)), torch.tensor([[.1, .2, .3]]))
        of(lambda x: F.multilabel_soft_margin_loss(x, targets.to(x.dtype), reduction="none"), torch.tensor([[.1], [.2]]))
        of(lambda x: F.multilabel_soft_margin_loss(x, targets.to(x.dtype)), torch.tensor([.1, .2, .3]))
        of(lambda x: F.multilabel_soft_margin_loss(x, targets.to(x.dtype), weight=w.to(x.dtype)), torch.tensor([.1, .2, .3]))
        of(lambda x: F.multilabel_soft_margin_loss(x, targets.to(x.dtype)), torch.tensor([[.1, .2, .3], [.4, .5, .6]]))
        """,
        device,
        head,
    )


def test_writes_into_expanded_tensors(device):
    """Values of a tensor have no place of their own there; one number for all is written."""
    check(
        """
        written(slice(None), torch.ones(2, 3, device=device))
        written((slice(None), 0), torch.ones(2, device=device))
        written(0, torch.ones(3, device=device))
        written((slice(0, 1), 0), torch.ones(1, device=device))
        written(slice(None), 5.)
        written(slice(None), torch.tensor(5., device=device))
        written((0, 0), 5.)
        e = w.expand(2, 3).T; raises(lambda: e.__setitem__(slice(None), torch.ones(3, 2, device=device)))
        e = w.expand(2, 3); raises(lambda: torch.add(w, w, out=e)), e
        e = w.expand(2, 3); raises(lambda: e.put_(torch.tensor([0], device=device), torch.ones(1, device=device))), e
        e = torch.zeros(1, device=device).expand(1); e[:] = torch.ones(1, device=device); e
        """,
        device,
        HEAD,
    )


ENDS = """
def of(f, *x):
    x = [torch.tensor(one, dtype=torch.float64, device=device, requires_grad=True) for one in x]
    f(*x).sum().backward()
    return [one.grad for one in x]
inf, nan = math.inf, math.nan
"""


def test_gradients_at_the_ends_of_domains(device):
    check(
        """
        of(torch.fmax, [1., 2., nan, nan], [1., 3., 0., nan])
        of(torch.fmin, [1., 2., nan, nan], [1., 3., 0., nan])
        of(torch.maximum, [nan, 1., 1.], [1., nan, 1.])
        of(torch.minimum, [nan, 1., 2.], [1., nan, 2.])
        of(torch.xlogy, [0., 0., 0., 1.], [-1., 0., 2., 3.])
        of(torch.special.xlog1py, [0., 0., 0., 1.], [-3., -1., 2., 3.])
        """,
        device,
        ENDS,
    )


def test_losses_that_have_no_derivative_for_an_argument(device):
    check(
        """
        raises(lambda: F.soft_margin_loss(a, w))
        raises(lambda: F.binary_cross_entropy(a.sigmoid(), b, weight=w))
        raises(lambda: F.binary_cross_entropy_with_logits(a, b, weight=w))
        raises(lambda: F.binary_cross_entropy_with_logits(a, b, pos_weight=w))
        raises(lambda: F.multi_margin_loss(a[None], torch.tensor([0], device=device), weight=w))
        raises(lambda: F.gaussian_nll_loss(a, b, torch.ones(1, 3, device=device)))
        raises(lambda: F.mse_loss(a, b[None], weight=b[None]))
        F.mse_loss(a, b[None], weight=b)
        F.multilabel_soft_margin_loss(a[None], torch.ones(2, 3, device=device))
        raises(lambda: F.cross_entropy(a[None], torch.tensor([[0, 1]], device=device)))
        raises(lambda: F.cross_entropy(a[None], torch.tensor(1, device=device)))
        """,
        device,
        "a, b = torch.ones(3, device=device), torch.full((3,), 0.5, device=device)\nw = torch.ones(3, device=device, requires_grad=True)\n",
    )


EXTREMES = "amax(x, -1) | amax(x) | amin(x, 0, True) | aminmax(x)[0] | aminmax(x, dim=-1)[1] | max(x) | min(x) | max(x, -1)[0] | min(x, 0)[0]"
RANKS = """median(x) | nanmedian(x) | median(x, -1)[0] | nanmedian(x, -1)[0] | quantile(x, 0.4) | quantile(x, torch.tensor([0.1, 0.9]), -1)
quantile(x, 0.3, interpolation='lower') | nanquantile(x, 0.4) | linalg.vector_norm(x, inf) | linalg.vector_norm(x, -inf, dim=-1)
prod(x) | prod(x, -1) | scatter_reduce(x, 0, torch.zeros(x.shape, dtype=torch.int64), x * 2, 'amax')"""
WITH_NAN = ["[1., nan, 0.]", "[nan, 1., 2.]", "[2., nan, 2.]", "[[1., nan, 3.], [5., 4., 8.], [2., 6., 7.]]", "[[inf, nan], [-inf, 1.]]"]


@pytest.mark.parametrize("values", WITH_NAN)
def test_gradients_at_nan(device, values):
    """amax() divides by the number of elements that equal its result; max() of all elements shares among NaN."""
    calls = [one.strip() for line in f"{EXTREMES}\n{RANKS}".splitlines() for one in line.split(" | ")]
    case = "x = torch.tensor(VALUES, device=device, requires_grad=True); y = torch.CALL; y.detach(), torch.autograd.grad(y.sum(), x)"
    check("\n".join(case.replace("VALUES", values).replace("CALL", call) for call in calls), device, HEAD)


def test_indices_of_nan(device):
    """The first NaN is the median; a dimension without elements has no k-th one."""
    check(
        """
        torch.median(torch.tensor([nan, 1., nan, 2.], device=device), -1)
        torch.median(torch.tensor([[1., nan], [nan, nan], [2., 3.]], device=device), 0, keepdim=True)
        torch.median(torch.tensor([[1., nan, nan], [1., 3., 2.]], device=device), 1)[1]
        raises(lambda: torch.kthvalue(torch.zeros(0, device=device), 1))[0]
        raises(lambda: torch.kthvalue(torch.zeros(3, 0, device=device), 1))[0], torch.kthvalue(torch.zeros(0, 3, device=device), 1)
        raises(lambda: torch.kthvalue(torch.zeros(3, device=device), 4))[0]
        raises(lambda: torch.amax(torch.zeros(0, 3, device=device), (0, 1))), raises(lambda: torch.amin(torch.zeros(0, device=device), 0))
        [raises(lambda: L.vector_norm(torch.zeros(0, 3, device=device), n)) for n in (inf, -inf, -1.)], L.vector_norm(torch.zeros(0, device=device), 2)
        raises(lambda: torch.norm(torch.zeros(0, 3, device=device), inf, 0))[0], torch.norm(torch.zeros(0, 3, device=device), inf, 1)
        raises(lambda: torch.amax(torch.zeros(0, device=device)))[0], raises(lambda: torch.max(torch.zeros(0, device=device)))[0]
        """,
        device,
        HEAD,
    )


def test_gradients_beside_nan(device):
    """Slopes of 0 hide NaN where PyTorch selects, and multiply it where PyTorch does; 80 elements fill PyTorch's vectors."""
    calls = """F.leaky_relu(x, 0.) | F.leaky_relu(x) | F.relu(x) | F.relu6(x) | F.hardtanh(x) | F.hardshrink(x) | F.softshrink(x) | F.threshold(x, 0., 1.)
    x ** torch.zeros(1, device=device) | x ** torch.tensor([2.], device=device) | F.hinge_embedding_loss(x, y, reduction='none') | F.hinge_embedding_loss(x, -y, .5, reduction='none')
    F.margin_ranking_loss(x, x * 0, y, reduction='none') | F.margin_ranking_loss(x, y, -y, 1., reduction='none') | F.hardsigmoid(x)
    torch.renorm(x.reshape(-1, 2), 2, 0, 1.).reshape(-1)"""  # fmt: skip
    check(
        "\n".join(
            f"x = torch.tensor([nan, inf, -inf, 0., -3., 3., 1., -1., .5, 7.] * 8, device=device, requires_grad=True); "
            f"y = torch.ones(80, device=device); "
            f"({call.strip()}).backward(torch.full_like(y, {g})); x.grad"
            for call in calls.replace("\n", "|").split("|")
            for g in ("1.", "nan", "inf", "0.")
            if not ("renorm" in call and g == "inf")
        )
        + """
        x = torch.tensor([inf, -inf, -3., 3., 0.], device=device, requires_grad=True); F.hardswish(x).backward(torch.full_like(x, nan)); x.grad
        x = torch.tensor([[nan, 1.], [2., nan]], device=device, requires_grad=True); F.multi_margin_loss(x, torch.tensor([0, 0], device=device)).backward(); x.grad
        x = torch.tensor([[nan, 1.], [2., nan]], device=device, requires_grad=True); F.multilabel_margin_loss(x, torch.tensor([[0, -1], [1, -1]], device=device)).backward(); x.grad
        x, y = torch.tensor([0., 1., .5], device=device), torch.tensor([.5, .5, 1.], device=device, requires_grad=True); F.binary_cross_entropy(x, y).backward(); y.grad
        """,
        device,
        HEAD,
    )
