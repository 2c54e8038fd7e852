"""Gradients of random programs of views, writes and detached values, against central differences."""


import numpy as np
import pytest
import quern as qn
from differences import differences, each, grads
from features import Features
from long_runs import programs, seeds
from quern.lib import _engine

SLICES = ["[0]", "[::-1]", "[1:]", "[..., ::2]", ".T", ".reshape(-1)", "[..., :1]", "[None]", "[..., 1:]", ".reshape(2, -1)"]
UNARY_REAL = ["m.sin({})", "m.tanh({})", "{0} * {0}", "-{}", "{} * 0.5", "m.exp(-{0} * {0})", "1.0 / (1.5 + m.sin({}))"]

UNARY_COMPLEX = ["m.sin({} * 0.3)", "m.tanh({} * 0.2)", "{0} * m.conj({0})", "-{}", "{} * (0.5 - 0.25j)", "{}.real", "m.abs({} + 2.0)"]
PARTS = [".real", ".imag", ".T.real", "[::-1].imag"]


class Program:
    """Lines that are made as they run, with NumPy: views, writes and values that are detached."""

    def __init__(self, seed, kind="real"):
        self.draw = np.random.default_rng(seed)
        self.unary, self.slices = (UNARY_REAL, SLICES) if kind == "real" else (UNARY_COMPLEX, SLICES + PARTS)
        self.inputs = [self.draw.normal(size=(4, 4)), self.draw.normal(size=4)]
        if kind == "complex":
            self.inputs[0] = 0.7 * (self.inputs[0] + 1j * self.draw.normal(size=(4, 4)))
        self.names = {"m": np, "x": self.inputs[0].copy(), "y": self.inputs[1].copy(), "detached": lambda a: a.copy()}
        self.leaves = [self.names["x"], self.names["y"]]
        self.variables = ["x", "y"]
        self.lines = []
        self.is_tame = True
        for _ in range(self.draw.integers(5, 25)):
            self.add()

    def one(self, these):
        return these[self.draw.integers(len(these))]

    def free(self):
        """Variables that may be written."""
        arrays = [(v, self.names[v]) for v in self.variables]
        return [v for v, a in arrays if not any(np.shares_memory(a, leaf) for leaf in self.leaves)]

    def new(self, text):
        name = f"v{len(self.variables)}"
        if self.run(f"{name} = {text}"):
            if self.names[name].ndim in (1, 2) and 0 < self.names[name].size <= 64:
                self.variables.append(name)
            else:
                self.lines.pop()

    def run(self, line):
        try:
            exec(line, self.names)
        except (ValueError, IndexError, TypeError):
            return False
        self.lines.append(line)
        largest = max(np.abs(a).max(initial=0.0) for a in self.names.values() if isinstance(a, np.ndarray))
        self.is_tame &= bool(largest < 1e3)  # what is overwritten later counts, too: zero times infinity is its gradient
        return True

    def add(self):
        kind = self.one(["unary", "binary", "view", "view", "write", "write", "part", "pick", "put", "detach", "other"])
        v, w = self.one(self.variables), self.one(self.variables)
        free = self.free()
        if kind == "unary":
            self.new(self.one(self.unary).format(v))
        elif kind == "binary":
            self.new(f"{v} {self.one(['*', '+', '-'])} m.sin({w})")
        elif kind == "view":
            self.new(v + self.one(self.slices))
        elif kind == "pick":
            self.new(f"{v}[{[int(self.draw.integers(-len(self.names[v]), len(self.names[v]))) for _ in range(3)]}]")
        elif kind == "detach":
            self.new(f"detached({v})")
        elif kind == "other":
            texts = ["m.cumsum({}, axis=-1)", "m.concatenate([{0}, {0} * 2])", "{}.sum(axis=0)"]
            if (np.diff(np.sort(self.names[v].real, axis=0), axis=0) > 1e-3).all():  # where no step changes the order
                texts.append("m.sort({}, axis=0)")
            self.new(self.one(texts).format(v))
        elif free:
            v = self.one(free)
            if kind == "write":
                self.run(f"{v} {self.one(['+=', '*=', '-='])} m.sin({w})")
            elif kind == "part":
                part = self.one(["[...]", "[0]", "[::2]", "[..., 1:]", "[::-1]"])
                self.run(f"{v}{part} {self.one(['=', '+=', '*='])} {self.one(['m.sin({})', '{}', '{}[::-1]']).format(w)}")
            else:
                places = [int(self.draw.integers(len(self.names[v]))) for _ in range(2)]
                self.run(f"{v}[{places}] = m.sin({w})")

    def function(self, detached):
        """The program as a function of its inputs. `detached`: what becomes of a detached array."""

        def f(x, y):
            names = {"m": qn, "x": x, "y": y, "detached": detached}
            for line in self.lines:
                exec(line, names)
            return each([names[v] for v in self.variables])

        return f

    def check(self):
        if not self.is_tame:
            return  # differences say nothing there
        frozen = []

        def freeze(a):  # a copy, so that its value stays whatever is written
            out = _engine.detached(a).copy()
            frozen.append(qn.asnumpy(out).copy())
            return out

        got = grads(self.function(freeze), self.inputs)
        count = len(frozen)
        turn = iter(())

        def thaw(_):
            return qn.asarray(next(turn))

        def value(x, y):
            nonlocal turn
            turn = iter(frozen[:count])
            return self.function(thaw)(x, y)

        for g, want in zip(got, differences(value, self.inputs), strict=True):
            size = max(1, np.abs(want).max())
            np.testing.assert_allclose(g / size, want / size, rtol=1e-4, atol=1e-6, err_msg="\n".join(self.lines))


SEEDS = seeds(programs("QUERN_GRADIENT_PROGRAMS", 75))


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("kind", ["real", "complex"])
@pytest.mark.parametrize("first", SEEDS[::5])
def test_random_programs(device, first, kind):
    with np.errstate(all="ignore"):
        for seed in range(first, min(first + 5, SEEDS.stop)):
            Program(seed, kind).check()


def test_random_programs_compiled(device):
    _engine.set_tier0_limit(0)
    try:
        for i in range(3):
            Program(i).check()
    finally:
        _engine.set_tier0_limit(_engine.tier0_limit)


FEATURES = {
    "a write in place": r"^v\d+ [-+*]= ",
    "a part written": r"(\.\.\.\]|\[0\]|\[::2\]|1:\]|\[::-1\]) \S*= ",
    "rows written": r"^v\d+\[\[",
    "rows picked": r"= [vxy]\d*\[\[",
    "a view": r"reshape|\.T|= [vxy]\d*\[[^\[]",
    "a detached array": r"detached",
    "a running sum": r"cumsum",
    "a join": r"concatenate",
    "a sum": r"\.sum",
    "a sort": r"sort",
}


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("kind", ["real", "complex"])
def test_what_programs_have(kind, capsys):
    features = Features(f"gradient programs, {kind}", FEATURES | ({"a part": r"\.real|\.imag|conj"} if kind == "complex" else {}))
    with np.errstate(all="ignore"):
        for seed in seeds(300):
            features.add("\n".join(Program(seed, kind).lines))
    features.check(capsys)
