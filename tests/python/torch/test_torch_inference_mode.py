"""inference_mode(), compared with PyTorch: which tensors are inference tensors, their operations, and the other gradient guards."""

import pytest
from quern import torch
from test_torch_autograd import check

HEAD = """
import copy, io, pickle, threading
def I(*shape):
    with torch.inference_mode():
        return torch.arange(1., 1 + math.prod(shape or (3,)), device=device).reshape(shape or (3,)).clone()
def N(*shape):
    return torch.arange(1., 1 + math.prod(shape or (3,)), device=device).reshape(shape or (3,)).clone()
def W(*shape):
    return N(*shape).requires_grad_()
def told(call):
    try:
        return call()
    except Exception as error:
        return type(error).__name__, str(error)[:45]
def all_told(*calls):
    return [told(call) for call in calls]
def are(*tensors):
    return [t.is_inference() for t in tensors]
x, w = I(), W()
m, v = I(2, 2), W(2, 2)
"""


def test_what_is_made_in_the_mode(device):
    check(
        """
        x.is_inference(), torch.is_inference(x), w.is_inference(), torch.is_inference(w), x.requires_grad, x.is_leaf, x.grad_fn, x.grad, x
        told(lambda: torch.is_inference("a"))

        n = N(2, 2)
        with torch.inference_mode():
            made = [
                torch.zeros(2), torch.empty(2), torch.full((2,), 1.), torch.arange(3), torch.linspace(0, 1, 3), torch.eye(2), torch.rand(2),
                torch.randint(3, (2,)), torch.randperm(3), torch.tensor(1.), torch.tensor([1, 2]), torch.as_tensor([1.]), torch.Tensor([1]),
                n.new_zeros(2), torch.normal(0., 1., (2,)), torch.from_numpy(np.ones(2)), torch.tensor(np.ones(2)), torch.zeros_like(n),
            ]
        are(*made)

        n = N(2, 2)
        with torch.inference_mode():
            made = [
                n + 1, 1 + n, n @ n, -n, n.exp(), n.sum(), n > 0, n.max(0)[0], n.max(0)[1], torch.cat([n, n]), torch.stack([n, n]), n.sort()[0],
                n.topk(1)[1], n[torch.tensor([0])], n[n > 0], n.where(n > 2, n), torch.einsum("ij,jk", n, n), F.relu(n), F.softmax(n, 0),
                n.double(), n.int(), n.nonzero(), n.cumsum(0), torch.linalg.inv(n), n.std(), n.repeat(2, 1), n.clamp(0, 1), n ** 2, n.flip(0),
                F.dropout(n), torch.unique(n), n.clone(), copy.deepcopy(n), nn.Linear(2, 2).to(device)(n), *torch.linalg.qr(n), n.t().contiguous(),
            ]
        are(*made)

        n = N(2, 2)
        with torch.inference_mode():
            made = [
                n.view(4), n.reshape(4), n[0], n[:, 1:], n.t(), n.T, n.detach(), n.data, n.to(torch.float32), n.contiguous(), n.flatten(),
                torch.as_tensor(n), *n, *n.unbind(), *n.split(1), n.expand(2, 2, 2), n.diagonal(), nn.Parameter(n), n.as_subclass(torch.Tensor),
            ]
        are(*made)

        views = [
            m[0], m[:, 1:], m.view(4), m.reshape(4), m.unsqueeze(0), m.t(), m.T, m.flatten(), m.contiguous(), m.float(), m.detach(), m.data,
            m.expand(2, 2, 2), *m, *m.unbind(), *m.chunk(2), *m.split(1), m.diagonal(), m.squeeze(), torch.as_strided(m, (2,), (1,)), m.real,
            m.as_subclass(torch.Tensor), nn.Parameter(m, requires_grad=False), torch.as_tensor(m), m.narrow(0, 0, 1), m.unfold(0, 2, 1),
            torch.broadcast_tensors(m, N(3, 1, 1))[0], torch.atleast_3d(m), m[0][0:1], m.movedim(0, 1), m.ravel(), m.type(torch.float32),
        ]
        are(*views)

        others = [
            m.clone(), m + 1, m.exp(), m.double(), m.t().contiguous(), torch.ones_like(m), m.new_zeros(2), torch.empty_like(m), torch.tensor(m),
            copy.deepcopy(m), copy.copy(m), pickle.loads(pickle.dumps(m)), torch.from_numpy(m.cpu().numpy()), m.sum(), m == m, m.detach().clone(),
        ]
        are(*others)

        file = io.BytesIO(); torch.save(x, file); file.seek(0); y = torch.load(file); are(y), y
        with torch.inference_mode(): y = x * 2; z = y[0:2]; z.mul_(3); y += 1; y[0] = 7
        y, are(y, z)
        """,
        device,
        HEAD,
    )


def test_modes_within_each_other(device):
    check(
        """
        modes = lambda: (torch.is_inference_mode_enabled(), torch.is_grad_enabled(), (w * 2).requires_grad, (w * 2).is_inference())
        seen = [modes()]
        with torch.inference_mode():
            seen.append(modes())
            with torch.inference_mode(False):
                seen.append(modes())
            with torch.enable_grad():
                seen.append(modes())
                seen.append((w * 2).grad_fn)
            with torch.set_grad_enabled(True):
                seen.append(modes())
            with torch.no_grad():
                seen.append(modes())
            seen.append(modes())
        with torch.no_grad(), torch.inference_mode(False):
            seen.append(modes())
        with torch.no_grad(), torch.inference_mode():
            seen.append(modes())
        with torch.inference_mode(mode=False):
            seen.append(modes())
        seen, modes()

        guard = torch.inference_mode()
        with guard:
            a = torch.ones(1)
        with guard:
            b = torch.ones(1)
        are(a, b), torch.is_inference_mode_enabled(), guard.mode, torch.inference_mode(False).mode, guard.clone().mode

        try:
            with torch.inference_mode():
                raise ValueError
        except ValueError:
            pass
        torch.is_inference_mode_enabled(), torch.is_grad_enabled()

        seen = []
        def look():
            seen.append((torch.is_inference_mode_enabled(), torch.ones(1).is_inference()))
        with torch.inference_mode():
            other = threading.Thread(target=look); other.start(); other.join()
            look()
        seen

        with torch.autograd.grad_mode.inference_mode(): a = torch.ones(1)
        with torch.autograd.inference_mode(): b = torch.ones(1)
        are(a, b)

        [type(torch.no_grad().clone()).__name__, torch.no_grad().prev, torch.set_grad_enabled(True).mode, repr(torch.set_grad_enabled(True))]

        with torch.inference_mode() as a, torch.no_grad() as b: pass
        a, b
        """,
        device,
        HEAD,
    )


def test_arguments_that_are_no_modes():
    for mode in (None, 0, 1, "a", torch.tensor(True)):
        with pytest.raises(TypeError, match=r"inference_mode\(\): mode must be a bool, or a function to decorate, not"):
            torch.inference_mode(mode)
    with pytest.raises(TypeError, match=r"no_grad\(\) decorates functions, not int"):
        torch.no_grad()(3)


def test_guards_that_contain_themselves():
    """PyTorch stays in the mode then."""
    for guard in (torch.inference_mode(), torch.no_grad()):
        with guard, guard:
            assert not torch.is_grad_enabled()
        assert torch.is_grad_enabled() and not torch.is_inference_mode_enabled()


def test_decorators(device):
    check(
        """
        @torch.inference_mode()
        def f(a):
            "text"
            return a * 2
        @torch.inference_mode
        def g(a):
            return a * 2
        @torch.inference_mode(False)
        def h(a):
            return a * 2
        with torch.inference_mode(): k = h(w)
        are(f(w), g(w), h(w), k), f.__name__, f.__doc__, h(w).requires_grad, torch.is_inference_mode_enabled()

        @torch.inference_mode()
        def f(n):
            got = []
            for i in range(n):
                got.append((yield torch.ones(1).is_inference()))
            return got
        g = f(2); seen = [next(g), torch.is_inference_mode_enabled(), g.send(5), torch.ones(1).is_inference()]
        try:
            g.send(6)
        except StopIteration as end:
            seen.append(end.value)
        seen

        @torch.inference_mode()
        class C:
            def __init__(self): self.a = torch.ones(1)
            def b(self): return torch.ones(1)
        c = C(); are(c.a, c.b())

        @torch.no_grad()
        class C:
            def __init__(self): self.a = torch.is_grad_enabled()
        C().a

        class Net(nn.Module):
            def __init__(self):
                super().__init__(); self.layer = nn.Linear(3, 2).to(device)
            @torch.inference_mode()
            def forward(self, a): return self.layer(a)
        y = Net()(N(1, 3)); are(y), y.requires_grad

        @torch.inference_mode()
        def f(n): return f(n - 1) + 1 if n else torch.ones(1)
        are(f(3)), torch.is_inference_mode_enabled()
        """,
        device,
        HEAD,
    )


def test_values_that_derivatives_need(device):
    """An operation whose derivative needs an inference tensor is an error, others are recorded."""
    check(
        """
        all_told(lambda: x * w, lambda: w * x, lambda: x / w, lambda: w / x, lambda: w ** x, lambda: x ** w, lambda: x[0] * w, lambda: w.mul(x))
        all_told(lambda: m @ v, lambda: v @ m, lambda: torch.mm(m, v), lambda: torch.dot(x, w), lambda: m[0] @ v, lambda: torch.outer(w, x))
        all_told(lambda: F.linear(m, v), lambda: F.linear(v, m), lambda: nn.Linear(2, 2).to(device)(m), lambda: torch.addmm(v, m, v))
        all_told(lambda: x.detach() * w, lambda: x.view(3, 1) * w, lambda: torch.mul(w, x), lambda: (w * 1).mul_(x), lambda: (w * 1).div_(x))
        all_told(lambda: torch.maximum(x, w), lambda: torch.atan2(w, x), lambda: torch.logaddexp(w, x), lambda: torch.addcmul(w, x, w))
        all_told(lambda: F.mse_loss(w, x), lambda: F.smooth_l1_loss(w, x), lambda: F.huber_loss(w, x), lambda: torch.lerp(w, w, x))
        all_told(lambda: F.layer_norm(v, (2,), m[0]), lambda: F.layer_norm(m, (2,), w[:2]), lambda: F.prelu(x, w[:1]), lambda: torch.linalg.solve(m, v))
        all_told(lambda: w[k], lambda: w.gather(0, k), lambda: w.index_select(0, k), lambda: F.embedding(k, v), lambda: F.cross_entropy(v, k))
        all_told(lambda: torch.where(b, w, w), lambda: w.masked_fill(b, 0.), lambda: (w * 1).__setitem__(k, 5.), lambda: (w * 1).__setitem__(b, 5.))
        [x + w, x - w, w + x[0], torch.add(w, x, alpha=2), torch.cat([x, w]), torch.stack([w, x]), torch.where(x > 1, x, w), x.clone() * w]
        [x.exp() * w, torch.sum(x * 2) + w, torch.addmm(m, v, v), torch.addcmul(x, w, w), torch.lerp(w, x, 0.5), F.linear(v, N(2, 2), m[0])]
        [torch.fmod(w, x), torch.remainder(w, x), torch.hypot(w, x), (w * 1).add_(x), (w * 1).copy_(x), w.expand_as(x), w * (x > 1)]
        [torch.linalg.solve(v + torch.eye(2, device=device), m), torch.triu(v) + torch.triu(m), F.binary_cross_entropy_with_logits(w, x / 10)]
        [torch.matmul(N(2, 2), m), F.linear(m, N(2, 2), w[:2]), w[k[0]], w.index_add(0, torch.tensor([0, 1, 2], device=device), x)]
        y = w * 1; y[0] = x[2]; y[1:] += x[1:]; y.sum().backward(); y, w.grad
        y = w * 1; told(lambda: y.mul_(x)), y.requires_grad
        y = x + w; y.sum().backward(); w.grad, y.is_inference()
        y = x.clone().requires_grad_(); (y * y).sum().backward(); y.grad
        """,
        device,
        HEAD + "with torch.inference_mode(): k, b = torch.tensor([0, 1], device=device), torch.tensor([True, False, True], device=device)\n",
    )
    check(
        """
        with torch.no_grad(): y = x * w
        y, are(y)

        with torch.inference_mode(), torch.enable_grad(): y = x * w
        y, are(y), told(lambda: y * w), told(lambda: y.sum().backward())
        """,
        device,
        HEAD,
    )


def test_writes(device):
    check(
        """
        all_told(lambda: x.add_(1), lambda: x.mul_(2), lambda: x.zero_(), lambda: x.fill_(3), lambda: x.copy_(N()), lambda: x.clamp_(0, 1))
        all_told(lambda: x.exp_(), lambda: x.relu_(), lambda: F.relu(x, inplace=True), lambda: nn.init.zeros_(x), lambda: x.normal_())
        all_told(lambda: x[0].add_(1), lambda: x.view(3, 1).add_(1), lambda: torch.add(x, 1, out=x), lambda: torch.exp(N(), out=x), lambda: x.abs_())
        all_told(lambda: x.scatter_(0, i, 1.), lambda: x.index_add_(0, i, N(1)), lambda: x.index_fill_(0, i, 1.), lambda: x.masked_fill_(N() > 1, 0.))
        all_told(lambda: x.unsqueeze_(0), lambda: m.t_(), lambda: x.squeeze_(), lambda: x.resize_(2), lambda: x.resize_(3), lambda: x.uniform_())
        all_told(lambda: x.set_(N(2)), lambda: x.__iadd__(1), lambda: F.dropout(x, 0.5, True, inplace=True), lambda: x.detach()[0].add_(1))
        [told(lambda: x.__setitem__(key, 5.)) for key in (0, slice(None), i, N() > 1)]
        told(lambda: x._version), told(lambda: x[0]._version), w._version
        x.detach().add_(1); x, are(x.detach(), x.data)
        x.data.mul_(2); x.detach_(); x, are(x)
        n = N(); n.add_(x); torch.add(x, 1, out=n); n, are(n)
        """,
        device,
        HEAD + "i = torch.tensor([0], device=device)\n",
    )
    check(
        """
        with torch.no_grad(): a = told(lambda: x.add_(1))
        with torch.inference_mode(), torch.inference_mode(False): b = told(lambda: m.add_(1))
        a, b, are(x, m)

        with torch.inference_mode(): x.add_(1); x[0].mul_(5); m.t_(); m[0] = 3; m.unsqueeze_(0)
        x, m, are(x, m)

        with torch.inference_mode(): y = torch.ones(3, device=device); d = y.detach()
        told(lambda: d.add_(1)), are(d)

        n = N(); version = n._version
        with torch.inference_mode(): n[0] = 9.; n += 1; n.mul_(2); torch.add(n, 1, out=n); same = n.add_(x) is n
        n, are(n), n._version > version, same

        with torch.inference_mode(): w.add_(1); w[0] = 9.; w.data.mul_(2); w.copy_(w * 2)
        w, w.is_leaf, are(w)

        a = w * 1
        with torch.inference_mode(): a[0:2].add_(1)
        a.sum().backward(); a, w.grad
        """,
        device,
        HEAD,
    )


def test_refused_writes_change_nothing(device):
    """PyTorch has written by then."""
    place = "cpu" if device.kind == "cpu" else f"cuda:{device.index}"
    with torch.inference_mode():
        x = torch.ones(3, device=place)
    for write in (lambda: x.add_(1), lambda: x.fill_(3), lambda: x.__setitem__(0, 5.0), lambda: x[1:].zero_(), lambda: torch.exp(x, out=x)):
        with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode is not allowed"):
            write()
        assert x.tolist() == [1, 1, 1]


def test_views_of_normal_tensors(device):
    """What was viewed in the mode, or under no_grad(), is not written where that would be recorded."""
    check(
        """
        n = N()
        with torch.inference_mode(): y = n.view(3, 1)
        y.add_(1); y[0].mul_(3); y, n, are(y), y._version

        n = N()
        with torch.inference_mode(): y = n[0:2]; z = y[0:1]
        all_told(lambda: y.add_(w[0]), lambda: z.mul_(w[0]), lambda: y.__setitem__(slice(None), w[:2])), (y * w[:2]).requires_grad

        n = N()
        with torch.inference_mode(): y = n[0:2]
        all_told(lambda: y.copy_(w[:2]), lambda: y.index_add_(0, torch.tensor([0], device=device), w[:1])), y.add_(1)

        a = w * 1
        with torch.inference_mode(): y = a[0:2]; y.add_(1); z = a.view(3); z.mul_(2)
        with torch.no_grad(): y.mul_(2)
        a.sum().backward(); a, w.grad, are(y)

        a = w * 1
        with torch.no_grad(): y = a[0:2]; y.add_(1)
        with torch.inference_mode(): y.mul_(2)
        a.sum().backward(); a, w.grad, are(y)

        a = w * 1
        with torch.inference_mode(): y = a[0:2]
        told(lambda: y.add_(1))

        a = w * 1
        with torch.no_grad(): y = a[0:2]; z = a.view(3)
        told(lambda: y.mul_(w[:2])), told(lambda: z.__iadd__(1))

        a = w * 1
        with torch.no_grad(): y = a[0:2]; z = a.detach()[0:2]
        y.detach().add_(1); z.add_(1); a.sum().backward(); a, w.grad

        with torch.inference_mode(): y = w[0:2]
        with torch.no_grad(): z = w[1:]
        told(lambda: y.add_(1)), told(lambda: z.add_(1))

        with torch.inference_mode(): y = w.view(3, 1); z = w.detach()
        y.requires_grad, z.requires_grad, are(y, z), (y * W(3, 1)).requires_grad, (z * w).requires_grad
        """,
        device,
        HEAD,
    )


def test_inference_tensors_that_want_gradients(device):
    check(
        """
        all_told(lambda: x.requires_grad_(), lambda: setattr(x, "requires_grad", True), lambda: nn.Parameter(x)), x.requires_grad_(False)

        with torch.no_grad(): a = told(lambda: x.requires_grad_())
        a

        n = N()
        with torch.inference_mode(): n.requires_grad_(); y = torch.ones(3, requires_grad=True, device=device); x.requires_grad_(); z = y * 2
        n, y, x, z, are(n, y, x, z), y.is_leaf, z.is_leaf

        with torch.inference_mode(): p = torch.ones(3, requires_grad=True, device=device)
        [p * 2, p + 2, p * N(), p.clone(), p.exp(), p * p, p.sum(), -p, torch.cat([p, p]), torch.cat([p, N()]), p.double(), p.relu(), p.detach()]

        with torch.inference_mode(): p = torch.ones(3, requires_grad=True, device=device)
        all_told(lambda: p.requires_grad_(), lambda: p.sum().backward(), lambda: p * w, lambda: N() / p), p.requires_grad_(False).requires_grad

        with torch.inference_mode(): p = torch.ones(3, requires_grad=True, device=device)
        (p * N()).sum().backward(); p.grad, repr(p).count("requires_grad=True")

        w.data = x; are(w), w * 2, told(lambda: w * W()), told(lambda: w.sum().backward())

        n = N(); n.data = x; x.data = torch.ones(2, device=device); are(n, x), x
        """,
        device,
        HEAD,
    )


def test_gradients_in_the_mode(device):
    check(
        """
        y = (w * w).sum()
        with torch.inference_mode(): y.backward()
        are(w.grad), told(lambda: (w * w).sum().backward()), told(lambda: w.grad.zero_())

        y = (w * w).sum()
        with torch.inference_mode(): y.backward()
        w.grad = None; (w * w).sum().backward(); w.grad, are(w.grad)

        y = (w * w).sum(); y.backward(retain_graph=True)
        with torch.inference_mode(): y.backward()
        w.grad, are(w.grad)

        y = (w * w).sum()
        with torch.inference_mode(): g, = torch.autograd.grad(y, w); h = told(lambda: (w * w).sum().backward())
        g, are(g), h

        y = w * w; y.retain_grad(); z = y.sum()
        with torch.inference_mode(): z.backward()
        are(y.grad, w.grad), y.grad
        """,
        device,
        HEAD,
    )
    check(
        """
        (w * w).backward(x); w.grad
        w.grad = x; w.grad is x, told(lambda: (w * w).sum().backward())
        all_told(lambda: x.retain_grad(), lambda: x.register_hook(print), lambda: x.backward(), lambda: torch.autograd.grad((w * w).sum(), x))
        told(lambda: torch.autograd.functional.jacobian(lambda a: a.sum(), x)), torch.autograd.grad(w * w, w, x)
        """,
        device,
        HEAD,
    )


def test_functions_of_ones_own(device):
    head = (
        HEAD
        + """
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a)
        return a * 2 + b
    @staticmethod
    def backward(ctx, g):
        return g * 2, g
"""
    )
    check(
        """
        with torch.inference_mode(): y = Double.apply(w, w); z = Double.apply(x, x)
        y, z, are(y, z)

        told(lambda: Double.apply(x, w))

        Double.apply(w, x), are(Double.apply(w, x), Double.apply(x, x))

        with torch.no_grad(): y = Double.apply(x, w)
        y, are(y)

        class Inner(torch.autograd.Function):
            @staticmethod
            def forward(ctx, a):
                with torch.inference_mode(): return a * 2
            @staticmethod
            def backward(ctx, g):
                return g * 2
        y = Inner.apply(w); (y + 1).sum().backward(); y, are(y), w.grad
        """,
        device,
        head,
    )


def test_modules_and_optimizers(device):
    check(
        """
        with torch.inference_mode(): layer = nn.Linear(2, 2).to(device)
        p, other = layer.weight, copy.deepcopy(layer).weight
        are(p, layer.bias, other), p.requires_grad, type(p).__name__, layer(N(1, 2)).requires_grad, told(lambda: layer(W(1, 2)))

        with torch.inference_mode(): layer = nn.Linear(2, 2).to(device)
        state = nn.Linear(2, 2).state_dict()
        all_told(lambda: layer.requires_grad_(True), lambda: layer.load_state_dict(state)), are(*layer.double().parameters())

        with torch.inference_mode(): layer = nn.Linear(2, 2).to(device)
        seen = []
        for kind in (optim.SGD, optim.Adam):
            o = kind(layer.parameters(), 0.1)
            for p in layer.parameters(): p.grad = torch.ones_like(p)
            seen.append(told(o.step))
        seen

        seen = []
        for make in (lambda p: optim.SGD(p, 0.1), lambda p: optim.SGD(p, 0.1, momentum=0.9), lambda p: optim.Adam(p, 0.1)):
            layer = nn.Linear(2, 2).to(device); o = make(layer.parameters())
            layer(N(1, 2)).sum().backward()
            with torch.inference_mode(): o.step()
            layer(N(1, 2)).sum().backward()
            seen += [are(layer.weight), layer.weight.requires_grad, told(o.step)]
        seen

        layer = nn.BatchNorm1d(2).to(device)
        with torch.inference_mode(): y = layer(N(3, 2))
        are(y, layer.running_mean, layer.num_batches_tracked), layer(N(3, 2)).requires_grad, layer.running_mean, layer.num_batches_tracked

        layer = nn.Linear(2, 2).to(device)
        with torch.inference_mode(): state = {k: v.clone() for k, v in layer.state_dict().items()}; plain = layer.state_dict()
        layer.load_state_dict(state); are(*layer.parameters(), *state.values(), *plain.values())

        layer = nn.Linear(2, 2).to(device)
        with torch.inference_mode(): y = layer(N(1, 2)); copied = copy.deepcopy(layer)
        are(y, copied.weight), y.requires_grad, y.grad_fn, told(lambda: layer(y)), told(lambda: y.sum().backward())

        with torch.inference_mode(): p = nn.Parameter(torch.ones(2, device=device))
        p, are(p), p * 2
        """,
        device,
        HEAD,
    )


def test_arrays_of_other_front_ends(device):
    """Only tensors are inference tensors: an array that a tensor was made from in the mode is written as ever."""
    import quern

    a = quern.ones(3, dtype="float32", device=device)
    with torch.inference_mode():
        b = quern.arange(3.0, dtype="float32", device=device)
        t = torch.as_tensor(a)
        assert t.is_inference()
    a += 1
    b += 1
    assert a.tolist() == [2, 2, 2] and b.tolist() == [1, 2, 3]
    assert not torch.as_tensor(b).is_inference()
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
        t.add_(1)


def test_loss_that_keeps_both_where_pytorch_keeps_none(device):
    check("F.l1_loss(w, x), F.l1_loss(x, w), F.l1_loss(w, x, reduction='none')", device, HEAD)
