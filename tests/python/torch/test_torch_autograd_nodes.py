"""What tensors and their nodes tell of the history: the same before and after backward() has freed it, also to other threads."""

import random

import programs
import pytest
from test_torch_autograd import check

HEAD = """
F = torch.nn.functional
w = torch.tensor([1., 2.], requires_grad=True, device=device)
m = torch.tensor([[1., 2.], [3., 5.]], requires_grad=True, device=device)
z, one, classes = torch.zeros(2, device=device), torch.ones(2, device=device), torch.tensor([0, 1], device=device)
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, v):
        return v * 2
    @staticmethod
    def backward(ctx, g):
        return g * 2
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, v):
        ctx.save_for_backward(v)
        return v ** 3
    @staticmethod
    def backward(ctx, g):
        v, = ctx.saved_tensors
        return 3 * v * v * g
def told(call):
    try:
        return call()
    except Exception as error:
        return type(error).__name__, str(error)[:60]
"""

# One node each, with PyTorch's name and edges.
ONE_NODE = """
F.mse_loss(w, z)
F.huber_loss(w, z)
F.smooth_l1_loss(w, z)
F.binary_cross_entropy_with_logits(w, one)
w.norm()
torch.linalg.norm(m)
torch.linalg.vector_norm(w)
torch.linalg.matrix_norm(m)
torch.dist(w, z)
torch.det(m)
torch.linalg.pinv(m).sum()
torch.inverse(m).sum()
torch.logsumexp(w, 0)
w.std()
torch.cat([w, w]).sum()
F.gelu(w).sum()
Cube.apply(w).sum()
"""

# Made of one node here and of several in PyTorch, or the other way round.
OTHERS = """
F.l1_loss(w, z)
F.cross_entropy(m, classes)
F.nll_loss(m, classes)
F.kl_div(w, one, reduction="sum")
F.gaussian_nll_loss(w, z, one)
F.poisson_nll_loss(w, one)
F.soft_margin_loss(w, one)
F.margin_ranking_loss(w, z, one)
F.hinge_embedding_loss(w, one)
F.cosine_similarity(w, one, dim=0)
F.layer_norm(w, (2,)).sum()
torch.softmax(w, 0).sum()
"""


def test_freed_nodes_are_named(device):
    """The finding's program and its family, in PyTorch's words."""
    tail = "; a = repr(l), l.grad_fn.name(), [e and e.name() for e, _ in l.grad_fn.next_functions]; l.backward(); "
    tail += "a == (repr(l), l.grad_fn.name(), [e and e.name() for e, _ in l.grad_fn.next_functions]), a[0]"
    others = ("pinv", "inverse", "dist", "det", "std")  # made of other steps, or printed with other digits
    check("\n".join(f"l = {text}{tail}" for text in ONE_NODE.strip().splitlines() if not any(n in text for n in others)), device, HEAD)
    tail = "; a = repr(l), l.grad_fn.next_functions; l.backward(); b = repr(l), l.grad_fn.next_functions; a == b, l, l.is_leaf, l.retains_grad"
    check("\n".join(f"l = {text}{tail}" for text in OTHERS.strip().splitlines()), device, HEAD)


def test_classes_of_nodes(device):
    """Each operation's nodes have a class of its own, by whose name programs draw graphs."""
    check(
        """
        n = (w * 2).grad_fn; type(n).__name__, type(n) is type((w * 3).grad_fn), type(n) is type(w.exp().grad_fn)
        n = w.exp().sum().grad_fn; type(n).__name__, [type(e).__name__ for e, _ in n.next_functions], n == n
        [type(e).__name__ for e, _ in w.exp().grad_fn.next_functions]
        type(Cube.apply(w).grad_fn).__name__, str(type((w + 1).grad_fn))
        """,
        device,
        HEAD,
    )


VIEWS = """y[0:][0] | y[0, 0] | y[0, 1:] | y[:, 0] | y[None] | y.expand(2, 2, 2)[0] | y.T | y[::2] | y[:1] | y[-1] | y.diagonal() | y.select(1, 0)
y.squeeze(0).unsqueeze(0) | y.view(4) | y.flatten() | y.permute(1, 0) | y.unsqueeze(-1) | y.expand(3, 2, 2) | y.unfold(1, 1, 1)[0] | y.repeat(2, 1)[0]"""
WRITES = """y.add_(1) | y.mul_(y.detach()) | y.exp_() | y.relu_() | y[0].mul_(2) | y.__setitem__(0, 1.) | y.__setitem__(0, w) | y.copy_(m)"""


def test_views_and_writes_have_pytorchs_names(device):
    calls = [f"y = {one.strip()}" for line in VIEWS.splitlines() for one in line.split("|")] + [one.strip() for one in WRITES.split("|")]
    named = "; y.grad_fn.name(), type(y.grad_fn).__name__"
    check("\n".join(call + named for call in calls), device, HEAD + "\nm.requires_grad_(); y = m * 2\n")


NUMBERED = """w ** 2 | w ** w | 2 ** w | w ** 0.5 | 1 - w | w - 1 | w % 2 | w % w.detach() | torch.fmod(w, 2) | torch.fmod(w, w.detach()) | w.sum()
w.max() | w.min() | w.amax() | torch.stack([w, w]).sum(0) | torch.stack([w, w]).prod(1) | torch.outer(w, w) @ torch.outer(w, w)
torch.bmm(torch.outer(w, w)[None], torch.outer(w, w)[None]) | w.clone() | w.double() | w.round() | w.log1p() | torch.deg2rad(w) | torch.rad2deg(w) | torch.i0(w) | w[[0, 1]]"""


def test_overloads_have_numbers(device):
    calls = [one.strip() for line in NUMBERED.splitlines() for one in line.split("|")]
    check("\n".join(f"l = {call}; l.grad_fn.name(), type(l.grad_fn).__name__" for call in calls), device, HEAD)


def test_backward_twice(device):
    """Raises where values were saved; works where none were."""
    texts = ONE_NODE.strip().splitlines() + OTHERS.strip().splitlines()
    check("\n".join(f"l = {text}; l.backward(); told(l.backward)" for text in texts), device, HEAD)
    check(
        """
        l = (w + w).sum(); l.backward(); l.backward(); w.grad
        l = Twice.apply(w).sum(); l.backward(); l.backward(); w.grad
        l = Twice.apply(w).sum(); l.backward(retain_graph=True); l.backward(); l.grad_fn.name(), w.grad
        l = Cube.apply(w).sum(); l.backward(retain_graph=True); l.backward(); told(l.backward), w.grad
        a, b = torch.std_mean(w); a.backward(retain_graph=True); b.backward(); a.grad_fn.name() is not None, w.grad
        l = (w * w).sum(); torch.autograd.grad(l, w); told(lambda: torch.autograd.grad(l, w)), l.grad_fn.name()
        y = w.exp(); l = y.sum(); l.backward(); y.register_hook(lambda g: g); y.retain_grad(); y.retains_grad, y.grad
        y = w.exp(); h = y.register_hook(lambda g: g); y.sum().backward(); h.remove(); y.grad_fn.next_functions[0][0].name()
        """,
        device,
        HEAD,
    )


def test_edges_lead_to_the_leaves():
    import quern.torch as torch

    w = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (w.exp() * w).sum()
    y.backward()
    product = y.grad_fn.next_functions[0][0]
    assert product.name() == "MulBackward0"
    (power, _), (leaf, _) = product.next_functions
    assert power.name() == "ExpBackward0" and leaf.name() == "torch::autograd::AccumulateGrad"
    assert power.next_functions[0][0] == leaf and leaf.next_functions == ()
    assert len({y.grad_fn, y.grad_fn, product}) == 2
    del y
    assert power.name() == "ExpBackward0"  # a node outlives its tensor
    values, places = torch.sort(w)
    assert values.output_nr == 0
    top = torch.linalg.qr(torch.eye(2, requires_grad=True))
    assert [r.output_nr for r in top] == [0, 1] and top[0].grad_fn == top[1].grad_fn
    top[0].sum().backward()
    assert top[1].grad_fn.next_functions[0][0].name() == "torch::autograd::AccumulateGrad"


# ---- random graphs, asked at any time

STEPS = [
    lambda torch, a, b: a * b,
    lambda torch, a, b: a + b.exp() * 0.01,
    lambda torch, a, b: a / (b * b + 1),
    lambda torch, a, b: torch.cat([a[:2], b[2:]]),
    lambda torch, a, b: a.view(2, 2).T.reshape(4),
    lambda torch, a, b: a - torch.logsumexp(b, 0),
    lambda torch, a, b: torch.softmax(a, 0) + b,
    lambda torch, a, b: a * torch.linalg.vector_norm(b),
    lambda torch, a, b: a + torch.nn.functional.mse_loss(a, b.detach()),
    lambda torch, a, b: torch.nn.functional.layer_norm(a, (4,)) + b,
    lambda torch, a, b: torch.sort(a)[0] * b,
    lambda torch, a, b: torch.cumprod(a.tanh(), 0) + b.std(),
    lambda torch, a, b: a.clone().mul_(b),
    lambda torch, a, b: torch.where(a > b, a, b),
    lambda torch, a, b: a.view(4)[...] * b.expand(1, 4)[0],
    lambda torch, a, b: torch.linalg.det(a.view(2, 2)) * b,
]


def told_of(x):
    """Return all that a tensor reports of itself and its history."""

    def walk(node, depth):
        if node is None or depth == 0:
            return None
        return node.name(), repr(node), [(walk(one, depth - 1), number) for one, number in node.next_functions]

    return (repr(x), str(x), walk(x.grad_fn, 4), x.output_nr, x.requires_grad, x.is_leaf, x.retains_grad, x._version, x.tolist(), f"{[x]}")


def random_graph(torch, dice):
    made = [torch.tensor([dice.uniform(0.5, 1.5) for _ in range(4)], requires_grad=dice.random() < 0.8) for _ in range(3)]
    made[0].requires_grad_()
    for _ in range(dice.randint(3, 9)):
        step = dice.choice(STEPS)
        made.append(step(torch, dice.choice(made), dice.choice(made)))
        if made[-1].requires_grad and dice.random() < 0.2:
            made[-1].register_hook(lambda g: g)
        if made[-1].requires_grad and dice.random() < 0.2:
            made[-1].retain_grad()
    return made


@pytest.mark.parametrize("seed", range(12))
def test_random_graphs_tell_the_same_after_backward(seed):
    import quern.torch as torch

    dice = random.Random(seed)
    for _ in range(4):
        made = random_graph(torch, dice)
        ends = [x for x in made if x.requires_grad and not x.is_leaf] or [made[0] * 1]
        asked = [told_of(x) for x in made] if dice.random() < 0.7 else None
        nodes = [x.grad_fn for x in made]
        for _ in range(dice.randint(1, 3)):
            end = dice.choice(ends)
            try:
                end.sum().backward(retain_graph=dice.random() < 0.4)
            except RuntimeError as error:
                assert "backward through the graph a second time" in str(error)
            for x in dice.sample(made, 2):
                told_of(x)
        if asked:
            assert [told_of(x) for x in made] == asked
        del made, ends
        for node in nodes:
            if node is not None:
                assert node.name().endswith("0") and node.next_functions


def test_other_threads_ask():
    """Some threads free histories, others ask for them."""
    done = programs.code(
        """
import random, sys, threading
sys.path[:0] = ["tests/python/torch", "tests/python/support"]
import test_torch_autograd_nodes as nodes
import quern.torch as torch
shared, problems, over = [], [], threading.Event()
def work(seed):
    dice = random.Random(seed)
    try:
        for _ in range(25):
            made = nodes.random_graph(torch, dice)
            shared.append(made)
            if len(shared) > 8:
                shared.pop(0)
            for x in dice.choice(list(shared)):
                if x.requires_grad and not x.is_leaf and dice.random() < 0.5:
                    try:
                        x.sum().backward(retain_graph=dice.random() < 0.5)
                    except RuntimeError as error:
                        assert "second time" in str(error), error
    except BaseException as error:
        problems.append(repr(error))
def ask(seed):
    dice = random.Random(seed)
    try:
        while not over.is_set():
            for made in list(shared):
                nodes.told_of(dice.choice(made))
    except BaseException as error:
        problems.append(repr(error))
workers = [threading.Thread(target=work, args=(k,)) for k in range(3)]
askers = [threading.Thread(target=ask, args=(k,)) for k in range(2)]
for t in workers + askers: t.start()
for t in workers: t.join()
over.set()
for t in askers: t.join()
print("problems", problems)
""",
        cwd=programs.ROOT,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip() == "problems []", done.stdout
