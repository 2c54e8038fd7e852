"""Names of kernels that get numbers of several types: each assignment makes a variable of its own where no place sees two of them."""

import random

import numpy as np
import pytest
from kernels import module_of
from quern import cuda

BIG = 2**53 + 1  # no float64 is that


def arguments(out, n):
    out[0] = n % 10
    n = n * 0.5
    out[1] = n


def again(out, n):
    x = n + 0
    out[x % 4] = x % 10
    x = x / 4
    out[2] = x
    x = 3
    out[x] += x
    x = out[3] > 2
    out[0] += x


def in_branches(out, n):
    x = n
    if n > 1:
        x = n * 0.25
        out[1] = x
        x = 3
        out[x] = 7
    else:
        out[2] = 1
    x = n // 2
    out[0] = x % 1000


def in_loops(out, n):
    for k in range(4):
        t = k
        if t == 2:
            continue
        out[t] += 1
        t = t / 4
        if k == 1:
            t = 5
        out[2] += t
        t = 3
        out[t] += t


def seen_by_the_next_round(out, n):
    x = n % 5
    for _ in range(3):
        out[0] += x
        x = 0.5
        out[1] += x
        x = 3
    while x > 0.5:
        x = x / 2
        out[2] += x
    n -= 0.5
    n = int(n % 7)
    out[n % 4] += n


def written_out(out, n):
    for v in (1, 2.5, 3):
        t = v
        t = t * 2
        out[0] += t
        t = 1
        out[t] += 1
        for _ in range(2):
            n = n % 9
            n = n / 2
            out[2] += n
            n = 4


def chosen(out, n):
    x = 2
    out[x] = x if n > 3 else 0.5
    x = x if n > 3 else 0.5
    out[0] = x
    x = 1 if n > 3 else 2
    out[x] = x
    if n > 3:
        x = 0.5
        if n > 4:
            x = 2
        out[3] = x


@pytest.mark.parametrize("n", [BIG, 2, 1])
@pytest.mark.parametrize("options", [{}, {"debug": True, "opt": False}], ids=["plain", "debug"])
@pytest.mark.parametrize("function", [arguments, again, in_branches, in_loops, seen_by_the_next_round, written_out, chosen])
def test_numbers_of_other_types(device, function, options, n):
    out, wanted = np.zeros(4), np.zeros(4)
    cuda.jit(**options)(function)[1, 1](out, n)
    function(wanted, n)
    np.testing.assert_array_equal(out, wanted)


def test_they_are_printed_as_what_they_are(device, capfd):
    @cuda.jit
    def kernel():
        x = True
        print(x)
        x = 7
        print(x)
        x = 2**63
        print(x)
        x = 2.5
        print(x)

    kernel[1, 1]()
    cuda.synchronize()
    assert capfd.readouterr().out.split() == ["True", "7", "9223372036854775808", "2.500000"]


def test_device_functions_and_signatures(device):
    @cuda.jit(device=True)
    def scaled(n, by):
        n = n * by
        if n > 3:
            n = int(n)
        return n

    @cuda.jit("void(float64[:], int32, boolean, uint8)")
    def kernel(out, n, flag, small):
        out[0], out[1] = scaled(n, 0.25), scaled(n, 2.75)
        n = n / 2
        flag = flag + 2
        small = small - 0.5
        out[2], out[3], out[4] = n, flag, small

    out = np.zeros(5)
    kernel[1, 1](out, 5, True, 250)
    assert out.tolist() == [1.25, 13, 2.5, 3, 249.5]


# ---- programs at random


def expression(r, depth=0):
    k = r.random()
    if k < 0.3:
        return str(r.randrange(5))
    if k < 0.5:
        return str(r.choice([0.5, 1.5, 2.25]))
    if k < 0.8 or depth > 1:
        return r.choice("abcn")
    return f"({expression(r, depth + 1)} {r.choice('+-*')} {expression(r, depth + 1)})"


def block(r, depth, is_in_loop):
    lines = []

    def add(head, inner_is_in_loop):
        lines.append(head)
        lines.extend("    " + line for line in block(r, depth + 1, inner_is_in_loop))

    for _ in range(r.randrange(1, 5)):
        k, test = r.random(), f"{r.choice('abcn')} {r.choice('<>')} {r.randrange(4)}"
        if k < 0.45:
            lines.append(f"{r.choice('abcn')} = {expression(r)}")
        elif k < 0.55:
            lines.append(f"{r.choice('abc')} {r.choice('+-')}= {expression(r, 2)}")
        elif k < 0.72:
            lines.append(f"out[{r.randrange(6)}] += {expression(r)}")
        elif k < 0.86 and depth < 3:
            add(f"if {test}:", is_in_loop)
            if r.random() < 0.5:
                add("else:", is_in_loop)
        elif k < 0.94 and depth < 2:
            add(f"for _ in range({r.randrange(1, 4)}):", True)
        elif k < 0.96 and depth < 2:
            add(f"for {r.choice('abc')}{depth} in ({r.choice(['1, 2', '1, 0.5, 2', '0.25, 3'])}):", False)
        elif k < 0.98 and is_in_loop:
            lines += [f"if {test}:", f"    {r.choice(['break', 'continue'])}"]
        else:
            lines.append(f"{r.choice('abc')} = {expression(r)} if {test} else {expression(r)}")
    return lines


@pytest.mark.parametrize("part", range(4))
def test_programs(device, tmp_path, part):
    texts = []
    for seed in range(40 * part, 40 * part + 40):
        r = random.Random(seed)
        lines = [f"{name} = {r.choice(['1', '0.5', '2'])}" for name in "abc"] + block(r, 0, False) + block(r, 0, False)
        lines += ["out[6], out[7], out[8] = a, b, c"]
        texts.append(f"def program_{seed}(out, n):\n" + "".join(f"    {line}\n" for line in lines))
    module = module_of(tmp_path, "\n\n".join(texts))
    for text, (name, program) in zip(texts, [(n, f) for n, f in vars(module).items() if n.startswith("program_")], strict=True):
        out, wanted = np.zeros(9), [0] * 9
        program(wanted, 3)
        if max(map(abs, wanted)) < 1e12:
            cuda.jit(program)[1, 1](out, 3)
            np.testing.assert_allclose(out, wanted, rtol=1e-12, err_msg=f"{name}\n{text}")
