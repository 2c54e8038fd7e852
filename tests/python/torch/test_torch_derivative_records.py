"""Which derivatives want a gradient themselves, compared with PyTorch: chains of grad(), and torch.autograd.functional, also strict."""

import pytest
from torch_oracle import compare_all

HEAD = """
def chain(f, count=4):
    x = torch.tensor([1.5, .5, 2.], requires_grad=True, device=device)
    g, out = f(x), []
    while len(out) < count and g is not None and g.requires_grad:
        (g,) = torch.autograd.grad(g.sum(), x, create_graph=True, allow_unused=True)
        out.append(None if g is None else (g + 0., g.requires_grad))
    return out
def told(call):
    try:
        found = call()
    except Exception as error:
        return type(error).__name__, str(error)
    return [(t + 0., t.requires_grad) for t in (found if isinstance(found, tuple) else (found,))]
A = torch.autograd.functional
x = torch.tensor([1.5, .5, 2.], device=device)
w = torch.tensor([1., 2., 3.], device=device)
"""
FUNCTIONS = """x**2 x**3 x**1 x**0 x**2.0 x**2.5 x**-1 x**.5 x**True torch.pow(x,2) x.pow(3) torch.square(x) x.square() x**torch.tensor(2.) 2**x
x*x x*x*x 3*x x+1 -x x/2 1/x x.exp() x.relu() x.sum() x.mean() x.prod() x.norm() x.var() x.softmax(0) x@x torch.outer(x,x) x[0] x.clone()
(x**2)**2 (x**3).sqrt() x**2*x (x.double())**2 (x[:2]**2).exp() torch.nn.functional.mse_loss(x,w)""".split()
POOLS = """max_pool1d(p,2) max_pool1d(p,3,2,1) avg_pool1d(p,2) adaptive_max_pool1d(p,2) adaptive_avg_pool1d(p,2) adaptive_avg_pool1d(p,1)
adaptive_max_pool1d(p,1) max_pool2d(q,2) max_pool2d(q,2,return_indices=True)[0] avg_pool2d(q,2) adaptive_max_pool2d(q,2)
adaptive_avg_pool2d(q,2) adaptive_avg_pool2d(q,1) max_pool2d(q,2)**2 max_pool3d(q[None],2) avg_pool3d(q[None],2)""".split()
PARTS = "jacobian hessian vjp jvp hvp vhp".split()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_chains(device, function):
    compare_all([f"{HEAD}chain(lambda x: {function})"], device)


@pytest.mark.parametrize("pool", POOLS)
def test_pools(device, pool):
    compare_all(
        [
            f"""{HEAD}x = torch.sin(torch.arange(24., device=device)).requires_grad_()
            p, q = x.reshape(1, 4, 6), x.reshape(1, 2, 3, 4)
            y = F.{pool}
            g, = torch.autograd.grad(y.sum(), x, create_graph=True)
            h = [g.requires_grad, g + 0.]
            if g.requires_grad:
                (g * x.detach()).sum().backward()
                h.append(x.grad)
            h""".replace("\n            ", "\n")
        ],
        device,
    )


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("function", "x**2 x*x 3*x x**3 x.relu() x.exp() x.detach()*w".split())
def test_functional(device, part, function):
    call = f"lambda x: ({function}).sum()" if part in ("hessian", "hvp", "vhp") else f"lambda x: {function}"
    vector = "" if part in ("jacobian", "hessian") else ", w"
    compare_all(
        [
            f"{HEAD}told(lambda: A.{part}({call}, {x}{vector}, strict={strict}, create_graph={create_graph}))"
            for strict in (False, True)
            for create_graph in (False, True)
            for x in ("x", "x.requires_grad_()")
        ],
        device,
    )


def test_functional_of_several(device):
    compare_all(
        [
            HEAD + line.strip()
            for line in """
            told(lambda: A.jacobian(lambda a, b: a * 2, (x, w), strict=True))
            told(lambda: A.jacobian(lambda a, b: (a * b, b * 1), (x, w), strict=True))
            told(lambda: A.vjp(lambda a, b: a * 2, (x, w), w, strict=True))
            told(lambda: A.vjp(lambda a, b: a * a, (x, w), w))
            told(lambda: A.jvp(lambda a, b: (a * b, w), (x, w), (x, w), strict=True))
            told(lambda: A.hvp(lambda a, b: (a * b).sum(), (x, w), (x, w)))
            told(lambda: A.hvp(lambda a, b: (a * b).sum(), (x, w), (x, w), strict=True))
            told(lambda: A.vhp(lambda a, b: (a * a + b).sum(), (x, w), (x, w), strict=True))
            told(lambda: A.hessian(lambda a, b: (a * a).sum() + b.sum(), (x, w), strict=True))
            torch.no_grad()(lambda: told(lambda: A.jacobian(lambda a: a * a, x)))()
            torch.no_grad()(lambda: told(lambda: A.hvp(lambda a: (a**3).sum(), x, w)))()
            """.strip().splitlines()
        ],
        device,
    )
