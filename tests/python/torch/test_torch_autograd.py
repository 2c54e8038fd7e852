"""Gradients of quern.torch compared with PyTorch's: backward() and grad(), modes, hooks, Functions, views and writes in place."""

import pytest
from torch_oracle import _device_name, compare_all

HEAD = """
x = torch.tensor([1., -2., 3.], requires_grad=True, device=device)
y = torch.tensor([[0.5, 1., 2.], [-1., 3., 0.25]], requires_grad=True, device=device)
seen = []
def told(call):
    try:
        return call()
    except Exception as error:
        return type(error).__name__, str(error)[:30]
"""


def check(cases, device, head=HEAD, **tolerances):
    """Compares each line (or each part between blank lines) of cases."""
    parts = cases.strip("\n").split("\n\n") if "\n\n" in cases.strip() else cases.strip().splitlines()
    compare_all([head + "\n" + _dedented(part) for part in parts], device, **tolerances)


def _dedented(part):
    lines = [line for line in part.splitlines() if line.strip()]
    margin = min(len(line) - len(line.lstrip()) for line in lines)
    return "\n".join(line[margin:] for line in lines)


def test_backward(device):
    check(
        """
        (x * x).sum().backward(); x.grad, x.is_leaf, x.requires_grad, (x * 2).is_leaf, (x * 2).requires_grad
        (x * x).sum().backward(); (x * 3).sum().backward(); x.grad
        z = (x * x).sum(); z.backward(retain_graph=True); z.backward(); x.grad
        z = (x * x).sum(); z.backward(); told(z.backward)
        z = (x + 1).sum(); z.backward(); told(z.backward), x.grad
        told((x * 2).backward)
        (x * 2).backward(torch.tensor([1., 10., 100.], device=device)); x.grad
        told(lambda: (x * 2).backward(torch.ones(2, device=device)))
        told(torch.ones(3, device=device).sum().backward)
        (y * x).sum().backward(); x.grad, y.grad
        (y @ x).sum().backward(); x.grad, y.grad
        (y * x).sum().backward(inputs=[x]); x.grad, y.grad
        told(lambda: (y * x).sum().backward(inputs=[]))
        torch.autograd.backward([x.sum(), (y * 2).sum()]); x.grad, y.grad
        torch.autograd.backward([x * 2, y * 2], [torch.ones_like(x), torch.ones_like(y) * 3]); x.grad, y.grad
        told(lambda: torch.autograd.backward([x * 2, y * 2], [torch.ones_like(x)]))
        (x ** 3).sum().backward(create_graph=True); g = x.grad; x.grad = None; g.sum().backward(); g, x.grad
        x.grad = torch.ones(3, device=device); x.sum().backward(); x.grad
        told(lambda: setattr(x, "grad", torch.ones(2, device=device)))
        told(lambda: setattr(x, "grad", 5))
        x.sum().backward(); del x.grad; x.grad
        x.sum().backward(); g = x.grad; x.sum().backward(); g
        torch.ones(3).requires_grad, x.detach().requires_grad, torch.ones(3, requires_grad=True).grad
        told(lambda: torch.ones(3, dtype=torch.int64).requires_grad_())
        told(lambda: torch.ones(3, dtype=torch.int64, requires_grad=True))[0]
        told(lambda: (x * 2).requires_grad_(False))
        z = torch.ones(2, device=device); z.requires_grad = True; (z * 3).sum().backward(); z.grad
        x.requires_grad_(False); (x * 2).requires_grad
        z = x * 2; z.retain_grad(); (z * z).sum().backward(); z.grad, z.retains_grad, x.grad, x.retains_grad
        z = x * 2; (z * z).sum().backward(); z.grad
        told(torch.ones(2).retain_grad)
        a = x.exp(); b = a * x; c = (a + b).sum() * b.sum(); c.backward(); x.grad
        w = torch.tensor(2., requires_grad=True, device=device); (w ** 5).backward(); w.grad
        z = x.to(torch.float64); (z * z).sum().backward(); x.grad
        z = torch.tensor([1 + 2j, 3j], requires_grad=True, device=device); (z * z.conj()).real.sum().backward(); z.grad
        told((torch.tensor([1 + 2j, 3j], requires_grad=True) * 2).sum().backward)
        z = x; z = z * 2; z = z * 2; z.sum().backward(); x.grad
        (x[0] * x[1] + x[2]).backward(); x.grad
        x[[0, 0, 1]].sum().backward(); x.grad
        torch.where(x > 0, x, y).sum().backward(); x.grad, y.grad
        (x * (x > 0)).sum().backward(); x.grad
        torch.stack([x, x * 2]).sum().backward(); x.grad
        a, b, c = x.unbind(); (a * b).backward(); x.grad
        v, i = y.max(1); v.sum().backward(); y.grad
        v, i = y.sort(1); (v * torch.tensor([1., 2., 3.], device=device)).sum().backward(); y.grad, i.requires_grad
        y.t().reshape(2, 3)[0].sum().backward(); y.grad
        x.expand(4, 3).sum().backward(); x.grad
        (x.sum() * torch.ones(2, device=device)).sum().backward(); x.grad
        a = x.clone(); b = a.detach(); (a * b).sum().backward(); x.grad
        (x.detach() * x).sum().backward(); x.grad
        (x.data * x).sum().backward(); x.grad
        s = (x * x).sum(); s2 = s * 2; s.backward(retain_graph=True); s2.backward(); x.grad
        """,
        device,
    )


def test_grad(device):
    check(
        """
        torch.autograd.grad((x * x).sum(), x), x.grad
        torch.autograd.grad((x * x).sum(), [x, y], allow_unused=True)
        told(lambda: torch.autograd.grad((x * x).sum(), [x, y]))[0]
        torch.autograd.grad((x * x).sum(), [x, y], materialize_grads=True)
        told(lambda: torch.autograd.grad((x * x).sum(), [x, y], allow_unused=False, materialize_grads=True))
        told(lambda: torch.autograd.grad(x * x, x))
        torch.autograd.grad(x * x, x, torch.ones_like(x) * 2)
        torch.autograd.grad([x * x, x.exp()], x, [torch.ones_like(x), None or torch.ones_like(x)])
        told(lambda: torch.autograd.grad(x.detach().sum(), x))
        told(lambda: torch.autograd.grad((x * x).sum(), torch.ones(2)))
        g, = torch.autograd.grad((x ** 3).sum(), x, create_graph=True); h, = torch.autograd.grad(g.sum(), x); g, h
        g, = torch.autograd.grad((x ** 3).sum(), x); g.requires_grad
        a = x * 2; b = (a * a).sum(); torch.autograd.grad(b, a)
        a = x * 2; b = (a * a).sum(); torch.autograd.grad(b, [a, x])
        b = (x * x).sum(); torch.autograd.grad(b, x, retain_graph=True), torch.autograd.grad(b, x), told(lambda: torch.autograd.grad(b, x))
        torch.autograd.grad(y * 2, y, torch.arange(12., device=device).reshape(2, 2, 3), is_grads_batched=True)
        f = x; a = torch.sin(x); [f := torch.autograd.grad(a.sum() if k == 0 else f.sum(), x, create_graph=True)[0] for k in range(4)]
        torch.autograd.grad(x.sum(), x, torch.tensor(3., device=device))
        w = torch.tensor(2., requires_grad=True, device=device); g, = torch.autograd.grad(w ** 4, w, create_graph=True); g.backward(); w.grad
        torch.autograd.grad(x[0], x), torch.autograd.grad(y[:, 1].sum(), y)
        told(lambda: torch.autograd.grad((x * x).sum(), []))[0]
        told(lambda: torch.autograd.grad(5, x))
        """,
        device,
    )


def test_modes(device):
    check(
        """
        with torch.no_grad():
            a = x * 2
        a.requires_grad, torch.is_grad_enabled()

        with torch.no_grad():
            with torch.enable_grad():
                a = x * 2
            b = x * 2
        a.requires_grad, b.requires_grad

        with torch.inference_mode():
            a = x * 2
        a.requires_grad, torch.is_grad_enabled()

        with torch.inference_mode(mode=False):
            a = x * 2
        a.requires_grad

        torch.set_grad_enabled(False)
        a = (x * 2).requires_grad
        torch.set_grad_enabled(True)
        a, (x * 2).requires_grad

        with torch.set_grad_enabled(False):
            a = x * 2
            b = torch.is_grad_enabled()
        a.requires_grad, b, torch.is_grad_enabled()

        @torch.no_grad()
        def f(v):
            "text"
            return v * 2
        f(x).requires_grad, f.__name__, f.__doc__

        @torch.no_grad
        def f(v):
            return v * 2
        f(x).requires_grad

        @torch.enable_grad()
        def f(v):
            return v * 2
        with torch.no_grad():
            a = f(x)
        a.requires_grad

        @torch.inference_mode()
        def f(v):
            return v * 2
        f(x).requires_grad

        @torch.set_grad_enabled(False)
        def f(v):
            return v * 2
        f(x).requires_grad, torch.is_grad_enabled()

        @torch.no_grad()
        def f(v):
            for k in range(3):
                got = yield (v * k).requires_grad
                seen.append((got, torch.is_grad_enabled()))
            return 7
        made = f(x)
        a = [next(made), torch.is_grad_enabled(), made.send(5), torch.is_grad_enabled(), made.send(6)]
        try:
            next(made)
        except StopIteration as end:
            a.append(end.value)
        a, seen

        @torch.no_grad()
        def f():
            try:
                yield 1
            except ValueError:
                seen.append(torch.is_grad_enabled())
                yield 2
            finally:
                seen.append("end")
        made = f()
        a = next(made), made.throw(ValueError()), made.close()
        a, seen, torch.is_grad_enabled()

        def f():
            with torch.no_grad():
                raise ValueError("no")
        raises(f), torch.is_grad_enabled()

        with torch.no_grad():
            x += 1
            x[0] = 5
            x.mul_(2)
        (x * x).sum().backward()
        x, x.is_leaf, x.grad

        with torch.no_grad():
            a = torch.ones(2, requires_grad=True)
            b = a * 2
        (a * 3).sum().backward()
        a.grad, b.requires_grad

        a = x * 2
        with torch.no_grad():
            a.add_(1)
        (a * a).sum().backward()
        x.grad
        """,
        device,
    )


def test_detach_and_data(device):
    check(
        """
        a = x.detach(); a[0] = 7.; x, a.requires_grad, a.is_leaf
        a = x * 2; b = a.detach_(); a is b, a.requires_grad, a.is_leaf, a.grad_fn
        x.data = torch.zeros(3, device=device); x, x.requires_grad, x.is_leaf
        x.data[1] = 9.; x
        x.data.mul_(2); x
        x.data = x.data * 2; (x * x).sum().backward(); x.grad
        a = x.detach().requires_grad_(); (a * x).sum().backward(); a.grad, x.grad
        a = x.detach().clone(); a += 1; x
        a = x.clone().detach(); a[0] = 0; x
        import copy; a = copy.deepcopy(x); a.requires_grad, a.is_leaf, a
        import copy; told(lambda: copy.deepcopy(x * 2))
        told(x.numpy), x.detach().cpu().numpy()
        a = x.detach(); b = a[1:]; b.requires_grad_(); (b * 2).sum().backward(); b.grad, x.grad, a.requires_grad
        float(x.sum()), x.tolist(), x[0].item()
        told(lambda: torch.tensor([x.sum(), 2.]).requires_grad)
        a = torch.ones(2, requires_grad=True) ; b = a.clone(); b.is_leaf, b.requires_grad
        a = torch.zeros_like(x); a.requires_grad, torch.zeros_like(x, requires_grad=True).requires_grad, x.new_ones(2).requires_grad
        """,
        device,
    )


def test_hooks(device):
    check(
        """
        x.register_hook(lambda g: seen.append(g)); (x * 2).sum().backward(); seen, x.grad
        x.register_hook(lambda g: g * 10); (x * 2).sum().backward(); x.grad
        h = x.register_hook(lambda g: g * 10); h.remove(); h.remove(); (x * 2).sum().backward(); x.grad
        x.register_hook(lambda g: g * 10); x.register_hook(lambda g: g + 1); (x * 2).sum().backward(); x.grad
        x.register_hook(lambda g: g + 1); x.register_hook(lambda g: g * 10); (x * 2 + x * 3).sum().backward(); x.grad
        a = x * 2; a.register_hook(lambda g: g * 10); (a * a).sum().backward(); x.grad
        a = x * 2; a.register_hook(lambda g: g * 10); a.retain_grad(); (a * a).sum().backward(); x.grad, a.grad
        a = x * 2; a.retain_grad(); a.register_hook(lambda g: g * 10); (a * a).sum().backward(); x.grad, a.grad
        a = x * 2; a.register_hook(lambda g: seen.append(("a", g))); x.register_hook(lambda g: seen.append(("x", g))); (a * a).sum().backward(); seen
        x.register_post_accumulate_grad_hook(lambda t: seen.append((t is x, t.grad.clone()))); (x * 2).sum().backward(); seen
        x.register_hook(lambda g: seen.append(1)); x.register_post_accumulate_grad_hook(lambda t: seen.append(2)); (x * 2).sum().backward(); seen
        x.register_hook(lambda g: g * 0); (x * 2).sum().backward(); x.grad
        told(lambda: torch.ones(2).register_hook(lambda g: g))
        told(lambda: (x * 2).register_post_accumulate_grad_hook(lambda g: g))
        x.register_hook(lambda g: seen.append(g)); torch.autograd.grad((x * 2).sum(), x), seen, x.grad
        x.register_hook(lambda g: g * 3); torch.autograd.grad((x * 2).sum(), x)
        x.register_post_accumulate_grad_hook(lambda t: seen.append(1)); torch.autograd.grad((x * 2).sum(), x); seen
        h = x.register_hook(lambda g: (seen.append(1), h.remove())[0]); (x * 2).sum().backward(); (x * 2).sum().backward(); seen
        x.register_hook(lambda g: seen.append(g.requires_grad)); (x ** 3).sum().backward(create_graph=True); (x ** 3).sum().backward(); seen
        a = x * 2; a.register_hook(lambda g: seen.append(g)); a.sum().backward(retain_graph=True); (a * 3).sum().backward(); seen
        """,
        device,
    )
    check(
        """
        def f(g):
            raise ValueError("in hook")
        x.register_hook(f)
        told((x * 2).sum().backward), x.grad

        with x.register_hook(lambda g: g * 10):
            (x * 2).sum().backward()
        (x * 2).sum().backward()
        x.grad

        def step(t):
            with torch.no_grad():
                t -= 0.5 * t.grad
            t.grad = None
        x.register_post_accumulate_grad_hook(step)
        for _ in range(3):
            (x * x).sum().backward()
        x, x.grad
        """,
        device,
    )


def test_nodes(device):
    check(
        """
        x.grad_fn, (x + 1).grad_fn.name(), (x * 2).grad_fn.name(), (x / 2).grad_fn.name(), x.exp().grad_fn.name(), (x - 1).grad_fn.name()
        (x ** 2).grad_fn.name(), (-x).grad_fn.name(), x.sum().grad_fn.name(), x.sin().grad_fn.name(), x.abs().grad_fn.name()
        len((x * y).grad_fn.next_functions), (x * y).grad_fn.next_functions[0][0].name(), (x.exp() * 2).grad_fn.next_functions[0][0].name()
        type(x.detach().grad_fn).__name__, (x * 2).detach().grad_fn
        """,
        device,
    )


FUNCTION = (
    HEAD
    + """
Function = torch.autograd.Function
class Cube(Function):
    @staticmethod
    def forward(ctx, v):
        ctx.save_for_backward(v)
        return v ** 3
    @staticmethod
    def backward(ctx, g):
        v, = ctx.saved_tensors
        return 3 * v * v * g
"""
)


def test_functions(device):
    check(
        """
        Cube.apply(x).sum().backward()
        x.grad, Cube.apply(x).requires_grad, Cube.apply(x.detach()).requires_grad, Cube.apply(x).is_leaf

        z = Cube.apply(x).sum()
        z.backward()
        told(z.backward)

        g, = torch.autograd.grad(Cube.apply(x).sum(), x, create_graph=True)
        h, = torch.autograd.grad(g.sum(), x, create_graph=True)
        k, = torch.autograd.grad(h.sum(), x)
        g, h, k

        with torch.no_grad():
            a = Cube.apply(x)
        a.requires_grad

        class F2(Function):
            @staticmethod
            def forward(v, power):
                return v ** power
            @staticmethod
            def setup_context(ctx, inputs, output):
                ctx.save_for_backward(inputs[0])
                ctx.power = inputs[1]
            @staticmethod
            def backward(ctx, g):
                return g * ctx.power * ctx.saved_tensors[0] ** (ctx.power - 1), None
        F2.apply(x, 3).sum().backward()
        x.grad

        class F3(Function):
            @staticmethod
            def forward(ctx, a, b, c):
                seen.append(ctx.needs_input_grad)
                seen.append((a.requires_grad, torch.is_grad_enabled()))
                ctx.save_for_backward(a, b)
                return a * b
            @staticmethod
            def backward(ctx, g):
                seen.append(ctx.needs_input_grad)
                a, b = ctx.saved_tensors
                return (g * b, None, None)
        F3.apply(x, torch.ones(3, device=device) * 2, "text").sum().backward()
        seen, x.grad

        class F4(Function):
            @staticmethod
            def forward(ctx, v):
                return v * 2, v * 3, 7
            @staticmethod
            def backward(ctx, g, h, k):
                seen.append((g, h, k))
                return g * 2 + h * 3
        a, b, c = F4.apply(x)
        a.sum().backward(retain_graph=True)
        (a + b).sum().backward()
        x.grad, seen, c, b.requires_grad

        class F5(Function):
            @staticmethod
            def forward(ctx, v):
                ctx.set_materialize_grads(False)
                return v * 2, v * 3
            @staticmethod
            def backward(ctx, g, h):
                seen.append((g is None, h is None))
                return None if g is None else g * 2
        a, b = F5.apply(x)
        a.sum().backward()
        c, d = F5.apply(x)
        d.sum().backward()
        seen, x.grad

        class F6(Function):
            @staticmethod
            def forward(ctx, v):
                a, b = v * 2, v > 0
                ctx.mark_non_differentiable(b)
                return a, b
            @staticmethod
            def backward(ctx, g, h):
                seen.append(h)
                return g * 2
        a, b = F6.apply(x)
        a.sum().backward()
        a.requires_grad, b.requires_grad, b, x.grad, seen

        class F7(Function):
            @staticmethod
            def forward(ctx, v):
                return v * 2
            @staticmethod
            def backward(ctx, g):
                return g, g
        told(F7.apply(x).sum().backward)

        class F8(Function):
            @staticmethod
            def forward(ctx, v, w):
                return v * w
            @staticmethod
            def backward(ctx, g):
                return g
        told(F8.apply(x, x).sum().backward)

        class F9(Function):
            @staticmethod
            def forward(ctx, v):
                return v * 2
            @staticmethod
            def backward(ctx, g):
                raise KeyError("in backward")
        told(F9.apply(x).sum().backward), x.grad, torch.is_grad_enabled()

        class F10(Function):
            @staticmethod
            def forward(ctx, v):
                return v * 2
            @staticmethod
            def backward(ctx, g):
                return torch.ones(5, device=device)
        told(F10.apply(x).sum().backward)

        class F11(Function):
            @staticmethod
            def forward(ctx, v):
                return v * 2
            @staticmethod
            def backward(ctx, g):
                return torch.ones(2, 3, device=device)
        F11.apply(x).sum().backward()
        x.grad

        class F12(Function):
            @staticmethod
            def forward(ctx, v):
                return v
            @staticmethod
            def backward(ctx, g):
                return g * 5
        a = F12.apply(x)
        (a * 2).sum().backward()
        x.grad, a is x, a

        class F13(Function):
            @staticmethod
            def forward(ctx, v):
                ctx.mark_dirty(v)
                v.mul_(2)
                return v
            @staticmethod
            def backward(ctx, g):
                return g * 2
        a = x * 1
        b = F13.apply(a)
        (b * b).sum().backward()
        x.grad, a is b, a

        class F14(Function):
            @staticmethod
            def forward(ctx, v):
                return v.view(3, 1)
            @staticmethod
            def backward(ctx, g):
                return g.view(3) * 7
        a = F14.apply(x)
        (a * 2).sum().backward()
        x.grad, a.shape

        class F15(Function):
            @staticmethod
            def forward(ctx, v):
                return v * 2
        told(F15.apply(x).sum().backward)

        told(lambda: Function.apply(x))

        class F16(Function):
            @staticmethod
            def forward(ctx, v):
                ctx.save_for_backward(v)
                return v * 2
            @staticmethod
            @torch.autograd.function.once_differentiable
            def backward(ctx, g):
                return g * 2
        g, = torch.autograd.grad(F16.apply(x).sum(), x)
        g

        class F17(Function):
            @staticmethod
            def forward(ctx, v, w):
                ctx.save_for_backward(None, v)
                return v + w
            @staticmethod
            def backward(ctx, g):
                seen.append(ctx.saved_tensors)
                return g, g
        F17.apply(x, x).sum().backward()
        x.grad, seen

        class F18(Function):
            @staticmethod
            def forward(ctx, v):
                with torch.enable_grad():
                    w = v.detach().requires_grad_()
                    z = (w ** 2).sum()
                ctx.inner = w, z
                return z.detach()
            @staticmethod
            def backward(ctx, g):
                w, z = ctx.inner
                return g * torch.autograd.grad(z, w)[0]
        F18.apply(x).backward()
        x.grad

        class F19(Function):
            @staticmethod
            def forward(ctx, v):
                ctx.save_for_backward(v)
                return v * 2
            @staticmethod
            def backward(ctx, g):
                return g * ctx.saved_tensors[0]
        a = x * 1
        b = F19.apply(a)
        a.add_(1)
        told(b.sum().backward)

        class F20(Function):
            @staticmethod
            def forward(ctx, v):
                return v * 2
            @staticmethod
            def backward(ctx, g):
                return 5
        told(F20.apply(x).sum().backward)

        class F21(Function):
            @staticmethod
            def forward(ctx, v, n):
                return v * n
            @staticmethod
            def backward(ctx, g):
                return g, g
        told(F21.apply(x, 2).sum().backward)

        a = Cube.apply(y)
        a.register_hook(lambda g: g * 2)
        a[0].sum().backward()
        y.grad

        class F22(Function):
            @staticmethod
            def forward(ctx, v):
                r = v.exp()
                ctx.save_for_backward(r)
                return r
            @staticmethod
            def backward(ctx, g):
                return g * ctx.saved_tensors[0]
        g, = torch.autograd.grad(F22.apply(x).sum(), x, create_graph=True)
        g, torch.autograd.grad(g.sum(), x)
        """,
        device,
        head=FUNCTION,
    )


def test_checks_and_functionals(device):
    head = HEAD + "x, y = (t.detach().double().requires_grad_() for t in (x, y))\nA = torch.autograd.functional\n"
    check(
        """
        torch.autograd.gradcheck(lambda v: v * v, x), torch.autograd.gradcheck(lambda v, w: (v * w, v.exp()), (x, y)), torch.autograd.gradgradcheck(lambda v: v ** 3, x)
        torch.autograd.gradcheck(lambda v: v.detach() * v, x, raise_exception=False), told(lambda: torch.autograd.gradcheck(lambda v: v.detach() * v, x))
        told(lambda: torch.autograd.gradcheck(lambda v: v, torch.ones(2)))
        torch.autograd.gradcheck(torch.matmul, (y, x)), torch.autograd.gradgradcheck(torch.matmul, (y, x))
        z = torch.tensor([1 + 1j, 2 - 1j], dtype=torch.complex128, requires_grad=True); torch.autograd.gradcheck(lambda v: v * v.conj() * v, z), torch.autograd.gradcheck(torch.abs, z)
        A.jacobian(lambda v: v ** 2, x), A.jacobian(lambda v: v.sum(), x), A.jacobian(lambda v, w: w @ v, (x, y))
        A.jacobian(lambda v: (v, v * 2), x)
        A.jacobian(lambda v: v ** 3, x, create_graph=True).requires_grad, A.jacobian(lambda v: v ** 3, x).requires_grad
        A.hessian(lambda v: (v ** 3).sum(), x), A.hessian(lambda v, w: (w @ v).prod(), (x, y))
        A.hessian(lambda v: (v * 3).sum(), x), A.hvp(lambda v: v.sum(), x, x.detach()), A.jacobian(lambda v: (torch.ones(2), v * 2), x), A.jvp(lambda v: v.detach(), x, x.detach()), A.vjp(lambda v: v.detach(), x, x.detach())
        A.hessian(lambda v, w: (v * 3).sum() + w.sum() ** 2, (x, y)), type(told(lambda: A.jacobian(lambda v: torch.ones(2), x, strict=True))), type(told(lambda: A.jacobian(lambda v, w: v * 2, (x, y), strict=True)))
        A.vjp(lambda v: v ** 2, x, torch.ones_like(x)), A.vjp(lambda v: v.sum(), x)
        A.jvp(lambda v: v ** 2, x, torch.ones_like(x) * 2), A.jvp(lambda v, w: w @ v, (x, y), (torch.ones_like(x), torch.ones_like(y)))
        A.hvp(lambda v: (v ** 3).sum(), x, torch.ones_like(x)), A.vhp(lambda v: (v ** 3).sum(), x, torch.ones_like(x))
        told(lambda: A.vjp(lambda v: v ** 2, x))
        told(lambda: A.hvp(lambda v: v ** 2, x, torch.ones_like(x)))
        told(lambda: A.hessian(lambda v: v ** 2, x)), told(lambda: A.hessian(lambda v: (v.sum(),), x)), told(lambda: A.hessian(lambda v: v.sum(), [x]))
        told(lambda: A.jacobian(lambda v: [v, v], x)), told(lambda: A.vjp(lambda v: [v], x, x)), told(lambda: A.jvp(lambda v: 3.0, x, x)), told(lambda: A.vhp(lambda v: v, x, x))
        told(lambda: A.hvp(lambda v: v.sum(), x, y)), told(lambda: A.hvp(lambda v: v.sum(), x, (x, x))), told(lambda: A.jvp(lambda v: torch.ones(2), x, y)), told(lambda: A.hvp(lambda v: v.sum(), x))
        told(lambda: A.vjp(lambda v: (v, v * 2), x, (x,))), told(lambda: A.vjp(lambda v: (v, v * 2), x, (x, y))), told(lambda: A.hessian(lambda v: 3.0, x)), told(lambda: A.jacobian(lambda v: v, 3.0))
        A.jacobian(lambda v: v.float(), x, strategy="forward-mode", vectorize=True), A.jacobian(lambda v: v.float(), x)
        """,
        device,
        head=head,
    )


def test_anomalies(device):
    check(
        """
        with torch.autograd.detect_anomaly(check_nan=True):
            a = told(lambda: (x.sqrt() * 0).sum().backward())
        a[0], torch.is_anomaly_enabled()

        with torch.autograd.set_detect_anomaly(True):
            b = torch.is_anomaly_enabled()
            (x * 2).sum().backward()
        b, torch.is_anomaly_enabled(), x.grad

        (x.sqrt() * 0).sum().backward()
        x.grad
        """,
        device,
    )


def test_checkpoint(device):
    check(
        """
        C = torch.utils.checkpoint.checkpoint
        def f(v):
            seen.append(torch.is_grad_enabled())
            return (v * v).exp()
        C(f, x * 0.5, use_reentrant=False).sum().backward()
        len(seen), x.grad

        C = torch.utils.checkpoint.checkpoint
        C(lambda v: (v * v).exp(), x * 0.5, use_reentrant=True).sum().backward()
        x.grad
        """,
        device,
    )


def test_writes_in_place(device):
    check(
        """
        told(lambda: x.mul_(2))
        told(lambda: x[0:2].mul_(2))
        told(lambda: x.view(3, 1).add_(1))
        told(lambda: x.__setitem__(0, 5.))
        told(lambda: x.detach().mul_(2).requires_grad)
        a = x * 1; a[0] = 10.; (a * a).sum().backward(); x.grad
        a = x * 1; a[1:] = x[:2]; (a * a).sum().backward(); x.grad
        a = x * 1; a.mul_(3); (a * a).sum().backward(); x.grad
        a = x * 1; b = a.view(3, 1); b.mul_(2); (a * a).sum().backward(); x.grad
        a = x * 1; b = a.view(3, 1); a.mul_(2); (b * b).sum().backward(); x.grad
        a = x * 1; b = a[1:]; b.mul_(2); (a * a).sum().backward(); x.grad, b
        a = x * 1; b = a[1:]; a.mul_(2); (b * b).sum().backward(); x.grad
        a = x * 1; b = a[1:]; c = b[1:]; c.mul_(5); b.add_(1); (a * a).sum().backward(); x.grad, a
        a = torch.zeros(3, device=device); a[1] = x[0] * 2; a.requires_grad, a.is_leaf, a.sum().backward(), x.grad
        a = torch.zeros(3, device=device); b = a[1:]; b.copy_(x[:2] ** 2); (a * 3).sum().backward(); x.grad, a.requires_grad, b.requires_grad
        a = torch.zeros(3, device=device); b = a[1:]; a.copy_(x ** 2); (b * 3).sum().backward(); x.grad
        a = torch.ones(3, device=device); a += x; (a * a).sum().backward(); x.grad
        a = torch.ones(3, device=device); a.mul_(x).add_(x); (a * a).sum().backward(); x.grad
        a = x + 2; b = a + a; a.add_(1); b.sum().backward(); x.grad
        a = x * 1; a.fill_(3.); told(a.sum().backward), a.requires_grad
        a = x * 1; a[a < 0] = 0.; (a * a).sum().backward(); x.grad
        a = x * 1; a.masked_fill_(x < 0, 9.); (a * a).sum().backward(); x.grad
        a = y * 1; a[:, 0] = x[:2]; a[0] *= 2; (a * a).sum().backward(); x.grad, y.grad
        a = y * 1; b = a.t(); b[0] = 7.; (a * a).sum().backward(); y.grad
        a = y * 1; b = a.t(); b.mul_(2); c = b[1]; c.add_(x[:2]); (a * a).sum().backward(); y.grad, x.grad
        a = y * 1; a.index_add_(0, torch.tensor([0, 0], device=device), torch.stack([x, x])); (a * a).sum().backward(); y.grad, x.grad
        a = y * 1; a.scatter_(1, torch.tensor([[0], [1]], device=device), 5.); (a * a).sum().backward(); y.grad
        a = y * 1; a.clamp_(0, 1.5); a.sum().backward(); y.grad
        a = y * 1; a.sub_(1).div_(2).neg_().exp_(); a.sum().backward(); y.grad
        a = x * 1; v = a._version; a.add_(1); a._version > v
        a = x * 1; b = a.detach(); b.mul_(2); (a * 3).sum().backward(); x.grad, a
        a = x.clone(); a.register_hook(lambda g: seen.append(g)); a.mul_(2); a.sum().backward(); seen, x.grad
        a = x * 1; a.requires_grad_(); a.squeeze_().unsqueeze_(0); a.sum().backward(); x.grad, a.shape
        a = x * 1; b = a.reshape(3); b.mul_(2); a.sum().backward(); x.grad
        a = x * 1; b, c, d = a.unbind(); (b * c * d).backward(); x.grad
        a = torch.zeros(2, 3, device=device); [a[k].copy_(x * k) for k in range(2)]; a.sum().backward(); x.grad
        a = torch.zeros(4, device=device); a[:3] = x; b = a * 1; a[0] = 1.; (b * b).sum().backward(); x.grad
        x.data.add_(1); (x * x).sum().backward(); x.grad
        a = x * 1; b = a.view(-1).detach(); b.requires_grad, b.is_leaf
        told(lambda: torch.add(x, 1, out=torch.zeros(3, device=device)))[0]
        told(lambda: torch.add(x.detach(), 1, out=x))[0]
        a = x * 1; a.copy_(y[0]); a.sum().backward(); y.grad
        a = x * 1; b = a.narrow(0, 1, 1); b.fill_(7.); (a * a).sum().backward(); x.grad
        a = y.clone(); d = a.diagonal(); d.mul_(10); (a * a).sum().backward(); y.grad
        a = y.clone(); a[:, ::2].mul_(3); (a * a).sum().backward(); y.grad
        a = y.clone(); b = a[:, 1]; c = a[0]; b.mul_(2); c.add_(1); (b.sum() * c.sum()).backward(); y.grad
        """,
        device,
    )


def test_what_pytorch_gives_up(device):
    """Values that a gradient needs are kept: writes after their use change nothing. Where memory is shared with NumPy they cannot be."""
    import numpy as np
    import quern.torch as torch

    def leaf():
        return torch.tensor([1.0, -2.0, 3.0], requires_grad=True, device=_device_name(device))

    x = leaf()
    z = (x * x).sum()
    with torch.no_grad():
        x.mul_(10)
    z.backward()
    assert x.grad.tolist() == [2, -4, 6]  # of the value that was multiplied
    x = leaf()
    a = x * 2
    z = (a * a).sum()
    a.add_(1)
    z.backward()
    assert x.grad.tolist() == [8, -16, 24]
    x = leaf()
    a = x.exp()
    z = a.sum()
    a.zero_()
    z.backward()
    assert np.allclose(x.grad.tolist(), np.exp([1, -2, 3]))
    host = np.array([1.0, 2.0])
    shared = torch.from_numpy(host)
    w = torch.tensor([3.0, 4.0], dtype=torch.float64, requires_grad=True)
    z = (shared * w).sum()
    shared.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()
