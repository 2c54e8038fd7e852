"""CUDA's integer intrinsics and casts in kernels, compared with Python's integers: words, lanes of words, and reals that no integer holds."""

import math

import numpy as np
import pytest
import quern
from quern.pycuda import driver as drv

RNG = np.random.default_rng(11)
EDGES = [0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x80FF7F01, 0x80007FFF, 0x12345678]
WORDS = np.array([*EDGES, *RNG.integers(0, 2**32, 60)], np.uint32)


def run(texts, inputs, out_type, more=""):
    """out[k, i] = texts[k] of x = inputs[0][i], y = inputs[1][i] ..."""
    types = {"uint32": "unsigned int", "uint64": "unsigned long long", "float32": "float", "float64": "double"}
    names = "xyz"[: len(inputs)]
    parameters = ", ".join(f"const {types[str(v.dtype)]}* {n}_" for n, v in zip(names, inputs, strict=True))
    loads = " ".join(f"auto {n} = {n}_[i];" for n in names)
    body = "\n".join(f"    out[{k} * n + i] = {t};" for k, t in enumerate(texts))
    result = types[np.dtype(out_type).name]
    text = f"""{more}
extern "C" __global__ void f({parameters}, {result}* out, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {{
    {loads}
{body}
  }}
}}
"""
    places = [drv.to_device(np.ascontiguousarray(v)) for v in inputs]
    out = np.zeros((len(texts), inputs[0].size), out_type)
    place = drv.to_device(out)
    quern.RawKernel(text, "f")((-(-inputs[0].size // 64),), (64,), (*places, place, np.int32(inputs[0].size)))
    return drv.from_device_like(place, out)


def signed(x, bits=32):
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


def check(table, inputs, out_type=np.uint32, more=""):
    bits = np.dtype(out_type).itemsize * 8
    got = run(list(table), inputs, out_type, more)
    for row, (text, function) in zip(got, table.items(), strict=True):
        wanted = [function(*map(int, given)) & ((1 << bits) - 1) for given in zip(*inputs, strict=True)]
        assert row.tolist() == wanted, (text, [tuple(map(hex, map(int, g))) for g, a, b in zip(zip(*inputs, strict=True), row, wanted, strict=True) if a != b][:3])


def lanes(function, bits, sign):
    """A function of two lanes, on words."""

    def of_words(x, y=0):
        out = 0
        for i in range(0, 32, bits):
            a, b = (x >> i) & ((1 << bits) - 1), (y >> i) & ((1 << bits) - 1)
            if sign:
                a, b = signed(a, bits), signed(b, bits)
            out |= (int(function(a, b)) & ((1 << bits) - 1)) << i
        return out

    return of_words


def clamp(x, bits, sign):
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if sign else (0, (1 << bits) - 1)
    return min(max(x, low), high)


def lane_table():
    two, one = {}, {}
    for bits, count in ((16, 2), (8, 4)):
        def add(name, function, sign=False, bits=bits, count=count):
            two[f"{name}{count}(x, y)"] = lanes(function, bits, sign)

        add("__vadd", lambda a, b: a + b)
        add("__vsub", lambda a, b: a - b)
        for sign, letter in ((True, "s"), (False, "u")):
            add(f"__vadd{letter}s", lambda a, b, bits=bits, sign=sign: clamp(a + b, bits, sign), sign)
            add(f"__vsub{letter}s", lambda a, b, bits=bits, sign=sign: clamp(a - b, bits, sign), sign)
            add(f"__vmax{letter}", max, sign)
            add(f"__vmin{letter}", min, sign)
            add(f"__vabsdiff{letter}", lambda a, b: abs(a - b), sign)
            add(f"__vcmpgt{letter}", lambda a, b: -(a > b), sign)
            add(f"__vcmpge{letter}", lambda a, b: -(a >= b), sign)
            add(f"__vcmplt{letter}", lambda a, b: -(a < b), sign)
            add(f"__vcmple{letter}", lambda a, b: -(a <= b), sign)
            add(f"__vsetgt{letter}", lambda a, b: a > b, sign)
            add(f"__vsetge{letter}", lambda a, b: a >= b, sign)
            add(f"__vsetlt{letter}", lambda a, b: a < b, sign)
            add(f"__vsetle{letter}", lambda a, b: a <= b, sign)
            mask = (1 << bits) - 1
            two[f"__vsad{letter}{count}(x, y)"] = lambda x, y, bits=bits, sign=sign, mask=mask: sum(
                (lanes(lambda a, b: abs(a - b), bits, sign)(x, y) >> i) & mask for i in range(0, 32, bits)
            )
        add("__vavgu", lambda a, b: (a + b + 1) >> 1)
        add("__vavgs", lambda a, b: (a + b + 1) >> 1 if a + b >= 0 else -((-(a + b) + 1) >> 1), True)
        add("__vhaddu", lambda a, b: (a + b) >> 1)
        add("__vcmpeq", lambda a, b: -(a == b))
        add("__vcmpne", lambda a, b: -(a != b))
        add("__vseteq", lambda a, b: a == b)
        add("__vsetne", lambda a, b: a != b)
        one[f"__vneg{count}(x)"] = lanes(lambda a, b: -a, bits, True)
        one[f"__vabs{count}(x)"] = lanes(lambda a, b: abs(a), bits, True)
        one[f"__vnegss{count}(x)"] = lanes(lambda a, b, bits=bits: clamp(-a, bits, True), bits, True)
        one[f"__vabsss{count}(x)"] = lanes(lambda a, b, bits=bits: clamp(abs(a), bits, True), bits, True)
    return one, two


def pairs(words=WORDS, count=400):
    return RNG.choice(words, count), RNG.choice(words, count)


def test_lanes_of_a_word(device):
    one, two = lane_table()
    check(one, [WORDS])
    check(two, list(pairs()))


def test_words(device):
    check(
        {
            "__popc(x)": lambda x: x.bit_count(),
            "__clz((int)x)": lambda x: 32 - x.bit_length(),
            "__ffs((int)x)": lambda x: (x & -x).bit_length(),
            "__brev(x)": lambda x: int(f"{x:032b}"[::-1], 2),
        },
        [WORDS],
    )
    x, y = pairs()
    z = RNG.choice(WORDS, x.size)
    both = lambda x, y: x | y << 32  # noqa: E731
    check(
        {
            "__mulhi((int)x, (int)y)": lambda x, y, z: signed(x) * signed(y) >> 32,
            "__umulhi(x, y)": lambda x, y, z: x * y >> 32,
            "__mul24((int)x, (int)y)": lambda x, y, z: signed(x, 24) * signed(y, 24),
            "__umul24(x, y)": lambda x, y, z: (x & 0xFFFFFF) * (y & 0xFFFFFF),
            "__sad((int)x, (int)y, z)": lambda x, y, z: abs(signed(x) - signed(y)) + z,
            "__usad(x, y, z)": lambda x, y, z: abs(x - y) + z,
            "__hadd((int)x, (int)y)": lambda x, y, z: (signed(x) + signed(y)) >> 1,
            "__rhadd((int)x, (int)y)": lambda x, y, z: (signed(x) + signed(y) + 1) >> 1,
            "__uhadd(x, y)": lambda x, y, z: (x + y) >> 1,
            "__urhadd(x, y)": lambda x, y, z: (x + y + 1) >> 1,
            "__byte_perm(x, y, z)": lambda x, y, z: sum(
                ((both(x, y) >> 8 * (z >> 4 * i & 7)) & 255) << 8 * i for i in range(4)
            ),
            "__funnelshift_l(x, y, z)": lambda x, y, z: both(x, y) << (z & 31) >> 32,
            "__funnelshift_lc(x, y, z)": lambda x, y, z: both(x, y) << min(z, 32) >> 32,
            "__funnelshift_r(x, y, z)": lambda x, y, z: both(x, y) >> (z & 31),
            "__funnelshift_rc(x, y, z)": lambda x, y, z: both(x, y) >> min(z, 32),
            "(unsigned)__dp4a((int)x, (int)y, (int)z)": lambda x, y, z: z + sum(signed(x >> i, 8) * signed(y >> i, 8) for i in (0, 8, 16, 24)),
            "__dp4a(x, y, z)": lambda x, y, z: z + sum((x >> i & 255) * (y >> i & 255) for i in (0, 8, 16, 24)),
            "(unsigned)__dp2a_lo((int)x, (int)y, (int)z)": lambda x, y, z: z + signed(x, 16) * signed(y, 8) + signed(x >> 16, 16) * signed(y >> 8, 8),
            "__dp2a_hi(x, y, z)": lambda x, y, z: z + (x & 65535) * (y >> 16 & 255) + (x >> 16) * (y >> 24),
            "__viaddmax_s32((int)x, (int)y, (int)z)": lambda x, y, z: max(signed(x + y), signed(z)),
            "__vimin3_s32_relu((int)x, (int)y, (int)z)": lambda x, y, z: max(0, min(signed(x), signed(y), signed(z))),
            "__vimax3_u32(x, y, z)": max,
            "__viaddmin_u16x2(x, y, z)": lambda x, y, z: lanes(min, 16, False)(lanes(lambda a, b: a + b, 16, False)(x, y), z),
            "__vimax_s16x2_relu(x, y)": lambda x, y, z: lanes(max, 16, True)(lanes(max, 16, True)(x, y), 0),
        },
        [x, y, z],
    )  # fmt: skip


def test_long_words(device):
    wide = np.concatenate([WORDS.astype(np.uint64) << np.uint64(32) | WORDS[::-1], WORDS.astype(np.uint64)])
    x, y = RNG.choice(wide, 300), RNG.choice(wide, 300)
    check(
        {
            "__umul64hi(x, y)": lambda x, y: x * y >> 64,
            "__mul64hi((long long)x, (long long)y)": lambda x, y: signed(x, 64) * signed(y, 64) >> 64,
            "__popcll(x)": lambda x, y: x.bit_count(),
            "__clzll((long long)x)": lambda x, y: 64 - x.bit_length(),
            "__ffsll((long long)x)": lambda x, y: (x & -x).bit_length(),
            "__brevll(x)": lambda x, y: int(f"{x:064b}"[::-1], 2),
            "__hiloint2double((int)(x >> 32), (int)x) == __longlong_as_double((long long)x) || isnan(__longlong_as_double((long long)x))": lambda x, y: 1,
        },
        [x, y],
        np.uint64,
    )  # fmt: skip


REALS = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.99999, 1e9, 2147483520.0, 2147483648.0, -2147483648.0, -2147483904.0, 4294967040.0, 4294967296.0,
         9.2e18, 2.0**63, -(2.0**63), 1.9e19, 2.0**64, 1e30, -1e30, math.inf, -math.inf, math.nan]  # fmt: skip
TARGETS = {"int": (32, True), "uint": (32, False), "ll": (64, True), "ull": (64, False)}
ROUNDINGS = {"rn": np.rint, "rz": np.trunc, "ru": np.ceil, "rd": np.floor}


@pytest.mark.parametrize("source", ["float", "double"])
def test_reals_to_integers(device, source):
    x = np.array(REALS, np.float32 if source == "float" else np.float64)

    def of(bits, sign, rounding):
        def function(value):
            if math.isnan(value):
                none = -(1 << (bits - 1)) if sign else 1 << (bits - 1)
                return none if bits == 64 or source == "double" else 0
            low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if sign else (0, (1 << bits) - 1)
            value = float(rounding(value))
            return low if value <= low else high if value >= high else int(value)

        return function

    table = {f"(unsigned long long)__{source}2{name}_{mode}(x)": of(*target, rounding) for name, target in TARGETS.items() for mode, rounding in ROUNDINGS.items()}  # fmt: skip
    for name, target in (("int", "int"), ("unsigned int", "uint"), ("long long", "ll"), ("unsigned long long", "ull")):
        table[f"(unsigned long long)({name})x"] = of(*TARGETS[target], np.trunc)
    got = run(list(table), [x], np.uint64)
    for row, (text, function) in zip(got, table.items(), strict=True):
        assert row.tolist() == [function(float(v)) % 2**64 for v in x], text


@pytest.mark.parametrize("target", ["float", "double"])
def test_integers_to_reals(device, target):
    values = np.array([0, 1, 3, 2**24 + 1, 2**24 + 3, 2**31 - 1, 2**31, 2**32 - 1, 2**53 + 1, 2**54 - 1, 2**63 - 1, 2**63, 2**64 - 1, -5 % 2**64, 2**62 + 2**9 + 1], np.uint64)  # fmt: skip
    digits, dtype = (24, np.float32) if target == "float" else (53, np.float64)

    def of(name, mode):
        bits, sign = TARGETS[name]

        def function(x):
            x = signed(x, bits) if sign else x & ((1 << bits) - 1)
            shift = max(abs(x).bit_length() - digits, 0)
            down = x >> shift
            rest = x - (down << shift)
            half = 1 << shift >> 1
            up = {"rd": False, "ru": rest > 0, "rz": rest > 0 and x < 0, "rn": rest > half or (rest == half and shift > 0 and down & 1)}[mode]
            return float((down + bool(up)) << shift)

        return function

    casts = {"int": "(int)x", "uint": "(unsigned int)x", "ll": "(long long)x", "ull": "x"}
    names = [n for n in TARGETS if target == "float" or len(n) > 2 and n.endswith("ll") or n == "ll"]
    table = {f"__{n}2{target}_{m}({casts[n]})": of(n, m) for n in names for m in ROUNDINGS}
    got = run(list(table), [values], dtype)
    for row, (text, function) in zip(got, table.items(), strict=True):
        assert row.tolist() == [function(int(v)) for v in values], text


def test_doubles_to_floats(device):
    x = np.array([1.0, 0.1, -0.1, 1e300, -1e300, 1e-50, -1e-50, 3.4028235677973366e38, 1e-45, math.inf, math.nan])
    got = run([f"__double2float_{m}(x)" for m in ROUNDINGS], [x], np.float32)
    with np.errstate(all="ignore"):
        near = x.astype(np.float32)
        up = np.where(near.astype(float) < x, np.nextafter(near, np.float32(np.inf)), near)
        down = np.where(near.astype(float) > x, np.nextafter(near, np.float32(-np.inf)), near)
    for row, wanted in zip(got, (near, np.where(x > 0, down, up), up, down), strict=True):
        np.testing.assert_array_equal(row, wanted)
