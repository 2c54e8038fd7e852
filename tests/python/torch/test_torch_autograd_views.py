"""A view has a history of its own: hooks on it, its gradient, what autograd.grad says of it; retain_grad() of tensors and views."""

import pytest
from quern import torch
from test_torch_autograd import check
from torch_oracle import compare, compare_all

HEAD = """
x = torch.tensor([1., -2., 3.], requires_grad=True, device=device)
w = torch.tensor([1., 2., 3.], device=device)
seen = []
def told(call):
    try:
        return call()
    except Exception as error:
        return type(error).__name__, str(error)[:36]
def grad(of, to):
    return told(lambda: torch.autograd.grad(of.sum(), to, allow_unused=True))
"""

VIEWS = """view(3) view_as(b) reshape(3) squeeze() unsqueeze(0) unsqueeze(0).squeeze(0) expand(3) narrow(0,0,3) chunk(1)[0] [...] [:] [None][0]
movedim(0,0) unflatten(0,(3,1))[:,0] view(1,3)[0] detach().requires_grad_() flatten() permute(0) as_strided((3,),(1,)) unbind(0)[0]""".split()


def _seen(view):
    return "b" + (view if view.startswith("[") else "." + view)


@pytest.mark.parametrize("view", VIEWS)
def test_hooks_of_views(device, view):
    """Of the view alone: the base's gradient passes by them."""
    v = _seen(view)
    if view == "flatten()":  # of one dimension it is the tensor itself in both
        return check(f"b = x * 2; v = {v}; v is b", device, HEAD)
    return check(
        f"""
        b = x * 2; v = {v}; v.register_hook(lambda g: g * 10); (b * w).sum().backward(); x.grad
        b = x * 2; v = {v}; v.register_hook(lambda g: g * 10); (v * v).sum().backward(); x.grad
        b = x * 2; v = {v}; v.register_hook(lambda g: g * 10); (v * v).sum().backward(retain_graph=True); (b * v).sum().backward(); x.grad
        b = x * 2; v = {v}; b.register_hook(lambda g: g * 10); (v * v).sum().backward(); x.grad
        b = x * 2; v = {v}; u = {v}; u.register_hook(lambda g: g * 10); (v * v).sum().backward(); x.grad
        b = x * 2; v = {v}; v.retain_grad(); b.retains_grad, v.retains_grad
        b = x * 2; v = {v}; grad(b * b, v), grad(v * v, b)
        b = x; v = {v}; v.register_hook(lambda g: g * 10); (b * b).sum().backward(); x.grad, v.is_leaf
        """,
        device,
        HEAD,
    )


def test_views_of_views(device):
    check(
        """
        b = torch.stack([x, x * 2]); v = b.T; v.register_hook(lambda g: g * 10); (v.T * w).sum().backward(); x.grad
        b = torch.stack([x, x * 2]); v = b.T; v.register_hook(lambda g: g * 10); (b * w).sum().backward(); x.grad
        b = torch.stack([x, x * 2]); v = b.T; u = v.T; u.register_hook(lambda g: g * 10); v.register_hook(lambda g: g + 1); (u * w).sum().backward(); x.grad
        b = x * 2; v = b.view(3); u = v.view(3); grad(u * u, [v, b, u])
        b = x * 2; v = b.view(3); u = b.view(3); grad(u * u, [v, u])
        b = x * 2; v = b.view(3); u = v[:2]; grad(u * u, [v, b, u])
        b = x * 2; v = b[:2]; u = b[:2]; grad(u * u, [v, b, u])
        v = x.expand(2, 3); u = v.view(2, 3); u.register_hook(lambda g: seen.append(g)); v.register_hook(lambda g: seen.append(g)); (u * u).sum().backward(); seen, x.grad
        b = torch.complex(x, x * 2); v = torch.view_as_real(b); u = torch.view_as_complex(v); u.register_hook(lambda g: g * 10); (u.abs() ** 2).sum().backward(); x.grad
        b = torch.complex(x, x * 2); v = torch.view_as_real(b); u = torch.view_as_complex(v); u.register_hook(lambda g: g * 10); (b.abs() ** 2).sum().backward(); x.grad
        b = x * 2; told(lambda: torch.autograd.grad((b * b).sum(), b.view(3)))
        b = x * 2; v = b.view(3); (v * v).sum().backward(inputs=[b]); b.grad, v.grad, x.grad
        b = x * 2; v = b.view(3); (v * v).sum().backward(inputs=[v]); b.grad, v.grad, x.grad
        """,
        device,
        HEAD,
    )


def test_leaves_and_their_views(device):
    check(
        """
        v = x.view(3); v.is_leaf, v.grad_fn.name(), v.retains_grad, v.requires_grad_() is v, x.is_leaf
        v = x.view(3); told(lambda: v.requires_grad_(False)), x.requires_grad, v.requires_grad
        v = x.view(3); told(lambda: v.detach_()), x.requires_grad
        b = x * 2; v = b.view(3); told(lambda: v.detach_()), v.requires_grad, b.requires_grad
        b = x * 2; b.detach_().requires_grad
        v = x.view(3); v.register_hook(lambda g: seen.append(g)); (x * v).sum().backward(); seen, x.grad, x.is_leaf
        v = x.view(3); told(lambda: v.register_post_accumulate_grad_hook(lambda t: None))
        a = torch.zeros(3, device=device); v = a.view(3); v.requires_grad_(); a.requires_grad, v.is_leaf
        a = torch.zeros(3, device=device); v = a.view(3); v.requires_grad_(); (v * w).sum().backward(); a.grad, v.grad
        a = torch.zeros(3, device=device); v = a.view(3); a.requires_grad_(); v.requires_grad
        p = torch.nn.Parameter(w.view(3)); (p * w).sum().backward(); p.is_leaf, p.grad, w.requires_grad
        p = torch.nn.Parameter(w.clone()); v = p.view(3); v.register_hook(lambda g: g * 10); (p * w).sum().backward(); p.grad
        p = torch.nn.Parameter(w.clone()); v = p.view(3); v.register_hook(lambda g: g * 10); (v * w).sum().backward(); p.grad
        d = (x * 2).detach().requires_grad_(); v = d.view(3); v.register_hook(lambda g: g * 10); (d * w).sum().backward(); d.grad
        told(lambda: x.view(3).mul_(2))
        told(lambda: x[:2].mul_(2))
        """,
        device,
        HEAD,
    )


def test_views_that_are_written(device):
    check(
        """
        b = x * 2; v = b.view(3); v.mul_(3); grad(v * v, [v, b])
        b = x * 2; v = b.view(3); v.mul_(3); grad(b * b, [v, b])
        b = x * 2; v = b.view(3); v *= 3; grad(b * b, [v, b])
        b = x * 2; v = b.view(3); v.register_hook(lambda g: seen.append(g)); v.mul_(2); (v * w).sum().backward(); seen, x.grad
        b = x * 2; v = b.view(3); v.register_hook(lambda g: seen.append(g)); v *= 2; (v * w).sum().backward(); seen, x.grad
        b = x * 2; v = b[:2]; v.register_hook(lambda g: seen.append(g)); v.mul_(2); (v * w[:2]).sum().backward(); seen, x.grad
        b = x * 2; v = b[:2]; v.register_hook(lambda g: seen.append(g)); v.exp_(); (b * w).sum().backward(); seen, x.grad
        b = x * 2; v = b.view(3); v.register_hook(lambda g: g * 10); b.mul_(2); (v * w).sum().backward(); x.grad
        b = x * 2; v = b.view(3); b.mul_(2); v.register_hook(lambda g: g * 10); (v * w).sum().backward(); x.grad
        b = x * 2; v = b.view(3); b.mul_(2); v.register_hook(lambda g: g * 10); (b * w).sum().backward(); x.grad
        b = x * 2; v = b.view(3); v.zero_(); (b * w).sum().backward(); x.grad
        b = x * 2; v = b.view(3); v.copy_(w); v.requires_grad, b.requires_grad
        b = w.clone(); v = b.view(3); v.mul_(x); b.requires_grad, grad(b * b, [x])
        """,
        device,
        HEAD,
    )


def test_retained_gradients(device):
    """A second backward() adds; what the program holds of the first stays as it is."""
    check(
        """
        y = x * 2; y.retain_grad(); y.sum().backward(retain_graph=True); g = y.grad; y.sum().backward(); y.grad, g is y.grad, g
        y = x * 2; y.retain_grad(); y.sum().backward(retain_graph=True); y.grad.zero_(); (y * w).sum().backward(); y.grad
        y = x * 2; y.retain_grad(); y.sum().backward(retain_graph=True); y.grad = None; (y * w).sum().backward(); y.grad
        y = x * 2; y.retain_grad(); y.backward(w, retain_graph=True, inputs=[y]); y.backward(w, inputs=[y]); y.grad
        y = x * 2; y.backward(w, retain_graph=True, inputs=[y]); y.backward(w, inputs=[y]); y.grad
        y = x * 2; y.retain_grad(); y.grad = w.clone(); y.sum().backward(); y.grad
        y = x * 2; y.retain_grad(); (y * y).sum().backward(create_graph=True); (y * y).sum().backward(create_graph=True); y.grad, y.grad.requires_grad
        y = x * 2; y.retain_grad(); y.mul_(3); y.sum().backward(); y.grad, y.retains_grad
        y = x * 2; y.retain_grad(); y.sum().backward(retain_graph=True); y.mul_(3); y.sum().backward(); y.grad, y.retains_grad, x.grad
        y = x * 2; y.retain_grad(); y.zero_(); y.sum().backward(); y.grad, y.retains_grad, x.grad
        y = x * 2; y.retain_grad(); v = y[:2]; v.zero_(); y.sum().backward(); y.grad, y.retains_grad, x.grad
        y = x * 2; y.retain_grad(); y.register_hook(lambda g: g * 2); y.sum().backward(); y.grad
        y = x * 2; y.retain_grad(); torch.autograd.grad((y * y).sum(), x); y.grad
        x.retain_grad(); x.retains_grad
        a, b = torch.std_mean(x); a.retain_grad(); (a + b).backward(); a.grad, a.retains_grad, b.retains_grad
        a, i = torch.sort(x * 2); a.retain_grad(); (a * w).sum().backward(); a.grad, x.grad
        """,
        device,
        HEAD,
    )


def test_retained_views(device):
    """retain_grad() is of the tensor: it follows a view whose memory is written."""
    check(
        """
        b = x * 2; v = b.view(3); v.retain_grad(); v.mul_(2); (v * w).sum().backward(); v.grad, v.retains_grad, b.retains_grad, x.grad
        b = x * 2; v = b.view(3); v.retain_grad(); v.mul_(2); (b * w).sum().backward(); v.grad, x.grad
        b = x * 2; v = b.view(3); v.retain_grad(); v *= 2; (v * w).sum().backward(); v.grad, v.retains_grad, x.grad
        b = x * 2; v = b[:2]; v.retain_grad(); v.mul_(2); (v * w[:2]).sum().backward(); v.grad, v.retains_grad, b.retains_grad, x.grad
        b = x * 2; v = b[:2]; v.retain_grad(); v.mul_(2); (b * w).sum().backward(); v.grad, v.retains_grad, x.grad
        b = x * 2; v = b[:2]; v.retain_grad(); v *= 2; (v * w[:2]).sum().backward(); v.grad, v.retains_grad, x.grad
        b = x * 2; v = b[:2]; v.retain_grad(); b.mul_(2); (b * w).sum().backward(); v.grad, v.retains_grad, x.grad
        b = x * 2; v = b[:2]; v.retain_grad(); b.mul_(2); (v * w[:2]).sum().backward(); v.grad, v.retains_grad, x.grad
        b = x * 2; b.retain_grad(); v = b[:2]; v.mul_(2); (v * w[:2]).sum().backward(); b.grad, b.retains_grad, v.retains_grad
        b = x * 2; v = b[:2]; v.retain_grad(); (v * v).sum().backward(retain_graph=True); v.mul_(2); (v * w[:2]).sum().backward(); v.grad
        b = x * 2; v = b.view(3); v.register_hook(lambda g: g * 10); v.retain_grad(); (v * w).sum().backward(); v.grad, x.grad
        """,
        device,
        HEAD,
    )


def test_copies_share_as_their_tensors_do(device):
    """copy.copy() shares memory; copies by copy.deepcopy() share with each other."""
    check(
        """
        import copy; a = w.clone(); c = copy.copy(a); c[0] = 9; a, c is a, type(c).__name__
        import copy; a = w.clone().requires_grad_(); c = copy.copy(a); c.requires_grad, c.is_leaf, c.grad, c
        import copy; a = w.clone(); c = copy.deepcopy([a, a[:1], a]); c[1][0] = 9; c, a, c[0] is c[2]
        import copy; a = w.clone(); c = copy.deepcopy([a[1:], a[:2]]); c[0][0] = 9; c, a
        import copy; a = torch.ones(2, 3, device=device); c = copy.deepcopy({1: a.T, 2: a, 3: a[1]}); c[3][0] = 9; c, a
        import copy; a = torch.complex(w, w); c = copy.deepcopy([torch.view_as_real(a), a]); c[0][0, 1] = 9; c
        import copy; a = w.clone(); c = copy.deepcopy([a.detach().requires_grad_(), a]); c[1][0] = 9; c, c[0].requires_grad, c[1].requires_grad
        import copy; p = torch.nn.Parameter(w.clone()); c = copy.copy(p); c.data[0] = 9; p, c is p, type(c).__name__, c.requires_grad
        import copy; a = w.expand(2, 3); copy.deepcopy([a, a[0]])
        """,
        device,
        HEAD,
    )


TURNED = """
x = (torch.arange(6., dtype=torch.float64, device=device).reshape(2, 3) - 2).requires_grad_()
a, more = x * 1, torch.arange(6., dtype=torch.float64, device=device)
turned = a.t().detach()
straight = turned.t()
def both():
    return [torch.autograd.grad((t * more.reshape(t.shape)).sum(), x, retain_graph=True, allow_unused=True)[0] for t in (turned, straight)]
"""


def test_writes_into_views_of_detached_arrays_that_lie_otherwise(device):
    check(
        """
        turned.add_(a.t()); straight.grad_fn; straight.mul_(3.); both()
        straight.add_(a); turned.grad_fn; turned.mul_(3.); both()
        straight.copy_(a * 2); both()
        straight[:] = a * 2; straight.add_(a); both()
        turned.add_(a.t()); straight.grad_fn; straight.copy_(torch.sin(a.clone())); both()
        turned.add_(a.t()); straight.grad_fn; straight[0].mul_(3.); both()
        straight.index_add_(0, torch.tensor([1, 0], device=device), a * 2); both()
        turned.index_add_(0, torch.tensor([1, 0], device=device), (a * 2).t()[:2]); both()
        straight.add_(a); turned.grad_fn; turned.cumsum_(1); straight.grad_fn; straight.cumsum_(1); both()
        turned.add_(a.t()); straight.grad_fn; straight.zero_(); both()
        turned.add_(a.t()); v = straight.view(6); v.grad_fn; v.mul_(2.); both()
        turned.add_(a.t()); v = turned[1:]; v.mul_(2.); straight.grad_fn; straight.neg_(); both()
        """,
        device,
        TURNED,
    )


def test_what_was_asked_of_a_tensor_that_changes_its_shape(device):
    compare_all(
        [
            """
            c = torch.tensor([[0.3, -0.2, 0.9, 0.4]], device=device, requires_grad=True)
            v = c * 2
            v.retain_grad()
            v.unsqueeze_(0).squeeze_(0)
            v[:, ::2].sum().backward()
            [v.grad, c.grad]
            """,
            """
            x = torch.tensor([[1.0, 2, 3], [4, 5, 6]], device=device, requires_grad=True)
            a = torch.ones(2, 3, device=device)
            older = a.unsqueeze(0)[0]
            a.copy_((x * 1).clone())
            older.register_hook(lambda g: g * 2)
            (a.sum() + 10 * older.sum()).backward()
            x.grad
            """,
            """
            x = torch.tensor([[1.0, 2, 3], [4, 5, 6]], device=device, requires_grad=True)
            v = x.std(0, keepdim=True) + x
            with torch.no_grad():
                v.unsqueeze_(0).squeeze_(0)
            v.mul_(2)
            (v * v).sum().backward()
            [x.grad, v.detach(), v.requires_grad]
            """,
        ],
        device,
    )


@pytest.mark.parametrize("text", ["c.diff(dim=0)", "c[3:]", "c[:, :0] * 2"])
def test_second_derivatives_of_nothing(text, device):
    compare(
        f"""
        c = torch.tensor([[0.3, -0.2, 0.9, 0.4]], device=device, requires_grad=True)
        g, = torch.autograd.grad(({text} ** 2).sum(), [c], create_graph=True)
        [g.detach(), g.requires_grad, torch.autograd.grad((g ** 2).sum(), [c])]
        """,
        device,
    )


SHAPES = "t_() unsqueeze_(0) squeeze_() transpose_(0,1) swapaxes_(0,1) as_strided_((2,),(1,))"


@pytest.mark.parametrize("change", SHAPES.split())
def test_leaves_that_change_their_shape_stay_leaves(change, device):
    compare(
        f"""
        w = torch.nn.Parameter(torch.tensor([[1.0, 2.0]], device=device))
        with torch.no_grad():
            w.{change}
        (w * w).sum().backward()
        torch.optim.SGD([w], lr=0.1).step()
        x = torch.ones(1, 2, device=device, requires_grad=True)
        [w.is_leaf, w.grad, w.detach(), raises(lambda: x.{change}), raises(lambda: x[:].{change})]
        """,
        device,
    )


DATA = """
y.data = y.data.clamp(0, 1) | y.data = torch.tensor([5.0, 6.0], device=device) | y.retain_grad(); y.data = torch.ones(2, device=device) | y.register_hook(lambda g: g * 10); y.data = y.data * 3
y = y[:1]; y.data = torch.tensor([7.0], device=device) | y = x[1:]; y.data = torch.tensor([7.0], device=device) | y = x.exp(); y.data = y.data * 2
"""


@pytest.mark.parametrize("change", [one for line in DATA.strip().split("\n") for one in line.split(" | ")])
def test_results_with_other_data_stay_results(change, device):
    compare(
        f"""
        x = torch.tensor([1.0, 2.0], device=device, requires_grad=True)
        y = x * x
        {change}
        (y * y).sum().backward()
        [x.grad, y.requires_grad, y.is_leaf, y.detach(), x.detach()]
        """,
        device,
    )


@pytest.mark.parametrize("data", ["t.data * 2", "torch.stack([t.data, t.data], 1)[:, 0]"])
@pytest.mark.parametrize("change", ["t.unsqueeze_(0)", "t.as_strided_((2,), (1,))", "t.t_()", "t[1:]", "t.view(2, 2)", "t.reshape(2, 2)[1]"])
def test_views_of_views_with_other_data(change, data, device):
    """Their place counts in the new memory; the gradient's in that of the tensor that was viewed."""
    compare(
        f"""
        x = torch.arange(1.0, 7.0, device=device).requires_grad_()
        b = x * 1
        t = b[1:5]
        t.data = {data}
        t = {change}
        (t * t).sum().backward()
        [x.grad, t.detach(), b.detach()]
        """,
        device,
    )


@pytest.mark.parametrize(
    "weights, of",
    [("e[1] * c", "[x]"), ("e.T * c.reshape(3, 1)", "[e, x]"), ("e.unsqueeze(1) * c", "[e, x]"), ("e * c + (e.T * c.reshape(3, 1)).T", "[e, x]"), ("x.unfold(0, 2, 1)[0] * 5", "[x]")],
)  # fmt: skip
def test_gradients_of_expanded_tensors(weights, of, device):
    compare(
        f"""
        x, c = torch.tensor([1.0, 2.0, 3.0], device=device, requires_grad=True), torch.tensor([2.0, 5.0, 7.0], device=device)
        e = x.expand(2, 3)
        torch.autograd.grad(({weights}).sum(), {of})
        """,
        device,
    )


def test_parts_of_expanded_tensors_have_unclear_gradients(device):
    """Their places in memory do not say which elements they are; PyTorch knows."""
    x = torch.ones(3, device=device.kind, requires_grad=True)
    e = x.expand(2, 3)
    for of in (e, [e, x]):
        with pytest.raises(NotImplementedError, match=r"expanded tensor whose parts are read.*clone\(\)"):
            torch.autograd.grad(e[1].sum(), of, retain_graph=True)
    e.retain_grad()
    with pytest.raises(NotImplementedError, match="expanded"):
        e[0].sum().backward()
    whole = x.expand(2, 3).clone()
    assert torch.autograd.grad(whole[1].sum(), whole)[0].tolist() == [[0, 0, 0], [1, 1, 1]]


def test_gradients_of_another_shape_than_before(device):
    x = torch.ones(3, device=device.kind, requires_grad=True)
    x.sum().backward()
    x.data = torch.ones(5, device=x.device)
    with pytest.raises(RuntimeError, match="set grad to None first"):
        (x * x).sum().backward()
    assert x.grad.tolist() == [1, 1, 1]
    x.grad = None
    (x * x).sum().backward()
    assert x.grad.tolist() == [2] * 5


@pytest.mark.parametrize("change", ["unsqueeze_(0)", "squeeze_()", "t_()", "as_strided_((2,), (1,))", "unsqueeze_(0).t_()", "mul_(2)"])
def test_kept_gradients_of_tensors_that_change_their_shape(change, device):
    """They are those of the tensor as it was when it was asked to keep them."""
    for use in ("y.sum()", "y.sum() + (a * a).sum()"):
        compare(
            f"""
            x = torch.arange(1.0, 4.0, device=device).requires_grad_()
            a = x * 2
            a.retain_grad()
            y = a * 3
            a.{change}
            ({use}).backward()
            [a.grad, x.grad, a.retains_grad]
            """,
            device,
        )


@pytest.mark.parametrize("of", ["mean()", "mean(0)", "mean(1, keepdim=True)", "mean((0, 1))", "sum(0)", "nanmean()", "std()", "var(1)"])
def test_gradients_that_programs_write_into(of, device):
    compare(
        f"""
        x = torch.arange(6.0, device=device).reshape(2, 3).requires_grad_()
        y = x * 1
        def hook(g):
            if g.stride() == (3, 1):
                g[0, 0] = 5.0
        y.register_hook(hook)
        (y.{of} ** 2).sum().backward()
        g, = torch.autograd.grad((x.{of} ** 2).sum(), x)
        [x.grad, g.stride(), g]
        """,
        device,
    )


@pytest.mark.parametrize("data", ["big[0:18:3].reshape(2, 3)", "big[40:46].reshape(2, 3)", "big[:6].reshape(3, 2).t()"])
@pytest.mark.parametrize("view", ["x[0:1]", "x[1]", "x.t()", "x.reshape(-1)[2:4]"])
def test_views_that_were_made_before_data_is_set(view, data, device):
    """They show the former memory, and their gradient belongs to the leaf's same elements."""
    for leaf in ("x = torch.arange(6.0, device=device).reshape(2, 3).clone().requires_grad_(); y = x", "y = torch.ones(2, 3, device=device, requires_grad=True); x = y * 2"):
        compare(
            f"""
            big = torch.arange(50.0, device=device) / 10
            {leaf}
            v = {view}
            x.data = {data}
            ((v * v).sum() + (x * x).sum() + x[1, 1] * 3).backward()
            [y.grad, v.detach(), x.detach()]
            """,
            device,
        )


def test_expanded_tensors_that_are_flipped_or_repeated(device):
    compare(
        """
        x, w = torch.tensor([1.0, 2.0, 3.0], device=device, requires_grad=True), torch.arange(6.0, device=device).reshape(2, 3)
        e = x.expand(2, 3)
        e.register_hook(lambda g: g * torch.tensor([[1.0], [0.0]], device=device))
        (e.flip(0) * w).sum().backward()
        f = x.expand(2, 3)
        [x.grad, torch.autograd.grad((f.flip(0, 1) * w).sum(), f), torch.autograd.grad((x.expand(2, 3).repeat(2, 1) * w.repeat(2, 1)).sum(), x)]
        """,
        device,
    )
    x = torch.ones(3, device=device.kind, requires_grad=True)
    leaf = torch.ones(3, device=device.kind).expand(2, 3).detach().requires_grad_()
    with pytest.raises(NotImplementedError, match="expanded tensor"):
        leaf[1].sum().backward()
    for made in ("repeat(2, 1)", "tile(2)", "repeat_interleave(2, 0)", "expand(4, 2, 3)"):
        e = x.expand(2, 3)
        with pytest.raises(NotImplementedError, match="expanded tensor"):
            torch.autograd.grad(eval(f"e.{made}").sum(), e)


def test_a_detached_leaf_keeps_its_gradient(device):
    compare(
        """
        x = torch.ones(2, device=device, requires_grad=True)
        (x * 3).sum().backward()
        x.detach_()
        a = x.grad
        x.requires_grad_()
        (x * 2).sum().backward()
        [a, x.grad, x.requires_grad]
        """,
        device,
    )


RESIZED = """
x.t_(); x.resize_(4) | x.resize_(3); x.resize_(6) | x = x[1:]; x.resize_(2, 2); x[1, 1] = 7 | x = x[:, 1]; x.resize_(3) | x.resize_(0); x.resize_(2, 3)
x.t_(); x.resize_(2, 2); x.resize_(5) | x.as_strided_((2,), (3,)); x.resize_(4) | y = x[0]; y.resize_(1, 2); y.fill_(9)
"""


@pytest.mark.parametrize("change", [one for line in RESIZED.strip().split("\n") for one in line.split(" | ")])
def test_resizing_shows_the_memory_as_it_is(change, device):
    compare(f"x = torch.arange(6.0, device=device).reshape(2, 3)\n{change}\n[x, x.stride(), x.storage_offset()]", device)


def test_data_of_another_shape_is_refused(device):
    y = torch.ones(2, device=device.kind, requires_grad=True) * 2
    with pytest.raises(RuntimeError, match="cannot replace"):
        y.data = torch.ones(3, device=y.device)
    assert y.shape == (2,) and y.requires_grad


def test_detach_in_place_leaves_views_alone(device):
    compare_all(
        [
            """
            x = torch.ones(2, device=device, requires_grad=True)
            y = x * 2
            v = y[0]
            y.detach_()
            v.backward()
            [y.requires_grad, v.requires_grad, x.grad, y[1].requires_grad]
            """,
            """
            x = torch.ones(2, device=device, requires_grad=True)
            y = x * 2
            v = y.view(2)
            y.detach_().requires_grad_()
            (y * 3).sum().backward()
            (v * 5).sum().backward()
            [y.grad, x.grad, y.is_leaf]
            """,
            """
            h = torch.ones(2, device=device, requires_grad=True)
            for _ in range(5):
                h = (h * 2).detach_().requires_grad_()
            [h.detach(), h.is_leaf]
            """,
            """
            x, seen = torch.ones(2, 3, device=device, requires_grad=True), []
            y = x * 1.5
            y.register_hook(lambda g: seen.append((g.stride(), g.is_contiguous())))
            y.cumsum(1).sum().backward()
            [x.grad, seen]
            """,
        ],
        device,
    )


VIEWS_IN_PLACE = "t_() transpose_(0,1) swapaxes_(0,1) swapdims_(0,1) squeeze_(0) unsqueeze_(0) unsqueeze_(0).squeeze_(0)".split()
OTHER_VIEWS = "[0] [:] [:,1] .t() .view(-1) .t()[0] .view(-1)[1:]".split()


@pytest.mark.parametrize("op", VIEWS_IN_PLACE)
@pytest.mark.parametrize("start", ["b = m * 1", "a = m * 1; b = a[:]"], ids=["base", "view"])
def test_gradients_of_views_made_in_place(device, op, start):
    """The other views of the memory are made anew, from the base as it lies now; _version counts."""
    head = HEAD + "m = torch.tensor([[1., -2., 3.]], requires_grad=True, device=device)\ndef values(*t): return [one for one in t]\n"
    compare_all(
        [
            text
            for view in OTHER_VIEWS
            for text in (
                f"{head}{start}; v = b{view}; b.{op}; g = torch.autograd.grad((v**3).sum(), [b, v, m], allow_unused=True); g, b._version",
                f"{head}{start}; v = b{view}; b.{op}; torch.autograd.grad((b*b).sum() + (v**3).sum(), [b, v, m], create_graph=True)",
                f"{head}{start}; v = b{view}; b.{op}; (g,) = torch.autograd.grad((b*b).sum() + (v**3).sum(), b, create_graph=True); "
                "torch.autograd.grad(g.sum(), m)",
                f"{head}{start}; b.retain_grad(); v = b{view}; b.{op}; ((b*b).sum() + (v**3).sum()).backward(); b.grad, m.grad",
                f"{head}{start}; v = b{view}; v.retain_grad(); b.{op}; b.mul_(2); ((b*b).sum() + (v**3).sum()).backward(); v.grad, m.grad",
            )
        ],
        device,
    )


def test_writes_after_views_made_in_place(device):
    check(
        """
        b = m * 1; v = b[0]; b.t_(); v.mul_(2); torch.autograd.grad((v * v).sum() + (b * u).sum(), [m, b, v])
        b = m * 1; v = b[0]; b.t_(); b.mul_(2); torch.autograd.grad((v * v).sum() + (b * u).sum(), [m, b, v])
        b = m * 1; v = b[0]; b.t_(); b[0] = 5.; torch.autograd.grad((v ** 3).sum() + (b * u).sum(), [m, b, v])
        b = m * 1; v = b[0]; b.t_(); v.copy_(m[1]); torch.autograd.grad((v ** 3).sum() + (b * u).sum(), [m, b, v])
        b = m * 1; v = b[0]; b.t_(); b.zero_(); b.add_(m.t()); torch.autograd.grad((v ** 3).sum() + (b * u).sum(), [m, b, v])
        b = m * 1; b.t_(); v = b.T; v.mul_(1.5); torch.autograd.grad((v ** 3).sum() + (b * b).sum(), [m, b])
        b = m * 1; b.t_(); v = b.T; v.exp_(); torch.autograd.grad((v ** 3).sum() + (b * b).sum(), [m, b])
        b = m * 1; b.unsqueeze_(0); v = b[0]; v.mul_(m); torch.autograd.grad((v ** 3).sum() + (b * b).sum(), [m, b])
        b = m * 1; v = b[0]; b.t_(); b.t_(); torch.autograd.grad((v ** 3).sum() + (b * b).sum(), [m, b, v])
        b = m * 1; v = b[0]; b.as_strided_((2, 2), (1, 3)); torch.autograd.grad((v[:2] ** 3).sum() + (b * b).sum(), [m, b])
        b = m * 1; v = b[:]; w = v[0]; v.register_hook(seen.append); v.t_(); (w * w).sum().backward(); seen, m.grad
        b = m * 1; v = b[:]; v.register_hook(seen.append); v.t_(); (v * v).sum().backward(); seen, m.grad
        d = torch.zeros(2, 3, device=device); e = d.detach(); e.mul_(m); f = e[0]; e.t_(); torch.autograd.grad((f * 2).sum() + (e * e).sum() + e.sum(), [m, e])
        d = m.detach(); d.t_(); d._version, m._version, d.shape, m.shape
        torch.no_grad()(lambda: m.t_())(); m._version, m.shape, m.is_leaf
        b = m * 1; v = b[0]; v.register_hook(seen.append); torch.no_grad()(lambda: b.mul_(2))(); (v * v).sum().backward(); seen, m.grad
        b = m * 1; v = b[0]; v.retain_grad(); torch.no_grad()(lambda: b.mul_(2))(); (v * v).sum().backward(); v.grad, m.grad
        b = m * 1; v = b[0]; w = v[:2]; v.register_hook(seen.append); torch.no_grad()(lambda: b.mul_(2))(); (w * w).sum().backward(); seen, m.grad
        """,
        device,
        HEAD + "m = torch.arange(1., 7., device=device).reshape(2, 3).clone().requires_grad_()\n"
        "u = torch.arange(1., 7., device=device).reshape(3, 2)\n",
    )


def test_detach_of_tensors_without_gradients_changes_nothing(device):
    check(
        """
        y = torch.zeros(2, 2, device=device); v = y[0]; y.detach_(); y[0] = x.sum(); v.requires_grad, y.requires_grad
        y = torch.zeros(2, 2, device=device); v = y[0]; y.detach_(); v[0] = x.sum(); v.requires_grad, y.requires_grad
        y = torch.zeros(2, 2, device=device); y.detach_(); y.detach_(); v = y[0]; v._is_view(), v._base is y
        y = torch.zeros(2, 2, device=device); v = y[0]; raises(lambda: v.detach_())[0]
        y = torch.zeros(2, 2, device=device).detach(); y._is_view(), y._base is None, y.detach_().requires_grad, y[0]._is_view()
        y = x * 2; v = y[:2]; y.detach_(); y.requires_grad, v.requires_grad
        y = torch.ones(2, 3, device=device) * x; v, i = y.max(0); v._is_view(), v.detach_().requires_grad
        y = torch.ones(2, 3, device=device) * x; y.median(0)[0].detach_(), y.mode(0)[0].detach_(), y.roll(1).detach_()
        y = torch.ones(3, 3, device=device) * x; (y @ x).detach_()._is_view(), (y[0] @ y[1]).detach_()._is_view()
        p = torch.nn.Parameter(torch.ones(2, device=device)); p._is_view(), p.data._is_view(), p[:1]._is_view()
        """,
        device,
        HEAD,
    )


@pytest.mark.parametrize("call", "t() squeeze() squeeze(1) unsqueeze(0) transpose(0,1) swapaxes(0,1) swapdims(0,1) as_strided((3,),(1,))".split())
def test_views_in_place_of_tensors_without_gradients(device, call):
    """The tensor is no view of itself."""
    name, arguments = call.split("(", 1)
    start = f"y = torch.zeros(3, 1, device=device); y.{name}_({arguments}"
    check(
        f"""
        {start}; y._is_view(), y._base is None, y.shape
        {start}; y[0] = x.sum(); y.requires_grad, y.detach_().requires_grad
        {start}; v = y[0]; v._is_view(), v._base is y; v.copy_(x[0]); y.sum().backward(); x.grad
        {start}; y.detach_(); y.requires_grad_(); (y * 2).sum().backward(); y.grad
        y = torch.zeros(3, 1, device=device).detach(); y.{name}_({arguments}; y._is_view(), y.detach_().requires_grad
        y = x.reshape(3, 1) * 1; v = y[0]; y.{name}_({arguments}; grad(v * 2, y)
        """,
        device,
        HEAD,
    )


def test_windows_that_overlap_are_views(device):
    check(
        """
        y = x * 1; v = y.unfold(0, 2, 1); v._is_view(), v.shape, grad(v * v, x)
        y = x * 1; v = y.unfold(0, 2, 1); v[0] += 1; y, grad(y * y, x)
        y = x * 1; v = y.unfold(0, 2, 1); y *= 2; v, grad(v * v, x)
        v = x.unfold(0, 2, 1); told(lambda: v.add_(1))[0]
        v = x.unfold(0, 2, 1); (v[0] * w[:2]).sum().backward(); v.mean(-1).sum().backward(); x.grad
        a = (x * w[:, None]); v = a.unfold(0, 2, 1); grad(v[0] ** 2 + v.transpose(0, -1) ** 3, x)
        a = (x * w[:, None]); v = a.as_strided((2, 3, 2), (3, 1, 3)); grad(v[0] ** 2, x), grad(v[0].sum() + v[..., 0].sum(), x)
        v = (x * w[:, None]).unfold(1, 2, 1); g, = torch.autograd.grad((v ** 3).sum(), x, create_graph=True); grad(g * g, x)
        """,
        device,
        HEAD,
    )


# ---- views that pass no gradient on


def test_views_follow_a_base_that_was_detached_in_place_once_it_is_written(device):
    def case(write):
        leaf = torch.ones(3, device=device, requires_grad=True)
        x = leaf * 2
        v = x[1:]
        x.detach_()
        found = write(x, v)
        v.sum().backward()
        return leaf.grad, v.tolist(), found

    def write_under_no_grad(x, v):
        with torch.no_grad():
            x.mul_(10)

    assert case(lambda x, v: x.mul_(10))[:2] == (None, [20, 20])
    assert case(lambda x, v: x[:1].mul_(10))[:2] == (None, [2, 2])
    assert case(write_under_no_grad)[0] is None
    assert case(lambda x, v: None)[0].tolist() == [0, 2, 2]
    factor = torch.full((3,), 3.0, device=device, requires_grad=True)
    assert case(lambda x, v: x.mul_(factor))[0] is None
    assert factor.grad.tolist() == [0, 2, 2]
    for _ in range(3):
        assert case(lambda x, v: (x.add_(1), x.detach_(), x.add_(1)))[0] is None


def test_what_was_computed_before_detach_keeps_its_record(device):
    leaf = torch.ones(3, device=device, requires_grad=True)
    x = leaf * 2
    y = x[1:] * 3
    x.detach_()
    x.mul_(10)
    y.sum().backward()
    assert leaf.grad.tolist() == [0, 6, 6]


def test_views_of_a_leaf_that_is_one_no_more_stay_usable(device):
    leaf = torch.ones(3, device=device, requires_grad=True)
    v = leaf[1:]
    leaf.requires_grad_(False)
    assert v.requires_grad
    v.sum().backward()
    assert leaf.grad is None
    leaf.mul_(2)
    v.sum().backward()
    assert leaf.grad is None and v.tolist() == [2, 2]


VIEWS = [
    lambda w: w.view(-1),
    lambda w: w.view(2, 2),
    lambda w: w.t(),
    lambda w: w[:1],
    lambda w: w[:],
    lambda w: w[0],
    lambda w: w.flatten(),
    lambda w: w.unsqueeze(0),
    lambda w: w.expand(3, 2, 2),
    lambda w: w.diagonal(),
    lambda w: w.as_strided((2,), (1,)),
    lambda w: w.narrow(0, 0, 1),
    lambda w: w.unfold(0, 2, 1),
]
ONE_OF_SEVERAL = [lambda w: w.chunk(2)[0], lambda w: w.unbind()[1]]  # PyTorch lets these follow no write


@pytest.mark.parametrize("view", VIEWS + ONE_OF_SEVERAL)
def test_views_made_while_nothing_is_recorded_pass_no_gradient_on(device, view):
    weight = torch.nn.Parameter(torch.ones(2, 2, device=device))
    with torch.no_grad():
        v = view(weight)
    assert v.requires_grad and v.is_leaf and v.grad_fn is None
    (weight.sum() + (v * 2).sum() + v[..., :1].sum()).backward()
    assert weight.grad.tolist() == [[1, 1], [1, 1]] and v.grad is None
    v.requires_grad_()
    (v * 3).sum().backward()
    assert v.grad.tolist() == torch.full(v.shape, 3.0).tolist() and weight.grad.tolist() == [[1, 1], [1, 1]]


@pytest.mark.parametrize("view", VIEWS + ONE_OF_SEVERAL)
def test_views_older_than_the_wish_for_a_gradient_pass_none_on(device, view):
    x = torch.ones(2, 2, device=device)
    v = view(x)
    x.requires_grad_()
    assert v.requires_grad and v.is_leaf
    (x.sum() + (v * 2).sum()).backward()
    assert x.grad.tolist() == [[1, 1], [1, 1]]


@pytest.mark.parametrize("view", VIEWS)
def test_views_older_than_a_recorded_write_follow_it(device, view):
    x = torch.ones(2, 2, device=device)
    v = view(x)
    factor = torch.full((2, 2), 5.0, device=device, requires_grad=True)
    x.mul_(factor)
    v.sum().backward()
    assert factor.grad.sum() == v.numel()


def test_writes_meanwhile_make_such_views_unclear(device):
    y = torch.ones(4, device=device, requires_grad=True) * 2
    with torch.no_grad():
        v = y[1:]
    y.mul_(2)
    with pytest.raises(RuntimeError, match="its base or another view of its base has been modified inplace"):
        v.sum()


@pytest.mark.parametrize(
    "read", [lambda v: v.tolist(), lambda v: v.detach(), lambda v: v.data, lambda v: v.view(2), lambda v: v[:1], torch.nn.Parameter]
)
def test_such_views_pass_none_on_whatever_was_made_of_them(device, read):
    x = torch.ones(2, 2, device=device, requires_grad=True)
    with torch.no_grad():
        v = x[0]
    read(v)
    (v * v).sum().backward()
    assert x.grad is None
    x = torch.ones(2, 2, device=device)
    v = x[0]
    x.requires_grad_()
    read(v)
    (v * v).sum().backward()
    assert x.grad is None


def test_such_views_once_their_base_was_written_without_a_record(device):
    layer = torch.nn.Linear(2, 2, bias=False, device=device)
    with torch.no_grad():
        turned = layer.weight.T
    torch.nn.init.constant_(layer.weight, 1.0)
    with pytest.raises(RuntimeError, match="has been modified inplace"):
        torch.ones(1, 2, device=device) @ turned
    x = torch.ones(2, 2, device=device)
    v = x[0]  # older than the wish, and follows
    x.requires_grad_()
    with torch.no_grad():
        x.mul_(2)
    (v * v).sum().backward()
    assert x.grad.tolist() == [[4, 4], [0, 0]]
    x = torch.empty(2, 2, device=device)
    v = x[0]
    x.fill_(1)
    x.requires_grad_()
    (v * v).sum().backward()
    assert x.grad.tolist() == [[2, 2], [0, 0]]


def test_transposed_expanded_tensors(device):
    """Axes of one size that share memory: a transposed view has the same layout, so its gradient is refused, not mixed up."""
    weights = torch.arange(9.0, device=device).reshape(3, 3)
    x = torch.ones(1, device=device).expand(3, 3).requires_grad_()
    with pytest.raises(NotImplementedError, match="expanded tensor"):
        torch.autograd.grad((x.T * weights).sum(), x)
    assert torch.equal(torch.autograd.grad((x * weights).sum(), x)[0], weights)
    base = torch.ones(1, device=device, requires_grad=True)
    kept = base.expand(3, 3)
    kept.retain_grad()
    with pytest.raises(NotImplementedError, match="expanded tensor"):
        (kept.T * weights).sum().backward()
    (base.expand(3, 3).T * weights).sum().backward()
    assert base.grad.item() == 36
    other = torch.ones(1, device=device).expand(3, 2).requires_grad_()  # axes of two sizes
    assert torch.equal(torch.autograd.grad((other.T * weights[:2]).sum(), other)[0], weights[:2].T)


@pytest.mark.parametrize("name", ["addmm", "addmv", "addr", "baddbmm", "addbmm"])
def test_summands_of_weight_zero_have_gradients_of_zeros(device, name):
    shapes = {
        "addmm": ((3,), (2, 2), (2, 3)),
        "addmv": ((2,), (2, 3), (3,)),
        "addr": ((2, 3), (2,), (3,)),
        "baddbmm": ((3,), (4, 2, 2), (4, 2, 3)),
        "addbmm": ((3,), (4, 2, 2), (4, 2, 3)),
    }
    summand, *factors = (torch.ones(shape, device=device) for shape in shapes[name])
    summand = (summand * float("nan")).requires_grad_()
    result = getattr(torch, name)(summand, *factors, beta=0)
    assert result.isfinite().all()
    result.sum().backward()
    assert torch.equal(summand.grad, torch.zeros_like(summand))
