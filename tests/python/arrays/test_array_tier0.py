"""Tiny work on the CPU: every instruction set gives the same bits, functions those of kernels from FMA on; and none of the higher ones is
used where it was not asked for."""

import json
import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
import quern as qn
from quern.lib import _engine

LEVELS = ["baseline", "avx2", "avx512"]
FUNCTIONS_IN_VECTORS = ["exp", "expm1", "log", "log2", "log10", "log1p"]
# Without FMA they are the C library's, with it the kernels': of reals of 32 and 64 bits, and of integers that become those.
IN_VECTORS = {f"{name} {dtype}" for name in FUNCTIONS_IN_VECTORS for dtype in "hilHILfd"}

# For each row and type that has a loop, a checksum of its results for the edge values: alone, each with each, at every length that
# leaves a rest after the vectors, and with a number in place of an operand. NaNs count as one.
EVERY_ROW = """
import json, sys, warnings, zlib
import numpy as np
import quern as qn
from quern.device import set_current_device
from quern.lib import _engine

set_current_device(qn.device("cpu"))
qn.set_fallback("error")
np.seterr(all="ignore")


def edges(dtype):
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind in "iu":
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        return np.array([low, low + 1, high, high - 1, high // 2, 0, 1, 2, 3, 7, 8, 31, 32, 63, 64, 100, *([-1, -2, -7] if low else [])]).astype(dtype)
    if dtype.kind == "f":
        info = np.finfo(dtype)
        values = [0.0, 0.5, 1.0, 1.5, 2.5, 3.7, 1e-3, 7e3, np.inf, info.max, info.tiny, info.smallest_subnormal]
        near = [1 + 2.0**-11 + 2.0**-40, 1 + info.eps, 1 - info.epsneg, info.tiny - info.smallest_subnormal, 2.0**info.nmant - 0.5, 2.0**info.nmant + 1]
        return np.array([np.nan] + values + near + [-v for v in values + near]).astype(dtype)
    parts = [0.0, -0.0, 1.0, -2.5, 1e-3, np.inf, -np.inf, np.nan, np.finfo(dtype).max]
    return np.array([complex(re, im) for re in parts for im in parts]).astype(dtype)


def checksum(results):
    sum = 0
    for result in results:
        got = np.array(qn.asnumpy(result)).reshape(-1)
        if got.dtype.kind in "fc":
            real = got.view(got.real.dtype)
            real[np.isnan(real)] = np.nan
        sum = zlib.crc32(got.tobytes(), sum)
    return sum


def runs(function, values):
    # Integers have no negative powers.
    seconds = np.where(values < 0, ~values, values) if function is qn.power and values.dtype.kind == "i" else values
    full, second = np.resize(values, 81), np.resize(seconds, 81)
    for step in range(len(values)) if function.nin == 2 else [0]:
        operands = [full, np.roll(second, step)][: function.nin]
        yield function(*[qn.asarray(o) for o in operands])
    for n in range(1, 72):
        yield function(*[qn.asarray(o[i : n + i]) for i, o in enumerate([full, second][: function.nin])])
    if function.nin == 2:
        for value, exponent in zip(values, seconds, strict=True):
            yield function(qn.asarray(value), qn.asarray(second))
            yield function(qn.asarray(full), qn.asarray(exponent))


sums = {}
for dtype in "?bhilBHILefdFD":
    values = edges(dtype)
    for name in sorted(n for n in dir(np) if isinstance(getattr(qn, n, None), qn.ufunc)):
        function = getattr(qn, name)
        if function._op is None or function.__name__ != name:
            continue
        try:
            sums[f"{name} {dtype}"] = checksum(runs(function, values))
        except TypeError:
            pass
    x, y = qn.asarray(np.resize(values, 81)), qn.asarray(np.roll(np.resize(values, 81), 5))
    choice = qn.asarray(np.resize([True, False, False, True, True], 81))
    sums[f"where {dtype}"] = checksum(qn.where(choice[:n], x[:n], y[:n]) for n in range(1, 81))
    sums[f"where one {dtype}"] = checksum([qn.where(choice, x, y[3]), qn.where(choice, x[3], y), qn.where(choice[1], x, y)])
    for to in "?bhilBHILefdFD":
        sums[f"{dtype} to {to}"] = checksum([qn.asarray(np.resize(values, 81)[::step]).astype(to) for step in (1, 2)])
    sums[f"copy {dtype}"] = checksum(x[i : n].copy() for n in range(1, 81) for i in (0, 1))
    for name in ("sum", "prod", "max", "min", "any", "all"):
        try:
            sums[f"{name} {dtype}"] = checksum(getattr(x[i:n], name)() for n in range(2, 81) for i in (0, 1))
        except TypeError:
            pass
    for name in ("sum", "max", "min", "argmax", "argmin"):
        long = [np.resize(values, n) for n in (500, 4096, 4097, 4140, 9000)] + [np.resize(values[values == values], 5000)]
        try:
            sums[f"long {name} {dtype}"] = checksum(getattr(qn.asarray(v), name)() for v in long)
        except TypeError:
            pass
print(json.dumps([_engine.tier0_level(), sums]))
"""


def level_and_sums(level):
    environment = dict(os.environ, QUERN_TIER0_LEVEL=level, PYTHONPATH=os.pathsep.join(sys.path))
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", EVERY_ROW], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def baseline():
    level, sums = level_and_sums("baseline")
    assert level == "baseline"
    assert len(sums) > 700
    return sums


@pytest.mark.parametrize("wish", LEVELS[1:])
def test_levels_give_the_same_bits(wish, request):
    if LEVELS.index(_engine.tier0_level()) < LEVELS.index(wish):
        pytest.skip(f"this processor, or QUERN_TIER0_LEVEL, allows {_engine.tier0_level()} at most")
    baseline = request.getfixturevalue("baseline")
    level, sums = level_and_sums(wish)
    assert level == wish
    assert [name for name in baseline if sums[name] != baseline[name] and name not in IN_VECTORS] == []
    assert sums.keys() == baseline.keys()


def arguments(dtype, n, rng):
    """Of functions: of every size, and around 1."""
    bits = rng.integers(0, 1 << (8 * np.dtype(dtype).itemsize), n, np.dtype(f"u{np.dtype(dtype).itemsize}"))
    return np.concatenate([edges_of_reals(dtype), bits.view(dtype), rng.uniform(-1, 3, n).astype(dtype)])


def edges_of_reals(dtype):
    info = np.finfo(dtype)
    some = [0, 1, 2, 0.5, np.inf, info.max, info.tiny, info.smallest_subnormal, info.eps, np.log(info.max), np.log(info.tiny), 103.9, 745.1]
    with np.errstate(all="ignore"):
        some = np.array(some, dtype)
        near = [np.nextafter(some, dtype(towards)) for towards in (np.inf, -np.inf)]
    return np.concatenate([some, *near, -some, *(-n for n in near), [dtype(np.nan)]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", FUNCTIONS_IN_VECTORS)
def test_functions_have_a_kernels_bits(name, dtype):
    """As this processor's level has them: vectors from FMA on, the C library's without it."""
    function, rng = getattr(qn, name), np.random.default_rng(1)
    x = arguments(dtype, 400, rng)
    with np.errstate(all="ignore"):
        want = getattr(np, name)(x)
    for n in (1, 3, 100, len(x)):
        got = qn.asnumpy(function(qn.array(x[-n:])))
        np.testing.assert_array_max_ulp(got, want[-n:], 3)
        np.testing.assert_array_equal(np.signbit(got)[got == 0], np.signbit(want[-n:])[got == 0])
    if _engine.tier0_level() == "baseline":
        return
    _engine.set_tier0_limit(0)
    try:
        kernels = qn.asnumpy(function(qn.array(x)))
    finally:
        _engine.set_tier0_limit(_engine.tier0_limit)
    np.testing.assert_array_equal(got, kernels)


def some(dtype, n, kind, rng):
    """Numbers of a kind that reductions take another way for."""
    dtype = np.dtype(dtype)
    if dtype.kind == "i":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, n, dtype, endpoint=True) if kind == "wide" else rng.integers(-3, 4, n).astype(dtype)
    x = rng.standard_normal(n).astype(dtype)
    if kind == "few":
        x = np.sign(x).astype(dtype)
    if kind == "zeros":
        x = -np.abs(x)
        x[rng.integers(0, n, 1 + n // 100)] = 0.0
        x[rng.integers(0, n, 1 + n // 100)] = -0.0
        x *= rng.choice([-1, 1])
    if kind == "one zero":
        x = np.abs(x) + 1
        x[rng.integers(n)] = rng.choice([0.0, -0.0])
    if kind == "nan":
        x[rng.integers(0, n, 2)] = np.nan
    if kind == "infinite":
        x[rng.integers(0, n, 3)] = rng.choice([np.inf, -np.inf])
    return x


SIZES = [
    1,
    2,
    3,
    31,
    32,
    33,
    63,
    64,
    65,
    127,
    128,
    129,
    1000,
    2047,
    2049,
    4095,
    4096,
    4097,
    4111,
    4128,
    4129,
    8192,
    8200,
    12321,
    65536,
    131072,
]


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_whole_arrays_are_reduced_to_the_same_bits(dtype):
    """Those that are there are reduced at once, by loops of their own; kernels are the oracle of bits, NumPy that of values."""
    rng = np.random.default_rng(1)
    names = ["max", "min", "argmax", "argmin", "prod" if dtype.startswith("i") else "mean"] + (["sum"] if dtype != "int32" else [])
    for n in SIZES:
        for kind in ("wide", "few", "zeros", "one zero", "nan", "infinite"):
            x = some(dtype, n, kind, rng)
            for cut in (np.s_[:], np.s_[1:], np.s_[: n - n // 3], np.s_[::-1]):
                if x[cut].size == 0:
                    continue
                a = qn.asarray(x)[cut]
                at_once = {name: getattr(a, name)().get() for name in names}
                _engine.set_tier0_limit(0)
                try:
                    compiled = {name: getattr(a, name)().get() for name in names}
                finally:
                    _engine.set_tier0_limit(_engine.tier0_limit)
                for name in names:
                    got, want = at_once[name], compiled[name]
                    assert got.dtype == want.dtype
                    assert got.tobytes() == want.tobytes() or (got != got and want != want), (name, n, kind, cut, got, want)
                    if name.startswith(("max", "min", "arg")):
                        np.testing.assert_array_equal(got, getattr(x[cut], name)(), err_msg=f"{name} {n} {kind}")


def test_reductions_of_arrays_that_are_written_next():
    a = qn.asarray(np.arange(10000.0))
    largest, sum = a.max(), a.sum()
    a[9999] = -1
    assert (float(largest), float(sum), float(a.max()), int(a.argmin())) == (9999.0, 49995000.0, 9998.0, 9999)
    host = np.arange(5000.0)
    shared = qn.from_dlpack(host) if hasattr(qn, "from_dlpack") else qn.asarray(host)
    np.asarray(shared)
    shared[10] = 1e9
    assert int(shared.argmax()) == 10
    assert float(shared.max()) == 1e9


QUOTIENTS = [
    0,
    1,
    -1,
    2,
    -2,
    3,
    7,
    -7,
    8,
    10,
    100,
    127,
    -128,
    255,
    1000,
    2**15 - 1,
    -(2**15),
    2**31 - 1,
    -(2**31),
    2**31,
    2**32 + 1,
    2**52,
    2**53 - 1,
]
QUOTIENTS += [2**53, 2**53 + 1, -(2**53) - 1, 2**62, 2**63 - 1, -(2**63), -(2**63) + 1, 10**18, 3**39]


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("n", [5, 600, 1000, 3000])
def test_divisions_of_integers(dtype, n):
    """Quotients by way of doubles: exact to the last bit, also beyond what these tell apart; 0 for a division by 0."""
    rng = np.random.default_rng(n)
    values = np.array([q for q in QUOTIENTS if np.iinfo(dtype).min <= q <= np.iinfo(dtype).max], dtype)
    info = np.iinfo(dtype)
    whole = rng.integers(info.min, info.max, n, dtype, endpoint=True)
    x = np.where(rng.random(n) < 0.5, rng.choice(values, n), whole >> rng.integers(0, 8 * whole.itemsize, n).astype(dtype))
    y = np.where(rng.random(n) < 0.7, rng.choice(values, n), whole[::-1] >> rng.integers(0, 8 * whole.itemsize, n).astype(dtype))
    a, b = qn.asarray(x), qn.asarray(y)
    with np.errstate(all="ignore"):
        for name in ("floor_divide", "remainder"):
            ours, theirs = getattr(qn, name), getattr(np, name)
            np.testing.assert_array_equal(ours(a, b).get(), theirs(x, y))
            for one in values:
                np.testing.assert_array_equal(ours(a, one).get(), theirs(x, one), err_msg=f"{name} by {one}")
                np.testing.assert_array_equal(ours(qn.asarray(one), b).get(), theirs(one, y), err_msg=f"{name} of {one}")
        for ours, theirs in zip(qn.divmod(a, b), np.divmod(x, y), strict=True):
            np.testing.assert_array_equal(ours.get(), theirs)
        np.testing.assert_array_equal((a // 7).get(), x // 7)
        np.testing.assert_array_equal((a % -3).get(), x % -3)


def test_an_unknown_level_is_no_wish():
    code = "from quern.lib import _engine; print(_engine.tier0_level())"
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    levels = [
        subprocess.run([sys.executable, "-c", code], env=dict(environment, QUERN_TIER0_LEVEL=wish), capture_output=True, text=True).stdout
        for wish in ("", "sse9", LEVELS[-1])
    ]
    assert levels[0] == levels[1] == levels[2]
    assert levels[0].strip() in LEVELS


def test_only_the_loops_of_a_level_have_its_instructions():
    """The linker keeps one copy of an inline function: were it an AVX2 loop's, an older processor would stop at it."""
    library = os.path.join(os.path.dirname(_engine.__file__), "libquern.so")
    if not shutil.which("objdump"):
        pytest.skip("needs objdump")
    objdump = ["objdump", "--disassemble", "--no-show-raw-insn", "--no-addresses", library]
    name, found = "", set()
    vector = re.compile(r"\tv[a-z0-9]+ .*%[xyz]mm|%[yz]mm|%k[0-7]")
    for line in subprocess.run(objdump, capture_output=True, text=True, check=True).stdout.splitlines():
        if line.startswith("<"):
            name = line
        elif "%" in line and vector.search(line):
            found.add(name)
    if not any("_avx2" in name for name in found):
        pytest.skip("a library without the names of its functions, or for a processor without levels")
    assert [name for name in found if "_avx" not in name] == []
