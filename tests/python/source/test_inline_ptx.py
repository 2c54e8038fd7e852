"""Inline PTX: every row of the CPU's table against Python's own arithmetic; the same tests tell on a GPU whether the hardware agrees."""

from fractions import Fraction

import numpy as np
import pytest
from quern.pycuda import driver as drv
from quern.pycuda.compiler import SourceModule

LETTERS = {"u16": "h", "s16": "h", "u32": "r", "s32": "r", "u64": "l", "s64": "l", "f32": "f", "f64": "d", "h16": "h"}
C_TYPES = {
    "u16": "unsigned short",
    "s16": "short",
    "u32": "unsigned int",
    "s32": "int",
    "u64": "unsigned long long",
    "s64": "long long",
    "f32": "float",
    "f64": "double",
    "h16": "unsigned short",
}
DTYPES = {
    "u16": np.uint16,
    "s16": np.int16,
    "u32": np.uint32,
    "s32": np.int32,
    "u64": np.uint64,
    "s64": np.int64,
    "f32": np.float32,
    "f64": np.float64,
    "h16": np.float16,
}
N = 64  # values of each type
PREDICATE = "{{ .reg .pred p; {} selp.u32 %0, 1, 0, p; }}"


def values(kind, seed):
    """Numbers with all kinds of corners among them, in an order of the seed's."""
    random = np.random.default_rng(seed)
    dtype = DTYPES[kind]
    if kind[0] in "us":
        limits = np.iinfo(dtype)
        corners = [0, 1, 2, 3, 31, 32, 33, 63, 64, limits.max, limits.max - 1, limits.max // 3]
        corners += [limits.min, limits.min + 1, -1, -2, -77] if kind[0] == "s" else [limits.max // 2, limits.max // 2 + 1]
        rest = random.integers(limits.min, limits.max, N - len(corners), dtype=dtype, endpoint=True)
        rest >>= random.integers(0, 8 * rest.itemsize - 1, len(rest)).astype(dtype)
        out = np.concatenate([np.array(corners, dtype), rest])
    else:
        corners = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, np.inf, -np.inf, np.nan, 3e9, -3e9, 1e-3, 255.5, 300.0]
        with np.errstate(over="ignore"):
            rest = random.normal(0, 1, N - len(corners)) * 10.0 ** random.integers(-3, 4, N - len(corners))
            out = np.concatenate([np.array(corners), rest]).astype(dtype)
    return out[random.permutation(N)]


def run_rows(device, rows):
    """`rows`: (PTX, result's type, operands' types, reference, tolerance). %0 is the result."""
    kinds = sorted({(kind, place) for _, _, operands, _, *_ in rows for place, kind in enumerate(operands)})
    inputs = {key: values(key[0], 7 * key[1] + 1) for key in kinds}
    body = ""
    for number, (text, result, operands, *_) in enumerate(rows):
        given = ", ".join(f'"{LETTERS[kind]}"({kind}_{place}[i])' for place, kind in enumerate(operands))
        body += f'  {{ {C_TYPES[result]} r; asm volatile("{text}" : "={LETTERS[result]}"(r) : {given});\n'
        body += f"    *({C_TYPES[result]}*)(out + {number} * {N} + i) = r; }}\n"
    parameters = "".join(f", const {C_TYPES[kind]}* {kind}_{place}" for kind, place in kinds)
    source = f"__global__ void f(unsigned long long* out{parameters}) {{\n  int i = threadIdx.x;\n{body}}}"
    out = np.zeros((len(rows), N), np.uint64)
    arguments = [drv.In(inputs[key]) for key in kinds]
    SourceModule(source).get_function("f")(drv.Out(out), *arguments, block=(N, 1, 1))
    for number, (text, result, operands, reference, *tolerance) in enumerate(rows):
        got = out[number].view(DTYPES[result]).reshape(N, -1)[:, 0]
        columns = [inputs[kind, place] for place, kind in enumerate(operands)]
        for i, given in enumerate(zip(*columns, strict=True)):
            with np.errstate(all="ignore"):
                words = [x if isinstance(x, np.floating) else int(x) for x in given]
                want = reference(*words)
            if want is None:
                continue  # not defined
            if result[0] in "us":
                want = np.array([int(want) & (2 ** (8 * got.itemsize) - 1)], np.uint64).astype(f"u{got.itemsize}").view(got.dtype)[0]
                assert got[i] == want, (text, given, got[i], want)
            elif tolerance:
                assert np.isclose(got[i], want, rtol=tolerance[0], atol=tolerance[0], equal_nan=True), (text, given, got[i], want)
            else:
                with np.errstate(all="ignore"):
                    want = DTYPES[result](want)
                same = got[i] == want and np.signbit(got[i]) == np.signbit(want)
                assert same or (np.isnan(got[i]) and np.isnan(want)), (text, given, got[i], want)


def bits_of(kind):
    return 16 if kind == "h16" else int(kind[1:])


def quotient(a, b):
    return None if b == 0 else (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)


def integer_rows(kind):
    bits, low = bits_of(kind), -(2 ** (bits_of(kind) - 1))
    rows = [
        (f"add.{kind} %0, %1, %2;", kind, [kind, kind], lambda a, b: a + b),
        (f"sub.{kind} %0, %1, %2;", kind, [kind, kind], lambda a, b: a - b),
        (f"mul.lo.{kind} %0, %1, %2;", kind, [kind, kind], lambda a, b: a * b),
        (f"mul.hi.{kind} %0, %1, %2;", kind, [kind, kind], lambda a, b: a * b >> bits),
        (f"mad.lo.{kind} %0, %1, %2, %3;", kind, [kind] * 3, lambda a, b, c: a * b + c),
        (f"mad.hi.{kind} %0, %1, %2, %3;", kind, [kind] * 3, lambda a, b, c: (a * b >> bits) + c),
        (f"div.{kind} %0, %1, %2;", kind, [kind, kind], lambda a, b: None if a == low and b == -1 else quotient(a, b)),
        (f"rem.{kind} %0, %1, %2;", kind, [kind, kind], lambda a, b: None if b == 0 or b == -1 else a - b * quotient(a, b)),
        (f"min.{kind} %0, %1, %2;", kind, [kind, kind], min),
        (f"max.{kind} %0, %1, %2;", kind, [kind, kind], max),
        (f"sad.{kind} %0, %1, %2, %3;", kind, [kind] * 3, lambda a, b, c: abs(a - b) + c),
        (f"shr.{kind} %0, %1, %2;", kind, [kind, "u32"], lambda a, b: a >> min(b, bits)),
        (f"slct.{kind}.s32 %0, %1, %2, %3;", kind, [kind, kind, "s32"], lambda a, b, c: a if c >= 0 else b),
    ]
    if kind[0] == "s":
        rows += [
            (f"neg.{kind} %0, %1;", kind, [kind], lambda a: -a),
            (f"abs.{kind} %0, %1;", kind, [kind], lambda a: None if a == low else abs(a)),
        ]
    if bits < 64:
        wide = f"{kind[0]}{2 * bits}"
        rows += [
            (f"mul.wide.{kind} %0, %1, %2;", wide, [kind, kind], lambda a, b: a * b),
            (f"mad.wide.{kind} %0, %1, %2, %3;", wide, [kind, kind, wide], lambda a, b, c: a * b + c),
        ]
    compare = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
    if kind[0] == "u":
        compare |= {"lo": "<", "ls": "<=", "hi": ">", "hs": ">="}
    for name, sign in compare.items():
        reference = eval(f"lambda a, b: a {sign} b")
        rows.append((PREDICATE.format(f"setp.{name}.{kind} p, %1, %2;"), "u32", [kind, kind], reference))
    return rows


@pytest.mark.parametrize("kind", ["u16", "s16", "u32", "s32", "u64", "s64"])
def test_integers(device, kind):
    run_rows(device, integer_rows(kind))


def carried(kind):
    """Sums and products of two words by way of the carry: the high word."""
    bits = bits_of(kind)
    word = f".reg .{kind} low, high; "
    return [
        (f"{{ {word} add.cc.{kind} low, %1, %2; addc.{kind} %0, %1, %3; }}", kind, [kind] * 3, lambda a, b, c: ((a + b) >> bits) + a + c),
        (f"{{ {word} sub.cc.{kind} low, %1, %2; subc.{kind} %0, %1, %3; }}", kind, [kind] * 3, lambda a, b, c: a - c - (a < b)),
        (
            f"{{ {word} add.cc.{kind} low, %1, %2; addc.cc.{kind} high, %3, %2; addc.{kind} %0, 0, 0; }}",
            kind,
            [kind] * 3,
            lambda a, b, c: (((a + b) >> bits) + c + b) >> bits,
        ),
        (
            f"{{ {word} sub.cc.{kind} low, %1, %2; subc.cc.{kind} high, %3, %2; subc.{kind} %0, 0, 0; }}",
            kind,
            [kind] * 3,
            lambda a, b, c: -(c < b + (a < b)),
        ),
        (
            f"{{ {word} mad.lo.cc.{kind} low, %1, %2, %3; madc.hi.{kind} %0, %1, %2, 0; }}",
            kind,
            [kind] * 3,
            lambda a, b, c: (a * b + c) >> bits,
        ),
        (
            f"{{ {word} mad.hi.cc.{kind} low, %1, %2, %3; madc.lo.cc.{kind} high, %1, %2, %3; madc.hi.cc.{kind} %0, %1, %2, %3; }}",
            kind,
            [kind] * 3,
            lambda a, b, c: (a * b >> bits) + c + (((((a * b >> bits) + c) >> bits) + a * b % 2**bits + c) >> bits),
        ),
        (
            f"{{ {word} add.cc.{kind} low, %1, %2; madc.lo.{kind} %0, %1, %2, %3; }}",
            kind,
            [kind] * 3,
            lambda a, b, c: a * b + c + ((a + b) >> bits),
        ),
    ]


@pytest.mark.parametrize("kind", ["u32", "u64"])
def test_carries(device, kind):
    run_rows(device, carried(kind))


def highest(a, bits):
    return (~a if a < 0 else a).bit_length() - 1


def field(a, place, length, bits, is_signed):
    if bits == 64 and max(place, length) > 255:
        return None  # GPUs have it in several instructions, which look at all bits of these
    place, length = place & 255, length & 255
    if length == 0:
        return 0
    value = (a >> place) & (2**length - 1)
    if is_signed and (a >> min(place + length - 1, bits - 1)) & 1:
        value |= -(2 ** min(length, bits))
    return value


def put(a, b, place, length, bits):
    if bits == 64 and max(place, length) > 255:
        return None  # GPUs have it in two instructions, which look at all bits of these
    place, length = place & 255, length & 255
    mask = ((2**length - 1) << place) & (2**bits - 1)
    return (b & ~mask) | ((a << place) & mask)


def bytes_by(a, b, selector):
    both, out = (b << 32) | a, 0
    for i in range(4):
        choice = selector >> 4 * i & 15
        byte = both >> 8 * (choice & 7) & 255
        if choice & 8:
            byte = 255 if byte & 128 else 0
        out |= byte << 8 * i
    return out


def by_mode(choose):
    return lambda a, b, c: bytes_by(a, b, sum((choose(k, c & 3) & 7) << 4 * k for k in range(4)))


def by_table(table):
    def reference(a, b, c):
        out = 0
        for i in range(8):
            if table >> i & 1:
                out |= (a if i & 4 else ~a) & (b if i & 2 else ~b) & (c if i & 1 else ~c)
        return out

    return reference


def word_rows():
    """Shifts, permutations and products of words of 32 bits."""
    u32, u64 = "u32", "u64"
    both = [u32] * 3
    return [
        ("shf.l.wrap.b32 %0, %1, %2, %3;", u32, both, lambda a, b, c: ((b << 32 | a) << (c & 31)) >> 32),
        ("shf.l.clamp.b32 %0, %1, %2, %3;", u32, both, lambda a, b, c: ((b << 32 | a) << min(c, 32)) >> 32),
        ("shf.r.wrap.b32 %0, %1, %2, %3;", u32, both, lambda a, b, c: (b << 32 | a) >> (c & 31)),
        ("shf.r.clamp.b32 %0, %1, %2, %3;", u32, both, lambda a, b, c: (b << 32 | a) >> min(c, 32)),
        ("bmsk.clamp.b32 %0, %1, %2;", u32, [u32] * 2, lambda a, b: ((1 << min(b, 32)) - 1) << a if a < 32 else 0),
        ("bmsk.wrap.b32 %0, %1, %2;", u32, [u32] * 2, lambda a, b: ((1 << (b & 31)) - 1) << (a & 31)),
        ("prmt.b32 %0, %1, %2, %3;", u32, both, bytes_by),
        ("prmt.b32 %0, %1, 0, 0x0123;", u32, [u32], lambda a: int.from_bytes(a.to_bytes(4, "little"), "big")),
        ("prmt.b32.f4e %0, %1, %2, %3;", u32, both, by_mode(lambda k, c: c + k)),
        ("prmt.b32.b4e %0, %1, %2, %3;", u32, both, by_mode(lambda k, c: c - k)),
        ("prmt.b32.rc8 %0, %1, %2, %3;", u32, both, by_mode(lambda k, c: c)),
        ("prmt.b32.ecl %0, %1, %2, %3;", u32, both, by_mode(lambda k, c: max(k, c))),
        ("prmt.b32.ecr %0, %1, %2, %3;", u32, both, by_mode(lambda k, c: min(k, c))),
        ("prmt.b32.rc16 %0, %1, %2, %3;", u32, both, by_mode(lambda k, c: 2 * (c & 1) + (k & 1))),
        ("mov.b64 %0, {%1, %2};", u64, [u32, u32], lambda a, b: b << 32 | a),
        ("{ .reg .u32 low; mov.b64 {low, %0}, %1; }", u32, [u64], lambda a: a >> 32),
        ("{ .reg .u32 high; mov.b64 {%0, high}, %1; }", u32, [u64], lambda a: a),
        ("{ .reg .b16 a, b; mov.b32 {a, b}, %1; mov.b32 %0, {b, a}; }", u32, [u32], lambda a: a << 16 | a >> 16),
        ("mul24.lo.u32 %0, %1, %2;", u32, [u32, u32], lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF)),
        ("mul24.hi.u32 %0, %1, %2;", u32, [u32, u32], lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF) >> 16),
        ("mad24.lo.u32 %0, %1, %2, %3;", u32, both, lambda a, b, c: (a & 0xFFFFFF) * (b & 0xFFFFFF) + c),
        ("mul24.lo.s32 %0, %1, %2;", "s32", ["s32"] * 2, lambda a, b: low24(a) * low24(b)),
        ("mul24.hi.s32 %0, %1, %2;", "s32", ["s32"] * 2, lambda a, b: low24(a) * low24(b) >> 16),
        ("mad24.lo.s32 %0, %1, %2, %3;", "s32", ["s32"] * 3, lambda a, b, c: low24(a) * low24(b) + c),
        ("add.sat.s32 %0, %1, %2;", "s32", ["s32"] * 2, lambda a, b: max(-(2**31), min(2**31 - 1, a + b))),
        ("sub.sat.s32 %0, %1, %2;", "s32", ["s32"] * 2, lambda a, b: max(-(2**31), min(2**31 - 1, a - b))),
        ("dp4a.u32.u32 %0, %1, %2, %3;", u32, both, lambda a, b, c: c + sum((a >> i & 255) * (b >> i & 255) for i in (0, 8, 16, 24))),
        ("dp4a.s32.s32 %0, %1, %2, %3;", "s32", ["s32"] * 3, lambda a, b, c: c + sum(byte(a >> i) * byte(b >> i) for i in (0, 8, 16, 24))),
    ]


def bit_rows():
    u32 = "u32"
    rows = []
    for kind, name in (("u16", "b16"), ("u32", "b32"), ("u64", "b64")):
        bits = bits_of(kind)
        rows += [
            (f"and.{name} %0, %1, %2;", kind, [kind, kind], lambda a, b: a & b),
            (f"or.{name} %0, %1, %2;", kind, [kind, kind], lambda a, b: a | b),
            (f"xor.{name} %0, %1, %2;", kind, [kind, kind], lambda a, b: a ^ b),
            (f"not.{name} %0, %1;", kind, [kind], lambda a: ~a),
            (f"cnot.{name} %0, %1;", kind, [kind], lambda a: a == 0),
            (f"shl.{name} %0, %1, %2;", kind, [kind, u32], lambda a, b, bits=bits: a << min(b, bits)),
            (f"shr.{name} %0, %1, %2;", kind, [kind, u32], lambda a, b, bits=bits: a >> min(b, bits)),
            (f"mov.{name} %0, %1;", kind, [kind], lambda a: a),
        ]
    for kind in ("u32", "u64"):
        bits, name = bits_of(kind), f"b{bits_of(kind)}"
        rows += [
            (f"popc.{name} %0, %1;", u32, [kind], lambda a: a.bit_count() if hasattr(a, "bit_count") else bin(a).count("1")),
            (f"clz.{name} %0, %1;", u32, [kind], lambda a, bits=bits: bits - a.bit_length()),
            (f"brev.{name} %0, %1;", kind, [kind], lambda a, bits=bits: int(f"{a:0{bits}b}"[::-1], 2)),
            (f"bfi.{name} %0, %1, %2, %3, %4;", kind, [kind, kind, u32, u32], lambda *x, bits=bits: put(*x, bits)),
        ]
    for kind in ("u32", "s32", "u64", "s64"):
        bits, is_signed = bits_of(kind), kind[0] == "s"
        rows += [
            (f"bfind.{kind} %0, %1;", u32, [kind], lambda a, bits=bits: highest(a, bits)),
            (f"bfind.shiftamt.{kind} %0, %1;", u32, [kind], lambda a, bits=bits: -1 if highest(a, bits) < 0 else bits - 1 - highest(a, bits)),
            (f"bfe.{kind} %0, %1, %2, %3;", kind, [kind, u32, u32], lambda *x, b=bits, s=is_signed: field(*x, b, s)),
        ]
    for table in (0x80, 0xFE, 0x96, 0xE8, 0xCA, 0x1B):
        rows.append((f"lop3.b32 %0, %1, %2, %3, {table:#x};", u32, [u32] * 3, by_table(table)))
    return rows + word_rows()


def low24(a):
    a &= 0xFFFFFF
    return a - (a >> 23 << 24)


def byte(a):
    return (a & 255) - 256 if a & 128 else a & 255


def test_bits(device):
    run_rows(device, bit_rows())


# ---- floating point


def step(value, exact, mode):
    """A number rounded to nearest, moved as the rounding mode says."""
    up = {"rn": False, "rp": True, "rm": False, "rz": exact < 0}[mode]
    down = {"rn": False, "rm": True, "rp": False, "rz": exact > 0}[mode]
    there = Fraction(float(value))
    if up and there < exact:
        return np.nextafter(value, type(value)(np.inf))
    if down and there > exact:
        return np.nextafter(value, type(value)(-np.inf))
    return value


def to_nearest(exact, dtype):
    """A Fraction as a float, rounded once."""
    if dtype is np.float64:
        return np.float64(exact.numerator / exact.denominator)
    near = np.float32(exact.numerator / exact.denominator)
    best = min((near, np.nextafter(near, np.float32(-np.inf)), np.nextafter(near, np.float32(np.inf))), key=lambda x: (abs(Fraction(float(x)) - exact), x.view(np.uint32) & 1))
    return best


def exactly(operation, mode, dtype):
    def reference(*given):
        if not all(map(np.isfinite, given)):
            return dtype(operation(*given))
        try:
            exact = operation(*(Fraction(float(x)) for x in given))
        except ZeroDivisionError:
            return dtype(operation(*given))
        if exact == 0:
            return None if mode == "rm" else dtype(operation(*given))  # the zero's sign is the mode's
        return step(to_nearest(exact, dtype), exact, mode)

    return reference


def float_rows(kind):
    dtype, rows = DTYPES[kind], []
    for mode in ("", "rn", "rz", "rm", "rp"):
        dotted, real = (f".{mode}" if mode else ""), mode or "rn"
        rows += [
            (f"add{dotted}.{kind} %0, %1, %2;", kind, [kind] * 2, exactly(lambda a, b: a + b, real, dtype)),
            (f"sub{dotted}.{kind} %0, %1, %2;", kind, [kind] * 2, exactly(lambda a, b: a - b, real, dtype)),
            (f"mul{dotted}.{kind} %0, %1, %2;", kind, [kind] * 2, exactly(lambda a, b: a * b, real, dtype)),
        ]
        if mode:
            rows += [
                (f"fma.{mode}.{kind} %0, %1, %2, %3;", kind, [kind] * 3, exactly(lambda a, b, c: a * b + c, real, dtype)),
                (f"div.{mode}.{kind} %0, %1, %2;", kind, [kind] * 2, exactly(lambda a, b: a / b, real, dtype)),
                (f"rcp.{mode}.{kind} %0, %1;", kind, [kind], exactly(lambda a: 1 / a, real, dtype)),
            ]
    rows += [
        (f"sqrt.rn.{kind} %0, %1;", kind, [kind], np.sqrt),
        (f"mad.rn.{kind} %0, %1, %2, %3;", kind, [kind] * 3, exactly(lambda a, b, c: a * b + c, "rn", dtype)),
        (f"min.{kind} %0, %1, %2;", kind, [kind] * 2, lambda a, b: None if a == b else np.fmin(a, b)),
        (f"max.{kind} %0, %1, %2;", kind, [kind] * 2, lambda a, b: None if a == b else np.fmax(a, b)),
        (f"abs.{kind} %0, %1;", kind, [kind], np.abs),
        (f"neg.{kind} %0, %1;", kind, [kind], lambda a: -a),
        (f"copysign.{kind} %0, %1, %2;", kind, [kind] * 2, lambda a, b: np.copysign(b, a)),
        (f"mov.{kind} %0, %1;", kind, [kind], lambda a: a),
        (f"slct.{kind}.f32 %0, %1, %2, %3;", kind, [kind, kind, "f32"], lambda a, b, c: a if c >= 0 else b),
    ]
    tests = {"finite": np.isfinite, "infinite": np.isinf, "number": lambda a: not np.isnan(a), "notanumber": np.isnan}
    for name, reference in tests.items():
        rows.append((PREDICATE.format(f"testp.{name}.{kind} p, %1;"), "u32", [kind], reference))
    for name, sign in {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items():
        ordered = eval(f"lambda a, b: a {sign} b and a == a and b == b")
        unordered = eval(f"lambda a, b: a {sign} b or a != a or b != b")
        rows.append((PREDICATE.format(f"setp.{name}.{kind} p, %1, %2;"), "u32", [kind] * 2, ordered))
        rows.append((PREDICATE.format(f"setp.{name}u.{kind} p, %1, %2;"), "u32", [kind] * 2, unordered))
    rows.append((PREDICATE.format(f"setp.num.{kind} p, %1, %2;"), "u32", [kind] * 2, lambda a, b: a == a and b == b))
    rows.append((PREDICATE.format(f"setp.nan.{kind} p, %1, %2;"), "u32", [kind] * 2, lambda a, b: a != a or b != b))
    return rows


@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_floating_point(device, kind):
    run_rows(device, float_rows(kind))


def small(function):
    """Of numbers for which .approx promises something."""

    def reference(a):
        return function(np.float64(a)) if 1e-3 <= abs(a) <= 3 else None

    return reference


def test_approximations(device):
    f32 = "f32"
    rows = [
        ("rcp.approx.ftz.f32 %0, %1;", f32, [f32], small(lambda a: 1 / a), 1e-5),
        ("sqrt.approx.f32 %0, %1;", f32, [f32], small(np.sqrt), 1e-5),
        ("rsqrt.approx.f32 %0, %1;", f32, [f32], small(lambda a: 1 / np.sqrt(a)), 1e-5),
        ("rsqrt.approx.f64 %0, %1;", "f64", ["f64"], small(lambda a: 1 / np.sqrt(a)), 1e-5),
        ("sin.approx.f32 %0, %1;", f32, [f32], small(np.sin), 1e-5),
        ("cos.approx.ftz.f32 %0, %1;", f32, [f32], small(np.cos), 1e-5),
        ("ex2.approx.ftz.f32 %0, %1;", f32, [f32], small(np.exp2), 1e-5),
        ("lg2.approx.f32 %0, %1;", f32, [f32], small(np.log2), 1e-5),
        ("tanh.approx.f32 %0, %1;", f32, [f32], small(np.tanh), 1e-3),
        ("div.approx.f32 %0, %1, 0f40400000;", f32, [f32], small(lambda a: a / 3), 1e-5),
        ("div.full.f32 %0, %1, 0f40400000;", f32, [f32], small(lambda a: a / 3), 1e-5),
        ("min.NaN.f32 %0, %1, %2;", f32, [f32] * 2, lambda a, b: None if a == b else np.minimum(a, b)),
        ("max.NaN.f32 %0, %1, %2;", f32, [f32] * 2, lambda a, b: None if a == b else np.maximum(a, b)),
        ("add.sat.f32 %0, %1, %2;", f32, [f32] * 2, lambda a, b: saturated(a + b)),
        ("mul.sat.f32 %0, %1, %2;", f32, [f32] * 2, lambda a, b: saturated(a * b)),
        ("fma.rn.sat.f32 %0, %1, %2, 0f3e800000;", f32, [f32] * 2, lambda a, b: saturated(np.float64(a) * b + 0.25), 1e-7),
    ]
    run_rows(device, rows)


def saturated(a):
    return None if a == 0 else type(a)(0) if a != a else min(max(a, type(a)(0)), type(a)(1)) + type(a)(0)


# ---- conversions


def clamped(value, kind):
    limits = np.iinfo(kind)
    return max(limits.min, min(limits.max, value))


def whole(a, kind, rounding):
    if np.isnan(a):
        return 2 ** (bits_of(kind) - 1) if bits_of(kind) == 64 or a.itemsize == 8 else 0
    if np.isinf(a):
        return np.iinfo(DTYPES[kind]).max if a > 0 else np.iinfo(DTYPES[kind]).min
    return clamped(int(rounding(a)), DTYPES[kind])


ROUNDINGS = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}
INTEGERS = ["u16", "s16", "u32", "s32", "u64", "s64"]


def test_conversions_of_integers(device):
    rows = []
    for source in INTEGERS:
        for to in INTEGERS:
            if source == to:
                continue
            rows.append((f"cvt.{to}.{source} %0, %1;", to, [source], lambda a: a))
            limits, given = np.iinfo(DTYPES[to]), np.iinfo(DTYPES[source])
            if limits.min > given.min or limits.max < given.max:  # .sat stands where it may matter
                rows.append((f"cvt.sat.{to}.{source} %0, %1;", to, [source], lambda a, to=to: clamped(a, DTYPES[to])))
    # Registers of 32 bits hold 8: the source's low bits count, the result is extended.
    rows += [
        ("cvt.u32.u8 %0, %1;", "u32", ["u32"], lambda a: a & 255),
        ("cvt.s32.s8 %0, %1;", "s32", ["s32"], byte),
        ("cvt.u8.u32 %0, %1;", "u32", ["u32"], lambda a: a & 255),
        ("cvt.s8.s32 %0, %1;", "s32", ["s32"], byte),
        ("cvt.sat.u8.s32 %0, %1;", "u32", ["s32"], lambda a: clamped(a, np.uint8)),
        ("cvt.sat.s8.s32 %0, %1;", "s32", ["s32"], lambda a: clamped(a, np.int8)),
    ]
    run_rows(device, rows)


def test_conversions_of_floats(device):
    rows = []
    for real in ("f32", "f64"):
        for to in INTEGERS:
            for mode, rounding in ROUNDINGS.items():
                rows.append((f"cvt.{mode}.{to}.{real} %0, %1;", to, [real], lambda a, to=to, r=rounding: whole(a, to, r)))
            rows.append((f"cvt.rn.{real}.{to} %0, %1;", real, [to], lambda a, real=real: to_nearest(Fraction(a), DTYPES[real]) if a else DTYPES[real](0)))
        for mode, rounding in ROUNDINGS.items():
            rows.append((f"cvt.{mode}.{real}.{real} %0, %1;", real, [real], rounding))
    for mode in ("rn", "rz", "rm", "rp"):
        for source in ("u32", "s32", "u64", "s64"):
            for real in ("f32", "f64"):
                rows.append(
                    (
                        f"cvt.{mode}.{real}.{source} %0, %1;",
                        real,
                        [source],
                        lambda a, real=real, mode=mode: step(to_nearest(Fraction(a), DTYPES[real]), a, mode) if a else DTYPES[real](0),
                    )
                )
        rows.append((f"cvt.{mode}.f32.f64 %0, %1;", "f32", ["f64"], lambda a, mode=mode: exactly(lambda x: x, mode, np.float32)(a) if a else np.float32(a)))
    rows += [
        ("cvt.f64.f32 %0, %1;", "f64", ["f32"], np.float64),
        ("cvt.sat.f32.f32 %0, %1;", "f32", ["f32"], saturated),
        ("cvt.f32.f16 %0, %1;", "f32", ["u16"], lambda a: np.uint16(a).view(np.float16)),
        ("cvt.rn.f16.f32 %0, %1;", "h16", ["f32"], np.float16),
    ]
    run_rows(device, rows)
