"""The alias fuzzer: random programs of views, in-place updates, reads and memory shared with NumPy, run with NumPy and with quern.

Every value is compared bit for bit after each read and at the end. QUERN_ALIAS_PROGRAMS=N runs N programs of each kind;
a failure prints the program, and its seed goes to `run_program` to run it again.
"""

import random

import numpy as np
import pytest
import quern as qn
from features import Features
from long_runs import programs, seeds
from quern.lib import _engine


class Program:
    """One random program: pairs of a NumPy array and ours that must stay equal."""

    def __init__(self, seed, shares=False):
        self.rng = random.Random(seed)
        self.shares = shares
        self.pairs, self.log = [], []
        self.seen = []  # pairs of a NumPy array and one over the memory of ours
        for _ in range(self.rng.randint(1, 3)):
            self.new()

    def pick(self):
        return self.rng.choice(self.pairs)

    def add(self, theirs, ours, text):
        self.log.append(f"x{len(self.pairs)} = {text}")
        self.pairs.append((theirs, ours, len(self.pairs)))

    def new(self):
        shape = self.rng.choice([(), (1,), (7,), (4, 5), (3, 1), (2, 3, 4), (0, 3), (6, 6)])
        dtype = self.rng.choice(["float64", "float64", "int32", "complex64"])
        count = int(np.prod(shape))
        values = (np.arange(count) * 7 % 11 - 3).reshape(shape).astype(dtype)
        self.add(values, qn.asarray(values), f"asarray(values({shape}, {dtype}))")

    def index(self, shape):
        key = []
        for n in shape:
            kind = self.rng.random()
            if kind < 0.15 and n > 0:
                key.append(self.rng.randrange(-n, n))
            elif kind < 0.75:
                ends = [None, *range(-n - 1, n + 2)]
                key.append(slice(self.rng.choice(ends), self.rng.choice(ends), self.rng.choice([None, 1, 2, -1, -2, 3])))
            elif kind < 0.8:
                key.append(None)
                key.append(slice(None))
            else:
                key.append(slice(None))
        return tuple(key) + ((...,) if self.rng.random() < 0.2 else ())

    def view(self):
        a, x, name = self.pick()
        kind = self.rng.randrange(5)
        if kind == 0 and a.ndim > 1:
            axes = self.rng.sample(range(a.ndim), a.ndim)
            self.add(a.transpose(axes), x.transpose(axes), f"x{name}.transpose({axes})")
        elif kind == 1 and a.size:
            # A view or a copy: NumPy says which, and ours must agree.
            self.add(a.reshape(-1), x.reshape(-1), f"x{name}.reshape(-1)")
        elif kind == 2 and a.dtype.kind == "c":
            part = self.rng.choice(["real", "imag"])
            self.add(getattr(a, part), getattr(x, part), f"x{name}.{part}")
        else:
            key = self.index(a.shape)
            theirs = a[key]
            if isinstance(theirs, np.ndarray):
                self.add(theirs, x[key], f"x{name}[{key}]")

    def operand(self, shape, dtype):
        """A value that broadcasts to `shape`."""
        fitting = []
        for a, x, name in self.pairs:
            try:
                fits = np.broadcast_shapes(a.shape, shape) == shape and np.can_cast(a.dtype, dtype, "same_kind")
            except ValueError:
                fits = False
            if fits:
                fitting.append((a, x, f"x{name}"))
        if not fitting or self.rng.random() < 0.2:
            number = self.rng.randrange(-3, 4)
            return number, number, str(number)
        a, x, text = self.rng.choice(fitting)
        kind = self.rng.random()
        if kind < 0.3:
            return a + 1, x + 1, f"({text} + 1)"
        if kind < 0.5 and a.shape:
            return a[::-1], x[::-1], f"{text}[::-1]"
        return a, x, text

    def compute(self):
        a, x, name = self.pick()
        b, y, text = self.operand(a.shape, np.complex128)
        op = self.rng.choice("+-*")
        with np.errstate(all="ignore"):
            theirs = eval(f"a {op} b")
        if isinstance(theirs, np.ndarray) or np.isscalar(theirs):
            # A number becomes an array, as NumPy's: numbers themselves are values.
            self.add(np.asarray(theirs), eval(f"x {op} y")[...], f"(x{name} {op} {text})[...]")

    def update(self):
        a, x, name = self.pick()
        b, y, text = self.operand(a.shape, a.dtype)
        kind = self.rng.randrange(4)
        with np.errstate(all="ignore"):
            if kind == 0:
                a[...] = np.array(b)  # NumPy 2.4 copies no overlapping operand of one dimension by itself: v[1:5] = v[0:8:2]
                x[...] = y
                self.log.append(f"x{name}[...] = {text}")
            elif kind == 1:
                a += b
                x += y
                self.log.append(f"x{name} += {text}")
            elif kind == 2 and a.ndim:
                key = self.index(a.shape)
                a[key] = 5
                x[key] = 5
                self.log.append(f"x{name}[{key}] = 5")
            elif a.ndim and a.shape[0] > 1:
                # Overlapping views of the same memory.
                a[1:] += a[:-1]
                x[1:] += x[:-1]
                self.log.append(f"x{name}[1:] += x{name}[:-1]")

    def reduce(self):
        a, x, name = self.pick()
        if a.dtype.kind == "c" or (a.ndim and 0 in a.shape):
            return
        axis = self.rng.choice([None, *range(a.ndim)])
        self.add(np.asarray(a.max(axis)), x.max(axis)[...], f"x{name}.max({axis})[...]")

    def escape(self):
        a, x, name = self.pick()
        if x._device_number >= 0:
            return
        how = self.rng.choice(["memoryview", "dlpack"])
        view = np.asarray(memoryview(x)) if how == "memoryview" else np.from_dlpack(x)
        self.log.append(f"n{len(self.seen)} = {how} of x{name}")
        self.seen.append((a, view))

    def invite(self):
        """Arrays of ours over the same memory of NumPy's."""
        if _engine.current_device().kind != "cpu":
            return
        host = np.arange(24.0).reshape(4, 6) % 5
        mirror = host.copy()
        self.log.append(f"n{len(self.seen)} = NumPy's 4 x 6")
        self.seen.append((mirror, host))
        for key in (np.s_[:], np.s_[::-1], self.index((4, 6))):
            theirs = mirror[key]
            if isinstance(theirs, np.ndarray):
                self.add(theirs, qn.from_dlpack(host[key]), f"from_dlpack(n{len(self.seen) - 1}[{key}])")

    def meddle(self):
        """NumPy writes to memory that it shares with us, or reads it, or lets go of it."""
        if not self.seen:
            return
        number = self.rng.randrange(len(self.seen))
        a, n = self.seen[number]
        if n is None:
            return
        kind = self.rng.random()
        if kind < 0.1:
            self.log.append(f"del n{number}")
            self.seen[number] = (a, None)
        elif kind < 0.5:
            key = self.index(a.shape)
            value = self.rng.randrange(9)
            a[key] = value
            n[key] = value
            self.log.append(f"n{number}[{key}] = {value}")
        else:
            self.log.append(f"look at n{number}")
            if not np.array_equal(a, n):
                raise AssertionError(f"n{number} is\n{n!r}, not\n{a!r}, in\n" + "\n".join(self.log))

    def look(self):
        a, x, name = self.pick()
        self.log.append(f"look at x{name}")
        self.compare(a, x, name)

    def compare(self, a, x, name):
        got = qn.asnumpy(x)
        if got.dtype != a.dtype or got.shape != a.shape or not np.array_equal(got, a):
            raise AssertionError(f"x{name} is\n{got!r}, not\n{a!r}, in\n" + "\n".join(self.log))

    def run(self):
        steps = [self.view, self.view, self.compute, self.update, self.update, self.reduce, self.look, self.new]
        weights = [4, 2, 3, 4, 3, 1, 1, 1]
        if self.shares:
            steps += [self.escape, self.invite, self.meddle]
            weights += [2, 1, 4]
        for _ in range(self.rng.randint(3, 20)):
            self.rng.choices(steps, weights)[0]()
        for pair in self.pairs:
            self.compare(*pair)
        for number, (a, n) in enumerate(self.seen):
            if n is not None and not np.array_equal(a, n):
                raise AssertionError(f"n{number} is\n{n!r}, not\n{a!r}, in\n" + "\n".join(self.log))


def run_program(seed, shares=False):
    try:
        Program(seed, shares).run()
    except AssertionError:
        raise
    except Exception as e:
        raise AssertionError(f"seed {seed}: {e!r}") from e


# A GPU has no tier 0: every new kind of group is compiled, which is slow to test.
COUNTS = {"tiny": 5_000, "mixed": 250, "compiled": 150} if _engine.default_device().kind == "cpu" else {"compiled": 100}


@pytest.mark.parametrize("tier", COUNTS)
def test_programs_agree_with_numpy(tier):
    _engine.set_tier0_limit({"tiny": _engine.tier0_limit, "mixed": 6, "compiled": 0}[tier])
    try:
        for seed in seeds(programs("QUERN_ALIAS_PROGRAMS", COUNTS[tier])):
            run_program(seed)
    finally:
        _engine.set_tier0_limit(_engine.tier0_limit)


SHARING = {"tiny": 5_000, "mixed": 200, "compiled": 100}


@pytest.mark.parametrize("tier", SHARING)
def test_programs_that_share_memory_with_numpy(tier):
    from quern.device import set_current_device

    set_current_device(_engine.cpu())
    _engine.set_tier0_limit({"tiny": _engine.tier0_limit, "mixed": 6, "compiled": 0}[tier])
    try:
        for seed in seeds(programs("QUERN_ALIAS_PROGRAMS", SHARING[tier])):
            run_program(seed, shares=True)
    finally:
        _engine.set_tier0_limit(_engine.tier0_limit)
        set_current_device(None)


FEATURES = {
    "a slice": r"slice\(",
    "a negative step": r", -\d\)",
    "a reshape": r"reshape",
    "a transpose": r"\.T|transpose",
    "a real or imaginary part": r"\.(real|imag)",
    "a part written": r"^x\d+\[\(.*\] =",
    "all written": r"^x\d+\[\.\.\.\] =",
    "a sum in place": r" \+= x",
    "an overlap": r"\[1:\] \+=",
    "a reduction": r"sum|max",
    "memory that NumPy sees": r"memoryview|dlpack of",
    "memory of NumPy's": r"NumPy's",
    "no elements": r"\(0, 3\)",
    "no axes": r"values\(\(\), ",
}


@pytest.mark.skipif("tiny" not in COUNTS, reason="the same programs on the CPU, where they need not be compiled")
def test_what_programs_have(capsys):
    features = Features("programs of views", FEATURES)
    for seed in seeds(400):
        program = Program(seed, shares=True)
        program.run()
        features.add("\n".join(program.log))
    features.check(capsys)
