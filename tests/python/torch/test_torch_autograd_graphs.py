"""Random programs of views, writes in place, hooks and retained gradients, compared with PyTorch; their nodes are asked before and after.

A program is a text, made of lines that choose operands among the tensors before. PyTorch refuses those whose derivative needs a value that
was overwritten; quern keeps the value (docs/torch.md), so such programs are left out.
"""

import random

import pytest
from torch_oracle import compare_all, expected

HEAD = """
leaves = [torch.tensor(values, dtype=torch.float64, device=device, requires_grad=True) for values in {0}]
t = [x * 1.0 for x in leaves]
seen = []
def hook(place, factor):
    return lambda g: (seen.append((place, g.reshape(-1).tolist())), g * factor)[1]
def walk(x):
    nodes, count = [x.grad_fn], 0
    while nodes and count < 300:
        node, count = nodes.pop(), count + 1
        if node is not None:
            repr(node), node.name(), hash(node)
            nodes += [of for of, _ in node.next_functions]
    return repr(x).count("grad_fn"), x.is_leaf
def told(x):
    return x.retains_grad, None if x.grad is None else x.grad.reshape(-1).tolist()
"""
# A line makes a new tensor, or changes one and takes it again.
STEPS = [
    "{a}.view(4)", "{a}.view(4)", "{a}.view(4)", "{a}[:]", "{a}.view(2, 2).T.reshape(4)", "{a}.view(2, 2).T.T.reshape(4)",
    "{a}.expand(2, 4)[1]", "{a} * {b}", "{a} + {b}", "{a} / ({b} * {b} + 1)", "{a}.tanh()", "torch.exp(-{a} * {a})",
    "{a} - torch.logsumexp({b}, 0)", "{a} * {b}.std()", "torch.sort({a})[0]", "{a}.view(2, 2).sum(1, keepdim=True).expand(2, 2).reshape(4)",
    "{a}.view(2, 2).sum(0)[None].expand(2, 2).reshape(4)", "{a}.mul_({b}.detach() + 0.5)", "{a}.add_({b})",
    "({a}[1:3].mul_(1.5), {a})[1]", "({a}.view(2, 2)[0].mul_(0.5), {a})[1]", "({a}.view(2, 2).T[0].add_(0.25), {a})[1]",
]  # fmt: skip


def program(seed):
    dice = random.Random(seed)
    lines = [HEAD.format([[dice.choice([0.5, 1.0, 1.5, 2.0]) for _ in range(4)] for _ in range(2)])]
    count = dice.randint(3, 10)
    for k in range(count):
        a, b = (f"t[{dice.randrange(2 + k)}]" for _ in range(2))
        lines.append(f"t.append({dice.choice(STEPS).format(a=a, b=b)})")
        what = dice.random()
        if what < 0.25:
            lines.append(f"t[-1].register_hook(hook({k}, {dice.choice([1.0, 2.0, 0.5])}))")
        elif what < 0.4:
            lines.append("t[-1].retain_grad()")
    lines.append("end = sum((x * (i + 1)).sum() for i, x in enumerate(t[-3:]))")
    lines.append("ways = [walk(x) for x in t]")
    lines += ["end.backward(retain_graph=True)", "ways += [walk(x) for x in t]"] * dice.randrange(2) + ["end.backward()"]
    lines.append("ways += [walk(x) for x in [*t, end]]")
    return "\n".join([*lines, "[told(x) for x in leaves], [told(x) for x in t], sorted(seen), ways"])


@pytest.mark.parametrize("first", range(0, 120, 30))
def test_random_graphs(device, first):
    texts = [program(seed) for seed in range(first, first + 30)]
    compare_all([text for text in texts if "one of the variables" not in str(expected(text))], device)
