"""Random programs of views, writes in place, detached tensors and hooks, whose gradients are PyTorch's.

QUERN_TORCH_PROGRAMS=N runs N more of them where PyTorch is.
"""

import random

import pytest
from features import Features
from long_runs import programs, seeds
from torch_oracle import _found, compare_all


class _Program:
    """A program of views, writes in place, detached tensors and hooks, as a text; from a seed always the same."""

    def __init__(self, seed, steps=12):
        self.random = random.Random(seed)
        self.lines = []
        self.shapes = {}
        self.views, self.detached = set(), set()
        self.is_written_unseen = False
        leaves = []
        for shape in ((3,), (2, 3)):
            name = f"x{len(leaves)}"
            count = shape[0] if len(shape) == 1 else 6
            values = [self.random.randint(-8, 8) / 4 for _ in range(count)]
            self.line(f"{name} = torch.tensor({values}, dtype=torch.float64, device=device).reshape({shape}).requires_grad_()")
            self.put(f"{name} * 1", shape)
            leaves.append(name)
        for _ in range(steps):
            self.random.choice([self.view, self.view, self.write, self.write, self.write, self.compute, self.apart, self.hook])()
        for _ in range(2):
            self.hook_at_the_end()
        shown = ", ".join(self.shapes)
        self.line(f"z = sum((t * (k + 1)).sum() for k, t in enumerate([{shown}]))")
        self.line("z.backward()")
        grads = ", ".join(f"torch.zeros_like({x}) if {x}.grad is None else {x}.grad" for x in leaves)
        # What only overwritten values depended on has no gradient here, and zeros there; nor are hooks called with them.
        self.line(f"[{grads}], [(t.detach(), t.requires_grad) for t in ({shown},)], seen")
        self.text = "seen = []\n" + "\n".join(self.lines)

    def line(self, text):
        self.lines.append(text)

    def put(self, text, shape, is_view=False):
        name = f"a{len(self.shapes)}"
        self.shapes[name] = shape
        if is_view:
            self.views.add(name)
            if "detach()" in text or text.partition("[")[0].partition(".")[0] in self.detached:
                self.detached.add(name)
        self.line(f"{name} = {text}")

    def any(self, fits=lambda shape: True):
        names = [name for name, shape in self.shapes.items() if fits(shape)]
        return self.random.choice(names) if names else None

    def number(self):
        return self.random.choice([-1.0, 0.5, 2.0, 3.0])

    def part(self, name):
        """An index of a tensor, and the shape of what is there."""
        shape = self.shapes[name]
        if not shape:
            return "...", ()
        if len(shape) == 2 and self.random.random() < 0.4:
            k = self.random.randrange(shape[1])
            return f":, {k}", (shape[0],)
        if self.random.random() < 0.4:
            k = self.random.randrange(shape[0])
            return f"{k}", shape[1:]
        start = self.random.randrange(shape[0])
        step = self.random.choice([1, 1, 2])
        return f"{start}::{step}", (len(range(start, shape[0], step)), *shape[1:])

    def view(self):
        name = self.any()
        shape = self.shapes[name]
        kind = self.random.randrange(4)
        if kind == 0 and len(shape) == 2:
            self.put(f"{name}.t()", shape[::-1], is_view=True)
        elif kind == 1 and shape:
            self.put(f"{name}.unsqueeze(0)[0]", shape, is_view=True)
        elif kind == 2 and len(shape) == 2:
            self.put(f"{name}.diagonal()", (min(shape),), is_view=True)
        else:
            index, part = self.part(name)
            self.put(f"{name}[{index}]", part, is_view=True)

    def operand(self, shape):
        """A number, or a tensor that can be brought to the shape."""
        other = self.any(lambda s: s == shape or s == shape[1:] or s == ())
        return f"{other}.clone()" if other and self.random.random() < 0.7 else f"{self.number()}"

    def write(self):
        name = self.any()
        shape = self.shapes[name]
        # PyTorch takes a view whose base came to need gradients for a leaf until somebody has asked for its grad_fn.
        self.line(f"{name}.grad_fn")
        kind = self.random.randrange(8)
        self.is_written_unseen |= kind == 7 or name in self.detached
        if kind == 0:
            self.line(f"{name}.mul_({self.number()})")
        elif kind == 1:
            self.line(f"{name}.add_({self.operand(shape)})")
        elif kind == 2:
            index, part = self.part(name)
            self.line(f"{name}[{index}] = {self.operand(part)}")
        elif kind == 3:
            index, part = self.part(name)
            self.line(f"{name}[{index}] *= {self.number()}")
        elif kind == 4:
            other = self.any(lambda s: s == shape)
            self.line(f"{name}.copy_({other}.clone())")
        elif kind == 5:
            self.line(f"{name}.masked_fill_({name}.detach() > 1, {self.number()})")
        elif kind == 6:
            self.line(self.random.choice([f"{name}.zero_()", f"{name}.fill_({self.number()})", f"{name}.neg_()"]))
        else:
            self.line(f"with torch.no_grad(): {name}.mul_({self.number()})")

    def compute(self):
        name = self.any()
        shape = self.shapes[name]
        kind = self.random.randrange(6)
        if kind == 0:
            self.put(f"torch.tanh({name}.clone()) + 0", shape)
        elif kind == 1:
            other = self.any(lambda s: s == shape)
            self.put(f"torch.sin({name}.clone()) * {other}.clone()", shape)
        elif kind == 2 and shape:
            self.put(f"{name}.sum(0)", shape[1:])
        elif kind == 3 and len(shape) == 2:
            self.put(f"{name}.clone() @ {name}.clone().t()", (shape[0], shape[0]))
        elif kind == 4:
            self.put(f"torch.ones({shape}, dtype=torch.float64, device=device)", shape)
        else:
            self.put(f"{name} - {self.operand(shape)}", shape)

    def apart(self):
        name = self.any()
        self.put(f"{name}.detach()" + self.random.choice(["", ".clone()"]), self.shapes[name], is_view=True)

    def hook(self):
        # PyTorch drops the hooks of a view at a write to its memory by another name.
        name = self.random.choice([name for name in self.shapes if name not in self.views])
        self.line(f"if {name}.requires_grad: {name}.register_hook(lambda g: {self.random.choice([self.change(), self.note()])})")

    def change(self):
        return f"g * {self.number()}"

    def note(self):
        return "seen.append(g.sum()) if g.any() else None"

    def hook_at_the_end(self):
        # Each view has hooks of its own. In which order those of several are called is not compared, and after a write under no_grad or
        # to a detached alias PyTorch makes new nodes for views, which pass by hooks of the old ones.
        apart = self.views if self.is_written_unseen else ()
        name = self.random.choice([name for name in self.shapes if name not in apart])
        self.line(f"if {name}.requires_grad: {name}.register_hook(lambda g: {self.change()})")


def test_random_programs(device):
    compare_all([_Program(seed).text for seed in range(200)], device)


FEATURES = {
    "a view": r"\.t\(\)|unsqueeze|diagonal|= a\d+\[.*\]$",
    "a write in place": r"(mul_|add_|copy_|neg_|zero_|fill_)\(",
    "a part written": r"^a\d+\[.*\] =",
    "a part scaled": r"\] \*=",
    "a mask": r"masked_fill",
    "without a record": r"no_grad",
    "a detached tensor": r"= a\d+\.detach",
    "a hook": r"register_hook",
    "a hook of a view": r"(?s)(a\d+) = a\d+(?:\.t\(\)|\.unsqueeze|\.diagonal|\[).*if \1\.requires_grad: \1\.register_hook",
    "a computed tensor": r"tanh|sin|sum\(0\)",
}


def test_what_random_programs_have(capsys):
    features = Features("autograd programs of PyTorch", FEATURES)
    for seed in seeds(400):
        features.add(_Program(seed).text)
    features.check(capsys)


def test_more_random_programs(device):
    count = programs("QUERN_TORCH_PROGRAMS", 0)
    if not count:
        pytest.skip("QUERN_TORCH_PROGRAMS says how many, where PyTorch is")
    python, reason = _found()
    assert python, reason
    more = seeds(count, 200)
    for i in range(0, count, 500):
        compare_all([_Program(seed).text for seed in more[i : i + 500]], device, keep=False)
