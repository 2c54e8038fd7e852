"""CUDA's vector types in kernels: made of numbers and of one another, read by their parts."""

import itertools

import numpy as np
import pytest
from kernels import module_of
from quern import cuda
from quern.kernel import types
from quern.kernel.errors import KernelError

BASES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64")


def splits(count):
    """All ways to write `count` as a sum of parts from 1 up."""
    for n in range(1, count + 1):
        yield from (p for p in itertools.product(range(1, count + 1), repeat=n) if sum(p) == count)


@pytest.mark.parametrize("base", BASES)
def test_made_of_numbers_and_vectors(device, tmp_path, base):
    lines, wanted = ["@cuda.jit\ndef kernel(x, out):"], []
    for count in (1, 2, 3, 4):
        for parts in splits(count):
            for of_vectors in {False, True} if 1 in parts else {False}:
                made, at = [], 0
                for n in parts:
                    numbers = ", ".join(f"x[{at + i}]" for i in range(n))
                    made.append(numbers if n == 1 and not of_vectors else f"cuda.{base}x{n}({numbers})")
                    at += n
                lines.append(f"    v{len(wanted)} = cuda.{base}x{count}({', '.join(made)})")
                for i in range(count):
                    lines.append(f"    out[{len(wanted)}, {i}] = v{len(wanted)}.{'xyzw'[i]}")
                wanted.append(list(range(3, 3 + count)) + [0] * (4 - count))
    out = np.zeros((len(wanted), 4), base)
    module_of(tmp_path, "\n".join(lines)).kernel[1, 1](np.arange(3, 7).astype(base), out)
    assert out.tolist() == wanted


def test_numbers_convert(device, tmp_path):
    text = """
@cuda.jit
def kernel(n, out):
    a = cuda.float4(1, 2.5, n[0], True)
    b = cuda.uchar2(257, -1)
    c = cuda.int3(2.75, a.y, a.z)
    out[0], out[1], out[2], out[3] = a.x, a.y, a.z, a.w
    out[4], out[5] = b.x, b.y
    out[6], out[7], out[8] = c.x, c.y, c.z
"""
    out = np.zeros(9)
    module_of(tmp_path, text).kernel[1, 1](np.array([7], np.int16), out)
    assert out.tolist() == [1.0, 2.5, 7.0, 1.0, 1.0, 255.0, 2.0, 2.0, 7.0]


def test_variables_functions_and_choice(device, tmp_path):
    text = """
@cuda.jit(device=True)
def add(a, b):
    return cuda.float3(a.x + b.x, a.y + b.y, a.z + b.z)
@cuda.jit(device=True)
def dot(a, b):
    return a.x * b.x + a.y * b.y + a.z * b.z
@cuda.jit
def kernel(x, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        total = cuda.float3(0, 0, 0)
        p = cuda.float3(x[i, 0], x[i, 1], x[i, 2])
        for _ in range(3):
            total = add(total, p)
        other = total if i % 2 else p
        pair = (other, i)
        copy = cuda.float32x3(pair[0])
        out[i] = dot(copy, p)
"""
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    out = np.zeros(4, np.float32)
    module_of(tmp_path, text).kernel[1, 32](x, out)
    assert out.tolist() == [float((r * r).sum() * (3 if i % 2 else 1)) for i, r in enumerate(x)]


def test_names():
    assert cuda.float4 is cuda.float32x4 and cuda.double2 is cuda.float64x2 and cuda.uint3 is cuda.uint32x3
    assert cuda.long4 is cuda.longlong4 is cuda.int64x4 and cuda.ulong1 is cuda.ulonglong1 is cuda.uint64x1
    assert cuda.char2 is cuda.int8x2 and cuda.uchar3 is cuda.uint8x3 and cuda.short1 is cuda.int16x1 and cuda.ushort4 is cuda.uint16x4
    assert len(types.VECTORS) == 40 and len(types.VECTOR_ALIASES) == 48
    assert str(cuda.float4(cuda.float4)) == "(float32x4,) -> float32x4"
    with pytest.raises(RuntimeError, match="inside of a kernel"):
        cuda.float4(1, 2, 3, 4)


def test_a_signature_names_vectors(device):
    scaled = cuda.jit("float4(float4, float32)", device=True)(lambda v, s: cuda.float4(v.x * s, v.y * s, v.z * s, v.w * s))

    @cuda.jit
    def kernel(out):
        v = scaled(cuda.float4(1, 2, 3, 4), 0.1)
        out[0], out[1], out[2], out[3] = v.x, v.y, v.z, v.w

    out = np.zeros(4)
    kernel[1, 1](out)
    assert out.tolist() == (np.arange(1, 5, dtype=np.float32) * np.float32(0.1)).tolist()


@pytest.mark.parametrize(
    "line, message",
    [
        ("cuda.float4(1, 2)", "has 4 parts, and 2 are given"),
        ("cuda.float2(cuda.float4(1, 2, 3, 4))", "has 2 parts, and 4 are given"),
        ("cuda.float4(cuda.int2(1, 2), 3, 4)", "is not made of int32x2"),
        ("cuda.float2(1j, 2)", "take its .real"),
        ("cuda.float2(x, 2)", "a number or a shorter vector is needed"),
        ("cuda.float2(1, 2).z", "has no attribute 'z'"),
        ("cuda.float2(1, 2) + 1", "unsupported operand types for \\+: float32x2 and int64"),
        ("x[0]; v = cuda.float2(1, 2); v.x = 3", "is not supported in a kernel"),
    ],
)
def test_errors(device, tmp_path, line, message):
    with pytest.raises(KernelError, match=message):
        module_of(tmp_path, f"@cuda.jit\ndef kernel(x):\n    a = {line}\n").kernel[1, 1](np.zeros(2))
