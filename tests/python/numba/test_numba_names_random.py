"""Random programs whose names change their type or are None on some ways: kernels give what Python gives."""

import random

import numpy as np
import pytest
from features import Features
from kernels import module_of

PROGRAMS = 25
LIBRARY = [
    "def perhaps(v):\n    if v > 1:\n        return v\n",
    "def given(v):\n    return 5 if v is None else v + 3\n",
    "def tag(v):\n    return v * 2 + 1\n",
]


class Program:
    """A random function: `p` and `q` are numbers or None, `m` is a number and what loops count, `s` is a number, an array or a tuple."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        lines = ["m = 3", f"p = {self.any('None', '1')}", f"q = {self.any('None', '2', 'x')}", *self.block(0, False), *self.block(0, False)]
        lines += ["r[0] = acc + m", "r[1] = -1 if p is None else p", "r[2] = -1 if q is None else q"]
        self.text = "(x, a, r):\n    acc = 1\n    k = 0\n" + "".join(f"    {line}\n" for line in lines)

    def any(self, *choices):
        return self.random.choice(choices)

    def block(self, depth, in_loop):
        return [line for _ in range(self.random.randint(1, 3)) for line in self.statement(depth, in_loop)]

    def inside(self, head, depth, in_loop):
        return [head, *("    " + line for line in self.block(depth + 1, in_loop))]

    def statement(self, depth, in_loop):
        kind, v = self.random.random(), self.any("p", "q")
        if kind < 0.34 or depth > 3:
            return [f"{v} = {self.any('None', 'None', '1', 'x', 'x + 2', 'k', 'p', 'q', 'acc % 5', 'perhaps(acc % 4)')}"]
        if kind < 0.38:
            return [f"m = {self.any('1', 'x + 2', 'k', 'acc % 5')}", *self.any(["acc += m"], [])]
        if kind < 0.44:
            return [f"if {v} is None:", "    acc += 7", "else:", f"    acc += tag({v})"]
        if kind < 0.50:
            return [f"acc += 1 if {v} is None else {v}"]
        if kind < 0.56:
            return [f"{v} = {self.any('p', 'q')} if acc % 2 else None"]
        if kind < 0.62:
            return [f"acc += given({v})"]
        if kind < 0.70:
            return self.any(["s = a[x % 3:]", "acc += s.size"], ["s = x + 1", "acc += s"], ["s = (1, x)", "acc += s[1]"])
        if kind < 0.85:
            test = self.any("x > 1", "x > k", "k % 2 == 0", "acc % 3 == 1", f"{v} is None", f"{v} is not None and acc > 5")
            lines = self.inside(f"if {test}:", depth, in_loop)
            return lines + (self.inside("else:", depth, in_loop) if self.random.random() < 0.6 else [])
        if kind < 0.91:
            head, *body = self.inside(f"for j{depth} in range({self.any('2', '3', 'x')}):", depth, True)
            return [head, "    k += 1", *body]
        if kind < 0.97:
            return self.inside(f"for m in range({self.any('0', '2', 'x', 'k % 3')}):", depth, True)
        if in_loop:
            return self.any(["if acc % 2 == 0:", "    break"], ["if x > 1:", "    continue"])
        return self.any(["acc += 1"], ["r[0] = acc", "if acc > 9:", "    return"], ["r[1] = acc", f"if {v} is None:", "    return"])


# Of integers alone, and with floats, too: a name that gets one is another variable from there on, where no place sees both.
CHANGES = {"integers": {}, "floats": {"x + 2": "x * 0.5", "acc += 7": "acc += 7.5", " = 1": " = 0.5"}}


FEATURES = {
    "a branch": r"if ",
    "an else": r"else:",
    "a loop": r"for |while ",
    "None": r"= None",
    "a test for None": r"is None",
    "a call": r"(perhaps|given|tag)\(",
    "an early end of a loop": r"break|continue",
    "an early return": r"return",
}


def test_what_programs_have(capsys):
    features = Features("kernels whose names change", FEATURES)
    for seed in range(400):
        features.add(Program(seed).text)
    features.check(capsys)


@pytest.mark.parametrize("numbers", CHANGES)
@pytest.mark.parametrize("seed", range(4))
def test_kernels_do_what_python_does(device, tmp_path, seed, numbers):
    programs = [Program(1000 * seed + i) for i in range(PROGRAMS)]
    for program in programs:
        for old, new in CHANGES[numbers].items():
            program.text = program.text.replace(old, new)
    texts = [*LIBRARY, *(f"def kernel_{i}{p.text}" for i, p in enumerate(programs))]
    plain = module_of(tmp_path, "\n".join(texts))
    marks = ["@cuda.jit(device=True)\n"] * len(LIBRARY) + ["@cuda.jit\n"] * len(programs)
    compiled = module_of(tmp_path, "\n".join(mark + text for mark, text in zip(marks, texts, strict=True)))
    for i, program in enumerate(programs):
        for x in range(4):
            out, expected = np.zeros(3), np.zeros(3)
            getattr(plain, f"kernel_{i}")(x, np.arange(4.0), expected)
            getattr(compiled, f"kernel_{i}")[1, 1](x, np.arange(4.0), out)
            np.testing.assert_array_equal(out, expected, err_msg=program.text)
