"""Literals and constant arrays of kernels: each is a constant expression, for both compilers. Python is the oracle of the values.

`.ci/run` keeps the sources of these kernels and compiles them with NVRTC (tools/check_nvrtc.py).
"""

import collections
import enum
import math

import ml_dtypes
import numpy as np
import pytest
from quern import cuda
from quern.numba import njit

SPECIAL = [1.5, math.inf, -math.inf, math.nan, -0.0, 5e-324, 1.7976931348623157e308]


def array_of(name):
    dtype = np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)
    if dtype.kind in "iu":
        return np.array([np.iinfo(dtype).min, np.iinfo(dtype).max, 1], dtype)
    if dtype.kind == "b":
        return np.array([True, False, True])
    if dtype.kind in "Mm":
        return np.array([5, "NaT", -7], dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        values = np.array(SPECIAL)
        if dtype.kind == "c":
            values = np.concatenate([values + 0j, values * 1j, [complex(-0.0, math.nan), complex(math.inf, -0.0)]])
        return values.astype(dtype)


KINDS = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32", "float64"),
    *("complex64", "complex128", "datetime64[s]", "timedelta64[ms]"),
)


def same(made, wanted):
    """Bit for bit, but for what a NaN carries."""
    assert made.dtype == wanted.dtype and made.shape == wanted.shape
    if wanted.dtype.kind == "c":
        same(made.view(made.real.dtype), wanted.view(made.real.dtype))
        return
    if wanted.dtype.kind in "fV" and wanted.dtype.names is None:
        numbers = wanted == wanted
        np.testing.assert_array_equal(made == made, numbers)
        made, wanted = made[numbers], wanted[numbers]
    assert made.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("kind", KINDS)
def test_constant_arrays(device, kind):
    around = array_of(kind)

    @cuda.jit
    def kernel(out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = around[i]

    out = np.zeros_like(around)
    kernel[1, 32](out)
    same(out, around)

    in_columns = np.asfortranarray(np.stack([around, around[::-1]]))

    @cuda.jit
    def corners(out):
        out[0], out[1] = in_columns[0, 1], in_columns[-1, 0]

    out = np.zeros(2, around.dtype)
    corners[1, 1](out)
    same(out, np.array([in_columns[0, 1], in_columns[-1, 0]]))


RECORDS = np.array(
    [(True, -1, 0.1, math.nan, [math.inf, -0.0, 1]), (False, 127, -0.0, -math.inf, [2, 3, math.nan])],
    [("b", bool), ("i", np.int8), ("h", np.float16), ("d", np.float64), ("v", np.float32, 3)],
)


def test_constant_records(device):
    packed, one = RECORDS.copy(), RECORDS[1]

    @cuda.jit
    def kernel(out):
        for i in range(2):
            out[i, 0], out[i, 1], out[i, 2], out[i, 3] = packed[i].b, packed[i].i, packed[i].h, packed[i].d
            for j in range(3):
                out[i, 4 + j] = packed[i].v[j]
        out[2, 0], out[2, 3], out[2, 6] = one.b, one.d, one.v[2]

    out, wanted = np.zeros((3, 7)), np.zeros((3, 7))
    kernel[1, 1](out)
    for i, record in enumerate(packed):
        wanted[i] = [record["b"], record["i"], record["h"], record["d"], *record["v"]]
    wanted[2, [0, 3, 6]] = one["b"], one["d"], one["v"][2]
    np.testing.assert_array_equal(out, wanted)


INFINITY, NO_NUMBER, ZERO, BIG = math.inf, math.nan, -0.0, 2**63
SCALARS = tuple(a for kind in KINDS[:15] for a in array_of(kind).tolist())
TYPED = (np.float32(math.inf), np.float16(math.nan), np.float16(-math.inf), np.int8(-128), np.uint64(2**64 - 1), np.complex64(complex(0, math.inf)))
Limits = collections.namedtuple("Limits", "low high name")
LIMITS = Limits(-math.inf, math.nan, 3)


def scalars(reals, complexes):
    reals[0], reals[1], reals[2], reals[3] = INFINITY, NO_NUMBER, ZERO, BIG
    reals[4], reals[5], reals[6], reals[7] = -9223372036854775808, 1e400, -1e400, float("nan")
    reals[8], reals[9], reals[10] = LIMITS.low, LIMITS.high, LIMITS.name
    reals[11], reals[12], reals[13] = TYPED[0], TYPED[2], TYPED[4]
    reals[14] = TYPED[3]
    reals[15] = math.pi if INFINITY > 3 else -math.inf
    complexes[0], complexes[1], complexes[2] = 1j, complex(math.inf, -0.0), TYPED[5]
    n = 3
    for v in SCALARS:
        complexes[n] = v
        n += 1


def test_scalars(device):
    made = np.zeros(16), np.zeros(3 + len(SCALARS), np.complex128)
    wanted = np.zeros(16), np.zeros(3 + len(SCALARS), np.complex128)
    cuda.jit(scalars)[1, 1](*made)
    scalars(*wanted)
    for a, b in zip(made, wanted, strict=True):
        same(a, b)


def test_defaults(device):
    @cuda.jit
    def kernel(out, low=-math.inf, high=math.inf, fill=math.nan):
        out[0], out[1], out[2] = low, high, fill

    out = np.zeros(3)
    kernel[1, 1](out)
    same(out, np.array([-math.inf, math.inf, math.nan]))


class Color(enum.Enum):
    RED, GREEN = 1, 2


class Level(enum.Enum):
    LOW, HIGH = -math.inf, 2.5


class Root(enum.Enum):
    ONE, TURN = 1.0, 1j


class Switch(enum.Enum):
    ON, OFF = True, False


class Shape(enum.IntEnum):
    ROUND, FLAT = 1, 2


class Right(enum.IntFlag):
    READ, WRITE = 1, 2


def members(color, level, root, switch, n, out):
    out[0], out[1] = color == Color.RED, color is not Color.GREEN
    out[2], out[3] = level == Level.LOW, level != Level.HIGH
    out[4], out[5] = root is Root.TURN, root != Root.ONE
    out[6], out[7] = switch is Switch.ON, switch == Switch.OFF
    out[8], out[9], out[10] = n == Shape.FLAT, Shape.ROUND < n, Right.READ | n
    found = Root.ONE
    if n > 1:
        found = Root.TURN
    out[11], out[12] = found == Root.TURN, found in (Root.ONE, Root.TURN)
    out[13] = color in (Color.GREEN,)
    out[14] = Right.READ & n == Right.READ


@pytest.mark.parametrize("place", range(2))
def test_members_of_enumerations(device, place):
    given = [list(cls)[place] for cls in (Color, Level, Root, Switch)]
    out, wanted = np.zeros(15), np.zeros(15)
    cuda.jit(members)[1, 1](*given, place + 1, out)
    members(*given, place + 1, wanted)
    np.testing.assert_array_equal(out, wanted)
    out[:] = 0
    njit(members)(*given, place + 1, out)
    np.testing.assert_array_equal(out, wanted)
