"""Functions that call each other in circles, of two to four: compiled they give what Python gives."""

import importlib.util
import random

import numpy as np
import pytest
from quern.numba import cuda

CIRCLES = {
    "conditional expressions": """
def a(n): return 1 if n <= 0 else b(n - 1) + 1
def b(n): return 0 if n <= 0 else c(n - 1) * 2
def c(n): return 1 if n <= 0 else a(n - 1) + 3
""",
    "remainders": """
def a(n): return 0 if n == 0 else b(n - 1)
def b(n): return 1 if n == 0 else c(n - 1)
def c(n): return 2 if n == 0 else a(n - 1)
""",
    "four, of which two call two": """
def a(n):
    if n > 0:
        return b(n - 1)
    return 1
def b(n):
    if n > 0:
        return c(n - 1)
    return 2
def c(n):
    if n > 0:
        return d(n - 1) + a(n - 1)
    return 3
def d(n):
    if n > 0:
        return a(n - 1) + b(n - 1)
    return 4
""",
    "results in names": """
def a(n):
    r = b(n - 1) if n > 0 else 1
    return r
def b(n):
    total = 0
    for i in range(2):
        if n > i:
            total += c(n - 1 - i)
    return total
def c(n):
    if n <= 0:
        return 5
    r = a(n - 1)
    return r + 1
""",
    "types that meet": """
def a(n): return 1 if n <= 0 else b(n - 1) + 1
def b(n): return 0.5 if n <= 0 else c(n - 1) * 2
def c(n): return 1 if n <= 0 else a(n - 1) + 3
""",
}
PARSER = """
def expression(s, i):
    v, i = term(s, i)
    while i < len(s) and s[i] == 43:
        w, i = term(s, i + 1)
        v += w
    return v, i
def term(s, i):
    v, i = factor(s, i)
    while i < len(s) and s[i] == 42:
        w, i = factor(s, i + 1)
        v *= w
    return v, i
def factor(s, i):
    if s[i] == 40:
        v, i = expression(s, i + 1)
        return v, i + 1
    v = 0
    while i < len(s) and 48 <= s[i] <= 57:
        v = v * 10 + s[i] - 48
        i += 1
    return v, i
"""


def made(folder, text, decorator=""):
    """The module of a text, whose functions are compiled where ``decorator`` says by what."""
    head = "from quern.numba import cuda, njit\n"
    path = folder / f"circle_{abs(hash((text, decorator)))}.py"
    path.write_text(head + (text.replace("def ", f"{decorator}\ndef ") if decorator else text))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def results(module, names):
    return [getattr(module, name)(n) for name in names for n in range(9)]


@pytest.mark.parametrize("name", CIRCLES)
def test_circles(tmp_path, name):
    names = [n for n in "abcd" if f"def {n}(" in CIRCLES[name]]
    assert results(made(tmp_path, CIRCLES[name], "@njit"), names) == results(made(tmp_path, CIRCLES[name]), names)


@pytest.mark.parametrize("name", list(CIRCLES)[:2])
def test_circles_of_device_functions(tmp_path, device, name):
    module, plain = made(tmp_path, CIRCLES[name], "@cuda.jit(device=True)"), made(tmp_path, CIRCLES[name])
    a = module.a

    @cuda.jit
    def kernel(out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = a(i)

    out = cuda.to_device(np.zeros(9))
    kernel[1, 16](out)
    assert out.copy_to_host().tolist() == [plain.a(n) for n in range(9)]


def test_a_parser(tmp_path):
    compiled, plain = made(tmp_path, PARSER, "@njit"), made(tmp_path, PARSER)
    for text in (b"2+3*(4+5)*2+1", b"1", b"(7)", b"2*(3+4*(5+6))+(1+1)*(2+2)"):
        s = np.frombuffer(text, np.uint8).astype(np.int64)
        assert compiled.expression(s, 0) == plain.expression(s, 0)


def circle(seed):
    """The text of two to four functions of an integer that call each other."""
    draw = random.Random(seed)
    names = "abcd"[: draw.randint(2, 4)]
    text = ""
    for name in names:
        calls = [f"{draw.choice(names)}(n - {draw.randint(1, 2)})" for _ in range(draw.randint(1, 2))]
        sum_of = f" {draw.choice('+-')} ".join(calls) + f" + {draw.randint(-3, 3)}"
        end = draw.randint(-3, 3)
        text += {
            0: f"def {name}(n): return {end} if n <= 0 else {sum_of}\n",
            1: f"def {name}(n):\n    if n > 0:\n        return {sum_of}\n    return {end}\n",
            2: f"def {name}(n):\n    r = {end}\n    if n > 0:\n        r = {sum_of}\n    return r\n",
            3: f"def {name}(n):\n    r = {end}\n    for i in range(1):\n        if n > i:\n            r += {sum_of}\n    return r\n",
        }[draw.randint(0, 3)]
    return text, names


@pytest.mark.parametrize("seed", range(40))
def test_generated_circles(tmp_path, seed):
    text, names = circle(seed)
    assert results(made(tmp_path, text, "@njit"), names) == results(made(tmp_path, text), names), text
